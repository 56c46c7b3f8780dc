"""Keep the notebooks in their stored form, and derive the exercises from the solutions.

python book/tools/notebooks.py refresh [PATH ...]   run lessons and solutions, keep what is compared
python book/tools/notebooks.py derive               write exercises/ from solutions/, and the
                                                    workshop from the cells with its tag
python book/tools/notebooks.py all                  both, for every notebook (make exercises)
python book/tools/notebooks.py verify               exit 1 when a notebook is not in its stored form

Stored form: no outputs, except in cells that carry both tags of ``COMPARED`` (nbval compares
those); cell ids kept; kernelspec ``python3``; one trailing newline. CONTRIBUTING.md says when to
run what.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "ext"))

import timetable  # noqa: E402  the book's own reading of book/workshop.yml

BRIDGE = ROOT / "book" / "workshop-bridge.ipynb"
WORKSHOP = ROOT / "exercises" / "workshop.ipynb"
COMPARED = {"nbval-check-output", "keep_output"}
STUB = 'raise NotImplementedError("your turn: replace this line")'
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
HEAD = """# {number} · Exercises: {title}

About {minutes} minutes. The lesson is [{lesson}](../lessons/{lesson}.ipynb).

Run the cells from top to bottom (Shift+Enter). Replace each `raise NotImplementedError(...)` with
your own lines, run the cell, then run the check below it. A check answers at once and says which
property fails. `check.<name>.hint()` gives a hint, one more at each call; the last one leads to the
[worked solution](../solutions/{lesson}.ipynb). An exercise that you leave open blocks nothing."""


WORKSHOP_HEAD = """# {title}

At the end you can

{able}.

{table}

*Put together from the lessons. Each exercise says where its worked solution is.*"""


def read(path: Path) -> NotebookNode:
    """Return the notebook at ``path``."""
    return nbformat.read(path, as_version=4)


def text_of(notebook: NotebookNode) -> str:
    """Return ``notebook`` as the text of its file."""
    return nbformat.writes(notebook, indent=1) + "\n"


def write(notebook: NotebookNode, path: Path) -> None:
    """Write ``notebook`` under a temporary name, then move it into place."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text_of(notebook), encoding="utf-8", newline="\n")
    os.replace(partial, path)


