"""Checks of lesson 10: which role maps match twice, and what a measure of composition sees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.algebra import MBAT
from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson10 import LESSON

Array = NDArray[Any]


def _role(attempt: Attempt) -> tuple[Array, str]:
    """A role map for each draw, with words."""
    rng = attempt.rng
    if attempt.draw == 0:
        R = rng.normal(size=(5, 5))
        while np.trace(R @ R) > -1 or abs(np.trace(R)) < 0.5:  # so that a lost sign shows
            R = rng.normal(size=(5, 5))
        return R, "a matrix that is not orthogonal, d = 5"
    if attempt.draw == 1:
        return np.array([[0.0, 1.0], [-1.0, 0.0]]), "a turn by 90°"
    if attempt.draw == 2:
        return np.diag(rng.choice([-1.0, 1.0], 6)), "a diagonal of signs, d = 6"
    if attempt.draw == 3:
        return MBAT(7).role_matrices(1, rng, "float64")[0], "a random rotation, d = 7"
    return np.array([[3.0]]), "the matrix [[3]]"


@exercise(
    lesson=LESSON,
    title="The second match",
    minutes=5,
    difficulty=3,
    teaches="what a role map must not be",
    hints=[
        "Both scores have the form e M eᵀ. Which matrix M is it in each?",
        "Write e M eᵀ as Σ e_i M_ij e_j. Which terms have a mean that is not 0?",
        "Only the diagonal is left, with 1/d: the trace of M, divided by d.",
    ],
    draws=5,
    anchor="Exercise-4-·-The-second-match",
)
def two_matches(attempt: Attempt) -> None:
    """``two_matches(R)``: the mean of e R Rᵀ eᵀ and of e R R eᵀ."""
    R, words = _role(attempt)
    d = len(R)
    parts = attempt.items(attempt.call(R), 2)
    first, second = np.trace(R @ R.T) / d, np.trace(R @ R) / d
    got = attempt.scalar(next(parts), what=f"the first score ({words})")
    attempt.close(
        got,
        first,
        rtol=1e-4,
        what=f"the first score ({words})",
        mistakes={
            "Not divided by d: the mean of e_i² is 1/d.": first * d,
            "It is 1 for an orthogonal R only: R here is any matrix.": 1.0,
            "That is the second score: the first has Rᵀ.": second,
            "That is the mean of e R eᵀ: R comes twice in the score.": np.trace(R) / d,
            "That is the Frobenius norm: its *square* is the trace of R Rᵀ.": np.linalg.norm(R) / d,
            "The mean runs over the d entries of the diagonal, not over all d².": (R @ R.T).mean(),
        },
    )
    got = attempt.scalar(next(parts), what=f"the second score ({words})")
    attempt.close(
        got,
        second,
        rtol=1e-4,
        atol=1e-6,
        what=f"the second score ({words})",
        mistakes={
            "Not divided by d: the mean of e_i² is 1/d.": second * d,
            "That is the first score: nothing is transposed in the second, R R.": first,
            "`R ** 2` and `R * R` square every entry; R R is the matrix product.": np.trace(R**2)
            / d,
            "A score may be negative: such a place is pushed away.": abs(second),
            "R comes twice in the score.": np.trace(R) / d,
            "The trace of a product is not the product of the traces.": (np.trace(R) / d) ** 2,
            "The mean runs over the d entries of the diagonal, not over all d².": (R @ R).mean(),
        },
    )


def _clear_case(rng: np.random.Generator, V: int, d: int) -> tuple[Array, Array, Array]:
    """Weights whose table has no near ties, where every likely mistake gives another share."""
    tokens = np.arange(V)
    while True:
        W_E, QK, OV = (rng.normal(size=shape) for shape in ((V, d), (d, d), (d, d)))
        tables = [W_E @ M @ W_E.T for M in (QK @ OV.T, QK @ OV, QK.T @ OV.T, QK)]
        best = np.sort(tables[0], axis=1)
        hits = [int((table.argmax(axis=1) == tokens).sum()) for table in tables]
        hits.append(int((tables[0].argmax(axis=0) == tokens).sum()))
        clear = (best[:, -1] - best[:, -2]).min() > 0.01 * tables[0].std()
        if clear and hits[0] and len({V - hits[0], *hits}) == 6:
            return W_E, QK, OV


@exercise(
    lesson=LESSON,
    title="What a measure sees",
    minutes=6,
    difficulty=3,
    teaches="the composition score, and the table that is not blind",
    hints=[
        "`np.linalg.norm` of a matrix is its Frobenius norm. What is transposed?",
        "The table has the query's token in the row. `argmax(axis=1)` is the best column of every "
        "row.",
        "Compare that with `np.arange(V)`, and take the mean.",
    ],
    draws=4,
    anchor="Exercise-5-·-What-a-measure-sees",
)
def composition_report(attempt: Attempt) -> None:
    """``composition_report(W_E, QK, OV)``: the K-composition score and the composed match."""
    V, d = [(12, 4), (9, 13), (11, 6), (3, 3)][attempt.draw]
    if attempt.draw == 3:  # the example
        W_E, QK, OV = np.eye(3), np.eye(3), np.eye(3)
    else:
        W_E, QK, OV = _clear_case(attempt.rng, V, d)
    where = f"(V = {V}, d = {d})"
    table = W_E @ QK @ OV.T @ W_E.T
    tokens = np.arange(V)
    share = int((table.argmax(axis=1) == tokens).sum())
    norm = np.linalg.norm
    lengths = float(norm(OV) * norm(QK))
    score = float(norm(OV @ QK.T)) / lengths
    parts = attempt.items(attempt.call(W_E, QK, OV), 2)
    got = attempt.scalar(next(parts), what=f"the score {where}")
    attempt.close(
        got,
        score,
        rtol=1e-4,
        what=f"the score {where}",
        mistakes={
            "That is Q-composition. For the key side QK is transposed.": norm(OV @ QK) / lengths,
            "OV writes, and the key side of QK reads it: OV stands first.": norm(QK.T @ OV)
            / lengths,
            "Divide by both norms.": norm(OV @ QK.T),
            "The norms stand there as they are, not squared.": (norm(OV @ QK.T) / lengths) ** 2,
            "`ord=2` is the largest singular value; the Frobenius norm is the default.": norm(
                OV @ QK.T, 2
            )
            / (norm(OV, 2) * norm(QK, 2)),
            "That is the second value, the composed match: the score comes first.": share / V,
            "1/√d is what *unrelated* matrices have; measure these.": d**-0.5,
        },
    )
    got = attempt.scalar(next(parts), what=f"the composed match {where}")

    def matched(matrix: Array, axis: int = 1) -> float:
        return float((matrix.argmax(axis=axis) == tokens).mean())

    attempt.close(
        got,
        share / V,
        rtol=1e-4,
        what=f"the composed match {where}",
        mistakes={
            "That is how many tokens match; their share is asked for.": float(share),
            "The query's token stands in the row: take the best column of every *row*.": matched(
                table, 0
            ),
            "OV stands transposed: it is on the key's side.": matched(W_E @ QK @ OV @ W_E.T),
            "QK is not transposed in the table: the query stands on its left.": matched(
                W_E @ QK.T @ OV.T @ W_E.T
            ),
            "OV is missing: that matches tokens with tokens.": matched(W_E @ QK @ W_E.T),
            "That is the share that does *not* match.": 1 - share / V,
            "The highest entry is asked for, not the largest in size.": matched(np.abs(table)),
        },
    )
