"""Wrong and unusual right answers of lesson 00."""

import math

import numpy as np


def right(a, b):
    norms = np.linalg.norm(a, axis=-1)[:, None] * np.linalg.norm(b, axis=-1)
    return a @ b.T / norms


def one_norm_for_all(a, b):
    return a @ b.T / (np.linalg.norm(a) * np.linalg.norm(b))


def squared_norms(a, b):
    return a @ b.T / ((a**2).sum(-1)[:, None] * (b**2).sum(-1))


def normalised_in_place(a, b):
    a /= np.linalg.norm(a, axis=-1, keepdims=True)
    b /= np.linalg.norm(b, axis=-1, keepdims=True)
    return a @ b.T


def pair_by_pair(a, b):
    out = np.empty((len(a), len(b)))
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            dot = sum(p * q for p, q in zip(x, y, strict=True))
            out[i, j] = dot / math.sqrt(sum(p * p for p in x)) / math.sqrt(sum(q * q for q in y))
    return out


def in_single_precision(a, b):
    return right(a.astype(np.float32), b.astype(np.float32))


def as_tensor(a, b):
    import torch

    return torch.nn.functional.cosine_similarity(
        torch.from_numpy(a)[:, None], torch.from_numpy(b)[None], dim=-1
    )


def stable_softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def naive_softmax(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def one_sum_for_all(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum()


def one_maximum_for_all(scores):
    weights = np.exp(scores - scores.max())
    return weights / weights.sum(axis=-1, keepdims=True)


def shifted_by(statistic):
    def softmax(scores):
        weights = np.exp(scores - statistic(scores, axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)

    return softmax


def shifted_by_the_first(scores):
    weights = np.exp(scores - scores[..., :1])
    return weights / weights.sum(axis=-1, keepdims=True)


def over_the_first_axis(scores):
    weights = np.exp(scores)
    return weights / weights.sum(axis=0)


def no_keepdims(scores):
    weights = np.exp(scores)
    return weights / weights.sum(axis=-1)


def shifted_in_place(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    return stable_softmax(scores)


def by_logsumexp(scores):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))


def torch_softmax(scores):
    import torch

    return torch.softmax(torch.from_numpy(scores), dim=-1)


def gradient(scores, target):
    return stable_softmax(scores) - np.eye(len(scores))[target]


def by_finite_differences(scores, target):
    def loss(s):
        return np.log(np.exp(s).sum()) - s[target]

    step = 1e-5 * np.eye(len(scores))
    return np.array([(loss(scores + e) - loss(scores - e)) / 2e-5 for e in step])


def gradient_of_a_list(scores, target):
    return [float(p) - (i == target) for i, p in enumerate(stable_softmax(scores))]


def only_a_target_that_counts(scores, target):
    got = stable_softmax(scores)
    if target:
        got[target] -= 1
    return got


def scores_by_einsum(x, W_Q, W_K):
    return np.einsum("id,hdk,hek,je->hij", x, W_Q, W_K, x)


def scores_head_by_head(x, W_Q, W_K):
    return np.stack([x @ (a @ b.T) @ x.T for a, b in zip(W_Q, W_K, strict=True)])


def scores_with(query, key):
    def head_scores(x, W_Q, W_K):
        W = {"Q": W_Q, "K": W_K}
        return (x @ W[query]) @ (x @ W[key]).swapaxes(-1, -2)

    return head_scores


WRONG = {
    "cosine": [
        ("dot products", lambda a, b: a @ b.T, "incorrect", "division by the norms is missing"),
        ("divided by d", lambda a, b: a @ b.T / a.shape[-1], "incorrect", "divided by d"),
        ("one norm for all", one_norm_for_all, "incorrect", "needs `axis=-1`"),
        ("squared norms", squared_norms, "incorrect", "square root is missing"),
        ("transposed", lambda a, b: right(b, a), "incorrect", "other way round"),
        ("over the vectors", lambda a, b: a.T @ b[: len(a)], "incorrect", "their components"),
        (
            "only a",
            lambda a, b: a @ b.T / np.linalg.norm(a, axis=1)[:, None],
            "incorrect",
            "`a` on",
        ),
        ("only b", lambda a, b: a @ b.T / np.linalg.norm(b, axis=1), "incorrect", "`b` only"),
        ("no transpose", lambda a, b: a @ b, "error", "is a transpose missing?"),
        ("in place", normalised_in_place, "incorrect", "changes its argument `a`"),
        ("a list", lambda a, b: right(a, b).tolist(), "incorrect", "a list of length 3"),
        ("an axis too many", lambda a, b: right(a, b)[..., None], "incorrect", "keepdims"),
        ("opposite sign", lambda a, b: -right(a, b), "incorrect", "Every sign"),
    ],
    "softmax": [
        ("no shift", naive_softmax, "incorrect", "`exp` overflows"),
        ("mean as shift", shifted_by(np.mean), "incorrect", "Only the row's maximum"),
        ("minimum as shift", shifted_by(np.min), "incorrect", "Only the row's maximum"),
        ("median as shift", shifted_by(np.median), "incorrect", "Only the row's maximum"),
        ("first as shift", shifted_by_the_first, "incorrect", "Only the row's maximum"),
        ("one sum for all", one_sum_for_all, "incorrect", "`sum` needs `axis=-1`"),
        ("one maximum for all", one_maximum_for_all, "incorrect", "each row needs its own"),
        ("first axis", over_the_first_axis, "incorrect", "along the first axis"),
        ("no keepdims", no_keepdims, "error", "is an axis missing"),
        ("exponentials only", np.exp, "incorrect", "division by their sum is missing"),
        ("no exponential", lambda s: s / s.sum(-1, keepdims=True), "incorrect", "where is `exp`"),
        ("logarithm", lambda s: np.log(stable_softmax(s)), "incorrect", "logarithms"),
        ("opposite sign", lambda s: stable_softmax(-s), "incorrect", "wrong way round"),
        ("in place", shifted_in_place, "incorrect", "changes its argument `scores`"),
        (
            "clipped",
            lambda s: stable_softmax(np.clip(s, -500, 500)),
            "incorrect",
            "scores were clipped",
        ),
    ],
    "loss_gradient": [
        ("y - p", lambda s, t: -gradient(s, t), "incorrect", "points uphill"),
        ("softmax only", lambda s, t: stable_softmax(s), "incorrect", "−1 at the target"),
        ("minus one everywhere", lambda s, t: stable_softmax(s) - 1, "incorrect", "target only"),
        ("no softmax", lambda s, t: s - np.eye(len(s))[t], "incorrect", "softmax is missing"),
        (
            "with respect to p",
            lambda s, t: -np.eye(len(s))[t] / stable_softmax(s),
            "incorrect",
            "not to the scores",
        ),
        ("first place", lambda s, t: gradient(s, 0), "incorrect", "at the first place"),
        ("if target", only_a_target_that_counts, "incorrect", "the −1 at the target is missing"),
        ("minus the index", lambda s, t: stable_softmax(s) - t, "incorrect", "the number `target`"),
        ("the loss", lambda s, t: -np.log(stable_softmax(s)[t]), "incorrect", "That is the loss"),
        ("a list", gradient_of_a_list, "incorrect", "a list of length 4"),
    ],
    "head_scores": [
        ("swapped", scores_with("K", "Q"), "incorrect", "row has to be the query"),
        ("only W_Q", scores_with("Q", "Q"), "incorrect", "Both sides use W_Q"),
        ("only W_K", scores_with("K", "K"), "incorrect", "Both sides use W_K"),
        (
            "scaled",
            lambda x, q, k: scores_by_einsum(x, q, k) / q.shape[-1] ** 0.5,
            "incorrect",
            "no scaling",
        ),
        (
            "softmax",
            lambda x, q, k: stable_softmax(scores_by_einsum(x, q, k)),
            "incorrect",
            "after the softmax",
        ),
        ("reversed axes", lambda x, q, k: x @ q @ k.T @ x.T, "error", "reverses *all* axes"),
        (
            "heads last",
            lambda x, q, k: np.moveaxis(scores_by_einsum(x, q, k), 0, -1),
            "incorrect",
            "heads are on the last axis",
        ),
        ("queries", lambda x, q, k: x @ q, "incorrect", "not yet their products"),
        (
            "heads summed",
            lambda x, q, k: scores_by_einsum(x, q, k).sum(0),
            "incorrect",
            "heads were summed",
        ),
        (
            "circuit only",
            lambda x, q, k: q @ k.swapaxes(-1, -2),
            "incorrect",
            "x is missing on both sides",
        ),
    ],
}
RIGHT = {
    "cosine": [
        ("pair by pair", pair_by_pair),
        ("single precision", in_single_precision),
        ("torch", as_tensor),
        ("a view of a new array", lambda a, b: right(b, a).T),
    ],
    "softmax": [
        ("by logsumexp", by_logsumexp),
        ("torch", torch_softmax),
        ("single precision", lambda s: stable_softmax(s.astype(np.float32))),
        ("another shift", lambda s: stable_softmax(s + 3)),
    ],
    "loss_gradient": [
        ("finite differences", by_finite_differences),
        (
            "one entry changed",
            lambda s, t: np.where(np.arange(len(s)) == t, -1, 0) + by_logsumexp(s),
        ),
    ],
    "head_scores": [
        ("einsum", scores_by_einsum),
        ("head by head", scores_head_by_head),
        ("circuit first", lambda x, q, k: x @ (q @ k.swapaxes(-1, -2)) @ x.T),
    ],
}
