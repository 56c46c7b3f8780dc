"""The notebooks as files: their stored form, their metadata, and what every lesson must hold."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

import vsacourse.check  # noqa: F401  registers every exercise
from vsacourse.check.core import REGISTRY

ROOT = Path(__file__).resolve().parents[1]
LESSONS = sorted(ROOT.glob("lessons/*.ipynb"))
SOLUTIONS = sorted(ROOT.glob("solutions/*.ipynb"))
WORKSHOP = [ROOT / "exercises/workshop.ipynb", ROOT / "book/workshop-bridge.ipynb"]
EXERCISES = [p for p in sorted(ROOT.glob("exercises/*.ipynb")) if p not in WORKSHOP]
OF_A_LESSON = [*LESSONS, *SOLUTIONS, *EXERCISES]
EVERY = [*OF_A_LESSON, *WORKSHOP]  # tests/test_workshop.py has more on the last two
FIELDS = {
    "lesson": str,
    "number": str,
    "title": str,
    "question": str,
    "part": str,
    "reading_minutes": int,
    "exercise_minutes": int,
    "prerequisites": list,
    "objectives": list,
    "needed_by": list,
}
SPEC = importlib.util.spec_from_file_location("notebooks", ROOT / "book/tools/notebooks.py")
assert SPEC is not None
assert SPEC.loader is not None
tools = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tools)


def name(path: Path) -> str:
    """Return the id of a test: folder and file."""
    return f"{path.parent.name}/{path.stem}"


def read(path: Path) -> Any:
    """Return the notebook at ``path``."""
    return nbformat.read(path, as_version=4)


def markdown(notebook: Any) -> str:
    """Return the notebook's text cells as one text."""
    return "\n\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")


def prose(notebook: Any) -> str:
    """Return the text cells without their fenced code."""
    return re.sub(r"^```.*?^```", "", markdown(notebook), flags=re.S | re.M)


def test_lessons_solutions_and_exercises_go_together() -> None:
    assert len(LESSONS) >= 3
    assert [p.name for p in LESSONS] == [p.name for p in SOLUTIONS] == [p.name for p in EXERCISES]


