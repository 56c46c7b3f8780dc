"""Checks of lesson 07, softmax unbinding: attention, its temperature and its load."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.backend import softmax
from vsacourse.check.attempt import Attempt
from vsacourse.check.comparing import AnyOf
from vsacourse.check.core import exercise

LESSON = "07-softmax-unbinding"

Array = NDArray[Any]


def _attention_inputs(attempt: Attempt) -> tuple[Array, Array, Array, float, str]:
    """Queries, keys, values, β, and what is special in this draw."""
    n, d, m, beta = [
        (5, 3, 4, 1.0),
        (4, 4, 6, 0.5),
        (1, 6, 2, 2.0),
        (6, 2, 6, 0.8),
        (5, 3, 4, 400.0),
        (4, 3, 2, 1.0),
        (4, 3, 2, 1.0),
    ][attempt.draw]
    queries, keys = attempt.rng.normal(size=(2, n, d))
    values = attempt.rng.normal(size=(n, m))
    words = f"n = {n}, beta = {beta:g}"
    if attempt.draw == 5:  # what the first positions see lies far below what they don't
        queries, keys = abs(queries), abs(keys)
        keys[:2] *= -2_000_000
        words = "the first positions see only scores far below 0, and later ones are above"
    elif attempt.draw == 6:
        queries, keys = abs(queries), abs(keys)
        queries[[0, -1]] *= 20_000
        keys[-1] *= 0.05
        words = "large scores in the first and last row, small ones in the others"
    if beta > 99:
        words += f", scores up to {beta * (queries @ keys.T).max():.0f}"
    return queries, keys, values, beta, words


@exercise(
    lesson=LESSON,
    title="Softmax attention",
    minutes=5,
    difficulty=2,
    teaches="causal softmax attention that no score can break",
    hints=[
        "Which scores may count for position t, and which weight must all others have?",
        "A score of −inf gets the weight 0. And every row may be shifted: which number is safe to "
        "subtract, if the largest score of the row may belong to a later position?",
        "First `np.where(seen, scores, -np.inf)`, then subtract each row's maximum of *that*, then "
        "`np.exp`, then divide by the row's sum.",
    ],
    draws=7,
    anchor="Exercise-1-·-Softmax-attention",
)
def softmax_attention(attempt: Attempt) -> None:
    """``softmax_attention(queries, keys, values, beta)``: (n, d), (n, d), (n, m) -> (n, m)."""
    queries, keys, values, beta, words = _attention_inputs(attempt)
    (n, d), m = queries.shape, values.shape[1]
    dots = queries @ keys.T
    seen = np.tri(n, dtype=bool)
    scores = np.where(seen, beta * dots, -np.inf)
    weights = softmax(scores)
    got = attempt.array(
        attempt.call(queries, keys, values, beta),
        shape=(n, m),
        finite=False,
        mistakes={
            "These are the outputs as columns; each belongs into a row.": (m, n),
            "These are the weights: they still have to meet the values.": (n, n),
            "One answer for each position is asked for, not the last one only.": (m,),
        }
        if n > 1
        else None,
    )
    large = attempt.draw >= 4
    attempt.require(
        np.isfinite(got).all(),
        f"Some answers are NaN or infinite ({words}).",
        likely="`np.exp` overflows, or every weight underflows to 0: subtract from each row the "
        "largest score *that is seen*, after the mask."
        if large
        else "Position t sees itself, too: s ≤ t. A row of nothing but −inf has no weights."
        if np.isfinite(got[1:]).all()
        else "A mask times infinity? 0 · inf is NaN: set the hidden scores with `np.where`.",
    )
    mistakes: dict[str, Any] = {}
    if n > 1 and not large:
        full, bare = softmax(beta * dots), np.where(seen, dots, -np.inf)
        cut = np.where(seen, full, 0)
        zeros = softmax(np.tril(beta * dots))
        shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
        mistakes = {
            "Every position reads all values, the later ones too: s runs up to t only.": full
            @ values,
            "The mask came after the softmax: the weights that are left no longer sum to 1. Mask "
            "the scores.": cut @ values,
            "A score of 0 is not hidden: it has the weight e⁰ = 1. Use −inf.": zeros @ values,
            "`beta` is missing.": softmax(bare) @ values,
            "You divided by `beta`: it is the *inverse* temperature.": softmax(bare / beta)
            @ values,
            "You scaled by 1/√d as well; here `beta` is all there is.": softmax(
                scores / math.sqrt(d)
            )
            @ values,
            "You exchanged queries and keys: row t of the scores belongs to query t.": softmax(
                np.where(seen, beta * dots.T, -np.inf)
            )
            @ values,
            "These are the later positions: hide what lies above the diagonal.": softmax(
                np.where(seen.T, beta * dots, -np.inf)
            )
            @ values,
            "That is linear attention: the softmax is missing.": np.tril(beta * dots) @ values,
            "The softmax runs over the queries (columns); it runs over the keys, the last axis.": (
                AnyOf((softmax(scores.T).T @ values, shifted / shifted.sum(axis=0) @ values))
            ),
            "The exponentials are not divided by their sum.": np.where(seen, np.exp(beta * dots), 0)
            @ values,
            "Dot products count, not cosines: don't scale queries and keys to length 1.": softmax(
                scores
                / np.linalg.norm(queries, axis=1)[:, None]
                / np.linalg.norm(keys, axis=1)[None, :]
            )
            @ values,
            "Position t sees itself, too: s ≤ t.": lambda: _before(scores) @ values,
        }
    elif large:
        shift = beta * dots - (beta * dots).max()
        e = np.where(seen, np.exp(np.maximum(shift, -745)), 0)
        mistakes = {
            "Subtract the largest score of each row, not of the whole matrix: the other rows "
            "underflow.": lambda: e / e.sum(axis=1, keepdims=True) @ values,
            "The exponents were clipped: differences between large scores got lost. Subtract each "
            "row's largest score instead.": AnyOf(
                (
                    lambda: _clipped(beta * dots, seen) @ values,
                    lambda: _softmax_of_clipped(beta * dots, seen) @ values,
                )
            ),
            "Where all scores seen lie below the mask's number, the hidden ones win: hide with "
            "−inf.": AnyOf(
                softmax(hidden) @ values
                for size in (1e3, 1e4, 1e5, 1e6)  # set, or subtracted
                for hidden in (
                    np.where(seen, beta * dots, -size),
                    beta * dots - np.where(seen, 0, size),
                )
            ),
        }
    attempt.close(
        got,
        weights @ values,
        rtol=2e-3 if large else 1e-5,  # single precision, at scores of thousands
        what=f"the answers ({words})",
        mistakes=mistakes,
    )


def _before(scores: Array) -> Array:
    """Weights of s < t; the first row, which sees nothing, is zero."""
    weights = np.zeros_like(scores)
    for t in range(1, len(scores)):
        weights[t, :t] = softmax(scores[t, :t])
    return weights


def _softmax_of_clipped(scores: Array, seen: Array) -> Array:
    own = np.diag(scores)[:, None]
    weights: Array = np.where(seen, np.exp(np.clip(scores - own, -700, 700)), 0)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _clipped(scores: Array, seen: Array) -> Array:
    e = np.where(seen, np.exp(np.clip(scores, -500, 500)), 0)
    weights: Array = e / e.sum(axis=1, keepdims=True)
    return weights


@exercise(
    lesson=LESSON,
    title="How cold must it be?",
    minutes=6,
    difficulty=3,
    teaches="the formula for the weight turned round, and which of its two solutions counts",
    hints=[
        "Solve for the exponential first, then take the logarithm: what must β − β²/2d reach?",
        "Call that number L. With equality it is a quadratic equation, β² − 2dβ + 2dL = 0. Which "
        "of its roots lies below d?",
        "`dim - math.sqrt(dim**2 - 2 * dim * L)`, and L is the logarithm of (N − 1) · w/(1 − w).",
    ],
    draws=7,
    anchor="Exercise-2-·-How-cold-must-it-be?",
)
def smallest_beta(attempt: Attempt) -> None:
    """``smallest_beta(pairs, dim, weight)``: int, int, float -> float."""
    pairs, dim, weight = [
        (4, 16, 0.75),  # few keys: here N and N − 1 differ
        (64, 64, 0.9),
        (512, 128, 0.99),
        (2, 16, 0.75),
        (4096, 32, 0.999),
        (65, 64, 0.5),
        (100_000, 64, 0.3),
    ][attempt.draw]
    odds = weight / (1 - weight)
    needed = math.log((pairs - 1) * odds)

    def root(level: float, sign: int = -1) -> float:
        return dim + sign * math.sqrt(max(dim**2 - 2 * dim * level, 0.0))

    right = root(needed)
    got = attempt.scalar(attempt.call(pairs, dim, weight))
    near = abs(got - right) < 0.03 * right
    attempt.close(
        got,
        right,
        rtol=1e-3,
        atol=0.0,
        what=f"the smallest beta for {pairs} pairs, dim {dim}, weight {weight:g}",
        mistakes={
            "The term β²/2d is missing: some of the others are alike by chance.": needed,
            "That is the other root, above d: there the formula's weight falls with β, and the "
            "true one does not.": root(needed, 1),
            "There are N − 1 others, not N.": root(math.log(pairs * odds)),
            "w/(1 − w) is missing: (N − 1) e^(...) has to be at most 1/w − 1. You took it as "
            "1.": root(math.log(pairs - 1)),
            "The odds are the wrong way round: it is (1 − w)/w that the others may have.": root(
                math.log((pairs - 1) / odds)
            ),
            "That is 1/w where 1/w − 1 is needed: the 1 in the denominator is the right key "
            "itself.": root(math.log((pairs - 1) * weight)),
            "That is √d: it need not give the weight that is asked for.": math.sqrt(dim),
            "The exponent has β²/2d, not β²/d.": dim / 2
            - math.sqrt(max(dim**2 / 4 - dim * needed, 0.0)),
            "You took the logarithm to the base 10 (`math.log` is the natural one).": root(
                needed / math.log(10)
            ),
            "You took the logarithm to the base 2 (`math.log` is the natural one).": root(
                needed / math.log(2)
            ),
            "Near, but not right to one part in a thousand: solve it, or search in finer "
            "steps.": got if near else math.inf,
        },
    )


@exercise(
    lesson=LESSON,
    title="The load at which it fails",
    minutes=6,
    difficulty=3,
    teaches="to compare two memories number for number",
    hints=[
        "Three limits: what the list's storage holds, what its softmax can tell apart, and what "
        "the matrix's cosine allows. Which of them depend on `numbers`?",
        "Weight ½ means (N − 1) e^(−β + β²/2d) = 1. Cosine ½ means (N − 1)/d = 3. A pair of the "
        "list takes a key and a value.",
        "The list takes the smaller of `numbers // (2 * dim)` and its load; the matrix 0 or its "
        "load, depending on whether `dim * dim` numbers fit.",
    ],
    draws=7,
    anchor="Exercise-3-·-The-load-at-which-it-fails",
)
def pairs_for_budget(attempt: Attempt) -> None:
    """``pairs_for_budget(numbers, dim, beta)``: int, int, float -> two whole numbers."""
    numbers, dim, beta = [
        (4096, 64, 8.0),
        (1_000_000, 64, 8.0),
        (1000, 64, 8.0),
        (100_000, 16, 4.0),
        (500_000, 64, 6.0),
        (127, 64, 9.0),
        (256, 16, 5.0),
    ][attempt.draw]
    fits = numbers // (2 * dim)
    exponent = beta - beta**2 / (2 * dim)
    load = math.floor(1 + math.exp(exponent))
    right_list, right_matrix = min(fits, load), (3 * dim + 1 if numbers >= dim**2 else 0)
    here = f"{numbers} numbers, dim = {dim}, beta = {beta:g}"
    parts = attempt.items(attempt.call(numbers, dim, beta), 2)
    got = attempt.scalar(next(parts), what="list_pairs")
    _whole(
        attempt,
        got,
        right_list,
        f"list_pairs, for {here}",
        {
            "Not even one pair fits: that is 0 pairs.": math.inf if fits else 1,
            "One key fits into `dim` numbers, but a pair is a key *and* a value.": min(
                numbers // dim, load
            ),
            "Both limits count: the storage is full before the softmax fails.": load,
            "Both limits count: they fit into the storage, but the right key no longer has half of "
            "the weight.": fits,
            "You returned the larger of the two limits; the smaller one counts.": max(fits, load),
            "Round down to whole pairs.": min(numbers / (2 * dim), load),
            "Round down: with one pair more the weight is below ½.": min(
                fits, math.ceil(1 + math.exp(exponent))
            ),
            "The right key is one of the N: it is N − 1 that e^(...) bounds.": min(
                fits, math.floor(math.exp(exponent))
            ),
            "You took √d for β.": min(fits, math.floor(1 + math.exp(math.sqrt(dim) - 0.5))),
            "The term β²/2d is missing.": min(fits, math.floor(1 + math.exp(beta))),
            "The sign in the exponent: N − 1 is at most e^(β − β²/2d).": min(
                fits, math.floor(1 + math.exp(-exponent))
            ),
            "That is for a list in a matrix of its own: a pair takes 2 · dim numbers.": min(
                numbers // dim**2, load
            ),
            "This is the matrix's number; the list comes first.": right_matrix,
        },
    )
    got = attempt.scalar(next(parts), what="matrix_pairs")
    _whole(
        attempt,
        got,
        right_matrix,
        f"matrix_pairs, for {here}",
        {
            "The matrix does not fit into so few numbers.": 3 * dim + 1,
            "The pair itself makes no crosstalk: (N − 1)/d is 3, not N/d.": 3 * dim,
            "A matrix is of `dim * dim` numbers however many pairs it holds: its limit is the "
            "cosine.": numbers // dim**2,
            "More storage does not help: it is one matrix of `dim * dim` numbers.": numbers
            // dim**2
            * (3 * dim + 1),
            "That is where the cosine is 1/√2.": dim + 1,
            "A matrix of `dim * dim` numbers fits exactly: at least as many, not more.": 0,
        },
    )


def _whole(attempt: Attempt, got: Any, right: int, what: str, mistakes: dict[str, float]) -> None:
    likely = next((words for words, wrong in mistakes.items() if got == wrong), "")
    attempt.require(got == right, f"{what}: expected {right}, got {got:g}.", likely=likely)
