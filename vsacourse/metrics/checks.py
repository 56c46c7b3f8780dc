"""What the metrics take: patterns, tokens, circuits and heads, checked before all else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vsacourse.backend import (
    all_finite,
    array_namespace,
    dtype_name,
    first_non_finite,
    off_graph,
    to_backend,
)
from vsacourse.transformer import Config
from vsacourse.transformer.arguments import checked_head, is_whole
from vsacourse.transformer.inputs import whole_numbers

__all__ = [
    "checked_heads",
    "floats",
    "head_pair",
    "integers",
    "pattern_of",
    "scaled",
    "square",
    "tokens_of",
    "wide",
]

TOLERANCE = 1e-3  # of a weight and of a row's sum: float16 rounds a row of 1,000 keys by about this


def floats(name: str, x: Any, axes: int) -> Any:
    """Return x, of finite real floats, with at least so many axes and none of length 0.

    Raises:
        TypeError: no array, or not of real floats.
        ValueError: too few axes, an empty one, or an entry that is not finite (it is named).
    """
    array_namespace(x)
    kind = dtype_name(x.dtype)
    if "float" not in kind:
        raise TypeError(f"{name} is {kind}; real floats are needed.")
    if x.ndim < axes or 0 in x.shape:
        raise ValueError(
            f"{name} has shape {tuple(x.shape)}; at least {axes} axes are needed, none empty."
        )
    if not all_finite(x, x):
        raise ValueError(
            f"{name} is not finite at index {first_non_finite(x)}. Look at the step that made it."
        )
    return x


def square(name: str, x: Any, least: int = 1) -> Any:
    """Return x, ``(..., n, n)`` of finite floats with n at least so large.

    Raises:
        TypeError: not an array of real floats.
        ValueError: not square, too small, or not finite.
    """
    floats(name, x, 2)
    if x.shape[-1] != x.shape[-2] or x.shape[-1] < least:
        raise ValueError(
            f"{name} has shape {tuple(x.shape)}; (..., n, n) with n of at least {least} is needed."
        )
    return x


def wide(*arrays: Any) -> list[Any]:
    """Return the arrays in one dtype, half precision as float32: sums of squares leave float16."""
    xp: Any = array_namespace(*arrays)
    common = xp.result_type(*(x.dtype for x in arrays))
    if dtype_name(common) in ("float16", "bfloat16"):
        common = xp.float32
    return [xp.astype(x, common, copy=False) for x in arrays]


def scaled(x: Any, axes: tuple[int, ...] = (-2, -1)) -> tuple[Any, Any]:
    """Return x/s and s = max abs(x) over the axes, which are kept; 1 where all are 0.

    What does not depend on the scale is computed from x/s: squares of 1e20 or of 1e-25 are not
    floats of 32 bits. s counts as a constant: no gradient is lost by that.
    """
    xp: Any = array_namespace(x)
    s = xp.max(abs(off_graph(x)), axis=axes, keepdims=True)
    s = xp.where(s == 0, xp.ones_like(s), s)
    return x / s, s


def pattern_of(pattern: Any, least: int = 1) -> Any:
    """Return a pattern, ``(..., head, query, key)`` or ``(query, key)``, that holds weights.

    Raises:
        TypeError: not an array of real floats.
        ValueError: not square, too few positions, not finite, a weight outside 0 to 1, or a row
            that does not sum to 1; the first is named.
    """
    (A,) = wide(off_graph(square("the pattern", pattern, least)))
    tolerance = max(TOLERANCE, float(array_namespace(A).finfo(pattern.dtype).eps))  # of bfloat16
    if not (float(A.min()) >= -tolerance and float(A.max()) <= 1 + tolerance):
        raise ValueError(
            f"the pattern holds weights from {float(A.min()):.3g} to {float(A.max()):.3g}; they "
            "need to be from 0 to 1. Pass the weights after the softmax, not the scores."
        )
    off = abs(A.sum(-1) - 1)
    if float(off.max()) > tolerance:
        where = np.unravel_index(int(off.argmax()), tuple(off.shape))
        index = tuple(int(i) for i in where)
        raise ValueError(
            f"the pattern's row at index {index} sums to {float(A[index].sum()):.3g}; each row, a "
            "query's weights over the keys, needs to sum to 1. Are queries and keys exchanged?"
        )
    return pattern


def integers(name: str, x: Any, shape: tuple[int, ...], like: Any) -> Any:
    """Return whole numbers of this shape, as int64 and the kind of array that ``like`` is.

    Raises:
        TypeError: not whole numbers.
        ValueError: another shape.
    """
    x = whole_numbers(name, x)
    if tuple(x.shape) != shape:
        raise ValueError(f"the {name} have shape {tuple(x.shape)}; {shape} is needed.")
    return to_backend(x, like)


def tokens_of(tokens: Any, pattern: Any) -> Any:
    """Return tokens ``(..., pos)`` that have the pattern's batch axes and its positions."""
    return integers("tokens", tokens, (*pattern.shape[:-3], pattern.shape[-1]), pattern)


def head_pair(config: Config, where: Any, name: str = "the head") -> tuple[int, int]:
    """Return (layer, head) of a head that the model has.

    Raises:
        TypeError: not a pair of whole numbers.
        ValueError: no such layer or head.
    """
    pair = tuple(where) if isinstance(where, list | tuple | np.ndarray) else ()
    if len(pair) != 2 or not all(is_whole(i) for i in pair):
        raise TypeError(f"{name} is {where!r}; a pair (layer, head) of whole numbers is needed.")
    return checked_head(config, *pair, name=name)


def checked_heads(config: Config, heads: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
    """Return layer -> its heads, of pairs (layer, head).

    Raises:
        TypeError: not a list of pairs.
        ValueError: no pair, or no such layer or head.
    """
    given = list(heads) if isinstance(heads, list | tuple | set | frozenset | np.ndarray) else None
    if given is None or (len(given) == 2 and all(is_whole(i) for i in given)):
        instead = "" if given is None else f": [({given[0]}, {given[1]})]"
        raise TypeError(f"heads is {heads!r}; a list of pairs (layer, head) is needed{instead}.")
    if not given:
        raise ValueError("heads is empty; at least one pair (layer, head) is needed.")
    by_layer: dict[int, list[int]] = {}
    for pair in given:
        layer, head = head_pair(config, pair, "a pair of heads")
        by_layer.setdefault(layer, []).append(head)
    return by_layer
