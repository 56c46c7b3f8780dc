"""Arguments of tasks, checked: one line that names what was given and what is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.transformer.arguments import check_generator, number, whole

__all__ = ["checked_tokens", "flag", "generator", "keep", "number", "span", "whole"]


def keep(task: Any, **fields: Any) -> None:
    """Set fields of a frozen task to their checked values: plain numbers, whatever was given."""
    for name, value in fields.items():
        object.__setattr__(task, name, value)


def span(owner: str, name: str, value: Any, least: int, most: int | None = None) -> tuple[int, int]:
    """Return (lowest, highest), two whole numbers in order."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"{owner}: {name} is {value!r}; a pair (lowest, highest) is needed.")
    low, high = (whole(owner, name, x, least, most) for x in value)
    if low > high:
        raise ValueError(f"{owner}: {name} is {value!r}; the lowest comes first.")
    return low, high


def flag(owner: str, name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{owner}: {name} is {value!r}; True or False is needed.")
    return bool(value)


def generator(owner: str, n: Any, rng: Any) -> int:
    """Return n, the number of sequences to draw; refuse what is no generator."""
    check_generator(owner, rng)
    return whole(owner, "n", n, 1)


def checked_tokens(owner: str, tokens: Any, d_vocab: int, *lengths: int) -> NDArray[np.int64]:
    """Return tokens ``(..., pos)`` as int64, of one of the lengths that the task has, if given."""
    tokens = np.asarray(tokens)
    if tokens.dtype.kind not in "iu":
        raise TypeError(f"{owner}: tokens are {tokens.dtype}; whole numbers are needed.")
    if tokens.ndim < 1 or not tokens.shape[-1]:
        raise ValueError(f"{owner}: tokens have shape {tokens.shape}; (..., pos) is needed.")
    if lengths and tokens.shape[-1] not in lengths:
        raise ValueError(
            f"{owner}: tokens have {tokens.shape[-1]} positions; this task's have "
            f"{' or '.join(map(str, lengths))}. Take a batch of the task itself."
        )
    if tokens.size and not (tokens.min() >= 0 and tokens.max() < d_vocab):
        raise ValueError(f"{owner}: a token is outside 0 to d_vocab − 1 = {d_vocab - 1}.")
    return tokens.astype(np.int64)
