"""One training loop, and recipes that a laptop runs in seconds.

``import vsacourse.training`` does not import torch; ``train`` does.
"""

from vsacourse.training import recipes
from vsacourse.training.loop import train
from vsacourse.training.recipe import Recipe
from vsacourse.training.run import History, Report, Run, wilson_interval
from vsacourse.training.seeds import train_seeds

__all__ = [
    "History",
    "Recipe",
    "Report",
    "Run",
    "recipes",
    "train",
    "train_seeds",
    "wilson_interval",
]
