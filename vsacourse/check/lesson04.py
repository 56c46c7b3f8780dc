"""Checks of lesson 04, binding operators: exercises 1 and 2, the operators themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "04-binding-operators"

Array = NDArray[Any]


def _circulant(r: Array) -> Array:
    return np.array([np.roll(r, k) for k in range(len(r))])


_SIX = [  # name, currency, usa, dollar, mexico, peso: the example of the lesson
    *([-1, -1, -1, 1], [1, -1, 1, -1], [1, -1, 1, 1]),
    *([-1, -1, 1, -1], [-1, 1, 1, -1], [1, 1, -1, -1]),
]


def _countries(attempt: Attempt) -> tuple[Array, Array, Array, Array, Array]:
    """Codebook, and the rows of roles, source fillers, target fillers; which fields are asked."""
    if attempt.draw == 1:
        rows = [np.array(x) for x in ([0, 1], [2, 3], [4, 5], [1, 0])]
        return np.array(_SIX), rows[0], rows[1], rows[2], rows[3]
    fields, d, asked = {
        0: (3, 900, (0, 1)),
        2: (4, 2000, (2, 0, 3)),
        3: (3, 1200, (1,)),
        4: (3, 1200, (2, 0, 2)),  # the same word twice
    }[attempt.draw]
    book = attempt.rng.choice([-1, 1], size=(3 * fields + 5, d))
    places = attempt.rng.permutation(len(book))[: 3 * fields].reshape(3, fields)
    roles, here, there = places
    if attempt.draw == 3:
        there[1] = here[1]  # both countries have this filler
    return book, roles, here, there, np.array(asked)


def _one_to_one(scores: Array) -> Array:
    """The highest scores, each row of the codebook used once."""
    left, out = scores.astype(float), np.zeros(len(scores), dtype=int)
    for _ in out:
        word, row = np.unravel_index(left.argmax(), left.shape)
        out[word] = row
        left[word], left[:, row] = -np.inf, -np.inf
    return out


@exercise(
    lesson=LESSON,
    title="The dollar of Mexico",
    minutes=5,
    difficulty=1,
    teaches="what the product of two records does to a word",
    hints=[
        "What does one word times the source record contain? Write out two terms.",
        "Word ⊙ source contains the role; role ⊙ target contains the answer.",
        "All three factors in one product, shape (n, d). A matrix product with the codebook gives "
        "the scores, shape (n, D). Along which axis does `argmax` go?",
    ],
    draws=5,
    anchor="Exercise-1-·-The-dollar-of-Mexico",
)
def counterparts(attempt: Attempt) -> None:
    """``counterparts(words, source, target, codebook)``: (n, d), (d,), (d,), (D, d) -> (n,)."""
    book, roles, here, there, order = _countries(attempt)
    source, target = ((book[roles] * book[x]).sum(axis=0) for x in (here, there))
    words = book[here[order]]
    (n, d), size = words.shape, len(book)
    got = attempt.array(
        attempt.call(words, source, target, book),
        shape=(n,),
        kind="int",
        mistakes={
            "These are the products, or the rows themselves: compare with the codebook, and "
            "return its rows' numbers.": (n, d),
            "These are the scores: which row of the codebook has the highest?": (n, size),
            "The highest score is taken over the words; take it over the codebook.": (size,),
            "One number for each word is asked for, also for one word: shape (1,). Does a "
            "`squeeze` drop the axis?"
            if n == 1
            else "One number for each word is asked for.": (),
        },
    )

    def best(x: Array) -> Array:
        return (x @ book.T).argmax(axis=-1)

    def convolved() -> Array:
        spectrum = np.fft.fft(words) * np.fft.fft(source) * np.fft.fft(target)
        return best(np.fft.ifft(spectrum).real)

    both = words * source * target
    scores = both @ book.T
    elsewhere = np.where(words @ book.T == d, scores.min() - 1, scores)
    # where the source is 0: as if it were 1, or a huge number
    divided = [best(words * target / np.where(source == 0, zero, source)) for zero in (1, 1e-300)]
    same = [x for x in divided if np.array_equal(x, got)]
    attempt.equal(
        np.asarray(got).astype(int),
        there[order],
        mistakes={
            "Do not leave out the word itself: both records may hold it.": elsewhere.argmax(
                axis=-1
            ),
            "A record is a sum: dividing by it is not multiplying with it. `*`, for both "
            "records.": same[0] if same else divided[0],
            "These are the roles: word ⊙ source gives them, also when the target is *added*. "
            "Multiply with the target.": roles[order],
            "These are the words themselves: multiply with both records. (Adding them leaves the "
            "word on top.)": here[order],
            "You multiplied with the target only: that finds the role for words of the target, "
            "not of the source.": best(words * target),
            "The product of the two records alone does not know the word.": np.full(
                n, best(source * target)
            ),
            "You added the two records; multiply them.": best(words * (source + target)),
            "You convolved. Signs are bound with the product component by component, "
            "`*`.": convolved,
            "You took the score that is largest in size; the *highest* counts, and −8 is not "
            "high.": np.abs(scores).argmax(axis=-1),
            "These are the rows with the *lowest* score.": scores.argmin(axis=-1),
            "Two words may have the same counterpart: take the highest score for each word "
            "alone.": lambda: _one_to_one(scores),
            "You multiplied with the source twice: one of them has to be the target.": best(
                words * source * source
            ),
            "The records' signs were taken, or more: the answers to some words got lost.": best(
                words * np.sign(source) * np.sign(target)
            ),
            "These are the numbers of the words' counterparts within the record; return rows of "
            "the codebook.": order,
        },
    )


@exercise(
    lesson=LESSON,
    title="Find the matrix",
    minutes=4,
    difficulty=2,
    teaches="that every linear binding is a matrix, and how to see it",
    hints=[
        "What is `f @ R` for f = (1, 0, 0, ...)?",
        "The unit vector number k times R is row k of R. Ask `bind` for each of them.",
        "Go through the rows `e` of `np.eye(d)`, ask `bind` for each, and make one array of the "
        "answers, one below the other.",
    ],
    anchor="Exercise-2-·-Find-the-matrix",
)
def matrix_of(attempt: Attempt) -> None:
    """``matrix_of(bind, d)``: a linear function of (d,) to (d,), int -> (d, d)."""
    d = (4, 6, 7)[attempt.draw]
    signs = np.sign(attempt.rng.normal(size=d))
    signs[:2] = 1, -1
    r = attempt.rng.normal(size=d)
    shuffle = np.roll(np.arange(d), 1)
    maps = (
        _circulant(3 * r) * signs,
        np.eye(d)[shuffle] * attempt.rng.uniform(0.5, 2, size=d) * signs,
        attempt.rng.normal(size=(d, d)),
    )
    right = maps[attempt.draw]

    def bind(f: Any) -> Array:
        f = np.asarray(f)
        if f.ndim == 0 or f.shape[-1] != d:
            raise ValueError(f"bind: the filler has shape {f.shape}; it needs ({d},) or (n, {d}).")
        product: Array = f @ right
        return product

    hidden: Callable[[Any], Array] = bind
    got = attempt.array(
        attempt.call(hidden, d),
        shape=(d, d),
        mistakes={
            "This is the answer to one filler: ask for all unit vectors.": (d,),
            "One axis too many: each answer is one row.": (d, 1, d),
        },
    )
    first, ones = bind(np.eye(d)[0]), bind(np.ones(d))
    attempt.close(
        got,
        right,
        mistakes={
            "The answers stand in the columns; each is a row: f @ R, not R @ f.": right.T,
            "That is right for MAP only: with all ones you see one number a component. Ask for "
            "each unit vector.": np.diag(ones),
            "That is right for HRR only: not every map is circulant. Ask for each unit "
            "vector.": _circulant(first),
            "You put the same answer into every row: ask for each unit vector.": np.tile(
                first, (d, 1)
            ),
            "You put the answer to all ones into every row: ask for each unit vector.": np.tile(
                ones, (d, 1)
            ),
            "One answer, spread over all rows: that matrix has rank 1. Ask for each unit "
            "vector.": np.tile(ones / d, (d, 1)),
            "An outer product of one answer has rank 1. Ask for each unit vector.": np.outer(
                ones, ones
            ),
            "An integer array cut the fractions: start from a float array.": right.astype(int),
            "The rows stand in the wrong order: row k is the answer to unit vector k.": right[::-1],
            "This is the matrix that undoes the binding: f R is the answer, not the "
            "question.": lambda: np.linalg.inv(right),
            "This is the unit matrix: `bind` was not asked.": np.eye(d),
            "`bind` was applied twice: once shows the rows.": right @ right,
        },
    )
