"""What TPR, MBAT and VTB share: normal vectors, sums, cosines, and binding whose order counts."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.algebra.base import Model
from vsacourse.backend import A

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gaussian", "WithRoles"]


class Gaussian(Model):
    """Real vectors a_j ~ N(0, 1/d), float32 (default) or float64; a bundle is the plain sum."""

    dtypes: ClassVar[tuple[str, ...]] = ("float32", "float64")

    def _draw(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return rng.standard_normal((n, self.dim)) / math.sqrt(self.dim)

    def multibind(self, items: A) -> A:
        """Return bind(… bind(bind(a_1, a_2), a_3) …, a_n), items on axis −2. The order counts.

        Raises:
            ValueError: there are no items, or items of this size cannot be bound to each other.
        """
        self._check_items("multibind", items, values=False)
        return reduce(self.bind, [items[..., i, :] for i in range(items.shape[-2])])

    def bundle(self, items: A, rng: np.random.Generator | None = None) -> A:
        """Return the sum c = Σ_i a_i: ``(..., n, d)`` to ``(..., d)``; ``rng`` is not used.

        Raises:
            ValueError: there are no items.
        """
        self._check_items("bundle", items, values=False)
        return self._finite_sum(items)

    def normalize(self, a: A, rng: np.random.Generator | None = None) -> A:
        """Return a / ‖a‖, and a zero vector as it is; shape ``(..., d)``. ``rng`` is not used."""
        self._check("normalize", a, values=False)  # the norm shows them
        return a / self._norm("normalize", a, a, "vector")[..., None]

    def coordinates(self, a: A) -> A:
        """Return a: similarity is the cosine."""
        self._check("coordinates", a, values=False)
        return a


class WithRoles(Gaussian):
    """A model whose roles have another number of components than its fillers.

    Every operation but ``bind``, ``unbind`` and ``inverse`` takes either kind, as long as all
    vectors of one call have the same number of components.
    """

    _ROLES_APART: ClassVar[bool] = True

    @property
    @abstractmethod
    def _sizes(self) -> tuple[str, str]:
        """What the numbers of components of fillers and of roles may be, in words."""

    @abstractmethod
    def _is_filler(self, size: int) -> bool:
        """Say whether a filler, or what binding gives, may have so many components."""

    @abstractmethod
    def _is_role(self, size: int) -> bool:
        """Say whether a role may have so many components."""

    def _check_sizes(self, operation: str, arrays: tuple[Any, ...], names: tuple[str, ...]) -> None:
        fillers, roles = self._sizes
        for x, name in zip(arrays, names, strict=True):
            size = x.shape[-1] if x.ndim else 0  # no axes, no components
            filler, role = self._is_filler(size), self._is_role(size)
            if name in ("filler", "bound vector"):
                fits, needed = filler, fillers
            elif name in ("role", "key"):
                fits, needed = role, roles
            else:
                fits, needed = filler or role, f"{fillers}, or {roles}"
            if size == 0 or not fits:
                self._refuse_size(operation, name, size, needed)
        sizes = {x.shape[-1] for x in arrays}
        if len(sizes) > 1 and names[1] not in ("role", "key"):
            needed = f"{arrays[0].shape[-1]}, as the {names[0]} has"
            self._refuse_size(operation, names[1], arrays[1].shape[-1], needed)

    def _refuse_size(self, operation: str, name: str, size: int, needed: str) -> None:
        given = f"{size} components on its last axis" if size else "no axes or no components"
        raise ValueError(
            f"{self}.{operation}: the {name} has {given}; it needs {needed}. "
            "Draw fillers with random and roles with random_roles of the same model."
        )
