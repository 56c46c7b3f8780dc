"""Wrong and unusual right answers of lesson 02."""

import math
from statistics import NormalDist

import numpy as np

from vsacourse import theory

# Exercise 1


def read(bundle, codebook, items):
    score = codebook @ bundle / np.linalg.norm(codebook, axis=-1)
    return np.argsort(-score)[:items]


def scores(bundle, codebook):
    return codebook @ bundle / np.linalg.norm(codebook, axis=-1)


def read_one_by_one(bundle, codebook, items):
    left = {i: float(row @ bundle) / math.sqrt(float(row @ row)) for i, row in enumerate(codebook)}
    out = []
    for _ in range(items):
        best = max(left, key=left.get)
        out.append(best)
        del left[best]
    return np.array(out)


def read_with_partition(bundle, codebook, items):
    s = scores(bundle.astype(np.float32), codebook.astype(np.float32))
    best = np.argpartition(s, -items)[-items:]
    return best[np.argsort(s[best])[::-1]].astype(np.int32)


# Exercise 2


def fair(items, rng):
    total = items.sum(axis=0)
    return np.where(total == 0, rng.choice([-1, 1], size=total.shape), np.sign(total))


def fair_in_place_of_ties(items, rng):
    out = np.sign(items.sum(axis=0)).astype(np.float32)
    ties = out == 0
    out[ties] = 2.0 * rng.integers(0, 2, ties.sum()) - 1
    return out


def fair_by_noise(items, rng):
    return np.sign(items.sum(axis=0) + rng.uniform(-0.5, 0.5, size=items.shape[1]))


def fair_by_extra_voter(items, rng):
    extra = rng.choice([-1, 1], size=(1, items.shape[1]))
    rows = items if len(items) % 2 else np.vstack([items, extra])
    return np.array([1 if sum(column) > 0 else -1 for column in rows.T.tolist()])


def folded(items, rng):
    out = items[0]
    for row in items[1:]:
        out = fair(np.stack([out, row]), rng)
    return out


def one_coin(items, rng):
    total = items.sum(axis=0)
    return np.where(total == 0, rng.choice([-1, 1]), np.sign(total))


def last_row_decides(items, rng):
    total = items.sum(axis=0)
    return np.where(total == 0, items[-1], np.sign(total))


def own_coins(items, rng):
    return fair(items, np.random.default_rng(0))


# Exercise 3


def integral(dim, items, codebook, c, *, power=-1, shift=1.0, root=True):
    s = c * dim / items
    s = math.sqrt(s) if root else s
    h, step = np.linspace(-8, 8, 1601, retstep=True)
    phi = np.exp(-(h**2) / 2) / math.sqrt(2 * math.pi)
    below = 1 - theory.gaussian_tail(h + shift * s)
    return float((phi * below ** (codebook + power)).sum() * step)


def no_noise(dim, items, codebook, c):
    return (1 - theory.gaussian_tail(math.sqrt(c * dim / items))) ** (codebook - 1)


def no_step(dim, items, codebook, c):
    return integral(dim, items, codebook, c) * 100


def no_density(dim, items, codebook, c):
    h, step = np.linspace(-8, 8, 1601, retstep=True)
    below = 1 - theory.gaussian_tail(h + math.sqrt(c * dim / items))
    return float((below ** (codebook - 1)).sum() * step)


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


def in_one_array(dim, items, codebook, runs, rng):
    memory = np.where(rng.random((runs, codebook, dim)) < 0.5, -1, 1).astype(np.float32)
    score = np.einsum("rkd,rd->rk", memory, memory[:, :items].sum(axis=1))
    top = np.argsort(-score, axis=1, kind="stable")[:, :items]
    return np.float32(np.mean([set(t) == set(range(items)) for t in top.tolist()]))


