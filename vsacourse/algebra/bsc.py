"""BSC: the binary spatter code. Vectors of bits; binding is exclusive or."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.algebra.base import Model
from vsacourse.algebra.ties import break_ties
from vsacourse.backend import A, dtype_name

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["BSC"]


class BSC(Model):
    """BSC (binary spatter code): a_j ∈ {0, 1}, bind = a XOR b, bundle = majority of the bits.

    A vector is its own inverse, so unbinding is binding again, and exact. A bundle is
    thresholded at once, so binding distributes over a bundle only when there are no ties: with
    ties, both sides agree in every component that was not decided at random.

    dtypes: uint8 holding only 0 and 1 (default), or bool; bool in, bool out.

    Source: Kanerva (2009), Hyperdimensional computing, Cognitive Computation 1.

    >>> import numpy as np
    >>> model = BSC(dim=1000)
    >>> a, b = model.random(2, np.random.default_rng(0))
    >>> bool(np.all(model.unbind(model.bind(a, b), b) == a))
    True
    """

    name: ClassVar[str] = "BSC"
    dtypes: ClassVar[tuple[str, ...]] = ("uint8", "bool")

    def _draw(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return rng.random((n, self.dim)) < 0.5

    def identity(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return e_j = 0, shape ``(d,)``."""
        return np.zeros(self.dim, dtype=self._numpy_dtype("identity", dtype))

    def bind(self, a: A, b: A) -> A:
        """Return c_j = a_j XOR b_j, shape ``(..., d)``; leading axes broadcast.

        Raises:
            ValueError: a wrong dimension, or numbers other than 0 and 1.
            TypeError: a dtype other than uint8 and bool.
        """
        self._check_pair("bind", a, b)
        return a ^ b

    def inverse(self, a: A) -> A:
        """Return a itself, for a XOR a = 0; shape ``(..., d)``."""
        self._check("inverse", a)
        return a

    def unbind(self, bound: A, key: A) -> A:
        """Return c_j = bound_j XOR key_j: the same as ``bind``, and exact."""
        self._check_pair("unbind", bound, key, names=("bound vector", "key"))
        return bound ^ key

    def multibind(self, items: A) -> A:
        """Return c_j = Σ_i a_ij mod 2: ``(..., n, d)`` to ``(..., d)``.

        Raises:
            ValueError: there are no items.
        """
        xp = self._check_items("multibind", items)
        # A byte that wraps at 256 keeps its parity.
        parity = xp.sum(items, axis=-2, dtype=xp.uint8) & 1
        return xp.astype(parity, items.dtype)

    def bundle(self, items: A, rng: np.random.Generator | None = None) -> A:
        """Return the majority c_j = [Σ_i a_ij > n/2]: ``(..., n, d)`` to ``(..., d)``.

        All n items vote at once: a majority folded pair by pair would weigh the last items far
        above the first. A tie (n even) is broken at random from ``rng``.

        Raises:
            ValueError: there are no items, or there is a tie and ``rng`` is None.
        """
        xp = self._check_items("bundle", items)
        n = items.shape[-2]
        # Counts up to 255 fit a byte, and bytes are added up without converting every bit.
        votes = xp.sum(items, axis=-2, dtype=xp.uint8 if n < 256 else xp.int32)
        majority = xp.astype(votes > n // 2, items.dtype)
        if n % 2 == 1:
            return majority
        return break_ties(self, majority, votes == n // 2, (0, 1), rng, "bundle")

    def negative(self, a: A) -> A:
        """Return 1 − a_j, the complement: its similarity to anything has the opposite sign."""
        self._check("negative", a)
        return a ^ 1 if dtype_name(a.dtype) == "uint8" else ~a

    def normalize(self, a: A, rng: np.random.Generator | None = None) -> A:
        """Return a itself: a bundle of bits is already bits. ``rng`` is not used."""
        self._check("normalize", a)
        return a

    def coordinates(self, a: A) -> A:
        """Return 1 − 2 a_j as float32: the cosine of signs is 1 − 2 Hamming(a, b) / d."""
        xp = self._check("coordinates", a)
        return 1 - 2 * xp.astype(a, xp.float32)

    def _values_fit(self, a: Any, b: Any) -> bool:
        """Say in one pass whether both hold only 0 and 1; a bool cannot hold anything else."""
        return dtype_name(a.dtype) == "bool" or 0 in a.shape or int((a | b).max()) <= 1

    def _refuse_values(self, operation: str, x: Any, name: str) -> None:
        raise ValueError(
            f"{self}.{operation}: the {name} holds {int(x.max())}; it needs bits, 0 or 1. "
            "Take a majority (bundle) instead of a sum."
        )

    def _dtype_advice(self, dtype: str) -> str:
        return f"Draw with {self}.random, or threshold to bits: (x > 0.5).astype(numpy.uint8)."
