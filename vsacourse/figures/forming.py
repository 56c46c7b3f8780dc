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
        itself: what a factor of the token and a constant explain of what the head that looks back
            writes, a share of the variance.
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
    itself: float
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
        undone = ""
        if self.composed is not None:
            undone = f"; its match undoes what {back} writes {self.composed:.2f}"
        return (
            f"step {self.step}: loss {self.loss:.2f} nats, accuracy {self.accuracy:.2f}, "
            f"at period 9 {self.elsewhere:.2f}, if layer 0 writes nothing {self.cut:.2f}",
            f"head {back}: on the place before {self.previous[back]:.2f}, of what it writes the "
            f"token itself explains {self.itself:.0%}; head {match}: after the match "
            f"{self.matching[match]:.2f} (at period 9){undone}",
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
    now = moments[-1]
    match, back = now.matching_head, now.previous_head
    figure = Figure(figsize=(7.4, 7.2), facecolor="white")
    # Set by hand: a layout that is computed takes longer than the drawing.
    losses, answers, heads = (
        figure.add_axes((x, 0.62, 0.225, 0.235)) for x in (0.07, 0.405, 0.745)
    )
    most = moments[0].loss
    _curves(losses, moments, {"loss": [m.loss for m in moments]}, [-1])
    losses.set(ylabel="loss (nats)", ylim=(0, 1.1 * most), yticks=range(int(most) + 1))
    right = {
        "accuracy": [m.accuracy for m in moments],
        "… at period 9": [m.elsewhere for m in moments],
        "… layer 0 silent": [m.cut for m in moments],
    }
    _curves(answers, moments, right, [0, 1, -1])
    answers.axhline(elimination, color="black", lw=1, ls=(0, (1, 3)), label="elimination alone")
    looks = {
        f"{back}: on the place before": [m.previous[back] for m in moments],
        f"{match}: after the match": [m.matching[match] for m in moments],
    }
    if now.composed is not None:
        undone = [m.composed for m in moments if m.composed is not None]
        looks[f"{match} undoes what {back} writes"] = undone
    _curves(heads, moments, looks, [2, 3, 4])
    for axes in (answers, heads):
        axes.set(ylabel="share (0 to 1)", ylim=(-0.03, 1.05), yticks=[0, 0.5, 1])
    for axes in (losses, answers, heads):
        axes.legend(loc="lower left", bbox_to_anchor=(-0.3, 1.0), fontsize=9, frameon=False)
    places = [figure.add_axes((x, 0.115, 0.4, 0.355)) for x in (0.075, 0.575)]
    title = f"where head {back} looks; it writes that token\n(outlined: the place before)"
    _pattern(places[0], now.patterns[back], before, title)
    again = ", the same," if match == back else ""
    title = f"where head {match}{again} looks\n(outlined: after a match)"
    _pattern(places[1], now.patterns[match], after, title)
    note = f"{settings}. Patterns of a text of period 9 (dark: weight 1)."
    if len(now.patterns) > 2:
        note += (
            "\nOf several heads, those that do it best; what is undone: by the best at each step."
        )
    figure.text(0.01, 0.01, note, fontsize=9)
    return figure


def _curves(
    axes: Axes,
    moments: Sequence[Moment],
    curves: Mapping[str, Sequence[float]],
    looks: Sequence[int],
) -> None:
    """Draw the curves over the steps, each in its look; −1: thin, grey, without markers."""
    at = [m.step for m in moments]
    end = max(100, 100 * -(-at[-1] // 100))
    for k, (name, values) in zip(looks, curves.items(), strict=False):
        if k < 0:
            axes.plot(at, values, color="#444444", label=name, lw=1.4)
            continue
        look: dict[str, Any] = {"ls": LINES[k], "color": COLORS[k], "marker": MARKERS[k]}
        axes.plot(at, values, label=name, lw=2, ms=5, markevery=max(1, len(at) // 6), **look)
    axes.set(xlabel="training step", xlim=(-0.02 * end, end), xticks=[0, end // 2, end])
    axes.spines[["top", "right"]].set_visible(False)


def _pattern(axes: Axes, values: Any, outlined: Any, title: str) -> None:
    axes.imshow(values, cmap=WEIGHTS, vmin=0, vmax=1)
    for query, key in zip(*outlined.nonzero(), strict=True):
        axes.add_patch(Rectangle((key - 0.5, query - 0.5), 1, 1, fill=False, ec=COLORS[3], lw=0.9))
    ticks = range(0, len(values), 8)
    axes.set(xlabel="key (attends to)", ylabel="query (attends from)", xticks=ticks, yticks=ticks)
    axes.set_title(title, fontsize=11)
