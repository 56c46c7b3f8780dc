"""Wrong and unusual right answers of lesson 09: rotary scores."""

import math

import numpy as np

# Exercise 2


def angles_of(d, base):
    return base ** (-2 * np.arange(d // 2) / d)


def turn(x, positions, theta):
    """Halves, with a matrix product for each pair."""
    a, b = np.split(x, 2, axis=-1)
    angle = np.asarray(positions)[:, None] * theta
    return np.concatenate(
        (a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)), -1
    )


def scores(q, k, t, s, base, theta=None, turned=turn):
    theta = angles_of(q.shape[1], base) if theta is None else theta
    return turned(q, t, theta) @ turned(k, s, theta).T


def exchanged_functions(x, positions, theta):
    a, b = np.split(x, 2, axis=-1)
    angle = np.asarray(positions)[:, None] * theta
    return np.concatenate(
        (a * np.cos(angle) - b * np.sin(angle), a * np.cos(angle) + b * np.sin(angle)), -1
    )


def wrong_sign(x, positions, theta):
    a, b = np.split(x, 2, axis=-1)
    angle = np.asarray(positions)[:, None] * theta
    return np.concatenate(
        (a * np.cos(angle) + b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)), -1
    )


def new_half(x, positions, theta):
    """The first half is overwritten before the second is computed."""
    x, half = x.copy(), x.shape[1] // 2
    angle = np.asarray(positions)[:, None] * theta
    x[:, :half] = x[:, :half] * np.cos(angle) - x[:, half:] * np.sin(angle)
    x[:, half:] = x[:, :half] * np.sin(angle) + x[:, half:] * np.cos(angle)
    return x


