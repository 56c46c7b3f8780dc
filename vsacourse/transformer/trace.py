"""Every intermediate value of a forward pass, by name; and what happens when one is changed."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vsacourse.backend import (
    all_finite,
    array_namespace,
    asarray_like,
    copy,
    dtype_name,
    first_non_finite,
    off_graph,
)
from vsacourse.memory import UnknownNameError
from vsacourse.transformer.config import Config

__all__ = ["Trace", "Watch", "activation_names"]

Edit = Callable[[Any], Any]
"""Takes a value, its own to change, and returns the one to go on with, of the same shape."""


def activation_names(config: Config) -> list[str]:
    """Return the names of all intermediate values, in the order of the forward pass."""
    names = ["embed"] + ["pos_embed"] * (config.positions in ("learned", "sinusoidal"))
    attn = ["q", "k", "v", "scores", "pattern", "z", "result"]
    for layer in range(config.n_layers):
        parts = ["resid_pre", "ln1.normalized", *(f"attn.{name}" for name in attn), "attn_out"]
        if config.d_mlp:
            parts += ["resid_mid", "ln2.normalized", "mlp.pre", "mlp.post", "mlp_out"]
        names += [f"blocks.{layer}.{part}" for part in [*parts, "resid_post"]]
    return [*names, "ln_final.normalized", "logits"]


@dataclass(frozen=True, eq=False)
class Trace(Mapping[str, Any]):
    """The values of one forward pass: ``trace["blocks.0.attn.pattern"]``, ``trace.logits``.

    Shapes, with any batch axes in front::

        embed, resid_*, attn_out, mlp_out, *.normalized     [pos, d_model]
        attn.q, attn.k, attn.v, attn.z                      [head, pos, d_head]
        attn.scores, attn.pattern                           [head, query, key]
        attn.result                                         [head, pos, d_model]
        mlp.pre, mlp.post                                   [pos, d_mlp]
        logits                                              [pos, d_vocab_out]

    The results of the heads, and b_O if there is one, add up to attn_out; ``embed`` (with
    ``pos_embed``, if positions go into the stream) and every attn_out and mlp_out add up to the
    last resid_post.
    """

    values_by_name: dict[str, Any]

    @property
    def logits(self) -> Any:
        """The logits, ``(..., pos, d_vocab_out)``."""
        return self["logits"]

    def __getitem__(self, name: str) -> Any:
        if name not in self.values_by_name:
            near = difflib.get_close_matches(str(name), self.values_by_name, n=3, cutoff=0.4)
            hint = f"near: {', '.join(near)}" if near else f"{len(self)} values were kept"
            raise UnknownNameError(f"the trace has no {name!r}; {hint}.")
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def __repr__(self) -> str:
        return f"Trace({len(self)} values, logits {tuple(self.logits.shape)})"


@dataclass
class Watch:
    """What ``forward`` shows its values to: it edits the ones asked for, and keeps some.

    Attributes:
        keep: names or patterns, as in ``"blocks.*.attn.pattern"``; the logits are always kept.
        edit: name -> function of the value.
        kept: name -> value, in the order of the forward pass.
    """

    keep: str | Sequence[str] = "*"
    edit: Mapping[str, Edit] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)

    def __call__(self, name: str, value: Any) -> Any:
        """Return the value, edited if it was asked for.

        No two values share memory: without LayerNorm, say, ``ln1.normalized`` is ``resid_pre``
        itself, and an edit in place of the one would change the other.
        """
        if name in self.edit:
            value = self._edited(name, value)
        elif any(value is other for other in self.kept.values()):
            value = copy(value)
        patterns = (self.keep,) if isinstance(self.keep, str) else self.keep
        if name == "logits" or any(fnmatch.fnmatchcase(name, each) for each in patterns):
            self.kept[name] = value
        return value

    def _edited(self, name: str, value: Any) -> Any:
        """Return what the edit makes of a copy of the value, in the value's dtype."""
        new = self.edit[name](copy(value))
        if new is None:
            raise TypeError(f"the edit of {name} returned None; return the value to go on with.")
        try:
            array_namespace(value, new)
        except TypeError as error:
            raise TypeError(f"the edit of {name}: {error}") from None
        if tuple(new.shape) != tuple(value.shape):
            raise ValueError(
                f"the edit of {name} returned shape {tuple(new.shape)}; it needs "
                f"{tuple(value.shape)}."
            )
        if "complex" in dtype_name(new.dtype):
            raise TypeError(f"the edit of {name} returned {new.dtype}; real numbers are needed.")
        if new.dtype != value.dtype:
            new = asarray_like(new, value)
        if name.endswith("attn.scores"):
            _check_scores(name, new)
        elif not all_finite(new, new):
            raise ValueError(
                f"the edit of {name} returned a value that is not finite at index "
                f"{first_non_finite(new)}."
            )
        return new

    def check(self, config: Config) -> None:
        """Refuse names that no value of this configuration has, and edits that are no functions."""
        matching_names("keep", self.keep, config)
        for name, function in self.edit.items():
            if name not in activation_names(config):
                raise _unknown("edit", name, config)
            if not callable(function):
                raise TypeError(
                    f"edit: {name} is given a {type(function).__name__}; a function of the value "
                    "is needed, such as lambda value: 0 * value."
                )


def matching_names(argument: str, patterns: str | Sequence[str], config: Config) -> list[str]:
    """Return the names that one of the patterns matches, in the order of the forward pass.

    Raises:
        ValueError: a pattern that matches none; the message begins with the argument's name.
        TypeError: not a string or a list of strings.
    """
    given = (patterns,) if isinstance(patterns, str) else patterns
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        raise TypeError(
            f"{argument} is {patterns!r}; a name, a pattern such as 'blocks.*.attn.pattern', or a "
            "list of them is needed."
        )
    names = activation_names(config)
    for pattern in given:
        if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
            raise _unknown(argument, pattern, config)
    return [name for name in names if any(fnmatch.fnmatchcase(name, each) for each in given)]


def _unknown(argument: str, name: Any, config: Config) -> ValueError:
    names = activation_names(config)
    near = ", ".join(difflib.get_close_matches(str(name), names, n=3, cutoff=0.4)) or names[0]
    return ValueError(f"{argument}: no value is called {name!r}; near: {near}.")


def _check_scores(name: str, scores: Any) -> None:
    """Refuse scores of which a softmax makes NaN: −∞ hides a key, but not all of a query's."""
    xp: Any = array_namespace(scores)
    best = xp.max(off_graph(scores), axis=-1)  # NaN where a score is NaN
    where = first_non_finite(best)
    if where is not None:
        what = "hides every key" if float(best[where]) == -np.inf else "gives NaN or infinity"
        raise ValueError(
            f"the edit of {name} {what} for the query at index {where}: its softmax would be NaN. "
            "Let every query see at least one key."
        )
