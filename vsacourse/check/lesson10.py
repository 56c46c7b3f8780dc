"""Checks of lesson 10: the tape, the four circuits, and the design rule."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse import theory
from vsacourse.algebra import MBAT
from vsacourse.check.attempt import Attempt
from vsacourse.check.comparing import AnyOf
from vsacourse.check.core import exercise

LESSON = "10-induction-by-hand"

Array = NDArray[Any]


@exercise(
    lesson=LESSON,
    title="The tape",
    minutes=3,
    difficulty=1,
    teaches="what layer 1 writes, and where layer 2 looks",
    hints=[
        "Write the second row of the tape first: what stands at every place after layer 1?",
        "It is the text moved one place to the right; place 0 keeps its own token. Compare it "
        "with the last token.",
        "`np.concatenate((tokens[:1], tokens[:-1]))` is the second row.",
    ],
    draws=7,
    anchor="Exercise-1-·-The-tape",
)
def match_scores(attempt: Attempt) -> None:
    """``match_scores(tokens)``: (T,) whole numbers -> (T,) of 0 and 1."""
    fixed = [[9, 0, 1, 2, 0], [4, 2, 2], [3, 3, 3], [0, 1, 2, 0], [7], [5, 1, 4, 1, 2, 1, 4]]
    tokens = np.array(fixed[attempt.draw]) if attempt.draw < 6 else attempt.rng.integers(4, size=19)
    T = len(tokens)
    last = tokens[-1]
    written = np.concatenate((tokens[:1], tokens[:-1]))
    right = written == last
    what = f"match_scores({tokens.tolist()})"
    shapes = {"Every place has a score, the last one too.": (T - 1,)}
    if right.sum() < T - 1:
        shapes["These are the places that match; a score for *every* place is asked for."] = (
            int(right.sum()),
        )
    got = attempt.array(attempt.call(tokens), shape=(T,), kind="scores", what=what, mistakes=shapes)
    ahead = np.concatenate((tokens[1:], [-1])) == last
    blank = right.copy()
    blank[0] = False
    beside = right.copy()
    beside[-1] = False
    first = np.arange(T) == right.argmax()
    latest = np.arange(T) == T - 1 - right[::-1].argmax()
    attempt.equal(
        got.astype(float),
        right.astype(float),
        what=what,
        mistakes={
            "That matches the tokens themselves. Layer 2 looks in the second row: what was "
            "*written*.": (tokens == last).astype(float),
            "That marks the places *before* the token. The head looks at the place after "
            "it.": ahead.astype(float),
            "`np.roll` puts the last token at place 0. Place 0 sees only itself, and writes its "
            "own token.": (np.roll(tokens, 1) == last).astype(float),
            "Every place that matches scores 1, not only the last.": (latest & right).astype(float),
            "Place 0 writes a token as well: its own.": blank.astype(float),
            "The last place is a place like the others: it may match what was written "
            "there.": beside.astype(float),
            "Every place that matches scores 1, not only the first.": (first & right).astype(float),
            "The row moved the wrong way: place s holds the token of place s − 1.": (
                np.append(tokens[1:], tokens[-1:]) == last
            ).astype(float),
            "The query asks for its own token, the last one of `tokens`, not for what is written "
            "there.": (written == written[-1]).astype(float),
            "These are weights. Scores come before the softmax: 1 at each match.": right
            / max(right.sum(), 1),
        },
    )


@exercise(
    lesson=LESSON,
    title="Set the weights",
    minutes=10,
    difficulty=4,
    teaches="the four circuits of an induction head",
    hints=[
        "Each circuit acts on one part of the stream only: its other entries are 0. Which part?",
        "Start from four arrays of zeros and fill one block of each. Tokens are the first d rows "
        "and columns. For QK_1, which sum of outer products takes p_t to p_(t-1)?",
        "`P[1:].T @ P[:-1]` is Σ p_tᵀ p_(t-1). OV_1 has R, QK_2 has beta times R, OV_2 gain times "
        "the identity.",
    ],
    draws=4,
    anchor="Exercise-2-·-Set-the-weights",
)
def induction_circuits(attempt: Attempt) -> None:
    """``induction_circuits(P, R, beta, gain)``: four arrays (d + d_p, d + d_p)."""
    d, d_p, T, beta, gain = [(5, 9, 6, 3.0, 2.0), (7, 4, 4, 11.0, 0.5), (3, 8, 2, 1.5, 6.0)][
        attempt.draw % 3
    ]
    if attempt.draw == 3:
        T = 1  # one place: there is none before it
    R = MBAT(d).role_matrices(1, attempt.rng, "float64")[0]
    P = MBAT(d_p).role_matrices(1, attempt.rng, "float64")[0][:T]
    size, where = d + d_p, f"(d = {d}, d_p = {d_p}, {T} place{'s' * (T > 1)})"
    parts = attempt.items(attempt.call(P, R, beta, gain), 4)
    names = ("QK_1", "OV_1", "QK_2", "OV_2")
    shapes = {
        "Only the block was returned: the stream has d + d_p components, and the rest is 0.": (
            (d, d) if d != d_p else (0,)
        )
    }
    QK_1, OV_1, QK_2, OV_2 = (
        attempt.array(
            next(parts),
            shape=(size, size),
            what=f"{name} {where}",
            mistakes=shapes | {"That is the places' block alone: the rest is 0.": (d_p, d_p)},
        )
        for name in names
    )
    bound = _block(R, size)
    attempt.require(
        not (np.allclose(OV_1, beta * bound) and np.allclose(QK_2, bound)),
        f"OV_1 is not what layer 1 writes {where}.",
        likely="OV_1 and QK_2 have changed places: the order is QK_1, OV_1, QK_2, OV_2.",
    )
    _check_previous(attempt, QK_1, P, d, beta, where)
    token = _block(np.eye(d), size)
    _check_block(
        attempt,
        OV_1,
        _block(R, size),
        f"OV_1 {where}",
        {
            "The role is written as x R. Rᵀ would need Rᵀ in QK_2 as well; the task asks for "
            "R.": _block(R.T, size),
            "The place is copied along: only the tokens' part is written.": _whole(R, d_p, 1.0),
            "The token is written without its role: nobody can tell it from the place's own "
            "token.": token,
            "beta belongs to the scores, not to what is written.": beta * _block(R, size),
            "gain belongs to layer 2.": gain * _block(R, size),
        },
    )
    _check_block(
        attempt,
        QK_2,
        beta * _block(R, size),
        f"QK_2 {where}",
        {
            "The key e'R stands transposed in the score: e R (e'R)ᵀ = e · e'. So R, not Rᵀ.": beta
            * _block(R.T, size),
            "beta is missing.": _block(R, size),
            "That matches tokens with tokens: the head would attend to the *earlier* token, not "
            "to the place after it.": beta * token,
            "The places take part in the match: their part is 0.": _whole(beta * R, d_p, beta),
        },
    )
    _check_block(
        attempt,
        OV_2,
        gain * token,
        f"OV_2 {where}",
        {
            "gain is missing.": token,
            "The place is copied along: only the tokens' part is written.": gain * np.eye(size),
            "Layer 2 copies the token as it is: the unbinding was in the match.": gain
            * _block(R.T, size),
            "Layer 2 copies the token as it is, without a role.": gain * _block(R, size),
        },
    )


def _block(M: Array, size: int) -> Array:
    """The matrix in the tokens' part of a larger one."""
    whole = np.zeros((size, size))
    whole[: len(M), : len(M)] = M
    return whole


