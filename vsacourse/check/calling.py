"""Calling the learner's function, guarded: every way in which it can go wrong gets its words."""

import contextlib
import copy
import inspect
import io
import random
import time
import traceback
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from vsacourse.check import explain, guard, settings
from vsacourse.check.result import Outcome, Verdict

_KEPT = 4000  # characters of the learner's prints
_LARGEST = 10**8  # entries that are compared: `np.broadcast_to` makes any number out of nothing


class _Printed(io.StringIO):
    """What the learner's code prints; a print in an endless loop does not fill the memory."""

    def write(self, text: str) -> int:
        if self.tell() < _KEPT:
            super().write(text[:_KEPT])
        return len(text)

    def close(self) -> None:
        """Nothing: it is read after ``sys.stdout.close()`` too."""


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal; True for kinds that cannot be compared."""
    a, b = explain.to_numpy(a), explain.to_numpy(b)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if a.size > _LARGEST:
            return True
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    plain = (bool, int, float, complex, str, np.generic)
    if isinstance(a, plain) and isinstance(b, plain):
        return bool(a == b) or bool(a != a and b != b)
    return True


def _copies(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def incorrect(message: str, likely: str = "") -> Verdict:
    """A verdict *incorrect*."""
    return Verdict(Outcome.INCORRECT, message, likely)


class Caller:
    """Calls one function within one budget of seconds, and keeps what it saw.

    Attributes:
        printed: What the first call printed.
        notes: Warnings that the calls raised, each once.
        inputs: The last call's arguments by the learner's own names.
        source_of: For the last result, the argument that it is or shares memory with, or "".
    """

    def __init__(self, function: Callable[..., Any], name: str, seconds: float) -> None:
        self.function = function
        self.name = name
        self.seconds = seconds
        self.left = seconds
        self.printed = ""
        self.notes: list[str] = []
        self.inputs: dict[str, Any] = {}
        self.words = f"{name}(...)"
        self.source_of = ""

    def call(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        repeat: bool,
        fresh: bool,
        allow_none: bool,
    ) -> Any:
        """The function's result; raises a Verdict for everything that went wrong."""
        self.inputs = self._bind(args, kwargs)
        self.words = explain.parameter_words(self.function, list(self.inputs))
        before = _copies(dict(self.inputs))
        again_args, again_kwargs = (_copies(args), _copies(kwargs)) if repeat else ((), {})
        got = self._guarded(args, kwargs)
        changed = [name for name in before if not same(before[name], self.inputs[name])]
        self._refuse_kinds(got, changed, allow_none)
        if changed:
            raise incorrect(
                f"Your function changes its argument `{changed[0]}`: the caller's array is "
                "different after the call.",
                "An assignment into the array, `+=`, `.sort()` or `out=`. Work on a new array, "
                f"for example `{changed[0]} = {changed[0]}.copy()` first.",
            )
        self.source_of = self._source(got, fresh)
        if repeat and not same(got, self._guarded(again_args, again_kwargs)):
            raise incorrect(
                "Your function gives two different answers for the same inputs.",
                "It draws random numbers of its own, or keeps something between calls. Use only "
                "what is passed in.",
            )
        return got

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            signature = inspect.signature(self.function)
        except Exception:  # some compiled functions do not tell, and odd objects raise anything
            return {f"argument {i + 1}": arg for i, arg in enumerate(args)} | kwargs
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            given = [*(explain.describe(arg) for arg in args)]
            given += [f"{key}={explain.describe(value)}" for key, value in kwargs.items()]
            raise incorrect(
                f"The check calls your function with {len(args) + len(kwargs)} argument"
                f"{'s' * (len(args) + len(kwargs) != 1)} ({'; '.join(given)}), but it is defined "
                f"as `{explain.name_of(self.function, 'function')}{signature}`: {error}.",
                "Keep the arguments of the exercise's own `def` line.",
            ) from None
        names: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                names |= {f"{name}[{i}]": item for i, item in enumerate(value)}
            elif kind is inspect.Parameter.VAR_KEYWORD:
                names |= value
            else:
                names[name] = value
        return names

    def _guarded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        printed = _Printed()
        numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
        started = time.monotonic()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                with contextlib.redirect_stdout(printed), settings.kept():
                    got = guard.call_with_limit(
                        lambda: self.function(*args, **kwargs), max(self.left, 0.05)
                    )
        except (KeyboardInterrupt, Verdict):
            raise
        except guard.TimeUp as stop:
            raise self._endless(stop) from None
        except BaseException as error:
            raise self.explained(error) from None
        finally:
            self.left -= time.monotonic() - started
            self.printed = self.printed or printed.getvalue()
            drew = not _same_state(numpy_state, np.random.get_state())  # noqa: NPY002
            drew = drew or python_state != random.getstate()
            np.random.set_state(numpy_state)  # noqa: NPY002
            random.setstate(python_state)
        for warning in caught:
            if issubclass(warning.category, RuntimeWarning | UserWarning | DeprecationWarning):
                self._note(warning)
        if drew:
            raise incorrect(
                "Your function uses or seeds the global random state (`np.random.seed`, "
                "`np.random.randn` or the module `random`), which changes every later draw.",
                "Draw from the generator that is passed in, `rng`; where none is "
                "passed, nothing random is needed.",
            )
        return got

    def _note(self, warning: warnings.WarningMessage) -> None:
        frame = traceback.FrameSummary(warning.filename, warning.lineno, "")
        place = f" in {explain.where(frame)}" if explain.is_learners(warning.filename) else ""
        note = f"{warning.category.__name__}{place}: {warning.message}"
        if note not in self.notes and len(self.notes) < 3:
            self.notes.append(note)

    def _endless(self, stop: guard.TimeUp) -> Verdict:
        place = explain.where(explain.learners_frame(stop.frames))
        likely = "A loop whose condition never becomes false, or far too much work."
        if stop.swallowed:
            likely += (
                " Your code also caught the interrupt and went on: write `except ValueError:` "
                "(the one you expect) instead of a bare `except:`."
            )
        return Verdict(
            Outcome.ERROR,
            f"Stopped: your function had not ended after {self.seconds:g} seconds"
            + (f". It was at {place}." if place else "."),
            likely,
        )

    def explained(self, error: BaseException) -> Verdict:
        """What an exception of the learner's code says."""
        trace = error.__traceback__
        frames = traceback.extract_tb(trace, limit=-60)
        mine = explain.learners_frame(frames)
        place = explain.where(mine)
        if isinstance(error, NotImplementedError):
            stub = mine is not None and frames[-1] is mine
            if stub and mine is not None and ("raise" in (mine.line or "raise")):
                return self._unfinished(mine.name)
        if isinstance(error, SystemExit):
            return Verdict(
                Outcome.ERROR,
                f"Your function ends the program with `sys.exit()` or `exit()`, at {place}.",
                "Use `return` to leave a function.",
            )
        if isinstance(error, RecursionError):
            return Verdict(
                Outcome.ERROR,
                f"Your function calls itself without end (RecursionError), at {place}.",
                "Two names are the same, or the case that ends the recursion is missing.",
            )
        text = explain.text_of(error).strip().splitlines()
        name = type(error).__name__
        message = f"{name}: {text[0]}" if text else name
        if place:
            message += f"\nat {place}"
        if self.inputs:
            message += f"\nwhere {explain.describe_inputs(self.inputs)}."
        return Verdict(Outcome.ERROR, message, explain.advice(error))

    def _unfinished(self, inner: str) -> Verdict:
        own = explain.name_of(self.function, "")
        if inner == own or inner == "<lambda>":
            return Verdict(Outcome.NOT_ATTEMPTED, f"`{own}` is not written yet.")
        return Verdict(
            Outcome.NOT_ATTEMPTED,
            f"`{own}` calls `{inner}`, which is not written yet. Write `{inner}` first.",
        )

    def _refuse_kinds(self, got: Any, changed: list[str], allow_none: bool) -> None:
        own = explain.name_of(self.function, "your function")
        if got is Ellipsis or got is NotImplemented:
            raise Verdict(Outcome.NOT_ATTEMPTED, f"`{own}` returns a placeholder: not written yet.")
        if got is None and not allow_none:
            message = f"`{self.words}` returned `None`"
            if changed:
                raise incorrect(
                    f"{message}, and changed its argument `{changed[0]}` in place.",
                    "Make a new array and `return` it.",
                )
            if self.printed:
                raise incorrect(
                    f"{message}: it prints its answer instead of returning it.",
                    "`print` shows a value, `return` hands it to the caller.",
                )
            raise incorrect(
                f"{message}.",
                "The `return` is missing, or stands where it is not reached (inside an `if`).",
            )
        if inspect.isgenerator(got) and got.gi_code.co_name == "<genexpr>":
            raise incorrect(
                f"`{self.words}` returned a generator: `for` in round brackets makes one.",
                "Use square brackets, `np.array([... for ...])`.",
            )
        if inspect.isgenerator(got):
            raise incorrect(
                f"`{self.words}` returned a generator, because it says `yield`.", "Use `return`."
            )
        if inspect.iscoroutine(got) or inspect.isasyncgen(got):
            if isinstance(got, types.CoroutineType):
                got.close()
            raise incorrect(
                f"`{self.words}` is an `async def`: calling it does not run it.", "Write `def`."
            )
        if callable(got) and not isinstance(got, np.ndarray) and not explain.is_tensor(got):
            raise incorrect(
                f"`{self.words}` returned {explain.describe(got)}, not a value.",
                "Round brackets are missing behind a function's name.",
            )

    def _source(self, got: Any, fresh: bool) -> str:
        plain = explain.to_numpy(got)
        for name, value in self.inputs.items():
            if got is value and isinstance(plain, np.ndarray | list | dict):
                if fresh:
                    raise incorrect(
                        f"Your function returns its argument `{name}` itself; a new array is "
                        "needed, so that a change of one leaves the other alone.",
                        f"Return `{name}.copy()`, or compute a new array.",
                    )
                return f"What came back is the argument `{name}` itself, unchanged."
            array = explain.to_numpy(value)
            if (
                isinstance(plain, np.ndarray)
                and isinstance(array, np.ndarray)
                and np.may_share_memory(plain, array)
            ):
                if fresh:
                    raise incorrect(
                        f"Your function returns a view of its argument `{name}`: they share their "
                        "memory, and a change of one changes the other.",
                        "Return a copy: `.copy()`.",
                    )
                return f"What came back is a view of the argument `{name}`, its own numbers."
        return ""


def _same_state(a: Any, b: Any) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
