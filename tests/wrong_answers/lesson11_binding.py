"""Wrong and unusual right answers of lesson 11: the swap, and the fit of a tag."""

import numpy as np

norm = np.linalg.norm


def swapped(x, i, j):
    rows, y = np.arange(len(x)), x.copy()
    y[rows, i], y[rows, j] = x[rows, j], x[rows, i]
    return y


def overwritten(x, i, j):
    rows, y = np.arange(len(x)), x.copy()
    y[rows, i] = y[rows, j]
    y[rows, j] = y[rows, i]
    return y


def overwritten_other(x, i, j):
    rows, y = np.arange(len(x)), x.copy()
    y[rows, j] = y[rows, i]
    y[rows, i] = y[rows, j]
    return y


def views(x, i, j):
    """Slices are views: the second line writes what the first has changed."""
    y = x.copy()
    for r in range(len(x)):
        y[r, i[r]], y[r, j[r]] = y[r, j[r]], y[r, i[r]]
    return y


def in_place(x, i, j):
    rows = np.arange(len(x))
    x[rows, i], x[rows, j] = x[rows, j], x[rows, i]
    return x


def every_text(x, i, j):
    y = x.copy()
    y[:, i], y[:, j] = x[:, j], x[:, i]
    return y


def one_by_one(x, i, j):
    y = x.copy()
    for a, b in zip(i, j, strict=True):
        y[:, [a, b]] = y[:, [b, a]]
    return y


def first_pair(x, i, j):
    y = x.copy()
    y[:, i[0]], y[:, j[0]] = x[:, j[0]], x[:, i[0]]
    return y


def first_text(x, i, j):
    y = x.copy()
    y[0, i[0]], y[0, j[0]] = x[0, j[0]], x[0, i[0]]
    return y


def components(x, i, j):
    rows, y = np.arange(len(x)), x.copy()
    y[rows, :, i], y[rows, :, j] = x[rows, :, j], x[rows, :, i]
    return y


def only_two(x, i, j):
    rows, y = np.arange(len(x)), np.zeros_like(x)
    y[rows, i], y[rows, j] = x[rows, j], x[rows, i]
    return y


def first_component(x, i, j):
    rows, y = np.arange(len(x)), x.copy()
    y[rows, i, 0], y[rows, j, 0] = x[rows, j, 0], x[rows, i, 0]
    return y


def by_order(x, i, j):
    rows = np.arange(len(x))
    order = np.tile(np.arange(x.shape[1]), (len(x), 1))
    order[rows, i], order[rows, j] = j, i
    return np.take_along_axis(x, order[:, :, None], axis=1)


def by_lists(x, i, j):
    out = []
    for text, a, b in zip(x.tolist(), i, j, strict=True):
        text[a], text[b] = text[b], text[a]
        out.append(text)
    return np.array(out, dtype=np.float32)


def by_matrices(x, i, j):
    """x − (1_i − 1_j) (x_i − x_j), which is a reflection."""
    eye = np.eye(x.shape[1])
    u = (eye[i] - eye[j])[:, :, None]
    return x - u @ (u.swapaxes(1, 2) @ x)


def centred(E, W):
    return E - E.mean(axis=0), W - W.mean(axis=0)


def slope(x, y):
    return (x * y).sum() / (x * x).sum()


def fit(E, W, c=None, tau=None, r2=None):
    """The right answer, with some of it replaced."""
    e, w = centred(E, W)
    right = slope(e, w)
    c = right if c is None else c(e, w)
    tau = W.mean(axis=0) - right * E.mean(axis=0) if tau is None else tau(right)
    r2 = 1 - ((w - right * e) ** 2).sum() / (w**2).sum() if r2 is None else r2(right, e, w)
    return c, tau, r2


def by_c(make):
    """An answer whose c is made from E, W, e, w."""
    return lambda E, W: fit(E, W, c=lambda e, w: make(E, W, e, w))


def by_tau(make):
    return lambda E, W: fit(E, W, tau=lambda c: make(E, W, c))


def by_r2(make):
    return lambda E, W: fit(E, W, r2=lambda c, e, w: make(W, w, ((w - c * e) ** 2).sum(), c, e))


def fitted(E, W):
    """Least squares with d + 1 unknown numbers."""
    V, d = E.shape
    design = np.column_stack((E.ravel(), np.tile(np.eye(d), (V, 1))))
    x = np.linalg.lstsq(design, W.ravel(), rcond=None)[0]
    left = W.ravel() - design @ x
    return x[0], x[1:], 1 - (left @ left) / (V * W.var(axis=0).sum())


