"""The item memory."""

from __future__ import annotations

import copy
import pickle
import time
import tracemalloc

import numpy as np
import pytest

import vsacourse.memory.items
from vsacourse.algebra import BSC, HRR, MAP, MBAT, OPERATORS, TPR, VTB
from vsacourse.backend import to_backend, to_numpy
from vsacourse.memory import ItemMemory


@pytest.fixture(params=list(OPERATORS))
def model(request):
    special = {"TPR": lambda: TPR(601, 7), "VTB": lambda: VTB(625)}  # 25²
    return special.get(request.param, lambda: OPERATORS[request.param](601))()


def test_similarity_is_the_models(model, backend, rng):
    vectors = backend(model.random(9, rng))
    memory = ItemMemory(model, vectors)
    queries = backend(model.random(6, rng).reshape(2, 3, -1))
    expected = to_numpy(model.similarity(queries, vectors))
    np.testing.assert_allclose(to_numpy(memory.similarity(queries)), expected, atol=1e-6)
    single = memory.similarity(queries[0, 0])
    np.testing.assert_allclose(to_numpy(single), expected[0, 0], atol=1e-6)


def test_cleanup_finds_a_noisy_item(model, backend, rng):
    memory = ItemMemory.random(model, [f"item {i}" for i in range(50)], rng).to(
        backend(np.zeros(1, np.float32))
    )
    noisy = model.bundle(backend(to_numpy(memory.vectors)[[7, 3, 9]]))
    best = memory.topk(noisy, 3)
    assert sorted(best.names) == ["item 3", "item 7", "item 9"]
    similarity = to_numpy(best.similarity)
    assert (np.diff(similarity) <= 0).all()
    one = memory.cleanup(memory["item 4"])
    assert one.names == "item 4"
    assert int(one.index) == 4
    assert float(one.similarity) == pytest.approx(1, abs=1e-5)
    np.testing.assert_array_equal(to_numpy(one.vector), to_numpy(memory["item 4"]))


def test_a_batch_equals_its_singles_also_across_blocks(model, backend, rng, monkeypatch):
    monkeypatch.setattr(vsacourse.memory.items, "_BLOCK", 2 * model.dim)  # two queries at once
    memory = ItemMemory(model, backend(model.random(20, rng)))
    queries = backend(model.random(15, rng).reshape(3, 5, -1))
    batch, top = memory.cleanup(queries), memory.topk(queries, 4)
    for i, j in np.ndindex(3, 5):
        single, several = memory.cleanup(queries[i, j]), memory.topk(queries[i, j], 4)
        assert batch.names[i][j] == single.names == several.names[0]
        assert top.names[i][j] == several.names
        assert int(batch.index[i, j]) == int(single.index)
        np.testing.assert_array_equal(to_numpy(batch.vector[i, j]), to_numpy(single.vector))
        np.testing.assert_array_equal(to_numpy(top.vector[i, j]), to_numpy(several.vector))
    assert memory.cleanup(queries[:0]).names == []
    assert tuple(memory.cleanup(queries[:0]).vector.shape) == (0, 5, model.dim)


@pytest.mark.parametrize("model", [TPR(13, 5), MBAT(7)])
def test_roles_and_bound_vectors_have_memories_too(model, backend, rng):
    """They have other numbers of components than the model's dim."""
    fillers, roles = backend(model.random(6, rng)), backend(model.random_roles(6, rng))
    for vectors in (roles, model.bind(fillers, roles)):
        memory = ItemMemory(model, vectors)
        assert memory.cleanup(vectors[4]).names == "4"
        found = memory.topk(vectors.reshape(3, 2, -1), 2)
        assert tuple(found.vector.shape) == (3, 2, 2, vectors.shape[-1])
        assert [[pair[0] for pair in row] for row in found.names] == [
            ["0", "1"],
            ["2", "3"],
            ["4", "5"],
        ]
        assert memory.cleanup(vectors[:0]).names == []
    with pytest.raises(ValueError, match=rf"it needs {model.dim}, as the query has"):
        ItemMemory(model, roles).cleanup(fillers[0])
    with pytest.raises(ValueError, match=rf"\(n, {roles.shape[-1]}\) with n at least 1"):
        ItemMemory(model, roles[0])


