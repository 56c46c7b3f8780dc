"""Attention patterns, circuits between tokens, and what the residual stream is made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from vsacourse.backend import to_numpy
from vsacourse.figures.cells import ink, similarity_heatmap, tick_names
from vsacourse.figures.checks import Array, names_of, real
from vsacourse.figures.look import COLORS, HATCHES, finish, new_axes, style

__all__ = ["WEIGHTS", "attention_pattern", "contribution_bars", "head_patterns", "token_circuit"]

WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#fbfbf8", "#7fb2d9", "#0b1f66"])
"""The colour map of attention weights: white is 0, dark blue is 1."""

_QUERY, _KEY = "query (attends from)", "key (attends to)"
_LARGEST_WITH_NUMBERS = 10


def attention_pattern(
    pattern: Any,
    tokens: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    title: str | None = None,
) -> Axes:
    """One head's pattern A[query, key]: each row is where a query attends to, and sums to 1.

    Args:
        pattern: weights from 0 to 1, ``(query, key)``; NumPy or torch.
        tokens: a name for each position, written on both axes; the positions when None.
        ax: the axes to draw on; a new figure when None.
        title: the title, if any.

    Raises:
        ValueError: not a square matrix of weights from 0 to 1, or names that do not match.
    """
    values = _weights(pattern, "attention_pattern", 2)
    names = names_of(tokens, len(values), "attention_pattern", "tokens")
    with style():
        size = 2.0 + 0.42 * min(len(values), 14)
        axes = new_axes(ax, (size + 0.9, size))
        _draw_pattern(axes, values, names)
        bar = axes.figure.colorbar(axes.images[-1], ax=axes, fraction=0.05, pad=0.03)
        bar.set_label("attention weight (0 to 1)", fontsize=13)
        bar.ax.tick_params(labelsize=12)
        return finish(axes, _KEY, _QUERY, title)


def head_patterns(
    patterns: Any, tokens: Sequence[Any] | None = None, *, titles: Sequence[Any] | None = None
) -> Figure:
    """The patterns of several heads as small multiples, at most four in a row, on one scale.

    Args:
        patterns: weights from 0 to 1, ``(head, query, key)``; NumPy or torch.
        tokens: a name for each position; the positions when None.
        titles: a title for each head; ``head 0`` … when None.

    Returns:
        The new figure.

    Raises:
        ValueError: not ``(head, query, key)`` with weights from 0 to 1, or names that do not match.
    """
    here = "head_patterns"
    values = _weights(patterns, here, 3)
    heads, n, _ = values.shape
    names = names_of(tokens, n, here, "tokens")
    heads_named = names_of(titles, heads, here, "titles") if titles is not None else None
    columns = min(heads, 4)
    rows = -(-heads // columns)
    with style():
        side = 1.3 + 0.22 * min(n, 12)
        figure, grid = plt.subplots(
            rows, columns, figsize=(0.9 + side * columns, 0.6 + side * rows), squeeze=False
        )
        for place, axes in enumerate(grid.flat):
            if place >= heads:
                axes.set_visible(False)
                continue
            _draw_pattern(axes, values[place], names, numbers=False)
            title = heads_named[place] if heads_named else f"head {place}"
            below = place + columns >= heads  # no other head is drawn under it
            finish(axes, _KEY if below else "", _QUERY if place % columns == 0 else "", title)
        bar = figure.colorbar(grid[0, 0].images[-1], ax=grid, fraction=0.03, pad=0.02)
        bar.set_label("attention weight (0 to 1)", fontsize=13)
    return figure


def token_circuit(
    circuit: Any,
    rows: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    kind: str = "copying",
    title: str | None = None,
) -> Axes:
    """A circuit between tokens as a matrix of colours centred on 0.

    Args:
        circuit: ``(d_vocab, d_vocab)``, from ``matching_circuit`` or ``copying_circuit``.
        rows: a name for each row's token; the token numbers when None.
        columns: a name for each column's token; those of the rows when None.
        ax: the axes to draw on; a new figure when None.
        kind: ``"matching"`` (score of a query token for a key token) or ``"copying"`` (what an
            attended token adds to a token's logit).
        title: the title, if any.

    Raises:
        ValueError: not a real matrix, an unknown kind, or names that do not match.
    """
    words = {
        "matching": ("key token (attended to)", "query token (attends)", "score (no unit)"),
        "copying": ("token predicted", "token attended to", "added to the logit (nat)"),
    }
    if kind not in words:
        raise ValueError(f"token_circuit: kind is {kind!r}; 'matching' or 'copying' is needed.")
    values = real(circuit, "token_circuit", "circuit", ndim=2)
    xlabel, ylabel, quantity = words[kind]
    if columns is None and values.shape[0] == values.shape[1]:
        columns = rows
    return similarity_heatmap(
        values, rows, columns, ax, xlabel=xlabel, ylabel=ylabel, title=title, quantity=quantity,
        limit=float(np.abs(values).max()) or 1.0,
    )  # fmt: skip


def contribution_bars(
    parts: Mapping[str, Any],
    labels: Sequence[Any] | None = None,
    ax: Axes | None = None,
    *,
    xlabel: str = "token",
    ylabel: str = "contribution to the logit (nat)",
    title: str | None = None,
) -> Axes:
    """Stacked bars: a sum of named parts, one bar a place, negative parts below the axis.

    The dot on each bar is the sum of its parts.

    Args:
        parts: name -> contributions ``(n,)``; at most ten parts.
        labels: a name for each of the n bars; their numbers when None.
        ax: the axes to draw on; a new figure when None.
        xlabel: what the bars are.
        ylabel: what is summed, with its unit.
        title: the title, if any.

    Raises:
        ValueError: no or more than ten parts, or parts of different lengths.
    """
    here = "contribution_bars"
    if not 1 <= len(parts) <= 2 * len(COLORS):
        raise ValueError(f"{here}: {len(parts)} parts; give 1 to {2 * len(COLORS)}.")
    values = {name: real(part, here, f"parts[{name!r}]", ndim=1) for name, part in parts.items()}
    lengths = {name: len(part) for name, part in values.items()}
    n = next(iter(lengths.values()))
    odd = next((name for name, length in lengths.items() if length != n), None)
    if odd is not None:
        raise ValueError(f"{here}: parts[{odd!r}] has {lengths[odd]} numbers and the first {n}.")
    names = names_of(labels, n, here, "labels")
    with style():
        axes = new_axes(ax, (2.6 + 0.75 * min(n, 12), 4.2))
        above, below = np.zeros(n), np.zeros(n)
        for i, (name, part) in enumerate(values.items()):
            bottom = np.where(part >= 0, above, below)
            axes.bar(
                range(n), part, bottom=bottom, width=0.7, label=name, edgecolor="white",
                color=COLORS[i % len(COLORS)], hatch=HATCHES[(i + i // len(COLORS)) % len(HATCHES)],
                alpha=1.0 if i < len(COLORS) else 0.55,
            )  # fmt: skip
            above += np.maximum(part, 0)
            below += np.minimum(part, 0)
        axes.plot(range(n), above + below, "D", color="black", mfc="white", label="sum")
        axes.axhline(0, color="#444444", linewidth=0.8)
        axes.set_xticks(range(n), names)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
        return finish(axes, xlabel, ylabel, title)


def _weights(pattern: Any, here: str, ndim: int) -> Array:
    """Return a pattern as floats from 0 to 1, ``(query, key)`` or ``(head, query, key)``."""
    array = to_numpy(pattern)
    if array.ndim != ndim or array.shape[-1] != array.shape[-2]:
        needed = "(query, key)" if ndim == 2 else "(head, query, key)"
        raise ValueError(
            f"{here}: the pattern has shape {array.shape}; {needed} with as many keys as queries "
            "is needed."
        )
    values = real(array.reshape(-1, array.shape[-1]), here, "pattern", ndim=2)
    if values.min() < -1e-6 or values.max() > 1 + 1e-6:
        raise ValueError(
            f"{here}: the weights run from {values.min():.3g} to {values.max():.3g}; weights from "
            "0 to 1 are needed. Take the pattern, not the scores."
        )
    return values.reshape(array.shape)


def _draw_pattern(axes: Axes, values: Array, names: list[str], numbers: bool = True) -> None:
    axes.imshow(values, cmap=WEIGHTS, vmin=0, vmax=1, interpolation="nearest")
    axes.spines[:].set_visible(False)
    if numbers and len(values) <= _LARGEST_WITH_NUMBERS:
        for (i, j), value in np.ndenumerate(values):
            if value >= 0.005:
                text = "1" if value > 0.995 else f"{value:.2f}"[1:]
                color = ink(WEIGHTS(value))
                axes.text(j, i, text, ha="center", va="center", fontsize=11, color=color)
    tick_names(axes, names, names)
