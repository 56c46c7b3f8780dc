"""What the forward pass takes: tokens and masks, checked before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from vsacourse.backend import array_namespace, as_int64, dtype_name, to_backend, to_numpy
from vsacourse.transformer.config import Config

__all__ = ["checked_mask", "checked_tokens", "whole_numbers"]


def whole_numbers(name: str, x: Any) -> Any:
    """Return an array, or nested lists, of whole numbers as int64.

    Raises:
        TypeError: not whole numbers, or no array.
        ValueError: lists of several lengths, or a number past int64.
    """
    if isinstance(x, list | tuple):
        try:
            x = np.asarray(x) if np.size(x) else np.asarray(x, int)
        except ValueError:
            raise ValueError(
                f"the {name} are lists of several lengths; one length is needed. Pad the short "
                "ones, or pass them one by one."
            ) from None
    array_namespace(x)
    kind = dtype_name(x.dtype)
    if "int" not in kind:
        raise TypeError(f"the {name} are {kind}; whole numbers are needed.")
    if kind == "uint64" and (past := to_numpy(x)[to_numpy(x) >= 2**63]).size:
        raise ValueError(f"the {name} hold {past[0]}, which is past int64.")
    return as_int64(x)


def checked_tokens(config: Config, tokens: Any, like: Any) -> Any:
    """Return the tokens, ``(..., pos)`` of int64, where the weights live.

    Raises:
        ValueError: a token out of range (which is named), no position, or more than n_ctx.
        TypeError: tokens that are not whole numbers.
    """
    tokens = whole_numbers("tokens", tokens)
    n = tokens.shape[-1] if tokens.ndim else 0
    if not 1 <= n <= config.n_ctx:
        raise ValueError(
            f"the tokens have {n} positions on their last axis; the configuration takes 1 to "
            f"n_ctx = {config.n_ctx}."
        )
    if 0 not in tokens.shape and not (
        int(tokens.min()) >= 0 and int(tokens.max()) < config.d_vocab
    ):
        values = to_numpy(tokens)
        where = tuple(np.argwhere((values < 0) | (values >= config.d_vocab))[0].tolist())
        raise ValueError(
            f"the token at index {where} is {values[where]}; it needs to be from 0 to "
            f"d_vocab − 1 = {config.d_vocab - 1}."
        )
    return to_backend(tokens, like)


def checked_mask(config: Config, mask: Any, tokens: Any, like: Any) -> Any:
    """Return which keys a query may see, ``(..., query, key)`` of booleans, or None if not asked.

    Raises:
        ValueError: a shape that does not fit, or a query (which is named) that sees no key.
        TypeError: a mask that is not of booleans.
    """
    if mask is None:
        return None
    seen = to_numpy(mask)
    if seen.dtype != np.bool_:
        raise TypeError(f"the mask is {seen.dtype}; booleans are needed, True where a key is seen.")
    n = tokens.shape[-1]
    shape = (*tokens.shape[:-1], n, n)
    try:
        np.broadcast_to(seen, shape)
    except ValueError:
        raise ValueError(
            f"the mask has shape {seen.shape}; it needs to broadcast to {shape}, (..., query, key)."
        ) from None
    # One mask for a whole batch stays one: only its own rows are looked at and moved.
    own = np.broadcast_to(seen, (*seen.shape[:-2], n, n))
    if config.causal:
        own = own & np.tri(n, dtype=bool)
    blind = np.argwhere(~own.any(axis=-1))
    if len(blind):
        raise ValueError(
            f"the query at index {tuple(blind[0].tolist())} sees no key: its softmax would divide "
            "by zero. Let every query see at least itself."
        )
    moved = to_backend(np.ascontiguousarray(own), like)
    return array_namespace(moved).broadcast_to(moved, shape)
