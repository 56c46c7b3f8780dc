"""Checks of lesson 09: rotary scores, as rotations and as an unbinding, and what they prefer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson09 import LESSON

Array = NDArray[Any]


def _phasors(x: Array, pairing: str = "halves") -> Array:
    half = x.shape[-1] // 2
    z: Array = x[..., :half] + 1j * x[..., half:]
    if pairing == "interleaved":
        z = x[..., 0::2] + 1j * x[..., 1::2]
    return z


def _theta(d_head: int, base: float, vary: str = "") -> Array:
    j = np.arange(d_head // 2)
    exponent: Array = {
        "j": -j / d_head,
        "from 1": -2 * (j + 1) / d_head,
        "2j over half": -4 * j / d_head,
        "positive": 2 * j / d_head,
    }.get(vary, -2 * j / d_head)
    theta: Array = (10_000.0 if vary == "own base" else base) ** exponent
    return np.deg2rad(theta) if vary == "degrees" else theta


_ANGLES = {
    "The exponent is −2j/d_head; the 2 is missing.": "j",
    "Pairs are counted from j = 0: the first turns by 1 radian a step.": "from 1",
    "With d_head/2 in the denominator the 2 is already there: −j/(d_head/2).": "2j over half",
    "The exponent is negative: later pairs turn more slowly.": "positive",
    "The angles are in radians.": "degrees",
    "`base` is an argument: here it is not 10000.": "own base",
}


def _scores(z_q: Array, z_k: Array, t: Array, s: Array, theta: Array, vary: str = "") -> Array:
    """All scores, (n, N), right or varied."""
    a, b = np.exp(1j * t[:, None] * theta), np.exp(1j * s[:, None] * theta)
    if vary == "key back":
        b = b.conj()
    if vary == "both back":
        a, b = a.conj(), b.conj()
    if vary == "query only":
        b = np.ones_like(b)
    if vary == "key only":
        a = np.ones_like(a)
    if vary == "none":
        a, b = np.ones_like(a), np.ones_like(b)
    out: Array = ((z_q * a) @ (z_k * b).conj().T).real
    return out


@exercise(
    lesson=LESSON,
    title="Shift both positions, then one",
    minutes=7,
    difficulty=3,
    teaches="rotary positions in real numbers, and what they do not see",
    hints=[
        "Write a function that turns all rows of an array by their positions, and use it twice.",
        "The angles are a table, positions down and pairs across, shape (n, d_head/2). Which two "
        "halves of x does it act on?",
        "With a, b the two halves of x: the new first half is a cos − b sin, the new second half "
        "a sin + b cos. Put them side by side, then one matrix product.",
    ],
    draws=5,
    anchor="Exercise-2-·-Shift-both-positions,-then-one",
)
def rotary_scores(attempt: Attempt) -> None:
    """``rotary_scores(q, k, query_positions, key_positions, base)``: ... -> (n, N)."""
    n, N, d_head, base = [
        (3, 5, 8, 10_000.0),
        (4, 2, 6, 200.0),
        (1, 1, 2, 10_000.0),
        (2, 3, 16, 500.0),
        (5, 4, 4, 10_000.0),
    ][attempt.draw]
    rng = attempt.rng
    q, k = rng.normal(size=(n, d_head)), rng.normal(size=(N, d_head))
    t, s = rng.integers(60, size=n), rng.integers(60, size=N)
    if attempt.draw == 2:
        t, s = np.array([5]), np.array([3])
    if attempt.draw == 4:
        t, s = t + 1000, s + 950
    where = f"d_head {d_head}, base {base:g}, queries at {t.tolist()}, keys at {s.tolist()}"
    got = attempt.array(
        attempt.call(q, k, t, s, base),
        shape=(n, N),
        what=f"the scores for {where}",
        mistakes={
            "The query stands in the row: this is the transpose.": (N, n),
            "One score for each query and each key is asked for.": (n,),
            "These are the turned queries: multiply them with the turned keys.": (n, d_head),
        },
    )
    theta = _theta(d_head, base)
    z_q, z_k = _phasors(q), _phasors(k)
    right = _scores(z_q, z_k, t, s, theta)
    other_q, other_k = _phasors(q, "interleaved"), _phasors(k, "interleaved")
    wrong: dict[str, Any] = {
        words: _scores(z_q, z_k, t, s, _theta(d_head, base, vary))
        for words, vary in _ANGLES.items()
    }
    wrong |= {
        "The key was turned the other way: then the score depends on t + s.": _scores(
            z_q, z_k, t, s, theta, "key back"
        ),
        "Both were turned the wrong way round: look at the signs of the sines.": _scores(
            z_q, z_k, t, s, theta, "both back"
        ),
        "The keys were not turned.": _scores(z_q, z_k, t, s, theta, "query only"),
        "The queries were not turned.": _scores(z_q, z_k, t, s, theta, "key only"),
        "Nothing was turned.": _scores(z_q, z_k, t, s, theta, "none"),
        "The pairs are neighbours here; *halves* was asked for, j and j + d_head/2.": _scores(
            other_q, other_k, t, s, theta
        ),
        "Do not divide by the root of d_head.": right / d_head**0.5,
        "The keys' positions are used for the queries, too.": _scores(z_q, z_k, s[:1], s, theta)
        if n == 1
        else (_scores(z_q, z_k, s[np.arange(n) % N], s, theta)),
        "Every row is turned by its place in the array: use the positions that are given.": (
            _scores(z_q, z_k, np.arange(n), np.arange(N), theta)
        ),
    }
    wrong = {words: x for words, x in wrong.items() if not np.allclose(x, right, atol=1e-3)}
    size = float(np.linalg.norm(z_q, axis=1).max() * np.linalg.norm(z_k, axis=1).max())
    attempt.close(
        got, right, rtol=1e-3, atol=5e-4 * size, what=f"the scores for {where}", mistakes=wrong
    )


_PAIRINGS = ("halves", "interleaved")


@exercise(
    lesson=LESSON,
    title="The score from complex numbers",
    minutes=5,
    difficulty=3,
    teaches="the score under rotary positions as an FHRR unbinding, in both pairings",
    hints=[
        "Three steps: pairs become complex numbers, the offset is unbound from the key, the "
        "result is compared with the query.",
        "Which slices of q are the real and which the imaginary parts, in each pairing? The "
        "offsets are an axis of their own: shape (n, d_head/2).",
        "Unbinding is multiplying by the conjugate of `np.exp(1j * offsets[:, None] * theta)`. "
        "A comparison conjugates one of the two sides; take the real part, and sum over the pairs.",
    ],
    draws=6,
    anchor="Exercise-3-·-The-score-from-complex-numbers",
)
def score_at_offsets(attempt: Attempt) -> None:
    """``score_at_offsets(q, k, offsets, base, pairing)``: (d_head,), (d_head,), (n,) -> (n,)."""
    pairing = _PAIRINGS[attempt.draw % 2]
    d_head, n, base = [
        *((8, 5, 10_000.0), (6, 4, 10_000.0), (2, 3, 10_000.0)),
        *((16, 1, 300.0), (10, 7, 50.0), (4, 6, 10_000.0)),
    ][attempt.draw]
    rng = attempt.rng
    q, k = rng.normal(size=d_head), 3 * rng.normal(size=d_head)
    offsets = rng.integers(-40, 60, size=n)
    if attempt.draw == 5:
        offsets = offsets + 500
    where = f"d_head {d_head}, base {base:g}, {pairing}, offsets {offsets.tolist()}"
    got = attempt.array(
        attempt.call(q, k, offsets, base, pairing),
        shape=(n,),
        what=f"the scores for {where}",
        mistakes={
            "These are the pairs' contributions: sum over the pairs.": (n, d_head // 2),
            "The sum runs over the offsets; it has to run over the pairs.": (d_head // 2,),
            "Everything was summed: one score for each offset.": (),
        },
    )
    theta = _theta(d_head, base)
    z_q, z_k = _phasors(q, pairing), _phasors(k, pairing)
    code = np.exp(1j * offsets[:, None] * theta)

    def total(z: Array) -> Array:
        out: Array = z.real.sum(axis=-1)
        return out

    right = total(z_q * (z_k * code.conj()).conj())
    other = _PAIRINGS[1 - attempt.draw % 2]
    sides = float(np.linalg.norm(z_q) * np.linalg.norm(z_k))
    wrong: dict[str, Any] = {
        words: total(z_q * z_k.conj() * np.exp(1j * offsets[:, None] * _theta(d_head, base, vary)))
        for words, vary in _ANGLES.items()
    }
    wrong |= {
        f"Those are the pairs of {other!r}; {pairing!r} is asked for here.": total(
            _phasors(q, other) * (_phasors(k, other) * code.conj()).conj()
        ),
        "To compare, conjugate one of the two sides: Re(z_q times the conjugate of the unbound "
        "key).": total(z_q * z_k * code.conj()),
        "The key was *bound* with the offset: to unbind, multiply by the conjugate (or q and k are "
        "exchanged, or the offset is counted as s − t).": total(z_q * (z_k * code).conj()),
        "The offset was unbound from the query; it belongs to the key (or, with t − s, the query "
        "is turned forwards).": total(z_q * code.conj() * z_k.conj()),
        "No conjugate is left: one for unbinding, one for the comparison.": total(z_q * z_k * code),
        "A similarity divides by the lengths; the score does not.": right / sides,
        "A score is the sum over the pairs, not their mean.": right / (d_head // 2),
        "Do not divide by the root of d_head.": right / d_head**0.5,
        "The lengths of the pairs count: z_q and z_k are no phasors.": total(
            z_q / abs(z_q) * (z_k / abs(z_k)).conj() * code
        ),
        "That is the absolute value; take the real part.": abs((z_q * z_k.conj() * code).sum(-1)),
        "Offsets may be negative, and then they count the other way.": total(
            z_q * z_k.conj() * np.exp(1j * abs(offsets)[:, None] * theta)
        ),
    }
    wrong = {words: x for words, x in wrong.items() if not np.allclose(x, right, atol=1e-3)}
    attempt.close(
        got, right, rtol=1e-3, atol=3e-4 * sides, what=f"the scores for {where}", mistakes=wrong
    )


def _clear(rng: np.random.Generator, d_head: int, n: int, base: float) -> tuple[Array, Array]:
    """A query and a key, whose best offset among 0 .. t is clear for each t."""
    while True:
        q, k = rng.normal(size=d_head), 2 * rng.normal(size=d_head)
        scores = _by_offset(q, k, np.arange(n), base)
        gaps = [np.diff(np.sort(scores[: t + 1])[-2:])[0] for t in range(1, n)]
        best = np.array([scores[: t + 1].argmax() for t in range(n)])
        far = n < 20 or best.max() > 15  # a window of 15 is not enough
        if far and min(gaps) > 0.02 * scores.std() and len(set(best.tolist())) >= min(3, n):
            return q, k


def _by_offset(q: Array, k: Array, offsets: Array, base: float, pairing: str = "halves") -> Array:
    code = np.exp(1j * offsets[:, None] * _theta(len(q), base))
    out: Array = (_phasors(q, pairing) * _phasors(k, pairing).conj() * code).real.sum(axis=-1)
    return out


@exercise(
    lesson=LESSON,
    title="What a rotary head prefers",
    minutes=6,
    difficulty=4,
    teaches="to find the position that a query and a key pick out by their angles alone",
    hints=[
        "On what do all n² scores depend? How many different ones are there?",
        "Compute the score for each offset from 0 to n − 1 (exercise 3). Which of these offsets "
        "can position t use, and which position does an offset stand for?",
        "For each t: the `argmax` of the first t + 1 scores is an offset; the position is t minus "
        "that.",
    ],
    draws=5,
    anchor="Exercise-5-·-What-a-rotary-head-prefers",
)
def preferred_positions(attempt: Attempt) -> None:
    """``preferred_positions(q, k, n, base)``: (d_head,), (d_head,), int, float -> (n,)."""
    d_head, n, base = [
        *((8, 12, 10_000.0), (2, 4, 10_000.0), (6, 9, 50.0)),
        *((16, 20, 10_000.0), (4, 15, 200.0)),
    ][attempt.draw]
    q, k = _clear(attempt.rng, d_head, n, base)
    if attempt.draw == 1:
        q, k = np.array([1.0, 0.0]), np.array([0.0, 1.0])  # the example
    where = f"d_head {d_head}, n = {n}, base {base:g}"
    got = attempt.array(
        attempt.call(q, k, n, base),
        shape=(n,),
        kind="int",
        what=f"the positions for {where}",
        mistakes={
            "These are all scores: which key is the best in each row?": (n, n),
            "One position for each query position is asked for.": (),
        },
    )
    t = np.arange(n)
    scores = _by_offset(q, k, t, base)
    offsets = np.array([scores[: i + 1].argmax() for i in t])
    right = t - offsets
    table = _by_offset(q, k, np.subtract.outer(t, t).ravel(), base).reshape(n, n)
    seen = np.tri(n, dtype=bool)

    def best(scores: Array, mask: Array = seen) -> Array:
        out: Array = np.where(mask, scores, -np.inf).argmax(axis=1)
        return out

    other = _by_offset(q, k, np.subtract.outer(t, t).ravel(), base, "interleaved").reshape(n, n)
    wrong: dict[str, Any] = {
        "These are the offsets: position t looks at s = t − offset.": offsets,
        "Later positions are seen: only s ≤ t may be chosen.": best(table, seen | True),
        "The best offset of all reaches further back than an early position can: take the best of "
        "those from 0 to t.": np.maximum(t - scores.argmax(), 0),
        "Some positions are negative: position t can reach the offsets 0 to t only.": t
        - scores.argmax(),
        "A negative position counts from the end: position t can reach the offsets 0 to t only.": (
            t - scores.argmax()
        )
        % n,
        "The query stands at t and the key at s: the offset is t − s, not s − t. (Or query and key "
        "are exchanged.)": best(table.T),
        "A position may look at itself, offset 0.": best(table, np.tri(n, k=-1, dtype=bool)),
        "That is the *lowest* score.": best(-table),
        "The highest score is asked for, not the largest in size.": best(abs(table)),
        "The pairs are neighbours here; *halves* was asked for.": best(other),
        "The keys were not turned by their own positions.": best(
            np.repeat(_by_offset(q, k, t, base)[:, None], n, axis=1)
        ),
    }
    for words, vary in _ANGLES.items():
        angle = np.subtract.outer(t, t)[..., None] * _theta(d_head, base, vary)
        wrong[words] = best((_phasors(q) * _phasors(k).conj() * np.exp(1j * angle)).real.sum(-1))
    wrong = {words: x for words, x in wrong.items() if not np.array_equal(x, right)}
    attempt.equal(
        np.asarray(got).astype(int), right, what=f"the positions for {where}", mistakes=wrong
    )
