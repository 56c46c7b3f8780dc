"""What a model gets right: loss, accuracy, and how much the context helps."""

from __future__ import annotations

from typing import Any

from vsacourse.backend import array_namespace, asarray_like, to_backend
from vsacourse.metrics.checks import floats, integers
from vsacourse.transformer.arguments import is_whole

__all__ = ["accuracy", "in_context_score", "token_loss", "top1"]


def token_loss(logits: Any, targets: Any) -> Any:
    """Return −log softmax(logits)[target] at each position, in nats.

    Logits that are all alike cost log d_vocab.

    >>> import numpy as np
    >>> token_loss(np.zeros((2, 4)), [0, 3]).round(3)
    array([1.386, 1.386])

    Args:
        logits: ``(..., pos, d_vocab)``.
        targets: the tokens to be predicted, ``(..., pos)``: at each position the *next* one.

    Returns:
        The loss of each position, ``(..., pos)``.

    Raises:
        ValueError: the targets have another shape or are out of range; logits not finite.
        TypeError: logits that are not floats, or targets that are not whole numbers.
    """
    targets = _targets(logits, targets)
    xp: Any = array_namespace(logits)
    logits = logits - xp.max(logits, axis=-1, keepdims=True)
    return xp.log(xp.exp(logits).sum(-1)) - _at(logits, targets)


def accuracy(logits: Any, targets: Any, counted: Any = None) -> Any:
    """Return the share of positions at which the target has the highest logit.

    A tie of k logits at the top counts 1/k, what picking among them at random would get: a model
    that says nothing has 1/d_vocab. Each row of the batch gives its share of the positions that are
    counted; the mean is over rows. Rows in which none is counted are left out.

    Args:
        logits: ``(..., pos, d_vocab)``.
        targets: ``(..., pos)``.
        counted: None for all positions, or booleans ``(..., pos)``: those that can be predicted.

    Raises:
        ValueError: no position is counted; or as in ``token_loss``.
        TypeError: ``counted`` is not of booleans; or as in ``token_loss``.
    """
    right = top1(logits, _targets(logits, targets))
    if counted is None:
        return right.mean()
    array_namespace(counted)
    if "bool" not in str(counted.dtype):
        raise TypeError(
            f"counted is {counted.dtype}; booleans are needed, True where a position counts."
        )
    if tuple(counted.shape) != tuple(right.shape):
        raise ValueError(
            f"counted has shape {tuple(counted.shape)}; {tuple(right.shape)} is needed."
        )
    if not bool(counted.any()):
        raise ValueError("counted is False everywhere; at least one position has to count.")
    n = right.shape[-1]
    rows, weight = right.reshape((-1, n)), asarray_like(counted, right).reshape((-1, n))
    some = weight.sum(-1) > 0
    rows, weight = rows[some], weight[some]
    return ((rows * weight).sum(-1) / weight.sum(-1)).mean()


def in_context_score(losses: Any, early: int, late: int) -> Any:
    """Return mean loss at position ``late`` − mean loss at ``early``: negative is good.

    How much better a model predicts with more context. The source takes the 500th and the 50th
    token, here 499 and 49; for a shorter context choose other positions and say which. The score
    rests on the text: compare models on the same.

    Args:
        losses: ``(..., pos)``, as ``token_loss`` gives them; the mean is over all other axes.
        early: a position, counted from 0.
        late: a later one.

    Raises:
        ValueError: a position outside the context, or ``late`` not after ``early``.
        TypeError: the losses are not floats, or a position is no whole number.

    Source: Olsson et al. (2022), In-context learning and induction heads.
    """
    floats("losses", losses, 1)
    n = losses.shape[-1]
    for name, position in (("early", early), ("late", late)):
        if not is_whole(position):
            raise TypeError(f"{name} is {position!r}; a whole number is needed.")
        if not 0 <= position < n:
            raise ValueError(f"{name} is {position}; the losses have the positions 0 to {n - 1}.")
    if early >= late:
        raise ValueError(f"early is {early} and late is {late}; late needs to come after early.")
    return losses[..., late].mean() - losses[..., early].mean()


def top1(scores: Any, targets: Any) -> Any:
    """Return 1 where the target's score is the highest, 1/k in a tie of k, else 0.

    ``(..., n)`` and whole numbers ``(...)`` to ``(...)``; nothing is checked.
    """
    xp: Any = array_namespace(scores)
    best = xp.max(scores, axis=-1)
    right = asarray_like(_at(scores, targets) == best, scores)
    return right / asarray_like(scores == best[..., None], scores).sum(-1)


def _at(scores: Any, targets: Any) -> Any:
    """Return scores[..., target], ``(..., n)`` and ``(...)`` to ``(...)``."""
    xp: Any = array_namespace(scores)
    n = scores.shape[-1]
    rows = scores.reshape((-1, n))
    every = to_backend(xp.arange(rows.shape[0]), scores)
    return rows[every, targets.reshape(-1)].reshape(targets.shape)


def _targets(logits: Any, targets: Any) -> Any:
    floats("logits", logits, 2)
    targets = integers("targets", targets, tuple(logits.shape[:-1]), logits)
    n = logits.shape[-1]
    low, high = int(targets.min()), int(targets.max())
    if low < 0 or high >= n:
        wrong = low if low < 0 else high
        raise ValueError(f"a target is {wrong}; it needs to be from 0 to d_vocab − 1 = {n - 1}.")
    return targets
