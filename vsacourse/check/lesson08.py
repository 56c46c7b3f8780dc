"""Checks of lesson 08, a transformer in NumPy: the gain of a copy, and causal attention."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.backend import matrix_transpose, softmax
from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "08-transformer-in-numpy"

Array = NDArray[Any]

_TEXTS: list[tuple[list[int], list[int], int, str]] = [  # weights in eighths, tokens, target
    ([2, 5, 1], [0, 1, 0], 1, "the own token at two positions"),
    ([1, 3, 2, 1, 1], [3, 1, 3, 1, 0], 1, "the target at two positions"),
    ([3, 5, 0], [2, 4, 1], 4, "nothing on the own token"),
    ([1, 3, 4], [0, 2, 1], 2, "more on the own token than on the target"),
    ([4, 3, 1], [2, 3, 0], 3, "more on a third token than on the target"),
    ([3, 3, 2], [2, 1, 0], 1, "as much on a third token as on the target"),
    ([1, 1, 1, 1, 4], [5, 5, 5, 0, 3], 5, "less on the target than on the own token"),
    ([2, 2, 3, 1], [6, 6, 2, 0], 6, "the target at two positions, a third token between"),
    ([4, 2, 2], [0, 1, 0], 3, "a target that is not in the text"),
    ([2, 3, 2, 1], [2, 1, 4, 0], 1, "the target with less than half of the attention"),
    ([2, 2, 3, 1], [7, 7, 1, 0], 1, "a third token at two positions"),
    ([8], [2], 0, "one position, and the target not in the text"),
    ([4, 1, 3], [1, 0, 0], 1, "as much on the own token as on the target"),
]


@exercise(
    lesson=LESSON,
    title="How large a copy gain",
    minutes=6,
    difficulty=2,
    teaches="what a copied token has to beat in the residual stream",
    hints=[
        "The target has to win against the own token, which is in the stream already, and against "
        "every other token that was attended to. When does no gain help?",
        "Add up the weights of all positions with the same token. Then write down the logit of "
        "each token, as a function of g.",
        "With the share a of the target and a_own of the own token: g a > 1 + g a_own. Solve for "
        "g, and look at the other tokens' shares as well: g is in all of them.",
    ],
    draws=len(_TEXTS),
    anchor="Exercise-1-·-How-large-a-copy-gain",
)
def gain_needed(attempt: Attempt) -> None:
    """``gain_needed(weights, tokens, target)``: (n,), (n,) integers, int -> float."""
    eighths, text, target, words = _TEXTS[attempt.draw]
    weights, tokens = np.array(eighths) / 8, np.array(text)
    share = np.bincount(tokens, weights=weights, minlength=target + 1)
    own = int(tokens[-1])
    a, a_own = share[target], share[own]
    others = np.delete(share, target)
    right = 1 / (a - a_own) if a > others.max() else np.inf
    got = _number(attempt, attempt.call(weights, tokens, target))
    if np.isclose(got, right, rtol=1e-6):
        return
    at = np.flatnonzero(tokens == target)
    single = float(weights[at].max()) if len(at) else 0.0
    own_single = weights[-1], weights[tokens == own].max()
    with np.errstate(divide="ignore"):
        wrong = {
            "No gain is enough here: then return `np.inf`, no other number.": got
            if np.isinf(right) and (got <= 0 or np.isnan(got) or got > 1e6)
            else None,
            "The own token is beaten, but a third token has at least as large a share: a larger "
            "gain copies that, too.": 1 / (a - a_own) if np.isinf(right) and a > a_own else None,
            "The head copies the own token as well: its logit is 1 + g times its share.": 1 / a
            if a
            else None,
            "A token may stand at several positions: add up their weights.": _near(
                got,
                *(1 / (x - y) for x in (single, a) for y in (*own_single, a_own) if x != y),
            ),
            "Is the own token's share added? It stands on the other side: g a > 1 + g a_own.": 1
            / (a + a_own),
            "The share of a third token does not enter the number: the own token alone has a 1 in "
            "the stream.": 1 / (a - others.max()) if a != others.max() else None,
            "That is the difference of the shares; the gain is 1 over it.": a - a_own,
            "That is a ratio of the shares: the 1 of the own token is missing.": a / a_own
            if a_own
            else None,
            "Here a gain is enough. `np.inf` is for a target that cannot win.": np.inf
            if np.isfinite(right)
            else None,
        }
    likely = next((text for text, x in wrong.items() if x is not None and _same(got, float(x))), "")
    attempt.require(
        False,
        f"For the weights {weights.tolist()}, the tokens {text} and the target {target} ({words}): "
        f"expected {right:.4g}, got {got:.4g}.",
        likely=likely,
    )


def _same(x: float, y: float) -> bool:
    return bool(np.isclose(x, y, rtol=1e-6, equal_nan=True))


def _near(got: float, *candidates: float) -> float | None:
    return next((x for x in candidates if _same(got, x)), None)


def _number(attempt: Attempt, got: Any) -> float:
    """A float that may be infinite; a result without axes."""
    array = np.asarray(got)
    if array.shape == () and array.dtype.kind in "fiu":
        return float(array)
    return float(attempt.scalar(got))


# How a learner may vary the layer; None is right.
_VARIATIONS = {
    "The mask is upside down: hide the *later* keys, above the diagonal.": "upside down",
    "A position may see itself: s ≤ t.": "strict",
    "A hidden key got the score 0, and e⁰ = 1: hide it with −∞ (or −1e9).": "zero scores",
    "The weights were set to zero after the softmax: the rows no longer sum to 1. Mask the "
    "scores.": "late mask",
    "The softmax runs over the queries: every *row* of weights has to sum to 1, over the "
    "keys.": "queries",
    "A hidden key got a score like −1000, and visible ones are lower here: hide it with −∞ (or "
    "−1e9).": "shallow mask",
    "A hidden key got a score like −100, and visible ones are lower here: hide it with −∞ (or "
    "−1e9).": "shallow mask of 100",
    "1000 was subtracted from the hidden scores, and visible ones are lower still: hide them with "
    "−∞ (or −1e9).": "1000 lower",
    "100 was subtracted from the hidden scores, and visible ones are lower still: hide them with "
    "−∞ (or −1e9).": "100 lower",
    "Scores are cut off at ±700, so that different ones become equal: subtract the largest of each "
    "row instead.": "clipped",
    "The scores are not divided by the root of d_head.": "no root",
    "The scores were divided by d_head; it is its root.": "d_head",
    "The root is that of d_head, the last axis of `W_Q`, not of d_model.": "d_model",
    "The positions went into the values as well: only queries and keys see them.": "values",
    "The positions are not used: add them to what queries and keys are made of.": "no positions",
    "The positions are missing in the keys.": "query positions",
    "The positions are missing in the queries.": "key positions",
    "Queries and keys are exchanged: the row of the scores is the query.": "exchanged",
    "The heads are added up, not averaged.": "mean",
    "Only the first head is there: add up all of them.": "first",
    "Only the last head is there: add up all of them.": "last",
    "x itself is in the result: return only what the layer adds to it.": "stream",
    "The stream and the positions are in the result: return only what the layer adds.": "stream "
    "and positions",
    "Later positions are seen: the mask must hide every key s > t from the query t.": "no mask",
}


def _layer(x: Array, positions: Array, weights: list[Array], vary: str = "") -> Array:
    W_Q, W_K, W_V, W_O = weights
    at_q = x if vary in ("no positions", "key positions") else x + positions
    at_k = x if vary in ("no positions", "query positions") else x + positions
    at_v = x + positions if vary == "values" else x
    q, k, v = (
        y[..., None, :, :] @ W for y, W in ((at_q, W_Q), (at_k, W_K), (at_v, W_V))
    )  # [..., head, pos, d_head]
    if vary == "exchanged":
        q, k = k, q
    d_head, n = W_Q.shape[-1], x.shape[-2]
    root = {"no root": 1, "d_head": d_head, "d_model": x.shape[-1] ** 0.5}.get(vary, d_head**0.5)
    scores = q @ np.swapaxes(k, -1, -2) / root
    if vary == "clipped":
        scores = np.clip(scores, -700, 700)
    seen = np.tri(n, dtype=bool)
    hidden: Any = {
        **{"zero scores": 0.0, "shallow mask": -1000.0, "shallow mask of 100": -100.0},
        **{"1000 lower": scores - 1000, "100 lower": scores - 100},
    }.get(vary, -1e9)
    shown = {"upside down": seen.T, "strict": np.tri(n, k=-1, dtype=bool)}.get(vary, seen)
    if vary not in ("no mask", "late mask"):
        scores = np.where(shown, scores, hidden)
    A = softmax(scores)
    if vary == "queries":
        A = matrix_transpose(softmax(matrix_transpose(scores)))
    if vary == "late mask":
        A = A * seen
    written = A @ v @ W_O  # [..., head, pos, d_model]
    heads: Array = {"first": written[..., :1, :, :], "last": written[..., -1:, :, :]}.get(
        vary, written
    )
    out: Array = heads.mean(axis=-3) if vary == "mean" else heads.sum(axis=-3)
    if vary.startswith("stream"):
        out = out + x + (positions if "positions" in vary else 0)
    return out


@exercise(
    lesson=LESSON,
    title="Causal attention",
    minutes=11,
    difficulty=3,
    teaches="an attention layer with a head axis, a causal mask, and positions that go into "
    "queries and keys only",
    hints=[
        "Begin with the lesson's `attention`. Three things change: where the positions go, which "
        "axes stand in front, and that the heads are added up.",
        "Where must the axis of length 1 stand, so that `x @ W_Q` broadcasts over the heads and "
        "over any batch? Count the axes from the end.",
        "`x[..., None, :, :]` has that axis. Then make q and k of `x + positions` and v of `x`, "
        "go on as in the lesson, and at the end add up the axis −3.",
    ],
    draws=7,
    anchor="Exercise-2-·-Causal-attention",
)
def attention_layer(attempt: Attempt) -> None:
    """``attention_layer(x, positions, W_Q, W_K, W_V, W_O)``: (..., pos, d_model) -> the same."""
    batch, n, heads, d_model, d_head = [
        ((3,), 5, 2, 6, 4),
        ((), 4, 3, 5, 2),
        ((2, 3), 6, 4, 7, 3),
        ((2,), 5, 2, 6, 3),  # scores beyond a thousand
        ((1,), 1, 2, 4, 5),
        ((5,), 3, 1, 2, 6),
        ((2,), 5, 2, 6, 3),  # and below minus a thousand
    ][attempt.draw]
    large = attempt.draw in (3, 6)
    rng = attempt.rng
    size = {3: 7, 6: 12}.get(attempt.draw, 1)
    while True:
        x = rng.normal(size=(*batch, n, d_model)) * size
        positions = rng.normal(size=(n, d_model)) * size
        weights = [rng.normal(size=(heads, d_model, d_head)) for _ in range(3)]
        weights.append(rng.normal(size=(heads, d_head, d_model)))
        if attempt.draw != 6:
            break
        weights[1][0] = -weights[0][0]  # head 0 is against every position's own token
        if _extreme(x, positions, weights):
            break
    expected = _layer(x, positions, weights)
    here = f"x of shape {x.shape}, {heads} head{'s' * (heads > 1)} of d_head {d_head}"
    axes = f"{len(batch)} batch axes" if batch else "no batch axis"
    from_the_front = {
        "": f"This x has {axes}. `x[:, None]` and other axes counted from the front are right "
        "with one batch axis only: count from the end, `x[..., None, :, :]`."
    }
    out = attempt.call(x, positions, *weights, on_error=None if len(batch) == 1 else from_the_front)
    got = attempt.array(
        out,
        shape=x.shape,
        finite=False,
        what=f"the result for {here}",
        mistakes={
            "These are what the heads wrote, one by one: add them up.": (
                *batch,
                heads,
                n,
                d_model,
            ),
            "These are the heads before `W_O`: it brings them back to d_model numbers.": (
                *batch,
                heads,
                n,
                d_head,
            ),
            "These are the patterns: they still have to meet the values.": (*batch, heads, n, n),
            "The sum does not run over the heads here: they are the third axis from the end, −3.": (
                (*batch, heads, n, d_model)[:1] + (*batch, heads, n, d_model)[2:]
            ),
        },
    )
    if not np.isfinite(got).all():
        likely = (
            "Is the largest score of each *row* subtracted before `exp`? Without that a score of "
            "1000 overflows; with the maximum of the whole array a row may become 0/0."
            if large
            else "0 times infinity is NaN: choose with `np.where(seen, scores, -np.inf)`. Or does "
            "the first position see no key at all?"
        )
        attempt.require(
            False,
            f"The result for {here} is not finite"
            + (f": scores reach {_largest(x, positions, weights):.0f} here." if large else "."),
            likely=likely,
        )
    attempt.close(
        got,
        expected,
        rtol=1e-3 if large else 2e-5,
        what=f"the result for {here}",
        mistakes={
            words: (lambda vary=vary: _layer(x, positions, weights, vary))
            for words, vary in _VARIATIONS.items()
            if not _equal(_layer(x, positions, weights, vary), expected)
        },
    )


def _extreme(x: Array, positions: Array, weights: list[Array]) -> bool:
    """Some row: two visible scores over 1000; some row: all visible below -1500, a hidden above."""
    at = (x + positions)[..., None, :, :]
    scores = (at @ weights[0]) @ np.swapaxes(at @ weights[1], -1, -2) / weights[0].shape[-1] ** 0.5
    seen = np.tri(x.shape[-2], dtype=bool)
    shown = np.sort(np.where(seen, scores, -np.inf), axis=-1)
    hidden = np.where(seen, -np.inf, scores).max(axis=-1)
    high = (shown[..., -2] > 1000) & (shown[..., -1] - shown[..., -2] > 5)
    low = (shown[..., -1] < -1500) & (hidden > -500)
    return bool(high.any() and low.any())


def _largest(x: Array, positions: Array, weights: list[Array]) -> float:
    at = (x + positions)[..., None, :, :]
    scores = (at @ weights[0]) @ np.swapaxes(at @ weights[1], -1, -2)
    return float(np.abs(scores).max() / weights[0].shape[-1] ** 0.5)


def _equal(a: Array, b: Array) -> bool:
    return bool(np.allclose(a, b, rtol=1e-3, atol=1e-6))
