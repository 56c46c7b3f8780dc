"""HRR: holographic reduced representations. Real vectors; binding is circular convolution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.algebra.base import Model
from vsacourse.algebra.exponents import checked_exponent
from vsacourse.backend import A, array_namespace, dtype_name, off_graph

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["HRR"]


class HRR(Model):
    """HRR (holographic reduced representation): a_j ~ N(0, 1/d), bind = circular convolution.

    Binding is computed in the frequency domain, where it is a product. The involution undoes
    it with noise: cosine 1/√2 after one bind and unbind, 1/√(M+1) from a bundle of M pairs.
    That is the crosstalk to expect, not an error, and it is exact for ``unitary`` vectors only.

    dtypes: float32 (default), float64; integers are converted to float64. Floats of HRR and of
    MAP cannot be told apart: a vector of the other model is not noticed.

    Source: Plate (1995), Holographic reduced representations, IEEE Trans. Neural Networks 6.

    >>> import numpy as np
    >>> model = HRR(dim=4096)
    >>> a, b = model.random(2, np.random.default_rng(0))
    >>> round(float(model.similarity(model.unbind(model.bind(a, b), b), a)), 1)
    0.7
    """

    name: ClassVar[str] = "HRR"
    dtypes: ClassVar[tuple[str, ...]] = (
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
    )

    def _draw(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return rng.standard_normal((n, self.dim)) / math.sqrt(self.dim)

    def _numpy_dtype(self, operation: str, dtype: DTypeLike | None) -> np.dtype[Any]:
        chosen = super()._numpy_dtype(operation, dtype)
        if chosen.kind != "f":
            raise ValueError(
                f"{self}.{operation}: dtype is {chosen.name}; it needs float32 or float64."
            )
        return chosen

    def unitary(
        self, n: int, rng: np.random.Generator, dtype: DTypeLike | None = None
    ) -> NDArray[Any]:
        """Draw n vectors with ``|F(a)_k| = 1`` at every frequency, as NumPy, shape ``(n, d)``.

        Phases are uniform, but for the frequencies 0 and d/2, which are real: there ±1. The
        involution is the exact inverse of such a vector.

        Source: Plate (2003), section 3.6.5.

        Raises:
            TypeError: ``rng`` is not a ``numpy.random.Generator``.
            ValueError: n is below 1.
        """
        phases = np.angle(np.fft.rfft(self.random(n, rng, np.float64)))
        return np.fft.irfft(np.exp(1j * phases), n=self.dim).astype(
            self._numpy_dtype("unitary", dtype)
        )

    def power_base(
        self, n: int, rng: np.random.Generator, dtype: DTypeLike | None = None
    ) -> NDArray[Any]:
        """Draw n unitary vectors that have every real ``power``, as NumPy, shape ``(n, d)``.

        They are vectors of ``unitary`` whose real frequencies, 0 and d/2, are +1 instead of ±1.
        """
        spectrum = np.fft.rfft(self.unitary(n, rng, np.float64))
        spectrum[:, self._real_frequencies] = 1
        return np.fft.irfft(spectrum, n=self.dim).astype(self._numpy_dtype("power_base", dtype))

    def identity(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return e = (1, 0, …, 0), shape ``(d,)``: its spectrum is 1 everywhere."""
        e = np.zeros(self.dim, dtype=self._numpy_dtype("identity", dtype))
        e[0] = 1
        return e

    def bind(self, a: A, b: A) -> A:
        """Return c_j = Σ_k a_k b_(j−k mod d), the circular convolution: F(c) = F(a) F(b).

        Shape ``(..., d)``; leading axes broadcast.

        Raises:
            ValueError: a wrong dimension or a non-finite number.
            TypeError: a dtype that is not real.
        """
        xp = self._check_pair("bind", a, b)
        return self._signal(xp, self._spectrum(xp, a) * self._spectrum(xp, b))

    def inverse(self, a: A) -> A:
        """Return the involution c_j = a_(−j mod d), with F(c) = conj F(a); shape ``(..., d)``.

        An approximate inverse that never fails; exact for unitary vectors only.
        """
        xp = self._check("inverse", a)
        return xp.roll(xp.flip(a, axis=-1), 1, axis=-1)

    def exact_inverse(self, a: A) -> A:
        """Return c with F(c)_k = 1 / F(a)_k, so that ``bind(a, c)`` is the identity.

        Where ``|F(a)_k|`` is small it amplifies noise: from a bundle it recalls far worse than the
        involution (d = 1024, 31 pairs, 1000 candidates: .17 of the items against .99).

        Raises:
            ValueError: F(a)_k = 0 within rounding for some frequency k, which is named.
        """
        xp = self._check("exact_inverse", a)
        spectrum = self._spectrum(xp, a)
        size = xp.abs(spectrum)
        rounding = xp.finfo(size.dtype).eps * math.log2(2 * self.dim)  # of a fast transform
        singular = size <= rounding * xp.max(size, axis=-1, keepdims=True)
        if bool(xp.any(singular)):
            frequency = int(xp.nonzero(singular)[-1][0])
            raise ValueError(
                f"{self}.exact_inverse: the spectrum is 0 at frequency {frequency}, so there is "
                "no exact inverse. Use inverse (the involution), or vectors from unitary."
            )
        return self._signal(xp, 1 / spectrum)

    def unbind(self, bound: A, key: A) -> A:
        """Return c_j = Σ_k key_k bound_(j+k mod d), the circular correlation.

        It is binding with the involution: F(c) = F(bound) conj F(key). Shape ``(..., d)``.
        """
        xp = self._check_pair("unbind", bound, key, names=("bound vector", "key"))
        return self._signal(xp, self._spectrum(xp, bound) * xp.conj(self._spectrum(xp, key)))

    def multibind(self, items: A) -> A:
        """Return the convolution of all items, F(c) = Π_i F(a_i): ``(..., n, d)`` to ``(..., d)``.

        Raises:
            ValueError: there are no items.
        """
        xp = self._check_items("multibind", items, values=False)
        with np.errstate(over="ignore", invalid="ignore"):  # refused with the product
            product = self._signal(xp, xp.prod(self._spectrum(xp, items), axis=-2))
        return self._finite_product("multibind", product, items)

    def bundle(self, items: A, rng: np.random.Generator | None = None) -> A:
        """Return the sum c = Σ_i a_i: ``(..., n, d)`` to ``(..., d)``; ``rng`` is not used.

        Raises:
            ValueError: there are no items.
        """
        self._check_items("bundle", items, values=False)
        return self._finite_sum(_floating(items))

    def normalize(self, a: A, rng: np.random.Generator | None = None) -> A:
        """Return a / ‖a‖, and a zero vector as it is; shape ``(..., d)``. ``rng`` is not used."""
        self._check("normalize", a, values=False)  # the norm shows them
        a = _floating(a)
        return a / self._norm("normalize", a, a, "vector")[..., None]

    def power(self, a: A, exponent: Any) -> A:
        """Return c with F(c)_k = e^(i exponent θ_k), for unitary a with F(a)_k = e^(iθ_k).

        Whole exponents are repeated binding, −1 is the inverse; fractions encode a number
        (fractional power encoding), and exponents add: c(s) ⊛ c(t) = c(s + t). Shape ``(..., d)``.
        ``exponent`` is a number, or an array ``(..., 1)`` whose leading axes broadcast with a's.

        A component of a real vector's spectrum at frequency 0 or d/2 is real, and (−1)^½ is not:
        where it is −1 only whole exponents exist. ``power_base`` draws vectors where it is +1.

        Source: Plate (2003), section 5.6.

        >>> import numpy as np
        >>> model = HRR(dim=9)
        >>> a = model.power_base(1, np.random.default_rng(0))
        >>> half = model.power(a, 0.5)
        >>> bool(np.allclose(model.bind(half, half), a, atol=1e-6))
        True

        Raises:
            ValueError: some ``|F(a)_k|`` is not 1 within .001, an exponent is not finite, or one is
                not whole where the spectrum is −1.
            TypeError: an exponent is not real.
        """
        xp: Any = self._check("power", a)
        values = _floating(a)
        spectrum = self._spectrum(xp, values)
        exponent, whole = checked_exponent(self, exponent, a)
        self._check_unitary(off_graph(spectrum), whole)
        phase = xp.atan2(xp.imag(spectrum), xp.real(spectrum))
        return xp.astype(self._signal(xp, xp.exp(1j * (phase * exponent))), values.dtype)

    def coordinates(self, a: A) -> A:
        """Return a: similarity is the cosine. Integers are converted to floats."""
        self._check("coordinates", a, values=False)
        return _floating(a)

    @property
    def _real_frequencies(self) -> list[int]:
        """The frequencies 0 and, for even d, d/2: there the spectrum of a real vector is real."""
        return [0, self.dim // 2] if self.dim % 2 == 0 else [0]

    def _check_unitary(self, spectrum: Any, whole: bool) -> None:
        """Refuse a magnitude other than 1, and −1 where a fractional power is asked for."""
        if bool((abs(abs(spectrum) - 1) > 1e-3).any()):
            raise ValueError(
                f"{self}.power: the vector is not unitary: its spectrum has magnitudes other than "
                "1. Draw it with power_base or unitary."
            )
        for k in self._real_frequencies:
            if not whole and bool((spectrum[..., k].real < 0).any()):
                raise ValueError(
                    f"{self}.power: the spectrum is -1 at frequency {k}, and a fractional power of "
                    "it is not real. Draw the vector with power_base, or take whole exponents."
                )

    def _spectrum(self, xp: Any, a: Any) -> Any:
        return xp.fft.rfft(_floating(a))

    def _signal(self, xp: Any, spectrum: Any) -> Any:
        # n must be said: without it irfft assumes an even length and an odd d loses a component.
        return xp.fft.irfft(spectrum, n=self.dim)


def _floating(a: A) -> A:
    if dtype_name(a.dtype).startswith("float"):
        return a
    xp: Any = array_namespace(a)
    return xp.astype(a, xp.float64)
