"""What is bound to what: an exchange of two places, and the rival of a role map, an added tag."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vsacourse.backend import array_namespace, to_backend, to_numpy
from vsacourse.metrics.checks import floats, scaled, wide
from vsacourse.transformer.inputs import whole_numbers

__all__ = ["Tag", "additive_tag", "exchange"]


def exchange(x: Any, first: Any, second: Any) -> Any:
    """Return x with x_(n, i_n) and x_(n, j_n) exchanged in every text n: ``(n, pos, d)`` both.

    As an edit of a trace it exchanges what is held at two places, and leaves all else::

        model.trace(tokens, edit={"blocks.0.attn_out": lambda x: exchange(x, i, j)})

    If what is bound there decides, the answers change places with it. Controls: exchange two
    other places; exchange the tokens instead; exchange both, which moves whole pairs.

    Args:
        x: a value of a trace for n texts, ``(n, pos, d)``.
        first: i, a place in each text, ``(n,)`` of whole numbers from 0 to pos − 1.
        second: j, likewise.

    Raises:
        ValueError: other shapes, or a place that is not there.
        TypeError: places that are not whole numbers.

    Source: an interchange intervention, as in Geiger et al. (2021), Causal abstractions of neural
    networks, within one run.
    """
    xp: Any = array_namespace(x)
    if x.ndim != 3:
        raise ValueError(f"exchange: x has shape {tuple(x.shape)}; (n, pos, d) is needed.")
    n, pos = x.shape[:2]
    order = np.tile(np.arange(pos), (n, 1))
    places = [_places(name, p, n, pos) for name, p in (("first", first), ("second", second))]
    rows = np.arange(n)
    order[rows, places[0]], order[rows, places[1]] = places[1], places[0]
    flat = to_backend((order + pos * rows[:, None]).reshape(-1), x)
    taken = xp.take(x.reshape((n * pos, x.shape[-1])), flat, axis=0)
    return taken.reshape(x.shape)


class Tag(NamedTuple):
    """The best fit W ≈ c E + τ.

    Attributes:
        scale: c.
        tag: τ, ``(d,)``.
        r2: 1 − Σ(W − c E − τ)² / Σ(W − mean row)², the share of the variance that it explains.
    """

    scale: float
    tag: Any
    r2: float


def additive_tag(embeddings: Any, written: Any) -> Tag:
    """Return c and τ with the least Σ_v ‖w_v − (c e_v + τ)‖², and the R² of the fit.

    With centred rows e' and w', c = Σ e'·w' / Σ e'·e' and τ = mean w − c mean e. It is what
    ``written`` would be if a head copied each token's vector as it is and added a constant mark.

    R² alone does not tell a tag from a role: a role map that turns vectors by little has a large
    one too. Put the fit in the model's place and see whether the model still works.

    Args:
        embeddings: E, ``(V, d)``, V at least 2.
        written: W, ``(V, d)``: what a head writes for each token.

    Raises:
        ValueError: shapes that differ, not finite, or rows that are all alike.
        TypeError: not of real floats.
    """
    floats("embeddings", embeddings, 2)
    floats("written", written, 2)
    array_namespace(embeddings, written)
    if embeddings.ndim != 2 or tuple(embeddings.shape) != tuple(written.shape):
        raise ValueError(
            f"additive_tag: the embeddings have shape {tuple(embeddings.shape)} and what is "
            f"written {tuple(written.shape)}; (V, d) is needed of both."
        )
    for name, rows in (("embeddings", embeddings), ("written", written)):
        if not bool((rows != rows[:1]).any()):
            raise ValueError(f"additive_tag: all rows of {name} are alike; nothing can be fitted.")
    (E, size_e), (W, size_w) = (scaled(x) for x in wide(embeddings, written))
    mean_e, mean_w = E.mean(0), W.mean(0)
    e, w = E - mean_e, W - mean_w
    scale = (e * w).sum() / (e * e).sum()
    r2 = 1 - ((w - scale * e) ** 2).sum() / (w**2).sum()
    tag = (mean_w - scale * mean_e) * size_w[0]
    return Tag(float(scale) * float(size_w[0, 0]) / float(size_e[0, 0]), tag, float(r2))


def _places(name: str, places: Any, n: int, pos: int) -> Any:
    values = to_numpy(whole_numbers(f"places {name}", places))
    if values.shape != (n,):
        raise ValueError(
            f"exchange: {name} has shape {values.shape}; a place for each text, ({n},)."
        )
    wrong = values[(values < 0) | (values >= pos)]
    if len(wrong):
        raise ValueError(f"exchange: {name} holds {wrong[0]}; it needs 0 to {pos - 1}.")
    return values
