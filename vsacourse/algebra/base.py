"""What every vector-symbolic model offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.algebra.checks import Checks
from vsacourse.backend import A, negated, rolled, same_dtype

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["Model"]


@dataclass(frozen=True)
class Model(Checks, ABC):
    """A vector-symbolic model: a set of vectors, and operations that keep within it.

    Vectors lie on the last axis, ``(..., d)``; operations on many items take ``(..., n, d)``;
    leading axes are a batch. NumPy arrays give NumPy arrays, torch tensors give torch tensors.

    Attributes:
        dim: the number d of components, at least 1.

    Raises:
        TypeError: ``dim`` is not an int.
        ValueError: ``dim`` is below 1.
    """

    dim: int

    name: ClassVar[str]
    dtypes: ClassVar[tuple[str, ...]]
    """The dtypes that vectors may have; the first is the default of ``random``."""
    _example: ClassVar[str] = "dim=1024"
    """Arguments that a message may propose."""

    def __post_init__(self) -> None:
        if isinstance(self.dim, np.integer):
            object.__setattr__(self, "dim", int(self.dim))
        if isinstance(self.dim, bool) or not isinstance(self.dim, int):
            raise TypeError(
                f"{self.name}: dim is {self.dim!r}; a positive whole number is needed, "
                f"such as {self.name}({self._example})."
            )
        if self.dim < 1:
            raise ValueError(f"{self.name}: dim is {self.dim}; it needs to be at least 1.")

    # Making vectors

    def random(
        self, n: int, rng: np.random.Generator, dtype: DTypeLike | None = None
    ) -> NDArray[Any]:
        """Draw n independent random vectors, as NumPy, shape ``(n, d)``.

        Numbers are drawn in double precision and then converted: one seed gives the same
        vectors in every dtype. Move them with ``backend.to_backend(vectors, like=tensor)``.

        Raises:
            TypeError: ``rng`` is not a ``numpy.random.Generator``, or n is not an int.
            ValueError: n is below 1, or the model has no such dtype.
        """
        self._check_draw("random", n, rng)
        return self._draw(int(n), rng).astype(self._numpy_dtype("random", dtype))

    @abstractmethod
    def _draw(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        """Draw ``(n, d)`` in double precision."""

    def random_roles(
        self, n: int, rng: np.random.Generator, dtype: DTypeLike | None = None
    ) -> NDArray[Any]:
        """Draw n vectors to bind *with*, the second argument of ``bind``, as NumPy.

        In most models any vector can be a role, and this is ``random``; TPR and MBAT have roles of
        a kind of their own.
        """
        return self.random(n, rng, dtype)

    @abstractmethod
    def identity(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return the vector e with ``bind(a, e) == a``, as NumPy, shape ``(d,)``."""

    # The operations

    @abstractmethod
    def bind(self, a: A, b: A) -> A:
        """Bind two vectors into one that is dissimilar to both; shape ``(..., d)``."""

    @abstractmethod
    def inverse(self, a: A) -> A:
        """Return the vector that undoes binding with a; shape ``(..., d)``."""

    @abstractmethod
    def unbind(self, bound: A, key: A) -> A:
        """Return ``bind(bound, inverse(key))``: what was bound with the key, perhaps noisy."""

    @abstractmethod
    def multibind(self, items: A) -> A:
        """Bind all n items together: ``(..., n, d)`` to ``(..., d)``."""

    @abstractmethod
    def bundle(self, items: A, rng: np.random.Generator | None = None) -> A:
        """Superpose all n items into one similar to each: ``(..., n, d)`` to ``(..., d)``."""

    @abstractmethod
    def normalize(self, a: A, rng: np.random.Generator | None = None) -> A:
        """Return the vector of the model's own set that is nearest to a."""

    @abstractmethod
    def coordinates(self, a: A) -> A:
        """Return real coordinates whose cosine is the model's similarity."""

    def negative(self, a: A) -> A:
        """Return −a, which cancels a in a bundle; shape and dtype stay (int8 has no +128)."""
        self._check("negative", a)
        return negated(a)

    def permute(self, a: A, shifts: int = 1) -> A:
        """Return b with b_j = a_(j − shifts mod d): components moved round the last axis.

        Permuting by ``-shifts`` undoes it. Similarities stay, and a permuted vector is
        dissimilar to the vector itself, so the number of shifts can mark a position. It
        distributes over componentwise binding, P(a ⊙ b) = P(a) ⊙ P(b); over HRR's convolution
        it moves past: P(a ⊛ b) = P(a) ⊛ b.

        Raises:
            TypeError: ``shifts`` is not an int.
        """
        if isinstance(shifts, bool) or not isinstance(shifts, int | np.integer):
            raise TypeError(f"{self}.permute: shifts is {shifts!r}; a whole number is needed.")
        self._check("permute", a)
        return rolled(a, int(shifts))

    def similarity(self, a: A, b: A) -> A:
        """Return cos(a, b) = a·b / (‖a‖ ‖b‖), taken between the vectors' coordinates.

        ``(..., d)`` against ``(d,)`` gives ``(...)``; against ``(n, d)``, or ``(..., n, d)`` with
        the same leading axes (or 1 in their place), it gives ``(..., n)``. The similarity to a
        zero vector is 0.

        Between unrelated random vectors it has mean 0 and standard deviation 1/√d
        (1/√(2d) for FHRR).

        Raises:
            ValueError: dimensions differ, leading axes do not fit, a number is not finite, or
                numbers so large or small that their squares overflow or underflow.
            TypeError: a dtype that the model does not have, or NumPy and torch together.
        """
        xp = self._check("similarity", a, b, values=False)
        if b.ndim > 2:
            self._check_leading(tuple(a.shape[:-1]), tuple(b.shape[:-2]))
        x, y = same_dtype(self.coordinates(a), self.coordinates(b))
        norm_x = self._norm("similarity", a, x, "first vector")
        norm_y = self._norm("similarity", b, y, "second vector")
        if y.ndim == 1:
            return (x @ y) / (norm_x * norm_y)
        if y.ndim == 2:
            return (x @ y.T) / (norm_x[..., None] * norm_y)
        dots = xp.squeeze(y @ x[..., :, None], axis=-1)  # [..., n, d] @ [..., d, 1]
        return dots / (norm_x[..., None] * norm_y)

    def _check_leading(self, a: tuple[int, ...], b: tuple[int, ...]) -> None:
        """Refuse ``(3, 3, d)`` against ``(3, 4, d)``: NumPy would set a's last 3 beside b's."""
        fits = len(a) == len(b) and all(m == n or 1 in (m, n) for m, n in zip(a, b, strict=True))
        if a and not fits:
            raise ValueError(
                f"{self}.similarity: the first has leading axes {a}, the second {b} before its n "
                "vectors; they need to be equal or 1. Insert an axis with x[..., None, :]."
            )
