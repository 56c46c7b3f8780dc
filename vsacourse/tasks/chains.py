"""One-hop chains: a variable that is another one's value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks._arguments import checked_tokens, flag, generator, span, whole
from vsacourse.tasks._layout import Layout, mark_names
from vsacourse.tasks.base import Batch, Task

__all__ = ["Chains"]


@dataclass(frozen=True)
class Chains(Task):
    """``a 3 b a … | b 3``: n keys get values, n others get one of those keys each, which are asked.

    The 2n statements stand in random order, except that a key gets its value before another key
    gets it. All keys and all values are distinct. The number n is drawn for each batch, and
    min(``queries``, n − 1) questions are asked, one after another, so that the last answer never
    follows from the others. With separators it reads ``a = 3 ; b = a ; … b → 3``.

    Attributes:
        assignments: the smallest and the largest n.
        keys: keys to choose from; at least twice the largest n.
        values: values to choose from.
        queries: questions at most.
        separators: write ``=``, ``;`` and ``→``.

    Raises:
        ValueError: too few keys or values for the largest n, or a smallest n below 2.
        TypeError: a field of the wrong type.
    """

    least_layers: ClassVar[int] = 3

    assignments: tuple[int, int] = (2, 5)
    keys: int = 12
    values: int = 10
    queries: int = 3
    separators: bool = False

    def __post_init__(self) -> None:
        whole("Chains", "keys", self.keys, 1)
        whole("Chains", "values", self.values, 1)
        whole("Chains", "queries", self.queries, 1)
        flag("Chains", "separators", self.separators)
        most = min(self.keys // 2, self.values)
        low, high = span("Chains", "assignments", self.assignments, 2, most)
        object.__setattr__(self, "assignments", (low, high))

    @property
    def d_vocab(self) -> int:
        """The number of tokens: keys, values, marks."""
        return len(self.token_names)

    @property
    def n_ctx(self) -> int:
        """The largest number of positions."""
        return self._layout(self.assignments[1]).n_ctx

    @property
    def token_names(self) -> tuple[str, ...]:
        """``k0`` …, ``v0`` …, and the marks."""
        names = [f"k{i}" for i in range(self.keys)] + [f"v{i}" for i in range(self.values)]
        return (*names, *mark_names(self.separators))

    def with_assignments(self, least: int, most: int | None = None) -> Self:
        """Return the task with other numbers of chains, with the same vocabulary."""
        return self.replace(assignments=(least, least if most is None else most))

    def sample(self, n: int, rng: np.random.Generator) -> Batch:
        """Draw n sequences of one length; see ``Task.sample``."""
        n = generator("Chains.sample", n, rng)
        chains = int(rng.integers(self.assignments[0], self.assignments[1] + 1))
        keys = rng.random((n, self.keys)).argsort(axis=1)[:, : 2 * chains]
        first, second = keys[:, :chains], keys[:, chains:]
        values = self.keys + rng.random((n, self.values)).argsort(axis=1)[:, :chains]

        ranks = np.sort(rng.random((n, 2, chains)), axis=1)  # a key's value before its link
        order = ranks.reshape(n, 2 * chains).argsort(axis=1)
        left = np.take_along_axis(keys, order, axis=1)
        right = np.take_along_axis(np.concatenate((values, first), axis=1), order, axis=1)

        asked = rng.random((n, chains)).argsort(axis=1)[:, : self._questions(chains)]
        answers = np.take_along_axis(values, asked, axis=1)
        asked = np.take_along_axis(second, asked, axis=1)
        return self._layout(chains).fill(left, right, asked, answers)

    def predicted_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return A[q, j] = 1 at the value j at the end of the asked key's chain.

        Tokens are ``(..., pos)``, of any length that ``sample`` draws; the pattern is
        ``(..., query, key)``, and rows other than the questions' are 0.
        """
        layout, tokens, linked = self._linked(tokens)
        return layout.look(tokens, linked, layout.right)

    def link_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return A[q, j] = 1 at the key j that the asked key was set to: the first of two hops."""
        layout, tokens, _ = self._linked(tokens)
        return layout.look(tokens, tokens[..., layout.asked], layout.right)

    def baseline(self) -> float:
        """Return 1/(n − j) averaged over the answers: one of the values, not one given before."""
        chances = [
            1 / (n - j)
            for n in range(self.assignments[0], self.assignments[1] + 1)
            for j in range(self._questions(n))
        ]
        return sum(chances) / len(chances)

    def _questions(self, chains: int) -> int:
        return min(self.queries, chains - 1)

    def _layout(self, chains: int) -> Layout:
        mark = self.keys + self.values
        return Layout(2 * chains, self._questions(chains), self.separators, mark)

    def _linked(self, tokens: Any) -> tuple[Layout, NDArray[np.int64], NDArray[np.int64]]:
        """Return the layout, the tokens, and the key that each asked key was set to."""
        numbers = range(self.assignments[0], self.assignments[1] + 1)
        layouts = {self._layout(n).n_ctx: self._layout(n) for n in numbers}
        tokens = checked_tokens("Chains", tokens, self.d_vocab, *layouts)
        layout = layouts[tokens.shape[-1]]
        match = tokens[..., layout.asked][..., :, None] == tokens[..., None, layout.left]
        linked = np.take_along_axis(tokens[..., layout.right], match.argmax(-1), axis=-1)
        return layout, tokens, linked
