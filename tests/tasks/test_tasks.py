"""What batches hold, where the answer stands, what is held out."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsacourse.tasks import Bigram, Chains, Induction, Pairings, Sorting, Task, VariableBinding

seeds = st.integers(0, 2**32 - 1)
TASKS: list[Task] = [
    Induction(),
    Induction(17, 13, (3, 7), start=True),
    Induction(5, 11, (2, 7), distinct=False),
    VariableBinding(),
    VariableBinding(3, 7, 5, 2, separators=True),
    VariableBinding(4, 9, 11, 2).held_out(0.4)[1],
    Chains(),
    Chains((1, 4), 5, 7, 2, separators=True),
    Sorting(),
    Sorting(7, 7, repeats=False),
    Bigram(7, 5),
]


@pytest.mark.parametrize("task", TASKS, ids=str)
@given(n=st.integers(1, 9), seed=seeds)
@settings(max_examples=15, deadline=None)
def test_every_batch(task, n, seed):
    batch = task.sample(n, np.random.default_rng(seed))
    again = task.sample(n, np.random.default_rng(seed))
    for field in dataclasses.fields(batch):
        np.testing.assert_array_equal(getattr(batch, field.name), getattr(again, field.name))
    pos = batch.tokens.shape[1]
    assert len(batch) == n
    assert batch.tokens.shape == batch.targets.shape == batch.counted.shape == (n, pos)
    assert pos <= task.n_ctx
    assert (batch.tokens.dtype, batch.targets.dtype) == (np.int64, np.int64)
    assert batch.counted.dtype == bool
    assert batch.counted.any(axis=1).all() or isinstance(task, Induction)
    np.testing.assert_array_equal(batch.tokens[:, 1:], batch.targets[:, :-1])
    for x in (batch.tokens, batch.targets):
        assert x.min() >= 0
        assert x.max() < task.d_vocab == len(task.token_names) == len(set(task.token_names))

    pattern = task.predicted_pattern(batch.tokens)
    assert pattern.shape == (n, pos, pos)
    assert (np.triu(pattern, 1) == 0).all()
    np.testing.assert_allclose(pattern.sum(-1), pattern.any(-1))
    if isinstance(task, Bigram):
        assert not pattern.any()
        return
    rows = batch.counted & pattern.any(-1)
    if not isinstance(task, Induction) or task.distinct:
        np.testing.assert_array_equal(rows, batch.counted)
        # what stands where the pattern looks is what is to be predicted
        looked = np.where(pattern > 0, batch.tokens[:, None, :], -1).max(-1)
        np.testing.assert_array_equal(looked[rows], batch.targets[rows])
        least = np.where(pattern > 0, batch.tokens[:, None, :], task.d_vocab).min(-1)
        np.testing.assert_array_equal(least[rows], batch.targets[rows])
    np.testing.assert_array_equal(task.predicted_pattern(batch.tokens[0]), pattern[0])
    stacked = task.predicted_pattern(batch.tokens[None, :, None])
    np.testing.assert_array_equal(stacked, pattern[None, :, None])


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_a_task_is_a_value(task):
    assert task.replace() == task
    assert hash(task.replace()) == hash(task)
    assert task.to_dict()["task"] == type(task).__name__


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_numbers_of_numpy_become_plain(task):
    """A task is written into checkpoints as JSON, which does not know NumPy's numbers."""

    def as_numpy(value):
        if isinstance(value, tuple):
            return tuple(map(as_numpy, value))
        if isinstance(value, Pairings):
            return Pairings(*map(as_numpy, (value.fraction, value.seed, value.unseen)))
        kinds = {int: np.int64, float: np.float32, bool: np.bool_}
        return kinds.get(type(value), lambda x: x)(value)

    fields = {f.name: as_numpy(getattr(task, f.name)) for f in dataclasses.fields(task)}
    made = type(task)(**fields)
    assert json.dumps(made.to_dict())
    for field in dataclasses.fields(task):
        assert type(getattr(made, field.name)) is type(getattr(task, field.name)), field.name
    if getattr(task, "pairings", None) is None:
        assert made == task


