"""Repeated sequences: what followed this token before, follows it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks._arguments import checked_tokens, flag, generator, keep, span, whole
from vsacourse.tasks.base import Batch, Task

__all__ = ["Induction"]


@dataclass(frozen=True)
class Induction(Task):
    """s_i = s_(i − p): random tokens, repeated with a period p drawn for each row.

    Counted are the positions i ≥ p: their token stood p places before, and what followed it there
    follows again. With a **fixed** period a model need not match any token: looking p − 1 places
    back does as well, and fails at every other period.

    >>> import numpy as np
    >>> task = Induction(d_vocab=9, n_ctx=7, periods=(3, 3))
    >>> batch = task.sample(1, np.random.default_rng(0))
    >>> batch.tokens[0], batch.targets[0]
    (array([3, 2, 1, 3, 2, 1, 3]), array([2, 1, 3, 2, 1, 3, 2]))
    >>> batch.counted[0].tolist()
    [False, False, False, True, True, True, True]

    Attributes:
        d_vocab: the number of tokens, the start token included.
        n_ctx: the number of positions T.
        periods: the shortest and the longest period, each equally likely in between; None: from
            T/4 to T/2.
        start: put a start token, the last one of the vocabulary, in front.
        distinct: no token twice within a period, so that the earlier occurrence tells the answer.

    Raises:
        ValueError: a period that leaves no repeated token to predict, or fewer tokens than the
            longest period.
        TypeError: a field of the wrong type.
    """

    least_layers: ClassVar[int] = 2

    d_vocab: int = 32
    n_ctx: int = 32
    periods: tuple[int, int] | None = None
    start: bool = False
    distinct: bool = True

    def __post_init__(self) -> None:
        keep(
            self,
            start=flag("Induction", "start", self.start),
            distinct=flag("Induction", "distinct", self.distinct),
        )
        keep(
            self,
            d_vocab=whole("Induction", "d_vocab", self.d_vocab, 1 + self.start),
            n_ctx=whole("Induction", "n_ctx", self.n_ctx, 2 + self.start),
        )
        length = self.n_ctx - self.start
        periods = self.periods
        if periods is None:
            periods = (max(1, length // 4), max(1, length // 2))
        low, high = span("Induction", "periods", periods, 1)
        keep(self, periods=(low, high))
        if high >= length:
            raise ValueError(
                f"Induction: the longest period is {high}, and n_ctx = {self.n_ctx} leaves "
                f"{length} positions; at most {length - 1} repeats a token to predict from."
            )
        symbols = self.d_vocab - self.start
        if self.distinct and high > symbols:
            raise ValueError(
                f"Induction: the longest period is {high}, and there are {symbols} "
                "tokens; distinct tokens need at least as many. Raise d_vocab or shorten periods."
            )

    @property
    def shortest(self) -> int:
        """The shortest period."""
        return (self.periods or (0, 0))[0]

    @property
    def longest(self) -> int:
        """The longest period."""
        return (self.periods or (0, 0))[1]

    @property
    def token_names(self) -> tuple[str, ...]:
        """The numbers, and ``start`` for the start token."""
        names = tuple(str(i) for i in range(self.d_vocab - self.start))
        return names + ("start",) * self.start

    def with_periods(self, shortest: int, longest: int | None = None) -> Self:
        """Return the task at other periods, or at one fixed period, with the same vocabulary."""
        return self.replace(periods=(shortest, shortest if longest is None else longest))

    def sample(self, n: int, rng: np.random.Generator) -> Batch:
        """Draw n sequences, each with its own period; see ``Task.sample``."""
        n = generator("Induction.sample", n, rng)
        symbols = self.d_vocab - self.start
        periods = rng.integers(self.shortest, self.longest + 1, n)
        if self.distinct:
            once = rng.random((n, symbols)).argsort(axis=1)[:, : self.longest]
        else:
            once = rng.integers(0, symbols, (n, self.longest))
        places = np.arange(self.n_ctx - self.start + 1)
        whole_row = np.take_along_axis(once, places % periods[:, None], axis=1)
        counted = places[:-1] >= periods[:, None]
        if self.start:
            first = np.full((n, 1), self.d_vocab - 1)
            whole_row = np.concatenate((first, whole_row), axis=1)
            counted = np.concatenate((np.zeros((n, 1), bool), counted), axis=1)
        return Batch(whole_row[:, :-1], whole_row[:, 1:], counted)

    def predicted_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return A[i, j] = 1/m on the m keys j that follow an earlier occurrence of token i.

        Tokens are ``(..., pos)``, the pattern ``(..., query, key)``. The row of a token that
        did not occur before is 0, and so is that of the start token. Without ``distinct`` a token
        may have occurred before the first repetition, where it is not counted: its row is not 0.
        """
        tokens = checked_tokens("Induction.predicted_pattern", tokens, self.d_vocab)
        same = tokens[..., :, None] == tokens[..., None, :]  # [..., query, occurrence]
        earlier = np.tril(same, -1)
        if self.start:
            earlier &= (tokens != self.d_vocab - 1)[..., :, None]
        after = np.zeros(same.shape)
        after[..., 1:] = earlier[..., :-1]
        return after / np.maximum(after.sum(-1, keepdims=True), 1)

    def elimination(self, period: int) -> float:
        """Return the accuracy at one period of a guesser who counts tokens but not their order.

        At place j of a repetition the tokens of places 0 to j came once more than the others.
        One of the p − 1 − j others is next, and at the end of a repetition any but the last one::

            1/(T − p) Σ_i 1/c_i,   c_i = p − 1 − j, or p − 1 where that is 0,   j = i mod p

        With repeats in a period the guesser names the token of which most copies are left, at the
        end of a repetition of all copies but the last token; that is averaged over 2,000 draws from
        a fixed seed.

        Raises:
            ValueError: the period does not fit the context or the vocabulary.
        """
        task = self.with_periods(period)
        i = np.arange(period, self.n_ctx - self.start)
        left = period - 1 - i % period
        if task.distinct:
            choices = np.where(left == 0, max(period - 1, 1), left)
            return float((1 / choices).mean())
        rng = np.random.default_rng(0)
        once = rng.integers(0, self.d_vocab - self.start, (2000, period))
        places = np.arange(period)
        same = once[:, :, None] == once[:, None, :]  # [draw, place, place]
        # what is left: places after the present one; at the end of a repetition all but the last
        left_at = [places > j for j in range(period - 1)] + [places < max(period - 1, 1)]
        chance = np.array([(same & x).sum(-1)[:, x].max(-1) / x.sum() for x in left_at])
        return float(chance[i % period].mean())  # from [present place, draw]

    def baseline(self) -> float:
        """Return ``elimination`` averaged over the periods, each with its T − p positions."""
        periods = np.arange(self.shortest, self.longest + 1)
        chances = [self.elimination(int(period)) for period in periods]
        return float(np.average(chances, weights=self.n_ctx - self.start - periods))
