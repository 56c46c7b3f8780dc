"""vsacourse: vector-symbolic algebra, memories and their theory, as the course teaches them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from vsacourse._version import __version__

if TYPE_CHECKING:
    from vsacourse.algebra import BSC, FHRR, HRR, MAP, MBAT, TPR, VTB
    from vsacourse.memory import ItemMemory

__all__ = ["BSC", "FHRR", "HRR", "MAP", "MBAT", "TPR", "VTB", "ItemMemory", "__version__"]

# Loaded when first asked for, so that `vsacourse doctor` also runs where NumPy is missing.
_HOMES = {
    "BSC": "vsacourse.algebra",
    "FHRR": "vsacourse.algebra",
    "HRR": "vsacourse.algebra",
    "MAP": "vsacourse.algebra",
    "MBAT": "vsacourse.algebra",
    "TPR": "vsacourse.algebra",
    "VTB": "vsacourse.algebra",
    "ItemMemory": "vsacourse.memory",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'vsacourse' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
