"""Run the pages' notebooks two at a time, before the pages are read one after the other.

What is run goes into the cache of executed notebooks, from which the reading then takes it. A page
that fails here is run again when it is read, and reported there.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from jupyter_cache import get_cache
from myst_nb.core.execute import create_client
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx

AT_ONCE = 2


class _Silent:
    """A log that nobody reads: what matters is said again when the page is read."""

    def info(self, *_message: Any, **_details: Any) -> None:
        pass

    warning = info


def run_ahead(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Run what the given pages hold, where the cache does not have it yet."""
    get_cache(env.mystnb_config.execution_cache_path).list_cache_records()  # makes it, once
    with ThreadPoolExecutor(AT_ONCE) as workers:
        list(workers.map(lambda name: run_page(env, name), docnames))


def run_page(env: Any, name: str) -> None:
    """Run one page, if it is a notebook."""
    path = str(env.doc2path(name))
    text = Path(path).read_text("utf-8")
    reader = create_nb_reader(path, env.myst_config, env.mystnb_config, text)
    if reader is None:
        return
    notebook = reader.read(text)
    with (
        contextlib.suppress(Exception),
        create_client(notebook, path, env.mystnb_config, _Silent(), reader.read_fmt),
    ):
        pass


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it."""
    app.connect("env-before-read-docs", run_ahead)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
