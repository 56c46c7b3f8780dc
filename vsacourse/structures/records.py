"""Records: which filler each role has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vsacourse import theory
from vsacourse.algebra import Model
from vsacourse.backend import A, off_graph, to_numpy
from vsacourse.memory import ItemMemory
from vsacourse.structures.base import Reading, Structure
from vsacourse.structures.checks import (
    checked_memories,
    checked_names,
    checked_vector,
    doubled,
    no_such_place,
    stacked,
    undoes_exactly,
    vectors_of,
)
from vsacourse.structures.refusals import refuse

__all__ = ["Record", "encode_record", "read_role", "replace_filler"]


def encode_record(model: Model, roles: A, fillers: A, rng: np.random.Generator | None = None) -> A:
    """Return Σ_i bind(f_i, r_i): roles ``(..., n, r)``, fillers ``(..., n, d)``, to ``(..., d)``.

    r = d but for TPR and MBAT, whose roles are drawn with ``random_roles``; TPR gives
    ``(..., d r)``. BSC takes a majority, its ties broken from ``rng``.

    Source: Smolensky (1990); Plate (1995); Kanerva (2009).

    Raises:
        ValueError: no items, wrong sizes, a tie without ``rng``, or fillers of TPR that are bound
            already.
        TypeError: a wrong dtype, or NumPy and torch together.
    """
    if model.name == "TPR" and fillers.ndim and fillers.shape[-1] != model.dim:
        raise ValueError(
            f"{model}: the fillers have {fillers.shape[-1]} components; {model.dim} are needed. "
            "A record in a record has role_dim times the components of its filler: use MBAT, or "
            "another model that keeps the size."
        )
    return model.bundle(model.bind(fillers, roles), rng)


def read_role(model: Model, record: A, role: A) -> A:
    """Return unbind(record, r) ≈ f: ``(..., d)`` and ``(..., r)`` to ``(..., d)``, with noise."""
    return model.unbind(record, role)


def replace_filler(model: Model, record: A, role: A, old: A, new: A) -> A:
    """Return record − bind(old, r) + bind(new, r): exact for sums; shape as the record's.

    Raises:
        ValueError: BSC, whose majority is no sum: encode the record anew.
    """
    refuse(model, "change of a bundle")
    parts = record, model.bind(new, role), model.negative(model.bind(old, role))
    return model.bundle(stacked(model, "replace_filler", *parts))


class Record(Structure[A]):
    """Fillers by role, Σ_i bind(f_i, r_i), in all seven models.

    Reading a role has M items to tell apart, M + 1 in HRR (unless its roles are unitary) and VTB,
    and in TPR 1/cos², cos its roles' ``theory.reading_cosine``, with fillers of similar roles as
    nearer rivals (``theory.role_recall``): 1 for orthonormal roles.

    >>> import numpy as np
    >>> from vsacourse import HRR, ItemMemory
    >>> from vsacourse.structures import Record
    >>> rng = np.random.default_rng(0)
    >>> model = HRR(dim=1024)
    >>> roles = ItemMemory.random(model, ["ball", "cup", "box"], rng)
    >>> colours = ItemMemory.random(model, ["red", "green", "blue"], rng)
    >>> scene = Record({"ball": "red", "cup": "blue"}, roles, colours)
    >>> scene["ball"].name
    'red'
    >>> scene.replace("ball", "green")["ball"].name
    'green'

    Args:
        fields: filler by role, or pairs of both.
        roles: the memory of roles. For TPR and MBAT of vectors from ``random_roles``:
            ``ItemMemory(model, model.random_roles(3, rng), names)``.
        fillers: the memory of fillers.
        rng: breaks the ties of BSC.

    Raises:
        UnknownNameError: a name that its memory does not hold.
        ValueError: no fields, a role twice, memories of two models, a tie without ``rng``.
        TypeError: something is no memory, or one is NumPy and another torch.
    """

    roles: ItemMemory[A]
    names: tuple[str, ...]
    _known: dict[str, str] | None

    def __init__(
        self,
        fields: Mapping[str, str] | Iterable[tuple[str, str]],
        roles: ItemMemory[A],
        fillers: ItemMemory[A],
        rng: np.random.Generator | None = None,
    ) -> None:
        model = checked_memories("Record", roles=roles, fillers=fillers)
        pairs = (
            list(fields.items())
            if isinstance(fields, Mapping)
            else [(role, filler) for role, filler in fields]
        )
        names = _checked_roles([role for role, _ in pairs])
        keys = vectors_of(roles, names)
        values = vectors_of(fillers, [filler for _, filler in pairs])
        self._build(encode_record(model, keys, values, rng), roles, fillers, names)
        self._set(_known=dict(pairs))

    @classmethod
    def from_vector(
        cls,
        vector: A,
        roles: ItemMemory[A],
        fillers: ItemMemory[A],
        names: Iterable[str] | None = None,
    ) -> Record[A]:
        """Return the record that a vector is: of the roles ``names``, or of all roles.

        Raises:
            ValueError: a wrong shape, a role twice, memories of two models.
            TypeError: NumPy and torch together, a wrong dtype.
        """
        model = checked_memories("Record", roles=roles, fillers=fillers)
        size = model.dim * (roles.vectors.shape[-1] if model.name == "TPR" else 1)
        checked_vector("Record", fillers, vector, size)
        record: Record[A] = cls.__new__(cls)
        record._build(
            vector, roles, fillers, _checked_roles(roles.names if names is None else names)
        )
        return record

    def _build(
        self, vector: A, roles: ItemMemory[A], fillers: ItemMemory[A], names: tuple[str, ...]
    ) -> None:
        model = fillers.model
        self._hold(vector)
        items = record_items(model, vectors_of(roles, names))
        self._set(model=model, memory=fillers, roles=roles, names=names, _items=items, _known=None)
        advice = None
        if model.name == "TPR" and max(items) > 1 and self._dimension(1) <= model.dim:
            advice = "roles from orthonormal_roles, or a larger role_dim, would do."
        self._rate(advice)

    def _chances(self) -> tuple[float, ...]:
        keys = vectors_of(self.roles, self.names)
        return record_errors(self.model, keys, len(self.memory)) or super()._chances()

    def __repr__(self) -> str:
        return f"Record({self.model}, {len(self)} roles)"

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, role: object) -> bool:
        return role in self.names

    def __getitem__(self, role: str) -> Reading:
        """Return the filler of a role: unbind, then clean up."""
        if role not in self.names:
            raise no_such_place("record", role, self.names)
        vector = read_role(self.model, self.vector, self.roles[role])
        return self._read(vector, self._errors[self.names.index(role)])

    def decode(self) -> dict[str, Reading]:
        """Return the reading of every role."""
        return {role: self[role] for role in self.names}

    def role_of(self, filler: str) -> Reading:
        """Return the role that has a filler: unbind with the *filler*, and look among the roles.

        Only where binding commutes. A filler of several roles gives one of them, and a filler of
        none some role with a low similarity.

        Raises:
            ValueError: TPR, MBAT or VTB.
        """
        refuse(self.model, "role of a filler")
        vector = self.model.unbind(self.vector, self.memory[filler])
        found = self.roles.cleanup(vector)
        items = self._items[0]
        error = 1 - theory.recall_probability(self.model.dim, items, len(self.roles), self.model)
        return Reading(found.names, float(off_graph(found.similarity)), float(error), vector)

    def replace(self, role: str, filler: str, rng: np.random.Generator | None = None) -> Record[A]:
        """Return a record in which the role has another filler.

        The old pair is subtracted, exactly; of a record from a vector, the pair that is read,
        right or wrong. BSC's majority is taken anew from all fields, ties broken from ``rng``.

        Raises:
            UnknownNameError: no such role in the record, or no such filler.
            ValueError: a record of BSC that is known only as a vector.
        """
        if role not in self.names:
            raise no_such_place("record", role, self.names)
        known = None if self._known is None else {**self._known, role: filler}
        if self.model.name == "BSC" and known is not None:
            return Record(known, self.roles, self.memory, rng)
        old = self[role].name if self._known is None else self._known[role]
        fillers = (self.memory[old], self.memory[filler])
        new = self.with_vector(replace_filler(self.model, self.vector, self.roles[role], *fillers))
        new._set(_known=known)
        return new


def _checked_roles(roles: Iterable[str]) -> tuple[str, ...]:
    names = checked_names("Record", roles)
    twice = doubled(names)
    if twice is not None:
        raise ValueError(f"Record: the role {twice!r} occurs twice; it has one filler.")
    return names


def record_errors(model: Model, roles: Any, codebook: int) -> tuple[float, ...] | None:
    """Return the predicted error of reading each role where items alone do not say it: in TPR."""
    if model.name != "TPR":
        return None
    right = theory.role_recall(to_numpy(roles), model.dim, codebook)
    return tuple((1 - right).tolist())


def record_items(model: Model, roles: Any) -> tuple[float, ...]:
    """Return the effective number of items when each role ``(n, r)`` is read."""
    n = roles.shape[-2]
    if model.name == "TPR":
        return tuple((theory.reading_cosine(to_numpy(roles)) ** -2.0).tolist())
    own = 0 if undoes_exactly(model, roles) else 1
    return n * (float(theory.effective_items([own] + (n - 1) * [0], model)),)
