"""The formulas behind the pictures: how near random vectors lie, and how many items fit.

Every function takes numbers, or NumPy arrays that broadcast, and returns the same. Nothing is
simulated here: the tests and the lessons lay simulations beside these curves.
"""

from vsacourse.theory.capacity import (
    capacity_constant,
    dimension_for,
    items_for,
    plate_dimension,
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
from vsacourse.theory.crosstalk import majority_agreement, nested_depth_cosine, unbind_cosine

__all__ = [
    "capacity_constant",
    "cosine_sd",
    "dimension_for",
    "gaussian_tail",
    "gaussian_tail_inverse",
    "items_for",
    "largest_cosine",
    "majority_agreement",
    "mean_abs_cosine",
    "nested_depth_cosine",
    "plate_dimension",
    "recall_probability",
    "symbols_that_fit",
    "unbind_cosine",
    "welch_bound",
]
