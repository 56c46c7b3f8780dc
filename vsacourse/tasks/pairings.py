"""Which key may go with which value, so that some pairs are never seen in training."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks._arguments import flag, whole

__all__ = ["Pairings"]

TRIES = 1000


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
        if isinstance(self.fraction, bool) or not isinstance(self.fraction, int | float):
            raise TypeError(f"Pairings: fraction is {self.fraction!r}; a number is needed.")
        if not 0 < self.fraction < 1:
            raise ValueError(f"Pairings: fraction is {self.fraction}; between 0 and 1 is needed.")
        whole("Pairings", "seed", self.seed, 0)
        flag("Pairings", "unseen", self.unseen)

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
