"""Exercises: the decorator that registers a check, and the object that a learner calls."""

import inspect
import re
import traceback
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vsacourse.check import explain, guard, progress
from vsacourse.check.attempt import Attempt
from vsacourse.check.calling import Caller
from vsacourse.check.result import Hint, Outcome, Result, Verdict

Check = Callable[[Attempt], None]
REGISTRY: dict[str, "Exercise"] = {}
_NOTHING = object()
RESERVED = {
    *("attempt", "calling", "comparing", "core", "exercise", "explain", "guard", "progress"),
    *("result", "settings"),
}


@dataclass(repr=False)
class Exercise:
    """An exercise: called with the learner's answer, it gives a Result.

    Attributes:
        name: ``cosine`` in ``check.cosine(cosine)``.
        lesson: The lesson's file name without its ending, ``01-symbols``.
        title: The title, as in the notebook's heading.
        test: The lesson writer's check.
        minutes: Minutes to plan.
        difficulty: 1 (warm-up) to 5 (stretch).
        teaches: What it teaches, in one line.
        hints: The ladder of hints; the link to the solution is added as the last rung.
        seconds: The time limit of one draw.
        draws: On how many random draws the answer must hold.
        answer: "function" or "value".
        anchor: The heading in the solutions notebook, as in an address.
    """

    name: str
    lesson: str
    title: str
    test: Check
    minutes: int
    difficulty: int
    teaches: str
    hints: tuple[str, ...]
    seconds: float
    draws: int
    answer: str
    anchor: str
    _rung: int = field(default=0, compare=False)

    def __call__(self, answer: Any = _NOTHING, /, *more: Any, **named: Any) -> Result:
        """Checks the learner's answer, records the outcome and says what to do next."""
        caller = Caller(answer, self.name, self.seconds)
        try:
            self._refuse(answer, more or named)
            outcome, message, likely = self._run(answer, caller)
        except Verdict as verdict:
            outcome, message, likely = verdict.outcome, verdict.message, verdict.likely
        notes = list(caller.notes)
        if self.answer == "function" and (reason := guard.no_limit_reason()):
            notes.append(reason)
        notes += progress.record(self.name, self.lesson, outcome)
        return Result(
            outcome,
            self.name,
            self.title,
            message,
            likely,
            self._next(outcome),
            tuple(notes),
            caller.printed.rstrip(),
        )

    def _run(self, answer: Any, caller: Caller) -> tuple[Outcome, str, str]:
        for draw in range(self.draws):
            caller.left = self.seconds
            rng = np.random.default_rng([zlib.crc32(self.name.encode()), draw])
            try:
                self.test(Attempt(answer, rng, draw, caller))
            except Verdict:
                raise
            except Exception as error:
                if self._is_learners(error):  # an object that they returned, or its method
                    raise caller.explained(error) from None
                message = f"The check itself failed ({type(error).__name__}: {error})."
                likely = "This is a fault of the course, not of your answer: please report it."
                return Outcome.ERROR, message, likely
        return Outcome.CORRECT, "Every property holds.", ""

    def _is_learners(self, error: Exception) -> bool:
        """Whether an exception of the check passed through the learner's own code."""
        files = {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
        return any(map(explain.is_learners, files - {self.test.__code__.co_filename}))

    def _refuse(self, answer: Any, more: object) -> None:
        call = f"`check.{self.name}({self.name})`"
        if self.answer == "value":
            call = f"`check.{self.name}(your_answer)`"
        if answer is _NOTHING or more:
            count = "nothing" if answer is _NOTHING else "more than one thing"
            raise _refused(f"The check was given {count}. Write {call}.")
        if answer is Ellipsis or (answer is None and self.answer == "value"):
            raise Verdict(Outcome.NOT_ATTEMPTED, "No answer yet: replace the placeholder.")
        if isinstance(answer, type):
            raise _refused(
                f"You passed the class `{answer.__name__}`. Pass "
                f"{'a function' if self.answer == 'function' else 'the value'}: {call}."
            )
        if self.answer == "value":
            if callable(answer) and not explain.is_tensor(answer):
                raise _refused(
                    f"You passed {explain.describe(answer)}. This exercise asks for a value: "
                    f"call the function, or write the value itself: {call}."
                )
            return
        if not callable(answer) or explain.is_tensor(answer):
            raise _refused(
                f"You passed {explain.describe(answer)}, but the check needs the function itself, "
                f"without quotes and without brackets behind its name: {call}."
            )
        if not inspect.isroutine(answer):  # other objects may fail when they are asked
            return
        if inspect.iscoroutinefunction(answer) or inspect.isasyncgenfunction(answer):
            raise _refused("Your function is an `async def`. Write `def`.")
        if inspect.isgeneratorfunction(answer):
            raise _refused(
                "Your function says `yield`, which makes it a generator. Use `return` for the "
                "whole result."
            )

    def _next(self, outcome: Outcome) -> str:
        if outcome is Outcome.CORRECT:
            mine = {ex.name for ex in REGISTRY.values() if ex.lesson == self.lesson}
            done = len(mine & progress.done()) if mine else 0
            return f"{done} of {len(mine)} exercises of {self.lesson} are done."
        if outcome is Outcome.NOT_ATTEMPTED:
            return f"Write it, run its cell, then run this one again. `check.{self.name}.hint()`"
        return f"Change it and run both cells again. `check.{self.name}.hint()` gives a hint."

    def hint(self) -> Hint:
        """The next hint; the last one links to the solution and then stays."""
        link = f"[the worked solution](../solutions/{self.lesson}.ipynb#{self.anchor})"
        ladder = (*self.hints, f"See {link}, in `solutions/{self.lesson}.ipynb`.")
        rung = min(self._rung, len(ladder) - 1)
        self._rung = rung + 1
        more = "" if rung + 1 == len(ladder) else f" (again: `check.{self.name}.hint()`)"
        return Hint(f"Hint {rung + 1} of {len(ladder)}: {self.title}", ladder[rung] + more)

    def __repr__(self) -> str:
        what = self.name if self.answer == "function" else "your_answer"
        return (
            f"check.{self.name}: {self.title} ({self.lesson}, {self.minutes} minutes, "
            f"difficulty {self.difficulty} of 5). {self.teaches}\n"
            f"  Run check.{self.name}({what}); stuck: check.{self.name}.hint()"
        )


def _refused(message: str) -> Verdict:
    return Verdict(Outcome.INCORRECT, message)


def exercise(
    *,
    lesson: str,
    title: str,
    minutes: int,
    difficulty: int,
    teaches: str,
    hints: Sequence[str],
    seconds: float = 5,
    draws: int = 3,
    answer: str = "function",
    anchor: str = "",
) -> Callable[[Check], Exercise]:
    """Registers a check under its function's name. ``vsacourse.check`` shows a whole example.

    Args:
        lesson: The lesson's file name without its ending, ``01-symbols``.
        title: As in the notebook's heading.
        minutes: Minutes to plan.
        difficulty: 1 to 5.
        teaches: What it teaches, in one line.
        hints: From where to look to nearly there; the link to the solution follows by itself.
        seconds: The time limit of one draw.
        draws: On how many random draws the answer must hold (1 for a value).
        answer: "function" or "value".
        anchor: The heading in the solutions notebook; by default the title with hyphens.

    Raises:
        ValueError: A name that is taken or reserved, or a field that makes no sense.
    """
    if not re.fullmatch(r"\d\d-[a-z0-9-]+", lesson):
        raise ValueError(f"lesson={lesson!r}; it needs the form '01-symbols'.")
    if not 1 <= difficulty <= 5 or minutes < 1 or not hints or isinstance(hints, str):
        raise ValueError("difficulty is 1 to 5, minutes at least 1, hints a list of at least one.")
    if answer not in ("function", "value"):
        raise ValueError(f"answer={answer!r}; it is 'function' or 'value'.")

    def register(test: Check) -> Exercise:
        name = test.__name__
        if name in REGISTRY and REGISTRY[name].test.__module__ != test.__module__:
            raise ValueError(f"Two exercises are called {name!r}: rename one.")
        if name in RESERVED or re.fullmatch(r"lesson\d\d", name):
            raise ValueError(f"An exercise cannot be called {name!r}: the name is reserved.")
        REGISTRY[name] = Exercise(
            name,
            lesson,
            title,
            test,
            minutes,
            difficulty,
            teaches,
            tuple(hints),
            seconds,
            draws if answer == "function" else 1,
            answer,
            anchor or title.strip().replace(" ", "-"),
        )
        return REGISTRY[name]

    return register
