"""What elimination alone gives: closed forms beside guessers that play, and known values."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from vsacourse.tasks import Chains, Induction, Sorting, VariableBinding


def play(task, n, guess, seed=5):
    """Let a guesser answer; it sees the tokens up to the question, as a list, and a generator."""
    rng = np.random.default_rng(seed)
    batch = task.sample(n, rng)
    right = [
        guess(row[: i + 1].tolist(), rng) == target[i]
        for row, target, counted in zip(batch.tokens, batch.targets, batch.counted, strict=True)
        for i in np.flatnonzero(counted)
    ]
    return np.mean(right)


@pytest.mark.parametrize("period", [1, 2, 3, 7, 8, 12])
@pytest.mark.parametrize("start", [False, True])
def test_a_guesser_who_counts_tokens(period, start):
    task = Induction(16 + start, 19 + start, start=start).with_periods(period)

    def guess(seen, rng):
        counts = Counter(seen[int(start) :])
        rare = [token for token, count in counts.items() if count == min(counts.values())]
        if len(rare) == period > 1:  # all came equally often: any but the last
            rare.remove(seen[-1])
        return rng.choice(rare)

    assert play(task, 800, guess) == pytest.approx(task.elimination(period), abs=0.02)


def test_a_guesser_who_counts_repeated_tokens():
    task = Induction(4, 15, (6, 6), distinct=False)

    def guess(seen, rng):
        left = Counter(seen[:6]) - Counter(seen[len(seen) // 6 * 6 :])
        left = left or Counter(seen[:6])
        return rng.choice([token for token, count in left.items() if count == max(left.values())])

    assert play(task, 1500, guess) == pytest.approx(task.elimination(6), abs=0.02)
    assert task.elimination(6) > Induction(16, 15).elimination(6)


def test_elimination_by_period():
    """One repetition of p tokens: (H_(p−1) + 1/(p−1))/p."""
    task = Induction(32, 32)
    harmonic = np.cumsum(1 / np.arange(1, 40))
    assert task.elimination(16) == pytest.approx((harmonic[14] + 1 / 15) / 16)
    assert [round(task.elimination(p), 2) for p in (8, 12, 16)] == [0.34, 0.21, 0.21]
    weights = 32 - np.arange(8, 17)
    chances = [task.elimination(p) for p in range(8, 17)]
    assert task.baseline() == pytest.approx(np.average(chances, weights=weights))


@pytest.mark.parametrize(
    ("pairs", "queries", "published"), [(6, 6, 0.41), (8, 3, 0.145), (6, 3, 0.206), (1, 1, 1.0)]
)
@pytest.mark.parametrize("separators", [False, True])
def test_a_guesser_who_strikes_out_values(pairs, queries, published, separators):
    task = VariableBinding(pairs, queries=queries, separators=separators)

    def guess(seen, rng):
        cut = seen.index(52)  # the mark between list and questions
        values = [t for t in seen[:cut] if 26 <= t < 52]
        return rng.choice([v for v in values if v not in seen[cut:]])

    assert task.baseline() == pytest.approx(published, abs=0.002)
    assert play(task, 1500, guess) == pytest.approx(task.baseline(), abs=0.02)


def test_chains_by_hand():
    """One statement is sure. Two statements: a second value with chance ½.

    With two values the first answer is one of two, and the second the other; with one, both are
    sure: ½ · (1 + 1)/2 + ½ · (½ + 1)/2 = .875.
    """
    assert Chains((1, 1)).baseline() == 1
    assert Chains((2, 2)).baseline() == pytest.approx(0.875, abs=0.005)
    # one question of three statements: 1 value w.p. 1/4, 2 w.p. 1/2, 3 w.p. 1/4
    expected = 1 / 4 + 1 / 2 / 2 + 1 / 4 / 3
    assert Chains((3, 3), queries=1).baseline() == pytest.approx(expected, abs=0.005)


def test_guessers_of_chains_do_no_better():
    task = Chains((4, 4))

    def values(seen, cut):
        return [t for t in seen[:cut] if 12 <= t < 22]

    def any_listed(seen, rng):
        return rng.choice(values(seen, seen.index(22)))

    def a_new_one(seen, rng):
        cut = seen.index(22)
        new = [v for v in values(seen, cut) if v not in seen[cut:]]
        return rng.choice(new or values(seen, cut))

    plays = [play(task, 3000, guess) for guess in (any_listed, a_new_one)]
    assert task.baseline() > max(plays) - 0.01
    assert task.baseline() < max(plays) + 0.1


@pytest.mark.parametrize(
    "task", [Sorting(), Sorting(6, 3), Sorting(8, 16, repeats=False), Sorting(1, 1)], ids=str
)
def test_a_guesser_who_cannot_compare(task):
    def guess(seen, rng):
        cut = seen.index(task.values)
        left = Counter(seen[:cut]) - Counter(seen[cut + 1 :])
        if seen[-1] in left and len(seen) > cut + 1:
            return seen[-1]
        return rng.choice(list(left))

    assert play(task, 2000, guess) == pytest.approx(task.baseline(), abs=0.015)


def test_sorting_without_repeats_is_a_harmonic_number():
    harmonic = np.cumsum(1 / np.arange(1, 9))
    assert Sorting(8, 16, repeats=False).baseline() == pytest.approx(harmonic[-1] / 8)
