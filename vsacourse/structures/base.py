"""What all structures share: a vector, the memory that it is read with, and a predicted error."""

from __future__ import annotations

import copy as copying
import warnings
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from vsacourse import theory
from vsacourse.algebra import Model
from vsacourse.backend import A, copy, off_graph
from vsacourse.memory import ItemMemory
from vsacourse.structures.checks import checked_vector

__all__ = ["TOO_FULL", "Reading", "Structure", "TooFullWarning"]

S = TypeVar("S", bound="Structure[Any]")

TOO_FULL = 0.05
"""The predicted error of a reading above which a structure warns when it is made."""
_GOAL = 0.01  # the error for which the warning names a dimension


class TooFullWarning(UserWarning):
    """A structure holds more than its dimension carries: many readings will be wrong."""


@dataclass(frozen=True, repr=False)
class Reading:
    """What was read at one place of a structure.

    Attributes:
        name: the item of the memory that is most similar to what was read.
        similarity: its similarity to what was read.
        error: the predicted chance that the name is wrong, before anything was read: from the
            dimension, the number of items in the structure and in the memory. It is too high
            for few items, and knows of no noise that was added to the vector.
        vector: ``(d,)``, what was read, before cleanup.
    """

    name: str
    similarity: float
    error: float
    vector: Any = field(compare=False)

    def __repr__(self) -> str:
        numbers = f"similarity={self.similarity:.2f}, error={_percent(self.error)}"
        return f"Reading({self.name!r}, {numbers})"

    def __str__(self) -> str:
        return (
            f"{self.name} (similarity {self.similarity:.2f}, "
            f"predicted error {_percent(self.error)})"
        )


class Structure(Generic[A]):
    """A vector that holds named items, read back through an item memory; it cannot be changed.

    Attributes:
        model: the model of its vectors.
        vector: ``(d,)``, NumPy or torch, as the memory's vectors are; NumPy's cannot be written.
        memory: the item memory in which a reading is looked up.
    """

    model: Model
    vector: A
    memory: ItemMemory[A]
    _items: tuple[float, ...]  # the effective number of items of each reading
    _errors: tuple[float, ...]  # and its predicted error

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"a {type(self).__name__} cannot be changed; what changes it returns a new one."
        )

    def _set(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def _hold(self, vector: A) -> None:
        vector = copy(vector)
        if isinstance(vector, np.ndarray):
            vector.flags.writeable = False
        self._set(vector=vector)

    def with_vector(self: S, vector: Any) -> S:
        """Return the same structure, with the same places, read from another vector ``(d,)``.

        For a vector that came through noise, a sum or a network. The predicted error stays that
        of a clean vector, and what was stored is forgotten.

        Raises:
            ValueError: another shape than the vector's, or a non-finite number.
            TypeError: a wrong dtype, or NumPy in the place of torch.
        """
        checked_vector(type(self).__name__, self.memory, vector, self.vector.shape[-1])
        new = copying.copy(self)
        new._hold(vector)
        new._set(_known=None)
        return new

    def similarity(self, other: Structure[A] | A) -> float:
        """Return the model's similarity to another structure of the same model, or to a vector.

        Raises:
            ValueError: another model, or a wrong dimension.
        """
        if isinstance(other, Structure):
            if other.model != self.model:
                raise ValueError(
                    f"{type(self).__name__} is of {self.model} and the other of {other.model}; "
                    "one model is needed."
                )
            other = other.vector
        return float(off_graph(self.model.similarity(self.vector, other)))

    @property
    def predicted_error(self) -> float:
        """The chance that one reading is wrong, the mean over all that can be read."""
        return float(np.mean(self._errors)) if self._errors else 0.0

    def _error(self, items: float) -> float:
        """Return 1 − recall_probability for an effective number of items."""
        found = theory.recall_probability(self.model.dim, items, len(self.memory), self.model)
        return float(1 - found)

    def _chances(self) -> tuple[float, ...]:
        """Return the predicted error of each reading."""
        known = {items: self._error(items) for items in set(self._items)}
        return tuple(known[items] for items in self._items)

    def _dimension(self, items: float) -> int:
        return theory.dimension_for(items, len(self.memory), self.model, _GOAL)

    def _read(self, vector: Any, error: float) -> Reading:
        """Return the most similar item of the memory."""
        found = self.memory.cleanup(vector)
        return Reading(found.names, float(off_graph(found.similarity)), error, vector)

    def _rate(self, advice: str | None = None, stacklevel: int = 4) -> None:
        """Set the predicted errors, and warn if they are too large."""
        self._set(_errors=self._chances())
        error = self.predicted_error
        if error <= TOO_FULL:
            return
        if advice is None:
            dimension = self._dimension(float(np.mean(self._items)))
            advice = f"dim={dimension} would do for {_GOAL:.0%}."
        warnings.warn(
            f"{self!r} is too full: about {_percent(error)} of its readings are predicted to be "
            f"wrong; {advice}",
            TooFullWarning,
            stacklevel=stacklevel,
        )


def unbound_items(model: Model, n: int) -> float:
    """Return the effective number of items of which none was unbound with noise."""
    return float(theory.effective_items(n * [0], model))


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.1 or share == 0 else f"{100 * share:.1g}%"
