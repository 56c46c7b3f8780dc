"""Wrong and unusual right answers of lesson 07: exercises 2 and 3, temperature and load."""

import math

import numpy as np

norm = np.linalg.norm

# Exercise 2


def coldest(n, d, w):
    return d - math.sqrt(d * d - 2 * d * math.log((n - 1) * w / (1 - w)))


def by_halving(n, d, w):
    low, high = 0.0, float(d)
    for _ in range(60):
        beta = (low + high) / 2
        good = 1 / (1 + (n - 1) * math.exp(-beta + beta**2 / (2 * d))) >= w
        low, high = (low, beta) if good else (beta, high)
    return high


def by_grid(n, d, w):
    beta = np.arange(0.001, d, 0.001)
    return beta[(1 / (1 + (n - 1) * np.exp(-beta + beta**2 / (2 * d))) >= w).argmax()]


def coarse(n, d, w):
    beta = np.arange(0.02, d, 0.02)
    return beta[(1 / (1 + (n - 1) * np.exp(-beta + beta**2 / (2 * d))) >= w).argmax()] + 0.01


def by_roots(n, d, w):
    return min(np.roots([1, -2 * d, 2 * d * math.log((n - 1) * w / (1 - w))]).real)


def with_level(level):
    return lambda n, d, w: d - math.sqrt(max(d * d - 2 * d * level(n, w), 0))


# Exercise 3


def load(d, b):
    return math.floor(1 + math.exp(b - b * b / 2 / d))


def budget(x, d, b):
    return min(x // (2 * d), load(d, b)), (3 * d + 1) * (x >= d * d)


def counted(x, d, b):
    """Add pairs as long as all is well."""
    n = 0
    while 2 * d * (n + 1) <= x and n * math.exp(-b + b * b / (2 * d)) <= 1:
        n += 1
    m = 0
    while x >= d * d and 1 / math.sqrt(1 + m / d) >= 0.5:
        m += 1
    return n, m


WRONG = {
    "smallest_beta": [
        (
            "no square",
            lambda n, d, w: math.log((n - 1) * w / (1 - w)),
            "incorrect",
            "β²/2d is missing",
        ),
        ("other root", lambda n, d, w: 2 * d - coldest(n, d, w), "incorrect", "the other root"),
        (
            "N others",
            with_level(lambda n, w: math.log(n * w / (1 - w))),
            "incorrect",
            "N − 1 others",
        ),
        (
            "half of the weight",
            with_level(lambda n, w: math.log(n - 1)),
            "incorrect",
            "w/(1 − w) is missing",
        ),
        (
            "odds",
            with_level(lambda n, w: math.log((n - 1) * (1 - w) / w)),
            "incorrect",
            "wrong way round",
        ),
        (
            "1/w",
            with_level(lambda n, w: math.log((n - 1) * w)),
            "incorrect",
            "where 1/w − 1 is needed",
        ),
        ("coarse steps", coarse, "incorrect", "search in finer steps"),
        ("root of d", lambda n, d, w: math.sqrt(d), "incorrect", "That is √d"),
        (
            "twice the square",
            lambda n, d, w: coldest(n, d / 2, w),
            "incorrect",
            "not β²/d",
        ),
        (
            "base 10",
            with_level(lambda n, w: math.log10((n - 1) * w / (1 - w))),
            "incorrect",
            "base 10",
        ),
        (
            "base 2",
            with_level(lambda n, w: math.log2((n - 1) * w / (1 - w))),
            "incorrect",
            "base 2",
        ),
    ],
    "pairs_for_budget": [
        (
            "keys only",
            lambda x, d, b: (min(x // d, load(d, b)), budget(x, d, b)[1]),
            "incorrect",
            "a key *and* a value",
        ),
        (
            "load only",
            lambda x, d, b: (load(d, b), budget(x, d, b)[1]),
            "incorrect",
            "storage is full",
        ),
        (
            "storage only",
            lambda x, d, b: (x // (2 * d), budget(x, d, b)[1]),
            "incorrect",
            "no longer has half",
        ),
        (
            "not whole",
            lambda x, d, b: (min(x / (2 * d), load(d, b)), budget(x, d, b)[1]),
            "incorrect",
            "whole pairs",
        ),
        (
            "rounded up",
            lambda x, d, b: (min(x // (2 * d), load(d, b) + 1), budget(x, d, b)[1]),
            "incorrect",
            "one pair more",
        ),
        (
            "at least one",
            lambda x, d, b: (max(budget(x, d, b)[0], 1), budget(x, d, b)[1]),
            "incorrect",
            "Not even one pair fits",
        ),
        (
            "without itself",
            lambda x, d, b: (min(x // (2 * d), load(d, b) - 1), budget(x, d, b)[1]),
            "incorrect",
            "one of the N",
        ),
        (
            "root of d",
            lambda x, d, b: (min(x // (2 * d), load(d, d**0.5)), budget(x, d, b)[1]),
            "incorrect",
            "You took √d",
        ),
        (
            "no square",
            lambda x, d, b: (min(x // (2 * d), 1 + int(math.exp(b))), budget(x, d, b)[1]),
            "incorrect",
            "β²/2d is missing",
        ),
        (
            "matrix always",
            lambda x, d, b: (budget(x, d, b)[0], 3 * d + 1),
            "incorrect",
            "does not fit",
        ),
        (
            "3d",
            lambda x, d, b: (budget(x, d, b)[0], 3 * d * (x >= d * d)),
            "incorrect",
            "makes no crosstalk",
        ),
        (
            "many matrices",
            lambda x, d, b: (budget(x, d, b)[0], x // d**2 * (3 * d + 1)),
            "incorrect",
            "More storage does not help",
        ),
        (
            "not if it fits exactly",
            lambda x, d, b: (budget(x, d, b)[0], (3 * d + 1) * (x > d * d)),
            "incorrect",
            "fits exactly",
        ),
        ("exchanged", lambda x, d, b: budget(x, d, b)[::-1], "incorrect", "the list comes first"),
        ("one number", lambda x, d, b: budget(x, d, b)[0], "incorrect", "a tuple of 2"),
    ],
}

RIGHT = {
    "smallest_beta": [
        ("by halving", by_halving),
        ("by a grid", by_grid),
        ("by roots", by_roots),
        ("NumPy scalar", lambda n, d, w: np.float32(coldest(n, d, w))),
    ],
    "pairs_for_budget": [
        ("counted", counted),
        ("floats", lambda x, d, b: tuple(float(n) for n in budget(x, d, b))),
        ("a list", lambda x, d, b: list(budget(x, d, b))),
    ],
}
