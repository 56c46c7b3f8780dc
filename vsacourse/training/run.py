"""What a training run leaves: the model, its history, and a report on data of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from vsacourse.training.recipe import Recipe
from vsacourse.transformer import Transformer
from vsacourse.transformer.arguments import number, whole

__all__ = ["History", "Report", "Run", "wilson_interval"]


@dataclass(frozen=True, eq=False)
class History:
    """The checks of a run, each on fresh data: arrays of equal length, from step 0 on.

    Attributes:
        step: how many steps had been taken.
        loss: mean cross-entropy of the counted positions, in nats.
        accuracy: share of the counted positions whose largest logit is the target's.
    """

    step: NDArray[np.int64]
    loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True)
class Report:
    """Accuracy on fresh data that early stopping never looked at.

    Attributes:
        correct: right answers.
        answers: counted positions.
        baseline: the accuracy of the task's elimination.
    """

    correct: int
    answers: int
    baseline: float

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.correct / self.answers

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of Wilson, as if all answers were independent."""
        return wilson_interval(self.correct, self.answers)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"accuracy {self.accuracy:.3f} [{low:.3f}, {high:.3f}] on {self.answers} answers, "
            f"{self.baseline:.3f} by elimination"
        )


@dataclass(frozen=True, eq=False)
class Run:
    """A finished training run.

    Attributes:
        recipe: what was trained, and how.
        seed: of weights and data.
        model: the trained transformer, as NumPy.
        history: the checks along the way.
        steps: the step at which the threshold had been reached at two checks, or None.
        report: accuracy on data of its own.
        seconds: time of training and checks, by the clock.
        stopped: True if it was stopped from outside.
        advice: what to change when the threshold was not reached; "" otherwise.
    """

    recipe: Recipe
    seed: int
    model: Transformer
    history: History
    steps: int | None
    report: Report
    seconds: float
    stopped: bool = False
    advice: str = ""

    @property
    def solved(self) -> bool:
        """Whether the threshold was reached."""
        return self.steps is not None

    def __repr__(self) -> str:
        taken = f"solved at step {self.steps}" if self.solved else "not solved"
        return f"Run({self.recipe.name}, seed {self.seed}: {taken}, {self.report})"


def wilson_interval(correct: int, of: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), p = correct/n.

    Raises:
        TypeError: something is not a number.
        ValueError: not 0 ≤ correct ≤ of with ``of`` above 0, or a confidence outside 0 to 1.

    Source: Wilson (1927), Probable inference.

    >>> [round(x, 3) for x in wilson_interval(10, 10)]
    [0.722, 1.0]
    """
    owner = "wilson_interval"
    of = whole(owner, "of", of, 1)
    correct = whole(owner, "correct", correct, 0, of)
    confidence = number(
        owner, "confidence", confidence, "a number between 0 and 1", lambda x: 0 < x < 1
    )
    z, p = NormalDist().inv_cdf((1 + confidence) / 2), correct / of
    half = z * math.sqrt(p * (1 - p) / of + z**2 / (4 * of**2))
    centre, scale = p + z**2 / (2 * of), 1 + z**2 / of
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)
