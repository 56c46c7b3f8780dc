"""What a trained or built transformer does, in numbers: pure functions on arrays.

NumPy or torch in, the same kind out; inputs are never changed. Scores of patterns, losses and
accuracies of a batch are the means of its singles'; measures of matrices keep their batch axes.
Half precision is measured in float32. What does not depend on a matrix's scale is the same for one
of 1e20 or 1e-25, whose squares are not floats of 32 bits.
"""

from vsacourse.metrics.binding import Tag, additive_tag, exchange
from vsacourse.metrics.circuits import (
    composed_circuit,
    composed_match,
    composition,
    composition_floor,
    composition_scores,
    copying_score,
    match_accuracy,
)
from vsacourse.metrics.gauge import (
    balanced,
    change_gauge,
    gram_deviation,
    key_coherence,
    keys_as_queried,
    matching_margin,
    signal_to_noise,
)
from vsacourse.metrics.interventions import ablate, patch, patch_both, patching_effect
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
    "Tag",
    "ablate",
    "accuracy",
    "additive_tag",
    "attention_to_start",
    "balanced",
    "best_head_mass",
    "change_gauge",
    "composed_circuit",
    "composed_match",
    "composition",
    "composition_floor",
    "composition_scores",
    "copying_score",
    "exchange",
    "gram_deviation",
    "in_context_score",
    "induction_targets",
    "key_coherence",
    "keys_as_queried",
    "match_accuracy",
    "matching_margin",
    "patch",
    "patch_both",
    "patching_effect",
    "predicted_mass",
    "prefix_matching",
    "previous_token",
    "signal_to_noise",
    "token_loss",
]