def beats_all_others(dim, items, codebook, runs, rng):
    won = 0
    for _ in range(runs):
        memory = rng.choice([-1, 1], size=(codebook, dim))
        score = memory @ memory[:items].sum(axis=0)
        won += all(score[i] > np.delete(score, i).max() for i in range(items))
    return won / runs


WRONG = {
    "read_bundle": [
        ("dot products", lambda b, c, m: np.argsort(-(c @ b))[:m], "incorrect", "dot product"),
        ("upwards", lambda b, c, m: np.argsort(scores(b, c))[:m], "incorrect", "least similar row"),
        ("worst first", lambda b, c, m: read(b, c, m)[::-1], "incorrect", "order round"),
        ("by place", lambda b, c, m: np.sort(read(b, c, m)), "incorrect", "sorted by their place"),
        (
            "absolute",
            lambda b, c, m: np.argsort(-abs(scores(b, c)))[:m],
            "incorrect",
            "absolute value",
        ),
        ("all", lambda b, c, m: read(b, c, len(c)), "incorrect", "keep the first `items`"),
        ("vectors", lambda b, c, m: c[read(b, c, m)], "incorrect", "places of the rows"),
        ("a list", lambda b, c, m: read(b, c, m).tolist(), "incorrect", "a list of length"),
    ],
    "majority": [
        ("zeros", lambda x, rng: np.sign(x.sum(axis=0)), "incorrect", "`np.sign(0)` is 0"),
        ("plus", lambda x, rng: np.where(x.sum(0) >= 0, 1, -1), "incorrect", "same side"),
        ("minus", lambda x, rng: np.where(x.sum(0) > 0, 1, -1), "incorrect", "same side"),
        ("one coin", one_coin, "incorrect", "one coin was thrown for all"),
        ("folded", folded, "incorrect", "signs after every row"),
        ("sum", lambda x, rng: x.sum(axis=0), "incorrect", "This is the sum"),
        ("mean", lambda x, rng: x.mean(axis=0), "incorrect", "This is the mean"),
        ("other axis", lambda x, rng: np.sign(x.sum(axis=1)), "incorrect", "over `axis=0`"),
        ("last row decides", last_row_decides, "incorrect", "decided by one of the rows"),
        ("own coins", own_coins, "incorrect", "don't come from the `rng`"),
    ],
    "recall_integral": [
        ("D rivals", lambda *a: integral(*a, power=0), "incorrect", "D − 1 rivals, not D"),
        ("no noise", no_noise, "incorrect", "stands still"),
        ("s squared", lambda *a: integral(*a, root=False), "incorrect", "square root"),
        ("no signal", lambda *a: integral(*a, shift=0), "incorrect", "without the signal"),
        ("sign", lambda *a: integral(*a, shift=-1), "incorrect", "sign of s is turned"),
        ("no c", lambda n, m, k, c: integral(n, m, k, 1), "incorrect", "c is missing"),
        ("c outside", lambda n, m, k, c: integral(n, m, k, c * c), "incorrect", "outside of the"),
        ("one rival", lambda n, m, k, c: integral(n, m, 2, c), "incorrect", "the power D − 1"),
        ("swapped", lambda n, m, k, c: integral(m, n, k, c), "incorrect", "changed places"),
        ("no step", no_step, "incorrect", "multiplied by the step"),
        ("no density", no_density, "incorrect", "density φ(h) has to be in it"),
        ("no root of 2 pi", lambda *a: integral(*a) * 2.5066, "incorrect", "factor 1/√(2π)"),
        ("lost", lambda *a: 1 - integral(*a), "incorrect", "1 − p"),
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
    ],
}
RIGHT = {
    "read_bundle": [("one by one", read_one_by_one), ("partition", read_with_partition)],
    "majority": [
        ("numpy", fair),
        ("only the ties", fair_in_place_of_ties),
        ("small noise", fair_by_noise),
        ("an extra voter", fair_by_extra_voter),
    ],
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
    "simulated_record": [("drawn rows", record), ("one array", in_one_array)],
}
