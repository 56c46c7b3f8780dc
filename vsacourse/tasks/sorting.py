"""Sorting: a list, then the same list in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks._arguments import checked_tokens, flag, generator, keep, whole
from vsacourse.tasks.base import Batch, Task

__all__ = ["Sorting"]


@dataclass(frozen=True)
class Sorting(Task):
    """``7 2 5 | 2 5 7``: numbers, and the same numbers in order, which are predicted.

    >>> import numpy as np
    >>> batch = Sorting(n=3, values=9).sample(1, np.random.default_rng(0))
    >>> batch.tokens[0], batch.targets[0][batch.counted[0]]
    (array([7, 5, 4, 9, 4, 5]), array([4, 5, 7]))

    Attributes:
        n: numbers in a list.
        values: numbers to choose from; the mark between the lists is one token more.
        repeats: a number may occur more than once.

    Raises:
        ValueError: too few values for a list without repeats.
        TypeError: a field of the wrong type.
    """

    least_layers: ClassVar[int] = 1

    n: int = 10
    values: int = 32
    repeats: bool = True

    def __post_init__(self) -> None:
        keep(self, repeats=flag("Sorting", "repeats", self.repeats))
        values = whole("Sorting", "values", self.values, 1)
        keep(
            self,
            values=values,
            n=whole("Sorting", "n", self.n, 1, None if self.repeats else values),
        )

    @property
    def d_vocab(self) -> int:
        """The number of tokens, of values and a mark."""
        return self.values + 1

    @property
    def n_ctx(self) -> int:
        """The number of positions, 2n."""
        return 2 * self.n

    @property
    def token_names(self) -> tuple[str, ...]:
        """The numbers, and ``|``."""
        return (*(str(i) for i in range(self.values)), "|")

    def with_length(self, n: int) -> Self:
        """Return the task with lists of another length, with the same vocabulary."""
        return self.replace(n=n)

    def sample(self, n: int, rng: np.random.Generator) -> Batch:
        """Draw n lists; see ``Task.sample``."""
        n = generator("Sorting.sample", n, rng)
        if self.repeats:
            numbers = rng.integers(0, self.values, (n, self.n))
        else:
            numbers = rng.random((n, self.values)).argsort(axis=1)[:, : self.n]
        mark = np.full((n, 1), self.values)
        row = np.concatenate((numbers, mark, np.sort(numbers, axis=1)), axis=1)
        counted = np.zeros((n, self.n_ctx), bool)
        counted[:, self.n :] = True
        return Batch(row[:, :-1], row[:, 1:], counted)

    def predicted_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return A[t, j] = 1/m on the m places j of the list that hold the next number in order.

        Tokens are ``(..., 2n)``, the pattern ``(..., query, key)``. The mark looks at the smallest
        number, each number of the sorted list at the next smallest that is not used up.
        """
        tokens = checked_tokens("Sorting", tokens, self.d_vocab, self.n_ctx)
        numbers = tokens[..., : self.n]
        following = np.sort(numbers, axis=-1)
        equal = following[..., :, None] == numbers[..., None, :]  # [..., place in order, place]
        pattern = np.zeros((*tokens.shape, self.n_ctx))
        pattern[..., self.n :, : self.n] = equal / equal.sum(-1, keepdims=True)
        return pattern

    def baseline(self) -> float:
        """Return E[(n − D + H_D)/n], D distinct numbers in a list, H_D = 1 + ½ + … + 1/D.

        The guesser knows the list but not which number is the larger: it repeats a number until
        its copies are used up (n − D answers are sure), and then names any of those left.
        """
        shares = np.zeros(self.n + 1)  # of lists with D distinct numbers, after i draws
        shares[0] = 1
        distinct = np.arange(self.n + 1)
        for _ in range(self.n):
            new = 1 - distinct / self.values if self.repeats else np.ones(self.n + 1)
            new = np.clip(new, 0, 1)
            shares = shares * (1 - new) + np.concatenate(([0], (shares * new)[:-1]))
        harmonic = np.cumsum(np.concatenate(([0], 1 / distinct[1:])))
        return float(shares @ (self.n - distinct + harmonic) / self.n)
