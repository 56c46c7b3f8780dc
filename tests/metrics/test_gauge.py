"""What no gauge changes, what each one changes, and the floors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsacourse import metrics, theory
from vsacourse.backend import matrix_transpose, to_numpy

SIZES = {"d": st.integers(1, 9), "h": st.integers(1, 9), "n": st.integers(3, 11)}
SEEDS = st.integers(0, 2**32 - 1)


def well_conditioned(rng, h):
    """An invertible matrix, with singular values from ½ to 2, that is not orthogonal."""
    U, V = (np.linalg.qr(rng.standard_normal((h, h)))[0] for _ in range(2))
    return U * np.linspace(0.5, 2, h) @ V if h > 1 else U * 2


@given(**SIZES, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_a_change_of_gauge_changes_nothing_that_the_head_does(d, h, n, seed):
    rng = np.random.default_rng(seed)
    W_Q, W_K, x = (
        rng.standard_normal((d, h)),
        rng.standard_normal((d, h)),
        rng.standard_normal((n, d)),
    )
    x /= np.linalg.norm(x)
    A = well_conditioned(rng, h)
    V_Q, V_K = metrics.change_gauge(W_Q, W_K, A)
    C, D = x @ W_Q @ W_K.T @ x.T, x @ V_Q @ V_K.T @ x.T
    np.testing.assert_allclose(C, D, atol=1e-12)
    np.testing.assert_allclose(metrics.matching_margin(C), metrics.matching_margin(D), atol=1e-12)
    np.testing.assert_allclose(metrics.signal_to_noise(C), metrics.signal_to_noise(D), rtol=1e-9)
    keys, moved = x @ W_K, x @ V_K
    B_Q, B_K = metrics.balanced(W_Q, W_K)
    assert B_Q.shape == B_K.shape == (d, min(d, h))
    np.testing.assert_allclose(B_Q @ B_K.T, W_Q @ W_K.T, atol=1e-11)
    np.testing.assert_allclose(B_Q.T @ B_Q, B_K.T @ B_K, atol=1e-11)  # evenly shared, and diagonal
    same = B_K @ B_K.T, (C_K := metrics.balanced(V_Q, V_K)[1]) @ C_K.T
    np.testing.assert_allclose(*same, atol=1e-7)  # √S: the square root of the rounding
    as_queried = [metrics.keys_as_queried(k, q) for k, q in ((keys, x @ W_Q), (moved, x @ V_Q))]
    np.testing.assert_allclose(*as_queried, atol=1e-12)


def test_the_raw_coherence_is_not_a_property_of_the_head(backend, rng):
    d, h, n = 48, 8, 30
    W_Q, W_K, x = (
        rng.standard_normal((d, h)),
        rng.standard_normal((d, h)),
        rng.standard_normal((n, d)),
    )
    stretch = np.diag(np.geomspace(0.2, 5, h))
    W_Q, W_K, stretch, x = (backend(y) for y in (W_Q, W_K, stretch, x))
    V_Q, V_K = metrics.change_gauge(W_Q, W_K, stretch)
    raw, moved = (float(metrics.key_coherence(x @ W)) for W in (W_K, V_K))
    assert moved > raw + 0.1
    deviations = [float(metrics.gram_deviation(W)) for W in (W_K, V_K)]
    assert deviations[1] > 2 * deviations[0]
    fixed = [
        float(metrics.key_coherence(x @ metrics.balanced(*W)[1])) for W in ((W_Q, W_K), (V_Q, V_K))
    ]
    assert fixed[0] == pytest.approx(fixed[1], abs=1e-10)
    seen = [
        float(metrics.key_coherence(metrics.keys_as_queried(x @ k, x @ q)))
        for q, k in ((W_Q, W_K), (V_Q, V_K))
    ]
    assert seen[0] == pytest.approx(seen[1], abs=1e-10)


def test_the_query_metric(rng):
    keys, queries = rng.standard_normal((5, 4)), rng.standard_normal((2000, 4))
    seen = metrics.keys_as_queried(keys, queries)
    np.testing.assert_allclose(seen @ seen.T, keys @ (queries.T @ queries / 2000) @ keys.T)


def test_the_balanced_gram_is_a_square_root(rng):
    W_Q, W_K = rng.standard_normal((2, 3, 7, 4))
    QK = W_Q @ matrix_transpose(W_K)
    B_K = metrics.balanced(W_Q, W_K)[1]
    gram = B_K @ matrix_transpose(B_K)
    np.testing.assert_allclose(gram @ gram, matrix_transpose(QK) @ QK, atol=1e-10)


# Floors


@pytest.mark.parametrize("d", [17, 64])
def test_random_keys_have_the_coherence_of_random_vectors(rng, d):
    got = metrics.key_coherence(rng.standard_normal((20, 60, d))).mean()
    assert got == pytest.approx(theory.mean_abs_cosine(d), rel=0.03)
    assert got == pytest.approx(math.sqrt(2 / (math.pi * d)), rel=0.08)


@pytest.mark.parametrize("n", [2, 3, 8, 13])
def test_orthonormal_keys_and_the_same_centred(backend, n):
    keys = backend(np.eye(n) * 3)
    assert float(metrics.key_coherence(keys)) == 0
    centred = keys - keys.mean(-2)
    assert float(metrics.key_coherence(centred)) == pytest.approx(1 / (n - 1))


def test_gram_deviation(rng):
    Q = np.linalg.qr(rng.standard_normal((9, 4)))[0]
    assert metrics.gram_deviation(5 * Q) == pytest.approx(0, abs=1e-12)
    assert metrics.gram_deviation(np.ones((3, 4))) == pytest.approx(math.sqrt(12))
    got = metrics.gram_deviation(rng.standard_normal((40, 128, 16)))
    assert got.mean() == pytest.approx(math.sqrt(16 * 17 / 128), rel=0.05)


def test_orthogonal_weights_are_not_orthogonal_keys(rng):
    W = np.linalg.qr(rng.standard_normal((16, 16)))[0]
    x = rng.standard_normal((40, 16))
    assert metrics.gram_deviation(W) < 1e-12
    assert metrics.key_coherence(x @ W) == pytest.approx(metrics.key_coherence(x))


# Margin, signal, noise


def test_the_oracle_has_its_margin_and_no_noise(backend):
    C = backend(30 * np.eye(7))
    np.testing.assert_allclose(to_numpy(metrics.matching_margin(C)), 30)
    assert float(metrics.signal_to_noise(C)) == math.inf
    assert float(metrics.signal_to_noise(-C + 0.1)) == -math.inf


def test_shuffled_scores_are_all_noise(rng):
    n = 40
    C = 3 * np.eye(n) + rng.standard_normal((n, n))
    assert metrics.signal_to_noise(C) == pytest.approx(3, abs=0.6)
    found = np.array([metrics.signal_to_noise(C[:, rng.permutation(n)]) for _ in range(200)])
    assert abs(found.mean()) < 4 * found.std() / math.sqrt(200)
    noise = metrics.signal_to_noise(rng.standard_normal((500, n, n)))
    assert noise.std() == pytest.approx(1 / math.sqrt(n), rel=0.15)


@given(n=st.integers(3, 9), seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_margin_and_signal_word_for_word(n, seed):
    rng = np.random.default_rng(seed)
    C = rng.standard_normal((2, n, n))
    old = C.copy()
    margin, ratio = metrics.matching_margin(C), metrics.signal_to_noise(C)
    rows = C + 5 * rng.standard_normal((2, n, 1))  # a softmax does not see a constant of a row
    np.testing.assert_allclose(metrics.matching_margin(rows), margin, atol=1e-12)
    np.testing.assert_allclose(metrics.signal_to_noise(7 * rows), ratio, rtol=1e-9, atol=1e-12)
    for one, m, r in zip(C, margin, ratio, strict=True):
        others = [np.delete(one[i], i) for i in range(n)]
        np.testing.assert_allclose(m, [one[i, i] - max(o) for i, o in enumerate(others)])
        signal = np.mean([one[i, i] - o.mean() for i, o in enumerate(others)])
        assert r == pytest.approx(signal / math.sqrt(np.mean([o.var() for o in others])))
    np.testing.assert_array_equal(C, old)


def test_the_margin_bounds_the_weight(rng):
    C = rng.standard_normal((6, 6)) * 3
    weights = np.exp(C) / np.exp(C).sum(-1, keepdims=True)
    bound = 1 / (1 + 5 * np.exp(-metrics.matching_margin(C)))
    assert (np.diag(weights) >= bound - 1e-12).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_backends_agree(backend, rng, dtype):
    W_Q, W_K, A = (
        rng.standard_normal((2, 6, 3)),
        rng.standard_normal((2, 6, 3)),
        rng.standard_normal((3, 3)),
    )
    C = rng.standard_normal((2, 5, 5))
    for f, inputs in (
        (lambda q, k, a: metrics.change_gauge(q, k, a)[0], (W_Q, W_K, A)),
        (
            lambda q, k: metrics.balanced(q, k)[1] @ matrix_transpose(metrics.balanced(q, k)[1]),
            (W_Q, W_K),
        ),
        (metrics.key_coherence, (W_Q,)),
        (metrics.keys_as_queried, (W_Q, W_K)),
        (metrics.matching_margin, (C,)),
        (metrics.signal_to_noise, (C,)),
        (metrics.gram_deviation, (W_Q,)),
        (metrics.copying_score, (C,)),
        (metrics.composition, (C, C)),
        (metrics.match_accuracy, (C,)),
    ):
        got = f(*(backend(x.astype(dtype)) for x in inputs))
        assert str(got.dtype).endswith(dtype)
        np.testing.assert_allclose(to_numpy(got), f(*inputs), rtol=1e-3, atol=1e-4)