def by_covariance(E, W):
    d = E.shape[1]
    cov = np.cov(np.hstack((E, W)), rowvar=False)
    cross, own, other = np.trace(cov[:d, d:]), np.trace(cov[:d, :d]), np.trace(cov[d:, d:])
    c = cross / own
    return [np.float64(c), (W - c * E).mean(axis=0), cross**2 / (own * other)]


def torch_fit(E, W):
    import torch

    E, W = torch.tensor(E).float(), torch.tensor(W).float()
    e, w = E - E.mean(0), W - W.mean(0)
    c = (e * w).sum() / (e * e).sum()
    return c, W.mean(0) - c * E.mean(0), 1 - ((w - c * e) ** 2).sum() / (w**2).sum()


WRONG = {
    "exchanged": [
        ("the same", lambda x, i, j: x.copy(), "incorrect", "Nothing was exchanged"),
        ("x itself", lambda x, i, j: x, "incorrect", "x"),
        ("overwritten", overwritten, "incorrect", "what stood at j"),
        ("overwritten, other", overwritten_other, "incorrect", "what stood at i"),
        ("views", views, "incorrect", "what stood at j"),
        ("in place", in_place, "incorrect", "changes its argument"),
        ("every text", every_text, "incorrect", "Each text has its own pair"),
        ("one by one", one_by_one, "incorrect", "one after the other"),
        ("first pair", first_pair, "incorrect", "the pair of the first one"),
        ("first text", first_text, "incorrect", "Only the first text"),
        ("components", components, "incorrect", "exchanges components"),
        ("only two", only_two, "incorrect", "All other places"),
        ("first component", first_component, "incorrect", "Only the first component"),
        ("vectors", lambda x, i, j: x[np.arange(len(x)), j], "incorrect", "the exchanged vectors"),
        ("all vectors", lambda x, i, j: x[:, j], "incorrect", "n by n of them"),
    ],
    "best_tag": [
        (
            "a cosine for r2",
            by_r2(lambda W, w, left, c, e: (e * w).sum() / np.sqrt((e**2).sum() * (w**2).sum())),
            "incorrect",
            "r2 is its square",
        ),
        (
            "residual not divided",
            by_r2(lambda W, w, left, c, e: 1 - left),
            "incorrect",
            "Divide the residual",
        ),
        ("no tag", by_c(lambda E, W, e, w: slope(E, W)), "incorrect", "without a tag"),
        ("E not centred", by_c(lambda E, W, e, w: slope(E, w)), "incorrect", "E was not centred"),
        (
            "mean over components",
            by_c(lambda E, W, e, w: ((e * w).sum(0) / (e * e).sum(0)).mean()),
            "incorrect",
            "for each component",
        ),
        (
            "mean over tokens",
            by_c(lambda E, W, e, w: ((e * w).sum(1) / (e * e).sum(1)).mean()),
            "incorrect",
            "for each token",
        ),
        ("ratios", by_c(lambda E, W, e, w: (w / e).mean()), "incorrect", "mean of ratios."),
        (
            "ratios of rows",
            by_c(lambda E, W, e, w: (W / E).mean()),
            "incorrect",
            "the mean rows are still there",
        ),
        (
            "one c each",
            by_c(lambda E, W, e, w: (e * w).sum(0) / (e * e).sum(0)),
            "incorrect",
            "one number",
        ),
        (
            "cosine",
            by_c(lambda E, W, e, w: (e * w).sum() / norm(e) / norm(w)),
            "incorrect",
            "That is a cosine. c",
        ),
        (
            "cosine of rows",
            by_c(lambda E, W, e, w: (E * W).sum() / norm(E) / norm(W)),
            "incorrect",
            "rows that were not centred",
        ),
        ("sizes", by_c(lambda E, W, e, w: norm(w) / norm(e)), "incorrect", "ratio of the sizes"),
        ("E by W", by_c(lambda E, W, e, w: slope(w, e)), "incorrect", "fits E by W"),
        ("dot", by_c(lambda E, W, e, w: (e * w).sum()), "incorrect", "Not divided"),
        ("mean of products", by_c(lambda E, W, e, w: (e * w).mean()), "incorrect", "number of ent"),
        ("root", by_c(lambda E, W, e, w: (e * w).sum() / norm(e)), "incorrect", "too much"),
        (
            "one mean",
            by_c(lambda E, W, e, w: slope(E - E.mean(), W - W.mean())),
            "incorrect",
            "the mean *row*",
        ),
        (
            "other axis",
            by_c(
                lambda E, W, e, w: (
                    slope(E - E.mean(1, keepdims=True), W - W.mean(1, keepdims=True))
                    if E.shape[1] > 1
                    else 0.0
                )
            ),
            "incorrect",
            "`axis=0`",
        ),
        ("tau: W alone", by_tau(lambda E, W, c: W.mean(0)), "incorrect", "E is missing"),
        (
            "tau: no c",
            by_tau(lambda E, W, c: W.mean(0) - E.mean(0)),
            "incorrect",
            "counts c times",
        ),
        ("tau: added", by_tau(lambda E, W, c: W.mean(0) + c * E.mean(0)), "incorrect", "not added"),
        ("tau: c at W", by_tau(lambda E, W, c: c * W.mean(0) - E.mean(0)), "incorrect", "not to W"),
        ("tau: sum", by_tau(lambda E, W, c: (W - c * E).sum(0)), "incorrect", "τ is the mean"),
        (
            "tau: number",
            by_tau(lambda E, W, c: np.full(E.shape[1], (W - c * E).mean())),
            "incorrect",
            "its own mean",
        ),
        ("tau: 0", by_tau(lambda E, W, c: np.zeros(E.shape[1])), "incorrect", "mean rows back"),
        ("tau: rows", by_tau(lambda E, W, c: W - c * E), "incorrect", "over the tokens"),
        ("tau: tokens", by_tau(lambda E, W, c: (W - c * E).mean(1)), "incorrect", "each *comp"),
        (
            "tau: keepdims",
            by_tau(lambda E, W, c: (W - c * E).mean(0, keepdims=True)),
            "incorrect",
            "one axis",
        ),
        (
            "r2: W as it is",
            by_r2(lambda W, w, left, c, e: 1 - left / (W**2).sum()),
            "incorrect",
            "Below the line, the mean row",
        ),
        (
            "r2: one mean",
            by_r2(lambda W, w, left, c, e: 1 - left / ((W - W.mean()) ** 2).sum()),
            "incorrect",
            "not one mean of all",
        ),
        (
            "r2: the rest",
            by_r2(lambda W, w, left, c, e: left / (w**2).sum()),
            "incorrect",
            "which is left",
        ),
        ("r2: residual", by_r2(lambda W, w, left, c, e: left), "incorrect", "residual sum"),
        (
            "r2: root",
            by_r2(lambda W, w, left, c, e: abs((e * w).sum() / norm(e) / norm(w))),
            "incorrect",
            "square root of r2",
        ),
        (
            "r2: sizes",
            by_r2(lambda W, w, left, c, e: 1 - left**0.5 / norm(w)),
            "incorrect",
            "Squares are missing",
        ),
        (
            "r2: no tau",
            lambda E, W: fit(E, W, r2=lambda c, e, w: 1 - ((W - c * E) ** 2).sum() / (w**2).sum()),
            "incorrect",
            "tau is missing",
        ),
        (
            "r2: by components",
            by_r2(lambda W, w, left, c, e: (1 - ((w - c * e) ** 2).sum(0) / (w**2).sum(0)).mean()),
            "incorrect",
            "one r2 for each component",
        ),
        (
            "correlation",
            by_c(lambda E, W, e, w: np.corrcoef(E.ravel(), W.ravel())[0, 1]),
            "incorrect",
            "That is a correlation",
        ),
        (
            "r2: other axis",
            by_r2(lambda W, w, left, c, e: 1 - left / W.shape[1] / W.var(axis=1).sum()),
            "incorrect",
            "over the *tokens*",
        ),
        (
            "r2: a mean and a sum",
            by_r2(lambda W, w, left, c, e: 1 - left / W.size / W.var(axis=0).sum()),
            "incorrect",
            "one mean is left",
        ),
        ("two parts", lambda E, W: fit(E, W)[:2], "incorrect", "needs 3"),
    ],
}

RIGHT = {
    "exchanged": [
        ("order", by_order),
        ("lists, single precision", by_lists),
        ("reflections", by_matrices),
    ],
    "best_tag": [
        ("least squares", fitted),
        ("covariances in a list", by_covariance),
        ("torch", torch_fit),
    ],
}
