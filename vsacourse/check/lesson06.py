"""Checks of lesson 06, attention as a memory."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.comparing import AnyOf
from vsacourse.check.core import exercise

LESSON = "06-attention-as-memory"

Array = NDArray[Any]


def _unit_keys(rng: np.random.Generator, n: int, d: int) -> Array:
    keys = rng.normal(size=(n, d))
    unit: Array = keys / np.linalg.norm(keys, axis=-1, keepdims=True)
    return unit


@exercise(
    lesson=LESSON,
    title="Linear attention",
    minutes=5,
    difficulty=2,
    teaches="causal linear attention, as a masked product or as a memory",
    hints=[
        "Which values may position t use, and what is the weight of each?",
        "All weights at once are a product of queries and keys, of shape (n, n). Half of them "
        "belong to later positions.",
        "`np.tril` sets the weights of later keys to zero; the values then meet the axis of the "
        "keys.",
    ],
    draws=4,
    anchor="Exercise-1-·-Linear-attention",
)
def linear_attention(attempt: Attempt) -> None:
    """``linear_attention(queries, keys, values)``: (n, d), (n, d), (n, m) -> (n, m)."""
    n, d, m = [(5, 3, 4), (4, 4, 6), (1, 6, 2), (6, 2, 6)][attempt.draw]
    queries, keys = attempt.rng.normal(size=(2, n, d))
    values = attempt.rng.normal(size=(n, m))
    scores = queries @ keys.T
    seen = np.tril(scores)
    got = attempt.array(
        attempt.call(queries, keys, values),
        shape=(n, m),
        finite=False,
        mistakes={
            "These are the outputs as columns; each belongs into a row.": (m, n),
            "These are the weights: they still have to meet the values.": (n, n),
            "This is the memory at the end, not what the queries read.": (m, d),
        }
        if n > 1
        else None,
    )
    attempt.require(
        np.isfinite(got).all(),
        f"Some outputs are NaN or infinite ({n} positions).",
        likely="−inf hides a score from a *softmax*. Here a later position has the weight 0: "
        "`np.tril`.",
    )
    mistakes: dict[str, Any] = {}
    if n > 1:
        softmax = np.where(np.tri(n, dtype=bool), np.exp(scores), 0)
        totals = seen.sum(axis=1, keepdims=True)
        later = np.tril(queries @ (keys.T)) @ values
        mistakes = {
            "Every position reads all values, the later ones too: s runs up to t only.": scores
            @ values,
            "Position t reads its own value, too: s ≤ t, so write before you read.": np.tril(
                scores, -1
            )
            @ values,
            "These are the later positions: the weights above the diagonal belong to keys that "
            "are not there yet.": np.triu(scores) @ values,
            "You exchanged queries and keys: the weight of value s at position t is q_t · k_s.": (
                np.tril(scores.T) @ values
            ),
            "You divided by the sum of the weights; linear attention takes them as they are.": later
            / totals,
            "That is a softmax: here the weights are the bare dot products.": softmax
            @ values
            / softmax.sum(axis=1, keepdims=True),
            "You scaled by 1/√d: here the weights are the bare dot products.": later / math.sqrt(d),
            "You scaled by 1/d: here the weights are the bare dot products.": later / d,
            "You divided by the number of positions seen; the formula has a sum, no mean.": later
            / np.arange(1, n + 1)[:, None],
            "Every position reads with the last query: use row t of the queries.": np.tril(
                np.broadcast_to(scores[-1], (n, n))
            )
            @ values,
            "Only the position's own pair is used: add up over all s ≤ t.": np.diag(scores)[:, None]
            * values,
            "The lengths of queries and keys count: don't scale them to 1.": np.tril(
                scores / np.linalg.norm(queries, axis=1)[:, None] / np.linalg.norm(keys, axis=1)
            )
            @ values,
            "The lengths of the keys count: don't scale them to 1.": np.tril(
                scores / np.linalg.norm(keys, axis=1)
            )
            @ values,
        }
    attempt.close(got, seen @ values, mistakes=mistakes)


@exercise(
    lesson=LESSON,
    title="Overwrite one binding",
    minutes=5,
    difficulty=2,
    teaches="the delta rule as a correction of what the key reads",
    hints=[
        "What does the key read now, and what is missing?",
        "Write what is missing under the key, an outer product. What does the key then read, if "
        "its length is 2?",
        "`np.outer(error, key)` adds error times `key @ key` to the reading: divide that out.",
    ],
    draws=5,
    anchor="Exercise-2-·-Overwrite-one-binding",
)
def overwrite(attempt: Attempt) -> None:
    """``overwrite(memory, key, value, rate)``: (m, d), (d,), (m,), float -> (m, d)."""
    m, d, rate, length = [
        (3, 5, 0.3, 1.0),
        (4, 4, 1.0, 1.0),
        (5, 2, 1.0, 2.0),
        (2, 6, 0.5, 0.6),
        (1, 3, 1.5, 1.0),
    ][attempt.draw]
    memory, value = attempt.rng.normal(size=(m, d)), attempt.rng.normal(size=m)
    key = length * _unit_keys(attempt.rng, 1, d)[0]
    error = value - memory @ key
    step = np.outer(error, key) / length**2
    got = attempt.array(
        attempt.call(memory, key, value, rate, fresh=True),
        shape=(m, d),
        mistakes={
            "The memory is transposed: values belong to the rows, keys to the columns.": (d, m),
            "This is what the key reads; the new memory is asked for.": (m,),
        }
        if m > 1
        else {"With one component in the value there is still a row: keep both axes.": (d,)},
    )
    mistakes = {
        "That is the sum rule: it adds the value, whatever the key reads now.": memory
        + rate * np.outer(value, key),
        "That is the sum rule: it adds the value, whatever the key reads now. (The length of the "
        "key is right.)": memory + rate * np.outer(value, key) / length**2,
        "The sign of the error: it is the value minus what the key reads.": memory - rate * step,
        "The rate is missing: the step is `rate` times the correction."
        if rate < 1
        else "The rate may be above 1: use it as it is.": memory + step,
        "Only the correction is returned: add it to the memory.": rate * step,
        "The old memory is kept by 1 − rate: the reading is moved, not the memory.": (1 - rate)
        * memory
        + rate * np.outer(value, key) / length**2,
        "This writes the pair into an empty memory: the old pairs are lost.": AnyOf(
            np.outer(value, key) * share for share in (1, rate, rate / length**2)
        ),
        "The rate belongs to the whole correction, value minus reading; you took that share of "
        "the value only.": memory + np.outer(rate * value - memory @ key, key) / length**2,
        "The rate belongs to the whole correction, value minus reading; you took that share of "
        "the reading only.": memory + np.outer(value - rate * (memory @ key), key) / length**2,
    }
    if length != 1:
        mistakes |= {
            f"The key has length {length:g} here: `np.outer(error, key)` adds the error times "
            "`key @ key` to the reading. Divide that out.": memory + rate * np.outer(error, key),
            "You divided by the length of the key; it is its square, `key @ key`.": memory
            + rate * step * length,
            "You scaled the key to length 1 for writing, but it reads with its own length.": memory
            + rate * np.outer(value - memory @ key / length, key) / length,
        }
    words = f"after the write (rate {rate:g}, key of length {length:g})"
    attempt.close(got, memory + rate * step, what=f"the memory {words}", mistakes=mistakes)


@exercise(
    lesson=LESSON,
    title="What it does to the others",
    minutes=7,
    difficulty=3,
    teaches="how far an overwritten binding disturbs the rest, from the Gram matrix alone",
    hints=[
        "First: what does every key read before the write? It is in lesson 03.",
        "The write adds (new − what the changed key read) under the changed key. How much of it "
        "does key j hear?",
        "`np.outer` of a column of `gram` and the correction, added to `gram @ values`.",
    ],
    draws=5,
    anchor="Exercise-3-·-What-it-does-to-the-others",
)
def readings_after(attempt: Attempt) -> None:
    """``readings_after(gram, values, changed, new)``: (N, N), (N, m), int, (m,) -> (N, m)."""
    n, m, d, changed = [(4, 3, 5, 1), (5, 5, 3, 4), (3, 6, 2, 0), (2, 1, 4, 1), (1, 3, 4, 0)][
        attempt.draw
    ]
    keys = _unit_keys(attempt.rng, n, d)
    values, new = attempt.rng.normal(size=(n, m)), attempt.rng.normal(size=m)
    gram = keys @ keys.T
    before = gram @ values
    hears = gram[:, changed]
    right = before + np.outer(hears, new - before[changed])
    got = attempt.array(
        attempt.call(gram, values, changed, new),
        shape=(n, m),
        mistakes={
            "The readings have to be the rows.": (m, n),
            "What every key reads is asked for, not only the changed one.": (m,),
        }
        if n > 1
        else {"One key is still a row of its own: keep both axes.": (m,)},
    )
    swapped = values.copy()
    swapped[changed] = new
    only = before.copy()
    only[changed] = new
    in_turn = right.copy()  # rows that were written after row `changed` had become `new`
    in_turn[changed + 1 :] = before[changed + 1 :]
    attempt.close(
        got,
        right,
        what=f"the readings, pair {changed} of {n} changed",
        mistakes={
            "You subtracted the old *value*: the delta rule subtracts what the key *reads*, "
            "crosstalk included.": gram @ swapped,
            "That is the sum rule: the new value is added, the old one stays.": before
            + np.outer(hears, new),
            "Every key but the changed one reads as before: but it hears the write as well, "
            "G[j, changed] of it.": only,
            "These are the readings before the write.": before,
            "The row `changed` was already overwritten when later rows used it: keep the "
            "correction, `new` minus the old reading, before the loop.": in_turn,
            "These are the values that should be read; crosstalk and the disturbance are "
            "missing.": swapped,
            "The crosstalk before the write is missing: begin with what every key reads, "
            "`gram @ values`.": AnyOf(
                values + np.outer(hears, new - old[changed]) for old in (values, before)
            ),
            "This is the change only: add what every key read before.": np.outer(
                hears, new - before[changed]
            ),
            "The sign of the correction: it is `new` minus the old reading.": before
            - np.outer(hears, new - before[changed]),
            "Every key is moved by the whole correction: key j hears only G[j, changed] of it.": (
                before + (new - before[changed])
            ),
        },
    )


@exercise(
    lesson=LESSON,
    title="How many pairs fit",
    minutes=3,
    difficulty=2,
    teaches="the formula turned round, for a whole number of pairs",
    hints=[
        "Square both sides, and solve for N.",
        "N − 1 is at most d (1/c² − 1). Which way do you round?",
        "1 plus the `math.floor` of that bound.",
    ],
    draws=8,
    anchor="Exercise-4-·-How-many-pairs-fit",
)
def pairs_that_fit(attempt: Attempt) -> None:
    """``pairs_that_fit(cosine, dim)``: float, int -> int."""
    cosine, dim = [
        (0.6, 16),
        (0.71, 64),
        (0.5, 64),
        (0.3, 100),
        (0.95, 4),
        (1.0, 50),
        (0.051, 1000),
        (0.7, 24),  # the bound, 24.98, is just below a whole number
    ][attempt.draw]
    bound = dim * (1 / cosine**2 - 1)
    right = 1 + math.floor(bound)
    got = attempt.scalar(attempt.call(cosine, dim))
    likely = ""
    floor = math.floor
    exactly = bound == floor(bound)  # N/d, the other way to be one short, fails in an earlier draw
    for words, wrong in {
        "At exactly this cosine N still counts: the condition is ≥, not >."
        if exactly
        else "The pair itself makes no crosstalk: it is (N − 1)/d, not N/d.": right - 1,
        "One too many: with it the cosine is too low. Round down, or stop a loop one step "
        "earlier.": right + 1,
        "The square is missing: 1 + (N−1)/d is at most 1/c².": 1 + floor(dim * (1 / cosine - 1)),
        "That is d/c² without the 1 that is the signal: solve 1 + (N−1)/d = 1/c².": floor(
            dim / cosine**2
        ),
        "That is the exact bound: round it down to a whole number.": 1 + bound,
        "That is the exact bound for N − 1, not rounded.": bound,
        "d stands on the wrong side: more components hold more pairs.": 1
        + floor((1 / cosine**2 - 1) / dim),
    }.items():
        if got == wrong:
            likely = words
            break
    attempt.require(
        got == right,
        f"For the cosine {cosine:g} and d = {dim}: expected {right}, got {got:g}.",
        likely=likely,
    )


@exercise(
    lesson=LESSON,
    title="Any keys",
    minutes=5,
    difficulty=3,
    teaches="the cosine for keys that are not random, such as keys that are alike",
    hints=[
        "Write down what key j reads: a sum of all values, each with a weight out of the Gram "
        "matrix.",
        "If the values are orthogonal and of length 1: how long is that sum, and what is its dot "
        "product with value j?",
        "The diagonal of `gram`, divided by the root of the sum of squares of its row.",
    ],
    draws=5,
    anchor="Exercise-5-·-Any-keys",
)
def reading_cosines(attempt: Attempt) -> None:
    """``reading_cosines(gram)``: (N, N) -> (N,)."""
    n, d = [(4, 6), (6, 3), (3, 3), (5, 9), (1, 4)][attempt.draw]
    keys = attempt.rng.normal(size=(n, d)) + [0, 0.6, 0, 0.3, 0][attempt.draw]
    keys *= attempt.rng.uniform(0.5, 1.6, size=(n, 1))
    if attempt.draw == 0:
        keys = keys / np.linalg.norm(keys, axis=1, keepdims=True)
    gram = keys @ keys.T
    own, squares = np.diag(gram), (gram**2).sum(axis=1)
    right = own / np.sqrt(squares)
    got = attempt.array(
        attempt.call(gram),
        shape=(n,),
        mistakes={
            "One cosine for each key: sum over one axis only."
            if n > 1
            else "One key is still an array of one cosine: keep the axis.": ()
        },
    )
    others = np.maximum(squares - own**2, 1e-30)
    mistakes = {
        "You added up the dot products; the squares of the weights add up.": own / gram.sum(axis=1),
        "You added up the sizes of the dot products; the squares of the weights add up.": own
        / np.abs(gram).sum(axis=1),
        "A root is missing: the length of a sum of orthogonal parts is the root of the sum of "
        "their squares.": AnyOf((own / squares, own**2 / squares)),
        "The own value is missing in the length: its weight G[j, j] belongs to the sum.": own
        / np.sqrt(others),
        "The diagonal need not be 1: keys may have any length, and the own value comes with "
        "G[j, j].": 1 / np.sqrt(1 + others),
        "The dot product with the own value is G[j, j], not 1.": 1 / np.sqrt(squares),
        "That is the mean over the keys; each has its own.": np.full(n, right.mean()),
        "You scaled the keys to length 1 first; then it is another memory.": 1
        / np.sqrt((gram**2 / np.outer(own, own)).sum(axis=1)),
        "The own weight counts with its square in the length: G[j, j]².": own
        / np.sqrt(own + others),
        "The own weight is G[j, j] as it stands: the square of the key's length, not the "
        "length.": AnyOf((np.sqrt(own / squares), np.sqrt(own / (own + others)))),
    }
    attempt.close(got, right, what="the cosines", mistakes=mistakes)
