"""A lesson's slider and an exercise's checks in a real JupyterLab and a real browser."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import TimeoutError as PageTimeoutError
from playwright.sync_api import expect

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.browser
OPTIONS = [
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--ServerApp.port_retries=0",
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--ServerApp.disable_check_xsrf=True",
    "--LabApp.extension_manager=readonly",
]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a learner's own folder, as `make lab` makes it."""
    folder = tmp_path_factory.mktemp("lab") / "work"
    subprocess.run([sys.executable, "-m", "vsacourse", "copy", str(folder)], cwd=ROOT, check=True)
    return folder


@pytest.fixture(scope="module")
def lab(work: Path) -> Iterator[str]:
    """Return the address of a JupyterLab on that folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = work.parent / "lab.log"
    environment = dict(os.environ, VSACOURSE_HOME=str(work.parent / "home"))
    command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--port={port}"]
    with log.open("w") as out:
        server = subprocess.Popen(
            [*command, f"--ServerApp.root_dir={work}"],
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=work,
            env=environment,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(address + "/api", server, log)
            yield address
        finally:
            server.terminate()
            server.wait(20)


def wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Return when the server answers; fail with its log when it does not."""
    for _ in range(240):
        if server.poll() is not None:
            break
        try:
            urllib.request.urlopen(address, timeout=1).close()
            return
        except OSError:
            time.sleep(0.25)
    pytest.fail("JupyterLab did not start:\n" + log.read_text())


def run_all(chromium: Any, lab: str, notebook: str) -> Any:
    """Open a notebook, run all its cells to the last, and return the page.

    About one page in ten never gets its channel to a new kernel ("Connecting" stays). A reader
    would reload it, and so does this, up to three times.
    """
    for _ in range(4):
        page = chromium.new_page()
        page.set_viewport_size({"width": 1300, "height": 900})
        page.goto(f"{lab}/doc/tree/{notebook}?reset")
        try:
            page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
            # Before the kernel is idle, "Run All" may ask which kernel to use.
            page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=20_000)
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).click()
            done = re.compile(r"\[\d+\]")
            last = page.locator(".jp-CodeCell .jp-InputPrompt").last
            expect(last).to_have_text(done, timeout=60_000)
        except (AssertionError, PageTimeoutError):
            page.close()
            continue
        return page
    return pytest.fail(f"{notebook}: JupyterLab did not run its cells in four tries")


def test_a_slider_changes_its_figure(chromium: Any, lab: str) -> None:
    page = run_all(chromium, lab, "lessons/01-symbols.ipynb")
    handle = page.locator(".jp-OutputArea .noUi-handle").first
    handle.wait_for(timeout=60_000)
    image = page.locator(".jp-OutputArea .widget-html img").first
    before = image.get_attribute("src")
    handle.focus()
    page.keyboard.press("ArrowRight")
    deadline = time.monotonic() + 30
    while image.get_attribute("src") == before and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert image.get_attribute("src") != before
    page.close()


def test_a_learner_watches_an_induction_head_form(chromium: Any, lab: str, work: Path) -> None:
    """Start trains in a thread: the picture moves, Stop answers, and another setting starts."""
    pytest.importorskip("torch")
    source = "from vsacourse.widgets.forming import watch_induction\n\nwatch_induction(pictures=2)"
    cell = {"cell_type": "code", "id": "watch", "metadata": {}, "outputs": []}
    python = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = {"cells": [cell | {"execution_count": None, "source": source}]}
    notebook |= {"metadata": {"kernelspec": python}, "nbformat": 4, "nbformat_minor": 5}
    (work / "watch.ipynb").write_text(json.dumps(notebook), "utf-8")
    page = run_all(chromium, lab, "watch.ipynb")
    line = page.locator(".jp-OutputArea .widget-html span").first
    image = page.locator(".jp-OutputArea .widget-html img").first
    expect(line).to_contain_text("Before training. step 0", timeout=60_000)
    recorded = image.get_attribute("src")

    # One layer is never done before its last step, however fast the machine: it can be stopped.
    page.get_by_role("button", name="1", exact=True).first.click()
    page.get_by_role("button", name="2", exact=True).last.click()  # two heads
    page.get_by_role("button", name="Start", exact=True).click()
    expect(line).to_have_text(re.compile(r"^step [1-9]\d*:"), timeout=60_000)  # while it runs
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(line).to_contain_text("Stopped. step", timeout=30_000)
    assert image.get_attribute("src") != recorded
    assert "two patterns" in (image.get_attribute("alt") or "")

    page.get_by_role("button", name="2", exact=True).first.click()
    page.get_by_role("button", name="always 12", exact=True).click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(line).to_contain_text("Ended", timeout=120_000)
    expect(line).to_contain_text("it has learned a place, not a match")
    page.close()


def answer(notebook: Path, cell_id: str, body: str) -> None:
    """Replace the open line of an exercise by ``body``, as a learner would."""
    mine = json.loads(notebook.read_text("utf-8"))
    (cell,) = [c for c in mine["cells"] if c["id"] == cell_id]
    source = "".join(cell["source"])
    line = next(x for x in source.splitlines() if "raise NotImplementedError" in x)
    cell["source"] = source.replace(line, f"    {body}")
    notebook.write_text(json.dumps(mine), "utf-8")


def outcomes(page: Any, count: int) -> list[str]:
    """Return the outcome words of the checks on the page, once there are ``count`` of them."""
    page.locator(".vsa-check").nth(count - 1).wait_for(timeout=90_000, state="attached")
    return [x.get_attribute("data-outcome") for x in page.locator(".vsa-check").all()]


@pytest.mark.parametrize("name", ["00-warm-up", "11-induction-trained", "workshop"])
def test_checks_answer_before_an_attempt(chromium: Any, lab: str, name: str) -> None:
    """All notebooks without a browser: tests/test_exercises_run.py."""
    checks = (ROOT / f"exercises/{name}.ipynb").read_text("utf-8").count('"check.')
    page = run_all(chromium, lab, f"exercises/{name}.ipynb")
    assert outcomes(page, checks) == ["not attempted"] * checks
    page.close()


@pytest.mark.parametrize(
    ("body", "outcome", "words"),
    [
        ("return a @ b.T", "incorrect", "the division by the norms is missing"),
        ("while True: pass", "error", "had not ended after 5 seconds"),
        (
            "return a @ b.T / np.linalg.norm(a, axis=1)[:, None] / np.linalg.norm(b, axis=1)",
            "correct",
            "Every property holds",
        ),
    ],
    ids=["wrong", "endless", "right"],
)
def test_an_answer_gets_its_message(
    chromium: Any, lab: str, work: Path, body: str, outcome: str, words: str
) -> None:
    mine = work / "exercises" / f"mine-{outcome}.ipynb"
    mine.write_text((work / "exercises" / "00-warm-up.ipynb").read_text("utf-8"), "utf-8")
    answer(mine, "exercise-1-code", body)
    page = run_all(chromium, lab, f"exercises/{mine.name}")
    first, *others = outcomes(page, 4)
    assert (first, others) == (outcome, ["not attempted"] * 3)
    assert words in page.locator(".vsa-check").first.inner_text()
    page.close()


def test_jupyterlab_shows_no_prompt(chromium: Any, lab: str) -> None:
    page = chromium.new_page()
    page.goto(f"{lab}/lab?reset")
    page.wait_for_selector(".jp-Launcher, .jp-DirListing", timeout=60_000)
    page.wait_for_timeout(2_000)
    assert page.get_by_text("Would you like to get notified").count() == 0
    assert page.get_by_text("Formgrader").count() == 0
    page.close()
