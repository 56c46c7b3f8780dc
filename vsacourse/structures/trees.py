"""Binary trees: which item lies at which path from the root."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Names
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from vsacourse import theory
from vsacourse.algebra import Model
from vsacourse.backend import A, array_namespace, to_numpy
from vsacourse.memory import ItemMemory
from vsacourse.structures.base import Reading, Structure, unbound_items
from vsacourse.structures.checks import (
    checked_count,
    checked_memories,
    checked_names,
    checked_vector,
    no_such_place,
    undoes_exactly,
    vectors_of,
)
from vsacourse.structures.refusals import refuse

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["Tree", "encode_leaf", "encode_tree", "read_leaf", "tree_roles"]


def tree_roles(
    model: Model, depth: int, rng: np.random.Generator, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """Draw the roles left and right, *others for each level*, as NumPy, ``(depth, 2, r)``.

    Where binding commutes, the same pair at every level makes left·right = right·left; and where
    a vector is its own inverse left·left is the identity, so that the leaf lies at the root.
    """
    depth = checked_count("tree_roles", "depth", depth)
    roles = model.random_roles(2 * depth, rng, dtype)
    return roles.reshape(depth, 2, roles.shape[-1])


def encode_leaf(model: Model, leaf: A, roles: A) -> A:
    """Return bind(… bind(bind(x, r_n), r_(n−1)) …, r_1), the roles from the root's, r_1, on.

    Leaf ``(..., d)``, roles ``(..., n, r)``, to ``(..., d)``. So a subtree is bound as a leaf is:
    tree = bind(left subtree, left) + bind(right subtree, right).

    Source: Smolensky (1990); Plate (1995), for frames within frames.

    Raises:
        ValueError: TPR, whose vectors would grow; wrong sizes.
    """
    refuse(model, "tree")
    for level in reversed(range(roles.shape[-2])):
        leaf = model.bind(leaf, roles[..., level, :])
    return leaf


def read_leaf(model: Model, tree: A, roles: A) -> A:
    """Return what lies at the path with these roles, r_1 unbound first; shapes as ``encode_leaf``.

    At the path of an inner node that is the subtree, with noise.
    """
    refuse(model, "tree")
    for level in range(roles.shape[-2]):
        tree = model.unbind(tree, roles[..., level, :])
    return tree


def encode_tree(
    model: Model,
    leaves: A,
    paths: Names[str],
    roles: A,
    rng: np.random.Generator | None = None,
) -> A:
    """Return Σ_i ``encode_leaf``(x_i, roles along path i): ``(..., n, d)`` to ``(..., d)``.

    A path is written from the root, "LRR"; ``roles`` are those of ``tree_roles``.

    Raises:
        ValueError: TPR; as many paths as leaves are needed; a path that is longer than the roles.
    """
    xp: Any = array_namespace(leaves)
    if leaves.ndim < 2 or len(paths) != leaves.shape[-2]:
        raise ValueError(
            f"encode_tree: {len(paths)} paths for leaves of shape {tuple(leaves.shape)}; "
            "(..., n, d) and n paths are needed."
        )
    bound = [
        encode_leaf(model, leaves[..., i, :], along(roles, path)) for i, path in enumerate(paths)
    ]
    return model.bundle(xp.stack(bound, axis=-2), rng)


def along(roles: A, path: str) -> A:
    """Return the roles on a path: ``(depth, 2, r)`` to ``(len(path), r)``."""
    if not path or set(path) - set("LR"):
        raise ValueError(f'a path is {path!r}; letters "L" and "R" are needed, from the root on.')
    if len(path) > roles.shape[0]:
        raise ValueError(
            f"the path {path!r} has {len(path)} levels and the roles {roles.shape[0]}; "
            "draw tree_roles with a larger depth."
        )
    steps: Any = ["LR".index(step) for step in path]
    return roles[list(range(len(path))), steps]


class Tree(Structure[A]):
    """Leaves of a binary tree by their paths from the root, in every model but TPR.

    A leaf is bound with a role for each step of its path, the role of the first step last, and
    each level has roles of its own. Reading has M leaves to tell apart in exact models. In HRR
    each leaf counts 2^s for the s steps that its path shares with the reader's, level by level
    (1 for unitary roles), and in VTB s + 1 for the s first steps that they share.

    >>> import numpy as np
    >>> from vsacourse import MAP, ItemMemory
    >>> from vsacourse.structures import Tree, tree_roles
    >>> rng = np.random.default_rng(0)
    >>> model = MAP(dim=1024)
    >>> words = ItemMemory.random(model, ["the", "cat", "sleeps"], rng)
    >>> roles = tree_roles(model, 2, rng)
    >>> sentence = Tree({"LL": "the", "LR": "cat", "R": "sleeps"}, roles, words)
    >>> sentence["LR"].name
    'cat'

    Args:
        leaves: item by path, such as ``"LRR"``, from the root.
        roles: ``(depth, 2, r)``, from ``tree_roles``; trees to be compared share them.
        memory: the memory of items.
        rng: breaks the ties of BSC.

    Raises:
        UnknownNameError: an item that the memory does not hold.
        ValueError: TPR; no leaves; a path that is none, is too long, or goes on past another
            leaf; two levels with the same role; a tie without ``rng``.
        TypeError: ``memory`` is no item memory, or NumPy and torch together.
    """

    roles: A
    paths: tuple[str, ...]
    _known: Any

    def __init__(
        self,
        leaves: Mapping[str, str],
        roles: A,
        memory: ItemMemory[A],
        rng: np.random.Generator | None = None,
    ) -> None:
        model = checked_memories("Tree", memory=memory)
        paths = _checked(model, leaves, roles, memory)
        items = vectors_of(memory, [leaves[path] for path in paths])
        self._build(encode_tree(model, items, paths, roles, rng), roles, memory, paths)

    @classmethod
    def from_vector(
        cls, vector: A, roles: A, memory: ItemMemory[A], paths: Iterable[str]
    ) -> Tree[A]:
        """Return the tree with leaves at these paths that a vector is.

        Raises:
            ValueError: TPR, a wrong shape, or paths as above.
            TypeError: NumPy and torch together, a wrong dtype.
        """
        model = checked_memories("Tree", memory=memory)
        paths = _checked(model, paths, roles, memory)
        checked_vector("Tree", memory, vector, model.dim)
        tree: Tree[A] = cls.__new__(cls)
        tree._build(vector, roles, memory, paths)
        return tree

    def _build(self, vector: A, roles: A, memory: ItemMemory[A], paths: tuple[str, ...]) -> None:
        self._hold(vector)
        model = memory.model
        exact = undoes_exactly(model, roles)
        items = tuple(_items(model, path, paths, exact) for path in paths)
        self._set(model=model, memory=memory, roles=roles, paths=paths, _items=items, _known=None)
        self._rate()

    def __repr__(self) -> str:
        return f"Tree({self.model}, {len(self)} leaves)"

    def __len__(self) -> int:
        return len(self.paths)

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    def __getitem__(self, path: str) -> Reading:
        """Return the item at the path of a leaf; ``read_leaf`` gives the vector of a subtree."""
        if path not in self.paths:
            raise no_such_place("tree", path, self.paths)
        vector = read_leaf(self.model, self.vector, along(self.roles, path))
        return self._read(vector, self._errors[self.paths.index(path)])

    def decode(self) -> dict[str, Reading]:
        """Return the reading of every leaf, by its path."""
        return {path: self[path] for path in self.paths}


def _items(model: Model, path: str, paths: tuple[str, ...], exact: bool) -> float:
    """Return the effective number of items when the leaf at a path is read."""
    if exact:
        return unbound_items(model, len(paths))
    same = [[a == b for a, b in zip(path, other, strict=False)] for other in paths]
    if model.name == "VTB":  # not commutative: steps count up to the first that differs
        same = [list(takewhile(bool, steps)) for steps in same]
    return float(theory.effective_items([sum(steps) for steps in same], model))


def _checked(
    model: Model, paths: Iterable[str], roles: Any, memory: ItemMemory[Any]
) -> tuple[str, ...]:
    refuse(model, "tree")
    try:
        array_namespace(roles, memory.vectors)
    except TypeError as error:
        raise TypeError(f"Tree: {error}") from None
    if roles.ndim != 3 or roles.shape[1] != 2:
        raise ValueError(
            f"Tree: the roles have shape {tuple(roles.shape)}; (depth, 2, r) is needed. "
            "Draw them with tree_roles."
        )
    flat = to_numpy(roles).reshape(-1, roles.shape[-1])
    if len(np.unique(flat, axis=0)) < len(flat):
        raise ValueError(
            "Tree: two steps have the same role, so that paths such as LR and RL are not told "
            "apart. Draw other roles for each level, with tree_roles."
        )
    names = checked_names("Tree", paths)
    for path in names:
        along(roles, path)
        longer = [other for other in names if other != path and other.startswith(path)]
        if longer:
            raise ValueError(
                f"Tree: there is a leaf at {path!r} and one at {longer[0]!r}, below it; "
                "a leaf has nothing below it."
            )
    return names
