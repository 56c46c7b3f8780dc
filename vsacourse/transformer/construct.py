"""An induction head written down, weight by weight: layer 1 binds, layer 2 unbinds and copies.

With the token e_t and the position p_t of each place t, and the role map R ("the previous token")::

    stream       x_t = e_t + p_t
    layer 1      W_QK = β Σ_t p_tᵀ p_(t−1)   place t attends to place t − 1 …
                 W_OV = R                    … and adds e_(t−1) R: bound, and superposed
    layer 2      W_QK = β R                  e_t R (e_(s−1) R)ᵀ = e_t · e_(s−1): place t attends
                                             to each place s whose previous token is its own
                 W_OV = gain I               and copies the token that is there
    logits       W_U = W_Eᵀ

The match is unbinding: x R asks for what stands under the role, and R Rᵀ = I gives it back. Every
other product of a part of the query with a part of the key is crosstalk; ``crosstalk_variance``
in ``theory`` counts it. Layer 2 needs no unbinding to *copy*: it reads the token, not the role.

Source: the induction head of Elhage et al. (2021), A mathematical framework for transformer
circuits, and Olsson et al. (2022); roles and positions as vector-symbolic codes are this course's.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vsacourse.algebra import FHRR, HRR, MAP, MBAT
from vsacourse.backend import real_pairs
from vsacourse.transformer.arguments import check_generator, whole
from vsacourse.transformer.config import Config
from vsacourse.transformer.model import Transformer

__all__ = ["induction_head", "one_hot_induction_head", "position_code", "role_map"]

Role = Literal["orthogonal", "unitary HRR", "permutation", "raw HRR", "MAP"]
Positions = Literal["fhrr", "random"]


def role_map(role: Role, dim: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw R, ``(d, d)``, with e R = bind(e, r) for a random role r; rows act from the left.

    - ``"orthogonal"``: a Haar-random orthogonal matrix (MBAT).
    - ``"unitary HRR"``: circular convolution with a vector of flat spectrum; orthogonal.
    - ``"permutation"``: the components of e in another random order; orthogonal.
    - ``"raw HRR"``: circular convolution with r ~ N(0, 1/d); R Rᵀ is I only on average.
    - ``"MAP"``: componentwise signs; orthogonal *and* its own inverse, R² = I.

    Raises:
        ValueError: an unknown role, or a dimension below 1.
        TypeError: ``rng`` is not a ``numpy.random.Generator``.
    """
    if role not in get_args(Role):
        raise ValueError(f"role_map: the role is {role!r}; one of {get_args(Role)} is needed.")
    if role == "orthogonal":
        return np.asarray(MBAT(dim).role_matrices(1, rng, "float64")[0])
    if role == "permutation":
        check_generator("role_map", rng)
        return np.eye(whole("role_map", "dim", dim, 1))[rng.permutation(dim)]
    if role == "MAP":
        return np.diag(MAP(dim).random(1, rng)[0]).astype(float)
    model = HRR(dim)
    r = (
        model.unitary(1, rng, "float64")
        if role == "unitary HRR"
        else model.random(1, rng, "float64")
    )
    return np.asarray(model.bind(np.eye(dim), r[0]))  # row i is e_i bound to r