def _whole(M: Array, d_p: int, on_places: float) -> Array:
    whole = _block(M, len(M) + d_p)
    whole[len(M) :, len(M) :] = on_places * np.eye(d_p)
    return whole


def _check_block(
    attempt: Attempt, got: Array, right: Array, what: str, mistakes: dict[str, Any]
) -> None:
    attempt.close(got, right, rtol=1e-4, atol=1e-4, what=what, mistakes=mistakes)


def _check_previous(attempt: Attempt, QK: Array, P: Array, d: int, beta: float, where: str) -> None:
    """By what it does: the scores of every place for itself and the earlier ones."""
    T = len(P)
    zero = np.zeros((T, d))
    at = np.concatenate((zero, P), axis=1)
    token = attempt.rng.normal(size=(T, d))
    seen = np.tri(T)
    expected = beta * np.eye(T, k=-1)
    what = f"the scores of QK_1 between places {where}"
    table = np.arange(T)[:, None] - np.arange(T)
    got = at @ QK @ at.T * seen
    swapped = np.allclose(at @ _swapped(QK, d) @ at.T * seen, expected, atol=1e-4)
    attempt.close(
        got,
        expected,
        rtol=1e-4,
        atol=1e-4,
        what=what,
        mistakes={
            (
                "With one place there is none before it: nothing is to be scored. (Is the first "
                "place sent to the last one?)"
                if T == 1
                else "Every place attends to *itself*: p_t has to be sent to p_(t-1)."
            ): beta * np.eye(T),
            "beta is missing.": np.eye(T, k=-1),
            "Nothing is scored. Is the order of the outer products right, p_tᵀ p_(t-1)? The other "
            "order looks at the *next* place, which the mask hides.": np.zeros((T, T)),
            "Place 0 sees only itself because of the mask, whatever its score is; the score is "
            "0.": beta * np.eye(T, k=-1) + beta * np.eye(T) * (np.arange(T) == 0),
            "beta came in twice.": beta**2 * np.eye(T, k=-1),
            "That looks two places back.": beta * (table == 2),
            "`np.eye(T, k=-1)` is the step for one-hot places. These are any orthonormal rows: use "
            "P.": beta * _one_hot_step(P),
            "The places' part is the last one: tokens come first.": got if swapped else None,
        },
    )
    full = np.concatenate((token, P), axis=1)
    attempt.require(
        np.allclose(full @ QK @ full.T * seen, expected, rtol=1e-4, atol=1e-4),
        f"The scores of QK_1 change when tokens are in the stream {where}.",
        likely="The tokens play a part in QK_1: their rows and columns need to be 0.",
    )


