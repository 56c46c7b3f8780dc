"""Memories: what is stored, what is recognised, and what a bound vector was made of.

``ItemMemory`` holds the known vectors and cleans a noisy one up to the nearest of them.
``Resonator`` finds the factors of a bound vector when none of them is known. ``store``, ``read``
and ``overwrite`` keep pairs in one matrix, which is what linear attention does; softmax attention
and Hopfield networks keep the pairs themselves.
"""

from vsacourse.memory.factors import Factors
from vsacourse.memory.items import Cleanup, ItemMemory, UnknownNameError
from vsacourse.memory.outer import linear_attention, overwrite, read, store
from vsacourse.memory.resonator import Resonator
from vsacourse.memory.softmax import (
    attention_weights,
    hopfield_energy,
    hopfield_step,
    sign_hopfield_matrix,
    sign_hopfield_step,
    softmax_attention,
)

__all__ = [
    "Cleanup",
    "Factors",
    "ItemMemory",
    "Resonator",
    "UnknownNameError",
    "attention_weights",
    "hopfield_energy",
    "hopfield_step",
    "linear_attention",
    "overwrite",
    "read",
    "sign_hopfield_matrix",
    "sign_hopfield_step",
    "softmax_attention",
    "store",
]
