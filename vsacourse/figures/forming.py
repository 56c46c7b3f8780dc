"""One moment of a training run: its curves so far, and the two patterns as they are now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from vsacourse.figures.attention import WEIGHTS
from vsacourse.figures.look import COLORS, LINES

__all__ = ["Moment", "forming"]


@dataclass(frozen=True, eq=False)
class Moment:
    """What was measured at one step of training. Heads are named ``"0.0"``: layer, head.

    Attributes:
        step: how many steps had been taken.
        loss: nats.
        accuracy: share of right answers on the texts of the task.
        elsewhere: share of right answers on texts of another period.
        cut: share of right answers with the first layer's heads writing nothing.
        composed: the composed match of the two heads, or None for one layer.
        matching: prefix matching of every head that may match.
        previous: weight on the place before, of every head that may look back.
        patterns: the pattern of every head on one text, ``(query, key)``.
    """

    step: int
    loss: float
    accuracy: float
    elsewhere: float
    cut: float
    composed: float | None
    matching: Mapping[str, float] = field(repr=False)
    previous: Mapping[str, float] = field(repr=False)
    patterns: Mapping[str, Any] = field(repr=False)

    @property
    def matching_head(self) -> str:
        """The head with the largest prefix matching now."""
        return max(self.matching, key=self.matching.__getitem__)

    @property
    def previous_head(self) -> str:
        """The head with the largest weight on the place before now."""
        return max(self.previous, key=self.previous.__getitem__)

    def __str__(self) -> str:
        back, match = self.previous_head, self.matching_head
        return (
            f"step {self.step}: loss {self.loss:.2f} nats, accuracy {self.accuracy:.2f}, "
            f"at period 9 {self.elsewhere:.2f}, layer 0 cut {self.cut:.2f}; "
            f"prefix matching {self.matching[match]:.2f} (head {match}), "
            f"previous token {self.previous[back]:.2f} (head {back})"
            + ("" if self.composed is None else f", composed match {self.composed:.2f}")
        )


def forming(
    moments: Sequence[Moment],
    steps: int,
    loss_at_start: float,
    elimination: float,
    before: Any,
    after: Any,
) -> Figure:
    """The curves up to the last of the moments, and its two patterns below them.

    It may be drawn in a thread: it makes a figure of its own, and neither pyplot nor its settings
    are touched.

    Args:
        moments: at least one, the present one last.
        steps: where the step axis ends.
        loss_at_start: where the loss axis ends, nats.
        elimination: the accuracy without binding, a dotted line.
        before: the cells to outline in the left pattern, booleans ``(query, key)``.
        after: those of the right pattern.

    Returns:
        The new figure.
    """
    now = moments[-1]
    figure = Figure(figsize=(8.4, 7.4), facecolor="white")
    grid = figure.subplots(2, 2, gridspec_kw={"height_ratios": (0.8, 1)})
    # Set by hand: a layout that is computed takes longer than the drawing.
    figure.subplots_adjust(0.08, 0.08, 0.98, 0.86, wspace=0.2, hspace=0.32)
    at = [m.step for m in moments]
    losses, shares = grid[0]
    losses.plot(at, [m.loss for m in moments], LINES[0], color="#444444", lw=2)
    ticks = range(int(loss_at_start) + 1)
    losses.set(ylabel="loss (nats)", ylim=(0, 1.1 * loss_at_start), yticks=ticks)
    match, back = now.matching_head, now.previous_head
    curves = {
        "accuracy": [m.accuracy for m in moments],
        "accuracy at period 9": [m.elsewhere for m in moments],
        "accuracy, layer 0 cut": [m.cut for m in moments],
        f"prefix matching, head {match}": [m.matching[match] for m in moments],
    }
    if now.composed is not None:
        curves["composed match"] = [m.composed for m in moments if m.composed is not None]
    for i, (name, values) in enumerate(curves.items()):
        shares.plot(at, values, linestyle=LINES[i], color=COLORS[i], lw=2, label=name)
    shares.axhline(elimination, color="black", lw=1, ls=(0, (1, 3)), label="elimination alone")
    shares.set(ylabel="share (0 to 1)", ylim=(0, 1.05), yticks=[0, 0.5, 1])
    figure.legend(*shares.get_legend_handles_labels(), loc="upper center", ncols=3, fontsize=10)
    for axes in (losses, shares):
        axes.set(xlabel="training step", xlim=(0, steps), xticks=[0, steps // 2, steps])
        axes.spines[["top", "right"]].set_visible(False)
    _pattern(
        grid[1, 0], now.patterns[back], before, f"head {back}, dark is 1; outlined: place before"
    )
    _pattern(
        grid[1, 1], now.patterns[match], after, f"head {match}, dark is 1; outlined: after match"
    )
    return figure


def _pattern(axes: Axes, values: Any, outlined: Any, title: str) -> None:
    axes.imshow(values, cmap=WEIGHTS, vmin=0, vmax=1)
    for query, key in zip(*outlined.nonzero(), strict=True):
        axes.add_patch(Rectangle((key - 0.5, query - 0.5), 1, 1, fill=False, ec=COLORS[3], lw=0.9))
    ticks = range(0, len(values), 8)
    axes.set(xlabel="key (attends to)", ylabel="query (attends from)", xticks=ticks, yticks=ticks)
    axes.set_title(title, fontsize=11)
