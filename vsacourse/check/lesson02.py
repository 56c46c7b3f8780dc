"""Checks of lesson 02, superposition."""

import math

import numpy as np

from vsacourse import theory
from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "02-superposition"


@exercise(
    lesson=LESSON,
    title="Read a bundle",
    minutes=4,
    difficulty=1,
    teaches="An item memory: cosines with the whole codebook, the best M of them.",
    hints=[
        "All scores at once are one product of the codebook with the bundle.",
        "A long row has a large dot product with everything: divide by the norms of the rows.",
        "`np.argsort` sorts upwards. Sort `-score`, and keep the first `items` places.",
    ],
    anchor="Exercise-1-·-Read-a-bundle",
)
def read_bundle(attempt: Attempt) -> None:
    """``read_bundle(bundle, codebook, items)``: (d,), (D, d) -> (items,) integers."""
    d, n, items = [(60, 17, 4), (45, 11, 3), (80, 23, 6)][attempt.draw]
    rng = attempt.rng
    codebook = rng.choice([-1.0, 1.0], size=(n, d)) * rng.uniform(0.3, 4, size=(n, 1))
    stored = rng.choice(n, items, replace=False)
    unit = codebook / np.linalg.norm(codebook, axis=-1, keepdims=True)  # [D, d]
    bundle = rng.uniform(1, 2, size=items) @ unit[stored] - 2.5 * unit[np.setdiff1d(
        np.arange(n), stored)[0]]  # fmt: skip
    score = unit @ bundle
    order = np.argsort(-score)
    got = attempt.call(bundle, codebook, items)
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
    dots = np.argsort(-(codebook @ bundle))
    attempt.equal(
        got,
        order[:items],
        mistakes={
            "You ranked by the dot product: a long row wins whatever it holds. Divide by the "
            "norms of the rows.": dots[:items],
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
        },
    )


@exercise(
    lesson=LESSON,
    title="Majority with fair ties",
    minutes=4,
    difficulty=2,
    teaches="Signs of a sum, taken all at once, with a coin for each tie.",
    hints=[
        "What does `np.sign` make of a sum of 0? And is that a sign?",
        "Add up all rows first; look for the zeros of the sum afterwards, once.",
        "`np.where(total == 0, rng.choice([-1, 1], size=total.shape), np.sign(total))`.",
    ],
    anchor="Exercise-2-·-Majority-with-fair-ties",
)
def majority(attempt: Attempt) -> None:
    """``majority(items, rng)``: (M, d) -> (d,) of signs."""
    m, d = [(5, 900), (4, 1100), (2, 1000)][attempt.draw]
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
    again = np.asarray(attempt.call(items, np.random.default_rng(seed + 1)))
    attempt.require(
        not np.array_equal(again, got),
        "Two generators with different seeds give exactly the same ties.",
        likely="The coins don't come from the `rng` that is passed in.",
    )


def _recall(s: float, rivals: int, width: float = 1.0) -> float:
    h, step = np.linspace(-9, 9, 3601, retstep=True)
    below = 1 - theory.gaussian_tail(width * h + s)
    return float(np.exp(-(h**2) / 2) @ below**rivals * step / math.sqrt(2 * math.pi))


