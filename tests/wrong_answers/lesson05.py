"""Wrong and unusual right answers of lesson 05: phasors."""

import numpy as np

norm = np.linalg.norm


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
            "squeeze",
            lambda y, r, b: ((b.conj() @ (y * r.conj())).real / norms(y, b)).squeeze(),
            "incorrect",
            "no `squeeze`",
        ),
        (
            "a complex list",
            lambda y, r, b: list(b.conj() @ (y * r.conj()) / norms(y, b)),
            "incorrect",
            "the real part of its phasor",
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
}
