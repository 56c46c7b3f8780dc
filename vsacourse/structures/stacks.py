"""Stacks: last in, first out, in one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vsacourse.algebra import Model
from vsacourse.backend import A
from vsacourse.memory import ItemMemory
from vsacourse.structures.base import Reading, Structure, unbound_items
from vsacourse.structures.checks import (
    checked_count,
    checked_memories,
    checked_names,
    checked_vector,
    stacked,
)
from vsacourse.structures.refusals import refuse

__all__ = ["Stack", "pop", "push"]


def push(model: Model, stack: A, item: A) -> A:
    """Return ρ(stack) + x: every item moves one place down; ``(..., d)`` both, and so the result.

    The empty stack is the zero vector; the top of a stack is found by cleaning it up.

    Source: Kleyko et al. (2022), Vector symbolic architectures as a computing framework for
    emerging hardware, Proceedings of the IEEE 110.

    Raises:
        ValueError: BSC, whose majority is no sum.
    """
    refuse(model, "stack")
    return model.bundle(stacked(model, "push", model.permute(stack), item))


def pop(model: Model, stack: A, top: A) -> A:
    """Return ρ⁻¹(stack − x), x the item on top after cleanup: exact; shape ``(..., d)``.

    Raises:
        ValueError: BSC, whose majority is no sum.
    """
    refuse(model, "stack")
    return model.permute(model.bundle(stacked(model, "pop", stack, model.negative(top))), -1)


class Stack(Structure[A]):
    """Items of which the last one pushed is read first, Σ_k ρ^k(x_k), k counted from the top.

    In every model but BSC. Reading has as many items to tell apart as the stack is high. An item
    that was popped wrongly leaves its mark below.

    >>> import numpy as np
    >>> from vsacourse import HRR, ItemMemory
    >>> from vsacourse.structures import Stack
    >>> rng = np.random.default_rng(0)
    >>> memory = ItemMemory.random(HRR(dim=1024), ["plate", "bowl", "cup"], rng)
    >>> stack = Stack(["plate", "bowl"], memory).push("cup")
    >>> top, rest = stack.pop()
    >>> top.name, rest.top().name, len(rest)
    ('cup', 'bowl', 2)

    Args:
        items: names, the first one at the bottom; there may be none.
        memory: the memory of items.

    Raises:
        UnknownNameError: an item that the memory does not hold.
        ValueError: BSC, or more items than d.
        TypeError: ``memory`` is no item memory.
    """

    _known: Any

    def __init__(self, items: Iterable[str], memory: ItemMemory[A]) -> None:
        model = checked_memories("Stack", memory=memory)
        refuse(model, "stack")
        names = checked_names("Stack", items, least=0)
        # A bundle of nothing but zeros has the dtype of a sum: MAP's bytes become int32.
        vector: Any = model.bundle(memory.vectors[:1] * 0)
        for name in names:
            vector = push(model, vector, memory[name])
        self._build(vector, memory, len(names))

    @classmethod
    def from_vector(cls, vector: A, memory: ItemMemory[A], size: int) -> Stack[A]:
        """Return the stack of so many items that a vector is.

        Raises:
            ValueError: BSC, or a wrong shape.
            TypeError: NumPy and torch together, a wrong dtype.
        """
        model = checked_memories("Stack", memory=memory)
        refuse(model, "stack")
        checked_vector("Stack", memory, vector, model.dim)
        stack: Stack[A] = cls.__new__(cls)
        stack._build(vector, memory, checked_count("Stack", "size", size, least=0))
        return stack

    def _build(self, vector: A, memory: ItemMemory[A], size: int) -> None:
        model = memory.model
        if size > model.dim:
            raise ValueError(
                f"Stack: {size} items are marked by shifts; at most d = {model.dim} are "
                "different. Use a larger dimension."
            )
        self._hold(vector)
        items = size * (unbound_items(model, size),)
        self._set(model=model, memory=memory, _items=items, _known=None)
        self._rate()

    def __repr__(self) -> str:
        return f"Stack({self.model}, {len(self)} items)"

    def __len__(self) -> int:
        return len(self._items)

    def push(self, item: str) -> Stack[A]:
        """Return the stack with an item on top."""
        vector = push(self.model, self.vector, self.memory[item])
        new: Stack[A] = Stack.__new__(Stack)
        new._build(vector, self.memory, len(self) + 1)
        return new

    def top(self) -> Reading:
        """Return the reading of the item on top.

        Raises:
            IndexError: the stack is empty.
        """
        if not len(self):
            raise IndexError("Stack: it is empty; there is nothing on top. Push an item first.")
        return self._read(self.vector, self._errors[0])

    def pop(self) -> tuple[Reading, Stack[A]]:
        """Return the item on top, and the stack without it.

        Raises:
            IndexError: the stack is empty.
        """
        top = self.top()
        vector = pop(self.model, self.vector, self.memory[top.name])
        new: Stack[A] = Stack.__new__(Stack)
        new._build(vector, self.memory, len(self) - 1)
        return top, new

    def __getitem__(self, place: int) -> Reading:
        """Return the item at a place counted from the top, 0, without popping those above."""
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(self):
            raise IndexError(
                f"Stack: the place is {place!r}; it is counted from the top, 0 to {len(self) - 1}."
            )
        return self._read(self.model.permute(self.vector, -place), self._errors[place])

    def decode(self) -> list[Reading]:
        """Return the reading of every place, from the top."""
        return [self[place] for place in range(len(self))]
