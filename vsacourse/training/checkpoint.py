"""Put a training run down and take it up again: one safetensors file, weights to generators.

It holds numbers and text, no code: loading one runs nothing. It appears whole or not at all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from vsacourse.backend import dtype_name, first_non_finite
from vsacourse.training.state import State
from vsacourse.transformer import Transformer
from vsacourse.transformer.arguments import number, whole
from vsacourse.transformer.checkpoint import read_file, write_file

__all__ = ["restore", "save"]

FORMAT = "vsacourse.training 1"
AVERAGES = ("exp_avg", "exp_avg_sq", "step")  # AdamW's state of one weight


def save(state: State, path: Path) -> None:
    """Write the state to a file that appears whole or not at all."""
    arrays: dict[str, Any] = {}
    for name, weight in state.module.named_parameters():
        arrays[f"weight/{name}"] = weight
        for average in AVERAGES if weight in state.optimizer.state else ():
            arrays[f"{average}/{name}"] = state.optimizer.state[weight][average]
    if state.kept is not None:
        arrays |= {f"kept/{name}": w for name, w in state.kept.weights.items()}
    header = {
        "format": FORMAT,
        "recipe": json.dumps(state.recipe.to_dict(), sort_keys=True),
        "run": json.dumps(
            {
                "seed": state.seed,
                "step": state.step,
                "rows": state.rows,
                "seconds": state.seconds,
                "data": state.data.bit_generator.state,
                "checks": state.checks.bit_generator.state,
            }
        ),
    }
    write_file(path, arrays, header)


def restore(state: State, path: Path) -> None:
    """Put a fresh state where the file's run was.

    Raises:
        ValueError: the file cannot be read, is no checkpoint of this library, is damaged, or is one
            of another recipe or seed; what differs is named.
    """
    try:
        header, arrays = read_file(path, FORMAT)
    except ValueError as error:
        raise ValueError(f"{error} Pass resume=False to write over it.") from None
    there, run = (_fields(path, header, name) for name in ("recipe", "run"))
    wanted = json.loads(json.dumps(state.recipe.to_dict()))
    differences = list(
        _differences(wanted | {"seed": state.seed}, there | {"seed": run.get("seed")})
    )
    if differences:
        raise ValueError(
            f"{path.name} is a checkpoint of another run: {'; '.join(differences)}. Name another "
            "file, or pass resume=False to write over it."
        )
    try:
        _take_counts(state, run)
        _take_arrays(state, arrays)
    except (ValueError, TypeError, KeyError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise _damaged(path, reason) from None


def _damaged(path: Path, reason: str) -> ValueError:
    return ValueError(
        f"{path.name} is damaged: {reason}. Name another file, or pass resume=False to write over "
        "it."
    )


def _fields(path: Path, header: dict[str, str], name: str) -> dict[str, Any]:
    """Return one of the header's texts, read as JSON."""
    try:
        fields = json.loads(header.get(name, ""))
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise _damaged(path, f"its {name} cannot be read")
    return fields


def _take_counts(state: State, run: dict[str, Any]) -> None:
    """Take step, rows, seconds and generators over from the file."""
    state.step = whole("run", "step", run["step"], 0, state.recipe.steps)
    try:
        rows = np.array(run["rows"], float)
    except (ValueError, TypeError):
        rows = np.empty(0)
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.isfinite(rows).all():
        raise ValueError("its checks are not a step, a loss and an accuracy each")
    state.rows = [(int(step), loss, accuracy) for step, loss, accuracy in rows.tolist()]
    steps = [row[0] for row in state.rows]
    if steps[0] or steps[-1] > state.step or steps != sorted(set(steps)):
        raise ValueError(f"its checks are at the steps {steps}, and the run is at {state.step}")
    state.seconds = number("run", "seconds", run["seconds"], "a number from 0 on", lambda x: x >= 0)
    for name, generator in (("data", state.data), ("checks", state.checks)):
        try:
            generator.bit_generator.state = run[name]
        except (ValueError, TypeError, KeyError, OverflowError):
            raise ValueError(f"the generator of its {name} cannot be read") from None


def _take_arrays(state: State, arrays: dict[str, Any]) -> None:
    """Take weights, their averages and the kept weights over from the file, looked at first."""
    import torch

    weights = dict(state.module.named_parameters())
    for name, weight in weights.items():
        for part in ("weight", *AVERAGES[:2]) if state.step else ("weight",):
            _check(arrays, f"{part}/{name}", tuple(weight.shape), weight.dtype)
        where = first_non_finite(arrays[f"weight/{name}"])
        if where is not None:
            raise ValueError(f"weight/{name} is not finite at index {where}")
        if state.step:
            taken = arrays[f"step/{name}"]
            if taken.tolist() != [state.step]:  # a file holds no array without an axis
                raise ValueError(f"step/{name} is {taken}, and the run is at {state.step}")
    kept = {k.removeprefix("kept/"): v for k, v in arrays.items() if k.startswith("kept/")}
    state.kept = Transformer(state.recipe.config, kept) if kept else None
    with torch.no_grad():
        for name, weight in weights.items():
            weight.copy_(torch.from_numpy(arrays[f"weight/{name}"]))
            if state.step:
                averages = {x: torch.from_numpy(arrays[f"{x}/{name}"]) for x in AVERAGES}
                state.optimizer.state[weight] = {
                    x: average[0] if x == "step" else average.to(weight.device)
                    for x, average in averages.items()
                }


def _check(arrays: dict[str, Any], name: str, shape: tuple[int, ...], dtype: Any) -> None:
    """Refuse an array of another shape or dtype: a smaller one would be broadcast."""
    found = arrays[name].shape, str(arrays[name].dtype)
    needed = shape, dtype_name(dtype)
    if found != needed:
        raise ValueError(
            f"{name} is {found[1]} of shape {found[0]}; {needed[1]} of shape {needed[0]} is needed"
        )


def _differences(wanted: Any, there: Any, name: str = "") -> Any:
    """Yield ``field is x there and y here``, down through nested fields."""
    if isinstance(wanted, dict) and isinstance(there, dict):
        for key in sorted(wanted.keys() | there.keys()):
            yield from _differences(
                wanted.get(key), there.get(key), f"{name}.{key}" if name else str(key)
            )
    elif wanted != there:
        yield f"{name} is {there!r} there and {wanted!r} here"
