"""One attempt at an exercise: calling the learner's function, and what is expected of the result.

The order in which a check asks: type, exact shape, dtype, finite, value or law.
"""

import difflib
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.check import comparing, explain
from vsacourse.check.calling import Caller, incorrect
from vsacourse.check.comparing import Mistakes
from vsacourse.check.explain import describe, number
from vsacourse.check.result import Outcome, Verdict

# kind: (the dtype kinds that are accepted, words for it)
_KINDS = {
    "real": ("fiu", "real numbers"),
    "float": ("f", "floating-point numbers"),
    "complex": ("c", "complex numbers"),
    "int": ("iu", "integers"),
    "bool": ("b", "booleans"),
    "bits": ("biu", "bits (booleans or integers 0 and 1)"),
    "scores": ("fiub", "real numbers (or booleans, for 0 and 1)"),
    "number": ("fiuc", "numbers"),
}


_ORDINALS = ("first", "second", "third", "fourth", "fifth")


class Attempt:
    """What a check works with. Every expectation that fails ends the check with its message.

    Attributes:
        answer: What the learner passed: a function or a value.
        rng: A generator, the same at every run, different in every draw.
        draw: 0, 1, ...: the check is run on several draws.
        what: Words for the last call, ``cosine(a, b)``; the default of every ``what``.
    """

    def __init__(self, answer: Any, rng: np.random.Generator, draw: int, caller: Caller) -> None:
        self.answer = answer
        self.rng = rng
        self.draw = draw
        self._caller = caller

    @property
    def what(self) -> str:
        """Words for the last call."""
        return self._caller.words

    def call(
        self,
        *args: Any,
        repeat: bool = True,
        fresh: bool = False,
        allow_none: bool = False,
        on_error: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Any:
        """The learner's function on these arguments, guarded.

        Args:
            *args: Passed on. They must not be changed by the function.
            repeat: Call twice in the first draw and want the same answer; False for slow ones.
            fresh: Refuse a result that is, or is a view of, an argument.
            allow_none: Accept None as a result.
            on_error: What an exception says (a part of it; "" for any) -> its likely cause here.
            **kwargs: Passed on.
        """
        try:
            return self._caller.call(
                args, kwargs, repeat=repeat and self.draw == 0, fresh=fresh, allow_none=allow_none
            )
        except Verdict as stop:
            said = f"{stop.message}\n{stop.likely}"
            if stop.outcome is Outcome.ERROR:
                causes = (words for part, words in (on_error or {}).items() if part in said)
                stop.likely = next(causes, stop.likely)
            raise

    def array(
        self,
        got: Any,
        *,
        shape: tuple[int, ...],
        kind: str = "real",
        what: str = "",
        finite: bool = True,
        mistakes: Mapping[str, tuple[int, ...]] | None = None,
    ) -> NDArray[Any]:
        """Type, exact shape, dtype and finiteness of a result; it comes back as a NumPy array.

        Args:
            got: The learner's result: an array or a torch tensor.
            shape: The exact shape.
            kind: "real", "float", "complex", "int", "bool", "bits", "scores" or "number".
            what: Words for the result.
            finite: Refuse NaN and infinity.
            mistakes: Likely mistake -> the wrong shape that gives it away.
        """
        what = what or self.what
        array = self._as_array(got, shape, what, comparing.named_shape(mistakes, ()))
        if array.shape != shape:
            likely = comparing.named_shape(mistakes, array.shape) or self._caller.source_of
            likely = likely or comparing.wrong_shape(array.shape, shape)
            raise incorrect(
                f"`{what}` has shape {array.shape}; it needs {shape}.{self._inputs()}", likely
            )
        self._kind(array, kind, what)
        if finite:
            self._finite(array, what)
        return array

    def scalar(self, got: Any, *, kind: str = "real", what: str = "") -> Any:
        """One number: a Python or NumPy scalar, or an array or tensor without axes.

        Returns:
            The number as a Python object.
        """
        what = what or self.what
        if isinstance(got, str | list | tuple | dict | set):
            raise incorrect(f"`{what}` is {describe(got)}; it needs one number.")
        if isinstance(got, Fraction):
            got = float(got)
        array = np.asarray(explain.to_numpy(got))
        if array.dtype == object:
            raise incorrect(f"`{what}` is {describe(got)}; it needs one number.")
        if array.shape != ():
            raise incorrect(
                f"`{what}` is {describe(got)}; it needs one number.",
                "An array of one entry is not a number: take it out, `[0]`, or drop `keepdims`."
                if array.size == 1
                else "Which axis is left? Sum, mean or maximum over it.",
            )
        self._kind(array, kind, what)
        self._finite(array, what)
        return array.item()

    def close(
        self,
        got: Any,
        expected: Any,
        *,
        rtol: float = 1e-5,
        atol: float | None = None,
        what: str = "",
        mistakes: Mistakes | None = None,
    ) -> None:
        """Values: |got - expected| <= atol + rtol |expected|, entry by entry.

        Args:
            got: An array of the right shape, or a number.
            expected: The right values.
            rtol: Relative tolerance.
            atol: Absolute tolerance; by default rtol times the largest |expected|.
            what: Words for the result.
            mistakes: Likely mistake -> the wrong values it gives (or a function returning them).
        """
        x, y = np.asarray(explain.to_numpy(got)), np.asarray(explain.to_numpy(expected))
        if comparing.close(x, y, rtol, atol):
            return
        likely = comparing.named(mistakes, lambda wrong: comparing.close(x, wrong, rtol, atol))
        likely = likely or self._caller.source_of or comparing.recognised(x, y, rtol, atol)
        raise incorrect(f"`{what or self.what}` is not right{comparing.numbers(x, y)}", likely)

    def equal(
        self, got: Any, expected: Any, *, what: str = "", mistakes: Mistakes | None = None
    ) -> None:
        """Exactly equal: integers, booleans, strings, lists, dictionaries or arrays of them."""
        x, y = explain.to_numpy(got), explain.to_numpy(expected)
        if comparing.equal(x, y):
            return
        likely = (
            comparing.named(mistakes, lambda wrong: comparing.equal(x, wrong))
            or self._caller.source_of
        )
        if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.shape == y.shape:
            raise incorrect(f"`{what or self.what}` is not right{comparing.numbers(x, y)}", likely)
        raise incorrect(
            f"`{what or self.what}` is {comparing.short(x)}; expected {comparing.short(y)}.", likely
        )

    def require(self, condition: Any, failing: str, *, likely: str = "") -> None:
        """A law or property.

        Args:
            condition: Whether it holds.
            failing: The sentence that is true when it does not, with numbers.
            likely: The likely mistake.
        """
        if not bool(condition):
            raise incorrect(failing, likely or self._caller.source_of)

    def items(self, got: Any, length: int, *, what: str = "") -> Iterator[Any]:
        """The parts of a result that is a tuple (or list, or array) of ``length`` values."""
        what = what or self.what
        if len(getattr(got, "shape", ())) and got.shape[0] == length:
            got = list(got)  # equal parts stacked in an array
        if not isinstance(got, tuple | list):
            raise incorrect(
                f"`{what}` is {describe(got)}; it needs a tuple of {length}.",
                f"Return {length} values, `return {', '.join(_ORDINALS[:length])}`.",
            )
        if len(got) != length:
            raise incorrect(f"`{what}` has {len(got)} parts; it needs {length}.")
        return iter(got)

    def value(
        self,
        kind: str = "real",
        *,
        between: tuple[float, float] | None = None,
        choices: Collection[str] | None = None,
        keys: Collection[str] | None = None,
        what: str = "your answer",
    ) -> Any:
        """What the learner passed, where the answer is a value and not a function.

        Args:
            kind: "real", "float", "complex", "int", "bool", "str" or "dict".
            between: The range that makes sense at all (both ends included).
            choices: The strings to choose from (capitals and blanks at the ends do not matter).
            keys: The exact keys of a dict.
            what: Words for the answer.

        Returns:
            A Python number, bool, str (as written in ``choices``) or dict.
        """
        got = self.answer
        if choices is not None or kind == "str":
            return self._choice(got, choices, what)
        if keys is not None or kind == "dict":
            return self._keys(got, keys, what)
        if kind == "int" and isinstance(got, float) and got.is_integer():
            got = int(got)
        x = self.scalar(got, kind=kind, what=what)
        if between is not None and not between[0] <= x <= between[1]:
            raise incorrect(
                f"`{what}` is {number(x)}; it lies between {number(between[0])} and "
                f"{number(between[1])}."
            )
        return x

    def _choice(self, got: Any, choices: Collection[str] | None, what: str) -> str:
        if not isinstance(got, str):
            raise incorrect(f"`{what}` is {describe(got)}; it needs a string, in quotes.")
        if choices is None:
            return got
        for choice in choices:
            if choice.strip().casefold() == got.strip().casefold():
                return choice
        near = difflib.get_close_matches(got, list(choices), n=1)
        raise incorrect(
            f"`{what}` is {got!r}; choose one of {', '.join(map(repr, choices))}.",
            f"Did you mean {near[0]!r}?" if near else "",
        )

    def _keys(self, got: Any, keys: Collection[str] | None, what: str) -> dict[Any, Any]:
        if not isinstance(got, dict):
            raise incorrect(f"`{what}` is {describe(got)}; it needs a dictionary.")
        wanted = set(keys if keys is not None else got)
        if missing := sorted(wanted - set(got)):
            raise incorrect(f"`{what}` has no entry for {', '.join(map(repr, missing))}.")
        if extra := sorted(map(str, set(got) - wanted)):
            raise incorrect(f"`{what}` has entries that are not asked for: {', '.join(extra)}.")
        if open_ones := [key for key in got if got[key] is ... or got[key] is None]:
            raise Verdict(Outcome.NOT_ATTEMPTED, f"Not filled in yet: {open_ones[0]!r}.")
        return got

    def _as_array(
        self, got: Any, shape: tuple[int, ...], what: str, if_number: str
    ) -> NDArray[Any]:
        array = explain.to_numpy(got)
        if isinstance(array, np.ma.MaskedArray):
            raise incorrect(f"`{what}` is a masked array; it needs a plain array.")
        if isinstance(array, np.ndarray):
            return np.asarray(array)
        if isinstance(array, np.generic) and shape == ():
            return np.asarray(array)
        advice = ""
        if isinstance(array, list):
            advice = "A list is not an array: `np.array(...)`, or work on whole arrays."
        elif isinstance(array, tuple):
            advice = "Two values behind `return` make a tuple: is there a comma too many?"
        elif isinstance(array, int | float | complex | np.generic):
            advice = if_number or (
                "Everything was summed into one number: over which `axis` should it go?"
            )
        raise incorrect(f"`{what}` is {describe(got)}; it needs an array of shape {shape}.", advice)

    def _kind(self, array: NDArray[Any], kind: str, what: str) -> None:
        accepted, words = _KINDS[kind]
        if array.dtype.kind in accepted:
            return
        likely = {
            "c": "Take the real part, `.real`, where the imaginary part is zero by construction "
            "(`irfft` gives real numbers at once).",
            "b": "A comparison gives booleans; was the number meant?",
            "O": "An array of dtype object holds lists or None: are its rows of unequal length?",
            "f": "Convert at the end, `.astype(...)`, or do not divide."
            if kind in ("int", "bits", "bool")
            else "The imaginary part got lost: `.real`, `abs` or a real dtype on the way.",
            "i": "Return the comparison itself, or `.astype(bool)`."
            if kind == "bool"
            else "The numbers were cut to integers on the way: give the new array a float dtype.",
        }.get(array.dtype.kind, "")
        of = f" of dtype {array.dtype}" if array.shape else f" {describe(array[()])}"
        raise incorrect(f"`{what}` is{of}; it needs {words}.", likely)

    def _finite(self, array: NDArray[Any], what: str) -> None:
        if array.dtype.kind not in "fc" or np.isfinite(array).all():
            return
        bad = array[~np.isfinite(array)]
        kind = "NaN" if np.isnan(bad).any() else "infinite"
        at = "" if not array.shape else f", the first at {comparing.index(~np.isfinite(array))}"
        raise incorrect(
            f"`{what}` is not finite: {bad.size} of {array.size} entries are {kind}{at}."
            f"{self._inputs()}",
            "A division by zero, a logarithm of zero, or an `exp` that overflows.",
        )

    def _inputs(self) -> str:
        inputs = self._caller.inputs
        return f" Here {explain.describe_inputs(inputs)}." if inputs else ""
