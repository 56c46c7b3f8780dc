"""What every task has: tokens to read, targets to predict, and which of them count."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Batch", "Task"]

Tokens = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Batch:
    """Sequences to learn from, ``(n, pos)`` each.

    Attributes:
        tokens: what is read, int64.
        targets: what is to be predicted **at** each position: the token that follows, int64.
        counted: True where loss and accuracy count, bool.
    """

    tokens: Tokens
    targets: Tokens
    counted: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.tokens)


class Task(ABC):
    """A family of random sequences in which something can be predicted from the context.

    Tasks are frozen dataclasses: two with equal fields are equal, and a changed copy comes from
    ``replace`` or from a method called ``with_…``.

    Attributes:
        least_layers: attention-only layers without which no model solves the task, when positions
            enter queries and keys only.
    """

    least_layers: ClassVar[int] = 1

    @property
    @abstractmethod
    def d_vocab(self) -> int:
        """The number of tokens."""

    @property
    @abstractmethod
    def n_ctx(self) -> int:
        """The largest number of positions of a batch."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> Batch:
        """Draw n sequences.

        Raises:
            ValueError: ``n`` is below 1.
            TypeError: ``n`` is no whole number, or ``rng`` no ``numpy.random.Generator``.
        """

    @abstractmethod
    def predicted_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return where a head that reads the answer must look: ``(..., query, key)``.

        Each row sums to 1, spread evenly over the keys that serve equally well, or is 0: where
        nothing is predicted, or nothing in the context says what. A task may have rows that are
        not 0 at queries that are not ``counted``; it says so then.

        Args:
            tokens: as ``sample`` draws them, ``(..., pos)``.
        """

    @abstractmethod
    def baseline(self) -> float:
        """Return the accuracy without binding: of a guesser who knows all but what goes with what.

        The guesser knows the format, and which tokens were given, asked and answered so far, and
        strikes out what can no longer come.
        """

    @property
    @abstractmethod
    def token_names(self) -> tuple[str, ...]:
        """What to write for each token, for figures."""

    def replace(self, **changes: Any) -> Self:
        """Return the task with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def to_dict(self) -> dict[str, Any]:
        """Return the name of the class and the fields as plain values, for JSON."""
        return {"task": type(self).__name__} | dataclasses.asdict(self)  # type: ignore[call-overload]
