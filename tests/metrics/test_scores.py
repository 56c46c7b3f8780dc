"""Loss, accuracy, in-context score: on the hand-written head, and where nothing is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.oracle import PERIOD, VOCAB
from vsacourse import metrics
from vsacourse.backend import to_numpy


def test_the_oracle_is_right_where_it_can_be(trace, answers):
    targets, known = answers
    assert float(metrics.accuracy(trace.logits, targets, known)) == 1
    # Its logits are 2 for the copy, 1 for the present token, 0 for the others
    loss = math.log(math.e**2 + math.e + VOCAB - 2) - 2
    losses = to_numpy(metrics.token_loss(trace.logits, targets))
    np.testing.assert_allclose(losses[to_numpy(known)], loss, rtol=1e-5)
    # In the first period the model predicts the present token: never right
    assert float(metrics.accuracy(trace.logits[:, :PERIOD], targets[:, :PERIOD])) == 0


def test_the_oracle_learns_from_its_context(trace, answers):
    targets, _ = answers
    losses = metrics.token_loss(trace.logits, targets)
    score = float(metrics.in_context_score(losses, PERIOD - 1, 2 * PERIOD - 1))
    assert score < -1
    # Shuffled targets are as hard late as early
    shuffled = to_numpy(losses)[..., np.random.default_rng(0).permutation(losses.shape[-1] - 1)]
    assert abs(metrics.in_context_score(shuffled, 5, 40)) < 4


def test_shuffled_targets_give_chance(trace, answers, rng):
    targets, known = (to_numpy(x) for x in answers)
    found = []
    for _ in range(200):
        other = rng.integers(0, VOCAB, targets.shape)
        found.append(float(metrics.accuracy(trace.logits, other, known)))
    assert np.mean(found) == pytest.approx(1 / VOCAB, abs=4 * np.std(found) / np.sqrt(200))


def test_a_model_that_says_nothing(backend):
    logits, targets = backend(np.zeros((2, 3, 5))), np.array([[0, 1, 2], [3, 4, 0]])
    assert float(metrics.accuracy(logits, targets)) == pytest.approx(1 / 5)
    np.testing.assert_allclose(to_numpy(metrics.token_loss(logits, targets)), math.log(5))


def test_a_tie_counts_its_share(backend):
    logits = backend(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]))
    assert float(metrics.accuracy(logits, [0, 0, 2])) == pytest.approx((1 / 2 + 0 + 1) / 3)


@given(
    batch=st.sampled_from([(), (1,), (3,), (2, 3)]),
    n=st.sampled_from([1, 2, 5, 7]),
    vocab=st.integers(1, 6),
    scale=st.sampled_from([1.0, 1e4]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40, deadline=None)
def test_laws_of_loss_and_accuracy(batch, n, vocab, scale, seed):
    rng = np.random.default_rng(seed)
    logits = scale * rng.standard_normal((*batch, n, vocab))
    targets, counted = rng.integers(0, vocab, (*batch, n)), rng.random((*batch, n)) < 0.5
    counted[..., 0] = True
    old = logits.copy()
    losses = metrics.token_loss(logits, targets)
    every = np.stack([metrics.token_loss(logits, np.full_like(targets, v)) for v in range(vocab)])
    np.testing.assert_allclose(np.exp(-every).sum(0), 1)  # it is a distribution
    assert (losses >= -1e-9 * scale).all()
    np.testing.assert_allclose(  # and one constant for all logits changes nothing
        losses, metrics.token_loss(logits + 3 * scale, targets), atol=1e-9 * scale
    )
    hits = (logits.argmax(-1) == targets).astype(float)
    assert metrics.accuracy(logits, targets) == pytest.approx(hits.mean())
    rows = hits.reshape(-1, n), counted.reshape(-1, n)
    singles = [h[c].mean() for h, c in zip(*rows, strict=True)]
    assert metrics.accuracy(logits, targets, counted) == pytest.approx(np.mean(singles))
    np.testing.assert_array_equal(logits, old)


def test_rows_in_which_nothing_counts_are_left_out():
    logits, targets = np.eye(3)[[[0, 1], [2, 2]]], np.array([[0, 0], [1, 1]])
    counted = np.array([[True, True], [False, False]])
    assert metrics.accuracy(logits, targets, counted) == 0.5


def test_the_in_context_score_is_a_difference_of_means(backend):
    losses = backend(np.array([[3.0, 2.0, 1.0], [5.0, 2.0, 0.0]]))
    assert float(metrics.in_context_score(losses, 0, 2)) == 0.5 - 4
    assert float(metrics.in_context_score(losses[0], 1, 2)) == -1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kind_and_dtype_stay(backend, rng, dtype):
    logits, targets = rng.standard_normal((2, 4, 5)).astype(dtype), rng.integers(0, 5, (2, 4))
    for value in (
        metrics.token_loss(backend(logits), targets),
        metrics.accuracy(backend(logits), backend(targets), backend(targets > 0)),
    ):
        assert type(value).__module__.split(".")[0] == type(backend(logits)).__module__
        assert str(value.dtype).endswith(dtype)


def test_the_loss_is_torchs(torch, rng):
    logits, targets = torch.from_numpy(rng.standard_normal((3, 5, 7))), torch.randint(0, 7, (3, 5))
    want = torch.nn.functional.cross_entropy(logits.mT, targets, reduction="none")
    torch.testing.assert_close(metrics.token_loss(logits, targets), want)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint16", "int32", "uint32", "uint64"])
def test_targets_of_every_width(torch, rng, dtype):
    """torch takes uint8 for a mask: the loss would be another one."""
    logits = rng.standard_normal((2, 5, 4))
    targets = rng.integers(4, size=(2, 5))
    small = torch.from_numpy(targets).to(getattr(torch, dtype))
    for f in (metrics.token_loss, metrics.accuracy):
        found = f(torch.from_numpy(logits), small).numpy()
        np.testing.assert_allclose(found, f(logits, targets))
        np.testing.assert_allclose(f(logits, targets.astype(dtype)), f(logits, targets))
    found = metrics.induction_targets(small)
    np.testing.assert_array_equal(found.numpy(), metrics.induction_targets(targets))
