"""Watch an induction head form: training that is seen while it runs, and its record without one."""

import html
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ipywidgets
import numpy as np

from vsacourse.backend import to_numpy
from vsacourse.figures.forming import Moment, forming
from vsacourse.metrics import (
    ablate,
    accuracy,
    composed_match,
    induction_targets,
    prefix_matching,
    previous_token,
)
from vsacourse.tasks import Batch, Induction
from vsacourse.training import Recipe, Run, recipes, train
from vsacourse.transformer import Transformer
from vsacourse.widgets.frames import as_png, picture
from vsacourse.widgets.page import build_page
from vsacourse.widgets.status import status

__all__ = ["WatchInduction", "watch_induction"]

_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_DRAWN, _FIXED = "drawn for each text", "always 12"
_OTHER = 9  # the period of the text that is shown, and at which every model is tried
_EVERY = 10  # steps between two pictures
_DPI = 68.0


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
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.html = self._record(seed, pictures)
        self._build_live(seed)

    def __repr__(self) -> str:
        last = str(self.moments[-1]) if self.moments else "nothing measured yet"
        return f"WatchInduction({last})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        live = self.box._repr_mimebundle_()
        live = live[0] if isinstance(live, tuple) else live
        bundle = {"text/plain": repr(self), "text/html": self.html}
        if _WIDGET_VIEW in live:
            bundle[_WIDGET_VIEW] = live[_WIDGET_VIEW]
        return bundle

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start a run with what the controls say; a run in progress is stopped first."""
        self.stop()
        self.wait()
        self._stop = threading.Event()
        self.controls["stop"].disabled = False
        recipe = _recipe(
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
            self._show(moments, recipe)

        try:
            self.run = train(recipe, seed, progress=False, watch=_measured(recipe, show), stop=stop)
            self.message.value = status(_ending(self.run, moments[-1]))
        except Exception as error:  # in a thread nobody else would hear of it
            reason = str(error).splitlines()[0] if str(error) else "no message"
            self.message.value = status(f"It ended with {type(error).__name__}: {reason}")
        finally:
            self.controls["stop"].disabled = True

    def _show(self, moments: list[Moment], recipe: Recipe) -> None:
        png = _drawn(moments, recipe, recipe.steps)
        self.image.value = picture(png, _alt(moments[-1]))
        # No live region while it runs: it would be read out at every picture.
        self.message.value = f"<span>{html.escape(str(moments[-1]))}</span>"

    def _record(self, seed: int, pictures: int) -> str:
        """One run with two layers, one head, drawn periods; its pictures for the static page."""
        recipe = _recipe(2, 1, _DRAWN)
        moments: list[Moment] = []
        self.run = train(recipe, seed, progress=False, watch=_measured(recipe, moments.append))
        self.moments = moments
        kept = sorted({round(i) for i in np.linspace(0, len(moments) - 1, pictures)})
        last = moments[-1].step
        frames = [_drawn(moments[: i + 1], recipe, last) for i in kept]
        self._png, self._first = frames[-1], moments[-1]
        texts = [(_alt(moments[i]), str(moments[i])) for i in kept]
        steps = [moments[i].step for i in kept]
        return build_page({"step": steps}, {"step": steps[-1]}, frames, texts)

    def _build_live(self, seed: int) -> None:
        def buttons(name: str, options: list[str], value: str) -> Any:
            made = ipywidgets.ToggleButtons(options=options, value=value, description=name)
            made.style.button_width = "auto"
            return made

        self.controls: dict[str, Any] = {
            "layers": buttons("layers", ["1", "2"], "2"),
            "heads": buttons("heads", ["1", "2"], "1"),
            "period": buttons("period", [_DRAWN, _FIXED], _DRAWN),
            "seed": ipywidgets.BoundedIntText(
                value=seed,
                min=0,
                max=10**6,
                description="seed",
                tooltip="another seed, another run",
            ),
            "start": ipywidgets.Button(description="Start", button_style="primary"),
            "stop": ipywidgets.Button(description="Stop", disabled=True),
        }
        self.controls["start"].on_click(lambda _button: self.start())
        self.controls["stop"].on_click(lambda _button: self.stop())
        # Not ipywidgets.Image: it has no alt text.
        self.image = ipywidgets.HTML(picture(self._png, _alt(self._first)))
        self.message = ipywidgets.HTML(status(f"Recorded. {self._first}"))
        rows = [
            ipywidgets.HBox([self.controls[name] for name in names])
            for names in (("layers", "heads"), ("period", "seed"), ("start", "stop"))
        ]
        self.box = ipywidgets.VBox(
            [*rows, self.message, self.image],
            layout=ipywidgets.Layout(align_items="flex-start"),
        )


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


def _recipe(layers: int, heads: int, period: str) -> Recipe:
    task = Induction().with_periods(12) if period == _FIXED else Induction()
    return replace(recipes.induction(task, n_layers=layers, n_heads=heads), check_every=_EVERY)


def _drawn(moments: list[Moment], recipe: Recipe, steps: int) -> bytes:
    """The picture of the last of the moments."""
    text = _shown(recipe)
    before = np.eye(len(text), k=-1, dtype=bool)
    after = induction_targets(text)
    figure = forming(moments, steps, moments[0].loss, recipe.task.baseline(), before, after)
    return as_png(figure, _DPI)


def _shown(recipe: Recipe) -> Any:
    """The text whose patterns are shown."""
    return _elsewhere(recipe, 1).tokens[0]


def _elsewhere(recipe: Recipe, n: int) -> Batch:
    """Texts of another period than 12, and one of those that are drawn."""
    task = recipe.task
    assert isinstance(task, Induction)
    return task.with_periods(_OTHER).sample(n, np.random.default_rng(1))


def _measured(recipe: Recipe, show: Callable[[Moment], None]) -> Callable[..., None]:
    """Return a watcher of ``train`` that measures the heads and passes the moment on."""
    rng = np.random.default_rng(0)
    texts = recipe.task.sample(32, rng)
    ordinary = rng.integers(recipe.task.d_vocab, size=texts.tokens.shape)  # no period
    elsewhere, shown = _elsewhere(recipe, 32), _shown(recipe)

    def right(logits: Any, batch: Batch) -> float:
        return float(accuracy(logits, batch.targets, batch.counted))

    def watcher(step: int, snapshot: Callable[[], Transformer], history: Any) -> None:
        model = snapshot()
        matching = _by_head(model, texts.tokens, lambda A: prefix_matching(A, texts.tokens))
        previous = _by_head(model, ordinary, previous_token)
        if model.config.n_layers > 1:  # the first layer cannot match, nor need the last look back
            matching = {head: x for head, x in matching.items() if head[0] != "0"}
            previous = {head: x for head, x in previous.items() if head[0] == "0"}
        first = [(0, head) for head in range(model.config.n_heads)]
        cut = ablate(model, texts.tokens, first, "zero").logits
        trace = model.trace(shown, keep="blocks.*.attn.pattern")
        patterns = {
            f"{layer}.{head}": pattern
            for layer in range(model.config.n_layers)
            for head, pattern in enumerate(to_numpy(trace[f"blocks.{layer}.attn.pattern"]))
        }
        show(
            Moment(
                step=step,
                loss=float(history.loss[-1]),
                accuracy=float(history.accuracy[-1]),
                elsewhere=right(model(elsewhere.tokens), elsewhere),
                cut=right(cut, texts),
                composed=_composed(model, matching, previous),
                matching=matching,
                previous=previous,
                patterns=patterns,
            )
        )

    return watcher


def _composed(
    model: Transformer, matching: dict[str, float], previous: dict[str, float]
) -> float | None:
    """Return the composed match of the head that looks back and the one that matches, now."""
    if model.config.n_layers < 2:
        return None
    second, first = (max(scores, key=scores.__getitem__) for scores in (matching, previous))
    pair = [(int(layer), int(head)) for layer, head in (x.split(".") for x in (first, second))]
    return float(composed_match(model, *pair)["accuracy"])


def _by_head(model: Transformer, tokens: Any, score: Callable[[Any], Any]) -> dict[str, float]:
    """Return the score of every head's pattern on these tokens: ``"layer.head"`` -> number."""
    trace = model.trace(tokens, keep="blocks.*.attn.pattern")
    return {
        f"{layer}.{head}": float(value)
        for layer in range(model.config.n_layers)
        for head, value in enumerate(score(trace[f"blocks.{layer}.attn.pattern"]))
    }


def _ending(run: Run, last: Moment) -> str:
    """What to say when a run has ended."""
    if run.stopped:
        return f"Stopped. {last}"
    advice = run.advice.replace("give n_layers=2", "choose 2 layers")
    words = f"Ended, {run.seconds:.0f} s. {last}. By elimination alone {run.report.baseline:.2f}."
    return f"{words} {advice}".strip()


def _alt(moment: Moment) -> str:
    return (
        f"Curves of loss, accuracies and two measures up to step {moment.step}, and two patterns "
        f"on a text of period 9 with the expected cells outlined. {moment}."
    )
