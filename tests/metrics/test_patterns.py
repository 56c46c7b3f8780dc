"""Pattern scores: 1 on the hand-written head, chance on shuffled controls, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.oracle import LENGTH, PERIOD, START, TOKENS
from vsacourse import metrics
from vsacourse.backend import to_numpy

FIRST, SECOND = "blocks.0.attn.pattern", "blocks.1.attn.pattern"


def causal_uniform(n):
    return np.tri(n) / np.arange(1, n + 1)[:, None]


def random_pattern(rng, shape, causal=True):
    """Weights ``(..., n, n)`` of random sharpness."""
    scores = rng.standard_normal(shape) * rng.uniform(0, 5)
    weights = np.exp(scores) * (np.tri(shape[-1]) if causal else 1)
    return weights / weights.sum(-1, keepdims=True)


# On the oracle


def test_the_two_heads_get_one_and_each_only_its_own(trace, tokens, backend):
    for tokens_ in (tokens, backend(tokens)):
        assert np.allclose(
            to_numpy(metrics.prefix_matching(trace[SECOND], tokens_)), [1], atol=1e-6
        )
    assert np.allclose(to_numpy(metrics.previous_token(trace[FIRST])), [1], atol=1e-6)
    assert to_numpy(metrics.prefix_matching(trace[FIRST], tokens))[0] < 1e-9
    # Where it has nothing to match the second head looks everywhere alike: i = 1 to L
    nothing = sum(1 / (i + 1) for i in range(1, PERIOD + 1)) / (LENGTH - 1)
    assert np.allclose(to_numpy(metrics.previous_token(trace[SECOND])), [nothing], atol=1e-6)
    assert np.allclose(to_numpy(metrics.attention_to_start(trace[SECOND])), [nothing], atol=1e-6)


def test_the_near_misses_cap_a_perfect_head(trace, tokens):
    A = to_numpy(trace[SECOND])[:, 0]  # [batch, query, key]
    targets = metrics.induction_targets(tokens)
    every_query = (A * targets).sum(-1).mean()
    assert every_query == pytest.approx(PERIOD / LENGTH, abs=1e-6)
    stripe = A.diagonal(1 - PERIOD, 1, 2).mean()
    L = PERIOD
    assert stripe == pytest.approx((L + 1 / L + 1 / (L + 1)) / (L + 2), abs=1e-6)
    assert round(float(every_query), 2) == 0.49
    assert round(float(stripe), 2) == 0.93


def test_shuffled_tokens_give_chance(trace, tokens, rng):
    """With the second period shuffled the earlier place is any of L, so the mass found is 1/L."""
    A, found = trace[SECOND], []
    for _ in range(300):
        shuffled = tokens.copy()
        shuffled[:, PERIOD + 1 :] = rng.permuted(tokens[:, PERIOD + 1 :], axis=1)
        found.append(float(metrics.prefix_matching(A, shuffled)[0]))
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - 1 / PERIOD) < 4 * error < 0.02


def test_shuffled_keys_give_chance(trace, rng):
    """Each row's weights on a random order of the keys: any one key holds 1/n."""
    A, found = to_numpy(trace[FIRST]), []
    for _ in range(300):
        found.append(metrics.previous_token(rng.permuted(A, axis=-1))[0])
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - 1 / LENGTH) < 4 * error < 0.01


def test_a_head_that_looks_everywhere_alike():
    n = 7
    A = causal_uniform(n)
    uniform = (sum(1 / np.arange(1, n + 1)) - 1) / (n - 1)
    assert metrics.previous_token(A) == pytest.approx(uniform)
    assert metrics.attention_to_start(A) == pytest.approx(uniform)
    predicted = np.zeros((n, n))
    predicted[5, [0, 3]], predicted[6, 1] = 0.2, 9
    assert metrics.predicted_mass(A, predicted) == pytest.approx((2 / 6 + 1 / 7) / 2)


def test_a_flat_head_on_the_oracles_tokens(tokens):
    flat = np.broadcast_to(causal_uniform(LENGTH), (3, 2, LENGTH, LENGTH))
    chance = np.mean(1 / np.arange(PERIOD + 2, LENGTH + 1))
    np.testing.assert_allclose(metrics.prefix_matching(flat, tokens), [chance, chance])


# Definitions


def test_targets_are_the_places_after_earlier_ones(backend):
    got = to_numpy(metrics.induction_targets(backend(np.array([[4, 4, 9, 4], [1, 2, 3, 4]]))))
    want = np.zeros((2, 4, 4), bool)
    want[0, 1, 1] = True  # 4 again at once: the place after the earlier one is the query's own
    want[0, 3, [1, 2]] = True
    assert got.dtype == bool
    np.testing.assert_array_equal(got, want)


