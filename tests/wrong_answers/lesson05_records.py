"""Wrong and unusual right answers of lesson 05: parsing a record."""

import numpy as np

norm = np.linalg.norm


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


def by_count(y, r, b):
    """As many roles as there seem to be pairs: the squared length of y is about N d."""
    s, n = scores(y, r, b), round(norm(y) ** 2 / len(y))
    out = np.full(len(r), -1)
    out[np.argsort(-s.max(-1))[:n]] = s.argmax(-1)[np.argsort(-s.max(-1))[:n]]
    return out


def among(s):
    """The best filler of a role if it has more than half of a softmax."""
    p = np.exp(8 * (s - s.max(-1, keepdims=True)))
    p /= p.sum(-1, keepdims=True)
    return np.where(p.max(-1) > 0.5, p.argmax(-1), -1)


def angles_only(y, r, b, threshold):
    return decided(np.cos(np.angle(y * r.conj())[:, None] - np.angle(b)).mean(-1), threshold)


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


WRONG = {
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
            "with the role's conjugate",
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
        *(
            (
                f"threshold {t}",
                lambda y, r, b, t=t: decided(scores(y, r, b), t),
                "incorrect",
                "compared with ½",
            )
            for t in (0.15, 0.3, 0.4, 0.6, 0.7, 0.85)
        ),
        (
            "abs of the complex score",
            lambda y, r, b: decided(abs((y * r.conj()) @ b.conj().T) / len(y)),
            "incorrect",
            "no `abs` and no square",
        ),
        (
            "abs of the score",
            lambda y, r, b: decided(abs(scores(y, r, b))),
            "incorrect",
            "An opposite filler",
        ),
        (
            "square",
            lambda y, r, b: decided(scores(y, r, b) ** 2),
            "incorrect",
            "An opposite filler",
        ),
        (
            "square, a quarter",
            lambda y, r, b: decided(scores(y, r, b) ** 2, 0.25),
            "incorrect",
            "An opposite filler",
        ),
        ("by count", by_count, "incorrect", "no count of pairs"),
        (
            "half of the highest",
            lambda y, r, b: decided(s := scores(y, r, b), s.max() / 2),
            "incorrect",
            "itself compared with ½",
        ),
        (
            "mid-range",
            lambda y, r, b: decided(s := scores(y, r, b), (s.max() + s.min()) / 2),
            "incorrect",
            "above ½",
        ),
        (
            "half of the mean",
            lambda y, r, b: decided(s := scores(y, r, b), s.max(-1).mean() / 2),
            "incorrect",
            "compared with ½",
        ),
        ("softmax", lambda y, r, b: among(scores(y, r, b)), "incorrect", "softmax"),
        (
            "first above",
            lambda y, r, b: np.where(
                (s := scores(y, r, b)).max(-1) > 0.5, (s > 0.5).argmax(-1), -1
            ),
            "incorrect",
            "The first filler above ½",
        ),
        ("angles only", lambda y, r, b: angles_only(y, r, b, 0.5), "incorrect", "finds no filler"),
        (
            "angles only, 0.2",
            lambda y, r, b: angles_only(y, r, b, 0.2),
            "incorrect",
            "how long its arrows are",
        ),
        (
            "squeeze",
            lambda y, r, b: decided(scores(y, r, b)).squeeze(),
            "incorrect",
            "no `squeeze`",
        ),
        (
            "not unbound",
            lambda y, r, b: decided(np.tile((b.conj() @ y).real / len(y), (len(r), 1))),
            "incorrect",
            "Was y unbound",
        ),
        ("all none", lambda y, r, b: np.full(len(r), -1), "incorrect", "Was y unbound"),
        ("peeling", parse_by_peeling, "incorrect", "nothing taken out"),
        *(
            (
                f"cosine {t}",
                lambda y, r, b, t=t: decided(scores(y, r, b) * np.sqrt(len(y)) / norm(y), t),
                "incorrect",
                "no cosine",
            )
            for t in (0.177, 0.2, 0.25, 0.3)
        ),
        (
            "cosine, roots of K",
            lambda y, r, b: decided(
                scores(y, r, b) * np.sqrt(len(y)) / norm(y), 0.5 / np.sqrt(len(r))
            ),
            "incorrect",
            "cosine is only",
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
}
RIGHT = {
    "parse": [
        ("loop", parse_by_loop),
        (
            "best score by division",
            lambda y, r, b: np.where(
                (s := (y / r / len(y) @ b.conj().T).real).max(-1) > 0.5, s.argmax(-1), -1
            ),
        ),
    ],
}
