"""Which model carries which structure, and why the others do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vsacourse.algebra import Model

__all__ = ["REFUSED", "refuse"]

_SHIFT = (
    "its permute is a cyclic shift, which moves past convolution, ρ(a) ⊛ b = ρ(a ⊛ b), so that "
    "every order gives the same vector. Use FHRR, MAP, BSC or VTB."
)
_ROLES = (
    "a symbol is both role and filler there, and its roles are of a kind of their own. "
    "Use FHRR, MAP, BSC or VTB."
)
_SELF_INVERSE = (
    "a vector bound with itself is the identity, so that powers repeat after two places. "
    "Use FHRR or HRR, or pass a memory of positions."
)
_ONE_SIDED = (
    "binding does not commute, and only the role (on the right) is undone. "
    "Read every role with decode, or use HRR, FHRR, MAP or BSC."
)
_NO_POWER = "it has no powers of a vector. Use FHRR or HRR, or pass a memory of positions."
_NO_FRACTION = "its vectors have no fractional powers. Use FHRR or HRR."

REFUSED: dict[str, dict[str, str]] = {
    "n-grams": {"HRR": _SHIFT, "TPR": _ROLES, "MBAT": _ROLES},
    "directed edges": {"HRR": _SHIFT, "TPR": _ROLES, "MBAT": _ROLES},
    "predecessors": {
        "HRR": _SHIFT,
        "TPR": _ROLES,
        "MBAT": _ROLES,
        "VTB": "binding does not commute, and only the source (on the right) is undone. "
        "Read the successors, or use FHRR, MAP or BSC.",
    },
    "role of a filler": dict.fromkeys(("TPR", "MBAT", "VTB"), _ONE_SIDED),
    "stack": {
        "BSC": "a majority is no sum, and no item can be taken out of it. Use MAP, or a Sequence."
    },
    "change of a bundle": {
        "BSC": "a majority is no sum, and no item can be taken out of it. Encode the record anew."
    },
    "tree": {
        "TPR": "each binding multiplies the number of components, so that leaves at different "
        "depths do not add up. Use MBAT or another model."
    },
    "powers of a position": {
        "MAP": _SELF_INVERSE,
        "BSC": _SELF_INVERSE,
        "TPR": _NO_POWER,
        "MBAT": _NO_POWER,
        "VTB": _NO_POWER,
    },
    "number": dict.fromkeys(("MAP", "BSC", "TPR", "MBAT", "VTB"), _NO_FRACTION),
}
"""For each structure, the models whose laws do not carry it, with the reason and what to use.

Records, sets and sequences (by permutation, or with a memory of positions) are carried by all.
"""


def refuse(model: Model, structure: str) -> None:
    """Raise if the model's laws do not carry the structure.

    Raises:
        ValueError: one line with the reason and what to use.
    """
    reason = REFUSED[structure].get(model.name)
    if reason:
        raise ValueError(f"{model} carries no {structure}: {reason}")
