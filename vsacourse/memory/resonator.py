"""The resonator network: the factors of a bound vector when none of them is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Generic

import numpy as np

from vsacourse.algebra import FHRR, MAP, Model
from vsacourse.backend import A, array_namespace, asarray_like, off_graph, to_backend, to_numpy
from vsacourse.memory.factors import Factors, chance_level, decode, matches
from vsacourse.memory.items import ItemMemory
from vsacourse.memory.settling import phase, settle

__all__ = ["Resonator"]

_OUTCOMES = ("step limit", "converged", "cycle")


class Resonator(Generic[A]):
    """x̂_f ← g(X_fᵀ X_f (c ⊙ Π_{h≠f} inverse(x̂_h))), for f = 1 … F in turn.

    c = x_1 ⊙ … ⊙ x_F is given, and for each factor the codebook X_f ``(n_f, d)`` that it comes
    from; which items they are is not. Every estimate x̂_f is a superposition of items: it unbinds
    the other estimates from c and lets its codebook clean up what remains. g takes signs (MAP)
    or makes phasors of length 1 (FHRR, where the right X_f is conjugated). So Π n_f combinations
    are searched in superposition, at Σ n_f d operations a step, if they are not too many.

    - **Start**: g of the bundle of all items, so that every combination is still possible.
    - **In turn**: x̂_2 sees the new x̂_1. That is much of the network's power: three factors of
      79 items at d = 1500 are found within 493 steps in 99 of 100 cases, and in 10 of 100 when
      all x̂_f are updated at once. Two factors, one of them with the wrong sign, would then even
      flip both signs for ever.
    - **Ties**: where the sum is 0 a component keeps its value (0 at the start, where it then
      says nothing). So the steps are deterministic, and a state that comes again is a cycle.
    - **It is not guaranteed to converge, and what it converges to need not be right.** Far
      beyond its capacity it wanders without end. ``Factors.solved`` compares the product of what
      was found with c, and is True for nothing else.
    - **Signs**: (−x_1) ⊙ (−x_2) is x_1 ⊙ x_2, and in FHRR all phases of one factor may turn
      against another's. Items are therefore read by ``|similarity|``, and ``Factors.signs``
      tells what was divided out.
    - **Noise**: c may be a sum. Of a bundle of bound vectors one of them is found, at a
      similarity of about 1/√K for K of them; subtract it to look for the next.

    MAP and FHRR only, whose unbinding is exact. For BSC write bits b as signs 1 − 2b: exclusive
    or is then MAP's product. HRR is FHRR in the frequency domain.

    Source: Frady, Kent, Olshausen & Sommer (2020), Resonator networks 1, Neural Computation 32;
    Kent, Frady, Sommer & Olshausen (2020), Resonator networks 2, the same volume.

    >>> import numpy as np
    >>> from vsacourse import MAP, ItemMemory
    >>> rng, model = np.random.default_rng(0), MAP(dim=1000)
    >>> shapes = ItemMemory.random(model, ["cup", "ball", "box"], rng)
    >>> colours = ItemMemory.random(model, ["red", "green", "blue", "black"], rng)
    >>> found = Resonator([shapes, colours]).factor(model.bind(shapes["box"], colours["red"]))
    >>> found.names, found.solved
    (['box', 'red'], True)

    Args:
        codebooks: two or more, item memories or arrays ``(n_f, d)``; sizes may differ. MAP's hold
            signs, FHRR's unit phasors. One codebook may serve for several factors; as which of
            them an item is found is then arbitrary.
        model: the model of the vectors, where the codebooks are arrays.

    Raises:
        ValueError: fewer than two codebooks, codebooks of different models, a model other than
            MAP and FHRR, or a vector with a component that is no sign or no unit phasor.
        TypeError: not a list of codebooks, arrays without a model, or NumPy and torch together.
    """

    def __init__(self, codebooks: Sequence[ItemMemory[A] | A], model: Model | None = None) -> None:
        if isinstance(codebooks, ItemMemory) or not isinstance(codebooks, Sequence):
            raise TypeError(
                f"Resonator: codebooks is a {type(codebooks).__name__}; a list of item memories is "
                "needed, one for each factor."
            )
        if len(codebooks) < 2:
            raise ValueError(
                f"Resonator: the number of codebooks is {len(codebooks)}; at least 2 are needed, "
                "one for each factor. For a single factor use ItemMemory.cleanup."
            )
        self.codebooks = [_memory(book, model) for book in codebooks]
        self.model = self.codebooks[0].model if model is None else model
        _check_models(self.model, self.codebooks)
        vectors = [off_graph(book.vectors) for book in self.codebooks]
        try:
            xp: Any = array_namespace(*vectors)
        except TypeError as error:
            raise TypeError(f"Resonator: {error}") from None
        if isinstance(self.model, MAP):
            vectors = [self.model.coordinates(X) for X in vectors]  # integers become floats
        dtype = xp.result_type(*vectors)
        self._books: list[Any] = [
            asarray_like(X, xp.zeros_like(vectors[0], dtype=dtype)) for X in vectors
        ]
        for f, X in enumerate(self._books):
            if bool((abs(abs(X) - 1) > 1e-3).any()):
                raise ValueError(
                    f"Resonator: codebook {f} holds a component of magnitude other than 1; "
                    "unbinding would not be exact. Call normalize first."
                )

    def __len__(self) -> int:
        return len(self.codebooks)

    def __repr__(self) -> str:
        sizes = " × ".join(str(len(book)) for book in self.codebooks)
        return f"Resonator({self.model}, {sizes} items)"

    @property
    def combinations(self) -> int:
        """The number of products that the network tells apart, Π n_f."""
        return math.prod(len(book) for book in self.codebooks)

    def factor(
        self,
        bound: A,
        rng: np.random.Generator | None = None,
        *,
        max_steps: int = 1000,
        restarts: int = 0,
        start: A | None = None,
        threshold: float | None = None,
    ) -> Factors[A]:
        """Find the items whose product is each bound vector ``(..., d)``.

        A step updates all F factors. Its network stops when a step changes nothing, when a state
        comes again (MAP only: FHRR's states are continuous, and a cycle runs to the limit), or
        after ``max_steps``. No gradient passes.

        Args:
            bound: ``(..., d)``, products or sums of them; not zero.
            rng: for the new starts; nothing else is random.
            max_steps: steps for each start.
            restarts: how often an unsolved vector is begun anew, each x̂_f at g of a sum of its
                items with normal weights. The start of largest similarity is reported.
            start: the first estimates, ``(..., F, d)`` or ``(F, d)``, in place of the bundles.
            threshold: the least similarity that counts as solved. None takes
                √(2 ln(2 M/.001) / D) with M = ``combinations`` and D = d (MAP) or 2d (FHRR),
                at most .999: even the best of all M products reaches it by chance
                with an unrelated vector only once in 1,000 times. In a bundle of K it is passed
                while 1/√K lies above. For a single clean product ask for .999.

        Raises:
            ValueError: a wrong dimension, a zero vector, a non-finite number, ``max_steps``
                below 1, ``restarts`` below 0, a start of a wrong shape, a threshold that is not
                finite.
            TypeError: restarts without ``rng``, a wrong dtype, or NumPy and torch together.
        """
        self._check_call(bound, rng, max_steps, restarts)
        like, shape = self._books[0], tuple(bound.shape[:-1])
        c = self._flat(bound)
        if threshold is None:
            threshold = chance_level(self.combinations, self.model.coordinates(c).shape[-1])
        elif not math.isfinite(threshold):
            raise ValueError(f"factor: threshold is {threshold}; a similarity is needed, or None.")
        found = self._attempt(c, self._first(c, start, shape), max_steps, threshold)
        found["restarts"] = np.zeros(len(c), int)
        for _ in range(restarts):
            todo = np.flatnonzero(~found["solved"])
            if len(todo) == 0:
                break
            x = self._random(len(todo), rng)
            again = self._attempt(c[to_backend(todo, like)], x, max_steps, threshold)
            found["restarts"][todo] += 1
            again["steps"] += found["steps"][todo]
            found["steps"][todo] = again["steps"]
            better = again["solved"] | (again["similarity"] > found["similarity"][todo])
            for field, values in again.items():
                found[field][todo[better]] = values[better]
        return self._report(found, shape, threshold)

    def _attempt(self, c: Any, x: list[Any], max_steps: int, threshold: float) -> dict[str, Any]:
        """Run from the estimates x, F of ``[batch, d]``; return the fields of ``Factors``."""
        x, steps, period = settle(c, x, self._books, max_steps)
        xp = array_namespace(c)
        each = [decode(estimate, X) for estimate, X in zip(x, self._books, strict=True)]
        index, signs, confidence = (xp.stack(parts, axis=-1) for parts in zip(*each, strict=True))
        similarity, solved = matches(c, self._books, index, signs, threshold)
        arrays = {"index": index, "signs": signs, "confidence": confidence}
        arrays |= {"similarity": similarity, "solved": solved}
        fields = {name: np.array(to_numpy(values)) for name, values in arrays.items()}
        return fields | {"steps": steps, "period": period}

    def _report(self, found: dict[str, Any], shape: tuple[int, ...], threshold: float) -> Any:
        found["outcome"] = np.choose(np.minimum(found["period"], 2), _OUTCOMES)
        names = [
            [book.names[i] for book, i in zip(self.codebooks, row, strict=True)]
            for row in found["index"].tolist()
        ]
        of_factors = {
            name: to_backend(found.pop(name).reshape((*shape, len(self))), self._books[0])
            for name in ("index", "signs", "confidence")
        }
        plain = {name: values.reshape(shape)[()] for name, values in found.items()}
        if shape == ():
            plain = {name: value.item() for name, value in plain.items()}
        else:
            plain["similarity"] = to_backend(plain["similarity"], self._books[0])
        return Factors(names=_nested(names, shape), threshold=threshold, **of_factors, **plain)

    # The first estimates

    def _first(self, c: Any, start: Any, shape: tuple[int, ...]) -> list[Any]:
        xp = array_namespace(c)
        if start is None:
            bundles = [phase(X.sum(axis=0), 0 * X[0]) for X in self._books]
            return [xp.zeros_like(c) + bundle for bundle in bundles]
        name = "start"
        self.model._check("factor", start, self._books[0], names=(name, "codebook"), values=False)
        self.model._check_values("factor", start, name)
        needed: tuple[int, ...] = (*shape, len(self), self.model.dim)
        if tuple(start.shape) not in (needed, needed[-2:]):
            raise ValueError(
                f"{self}.factor: the start has shape {tuple(start.shape)}; it needs {needed[-2:]} "
                f"or, one for each bound vector, {needed}."
            )
        rows = asarray_like(start, c).reshape((-1, *needed[-2:]))  # [batch or 1, F, d]
        rows = phase(rows, 0 * rows)
        return [xp.zeros_like(c) + rows[:, f] for f in range(len(self))]

    def _random(self, n: int, rng: Any) -> list[Any]:
        """Draw estimates that are random superpositions of each codebook's items."""
        weights = [rng.standard_normal((n, len(book))) for book in self.codebooks]
        sums = [asarray_like(w, X) @ X for w, X in zip(weights, self._books, strict=True)]
        return [phase(y, 0 * y) for y in sums]

    # Checks

    def _flat(self, bound: Any) -> Any:
        """Return the bound vectors as ``[batch, d]`` in the codebooks' dtype."""
        with np.errstate(over="ignore"):  # refused by the norm
            c = off_graph(bound)
            c = self.model.coordinates(c) if isinstance(self.model, MAP) else c
            c = asarray_like(c, self._books[0]).reshape((-1, self.model.dim))
        self.model._norm("factor", bound, self.model.coordinates(c), "bound vector")
        if bool((c == 0).all(axis=-1).any()):
            raise ValueError(
                f"{self}.factor: a bound vector is zero, so it has no factors. Pass what bind or "
                "multibind returned, or a sum of such vectors."
            )
        return c

    def _check_call(self, bound: Any, rng: Any, max_steps: Any, restarts: Any) -> None:
        self.model._check(
            "factor", bound, self._books[0], names=("bound vector", "codebook"), values=False
        )
        self.model._check_values("factor", bound, "bound vector")
        for name, value, least in (("max_steps", max_steps, 1), ("restarts", restarts, 0)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(
                    f"{self}.factor: {name} is {value!r}; a whole number of at least {least} "
                    "is needed."
                )
        if rng is not None or restarts:
            self.model._check_rng("factor", rng)


def _memory(book: Any, model: Model | None) -> ItemMemory[Any]:
    if isinstance(book, ItemMemory):
        return book
    if model is None:
        raise TypeError(
            f"Resonator: a codebook is a {type(book).__name__} and no model was given. Pass "
            "item memories, or model=MAP(dim=...) with arrays."
        )
    return ItemMemory(model, book)


def _check_models(model: Model, codebooks: list[ItemMemory[Any]]) -> None:
    for f, book in enumerate(codebooks):
        if book.model != model:
            raise ValueError(
                f"Resonator: codebook {f} is of {book.model}, and {model} is needed as for the "
                "others. Make all with one model."
            )
    if isinstance(model, MAP | FHRR):
        return
    advice = {
        "HRR": "Its unbinding is noisy, and the estimates unbind one another at every step; use "
        "FHRR, which is HRR in the frequency domain.",
        "BSC": "Use MAP with the signs 1 − 2·bit: their product is the exclusive or.",
    }.get(model.name, "Its binding does not commute, so factors cannot be unbound in any order.")
    raise ValueError(f"Resonator: the model is {model}; MAP or FHRR is needed. {advice}")


def _nested(rows: list[Any], shape: tuple[int, ...]) -> Any:
    """Return the list of rows as lists in lists, of a shape."""
    for size in reversed(shape[1:]):
        rows = [rows[i : i + size] for i in range(0, len(rows), max(1, size))]
    return rows if shape else rows[0]
