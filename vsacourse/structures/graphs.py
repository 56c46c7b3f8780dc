"""Directed graphs: which node follows which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from vsacourse import theory
from vsacourse.algebra import Model
from vsacourse.backend import A
from vsacourse.memory import ItemMemory
from vsacourse.structures.base import Reading, unbound_items
from vsacourse.structures.checks import (
    checked_count,
    checked_memories,
    checked_vector,
    doubled,
    vectors_of,
)
from vsacourse.structures.refusals import refuse
from vsacourse.structures.sets import Membership

__all__ = ["Graph", "encode_edges", "read_predecessors", "read_successors"]


def encode_edges(model: Model, sources: A, targets: A, rng: np.random.Generator | None = None) -> A:
    """Return Σ_i bind(ρ(t_i), s_i) for edges s_i → t_i: ``(..., n, d)`` both, to ``(..., d)``.

    The permutation tells source and target apart where binding commutes. FHRR, MAP, BSC and VTB.

    Source: Kleyko et al. (2022), Vector symbolic architectures as a computing framework for
    emerging hardware, Proceedings of the IEEE 110.

    Raises:
        ValueError: HRR (its shift moves past convolution), TPR or MBAT; no edges; a tie without
            ``rng``.
    """
    refuse(model, "directed edges")
    return model.bundle(model.bind(model.permute(targets), sources), rng)


def read_successors(model: Model, graph: A, source: A) -> A:
    """Return ρ⁻¹(unbind(graph, s)) ≈ Σ of all t with s → t: ``(..., d)`` both, and the result."""
    refuse(model, "directed edges")
    return model.permute(model.unbind(graph, source), -1)


def read_predecessors(model: Model, graph: A, target: A) -> A:
    """Return unbind(graph, ρ(t)) ≈ Σ of all s with s → t: ``(..., d)`` both, and the result.

    Raises:
        ValueError: a model that carries no edges, or VTB, where only the source is undone.
    """
    refuse(model, "directed edges")
    refuse(model, "predecessors")
    return model.unbind(graph, model.permute(target))


class Graph(Membership[A]):
    """A directed graph, Σ bind(ρ(target), source), in FHRR, MAP, BSC and VTB.

    A node has any number of successors, so each node is told successor or not, with the chance
    ``error`` of a wrong answer (``theory.membership_error``). With D nodes expect D times that in
    one list. M edges disturb, in VTB M and the successors of the node.

    >>> import numpy as np
    >>> from vsacourse import FHRR, ItemMemory
    >>> from vsacourse.structures import Graph
    >>> nodes = ItemMemory.random(FHRR(dim=1024), ["a", "b", "c", "d"], np.random.default_rng(0))
    >>> graph = Graph([("a", "b"), ("b", "c"), ("a", "d")], nodes)
    >>> sorted(reading.name for reading in graph["a"])
    ['b', 'd']
    >>> ("a", "b") in graph, ("b", "a") in graph
    (True, False)
    >>> [reading.name for reading in graph.predecessors("c")]
    ['b']

    Args:
        edges: different pairs of names, source and target.
        nodes: the memory of nodes.
        rng: breaks the ties of BSC.

    Raises:
        UnknownNameError: a node that the memory does not hold.
        ValueError: HRR, TPR or MBAT; no edges, an edge twice, or a tie without ``rng``.
        TypeError: ``nodes`` is no item memory.
    """

    _known: Any
    _size: int
    _degree: Counter[str]

    def __init__(
        self,
        edges: Iterable[tuple[str, str]],
        nodes: ItemMemory[A],
        rng: np.random.Generator | None = None,
    ) -> None:
        model = checked_memories("Graph", nodes=nodes)
        refuse(model, "directed edges")
        pairs = _checked_edges(edges)
        sources, targets = (vectors_of(nodes, [pair[i] for pair in pairs]) for i in (0, 1))
        vector = encode_edges(model, sources, targets, rng)
        self._build(vector, nodes, len(pairs), Counter(source for source, _ in pairs))

    @classmethod
    def from_vector(cls, vector: A, nodes: ItemMemory[A], edges: int) -> Graph[A]:
        """Return the graph of so many edges that a vector is.

        Raises:
            ValueError: HRR, TPR or MBAT; a wrong shape.
            TypeError: NumPy and torch together, a wrong dtype.
        """
        model = checked_memories("Graph", nodes=nodes)
        refuse(model, "directed edges")
        checked_vector("Graph", nodes, vector, model.dim)
        graph: Graph[A] = cls.__new__(cls)
        graph._build(vector, nodes, checked_count("Graph", "edges", edges), Counter())
        return graph

    def _build(self, vector: A, nodes: ItemMemory[A], size: int, degree: Counter[str]) -> None:
        self._hold(vector)
        self._set(model=nodes.model, memory=nodes, _size=size, _degree=degree, _known=None)
        # Asked of the sources: of a node without successors nothing can be unbound.
        self._set(_items=tuple(self._among(node) for node in degree) or (self._among(""),))
        self._rate()

    def _among(self, source: str) -> float:
        own = self._degree[source] or 1
        shared = own * [1] + (self._size - own) * [0]
        return float(theory.effective_items(shared, self.model))

    def __repr__(self) -> str:
        return f"Graph({self.model}, {len(self)} edges)"

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, source: str) -> list[Reading]:
        """Return the successors of a node, most similar first."""
        vector = read_successors(self.model, self.vector, self.memory[source])
        return self._present(vector, self._among(source))

    def predecessors(self, target: str) -> list[Reading]:
        """Return the nodes that a node follows, most similar first; not in VTB.

        Raises:
            ValueError: VTB, where only the source is undone.
        """
        vector = read_predecessors(self.model, self.vector, self.memory[target])
        return self._present(vector, unbound_items(self.model, self._size))

    def edge(self, source: str, target: str) -> Reading:
        """Return the reading of one edge: ``error`` is the chance that ``in`` answers wrongly."""
        vector = read_successors(self.model, self.vector, self.memory[source])
        return self._asked(target, vector, self._among(source))

    def __contains__(self, edge: tuple[str, str]) -> bool:
        """Say whether there is an edge, a pair of source and target."""
        source, target = _checked_edges([edge])[0]
        return self.edge(source, target).similarity >= self._threshold(self._among(source))

    def decode(self) -> dict[str, list[Reading]]:
        """Return the successors of every node that has any."""
        successors = {node: self[node] for node in self.memory}
        return {node: found for node, found in successors.items() if found}


def _checked_edges(edges: Iterable[Any]) -> list[tuple[str, str]]:
    pairs = [tuple(edge) if isinstance(edge, tuple | list) else edge for edge in edges]
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Graph: an edge is {pair!r}; a pair (source, target) is needed.")
    if not pairs:
        raise ValueError("Graph: no edges were given; at least 1 is needed.")
    if doubled(pairs) is not None:
        raise ValueError(f"Graph: the edge {doubled(pairs)!r} occurs twice; give it once.")
    return pairs
