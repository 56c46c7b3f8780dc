"""Wrong and unusual right answers of lesson 10: the design rule."""

import math

import numpy as np

from vsacourse import theory


def z_of(keys, error):
    return theory.gaussian_tail_inverse(error / keys)


def designed(m, keys, error):
    return 4 * m * m - 1, 4 * m * m, math.ceil((8 * m * m - 1) * z_of(keys, error) ** 2)


def design_by_list(m, keys, error):
    from scipy.stats import norm

    query = [("plain", i) for i in range(m)] + [("bound", i) for i in range(m)]
    products = [(q, k) for q in query for k in query]
    noise = len(products) - 1
    d = 1
    while keys * norm.sf(np.sqrt(d / (2 * noise + 1))) > error:
        d += 1
    return float(noise), np.float64(len(products)), d


WRONG = {
    "design": [
        ("2m²", lambda m, n, e: (2 * m * m - 1, 2 * m * m, 1), "incorrect", "each of the 2m"),
        (
            "match counted",
            lambda m, n, e: (4 * m * m, 4 * m * m, 1),
            "incorrect",
            "it is no noise",
        ),
        (
            "m times m",
            lambda m, n, e: (m * m - 1, m * m, 1),
            "incorrect",
            "2m times 2m",
        ),
        ("vectors", lambda m, n, e: (2 * m - 1, 2 * m, 1), "incorrect", "not vectors"),
        ("4m", lambda m, n, e: (4 * m - 1, 4 * m, 1), "incorrect", "meets *every* one"),
        (
            "m + 1 vectors",
            lambda m, n, e: ((m + 1) ** 2 - 1, (m + 1) ** 2, 1),
            "incorrect",
            "plain and under the role",
        ),
        (
            "rivals only",
            lambda m, n, e: (
                *designed(m, n, e)[:2],
                math.ceil((8 * m * m - 1) * z_of(n - 1, e) ** 2),
            ),
            "incorrect",
            "the right one too",
        ),
        (
            "always 1 %",
            lambda m, n, e: (*designed(m, n, e)[:2], designed(m, n, 0.01)[2]),
            "incorrect",
            "not always 0.01",
        ),
        (
            "one less elsewhere",
            lambda m, n, e: (4 * m * m - 1, 4 * m * m - 1, 1),
            "incorrect",
            "nothing matches",
        ),
        (
            "down",
            lambda m, n, e: (*designed(m, n, e)[:2], math.floor((8 * m * m - 1) * z_of(n, e) ** 2)),
            "incorrect",
            "round up",
        ),
        (
            "nearest",
            lambda m, n, e: (*designed(m, n, e)[:2], round((8 * m * m - 1) * z_of(n, e) ** 2)),
            "incorrect",
            "round up",
        ),
        (
            "not rounded",
            lambda m, n, e: (*designed(m, n, e)[:2], (8 * m * m - 1) * z_of(n, e) ** 2),
            "incorrect",
            "Not rounded",
        ),
        (
            "b only",
            lambda m, n, e: (*designed(m, n, e)[:2], math.ceil(4 * m * m * z_of(n, e) ** 2)),
            "incorrect",
            "n_1 and n_2 are added",
        ),
        (
            "z not squared",
            lambda m, n, e: (*designed(m, n, e)[:2], math.ceil((8 * m * m - 1) * z_of(n, e))),
            "incorrect",
            "z is squared",
        ),
        (
            "one key",
            lambda m, n, e: (*designed(m, n, e)[:2], designed(m, 1, e)[2]),
            "incorrect",
            "error / keys",
        ),
        (
            "integral",
            lambda m, n, e: (
                *designed(m, n, e)[:2],
                theory.induction_dimension(n, superposed=m == 2, error=e),
            ),
            "incorrect",
            "rule of thumb is asked for",
        ),
        ("only d", lambda m, n, e: designed(m, n, e)[2], "incorrect", "needs a tuple of 3"),
    ],
}

RIGHT = {
    "design": [("products listed, d searched", design_by_list)],
}
