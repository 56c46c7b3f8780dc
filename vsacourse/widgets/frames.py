"""One call of the learner's function becomes one small picture."""

import base64
import html
import io
from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from PIL import Image

from vsacourse.widgets.choices import state

_PALETTE = 128  # colours of a frame: text and lines stay sharp, a frame takes 10 to 20 kB


def draw(func: Callable[..., Any], values: Mapping[str, Any], dpi: float) -> bytes:
    """The frame at these values as a small PNG; every figure that ``func`` opened is closed."""
    # Figures, not their numbers: func may close them all, and numbers are given out again.
    current = plt.gcf() if plt.get_fignums() else None
    before = _open_figures()
    show = plt.show
    with plt.ioff():
        # A blank figure of our own: a func that only says plt.plot draws on it, and not on one
        # of the caller's that happens to be open.
        blank = plt.figure()
        plt.show = lambda *_args, **_kwargs: None
        try:
            figure = _figure_of(func(**values))
            opened = [f for f in _open_figures() if f not in before and f is not blank]
            if figure is None:
                figure = opened[-1] if opened else blank
            if len(figure.get_children()) < 2:  # nothing but its background
                raise ValueError(
                    f"explore: the function drew nothing at {state(values)}; let it draw on a "
                    "new matplotlib figure (plt.subplots()) and leave that open."
                )
            return as_png(figure, dpi)
        finally:
            plt.show = show
            for figure in _open_figures():
                if figure not in before:
                    plt.close(figure)
            if current in _open_figures():
                plt.figure(current)


def _open_figures() -> list[Figure]:
    """Every figure that is open; the last of them becomes the current one."""
    return [plt.figure(number) for number in plt.get_fignums()]


def as_png(figure: Figure, dpi: float, palette: Image.Image | None = None) -> bytes:
    """The figure as a small PNG on white; its colours are those of the palette, if there is one.

    Without one every frame gets the 128 colours that suit it best.
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, facecolor="white")
    picture = Image.open(buffer).convert("RGB")
    kind = Image.Dither.NONE
    few = (
        picture.quantize(_PALETTE, dither=kind)
        if palette is None
        else picture.quantize(palette=palette, dither=kind)
    )
    out = io.BytesIO()
    few.save(out, format="png", optimize=True)
    return out.getvalue()


def _figure_of(result: Any) -> Figure | None:
    """The figure that a function returned: itself, its axes, or a tuple or array of those."""
    if isinstance(result, np.ndarray):
        result = result.ravel().tolist()
    if isinstance(result, (tuple, list)):
        return next((f for f in map(_figure_of, result) if f is not None), None)
    if isinstance(result, Axes):
        result = result.figure
        while isinstance(result, SubFigure):
            result = result.figure
    return result if isinstance(result, Figure) else None


def picture(png: bytes, alt: str) -> str:
    """The frame as an HTML image with its alt text and its size."""
    width, height = Image.open(io.BytesIO(png)).size
    return (
        f'<img alt="{html.escape(alt)}" width="{width}" height="{height}" '
        'style="display:block;max-width:100%;height:auto;background:#fff;border-radius:4px" '
        f'src="data:image/png;base64,{base64.b64encode(png).decode()}">'
    )
