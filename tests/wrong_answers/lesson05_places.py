"""Wrong and unusual right answers of lesson 05: what came before."""

import numpy as np


def power(a, t):
    return np.exp(1j * np.angle(a) * np.asarray(t, float)[..., None])


def scored(reading, a, t):
    return (power(a, t).conj() @ reading).real


def place_of(y, x, a, length):
    return int(scored(y * x.conj(), a, np.arange(length)).argmax())


def read(y, place, a, b):
    return int((b.conj() @ (y * power(a, place).conj())).real.argmax())


def stepping(change, first=True):
    """Go from the symbol's place to ``change(place, steps)``; −1 below 0 if ``first``."""

    def answer(y, x, a, b, length, steps):
        target = change(place_of(y, b[x], a, length), steps)
        return -1 if first and target < 0 else read(y, target, a, b)

    return answer


def decode_all(y, x, a, b, length, steps):
    """Read the whole sequence, then look it up."""
    rows = [read(y, n, a, b) for n in range(length)]
    place = rows.index(x) - steps
    return -1 if place < 0 else rows[place]


def shift_first(y, x, a, b, length, steps):
    """Shift the sequence, then read at the symbol's own place."""
    place = place_of(y, b[x], a, length)
    later = y * power(a, np.float64(steps))
    return np.int64(read(later, place, a, b)) if place >= steps else -1


def pythons_index(y, x, a, b, length, steps):
    rows = [read(y, n, a, b) for n in range(length)]
    return rows[rows.index(x) - steps]


def noisy_place(y, x, a, b, length, steps):
    """Without a cleanup in the middle."""
    step = y * b[x].conj() * power(a, np.float64(steps)).conj()
    return int((b.conj() @ (y * step.conj())).real.argmax())


def lost(find=None, read_at=None):
    """A solution with another way to find the place, or to read there."""

    def answer(y, x, a, b, n, steps):
        codes = power(a, np.arange(n))
        place = int(find(y, x, a, b, codes)) if find else place_of(y, b[x], a, n)
        if place < steps:
            return -1
        return int(read_at(y, place - steps, a, b)) if read_at else read(y, place - steps, a, b)

    return answer


def real_place(y, x, a, b, n):
    grid = np.linspace(0, n - 1, 50 * (n - 1) + 1)
    return grid[scored(y * b[x].conj(), a, grid).argmax()]


def cut(y, x, a, b, n, steps):
    place = int(real_place(y, x, a, b, n)) - steps
    return -1 if place < 0 else read(y, place, a, b)


def not_rounded(y, x, a, b, n, steps):
    place = real_place(y, x, a, b, n) - steps
    return -1 if place < -0.5 else read(y, place, a, b)


def one_place_each(y, x, a, b, n, steps):
    """One place for each symbol, then the symbol whose place it is."""
    where = ((y * b.conj()) @ power(a, np.arange(n)).conj().T).real.argmax(1)
    there = np.flatnonzero(where == where[x] - steps)
    score = (b @ (y * power(a, float(where[x] - steps)).conj()).conj()).real
    return int(there[score[there].argmax()]) if len(there) else -1


def without_replacement(y, x, a, b, n, steps):
    rows = []
    for k in range(n):
        s = (b.conj() @ (y * power(a, k).conj())).real
        s[[row for row in rows if len(rows) < len(b)]] = -np.inf
        rows.append(int(s.argmax()))
    if x not in rows or rows.index(x) < steps:
        return -1
    return rows[rows.index(x) - steps]


def by_score(threshold):
    """No look at the place; -1 if the symbol's score is low."""

    def answer(y, x, a, b, n, steps):
        place = place_of(y, b[x], a, n) - steps
        s = (b.conj() @ (y * power(a, place).conj())).real / len(y)
        return int(s.argmax()) if s.max() > threshold else -1

    return answer


def places_in(count):
    def answer(y, x, a, b, n, steps):
        place = place_of(y, b[x], a, count(b)) - steps
        return -1 if place < 0 else read(y, place, a, b)

    return answer


