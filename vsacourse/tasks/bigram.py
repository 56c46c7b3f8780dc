"""Text from a random bigram table: a null, with nothing to bind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks._arguments import checked_tokens, generator, keep, number, whole
from vsacourse.tasks.base import Batch, Task

__all__ = ["Bigram"]


@dataclass(frozen=True)
class Bigram(Task):
    """Each token is drawn from a row of a table P that its predecessor chooses.

    The rows are Dirichlet(``concentration``) draws; the first token comes from the table's
    stationary distribution π = π P, so every position has it. Nothing further back than the token
    itself helps, so what a model of this text does with its context is chance.

    Attributes:
        d_vocab: the number of tokens.
        n_ctx: the number of positions.
        seed: of the table, which is part of the task.
        concentration: below 1 a few successors dominate, above 1 all are alike.

    Raises:
        ValueError: a field out of range.
        TypeError: a field of the wrong type.
    """

    d_vocab: int = 32
    n_ctx: int = 32
    seed: int = 0
    concentration: float = 0.5

    def __post_init__(self) -> None:
        owner, needed = "Bigram", "a number from .01 on"  # below, whole rows round to 0
        keep(
            self,
            d_vocab=whole(owner, "d_vocab", self.d_vocab, 1),
            n_ctx=whole(owner, "n_ctx", self.n_ctx, 1),
            seed=whole(owner, "seed", self.seed, 0),
            concentration=number(
                owner, "concentration", self.concentration, needed, lambda x: x >= 0.01
            ),
        )

    @property
    def table(self) -> NDArray[np.float64]:
        """P[a, b], the chance that b follows a, ``(d_vocab, d_vocab)``."""
        return _table(self)[0]

    @property
    def stationary(self) -> NDArray[np.float64]:
        """π, the share of each token, ``(d_vocab,)``."""
        return _table(self)[1]

    @property
    def token_names(self) -> tuple[str, ...]:
        """The numbers."""
        return tuple(str(i) for i in range(self.d_vocab))

    def entropy(self) -> float:
        """Return −Σ_a π_a Σ_b P_ab ln P_ab, in nats: the smallest loss that can be had."""
        P = self.table
        logs = np.log(np.where(P > 0, P, 1))
        return float(-(self.stationary @ (P * logs).sum(-1)))

    def sample(self, n: int, rng: np.random.Generator) -> Batch:
        """Draw n sequences; see ``Task.sample``."""
        n = generator("Bigram.sample", n, rng)
        steps = self.table.cumsum(axis=1)
        row = np.empty((n, self.n_ctx + 1), np.int64)
        row[:, 0] = _drawn(self.stationary.cumsum()[None, :], rng.random(n))
        for i in range(self.n_ctx):
            row[:, i + 1] = _drawn(steps[row[:, i]], rng.random(n))
        return Batch(row[:, :-1], row[:, 1:], np.ones((n, self.n_ctx), bool))

    def predicted_pattern(self, tokens: Any) -> NDArray[np.float64]:
        """Return zeros ``(..., query, key)``: no place in the context says what follows."""
        tokens = checked_tokens("Bigram", tokens, self.d_vocab)
        return np.zeros((*tokens.shape, tokens.shape[-1]))

    def baseline(self) -> float:
        """Return Σ_a π_a max_b P_ab: the likeliest successor, which is also the best there is."""
        return float(self.stationary @ self.table.max(axis=1))


def _drawn(steps: NDArray[np.float64], uniform: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of steps of a cumulative distribution that lie below a uniform draw."""
    return (uniform[:, None] >= steps[:, :-1]).sum(axis=1)


@lru_cache(maxsize=16)
def _table(task: Bigram) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(task.seed)
    P = rng.dirichlet(np.full(task.d_vocab, task.concentration), task.d_vocab)
    # π (P − 1) = 0 and Σ π = 1, by least squares
    equations = np.vstack((P.T - np.eye(task.d_vocab), np.ones(task.d_vocab)))
    wanted = np.concatenate((np.zeros(task.d_vocab), [1.0]))
    pi = np.clip(np.linalg.lstsq(equations, wanted, rcond=None)[0], 0, None)
    pi /= pi.sum()
    for array in (P, pi):
        array.setflags(write=False)
    return P, pi
