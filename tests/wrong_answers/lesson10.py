"""Wrong and unusual right answers of lesson 10: the tape, the four circuits."""

import numpy as np


def written(t):
    return np.concatenate((t[:1], t[:-1]))


def tape(t):
    return (written(t) == t[-1]).astype(int)


def first_only(t):
    out = np.zeros(len(t))
    found = np.flatnonzero(written(t) == t[-1])
    out[found[:1]] = 1
    return out


def last_only(t):
    out = np.zeros(len(t))
    found = np.flatnonzero(written(t) == t[-1])
    out[found[-1:]] = 1
    return out


def without_last(t):
    out = tape(t)
    out[-1] = 0
    return out


def blank_first(t):
    out = tape(t)
    out[0] = 0
    return out


def tape_by_loop(tokens):
    scores = []
    for s in range(len(tokens)):
        seen = tokens[s - 1] if s > 0 else tokens[0]
        scores.append(1.0 if seen == tokens[-1] else 0.0)
    return np.array(scores)


def tape_one_hot(tokens):
    """Both layers as matrices."""
    n = len(tokens)
    E = np.eye(int(tokens.max()) + 1)[tokens]
    A = np.eye(n, k=-1)
    A[0, 0] = 1
    return (A @ E) @ E[-1]


def circuits(P, R, beta, gain, *, qk1=None, ov1=None, qk2=None, ov2=None, places=(0, 0, 0)):
    d, d_p = len(R), P.shape[1]
    out = np.zeros((4, d + d_p, d + d_p))
    out[0, d:, d:] = beta * P[1:].T @ P[:-1] if qk1 is None else qk1
    out[1, :d, :d] = R if ov1 is None else ov1
    out[2, :d, :d] = beta * R if qk2 is None else qk2
    out[3, :d, :d] = gain * np.eye(d) if ov2 is None else ov2
    for i, on in enumerate(places):
        out[i + 1, d:, d:] = on * np.eye(d_p)
    return tuple(out)


def blocks_only(P, R, beta, gain):
    return beta * P[1:].T @ P[:-1], R, beta * R, gain * np.eye(len(R))


def tokens_in_layer_1(P, R, beta, gain):
    out = circuits(P, R, beta, gain)
    out[0][: len(R), : len(R)] = R
    return out


def first_to_last(P, R, beta, gain):
    """Right but for one place, which then attends to itself."""
    return circuits(P, R, beta, gain, qk1=beta * P.T @ np.roll(P, 1, axis=0))


def places_first(P, R, beta, gain):
    d, d_p = len(R), P.shape[1]
    order = np.r_[np.arange(d, d + d_p), np.arange(d)]
    return tuple(x[np.ix_(order, order)] for x in circuits(P, R, beta, gain))


def circuits_by_block(P, R, beta, gain):
    d, d_p = len(R), P.shape[1]
    step = sum((np.outer(P[t], P[t - 1]) for t in range(1, len(P))), np.zeros((d_p, d_p)))
    z = np.zeros((d, d_p))

    def join(a, b):
        return np.block([[a, z], [z.T, b]])

    nothing = np.zeros((d_p, d_p))
    return [
        join(np.zeros((d, d)), beta * step),
        join(R, nothing),
        join(beta * R, nothing),
        join(gain * np.eye(d), nothing),
    ]


def wrap_around(P, R, beta, gain):
    """Place 0 asks for the last one, which the mask hides from it; alone it would see itself."""
    step = P.T @ np.roll(P, 1, axis=0) if len(P) > 1 else np.zeros((P.shape[1],) * 2)
    return circuits(P, R, beta, gain, qk1=beta * step)


def single(P, R, beta, gain):
    return tuple(x.astype(np.float32) for x in circuits(P, R, beta, gain))


def torch_circuits(P, R, beta, gain):
    import torch

    return tuple(torch.from_numpy(x) for x in circuits(P, R, beta, gain))


