"""Put a training run down and take it up again: one safetensors file, weights to generators.

It holds numbers and text, no code: loading one runs nothing. It appears whole or not at all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vsacourse.training.state import State
from vsacourse.transformer import Transformer
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
        ValueError: the file cannot be read, is no checkpoint of this library, or is one of another
            recipe or seed; what differs is named.
    """
    import torch

    header, arrays = _read(path)
    run = json.loads(header["run"])
    wanted = json.loads(json.dumps(state.recipe.to_dict()))
    there = json.loads(header["recipe"]) | {"seed": run["seed"]}
    differences = list(_differences(wanted | {"seed": state.seed}, there))
    if differences:
        raise ValueError(
            f"{path.name} is a checkpoint of another run: {'; '.join(differences)}. Name another "
            "file, or pass resume=False to write over it."
        )
    with torch.no_grad():
        for name, weight in state.module.named_parameters():
            weight.copy_(torch.from_numpy(arrays[f"weight/{name}"]))
            if f"step/{name}" in arrays:
                state.optimizer.state[weight] = {
                    average: torch.from_numpy(arrays[f"{average}/{name}"]).to(
                        "cpu" if average == "step" else weight.device
                    )
                    for average in AVERAGES
                }
    kept = {k.removeprefix("kept/"): v for k, v in arrays.items() if k.startswith("kept/")}
    state.kept = Transformer(state.recipe.config, kept) if kept else None
    state.step, state.seconds = run["step"], run["seconds"]
    state.rows = [(int(step), loss, accuracy) for step, loss, accuracy in run["rows"]]
    state.data.bit_generator.state = run["data"]
    state.checks.bit_generator.state = run["checks"]


def _read(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    try:
        header, arrays = read_file(path)
    except ValueError as error:
        raise ValueError(f"{error} Pass resume=False to write over it.") from None
    if header.get("format") != FORMAT:
        raise ValueError(
            f"{path.name} is no checkpoint of a training run. Name another file; finished models "
            "are loaded with vsacourse.transformer.checkpoint.load."
        )
    return header, arrays


def _differences(wanted: Any, there: Any, name: str = "") -> Any:
    """Yield ``field is x there and y here``, down through nested fields."""
    if isinstance(wanted, dict) and isinstance(there, dict):
        for key in sorted(wanted.keys() | there.keys()):
            yield from _differences(
                wanted.get(key), there.get(key), f"{name}.{key}" if name else str(key)
            )
    elif wanted != there:
        yield f"{name} is {there!r} there and {wanted!r} here"
