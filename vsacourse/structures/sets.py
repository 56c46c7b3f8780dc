"""Sets: which items are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vsacourse import theory
from vsacourse.algebra import Model
from vsacourse.backend import A, off_graph
from vsacourse.memory import ItemMemory
from vsacourse.structures.base import Reading, Structure, unbound_items
from vsacourse.structures.checks import (
    checked_count,
    checked_memories,
    checked_names,
    checked_vector,
    doubled,
    vectors_of,
)

__all__ = ["Membership", "Set", "encode_set"]


def encode_set(model: Model, items: A, rng: np.random.Generator | None = None) -> A:
    """Return Σ_i x_i, BSC the majority: ``(..., n, d)`` to ``(..., d)``. The model's ``bundle``.

    Raises:
        ValueError: no items, or a tie without ``rng``.
    """
    return model.bundle(items, rng)


class Membership(Structure[A]):
    """What is told present or absent: at half the similarity that a present item should have."""

    def _error(self, items: float) -> float:
        return float(theory.membership_error(self.model.dim, items, self.model))

    def _dimension(self, items: float) -> int:
        # Q(½ √(c d/M)) = e for d = 4 M z²/c
        z = theory.gaussian_tail_inverse(0.01)
        dim = int(np.ceil(4 * items * z**2 / theory.capacity_constant(self.model)))
        return int(np.ceil(np.sqrt(dim))) ** 2 if self.model.name == "VTB" else dim

    def _asked(self, name: str, vector: Any, items: float) -> Reading:
        """Return the reading of one given item."""
        similarity = float(off_graph(self.model.similarity(vector, self.memory[name])))
        return Reading(name, similarity, self._error(items), vector)

    def _present(self, vector: Any, items: float) -> list[Reading]:
        """Return the readings of all items past the threshold, most similar first."""
        similarity = self.memory.similarity(vector)
        found = zip(self.memory.names, similarity.tolist(), strict=True)
        error, least = self._error(items), self._threshold(items)
        readings = [Reading(name, value, error, vector) for name, value in found if value >= least]
        return sorted(readings, key=lambda reading: -reading.similarity)

    def _threshold(self, items: float) -> float:
        """Return half of the similarity expected of a present item."""
        c = theory.capacity_constant("BSC") if self.model.name == "BSC" else 1
        return float(np.sqrt(c / items)) / 2


class Set(Membership[A]):
    """Items without order, Σ_i x_i, in all seven models.

    ``set["cat"]`` asks about one item: its ``error`` is the chance that ``"cat" in set`` is wrong
    (``theory.membership_error``). ``decode`` knows how many there are, and errs less.

    >>> import numpy as np
    >>> from vsacourse import MAP, ItemMemory
    >>> from vsacourse.structures import Set
    >>> animals = ItemMemory.random(MAP(dim=1024), ["cat", "dog", "cow"], np.random.default_rng(0))
    >>> pets = Set(["cat", "dog"], animals)
    >>> "cat" in pets, "cow" in pets
    (True, False)

    Args:
        items: different names.
        memory: the memory of items.
        rng: breaks the ties of BSC.

    Raises:
        UnknownNameError: an item that the memory does not hold.
        ValueError: no items, an item twice, or a tie without ``rng``.
        TypeError: ``memory`` is no item memory.
    """

    _known: Any
    _size: int

    def __init__(
        self, items: Iterable[str], memory: ItemMemory[A], rng: np.random.Generator | None = None
    ) -> None:
        model = checked_memories("Set", memory=memory)
        names = checked_names("Set", items)
        if doubled(names) is not None:
            raise ValueError(f"Set: the item {doubled(names)!r} occurs twice; give it once.")
        self._build(encode_set(model, vectors_of(memory, names), rng), memory, len(names))

    @classmethod
    def from_vector(cls, vector: A, memory: ItemMemory[A], size: int) -> Set[A]:
        """Return the set of so many items that a vector is.

        Raises:
            ValueError: a wrong shape, or more items than the memory has.
            TypeError: NumPy and torch together, a wrong dtype.
        """
        model = checked_memories("Set", memory=memory)
        checked_vector("Set", memory, vector, model.dim)
        new: Set[A] = cls.__new__(cls)
        new._build(vector, memory, checked_count("Set", "size", size))
        return new

    def _build(self, vector: A, memory: ItemMemory[A], size: int) -> None:
        if size > len(memory):
            raise ValueError(f"Set: {size} items of a memory of {len(memory)}; give fewer.")
        self._hold(vector)
        items = (unbound_items(memory.model, size),)
        self._set(model=memory.model, memory=memory, _items=items, _size=size, _known=None)
        self._rate()

    def __repr__(self) -> str:
        return f"Set({self.model}, {len(self)} items)"

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, item: str) -> Reading:
        """Return the reading of one item: its similarity, and how often the yes or no is wrong."""
        return self._asked(item, self.vector, self._items[0])

    def __contains__(self, item: str) -> bool:
        """Say whether an item is in the set: past half of the similarity it should have."""
        return self[item].similarity >= self._threshold(self._items[0])

    def decode(self) -> list[Reading]:
        """Return the readings of the most similar items, as many as the set holds, best first.

        ``error`` is the chance that a member loses to a stranger; it is too high, since the most
        similar are taken together and the strangers share the places of those that are missing.
        """
        found, absent = self.memory.topk(self.vector, len(self)), len(self.memory) - len(self)
        error = 1 - theory.recall_probability(
            self.model.dim, self._items[0], absent + 1, self.model
        )
        return [
            Reading(name, value, float(error), self.vector)
            for name, value in zip(found.names, found.similarity.tolist(), strict=True)
        ]
