"""Read a model of GPT-2's architecture: the same weights, renamed, give the same logits."""

from __future__ import annotations

from typing import Any

from vsacourse.transformer.config import Activation, Config
from vsacourse.transformer.model import Transformer

__all__ = ["from_gpt2"]

_ACTIVATIONS: dict[str, Activation] = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
}


def from_gpt2(model: Any) -> Transformer:
    """Return the transformer that computes what a ``transformers.GPT2LMHeadModel`` computes.

    GPT-2 keeps W_Q, W_K and W_V of all heads in one matrix, ``c_attn``, of shape
    ``(d_model, 3 · heads · d_head)``, and unembeds with the transposed embedding.

    Args:
        model: a ``GPT2LMHeadModel``; the weights are copied, as torch tensors where they lie.

    Raises:
        ValueError: another architecture, or an option of it that this library does not compute.
    """
    settings = getattr(model, "config", None)
    kind = getattr(settings, "model_type", None)
    if settings is None or kind != "gpt2" or not hasattr(model, "lm_head"):
        raise ValueError(
            f"the model is a {type(model).__name__} ({kind or 'no configuration'}); a "
            "GPT2LMHeadModel is needed."
        )
    _refuse_options(settings)
    d, heads = settings.n_embd, settings.n_head
    config = Config(
        d_vocab=settings.vocab_size,
        d_model=d,
        n_layers=settings.n_layer,
        n_heads=heads,
        n_ctx=settings.n_positions,
        d_mlp=settings.n_inner or 4 * d,
        layer_norm=True,
        biases=True,
        activation=_ACTIVATIONS[settings.activation_function],
        layer_norm_eps=float(settings.layer_norm_epsilon),
        scale=None if settings.scale_attn_weights else 1.0,
    )
    state = {name: w.detach().clone() for name, w in model.state_dict().items()}
    W_E = state["transformer.wte.weight"]
    weights = {
        "embed.W_E": W_E,
        "pos_embed.W_pos": state["transformer.wpe.weight"],
        "ln_final.w": state["transformer.ln_f.weight"],
        "ln_final.b": state["transformer.ln_f.bias"],
        "unembed.W_U": state["lm_head.weight"].T.contiguous(),
        "unembed.b_U": W_E.new_zeros(config.d_vocab),
    }
    for layer in range(config.n_layers):
        weights |= _block(state, f"transformer.h.{layer}", f"blocks.{layer}", heads)
    return Transformer(config, weights)


def _block(state: dict[str, Any], theirs: str, ours: str, heads: int) -> dict[str, Any]:
    """Return the weights of one block under this library's names."""
    qkv, bias = state[f"{theirs}.attn.c_attn.weight"], state[f"{theirs}.attn.c_attn.bias"]
    d = qkv.shape[0]
    # [d_model, 3 · head · d_head] -> [3, head, d_model, d_head]
    W = qkv.reshape(d, 3, heads, d // heads).permute(1, 2, 0, 3).contiguous()
    b = bias.reshape(3, heads, d // heads)
    weights = {f"{ours}.attn.W_{name}": W[i] for i, name in enumerate("QKV")}
    weights |= {f"{ours}.attn.b_{name}": b[i] for i, name in enumerate("QKV")}
    W_O = state[f"{theirs}.attn.c_proj.weight"]  # [head · d_head, d_model]
    return weights | {
        f"{ours}.attn.W_O": W_O.reshape(heads, d // heads, d),
        f"{ours}.attn.b_O": state[f"{theirs}.attn.c_proj.bias"],
        f"{ours}.ln1.w": state[f"{theirs}.ln_1.weight"],
        f"{ours}.ln1.b": state[f"{theirs}.ln_1.bias"],
        f"{ours}.ln2.w": state[f"{theirs}.ln_2.weight"],
        f"{ours}.ln2.b": state[f"{theirs}.ln_2.bias"],
        f"{ours}.mlp.W_in": state[f"{theirs}.mlp.c_fc.weight"],
        f"{ours}.mlp.b_in": state[f"{theirs}.mlp.c_fc.bias"],
        f"{ours}.mlp.W_out": state[f"{theirs}.mlp.c_proj.weight"],
        f"{ours}.mlp.b_out": state[f"{theirs}.mlp.c_proj.bias"],
    }


def _refuse_options(settings: Any) -> None:
    """Refuse what would make the logits differ."""
    for name in (
        "scale_attn_by_inverse_layer_idx",
        "reorder_and_upcast_attn",
        "add_cross_attention",
    ):
        if getattr(settings, name, False):
            raise ValueError(f"from_gpt2: the model sets {name}, which is not computed here.")
    if settings.activation_function not in _ACTIVATIONS:
        raise ValueError(
            f"from_gpt2: the activation is {settings.activation_function!r}; one of "
            f"{', '.join(_ACTIVATIONS)} is needed."
        )
