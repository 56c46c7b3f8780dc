"""What depends on a head, or on a value: ablation, and patching from another run.

A pattern says where a head looks, not whether it matters. Change it and compute all that follows
anew: everything here goes through ``Transformer.trace(edit=...)`` and leaves the model as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from vsacourse.backend import array_namespace, to_backend, to_numpy
from vsacourse.metrics.checks import checked_heads
from vsacourse.transformer import Trace, Transformer
from vsacourse.transformer.arguments import is_whole
from vsacourse.transformer.trace import matching_names

__all__ = ["ablate", "patch", "patch_both", "patching_effect"]

Kind = Literal["zero", "mean", "pattern"]
PER_HEAD = ("q", "k", "v", "scores", "pattern", "z", "result")


def ablate(
    model: Transformer,
    tokens: Any,
    heads: Sequence[tuple[int, int]],
    kind: Kind = "zero",
    reference: Any = None,
    keep: str | Sequence[str] = "logits",
) -> Trace:
    """Return a forward pass without some heads; three kinds answer three questions.

    - ``"zero"``: what a head writes, its ``result``, is replaced by 0. All that follows is computed
      anew, later patterns too: does anything depend on the head?
    - ``"mean"``: it is replaced by its mean over all rows and positions of ``reference``. A part
      that is the same everywhere stays, and later layers see nothing unusual: does anything
      depend on what it writes *here*?
    - ``"pattern"``: replaced by 0, and the attention patterns of all heads are held as they were
      without the ablation ("pattern-preserving"): does anything depend on it other than through
      where later heads look? The first half of an induction head matters only through that.

    Args:
        model: the transformer.
        tokens: ``(..., pos)``.
        heads: pairs (layer, head), ablated together.
        kind: ``"zero"``, ``"mean"`` or ``"pattern"``.
        reference: tokens ``(..., pos)`` of any length, for ``"mean"``; None: ``tokens`` themselves.
        keep: which values the trace keeps besides the logits, as in ``Transformer.trace``.

    Returns:
        The trace, with ``.logits``.

    Raises:
        ValueError: there is no such head or kind, no head is named, a reference is given for
            another kind, or a mean is asked of no rows.
        TypeError: heads that are no pairs of whole numbers.

    Source: Olsson et al. (2022), who zero, with and without preserved patterns.
    """
    by_layer = checked_heads(model.config, heads)
    if kind not in get_args(Kind):
        raise ValueError(f"kind is {kind!r}; one of {', '.join(map(repr, get_args(Kind)))}.")
    if reference is not None and kind != "mean":
        raise ValueError(f'a reference is given and kind is {kind!r}; only "mean" takes one.')
    names = {f"blocks.{layer}.attn.result": which for layer, which in by_layer.items()}
    new: dict[str, Any] = dict.fromkeys(names, 0.0)
    held: dict[str, Any] = {}
    if kind == "mean":
        seen = model.trace(tokens if reference is None else reference, keep=tuple(names))
        new = {name: _mean_result(seen[name]) for name in names}
    elif kind == "pattern":
        seen = model.trace(tokens, keep="blocks.*.attn.pattern")
        held = {name: value for name, value in seen.items() if name != "logits"}
    edit = {name: _put(new[name], heads=which) for name, which in names.items()}
    edit |= {name: _put(pattern) for name, pattern in held.items()}
    return model.trace(tokens, keep=keep, edit=edit)


def patch(
    model: Transformer,
    source: Any,
    target: Any,
    names: str | Sequence[str],
    positions: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    keep: str | Sequence[str] = "logits",
) -> Trace:
    """Return a run on ``target`` in which some values are those of a run on ``source``.

    Clean into corrupt ("denoising") asks which values are enough to restore an answer; corrupt into
    clean ("noising") asks which are needed for it. The two can differ: ``patch_both``.

    Args:
        model: the transformer.
        source: tokens ``(..., pos)`` of the run whose values are taken.
        target: tokens of the same shape, of the run that they are put into.
        names: names of values, or patterns of names as in ``"blocks.*.attn.z"``.
        positions: at these positions only (rows, the queries, of scores and patterns); None: all.
        heads: of these heads only, for the values that heads have; None: all.
        keep: which values the trace keeps besides the logits.

    Returns:
        The trace, with ``.logits``.

    Raises:
        ValueError: no such value, position or head, or tokens of two shapes.
        TypeError: positions or heads that are not whole numbers.
    """
    wanted = matching_names("names", names, model.config)
    if not wanted:
        raise ValueError("names is empty; at least one name of a value is needed.")
    shapes = [tuple(np.shape(tokens)) for tokens in (source, target)]
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"source and target have shapes {shapes[0]} and {shapes[1]}; one is needed."
        )
    seen = model.trace(source, keep=wanted)
    positions = _indices("positions", positions, seen.logits.shape[-2])
    heads = _indices("heads", heads, model.config.n_heads)
    for name in wanted:
        if heads is not None and name.rpartition(".")[-1] not in PER_HEAD:
            raise ValueError(
                f"heads is {heads} and {name} has no heads; leave heads out, or take one of "
                f"attn.{', attn.'.join(PER_HEAD)}."
            )
    edit = {name: _put(seen[name], positions, heads) for name in wanted}
    return model.trace(target, keep=keep, edit=edit)


def patching_effect(clean: Any, corrupt: Any, patched: Any) -> Any:
    """Return (m_patched − m_corrupt)/(m_clean − m_corrupt) of a measure m of the three runs.

    1: as in the clean run; 0: as in the corrupt one; it may lie outside. Average a measure over a
    batch before you pass it: a mean of quotients is dominated by rows that hardly differ.

    >>> patching_effect(clean=4.0, corrupt=0.0, patched=3.0)
    0.75

    Args:
        clean: m of the clean run; a number or an array.
        corrupt: m of the corrupt run.
        patched: m of either with values of the other, in this order for both directions.

    Raises:
        ValueError: the clean and the corrupt run do not differ in m, or m is not finite.
        TypeError: m is not a number or an array of numbers.
    """
    for name, value in (("clean", clean), ("corrupt", corrupt), ("patched", patched)):
        is_number = hasattr(value, "dtype") or isinstance(value, int | float)
        if not is_number or to_numpy(value).dtype.kind not in "iuf":
            raise TypeError(f"{name} is {value!r}; a number, or an array of numbers, is needed.")
        if not np.isfinite(to_numpy(value)).all():
            raise ValueError(f"{name} is not finite. Look at the measure.")
    span = clean - corrupt
    if (to_numpy(span) == 0).any():
        raise ValueError(
            "the measure is the same in the clean and in the corrupt run, so there is nothing to "
            "restore; take tokens, or a measure, that tell them apart."
        )
    return (patched - corrupt) / span


def patch_both(
    model: Transformer,
    clean: Any,
    corrupt: Any,
    names: str | Sequence[str],
    measure: Callable[[Any], Any],
    positions: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Return ``patching_effect`` of both directions: {"denoising": …, "noising": …}.

    Denoising is the run on corrupt tokens with clean values: 1 if they are enough. Noising is the
    run on clean tokens with corrupt values: 0 if they were needed, 1 if nothing is lost without
    them.

    Args:
        model: the transformer.
        clean: tokens ``(..., pos)``.
        corrupt: tokens of the same shape.
        names: as in ``patch``.
        measure: logits ``(..., pos, d_vocab_out)`` to a number, the same for all runs: a loss, or a
            difference of logits at the clean answer.
        positions: as in ``patch``.
        heads: as in ``patch``.

    Raises:
        ValueError: as in ``patch`` and ``patching_effect``.
        TypeError: as in ``patch``.
    """
    ways = ((clean, corrupt), (corrupt, clean))  # source and target
    runs = (patch(model, *way, names, positions, heads) for way in ways)
    m_denoised, m_noised = (measure(run.logits) for run in runs)
    m_clean, m_corrupt = (
        measure(model.trace(tokens, keep="logits").logits) for tokens in (clean, corrupt)
    )
    return {
        "denoising": patching_effect(m_clean, m_corrupt, m_denoised),
        "noising": patching_effect(m_clean, m_corrupt, m_noised),
    }


