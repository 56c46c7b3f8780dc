"""Wrong and unusual right answers of lesson 04."""

import numpy as np

norm = np.linalg.norm

# Exercise 1


def translated(w, s, t, b):
    return ((w * s * t) @ b.T).argmax(-1)


def word_by_word(w, s, t, b):
    """Find the role first, clean it up, then read the target."""
    out = []
    for word in w:
        role = b[np.argmax(b @ (word * s))]
        out.append(int(np.argmax(b @ (role * t))))
    return np.array(out)


def by_distance(w, s, t, b):
    x = (w * s * t).astype(np.float32)
    x /= norm(x, axis=-1, keepdims=True) / np.sqrt(b.shape[1])
    return np.array([norm(b - one, axis=-1).argmin() for one in x], dtype=np.int32)


# Exercise 2


def circulant(r):
    return np.array([np.roll(r, k) for k in range(len(r))])


def by_random_fillers(bind, d):
    f = np.random.default_rng(3).normal(size=(2 * d, d))
    return np.linalg.lstsq(f, np.array([bind(x) for x in f]), rcond=None)[0]


# Exercise 3


def stack(roles):
    return np.eye(roles.shape[-1]), roles.swapaxes(-1, -2), roles @ roles


def near(x, y, tolerance=1e-4):
    return (abs(x - y) < tolerance).all((-1, -2))


def report(roles):
    eye, t, twice = stack(roles)
    return near(roles @ t, eye), near(twice, eye), np.trace(twice, axis1=1, axis2=2) / len(eye)


def report_by_loop(roles):
    orthogonal, own, back = [], [], []
    for r in roles:
        inverse = np.linalg.pinv(r)
        full = np.linalg.matrix_rank(r) == len(r)
        orthogonal.append(full and np.allclose(r.T, inverse, atol=1e-5, rtol=0))
        own.append(full and np.allclose(r, inverse, atol=1e-5, rtol=0))
        back.append(np.sum(r * r.T) / len(r))
    return np.array(orthogonal), np.array(own), np.array(back)


def report_by_einsum(roles):
    roles = roles.astype(np.float32)
    d = roles.shape[-1]
    gram = np.einsum("nij,nkj->nik", roles, roles)
    twice = np.einsum("nij,njk->nik", roles, roles)
    return [
        abs(gram - np.eye(d)).max((1, 2)) < 1e-4,
        abs(twice - np.eye(d)).max((1, 2)) < 1e-4,
        np.einsum("nij,nji->n", roles, roles) / d,
    ]


def report_by_eigenvalues(roles):
    """The trace of R² is the sum of the squared eigenvalues."""
    orthogonal, own, _ = report(roles)
    return orthogonal, own, (np.linalg.eigvals(roles) ** 2).sum(-1).real / roles.shape[-1]


def only(which, change):
    """The right report with one of its parts changed."""

    def answer(roles):
        parts = list(report(roles))
        parts[which] = change(roles)
        return tuple(parts)

    return answer


def trace(x):
    return np.trace(x, axis1=-2, axis2=-1)


def symmetric(r):
    return near(r, r.swapaxes(-1, -2))


def unit_det(r):
    return abs(abs(np.linalg.det(r)) - 1) < 1e-6


# Exercises 4 and 5


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


