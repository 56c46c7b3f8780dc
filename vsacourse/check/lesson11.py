"""Checks of lesson 11: the two ways to cheat."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "11-induction-trained"

Array = NDArray[Any]
_EMPTY = "`[..., :-0]` is empty. Count from the front: `[..., : T - back]`."
_NEGATIVE = "T − back is negative here, and a slice with it counts from the end."


def _copied(tokens: Array, back: int, otherwise: float = -1) -> Array:
    """The token so many places back (ahead, if negative), and a filling where there is none."""
    T = tokens.shape[-1]
    source = np.arange(T) - back
    there = (source >= 0) & (source < T)
    return np.where(there, tokens[..., source.clip(0, T - 1)], otherwise)


@exercise(
    lesson=LESSON,
    title="The shortcut",
    minutes=4,
    difficulty=1,
    teaches="a predictor that matches nothing",
    hints=[
        "Which place does place t read? For which t is there no such place?",
        "Make the places, `np.arange(T) - back`, and index the last axis with them. A negative "
        "index would read from the end.",
        "`np.where(source < 0, -1, tokens[..., np.maximum(source, 0)])`, with `source` the places "
        "that are read.",
    ],
    draws=8,
    anchor="Exercise-1-·-The-shortcut",
)
def copy_back(attempt: Attempt) -> None:
    """``copy_back(tokens, back)``: (..., T) whole numbers -> (..., T)."""
    shape, back = [
        ((9,), 3),
        ((5,), 2),
        ((3, 8), 2),
        ((2, 4, 7), 1),
        ((4, 6), 0),
        ((2, 5), 5),
        ((2, 5), 8),
        ((6, 7), 6),
    ][attempt.draw]
    T = shape[-1]
    tokens = attempt.rng.permutation(80)[: int(np.prod(shape))].reshape(shape)
    if attempt.draw == 1:
        tokens = np.array([0, 1, 2, 3, 0])  # the example
    what = f"copy_back({_words(tokens)}, {back})"
    ends = {} if 0 < back <= T else {"broadcast": _NEGATIVE if back else _EMPTY}
    got = attempt.call(tokens, back, on_error=ends)
    lead = shape[:-1]
    sizes = {
        "The first places need an entry, too: −1.": (*lead, max(T - back, 0)),
        "One prediction for each place is asked for, not only for the last.": lead,
    }
    if back == 0:
        sizes = {_EMPTY: (*lead, 0)}
    if back > T:
        sizes = {
            "There are only T places, so only T get a −1.": (*lead, back),
            _NEGATIVE: (*lead, back + max(2 * T - back, 0)),
        }
    got = attempt.array(got, shape=shape, what=what, finite=False, mistakes=sizes)
    attempt.require(
        not np.isnan(got).any(), f"`{what}` holds NaN.", likely="Where there is none, −1 stands."
    )
    right = _copied(tokens, back)
    kept = tokens.copy()
    kept[..., back:] = right[..., back:]
    mistakes = {
        "The tokens of the end came round to the front (`np.roll`, or a negative index). There is "
        "nothing before place 0: −1.": np.roll(tokens, back, axis=-1),
        "Where there is no such place, −1 stands, not 0: 0 is a token.": _copied(tokens, back, 0),
        "That reads `back` places *ahead*.": _copied(tokens, -back),
        "That reads `back` places ahead, and goes round.": np.roll(tokens, -back, axis=-1),
        "One place too few: count `back` from place t, not from the place that is "
        "predicted.": _copied(tokens, back - 1),
        "One place too many: from place t itself, `back` steps.": _copied(tokens, back + 1),
        "The first places repeat the first token. They have nothing to copy: −1.": np.where(
            np.arange(T) < back, tokens[..., :1], right
        ),
        "The first places kept their own tokens. They have nothing to copy: −1.": kept,
        "Place t = back has something to copy: place 0.": np.where(np.arange(T) == back, -1, right),
        "That is the text itself.": tokens,
        "Nothing was copied: −1 everywhere.": np.full(shape, -1),
    }
    if len(shape) > 1:
        other = np.moveaxis(tokens, 0, -1)
        mistakes |= {
            "That goes back along the *first* axis. The places are the last one.": np.moveaxis(
                _copied(other, back), -1, 0
            ),
            "`np.roll` without `axis` goes through all texts as if they were one.": np.roll(
                tokens, back
            ),
        }
    attempt.equal(got, right, what=what, mistakes=mistakes)


def _words(tokens: Array) -> str:
    if tokens.ndim == 1:
        return str(tokens.tolist())
    return f"tokens of shape {tokens.shape}"


def _choices(i: Array, period: int) -> Array:
    left = period - 1 - i % period
    return np.where(left == 0, max(period - 1, 1), left)


@exercise(
    lesson=LESSON,
    title="Striking out",
    minutes=7,
    difficulty=3,
    teaches="what a model reaches that matches nothing",
    hints=[
        "Write down i, j and the number of choices for period 3 and length 7. How many of them "
        "are there?",
        "`i = np.arange(period, length)` and `left = period - 1 - i % period`. Where `left` is 0, "
        "a new repetition begins.",
        "`choices = np.where(left == 0, max(period - 1, 1), left)`; the mean of `1 / choices`.",
    ],
    draws=8,
    anchor="Exercise-2-·-Striking-out",
)
def elimination(attempt: Attempt) -> None:
    """``elimination(period, length)``: one number."""
    period, length = [(5, 18), (3, 7), (8, 32), (6, 23), (7, 8), (2, 9), (1, 5), (16, 32)][
        attempt.draw
    ]
    i = np.arange(period, length)
    j, choices = i % period, _choices(i, period)
    chance = 1 / choices
    what = f"elimination({period}, {length})"
    got = attempt.scalar(attempt.call(period, length), what=what)
    last = j == period - 1
    once = 1 / _choices(np.arange(period), period)

    def at_the_end(number: float) -> float:
        return float(np.where(last, 1 / number, chance).mean())

    mistakes: dict[str, Any] = {
        "The accuracy is the mean of 1/choices, which is not 1/(the mean of the choices).": 1
        / choices.mean(),
        "That is the mean number of choices.": choices.mean(),
        "That is the sum. Divide by the number of counted places, length − period.": chance.sum(),
        "Divide by the number of counted places, length − period, not by length.": chance.sum()
        / length,
        "The counted places begin at i = period: before, nothing has repeated.": (
            1 / _choices(np.arange(length), period)
        ).mean(),
        "The counted places begin at i = period; you began one earlier.": (
            1 / _choices(np.arange(period - 1, length), period)
        ).mean(),
        "The counted places begin at i = period; you began one later.": lambda: (
            (1 / _choices(np.arange(period + 1, length), period)).mean()
            if length > period + 1
            else -1
        ),
        "The last counted place is length − 1: `np.arange(period, length)`. You went one "
        "further.": (1 / _choices(np.arange(period, length + 1), period)).mean(),
        "The last counted place is length − 1: `np.arange(period, length)` has it. You left it "
        "out.": lambda: (1 / _choices(i[:-1], period)).mean() if len(i) > 1 else -1,
        "The texts need not end with a whole repetition: go over the places.": once.mean(),
        "The token at place i has come as well: period − 1 − j are left.": (
            1 / (period - j)
        ).mean(),
        "One choice too few: j counts from 0, so j + 1 tokens have come.": (
            1 / np.maximum(period - 2 - j, 1)
        ).mean(),
        "The choices are those at place i, where the guess is made, not at place i + 1.": (
            1 / _choices(i + 1, period)
        ).mean(),
        "At the end of a repetition the last token cannot follow itself: one choice "
        "less.": at_the_end(period),
        "At the end of a repetition the next one begins: any token but the last may "
        "follow.": at_the_end(1),
        "The end of a repetition counts as well: the guesser is right there once in "
        "period − 1.": lambda: chance[~last].mean() if (~last).any() else -1,
        "At the end of a repetition the guesser isn't always wrong.": np.where(
            last, 0, chance
        ).mean(),
        "That guesser strikes out nothing but the last token.": 1 / max(period - 1, 1),
        "That guesser strikes out nothing.": 1 / period,
        "j starts anew in each repetition: the rest of i / period.": (
            1 / np.maximum(2 * period - 1 - i, 1)
        ).mean(),
    }
    attempt.close(got, chance.mean(), rtol=1e-5, what=what, mistakes=mistakes)