WRONG = {
    "match_scores": [
        ("tokens", lambda t: (t == t[-1]).astype(int), "incorrect", "what was *written*"),
        (
            "the place before",
            lambda t: np.append(t[1:] == t[-1], 0).astype(int),
            "incorrect",
            "the place after",
        ),
        ("roll", lambda t: (np.roll(t, 1) == t[-1]).astype(int), "incorrect", "`np.roll`"),
        ("nothing at 0", blank_first, "incorrect", "its own"),
        ("not the last", without_last, "incorrect", "like the others"),
        ("the last only", last_only, "incorrect", "not only the last"),
        ("the first only", first_only, "incorrect", "not only the first"),
        (
            "weights",
            lambda t: tape(t) / max(tape(t).sum(), 1),
            "incorrect",
            "come before the softmax",
        ),
        (
            "moved the wrong way",
            lambda t: (np.append(t[1:], t[-1]) == t[-1]).astype(int),
            "incorrect",
            "the wrong way",
        ),
        (
            "asks for what is written",
            lambda t: (written(t) == written(t)[-1]).astype(int),
            "incorrect",
            "its own token",
        ),
        ("one short", lambda t: (t[:-1] == t[-1]).astype(int), "incorrect", "it needs (5,)"),
        ("a list", lambda t: [int(x) for x in tape(t)], "incorrect", "array"),
        ("places", lambda t: np.flatnonzero(tape(t)), "incorrect", "it needs (5,)"),
    ],
    "induction_circuits": [
        ("blocks", blocks_only, "incorrect", "block"),
        (
            "another order",
            lambda P, R, b, g: [circuits(P, R, b, g)[i] for i in (0, 2, 1, 3)],
            "incorrect",
            "have changed places",
        ),
        (
            "place 0 to itself",
            lambda P, R, b, g: circuits(
                P, R, b, g, qk1=b * (P[1:].T @ P[:-1] + np.outer(P[0], P[0]))
            ),
            "incorrect",
            "because of the mask",
        ),
        (
            "the next place",
            lambda P, R, b, g: circuits(P, R, b, g, qk1=b * P[:-1].T @ P[1:]),
            "incorrect",
            "looks at the *next* place",
        ),
        (
            "itself",
            lambda P, R, b, g: circuits(P, R, b, g, qk1=b * P.T @ P),
            "incorrect",
            "attends to *itself*",
        ),
        (
            "no beta in layer 1",
            lambda P, R, b, g: circuits(P, R, b, g, qk1=P[1:].T @ P[:-1]),
            "incorrect",
            "beta is missing",
        ),
        (
            "two back",
            lambda P, R, b, g: circuits(P, R, b, g, qk1=b * P[2:].T @ P[:-2]),
            "incorrect",
            "two places back",
        ),
        ("tokens in layer 1", tokens_in_layer_1, "incorrect", "tokens play a part"),
        (
            "Rᵀ written",
            lambda P, R, b, g: circuits(P, R, b, g, ov1=R.T, qk2=b * R.T),
            "incorrect",
            "the task asks for R",
        ),
        (
            "no role",
            lambda P, R, b, g: circuits(P, R, b, g, ov1=np.eye(len(R))),
            "incorrect",
            "without its role",
        ),
        (
            "place written",
            lambda P, R, b, g: circuits(P, R, b, g, places=(1, 0, 0)),
            "incorrect",
            "copied along",
        ),
        (
            "gain in layer 1",
            lambda P, R, b, g: circuits(P, R, b, g, ov1=g * R),
            "incorrect",
            "gain belongs to layer 2",
        ),
        (
            "beta written",
            lambda P, R, b, g: circuits(P, R, b, g, ov1=b * R),
            "incorrect",
            "belongs to the scores",
        ),
        (
            "Rᵀ in the match",
            lambda P, R, b, g: circuits(P, R, b, g, qk2=b * R.T),
            "incorrect",
            "So R, not",
        ),
        (
            "no beta in layer 2",
            lambda P, R, b, g: circuits(P, R, b, g, qk2=R),
            "incorrect",
            "beta is missing",
        ),
        (
            "tokens with tokens",
            lambda P, R, b, g: circuits(P, R, b, g, qk2=b * np.eye(len(R))),
            "incorrect",
            "*earlier* token",
        ),
        (
            "places in the match",
            lambda P, R, b, g: circuits(P, R, b, g, places=(0, b, 0)),
            "incorrect",
            "their part is 0",
        ),
        (
            "no gain",
            lambda P, R, b, g: circuits(P, R, b, g, ov2=np.eye(len(R))),
            "incorrect",
            "gain is missing",
        ),
        (
            "copies places",
            lambda P, R, b, g: circuits(P, R, b, g, places=(0, 0, g)),
            "incorrect",
            "copied along",
        ),
        (
            "unbinds in the copy",
            lambda P, R, b, g: circuits(P, R, b, g, ov2=g * R.T),
            "incorrect",
            "the unbinding was in the match",
        ),
        (
            "role in the copy",
            lambda P, R, b, g: circuits(P, R, b, g, ov2=g * R),
            "incorrect",
            "without a role",
        ),
        ("the first to the last", first_to_last, "incorrect", "With one place there is none"),
        (
            "one-hot step",
            lambda P, R, b, g: circuits(P, R, b, g, qk1=b * np.eye(P.shape[1], k=-1)),
            "incorrect",
            "any orthonormal rows",
        ),
        ("places first", places_first, "incorrect", "tokens come first"),
        ("three", lambda P, R, b, g: circuits(P, R, b, g)[:3], "incorrect", "it needs 4"),
    ],
}

RIGHT = {
    "match_scores": [
        ("a loop", tape_by_loop),
        ("one-hot", tape_one_hot),
        ("booleans", lambda t: np.r_[t[0], t[:-1]] == t[-1]),
    ],
    "induction_circuits": [
        ("blocks", circuits_by_block),
        ("wrap around", wrap_around),
        ("single precision", single),
        ("torch", torch_circuits),
    ],
}
