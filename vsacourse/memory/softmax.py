"""Memories that keep every pair apart: softmax attention, and Hopfield networks.

Softmax attention adds up values like unbinding, but with weights that the softmax has sharpened.
What comes out is a mixture of values, a point between them; it is never snapped to one.

Whole numbers, such as MAP's signs in int8, are computed with as floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vsacourse.backend import (
    A,
    all_finite,
    array_namespace,
    dtype_name,
    hide,
    matrix_transpose,
    same_dtype,
    softmax,
)
from vsacourse.memory._checks import finite_number, finite_reals

__all__ = [
    "attention_weights",
    "hopfield_energy",
    "hopfield_step",
    "sign_hopfield_matrix",
    "sign_hopfield_step",
    "softmax_attention",
]


def attention_weights(queries: A, keys: A, beta: float, causal: bool = False) -> A:
    """Return softmax_s(β q_t · k_s): ``(..., n_q, n)`` of ``(..., n_q, d)`` and ``(..., n, d)``.

    β is the inverse temperature: 1/√d_head in a transformer, where queries and keys carry lengths
    of their own. ``theory.softmax_weight`` predicts the weight on the correct key, for unit keys
    and β well below d.

    Raises:
        ValueError: shapes that do not fit, keys, queries or a β that are not finite, or scores that
            overflow.
        TypeError: NumPy and torch together, or numbers that are not real.
    """
    array_namespace(queries, keys)
    if queries.ndim < 2 or keys.ndim < 2 or queries.shape[-1] != keys.shape[-1]:
        raise ValueError(
            f"attention_weights: the queries have shape {tuple(queries.shape)} and the keys "
            f"{tuple(keys.shape)}; (..., n_q, d) and (..., n, d) are needed."
        )
    beta = finite_number("attention_weights", "beta", beta)
    if keys.shape[-2] == 0:
        raise ValueError("attention_weights: there are no keys; a softmax needs at least one.")
    if causal and queries.shape[-2] != keys.shape[-2]:
        raise ValueError(
            f"attention_weights: {queries.shape[-2]} queries and {keys.shape[-2]} keys; causal "
            "attention needs a query for each key."
        )
    queries, keys = finite_reals("attention_weights", queries=queries, keys=keys)
    scores = _scores("attention_weights", beta, queries, keys)
    if causal:  # hide works under a head axis
        scores = hide(scores, causal=True)
    return softmax(scores)


def softmax_attention(queries: A, keys: A, values: A, beta: float, causal: bool = False) -> A:
    """Return o_t = Σ_s w_ts v_s, w = softmax(β q kᵀ): unbinding with sharpened weights.

    ``(..., n_q, m)`` of ``(..., n_q, d)``, ``(..., n, d)`` and ``(..., n, m)``. The output lies in
    the convex hull of the values: a mixture, never snapped; it is near one value where β times the
    gap between the best score and the next is large.

    Raises:
        ValueError: shapes that do not fit, or keys, queries, values or a β that are not finite.
        TypeError: NumPy and torch together, or numbers that are not real.

    Source: Vaswani et al. (2017).
    """
    weights = attention_weights(queries, keys, beta, causal)
    array_namespace(keys, values)
    if values.ndim < 2 or values.shape[-2] != keys.shape[-2]:
        raise ValueError(
            f"softmax_attention: the keys have shape {tuple(keys.shape)} and the values "
            f"{tuple(values.shape)}; a value for each key is needed."
        )
    (values,) = finite_reals("softmax_attention", values=values)
    weights, values = same_dtype(weights, values)
    return weights @ values


def hopfield_step(state: A, patterns: A, beta: float) -> A:
    """Return ξ' = softmax(β ξ Xᵀ) X: one step of a modern Hopfield network.

    It is softmax attention whose keys and values are both the stored patterns, ``(..., n, d)``;
    states are ``(..., n_q, d)``. For β large and patterns far apart one step lands beside the
    nearest pattern. Every step lowers ``hopfield_energy``, or leaves it.

    Source: Ramsauer et al. (2020), Hopfield networks is all you need, equation 3.
    """
    return softmax_attention(state, patterns, patterns, beta)


def hopfield_energy(state: A, patterns: A, beta: float) -> A:
    """Return −(1/β) ln Σ_i e^(β ξ·x_i) + ½ ξ·ξ: ``(...)``; up to a constant the paper's.

    States are ``(..., d)`` and patterns ``(..., n, d)``.

    Raises:
        ValueError: shapes that do not fit, no pattern, β not above 0, numbers that are not finite,
            or scores that overflow.
        TypeError: NumPy and torch together, or numbers that are not real.

    Source: Ramsauer et al. (2020), equation 2.
    """
    beta = finite_number("hopfield_energy", "beta", beta)
    if not beta > 0:
        raise ValueError(f"hopfield_energy: beta is {beta!r}; a number above 0 is needed.")
    xp: Any = array_namespace(state, patterns)
    _check_states("hopfield_energy", state, patterns, "patterns", "(..., n, d)")
    if patterns.shape[-2] == 0:
        raise ValueError("hopfield_energy: there are no patterns; at least one is needed.")
    state, patterns = finite_reals("hopfield_energy", states=state, patterns=patterns)
    scores = _scores("hopfield_energy", beta, state, patterns)
    largest = xp.max(scores, axis=-1, keepdims=True)
    total = xp.log(xp.sum(xp.exp(scores - largest), axis=-1)) + largest[..., 0]
    return -total / beta + xp.sum(state * state, axis=-1) / 2


def sign_hopfield_matrix(patterns: A) -> A:
    """Return W = (1/d) Σ_i x_iᵀ x_i with a zero diagonal: signs ``(..., n, d)`` to ``(..., d, d)``.

    It is ``store(X, X) / d``, the memory with values = keys, without self-connections.

    Raises:
        ValueError: fewer than two axes, or a pattern holds something other than −1 and 1.
        TypeError: numbers that are not real.

    Source: Hopfield (1982).
    """
    xp: Any = array_namespace(patterns)
    if patterns.ndim < 2:
        raise ValueError(
            f"sign_hopfield_matrix: the patterns have shape {tuple(patterns.shape)}; (..., n, d) "
            "is needed. A single pattern is pattern[None, :]."
        )
    (patterns,) = finite_reals("sign_hopfield_matrix", patterns=patterns)
    if bool((abs(patterns) != 1).any()):
        raise ValueError("sign_hopfield_matrix: a pattern is not of signs; −1 and 1 are needed.")
    d = patterns.shape[-1]
    W: Any = matrix_transpose(patterns) @ patterns / d
    eye = xp.eye(d, dtype=W.dtype, device=W.device)
    return W * (1 - eye)


def sign_hopfield_step(state: A, matrix: A) -> A:
    """Return sign(ξ W), all components at once; a component whose sum is 0 keeps its sign.

    For large d, random patterns are nearly fixed points up to about n = .138 d, with about 1.5 % of
    the signs wrong there (Amit, Gutfreund & Sompolinsky 1985); beyond that a start at a pattern
    ends far from it. Hopfield (1982) updates one component at a time.

    States are ``(..., d)`` and the matrix ``(..., d, d)``.

    Raises:
        ValueError: shapes that do not fit, or numbers that are not finite.
        TypeError: NumPy and torch together, or numbers that are not real.
    """
    xp: Any = array_namespace(state, matrix)
    _check_states("sign_hopfield_step", state, matrix, "matrix", "(..., d, d)")
    if matrix.shape[-2] != matrix.shape[-1]:
        raise ValueError(
            f"sign_hopfield_step: the matrix has shape {tuple(matrix.shape)}; (..., d, d) is "
            "needed, as sign_hopfield_matrix returns it."
        )
    state, matrix = finite_reals("sign_hopfield_step", states=state, matrix=matrix)
    total = state @ matrix
    return xp.where(total == 0, state, xp.sign(total))


def _scores(operation: str, beta: float, queries: Any, keys: Any) -> Any:
    """Return β q kᵀ, if no score overflows: infinity less infinity would be NaN in a softmax."""
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        scores = (beta * queries) @ matrix_transpose(keys)
    if not all_finite(scores, scores):
        raise ValueError(
            f"{operation}: beta times a product is past {dtype_name(scores.dtype)}. Take a smaller "
            "beta, shorter vectors, or float64."
        )
    return scores


def _check_states(operation: str, state: Any, other: Any, name: str, needed: str) -> None:
    if state.ndim < 1 or other.ndim < 2 or state.shape[-1] != other.shape[-1]:
        raise ValueError(
            f"{operation}: the states have shape {tuple(state.shape)} and the {name} "
            f"{tuple(other.shape)}; (..., d) and {needed} are needed."
        )
