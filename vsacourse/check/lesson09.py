"""Checks of lesson 09, what is binding: which operation a part is, and cosines after LayerNorm."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "09-what-is-binding"

Array = NDArray[Any]

WORDS = ("bind", "unbind", "bundle", "match", "neither")

# letter: (the part in words, right word, what to try when it is wrong)
_PARTS = {
    "A": (
        "a position vector added to a token",
        "bundle",
        "Try the swap test: (f + r) + (g + r') and (f + r') + (g + r). And how similar is the "
        "result to the token?",
    ),
    "B": (
        "the outer product of a value and a key",
        "bind",
        "It is lesson 03's f^T r under new names: the key gives the value back.",
    ),
    "C": (
        "the dot product of a query and a key",
        "match",
        "The result is one number. Can a filler be got back from it?",
    ),
    "D": (
        "the matrix times a query",
        "unbind",
        "Lesson 06: what does a query get out of a matrix of bound pairs?",
    ),
    "E": (
        "what the heads wrote, added to the stream",
        "bundle",
        "Is the result similar to each of its parts? Does the order of the parts, or who wrote "
        "which, show in it?",
    ),
    "F": (
        "a token through an orthogonal W_V W_O",
        "bind",
        "Run the three tests on f R: is it unlike f, does the transpose of R undo it, does a swap "
        "show?",
    ),
    "G": (
        "a key turned by its position",
        "bind",
        "In complex numbers it is a product with phasors. Which operation is that in FHRR?",
    ),
    "H": (
        "a turned key times the conjugate phasors of its position",
        "unbind",
        "The conjugate turns back by the same angles. What is left of the position?",
    ),
    "I": (
        "LayerNorm",
        "neither",
        "Only one vector goes in: which other one would it be tied to, added to or compared with?",
    ),
    "J": (
        "the largest of all logits, chosen",
        "neither",
        "That is a cleanup: a choice from a codebook, when everything was read. Is it one of the "
        "four operations?",
    ),
    "K": (
        "|f + g| - 1 for sign vectors",
        "bind",
        "Write down its four cases, f and g each 1 or -1. Which product is it?",
    ),
}


@exercise(
    lesson=LESSON,
    title="Bind, unbind, bundle, match, or neither",
    minutes=5,
    difficulty=2,
    teaches="to tell the operations of Part I apart in a transformer",
    hints=[
        "Ask of each: is it a sum, a product that can be undone, the undoing, or one number?",
        "Sums are bundles, whatever they are for. For the products, see who is undone by what: "
        "lesson 03 (outer product), 04 (role map), 05 (phasors).",
        "Two of them only change or choose one vector. K is the last column of a table in the "
        "lesson's section on the MLP.",
    ],
    draws=1,
    anchor="Exercise-1-·-Bind,-unbind,-bundle,-match,-or-neither",
)
def what_each_does(attempt: Attempt) -> None:
    """``what_each_does()``: a dict, A to K -> one of five words."""
    got = attempt.call()
    attempt.require(
        isinstance(got, dict),
        f"`what_each_does()` is a {type(got).__name__}; it needs a dictionary.",
        likely='Return {"A": "bundle", ...}.',
    )
    answers = {str(key).strip().upper(): word for key, word in got.items()}
    missing = [letter for letter in _PARTS if letter not in answers]
    attempt.require(
        not missing,
        f"There is no entry for {', '.join(missing)}.",
        likely="The keys are the letters A to K.",
    )
    wrong = []
    for letter, (part, right, advice) in _PARTS.items():
        word = answers[letter]
        word = word.strip().casefold() if isinstance(word, str) else word
        attempt.require(
            isinstance(word, str) and word in WORDS,
            f"{letter} ({part}) is {word!r}; choose one of {', '.join(map(repr, WORDS))}.",
            likely="The five words are strings, in quotes.",
        )
        if word != right:
            wrong.append((letter, part, word, advice))
    if wrong:
        letter, part, word, advice = wrong[0]
        others = "" if len(wrong) == 1 else f" ({len(wrong)} of {len(_PARTS)} are not right yet.)"
        attempt.require(False, f"{letter}, {part}: not {word!r}.{others}", likely=advice)


def _means(x: Array) -> Array:
    """The cosine of every row with the vector of ones."""
    means: Array = x.sum(axis=1) / np.linalg.norm(x, axis=1) / np.sqrt(x.shape[1])
    return means


def _first(got: Array, *candidates: Array) -> Array:
    """The candidate that the learner's answer comes close to, or else the first."""
    return next((x for x in candidates if np.allclose(x, got, rtol=1e-4)), candidates[0])


