"""Memories that are one matrix: sums of outer products, and the rule that overwrites.

A memory is M = Σ_i v_iᵀ k_i, of shape ``(..., m, d)`` for values of m components and keys of d: the
matrix of a tensor product representation, with keys for roles and values for fillers. A key reads
M kᵀ. Linear attention is this memory, written and read position by position.

Whole numbers, such as MAP's signs in int8, are computed with as floats.
"""

from __future__ import annotations

from typing import Any

from vsacourse.backend import A, array_namespace, copy, matrix_transpose, tril
from vsacourse.memory._checks import finite_number, finite_reals

__all__ = ["linear_attention", "overwrite", "read", "store"]


def store(keys: A, values: A) -> A:
    """Return M = Σ_i v_iᵀ k_i = Vᵀ K, the **sum rule**.

    Every value keeps its full weight; two values under one key add up.

    Args:
        keys: ``(..., n, d)``.
        values: ``(..., n, m)``.

    Returns:
        The memory, ``(..., m, d)``.

    Raises:
        ValueError: not as many values as keys, other leading axes, or numbers that are not finite.
        TypeError: NumPy and torch together, or numbers that are not real.

    Source: Kohonen (1972), Correlation matrix memories; Smolensky (1990).
    """
    keys, values = _check_pairs("store", keys, values)
    return matrix_transpose(values) @ keys


def read(memory: A, keys: A) -> A:
    """Return K Mᵀ, what each key reads: ``(..., m, d)`` and ``(..., n, d)`` to ``(..., n, m)``.

    With stored unit keys it is v_j + Σ_{i≠j} v_i (k_i · k_j): the value, and crosstalk.
    ``theory.memory_cosine`` says how much.

    Raises:
        ValueError: the keys' components are not the memory's columns.
        TypeError: NumPy and torch together.
    """
    array_namespace(memory, keys)
    if memory.ndim < 2 or keys.ndim < 2 or keys.shape[-1] != memory.shape[-1]:
        raise ValueError(
            f"read: the keys have shape {tuple(keys.shape)} and the memory "
            f"{tuple(memory.shape)}; (..., n, d) and (..., m, d) are needed. "
            "A single key is keys[None, :]."
        )
    memory, keys = finite_reals("read", memory=memory, keys=keys)
    return keys @ matrix_transpose(memory)


def overwrite(memory: A | None, keys: A, values: A, rate: float = 1.0) -> A:
    """Write pairs in order by the **delta rule**: M ← M + β (v − k Mᵀ)ᵀ k.

    It corrects what the key reads now. For keys of length 1 and β = 1 the key then reads exactly v,
    whatever it read before; the reading of key j moves by β (v − k Mᵀ)(k · k_j). β = 1 in one
    pass over many keys forgets the first; a smaller rate spreads the error.
    ``theory.delta_cosine`` says by how much.

    Args:
        memory: ``(..., m, d)``, which is not changed, or None for an empty one.
        keys: ``(..., n, d)``, of length 1.
        values: ``(..., n, m)``.
        rate: β, above 0 and below 2, where the rule is stable.

    Returns:
        The new memory, ``(..., m, d)``.

    Raises:
        ValueError: shapes that do not fit, keys whose length is not 1 within .001, or a rate out
            of range.
        TypeError: NumPy and torch together.

    Source: Widrow & Hoff (1960); Schlag, Irie & Schmidhuber (2021), Linear transformers are
    secretly fast weight programmers.
    """
    keys, values = _check_pairs("overwrite", keys, values)
    needed = "a number above 0 and below 2"
    beta = finite_number("overwrite", "rate", rate, needed)
    if not 0 < beta < 2:
        raise ValueError(f"overwrite: rate is {rate!r}; {needed} is needed.")
    xp: Any = array_namespace(keys)
    if 0 not in keys.shape and bool((abs(xp.sum(keys**2, axis=-1) - 1) > 2e-3).any()):
        raise ValueError(
            "overwrite: some key's length is not 1; the rule would over- or undershoot. "
            "Divide each key by its norm."
        )
    if memory is None:
        memory = 0 * store(keys, values)
    elif tuple(memory.shape[-2:]) != (values.shape[-1], keys.shape[-1]):
        raise ValueError(
            f"overwrite: the memory has shape {tuple(memory.shape)}; it needs "
            f"(..., {values.shape[-1]}, {keys.shape[-1]})."
        )
    else:
        memory, keys, values = finite_reals("overwrite", memory=memory, keys=keys, values=values)
    M: Any = copy(memory)
    for i in range(keys.shape[-2]):
        k, v = keys[..., i, :], values[..., i, :]  # [..., d], [..., m]
        error = v - (M @ k[..., :, None])[..., 0]
        M = M + beta * error[..., :, None] * k[..., None, :]
    return M


def linear_attention(queries: A, keys: A, values: A, causal: bool = False) -> A:
    """Return o_t = Σ_s (q_t · k_s) v_s: attention without a softmax, a matrix memory read.

    Not causal, it is ``read(store(keys, values), queries)``. Causal, query t reads the memory as it
    is after the pairs up to t were stored; all of them at once are a masked matrix product.

    Args:
        queries: ``(..., n_q, d)``.
        keys: ``(..., n, d)``.
        values: ``(..., n, m)``.
        causal: s runs up to t only; then n_q = n.

    Returns:
        ``(..., n_q, m)``.

    Raises:
        ValueError: shapes that do not fit.
        TypeError: NumPy and torch together.

    Source: Katharopoulos et al. (2020), Transformers are RNNs; Schlag et al. (2021).
    """
    keys, values = _check_pairs("linear_attention", keys, values)
    queries, keys, values = finite_reals(
        "linear_attention", queries=queries, keys=keys, values=values
    )
    if not causal:
        return read(store(keys, values), queries)
    if queries.shape[-2:] != keys.shape[-2:]:
        raise ValueError(
            f"linear_attention: the queries have shape {tuple(queries.shape)} and the keys "
            f"{tuple(keys.shape)}; causal attention needs a query for each key."
        )
    return tril(queries @ matrix_transpose(keys)) @ values


def _check_pairs(operation: str, keys: Any, values: Any) -> Any:
    """Return both in one dtype, if there is a value for each key."""
    array_namespace(keys, values)
    if keys.ndim < 2 or values.ndim < 2 or keys.shape[:-1] != values.shape[:-1]:
        raise ValueError(
            f"{operation}: the keys have shape {tuple(keys.shape)} and the values "
            f"{tuple(values.shape)}; (..., n, d) and (..., n, m) are needed, a value for each key."
        )
    return finite_reals(operation, keys=keys, values=values)
