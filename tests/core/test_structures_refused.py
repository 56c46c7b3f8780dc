"""What structures refuse: one line with the reason and what to do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.structure_cases import make, memories, roles_of
from vsacourse import ItemMemory, structures
from vsacourse.algebra import BSC, FHRR, HRR, MAP, OPERATORS, TPR
from vsacourse.memory import UnknownNameError
from vsacourse.structures import (
    REFUSED,
    Graph,
    NGrams,
    NumberSpace,
    Record,
    Sequence,
    Set,
    Stack,
    TooFullWarning,
    Tree,
)

SIZE = 64


def letters_of(name, rng):
    return ItemMemory.random(make(name, SIZE), list("abcdefgh"), rng)


def array_call(structure, model, rng):
    """Call the array functions of a structure."""
    items, roles = model.random(2, rng), model.random_roles(2, rng)
    calls = {
        "n-grams": [
            lambda: structures.encode_ngram(model, items),
            lambda: structures.encode_ngrams(model, items, 2),
            lambda: structures.read_next(model, items[0], items[1:]),
        ],
        "directed edges": [
            lambda: structures.encode_edges(model, items, items),
            lambda: structures.read_successors(model, items[0], items[1]),
        ],
        "predecessors": [lambda: structures.read_predecessors(model, items[0], items[1])],
        "stack": [
            lambda: structures.push(model, items[0], items[1]),
            lambda: structures.pop(model, items[0], items[1]),
        ],
        "change of a bundle": [
            lambda: structures.replace_filler(
                model, model.bind(items[0], roles[0]), roles[0], items[0], items[1]
            )
        ],
        "tree": [
            lambda: structures.encode_leaf(model, items[0], roles),
            lambda: structures.read_leaf(model, items[0], roles),
        ],
        "powers of a position": [lambda: structures.position_powers(model, items[0], 3)],
        "number": [
            lambda: structures.encode_number(model, items[0], 0.5),
            lambda: structures.encode_point(model, items, np.zeros(2)),
        ],
    }
    return calls[structure]


def object_calls(structure, model, rng):
    """Make the object of a structure."""
    memory = ItemMemory.random(model, list("abcdefgh"), rng)
    vector = memory["a"]
    calls = {
        "n-grams": [
            lambda: NGrams("abc", memory, 2),
            lambda: NGrams.from_vector(vector, memory, 2, 3),
        ],
        "directed edges": [
            lambda: Graph([("a", "b")], memory),
            lambda: Graph.from_vector(vector, memory, 3),
        ],
        "predecessors": [lambda: Graph([("a", "b")], memory).predecessors("a")],
        "role of a filler": [
            lambda: Record({"x": "a"}, roles_of(model, ["x"], rng), memory).role_of("a")
        ],
        "stack": [lambda: Stack("ab", memory), lambda: Stack.from_vector(vector, memory, 2)],
        "tree": [lambda: Tree({"L": "a"}, structures.tree_roles(model, 1, rng), memory)],
        "powers of a position": [lambda: Sequence("ab", memory, vector)],
        "number": [
            lambda: NumberSpace.random(model, 0, 1, rng=rng),
            lambda: NumberSpace(model, vector[None], 0, 1),
        ],
    }
    return calls.get(structure, [])


REASONS = {
    ("n-grams", "HRR"): "every order gives the same vector. Use FHRR, MAP, BSC or VTB",
    ("n-grams", "TPR"): "a symbol is both role and filler",
    ("n-grams", "MBAT"): "a symbol is both role and filler",
    ("directed edges", "HRR"): "cyclic shift, which moves past convolution",
    ("directed edges", "TPR"): "its roles are of a kind of their own",
    ("directed edges", "MBAT"): "its roles are of a kind of their own",
    ("predecessors", "HRR"): "cyclic shift, which moves past convolution",
    ("predecessors", "TPR"): "its roles are of a kind of their own",
    ("predecessors", "MBAT"): "its roles are of a kind of their own",
    ("predecessors", "VTB"): "only the source .on the right. is undone",
    ("role of a filler", "TPR"): "binding does not commute",
    ("role of a filler", "MBAT"): "binding does not commute",
    ("role of a filler", "VTB"): "binding does not commute",
    ("stack", "BSC"): "a majority is no sum.*Use MAP, or a Sequence",
    ("change of a bundle", "BSC"): "Encode the record anew",
    ("tree", "TPR"): "multiplies the number of components.*Use MBAT",
    ("powers of a position", "MAP"): "powers repeat after two places",
    ("powers of a position", "BSC"): "powers repeat after two places",
    ("powers of a position", "TPR"): "no powers of a vector. Use FHRR or HRR",
    ("powers of a position", "MBAT"): "no powers of a vector",
    ("powers of a position", "VTB"): "no powers of a vector",
    ("number", "MAP"): "no fractional powers. Use FHRR or HRR",
    ("number", "BSC"): "no fractional powers",
    ("number", "TPR"): "no fractional powers",
    ("number", "MBAT"): "no fractional powers",
    ("number", "VTB"): "no fractional powers",
}


def test_every_refusal_is_tested():
    assert {(s, m) for s, models in REFUSED.items() for m in models} == set(REASONS)


@pytest.mark.parametrize(("structure", "name"), list(REASONS))
def test_what_the_laws_do_not_carry(structure, name, rng):
    model = make(name, SIZE)
    calls = object_calls(structure, model, rng)
    if structure != "role of a filler":
        calls += array_call(structure, model, rng)
    assert calls
    for call in calls:
        with pytest.raises(ValueError, match=REASONS[structure, name]) as error:
            call()
        assert str(error.value).startswith(f"{model} carries no ")
        assert "\n" not in str(error.value)


def works(call):
    try:
        call()
    except ValueError as error:  # powers want unitary vectors, and BSC wants a generator
        return "unitary" in str(error) or "ties" in str(error)
    return True


@pytest.mark.parametrize("structure", [s for s in REFUSED if s != "role of a filler"])
def test_what_is_not_refused_works(structure, rng):
    for name in OPERATORS:
        if name not in REFUSED[structure]:
            assert all(works(call) for call in array_call(structure, make(name, SIZE), rng))


def test_bsc_records_from_a_vector_are_not_changed(rng):
    _, roles, fillers = memories("BSC", 512, rng, np.asarray)
    scene = Record({"ball": "a", "cup": "b", "box": "c"}, roles, fillers)
    known = Record.from_vector(scene.vector, roles, fillers)
    with pytest.raises(ValueError, match=r"carries no change of a bundle.*Encode the record anew"):
        known.replace("ball", "b")
    pair = Record({"ball": "a", "cup": "b"}, roles, fillers, rng)
    with pytest.raises(ValueError, match="ties"):
        pair.replace("ball", "b")


def test_nested_records_of_tpr(rng):
    model = TPR(8, 8)
    roles, items = model.random_roles(2, rng), model.random(2, rng)
    inner = structures.encode_record(model, roles, items)
    with pytest.raises(ValueError, match=r"64 components; 8 are needed.*use MBAT"):
        structures.encode_record(model, roles, np.stack([inner, inner]))


def test_unknown_names(rng):
    _, roles, fillers = memories("MAP", SIZE, rng, np.asarray, fillers=("red", "green"))
    with pytest.raises(UnknownNameError, match="no item 'rde'; near: red"):
        Record({"ball": "rde"}, roles, fillers)
    with pytest.raises(UnknownNameError, match="no item 'bal'; near: ball"):
        Record({"bal": "red"}, roles, fillers)
    scene = Record({"ball": "red"}, roles, fillers)
    with pytest.raises(UnknownNameError) as error:
        scene["cup"]
    assert str(error.value) == "the record holds nothing at 'cup'; it holds ball."
    with pytest.raises(UnknownNameError, match="nothing at 'bell'; near: ball"):
        scene.replace("bell", "red")
    tree = Tree({"LL": "red", "R": "red"}, structures.tree_roles(MAP(SIZE), 2, rng), fillers)
    with pytest.raises(UnknownNameError, match="the tree holds nothing at 'L'; near: LL"):
        tree["L"]
    for call in (
        lambda: Sequence(["red", "x"], fillers),
        lambda: Set(["x"], fillers),
        lambda: Set(["red"], fillers)["x"],
        lambda: Stack(["x"], fillers),
        lambda: Graph([("red", "x")], fillers),
        lambda: Graph([("red", "green")], fillers)["x"],
        lambda: NGrams(["red", "x"], fillers, 2),
        lambda: Tree({"L": "x"}, structures.tree_roles(MAP(SIZE), 1, rng), fillers),
        lambda: scene.role_of("x"),
    ):
        with pytest.raises(UnknownNameError, match="no item 'x'"):
            call()


def test_doubles_and_nothing(rng):
    _, roles, fillers = memories("MAP", SIZE, rng, np.asarray)
    levels = structures.tree_roles(MAP(SIZE), 2, rng)
    for call, words in (
        (
            lambda: Record([("ball", "a"), ("ball", "b")], roles, fillers),
            "role 'ball' occurs twice",
        ),
        (lambda: Set("aba", fillers), "item 'a' occurs twice"),
        (lambda: Graph([("a", "b"), ("a", "b")], fillers), r"edge \('a', 'b'\) occurs twice"),
        (lambda: Record({}, roles, fillers), "Record: 0 names were given; at least 1"),
        (lambda: Sequence([], fillers), "Sequence: 0 names"),
        (lambda: Set([], fillers), "Set: 0 names"),
        (lambda: Graph([], fillers), "no edges were given"),
        (lambda: Tree({}, levels, fillers), "Tree: 0 names"),
        (lambda: NGrams("a", fillers, 2), "1 names were given; at least 2"),
        (lambda: NGrams("abc", fillers, 1), "n is 1; at least 2"),
        (lambda: NGrams("abcd", fillers, 3)["a"], "1 items were given; n − 1 = 2"),
        (lambda: Tree({"L": "a", "LR": "b"}, levels, fillers), "a leaf has nothing below it"),
        (lambda: Tree({"": "a"}, levels, fillers), 'letters "L" and "R"'),
        (lambda: Tree({"LX": "a"}, levels, fillers), 'letters "L" and "R"'),
        (lambda: Tree({"LLL": "a"}, levels, fillers), "3 levels and the roles 2"),
        (lambda: Tree({"L": "a"}, levels[0], fillers), r"\(depth, 2, r\) is needed"),
        (lambda: Tree({"L": "a"}, levels[[0, 0]], fillers), "other roles for each level"),
        (lambda: Set.from_vector(fillers["a"], fillers, 9), "9 items of a memory of 8"),
        (lambda: Sequence("abcd", fillers, roles), "4 items and 3 positions"),
        (lambda: structures.encode_ngrams(MAP(SIZE), fillers.vectors[:2], 3), "T at least n = 3"),
        (lambda: structures.encode_tree(MAP(SIZE), fillers.vectors[:2], ["L"], levels), "1 paths"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    empty = Stack([], fillers)
    for take in (empty.top, empty.pop, lambda: empty[0], lambda: Sequence("ab", fillers)[2]):
        with pytest.raises(IndexError):
            take()


def test_two_models_and_two_kinds_of_arrays(torch, rng):
    a, b = (ItemMemory.random(HRR(n), list("abc"), rng) for n in (64, 65))
    tensors = a.to(torch.zeros(1))
    with pytest.raises(ValueError, match=r"roles is of HRR\(dim=64\) and fillers of HRR\(dim=65\)"):
        Record({"a": "b"}, a, b)
    with pytest.raises(ValueError, match=r"memory is of .* and positions of"):
        Sequence("ab", a, b)
    with pytest.raises(TypeError, match=r"of roles and fillers one is NumPy and one torch"):
        Record({"a": "b"}, a, tensors)
    with pytest.raises(TypeError, match="NumPy arrays and torch tensors together"):
        Set.from_vector(tensors["a"], a, 2)
    with pytest.raises(TypeError, match="NumPy arrays and torch tensors together"):
        Set(["a"], a).with_vector(tensors["a"])
    with pytest.raises(TypeError, match="roles is a dict; an ItemMemory is needed"):
        Record({"a": "b"}, {}, a)
    with pytest.raises(TypeError, match="NumPy arrays and torch tensors together"):
        Tree({"L": "a"}, structures.tree_roles(HRR(64), 1, rng), tensors)
    with pytest.raises(TypeError):
        structures.encode_record(HRR(64), a.vectors, tensors.vectors)
    with pytest.raises(TypeError, match="push got NumPy arrays and torch tensors together"):
        structures.push(HRR(64), a["a"], tensors["a"])
    with pytest.raises(ValueError, match="push was given vectors of 64 and of 65 components"):
        structures.push(HRR(64), a["a"], b["a"])
    with pytest.raises(ValueError, match=r"leading axes \(3,\) and \(2,\)"):
        structures.pop(HRR(64), a.vectors, a.vectors[:2])


def test_other_wrong_inputs(rng):
    _, roles, fillers = memories("MAP", SIZE, rng, np.asarray)
    for call, words in (
        (lambda: Record.from_vector(fillers.vectors, roles, fillers), r"shape \(8, 64\); \(64,\)"),
        (lambda: Set.from_vector(fillers["a"][:9], fillers, 2), "9 components"),
        (lambda: Set(["a"], fillers).with_vector(np.full(SIZE, np.nan)), "NaN"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    for call in (
        lambda: Sequence.from_vector(fillers["a"], fillers, 2.5),
        lambda: Sequence([1, 2], fillers),
        lambda: Sequence("ab", fillers)["a"],
        lambda: Graph(["ab"], fillers),
        lambda: "ab" in Graph([("a", "b")], fillers),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("model", [MAP(5), FHRR(5), BSC(5), HRR(5)])
def test_more_places_than_shifts(model, rng):
    """ρ^d moves nothing, so that place d would be place 0."""
    memory = ItemMemory.random(model, ["a"], rng)
    items = model.random(7, rng)
    with pytest.raises(ValueError, match=r"7 places are marked by shifts; at most d = 5"):
        structures.encode_sequence(model, items)
    with pytest.raises(ValueError, match="at most d = 5"):
        Sequence("a" * 7, memory)
    if model.name in ("MAP", "FHRR"):
        with pytest.raises(ValueError, match="n-gram of 7 items"):
            structures.encode_ngram(model, items)
    if model.name != "BSC":
        with pytest.raises(ValueError, match="Stack: 6 items"):
            Stack("a" * 5, memory).push("a")


@pytest.mark.parametrize("name", ["HRR", "MAP", "VTB", "BSC"])
def test_too_full(name, rng):
    model, _, fillers = memories(name, 49, rng, np.asarray)
    roles = roles_of(model, [str(i) for i in range(13)], rng)
    fields = {str(i): "abcdefgh"[i % 8] for i in range(13)}
    with pytest.warns(TooFullWarning) as warned:
        scene = Record(fields, roles, fillers)
    text = str(warned[0].message)
    assert warned[0].filename == __file__
    assert f"{scene!r} is too full: about {scene.predicted_error:.0%} of its readings" in text
    dimension = int(text.split("dim=")[2].split()[0])
    larger = make(name, dimension)
    assert larger.dim == dimension  # a perfect square for VTB
    memory = ItemMemory.random(larger, list("abcdefgh"), rng)
    assert Record(fields, roles_of(larger, list(fields), rng), memory).predicted_error <= 0.0101


def test_too_full_for_every_structure(rng):
    model = MAP(16)
    memory = ItemMemory.random(model, list("abcdefgh"), rng)
    roles = structures.tree_roles(model, 2, rng)
    leaves = dict(zip(("LL", "LR", "RL", "RR"), "abcd", strict=True))
    for call in (
        lambda: Sequence("abcdef", memory),
        lambda: Set("abcdef", memory),
        lambda: Stack("abcdef", memory),
        lambda: Tree(leaves, roles, memory),
        lambda: Graph([(a, b) for a in "abc" for b in "ab"], memory),
    ):
        with pytest.warns(TooFullWarning, match="would do for 1%") as warned:
            call()
        assert warned[0].filename == __file__
    NGrams("abcdef", memory, 2)  # texts are compared at any length: no warning
    model = TPR(64, 3)
    roles = ItemMemory(model, model.random_roles(40, rng))
    fillers = ItemMemory.random(model, ["a", "b"], rng)
    with pytest.warns(TooFullWarning, match="orthonormal_roles, or a larger role_dim"):
        Record(dict.fromkeys(roles, "a"), roles, fillers)
