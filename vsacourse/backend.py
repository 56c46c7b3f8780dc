"""The one place that knows NumPy from PyTorch.

Everything above this file is written once, over the array-API standard: ``xp = array_namespace(x)``
and then ``xp.roll``, ``xp.fft.rfft`` … Given NumPy arrays it is NumPy, given torch tensors it runs
where they live and gradients flow through. torch is never imported here: whoever passes a tensor
has imported it already. The checks look at values, so tensors without any (torch's ``meta`` device,
``vmap``) are not supported.
"""

from __future__ import annotations

import cmath
import math
import sys
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import array_api_compat
import numpy as np

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

__all__ = [
    "A",
    "all_finite",
    "array_namespace",
    "as_int64",
    "asarray_like",
    "attend",
    "conjugate",
    "copy",
    "dtype_name",
    "first_non_finite",
    "gelu",
    "hide",
    "is_plain",
    "matrix_transpose",
    "negated",
    "normalized",
    "off_graph",
    "real_pairs",
    "rolled",
    "same_dtype",
    "softmax",
    "squared_norm",
    "sum_items",
    "to_backend",
    "to_numpy",
    "tril",
]

A = TypeVar("A", "NDArray[Any]", "torch.Tensor")


def _is_torch(x: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def array_namespace(*arrays: Any) -> Any:
    """Return the array-API module of the arrays: NumPy's or torch's.

    Raises:
        TypeError: something is not an array, or NumPy and torch are mixed.
    """
    kind: Any = type(arrays[0])
    xp = _namespace_of(kind)
    for x in arrays[1:]:
        kind = type(x)
        if _namespace_of(kind) is not xp:
            raise TypeError(
                "got NumPy arrays and torch tensors together; one kind is needed. "
                "Move one with backend.to_backend(array, like=other)."
            )
    return xp


@cache
def _namespace_of(kind: Any) -> Any:
    """Return the module for a type of array, remembered: asking again costs a microsecond."""
    torch = sys.modules.get("torch")
    if issubclass(kind, np.ma.MaskedArray | np.matrix):  # their operators are not an array's
        raise TypeError(f"got a {kind.__name__}; a plain array is needed. Use numpy.asarray(...).")
    if issubclass(kind, np.ndarray | np.generic):
        return array_api_compat.array_namespace(np.empty(0))
    if torch is not None and issubclass(kind, torch.Tensor):
        return array_api_compat.array_namespace(torch.empty(0))
    raise TypeError(
        f"got a {kind.__name__}; a NumPy array or a torch tensor is needed. "
        "Convert it with numpy.asarray(...)."
    )


@cache
def is_plain(kind: Any) -> bool:
    """Say whether a type is NumPy's array or torch's tensor itself, no subclass of them."""
    torch = sys.modules.get("torch")
    return kind is np.ndarray or (torch is not None and kind is torch.Tensor)


def to_numpy(x: Any) -> NDArray[Any]:
    """Return ``x`` as a NumPy array, off the graph and off the device; bfloat16 as float32.

    NumPy has no bfloat16; float32 holds every number of it.
    """
    if _is_torch(x):
        x = x.detach().cpu().resolve_conj().resolve_neg()
        return (x.float() if dtype_name(x.dtype) == "bfloat16" else x).numpy()
    return np.asarray(x)


def to_backend(array: Any, like: A) -> A:
    """Return ``array`` as the kind of array that ``like`` is, on its device; its dtype stays.

    Randomness is drawn in NumPy and moved with this, so that both backends see the same numbers.
    """
    if not _is_torch(like):
        array = to_numpy(array)
    elif not _is_torch(array):
        array = sys.modules["torch"].from_numpy(np.array(array))  # a copy, not shared memory
    return array.to(like.device) if _is_torch(like) else array


def asarray_like(x: Any, like: A) -> A:
    """Return ``x`` as the kind of array that ``like`` is, on its device and with its dtype."""
    moved: Any = to_backend(x, like)
    return array_namespace(moved).astype(moved, like.dtype)


def as_int64(x: A) -> A:
    """Return whole numbers as int64: torch takes uint8 for a mask, and most others for no index."""
    return array_namespace(x).astype(x, array_namespace(x).int64, copy=False)


def copy(x: A) -> A:
    """Return a copy that shares no memory with ``x``; gradients still flow to ``x``."""
    original: Any = x
    return original.clone() if _is_torch(x) else original.copy()


@cache
def dtype_name(dtype: Any) -> str:
    """Return ``"float32"`` for ``numpy.float32`` and for ``torch.float32`` alike."""
    return str(dtype).removeprefix("torch.")


def same_dtype(a: A, b: A) -> tuple[A, A]:
    """Return both in their common dtype: torch's ``@`` refuses float32 against float64."""
    if a.dtype == b.dtype:
        return a, b
    xp: Any = array_namespace(a, b)
    common = xp.result_type(a, b)
    return xp.astype(a, common), xp.astype(b, common)


def sum_items(items: Any, dtype: Any = None) -> Any:
    """Return Σ_i a_i over axis −2, ``(..., n, d)`` to ``(..., d)``, in ``dtype`` if it is given.

    NumPy adds rows up at half the speed of BLAS, to which a sum is a row of ones times a matrix.
    """
    if _is_torch(items) or dtype is not None:
        return items.sum(axis=-2, dtype=dtype)
    if items.dtype.kind == "c":
        return sum_items(real_pairs(items)).view(items.dtype)
    return np.ones(items.shape[-2], items.dtype) @ items


def squared_norm(x: Any) -> Any:
    """Return Σ_j x_j² of a real x over the last axis, in one BLAS pass."""
    if _is_torch(x):  # torch.vecdot, which the array API would take, is twenty times slower
        return sys.modules["torch"].linalg.vecdot(x, x)
    return np.vecdot(x, x)


def rolled(x: Any, shifts: int) -> Any:
    """Return y_j = x_(j − shifts mod d), moved round the last axis."""
    if _is_torch(x):
        return x.roll(shifts, -1)
    shifts %= max(x.shape[-1], 1)
    if not shifts:
        return x.copy()
    return np.concatenate((x[..., -shifts:], x[..., :-shifts]), axis=-1)  # np.roll: thrice as long


def negated(x: Any) -> Any:
    """Return −x; of complex numbers through their parts, which NumPy does ten times faster."""
    if _is_torch(x) or x.dtype.kind != "c":
        return -x
    return (-real_pairs(x)).view(x.dtype)


def conjugate(x: A) -> A:
    """Return the complex conjugate, computed now: torch's is lazy and paid for at every use."""
    conj: Any = array_namespace(x).conj(x)
    return conj.resolve_conj() if _is_torch(x) else conj


def real_pairs(x: A) -> A:
    """Return complex ``(..., d)`` as real ``(..., 2d)``: re, im, re, im … without a copy."""
    pairs: Any = x
    if _is_torch(x):
        return sys.modules["torch"].view_as_real(pairs.resolve_conj()).flatten(-2)
    return np.ascontiguousarray(pairs).view(pairs.real.dtype)


def all_finite(a: Any, b: Any) -> bool:
    """Say whether two real or complex arrays of one size and dtype hold no NaN and no infinity.

    ``isfinite`` would write an array of booleans and read it again. The product Σ a_j b_j is one
    BLAS pass, and it is NaN or infinite whenever one entry of either is; only then (it may also
    have overflowed) is every entry looked at. For a single array pass it twice.
    """
    x, y = _flat(a), _flat(b)
    if cmath.isfinite(array_namespace(x).vdot(x, y).item()):  # NumPy's dot would warn, not vdot
        return True
    return first_non_finite(a) is None and first_non_finite(b) is None


def _flat(x: Any) -> Any:
    x = off_graph(x)
    return x if x.ndim == 1 else x.reshape(-1)


def off_graph(x: Any) -> Any:
    """Return x without its gradient, to look at its values: a check is no part of the formula."""
    return x.detach() if getattr(x, "requires_grad", False) else x


def first_non_finite(x: Any) -> tuple[int, ...] | None:
    """Return the index of the first NaN or infinity, or None."""
    bad = np.argwhere(~np.isfinite(to_numpy(x)))
    return tuple(bad[0].tolist()) if len(bad) else None


# Attention


def matrix_transpose(x: A) -> A:
    """Return x with its last two axes exchanged."""
    return array_namespace(x).matrix_transpose(x)


def tril(x: Any) -> Any:
    """Return x with zeros above the diagonal of its last two axes."""
    return array_namespace(x).tril(x)


def softmax(x: Any) -> Any:
    """Return e^(x_j − max) / Σ_k e^(x_k − max) over the last axis; −∞ gives 0."""
    if _is_torch(x):
        return x.softmax(-1)
    e = x - x.max(axis=-1, keepdims=True)
    np.exp(e, out=e)  # in place: half the time goes into writing new arrays
    e /= e.sum(axis=-1, keepdims=True)
    return e


def hide(scores: Any, causal: bool, seen: Any = None) -> Any:
    """Return scores ``(..., head, query, key)`` with −∞ where a query must not see a key.

    ``seen`` is ``(..., query, key)``, True where it may, with the causal mask already in it.
    """
    if seen is not None:
        xp: Any = array_namespace(scores)
        return xp.where(seen[..., None, :, :], scores, xp.full_like(scores, -np.inf))
    if not causal:
        return scores
    if _is_torch(scores):
        return scores.masked_fill(~tril(scores.new_ones(scores.shape[-2:]).bool()), -math.inf)
    return scores + _future(scores.shape[-1], scores.dtype)


def attend(q: Any, k: Any, v: Any, scale: float, causal: bool, seen: Any = None) -> Any:
    """Return softmax(q kᵀ scale) v, ``(..., head, pos, d_head)``, keys hidden as by ``hide``.

    torch has a kernel for it that never writes the pattern down; NumPy takes the steps one by one.
    """
    if _is_torch(q):
        torch = sys.modules["torch"]
        seen = None if seen is None else seen[..., None, :, :]
        batch = q.shape[:-3]  # one batch axis: without it the kernel would write the pattern down
        q, k, v = (x.reshape((-1, *x.shape[-3:])) for x in (q, k, v))
        if seen is not None:
            seen = seen.reshape((-1, *seen.shape[-3:]))
        z = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=seen, is_causal=causal and seen is None, scale=scale
        )
        return z.reshape((*batch, *z.shape[1:]))
    n = k.shape[-2]
    seen = None if seen is None else np.broadcast_to(seen, (*q.shape[:-3], n, n))
    future = _future(n, q.dtype) if causal and seen is None else None
    return _attend_in_blocks(q * scale, k, v, future, seen)


