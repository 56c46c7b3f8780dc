"""The checks that the models share.

A wrong input gives one line that says what was given, what is needed and what to do. Checks are
made at every call, so they are cheap: a few comparisons, and one pass over the numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.backend import (
    A,
    all_finite,
    array_namespace,
    dtype_name,
    first_non_finite,
    is_plain,
    off_graph,
    squared_norm,
    sum_items,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = ["Checks"]

_SMALLEST = {"float32": 2.0**-126, "float64": 2.0**-1022}
"""The smallest numbers that have all their digits."""
_TWO = ("first vector", "second vector")


class Checks:
    """What a model asks of its inputs; ``Model`` inherits it."""

    dim: int
    name: ClassVar[str]
    dtypes: ClassVar[tuple[str, ...]]
    _ROLES_APART: ClassVar[bool] = False
    """Roles have another number of components than fillers."""

    def _check(
        self, operation: str, *arrays: Any, names: tuple[str, ...] = _TWO, values: bool = True
    ) -> Any:
        """Check kind, dtype, dimension and values of the vectors; return their namespace."""
        if len(arrays) == 1 and self._are_usual(x := arrays[0], x):
            if values:
                self._check_values(operation, x, "vector" if names is _TWO else names[0])
            return array_namespace(x)
        try:
            xp = array_namespace(*arrays)
        except TypeError as error:
            raise TypeError(f"{self}.{operation}: {error}") from None
        if len(arrays) == 1 and names is _TWO:
            names = ("vector",)
        for x, name in zip(arrays, names, strict=True):
            if dtype_name(x.dtype) not in self.dtypes:
                self._refuse_dtype(operation, dtype_name(x.dtype), name)
        self._check_sizes(operation, arrays, names)
        if values:
            for x, name in zip(arrays, names, strict=True):
                self._check_values(operation, x, name)
        return xp

    def _check_sizes(self, operation: str, arrays: tuple[Any, ...], names: tuple[str, ...]) -> None:
        """Refuse a last axis that has not d components; TPR and MBAT have roles of other sizes."""
        for x, name in zip(arrays, names, strict=True):
            if x.ndim == 0 or x.shape[-1] != self.dim:
                self._refuse_dimension(operation, tuple(x.shape), name)

    def _check_pair(self, operation: str, a: Any, b: Any, names: tuple[str, ...] = _TWO) -> Any:
        """Check two vectors that broadcast against each other."""
        if self._are_usual(a, b) and self._values_fit(a, b):
            return array_namespace(a)
        xp = self._check(operation, a, b, names=names, values=False)
        if a.shape != b.shape or a.dtype != b.dtype:
            self._check_broadcast(operation, a.shape[:-1], b.shape[:-1])
        for x, name in zip((a, b), names, strict=True):
            self._check_values(operation, x, name)
        return xp

    def _are_usual(self, a: Any, b: Any) -> bool:
        """Say whether both are plain, and of one shape and dtype that the model has.

        It is the common case, and saying so costs a third of what the checks one by one cost, which
        is more than a product of 10,000 numbers.
        """
        kind: Any = type(a)
        return (
            is_plain(kind)
            and kind is type(b)
            and a.shape == b.shape
            and a.ndim > 0
            and a.shape[-1] == self.dim
            and a.dtype == b.dtype
            and dtype_name(a.dtype) in self.dtypes
            and not self._ROLES_APART
        )

    def _check_items(self, operation: str, items: Any, values: bool = True) -> Any:
        """Check ``(..., n, d)`` with n >= 1."""
        xp = self._check(operation, items, names=("stack of items",), values=values)
        if items.ndim < 2 or items.shape[-2] == 0:
            raise ValueError(
                f"{self}.{operation}: the items have shape {tuple(items.shape)}; they need "
                f"(..., n, {items.shape[-1]}) with n at least 1. Stack one or more on axis -2."
            )
        return xp

    def _check_values(self, operation: str, x: Any, name: str) -> None:
        if not self._values_fit(x, x):
            self._refuse_values(operation, x, name)

    def _values_fit(self, a: Any, b: Any) -> bool:
        """Say in one pass over both whether all numbers are allowed: here, finite.

        Integers are. b has the shape and dtype of a, or is a.
        """
        return "int" in dtype_name(a.dtype) or all_finite(a, b)

    def _refuse_dtype(self, operation: str, dtype: str, name: str) -> None:
        raise TypeError(
            f"{self}.{operation}: the {name} is {dtype}; it needs {self._dtype_list()}. "
            f"{self._dtype_advice(dtype)}"
        )

    def _refuse_dimension(self, operation: str, shape: tuple[int, ...], name: str) -> None:
        given = f"{shape[-1]} components on its last axis" if shape else "no axes"
        raise ValueError(
            f"{self}.{operation}: the {name} has {given}; it needs {self.dim}. "
            "Make both with the same model."
        )

    def _finite_product(self, operation: str, product: Any, items: Any) -> Any:
        """Return a product over axis −2. A NaN or infinity in an item is one in the product."""
        if not self._values_fit(product, product):
            self._refuse_values(operation, items, "stack of items")
        return product

    def _finite_sum(self, items: Any, dtype: Any = None) -> Any:
        """Return Σ_i a_i over axis −2. Its values are looked at, n times fewer than the items'."""
        with np.errstate(invalid="ignore"):  # ∞ − ∞ is refused below
            total = sum_items(items, dtype)
        if not self._values_fit(total, total):
            self._refuse_values("bundle", items, "stack of items")
        return total

    def _refuse_values(self, operation: str, x: Any, name: str) -> None:
        where = first_non_finite(x)
        if where is None:
            raise ValueError(
                f"{self}.{operation}: the {name} holds numbers whose squares or sums overflow, "
                "or their product. Divide it by its largest component first."
            )
        raise ValueError(
            f"{self}.{operation}: the {name} holds NaN or infinity, first at index {where}; "
            "finite numbers are needed. Look at the step that made it."
        )

    def _check_broadcast(self, operation: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
        try:
            np.broadcast_shapes(tuple(a), tuple(b))
        except ValueError:
            raise ValueError(
                f"{self}.{operation}: the leading axes {tuple(a)} and {tuple(b)} do not fit; "
                "they need to be equal or 1. Insert an axis with x[..., None, :]."
            ) from None

    def _check_draw(self, operation: str, n: Any, rng: Any) -> None:
        """Check what every draw takes: how many, and the generator."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer):
            raise TypeError(f"{self}.{operation}: n is {n!r}; a positive whole number is needed.")
        if n < 1:
            raise ValueError(f"{self}.{operation}: n is {n}; at least 1 vector is needed.")
        self._check_rng(operation, rng)

    def _check_rng(self, operation: str, rng: Any) -> None:
        if not isinstance(rng, np.random.Generator):
            raise TypeError(
                f"{self}.{operation}: rng is {rng!r}; a numpy.random.Generator is needed. "
                "Pass np.random.default_rng(seed)."
            )

    def _numpy_dtype(self, operation: str, dtype: DTypeLike | None) -> np.dtype[Any]:
        try:
            chosen = np.dtype(self.dtypes[0] if dtype is None else dtype)
        except TypeError:
            raise TypeError(
                f"{self}.{operation}: dtype is {dtype!r}; a NumPy dtype is needed. "
                "Draw in NumPy, then move with backend.to_backend."
            ) from None
        if chosen.name not in self.dtypes or not chosen.isnative:
            raise ValueError(
                f"{self}.{operation}: dtype is {chosen}; it needs {self._dtype_list()}."
            )
        return chosen

    def _dtype_list(self) -> str:
        return " or ".join([", ".join(self.dtypes[:-1]), self.dtypes[-1]])

    def _dtype_advice(self, dtype: str) -> str:
        return f"Draw with {self}.random, or convert the array to {self.dtypes[0]}."

    def _norm(self, operation: str, a: Any, x: A, name: str) -> A:
        """Return ‖x‖, x the coordinates of a, or 1 for a zero vector: its similarity is 0 / 1."""
        xp: Any = array_namespace(x)
        with np.errstate(over="ignore", under="ignore"):  # both are refused below
            square = squared_norm(x)
        if square.ndim == 0 and self._is_safe(x, value := float(off_graph(square))) and value > 0:
            return xp.sqrt(square)  # the common case, without the steps for a zero
        if 0 not in square.shape:
            self._check_squares(operation, a, x, square, name)
        # A zero is replaced before the root, not after: the root has no gradient at 0.
        return xp.sqrt(xp.where(square == 0, xp.ones_like(square), square))

    @staticmethod
    def _is_safe(x: Any, square: float) -> bool:
        """Say whether a sum of squares neither overflowed nor lost digits to underflow.

        d squares that round to multiples of a subnormal number cost d times its digits.
        """
        return _SMALLEST[dtype_name(x.dtype)] * x.shape[-1] <= square < math.inf

    def _check_squares(self, operation: str, a: Any, x: Any, square: Any, name: str) -> None:
        """Refuse sums of squares that overflowed, or lost digits because squares underflowed."""
        square, x = off_graph(square), off_graph(x)
        if self._is_safe(x, float(square.min())) and self._is_safe(x, float(square.max())):
            return
        if not all_finite(square, square):
            self._refuse_values(operation, a, name)
        enough = _SMALLEST[dtype_name(x.dtype)] * x.shape[-1]
        if bool((x[square < enough] != 0).any()):
            raise ValueError(
                f"{self}.{operation}: the {name} is so small that its squares underflow. "
                "Divide it by its largest component first."
            )
