"""Watch an induction head form: training that is seen while it runs, and its record without one."""

import html
import threading
from typing import Any

import ipywidgets
import numpy as np

from vsacourse.figures.forming import Moment
from vsacourse.training import Recipe, Run, train
from vsacourse.widgets.frames import picture
from vsacourse.widgets.moments import DRAWN, FIXED, drawn, measured, recipe_for
from vsacourse.widgets.page import build_page, bundle
from vsacourse.widgets.status import status

__all__ = ["WatchInduction", "watch_induction"]


class WatchInduction:
    """What ``watch_induction`` returns; Jupyter and the book display it.

    With a kernel: controls and a picture that moves while training runs in a thread. Without one:
    the recorded pictures of one run, and a slider over its steps. The patterns are those of one
    text of period 9; where the two heads of an induction head would look is outlined.

    Attributes:
        controls: name -> ``ipywidgets`` control: layers, heads, period, seed, start, stop.
        image: the ``ipywidgets.HTML`` with the picture.
        message: the ``ipywidgets.HTML`` line above it.
        box: all of them.
        html: the static page's share.
        moments: what was measured in the present run, or the last.
        run: the last run that ended, or None.
    """

    def __init__(self, seed: int, pictures: int) -> None:
        self.run: Run | None = None
        self.moments: list[Moment] = []
        self._note = ""  # said with every picture, once other settings have been chosen
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.html = self._record(seed, pictures)
        self._build_live(seed)

    def __repr__(self) -> str:
        last = str(self.moments[-1]) if self.moments else "nothing measured yet"
        return f"WatchInduction({last})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return bundle(self.box, repr(self), self.html)

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start a run with what the controls say; a run in progress is stopped first."""
        self.stop()
        self.wait()
        self._stop = threading.Event()
        self._note = ""
        self.message.value = status("It begins.")
        self.controls["stop"].disabled = False
        recipe = recipe_for(
            int(self.controls["layers"].value),
            int(self.controls["heads"].value),
            self.controls["period"].value,
        )
        arguments = (recipe, int(self.controls["seed"].value), self._stop)
        self._thread = threading.Thread(target=self._train, args=arguments, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the run in progress after its present step."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> None:
        """Return when no run is in progress, or after so many seconds."""
        if self._thread is not None:
            self._thread.join(timeout)

    def _train(self, recipe: Recipe, seed: int, stop: threading.Event) -> None:
        moments: list[Moment] = []
        self.moments = moments

        def show(moment: Moment) -> None:
            moments.append(moment)
            self._show(moments, recipe, seed)

        try:
            self.run = train(recipe, seed, progress=False, watch=measured(recipe, show), stop=stop)
            self.message.value = status(f"{_ending(self.run, moments[-1])}{self._note}")
        except Exception as error:  # in a thread nobody else would hear of it
            reason = str(error).splitlines()[0] if str(error) else "no message"
            self.message.value = status(f"It ended with {type(error).__name__}: {reason}")
        finally:
            self.controls["stop"].disabled = True

    def _show(self, moments: list[Moment], recipe: Recipe, seed: int) -> None:
        png = drawn(moments, recipe, seed)
        self.image.value = picture(png, _alt(moments[-1]))
        # No live region while it runs: it would be read out at every picture.
        lines = [*moments[-1].lines, *([self._note] if self._note else [])]
        self.message.value = f"<span>{'<br>'.join(map(html.escape, lines))}</span>"

    def _changed(self, _change: Any) -> None:
        self._note = f" {_OTHER_SETTINGS}"
        if not self.running:
            self.message.value = status(_OTHER_SETTINGS)

    def _record(self, seed: int, pictures: int) -> str:
        """One run with two layers, one head, drawn periods; its pictures for the static page."""
        recipe = recipe_for(2, 1, DRAWN)
        moments: list[Moment] = []
        self.run = train(recipe, seed, progress=False, watch=measured(recipe, moments.append))
        self.moments = moments
        kept = sorted({round(i) for i in np.linspace(0, len(moments) - 1, pictures)})
        frames = [drawn(moments[: i + 1], recipe, seed) for i in kept]
        # The first is shown: what comes is asked before it is seen.
        self._png, self._first = frames[0], moments[0]
        texts = [(_alt(moments[i]), str(moments[i])) for i in kept]
        end = f"{moments[-1]}. {_found(self.run, moments[-1])}"
        texts[-1] = texts[-1][0], end.removesuffix(". ")
        steps = [moments[i].step for i in kept]
        return build_page({"step": steps}, {"step": steps[0]}, frames, texts)

    def _build_live(self, seed: int) -> None:
        def buttons(name: str, options: list[str], value: str) -> Any:
            made = ipywidgets.ToggleButtons(options=options, value=value, description=name)
            made.style.button_width = "auto"
            return made

        self.controls: dict[str, Any] = {
            "layers": buttons("layers", ["1", "2"], "2"),
            "heads": buttons("heads", ["1", "2"], "1"),
            "period": buttons("period", [DRAWN, FIXED], DRAWN),
            "seed": ipywidgets.BoundedIntText(
                value=seed,
                min=0,
                max=max(10**6, seed),  # the seed of the recorded run, whatever it is
                description="seed",
                tooltip="another seed, another run",
            ),
            "start": ipywidgets.Button(description="Start", button_style="primary"),
            "stop": ipywidgets.Button(description="Stop", disabled=True),
        }
        for name in ("layers", "heads", "period", "seed"):
            self.controls[name].observe(self._changed, names="value")
        self.controls["start"].on_click(lambda _button: self.start())
        self.controls["stop"].on_click(lambda _button: self.stop())
        # Not ipywidgets.Image: it has no alt text.
        self.image = ipywidgets.HTML(picture(self._png, _alt(self._first)))
        self.message = ipywidgets.HTML(status(f"Before training. {self._first}"))
        rows = [
            ipywidgets.HBox(
                [self.controls[name] for name in names],
                layout=ipywidgets.Layout(flex_flow="row wrap", grid_gap="0 2em"),
            )
            for names in (("layers", "heads"), ("period", "seed"), ("start", "stop"))
        ]
        self.box = ipywidgets.VBox(
            [*rows, self.message, self.image],
            layout=ipywidgets.Layout(align_items="flex-start"),
        )


_OTHER_SETTINGS = "Other settings than those of the picture are chosen: press Start to train them."


def watch_induction(seed: int = 0, pictures: int = 14) -> WatchInduction:
    """Train a small transformer on repeated sequences, and watch the two heads form.

    It trains once when it is called (two layers, one head, some seconds) and keeps ``pictures`` of
    that run for pages without a kernel. With one, *Start* trains again in a thread with the layers,
    heads, period rule and seed that are chosen; *Stop* ends it.

    Args:
        seed: of weights and data.
        pictures: how many steps of the recorded run the static page shows, at least 2.

    Raises:
        ModuleNotFoundError: torch is not installed.
        ValueError: fewer than 2 pictures, or a negative seed.
    """
    if isinstance(pictures, bool) or not isinstance(pictures, int) or pictures < 2:
        raise ValueError(f"watch_induction: pictures is {pictures!r}; at least 2 are needed.")
    return WatchInduction(seed, pictures)


def _ending(run: Run, last: Moment) -> str:
    """What to say when a run has ended."""
    if run.stopped:
        return f"Stopped. {last}"
    advice = run.advice.replace("give n_layers=2", "choose 2 layers")
    words = f"Ended, {run.seconds:.0f} s. {last}. By elimination alone {run.report.baseline:.2f}."
    if last.accuracy > 0.9 and last.elsewhere < 0.5:
        advice = "At period 9 it fails: it has learned a place, not a match."
    return f"{words} {advice or _found(run, last)}".strip()


def _found(run: Run, last: Moment) -> str:
    """What the two heads do, where the measures say so."""
    back, match, undone = last.previous_head, last.matching_head, last.composed or 0.0
    looks = last.previous[back] > 0.2 and last.matching[match] > 0.6
    if not run.solved or not looks or min(last.elsewhere, undone) < 0.9 or last.cut > 0.5:
        return ""
    turned = last.itself < 0.5
    words = [
        f"Head {back} looks one place back where it pays, and writes the token that it sees, "
        + ("turned: it binds." if turned else "times a factor."),
        f"The match of head {match} undoes {'this' if turned else 'the factor'} for {undone:.0%} "
        f"of the tokens{': it unbinds' * turned}. It looks one place after the match, and the "
        "token there is the answer.",
    ]
    if run.recipe.config.n_heads > 1:
        words.append("(Other heads may share the work.)")
    return " ".join(words)


def _alt(moment: Moment) -> str:
    return (
        f"Curves of loss, accuracies and three measures up to step {moment.step}, and two patterns "
        f"on a text of period 9 with the expected cells outlined. {moment}."
    )
