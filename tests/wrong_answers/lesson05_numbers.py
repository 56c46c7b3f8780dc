"""Wrong and unusual right answers of lesson 05: reading a number."""

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
    grid = np.linspace(low, high, int((high - low) / w * 32) + 2)  # off by 1/64 of a width
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


def fixed(points, stages=3, clip=False):
    """Grids of a fixed number of points, the first over the whole range."""

    def answer(y, r, a, w, low, high):
        start, end = low, high
        for _ in range(stages):
            grid = np.linspace(start, end, points)
            best = grid[scored(y / r, a, grid / w).argmax()]
            step = grid[1] - grid[0]
            start, end = max(low, best - step), min(high, best + step)
        return best

    return answer


def finer(share):
    """One grid with this many widths between its points."""

    def answer(y, r, a, w, low, high):
        grid = np.append(np.arange(low, high, share * w), high)
        return grid[scored(y / r, a, grid / w).argmax()]

    return answer


def anywhere(y, r, a, w, low, high):
    """Without the range: from 1500 widths below zero to 1500 above."""
    return w * refined(y / r, a, 1, -1500, 1500)


def free_end(y, r, a, w, low, high):
    return refined(y / r, a, w, low - w, high + w)


def other_angles(y, r, a, w, low, high):
    grid, angles = np.append(np.arange(low, high, w / 60), high), np.angle(a) % (2 * np.pi)
    return grid[(np.exp(-1j * angles * grid[:, None] / w) @ (y / r)).real.argmax()]


def graded(scores):
    """One fine grid with other scores of codes and reading."""

    def answer(y, r, a, w, low, high):
        grid = np.append(np.arange(low, high, w / 60), high)
        return grid[scores(power(a, grid / w), y / r).argmax()]

    return answer


def unwrapped(y, r, a, w, low, high):
    order = np.argsort(np.angle(a))
    phases = np.unwrap(np.angle(y / r)[order])
    return np.polyfit(np.angle(a)[order], phases, 1)[0] * w


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
        ("index", index_of, "incorrect", "number of a grid point"),
        ("no width", no_width, "incorrect", "so t is exponent"),
        ("no range", anywhere, "incorrect", "lies between"),
        ("a width beyond the range", free_end, "incorrect", "lies between"),
        ("20 points", fixed(20, 4), "incorrect", "Is the first grid fine enough"),
        ("100 points", fixed(100, 4), "incorrect", "Is the first grid fine enough"),
        ("300 points", fixed(300, 4), "incorrect", "Is the first grid fine enough"),
        ("1000 points, one grid", fixed(1000, 1), "incorrect", "finer grid"),
        ("0.1 widths", finer(0.1), "incorrect", "finer grid"),
        ("0.06 widths", finer(0.06), "incorrect", "finer grid"),
        ("0.05 widths", finer(0.05), "incorrect", "finer grid"),
        (
            "two digits",
            lambda y, r, a, w, lo, hi: round(float(refined(y / r, a, w, lo, hi)), 2),
            "incorrect",
            "or rounded",
        ),
        (
            "a little off",
            lambda y, r, a, w, lo, hi: min(refined(y / r, a, w, lo, hi) + 0.025 * w, hi),
            "incorrect",
            "or rounded",
        ),
        (
            "arrows",
            lambda y, r, a, w, lo, hi: refined(y / r / abs(y), a, w, lo, hi),
            "incorrect",
            "have lengths, and they count",
        ),
        ("0 to 2π", other_angles, "incorrect", "Your angles run from 0 to 2π"),
        ("real parts", graded(lambda c, x: c.real @ x.real), "incorrect", "real parts only"),
        ("abs", graded(lambda c, x: abs(c.conj() @ x)), "incorrect", "`abs` forgets"),
        ("lowest", graded(lambda c, x: -(c.conj() @ x).real), "incorrect", "*lowest*"),
        ("unwrapped", unwrapped, "incorrect", "unwrapped angles"),
        (
            "slope",
            lambda y, r, a, w, lo, hi: np.polyfit(np.angle(a), np.angle(y / r), 1)[0] * w,
            "incorrect",
            "fitted a line to angles",
        ),
        (
            "exponent and low",
            lambda y, r, a, w, lo, hi: refined(y / r, a, w, lo, hi) / w + lo,
            "incorrect",
            "plus `low`",
        ),
        (
            "an array",
            lambda y, r, a, w, lo, hi: np.array([one_grid(y, r, a, w, lo, hi)]),
            "incorrect",
            "one entry",
        ),
    ],
}
RIGHT = {
    "read_number": [
        ("one fine grid", one_grid),
        ("parabolas, float32", parabola),
        ("Newton", newton),
    ],
}
