"""Copying and composition: known values, chance, and what they do not see."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.oracle import VOCAB, WIDTH, role_map
from vsacourse import metrics
from vsacourse.backend import matrix_transpose, to_backend, to_numpy
from vsacourse.transformer import Config, Transformer
from vsacourse.transformer.circuits import copying_circuit, ov_circuit, qk_circuit

FIRST, SECOND = (0, 0), (1, 0)


def haar(rng, d):
    """A rotation or reflection without a preferred direction."""
    Q, R = np.linalg.qr(rng.standard_normal((d, d)))
    return Q * np.sign(np.diag(R))


def turned(degrees, d):
    """A rotation by one angle in each of d/2 planes."""
    angle = math.radians(degrees)
    turn = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
    return np.kron(np.eye(d // 2), turn)


# Copying


def test_the_oracle_copies_with_one_head_and_binds_with_the_other(model):
    assert float(metrics.copying_score(copying_circuit(model, *SECOND))) == pytest.approx(1)
    with pytest.raises(ValueError, match="no eigenvalue other than 0"):
        metrics.copying_score(copying_circuit(model, *FIRST))  # it writes into another block
    W_E, W_U = model.weights["embed.W_E"], model.weights["unembed.W_U"]
    R = to_backend(role_map().astype(to_numpy(W_E).dtype), W_E)
    unbound = W_E @ ov_circuit(model, *FIRST) @ matrix_transpose(R) @ W_U
    assert float(metrics.copying_score(unbound)) == pytest.approx(1)


def test_a_shuffled_vocabulary_gives_chance(model, rng):
    """A permutation's eigenvalues have length 1 and sum to its fixed points: 1 of V on average."""
    C = to_numpy(copying_circuit(model, *SECOND)).astype("float64")
    found = [metrics.copying_score(C[:, rng.permutation(VOCAB)]) for _ in range(300)]
    assert np.mean(found) == pytest.approx(1 / VOCAB, abs=4 * np.std(found) / np.sqrt(300))


def test_rotations(rng):
    for degrees in (10, 60, 90, 180):
        want = pytest.approx(math.cos(math.radians(degrees)), abs=1e-12)
        assert metrics.copying_score(turned(degrees, 16)) == want
    d = 128
    R = np.stack([haar(rng, d) for _ in range(40)])
    score = metrics.copying_score(R)
    np.testing.assert_allclose(score, np.trace(R, axis1=1, axis2=2) / d, atol=1e-12)
    assert abs(score.mean()) < 4 / d / math.sqrt(40)
    assert 0.5 / d < score.std() < 1.6 / d
    np.testing.assert_allclose(metrics.copying_score(R @ matrix_transpose(R)), 1)  # unbound


def test_qr_alone_draws_no_fair_rotation(rng):
    """LAPACK leaves R's diagonal negative, so Q leans towards −I: about −1/√(πd)."""
    Q = np.linalg.qr(rng.standard_normal((40, 128, 128)))[0]
    assert metrics.copying_score(Q).mean() == pytest.approx(-0.05, abs=0.006)


def test_between_few_tokens_a_rotation_hides(rng):
    """Between V < d tokens the plane's turn is crosstalk: 60° scores .74 at V = 64, d = 128."""
    E = rng.standard_normal((20, 64, 128)) / math.sqrt(128)
    for degrees, want, near in ((10, 0.9998, 2e-4), (60, 0.744, 0.015)):
        R = turned(degrees, 128)
        assert metrics.copying_score(E @ R @ matrix_transpose(E)).mean() == pytest.approx(
            want, abs=near
        )


