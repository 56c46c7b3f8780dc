"""Save and load a transformer: one safetensors file that holds the weights and the configuration.

A safetensors file holds numbers and text, no code: loading one runs nothing.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vsacourse.backend import to_numpy
from vsacourse.transformer.config import Config
from vsacourse.transformer.model import Transformer

__all__ = ["checked_path", "load", "read_file", "save", "write_file"]

FORMAT = "vsacourse.transformer 1"
KINDS = {
    "vsacourse.transformer": "a saved model: load it with vsacourse.transformer.checkpoint.load",
    "vsacourse.training": "a checkpoint of a training run: pass it to train(..., checkpoint=...)",
}


def save(model: Transformer, path: str | os.PathLike[str]) -> None:
    """Write the weights and the configuration to one file, which appears whole or not at all.

    A link is followed: the file that it names is written. What a save that was killed left behind
    is removed.

    Raises:
        ModuleNotFoundError: safetensors is not installed.
        ValueError: the name does not end in ``.safetensors``.
        FileNotFoundError: the folder does not exist.
        IsADirectoryError: there is a folder of that name.
        OSError: the file cannot be written.
    """
    header = {"format": FORMAT, "config": json.dumps(model.config.to_dict(), sort_keys=True)}
    write_file(checked_path(path), model.weights, header)


def load(path: str | os.PathLike[str]) -> Transformer:
    """Read a transformer that ``save`` wrote, as NumPy; move it with ``.to(tensor)``.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated, no safetensors file, not one of this library, of a newer
            format, or damaged: its configuration cannot be read, or its weights do not fit it.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    header, weights = read_file(path, FORMAT)
    try:
        return Transformer(Config.from_dict(json.loads(header["config"])), weights)
    except KeyError:
        raise ValueError(f"{path.name} is damaged: it has no configuration.") from None
    except (json.JSONDecodeError, RecursionError):
        raise ValueError(f"{path.name} is damaged: its configuration cannot be read.") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path.name} is damaged: {error}") from None


def checked_path(path: str | os.PathLike[str]) -> Path:
    """Return the path, if a file could be written there; see ``save``."""
    path = Path(path)
    if path.suffix != ".safetensors":
        raise ValueError(f"{path.name} does not end in .safetensors; the file needs to.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; a file is needed. Choose another name.")
    folder = _target(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"the folder {folder} does not exist. Make it first.")
    if importlib.util.find_spec("safetensors") is None:
        raise ModuleNotFoundError(
            "files need safetensors, which is not installed: pip install 'vsacourse[files]'.",
            name="safetensors",
        )
    return path


def write_file(path: Path, arrays: Mapping[str, Any], header: dict[str, str]) -> None:
    """Write arrays and texts to a file that appears whole or not at all; links are followed.

    Every write has a temporary file of its own beside the target, so that two at once cannot mix.
    Those of writes that were killed are removed.

    Raises:
        OSError: the file cannot be written; it is named.
    """
    from safetensors.numpy import save

    numbers = {name: np.ascontiguousarray(to_numpy(x)) for name, x in arrays.items()}
    content = save(numbers, metadata=header)  # save_file has temporary names of its own
    target = _target(path)
    _remove_parts(target)
    part = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(content)
        os.replace(part, target)
    except OSError as error:  # it names the temporary file, of which nobody has heard
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        part.unlink(missing_ok=True)


def read_file(path: Path, wanted: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the texts and the arrays, as NumPy, of a file that ``write_file`` wrote.

    Args:
        path: of the file.
        wanted: its format, such as ``"vsacourse.transformer 1"``.

    Raises:
        ValueError: the file is truncated, no safetensors file, of another format (then no array is
            read), or holds a dtype that NumPy does not know.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            header, names = file.metadata() or {}, sorted(file.keys())
            _check_format(path.name, header.get("format", ""), wanted, names)
            return header, {name: _array(file, name, path.name) for name in names}
    except SafetensorError as error:
        raise ValueError(
            f"{path.name} cannot be read: it is truncated, or no safetensors file ({error})."
        ) from None


def _target(path: Path) -> Path:
    """Return the file that is written: what a link names, else the path itself."""
    return Path(os.path.realpath(path))


def _remove_parts(target: Path) -> None:
    """Remove the temporary files of earlier writes of the target that were killed."""
    name = re.compile(re.escape(target.name) + r"\.[0-9a-f]{8}\.part")
    with contextlib.suppress(OSError):  # what cannot be removed does not keep us from writing
        for file in target.parent.iterdir():
            if name.fullmatch(file.name):
                file.unlink()


def _check_format(file: str, found: str, wanted: str, names: list[str]) -> None:
    """Refuse a file of another format, and say what it is instead."""
    if found == wanted:
        return
    kind, _, number = found.rpartition(" ")
    needed, _, ours = wanted.rpartition(" ")
    if kind == needed:
        raise ValueError(
            f"{file} has format {number}; this version of the library reads format {ours}. Install "
            "the version that wrote it, or a newer one."
        )
    if kind in KINDS:
        raise ValueError(f"{file} is {KINDS[kind]}.")
    raise ValueError(
        f"{file} holds {', '.join(names[:3]) or 'no weights'} …, and nothing that this library "
        "wrote. Load models of GPT-2's architecture with from_gpt2."
    )


def _array(file: Any, name: str, where: str) -> Any:
    try:
        return file.get_tensor(name)
    except (TypeError, AttributeError):  # what safetensors raises depends on the dtype
        raise ValueError(
            f"{where}: {name} is {file.get_slice(name).get_dtype()}, which NumPy does not have. "
            "Save it as float32."
        ) from None
