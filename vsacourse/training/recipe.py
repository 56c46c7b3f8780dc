"""What is trained, and how: everything but the seed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np

from vsacourse.tasks import Task
from vsacourse.transformer import Config
from vsacourse.transformer.arguments import number, whole

__all__ = ["Recipe"]

Decay = Literal["constant", "cosine"]
FLOAT32_MAX = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Recipe:
    """A task, a transformer, and how the one is trained on the other.

    AdamW on the cross-entropy (nats) of the counted positions, a fresh batch at every step. At step
    t (from 0) the learning rate is ``learning_rate`` · min(1, (t + 1)/``warm_up``), with
    ``"cosine"`` times (1 + cos(π t/``steps``))/2 besides.

    Attributes:
        name: what to call it, in bars and files.
        task: draws the data.
        config: the shape of the transformer; its vocabulary is the task's, and it has room for the
            task's sequences.
        steps: the most steps to take.
        batch_size: sequences a step.
        learning_rate: the largest learning rate.
        betas: of AdamW, the memory of its two averages.
        weight_decay: of AdamW.
        warm_up: steps in which the learning rate rises.
        decay: ``"constant"`` or ``"cosine"``.
        threshold: the accuracy on fresh data, reached at two checks one after the other, that ends
            the training; None: never.
        check_every: steps between two checks.

    Raises:
        ValueError: a field out of range, or a configuration that the task does not fit.
        TypeError: a field of the wrong type.
    """

    name: str
    task: Task
    config: Config
    steps: int = 2000
    batch_size: int = 32
    learning_rate: float = 1e-2
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = 0.0
    warm_up: int = 50
    decay: Decay = "constant"
    threshold: float | None = 0.99
    check_every: int = 25

    def __post_init__(self) -> None:
        for name, kind in (("name", str), ("task", Task), ("config", Config)):
            if not isinstance(getattr(self, name), kind):
                self._refuse(name, f"a {kind.__name__} is needed", TypeError)
        for name, least in (("steps", 1), ("batch_size", 1), ("warm_up", 0), ("check_every", 1)):
            object.__setattr__(self, name, whole("Recipe", name, getattr(self, name), least))
        if not isinstance(self.betas, tuple | list) or len(self.betas) != 2:
            self._refuse("betas", "a pair of numbers from 0 to below 1 is needed", TypeError)
        betas = [
            self._number(f"betas[{i}]", beta, "from 0 to below 1", lambda x: 0 <= x < 1)
            for i, beta in enumerate(self.betas)
        ]
        object.__setattr__(self, "betas", tuple(betas))
        self._set_number("learning_rate", "above 0", lambda x: x > 0)
        self._set_number("weight_decay", "from 0 on", lambda x: x >= 0)
        if self.decay not in get_args(Decay):
            self._refuse("decay", '"constant" or "cosine" is needed')
        if self.threshold is not None:
            self._set_number("threshold", "above 0, at most 1", lambda x: 0 < x <= 1)
        self._bounded()
        self._fits()

    def replace(self, **changes: Any) -> Self:
        """Return the recipe with some fields changed; ``task=`` and ``config=`` as a whole."""
        return dataclasses.replace(self, **changes)

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        rate = self.learning_rate * min(1.0, (step + 1) / max(self.warm_up, 1))
        if self.decay == "cosine":
            rate *= (1 + math.cos(math.pi * step / self.steps)) / 2
        return rate

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, for JSON."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return fields | {"task": self.task.to_dict(), "config": self.config.to_dict()}

    def _refuse(self, name: str, needed: str, kind: type[Exception] = ValueError) -> None:
        raise kind(f"Recipe: {name} is {getattr(self, name)!r}; {needed}.")

    def _set_number(self, name: str, needed: str, good: Callable[[float], bool]) -> None:
        object.__setattr__(self, name, self._number(name, getattr(self, name), needed, good))

    def _number(self, name: str, value: Any, needed: str, good: Callable[[float], bool]) -> float:
        return number("Recipe", name, value, f"a number {needed}", good)

    def _bounded(self) -> None:
        """Refuse factors of AdamW that are infinite in float32: torch does not take them."""
        factor = self.learning_rate * max(1 / (1 - self.betas[0]), self.weight_decay)
        if factor > FLOAT32_MAX:
            raise ValueError(
                f"Recipe: learning_rate is {self.learning_rate:g}; learning_rate/(1 − betas[0]) "
                f"and learning_rate · weight_decay need to stay below {FLOAT32_MAX:.2g}."
            )

    def _fits(self) -> None:
        task, config = self.task, self.config
        if not config.d_vocab == config.d_vocab_out == task.d_vocab:
            wrong = "d_vocab" if config.d_vocab != task.d_vocab else "d_vocab_out"
            raise ValueError(
                f"Recipe: the transformer reads {config.d_vocab} tokens and predicts "
                f"{config.d_vocab_out}; the task has {task.d_vocab}. Set {wrong} to that with "
                "config.replace."
            )
        if config.n_ctx < task.n_ctx:
            raise ValueError(
                f"Recipe: n_ctx of the transformer is {config.n_ctx}, and the task's sequences "
                f"have up to {task.n_ctx} positions. Raise n_ctx, or shorten the task."
            )
        if not config.causal:
            raise ValueError("Recipe: causal is False; the next token would be seen.")
