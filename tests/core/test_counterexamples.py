"""What does not hold, at a size where chance cannot hide it; test_laws says what holds."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse.algebra import HRR, MBAT, TPR, VTB
from vsacourse.backend import to_backend, to_numpy


@pytest.mark.parametrize("model", [TPR(64, 64), MBAT(64), VTB(4096)])
def test_where_binding_does_not_commute(model, backend, rng):
    a, b = backend(model.random_roles(2, rng))
    assert abs(float(model.similarity(model.bind(a, b), model.bind(b, a)))) < 0.1


def test_the_two_orders_are_each_others_transpose(backend, rng):
    for model in (TPR(7, 7), VTB(49)):
        a, b = backend(model.random(2, rng))
        transposed = to_numpy(model.matrix(model.bind(b, a))).T
        np.testing.assert_allclose(transposed, to_numpy(model.matrix(model.bind(a, b))), atol=1e-6)


def test_where_binding_is_not_associative(backend, rng):
    model = VTB(4096)
    a, b, c = backend(model.random(3, rng))
    left, right = model.bind(model.bind(a, b), c), model.bind(a, model.bind(b, c))
    assert abs(float(model.similarity(left, right))) < 0.1


def test_where_identity_and_inverse_are_on_the_right_only(backend, rng):
    model = VTB(4096)
    a, b = backend(model.random(2, rng))
    one = to_backend(model.identity(), like=a)
    np.testing.assert_allclose(to_numpy(model.bind(a, one)), to_numpy(a), atol=1e-6)
    assert abs(float(model.similarity(model.bind(one, a), a))) < 0.1
    back = model.bind(model.inverse(a), model.bind(a, b))
    assert abs(float(model.similarity(back, b))) < 0.1
    for ask in (lambda: model.identity(side="left"), lambda: model.inverse(a, side="left")):
        with pytest.raises(
            ValueError, match=r"VTB\(dim=4096\)\.\w+: there is no left .*right only"
        ):
            ask()
    with pytest.raises(ValueError, match="side is 'both'"):
        model.identity(side="both")


@pytest.mark.parametrize("model", [HRR(4096), VTB(4096)])
def test_where_unbinding_is_not_exact(model, backend, rng):
    a, b = backend(model.random(2, rng))
    cosine = float(model.similarity(model.unbind(model.bind(a, b), b), a))
    assert 0.6 < cosine < 0.8


def test_where_there_is_no_inverse(backend, rng):
    role = backend(TPR(4, 3).random_roles(1, rng)[0])
    with pytest.raises(ValueError, match=r"only adds components.*unbind\(bound, role\)"):
        TPR(4, 3).inverse(role)


def test_unbinding_a_role_bound_first_needs_the_last_one_first(backend, rng):
    model = TPR(64, 64)
    f = backend(model.random(1, rng)[0])
    r, s = backend(model.random_roles(2, rng))
    bound = model.bind(model.bind(f, r), s)
    wrong = model.unbind(model.unbind(bound, r), s)
    right = model.unbind(model.unbind(bound, s), r)
    np.testing.assert_allclose(to_numpy(right), to_numpy(f), atol=1e-5)
    assert float((wrong @ wrong) / (f @ f)) < 0.1
