"""What a trained or built transformer does, in numbers: pure functions on arrays.

NumPy or torch in, the same kind out; inputs are never changed; a batch's value is the mean of its
singles'.
"""

from vsacourse.metrics.patterns import (
    attention_to_start,
    best_head_mass,
    induction_targets,
    predicted_mass,
    prefix_matching,
    previous_token,
)
from vsacourse.metrics.scores import accuracy, in_context_score, token_loss

__all__ = [
    "accuracy",
    "attention_to_start",
    "best_head_mass",
    "in_context_score",
    "induction_targets",
    "predicted_mass",
    "prefix_matching",
    "previous_token",
    "token_loss",
]
