"""Figures of the book's pages are what their scripts draw."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted((ROOT / "book/figures").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_figure_is_what_its_script_draws(script: Path, tmp_path: Path) -> None:
    copy = tmp_path / script.name
    copy.write_text(script.read_text("utf-8"), "utf-8")
    subprocess.run([sys.executable, str(copy)], check=True, capture_output=True)
    drawn, stored = copy.with_suffix(".svg"), script.with_suffix(".svg")
    assert texts(drawn) == texts(stored), f"run python book/figures/{script.name}"


def texts(svg: Path) -> list[str]:
    """Return what the figure says: its texts, which matplotlib keeps as comments."""
    return re.findall(r"<!-- (.*?) -->", svg.read_text("utf-8"))


def test_alt_text_of_the_first_page_says_what_the_figure_shows() -> None:
    page = (ROOT / "book/index.md").read_text("utf-8")
    said = texts(ROOT / "book/figures/unbinding.svg")
    for number in ("0.68", "0.12"):
        assert number in page
        assert any(number in text for text in said)
