"""Wrong and unusual right answers of lesson 08."""

import math
from collections import defaultdict

import numpy as np

# Exercise 1


def gain(weights, tokens, target):
    share = np.bincount(tokens, weights=weights, minlength=target + 1)
    others = np.delete(share, target)
    if share[target] <= others.max():
        return np.inf
    return 1 / (share[target] - share[tokens[-1]])


def gain_by_loop(weights, tokens, target):
    share = defaultdict(float)
    for weight, token in zip(weights, tokens, strict=True):
        share[int(token)] += float(weight)
    if any(share[target] <= share[int(c)] for c in tokens if c != target):
        return math.inf
    return 1 / (share[target] - share[int(tokens[-1])])


def gain_by_lines(weights, tokens, target):
    """Each rival gives a line 'start + slope g' to beat."""
    need = 0.0
    for rival in {int(c) for c in tokens} - {target}:
        slope = weights[tokens == target].sum() - weights[tokens == rival].sum()
        start = float(rival == tokens[-1])
        if slope <= 0:
            return float("inf")
        need = max(need, start / slope)
    return np.float32(need)


def only_the_own(weights, tokens, target):
    a, own = weights[tokens == target].sum(), weights[tokens == tokens[-1]].sum()
    return np.inf if a <= own else 1 / (a - own)


def negative_gains(weights, tokens, target):
    a, own = weights[tokens == target].sum(), weights[tokens == tokens[-1]].sum()
    return 1 / (a - own) if a != own else np.inf


def one_position(weights, tokens, target):
    at = np.flatnonzero(tokens == target)
    if not len(at) or weights[at[0]] <= weights[-1]:
        return np.inf
    return 1 / (weights[at[0]] - weights[-1])


def largest_of_the_own(weights, tokens, target):
    a, own = weights[tokens == target].sum(), weights[tokens == tokens[-1]].max()
    return 1 / (a - own) if a > own else np.inf


def without_own_copy(weights, tokens, target):
    return 1 / a if (a := weights[tokens == target].sum()) else np.inf


def wrong_side(weights, tokens, target):
    g = gain(weights, tokens, target)
    own = weights[tokens == tokens[-1]].sum()
    return g if np.isinf(g) else 1 / (weights[tokens == target].sum() + own)


def against_the_best(weights, tokens, target):
    share = np.bincount(tokens, weights=weights, minlength=target + 1)
    best = np.delete(share, target).max()
    return 1 / (share[target] - best) if share[target] > best else np.inf


def upside_down_gain(weights, tokens, target):
    g = gain(weights, tokens, target)
    return g if np.isinf(g) else 1 / g


def more_than_half(weights, tokens, target):
    a = weights[tokens == target].sum()
    return 1 / (a - weights[tokens == tokens[-1]].sum()) if a > 0.5 else np.inf


def third_by_position(weights, tokens, target):
    a, own = weights[tokens == target].sum(), weights[tokens == tokens[-1]].sum()
    return 1 / (a - own) if a > max(own, weights[tokens != target].max()) else np.inf


def zero_for_inf(*args):
    g = gain(*args)
    return 0.0 if np.isinf(g) else g


def a_large_number(weights, tokens, target):
    return min(gain(weights, tokens, target), 1e9)


# Exercise 2


def clipped(x, p, Q, K, V, W):
    at = (x + p)[..., None, :, :]
    scores = at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    e = np.where(np.tri(x.shape[-2], dtype=bool), np.exp(np.clip(scores, -700, 700)), 0)
    return (e / e.sum(-1, keepdims=True) @ (x[..., None, :, :] @ V) @ W).sum(-3)


def soft(scores, axis=-1):
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def heads_of(x, p, Q, K, V, W, hidden=-np.inf, look=None, root=None, mask=None):
    at = x + p if look is None else look
    q, k, v = at[..., None, :, :] @ Q, at[..., None, :, :] @ K, x[..., None, :, :] @ V
    root = math.sqrt(Q.shape[-1]) if root is None else root
    scores = q @ k.swapaxes(-1, -2) / root
    seen = np.tri(x.shape[-2], dtype=bool) if mask is None else mask
    return soft(np.where(seen, scores, hidden)) @ v @ W


def layer(*args, **kwargs):
    return heads_of(*args, **kwargs).sum(-3)