def _one_hot_step(P: Array) -> Array:
    """The scores of np.eye(d_p, k=-1) as the step."""
    step: Array = P @ np.eye(P.shape[1], k=-1) @ P.T * np.tri(len(P))
    return step


def _swapped(QK: Array, d: int) -> Array:
    """The matrix as it would be with the tokens' part first."""
    d_p = len(QK) - d
    order = np.r_[np.arange(d_p, len(QK)), np.arange(d_p)]
    swapped: Array = QK[np.ix_(order, order)]
    return swapped


@exercise(
    lesson=LESSON,
    title="A design rule",
    minutes=5,
    difficulty=3,
    teaches="to count crosstalk, and to choose a dimension",
    hints=[
        "How many vectors stand on the query's side, plain and under the role together? On the "
        "key's? Every one meets every one.",
        "4 m² products; at the right place one of them is the match, which is no noise.",
        "z is `theory.gaussian_tail_inverse(error / keys)`. Add both numbers, multiply by z², and "
        "`math.ceil`.",
    ],
    draws=6,
    anchor="Exercise-3-·-A-design-rule",
)
def design(attempt: Attempt) -> None:
    """``design(m, keys, error)``: (n_1, n_2, d)."""
    m, keys, error = [
        (3, 20, 0.05),
        (1, 49, 0.01),
        (2, 49, 0.01),
        (1, 1000, 0.001),
        (5, 7, 0.2),
        (2, 2, 0.001),
    ][attempt.draw]
    parts = attempt.items(attempt.call(m, keys, error), 3)
    call = f"design({m}, {keys}, {error})"
    a, b = 4 * m * m - 1, 4 * m * m
    got_a = attempt.scalar(next(parts), what=f"n_1 of {call}")
    attempt.close(
        got_a,
        a,
        rtol=1e-6,
        what=f"n_1 of {call}",
        mistakes={
            "At the right place one of the products is the match: it is no noise.": b,
            "There are m plain vectors *and* m under the role on each side, 2m times 2m "
            "products.": m * m - 1,
            "Each of the 2m vectors on one side meets each of the 2m on the other: plain with "
            "plain, plain with bound, bound with plain, bound with bound.": AnyOf(
                (m * m, 2 * m * m, 2 * m * m - 1)
            ),
            "Count products of a vector of the query with one of the key, not vectors.": 2 * m - 1,
            "On each side stand 2m vectors; every one meets *every* one.": 4 * m - 1,
            "m + 1 is not the number of vectors: each of the m is there plain and under the "
            "role.": (m + 1) ** 2 - 1,
        },
    )
    got_b = attempt.scalar(next(parts), what=f"n_2 of {call}")
    attempt.close(
        got_b,
        b,
        rtol=1e-6,
        what=f"n_2 of {call}",
        mistakes={"At another place nothing matches: all products are noise.": a},
    )
    z = theory.gaussian_tail_inverse(error / keys)
    needed = math.ceil((a + b) * z**2)
    got_d = attempt.scalar(next(parts), what=f"d of {call}")
    attempt.close(
        got_d,
        needed,
        rtol=0,
        atol=1e-9,
        what=f"d of {call}",
        mistakes={
            "Rounded down, the error is over what is allowed: round up.": math.floor(
                (a + b) * z**2
            ),
            "Not rounded: a dimension is a whole number, rounded up.": (a + b) * z**2,
            "The variance of the *difference* counts: n_1 and n_2 are added.": math.ceil(b * z**2),
            "z is squared.": math.ceil((a + b) * z),
            "Any of the keys may win: the error is shared, Q⁻¹(error / keys).": math.ceil(
                (a + b) * theory.gaussian_tail_inverse(min(error, 0.499)) ** 2
            ),
            "Any of the keys is counted, the right one too: it is an upper estimate.": (
                math.ceil((a + b) * theory.gaussian_tail_inverse(error / (keys - 1)) ** 2)
            ),
            "`error` is not always 0.01.": math.ceil(
                (a + b) * theory.gaussian_tail_inverse(0.01 / keys) ** 2
            ),
            "That is the integral's answer; the rule of thumb is asked for.": (
                theory.induction_dimension(keys, superposed=m == 2, error=error)
            ),
        },
    )
