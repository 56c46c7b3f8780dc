"""What functions of models and tasks are given: whole numbers, heads, generators; checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vsacourse.transformer.config import Config

__all__ = ["check_generator", "checked_head", "is_whole", "whole"]


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number, Python's or NumPy's."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(owner: str, name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number from ``least`` to ``most``."""
    if not is_whole(value):
        raise TypeError(f"{owner}: {name} is {value!r}; a whole number is needed.")
    if value < least:
        raise ValueError(f"{owner}: {name} is {value}; at least {least} is needed.")
    if most is not None and value > most:
        raise ValueError(f"{owner}: {name} is {value}; at most {most} is possible here.")
    return int(value)


def checked_head(config: Config, layer: Any, head: Any, name: str = "") -> tuple[int, int]:
    """Return the layer and the head, if the model has them; ``name`` is what the pair is called.

    Raises:
        ValueError: there is no such layer or head.
    """
    for what, value, n in (("layer", layer, config.n_layers), ("head", head, config.n_heads)):
        if not (is_whole(value) and 0 <= value < n):
            given = f"{name} is ({layer}, {head})" if name else f"{what} is {value!r}"
            raise ValueError(f"{given}; the model has the {what}s 0 to {n - 1}.")
    return int(layer), int(head)


def check_generator(owner: str, rng: Any) -> None:
    """Refuse what is no ``numpy.random.Generator``."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"{owner}: rng is {rng!r}; a numpy.random.Generator is needed. "
            "Pass np.random.default_rng(seed)."
        )
