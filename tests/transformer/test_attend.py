"""The one step that both backends take differently, attention without a pattern; and its masks."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse import backend as library
from vsacourse.backend import attend, hide, to_numpy
from vsacourse.transformer import Config, Transformer
from vsacourse.transformer.inputs import checked_mask


def by_hand(q, k, v, scale, seen):
    scores = np.where(seen[..., None, :, :], q @ k.swapaxes(-1, -2) * scale, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


def masks(rng, n=6):
    random = rng.random((2, 3, n, n)) < 0.5
    return {"causal": np.tri(n, dtype=bool), "random": random | np.eye(n, dtype=bool),
            "one for all": random[0, 0] | np.eye(n, dtype=bool)}  # fmt: skip


@pytest.mark.parametrize("block", [2**24, 100, 1])
@pytest.mark.parametrize("which", ["causal", "random", "one for all"])
def test_attention_is_its_formula_in_blocks_of_any_size(backend, rng, monkeypatch, block, which):
    """A scale of its own meets each mask: 1/√d_head would be .5 here."""
    monkeypatch.setattr(library, "_BLOCK", block)
    q, k, v = rng.standard_normal((3, 2, 3, 5, 6, 4))  # two batch axes, five heads
    seen = masks(rng)[which]
    wanted = by_hand(q, k, v, 0.9, np.broadcast_to(seen, (2, 3, 6, 6)))
    full = backend(np.broadcast_to(seen, (2, 3, 6, 6)).copy())
    given = None if which == "causal" else full
    found = attend(*map(backend, (q, k, v)), 0.9, which == "causal", given)
    np.testing.assert_allclose(to_numpy(found), wanted, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("which", [None, "random"])
def test_large_values_under_moderate_scores(backend, rng, dtype, which, sign):
    """e^59 times 1e13, of either sign, is past float32, the mean of such values is not."""
    q, v = np.full((1, 1, 4, 1), 1.0), sign * 1e13 * (1 + rng.random((1, 1, 4, 3)))
    k = np.array([59.0, 59.0, -59.0, 59.0]).reshape(1, 1, 4, 1)
    seen = np.eye(4, dtype=bool) | (rng.random((1, 4, 4)) < 0.5) if which else np.tri(4) > 0
    wanted = by_hand(q, k, v, 1.0, np.broadcast_to(seen, (1, 4, 4)))
    arrays = (backend(x.astype(dtype)) for x in (q, k, v))
    given = backend(seen) if which else None
    found = to_numpy(attend(*arrays, 1.0, which is None, given))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_large_values_of_a_model(backend):
    config = Config(7, 6, 1, 2, 5, scale=20.0)
    weights = dict(Transformer.random(config, np.random.default_rng(0)).weights)
    weights["blocks.0.attn.W_V"] = weights["blocks.0.attn.W_V"] * np.float32(1e36)
    model = Transformer(config, weights).to(backend(np.empty(0)))
    logits = to_numpy(model([1, 2, 3, 4, 5]))
    assert np.isfinite(logits).all()
    np.testing.assert_allclose(logits, to_numpy(model.trace([1, 2, 3, 4, 5]).logits), rtol=1e-3)


@pytest.mark.parametrize("n", [3, 1025])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_future_is_hidden_and_cannot_be_written_to(backend, n, dtype):
    scores = to_numpy(hide(backend(np.zeros((1, n, n), dtype)), causal=True))[0]
    assert scores.dtype == dtype
    np.testing.assert_array_equal(scores == 0, np.tri(n))
    assert (scores[np.triu_indices(n, 1)] == -np.inf).all()
    future = library._future(n, np.dtype(dtype))
    with pytest.raises(ValueError, match="read-only"):
        future[0, 1] = 0


def test_what_is_remembered_of_the_future_is_small():
    library._small_future.cache_clear()
    library._future(4000, np.dtype("float32"))
    assert library._small_future.cache_info().currsize == 0


def test_one_mask_for_a_batch_stays_one(backend):
    config, like = Config(7, 6, 1, 2, 5), backend(np.empty(0))
    tokens = np.zeros((64, 3, 5), int)
    for shape, steps in (((5, 5), (0, 0)), ((1, 5), (0, 0)), ((3, 1, 5), (0, 25))):
        seen = checked_mask(config, np.ones(shape, bool), tokens, like)
        assert tuple(seen.shape) == (64, 3, 5, 5)
        strides = seen.strides if isinstance(seen, np.ndarray) else seen.stride()
        assert tuple(strides[:2]) == steps
        np.testing.assert_array_equal(to_numpy(seen[1, 2]), np.tri(5))


def test_masks_that_broadcast_are_masks_written_out(backend, rng):
    model = Transformer.random(Config(7, 6, 2, 2, 5, scale=2.0), rng, "float64")
    model = model.to(backend(np.empty(0)))
    tokens = rng.integers(7, size=(4, 3, 5))
    for shape in ((5, 5), (1, 5), (3, 5, 5), (4, 1, 5, 5)):
        mask = rng.random(shape) < 0.6
        mask[..., 0] = True
        full = np.broadcast_to(mask, (4, 3, 5, 5)).copy()
        wanted = to_numpy(model.trace(tokens, full).logits)
        for found in (model(tokens, mask), model(tokens, full), model.trace(tokens, mask).logits):
            np.testing.assert_allclose(to_numpy(found), wanted, atol=1e-12)


@pytest.mark.parametrize(
    "dtype", ["uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_tokens_of_every_width_are_indices(torch, rng, dtype):
    """torch takes uint8 for a mask: rows would be left out."""
    model = Transformer.random(Config(7, 8, 1, 1, 9, positions="none"), rng)
    tokens = [1, 0, 1, 1, 6, 1, 1]
    wanted = model(tokens)
    np.testing.assert_array_equal(model(np.array(tokens, dtype)), wanted)
    found = model.to(torch.empty(0))(torch.tensor(tokens, dtype=getattr(torch, dtype)))
    np.testing.assert_allclose(found.numpy(), wanted, atol=1e-5)
