"""Sequences to train on, and what can be known about them without a model.

Every task draws batches from a ``numpy.random.Generator``, says where a head that reads the answer
must look, and which accuracy elimination alone gives.
"""

from vsacourse.tasks.base import Batch, Task
from vsacourse.tasks.induction import Induction

__all__ = ["Batch", "Induction", "Task"]
