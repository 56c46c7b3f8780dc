"""FHRR: Fourier holographic reduced representations. Unit phasors; binding adds phases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.algebra.base import Model
from vsacourse.algebra.exponents import checked_exponent
from vsacourse.algebra.ties import tie_places
from vsacourse.backend import (
    A,
    array_namespace,
    asarray_like,
    conjugate,
    copy,
    off_graph,
    real_pairs,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["FHRR"]


class FHRR(Model):
    """FHRR (Fourier HRR): a_j = e^(iθ_j), θ uniform, bind = a ⊙ b, bundle = Σ a_i.

    It is HRR seen in the frequency domain, with every magnitude 1; binding adds phases, so the
    conjugate undoes it exactly. Sums are kept until ``normalize`` gives phasors back. After
    unbinding one of M bundled pairs the cosine with its partner is 1/√M, and √(π/4M) when the
    bundle was normalised: crosstalk of the other pairs, not an error.

    dtypes: complex64 (default), complex128.

    Source: Plate (2003), Holographic Reduced Representation, chapter 4.

    >>> import numpy as np
    >>> model = FHRR(dim=1000)
    >>> a, b = model.random(2, np.random.default_rng(0))
    >>> round(float(model.similarity(model.unbind(model.bind(a, b), b), a)), 3)
    1.0
    """

    name: ClassVar[str] = "FHRR"
    dtypes: ClassVar[tuple[str, ...]] = ("complex64", "complex128")

    def _draw(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        theta = rng.uniform(-np.pi, np.pi, (n, self.dim))
        phasors = np.empty(theta.shape, np.complex128)
        phasors.real, phasors.imag = np.cos(theta), np.sin(theta)  # exp(1j θ) takes twice as long
        return phasors

    def identity(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return e_j = 1 (phase 0), shape ``(d,)``."""
        return np.ones(self.dim, dtype=self._numpy_dtype("identity", dtype))

    def bind(self, a: A, b: A) -> A:
        """Return c_j = a_j b_j, shape ``(..., d)``; leading axes broadcast. Sums are allowed.

        Raises:
            ValueError: a wrong dimension or a non-finite number.
            TypeError: a dtype that is not complex.
        """
        self._check_pair("bind", a, b)
        return a * b

    def inverse(self, a: A) -> A:
        """Return the conjugate, c_j = e^(−iθ_j); shape ``(..., d)``.

        Raises:
            ValueError: some magnitude is not 1 within .001: the conjugate is then no inverse.
        """
        self._check("inverse", a)
        inverse = conjugate(a)
        self._check_unit("inverse", a, inverse, "vector")
        return inverse

    def unbind(self, bound: A, key: A) -> A:
        """Return c_j = bound_j conj(key_j); exact for one pair. ``bound`` may be a sum.

        Raises:
            ValueError: some magnitude of the key is not 1 within .001.
        """
        self._check_pair("unbind", bound, key, names=("bound vector", "key"))
        inverse = conjugate(key)
        self._check_unit("unbind", key, inverse, "key")
        return bound * inverse

    def multibind(self, items: A) -> A:
        """Return c_j = Π_i a_ij: ``(..., n, d)`` to ``(..., d)``.

        Raises:
            ValueError: there are no items.
        """
        xp = self._check_items("multibind", items, values=False)
        with np.errstate(over="ignore", invalid="ignore"):  # refused with the product
            product = xp.prod(items, axis=-2)
        return self._finite_product("multibind", product, items)

    def bundle(self, items: A, rng: np.random.Generator | None = None) -> A:
        """Return the sum c = Σ_i a_i: ``(..., n, d)`` to ``(..., d)``; ``rng`` is not used.

        Raises:
            ValueError: there are no items.
        """
        self._check_items("bundle", items, values=False)
        return self._finite_sum(items)

    def normalize(self, a: A, rng: np.random.Generator | None = None) -> A:
        """Return ``a_j / |a_j|``, shape ``(..., d)``; where a_j = 0, a random phase from ``rng``.

        Raises:
            ValueError: some a_j is 0, so that it has no phase, and ``rng`` is None.
        """
        xp: Any = self._check("normalize", a)
        ties = a == 0
        count = tie_places(self, "normalize", ties, rng)
        if count and rng is not None:
            phases = rng.uniform(-np.pi, np.pi, count)
            a = copy(a)
            a[ties] = asarray_like(np.exp(1j * phases), a)
        with np.errstate(over="ignore"):
            size = xp.abs(a)
        seen = off_graph(size)
        if 0 in seen.shape or (seen.min() >= 1e-30 and seen.max() <= 1e30):
            return a / size
        return xp.astype(xp.exp(1j * _phase(xp, a)), a.dtype)  # |a_j| or 1/|a_j| overflows

    def power(self, a: A, exponent: Any) -> A:
        """Return c_j = e^(i exponent θ_j), the phase times a real number; shape ``(..., d)``.

        Whole exponents are repeated binding; fractions encode a number in a phase (fractional
        power encoding). ``exponent`` is a number, or an array ``(..., 1)`` whose leading axes
        broadcast with a's (also a NumPy array where a is torch).

        Source: Plate (2003), section 5.6.

        >>> import numpy as np
        >>> model = FHRR(dim=8)
        >>> a = model.random(1, np.random.default_rng(0))
        >>> bool(np.allclose(model.power(a, 2), model.bind(a, a), atol=1e-5))
        True

        Raises:
            ValueError: some magnitude is not 1 within .001, an exponent is not finite, or one is
                given for each component.
            TypeError: an exponent is not real.
        """
        xp: Any = self._check("power", a)
        self._check_unit("power", a, conjugate(a), "vector")
        exponent, _ = checked_exponent(self, exponent, a)
        return xp.astype(xp.exp(1j * (_phase(xp, a) * exponent)), a.dtype)

    def coordinates(self, a: A) -> A:
        """Return (Re a_1, Im a_1, …), shape ``(..., 2d)``: similarity is Re⟨a, b⟩ / (‖a‖ ‖b‖)."""
        self._check("coordinates", a, values=False)
        return real_pairs(a)

    def _check_unit(self, operation: str, a: Any, conj: Any, name: str) -> None:
        """Refuse a vector with a component whose magnitude is not 1 within .001."""
        xp: Any = array_namespace(a)
        deviation = (off_graph(a) * off_graph(conj)).reshape(-1)
        deviation -= 1  # |a|² − 1 ≈ 2 (|a| − 1); in place, which saves a third
        # The sum of squares is one BLAS pass, and no component deviates by more than its root;
        # only when that is too much the components are looked at one by one.
        if xp.vdot(deviation, deviation).real.item() <= 4e-6:
            return
        if bool((abs(deviation) > 2e-3).any()):
            raise ValueError(
                f"{self}.{operation}: the {name} has components whose magnitude is not 1; "
                "unit phasors are needed. Call normalize first."
            )


def _phase(xp: Any, a: Any) -> Any:
    return xp.atan2(xp.imag(a), xp.real(a))
