"""The built book, served from its folder and over http."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def html() -> Path:
    """Return the folder of the built book: $VSACOURSE_BOOK, or what `make book` built."""
    folder = ROOT / os.environ.get("VSACOURSE_BOOK", "_build/html")
    if not (folder / "index.html").exists():
        pytest.fail(f"{folder} holds no built book: run `make book` first, or `make test-book`")
    return folder


class Quiet(SimpleHTTPRequestHandler):
    """A handler that does not log each request."""

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def site(html: Path) -> Iterator[str]:
    """Return the address of the book served over http on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(html)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
