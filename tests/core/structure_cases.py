"""What the tests of the structures share: models of a size, roles, and draws."""

from __future__ import annotations

import math

from vsacourse import ItemMemory
from vsacourse.algebra import OPERATORS, TPR, VTB

EXACT = ("FHRR", "MAP", "BSC", "TPR", "MBAT")
WITH_ORDER = ("FHRR", "MAP", "BSC", "VTB")  # carry edges and n-grams
SUMS = ("HRR", "FHRR", "MAP", "TPR", "MBAT", "VTB")
TREES = ("HRR", "FHRR", "MAP", "BSC", "MBAT", "VTB")
COMMUTATIVE = ("HRR", "FHRR", "MAP", "BSC")


def make(name, dim, role_dim=None):
    """Make a model of about this dimension: VTB needs a square."""
    if name == "VTB":
        return VTB(math.isqrt(dim) ** 2)
    return TPR(dim, role_dim or 8) if name == "TPR" else OPERATORS[name](dim)


def roles_of(model, names, rng):
    """A memory of roles; for TPR of orthonormal ones."""
    draw = model.orthonormal_roles if model.name == "TPR" else model.random_roles
    return ItemMemory(model, draw(len(names), rng), names)


def memories(name, dim, rng, backend, roles=("ball", "cup", "box"), fillers=tuple("abcdefgh")):
    """A model with a memory of roles and one of fillers, on a backend."""
    model = make(name, dim)
    pair = roles_of(model, list(roles), rng), ItemMemory.random(model, list(fillers), rng)
    return model, *(memory.to(backend(memory.vectors)) for memory in pair)
