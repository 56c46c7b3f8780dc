"""Wrong and unusual right answers of lesson 03: exercises 1 to 3."""

import numpy as np

norm = np.linalg.norm

# Exercise 1


def stored(f, r, u):
    memory = f.T @ r
    return memory, u @ memory.T


def by_loop(f, r, u):
    memory = [[0.0] * r.shape[1] for _ in range(f.shape[1])]
    for a, b in zip(f, r, strict=True):
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                memory[i][j] += x * y
    memory = np.array(memory)
    return [memory, np.array([memory @ one for one in u])]


def by_einsum(f, r, u):
    f, r, u = (x.astype(np.float32) for x in (f, r, u))
    memory = np.einsum("nm,nd->md", f, r)
    return memory, np.einsum("md,kd->km", memory, u)


def without_the_memory(f, r, u):
    return sum(np.outer(a, b) for a, b in zip(f, r, strict=True)), (u @ r.T) @ f


def last_pair(f, r, u):
    for a, b in zip(f, r, strict=True):
        memory = np.outer(a, b)
    return memory, u @ memory.T


def read_from_the_left(f, r, u):
    memory = f.T @ r
    return memory, u @ memory if memory.shape[0] == u.shape[1] else u @ memory.T


# Exercise 2


def leaning(count, dim, a, b):
    roles = a * np.eye(count, dim)
    roles[:, count] = b
    return roles


def tilted(count, dim, c):
    return leaning(count, dim, np.sqrt(1 - c), np.sqrt(c))


def by_cholesky(count, dim, c):
    out = np.zeros((count, dim), dtype=np.float32)
    out[:, :count] = np.linalg.cholesky((1 - c) * np.eye(count) + c)
    return out


def rotated(count, dim, c):
    q = np.linalg.qr(np.random.default_rng().normal(size=(dim, dim)))[0]
    return tilted(count, dim, c) @ q


def by_symmetric_root(count, dim, c):
    values, vectors = np.linalg.eigh((1 - c) * np.eye(count) + c)
    return np.pad((vectors * np.sqrt(values)) @ vectors.T, ((0, 0), (0, dim - count)))


def towards_the_first(count, dim, c):
    roles = np.sqrt(1 - c**2) * np.eye(count, dim)
    roles[:, 0] += c
    roles[0] = np.eye(dim)[0]
    return roles


def chain(count, dim, c):
    roles = np.zeros((count, dim))
    roles[0, 0] = 1
    for i in range(1, count):
        roles[i] = c * roles[i - 1]
        roles[i, i] = np.sqrt(1 - c**2)
    return roles


def on_average(count, dim, c):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(count, dim)) / np.sqrt(dim)
    common = rng.normal(size=dim)
    x = np.sqrt(1 - c) * x + np.sqrt(c) * common / norm(common)
    return x / norm(x, axis=-1, keepdims=True)


def common_is_the_first(count, dim, c):
    roles = np.sqrt(1 - c) * np.eye(count, dim)
    roles[:, 0] += np.sqrt(c)
    return roles


def sum_of_lists(count, dim, c):
    roles = np.sqrt(1 - c) * np.eye(dim)[:count] + np.sqrt(c) * np.eye(dim)[-1]
    return roles.astype(np.float32)


# Exercise 3


def errors(gram, f):
    return norm(gram @ f - f, axis=-1)


def errors_by_loop(gram, f):
    out = []
    for k in range(len(f)):
        error = sum((gram[k, i] - (i == k)) * f[i] for i in range(len(f)))
        out.append(float(error @ error) ** 0.5)
    return np.array(out)


def errors_from_the_fillers_gram(gram, f):
    w = gram - np.eye(len(gram))
    return np.sqrt(np.einsum("ki,ij,kj->k", w, f @ f.T, w))


def errors_from_new_roles(gram, f):
    """Make roles with this Gram matrix, store, read."""
    values, vectors = np.linalg.eigh(gram)
    r = vectors * np.sqrt(values.clip(0))
    return norm(r @ (f.T @ r).T - f, axis=-1).astype(np.float32)


def off(gram):
    return gram - np.diag(np.diag(gram))


