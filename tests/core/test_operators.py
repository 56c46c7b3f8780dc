"""What only MBAT or VTB does, the formulas written out, and powers in HRR."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vsacourse import theory
from vsacourse.algebra import HRR, MBAT, MODELS, OPERATORS, TPR, VTB
from vsacourse.algebra.mbat import haar_matrices
from vsacourse.backend import to_backend, to_numpy


def close(x, y, atol=1e-9):
    x, y = to_numpy(x), to_numpy(y)
    assert x.shape == y.shape
    np.testing.assert_allclose(x, y, atol=atol)


def test_seven_operators_of_which_four_are_models():
    assert list(OPERATORS) == ["HRR", "FHRR", "MAP", "BSC", "TPR", "MBAT", "VTB"]
    assert list(MODELS) == ["HRR", "FHRR", "MAP", "BSC"]


# MBAT


def test_mbat_bind_is_a_row_times_a_matrix(backend, rng):
    model = MBAT(5)
    f, matrices = rng.standard_normal((3, 5)), model.role_matrices(3, rng, np.float64)
    roles = model.role(backend(matrices))
    expected = np.stack([x @ m for x, m in zip(f, matrices, strict=True)])
    close(model.bind(backend(f), roles), expected)
    close(model.unbind(backend(expected), roles), f)
    close(model.matrix(roles), matrices)
    close(model.matrix(model.multibind(roles)), matrices[0] @ matrices[1] @ matrices[2])
    np.testing.assert_array_equal(
        model.random_roles(2, np.random.default_rng(1)),
        model.role(model.role_matrices(2, np.random.default_rng(1))),
    )


def test_mbat_matrices_are_haar_distributed(rng):
    for dim in (1, 2, 7):
        m = MBAT(dim).role_matrices(3, rng, np.float64)
        close(m @ m.swapaxes(-1, -2), np.stack([np.eye(dim)] * 3))
    m = haar_matrices(3, 7, np.random.default_rng(5))
    r = m.swapaxes(-1, -2) @ np.random.default_rng(5).standard_normal((3, 7, 7))
    close(np.tril(r, -1), np.zeros((3, 7, 7)))
    assert (np.diagonal(r, axis1=-2, axis2=-1) > 0).all()
    # The trace of a Haar matrix has mean 0 and second and fourth moments 1 and 3, as a normal
    # number's. The QR of LAPACK without its signs gives a mean far below 0.
    trace = np.trace(MBAT(16).role_matrices(4000, rng, np.float64), axis1=-2, axis2=-1)
    assert abs(trace.mean()) < 0.06
    assert (trace**2).mean() == pytest.approx(1, abs=0.1)
    assert (trace**4).mean() == pytest.approx(3, abs=0.6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mbat_unbinds_with_orthogonal_matrices_only(dtype, backend, rng):
    model = MBAT(33)
    good = model.random_roles(2, rng, dtype)
    f = backend(model.random(2, rng, dtype))
    bad = good.copy()
    bad[1, :33] *= 1.01  # one row is too long
    skew = good.copy()
    skew[0, :33] += 0.1 * skew[0, 33:66]  # two rows are not orthogonal
    assert tuple(model.inverse(backend(good)).shape) == (2, 33**2)
    for matrices in (bad, skew, 2 * good):
        roles = backend(matrices)
        assert tuple(model.bind(f, roles).shape) == (2, 33)
        for call in (lambda r=roles: model.inverse(r), lambda r=roles: model.unbind(f, r)):
            with pytest.raises(ValueError, match=r"not orthogonal.*random_roles"):
                call()


def test_mbat_keeps_lengths_and_reads_one_of_m(backend, rng):
    model = MBAT(128)
    for pairs in (1, 4, 9):
        f = backend(model.random(12 * pairs, rng).reshape(12, pairs, -1))
        roles = backend(model.random_roles(12 * pairs, rng).reshape(12, pairs, -1))
        bound = model.bind(f, roles)
        lengths = [np.linalg.norm(to_numpy(x), axis=-1) for x in (bound, f)]
        np.testing.assert_allclose(*lengths, rtol=1e-5)
        found = model.unbind(model.bundle(bound)[:, None, :], roles)
        cosine = to_numpy(model.similarity(found, f[..., None, :])).mean()
        assert cosine == pytest.approx(theory.unbind_cosine(pairs, "MBAT"), abs=0.03)


# VTB


def test_vtb_bind_is_the_block_diagonal_matrix_written_out(backend, rng):
    for k in (1, 2, 3, 5):
        model, d = VTB(k * k), k * k
        a, b = model.random(2, rng, np.float64)
        V = np.kron(np.eye(k), math.sqrt(k) * b.reshape(k, k))  # d^(1/4) = √k
        close(model.bind(backend(a), backend(b)), V @ a)
        close(model.unbind(backend(a), backend(b)), V.T @ a)
        one = model.identity(np.float64)
        close(np.kron(np.eye(k), math.sqrt(k) * one.reshape(k, k)), np.eye(d))


@pytest.mark.parametrize(("dim", "near"), [(1000, "961 .* 1024"), (2, "1 .* 4"), (4097, "4096")])
def test_vtb_names_the_nearest_squares(dim, near):
    with pytest.raises(ValueError, match=f"dim is {dim}; it needs to be a perfect square.*{near}"):
        VTB(dim)


# HRR's powers


@pytest.mark.parametrize("dim", [1, 2, 3, 8, 31])
def test_hrr_powers_are_repeated_binding_and_exponents_add(dim, backend, rng):
    model = HRR(dim)
    a = backend(model.power_base(3, rng, np.float64))
    close(abs(np.fft.fft(to_numpy(a))), np.ones((3, dim)))
    close(model.power(a, 3), model.bind(a, model.bind(a, a)))
    close(model.power(a, -1), model.inverse(a))
    close(model.power(a, 0), np.stack([model.identity(np.float64)] * 3))
    close(model.bind(model.power(a, 0.3), model.power(a, 0.45)), model.power(a, 0.75))
    steps = backend(np.array([[0.5], [1.0], [-2.25]]))
    each = model.power(a, steps)
    for i, t in enumerate((0.5, 1.0, -2.25)):
        close(each[i], model.power(a[i], t))
    half = model.power(backend(to_numpy(a).astype(np.float32)), to_numpy(steps)[0, 0])
    assert half.dtype == backend(np.zeros(1, np.float32)).dtype
    close(model.power(a, to_numpy(steps)), each)


def test_hrr_powers_that_do_not_exist(backend, rng):
    for dim, k in ((7, 0), (8, 0), (8, 4)):
        model = HRR(dim)
        spectrum = np.ones(dim // 2 + 1)
        spectrum[k] = -1
        a = backend(np.fft.irfft(spectrum, n=dim))
        close(model.power(a, 2), model.bind(a, a))
        close(model.power(a, -1), model.inverse(a))
        with pytest.raises(ValueError, match=f"is -1 at frequency {k}.*power_base"):
            model.power(a, 0.5)
    base = backend(HRR(8).power_base(2, rng))
    with pytest.raises(ValueError, match=r"not unitary.*power_base or unitary"):
        HRR(8).power(backend(HRR(8).random(1, rng)), 2)
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="NaN or infinite"):
            HRR(8).power(base, bad)
    for other in (1j, "2", None, True):
        with pytest.raises(TypeError, match="a real number is needed"):
            HRR(8).power(base, other)
    with pytest.raises(ValueError, match=r"shape \(2,\); they need \(\.\.\., 1\)"):
        HRR(8).power(base, np.ones(2))


def test_identities_move_to_either_backend(backend, rng):
    for model in (TPR(4, 3), MBAT(4), VTB(4)):
        a = backend(model.random(2, rng, np.float64))
        close(model.bind(a, to_backend(model.identity(np.float64), like=a)), a)


def test_sizes_that_do_not_fit_are_named(backend, rng):
    model, ones = TPR(4, 3), lambda n: backend(np.ones(n))
    for call, line in (
        (lambda: model.bind(ones(3), ones(3)), "bind: the filler has 3 .* needs dim = 4"),
        (lambda: model.bind(ones(4), ones(4)), "bind: the role has 4 .* needs role_dim = 3"),
        (lambda: model.unbind(ones(4), ones(3)), "unbind: the bound vector has 4 .* needs dim · 3"),
        (lambda: model.unbind(ones(24), ones(3)), "the bound vector has 24"),
        (lambda: model.unbind(ones(12), ones(9)), "the bound vector has 12 .* needs dim · 9"),
        (lambda: model.matrix(ones(4)), "matrix: the bound vector has 4"),
        (lambda: model.bundle(ones((2, 7))), "bundle: the stack of items has 7"),
        (lambda: model.similarity(ones(4), ones(12)), "second vector has 12 .* needs 4, as"),
        (lambda: MBAT(4).bind(ones(4), ones(4)), r"bind: the role has 4 .* needs dim² = 16"),
        (lambda: MBAT(4).bind(ones(5), ones(16)), r"the filler has 5"),
        (lambda: MBAT(4).role(ones((4, 5))), r"shape \(4, 5\)"),
        (lambda: VTB(4).bind(ones(5), ones(4)), "the first vector has 5"),
    ):
        with pytest.raises(ValueError, match=line):
            call()
    with pytest.raises(ValueError, match=r"leading axes \(2,\) and \(3,\)"):
        model.bind(ones((2, 4)), ones((3, 3)))
    with pytest.raises(ValueError, match="role holds NaN"):
        model.bind(ones(4), backend(np.array([1, np.nan, 1])))
    with pytest.raises(TypeError, match="int64; it needs float32 or float64"):
        model.bind(backend(np.ones(4, np.int64)), ones(3))
