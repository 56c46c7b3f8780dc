"""What attention reads back: from one matrix, by the delta rule, and through a softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from vsacourse.theory._arguments import at_least, plain, reals, shown

__all__ = [
    "delta_cosine",
    "memory_cosine",
    "pairs_for_cosine",
    "softmax_half_load",
    "softmax_weight",
]


def memory_cosine(pairs: Any, dim: Any) -> Any:
    """Return 1/√(1 + (N−1)/d): the cosine of what a matrix memory of N pairs reads with its value.

    On average, for unit keys in random directions and unrelated values of many components. The
    value's own coefficient stays 1 whatever N is; the crosstalk grows. The
    cosine is 1/√2 at N = d + 1 and ½ at N = 3d + 1.

    >>> round(memory_cosine(64, 64), 3)
    0.71
    """
    pairs, dim = at_least(1, pairs=pairs), at_least(1, dim=dim)
    return plain(1 / np.sqrt(1 + (pairs - 1) / dim))


def pairs_for_cosine(cosine: Any, dim: Any) -> Any:
    """Return N = 1 + d (1/c² − 1), where ``memory_cosine`` is c; not rounded.

    >>> round(pairs_for_cosine(0.5, 64))
    193
    """
    c, dim = reals("cosine", cosine), at_least(1, dim=dim)
    if not np.all((c > 0) & (c <= 1)):
        raise ValueError(f"cosine is {shown(cosine)}; a number above 0 and at most 1 is needed.")
    return plain(1 + dim * (1 / c**2 - 1))


def delta_cosine(pairs: Any, dim: Any, rate: Any = 1.0, later: Any = 0) -> Any:
    """Return the cosine of what the delta rule reads with its value, after one pass over N pairs.

    The pair was written before ``later`` others. With g = 1 − (2β − β²)/d, m = 1 − β/d,
    a = ``later`` and w = g^a − m^(2a)::

        signal = β m^a
        crosstalk² = (β²/d) [ (1 − g^a)/(1 − g)
                              + ((1 − β)² m^(2a) + w) (1 − g^(N−1−a))/(1 − g) ]
        cosine = signal / √(signal² + crosstalk²)

    Each later write multiplies the memory by I − β kᵀk. A fixed vector's mean shrinks by m with
    it and its squared length by g; pairs written later leave the first term, pairs written earlier
    the second. For N random unit keys in d dimensions; within .05 of simulations from d = 32 on.

    Raises:
        ValueError: ``later`` is not from 0 to N − 1, or β not above 0 and below 2.

    Source: derived here; compared with simulations in the tests.
    """
    n, d = at_least(1, pairs=pairs), at_least(1, dim=dim)
    a, beta = at_least(0, later=later), reals("rate", rate)
    if not np.all(a <= n - 1):
        raise ValueError(f"later is {shown(later)}; at most pairs − 1 is needed.")
    if not np.all((beta > 0) & (beta < 2)):
        raise ValueError(f"rate is {shown(rate)}; a number above 0 and below 2 is needed.")
    loss = (2 * beta - beta**2) / d  # 1 − g, which is 0 in floats for a small rate
    g, m = 1 - loss, 1 - beta / d
    w = g**a - m ** (2 * a)
    written_later = _powers(loss, a)
    written_earlier = ((1 - beta) ** 2 * m ** (2 * a) + w) * _powers(loss, n - 1 - a)
    signal = m**a  # both without their factor β, whose square may be 0 in floats
    crosstalk = (written_later + written_earlier) / d
    return plain(signal / np.sqrt(signal**2 + crosstalk))


def _powers(loss: Any, count: Any) -> Any:
    """Return Σ_i<count (1 − loss)^i = (1 − (1 − loss)^count)/loss, for a loss above 0 and up to 1.

    By logarithms of 1 − x, which are precise for small x; ``count`` itself where loss is 0 in
    floats.
    """
    inside = np.where((loss > 0) & (loss < 1), loss, 0.5)
    sums = -np.expm1(count * np.log1p(-inside)) / inside
    return np.where(loss == 0, count, np.where(loss == 1, np.minimum(count, 1), sums))


def softmax_weight(pairs: Any, dim: Any, beta: Any) -> Any:
    """Return 1/(1 + (N−1) e^(−β + β²/2d)): the weight of a softmax on the correct key.

    For N unit keys in random directions, asked with one of them. A score β cos of another key has
    variance β²/d, and if it were normal, e^score would have the mean e^(β²/2d). It holds for many
    keys and β well below d: the exponent is too large by about β⁴/4d³, which is 1/4d at β = √d and
    about d/64 at β = d/2. From β = d on the normal density lies where no cosine is, and the formula
    turns round: there it is refused.

    Raises:
        ValueError: β is not above 0 and below d.

    >>> round(softmax_weight(64, 64, 8), 3)
    0.966
    """
    pairs, dim = at_least(1, pairs=pairs), at_least(1, dim=dim)
    beta = _below_dim(beta, dim)
    return plain(1 / (1 + (pairs - 1) * np.exp(-beta + beta**2 / (2 * dim))))


def softmax_half_load(dim: Any, beta: Any) -> Any:
    """Return N = 1 + e^(β − β²/2d), where ``softmax_weight`` is ½; not rounded.

    At β = √d it is 1 + e^(√d − ½).

    Raises:
        ValueError: β is not above 0 and below d.
    """
    dim = at_least(1, dim=dim)
    beta = _below_dim(beta, dim)
    return plain(1 + np.exp(beta - beta**2 / (2 * dim)))


def _below_dim(beta: Any, dim: Any) -> Any:
    value = reals("beta", beta)
    if not np.all(value > 0):
        raise ValueError(f"beta is {shown(beta)}; a number above 0 and below dim is needed.")
    if not np.all(value < dim):
        raise ValueError(
            f"beta is {shown(beta)}; a number above 0 and below dim is needed: from dim on the "
            "formula turns round, since no cosine is as large as its normal density says."
        )
    return value
