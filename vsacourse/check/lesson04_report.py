"""Checks of lesson 04, binding operators: exercise 3, what a role map is."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson04 import LESSON

Array = NDArray[Any]


def _families(rng: np.random.Generator, d: int) -> list[Array]:
    """Role maps with all four combinations of the two properties, some of them traps."""
    q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    signs = np.ones(d)
    signs[: d // 2] = -1
    oblique = np.diag(signs).astype(float)
    oblique[:, -1] += 2 * (signs < 0)  # signs, with a slant: its own inverse, not orthogonal
    shear = np.eye(d)
    shear[0, 1] = 0.5  # determinant 1, rows not of length 1
    squash = np.eye(d)
    squash[[0, 1], [0, 1]] = 2, 0.5  # determinant 1, rows at right angles
    swap = np.eye(d)
    swap[:2] = swap[[1, 0]]
    u = q[0]
    turn = np.kron(np.eye(d // 2), [[0, 1], [-1, 0]])  # R R = -I
    rows = rng.normal(size=(d, d))
    rows /= np.linalg.norm(rows, axis=-1, keepdims=True)
    slight = np.diag(signs).astype(float)
    slight[0, 1] = slight[1, 0] = 0.02
    near, off = np.diag(signs), np.diag(signs)
    near[0, 1] = near[1, 0] = 3e-5  # within the tolerance
    off[-1, -2] = off[-2, -1] = 5e-4  # not
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
        shear[::-1, ::-1],
        slight[::-1, ::-1],
        0.5 * q,
        2 * turn,
        rows.T,
        np.kron(np.eye(d // 2), [[0.6, 0.8], [0.8, 0.6]]),  # unit rows and columns
        (np.eye(d) + np.roll(np.eye(d), 1, axis=1)) / 2,  # a mean of two shifts
        squash,
        near,
        off,
    ]


def _same(x: Array, y: Array, tolerance: float = 1e-4) -> Array:
    """For each matrix whether all entries agree."""
    small: Array = (np.abs(x - y) < tolerance).all(axis=(-1, -2))
    return small


def _either(got: Array, *candidates: Any) -> Any:
    """The candidate that the learner's answer equals, or else the first."""
    return next((x for x in candidates if np.array_equal(x, got)), candidates[0])


def _slips(got: Array, product: Array, name: str) -> dict[str, Any]:
    """Ways to compare ``product`` with I that leave something out."""
    identity = np.eye(product.shape[-1])
    off = np.abs(product - identity)
    small = off < 1e-4
    signed = np.abs((product - identity).sum(axis=(-1, -2)))
    eigenvalues = np.linalg.eigvals(product)
    return {
        "Is `abs` missing around the difference? A negative entry is below the tolerance, too.": (
            (product - identity) < 1e-4
        ).all(axis=(-1, -2)),
        f"The tolerance is too wide (or a mean hides single entries): every entry of {name} within "
        "1e-4 is asked for.": _either(
            got, *(_same(product, identity, t) for t in (0.045, 0.03, 0.01, 3e-3, 1.5e-3))
        ),
        "The tolerance is too narrow: within 1e-4 is asked for.": _either(
            got, *(_same(product, identity, t) for t in (1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14))
        ),
        f"You tested the diagonal only: the other entries of {name} have to be 0.": (
            np.abs(np.diagonal(product, axis1=-2, axis2=-1) - 1) < 1e-4
        ).all(axis=-1),
        f"You tested a part only, a row, a block or a triangle: all entries of {name} have to "
        "agree.": _either(
            got,
            *(small[:, 0].all(axis=-1), small[:, -1].all(axis=-1)),
            *(small[:, :2, :2].all(axis=(-1, -2)), small[:, :, 0].all(axis=-1)),
            *((cut(off) < 1e-4).all(axis=(-1, -2)) for cut in (np.triu, np.tril)),
        ),
        "Every row has an entry that agrees; all entries have to: `.all` over both axes.": _either(
            got, small.any(axis=-1).all(axis=-1), small.all(axis=-1).any(axis=-1)
        ),
        "A mean or a sum over the entries hides single ones: compare entry by entry.": _either(
            got,
            *(off.mean(axis=(-1, -2)) < 1e-4, (off**2).mean(axis=(-1, -2)) < 1e-4),
            *(signed < 1e-4, (np.abs(product.sum(axis=-1) - 1) < 1e-4).all(axis=-1)),
        ),
        f"The trace of {name} only: it may be right by chance.": np.abs(
            np.trace(product, axis1=-2, axis2=-1) / len(identity) - 1
        )
        < 1e-4,
        f"The determinant does not see it: compare all entries of {name}.": np.abs(
            np.linalg.det(product) - 1
        )
        < 1e-4,
        f"The eigenvalues of {name} are not enough: a shear has them, too.": (
            np.abs(eigenvalues - 1) < 1e-3
        ).all(axis=-1),
    }


