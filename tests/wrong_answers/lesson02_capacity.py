"""Wrong and unusual right answers of lesson 02: the exercises on capacity (3 to 5)."""

import math
from statistics import NormalDist

import numpy as np

from vsacourse import MAP, theory

# Exercise 1


def integral(dim, items, codebook, c, *, power=-1, shift=1.0, root=True):
    s = c * dim / items
    s = math.sqrt(s) if root else s
    h, step = np.linspace(-8, 8, 1601, retstep=True)
    phi = np.exp(-(h**2) / 2) / math.sqrt(2 * math.pi)
    below = 1 - theory.gaussian_tail(h + shift * s)
    return float((phi * below ** (codebook + power)).sum() * step)


def shifted_twice(dim, items, codebook, c):
    s = math.sqrt(c * dim / items)
    h, step = np.linspace(-8, 12, 2001, retstep=True)
    phi = np.exp(-((h - s) ** 2) / 2) / math.sqrt(2 * math.pi)
    return float((phi * (1 - theory.gaussian_tail(h + s)) ** (codebook - 1)).sum() * step)


def from_zero(dim, items, codebook, c):
    h, step = np.linspace(0, 8, 801, retstep=True)
    phi = np.exp(-(h**2) / 2) / math.sqrt(2 * math.pi)
    below = 1 - theory.gaussian_tail(h + math.sqrt(c * dim / items))
    return float((phi * below ** (codebook - 1)).sum() * step)


def no_noise(dim, items, codebook, c):
    return (1 - theory.gaussian_tail(math.sqrt(c * dim / items))) ** (codebook - 1)


def no_step(dim, items, codebook, c):
    return integral(dim, items, codebook, c) * 100


def no_density(dim, items, codebook, c):
    h, step = np.linspace(-8, 8, 1601, retstep=True)
    below = 1 - theory.gaussian_tail(h + math.sqrt(c * dim / items))
    return float((below ** (codebook - 1)).sum() * step)


def h_for_its_square(dim, items, codebook, c):
    h, step = np.linspace(-6, 6, 1201, retstep=True)
    below = 1 - theory.gaussian_tail(h + math.sqrt(c * dim / items))
    return float((np.exp(-h / 2) * below ** (codebook - 1)).sum() * step / math.sqrt(2 * math.pi))


def over_the_largest_rival(dim, items, codebook, c):
    """Integrate over the largest rival's score: its distribution is Φ^(D−1)."""
    x = np.linspace(-9, 9, 3001)
    cdf = (1 - theory.gaussian_tail(x)) ** (codebook - 1)
    stored_above = theory.gaussian_tail((x[1:] + x[:-1]) / 2 - math.sqrt(c * dim / items))
    return np.float32((np.diff(cdf) * stored_above).sum())


def with_hermite(dim, items, codebook, c):
    t, w = np.polynomial.hermite_e.hermegauss(90)
    below = [NormalDist().cdf(x + math.sqrt(c * dim / items)) ** (codebook - 1) for x in t]
    return sum(w * below) / math.sqrt(2 * math.pi)


# Exercise 4


def first_by_array(items, codebook, chance):
    dims = np.arange(1, 1500)
    p = theory.recall_probability(dims, items, codebook)
    return dims[p**items >= chance][0]


def place_in_the_array(items, codebook, chance):
    p = theory.recall_probability(np.arange(1, 1500), items, codebook)
    return int(np.argmax(p**items >= chance))


def one_by_one(items, codebook, chance):
    dim = 1
    while theory.recall_probability(dim, items, codebook) ** items < chance:
        dim += 1
    return dim


# Exercise 5


def record(dim, items, codebook, runs, rng, *, test=None, replace=False):
    won = 0
    for _ in range(runs):
        memory = rng.choice([-1, 1], size=(codebook, dim))
        stored = rng.choice(codebook, items, replace=replace)
        score = memory @ memory[stored].sum(axis=0)
        absent = np.delete(score, stored)
        won += (test or (lambda s, a: s.min() > a.max()))(score[stored], absent)
    return won / runs


