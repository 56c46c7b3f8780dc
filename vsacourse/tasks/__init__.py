"""Sequences to train on, and what can be known about them without a model.

Every task draws batches from a ``numpy.random.Generator``, says where a head that reads the answer
must look, and which accuracy elimination alone gives.
"""

from vsacourse.tasks.base import Batch, Task
from vsacourse.tasks.bigram import Bigram
from vsacourse.tasks.binding import VariableBinding
from vsacourse.tasks.chains import Chains
from vsacourse.tasks.induction import Induction
from vsacourse.tasks.pairings import Pairings
from vsacourse.tasks.sorting import Sorting

__all__ = [
    "Batch",
    "Bigram",
    "Chains",
    "Induction",
    "Pairings",
    "Sorting",
    "Task",
    "VariableBinding",
]
