"""Wrong and unusual right answers of lesson 07: exercise 1, attention."""

import numpy as np

norm = np.linalg.norm

# Exercise 1


def soft(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def hidden(scores, value=-np.inf):
    return np.where(np.tri(len(scores), dtype=bool), scores, value)


def attend(q, k, v, beta):
    return soft(hidden(beta * q @ k.T)) @ v


def added_mask(q, k, v, beta):
    return soft(beta * q @ k.T + np.triu(np.full((len(q), len(q)), -1e9), 1)) @ v


def one_by_one(q, k, v, beta):
    out = []
    for t in range(len(q)):
        s = np.array([beta * sum(a * b for a, b in zip(q[t], k[i])) for i in range(t + 1)])  # noqa: B905
        e = np.exp(s - max(s))
        out.append((e[:, None] * v[: t + 1]).sum(0) / e.sum())
    return np.array(out)


def by_einsum(q, k, v, beta):
    w = soft(hidden(np.einsum("td,sd->ts", q, k) * beta, -1e9))
    return np.einsum("ts,sm->tm", w, v)


def running(q, k, v, beta):
    """One pass over the keys, with a maximum that is corrected on the way."""
    out = np.empty((len(q), v.shape[1]))
    for t in range(len(q)):
        best, total, answer = -np.inf, 0.0, np.zeros(v.shape[1])
        for s in range(t + 1):
            score = beta * (q[t] @ k[s])
            new = max(best, score)
            answer = answer * np.exp(best - new) + np.exp(score - new) * v[s]
            total, best = total * np.exp(best - new) + np.exp(score - new), new
        out[t] = answer / total
    return out


def with_torch(q, k, v, beta):
    import torch

    q, k, v = (torch.from_numpy(x.copy()) for x in (q, k, v))
    unseen = torch.ones(len(q), len(q), dtype=torch.bool).triu(1)
    return (beta * q @ k.T).masked_fill(unseen, -torch.inf).softmax(-1) @ v


def unstable(q, k, v, beta):
    e = np.tril(np.exp(beta * q @ k.T))
    return e / e.sum(1, keepdims=True) @ v


def shift_before_mask(q, k, v, beta):
    s = beta * q @ k.T
    e = np.tril(np.exp(s - s.max(axis=1, keepdims=True)))
    return e / e.sum(1, keepdims=True) @ v


def shift_of_all(q, k, v, beta):
    s = hidden(beta * q @ k.T)
    e = np.exp(s - s.max())
    return e / e.sum(1, keepdims=True) @ v


def shift_and_floor(q, k, v, beta):
    e = np.tril(np.exp(np.maximum(beta * q @ k.T - (beta * q @ k.T).max(), -700)))
    return e / e.sum(1, keepdims=True) @ v


def clipped(q, k, v, beta):
    e = np.tril(np.exp(np.clip(beta * q @ k.T, -500, 500)))
    return e / e.sum(1, keepdims=True) @ v


def times_infinity(q, k, v, beta):
    with np.errstate(invalid="ignore"):
        return soft(beta * q @ k.T + np.triu(np.ones((len(q), len(q))), 1) * -np.inf) @ v


def in_place(q, k, v, beta):
    q *= beta
    return attend(q, k, v, 1)


def with_mask(value):
    return lambda q, k, v, beta: soft(hidden(beta * q @ k.T, value)) @ v


def with_added(value):
    return lambda q, k, v, b: soft(b * q @ k.T + value * (1 - np.tri(len(q)))) @ v


def strict_mask(q, k, v, beta):
    with np.errstate(invalid="ignore"):
        return soft(np.where(np.tri(len(q), k=-1, dtype=bool), beta * q @ k.T, -np.inf)) @ v


def clipped_beside_own(q, k, v, beta):
    s = beta * q @ k.T
    e = np.tril(np.exp(np.clip(s - np.diag(s)[:, None], -700, 700)))
    return e / e.sum(1, keepdims=True) @ v


def itself_hidden(q, k, v, beta):
    out = np.zeros((len(q), v.shape[1]))
    for t in range(1, len(q)):
        out[t] = soft(beta * k[:t] @ q[t]) @ v[:t]
    return out


def down_the_columns(q, k, v, beta):
    scores = np.where(np.tri(len(q), dtype=bool), beta * q @ k.T, -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=0) @ v


WRONG = {
    "softmax_attention": [
        ("not causal", lambda q, k, v, b: soft(b * q @ k.T) @ v, "incorrect", "s runs up to t"),
        ("divided down the columns", down_the_columns, "incorrect", "runs over the queries"),
        (
            "mask after the softmax",
            lambda q, k, v, b: np.tril(soft(b * q @ k.T)) @ v,
            "incorrect",
            "mask came after the softmax",
        ),
        (
            "zero as mask",
            lambda q, k, v, b: soft(np.tril(b * q @ k.T)) @ v,
            "incorrect",
            "A score of 0 is not hidden",
        ),
        ("no beta", lambda q, k, v, b: attend(q, k, v, 1), "incorrect", "`beta` is missing"),
        ("over beta", lambda q, k, v, b: attend(q, k, v, 1 / b), "incorrect", "*inverse*"),
        (
            "scaled",
            lambda q, k, v, b: attend(q, k, v, b / q.shape[1] ** 0.5),
            "incorrect",
            "by 1/√d as well",
        ),
        ("exchanged", lambda q, k, v, b: attend(k, q, v, b), "incorrect", "exchanged queries"),
        (
            "the later ones",
            lambda q, k, v, b: attend(q[::-1], k[::-1], v[::-1], b)[::-1],
            "incorrect",
            "above the diagonal",
        ),
        ("linear", lambda q, k, v, b: np.tril(b * q @ k.T) @ v, "incorrect", "linear attention"),
        (
            "over the queries",
            lambda q, k, v, b: soft(hidden(b * q @ k.T).T).T @ v,
            "incorrect",
            "over the queries",
        ),
        (
            "not divided",
            lambda q, k, v, b: np.tril(np.exp(np.minimum(b * q @ k.T, 700))) @ v,
            "incorrect",
            "not divided by their sum",
        ),
        (
            "cosines",
            lambda q, k, v, b: attend(
                q / norm(q, axis=1, keepdims=True), k / norm(k, axis=1, keepdims=True), v, b
            ),
            "incorrect",
            "not cosines",
        ),
        ("itself hidden", itself_hidden, "incorrect", "sees itself"),
        ("itself hidden, −inf", strict_mask, "incorrect", "sees itself"),
        ("−1000", with_mask(-1e3), "incorrect", "the hidden ones win"),
        ("−10⁴", with_mask(-1e4), "incorrect", "the hidden ones win"),
        ("−10⁵", with_mask(-1e5), "incorrect", "the hidden ones win"),
        ("−10⁶", with_mask(-1e6), "incorrect", "the hidden ones win"),
        ("−10⁶ added", with_added(-1e6), "incorrect", "the hidden ones win"),
        ("clipped beside the own score", clipped_beside_own, "incorrect", "The exponents were"),
        ("unstable", unstable, "incorrect", "largest score *that is seen*"),
        ("shift before the mask", shift_before_mask, "incorrect", "largest score *that is seen*"),
        ("shift of all", shift_of_all, "incorrect", "largest score *that is seen*"),
        ("shift of all, with a floor", shift_and_floor, "incorrect", "of the whole matrix"),
        ("clipped", clipped, "incorrect", "The exponents were clipped"),
        ("0 times infinity", times_infinity, "incorrect", "0 · inf is NaN"),
        ("in place", in_place, "incorrect", "changes its argument"),
        ("weights", lambda q, k, v, b: soft(hidden(b * q @ k.T)), "incorrect", "meet the values"),
        ("columns", lambda q, k, v, b: attend(q, k, v, b).T, "incorrect", "into a row"),
    ],
}

RIGHT = {
    "softmax_attention": [
        ("−1e9 added", added_mask),
        ("one by one", one_by_one),
        ("einsum and −1e9", by_einsum),
        ("a running maximum", running),
        (
            "single precision",
            lambda q, k, v, b: attend(*(x.astype(np.float32) for x in (q, k, v)), np.float32(b)),
        ),
        ("torch", with_torch),
    ],
}