def varied(change):
    """The right function with other angles; change takes j, d and base."""
    return lambda q, k, t, s, base: scores(
        q, k, t, s, base, change(np.arange(q.shape[1] // 2), q.shape[1], base)
    )


def interleaved(q, k, t, s, base):
    order = np.concatenate((np.arange(0, q.shape[1], 2), np.arange(1, q.shape[1], 2)))
    return scores(q[:, order], k[:, order], t, s, base)


def by_loops(q, k, t, s, base):
    half = q.shape[1] // 2
    out = [[0.0] * len(k) for _ in q]
    for i, x in enumerate(q):
        for n, y in enumerate(k):
            for j in range(half):
                angle = float(t[i] - s[n]) * base ** (-j / half)
                along = x[j] * y[j] + x[j + half] * y[j + half]
                across = x[j] * y[j + half] - x[j + half] * y[j]
                out[i][n] += along * math.cos(angle) + across * math.sin(angle)
    return np.array(out)


def by_complex(q, k, t, s, base):
    half = q.shape[1] // 2
    theta = angles_of(2 * half, base)
    z = [x[:, :half] + 1j * x[:, half:] for x in (q, k)]
    turned = [x * np.exp(1j * np.outer(at, theta)) for x, at in zip(z, (t, s), strict=True)]
    return (turned[0] @ turned[1].conj().T).real


def in_single_precision(q, k, t, s, base):
    return scores(q.astype(np.float32), k.astype(np.float32), t, s, base).astype(np.float32)


def by_blocks(q, k, t, s, base):
    """Rotation matrices, one for each position."""
    half, theta = q.shape[1] // 2, angles_of(q.shape[1], base)

    def matrix(at):
        c, sn = np.diag(np.cos(at * theta)), np.diag(np.sin(at * theta))
        return np.block([[c, sn], [-sn, c]])

    assert half == len(theta)
    queries = np.stack([x @ matrix(at) for x, at in zip(q, t, strict=True)])
    keys = np.stack([x @ matrix(at) for x, at in zip(k, s, strict=True)])
    return np.einsum("id,jd->ij", queries, keys)


def with_torch(q, k, t, s, base):
    import torch

    half = q.shape[1] // 2
    theta = torch.from_numpy(angles_of(2 * half, base))

    def turned(x, at):
        z = torch.complex(*torch.from_numpy(x.copy()).split(half, dim=1))
        angle = torch.from_numpy(np.array(at))[:, None] * theta
        return z * torch.polar(torch.ones_like(angle), angle)

    return (turned(q, t) @ turned(k, s).conj().T).real


def in_place(q, k, t, s, base):
    q[:] = turn(q, t, angles_of(q.shape[1], base))
    return q @ turn(k, s, angles_of(q.shape[1], base)).T


def the_example(q, k, t, s, base):
    return np.cos(np.subtract.outer(t, s)) * np.ones((len(q), len(k)))


def fixed_order(q, k, t, s, base):
    return scores(q, k, np.arange(len(q)), np.arange(len(k)), base)


# Exercise 3


def phasors(x, pairing):
    half = len(x) // 2
    if pairing == "halves":
        return x[:half] + 1j * x[half:]
    return x[0::2] + 1j * x[1::2]


def parts(q, k, offsets, base, pairing):
    code = np.exp(1j * np.outer(offsets, angles_of(len(q), base)))
    return phasors(q, pairing), phasors(k, pairing), code


def at_offsets(*args):
    z_q, z_k, code = parts(*args)
    return (z_q * z_k.conj() * code).real.sum(-1)


def by_angles(*args):
    z_q, z_k, code = parts(*args)
    between = np.angle(z_q) - np.angle(z_k) + np.angle(code)
    return (abs(z_q) * abs(z_k) * np.cos(between)).sum(axis=-1)


def by_turning(q, k, offsets, base, pairing):
    if pairing == "interleaved":
        order = np.r_[0 : len(q) : 2, 1 : len(q) : 2]
        q, k = q[order], k[order]
    turned = turn(np.tile(q, (len(offsets), 1)), offsets, angles_of(len(q), base))
    return turned @ k


def shortest(q, k, offsets, base, pairing):
    z_q, z_k, code = parts(q, k, offsets, base, pairing)
    return np.real(code @ (z_q * z_k.conj())).astype(np.float32)


def only(pairing):
    return lambda q, k, offsets, base, _: at_offsets(q, k, offsets, base, pairing)


WRONG = {
    "rotary_scores": [
        (
            "new half",
            lambda *a: scores(*a, turned=new_half),
            "incorrect",
            "made of the *new* first half",
        ),
        (
            "key turned back",
            lambda q, k, t, s, b: scores(q, k, t, -s, b),
            "incorrect",
            "depends on t + s",
        ),
        (
            "both turned back",
            lambda q, k, t, s, b: scores(q, k, -t, -s, b),
            "incorrect",
            "signs of the sines",
        ),
        (
            "keys not turned",
            lambda q, k, t, s, b: scores(q, k, t, 0 * s, b),
            "incorrect",
            "keys were not turned",
        ),
        (
            "queries not turned",
            lambda q, k, t, s, b: scores(q, k, 0 * t, s, b),
            "incorrect",
            "queries were not turned",
        ),
        ("nothing turned", lambda q, k, t, s, b: q @ k.T, "incorrect", "Nothing was turned"),
        ("interleaved", interleaved, "incorrect", "neighbours"),
        (
            "sines and cosines",
            lambda *a: scores(*a, turned=exchanged_functions),
            "incorrect",
            "is mixed up in the turn",
        ),
        (
            "a sign",
            lambda *a: scores(*a, turned=wrong_sign),
            "incorrect",
            "is mixed up in the turn",
        ),
        ("root", lambda *a: scores(*a) / a[0].shape[1] ** 0.5, "incorrect", "Do not divide"),
        ("transposed", lambda *a: scores(*a).T, "incorrect", "transpose"),
        ("the 2 missing", varied(lambda j, d, b: b ** (-j / d)), "incorrect", "2 is missing"),
        ("from 1", varied(lambda j, d, b: b ** (-2 * (j + 1) / d)), "incorrect", "from j = 0"),
        ("2 twice", varied(lambda j, d, b: b ** (-4 * j / d)), "incorrect", "already there"),
        ("faster", varied(lambda j, d, b: b ** (2 * j / d)), "incorrect", "is negative"),
        (
            "degrees",
            varied(lambda j, d, b: np.deg2rad(b ** (-2 * j / d))),
            "incorrect",
            "in radians",
        ),
        (
            "base fixed",
            varied(lambda j, d, b: 10_000.0 ** (-2 * j / d)),
            "incorrect",
            "is an argument",
        ),
        ("places", fixed_order, "incorrect", "positions that are given"),
        ("the example", the_example, "incorrect", "the scores for d_head 8"),
        ("in place", in_place, "incorrect", "changes its argument"),
    ],
    "score_at_offsets": [
        (
            "no second conjugate",
            lambda *a: (lambda q, k, c: (q * k * c.conj()).real.sum(-1))(*parts(*a)),
            "incorrect",
            "conjugate one of the two sides",
        ),
        (
            "bound",
            lambda *a: (lambda q, k, c: (q * (k * c).conj()).real.sum(-1))(*parts(*a)),
            "incorrect",
            "was *bound*",
        ),
        (
            "no conjugate",
            lambda *a: (lambda q, k, c: (q * k * c).real.sum(-1))(*parts(*a)),
            "incorrect",
            "No conjugate is left",
        ),
        (
            "exchanged",
            lambda q, k, *a: at_offsets(k, q, *a),
            "incorrect",
            "or q and k are exchanged",
        ),
        ("halves only", only("halves"), "incorrect", "'interleaved' is asked for here"),
        ("interleaved only", only("interleaved"), "incorrect", "'halves' is asked for here"),
        (
            "similarity",
            lambda *a: at_offsets(*a) / np.linalg.norm(a[0]) / np.linalg.norm(a[1]),
            "incorrect",
            "divides by the lengths",
        ),
        ("mean", lambda *a: at_offsets(*a) / (len(a[0]) // 2), "incorrect", "not their mean"),
        (
            "angles only",
            lambda *a: (lambda q, k, c: (q / abs(q) * (k / abs(k)).conj() * c).real.sum(-1))(
                *parts(*a)
            ),
            "incorrect",
            "are no phasors",
        ),
        (
            "absolute",
            lambda *a: (lambda q, k, c: abs((q * k.conj() * c).sum(-1)))(*parts(*a)),
            "incorrect",
            "absolute value",
        ),
        (
            "complex",
            lambda *a: (lambda q, k, c: (q * k.conj() * c).sum(-1))(*parts(*a)),
            "incorrect",
            "real part",
        ),
        (
            "not summed",
            lambda *a: (lambda q, k, c: (q * k.conj() * c).real)(*parts(*a)),
            "incorrect",
            "sum over the pairs",
        ),
        (
            "sizes of offsets",
            lambda q, k, o, b, p: at_offsets(q, k, abs(o), b, p),
            "incorrect",
            "may be negative",
        ),
    ],
}

RIGHT = {
    "rotary_scores": [
        ("loops", by_loops),
        ("complex numbers", by_complex),
        ("matrices", by_blocks),
        ("single precision", in_single_precision),
        ("torch", with_torch),
    ],
    "score_at_offsets": [
        ("right", at_offsets),
        ("by angles", by_angles),
        ("by turning", by_turning),
        ("one product, single precision", shortest),
    ],
}
