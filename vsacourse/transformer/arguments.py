"""What functions of models and tasks are given: numbers, heads and generators, checked."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vsacourse.transformer.config import Config

__all__ = ["check_generator", "checked_head", "is_whole", "number", "whole"]


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number, Python's or NumPy's."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(owner: str, name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number from ``least`` to ``most``."""
    if not is_whole(value):
        raise TypeError(f"{owner}: {name} is {value!r}; a whole number is needed.")
    if value < least:
        raise ValueError(f"{owner}: {name} is {value}; at least {least} is needed.")
    if most is not None and value > most:
        raise ValueError(f"{owner}: {name} is {value}; at most {most} is possible here.")
    return int(value)


def number(owner: str, name: str, value: Any, needed: str, good: Callable[[float], bool]) -> float:
    """Return a number as a float: a finite one for which ``good`` holds, as ``needed`` says."""
    if not (is_whole(value) or isinstance(value, float | np.floating)):
        raise TypeError(f"{owner}: {name} is {value!r}; {needed} is needed.")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise ValueError(f"{owner}: {name} is {reprlib.repr(value)}; a finite number is needed.")
    if not good(found):
        raise ValueError(f"{owner}: {name} is {value}; {needed} is needed.")
    return found


def checked_head(config: Config, layer: Any, head: Any, name: str = "") -> tuple[int, int]:
    """Return the layer and the head, if the model has them; ``name`` is what the pair is called.

    Raises:
        ValueError: there is no such layer or head.
    """
    for what, value, n in (("layer", layer, config.n_layers), ("head", head, config.n_heads)):
        if not (is_whole(value) and 0 <= value < n):
            given = f"{name} is ({layer}, {head})" if name else f"{what} is {value!r}"
            raise ValueError(f"{given}; the model has the {what}s 0 to {n - 1}.")
    return int(layer), int(head)


def check_generator(owner: str, rng: Any) -> None:
    """Refuse what is no ``numpy.random.Generator``."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"{owner}: rng is {rng!r}; a numpy.random.Generator is needed. "
            "Pass np.random.default_rng(seed)."
        )
