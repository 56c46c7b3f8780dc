"""Wrong and unusual right answers of lesson 09: where a rotary head looks."""

import numpy as np


def phasors(x, pairing="halves"):
    half = len(x) // 2
    return x[:half] + 1j * x[half:] if pairing == "halves" else x[0::2] + 1j * x[1::2]


def by_offset(q, k, n, base, first=0, change=lambda z_q, z_k, code: z_q * z_k.conj() * code):
    """The scores of the offsets first to n - 1."""
    theta = base ** (-2 * np.arange(len(q) // 2) / len(q))
    code = np.exp(1j * np.arange(first, n)[:, None] * theta)
    return change(phasors(q), phasors(k), code).real.sum(-1)


def table(q, k, n, base, **options):
    """All scores, [query, key]."""
    row = by_offset(q, k, n, base, first=1 - n, **options)
    return row[np.subtract.outer(np.arange(n), np.arange(n)) + n - 1]


def preferred(q, k, n, base):
    return np.where(np.tri(n, dtype=bool), table(q, k, n, base), -np.inf).argmax(axis=1)


def running(q, k, n, base):
    """The best offset so far."""
    row = by_offset(q, k, n, base)
    out, best = [], 0
    for t in range(n):
        best = t if row[t] > row[best] else best
        out.append(t - best)
    return np.array(out, dtype=np.int32)


def globally(q, k, n, base):
    return np.arange(n) - by_offset(q, k, n, base).argmax()


def in_a_window(q, k, n, b):
    near = np.tri(n) - np.tri(n, k=-16) > 0
    return np.where(near, table(q, k, n, b), -np.inf).argmax(axis=1)


def masked(q, k, n, base, seen=None, **options):
    seen = np.tri(n, dtype=bool) if seen is None else seen
    return np.where(seen, table(q, k, n, base, **options), -np.inf)


def without_key_0(q, k, n, base):
    seen = np.tri(n, dtype=bool)
    seen[:, 0] = False
    return masked(q, k, n, base, seen).argmax(axis=1)


def up_to(q, k, n, base, past, more=0):
    row = by_offset(q, k, n + more, base)
    return np.array([t - row[: max(t + past, 1)].argmax() for t in range(n)])


def below_t(*args):
    return up_to(*args, 0)


def below_t_in_a_loop(q, k, n, base):
    row = by_offset(q, k, n, base)
    return np.array([t - np.argmax(row[:t]) for t in range(n)])


def keys_not_turned(q, k, n, base):
    scores = np.tile(by_offset(q, k, n, base)[:, None], n)
    return np.where(np.tri(n) > 0, scores, -np.inf).argmax(axis=1)


def queries_not_turned(q, k, n, base):
    scores = np.tile(by_offset(k, q, n, base), (n, 1))
    return np.where(np.tri(n) > 0, scores, -np.inf).argmax(axis=1)


WRONG = {
    "preferred_positions": [
        (
            "offsets",
            lambda q, k, n, b: np.arange(n) - preferred(q, k, n, b),
            "incorrect",
            "These are the offsets",
        ),
        (
            "no mask",
            lambda *a: table(*a).argmax(axis=1),
            "incorrect",
            "Later positions are seen",
        ),
        ("global, clipped", lambda *a: np.maximum(globally(*a), 0), "incorrect", "reaches further"),
        ("global", globally, "incorrect", "negative"),
        ("global, around", lambda *a: globally(*a) % a[2], "incorrect", "counts from the end"),
        (
            "reversed",
            lambda q, k, n, b: np.where(np.tri(n) > 0, table(q, k, n, b).T, -np.inf).argmax(1),
            "incorrect",
            "not s − t",
        ),
        (
            "lowest",
            lambda q, k, n, b: np.where(np.tri(n) > 0, -table(q, k, n, b), -np.inf).argmax(1),
            "incorrect",
            "*lowest*",
        ),
        (
            "largest in size",
            lambda q, k, n, b: np.where(np.tri(n) > 0, abs(table(q, k, n, b)), -1).argmax(1),
            "incorrect",
            "not the largest in size",
        ),
        (
            "not itself",
            lambda q, k, n, b: np.where(np.tri(n, k=-1) > 0, table(q, k, n, b), -np.inf).argmax(1),
            "incorrect",
            "may look at itself",
        ),
        (
            "exchanged",
            lambda q, k, n, b: preferred(k, q, n, b),
            "incorrect",
            "Or query and key are exchanged",
        ),
        ("zeros for the mask", lambda *a: np.tril(table(*a)).argmax(1), "incorrect", "of 0 is not"),
        ("best query", lambda *a: masked(*a).argmax(0), "incorrect", "best query for each key"),
        ("best query, no mask", lambda *a: table(*a).argmax(0), "incorrect", "best query for each"),
        (
            "best query, zeros",
            lambda *a: np.tril(table(*a)).argmax(0),
            "incorrect",
            "best query for each key",
        ),
        ("triu", lambda *a: masked(*a, np.tri(a[2]).T > 0).argmax(1), "incorrect", "wrong half"),
        ("triu, zeros", lambda *a: np.triu(table(*a)).argmax(1), "incorrect", "wrong half"),
        ("key 0 left out", without_key_0, "incorrect", "Offset t, which is key 0, counts, too"),
        ("offsets below t", below_t, "incorrect", "Offset t, which is key 0, counts, too"),
        ("offsets below t, in a loop", below_t_in_a_loop, "error", "has one offset to choose from"),
        ("offset t + 1", lambda *a: up_to(*a, 2), "incorrect", "would be the position −1"),
        ("offset t + 1, too", lambda *a: up_to(*a, 2, 1), "incorrect", "would be the position −1"),
        (
            "mask too wide",
            lambda *a: masked(*a, np.tri(a[2], k=1) > 0).argmax(1),
            "incorrect",
            "one too wide",
        ),
        ("itself", lambda q, k, n, b: np.arange(n), "incorrect", "is position t itself"),
        ("the first", lambda q, k, n, b: np.zeros(n, dtype=int), "incorrect", "is key 0, every"),
        ("keys not turned", keys_not_turned, "incorrect", "is key 0, every time"),
        ("queries not turned", queries_not_turned, "incorrect", "queries were not turned"),
        (
            "no second conjugate",
            lambda *a: masked(*a, change=lambda q, k, c: q * k * c.conj()).argmax(1),
            "incorrect",
            "conjugate one of the two sides",
        ),
        (
            "no conjugate",
            lambda *a: masked(*a, change=lambda q, k, c: q * k * c).argmax(1),
            "incorrect",
            "No conjugate is left",
        ),
        ("a window of 15", in_a_window, "incorrect", "the positions for"),
        ("the table", table, "incorrect", "all scores"),
        (
            "the example",
            lambda q, k, n, b: np.array([0, 0, 0, 1] + [1] * 99)[:n],
            "incorrect",
            "the positions for",
        ),
        (
            "floats",
            lambda *a: preferred(*a).astype(float),
            "incorrect",
            "integers",
        ),
    ],
}

RIGHT = {
    "preferred_positions": [
        ("all scores", preferred),
        ("running best", running),
        ("offsets 0 to t", lambda *a: up_to(*a, 1)),
    ],
}
