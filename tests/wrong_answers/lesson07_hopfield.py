"""Wrong and unusual right answers of lesson 07: Hopfield's energy, and the best guess."""

import math

import numpy as np

norm = np.linalg.norm

# Exercise 4


def log_sum(scores):
    top = scores.max(axis=1)
    return top + np.log(np.exp(scores - top[:, None]).sum(axis=1))


def energy(states, patterns, beta, factor=1.0):
    return -factor * log_sum(beta * states @ patterns.T) / beta + (states**2).sum(1) / 2


def plain_energy(states, patterns, beta):
    with np.errstate(over="ignore", divide="ignore"):
        total = np.exp(beta * states @ patterns.T).sum(axis=1)
        return -np.log(total) / beta + (states**2).sum(1) / 2


def not_put_back(states, patterns, beta):
    s = beta * states @ patterns.T
    e = np.exp(s - s.max(axis=1, keepdims=True)).sum(axis=1)
    return -np.log(e) / beta + (states**2).sum(1) / 2


def not_all_divided(states, patterns, beta):
    s = beta * states @ patterns.T
    return not_put_back(states, patterns, beta) - s.max(axis=1)


def shortcut(states, patterns, beta):
    if beta > 100:
        return -(states @ patterns.T).max(axis=1) + (states**2).sum(axis=1) / 2
    return energy(states, patterns, beta)


def one_state_at_a_time(states, patterns, beta):
    out = []
    for x in states:
        s = sorted(beta * float(x @ p) for p in patterns)
        rest = sum(math.exp(v - s[-1]) for v in s)
        out.append(-(s[-1] + math.log(rest)) / beta + 0.5 * sum(c * c for c in x))
    return np.array(out)


def pair_by_pair(states, patterns, beta):
    s = beta * np.einsum("nd,md->nm", states, patterns)
    return -np.logaddexp.reduce(s, axis=1) / beta + 0.5 * np.einsum("nd,nd->n", states, states)


def torch_energy(states, patterns, beta):
    import torch

    x, p = torch.from_numpy(states.copy()), torch.from_numpy(patterns.copy())
    return -torch.logsumexp(beta * x @ p.T, 1) / beta + (x * x).sum(1) / 2


def energy_in_place(states, patterns, beta):
    states *= 1.0
    states -= 0.5
    return energy(states + 0.5, patterns, beta)


# Exercise 5


def guess(queries, keys, rate, handicap=0.5):
    s = rate * (queries @ keys.T - handicap * (keys**2).sum(axis=1))
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ keys


def by_lengths(queries, keys, noise):
    s = (queries @ keys.T - np.linalg.norm(keys, axis=1) / 2) / noise**2
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ keys


def by_densities(queries, keys, noise):
    with np.errstate(invalid="ignore"):
        p = np.exp(-((queries[:, None] - keys) ** 2).sum(-1) / (2 * noise**2))
        return p / p.sum(axis=1, keepdims=True) @ keys


def by_shifted_densities(queries, keys, noise):
    far = ((queries[:, None] - keys) ** 2).sum(-1)
    p = np.exp(-(far - far.min(axis=1, keepdims=True)) / (2 * noise**2))
    return p / p.sum(axis=1, keepdims=True) @ keys


def query_by_query(queries, keys, noise):
    out = []
    for q in queries:
        s = [-sum((a - b) ** 2 for a, b in zip(q, k)) / (2 * noise**2) for k in keys]  # noqa: B905
        w = [math.exp(x - max(s)) for x in s]
        out.append(sum(a * k for a, k in zip(w, keys)) / sum(w))  # noqa: B905
    return np.array(out)


def by_one_longer_key(queries, keys, noise):
    """The handicap as a component more."""
    q = np.column_stack([queries, np.ones(len(queries))]) / noise
    k = np.column_stack([keys, -(keys**2).sum(1) / 2]) / noise
    s = q @ k.T
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)) @ keys


def nearest(queries, keys, noise):
    return keys[((queries[:, None] - keys) ** 2).sum(-1).argmin(axis=1)]


def by_root_distance(queries, keys, noise):
    far = norm(queries[:, None] - keys, axis=-1)
    p = np.exp(-(far - far.min(axis=1, keepdims=True)) / (2 * noise**2))
    return p / p.sum(axis=1, keepdims=True) @ keys


