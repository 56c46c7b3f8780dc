"""Wrong and unusual right answers of lesson 11: prefix matching."""

import numpy as np


def occurrences(tokens):
    return np.tril(tokens[:, None] == tokens, -1)


def mass(A, tokens):
    return (A[:, 1:] * occurrences(tokens)[:, :-1]).sum(axis=1)


def matched(A, tokens):
    return mass(A, tokens)[occurrences(tokens).any(axis=1)].mean()


def pairs(tokens, before=lambda j, i: j < i):
    T = range(len(tokens))
    return [(i, j) for i in T for j in T if before(j, i) and tokens[i] == tokens[j]]


def repeated(tokens):
    return [i for i in range(len(tokens)) if tokens[i] in tokens[:i]]


def by_pairs(A, tokens, entry, keep=lambda found: found):
    """The mean over the queries of what ``entry`` says of each earlier occurrence."""
    sums = []
    for i in range(len(tokens)):
        found = keep([j for j in range(i) if tokens[j] == tokens[i]])
        if found:
            sums.append(sum(entry(i, j) for j in found))
    return np.mean(sums)


def rolled_first(A, tokens):
    same = np.tril(np.roll(tokens[:, None] == tokens, 1, axis=1))
    return (A * same).sum(axis=1)[same.any(axis=1)].mean()


def own_included(A, tokens):
    T = len(tokens)
    found = [sum(A[i, j + 1] for j in range(i + 1) if tokens[j] == tokens[i]) for i in range(T - 1)]
    return np.mean(found)


def own_rolled(A, tokens):
    same = np.tril(tokens[:, None] == tokens)
    return (A * np.roll(same, 1, axis=1)).sum(axis=1).mean()


def any_time(A, tokens):
    T = len(tokens)
    rows = [
        [A[i, j + 1] for j in range(T - 1) if j != i and tokens[j] == tokens[i]] for i in range(T)
    ]
    return np.mean([sum(row) for row in rows if row])


def averaged(A, tokens):
    same = occurrences(tokens)
    n = same.sum(axis=1)
    return (mass(A, tokens)[n > 0] / n[n > 0]).mean()


def strictly_before(A, tokens):
    return np.mean(
        [
            sum(A[i, j + 1] for j in range(i - 1) if tokens[j] == tokens[i])
            for i in range(len(tokens))
            if tokens[i] in tokens[:i]
        ]
    )


def hits(A, tokens):
    keys = np.roll(occurrences(tokens), 1, axis=1)
    rows = keys.any(axis=1)
    return keys[np.arange(len(tokens)), A.argmax(axis=1)][rows].mean()


def by_trace(A, tokens):
    same = occurrences(tokens).astype(np.float32)
    followers = same @ np.eye(len(tokens), k=1)
    return np.trace(A @ followers.T) / (same.sum(axis=1) > 0).sum()


def torch_matched(A, tokens):
    import torch

    A, tokens = torch.tensor(A), torch.tensor(tokens)
    same = (tokens[:, None] == tokens).tril(-1)
    return (A * same.roll(1, dims=1)).sum(1)[same.any(1)].mean()


WRONG = {
    "prefix_matching": [
        ("masked after rolling", rolled_first, "incorrect", "mask first, then roll"),
        (
            "queries with weight",
            lambda A, t: mass(A, t)[mass(A, t) > 0].mean(),
            "incorrect",
            "said by the tokens",
        ),
        (
            "rows normalised",
            lambda A, t: matched(A / A.sum(axis=1, keepdims=True), t),
            "incorrect",
            "not divided by their",
        ),
        ("clipped", lambda A, t: matched(np.clip(A, 0, 1), t), "incorrect", "not cut to 0"),
        (
            "negative left out",
            lambda A, t: matched(np.clip(A, 0, None), t),
            "incorrect",
            "negative ones count",
        ),
        (
            "the last query dropped",
            lambda A, t: np.mean([mass(A, t)[i] for i in repeated(t.tolist()[:-1])] or [0.0]),
            "incorrect",
            "The last query counts",
        ),
        ("all queries", lambda A, t: mass(A, t).mean(), "incorrect", "nothing to match"),
        ("all but the first", lambda A, t: mass(A, t)[1:].mean(), "incorrect", "all queries but"),
        (
            "the occurrence",
            lambda A, t: by_pairs(A, t, lambda i, j: A[i, j]),
            "incorrect",
            "*follower*",
        ),
        (
            "the place before",
            lambda A, t: by_pairs(A, t, lambda i, j: A[i, j - 1] if j else 0),
            "incorrect",
            "*before* the earlier",
        ),
        (
            "latest",
            lambda A, t: by_pairs(A, t, lambda i, j: A[i, j + 1], lambda x: x[-1:]),
            "incorrect",
            "after the latest",
        ),
        (
            "first",
            lambda A, t: by_pairs(A, t, lambda i, j: A[i, j + 1], lambda x: x[:1]),
            "incorrect",
            "after the first",
        ),
        (
            "entries",
            lambda A, t: np.mean([A[i, j + 1] for i, j in pairs(t)]),
            "incorrect",
            "all pairs",
        ),
        (
            "largest",
            lambda A, t: np.mean(
                [max(A[i, j + 1] for j in range(i) if t[j] == t[i]) for i in repeated(t)]
            ),
            "incorrect",
            "you took the largest",
        ),
        (
            "by different tokens",
            lambda A, t: mass(A, t).sum() / len(set(t)),
            "incorrect",
            "different tokens",
        ),
        ("averaged", averaged, "incorrect", "not averaged"),
        ("sum", lambda A, t: mass(A, t).sum(), "incorrect", "the mean is asked for"),
        ("itself", own_included, "incorrect", "not yet there"),
        ("itself, rolled", own_rolled, "incorrect", "column 0"),
        ("transposed", lambda A, t: matched(A.T, t), "incorrect", "transposed"),
        ("not at once", strictly_before, "incorrect", "the query's own place"),
        ("later ones", any_time, "incorrect", "later ones"),
        (
            "next query",
            lambda A, t: (
                (A * np.roll(occurrences(t), 1, axis=0)).sum()
                / sum(np.roll(occurrences(t), 1, axis=0).any(axis=1))
            ),
            "incorrect",
            "not the query",
        ),
        ("hits", hits, "incorrect", "the weight itself"),
        ("share", lambda A, t: occurrences(t).any(axis=1).mean(), "incorrect", "share of queries"),
        ("each query", lambda A, t: mass(A, t), "incorrect", "one number"),
    ],
}

RIGHT = {
    "prefix_matching": [
        ("pairs", lambda A, t: by_pairs(A, t, lambda i, j: A[i, j + 1])),
        ("trace", by_trace),
        ("torch", torch_matched),
    ],
}