@pytest.mark.parametrize("path", EVERY, ids=name)
def test_stored_form(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert path.read_text("utf-8") == tools.text_of(tools.stored_form(notebook)), (
        "run make exercises"
    )
    ids = [c["id"] for c in notebook.cells]
    assert len(ids) == len(set(ids))
    assert "_" not in path.stem


@pytest.mark.parametrize("path", EVERY, ids=name)
def test_compared_cells_have_both_tags_and_an_output(path: Path) -> None:
    for cell in read(path).cells:
        tags = set(cell.metadata.get("tags", [])) & tools.COMPARED
        assert tags in (set(), tools.COMPARED), f"{cell['id']}: give it both tags or none"
        if tags:
            assert cell.outputs, f"{cell['id']}: no output to compare, run make exercises"
            assert cell.execution_count, f"{cell['id']}: no execution count, run make exercises"
            kinds = {o.output_type for o in cell.outputs}
            assert "error" not in kinds
            assert not any(o.get("name") == "stderr" for o in cell.outputs)


@pytest.mark.parametrize("path", EVERY, ids=name)
def test_printed_lines_fit_the_page(path: Path) -> None:
    """88 characters are what a page at a desktop shows without scrolling sideways."""
    for cell in read(path).cells:
        for output in cell.get("outputs", []):
            for line in output.get("text", "").splitlines():
                assert len(line) <= 88, f"{cell.id}: {len(line)} characters: {line}"


@pytest.mark.parametrize("path", OF_A_LESSON, ids=name)
def test_metadata(path: Path) -> None:
    meta = read(path).metadata["vsacourse"]
    for field, kind in FIELDS.items():
        assert isinstance(meta.get(field), kind), f"{field} must be {kind.__name__}"
    assert meta["lesson"] == path.stem
    assert meta["number"] == path.stem[:2]
    assert 1 <= len(meta["objectives"]) <= 3
    assert meta["reading_minutes"] + meta["exercise_minutes"] <= 90
    for field in FIELDS:
        lesson = read(ROOT / "lessons" / path.name).metadata["vsacourse"]
        assert meta[field] == lesson[field], f"{field} differs from the lesson's"


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_syllabus_agrees(path: Path) -> None:
    meta = read(path).metadata["vsacourse"]
    parts = yaml.safe_load((ROOT / "book/syllabus.yml").read_text("utf-8"))
    entries = {e["file"]: (p["part"], e) for p in parts for e in p["lessons"]}
    part, entry = entries[path.stem]
    assert meta["part"] == part
    assert meta["title"] == entry["title"]
    assert meta["question"] == entry["question"]
    for other in [*meta["prerequisites"], *meta["needed_by"]]:
        assert other in entries, f"{other} is no lesson of the syllabus"


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_shape_of_a_lesson(path: Path) -> None:
    notebook = read(path)
    meta = notebook.metadata["vsacourse"]
    text = markdown(notebook)
    first, last = notebook.cells[0].source, notebook.cells[-1].source
    assert first.startswith(f"# {meta['number']} · {meta['title']}\n")
    assert f"**{meta['question']}**" in first
    minutes = f"{meta['reading_minutes']} min reading + {meta['exercise_minutes']} min exercises"
    assert f"**Time:** {minutes}" in first
    assert len(re.findall(r"^# ", prose(notebook), flags=re.M)) == 1
    assert f"(../exercises/{path.name})" in last
    assert f"(../solutions/{path.name})" in last
    for section in ("## Summary", "## Sources", "## Where to go from here"):
        assert re.search(rf"^{section}", text, flags=re.M), f"no section {section!r}"
    assert text.count("<details>") >= 4, "questions and predictions are missing"
    assert text.count("<details>") == text.count("</details>")
    assert re.search(r"[Pp]redict", text), "no prediction before a result"
    code = "\n".join(c.source for c in notebook.cells if c.cell_type == "code")
    assert "explore(" in code or "watch_induction(" in code, "no interactive figure"


@pytest.mark.parametrize("path", EVERY, ids=name)
def test_notebooks_are_plain_commonmark(path: Path) -> None:
    text = prose(read(path))
    assert not re.search(r"^:::|^```\{|\{[a-z:-]+\}`", markdown(read(path)), flags=re.M), (
        "a directive"
    )
    for summary in re.findall(r"<summary>(.*?)</summary>", text, flags=re.S):
        assert "$" not in summary, f"mathematics in a summary: {summary}"
    for link in re.findall(r"\]\(([^)#\s]*)", text):
        if link and not re.match(r"[a-z]+:", link):
            assert (path.parent / link).exists(), f"link to {link}, which does not exist"


@pytest.mark.parametrize("path", EVERY, ids=name)
def test_code_cells(path: Path) -> None:
    for cell in read(path).cells:
        if cell.cell_type != "code":
            continue
        lines = [x for x in cell.source.splitlines() if x.strip() and not x.strip().startswith("#")]
        assert not any(x.rstrip().endswith(";") for x in lines), f"{cell['id']} ends in ;"
        assert "np.random.seed" not in cell.source
        if path.stem[:2] <= "10":  # from lesson 11 on models are trained
            assert "import torch" not in cell.source, f"{cell['id']}: Parts I and II need no torch"
        if "plt.show()" in cell.source:
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            assert len(alt) >= 40, (
                f"{cell['id']} draws, and its alt text does not say what one sees"
            )


@pytest.mark.parametrize("path", SOLUTIONS, ids=name)
def test_every_exercise_is_cleared_and_checked(path: Path) -> None:
    solution, exercise = read(path), read(ROOT / "exercises" / path.name)
    assert "BEGIN SOLUTION" not in str(exercise)
    assert "solution-only" not in str(exercise)
    expected = {n: e for n, e in REGISTRY.items() if e.lesson == path.stem}
    cleared = {c["id"]: c.source for c in exercise.cells}
    asked = []
    for cell in solution.cells:
        if cell.cell_type != "code":
            continue
        asked += re.findall(r"^check\.(\w+)\(", cell.source, flags=re.M)
        regions = len(re.findall(r"### BEGIN SOLUTION", cell.source))
        assert regions == len(re.findall(r"### END SOLUTION", cell.source))
        functions = re.findall(r"^def (\w+)", cell.source, flags=re.M)
        if any(f in expected for f in functions):
            assert regions >= 1, f"{cell['id']} has no region: it would show its solution"
            assert cleared[cell["id"]].count("raise NotImplementedError") >= regions
    assert sorted(asked) == sorted(expected), "each exercise is checked once"
    assert 3 <= len(expected) <= 6
    total = sum(e.minutes for e in expected.values())
    assert total == solution.metadata["vsacourse"]["exercise_minutes"]
    headings = re.findall(r"^## (.*)$", markdown(solution), flags=re.M)
    for e in expected.values():
        heading = next((h for h in headings if h.endswith(f" · {e.title}")), None)
        assert heading, f"no heading '## Exercise N · {e.title}'"
        assert e.anchor == heading.replace(" ", "-"), f"{e.name}: the last hint leads elsewhere"
        line = f"*{e.minutes} min · difficulty {e.difficulty}/5 · teaches"
        assert line in markdown(solution), f"no line {line!r} for {e.name}"


@pytest.mark.parametrize("path", SOLUTIONS, ids=name)
def test_exercises_are_what_solutions_yield(path: Path) -> None:
    derived = tools.text_of(tools.derive(read(path)))
    assert derived == tools.text_of(tools.derive(read(path))), "derived twice, two results"
    stored = (ROOT / "exercises" / path.name).read_text("utf-8")
    assert derived == stored, "solutions/ changed: run make exercises"


def test_glossary_is_sorted_and_linked() -> None:
    text = (ROOT / "book/glossary.md").read_text("utf-8")
    terms = re.findall(r"^## (.*)$", text, flags=re.M)
    assert terms == sorted(terms, key=str.lower)
    assert len(terms) == len(set(terms)) >= 30
    anchors = {re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in terms}
    for path in LESSONS:
        linked = set(re.findall(r"glossary\.md#([\w-]+)", markdown(read(path))))
        assert linked <= anchors, f"{name(path)} links to {linked - anchors}"
        assert len(linked) >= 3, f"{name(path)} links to few terms"
