"""TPR: tensor product representations. Binding keeps every product of two components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.algebra.gaussian import WithRoles
from vsacourse.algebra.mbat import haar_matrices
from vsacourse.backend import A, off_graph, same_dtype, to_numpy

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["TPR"]


@dataclass(frozen=True)
class TPR(WithRoles):
    """TPR (tensor product representation): bind(f, r) = fᵀ r, all products f_i r_j.

    f and r are row vectors, so fᵀ r is a matrix with a row for each component of the filler and
    a column for each of the role. A bundle of bound pairs is the matrix M = Σ_i f_iᵀ r_i, and
    unbinding is M rᵀ, one number for each row::

        M r_jᵀ = Σ_i f_i (r_i · r_j)      f_j exactly, iff the roles are orthonormal

    For roles that are independent but not orthogonal, ``dual_roles`` gives keys that read every
    filler exactly; noise in M then grows, up to 1/σ_min of the roles (``theory.noise_growth``).

    **A bound matrix is written row after row on the last axis**, shape ``(..., dim · role_dim)``.
    So bundle, similarity, item memories and batch axes work on it unchanged, and ``matrix`` shows
    it. A bound vector may be bound again: dim · role_dim² components, and so on; the role bound
    last is unbound first. Written so, binding is the Kronecker product: associative, not
    commutative, and its identity is the vector (1), with one component.

    This is what the other models save: they compress the dim · role_dim numbers into d.

    dtypes: float32 (default), float64.

    Source: Smolensky (1990), Tensor product variable binding, Artificial Intelligence 46.

    Attributes:
        dim: the number of components of a filler.
        role_dim: the number of components of a role.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> model = TPR(dim=64, role_dim=8)
    >>> fillers, roles = model.random(3, rng), model.orthonormal_roles(3, rng)
    >>> memory = model.bundle(model.bind(fillers, roles))
    >>> model.matrix(memory).shape
    (64, 8)
    >>> bool(np.allclose(model.unbind(memory, roles[1]), fillers[1], atol=1e-6))
    True
    """

    role_dim: int

    name: ClassVar[str] = "TPR"
    _example: ClassVar[str] = "dim=1024, role_dim=16"

    def __post_init__(self) -> None:
        super().__post_init__()
        n = self.role_dim
        if isinstance(n, bool) or not isinstance(n, int | np.integer):
            raise TypeError(
                f"TPR: role_dim is {n!r}; a positive whole number is needed, "
                f"such as TPR(dim={self.dim}, role_dim=16)."
            )
        if n < 1:
            raise ValueError(f"TPR: role_dim is {n}; it needs to be at least 1.")
        object.__setattr__(self, "role_dim", int(n))

    # Roles

    def random_roles(
        self, n: int, rng: np.random.Generator, dtype: DTypeLike | None = None
    ) -> NDArray[Any]:
        """Draw n independent roles of length 1, as NumPy, shape ``(n, role_dim)``.

        They are nearly orthogonal, not orthogonal: r_i · r_j has standard deviation 1/√role_dim.
        """
        self._check_draw("random_roles", n, rng)
        chosen = self._numpy_dtype("random_roles", dtype)
        rows = rng.standard_normal((n, self.role_dim))
        return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(chosen)

    def orthonormal_roles(
        self, n: int, rng: np.random.Generator, dtype: DTypeLike | None = None
    ) -> NDArray[Any]:
        """Draw n roles with r_i · r_j = 1 if i = j, else 0, as NumPy, shape ``(n, role_dim)``.

        Raises:
            ValueError: n is above ``role_dim``, or below 1.
        """
        self._check_draw("orthonormal_roles", n, rng)
        if n > self.role_dim:
            raise ValueError(
                f"{self}.orthonormal_roles: n is {n}; at most role_dim = {self.role_dim} vectors "
                "are orthogonal. Use fewer roles, or a larger role_dim."
            )
        rotation = haar_matrices(1, self.role_dim, rng)[0]
        return rotation[:n].astype(self._numpy_dtype("orthonormal_roles", dtype))

    def dual_roles(self, roles: A) -> A:
        """Return vectors u_j with r_i · u_j = 1 if i = j, else 0; ``(..., n, role_dim)`` both.

        Unbinding with u_j reads f_j exactly: M u_jᵀ = Σ_i f_i (r_i · u_j) = f_j. With the roles
        as the rows of R and Rᵀ = Q T (QR), the duals are the rows of T⁻¹ Qᵀ: the pseudo-inverse
        of R, transposed. Orthonormal roles are their own duals.

        Source: Smolensky (1990), unbinding vectors.

        Raises:
            ValueError: the roles are linearly dependent; the line names which role is a
                combination of which others.
        """
        xp: Any = self._check("dual_roles", roles, names=("role",))
        if roles.ndim < 2 or roles.shape[-2] == 0:
            raise ValueError(
                f"{self}.dual_roles: the roles have shape {tuple(roles.shape)}; they need "
                f"(..., n, {self.role_dim}) with n at least 1: a role has its dual among others."
            )
        self._check_independent(roles)
        q, t = xp.linalg.qr(xp.matrix_transpose(roles))
        return xp.linalg.solve(t, xp.matrix_transpose(q))

    def _check_independent(self, roles: Any) -> None:
        r"""Refuse linearly dependent roles, by name.

        For a singular value σ of R with left singular vector w, ‖Σ_i w_i r_i‖ = σ. Where σ is 0 up
        to rounding, every role with w_i ≠ 0 is a combination of the others with w_j ≠ 0.
        """
        sets = to_numpy(off_graph(roles)).reshape((-1, *roles.shape[-2:]))
        rounding = np.finfo(sets.dtype).eps * max(sets.shape[-2:])
        for rows in sets:
            size = np.linalg.norm(rows, axis=-1, keepdims=True)
            if not size.all():
                raise ValueError(
                    f"{self}.dual_roles: role {int(np.argmin(size))} is zero; it has no dual."
                )
            w, sigma, _ = np.linalg.svd(rows / size)  # of length 1: the threshold has no scale
            if len(sigma) == len(rows) and sigma[-1] > rounding:
                continue
            weight = np.abs(w[:, -1])
            *others, last = np.flatnonzero(weight > 1e-3 * weight.max()).tolist()
            raise ValueError(
                f"{self}.dual_roles: the roles are linearly dependent: role {last} is a "
                f"combination of {', '.join(map(str, others))}. "
                "Leave one of them out, or use a larger role_dim."
            )

    # The operations

    def matrix(self, bound: A) -> A:
        """Return a bound vector as the matrix it is, ``(..., k, role_dim)``.

        k is dim after one binding, dim · role_dim after two.

        Raises:
            ValueError: the vector is a filler, not bound with any role.
        """
        self._check("matrix", bound, names=("bound vector",), values=False)
        rows = self._rows("matrix", bound, self.role_dim)
        return bound.reshape((*bound.shape[:-1], rows, self.role_dim))

    def identity(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return (1), shape ``(1,)``, a role of no dimension: fᵀ (1) = f."""
        return np.ones(1, self._numpy_dtype("identity", dtype))

    def bind(self, filler: A, role: A) -> A:
        """Return fᵀ r row after row: ``(..., k)`` and ``(..., m)`` to ``(..., k m)``.

        k is dim, or more when the filler is bound already; m is role_dim, or a power of it for a
        role that was bound to roles. Leading axes broadcast.

        Raises:
            ValueError: a wrong number of components, or a non-finite number.
            TypeError: a dtype that is not float32 or float64.
        """
        self._check_pair("bind", filler, role, names=("filler", "role"))
        product: Any = filler[..., :, None] * role[..., None, :]  # [..., k, m]
        return product.reshape((*product.shape[:-2], filler.shape[-1] * role.shape[-1]))

    def inverse(self, a: A) -> A:
        """Raise: no vector a' makes bind(bound, a') smaller again; unbinding is M rᵀ.

        Raises:
            ValueError: always.
        """
        raise ValueError(
            f"{self}.inverse: binding with any vector only adds components, so none undoes it. "
            "Use unbind(bound, role), with a role of dual_roles(roles) if they are not orthonormal."
        )

    def unbind(self, bound: A, key: A) -> A:
        """Return M keyᵀ: ``(..., k m)`` and ``(..., m)`` to ``(..., k)``; leading axes broadcast.

        The key is the role itself, exact for one pair if ‖r‖ = 1 and for a bundle iff its roles
        are orthonormal; or it is the role's dual, of ``dual_roles``.

        Raises:
            ValueError: a wrong number of components, or a non-finite number.
        """
        self._check_pair("unbind", bound, key, names=("bound vector", "key"))
        size = key.shape[-1]
        rows = self._rows("unbind", bound, size)
        matrix, column = same_dtype(
            bound.reshape((*bound.shape[:-1], rows, size)), key[..., :, None]
        )
        return (matrix @ column)[..., 0]  # [..., k, m] @ [..., m, 1]

    def _rows(self, operation: str, bound: Any, columns: int) -> int:
        """Return how many rows remain when a bound vector is written in so many columns."""
        rows, left_over = divmod(bound.shape[-1], columns)
        if left_over or not self._is_filler(rows):
            needed = f"dim · {columns} = {self.dim * columns}, what binding with such a role gives"
            self._refuse_size(operation, "bound vector", bound.shape[-1], needed)
        return rows

    @property
    def _sizes(self) -> tuple[str, str]:
        bound = f"dim · role_dim = {self.dim * self.role_dim} (bound)"
        return f"dim = {self.dim} (a filler) or {bound}", f"role_dim = {self.role_dim} (a role)"

    def _is_filler(self, size: int) -> bool:
        return size % self.dim == 0 and self._is_role(size // self.dim)

    def _is_role(self, size: int) -> bool:
        """Say whether the size is a power of role_dim; 1 is one, the size of the identity."""
        while self.role_dim > 1 and size > 0 and size % self.role_dim == 0:
            size //= self.role_dim
        return size == 1