def _attend_in_blocks(q: Any, k: Any, v: Any, future: Any, seen: Any) -> Any:
    """Return softmax(q kᵀ + future) v, with no more than ``_BLOCK`` scores at once, or one head's.

    All heads of a batch at long contexts would be gigabytes; halves of it are as fast.
    """
    if q.ndim > 2 and math.prod(q.shape[:-1]) * k.shape[-2] > _BLOCK:
        n = q.shape[0]
        if n == 1:
            seen = seen[0] if seen is not None and q.ndim > 3 else seen
            return _attend_in_blocks(q[0], k[0], v[0], future, seen)[None]
        z = np.empty((*q.shape[:-1], v.shape[-1]), np.result_type(q, v))
        for part in (slice(0, n // 2), slice(n // 2, n)):  # of the batch; under it, of the heads
            own = seen[part] if seen is not None and q.ndim > 3 else seen
            z[part] = _attend_in_blocks(q[part], k[part], v[part], future, own)
        return z
    e = q @ matrix_transpose(k)  # [..., head, query, key]; the rest is in place, since new arrays
    # of this size would take as long as the arithmetic. A row's maximum is subtracted only where
    # e^x, or e^x v, might overflow or vanish: finding it costs a fifth of the whole.
    moderate = e.dtype.itemsize >= 4 and e.size > 0 and v.size > 0
    moderate = moderate and e.min() > -_MODERATE and e.max() < _MODERATE
    if moderate:
        moderate = max(-float(v.min()), float(v.max())) * v.shape[-2] < _MODERATE_SUM
    if future is not None:
        e += future
    elif seen is not None:  # without a head axis where the heads are apart already
        hidden = ~seen if q.ndim == 2 else ~seen[..., None, :, :]
        np.putmask(e, np.broadcast_to(hidden, e.shape), -np.inf)
    if not moderate:
        e -= e.max(axis=-1, keepdims=True)
    np.exp(e, out=e)
    z = e @ v
    z /= (e @ np.ones(e.shape[-1], e.dtype))[..., None]  # e.sum would take four times as long
    return z


_BLOCK = 2**24
"""Scores held at once: 64 MB of float32."""
_MODERATE = 60.0  # e^60 and e^-60 are far from the ends of float32 (not of float16), also in sums
_MODERATE_SUM = 1e12  # e^60 times it is 1e38, a third of the largest float32


def _future(n: int, dtype: Any) -> Any:
    """Return 0 on and below the diagonal and −∞ above it, ``(n, n)``, not to be written to."""
    return _small_future(n, dtype) if n <= 1024 else _new_future(n, dtype)


def _new_future(n: int, dtype: Any) -> Any:
    future = np.triu(np.full((n, n), -np.inf, dtype), 1)
    future.flags.writeable = False
    return future


@lru_cache(maxsize=8)
def _small_future(n: int, dtype: Any) -> Any:
    """Return the same, remembered: 4 MB of float32 at most, where longer ones are made anew."""
    return _new_future(n, dtype)


_ERF = np.frompyfunc(math.erf, 1, 1)


def gelu(x: Any, approximate: bool) -> Any:
    """Return x Φ(x), or x (1 + tanh(√(2/π) (x + .044715 x³)))/2, which is close to it."""
    if _is_torch(x):
        kind = "tanh" if approximate else "none"
        return sys.modules["torch"].nn.functional.gelu(x, approximate=kind)
    if not approximate:
        return x * (1 + _ERF(x / math.sqrt(2)).astype(x.dtype)) / 2  # NumPy has no error function
    y = x * x  # x**3 would call pow, which is slow; the rest is in place for the same reason
    y *= 0.044715 * math.sqrt(2 / math.pi)
    y += math.sqrt(2 / math.pi)
    y *= x
    np.tanh(y, out=y)
    y += 1
    y *= x
    y /= 2
    return y


def normalized(x: Any, epsilon: float) -> Any:
    """Return (x − mean) / √(variance + ε) over the last axis: LayerNorm before its scale."""
    if _is_torch(x):
        return sys.modules["torch"].nn.functional.layer_norm(x, x.shape[-1:], eps=epsilon)
    centred = x - x.mean(axis=-1, keepdims=True)
    centred /= np.sqrt(np.vecdot(centred, centred)[..., None] / x.shape[-1] + epsilon)
    return centred
