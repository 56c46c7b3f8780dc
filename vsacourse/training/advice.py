"""What to change when the threshold was not reached."""

from __future__ import annotations

import numpy as np

from vsacourse.training.recipe import Recipe
from vsacourse.training.run import History

__all__ = ["advice"]

FEW = 300
ROSE = 1.2
FALLING = 0.95  # the last quarter's loss beside that of the quarter before


def advice(recipe: Recipe, history: History, diverged: bool) -> str:
    """Return one line that says what was reached, what was wanted, and what to change.

    It knows: a loss that is not finite or rose (learning rate), fewer layers than the task needs,
    heads too narrow to tell the tokens apart, and a loss that still falls (steps). If none of these
    shows, it says so.
    """
    task, config = recipe.task, recipe.config
    step, loss = int(history.step[-1]), float(history.loss[-1])
    if diverged or loss > ROSE * history.loss[0]:
        how = (
            f"rose from {history.loss[0]:.2f} to {loss:.2f}" if np.isfinite(loss) else "overflowed"
        )
        lower = min(recipe.learning_rate / 10, Recipe.learning_rate)  # from 1e30 at once
        return (
            f"The loss {how} at step {step}: the learning rate {recipe.learning_rate:g} is too "
            f"high. Try {lower:.1g}."
        )
    causes = []
    if config.n_layers < task.least_layers:
        causes.append(
            f"{config.n_layers} layer{'s' * (config.n_layers > 1)} of attention cannot bind and "
            f"match: give n_layers={task.least_layers}"
        )
    if config.head_size < task.d_vocab / 4:
        causes.append(
            f"heads of {config.head_size} dimensions are too narrow to tell {task.d_vocab} tokens "
            f"apart: raise d_model, or d_head"
        )
    if still_falling(history):
        causes.append(f"the loss still falls: give steps={2 * recipe.steps}")
    elif step < FEW:
        causes.append(
            f"that is few, and a loss can lie flat before it drops: give steps={max(FEW, 2 * step)}"
        )
    if not causes:
        causes.append("the loss no longer falls: try another seed, or another learning rate")
    return (
        f"Accuracy {history.accuracy[-1]:.2f} after {step} steps, {recipe.threshold:g} wanted; "
        f"{'; '.join(causes)}."
    )


def still_falling(history: History) -> bool:
    """Say whether the loss of the last quarter lies clearly below that of the quarter before."""
    quarter = max(1, len(history) // 4)
    if len(history) < 2:
        return True
    last, before = history.loss[-quarter:], history.loss[-2 * quarter : -quarter]
    return bool(last.mean() < FALLING * before.mean())
