"""Checks of lesson 05, structures: exercises 4 and 5, reading a number and a place."""

from typing import Any

import numpy as np

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson05 import LESSON, Array, phasors


def _power(base: Array, t: Any) -> Array:
    return np.exp(1j * np.angle(base) * np.asarray(t, float)[..., None])


def _finest(reading: Array, base: Array, exponents: Array) -> float:
    """The best of many exponents, compared in blocks."""
    blocks = np.array_split(exponents, max(1, len(exponents) // 500))
    scores = [(_power(base, block).conj() @ reading).real for block in blocks]
    return float(exponents[np.concatenate(scores).argmax()])


@exercise(
    lesson=LESSON,
    title="Read a number",
    minutes=6,
    difficulty=3,
    teaches="to read a number from a field of a record, at any width",
    hints=[
        "First unbind the role. Then compare with candidates, as with a codebook; here they are "
        "the codes of a grid of numbers.",
        "A grid from low to high, both included, four points to a width: `width / 4` apart. The "
        "code of a grid point t has the exponent t / width.",
        "Around the best point take a finer grid, until it is finer than 0.02 widths. Stay within "
        "[low, high].",
        "`scores = (np.exp(-1j * np.angle(base) * grid[:, None] / width) @ reading).real`, with "
        "`reading = y * role.conj()`.",
    ],
    seconds=10,
    draws=4,
    anchor="Exercise-4-·-Read-a-number",
)
def read_number(attempt: Attempt) -> None:
    """``read_number(y, role, base, width, low, high)`` -> float."""
    value, width, low, high, pairs, d = [
        (7.3, 1.0, 0.0, 12.0, 4, 400),
        (-151.7, 40.0, -200.0, 300.0, 3, 350),
        (2.13, 0.1, 1.0, 9.0, 4, 600),
        (30.0, 2.0, 11.5, 30.0, 2, 500),  # at the end of the range
    ][attempt.draw]
    rng = attempt.rng
    base, role, *others = phasors(rng, pairs + 1, d)
    y = _power(base, value / width) * role + sum(others)
    reading = y * role.conj()
    near = value / width + np.linspace(-1, 1, 2001)
    best = _finest(reading, base, near[(near >= low / width) & (near <= high / width)]) * width
    got = attempt.scalar(attempt.call(y, role, base, width, low, high))
    if abs(got - best) <= 0.03 * width:
        return

    def on_grid(signal: Array, step: float, scale: float = width) -> float:
        grid = np.append(np.arange(low, high, step), high)
        return _finest(signal, base, grid / scale) * scale

    ratio = np.angle(reading) / np.angle(base) * width
    mistakes = {
        "You divided angles and averaged. Angles wrap: after more than half a turn `np.angle` does "
        "not know how many turns there were. Compare with the codes of a grid.": ratio.mean(),
        "You divided angles and took the median. Angles wrap: `np.angle` does not know how many "
        "turns there were. Compare with the codes of a grid.": np.median(ratio),
        "You compared with `y` itself: unbind the role first.": on_grid(y, width / 40),
        "You multiplied with the role; unbinding takes its conjugate.": on_grid(
            y * role, width / 40
        ),
        "This counts in widths: the exponent is t / width, so t is exponent times width.": best
        / width,
        "This is the number of a grid point, counted from `low`; add `low`.": best - low,
        "The codes of your grid are not conjugated: that compares with −t.": on_grid(
            reading.conj(), width / 40
        ),
    }
    for words, wrong in mistakes.items():
        attempt.require(abs(got - wrong) > 0.04 * width, _off(got, best, width), likely=words)
    inside = low - 1e-9 <= got <= high + 1e-9
    attempt.require(
        inside,
        f"`{attempt.what}` is {got:.4g}; the number lies between {low:g} and {high:g}.",
        likely="The finer grid went beyond the ends, or a grid point's number was returned.",
    )
    attempt.require(
        abs(got - best) > 0.6 * width,
        _off(got, best, width),
        likely="The right hill, but too coarse: look again around the best point with a finer grid."
        if value < high
        else "The right hill, at its side: is the end of the range, `high`, in your grid?",
    )
    attempt.require(
        abs(got - round(got)) > 1e-9 or width >= 1,
        _off(got, best, width),
        likely="Another hill. Your grid holds whole numbers: it has to follow the width.",
    )
    attempt.require(
        False,
        _off(got, best, width),
        likely="Another hill. Is the first grid fine enough, `width / 4`, does it cover the whole "
        "range, and are the exponents t / width?",
    )


def _off(got: float, best: float, width: float) -> str:
    off = abs(got - best)
    return (
        f"The number is {best:.4g}, and you read {got:.4g}: off by {off:.3g}, "
        f"{off / width:.2g} widths."
    )


@exercise(
    lesson=LESSON,
    title="What came before",
    minutes=5,
    difficulty=4,
    teaches="to compute with a place that you have read",
    hints=[
        "Unbind the symbol from y. What is left, beside noise?",
        "Its place, a^n. Compare with the codes of all places 0 … length − 1 to find n. Then the "
        "place before is n − steps, if there is one.",
        "Unbind the new place from y, and compare with the symbols: `(symbols.conj() @ "
        "reading).real.argmax()`.",
    ],
    draws=4,
    anchor="Exercise-5-·-What-came-before",
)
def before(attempt: Attempt) -> None:
    """``before(y, symbol, base, symbols, length, steps)`` -> int."""
    length, size, d = [(6, 10, 600), (9, 12, 800), (4, 7, 500), (8, 8, 700)][attempt.draw]
    rng = attempt.rng
    symbols, base = phasors(rng, size, d), phasors(rng, 1, d)[0]
    row = rng.permutation(size)[:length]
    y = (symbols[row] * _power(base, np.arange(length))).sum(axis=0)
    places = [(length - 1, 2), (length - 1, length - 1), (1, 1), (length - 2, 1), (0, 1), (1, 3)]
    if attempt.draw % 2:
        places = [(length - 1, 1), (2, 2), (length - 2, 3), (2, 3)]

    def at(place: float) -> int:
        reading = y * _power(base, place).conj()
        return int((symbols.conj() @ reading).real.argmax())

    for place, steps in places:
        symbol = int(row[place])
        got = attempt.scalar(
            attempt.call(y, symbol, base, symbols, length, steps, repeat=place == length - 1),
            kind="int",
        )
        target = place - steps
        right = int(row[target]) if target >= 0 else -1
        mistakes = {
            "This is the symbol that came *after*: step back, place − steps.": int(
                row[place + steps]
            )
            if place + steps < length
            else at(place + steps),
            "This is the symbol itself: the step back is missing.": symbol,
            "This is the symbol one step before, whatever `steps` says.": int(row[place - 1]),
            "This is the place; which symbol stands there?": target,
            "This is the place of the symbol: step back, and read what stands there.": place,
        }
        # unbinding with y conj(x) conj(a^steps), the noisy place, leaves |y|² x a^steps
        noisy = np.abs(y) ** 2 * symbols[symbol] * _power(base, steps)
        unclean = int((symbols.conj() @ noisy).real.argmax())
        words = "The place brings its noise along: clean up in between. Which place is it?"
        mistakes[words] = unclean
        if target < 0:
            mistakes = {
                "There is no such place, and a codebook always answers. Return −1 if place − steps "
                "is below 0.": at(target),
                "There is no such place: a negative index counts from the end.": at(
                    target % length
                ),
                "There is no such place; this is the first symbol.": int(row[0]),
                **mistakes,
            }
        elif right != got:
            attempt.require(
                not (target == 0 and got == -1),
                f"`{attempt.what}` is −1, and {steps} before place {place} is place 0.",
                likely="Place 0 is a place: −1 only if place − steps is below 0.",
            )
            attempt.require(
                got != -1,
                f"`{attempt.what}` is −1, and the symbol stands at place {place}, with "
                f"{steps} step{'s' * (steps > 1)} back asked for.",
                likely="Was the place found? Unbind the symbol with its conjugate, and take the "
                "place with the highest score.",
            )
        attempt.equal(got, right, mistakes=mistakes)