WRONG = {
    "counterparts": [
        (
            "source only",
            lambda w, s, t, b: (w * s @ b.T).argmax(-1),
            "incorrect",
            "These are the roles",
        ),
        (
            "target only",
            lambda w, s, t, b: (w * t @ b.T).argmax(-1),
            "incorrect",
            "target only",
        ),
        (
            "word itself",
            lambda w, s, t, b: (w @ b.T).argmax(-1),
            "incorrect",
            "the words themselves",
        ),
        (
            "sum",
            lambda w, s, t, b: ((w + s + t) @ b.T).argmax(-1),
            "incorrect",
            "Adding them leaves",
        ),
        (
            "lowest",
            lambda w, s, t, b: ((w * s * t) @ b.T).argmin(-1),
            "incorrect",
            "*lowest*",
        ),
        ("products", lambda w, s, t, b: (w * s * t).astype(int), "incorrect", "These are the prod"),
        ("scores", lambda w, s, t, b: (w * s * t) @ b.T, "incorrect", "These are the scores"),
        (
            "over the words",
            lambda w, s, t, b: ((w * s * t) @ b.T).argmax(0),
            "incorrect",
            "over the codebook",
        ),
        ("one", lambda w, s, t, b: ((w * s * t) @ b.T).argmax(), "incorrect", "for each word"),
    ],
    "matrix_of": [
        (
            "columns",
            lambda bind, d: np.column_stack([bind(e) for e in np.eye(d)]),
            "incorrect",
            "in the columns",
        ),
        ("diagonal", lambda bind, d: np.diag(bind(np.ones(d))), "incorrect", "for MAP only"),
        ("circulant", lambda bind, d: circulant(bind(np.eye(d)[0])), "incorrect", "for HRR only"),
        ("one row", lambda bind, d: bind(np.eye(d)[0]), "incorrect", "answer to one filler"),
        (
            "same row",
            lambda bind, d: np.tile(bind(np.eye(d)[0]), (d, 1)),
            "incorrect",
            "same answer into every row",
        ),
        ("not asked", lambda bind, d: np.eye(d), "incorrect", "was not asked"),
        ("twice", lambda bind, d: bind(bind(np.eye(d))), "incorrect", "applied twice"),
        ("a number", lambda bind, d: bind(1.0), "error", "the filler has shape ()"),
    ],
    "role_report": [
        ("swapped", lambda r: (report(r)[1], report(r)[0], report(r)[2]), "incorrect", "first"),
        (
            "unit rows",
            only(0, lambda r: (abs(norm(r, axis=-1) - 1) < 1e-6).all(-1)),
            "incorrect",
            "length of the rows only",
        ),
        ("determinant", only(0, unit_det), "incorrect", "a shear has it"),
        ("symmetric 0", only(0, symmetric), "incorrect", "whether R is symmetric"),
        (
            "invertible",
            only(0, lambda r: np.linalg.matrix_rank(r) == r.shape[-1]),
            "incorrect",
            "full rank",
        ),
        (
            "Frobenius",
            only(0, lambda r: abs((r**2).sum((1, 2)) / r.shape[-1] - 1) < 1e-6),
            "incorrect",
            "squared length of all entries",
        ),
        (
            "wide tolerance",
            only(0, lambda r: near(r @ r.swapaxes(1, 2), np.eye(r.shape[-1]), 0.045)),
            "incorrect",
            "too wide",
        ),
        (
            "not reduced",
            only(0, lambda r: abs(r @ r.swapaxes(1, 2) - np.eye(r.shape[-1])) < 1e-6),
            "incorrect",
            "All entries",
        ),
        (
            "one answer",
            only(1, lambda r: bool(report(r)[1].all())),
            "incorrect",
            "keep the first axis",
        ),
        (
            "entry by entry",
            only(1, lambda r: near(r * r, np.eye(r.shape[-1]))),
            "incorrect",
            "entry by entry",
        ),
        ("symmetric 1", only(1, symmetric), "incorrect", "2 I is symmetric"),
        (
            "symmetric and orthogonal",
            only(1, lambda r: symmetric(r) & report(r)[0]),
            "incorrect",
            "not they alone",
        ),
        ("orthogonal again", only(1, lambda r: report(r)[0]), "incorrect", "R R, not R Rᵀ"),
        (
            "up to a sign",
            only(1, lambda r: near(abs(r @ r), np.eye(r.shape[-1]))),
            "incorrect",
            "the other sign",
        ),
        ("trace", only(2, lambda r: trace(r @ r)), "incorrect", "Divide the trace by d"),
        (
            "with the transpose",
            only(2, lambda r: (r**2).sum((1, 2)) / r.shape[-1]),
            "incorrect",
            "without a transpose",
        ),
        (
            "square of the trace",
            only(2, lambda r: trace(r) ** 2 / r.shape[-1]),
            "incorrect",
            "square of the trace",
        ),
        ("not squared", only(2, lambda r: trace(r) / r.shape[-1]), "incorrect", "not of R R"),
        (
            "squares on the diagonal",
            only(2, lambda r: trace(r * r) / r.shape[-1]),
            "incorrect",
            "diagonal of the square",
        ),
        ("two parts", lambda r: report(r)[:2], "incorrect", "it needs 3"),
    ],
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
    ],
}
RIGHT = {
    "counterparts": [
        ("role first", word_by_word),
        ("by distance, float32", by_distance),
        (
            "list of dots",
            lambda w, s, t, b: np.array(
                [max(range(len(b)), key=lambda k, x=x: b[k] @ x) for x in w * s * t]
            ),
        ),
    ],
    "matrix_of": [
        ("all at once", lambda bind, d: bind(np.eye(d, dtype=int))),
        ("least squares", by_random_fillers),
        ("float32", lambda bind, d: np.stack([bind(e) for e in np.eye(d)]).astype(np.float32)),
    ],
    "role_report": [
        ("loop over inverses", report_by_loop),
        ("einsum, float32", report_by_einsum),
        ("eigenvalues", report_by_eigenvalues),
    ],
    "predicted_cosine": [
        ("NumPy scalar", lambda n, t, op: np.float32(lengths(n, t, op) ** -0.5)),
        ("as a fraction of powers", lambda n, t, op: (n + (2**t - 1) * (op == "HRR")) ** -0.5),
    ],
    "division_cosines": [
        ("inverse squares", by_inverse_squares),
        ("loop, float32", division_by_loop),
    ],
}
