"""Wrong and unusual right answers of lesson 03: exercise 4, roles or duals in noise."""

import numpy as np

norm = np.linalg.norm


def errors(gram, f):
    return norm(gram @ f - f, axis=-1)


def off(gram):
    return gram - np.diag(np.diag(gram))


def both(r, f, eta, *, m=None, power=2):
    gram = r @ r.T
    m = f.shape[1] if m is None else m
    cross = ((gram @ f - f) ** 2).sum(-1)
    return (
        cross + m * eta**power * np.diag(gram),
        m * eta**power * np.diag(np.linalg.inv(gram)),
    )


def by_pinv(r, f, eta):
    dual = np.linalg.pinv(r).T
    role = norm(r @ (f.T @ r).T - f, axis=-1) ** 2 + f.shape[1] * (eta * norm(r, axis=-1)) ** 2
    return role, f.shape[1] * (eta * norm(dual, axis=-1)) ** 2


def by_qr(r, f, eta):
    """The length of a dual is 1 over the distance of its role from the span of the others."""
    dual = []
    for k in range(len(r)):
        q = np.linalg.qr(np.delete(r, k, axis=0).T)[0]
        rest = r[k] - q @ (q.T @ r[k])
        dual.append(1 / float(rest @ rest))
    return [both(r, f, eta)[0].astype(np.float32), np.array(dual) * f.shape[1] * eta**2]


def by_simulation(r, f, eta):
    rng = np.random.default_rng(0)
    memory = f.T @ r + eta * rng.normal(size=(2000, f.shape[1], r.shape[1]))
    role = ((r @ memory.swapaxes(-1, -2) - f) ** 2).sum(-1).mean(0)
    dual = ((np.linalg.pinv(r).T @ memory.swapaxes(-1, -2) - f) ** 2).sum(-1).mean(0)
    return role, dual


def only(which, change):
    """The right answer with one of its parts changed."""

    def answer(r, f, eta):
        parts = list(both(r, f, eta))
        parts[which] = change(parts[which], r, f, eta)
        return tuple(parts)

    return answer


def unit_duals(x, r, f, eta):
    u = np.linalg.pinv(r).T
    u = u / norm(u, axis=-1, keepdims=True)
    return norm(u @ r.T @ f - f, axis=-1) ** 2 + f.shape[1] * eta**2


WRONG = {
    "expected_errors": [
        ("no noise", only(0, lambda x, r, f, e: errors(r @ r.T, f) ** 2), "incorrect", "noise is"),
        (
            "no crosstalk",
            only(0, lambda x, r, f, e: f.shape[1] * e**2 * (r**2).sum(-1)),
            "incorrect",
            "crosstalk is missing",
        ),
        ("no m", lambda r, f, e: both(r, f, e, m=1), "incorrect", "factor m is missing"),
        ("d for m", lambda r, f, e: both(r, f, e, m=r.shape[1]), "incorrect", "m, not d"),
        ("N for m", lambda r, f, e: both(r, f, e, m=len(r)), "incorrect", "m, not N"),
        ("noise not squared", lambda r, f, e: both(r, f, e, power=1), "incorrect", "square, η²"),
        ("swapped", lambda r, f, e: both(r, f, e)[::-1], "incorrect", "the roles first"),
        (
            "unit roles",
            only(0, lambda x, r, f, e: errors(r @ r.T, f) ** 2 + f.shape[1] * e**2),
            "incorrect",
            "as of length 1",
        ),
        (
            "zero diagonal",
            only(
                0,
                lambda x, r, f, e: (
                    norm(off(r @ r.T) @ f, axis=-1) ** 2 + f.shape[1] * e**2 * (r**2).sum(-1)
                ),
            ),
            "incorrect",
            "its own filler",
        ),
        ("roots", only(0, lambda x, r, f, e: np.sqrt(x)), "incorrect", "*squared* length is"),
        (
            "dual with crosstalk",
            only(1, lambda x, r, f, e: x + errors(r @ r.T, f) ** 2),
            "incorrect",
            "no crosstalk",
        ),
        (
            "unit duals",
            only(1, lambda x, r, f, e: 0 * x + f.shape[1] * e**2),
            "incorrect",
            "scaled the duals to length 1",
        ),
        ("unit duals read", only(1, unit_duals), "incorrect", "the error you see"),
        (
            "pinv without T",
            only(1, lambda x, r, f, e: f.shape[1] * e**2 * (np.linalg.pinv(r) ** 2).sum(-1)),
            "incorrect",
            "transpose it",
        ),
        ("exact dual", only(1, lambda x, r, f, e: 0 * x), "incorrect", "only without noise"),
        (
            "sigma",
            only(
                1,
                lambda x, r, f, e: (
                    0 * x + f.shape[1] * (e / np.linalg.svd(r, compute_uv=False)[-1]) ** 2
                ),
            ),
            "incorrect",
            "bounds the length of every dual",
        ),
        (
            "inverse length",
            only(1, lambda x, r, f, e: f.shape[1] * e**2 / (r**2).sum(-1)),
            "incorrect",
            "only if the roles are orthogonal",
        ),
        (
            "dual not squared",
            only(1, lambda x, r, f, e: f.shape[1] * e**2 * norm(np.linalg.pinv(r), axis=0)),
            "incorrect",
            "*squared* length of the dual",
        ),
        (
            "inverse Gram",
            only(
                1,
                lambda x, r, f, e: f.shape[1] * e**2 * (np.linalg.inv(r @ r.T) ** 2).sum(-1),
            ),
            "incorrect",
            "not yet the duals",
        ),
        ("simulated", by_simulation, "incorrect", "Was it simulated"),
    ],
}
RIGHT = {
    "expected_errors": [
        ("pinv", by_pinv),
        ("QR", by_qr),
        ("diagonals", both),
        ("float32", lambda r, f, e: both(r.astype(np.float32), f.astype(np.float32), e)),
    ],
}
