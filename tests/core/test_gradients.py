"""Gradients flow through the operations, and are the derivatives."""

from __future__ import annotations

import numpy as np

from vsacourse.algebra import FHRR, HRR, MAP, MBAT, TPR, VTB


def test_gradients_flow_through_every_smooth_operation(torch):
    for model in (HRR(15), FHRR(15), MAP(15), TPR(7, 5), MBAT(7), VTB(16)):
        draws = model.random(4, np.random.default_rng(3))
        a = torch.from_numpy(draws).requires_grad_()
        keys = torch.from_numpy(model.random_roles(4, np.random.default_rng(4))).requires_grad_()
        back = model.unbind(model.bundle(model.bind(a, keys)), keys[0])
        target = torch.from_numpy(model.random(1, np.random.default_rng(5))[0])
        loss = model.similarity(back, target).sum()
        if model.name not in ("TPR", "MBAT"):  # their fillers are not bound to each other
            loss = loss + model.multibind(a).real.sum()
        loss.backward()
        for x in (a, keys):
            assert x.grad is not None
            assert bool(torch.isfinite(abs(x.grad)).all())
            assert float(abs(x.grad).max()) > 1e-6


def test_gradients_are_the_derivatives(torch, rng):
    for model in (HRR(5), FHRR(4), MAP(4), TPR(3, 4), MBAT(3), VTB(4)):
        dtype = np.complex128 if model.name == "FHRR" else np.float64
        items = torch.from_numpy(model.random(3, rng, dtype)).requires_grad_()
        other = torch.from_numpy(model.random(2, rng, dtype)[1]).requires_grad_()
        role = torch.from_numpy(model.random_roles(1, rng, dtype)[0]).requires_grad_()
        bound = model.bind(items, role).detach().requires_grad_()
        assert torch.autograd.gradcheck(model.bind, (items, role))
        assert torch.autograd.gradcheck(model.bundle, (items,))
        assert torch.autograd.gradcheck(model.similarity, (other, items))
        if model.name != "FHRR":  # finite differences leave the unit phasors that a key must be
            assert torch.autograd.gradcheck(model.unbind, (bound, role))


def test_gradient_of_similarity_to_a_zero_vector_is_finite(torch):
    zero = torch.zeros(9, requires_grad=True)
    HRR(9).similarity(zero, torch.ones(2, 9)).sum().backward()
    assert bool(torch.isfinite(zero.grad).all())


def test_gradients_of_dual_roles_and_powers(torch, rng):
    roles = torch.from_numpy(rng.standard_normal((3, 4))).requires_grad_()
    assert torch.autograd.gradcheck(TPR(2, 4).dual_roles, (roles,))
    orthonormal = torch.from_numpy(TPR(2, 4).orthonormal_roles(4, rng)).requires_grad_()
    TPR(2, 4).dual_roles(orthonormal).sum().backward()
    assert bool(torch.isfinite(orthonormal.grad).all())
    for dim in (4, 5):
        a = torch.from_numpy(HRR(dim).power_base(2, rng, np.float64))
        exponent = torch.tensor([[0.3], [-1.7]], dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(lambda t, d=dim, a=a: HRR(d).power(a, t), (exponent,))
        whole = a.clone().requires_grad_()
        HRR(dim).power(whole, 0.5).square().sum().backward()
        assert bool(torch.isfinite(whole.grad).all())
