"""Wrong input gives one line: what was given, what is needed, what to do."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse.algebra import BSC, FHRR, HRR, MAP, MODELS
from vsacourse.memory import ItemMemory

ALL = list(MODELS.values())


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize("dim", [0, -3])
def test_dimensions_below_one(model, dim):
    with pytest.raises(ValueError, match="at least 1"):
        model(dim)


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize("dim", [2.0, True, "8", None])
def test_dimensions_that_are_no_int(model, dim):
    with pytest.raises(TypeError, match=r"positive whole number.*dim=1024"):
        model(dim)


@pytest.mark.parametrize("model", ALL)
def test_models_are_frozen_and_say_what_they_are(model):
    assert repr(model(512)) == f"{model.name}(dim=512)"
    with pytest.raises(AttributeError):
        model(512).dim = 3
    assert hash(model(5)) == hash(model(5))


@pytest.mark.parametrize("model", ALL)
def test_random_wants_a_generator_and_a_count(model):
    with pytest.raises(TypeError, match=r"np\.random\.default_rng\(seed\)"):
        model(8).random(2, 0)
    with pytest.raises(ValueError, match="at least 1"):
        model(8).random(0, np.random.default_rng(0))
    with pytest.raises(TypeError, match="whole number"):
        model(8).random(2.5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="dtype is float16"):
        model(8).random(2, np.random.default_rng(0), np.float16)
    with pytest.raises(ValueError, match="dtype is >"):
        model(8).random(2, np.random.default_rng(0), ">c8" if model is FHRR else ">f4")
    with pytest.raises(TypeError, match="NumPy dtype"):
        model(8).random(2, np.random.default_rng(0), "nonsense")


def test_hrr_does_not_draw_integers():
    with pytest.raises(ValueError, match="float32 or float64"):
        HRR(8).random(2, np.random.default_rng(0), np.int8)


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize("operation", ["bind", "unbind", "similarity"])
def test_a_wrong_dimension_is_named(model, operation, backend, rng):
    a, b = backend(model(512).random(1, rng)), backend(model(256).random(1, rng))
    name = "key" if operation == "unbind" else "second vector"
    expected = (
        rf"{model.name}\(dim=512\)\.{operation}: the {name} has 256 components on its last axis; "
        "it needs 512. Make both with the same model."
    )
    with pytest.raises(ValueError, match=expected):
        getattr(model(512), operation)(a, b)
    with pytest.raises(ValueError, match="no axes"):
        getattr(model(512), operation)(a, b[0, 0] if hasattr(b[0, 0], "ndim") else b)


@pytest.mark.parametrize("model", ALL)
def test_leading_axes_that_do_not_fit(model, backend, rng):
    a, b = backend(model(8).random(3, rng)), backend(model(8).random(4, rng))
    for operation in (model(8).bind, model(8).unbind):
        with pytest.raises(ValueError, match=r"leading axes \(3,\) and \(4,\)"):
            operation(a, b)
    with pytest.raises(ValueError, match="leading axes"):
        model(8).similarity(a, b.reshape(2, 2, 8))


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize("operation", ["bundle", "multibind"])
def test_no_items(model, operation, backend, rng):
    few = backend(model(8).random(3, rng))
    for items in (few[:0], few[0], few.reshape(1, 3, 8)[:, :0]):
        with pytest.raises(ValueError, match="n at least 1"):
            getattr(model(8), operation)(items)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("model", [HRR(8), FHRR(8), MAP(8)])
def test_numbers_that_are_not_finite(model, bad, backend, rng):
    good = model.random(4, rng)
    poisoned = good.copy()
    poisoned[1, 3] = bad
    good, poisoned = backend(good), backend(poisoned)
    line = r"the {} holds NaN or infinity, first at index \({}\)"
    for pair in (model.bind, model.similarity):
        with pytest.raises(ValueError, match=line.format("first vector", "3,")):
            pair(poisoned[1], good[0])
        with pytest.raises(ValueError, match=line.format("second vector", "1, 3")):
            pair(good[0], poisoned)
        with pytest.raises(ValueError, match=line.format("first vector", "1, 3")):
            pair(poisoned, good)
    with pytest.raises(ValueError, match=line.format("key", "3,")):
        model.unbind(good[0], poisoned[1])
    for many in (model.bundle, model.multibind):
        with pytest.raises(ValueError, match=line.format("stack of items", "1, 3")):
            many(poisoned)
    for one in (model.inverse, model.negative, model.permute, model.normalize):
        with pytest.raises(ValueError, match=line.format("vector", "1, 3")):
            one(poisoned)
    with pytest.raises(ValueError, match="NaN or infinity"):
        ItemMemory(model, poisoned)
    memory = ItemMemory(model, good)
    with pytest.raises(ValueError, match=line.format("query", "3,")):
        memory.cleanup(poisoned[1])


def test_infinities_that_cancel_or_meet_a_zero_are_seen(backend):
    model = MAP(2)
    both = backend(np.array([[np.inf, 1], [-np.inf, 1]]))
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.bundle(both)
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.bind(both[0], backend(np.array([0.0, 1.0])))


def test_large_finite_numbers_are_no_false_alarm(backend):
    big = backend(np.full(4, 1e25, np.float32))
    one = backend(np.ones(4, np.float32))
    assert float(MAP(4).bind(big, one)[0]) == pytest.approx(1e25)
    assert float(MAP(4).negative(big)[0]) == pytest.approx(-1e25)
    with pytest.raises(ValueError, match="squares or sums overflow"):
        MAP(4).similarity(big, one)


def test_wrong_kinds_of_dtype(backend):
    floats, bits = backend(np.ones((2, 8))), backend(np.ones((2, 8), np.uint8))
    with pytest.raises(TypeError, match=r"float64; it needs uint8 or bool.*threshold to bits"):
        BSC(8).bundle(floats)
    with pytest.raises(TypeError, match="complex64 or complex128"):
        FHRR(8).bind(floats, floats)
    with pytest.raises(TypeError, match="is uint8"):
        MAP(8).bundle(bits)
    with pytest.raises(TypeError, match="is uint8"):
        HRR(8).bundle(bits)
    with pytest.raises(TypeError, match="is float16"):
        HRR(8).negative(backend(np.ones(8, np.float16)))


def test_bits_are_zero_or_one(backend, rng):
    model = BSC(8)
    counts = backend(np.full((2, 8), 2, np.uint8))
    for operation in (
        lambda: model.bind(counts[0], counts[0]),
        lambda: model.bundle(counts, rng),
        lambda: model.negative(counts),
        lambda: model.similarity(counts[0], counts),
        lambda: model.multibind(counts),
        lambda: ItemMemory(model, counts),
    ):
        with pytest.raises(ValueError, match=r"holds 2; it needs bits, 0 or 1"):
            operation()


def test_a_key_of_no_phasors_is_refused_and_a_sum_is_unbound(backend, rng):
    model = FHRR(16)
    items = backend(model.random(3, rng))
    total = model.bundle(items)
    assert tuple(model.unbind(total, items[0]).shape) == (16,)
    for operation in (
        lambda: model.inverse(total),
        lambda: model.unbind(items[0], total),
        lambda: model.power(total, 2),
    ):
        with pytest.raises(ValueError, match=r"magnitude is not 1.*Call normalize first"):
            operation()
    nearly = np.ones(16, np.complex64)
    nearly[5] = 1.0005
    assert tuple(model.inverse(backend(nearly)).shape) == (16,)
    assert tuple(model.inverse(backend(np.full(16, 1.0005 + 0j))).shape) == (16,)
    nearly[5] = 1.0015
    with pytest.raises(ValueError, match="magnitude"):
        model.inverse(backend(nearly))


@pytest.mark.parametrize("model", ALL)
def test_things_that_are_no_arrays(model):
    with pytest.raises(TypeError, match=r"got a list.*numpy\.asarray"):
        model(2).bind([1, 0], [0, 1])


@pytest.mark.parametrize("model", ALL)
def test_backends_do_not_mix(model, torch, rng):
    a = model(8).random(2, rng)
    with pytest.raises(TypeError, match=r"NumPy arrays and torch tensors together.*to_backend"):
        model(8).bind(a, torch.from_numpy(a))
    with pytest.raises(TypeError, match="together"):
        ItemMemory(model(8), a).cleanup(torch.from_numpy(a))


def test_shifts_are_whole_numbers(backend):
    for shifts in (1.0, True, None):
        with pytest.raises(TypeError, match="whole number"):
            MAP(2).permute(backend(np.ones(2)), shifts)


@pytest.mark.parametrize("model", ALL)
def test_a_dimension_of_numpy_is_an_int(model):
    assert model(np.int64(8)) == model(8)
    assert type(model(np.int64(8)).dim) is int


@pytest.mark.parametrize("model", ALL)
def test_leading_axes_of_a_similarity_are_the_same(model, backend, rng):
    stack = backend(model(8).random(12, rng).reshape(3, 4, 8))
    queries = backend(model(8).random(9, rng).reshape(3, 3, 8))
    with pytest.raises(ValueError, match=r"leading axes \(3, 3\), the second \(3,\) before"):
        model(8).similarity(queries, stack)
    assert tuple(model(8).similarity(queries, stack[:, None]).shape) == (3, 3, 4)
    assert tuple(model(8).similarity(queries[:, 0], stack).shape) == (3, 4)
    assert tuple(model(8).similarity(queries[0, 0], stack).shape) == (3, 4)


@pytest.mark.parametrize("size", [1e-20, 1e-30, 1e-44])
def test_squares_that_underflow_are_refused(backend, rng, size):
    for model in (HRR(8), MAP(8), FHRR(8)):
        good = model.random(2, rng)
        small = backend((good * size).astype(good.dtype))
        with pytest.raises(ValueError, match=r"squares underflow\. Divide it"):
            model.similarity(small[0], backend(good))
        with pytest.raises(ValueError, match="squares underflow"):
            ItemMemory(model, small)
    with pytest.raises(ValueError, match="squares underflow"):
        HRR(8).normalize(backend(np.full(8, size, np.float32)))
    fits = model.similarity(backend((good * 1e-17).astype(good.dtype)), backend(good))
    np.testing.assert_allclose(np.diag(np.asarray(fits)), 1, rtol=1e-5)


def test_arrays_with_operators_of_their_own_are_refused():
    for odd in (np.ma.masked_array(np.ones(4), [0, 1, 0, 0]), np.ones((1, 4)).view(np.matrix)):
        with pytest.raises(TypeError, match=r"plain array is needed\. Use numpy\.asarray"):
            MAP(4).bind(odd, odd)
