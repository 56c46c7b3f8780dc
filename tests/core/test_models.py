"""What only one model does, or does in its own way."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse.algebra import BSC, FHRR, HRR, MAP
from vsacourse.backend import to_numpy


def close(x, y):
    """Within rounding of single precision where either is single."""
    x, y = to_numpy(x), to_numpy(y)
    assert x.shape == y.shape
    single = x.dtype in (np.float32, np.complex64, np.uint8)
    np.testing.assert_allclose(x, y, atol=1e-5 if single else 1e-9)


def test_hrr_bind_is_circular_convolution_written_out(backend, rng):
    for dim in (1, 2, 3, 6, 11):
        a, b = HRR(dim).random(2, rng, np.float64)
        expected = [sum(a[k] * b[(j - k) % dim] for k in range(dim)) for j in range(dim)]
        close(HRR(dim).bind(backend(a), backend(b)), np.array(expected))
        correlated = [sum(a[k] * b[(j + k) % dim] for k in range(dim)) for j in range(dim)]
        close(HRR(dim).unbind(backend(b), backend(a)), np.array(correlated))


def test_hrr_permuting_one_factor_permutes_the_product(backend, rng):
    model = HRR(21)
    a, b = (backend(x) for x in model.random(2, rng, np.float64))
    close(model.bind(model.permute(a, 3), b), model.permute(model.bind(a, b), 3))


def test_hrr_unitary_vectors_have_the_involution_as_exact_inverse(backend, rng):
    for dim in (1, 2, 3, 8, 31):
        model = HRR(dim)
        key = backend(model.unitary(4, rng, np.float64))
        a = backend(model.random(4, rng, np.float64))
        np.testing.assert_allclose(np.abs(np.fft.fft(to_numpy(key))), 1, atol=1e-12)
        close(model.unbind(model.bind(a, key), key), a)
    assert HRR(8).unitary(2, rng).dtype == np.float32


def test_hrr_exact_inverse_gives_the_identity(backend, rng):
    for dim in (1, 3, 16, 31):
        model = HRR(dim)
        a = backend(model.random(2, rng, np.float64))
        product = to_numpy(model.bind(a, model.exact_inverse(a)))
        np.testing.assert_allclose(product, np.stack([model.identity(np.float64)] * 2), atol=1e-8)


def test_fhrr_power_multiplies_phases(backend, rng):
    model = FHRR(33)
    a = backend(model.random(2, rng))
    assert model.power(a, 0.5).dtype == a.dtype
    close(model.power(a, 3), model.bind(a, model.bind(a, a)))
    close(model.power(a, -1), model.inverse(a))
    close(model.bind(model.power(a, 0.25), model.power(a, 0.75)), a)
    close(model.power(a, 0), np.ones((2, 33), np.complex64))


def test_normalize_gives_the_models_own_vectors(backend, rng):
    hrr = HRR(9).normalize(backend(HRR(9).random(3, rng)))
    np.testing.assert_allclose(np.linalg.norm(to_numpy(hrr), axis=-1), 1, rtol=1e-6)
    fhrr = FHRR(9).normalize(FHRR(9).bundle(backend(FHRR(9).random(3, rng))))
    np.testing.assert_allclose(abs(to_numpy(fhrr)), 1, rtol=1e-6)
    signs = MAP(9).normalize(backend(np.array([2.0, 0, -3, 0, 1, 1, 1, 1, 0], np.float32)), rng)
    assert set(to_numpy(signs).tolist()) == {-1.0, 1.0}
    bits = backend(BSC(9).random(2, rng))
    close(BSC(9).normalize(bits), bits)


def test_permuting_moves_components_to_the_right(backend):
    row = backend(np.array([1.0, 2, 3, 4, 5]))
    for model in (HRR(5), MAP(5)):
        assert to_numpy(model.permute(row)).tolist() == [5, 1, 2, 3, 4]
        assert to_numpy(model.permute(row, -2)).tolist() == [3, 4, 5, 1, 2]
        assert to_numpy(model.permute(row, 6)).tolist() == [5, 1, 2, 3, 4]


@pytest.mark.parametrize("extreme", [3e38 + 3e38j, 1e-44 + 1e-45j, 3e38, -1e-45j])
def test_fhrr_normalize_gives_phasors_at_the_ends_of_single_precision(backend, extreme):
    a = np.full(8, extreme, np.complex64)
    a[0] = 1j
    phasors = FHRR(8).normalize(backend(a))
    close(phasors, np.exp(1j * np.angle(a.astype(complex))).astype(np.complex64))
    assert phasors.dtype == backend(a).dtype


def test_fhrr_power_takes_exponents_of_numpy(backend, rng):
    a = backend(FHRR(5).random(1, rng)[0])
    column = np.arange(3.0)[:, None]  # one exponent for each of three vectors
    for exponent in (column, column.astype(int), backend(column), np.float64(2)):
        expected = np.exp(1j * np.angle(to_numpy(a)) * to_numpy(exponent))
        close(FHRR(5).power(a, exponent), expected.astype(np.complex64))


def test_exponents_are_real_and_finite(backend, rng):
    a = backend(FHRR(4).random(1, rng)[0])
    for exponent in (np.nan, np.array([[1], [np.inf]])):
        with pytest.raises(ValueError, match=r"exponent is NaN or infinite"):
            FHRR(4).power(a, exponent)
    with pytest.raises(ValueError, match=r"they need \(\.\.\., 1\), one for each vector"):
        FHRR(4).power(a, np.arange(4.0))
    for exponent in (1j, "2", None, True):
        with pytest.raises(TypeError, match="a real number is needed"):
            FHRR(4).power(a, exponent)
