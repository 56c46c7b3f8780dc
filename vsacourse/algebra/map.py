"""MAP: multiply, add, permute. Vectors of signs; binding is the componentwise product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.algebra.base import Model
from vsacourse.algebra.ties import break_ties
from vsacourse.backend import A, array_namespace, dtype_name

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["MAP"]

_SMALL = ("int8", "int16")


class MAP(Model):
    """MAP (multiply, add, permute): a_j ∈ {−1, +1}, bind = a ⊙ b, bundle = Σ a_i.

    Sums are kept as they are until ``normalize`` takes their signs: keeping them is MAP-I,
    taking signs is MAP-B. A vector is its own inverse, so unbinding is binding again, and exact.
    After unbinding one of M bundled pairs the cosine with its partner is 1/√M: that is the
    crosstalk of the other pairs, not an error.

    dtypes: float32 (default), float64, int8, int16, int32, int64; results of int8 and int16
    arithmetic are int32, because sums of signs leave their range; int32 and int64 wrap around past
    2^31 and 2^63, as NumPy's do. Floats of MAP and of HRR cannot be told apart: a vector of the
    other model is not noticed.

    Source: Gayler (2003), Vector symbolic architectures answer Jackendoff's challenges.

    >>> import numpy as np
    >>> model = MAP(dim=1000)
    >>> a, b = model.random(2, np.random.default_rng(0))
    >>> bool(np.all(model.unbind(model.bind(a, b), b) == a))
    True
    """

    name: ClassVar[str] = "MAP"
    dtypes: ClassVar[tuple[str, ...]] = (
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
    )

    def _draw(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return np.where(rng.random((n, self.dim)) < 0.5, -1.0, 1.0)

    def identity(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return e_j = 1, shape ``(d,)``."""
        return np.ones(self.dim, dtype=self._numpy_dtype("identity", dtype))

    def bind(self, a: A, b: A) -> A:
        """Return c_j = a_j b_j, shape ``(..., d)``; leading axes broadcast.

        Raises:
            ValueError: a wrong dimension or a non-finite number.
            TypeError: a wrong dtype.
        """
        self._check_pair("bind", a, b)
        return _wide(a) * _wide(b)

    def inverse(self, a: A) -> A:
        """Return a itself, for a ⊙ a = 1 when a holds signs; shape ``(..., d)``."""
        self._check("inverse", a)
        return a

    def unbind(self, bound: A, key: A) -> A:
        """Return c_j = bound_j key_j: the same product as ``bind``; exact for keys of signs."""
        self._check_pair("unbind", bound, key, names=("bound vector", "key"))
        return _wide(bound) * _wide(key)

    def multibind(self, items: A) -> A:
        """Return c_j = Π_i a_ij: ``(..., n, d)`` to ``(..., d)``.

        Raises:
            ValueError: there are no items.
        """
        xp = self._check_items("multibind", items, values=False)
        with np.errstate(over="ignore", invalid="ignore"):  # refused with the product
            product = xp.prod(_wide(items), axis=-2, dtype=_wide_dtype(xp, items))
        return self._finite_product("multibind", product, items)

    def bundle(self, items: A, rng: np.random.Generator | None = None) -> A:
        """Return the sum c = Σ_i a_i: ``(..., n, d)`` to ``(..., d)``; ``rng`` is not used.

        int8 and int16 are added up in int32.

        Raises:
            ValueError: there are no items.
        """
        xp = self._check_items("bundle", items, values=False)
        integers = "int" in dtype_name(items.dtype)
        return self._finite_sum(items, _wide_dtype(xp, items) if integers else None)

    def normalize(self, a: A, rng: np.random.Generator | None = None) -> A:
        """Return sign(a_j), with a random sign from ``rng`` where a_j = 0; shape ``(..., d)``.

        A tie that always fell to one side would bias every bundle of an even number of items.

        Raises:
            ValueError: some a_j is 0 and ``rng`` is None.
        """
        xp = self._check("normalize", a)
        return break_ties(self, xp.sign(a), a == 0, (-1, 1), rng)

    def coordinates(self, a: A) -> A:
        """Return a as floats: similarity is the cosine. Integers are converted."""
        xp = self._check("coordinates", a, values=False)
        dtype = dtype_name(a.dtype)
        if dtype.startswith("float"):
            return a
        return xp.astype(a, xp.float32 if dtype in _SMALL else xp.float64)


def _wide_dtype(xp: Any, a: Any) -> Any:
    return xp.int32 if dtype_name(a.dtype) in _SMALL else a.dtype


def _wide(a: A) -> A:
    if dtype_name(a.dtype) not in _SMALL:
        return a
    xp: Any = array_namespace(a)
    return xp.astype(a, xp.int32)
