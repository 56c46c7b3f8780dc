"""Checks of lesson 05, structures: exercises 3 and 4, codes of numbers and reading a number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson05 import LESSON, Array, phasors


@exercise(
    lesson=LESSON,
    title="Codes of numbers",
    minutes=5,
    difficulty=2,
    teaches="fractional powers, and to predict how alike two of them are",
    hints=[
        "Count in widths first: t = numbers / width. The angle of component j is θ_j t.",
        "All numbers times all angles: t as a column, `t[:, None]`, times the angles in a row, "
        "shape (n, d). For the prediction, t as a column minus t as a row; it needs no vectors.",
        "`np.exp(1j * ...)` makes phasors of angles. `np.sinc(x)` is sin(πx)/(πx), with the π "
        "inside, and 1 at x = 0.",
    ],
    draws=4,
    anchor="Exercise-3-·-Codes-of-numbers",
)
def number_codes(attempt: Attempt) -> None:
    """``number_codes(base, numbers, width)``: (d,), (n,), float -> (n, d), (n, n)."""
    n, d, width, reach = [(4, 7, 2.5, 3), (5, 6, 0.4, 3), (6, 8, 12.0, 8), (1, 5, 2.0, 3)][
        attempt.draw
    ]
    rng = attempt.rng
    base = phasors(rng, 1, d)[0]
    numbers = np.round(rng.uniform(-reach, reach, size=n) * width, 3)
    numbers = np.roll(np.sort(numbers), 1)  # neither the first nor 0 is the smallest
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
            "One number is still one row, shape (1, d): no `squeeze`."
            if n == 1
            else "One code only: one row for each number.": (d,),
            "The codes stand in the columns; each is a row.": (d, n),
            "That is the predicted part: the vectors come first.": (n, n),
        },
    )
    twice = "Two powers one after the other: in between the angle wraps at π. Take one power, with "
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
            twice + "the exponent t / width.": np.exp(1j * np.angle(turned(numbers)) / width),
            twice + "t / width as its exponent.": turned(
                numbers, np.angle(np.exp(1j * angles / width))
            ),
            "Your angles are in degrees; `np.exp(1j * ...)` takes radians.": turned(
                t, np.rad2deg(angles)
            ),
            "`np.angle` gives radians: nothing is to be converted.": turned(t, np.deg2rad(angles)),
            "arctan(imag / real) does not tell an angle from its opposite: take `np.angle`.": (
                turned(t, np.arctan(base.imag / base.real))
            ),
            "You count from the first number. Each code stands for t itself: 0 is (1, …, 1).": (
                turned(t - t[0])
            ),
            "You count from the smallest number. Each code stands for t itself: 0 is (1, …, 1).": (
                turned(t - t.min())
            ),
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
        finite=False,
        mistakes={
            "One number still makes a (1, 1) array: no `squeeze`."
            if n == 1
            else "One number only: a row for each number is asked for.": (),
            "All pairs are asked for: t[:, None] - t.": (n,),
            "One number for each pair of numbers; the vectors are not needed.": (n, d),
        },
    )
    attempt.require(
        np.isfinite(predicted).all(),
        f"`{second}` is not finite: {int((~np.isfinite(predicted)).sum())} of {predicted.size} "
        "entries.",
        likely="At the distance 0 this is 0 / 0, a division by zero; κ(0) = 1. `np.sinc` knows it.",
    )
    gap = t[:, None] - t
    far = numbers[:, None] - numbers
    kernel = np.sinc(gap)
    cut = {
        f"The kernel is not 0 beyond {reach} widths: small waves go on.": np.where(
            np.abs(gap) > reach, 0, kernel
        )
        for reach in (1, 2, 3, 4, 5, 6, 8, 10)
    }
    attempt.close(
        predicted,
        kernel,
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
            "The kernel is negative in places: no absolute value, no square.": np.abs(kernel),
            "The kernel is not squared.": kernel**2,
            "Equal numbers have the similarity κ(0) = 1, not 0.": np.where(gap == 0, 0, kernel),
            "Equal numbers have the similarity κ(0) = 1, off the diagonal, too.": np.where(
                np.eye(n, dtype=bool), 1, np.where(gap == 0, 0, kernel)
            ),
            **cut,
        },
    )


def power(base: Array, t: Any) -> Array:
    """The base to the power of one number or of many: (d,), (...) -> (..., d)."""
    return np.exp(1j * np.angle(base) * np.asarray(t, float)[..., None])


Scores = Callable[[Array, Array], Array]


def _real_dots(codes: Array, reading: Array) -> Array:
    dots: Array = (codes.conj() @ reading).real
    return dots


def finest(reading: Array, base: Array, exponents: Array, scores: Scores = _real_dots) -> float:
    """The best of many exponents, compared in blocks."""
    blocks = np.array_split(exponents, max(1, len(exponents) // 500))
    every = [scores(power(base, block), reading) for block in blocks]
    return float(exponents[np.concatenate(every).argmax()])


def _absolute(codes: Array, reading: Array) -> Array:
    return np.abs(codes.conj() @ reading)


def _top(
    reading: Array, base: Array, low: float, high: float, scores: Scores = _real_dots
) -> float:
    """The best exponent between two, within 0.0005; grids of 0.02 find every hill."""
    best = finest(reading, base, np.append(np.arange(low, high, 0.02), high), scores)
    near = np.linspace(max(low, best - 0.02), min(high, best + 0.02), 81)
    return finest(reading, base, near, scores)


def _off_grid(value: float, step: float) -> float:
    """The distance of a value from the nearest multiple of a step."""
    return abs(value - step * round(value / step))


def _missed_by_few_points(
    reading: Array, base: Array, best: float, low: float, high: float
) -> bool:
    """Whether grids of up to 500 points find another hill, and five a width the right one."""
    if abs(finest(reading, base, np.arange(low, high, 0.2)) - best) > 0.3:
        return False
    counts = (100, 101, 200, 201, 300, 301, 500, 501)
    return all(abs(finest(reading, base, np.linspace(low, high, n)) - best) > 1 for n in counts)


#: value, width, low, high, number of pairs, d; a louder number beyond the range in the last
_FIELDS = [
    (31.337, 2.5, 4.0, 40.0, 5, 400),
    (-151.7, 40.0, -200.0, 300.0, 12, 200),
    (2.1357, 0.1, 1.0, 9.0, 4, 600),
    (30.0, 2.0, 11.5, 30.0, 7, 500),  # at the end of the range
    (648.63, 1.0, 0.0, 900.0, 20, 300),  # between the points of grids of up to 500
]


def _tells(draw: int, reading: Array, base: Array, best: float, free: float) -> bool:
    """Whether a draw refuses what it is meant for; ``best`` and ``free`` are exponents."""
    _, width, low, high, _, _ = _FIELDS[draw]
    if draw == 0:  # 20 points a width
        return _off_grid(best - low / width, 0.05) > 0.022
    if draw == 1:
        absolute = _top(reading, base, best - 0.5, best + 0.5, _absolute)
        return _off_grid(best - low / width, 0.06) > 0.024 and abs(absolute - best) > 0.03
    if draw == 2:  # rounded to two digits
        return _off_grid(best * width, 0.01) > 0.03 * width
    if draw == 3:  # the top of the hill lies beyond the range
        return free * width > high + 0.05 * width
    arrows = _top(reading / np.abs(reading), base, best - 1, best + 1)
    return abs(arrows - best) > 0.03 and _missed_by_few_points(reading, base, best, low, high)


def _record(attempt: Attempt) -> tuple[Array, Array, Array, float]:
    """A record, the role, the base and the best number, not within reach of a coarse grid."""
    value, width, low, high, pairs, d = _FIELDS[attempt.draw]
    for _ in range(1000):
        base, role, *others = phasors(attempt.rng, pairs + 1, d)
        y = power(base, value / width) * role + sum(others)
        if attempt.draw == 4:
            y = y + 1.5 * power(base, 1203.3) * role
        reading = y * role.conj()
        free = _top(reading, base, value / width - 1, value / width + 1)
        best = _top(
            reading, base, max(value / width - 1, low / width), min(value / width + 1, high / width)
        )
        if _tells(attempt.draw, reading, base, best, free):
            break
    return y, role, base, best * width


@exercise(
    lesson=LESSON,
    title="Read a number",
    minutes=8,
    difficulty=3,
    teaches="to read a number from a field of a record, at any width",
    hints=[
        "First unbind the role. Then compare with candidates, as with a codebook; here they are "
        "the codes of a grid of numbers.",
        "A grid from low to high, both included, five points to a width: `width / 5` apart. The "
        "code of a grid point t has the exponent t / width.",
        "Around the best point take a finer grid, until it is finer than 0.02 widths. Stay within "
        "[low, high].",
        "`power(base, grid / width)` has the shape (points, d); `similarity` of it and of the "
        "reading has the shape (points,). For the finer grids, a loop as in the lesson.",
    ],
    seconds=10,
    draws=len(_FIELDS),
    anchor="Exercise-4-·-Read-a-number",
)
def read_number(attempt: Attempt) -> None:
    """``read_number(y, role, base, width, low, high)`` -> float."""
    _, width, low, high, _, _ = _FIELDS[attempt.draw]
    y, role, base, best = _record(attempt)
    reading = y * role.conj()
    got = attempt.scalar(attempt.call(y, role, base, width, low, high))
    inside = low - 1e-6 * width <= got <= high + 1e-6 * width
    if inside and abs(got - best) <= 0.0201 * width:
        return

    def on_grid(signal: Array, scores: Scores = _real_dots) -> float:
        return _top(signal, base, low / width, high / width, scores) * width

    ratio = np.angle(reading) / np.angle(base) * width
    slope = np.polyfit(np.angle(base), np.angle(reading), 1)[0] * width
    unwrapped = np.argsort(np.angle(base))
    phases = np.unwrap(np.angle(reading)[unwrapped])
    wrap = "Angles wrap: after more than half a turn `np.angle` does not know how many turns there "
    wrap += "were. Compare with the codes of a grid."
    mistakes: dict[str, Callable[[], float]] = {
        f"You divided angles and averaged. {wrap}": lambda: ratio.mean(),
        f"You divided angles and took the median. {wrap}": lambda: np.median(ratio),
        f"You fitted a line to angles. {wrap}": lambda: slope,
        f"You fitted a line to unwrapped angles. {wrap} (Noise unwraps wrongly.)": lambda: (
            np.polyfit(np.angle(base)[unwrapped], phases, 1)[0] * width
        ),
        "This counts in widths: the exponent is t / width, so t is exponent times width.": lambda: (
            best / width
        ),
        "This is the exponent plus `low`: count both in the same unit, t = exponent times "
        "width.": lambda: best / width + low,
        "This is the number counted from `low`; add `low`.": lambda: best - low,
        "You compared with `y` itself: unbind the role first.": lambda: on_grid(y),
        "This is the number with the *lowest* similarity.": lambda: on_grid(-reading),
        "You multiplied with the role; unbinding takes its conjugate.": lambda: on_grid(y * role),
        "The codes of your grid are not conjugated: that compares with −t.": lambda: on_grid(
            reading.conj()
        ),
        "You multiplied real parts only. The real part of a product is not the product of real "
        "parts: `(codes.conj() @ reading).real`.": lambda: on_grid(
            reading, lambda codes, signal: codes.real @ signal.real
        ),
        "`abs` forgets the angle of the score: take the real part.": lambda: on_grid(
            reading, _absolute
        ),
        "Your angles run from 0 to 2π, those of the code from −π to π: take `np.angle(base)`.": (
            lambda: _full_turns(reading, base, low, high, width)
        ),
        "The arrows of a bundle have lengths, and they count: don't divide each component by its "
        "own.": lambda: on_grid(reading / np.abs(reading)),
    }
    for words, answer in mistakes.items():
        wrong = answer()
        near = abs(wrong - best)  # near the right number little can be told apart
        reach = 0.009 if near < 0.2 * width else 0.03
        if near > 0.0201 * width:
            attempt.require(abs(got - wrong) > reach * width, _off(got, best, width), likely=words)
    attempt.require(
        inside,
        f"`{attempt.what}` is {got:.4g}; the number lies between {low:g} and {high:g}.",
        likely="Does a grid go beyond the ends, or is this the number of a grid point?",
    )
    attempt.require(
        abs(got - best) > 0.6 * width,
        _off(got, best, width),
        likely="The right hill, at its side: is the end of the range, `high`, in your grid?"
        if best > high - 0.05 * width
        else "The right hill, but not within 0.02 widths: too coarse, or rounded? Look again "
        "around the best point with a finer grid.",
    )
    attempt.require(
        abs(got - round(got)) > 1e-9 or width >= 1,
        _off(got, best, width),
        likely="Another hill. Your grid holds whole numbers: it has to follow the width.",
    )
    attempt.require(
        False,
        _off(got, best, width),
        likely="Another hill. Is the first grid fine enough, `width / 5`, does it cover the whole "
        f"range ({(high - low) / width:.0f} widths here), and are the exponents t / width?",
    )


def _full_turns(reading: Array, base: Array, low: float, high: float, width: float) -> float:
    """The best number if the angles of the codes run from 0 to 2π."""
    grid = np.append(np.arange(low, high, width / 40), high)
    angles = np.angle(base) % (2 * np.pi)
    blocks = np.array_split(grid, max(1, len(grid) // 500))
    scores = [(np.exp(-1j * angles * b[:, None] / width) @ reading).real for b in blocks]
    return float(grid[np.concatenate(scores).argmax()])


def _off(got: float, best: float, width: float) -> str:
    off = abs(got - best)
    return (
        f"The number is {best:.4g}, and you read {got:.4g}: off by {off:.3g}, "
        f"{off / width:.2g} widths."
    )
