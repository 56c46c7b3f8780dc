"""The forward pass: both backends, both paths, against the formulas written out one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vsacourse.backend import to_numpy
from vsacourse.transformer import Config, Transformer, activation_names, random_weights
from vsacourse.transformer.positions import rotary_angles, rotate, sinusoids

SHAPES = {
    "attention only": {},
    "no positions": {"positions": "none"},
    "sinusoids": {"positions": "sinusoidal"},
    "positions in q and k": {"positions_in": "qk"},
    "sinusoids in q and k": {"positions": "sinusoidal", "positions_in": "qk"},
    "rotary, halves": {"positions": "rotary"},
    "rotary, interleaved": {"positions": "rotary", "rotary_pairing": "interleaved"},
    "GPT-2": {"d_mlp": 20, "layer_norm": True, "biases": True},
    "exact GELU": {"d_mlp": 20, "activation": "gelu"},
    "ReLU": {"d_mlp": 20, "activation": "relu", "biases": True},
    "looks both ways": {"causal": False},
    "odd sizes": {"d_head": 5, "d_vocab_out": 7, "scale": 2.0},
}


def make(name, dtype="float64", seed=0, **more):
    fields = {"d_vocab": 11, "d_model": 12, "n_layers": 2, "n_heads": 3, "n_ctx": 9}
    config = Config(**(fields | {"d_head": 4} | SHAPES[name] | more))
    rng = np.random.default_rng(seed)
    model = Transformer.random(config, rng, dtype)
    weights = {  # biases and LayerNorm too must be seen
        key: w + 0.1 * rng.standard_normal(w.shape).astype(dtype)
        for key, w in model.weights.items()
    }
    return Transformer(config, weights)


def by_hand(model, tokens):
    """One sequence, one number after the other, with no code of the library."""
    c, w = model.config, model.weights
    n = len(tokens)

    def norm(name, x):
        if not c.layer_norm:
            return x
        x = (x - x.mean()) / math.sqrt(x.var() + c.layer_norm_eps)
        return x * w[f"{name}.w"] + w[f"{name}.b"]

    def act(u):
        if c.activation == "relu":
            return max(u, 0)
        if c.activation == "gelu":
            return u * (1 + math.erf(u / math.sqrt(2))) / 2
        return u * (1 + math.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3))) / 2

    def turned(y, t):
        half, out = len(y) // 2, np.array(y)
        for i in range(half):
            a, b = (i, i + half) if c.rotary_pairing == "halves" else (2 * i, 2 * i + 1)
            z = (y[a] + 1j * y[b]) * np.exp(1j * t * c.rotary_base ** (-2 * i / len(y)))
            out[a], out[b] = z.real, z.imag
        return out

    p = np.zeros((n, c.d_model))
    for t in range(n):
        for j in range(c.d_model):
            if c.positions == "learned":
                p[t, j] = w["pos_embed.W_pos"][t, j]
            if c.positions == "sinusoidal":
                angle = t * 10_000 ** (-(j - j % 2) / c.d_model)
                p[t, j] = math.cos(angle) if j % 2 else math.sin(angle)
    x = np.array([w["embed.W_E"][token] for token in tokens])
    if c.positions_in == "stream":
        x, p = x + p, 0 * p
    for layer in range(c.n_layers):
        b = f"blocks.{layer}"
        y = np.array([norm(f"{b}.ln1", row) for row in x])
        out = np.zeros_like(x)
        for h in range(c.n_heads):
            bias = {k: w[f"{b}.attn.b_{k}"][h] if c.biases else 0 for k in "QKV"}
            q, k = ((y + p) @ w[f"{b}.attn.W_{name}"][h] + bias[name] for name in "QK")
            v = y @ w[f"{b}.attn.W_V"][h] + bias["V"]
            if c.positions == "rotary":
                q, k = (np.array([turned(u, t) for t, u in enumerate(m)]) for m in (q, k))
            for i in range(n):
                seen = range(i + 1) if c.causal else range(n)
                e = [math.exp(c.scale * (q[i] @ k[j])) for j in seen]
                z = sum(e[j] / sum(e) * v[j] for j in seen)
                out[i] += z @ w[f"{b}.attn.W_O"][h]
        x = x + out + (w[f"{b}.attn.b_O"] if c.biases else 0)
        if c.d_mlp:
            for i in range(n):
                pre = norm(f"{b}.ln2", x[i]) @ w[f"{b}.mlp.W_in"]
                pre = pre + (w[f"{b}.mlp.b_in"] if c.biases else 0)
                x[i] = x[i] + np.array([act(u) for u in pre]) @ w[f"{b}.mlp.W_out"]
                x[i] = x[i] + (w[f"{b}.mlp.b_out"] if c.biases else 0)
    x = np.array([norm("ln_final", row) for row in x])
    return x @ w["unembed.W_U"] + (w["unembed.b_U"] if c.biases else 0)


@pytest.mark.parametrize("name", SHAPES)
def test_forward_is_the_formula(name, backend):
    model = make(name)
    tokens = np.random.default_rng(1).integers(0, 11, 9)
    expected = by_hand(model, tokens)
    moved = model.to(backend(np.empty(0)))
    np.testing.assert_allclose(to_numpy(moved(backend(tokens))), expected, atol=1e-10)
    np.testing.assert_allclose(to_numpy(moved.trace(tokens).logits), expected, atol=1e-10)


@pytest.mark.parametrize("name", SHAPES)
def test_numpy_equals_torch_in_single_precision(name, torch):
    model = make(name, "float32")
    tokens = np.random.default_rng(1).integers(0, 11, (3, 8))
    ours = model(tokens)
    assert ours.dtype == np.float32
    theirs = model.to(torch.empty(0))(torch.from_numpy(tokens)).numpy()
    np.testing.assert_allclose(ours, theirs, atol=1e-5 * np.abs(ours).max())


@pytest.mark.parametrize("name", SHAPES)
def test_batches_and_prefixes(name):
    model = make(name)
    tokens = np.random.default_rng(2).integers(0, 11, (2, 3, 8))
    batched = model(tokens)
    assert batched.shape == (2, 3, 8, model.config.d_vocab_out)
    np.testing.assert_allclose(batched[1, 2], model(tokens[1, 2]), atol=1e-12)
    if model.config.causal:  # what comes later changes nothing
        np.testing.assert_allclose(model(tokens[0, 0, :5]), batched[0, 0, :5], atol=1e-12)
    assert model(tokens[:0]).shape == (0, 3, 8, model.config.d_vocab_out)


@pytest.mark.parametrize("name", SHAPES)
def test_the_trace_adds_up(name, backend):
    model = make(name).to(backend(np.empty(0)))
    trace = model.trace(np.random.default_rng(3).integers(0, 11, (2, 7)))
    assert list(trace) == activation_names(model.config)
    values = {key: to_numpy(value) for key, value in trace.items()}
    total = values["embed"]
    if model.config.positions_in == "stream" and "pos_embed" in values:
        total = total + values["pos_embed"]
    for layer in range(2):
        block = f"blocks.{layer}"
        out = values[f"{block}.attn.result"].sum(-3)
        if model.config.biases:
            out = out + to_numpy(model.weights[f"{block}.attn.b_O"])
        np.testing.assert_allclose(out, values[f"{block}.attn_out"], atol=1e-12)
        np.testing.assert_allclose(values[f"{block}.attn.pattern"].sum(-1), 1)
        total = total + values[f"{block}.attn_out"] + values.get(f"{block}.mlp_out", 0)
    np.testing.assert_allclose(total, values["blocks.1.resid_post"], atol=1e-12)
    if model.config.causal:
        assert np.triu(values["blocks.0.attn.pattern"], 1).max() == 0


def test_mask_hides_keys_on_both_paths(backend):
    model = make("attention only").to(backend(np.empty(0)))
    tokens = np.random.default_rng(4).integers(0, 11, (2, 6))
    mask = np.ones((2, 6, 6), dtype=bool)
    mask[1, :, 2] = False
    mask[1, 2, 2] = True
    trace = model.trace(tokens, mask)
    pattern = to_numpy(trace["blocks.0.attn.pattern"])
    assert pattern[1, :, 3:, 2].max() == 0
    assert pattern[0, :, 3:, 2].min() > 0
    np.testing.assert_allclose(to_numpy(model(tokens, mask)), to_numpy(trace.logits), atol=1e-12)
    everything = np.ones((6, 6), dtype=bool)
    np.testing.assert_allclose(
        to_numpy(model(tokens, everything)), to_numpy(model(tokens)), atol=1e-12
    )
    assert np.isfinite(to_numpy(trace.logits)).all()


@pytest.mark.parametrize("pairing", ["halves", "interleaved"])
def test_rotary_scores_depend_on_the_offset_only(pairing, backend):
    rng = np.random.default_rng(5)
    q, k = rng.standard_normal((2, 1, 6))
    angles = rotary_angles(200, 6)

    def score(m, n):
        turned = [
            to_numpy(rotate(backend(x), angles[t : t + 1], pairing)) for x, t in ((q, m), (k, n))
        ]
        return float((turned[0] @ turned[1].T).item())

    assert score(7, 3) == pytest.approx(score(107, 103), abs=1e-12)
    assert score(7, 3) != pytest.approx(score(3, 7), abs=1e-3)
    assert score(5, 5) == pytest.approx((q @ k.T).item(), abs=1e-12)


@pytest.mark.parametrize("pairing", ["halves", "interleaved"])
def test_what_cannot_be_turned(pairing, backend):
    x, angles = np.ones((3, 4)), rotary_angles(3, 4)
    for x_given, angles_given, kind, words in (
        (x.astype(int), angles, TypeError, "x is int64; real floats are needed"),
        (x + 0j, angles, TypeError, "x is complex128"),
        (x[:, :3], angles, ValueError, r"x has shape \(3, 3\); .* even d_head"),
        (x[0], angles, ValueError, r"x has shape \(4,\)"),
        (x, angles[:1], ValueError, r"angles have shape \(1, 2\); .* needs \(3, 2\)"),
        (x, angles[:, :1], ValueError, r"angles have shape \(3, 1\)"),
        (x, angles[None], ValueError, r"angles have shape \(1, 3, 2\)"),
    ):
        with pytest.raises(kind, match=words) as caught:
            rotate(backend(x_given), angles_given, pairing)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="pairing is 'half'; one of 'halves', 'interleaved'"):
        rotate(backend(x), angles, "half")
    with pytest.raises(ValueError, match="d_head is 5"):
        rotary_angles(2, 5)
    turned = to_numpy(rotate(backend(x.astype("float32")), angles, pairing))
    assert turned.dtype == np.float32
    first, second = ((0, 2), (1, 3)) if pairing == "halves" else ((0, 1), (2, 3))
    for i, pair in enumerate((first, second)):
        want = [
            np.cos(angles[:, i]) - np.sin(angles[:, i]),
            np.cos(angles[:, i]) + np.sin(angles[:, i]),
        ]
        np.testing.assert_allclose(turned[:, pair].T, want, atol=1e-6)


def test_sinusoids_of_vaswani():
    p = sinusoids(50, 6)
    assert p.shape == (50, 6)
    assert p[7, 0] == pytest.approx(math.sin(7))
    assert p[7, 3] == pytest.approx(math.cos(7 / 10_000 ** (2 / 6)))
    assert sinusoids(4, 5).shape == (4, 5)
    np.testing.assert_allclose((sinusoids(9, 8) ** 2).sum(-1), 4)


def test_random_weights_give_vectors_of_length_one():
    config = Config(d_vocab=2000, d_model=256, n_layers=1, n_heads=4, n_ctx=8, d_mlp=64)
    w = Transformer.random(config, np.random.default_rng(0)).weights
    assert np.linalg.norm(w["embed.W_E"], axis=-1).mean() == pytest.approx(1, abs=0.01)
    for name in ("W_Q", "W_V"):
        out = w["embed.W_E"] @ w[f"blocks.0.attn.{name}"][1]
        assert out.var() == pytest.approx(1 / 256, rel=0.1)
    double = Transformer.random(config, np.random.default_rng(0), "float64").weights
    np.testing.assert_array_equal(double["unembed.W_U"].astype("float32"), w["unembed.W_U"])


def test_random_weights_have_the_variance_of_their_fan_in():
    config = Config(600, 64, 1, 5, 600, d_head=24, d_mlp=200, d_vocab_out=700, biases=True)
    weights = random_weights(config, np.random.default_rng(0), "float64")
    fan_in = {"W_O": 5 * 24, "W_out": 200}  # what a product sums over; 64 for the others
    for name, w in weights.items():
        last = name.rpartition(".")[-1]
        if last.startswith("W_"):
            assert w.var() * fan_in.get(last, 64) == pytest.approx(1, rel=0.06), name
            assert abs(w.mean()) < 5 / math.sqrt(w.size * fan_in.get(last, 64))
        else:
            assert not w.any()


def test_edits_change_what_follows(backend):
    model = make("attention only").to(backend(np.empty(0)))
    tokens = np.array([1, 2, 3, 4])
    plain = model.trace(tokens)
    cut = model.trace(tokens, edit={"blocks.0.attn.result": lambda r: 0 * r})
    assert to_numpy(cut["blocks.0.attn_out"]).max() == 0
    assert not np.allclose(to_numpy(cut.logits), to_numpy(plain.logits))
    patched = model.trace(
        tokens, edit={"blocks.1.resid_pre": lambda r: plain["blocks.1.resid_pre"]}
    )
    np.testing.assert_allclose(to_numpy(patched.logits), to_numpy(plain.logits))
    kept = model.trace(tokens, keep="blocks.*.attn.pattern")
    assert list(kept) == ["blocks.0.attn.pattern", "blocks.1.attn.pattern", "logits"]


@pytest.mark.parametrize("size", [1.0, 30.0, 1e4])
def test_large_scores_neither_overflow_nor_vanish(size, backend):
    """Queries and keys so long that e^score alone would not fit: a softmax is shift-invariant."""
    model = make("attention only", "float32")
    weights = dict(model.weights)
    for name in ("blocks.0.attn.W_Q", "blocks.1.attn.W_K"):
        weights[name] = weights[name] * np.float32(size)
    model = Transformer(model.config, weights).to(backend(np.empty(0)))
    tokens = np.random.default_rng(6).integers(0, 11, (2, 9))
    out = to_numpy(model(tokens))
    assert np.isfinite(out).all()
    np.testing.assert_allclose(out, to_numpy(model.trace(tokens).logits), atol=1e-4)


def test_half_precision_does_not_overflow():
    """e^20 is infinite in float16: there a row's maximum is always subtracted."""
    model = make("attention only", "float16")
    name = "blocks.0.attn.W_Q"
    model = Transformer(model.config, model.weights | {name: model.weights[name] * 20})
    trace = model.trace(np.arange(9))
    scores = trace["blocks.0.attn.scores"]
    assert abs(scores[np.isfinite(scores)]).max() > 12
    np.testing.assert_allclose(model(np.arange(9)), trace.logits, atol=0.05)