@exercise(
    lesson=LESSON,
    title="Its own inverse",
    minutes=8,
    difficulty=3,
    teaches="to test a role map for an exact transpose, for being its own inverse, and for the "
    "false match",
    hints=[
        "Both properties are equations between matrices: R Rᵀ = I and R R = I. Which matrix "
        "product works on a stack (n, d, d)?",
        "`roles @ roles` multiplies matrix by matrix. For the transposes exchange the last two "
        "axes: `np.swapaxes(roles, -1, -2)`.",
        "For one matrix it would be `(abs(R @ R - np.eye(d)) < 1e-4).all()`. For the stack, `all` "
        "and `np.trace` need to be told the axes, the last two: `axis=...`, `axis1=..., "
        "axis2=...`.",
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
    gram, twice = roles @ transposed, roles @ roles
    orthogonal, self_inverse = _same(gram, identity), _same(twice, identity)
    symmetric, squares = _same(roles, transposed), _same(roles * roles, identity)
    unit_rows, unit_columns = (
        (np.abs(np.linalg.norm(roles, axis=axis) - 1) < 1e-4).all(axis=-1) for axis in (-1, -2)
    )
    unit_det = np.abs(np.abs(np.linalg.det(roles)) - 1) < 1e-4
    unit_spectrum = (np.abs(np.abs(np.linalg.eigvals(roles)) - 1) < 1e-3).all(axis=-1)
    lengths = np.linalg.norm(roles.sum(axis=1), axis=-1)
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
            "You tested the length of the rows only (or of the columns): they must be at right "
            "angles, too.": _either(got, unit_rows, unit_columns, unit_rows & unit_columns),
            "At right angles, but not of length 1: 2 I is not orthogonal.": _either(
                got,
                (np.abs(gram * (1 - identity)) < 1e-4).all(axis=(-1, -2)),
                np.abs(np.linalg.cond(roles) - 1) < 1e-3,
            ),
            "The sizes of the eigenvalues are not enough: a shear has eigenvalues of size 1, "
            "too.": unit_spectrum,
            "A determinant of ±1 is not enough: a shear has it, too.": unit_det,
            "You tested whether R is symmetric. Orthogonal means R Rᵀ = I.": symmetric,
            "You tested the squared length of all entries; every entry of R Rᵀ has to agree with "
            "I.": np.abs(np.trace(gram, axis1=-2, axis2=-1) / d - 1) < 1e-4,
            "You tested whether R has full rank, an inverse. Orthogonal means that the inverse is "
            "the transpose.": np.linalg.matrix_rank(roles) == d,
            "R Rᵀ = Rᵀ R is not enough: 2 I has it, too.": _same(gram, transposed @ roles),
            "One vector that keeps its length does not say that all do.": np.abs(lengths - d**0.5)
            < 1e-4,
            **_slips(got, gram, "R Rᵀ"),
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
            "R R = −I does not count: a vector that comes back with the other sign is not "
            "itself.": self_inverse | _same(twice, -identity),
            "Applied four times is not applied twice: R R R R = I holds for more maps.": _same(
                twice @ twice, identity
            ),
            "The determinant does not see it.": unit_det,
            **_slips(got, twice, "R R"),
        },
    )
    _backward(attempt, next(parts), roles, self_inverse, shapes)


def _backward(
    attempt: Attempt,
    got: Any,
    roles: Array,
    self_inverse: Array,
    shapes: dict[str, tuple[int, ...]],
) -> None:
    n, d, _ = roles.shape
    twice = roles @ roles
    trace, first = (np.trace(x, axis1=-2, axis2=-1) for x in (twice, roles))
    size = (roles**2).sum(axis=(-1, -2))
    shapes = {
        **shapes,
        "By default `np.trace` takes the axes 0 and 1. The matrices lie on the last two: "
        "`axis1=-2, axis2=-1`.": (d,),
    }
    backward = attempt.array(got, shape=(n,), what="backward", mistakes=shapes)
    attempt.close(
        backward,
        trace / d,
        rtol=1e-4,
        what="backward",
        mistakes={
            "Divide the trace by d.": trace,
            "This is tr(R Rᵀ)/d, the right match: 1 for every orthogonal map. R R, without a "
            "transpose.": size / d,
            "Divide by d, not by tr(R Rᵀ).": trace / size,
            "Divide by d, not by the number of maps.": trace / n,
            "This is the square of the trace; square the matrix first.": first**2 / d,
            "This is the trace of R, not of R R.": first / d,
            "The squares of the diagonal entries are not the diagonal of the square: "
            "`roles @ roles`.": np.trace(roles * roles, axis1=-2, axis2=-1) / d,
            "This is the mean of all entries of R R; the trace adds up the diagonal "
            "only.": twice.mean(axis=(-1, -2)),
            "The absolute values are too much: a match may be negative.": np.abs(trace) / d,
            "A match may be below −1 or above 1: do not cut it off.": _clipped(
                np.asarray(backward), trace / d
            ),
            "These are the booleans: `backward` is a number for each map.": self_inverse.astype(
                float
            ),
        },
    )


def _clipped(got: Array, right: Array) -> Array:
    """The right values cut at ±1, on the sides where the learner's are."""
    low, high = got.min() >= -1, got.max() <= 1
    return np.clip(right, -1 if low else -np.inf, 1 if high else np.inf)