WRONG = {
    "before": [
        ("after", stepping(lambda p, s: p + s), "incorrect", "*after*"),
        ("itself", lambda y, x, a, b, n, s: x, "incorrect", "the step back is missing"),
        ("one step", stepping(lambda p, s: p - 1), "incorrect", "whatever `steps` says"),
        (
            "the place",
            lambda y, x, a, b, n, s: place_of(y, b[x], a, n) - s,
            "incorrect",
            "This is the place; which",
        ),
        (
            "the symbol's place",
            lambda y, x, a, b, n, s: place_of(y, b[x], a, n),
            "incorrect",
            "place of the symbol",
        ),
        ("no beginning", stepping(lambda p, s: p - s, False), "incorrect", "always answers"),
        ("Python's index", pythons_index, "incorrect", "counts from the end"),
        (
            "first symbol",
            stepping(lambda p, s: max(p - s, 0)),
            "incorrect",
            "this is the first symbol",
        ),
        (
            "place 0 is none",
            lambda y, x, a, b, n, s: (
                -1 if place_of(y, b[x], a, n) <= s else read(y, place_of(y, b[x], a, n) - s, a, b)
            ),
            "incorrect",
            "Place 0 is a place",
        ),
        ("always none", lambda y, x, a, b, n, s: -1, "incorrect", "Was the place found?"),
        ("no cleanup", noisy_place, "incorrect", "clean up"),
        ("one place each", one_place_each, "incorrect", "whole codebook"),
        ("without replacement", without_replacement, "incorrect", "whole codebook"),
        ("ten places", places_in(lambda b: 10), "incorrect", "Are all `length` places"),
        ("as many places as symbols", places_in(len), "incorrect", "all `length` places"),
        ("a hundred places", places_in(lambda b: 100), "incorrect", "between 0 and length"),
        ("not rounded", not_rounded, "incorrect", "A place is a whole number"),
        ("cut", cut, "incorrect", "not cut"),
        ("by score", by_score(0.5), "incorrect", "how high the score is"),
        ("by score, 0.7", by_score(0.7), "incorrect", "how high the score is"),
        (
            "three steps at most",
            lambda y, x, a, b, n, s: -1 if s > 3 else shift_first(y, x, a, b, n, s),
            "incorrect",
            "Place 0 is a place",
        ),
        (
            "abs for the place",
            lost(find=lambda y, x, a, b, codes: abs(codes.conj() @ (y * b[x].conj())).argmax()),
            "incorrect",
            "`abs` forgets",
        ),
        (
            "abs for the symbol",
            lost(read_at=lambda y, k, a, b: abs(b.conj() @ (y * power(a, k).conj())).argmax()),
            "incorrect",
            "`abs` forgets",
        ),
        (
            "the row",
            lost(find=lambda y, x, a, b, codes: (codes.conj() @ (y * x)).real.argmax()),
            "incorrect",
            "is a row number",
        ),
        (
            "places not conjugated",
            lost(find=lambda y, x, a, b, codes: (codes @ (y * b[x].conj())).real.argmax()),
            "incorrect",
            "codes of the places are not conjugated",
        ),
        (
            "symbol not conjugated",
            lost(find=lambda y, x, a, b, codes: (codes.conj() @ (y * b[x])).real.argmax()),
            "incorrect",
            "The symbol is not conjugated",
        ),
        (
            "new place not conjugated",
            lost(read_at=lambda y, k, a, b: (b.conj() @ (y * power(a, k))).real.argmax()),
            "incorrect",
            "The new place is not conjugated",
        ),
        (
            "symbols not conjugated",
            lost(read_at=lambda y, k, a, b: (b @ (y * power(a, k).conj())).real.argmax()),
            "incorrect",
            "The symbols are not conjugated",
        ),
        (
            "from 1",
            lost(find=lambda y, x, a, b, codes: place_of(y * a.conj(), b[x], a, len(codes))),
            "incorrect",
            "counted from 0",
        ),
        (
            "one too late",
            lost(read_at=lambda y, k, a, b: read(y, k + 1, a, b)),
            "incorrect",
            "One place too late",
        ),
        (
            "None",
            lambda y, x, a, b, n, s: None,
            "incorrect",
            "returned `None`",
        ),
    ],
}
RIGHT = {
    "before": [
        ("decode all", decode_all),
        ("shift first", shift_first),
    ],
}
