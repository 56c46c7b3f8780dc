"""What builders and tasks are given: whole numbers, numbers and generators, checked."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["check_generator", "number", "whole"]


def whole(owner: str, name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{owner}: {name} is {value!r}; a whole number is needed.")
    if value < least:
        raise ValueError(f"{owner}: {name} is {value}; at least {least} is needed.")
    if most is not None and value > most:
        raise ValueError(f"{owner}: {name} is {value}; at most {most} is possible here.")
    return int(value)


def number(owner: str, name: str, value: Any, needed: str, good: Callable[[float], bool]) -> float:
    """Return a number as a float: a finite one for which ``good`` holds, as ``needed`` says."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
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


def check_generator(owner: str, rng: Any) -> None:
    """Refuse what is no ``numpy.random.Generator``."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"{owner}: rng is {rng!r}; a numpy.random.Generator is needed. "
            "Pass np.random.default_rng(seed)."
        )
