"""Which key may go with which value, so that some pairs are never seen in training."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks._arguments import flag, keep, number, whole

__all__ = ["Pairings"]

TRIES = 1000
DRAWS, ROUNDS = 20_000, 10  # of elimination: lists, and scalings of rows and columns


@dataclass(frozen=True)
class Pairings:
    """A random split of all (key, value) pairs, or the other side of it.

    Key k and value v are held out if σ(v) − π(k) mod V lies below m = ``fraction`` · V, rounded,
    for two random permutations: every key is held out from exactly m values, and every value from
    nearly as many keys as any other.

    Attributes:
        fraction: of the pairs that is held out.
        seed: of the permutations.
        unseen: the pairs that are held out, instead of the others.
    """

    fraction: float = 0.2
    seed: int = 0
    unseen: bool = False

    def __post_init__(self) -> None:
        needed = "a number between 0 and 1"
        keep(
            self,
            fraction=number("Pairings", "fraction", self.fraction, needed, lambda x: 0 < x < 1),
            seed=whole("Pairings", "seed", self.seed, 0),
            unseen=flag("Pairings", "unseen", self.unseen),
        )

    def other(self) -> Pairings:
        """Return the other side of the same split."""
        return Pairings(self.fraction, self.seed, not self.unseen)

    def allowed(self, keys: int, values: int) -> NDArray[np.bool_]:
        """Return which key may go with which value, ``(keys, values)``.

        Raises:
            ValueError: the fraction leaves a key no value on one of the sides.
        """
        return _allowed(self, keys, values)

    def draw(
        self, n: int, pairs: int, keys: int, values: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw keys and values, distinct within a row and allowed together: two ``(n, pairs)``.

        Keys are drawn first; one after another they take a value that is left. A row in which a key
        finds none is drawn again.

        Raises:
            ValueError: that hardly ever succeeds.
        """
        allowed = self.allowed(keys, values)
        k, v = np.zeros((2, n, pairs), np.int64)
        todo = np.arange(n)
        for _ in range(TRIES):
            k[todo] = rng.random((len(todo), keys)).argsort(axis=1)[:, :pairs]
            free = np.ones((len(todo), values), bool)
            stuck = np.zeros(len(todo), bool)
            for j in range(pairs):
                fits = free & allowed[k[todo, j]]
                chosen = (rng.random(fits.shape) * fits).argmax(axis=1)
                stuck |= ~fits.any(axis=1)
                free[np.arange(len(todo)), chosen] = False
                v[todo, j] = chosen
            todo = todo[stuck]
            if not len(todo):
                return k, v
        raise ValueError(
            f"Pairings: lists of {pairs} pairs hardly ever fit into the pairs that are allowed. "
            "Take fewer pairs, or a fraction nearer to ½."
        )

    def elimination(self, pairs: int, keys: int, values: int, queries: int) -> float:
        """Return the accuracy of a guesser who knows which pairs can never occur.

        S[k, v] is the chance that the listed key k goes with the listed value v. It begins as 1
        where the pair is allowed and 0 elsewhere; each answer leaves its key and its value only one
        another. Then rows and columns are scaled to sum to 1 in turn, which comes close to taking
        all ways of pairing them up as equally likely. The guesser names the likeliest value of the
        asked key. How often that is right is counted in 20,000 lists from a fixed seed.

        Raises:
            ValueError: as ``draw`` does.

        Source: Sinkhorn (1964), A relationship between arbitrary positive matrices and doubly
        stochastic matrices.
        """
        return _elimination(self, pairs, keys, values, queries)


@lru_cache(maxsize=32)
def _elimination(pairings: Pairings, pairs: int, keys: int, values: int, queries: int) -> float:
    rng = np.random.default_rng(0)
    drawn = pairings.draw(DRAWS, pairs, keys, values, rng)
    order = rng.random((DRAWS, pairs)).argsort(axis=1)  # in which the keys are asked
    k, v = (np.take_along_axis(x, order, axis=1) for x in drawn)
    listed = np.sort(v, axis=1)  # in an order that says nothing of the keys
    answer = v.argsort(axis=1).argsort(axis=1)  # where the value of each key stands in it
    possible = pairings.allowed(keys, values)[k[:, :, None], listed[:, None, :]].astype(float)
    right = 0
    for asked in range(queries):
        S = possible.copy()  # [list, key, value]
        for _ in range(ROUNDS):
            S /= S.sum(axis=2, keepdims=True)
            S /= S.sum(axis=1, keepdims=True)
        given = answer[:, asked]
        right += int((S[:, asked].argmax(axis=1) == given).sum())
        possible[:, asked] = np.arange(pairs) == given[:, None]  # so no other key keeps that value
    return right / (DRAWS * queries)


@lru_cache(maxsize=16)
def _allowed(pairings: Pairings, keys: int, values: int) -> NDArray[np.bool_]:
    rng = np.random.default_rng(pairings.seed)
    held = round(pairings.fraction * values)
    if not 0 < held < values:
        raise ValueError(
            f"Pairings: fraction {pairings.fraction} of {values} values is {held}; each key needs "
            "a value on both sides. Choose a fraction nearer to ½."
        )
    shifts = rng.permutation(values) - rng.permutation(keys)[:, None]  # [key, value]
    out = shifts % values < held
    out.setflags(write=False)
    return out if pairings.unseen else ~out
