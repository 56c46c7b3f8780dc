"""MBAT's roles that are seeded by vectors."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse.algebra import MBAT
from vsacourse.backend import to_numpy


def test_a_vector_has_one_role_in_every_dtype_scale_and_rounding(backend, rng):
    model = MBAT(33)
    vectors = model.random(3, rng, np.float64)
    roles = model.seeded_roles(vectors)
    assert roles.shape == (3, 33**2)
    assert roles.dtype == np.float64
    rounded = np.where(vectors < 0, np.minimum(vectors.round(3), -1e-3), vectors.round(3))
    for same in (vectors, vectors.astype(np.float32), 7 * vectors, vectors / 9e9, rounded):
        got = model.seeded_roles(backend(same))
        assert type(got) is type(backend(same))
        assert got.dtype == backend(same).dtype
        np.testing.assert_array_equal(to_numpy(got), roles.astype(same.dtype))
    batch = model.seeded_roles(backend(vectors.reshape(3, 1, 33)))
    np.testing.assert_array_equal(to_numpy(batch), roles[:, None])
    np.testing.assert_array_equal(to_numpy(model.seeded_roles(backend(vectors[1]))), roles[1])
    assert tuple(model.seeded_roles(backend(vectors[:0])).shape) == (0, 33**2)


def test_zeros_count_as_positive(backend):
    model = MBAT(4)
    signs = [np.array([1.0, zero, -2.0, zero]) for zero in (0.0, -0.0, 3.0)]
    a, b, c = (to_numpy(model.seeded_roles(backend(x))) for x in signs)
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(a, c)


def test_seeded_roles_unbind_exactly_and_are_unrelated(backend, rng):
    model = MBAT(64)
    vectors = model.random(4, rng)
    one_sign = vectors[0].copy()
    one_sign[5] *= -1
    many = backend(np.stack([*vectors, -vectors[0], one_sign]))
    roles = model.seeded_roles(many)
    fillers = backend(model.random(6, rng))
    found = model.unbind(model.bind(fillers, roles), roles)
    np.testing.assert_allclose(to_numpy(found), to_numpy(fillers), atol=1e-5)
    cosines = to_numpy(model.similarity(roles, roles))
    # 15 pairs of matrices of 64² numbers: standard deviation 1/64
    assert abs(cosines - np.eye(6)).max() < 5 / 64
    moved = model.bind(fillers[0], roles)
    assert abs(to_numpy(model.similarity(moved, moved)) - np.eye(6)).max() < 5 / 8


def test_seeded_matrices_are_haar_distributed(rng):
    model = MBAT(8)
    trace = np.trace(
        model.matrix(model.seeded_roles(model.random(2000, rng, np.float64))), axis1=-2, axis2=-1
    )
    # As in test_operators: mean 0 (standard error .022) and second moment 1 (.032)
    assert abs(trace.mean()) < 0.09
    assert (trace**2).mean() == pytest.approx(1, abs=0.13)


def test_a_role_is_the_same_on_every_machine_and_day():
    """The hash and the generator's stream are fixed; a change would unbind nothing stored."""
    stored = [
        [0.215888212275, -0.340397121894, 0.915162323966],
        [0.193892755578, -0.903654436099, -0.381856333525],
        [0.956973290711, 0.259881625986, -0.129087804769],
    ]
    role = MBAT(3).seeded_roles(np.array([1.0, -1.0, 1.0]))
    np.testing.assert_allclose(role, np.ravel(stored), atol=1e-11)


def test_bad_role_vectors(backend, rng):
    model = MBAT(4)
    for size in (3, 16, ()):
        with pytest.raises(
            ValueError,
            match=rf"seeded_roles: the role vector has {size or 'no axes'} .* needs dim = 4",
        ):
            model.seeded_roles(backend(np.ones(size)))
    with pytest.raises(ValueError, match="role vector holds NaN"):
        model.seeded_roles(backend(np.array([1, np.nan, 1, 1])))
    with pytest.raises(TypeError, match="int64; it needs float32 or float64"):
        model.seeded_roles(backend(np.ones(4, np.int64)))
    with pytest.raises(TypeError, match="got a list"):
        model.seeded_roles([1.0, 2.0, 3.0, 4.0])


def test_no_gradient_passes(torch, rng):
    vector = torch.from_numpy(MBAT(4).random(1, rng)).requires_grad_()
    assert not MBAT(4).seeded_roles(vector).requires_grad
