"""A decoder-only transformer that is read in one sitting, and computes what the real ones do."""

from vsacourse.transformer.config import Config
from vsacourse.transformer.forward_pass import forward
from vsacourse.transformer.model import Transformer
from vsacourse.transformer.positions import rotary_angles, rotate, sinusoids
from vsacourse.transformer.trace import Trace, activation_names
from vsacourse.transformer.weights import check_weights, random_weights, weight_shapes

__all__ = [
    "Config",
    "Trace",
    "Transformer",
    "activation_names",
    "check_weights",
    "forward",
    "random_weights",
    "rotary_angles",
    "rotate",
    "sinusoids",
    "weight_shapes",
]