WRONG = {
    "store_and_read": [
        ("role left", lambda f, r, u: (r.T @ f, u @ r.T @ f), "incorrect", "not the other way"),
        ("last pair", last_pair, "incorrect", "Only the last pair"),
        (
            "stored under duals",
            lambda f, r, u: (f.T @ np.linalg.pinv(r).T, u @ r.T @ f),
            "incorrect",
            "the *duals* of the roles",
        ),
        ("mean", lambda f, r, u: (f.T @ r / len(f), u), "incorrect", "mean of the outer"),
        (
            "all with all",
            lambda f, r, u: (np.outer(f.sum(0), r.sum(0)), u),
            "incorrect",
            "bound to every role",
        ),
        (
            "not summed",
            lambda f, r, u: (np.einsum("ni,nj->nij", f, r), u),
            "incorrect",
            "sum the outer products",
        ),
        ("columns", lambda f, r, u: (f.T @ r, f.T @ r @ u.T), "incorrect", "readings as columns"),
        ("own roles", lambda f, r, u: (f.T @ r, r @ r.T @ f), "incorrect", "with the `readers`"),
        (
            "scaled",
            lambda f, r, u: (f.T @ r, u @ r.T @ f / norm(u, axis=1, keepdims=True)),
            "incorrect",
            "divided by the length",
        ),
        (
            "readings scaled",
            lambda f, r, u: (f.T @ r, u @ r.T @ f / norm(u @ r.T @ f, axis=1, keepdims=True)),
            "incorrect",
            "scaled the readings",
        ),
        (
            "duals of the readers",
            lambda f, r, u: (f.T @ r, np.linalg.pinv(u).T @ r.T @ f),
            "incorrect",
            "duals of the readers",
        ),
        (
            "weights of duals",
            lambda f, r, u: (f.T @ r, u @ np.linalg.pinv(r) @ f),
            "incorrect",
            "duals of the roles",
        ),
        (
            "duals of the roles",
            lambda f, r, u: (f.T @ r, np.linalg.pinv(r).T @ r.T @ f),
            "incorrect",
            "or their duals",
        ),
        ("from the left", read_from_the_left, "incorrect", "filler's side"),
        ("memory only", lambda f, r, u: f.T @ r, "incorrect", "tuple of 2"),
    ],
    "tilted_roles": [
        (
            "no root",
            lambda n, d, c: leaning(n, d, np.sqrt(1 - c**2), c),
            "incorrect",
            "cosine c²",
        ),
        ("no roots", lambda n, d, c: leaning(n, d, 1 - c, c), "incorrect", "Roots are missing"),
        (
            "only the columns in use",
            lambda n, d, c: tilted(n, n + 1, c),
            "incorrect",
            "not needed stay 0",
        ),
        ("not unit", lambda n, d, c: leaning(n, d, 1, np.sqrt(c)), "incorrect", "a² + b²"),
        (
            "right angle, too long",
            lambda n, d, c: 3 * tilted(n, d, c),
            "incorrect",
            "divide each role by its length",
        ),
        ("orthogonal", lambda n, d, c: np.eye(n, d), "incorrect", "still orthogonal"),
        (
            "changed places",
            lambda n, d, c: leaning(n, d, np.sqrt(c), np.sqrt(1 - c)),
            "incorrect",
            "changed places",
        ),
        (
            "two roots",
            lambda n, d, c: leaning(n, d, np.sqrt(1 - c**0.5), c**0.25),
            "incorrect",
            "one square root too many",
        ),
        ("towards the first", towards_the_first, "incorrect", "among themselves"),
        ("no direction of its own", common_is_the_first, "incorrect", "that no role has it twice"),
        ("chain", chain, "incorrect", "every two roles"),
        ("on average", on_average, "incorrect", "random vectors scatter"),
        ("columns", lambda n, d, c: tilted(n, d, c).T, "incorrect", "be the rows"),
    ],
    "reading_errors": [
        ("readings", lambda g, f: norm(g @ f, axis=-1), "incorrect", "subtract the fillers"),
        ("minus 1", lambda g, f: norm((g - 1) @ f, axis=-1), "incorrect", "subtract the identity"),
        ("zero diagonal", lambda g, f: norm(off(g) @ f, axis=-1), "incorrect", "set to 0"),
        (
            "weights only",
            lambda g, f: norm(g - np.eye(len(g)), axis=-1),
            "incorrect",
            "orthonormal fillers only",
        ),
        ("dots only", lambda g, f: norm(off(g), axis=-1), "incorrect", "fillers are missing"),
        (
            "as if orthogonal",
            lambda g, f: np.sqrt((g - np.eye(len(g))) ** 2 @ (f**2).sum(-1)),
            "incorrect",
            "as if the fillers were",
        ),
        ("squares", lambda g, f: errors(g, f) ** 2, "incorrect", "a root is missing"),
        ("vectors", lambda g, f: g @ f - f, "incorrect", "length of each row"),
        ("one number", lambda g, f: norm(g @ f - f), "incorrect", "an error of its own"),
        ("other axis", lambda g, f: norm(g @ f - f, axis=0), "incorrect", "last axis"),
        ("RMS", lambda g, f: np.sqrt(((g @ f - f) ** 2).mean(-1)), "incorrect", "root mean"),
        ("L1", lambda g, f: abs(g @ f - f).sum(-1), "incorrect", "absolute values"),
        ("relative", lambda g, f: errors(g, f) / norm(f, axis=-1), "incorrect", "divided by"),
        (
            "difference of lengths",
            lambda g, f: abs(norm(g @ f, axis=-1) - norm(f, axis=-1)),
            "incorrect",
            "difference of two lengths",
        ),
        (
            "sum of lengths",
            lambda g, f: abs(g - np.eye(len(g))) @ norm(f, axis=-1),
            "incorrect",
            "added up lengths",
        ),
    ],
}

RIGHT = {
    "store_and_read": [
        ("loops", by_loop),
        ("float32 einsum", by_einsum),
        ("without the memory", without_the_memory),
    ],
    "tilted_roles": [
        ("Cholesky, float32", by_cholesky),
        ("rotated at random", rotated),
        ("symmetric root", by_symmetric_root),
        ("last direction, float32", sum_of_lists),
    ],
    "reading_errors": [
        ("loop", errors_by_loop),
        ("Gram of the fillers", errors_from_the_fillers_gram),
        ("new roles", errors_from_new_roles),
    ],
}
