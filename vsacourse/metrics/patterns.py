"""Where a head looks, in one number: scores of attention patterns.

A pattern A is ``(..., head, query, key)`` or ``(query, key)``: the row attends from, the column is
attended to. Each batch entry is scored by itself and the mean is taken over the batch, so that a
batch's score is the mean of its singles'. The head axis is kept: ``(head,)`` comes back, and one
number for ``(query, key)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vsacourse.backend import array_namespace, asarray_like, to_backend
from vsacourse.metrics.checks import pattern_of, tokens_of
from vsacourse.transformer.inputs import whole_numbers

__all__ = [
    "attention_to_start",
    "best_head_mass",
    "induction_targets",
    "predicted_mass",
    "prefix_matching",
    "previous_token",
]


def prefix_matching(pattern: Any, tokens: Any) -> Any:
    """Return mean over i of Σ_j A[i, j], j = 1 + an earlier place of token i; only i that have one.

    1 for a head that always looks at what followed the same token before; 0 for one that never
    does. Rows of the batch in which no token comes twice are left out.

    Two near misses cap a perfect head. On a start token and two periods of L distinct tokens, the
    mean over *all* queries gives L/(2L + 1), .49 at L = 24: half of them have nothing to match. The
    mean over the whole stripe A[i, i − L + 1] also asks the two queries at L − 1 and L, which
    cannot match: (L + 1/L + 1/(L + 1))/(L + 2), .93, if the head looks everywhere alike there.

    >>> import numpy as np
    >>> A = np.eye(4)
    >>> A[2] = [0, 1, 0, 0]
    >>> float(prefix_matching(A, [5, 7, 5, 8]))
    1.0

    Args:
        pattern: ``(..., head, query, key)`` or ``(query, key)``.
        tokens: whole numbers, ``(..., pos)``, with the same batch axes.

    Raises:
        ValueError: no token comes twice, the tokens have another shape, or the pattern is none.
        TypeError: the pattern is not of floats, or the tokens are not whole numbers.

    Source: Olsson et al. (2022), In-context learning and induction heads.
    """
    tokens = tokens_of(tokens, pattern_of(pattern))
    targets = induction_targets(tokens)
    if not bool(targets.any()):
        raise ValueError(
            "no token comes twice, so no query has anything to match; "
            "pass tokens in which at least one row repeats a token."
        )
    return _mean_mass(pattern, targets)


def induction_targets(tokens: Any) -> Any:
    """Return where an induction head looks: [i, j] is True if token j − 1 is token i, and j ≤ i.

    ``(..., pos)`` of whole numbers to ``(..., query, key)`` of booleans.

    >>> import numpy as np
    >>> induction_targets(np.array([5, 7, 5])).astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 1, 0]])

    Raises:
        ValueError: no position axis.
        TypeError: the tokens are not whole numbers.
    """
    tokens = whole_numbers("tokens", tokens)
    if tokens.ndim == 0:
        raise ValueError("the tokens have shape (); (..., pos) is needed.")
    xp: Any = array_namespace(tokens)
    same = tokens[..., :, None] == tokens[..., None, :]  # [..., query, earlier place]
    n = tokens.shape[-1]
    earlier = to_backend(np.tri(n, k=-1, dtype=bool), tokens)
    return xp.roll(same & earlier, 1, axis=-1)  # the last place is nobody's earlier one: all False


def previous_token(pattern: Any) -> Any:
    """Return the mean over i ≥ 1 of A[i, i − 1]: how much a head looks one place back.

    Take it on ordinary text, where nothing else singles out the place before. A head that looks
    at all places alike gets (1 + ½ + … + 1/n − 1)/(n − 1).

    Raises:
        ValueError: the pattern is none, or has a single position.
        TypeError: the pattern is not of floats.
    """
    pattern_of(pattern, least=2)
    n = pattern.shape[-1]
    return _mean_mass(pattern, to_backend(np.eye(n, k=-1, dtype=bool), pattern))


def attention_to_start(pattern: Any) -> Any:
    """Return the mean over i ≥ 1 of A[i, 0]: how much a head rests on the first position.

    Heads with nothing to match often put their weight there ("attention sink").

    Raises:
        ValueError: the pattern is none, or has a single position.
        TypeError: the pattern is not of floats.
    """
    pattern_of(pattern, least=2)
    n = pattern.shape[-1]
    first = np.zeros((n, n), bool)
    first[1:, 0] = True
    return _mean_mass(pattern, to_backend(first, pattern))


def predicted_mass(pattern: Any, predicted: Any) -> Any:
    """Return mean over i of Σ_j A[i, j] [P[i, j] > 0]: the weight on the predicted entries.

    The mean runs over the queries i for which something is predicted. A head that looks at all
    of n keys alike gets m/n where m are predicted, which is why a cosine (1/√n) says less.

    Args:
        pattern: ``(..., head, query, key)`` or ``(query, key)``.
        predicted: numbers of at least 0, or booleans, ``(..., query, key)`` with the same batch
            axes, or ``(query, key)`` for all of them; which entries are above 0 counts, not their
            size.

    Raises:
        ValueError: nothing is predicted, an entry is negative or not finite, a shape that does
            not fit, or the pattern is none.
        TypeError: the pattern is not of floats.
    """
    return _mean_mass(pattern_of(pattern), _predicted(predicted, pattern))


def best_head_mass(pattern: Any, predicted: Any) -> Any:
    """Return mean over i of max over heads of Σ_j A[i, j] [P[i, j] > 0].

    For work that heads share, each doing some of the queries. One number comes back. The best of
    several heads is above chance by chance: compare with the same number on a control.

    Args:
        pattern: ``(..., head, query, key)``, or ``(query, key)``, a single head.
        predicted: as in ``predicted_mass``.

    Raises:
        ValueError: as in ``predicted_mass``.
        TypeError: the pattern is not of floats.
    """
    mass, asked = _mass(pattern_of(pattern), _predicted(predicted, pattern))
    best = array_namespace(mass).max(mass, axis=1, keepdims=True)  # [batch, 1, query]
    return _mean_over(best, asked)[0]


def _mean_mass(pattern: Any, entries: Any) -> Any:
    """Return the mean weight on ``entries``, booleans ``(..., query, key)``: ``(head,)`` or ()."""
    means = _mean_over(*_mass(pattern, entries))
    return means if pattern.ndim > 2 else means[0]


def _mass(pattern: Any, entries: Any) -> tuple[Any, Any]:
    """Return Σ_j A[i, j] over the entries, ``(batch, head, query)``, and which i have any.

    The batch axes become one, and its rows in which no query has an entry are left out.
    """
    n = pattern.shape[-1]
    A = pattern.reshape((-1, 1 if pattern.ndim == 2 else pattern.shape[-3], n, n))
    entries = array_namespace(A).broadcast_to(entries, (*pattern.shape[:-3], n, n))
    entries = entries.reshape((-1, n, n))
    asked = entries.any(-1)  # [batch, query]
    some = asked.any(-1)
    A, entries, asked = A[some], entries[some], asked[some]
    return (A * asarray_like(entries, A)[:, None]).sum(-1), asked


def _mean_over(mass: Any, asked: Any) -> Any:
    """Return the mean of ``(batch, head, query)`` over the queries asked, then over the batch."""
    weight = asarray_like(asked, mass)[:, None, :]
    return ((mass * weight).sum(-1) / weight.sum(-1)).mean(0)


def _predicted(predicted: Any, pattern: Any) -> Any:
    """Return where something is predicted, booleans that broadcast to ``(..., query, key)``."""
    array_namespace(predicted)
    n, batch = pattern.shape[-1], tuple(pattern.shape[:-3])
    if tuple(predicted.shape) not in ((*batch, n, n), (n, n)):
        raise ValueError(
            f"predicted has shape {tuple(predicted.shape)}; {(*batch, n, n)}, (..., query, key), "
            f"or {(n, n)} is needed for a pattern of shape {tuple(pattern.shape)}."
        )
    entries = predicted > 0
    if not bool((predicted >= 0).all()):  # NaN too
        raise ValueError("predicted holds a negative number or NaN; numbers from 0 on are needed.")
    if not bool(entries.any()):
        raise ValueError("predicted is 0 everywhere; at least one entry above 0 is needed.")
    return to_backend(entries, pattern)
