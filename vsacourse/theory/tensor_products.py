"""What a bundle of tensor products gives back: crosstalk of its roles, and noise with their duals.

The memory is M = Σ_i f_iᵀ r_i. With the roles as the rows of R and the fillers as the rows of F it
is M = Fᵀ R, and what is read depends on the roles' Gram matrix R Rᵀ alone.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from vsacourse.theory._arguments import one_number, plain, reals
from vsacourse.theory.capacity import log_normal_cdf, normal_rule

__all__ = ["crosstalk_matrix", "noise_growth", "reading_cosine", "reading_error", "role_recall"]


def crosstalk_matrix(roles: Any) -> Any:
    """Return C = R Rᵀ − I, ``(n, d)`` to ``(n, n)``: what each role reads of the other fillers.

    Unbinding with role j itself gives M r_jᵀ = f_j + Σ_i C_ji f_i: exact iff C = 0, that is, iff
    the roles are orthonormal.

    Source: Smolensky (1990), self-addressing unbinding.

    Raises:
        ValueError: not ``(n, d)`` with n at least 1, or a number that is not finite.

    >>> crosstalk_matrix([[1, 0], [0.6, 0.8]]).tolist()
    [[0.0, 0.6], [0.6, 0.0]]
    """
    R = _rows(roles)
    return R @ R.T - np.eye(len(R))


def reading_error(roles: Any) -> Any:
    """Return √(Σ_i C_ji²) for each role j, shape ``(n,)``: ‖M r_jᵀ − f_j‖, root mean square.

    C is ``crosstalk_matrix``; the fillers are independent, with mean 0 and E‖f‖² = 1. For given
    fillers the error is exactly Σ_i C_ji f_i.
    """
    return np.sqrt(np.sum(crosstalk_matrix(roles) ** 2, axis=-1))


def reading_cosine(roles: Any) -> Any:
    """Return G_jj / √(Σ_i G_ji²), G = R Rᵀ, shape ``(n,)``: the cosine of M r_jᵀ with f_j.

    For fillers as in ``reading_error``, with many components. With n random roles of length 1 in
    d dimensions it is about 1/√(1 + (n − 1)/d). A zero role reads nothing: 0.

    >>> reading_cosine([[1, 0], [0.6, 0.8]]).round(3).tolist()
    [0.857, 0.857]
    """
    R = _scaled(_rows(roles))
    gram = R @ R.T
    length = np.sqrt(np.sum(gram**2, axis=-1))
    return np.diagonal(gram) / np.where(length == 0, 1, length)


def role_recall(roles: Any, dim: int, codebook: int) -> Any:
    """Return ∫ φ(h) Φ(h + s)^(D−n) Π_i Φ(h + s (1 − g_i)) dh for each role, shape ``(n,)``.

    The chance that M r_jᵀ is most similar to f_j among D fillers of ``dim`` components, n of them
    stored: ``recall_probability`` with s² = d cos², cos from ``reading_cosine``, in which the other
    stored fillers have a head start g_i = G_ji/G_jj, their share in what is read. It matters
    when two roles are alike: whatever d is, fillers of equal roles are confused.

    Raises:
        ValueError: roles as in ``crosstalk_matrix``; ``dim`` or ``codebook`` below 1, or an array.

    >>> role_recall([[1, 0], [0.6, 0.8]], 64, 1000).round(3).tolist()
    [0.974, 0.974]
    """
    R = _scaled(_rows(roles))
    gram, cosine = R @ R.T, np.asarray(reading_cosine(R))
    s = (np.sqrt(one_number(1, dim=dim)) * cosine)[:, None, None]  # [role, 1, 1]
    others = max(0.0, one_number(1, codebook=codebook) - len(R))
    size = np.diagonal(gram)[:, None]
    start = gram / np.where(size == 0, 1, size)
    h, weight = normal_rule()
    # A quadratic number of log Φ, one erfc of the standard library each, is read off a table.
    ahead = np.interp(h + s * (1 - start[..., None]), *_table())  # [role, rival, h]
    rivals = np.where(np.eye(len(R), dtype=bool)[..., None], 0, ahead)  # none of its own
    log_right = others * log_normal_cdf(h + s[:, 0]) + rivals.sum(-2)
    return np.minimum(np.exp(log_right) @ weight, 1.0)


def noise_growth(roles: Any) -> float:
    """Return 1/σ_min(R): how much reading with dual roles may amplify noise in the memory.

    With U the dual roles, M Uᵀ = Fᵀ, and noise E in M adds E Uᵀ, at most ‖E‖/σ_min in spectral
    norm (attained). The noise of role j alone grows by ‖u_j‖ ≤ 1/σ_min; 1 for orthonormal roles.
    It is inf for linearly dependent roles, which have no duals.

    >>> round(noise_growth([[1, 0], [0.6, 0.8]]), 3)
    1.581
    """
    R = _rows(roles)
    sigma = np.linalg.svd(R, compute_uv=False)
    rounding = np.finfo(float).eps * max(R.shape) * sigma[0]
    if R.shape[0] > R.shape[1] or sigma[-1] <= rounding:
        return float("inf")
    return float(plain(1 / sigma[-1]))


@cache
def _table() -> tuple[Any, Any]:
    """Return points and log Φ there, dense enough to be linear to 1e-6 between them."""
    x = np.linspace(-36, 36, 18_001)
    return x, log_normal_cdf(x)


def _rows(roles: Any) -> Any:
    R = reals("roles", roles)
    if R.ndim != 2 or R.shape[0] == 0 or R.shape[1] == 0:
        raise ValueError(f"roles has shape {R.shape}; one role a row is needed, (n, d).")
    if not np.isfinite(R).all():
        raise ValueError("roles holds NaN or infinity; finite numbers are needed.")
    return R


def _scaled(R: Any) -> Any:
    """Return the roles over their largest number: cosines and shares do not depend on a scale."""
    largest = np.abs(R).max()
    return R / largest if largest > 0 else R
