"""Checks of lesson 04, binding operators: exercises 4 and 5, the noise of a reading."""

import numpy as np

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson04 import LESSON


@exercise(
    lesson=LESSON,
    title="Predict the cosine",
    minutes=4,
    difficulty=3,
    teaches="the crosstalk of pairs and the noise of depth in one formula",
    hints=[
        "The dot product of the reading with the filler is 1 on average. So all is in the squared "
        "length of the reading: its own part, and that of each other pair.",
        "Own part: E[γ²]. Other parts: all vectors in them are independent, no power meets itself. "
        "What is their squared length?",
        '`own = 2**depth if operator == "HRR" else 1`, and `pairs - 1` others of squared length 1.',
    ],
    draws=5,
    anchor="Exercise-4-·-Predict-the-cosine",
)
def predicted_cosine(attempt: Attempt) -> None:
    """``predicted_cosine(pairs, depth, operator)``: int, int, str -> float."""
    n, depth, operator = [
        (6, 3, "HRR"),
        (5, 2, "MBAT"),
        (1, 4, "HRR"),
        (9, 1, "HRR"),
        (7, 0, "HRR"),
    ][attempt.draw]
    own = 2**depth if operator == "HRR" else 1
    got = attempt.scalar(attempt.call(n, depth, operator))
    mistakes = {
        "You multiplied the two laws. That gives the other pairs the squared length 2^ℓ as well, "
        "but in them no power meets itself: theirs is 1.": 2 ** (-depth / 2) / np.sqrt(n),
        "The pair itself is counted twice: there are N − 1 others.": 1 / np.sqrt(own + n),
        "This is the law for depth 1: at depth ℓ the own part has the squared length 2^ℓ.": 1
        / np.sqrt(n + 1),
        "This is the squared cosine: a root is missing.": 1 / (own + n - 1),
        "The noise of the levels does not add up, it multiplies: 2^ℓ, not ℓ + 1.": 1
        / np.sqrt(n + depth),
        "The noise of the levels multiplies: 2^ℓ, not 2 ℓ.": 1 / np.sqrt(2 * depth + n - 1),
        "The crosstalk of the other pairs is missing.": 2 ** (-depth / 2),
        "The noise of the depth is missing.": 1 / np.sqrt(n),
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
    attempt.close(got, 1 / np.sqrt(own + n - 1), rtol=1e-4, mistakes=mistakes)


@exercise(
    lesson=LESSON,
    title="Unbinding by division",
    minutes=6,
    difficulty=4,
    teaches="why the components of a role must stay away from 0",
    hints=[
        "Component j of the reading is Σ_i f_ij r_ij / r_kj. Its variance, for independent f_ij of "
        "variance 1/d?",
        "The expected squared length is the sum over the pairs i of the mean over j of "
        "(r_ij / r_kj)². For i = k that is 1.",
        "`ratios = roles[None] / roles[:, None]` has the axes k, i, j; square, mean over the last, "
        "sum over i, root, 1 over it.",
    ],
    anchor="Exercise-5-·-Unbinding-by-division",
)
def division_cosines(attempt: Attempt) -> None:
    """``division_cosines(roles)``: (N, d) -> (N,)."""
    n, d = [(3, 5), (5, 4), (4, 7)][attempt.draw]
    rng = attempt.rng
    roles = rng.choice([-1, 1], size=(n, d)) * rng.uniform(0.4, 2, size=(n, d))
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
            "Each role reads with another noise: keep one number for each.": (),
        },
    )
    attempt.close(
        got,
        1 / np.sqrt(power),
        rtol=1e-4,
        mistakes={
            "The ratio is upside down: you divide *by* the role you read with.": 1
            / np.sqrt((ratios**2).mean(axis=-1).sum(axis=0)),
            "You averaged the squares of the roles apart and then divided: average the squared "
            "ratios.": 1 / np.sqrt(apart),
            "You averaged r_i² and 1/r_k² apart: average their product, component by component.": 1
            / np.sqrt(inverse),
            "The pair itself is counted twice: its ratio is 1 and already in the sum.": 1
            / np.sqrt(power + 1),
            "The right filler itself is missing: it adds 1 to the squared length.": 1
            / np.sqrt(power - 1),
            "This is the expected squared length itself.": power,
            "This is the squared cosine: a root is missing.": 1 / power,
            "This is the length of the reading; the cosine is 1 over it.": np.sqrt(power),
            "Fillers have the variance 1/d: a mean over the components, not a sum.": 1
            / np.sqrt(d * power),
            "A sum over the pairs, not a mean.": 1 / np.sqrt(power / n),
            "You added up the ratios with their signs: the variance needs the squares of each.": 1
            / np.sqrt((ratios.sum(axis=1) ** 2).mean(axis=-1)),
            "You squared after averaging: square each ratio first.": 1
            / np.sqrt((ratios.mean(axis=-1) ** 2).sum(axis=-1)),
            "Absolute ratios do not add up to a variance: square them.": 1
            / np.sqrt(np.abs(ratios).mean(axis=-1).sum(axis=-1)),
            "That is right for signs only: 1/√N.": np.full(n, n**-0.5),
            "You averaged the cosines of the components: add up the squared lengths first.": (
                1 / np.sqrt((ratios**2).sum(axis=1))
            ).mean(axis=-1),
        },
    )
