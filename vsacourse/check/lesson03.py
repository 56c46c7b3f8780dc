"""Checks of lesson 03, tensor products."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "03-tensor-products"

Array = NDArray[Any]


def _roles(rng: np.random.Generator, n: int, d: int) -> Array:
    """Independent roles (n, d) of uneven length whose Gram matrix has a fair inverse."""
    while True:
        roles = rng.normal(size=(n, d)) * rng.uniform(0.5, 1.6, size=(n, 1)) / np.sqrt(d)
        if np.linalg.cond(roles) < 12:
            return roles


@exercise(
    lesson=LESSON,
    title="Store and read",
    minutes=4,
    difficulty=1,
    teaches="the memory as a sum of outer products, and one product that reads every role",
    hints=[
        "One pair: `np.outer(filler, role)`. Which of its axes belongs to the filler?",
        "The sum of all outer products is one matrix product; one of the two needs a transpose.",
        "`memory = fillers.T @ roles` has the shape (m, d). A reading sums over the axis of the "
        "roles, so the readers meet `memory.T`.",
    ],
    anchor="Exercise-1-·-Store-and-read",
)
def store_and_read(attempt: Attempt) -> None:
    """``store_and_read(fillers, roles, readers)``: (N, m), (N, d), (K, d) -> (m, d), (K, m)."""
    n, m, d, k = [(4, 3, 6, 5), (7, 5, 4, 2), (3, 6, 6, 8)][attempt.draw]
    fillers = attempt.rng.normal(size=(n, m))
    roles = attempt.rng.normal(size=(n, d))
    readers = attempt.rng.normal(size=(k, d))
    memory = fillers.T @ roles
    got = attempt.call(fillers, roles, readers)
    parts: Iterator[Any] = attempt.items(got, 2)
    got_memory = attempt.array(
        next(parts),
        shape=(m, d),
        what="the memory",
        mistakes={
            "The filler belongs to the rows and the role to the columns: `np.outer(f, r)`, not the "
            "other way round.": (d, m),
            "These are all pairs side by side: sum the outer products over the pairs.": (n, m, d),
            "The product ran over the components; it has to run over the pairs.": (n, n),
        },
    )
    attempt.close(
        got_memory,
        memory,
        what="the memory",
        mistakes={
            "The filler belongs to the rows and the role to the columns: `np.outer(f, r)`.": (
                memory.T
            ),
            "This is the mean of the outer products; the memory is their sum.": memory / n,
            "The fillers are stored under the *duals* of the roles (`pinv`): store them under the "
            "roles themselves.": fillers.T @ np.linalg.pinv(roles).T,
            "Only the last pair is stored: add each outer product to the memory.": np.outer(
                fillers[-1], roles[-1]
            ),
            "Only the first pair is stored: add up all of them.": np.outer(fillers[0], roles[0]),
            "Every filler was bound to every role: row i of the fillers belongs to row i of the "
            "roles only.": np.outer(fillers.sum(axis=0), roles.sum(axis=0)),
        },
    )
    got_readings = attempt.array(
        next(parts),
        shape=(k, m),
        what="the readings",
        mistakes={
            "These are the readings as columns; each belongs into a row.": (m, k),
            "You read with the stored roles, or their duals; read with the `readers`.": (n, m),
        },
    )
    norms = np.linalg.norm(readers, axis=-1, keepdims=True)
    readings = readers @ memory.T
    dual_readers = np.linalg.pinv(readers).T
    mistakes = {
        "You divided by the length of the reader: M uᵀ is asked for as it is.": readings / norms,
        "You divided by the squared length of the reader: M uᵀ is asked for as it is.": readings
        / norms**2,
        "You scaled the readings to length 1: M uᵀ is asked for as it is.": readings
        / np.linalg.norm(readings, axis=-1, keepdims=True),
        "You read with the duals of the readers: M uᵀ is asked for, with the readers "
        "themselves.": dual_readers @ memory.T,
        "You weighted the fillers with the duals of the roles: M uᵀ is asked for.": readers
        @ np.linalg.pinv(roles)
        @ fillers,
    }
    if m == d:
        mistakes["You multiplied with M from the filler's side: a reader meets the columns of M, "
        "`readers @ memory.T`."] = readers @ memory  # fmt: skip
    attempt.close(got_readings, readings, what="the readings", mistakes=mistakes)


@exercise(
    lesson=LESSON,
    title="Break orthogonality",
    minutes=6,
    difficulty=3,
    teaches="roles with a chosen Gram matrix: every pair at the same angle",
    hints=[
        "Write out r_i · r_j for r_i = a e_i + b e_(N+1). Which terms are left, for i ≠ j and for "
        "i = j?",
        "b² has to be the cosine, and a² + b² has to be 1.",
        "`np.sqrt(1 - cosine) * np.eye(count, dim)`, then set column `count` to `np.sqrt(cosine)`.",
    ],
    draws=5,
    anchor="Exercise-2-·-Break-orthogonality",
)
def tilted_roles(attempt: Attempt) -> None:
    """``tilted_roles(count, dim, cosine)``: (count, dim), unit rows, equal dot products."""
    count, dim, c = [(4, 9, 0.3), (3, 4, 0.0), (6, 7, 0.85), (2, 5, 0.5), (12, 40, 0.1)][
        attempt.draw
    ]
    got = attempt.array(
        attempt.call(count, dim, c, repeat=False),
        shape=(count, dim),
        mistakes={
            "The roles have to be the rows.": (dim, count),
            "A role has `dim` components: the columns that are not needed stay 0.": (
                count,
                count + 1,
            ),
        },
    ).astype(float)
    gram = got @ got.T
    length = np.sqrt(np.diag(gram))
    worst = int(np.argmax(np.abs(length - 1)))
    off = gram[~np.eye(count, dtype=bool)]
    cosines = (gram / np.outer(length, length).clip(1e-9))[~np.eye(count, dtype=bool)]
    right_angle = bool(np.allclose(cosines, c, atol=1e-5))
    likely = ""
    if right_angle:
        likely = "The angles are right; divide each role by its length."
    elif np.allclose(off, c, atol=1e-5):
        likely = "The dot products are right, but the length is not: a² + b² has to be 1."
    elif np.allclose(off, c**2, atol=1e-5):
        likely = "Roots are missing: b² is the cosine, and a² is 1 − cosine."
    elif int((np.abs(length - 1) > 1e-4).sum()) == 1:
        likely = "The others are right: the common direction must be none of e_1, ..., e_N, so "
        likely += "that no role has it twice."
    attempt.require(
        np.abs(length - 1).max() < 1e-4,
        f"Role {worst} has the length {length[worst]:.4g}; it has to be 1.",
        likely=likely,
    )
    worst = int(np.argmax(np.abs(off - c)))
    i, j = np.argwhere(~np.eye(count, dtype=bool))[worst]
    likely = "Write out r_i · r_j: it is b² for i ≠ j."
    if np.allclose(off, c**2, atol=1e-5):
        likely = "Every two roles have the cosine c²: b is the square root of the cosine."
    elif np.allclose(off, np.sqrt(c), atol=1e-5):
        likely = "Every two roles have the root of the cosine: one square root too many."
    elif np.allclose(off, 0, atol=1e-5):
        likely = "The roles are still orthogonal: nothing leans towards a common direction."
    elif np.allclose(off, 1 - c, atol=1e-5):
        likely = "a and b have changed places: b² is the cosine, a² = 1 − cosine."
    elif np.allclose(gram[0, 1:], c, atol=1e-5) or np.allclose(gram[-1, :-1], c, atol=1e-5):
        likely = "One role has the right dot product with all others, but they don't have it "
        likely += "among themselves: lean all of them towards a direction that is none of them."
    elif np.allclose(np.diag(gram, 1), c, atol=1e-5):
        likely = "Only neighbours have the right dot product: every two roles need it."
    elif abs(off.mean() - c) < 0.15 and np.ptp(off) > 0.02:
        likely = "It is right on average at best: random vectors scatter, and exact is asked for."
    attempt.require(
        np.abs(off - c).max() < 1e-4,
        f"Roles {i} and {j} have the dot product {gram[i, j]:.4g}; asked for is {c:g}.",
        likely=likely,
    )


@exercise(
    lesson=LESSON,
    title="Predict the error",
    minutes=6,
    difficulty=3,
    teaches="the error of every reading from the Gram matrix alone",
    hints=[
        "What does r_k read? A sum over all fillers, each with a weight out of row k of the Gram "
        "matrix.",
        "All readings at once are `gram @ fillers`. What should they be?",
        "Subtract `fillers`, then take the norm over the last axis.",
    ],
    anchor="Exercise-3-·-Predict-the-error",
)
def reading_errors(attempt: Attempt) -> None:
    """``reading_errors(gram, fillers)``: (N, N), (N, m) -> (N,)."""
    n, m, d = [(4, 6, 9), (5, 3, 4), (6, 6, 7)][attempt.draw]
    roles = _roles(attempt.rng, n, d) if n <= d else attempt.rng.normal(size=(n, d)) / np.sqrt(d)
    fillers = attempt.rng.normal(size=(n, m))
    gram = roles @ roles.T
    error = gram @ fillers - fillers
    expected = np.linalg.norm(error, axis=-1)
    off = gram - np.diag(np.diag(gram))
    reading = gram @ fillers
    own = np.diag(gram)[:, None] * fillers
    got = attempt.array(
        attempt.call(gram, fillers),
        shape=(n,),
        mistakes={
            "These are the errors themselves, or the readings: take the length of each row.": (
                n,
                m,
            ),
            "Every reading has an error of its own: take the norm over the last axis only.": (),
            "The length goes over the components of a reading, the last axis.": (m,),
        },
    )
    unit = fillers / np.linalg.norm(fillers, axis=-1, keepdims=True)
    attempt.close(
        got,
        expected,
        rtol=1e-4,
        mistakes={
            "`gram - 1` subtracts 1 from every entry; subtract the identity, `np.eye(N)`.": (
                np.linalg.norm((gram - 1) @ fillers, axis=-1)
            ),
            "These are the lengths of the readings: subtract the fillers first.": np.linalg.norm(
                reading, axis=-1
            ),
            "The diagonal was set to 0. But a role that is not of length 1 returns its own filler "
            "too long or too short: subtract 1 from the diagonal instead.": np.linalg.norm(
                off @ fillers, axis=-1
            ),
            "You added up the squares of the weights, which is right for orthonormal fillers "
            "only.": np.linalg.norm(gram - np.eye(n), axis=-1),
            "You added up the squares of the dot products with the other roles: the fillers are "
            "missing.": np.linalg.norm(off, axis=-1),
            "You added up the squares of weight times length, as if the fillers were "
            "orthogonal.": np.sqrt((gram - np.eye(n)) ** 2 @ (fillers**2).sum(axis=-1)),
            "You added up the absolute weights: the errors of different fillers can cancel.": (
                np.abs(gram - np.eye(n)).sum(axis=-1)
            ),
            "You added up lengths: add the weighted fillers first, then take the length.": np.abs(
                gram - np.eye(n)
            )
            @ np.linalg.norm(fillers, axis=-1),
            "These are the squared lengths: a root is missing.": expected**2,
            "This is the root mean square over the components; the length has no mean in it.": (
                expected / np.sqrt(m)
            ),
            "This is the sum of absolute values; the length is the root of the sum of "
            "squares.": np.abs(error).sum(axis=-1),
            "You divided by the length of the filler; the error itself is asked for.": expected
            / np.linalg.norm(fillers, axis=-1),
            "The difference of two lengths is not the length of the difference.": np.abs(
                np.linalg.norm(reading, axis=-1) - np.linalg.norm(fillers, axis=-1)
            ),
            "You scaled the fillers to length 1: they may have any length.": np.linalg.norm(
                gram @ unit - unit, axis=-1
            ),
            "You compared with the filler times its own weight: the right answer is the filler "
            "itself.": np.linalg.norm(reading - own, axis=-1),
            "This is the error of the readings with duals, and the duals' readings have none.": (
                np.zeros(n)
            ),
        },
    )


@exercise(
    lesson=LESSON,
    title="Role or dual?",
    minutes=9,
    difficulty=4,
    teaches="crosstalk against noise, and when each way to read is better",
    hints=[
        "Two sources of error that know nothing of each other: their expected squares add.",
        "The crosstalk is exercise 3, squared. The noise is m η² times the squared length of the "
        "reader: the role itself, or the dual.",
        "`dual = np.linalg.inv(roles @ roles.T) @ roles`; the squared lengths are "
        "`(dual**2).sum(axis=-1)`. The dual has no crosstalk.",
    ],
    anchor="Exercise-4-·-Role-or-dual?",
)
def expected_errors(attempt: Attempt) -> None:
    """``expected_errors(roles, fillers, noise)``: (N, d), (N, m), float -> (N,), (N,)."""
    n, m, d, noise = [(3, 4, 6, 0.3), (4, 7, 4, 0.45), (5, 3, 8, 0.2)][attempt.draw]
    roles = _roles(attempt.rng, n, d)
    fillers = attempt.rng.normal(size=(n, m))
    gram = roles @ roles.T
    inverse = np.linalg.inv(gram)
    crosstalk = ((gram @ fillers - fillers) ** 2).sum(axis=-1)
    off = gram - np.diag(np.diag(gram))
    lengths = np.diag(gram)
    dual = np.diag(inverse)
    got = attempt.call(roles, fillers, noise)
    parts = attempt.items(got, 2)
    shapes = {
        "One number for each reading: sum over its components, not over the readings too.": (),
        "Sum the squares over the components of each reading.": (n, m),
    }
    with_role = attempt.array(next(parts), shape=(n,), what="with_role", mistakes=shapes)
    right_role = crosstalk + m * noise**2 * lengths
    right_dual = m * noise**2 * dual
    off_by = np.abs(with_role / right_role - 1)
    attempt.require(
        not 1e-4 < off_by.max() < 0.03,
        f"`with_role` is within {100 * off_by.max():.2g} % of the right values, but not right.",
        likely="Was it simulated? The expected value can be computed exactly, without any draws.",
    )
    attempt.close(
        with_role,
        right_role,
        rtol=1e-4,
        what="with_role",
        mistakes={
            "This is what belongs to the duals: return the roles first.": right_dual,
            "The noise is missing: it is in every reading.": crosstalk,
            "The crosstalk is missing: only noise is left.": m * noise**2 * lengths,
            "The noise enters every one of the m components: a factor m is missing.": crosstalk
            + noise**2 * lengths,
            "The number of noisy components of a reading is m, not d.": crosstalk
            + d * noise**2 * lengths,
            "The number of noisy components of a reading is m, not N.": crosstalk
            + n * noise**2 * lengths,
            "The noise enters with its square, η².": crosstalk + m * noise * lengths,
            "The noise enters with the *squared* length of the role.": crosstalk
            + m * noise**2 * np.sqrt(lengths),
            "You took the roles as of length 1: the noise grows with the length of the "
            "reader.": crosstalk + m * noise**2,
            "A role that is not of length 1 brings its own filler too long or too short: that is "
            "an error as well.": ((off @ fillers) ** 2).sum(axis=-1) + m * noise**2 * lengths,
            "These are lengths, or their sum; the *squared* length is asked for.": np.sqrt(
                right_role
            ),
            "You added the lengths of crosstalk and noise; add their squares.": (
                np.sqrt(crosstalk) + np.sqrt(m * noise**2 * lengths)
            )
            ** 2,
            "The crosstalk enters with its square.": np.sqrt(crosstalk) + m * noise**2 * lengths,
            "You averaged over the components; the squared length is a sum.": right_role / m,
        },
    )
    with_pinv = shapes | {"`np.linalg.pinv(roles)` has the duals as columns: transpose it.": (d,)}
    with_dual = attempt.array(next(parts), shape=(n,), what="with_dual", mistakes=with_pinv)
    own = (1 / np.sqrt(dual) - 1) ** 2 * (fillers**2).sum(axis=-1)
    scaled = (
        "You scaled the duals to length 1: then they no longer read their own filler with weight 1"
    )
    sigma = np.linalg.svd(roles, compute_uv=False)[-1]
    attempt.close(
        with_dual,
        right_dual,
        rtol=1e-4,
        what="with_dual",
        mistakes={
            "The dual has no crosstalk: only noise is left.": right_dual + crosstalk,
            f"{scaled}.": np.full(n, m * noise**2),
            f"{scaled}, which is the error you see.": m * noise**2 + own,
            "A dual is exact only without noise.": np.zeros(n),
            "The noise enters every one of the m components: a factor m is missing.": noise**2
            * dual,
            "The number of noisy components of a reading is m, not d.": d * noise**2 * dual,
            "The number of noisy components of a reading is m, not N.": n * noise**2 * dual,
            "The noise enters with its square, η².": m * noise * dual,
            "The noise enters with the *squared* length of the dual.": m * noise**2 * np.sqrt(dual),
            "1/σ_min bounds the length of every dual; the expected error needs the length of "
            "each.": np.full(n, m * noise**2 / sigma**2),
            "You took the inverse of the squared length of the role: that is the dual only if the "
            "roles are orthogonal.": m * noise**2 / lengths,
            "You used the length of the role; read with the dual.": m * noise**2 * lengths,
            "These are lengths; the *squared* length is asked for.": np.sqrt(right_dual),
            "The rows of the inverse Gram matrix are not yet the duals: multiply by the roles.": m
            * noise**2
            * (inverse**2).sum(axis=-1),
            "You averaged over the components; the squared length is a sum.": right_dual / m,
        },
    )
