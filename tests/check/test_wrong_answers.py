"""Every stored wrong answer gets the message meant for it, every unusual right one passes."""

import importlib.util
from collections import Counter
from pathlib import Path

import pytest

from vsacourse import check
from vsacourse.check.core import REGISTRY

FOLDER = Path(__file__).parents[1] / "wrong_answers"


def _tables(kind):
    table = {}
    for path in sorted(FOLDER.glob("lesson*.py")):
        spec = importlib.util.spec_from_file_location(f"wrong_answers_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, rows in getattr(module, kind).items():
            assert name not in table, f"{name} stands in two tables"
            table[name] = rows
    return table


WRONG, RIGHT = _tables("WRONG"), _tables("RIGHT")
WRONG_ROWS = [(name, *row) for name, rows in WRONG.items() for row in rows]
RIGHT_ROWS = [(name, *row) for name, rows in RIGHT.items() for row in rows]


@pytest.mark.parametrize(
    ("name", "label", "answer", "outcome", "fragment"),
    WRONG_ROWS,
    ids=[f"{row[0]}-{row[1]}" for row in WRONG_ROWS],
)
def test_wrong_answer_gets_its_message(name, label, answer, outcome, fragment):
    result = REGISTRY[name](answer)
    assert result.outcome == outcome, result
    assert fragment in result.text, result


@pytest.mark.parametrize(
    ("name", "label", "answer"), RIGHT_ROWS, ids=[f"{row[0]}-{row[1]}" for row in RIGHT_ROWS]
)
def test_unusual_right_answer_passes(name, label, answer):
    if label.startswith("torch"):
        pytest.importorskip("torch")
    result = REGISTRY[name](answer)
    assert result.correct, result


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_exercise_has_its_rows(name):
    assert len(WRONG.get(name, [])) >= 3, f"{name}: at least three wrong answers"
    assert len(RIGHT.get(name, [])) >= 1, f"{name}: at least one unusual right answer"
    labels = Counter(label for label, *_ in WRONG[name])
    assert max(labels.values()) == 1, labels


def test_no_rows_without_an_exercise():
    assert set(WRONG) | set(RIGHT) <= set(REGISTRY)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_stub_is_not_attempted(name):
    exercise = REGISTRY[name]

    def stub(*args, **kwargs):
        raise NotImplementedError

    answer = ... if exercise.answer == "value" else stub
    assert exercise(answer).outcome is check.Outcome.NOT_ATTEMPTED


@pytest.mark.parametrize("name", sorted(WRONG))
def test_at_most_one_wrong_answer_has_only_a_generic_message(name):
    generic = [
        label
        for label, answer, outcome, _ in WRONG[name]
        if outcome == "incorrect" and not REGISTRY[name](answer).likely
    ]
    if REGISTRY[name].answer == "function":
        assert len(generic) <= 1, f"{name}: no likely mistake is named for {generic}"
