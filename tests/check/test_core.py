"""What a learner reads for every kind of wrong input, and the rules that lesson writers meet."""

import sys

import numpy as np
import pytest

from vsacourse import check
from vsacourse.check import comparing
from vsacourse.check.core import REGISTRY, exercise


def right(a, b):
    norms = np.linalg.norm(a, axis=-1)[:, None] * np.linalg.norm(b, axis=-1)
    return a @ b.T / norms


def prints(a, b):
    print("0.97")


def changes_and_returns_nothing(a, b):
    a *= 2


def recursive(a, b):
    return recursive(a, b)


def generator(a, b):
    yield a


async def coroutine(a, b):
    return a


def seeds(a, b):
    np.random.seed(0)  # noqa: NPY002
    return right(a, b)


def helper(a):
    raise NotImplementedError("your code here")


def calls_helper(a, b):
    return helper(a)


def warns(a, b):
    np.ones(1) / np.zeros(1)
    print("seen")
    return right(a, b)


def none_in_between(a, b):
    return changes_and_returns_nothing(a.copy(), b) @ b.T


@pytest.mark.parametrize(
    ("answer", "outcome", "fragment"),
    [
        (right, "correct", "Every property holds"),
        (warns, "correct", "divide by zero"),
        (calls_helper, "not attempted", "`calls_helper` calls `helper`, which is not written"),
        (lambda a, b: ..., "not attempted", "returns a placeholder"),
        (..., "not attempted", "replace the placeholder"),
        (prints, "incorrect", "it prints its answer instead of returning it"),
        (lambda a, b: None, "incorrect", "returned `None`.\nThe `return` is missing"),
        (changes_and_returns_nothing, "incorrect", "changed its argument `a` in place"),
        (lambda a, b: a, "incorrect", "the argument `a` itself, unchanged"),
        (lambda a, b: a[:, ::-1], "incorrect", "a view of the argument `a`"),
        (lambda a, b: (right(a, b), 1), "incorrect", "a comma too many"),
        (lambda a, b: float(right(a, b).sum()), "incorrect", "over which `axis`"),
        (lambda a, b: right(a, b)[0], "incorrect", "has shape (5,); it needs (3, 5)"),
        (lambda a, b: right(a, b) + 0j, "incorrect", "Take the real part"),
        (lambda a, b: right(a, b) > 0, "incorrect", "needs real numbers"),
        (lambda a, b: right(0 * a, b), "incorrect", "15 of 15 entries are NaN"),
        (lambda a, b: right(a, b) + np.inf, "incorrect", "entries are infinite"),
        (lambda a, b: 2 * right(a, b), "incorrect", "Every entry is 2 times the right one"),
        (lambda a, b: "text", "incorrect", "is the string 'text'"),
        (lambda a, b: np.sum, "incorrect", "not a value"),
        (lambda a, b: (x for x in a), "incorrect", "generator"),
        (lambda a: a, "incorrect", "with 2 arguments"),
        (generator, "incorrect", "says `yield`"),
        (coroutine, "incorrect", "`async def`"),
        (seeds, "incorrect", "global random state"),
        (lambda a, b: right(a, b) + np.random.default_rng().normal(), "incorrect", "different ans"),
        (lambda a, b: right(a, b) * (len(a) == 3), "incorrect", "Every entry is zero"),
        (recursive, "error", "calls itself without end"),
        (lambda a, b: sys.exit(), "error", "Use `return` to leave a function"),
        (lambda a, b: unknown, "error", "was the cell that defines it run"),  # noqa: F821
        (none_in_between, "error", "a function without `return`"),
        (lambda a, b: a + b, "error", "compared from the last axis backwards"),
        (np.ones((3, 5)), "incorrect", "needs the function itself"),
        ("cosine", "incorrect", "without quotes"),
        (None, "incorrect", "You passed `None`"),
        (dict, "incorrect", "You passed the class `dict`"),
    ],
)
def test_each_kind_of_answer_gets_its_words(answer, outcome, fragment):
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    result = check.cosine(answer)
    assert result.outcome == outcome, result
    assert fragment in result.text, result
    assert result.next_step
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


def test_nothing_and_too_much():
    assert "was given nothing" in check.cosine().message
    assert "more than one thing" in check.cosine(right, 3).message


def test_prints_are_shown_not_lost(capsys):
    result = check.cosine(warns)
    assert result.printed == "seen"
    assert "seen" in repr(result)
    assert "seen" in result._repr_html_()
    assert capsys.readouterr().out == ""


def test_error_names_the_line_and_the_inputs():
    text = check.cosine(none_in_between).text
    assert "of test_core.py, `return changes_and_returns_nothing(a.copy(), b) @ b.T`" in text
    assert "`a` is a float64 array of shape (3, 7)" in text


def test_library_that_is_not_implemented_is_an_error_not_a_stub():
    def library(a, b):
        return compile("raise NotImplementedError('no half')", "<frozen x>", "exec") and exec(
            compile("raise NotImplementedError('no half')", "<frozen x>", "exec")
        )

    assert check.cosine(library).outcome is check.Outcome.ERROR


def test_result_is_escaped_and_told_without_colour():
    result = check.cosine("<script>")
    assert "<script>" not in result._repr_html_()
    assert "✘ Incorrect" in result._repr_html_()
    assert repr(result).startswith("[x] INCORRECT")
    assert repr(result).isascii()


def test_hints_climb_to_the_solution(monkeypatch):
    monkeypatch.setattr(check.cosine, "_rung", 0)
    ladder = [check.cosine.hint() for _ in range(5)]
    assert ladder[0].text != ladder[1].text
    assert ladder[3] == ladder[4]
    address = "../solutions/00-warm-up.ipynb#Exercise-1-·-Cosine-of-all-pairs"
    assert f'href="{address}"' in ladder[3]._repr_html_()
    assert not any("solutions" in hint.text for hint in ladder[:3])


