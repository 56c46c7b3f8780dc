"""Every plot of the course: one style, readable in grey and by colour-blind readers.

Each function draws on the axes ``ax`` (a new figure when None) and returns them; inputs stay
unchanged and so do matplotlib's settings.
"""

from vsacourse.figures.attention import (
    WEIGHTS,
    attention_pattern,
    contribution_bars,
    head_patterns,
    token_circuit,
)
from vsacourse.figures.cells import similarity_heatmap, vector_strip
from vsacourse.figures.curves import capacity_curve, histogram_against_theory
from vsacourse.figures.look import COLORS, DIVERGING, HATCHES, LINES, MARKERS, style

__all__ = [
    "COLORS",
    "DIVERGING",
    "HATCHES",
    "LINES",
    "MARKERS",
    "WEIGHTS",
    "attention_pattern",
    "capacity_curve",
    "contribution_bars",
    "head_patterns",
    "histogram_against_theory",
    "similarity_heatmap",
    "style",
    "token_circuit",
    "vector_strip",
]
