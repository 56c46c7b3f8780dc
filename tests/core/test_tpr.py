"""Tensor products: the formula written out, roles and their duals, and the theory of both."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vsacourse import theory
from vsacourse.algebra import TPR
from vsacourse.backend import to_numpy
from vsacourse.memory import ItemMemory


def close(x, y, atol=1e-9):
    x, y = to_numpy(x), to_numpy(y)
    assert x.shape == y.shape
    np.testing.assert_allclose(x, y, atol=atol)


def test_tpr_bind_is_the_outer_product_written_out(backend, rng):
    for dim, role_dim in ((1, 1), (3, 1), (1, 4), (5, 3), (4, 4)):
        model = TPR(dim, role_dim)
        f, r = rng.standard_normal((2, 3, dim)), rng.standard_normal((3, role_dim))
        bound = model.bind(backend(f), backend(r))
        assert tuple(bound.shape) == (2, 3, dim * role_dim)
        expected = f[..., :, None] * r[:, None, :]
        close(model.matrix(bound), expected)
        close(model.unbind(bound, backend(r)), f * np.sum(r**2, -1)[:, None])


def test_tpr_reads_orthonormal_roles_exactly_up_to_as_many_as_components(backend, rng):
    model = TPR(6, 5)
    fillers = backend(model.random(5, rng, np.float64))
    roles = backend(model.orthonormal_roles(5, rng, np.float64))
    memory = model.bundle(model.bind(fillers, roles))
    close(model.unbind(memory, roles), fillers)
    close(theory.crosstalk_matrix(to_numpy(roles)), np.zeros((5, 5)))
    close(model.dual_roles(roles), roles)
    with pytest.raises(ValueError, match="n is 6; at most role_dim = 5"):
        model.orthonormal_roles(6, rng)
    assert model.orthonormal_roles(2, rng).dtype == np.float32


def test_tpr_reads_independent_roles_with_their_duals(backend, rng):
    model = TPR(6, 5)
    for batch in ((), (3,)):
        fillers = backend(rng.standard_normal((*batch, 4, 6)))
        roles = backend(rng.standard_normal((*batch, 4, 5)))
        memory = model.bundle(model.bind(fillers, roles))
        duals = model.dual_roles(roles)
        close(duals @ roles.swapaxes(-1, -2), np.broadcast_to(np.eye(4), (*batch, 4, 4)))
        close(model.unbind(memory[..., None, :], duals), fillers)
        wrong = to_numpy(model.unbind(memory[..., None, :], roles)) - to_numpy(fillers)
        assert abs(wrong).max() > 0.1
    # The pseudo-inverse, also for roles of very different lengths in single precision.
    size = np.array([[1e-4], [1], [1e4], [1]])
    rows = (rng.standard_normal((4, 5)) * size).astype(np.float32)
    product = rows @ to_numpy(model.dual_roles(backend(rows))).T
    close(product * size.T / size, np.eye(4), atol=1e-4)  # relative to ‖r_i‖ ‖u_j‖
    tiny = 1e-9 * rows[1:2]  # small, and still independent
    close(tiny @ to_numpy(model.dual_roles(backend(tiny))).T, np.ones((1, 1)), atol=1e-5)


def test_tpr_says_which_role_depends_on_which(backend, rng):
    model = TPR(4, 5)
    for dtype in (np.float32, np.float64):
        roles = rng.standard_normal((4, 5)).astype(dtype)
        roles[3] = 2 * roles[0] - 3 * roles[2]  # role 1 takes no part
        with pytest.raises(
            ValueError, match=r"linearly dependent: role 3 is a combination of 0, 2"
        ):
            model.dual_roles(backend(roles))
        roles[3] = rng.standard_normal(5)
        many = np.stack([roles, roles[[0, 1, 1, 2]]])
        with pytest.raises(ValueError, match="role 2 is a combination of 1"):
            model.dual_roles(backend(many))
        roles[1] = 0
        with pytest.raises(ValueError, match="role 1 is zero"):
            model.dual_roles(backend(roles))
    with pytest.raises(ValueError, match="role 5 is a combination of 0, 1, 2, 3, 4"):
        model.dual_roles(backend(rng.standard_normal((6, 5))))
    with pytest.raises(ValueError, match=r"they need \(\.\.\., n, 5\)"):
        model.dual_roles(backend(roles[0]))


def test_tpr_nests_and_its_fillers_live_in_an_item_memory(backend, rng):
    model = TPR(20, 6)
    fillers = backend(model.random(9, rng))
    r, s = backend(model.orthonormal_roles(2, rng))
    tree = model.bind(model.bundle(model.bind(fillers[:2], r)), s)
    assert tuple(tree.shape) == (720,)
    assert tuple(model.matrix(tree).shape) == (120, 6)
    found = model.unbind(model.unbind(model.bind(model.bind(fillers[4], r), s), s), r)
    assert ItemMemory(model, fillers).cleanup(found).names == "4"
    path = TPR(6, 6).bind(r, s)
    close(model.bind(model.bind(fillers[4], r), s), model.bind(fillers[4], path), atol=1e-6)


@pytest.mark.parametrize("bad", [0, -2])
def test_tpr_role_dimensions(bad):
    with pytest.raises(ValueError, match="role_dim is"):
        TPR(4, bad)
    for other in (2.0, True, "8", None):
        with pytest.raises(TypeError, match=r"role_dim is .*TPR\(dim=4, role_dim=16\)"):
            TPR(4, other)
    assert repr(TPR(4, 3)) == "TPR(dim=4, role_dim=3)"
    assert TPR(4, 3) != TPR(4, 4)


def test_reading_with_the_role_itself_errs_by_the_crosstalk_matrix(rng):
    model = TPR(4000, 20)
    roles = model.random_roles(12, rng, np.float64)
    fillers = model.random(12, rng, np.float64)
    read = model.unbind(model.bundle(model.bind(fillers, roles)), roles)
    close(read - fillers, theory.crosstalk_matrix(roles) @ fillers)
    error = np.linalg.norm(read - fillers, axis=-1)
    np.testing.assert_allclose(error, theory.reading_error(roles), rtol=0.1)
    cosine = np.sum(read * fillers, -1) / np.linalg.norm(read, axis=-1)
    cosine /= np.linalg.norm(fillers, axis=-1)
    np.testing.assert_allclose(cosine, theory.reading_cosine(roles), atol=0.03)
    # N random roles of length 1: 1/√(1 + (N − 1)/d)
    many = np.mean([theory.reading_cosine(TPR(1, 64).random_roles(64, rng)) for _ in range(5)])
    assert many == pytest.approx(1 / math.sqrt(1 + 63 / 64), abs=0.01)
    assert theory.reading_cosine(np.zeros((1, 2))).tolist() == [0]


def test_noise_grows_by_one_over_the_least_singular_value(rng):
    model, sigma = TPR(200, 10), 0.01
    roles = model.random_roles(9, rng, np.float64)
    growth, duals = theory.noise_growth(roles), model.dual_roles(roles)
    lengths = np.linalg.norm(duals, axis=-1)
    assert lengths.max() <= growth
    assert growth == pytest.approx(np.linalg.norm(duals, 2))
    noise = sigma * rng.standard_normal(2000)
    read = model.unbind(noise, duals)  # the memory's part is read exactly, so only its noise
    np.testing.assert_allclose(read.std(-1), sigma * lengths, rtol=0.15)
    assert theory.noise_growth(np.eye(3, 5)) == 1
    assert theory.noise_growth(np.ones((2, 3))) == theory.noise_growth(np.ones((3, 2))) == math.inf


def test_theory_of_roles_wants_one_role_a_row():
    for call in (theory.crosstalk_matrix, theory.reading_cosine, theory.noise_growth):
        with pytest.raises(ValueError, match="one role a row"):
            call(np.ones(3))
        with pytest.raises(ValueError, match="NaN or infinity"):
            call([[1.0, math.nan]])


@pytest.mark.parametrize("size", [1e160, 1e-170, 1e300])
def test_cosines_of_roles_of_any_length(size):
    """Their Gram matrix's squares leave the floats, the cosine is that of the same roles."""
    roles = np.array([[1, 0], [0.6, 0.8]])
    np.testing.assert_allclose(theory.reading_cosine(size * roles), theory.reading_cosine(roles))
    recall = theory.role_recall(roles, 64, 1000)
    np.testing.assert_allclose(theory.role_recall(size * roles, 64, 1000), recall)


def test_roles_are_real_numbers():
    for bad in ([[1j, 2]], [[1, 2], [3]], [["a"]]):
        for call in (theory.reading_cosine, theory.noise_growth, theory.crosstalk_matrix):
            with pytest.raises(TypeError, match=r"roles is .*; a real number"):
                call(bad)
    with pytest.raises(ValueError, match=r"dim is \[64, 3\]; one finite number"):
        theory.role_recall(np.eye(2), [64, 3], 10)
