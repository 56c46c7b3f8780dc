"""Checks of lesson 05, structures: exercises 1 and 2, phasors and records."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.algebra import FHRR
from vsacourse.check import explain
from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "05-structures"

Array = NDArray[Any]


def phasors(rng: np.random.Generator, n: int, d: int) -> Array:
    """Return n random phasor vectors, shape ``(n, d)``."""
    return FHRR(d).random(n, rng, np.complex128)


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
        "A matrix times a vector gives all dot products at once, shape (D,): the conjugate of "
        "`fillers` times the reading. `np.linalg.norm(..., axis=-1)` takes complex vectors, too.",
    ],
    draws=4,
    anchor="Exercise-1-·-Unbind-and-compare",
)
def compare(attempt: Attempt) -> None:
    """``compare(y, role, fillers)``: (d,), (d,), (D, d) -> (D,)."""
    pairs, size, d = [(3, 5, 8), (2, 4, 11), (4, 6, 9), (3, 1, 7)][attempt.draw]
    rng = attempt.rng
    roles, stored = phasors(rng, pairs, d), phasors(rng, max(pairs, size), d)
    y = (roles * stored[:pairs]).sum(axis=0)
    fillers = stored[:size]
    role = roles[0]
    reading = y * role.conj()
    got = attempt.call(y, role, fillers)
    attempt.require(
        np.asarray(explain.to_numpy(got)).dtype.kind != "c",
        f"`{attempt.what}` is complex; it needs real numbers.",
        likely="The cosine of an angle is the real part of its phasor: take `.real`.",
    )
    got = attempt.array(
        got,
        shape=(size,),
        mistakes={
            "This is the reading, or has its shape: sum over the components.": (d,),
            "Sum over the components of each filler; the last axis goes.": (size, d),
            "One filler still makes an array, of shape (1,): no `squeeze`."
            if size == 1
            else "One similarity for each filler: sum over the last axis only.": (),
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


def _decided(scores: Array, threshold: float = 0.5) -> Array:
    """The filler with the highest score for each role, or -1."""
    return np.where(scores.max(axis=-1) > threshold, scores.argmax(axis=-1), -1)


def _stored(attempt: Attempt) -> tuple[Array, Array, Array]:
    """A record that is long enough for its answers to be what was stored: draws 0 to 2."""
    n, absent, size, d = [(4, 2, 11, 700), (5, 0, 5, 500), (8, 3, 8, 900)][attempt.draw]
    rng = attempt.rng
    fillers, roles = phasors(rng, size, d), phasors(rng, n + absent, d)
    rows = rng.integers(size, size=n)
    rows[:3] = size - 1, 0, size - 1  # one filler with two roles; row 0 occurs
    y = (roles[:n] * fillers[rows]).sum(axis=0)
    if attempt.draw == 1:
        return y, roles[1:2], fillers  # more pairs than roles; the filler in row 0
    if attempt.draw == 2:
        y = y - roles[n] * fillers[1]  # an opposite filler: a role with the score -1
    order = np.r_[n, 0:n, n + 1 : n + absent]  # a role without a filler first
    return y, roles[order], fillers


def _noisy(attempt: Attempt) -> tuple[Array, Array, Array]:
    """A short record with many roles: noise decides, by the definition; nothing is near 1/2."""
    while True:
        d = 9
        fillers, roles = phasors(attempt.rng, 6, d), phasors(attempt.rng, 12, d)
        y = roles[3] * fillers[1] + roles[7] * fillers[4]
        scores = ((y * roles.conj()) @ fillers.conj().T).real / d
        first, second = np.sort(scores, axis=-1).T[:-3:-1]
        early = (first > 0.5) & ((scores > 0.5).argmax(axis=-1) != scores.argmax(axis=-1))
        clear = (np.abs(scores - 0.5) > 0.03).all() and (first - second > 0.01).all()
        if clear and early.any():
            return y, roles, fillers


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
        "For each role, the last axis holds one score per filler: `.max(axis=-1)` is compared with "
        "½, `.argmax(axis=-1)` is the answer if it is higher. `np.where` chooses.",
    ],
    draws=6,
    anchor="Exercise-2-·-Parse-a-record",
)
def parse(attempt: Attempt) -> None:
    """``parse(y, roles, fillers)``: (d,), (K, d), (D, d) -> (K,)."""
    y, roles, fillers = _stored(attempt) if attempt.draw < 3 else _noisy(attempt)
    count, d = roles.shape
    products = (y * roles.conj()) @ fillers.conj().T / d
    scores = products.real  # [role, filler]
    right = _decided(scores)
    found = int((right >= 0).sum())
    got = attempt.array(
        attempt.call(y, roles, fillers),
        shape=right.shape,
        kind="int",
        mistakes={
            "These are the scores: which filler has the highest, for each role?": scores.shape,
            "One answer for each filler: take the highest over the fillers, for each role.": (
                len(fillers),
            ),
            "The roles that are not in the record are left out: give −1 for each.": (found,),
            "One role still makes an array, of shape (1,): no `squeeze`."
            if count == 1
            else "One answer for each role is asked for.": (),
        },
    )
    got = np.asarray(got).astype(int)
    attempt.require(
        (got >= 0).any() or not found,
        f"`{attempt.what}` finds no filler at all; {found} of the {count} roles have one.",
        likely="Was y unbound, for each role, with the role's conjugate? Are the fillers "
        "conjugated? And is it Re(Σ a b̄)/d that is compared with ½? (The cosine is only about "
        "1/√N.)",
    )
    one_each = np.full(count, -1)
    for filler, role in enumerate(scores.argmax(axis=0)):  # the best role of each filler
        if scores[role, filler] > 0.5:
            one_each[role] = filler
    best = scores.argmax(axis=-1)
    bound = ((y * roles) @ fillers.conj().T).real / d
    summed = ((y * roles.conj()) @ fillers.T).real / d
    angles = np.angle(y * roles.conj())[:, None] - np.angle(fillers)
    length = np.linalg.norm(y) / np.sqrt(d)
    always = "A codebook always answers: roles that are not in the record need −1. Is the highest "
    always += "score, divided by d, above ½?"
    mistakes: dict[str, Any] = {
        always: best if attempt.draw < 3 else None,
        "The scores are not divided by d: of the plain sums nearly all are above ½.": _decided(
            scores * d
        ),
        "The *cosine* is about 1/√N, below ½ for many pairs. Compare the score Re(Σ a b̄)/d with "
        "½: it is about 1 for every N.": _decided(scores / length) if attempt.draw < 3 else None,
        "One filler may have two roles: you gave each filler to one role only.": one_each,
        "These are the rows with the *lowest* score.": scores.argmin(axis=-1),
        "You counted rows from 1.": np.where(right >= 0, right + 1, -1),
        "A filler in row 0 is a filler: only roles without one get −1.": np.where(
            right > 0, right, -1
        )
        if attempt.draw < 3
        else None,
        "Roles that are not in the record get −1, not 0.": np.where(right >= 0, right, 0),
        "The first filler above ½ need not be the one with the *highest* score.": np.where(
            right >= 0, (scores > 0.5).argmax(axis=-1), -1
        ),
    }
    for words, other in {
        "The roles are not conjugated: you bound once more. These are answers to noise.": bound,
        "The fillers are not conjugated: that adds angles. These are answers to noise.": summed,
        "An opposite filler has the score −1, and is not in the record: take the real part, no "
        "`abs` and no square.": np.abs(scores),
        "`abs` forgets the angle of a score, and its sign: take the real part.": np.abs(products),
        "The imaginary part is the sine; the real part is the cosine.": products.imag,
        "You took the angles of y and forgot how long its arrows are: they count.": np.cos(
            angles
        ).mean(axis=-1),
    }.items():
        there = (got >= 0) & (best != other.argmax(axis=-1))
        if there.any() and (got == other.argmax(axis=-1))[got >= 0].all():
            mistakes[words] = got  # another score, with whatever threshold
    attempt.equal(got, right, mistakes={**mistakes, **_other_decision(got, scores, right)})


def _other_decision(got: Array, scores: Array, right: Array) -> dict[str, Array]:
    """Right fillers, but other roles that have one than those above 1/2."""
    answered, best, top = got >= 0, scores.argmax(axis=-1), scores.max(axis=-1)
    if not (got == best)[answered].all():
        return _taken_out(got, scores, right)
    wrong = int(np.flatnonzero(answered != (right >= 0))[0]) if (got != right).any() else 0
    case = f"Role {wrong} has the highest score {top[wrong]:.2f}. "
    if not answered.any() or top[answered].min() > top[~answered].max(initial=-np.inf):
        case += "Is Re(Σ a b̄)/d itself compared with ½, exactly? No other threshold, no cosine, no "
        case += (
            "share of the highest score, no count of pairs guessed from y, nothing taken out of "
        )
        case += "y."
    else:
        case += "Whether a role has a filler depends on this one number, above ½ or not; not on "
        case += "the other scores (`softmax` compares them)."
    return {case: got}


def _taken_out(got: Array, scores: Array, right: Array) -> dict[str, Array]:
    """Answers that are right in some roles and neither the best filler nor -1 in others."""
    if not (got == right).any():
        return {}
    role = int(np.flatnonzero((got != right) & (got != -1) & (got != scores.argmax(axis=-1)))[0])
    return {
        f"Role {role} is answered with filler {got[role]}, which has the score "
        f"{scores[role, got[role]]:.2f}; the highest is {scores[role].max():.2f}. Is each role "
        "read from y as it is, by itself, and from all fillers?"
        if 0 <= got[role] < scores.shape[1]
        else f"Role {role} is answered with {got[role]}; the fillers have the rows 0 to "
        f"{scores.shape[1] - 1}.": got
    }
