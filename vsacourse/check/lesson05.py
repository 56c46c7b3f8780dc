"""Checks of lesson 05, structures: exercises 1 to 3, phasors, records and codes of numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "05-structures"

Array = NDArray[Any]


def phasors(rng: np.random.Generator, n: int, d: int) -> Array:
    """Return n random phasor vectors, shape ``(n, d)``."""
    return np.exp(1j * rng.uniform(-np.pi, np.pi, size=(n, d)))


@exercise(
    lesson=LESSON,
    title="Unbind and compare",
    minutes=4,
    difficulty=1,
    teaches="where the two conjugates belong",
    hints=[
        "Two subtractions of angles: the role's from the record, and the filler's from the "
        "reading. What subtracts an angle?",
        "Unbind: `y * role.conj()`. Compare: a dot product with the conjugate of each filler, of "
        "which the real part counts. Divide by both norms.",
        "`(fillers.conj() @ reading).real` are all dot products, shape (D,); `np.linalg.norm` "
        "takes complex vectors, too.",
    ],
    anchor="Exercise-1-·-Unbind-and-compare",
)
def compare(attempt: Attempt) -> None:
    """``compare(y, role, fillers)``: (d,), (d,), (D, d) -> (D,)."""
    pairs, size, d = [(3, 5, 8), (2, 4, 11), (4, 6, 9)][attempt.draw]
    rng = attempt.rng
    roles, fillers = phasors(rng, pairs, d), phasors(rng, size, d)
    y = (roles * fillers[:pairs]).sum(axis=0)
    role = roles[0]
    reading = y * role.conj()
    got = attempt.call(y, role, fillers)
    attempt.require(
        not (isinstance(got, np.ndarray) and got.dtype.kind == "c"),
        f"`{attempt.what}` is complex; it needs real numbers.",
        likely="The cosine of an angle is the real part of its phasor: take `.real`.",
    )
    got = attempt.array(
        got,
        shape=(size,),
        mistakes={
            "This is the reading, or has its shape: sum over the components.": (d,),
            "Sum over the components of each filler; the last axis goes.": (size, d),
            "One similarity for each filler: sum over the last axis only.": (),
        },
    )
    norms = np.linalg.norm(reading) * np.linalg.norm(fillers, axis=-1)

    def real(read: Array, book: Array) -> Array:
        dots: Array = (book @ read).real
        return dots

    dots = real(reading, fillers.conj())
    attempt.close(
        got,
        dots / norms,
        mistakes={
            "You multiplied with the role: that binds once more. Unbind with its conjugate.": real(
                y * role, fillers.conj()
            )
            / norms,
            "The fillers are not conjugated: that adds their angles instead of comparing "
            "them.": real(reading, fillers) / norms,
            "Neither the role nor the fillers are conjugated: both add angles.": real(
                y * role, fillers
            )
            / norms,
            "`abs` forgets the angle: take the real part.": np.abs(fillers.conj() @ reading)
            / norms,
            "The absolute value of the real part: an opposite has the similarity −1.": np.abs(dots)
            / norms,
            "The imaginary part is the sine; the real part is the cosine.": (
                fillers.conj() @ reading
            ).imag
            / norms,
            "You divided by d: that is right for phasors, but the components of a bundle do not "
            "have length 1. Divide by both norms.": dots / d,
            "The norms are missing.": dots,
            "Only the fillers' norm is divided away; divide by that of the reading, too.": dots
            / np.sqrt(d),
            "Only the reading's norm is divided away; divide by that of each filler, too.": dots
            / np.linalg.norm(reading),
            "You compared the fillers with `y` itself: unbind the role first.": real(
                y, fillers.conj()
            )
            / norms,
            "You took the angles of the bundle and forgot how long its arrows are: they count.": (
                np.cos(np.angle(reading) - np.angle(fillers)).mean(axis=-1)
            ),
        },
    )


@exercise(
    lesson=LESSON,
    title="Parse a record",
    minutes=6,
    difficulty=3,
    teaches="to read a whole record, and to see which roles it does not have",
    hints=[
        "Unbind every role at once: `y * roles.conj()` has the shape (K, d).",
        "All scores at once: the readings times the conjugate of the fillers, transposed; real "
        "part; divided by d. Shape (K, D).",
        "`np.where(best > 0.5, scores.argmax(axis=-1), -1)`, where `best` is the highest score of "
        "each row.",
    ],
    anchor="Exercise-2-·-Parse-a-record",
)
def parse(attempt: Attempt) -> None:
    """``parse(y, roles, fillers)``: (d,), (K, d), (D, d) -> (K,)."""
    n, absent, size, d = [(4, 2, 11, 700), (1, 2, 5, 300), (8, 3, 7, 900)][attempt.draw]
    rng = attempt.rng
    fillers, all_roles = phasors(rng, size, d), phasors(rng, n + absent, d)
    truth = np.concatenate([rng.integers(size, size=n), np.full(absent, -1)])
    if n > 1:
        truth[:3] = size - 1, 0, size - 1  # one filler with two roles; row 0 occurs
    else:
        truth[0] = 0
    y = (all_roles[:n] * fillers[truth[:n]]).sum(axis=0)
    order = rng.permutation(n + absent)
    while (truth[order] == -1)[-absent:].all() or (truth[order] == -1)[:absent].all():
        order = rng.permutation(n + absent)
    roles, right = all_roles[order], truth[order]
    scores = ((y * roles.conj()) @ fillers.conj().T).real / d  # [role, filler]
    got = attempt.array(
        attempt.call(y, roles, fillers),
        shape=(n + absent,),
        kind="int",
        mistakes={
            "These are the scores: which filler has the highest, for each role?": (
                n + absent,
                size,
            ),
            "One answer for each filler: take the highest over the fillers, for each role.": (
                size,
            ),
            "The roles that are not in the record are left out: give −1 for each.": (n,),
            "One answer for each role is asked for.": (),
        },
    )
    got = np.asarray(got).astype(int)
    cosines = scores * np.sqrt(d) / np.linalg.norm(y)
    best = scores.argmax(axis=-1)
    bound = ((y * roles) @ fillers.conj().T).real / d
    summed = ((y * roles.conj()) @ fillers.T).real / d
    one_each = np.full(n + absent, -1)
    for filler, role in enumerate(scores.argmax(axis=0)):  # the best role of each filler
        if scores[role, filler] > 0.5:
            one_each[role] = filler
    attempt.require(
        (got >= 0).any(),
        f"`{attempt.what}` finds no filler at all; {n} of the {n + absent} roles have one.",
        likely="Is each conjugate in its place: of the roles to unbind, of the fillers to compare? "
        "And is it Re(Σ a b̄)/d that is compared with ½? (The cosine is only about 1/√N.)",
    )
    mistakes: dict[str, Any] = {
        "A codebook always answers: roles that are not in the record need −1. Is the highest "
        "score, divided by d, above ½?": best,
        "The scores are not divided by d: of the plain sums nearly all are above ½.": np.where(
            scores.max(axis=-1) * d > 0.5, best, -1
        ),
        "The *cosine* is about 1/√N, below ½ for many pairs. Compare the score Re(Σ a b̄)/d with "
        "½: it is about 1 for every N.": np.where(cosines.max(axis=-1) > 0.5, best, -1),
        "One filler may have two roles: you gave each filler to one role only.": one_each,
        "These are the rows with the *lowest* score.": scores.argmin(axis=-1),
        "The roles are not conjugated: you bound once more. These are answers to noise.": (
            bound.argmax(axis=-1)
        ),
        "The fillers are not conjugated: that adds angles. These are answers to noise.": (
            summed.argmax(axis=-1)
        ),
        "You counted rows from 1.": np.where(right >= 0, right + 1, -1),
        "A filler in row 0 is a filler: only roles without one get −1.": np.where(
            right > 0, right, -1
        ),
        "Roles that are not in the record get −1, not 0.": np.where(right >= 0, right, 0),
    }
    attempt.equal(got, right, mistakes=mistakes)


@exercise(
    lesson=LESSON,
    title="Codes of numbers",
    minutes=4,
    difficulty=2,
    teaches="fractional powers, and to predict how alike two of them are",
    hints=[
        "Count in widths first: t = numbers / width. The angle of component j is θ_j t.",
        "`np.angle(base) * t[:, None]` has the shape (n, d); `np.exp(1j * ...)` makes phasors. "
        "The prediction is the kernel at t − u for all pairs; it needs no vectors.",
        "`np.sinc(x)` is sin(πx)/(πx), with the π inside, and 1 at x = 0.",
    ],
    anchor="Exercise-3-·-Codes-of-numbers",
)
def number_codes(attempt: Attempt) -> None:
    """``number_codes(base, numbers, width)``: (d,), (n,), float -> (n, d), (n, n)."""
    n, d, width = [(4, 7, 2.5), (3, 6, 0.4), (5, 8, 12.0)][attempt.draw]
    rng = attempt.rng
    base = phasors(rng, 1, d)[0]
    numbers = np.round(rng.uniform(-3, 3, size=n) * width, 3)
    numbers[-1] = numbers[0]  # equal numbers: the distance is 0
    t = numbers / width
    angles = np.angle(base)
    vectors, predicted = attempt.items(attempt.call(base, numbers, width), 2)

    def turned(exponents: Array, by: Array = angles) -> Array:
        return np.exp(1j * by * exponents[:, None])

    first = "vectors"
    vectors = attempt.array(
        vectors,
        shape=(n, d),
        kind="complex",
        what=first,
        mistakes={
            "The codes stand in the columns; each is a row.": (d, n),
            "That is the predicted part: the vectors come first.": (n, n),
            "One code only: one row for each number.": (d,),
        },
    )
    attempt.close(
        vectors,
        turned(t),
        what=first,
        mistakes={
            "The width is the wrong way round: t / width, not t * width.": turned(numbers * width),
            "The width is missing: the exponent is t / width.": turned(numbers),
            "A multiple of the base is no power: multiply the *angles* by t.": base * t[:, None],
            "Your angles run from 0 to 2π. A fractional power depends on it: take them in "
            "(−π, π], as `np.angle` gives them.": turned(t, angles % (2 * np.pi)),
            "A whole number of steps only: the exponent was rounded.": turned(np.round(t)),
            "A whole number of steps only: the exponent was cut to an integer.": turned(
                np.trunc(t)
            ),
            "A π too many: the angles of the base hold it already.": turned(np.pi * t),
            "The factor of a full turn, 2π, is too much: the angles are in radians.": turned(
                2 * np.pi * t
            ),
            "The sign of the numbers got lost.": turned(np.abs(t)),
        },
    )
    second = "predicted"
    predicted = attempt.array(
        predicted,
        shape=(n, n),
        what=second,
        mistakes={
            "All pairs are asked for: t[:, None] - t.": (n,),
            "One number for each pair of numbers; the vectors are not needed.": (n, d),
        },
    )
    gap = t[:, None] - t
    far = numbers[:, None] - numbers
    attempt.close(
        predicted,
        np.sinc(gap),
        rtol=1e-4,
        atol=1e-5,
        what=second,
        mistakes={
            "`np.sinc` has the π inside: leave yours out.": np.sinc(np.pi * gap),
            "`np.sinc(x / π)` is sin(x)/x; the kernel is sin(πx)/(πx).": np.sinc(gap / np.pi),
            "Distances count in widths: divide by the width here, too.": np.sinc(far),
            "The width is the wrong way round.": np.sinc(far * width),
            "You measured your vectors. The *prediction* is the kernel, for many components.": (
                turned(t) @ turned(t).conj().T
            ).real
            / d,
            "The kernel of the sum of two numbers: take their difference.": np.sinc(t[:, None] + t),
            "The cosine at π times the distance: the kernel is its mean over all angles.": np.cos(
                np.pi * gap
            ),
            "The kernel is negative in places: no absolute value, no square.": np.abs(np.sinc(gap)),
            "The kernel is not squared.": np.sinc(gap) ** 2,
        },
    )
