"""Memories: what is stored, what is recognised, and what a bound vector was made of.

``ItemMemory`` holds the known vectors and cleans a noisy one up to the nearest of them.
``Resonator`` finds the factors of a bound vector when none of them is known.
"""

from vsacourse.memory.factors import Factors
from vsacourse.memory.items import Cleanup, ItemMemory, UnknownNameError
from vsacourse.memory.resonator import Resonator

__all__ = ["Cleanup", "Factors", "ItemMemory", "Resonator", "UnknownNameError"]
