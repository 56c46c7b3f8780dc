"""Checks of lesson 02, superposition: the exercises on capacity (3 to 5)."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse import theory
from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "02-superposition"

Array = NDArray[Any]


def _recall(s: float, rivals: int, start: float = -9) -> float:
    h, step = np.linspace(start, 9, 3601, retstep=True)
    below = 1 - theory.gaussian_tail(h + s)
    return float(np.exp(-(h**2) / 2) @ below**rivals * step / math.sqrt(2 * math.pi))


@exercise(
    lesson=LESSON,
    title="The capacity integral",
    minutes=7,
    difficulty=3,
    teaches="the race of one stored item against all rivals, as an integral on a grid",
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
    dim, items, codebook, c = [(60, 9, 24, 2 / np.pi), (230, 17, 900, 1.0), (9, 3, 5, 2.0)][
        attempt.draw
    ]
    s = math.sqrt(c * dim / items)
    expected = _recall(s, codebook - 1)
    got = attempt.scalar(attempt.call(dim, items, codebook, c))
    h, step = np.linspace(-10, 10, 2001, retstep=True)

    def phi(x: float) -> float:
        return 1 - float(theory.gaussian_tail(x))

    mistakes = {
        "The stored item has D − 1 rivals, not D: it does not race against itself.": _recall(
            s, codebook
        ),
        "The formula has D − 1 rivals, not D − M: every other symbol counts as a rival.": _recall(
            s, codebook - items
        ),
        "The stored score stands still here: its noise h is missing, and the integral with it.": (
            phi(s) ** (codebook - 1)
        ),
        "This is s² in the place of s: take the square root.": _recall(s**2, codebook - 1),
        "The signal s is in it twice: add it to h in Φ(h + s) only, not in φ(h).": _recall(
            2 * s, codebook - 1
        ),
        "This looks like a grid that begins at 0: the noise h has both signs, −8 to 8.": (
            _recall(s, codebook - 1, start=0)
        ),
        "The constant c is missing in s.": _recall(math.sqrt(dim / items), codebook - 1),
        "The constant c stands outside of the square root.": _recall(
            c * math.sqrt(dim / items), codebook - 1
        ),
        "d and M have changed places: s grows with the dimension.": _recall(
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
    mistakes |= {
        f"This looks like the mean over a grid of length {length}, which is the integral divided "
        "by that length. Take the sum, times the step.": expected / length
        for length in (16, 20, 12, 10, 8)
    }
    below = (1 - theory.gaussian_tail(h + s)) ** (codebook - 1)
    no_square = np.exp(-h / 2) * below * step / math.sqrt(2 * math.pi)
    attempt.require(
        all(abs(got - no_square[abs(h) <= end].sum()) > 2e-3 for end in (4, 5, 6, 8, 10)),
        f"`{attempt.what}` is {got:.4g}; expected {expected:.4g}.",
        likely="This looks like h in the exponent of the density, in the place of h²: "
        "φ(h) = exp(−h²/2)/√(2π).",
    )
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
    teaches="from a whole set to one item, and a search over the dimension",
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
    """``dimension_for_record(items, codebook, chance)``: the smallest d with p^M >= chance."""
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
            "This is the dimension at which *at least one* item comes back, 1 − (1 − p)^M. The "
            "spec asks for all of them: p^M.": theory.dimension_for(
                items, codebook, error=(1 - chance) ** (1 / items)
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
    teaches="a simulation that tests the spec itself, not a quantity beside it",
    hints=[
        "One run gives yes or no: all stored items are above all absent ones.",
        "Codebook and stored rows are drawn anew in every run. The set comes back exactly when the "
        "lowest stored score is above the highest absent one.",
        "In the loop, `memory = rng.choice([-1, 1], size=(codebook, dim))`: bundle "
        "`memory[:items].sum(axis=0)`, scores `memory @ bundle`, won when "
        "`score[:items].min() > score[items:].max()`. Count, and divide by `runs`.",
    ],
    seconds=20,
    draws=3,
    anchor="Exercise-5-·-Verify-it",
)
def simulated_record(attempt: Attempt) -> None:
    """``simulated_record(dim, items, codebook, runs, rng)``: the share of sets that come back."""
    # Shares from many runs: of sets, of single items, of sets drawn with replacement, of sets from
    # the signs of the sum. In the second setting nearly the whole codebook is stored, which repeats
    # spoil most; there signs give the same share. In the third, scores are often tied and normal
    # vectors vary in length; its two stored items score alike.
    dim, items, codebook, record, one, repeats, signs, tolerance = [
        (221, 13, 60, 0.70, 0.965, 0.556, 0.194, 0.075),
        (60, 9, 11, 0.73, 0.947, 0.472, math.inf, 0.075),
        (12, 2, 8, 0.852, math.inf, math.inf, 0.363, 0.06),
    ][attempt.draw]
    runs = 601
    seed = int(attempt.rng.integers(1, 1000))
    got = attempt.call(dim, items, codebook, runs, np.random.default_rng(seed))
    got = attempt.scalar(got)
    attempt.require(
        got <= 1 or got > runs,
        f"`{attempt.what}` is {got:.4g}; a share lies between 0 and 1.",
        likely="This is the number of runs: divide by `runs`.",
    )
    attempt.require(0 <= got <= 1, f"`{attempt.what}` is {got:.4g}; a share lies between 0 and 1.")
    off = abs(got - record) >= tolerance

    def shares(runs: int, how_many: int) -> list[float]:
        """The shares with ``how_many`` other generators."""
        rngs = [np.random.default_rng(seed + k) for k in range(1, how_many + 1)]
        calls = (attempt.call(dim, items, codebook, runs, rng, repeat=False) for rng in rngs)
        return [float(attempt.scalar(share)) for share in calls]

    others = [got, *(shares(25, 20) if got in (0, 1) else shares(runs, 5 if off else 2))]
    count = abs(got * runs - round(got * runs)) < 1e-3
    same = max(others) == min(others)
    attempt.require(
        set(others) != {0, 1},
        "Each of 21 generators gives all runs or none.",
        likely="Every run of a call is the same run. The codebook must be drawn anew in every run, "
        "inside the loop.",
    )
    attempt.require(
        got in (0, 1) or max(others) - min(others) < 3.5 / math.sqrt(runs),
        f"With {len(others)} generators the share goes from {min(others):.3f} to "
        f"{max(others):.3f}: more than {runs} independent runs vary.",
        likely="Runs that share one codebook are not independent. The codebook must be drawn anew "
        "in every run, inside the loop.",
    )
    likely = ""
    if same and 0 < got < 1:
        likely = (
            "The draws don't come from the `rng` that is passed in: other generators give exactly "
            "the same share."
            if count
            else f"Every generator gives the same number, and it is no count out of {runs}: is it "
            "from a formula? Here the runs themselves have to be drawn and counted."
        )
    elif abs(got - one) < 0.02:
        likely = (
            "This is near the share of single *items* that beat all absent ones. Ask for all of "
            "them at once, `.min()` or `.all()`."
        )
    elif got < 0.01:
        likely = (
            "Hardly any run is won. Are the stored items compared with one another? They only "
            "have to beat the absent ones."
        )
    elif abs(got - (1 - record)) < 0.06 and dim != 12:
        likely = "This is near the share of runs that are lost."
    elif abs(got - signs) < 0.05:
        likely = (
            "This is near the share for the *signs* of the sum. Keep the sum itself as the bundle."
        )
    elif abs(got - repeats) < 0.06:
        likely = (
            "Can an item be drawn twice? Then fewer are stored, and the twin drowns the others. "
            "Draw without replacement, or take the first rows."
        )
    elif dim == 12:
        likely = (
            "With few components, scores are often equal. A tie is not won: compare with `>`, not "
            "with `>=` or by sorting."
            if got == 1
            else "Are the components of the codebook signs? The lengths of other random vectors "
            "vary, or their scores are never equal."
        )
    elif got > record:
        likely = (
            "Too many runs are won. Is it the *lowest* stored score that is compared, or the best "
            "stored item? And with the scores of the absent items, not with 0?"
        )
    attempt.require(
        abs(got - record) < tolerance,
        f"For dim={dim}, items={items}, codebook={codebook} the share of whole sets is "
        f"{got:.3f} in {runs} runs; it should be {record:.2f} ± {tolerance}.",
        likely=likely,
    )
    attempt.require(
        count,
        f"{got:.5g} is not a count out of {runs} runs, divided by {runs}.",
        likely="Use the argument `runs`, for the loop and for the division. A run is won or lost: "
        "count 1 or 0.",
    )
    attempt.require(
        not same,
        f"{len(others)} generators with different seeds give exactly the same share.",
        likely="The draws don't come from the `rng` that is passed in.",
    )
