"""The one style of every figure: colours, line styles, markers, hatches, sizes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

COLORS = ("#0b1f66", "#8f1d3f", "#00699e", "#cf5a00", "#2a9d8f")
"""Navy, wine, blue, orange, teal: ever lighter (so they differ in grey too), 3:1 on white."""

LINES = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)))
"""The line style that goes with each colour."""

MARKERS = ("o", "s", "^", "D", "v")
"""The marker that goes with each colour."""

HATCHES = ("", "///", "...", "xx", "\\\\\\")
"""The hatch that goes with each colour."""

# Positive runs to a dark brown, negative to a blue that stays light: in grey the ends still differ,
# and numbers (small matrices) or a hatch on clearly negative cells say the sign without colour.
DIVERGING = LinearSegmentedColormap.from_list(
    "vsacourse", ["#4d97dd", "#a9cdf0", "#fbfbf8", "#ee9a4d", "#7a2c00"]
)
"""The colour map of similarities: blue is negative, white 0, orange to brown positive."""


@contextmanager
def style() -> Iterator[None]:
    """The course's look inside a ``with`` block; matplotlib's settings are as before after it."""
    settings: Any = {
        "figure.figsize": (6.4, 4.2),
        "figure.facecolor": "white",
        "figure.constrained_layout.use": True,
        "savefig.facecolor": "white",
        "axes.facecolor": "white",
        "axes.edgecolor": "#444444",
        "axes.labelcolor": "black",
        "axes.labelsize": 13,
        "axes.titlesize": 14,
        "axes.prop_cycle": cycler(color=COLORS, linestyle=LINES),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "font.size": 13,
        "hatch.linewidth": 0.7,
        "legend.fontsize": 12,
        "legend.edgecolor": "white",
        "legend.framealpha": 0.85,
        "lines.linewidth": 2.2,
        "lines.markersize": 7,
        "text.color": "black",
        "xtick.labelsize": 12,
        "ytick.labelsize": 12,
        "xtick.color": "#222222",
        "ytick.color": "#222222",
    }
    with plt.rc_context(settings):
        yield


def new_axes(ax: Axes | None, size: tuple[float, float] = (6.4, 4.2)) -> Axes:
    """The axes to draw on: those given, or a new figure's."""
    return plt.subplots(figsize=size)[1] if ax is None else ax


def finish(axes: Axes, xlabel: str, ylabel: str, title: str | None) -> Axes:
    """Label the axes."""
    # Ticks are made when the figure is drawn, after style() has ended: their size is set here.
    axes.tick_params(labelsize=12, colors="#222222")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    if title is not None:
        axes.set_title(title)
    return axes
