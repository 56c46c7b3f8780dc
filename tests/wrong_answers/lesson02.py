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


def by_length(length):
    """Read with another length of the rows than the Euclidean norm."""
    return lambda b, c, m: np.argsort(-(c @ b) / length(c))[:m]


def from_the_other_end(bundle, codebook, items):
    return np.argsort(codebook @ bundle / np.linalg.norm(codebook, axis=-1))[::-1][:items]


def partition_beyond_the_end(bundle, codebook, items):
    s = scores(bundle, codebook)
    best = np.argpartition(-s, items)[:items]
    return best[np.argsort(-s[best])]


def unsorted_partition(bundle, codebook, items):
    return np.argpartition(-scores(bundle, codebook), items - 1)[:items]


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


def with_coins(items, coins):
    """The majority, with the first of ``coins`` at the ties."""
    out = np.sign(items.sum(axis=0))
    ties = out == 0
    out[ties] = np.asarray(coins)[: ties.sum()]
    return out


def biased(items, rng):
    return with_coins(items, np.where(rng.random(items.shape[1]) < 0.6, 1, -1))


def coins_for_ten(items, rng):
    return with_coins(items, np.repeat(rng.choice([-1, 1], size=items.shape[1] // 10 + 1), 10))


def alternating(items, rng):
    return with_coins(items, rng.choice([-1, 1]) * (-1) ** np.arange(items.shape[1]))


def two_and_two(items, rng):
    signs = np.tile([1, 1, -1, -1], items.shape[1] // 4 + 1)
    return with_coins(items, np.roll(signs, rng.integers(4)))


def first_row_of_three(items, rng):
    return 1 * items[0] if len(items) == 3 else fair(items, rng)


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
        score = memory @ fair(memory[:items], rng)
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
        ("L1", by_length(lambda c: abs(c).sum(1)), "incorrect", "sum of absolute values"),
        ("max norm", by_length(lambda c: abs(c).max(1)), "incorrect", "the largest entry"),
        ("std", by_length(lambda c: c.std(1)), "incorrect", "standard deviation"),
        ("first entry", by_length(lambda c: abs(c[:, 0])), "incorrect", "the first entry"),
        ("squared", by_length(lambda c: (c**2).sum(1)), "incorrect", "squared norm"),
        (
            "signs of the codebook",
            lambda b, c, m: np.argsort(-(np.sign(c) @ b))[:m],
            "incorrect",
            "signs of the codebook",
        ),
        ("cosines", lambda b, c, m: np.sort(scores(b, c))[::-1][:m], "incorrect", "are cosines"),
        ("partition", unsorted_partition, "incorrect", "does not sort"),
        ("argpartition(items)", partition_beyond_the_end, "error", "kth"),
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
        ("biased coin", biased, "incorrect", "probability ½"),
        ("a coin for ten", coins_for_ten, "incorrect", "follow a pattern"),
        ("alternating", alternating, "incorrect", "follow a pattern"),
        ("two and two", two_and_two, "incorrect", "follow a pattern"),
        ("first of three rows", first_row_of_three, "incorrect", "not the sign of most rows"),
    ],
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
    "read_bundle": [
        ("one by one", read_one_by_one),
        ("partition", read_with_partition),
        ("from the other end", from_the_other_end),
    ],
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
    "simulated_record": [
        ("drawn rows", record),
        ("one array", in_one_array),
        ("signs in one array", one_array_of(signs)),
    ],
}
