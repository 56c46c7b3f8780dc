"""What the view of a forming induction head trains, measures at every step, and draws."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from PIL import Image

from vsacourse.backend import to_numpy
from vsacourse.figures.attention import WEIGHTS
from vsacourse.figures.forming import Moment, forming
from vsacourse.figures.look import COLORS
from vsacourse.metrics import (
    ablate,
    accuracy,
    additive_tag,
    composed_match,
    induction_targets,
    prefix_matching,
    previous_token,
)
from vsacourse.tasks import Batch, Induction
from vsacourse.training import Recipe, recipes
from vsacourse.transformer import Transformer
from vsacourse.transformer.circuits import ov_circuit
from vsacourse.widgets.frames import as_png

__all__ = ["DRAWN", "FIXED", "drawn", "measured", "recipe_for"]

DRAWN, FIXED = "drawn for each text", "always 12"
"""The two rules for the period."""

_OTHER = 9  # the period of the text that is shown, and at which every model is tried
_EVERY = 10  # steps between two pictures
_DPI = 86.0


def recipe_for(layers: int, heads: int, period: str) -> Recipe:
    """Return what to train: a small model on repeated texts, checked often."""
    task = Induction().with_periods(12) if period == FIXED else Induction()
    return replace(recipes.induction(task, n_layers=layers, n_heads=heads), check_every=_EVERY)


@cache
def _palette() -> Image.Image:
    """The colours of every frame, so that none changes between two: lines, outlines, weights."""
    lines = [to_rgb(color) for color in (*COLORS, "black", "#444444")]
    shades = [[1 - a * (1 - c) for c in line] for line in lines for a in np.linspace(0, 1, 15)]
    weights = [list(WEIGHTS(x)[:3]) for x in np.linspace(0, 1, 256 - len(shades))]
    image = Image.new("P", (1, 1))
    image.putpalette([round(255 * c) for color in (*shades, *weights) for c in color])
    return image


def drawn(moments: list[Moment], recipe: Recipe, seed: int) -> bytes:
    """The picture of the last of the moments."""
    text = _shown(recipe)
    before = np.eye(len(text), k=-1, dtype=bool)
    after = induction_targets(text)
    settings = f"{_count(recipe.config.n_layers, 'layer')}, {_count(recipe.config.n_heads, 'head')}"
    rule = FIXED if _is_fixed(recipe) else DRAWN
    settings = f"{settings} each, period {rule}, seed {seed}"
    figure = forming(moments, recipe.task.baseline(), settings, before, after)
    return as_png(figure, _DPI, _palette())


def _count(n: int, what: str) -> str:
    return f"{n} {what}" + "s" * (n > 1)


def _is_fixed(recipe: Recipe) -> bool:
    task = recipe.task
    return isinstance(task, Induction) and task.shortest == task.longest


def _shown(recipe: Recipe) -> Any:
    """The text whose patterns are shown."""
    return _elsewhere(recipe, 1).tokens[0]


def _elsewhere(recipe: Recipe, n: int) -> Batch:
    """Texts of another period than 12, and one of those that are drawn."""
    task = recipe.task
    assert isinstance(task, Induction)
    return task.with_periods(_OTHER).sample(n, np.random.default_rng(1))


def measured(recipe: Recipe, show: Callable[[Moment], None]) -> Callable[..., None]:
    """Return a watcher of ``train`` that measures the heads and passes the moment on."""
    rng = np.random.default_rng(0)
    texts = recipe.task.sample(32, rng)
    ordinary = rng.integers(recipe.task.d_vocab, size=texts.tokens.shape)  # no period
    elsewhere, shown = _elsewhere(recipe, 32), _shown(recipe)

    def right(logits: Any, batch: Batch) -> float:
        return float(accuracy(logits, batch.targets, batch.counted))

    def watcher(step: int, snapshot: Callable[[], Transformer], history: Any) -> None:
        model = snapshot()
        matching = _by_head(model, elsewhere.tokens, lambda A: prefix_matching(A, elsewhere.tokens))
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
                itself=_itself(model, max(previous, key=previous.__getitem__)),
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


def _itself(model: Transformer, head: str) -> float:
    """Return the share of what the head writes that the token as it is explains."""
    tokens = to_numpy(model.weights["embed.W_E"])
    written = tokens @ to_numpy(ov_circuit(model, *map(int, head.split("."))))
    return max(0.0, additive_tag(tokens, written).r2)


def _by_head(model: Transformer, tokens: Any, score: Callable[[Any], Any]) -> dict[str, float]:
    """Return the score of every head's pattern on these tokens: ``"layer.head"`` -> number."""
    trace = model.trace(tokens, keep="blocks.*.attn.pattern")
    return {
        f"{layer}.{head}": float(value)
        for layer in range(model.config.n_layers)
        for head, value in enumerate(score(trace[f"blocks.{layer}.attn.pattern"]))
    }
