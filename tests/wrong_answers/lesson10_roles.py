"""Wrong and unusual right answers of lesson 10: three places, and what a measure sees."""

import numpy as np

norm = np.linalg.norm


def mean(M):
    return np.trace(M) / len(M)


def three(R):
    return mean(R @ R.T), mean(R) + mean(R @ R @ R.T), mean(R @ R)


def but(R, **changes):
    values = dict(zip(("after", "itself", "before"), three(R), strict=True)) | changes
    return tuple(values.values())


def by_sums(R):
    d = len(R)
    after = sum(R[i, j] ** 2 for i in range(d) for j in range(d)) / d
    cubic = np.einsum("ij,jk,ik->", R, R, R)
    return after, (sum(R[i, i] for i in range(d)) + cubic) / d, np.einsum("ij,ji->", R, R) / d


def by_basis(R):
    """The mean over the d unit vectors of a basis is the mean over all directions."""
    basis = np.linalg.qr(np.random.default_rng(3).normal(size=R.shape))[0]
    found = [(e @ R @ R.T @ e, e @ R @ e + e @ R @ R @ R.T @ e, e @ R @ R @ e) for e in basis]
    return tuple(np.mean(found, axis=0))


def simulated(R):
    """Over 200,000 draws; alike at every call."""
    d = len(R)
    e = np.random.default_rng(0).normal(size=(200_000, d)) / np.sqrt(d)
    means = (np.einsum("ni,ij,nj->n", e, M, e).mean() for M in (R @ R.T, R + R @ R @ R.T, R @ R))
    return tuple(means)


def torch_three(R):
    import torch

    R = torch.from_numpy(R.copy()).float()
    d = len(R)
    return (R * R).sum() / d, (R.trace() + (R @ R @ R.T).trace()) / d, (R * R.T).sum() / d


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
    "three_scores": [
        ("simulated", simulated, "incorrect", "draw nothing"),
        ("not divided", lambda R: tuple(len(R) * x for x in three(R)), "incorrect", "Not divided"),
        ("always 1", lambda R: but(R, after=1.0), "incorrect", "any matrix"),
        ("exchanged", lambda R: three(R)[::-1], "incorrect", "That is the place before"),
        ("one R", lambda R: but(R, after=mean(R)), "incorrect", "R comes twice"),
        ("norm", lambda R: but(R, after=norm(R) / len(R)), "incorrect", "its *square*"),
        (
            "mean of all",
            lambda R: but(R, after=(R @ R.T).mean()),
            "incorrect",
            "entries of the diagonal",
        ),
        ("token only", lambda R: but(R, itself=mean(R)), "incorrect", "The primes match, too"),
        (
            "primes only",
            lambda R: but(R, itself=mean(R @ R @ R.T)),
            "incorrect",
            "The token matches itself",
        ),
        ("twice tr R", lambda R: but(R, itself=2 * mean(R)), "incorrect", "orthogonal R only"),
        (
            "primes R Rᵀ",
            lambda R: but(R, itself=mean(R) + mean(R @ R.T)),
            "incorrect",
            "not R Rᵀ",
        ),
        (
            "primes R R R",
            lambda R: but(R, itself=mean(R) + mean(R @ R @ R)),
            "incorrect",
            "stands transposed",
        ),
        (
            "primes R R",
            lambda R: but(R, itself=mean(R) + mean(R @ R)),
            "incorrect",
            "three times R",
        ),
        (
            "token without R",
            lambda R: but(R, itself=1 + mean(R @ R @ R.T)),
            "incorrect",
            "is not 1",
        ),
        ("R Rᵀ", lambda R: but(R, before=mean(R @ R.T)), "incorrect", "nothing is transposed"),
        ("squares", lambda R: but(R, before=mean(R**2)), "incorrect", "matrix product"),
        ("size", lambda R: but(R, before=abs(mean(R @ R))), "incorrect", "may be negative"),
        (
            "trace squared",
            lambda R: but(R, before=mean(R) ** 2),
            "incorrect",
            "product of the traces",
        ),
        (
            "size of the second",
            lambda R: but(R, itself=abs(three(R)[1])),
            "incorrect",
            "may be negative",
        ),
        ("two numbers", lambda R: three(R)[:2], "incorrect", "it needs 3"),
    ],
    "composition_report": [
        (
            "no tokens",
            lambda E, Q, V: (score(V, Q), ((Q @ V.T).argmax(1) == np.arange(len(Q))).mean()),
            "incorrect",
            "W_E is missing",
        ),
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
            "what precedes",
            lambda W, Q, V: (score(V, Q), share(W @ V @ Q @ W.T)),
            "incorrect",
            "what *precedes*",
        ),
        (
            "transposed table",
            lambda W, Q, V: (score(V, Q), share(table(W, Q, V).T)),
            "incorrect",
            "the table transposed",
        ),
        (
            "in size",
            lambda W, Q, V: (score(V, Q), share(np.abs(table(W, Q, V)))),
            "incorrect",
            "not the largest in size",
        ),
        (
            "cosines",
            lambda W, Q, V: (score(V, Q), share(table(W / norm(W, axis=1)[:, None], Q, V))),
            "incorrect",
            "stay as they are",
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
    "three_scores": [
        ("sums", by_sums),
        ("a basis", by_basis),
        ("torch", torch_three),
        ("an array", lambda R: np.array(three(R))),
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
