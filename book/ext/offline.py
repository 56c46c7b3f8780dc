"""Make the built book complete in itself: no request leaves its pages, no stale output stays.

- MathJax comes from the package sphinx-mathjax-offline, only the part that the pages use.
- The theme's Thebe loader is dropped: on every page it throws, and it names an outside address.
- The execution cache is keyed on the library's sources, so that a change of the library runs the
  notebooks again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
from pathlib import Path
from typing import Any

MATHJAX = ("tex-chtml.js", "output/chtml/fonts/woff-v2")
ASSETS = Path(__file__).parent / "assets"


def sources_hash(root: Path) -> str:
    """Return a short hash over the path and content of every source file of the library."""
    digest = hashlib.sha256()
    for path in sorted((root / "vsacourse").rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def prepare(app: Any, config: Any) -> None:
    """Set what depends on the place: the assets, and the cache of executed notebooks."""
    listeners = app.events.listeners["env-before-read-docs"]
    listeners[:] = [x for x in listeners if x.handler.__name__ != "init_thebe_core"]
    config.html_static_path.append(str(ASSETS))
    build = Path(app.outdir).parent
    cache = build / f".jupyter_cache_{sources_hash(Path(app.srcdir))}"
    for old in build.glob(".jupyter_cache_*"):
        if old != cache:
            shutil.rmtree(old, ignore_errors=True)
    config.nb_execution_cache_path = str(cache)


def reread_when_the_library_changed(
    app: Any, env: Any, added: Any, changed: Any, removed: Any
) -> list[str]:
    """Return the pages to read again: any of them may run or document the library."""
    now = sources_hash(Path(app.srcdir))
    before = getattr(env, "vsacourse_sources", now)
    env.vsacourse_sources = now
    if now == before:
        return []
    return sorted(env.found_docs)


def copy_mathjax(app: Any, error: Exception | None) -> None:
    """Copy the part of MathJax that the pages load into the built book."""
    if error or app.builder.format != "html":
        return
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise RuntimeError("sphinx-mathjax-offline is missing: pip install -r requirements.txt")
    source = Path(spec.origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / "_static" / "mathjax"
    for name in MATHJAX:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, dirs_exist_ok=True)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("config-inited", prepare)
    app.connect("env-get-outdated", reread_when_the_library_changed)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
