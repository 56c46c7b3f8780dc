"""Checks of lesson 00, the warm-up."""

import numpy as np

from vsacourse.backend import softmax as _softmax
from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "00-warm-up"


@exercise(
    lesson=LESSON,
    title="Cosine of all pairs",
    anchor="Exercise-1-·-Cosine-of-all-pairs",
    minutes=3,
    difficulty=1,
    teaches="Norms on the last axis, and one product for all pairs.",
    hints=[
        "Which axis holds the components of one vector? The norm goes over that axis only.",
        "All dot products at once are one matrix product; one of the two needs a transpose.",
        "Divide `a` and `b` by their own norms first (`keepdims=True`), then multiply.",
    ],
)
def cosine(attempt: Attempt) -> None:
    """``cosine(a, b)``: (n, d) against (m, d) -> (n, m)."""
    n, m, d = (3, 5, 7) if attempt.draw == 0 else (4, 2, 9)
    a = attempt.rng.normal(size=(n, d)) * attempt.rng.uniform(0.5, 3, size=(n, 1))
    b = attempt.rng.normal(size=(m, d)) * attempt.rng.uniform(0.5, 3, size=(m, 1))
    dots = a @ b.T  # [n, m]
    norm_a = np.linalg.norm(a, axis=-1, keepdims=True)  # [n, 1]
    norm_b = np.linalg.norm(b, axis=-1)  # [m]
    got = attempt.call(a, b)
    got = attempt.array(
        got,
        shape=(n, m),
        mistakes={
            "The rows must belong to `a` and the columns to `b`: here it is the other way round.": (
                m,
                n,
            ),
            "The product ran over the vectors; it has to run over their components.": (d, d),
        },
    )
    attempt.close(
        got,
        dots / (norm_a * norm_b),
        mistakes={
            "These are the dot products: the division by the norms is missing.": dots,
            "You divided by d; a cosine divides by the two norms.": dots / d,
            "You divided by the squared norms: a square root is missing.": dots
            / (norm_a**2 * norm_b**2),
            "You divided by the norm of `a` only.": dots / norm_a,
            "You divided by the norm of `b` only.": dots / norm_b,
            "You divided by one norm of the whole array: `np.linalg.norm` needs `axis=-1`.": dots
            / (np.linalg.norm(a) * np.linalg.norm(b)),
        },
    )


@exercise(
    lesson=LESSON,
    title="A softmax that cannot overflow",
    anchor="Exercise-2-·-A-softmax-that-cannot-overflow",
    minutes=4,
    difficulty=2,
    teaches="Shift invariance, and sums along one axis.",
    hints=[
        "Along which axis do the weights sum to 1? The sum goes over that axis only.",
        "Adding a number to all scores of a row changes no weight. Which number keeps `exp` small?",
        "`scores - scores.max(axis=-1, keepdims=True)`, then `exp`, then divide by the sum.",
    ],
)
def softmax(attempt: Attempt) -> None:
    """``softmax(scores)``: (..., n) -> (..., n)."""
    shape = [(3, 5), (5,), (2, 3, 4)][attempt.draw]
    scores = attempt.rng.normal(size=shape)
    expected = _softmax(scores)
    exps = np.exp(scores)
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    got = attempt.array(attempt.call(scores), shape=shape)
    mistakes = {
        "These are the exponentials: the division by their sum is missing.": exps,
        "The scores were divided by their sum: where is `exp`?": scores
        / scores.sum(axis=-1, keepdims=True),
        "These are the logarithms of the weights.": np.log(expected),
        "The sign of the scores is the wrong way round.": _softmax(-scores),
    }
    if scores.ndim > 1:
        mistakes |= {
            "You divided by the sum of the whole array; `sum` needs `axis=-1`.": exps / exps.sum(),
            "After the shift you divided by one sum for all rows; `sum` needs `axis=-1`.": shifted
            / shifted.sum(),
            "The weights sum to 1 along the first axis; it is the last that counts.": exps
            / exps.sum(axis=0, keepdims=True),
        }
    attempt.close(got, expected, mistakes=mistakes)
    # Far above and far below in one row and in different rows: only each row's own maximum is a
    # shift that neither overflows nor leaves 0/0.
    extreme = np.array(
        [[-1000.0, 1000, 999, -1000], [-1000, -1001, -1000, -1002], [1000, -1000, -1000, 999]]
    )
    got = attempt.array(
        attempt.call(extreme), shape=extreme.shape, finite=False, what="softmax(large scores)"
    )
    bad = ~np.isfinite(got).all(axis=-1)
    attempt.require(
        not (bad[0] or bad[2]),
        "For scores of 1000 beside scores of -1000 the weights are not finite: `exp` overflows.",
        likely="Subtract a number of the row from its scores first: it changes no weight. Only the "
        "row's maximum keeps every exponent at 0 or below.",
    )
    attempt.require(
        not bad[1],
        "For the scores (-1000, -1001, -1000, -1002), beside rows of larger ones, the weights are "
        "not finite: all exponentials are 0, and 0/0 is not a number.",
        likely="You subtracted one number from the whole array: each row needs its own maximum.",
    )
    attempt.close(
        got,
        _softmax(extreme),
        what="softmax(large scores)",
        mistakes={
            "The scores were clipped: differences between large scores are lost.": _softmax(
                np.clip(extreme, -500, 500)
            ),
            "The scores were clipped: differences between very large scores are lost.": _softmax(
                np.clip(extreme, -700, 700)
            ),
        },
    )


