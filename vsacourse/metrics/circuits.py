"""What a head's matrices do: whether they copy, and whether one head reads what another wrote.

Rows act from the left, as in ``transformer.circuits``: a score is x QK yᵀ, a head writes x OV.
"""

from __future__ import annotations

import math
from typing import Any

from vsacourse.backend import array_namespace, matrix_transpose, to_backend
from vsacourse.metrics.checks import floats, head_pair, scaled, square, wide
from vsacourse.metrics.gauge import matching_margin
from vsacourse.metrics.scores import top1
from vsacourse.transformer import Transformer
from vsacourse.transformer.arguments import is_whole
from vsacourse.transformer.circuits import ov_circuit, qk_circuit

__all__ = [
    "composed_circuit",
    "composed_match",
    "composition",
    "composition_floor",
    "composition_scores",
    "copying_score",
    "match_accuracy",
]


def copying_score(circuit: Any) -> Any:
    """Return Re Σ λ / Σ abs(λ), over the eigenvalues λ of a circuit between tokens.

    1 if every eigenvalue is positive (attending to a token raises it), −1 if all are negative, 0 on
    average for a random map. Take ``copying_circuit``, W_E OV W_U; the smaller OV W_U W_E has the
    same eigenvalues other than 0, and so the same score.

    A head that copies *and binds* does not look like one. A map of the stream that turns every
    plane by θ scores cos θ: .98 at 10°, .5 at 60°; a rotation drawn at random (Haar) scores its
    trace over d, 0 ± 1/d. Between fewer tokens than dimensions part of the turn is crosstalk and
    the score is higher (60°, d = 128: .65 for 128 random embeddings, .74 for 64, .83 for 32). So
    score after unbinding too: with a role map R, the score of W_E OV Rᵀ W_U is 1 where the head
    writes the token under R.

    >>> import numpy as np
    >>> R = np.array([[0.6, 0.8], [-0.8, 0.6]])  # a turn by 53°
    >>> round(float(copying_score(R)), 12), round(float(copying_score(R @ R.T)), 12)
    (0.6, 1.0)

    Args:
        circuit: ``(..., n, n)``.

    Returns:
        ``(...)``, one score for each matrix.

    Raises:
        ValueError: not square, not finite, or with no eigenvalue other than 0, up to rounding: if
            Σ abs(λ) is at most 4 √(n ε) ‖C‖, where the rounding of a C with C² = 0, in whatever
            basis, may put it. (Of a longer chain, C³ = 0 or more, rounding makes larger ones.)
        TypeError: not of real floats.

    Source: Elhage et al. (2021), A mathematical framework for transformer circuits.
    """
    xp: Any = array_namespace(square("the circuit", circuit))
    C = scaled(wide(circuit)[0])[0]
    eigenvalues = xp.linalg.eigvals(C)  # [..., n], complex
    size = abs(eigenvalues).sum(-1)
    rounding = 4 * math.sqrt(C.shape[-1] * xp.finfo(C.dtype).eps)  # λ² = ε, not λ, of C² = 0
    if bool((size <= rounding * _frobenius(C)).any()):
        raise ValueError(
            "the circuit has no eigenvalue other than 0, so nothing can be copied or inverted; "
            "score it after unbinding (times Rᵀ) if the head writes under a role."
        )
    return xp.real(eigenvalues).sum(-1) / size


def composition(first: Any, second: Any) -> Any:
    """Return ‖A B‖_F / (‖A‖_F ‖B‖_F): how much of what A writes B reads.

    From 0 to 1, and 1 only if both have rank 1 and fit. If their directions have nothing to do with
    one another, it is near ``composition_floor``. It sees which *subspaces* meet, not how they are
    turned: if A is orthogonal (a role that rotates the whole stream), it is 1/√d whatever B is,
    exactly the floor. A role that moves one subspace into another, as in one-hot blocks, it does
    see. Look at ``composed_match`` beside it.

    Args:
        first: A, ``(..., n, d)``: what the earlier head writes, its OV.
        second: B, ``(..., d, m)``: what the later head reads.

    Returns:
        ``(...)``.

    Raises:
        ValueError: shapes that do not fit, a matrix that is zero or not finite.
        TypeError: not of real floats.

    Source: Elhage et al. (2021).
    """
    floats("first", first, 2)
    floats("second", second, 2)
    array_namespace(first, second)
    if first.shape[-1] != second.shape[-2]:
        raise ValueError(
            f"first has shape {tuple(first.shape)} and second {tuple(second.shape)}; the last axis "
            "of the first and the one before the last of the second need to be alike."
        )
    A, B = (scaled(x)[0] for x in wide(first, second))
    a, b = _frobenius(A), _frobenius(B)
    for name, norm in (("first", a), ("second", b)):
        if not bool((norm > 0).all()):
            raise ValueError(f"{name} is a matrix of zeros; it composes with nothing.")
    return _frobenius(A @ B) / (a * b)


