"""What a resonator found, and when it may call that solved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Any, Generic

from vsacourse.backend import A, array_namespace
from vsacourse.memory.settling import conj, is_complex

__all__ = ["Factors", "chance_level", "decode", "matches"]

_FALSE_ALARM = 1e-3
_EXACT = 0.999


@dataclass(frozen=True, eq=False)
class Factors(Generic[A]):
    """What a ``Resonator`` of F codebooks found for bound vectors ``(..., d)``.

    **Look at** ``solved`` **first**: the other fields hold the best guess also when it is False.
    Fields of shape ``()`` are plain Python values.

    Attributes:
        names: the names of the F items found, in a list; nested lists of them for a batch.
        index: ``(..., F)``, their places in the codebooks.
        signs: ``(..., F)``, s_f with x̂_f ≈ s_f x_f: ±1 in MAP, unit phasors in FHRR. A bound
            vector does not determine them, only their product, which it gives as 1 unless it
            was negated (or, in FHRR, its phases all shifted) itself.
        confidence: ``(..., F)``, the similarity of the estimate x̂_f to s_f x_f. It says that
            the network settled on an item, not that the item is right.
        similarity: ``(...)``, of the product of all s_f x_f to the bound vector.
        solved: ``(...)``, whether that product matches the bound vector: its similarity reaches
            ``threshold``, and no exchange of one item raises it by as much again (where items
            resemble each other, a neighbour of the right one is similar too).
        threshold: the similarity that was asked for.
        outcome: ``(...)``, how the network ended: ``"converged"``, ``"cycle"`` or
            ``"step limit"``. None of them says whether the factors are right.
        period: ``(...)``, the length of the cycle: 1 when converged, 0 at the step limit.
        steps: ``(...)``, steps taken, in all starts together.
        restarts: ``(...)``, new starts taken after the first.
    """

    names: Any
    index: A
    signs: A
    confidence: A
    similarity: Any
    solved: Any
    threshold: float
    outcome: Any
    period: Any
    steps: Any
    restarts: Any


def chance_level(combinations: int, coordinates: int) -> float:
    """Return √(2 ln(2 M/.001) / D), at most .999: what none of M products reaches by chance.

    By Hoeffding's inequality one product of random items has ``|cos| >= t`` with an unrelated
    vector with probability at most 2 exp(−D t²/2), and M products at most M times that; here it
    is .001. D is the number of real coordinates, d for MAP and 2d for FHRR.
    """
    return min(_EXACT, math.sqrt(2 * math.log(2 * combinations / _FALSE_ALARM) / coordinates))


def real(x: Any) -> Any:
    """Return the real part; torch has none of real tensors."""
    return array_namespace(x).real(x) if is_complex(x) else x


def decode(estimate: Any, codebook: Any) -> tuple[Any, Any, Any]:
    """Return the item with the largest ``|⟨x, x̂⟩|``, its sign, and that divided by d.

    ``[batch, d]`` and ``[n, d]`` to three of ``[batch]``.
    """
    xp = array_namespace(estimate)
    dots = conj(conj(estimate) @ codebook.T)  # [batch, n]
    index = xp.argmax(abs(dots), axis=-1)
    best = xp.take_along_axis(dots, index[:, None], axis=-1)[:, 0]
    size = abs(best)
    sign = xp.where(size == 0, xp.ones_like(best), best / xp.where(size == 0, 1, size))
    return index, sign, size / estimate.shape[-1]


def matches(
    bound: Any, codebooks: list[Any], index: Any, signs: Any, threshold: float
) -> tuple[Any, Any]:
    """Return the similarity of Π_f s_f x_f to the bound vectors, and whether it solves them.

    ``bound`` is ``[batch, d]``; ``index`` and ``signs`` are ``[batch, F]``.
    """
    xp = array_namespace(bound)
    items = [signs[:, f, None] * X[index[:, f]] for f, X in enumerate(codebooks)]
    scale = xp.linalg.vector_norm(bound, axis=-1) * math.sqrt(bound.shape[-1])
    similarity = real(xp.sum(bound * conj(reduce(mul, items)), axis=-1)) / scale
    solved = similarity >= threshold
    for f, X in enumerate(codebooks):
        others = [conj(x) for g, x in enumerate(items) if g != f]
        dots = abs(conj(reduce(mul, others, bound)) @ X.T)  # [batch, n]
        here = xp.take_along_axis(dots, index[:, f, None], axis=-1)[:, 0]
        solved = solved & (xp.max(dots, axis=-1) < here + threshold * scale)
    return similarity, solved
