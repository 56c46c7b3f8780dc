"""Wrong and unusual right answers of lesson 04: exercise 3."""

import numpy as np

norm = np.linalg.norm


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
        orthogonal.append(full and np.allclose(r.T, inverse, atol=1e-4, rtol=0))
        own.append(full and np.allclose(r, inverse, atol=1e-4, rtol=0))
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


def gram(which, change):
    """One of the two properties, found from R Rᵀ or R R and the unit matrix."""

    def changed(roles):
        eye, t, twice = stack(roles)
        return change(roles, roles @ t if which == 0 else twice, eye)

    return only(which, changed)


def unit_rows_and_columns(r):
    rows, columns = (abs(norm(r, axis=axis) - 1) < 1e-4 for axis in (1, 2))
    return rows.all(-1) & columns.all(-1)


def trace(x):
    return np.trace(x, axis1=-2, axis2=-1)


def symmetric(r):
    return near(r, r.swapaxes(-1, -2))


def unit_det(r):
    return abs(abs(np.linalg.det(r)) - 1) < 1e-6


WRONG = {
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
        (
            "no abs",
            gram(0, lambda r, g, i: ((g - i) < 1e-4).all((-1, -2))),
            "incorrect",
            "`abs` missing",
        ),
        (
            "tolerance .01",
            gram(0, lambda r, g, i: (abs(g - i) < 0.01).all((-1, -2))),
            "incorrect",
            "too wide",
        ),
        (
            "tolerance .03",
            gram(0, lambda r, g, i: (abs(g - i) < 0.03).all((-1, -2))),
            "incorrect",
            "too wide",
        ),
        (
            "tolerance 1e-8",
            gram(0, lambda r, g, i: (abs(g - i) < 1e-8).all((-1, -2))),
            "incorrect",
            "too narrow",
        ),
        (
            "default isclose",
            gram(0, lambda r, g, i: np.isclose(g, i).all((-1, -2))),
            "incorrect",
            "too narrow",
        ),
        (
            "first row",
            gram(0, lambda r, g, i: (abs(g - i) < 1e-4)[:, 0].all(-1)),
            "incorrect",
            "a part only",
        ),
        (
            "last row",
            gram(0, lambda r, g, i: (abs(g - i) < 1e-4)[:, -1].all(-1)),
            "incorrect",
            "a part only",
        ),
        (
            "a block",
            gram(0, lambda r, g, i: (abs(g - i) < 1e-4)[:, :2, :2].all((-1, -2))),
            "incorrect",
            "a part only",
        ),
        (
            "signed sum",
            gram(0, lambda r, g, i: abs((g - i).sum((1, 2))) < 1e-4),
            "incorrect",
            "hides single ones",
        ),
        (
            "mean",
            gram(0, lambda r, g, i: abs(g - i).mean((1, 2)) < 1e-4),
            "incorrect",
            "a mean hides",
        ),
        (
            "any",
            gram(0, lambda r, g, i: (abs(g - i) < 1e-4).any(-1).all(-1)),
            "incorrect",
            "all entries have to",
        ),
        (
            "no abs, twice",
            gram(1, lambda r, g, i: ((g - i) < 1e-4).all((-1, -2))),
            "incorrect",
            "`abs` missing",
        ),
        (
            "tolerance .01, twice",
            gram(1, lambda r, g, i: (abs(g - i) < 0.01).all((-1, -2))),
            "incorrect",
            "too wide",
        ),
        (
            "tolerance 1e-8, twice",
            gram(1, lambda r, g, i: (abs(g - i) < 1e-8).all((-1, -2))),
            "incorrect",
            "too narrow",
        ),
        (
            "first row, twice",
            gram(1, lambda r, g, i: (abs(g - i) < 1e-4)[:, 0].all(-1)),
            "incorrect",
            "a part only",
        ),
        (
            "a block, twice",
            gram(1, lambda r, g, i: (abs(g - i) < 1e-4)[:, :2, :2].all((-1, -2))),
            "incorrect",
            "a part only",
        ),
        (
            "signed sum, twice",
            gram(1, lambda r, g, i: abs((g - i).sum((1, 2))) < 1e-4),
            "incorrect",
            "hides single ones",
        ),
        (
            "mean, twice",
            gram(1, lambda r, g, i: abs(g - i).mean((1, 2)) < 1e-4),
            "incorrect",
            "a mean hides",
        ),
        (
            "any, twice",
            gram(1, lambda r, g, i: (abs(g - i) < 1e-4).any(-1).all(-1)),
            "incorrect",
            "all entries have to",
        ),
        (
            "upper triangle",
            gram(1, lambda r, g, i: (np.triu(abs(g - i)) < 1e-4).all((-1, -2))),
            "incorrect",
            "a part only",
        ),
        (
            "lower triangle",
            gram(1, lambda r, g, i: (np.tril(abs(g - i)) < 1e-4).all((-1, -2))),
            "incorrect",
            "a part only",
        ),
        (
            "diagonal",
            gram(1, lambda r, g, i: (abs(np.diagonal(g, axis1=1, axis2=2) - 1) < 1e-4).all(-1)),
            "incorrect",
            "diagonal only",
        ),
        (
            "eigenvalues ±1",
            gram(1, lambda r, g, i: (abs(np.linalg.eigvals(r) ** 2 - 1) < 1e-3).all(-1)),
            "incorrect",
            "The eigenvalues of R R",
        ),
        ("four times", gram(1, lambda r, g, i: near(g @ g, i)), "incorrect", "four times"),
        (
            "backward is 1",
            gram(1, lambda r, g, i: abs(trace(g) / len(i) - 1) < 1e-4),
            "incorrect",
            "by chance",
        ),
        (
            "unit columns",
            gram(0, lambda r, g, i: (abs(norm(r, axis=1) - 1) < 1e-4).all(-1)),
            "incorrect",
            "or of the columns",
        ),
        ("unit rows and columns", only(0, unit_rows_and_columns), "incorrect", "or of the columns"),
        (
            "length of ones",
            gram(0, lambda r, g, i: abs(norm(r.sum(1), axis=-1) - len(i) ** 0.5) < 1e-4),
            "incorrect",
            "One vector",
        ),
        (
            "sizes of eigenvalues",
            gram(0, lambda r, g, i: (abs(abs(np.linalg.eigvals(r)) - 1) < 1e-3).all(-1)),
            "incorrect",
            "sizes of the eigenvalues",
        ),
        (
            "right angles only",
            gram(0, lambda r, g, i: (abs(g * (1 - i)) < 1e-4).all((-1, -2))),
            "incorrect",
            "At right angles",
        ),
        (
            "condition number",
            gram(0, lambda r, g, i: abs(np.linalg.cond(r) - 1) < 1e-3),
            "incorrect",
            "At right angles",
        ),
        (
            "normal",
            gram(0, lambda r, g, i: near(g, r.swapaxes(1, 2) @ r)),
            "incorrect",
            "is not enough: 2 I",
        ),
        (
            "zeros and ones",
            lambda r: tuple(x.astype(int) for x in report(r)[:2]) + report(r)[2:],
            "incorrect",
            "comparison itself",
        ),
        (
            "trace of the stack",
            lambda r: (*report(r)[:2], np.trace(r @ r) / r.shape[-1]),
            "incorrect",
            "takes the axes 0 and 1",
        ),
        (
            "cut at -1",
            only(2, lambda r: np.clip(report(r)[2], -1, None)),
            "incorrect",
            "do not cut",
        ),
        (
            "relative",
            only(2, lambda r: trace(r @ r) / (r**2).sum((1, 2))),
            "incorrect",
            "not by tr(R Rᵀ)",
        ),
        ("divided by n", only(2, lambda r: trace(r @ r) / len(r)), "incorrect", "number of maps"),
    ],
}
RIGHT = {
    "role_report": [
        ("loop over inverses", report_by_loop),
        ("einsum, float32", report_by_einsum),
        ("eigenvalues", report_by_eigenvalues),
    ],
}
