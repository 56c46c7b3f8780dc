"""Matrix memories, softmax attention and Hopfield networks: laws, curves, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsacourse import TPR, memory, theory
from vsacourse.backend import to_numpy


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def cosines(a, b):
    return (unit(a) * unit(b)).sum(-1)


# One matrix


@given(
    n=st.integers(1, 6), d=st.integers(1, 7), m=st.integers(1, 5), seed=st.integers(0, 2**32 - 1)
)
@settings(max_examples=40, deadline=None)
def test_the_memory_is_the_tensor_product_of_lesson_03(n, d, m, seed):
    rng = np.random.default_rng(seed)
    keys, values = rng.standard_normal((2, n, d)), rng.standard_normal((2, n, m))
    M = memory.store(keys, values)
    model = TPR(m, d)
    bundle = model.bundle(model.bind(values, keys))
    np.testing.assert_allclose(M, model.matrix(bundle), atol=1e-12)
    np.testing.assert_allclose(
        memory.read(M, keys), model.unbind(bundle[:, None, :], keys), atol=1e-12
    )


def test_linear_attention_is_that_memory_read(backend, rng):
    q, k = rng.standard_normal((2, 3, 5, 4))
    v = rng.standard_normal((3, 5, 6))
    q, k, v = backend(q), backend(k), backend(v)
    o = to_numpy(memory.linear_attention(q, k, v))
    np.testing.assert_allclose(o, to_numpy(memory.read(memory.store(k, v), q)), atol=1e-12)
    causal = to_numpy(memory.linear_attention(q, k, v, causal=True))
    for t in range(5):  # the memory as it is after the pairs up to t
        M = memory.store(k[:, : t + 1], v[:, : t + 1])
        np.testing.assert_allclose(
            causal[:, t], to_numpy(memory.read(M, q[:, t : t + 1]))[:, 0], atol=1e-12
        )
    np.testing.assert_allclose(causal[:, -1], o[:, -1], atol=1e-12)


def test_overwriting_one_key(backend):
    k = np.array([[1.0, 0.0], [0.6, 0.8]])
    v = np.array([[1.0, 0.0], [0.0, 1.0]])
    new = np.array([[-1.0, 0.0]])
    M = memory.store(backend(k), backend(v))
    summed = memory.store(backend(k[:1]), backend(new)) + M
    np.testing.assert_allclose(to_numpy(memory.read(summed, backend(k))), [[0, 0.6], [0, 1]])
    delta = memory.overwrite(M, backend(k[:1]), backend(new))
    read = to_numpy(memory.read(delta, backend(k)))
    np.testing.assert_allclose(read, [[-1, 0], [-0.6, 0.64]], atol=1e-12)
    np.testing.assert_allclose(to_numpy(M), [[1, 0], [0.6, 0.8]])  # not changed in place


@given(
    d=st.integers(1, 9), n=st.integers(1, 6), beta=st.sampled_from([0.25, 0.5, 1.0, 1.5]),
    seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_the_delta_rule_corrects_what_the_key_reads(d, n, beta, seed):
    rng = np.random.default_rng(seed)
    keys, values = unit(rng.standard_normal((n, d))), rng.standard_normal((n, 3))
    before = memory.overwrite(None, keys, values, beta)
    k, v = unit(rng.standard_normal((1, d))), rng.standard_normal((1, 3))
    after = memory.overwrite(before, k, v, beta)
    old, new = memory.read(before, k), memory.read(after, k)
    np.testing.assert_allclose(new, old + beta * (v - old), atol=1e-10)
    disturbed = memory.read(after, keys) - memory.read(before, keys)
    np.testing.assert_allclose(disturbed, beta * (keys @ k.T) * (v - old), atol=1e-10)
    in_two = memory.overwrite(memory.overwrite(None, keys[:2], values[:2], beta), keys[2:],
                              values[2:], beta)  # fmt: skip
    np.testing.assert_allclose(in_two, before, atol=1e-12)


def test_the_delta_rule_ends_at_the_least_squares_memory():
    """Many passes over independent keys: M Kᵀ = Vᵀ, as the dual roles read."""
    rng = np.random.default_rng(0)
    keys, values = unit(rng.standard_normal((6, 16))), rng.standard_normal((6, 4))
    M = None
    for _ in range(300):
        M = memory.overwrite(M, keys, values)
    np.testing.assert_allclose(memory.read(M, keys), values, atol=1e-6)
    np.testing.assert_allclose(M, values.T @ np.linalg.pinv(keys).T, atol=1e-6)


def one_pass(rule, n, d, draws, rng):
    """Cosine of each pair's reading with its value, by place; mean over draws."""
    keys, values = unit(rng.standard_normal((draws, n, d))), rng.standard_normal((draws, n, d))
    return cosines(memory.read(rule(keys, values), keys), values).mean(0)


