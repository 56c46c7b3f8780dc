"""Instant feedback on exercises: ``from vsacourse import check``, then ``check.cosine(cosine)``.

``dir(check)`` lists the exercises, ``check.cosine`` tells about one, ``check.cosine.hint()`` climbs
its ladder of hints.

**For lesson writers.** The checks of lesson NN stand in ``vsacourse/check/lessonNN.py``, which is
found by its name. A whole example::

    import numpy as np

    from vsacourse.check.attempt import Attempt
    from vsacourse.check.core import exercise

    LESSON = "01-symbols"

    @exercise(
        lesson=LESSON,
        title="Cosine of all pairs",     # the heading in the notebook and in its solution
        minutes=5,
        difficulty=2,
        teaches="Norms on the last axis, and one matrix product for all pairs.",
        hints=["Where to look.", "The idea.", "Nearly the line itself."],
        seconds=5,                       # time limit of one draw
        draws=3,                         # the answer must hold on three random draws
    )
    def cosine(attempt: Attempt) -> None:
        n, m, d = 3, 5, 7                # every axis has another size
        a = attempt.rng.normal(size=(n, d))
        b = attempt.rng.normal(size=(m, d))
        dots = a @ b.T
        norms = np.linalg.norm(a, axis=-1, keepdims=True) * np.linalg.norm(b, axis=-1)
        got = attempt.call(a, b)         # guarded; the arguments must stay unchanged
        got = attempt.array(got, shape=(n, m), kind="real")    # type, shape, dtype, finite
        attempt.close(got, dots / norms, rtol=1e-5, mistakes={
            "You divided by d instead of by the norms.": dots / d,
        })
        attempt.require(abs(got).max() <= 1 + 1e-9, f"A cosine is {abs(got).max():.3g}, over 1.")

    @exercise(lesson=LESSON, title="Predict the largest cosine", minutes=5, difficulty=1,
              teaches="The tail of the cosine.", hints=["How many pairs are there?"],
              answer="value")
    def prediction(attempt: Attempt) -> None:
        x = attempt.value("real", between=(0, 1), what="the largest cosine")
        attempt.close(x, 0.146, rtol=0.1, what="the largest cosine", mistakes={
            "That is the standard deviation of one cosine.": 1 / 1000**0.5,
        })

Expectations: ``array``, ``scalar``, ``items`` (a tuple), ``close``, ``equal``, ``require``, and
``value`` for answers that are a number, bool, string choice or dictionary. Several wrong
values with one cause are ``comparing.AnyOf((a, b))``; what an exception most likely means here is
``attempt.call(..., on_error={part of its message: cause})``. Texts may hold `code`
in single backticks and links. Each exercise has its wrong and its unusual right answers in
``tests/wrong_answers/lessonNN.py``.
"""

import difflib
import importlib
import pkgutil

from vsacourse.check.attempt import Attempt
from vsacourse.check.core import REGISTRY, Exercise, exercise
from vsacourse.check.result import Outcome, Result

__all__ = ["Attempt", "Exercise", "Outcome", "Result", "all_exercises", "exercise"]

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    if _module.startswith("lesson"):
        importlib.import_module(f"{__name__}.{_module}")


def __getattr__(name: str) -> Exercise:
    if name in REGISTRY:
        return REGISTRY[name]
    if name.startswith("_"):  # what Python and Jupyter themselves ask for
        raise AttributeError(name)
    near = difflib.get_close_matches(name, REGISTRY, n=3, cutoff=0.5)
    meant = f" Did you mean {', '.join(f'check.{n}' for n in near)}?" if near else ""
    raise AttributeError(f"There is no exercise check.{name}.{meant} dir(check) lists them all.")


def all_exercises() -> list[Exercise]:
    """Every exercise, lesson by lesson."""
    return sorted(REGISTRY.values(), key=lambda exercise: exercise.lesson)


def __dir__() -> list[str]:
    return sorted(REGISTRY)