def _centred_table(got: Array, cosines: Array) -> Array:
    """The table with the means of its rows, its columns or both taken out, or scaled after that."""
    rows = cosines - cosines.mean(axis=1, keepdims=True)
    columns = cosines - cosines.mean(axis=0)
    both = rows - rows.mean(axis=0)
    lengths = np.sqrt(np.maximum(np.diag(both), 1e-30))
    return _first(got, both, both / np.outer(lengths, lengths), rows, columns)


@exercise(
    lesson=LESSON,
    title="Cosines after LayerNorm",
    minutes=7,
    difficulty=3,
    teaches="what LayerNorm does to similarities",
    hints=[
        "Lengths do not matter for a cosine, so only the centring counts: what does it take out "
        "of a unit vector, and what is left?",
        "Put x = c_x e + x' and y = c_y e + y' into x · y. Which terms vanish? Then do the same "
        "with x · x.",
        "The dot product of what is left is c − c_x c_y (`np.outer` makes all products at once). "
        "What is left of x has the squared length 1 − c_x²; divide by both lengths.",
    ],
    draws=5,
    anchor="Exercise-4-·-Cosines-after-LayerNorm",
)
def cosines_after_layernorm(attempt: Attempt) -> None:
    """``cosines_after_layernorm(cosines, with_ones)``: (n, n), (n,) -> (n, n)."""
    n, d, shift = [(4, 6, 0.5), (2, 2, 0.0), (6, 40, 0.0), (5, 9, -2.0), (1, 5, 1.0)][attempt.draw]
    x = attempt.rng.normal(size=(n, d)) + shift
    if attempt.draw == 1:
        x = np.array([[3.0, 1.0], [1.0, 0.0]])  # the example
    lengths = np.linalg.norm(x, axis=1)
    cosines, c = x @ x.T / np.outer(lengths, lengths), _means(x)
    centred = x - x.mean(axis=1, keepdims=True)
    dots = centred @ centred.T
    right = dots / np.sqrt(np.outer(np.diag(dots), np.diag(dots)))
    what = f"the result for {n} vector{'s' * (n > 1)} of {d} components, mean near {shift:g}"
    if attempt.draw == 1:
        what = "the result for (3, 1) and (1, 0)"
    got = attempt.array(
        attempt.call(cosines, c),
        shape=(n, n),
        what=what,
        mistakes={"All pairs are asked for: `np.outer(with_ones, with_ones)`.": (n,)},
    )
    product = np.outer(c, c)
    squares = 1 - c**2
    left = cosines - product
    wrong = {
        "The vectors have become shorter by the centring: divide by both lengths.": left,
        "Only the diagonal became 1: divide *every* pair by both lengths.": left
        - np.diag(np.diag(left))
        + np.eye(n),
        "1 − c² is the *squared* length of what is left: take its root.": left
        / np.outer(squares, squares),
        "Both lengths count: one for the row, one for the column.": _first(
            got, left / np.sqrt(squares)[:, None], left / np.sqrt(squares)
        ),
        "Only one length was used, its square: one factor is for the row, one for the "
        "column.": _first(got, left / squares[:, None], left / squares),
        "The length of what is left is for each vector its own, the root of 1 − c_x²; 1 − c_x c_y "
        "is no length.": left / (1 - product),
        "The common part is *subtracted*: c = c_x c_y + what is left.": (cosines + product)
        / np.sqrt(np.outer(squares, squares)),
        "The parts along ones are still in the dot product: subtract c_x c_y.": cosines
        / np.sqrt(np.outer(squares, squares)),
        "That is what was there before: centring changes cosines.": cosines,
        "The part to subtract is the *product* c_x c_y, for each pair.": _first(
            got,
            *(
                (cosines - np.add.outer(c, c) / by) / length
                for by in (1, 2)
                for length in (1, np.sqrt(np.outer(squares, squares)))
            ),
        ),
        "The squared length of what is left is 1 − c²: the square of c is missing.": left
        / np.sqrt(np.outer(1 - c, 1 - c)),
        "You centred over the vectors (rows or columns of `cosines`). LayerNorm centres over the "
        "components, and what that takes away is in `with_ones`.": _centred_table(got, cosines),
        "Length after centring: 1 − c², not 1 + c².": left / np.sqrt(np.outer(1 + c**2, 1 + c**2)),
        "The rows of `cosines` are not vectors of components: LayerNorm acts on the vectors, "
        "which you do not have.": np.corrcoef(cosines) if n > 2 else np.zeros((n, n)),
    }
    attempt.close(got, right, rtol=1e-4, atol=2e-4, what=what, mistakes=wrong)
