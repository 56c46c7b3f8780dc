"""What a head does to the residual stream, as matrices: QK, OV, and both between tokens.

A head acts only through W_Q W_Kᵀ (where it looks) and W_V W_O (what it moves). Rows act from the
left: a score is x QK xᵀ, and what a head writes is x OV. Elhage et al. (2021), who named the
circuits, write columns: their W_OV = W_O W_V is ours transposed.

Biases and LayerNorm are left out: a circuit is the linear part. With rotary positions QK is the
circuit between equal positions.
"""

from __future__ import annotations

from typing import Any

from vsacourse.backend import matrix_transpose
from vsacourse.transformer.arguments import checked_head
from vsacourse.transformer.model import Transformer

__all__ = ["copying_circuit", "matching_circuit", "ov_circuit", "qk_circuit"]


def qk_circuit(model: Transformer, layer: int, head: int) -> Any:
    """Return QK = W_Q W_Kᵀ scale, ``(d_model, d_model)``: the score of x attending to y is x QK yᵀ.

    Raises:
        ValueError: there is no such layer or head.
    """
    W_Q, W_K = _weights(model, layer, head, "QK")
    return W_Q @ matrix_transpose(W_K) * model.config.scale


def ov_circuit(model: Transformer, layer: int, head: int) -> Any:
    """Return OV = W_V W_O, ``(d_model, d_model)``: attending to y writes y OV.

    Raises:
        ValueError: there is no such layer or head.
    """
    W_V, W_O = _weights(model, layer, head, "VO")
    return W_V @ W_O


def matching_circuit(model: Transformer, layer: int, head: int) -> Any:
    """Return W_E QK W_Eᵀ, ``(d_vocab, d_vocab)``: the score of token a (query) for token b (key).

    Raises:
        ValueError: there is no such layer or head.
    """
    W_E = model.weights["embed.W_E"]
    return W_E @ qk_circuit(model, layer, head) @ matrix_transpose(W_E)


def copying_circuit(model: Transformer, layer: int, head: int) -> Any:
    """Return W_E OV W_U, ``(d_vocab, d_vocab_out)``: what attending to token a adds to each logit.

    Raises:
        ValueError: there is no such layer or head.
    """
    W_E, W_U = model.weights["embed.W_E"], model.weights["unembed.W_U"]
    return W_E @ ov_circuit(model, layer, head) @ W_U


def _weights(model: Transformer, layer: int, head: int, names: str) -> list[Any]:
    layer, head = checked_head(model.config, layer, head)
    return [model.weights[f"blocks.{layer}.attn.W_{name}"][head] for name in names]
