"""The array functions of the structures: their formulas as laws, on both backends, in batches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.structure_cases import COMMUTATIVE, EXACT, SUMS, TREES, WITH_ORDER, make
from vsacourse import structures
from vsacourse.algebra import BSC, FHRR, HRR, MAP, MBAT, OPERATORS, TPR, VTB
from vsacourse.backend import to_numpy

dims = st.sampled_from([1, 2, 3, 5, 7, 13, 31])
batches = st.sampled_from([(), (1,), (3,), (2, 3)])
seeds = st.integers(0, 2**32 - 1)


def close(x, y, atol=1e-4):
    x, y = to_numpy(x), to_numpy(y)
    assert x.shape == y.shape
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(
        x.astype(wide), y.astype(wide), atol=atol * (1 + abs(y).max(initial=0))
    )


def draw(random, rng, *shape):
    flat = random(int(np.prod(shape)), rng)
    return flat.reshape(*shape, -1)


@given(name=st.sampled_from(list(OPERATORS)), dim=dims, batch=batches, seed=seeds)
@settings(max_examples=60, deadline=None, derandomize=True)
def check_records(backend, name, dim, batch, seed):
    model, rng = make(name, dim, role_dim=5), np.random.default_rng(seed)
    fillers = backend(draw(model.random, rng, *batch, 3))
    roles = backend(draw(model.random_roles, rng, *batch, 3))
    new = backend(draw(model.random, rng, *batch))
    record = structures.encode_record(model, roles, fillers)
    for index in np.ndindex(*batch):
        close(record[index], structures.encode_record(model, roles[index], fillers[index]))
    read = structures.read_role(model, record, roles[..., 1, :])
    for index in np.ndindex(*batch):
        single = structures.read_role(model, record[index], roles[index][1])
        close(read[index], single)
    one = structures.encode_record(model, roles[..., :1, :], fillers[..., :1, :])
    if name in EXACT:  # unit roles: a single pair comes back whole
        close(structures.read_role(model, one, roles[..., 0, :]), fillers[..., 0, :])
    if name in SUMS:
        changed = structures.replace_filler(
            model, record, roles[..., 1, :], fillers[..., 1, :], new
        )
        expected = np.array(to_numpy(fillers))
        expected[..., 1, :] = to_numpy(new)
        close(changed, structures.encode_record(model, roles, backend(expected)))


def test_records(backend):
    check_records(backend)


@given(name=st.sampled_from(list(OPERATORS)), dim=dims, batch=batches, seed=seeds)
@settings(max_examples=60, deadline=None, derandomize=True)
def check_shifts(backend, name, dim, batch, seed):
    """Sequences and stacks are made of the same shifts; an item alone comes back exactly."""
    model, rng = make(name, dim), np.random.default_rng(seed)
    n = min(3, model.dim)
    n -= name == "BSC" and n % 2 == 0  # no ties
    items = backend(draw(model.random, rng, *batch, n))
    sequence = structures.encode_sequence(model, items)
    moved = [to_numpy(model.permute(items[..., i, :], i)) for i in range(n)]
    close(sequence, model.bundle(backend(np.stack(moved, axis=-2))))
    alone = structures.encode_sequence(model, items[..., :1, :])
    close(structures.read_position(model, alone, 0), model.bundle(items[..., :1, :]))
    if name == "BSC":
        return
    stack = backend(np.zeros(to_numpy(items[..., 0, :]).shape, to_numpy(sequence).dtype))
    heights = [stack]
    for i in range(n):
        heights.append(structures.push(model, heights[-1], items[..., i, :]))
    reverse = list(range(n))[::-1]
    close(heights[-1], structures.encode_sequence(model, items[..., reverse, :]))
    for i in reversed(range(n)):  # popping undoes pushing
        close(structures.pop(model, heights[i + 1], items[..., i, :]), heights[i])


def test_sequences_and_stacks(backend):
    check_shifts(backend)


@given(name=st.sampled_from(TREES), dim=dims, batch=batches, seed=seeds)
@settings(max_examples=40, deadline=None, derandomize=True)
def check_trees(backend, name, dim, batch, seed):
    model, rng = make(name, dim), np.random.default_rng(seed)
    roles = backend(structures.tree_roles(model, 3, rng))
    leaves = backend(draw(model.random, rng, *batch, 3))
    paths = ("LL", "LRR", "R")
    tree = structures.encode_tree(model, leaves, paths, roles)
    for index in np.ndindex(*batch):
        close(tree[index], structures.encode_tree(model, leaves[index], paths, roles))
    if name != "BSC":  # tree = bind(left subtree, left) + bind(right subtree, right)
        left = structures.encode_tree(model, leaves[..., :2, :], ("L", "RR"), roles[1:])
        parts = [model.bind(left, roles[0, 0]), model.bind(leaves[..., 2, :], roles[0, 1])]
        close(tree, model.bundle(backend(np.stack([to_numpy(p) for p in parts], axis=-2))))
    steps = roles[[0, 1, 2], [0, 1, 1]]  # L R R
    alone = structures.encode_leaf(model, leaves[..., 1, :], steps)
    if name in EXACT:
        close(structures.read_leaf(model, alone, steps), leaves[..., 1, :])


def test_trees(backend):
    check_trees(backend)


@given(name=st.sampled_from(WITH_ORDER), dim=dims, batch=batches, seed=seeds)
@settings(max_examples=60, deadline=None, derandomize=True)
def check_order(backend, name, dim, batch, seed):
    model, rng = make(name, dim), np.random.default_rng(seed)
    a, b = (backend(draw(model.random, rng, *batch, 1)) for _ in range(2))
    graph = structures.encode_edges(model, a, b)
    if name != "VTB":  # an edge alone comes back exactly, from both ends
        close(structures.read_successors(model, graph, a[..., 0, :]), model.bundle(b))
        close(structures.read_predecessors(model, graph, b[..., 0, :]), model.bundle(a))
    n = min(3, model.dim)
    text = backend(draw(model.random, rng, *batch, n + 2))
    windows = [structures.encode_ngram(model, text[..., t : t + n, :]) for t in range(3)]
    stacked = backend(np.stack([to_numpy(w) for w in windows], axis=-2))
    close(structures.encode_ngrams(model, text, n), model.bundle(stacked))
    if name != "VTB":
        last = structures.read_next(model, windows[0], text[..., : n - 1, :])
        close(last, text[..., n - 1, :])


def test_edges_and_ngrams(backend):
    check_order(backend)


@pytest.mark.parametrize("name", WITH_ORDER)
@pytest.mark.parametrize("dim", [400, 1009])
def test_order_is_told(name, dim, backend, rng):
    model = make(name, dim)
    a, b, c = backend(model.random(3, rng))
    limit = 6 / np.sqrt(model.dim)  # six standard deviations of unrelated vectors
    grams = [
        structures.encode_ngram(model, backend(np.stack([to_numpy(x) for x in order])))
        for order in ((a, b, c), (b, a, c), (a, c, b), (c, b, a))
    ]
    for other in grams[1:]:
        assert abs(float(model.similarity(grams[0], other))) < limit
    there = structures.encode_edges(model, a[None], b[None])
    back = structures.encode_edges(model, b[None], a[None])
    assert abs(float(model.similarity(there, back))) < limit
    # A letter that is repeated is no identity, also where a ⊙ a = 1.
    twice = [structures.encode_ngram(model, backend(np.stack([to_numpy(x)] * 2))) for x in (a, b)]
    assert abs(float(model.similarity(*twice))) < limit


def test_what_shifts_would_do_in_hrr(rng):
    """Why HRR is refused: P(a) ⊛ b = P(a ⊛ b) = a ⊛ P(b), so both orders give one vector."""
    model = HRR(63)
    a, b = model.random(2, rng, np.float64)
    close(model.bind(model.permute(a), b), model.bind(a, model.permute(b)), atol=1e-12)


@pytest.mark.parametrize("name", COMMUTATIVE)
def test_what_one_pair_of_roles_on_all_levels_would_do(name, rng):
    """Why levels have roles of their own: left·right = right·left, and left·left = 1."""
    model = make(name, 65)
    leaf, left, right = model.random(3, rng)
    two = structures.encode_leaf(model, leaf, np.stack([left, right]))
    close(two, structures.encode_leaf(model, leaf, np.stack([right, left])))
    if name in ("MAP", "BSC"):
        close(structures.encode_leaf(model, leaf, np.stack([left, left])), leaf)
    roles = structures.tree_roles(model, 2, rng)
    lr, rl = (structures.encode_leaf(model, leaf, roles[[0, 1], i]) for i in ([0, 1], [1, 0]))
    assert abs(float(model.similarity(lr, rl))) < 0.6  # unrelated: five standard deviations at 65


def test_subtrees_can_be_read(backend, rng):
    model = MAP(1024)
    roles = backend(structures.tree_roles(model, 2, rng))
    leaves = backend(model.random(3, rng))
    tree = structures.encode_tree(model, leaves, ("LL", "LR", "R"), roles)
    left = structures.read_leaf(model, tree, roles[:1, 0])
    small = structures.encode_tree(model, leaves[:2], ("L", "R"), roles[1:])
    # Two of three leaves are the subtree's: √(2/3), with a standard deviation below 1/√d = .03
    assert float(model.similarity(left, small)) == pytest.approx(np.sqrt(2 / 3), abs=0.09)


@pytest.mark.parametrize("model", [FHRR(31), HRR(31), HRR(32)])
def test_powers_of_a_position(model, backend, rng):
    base = backend(model.power_base(2, rng) if model.name == "HRR" else model.random(2, rng))
    powers = structures.position_powers(model, base, 4)
    assert powers.shape == (2, 4, model.dim)
    for i in range(3):
        close(powers[:, i + 1], model.bind(powers[:, i], base))
    items = backend(draw(model.random, rng, 2, 4))
    sequence = structures.encode_record(model, powers, items)
    later = structures.encode_record(
        model, structures.position_powers(model, base, 5)[:, 1:], items
    )
    close(model.bind(sequence, base), later)  # one binding moves every item by one place


def test_bsc_breaks_ties_with_the_generator(backend, rng):
    model = BSC(33)
    items = backend(model.random(4, rng))
    for call in (
        lambda rng=None: structures.encode_record(model, items[:2], items[2:], rng),
        lambda rng=None: structures.encode_sequence(model, items[:2], rng),
        lambda rng=None: structures.encode_edges(model, items[:2], items[2:], rng),
        lambda rng=None: structures.encode_ngrams(model, items[:3], 2, rng),
        lambda rng=None: structures.encode_set(model, items, rng),
    ):
        with pytest.raises(ValueError, match="ties"):
            call()
        first, second = call(np.random.default_rng(5)), call(np.random.default_rng(5))
        np.testing.assert_array_equal(to_numpy(first), to_numpy(second))


def test_gradients_flow_through_every_structure(torch, rng):
    for model in (HRR(15), FHRR(15), MAP(15), TPR(7, 5), MBAT(7), VTB(16)):
        items = torch.from_numpy(model.random(3, rng)).requires_grad_()
        roles = torch.from_numpy(model.random_roles(3, rng)).requires_grad_()
        record = structures.encode_record(model, roles, items)
        record = structures.replace_filler(model, record, roles[0], items[0], items[1])
        read = structures.read_role(model, record, roles[1])
        sequence = structures.encode_sequence(model, items)
        stack = structures.pop(model, structures.push(model, sequence, items[0]), items[1])
        loss = abs(read).square().sum() + abs(stack).square().sum()
        if model.name != "TPR":
            levels = torch.stack([roles[:2], roles[1:]])  # [2, 2, r]
            tree = structures.encode_tree(model, items, ("LL", "LR", "R"), levels)
            loss = loss + abs(structures.read_leaf(model, tree, levels[:, 0])).square().sum()
        if model.name in WITH_ORDER:
            graph = structures.encode_edges(model, items, roles)
            grams = structures.encode_ngrams(model, items, 2)
            loss = loss + abs(structures.read_successors(model, graph, roles[0])).square().sum()
            loss = loss + abs(structures.read_next(model, grams, items[:1])).square().sum()
        loss.backward()
        for x in (items, roles):
            assert bool(torch.isfinite(abs(x.grad)).all())
            assert float(abs(x.grad).max()) > 1e-6


def test_small_integers_grow(backend, rng):
    model = MAP(9)
    items = backend(model.random(300, rng, np.int8))
    ones = backend(np.ones((300, 9), np.int8))
    assert int(structures.encode_record(model, ones, ones)[0]) == 300
    stack = model.bundle(items[:1] * 0)
    for _ in range(200):
        stack = structures.push(model, stack, ones[0])
    assert to_numpy(stack).tolist() == [200] * 9
