"""Recipes that work on one CPU thread in seconds, by name.

All of them: attention only, no LayerNorm, no MLP, no biases; learned positions that enter queries
and keys only (standard deviation 1/√d); AdamW, learning rate 1e-2, betas (.9, .98), no weight
decay, 50 steps of warm-up, then a cosine to 0 at the last step.
"""

from __future__ import annotations

from typing import Any

from vsacourse.tasks import Chains, Induction, Sorting, Task, VariableBinding
from vsacourse.training.recipe import Recipe
from vsacourse.transformer import Config

__all__ = ["chains", "induction", "sorting", "variable_binding"]


def _config(task: Task, d_model: int, n_layers: int, n_heads: int) -> Config:
    return Config(
        d_vocab=task.d_vocab,
        d_model=d_model,
        n_layers=n_layers,
        n_heads=n_heads,
        n_ctx=task.n_ctx,
        positions="learned",
        positions_in="qk",
    )


def induction(
    task: Induction | None = None,
    *,
    d_model: int = 32,
    n_layers: int = 2,
    n_heads: int = 1,
    **more: Any,
) -> Recipe:
    """Return the recipe for repeated sequences: V 32, T 32, period drawn from 8 to 16.

    Args:
        task: None, or another ``Induction``, with its own d_vocab, n_ctx and periods.
        d_model: the dimension of the residual stream.
        n_layers: the number of layers; one cannot match, and learns to copy by place.
        n_heads: heads a layer.
        more: fields of ``Recipe``.
    """
    task = task or Induction()
    fields: dict[str, Any] = {"name": "induction", "steps": 400, "decay": "cosine"} | more
    return Recipe(task=task, config=_config(task, d_model, n_layers, n_heads), **fields)


def variable_binding(
    task: VariableBinding | None = None,
    *,
    d_model: int = 64,
    n_layers: int = 2,
    n_heads: int = 1,
    **more: Any,
) -> Recipe:
    """Return the recipe for ``k v k v … | q v``: 8 pairs of 26 keys and 26 values, 3 queries."""
    task = task or VariableBinding()
    fields: dict[str, Any] = {"name": "variable binding", "steps": 400, "decay": "cosine"} | more
    return Recipe(task=task, config=_config(task, d_model, n_layers, n_heads), **fields)


def chains(
    task: Chains | None = None,
    *,
    d_model: int = 64,
    n_layers: int = 3,
    n_heads: int = 2,
    **more: Any,
) -> Recipe:
    """Return the recipe for one-hop chains, in batches of 64.

    Two layers come close (about .93); three reach the threshold. In batches of 32, or at half the
    learning rate, some runs of three stay there too.
    """
    task = task or Chains()
    fields: dict[str, Any] = {"name": "chains", "steps": 1000, "decay": "cosine", "batch_size": 64}
    fields |= more
    return Recipe(task=task, config=_config(task, d_model, n_layers, n_heads), **fields)


def sorting(
    task: Sorting | None = None,
    *,
    d_model: int = 64,
    n_layers: int = 2,
    n_heads: int = 2,
    **more: Any,
) -> Recipe:
    """Return the recipe for sorting 10 of 0 to 31 with repeats.

    Without repeats, 8 of 0 to 15, one layer does: ``sorting(Sorting(8, 16, False), n_layers=1)``.
    """
    task = task or Sorting()
    fields: dict[str, Any] = {"name": "sorting", "steps": 800, "decay": "cosine"} | more
    return Recipe(task=task, config=_config(task, d_model, n_layers, n_heads), **fields)
