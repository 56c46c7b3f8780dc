"""Sliders and buttons that are live with a kernel and work as a plain static page without one."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ipywidgets

from vsacourse.widgets.choices import check_call, check_choices, check_start, is_texts, label, state
from vsacourse.widgets.frames import draw, picture
from vsacourse.widgets.page import build_page, bundle
from vsacourse.widgets.status import status

__all__ = ["MAX_PAGE_BYTES", "Explore", "explore"]

MAX_PAGE_BYTES = 1_200_000
"""The largest share of a page that one ``explore`` may take, in bytes."""


class Explore:
    """What ``explore`` returns; Jupyter and the book display it.

    Attributes:
        names: the names of the parameters, in the order given.
        choices: parameter -> list of its values.
        values: parameter -> the value shown now (live).
        sliders: parameter -> ``ipywidgets.SelectionSlider``, or ``ToggleButtons`` where its choices
            are texts.
        png: the frame shown now, as PNG bytes.
        image: the ``ipywidgets.HTML`` that shows it, with its alt text.
        message: the ``ipywidgets.HTML`` line below it (caption, or what went wrong).
        box: the ``ipywidgets.VBox`` of all of them.
        html: the static page's share: frames, plain range inputs and their script.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        alt: str | Callable[..., str],
        start: Any,
        dpi: float,
        choices: Mapping[str, Iterable[Any]],
    ) -> None:
        self.choices = check_choices(choices)
        self.names = list(self.choices)
        check_call(func, self.names)
        if isinstance(dpi, bool) or not isinstance(dpi, (int, float)) or not 20 <= dpi <= 300:
            raise ValueError(f"explore: dpi is {dpi!r}; give a number from 20 to 300.")
        self._func, self._alt, self._dpi = func, alt, float(dpi)
        self.values = check_start(start, self.choices)
        frames, texts = self._draw_all()
        self.html = build_page(self.choices, self.values, frames, texts)
        _check_size(len(self.html), len(frames), len(frames))
        self._build_live()

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name} from {label(values[0])} to {label(values[-1])}, {len(values)} choices"
            for name, values in self.choices.items()
        )
        return f"Explore({inside})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return bundle(self.box, repr(self), self.html)

    def _text(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """The alt text and the caption at these values."""
        now = state(values)
        if not callable(self._alt):
            if not isinstance(self._alt, str) or not self._alt.strip():
                raise ValueError(
                    "explore: alt is empty; say in a sentence what the figure shows "
                    "(a text, or a function of the values that returns one)."
                )
            return f"{self._alt.strip()} ({now})", now
        alt = self._alt(**values)
        if not isinstance(alt, str) or not alt.strip():
            raise ValueError(
                f"explore: alt gave {alt!r} at {now}; it must return a text that says "
                "what the figure shows."
            )
        return alt.strip(), f"{now}: {alt.strip()}"

    def _draw_all(self) -> tuple[list[bytes], list[tuple[str, str]]]:
        """Every frame, and its alt text and caption; the last parameter fastest."""
        grid = [
            dict(zip(self.names, values, strict=True))
            for values in itertools.product(*self.choices.values())
        ]
        frames: list[bytes] = []
        texts: list[tuple[str, str]] = []
        used = 0
        for values in grid:
            texts.append(self._text(values))
            try:
                frames.append(draw(self._func, values, self._dpi))
            except Exception as error:
                error.add_note(f"explore was drawing the frame at {state(values)}.")
                raise
            if values == self.values:
                self.png = frames[-1]
            used += 4 * len(frames[-1]) // 3
            _check_size(used, len(frames), len(grid))
        return frames, texts

    def _build_live(self) -> None:
        alt, caption = self._text(self.values)
        self.sliders = {
            name: _control(name, values, self.values[name]) for name, values in self.choices.items()
        }
        # Not ipywidgets.Image: it has no alt text, and with a tooltip its view fails (8.1).
        self.image = ipywidgets.HTML(picture(self.png, alt))
        self.message = ipywidgets.HTML(status(caption))
        self.box = ipywidgets.VBox(
            [*self.sliders.values(), self.image, self.message],
            layout=ipywidgets.Layout(align_items="flex-start"),
        )
        for slider in self.sliders.values():
            slider.observe(self._changed, names="value")

    def _changed(self, _change: Any) -> None:
        values = {name: slider.value for name, slider in self.sliders.items()}
        try:
            alt, caption = self._text(values)
            frame = draw(self._func, values, self._dpi)
        except Exception as error:
            # An exception in a widget's callback would reach nobody: it is said in the widget.
            reason = str(error).splitlines()[0] if str(error) else "no message"
            self.message.value = status(
                f"The figure still shows {state(self.values)}. "
                f"At {state(values)}: {type(error).__name__}: {reason}"
            )
            return
        self.values = values
        self.png, self.image.value = frame, picture(frame, alt)
        self.message.value = status(caption)


def explore(
    func: Callable[..., Any],
    *,
    alt: str | Callable[..., str],
    start: Any = None,
    dpi: float = 72,
    **choices: Iterable[Any],
) -> Explore:
    """A figure with one or two sliders: ``explore(draw, alt="...", d=[64, 256, 1024])``.

    Choices that are texts get a button each, as in ``head=["0.0", "0.1", "1.0"]``.

    With a kernel the sliders call ``func`` anew. In a page without one, every frame was drawn
    beforehand and plain range inputs change the picture: no kernel, no network, no outside script.

    Args:
        func: called as ``func(d=64)``; draws on a new matplotlib figure. It may return the
            figure or its axes; it need not. Its figures are closed.
        alt: what the figure shows, for readers who don't see it: a text, or a function of the
            values that returns one, called as ``alt(d=64)``.
        start: the value shown first (one parameter), or a dict parameter -> value; a parameter
            that is not given starts at its first choice.
        dpi: pixels per inch of the frames.
        **choices: one or two parameters with the values they can take, in the sliders' order.

    Returns:
        An ``Explore``, which Jupyter displays.

    Raises:
        ValueError: no, empty, repeated or more than two parameters' choices; ``start`` not among
            them; empty ``alt``; ``func`` draws nothing; the frames take more than 1.2 MB.
        TypeError: ``func`` does not take these parameters, or a choice is not a plain value.

    Example:
        >>> import matplotlib.pyplot as plt
        >>> def draw(d):
        ...     plt.plot([0, d])
        >>> explore(draw, alt="A line from 0 to d.", d=[64, 256])
        Explore(d from 64 to 256, 2 choices)
    """
    return Explore(func, alt, start, dpi, choices)


def _control(name: str, values: list[Any], value: Any) -> Any:
    """The live slider of a parameter, or its buttons."""
    options = [(label(choice), choice) for choice in values]
    if not is_texts(values):
        tip = f"{name}, {len(values)} choices: arrow keys change it"
        return ipywidgets.SelectionSlider(
            options=options, value=value, description=name, tooltip=tip
        )
    buttons = ipywidgets.ToggleButtons(options=options, value=value, description=name)
    buttons.style.button_width = "auto"
    return buttons


def _check_size(used: int, done: int, total: int) -> None:
    if used <= MAX_PAGE_BYTES:
        return
    fit = max(1, done * MAX_PAGE_BYTES // used)
    raise ValueError(
        f"explore: {done} of {total} frames already take {used / 1e6:.2f} MB of the page; at most "
        f"{MAX_PAGE_BYTES / 1e6:.1f} MB fit. Give fewer choices (about {fit} frames of this size "
        "fit), a smaller figure or a smaller dpi."
    )
