"""Check of lesson 05, structures: exercise 5, what came before in a sequence."""

from collections.abc import Callable
from typing import Any

import numpy as np

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson05 import LESSON, Array, phasors
from vsacourse.check.lesson05_numbers import finest, power

#: rows of the sequence, size of the codebook, d, and (place, steps) to ask for
_SEQUENCES = [
    (
        [41, 7, 19, 60, 3, 58, 26, 33, 0, 52, 12, 38],
        64,
        900,
        [(11, 3), (11, 11), (1, 1), (4, 1), (0, 1), (1, 3)],
    ),
    ([3, 5, 3, 7, 3, 1], 60, 700, [(5, 1), (5, 5), (3, 1), (1, 1), (5, 3), (3, 4)]),
    (
        [4, 1, 6, 1, 1, 0, 6, 2, 1, 6, 4, 6, 5, 3],
        7,
        1200,
        [(13, 12), (13, 1), (7, 5), (12, 10), (5, 4), (5, 6)],
    ),
]


class _Case:
    """A sequence, and what one finds in it."""

    def __init__(self, rng: np.random.Generator, rows: list[int], size: int, d: int) -> None:
        self.rows = rows
        self.symbols, self.base = phasors(rng, size, d), phasors(rng, 1, d)[0]
        self.places = power(self.base, np.arange(len(rows)))
        self.y = (self.symbols[rows] * self.places).sum(axis=0)

    def symbol(self, reading: Array) -> int:
        return int((self.symbols.conj() @ reading).real.argmax())

    def at(self, place: float) -> int:
        return self.symbol(self.y * power(self.base, place).conj())

    def score(self, place: int) -> float:
        """The score of the best symbol at a place; the right one has about 1."""
        reading = self.y * power(self.base, place).conj()
        return float((self.symbols.conj() @ reading).real.max()) / len(reading)

    def mark(self, symbol: int) -> Array:
        """The place of a symbol, as a noisy vector."""
        return self.y * self.symbols[symbol].conj()

    def place(self, mark: Array, count: int = 0) -> int:
        codes = power(self.base, np.arange(count)) if count else self.places
        return int((codes.conj() @ mark).real.argmax())

    def real_place(self, symbol: int) -> float:
        grid = np.linspace(0, len(self.rows) - 1, 50 * (len(self.rows) - 1) + 1)
        return finest(self.mark(symbol), self.base, grid)

    def clean(self, places: list[tuple[int, int]]) -> bool:
        """Whether every symbol and every place that is asked for is read right."""
        read = all(self.at(k) == row for k, row in enumerate(self.rows))
        return read and all(self.place(self.mark(self.rows[p])) == p for p, _ in places)


def _beyond(case: _Case, symbol: int, place: int) -> bool:
    return case.place(case.mark(symbol), 100) != place


def _by_abs(case: _Case, symbol: int, place: int) -> bool:
    if not place:
        return False
    found = np.abs(case.places.conj() @ case.mark(symbol)).argmax()
    read = np.abs(case.symbols.conj() @ (case.y * case.places[place - 1].conj())).argmax()
    return bool(found != place and read != case.rows[place - 1])


def _not_rounded(case: _Case, symbol: int, place: int) -> bool:
    return place > 0 and case.at(case.real_place(symbol) - 1) != case.rows[place - 1]


def _before_the_first(case: _Case, symbol: int, place: int) -> bool:
    return place == 0 and case.score(-1) > 0.8


#: in short vectors: what goes wrong there if it is done in another way
_TRAPS: dict[str, Callable[[_Case, int, int], bool]] = {
    "The symbol's place lies between 0 and length − 1: compare with these places only.": _beyond,
    "`abs` forgets the angle of a score: take the real part.": _by_abs,
    "A place is a whole number: round it, or compare with the whole places only, before you step "
    "back.": _not_rounded,
    "Whether there is such a place is a matter of place − steps, below 0 or not, and not of how "
    "high the score is.": _before_the_first,
}


def _trap(rng: np.random.Generator, goes_wrong: Callable[[_Case, int, int], bool]) -> Any:
    """A short sequence that is read right, and in which something else goes wrong."""
    while True:
        rows = [int(row) for row in rng.permutation(60)[:6]]
        case = _Case(rng, rows, 60, 32)
        for place in range(6):
            if goes_wrong(case, rows[place], place) and case.clean([(place, 1)]):
                return case, place


@exercise(
    lesson=LESSON,
    title="What came before",
    minutes=7,
    difficulty=4,
    teaches="to compute with a place that you have read",
    hints=[
        "Unbind the symbol from y. What is left, beside noise?",
        "Its place, a^n. Compare with the codes of all places 0 … length − 1 to find n. Then the "
        "place before is n − steps, if there is one.",
        "`power(base, np.arange(length))` are the codes of all places, shape (length, d). You need "
        "`.argmax()` twice: over the places, and, after unbinding the new place, over the symbols.",
    ],
    draws=len(_SEQUENCES) + len(_TRAPS),
    anchor="Exercise-5-·-What-came-before",
)
def before(attempt: Attempt) -> None:
    """``before(y, symbol, base, symbols, length, steps)`` -> int."""
    if attempt.draw >= len(_SEQUENCES):
        words, goes_wrong = list(_TRAPS.items())[attempt.draw - len(_SEQUENCES)]
        case, place = _trap(attempt.rng, goes_wrong)
        got = _ask(attempt, case, place, 1)
        right = case.rows[place - 1] if place else -1
        if got == -1 and goes_wrong is _not_rounded:
            words = list(_TRAPS)[-1]
        attempt.equal(got, right, mistakes={words: got})
        return
    rows, size, d, places = _SEQUENCES[attempt.draw]
    # of this seed: in the first question each of the mistakes below has another answer
    rng = attempt.rng if attempt.draw else np.random.default_rng(55)
    case = _Case(rng, rows, size, d)
    while not case.clean(places):
        case = _Case(rng, rows, size, d)
    for number, (place, steps) in enumerate(places):
        got = _ask(attempt, case, place, steps, repeat=not number)
        _compare(attempt, case, place, steps, got)


