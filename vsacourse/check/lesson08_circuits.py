"""Checks of lesson 08: a head read from its weights, and the parts of a logit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson08 import LESSON

Array = NDArray[Any]


def _gap(table: Array) -> float:
    """The smallest lead of a row's largest entry, in units of the table's spread."""
    best = np.sort(table, axis=1)
    return float((best[:, -1] - best[:, -2]).min() / table.std())


def _clear_head(
    rng: np.random.Generator, sizes: tuple[int, int, int, int]
) -> tuple[list[Array], Array, Array]:
    """Weights whose tables have no near ties, and the two tables."""
    while True:
        d_vocab, d_model, d_head, d_out = sizes
        shapes = [(d_vocab, d_model), *[(d_model, d_head)] * 3, (d_head, d_model), (d_model, d_out)]
        weights = [rng.normal(size=shape) for shape in shapes]
        W_E, W_Q, W_K, W_V, W_O, W_U = weights
        matching = W_E @ W_Q @ (W_E @ W_K).T
        copying = W_E @ W_V @ W_O @ W_U
        if min(_gap(matching), _gap(copying)) > 0.02:
            return weights, matching, copying


@exercise(
    lesson=LESSON,
    title="Read a head",
    minutes=5,
    difficulty=3,
    teaches="to read from the weights of a head what it looks for and what it votes for",
    hints=[
        "A head acts only through QK and OV. Which tables between tokens do they give, and what "
        "stands in a row, what in a column?",
        "The first table is W_E QK W_Eᵀ, with the query in the row. The second is W_E OV W_U, with "
        "the token attended to in the row.",
        "Write both tables as products; `argmax` over the columns of each row, `axis=1`, is the "
        "answer.",
    ],
    draws=5,
    anchor="Exercise-3-·-Read-a-head",
)
def read_head(attempt: Attempt) -> None:
    """``read_head(W_E, W_Q, W_K, W_V, W_O, W_U)``: two integer arrays (d_vocab,)."""
    sizes = [(6, 7, 3, 9), (5, 4, 2, 3), (8, 5, 1, 8), (4, 6, 8, 5), (7, 7, 7, 7)][attempt.draw]
    weights, matching, copying = _clear_head(attempt.rng, sizes)
    W_E, W_Q, W_K, W_V, W_O, W_U = weights
    d_vocab, d_model, d_head, d_out = sizes
    where = f"(d_vocab {d_vocab}, d_model {d_model}, d_head {d_head}, d_out {d_out})"
    out = attempt.call(
        *weights,
        on_error={
            "`@` needs": "Is a matrix left out, or not transposed? Queries and keys: d_vocab, "
            "d_model, d_head. A vote: d_vocab, d_model, d_head by W_V, d_model by W_O, d_out by "
            "W_U."
        },
    )
    parts: Iterator[Any] = attempt.items(out, 2)
    looks, votes = matching.argmax(axis=1), copying.argmax(axis=1)
    stream = "That lives in the stream, d_model numbers a side: put tokens on both sides, with "
    table = {
        "This is the whole table: take the best column of each row.": matching.shape,
        stream + "W_E before W_Q and W_Eᵀ after W_Kᵀ.": (d_model,),
    }
    got = attempt.array(next(parts), shape=(d_vocab,), kind="int", what="looks_for", mistakes=table)
    keys, queries = W_E @ W_K, W_E @ W_Q
    lengths = np.linalg.norm(keys, axis=1)
    attempt.equal(
        got,
        looks,
        what=f"looks_for {where}",
        mistakes={
            "That answers *who looks for this token most?* The query stands in the row: take the "
            "best column of each row.": matching.argmax(axis=0),
            "This is `votes_for`: return `looks_for` first.": votes,
            "The highest score is asked for, not the largest in size: a very negative score is "
            "avoided.": np.abs(matching).argmax(axis=1),
            "That is the lowest score.": matching.argmin(axis=1),
            "Attention uses the dot product, not the cosine: long keys win.": (
                matching / lengths
            ).argmax(axis=1),
            "The head's W_Q and W_K are missing: these are the tokens' own dot products.": (
                W_E @ W_E.T
            ).argmax(axis=1),
            stream + "W_Eᵀ after W_Kᵀ as well.": (queries @ W_K.T).argmax(axis=1),
            stream + "W_E before W_Q as well.": (W_Q @ keys.T).argmax(axis=1),
            stream + "W_E before W_Q and W_Eᵀ after W_Kᵀ: both are missing.": (W_Q @ W_K.T).argmax(
                axis=1
            ),
            "Both sides went through W_Q: the keys are made by W_K.": (queries @ queries.T).argmax(
                axis=1
            ),
            "Both sides went through W_K: the queries are made by W_Q.": (keys @ keys.T).argmax(
                axis=1
            ),
            "A token may look for itself: the diagonal counts.": (
                matching - np.diag(np.full(d_vocab, np.inf))
            ).argmax(axis=1),
            "No mask here: tokens are no positions, and every token may stand anywhere.": np.where(
                np.tri(d_vocab, dtype=bool), matching, -np.inf
            ).argmax(axis=1),
        },
    )
    shapes = {
        "This is the whole table: take the best column of each row.": copying.shape,
        "One answer for each token that is *attended to*: those stand in the rows.": (d_out,),
        stream + "W_E before W_V.": (d_model,),
    }
    got = attempt.array(
        next(parts), shape=(d_vocab,), kind="int", what="votes_for", mistakes=shapes
    )
    mistakes: dict[str, Any] = {
        "W_U scores the tokens that can be predicted; W_E transposed is another matrix here.": (
            W_E @ W_V @ W_O @ W_E.T
        ).argmax(axis=1),
        "W_U is missing: that is the largest component of what is written, not a token.": (
            W_E @ W_V @ W_O
        ).argmax(axis=1),
        "W_O and W_U are missing: that is the largest of the d_head numbers of the value.": (
            W_E @ W_V
        ).argmax(axis=1),
        "W_O is missing: what a head writes goes back to the stream by W_O, not by W_V "
        "transposed.": (W_E @ W_V @ W_V.T @ W_U).argmax(axis=1),
        "The head's W_V and W_O are missing: that is what the token itself votes for.": (
            W_E @ W_U
        ).argmax(axis=1),
        "The logit that is raised most is asked for, not the largest change in size.": np.abs(
            copying
        ).argmax(axis=1),
        "That is the logit that is lowered most.": copying.argmin(axis=1),
        "OV = W_V W_O acts on rows; this is its transpose.": (W_E @ (W_V @ W_O).T @ W_U).argmax(
            axis=1
        ),
        "These are the tokens that each token looks for, once more: `votes_for` goes through "
        "OV.": looks,
        "What a token writes goes through W_V, not W_K.": (W_E @ W_K @ W_O @ W_U).argmax(axis=1),
        "The token's own vote was added: what the *head* writes is asked for, alone.": (
            (W_E + W_E @ W_V @ W_O) @ W_U
        ).argmax(axis=1),
        "What a token writes goes through W_V, not W_Q.": (W_E @ W_Q @ W_O @ W_U).argmax(axis=1),
        "This is the vote of the token that is looked for; row b is asked for, the vote of the "
        "token attended to.": votes[looks],
    }
    if d_out == d_vocab:
        mistakes["One answer for each token that is *attended to*: those stand in the rows."] = (
            copying.argmax(axis=0)
        )
    attempt.equal(got, votes, what=f"votes_for {where}", mistakes=mistakes)


@exercise(
    lesson=LESSON,
    title="The parts of a logit, through LayerNorm",
    minutes=8,
    difficulty=4,
    teaches="direct contributions when a LayerNorm stands before the unembedding",
    hints=[
        "The contributions must add up to the difference of the logits. Which steps of LN(x) W_U "
        "are linear, so that they can be done part by part, and which is not?",
        "Centring, the product with w and that with W_U are linear. The root is taken once, from "
        "the variance of the sum of all parts.",
        "Centre each row of `parts` by its own mean; divide by the one root; then a product with w "
        "and with the difference of two columns of `W_U`.",
    ],
    draws=5,
    anchor="Exercise-4-·-The-parts-of-a-logit,-through-LayerNorm",
)
def difference_parts(attempt: Attempt) -> None:
    """``difference_parts(parts, w, W_U, right, wrong, epsilon)``: (n, d_model), … -> (n,)."""
    n, d, d_vocab, right, wrong, epsilon = [
        (4, 6, 5, 3, 1, 1e-5),
        (6, 4, 7, 0, 6, 0.4),
        (3, 3, 3, 2, 0, 2.0),
        (1, 8, 4, 1, 2, 0.1),
        (5, 16, 9, 8, 3, 1e-5),
    ][attempt.draw]
    rng = attempt.rng
    parts = rng.normal(size=(n, d)) * rng.uniform(0.2, 2, size=(n, 1)) + rng.normal(size=(n, 1))
    w, W_U = rng.uniform(0.5, 1.5, size=d), rng.normal(size=(d, d_vocab))
    x = parts.sum(axis=0)
    root = np.sqrt(x.var() + epsilon)
    centred = parts - parts.mean(axis=1, keepdims=True)
    u = W_U[:, right] - W_U[:, wrong]
    expected = centred / root * w @ u
    columns = "W_U has a *column* for each token, `W_U[:, right]`. Or is a transpose missing?"
    got = attempt.array(
        attempt.call(
            parts,
            w,
            W_U,
            right,
            wrong,
            epsilon,
            on_error={"`@` needs": columns, "last axis": columns},
        ),
        shape=(n,),
        mistakes={
            "That is the difference of the logits as a whole: keep the parts apart.": (),
            "These are the contributions to all logits: take the two columns, and their "
            "difference.": (n, d_vocab),
            "These are still vectors: each part's contribution is one number.": (n, d),
        },
    )
    own = parts.std(axis=1, keepdims=True)
    own_eps = np.sqrt(parts.var(axis=1, keepdims=True) + epsilon)
    rest = x - parts
    after = (rest - rest.mean(axis=1, keepdims=True)) / np.sqrt(
        rest.var(axis=1, keepdims=True) + epsilon
    )
    mistakes = {
        "You took the part away and normalised anew; keep the one root.": expected.sum()
        - after * w @ u,
        "Each part was normalised by its own standard deviation; the root is one number, of the "
        "whole stream.": _first(got, centred / own_eps * w @ u, centred / own * w @ u),
        "The parts are not centred: LayerNorm subtracts the mean, and that can be done part by "
        "part.": parts / root * w @ u,
        "You subtracted the stream's mean from every part: each part has its own mean.": (
            parts - x.mean()
        )
        / root
        * w
        @ u,
        "Every part got an equal share of the stream's mean: the sum is right, but each part has "
        "its own mean.": (parts - x.mean() / n) / root * w @ u,
        "You centred over the parts (axis 0); LayerNorm centres over the components of a vector.": (
            parts - parts.mean(axis=0)
        )
        / root
        * w
        @ u,
        "w is missing.": centred / root @ u,
        "w came before centring; it is the last step of LayerNorm.": (
            parts * w - (parts * w).mean(axis=1, keepdims=True)
        )
        / root
        @ u,
        "LayerNorm is missing: these are contributions to the logits without it.": parts @ u,
        "The root is missing.": centred * w @ u,
        "You divided by the variance; LayerNorm divides by its root.": centred
        / (x.var() + epsilon)
        * w
        @ u,
        "ε stands outside of the root; it is added to the variance.": centred
        / (x.std() + epsilon)
        * w
        @ u,
        "ε is missing under the root.": centred / x.std() * w @ u,
        "That is the root mean square of the stream, not centred; the variance is taken around "
        "the mean.": _first(
            got,
            centred / np.sqrt((x**2).mean() + epsilon) * w @ u,
            parts / np.sqrt((x**2).mean() + epsilon) * w @ u,
        ),
        "The variance has the denominator d, not d − 1.": centred
        / np.sqrt(x.var(ddof=1) + epsilon)
        * w
        @ u,
        "The length of the vector is not its standard deviation: a mean of squares, not a "
        "sum.": centred / np.sqrt(((x - x.mean()) ** 2).sum() + epsilon) * w @ u,
        "That is the standard deviation of all parts together; the *sum* of the parts is the "
        "stream.": centred / np.sqrt(parts.var() + epsilon) * w @ u,
        "These are the contributions to the right token's logit only: subtract the wrong "
        "one's.": centred / root * w @ W_U[:, right],
        "These are the contributions to the wrong token's logit only.": centred
        / root
        * w
        @ W_U[:, wrong],
        "The sign: the logit of `right` minus that of `wrong`.": -expected,
        "These are rows of W_U; its columns are the tokens.": _rows(
            centred / root * w, W_U, right, wrong
        ),
    }
    attempt.close(
        got,
        expected,
        rtol=2e-5,
        what=f"the contributions ({n} parts, d_model {d}, ε = {epsilon:g})",
        mistakes={k: v for k, v in mistakes.items() if not np.allclose(v, expected, rtol=1e-4)},
    )


def _first(got: Array, *candidates: Array) -> Array:
    """The candidate that the learner's answer comes close to, or else the first."""
    return next((x for x in candidates if np.allclose(x, got, rtol=1e-4)), candidates[0])


def _rows(normed: Array, W_U: Array, right: int, wrong: int) -> Array:
    """What rows of W_U give where the sizes allow it."""
    if W_U.shape[0] != W_U.shape[1]:
        return np.full(len(normed), np.inf)
    out: Array = normed @ (W_U[right] - W_U[wrong])
    return out