@pytest.mark.parametrize(
    ("d", "n", "published"), [(64, 16, 0.902), (64, 64, 0.710), (64, 256, 0.452)]
)
def test_cosine_of_the_sum_rule(d, n, published):
    measured = one_pass(memory.store, n, d, 40, np.random.default_rng(1)).mean()
    assert theory.memory_cosine(n, d) == pytest.approx(published, abs=0.01)
    assert measured == pytest.approx(published, abs=0.01)


@pytest.mark.parametrize(
    ("n", "rate", "published"),
    [(16, 1, 0.841), (32, 1, 0.673), (64, 1, 0.445), (16, 0.25, 0.854), (32, 0.25, 0.744),
     (64, 0.25, 0.603)],
)  # fmt: skip
def test_cosine_of_the_delta_rule(n, rate, published):
    d = 32

    def rule(keys, values):
        return memory.overwrite(None, keys, values, rate)

    measured = one_pass(rule, n, d, 300, np.random.default_rng(2))
    assert measured.mean() == pytest.approx(published, abs=0.012)
    predicted = theory.delta_cosine(n, d, rate, np.arange(n)[::-1])
    # The formula takes means for what fluctuates: it is up to .05 off for single places.
    np.testing.assert_allclose(measured, predicted, atol=0.05)
    assert predicted.mean() == pytest.approx(measured.mean(), abs=0.015)


def test_where_each_rule_wins():
    """In one pass β = 1 beats the sum up to N ≈ .65 d, and β = ¼ beats it at all three."""

    def delta(n, rate):
        return theory.delta_cosine(n, 32, rate, np.arange(n)).mean()

    assert delta(16, 1) > theory.memory_cosine(16, 32)
    assert delta(32, 1) < theory.memory_cosine(32, 32)
    assert all(delta(n, 0.25) > theory.memory_cosine(n, 32) for n in (16, 32, 64))
    assert theory.delta_cosine(64, 32, 1, 0) == pytest.approx(1)
    assert theory.delta_cosine(64, 32, 1, 63) == pytest.approx(0.15, abs=0.03)


def test_half_loads():
    for d in (32, 64, 100):
        assert theory.memory_cosine(d + 1, d) == pytest.approx(2**-0.5)
        assert theory.pairs_for_cosine(0.5, d) == pytest.approx(3 * d + 1)
        assert theory.memory_cosine(theory.pairs_for_cosine(0.3, d), d) == pytest.approx(0.3)
        root = d**0.5
        assert theory.softmax_half_load(d, root) == pytest.approx(1 + np.exp(root - 0.5))
        half = theory.softmax_weight(theory.softmax_half_load(d, root), d, root)
        assert half == pytest.approx(0.5)


# Softmax


@pytest.mark.parametrize(
    ("d", "n", "published"), [(64, 64, 0.967), (64, 512, 0.779), (128, 512, 0.990)]
)
def test_weight_on_the_correct_key(d, n, published):
    rng = np.random.default_rng(3)
    beta = d**0.5
    weights = []
    for _ in range(10):
        keys = unit(rng.standard_normal((n, d)))
        weights.append(np.diag(memory.attention_weights(keys, keys, beta)).mean())
    assert np.mean(weights) == pytest.approx(published, abs=0.01)
    assert theory.softmax_weight(n, d, beta) == pytest.approx(published, abs=0.012)


def test_the_formula_is_refused_where_it_is_wrong():
    rng = np.random.default_rng(4)
    keys = unit(rng.standard_normal((512, 64)))
    assert np.diag(memory.attention_weights(keys, keys, 128.0)).mean() > 0.999
    with pytest.raises(ValueError, match="beta is 128; a number above 0 and below dim"):
        theory.softmax_weight(512, 64, 128)


