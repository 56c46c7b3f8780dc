"""Checks of lesson 11: the swap test, and what an additive tag explains."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson11 import LESSON

Array = NDArray[Any]


def _swapped(x: Array, i: Array, j: Array) -> Array:
    rows = np.arange(len(x))
    x = x.copy()
    x[rows, i], x[rows, j] = x[rows, j], x[rows, i]
    return x


def _every_text(x: Array, i: Array, j: Array) -> Array:
    """Without the rows: all the places at once, in every text."""
    x = x.copy()
    x[:, i], x[:, j] = x[:, j], x[:, i]
    return x


def _one_by_one(x: Array, i: Array, j: Array) -> Array:
    """All pairs, one after the other, in every text."""
    x = x.copy()
    for a, b in zip(i, j, strict=True):
        x[:, [a, b]] = x[:, [b, a]]
    return x


def _components(x: Array, i: Array, j: Array) -> Array:
    """The last axis in place of the second; only where the places fit."""
    if max(*i, *j) >= x.shape[2]:
        return np.empty(0)
    return _swapped(x.swapaxes(1, 2), i, j).swapaxes(1, 2)


def _exchange_case(attempt: Attempt) -> tuple[Array, Array, Array]:
    if attempt.draw == 1:  # the example
        x = np.array([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]])
        return x, np.array([0, 1]), np.array([2, 0])
    n, T, d = [(4, 6, 9), (), (5, 7, 3), (6, 4, 1), (1, 5, 2), (3, 2, 4)][attempt.draw]
    pairs = np.array([attempt.rng.permutation(T)[:2] for _ in range(n)])
    if attempt.draw == 0:  # none of the pairs is another's, in either order
        pairs = np.array([[0, 3], [5, 1], [2, 4], [3, 5]])
    if attempt.draw in (2, 3):  # in some texts a place with itself
        pairs[::2, 1] = pairs[::2, 0]
    return attempt.rng.normal(size=(n, T, d)), pairs[:, 0].copy(), pairs[:, 1].copy()


@exercise(
    lesson=LESSON,
    title="Exchange",
    minutes=5,
    difficulty=3,
    teaches="the swap of two vectors, the causal test of use",
    hints=[
        "Each text has its own pair. With `x[:, i]` all the places of `i` are taken in *every* "
        "text. What has to stand in place of the `:`?",
        "`rows = np.arange(len(x))`: then `x[rows, i]` has shape (n, d), one vector of each text. "
        "Work on a copy, and read both before you write.",
        "`y = x.copy()`, then `y[rows, i] = x[rows, j]` and `y[rows, j] = x[rows, i]`.",
    ],
    draws=6,
    anchor="Exercise-4-·-Exchange",
)
def exchanged(attempt: Attempt) -> None:
    """``exchanged(x, i, j)``: (n, T, d), (n,), (n,) -> (n, T, d)."""
    x, i, j = _exchange_case(attempt)
    n, _, d = x.shape
    what = f"exchanged(x, {i.tolist()}, {j.tolist()}), x of shape {x.shape}"
    got = attempt.array(
        attempt.call(x, i, j, fresh=True),
        shape=x.shape,
        kind="real",
        what=what,
        mistakes={
            "The whole of x comes back, with all its places; these are the exchanged vectors "
            "alone.": (n, d),
            "`x[:, i]` takes all the places of `i` in every text: n by n of them.": (n, n, d),
        },
    )
    rows = np.arange(n)
    both_j, both_i, zeros = x.copy(), x.copy(), np.zeros_like(x)
    both_j[rows, i] = x[rows, j]
    both_i[rows, j] = x[rows, i]
    zeros[rows, i], zeros[rows, j] = x[rows, j], x[rows, i]
    first = np.full(n, i[0]), np.full(n, j[0])
    only_first = x.copy()
    only_first[:1] = _swapped(x[:1], i[:1], j[:1])
    attempt.close(
        got,
        _swapped(x, i, j),
        rtol=1e-5,
        what=what,
        mistakes={
            "Nothing was exchanged.": x,
            "Both places hold what stood at j: the vector at i was overwritten before it was "
            "read. Read from x, write into the copy.": both_j,
            "Both places hold what stood at i: the vector at j was overwritten before it was "
            "read. Read from x, write into the copy.": both_i,
            "`x[:, i]` takes all the places of `i` in *every* text. Each text has its own pair: "
            "`x[rows, i]` with `rows = np.arange(n)`.": lambda: _every_text(x, i, j),
            "Every text got the pairs of all texts, one after the other. Text r has the pair "
            "i[r], j[r] only.": lambda: _one_by_one(x, i, j),
            "Every text got the pair of the first one: text r has i[r] and j[r].": _swapped(
                x, *first
            ),
            "Only the first text was changed.": only_first,
            "That exchanges components. Places are the second axis of (n, T, d).": _components(
                x, i, j
            ),
            "Only the two vectors are there. All other places stay as they are.": zeros,
            "Only the first component was exchanged: the whole vector has to move.": np.concatenate(
                (_swapped(x[..., :1], i, j), x[..., 1:]), axis=2
            ),
        },
    )


def _tag_case(attempt: Attempt) -> tuple[Array, Array, str]:
    rng = attempt.rng
    if attempt.draw == 1:
        return np.array([[0.0, 0.0], [2, 2]]), np.array([[1.0, 5], [5, 7]]), "the example"
    V, d = [(9, 6), (), (5, 8), (12, 4), (20, 3), (7, 1)][attempt.draw]
    c = (-0.7, 0.0, 2.5, 1.4, 0.0, -1.2)[attempt.draw]
    noise = (0.9, 0.0, 0.5, 0.0, 1.0, 0.6)[attempt.draw]
    words = "an exact tag" if noise == 0 else "a tag with noise" if c else "unrelated rows"
    scale = rng.uniform(0.4, 2.0, d)  # components differ in size, and in their means
    E = rng.normal(size=(V, d)) * scale + rng.normal(size=d) * 1.5
    tau = rng.normal(size=d) * 1.5
    return E, c * E + tau + noise * rng.normal(size=(V, d)), f"{words}, V = {V}, d = {d}"


def _c_mistakes(E: Array, W: Array) -> dict[str, Any]:
    e, w = E - E.mean(axis=0), W - W.mean(axis=0)
    dot, norm = (e * w).sum(), np.linalg.norm
    along, grand = E - E.mean(axis=1, keepdims=True), E - E.mean()
    across, total = W - W.mean(axis=1, keepdims=True), W - W.mean()

    def slope(x: Array, y: Array) -> float:
        return float((x * y).sum() / (x * x).sum()) if (x * x).sum() > 1e-12 else np.nan

    def ratios(x: Array, y: Array) -> float:
        return float((y / x).mean()) if (x != 0).all() else np.nan

    return {
        "That fits W = c E, without a tag. Take the mean rows off first.": slope(E, W),
        "E was not centred: the mean row of E has to go as well, below the line too.": slope(E, w),
        "That is the mean of one c for each component. One c for all: sum over all entries, then "
        "divide.": lambda: ((e * w).sum(axis=0) / (e * e).sum(axis=0)).mean(),
        "That is the mean of one c for each token. One c for all: sum over all entries, then "
        "divide.": lambda: ((e * w).sum(axis=1) / (e * e).sum(axis=1)).mean(),
        "That is a mean of ratios. Divide the sum of products by the sum of squares.": lambda: (
            w / e
        ).mean(),
        "That is a mean of ratios, and the mean rows are still there.": ratios(E, W),
        "That is a cosine. c is divided by the squares of E alone.": dot / (norm(e) * norm(w)),
        "That is a cosine, of rows that were not centred.": (E * W).sum() / (norm(E) * norm(W)),
        "That is a correlation, with one mean taken off all entries.": float(
            np.corrcoef(E.ravel(), W.ravel())[0, 1]
        ),
        "That is the ratio of the sizes; it doesn't see the directions.": norm(w) / norm(e),
        "That fits E by W. Divide by the squares of E.": slope(w, e),
        "Not divided by the squares of E.": dot,
        "Divided by the number of entries, not by the squares of E.": dot / E.size,
        "The square root is too much: c is divided by the *squares* of E.": dot / norm(e),
        "τ is a vector: take off the mean *row*, `E.mean(axis=0)`, not one number.": slope(
            grand, total
        ),
        "τ is the same for all tokens: take the mean over the tokens, `axis=0`.": slope(
            along, across
        ),
    }


@exercise(
    lesson=LESSON,
    title="Role or tag",
    minutes=7,
    difficulty=4,
    teaches="the fit of an additive tag, a rival of the role map",
    hints=[
        "For a given c, which τ is best? Each component of W − c E asks for its own constant.",
        "τ = mean row of W − c times the mean row of E. Put it in: only centred rows are left, "
        "and one number c to fit, e c ≈ w.",
        "`c = (e * w).sum() / (e * e).sum()` with `e = E - E.mean(axis=0)` and w likewise.",
    ],
    draws=6,
    anchor="Exercise-5-·-Role-or-tag",
)
def best_tag(attempt: Attempt) -> None:
    """``best_tag(E, W)``: (c, tau, r2)."""
    E, W, words = _tag_case(attempt)
    d = E.shape[1]
    e, w = E - E.mean(axis=0), W - W.mean(axis=0)
    c = float((e * w).sum() / (e * e).sum())
    tau = W.mean(axis=0) - c * E.mean(axis=0)
    got_c, got_tau, got_r2 = attempt.items(attempt.call(E, W), 3)
    got = attempt.scalar(got_c, what=f"c ({words})")
    attempt.close(got, c, rtol=1e-4, atol=1e-6, what=f"c ({words})", mistakes=_c_mistakes(E, W))
    got = attempt.array(
        got_tau,
        shape=(d,),
        what=f"tau ({words})",
        mistakes={
            "τ is the same for all tokens: take the mean over the tokens.": E.shape,
            "τ has one number for each *component*: the mean over the tokens, `axis=0`.": E.shape[
                :1
            ],
            "Drop `keepdims`: τ has one axis.": (1, d),
        },
    )
    attempt.close(
        got,
        tau,
        rtol=1e-4,
        atol=1e-5,
        what=f"tau ({words})",
        mistakes={
            "The mean row of E is missing: it was not 0.": W.mean(axis=0),
            "The mean row of E counts c times.": W.mean(axis=0) - E.mean(axis=0),
            "The mean row of E is taken off, not added.": W.mean(axis=0) + c * E.mean(axis=0),
            "c belongs to E, not to W.": c * W.mean(axis=0) - E.mean(axis=0),
            "That is the sum over the tokens; τ is the mean.": (W - c * E).sum(axis=0),
            "τ is a vector: each component has its own mean.": np.full(d, (W - c * E).mean()),
            "Between *centred* rows τ is 0. Put the mean rows back.": np.zeros(d),
        },
    )
    left, total = ((w - c * e) ** 2).sum(), (w**2).sum()
    by_parts = 1 - ((w - c * e) ** 2).sum(axis=0) / (w**2).sum(axis=0)
    got = attempt.scalar(got_r2, what=f"r2 ({words})")
    attempt.close(
        got,
        1 - left / total,
        rtol=1e-4,
        atol=1e-6,
        what=f"r2 ({words})",
        mistakes={
            "Below the line, the mean row of W is taken off. (Else a constant W would count as "
            "explained.)": 1 - left / (W**2).sum(),
            "Below the line, the mean *row* is taken off, not one mean of all entries.": 1
            - left / ((W - W.mean()) ** 2).sum(),
            "That is the share which is left; r2 is 1 minus that.": left / total,
            "That is the residual sum of squares.": left,
            "That is the square root of r2.": (1 - left / total) ** 0.5,
            "That is the cosine of the centred rows; r2 is its square.": (e * w).sum()
            / np.sqrt((e**2).sum() * (w**2).sum()),
            "Divide the residual sum of squares by that of W − mean row, then subtract.": 1 - left,
            "Squares are missing: r2 compares sums of *squares*.": 1 - (left / total) ** 0.5,
            "tau is missing in the residual.": 1 - ((W - c * E) ** 2).sum() / total,
            "That is the mean of one r2 for each component; sum over all entries, then "
            "divide.": by_parts.mean(),
            "That is the cosine of rows that were not centred, squared.": (E * W).sum() ** 2
            / ((E**2).sum() * (W**2).sum()),
            "Below the line, the mean over the *tokens* is taken off, `axis=0`.": 1
            - left / max(((W - W.mean(axis=1, keepdims=True)) ** 2).sum(), 1e-12),
            "Two sums over all entries are compared; here one is a sum, the other a mean.": 1
            - left / W.size / total,
            "Two sums over all entries are compared; below the line one mean is left.": 1
            - left / d / total,
        },
    )
