"""Wrong and unusual right answers of lesson 05: codes of numbers."""

import numpy as np


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
        (
            "base, then width",
            only(0, lambda b, t, w: (b ** t[:, None]) ** (1 / w)),
            "incorrect",
            "the angle wraps",
        ),
        (
            "width, then base",
            only(0, lambda b, t, w: (b ** (1 / w)) ** t[:, None]),
            "incorrect",
            "the angle wraps",
        ),
        (
            "degrees",
            only(0, lambda b, t, w: np.exp(1j * np.angle(b, deg=True) * (t / w)[:, None])),
            "incorrect",
            "degrees",
        ),
        (
            "to radians",
            only(0, lambda b, t, w: np.exp(1j * np.deg2rad(np.angle(b)) * (t / w)[:, None])),
            "incorrect",
            "nothing is to be converted",
        ),
        (
            "from the first",
            only(0, lambda b, t, w: turned(b, (t - t[0]) / w)),
            "incorrect",
            "from the first number",
        ),
        (
            "from the smallest",
            only(0, lambda b, t, w: turned(b, (t - t.min()) / w)),
            "incorrect",
            "the smallest number",
        ),
        (
            "arctan",
            only(0, lambda b, t, w: np.exp(1j * np.arctan(b.imag / b.real) * (t / w)[:, None])),
            "incorrect",
            "arctan(imag / real)",
        ),
        (
            "squeeze",
            only(0, lambda b, t, w: turned(b, t / w).squeeze()),
            "incorrect",
            "no `squeeze`",
        ),
        (
            "squeeze the kernel",
            only(1, lambda b, t, w: np.sinc(gaps(t) / w).squeeze()),
            "incorrect",
            "no `squeeze`",
        ),
        (
            "cut at 6",
            only(1, lambda b, t, w: np.where(abs(gaps(t) / w) > 6, 0, np.sinc(gaps(t) / w))),
            "incorrect",
            "small waves go on",
        ),
        (
            "cut at 1",
            only(1, lambda b, t, w: np.where(abs(gaps(t) / w) > 1, 0, np.sinc(gaps(t) / w))),
            "incorrect",
            "small waves go on",
        ),
        (
            "ones on the diagonal only",
            only(
                1,
                lambda b, t, w: np.where(
                    np.eye(len(t)) > 0, 1, np.where(gaps(t) == 0, 0, np.sinc(gaps(t) / w))
                ),
            ),
            "incorrect",
            "off the diagonal",
        ),
        (
            "0 for equal numbers",
            only(1, lambda b, t, w: np.where(gaps(t) == 0, 0, np.sinc(gaps(t) / w))),
            "incorrect",
            "κ(0) = 1, not 0",
        ),
        ("vectors only", lambda b, t, w: turned(b, t / w), "incorrect", "tuple of 2"),
    ],
}
RIGHT = {
    "number_codes": [
        ("by hand, complex powers", by_hand),
        ("single precision", in_single),
        ("by an integral", by_integral),
        ("a list", lambda b, t, w: list(right(b, t, w))),
    ],
}