def test_softmax_attention_is_a_mixture_of_values(backend, rng):
    q, k, v = rng.standard_normal((2, 3, 5)), rng.standard_normal((2, 7, 5)), rng.random((2, 7, 4))
    w = to_numpy(memory.attention_weights(backend(q), backend(k), 2.0))
    expected = np.exp(2 * q @ k.swapaxes(-1, -2))
    expected /= expected.sum(-1, keepdims=True)
    np.testing.assert_allclose(w, expected, atol=1e-12)
    o = to_numpy(memory.softmax_attention(backend(q), backend(k), backend(v), 2.0))
    np.testing.assert_allclose(o, expected @ v, atol=1e-12)
    assert o.min() >= v.min()
    assert o.max() <= v.max()
    flat = to_numpy(memory.softmax_attention(backend(q), backend(k), backend(v), 0.0))
    np.testing.assert_allclose(flat, np.broadcast_to(v.mean(-2, keepdims=True), flat.shape))
    causal = to_numpy(memory.attention_weights(backend(k), backend(k), 1.0, causal=True))
    assert np.triu(causal, 1).max() == 0
    np.testing.assert_allclose(causal.sum(-1), 1)
    assert (causal[:, 0, 0] == 1).all()


# Hopfield


def test_a_modern_hopfield_step(backend, rng):
    X = unit(rng.standard_normal((20, 64)))
    noisy = unit(X + 0.08 * rng.standard_normal(X.shape))
    state = backend(noisy)
    before = to_numpy(memory.hopfield_energy(state, backend(X), 30.0))
    step = memory.hopfield_step(state, backend(X), 30.0)
    after = to_numpy(memory.hopfield_energy(step, backend(X), 30.0))
    assert (after <= before + 1e-12).all()
    assert cosines(to_numpy(step), X).min() > 0.999
    assert not np.allclose(to_numpy(step), X, atol=1e-9)  # beside the pattern, not on it
    same = memory.softmax_attention(state, backend(X), backend(X), 30.0)
    np.testing.assert_array_equal(to_numpy(step), to_numpy(same))


def test_the_classical_network_and_its_capacity(backend):
    rng = np.random.default_rng(5)

    def kept(load, d=500):
        X = rng.choice([-1.0, 1.0], size=(round(load * d), d))
        W = memory.sign_hopfield_matrix(backend(X))
        assert np.diag(to_numpy(W)).max() == 0
        state = backend(X)
        for _ in range(20):
            state = memory.sign_hopfield_step(state, W)
        return cosines(to_numpy(state), X).mean()

    assert kept(0.05) > 0.999
    assert kept(0.10) > 0.95  # below .138: near the patterns
    assert kept(0.25) < 0.6  # beyond it: forgotten


def test_the_energy_is_equation_2_up_to_its_constant(backend, rng):
    """E = −lse(β, X ξ) + ½ ξᵀξ + (ln N)/β + ½ M², M the length of the longest pattern."""
    X, states, beta = rng.standard_normal((5, 3)), rng.standard_normal((2, 4, 3)), 1.5
    found = to_numpy(memory.hopfield_energy(backend(states), backend(X), beta))
    constant = np.log(5) / beta + (X**2).sum(-1).max() / 2
    for place in np.ndindex(2, 4):
        xi = states[place]
        paper = -np.log(sum(np.exp(beta * x @ xi) for x in X)) / beta + xi @ xi / 2 + constant
        assert found[place] + constant == pytest.approx(paper)
        assert paper >= 0  # as the paper shows


def test_a_component_without_a_sum_keeps_its_sign(backend):
    W = backend(np.array([[0.0, 0, 1], [0, 0, -1], [0, 0, 0]]))
    states = np.array([[1.0, 1, -1], [-1, -1, 1], [1, -1, -1]])
    found = to_numpy(memory.sign_hopfield_step(backend(states), W))
    np.testing.assert_array_equal(found, [[1, 1, -1], [-1, -1, 1], [1, -1, 1]])
    one = to_numpy(memory.sign_hopfield_step(backend(states[2]), W))
    np.testing.assert_array_equal(one, found[2])


# Refusals