def test_nothing_is_recognised_below_the_threshold(model, backend, rng):
    memory = ItemMemory(model, backend(model.random(4, rng)), ["a", "b", "c", "d"])
    stranger = backend(model.random(1, rng)[0])
    queries = backend(np.stack([to_numpy(stranger), to_numpy(memory["b"])]))
    found = memory.cleanup(queries, threshold=0.5)
    assert found.names == [None, "b"]
    assert to_numpy(found.index).tolist() == [-1, 1]
    assert not to_numpy(found.vector[0]).any()
    assert float(found.similarity[0]) < 0.5
    assert memory.cleanup(stranger, threshold=0.5).names is None


def test_names(model, rng):
    memory = ItemMemory.random(model, ["cat", "dog"], rng)
    assert len(memory) == 2
    assert "cat" in memory
    assert "cow" not in memory
    assert list(memory) == ["cat", "dog"]
    with pytest.raises(KeyError) as error:
        memory["cta"]
    assert str(error.value) == "the memory has no item 'cta'; near: cat."
    assert ItemMemory.random(model, 3, rng).names == ("0", "1", "2")


def test_bad_memories(rng):
    model = HRR(8)
    vectors = model.random(2, rng)
    with pytest.raises(ValueError, match="'a' occurs twice"):
        ItemMemory(model, vectors, ["a", "a"])
    with pytest.raises(ValueError, match="3 names for 2 vectors"):
        ItemMemory(model, vectors, ["a", "b", "c"])
    with pytest.raises(ValueError, match="n at least 1"):
        ItemMemory(model, vectors[:0])
    with pytest.raises(ValueError, match=r"n, 8"):
        ItemMemory(model, vectors[0])
    with pytest.raises(TypeError, match="list of strings"):
        ItemMemory(model, vectors, "ab")
    with pytest.raises(TypeError, match="a model is needed"):
        ItemMemory("HRR", vectors)
    with pytest.raises(ValueError, match="at least 1"):
        ItemMemory.random(model, [], rng)
    for k in (0, 3, True, 1.0):
        with pytest.raises(ValueError, match="from 1 to 2"):
            ItemMemory(model, vectors).topk(vectors, k)


def test_the_memory_is_its_own_copy(rng):
    vectors = HRR(8).random(2, rng)
    memory = ItemMemory(HRR(8), vectors)
    before = memory.similarity(vectors[0])
    query = vectors[0].copy()
    vectors[:] = 0
    np.testing.assert_array_equal(memory.similarity(query), before)
    with pytest.raises(ValueError, match="read-only"):
        memory.vectors[0, 0] = 5


def test_moving_between_backends(torch, rng):
    memory = ItemMemory.random(HRR(16), ["x", "y"], rng)
    moved = memory.to(torch.zeros(1))
    assert isinstance(moved.cleanup(moved["y"]).vector, torch.Tensor)
    assert moved.names == memory.names
    back = moved.to(np.zeros(1))
    np.testing.assert_array_equal(back.vectors, memory.vectors)
    assert (
        to_backend(memory.vectors, like=torch.zeros(1, dtype=torch.float64)).dtype == torch.float32
    )


def test_gradients_flow_through_a_memory(torch, rng):
    memory = ItemMemory(HRR(16), torch.from_numpy(HRR(16).random(3, rng)))
    query = torch.from_numpy(HRR(16).random(1, rng)[0]).requires_grad_()
    memory.similarity(query)[0].backward()
    assert float(abs(query.grad).max()) > 0


def test_topk_keeps_the_order_of_equals(backend):
    """200 items in five groups of duplicates: small integers, so that equals are exactly equal."""
    groups = np.array([[3, 1], [2, 1], [1, 1], [1, 2], [1, 3]], np.int32)
    place = np.random.default_rng(0).permutation(np.repeat(np.arange(5), 40))
    memory = ItemMemory(MAP(2), backend(groups[place]))
    found = to_numpy(memory.topk(backend(np.array([1, 0], np.int32)), 200).index)
    order = [i for g in range(5) for i in np.flatnonzero(place == g)]
    similarity = to_numpy(memory.similarity(backend(np.array([1, 0], np.int32))))
    assert all(len(set(similarity[place == g].tolist())) == 1 for g in range(5))
    assert found.tolist() == order