@exercise(
    lesson=LESSON,
    title="The capacity integral",
    minutes=7,
    difficulty=3,
    teaches="The race of one stored item against all rivals, as an integral on a grid.",
    hints=[
        "Compute s first. Then make an array of values of h: everything else works on arrays.",
        "Three factors at each h: the density φ(h), the chance that all D − 1 rivals are below "
        "s + h, and the step between two values of h. Then sum.",
        "`h, step = np.linspace(-8, 8, 1601, retstep=True)`, "
        "`phi = np.exp(-(h**2) / 2) / np.sqrt(2 * np.pi)`, and the sum of "
        "`phi * Phi(h + s) ** (codebook - 1) * step`.",
    ],
    anchor="Exercise-3-·-The-capacity-integral",
)
def recall_integral(attempt: Attempt) -> None:
    """``recall_integral(dim, items, codebook, c)``: the chance that one item is recalled."""
    dim, items, codebook, c = [(20, 9, 4, 2 / np.pi), (230, 17, 900, 1.0), (9, 3, 2, 2.0)][
        attempt.draw
    ]
    s = math.sqrt(c * dim / items)
    expected = _recall(s, codebook - 1)
    got = attempt.scalar(attempt.call(dim, items, codebook, c))
    h, step = np.linspace(-8, 8, 1601, retstep=True)

    def phi(x: float) -> float:
        return 1 - float(theory.gaussian_tail(x))

    mistakes = {
        "The stored item has D − 1 rivals, not D: it does not race against itself.": _recall(
            s, codebook
        ),
        "The stored score stands still here: its noise h is missing, and the integral with it.": (
            phi(s) ** (codebook - 1)
        ),
        "This is s² in the place of s: take the square root.": _recall(s**2, codebook - 1),
        "The constant c is missing in s.": _recall(math.sqrt(dim / items), codebook - 1),
        "The constant c stands outside of the square root.": _recall(
            c * math.sqrt(dim / items), codebook - 1
        ),
        "N and M have changed places: s grows with the dimension.": _recall(
            math.sqrt(c * items / dim), codebook - 1
        ),
        "The rivals' area is Φ(h + s): you have Φ(h), without the signal s.": _recall(
            0, codebook - 1
        ),
        "The sign of s is turned: the stored item is *above* the crowd, Φ(h + s).": _recall(
            -s, codebook - 1
        ),
        "One rival only: the power D − 1 is missing.": _recall(s, 1),
        "The density lacks its factor 1/√(2π).": expected * math.sqrt(2 * math.pi),
        "The exponent of the density lacks its ½: φ(h) = exp(−h²/2)/√(2π).": float(
            np.exp(-(h**2)) @ (1 - theory.gaussian_tail(h + s)) ** (codebook - 1) * step
        )
        / math.sqrt(2 * math.pi),
        "This is the chance that the item is lost: 1 − p.": 1 - expected,
    }
    attempt.require(
        got < 2.7,
        f"`{attempt.what}` is {got:.4g}, which is no probability.",
        likely="The sum over the grid has to be multiplied by the step between two values of h; "
        "and the density φ(h) has to be in it.",
    )
    attempt.close(
        got,
        expected,
        rtol=0,
        atol=1.5e-3,
        mistakes={k: v for k, v in mistakes.items() if abs(v - expected) > 3e-3},
    )


@exercise(
    lesson=LESSON,
    title="A dimension for a spec",
    minutes=4,
    difficulty=3,
    teaches="From a whole record to one item, and a search over the dimension.",
    hints=[
        "The spec is about the whole set. What has to hold for p?",
        "p grows with the dimension: the first dimension that is good enough is the answer.",
        "`dims = np.arange(1, 1500)`, `p = theory.recall_probability(dims, items, codebook)`, "
        "then the first of `dims[p**items >= chance]`, as an `int`.",
    ],
    seconds=15,
    anchor="Exercise-4-·-A-dimension-for-a-spec",
)
def dimension_for_record(attempt: Attempt) -> None:
    """``dimension_for_record(items, codebook, chance)``: the smallest N with p^M >= chance."""
    items, codebook, chance = [(6, 40, 0.75), (3, 500, 0.6), (11, 90, 0.9)][attempt.draw]
    error = 1 - chance ** (1 / items)
    expected = theory.dimension_for(items, codebook, error=error)
    got = attempt.call(items, codebook, chance, repeat=False)
    if isinstance(got, float | np.floating) and float(got).is_integer():
        got = int(got)
    got = attempt.scalar(got, kind="int")
    per_item = theory.dimension_for(items, codebook, error=1 - chance)
    p = float(theory.recall_probability(max(got, 1), items, codebook))
    attempt.equal(
        got,
        expected,
        mistakes={
            "This is the dimension for p ≥ chance, one item. The spec asks for the whole set: "
            "p^M ≥ chance.": per_item,
            "One too few: there p^M is still below the chance. Does your array of dimensions "
            "begin at 1, and its places at 0?": expected - 1,
            "One too many: the dimension before it is good enough.": expected + 1,
            "You divided the error by M. That is a safe bound, but the spec asks for the smallest "
            "dimension with p^M ≥ chance.": theory.dimension_for(
                items, codebook, error=(1 - chance) / items
            ),
            "You raised the chance to the power M instead of p.": theory.dimension_for(
                items, codebook, error=1 - chance**items
            ),
        },
    )
    attempt.require(p**items >= chance, f"At {got} dimensions p^M is {p**items:.4g}.")