def test_refusals(torch):
    k, v = np.eye(3), np.ones((3, 2))
    cases = [
        (lambda: memory.store(k, v[:2]), r"keys have shape \(3, 3\) and the values \(2, 2\)"),
        (lambda: memory.store(k[0], v), "a value for each key"),
        (
            lambda: memory.read(memory.store(k, v), np.ones((1, 4))),
            r"\(1, 4\) and the memory \(2, 3\)",
        ),
        (lambda: memory.read(memory.store(k, v), k[0]), r"A single key is keys\[None, :\]"),
        (lambda: memory.overwrite(None, 2 * k, v), "some key's length is not 1"),
        (lambda: memory.overwrite(None, k, v, 2.0), "rate is 2.0; .* below 2"),
        (lambda: memory.overwrite(None, k, v, 0), "rate is 0"),
        (lambda: memory.overwrite(np.ones((3, 3)), k, v), r"memory has shape \(3, 3\); .* 2, 3"),
        (lambda: memory.linear_attention(k[:2], k, v, causal=True), "a query for each key"),
        (lambda: memory.attention_weights(k[:, :2], k, 1.0), r"queries have shape \(3, 2\)"),
        (lambda: memory.attention_weights(k, k[:0], 1.0), "there are no keys"),
        (lambda: memory.attention_weights(k, k, float("nan")), "beta is nan"),
        (lambda: memory.attention_weights(k[:2], k, 1.0, causal=True), "2 queries and 3 keys"),
        (lambda: memory.softmax_attention(k, k, v[:2], 1.0), "a value for each key"),
        (lambda: memory.sign_hopfield_matrix(k), "not of signs"),
        (lambda: memory.sign_hopfield_matrix(k[0]), r"patterns have shape \(3,\); .*\[None, :\]"),
        (
            lambda: memory.sign_hopfield_matrix(k + np.nan),
            r"patterns are not finite at index \(0, 0",
        ),
        (lambda: memory.sign_hopfield_step(k, k + np.inf), r"matrix are not finite at index"),
        (lambda: memory.sign_hopfield_step(k + np.nan, k), r"states are not finite at index"),
        (lambda: memory.sign_hopfield_step(k, v), r"states have shape \(3, 3\) and the matrix"),
        (lambda: memory.sign_hopfield_step(v, v.T @ k), r"states have shape \(3, 2\)"),
        (lambda: memory.sign_hopfield_step(k, k[:2]), r"matrix has shape \(2, 3\)"),
        (lambda: memory.hopfield_energy(k, k, 0.0), "beta is 0.0; a number above 0"),
        (lambda: memory.hopfield_energy(k, k, np.inf), "beta is inf; a finite number"),
        (lambda: memory.hopfield_energy(k, k, "1"), "beta is '1'; a finite number"),
        (lambda: memory.hopfield_energy(k, v, 1.0), r"states have shape \(3, 3\) and the patterns"),
        (lambda: memory.hopfield_energy(k, k[:0], 1.0), "there are no patterns"),
        (lambda: memory.attention_weights(k, k, True), "beta is True"),
        (lambda: memory.attention_weights(k, k, 10**400), "beta is 1000"),
        (lambda: memory.overwrite(None, k, v, np.float32(2)), "rate is .*2.0.* below 2"),
        (lambda: memory.overwrite(None, 1.01 * k, v), "some key's length is not 1"),
        (lambda: memory.overwrite(None, 0.99 * k, v), "some key's length is not 1"),
        (lambda: theory.pairs_for_cosine(0, 5), "cosine is 0"),
        (lambda: theory.delta_cosine(3, 5, 1, 3), "later is 3; at most pairs − 1"),
        (lambda: theory.delta_cosine(3, 5, 2), "rate is 2"),
    ]
    for call, words in cases:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="together"):
        memory.store(torch.eye(3), v)


# Numbers that are not


CALLS = {
    "store": lambda k, v: memory.store(k, v),
    "read": lambda k, v: memory.read(v[:, :3] if v.shape[-1] >= 3 else v, k),
    "overwrite": lambda k, v: memory.overwrite(None, k, v),
    "linear_attention": lambda k, v: memory.linear_attention(k, k, v, causal=True),
    "attention_weights": lambda k, v: memory.attention_weights(k, v[:, :3], 2.0),
    "softmax_attention": lambda k, v: memory.softmax_attention(k, k, v, 2.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_numbers_that_are_not_finite_or_not_real_are_refused(name, backend):
    k, v = np.eye(4, 3)[:3], np.ones((3, 5))
    bad = v.copy()
    bad[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"not finite at index \(1, 2\)"):
        CALLS[name](backend(k), backend(bad))
    with pytest.raises(TypeError, match="complex128; real numbers are needed"):
        CALLS[name](backend(k), backend(v + 0j))


@pytest.mark.parametrize("name", CALLS)
def test_dtypes_meet_in_the_wider_one(name, backend):
    k, v = np.eye(4, 3)[:3], np.arange(15.0).reshape(3, 5) / 15
    exact = to_numpy(CALLS[name](backend(k), backend(v)))
    mixed = CALLS[name](backend(k.astype(np.float32)), backend(v))
    assert "float64" in str(mixed.dtype)
    np.testing.assert_allclose(to_numpy(mixed), exact, atol=1e-6)


def test_whole_numbers_are_numbers():
    np.testing.assert_array_equal(
        memory.store(np.array([[1, -1]]), np.array([[2, 3, 4]])), [[2, -2], [3, -3], [4, -4]]
    )
