"""A transformer: its configuration and its weights, ready to be called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from vsacourse.backend import to_backend
from vsacourse.transformer.config import Config
from vsacourse.transformer.forward_pass import forward
from vsacourse.transformer.trace import Edit, Trace, Watch
from vsacourse.transformer.weights import Weights, check_weights, random_weights

__all__ = ["Transformer"]


@dataclass(frozen=True, eq=False)
class Transformer:
    """A configuration and weights that fit it; calling it gives logits.

    >>> import numpy as np
    >>> from vsacourse.transformer import Config, Transformer
    >>> config = Config(d_vocab=10, d_model=8, n_layers=2, n_heads=2, n_ctx=6)
    >>> model = Transformer.random(config, np.random.default_rng(0))
    >>> model([1, 2, 3]).shape
    (3, 10)
    >>> model.trace([1, 2, 3])["blocks.1.attn.pattern"].shape
    (2, 3, 3)

    Args:
        config: the shape.
        weights: name -> array, NumPy or torch; see ``weight_shapes``.

    Raises:
        ValueError: a weight is missing, unknown, of another shape, or not finite.
        TypeError: a weight is not an array of floats.
    """

    config: Config
    weights: Weights = field(repr=False)

    def __post_init__(self) -> None:
        check_weights(self.config, self.weights)

    @classmethod
    def random(
        cls, config: Config, rng: np.random.Generator, dtype: DTypeLike = "float32"
    ) -> Transformer:
        """Draw the weights, as ``random_weights`` does."""
        return cls(config, random_weights(config, rng, dtype))

    def __call__(self, tokens: Any, mask: Any = None) -> Any:
        """Return the logits of tokens ``(..., pos)``: ``(..., pos, d_vocab_out)``."""
        return forward(self.config, self.weights, tokens, mask)

    def trace(
        self,
        tokens: Any,
        mask: Any = None,
        keep: str | Sequence[str] = "*",
        edit: Mapping[str, Edit] | None = None,
    ) -> Trace:
        """Return the values of a forward pass by name, with some changed on the way.

        ``edit={"blocks.0.attn.pattern": lambda A: 0 * A}`` cuts the first block's attention;
        whatever follows is computed from the changed value.

        Args:
            tokens: ``(..., pos)``.
            mask: as in ``forward``.
            keep: names, or patterns such as ``"blocks.*.attn.pattern"``, of what to keep; at long
                contexts the patterns and results of all heads are large.
            edit: name -> function that takes the value and returns the one to go on with, an array
                of the same kind and shape; it is brought to the weights' dtype. The function may
                change what it is given: neither the model nor another value shares its memory.

        Raises:
            ValueError: no value has such a name, or an edit returns another shape, numbers that
                are not finite, or scores that hide every key from a query.
            TypeError: an edit is not a function, or returns no array of real numbers of the
                model's kind.
        """
        watch = Watch(keep, edit or {})
        watch.check(self.config)
        forward(self.config, self.weights, tokens, mask, watch)
        return Trace(watch.kept)

    def to(self, like: Any) -> Transformer:
        """Return the same transformer as the kind of array that ``like`` is, on its device.

        NumPy weights that become tensors are copied. Where kind and device stay, and from tensors
        on the CPU to NumPy, the new transformer shares the weights' memory.
        """
        return Transformer(self.config, {k: to_backend(w, like) for k, w in self.weights.items()})

    def numpy(self) -> Transformer:
        """Return the same transformer on NumPy, off any graph and device; bfloat16 as float32.

        Tensors on the CPU share their memory with it: train a tensor on, and it changes here too.
        ``TransformerModule.transformer()`` copies.
        """
        return self.to(np.empty(0))
