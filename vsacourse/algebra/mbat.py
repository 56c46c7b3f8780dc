"""MBAT: matrix binding of additive terms. A role is an orthogonal matrix."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vsacourse.algebra.gaussian import WithRoles
from vsacourse.backend import (
    A,
    array_namespace,
    asarray_like,
    off_graph,
    same_dtype,
    to_backend,
    to_numpy,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["MBAT"]


class MBAT(WithRoles):
    """MBAT (matrix binding of additive terms): a_j ~ N(0, 1/d), bind(f, M) = f M, M orthogonal.

    f is a row vector, as in x W_V W_O: an attention head that moves a filler under a role is
    this binding, so MBAT is the template for reading such a product of weights. The transpose
    undoes it exactly, f M Mᵀ = f, and fillers keep their length. After unbinding one of M
    bundled pairs the cosine with its filler is 1/√M.

    **A role is a matrix, written row after row as d² numbers on the last axis**, shape
    ``(..., d²)``. So batches, items on axis −2, ``inverse``, ``identity`` and ``multibind`` are
    those of the other models, and so are the laws. ``matrix(role)`` shows the ``(..., d, d)``
    and ``role(matrix)`` flattens one, such as W_V W_O. A role may also be bound to a role: that
    is the matrix product, and binding is associative, f (M N) = (f M) N; it does not commute.

    Roles are drawn with ``random_roles``, or computed from role vectors with ``seeded_roles``:
    then a role is as short as a vector and is known by it, but similar vectors do not give
    similar roles.

    dtypes: float32 (default), float64.

    Source: Gallant & Okaywe (2013), Representing objects, relations, and sequences, Neural
    Computation 25. Orthogonal matrices make unbinding exact.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> model = MBAT(dim=32)
    >>> filler, role = model.random(1, rng)[0], model.random_roles(1, rng)[0]
    >>> role.shape
    (1024,)
    >>> bool(np.allclose(model.unbind(model.bind(filler, role), role), filler, atol=1e-6))
    True
    """

    name: ClassVar[str] = "MBAT"

    def role_matrices(
        self, n: int, rng: np.random.Generator, dtype: DTypeLike | None = None
    ) -> NDArray[Any]:
        """Draw n random orthogonal matrices, Haar-distributed, as NumPy, shape ``(n, d, d)``.

        Haar: no direction is preferred, M and Q M are equally likely for every orthogonal Q. It
        is the Q of a Gaussian matrix Z = Q R *with the signs that make R's diagonal positive*:
        whatever signs the algorithm leaves prefer some matrices.

        Source: Mezzadri (2007), How to generate random matrices from the classical compact
        groups, Notices of the AMS 54.

        Raises:
            TypeError: ``rng`` is not a ``numpy.random.Generator``, or n is not an int.
            ValueError: n is below 1, or a dtype that the model does not have.
        """
        self._check_draw("role_matrices", n, rng)
        chosen = self._numpy_dtype("role_matrices", dtype)
        return haar_matrices(int(n), self.dim, rng).astype(chosen)

    def random_roles(
        self, n: int, rng: np.random.Generator, dtype: DTypeLike | None = None
    ) -> NDArray[Any]:
        """Return ``role(role_matrices(n, rng))``: n random roles, as NumPy, shape ``(n, d²)``."""
        return self.role(self.role_matrices(n, rng, dtype))

    def seeded_roles(self, vectors: A) -> A:
        """Return each vector's own role, M = Haar(SHA-256([a_1 < 0, …, a_d < 0])).

        ``(..., d)`` to ``(..., d²)``. The signs of the components are hashed, and the hash seeds
        the generator of the matrix; −0 and 0 count as positive.

        - **Kept**: one vector always has the same role, on both backends, in every dtype,
          rounded or scaled, up to the last digits of the matrix. So whoever has the vector has
          the role, and d numbers stand for d².
        - **Lost**: one sign that differs gives an unrelated role. Similar vectors do not have
          similar roles, and a role bound as a vector, or bundled, is another vector's. Vectors
          of the same signs share one role, such as all that have no negative component.
        - No gradient passes, and each role costs d³ operations.

        Source: Gallant & Okaywe (2013), who bind with fixed random matrices; Schlegel, Neubert
        & Protzel (2022), who seed them by the role vector.

        >>> import numpy as np
        >>> model = MBAT(dim=32)
        >>> names = model.random(2, np.random.default_rng(0))
        >>> bool(np.all(model.seeded_roles(names) == model.seeded_roles(3 * names)))
        True

        Raises:
            ValueError: a wrong number of components, or a non-finite number.
            TypeError: a dtype that is not float32 or float64.
        """
        array_namespace(vectors)
        size = vectors.shape[-1] if vectors.ndim else 0
        if size != self.dim:  # before _check, which would let d² pass
            self._refuse_size("seeded_roles", "role vector", size, f"dim = {self.dim}")
        self._check("seeded_roles", vectors, names=("role vector",))
        rows = to_numpy(vectors).reshape((-1, self.dim))
        roles = np.empty((len(rows), self.dim**2), rows.dtype)
        for i, row in enumerate(rows):
            digest = hashlib.sha256(np.packbits(row < 0).tobytes()).digest()
            rng = np.random.default_rng(int.from_bytes(digest, "big"))
            roles[i] = haar_matrices(1, self.dim, rng).reshape(-1)
        return to_backend(roles.reshape((*vectors.shape[:-1], self.dim**2)), like=vectors)

    def role(self, matrix: A) -> A:
        """Return a matrix, row after row, as a role: ``(..., d, d)`` to ``(..., d²)``.

        Any matrix can be bound with; only an orthogonal one can be unbound.

        Raises:
            ValueError: the last two axes are not d and d.
        """
        array_namespace(matrix)
        if matrix.ndim < 2 or tuple(matrix.shape[-2:]) != (self.dim, self.dim):
            raise ValueError(
                f"{self}.role: the matrix has shape {tuple(matrix.shape)}; it needs "
                f"(..., {self.dim}, {self.dim})."
            )
        return matrix.reshape((*matrix.shape[:-2], self.dim**2))

    def matrix(self, role: A) -> A:
        """Return a role as the matrix it is: ``(..., d²)`` to ``(..., d, d)``."""
        self._check("matrix", role, names=("role",), values=False)
        return role.reshape((*role.shape[:-1], self.dim, self.dim))

    def identity(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return the unit matrix as a role, shape ``(d²,)``: f I = f."""
        return self.role(np.eye(self.dim, dtype=self._numpy_dtype("identity", dtype)))

    def bind(self, filler: A, role: A) -> A:
        """Return f M, shape ``(..., d)``; of a role in the place of f, M_1 M_2, ``(..., d²)``.

        Leading axes broadcast.

        Raises:
            ValueError: a wrong number of components, or a non-finite number.
            TypeError: a dtype that is not float32 or float64.
        """
        self._check_pair("bind", filler, role, names=("filler", "role"))
        return self._product(filler, self.matrix(role))

    def inverse(self, role: A) -> A:
        """Return the transposed matrix as a role, shape ``(..., d²)``: M Mᵀ = I.

        Raises:
            ValueError: the matrix is not orthogonal within .001: Mᵀ is then no inverse.
        """
        xp: Any = self._check("inverse", role, names=("role",))
        self._check_orthogonal("inverse", role, "role")
        return self.role(xp.matrix_transpose(self.matrix(role)))

    def unbind(self, bound: A, key: A) -> A:
        """Return bound Mᵀ, shape as ``bound``; exact for one pair. ``bound`` may be a sum.

        Raises:
            ValueError: the key's matrix is not orthogonal within .001.
        """
        xp: Any = self._check_pair("unbind", bound, key, names=("bound vector", "key"))
        self._check_orthogonal("unbind", key, "key")
        return self._product(bound, xp.matrix_transpose(self.matrix(key)))

    def _product(self, a: A, matrix: A) -> A:
        """Return a @ matrix, where a is one row, or (as a role) d rows."""
        size = a.shape[-1]
        rows, matrix = same_dtype(a.reshape((*a.shape[:-1], size // self.dim, self.dim)), matrix)
        product: Any = rows @ matrix  # [..., 1 or d, d] @ [..., d, d]
        return product.reshape((*product.shape[:-2], size))

    @property
    def _sizes(self) -> tuple[str, str]:
        role = f"dim² = {self.dim**2} (a role)"
        return f"dim = {self.dim} (a filler) or {role}", role

    def _is_filler(self, size: int) -> bool:
        return size in (self.dim, self.dim**2)

    def _is_role(self, size: int) -> bool:
        return size == self.dim**2

    def _check_orthogonal(self, operation: str, role: A, name: str) -> None:
        """Refuse a matrix with p M Mᵀ ≠ p for one fixed row p of signs.

        Comparing M Mᵀ with I would cost d³, and binding costs d². One row costs d² as well, and
        a matrix that fails the comparison passes for p only by a rare chance (Freivalds 1977).
        """
        xp: Any = array_namespace(role)
        matrix = off_graph(self.matrix(role))
        signs = np.where(np.cos(np.arange(self.dim) ** 2) < 0, -1.0, 1.0)
        p = asarray_like(signs[None, :], matrix)  # [1, d], so that a batch of matrices broadcasts
        deviation = p @ matrix @ xp.matrix_transpose(matrix) - p
        if bool((abs(deviation) > 2e-3).any()):
            raise ValueError(
                f"{self}.{operation}: the matrix of the {name} is not orthogonal, so its transpose "
                "does not undo it. Draw roles with random_roles, or use numpy.linalg.inv."
            )


def haar_matrices(n: int, dim: int, rng: np.random.Generator) -> NDArray[Any]:
    """Draw n orthogonal matrices ``(n, d, d)``: the Q of Z = Q R with R's diagonal positive."""
    q, r = np.linalg.qr(rng.standard_normal((n, dim, dim)))
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    return q * np.where(diagonal < 0, -1.0, 1.0)[:, None, :]  # column j times its sign