def test_unknown_exercise_names_the_near_ones():
    with pytest.raises(AttributeError, match=r"Did you mean check\.cosine\b"):
        _ = check.cosin
    assert dir(check) == sorted(REGISTRY)


@pytest.fixture
def make():
    """Registers an exercise for one test."""
    before = dict(REGISTRY)

    def register(test, **fields):
        values = {
            "lesson": "99-test",
            "title": "T",
            "minutes": 1,
            "difficulty": 1,
            "teaches": "",
            "hints": ["h"],
        }
        return exercise(**(values | fields))(test)

    yield register
    REGISTRY.clear()
    REGISTRY.update(before)


@pytest.mark.parametrize(
    ("kind", "options", "answer", "outcome", "fragment"),
    [
        ("real", {}, 0.5, "correct", ""),
        ("real", {}, np.float32(0.5), "correct", ""),
        ("real", {}, np.array(0.5), "correct", ""),
        ("real", {"between": (0, 1)}, 2, "incorrect", "lies between 0 and 1"),
        ("real", {}, "0.5", "incorrect", "needs one number"),
        ("real", {}, True, "incorrect", "the boolean True; it needs real numbers"),
        ("real", {}, np.array([0.5]), "incorrect", "take it out, `[0]`"),
        ("real", {}, float("nan"), "incorrect", "not finite"),
        ("real", {}, None, "not attempted", "placeholder"),
        ("real", {}, abs, "incorrect", "asks for a value"),
        ("int", {}, 3, "correct", ""),
        ("int", {}, 3.0, "correct", ""),
        ("int", {}, 3.5, "incorrect", "needs integers"),
        ("bool", {}, False, "correct", ""),
        ("bool", {}, 0, "incorrect", "needs booleans"),
        ("str", {"choices": ["HRR", "MAP"]}, " hrr", "correct", ""),
        ("str", {"choices": ["HRR", "MAP"]}, "HRRR", "incorrect", "Did you mean 'HRR'?"),
        ("str", {"choices": ["HRR", "MAP"]}, 3, "incorrect", "in quotes"),
        ("dict", {"keys": ["a", "b"]}, {"a": 1, "b": 2}, "correct", ""),
        ("dict", {"keys": ["a", "b"]}, {"a": 1}, "incorrect", "no entry for 'b'"),
        ("dict", {"keys": ["a"]}, {"a": 1, "c": 2}, "incorrect", "not asked for: c"),
        ("dict", {"keys": ["a"]}, {"a": ...}, "not attempted", "Not filled in yet: 'a'"),
    ],
)
def test_values(make, kind, options, answer, outcome, fragment):
    def guess(attempt):
        attempt.value(kind, **options)

    result = make(guess, answer="value")(answer)
    assert result.outcome == outcome, result
    assert fragment in result.text, result


def test_fresh_refuses_views(make):
    def flip(attempt):
        attempt.call(np.arange(3.0), fresh=True)

    ex = make(flip)
    assert "a view of its argument `x`" in ex(lambda x: x[::-1]).text
    assert "returns its argument `x` itself" in ex(lambda x: x).text
    assert ex(lambda x: x[::-1].copy()).correct


def test_generator_argument_is_repeatable(make):
    def draw(attempt):
        attempt.call(4, np.random.default_rng(0))

    assert make(draw)(lambda n, rng: rng.normal(size=n)).correct


def test_equal_items_and_require(make):
    def parts(attempt):
        first, names = attempt.items(attempt.call(), 2)
        attempt.equal(first, 3, what="first", mistakes={"off by one": 4})
        attempt.equal(names, ["a"], what="names")
        attempt.require(first < 3, "first is 3", likely="because")

    ex = make(parts)
    assert "off by one" in ex(lambda: (4, ["a"])).text
    assert "expected ['a']" in ex(lambda: (3, [])).text
    assert "first is 3\nbecause" in ex(lambda: (3, ["a"])).text
    assert "has 3 parts" in ex(lambda: (1, 2, 3)).text
    assert "needs a tuple of 2" in ex(lambda: 1).text


def test_fault_of_the_check_is_said(make):
    def broken(attempt):
        raise IndexError("oops")

    result = make(broken)(lambda: 1)
    assert result.outcome is check.Outcome.ERROR
    assert "fault of the course" in result.text


@pytest.mark.parametrize(
    "fields",
    [{"lesson": "one"}, {"difficulty": 6}, {"minutes": 0}, {"hints": []}, {"answer": "maybe"}],
)
def test_fields_that_make_no_sense(make, fields):
    with pytest.raises(ValueError, match=r"lesson|difficulty|answer"):
        make(lambda attempt: None, **fields)


def test_reserved_and_taken_names(make):
    def core(attempt): ...

    def cosine(attempt): ...

    with pytest.raises(ValueError, match="reserved"):
        make(core)
    with pytest.raises(ValueError, match="Two exercises"):
        make(cosine)


def test_what_differs_is_not_what_rounding_left():
    """An extra entry is shown at its place, and is no "1 times the right one"."""
    y = np.zeros((3, 3))
    y[0, 0], y[1, 1] = 1.0, 2.0
    x = y.copy()
    x[0, 1], x[2, 2] = 1e-17, 5.0
    x = np.pad(x, (0, 3))
    y = np.pad(y, (0, 3))
    y[3, 3] = x[3, 3] = 3.0
    assert "[2, 2]: expected 0, got 5 (1 of 36" in comparing.numbers(x, y)
    assert comparing.recognised(x, y, 1e-5, None) == ""
    assert "2 times the right one" in comparing.recognised(2 * y, y, 1e-5, None)
