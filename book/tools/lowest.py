"""Make an environment with the lowest versions that pyproject.toml allows, and without torch.

python book/tools/lowest.py FOLDER
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "scipy", "nbval", "ipykernel")


def lowest(requirement: Requirement) -> str:
    """Return ``name==lowest version`` of a range with a lower bound."""
    bounds = [s.version for s in requirement.specifier if s.operator == ">="]
    if len(bounds) != 1:
        raise SystemExit(f"pyproject.toml: {requirement} needs one lower bound (>=)")
    return f"{requirement.name}=={bounds[0]}"


def pins(names: tuple[str, ...]) -> list[str]:
    """Return the pins of ``names`` in requirements.txt (the tests' own tools)."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    return [line.split(" #")[0] for line in lines if line.split("==")[0] in names]


def main() -> int:
    """Make the environment and mark it ready."""
    folder = ROOT / sys.argv[1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ranges = [Requirement(text) for text in project["dependencies"]]
    packages = [lowest(r) for r in ranges if r.marker is None or r.marker.evaluate()]
    print(f"Setting up {folder.name}: {', '.join(packages)}", flush=True)
    venv.create(folder, clear=True, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for what in (packages + pins(TOOLS), ["--no-deps", "--editable", "."]):
        code = subprocess.call([*install, *what], cwd=ROOT)
        if code:
            return code
    (folder / ".ready").write_text("made by book/tools/lowest.py\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
