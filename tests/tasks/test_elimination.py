"""What elimination alone gives: closed forms beside guessers that play, and known values."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

import numpy as np
import pytest

from vsacourse.tasks import Chains, Induction, Pairings, Sorting, VariableBinding


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
        left = left or Counter(seen[:6]) - Counter(seen[-1:])  # any but the last
        return rng.choice([token for token, count in left.items() if count == max(left.values())])

    assert play(task, 1500, guess) == pytest.approx(task.elimination(6), abs=0.02)
    assert task.elimination(6) > Induction(16, 15).elimination(6)


@pytest.mark.parametrize(
    ("d_vocab", "n_ctx", "period"), [(2, 5, 2), (3, 7, 3), (4, 9, 3), (3, 11, 4), (2, 4, 1)]
)
def test_all_that_counting_repeated_tokens_can_give(d_vocab, n_ctx, period):
    """Every period written out: the likeliest next token, given the counts and what came last."""
    following = defaultdict(Counter)
    for once in itertools.product(range(d_vocab), repeat=period):
        for i in range(period, n_ctx):
            so_far = tuple(sorted(once[: i % period + 1]))
            known = so_far if (i + 1) % period else once[-1]
            following[i, tuple(sorted(once)), known][once[(i + 1) % period]] += 1
    most = sum(max(counts.values()) for counts in following.values())
    expected = most / (d_vocab**period * (n_ctx - period))
    task = Induction(d_vocab, n_ctx, (period, period), distinct=False)
    assert task.elimination(period) == pytest.approx(expected, abs=0.006)
    if expected == 1:
        assert task.elimination(period) == 1


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


def best_guess(task):
    """Return what the best guesser gets who knows the keys, the values, the answers so far.

    All lists are written out, each with its chance: a key takes any value that is left to it.
    """
    allowed = task.pairings.allowed(task.keys, task.values)
    lists = []

    def grow(keys, values, chance):
        if len(values) == len(keys):
            lists.append((keys, values, chance))
            return
        free = [v for v in np.flatnonzero(allowed[keys[len(values)]]) if v not in values]
        for v in free:
            grow(keys, (*values, v), chance / len(free))

    for keys in itertools.permutations(range(task.keys), task.pairs):
        grow(keys, (), 1.0)
    shares = []
    for j in range(task.queries):
        answers = defaultdict(Counter)
        for keys, values, chance in lists:
            for asked in itertools.permutations(range(task.pairs), j + 1):
                *before, now = [(keys[i], values[i]) for i in asked]
                known = frozenset(keys), frozenset(values), tuple(before), now[0]
                answers[known][now[1]] += chance
        best = sum(max(counts.values()) for counts in answers.values())
        shares.append(best / sum(sum(counts.values()) for counts in answers.values()))
    return np.mean(shares)


@pytest.mark.parametrize(
    ("sizes", "fraction"),
    [((2, 4, 4, 1), 0.25), ((3, 5, 5, 2), 0.25), ((4, 5, 5, 3), 0.5), ((2, 6, 5, 2), 0.4)],
)
@pytest.mark.parametrize("unseen", [False, True])
def test_a_guesser_who_knows_which_pairs_can_occur(sizes, fraction, unseen):
    task = VariableBinding(*sizes, pairings=Pairings(fraction, 1, unseen))
    best = best_guess(task)
    assert task.baseline() == pytest.approx(best, abs=0.012)  # .005 of it is chance
    assert task.baseline() > task.replace(pairings=None).baseline() + 0.02
    if best == 1:
        assert task.baseline() == 1


def test_the_fewer_pairs_can_occur_the_more_is_known():
    """A fifth of all pairs is held out; 8 listed pairs of 26 keys and 26 values, 1 question."""
    whole = VariableBinding(queries=1)
    seen, unseen = whole.held_out()
    for task, known in ((seen, 0.155), (unseen, 0.59)):

        def guess(tokens, rng, task=task):
            """Strike out what can not go with the asked key; the baseline draws more from that."""
            allowed = task.pairings.allowed(26, 26)[tokens[-1]]
            return rng.choice([t for t in tokens[1:16:2] if allowed[t - 26]])

        struck = play(task, 4000, guess)
        assert struck == pytest.approx(known, abs=0.03)
        assert struck + 0.01 < task.baseline()
    assert whole.baseline() == 1 / 8
    assert seen.baseline() == pytest.approx(0.19, abs=0.01)
    assert unseen.baseline() == pytest.approx(0.74, abs=0.01)
    fewer = [task.with_pairs(2).baseline() for task in (seen, unseen)]
    assert fewer == pytest.approx([0.68, 0.96], abs=0.01)  # ½, had nothing been held out
    assert seen.with_pairs(1).baseline() == unseen.with_pairs(1).baseline() == 1


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
