"""The vector-symbolic models: one abstract class and one file for each.

========  =======================  =====================  =====================  ==============
model     a random vector          bind                   inverse                bundle
========  =======================  =====================  =====================  ==============
``HRR``   normal, variance 1/d     circular convolution   involution (nearly)    sum
``FHRR``  unit phasors             product                conjugate (exact)      sum
``MAP``   signs                    product                itself (exact)         sum
``BSC``   bits                     exclusive or           itself (exact)         majority
========  =======================  =====================  =====================  ==============
"""

from vsacourse.algebra.base import Model
from vsacourse.algebra.bsc import BSC
from vsacourse.algebra.fhrr import FHRR
from vsacourse.algebra.hrr import HRR
from vsacourse.algebra.map import MAP

MODELS: dict[str, type[Model]] = {model.name: model for model in (HRR, FHRR, MAP, BSC)}

__all__ = ["BSC", "FHRR", "HRR", "MAP", "MODELS", "Model"]
