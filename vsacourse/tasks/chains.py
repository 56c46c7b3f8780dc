"""One-hop chains: a variable that is another one's value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks._arguments import checked_tokens, flag, generator, keep, span, whole
from vsacourse.tasks._layout import Layout, mark_names
from vsacourse.tasks.base import Batch, Task

__all__ = ["Chains"]

DRAWS = 20_000


@dataclass(frozen=True)
class Chains(Task):
    """``a 3 b a … | b 3``: a key is set to a value, or to a key that was set to a value before it.

    The list has n statements, n drawn for each batch. The first sets a key to a value; each of the
    others does so too, or, with chance ½, sets its key to one of the earlier keys that have a value
    of their own. Keys are distinct, values are distinct, and so are the questions, which are
    answered one after another. With separators it reads ``a = 3 ; b = a ; … | b 3``.

    Attributes:
        assignments: the smallest and the largest n.
        keys: keys to choose from.
        values: values to choose from.
        queries: questions; n, if n is less.
        separators: write ``=`` and ``;`` in the list.

    Raises:
        ValueError: fewer keys or values than the largest n.
        TypeError: a field of the wrong type.
    """

    least_layers: ClassVar[int] = 2

    assignments: tuple[int, int] = (2, 5)
    keys: int = 12
    values: int = 10
    queries: int = 3
    separators: bool = False

    def __post_init__(self) -> None:
        owner = "Chains"
        keys, values = whole(owner, "keys", self.keys, 1), whole(owner, "values", self.values, 1)
        queries = whole(owner, "queries", self.queries, 1)
        keep(self, separators=flag(owner, "separators", self.separators))
        numbers = span(owner, "assignments", self.assignments, 1, min(keys, values))
        keep(self, keys=keys, values=values, queries=queries, assignments=numbers)

    @property
    def d_vocab(self) -> int:
        """The number of tokens, of keys, values and marks."""
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
        """Return the task with lists of other lengths, with the same vocabulary."""
        return self.replace(assignments=(least, least if most is None else most))

    def sample(self, n: int, rng: np.random.Generator) -> Batch:
        """Draw n sequences of one length; see ``Task.sample``."""
        n = generator("Chains.sample", n, rng)
        size = int(rng.integers(self.assignments[0], self.assignments[1] + 1))
        left = rng.random((n, self.keys)).argsort(axis=1)[:, :size]
        own = self.keys + rng.random((n, self.values)).argsort(axis=1)[:, :size]
        link = rng.random((n, size)) < 0.5
        link[:, 0] = False
        # the statement that each one takes its value from: itself, or an earlier one without a link
        earlier = np.tri(size, k=-1) * ~link[:, None, :]  # [row, statement, statement]
        to = (rng.random(earlier.shape) * earlier).argmax(axis=-1)
        to = np.where(link, to, np.arange(size))
        right = np.where(link, np.take_along_axis(left, to, axis=1), own)
        final = np.take_along_axis(own, to, axis=1)

        asked = rng.random((n, size)).argsort(axis=1)[:, : self.queries]
        answers = np.take_along_axis(final, asked, axis=1)
        asked = np.take_along_axis(left, asked, axis=1)
        return self._layout(size).fill(left, right, asked, answers)

    def predicted_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return A[q, j] = 1 at the value j at the end of the asked key's chain.

        Tokens are ``(..., pos)``, of any length that ``sample`` draws; the pattern is
        ``(..., query, key)``, and rows other than the questions' are 0.
        """
        layout, tokens, to = self._followed(tokens)
        names = np.where(to < self.keys, to, tokens[..., layout.asked])
        return layout.look(tokens, names, layout.right)

    def link_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return A[q, j] = 1 at what the asked key was set to, be it a value or a key."""
        layout, tokens, _ = self._followed(tokens)
        return layout.look(tokens, tokens[..., layout.asked], layout.right)

    def linked(self, tokens: Any) -> NDArray[np.bool_]:
        """Return where a key is asked that was set to a key, ``(..., pos)``: two hops away."""
        layout, tokens, to = self._followed(tokens)
        out = np.zeros(tokens.shape, bool)
        out[..., layout.asked] = to < self.keys
        return out

    def baseline(self) -> float:
        """Return the accuracy of a guesser who knows the listed values and the answers so far.

        The guesser takes the likeliest of: a value given before, or one of those that were not,
        given how many values are listed and which answers so far were the same. How likely they
        are is counted in 20,000 lists of each length, from a fixed seed.
        """
        return _elimination(self)

    def _layout(self, size: int) -> Layout:
        mark = self.keys + self.values
        return Layout(size, min(self.queries, size), self.separators, mark)

    def _followed(self, tokens: Any) -> tuple[Layout, NDArray[np.int64], NDArray[np.int64]]:
        """Return the layout, the tokens, and what each asked key was set to."""
        sizes = range(self.assignments[0], self.assignments[1] + 1)
        layouts = {self._layout(n).n_ctx: self._layout(n) for n in sizes}
        tokens = checked_tokens("Chains", tokens, self.d_vocab, *layouts)
        layout = layouts[tokens.shape[-1]]
        match = tokens[..., layout.asked][..., :, None] == tokens[..., None, layout.left]
        return layout, tokens, np.take_along_axis(tokens[..., layout.right], match.argmax(-1), -1)


@lru_cache(maxsize=32)
def _elimination(task: Chains) -> float:
    rng = np.random.default_rng(0)
    right, answers = 0.0, 0
    for size in range(task.assignments[0], task.assignments[1] + 1):
        lists = task.with_assignments(size)
        layout = lists._layout(size)
        batch = lists.sample(DRAWS, rng)
        listed = (batch.tokens[:, layout.right] >= task.keys).sum(axis=1)
        given = batch.targets[:, layout.asked]
        # the first question with the same answer, for each question: 0 0 2 means twice the same
        first = (given[:, :, None] == given[:, None, :]).argmax(axis=-1)
        for i in range(given.shape[1]):
            known, of = np.unique(
                np.column_stack((listed, first[:, :i])), axis=0, return_inverse=True
            )
            for case, (values, *before) in enumerate(known.tolist()):
                now = first[of.reshape(-1) == case, i]
                chances = [(now == j).sum() for j in set(before)]
                left = values - len(chances)
                chances += [(now == i).sum() / left] if left else []
                right += max(chances)
            answers += len(given)
    return float(right / answers)
