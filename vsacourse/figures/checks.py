"""What a figure is given, checked: finite real numbers of the right shape."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.backend import to_numpy

Array = NDArray[Any]


def real(x: Any, here: str, name: str, ndim: int) -> Array:
    """The array as finite floats, or one clear line."""
    array = to_numpy(x)
    if array.dtype.kind not in "biuf":
        kind = "complex" if array.dtype.kind == "c" else str(array.dtype)
        raise ValueError(
            f"{here}: {name} is {kind}; give real numbers (of phasors: np.angle or a similarity)."
        )
    if array.ndim != ndim or array.size == 0:
        need = "a non-empty matrix (n, m)" if ndim == 2 else "a non-empty list of numbers (n,)"
        raise ValueError(f"{here}: {name} has shape {array.shape}; give {need}.")
    values = array.astype(float)
    if not np.isfinite(values).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        at = ", ".join(map(str, where))
        raise ValueError(f"{here}: {name}[{at}] is {values[where]}; give finite numbers.")
    return values


def like(x: Any, at: Array, here: str, name: str) -> Array:
    """One finite number for each x."""
    values = real(x, here, name, ndim=1)
    if values.shape != at.shape:
        raise ValueError(
            f"{here}: {name} has {len(values)} numbers and x has {len(at)}; give one for each x."
        )
    return values


def curve_of(curve: Any, x: Array, here: str) -> Array:
    """The values of a function of x, checked."""
    if not callable(curve):
        raise TypeError(f"{here}: the prediction is {curve!r}; give a function of x.")
    y = to_numpy(curve(x.copy()))
    if y.shape != x.shape:
        raise ValueError(
            f"{here}: the prediction gave shape {y.shape} for x of shape {x.shape}; "
            "it must map an array of x to one value for each."
        )
    return real(y, here, "the prediction", ndim=1)


def names_of(names: Sequence[Any] | None, n: int, here: str, what: str) -> list[str]:
    """The n names, or the numbers from 0."""
    if names is None:
        return [str(i) for i in range(n)]
    listed = [str(name) for name in names]
    if len(listed) != n:
        raise ValueError(f"{here}: {len(listed)} {what} for {n}; give one name for each.")
    return listed