WRONG = {
    "hopfield_energy": [
        (
            "no 1/β",
            lambda x, p, b: -log_sum(b * x @ p.T) + (x**2).sum(1) / 2,
            "incorrect",
            "1/β in front",
        ),
        ("no minus", lambda x, p, b: energy(x, p, b, -1), "incorrect", "minus in front"),
        (
            "no ½",
            lambda x, p, b: energy(x, p, b) + (x**2).sum(1) / 2,
            "incorrect",
            "The ½ in front",
        ),
        (
            "length",
            lambda x, p, b: energy(x, p, b) - (x**2).sum(1) / 2 + norm(x, axis=1) / 2,
            "incorrect",
            "the square of the length",
        ),
        (
            "first term",
            lambda x, p, b: energy(x, p, b) - (x**2).sum(1) / 2,
            "incorrect",
            "is missing",
        ),
        (
            "subtracted",
            lambda x, p, b: energy(x, p, b) - (x**2).sum(1),
            "incorrect",
            "not subtracted",
        ),
        (
            "all lengths",
            lambda x, p, b: energy(x, p, b) - (x**2).sum(1) / 2 + (x**2).sum() / 2,
            "incorrect",
            "each has its own length",
        ),
        ("not put back", not_put_back, "incorrect", "not put back"),
        (
            "no beta",
            lambda x, p, b: -log_sum(x @ p.T) / b + (x**2).sum(1) / 2,
            "incorrect",
            "missing in the exponent",
        ),
        (
            "mean",
            lambda x, p, b: energy(x, p, b) + math.log(len(p)) / b,
            "incorrect",
            "a mean over the patterns",
        ),
        (
            "largest only",
            lambda x, p, b: -(x @ p.T).max(1) + (x**2).sum(1) / 2,
            "incorrect",
            "largest exponent only",
        ),
        ("not all divided", not_all_divided, "incorrect", "put back, but not divided by β"),
        ("shortcut", shortcut, "incorrect", "largest exponent only"),
        ("unstable", plain_energy, "incorrect", "out of the sum"),
        ("in place", energy_in_place, "incorrect", "changes its argument"),
        ("one number", lambda x, p, b: energy(x, p, b).sum(), "incorrect", "for each state"),
        ("terms", lambda x, p, b: b * x @ p.T, "incorrect", "sum over the patterns"),
    ],
    "best_guess": [
        (
            "no handicap",
            lambda q, k, s: guess(q, k, s**-2, 0),
            "incorrect",
            "The part ½‖k_i‖² is missing",
        ),
        ("whole handicap", lambda q, k, s: guess(q, k, s**-2, 1), "incorrect", "*half*"),
        ("1/η", lambda q, k, s: guess(q, k, 1 / s), "incorrect", "you took 1/η."),
        (
            "handicap not divided",
            lambda q, k, s: guess(q, k, s**-2, 0.5 * s**2),
            "incorrect",
            "before the whole bracket",
        ),
        ("length not squared", by_lengths, "incorrect", "half of the *squared* length"),
        ("1/2η²", lambda q, k, s: guess(q, k, 0.5 / s**2), "incorrect", "1/2η²"),
        ("2/η²", lambda q, k, s: guess(q, k, 2 / s**2), "incorrect", "½ in the exponent"),
        ("η²", lambda q, k, s: guess(q, k, s**2), "incorrect", "above the line"),
        ("no noise", lambda q, k, s: guess(q, k, 1), "incorrect", "The noise is missing"),
        ("1/η alone", lambda q, k, s: guess(q, k, 1 / s, 0), "incorrect", "1/η. And the part"),
        ("1/2η² alone", lambda q, k, s: guess(q, k, 0.5 / s**2, 0), "incorrect", "1/2η². And"),
        (
            "noise at least 0.1",
            lambda q, k, s: guess(q, k, max(s, 0.1) ** -2),
            "incorrect",
            "may be small",
        ),
        ("nearest", nearest, "incorrect", "the nearest: a hard"),
        ("best score", lambda q, k, s: k[(q @ k.T).argmax(1)], "incorrect", "hard cleanup"),
        ("sign", lambda q, k, s: guess(q, k, -(s**-2)), "incorrect", "more probable"),
        (
            "unit keys",
            lambda q, k, s: guess(q, k / norm(k, axis=1, keepdims=True), s**-2, 0),
            "incorrect",
            "don't scale them to 1",
        ),
        (
            "unit keys, by distance",
            lambda q, k, s: by_shifted_densities(q, k / norm(k, axis=1, keepdims=True), s),
            "incorrect",
            "don't scale them to 1",
        ),
        ("distance", by_root_distance, "incorrect", "*squared* distance"),
        ("underflow", by_densities, "incorrect", "densities underflow"),
        (
            "probabilities",
            lambda q, k, s: np.ones((len(q), len(k))) / len(k),
            "incorrect",
            "mean of the keys",
        ),
        ("columns", lambda q, k, s: guess(q, k, s**-2).T, "incorrect", "into a row"),
    ],
}

RIGHT = {
    "hopfield_energy": [
        ("one state at a time", one_state_at_a_time),
        ("logaddexp and einsum", pair_by_pair),
        (
            "single precision",
            lambda x, p, b: energy(x.astype(np.float32), p.astype(np.float32), np.float32(b)),
        ),
        ("torch", torch_energy),
    ],
    "best_guess": [
        ("shifted densities", by_shifted_densities),
        ("query by query", query_by_query),
        ("a component more", by_one_longer_key),
        (
            "single precision",
            lambda q, k, s: guess(*(x.astype(np.float32) for x in (q, k)), np.float32(s**-2)),
        ),
    ],
}