def repeats_by_integers(dim, items, codebook, runs, rng):
    won = 0
    for _ in range(runs):
        memory = rng.choice([-1, 1], size=(codebook, dim))
        stored = rng.integers(codebook, size=items)
        score = memory @ memory[stored].sum(axis=0)
        won += score[stored].min() > np.delete(score, stored).max()
    return won / runs


def in_one_array(dim, items, codebook, runs, rng):
    memory = np.where(rng.random((runs, codebook, dim)) < 0.5, -1, 1).astype(np.float32)
    score = np.einsum("rkd,rd->rk", memory, memory[:, :items].sum(axis=1))
    score = score[:, ::-1]  # the stored come last, so ties fall to the absent
    top = np.argsort(-score, axis=1, kind="stable")[:, :items]
    return np.float32((top >= codebook - items).all(axis=1).mean())


def by_sorting(dim, items, codebook, runs, rng):
    won = 0
    for _ in range(runs):
        memory = rng.choice([-1, 1], size=(codebook, dim))
        score = memory @ memory[:items].sum(axis=0)
        won += set(np.argsort(-score, kind="stable")[:items].tolist()) == set(range(items))
    return won / runs


def beats_all_others(dim, items, codebook, runs, rng):
    won = 0
    for _ in range(runs):
        memory = rng.choice([-1, 1], size=(codebook, dim))
        score = memory @ memory[:items].sum(axis=0)
        won += all(score[i] > np.delete(score, i).max() for i in range(items))
    return won / runs


def one_codebook(dim, items, codebook, runs, rng, *, fresh=True):
    """Every run with the same codebook, and with fresh or the same rows."""
    memory = rng.choice([-1, 1], size=(codebook, dim))
    won = 0
    for _ in range(runs):
        stored = rng.permutation(codebook)[:items] if fresh else np.arange(items)
        score = memory @ memory[stored].sum(axis=0)
        won += score[stored].min() > np.delete(score, stored).max()
    return won / runs


def signs_of_the_sum(dim, items, codebook, runs, rng):
    won = 0
    for _ in range(runs):
        memory = rng.choice([-1, 1], size=(codebook, dim))
        score = memory @ MAP(dim).normalize(memory[:items].sum(axis=0), rng)
        won += score[:items].min() > score[items:].max()
    return won / runs


def one_array_of(draw, won=np.greater):
    """All runs in one array, with vectors from ``draw(rng, shape)``."""

    def simulated(dim, items, codebook, runs, rng):
        memory = draw(rng, (runs, codebook, dim))
        score = np.einsum("rkd,rd->rk", memory, memory[:, :items].sum(axis=1))
        return won(score[:, :items].min(axis=1), score[:, items:].max(axis=1)).mean()

    return simulated


def signs(rng, shape):
    return rng.choice([-1.0, 1.0], size=shape)


def normals(rng, shape):
    return rng.standard_normal(shape)


