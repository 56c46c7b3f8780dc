"""Checks of lesson 04, binding operators: exercises 4 and 5, the noise of a reading."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson04 import LESSON

Array = NDArray[Any]


@exercise(
    lesson=LESSON,
    title="Predict the cosine",
    minutes=6,
    difficulty=3,
    teaches="the crosstalk of pairs and the noise of depth in one formula",
    hints=[
        "The dot product of the reading with the filler is 1 on average. So all is in the squared "
        "length of the reading: its own part, and that of each other filler.",
        "Own part: every role meets itself once, so that its gain is squared: E[γ²]. Other parts: "
        "no role meets itself. What is the mean of 2ℓ independent gains multiplied?",
        "Each of the N − 1 other parts adds 1. The own part adds 1 for orthogonal roles; what for "
        "HRR at depth ℓ? The cosine is 1 over the root of the sum.",
    ],
    draws=6,
    anchor="Exercise-4-·-Predict-the-cosine",
)
def predicted_cosine(attempt: Attempt) -> None:
    """``predicted_cosine(pairs, depth, operator)``: int, int, str -> float."""
    n, depth, operator = [
        (6, 5, "HRR"),
        (5, 3, "MBAT"),
        (1, 4, "HRR"),
        (9, 1, "HRR"),
        (7, 0, "HRR"),
        (3, 4, "MBAT"),
    ][attempt.draw]
    own = 2**depth if operator == "HRR" else 1
    what = f'predicted_cosine({n}, {depth}, "{operator}")'
    got = attempt.scalar(attempt.call(n, depth, operator), what=what)
    mistakes = {
        "You multiplied the two laws. That gives the other parts the squared length 2^ℓ as well, "
        "but in them no role meets itself: theirs is 1.": 2 ** (-depth / 2) / np.sqrt(n),
        "The pair itself is counted twice: there are N − 1 others.": 1 / np.sqrt(own + n),
        "This is the law for depth 1: at depth ℓ the own part has the squared length 2^ℓ.": 1
        / np.sqrt(n + 1),
        "This is the squared cosine: a root is missing.": 1 / (own + n - 1),
        "This is the squared length; the cosine is 1 over its root.": own + n - 1,
        "The noise of the levels does not add up, it multiplies: 2^ℓ, not ℓ + 1.": 1
        / np.sqrt(n + depth),
        "The noise of the levels multiplies: 2^ℓ, not 2 ℓ.": 1 / np.sqrt(2 * depth + n - 1),
        "The noise of the levels multiplies: 2^ℓ, not ℓ².": 1 / np.sqrt(depth**2 + n - 1),
        "The crosstalk of the other pairs is missing.": own**-0.5,
        'The noise of the depth is missing. (Is `operator` compared with "HRR", in capitals?)': 1
        / np.sqrt(n),
        "The other way round: the *own* part has the squared length 2^ℓ, each other one 1.": 1
        / np.sqrt(1 + (n - 1) * 2**depth),
        "The other parts do not grow with the depth: no role meets itself in them.": 1
        / np.sqrt(own + (n - 1) * 4**depth),
        "The crosstalk of the pairs comes once, not once for each level.": n ** (-depth / 2),
        "The law of depth 1 does not come once more for each level: the other pairs are there "
        "once.": (n + 1) ** (-depth / 2),
        "This is the length of the reading; the cosine is 1 over it.": np.sqrt(own + n - 1),
        "Gains of one frequency have mean square 2, so E[γ²] = 2^ℓ, not 2^(2ℓ).": 1
        / np.sqrt(own**2 + n - 1),
        "The own part has the *squared* length 2^ℓ.": 1 / np.sqrt(np.sqrt(own) + n - 1),
    }
    if operator == "MBAT":
        mistakes = {
            "That is the law of HRR: orthogonal role maps add no noise at any depth.": 1
            / np.sqrt(2**depth + n - 1),
            **mistakes,
        }
    attempt.close(got, 1 / np.sqrt(own + n - 1), rtol=1e-4, what=what, mistakes=mistakes)


@exercise(
    lesson=LESSON,
    title="Unbinding by division",
    minutes=7,
    difficulty=4,
    teaches="why the components of a role must stay away from 0",
    hints=[
        "Component j of the reading is Σ_i f_ij r_ij / r_kj. Its variance, for independent f_ij of "
        "variance 1/d?",
        "The expected squared length is the sum over the pairs i of the mean over j of "
        "(r_ij / r_kj)². For i = k that is 1.",
        "`ratios = roles[None] / roles[:, None]` has the axes k, i, j. Square them. Over which "
        "axis goes the mean, over which the sum?",
    ],
    draws=4,
    anchor="Exercise-5-·-Unbinding-by-division",
)
def division_cosines(attempt: Attempt) -> None:
    """``division_cosines(roles)``: (N, d) -> (N,)."""
    n, d = [(3, 5), (5, 4), (4, 7), (1, 6)][attempt.draw]
    rng = attempt.rng
    roles = rng.choice([-1, 1], size=(n, d)) * rng.uniform(0.4, 2, size=(n, d))
    if attempt.draw == 2:
        roles[1, 3] = 0.003
    ratios = roles[None] / roles[:, None]  # [k, i, j]
    power = (ratios**2).mean(axis=-1).sum(axis=-1)
    squares = (roles**2).mean(axis=-1)
    apart = squares.sum() / squares
    inverse = squares.sum() * (1 / roles**2).mean(axis=-1)
    got = attempt.array(
        attempt.call(roles),
        shape=(n,),
        mistakes={
            "The sum over the pairs is missing.": (n, n),
            "One number for each reading: take the mean over the components.": (n, d),
            "These are numbers for components, (d,): sum over the pairs i, keep the reader k.": (
                d,
            ),
            "Each role reads with another noise: keep one number for each, shape (N,), for N = 1 "
            "as well.": (),
        },
        finite=False,
    )
    attempt.require(
        np.isfinite(got).all(),
        f"`{attempt.what}` is not finite: {int((~np.isfinite(got)).sum())} of {n} numbers.",
        likely="A root of a negative number: the ratios have signs. Square each of them first.",
    )
    right = 1 / np.sqrt(power)
    one_role = (roles**2).sum(axis=-1, keepdims=True) / roles**2
    attempt.close(
        got,
        right,
        rtol=1e-4,
        atol=0,
        mistakes={
            "You exchanged the axes: mean over the components, sum over the pairs.": _first_close(
                got,
                1 / np.sqrt((ratios**2).mean(axis=1).sum(axis=-1)),
                1 / np.sqrt(one_role.mean(axis=-1)),
            ),
            "The ratio is upside down: you divide *by* the role you read with.": _first_close(
                got,
                1 / np.sqrt((ratios**2).mean(axis=-1).sum(axis=0)),
                1 / np.sqrt((roles**2 / (roles**2).sum(axis=0)).mean(axis=-1)),
            ),
            "You averaged the squares of the roles apart and then divided: average the squared "
            "ratios.": 1 / np.sqrt(apart),
            "You averaged r_i² and 1/r_k² apart: average their product, component by component.": 1
            / np.sqrt(inverse),
            "The pair itself is counted twice: its ratio is 1 and already in the sum.": 1
            / np.sqrt(power + 1),
            "The right filler itself is missing: it adds 1 to the squared length.": 1
            / np.sqrt(np.maximum(power - 1, 1e-9)),
            "This is the expected squared length itself.": power,
            "This is the squared cosine: a root is missing.": 1 / power,
            "This is the length of the reading; the cosine is 1 over it.": np.sqrt(power),
            "Fillers have the variance 1/d: a mean over the components, not a sum.": 1
            / np.sqrt(d * power),
            "A sum over the pairs, not a mean.": 1 / np.sqrt(power / n),
            "You added up the ratios with their signs: the variance needs the squares of "
            "each.": _first_close(
                got,
                1 / np.sqrt((ratios.sum(axis=1) ** 2).mean(axis=-1)),
                1 / np.sqrt(np.maximum(ratios.sum(axis=1).mean(axis=-1), 1e-9)),
            ),
            "A variance takes the mean off; here the mean of the *squares* counts.": _first_close(
                got,
                1 / np.sqrt(1 + ratios.var(axis=-1).sum(axis=-1)),
                1 / np.sqrt(np.maximum(ratios.var(axis=-1).sum(axis=-1), 1e-9)),
            ),
            "You squared after averaging: square each ratio first.": 1
            / np.sqrt((ratios.mean(axis=-1) ** 2).sum(axis=-1)),
            "Absolute ratios do not add up to a variance: square them.": 1
            / np.sqrt(np.abs(ratios).mean(axis=-1).sum(axis=-1)),
            "That is right for signs only: 1/√N.": np.full(n, n**-0.5),
            "You averaged the cosines of the components: add up the squared lengths first.": (
                1 / np.sqrt((ratios**2).sum(axis=1))
            ).mean(axis=-1),
            "Is a component kept away from 0, or a ratio bounded? The exact numbers in `roles` are "
            "asked for: one of them is 0.003.": got
            if attempt.draw == 2 and got[1] > 1.0001 * right[1]
            else power,
            "Near, but not exact: was it simulated, or rounded? The formula gives the number "
            "itself.": got if np.abs(got / right - 1).max() < 0.05 else power,
        },
    )


def _first_close(got: Array, *candidates: Array) -> Array:
    """The candidate that the learner's answer comes close to, or else the first."""
    return next((x for x in candidates if np.allclose(x, got, rtol=1e-4)), candidates[0])
