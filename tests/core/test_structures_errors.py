"""The predicted error of a reading beside the simulated one.

The formula takes the noise on the right item to be as wide as on the wrong ones, though an item
does not disturb itself; so it is too high, by up to a half for eight items and by more for fewer.
The bands: never above the prediction by more than four standard errors and .015, nor, from eight
items on, below .45 of it. Dimensions are such that about one reading in ten is wrong.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from tests.core.structure_cases import TREES, WITH_ORDER, make
from vsacourse import ItemMemory, structures, theory
from vsacourse.algebra import FHRR, HRR, OPERATORS, TPR
from vsacourse.structures import Graph, NGrams, Record, Set, TooFullWarning, Tree
from vsacourse.structures.base import unbound_items
from vsacourse.structures.records import record_items
from vsacourse.structures.trees import along


@pytest.fixture(autouse=True)
def _full_on_purpose():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFullWarning)
        yield


def size_for(name, items):
    """A dimension where about .09 of the readings among 100 candidates are wrong."""
    effective = items + (name in ("HRR", "VTB"))
    return math.ceil(16 * effective / theory.capacity_constant(name))


def within(simulated, predicted, readings, floor=0.45):
    error = math.sqrt(predicted * (1 - predicted) / readings)
    assert simulated < predicted + 4 * error + 0.015
    assert simulated > floor * predicted - 4 * error


def wrong(model, vectors, memory, stored):
    return np.mean(model.similarity(vectors, memory).argmax(-1) != stored)


@pytest.mark.parametrize("items", [8, 16])
@pytest.mark.parametrize("name", [n for n in OPERATORS if n != "TPR"])
def test_records(name, items, rng):
    if name == "MBAT" and items == 16:
        pytest.skip("sixteen roles of 256 × 256 numbers take long, and eight say the same")
    model, shares = make(name, size_for(name, items)), []
    for _ in range(3 if name == "MBAT" else 8):
        memory, roles = model.random(100, rng), model.random_roles(items, rng)
        stored = rng.integers(0, 100, (40, items))
        record = structures.encode_record(model, roles, memory[stored], rng)
        read = structures.read_role(model, record[:, None, :], roles)
        shares.append(wrong(model, read, memory, stored))
    effective = record_items(model, roles)[0]
    assert effective == pytest.approx(items + (name in ("HRR", "VTB")), abs=0.6)  # BSC: M + ½
    predicted = 1 - theory.recall_probability(model.dim, effective, 100, model)
    within(np.mean(shares), predicted, 40 * items * len(shares))
    held = Record(
        {str(i): "1" for i in range(items)},
        ItemMemory(model, roles),
        ItemMemory(model, memory),
        rng,
    )
    assert held["0"].error == pytest.approx(predicted) == held.predicted_error


@pytest.mark.parametrize(
    ("items", "role_dim", "dim"), [(2, 2, 24), (8, 8, 32), (16, 64, 8), (16, 16, 32), (32, 8, 80)]
)
def test_records_of_tpr(items, role_dim, dim, rng):
    """Each set of roles has its own Gram matrix, and its own error: the mean over many.

    It may be off for one role, whose noise is a few other fillers and not normal.
    """
    model, shares, predicted = TPR(dim, role_dim), [], []
    for _ in range(60 if items < 32 else 15):
        memory, roles = model.random(100, rng), model.random_roles(items, rng)
        stored = np.stack([rng.choice(100, items, replace=False) for _ in range(10)])
        record = structures.encode_record(model, roles, memory[stored])
        read = structures.read_role(model, record[:, None, :], roles)
        shares.append(wrong(model, read, memory, stored))
        held = Record.from_vector(record[0], ItemMemory(model, roles), ItemMemory(model, memory))
        np.testing.assert_allclose(held._items, theory.reading_cosine(roles) ** -2.0)
        predicted.append(held.predicted_error)
    # With role_dim far above the items there is hardly an item that disturbs: far too high.
    within(np.mean(shares), np.mean(predicted), 150, floor=0 if role_dim > items else 0.45)


def test_records_with_unitary_roles_add_no_noise(rng):
    model, shares = HRR(16 * 16), []
    for _ in range(10):
        memory, roles = model.random(100, rng), model.unitary(16, rng)
        stored = rng.integers(0, 100, (40, 16))
        record = structures.encode_record(model, roles, memory[stored])
        read = structures.read_role(model, record[:, None, :], roles)
        shares.append(wrong(model, read, memory, stored))
    within(np.mean(shares), 1 - theory.recall_probability(256, 16, 100), 6400, floor=0.7)


@pytest.mark.parametrize("name", list(OPERATORS))
def test_sequences_by_permutation(name, rng):
    items = 8
    model = make(name, math.ceil(16 * items / theory.capacity_constant(name)))
    memory = model.random(100, rng)
    stored = rng.integers(0, 100, (300, items))
    sequence = structures.encode_sequence(model, memory[stored], rng)
    read = [structures.read_position(model, sequence, i) for i in range(items)]
    effective = unbound_items(model, items)
    predicted = 1 - theory.recall_probability(model.dim, effective, 100, model)
    within(wrong(model, np.stack(read, -2), memory, stored), predicted, 300 * items)


@pytest.mark.parametrize("model", [HRR(256), FHRR(128)])
def test_sequences_by_powers(model, rng):
    """M items, also in HRR: powers of a unitary base are unitary."""
    shares = []
    for _ in range(10):
        memory = model.random(100, rng)
        base = (model.power_base if model.name == "HRR" else model.random)(1, rng)[0]
        keys = structures.position_powers(model, base, 16)
        assert record_items(model, keys)[0] == 16
        stored = rng.integers(0, 100, (40, 16))
        sequence = structures.encode_record(model, keys, memory[stored])
        read = structures.read_role(model, sequence[:, None, :], keys)
        shares.append(wrong(model, read, memory, stored))
    within(np.mean(shares), 1 - theory.recall_probability(model.dim, 16, 100, model), 6400)


FULL = tuple(a + b + c for a in "LR" for b in "LR" for c in "LR")
SKEW = ("L", "RL", "RRL", "RRRL", "RRRR")


@pytest.mark.parametrize(
    ("name", "dim", "paths"),
    [("HRR", 400, FULL), ("HRR", 400, SKEW), ("VTB", 256, FULL), ("VTB", 196, SKEW)]
    + [(name, size_for(name, 8), FULL) for name in TREES if name not in ("HRR", "VTB")],
)
def test_trees(name, dim, paths, rng):
    """Every leaf has a prediction of its own: HRR Σ 2^s, VTB Σ (s + 1), s steps shared."""
    model, shares = make(name, dim), []
    for _ in range(3 if name == "MBAT" else 25):
        memory = ItemMemory(model, model.random(100, rng))
        roles = structures.tree_roles(model, len(max(paths, key=len)), rng)
        stored = rng.integers(0, 100, (30, len(paths)))
        tree = structures.encode_tree(model, memory.vectors[stored], paths, roles, rng)
        read = [structures.read_leaf(model, tree, along(roles, path)) for path in paths]
        best = model.similarity(np.stack(read, -2), memory.vectors).argmax(-1)
        shares.append((best != stored).mean(0))
    held = Tree.from_vector(tree[0], roles, memory, paths)
    if name == "HRR" and paths == FULL:
        assert held._items == (27,) * 8  # (1 + 2)³: each level is shared, 2, or not, 1
    if name == "VTB" and paths == SKEW:
        assert held._items[0] == 2 + 4  # itself s = 1, the others share no first step
        assert held._items[-1] == 1 + 2 + 3 + 4 + 5
    for share, path in zip(np.mean(shares, 0), paths, strict=True):
        within(share, held[path].error, 30 * len(shares), floor=0.3)


@pytest.mark.parametrize("name", list(OPERATORS))
def test_sets(name, rng):
    model = make(name, 100)
    wrong_answers, wrong_lists = [], []
    for _ in range(50):
        memory = ItemMemory.random(model, 40, rng)
        members = [str(i) for i in rng.choice(40, 9, replace=False)]
        held = Set(members, memory, rng)
        wrong_answers.append([(item in held) != (item in members) for item in memory])
        wrong_lists.append([reading.name not in members for reading in held.decode()])
    predicted = theory.membership_error(100, unbound_items(model, 9), model)
    assert held["0"].error == pytest.approx(predicted)
    within(np.mean(wrong_answers), predicted, 2000, floor=0.6)
    # The nine best of 40 are taken together, which errs less than one choice of 32.
    within(np.mean(wrong_lists), held.decode()[0].error, 450, floor=0.25)


@pytest.mark.parametrize("name", WITH_ORDER)
def test_graphs(name, rng):
    model = make(name, 144)
    errors, backward, predicted = [], [], []
    for _ in range(40):
        nodes = ItemMemory.random(model, 20, rng)
        edges = {(str(a), str(b)) for a, b in rng.integers(0, 20, (12, 2))}
        graph = Graph(sorted(edges), nodes, rng)
        for node in {source for source, _ in edges}:
            found = {reading.name for reading in graph[node]}
            errors.append(len(found ^ {t for s, t in edges if s == node}) / 20)
        if name != "VTB":
            for node in {target for _, target in edges}:
                found = {reading.name for reading in graph.predecessors(node)}
                backward.append(len(found ^ {s for s, t in edges if t == node}) / 20)
        predicted.append(graph.predicted_error)
    for shares in filter(None, (errors, backward)):
        within(np.mean(shares), np.mean(predicted), 5000, floor=0.7)


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("name", WITH_ORDER)
def test_ngrams(name, n, rng):
    """Read what follows, in texts where n-grams repeat; rivals that also follow count as wrong.

    Where two items follow one prefix equally often, either is right.
    """
    model = make(name, {"FHRR": 100, "BSC": 324}.get(name, 200))
    errors, predicted = [], []
    for _ in range(40):
        memory = ItemMemory.random(model, 100, rng)
        text = [str(i) for i in rng.integers(0, 12, 14)]
        grams = NGrams(text, memory, n, rng)
        counts = grams._counts
        for prefix, reading in grams.decode().items():
            followers = {g[-1]: c for g, c in counts.items() if g[:-1] == prefix}
            errors.append(followers.get(reading.name, 0) < max(followers.values()))
            predicted.append(reading.error)
    # VTB's nested noise has heavier tails than a normal one: .02 more.
    slack = 0.02 if name == "VTB" else 0
    within(np.mean(errors) - slack, np.mean(predicted), len(errors), floor=0.2)


def test_repeats_of_an_ngram_add_up(rng):
    model = FHRR(64)
    memory = ItemMemory.random(model, list("abcdef"), rng)
    grams = NGrams("abababcd", memory, 2)  # ab 3, ba 2, bc 1, cd 1
    assert grams["a"].error == 1 - theory.recall_probability(64, 15 / 9, 6, model)
    assert grams["c"].error == 1 - theory.recall_probability(64, 15, 6, model)
    assert grams._among(("b",)) == 15 / 4
    rivals = theory.recall_among_rivals(64, 15 / 4, 6, [1 / 2], model)  # "c" follows half as often
    assert grams["b"].error == 1 - rivals > 1 - theory.recall_probability(64, 15 / 4, 6, model)


@pytest.mark.parametrize("name", ["FHRR", "MAP"])
def test_a_follower_that_is_nearly_as_frequent_is_often_read(name, rng):
    """After "a": "b" five times and "c" four times. No dimension is large for so small a lead."""
    model = make(name, {"FHRR": 150, "MAP": 300}[name])
    text, wrong, predicted = "ab" * 5 + "xac" * 4, [], []
    for _ in range(400):
        memory = ItemMemory.random(model, [*"abcx", *(str(i) for i in range(60))], rng)
        reading = NGrams(text, memory, 2, rng)["a"]
        wrong.append(reading.name != "b")
        predicted.append(reading.error)
    assert 0.05 < np.mean(predicted) < 0.4
    # The leaders do not disturb themselves, so that the prediction is on the safe side.
    within(np.mean(wrong), np.mean(predicted), 400, floor=0.4)
