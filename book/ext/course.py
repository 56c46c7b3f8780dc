"""What the book adds to Sphinx: the map of the course, and exercises as downloads.

``{course-map}`` lists the parts of ``book/syllabus.yml``; what exists links to its lesson and says
its minutes, which stand in the notebook's metadata. A link to ``../exercises/NN-name.ipynb`` opens
the exercise in JupyterLab; in the book, where exercises are no pages, it becomes a download.
``{workshop-timetable}`` is the table of ``book/workshop.yml``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import timetable
import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective


def lesson_metadata(root: Path, name: str) -> dict[str, Any] | None:
    """Return the course's metadata of a lesson, or None when it is not written yet."""
    path = root / "lessons" / f"{name}.ipynb"
    if not path.exists():
        return None
    metadata: dict[str, Any] = json.loads(path.read_text("utf-8"))["metadata"]["vsacourse"]
    return metadata


def lesson_line(entry: dict[str, str], meta: dict[str, Any] | None) -> str:
    """Return one line of the map, in Markdown."""
    number = entry["file"][:2]
    if meta is None:
        return f"- **{number} {entry['title']}** *(coming)* {entry['question']}"
    minutes = meta["reading_minutes"] + meta["exercise_minutes"]
    link = f"[{number} {meta['title']}](../lessons/{entry['file']}.ipynb)"
    return f"- **{link}** · {minutes} min · {meta['question']}"


class CourseMap(SphinxDirective):
    """``{course-map}``: one card a part, with what exists and what is coming."""

    def run(self) -> list[nodes.Node]:
        """Return the cards."""
        root = Path(self.env.srcdir)
        source = root / "book" / "syllabus.yml"
        self.env.note_dependency(str(source))
        lines = ["::::{grid} 1 1 2 2", ":gutter: 3", ""]
        for part in yaml.safe_load(source.read_text("utf-8")):
            lines += [":::{grid-item-card} " + part["part"], part["goal"], ""]
            for entry in part["lessons"]:
                meta = lesson_metadata(root, entry["file"])
                if meta is not None:
                    self.env.note_dependency(str(root / "lessons" / f"{entry['file']}.ipynb"))
                lines.append(lesson_line(entry, meta))
            lines += [":::", ""]
        lines.append("::::")
        return self.parse_text_to_nodes("\n".join(lines))


class WorkshopTimetable(SphinxDirective):
    """``{workshop-timetable}``: when comes what, what to ask, and the minutes."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        root = Path(self.env.srcdir)
        plan = timetable.read_plan(root)
        lessons = {p["lesson"] for p in plan["parts"] if "lesson" in p}
        sources = [root / "book" / "workshop.yml"]
        sources += [root / d / f"{x}.ipynb" for d in ("lessons", "solutions") for x in lessons]
        for source in sources:
            self.env.note_dependency(str(source))
        return self.parse_text_to_nodes(timetable.page_table(root, plan))


class ExerciseDownloads(SphinxTransform):
    """Turn links to exercise notebooks into downloads."""

    default_priority = 200

    def apply(self, **kwargs: Any) -> None:
        """Replace the pending links of one page."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            target = str(link.get("reftarget", ""))
            if not target.startswith("exercises/"):
                continue
            file = f"/{target.removesuffix('.ipynb')}.ipynb"
            download = addnodes.download_reference("", "", refdoc=link["refdoc"], reftarget=file)
            download += nodes.inline("", link.astext(), classes=["xref", "download"])
            link.replace_self(download)


def setup(app: Any) -> dict[str, bool]:
    """Add the directives to Sphinx."""
    app.add_directive("course-map", CourseMap)
    app.add_directive("workshop-timetable", WorkshopTimetable)
    app.add_transform(ExerciseDownloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