def by_einsum(x, p, Q, K, V, W):
    q = np.einsum("...nd,hde->...hne", x + p, Q)
    k = np.einsum("...nd,hde->...hne", x + p, K)
    scores = np.einsum("...hqe,...hke->...hqk", q, k) / Q.shape[-1] ** 0.5
    scores = scores + np.triu(np.full((x.shape[-2],) * 2, -np.inf), 1)
    return np.einsum("...hqk,...kd,hde,hef->...qf", soft(scores), x, V, W)


def by_loops(x, p, Q, K, V, W):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape[:-2]):
        text, look = x[place], x[place] + p
        for head in range(len(Q)):
            for t in range(len(text)):
                q = look[t] @ Q[head]
                scores = [q @ (look[s] @ K[head]) / math.sqrt(len(q)) for s in range(t + 1)]
                e = [math.exp(score - max(scores)) for score in scores]
                read = sum(w / sum(e) * (text[s] @ V[head]) for s, w in enumerate(e))
                out[place][t] += read @ W[head]
    return out


def by_circuits(x, p, Q, K, V, W):
    at = (x + p)[..., None, :, :]
    scores = at @ (Q @ K.swapaxes(-1, -2)) @ at.swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    scores = np.where(np.tri(x.shape[-2]) > 0, scores, -1e9)
    return (soft(scores) @ x[..., None, :, :] @ (V @ W)).sum(axis=-3)


def with_torch(x, p, Q, K, V, W):
    import torch

    x, p, Q, K, V, W = (torch.from_numpy(a.copy()) for a in (x, p, Q, K, V, W))
    at = (x + p).unsqueeze(-3)
    z = torch.nn.functional.scaled_dot_product_attention(
        at @ Q, at @ K, x.unsqueeze(-3) @ V, is_causal=True
    )
    return (z @ W).sum(-3)


def zero_scores(x, p, Q, K, V, W):
    at = (x + p)[..., None, :, :]
    scores = np.tril(at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1]))
    return (soft(scores) @ (x[..., None, :, :] @ V) @ W).sum(-3)


def late_mask(x, p, Q, K, V, W):
    at = (x + p)[..., None, :, :]
    scores = at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    return (np.tril(soft(scores)) @ (x[..., None, :, :] @ V) @ W).sum(-3)


def over_queries(x, p, Q, K, V, W):
    at = (x + p)[..., None, :, :]
    scores = at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    scores = np.where(np.tri(x.shape[-2], dtype=bool), scores, -np.inf)
    return (soft(scores, -2) @ (x[..., None, :, :] @ V) @ W).sum(-3)


def overflowing(x, p, Q, K, V, W):
    at = (x + p)[..., None, :, :]
    scores = at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    e = np.exp(np.where(np.tri(x.shape[-2], dtype=bool), scores, -np.inf))
    return (e / e.sum(-1, keepdims=True) @ (x[..., None, :, :] @ V) @ W).sum(-3)


def one_maximum(x, p, Q, K, V, W):
    at = (x + p)[..., None, :, :]
    scores = at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    e = np.exp(np.where(np.tri(x.shape[-2], dtype=bool), scores - scores.max(), -np.inf))
    return (e / e.sum(-1, keepdims=True) @ (x[..., None, :, :] @ V) @ W).sum(-3)


def nan_mask(x, p, Q, K, V, W):
    at = (x + p)[..., None, :, :]
    scores = at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    scores = scores + -np.inf * np.triu(np.ones(scores.shape[-2:]), 1)
    return (soft(scores) @ (x[..., None, :, :] @ V) @ W).sum(-3)


def in_place(x, p, Q, K, V, W):
    plain = x.copy()
    x += p
    return layer(plain, p * 0, Q, K, V, W, look=x)


def one_batch_axis(x, p, Q, K, V, W):
    """The lesson's function: [batch, pos, d_model] only."""
    at = (x + p)[:, None]
    scores = at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    scores = np.where(np.tri(x.shape[-2], dtype=bool), scores, -np.inf)
    return (soft(scores) @ (x[:, None] @ V) @ W).sum(axis=1)


