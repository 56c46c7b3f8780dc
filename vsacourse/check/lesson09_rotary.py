"""Checks of lesson 09: rotary scores, as rotations and as an unbinding, and what they prefer."""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson09 import LESSON

Array = NDArray[Any]


def phasors(x: Array, pairing: str = "halves") -> Array:
    """Pairs of components as complex numbers: (..., d_head) -> (..., d_head/2)."""
    half = x.shape[-1] // 2
    z: Array = x[..., :half] + 1j * x[..., half:]
    if pairing == "interleaved":
        z = x[..., 0::2] + 1j * x[..., 1::2]
    return z


def theta_of(d_head: int, base: float, vary: str = "") -> Array:
    """The angle of each pair for one step, right or varied as in ``ANGLES``."""
    j = np.arange(d_head // 2)
    exponent: Array = {
        "j": -j / d_head,
        "from 1": -2 * (j + 1) / d_head,
        "2j over half": -4 * j / d_head,
        "positive": 2 * j / d_head,
    }.get(vary, -2 * j / d_head)
    theta: Array = (10_000.0 if vary == "own base" else base) ** exponent
    return np.deg2rad(theta) if vary == "degrees" else theta


ANGLES = {
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


def _overwritten(z: Array, turn: Array) -> Array:
    """Turned pairs, when the second half is made of the new first half."""
    first = (z * np.exp(1j * turn)).real
    out: Array = first + 1j * (first * np.sin(turn) + z.imag * np.cos(turn))
    return out


def _mixed(got: Array, q: Array, k: Array, places: tuple[Array, Array], theta: Array) -> Array:
    """Scores with other signs and functions in the turn that come close to ``got``, or infinity."""
    for functions in itertools.product((np.cos, np.sin), repeat=4):
        for signs in itertools.product((1, -1), repeat=4):
            turned = []
            for x, at in zip((q, k), places, strict=True):
                a, b = np.split(x, 2, axis=1)
                w = [
                    sign * f(at[:, None] * theta) for sign, f in zip(signs, functions, strict=True)
                ]
                turned.append(np.concatenate((a * w[0] + b * w[1], a * w[2] + b * w[3]), axis=1))
            if np.allclose(turned[0] @ turned[1].T, got, rtol=1e-3, atol=1e-3):
                return turned[0] @ turned[1].T
    return np.full(got.shape, np.inf)


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
    theta = theta_of(d_head, base)
    z_q, z_k = phasors(q), phasors(k)
    right = _scores(z_q, z_k, t, s, theta)
    other_q, other_k = phasors(q, "interleaved"), phasors(k, "interleaved")
    wrong: dict[str, Any] = {
        words: _scores(z_q, z_k, t, s, theta_of(d_head, base, vary))
        for words, vary in ANGLES.items()
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
        "The second half was made of the *new* first half: keep both old halves, then turn.": (
            _overwritten(z_q, t[:, None] * theta) @ _overwritten(z_k, s[:, None] * theta).conj().T
        ).real,
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
    wrong[
        "A sine, a cosine or a sign is mixed up in the turn: the first half becomes a cos − b sin, "
        "the second a sin + b cos."
    ] = lambda: _mixed(got, q, k, (t, s), theta)
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
    theta = theta_of(d_head, base)
    z_q, z_k = phasors(q, pairing), phasors(k, pairing)
    code = np.exp(1j * offsets[:, None] * theta)

    def total(z: Array) -> Array:
        out: Array = z.real.sum(axis=-1)
        return out

    right = total(z_q * (z_k * code.conj()).conj())
    other = _PAIRINGS[1 - attempt.draw % 2]
    sides = float(np.linalg.norm(z_q) * np.linalg.norm(z_k))
    wrong: dict[str, Any] = {
        words: total(
            z_q * z_k.conj() * np.exp(1j * offsets[:, None] * theta_of(d_head, base, vary))
        )
        for words, vary in ANGLES.items()
    }
    wrong |= {
        f"Those are the pairs of {other!r}; {pairing!r} is asked for here.": total(
            phasors(q, other) * (phasors(k, other) * code.conj()).conj()
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
