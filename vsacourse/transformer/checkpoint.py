"""Save and load a transformer: one safetensors file that holds the weights and the configuration.

A safetensors file holds numbers and text, no code: loading one runs nothing.
"""

from __future__ import annotations

import importlib.util
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vsacourse.backend import to_numpy
from vsacourse.transformer.config import Config
from vsacourse.transformer.model import Transformer

__all__ = ["checked_path", "load", "read_file", "save", "write_file"]

FORMAT = "vsacourse.transformer 1"


def save(model: Transformer, path: str | os.PathLike[str]) -> None:
    """Write the weights and the configuration to one file, which appears whole or not at all.

    Raises:
        ModuleNotFoundError: safetensors is not installed.
        ValueError: the name does not end in ``.safetensors``.
        FileNotFoundError: the folder does not exist.
    """
    header = {"format": FORMAT, "config": json.dumps(model.config.to_dict(), sort_keys=True)}
    write_file(checked_path(path), model.weights, header)


def load(path: str | os.PathLike[str]) -> Transformer:
    """Read a transformer that ``save`` wrote, as NumPy; move it with ``.to(tensor)``.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated, no safetensors file, not one of this library, or its
            weights do not fit its configuration.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    header, weights = read_file(path)
    if header.get("format") != FORMAT:
        raise ValueError(
            f"{path.name} holds {', '.join(sorted(weights)[:3]) or 'no weights'} …, and no "
            "configuration of this library. Load other architectures with from_gpt2."
        )
    return Transformer(Config.from_dict(json.loads(header["config"])), weights)


def checked_path(path: str | os.PathLike[str]) -> Path:
    """Return the path, if a file could be written there; see ``save``."""
    path = Path(path)
    if path.suffix != ".safetensors":
        raise ValueError(f"{path.name} does not end in .safetensors; the file needs to.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist. Make it first.")
    if importlib.util.find_spec("safetensors") is None:
        raise ModuleNotFoundError(
            "files need safetensors, which is not installed: pip install 'vsacourse[files]'.",
            name="safetensors",
        )
    return path


def write_file(path: Path, arrays: Mapping[str, Any], header: dict[str, str]) -> None:
    """Write arrays and texts to a file that appears whole or not at all."""
    from safetensors.numpy import save_file

    handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
    os.close(handle)
    try:
        numbers = {name: np.ascontiguousarray(to_numpy(x)) for name, x in arrays.items()}
        save_file(numbers, part, metadata=header)
        os.replace(part, path)
    finally:
        Path(part).unlink(missing_ok=True)


def read_file(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the texts and the arrays, as NumPy, of a file that ``write_file`` wrote.

    Raises:
        ValueError: the file is truncated, or no safetensors file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            return header, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(
            f"{path.name} cannot be read: it is truncated, or no safetensors file ({error})."
        ) from None
