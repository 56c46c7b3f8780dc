"""Checks of lesson 11: the measure of a stripe."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.comparing import AnyOf
from vsacourse.check.core import exercise
from vsacourse.check.lesson11 import LESSON

Array = NDArray[Any]


def _occurrences(tokens: Array) -> Array:
    """[i, j] is True if place j < i holds the token of place i."""
    return np.tril(tokens[:, None] == tokens, -1)


def _stripe(tokens: Array, choose: Callable[[Array], Array] | None = None) -> Array:
    """The keys that count for each query, with a rule that chooses among the occurrences."""
    same = _occurrences(tokens)
    return np.roll(same if choose is None else choose(same), 1, axis=1)


def _latest(same: Array) -> Array:
    return same & (np.cumsum(same[:, ::-1], axis=1)[:, ::-1] == 1)


def _earliest(same: Array) -> Array:
    return same & (np.cumsum(same, axis=1) == 1)


@exercise(
    lesson=LESSON,
    title="Prefix matching",
    minutes=7,
    difficulty=3,
    teaches="the measure of the stripe, and which queries count",
    hints=[
        "For which pairs (i, j) is the token at i the same as the token at j, with j before i?",
        "`same = np.tril(tokens[:, None] == tokens, -1)` has them. The weight stands one column "
        "further. Which rows count?",
        "`mass = (A[:, 1:] * same[:, :-1]).sum(axis=1)`; the mean over the rows where "
        "`same.any(axis=1)`.",
    ],
    draws=7,
    anchor="Exercise-3-·-Prefix-matching",
)
def prefix_matching(attempt: Attempt) -> None:
    """``prefix_matching(A, tokens)``: (T, T) and (T,) -> one number."""
    fixed = [[2, 0, 2, 1, 2, 2, 3, 3, 0, 4, 1, 2, 0, 2, 5], [0, 1, 0, 0], [3, 3, 3, 1, 3], [7, 7]]
    fixed += [[4, 1, 2, 3, 5, 1], [*range(6), *range(6), 0]]
    tokens = np.array(fixed[attempt.draw]) if attempt.draw < 6 else attempt.rng.integers(5, size=17)
    T = len(tokens)
    A = np.exp(attempt.rng.normal(size=(T, T)))
    if attempt.draw > 1:  # as a model's: with the mask
        A = np.tril(A)
    if attempt.draw == 5:  # the head that always looks there
        A = np.eye(T)
        A[6:] = np.eye(T)[np.arange(6, T) - 5]
    A /= A.sum(axis=1, keepdims=True)
    if attempt.draw == 6:  # any numbers, as the task says
        A = attempt.rng.normal(size=(T, T)) + 0.5
    if attempt.draw == 1:
        A = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.3, 0.6, 0.1, 0], [0.1, 0.5, 0.1, 0.3]])
    what = f"prefix_matching(A, {tokens.tolist()})"
    got = attempt.scalar(attempt.call(A, tokens), what=what)
    same, keys = _occurrences(tokens), _stripe(tokens)
    counted = same.any(axis=1)
    mass = (A * keys).sum(axis=1)
    equal = tokens[:, None] == tokens

    def over(entries: Array, pattern: Array = A) -> float:
        rows = entries.any(axis=1)
        return float((pattern * entries).sum(axis=1)[rows].mean()) if rows.any() else -1.0

    own = np.roll(equal & np.tri(T, dtype=bool), 1, axis=1)  # the query among its occurrences
    moved = own.copy()
    moved[:, 0] = False
    strict = keys & ~np.eye(T, dtype=bool)
    any_time = np.roll(equal & ~np.eye(T, dtype=bool), 1, axis=1)
    any_time[:, 0] = False
    round_again = np.tril(np.roll(equal, 1, axis=1))
    previous = np.roll(same, -1, axis=1)
    previous[:, -1] = False
    attempt.close(
        got,
        mass[counted].mean(),
        rtol=1e-4,
        what=what,
        mistakes={
            "Only queries whose token occurred before count: the others have nothing to "
            "match.": mass.mean(),
            "The mean over all queries but the first. Only those whose token occurred before "
            "count.": mass[1:].mean(),
            "That is the weight on the earlier occurrence itself, column j. Its *follower* is at "
            "j + 1.": over(same),
            "That is the weight on the place *before* the earlier occurrence.": (A * previous)
            .sum(axis=1)[counted]
            .mean(),
            "A token may have occurred several times: all those places count, not only the one "
            "after the latest.": over(_stripe(tokens, _latest)),
            "A token may have occurred several times: all those places count, not only the one "
            "after the first.": over(_stripe(tokens, _earliest)),
            "Sum the weights of one query, then take the mean over the queries; not the mean over "
            "all pairs.": A[keys].mean(),
            "For one query the weights are *added*, not averaged.": (
                mass[counted] / keys.sum(axis=1)[counted]
            ).mean(),
            "For one query the weights are *added*; you took the largest.": (A * keys)
            .max(axis=1)[counted]
            .mean(),
            "The mean runs over the queries that count, not over the different tokens.": mass.sum()
            / len(set(tokens.tolist())),
            "That is the sum over the queries; the mean is asked for.": mass.sum(),
            "The query itself is no earlier occurrence: j < i.": (A * moved).sum(axis=1).mean(),
            "The query itself is no earlier occurrence, j < i: its follower is not yet there.": (
                (A * moved)[:-1].sum(axis=1).mean()
            ),
            "The query itself is no earlier occurrence: j < i. (And a key went round to column "
            "0.)": over(own),
            "`np.roll` brought the last column round to column 0: mask first, then roll.": AnyOf(
                (over(round_again), (A * round_again).sum(axis=1)[counted].mean())
            ),
            "Which queries count is said by the tokens, not by the weights: those whose token "
            "occurred before.": mass[mass > 0].mean() if (mass > 0).any() else -1.0,
            "A is read transposed: the query is the *row*.": over(keys, A.T),
            "If a token comes twice in a row, j + 1 is the query's own place. That counts: "
            "j < i is enough.": (A * strict).sum(axis=1)[counted].mean(),
            "That leaves out the queries that follow their own token at once: j < i is "
            "enough.": over(strict),
            "An occurrence has to be *before* the query, j < i. You took later ones as well.": over(
                any_time
            ),
            "The key is one place on, not the query: A[i, j + 1].": over(
                np.roll(same, 1, axis=0) & np.tri(T, dtype=bool)
            ),
            "That is how often the largest weight stands there; the weight itself is asked "
            "for.": keys[np.arange(T), A.argmax(axis=1)][counted].mean(),
            "That is the share of queries that count.": counted.mean(),
            "A holds any numbers here, and is taken as it is: rows are not divided by their "
            "sums.": over(keys, A / A.sum(axis=1, keepdims=True)),
            "A holds any numbers here, and is taken as it is: negative ones count as well.": over(
                keys, np.clip(A, 0, None)
            ),
            "A holds any numbers here, and is taken as it is, not cut to 0 … 1.": over(
                keys, np.clip(A, 0, 1)
            ),
            "The last query counts as well, if its token occurred before.": over(keys[:-1], A[:-1]),
        },
    )
