"""Whether values agree, and in words how they differ."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check import explain
from vsacourse.check.explain import number

Mistakes = Mapping[str, Any]
"""Words for a mistake -> the wrong value, a function that returns it, or ``AnyOf`` several."""


class AnyOf(tuple[Any, ...]):
    """Several wrong values with one cause: ``AnyOf((a, b))``."""


def index(mask: NDArray[np.bool_]) -> str:
    """The place of the first entry that is marked, ``[0, 2]``."""
    return "[" + ", ".join(str(int(i)) for i in np.argwhere(mask)[0]) + "]"


def close(x: NDArray[Any], y: Any, rtol: float, atol: float | None) -> bool:
    """|x - y| <= atol + rtol |y|, entry by entry, and the same shape."""
    y = np.asarray(y)
    if x.shape != y.shape or y.dtype.kind not in "biufc":
        return False
    if atol is None:
        size = np.abs(y[np.isfinite(y)])
        atol = rtol * float(size.max()) if size.size else 0.0
    return bool(np.allclose(x, y, rtol=rtol, atol=atol, equal_nan=True))


def equal(x: Any, y: Any) -> bool:
    """Exactly equal; True is not 1."""
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return bool(np.array_equal(np.asarray(x), np.asarray(y)))
    if isinstance(x, bool | np.bool_) != isinstance(y, bool | np.bool_):
        return False
    return bool(x == y)


def named(mistakes: Mistakes | None, matches: Callable[[Any], bool]) -> str:
    """The words for the mistake whose wrong values match, or ""."""
    for words, wrong in (mistakes or {}).items():
        for value in wrong if isinstance(wrong, AnyOf) else (wrong,):
            if matches(explain.to_numpy(value() if callable(value) else value)):
                return words
    return ""


def named_shape(mistakes: Mapping[str, tuple[int, ...]] | None, shape: tuple[int, ...]) -> str:
    """The words for the mistake that gives this shape, or ""."""
    return next((words for words, wrong in (mistakes or {}).items() if wrong == shape), "")


def wrong_shape(got: Sequence[int], needed: Sequence[int]) -> str:
    """What usually gives such a shape."""
    without_ones = [size for size in got if size != 1]
    if without_ones == [size for size in needed if size != 1]:
        return "The sizes are right, but an axis of size 1 is too many or missing (`keepdims`)."
    if sorted(got) == sorted(needed):
        return "The right sizes in another order: the result is transposed."
    if len(got) < len(needed):
        return "An axis is missing: was it summed over?"
    if len(got) > len(needed):
        return "An axis is left that should be summed over."
    return ""


def recognised(x: NDArray[Any], y: NDArray[Any], rtol: float, atol: float | None) -> str:
    """Mistakes that any exercise may see."""
    if x.shape != y.shape or x.dtype.kind not in "iufc" or y.dtype.kind not in "iufc":
        return ""
    if not np.any(x):
        return "Every entry is zero: was the result array ever filled?"
    if close(x, -y, rtol, atol):
        return "Every sign is the wrong way round."
    if np.iscomplexobj(y) and close(x, np.conj(y), rtol, atol):
        return "It is the complex conjugate of the right answer."
    if x.ndim >= 2 and x.shape[-1] == x.shape[-2] and close(np.swapaxes(x, -1, -2), y, rtol, atol):
        return "It is the transpose of the right answer."
    if not np.iscomplexobj(x):
        there = np.abs(y) > 0
        ratios = (x[there] / y[there]).astype(float)
        off = abs(ratios - 1).max(initial=0)
        if 0 < off < 1e-2 and not x[~there].any() and _is_coarse(x.astype(float), y.astype(float)):
            digits = int(-np.log10(off))
            return f"Right to {digits} digits only: was it rounded, or computed in half precision?"
        alike = ratios.size > 2 and np.isfinite(ratios).all()
        alike = alike and np.ptp(ratios) < 1e-3 * abs(ratios[0])
        if alike and off > 1e-2 and not x[~there].any():
            return f"Every entry is {number(float(ratios.mean()))} times the right one."
    return ""


def _is_coarse(x: NDArray[Any], y: NDArray[Any]) -> bool:
    """Whether x is y rounded to some decimals, or has numbers of half precision only."""
    rounded = (np.round(y, decimals) for decimals in range(7))
    return bool(np.array_equal(x, x.astype(np.float16))) or any(
        np.allclose(x, z, rtol=1e-9, atol=0) for z in rounded
    )


def short(x: Any) -> str:
    """A value in at most 80 characters."""
    text = number(x)
    return text if len(text) <= 80 else text[:77] + "..."


def apart(expected: Any, got: Any) -> str:
    """Both numbers, with as many digits as it takes to see that they differ."""
    for digits in (4, 9, 17):
        texts = number(expected, digits), number(got, digits)
        if texts[0] != texts[1]:
            break
    return f"expected {texts[0]}, got {texts[1]}"


def numbers(x: NDArray[Any], y: NDArray[Any]) -> str:
    """Expected and got, at the first entry that differs."""
    if x.shape != y.shape:
        return f": expected shape {y.shape}, got {x.shape}."
    if not x.shape:
        return f": {apart(y[()], x[()])}."
    with np.errstate(all="ignore"):
        numeric = x.dtype.kind in "biufc" and y.dtype.kind in "biufc"
        # An entry that should be 0 is not "off" by rounding: measured on the largest one.
        size = float(np.abs(y[np.isfinite(y)]).max(initial=0)) if numeric else 0.0
        atol = 1e-9 * size
        off = ~np.isclose(x, y, rtol=1e-4, atol=atol, equal_nan=True) if numeric else x != y
    if not off.any():
        off = x != y
    at = tuple(np.argwhere(off)[0])
    return f" at {index(off)}: {apart(y[at], x[at])} ({int(off.sum())} of {x.size} entries differ)."
