"""The one training loop.

torch is imported when training starts, not when this file is.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vsacourse.training.checkpoint import restore, save
from vsacourse.training.progress import Progress
from vsacourse.training.recipe import Recipe
from vsacourse.training.run import History, Run
from vsacourse.training.state import State
from vsacourse.transformer import Transformer
from vsacourse.transformer.arguments import whole
from vsacourse.transformer.checkpoint import checked_path

__all__ = ["train"]

Watcher = Callable[[int, Callable[[], Transformer], History], None]
"""Is called at every check with the step, a function that copies the model, and the history."""


def train(
    recipe: Recipe,
    seed: int = 0,
    *,
    progress: bool = True,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = True,
    watch: Watcher | None = None,
    device: str = "cpu",
    stop: threading.Event | Callable[[], bool] | None = None,
) -> Run:
    """Train a transformer, and return it with its history and a report.

    Data, weights, checks and report draw from generators of their own, all derived from the seed:
    one seed gives the same weights on one machine. torch's own generator is not touched, and one
    CPU thread is used, which is fastest at this size. It ends when the accuracy on fresh data has
    reached the recipe's threshold at two checks one after the other, after ``recipe.steps`` steps,
    when the loss rises out of hand, or when ``stop`` says so.

    Args:
        recipe: what to train, and how.
        seed: from 0 on.
        progress: show a line with loss and accuracy, and the advice if it was not solved.
        checkpoint: None, or a ``.safetensors`` file to write at every check.
        resume: go on from that file if it is there; False: start afresh and write over it.
        watch: called at step 0 and at every check with the step, a function that returns a copy of
            the model (NumPy), and the history so far. When the loss has diverged it is called a
            last time, with the weights of the last good check.
        device: ``"cpu"``, or any other that torch knows, such as ``"cuda"``.
        stop: an event that is set, or a function that returns True, to end after the present step.

    Raises:
        ModuleNotFoundError: torch is not installed.
        TypeError: a recipe, a seed, a ``watch`` or a ``stop`` of another kind.
        ValueError: a negative seed, a device that is not here, or a checkpoint that is damaged, or
            of another recipe or seed.
    """
    if not isinstance(recipe, Recipe):
        raise TypeError(f"train: got a {type(recipe).__name__}; a Recipe is needed.")
    seed = whole("train", "seed", seed, 0)
    if watch is not None and not callable(watch):
        raise TypeError(f"train: watch is {watch!r}; a function is needed.")
    torch = _torch()
    stopped = getattr(stop, "is_set", stop)
    if stopped is not None and not callable(stopped):
        raise TypeError(f"train: stop is {stop!r}; an event or a function is needed.")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode(False), torch.enable_grad():  # whatever the caller has chosen
            state = State.fresh(recipe, seed, checked_device(torch, device))
            file = None if checkpoint is None else checked_path(checkpoint)
            if file is not None and resume and file.exists():
                restore(state, file)
            bar = Progress(recipe.name, recipe.steps, progress)
            return _train(state, bar, file, watch, stopped)
    finally:
        torch.set_num_threads(threads)


def _train(
    state: State,
    bar: Progress,
    file: Path | None,
    watch: Watcher | None,
    stopped: Callable[[], bool] | None,
) -> Run:
    """Take steps until there is a reason to end."""
    recipe = state.recipe
    begun = time.perf_counter() - state.seconds
    halted = False

    def check() -> None:
        state.check()
        state.seconds = time.perf_counter() - begun
        bar.update(*state.rows[-1], state.seconds)
        if file is not None and not state.diverged:
            save(state, file)
        if watch is not None:
            watch(state.step, state.model, state.history)

    if not state.rows:
        check()
    while not state.ended:
        if stopped is not None and stopped():
            halted = True
            break
        state.advance()
        at_check = state.step % recipe.check_every == 0 or state.step == recipe.steps
        if state.diverged or at_check:
            check()
    state.seconds = time.perf_counter() - begun
    if halted and file is not None:
        save(state, file)
    words = "" if halted or recipe.threshold is None else state.advice()
    bar.close(*state.rows[-1], state.seconds, words)
    return Run(
        recipe=recipe,
        seed=state.seed,
        model=state.model(),
        history=state.history,
        steps=state.solved_at,
        report=state.report(),
        seconds=state.seconds,
        stopped=halted,
        advice=words,
    )


def _torch() -> Any:
    """Import torch, or say in one line how to get it."""
    try:
        import torch
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "training needs PyTorch, which is not installed: pip install 'vsacourse[torch,files]'.",
            name="torch",
        ) from None
    return torch


def checked_device(torch: Any, device: str) -> Any:
    """Return the device, if it is one, is here, and holds numbers (``"meta"`` does not)."""
    try:
        torch.ones((), device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        words = str(error).splitlines()[0]
        raise ValueError(f'train: device {device!r} cannot be used ({words}). Use "cpu".') from None
    return device
