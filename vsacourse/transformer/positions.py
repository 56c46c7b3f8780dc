"""Where a token stands: sinusoids that are added, and rotations of queries and keys."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from vsacourse.backend import A, array_namespace, asarray_like, dtype_name
from vsacourse.transformer.config import Config, Pairing

__all__ = ["rotary_angles", "rotate", "sinusoids"]


def sinusoids(n: int, d_model: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """Return p[t, 2i] = sin(t base^(−2i/d)), p[t, 2i + 1] = cos(t base^(−2i/d)), ``(n, d_model)``.

    Source: Vaswani et al. (2017), section 3.5.
    """
    angles = np.outer(np.arange(n), base ** (-np.arange(0, d_model, 2) / d_model))
    p = np.empty((n, d_model))
    p[:, 0::2], p[:, 1::2] = np.sin(angles), np.cos(angles[:, : d_model // 2])
    return p


def rotary_angles(n: int, d_head: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """Return θ[t, i] = t base^(−2i/d_head), of pair i at position t: ``(n, d_head/2)``.

    Raises:
        ValueError: an odd d_head.
    """
    if d_head % 2:
        raise ValueError(f"rotary_angles: d_head is {d_head}; pairs are turned: an even one.")
    return np.outer(np.arange(n), base ** (-np.arange(0, d_head, 2) / d_head))


def rotate(x: A, angles: NDArray[np.float64], pairing: Pairing = "halves") -> A:
    """Turn each pair (x_a, x_b) by its angle: (x_a cos θ − x_b sin θ, x_a sin θ + x_b cos θ).

    ``x`` is ``(..., pos, d_head)`` and ``angles`` ``(pos, d_head/2)``. As complex numbers
    z = x_a + i x_b it is z e^(iθ), binding with a phasor. ``pairing`` says which components are a
    pair: i and i + d_head/2 (``"halves"``), or 2i and 2i + 1 (``"interleaved"``).

    Raises:
        ValueError: an unknown pairing, an odd d_head, or angles of another shape.
        TypeError: x is not of real floats.

    Source: Su et al. (2021), RoFormer; "halves" is the form of GPT-NeoX and Llama.
    """
    xp: Any = array_namespace(x)
    if pairing not in get_args(Pairing):
        raise ValueError(
            f"rotate: pairing is {pairing!r}; one of {', '.join(map(repr, get_args(Pairing)))} is "
            "needed."
        )
    if "float" not in dtype_name(x.dtype):
        raise TypeError(f"rotate: x is {dtype_name(x.dtype)}; real floats are needed.")
    if x.ndim < 2 or x.shape[-1] % 2:
        raise ValueError(
            f"rotate: x has shape {tuple(x.shape)}; (..., pos, d_head) with an even d_head is "
            "needed. A single vector is x[None, :]."
        )
    needed = (x.shape[-2], x.shape[-1] // 2)
    if tuple(np.shape(angles)) != needed:
        raise ValueError(
            f"rotate: the angles have shape {tuple(np.shape(angles))}; x, of shape "
            f"{tuple(x.shape)}, needs {needed}, an angle for each position and pair."
        )
    cos, sin = asarray_like(np.cos(angles), x), asarray_like(np.sin(angles), x)
    half = x.shape[-1] // 2
    if pairing == "halves":
        a, b = x[..., :half], x[..., half:]
        return xp.concat((a * cos - b * sin, a * sin + b * cos), axis=-1)
    a, b = x[..., 0::2], x[..., 1::2]
    turned = xp.stack((a * cos - b * sin, a * sin + b * cos), axis=-1)  # [..., pos, pair, 2]
    return turned.reshape(x.shape)


def position_vectors(config: Config, weights: Any, n: int, like: A) -> A | None:
    """Return the n vectors that are added, ``(n, d_model)``, or None if there are none."""
    if config.positions == "learned":
        return weights["pos_embed.W_pos"][:n]
    if config.positions == "sinusoidal":
        return asarray_like(sinusoids(n, config.d_model), like)
    return None
