"""What all tests share: the two backends."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

HAS_TORCH = importlib.util.find_spec("torch") is not None
for _name in os.environ.get("VSACOURSE_REQUIRE", "").split(","):
    if _name not in ("", "browser") and importlib.util.find_spec(_name) is None:
        raise RuntimeError(f"VSACOURSE_REQUIRE names {_name}, and {_name} is not installed")

Backend = Callable[[Any], Any]
"""Takes a NumPy array to the backend under test."""


def _to_torch(array: Any) -> Any:
    import torch

    return torch.from_numpy(np.array(array))


BACKENDS: dict[str, Backend] = {"numpy": np.asarray} | ({"torch": _to_torch} if HAS_TORCH else {})


@pytest.fixture(params=list(BACKENDS))
def backend(request: pytest.FixtureRequest) -> Backend:
    return BACKENDS[request.param]


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(2024)


BROWSERS = ("chromium", "google-chrome", "chromium-browser", "chrome", "msedge")
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser context in the distribution's own Chromium or Chrome; skipped without one."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        words = f"no browser found (one of {', '.join(BROWSERS)})"
        if "browser" in os.environ.get("VSACOURSE_REQUIRE", ""):
            pytest.fail(words)
        pytest.skip(words)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        context = play.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            headless=True,
            executable_path=program,
            args=CHROMIUM_OPTIONS,
        )
        yield context
        context.close()
