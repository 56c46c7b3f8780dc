"""Numbers as vectors whose similarity falls with their distance: fractional power encoding."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Generic

import numpy as np

from vsacourse import theory
from vsacourse.algebra import FHRR, HRR, Model
from vsacourse.backend import A, asarray_like, off_graph, to_backend, to_numpy
from vsacourse.structures.refusals import refuse

__all__ = ["NumberReading", "NumberSpace", "encode_number", "encode_point"]

_STEPS = 4  # points of the grid on a width
_BLOCK = 4096  # points that are encoded at once
_MOST = 10**6  # points of a grid


def encode_number(model: Model, base: A, value: Any, width: float = 1.0) -> A:
    """Return base^(x/width): a number, or numbers ``(...)``, with base ``(d,)``, to ``(..., d)``.

    The similarity of two numbers depends on their difference alone; for uniform phases, as
    ``FHRR.random`` and ``HRR.power_base`` draw them, it is sin(πx)/(πx) at x widths
    (for HRR nearly). Binding adds numbers. FHRR and HRR.

    Source: Plate (1995); Frady, Kleyko, Kymn, Olshausen & Sommer (2021), Computing on functions
    using randomized vector representations.

    Raises:
        ValueError: another model, or a base that has no fractional powers.
        TypeError: a number that is not real.
    """
    refuse(model, "number")
    exponent = value / width
    if getattr(exponent, "ndim", 0):
        exponent = exponent[..., None]
    return model.power(base, exponent)  # type: ignore[attr-defined]


def encode_point(model: Model, bases: A, point: Any, width: float = 1.0) -> A:
    """Return bases_1^(x_1/width) ⊛ … ⊛ bases_k^(x_k/width), for points in k dimensions.

    bases ``(k, d)``, point ``(..., k)``, to ``(..., d)``. The similarity is the product of those
    along the axes.

    Source: Komer, Stewart, Voelker & Eliasmith (2019), A neural representation of continuous space
    using fractional binding.

    Raises:
        ValueError: another model, or not one number for each base.
    """
    refuse(model, "number")
    if bases.ndim != 2 or point.ndim < 1 or point.shape[-1] != bases.shape[0]:
        raise ValueError(
            f"encode_point: bases of shape {tuple(bases.shape)} and a point of shape "
            f"{tuple(point.shape)}; (k, d) and (..., k) are needed."
        )
    powers = model.power(bases, (point / width)[..., None])  # type: ignore[attr-defined]
    return model.multibind(powers)  # [..., k, d]


@dataclass(frozen=True, repr=False)
class NumberReading:
    """A number, or point, that was read from a vector.

    Attributes:
        value: the number; in k dimensions a tuple of k.
        similarity: of what was read to the vector of this value.
        error: the predicted chance that the value is off by more than a width: on a wrong hill.
        spread: the predicted standard deviation otherwise.
        vector: ``(d,)``, what was read.
    """

    value: Any
    similarity: float
    error: float
    spread: float
    vector: Any = field(compare=False)

    def __repr__(self) -> str:
        return (
            f"NumberReading({self._rounded}, similarity={self.similarity:.2f}, "
            f"error={self.error:.1g}, spread={self.spread:.1g})"
        )

    def __str__(self) -> str:
        return (
            f"{self._rounded} ± {self.spread:.1g} (similarity {self.similarity:.2f}, "
            f"predicted error {100 * self.error:.1g}%)"
        )

    @property
    def _rounded(self) -> Any:
        if isinstance(self.value, tuple):
            return tuple(round(x, 3) for x in self.value)
        return round(self.value, 3)


class NumberSpace(Generic[A]):
    """Numbers between two bounds, or points in a box, and their vectors; FHRR and HRR.

    To numbers it is what an item memory is to names: ``encode`` gives the vector, ``read`` finds
    the most similar number, on a grid of four points a width and then between them by parabolas.

    >>> import numpy as np
    >>> from vsacourse import FHRR
    >>> from vsacourse.structures import NumberSpace
    >>> rng = np.random.default_rng(0)
    >>> space = NumberSpace.random(FHRR(dim=1024), low=0, high=10, width=1, rng=rng)
    >>> space.read(space.encode(3.7))
    NumberReading(3.7, similarity=1.00, error=0, spread=0)
    >>> both = space.model.bind(space.encode(1.25), space.encode(2.5))  # binding adds
    >>> round(space.read(both).value, 3)
    3.75

    Args:
        model: FHRR or HRR.
        bases: ``(k, d)``, one for each axis: of ``FHRR.random`` or ``HRR.power_base``.
        low: the least number, or k of them.
        high: the largest number, or k of them.
        width: how far apart numbers are that are told apart: their similarity is 0 there.

    Raises:
        ValueError: another model; bounds that are no bounds; a width that is not above 0.
    """

    bases: A

    def __init__(self, model: Model, bases: A, low: Any, high: Any, width: float = 1.0) -> None:
        refuse(model, "number")
        model._check("NumberSpace", bases)
        self.low, self.high = (np.atleast_1d(np.asarray(x, float)) for x in (low, high))
        if bases.ndim != 2 or not self.low.shape == self.high.shape == (bases.shape[0],):
            raise ValueError(
                f"NumberSpace: bases of shape {tuple(bases.shape)} with {self.low.size} lower and "
                f"{self.high.size} upper bounds; (k, d) and k bounds each are needed."
            )
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            raise ValueError("NumberSpace: a bound is NaN or infinite; finite ones are needed.")
        if not (self.low < self.high).all():
            raise ValueError(
                f"NumberSpace: low is {low} and high {high}; low needs to be below high."
            )
        if not 0 < width < math.inf:
            raise ValueError(f"NumberSpace: width is {width}; a number above 0 is needed.")
        self.model, self.bases, self.width = model, bases, float(width)
        counts = np.ceil(_STEPS * (self.high - self.low) / width).astype(int) + 1
        if counts.prod() > _MOST:
            raise ValueError(
                f"NumberSpace: {counts.prod()} points would be compared; at most {_MOST} are. "
                "Take a larger width, or bounds nearer to each other."
            )
        self._axes = [np.linspace(*x) for x in zip(self.low, self.high, counts, strict=True)]

    @staticmethod
    def random(
        model: Model, low: Any, high: Any, width: float = 1.0, *, rng: np.random.Generator
    ) -> NumberSpace[Any]:
        """Draw one base for each axis; bounds that are pairs make a plane."""
        refuse(model, "number")
        k = np.atleast_1d(low).size
        draw = model.power_base if isinstance(model, HRR) else model.random
        return NumberSpace(model, draw(k, rng), low, high, width)

    def __repr__(self) -> str:
        low, high = (self._plain(x) for x in (self.low, self.high))
        return f"NumberSpace({self.model}, {low} to {high}, width {self.width:g})"

    def to(self, like: A) -> NumberSpace[A]:
        """Return the same space as the kind of array that ``like`` is, on its device."""
        low, high = self._plain(self.low), self._plain(self.high)
        return NumberSpace(self.model, to_backend(self.bases, like), low, high, self.width)

    def encode(self, value: Any) -> A:
        """Return the vector of a number, or of k numbers: ``(d,)``.

        Raises:
            ValueError: outside of the bounds.
        """
        point = np.atleast_1d(np.asarray(value, float))
        inside = (
            point.shape == self.low.shape and ((self.low <= point) & (point <= self.high)).all()
        )
        if not inside:
            low, high = self._plain(self.low), self._plain(self.high)
            raise ValueError(
                f"NumberSpace: the value is {value}; it needs to lie from {low} to {high}."
            )
        return self._encode(point)

    def read(self, vector: A, items: float = 1.0) -> NumberReading:
        """Return the number that is most similar to a vector ``(d,)``.

        ``items`` is the effective number of items in the vector, from ``theory.effective_items``:
        1 for the vector of a number alone; it matters to ``error`` and ``spread`` only.

        Raises:
            ValueError: not one vector of d components, or a non-finite number.
        """
        self.model._check("read", vector, self.bases, names=("vector", "base"))
        if vector.ndim != 1:
            raise ValueError(
                f"NumberSpace: the vector has shape {tuple(vector.shape)}; ({self.model.dim},) is "
                "needed. Read one vector at a time."
            )
        point = self._climb(vector, self._nearest(vector))
        rivals = float(np.prod((self.high - self.low) / self.width + 1))
        recall = theory.recall_probability(self.model.dim, items, max(1, rivals), self.model)
        return NumberReading(
            self._plain(point),
            float(off_graph(self.model.similarity(vector, self._encode(point)))),
            float(1 - recall),
            float(theory.number_spread(self.model.dim, items, self.width, self.model)),
            vector,
        )

    def _encode(self, points: Any) -> A:
        like: Any = self.bases
        real = like.real if isinstance(self.model, FHRR) else like
        return encode_point(self.model, self.bases, asarray_like(points, real), self.width)

    def _similarity(self, vector: Any, points: Any) -> Any:
        return to_numpy(self.model.similarity(vector, self._encode(points)))

    def _nearest(self, vector: Any) -> Any:
        """Return the most similar point of the grid."""
        grid = np.array(list(product(*self._axes)))  # [point, k]
        scores = [
            self._similarity(vector, grid[start : start + _BLOCK])
            for start in range(0, len(grid), _BLOCK)
        ]
        return grid[int(np.concatenate(scores).argmax())]

    def _climb(self, vector: Any, point: Any) -> Any:
        """Return the top of the hill: the vertex of the parabola through three points, repeated.

        The hill is symmetrical but for noise, so the vertex of points on both sides is its top.
        """
        step = self.width / (2 * _STEPS)
        for _ in range(6):
            for axis in range(len(point)):
                three = np.tile(point, (3, 1))
                three[:, axis] += (-step, 0, step)
                left, middle, right = self._similarity(vector, three).astype(float)
                bend = left - 2 * middle + right
                if bend < 0:
                    point[axis] += np.clip(step * (left - right) / (2 * bend), -step, step)
        return np.clip(point, self.low, self.high)

    def _plain(self, point: Any) -> Any:
        values = tuple(float(x) for x in point)
        return values if len(values) > 1 else values[0]