@given(d=st.integers(1, 6), v=st.integers(1, 9), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_copying_is_within_bounds_and_the_small_circuit_has_the_same(d, v, seed):
    rng = np.random.default_rng(seed)
    W_E, OV, W_U = (
        rng.standard_normal((v, d)),
        rng.standard_normal((d, d)),
        rng.standard_normal((d, v)),
    )
    score = metrics.copying_score(W_E @ OV @ W_U)
    assert -1 - 1e-9 <= score <= 1 + 1e-9
    assert metrics.copying_score(OV @ W_U @ W_E) == pytest.approx(score, abs=1e-6)
    assert metrics.copying_score(-3 * OV) == pytest.approx(-metrics.copying_score(OV), abs=1e-9)


# Composition


def test_the_oracle_composes_through_keys(model):
    scores = metrics.composition_scores(model, FIRST, SECOND)
    assert float(scores["K"]) == pytest.approx(1 / math.sqrt(VOCAB))
    assert float(scores["Q"]) == float(scores["V"]) == 0
    assert metrics.composition_floor(WIDTH) == pytest.approx(0.0933, abs=1e-4)
    match = metrics.composed_match(model, FIRST, SECOND)
    assert float(match["accuracy"]) == 1
    assert float(match["margin"]) == 30


def test_composition_sees_shuffling_no_more_than_rotation(model, rng):
    """With tokens shuffled on the way the score stays and the match falls to chance, 1/V."""
    C = to_numpy(metrics.composed_circuit(model, FIRST, SECOND))
    found = [float(metrics.match_accuracy(C[:, rng.permutation(VOCAB)])) for _ in range(300)]
    assert np.mean(found) == pytest.approx(1 / VOCAB, abs=4 * np.std(found) / np.sqrt(300))


@given(d=st.integers(1, 7), m=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_an_orthogonal_map_composes_at_the_floor_whatever_it_is(d, m, seed):
    rng = np.random.default_rng(seed)
    R, B = haar(rng, d), rng.standard_normal((d, m))
    assert metrics.composition(R, B) == pytest.approx(metrics.composition_floor(d))
    A = rng.standard_normal((3, m, d))
    score = metrics.composition(A, B)
    assert score.shape == (3,)
    assert ((score >= 0) & (score <= 1 + 1e-12)).all()
    np.testing.assert_allclose(score, [metrics.composition(a, -2 * B) for a in A])


def test_only_rank_one_composes_wholly():
    a, b = np.array([[3.0, 4.0]]), np.array([[1.0], [2.0]])
    assert metrics.composition(b @ a, a.T @ b.T) == pytest.approx(1)
    assert metrics.composition(np.eye(2), np.eye(2)) == pytest.approx(1 / math.sqrt(2))


@pytest.mark.parametrize(("rank", "mean"), [(1, math.sqrt(2 / math.pi)), (8, 1.0), (32, 1.0)])
def test_the_floor_is_the_root_mean_square_at_every_rank(rng, rank, mean):
    d, runs = 32, 1500
    a, b, c, e = rng.standard_normal((4, runs, d, rank))
    first, second = a @ matrix_transpose(b), c @ matrix_transpose(e)
    ratio = metrics.composition(first, second) / metrics.composition_floor(d)
    assert np.sqrt((ratio**2).mean()) == pytest.approx(1, abs=0.06 if rank == 1 else 0.01)
    assert ratio.mean() == pytest.approx(mean, abs=0.05 if rank == 1 else 0.012)


def test_untrained_heads_match_at_chance(rng):
    config = Config(d_vocab=40, d_model=24, n_layers=2, n_heads=2, n_ctx=5)
    found = []
    for _ in range(40):
        model = Transformer.random(config, rng, "float64")
        found += [float(metrics.composed_match(model, (0, i), (1, 1))["accuracy"]) for i in (0, 1)]
    assert np.mean(found) == pytest.approx(1 / 40, abs=0.015)


def test_composed_circuit_is_the_score_of_what_was_written(rng):
    """Row a, column b: the score of token a at the query for a key where head 1 wrote token b."""
    config = Config(d_vocab=5, d_model=6, n_layers=3, n_heads=2, n_ctx=4, d_head=2)
    model = Transformer.random(config, rng, "float64")
    x = model.weights["embed.W_E"]
    written = x[3] @ ov_circuit(model, 0, 1)
    score = x[2] @ qk_circuit(model, 2, 0) @ written
    assert metrics.composed_circuit(model, (0, 1), (2, 0))[2, 3] == pytest.approx(score)
    OV, QK = ov_circuit(model, 0, 1), qk_circuit(model, 2, 0)
    want = np.linalg.norm(OV @ QK.T) / np.linalg.norm(OV) / np.linalg.norm(QK)
    assert metrics.composition_scores(model, (0, 1), (2, 0))["K"] == pytest.approx(want)


def test_a_tie_is_shared(backend):
    assert float(metrics.match_accuracy(backend(np.zeros((4, 4))))) == 0.25
    assert to_numpy(
        metrics.match_accuracy(backend(np.stack([np.eye(3), 1 - np.eye(3)])))
    ).tolist() == [1, 0]
