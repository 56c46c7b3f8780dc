"""The forward pass, line by line: tokens in, logits out.

Everything is a row vector: x W acts on x, a score is x W_Q W_Kᵀ xᵀ. Axes are always called
[batch, pos, d_model], [batch, head, pos, d_head] and [batch, head, query, key]; the batch may be
any number of axes, or none. The code is written once; given NumPy arrays it runs on NumPy, given
torch tensors on torch, with gradients, where the tensors live.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vsacourse.backend import (
    array_namespace,
    attend,
    copy,
    gelu,
    hide,
    matrix_transpose,
    normalized,
    softmax,
)
from vsacourse.transformer.config import Config
from vsacourse.transformer.inputs import checked_mask, checked_tokens
from vsacourse.transformer.positions import position_vectors, rotary_angles, rotate
from vsacourse.transformer.weights import Weights

__all__ = ["activation", "attention", "forward", "layer_norm", "mlp"]

See = Callable[[str, Any], Any]
"""Is shown every intermediate value with its name, and returns the value to go on with."""


def forward(
    config: Config, weights: Weights, tokens: Any, mask: Any = None, see: See | None = None
) -> Any:
    """Return logits = LN(x_final) W_U + b_U, of x_final = x_0 + Σ (what each sublayer adds).

    Args:
        config: the shape of the transformer.
        weights: name -> array, as ``weight_shapes`` lists them.
        tokens: whole numbers from 0 to d_vocab − 1, ``(..., pos)``.
        mask: None, or booleans that broadcast to ``(..., query, key)``: False hides a key from a
            query, in addition to the causal mask.
        see: None, or a function of a name and a value that returns the value to use; ``trace``
            records with it. Without it, torch computes attention in one fused step.

    Returns:
        The logits, ``(..., pos, d_vocab_out)``.

    Raises:
        ValueError: a token out of range, more positions than n_ctx, or a query whose keys are all
            hidden.
        TypeError: tokens that are not whole numbers, or a mask that is not of booleans.
    """
    tokens = checked_tokens(config, tokens, weights["embed.W_E"])
    mask = checked_mask(config, mask, tokens, weights["embed.W_E"])
    look = see or (lambda name, value: value)

    x = look("embed", weights["embed.W_E"][tokens])  # [batch, pos, d_model]
    positions = position_vectors(config, weights, tokens.shape[-1], x)  # [pos, d_model]
    if positions is not None:
        if see is not None:  # a copy: learned positions are a view of W_pos
            positions = see("pos_embed", copy(positions))
        if config.positions_in == "stream":
            x, positions = x + positions, None

    for layer in range(config.n_layers):
        block = f"blocks.{layer}"
        x = look(f"{block}.resid_pre", x)
        normed = look(f"{block}.ln1.normalized", layer_norm(config, weights, f"{block}.ln1", x))
        out = attention(config, weights, block, normed, positions, mask, see)
        x = x + look(f"{block}.attn_out", out)
        if config.d_mlp:
            x = look(f"{block}.resid_mid", x)
            normed = look(f"{block}.ln2.normalized", layer_norm(config, weights, f"{block}.ln2", x))
            x = x + look(f"{block}.mlp_out", mlp(config, weights, block, normed, see))
        x = look(f"{block}.resid_post", x)

    x = look("ln_final.normalized", layer_norm(config, weights, "ln_final", x))
    logits = x @ weights["unembed.W_U"]  # [batch, pos, d_vocab_out]
    if config.biases:
        logits = logits + weights["unembed.b_U"]
    return look("logits", logits)


def attention(
    config: Config,
    weights: Weights,
    block: str,
    x: Any,
    positions: Any = None,
    mask: Any = None,
    see: See | None = None,
) -> Any:
    """Return Σ_heads A v W_O, A = softmax(q kᵀ scale): ``(..., pos, d_model)`` both.

    q = x W_Q, k = x W_K, v = x W_V for every head; ``positions`` are added to x for q and k only.
    """
    attn = f"{block}.attn"
    W_Q, W_K, W_V, W_O = (weights[f"{attn}.W_{name}"] for name in "QKVO")
    at = x if positions is None else x + positions
    q, k, v = per_head(at, W_Q), per_head(at, W_K), per_head(x, W_V)  # [batch, head, pos, d_head]
    if config.biases:
        q, k, v = (
            y + weights[f"{attn}.b_{name}"][:, None, :]
            for y, name in zip((q, k, v), "QKV", strict=True)
        )
    if config.positions == "rotary":
        angles = rotary_angles(x.shape[-2], config.head_size, config.rotary_base)
        q, k = (rotate(y, angles, config.rotary_pairing) for y in (q, k))

    if see is None:
        z = attend(q, k, v, config.score_scale, config.causal, mask)
        out = side_by_side(z) @ W_O.reshape(-1, config.d_model)  # all heads in one product
    else:
        q, k, v = see(f"{attn}.q", q), see(f"{attn}.k", k), see(f"{attn}.v", v)
        scores = q @ matrix_transpose(k) * config.scale  # [batch, head, query, key]
        scores = see(f"{attn}.scores", hide(scores, config.causal, mask))
        pattern = see(f"{attn}.pattern", softmax(scores))
        z = see(f"{attn}.z", pattern @ v)  # [batch, head, query, d_head]
        result = see(f"{attn}.result", z @ W_O)  # [batch, head, query, d_model]
        out = result.sum(-3)
    return out + weights[f"{attn}.b_O"] if config.biases else out


def mlp(config: Config, weights: Weights, block: str, x: Any, see: See | None = None) -> Any:
    """Return act(x W_in + b_in) W_out + b_out: ``(..., pos, d_model)`` both."""
    look = see or (lambda name, value: value)
    pre = x @ weights[f"{block}.mlp.W_in"]  # [batch, pos, d_mlp]
    if config.biases:
        pre = pre + weights[f"{block}.mlp.b_in"]
    post = look(f"{block}.mlp.post", activation(config, look(f"{block}.mlp.pre", pre)))
    out = post @ weights[f"{block}.mlp.W_out"]
    return out + weights[f"{block}.mlp.b_out"] if config.biases else out


def layer_norm(config: Config, weights: Weights, name: str, x: Any) -> Any:
    """Return (x − mean) / √(variance + ε) · w + b over the last axis, or x without LayerNorm."""
    if not config.layer_norm:
        return x
    return normalized(x, config.layer_norm_eps) * weights[f"{name}.w"] + weights[f"{name}.b"]


def activation(config: Config, x: Any) -> Any:
    """Return max(x, 0), or x Φ(x) (GELU), exactly or with GPT-2's tanh.

    Source: Hendrycks & Gimpel (2016), Gaussian error linear units.
    """
    if config.activation == "relu":
        return x * (x > 0)
    return gelu(x, approximate=config.activation == "gelu_tanh")


def per_head(x: Any, W: Any) -> Any:
    """Return x W for every head, ``(..., head, pos, d_head)``; W is ``(head, d_model, d_head)``.

    It is ``x[..., None, :, :] @ W``, written as one product with all heads side by side, which
    BLAS does several times faster.
    """
    heads, d_model, d_head = W.shape
    xp = array_namespace(x)
    y = x @ xp.permute_dims(W, (1, 0, 2)).reshape(d_model, heads * d_head)  # [batch, pos, head·d]
    return swap(y.reshape((*x.shape[:-1], heads, d_head)))


def side_by_side(z: Any) -> Any:
    """Return ``(..., head, pos, d_head)`` as ``(..., pos, head · d_head)``."""
    z = swap(z)
    return z.reshape((*z.shape[:-2], z.shape[-2] * z.shape[-1]))


def swap(x: Any) -> Any:
    """Return x with its axes −2 and −3 exchanged: positions and heads."""
    axes = (*range(x.ndim - 3), x.ndim - 2, x.ndim - 3, x.ndim - 1)
    return array_namespace(x).permute_dims(x, axes)
