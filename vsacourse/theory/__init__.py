"""The formulas behind the pictures: how near random vectors lie, and how many items fit.

Every function takes numbers, or NumPy arrays that broadcast, and returns the same. Nothing is
simulated here: the tests and the lessons lay simulations beside these curves.
"""

from vsacourse.theory.attention import (
    delta_cosine,
    memory_cosine,
    pairs_for_cosine,
    softmax_half_load,
    softmax_weight,
)
from vsacourse.theory.capacity import (
    capacity_constant,
    dimension_for,
    items_for,
    plate_dimension,
    recall_among_rivals,
    recall_probability,
)
from vsacourse.theory.cosines import (
    cosine_sd,
    gaussian_tail,
    gaussian_tail_inverse,
    largest_cosine,
    mean_abs_cosine,
    symbols_that_fit,
    welch_bound,
)
from vsacourse.theory.crosstalk import (
    majority_agreement,
    nested_depth_cosine,
    sequential_depth_cosine,
    unbind_cosine,
)
from vsacourse.theory.induction import (
    crosstalk_variance,
    induction_accuracy,
    induction_dimension,
)
from vsacourse.theory.readings import (
    effective_items,
    membership_error,
    number_kernel,
    number_spread,
)
from vsacourse.theory.tensor_products import (
    crosstalk_matrix,
    noise_growth,
    reading_cosine,
    reading_error,
    role_recall,
)

__all__ = [
    "capacity_constant",
    "cosine_sd",
    "crosstalk_matrix",
    "crosstalk_variance",
    "delta_cosine",
    "dimension_for",
    "effective_items",
    "gaussian_tail",
    "gaussian_tail_inverse",
    "induction_accuracy",
    "induction_dimension",
    "items_for",
    "largest_cosine",
    "majority_agreement",
    "mean_abs_cosine",
    "membership_error",
    "memory_cosine",
    "nested_depth_cosine",
    "noise_growth",
    "number_kernel",
    "number_spread",
    "pairs_for_cosine",
    "plate_dimension",
    "reading_cosine",
    "reading_error",
    "recall_among_rivals",
    "recall_probability",
    "role_recall",
    "sequential_depth_cosine",
    "softmax_half_load",
    "softmax_weight",
    "symbols_that_fit",
    "unbind_cosine",
    "welch_bound",
]