@given(
    period=st.integers(1, 9), extra=st.integers(1, 9), start=st.booleans(), distinct=st.booleans(),
    seed=seeds,
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_repeated_sequences(period, extra, start, distinct, seed):
    task = Induction(11 + start, period + extra + start, (period, period), start, distinct)
    batch = task.sample(4, np.random.default_rng(seed))
    assert (batch.tokens == 11).sum() == 4 * start
    tokens, counted = batch.tokens[:, int(start) :], batch.counted[:, int(start) :]
    np.testing.assert_array_equal(tokens[:, period:], tokens[:, :-period])
    assert not counted[:, :period].any()
    assert counted[:, period:].all()
    assert not batch.counted[:, : int(start)].any()
    if distinct:
        assert (np.diff(np.sort(tokens[:, :period])) > 0).all()


def test_periods_differ_from_row_to_row():
    task = Induction(n_ctx=33)
    assert task.periods == (8, 16)
    counts = task.sample(2000, np.random.default_rng(0)).counted.sum(1)
    assert set(33 - counts) == set(range(8, 17))
    assert np.bincount(33 - counts)[8:].min() > 2000 / 9 * 0.7
    assert task.with_periods(5).periods == (5, 5)
    assert task.with_periods(3, 4).d_vocab == task.d_vocab


def test_the_pattern_of_induction_by_hand():
    A = Induction(9, 6, (2, 2)).predicted_pattern(np.array([4, 7, 4, 7, 4, 7]))
    expected = np.zeros((6, 6))
    expected[2, 1] = expected[3, 2] = 1
    expected[4, [1, 3]] = expected[5, [2, 4]] = 0.5
    np.testing.assert_array_equal(A, expected)


def test_a_token_that_is_repeated_within_the_period_has_a_row():
    task = Induction(4, 6, (3, 3), distinct=False)
    expected = np.zeros((6, 6))
    expected[1, 1] = 1  # not counted: the period is 3
    expected[3, [1, 2]] = 0.5
    expected[4, [1, 2, 4]] = 1 / 3
    expected[5, 3] = 1
    A = task.predicted_pattern(np.array([2, 2, 0, 2, 2, 0]))
    np.testing.assert_allclose(A, expected)


@pytest.mark.parametrize("separators", [False, True])
def test_a_list_as_it_reads(separators):
    task = VariableBinding(3, 5, 7, 2, separators)
    batch = task.sample(1, np.random.default_rng(0))
    words = [task.token_names[i] for i in (*batch.tokens[0], batch.targets[0, -1])]
    parts = " ".join(words).split(" | ")
    pairs = parts[0].replace(" = ", " ").replace(" ;", "").split()
    binds = dict(zip(pairs[::2], pairs[1::2], strict=True))
    asked = parts[1].split()
    assert len(binds) == len(set(binds.values())) == 3
    assert len(asked) == 4
    assert all(binds[k] == v for k, v in zip(asked[::2], asked[1::2], strict=True))
    assert batch.counted[0].sum() == 2
    assert [words[i] for i in np.flatnonzero(batch.counted[0])] == asked[::2]
    assert words.count("=") == words.count(";") == 3 * separators


@given(seed=seeds, separators=st.booleans())
@settings(max_examples=30, deadline=None)
def test_chains_as_they_read(seed, separators):
    task = Chains(separators=separators)
    batch = task.sample(2, np.random.default_rng(seed))
    linked, link = task.linked(batch.tokens), task.link_pattern(batch.tokens)
    for row in range(2):
        words = [task.token_names[i] for i in (*batch.tokens[row], batch.targets[row, -1])]
        given_part, asked = " ".join(words).split(" | ")
        flat = given_part.replace(" = ", " ").replace(" ;", "").split()
        binds: dict[str, str] = {}
        for key, value in zip(flat[::2], flat[1::2], strict=True):
            assert key not in binds
            assert value[0] == "v" or binds[value][0] == "v"  # a link follows what it links to
            binds[key] = value
        queries = asked.split()
        assert len(set(queries[::2])) == min(3, len(binds))
        for key, value in zip(queries[::2], queries[1::2], strict=True):
            at = len(words) - len(queries) + queries.index(key)
            assert linked[row, at] == (binds[key][0] == "k")
            assert words[link[row, at].argmax()] == binds[key]
            assert binds.get(binds[key], binds[key]) == value
        assert 2 <= len(binds) <= 5
    assert linked.sum() <= batch.counted.sum()


def test_half_of_what_can_link_does():
    task = Chains((4, 4), queries=4)
    batch = task.sample(4000, np.random.default_rng(0))
    assert task.linked(batch.tokens).sum() / 4000 == pytest.approx(1.5, abs=0.05)


@pytest.mark.parametrize("repeats", [True, False])
def test_sorted_lists(repeats):
    task = Sorting(6, 8, repeats)
    batch = task.sample(50, np.random.default_rng(0))
    assert (batch.tokens[:, 6] == 8).all()
    np.testing.assert_array_equal(batch.targets[:, 6:], np.sort(batch.tokens[:, :6]))
    twice = (np.diff(batch.targets[:, 6:]) == 0).any()
    assert twice == repeats
    assert task.with_length(3).d_vocab == task.d_vocab


def test_bigram_text_follows_its_table():
    task = Bigram(5, 40, seed=3)
    batch = task.sample(4000, np.random.default_rng(0))
    counts = np.zeros((5, 5))
    np.add.at(counts, (batch.tokens, batch.targets), 1)
    np.testing.assert_allclose(counts / counts.sum(1, keepdims=True), task.table, atol=0.02)
    for i in (0, 1, 39):  # stationary from the first token on
        share = np.bincount(batch.tokens[:, i], minlength=5) / 4000
        np.testing.assert_allclose(share, task.stationary, atol=0.03)
    np.testing.assert_allclose(task.stationary @ task.table, task.stationary, atol=1e-12)
    loss = -np.log(task.table[batch.tokens, batch.targets]).mean()
    assert task.entropy() == pytest.approx(loss, abs=0.01)
    hit = (task.table.argmax(1)[batch.tokens] == batch.targets).mean()
    assert task.baseline() == pytest.approx(hit, abs=0.005)
    assert Bigram(1, 3).entropy() == 0
    assert Bigram(9, 9, concentration=1000).entropy() == pytest.approx(np.log(9), abs=0.01)


# Held out


def pairs_of(task, batch):
    """Return every (key, value) that a batch shows, asked or not."""
    layout = task._layout()
    return set(
        zip(
            batch.tokens[:, layout.left].ravel().tolist(),
            (batch.tokens[:, layout.right] - task.keys).ravel().tolist(),
            strict=True,
        )
    )


@given(
    keys=st.integers(4, 9), values=st.integers(4, 9), fraction=st.floats(0.3, 0.7), seed=seeds,
    separators=st.booleans(),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_no_held_out_pair_is_in_the_training_data(keys, values, fraction, seed, separators):
    whole = VariableBinding(2, keys, values, 1, separators)
    train, test = whole.held_out(fraction, seed % 1000)
    rng = np.random.default_rng(seed)
    seen, unseen = (pairs_of(task, task.sample(400, rng)) for task in (train, test))
    assert not seen & unseen
    assert len(seen | unseen) == keys * values  # and nothing is lost
    assert train.d_vocab == test.d_vocab == whole.d_vocab
    allowed = train.pairings.allowed(keys, values)
    np.testing.assert_array_equal(allowed, ~test.pairings.allowed(keys, values))
    assert ((~allowed).sum(1) == round(fraction * values)).all()


def test_held_out_lists_are_lists():
    train, test = VariableBinding().held_out()
    for task in (train, test):
        batch = task.sample(500, np.random.default_rng(1))
        layout = task._layout()
        for places in (layout.left, layout.right):
            assert (np.diff(np.sort(batch.tokens[:, places])) > 0).all()
    assert train.held_out() == (train, test)
    assert VariableBinding().held_out(seed=1)[0].pairings.allowed(26, 26).sum() == 26 * 21


def test_pairs_are_drawn_evenly():
    task = VariableBinding(2, 4, 4, 1, pairings=Pairings(0.25))
    batch = task.sample(12_000, np.random.default_rng(2))
    layout = task._layout()
    counts = np.zeros((4, 4))
    np.add.at(counts, (batch.tokens[:, layout.left], batch.tokens[:, layout.right] - 4), 1)
    np.testing.assert_allclose(counts[counts > 0], 2000, rtol=0.1)


def test_other_lengths_keep_the_vocabulary():
    for task in (VariableBinding(), VariableBinding(separators=True)):
        short = task.with_pairs(2)
        assert (short.queries, short.d_vocab) == (2, task.d_vocab)
        assert short.n_ctx < task.n_ctx
    assert Chains().with_assignments(7).assignments == (7, 7)
    assert Chains().with_assignments(7).d_vocab == Chains().d_vocab
