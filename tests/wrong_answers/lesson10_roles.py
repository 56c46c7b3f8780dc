"""Wrong and unusual right answers of lesson 10: the second match, and what a measure sees."""

import numpy as np

norm = np.linalg.norm


def traces(R):
    return np.trace(R @ R.T) / len(R), np.trace(R @ R) / len(R)


def by_sums(R):
    d = len(R)
    first = sum(R[i, j] ** 2 for i in range(d) for j in range(d)) / d
    return first, np.einsum("ij,ji->", R, R) / d


def by_eigenvalues(R):
    return (np.linalg.svd(R)[1] ** 2).mean(), (np.linalg.eigvals(R) ** 2).mean().real


def torch_traces(R):
    import torch

    R = torch.from_numpy(R.copy()).float()
    return (R * R).sum() / len(R), (R * R.T).sum() / len(R)


def score(OV, QK):
    return norm(OV @ QK.T) / norm(OV) / norm(QK)


def share(table, axis=1):
    return (table.argmax(axis=axis) == np.arange(len(table))).mean()


def table(W_E, QK, OV):
    return W_E @ QK @ OV.T @ W_E.T


def report_by_loops(W_E, QK, OV):
    total = np.sqrt(np.trace(OV @ QK.T @ QK @ OV.T))
    value = total / np.sqrt((OV**2).sum() * (QK**2).sum())
    hits = 0
    for a in range(len(W_E)):
        row = [W_E[a] @ QK @ OV.T @ W_E[b] for b in range(len(W_E))]
        hits += row.index(max(row)) == a
    return value, hits / len(W_E)


WRONG = {
    "two_matches": [
        (
            "not divided",
            lambda R: (np.trace(R @ R.T), np.trace(R @ R)),
            "incorrect",
            "Not divided by d",
        ),
        ("always 1", lambda R: (1.0, traces(R)[1]), "incorrect", "any matrix"),
        ("exchanged", lambda R: traces(R)[::-1], "incorrect", "That is the second score"),
        ("one R", lambda R: (np.trace(R) / len(R),) * 2, "incorrect", "R comes twice"),
        ("norm", lambda R: (norm(R) / len(R), traces(R)[1]), "incorrect", "its *square*"),
        (
            "mean of all",
            lambda R: ((R @ R.T).mean(), (R @ R).mean()),
            "incorrect",
            "entries of the diagonal",
        ),
        ("both Rᵀ", lambda R: (traces(R)[0], traces(R)[0]), "incorrect", "nothing is transposed"),
        (
            "entries squared",
            lambda R: (traces(R)[0], np.trace(R**2) / len(R)),
            "incorrect",
            "matrix product",
        ),
        ("size", lambda R: (traces(R)[0], abs(traces(R)[1])), "incorrect", "may be negative"),
        (
            "trace squared",
            lambda R: (traces(R)[0], (np.trace(R) / len(R)) ** 2),
            "incorrect",
            "product of the traces",
        ),
        ("one number", lambda R: traces(R)[1], "incorrect", "needs a tuple of 2"),
    ],
    "composition_report": [
        (
            "Q-composition",
            lambda W, Q, V: (norm(V @ Q) / norm(V) / norm(Q), share(table(W, Q, V))),
            "incorrect",
            "QK is transposed",
        ),
        (
            "other order",
            lambda W, Q, V: (norm(Q.T @ V) / norm(V) / norm(Q), share(table(W, Q, V))),
            "incorrect",
            "OV stands first",
        ),
        (
            "not divided",
            lambda W, Q, V: (norm(V @ Q.T), share(table(W, Q, V))),
            "incorrect",
            "Divide by both",
        ),
        (
            "squared",
            lambda W, Q, V: (score(V, Q) ** 2, share(table(W, Q, V))),
            "incorrect",
            "not squared",
        ),
        (
            "largest singular value",
            lambda W, Q, V: (
                norm(V @ Q.T, 2) / norm(V, 2) / norm(Q, 2),
                share(table(W, Q, V)),
            ),
            "incorrect",
            "largest singular value",
        ),
        (
            "exchanged",
            lambda W, Q, V: (share(table(W, Q, V)), score(V, Q)),
            "incorrect",
            "the score comes first",
        ),
        (
            "baseline",
            lambda W, Q, V: (len(Q) ** -0.5, share(table(W, Q, V))),
            "incorrect",
            "measure these",
        ),
        (
            "a count",
            lambda W, Q, V: (score(V, Q), share(table(W, Q, V)) * len(W)),
            "incorrect",
            "their share",
        ),
        (
            "columns",
            lambda W, Q, V: (score(V, Q), share(table(W, Q, V), 0)),
            "incorrect",
            "best column of every *row*",
        ),
        (
            "OV as it is",
            lambda W, Q, V: (score(V, Q), share(W @ Q @ V @ W.T)),
            "incorrect",
            "OV stands transposed",
        ),
        (
            "QK transposed",
            lambda W, Q, V: (score(V, Q), share(W @ Q.T @ V.T @ W.T)),
            "incorrect",
            "QK is not transposed",
        ),
        (
            "no OV",
            lambda W, Q, V: (score(V, Q), share(W @ Q @ W.T)),
            "incorrect",
            "OV is missing",
        ),
        (
            "not matching",
            lambda W, Q, V: (score(V, Q), 1 - share(table(W, Q, V))),
            "incorrect",
            "does *not* match",
        ),
    ],
}

RIGHT = {
    "two_matches": [
        ("sums", by_sums),
        ("eigenvalues", by_eigenvalues),
        ("torch", torch_traces),
    ],
    "composition_report": [
        ("loops", report_by_loops),
        (
            "single precision",
            lambda W, Q, V: (
                np.float32(score(V, Q)),
                share(table(W, Q, V).astype(np.float32)),
            ),
        ),
    ],
}
