"""Keep the notebooks in their stored form, and derive the exercises from the solutions.

python book/tools/notebooks.py refresh [PATH ...]   run lessons and solutions, keep what is compared
python book/tools/notebooks.py derive               write exercises/ from solutions/
python book/tools/notebooks.py all                  both, for every notebook (make exercises)
python book/tools/notebooks.py verify               exit 1 when a notebook is not in its stored form

Stored form: no outputs, except in cells that carry both tags of ``COMPARED`` (nbval compares
those); cell ids kept; kernelspec ``python3``; one trailing newline. CONTRIBUTING.md says when to
run what.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

ROOT = Path(__file__).resolve().parents[2]
COMPARED = {"nbval-check-output", "keep_output"}
STUB = 'raise NotImplementedError("your turn: replace this line")'
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
HEAD = """# {number} · Exercises: {title}

About {minutes} minutes. The lesson is [{lesson}](../lessons/{lesson}.ipynb).

Run the cells from top to bottom (Shift+Enter). Replace each `raise NotImplementedError(...)` with
your own lines, run the cell, then run the check below it. A check answers at once and says which
property fails. `check.<name>.hint()` gives a hint, one more at each call; the last one leads to the
[worked solution](../solutions/{lesson}.ipynb). An exercise that you leave open blocks nothing."""


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
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            tags = [t for t in cell.metadata.get("tags", []) if t not in COMPARED]
            cell.metadata.pop("tags", None)
            if tags:
                cell.metadata["tags"] = tags
    return exercise


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
    """Return the lessons and solutions among ``paths``, or all of them."""
    every = sorted(ROOT.glob("lessons/*.ipynb")) + sorted(ROOT.glob("solutions/*.ipynb"))
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
    """Write every exercise from its solution."""
    for path in sorted(ROOT.glob("solutions/*.ipynb")):
        write(derive(read(path)), ROOT / "exercises" / path.name)
        print(f"exercises/{path.name}")


def verify() -> int:
    """Say which notebooks are not in their stored form, or not what their solution yields."""
    wrong = [p for p in sources([]) if text_of(stored_form(read(p))) != p.read_text("utf-8")]
    for path in sorted(ROOT.glob("solutions/*.ipynb")):
        exercise = ROOT / "exercises" / path.name
        if not exercise.exists() or text_of(derive(read(path))) != exercise.read_text("utf-8"):
            wrong.append(exercise)
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
