"""The laws of the algebra: one suite for the four models, on both backends, at odd dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsacourse.algebra import FHRR, HRR, MAP, MODELS
from vsacourse.backend import to_backend, to_numpy

EXACT = ("FHRR", "MAP", "BSC")
DTYPES = {
    "HRR": ["float32", "float64"],
    "FHRR": ["complex64", "complex128"],
    "MAP": ["float32", "float64", "int8", "int32"],
    "BSC": ["uint8", "bool"],
}
dims = st.sampled_from([1, 2, 3, 5, 7, 8, 13, 31, 64, 97])
batches = st.sampled_from([(), (1,), (3,), (2, 3)])
seeds = st.integers(0, 2**32 - 1)
cases = st.sampled_from([(name, dtype) for name, ds in DTYPES.items() for dtype in ds])


def close(x, y):
    x, y = to_numpy(x), to_numpy(y)
    assert x.shape == y.shape
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    double = x.dtype in (np.float64, np.complex128)
    atol = (1e-9 if double else 1e-4) * (1 + np.max(np.abs(y.astype(wide)), initial=0))
    np.testing.assert_allclose(x.astype(wide), y.astype(wide), atol=atol)


def draw(model, dtype, seed, batch, *how_many):
    """Draw vectors of shape batch + how_many + (d,)."""
    shape = (*batch, *how_many, model.dim)
    flat = model.random(max(1, int(np.prod(shape[:-1]))), np.random.default_rng(seed), dtype)
    return flat.reshape(shape)


@pytest.fixture(params=list(MODELS))
def name(request):
    return request.param


@given(case=cases, dim=dims, batch=batches, seed=seeds)
@settings(max_examples=60, deadline=None, derandomize=True)
def check_bind(backend, case, dim, batch, seed):
    name, dtype = case
    model = MODELS[name](dim)
    a, b, c = (backend(draw(model, dtype, seed + i, batch)) for i in range(3))
    one = to_backend(model.identity(dtype), like=a)
    close(model.bind(a, one), a)
    close(model.bind(a, b), model.bind(b, a))
    close(model.bind(model.bind(a, b), c), model.bind(a, model.bind(b, c)))
    close(model.unbind(a, b), model.bind(a, model.inverse(b)))
    close(model.inverse(model.inverse(a)), a)
    if name in EXACT:
        close(model.unbind(model.bind(a, b), b), a)
    for shifts in (1, -2, dim + 1):
        moved = model.bind(model.permute(a, shifts), model.permute(b, shifts))
        if name != "HRR":  # a shift of both factors moves a convolution twice as far
            close(moved, model.permute(model.bind(a, b), shifts))
        close(model.permute(model.permute(a, shifts), -shifts), a)
        close(
            model.similarity(model.permute(a, shifts), model.permute(b, shifts)[..., None, :]),
            model.similarity(a, b[..., None, :]),
        )


@given(case=cases, dim=dims, batch=batches, seed=seeds, n=st.sampled_from([1, 3, 5]))
@settings(max_examples=60, deadline=None, derandomize=True)
def check_many(backend, case, dim, batch, seed, n):
    name, dtype = case
    model = MODELS[name](dim)
    items = backend(draw(model, dtype, seed, batch, n))
    key = backend(draw(model, dtype, seed + 1, batch))
    fold = items[..., 0, :]
    for i in range(1, n):
        fold = model.bind(fold, items[..., i, :])
    close(model.multibind(items), fold)
    bundle = model.bundle(items)  # n is odd: no ties for BSC
    assert bundle.shape == (*batch, dim)
    # Exact for sums. BSC's majority commutes with flipping a bit of every vote, so without ties
    # it holds there too; test_pitfalls says what happens with ties.
    close(model.bind(bundle, key), model.bundle(model.bind(items, key[..., None, :])))
    for operation in (model.multibind, model.bundle):
        flat = items.reshape((-1, n, dim))
        whole = operation(items).reshape((-1, dim))
        for row in range(flat.shape[0]):
            close(whole[row], operation(flat[row]))


@given(case=cases, dim=dims, batch=batches, seed=seeds, n=st.sampled_from([1, 2, 5]))
@settings(max_examples=60, deadline=None, derandomize=True)
def check_similarity(backend, case, dim, batch, seed, n):
    name, dtype = case
    model = MODELS[name](dim)
    a, items = (
        backend(draw(model, dtype, seed, batch)),
        backend(draw(model, dtype, seed + 1, (n,))),
    )
    table = model.similarity(a, items)
    assert table.shape == (*batch, n)
    many = backend(draw(model, dtype, seed + 1, batch, n))
    each = model.similarity(a, many)
    assert each.shape == (*batch, n)
    assert model.similarity(a, items[0]).shape == batch
    for index in np.ndindex(*batch):
        for j in range(n):
            close(table[(*index, j)], cosine(name, a[index], items[j]))
            close(each[(*index, j)], cosine(name, a[index], many[(*index, j)]))
        close(model.similarity(a[index], items), table[index])
    ones = model.similarity(a, a[..., None, :])[..., 0]
    close(ones, np.ones_like(to_numpy(ones)))
    flipped = model.similarity(model.negative(a), items)
    close(flipped, -to_numpy(table))


def cosine(name, a, b):
    """The definition, written out once more and slowly."""
    a, b = to_numpy(a), to_numpy(b)
    if name == "BSC":
        return np.asarray(1 - 2 * np.mean(a != b), np.float32)
    a, b = a.astype(complex), b.astype(complex)
    value = np.real(np.sum(a * np.conj(b))) / np.sqrt(np.sum(abs(a) ** 2) * np.sum(abs(b) ** 2))
    return np.asarray(value, np.float32)


def test_binding_laws(backend):
    check_bind(backend)


def test_many_item_laws(backend):
    check_many(backend)


def test_similarity_is_its_definition_and_batches_equal_their_singles(backend):
    check_similarity(backend)


@given(case=cases, dim=dims, batch=batches, seed=seeds)
@settings(max_examples=60, deadline=None, derandomize=True)
def check_singles(backend, case, dim, batch, seed):
    name, dtype = case
    model = MODELS[name](dim)
    a = backend(draw(model, dtype, seed, batch))
    b = backend(draw(model, dtype, seed + 1, (*batch[:-1], *([1] * len(batch[-1:])))))  # broadcasts
    for operation in (model.bind, model.unbind):
        whole = to_numpy(operation(a, b))
        for index in np.ndindex(*batch):
            single = b[(*index[:-1], 0)] if index else b
            close(whole[index], operation(a[index], single))


def test_broadcast_batches_equal_their_singles(backend):
    check_singles(backend)


def test_numpy_and_torch_agree_on_the_same_draw(name, torch):
    for dim in (1, 2, 17, 256):
        model = MODELS[name](dim)
        a = model.random(5, np.random.default_rng(dim))
        t = torch.from_numpy(a.copy())
        rngs = [np.random.default_rng(9) for _ in range(4)]
        close(model.bind(t[:2], t[2:4]), model.bind(a[:2], a[2:4]))
        close(model.unbind(t[:2], t[2:4]), model.unbind(a[:2], a[2:4]))
        close(model.multibind(t), model.multibind(a))
        close(model.bundle(t[:4], rngs[0]), model.bundle(a[:4], rngs[1]))
        sums = (model.bundle(t[:3]), model.bundle(a[:3]))
        close(model.normalize(sums[0], rngs[2]), model.normalize(sums[1], rngs[3]))
        close(model.similarity(t[0], t), model.similarity(a[0], a))
        close(model.permute(t, 3), model.permute(a, 3))
        assert isinstance(model.bind(t[0], t[1]), torch.Tensor)


def test_gradients_flow_through_every_smooth_operation(torch):
    for model in (HRR(15), FHRR(15), MAP(15)):
        draws = model.random(4, np.random.default_rng(3))
        a = torch.from_numpy(draws).requires_grad_()
        key = torch.from_numpy(model.random(1, np.random.default_rng(4))[0]).requires_grad_()
        bound = model.bind(a, key)
        back = model.unbind(model.bundle(bound), key)
        target = torch.from_numpy(model.random(1, np.random.default_rng(5))[0])
        loss = model.similarity(back, target).sum() + model.multibind(a).real.sum()
        loss.backward()
        for x in (a, key):
            assert x.grad is not None
            assert bool(torch.isfinite(abs(x.grad)).all())
            assert float(abs(x.grad).max()) > 1e-6


def test_gradients_are_the_derivatives(torch, rng):
    for model, dtype in ((HRR(5), np.float64), (FHRR(4), np.complex128), (MAP(4), np.float64)):
        items = torch.from_numpy(model.random(3, rng, dtype)).requires_grad_()
        other = torch.from_numpy(model.random(2, rng, dtype)[1]).requires_grad_()
        assert torch.autograd.gradcheck(model.bind, (items, other))
        assert torch.autograd.gradcheck(model.bundle, (items,))
        assert torch.autograd.gradcheck(model.similarity, (other, items))
        if model.name != "FHRR":  # finite differences leave the unit phasors that a key must be
            assert torch.autograd.gradcheck(model.unbind, (items, other))


def test_gradient_of_similarity_to_a_zero_vector_is_finite(torch):
    zero = torch.zeros(9, requires_grad=True)
    HRR(9).similarity(zero, torch.ones(2, 9)).sum().backward()
    assert bool(torch.isfinite(zero.grad).all())


def test_a_bound_vector_is_dissimilar_to_its_factors_and_a_bundle_is_similar(name, backend, rng):
    model = MODELS[name](10_007)  # prime
    items = backend(model.random(3, rng))
    bound = model.bind(items[0], items[1])
    assert abs(to_numpy(model.similarity(bound, items))).max() < 6 / 100
    assert abs(to_numpy(model.similarity(model.permute(items[0]), items))).max() < 6 / 100
    assert to_numpy(model.similarity(model.bundle(items), items)).min() > 0.4


def test_similarity_of_random_vectors_has_the_stated_spread(name, rng):
    model = MODELS[name](400)
    a = model.random(300, rng)
    pairs = model.similarity(a, a)[np.triu_indices(300, 1)]
    sd = 1 / np.sqrt(800) if name == "FHRR" else 1 / np.sqrt(400)
    assert abs(pairs.mean()) < 0.002
    assert abs(pairs.std() / sd - 1) < 0.03


def test_random_is_one_draw_in_every_dtype(name):
    model = MODELS[name](11)
    draws = [model.random(3, np.random.default_rng(1), dtype) for dtype in DTYPES[name]]
    for x, dtype in zip(draws, DTYPES[name], strict=True):
        assert x.shape == (3, 11)
        assert x.dtype == dtype
        close(x, draws[0].astype(x.dtype))


def test_inputs_stay_unchanged(name, backend, rng):
    model = MODELS[name](12)
    source = model.random(4, rng)
    a = backend(source.copy())
    model.bind(a, a), model.bundle(a, rng), model.multibind(a), model.negative(a)
    model.normalize(a, rng), model.similarity(a, a), model.permute(a), model.unbind(a, a)
    np.testing.assert_array_equal(to_numpy(a), source)
