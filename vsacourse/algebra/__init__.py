"""The vector-symbolic models: one abstract class and one file for each.

========  =======================  =====================  =====================  ==============
model     a random vector          bind                   inverse                bundle
========  =======================  =====================  =====================  ==============
``HRR``   normal, variance 1/d     circular convolution   involution (nearly)    sum
``FHRR``  unit phasors             product                conjugate (exact)      sum
``MAP``   signs                    product                itself (exact)         sum
``BSC``   bits                     exclusive or           itself (exact)         majority
``TPR``   normal; unit roles       tensor product fᵀ r    M rᵀ or dual (exact)   sum
``MBAT``  normal; rotations        matrix product f M     transpose (exact)      sum
``VTB``   normal, variance 1/d     block matrix V_b a     transpose (nearly)     sum
========  =======================  =====================  =====================  ==============

``MODELS`` holds the first four, by name: binding commutes, every vector is a role for every
other, and any dimension will do. ``OPERATORS`` holds all seven. In the last three the order of
binding counts: ``bind(filler, role)``, undone from the right.
"""

from vsacourse.algebra.base import Model
from vsacourse.algebra.bsc import BSC
from vsacourse.algebra.fhrr import FHRR
from vsacourse.algebra.hrr import HRR
from vsacourse.algebra.map import MAP
from vsacourse.algebra.mbat import MBAT
from vsacourse.algebra.tpr import TPR
from vsacourse.algebra.vtb import VTB

MODELS: dict[str, type[Model]] = {model.name: model for model in (HRR, FHRR, MAP, BSC)}
OPERATORS: dict[str, type[Model]] = MODELS | {model.name: model for model in (TPR, MBAT, VTB)}

__all__ = ["BSC", "FHRR", "HRR", "MAP", "MBAT", "MODELS", "OPERATORS", "TPR", "VTB", "Model"]