@given(n=st.integers(1, 11), vocab=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_prefix_matching_word_for_word(n, vocab, seed):
    rng = np.random.default_rng(seed)
    tokens, A = rng.integers(0, vocab, n), random_pattern(rng, (n, n))
    sums = []
    for i in range(n):
        earlier = [e for e in range(i) if tokens[e] == tokens[i]]
        if earlier:
            sums.append(sum(A[i, e + 1] for e in earlier))
    if sums:
        assert metrics.prefix_matching(A, tokens) == pytest.approx(np.mean(sums))
    else:
        with pytest.raises(ValueError, match="no token comes twice"):
            metrics.prefix_matching(A, tokens)


def test_rows_without_a_repeat_are_left_out(rng):
    A = random_pattern(rng, (2, 3, 5, 5))
    tokens = np.array([[0, 1, 2, 3, 4], [0, 1, 0, 1, 2]])
    np.testing.assert_allclose(
        metrics.prefix_matching(A, tokens), metrics.prefix_matching(A[1], tokens[1])
    )


def test_the_best_head_of_each_query(trace, tokens):
    """The first head shows the previous token, the second the match: together they miss nothing."""
    A = np.concatenate([to_numpy(trace[name]) for name in (FIRST, SECOND)], axis=1)
    predicted = metrics.induction_targets(tokens)
    predicted = predicted | (np.eye(LENGTH, k=-1, dtype=bool) & ~predicted.any(-1)[..., None])
    assert metrics.best_head_mass(A, predicted) == pytest.approx(1, abs=1e-6)
    # Each alone does its own half: queries 1 to L and L + 1 to 2L; the second is flat on the first
    alone = metrics.predicted_mass(A, predicted)
    assert alone[0] == pytest.approx(0.5, abs=1e-6)
    flat = sum(1 / (i + 1) for i in range(1, PERIOD + 1)) / (2 * PERIOD)
    assert alone[1] == pytest.approx(0.5 + flat, abs=1e-6)
    assert np.ndim(metrics.best_head_mass(A[0, 0], predicted[0])) == 0


# Laws, of every score


def scores_of(A, tokens, predicted):
    return {
        "prefix_matching": metrics.prefix_matching(A, tokens),
        "previous_token": metrics.previous_token(A),
        "attention_to_start": metrics.attention_to_start(A),
        "predicted_mass": metrics.predicted_mass(A, predicted),
        "best_head_mass": metrics.best_head_mass(A, predicted),
    }


@given(
    batch=st.sampled_from([(1,), (3,), (2, 3)]),
    heads=st.integers(1, 3),
    n=st.sampled_from([2, 3, 5, 8, 13]),
    causal=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40, deadline=None)
def test_a_batch_is_the_mean_of_its_singles_and_in_range(batch, heads, n, causal, seed):
    rng = np.random.default_rng(seed)
    A = random_pattern(rng, (*batch, heads, n, n), causal)
    tokens = rng.integers(0, max(n // 2, 1), (*batch, n))  # every row repeats a token
    predicted = rng.random((*batch, n, n)) < 0.3
    predicted[..., 0, 0] = True
    before = A.copy(), tokens.copy(), predicted.copy()
    got = scores_of(A, tokens, predicted)
    for x, old in zip((A, tokens, predicted), before, strict=True):
        np.testing.assert_array_equal(x, old)
    singles = [scores_of(A[i], tokens[i], predicted[i]) for i in np.ndindex(*batch)]
    for name, value in got.items():
        assert np.shape(value) == (() if name == "best_head_mass" else (heads,)), name
        assert np.all((value >= 0) & (value <= 1 + 1e-12)), name
        np.testing.assert_allclose(value, np.mean([s[name] for s in singles], axis=0), err_msg=name)
    one = scores_of(
        A[(0,) * len(batch)][0], tokens[(0,) * len(batch)], predicted[(0,) * len(batch)]
    )
    for name, value in one.items():
        assert np.shape(value) == (), name
        if name != "best_head_mass":
            np.testing.assert_allclose(value, singles[0][name][0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_backends_agree_and_keep_kind_and_dtype(backend, rng, dtype):
    A = random_pattern(rng, (2, 3, 7, 7)).astype(dtype)
    tokens, predicted = rng.integers(0, 4, (2, 7)), rng.random((2, 7, 7)) < 0.4
    got = scores_of(backend(A), backend(tokens), backend(predicted))
    for name, want in scores_of(A.astype("float64"), tokens, predicted).items():
        assert str(got[name].dtype).endswith(dtype), name
        np.testing.assert_allclose(to_numpy(got[name]), want, rtol=1e-5, err_msg=name)


def test_one_prediction_for_the_whole_batch(rng):
    A, predicted = random_pattern(rng, (4, 2, 5, 5)), np.eye(5)
    np.testing.assert_allclose(
        metrics.predicted_mass(A, predicted), A.diagonal(0, -2, -1).mean((0, -1))
    )


def test_gradients_flow(torch, rng):
    scores = torch.from_numpy(rng.standard_normal((2, 5, 5))).requires_grad_()
    metrics.prefix_matching(scores.softmax(-1), [1, 2, 1, 2, 1]).sum().backward()
    assert scores.grad.abs().sum() > 0


def test_the_tokens_of_the_oracle_are_what_they_say(tokens):
    assert (tokens[:, 0] == START).all()
    assert (tokens[:, 1 : PERIOD + 1] == tokens[:, PERIOD + 1 :]).all()
    assert all(len(set(row)) == PERIOD for row in tokens[:, 1:].tolist())
    assert tokens[:, 1:].max() < TOKENS