def stored_form(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of ``notebook`` as it is kept in the repository."""
    kept = nbformat.from_dict(notebook)
    kept.metadata = NotebookNode(
        {"kernelspec": NotebookNode(KERNELSPEC), "vsacourse": notebook.metadata["vsacourse"]}
    )
    for cell in kept.cells:
        tags = set(cell.metadata.get("tags", []))
        cell.metadata = NotebookNode(
            {k: v for k, v in sorted(cell.metadata.items()) if k in ("tags", "mystnb")}
        )
        cell.pop("attachments", None)
        if cell.cell_type == "code" and not tags >= COMPARED:
            cell.outputs, cell.execution_count = [], None
    return kept


def derive(solution: NotebookNode) -> NotebookNode:
    """Return the exercise notebook of ``solution``: its bodies cleared, its own head."""
    config = Config()
    config.ClearSolutions.enforce_metadata = False
    config.ClearSolutions.code_stub = {"python": STUB}
    config.NotebookExporter.preprocessors = [ClearSolutions]
    source = nbformat.from_dict(solution)
    source.cells = [c for c in source.cells if "solution-only" not in c.metadata.get("tags", [])]
    text, _ = NotebookExporter(config=config).from_notebook_node(source)
    exercise = stored_form(nbformat.reads(text, as_version=4))
    meta = exercise.metadata["vsacourse"]
    head = HEAD.format(
        number=meta["number"],
        title=meta["title"],
        minutes=meta["exercise_minutes"],
        lesson=meta["lesson"],
    )
    first = nbformat.v4.new_markdown_cell(head)
    first["id"] = "exercise-head"
    exercise.cells.insert(0, first)
    for cell in exercise.cells:
        # A compared output belongs to the solution; the exercise shows the learner's own.
        drop_tags(cell, COMPARED)
    return exercise


def drop_tags(cell: NotebookNode, dropped: set[str]) -> None:
    """Take these tags off a cell, and its outputs with them."""
    if cell.cell_type == "code":
        cell.outputs, cell.execution_count = [], None
    tags = [t for t in cell.metadata.get("tags", []) if t not in dropped]
    cell.metadata.pop("tags", None)
    if tags:
        cell.metadata["tags"] = tags


def moved(cell: dict[str, Any], origin: str, folder: str) -> NotebookNode:
    """Return a cell as the workshop holds it: own id, headings one level down, links that lead."""
    kept = nbformat.from_dict(cell)
    kept["id"] = f"{origin}-{cell['id']}"
    drop_tags(kept, {*COMPARED, timetable.TAG})
    if kept.cell_type == "markdown":
        kept.source = re.sub(r"^#(#+ )", r"##\1", kept.source, flags=re.M)
        here = r"\]\((?![a-z]+:|#|\.\./)([^)\s]+)\)"  # a link to a file of the cell's own folder
        kept.source = re.sub(here, rf"](../{folder}/\1)", kept.source)
    return kept


def exercise_of(lesson: str) -> list[NotebookNode]:
    """Return the marked exercise of ``lesson``, unsolved, with the number of its lesson."""
    cleared = derive(read(ROOT / "solutions" / f"{lesson}.ipynb")).cells
    cells = [c for c in cleared if timetable.TAG in c.metadata.get("tags", [])]
    cells = [moved(c, f"exercise-{lesson[:2]}", "exercises") for c in cells]
    for cell in cells:
        if cell.source.startswith("### Exercise"):
            number = rf"\1 {lesson[:2]}."  # its number in its own lesson follows
            cell.source = re.sub(r"^(### Exercise) ", number, cell.source)
            cell.source += f"\n\n(Worked [solution](../solutions/{lesson}.ipynb).)"
    return cells


def workshop() -> NotebookNode:
    """Return the notebook of the two-hour workshop, in the order of its timetable."""
    plan = timetable.read_plan(ROOT)
    rows = timetable.rows(ROOT, plan)
    head = WORKSHOP_HEAD.format(
        title=plan["title"],
        able=";\n".join(f"- {x}" for x in plan["able"]),
        table=timetable.notebook_table(ROOT, plan),
    )
    cells = [nbformat.v4.new_markdown_cell(head)]
    cells[0]["id"] = "workshop-head"
    for number, part in enumerate(plan["parts"]):
        row = next(r for r in rows if r["part"] is part)
        heading = f"## {timetable.clock(row['start'])} · {part['title']}"
        text = "\n\n".join(x.rstrip() for x in (heading, part.get("text", "")) if x)
        first = nbformat.v4.new_markdown_cell(text)
        first["id"] = f"part-{number}"
        cells.append(first)
        if part.get("bridge"):
            cells += [moved(c, "bridge", "book") for c in read(BRIDGE).cells[1:]]
        elif "lesson" in part:
            name = part["lesson"]
            mine = timetable.cells_of(plan, part, timetable.marked(ROOT, "lessons", name))
            cells += [moved(c, f"lesson-{name[:2]}", "lessons") for c in mine]
        if "exercise" in part:
            cells += exercise_of(part["lesson"])
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.nbformat_minor = 5
    notebook.metadata["vsacourse"] = NotebookNode({"kind": "workshop", "title": plan["title"]})
    return stored_form(notebook)


def run(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Return ``notebook`` executed in ``folder``."""
    NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        coalesce_streams=True,  # else the pieces of a slow cell's output differ from run to run
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    return notebook


def sources(paths: list[Path]) -> list[Path]:
    """Return ``paths``, or every notebook that is written by hand."""
    folders = ("lessons", "solutions", "book")
    every = [p for folder in folders for p in sorted(ROOT.glob(f"{folder}/*.ipynb"))]
    return [p.resolve() for p in paths] or every


def uncommitted(folder: str) -> str:
    """Return git's list of uncommitted changes under ``folder``; empty outside a checkout."""
    done = subprocess.run(
        ["git", "status", "--porcelain", "--", folder], cwd=ROOT, capture_output=True, text=True
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def refresh(paths: list[Path]) -> None:
    """Run lessons and solutions and store the outputs that are compared."""
    with tempfile.TemporaryDirectory() as home:
        # The solutions call the checks: they must not count as the author's own progress.
        os.environ["VSACOURSE_HOME"] = home
        for path in sources(paths):
            print(f"running {path.relative_to(ROOT)} …", flush=True)
            write(stored_form(run(read(path), path.parent)), path)


def exercises_are_safe() -> bool:
    """Return whether exercises/ can be written; say what would be lost when it cannot."""
    changed = uncommitted("exercises")
    if changed:
        print(
            "exercises/ holds changes that are not committed, and would be overwritten:\n"
            f"{changed}\nExercises are derived: make the change in solutions/, then "
            "`git checkout exercises` (or move your answers to work/) and run this again.",
            file=sys.stderr,
        )
    return not changed


def derive_all() -> None:
    """Write every exercise from its solution, and the workshop from what is marked."""
    for path in sorted(ROOT.glob("solutions/*.ipynb")):
        write(derive(read(path)), ROOT / "exercises" / path.name)
        print(f"exercises/{path.name}")
    write(workshop(), WORKSHOP)
    print(f"exercises/{WORKSHOP.name}")


def verify() -> int:
    """Say which notebooks are not in their stored form, or not what their solution yields."""
    wrong = [p for p in sources([]) if text_of(stored_form(read(p))) != p.read_text("utf-8")]
    for path in sorted(ROOT.glob("solutions/*.ipynb")):
        exercise = ROOT / "exercises" / path.name
        if not exercise.exists() or text_of(derive(read(path))) != exercise.read_text("utf-8"):
            wrong.append(exercise)
    if not WORKSHOP.exists() or text_of(workshop()) != WORKSHOP.read_text("utf-8"):
        wrong.append(WORKSHOP)
    for path in wrong:
        print(f"{path.relative_to(ROOT)} is not in its stored form: run `make exercises`.")
    return 1 if wrong else 0


def main() -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["refresh", "derive", "all", "verify"])
    parser.add_argument("paths", nargs="*", type=Path)
    options = parser.parse_args()
    if options.command == "verify":
        return verify()
    if options.command != "refresh" and not exercises_are_safe():
        return 1
    if options.command != "derive":
        refresh(options.paths)
    if options.command != "refresh":
        derive_all()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
