"""Ties: what a majority, a sign or a phase is when the sum says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vsacourse.backend import A, array_namespace, asarray_like

if TYPE_CHECKING:
    from vsacourse.algebra.base import Model

__all__ = ["break_ties", "tie_places"]


def tie_places(model: Model, operation: str, ties: Any, rng: np.random.Generator | None) -> int:
    """Return the number of ties.

    Raises:
        ValueError: there is a tie and no generator to break it.
        TypeError: ``rng`` is neither None nor a generator.
    """
    if rng is not None:
        model._check_rng(operation, rng)
    count = int(array_namespace(ties).count_nonzero(ties))
    if count and rng is None:
        raise ValueError(
            f"{model}.{operation}: {count} components are ties, and no rng was given; ties are "
            "broken at random. Pass rng=np.random.default_rng(seed)."
        )
    return count


def break_ties(
    model: Model,
    values: A,
    ties: A,
    choices: tuple[int, int],
    rng: np.random.Generator | None,
    operation: str = "normalize",
) -> A:
    """Return ``values`` with one of two choices, each with probability ½, where ``ties`` is True.

    One number is drawn for each tie, in the order of the array: a batch uses the generator as
    its members would one after the other. ``values`` is changed in place.
    """
    count = tie_places(model, operation, ties, rng)
    if count and rng is not None:
        values[ties] = asarray_like(np.where(rng.random(count) < 0.5, *choices), values)
    return values
