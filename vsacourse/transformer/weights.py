"""The weights of a transformer: their names and shapes, how they are drawn, how they are checked.

Names and shapes are those of TransformerLens::

    embed.W_E             [d_vocab, d_model]
    pos_embed.W_pos       [n_ctx, d_model]               learned positions
    blocks.0.ln1.w, .b    [d_model]                      with LayerNorm
    blocks.0.attn.W_Q     [n_heads, d_model, d_head]     W_K and W_V too
    blocks.0.attn.b_Q     [n_heads, d_head]              with biases; b_K and b_V too
    blocks.0.attn.W_O     [n_heads, d_head, d_model]
    blocks.0.attn.b_O     [d_model]                      with biases
    blocks.0.ln2.w, .b    [d_model]                      with LayerNorm and an MLP
    blocks.0.mlp.W_in     [d_model, d_mlp]               b_in [d_mlp]
    blocks.0.mlp.W_out    [d_mlp, d_model]               b_out [d_model]
    ln_final.w, .b        [d_model]                      with LayerNorm
    unembed.W_U           [d_model, d_vocab_out]         b_U [d_vocab_out]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vsacourse.backend import array_namespace, dtype_name, first_non_finite
from vsacourse.transformer.arguments import check_generator
from vsacourse.transformer.config import Config

__all__ = ["Weights", "check_weights", "random_weights", "weight_shapes"]

Weights = Mapping[str, Any]
"""Name -> array; NumPy arrays or torch tensors."""


def weight_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight, by name, in the order of the forward pass."""
    d, heads, d_head = config.d_model, config.n_heads, config.head_size
    norm: dict[str, tuple[int, ...]] = {"w": (d,), "b": (d,)} if config.layer_norm else {}
    attention: dict[str, tuple[int, ...]] = {f"W_{x}": (heads, d, d_head) for x in "QKV"}
    attention["W_O"] = (heads, d_head, d)
    if config.biases:
        attention |= {f"b_{x}": (heads, d_head) for x in "QKV"} | {"b_O": (d,)}
    mlp: dict[str, tuple[int, ...]] = {}
    if config.d_mlp:
        mlp = {"W_in": (d, config.d_mlp), "W_out": (config.d_mlp, d)}
        mlp |= {"b_in": (config.d_mlp,), "b_out": (d,)} if config.biases else {}

    shapes: dict[str, tuple[int, ...]] = {"embed.W_E": (config.d_vocab, d)}
    if config.positions == "learned":
        shapes["pos_embed.W_pos"] = (config.n_ctx, d)
    for layer in range(config.n_layers):
        parts = {"ln1": norm, "attn": attention, "ln2": norm if mlp else {}, "mlp": mlp}
        shapes |= {
            f"blocks.{layer}.{part}.{name}": shape
            for part, names in parts.items()
            for name, shape in names.items()
        }
    shapes |= {f"ln_final.{name}": shape for name, shape in norm.items()}
    vocabulary = int(config.d_vocab_out or 0)
    shapes["unembed.W_U"] = (d, vocabulary)
    if config.biases:
        shapes["unembed.b_U"] = (vocabulary,)
    return shapes


def random_weights(
    config: Config, rng: np.random.Generator, dtype: DTypeLike = "float32"
) -> dict[str, NDArray[Any]]:
    """Draw the weights: W ~ N(0, 1/fan-in), biases 0, LayerNorm 1 and 0; as NumPy.

    Fan-in is the number of components that a product sums over: d_model for W_Q, W_K, W_V, W_in and
    W_U, n_heads d_head for W_O, d_mlp for W_out. Embeddings and learned positions have variance
    1/d_model, so that every token's vector has length 1 on average. One seed gives the same
    weights in every dtype.

    Raises:
        TypeError: ``rng`` is not a ``numpy.random.Generator``.
    """
    check_generator("random_weights", rng)
    fan_in = {"W_O": config.n_heads * config.head_size, "W_out": config.d_mlp}
    weights = {}
    for name, shape in weight_shapes(config).items():
        last = name.rpartition(".")[-1]
        if last.startswith("W_"):
            sd = 1 / math.sqrt(fan_in.get(last, config.d_model))
            weights[name] = (sd * rng.standard_normal(shape)).astype(dtype)
        else:
            weights[name] = np.full(shape, last == "w", dtype)
    return weights


def check_weights(config: Config, weights: Weights) -> None:
    """Refuse weights that do not belong to the configuration, or that are not finite.

    Raises:
        ValueError: a weight is missing, unknown, of another shape, or not finite; it is named.
        TypeError: not a mapping, a weight is not an array of floats, or they are of several kinds
            or dtypes.
    """
    if not isinstance(weights, Mapping):
        raise TypeError(
            f"the weights are a {type(weights).__name__}; a dictionary of name -> array is needed."
        )
    shapes = weight_shapes(config)
    missing, unknown = sorted(shapes.keys() - weights), sorted(map(str, weights.keys() - shapes))
    if missing or unknown:
        what = [f"{', '.join(missing)} missing"] * bool(missing)
        what += [f"{', '.join(unknown)} unknown"] * bool(unknown)
        raise ValueError(
            f"the weights do not fit the configuration: {'; '.join(what)}. "
            "weight_shapes(config) lists what is needed."
        )
    array_namespace(*weights.values())
    dtypes = {dtype_name(weights[name].dtype): name for name in shapes}
    for dtype, name in dtypes.items():
        if "float" not in dtype:
            raise TypeError(f"the weight {name} is {dtype}; floats are needed.")
    if len(dtypes) > 1:
        raise TypeError(f"the weights have the dtypes {', '.join(dtypes)}; one is needed.")
    for name, shape in shapes.items():
        given = tuple(weights[name].shape)
        if given != shape:
            raise ValueError(
                f"the weight {name} has shape {given}; the configuration needs {shape}."
            )
        where = first_non_finite(weights[name])
        if where is not None:
            raise ValueError(
                f"the weight {name} is not finite at index {where}. Look at the step that made it."
            )
