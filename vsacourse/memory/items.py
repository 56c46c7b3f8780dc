"""Item memory: the codebook of known vectors, and cleanup to the nearest of them."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from vsacourse.algebra import Model
from vsacourse.backend import A, array_namespace, copy, to_backend, to_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Cleanup", "ItemMemory", "UnknownNameError"]

_BLOCK = 2**22
"""Numbers held at once, similarities or a query's: 16 MB of float32, however many queries."""


class UnknownNameError(KeyError):
    """A name that the memory does not hold; the message is one line with near matches."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would print the message in quotes


@dataclass(frozen=True, eq=False)
class Cleanup(Generic[A]):
    """What a memory found for queries ``(..., d)``.

    ``topk`` gives every field one more axis, k, best first.

    Attributes:
        index: ``(...)``, the place of the nearest item; −1 below the threshold.
        similarity: ``(...)``, its similarity to the query, also below the threshold.
        vector: ``(..., d)``, the item as it was stored; zeros below the threshold.
        names: its name for one query, nested lists of names for a batch; None below the
            threshold.
    """

    index: A
    similarity: A
    vector: A
    names: Any


class ItemMemory(Generic[A]):
    """The known vectors of a model, by name.

    The vectors are copied and their norms computed once, so that a query costs one product
    with the codebook. ``memory["cat"]`` is a copy too; ``memory.vectors`` must not be changed
    (NumPy refuses, torch does not notice). Of TPR and MBAT it holds fillers, roles or bound
    vectors, one kind in one memory.

    >>> import numpy as np
    >>> from vsacourse import MAP, ItemMemory
    >>> rng = np.random.default_rng(0)
    >>> memory = ItemMemory.random(MAP(dim=1000), ["cat", "dog", "cow"], rng)
    >>> noisy = memory["cat"] + 0.5 * memory["dog"]
    >>> memory.cleanup(noisy).names
    'cat'

    Args:
        model: the model that the vectors belong to.
        vectors: ``(n, d)``, n at least 1, NumPy or torch.
        names: n different strings; ``"0"``, ``"1"`` … when None.

    Raises:
        ValueError: no vectors, a wrong shape, a non-finite number, or names that are doubled or
            of another number than the vectors.
        TypeError: a dtype that the model does not have, or a name that is no string.
    """

    def __init__(self, model: Model, vectors: A, names: Sequence[str] | None = None) -> None:
        if not isinstance(model, Model):
            raise TypeError(
                f"ItemMemory: model is {model!r}; a model is needed, such as HRR(dim=1024)."
            )
        model._check("item memory", vectors, names=("codebook",))
        if vectors.ndim != 2 or vectors.shape[0] == 0:
            raise ValueError(
                f"ItemMemory: the vectors have shape {tuple(vectors.shape)}; they need "
                f"(n, {vectors.shape[-1]}) with n at least 1."
            )
        self.model = model
        self.names = _checked_names(names, vectors.shape[0])
        self.vectors: A = copy(vectors)
        self._freeze()
        self._places = {name: place for place, name in enumerate(self.names)}
        self._coordinates: Any = model.coordinates(self.vectors)
        self._norms: Any = model._norm("item memory", self.vectors, self._coordinates, "codebook")

    @staticmethod
    def random(
        model: Model, names: Sequence[str] | int, rng: np.random.Generator
    ) -> ItemMemory[NDArray[Any]]:
        """Draw a memory of random vectors, one for each name, or a number of them."""
        if isinstance(names, int | np.integer):
            return ItemMemory(model, model.random(int(names), rng))
        names = _checked_names(names, len(names))
        return ItemMemory(model, model.random(len(names), rng), names)

    def _freeze(self) -> None:
        if isinstance(self.vectors, np.ndarray):
            self.vectors.flags.writeable = False  # the norms would no longer be right

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()  # pickle and deepcopy forget it

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._places  # a list has no hash

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> A:
        if not isinstance(name, str):
            raise UnknownNameError(
                f"the memory has no item {name!r}; names are strings. By number: memory.vectors[0]."
            )
        if name not in self._places:
            near = difflib.get_close_matches(str(name), self.names)
            hint = f"near: {', '.join(near)}" if near else f"it holds {', '.join(self.names[:5])} …"
            raise UnknownNameError(f"the memory has no item {name!r}; {hint}.")
        return copy(self.vectors[self._places[name]])

    def __repr__(self) -> str:
        return f"ItemMemory({self.model}, {len(self)} items)"

    def to(self, like: A) -> ItemMemory[A]:
        """Return the same memory as the kind of array that ``like`` is, on its device."""
        return ItemMemory(self.model, to_backend(self.vectors, like), self.names)

    def similarity(self, query: A, model: Model | None = None) -> A:
        """Return the model's similarity of queries ``(..., d)`` to every item: ``(..., n)``.

        The similarity of a zero query is 0. It is computed and returned in the codebook's
        precision, whatever the query's: in float32 for a codebook of float32 or int8.

        Raises:
            ValueError: a wrong dimension, a non-finite number, or another ``model``.
            TypeError: a wrong dtype, or NumPy and torch together.
        """
        self._check(query, model)
        x: Any = self.model.coordinates(query)
        norms = self.model._norm("similarity", query, x, "query")
        if x.dtype != self._coordinates.dtype:  # the codebook stays: it is the larger one
            xp: Any = array_namespace(x)
            x = xp.astype(x / norms[..., None], self._coordinates.dtype)
            norms = xp.ones_like(x[..., 0])
        return (x @ self._coordinates.T) / (norms[..., None] * self._norms)

    def cleanup(
        self, query: A, threshold: float | None = None, model: Model | None = None
    ) -> Cleanup[A]:
        """Return the most similar item for each query ``(..., d)``.

        Of items that are equally similar up to rounding it may be any, also of duplicates.
        Below ``threshold`` nothing is recognised: index −1, name None and a vector of zeros.
        Pass ``model`` to have it compared with the model of the memory.

        Raises:
            ValueError: a wrong dimension, a non-finite number, another ``model``, or a threshold
                that is NaN.
            TypeError: a wrong dtype, or NumPy and torch together.
        """
        if threshold is not None and math.isnan(threshold):
            raise ValueError("cleanup: the threshold is NaN; a similarity is needed, such as 0.3.")
        best = self.topk(query, 1, model)
        index, similarity, vector = best.index[..., 0], best.similarity[..., 0], best.vector
        vector = vector[..., 0, :]
        if threshold is not None:
            xp: Any = array_namespace(similarity)
            known = similarity >= threshold
            index = xp.where(known, index, xp.full_like(index, -1))
            vector = xp.where(known[..., None], vector, xp.zeros_like(vector[..., :1]))
        return Cleanup(index, similarity, vector, self._names_of(index))

    def topk(self, query: A, k: int, model: Model | None = None) -> Cleanup[A]:
        """Return the k most similar items for each query ``(..., d)``, best first.

        Raises:
            ValueError: k is not in 1 … n; otherwise as ``cleanup``.
        """
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= len(self):
            raise ValueError(f"topk: k is {k!r}; a whole number from 1 to {len(self)} is needed.")
        xp: Any = self._check(query, model)
        size = self.vectors.shape[-1]  # not always model.dim: roles and bound vectors have others
        queries = query.reshape(-1, size)
        step = max(1, _BLOCK // max(len(self), size))
        blocks = [
            self._best(queries[start : start + step], int(k))
            for start in range(0, max(1, queries.shape[0]), step)
        ]
        shape = (*query.shape[:-1], int(k))
        index = xp.concat([i for i, _ in blocks]).reshape(shape)
        similarity = xp.concat([s for _, s in blocks]).reshape(shape)
        return Cleanup(index, similarity, self.vectors[index], self._names_of(index))

    def _best(self, queries: Any, k: int) -> tuple[Any, Any]:
        similarity = self.similarity(queries)  # [query, item]
        xp: Any = array_namespace(similarity)
        if k == 1:
            index = xp.argmax(similarity, axis=-1)[..., None]
        else:
            index = xp.argsort(similarity, axis=-1, descending=True, stable=True)[..., :k]
        return index, xp.take_along_axis(similarity, index, axis=-1)

    def _names_of(self, index: Any) -> Any:
        def name(i: Any) -> Any:
            if isinstance(i, list):
                return [name(j) for j in i]
            return self.names[i] if i >= 0 else None

        return name(to_numpy(index).tolist())

    def _check(self, query: Any, model: Model | None) -> Any:
        if model is not None and model != self.model:
            raise ValueError(
                f"the query is of {model} and the memory of {self.model}; one model is needed."
            )
        self.model._check(
            "similarity", query, self.vectors, names=("query", "codebook"), values=False
        )
        self.model._check_values("similarity", query, "query")
        return array_namespace(query)


def _checked_names(names: Sequence[str] | None, n: int) -> tuple[str, ...]:
    if names is None:
        return tuple(str(i) for i in range(n))
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"ItemMemory: names is {names!r}; a list of strings is needed.")
    if len(names) != n:
        raise ValueError(f"ItemMemory: {len(names)} names for {n} vectors; one each is needed.")
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise ValueError(f"ItemMemory: the name {doubled[0]!r} occurs twice; names must differ.")
    return tuple(names)
