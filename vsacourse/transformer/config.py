"""The shape of a transformer: one small frozen dataclass, checked when it is made."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from vsacourse.transformer.arguments import whole

__all__ = ["Config"]

Positions = Literal["learned", "sinusoidal", "rotary", "none"]
PositionsIn = Literal["stream", "qk"]
Activation = Literal["relu", "gelu", "gelu_tanh"]
Pairing = Literal["halves", "interleaved"]


@dataclass(frozen=True)
class Config:
    """The shape of a decoder-only transformer.

    ``Config(d_vocab=50, d_model=64, n_layers=2, n_heads=1, n_ctx=32)`` has attention only: no MLP
    (``d_mlp=0``), no LayerNorm, no biases. GPT-2's architecture switches all three on.

    Attributes:
        d_vocab: the number of tokens that can be read.
        d_model: the dimension of the residual stream.
        n_layers: the number of blocks.
        n_heads: the number of heads in each block.
        n_ctx: the largest number of positions.
        d_head: the dimension of a head; None: d_model / n_heads.
        d_mlp: the hidden dimension of the MLP; 0: no MLP.
        d_vocab_out: the number of tokens that can be predicted; None: d_vocab.
        positions: ``"learned"``, ``"sinusoidal"``, ``"rotary"`` or ``"none"``. Rotary positions
            rotate queries and keys; the first two are vectors that are added.
        positions_in: where position vectors are added: ``"stream"``, or ``"qk"``, only into the
            inputs of W_Q and W_K, so that values and the residual stream hold no position.
        layer_norm: LayerNorm before each sublayer and before the unembedding.
        biases: biases in attention, MLP and unembedding.
        activation: of the MLP; ``"gelu_tanh"`` is GPT-2's approximation.
        scale: scores are multiplied by it; None: 1/√d_head.
        causal: a position attends to itself and to earlier ones only.
        layer_norm_eps: added to the variance.
        rotary_pairing: components that rotate together: ``"halves"`` (i with i + d_head/2, as in
            Llama) or ``"interleaved"`` (2i with 2i + 1, as in the paper by Su et al. 2021).
        rotary_base: pair i turns by base^(−2i/d_head) radians a position.

    Raises:
        TypeError: a field of the wrong type; the message names it.
        ValueError: a field out of range, or two that do not fit; the message names them.
    """

    d_vocab: int
    d_model: int
    n_layers: int
    n_heads: int
    n_ctx: int
    d_head: int | None = None
    d_mlp: int = 0
    d_vocab_out: int | None = None
    positions: Positions = "learned"
    positions_in: PositionsIn = "stream"
    layer_norm: bool = False
    biases: bool = False
    activation: Activation = "gelu_tanh"
    scale: float | None = None
    causal: bool = True
    layer_norm_eps: float = 1e-5
    rotary_pairing: Pairing = "halves"
    rotary_base: float = 10_000.0

    def __post_init__(self) -> None:
        for name in ("d_vocab", "d_model", "n_layers", "n_heads", "n_ctx"):
            self._whole(name, 1)
        self._whole("d_mlp", 0)
        if self.d_head is None:
            if self.d_model % self.n_heads:
                raise ValueError(
                    f"Config: d_model is {self.d_model}, which n_heads = {self.n_heads} does not "
                    "divide. Choose others, or give d_head."
                )
            object.__setattr__(self, "d_head", self.d_model // self.n_heads)
        if self.d_vocab_out is None:
            object.__setattr__(self, "d_vocab_out", self.d_vocab)
        self._whole("d_head", 1)
        self._whole("d_vocab_out", 1)
        for name, allowed in (
            ("positions", Positions),
            ("positions_in", PositionsIn),
            ("activation", Activation),
            ("rotary_pairing", Pairing),
        ):
            self._one_of(name, get_args(allowed))
        for name in ("layer_norm", "biases", "causal"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                self._refuse(name, "True or False is needed", TypeError)
            object.__setattr__(self, name, bool(getattr(self, name)))
        if self.scale is None:
            object.__setattr__(self, "scale", 1 / math.sqrt(self.head_size))
        for name in ("scale", "layer_norm_eps", "rotary_base"):
            self._number(name)
        if self.positions == "rotary" and self.head_size % 2:
            raise ValueError(
                f"Config: d_head is {self.d_head}; rotary positions turn pairs, so it needs to be "
                "even."
            )
        if self.positions_in == "qk" and self.positions not in ("learned", "sinusoidal"):
            raise ValueError(
                f'Config: positions_in is "qk" and positions is "{self.positions}"; only "learned" '
                'and "sinusoidal" positions are vectors that can be added somewhere.'
            )

    @property
    def head_size(self) -> int:
        """``d_head`` as an int, after it was filled in."""
        return int(self.d_head or 0)

    @property
    def score_scale(self) -> float:
        """``scale`` as a float, after it was filled in."""
        return float(self.scale or 0)  # _number has refused 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Config:
        """Return the configuration with these fields.

        Raises:
            TypeError: an unknown field, or one of the wrong type.
            ValueError: a field out of range.
        """
        if not isinstance(fields, dict):
            raise TypeError(f"Config: the fields are {fields!r}; a dictionary is needed.")
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(map(str, set(fields) - known))
        if unknown:
            raise TypeError(f"Config: unknown field {', '.join(unknown)}; it has {sorted(known)}.")
        return cls(**fields)

    def _refuse(self, name: str, needed: str, kind: type[Exception] = ValueError) -> None:
        raise kind(f"Config: {name} is {getattr(self, name)!r}; {needed}.")

    def _whole(self, name: str, least: int) -> None:
        """Store a whole number, Python's or NumPy's, as an int, which goes into JSON."""
        object.__setattr__(self, name, whole("Config", name, getattr(self, name), least))

    def _one_of(self, name: str, allowed: tuple[str, ...]) -> None:
        if getattr(self, name) not in allowed:
            self._refuse(name, f"one of {', '.join(map(repr, allowed))} is needed")

    def _number(self, name: str) -> None:
        """Store a number above 0 as a float."""
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            self._refuse(name, "a number is needed", TypeError)
        try:
            number = float(value)
        except OverflowError:  # a whole number past 1e308
            number = math.inf
        if not (math.isfinite(number) and number > 0):
            self._refuse(name, "a finite number above 0 is needed")
        object.__setattr__(self, name, number)
