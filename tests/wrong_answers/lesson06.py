"""Wrong and unusual right answers of lesson 06."""

import math

import numpy as np

norm = np.linalg.norm

# Exercise 1


def attend(q, k, v):
    return np.tril(q @ k.T) @ v


def by_memory(q, k, v):
    memory, out = np.zeros((v.shape[1], k.shape[1])), []
    for t in range(len(q)):
        memory = memory + np.outer(v[t], k[t])
        out.append(memory @ q[t])
    return np.array(out)


def hidden_by_infinity(q, k, v):
    with np.errstate(invalid="ignore"):
        return np.where(np.tri(len(q), dtype=bool), q @ k.T, -np.inf) @ v


def read_before_writing(q, k, v):
    memory, out = np.zeros((v.shape[1], k.shape[1])), []
    for t in range(len(q)):
        out.append(memory @ q[t])
        memory = memory + np.outer(v[t], k[t])
    return np.array(out)


def memories_at_once(q, k, v):
    memories = np.cumsum(v[:, :, None] * k[:, None, :], axis=0)  # [position, m, d]
    return np.einsum("tmd,td->tm", memories, q)


def softmax(q, k, v):
    e = np.where(np.tri(len(q), dtype=bool), np.exp(q @ k.T), 0)
    return e / e.sum(axis=1, keepdims=True) @ v


def with_torch(q, k, v):
    import torch

    q, k, v = (torch.from_numpy(x.copy()) for x in (q, k, v))
    return torch.tril(q @ k.T) @ v


# Exercise 2


def written(memory, key, value, rate, length=2):
    return memory + rate * np.outer(value - memory @ key, key) / norm(key) ** length


def in_place(memory, key, value, rate):
    memory += rate * np.outer(value - memory @ key, key) / (key @ key)
    return memory


def by_pseudoinverse(memory, key, value, rate):
    return memory + rate * np.outer(value - memory @ key, np.linalg.pinv(key[None])[:, 0])


def entry_by_entry(memory, key, value, rate):
    new = np.array(memory)
    for i in range(len(value)):
        missing = value[i] - sum(memory[i, j] * key[j] for j in range(len(key)))
        for j in range(len(key)):
            new[i, j] += rate * missing * key[j] / sum(x * x for x in key)
    return new


# Exercise 4


def fit(c, d):
    return 1 + math.floor(d * (1 / c**2 - 1))


def by_trying(c, d):
    n = 1
    while 1 / math.sqrt(1 + n / d) >= c - 1e-12:
        n += 1
    return n


def strictly_above(c, d):
    n = 1
    while 1 / math.sqrt(1 + n / d) > c:
        n += 1
    return n


# Exercise 5


def cosines(gram):
    return np.diag(gram) / norm(gram, axis=1)


def cosines_one_by_one(gram):
    return np.array([gram[j, j] / math.sqrt(sum(g * g for g in gram[j])) for j in range(len(gram))])


