"""What the formulas take: numbers, arrays, and models by name."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from vsacourse.algebra import OPERATORS, Model

__all__ = ["ModelLike", "at_least", "check_probability", "model_name", "plain"]

ModelLike: TypeAlias = Model | type[Model] | str
"""A model, its class, or its name."""


def plain(x: Any) -> Any:
    """Return a Python float in the place of an array without axes."""
    x = np.asarray(x, float)
    return float(x) if x.ndim == 0 else x


def at_least(least: int, **named: Any) -> Any:
    """Return the one named argument as an array of floats that are at least so much."""
    ((name, value),) = named.items()
    x = np.asarray(value, float)
    if not np.all(x >= least):  # NaN fails too
        raise ValueError(f"{name} is {value!r}; a number of at least {least} is needed.")
    return x


def check_probability(error: Any) -> None:
    """Refuse what is not between 0 and 1."""
    if not np.all((np.asarray(error) > 0) & (np.asarray(error) < 1)):
        raise ValueError(f"the error is {error!r}; a probability between 0 and 1 is needed.")


def model_name(model: Any) -> str:
    """Return the name of a model, of its class, or the name itself."""
    name = model if isinstance(model, str) else getattr(model, "name", None)
    if name not in OPERATORS:
        raise ValueError(f"the model is {model!r}; one of {', '.join(OPERATORS)} is needed.")
    return str(name)
