"""Wrong input to a task gets one line that says what, and what is needed."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse.tasks import Bigram, Chains, Induction, Pairings, Sorting, VariableBinding

RNG = np.random.default_rng(0)
REFUSED = [
    (lambda: Induction(n_ctx=16, periods=(8, 16)), ValueError, "longest period is 16.* at most 15"),
    (lambda: Induction(40, 9, (2, 8), start=True), ValueError, "n_ctx = 9 leaves 8 .* at most 7"),
    (lambda: Induction(d_vocab=15), ValueError, "period is 16, and there are 15 tokens"),
    (lambda: Induction(17, 33, start=True, periods=(17, 17)), ValueError, "there are 16 tokens"),
    (lambda: Induction(periods=(9, 8)), ValueError, r"periods is \(9, 8\); the lowest"),
    (lambda: Induction(periods=8), TypeError, r"periods is 8; a pair"),
    (lambda: Induction(periods=(0, 3)), ValueError, "periods is 0; at least 1"),
    (lambda: Induction(n_ctx=1), ValueError, "n_ctx is 1; at least 2"),
    (lambda: Induction(start=1), TypeError, "start is 1; True or False"),
    (lambda: Induction().with_periods(32), ValueError, "longest period is 32"),
    (lambda: Induction().elimination(32), ValueError, "longest period is 32"),
    (lambda: Induction().sample(0, RNG), ValueError, "n is 0; at least 1"),
    (lambda: Induction().sample(2.0, RNG), TypeError, "n is 2.0; a whole number"),
    (lambda: Induction().sample(2, 7), TypeError, "rng is 7; a numpy.random.Generator"),
    (lambda: Induction().predicted_pattern([1.0]), TypeError, "tokens are float64"),
    (lambda: Induction().predicted_pattern([32]), ValueError, "d_vocab − 1 = 31"),
    (lambda: Induction().predicted_pattern(np.array(3)), ValueError, r"shape \(\); \(..., pos\)"),
    (lambda: VariableBinding(pairs=27), ValueError, "pairs is 27; at most 26"),
    (lambda: VariableBinding(pairs=6, values=5), ValueError, "pairs is 6; at most 5"),
    (lambda: VariableBinding(queries=9), ValueError, "queries is 9; at most 8"),
    (lambda: VariableBinding(separators="="), TypeError, "separators is '='"),
    (lambda: VariableBinding(pairings=0.2), TypeError, "pairings is 0.2; None or Pairings"),
    (lambda: VariableBinding().held_out(0.01), ValueError, "0.01 of 26 values is 0"),
    (
        lambda: VariableBinding().held_out(1.2),
        ValueError,
        "fraction is 1.2; a number between 0 and 1",
    ),
    (lambda: VariableBinding().held_out("x"), TypeError, "fraction is 'x'"),
    (lambda: VariableBinding().held_out(0.2, -1), ValueError, "seed is -1"),
    (
        lambda: VariableBinding().predicted_pattern([[1, 2]]),
        ValueError,
        "have 2 positions; this task's have 22",
    ),
    (lambda: Chains((2, 11)), ValueError, "assignments is 11; at most 10"),
    (lambda: Chains(5), TypeError, "assignments is 5; a pair"),
    (lambda: Chains().predicted_pattern([0] * 7), ValueError, "have 8 or 12 or 14 or 16|have 7"),
    (lambda: Sorting(9, 8, repeats=False), ValueError, "n is 9; at most 8"),
    (lambda: Sorting(n=0), ValueError, "n is 0"),
    (lambda: Bigram(concentration=0), ValueError, "concentration is 0; a number from .01 on"),
    (lambda: Bigram(concentration=10**400), ValueError, "0000; a finite number is needed"),
    (lambda: Bigram(concentration="a"), TypeError, "concentration is 'a'"),
    (lambda: Bigram(seed=None), TypeError, "seed is None"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_refused(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_lists_that_do_not_fit_into_the_pairs():
    """One value of ten for each of 120 keys: ten keys with ten values are hardly ever drawn."""
    task = VariableBinding(10, 120, 10, 1, pairings=Pairings(0.1, 0, unseen=True))
    with pytest.raises(ValueError, match="hardly ever fit"):
        task.sample(50, np.random.default_rng(0))
