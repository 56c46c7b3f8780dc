"""The references can be read, and every citation of a page is among them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "book" / "references.bib"


def test_every_entry_can_be_read_and_every_citation_found():
    pybtex = pytest.importorskip("pybtex.database")
    entries = pybtex.parse_file(str(SOURCE)).entries  # refuses a key that occurs twice
    keys = set(entries)
    assert len(keys) == len(re.findall(r"^@\w+\{", SOURCE.read_text("utf-8"), flags=re.M))
    for name, entry in entries.items():
        assert entry.persons.get("author"), f"{name} has no author"
        assert {"title", "year"} <= set(entry.fields), f"{name} has no title or no year"
    for page in (ROOT / "book").glob("*.md"):
        for cited in re.findall(r"\{cite:?\w*\}`([^`]+)`", page.read_text("utf-8")):
            missing = {key.strip() for key in cited.split(",")} - keys
            assert not missing, f"{page.name} cites {missing}"
