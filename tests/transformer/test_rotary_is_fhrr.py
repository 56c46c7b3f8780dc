"""The score under rotary positions is an FHRR unbinding of the relative position, exactly."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse import FHRR
from vsacourse.backend import to_numpy
from vsacourse.transformer import Config, Transformer, rotary_angles, rotate


def as_phasors(x, pairing):
    """Write real ``(..., d_head)`` as complex ``(..., d_head/2)``, a pair to a number."""
    half = x.shape[-1] // 2
    if pairing == "halves":
        return x[..., :half] + 1j * x[..., half:]
    return x[..., 0::2] + 1j * x[..., 1::2]


@pytest.mark.parametrize("pairing", ["halves", "interleaved"])
@pytest.mark.parametrize("d_head", [2, 6, 64])
def test_score_is_an_unbinding_of_the_offset(pairing, d_head, backend):
    rng = np.random.default_rng(d_head)
    q, k = rng.standard_normal((2, d_head))
    model = FHRR(d_head // 2)
    base = np.exp(1j * rotary_angles(2, d_head)[1])  # the phasor of one step: unit, geometric
    z_q, z_k = as_phasors(q, pairing), as_phasors(k, pairing)
    for m, n in ((0, 0), (5, 3), (3, 5), (105, 103), (1000, 7)):
        angles = rotary_angles(1001, d_head)
        turned_q = to_numpy(rotate(backend(q[None]), angles[m : m + 1], pairing))[0]
        turned_k = to_numpy(rotate(backend(k[None]), angles[n : n + 1], pairing))[0]
        score = turned_q @ turned_k
        # Unbind the offset from the key, and compare with the query.
        unbound = model.unbind(z_k, model.power(base, float(m - n)))
        norms = np.linalg.norm(z_q) * np.linalg.norm(z_k)
        assert score == pytest.approx(model.similarity(z_q, unbound) * norms, abs=1e-5)


@pytest.mark.parametrize("pairing", ["halves", "interleaved"])
def test_in_a_transformer_values_are_not_rotated(pairing):
    config = Config(11, 16, 1, 2, 12, positions="rotary", rotary_pairing=pairing)
    model = Transformer.random(config, np.random.default_rng(0), "float64")
    trace = model.trace(np.arange(9))
    W = model.weights
    x = trace["blocks.0.resid_pre"]
    np.testing.assert_allclose(trace["blocks.0.attn.v"], x @ W["blocks.0.attn.W_V"], atol=1e-12)
    z_q, z_k = (as_phasors(x @ W[f"blocks.0.attn.W_{n}"], pairing) for n in "QK")
    base = np.exp(1j * rotary_angles(2, 8)[1])
    offsets = np.subtract.outer(np.arange(9), np.arange(9))[..., None]  # [query, key, 1]
    scores = np.einsum("hqi,hki,qki->hqk", z_q, z_k.conj(), base**offsets).real * config.scale
    seen = np.tri(9, dtype=bool)
    np.testing.assert_allclose(trace["blocks.0.attn.scores"][:, seen], scores[:, seen], atol=1e-10)
