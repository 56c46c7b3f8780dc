"""How often an induction head made of random vectors finds the right place: crosstalk, counted."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np

from vsacourse.theory._arguments import at_least, one_number, plain, probability
from vsacourse.theory.capacity import log_normal_cdf, normal_rule, smallest
from vsacourse.theory.cosines import gaussian_tail_inverse

__all__ = ["crosstalk_variance", "induction_accuracy", "induction_dimension"]

Role = Literal["orthogonal", "raw HRR"]


def crosstalk_variance(role: Role = "orthogonal", superposed: bool = False) -> tuple[int, int]:
    """Return d times the variance of a match's score: at the right place, and at another.

    A query is m vectors and m vectors under the role R, and so is a key: m is 1, the token, where
    positions have dimensions of their own, and 2, token and position, where they are superposed.
    The score of layer 2 is then a sum of 4 m² products::

        token R tokenᵀ            m² of them
        token R (previous R)ᵀ     m², one of which is the match at the right place
        previous R R tokenᵀ       m²
        previous R R (previous R)ᵀ   m²

    For an orthogonal R each is the cosine of two unrelated vectors, of variance 1/d: (3, 4) or
    (15, 16). For a raw HRR a frequency's gain ``|F|²`` is exponentially distributed, with the
    moments 1, 2, 6, so that the four rows have the variances 1, 2, 2, 6, and the match itself
    varies by 2 over tokens for one r: (11, 11) or (44, 44).

    That takes a role map that moves vectors far from themselves, once and twice. In a text that
    repeats, the earlier occurrence of the query's token scores 2 tr(R)/d on average, and the place
    before it tr(R²)/d; both must be well below the match's 1. With R² = I, as in MAP, the second is
    a match as good as the right one.

    Raises:
        ValueError: an unknown role.
    """
    if role not in get_args(Role):
        raise ValueError(
            f"role is {role!r}; one of {', '.join(map(repr, get_args(Role)))} is needed. Any "
            "orthogonal role map with tr(R) and tr(R²) near 0 counts as orthogonal (not R² = I)."
        )
    m2 = 4 if superposed else 1
    if role == "orthogonal":
        return 4 * m2 - 1, 4 * m2
    return 11 * m2, 11 * m2  # without the match's 2, with the 2 by which it varies


def induction_accuracy(
    dim: Any, keys: Any, role: Role = "orthogonal", superposed: bool = False
) -> Any:
    """Return ∫ φ(h) Φ((√d + h √a) / √b)^(K−1) dh, with (a, b) = ``crosstalk_variance``.

    The chance that the right one of K different keys has the largest score, for random tokens of
    d dimensions, an exact previous-token head and a copy that makes no error; it holds for many
    dimensions, where sums of products are normal.

    Args:
        dim: the dimension d of a token; numbers, or arrays that broadcast.
        keys: how many *different* keys K a query sees. When a period of L tokens is repeated once,
            that is L with positions of their own, where the second period's keys are the first's
            again, and about 1.5 L on average when superposed, where every place's key is another.
        role: ``"orthogonal"`` (also a unitary HRR or a permutation) or ``"raw HRR"``.
        superposed: positions in the same dimensions as tokens.

    Raises:
        ValueError: a number below 1, or an unknown role.

    Source: derived here; compared with the construction in the tests.

    >>> round(induction_accuracy(64, 24), 3)
    0.978
    """
    dim, keys = at_least(1, dim=dim), at_least(1, keys=keys)
    at_right, elsewhere = crosstalk_variance(role, superposed)
    h, weight = normal_rule()
    z = (np.sqrt(dim)[..., None] + h * math.sqrt(at_right)) / math.sqrt(elsewhere)
    chance = np.exp((keys[..., None] - 1) * log_normal_cdf(z)) @ weight
    return plain(np.minimum(chance, 1.0))


def induction_dimension(
    keys: Any,
    role: Role = "orthogonal",
    superposed: bool = False,
    error: float = 0.01,
    rule: bool = False,
) -> int:
    """Return the smallest d with ``induction_accuracy`` at least 1 − error.

    ``rule``: by the rule of thumb d = (a + b) z², z = Q⁻¹(error/K), rounded up, instead: each of K
    keys may win, by a difference of variance (a + b)/d. For an orthogonal role that is 7 z², or
    31 z² with superposed positions. It is an upper estimate: it adds up chances of events that
    happen together.

    Raises:
        ValueError: K below 1 or infinite, an array, an error not between 0 and 1, an unknown role.

    >>> induction_dimension(49, rule=True)
    88
    """
    keys, error = one_number(1, keys=keys), float(probability("error", error))
    if rule:
        z = gaussian_tail_inverse(error / keys)
        return math.ceil(sum(crosstalk_variance(role, superposed)) * z**2)
    return smallest(lambda dim: induction_accuracy(dim, keys, role, superposed) >= 1 - error)
