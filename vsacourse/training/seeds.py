"""The same recipe from several seeds, here or on the workers of an executor."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from concurrent.futures import Executor
from pathlib import Path

from vsacourse.training.loop import train
from vsacourse.training.recipe import Recipe
from vsacourse.training.run import Run
from vsacourse.transformer.arguments import whole

__all__ = ["train_seeds"]


def train_seeds(
    recipe: Recipe,
    seeds: Iterable[int],
    executor: Executor | None = None,
    *,
    progress: bool = True,
    folder: str | os.PathLike[str] | None = None,
    device: str = "cpu",
) -> list[Run]:
    """Train once from each seed and return the runs in the order of the seeds.

    Args:
        recipe: what to train, and how.
        seeds: whole numbers from 0 on.
        executor: None: one after another in this process; or anything with ``submit``, such as
            a ``ProcessPoolExecutor`` (with ``get_context("spawn")``, since torch does not bear
            forks) or the executor of a dask client. It is not shut down.
        progress: show a line for each run; on an executor, when it has ended.
        folder: None, or where to keep a checkpoint of each seed, taken up again if it is there.
        device: as for ``train``.

    Raises:
        TypeError: ``seeds`` are no whole numbers.
        ValueError: no seeds, a negative one, or one that occurs twice; nothing is trained then.
    """
    if not isinstance(seeds, Iterable):
        raise TypeError(f"train_seeds: seeds is {seeds!r}; a list of whole numbers is needed.")
    seeds = [whole("train_seeds", "seed", seed, 0) for seed in seeds]
    if not seeds:
        raise ValueError("train_seeds: there are no seeds; at least one is needed.")
    if len(set(seeds)) < len(seeds):
        raise ValueError("train_seeds: a seed occurs twice; it would give the same run twice.")
    if executor is None:
        return [one(recipe, seed, progress, folder, device) for seed in seeds]
    futures = [executor.submit(one, recipe, seed, False, folder, device) for seed in seeds]
    runs = []
    for future in futures:
        runs.append(future.result())
        if progress:
            print(runs[-1])
    return runs


def one(
    recipe: Recipe,
    seed: int,
    progress: bool,
    folder: str | os.PathLike[str] | None,
    device: str,
) -> Run:
    """Train from one seed; a function of this module, so that other processes find it."""
    path = None
    if folder is not None:
        name = re.sub(r'[\x00-\x20/\\:*?"<>|]', "-", recipe.name)  # what no file name may have
        path = Path(folder) / f"{name}-{seed}.safetensors"
    return train(recipe, seed, progress=progress, checkpoint=path, device=device)
