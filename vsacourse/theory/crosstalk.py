"""What one item keeps of itself after bundling, binding and unbinding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vsacourse.theory._arguments import ModelLike, at_least, model_name, plain

__all__ = ["majority_agreement", "nested_depth_cosine", "sequential_depth_cosine", "unbind_cosine"]


def unbind_cosine(items: Any, model: ModelLike = "MAP", thresholded: bool = False) -> Any:
    """Return the cosine with its partner after unbinding one of M bundled pairs.

    1/√M for MAP, FHRR and MBAT, √(π/4M) for FHRR with phases renormalised, 1/√(M+1) for HRR and
    VTB; for BSC and for MAP's signs 2P − 1 with P from ``majority_agreement``; 1 for TPR with
    orthonormal roles (for others see ``reading_cosine``). For M = 1 nothing is lost but in HRR
    and VTB.
    """
    name, items = model_name(model), at_least(1, items=items)
    if name == "BSC" or (name == "MAP" and thresholded):
        return plain(2 * np.asarray(majority_agreement(items)) - 1)
    if name in ("HRR", "VTB"):
        return plain(1 / np.sqrt(items + 1))
    if name == "TPR":
        return plain(np.ones_like(items))
    if name == "FHRR" and thresholded:
        return plain(np.where(items == 1, 1.0, np.sqrt(np.pi / (4 * items))))
    return plain(1 / np.sqrt(items))


def majority_agreement(k: Any) -> Any:
    """Return ½ + C(k−1, (k−1)/2)/2^k: the chance that a bit of one of k items is the majority's.

    That is for odd k. An even k with ties broken at random agrees as often as k + 1.

    Raises:
        ValueError: a number below 1, or infinity.

    >>> majority_agreement(3)
    0.75
    """
    return plain(np.vectorize(_agreement, otypes=[float])(at_least(1, k=k)))


def _agreement(k: float) -> float:
    m = int(k) // 2  # k = 2m + 1, or k = 2m
    if m <= 500:
        return 0.5 + math.comb(2 * m, m) / 2 ** (2 * m + 1)
    # Past that the factorials leave the floats; Stirling's series is exact to 1e-14 by then.
    series = 1 - 1 / (8 * m) + 1 / (128 * m**2) + 5 / (1024 * m**3)
    return 0.5 + series / (2 * math.sqrt(math.pi * m))


def nested_depth_cosine(depth: Any, model: ModelLike = "HRR") -> Any:
    """Return the cosine after binding ``depth`` keys in turn and unbinding them in reverse.

    2^(−r/2) for HRR; 1/√(r+1) for VTB; 1 for the exact models.

    The unbinding multiplies by a random P with mean 1, and leaves the cosine E[P] / √E[P²]. In
    HRR P is a product of r independent ``|F(key)|²`` at each frequency, exponentially
    distributed, so E[P²] = 2^r. In VTB it is G Gᵀ for a product G of r square Gaussian matrices,
    whose second moment is the Fuss–Catalan number r + 1.

    Source: Schlegel, Neubert & Protzel (2022), who measured both.

    >>> round(nested_depth_cosine(3, "VTB"), 3)
    0.5
    """
    depth, name = at_least(0, depth=depth), model_name(model)
    if name == "VTB":
        return plain(1 / np.sqrt(depth + 1))
    return plain(2 ** (-depth / 2) if name == "HRR" else np.ones_like(depth))


def sequential_depth_cosine(depth: Any, model: ModelLike = "HRR") -> Any:
    """Return the cosine after ``depth`` pairs of binding and, at once, unbinding the same key.

    2^(−r/2) for HRR *and* VTB; 1 for the exact models. HRR commutes, so that the order is no
    matter. In VTB it is a product of r independent K Kᵀ, each of second moment 2.

    >>> sequential_depth_cosine(2, "VTB")
    0.5
    """
    depth = at_least(0, depth=depth)
    noisy = model_name(model) in ("HRR", "VTB")
    return plain(2 ** (-depth / 2) if noisy else np.ones_like(depth))
