"""One moment of a training run: its curves so far, and the two patterns as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from vsacourse.figures.attention import WEIGHTS
from vsacourse.figures.look import COLORS, LINES

__all__ = ["Moment", "Progress", "forming"]


@dataclass(frozen=True, eq=False)
class Moment:
    """What was measured at one step of training.

    Attributes:
        step: how many steps had been taken.
        loss: nats.
        accuracy: share of right answers.
        matching: prefix matching of the best head.
        previous: mass on the place before, of the best head.
        matching_head: the name of the one, such as ``"1.0"``.
        previous_head: the name of the other.
        matching_pattern: its pattern on one text, ``(query, key)``.
        previous_pattern: that of the other.
    """

    step: int
    loss: float
    accuracy: float
    matching: float
    previous: float
    matching_head: str
    previous_head: str
    matching_pattern: Any = field(repr=False)
    previous_pattern: Any = field(repr=False)

    def __str__(self) -> str:
        return (
            f"step {self.step}: loss {self.loss:.2f} nats, accuracy {self.accuracy:.2f}, "
            f"prefix matching {self.matching:.2f} (head {self.matching_head}), "
            f"previous token {self.previous:.2f} (head {self.previous_head})"
        )


Progress = Sequence[Moment]
"""The moments so far, the present one last."""


def forming(moments: Progress, steps: int, loss_at_start: float) -> Figure:
    """The curves up to the last of the moments, and its two patterns below them.

    It may be drawn in a thread: it makes a figure of its own, and neither pyplot nor its settings
    are touched.

    Args:
        moments: at least one.
        steps: where the step axis ends.
        loss_at_start: where the loss axis ends, nats.

    Returns:
        The new figure.
    """
    now = moments[-1]
    figure = Figure(figsize=(8.4, 7.0), facecolor="white")
    grid = figure.subplots(2, 2, gridspec_kw={"height_ratios": (0.8, 1)})
    # Set by hand: a layout that is computed takes longer than the drawing.
    figure.subplots_adjust(0.08, 0.08, 0.98, 0.97, wspace=0.2, hspace=0.3)
    at = [m.step for m in moments]
    curves, shares = grid[0]
    curves.plot(at, [m.loss for m in moments], LINES[0], color=COLORS[0], lw=2)
    curves.set(
        ylabel="loss (nats)", ylim=(0, 1.1 * loss_at_start), yticks=range(int(loss_at_start) + 1)
    )
    for i, (name, values) in enumerate(
        (
            ("accuracy", [m.accuracy for m in moments]),
            (f"prefix matching, head {now.matching_head}", [m.matching for m in moments]),
            (f"previous token, head {now.previous_head}", [m.previous for m in moments]),
        )
    ):
        shares.plot(at, values, linestyle=LINES[i], color=COLORS[i], lw=2, label=name)
    shares.set(ylabel="share (0 to 1)", ylim=(0, 1.4), yticks=[0, 0.5, 1])
    shares.legend(loc="upper left", fontsize=9.5, framealpha=0.85)
    for axes in (curves, shares):
        axes.set(xlabel="training step", xlim=(0, steps), xticks=[0, steps // 2, steps])
        axes.spines[["top", "right"]].set_visible(False)
    _pattern(grid[1, 0], now.previous_pattern, f"head {now.previous_head}: place before?")
    _pattern(grid[1, 1], now.matching_pattern, f"head {now.matching_head}: after the match?")
    return figure


def _pattern(axes: Axes, values: Any, title: str) -> None:
    axes.imshow(values, cmap=WEIGHTS, vmin=0, vmax=1)
    ticks = range(0, len(values), 8)
    axes.set(xlabel="key (attends to)", ylabel="query (attends from)", xticks=ticks, yticks=ticks)
    axes.set_title(title)
