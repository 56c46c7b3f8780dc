"""Sequences: which item stands at which place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vsacourse.algebra import Model
from vsacourse.backend import A
from vsacourse.memory import ItemMemory
from vsacourse.structures.base import Reading, Structure, unbound_items
from vsacourse.structures.checks import (
    checked_count,
    checked_memories,
    checked_names,
    checked_vector,
    permuted,
    vectors_of,
)
from vsacourse.structures.records import encode_record, read_role, record_errors, record_items
from vsacourse.structures.refusals import refuse

__all__ = ["Sequence", "encode_sequence", "position_powers", "read_position"]


def encode_sequence(model: Model, items: A, rng: np.random.Generator | None = None) -> A:
    """Return Σ_i ρ^i(x_i), i = 0 … n − 1, ρ the cyclic shift: ``(..., n, d)`` to ``(..., d)``.

    For places marked by binding, Σ_i bind(x_i, p_i), use ``encode_record`` with the positions as
    roles: independent ones, or ``position_powers``. BSC takes a majority, ties broken from ``rng``.

    Source: Gayler (2003); Frady, Kleyko & Sommer (2018).

    Raises:
        ValueError: no items, more than d (ρ^d moves nothing), or a tie without ``rng``.
    """
    _check_places(model, items.shape[-2] if items.ndim > 1 else 0)
    return model.bundle(permuted(model, items, range(items.shape[-2])), rng)


def read_position(model: Model, sequence: A, place: int) -> A:
    """Return ρ^(−i)(sequence) ≈ x_i, i = ``place``: ``(..., d)`` to ``(..., d)``."""
    return model.permute(sequence, -place)


def position_powers(model: Model, base: A, n: int) -> A:
    """Return base^0, base^1 … base^(n−1): ``(..., d)`` to ``(..., n, d)``; FHRR and HRR.

    A place is a power of one vector, so that binding the whole sequence with the base moves it by
    one place. HRR's base is unitary, as ``HRR.unitary`` or ``power_base`` draw it.

    Source: Plate (1995), trajectory association.

    Raises:
        ValueError: another model, or a base that is not unitary.
    """
    refuse(model, "powers of a position")
    exponents = np.arange(checked_count("position_powers", "n", n))[:, None]
    return model.power(base[..., None, :], exponents)  # type: ignore[attr-defined]


class Sequence(Structure[A]):
    """Items in order, in all seven models, with places marked in one of three ways.

    - by permutation, Σ_i ρ^i(x_i), when ``positions`` is None;
    - by binding, Σ_i bind(x_i, p_i), when it is a memory, whose items in turn are the places;
    - by powers, Σ_i bind(x_i, p^i), when it is one vector p ``(d,)`` (FHRR and unitary HRR).

    Reading a place has M items to tell apart; with a memory of positions as in a ``Record``.

    >>> import numpy as np
    >>> from vsacourse import MAP, ItemMemory
    >>> from vsacourse.structures import Sequence
    >>> letters = ItemMemory.random(MAP(dim=1024), list("abcdefgh"), np.random.default_rng(0))
    >>> word = Sequence("cabbage", letters)
    >>> word[0].name, word[-1].name
    ('c', 'e')
    >>> "".join(reading.name for reading in word.decode())
    'cabbage'

    Args:
        items: names; a string is read letter by letter.
        memory: the memory of items.
        positions: how places are marked.
        rng: breaks the ties of BSC.

    Raises:
        UnknownNameError: an item that the memory does not hold.
        ValueError: no items, more items than places, memories of two models, a tie without ``rng``.
        TypeError: something is no memory, or one is NumPy and another torch.
    """

    _keys: Any
    _known: tuple[str, ...] | None

    def __init__(
        self,
        items: Iterable[str],
        memory: ItemMemory[A],
        positions: ItemMemory[A] | A | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        checked_memories("Sequence", memory=memory)
        names = checked_names("Sequence", items)
        self._place(memory, len(names), positions)
        vectors = vectors_of(memory, names)
        if self._keys is None:
            vector = encode_sequence(memory.model, vectors, rng)
        else:
            vector = encode_record(memory.model, self._keys, vectors, rng)
        self._hold(vector)
        self._set(_known=names)
        self._rate(stacklevel=3)

    @classmethod
    def from_vector(
        cls,
        vector: A,
        memory: ItemMemory[A],
        length: int,
        positions: ItemMemory[A] | A | None = None,
    ) -> Sequence[A]:
        """Return the sequence of so many items that a vector is.

        Raises:
            ValueError: a wrong shape, more items than places, memories of two models.
            TypeError: NumPy and torch together, a wrong dtype.
        """
        checked_memories("Sequence", memory=memory)
        sequence: Sequence[A] = cls.__new__(cls)
        sequence._place(memory, checked_count("Sequence", "length", length), positions)
        size = memory.model.dim
        if memory.model.name == "TPR" and sequence._keys is not None:
            size *= sequence._keys.shape[-1]
        checked_vector("Sequence", memory, vector, size)
        sequence._hold(vector)
        sequence._rate(stacklevel=3)
        return sequence

    def _place(self, memory: ItemMemory[A], length: int, positions: Any) -> None:
        """Set what marks the places, and with it how many items each reading is among."""
        model, keys = memory.model, None
        if positions is None:
            _check_places(model, length)
        elif isinstance(positions, ItemMemory):
            checked_memories("Sequence", memory=memory, positions=positions)
            if len(positions) < length:
                raise ValueError(
                    f"Sequence: {length} items and {len(positions)} positions; a position for "
                    "each is needed."
                )
            keys = positions.vectors[:length]
        else:
            refuse(model, "powers of a position")
            checked_vector("Sequence", memory, positions, model.dim)
            keys = position_powers(model, positions, length)
        alike = length * (unbound_items(model, length),)
        items = alike if keys is None else record_items(model, keys)
        self._set(model=model, memory=memory, _keys=keys, _items=items, _known=None)

    def _chances(self) -> tuple[float, ...]:
        errors = None
        if self._keys is not None:
            errors = record_errors(self.model, self._keys, len(self.memory))
        return errors or super()._chances()

    def __repr__(self) -> str:
        return f"Sequence({self.model}, {len(self)} items)"

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: int) -> Reading:
        """Return the item at a place; −1 is the last."""
        place = range(len(self))[_checked_place(place, len(self))]
        if self._keys is None:
            vector = read_position(self.model, self.vector, place)
        else:
            vector = read_role(self.model, self.vector, self._keys[place])
        return self._read(vector, self._errors[place])

    def decode(self) -> list[Reading]:
        """Return the reading of every place, in order."""
        return [self[place] for place in range(len(self))]


def _check_places(model: Model, n: int) -> None:
    if n > model.dim:
        raise ValueError(
            f"{model}: {n} places are marked by shifts; at most d = {model.dim} are different. "
            "Use a memory of positions, or a larger dimension."
        )


def _checked_place(place: Any, length: int) -> int:
    if isinstance(place, bool) or not isinstance(place, int | np.integer):
        raise TypeError(f"Sequence: the place is {place!r}; a whole number is needed.")
    if not -length <= place < length:
        raise IndexError(f"Sequence: the place is {place}; the sequence has {length} items.")
    return int(place)
