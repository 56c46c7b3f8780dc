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
    ]
}
RIGHT = {
    "cosine": [
        ("pair by pair", pair_by_pair),
        ("single precision", in_single_precision),
        ("torch", as_tensor),
        ("a view of a new array", lambda a, b: right(b, a).T),
    ]
}
