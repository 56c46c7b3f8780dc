"""The built pages in a real browser: nothing is asked of the network, and everything moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.book.test_pages import ROOT, TOC

pytestmark = [pytest.mark.book, pytest.mark.browser]


def has_slider(name: str) -> bool:
    """Every lesson has one; a page of the book has one when it calls explore."""
    source = ROOT / f"{name}.md"
    return name.startswith("lessons/") or (
        source.exists() and "explore(" in source.read_text("utf-8")
    )


SLIDER_PAGES = [name for name in TOC if has_slider(name)]


def opened(chromium: Any, address: str) -> tuple[Any, list[str], list[str]]:
    """Return a page, and the lists that its requests and its errors go to."""
    page = chromium.new_page()
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda r: requests.append(r.url))
    page.on("pageerror", lambda e: errors.append(str(e)))
    page.on("requestfailed", lambda r: errors.append(f"failed: {r.url}"))
    page.on("console", lambda m: errors.append(m.text) if m.type in ("error", "warning") else None)
    page.goto(address, wait_until="load")
    return page, requests, errors


@pytest.mark.parametrize("over", ["file", "http"])
def test_no_request_leaves_and_no_error(chromium: Any, html: Path, site: str, over: str) -> None:
    base = html.as_uri() if over == "file" else site
    for name in TOC:
        page, requests, errors = opened(chromium, f"{base}/{name}.html")
        page.wait_for_timeout(300)
        if page.locator(".math").count():
            page.locator("mjx-container").first.wait_for(state="attached", timeout=10_000)
            if page.locator(".math:visible").count():  # elsewhere all of it is in closed folds
                page.locator("mjx-container:visible").first.wait_for(timeout=10_000)
        outside = [r for r in requests if not r.startswith((base, "data:", "blob:"))]
        assert not outside, f"{name} asks for {outside}"
        assert not errors, f"{name}: {errors}"
        page.close()


def test_the_root_leads_to_the_landing_page(chromium: Any, html: Path) -> None:
    page, _, errors = opened(chromium, (html / "index.html").as_uri())
    page.wait_for_url("**/book/index.html", timeout=10_000)
    assert page.locator("article h1").inner_text().startswith("How a transformer binds symbols")
    assert not errors
    page.close()


@pytest.mark.parametrize("name", SLIDER_PAGES)
def test_a_slider_changes_its_figure(chromium: Any, html: Path, name: str) -> None:
    page, _, errors = opened(chromium, (html / f"{name}.html").as_uri())
    widgets = page.locator(".vsa-explore")
    assert widgets.count() >= 1, f"{name} has no interactive figure"
    for k in range(widgets.count()):
        widget = widgets.nth(k)
        image = widget.locator("img")
        for slider in widget.locator("input[type=range]").all():
            before = (image.get_attribute("src"), image.get_attribute("alt"))
            slider.focus()
            at_the_end = slider.input_value() == slider.get_attribute("max")
            page.keyboard.press("ArrowLeft" if at_the_end else "ArrowRight")
            after = (image.get_attribute("src"), image.get_attribute("alt"))
            assert after[0] != before[0], f"{name}: the figure did not follow the slider"
            assert image.evaluate("i => i.decode().then(() => i.naturalWidth)") > 100
        # Buttons last: two choices may agree where the sliders stand at first.
        caption, pictures = widget.locator("[aria-live]"), {image.get_attribute("src")}
        buttons = widget.locator("input[type=radio]").all()
        for button in buttons[::-1]:
            if not button.is_checked():
                before = caption.inner_text()
                button.check()
                pictures.add(image.get_attribute("src"))
                assert caption.inner_text() != before, f"{name}: a button changed nothing"
        assert not buttons or len(pictures) > 1, f"{name}: the figure did not follow the buttons"
    assert not errors
    page.close()


def test_search_works_over_file(chromium: Any, html: Path) -> None:
    page, _, errors = opened(chromium, (html / "search.html").as_uri() + "?q=superposition")
    page.locator("#search-results li a").first.wait_for(timeout=15_000)
    found = [a.get_attribute("href") for a in page.locator("#search-results li a").all()]
    assert any("02-superposition" in str(link) for link in found)
    assert not errors
    page.close()


@pytest.mark.parametrize("width", [390, 1300])
def test_no_page_scrolls_sideways(chromium: Any, html: Path, width: int) -> None:
    page = chromium.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    for name in TOC:
        page.goto((html / f"{name}.html").as_uri(), wait_until="load")
        page.wait_for_timeout(200)
        wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wider <= 1, f"{name} is {wider} pixels wider than a window of {width}"
    page.close()
