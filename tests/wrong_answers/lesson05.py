"""Wrong and unusual right answers of lesson 05: phasors, records and codes of numbers."""

import numpy as np

norm = np.linalg.norm

# Exercise 1


def norms(reading, b):
    return norm(reading) * norm(b, axis=-1)


def by_angles(y, r, b):
    """Lengths of the arrows times the cosine of the angles."""
    x = y * np.conj(r)
    return (abs(x) * np.cos(np.angle(x) - np.angle(b))).sum(-1) / norm(x) / np.sqrt(len(y))


def by_real_pairs(y, r, b):
    """Cosine of rows of real numbers, filler by filler."""
    x = y / r
    out = []
    for f in b:
        u, v = np.append(x.real, x.imag), np.append(f.real, f.imag)
        out.append(u @ v / norm(u) / norm(v))
    return np.array(out)


# Exercise 2


def scores(y, r, b):
    return ((y * r.conj()) @ b.conj().T).real / len(y)


def decided(s, threshold=0.5):
    return np.where(s.max(-1) > threshold, s.argmax(-1), -1)


def parse_by_loop(y, roles, fillers):
    out = []
    for r in roles:
        x = [np.vdot(f, y / r).real / len(y) for f in fillers]
        out.append(int(np.argmax(x)) if max(x) > 0.5 else -1)
    return np.array(out, dtype=np.int32)


def parse_by_peeling(y, roles, fillers):
    """Take the best pair out, again and again."""
    out = np.full(len(roles), -1)
    y = y.copy()
    while True:
        s = scores(y, roles, fillers)
        role, filler = np.unravel_index(s.argmax(), s.shape)
        if s[role, filler] < 0.5:
            return out
        out[role] = filler
        y -= roles[role] * fillers[filler]


def fillers_first(y, r, b):
    out = np.full(len(r), -1)
    for k, f in enumerate(b):
        s = ((y * f.conj()) @ r.conj().T).real / len(y)
        if s.max() > 0.5:
            out[s.argmax()] = k
    return out


def cosine_threshold(y, r, b):
    s = scores(y, r, b) * np.sqrt(len(y)) / norm(y)
    return decided(s)


def zero_is_none(y, r, b):
    out = decided(scores(y, r, b))
    return np.where(out == 0, -1, out)


# Exercise 3


def turned(base, t):
    return np.exp(1j * np.angle(base) * t[:, None])


def gaps(t):
    return t[:, None] - t


def right(base, t, w):
    return turned(base, t / w), np.sinc(gaps(t) / w)


def only(which, change):
    """The right codes with one of their parts changed."""

    def answer(base, t, w):
        parts = list(right(base, t, w))
        parts[which] = change(base, t, w)
        return tuple(parts)

    return answer


def by_hand(base, t, w):
    x = np.pi * gaps(t) / w
    with np.errstate(invalid="ignore", divide="ignore"):
        kernel = np.where(x == 0, 1, np.sin(x) / x)
    return np.array([base ** (u / w) for u in t]), kernel


def in_single(base, t, w):
    v, k = right(base, t, w)
    return v.astype(np.complex64), k.astype(np.float32)


def by_integral(base, t, w):
    """The mean over many angles instead of the formula."""
    angles = (np.arange(20_000) + 0.5) / 20_000 * np.pi
    kernel = np.cos(gaps(t)[..., None] / w * angles).mean(-1)
    return base[None] ** (t / w)[:, None], kernel


