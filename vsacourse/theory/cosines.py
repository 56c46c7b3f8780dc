"""How near random vectors lie, and how many fit."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from vsacourse.theory._arguments import at_least, numbers, plain, probability, reals, shown

__all__ = [
    "cosine_sd",
    "gaussian_tail",
    "gaussian_tail_inverse",
    "largest_cosine",
    "mean_abs_cosine",
    "symbols_that_fit",
    "welch_bound",
]

# NumPy has neither function; these apply the standard library's to every component.
_erfc = np.frompyfunc(math.erfc, 1, 1)
_inverse_cdf = np.frompyfunc(NormalDist().inv_cdf, 1, 1)


def cosine_sd(dim: Any) -> Any:
    """Return 1/√d, the standard deviation of the cosine of two random vectors.

    >>> cosine_sd(10_000)
    0.01
    """
    return plain(1 / np.sqrt(at_least(1, dim=dim)))


def mean_abs_cosine(dim: Any) -> Any:
    """Return √(2/πd), the mean absolute cosine of two random vectors, for large d."""
    return plain(np.sqrt(2 / (np.pi * at_least(1, dim=dim))))


def gaussian_tail(z: Any) -> Any:
    """Return Q(z) = P(x > z) for a standard normal x.

    >>> gaussian_tail(0.0)
    0.5
    """
    return plain(np.asarray(_erfc(numbers("z", z) / math.sqrt(2)), float) / 2)


def gaussian_tail_inverse(p: Any) -> Any:
    """Return z with Q(z) = p.

    Raises:
        ValueError: p is not between 0 and 1.
    """
    return plain(-np.asarray(_inverse_cdf(probability("p", p)), float))


def largest_cosine(pairs: Any, dim: Any) -> Any:
    """Return Q⁻¹(1/P)/√d: about the largest (signed) cosine among P pairs of random vectors.

    For the largest absolute cosine pass 2P.

    >>> round(largest_cosine(1000 * 999 // 2, 1000), 3)
    0.146
    """
    pairs = at_least(2, pairs=pairs)
    return plain(np.asarray(gaussian_tail_inverse(1 / pairs)) * cosine_sd(dim))


def welch_bound(n: Any, dim: Any) -> Any:
    """Return √((n−d)/(d(n−1))), and 0 for n ≤ d: n vectors in d dimensions.

    It bounds the root-mean-square and the largest absolute cosine from below, not the mean.

    Source: Welch (1974).
    """
    n, dim = at_least(2, n=n), at_least(1, dim=dim)
    return plain(np.sqrt(np.maximum(n - dim, 0) / (dim * (n - 1))))


def symbols_that_fit(dim: Any, cosine: Any) -> Any:
    """Return e^(dε²/4): about how many random vectors stay within cosine ±ε; inf past 1e308.

    That is one draw, not looked at: keeping only vectors that fit keeps far more.

    Raises:
        ValueError: a dimension below 1, or a cosine that is not above 0 and at most 1.
    """
    epsilon = reals("cosine", cosine)
    if not np.all((epsilon > 0) & (epsilon <= 1)):
        raise ValueError(f"cosine is {shown(cosine)}; a number above 0 and at most 1 is needed.")
    with np.errstate(over="ignore"):
        return plain(np.exp(at_least(1, dim=dim) * epsilon**2 / 4))
