"""How sure one reading of a structure is."""

from __future__ import annotations

from typing import Any

import numpy as np

from vsacourse.theory._arguments import ModelLike, at_least, model_name, numbers, plain, shown
from vsacourse.theory.capacity import capacity_constant
from vsacourse.theory.cosines import gaussian_tail
from vsacourse.theory.crosstalk import nested_depth_cosine, unbind_cosine

__all__ = ["effective_items", "membership_error", "number_kernel", "number_spread"]


def effective_items(shared: Any, model: ModelLike = "MAP") -> Any:
    """Return Σ_i 1/cos²(s_i): the squared length of what is read, in units of one item.

    A structure is a sum of items, each bound with keys of its own; ``shared`` holds for each item
    how many of its keys are also keys of the reader, on the last axis; for the item that is read
    they all are. cos is ``nested_depth_cosine``: unbinding multiplies an item by a random P with
    E[P²] = 2^s in HRR, s + 1 in VTB and 1 in the other models. In VTB, where the order counts, s is
    how far the keys agree from the one that was bound last; in HRR it is how many agree.

    So M for exact models, M + 1 for a record of HRR or VTB, s_i = 1, 0, 0 …; it takes the place of
    M in ``recall_probability``. BSC: (2/π)/cos² with ``unbind_cosine``, about M for odd M and
    M + ½ for even M, whose ties are noise; at least 1.

    Raises:
        ValueError: a number below 0, no list with a number for each item, or an unknown model.

    >>> effective_items([1, 0, 0], "HRR"), effective_items([2, 1, 0], "VTB")
    (4.0, 6.0)
    """
    keys = at_least(0, shared=shared)
    majority = model_name(model) == "BSC"
    if keys.ndim == 0 or (majority and keys.shape[-1] == 0):  # of no items there is no majority
        raise ValueError(
            f"shared is {shown(shared)}; a list is needed, with a number for each item."
        )
    if majority:
        return plain(np.full(keys.shape[:-1], _of_majority(keys.shape[-1])))
    cosine = np.asarray(nested_depth_cosine(keys, model))
    return plain(np.sum(np.broadcast_to(cosine, keys.shape) ** -2.0, axis=-1))


def _of_majority(items: int) -> float:
    cosine = unbind_cosine(items, "BSC")
    return float(max(1.0, capacity_constant("BSC") / cosine**2))


def membership_error(dim: Any, items: Any, model: ModelLike = "MAP") -> Any:
    """Return Q(s/2), s² = c d/M: how often "is it among the M items?" is answered wrongly.

    The similarities of present and of absent items are two bells, s widths apart, told apart at
    half the expected similarity of a present one: half of the bells' distance, so that it takes
    twice the dimension of choosing between two, which errs by Q(s/√2). Present items do not disturb
    themselves: for few items it is too high for them, as ``recall_probability`` is too low.

    Source: the bells are those of Frady, Kleyko & Sommer (2018), Neural Computation 30.

    >>> round(membership_error(1000, 20), 4)
    0.0002
    """
    dim, items = at_least(1, dim=dim), at_least(1, items=items)
    return gaussian_tail(np.sqrt(capacity_constant(model) * dim / items) / 2)


def number_kernel(difference: Any) -> Any:
    """Return sin(πx)/(πx): the similarity of two numbers whose difference is x widths.

    E[e^(iθx)] for phases θ uniform between −π and π: FHRR's powers, for many components. In
    ``HRR.power_base`` one or two frequencies have phase 0: (k + (d − k) kernel)/d with k of those.

    Source: Frady, Kleyko, Kymn, Olshausen & Sommer (2021), Computing on functions using
    randomized vector representations.

    >>> round(number_kernel(0.5), 4)
    0.6366
    """
    return plain(np.sinc(numbers("difference", difference)))


def number_spread(dim: Any, items: Any, width: Any = 1.0, model: ModelLike = "FHRR") -> Any:
    r"""Return w √(3 (M − 1)/(c π² d)): the standard deviation of a number read among M items.

    The similarity S(x) to the number x has its maximum at S′(x) = 0. With phases θ it is
    S″ = −E[θ²]/w² = −π²/3w² there, and the M − 1 other items shift S′ by a normal number of
    variance E[θ²] (M − 1)/(c d w²): x by √variance/\|S″\|. It holds while the reading is on the
    right hill at all, which ``recall_probability`` says.

    >>> round(number_spread(1024, 11, width=2.0), 3)
    0.077
    """
    dim, items = at_least(1, dim=dim), at_least(1, items=items)
    c = capacity_constant(model)
    return plain(at_least(0, width=width) * np.sqrt(3 * (items - 1) / (c * np.pi**2 * dim)))
