"""Wrong input gives one line: what was given, what is needed, what to do."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse.algebra import BSC, FHRR, HRR, MAP, MBAT, OPERATORS, TPR, VTB
from vsacourse.backend import to_numpy
from vsacourse.memory import ItemMemory

ALL = list(OPERATORS.values())
COMPARABLE = [HRR, FHRR, MAP, BSC, VTB]  # fillers and roles have as many components


def make(model, dim):
    """Make a model; VTB takes squares only, and TPR also a dimension of its roles."""
    return TPR(dim, 5) if model is TPR else model(dim)


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize("dim", [0, -3])
def test_dimensions_below_one(model, dim):
    with pytest.raises(ValueError, match="at least 1"):
        make(model, dim)


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize("dim", [2.0, True, "8", None])
def test_dimensions_that_are_no_int(model, dim):
    with pytest.raises(TypeError, match=r"positive whole number.*dim=1024"):
        make(model, dim)


@pytest.mark.parametrize("model", ALL)
def test_the_model_that_a_message_proposes_exists(model):
    with pytest.raises(TypeError) as error:
        make(model, "8")
    proposed = str(error.value).split("such as ")[1].rstrip(".")
    assert repr(eval(proposed)) == proposed


@pytest.mark.parametrize("model", ALL)
def test_models_are_frozen_and_say_what_they_are(model):
    more = ", role_dim=5" if model is TPR else ""
    assert repr(make(model, 529)) == f"{model.name}(dim=529{more})"
    with pytest.raises(AttributeError):
        make(model, 529).dim = 3
    assert hash(make(model, 4)) == hash(make(model, 4))
    assert make(model, 4) != make(model, 9)


@pytest.mark.parametrize("model", ALL)
def test_random_wants_a_generator_and_a_count(model):
    for random in (make(model, 9).random, make(model, 9).random_roles):
        with pytest.raises(TypeError, match=r"np\.random\.default_rng\(seed\)"):
            random(2, 0)
        with pytest.raises(ValueError, match="at least 1"):
            random(0, np.random.default_rng(0))
        with pytest.raises(TypeError, match="whole number"):
            random(2.5, np.random.default_rng(0))
        with pytest.raises(ValueError, match="dtype is float16"):
            random(2, np.random.default_rng(0), np.float16)
        with pytest.raises(ValueError, match="dtype is >"):
            random(2, np.random.default_rng(0), ">c8" if model is FHRR else ">f4")
        with pytest.raises(TypeError, match="NumPy dtype"):
            random(2, np.random.default_rng(0), "nonsense")


def test_hrr_does_not_draw_integers():
    with pytest.raises(ValueError, match="float32 or float64"):
        HRR(8).random(2, np.random.default_rng(0), np.int8)


@pytest.mark.parametrize("model", COMPARABLE)
@pytest.mark.parametrize("operation", ["bind", "unbind", "similarity"])
def test_a_wrong_dimension_is_named(model, operation, backend, rng):
    a, b = backend(model(529).random(1, rng)), backend(model(256).random(1, rng))
    name = "key" if operation == "unbind" else "second vector"
    expected = (
        rf"{model.name}\(dim=529\)\.{operation}: the {name} has 256 components on its last axis; "
        "it needs 529. Make both with the same model."
    )
    with pytest.raises(ValueError, match=expected):
        getattr(model(529), operation)(a, b)
    with pytest.raises(ValueError, match="no axes"):
        getattr(model(529), operation)(a, b[0, 0] if hasattr(b[0, 0], "ndim") else b)


@pytest.mark.parametrize("model", [TPR, MBAT])
def test_a_wrong_dimension_of_fillers_and_roles_is_named(model, backend, rng):
    one, other = make(model, 16), make(model, 9)
    a, b = backend(one.random(1, rng)), backend(other.random(1, rng))
    role = backend(one.random_roles(1, rng))
    line = rf"{model.name}\(dim=16.*\)\.{{}}: the {{}} has 9 components on its last axis; it needs"
    for call, operation, name in (
        (lambda: one.bind(b, role), "bind", "filler"),
        (lambda: one.bind(a, b), "bind", "role"),
        (lambda: one.unbind(b, role), "unbind", "bound vector"),
        (lambda: one.unbind(one.bind(a, role), b), "unbind", "key"),
        (lambda: one.similarity(a, b), "similarity", "second vector"),
        (lambda: one.bundle(b), "bundle", "stack of items"),
        (lambda: ItemMemory(one, b), "item memory", "codebook"),
        (lambda: ItemMemory(one, a).cleanup(b), "similarity", "query"),
    ):
        with pytest.raises(ValueError, match=line.format(operation, name)):
            call()
    with pytest.raises(ValueError, match="no axes"):
        one.bind(a, backend(np.float32(1)))


@pytest.mark.parametrize("model", ALL)
def test_leading_axes_that_do_not_fit(model, backend, rng):
    model = make(model, 9)
    a, roles = backend(model.random(4, rng)), backend(model.random_roles(4, rng))
    bound = model.bind(a, roles)
    for operation, x in ((model.bind, a), (model.unbind, bound)):
        with pytest.raises(ValueError, match=r"leading axes \(3,\) and \(4,\)"):
            operation(x[:3], roles)
    with pytest.raises(ValueError, match="leading axes"):
        model.similarity(a[:3], a.reshape(2, 2, 9))


@pytest.mark.parametrize("model", ALL)
def test_no_items(model, backend, rng):
    model = make(model, 9)
    for operation, draw in ((model.bundle, model.random), (model.multibind, model.random_roles)):
        few = backend(draw(3, rng))
        size = few.shape[-1]
        for items in (few[:0], few[0], few.reshape(1, 3, size)[:, :0]):
            with pytest.raises(ValueError, match=rf"\(\.\.\., n, {size}\) with n at least 1"):
                operation(items)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("model", [HRR(9), FHRR(9), MAP(9), TPR(9, 9), MBAT(9), VTB(9)])
def test_numbers_that_are_not_finite(model, bad, backend, rng):
    def poisoned(x):
        x = x.copy()
        x[1, 3] = bad
        return backend(x)

    vectors, roles = model.random(4, rng), model.random_roles(4, rng)
    good, wrong = backend(vectors), poisoned(vectors)
    role, wrong_role = backend(roles), poisoned(roles)
    line = r"the {} holds NaN or infinity, first at index \({}\)"
    both = isinstance(model, TPR | MBAT)
    first, second = ("filler", "role") if both else ("first vector", "second vector")
    for call, name, where in (
        (lambda: model.bind(wrong[1], role[0]), first, "3,"),
        (lambda: model.bind(good[0], wrong_role), second, "1, 3"),
        (lambda: model.bind(wrong, role), first, "1, 3"),
        (lambda: model.similarity(wrong[1], good[0]), "first vector", "3,"),
        (lambda: model.similarity(good[0], wrong), "second vector", "1, 3"),
        (lambda: model.unbind(model.bind(good[0], role[0]), wrong_role[1]), "key", "3,"),
        (lambda: model.bundle(wrong), "stack of items", "1, 3"),
        (lambda: model.multibind(wrong_role), None, "3,"),
        (lambda: model.negative(wrong), "vector", "1, 3"),
        (lambda: model.permute(wrong), "vector", "1, 3"),
        (lambda: model.normalize(wrong), "vector", "1, 3"),
        (lambda: ItemMemory(model, wrong), "codebook", "1, 3"),
        (lambda: ItemMemory(model, good).cleanup(wrong[1]), "query", "3,"),
    ):
        folded = name is None and (both or isinstance(model, VTB))  # bound one after the other
        expected = line.format(second if folded else name or "stack of items", where)
        if name is None and not folded:
            expected = line.format("stack of items", "1, 3")
        with pytest.raises(ValueError, match=expected):
            call()
    if not isinstance(model, TPR):
        name = "role" if both else "vector"
        with pytest.raises(ValueError, match=line.format(name, "1, 3")):
            model.inverse(wrong_role)


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
    for model in (HRR(9), TPR(9, 5), MBAT(9), VTB(9)):
        with pytest.raises(TypeError, match="is float16"):
            model.negative(backend(np.ones(9, np.float16)))
        if model.name != "HRR":  # which converts integers
            with pytest.raises(TypeError, match="is int64; it needs float32 or float64"):
                model.bundle(backend(np.ones((2, 9), np.int64)))


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
    for call in (make(model, 4).bind, make(model, 4).unbind, make(model, 4).similarity):
        with pytest.raises(TypeError, match=r"got a list.*numpy\.asarray"):
            call([1, 0, 0, 0], [0, 1, 0, 1])


@pytest.mark.parametrize("model", ALL)
def test_backends_do_not_mix(model, torch, rng):
    model = make(model, 9)
    a, role = model.random(2, rng), model.random_roles(2, rng)
    with pytest.raises(TypeError, match=r"NumPy arrays and torch tensors together.*to_backend"):
        model.bind(a, torch.from_numpy(role))
    with pytest.raises(TypeError, match="together"):
        model.unbind(model.bind(a, role), torch.from_numpy(role))
    with pytest.raises(TypeError, match="together"):
        ItemMemory(model, a).cleanup(torch.from_numpy(a))


def test_shifts_are_whole_numbers(backend):
    for shifts in (1.0, True, None):
        with pytest.raises(TypeError, match="whole number"):
            MAP(2).permute(backend(np.ones(2)), shifts)


@pytest.mark.parametrize("model", ALL)
def test_a_dimension_of_numpy_is_an_int(model):
    assert make(model, np.int64(9)) == make(model, 9)
    assert type(make(model, np.int64(9)).dim) is int


@pytest.mark.parametrize("model", ALL)
def test_leading_axes_of_a_similarity_are_the_same(model, backend, rng):
    model = make(model, 9)
    stack = backend(model.random(12, rng).reshape(3, 4, 9))
    queries = backend(model.random(9, rng).reshape(3, 3, 9))
    with pytest.raises(ValueError, match=r"leading axes \(3, 3\), the second \(3,\) before"):
        model.similarity(queries, stack)
    assert tuple(model.similarity(queries, stack[:, None]).shape) == (3, 3, 4)
    assert tuple(model.similarity(queries[:, 0], stack).shape) == (3, 4)
    assert tuple(model.similarity(queries[0, 0], stack).shape) == (3, 4)


@pytest.mark.parametrize("size", [1e-20, 1e-30, 1e-44])
def test_squares_that_underflow_are_refused(backend, rng, size):
    for model in (TPR(9, 5), MBAT(9), VTB(9), HRR(9), MAP(9), FHRR(9)):
        good = model.random(2, rng)
        small = backend((good * size).astype(good.dtype))
        with pytest.raises(ValueError, match=r"squares underflow\. Divide it"):
            model.similarity(small[0], backend(good))
        with pytest.raises(ValueError, match="squares underflow"):
            ItemMemory(model, small)
    for real in (HRR(9), TPR(9, 5), MBAT(9), VTB(9)):
        with pytest.raises(ValueError, match="squares underflow"):
            real.normalize(backend(np.full(9, size, np.float32)))
    fits = model.similarity(backend((good * 1e-17).astype(good.dtype)), backend(good))
    np.testing.assert_allclose(np.diag(to_numpy(fits)), 1, rtol=1e-5)


def test_arrays_with_operators_of_their_own_are_refused():
    for odd in (np.ma.masked_array(np.ones(4), [0, 1, 0, 0]), np.ones((1, 4)).view(np.matrix)):
        with pytest.raises(TypeError, match=r"plain array is needed\. Use numpy\.asarray"):
            MAP(4).bind(odd, odd)
