"""Variable binding: a list of keys and values, then questions for the value of a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks._arguments import checked_tokens, flag, generator, keep, whole
from vsacourse.tasks._layout import Layout, mark_names
from vsacourse.tasks.base import Batch, Task
from vsacourse.tasks.pairings import Pairings

__all__ = ["VariableBinding"]


@dataclass(frozen=True)
class VariableBinding(Task):
    """``k v k v … | q v q v``: each key has a value of its own, and some keys are asked.

    Keys are distinct, values are distinct, and so are the questions; the questions are answered one
    after another, and loss and accuracy count on the answers. With separators it reads
    ``k = v ; k = v ; … | q v q v``.

    >>> import numpy as np
    >>> task = VariableBinding(pairs=2, keys=3, values=3, queries=1)
    >>> tokens = task.sample(1, np.random.default_rng(0)).tokens
    >>> " ".join(task.token_names[i] for i in tokens[0])
    'k2 v0 k1 v1 | k2'
    >>> int(task.predicted_pattern(tokens)[0, -1].argmax())
    1

    Attributes:
        pairs: keys in the list.
        keys: keys to choose from.
        values: values to choose from.
        queries: keys that are asked.
        separators: write ``=`` and ``;`` in the list.
        pairings: None, or which key may go with which value; see ``held_out``.

    Raises:
        ValueError: more pairs than keys or values, or more queries than pairs.
        TypeError: a field of the wrong type.
    """

    least_layers: ClassVar[int] = 2

    pairs: int = 8
    keys: int = 26
    values: int = 26
    queries: int = 3
    separators: bool = False
    pairings: Pairings | None = None

    def __post_init__(self) -> None:
        owner = "VariableBinding"
        keys, values = whole(owner, "keys", self.keys, 1), whole(owner, "values", self.values, 1)
        keep(self, separators=flag(owner, "separators", self.separators))
        pairs = whole(owner, "pairs", self.pairs, 1, min(keys, values))
        queries = whole(owner, "queries", self.queries, 1, pairs)
        keep(self, keys=keys, values=values, pairs=pairs, queries=queries)
        if self.pairings is not None and not isinstance(self.pairings, Pairings):
            raise TypeError(f"{owner}: pairings is {self.pairings!r}; None or Pairings is needed.")
        if self.pairings is not None:
            self.pairings.allowed(self.keys, self.values)  # refuses what leaves a side empty

    @property
    def d_vocab(self) -> int:
        """The number of tokens, of keys, values and marks."""
        return len(self.token_names)

    @property
    def n_ctx(self) -> int:
        """The number of positions."""
        return self._layout().n_ctx

    @property
    def token_names(self) -> tuple[str, ...]:
        """``k0`` …, ``v0`` …, and the marks."""
        names = [f"k{i}" for i in range(self.keys)] + [f"v{i}" for i in range(self.values)]
        return (*names, *mark_names(self.separators))

    def with_pairs(self, pairs: int) -> Self:
        """Return the task with lists of another length, with the same vocabulary."""
        return self.replace(pairs=pairs, queries=min(self.queries, pairs))

    def held_out(self, fraction: float = 0.2, seed: int = 0) -> tuple[Self, Self]:
        """Return two tasks: one that never shows some pairs, and one that shows only those.

        Each key keeps about ``fraction`` of the values, and at least one, from the first task. The
        fewer pairs a task shows, the more a guesser who knows them gets right without binding:
        compare an accuracy with ``baseline()`` of the task that it was measured on.

        Raises:
            ValueError: the fraction leaves a key no value on one of the sides.
        """
        seen = Pairings(fraction, seed, unseen=False)
        return self.replace(pairings=seen), self.replace(pairings=seen.other())

    def sample(self, n: int, rng: np.random.Generator) -> Batch:
        """Draw n lists with their questions; see ``Task.sample``."""
        n = generator("VariableBinding.sample", n, rng)
        if self.pairings is None:
            keys = rng.random((n, self.keys)).argsort(axis=1)[:, : self.pairs]
            values = rng.random((n, self.values)).argsort(axis=1)[:, : self.pairs]
        else:
            keys, values = self.pairings.draw(n, self.pairs, self.keys, self.values, rng)
        asked = rng.random((n, self.pairs)).argsort(axis=1)[:, : self.queries]
        answers = np.take_along_axis(values, asked, axis=1)
        asked = np.take_along_axis(keys, asked, axis=1)
        return self._layout().fill(keys, self.keys + values, asked, self.keys + answers)

    def predicted_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return A[q, j] = 1 at the value j that stands behind the asked key in the list.

        Tokens are ``(..., pos)``, the pattern ``(..., query, key)``; rows other than the questions'
        are 0.
        """
        layout = self._layout()
        tokens = checked_tokens("VariableBinding", tokens, self.d_vocab, layout.n_ctx)
        return layout.look(tokens, tokens[..., layout.asked], layout.right)

    def baseline(self) -> float:
        """Return 1/Q Σ_(j<Q) 1/(P − j): one of the listed values, not one given before.

        With ``pairings`` the guesser also knows which pairs can never occur, and which of the
        listed values that leaves to the asked key; ``Pairings.elimination`` says how.
        """
        if self.pairings is not None:
            return self.pairings.elimination(self.pairs, self.keys, self.values, self.queries)
        return float((1 / (self.pairs - np.arange(self.queries))).mean())

    def _layout(self) -> Layout:
        return Layout(self.pairs, self.queries, self.separators, self.keys + self.values)
