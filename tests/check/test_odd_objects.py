"""Objects that fight back: the learner reads what happened, and the course is never blamed."""

import os
import sys

import numpy as np
import pytest

from vsacourse import check
from vsacourse.check import core


def right(a, b):
    norms = np.linalg.norm(a, axis=-1)[:, None] * np.linalg.norm(b, axis=-1)
    return a @ b.T / norms


class Mute(Exception):  # noqa: N818
    def __str__(self):
        raise RuntimeError("no words")


def raises_mute(a, b):
    raise Mute


def closes_stdout(a, b):
    sys.stdout.close()
    return right(a, b)


class Nameless:
    def __call__(self, a, b):
        return None

    def __getattr__(self, name):
        raise RuntimeError(name)


class Own(np.ndarray):
    def __array_function__(self, *_args, **_kwargs):
        raise RuntimeError("mine")


class Lazy:
    def __array__(self, *_args, **_kwargs):
        raise RuntimeError("not now")


@pytest.mark.parametrize(
    ("answer", "outcome", "fragment"),
    [
        (raises_mute, "error", "Mute"),
        (closes_stdout, "correct", ""),
        (lambda a, b: np.broadcast_to(0.0, (10**6, 10**6)), "incorrect", "(1000000, 1000000)"),
        pytest.param(Nameless(), "incorrect", "returned `None`", id="nameless"),
        (lambda a, b: right(a, b).view(Own), "correct", ""),
        (lambda a, b: Lazy(), "incorrect", "an object of type Lazy"),
        (lambda a, b: (x for x in a), "incorrect", "`for` in round brackets makes one"),
    ],
)
def test_odd_objects(answer, outcome, fragment):
    result = check.cosine(answer)
    assert result.outcome == outcome, result
    assert fragment in result.text, result
    assert "fault of the course" not in result.text


def test_an_object_that_fails_inside_the_check_is_the_learners(monkeypatch):
    def test(attempt):
        attempt.scalar(attempt.answer)

    exercise = core.exercise(
        lesson="99-test", title="T", minutes=1, difficulty=1, teaches="", hints=["h"],
        answer="value",
    )(test)  # fmt: skip
    del core.REGISTRY["test"]
    code = test.__code__.replace(co_filename="the check")
    monkeypatch.setattr(test, "__code__", code)
    result = exercise(Lazy())
    assert "RuntimeError: not now" in result.text
    assert "fault of the course" not in result.text


def test_settings_are_put_back(tmp_path):
    def changes(a, b):
        np.seterr(all="raise")
        np.set_printoptions(precision=1)
        os.chdir(tmp_path)
        return right(a, b)

    before = np.geterr(), np.get_printoptions(), os.getcwd()
    assert check.cosine(changes).correct
    assert (np.geterr(), np.get_printoptions(), os.getcwd()) == before


@pytest.mark.parametrize("less", [lambda x: x.astype(np.float16), lambda x: x.round(4)])
def test_lost_digits_are_named_and_shown(less):
    result = check.cosine(lambda a, b: less(right(a, b)).astype(float))
    assert "digits only: was it rounded, or computed in half precision?" in result.likely
    expected, got = result.message.split("expected ")[1].split(" (")[0].split(", got ")
    assert expected != got


def test_an_error_of_some_tenths_of_a_percent_is_not_called_rounding():
    result = check.cosine(
        lambda a, b: right(a, b) * (1 + 0.003 * np.cos(np.arange(a.shape[0])))[:, None]
    )
    assert "digits only" not in result.text