def test_the_largest_table_of_similarities_is_bounded(backend, rng, monkeypatch):
    monkeypatch.setattr(vsacourse.memory.items, "_BLOCK", 100)
    memory, sizes = ItemMemory(HRR(8), backend(HRR(8).random(20, rng))), []
    similarity = ItemMemory.similarity

    def watched(self, query, model=None):
        table = similarity(self, query, model)
        sizes.append(tuple(table.shape))
        return table

    monkeypatch.setattr(ItemMemory, "similarity", watched)
    memory.cleanup(backend(HRR(8).random(12, rng)))
    memory.topk(backend(HRR(8).random(12, rng)), 3)
    assert sizes == 2 * [(5, 20), (5, 20), (2, 20)]


@pytest.mark.parametrize(("model", "items"), [(HRR(64), 800), (MAP(64), 800), (BSC(2000), 5)])
def test_memory_use_does_not_grow_with_the_queries(model, items, rng, monkeypatch):
    """Beyond what is returned: tables of 20,000 numbers (80 KB), and 200 bytes a query of names.

    A few items of many bits: the bits of a block are converted to floats, not all.
    """
    monkeypatch.setattr(vsacourse.memory.items, "_BLOCK", 20_000)
    memory = ItemMemory.random(model, items, rng)
    memory.cleanup(memory.vectors[:2])
    for n in (50, 500, 2000):
        queries = model.random(n, rng)
        tracemalloc.start()
        found = memory.cleanup(queries, threshold=0.99)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # The vectors are held twice while those below the threshold are made zeros.
        assert peak - 2 * found.vector.nbytes < 5 * 80_000 + 200 * n


def test_the_codebook_is_not_converted_for_a_query(backend, rng, monkeypatch):
    memory = ItemMemory(MAP(8), backend(MAP(8).random(3, rng)))
    sums = backend(np.array([5, -3, 2**20 + 1, 1, 0, 7, -2, 9], np.int32))
    for query in (sums, backend(to_numpy(sums).astype(np.float64))):
        found = memory.similarity(query)
        assert found.dtype == memory.vectors.dtype
        np.testing.assert_allclose(
            to_numpy(found), to_numpy(MAP(8).similarity(query, memory.vectors)), atol=1e-6
        )
    tiny = to_numpy(memory.vectors[1]) * np.float64(1e-60)  # 0 in single precision
    assert float(memory.similarity(backend(tiny))[1]) == pytest.approx(1)
    with pytest.raises(ValueError, match="overflow"):
        memory.similarity(backend(np.full(8, 1e300)))


def test_what_a_memory_gives_out_does_not_change_it(backend, rng):
    memory = ItemMemory(HRR(8), backend(HRR(8).random(2, rng)), ["a", "b"])
    before = to_numpy(memory.vectors).copy()
    vector = memory["a"]
    vector[:] = 0
    np.testing.assert_array_equal(to_numpy(memory.vectors), before)


def test_copies_of_a_memory_are_frozen_too(rng):
    memory = ItemMemory.random(HRR(8), 2, rng)
    for other in (copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))):
        with pytest.raises(ValueError, match="read-only"):
            other.vectors[0, 0] = 5


def test_small_questions_to_a_memory(rng):
    memory = ItemMemory.random(HRR(8), 2, rng)
    with pytest.raises(KeyError) as error:
        memory[1]
    assert "names are strings" in str(error.value)
    with pytest.raises(ValueError, match="threshold is NaN"):
        memory.cleanup(memory["0"], threshold=np.nan)
    found = memory.cleanup(memory["0"])
    assert found == found
    assert found != memory.cleanup(memory["0"])


def test_many_names_are_compared_fast():
    started = time.monotonic()
    vsacourse.memory.items._checked_names([str(i) for i in range(20_000)], 20_000)
    assert time.monotonic() - started < 2


def test_what_cannot_be_a_name_is_not_held():
    memory = ItemMemory.random(MAP(16), ["cat"], np.random.default_rng(0))
    assert "cat" in memory
    for other in ([], ["cat"], {}, np.zeros(3), 0, None):
        assert other not in memory
