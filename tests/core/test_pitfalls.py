"""What went wrong in other vector-symbolic libraries, one test each."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse.algebra import BSC, FHRR, HRR, MAP, MODELS
from vsacourse.backend import to_numpy
from vsacourse.memory import ItemMemory


def test_01_multibind_of_random_vectors_is_the_fold_of_bind(backend, rng):
    for name in MODELS:
        model = MODELS[name](511)
        items = backend(model.random(4, rng))
        fold = items[0]
        for i in range(1, 4):
            fold = model.bind(fold, items[i])
        assert float(model.similarity(model.multibind(items), fold)) > 0.9999


def test_02_small_integers_do_not_overflow(backend):
    model = MAP(64)
    items = backend(np.ones((200, 64), np.int8))
    total = model.bundle(items)
    assert to_numpy(total).tolist() == [200] * 64
    assert float(model.similarity(total, items[0])) == pytest.approx(1)
    sums = backend(np.full((2, 64), 100, np.int8))
    assert to_numpy(model.bind(sums[0], sums[1])).tolist() == [10_000] * 64
    assert to_numpy(model.multibind(sums)).tolist() == [10_000] * 64
    assert float(model.similarity(sums[0], sums[1])) == pytest.approx(1)
    long = backend(np.full((1, 64), 2**40, np.int64))
    assert float(model.similarity(long, long)[0, 0]) == pytest.approx(1)
    many = backend(np.ones((300, 64), np.uint8))
    assert to_numpy(BSC(64).bundle(many[:255])).tolist() == [1] * 64
    assert to_numpy(BSC(64).bundle(many)).max() == 1
    assert to_numpy(BSC(64).bundle(many)).min() == 1
    assert to_numpy(BSC(64).multibind(many)).tolist() == [0] * 64


def test_03_a_majority_weighs_every_item_alike(backend, rng):
    model = BSC(40_000)
    items = backend(model.random(9, rng))
    weights = to_numpy(model.similarity(model.bundle(items), items))
    np.testing.assert_allclose(weights, 70 / 256, atol=0.03)  # C(8, 4) / 2^8


@pytest.mark.parametrize("n", [2, 4, 10])
def test_03_ties_are_unbiased(backend, rng, n):
    bits = to_numpy(BSC(40_000).bundle(backend(BSC(40_000).random(n, rng)), rng))
    assert abs(bits.mean() - 0.5) < 0.015
    model = MAP(40_000)
    signs = to_numpy(model.normalize(model.bundle(backend(model.random(n, rng))), rng))
    assert set(np.unique(signs)) == {-1, 1}
    assert abs(signs.mean()) < 0.03


def test_03_a_tie_without_a_generator_raises(backend):
    bits = backend(np.array([[0, 1, 1], [1, 0, 1]], np.uint8))
    with pytest.raises(ValueError, match=r"2 components are ties.*Pass rng="):
        BSC(3).bundle(bits)
    with pytest.raises(ValueError, match="ties"):
        MAP(2).normalize(backend(np.array([1.0, 0.0])))
    with pytest.raises(ValueError, match="ties"):
        FHRR(2).normalize(backend(np.array([1j, 0])))
    filled = to_numpy(FHRR(2).normalize(backend(np.array([2j, 0])), np.random.default_rng(0)))
    np.testing.assert_allclose(abs(filled), 1)


def test_03_a_batch_breaks_ties_as_its_members_would(backend):
    bits = backend(BSC(50).random(12, np.random.default_rng(1)).reshape(3, 4, 50))
    whole = to_numpy(BSC(50).bundle(bits, np.random.default_rng(5)))
    one_by_one = np.random.default_rng(5)
    for row in range(3):
        np.testing.assert_array_equal(whole[row], to_numpy(BSC(50).bundle(bits[row], one_by_one)))


def test_03_bsc_binding_does_not_distribute_over_ties(backend, rng):
    model = BSC(2000)
    items, key = backend(model.random(2, rng)), backend(model.random(1, rng)[0])
    left = model.bind(model.bundle(items, np.random.default_rng(0)), key)
    right = model.bundle(model.bind(items, key), np.random.default_rng(0))
    same = to_numpy(left) == to_numpy(right)
    decided = to_numpy(items[0]) == to_numpy(items[1])
    assert same[decided].all()
    assert 0.4 < same[~decided].mean() < 0.6


def test_04_crosstalk_is_documented_where_it_is_seen():
    assert "1/√M" in MAP.__doc__
    assert "1/√M" in FHRR.__doc__
    assert "1/√(M+1)" in HRR.__doc__


def test_05_the_exact_inverse_names_the_singular_frequency(backend):
    model = HRR(8)
    wave = np.cos(2 * np.pi * 2 * np.arange(8) / 8)  # every frequency but 2 is 0
    with pytest.raises(ValueError, match=r"0 at frequency 0.*involution"):
        model.exact_inverse(backend(wave))
    flat = np.zeros(8)
    flat[0], flat[1] = 1, 1  # 1 + e^(−iω) is 0 at the last frequency only
    for dtype in (np.float32, np.float64):
        with pytest.raises(ValueError, match="frequency 4"):
            model.exact_inverse(backend(flat.astype(dtype)))
    with pytest.raises(ValueError, match="frequency 0"):
        model.exact_inverse(backend(np.zeros(8)))


def test_05_the_involution_recalls_from_a_bundle_better_than_the_exact_inverse(rng):
    model, pairs = HRR(1024), 31
    right = {"involution": 0, "exact": 0}
    codebook = model.random(1000, rng)
    for _ in range(12):
        keys, stored = model.random(pairs, rng), rng.choice(1000, pairs, replace=False)
        bundle = model.bundle(model.bind(keys, codebook[stored]))
        for kind, found in (
            ("involution", model.unbind(bundle, keys)),
            ("exact", model.bind(bundle, model.exact_inverse(keys))),
        ):
            best = model.similarity(found, codebook).argmax(-1)
            right[kind] += int((best == stored).sum())
    assert right["involution"] / (12 * pairs) > 0.97
    assert right["exact"] / (12 * pairs) < 0.25


@pytest.mark.parametrize("dim", [1, 3, 7, 101])
def test_06_an_odd_dimension_keeps_every_component(backend, rng, dim):
    a, b = (backend(x) for x in HRR(dim).random(2, rng))
    for c in (
        HRR(dim).bind(a, b),
        HRR(dim).unbind(a, b),
        HRR(dim).multibind(backend(HRR(dim).random(3, rng))),
        HRR(dim).exact_inverse(a),
    ):
        assert tuple(c.shape) == (dim,)


def test_08_models_that_can_be_told_apart_do_not_mix(backend, rng):
    vectors = {name: backend(MODELS[name](16).random(2, rng)) for name in MODELS}
    for name in MODELS:
        for other in MODELS:
            if other == name or {name, other} == {"HRR", "MAP"}:
                continue
            with pytest.raises(TypeError, match=f"{name}\\(dim=16\\).bind: the second vector is"):
                MODELS[name](16).bind(vectors[name][0], vectors[other][0])
    memory = ItemMemory(HRR(16), vectors["HRR"])
    with pytest.raises(ValueError, match=r"MAP\(dim=16\).*HRR\(dim=16\)"):
        memory.cleanup(vectors["MAP"][0], model=MAP(16))
    assert HRR(16) == HRR(16)
    assert HRR(16) != MAP(16)


def test_09_the_similarity_to_a_zero_vector_is_zero(backend):
    for model, dtype in ((HRR(5), np.float32), (MAP(5), np.int8), (FHRR(5), np.complex64)):
        zero, ones = backend(np.zeros(5, dtype)), backend(np.ones((2, 5), dtype))
        assert to_numpy(model.similarity(zero, ones)).tolist() == [0, 0]
        assert float(model.similarity(ones[0], zero)) == 0
        memory = ItemMemory(model, ones)
        assert to_numpy(memory.similarity(zero)).tolist() == [0, 0]
    assert to_numpy(HRR(5).normalize(backend(np.zeros(5)))).tolist() == [0] * 5


def test_10_an_item_memory_computes_the_norms_of_its_codebook_once(backend, rng, monkeypatch):
    model = HRR(64)
    memory = ItemMemory(model, backend(model.random(7, rng)))
    seen = []
    norm = HRR._norm
    monkeypatch.setattr(HRR, "_norm", lambda *args: seen.append(args[3].shape) or norm(*args))
    queries = backend(model.random(6, rng).reshape(2, 3, 64))
    found = memory.cleanup(queries)
    assert tuple(found.index.shape) == (2, 3)
    assert tuple(found.vector.shape) == (2, 3, 64)
    assert (7, 64) not in [tuple(shape) for shape in seen]
