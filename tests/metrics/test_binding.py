"""The exchange of two places and the fit of an added tag: laws, the oracle, controls, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsacourse.backend import to_numpy
from vsacourse.metrics import additive_tag, exchange
from vsacourse.transformer.construct import one_hot_induction_head, role_map


@given(n=st.integers(1, 4), pos=st.integers(1, 7), d=st.integers(1, 3), seed=st.integers(0, 9999))
@settings(max_examples=40, deadline=None)
def test_an_exchange_moves_two_places_of_each_text_and_undoes_itself(n, pos, d, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, pos, d))
    i, j = rng.integers(pos, size=(2, n))
    before = x.copy()
    out = exchange(x, i, j)
    np.testing.assert_array_equal(x, before)
    for r in range(n):
        for t in range(pos):
            source = {i[r]: j[r], j[r]: i[r]}.get(t, t)
            np.testing.assert_array_equal(out[r, t], x[r, source])
    np.testing.assert_array_equal(exchange(out, i, j), x)


def test_both_backends_and_gradients(backend):
    x = np.arange(24.0).reshape(2, 4, 3)
    i, j = np.array([0, 3]), np.array([2, 3])
    out = exchange(backend(x), backend(i), backend(j))
    np.testing.assert_array_equal(to_numpy(out), exchange(x, i, j))
    assert type(out) is type(backend(x))


def test_no_texts_are_no_trouble(backend):
    x = backend(np.zeros((0, 4, 3)))
    assert tuple(exchange(x, [], []).shape) == (0, 4, 3)


def test_on_the_oracle_answers_follow_what_is_bound():
    oracle = one_hot_induction_head(9, 17)
    texts = np.array([[8, *range(8), *range(8)], [8, *range(7, -1, -1), *range(7, -1, -1)]])
    rows, i, j, query = np.arange(2), np.array([2, 3]), np.array([5, 7]), np.array([9, 10])

    def said(names, a, b):
        edit = {name: (lambda x: exchange(x, a, b)) for name in names}
        return oracle.trace(texts, keep="logits", edit=edit).logits[rows, query].argmax(-1)

    np.testing.assert_array_equal(said((), i, j), texts[rows, i])
    np.testing.assert_array_equal(said(("blocks.0.attn_out",), i, j), texts[rows, j])
    np.testing.assert_array_equal(said(("blocks.0.resid_post",), i, j), texts[rows, i])
    np.testing.assert_array_equal(said(("blocks.0.attn_out",), i + 2, j - 1), texts[rows, i])


@given(V=st.integers(2, 9), d=st.integers(1, 7), seed=st.integers(0, 9999))
@settings(max_examples=40, deadline=None)
def test_a_planted_tag_is_found_and_the_fit_is_the_least_squares(V, d, seed):
    rng = np.random.default_rng(seed)
    E, tag, c = rng.normal(size=(V, d)) + 3, rng.normal(size=d), rng.normal()
    found = additive_tag(E, c * E + tag)
    assert found.scale == pytest.approx(c, abs=1e-9)
    np.testing.assert_allclose(found.tag, tag, atol=1e-8)
    W = rng.normal(size=(V, d))
    design = np.concatenate((E.reshape(-1, 1), np.tile(np.eye(d), (V, 1))), axis=1)
    best = np.linalg.lstsq(design, W.reshape(-1), rcond=None)[0]
    found = additive_tag(E, W)
    assert found.scale == pytest.approx(best[0], abs=1e-8)
    np.testing.assert_allclose(found.tag, best[1:], atol=1e-8)
    residual = W - design.dot(best).reshape(V, d)
    assert found.r2 == pytest.approx(1 - (residual**2).sum() / ((W - W.mean(0)) ** 2).sum())


def test_role_maps_are_no_tags_and_a_small_turn_nearly_is(backend):
    rng = np.random.default_rng(0)
    E = rng.normal(size=(200, 64))
    for role in ("orthogonal", "unitary HRR", "permutation", "MAP"):
        found = additive_tag(backend(E), backend(E @ role_map(role, 64, rng)))
        assert found.r2 < 0.05  # (tr R/d)² is about 1/d
    c, s = np.cos(0.2), np.sin(0.2)
    turn = np.kron(np.eye(32), [[c, s], [-s, c]])
    assert additive_tag(backend(E), backend(E @ turn)).r2 == pytest.approx(c**2, abs=0.01)


X, E = np.zeros((2, 4, 3)), np.eye(3)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: exchange(X[0], [0], [1]), ValueError, r"\(4, 3\); \(n, pos, d\)"),
        (lambda: exchange(X, [0], [1]), ValueError, "a place for each text"),
        (lambda: exchange(X, [0, 4], [1, 1]), ValueError, "first holds 4; it needs 0 to 3"),
        (lambda: exchange(X, [0, 1], [-1, 1]), ValueError, "second holds -1"),
        (lambda: exchange(X, [0.0, 1.0], [1, 1]), TypeError, "whole numbers"),
        (lambda: additive_tag(E, E[:2]), ValueError, r"\(V, d\) is needed of both"),
        (lambda: additive_tag(E, np.ones((3, 3))), ValueError, "all rows of written are alike"),
        (lambda: additive_tag(E * np.nan, E), ValueError, "embeddings is not finite"),
        (lambda: additive_tag(np.eye(3, dtype=int), E), TypeError, "real floats"),
    ],
)
def test_bad_input_is_one_clear_line(call, kind, said):
    with pytest.raises(kind, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)
