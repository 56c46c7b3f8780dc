"""Matrices and vectors as coloured cells."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from vsacourse.backend import to_numpy
from vsacourse.figures.checks import Array, names_of, real
from vsacourse.figures.look import DIVERGING, finish, new_axes, style

_LARGEST_WITH_NUMBERS = 12
_LARGEST_WITH_NAMES = 24
_LARGEST_WITH_HATCH = 40


def similarity_heatmap(
    matrix: Any,
    rows: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    xlabel: str = "compared with",
    ylabel: str = "vector",
    title: str | None = None,
    quantity: str = "similarity (cosine)",
    limit: float | None = None,
) -> Axes:
    """A matrix of similarities as colours centred on 0, with its numbers up to 12 x 12.

    Args:
        matrix: real, shape ``(n, m)``; NumPy or torch.
        rows: n names, top to bottom; the row numbers when None.
        columns: m names; the column numbers when None.
        ax: the axes to draw on; a new figure when None.
        xlabel: what the columns are.
        ylabel: what the rows are.
        title: the title, if any.
        quantity: what the colour bar measures, with its unit.
        limit: the colours run from -limit to limit; 1, or the largest absolute value if above 1,
            when None.

    Raises:
        ValueError: not a real, finite, non-empty matrix; names that do not match its shape.
    """
    here = "similarity_heatmap"
    values = real(matrix, here, "matrix", ndim=2)
    names = names_of(rows, values.shape[0], here, "rows")
    heads = names_of(columns, values.shape[1], here, "columns")
    span = max(1.0, float(np.abs(values).max())) if limit is None else float(limit)
    if not (np.isfinite(span) and span > 0):
        raise ValueError(f"{here}: limit is {limit!r}; give a positive number.")
    numbers = max(values.shape) <= _LARGEST_WITH_NUMBERS
    with style():
        n, m = (min(count, 12) for count in values.shape)
        axes = new_axes(ax, (3.4 + 0.5 * m, 2.2 + 0.42 * n))
        _cells(axes, values, span, numbers)
        tick_names(axes, heads, names)
        bar = axes.figure.colorbar(axes.images[-1], ax=axes, fraction=0.05, pad=0.03)
        bar.set_label(quantity, fontsize=13)
        bar.ax.tick_params(labelsize=12)
        return finish(axes, xlabel, ylabel, title)


def vector_strip(
    vectors: Any,
    labels: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    xlabel: str = "component (index)",
    ylabel: str = "",
    title: str | None = None,
    limit: float | None = None,
) -> Axes:
    """Small vectors as strips of coloured cells, one a row, each cell with its number.

    Args:
        vectors: real or 0/1, shape ``(n, d)`` or ``(d,)``, d at most 64; numbers are written up
            to d = 16.
        labels: n names, top to bottom; the row numbers when None.
        ax: the axes to draw on; a new figure when None.
        xlabel: what the components are.
        ylabel: what the rows are.
        title: the title, if any.
        limit: the colours run from -limit to limit; the largest absolute value when None.

    Raises:
        ValueError: not real and finite, empty, d above 64, or labels that do not match.
    """
    here = "vector_strip"
    array = to_numpy(vectors)
    values = real(array[None] if array.ndim == 1 else array, here, "vectors", ndim=2)
    n, d = values.shape
    if d > 64 or n > 24:
        raise ValueError(
            f"{here}: {n} vectors of {d} components are too many cells to read; "
            "give at most 24 vectors and 64 components, for example vectors[:8, :16]."
        )
    names = names_of(labels, n, here, "labels")
    span = float(limit) if limit is not None else float(np.abs(values).max()) or 1.0
    if not (np.isfinite(span) and span > 0):
        raise ValueError(f"{here}: limit is {limit!r}; give a positive number.")
    with style():
        width = min(10.0, 2.0 + 0.55 * d)
        axes = new_axes(ax, (width, 1.3 + 0.5 * n + (0.4 if title else 0.0)))
        _cells(axes, values, span, numbers=d <= 16)
        tick_names(axes, [str(i) for i in range(d)], names)
        for edge in np.arange(0.5, n - 1):
            axes.axhline(edge, color="white", linewidth=4)
        return finish(axes, xlabel, ylabel, title)


def _cells(axes: Axes, values: Array, span: float, numbers: bool) -> None:
    norm = Normalize(-span, span)
    axes.imshow(values, cmap=DIVERGING, norm=norm, aspect="auto", interpolation="nearest")
    axes.spines[:].set_visible(False)
    if numbers:
        whole = bool(np.all(values == np.round(values)))
        size = 13 if values.shape[1] <= 8 else 11
        for (i, j), value in np.ndenumerate(values):
            axes.text(j, i, _number(value, whole), ha="center", va="center", fontsize=size,
                      color=ink(DIVERGING(norm(value))))  # fmt: skip
    elif max(values.shape) <= _LARGEST_WITH_HATCH:
        for i, j in np.argwhere(values < -span / 4):
            axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, linewidth=0,
                                     edgecolor="black", hatch="////"))  # fmt: skip


def _number(value: float, whole: bool) -> str:
    """Two decimals without a leading zero (-.25), or a whole number; never a minus zero."""
    text = f"{abs(value):.0f}" if whole else f"{abs(value):.2f}"
    if not text.strip("0."):
        return "0"
    text = text[1:] if text.startswith("0.") else text
    return "\N{MINUS SIGN}" + text if value < 0 else text


def ink(color: Sequence[float]) -> str:
    """Black or white, whichever stands out more on this colour (WCAG contrast)."""
    rgb = np.asarray(color[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "black" if luminance > 0.179 else "white"


def tick_names(axes: Axes, columns: list[str], rows: list[str]) -> None:
    """Write names on both axes, a few of them when there are many."""
    for axis, names in ((axes.xaxis, columns), (axes.yaxis, rows)):
        step = 1 if len(names) <= _LARGEST_WITH_NAMES else -(-len(names) // 8)
        axis.set_ticks(range(0, len(names), step), names[::step])
        axis.set_tick_params(length=0)
    if max(map(len, columns)) > 4 and len(columns) > 4:
        plt.setp(axes.get_xticklabels(), rotation=45, ha="right", rotation_mode="anchor")