def lowered(x, p, Q, K, V, W, by):
    at = (x + p)[..., None, :, :]
    scores = at @ Q @ (at @ K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    scores = scores - by * np.triu(np.ones(scores.shape[-2:]), 1)
    return (soft(scores) @ (x[..., None, :, :] @ V) @ W).sum(-3)


def values_too(x, p, Q, K, V, W):
    return layer(x + p, 0 * p, Q, K, V, W)


def tri(x, k=0):
    return np.tri(x.shape[-2], k=k, dtype=bool)


WRONG = {
    "gain_needed": [
        ("own copy forgotten", without_own_copy, "incorrect", "copies the own token as well"),
        ("only the own token", only_the_own, "incorrect", "a third token has at least as large"),
        ("one position", one_position, "incorrect", "add up their weights"),
        ("largest of the own", largest_of_the_own, "incorrect", "add up their weights"),
        ("negative", negative_gains, "incorrect", "No gain is enough here"),
        ("wrong side", wrong_side, "incorrect", "stands on the other side"),
        ("against the best", against_the_best, "incorrect", "does not enter the number"),
        ("difference", upside_down_gain, "incorrect", "1 over it"),
        ("more than half", more_than_half, "incorrect", "Here a gain is enough"),
        ("third by position", third_by_position, "incorrect", "third token has at least as large"),
        ("0 for inf", zero_for_inf, "incorrect", "No gain is enough here"),
        ("a large number", a_large_number, "incorrect", "No gain is enough here"),
        ("always inf", lambda w, t, c: np.inf, "incorrect", "Here a gain is enough"),
        ("the example", lambda w, t, c: 5.0, "incorrect", "the own token at two positions"),
    ],
    "attention_layer": [
        (
            "no mask",
            lambda x, *a: layer(x, *a, mask=tri(x) | True),
            "incorrect",
            "Later positions are seen",
        ),
        ("upside down", lambda x, *a: layer(x, *a, mask=tri(x).T), "incorrect", "upside down"),
        (
            "strict",
            lambda x, *a: layer(x, *a, mask=tri(x, -1), hidden=-1e9),
            "incorrect",
            "may see itself",
        ),
        ("zero scores", zero_scores, "incorrect", "got the score 0"),
        ("shallow mask", lambda *a: layer(*a, hidden=-1000), "incorrect", "like −1000"),
        ("mask of -100", lambda *a: layer(*a, hidden=-100), "incorrect", "like −100,"),
        ("1000 lower", lambda *a: lowered(*a, by=1000), "incorrect", "1000 was subtracted"),
        ("100 lower", lambda *a: lowered(*a, by=100), "incorrect", "100 was subtracted"),
        ("clipped", clipped, "incorrect", "cut off at ±700"),
        ("late mask", late_mask, "incorrect", "rows no longer sum to 1"),
        ("over queries", over_queries, "incorrect", "runs over the queries"),
        ("no root", lambda *a: layer(*a, root=1), "incorrect", "not divided by the root"),
        ("d_head", lambda *a: layer(*a, root=a[2].shape[-1]), "incorrect", "it is its root"),
        (
            "d_model",
            lambda *a: layer(*a, root=a[0].shape[-1] ** 0.5),
            "incorrect",
            "not of d_model",
        ),
        ("positions in values", values_too, "incorrect", "into the values as well"),
        ("no positions", lambda x, p, *W: layer(x, 0 * p, *W), "incorrect", "are not used"),
        (
            "exchanged",
            lambda x, p, Q, K, V, W: layer(x, p, K, Q, V, W),
            "incorrect",
            "Queries and keys are exchanged",
        ),
        ("mean", lambda *a: heads_of(*a).mean(-3), "incorrect", "not averaged"),
        ("first head", lambda *a: heads_of(*a)[..., 0, :, :], "incorrect", "Only the first head"),
        ("with the stream", lambda *a: a[0] + layer(*a), "incorrect", "x itself is in the result"),
        (
            "with both",
            lambda *a: a[0] + a[1] + layer(*a),
            "incorrect",
            "stream and the positions are",
        ),
        ("heads apart", heads_of, "incorrect", "one by one"),
        ("overflow", overflowing, "incorrect", "scores reach"),
        ("one maximum", one_maximum, "incorrect", "of each *row*"),
        ("0 times inf", nan_mask, "incorrect", "0 times infinity"),
        ("in place", in_place, "incorrect", "changes its argument"),
        ("one batch axis", one_batch_axis, "error", "This x has no batch axis"),
        (
            "heads counted from the front",
            lambda *a: heads_of(*a).sum(axis=1),
            "incorrect",
            "third axis from the end",
        ),
    ],
}

RIGHT = {
    "gain_needed": [("a loop", gain_by_loop), ("a line for each rival", gain_by_lines)],
    "attention_layer": [
        ("minus a billion", lambda *a: layer(*a, hidden=-1e9)),
        ("einsum", by_einsum),
        ("loops", by_loops),
        ("circuits", by_circuits),
        ("single precision", lambda *a: layer(*(x.astype(np.float32) for x in a))),
        ("torch", with_torch),
    ],
}