@exercise(
    lesson=LESSON,
    title="The gradient of cross-entropy",
    anchor="Exercise-3-·-The-gradient-of-cross-entropy",
    minutes=3,
    difficulty=2,
    teaches="That the gradient is p − y.",
    hints=[
        "Write the loss as `log(sum of exp(scores))` minus one score, and derive each part.",
        "The first part gives the softmax, the second gives −1 at one place.",
        "Compute the softmax `p`, then subtract 1 at `p[target]`.",
    ],
)
def loss_gradient(attempt: Attempt) -> None:
    """``loss_gradient(scores, target)``: (n,), int -> (n,)."""
    n = (4, 5, 7)[attempt.draw]
    scores = attempt.rng.normal(size=n)
    target = (2, 0, n - 1)[attempt.draw]
    p = _softmax(scores)
    y = np.eye(n)[target]
    got = attempt.array(
        attempt.call(scores, target),
        shape=(n,),
        mistakes={"That is the loss, or one entry of the gradient; all n entries are needed.": ()},
    )
    attempt.close(
        got,
        p - y,
        mistakes={
            "It is y − p: the loss falls along it. The gradient points uphill, p − y.": y - p,
            "That is the softmax: the −1 at the target is missing.": p,
            "1 was subtracted everywhere; it belongs to the target only.": p - 1,
            "You subtracted the number `target`; subtract 1 at that place.": p - target,
            "Scores minus one-hot: the softmax is missing.": scores - y,
            "That is the gradient with respect to p, not to the scores.": -y / p,
            "1 was subtracted at the first place, not at the target.": p - np.eye(n)[0],
        },
    )


@exercise(
    lesson=LESSON,
    title="Scores of all heads",
    anchor="Exercise-4-·-Scores-of-all-heads",
    minutes=5,
    difficulty=3,
    teaches="The row convention, and broadcasting over a head axis.",
    hints=[
        "First the queries of all heads: what is the shape of `x @ W_Q`?",
        "The keys need their last two axes swapped; `.T` would reverse all three.",
        "`q @ k.swapaxes(-1, -2)`: the row is the query, the column the key.",
    ],
)
def head_scores(attempt: Attempt) -> None:
    """``head_scores(x, W_Q, W_K)``: (n, d), (h, d, k), (h, d, k) -> (h, n, n)."""
    h, n, d, k = [(2, 5, 7, 3), (3, 4, 6, 2), (4, 2, 5, 3)][attempt.draw]
    x = attempt.rng.normal(size=(n, d))
    W_Q = attempt.rng.normal(size=(h, d, k))
    W_K = attempt.rng.normal(size=(h, d, k))
    q, keys = x @ W_Q, x @ W_K
    expected = np.einsum("hik,hjk->hij", q, keys)
    got = attempt.array(
        attempt.call(x, W_Q, W_K),
        shape=(h, n, n),
        mistakes={
            "The heads are on the last axis: they belong to the front.": (n, n, h),
            "The product ran over the positions; it has to run over the components.": (h, k, k),
            "That is the matrix W_Q W_K^T of each head: x is missing on both sides.": (h, d, d),
            "These are queries or keys of each head, not yet their products.": (h, n, k),
            "The heads were summed up; each keeps its own scores.": (n, n),
        },
    )
    weights = np.exp(expected - expected.max(-1, keepdims=True))
    attempt.close(
        got,
        expected,
        mistakes={
            "Query and key are swapped: the row has to be the query.": expected.swapaxes(-1, -2),
            "Divided by the root of d_head: no scaling is asked for here.": expected / k**0.5,
            "These are the weights after the softmax; only the scores are asked for.": weights
            / weights.sum(-1, keepdims=True),
            "Both sides use W_Q.": q @ q.swapaxes(-1, -2),
            "Both sides use W_K.": keys @ keys.swapaxes(-1, -2),
        },
    )
