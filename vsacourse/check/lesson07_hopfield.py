"""Checks of lesson 07, softmax unbinding: Hopfield's energy, and the best guess under noise."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.backend import softmax
from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise
from vsacourse.check.lesson07 import LESSON

Array = NDArray[Any]


def _log_sum(scores: Array) -> Array:
    largest = scores.max(axis=-1)
    total: Array = largest + np.log(np.exp(scores - largest[..., None]).sum(axis=-1))
    return total


@exercise(
    lesson=LESSON,
    title="Hopfield energy",
    minutes=5,
    difficulty=2,
    teaches="the energy that each step lowers, without overflow",
    hints=[
        "All exponents at once are one product of states and patterns. Which axis is summed?",
        "If all exponents of a row have a common part, e^(common part) can be taken out of the "
        "sum. What becomes of it under the logarithm?",
        "ln Σ e^(s_i) is `largest + np.log(np.exp(scores - largest[:, None]).sum(axis=1))`. Then "
        "the factor −1/β, and half of each state's squared length.",
    ],
    draws=7,
    anchor="Exercise-4-·-Hopfield-energy",
)
def hopfield_energy(attempt: Attempt) -> None:
    """``hopfield_energy(states, patterns, beta)``: (n, d), (N, d), float -> (n,)."""
    n, patterns_n, d, beta = [
        (4, 3, 5, 2.0),
        (1, 6, 3, 0.7),
        (5, 1, 2, 3.0),
        (3, 3, 3, 1.0),
        (2, 4, 6, 900.0),
        (3, 2, 4, 900.0),
        (2, 4, 3, 900.0),
    ][attempt.draw]
    states = attempt.rng.normal(size=(n, d))
    patterns = attempt.rng.normal(size=(patterns_n, d)) * 1.3
    if attempt.draw == 5:
        states, patterns = 2 + abs(states), -1 - abs(patterns)
    tied = attempt.draw == 6
    if tied:  # two equal patterns, and states at twice a pattern: the logarithm of 2 is all
        patterns[:2], patterns[2:] = patterns[0], -patterns[0]
        states[:] = 2 * patterns[0]
    large = beta > 100
    scores = beta * states @ patterns.T
    squares = (states**2).sum(axis=1)
    words = f"{n} states, {patterns_n} patterns, beta = {beta:g}"
    got = attempt.array(
        attempt.call(states, patterns, beta),
        shape=(n,),
        finite=False,
        mistakes={
            "One energy for each state: sum over the patterns.": (n, patterns_n),
            "The sum runs over the patterns, not over the states.": (patterns_n,),
            "One energy for each state is asked for, not their sum.": (),
            "One axis too many: sum without `keepdims`.": (n, 1),
        }
        if n > 1
        else {"One axis too many: sum without `keepdims`.": (1, 1)},
    )
    attempt.require(
        np.isfinite(got).all(),
        f"Some energies are NaN or infinite ({words}; the exponents run from {scores.min():.0f} to "
        f"{scores.max():.0f}).",
        likely="`np.exp` overflows, or all of it underflows to 0 and the logarithm is −inf: take "
        "the largest exponent of each state out of the sum, and add it back after the logarithm.",
    )
    log_sum = _log_sum(scores)
    right = -log_sum / beta + squares / 2
    mistakes = {
        "The factor 1/β in front of the logarithm is missing.": -log_sum + squares / 2,
        "The minus in front of the logarithm is missing.": log_sum / beta + squares / 2,
        "The ½ in front of ξ · ξ is missing.": -log_sum / beta + squares,
        "The second term is ξ · ξ, the square of the length.": -log_sum / beta
        + np.sqrt(squares) / 2,
        "The second term, ½ ξ · ξ, is missing.": -log_sum / beta,
        "The second term is added, not subtracted.": -log_sum / beta - squares / 2,
        "The second term is the same for all states here; each has its own length.": -log_sum / beta
        + squares.sum() / 2,
        "The largest exponent was taken out of the sum and not put back: add it after the "
        "logarithm.": -(log_sum - scores.max(axis=1)) / beta + squares / 2,
        "`beta` is missing in the exponent.": -_log_sum(scores / beta) / beta + squares / 2,
        "That is a mean over the patterns, not a sum.": -(log_sum - math.log(patterns_n)) / beta
        + squares / 2,
        "That is the largest exponent only: right for large β, but the others count.": -scores.max(
            axis=1
        )
        / beta
        + squares / 2,
        "The largest exponent was put back, but not divided by β: the 1/β stands before all of "
        "the logarithm.": -scores.max(axis=1) - (log_sum - scores.max(axis=1)) / beta + squares / 2,
        "The logarithm is to the base 2; `np.log` is the natural one.": -log_sum
        / math.log(2)
        / beta
        + squares / 2,
    }
    attempt.close(
        got,
        right,
        rtol=0.02 if tied else 1e-4 if large else 1e-5,
        what=f"the energies ({words})",
        mistakes=mistakes if tied or not large else {},
    )


def _guess(queries: Array, keys: Array, rate: float, handicap: float) -> Array:
    """Softmax of ``rate`` (q · k − handicap ‖k‖²), times the keys."""
    scores = rate * (queries @ keys.T - handicap * (keys**2).sum(axis=1))
    mean: Array = softmax(scores) @ keys
    return mean


@exercise(
    lesson=LESSON,
    title="The best guess",
    minutes=8,
    difficulty=4,
    teaches="when a soft answer is the right one, and what unequal lengths do to it",
    hints=[
        "Multiply out ‖q − k‖². Three parts: which is the same for all keys, and may be left out?",
        "The probabilities are a softmax of −‖q − k_i‖²/2η², so everything that you know about "
        "stable softmaxes helps. Mind the part with the key's own length.",
        "The scores are `(queries @ keys.T - half of each key's squared length) / noise**2`; shift "
        "them by each row's maximum, and let the weights meet the keys.",
    ],
    draws=6,
    anchor="Exercise-5-·-The-best-guess",
)
def best_guess(attempt: Attempt) -> None:
    """``best_guess(queries, keys, noise)``: (n, d), (N, d), float -> (n, d)."""
    n, keys_n, d, noise = [
        (4, 3, 5, 1.6),
        (3, 6, 2, 0.9),
        (1, 4, 4, 0.6),
        (6, 2, 3, 0.5),
        (4, 5, 3, 0.03),
        (5, 1, 3, 0.02),
    ][attempt.draw]
    keys = attempt.rng.normal(size=(keys_n, d)) * attempt.rng.uniform(0.6, 1.6, size=(keys_n, 1))
    if attempt.draw == 3:
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    meant = attempt.rng.integers(keys_n, size=n)
    small = noise < 0.1
    queries = keys[meant] + (1 if small else noise) * attempt.rng.normal(size=(n, d))
    if attempt.draw == 4:  # one query nearly between two keys: the weights are 0.73 and 0.27
        keys[2:] += 4
        apart = keys[0] - keys[1]
        queries[0] = (keys[0] + keys[1]) / 2 + noise**2 * apart / (apart @ apart)
    words = f"{n} queries, {keys_n} keys, noise = {noise:g}"
    got = attempt.array(
        attempt.call(queries, keys, noise),
        shape=(n, d),
        finite=False,
        mistakes={
            "These are the probabilities: the mean of the keys is asked for.": (n, keys_n),
            "The probabilities of the keys have to meet the keys, for each query.": (keys_n, n),
            "The guesses are columns; each belongs into a row.": (d, n),
            "One guess for each query is asked for.": (d,),
        }
        if n > 1
        else None,
    )
    attempt.require(
        np.isfinite(got).all(),
        f"Some guesses are NaN or infinite ({words}).",
        likely="All densities underflow to 0, and 0/0 is not a number: take the exponents, "
        "subtract each row's largest, then `np.exp`.",
    )
    inverse = 1 / noise**2
    right = _guess(queries, keys, inverse, 0.5)
    nearest = ((queries[:, None] - keys) ** 2).sum(axis=-1).argmin(axis=1)
    lengths = np.linalg.norm(keys, axis=1, keepdims=True)
    mistakes = {
        "The part ½‖k_i‖² is missing: for keys of unequal length it does not drop out.": _guess(
            queries, keys, inverse, 0
        ),
        "It is *half* of the key's squared length that is subtracted, ½‖k_i‖².": _guess(
            queries, keys, inverse, 1
        ),
        "β is 1/η²; you took 1/η. And the part ½‖k_i‖² is missing.": _guess(
            queries, keys, 1 / noise, 0
        ),
        "β is 1/η²; you took 1/2η². And the part ½‖k_i‖² is missing.": _guess(
            queries, keys, inverse / 2, 0
        ),
        "The noise may be small: use it as it is.": _guess(
            queries, keys, 1 / max(noise, 0.1) ** 2, 0.5
        ),
        "β is 1/η²; you took 1/η.": _guess(queries, keys, 1 / noise, 0.5),
        "β is 1/η²; you took 1/2η²: the 2 cancels against that of −2 q · k.": _guess(
            queries, keys, inverse / 2, 0.5
        ),
        "The ½ in the exponent is missing: it is ‖q − k‖²/2η².": _guess(
            queries, keys, 2 * inverse, 0.5
        ),
        "The noise stands above the line: a noisy query needs a *smaller* β.": _guess(
            queries, keys, noise**2, 0.5
        ),
        "The noise is missing.": _guess(queries, keys, 1, 0.5),
        "That is one key whole, the nearest: a hard cleanup. The mean has the smaller error.": keys[
            nearest
        ],
        "That is one key whole, the best-scoring: a hard cleanup. The mean has the smaller "
        "error.": keys[(queries @ keys.T).argmax(axis=1)],
        "The sign of the exponent: nearer keys are more probable.": _guess(
            queries, keys, -inverse, 0.5
        ),
        "You scaled the keys to length 1 for the scores; they count with their own length.": (
            _unit_scores(queries, keys, inverse)
        ),
        "The keys may have any length, and they are what is guessed: don't scale them to 1.": (
            _guess(queries, keys / lengths, inverse, 0.5)
        ),
        "The exponent has the *squared* distance.": _by_distance(queries, keys, inverse),
        "1/η² stands before the whole bracket, (q · k_i − ½‖k_i‖²)/η²: is ½‖k_i‖² divided, "
        "too?": _guess(queries, keys, inverse, 0.5 * noise**2),
        "It is half of the *squared* length that is subtracted, ½‖k_i‖².": softmax(
            inverse * (queries @ keys.T - lengths[:, 0] / 2)
        )
        @ keys,
    }
    attempt.close(
        got,
        right,
        rtol=2e-3 if small else 1e-5,
        what=f"the guesses ({words})",
        mistakes=mistakes,
    )


def _unit_scores(queries: Array, keys: Array, rate: float) -> Array:
    scores = rate * queries @ (keys / np.linalg.norm(keys, axis=1, keepdims=True)).T
    mean: Array = softmax(scores) @ keys
    return mean


def _by_distance(queries: Array, keys: Array, rate: float) -> Array:
    scores = -rate * np.linalg.norm(queries[:, None] - keys, axis=-1) / 2
    mean: Array = softmax(scores) @ keys
    return mean
