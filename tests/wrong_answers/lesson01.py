"""Wrong and unusual right answers of lesson 01."""

import math

import numpy as np

from vsacourse import theory

inverse = theory.gaussian_tail_inverse


def signs(n, dim, rng):
    return rng.choice([-1, 1], size=(n, dim))


def repeated(n, dim, rng):
    return np.repeat(signs(1, dim, rng), n, axis=0)


def a_sign_a_row(n, dim, rng):
    return np.repeat([[1], [-1]] * (n // 2), dim, axis=1)


def blocks_of_ten(n, dim, rng):
    return np.repeat(signs(n, -(-dim // 10), rng), 10, axis=1)[:, :dim]


def coin_by_coin(n, dim, rng):
    out = np.empty((n, dim), dtype=np.int8)
    for i in range(n):
        for j in range(dim):
            out[i, j] = 1 if rng.random() < 0.5 else -1
    return out


def cosines(x):
    unit = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return unit @ unit.T


def pairs(values):
    return values[np.triu_indices(len(values), k=1)]


def without_ones(x):
    size = np.abs(cosines(x))
    return size[size < 1 - 1e-9].max()


def one_norm(x):
    return np.abs(pairs(x @ x.T)).max() / np.linalg.norm(x) ** 2


def pair_by_pair(x):
    best = 0.0
    for i in range(len(x)):
        for j in range(i):
            dot = sum(p * q for p, q in zip(x[i], x[j], strict=True))
            best = max(best, abs(dot) / math.hypot(*x[i]) / math.hypot(*x[j]))
    return best


def single_precision(x):
    size = np.abs(cosines(x.astype(np.float32))) - np.eye(len(x), dtype=np.float32)
    return size.max()


def correlations(x):
    return np.abs(pairs(np.corrcoef(x))).max()


def by_sorting(x):
    """The diagonal holds the n largest; the next one is the answer, ones of equal rows too."""
    return np.sort(np.abs(cosines(x)), axis=None)[-len(x) - 1]


def with_negatives(n, dim, rng):
    half = signs(n // 2, dim, rng)
    return np.concatenate([half, -half])


def level(n, m, dim, factor=1.0):
    return inverse(factor / (2 * n * m)) / dim**0.5


def union(n, m, dim, tails=2):
    return inverse(2 / tails / ((n + m) * (n + m - 1))) / dim**0.5


def within(n, dim):
    return inverse(1 / (n * (n - 1))) / dim**0.5


def by_bisection(n, m, dim):
    low, high = 0.0, 10.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if 2 * n * m * theory.gaussian_tail(middle) > 1:
            low = middle
        else:
            high = middle
    return low / dim**0.5


def by_error_function(n, m, dim):
    """Newton's method on math.erfc."""
    z = math.sqrt(2 * math.log(2 * n * m))
    for _ in range(50):
        tail = math.erfc(z / math.sqrt(2)) / 2
        z += (tail - 1 / (2 * n * m)) * math.sqrt(2 * math.pi) * math.exp(z * z / 2)
    return z / math.sqrt(dim)


def dimension(n, epsilon, failure, factor=1.0):
    return math.ceil((inverse(failure / (n * (n - 1)) * factor) / epsilon) ** 2)


def by_trying(n, epsilon, failure):
    d = 1
    while n * (n - 1) * theory.gaussian_tail(epsilon * math.sqrt(d)) > failure:
        d += 1
    return d


def by_independence(n, epsilon, failure):
    pairs = n * (n - 1) / 2
    return math.ceil((inverse((1 - (1 - failure) ** (1 / pairs)) / 2) / epsilon) ** 2)


def by_bound(n, epsilon, failure, pairs, sides=1):
    return math.ceil(2 * math.log(sides * pairs / failure) / epsilon**2)


def greedy(size, epsilon, which=all, kept=()):
    kept = list(kept)
    for i in range(len(kept), len(size)):
        if which(size[i, j] <= epsilon for j in kept):
            kept.append(i)
    return kept


def keep(x, epsilon):
    return np.array(greedy(np.abs(cosines(x)), epsilon))


def earlier_rows(x, epsilon):
    size = np.abs(cosines(x))
    return np.array([i for i in range(len(x)) if (size[i, :i] <= epsilon).all()])


def other_rows(x, epsilon):
    size = np.abs(cosines(x)) - np.eye(len(x))
    return np.flatnonzero((size <= epsilon).all(axis=1))


def last_row(x, epsilon):
    size, kept = np.abs(cosines(x)), [0]
    for i in range(1, len(x)):
        if size[i, kept[-1]] <= epsilon:
            kept.append(i)
    return np.array(kept)


def strictly(x, epsilon):
    return keep(x, np.nextafter(epsilon, 0))


def by_removing(x, epsilon):
    """Take the first that is left, remove all that are near to it, and so on."""
    left, kept, size = list(range(len(x))), [], np.abs(cosines(x))
    while left:
        first, *left = left
        kept.append(first)
        left = [j for j in left if size[first, j] <= epsilon]
    return np.array(kept, dtype=np.int16)


def as_mask(x, epsilon):
    mask = np.zeros(len(x), dtype=bool)
    mask[keep(x, epsilon)] = True
    return mask


def strike_out(x, epsilon):
    """Each kept row strikes out the later rows that come too near to it."""
    size, alive = np.abs(cosines(x)), np.ones(len(x), dtype=bool)
    for i in range(len(x)):
        if alive[i]:
            alive[i + 1 :] &= size[i, i + 1 :] <= epsilon
    return np.flatnonzero(alive)


WRONG = {
    "random_signs": [
        ("bits", lambda n, d, r: r.integers(0, 2, size=(n, d)), "incorrect", "These are bits"),
        ("with zeros", lambda n, d, r: r.integers(-1, 2, (n, d)), "incorrect", "Three values"),
        ("upper end", lambda n, d, r: r.integers(-1, 1, (n, d)), "incorrect", "left out"),
        (
            "shuffled rows",
            lambda n, d, r: r.permuted(np.repeat([[1, -1] * (d // 2)], n, 0), axis=1),
            "incorrect",
            "shuffled",
        ),
        (
            "shuffled columns",
            lambda n, d, r: r.permuted(np.repeat([[1], [-1]] * (n // 2), d, 1), axis=0),
            "incorrect",
            "shuffled",
        ),
        ("with negatives", with_negatives, "incorrect", "or the rows"),
        ("normal", lambda n, d, r: r.normal(size=(n, d)), "incorrect", "only their signs"),
        ("all plus", lambda n, d, r: np.sign(r.random((n, d))), "incorrect", "always +1"),
        ("biased", lambda n, d, r: np.sign(r.random((n, d)) - 0.4), "incorrect", "chance ½"),
        ("transposed", lambda n, d, r: signs(d, n, r), "incorrect", "wrong way round"),
        ("one symbol", lambda n, d, r: signs(1, d, r)[0], "incorrect", "n of them"),
        (
            "repeated",
            lambda n, d, r: np.repeat([[-1, 1] * (d // 2)], n, 0),
            "incorrect",
            "drawn and",
        ),
        (
            "a sign a row",
            lambda n, d, r: np.repeat([[1], [-1]] * (n // 2), d, 1),
            "incorrect",
            "each",
        ),
        ("copied components", blocks_of_ten, "incorrect", "not independent"),
        (
            "own generator",
            lambda n, d, r: signs(n, d, np.random.default_rng(0)),
            "incorrect",
            "passed in",
        ),
        ("global state", lambda n, d, r: np.sign(np.random.randn(n, d)), "incorrect", "global"),  # noqa: NPY002
    ],
    "largest_abs_cosine": [
        ("diagonal", lambda x: np.abs(cosines(x)).max(), "incorrect", "diagonal must be left out"),
        ("signed", lambda x: pairs(cosines(x)).max(), "incorrect", "*signed*"),
        ("smallest", lambda x: cosines(x).min(), "incorrect", "smallest cosine"),
        ("least size", lambda x: np.abs(pairs(cosines(x))).min(), "incorrect", "smallest |cos|"),
        ("mean", lambda x: np.abs(pairs(cosines(x))).mean(), "incorrect", "mean |cos|"),
        ("dot products", lambda x: np.abs(pairs(x @ x.T)).max(), "incorrect", "norms is missing"),
        ("by d", lambda x: np.abs(pairs(x @ x.T)).max() / x.shape[1], "incorrect", "divided by d"),
        ("one norm", one_norm, "incorrect", "needs `axis=-1`"),
        ("correlations", correlations, "incorrect", "subtracts the mean"),
        ("by value", without_ones, "incorrect", "by its place"),
        ("no axis", lambda x: np.abs(cosines(x) - np.eye(len(x))).max(0), "incorrect", "axis"),
    ],
    "predicted_largest": [
        ("signed", lambda n, m, d: level(n, m, d, 2), "incorrect", "two tails"),
        ("half the pairs", lambda n, m, d: inverse(1 / (n * m)) / d**0.5, "incorrect", "factor 2"),
        ("all of n + m", union, "incorrect", "all pairs of n + m"),
        ("all, signed", lambda n, m, d: union(n, m, d, 1), "incorrect", "And |cos| has two"),
        ("within the n", lambda n, m, d: within(n, d), "incorrect", "within the n"),
        ("within the m", lambda n, m, d: within(m, d), "incorrect", "within the m"),
        ("symbols", lambda n, m, d: inverse(0.5 / (n + m)) / d**0.5, "incorrect", "not the symb"),
        ("one tail too", lambda n, m, d: inverse(1 / (n + m)) / d**0.5, "incorrect", "both tails"),
        ("twice", lambda n, m, d: level(n, m, d, 0.5), "incorrect", "too many"),
        (
            "rule of thumb",
            lambda n, m, d: (2 * np.log(n * m) / d) ** 0.5,
            "incorrect",
            "√(2 ln P / d)",
        ),
        ("rule, 2P", lambda n, m, d: (2 * np.log(2 * n * m) / d) ** 0.5, "incorrect", "ln 2P"),
        ("by d", lambda n, m, d: level(n, m, d) / d**0.5, "incorrect", "You divided by d"),
        ("2/(nm)", lambda n, m, d: inverse(2 / (n * m)) / d**0.5, "incorrect", "wrong side"),
        (
            "tail",
            lambda n, m, d: theory.gaussian_tail(1 / (2 * n * m)) / d**0.5,
            "incorrect",
            "into a level",
        ),
        (
            "tail, one side",
            lambda n, m, d: theory.gaussian_tail(1 / (n * m)) / d**0.5,
            "incorrect",
            "*inverse* is asked for",
        ),
        ("level", lambda n, m, d: level(n, m, 1), "incorrect", "factor 1/√d"),
        ("one pair", lambda n, m, d: d**-0.5, "incorrect", "*one* cosine"),
    ],
    "dimension_for_symbols": [
        ("down", lambda n, e, f: dimension(n, e, f) - 1, "incorrect", "Round up"),
        ("independent pairs", by_independence, "incorrect", "if the pairs were independent"),
        ("half n squared", lambda n, e, f: dimension(n, e, f, (n - 1) / n), "incorrect", "n²/2"),
        ("n squared", lambda n, e, f: dimension(n, e, f, (n - 1) / n / 2), "incorrect", "n² "),
        ("bound, n²/2", lambda n, e, f: by_bound(n, e, f, n**2 / 2), "incorrect", "n²/2 pairs"),
        (
            "bound of one tail",
            lambda n, e, f: by_bound(n, e, f, n * (n - 1) / 2, 0.5),
            "incorrect",
            "bound on one tail",
        ),
        ("one more", lambda n, e, f: dimension(n, e, f) + 1, "incorrect", "One too many"),
        ("one tail", lambda n, e, f: dimension(n, e, f, 2), "incorrect", "one tail"),
        ("no failure", lambda n, e, f: dimension(n, e, 1), "incorrect", "`failure` is missing"),
        ("symbols", lambda n, e, f: dimension(n, e, f, (n - 1) / 2), "incorrect", "not the symb"),
        ("one pair", lambda n, e, f: math.ceil((inverse(f / 2) / e) ** 2), "incorrect", "single"),
        ("inverted", lambda n, e, f: math.ceil(4 * np.log(n) / e**2), "incorrect", "knows nothing"),
        (
            "bound",
            lambda n, e, f: math.ceil(2 * np.log(n * (n - 1) / 2 / f) / e**2),
            "incorrect",
            "e^(−dε²/2)",
        ),
        (
            "Hoeffding",
            lambda n, e, f: math.ceil(2 * np.log(n * (n - 1) / f) / e**2),
            "incorrect",
            "2e^(−dε²/2)",
        ),
        (
            "no square",
            lambda n, e, f: math.ceil(inverse(f / n / (n - 1)) / e),
            "incorrect",
            "the square is missing",
        ),
        (
            "not rounded",
            lambda n, e, f: (inverse(f / n / (n - 1)) / e) ** 2,
            "incorrect",
            "not rounded",
        ),
    ],
    "keep_apart": [
        ("dropped rows too", earlier_rows, "incorrect", "also with those that were dropped"),
        ("all other rows", other_rows, "incorrect", "all other rows"),
        ("the last row", last_row, "incorrect", "kept last"),
        ("signed", lambda x, e: np.array(greedy(cosines(x), e)), "incorrect", "signed cosines"),
        ("dots", lambda x, e: np.array(greedy(np.abs(x @ x.T), e)), "incorrect", "dot products"),
        (
            "turned round",
            lambda x, e: np.setdiff1d(np.arange(len(x)), keep(x, e)),
            "incorrect",
            "*too close*",
        ),
        (
            "any",
            lambda x, e: np.array(greedy(np.abs(cosines(x)), e, any, [0])),
            "incorrect",
            "far from *all*",
        ),
        (
            "any, from nothing",
            lambda x, e: np.array(greedy(np.abs(cosines(x)), e, any)),
            "incorrect",
            "`any` false",
        ),
        ("strictly below", strictly, "incorrect", "exactly ε is allowed"),
        ("backwards", lambda x, e: keep(x, e)[::-1], "incorrect", "another order"),
        ("mask", as_mask, "incorrect", "np.flatnonzero"),
        ("vectors", lambda x, e: x[keep(x, e)], "incorrect", "not the rows"),
        ("empty", lambda x, e: np.array([], dtype=int), "incorrect", "the first one always is"),
    ],
}
RIGHT = {
    "random_signs": [
        ("coin by coin, int8", coin_by_coin),
        ("bits made signs", lambda n, d, r: 2 * r.integers(0, 2, size=(n, d)) - 1),
        ("powers of −1", lambda n, d, r: (-1.0) ** r.integers(0, 1000, size=(n, d))),
        ("columns first", lambda n, d, r: signs(d, n, r).T),
        ("row by row", lambda n, d, r: np.array([signs(1, d, r)[0] for _ in range(n)])),
        ("signs of normals", lambda n, d, r: np.sign(r.standard_normal((n, d), np.float32))),
    ],
    "largest_abs_cosine": [
        ("pair by pair", pair_by_pair),
        ("single precision", single_precision),
        ("by sorting", by_sorting),
        ("upper triangle", lambda x: np.abs(pairs(cosines(x))).max()),
    ],
    "predicted_largest": [
        ("by bisection", by_bisection),
        ("by the error function", by_error_function),
        ("the library", lambda n, m, d: theory.largest_cosine(2 * n * m, d)),
        ("single precision", lambda n, m, d: np.float32(level(n, m, d))),
    ],
    "dimension_for_symbols": [
        ("by trying", by_trying),
        ("a float", lambda n, e, f: np.ceil((inverse(f / n / (n - 1)) / e) ** 2)),
    ],
    "keep_apart": [
        ("striking out", strike_out),
        ("removing, int16", by_removing),
        ("a list", lambda x, e: greedy(np.abs(cosines(x)), e)),
        ("single precision", lambda x, e: keep(x.astype(np.float32), e)),
    ],
}