WRONG = {
    "compare": [
        (
            "bound again",
            lambda y, r, b: (b.conj() @ (y * r)).real / norms(y, b),
            "incorrect",
            "binds once more",
        ),
        (
            "fillers not conjugated",
            lambda y, r, b: (b @ (y * r.conj())).real / norms(y, b),
            "incorrect",
            "fillers are not conjugated",
        ),
        (
            "no conjugate",
            lambda y, r, b: (b @ (y * r)).real / norms(y, b),
            "incorrect",
            "Neither",
        ),
        (
            "abs",
            lambda y, r, b: abs(b.conj() @ (y * r.conj())) / norms(y, b),
            "incorrect",
            "`abs` forgets",
        ),
        (
            "abs of the real part",
            lambda y, r, b: abs((b.conj() @ (y * r.conj())).real) / norms(y, b),
            "incorrect",
            "an opposite",
        ),
        (
            "imaginary part",
            lambda y, r, b: (b.conj() @ (y * r.conj())).imag / norms(y, b),
            "incorrect",
            "is the sine",
        ),
        (
            "complex",
            lambda y, r, b: b.conj() @ (y * r.conj()) / norms(y, b),
            "incorrect",
            "`.real`",
        ),
        (
            "over d",
            lambda y, r, b: (b.conj() @ (y * r.conj())).real / len(y),
            "incorrect",
            "divided by d",
        ),
        (
            "dots",
            lambda y, r, b: (b.conj() @ (y * r.conj())).real,
            "incorrect",
            "norms are missing",
        ),
        (
            "norm of the fillers",
            lambda y, r, b: (b.conj() @ (y * r.conj())).real / norm(b, axis=-1),
            "incorrect",
            "Only the fillers' norm",
        ),
        (
            "norm of the reading",
            lambda y, r, b: (b.conj() @ (y * r.conj())).real / norm(y),
            "incorrect",
            "Only the reading's norm",
        ),
        (
            "not unbound",
            lambda y, r, b: (b.conj() @ y).real / norms(y, b),
            "incorrect",
            "unbind the role first",
        ),
        (
            "angles only",
            lambda y, r, b: np.cos(np.angle(y * r.conj()) - np.angle(b)).mean(-1),
            "incorrect",
            "how long its arrows are",
        ),
        (
            "not summed",
            lambda y, r, b: (b.conj() * (y * r.conj())).real,
            "incorrect",
            "Sum over the components",
        ),
        (
            "all summed",
            lambda y, r, b: (b.conj() * (y * r.conj())).real.sum(),
            "incorrect",
            "each filler",
        ),
    ],
    "parse": [
        ("always", lambda y, r, b: scores(y, r, b).argmax(-1), "incorrect", "always answers"),
        ("scores", scores, "incorrect", "These are the scores"),
        (
            "not divided",
            lambda y, r, b: decided(scores(y, r, b) * len(y)),
            "incorrect",
            # the codebook's answer, as without a threshold: both messages say what is missing
            "above ½",
        ),
        ("cosine", cosine_threshold, "incorrect", "*cosine*"),
        (
            "bound",
            lambda y, r, b: ((y * r) @ b.conj().T).real.argmax(-1),
            "incorrect",
            "roles are not conjugated",
        ),
        (
            "bound, threshold",
            lambda y, r, b: decided(((y * r) @ b.conj().T).real / len(y)),
            "incorrect",
            "each conjugate in its place",
        ),
        ("fillers first", fillers_first, "incorrect", "two roles"),
        ("lowest", lambda y, r, b: scores(y, r, b).argmin(-1), "incorrect", "*lowest*"),
        ("row 0 is none", zero_is_none, "incorrect", "row 0 is a filler"),
        (
            "zero for none",
            lambda y, r, b: np.maximum(decided(scores(y, r, b)), 0),
            "incorrect",
            "not 0",
        ),
        (
            "left out",
            lambda y, r, b: scores(y, r, b).argmax(-1)[scores(y, r, b).max(-1) > 0.5],
            "incorrect",
            "left out",
        ),
        (
            "over the roles",
            lambda y, r, b: scores(y, r, b).argmax(0),
            "incorrect",
            "each filler",
        ),
        (
            "divided twice",
            lambda y, r, b: decided(scores(y, r, b) / len(y)),
            "incorrect",
            "Re(Σ a b̄)/d that is",
        ),
        (
            "a list with None",
            lambda y, r, b: [k if k >= 0 else None for k in decided(scores(y, r, b))],
            "incorrect",
            "A list is not an array",
        ),
    ],
    "number_codes": [
        ("times", only(0, lambda b, t, w: turned(b, t * w)), "incorrect", "wrong way round"),
        ("no width", only(0, lambda b, t, w: turned(b, t)), "incorrect", "width is missing"),
        ("multiple", only(0, lambda b, t, w: b * (t / w)[:, None]), "incorrect", "no power"),
        (
            "0 to 2π",
            only(0, lambda b, t, w: np.exp(1j * (np.angle(b) % (2 * np.pi)) * (t / w)[:, None])),
            "incorrect",
            "from 0 to 2π",
        ),
        ("rounded", only(0, lambda b, t, w: turned(b, np.round(t / w))), "incorrect", "rounded"),
        ("π", only(0, lambda b, t, w: turned(b, np.pi * t / w)), "incorrect", "A π too many"),
        ("columns", only(0, lambda b, t, w: turned(b, t / w).T), "incorrect", "columns"),
        (
            "angles",
            only(0, lambda b, t, w: np.angle(b) * (t / w)[:, None]),
            "incorrect",
            "complex numbers",
        ),
        ("swapped", lambda b, t, w: right(b, t, w)[::-1], "incorrect", "the vectors come first"),
        ("π twice", only(1, lambda b, t, w: np.sinc(np.pi * gaps(t) / w)), "incorrect", "π inside"),
        (
            "not normalised",
            only(1, lambda b, t, w: np.sinc(gaps(t) / w / np.pi)),
            "incorrect",
            "sin(x)/x",
        ),
        ("distance", only(1, lambda b, t, w: np.sinc(gaps(t))), "incorrect", "count in widths"),
        (
            "measured",
            only(1, lambda b, t, w: (turned(b, t / w) @ turned(b, t / w).conj().T).real / len(b)),
            "incorrect",
            "You measured",
        ),
        (
            "0 / 0",
            only(1, lambda b, t, w: np.sin(np.pi * gaps(t) / w) / (np.pi * gaps(t) / w)),
            "incorrect",
            "division by zero",
        ),
        (
            "cosine",
            only(1, lambda b, t, w: np.cos(np.pi * gaps(t) / w)),
            "incorrect",
            "mean over all angles",
        ),
        ("squared", only(1, lambda b, t, w: np.sinc(gaps(t) / w) ** 2), "incorrect", "not squared"),
        ("vectors only", lambda b, t, w: turned(b, t / w), "incorrect", "tuple of 2"),
    ],
}
RIGHT = {
    "compare": [
        ("by angles", by_angles),
        ("real pairs, division", by_real_pairs),
        (
            "vdot, float32",
            lambda y, r, b: np.array(
                [np.vdot(f, y * r.conj()).real / norms(y, f[None])[0] for f in b], np.float32
            ),
        ),
        ("reading conjugated", lambda y, r, b: (b @ (y.conj() * r)).real / norms(y, b)),
    ],
    "parse": [
        ("loop", parse_by_loop),
        ("peeling", parse_by_peeling),
        ("other threshold", lambda y, r, b: decided(scores(y, r, b), 0.6)),
    ],
    "number_codes": [
        ("by hand, complex powers", by_hand),
        ("single precision", in_single),
        ("by an integral", by_integral),
        ("a list", lambda b, t, w: list(right(b, t, w))),
    ],
}
