"""Check of lesson 09: which position a rotary head prefers, by its angles alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.comparing import AnyOf
from vsacourse.check.core import exercise
from vsacourse.check.lesson09 import LESSON
from vsacourse.check.lesson09_rotary import ANGLES, phasors, theta_of

Array = NDArray[Any]


def _by_offset(z_q: Array, z_k: Array, offsets: Array, angles: Array) -> Array:
    out: Array = (z_q * z_k.conj() * np.exp(1j * offsets[..., None] * angles)).real.sum(axis=-1)
    return out


def _best(scores: Array, mask: Array) -> Array:
    out: Array = np.where(mask, scores, -np.inf).argmax(axis=1)
    return out


def _first_of(scores: Array, past: int) -> Array:
    """For each t: t minus the best of the offsets below t + past (of offset 0 at least)."""
    t = range(len(scores))
    return np.array([i - int(scores[: max(i + past, 1)].argmax()) for i in t])


# A query and a key for which all mistakes but those of the angles give different positions.
_TELLING = (
    np.array([-1.2, -2.1, -1.3, 1.2, 0.5, 0.1, -0.4, -2.0]),
    np.array([2.9, 2.5, 0.8, 2.7, 0.8, 1.1, -0.2, -2.3]),
)


def _mask_mistakes(table: Array, by_offset: Array, one_more: Array) -> dict[str, Any]:
    """What a mask, an axis or a range can do; ``by_offset`` counts from 0."""
    n = len(table)
    t, seen = np.arange(n), np.tri(n, dtype=bool)
    top = int(by_offset.argmax())
    return {
        "These are the offsets: position t looks at s = t − offset.": t - _best(table, seen),
        "That is position t itself, every time: compare the scores of all offsets from 0 to t.": t,
        "That is key 0, every time: were the keys turned by their own positions?": 0 * t,
        "Later positions are seen: only s ≤ t may be chosen.": table.argmax(axis=1),
        "Offset t, which is key 0, counts, too: the offsets 0 to t are t + 1 scores.": _first_of(
            by_offset, 0
        ),
        "Offset t + 1 would be the position −1: the offsets 0 to t are t + 1 scores.": AnyOf(
            (_first_of(by_offset, 2), _first_of(one_more, 2)[:n])
        ),
        "The mask is one too wide: s = t + 1 is a later position.": _best(
            table, np.tri(n, k=1, dtype=bool)
        ),
        "A position may look at itself, offset 0.": _best(table, np.tri(n, k=-1, dtype=bool)),
        "A hidden score of 0 is not hidden: the scores that are seen may be negative. Use "
        "−∞.": np.tril(table).argmax(axis=1),
        "The mask hides the wrong half: s ≤ t may be chosen, with the query t in the row.": AnyOf(
            (_best(table, seen.T), np.triu(table).argmax(axis=1))
        ),
        "That is the best query for each key: with the query in the row, take the best column of "
        "each row, `axis=1`.": AnyOf(
            x.argmax(axis=0) for x in (np.where(seen, table, -np.inf), table, np.tril(table))
        ),
        "The best offset of all reaches further back than an early position can: take the best of "
        "those from 0 to t.": np.maximum(t - top, 0),
        "Some positions are negative: position t can reach the offsets 0 to t only.": t - top,
        "A negative position counts from the end: position t can reach the offsets 0 to t only.": (
            t - top
        )
        % n,
        "That is the *lowest* score.": _best(-table, seen),
        "The highest score is asked for, not the largest in size.": _best(abs(table), seen),
    }


def _mistakes(q: Array, k: Array, n: int, base: float) -> tuple[Array, dict[str, Any]]:
    """The right positions, and those that a likely mistake gives."""
    t, seen, angles = np.arange(n), np.tri(n, dtype=bool), theta_of(len(q), base)
    offsets = np.subtract.outer(t, t)
    z_q, z_k = phasors(q), phasors(k)
    table = _by_offset(z_q, z_k, offsets, angles)
    one_more = _by_offset(z_q, z_k, np.arange(n + 1), angles)
    wrong: dict[str, Any] = _mask_mistakes(table, one_more[:n], one_more)
    code = np.exp(1j * offsets[..., None] * angles)
    wrong |= {
        "The query stands at t and the key at s: the offset is t − s, not s − t. (Or query and key "
        "are exchanged.)": _best(table.T, seen),
        "To compare, conjugate one of the two sides: Re(z_q times the conjugate of the unbound "
        "key).": _best((z_q * z_k * code.conj()).real.sum(-1), seen),
        "No conjugate is left: one for unbinding, one for the comparison.": _best(
            (z_q * z_k * code).real.sum(-1), seen
        ),
        "The pairs are neighbours here; *halves* was asked for.": _best(
            _by_offset(phasors(q, "interleaved"), phasors(k, "interleaved"), offsets, angles), seen
        ),
        "The queries were not turned by their own positions.": _best(
            np.broadcast_to(_by_offset(z_q, z_k, -t, angles), (n, n)), seen
        ),
    }
    for words, vary in ANGLES.items():
        if vary == "own base" and base == 10_000:
            continue
        wrong[words] = _best(_by_offset(z_q, z_k, offsets, theta_of(len(q), base, vary)), seen)
    return _best(table, seen), wrong


def _clear(rng: np.random.Generator, d_head: int, n: int, base: float) -> tuple[Array, Array]:
    """A query and a key, whose best offset among 0 .. t is clear for each t."""
    while True:
        q, k = rng.normal(size=d_head), 2 * rng.normal(size=d_head)
        scores = _by_offset(phasors(q), phasors(k), np.arange(n), theta_of(d_head, base))
        gaps = [np.diff(np.sort(scores[: t + 1])[-2:])[0] for t in range(1, n)]
        best = np.array([scores[: t + 1].argmax() for t in range(n)])
        far = n < 20 or best.max() > 15  # a window of 15 is not enough
        if far and min(gaps) > 0.02 * scores.std() and len(set(best.tolist())) >= min(3, n):
            return q, k


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
    if attempt.draw == 0:
        q, k = (x.copy() for x in _TELLING)
    elif attempt.draw > 1:
        q, k = _clear(attempt.rng, d_head, n, base)
    else:
        q, k = np.array([1.0, 0.0]), np.array([0.0, 1.0])  # the example
    where = f"d_head {d_head}, n = {n}, base {base:g}"
    got = attempt.array(
        attempt.call(
            *(q, k, n, base),
            on_error={
                "empty sequence": "Position 0 has one offset to choose from, 0. The offsets 0 to t "
                "are t + 1 scores, `scores[: t + 1]`."
            },
        ),
        shape=(n,),
        kind="int",
        what=f"the positions for {where}",
        mistakes={
            "These are all scores: which key is the best in each row?": (n, n),
            "One position for each query position is asked for.": (),
        },
    )
    right, wrong = _mistakes(q, k, n, base)
    attempt.equal(
        np.asarray(got).astype(int),
        right,
        what=f"the positions for {where}",
        mistakes=wrong,
    )