def composition_floor(d_model: int) -> float:
    """Return 1/√d_model: the root mean square of ``composition`` if directions are unrelated.

    For any two matrices, of any rank, of which one is turned at random: E‖A Q B‖² =
    ‖A‖² ‖B‖² / d over rotations Q. The mean lies below it, by no more than a factor √(2/π) (both
    of rank 1) and by under 1 % once both ranks are 8 or more.

    >>> round(composition_floor(128), 4)
    0.0884

    Raises:
        ValueError: not a whole number of at least 1.
    """
    if not is_whole(d_model) or d_model < 1:
        raise ValueError(f"d_model is {d_model!r}; a whole number of at least 1 is needed.")
    return 1 / math.sqrt(d_model)


def composition_scores(
    model: Transformer, first: tuple[int, int], second: tuple[int, int]
) -> dict[str, Any]:
    """Return the composition of OV₁ with QK₂ ("Q"), with QK₂ᵀ ("K") and with OV₂ ("V").

    What the first head writes enters the second head's query, key or value. Compare each with
    ``composition_floor(d_model)``. LayerNorm and biases are left out.

    Args:
        model: the transformer.
        first: (layer, head) of the head that writes.
        second: (layer, head) of one in a later layer, that reads.

    Raises:
        ValueError: there is no such head, the second is not in a later layer, or a circuit is zero.
        TypeError: not a pair of whole numbers.

    Source: Elhage et al. (2021), who write columns: there K has no transpose, and Q has it.
    """
    first, second = _in_order(model, first, second)
    OV, QK = ov_circuit(model, *first), qk_circuit(model, *second)
    reads = {"Q": QK, "K": matrix_transpose(QK), "V": ov_circuit(model, *second)}
    return {name: composition(OV, matrix) for name, matrix in reads.items()}


def composed_circuit(model: Transformer, first: tuple[int, int], second: tuple[int, int]) -> Any:
    """Return W_E QK₂ OV₁ᵀ W_Eᵀ, ``(d_vocab, d_vocab)``: the score of a for a key that holds b.

    The row a is the token at the query; the column b is the token that the first head moved to the
    key, under its role. In an induction head it is near a multiple of the identity: QK₂ has
    unbound what OV₁ bound.

    Raises:
        ValueError: there is no such head, or the second is not in a later layer.
        TypeError: not a pair of whole numbers.
    """
    first, second = _in_order(model, first, second)
    W_E = model.weights["embed.W_E"]
    keys = W_E @ ov_circuit(model, *first)  # [d_vocab, d_model], what the first head writes
    return W_E @ qk_circuit(model, *second) @ matrix_transpose(keys)


def composed_match(
    model: Transformer, first: tuple[int, int], second: tuple[int, int]
) -> dict[str, Any]:
    """Return "accuracy" and "margin" of the composed circuit: does each token find its own copy?

    The accuracy is ``match_accuracy``, 1/d_vocab by chance. The margin is the mean over tokens of
    ``matching_margin``, in units of scores: about log n is needed to outweigh n other keys.

    Raises:
        ValueError: there is no such head, or the second is not in a later layer.
        TypeError: not a pair of whole numbers.
    """
    circuit = composed_circuit(model, first, second)
    return {"accuracy": match_accuracy(circuit), "margin": matching_margin(circuit).mean(-1)}


def match_accuracy(circuit: Any) -> Any:
    """Return the share of rows whose largest entry is on the diagonal; a tie of k counts 1/k.

    ``(..., n, n)`` to ``(...)``.

    Raises:
        ValueError: not square, or not finite.
        TypeError: not of real floats.
    """
    xp: Any = array_namespace(square("the circuit", circuit))
    own = to_backend(xp.arange(circuit.shape[-1]), circuit)
    return top1(circuit, xp.broadcast_to(own, circuit.shape[:-1])).mean(-1)


def _in_order(model: Transformer, first: Any, second: Any) -> tuple[tuple[int, int], ...]:
    first = head_pair(model.config, first, "first")
    second = head_pair(model.config, second, "second")
    if first[0] >= second[0]:
        raise ValueError(
            f"first is {first} and second {second}; the second needs to be in a later layer, where "
            "it can read what the first wrote."
        )
    return first, second


def _frobenius(x: Any) -> Any:
    return (x**2).sum((-2, -1)) ** 0.5
