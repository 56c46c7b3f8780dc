"""What the formulas take: numbers, arrays, and models by name."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from vsacourse.algebra import OPERATORS, Model

__all__ = [
    "ModelLike",
    "at_least",
    "model_name",
    "one_number",
    "plain",
    "probability",
    "reals",
]

ModelLike: TypeAlias = Model | type[Model] | str
"""A model, its class, or its name."""


def plain(x: Any) -> Any:
    """Return a Python float in the place of an array without axes."""
    x = np.asarray(x, float)
    return float(x) if x.ndim == 0 else x


def reals(name: str, value: Any) -> Any:
    """Return a number, or numbers, as an array of floats."""
    try:
        if np.asarray(value).dtype.kind in "biufO":  # O: whole numbers past 64 bits
            return np.asarray(value, float)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name} is {value!r}; a real number (or an array of them) is needed.")


def at_least(least: int, **named: Any) -> Any:
    """Return the one named argument as an array of floats that are at least so much."""
    ((name, value),) = named.items()
    x = reals(name, value)
    if not np.all(x >= least):  # NaN fails too
        raise ValueError(f"{name} is {value!r}; a number of at least {least} is needed.")
    return x


def one_number(least: float, **named: Any) -> float:
    """Return the one named argument as a float: finite, at least so much, and no array."""
    ((name, value),) = named.items()
    x = reals(name, value)
    if x.ndim or not least <= x < math.inf:
        raise ValueError(f"{name} is {value!r}; one finite number of at least {least} is needed.")
    return float(x)


def probability(name: str, value: Any) -> Any:
    """Return numbers between 0 and 1, both excluded, as an array of floats."""
    x = reals(name, value)
    if not np.all((x > 0) & (x < 1)):
        raise ValueError(f"{name} is {value!r}; a probability between 0 and 1 is needed.")
    return x


def model_name(model: Any) -> str:
    """Return the name of a model, of its class, or the name itself."""
    name = model if isinstance(model, str) else getattr(model, "name", None)
    if name not in OPERATORS:
        raise ValueError(f"the model is {model!r}; one of {', '.join(OPERATORS)} is needed.")
    return str(name)
