"""Wrong and unusual right answers of lesson 04: exercises 1 and 2."""

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


def not_itself(w, s, t, b):
    scores = ((w * s * t) @ b.T).astype(float)
    scores[(w @ b.T) == w.shape[1]] = -1e9
    return scores.argmax(-1)


def each_once(w, s, t, b):
    scores, out = ((w * s * t) @ b.T).astype(float), np.zeros(len(w), int)
    for _ in range(len(w)):
        i, j = np.unravel_index(scores.argmax(), scores.shape)
        out[i] = j
        scores[i], scores[:, j] = -1e18, -1e18
    return out


def divided(w, s, t, b):
    with np.errstate(all="ignore"):
        return (np.nan_to_num(w * t / s) @ b.T).argmax(-1)


def convolved(w, s, t, b):
    f = np.fft.fft
    return (np.fft.ifft(f(w) * f(s) * f(t)).real @ b.T).argmax(-1)


# Exercise 2


def circulant(r):
    return np.array([np.roll(r, k) for k in range(len(r))])


def by_random_fillers(bind, d):
    f = np.random.default_rng(3).normal(size=(2 * d, d))
    return np.linalg.lstsq(f, np.array([bind(x) for x in f]), rcond=None)[0]


def cut_to_integers(bind, d):
    out = np.eye(d, dtype=int)
    for k in range(d):
        out[k] = bind(np.eye(d)[k])
    return out


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
        (
            "largest in size",
            lambda w, s, t, b: abs((w * s * t) @ b.T).argmax(-1),
            "incorrect",
            "largest in size",
        ),
        (
            "squared scores",
            lambda w, s, t, b: (((w * s * t) @ b.T) ** 2).argmax(-1),
            "incorrect",
            "largest in size",
        ),
        ("squeezed", lambda w, s, t, b: np.squeeze(translated(w, s, t, b)), "incorrect", "squeeze"),
        ("never the word itself", not_itself, "incorrect", "leave out the word"),
        ("each answer once", each_once, "incorrect", "same counterpart"),
        (
            "divided",
            lambda w, s, t, b: ((w * t / np.where(s == 0, 1, s)) @ b.T).argmax(-1),
            "incorrect",
            "dividing by it",
        ),
        ("divided, NaN to numbers", divided, "incorrect", "dividing by it"),
        (
            "target added",
            lambda w, s, t, b: ((w * (s + t)) @ b.T).argmax(-1),
            "incorrect",
            "target is *added*",
        ),
        (
            "target added to the role",
            lambda w, s, t, b: ((w * s + t) @ b.T).argmax(-1),
            "incorrect",
            "target is *added*",
        ),
        ("convolved", convolved, "incorrect", "You convolved"),
        (
            "rows themselves",
            lambda w, s, t, b: b[translated(w, s, t, b)],
            "incorrect",
            "rows themselves",
        ),
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
        ("integer array", cut_to_integers, "incorrect", "cut the fractions"),
        (
            "outer product",
            lambda bind, d: np.outer(bind(np.ones(d)), bind(np.ones(d))),
            "incorrect",
            "outer product",
        ),
        (
            "ones, outer",
            lambda bind, d: np.outer(np.ones(d), bind(np.ones(d))) / d,
            "incorrect",
            "has rank 1",
        ),
        ("upside down", lambda bind, d: bind(np.eye(d)[::-1]), "incorrect", "wrong order"),
        (
            "undoes it",
            lambda bind, d: np.linalg.inv(bind(np.eye(d))),
            "incorrect",
            "undoes the binding",
        ),
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
}
