"""Sizes and dtypes that squares and sums do not fit into: the score is that of the same matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vsacourse import metrics
from vsacourse.backend import to_numpy
from vsacourse.transformer.circuits import ov_circuit
from vsacourse.transformer.construct import one_hot_induction_head

SCALE_FREE = {
    "composition, first": (lambda A, B, s: metrics.composition(A * s, B)),
    "composition, second": (lambda A, B, s: metrics.composition(A, B * s)),
    "composition, both": (lambda A, B, s: metrics.composition(A * s, B / s)),
    "copying_score": (lambda A, B, s: metrics.copying_score(A * s)),
    "key_coherence": (lambda A, B, s: metrics.key_coherence(A * s)),
    "signal_to_noise": (lambda A, B, s: metrics.signal_to_noise(A * s)),
    "gram_deviation": (lambda A, B, s: metrics.gram_deviation(A * s)),
    "balanced": (lambda A, B, s: abs(metrics.balanced(A * s, B * s)[1]) / s),
    "r2 of a tag, embeddings": (lambda A, B, s: np.array(metrics.additive_tag(A * s, B).r2)),
    "r2 of a tag, written": (lambda A, B, s: np.array(metrics.additive_tag(A, B * s).r2)),
    "scale of a tag": (lambda A, B, s: np.array(metrics.additive_tag(A * s, B * s).scale)),
    "tag": (lambda A, B, s: metrics.additive_tag(A * s, B * s).tag / s),
}


@pytest.mark.parametrize("name", SCALE_FREE)
@pytest.mark.parametrize("power", [19, 25, -19, -25, -30])
def test_the_scale_does_not_matter_up_to_the_ends_of_float32(name, power, backend, rng):
    A, B = (backend(x) for x in rng.standard_normal((2, 6, 6)).astype("float32"))
    score = SCALE_FREE[name]
    wanted = score(*(backend(to_numpy(x).astype("float64")) for x in (A, B)), 1.0)
    found = score(A, B, 10.0**power)
    np.testing.assert_allclose(to_numpy(found), to_numpy(wanted), rtol=2e-4, atol=2e-6)


def test_each_matrix_and_each_key_has_a_scale_of_its_own(rng):
    A = rng.standard_normal((3, 6, 6)).astype("float32")
    sizes = np.array([1e19, 1, 1e-25], "float32")[:, None, None]
    for f in (metrics.copying_score, metrics.gram_deviation, metrics.signal_to_noise):
        np.testing.assert_allclose(f(A * sizes), f(A), rtol=1e-3)
    keys = A[0] * np.array([1e25, 1, 1e-25, 1e19, 1, 1], "float32")[:, None]
    assert metrics.key_coherence(keys) == pytest.approx(metrics.key_coherence(A[0]), rel=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_computed_in_single(torch, rng, dtype):
    X = torch.from_numpy(0.5 * rng.standard_normal((600, 600)))
    half = X.to(getattr(torch, dtype))
    exact = half.double()  # what half precision holds
    for f in (
        metrics.copying_score,
        metrics.key_coherence,
        metrics.signal_to_noise,
        metrics.gram_deviation,
        lambda x: metrics.composition(x, x),
        lambda x: metrics.balanced(x[:, :5], x[:, 5:10])[0].abs(),
        lambda x: metrics.change_gauge(x[:, :5], x[:, 5:10], x[:5, :5])[0],
        lambda x: metrics.keys_as_queried(x, x),
        lambda x: metrics.additive_tag(x, x.T.contiguous()).tag,
    ):
        found, wanted = f(half), f(exact)
        assert found.dtype == torch.float32
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=2e-3, atol=2e-4)
        if dtype == "float16":
            assert f(half.float()).equal(found)
            np.testing.assert_allclose(
                to_numpy(metrics.composition(half.numpy(), half.numpy())),
                metrics.composition(exact.numpy(), exact.numpy()), rtol=1e-3,
            )  # fmt: skip


def test_two_precisions_meet_in_the_wider_one(backend, rng):
    A, B = rng.standard_normal((2, 5, 5))
    single = backend(A.astype("float32"))
    for f in (
        metrics.composition,
        metrics.keys_as_queried,
        lambda a, b: metrics.balanced(a, b)[0],
        lambda a, b: metrics.additive_tag(a, b).tag,
    ):
        assert str(f(single, backend(B)).dtype).endswith("float64")


def test_patterns_of_bfloat16(torch, rng):
    A = torch.softmax(torch.from_numpy(rng.standard_normal((3, 200, 200))), -1).bfloat16()
    assert float(metrics.previous_token(A).float().mean()) == pytest.approx(1 / 200, rel=0.2)
    thirds = torch.full((3, 3), 1 / 3, dtype=torch.bfloat16)  # each .334: rows sum to 1.002
    assert float(metrics.previous_token(thirds)) == pytest.approx(1 / 3, abs=1e-3)
    with pytest.raises(ValueError, match=r"sums to 0.9[78]"):
        metrics.previous_token(A * 0.98)
    A[1, 4, 2] = torch.nan
    with pytest.raises(ValueError, match=r"the pattern is not finite at index \(1, 4, 2\)"):
        metrics.previous_token(A)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_map_whose_square_is_0_has_no_score_in_any_basis(dtype, backend, rng):
    for V, T in ((3, 4), (6, 7), (33, 49)):
        C = ov_circuit(one_hot_induction_head(V, T), 0, 0).astype("float64")
        for _ in range(5):
            Q = np.linalg.qr(rng.standard_normal(C.shape))[0]
            for size in (1.0, 1e-9, 1e9):
                turned = (size * Q @ C @ Q.T).astype(dtype)
                with pytest.raises(ValueError, match="no eigenvalue other than 0"):
                    metrics.copying_score(backend(turned))
    u, v = rng.standard_normal((2, 100))  # a small eigenvalue that is no rounding
    v -= (u @ v / (u @ u)) * u * (1 - 1e-4)
    assert abs(u @ v) < 0.01 * np.linalg.norm(u) * np.linalg.norm(v)
    assert abs(metrics.copying_score(np.outer(u, v))) == pytest.approx(1)


def test_rows_that_are_alike_are_no_matter_of_rounding(backend):
    alike, other = np.full((3, 3), 0.1), np.eye(3)
    for pair in ((alike, other), (other, alike)):
        with pytest.raises(ValueError, match="are alike; nothing can be fitted"):
            metrics.additive_tag(*map(backend, pair))


def test_gradients_are_those_of_the_formula(torch, rng):
    """The scale that is divided out is a constant to the gradient, and loses nothing."""
    A, B = (torch.from_numpy(x).requires_grad_() for x in rng.standard_normal((2, 4, 4)))
    for f in (
        lambda a, b: metrics.composition(a, b),
        lambda a, b: metrics.key_coherence(a),
        lambda a, b: metrics.signal_to_noise(a),
        lambda a, b: metrics.gram_deviation(a),
    ):
        assert torch.autograd.gradcheck(f, (A, B))
    assert math.isfinite(float(A.detach().sum()))
