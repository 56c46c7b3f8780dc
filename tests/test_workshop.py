"""The two-hour workshop: its timetable adds up, and its notebook is what the lessons yield."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

import vsacourse.check  # noqa: F401  registers every exercise
from vsacourse.check.core import REGISTRY

ROOT = Path(__file__).resolve().parents[1]
SPEC = importlib.util.spec_from_file_location("notebooks", ROOT / "book/tools/notebooks.py")
assert SPEC is not None
assert SPEC.loader is not None
tools = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tools)
timetable = tools.timetable

PLAN = timetable.read_plan(ROOT)
ROWS = timetable.rows(ROOT, PLAN)
LESSONS = list(dict.fromkeys(p["lesson"] for p in PLAN["parts"] if "lesson" in p))
WORDS, LINES = 180, 10  # read in a minute: words of text, lines of code that is not only a picture


def minutes_of(cells: list[Any]) -> float:
    """Return how long it takes to read these cells."""
    found = 0.0
    for cell in cells:
        if cell["cell_type"] == "markdown":
            found += len(cell["source"].split()) / WORDS
        elif "hide-input" not in cell["metadata"].get("tags", []):
            found += len([x for x in cell["source"].splitlines() if x.strip()]) / LINES
    return found


def handed_out() -> Any:
    return nbformat.read(tools.WORKSHOP, as_version=4)


def test_two_hours_with_a_break_and_the_version_of_ninety_minutes() -> None:
    assert sum(row["minutes"] for row in ROWS) == 120
    assert sum(row["short"] for row in ROWS) == 90
    assert [r["minutes"] for r in ROWS if r["title"] == "Break"] == [5]
    assert all(row["short"] <= row["minutes"] for row in ROWS)
    assert all(p["ask"].strip() for p in PLAN["parts"])


def test_exercises_have_the_minutes_of_their_checks() -> None:
    parts = [p for p in PLAN["parts"] if "exercise" in p]
    assert [p["lesson"] for p in parts] == LESSONS, "one exercise of each lesson"
    for part in parts:
        exercise = REGISTRY[part["exercise"]["name"]]
        assert exercise.lesson == part["lesson"]
        assert exercise.minutes == part["exercise"]["minutes"]
        heading = timetable.exercise_heading(ROOT, part["lesson"])
        assert heading.endswith(f" · {exercise.title}")
        cells = timetable.marked(ROOT, "solutions", part["lesson"])
        assert f"check.{exercise.name}({exercise.name})" in [c["source"] for c in cells]
        assert not any("solution-only" in c["metadata"]["tags"] for c in cells)


def test_every_marked_cell_belongs_to_a_part_and_every_part_has_cells() -> None:
    for folder in ("lessons", "solutions"):
        for path in ROOT.glob(f"{folder}/*.ipynb"):
            marked = timetable.marked(ROOT, folder, path.stem)
            assert bool(marked) == (path.stem in LESSONS), f"{folder}/{path.name}: marked or not?"
    for lesson in LESSONS:
        marked = timetable.marked(ROOT, "lessons", lesson)
        parts = [p for p in PLAN["parts"] if p.get("lesson") == lesson]
        held = [timetable.cells_of(PLAN, p, marked) for p in parts]
        assert all(held)
        assert [c["id"] for cells in held for c in cells] == [c["id"] for c in marked]
    assert sum(bool(p.get("bridge")) for p in PLAN["parts"]) == 1


@pytest.mark.parametrize(
    "part", [p for p in PLAN["parts"] if "lesson" in p], ids=lambda p: p["title"]
)
def test_a_part_can_be_read_in_its_minutes(part: dict[str, Any]) -> None:
    cells = timetable.cells_of(PLAN, part, timetable.marked(ROOT, "lessons", part["lesson"]))
    assert minutes_of(cells) <= part["minutes"]


def test_the_bridge_is_fifteen_minutes() -> None:
    bridge = nbformat.read(tools.BRIDGE, as_version=4)
    planned = next(p["minutes"] for p in PLAN["parts"] if p.get("bridge"))
    assert planned == bridge.metadata["vsacourse"]["minutes"] == 15
    assert minutes_of(bridge.cells) <= 15
    assert "**Time:** 15 minutes" in bridge.cells[0].source
    assert len(re.findall(r"^# ", bridge.cells[0].source, flags=re.M)) == 1


def test_the_notebook_is_what_the_lessons_yield() -> None:
    stored = tools.WORKSHOP.read_text("utf-8")
    assert stored == tools.text_of(tools.workshop()), "run make exercises"
    notebook = handed_out()
    ids = [c["id"] for c in notebook.cells]
    assert len(ids) == len(set(ids))
    marked = sum(
        len(timetable.marked(ROOT, d, x)) for d in ("lessons", "solutions") for x in LESSONS
    )
    bridge = len(nbformat.read(tools.BRIDGE, as_version=4).cells) - 1
    assert len(notebook.cells) == 1 + len(PLAN["parts"]) + marked + bridge


def test_the_notebook_shows_no_solution() -> None:
    text = "\n".join(c.source for c in handed_out().cells)
    assert "BEGIN SOLUTION" not in text
    assert "solution-only" not in tools.WORKSHOP.read_text("utf-8")
    assert text.count(tools.STUB) == len(LESSONS)
    for name in (p["exercise"]["name"] for p in PLAN["parts"] if "exercise" in p):
        assert len(re.findall(rf"^check\.{name}\(", text, flags=re.M)) == 1
        body = re.search(rf"^def {name}\(.*?(?=\n\S|\Z)", text, flags=re.S | re.M)
        assert body is not None
        assert tools.STUB in body[0]
        assert "return" not in re.sub(r'""".*?"""', "", body[0], flags=re.S)
    assert not any(c.get("outputs") for c in handed_out().cells)


def test_the_notebook_has_a_heading_for_every_part() -> None:
    text = "\n\n".join(c.source for c in handed_out().cells if c.cell_type == "markdown")
    found = re.findall(r"^## (.*)$", text, flags=re.M)
    starts = {id(r["part"]): r["start"] for r in reversed(ROWS)}
    expected = [f"{timetable.clock(starts[id(p)])} · {p['title']}" for p in PLAN["parts"]]
    assert found == expected
    assert re.findall(r"^# (.*)$", text, flags=re.M) == [PLAN["title"]]
    for able in PLAN["able"]:
        assert f"- {able}" in handed_out().cells[0].source
        assert f"- {able}" in (ROOT / "book/workshop.md").read_text("utf-8")


def test_links_lead_somewhere() -> None:
    page = (ROOT / "book/workshop.md").read_text("utf-8") + timetable.page_table(ROOT, PLAN)
    texts = {tools.BRIDGE.parent / "workshop.md": page}
    for path in (tools.WORKSHOP, tools.BRIDGE):
        cells = nbformat.read(path, as_version=4).cells
        texts[path] = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    glossary = (ROOT / "book/glossary.md").read_text("utf-8")
    terms = {timetable.slug(t) for t in re.findall(r"^## (.*)$", glossary, flags=re.M)}
    for path, text in texts.items():
        found = re.findall(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)", text)
        assert len(found) >= 10
        for file, anchor in found:
            target = (path.parent / file).resolve()
            assert target.exists(), f"{path.name} links to {file}"
            if target.name == "glossary.md":
                assert anchor in terms, f"{path.name}: no term {anchor!r}"


def test_the_days_plan_adds_up() -> None:
    text = (ROOT / "book/workshop.md").read_text("utf-8")
    day = text.split("| morning |")[1].split("**together**")[0]
    minutes = [re.findall(r"\| (\d+) (?=\|)", line) for line in day.splitlines()[2:]]
    assert [sum(int(m[k]) for m in minutes if m) for k in (0, 1)] == [180, 180]


def test_the_page_takes_its_table_from_the_plan() -> None:
    page = (ROOT / "book/workshop.md").read_text("utf-8")
    assert "```{workshop-timetable}" in page
    table = timetable.page_table(ROOT, PLAN)
    assert table.count("\n") == len(ROWS) + 2
    assert "| 2:00 | **End** | | **120** | **90** |" in table
