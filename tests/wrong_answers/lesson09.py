"""Wrong and unusual right answers of lesson 09: what each part does, and LayerNorm."""

import numpy as np

RIGHT_WORDS = {
    **{"A": "bundle", "B": "bind", "C": "match", "D": "unbind", "E": "bundle", "F": "bind"},
    **{"G": "bind", "H": "unbind", "I": "neither", "J": "neither", "K": "bind"},
}


def but(**changes):
    return lambda: RIGHT_WORDS | changes


def without_k():
    return {key: word for key, word in RIGHT_WORDS.items() if key != "K"}


# Exercise 4


def after(C, c):
    return (C - np.outer(c, c)) / np.sqrt(np.outer(1 - c**2, 1 - c**2))


def by_loops(C, c):
    out = np.empty_like(C)
    for i, j in np.ndindex(C.shape):
        out[i, j] = (C[i, j] - c[i] * c[j]) / ((1 - c[i] ** 2) * (1 - c[j] ** 2)) ** 0.5
    return out


def by_the_diagonal(C, c):
    left = C - c[:, None] * c
    lengths = np.diag(left) ** 0.5
    return left / lengths / lengths[:, None]


def by_vectors(C, c):
    """Vectors with these cosines, by a factor of the Gram matrix of all n + 1."""
    values, vectors = np.linalg.eigh(np.block([[C, c[:, None]], [c[None], np.ones((1, 1))]]))
    x = vectors * np.sqrt(np.maximum(values, 0))
    x = x[:-1] - np.outer(x[:-1] @ x[-1], x[-1])
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    return x @ x.T


def with_torch(C, c):
    import torch

    C, c = torch.from_numpy(C.copy()), torch.from_numpy(c.copy())
    s = (1 - c**2).sqrt()
    return (C - c[:, None] * c) / (s[:, None] * s)


def centred_table(C, c):
    centre = np.eye(len(C)) - 1 / len(C)
    return centre @ C @ centre


def centred_and_scaled(C, c):
    X = centred_table(C, c)
    return X / np.sqrt(np.outer(np.diag(X), np.diag(X)))


def in_place(C, c):
    C -= np.outer(c, c)
    return C / np.sqrt(np.outer(1 - c**2, 1 - c**2))


WRONG = {
    "what_each_does": [
        ("tag binds", but(A="bind"), "incorrect", "swap test"),
        ("weight binds", but(C="bind"), "incorrect", "one number"),
        ("stream binds", but(E="bind"), "incorrect", "similar to each of its parts"),
        ("RoPE bundles", but(G="bundle"), "incorrect", "product with phasors"),
        ("OV moves", but(F="neither"), "incorrect", "three tests"),
        ("argmax unbinds", but(J="unbind"), "incorrect", "a cleanup"),
        ("MLP is neither", but(K="neither"), "incorrect", "four cases"),
        ("layernorm", but(I="bundle"), "incorrect", "Only one vector goes in"),
        ("three wrong", but(A="bind", C="bind", J="match"), "incorrect", "3 of 11"),
        ("another word", but(B="binds"), "incorrect", "choose one of"),
        ("missing", without_k, "incorrect", "no entry for K"),
        ("a list", lambda: list(RIGHT_WORDS.values()), "incorrect", "needs a dictionary"),
    ],
    "cosines_after_layernorm": [
        ("unchanged", lambda C, c: C, "incorrect", "centring changes cosines"),
        ("not shorter", lambda C, c: C - np.outer(c, c), "incorrect", "become shorter"),
        (
            "no root",
            lambda C, c: (C - np.outer(c, c)) / np.outer(1 - c**2, 1 - c**2),
            "incorrect",
            "take its root",
        ),
        (
            "one length",
            lambda C, c: (C - np.outer(c, c)) / np.sqrt(1 - c**2)[:, None],
            "incorrect",
            "Both lengths count",
        ),
        (
            "one length, columns",
            lambda C, c: (C - np.outer(c, c)) / np.sqrt(1 - c**2),
            "incorrect",
            "Both lengths count",
        ),
        (
            "one square, columns",
            lambda C, c: (C - np.outer(c, c)) / (1 - c**2),
            "incorrect",
            "Only one length was used",
        ),
        (
            "ones on the diagonal",
            lambda C, c: np.where(np.eye(len(c)) > 0, 1, C - np.outer(c, c)),
            "incorrect",
            "divide *every* pair",
        ),
        (
            "1 - c_x c_y",
            lambda C, c: (C - np.outer(c, c)) / (1 - np.outer(c, c)),
            "incorrect",
            "is no length",
        ),
        (
            "sum of the two",
            lambda C, c: C - np.add.outer(c, c),
            "incorrect",
            "the *product* c_x c_y",
        ),
        (
            "sum of the two, divided",
            lambda C, c: (C - c[:, None] - c) / np.sqrt(np.outer(1 - c**2, 1 - c**2)),
            "incorrect",
            "the *product* c_x c_y",
        ),
        (
            "added",
            lambda C, c: (C + np.outer(c, c)) / np.sqrt(np.outer(1 - c**2, 1 - c**2)),
            "incorrect",
            "is *subtracted*",
        ),
        (
            "not subtracted",
            lambda C, c: C / np.sqrt(np.outer(1 - c**2, 1 - c**2)),
            "incorrect",
            "still in the dot product",
        ),
        (
            "plus",
            lambda C, c: (C - np.outer(c, c)) / np.sqrt(np.outer(1 + c**2, 1 + c**2)),
            "incorrect",
            "not 1 + c²",
        ),
        (
            "no square",
            lambda C, c: (C - np.outer(c, c)) / np.sqrt(np.outer(1 - c, 1 - c)),
            "incorrect",
            "the square of c is missing",
        ),
        ("centred table", centred_table, "incorrect", "centred over the vectors"),
        ("centred table, scaled", centred_and_scaled, "incorrect", "centred over the vectors"),
        (
            "centred rows",
            lambda C, c: C - C.mean(1, keepdims=True),
            "incorrect",
            "over the vectors",
        ),
        ("of the table", lambda C, c: np.corrcoef(C), "incorrect", "not vectors of components"),
        ("in place", in_place, "incorrect", "changes its argument"),
        ("one number", lambda C, c: after(C, c).mean(axis=1), "incorrect", "All pairs"),
    ],
}

RIGHT = {
    "what_each_does": [
        (
            "capitals",
            lambda: {key.lower(): f" {word.upper()} " for key, word in RIGHT_WORDS.items()},
        ),
    ],
    "cosines_after_layernorm": [
        ("loops", by_loops),
        ("the diagonal", by_the_diagonal),
        ("vectors", by_vectors),
        ("single precision", lambda C, c: after(C.astype(np.float32), c.astype(np.float32))),
        ("torch", with_torch),
    ],
}
