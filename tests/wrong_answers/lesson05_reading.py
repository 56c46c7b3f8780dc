"""Wrong and unusual right answers of lesson 05: reading a number and a place."""

import numpy as np


def power(a, t):
    return np.exp(1j * np.angle(a) * np.asarray(t, float)[..., None])


def scored(reading, a, t):
    return (power(a, t).conj() @ reading).real


def refined(reading, a, width, low, high, first=0.25):
    start, end, step = low, high, first * width
    while step > 0.001 * width:
        grid = np.append(np.arange(start, end, step), end)
        best = grid[scored(reading, a, grid / width).argmax()]
        start, end, step = max(low, best - step), min(high, best + step), step / 10
    return float(best)


def one_grid(y, r, a, w, low, high):
    grid = np.linspace(low, high, int((high - low) / w * 60) + 2)
    return grid[scored(y * r.conj(), a, grid / w).argmax()]


def parabola(y, r, a, w, low, high):
    """Four points to a width, then the tops of parabolas."""
    grid, x, h = np.linspace(low, high, int(4 * (high - low) / w) + 1), y / r, w / 16
    best = grid[scored(x, a, grid / w).argmax()]
    for _ in range(8):
        left, mid, right = scored(x, a, np.array([best - h, best, best + h]) / w)
        best += np.clip(h * (left - right) / (2 * (left - 2 * mid + right)), -h, h)
    return np.float32(np.clip(best, low, high))


def newton(y, r, a, w, low, high):
    """A coarse grid, then Newton's method on the derivative."""
    x, angles = y * r.conj(), np.angle(a)
    grid = np.arange(low / w, high / w + 0.2, 0.2)
    t = grid[scored(x, a, grid).argmax()]
    for _ in range(6):
        z = x * np.exp(-1j * angles * t)
        t -= (angles * z.imag).sum() / -(angles**2 * z.real).sum()
    return float(min(max(t * w, low), high))


def coarse(y, r, a, w, low, high):
    grid = np.append(np.arange(low, high, w / 4), high)
    return grid[scored(y * r.conj(), a, grid / w).argmax()]


def step_quarter(y, r, a, w, low, high):
    """A step that does not follow the width."""
    grid = np.append(np.arange(low, high, 0.25), high)
    best = grid[scored(y * r.conj(), a, grid / w).argmax()]
    fine = np.linspace(best - 0.25, best + 0.25, 501)
    return fine[scored(y * r.conj(), a, fine / w).argmax()]


def whole_numbers(y, r, a, w, low, high):
    grid = np.arange(low, high + 1)
    return grid[scored(y * r.conj(), a, grid / w).argmax()]


def without_end(y, r, a, w, low, high):
    grid = np.arange(low, high - w / 10, w / 60)
    return grid[scored(y * r.conj(), a, grid / w).argmax()]


def past_the_end(y, r, a, w, low, high):
    best = refined(y * r.conj(), a, w, low, high)
    return best + w if best > high - w / 20 else best


def index_of(y, r, a, w, low, high):
    grid = np.append(np.arange(low, high, w / 60), high)
    return int(scored(y * r.conj(), a, grid / w).argmax())


def no_width(y, r, a, w, low, high):
    return refined(y * r.conj(), a, 1, low, high)


# Exercise 5


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


WRONG = {
    "read_number": [
        (
            "mean of the ratios",
            lambda y, r, a, w, lo, hi: float((np.angle(y * r.conj()) / np.angle(a)).mean() * w),
            "incorrect",
            "Angles wrap",
        ),
        (
            "median of the ratios",
            lambda y, r, a, w, lo, hi: float(np.median(np.angle(y / r) / np.angle(a)) * w),
            "incorrect",
            "took the median",
        ),
        (
            "not unbound",
            lambda y, r, a, w, lo, hi: refined(y, a, w, lo, hi, 0.02),
            "incorrect",
            "unbind the role first",
        ),
        (
            "bound",
            lambda y, r, a, w, lo, hi: refined(y * r, a, w, lo, hi, 0.02),
            "incorrect",
            "multiplied with the role",
        ),
        (
            "in widths",
            lambda y, r, a, w, lo, hi: refined(y / r, a, w, lo, hi) / w,
            "incorrect",
            "counts in widths",
        ),
        (
            "from low",
            lambda y, r, a, w, lo, hi: refined(y / r, a, w, lo, hi) - lo,
            "incorrect",
            "add `low`",
        ),
        (
            "other direction",
            lambda y, r, a, w, lo, hi: refined((y / r).conj(), a, w, lo, hi, 0.02),
            "incorrect",
            "compares with −t",
        ),
        ("coarse", coarse, "incorrect", "too coarse"),
        ("step of a quarter", step_quarter, "incorrect", "Another hill"),
        ("whole numbers", whole_numbers, "incorrect", "too coarse"),
        ("without the end", without_end, "incorrect", "end of the range"),
        ("past the end", past_the_end, "incorrect", "beyond the ends"),
        ("index", index_of, "incorrect", "grid point's number"),
        ("no width", no_width, "incorrect", "so t is exponent"),
        (
            "an array",
            lambda y, r, a, w, lo, hi: np.array([one_grid(y, r, a, w, lo, hi)]),
            "incorrect",
            "one entry",
        ),
    ],
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
        (
            "None",
            lambda y, x, a, b, n, s: None,
            "incorrect",
            "returned `None`",
        ),
    ],
}
RIGHT = {
    "read_number": [
        ("one fine grid", one_grid),
        ("parabolas, float32", parabola),
        ("Newton", newton),
    ],
    "before": [
        ("decode all", decode_all),
        ("shift first", shift_first),
    ],
}
