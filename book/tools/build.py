"""Build the book: run every lesson and solution, write the pages, say where they are.

Warnings are errors, and so is a cell that fails. Pages run two at a time (``book/ext/ahead.py``).
What was run before is kept in a cache, which is keyed on the notebooks and the library's sources.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Build once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default=".", help="folder that gets _build (default: here)")
    parser.add_argument("--fresh", action="store_true", help="build from nothing")
    options = parser.parse_args()
    build = (ROOT / options.output / "_build").resolve()
    if options.fresh:
        shutil.rmtree(build, ignore_errors=True)
    start = time.monotonic()
    print(
        "Running the lessons and building the book. The first time takes some minutes.", flush=True
    )
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [str(jupyter_book), "build", ".", "--path-output", options.output]
    with tempfile.TemporaryDirectory() as home:
        # The pages of solutions call the checks: they must not count as the reader's own progress.
        environment = dict(os.environ, VSACOURSE_HOME=home)
        # Any other backend than the kernel's own, inline, would leave every figure out.
        environment.pop("MPLBACKEND", None)
        done = subprocess.run([*command, "-W", "-n", "--keep-going"], cwd=ROOT, env=environment)
    page = build / "html" / "index.html"
    if done.returncode or not page.exists():
        reports = sorted((build / "html" / "reports").rglob("*.err.log"))
        for report in reports:
            print(f"\nA cell failed, see {report.relative_to(ROOT)}:\n{report.read_text()}")
        print("The book was not built: the lines above say why.", file=sys.stderr)
        return 1
    print(f"\nThe book is ready ({time.monotonic() - start:.0f} s). Open it in a browser:")
    print(page.as_uri())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