def _ask(attempt: Attempt, case: _Case, place: int, steps: int, repeat: bool = True) -> int:
    symbol, length = case.rows[place], len(case.rows)
    got = attempt.call(case.y, symbol, case.base, case.symbols, length, steps, repeat=repeat)
    number: int = attempt.scalar(got, kind="int")
    return number


def _compare(attempt: Attempt, case: _Case, place: int, steps: int, got: int) -> None:
    rows, target = case.rows, place - steps
    right = rows[target] if target >= 0 else -1
    if got == right:
        return
    case_words = f"{steps} before place {place}"
    if target >= 0 and got == -1:
        likely = "Was the place found? Unbind the symbol with its conjugate, and take the place "
        likely += "with the highest score."
        if target == 0:
            likely = "Place 0 is a place: −1 only if place − steps is below 0. (Are the places "
            likely += "counted from 0? And is a place that was read rounded, not cut?)"
        elif place >= len(case.symbols):
            likely = f"There are {len(rows)} places and {len(case.symbols)} symbols: is the "
            likely += "symbol compared with the codes of all `length` places?"
        elif rows.count(right) > 1:
            likely = "The symbol that stands there stands elsewhere, too. Read the place; don't "
            likely += "ask each symbol for its one place."
        attempt.require(
            False, f"`{attempt.what}` is −1, and {case_words} is place {target}.", likely=likely
        )
    mistakes = _none(case, target) if target < 0 else {}
    mistakes |= _steps(case, place, steps)
    if target >= 0:
        mistakes |= _conjugates(case, place, steps)
        if rows.count(right) > 1:
            mistakes[
                "Symbols may stand at several places: each place is read by itself, with the "
                "whole codebook."
            ] = got
    attempt.equal(got, right, mistakes=mistakes)


def _none(case: _Case, target: int) -> dict[str, Any]:
    """There is no place to go back to."""
    return {
        "There is no such place, and a codebook always answers. Return −1 if place − steps is "
        "below 0.": case.at(target),
        "There is no such place: a negative index counts from the end.": (
            case.rows[target % len(case.rows)]
        ),
        "There is no such place; this is the first symbol.": case.rows[0],
    }


def _steps(case: _Case, place: int, steps: int) -> dict[str, Any]:
    """Steps of another size or direction, and answers that are no symbol."""
    rows, symbol = case.rows, case.rows[place]
    # unbinding with y conj(x) conj(a^steps), the noisy place, leaves |y|² x a^steps
    noisy = np.abs(case.y) ** 2 * case.symbols[symbol] * power(case.base, steps)
    return {
        "This is the symbol that came *after*: step back, place − steps.": case.at(place + steps),
        "This is the symbol itself: the step back is missing.": symbol,
        "This is the symbol one step before, whatever `steps` says.": rows[place - 1],
        "This is the place; which symbol stands there?": place - steps,
        "This is the place of the symbol: step back, and read what stands there.": place,
        "The place brings its noise along: clean up in between. Which place is it?": case.symbol(
            noisy
        ),
        "One place too late. Are the places counted from 0?": case.at(place - steps + 1),
        "One place too early. Is a place that was read rounded, not cut? Are the places counted "
        "from 0?": case.at(place - steps - 1),
    }


def _conjugates(case: _Case, place: int, steps: int) -> dict[str, Any]:
    """What a missing conjugate gives, and the row of the symbol in place of its vector."""
    y, symbols, places = case.y, case.symbols, case.places
    x = symbols[case.rows[place]]

    def back(mark: Array, codes: Array) -> Any:
        found = int((codes @ mark).real.argmax()) - steps
        return case.at(found) if found >= 0 else None

    reading = y * power(case.base, place - steps).conj()
    return {
        "Are all `length` places compared, and no others? You found one of the first ten.": back(
            y * x.conj(), places[:10].conj()
        )
        if place >= 10
        else None,
        "`symbol` is a row number; its vector is `symbols[symbol]`.": back(
            y * case.rows[place], places.conj()
        ),
        "The codes of the places are not conjugated where you compare: that finds another "
        "place.": back(y * x.conj(), places),
        "The symbol is not conjugated: you bound it instead of unbinding.": back(
            y * x, places.conj()
        ),
        "The new place is not conjugated: you bound it instead of unbinding.": case.symbol(
            y * power(case.base, place - steps)
        ),
        "The symbols are not conjugated where you compare: that adds angles.": int(
            (symbols @ reading).real.argmax()
        ),
        "Neither conjugate is there where you compare.": back(y * x, places),
    }
