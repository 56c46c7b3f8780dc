"""What matrix memories and attention take: finite real numbers, brought to one dtype of floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vsacourse.backend import array_namespace, dtype_name, first_non_finite, same_dtype

__all__ = ["finite_number", "finite_reals"]

_SMALL = ("int8", "int16", "uint8", "uint16")  # float32 holds them exactly


def finite_reals(operation: str, **named: Any) -> list[Any]:
    """Return the named arrays in their common dtype of floats.

    Whole numbers become floats, since sums of their products leave int8 without notice: those of 8
    and 16 bits float32, longer ones float64.

    Raises:
        TypeError: NumPy and torch together, or numbers that are not real.
        ValueError: NaN or infinity; the place is named.
    """
    xp: Any = array_namespace(*named.values())
    arrays = []
    for name, x in named.items():
        kind = dtype_name(x.dtype)
        if "complex" in kind or "bool" in kind or not ("float" in kind or "int" in kind):
            raise TypeError(f"{operation}: the {name} are {kind}; real numbers are needed.")
        if "int" in kind:
            x = xp.astype(x, xp.float32 if kind in _SMALL else xp.float64)
        else:
            where = first_non_finite(x)
            if where is not None:
                raise ValueError(f"{operation}: the {name} are not finite at index {where}.")
        arrays.append(x)
    for x in arrays[1:]:
        arrays[0], _ = same_dtype(arrays[0], x)
    return [same_dtype(x, arrays[0])[0] for x in arrays]


def finite_number(operation: str, name: str, value: Any, needed: str = "a finite number") -> float:
    """Return a number, Python's or NumPy's, as a float.

    Raises:
        ValueError: not a number, or not a finite one.
    """
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        number = float(value) if real else math.nan
    except OverflowError:  # a whole number past 1e308
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{operation}: {name} is {value!r}; {needed} is needed.")
    return number