def unit_normals(rng, shape):
    x = rng.standard_normal(shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


WRONG = {
    "recall_integral": [
        ("D rivals", lambda *a: integral(*a, power=0), "incorrect", "D − 1 rivals, not D"),
        ("no noise", no_noise, "incorrect", "stands still"),
        ("s squared", lambda *a: integral(*a, root=False), "incorrect", "square root"),
        ("no signal", lambda *a: integral(*a, shift=0), "incorrect", "without the signal"),
        ("sign", lambda *a: integral(*a, shift=-1), "incorrect", "sign of s is turned"),
        ("shifted twice", shifted_twice, "incorrect", "in it twice"),
        ("from zero", from_zero, "incorrect", "begins at 0"),
        ("no c", lambda n, m, k, c: integral(n, m, k, 1), "incorrect", "c is missing"),
        ("c outside", lambda n, m, k, c: integral(n, m, k, c * c), "incorrect", "outside of the"),
        ("one rival", lambda n, m, k, c: integral(n, m, 2, c), "incorrect", "the power D − 1"),
        ("swapped", lambda n, m, k, c: integral(m, n, k, c), "incorrect", "changed places"),
        ("no step", no_step, "incorrect", "multiplied by the step"),
        ("no density", no_density, "incorrect", "density φ(h) has to be in it"),
        ("no root of 2 pi", lambda *a: integral(*a) * 2.5066, "incorrect", "factor 1/√(2π)"),
        ("lost", lambda *a: 1 - integral(*a), "incorrect", "1 − p"),
        (
            "D - M rivals",
            lambda n, m, k, c: integral(n, m, k, c, power=-m),
            "incorrect",
            "not D − M",
        ),
        ("mean", lambda *a: integral(*a) / 16.01, "incorrect", "grid of length 16"),
        ("h for h squared", h_for_its_square, "incorrect", "place of h²"),
    ],
    "dimension_for_record": [
        (
            "per item",
            lambda m, k, q: theory.dimension_for(m, k, error=1 - q),
            "incorrect",
            "one item",
        ),
        ("place", place_in_the_array, "incorrect", "One too few"),
        ("one more", lambda *a: one_by_one(*a) + 1, "incorrect", "One too many"),
        (
            "error over M",
            lambda m, k, q: theory.dimension_for(m, k, error=(1 - q) / m),
            "incorrect",
            "divided the error by M",
        ),
        (
            "chance to the M",
            lambda m, k, q: theory.dimension_for(m, k, error=1 - q**m),
            "incorrect",
            "instead of p",
        ),
        (
            "at least one",
            lambda m, k, q: theory.dimension_for(m, k, error=(1 - q) ** (1 / m)),
            "incorrect",
            "at least one",
        ),
        ("all of them", lambda *a: np.arange(one_by_one(*a), 1500), "incorrect", "one number"),
    ],
    "simulated_record": [
        (
            "per item",
            lambda *a: record(*a, test=lambda s, x: (s > x.max()).mean()),
            "incorrect",
            "single *items*",
        ),
        ("beats all others", beats_all_others, "incorrect", "compared with one another"),
        ("repeats", lambda *a: record(*a, replace=True), "incorrect", "drawn twice"),
        ("repeats by integers", repeats_by_integers, "incorrect", "drawn twice"),
        (
            "the formula",
            lambda n, m, k, r, rng: float(theory.recall_probability(n, m, k) ** m),
            "incorrect",
            "from a formula",
        ),
        ("the same run", lambda *a: one_codebook(*a, fresh=False), "incorrect", "the same run"),
        ("one codebook", one_codebook, "incorrect", "share one codebook"),
        ("signs of the sum", signs_of_the_sum, "incorrect", "*signs* of the sum"),
        ("a count", lambda *a: record(*a) * a[3], "incorrect", "divide by `runs`"),
        ("lost runs", lambda *a: 1 - record(*a), "incorrect", "that are lost"),
        (
            "best item",
            lambda *a: record(*a, test=lambda s, x: s.max() > x.max()),
            "incorrect",
            "best stored item",
        ),
        (
            "own seed",
            lambda n, m, k, r, rng: record(n, m, k, r, np.random.default_rng(0)),
            "incorrect",
            "don't come from the `rng`",
        ),
        ("ties won", one_array_of(signs, np.greater_equal), "incorrect", "A tie is not won"),
        ("by sorting", by_sorting, "incorrect", "A tie is not won"),
        ("normal numbers", one_array_of(normals), "incorrect", "codebook signs"),
        ("unit normals", one_array_of(unit_normals), "incorrect", "codebook signs"),
        (
            "a thousand runs",
            lambda n, m, k, r, rng: record(n, m, k, 1000, rng),
            "incorrect",
            "not a count out of",
        ),
    ],
}
RIGHT = {
    "recall_integral": [
        ("largest rival", over_the_largest_rival),
        ("Gauss-Hermite", with_hermite),
    ],
    "dimension_for_record": [
        ("array", first_by_array),
        ("one by one", one_by_one),
        ("library", lambda m, k, q: theory.dimension_for(m, k, error=1 - q ** (1 / m))),
        ("a whole float", lambda *a: float(one_by_one(*a))),
    ],
    "simulated_record": [
        ("drawn rows", record),
        ("one array", in_one_array),
        ("signs in one array", one_array_of(signs)),
    ],
}