def position_code(
    positions: Positions, n: int, dim: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw unit vectors p_t, ``(n, d)``, and the map B, ``(d, d)``, that takes p_t near p_(t−1).

    - ``"fhrr"``: p_t = z^t for a phasor z, written as d/2 pairs of a real and an imaginary part.
      B turns each pair back by one step: p_t B = p_(t−1) *exactly*, so that the score of the
      previous place is 1, and every other's is below it.
    - ``"random"``: unrelated directions; B = Σ_t p_tᵀ p_(t−1), so that p_t B is p_(t−1) and the
      crosstalk of the others.

    Raises:
        ValueError: unknown positions, n or the dimension below 1, or an odd dimension of
            ``"fhrr"``.
        TypeError: ``rng`` is not a ``numpy.random.Generator``.
    """
    if positions not in get_args(Positions):
        raise ValueError(
            f"position_code: the code is {positions!r}; one of {get_args(Positions)} is needed."
        )
    n, dim = (whole("position_code", name, x, 1) for name, x in (("n", n), ("dim", dim)))
    if positions == "random":
        check_generator("position_code", rng)
        p = _unit(rng.standard_normal((n, dim)))
        return p, p[1:].T @ p[:-1]
    if dim % 2:
        raise ValueError(f'position_code: dim is {dim}; "fhrr" needs an even one, a pair a phasor.')
    model = FHRR(dim // 2)
    z = model.random(1, rng, "complex128")[0]
    steps = np.arange(n)[:, None]
    p = real_pairs(model.power(z, steps)) / math.sqrt(dim // 2)  # re, im, re, im …
    # (a + bi) conj(z) as a row: (a, b) [[re, −im], [im, re]]
    back = np.zeros((dim, dim))
    even, odd = np.arange(0, dim, 2), np.arange(1, dim, 2)
    back[even, even] = back[odd, odd] = z.real
    back[even, odd], back[odd, even] = -z.imag, z.imag
    return p, back


def induction_head(
    d_vocab: int,
    n_ctx: int,
    dim: int,
    rng: np.random.Generator,
    *,
    role: Role | NDArray[Any] = "orthogonal",
    positions: Positions = "fhrr",
    superposed: bool = False,
    beta: float = 30.0,
    gain: float = 5.0,
    dtype: DTypeLike = "float32",
) -> Transformer:
    """Return a transformer of two layers, one head each, that is an induction head.

    Tokens are random unit vectors. The tokens' part of the stream has ``dim`` dimensions.
    Give every sequence a token at place 0 that occurs nowhere else, a start token: place 0 has no
    previous place, so its head attends to itself, and it would claim to be preceded by its own
    token.

    Args:
        d_vocab: the number of tokens, the start token included.
        n_ctx: the largest number of places.
        dim: the dimension d of a token.
        rng: draws tokens, positions and role.
        role: the role map R: a name (see ``role_map``), or a matrix ``(d, d)``.
        positions: see ``position_code``.
        superposed: False: positions have ``dim`` dimensions of their own, and d_model is 2 dim.
            True: they are added to the tokens in the same dimensions.
        beta: the score of a perfect match, in both layers (the inverse temperature).
        gain: how much of the attended token layer 2 adds; above 1, since the stream holds the
            present token with weight 1.
        dtype: of the weights.

    Returns:
        A ``Transformer`` on NumPy, with d_head = d_model and scores that are not scaled.

    Raises:
        ValueError: a size below 1, beta or gain not above 0, a role of another shape.
        TypeError: ``rng`` is not a ``numpy.random.Generator``, or the role is not of real numbers.

    >>> import numpy as np
    >>> model = induction_head(6, 7, 256, np.random.default_rng(0))
    >>> tokens = [5, 0, 1, 2, 3, 0]  # start A B C D A → B
    >>> int(model(tokens)[-1].argmax())
    1
    """
    check_generator("induction_head", rng)
    sizes = {"d_vocab": d_vocab, "n_ctx": n_ctx, "dim": dim}
    d_vocab, n_ctx, dim = (whole("induction_head", name, x, 1) for name, x in sizes.items())
    beta, gain = _above_0("beta", beta), _above_0("gain", gain)
    tokens = _unit(rng.standard_normal((d_vocab, dim)))
    p, back = position_code(positions, n_ctx, dim, rng)
    R = role_map(role, dim, rng) if isinstance(role, str) else _real_map(role)
    if R.shape != (dim, dim):
        raise ValueError(
            f"induction_head: the role map has shape {R.shape}; dim = {dim} needs ({dim}, {dim})."
        )
    token_part = slice(0, dim)
    position_part = token_part if superposed else slice(dim, 2 * dim)
    d_model = dim if superposed else 2 * dim
    return _two_heads(
        W_E=_placed(tokens, d_model, None, token_part),
        W_pos=_placed(p, d_model, None, position_part),
        QK=(
            beta * _placed(back, d_model, position_part, position_part),
            beta * _placed(R, d_model, token_part, token_part),
        ),
        OV=(
            _placed(R, d_model, token_part, token_part),
            gain * _placed(np.eye(dim), d_model, token_part, token_part),
        ),
        dtype=dtype,
    )


def one_hot_induction_head(
    d_vocab: int,
    n_ctx: int,
    *,
    beta: float = 30.0,
    gain: float = 5.0,
    dtype: DTypeLike = "float32",
) -> Transformer:
    """Return the same induction head without crosstalk: d_model = 2 d_vocab + n_ctx, one-hot.

    The stream is three blocks: the token, the previous token (layer 1 writes it there: the role is
    a *place*), and the position. It is the tensor product with orthonormal roles, and the oracle
    that every metric is tested on.

    Raises:
        ValueError: a size below 1, beta or gain not above 0.

    >>> model = one_hot_induction_head(6, 7)
    >>> int(model([5, 0, 1, 2, 3, 0])[-1].argmax())
    1
    """
    sizes = {"d_vocab": d_vocab, "n_ctx": n_ctx}
    V, T = (whole("one_hot_induction_head", name, x, 1) for name, x in sizes.items())
    beta, gain = _above_0("beta", beta), _above_0("gain", gain)
    d_model = 2 * V + T
    token, previous, position = slice(0, V), slice(V, 2 * V), slice(2 * V, d_model)
    to_previous = _placed(np.eye(V), d_model, token, previous)
    return _two_heads(
        W_E=_placed(np.eye(V), d_model, None, token),
        W_pos=_placed(np.eye(T), d_model, None, position),
        QK=(
            beta * _placed(np.eye(T, k=-1), d_model, position, position),  # t asks for t − 1
            beta * to_previous,
        ),
        OV=(to_previous, gain * _placed(np.eye(V), d_model, token, token)),
        dtype=dtype,
    )


def _two_heads(W_E: Any, W_pos: Any, QK: Any, OV: Any, dtype: DTypeLike) -> Transformer:
    """Return the transformer with these circuits; W_K and W_O are I, so that W_Q is QK, W_V OV."""
    (d_vocab, d_model), n_ctx = W_E.shape, len(W_pos)
    config = Config(d_vocab, d_model, n_layers=2, n_heads=1, n_ctx=n_ctx, d_head=d_model, scale=1.0)
    weights = {"embed.W_E": W_E, "pos_embed.W_pos": W_pos, "unembed.W_U": W_E.T}
    for layer in range(2):
        circuits = {"Q": QK[layer], "K": np.eye(d_model), "V": OV[layer], "O": np.eye(d_model)}
        weights |= {f"blocks.{layer}.attn.W_{name}": W[None] for name, W in circuits.items()}
    return Transformer(config, {name: W.astype(dtype) for name, W in weights.items()})


def _placed(block: Any, d_model: int, rows: slice | None, columns: slice) -> NDArray[np.float64]:
    """Return zeros with the block at these rows (None: all of its own) and columns."""
    whole = np.zeros((len(block) if rows is None else d_model, d_model))
    whole[slice(None) if rows is None else rows, columns] = block
    return whole


def _real_map(role: Any) -> NDArray[np.float64]:
    R = np.asarray(role)
    if R.dtype.kind not in "iuf":
        raise TypeError(f"induction_head: the role map is {R.dtype}; real numbers are needed.")
    return R.astype(float)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def _above_0(name: str, value: Any) -> float:
    if not (isinstance(value, int | float | np.number) and 0 < value < math.inf):
        raise ValueError(f"{name} is {value!r}; a finite number above 0 is needed.")
    return float(value)
