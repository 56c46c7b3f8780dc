"""VTB: vector-derived transformation binding. One vector becomes a matrix that moves the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from vsacourse.algebra.gaussian import Gaussian
from vsacourse.backend import A, same_dtype

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["VTB"]

Side = Literal["right", "left"]


class VTB(Gaussian):
    """VTB (vector-derived transformation binding): a_j ~ N(0, 1/d), d = k², bind = V_b a.

    V_b is block-diagonal: k times the block √k B, where B is b written as k rows of k numbers.
    It acts on each of the k rows of A alike, so that binding is one product of k × k matrices::

        C = √k A Bᵀ            bind(a, b)
        A ≈ √k C B             unbind(c, b), for E[k Bᵀ B] = I

    Consequences of the order of a matrix product:

    - It does not commute: bind(b, a) is Cᵀ, which is dissimilar to C.
    - It is not associative: (A Bᵀ) Cᵀ is not A (B Cᵀ)ᵀ = A C Bᵀ.
    - Identity and inverse work from the **right** only. I/√k from the left transposes the other
      vector, and no vector x makes bind(x, bind(a, b)) return b: asking for either raises.

    Unbinding is noisy: cosine 1/√2 after one bind and unbind, 1/√(M+1) from a bundle of M pairs.
    r keys bound one after the other and then unbound in reverse leave 1/√(r+1), where HRR
    leaves 2^(−r/2).

    dtypes: float32 (default), float64. Raises ValueError when ``dim`` is not a perfect square.

    Source: Gosmann & Eliasmith (2019), Vector-derived transformation binding, Neural
    Computation 31.

    >>> import numpy as np
    >>> model = VTB(dim=4096)
    >>> a, b = model.random(2, np.random.default_rng(0))
    >>> round(float(model.similarity(model.unbind(model.bind(a, b), b), a)), 1)
    0.7
    """

    name: ClassVar[str] = "VTB"

    def __post_init__(self) -> None:
        super().__post_init__()
        below = math.isqrt(self.dim)
        if below**2 != self.dim:
            raise ValueError(
                f"VTB: dim is {self.dim}; it needs to be a perfect square. The nearest are "
                f"{below**2} ({below}²) and {(below + 1) ** 2} ({below + 1}²)."
            )

    @property
    def side(self) -> int:
        """The number k of rows and of columns, with d = k²."""
        return math.isqrt(self.dim)

    def matrix(self, a: A) -> A:
        """Return a as k rows of k numbers: ``(..., d)`` to ``(..., k, k)``."""
        self._check("matrix", a, values=False)
        return a.reshape((*a.shape[:-1], self.side, self.side))

    def identity(self, dtype: DTypeLike | None = None, side: Side = "right") -> NDArray[Any]:
        """Return e with E = I/√k, shape ``(d,)``: bind(a, e) = a. There is none on the left.

        Raises:
            ValueError: ``side`` is ``"left"``.
        """
        self._check_side("identity", side)
        e = np.eye(self.side) / math.sqrt(self.side)
        return e.reshape(self.dim).astype(self._numpy_dtype("identity", dtype))

    def bind(self, a: A, b: A) -> A:
        """Return c = V_b a, that is C = √k A Bᵀ; shape ``(..., d)``, leading axes broadcast.

        Raises:
            ValueError: a wrong dimension or a non-finite number.
            TypeError: a dtype that is not float32 or float64.
        """
        xp: Any = self._check_pair("bind", a, b)
        return self._product(a, xp.matrix_transpose(self.matrix(b)))

    def inverse(self, a: A, side: Side = "right") -> A:
        """Return a with its matrix transposed, Aᵀ, shape ``(..., d)``; none on the left.

        Binding with it applies V_aᵀ, so that bind(bind(x, a), inverse(a)) ≈ x.

        Raises:
            ValueError: ``side`` is ``"left"``.
        """
        self._check_side("inverse", side)
        xp: Any = self._check("inverse", a)
        return xp.matrix_transpose(self.matrix(a)).reshape(a.shape)

    def unbind(self, bound: A, key: A) -> A:
        """Return V_keyᵀ bound, that is √k C B: what was bound *on the left* of the key, noisy."""
        self._check_pair("unbind", bound, key, names=("bound vector", "key"))
        return self._product(bound, self.matrix(key))

    def _product(self, a: A, right: A) -> A:
        """Return √k A @ right as vectors: ``(..., d)`` and ``(..., k, k)`` to ``(..., d)``."""
        rows, right = same_dtype(self.matrix(a), right)
        product: Any = math.sqrt(self.side) * (rows @ right)
        return product.reshape((*product.shape[:-2], self.dim))

    def _check_side(self, operation: str, side: str) -> None:
        if side == "right":
            return
        if side == "left":
            raise ValueError(
                f"{self}.{operation}: there is no left {operation}; VTB has one on the right only. "
                "Put what you want back on the left when you bind."
            )
        raise ValueError(f'{self}.{operation}: side is {side!r}; it needs to be "right".')