WRONG = {
    "linear_attention": [
        ("not causal", lambda q, k, v: q @ k.T @ v, "incorrect", "s runs up to t only"),
        ("minus infinity", hidden_by_infinity, "incorrect", "hides a score from a *softmax*"),
        ("read first", read_before_writing, "incorrect", "write before you read"),
        ("triu", lambda q, k, v: np.triu(q @ k.T) @ v, "incorrect", "above the diagonal"),
        ("exchanged", lambda q, k, v: np.tril(k @ q.T) @ v, "incorrect", "exchanged queries and"),
        ("softmax", softmax, "incorrect", "That is a softmax"),
        (
            "divided by the sum",
            lambda q, k, v: attend(q, k, v) / np.tril(q @ k.T).sum(1, keepdims=True),
            "incorrect",
            "divided by the sum of the weights",
        ),
        ("scaled", lambda q, k, v: attend(q, k, v) / q.shape[1] ** 0.5, "incorrect", "by 1/√d"),
        ("scaled by d", lambda q, k, v: attend(q, k, v) / q.shape[1], "incorrect", "by 1/d"),
        (
            "mean",
            lambda q, k, v: attend(q, k, v) / np.arange(1, len(q) + 1)[:, None],
            "incorrect",
            "divided by the number of positions",
        ),
        (
            "last query",
            lambda q, k, v: attend(np.repeat(q[-1:], len(q), 0), k, v),
            "incorrect",
            "reads with the last query",
        ),
        (
            "own pair",
            lambda q, k, v: (q * k).sum(1, keepdims=True) * v,
            "incorrect",
            "Only the position's own pair",
        ),
        (
            "unit keys",
            lambda q, k, v: attend(
                q / norm(q, axis=1, keepdims=True), k / norm(k, axis=1, keepdims=True), v
            ),
            "incorrect",
            "don't scale them to 1",
        ),
        (
            "unit keys only",
            lambda q, k, v: attend(q, k / norm(k, axis=1, keepdims=True), v),
            "incorrect",
            "The lengths of the keys count",
        ),
        ("weights", lambda q, k, v: np.tril(q @ k.T), "incorrect", "have to meet the values"),
        ("the memory", lambda q, k, v: v.T @ k, "incorrect", "the memory at the end"),
        ("columns", lambda q, k, v: attend(q, k, v).T, "incorrect", "belongs into a row"),
    ],
    "overwrite": [
        (
            "outer exchanged",
            lambda m, k, v, b: m + b * np.outer(k, v - m @ k) / (k @ k),
            "error",
            "a row for each component of a",
        ),
        ("unit keys only", lambda m, k, v, b: written(m, k, v, b, 0), "incorrect", "key @ key"),
        ("length", lambda m, k, v, b: written(m, k, v, b, 1), "incorrect", "it is its square"),
        ("sum rule", lambda m, k, v, b: m + b * np.outer(v, k), "incorrect", "the sum rule"),
        (
            "no rate",
            lambda m, k, v, b: written(m, k, v, 1),
            "incorrect",
            "The rate is missing",
        ),
        ("sign", lambda m, k, v, b: written(m, k, v, -b), "incorrect", "sign of the error"),
        (
            "correction only",
            lambda m, k, v, b: written(m, k, v, b) - m,
            "incorrect",
            "add it to the memory",
        ),
        (
            "decay",
            lambda m, k, v, b: (1 - b) * m + b * np.outer(v, k) / (k @ k),
            "incorrect",
            "the reading is moved, not the memory",
        ),
        ("in place", in_place, "incorrect", "changes its argument"),
        ("empty", lambda m, k, v, b: np.outer(v, k), "incorrect", "an empty memory"),
        ("empty, at a rate", lambda m, k, v, b: b * np.outer(v, k), "incorrect", "an empty memory"),
        (
            "rate on the value",
            lambda m, k, v, b: m + np.outer(b * v - m @ k, k) / (k @ k),
            "incorrect",
            "that share of the value only",
        ),
        (
            "rate on the reading",
            lambda m, k, v, b: m + np.outer(v - b * (m @ k), k) / (k @ k),
            "incorrect",
            "that share of the reading only",
        ),
        (
            "rate up to 1",
            lambda m, k, v, b: written(m, k, v, min(b, 1)),
            "incorrect",
            "The rate may be above 1",
        ),
        (
            "squeezed",
            lambda m, k, v, b: np.squeeze(written(m, k, v, b)),
            "incorrect",
            "keep both axes",
        ),
        ("transposed", lambda m, k, v, b: written(m, k, v, b).T, "incorrect", "transposed"),
        (
            "reads with a unit key",
            lambda m, k, v, b: m + b * np.outer(v - m @ k / norm(k), k) / norm(k),
            "incorrect",
            "it reads with its own length",
        ),
    ],
    "pairs_that_fit": [
        ("N/d", lambda c, d: math.floor(d * (1 / c**2 - 1)), "incorrect", "(N − 1)/d, not N/d"),
        ("up", lambda c, d: 1 + math.ceil(d * (1 / c**2 - 1)), "incorrect", "Round down"),
        ("above, not at least", strictly_above, "incorrect", "still counts: the condition is ≥"),
        ("one more", lambda c, d: fit(c, d) + 1, "incorrect", "the cosine is too low"),
        ("a loop too far", lambda c, d: by_trying(c, d) + 1, "incorrect", "stop a loop one step"),
        ("a short search", lambda c, d: min(fit(c, d), 1100), "incorrect", "expected 383468"),
        (
            "a generous floor",
            lambda c, d: 1 + math.floor(d * (1 / c**2 - 1) + 0.04),
            "incorrect",
            "the cosine is too low",
        ),
        (
            "no square",
            lambda c, d: 1 + math.floor(d * (1 / c - 1)),
            "incorrect",
            "square is missing",
        ),
        ("d/c²", lambda c, d: math.floor(d / c**2), "incorrect", "without the 1"),
        ("bound", lambda c, d: 1 + d * (1 / c**2 - 1), "incorrect", "round it down"),
        ("by d", lambda c, d: 1 + math.floor((1 / c**2 - 1) / d), "incorrect", "wrong side"),
    ],
    "reading_cosines": [
        ("sums", lambda g: np.diag(g) / g.sum(1), "incorrect", "squares of the weights"),
        ("sizes", lambda g: np.diag(g) / abs(g).sum(1), "incorrect", "sizes of the dot products"),
        ("no root", lambda g: np.diag(g) / (g**2).sum(1), "incorrect", "A root is missing"),
        ("squared", lambda g: cosines(g) ** 2, "incorrect", "A root is missing"),
        (
            "others only",
            lambda g: np.diag(g) / norm(g - np.diag(np.diag(g)), axis=1),
            "incorrect",
            "own value is missing",
        ),
        (
            "unit keys only",
            lambda g: 1 / np.sqrt(1 + (g**2).sum(1) - np.diag(g) ** 2),
            "incorrect",
            "diagonal need not be 1",
        ),
        ("own weight 1", lambda g: 1 / norm(g, axis=1), "incorrect", "G[j, j], not 1"),
        ("mean", lambda g: np.full(len(g), cosines(g).mean()), "incorrect", "each has its own"),
        (
            "scaled first",
            lambda g: cosines(g / np.sqrt(np.outer(np.diag(g), np.diag(g)))),
            "incorrect",
            "another memory",
        ),
        ("one number", lambda g: cosines(g)[0], "incorrect", "One cosine for each key"),
        ("squeezed", lambda g: np.squeeze(cosines(g)), "incorrect", "keep the axis"),
        (
            "root of the diagonal",
            lambda g: np.sqrt(np.diag(g)) / norm(g, axis=1),
            "incorrect",
            "not the length",
        ),
    ],
}

RIGHT = {
    "linear_attention": [
        ("a memory", by_memory),
        ("all memories at once", memories_at_once),
        ("single precision", lambda q, k, v: attend(*(x.astype(np.float32) for x in (q, k, v)))),
        ("torch", with_torch),
    ],
    "overwrite": [
        ("pseudoinverse", by_pseudoinverse),
        ("entry by entry", entry_by_entry),
        (
            "a projection",
            lambda m, k, v, b: (
                m @ (np.eye(len(k)) - b * np.outer(k, k) / (k @ k)) + b * np.outer(v, k) / (k @ k)
            ),
        ),
    ],
    "pairs_that_fit": [("by trying", by_trying), ("a float", lambda c, d: float(fit(c, d)))],
    "reading_cosines": [
        ("one by one", cosines_one_by_one),
        ("single precision", lambda g: cosines(g.astype(np.float32))),
    ],
}
