"""How many items a bundle holds: one formula for the family of models."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from vsacourse.theory._arguments import (
    ModelLike,
    at_least,
    model_name,
    one_number,
    plain,
    probability,
    reals,
    shown,
)
from vsacourse.theory.cosines import gaussian_tail

__all__ = [
    "capacity_constant",
    "dimension_for",
    "items_for",
    "plate_dimension",
    "recall_among_rivals",
    "recall_probability",
]


def capacity_constant(model: ModelLike, thresholded: bool = False) -> float:
    """Return c in s² = c d/M, the squared signal to noise of one item in a bundle of M.

    1 for MAP, MBAT, TPR, VTB and (nearly) HRR, 2 for FHRR. Thresholded, normalised after bundling:
    2/π for MAP's signs, π/2 for FHRR's phasors; HRR's scaling to unit length costs nothing. BSC
    always takes a majority: 2/π. It holds for many components and many items, as
    ``recall_probability`` says.

    Source: Frady, Kleyko & Sommer (2018), Neural Computation 30.

    Raises:
        ValueError: an unknown model.

    >>> capacity_constant("FHRR")
    2.0
    """
    name = model_name(model)
    if name == "BSC" or (name == "MAP" and thresholded):
        return 2 / math.pi
    if name == "FHRR":
        return math.pi / 2 if thresholded else 2.0
    return 1.0


def recall_probability(
    dim: Any,
    items: Any,
    codebook: Any,
    model: ModelLike = "MAP",
    thresholded: bool = False,
    bound: bool = False,
) -> Any:
    """Return p = ∫ φ(h) Φ(h + s)^(D−1) dh, s² = c d/M: the chance that one item is recalled.

    d = ``dim`` components, M = ``items`` bundled, D = ``codebook`` candidates of which the most
    similar is taken. p is for each item: a whole record of M comes back with about p^M.

    ``bound``: the items are pairs, and one is unbound with its key. In HRR and VTB that adds noise
    of its own, and M + 1 takes the place of M; in the other models unbinding is exact and M stays.
    TPR's crosstalk depends on its roles: pass 1/cos² with ``reading_cosine`` as ``items``, that
    is 1 for orthonormal roles and about 1 + (M − 1)/role_dim for up to role_dim random ones. (With
    more, single roles are so alike that they confuse their fillers; see ``role_recall``.)

    The formula is for many components and many items. For few items it is too low, since an item
    does not disturb itself: MAP pairs with d = 64, M = 3 and D = 200 are recalled with
    probability .99 in simulations, and the formula says .958.

    Source: Frady, Kleyko & Sommer (2018), Neural Computation 30.

    Raises:
        ValueError: a number below 1, or an unknown model.

    >>> round(recall_probability(256, 15, 1000), 3)
    0.8
    """
    dim, items = at_least(1, dim=dim), at_least(1, items=items)
    codebook = at_least(1, codebook=codebook)
    if bound and model_name(model) in ("HRR", "VTB"):
        items = items + 1
    s = np.sqrt(capacity_constant(model, thresholded) * dim / items)
    s, codebook = np.broadcast_arrays(s, codebook)
    return plain(_recall(s, codebook))


def _recall(s: Any, codebook: Any) -> Any:
    # The trapezoidal rule: for a smooth integrand that vanishes at both ends its error falls
    # exponentially with the step. Φ(h + s)^(D−1) rises over a width of about 1/√(2 ln D).
    h, weight = normal_rule()
    log_cdf = log_normal_cdf(h + s[..., None])  # [..., h]
    return np.minimum(np.exp((codebook[..., None] - 1) * log_cdf) @ weight, 1.0)


def recall_among_rivals(
    dim: Any, items: Any, codebook: float, shares: Any, model: ModelLike = "MAP"
) -> float:
    """Return ∫ φ(h) Φ(h + s)^(D−1−n) Π_i Φ(h + s (1 − g_i)) dh, s² = c d/M.

    ``recall_probability`` where n of the other candidates are in what is read as well, with the
    share g_i of the one that is asked for, 0 to below 1: each has that much of a head start. A
    rival with nearly the same share is taken for it nearly every other time, whatever d is.

    >>> round(recall_among_rivals(1000, 20, 27, [0.9]), 2)
    0.69

    Raises:
        ValueError: a number below 1, a share not from 0 to below 1, more rivals than candidates, or
            an unknown model.
    """
    g, codebook = reals("shares", shares), one_number(1, codebook=codebook)
    if g.ndim != 1 or not np.all((g >= 0) & (g < 1)) or len(g) >= codebook:
        raise ValueError(
            f"shares is {shown(shares)}; a list of fewer than codebook = {codebook:g} numbers "
            "from 0 to below 1 is needed."
        )
    s = math.sqrt(capacity_constant(model) * one_number(1, dim=dim) / one_number(1, items=items))
    h, weight = normal_rule()
    log_right = (codebook - 1 - len(g)) * log_normal_cdf(h + s)
    log_right = log_right + log_normal_cdf(h + s * (1 - g[:, None])).sum(axis=0)
    return float(np.minimum(np.exp(log_right) @ weight, 1.0))


def normal_rule() -> tuple[Any, Any]:
    """Return points h and weights w with Σ w f(h) = ∫ φ(h) f(h) dh."""
    h, step = np.linspace(-10, 10, 801, retstep=True)
    return h, step * np.exp(-(h**2) / 2) / math.sqrt(2 * math.pi)


def log_normal_cdf(x: Any) -> Any:
    """Return log Φ(x), from the smaller of Φ and 1 − Φ: the one that floats hold precisely."""
    tail = np.asarray(gaussian_tail(np.abs(x)))
    return np.where(x < 0, np.log(np.maximum(tail, 1e-300)), np.log1p(-tail))


def dimension_for(
    items: Any,
    codebook: Any,
    model: ModelLike = "MAP",
    error: float = 0.01,
    thresholded: bool = False,
    bound: bool = False,
) -> int:
    """Return the smallest dimension with ``recall_probability`` at least 1 − error.

    It takes numbers only, no arrays. For few items it is more than needed (by the formula that
    ``recall_probability`` is). ``bound``: of pairs that are unbound, as there. For VTB it is the
    next perfect square, for TPR the dimension of the fillers.

    Raises:
        ValueError: a number below 1 or infinite, an array, an error not from 1e-12 to below 1, or
            an unknown model.
        TypeError: something that is no number.

    >>> dimension_for(items=15, codebook=1000)
    493
    >>> dimension_for(items=15, codebook=1000, model="HRR", bound=True)
    526
    """
    least = 1 - _error(error)
    items, codebook = one_number(1, items=items), one_number(1, codebook=codebook)

    def enough(dim: int) -> bool:
        found = recall_probability(dim, items, codebook, model, thresholded, bound)
        return bool(found >= least)

    if model_name(model) == "VTB":
        return smallest(lambda side: enough(side**2)) ** 2
    return smallest(enough)


def items_for(
    dim: Any,
    codebook: Any,
    model: ModelLike = "MAP",
    error: float = 0.01,
    thresholded: bool = False,
    bound: bool = False,
) -> int:
    """Return the largest number of items with ``recall_probability`` at least 1 − error, or 0.

    It takes numbers only, no arrays. ``bound`` as in ``recall_probability``.

    Raises:
        ValueError: as ``dimension_for``, or guessing alone errs no more often than that.
    """
    least = 1 - _error(error)
    dim, codebook = one_number(1, dim=dim), one_number(1, codebook=codebook)
    if 1 / codebook >= least:
        raise ValueError(
            f"a guess among {codebook:g} items errs no more often than {error}: there is no "
            "largest number. Take a larger codebook or a smaller error."
        )

    def too_many(items: int) -> bool:
        found = recall_probability(dim, items, codebook, model, thresholded, bound)
        return bool(found < least)

    return smallest(too_many) - 1


def _error(error: Any) -> float:
    """Return the error, if the integral is precise enough to tell 1 − error from 1."""
    probability("error", error)
    value = one_number(0, error=error)
    if value < 1e-12:
        raise ValueError(f"error is {error!r}; at least 1e-12 is needed: floats end there.")
    return value


def smallest(holds: Callable[[int], bool]) -> int:
    """Return the smallest positive integer where a condition holds that then stays true."""
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def plate_dimension(k: Any, m: Any, q: Any) -> Any:
    """Return 3.16 (k − ¼) ln(m/q³): the dimension for a superposition of k of m items.

    q is the chance of *any* error when every item is told present or absent by the best
    threshold; taking the k most similar errs far less often.

    Source: Plate (1995), section on superposition memories.

    >>> round(plate_dimension(3, 1000, 0.01))
    180
    """
    k, m, q = at_least(1, k=k), at_least(1, m=m), probability("q", q)
    return plain(3.16 * (k - 0.25) * np.log(m / q**3))
