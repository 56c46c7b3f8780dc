"""One moment of a training run: its curves so far, and the two patterns as they are now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from vsacourse.figures.attention import WEIGHTS
from vsacourse.figures.look import COLORS, LINES, MARKERS

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
        matching: prefix matching, on the texts of the other period, of every head that may match.
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

    @property
    def lines(self) -> tuple[str, str]:
        """The numbers, in two lines."""
        back, match = self.previous_head, self.matching_head
        composed = "" if self.composed is None else f", composed match {self.composed:.2f}"
        return (
            f"step {self.step}: loss {self.loss:.2f} nats, accuracy {self.accuracy:.2f}, "
            f"at period 9 {self.elsewhere:.2f}, if layer 0 writes nothing {self.cut:.2f}",
            f"head {back}: place before {self.previous[back]:.2f}; head {match}: after the match "
            f"{self.matching[match]:.2f} (at period 9){composed}",
        )

    def __str__(self) -> str:
        return ". ".join(self.lines)


def forming(
    moments: Sequence[Moment],
    elimination: float,
    settings: str,
    before: Any,
    after: Any,
) -> Figure:
    """The curves up to the last of the moments, and its two patterns below them.

    It may be drawn in a thread: it makes a figure of its own, and neither pyplot nor its settings
    are touched.

    Args:
        moments: at least one, the present one last.
        elimination: the accuracy without binding, a dotted line.
        settings: what is trained, written below.
        before: the cells to outline in the left pattern, booleans ``(query, key)``.
        after: those of the right pattern.

    Returns:
        The new figure.
    """
    now, most = moments[-1], moments[0].loss
    end = max(100, 100 * -(-now.step // 100))
    figure = Figure(figsize=(8.4, 7.4), facecolor="white")
    grid = figure.subplots(2, 2, gridspec_kw={"height_ratios": (0.8, 1)})
    # Set by hand: a layout that is computed takes longer than the drawing.
    figure.subplots_adjust(0.08, 0.1, 0.98, 0.89, wspace=0.2, hspace=0.32)
    at = [m.step for m in moments]
    look: dict[str, Any] = {"lw": 2, "ms": 5, "markevery": max(1, len(at) // 6)}
    losses, shares = grid[0]
    losses.plot(at, [m.loss for m in moments], color="#444444", marker=MARKERS[0], **look)
    losses.set(ylabel="loss (nats)", ylim=(0, 1.1 * most), yticks=range(int(most) + 1))
    match, back = now.matching_head, now.previous_head
    curves = {
        "accuracy": [m.accuracy for m in moments],
        "accuracy at period 9": [m.elsewhere for m in moments],
        "accuracy, layer 0 silent": [m.cut for m in moments],
        f"prefix matching of head {match}": [m.matching[match] for m in moments],
    }
    if now.composed is not None:
        curves["composed match"] = [m.composed for m in moments if m.composed is not None]
    for i, (name, values) in enumerate(curves.items()):
        style = {"ls": LINES[i], "color": COLORS[i], "marker": MARKERS[i]}
        shares.plot(at, values, label=name, **style, **look)
    shares.axhline(elimination, color="black", lw=1, ls=(0, (1, 3)), label="elimination alone")
    shares.set(ylabel="share (0 to 1)", ylim=(-0.03, 1.05), yticks=[0, 0.5, 1])
    figure.legend(*shares.get_legend_handles_labels(), loc="upper center", ncols=3, fontsize=10)
    for axes in (losses, shares):
        axes.set(xlabel="training step", xlim=(-0.02 * end, end), xticks=[0, end // 2, end])
        axes.spines[["top", "right"]].set_visible(False)
    again = " again" if match == back else ""
    _pattern(grid[1, 0], now.patterns[back], before, f"head {back}; outlined: the place before")
    title = f"head {match}{again}; outlined: after the match"
    _pattern(grid[1, 1], now.patterns[match], after, title)
    figure.text(0.01, 0.012, f"{settings}. Patterns of a text of period 9.", fontsize=10)
    return figure


def _pattern(axes: Axes, values: Any, outlined: Any, title: str) -> None:
    axes.imshow(values, cmap=WEIGHTS, vmin=0, vmax=1)
    for query, key in zip(*outlined.nonzero(), strict=True):
        axes.add_patch(Rectangle((key - 0.5, query - 0.5), 1, 1, fill=False, ec=COLORS[3], lw=0.9))
    ticks = range(0, len(values), 8)
    axes.set(xlabel="key (attends to)", ylabel="query (attends from)", xticks=ticks, yticks=ticks)
    axes.set_title(title, fontsize=11)
