"""Checks of lesson 04, binding operators."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "04-binding-operators"

Array = NDArray[Any]


def _circulant(r: Array) -> Array:
    return np.array([np.roll(r, k) for k in range(len(r))])


@exercise(
    lesson=LESSON,
    title="The dollar of Mexico",
    minutes=4,
    difficulty=1,
    teaches="what the product of two records does to a word",
    hints=[
        "What does one word times the source record contain? Write out two terms.",
        "Word ⊙ source contains the role; role ⊙ target contains the answer.",
        "`(words * source * target) @ codebook.T` has the shape (n, D); which row of the codebook "
        "scores highest?",
    ],
    anchor="Exercise-1-·-The-dollar-of-Mexico",
)
def counterparts(attempt: Attempt) -> None:
    """``counterparts(words, source, target, codebook)``: (n, d), (d,), (d,), (D, d) -> (n,)."""
    fields, n, d = [(3, 2, 900), (4, 3, 2000), (3, 3, 1200)][attempt.draw]
    book = attempt.rng.choice([-1, 1], size=(3 * fields + 5, d))
    places = attempt.rng.permutation(len(book))[: 3 * fields].reshape(3, fields)
    roles, here, there = places
    source, target = ((book[roles] * book[x]).sum(axis=0) for x in (here, there))
    order = attempt.rng.permutation(fields)[:n]
    words = book[here[order]]
    size = len(book)
    got = attempt.array(
        attempt.call(words, source, target, book),
        shape=(n,),
        kind="int",
        mistakes={
            "These are the products: compare them with the codebook, and return its rows' "
            "numbers.": (n, d),
            "These are the scores: which row of the codebook has the highest?": (n, size),
            "The highest score is taken over the words; take it over the codebook.": (size,),
            "One number for each word is asked for.": (),
        },
    )

    def best(x: Array) -> Array:
        return (x @ book.T).argmax(axis=-1)

    both = words * source * target
    attempt.equal(
        np.asarray(got).astype(int),
        there[order],
        mistakes={
            "These are the roles: word ⊙ source gives the role. Multiply with the target, "
            "too.": roles[order],
            "These are the words themselves: multiply with both records. (Adding them leaves the "
            "word on top.)": here[order],
            "You multiplied with the target only: that finds the role for words of the target, "
            "not of the source.": best(words * target),
            "The product of the two records alone does not know the word.": np.full(
                n, best(source * target)
            ),
            "You added the two records; multiply them.": best(words * (source + target)),
            "These are the rows with the *lowest* score.": (both @ book.T).argmin(axis=-1),
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
        "`np.array([bind(e) for e in np.eye(d)])`: the answers are the rows.",
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
        _circulant(r) * signs,
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
    first = bind(np.eye(d)[0])
    attempt.close(
        got,
        right,
        mistakes={
            "The answers stand in the columns; each is a row: f @ R, not R @ f.": right.T,
            "That is right for MAP only: with all ones you see one number a component. Ask for "
            "each unit vector.": np.diag(bind(np.ones(d))),
            "That is right for HRR only: not every map is circulant. Ask for each unit "
            "vector.": _circulant(first),
            "You put the same answer into every row: ask for each unit vector.": np.tile(
                first, (d, 1)
            ),
            "You put the answer to all ones into every row: ask for each unit vector.": np.tile(
                bind(np.ones(d)), (d, 1)
            ),
            "This is the unit matrix: `bind` was not asked.": np.eye(d),
            "`bind` was applied twice: once shows the rows.": right @ right,
        },
    )


def _families(rng: np.random.Generator, d: int) -> list[Array]:
    """Role maps with all four combinations of the two properties, some of them traps."""
    q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    signs = np.ones(d)
    signs[: d // 2] = -1
    oblique = np.diag(signs).astype(float)
    oblique[:, -1] += 2 * (signs < 0)  # signs, with a slant: its own inverse, not orthogonal
    shear = np.eye(d)
    shear[0, 1] = 0.5  # determinant 1, rows not of length 1
    swap = np.eye(d)
    swap[:2] = swap[[1, 0]]
    u = q[0]
    turn = np.kron(np.eye(d // 2), [[0, 1], [-1, 0]])  # R R = -I
    rows = rng.normal(size=(d, d))
    rows /= np.linalg.norm(rows, axis=-1, keepdims=True)
    slight = np.diag(signs).astype(float)
    slight[0, 1] = slight[1, 0] = 0.02
    return [
        q @ np.diag(signs) @ q.T,  # a mirror: orthogonal, self-inverse, no zeros in it
        np.roll(np.eye(d), 1, axis=1),  # shift by one
        oblique,
        shear,
        2 * np.eye(d),  # symmetric, but not its own inverse
        turn,
        np.eye(d) - 2 * np.outer(u, u),
        swap,
        q,
        (q * rng.uniform(0.4, 1.6, size=d)) @ q.T,  # symmetric, neither
        np.diag(signs),
        np.sqrt(d) * np.outer(u, u),  # of the same size as an orthogonal one, rank 1
        rows,  # of length 1, not at right angles
        slight,
    ]


@exercise(
    lesson=LESSON,
    title="Its own inverse",
    minutes=7,
    difficulty=4,
    teaches="to tell a role map that has a direction from one that has none",
    hints=[
        "Both properties are equations between matrices: R Rᵀ = I and R R = I. Which matrix "
        "product works on a stack (n, d, d)?",
        "`roles @ roles` multiplies matrix by matrix. For the transposes exchange the last two "
        "axes: `np.swapaxes(roles, -1, -2)`.",
        "`(abs(roles @ roles - np.eye(d)) < 1e-4).all(axis=(-1, -2))`, the same with the "
        "transposes, and `np.trace(roles @ roles, axis1=-2, axis2=-1) / d`.",
    ],
    anchor="Exercise-3-·-Its-own-inverse",
)
def role_report(attempt: Attempt) -> None:
    """``role_report(roles)``: (n, d, d) -> (n,) booleans, (n,) booleans, (n,) floats."""
    d = (6, 8, 10)[attempt.draw]
    maps = _families(attempt.rng, d)
    roles = np.array([maps[i] for i in attempt.rng.permutation(len(maps))])
    n = len(roles)
    identity, transposed = np.eye(d), np.swapaxes(roles, -1, -2)

    def same(x: Array, y: Array) -> Array:
        small: Array = (np.abs(x - y) < 1e-4).all(axis=(-1, -2))
        return small

    gram, twice = roles @ transposed, roles @ roles
    orthogonal, self_inverse = same(gram, identity), same(twice, identity)
    symmetric = same(roles, transposed)
    squares = same(roles * roles, identity)
    unit_rows = (np.abs(np.linalg.norm(roles, axis=-1) - 1) < 1e-4).all(axis=-1)
    unit_det = np.abs(np.abs(np.linalg.det(roles)) - 1) < 1e-4
    trace = np.trace(twice, axis1=-2, axis2=-1)
    parts: Iterator[Any] = attempt.items(attempt.call(roles), 3)
    shapes = {
        "One answer for each role map: keep the first axis.": (),
        "All entries of a matrix have to agree: `.all(axis=(-1, -2))`.": (n, d, d),
        "All entries of a matrix have to agree, over both of its axes.": (n, d),
    }
    got = attempt.array(next(parts), shape=(n,), kind="bool", what="orthogonal", mistakes=shapes)
    attempt.equal(
        got,
        orthogonal,
        what="orthogonal",
        mistakes={
            "This is `self_inverse`: return `orthogonal` first.": self_inverse,
            "You tested the length of the rows only: they must be at right angles, too.": unit_rows,
            "A determinant of ±1 is not enough: a shear has it, too.": unit_det,
            "You tested whether R is symmetric. Orthogonal means R Rᵀ = I.": symmetric,
            "You tested whether the squared length of all entries is d; every entry of R Rᵀ has "
            "to agree with I.": np.abs(np.trace(gram, axis1=-2, axis2=-1) / d - 1) < 1e-4,
            "You tested whether R has full rank, an inverse. Orthogonal means that the inverse is "
            "the transpose.": np.linalg.matrix_rank(roles) == d,
            "The tolerance is too wide: within 1e-4 is asked for.": (
                np.abs(gram - identity) < 0.045
            ).all(axis=(-1, -2)),
        },
    )
    got = attempt.array(next(parts), shape=(n,), kind="bool", what="self_inverse", mistakes=shapes)
    attempt.equal(
        got,
        self_inverse,
        what="self_inverse",
        mistakes={
            "`roles * roles` multiplies entry by entry; the map applied twice is "
            "`roles @ roles`.": squares,
            "R = Rᵀ is not enough: 2 I is symmetric. Only for orthogonal maps are the two the "
            "same.": symmetric,
            "Symmetric and orthogonal maps are their own inverses, but not they alone: test "
            "R R = I.": symmetric & orthogonal,
            "This is `orthogonal` again: R R, not R Rᵀ.": orthogonal,
            "You tested the trace only: it may be right by chance.": np.abs(trace / d - 1) < 1e-4,
            "You tested the diagonal only: the other entries have to be 0.": (
                np.abs(np.diagonal(twice, axis1=-2, axis2=-1) - 1) < 1e-4
            ).all(axis=-1),
            "R R = −I does not count: a vector that comes back with the other sign is not "
            "itself.": self_inverse | same(twice, -identity),
            "The determinant does not see it.": unit_det,
        },
    )
    backward = attempt.array(next(parts), shape=(n,), what="backward", mistakes=shapes)
    attempt.close(
        backward,
        trace / d,
        rtol=1e-4,
        what="backward",
        mistakes={
            "Divide the trace by d.": trace,
            "This is tr(R Rᵀ)/d, the match with itself: 1 for every orthogonal map. R R, without "
            "a transpose.": np.trace(gram, axis1=-2, axis2=-1) / d,
            "This is the square of the trace; square the matrix first.": np.trace(
                roles, axis1=-2, axis2=-1
            )
            ** 2
            / d,
            "This is the trace of R, not of R R.": np.trace(roles, axis1=-2, axis2=-1) / d,
            "The squares of the diagonal entries are not the diagonal of the square: "
            "`roles @ roles`.": np.trace(roles * roles, axis1=-2, axis2=-1) / d,
            "This is the mean of all entries of R R; the trace adds up the diagonal "
            "only.": twice.mean(axis=(-1, -2)),
            "The absolute values are too much: a match may be negative.": np.abs(trace) / d,
            "These are the booleans: `backward` is a number for each map.": self_inverse.astype(
                float
            ),
        },
    )
