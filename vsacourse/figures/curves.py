"""Histograms and curves, beside what theory predicts."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from vsacourse.backend import to_numpy
from vsacourse.figures.checks import Array, curve_of, like, real
from vsacourse.figures.look import COLORS, HATCHES, LINES, MARKERS, finish, new_axes, style


def histogram_against_theory(
    samples: Any,
    density: Callable[[Array], Any] | Mapping[str, Callable[[Array], Any]] | None = None,
    ax: Axes | None = None,
    *,
    bins: int = 40,
    xlabel: str = "similarity (cosine)",
    ylabel: str = "probability density (1 / unit of x)",
    title: str | None = None,
    theory_label: str = "theory",
) -> Axes:
    """Histograms with area 1, and the density that theory predicts as a line.

    Args:
        samples: numbers of any shape, or a dict label -> numbers (at most five).
        density: maps an array of x to the predicted density, same shape; or a dict
            label -> such a function.
        ax: the axes to draw on; a new figure when None.
        bins: the number of bins, common to all samples.
        xlabel: what was measured, with its unit.
        ylabel: the density's label.
        title: the title, if any.
        theory_label: the legend's name for a single density.

    Raises:
        ValueError: empty or non-finite samples, too many of them, or a density that gives
            another shape or non-finite or negative values.
    """
    here = "histogram_against_theory"
    given = samples if isinstance(samples, Mapping) else {"measured": samples}
    if not 1 <= len(given) <= len(COLORS):
        raise ValueError(f"{here}: {len(given)} sets of samples; give one to {len(COLORS)}.")
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise ValueError(f"{here}: bins is {bins!r}; give a positive whole number.")
    sets = {
        str(label): real(to_numpy(one).ravel(), here, f"samples {label!r}", ndim=1)
        for label, one in given.items()
    }
    edges = _edges(np.concatenate(list(sets.values())), bins, here)
    x = np.linspace(edges[0], edges[-1], 400)
    if density is None:
        theories = {}
    else:
        curves = density if isinstance(density, Mapping) else {theory_label: density}
        theories = {str(label): curve_of(curve, x, here) for label, curve in curves.items()}
        for label, y in theories.items():
            if (y < 0).any():
                raise ValueError(f"{here}: the density {label!r} is negative; a density is not.")
    with style():
        axes = new_axes(ax)
        for k, (label, values) in enumerate(sets.items()):
            axes.hist(values, bins=list(edges), density=True, histtype="stepfilled", label=label,
                      facecolor=(COLORS[k], 0.3), edgecolor=COLORS[k], hatch=HATCHES[k],
                      linewidth=1.4)  # fmt: skip
        for k, (label, y) in enumerate(theories.items()):
            axes.plot(x, y, color="black", linestyle=LINES[(k + 1) % len(LINES)], label=label)
        shown = len(sets) + len(theories)
        if shown > 2:  # room for the legend above the curves
            axes.set_ylim(top=axes.get_ylim()[1] * (1 + 0.1 * shown))
        if shown > 1:
            axes.legend()
        return finish(axes, xlabel, ylabel, title)


def _edges(values: Array, bins: int, here: str) -> Array:
    """Equal bins; a single one around samples that differ by rounding only."""
    low, high = float(values.min()), float(values.max())
    if not np.isfinite(high - low):
        raise ValueError(f"{here}: the samples reach from {low:g} to {high:g}; scale them first.")
    middle = low / 2 + high / 2
    if low < high <= low + 1e-9 * max(abs(low), abs(high)):
        half = 1e-6 * abs(middle)
        return np.array([middle - half, middle + half])
    return np.histogram_bin_edges(values, bins=bins)


def capacity_curve(
    x: Any,
    mean: Any,
    low: Any = None,
    high: Any = None,
    theory: Any = None,
    ax: Axes | None = None,
    *,
    label: str = "measured",
    theory_label: str | None = None,
    xlabel: str = "items stored (count)",
    ylabel: str = "share recalled (0 to 1)",
    title: str | None = None,
) -> Axes:
    """Measured points with their band, and theory as a line; call again to add a curve.

    Args:
        x: the quantity varied, shape ``(n,)``, increasing.
        mean: the measured mean at each x, shape ``(n,)``.
        low: the band's lower edge, shape ``(n,)``; with ``high`` or not at all.
        high: the band's upper edge, shape ``(n,)``.
        theory: the prediction at each x, or a function of x.
        ax: the axes to draw on (a second curve takes the next colour and marker); a new figure
            when None.
        label: the legend's name of the measured curve.
        theory_label: the legend's name of the prediction; "theory" and the label when None.
        xlabel: what was varied, with its unit.
        ylabel: what was measured, with its unit.
        title: the title, if any.

    Raises:
        ValueError: empty, non-finite or mismatched arrays, x not increasing, a band upside down.
    """
    here = "capacity_curve"
    at = real(x, here, "x", ndim=1)
    if (np.diff(at) <= 0).any():
        raise ValueError(f"{here}: x does not increase; sort the measurements by x.")
    middle = like(mean, at, here, "mean")
    if (low is None) != (high is None):
        raise ValueError(f"{here}: a band needs both low and high; give both or neither.")
    if low is not None:
        lower, upper = like(low, at, here, "low"), like(high, at, here, "high")
        if (lower > upper).any():
            k = int(np.argmax(lower > upper))
            raise ValueError(
                f"{here}: low = {lower[k]:g} is above high = {upper[k]:g} at x = {at[k]:g}; "
                "swap them."
            )
    if theory is not None:
        smooth = np.linspace(at[0], at[-1], 200) if callable(theory) else at
        predicted = curve_of(theory, smooth, here) if callable(theory) else like(
            theory, at, here, "theory")  # fmt: skip
    with style():
        axes = new_axes(ax)
        k = sum(line.get_gid() == "vsa-measured" for line in axes.lines) % len(COLORS)
        if low is not None:
            axes.fill_between(at, lower, upper, facecolor=(COLORS[k], 0.2), edgecolor=COLORS[k],
                              linewidth=0.6, hatch=HATCHES[k])  # fmt: skip
        # With a prediction the line is theory and the markers are measured: they may coincide.
        axes.plot(at, middle, color=COLORS[k], marker=MARKERS[k], label=label, gid="vsa-measured",
                  linestyle="none" if theory is not None else LINES[k])  # fmt: skip
        if theory is not None:
            name = theory_label or ("theory" if label == "measured" else f"theory, {label}")
            axes.plot(smooth, predicted, color=COLORS[k], linestyle=LINES[k], label=name)
        axes.legend()
        if (at == np.round(at)).all():
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        return finish(axes, xlabel, ylabel, title)
