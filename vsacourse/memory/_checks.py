"""What matrix memories and attention take: finite real numbers, brought to one dtype."""

from __future__ import annotations

from typing import Any

from vsacourse.backend import array_namespace, dtype_name, first_non_finite, same_dtype

__all__ = ["finite_reals"]


def finite_reals(operation: str, **named: Any) -> list[Any]:
    """Return the named arrays in their common dtype.

    Raises:
        TypeError: NumPy and torch together, or numbers that are not real.
        ValueError: NaN or infinity; the place is named.
    """
    array_namespace(*named.values())
    for name, x in named.items():
        kind = dtype_name(x.dtype)
        if "complex" in kind or "bool" in kind or not ("float" in kind or "int" in kind):
            raise TypeError(f"{operation}: the {name} are {kind}; real numbers are needed.")
        where = first_non_finite(x) if "float" in kind else None
        if where is not None:
            raise ValueError(f"{operation}: the {name} are not finite at index {where}.")
    arrays = list(named.values())
    for x in arrays[1:]:
        arrays[0], _ = same_dtype(arrays[0], x)
    return [same_dtype(x, arrays[0])[0] for x in arrays]
