"""n-grams: which items follow one another in a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

import numpy as np

from vsacourse import theory
from vsacourse.algebra import Model
from vsacourse.backend import A
from vsacourse.memory import ItemMemory
from vsacourse.structures.base import Reading, Structure
from vsacourse.structures.checks import (
    checked_count,
    checked_memories,
    checked_names,
    checked_vector,
    permuted,
    vectors_of,
)
from vsacourse.structures.refusals import refuse

__all__ = ["NGrams", "encode_ngram", "encode_ngrams", "read_next"]


def encode_ngram(model: Model, items: A) -> A:
    """Return x_n ⊛ ρ(x_(n−1)) ⊛ … ⊛ ρ^(n−1)(x_1): ``(..., n, d)`` to ``(..., d)``.

    ⊛ is the model's binding, from the left on. The shifts tell the order; FHRR, MAP, BSC and VTB.

    Source: Kanerva (2009); Kleyko et al. (2022).

    Raises:
        ValueError: HRR (its shift moves past convolution), TPR or MBAT; no items, or more than d.
    """
    refuse(model, "n-grams")
    n = items.shape[-2] if items.ndim > 1 else 0
    _check_length(model, n)
    shifts = range(n)
    return model.multibind(permuted(model, items[..., list(reversed(shifts)), :], shifts))


def encode_ngrams(model: Model, items: A, n: int, rng: np.random.Generator | None = None) -> A:
    """Return Σ_t ``encode_ngram``(x_t … x_(t+n−1)): a text ``(..., T, d)`` to ``(..., d)``.

    Two texts compare by the similarity of their vectors: about Σ_g c_g c′_g/(‖c‖ ‖c′‖) with the
    counts c and c′ of every n-gram g. BSC takes a majority, ties broken from ``rng``.

    Raises:
        ValueError: as ``encode_ngram``; a text shorter than n, or a tie without ``rng``.
    """
    refuse(model, "n-grams")
    _check_length(model, checked_count("encode_ngrams", "n", n))
    windows = (items.shape[-2] if items.ndim > 1 else 0) - n + 1
    if windows < 1:
        raise ValueError(
            f"encode_ngrams: the text has shape {tuple(items.shape)}; (..., T, d) with T at least "
            f"n = {n} is needed."
        )
    grams = items[..., n - 1 :, :]
    for back in range(1, n):
        start = n - 1 - back
        grams = model.bind(grams, model.permute(items[..., start : start + windows, :], back))
    return model.bundle(grams, rng)


def read_next(model: Model, grams: A, prefix: A) -> A:
    """Return what is left when the first n − 1 items are unbound, ρ^(n−1)(x_1) first.

    It is similar to every item that follows the prefix, in proportion to how often it does.
    Grams ``(..., d)``, prefix ``(..., n − 1, d)``, to ``(..., d)``.

    Raises:
        ValueError: as ``encode_ngram``.
    """
    refuse(model, "n-grams")
    n = prefix.shape[-2] + 1
    for i in range(n - 1):
        grams = model.unbind(grams, model.permute(prefix[..., i, :], n - 1 - i))
    return grams


class NGrams(Structure[A]):
    """All n-grams of a text, in FHRR, MAP, BSC and VTB.

    Two texts compare with ``similarity``; ``ngrams["th"]`` reads what follows most often. Repeats
    of an n-gram add up, so that reading one that occurs m times has (Σ_g c_g²)/m² items to tell
    apart, c_g the counts (in VTB c_g² times s + 1 for the s first items shared). Making it never
    warns: a text is compared at any length, long after it can be read.

    >>> import numpy as np
    >>> from vsacourse import MAP, ItemMemory
    >>> from vsacourse.structures import NGrams
    >>> letters = ItemMemory.random(MAP(dim=4096), list("abcnr "), np.random.default_rng(0))
    >>> banana, cabana = NGrams("banana", letters, 2), NGrams("cabana", letters, 2)
    >>> banana["n"].name
    'a'
    >>> round(banana.similarity(cabana), 1)  # counts (1 2 2) and (1 1 1 1 1): 5 / (3 √5) = .75
    0.7

    Args:
        text: names; a string is read letter by letter.
        memory: the memory of items.
        n: how many items an n-gram has, at least 2.
        rng: breaks the ties of BSC.

    Raises:
        UnknownNameError: an item that the memory does not hold.
        ValueError: HRR, TPR or MBAT; a text shorter than n; a tie without ``rng``.
        TypeError: ``memory`` is no item memory.
    """

    n: int
    _known: Any
    _counts: Counter[tuple[str, ...]]
    _size: int
    _weights: list[float]  # what an n-gram counts that shares s first items with the prefix

    def __init__(
        self,
        text: Iterable[str],
        memory: ItemMemory[A],
        n: int,
        rng: np.random.Generator | None = None,
    ) -> None:
        model = checked_memories("NGrams", memory=memory)
        refuse(model, "n-grams")
        n = checked_count("NGrams", "n", n, least=2)
        names = checked_names("NGrams", text, least=n)
        vector = encode_ngrams(model, vectors_of(memory, names), n, rng)
        windows = len(names) - n + 1
        counts = Counter(names[i : i + n] for i in range(windows))
        self._build(vector, memory, n, windows, counts)

    @classmethod
    def from_vector(cls, vector: A, memory: ItemMemory[A], n: int, grams: int) -> NGrams[A]:
        """Return the text of so many n-grams that a vector is; the error takes them as different.

        Raises:
            ValueError: HRR, TPR or MBAT; a wrong shape.
            TypeError: NumPy and torch together, a wrong dtype.
        """
        model = checked_memories("NGrams", memory=memory)
        refuse(model, "n-grams")
        checked_vector("NGrams", memory, vector, model.dim)
        new: NGrams[A] = cls.__new__(cls)
        n = checked_count("NGrams", "n", n, least=2)
        new._build(vector, memory, n, checked_count("NGrams", "grams", grams), Counter())
        return new

    def _build(
        self,
        vector: A,
        memory: ItemMemory[A],
        n: int,
        size: int,
        counts: Counter[tuple[str, ...]],
    ) -> None:
        self._hold(vector)
        model = memory.model
        self._set(model=model, memory=memory, n=n, _size=size, _counts=counts, _known=None)
        self._set(_weights=[theory.effective_items([s], model) for s in range(n)])
        prefixes = {gram[:-1] for gram in counts} or {()}
        self._set(_items=tuple(self._among(prefix) for prefix in sorted(prefixes)))
        chances = [self._chance(prefix) for prefix in sorted(prefixes)]
        self._set(_errors=tuple(chances))

    def _among(self, prefix: tuple[str, ...]) -> float:
        """Return the effective number of items when what follows a prefix is read."""
        counts = self._counts or Counter({(str(i),): 1 for i in range(self._size)})
        most = max([count for gram, count in counts.items() if gram[:-1] == prefix] or [1])
        noise = [count**2 * self._weights[_shared(prefix, gram)] for gram, count in counts.items()]
        return float(sum(noise) / most**2)

    def _chance(self, prefix: tuple[str, ...]) -> float:
        """Return how often the item read after a prefix is none that follows it most often.

        What follows it less often has a head start over the rest of the memory.
        """
        follows = [count for gram, count in self._counts.items() if gram[:-1] == prefix]
        most = max(follows, default=1)
        rivals = [count / most for count in follows if count < most]
        ties = max(0, follows.count(most) - 1)  # any of them is right
        right = theory.recall_among_rivals(
            self.model.dim, self._among(prefix), len(self.memory) - ties, rivals, self.model
        )
        return 1 - right

    def __repr__(self) -> str:
        return f"NGrams({self.model}, {len(self)} {self.n}-grams)"

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, prefix: Iterable[str]) -> Reading:
        """Return the item that follows n − 1 items most often.

        Raises:
            ValueError: not n − 1 items.
            UnknownNameError: an item that the memory does not hold.
        """
        names = checked_names("NGrams", prefix)
        if len(names) != self.n - 1:
            raise ValueError(
                f"NGrams: {len(names)} items were given; n − 1 = {self.n - 1} are needed, to read "
                "the one that follows."
            )
        vector = read_next(self.model, self.vector, vectors_of(self.memory, names))
        return self._read(vector, self._chance(names))

    def decode(self) -> dict[tuple[str, ...], Reading]:
        """Return what follows each prefix of the text that it was made of.

        Raises:
            ValueError: the text is known only as a vector.
        """
        if not self._counts:
            raise ValueError(
                "NGrams: the text is known only as a vector, so its prefixes are not known. "
                'Ask for one, such as ngrams["th"].'
            )
        return {prefix: self[prefix] for prefix in sorted({gram[:-1] for gram in self._counts})}


def _shared(prefix: tuple[str, ...], gram: tuple[str, ...]) -> int:
    pairs = zip(prefix, gram[:-1], strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _check_length(model: Model, n: int) -> None:
    if n > model.dim:
        raise ValueError(
            f"{model}: an n-gram of {n} items is marked by shifts; at most d = {model.dim} are "
            "different. Use a larger dimension."
        )
