"""Wrong and unusual right answers of lesson 08: exercises 3 and 4."""

import math

import numpy as np


def soft(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# Exercise 3


def head(E, Q, K, V, W, U):
    return (E @ Q @ K.T @ E.T).argmax(1), (E @ V @ W @ U).argmax(1)


def head_by_loop(E, Q, K, V, W, U):
    looks = [
        int(np.argmax([(E[a] @ Q) @ (E[b] @ K) for b in range(len(E))])) for a in range(len(E))
    ]
    votes = [int(np.argmax(E[a] @ V @ W @ U)) for a in range(len(E))]
    return np.array(looks), np.array(votes)


def head_single(E, Q, K, V, W, U):
    return head(*(x.astype(np.float32) for x in (E, Q, K, V, W, U)))


def head_torch(E, Q, K, V, W, U):
    import torch

    E, Q, K, V, W, U = (torch.from_numpy(x.copy()) for x in (E, Q, K, V, W, U))
    return (E @ Q @ (E @ K).T).argmax(1), (E @ V @ W @ U).argmax(1)


def head_scaled(E, Q, K, V, W, U):
    scores = E @ Q @ K.T @ E.T / math.sqrt(Q.shape[1])
    return soft(scores).argmax(-1), soft(E @ V @ W @ U).argmax(-1)


# Exercise 4


def parts_of(parts, w, U, right, wrong, epsilon, centred=None, root=None):
    x = parts.sum(0)
    centred = parts - parts.mean(1, keepdims=True) if centred is None else centred
    root = np.sqrt(x.var() + epsilon) if root is None else root
    return centred / root * w @ (U[:, right] - U[:, wrong])


def parts_by_matrix(parts, w, U, right, wrong, epsilon):
    """Centring as a matrix, moved to the side of the unembedding."""
    d = len(w)
    centre = np.eye(d) - np.ones((d, d)) / d
    x = parts.sum(0) @ centre
    u = centre @ (w * (U[:, right] - U[:, wrong]))
    return parts @ u / math.sqrt(x @ x / d + epsilon)


def parts_by_loop(parts, w, U, right, wrong, epsilon):
    x = sum(parts)
    root = math.sqrt(((x - x.mean()) ** 2).mean() + epsilon)
    logits = [((part - part.mean()) / root * w) @ U for part in parts]
    return np.array([one[right] - one[wrong] for one in logits])


def parts_in_place(parts, w, U, right, wrong, epsilon):
    root = np.sqrt(parts.sum(0).var() + epsilon)
    parts -= parts.mean(1, keepdims=True)
    return parts / root * w @ (U[:, right] - U[:, wrong])


def leave_one_out(parts, w, U, right, wrong, epsilon):
    def difference(x):
        return (x - x.mean()) / math.sqrt(x.var() + epsilon) * w @ (U[:, right] - U[:, wrong])

    x = parts.sum(0)
    return np.array([difference(x) - difference(x - part) for part in parts])


WRONG = {
    "read_head": [
        (
            "who looks for me",
            lambda E, Q, K, V, W, U: ((E @ Q @ K.T @ E.T).argmax(0), head(E, Q, K, V, W, U)[1]),
            "incorrect",
            "who looks for this token",
        ),
        ("exchanged", lambda *a: head(*a)[::-1], "incorrect", "return `looks_for` first"),
        (
            "own vote added",
            lambda E, Q, K, V, W, U: (head(E, Q, K, V, W, U)[0], ((E + E @ V @ W) @ U).argmax(1)),
            "incorrect",
            "own vote was added",
        ),
        (
            "size",
            lambda E, Q, K, V, W, U: (abs(E @ Q @ K.T @ E.T).argmax(1), head(E, Q, K, V, W, U)[1]),
            "incorrect",
            "not the largest in size",
        ),
        (
            "size of the vote",
            lambda E, Q, K, V, W, U: (head(E, Q, K, V, W, U)[0], abs(E @ V @ W @ U).argmax(1)),
            "incorrect",
            "not the largest change in size",
        ),
        (
            "tied unembedding",
            lambda E, Q, K, V, W, U: head(E, Q, K, V, W, E.T),
            "incorrect",
            "W_E transposed is another matrix",
        ),
        (
            "no unembedding",
            lambda E, Q, K, V, W, U: (head(E, Q, K, V, W, U)[0], (E @ V @ W).argmax(1)),
            "incorrect",
            "W_U is missing",
        ),
        (
            "unit keys",
            lambda E, Q, K, V, W, U: (
                (E @ Q @ (E @ K / np.linalg.norm(E @ K, axis=1, keepdims=True)).T).argmax(1),
                head(E, Q, K, V, W, U)[1],
            ),
            "incorrect",
            "not the cosine",
        ),
        (
            "voters",
            lambda E, Q, K, V, W, U: (head(E, Q, K, V, W, U)[0], (E @ V @ W @ U).argmax(0)),
            "incorrect",
            "*attended to*",
        ),
        (
            "no tokens",
            lambda E, Q, K, V, W, U: ((Q @ K.T).argmax(1), head(E, Q, K, V, W, U)[1]),
            "incorrect",
            "put tokens on both sides",
        ),
        (
            "tokens on one side",
            lambda E, Q, K, V, W, U: ((E @ Q @ K.T).argmax(1), head(E, Q, K, V, W, U)[1]),
            "incorrect",
            "W_Eᵀ after W_Kᵀ as well",
        ),
        (
            "no tokens, votes",
            lambda E, Q, K, V, W, U: (head(E, Q, K, V, W, U)[0], (V @ W @ U).argmax(1)),
            "incorrect",
            "W_E before W_V",
        ),
        (
            "keys only",
            lambda E, Q, K, V, W, U: head(E, K, K, V, W, U),
            "incorrect",
            "queries are made by W_Q",
        ),
        (
            "not itself",
            lambda E, Q, K, V, W, U: (
                (E @ Q @ K.T @ E.T - np.diag(np.full(len(E), np.inf))).argmax(1),
                head(E, Q, K, V, W, U)[1],
            ),
            "incorrect",
            "the diagonal counts",
        ),
        (
            "the vote of the sought",
            lambda *a: (head(*a)[0], head(*a)[1][head(*a)[0]]),
            "incorrect",
            "vote of the token attended to",
        ),
        (
            "no W_O",
            lambda E, Q, K, V, W, U: (head(E, Q, K, V, W, U)[0], (E @ V @ U).argmax(1)),
            "error",
            "d_model by W_O",
        ),
        (
            "values only",
            lambda E, Q, K, V, W, U: (head(E, Q, K, V, W, U)[0], (E @ V).argmax(1)),
            "incorrect",
            "W_O and W_U are missing",
        ),
        (
            "W_V transposed for W_O",
            lambda E, Q, K, V, W, U: head(E, Q, K, V, V.T, U),
            "incorrect",
            "W_O is missing",
        ),
        ("tables", lambda E, Q, K, V, W, U: (E @ Q @ K.T @ E.T, E), "incorrect", "whole table"),
    ],
    "difference_parts": [
        (
            "rows of W_U",
            lambda p, w, U, right, wrong, e: p @ (U[right] - U[wrong]),
            "error",
            "a *column* for each token",
        ),
        (
            "own deviation",
            lambda p, *a: parts_of(p, *a, root=p.std(1, keepdims=True)),
            "incorrect",
            "its own standard deviation",
        ),
        ("not centred", lambda p, *a: parts_of(p, *a, centred=p), "incorrect", "are not centred"),
        (
            "stream's mean",
            lambda p, *a: parts_of(p, *a, centred=p - p.sum(0).mean()),
            "incorrect",
            "the stream's mean from every part",
        ),
        (
            "a share of the mean",
            lambda p, *a: parts_of(p, *a, centred=p - p.sum(0).mean() / len(p)),
            "incorrect",
            "equal share of the stream's mean",
        ),
        (
            "over the parts",
            lambda p, *a: parts_of(p, *a, centred=p - p.mean(0)),
            "incorrect",
            "over the components",
        ),
        ("no w", lambda p, w, *a: parts_of(p, w * 0 + 1, *a), "incorrect", "w is missing"),
        (
            "no LayerNorm",
            lambda p, w, U, r, x, e: p @ (U[:, r] - U[:, x]),
            "incorrect",
            "LayerNorm is missing",
        ),
        (
            "variance",
            lambda p, w, U, r, x, e: parts_of(p, w, U, r, x, e, root=p.sum(0).var() + e),
            "incorrect",
            "divided by the variance",
        ),
        (
            "ε outside",
            lambda p, w, U, r, x, e: parts_of(p, w, U, r, x, e, root=p.sum(0).std() + e),
            "incorrect",
            "outside of the root",
        ),
        (
            "no ε",
            lambda p, w, U, r, x, e: parts_of(p, w, U, r, x, 0),
            "incorrect",
            "ε is missing",
        ),
        (
            "right only",
            lambda p, w, U, r, x, e: parts_of(p, w, np.c_[U, 0 * U[:, 0]], r, -1, e),
            "incorrect",
            "right token's logit only",
        ),
        (
            "sign",
            lambda p, w, U, r, x, e: parts_of(p, w, U, x, r, e),
            "incorrect",
            "minus that of `wrong`",
        ),
        (
            "all parts together",
            lambda p, w, U, r, x, e: parts_of(p, w, U, r, x, e, root=np.sqrt(p.var() + e)),
            "incorrect",
            "the *sum* of the parts",
        ),
        ("total", lambda *a: parts_of(*a).sum(), "incorrect", "keep the parts apart"),
        ("leave one out", leave_one_out, "incorrect", "normalised anew"),
        ("in place", parts_in_place, "incorrect", "changes its argument"),
    ],
}

RIGHT = {
    "read_head": [
        ("a loop", head_by_loop),
        ("single precision", head_single),
        ("scaled, softmax", head_scaled),
        ("torch", head_torch),
    ],
    "difference_parts": [
        ("centring matrix", parts_by_matrix),
        ("a loop", parts_by_loop),
        ("single precision", lambda p, w, U, *a: parts_of(*(np.float32(x) for x in (p, w, U)), *a)),
    ],
}
