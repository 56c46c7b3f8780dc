"""The steps of a resonator network, and how they end."""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from vsacourse.backend import array_namespace, conjugate, copy, dtype_name, to_backend, to_numpy

__all__ = ["conj", "is_complex", "phase", "settle", "step"]

_SETTLED = 1e-6
"""FHRR has converged when 1 − |⟨new, old⟩|/d is at most this: phases move by .0014 rad (rms)."""


def is_complex(x: Any) -> bool:
    """Say whether the components are phasors (FHRR), not signs (MAP)."""
    return "complex" in dtype_name(x.dtype)


def conj(x: Any) -> Any:
    """Return the inverse of unit phasors, or of signs: themselves."""
    return conjugate(x) if is_complex(x) else x


def phase(y: Any, before: Any) -> Any:
    """Return g(y) = y / ``|y|``, the sign of a real number, and ``before`` where y = 0."""
    xp = array_namespace(y)
    size = abs(y)
    tie = size == 0
    return xp.where(tie, before, y / xp.where(tie, xp.ones_like(size), size))


def step(c: Any, x: list[Any], codebooks: list[Any]) -> list[Any]:
    """Return the estimates after x̂_f ← g(X_fᵀ X_f (c ⊙ Π_{h≠f} inverse(x̂_h))), f in turn."""
    x = list(x)
    for f, X in enumerate(codebooks):
        others = [conj(estimate) for h, estimate in enumerate(x) if h != f]
        rest = reduce(mul, others, c)  # [batch, d], what c holds besides the other estimates
        weights = conj(conj(rest) @ X.T)  # [batch, n]; so X is not conjugated, only vectors are
        x[f] = phase(weights @ X, x[f])
    return x


def settle(
    c: Any, x: list[Any], codebooks: list[Any], max_steps: int
) -> tuple[list[Any], Any, Any]:
    """Step until every network of the batch converged or cycles, at most ``max_steps`` times.

    Returns:
        The last estimates, F of ``[batch, d]``; the steps taken ``(batch,)``; the period of the
        cycle that was entered ``(batch,)``, 1 for a fixed point and 0 at the step limit.
    """
    n = c.shape[0]
    last = [copy(estimate) for estimate in x]
    steps, period = np.zeros(n, int), np.zeros(n, int)
    active = np.arange(n)
    seen: list[dict[int, int]] = [{s: 0} for s in _states(x)]
    for now in range(1, max_steps + 1):
        if len(active) == 0:
            break
        before, x = x, step(c, x, codebooks)
        period[active] = _periods(before, x, [seen[i] for i in active], now)
        steps[active] = now
        done = period[active] > 0
        if done.any() or now == max_steps:
            places = to_backend(active, c)
            for f, estimate in enumerate(x):
                last[f][places] = estimate
            keep = to_backend(np.flatnonzero(~done), c)
            active, c, x = active[~done], c[keep], [estimate[keep] for estimate in x]
    return last, steps, period


def _periods(before: list[Any], x: list[Any], seen: list[dict[int, int]], now: int) -> Any:
    """Return how many steps ago each network was in the state it is in, or 0 if never.

    In MAP, steps are deterministic and states discrete: one that comes again comes for ever.
    Phasors do not come again exactly, and of them only a fixed point is seen. It is one up to a
    common phase: all phases of x̂_f turn on together at a constant rate, since the cross-talk of
    the other items has a phase too, and nothing but the product of all x̂_f is held.
    """
    if is_complex(x[0]):
        overlaps = [abs((b * conj(a)).mean(axis=-1)) for a, b in zip(before, x, strict=True)]
        return np.all([to_numpy(1 - o) <= _SETTLED for o in overlaps], axis=0).astype(int)
    states = _states(x)
    return np.array([now - old.setdefault(s, now) for old, s in zip(seen, states, strict=True)])


def _states(x: list[Any]) -> list[int]:
    """Return a number for the state of each network: the hash of its signs; unused for phasors."""
    if is_complex(x[0]):
        return [0] * x[0].shape[0]
    signs = np.stack([to_numpy(estimate).astype(np.int8) for estimate in x], axis=1)
    return [hash(row.tobytes()) for row in signs]  # 64 bits: that two differ unseen is no worry
