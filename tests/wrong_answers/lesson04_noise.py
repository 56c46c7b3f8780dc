"""Wrong and unusual right answers of lesson 04: exercises 4 and 5."""

import numpy as np


def lengths(n, depth, op):
    return (2**depth if op == "HRR" else 1) + n - 1


def ratios(r):
    return r[None] / r[:, None]


def by_inverse_squares(r):
    """All sums at once: the mean over j of (Σ_i r_ij²) / r_kj²."""
    return ((r**2).sum(0) / r**2).mean(-1) ** -0.5


def division_by_loop(r):
    out = []
    for k in r:
        total = 0.0
        for i in r:
            total += sum((a / b) ** 2 for a, b in zip(i, k, strict=True)) / len(k)
        out.append(total**-0.5)
    return np.array(out, dtype=np.float32)


def no_squares(r):
    with np.errstate(all="ignore"):
        return (r.sum(0) / r).mean(-1) ** -0.5


def simulated(r):
    f = np.random.default_rng(0).normal(size=(20_000, *r.shape)) / r.shape[1] ** 0.5
    reading = (f * r).sum(1)[:, None] / r  # [run, k, j]
    return (reading**2).sum(-1).mean(0) ** -0.5


WRONG = {
    "predicted_cosine": [
        (
            "product of the laws",
            lambda n, t, op: 2 ** (-t / 2) / n**0.5 if op == "HRR" else n**-0.5,
            "incorrect",
            "multiplied the two laws",
        ),
        ("counted twice", lambda n, t, op: (lengths(n, t, op) + 1) ** -0.5, "incorrect", "twice"),
        ("depth 1", lambda n, t, op: (n + 1) ** -0.5, "incorrect", "law for depth 1"),
        ("squared", lambda n, t, op: 1 / lengths(n, t, op), "incorrect", "a root is missing"),
        ("adds up", lambda n, t, op: (n + t) ** -0.5, "incorrect", "it multiplies"),
        ("no crosstalk", lambda n, t, op: 2 ** (-t / 2), "incorrect", "crosstalk of the other"),
        ("no depth", lambda n, t, op: n**-0.5, "incorrect", "noise of the depth"),
        (
            "HRR for all",
            lambda n, t, op: lengths(n, t, "HRR") ** -0.5,
            "incorrect",
            "the law of HRR",
        ),
        ("length", lambda n, t, op: lengths(n, t, op) ** 0.5, "incorrect", "1 over it"),
        ("squared length", lengths, "incorrect", "1 over its root"),
        (
            "ℓ squared",
            lambda n, t, op: ((t * t if op == "HRR" else 1) + n - 1) ** -0.5,
            "incorrect",
            "not ℓ²",
        ),
        (
            "depth 2 only",
            lambda n, t, op: (2**t + n - 1 if op == "HRR" or t != 2 else n) ** -0.5,
            "incorrect",
            "the law of HRR",
        ),
        (
            "small letters",
            lambda n, t, op: (2**t + n - 1 if op == "hrr" else n) ** -0.5,
            "incorrect",
            "in capitals",
        ),
        (
            "MBAT without crosstalk",
            lambda n, t, op: lengths(n, t, op) ** -0.5 if op == "HRR" else 1.0,
            "incorrect",
            "crosstalk of the other",
        ),
        (
            "MBAT, each level",
            lambda n, t, op: lengths(n, t, op) ** -0.5 if op == "HRR" else n ** (-t / 2),
            "incorrect",
            "once for each level",
        ),
        (
            "each level",
            lambda n, t, op: (n + 1) ** (-t / 2) if op == "HRR" else n**-0.5,
            "incorrect",
            "law of depth 1 does not",
        ),
        (
            "others squared",
            lambda n, t, op: (1 + (n - 1) * 2**t) ** -0.5 if op == "HRR" else n**-0.5,
            "incorrect",
            "other way round",
        ),
        (
            "the question is named",
            lambda n, t, op: 0.3,
            "incorrect",
            '`predicted_cosine(6, 5, "HRR")` is not right',
        ),
    ],
    "division_cosines": [
        (
            "upside down",
            lambda r: ((1 / ratios(r)) ** 2).mean(-1).sum(-1) ** -0.5,
            "incorrect",
            "upside down",
        ),
        (
            "apart",
            lambda r: ((r**2).mean() * len(r) / (r**2).mean(-1)) ** -0.5,
            "incorrect",
            "apart and then divided",
        ),
        (
            "inverse apart",
            lambda r: ((r**2).mean() * len(r) * (1 / r**2).mean(-1)) ** -0.5,
            "incorrect",
            "1/r_k² apart",
        ),
        (
            "twice",
            lambda r: (1 + (ratios(r) ** 2).mean(-1).sum(-1)) ** -0.5,
            "incorrect",
            "counted twice",
        ),
        (
            "not the filler",
            lambda r: ((ratios(r) ** 2).mean(-1).sum(-1) - 1) ** -0.5,
            "incorrect",
            "filler itself is missing",
        ),
        ("power", lambda r: (ratios(r) ** 2).mean(-1).sum(-1), "incorrect", "squared length its"),
        ("no root", lambda r: 1 / (ratios(r) ** 2).mean(-1).sum(-1), "incorrect", "a root is"),
        ("sum", lambda r: (ratios(r) ** 2).sum((-1, -2)) ** -0.5, "incorrect", "not a sum"),
        ("mean", lambda r: (ratios(r) ** 2).mean((-1, -2)) ** -0.5, "incorrect", "not a mean"),
        (
            "signs kept",
            lambda r: (ratios(r).sum(1) ** 2).mean(-1) ** -0.5,
            "incorrect",
            "with their signs",
        ),
        ("signs only", lambda r: np.full(len(r), len(r) ** -0.5), "incorrect", "for signs only"),
        ("one number", lambda r: (ratios(r) ** 2).mean() ** -0.5, "incorrect", "for each"),
        ("not summed", lambda r: (ratios(r) ** 2).mean(-1) ** -0.5, "incorrect", "sum over the p"),
        (
            "axes exchanged",
            lambda r: (ratios(r) ** 2).mean(1).sum(-1) ** -0.5,
            "incorrect",
            "exchanged the axes",
        ),
        (
            "over one role",
            lambda r: ((r**2).sum(-1, keepdims=True) / r**2).mean(-1) ** -0.5,
            "incorrect",
            "exchanged the axes",
        ),
        ("no squares", no_squares, "incorrect", "with their signs"),
        (
            "sum below",
            lambda r: (r**2 / (r**2).sum(0)).mean(-1) ** -0.5,
            "incorrect",
            "upside down",
        ),
        (
            "kept away from 0",
            lambda r: by_inverse_squares(np.sign(r) * np.maximum(abs(r), 0.35)),
            "incorrect",
            "kept away from 0",
        ),
        (
            "bounded",
            lambda r: (np.clip(ratios(r), -6, 6) ** 2).mean(-1).sum(-1) ** -0.5,
            "incorrect",
            "kept away from 0",
        ),
        (
            "epsilon",
            lambda r: ((r[None] / (r[:, None] + 1e-6)) ** 2).mean(-1).sum(-1) ** -0.5,
            "incorrect",
            "kept away from 0",
        ),
        ("squeezed", lambda r: np.squeeze(by_inverse_squares(r)), "incorrect", "for N = 1"),
        ("simulated", simulated, "incorrect", "was it simulated"),
        (
            "variance",
            lambda r: (1 + ratios(r).var(-1).sum(-1)) ** -0.5,
            "incorrect",
            "takes the mean off",
        ),
    ],
}
RIGHT = {
    "predicted_cosine": [
        ("NumPy scalar", lambda n, t, op: np.float32(lengths(n, t, op) ** -0.5)),
        ("as a fraction of powers", lambda n, t, op: (n + (2**t - 1) * (op == "HRR")) ** -0.5),
    ],
    "division_cosines": [
        ("inverse squares", by_inverse_squares),
        ("loop, float32", division_by_loop),
    ],
}
