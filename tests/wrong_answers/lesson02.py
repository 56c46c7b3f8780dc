"""Wrong and unusual right answers of lesson 02: the exercises on bundles (1 and 2)."""

import math

import numpy as np

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
}
