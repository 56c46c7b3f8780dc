"""Checks of lesson 00, the warm-up."""

import numpy as np

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "00-warm-up"


@exercise(
    lesson=LESSON,
    title="Cosine of all pairs",
    minutes=5,
    difficulty=1,
    teaches="Norms on the last axis, and one matrix product for all pairs.",
    hints=[
        "Which axis holds the components of one vector? The norm goes over that axis only.",
        "All dot products at once are one matrix product; one of the two needs a transpose.",
        "Divide `a` and `b` by their own norms first (`keepdims=True`), then multiply.",
    ],
)
def cosine(attempt: Attempt) -> None:
    """``cosine(a, b)``: (n, d) against (m, d) -> (n, m)."""
    n, m, d = (3, 5, 7) if attempt.draw == 0 else (4, 2, 9)
    a = attempt.rng.normal(size=(n, d)) * attempt.rng.uniform(0.5, 3, size=(n, 1))
    b = attempt.rng.normal(size=(m, d)) * attempt.rng.uniform(0.5, 3, size=(m, 1))
    dots = a @ b.T  # [n, m]
    norm_a = np.linalg.norm(a, axis=-1, keepdims=True)  # [n, 1]
    norm_b = np.linalg.norm(b, axis=-1)  # [m]
    got = attempt.call(a, b)
    got = attempt.array(
        got,
        shape=(n, m),
        mistakes={
            "The rows must belong to `a` and the columns to `b`: here it is the other way round.": (
                m,
                n,
            ),
            "The product ran over the vectors; it has to run over their components.": (d, d),
        },
    )
    attempt.close(
        got,
        dots / (norm_a * norm_b),
        mistakes={
            "These are the dot products: the division by the norms is missing.": dots,
            "You divided by d; a cosine divides by the two norms.": dots / d,
            "You divided by the squared norms: a square root is missing.": dots
            / (norm_a**2 * norm_b**2),
            "You divided by the norm of `a` only.": dots / norm_a,
            "You divided by the norm of `b` only.": dots / norm_b,
            "You divided by one norm of the whole array: `np.linalg.norm` needs `axis=-1`.": dots
            / (np.linalg.norm(a) * np.linalg.norm(b)),
        },
    )
