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
        while max(np.trace(R @ R), np.trace(R) + np.trace(R @ R @ R.T)) > -1 or (
            abs(np.trace(R)) < 0.5
        ):  # so that a lost sign shows
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
    title="Three places",
    minutes=7,
    difficulty=3,
    teaches="what a role map must and must not do",
    hints=[
        "Multiply out the query, R and what a place holds. Which products have the same vector at "
        "both ends?",
        "Each of them is e M eᵀ = Σ e_i M_ij e_j for some matrix M made of R. On average only the "
        "diagonal is left: the trace of M, divided by d.",
        "After: M = R Rᵀ. Itself: two products, with M = R and M = R R Rᵀ. Before: M = R R.",
    ],
    draws=5,
    anchor="Exercise-4-·-Three-places",
)
def three_scores(attempt: Attempt) -> None:
    """``three_scores(R)``: the mean scores of the places after, itself and before."""
    R, words = _role(attempt)
    d = len(R)

    def mean(M: Array) -> float:
        return float(np.trace(M)) / d

    simulated = "Near, but not it: take the mean exactly, by traces, and draw nothing."
    parts = attempt.items(attempt.call(R), 3)
    after, before = mean(R @ R.T), mean(R @ R)
    own, primes = mean(R), mean(R @ R @ R.T)
    not_divided = "Not divided by d: the mean of e_i² is 1/d."
    what = f"the score of the place after ({words})"
    got = attempt.scalar(next(parts), what=what)
    attempt.close(
        got,
        after,
        rtol=1e-4,
        what=what,
        mistakes={
            not_divided: after * d,
            "It is 1 for an orthogonal R only: R here is any matrix.": 1.0,
            "That is the place before: the bound vector stands transposed, R Rᵀ.": before,
            "That is the mean of e R eᵀ: R comes twice, once in the score and once in the "
            "key.": own,
            "That is the Frobenius norm: its *square* is the trace of R Rᵀ.": np.linalg.norm(R) / d,
            "The mean runs over the d entries of the diagonal, not over all d².": (R @ R.T).mean(),
            simulated: got if abs(got - after) < 0.1 * after else None,
        },
    )
    what = f"the score of the earlier A itself ({words})"
    attempt.close(
        attempt.scalar(next(parts), what=what),
        own + primes,
        rtol=1e-4,
        atol=1e-6,
        what=what,
        mistakes={
            not_divided: (own + primes) * d,
            "That is the token against the token only. The primes match, too: Z stood before A "
            "both times.": own,
            "That is prime against prime only. The token matches itself, too, through R.": primes,
            "R R Rᵀ is R for an orthogonal R only; this one is not.": 2 * own,
            "The primes: e_Z R (query), R (score) and (e_Z R)ᵀ (key), so R R Rᵀ, not R Rᵀ.": own
            + after,
            "The primes: e_Z R (query), R (score) and (e_Z R)ᵀ (key): the last R stands "
            "transposed.": own + mean(R @ R @ R),
            "The primes: e_Z R (query), R (score) and (e_Z R)ᵀ (key): three times R, not "
            "twice.": own + before,
            "The score has an R between the two places: e_A R e_Aᵀ is not 1.": 1 + primes,
            "A score may be negative.": abs(own + primes),
        },
    )
    what = f"the score of the place before ({words})"
    attempt.close(
        attempt.scalar(next(parts), what=what),
        before,
        rtol=1e-4,
        atol=1e-6,
        what=what,
        mistakes={
            not_divided: before * d,
            "That is the place after: nothing is transposed here, R R.": after,
            "`R ** 2` and `R * R` square every entry; R R is the matrix product.": mean(R**2),
            "A score may be negative: such a place is pushed away.": abs(before),
            "R comes twice: once in the query's prime, once in the score.": own,
            "The trace of a product is not the product of the traces.": own**2,
            "The mean runs over the d entries of the diagonal, not over all d².": (R @ R).mean(),
        },
    )


def _clear_case(
    rng: np.random.Generator, V: int, d: int, all_differ: bool
) -> tuple[Array, Array, Array]:
    """Weights whose table has no near ties, where likely mistakes give other shares.

    ``all_differ``: each mistake its own, so that it can be told.
    """
    tokens = np.arange(V)
    while True:
        W_E, QK, OV = (rng.normal(size=shape) for shape in ((V, d), (d, d), (d, d)))
        tables = [W_E @ M @ W_E.T for M in (QK @ OV.T, QK @ OV, QK.T @ OV.T, QK, OV @ QK)]
        best = np.sort(tables[0], axis=1)
        hits = [int((table.argmax(axis=1) == tokens).sum()) for table in tables]
        hits.append(int((tables[0].argmax(axis=0) == tokens).sum()))
        hits.append(int((np.abs(tables[0]).argmax(axis=1) == tokens).sum()))
        unit = W_E / np.linalg.norm(W_E, axis=1, keepdims=True)
        hits.append(int(((unit @ QK @ OV.T @ unit.T).argmax(axis=1) == tokens).sum()))
        clear = (best[:, -1] - best[:, -2]).min() > 1e-3 * tables[0].std()
        others = {V - hits[0], *hits[1:]}
        differ = len(others) == len(hits) if all_differ else True
        if clear and hits[0] and hits[0] not in others and differ:
            return W_E, QK, OV


@exercise(
    lesson=LESSON,
    title="What a measure sees",
    minutes=5,
    difficulty=3,
    teaches="the composition score, and a table that sees more",
    hints=[
        "`np.linalg.norm` of a matrix is its Frobenius norm. What is transposed?",
        "The table has the query's token in the row. `argmax(axis=1)` is the best column of every "
        "row.",
        "Compare that with `np.arange(V)`, and take the mean.",
    ],
    draws=3,
    anchor="Exercise-5-·-What-a-measure-sees",
)
def composition_report(attempt: Attempt) -> None:
    """``composition_report(W_E, QK, OV)``: the K-composition score and the composed match."""
    V, d = [(40, 9), (9, 13), (3, 3)][attempt.draw]
    if attempt.draw == 2:  # the example
        W_E, QK, OV = np.eye(3), np.eye(3), np.eye(3)
    else:
        W_E, QK, OV = _clear_case(attempt.rng, V, d, all_differ=attempt.draw == 0)
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
            "That is the best row of every column, or the table transposed. The query's token "
            "stands in the row: the best column of every *row*.": matched(table, 0),
            "That is the table of what *precedes* (the lesson's other one): OV stands behind QK, "
            "transposed.": matched(W_E @ OV @ QK @ W_E.T),
            "OV stands transposed: it is on the key's side.": matched(W_E @ QK @ OV @ W_E.T),
            "QK is not transposed in the table: the query stands on its left.": matched(
                W_E @ QK.T @ OV.T @ W_E.T
            ),
            "OV is missing: that matches tokens with tokens.": matched(W_E @ QK @ W_E.T),
            "W_E is missing on both sides: tokens are asked for, not components.": float(
                ((QK @ OV.T).argmax(axis=1) == np.arange(d)).mean()
            ),
            "That is the share that does *not* match.": 1 - share / V,
            "The highest entry is asked for, not the largest in size.": matched(np.abs(table)),
            "The rows of W_E stay as they are: attention uses dot products.": matched(
                (table / np.linalg.norm(W_E, axis=1)[:, None]) / np.linalg.norm(W_E, axis=1)
            ),
        },
    )
