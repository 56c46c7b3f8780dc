"""vsacourse: vector-symbolic algebra, memories and their theory, as the course teaches them."""

from vsacourse._version import __version__
from vsacourse.algebra import BSC, FHRR, HRR, MAP
from vsacourse.memory import ItemMemory

__all__ = ["BSC", "FHRR", "HRR", "MAP", "ItemMemory", "__version__"]