@exercise(
    lesson=LESSON,
    title="Verify it",
    minutes=6,
    difficulty=4,
    teaches="A simulation that tests the spec itself, not a quantity beside it.",
    hints=[
        "One run gives yes or no: all stored items are above all absent ones.",
        "The set comes back exactly when the lowest stored score is above the highest absent one.",
        "With `memory = rng.choice([-1, 1], size=(codebook, dim))`: bundle "
        "`memory[:items].sum(axis=0)`, scores `memory @ bundle`, won when "
        "`score[:items].min() > score[items:].max()`. Count, and divide by `runs`.",
    ],
    seconds=20,
    draws=2,
    anchor="Exercise-5-·-Verify-it",
)
def simulated_record(attempt: Attempt) -> None:
    """``simulated_record(dim, items, codebook, runs, rng)``: the share of sets that come back."""
    # Reference shares from 20,000 runs, with ties few enough not to matter; the last is the share
    # when items are drawn with replacement. In the second setting that spoils most: nearly the
    # whole codebook is stored.
    dim, items, codebook, record, one, repeats = [
        (201, 13, 60, 0.59, 0.948, 0.463),
        (60, 9, 11, 0.735, 0.948, 0.467),
    ][attempt.draw]
    runs = 600
    seed = int(attempt.rng.integers(1, 1000))
    got = attempt.call(dim, items, codebook, runs, np.random.default_rng(seed))
    got = attempt.scalar(got)
    attempt.require(
        got <= 1 or got > runs,
        f"`{attempt.what}` is {got:.4g}; a share lies between 0 and 1.",
        likely="This is the number of runs: divide by `runs`.",
    )
    attempt.require(0 <= got <= 1, f"`{attempt.what}` is {got:.4g}; a share lies between 0 and 1.")
    tolerance = 0.075
    likely = ""
    if abs(got - one) < 0.03:
        likely = (
            "This is near the share of single *items* that beat all absent ones. Ask for all of "
            "them at once, `.min()` or `.all()`."
        )
    elif got < 0.01:
        likely = (
            "Hardly any run is won. Are the stored items compared with one another? They only "
            "have to beat the absent ones."
        )
    elif abs(got - (1 - record)) < 0.04:
        likely = "This is the share of runs that are lost."
    elif abs(got - repeats) < 0.06:
        likely = (
            "An item can be drawn twice here; then fewer are stored, and the twin drowns the "
            "others. Draw without replacement, or take the first rows."
        )
    elif got > record:
        likely = (
            "Too many runs are won: is it the best stored item that is compared, or are scores of "
            "0 for every absent item assumed?"
        )
    attempt.require(
        abs(got - record) < tolerance,
        f"For dim={dim}, items={items}, codebook={codebook} the share of whole sets is "
        f"{got:.3f} in {runs} runs; it should be {record:.2f} ± {tolerance}.",
        likely=likely,
    )
    other = attempt.scalar(
        attempt.call(dim, items, codebook, runs, np.random.default_rng(seed + 1), repeat=False)
    )
    third = attempt.scalar(
        attempt.call(dim, items, codebook, runs, np.random.default_rng(seed + 2), repeat=False)
    )
    attempt.require(
        not got == other == third,
        "Three generators with different seeds give exactly the same share.",
        likely="The draws don't come from the `rng` that is passed in.",
    )
