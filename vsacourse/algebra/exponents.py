"""Exponents: what a vector can be raised to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vsacourse.backend import to_backend, to_numpy

if TYPE_CHECKING:
    from vsacourse.algebra.base import Model

__all__ = ["checked_exponent"]


def checked_exponent(model: Model, exponent: Any, like: Any) -> tuple[Any, bool]:
    """Return the exponent, an array moved to the backend of ``like``, and whether all are whole.

    Raises:
        ValueError: an exponent is not finite, or the array's last axis is not 1: one exponent
            belongs to a whole vector.
        TypeError: an exponent is not real.
    """
    values = to_numpy(exponent)
    if values.dtype.kind not in "iuf":
        raise TypeError(f"{model}.power: exponent is {exponent!r}; a real number is needed.")
    if not np.isfinite(values).all():
        raise ValueError(f"{model}.power: an exponent is NaN or infinite; finite ones are needed.")
    if values.ndim and values.shape[-1] != 1:
        raise ValueError(
            f"{model}.power: the exponents have shape {values.shape}; they need (..., 1), one for "
            "each vector. Insert an axis with exponents[:, None]."
        )
    whole = bool((values == np.round(values)).all())
    number = isinstance(exponent, int | float)
    return (exponent if number else to_backend(exponent, like)), whole