def _mean_result(result: Any) -> Any:
    """Return the mean over batch and positions of ``(..., head, pos, d_model)``: [head, 1, d]."""
    if 0 in result.shape:
        raise ValueError(
            'kind is "mean" and there are no tokens to take the mean over; pass a reference with '
            "at least one row."
        )
    heads, n, d = result.shape[-3:]
    rows = result.reshape((-1, heads, n, d)).mean(0)
    return rows.mean(-2)[:, None, :]


def _put(new: Any, positions: Any = None, heads: Any = None) -> Callable[[Any], Any]:
    """Return an edit: ``new`` at these positions (axis −2) and heads (axis −3), the rest stays."""

    def edit(value: Any) -> Any:
        xp: Any = array_namespace(value)
        chosen = np.ones((1, 1), bool)
        for axis, indices in ((-2, positions), (-3, heads)):
            if indices is not None:
                here = np.zeros(value.shape[axis], bool)
                here[indices] = True
                chosen = chosen & here.reshape((-1, *[1] * (-axis - 1)))
        there = new if hasattr(new, "shape") else xp.full_like(value, new)
        return xp.where(to_backend(chosen, value), there, value)

    return edit


def _indices(name: str, indices: Any, n: int) -> list[int] | None:
    if indices is None:
        return None
    listed = isinstance(indices, list | tuple | range | set | frozenset | np.ndarray)
    if not listed or not all(is_whole(i) for i in indices):
        raise TypeError(f"{name} is {indices!r}; a list of whole numbers is needed, or None.")
    chosen = [int(i) for i in indices]
    if not chosen:
        raise ValueError(f"{name} is empty; at least one is needed, or None for all.")
    wrong = [i for i in chosen if not 0 <= i < n]
    if wrong:
        raise ValueError(f"{name} holds {wrong[0]}; they need to be from 0 to {n - 1}.")
    return chosen
