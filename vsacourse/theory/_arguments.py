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
    "numbers",
    "one_number",
    "plain",
    "probability",
    "reals",
    "shown",
]

ModelLike: TypeAlias = Model | type[Model] | str
"""A model, its class, or its name."""


def plain(x: Any) -> Any:
    """Return a Python float in the place of an array without axes."""
    x = np.asarray(x, float)
    return float(x) if x.ndim == 0 else x


def reals(name: str, value: Any) -> Any:
    """Return a number, or numbers, as an array of floats, NaN too: a range refuses it."""
    try:
        given = np.asarray(value)
        # O: whole numbers past 64 bits
        x = np.asarray(value, float) if given.dtype.kind in "biufO" else None
    except OverflowError:
        raise ValueError(f"{name} is past the largest float, 1.8e308.") from None
    except (TypeError, ValueError):
        x = None
    if x is None:
        raise TypeError(f"{name} is {shown(value)}; a real number (or an array of them) is needed.")
    return x


def numbers(name: str, value: Any) -> Any:
    """Return a number, or numbers, of any range as an array of floats; none is NaN."""
    x = reals(name, value)
    if np.isnan(x).any():
        raise ValueError(f"{name} is {shown(value)}; a number is needed, not NaN.")
    return x


def at_least(least: int, **named: Any) -> Any:
    """Return the one named argument as an array of floats, finite and at least so much."""
    ((name, value),) = named.items()
    x = reals(name, value)
    if not np.all((x >= least) & (x < math.inf)):  # ∞/∞ has no value
        raise ValueError(
            f"{name} is {shown(value)}; a finite number of at least {least} is needed."
        )
    return x


def one_number(least: float, **named: Any) -> float:
    """Return the one named argument as a float: finite, at least so much, and no array."""
    ((name, value),) = named.items()
    x = reals(name, value)
    if x.ndim or not least <= x < math.inf:
        raise ValueError(
            f"{name} is {shown(value)}; one finite number of at least {least} is needed."
        )
    return float(x)


def probability(name: str, value: Any) -> Any:
    """Return numbers between 0 and 1, both excluded, as an array of floats."""
    x = reals(name, value)
    if not np.all((x > 0) & (x < 1)):
        raise ValueError(f"{name} is {shown(value)}; a probability between 0 and 1 is needed.")
    return x


def shown(value: Any) -> str:
    """Return what was given, or its beginning, on one line."""
    line = " ".join(repr(value).split())
    return line if len(line) <= 100 else f"{line[:100]} …"


def model_name(model: Any) -> str:
    """Return the name of a model, of its class, or the name itself."""
    name = model if isinstance(model, str) else getattr(model, "name", None)
    if name not in OPERATORS:
        raise ValueError(f"the model is {model!r}; one of {', '.join(OPERATORS)} is needed.")
    return str(name)
