"""The same forward pass as a torch module, for training: ``TransformerModule(config, rng)``.

This file imports torch; nothing else in the package does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from vsacourse.transformer.config import Config
from vsacourse.transformer.forward_pass import forward
from vsacourse.transformer.model import Transformer
from vsacourse.transformer.weights import Weights, check_weights, random_weights

__all__ = ["TransformerModule"]


class TransformerModule(torch.nn.Module):
    """A transformer whose weights are parameters; calling it gives logits.

    ``state_dict`` has the names of ``weight_shapes``, so weights go to and from a ``Transformer``
    as they are. ``.to(device)``, ``.to(dtype)`` and optimizers work as with any module.

    >>> import numpy as np
    >>> from vsacourse.transformer import Config
    >>> from vsacourse.transformer.module import TransformerModule
    >>> config = Config(d_vocab=10, d_model=8, n_layers=1, n_heads=2, n_ctx=6)
    >>> module = TransformerModule(config, np.random.default_rng(0))
    >>> module(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 10])

    Args:
        config: the shape.
        weights: a generator that draws them, or the weights themselves, which are copied.
    """

    def __init__(self, config: Config, weights: np.random.Generator | Weights) -> None:
        super().__init__()
        if isinstance(weights, np.random.Generator):
            weights = random_weights(config, weights)
        check_weights(config, weights)
        self.config = config
        # Where each parameter lives: named_parameters would look through all modules at every step.
        self._places: list[tuple[str, torch.nn.Module, str]] = []
        for name, value in weights.items():
            tensor = torch.as_tensor(np.array(value) if isinstance(value, np.ndarray) else value)
            owner, last = self._owner(name), name.rpartition(".")[-1]
            owner.register_parameter(last, torch.nn.Parameter(tensor.detach().clone()))
            self._places.append((name, owner, last))

    def _owner(self, name: str) -> torch.nn.Module:
        """Return the submodule that a dotted name lies in, made when it is missing."""
        owner: torch.nn.Module = self
        for part in name.split(".")[:-1]:
            if part not in owner._modules:
                owner.add_module(part, torch.nn.Module())
            owner = owner.get_submodule(part)
        return owner

    def forward(self, tokens: Any, mask: Any = None) -> torch.Tensor:
        """Return the logits of tokens ``(..., pos)``: ``(..., pos, d_vocab_out)``."""
        weights = {name: owner._parameters[last] for name, owner, last in self._places}
        return forward(self.config, weights, tokens, mask)

    def transformer(self) -> Transformer:
        """Return a ``Transformer`` with a copy of the present weights, as torch tensors."""
        weights = {name: w.detach().clone() for name, w in self.named_parameters()}
        return Transformer(self.config, weights)
