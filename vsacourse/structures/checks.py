"""What structures ask of their inputs, and small steps that they share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from vsacourse.algebra import Model
from vsacourse.backend import A, array_namespace, same_dtype
from vsacourse.memory import ItemMemory, UnknownNameError

__all__ = [
    "checked_count",
    "checked_memories",
    "checked_names",
    "checked_vector",
    "doubled",
    "no_such_place",
    "permuted",
    "stacked",
    "undoes_exactly",
    "vectors_of",
]


def checked_memories(what: str, **memories: Any) -> Model:
    """Return the one model of the memories.

    Raises:
        TypeError: something is no memory, or one is NumPy and another torch.
        ValueError: two models.
    """
    (first, one), *others = memories.items()
    for name, memory in memories.items():
        if not isinstance(memory, ItemMemory):
            raise TypeError(
                f"{what}: {name} is a {type(memory).__name__}; an ItemMemory is needed."
            )
    for name, other in others:
        if other.model != one.model:
            raise ValueError(
                f"{what}: {first} is of {one.model} and {name} of {other.model}; one model is "
                "needed. Make both with the same model."
            )
        try:
            array_namespace(one.vectors, other.vectors)
        except TypeError:
            raise TypeError(
                f"{what}: of {first} and {name} one is NumPy and one torch; one kind is needed. "
                f"Move one: {name}.to({first}.vectors)."
            ) from None
    return one.model


def checked_vector(what: str, memory: ItemMemory[Any], vector: Any, size: int) -> None:
    """Refuse what is no single vector of the memory's kind with so many components."""
    memory.model._check(what, vector)
    try:
        array_namespace(vector, memory.vectors)
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None
    if tuple(vector.shape) != (size,):
        raise ValueError(
            f"{what}: the vector has shape {tuple(vector.shape)}; ({size},) is needed. "
            "Take one vector of a batch, or use the array functions."
        )


def checked_names(what: str, names: Any, least: int = 1) -> tuple[str, ...]:
    """Return names as a tuple.

    Raises:
        TypeError: one is no string.
        ValueError: too few.
    """
    names = tuple(names)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"{what}: the names are {names!r}; strings are needed.")
    if len(names) < least:
        raise ValueError(f"{what}: {len(names)} names were given; at least {least} are needed.")
    return names


def checked_count(what: str, name: str, count: Any, least: int = 1) -> int:
    """Return a whole number that is at least so much."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise TypeError(f"{what}: {name} is {count!r}; a whole number is needed.")
    if count < least:
        raise ValueError(f"{what}: {name} is {count}; at least {least} is needed.")
    return int(count)


def doubled(names: Iterable[Any]) -> Any:
    """Return the first that occurs twice, or None."""
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def no_such_place(what: str, place: object, places: Sequence[str]) -> UnknownNameError:
    """Return the error for a place that a structure does not have."""
    near = difflib.get_close_matches(str(place), places)
    held = f"near: {', '.join(near)}" if near else f"it holds {', '.join(places[:5])}"
    return UnknownNameError(f"the {what} holds nothing at {place!r}; {held}.")


def vectors_of(memory: ItemMemory[A], names: Iterable[str]) -> A:
    """Return the vectors of names, ``(n, d)``; an unknown one raises UnknownNameError."""
    rows = [memory[name] for name in names]
    xp: Any = array_namespace(memory.vectors)
    return xp.stack(rows)


def stacked(model: Model, operation: str, *vectors: Any) -> Any:
    """Return vectors on a new axis −2, broadcast and in one dtype: ``(..., n, d)``.

    Raises:
        ValueError: they have different numbers of components, or leading axes that do not fit.
        TypeError: NumPy and torch together.
    """
    try:
        xp: Any = array_namespace(*vectors)
    except TypeError as error:
        raise TypeError(f"{model}: {operation} {error}") from None
    first, *others = vectors
    for other in others:
        if first.shape[-1:] != other.shape[-1:]:
            raise ValueError(
                f"{model}: {operation} was given vectors of {first.shape[-1]} and of "
                f"{other.shape[-1]} components; one size is needed. Make both with the same model."
            )
        model._check_broadcast(operation, first.shape[:-1], other.shape[:-1])
        first, _ = same_dtype(first, other)
    return xp.stack(xp.broadcast_arrays(*(same_dtype(v, first)[0] for v in vectors)), axis=-2)


def permuted(model: Model, items: A, shifts: Sequence[int]) -> A:
    """Return ρ^(s_i)(x_i) for each item: ``(..., n, d)``, with n shifts, to the same shape."""
    xp: Any = array_namespace(items)
    return xp.stack([model.permute(items[..., i, :], s) for i, s in enumerate(shifts)], axis=-2)


def undoes_exactly(model: Model, keys: Any) -> bool:
    """Say whether unbinding adds no noise: HRR's keys may be unitary, as ``HRR.unitary`` draws."""
    if model.name != "HRR":
        return model.name != "VTB"
    spectrum = array_namespace(keys).fft.rfft(keys)
    return bool((abs(abs(spectrum) - 1) < 1e-3).all())
