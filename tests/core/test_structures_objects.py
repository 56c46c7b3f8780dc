"""Structures made of names and read back by name."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

from tests.core.structure_cases import SUMS, TREES, WITH_ORDER, make, memories, roles_of
from vsacourse import ItemMemory, structures
from vsacourse.algebra import BSC, FHRR, HRR, MAP, MODELS, OPERATORS, TPR
from vsacourse.backend import to_numpy
from vsacourse.structures import Graph, NGrams, Reading, Record, Sequence, Set, Stack, Tree
from vsacourse.structures.base import unbound_items

DIM = 1024


@pytest.fixture(params=list(OPERATORS))
def name(request):
    return request.param


def dim_of(name):
    return 64 if name in ("TPR", "MBAT") else DIM


def names_of(readings):
    return [reading.name for reading in readings]


def test_record(name, backend, rng):
    model, roles, fillers = memories(name, dim_of(name), rng, backend)
    fields = {"ball": "c", "cup": "a", "box": "c"}
    scene = Record(fields, roles, fillers, rng)
    assert {role: r.name for role, r in scene.decode().items()} == fields
    assert type(scene.vector) is type(fillers.vectors)
    assert len(scene) == 3
    assert "ball" in scene
    assert "red" not in scene
    assert repr(scene) == f"Record({model}, 3 roles)"
    expected = structures.encode_record(
        model, roles.vectors, fillers.vectors[[2, 0, 2]], np.random.default_rng(0)
    )
    np.testing.assert_allclose(to_numpy(scene.vector), to_numpy(expected), atol=1e-6)
    again = Record.from_vector(scene.vector, roles, fillers)
    assert names_of(again.decode().values()) == ["c", "a", "c"]
    assert again.predicted_error == scene.predicted_error
    part = Record.from_vector(scene.vector, roles, fillers, ["cup"])
    assert list(part.decode()) == ["cup"]


def test_pairs_and_mappings_are_one(rng):
    _, roles, fillers = memories("HRR", 256, rng, np.asarray)
    a = Record({"ball": "a", "cup": "b"}, roles, fillers)
    b = Record([("ball", "a"), ("cup", "b")], roles, fillers)
    np.testing.assert_array_equal(a.vector, b.vector)


def test_replace(name, backend, rng):
    _, roles, fillers = memories(name, dim_of(name), rng, backend)
    scene = Record({"ball": "c", "cup": "a", "box": "b"}, roles, fillers, rng)
    before = to_numpy(scene.vector).copy()
    changed = scene.replace("ball", "d").replace("cup", "h", rng)
    assert names_of(changed.decode().values()) == ["d", "h", "b"]
    np.testing.assert_array_equal(to_numpy(scene.vector), before)
    fresh = Record({"ball": "d", "cup": "h", "box": "b"}, roles, fillers, rng)
    # Nothing of the old filler is left, in BSC as elsewhere (three items: no ties).
    np.testing.assert_allclose(to_numpy(changed.vector), to_numpy(fresh.vector), atol=1e-5)
    if name in SUMS:  # of a vector alone the old filler is read first
        known = Record.from_vector(scene.vector, roles, fillers).replace("ball", "d")
        assert names_of(known.decode().values()) == ["d", "a", "b"]


def test_a_role_of_a_filler(backend, rng):
    for name in MODELS:
        _, roles, fillers = memories(name, DIM, rng, backend)
        scene = Record({"ball": "c", "cup": "a", "box": "b"}, roles, fillers, rng)
        assert [scene.role_of(f).name for f in "cab"] == ["ball", "cup", "box"]


def test_among_fewer_candidates_fewer_readings_are_wrong(rng):
    _, roles, fillers = memories("MAP", 32, rng, np.asarray)
    with pytest.warns(structures.TooFullWarning):
        scene = Record({"ball": "c", "cup": "a", "box": "b"}, roles, fillers, rng)
    assert 0 < scene.role_of("a").error < scene["cup"].error  # 3 roles, 8 fillers


def test_sequence(name, backend, rng):
    model, positions, letters = memories(name, dim_of(name), rng, backend, roles="12345")
    ways = [None, positions]
    if name == "FHRR":
        ways.append(backend(model.random(1, rng)[0]))
    if name == "HRR":
        ways.append(backend(model.power_base(1, rng)[0]))
    for way in ways:
        word = Sequence("badge", letters, way)
        assert "".join(names_of(word.decode())) == "badge"
        assert (word[0].name, word[-1].name, len(word)) == ("b", "e", 5)
        again = Sequence.from_vector(word.vector, letters, 5, way)
        assert "".join(names_of(again.decode())) == "badge"
        assert again[2] == word[2]


def test_set(name, backend, rng):
    _, _, letters = memories(name, 256, rng, backend, roles="1")
    vowels = Set(["a", "e", "c"], letters)
    assert {n for n in letters if n in vowels} == {"a", "e", "c"}
    assert sorted(names_of(vowels.decode())) == ["a", "c", "e"]
    assert vowels["a"].name == "a"
    assert vowels["b"].similarity < vowels["a"].similarity
    assert sorted(names_of(Set.from_vector(vowels.vector, letters, 3).decode())) == ["a", "c", "e"]


def test_stack(backend, rng):
    for name in SUMS:
        _, _, letters = memories(name, 256, rng, backend, roles="1")
        stack = Stack([], letters)
        assert (len(stack), stack.decode(), stack.predicted_error) == (0, [], 0)
        for letter in "bead":
            stack = stack.push(letter)
        assert "".join(names_of(stack.decode())) == "daeb"
        assert stack[1].name == "a"
        popped = ""
        rest = stack
        while len(rest):
            top, rest = rest.pop()
            popped += top.name
        assert popped == "daeb"
        assert abs(to_numpy(rest.vector)).max() < 1e-5  # exactly empty again
        assert len(stack) == 4
        np.testing.assert_allclose(
            to_numpy(Stack("bead", letters).vector), to_numpy(stack.vector), atol=1e-6
        )
        assert Stack.from_vector(stack.vector, letters, 4).top().name == "d"


def test_a_high_stack_of_bytes_does_not_overflow(rng):
    model = MAP(8192)
    memory = ItemMemory(model, model.random(2, rng, np.int8), ["a", "b"])
    stack = Stack("ab" * 100, memory)
    assert stack.vector.dtype == np.int32
    assert "".join(names_of(stack.decode())) == "ba" * 100


def test_tree(backend, rng):
    for name in TREES:
        model = make(name, 100 if name == "MBAT" else 2025)
        memory = ItemMemory.random(model, list("abcdef"), rng)
        memory = memory.to(backend(memory.vectors))
        roles = backend(structures.tree_roles(model, 3, rng))
        leaves = {"LL": "a", "LR": "f", "RL": "c", "RRL": "d", "RRR": "b"}
        tree = Tree(leaves, roles, memory, rng)
        assert {path: r.name for path, r in tree.decode().items()} == leaves
        assert "LL" in tree
        assert "L" not in tree
        again = Tree.from_vector(tree.vector, roles, memory, list(leaves))
        assert again["RRL"] == tree["RRL"]


def test_graph(backend, rng):
    edges = [("a", "b"), ("a", "c"), ("b", "a"), ("c", "c"), ("e", "a")]
    for name in WITH_ORDER:
        _, _, nodes = memories(name, 4096, rng, backend, roles="1")
        graph = Graph(edges, nodes, rng)
        found = {(s, r.name) for s, readings in graph.decode().items() for r in readings}
        assert found == set(edges)
        assert ("a", "c") in graph
        assert ("c", "a") not in graph
        assert graph.edge("a", "b").name == "b"
        again = Graph.from_vector(graph.vector, nodes, 5)
        assert sorted(names_of(again["a"])) == ["b", "c"]
        if name != "VTB":
            assert sorted(names_of(graph.predecessors("a"))) == ["b", "e"]


def test_ngrams(backend, rng):
    for name in WITH_ORDER:
        _, _, letters = memories(name, 4096, rng, backend, roles="1")
        word = NGrams("abcabcdab", letters, 3, rng)
        assert (word["ab"].name, word["ca"].name, word["cd"].name) == ("c", "b", "a")
        assert word.decode()["d", "a"].name == "b"
        again = NGrams.from_vector(word.vector, letters, 3, 7)
        assert again["ab"].name == "c"
        with pytest.raises(ValueError, match="known only as a vector"):
            again.decode()
        other = NGrams("hhgghhgg", letters, 3, rng)
        assert word.similarity(word) == pytest.approx(1, abs=1e-5)
        assert abs(word.similarity(other)) < 0.1  # six standard deviations


def test_readings_print(rng):
    reading = Reading("red", 0.5764, 0.0023, np.zeros(3))
    assert repr(reading) == "Reading('red', similarity=0.58, error=0.2%)"
    assert str(reading) == "red (similarity 0.58, predicted error 0.2%)"
    assert reading == Reading("red", 0.5764, 0.0023, np.ones(3))
    with pytest.raises(AttributeError):
        reading.name = "blue"


def some(rng):
    _, roles, letters = memories("MAP", DIM, rng, np.asarray)
    tree = structures.tree_roles(MAP(DIM), 2, rng)
    return [
        Record({"ball": "a", "cup": "b"}, roles, letters),
        Sequence("bad", letters),
        Set("bad", letters),
        Stack("bad", letters),
        Tree({"L": "a", "RL": "b"}, tree, letters),
        Graph([("a", "b")], letters),
        NGrams("bad", letters, 2),
    ]


def test_structures_do_not_change(rng):
    for thing in some(rng):
        with pytest.raises(AttributeError, match="cannot be changed"):
            thing.vector = 0
        with pytest.raises(ValueError, match="read-only"):
            thing.vector[0] = 5


def test_one_shape_for_all(rng):
    for thing in some(rng):
        assert isinstance(thing, structures.Structure)
        assert 0 <= thing.predicted_error < 0.05
        assert len(thing) >= 1
        assert thing.decode()
        assert repr(thing).startswith(type(thing).__name__ + "(MAP(dim=1024), ")
        assert thing.similarity(thing) == pytest.approx(1)
        assert thing.similarity(thing.vector) == pytest.approx(1)
        for other in (copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
            assert other.decode() == thing.decode()
        noisy = thing.vector + rng.normal(0, 0.5, DIM).astype(np.float32)
        moved = thing.with_vector(noisy)
        assert 0.5 < moved.similarity(thing) < 0.999
        assert type(moved) is type(thing)
        if not isinstance(thing, NGrams):  # of a vector the prefixes are not known
            assert str(moved.decode()).count("'") == str(thing.decode()).count("'")
        with pytest.raises(ValueError, match="one model is needed"):
            thing.similarity(Set(["a"], ItemMemory.random(HRR(DIM), ["a"], rng)))


def test_what_was_stored_is_forgotten_with_another_vector(rng):
    _, roles, fillers = memories("MAP", DIM, rng, np.asarray)
    one = Record({"ball": "a", "cup": "b"}, roles, fillers)
    other = Record({"ball": "c", "cup": "d"}, roles, fillers)
    changed = one.with_vector(other.vector).replace("ball", "e")
    expected = Record({"ball": "e", "cup": "d"}, roles, fillers)
    np.testing.assert_array_equal(changed.vector, expected.vector)


def test_gradients_flow_through_a_reading(torch, rng):
    model = HRR(64)
    memory = ItemMemory(model, torch.from_numpy(model.random(4, rng)), list("abcd"))
    vector = torch.from_numpy(model.random(1, rng)[0]).requires_grad_()
    read = Sequence.from_vector(vector, memory, 3)[1].vector
    memory.similarity(read)[0].backward()
    assert float(abs(vector.grad).max()) > 0


def test_effective_items_of_the_kinds_of_roles(rng):
    model = HRR(64)
    fillers = ItemMemory.random(model, list("abc"), rng)
    unitary = ItemMemory(model, model.unitary(3, rng), list("xyz"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", structures.TooFullWarning)
        fields = dict(zip("xyz", "abc", strict=True))
        exact = Record(fields, unitary, fillers)
        noisy = Record(fields, roles_of(model, list("xyz"), rng), fillers)
    letters = ItemMemory.random(TPR(64, 3), list("abc"), rng)
    tensor = Record(fields, roles_of(letters.model, list("xyz"), rng), letters)
    np.testing.assert_allclose(tensor._items, 1, atol=1e-6)  # orthonormal roles
    assert exact._items == (3, 3, 3)
    assert noisy._items == (4, 4, 4)
    assert unbound_items(BSC(8), 8) == pytest.approx(8.5, abs=0.02)  # ties are noise
    assert unbound_items(BSC(8), 7) == pytest.approx(6.5, abs=0.02)
    assert unbound_items(FHRR(8), 7) == 7
