"""The workshop's timetable, from ``book/workshop.yml`` and the cells that carry its tag.

One reading of the file for all who need it: the page's table (``course.py``), the notebook that is
handed out (``book/tools/notebooks.py``) and the tests.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

TAG = "workshop"


def read_plan(root: Path) -> dict[str, Any]:
    """Return the plan as it stands in the file."""
    plan: dict[str, Any] = yaml.safe_load((root / "book/workshop.yml").read_text("utf-8"))
    return plan


def marked(root: Path, folder: str, lesson: str) -> list[dict[str, Any]]:
    """Return the cells of ``folder/lesson.ipynb`` that carry the tag, with their text joined."""
    notebook = json.loads((root / folder / f"{lesson}.ipynb").read_text("utf-8"))
    cells = [c for c in notebook["cells"] if TAG in c["metadata"].get("tags", [])]
    return [c | {"source": "".join(c["source"])} for c in cells]


def cells_of(plan: dict[str, Any], part: dict[str, Any], cells: list[Any]) -> list[Any]:
    """Return those of a lesson's marked ``cells`` that belong to ``part``.

    A lesson's parts begin at their ``first`` cells; the only part of a lesson takes all.
    """
    mine = [p for p in plan["parts"] if p.get("lesson") == part["lesson"]]
    ids = [c["id"] for c in cells]
    starts = [ids.index(p["first"]) if "first" in p else 0 for p in mine]
    number = mine.index(part)
    return cells[starts[number] : [*starts, len(cells)][number + 1]]


def slug(heading: str) -> str:
    """Return the anchor of a heading in the book."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def links(root: Path, plan: dict[str, Any], part: dict[str, Any]) -> str:
    """Return where the part stands in the book, as Markdown links to the sections."""
    if part.get("bridge"):
        return f"[{part['title']}](workshop-bridge.ipynb)"
    if "lesson" not in part:
        return str(part["title"])
    name = part["lesson"]
    cells = cells_of(plan, part, marked(root, "lessons", name))
    text = "\n\n".join(c["source"] for c in cells if c["cell_type"] == "markdown")
    sections = re.findall(r"^## (.*)$", text, flags=re.M)
    found = [f"[{s}](../lessons/{name}.ipynb#{slug(s)})" for s in sections]
    return f"**{part['title']}** ({name[:2]}): " + "; ".join(found)


def exercise_heading(root: Path, lesson: str) -> str:
    """Return the heading of the marked exercise of a lesson, as it stands in the solutions."""
    for cell in marked(root, "solutions", lesson):
        if cell["source"].startswith("## Exercise"):
            return str(cell["source"].splitlines()[0].removeprefix("## "))
    raise ValueError(f"solutions/{lesson}.ipynb has no exercise with the tag {TAG!r}: mark one.")


def rows(root: Path, plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the timetable: start, what, ask, minutes, and minutes of the short version."""
    found: list[dict[str, Any]] = []
    start = 0
    for part in plan["parts"]:
        what, title = links(root, plan, part), part["title"]
        entry = {"what": what, "title": title, "ask": part["ask"].strip(), "part": part}
        found.append(entry | {"minutes": part["minutes"], "short": part["short"], "start": start})
        start += part["minutes"]
        if "exercise" in part:
            ex = part["exercise"]
            heading = exercise_heading(root, part["lesson"])
            title = "Exercise: " + heading.split(" · ")[1]
            page = f"[{title}](../solutions/{part['lesson']}.ipynb#{slug(heading)})"
            entry = {"what": page, "title": title, "ask": "", "part": part}
            found.append(entry | {"minutes": ex["minutes"], "short": ex["short"], "start": start})
            start += ex["minutes"]
    return found


def clock(minutes: int) -> str:
    """Return minutes from the start as hours and minutes."""
    return f"{minutes // 60}:{minutes % 60:02}"


def page_table(root: Path, plan: dict[str, Any]) -> str:
    """Return the instructor's table, in Markdown."""
    lines = ["| from | what | say, ask | min | in 90 |", "|---|---|---|---|---|"]
    for row in rows(root, plan):
        short = row["short"] or "–"
        lines.append(
            f"| {clock(row['start'])} | {row['what']} | {row['ask']} | {row['minutes']} | {short} |"
        )
    total, short = (sum(r[k] for r in rows(root, plan)) for k in ("minutes", "short"))
    lines.append(f"| {clock(total)} | **End** | | **{total}** | **{short}** |")
    return "\n".join(lines)


def notebook_table(root: Path, plan: dict[str, Any]) -> str:
    """Return the participants' table, in Markdown."""
    lines = ["| from | what | min |", "|---|---|---|"]
    for row in rows(root, plan):
        lines.append(f"| {clock(row['start'])} | {row['title']} | {row['minutes']} |")
    return "\n".join(lines)
