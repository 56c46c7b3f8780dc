"""Every exercise notebook as a learner first runs it: each check answers, none counts it done."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
EXERCISES = sorted((ROOT / "exercises").glob("*.ipynb"))


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_nothing_is_attempted_yet(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VSACOURSE_HOME", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    checks = path.read_text("utf-8").count('"check.')
    assert checks >= 3
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": ROOT}}).execute()
    boxes = [
        output["data"]["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "vsa-check" in output.get("data", {}).get("text/html", "")
    ]
    outcomes = [re.findall(r'data-outcome="([^"]*)"', box) for box in boxes]
    assert outcomes == [["not attempted"]] * checks
