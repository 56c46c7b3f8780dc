"""Queries and keys: what can be measured on them, and what depends on how they are written down.

A head acts through QK = W_Q W_Kᵀ alone. For every invertible A the weights (W_Q A^(−T), W_K A)
do the same, score for score, and yet W_Kᵀ W_K, the Gram matrix of the keys and the cosines among
them all change. Such a choice is called a gauge. So either measure what no gauge changes (scores,
their margin, their signal to noise), or measure keys in a stated gauge: ``balanced``, or as the
queries see them, ``keys_as_queried``. Rotary positions and normalised queries and keys leave less
freedom; a bias is one more row of its W and changes with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vsacourse.backend import array_namespace, asarray_like, matrix_transpose
from vsacourse.metrics.checks import floats, scaled, square, wide

__all__ = [
    "balanced",
    "change_gauge",
    "gram_deviation",
    "key_coherence",
    "keys_as_queried",
    "matching_margin",
    "signal_to_noise",
]


def change_gauge(W_Q: Any, W_K: Any, A: Any) -> tuple[Any, Any]:
    """Return (W_Q A^(−T), W_K A): other weights of the same head.

    Args:
        W_Q: ``(..., d_model, d_head)``.
        W_K: of the same shape.
        A: ``(..., d_head, d_head)``, invertible.

    Raises:
        ValueError: shapes that do not fit, an A that is singular, or numbers that are not finite.
        TypeError: not of real floats, or NumPy and torch mixed.
    """
    W_Q, W_K = _query_key(W_Q, W_K)
    xp, d_head = array_namespace(W_Q, square("A", A)), W_Q.shape[-1]
    if A.shape[-1] != d_head:
        raise ValueError(
            f"A has shape {tuple(A.shape)}; (..., {d_head}, {d_head}) is needed, of d_head."
        )
    W_Q, W_K, A = wide(W_Q, W_K, A)
    s = xp.linalg.svdvals(A)  # [..., d_head], the largest first
    if not bool((s[..., -1] > xp.finfo(A.dtype).eps * s[..., 0]).all()):
        raise ValueError("A is singular; an invertible matrix is needed, such as a random one.")
    return W_Q @ matrix_transpose(xp.linalg.inv(A)), W_K @ A


def balanced(W_Q: Any, W_K: Any) -> tuple[Any, Any]:
    """Return (U √S, V √S) of the singular value decomposition W_Q W_Kᵀ = U S Vᵀ.

    The gauge in which queries and keys share the scale evenly. U and V are fixed but for signs
    (and turns where singular values are alike); the Gram matrix of keys is fixed altogether:
    x V S Vᵀ xᵀ, and V S Vᵀ = (QKᵀ QK)^½ with QK = W_Q W_Kᵀ.

    Args:
        W_Q: ``(..., d_model, d_head)``.
        W_K: of the same shape.

    Returns:
        Two of ``(..., d_model, min(d_model, d_head))``.

    Raises:
        ValueError: shapes that do not fit, or numbers that are not finite.
        TypeError: not of real floats, or NumPy and torch mixed.
    """
    W_Q, W_K = _query_key(W_Q, W_K)
    xp = array_namespace(W_Q)
    (W_Q, q), (W_K, k) = scaled(W_Q), scaled(W_K)
    Q1, R1 = xp.linalg.qr(W_Q)  # QK has rank d_head at most: decompose a matrix of that size
    Q2, R2 = xp.linalg.qr(W_K)
    U, S, Vh = xp.linalg.svd(R1 @ matrix_transpose(R2))
    root = S[..., None, :] ** 0.5 * q**0.5 * k**0.5
    return (Q1 @ U) * root, (Q2 @ matrix_transpose(Vh)) * root


def keys_as_queried(keys: Any, queries: Any) -> Any:
    """Return K Qᵀ/√m: keys in coordinates in which their Gram matrix is K E[qᵀq] Kᵀ.

    The metric in which two keys are alike if the queries cannot tell them apart; no gauge changes
    it. Each column is a key's score with one of the m queries.

    Args:
        keys: ``(..., n, d_head)``.
        queries: ``(..., m, d_head)``, such as those of a batch of text.

    Returns:
        ``(..., n, m)``, to be passed to ``key_coherence``.

    Raises:
        ValueError: of another d_head, or not finite.
        TypeError: not of real floats, or NumPy and torch mixed.
    """
    array_namespace(floats("keys", keys, 2), floats("queries", queries, 2))
    if keys.shape[-1] != queries.shape[-1]:
        raise ValueError(
            f"keys have shape {tuple(keys.shape)} and queries {tuple(queries.shape)}; the last "
            "axis, d_head, needs to be the same."
        )
    keys, queries = wide(keys, queries)
    return keys @ matrix_transpose(queries) / queries.shape[-2] ** 0.5


def key_coherence(keys: Any) -> Any:
    """Return the mean over i ≠ j of abs(cos(k_i, k_j)): 0 for orthogonal keys, 1 for parallel.

    It depends on the gauge: say which one the keys are in. Floors: random keys have about √(2/πd)
    (``theory.mean_abs_cosine``); n orthonormal keys from which their own mean was taken have
    1/(n − 1), so centre with a mean of other draws. Welch's floor is for the root mean square.

    ``(..., n, d_head)`` to ``(...)``.

    Raises:
        ValueError: a single key, a key of length 0, or not finite.
        TypeError: not of real floats.
    """
    n = floats("keys", keys, 2).shape[-2]
    if n < 2:
        raise ValueError(f"keys has shape {tuple(keys.shape)}; at least two keys are needed.")
    rows = scaled(wide(keys)[0], axes=(-1,))[0]
    length = (rows**2).sum(-1)[..., None] ** 0.5
    if not bool((length > 0).all()):
        raise ValueError("a key has length 0 and so no direction; leave it out.")
    units = rows / length
    size = abs(units @ matrix_transpose(units)) * _off_diagonal(n, units)
    return size.sum((-2, -1)) / (n * (n - 1))


def matching_margin(circuit: Any) -> Any:
    """Return C[i, i] − max over j ≠ i of C[i, j]: by how much each query prefers its own key.

    Positive where the right key wins. In units of scores: a softmax over n keys gives the right
    one at least 1/(1 + (n − 1) e^(−margin)). No gauge changes it, nor a constant added to a row.

    ``(..., query, key)`` to ``(..., query)``; key i is the right one for query i.

    Raises:
        ValueError: not square, a single key, or not finite.
        TypeError: not of real floats.
    """
    xp: Any = array_namespace(square("the circuit", circuit, least=2))
    own, off = _own(circuit), _off_diagonal(circuit.shape[-1], circuit)
    others = xp.where(off > 0, circuit, xp.full_like(circuit, -np.inf))
    return own - xp.max(others, axis=-1)


def signal_to_noise(circuit: Any) -> Any:
    """Return mean_i (C[i, i] − m_i) / √(mean_i v_i), m_i and v_i of the others in row i.

    m_i is the mean of C[i, j] over j ≠ i, and v_i their variance (over n − 1 numbers, divided by
    n − 1). 0 if the diagonal is like the rest, infinite if a row's others are all alike. No gauge
    changes it, nor a constant added to a row, which a softmax does not see either, nor the scale.
    With N(0, 1) scores it is 0 ± 1/√n.

    ``(..., query, key)`` to ``(...)``; key i is the right one for query i.

    Raises:
        ValueError: not square, fewer than three keys, not finite, or constant in every row.
        TypeError: not of real floats.
    """
    n = square("the circuit", circuit, least=3).shape[-1]
    xp: Any = array_namespace(circuit)
    circuit = scaled(wide(circuit)[0])[0]
    own, off = _own(circuit), _off_diagonal(n, circuit)
    mean = (circuit * off).sum(-1) / (n - 1)  # [..., query]
    spread = (circuit - mean[..., None]) * off
    signal = (own - mean).mean(-1)
    noise = ((spread**2).sum(-1) / (n - 1)).mean(-1) ** 0.5
    rounding = 8 * xp.finfo(circuit.dtype).eps * xp.max(abs(circuit), axis=(-2, -1))
    silent = noise <= rounding  # the mean of equal numbers is not always that number
    if bool((silent & (abs(signal) <= rounding)).any()):
        raise ValueError("the circuit is constant in every row; there is no signal and no noise.")
    infinite = xp.sign(signal) * xp.full_like(signal, np.inf)
    return xp.where(silent, infinite, signal / xp.where(silent, xp.ones_like(noise), noise))


def gram_deviation(W: Any) -> Any:
    """Return ‖Wᵀ W/c − I‖_F with c = tr(Wᵀ W)/d_head: how far the columns are from orthonormal.

    Up to scale, and dependent on the gauge: for comparison only, since orthogonal weights are not
    orthogonal keys. A W of independent normal numbers has about √(d_head (d_head + 1)/d_model).

    ``(..., d_model, d_head)`` to ``(...)``.

    Raises:
        ValueError: a matrix of zeros, or not finite.
        TypeError: not of real floats.
    """
    W = scaled(wide(floats("W", W, 2))[0])[0]
    gram = matrix_transpose(W) @ W
    identity = asarray_like(np.eye(W.shape[-1]), W)
    c = (W**2).sum((-2, -1)) / W.shape[-1]
    if not bool((c > 0).all()):
        raise ValueError("W is a matrix of zeros; its columns have no direction.")
    return ((gram / c[..., None, None] - identity) ** 2).sum((-2, -1)) ** 0.5


def _own(circuit: Any) -> Any:
    return array_namespace(circuit).linalg.diagonal(circuit)


def _off_diagonal(n: int, like: Any) -> Any:
    return asarray_like(1 - np.eye(n), like)


def _query_key(W_Q: Any, W_K: Any) -> list[Any]:
    """Return two weights of one shape in one dtype."""
    array_namespace(floats("W_Q", W_Q, 2), floats("W_K", W_K, 2))
    if tuple(W_Q.shape) != tuple(W_K.shape):
        raise ValueError(
            f"W_Q has shape {tuple(W_Q.shape)} and W_K {tuple(W_K.shape)}; they need to be alike, "
            "(..., d_model, d_head)."
        )
    return wide(W_Q, W_K)
