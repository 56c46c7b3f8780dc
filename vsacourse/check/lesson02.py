"""Checks of lesson 02, superposition: the exercises on bundles (1 and 2)."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "02-superposition"

Array = NDArray[Any]


def _uneven(rng: np.random.Generator, d: int, n: int, items: int) -> tuple[Array, Array]:
    """A codebook (n, d) of uneven rows, which no length but the Euclidean one ranks, and a bundle.

    The cosines with the bundle differ by enough for every float dtype.
    """
    while True:
        rows = rng.standard_normal((n, d)) ** 3 * rng.uniform(0.3, 4, size=(n, 1))
        rows += np.abs(rows).mean(axis=1, keepdims=True) * rng.uniform(-1, 1, size=(n, 1))
        unit = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
        order = rng.permutation(n)
        stored = order[: min(items, n - 1)]
        bundle = rng.uniform(1, 2, size=stored.size) @ unit[stored] - 2.5 * unit[order[-1]]
        if np.diff(np.sort(unit @ bundle)).min() > 0.01:
            return rows, bundle


def _long(rng: np.random.Generator, d: int, n: int) -> tuple[Array, Array]:
    """A codebook (n, d) so long that NumPy's partition leaves it unsorted, and a bundle.

    Their cosines stand at equal distances.
    """
    bundle, *rows = rng.standard_normal((n + 1, d))
    unit = bundle / np.linalg.norm(bundle)
    across = np.array(rows) - np.outer(rows @ unit, unit)  # at right angles to the bundle
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    cosine = rng.permutation(np.linspace(-0.9, 0.9, n))[:, None]
    length = rng.uniform(0.3, 4, size=(n, 1))
    return length * (cosine * unit + np.sqrt(1 - cosine**2) * across), bundle


@exercise(
    lesson=LESSON,
    title="Read a bundle",
    minutes=4,
    difficulty=1,
    teaches="an item memory: cosines with the whole codebook, the best M of them",
    hints=[
        "All scores at once are one product of the codebook with the bundle.",
        "A long row has a large dot product with everything: divide by the norms of the rows.",
        "`np.argsort` sorts upwards. Sort `-score`, and keep the first `items` places.",
    ],
    draws=5,
    anchor="Exercise-1-·-Read-a-bundle",
)
def read_bundle(attempt: Attempt) -> None:
    """``read_bundle(bundle, codebook, items)``: (d,), (D, d) -> (items,) integers."""
    d, n, items = [(60, 17, 4), (45, 11, 3), (80, 23, 6), (30, 9, 9), (20, 2000, 700)][attempt.draw]
    if n == 2000:
        codebook, bundle = _long(attempt.rng, d, n)
    else:
        codebook, bundle = _uneven(attempt.rng, d, n, items)
    score = codebook @ bundle / np.linalg.norm(codebook, axis=-1)  # [D]
    order = np.argsort(-score)
    got = attempt.call(bundle, codebook, items)
    if isinstance(got, np.ndarray) and got.ndim == 1 and got.dtype.kind == "f":
        attempt.require(
            not np.any(got % 1),
            f"`{attempt.what}` begins with {got[0]:.3g}, which is no place of a row.",
            likely="These are cosines, or scores; return the places of the rows, as `np.argsort` "
            "gives them.",
        )
    got = attempt.array(
        got,
        shape=(items,),
        kind="int",
        mistakes={
            "The whole codebook came back, sorted: keep the first `items` places.": (n,),
            "These are the vectors; the places of the rows are asked for.": (items, d),
        },
    )
    by_size = np.argsort(-np.abs(score))
    dots = codebook @ bundle
    other_length = (
        "You divided by another length of the rows, {}. The cosine needs the Euclidean one, "
        "`np.linalg.norm(codebook, axis=-1)`."
    )
    lengths = {
        "the sum of absolute values": np.abs(codebook).sum(axis=1),
        "the largest entry": np.abs(codebook).max(axis=1),
        "the standard deviation": codebook.std(axis=1),
        "the size of the first entry": np.abs(codebook[:, 0]),
        "the squared norm": (codebook**2).sum(axis=1),
    }
    same_rows = np.array_equal(np.sort(got), np.sort(order[:items]))
    attempt.equal(
        got,
        order[:items],
        mistakes={
            "You ranked by the dot product: a long row wins whatever it holds. Divide by the "
            "norms of the rows.": np.argsort(-dots)[:items],
            "These are the least similar rows: `np.argsort` sorts upwards.": order[::-1][:items],
            "The right rows, with the least similar first: turn the order round.": order[:items][
                ::-1
            ],
            "The right rows, sorted by their place; the most similar has to come first.": np.sort(
                order[:items]
            ),
            "You ranked by the absolute value: a row that was subtracted is not stored.": by_size[
                :items
            ],
            "You took the signs of the codebook. The rows are any numbers here: divide each by its "
            "norm.": np.argsort(-(np.sign(codebook) @ bundle))[:items],
        }
        | {
            other_length.format(name): np.argsort(-dots / length)[:items]
            for name, length in lengths.items()
        }
        | {
            "The right rows, but not in order: the most similar has to come first "
            "(`np.argpartition` does not sort).": got if same_rows else np.array([])
        },
    )


@exercise(
    lesson=LESSON,
    title="Majority with fair ties",
    minutes=4,
    difficulty=2,
    teaches="signs of a sum, taken all at once, with a coin for each tie",
    hints=[
        "What does `np.sign` make of a sum of 0? And is that a sign?",
        "Add up all rows first; look for the zeros of the sum afterwards, once.",
        "`np.where(total == 0, ..., np.sign(total))`: in the gap stands an array of coins, one for "
        "each component, from `rng.choice`.",
    ],
    draws=4,
    anchor="Exercise-2-·-Majority-with-fair-ties",
)
def majority(attempt: Attempt) -> None:
    """``majority(items, rng)``: (M, d) -> (d,) of signs."""
    m, d = [(5, 900), (4, 1100), (2, 20_000), (3, 800)][attempt.draw]
    items = attempt.rng.choice([-1, 1], size=(m, d))
    total = items.sum(axis=0)
    seed = int(attempt.rng.integers(1, 1000))
    got = attempt.call(items, np.random.default_rng(seed), fresh=True)
    got = attempt.array(
        got,
        shape=(d,),
        kind="number",
        mistakes={"The votes are those of the rows: sum over `axis=0`.": (m,)},
    )
    sure = total != 0
    size = np.abs(got)
    if not np.array_equal(size, np.ones(d)):
        zeros = int((got == 0).sum())
        attempt.require(
            zeros == 0,
            f"{zeros} of {d} components of the result are 0; every one must be −1 or +1.",
            likely="`np.sign(0)` is 0: at a tie, draw −1 or +1 from `rng`.",
        )
        likely = "This is the sum; its signs are asked for." if size.max() > 1 else ""
        if np.allclose(got * m, total):
            likely = "This is the mean; its signs are asked for."
        attempt.require(False, "The result holds other numbers than −1 and +1.", likely=likely)
    wrong = int((got[sure] != np.sign(total[sure])).sum())
    folded = wrong and abs(float(got @ items[-1]) / d - 0.5) < 0.1 and m > 3
    attempt.require(
        not wrong,
        f"In {wrong} of {int(sure.sum())} components without a tie, the result is not the sign of "
        "most rows.",
        likely="The result agrees with the last row in three components of four: you took signs "
        "after every row. Add up all rows first, then take signs once."
        if folded
        else "Every sign is the wrong way round."
        if wrong == sure.sum()
        else "Only components with a sum of 0 get a coin; the others keep their sign."
        if wrong < 0.6 * sure.sum()
        else "",
    )
    if m % 2:
        return
    ties = int((~sure).sum())
    plus = int((got[~sure] == 1).sum())
    attempt.require(
        0 < plus < ties,
        f"All {ties} tied components came out as {'+1' if plus else '−1'}.",
        likely="Ties always fall to the same side, or one coin was thrown for all of them. Draw "
        "one sign for each component: `size=total.shape`.",
    )
    attempt.require(
        abs(plus - ties / 2) < 5 * math.sqrt(ties) / 2,
        f"Of {ties} tied components {plus} came out as +1; about half should.",
        likely="Both signs need probability ½.",
    )
    attempt.require(
        max(abs(np.mean(got[~sure] * row[~sure])) for row in items) < 5 / math.sqrt(ties),
        f"In the {ties} tied components the result follows one of the rows.",
        likely="A tie is decided by one of the rows, which then counts more than the others. "
        "Use a coin from `rng`.",
    )
    coins = got[~sure].astype(float)
    attempt.require(
        max(abs(np.mean(coins[lag:] * coins[:-lag])) for lag in range(1, 11)) < 5 / math.sqrt(ties),
        f"The {ties} tied components follow a pattern: near ones are alike, or alternate.",
        likely="Every tied component needs a coin of its own: `size=total.shape`.",
    )
    again = np.asarray(attempt.call(items, np.random.default_rng(seed + 1)))
    attempt.require(
        not np.array_equal(again, got),
        "Two generators with different seeds give exactly the same ties.",
        likely="The coins don't come from the `rng` that is passed in.",
    )
