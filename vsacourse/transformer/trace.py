"""Every intermediate value of a forward pass, by name; and what happens when one is changed."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vsacourse.transformer.config import Config

__all__ = ["Trace", "Watch", "activation_names"]

Edit = Callable[[Any], Any]
"""Takes a value and returns the one to go on with, of the same shape."""


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
            raise KeyError(f"the trace has no {name!r}; {hint}.")
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
        keep: patterns of names, as in ``"blocks.*.attn.pattern"``; the logits are always kept.
        edit: name -> function of the value.
        kept: name -> value, in the order of the forward pass.
    """

    keep: Sequence[str] = ("*",)
    edit: Mapping[str, Edit] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)

    def __call__(self, name: str, value: Any) -> Any:
        """Return the value, edited if it was asked for."""
        if name in self.edit:
            shape = tuple(value.shape)
            value = self.edit[name](value)
            if tuple(value.shape) != shape:
                raise ValueError(
                    f"the edit of {name} returned shape {tuple(value.shape)}; it needs {shape}."
                )
        if name == "logits" or any(fnmatch.fnmatchcase(name, pattern) for pattern in self.keep):
            self.kept[name] = value
        return value

    def check(self, config: Config) -> None:
        """Refuse names that no value of this configuration has."""
        names = activation_names(config)
        for name in self.edit:
            if name not in names:
                self._unknown("edit", name, names)
        for pattern in self.keep:
            if not fnmatch.filter(names, pattern):
                self._unknown("keep", pattern, names)

    @staticmethod
    def _unknown(what: str, name: str, names: list[str]) -> None:
        near = ", ".join(difflib.get_close_matches(name, names, n=3, cutoff=0.4)) or names[0]
        raise ValueError(f"{what}: no value is called {name!r}; near: {near}.")
