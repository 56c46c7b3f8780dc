"""The built pages as files: they exist, every link resolves, every figure has alt text."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE_LIMIT = 1_500_000  # bytes of a page with its slider frames and its own pictures
pytestmark = pytest.mark.book


class Page(HTMLParser):
    """What the tests need of one page: its anchors, links, pictures and scripts."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.headings: list[str] = []
        self._in_article = False
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect one tag."""
        values = dict(attrs)
        if values.get("id"):
            self.ids.add(str(values["id"]))
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        if tag == "img":
            self.images.append(values)
        self._in_article |= tag == "article"
        if tag == "h1" and self._in_article:  # the theme repeats the title for the printer
            self.headings.append(tag)
        for name in ("src", "srcset", "poster"):
            if values.get(name):
                self.loads.append(str(values[name]))
        if tag == "link" and values.get("href"):
            self.loads.append(str(values["href"]))


def toc_files(node: object) -> Iterator[str]:
    """Yield every file that the table of contents names."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("root", "file"):
                yield value
            else:
                yield from toc_files(value)
    elif isinstance(node, list):
        for child in node:
            yield from toc_files(child)


TOC = list(toc_files(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))))


@pytest.fixture(scope="module")
def pages(html: Path) -> dict[Path, Page]:
    """Return every built page of the contents."""
    return {html / f"{name}.html": Page(html / f"{name}.html") for name in TOC}


def test_contents_name_every_page_of_the_folders() -> None:
    expected = {
        str(p.relative_to(ROOT).with_suffix(""))
        for pattern in ("lessons/*.ipynb", "solutions/*.ipynb", "book/*.md", "book/*.ipynb")
        for p in ROOT.glob(pattern)
    }
    assert set(TOC) == expected
    assert len(TOC) == len(set(TOC))


def test_every_page_exists_with_one_heading(pages: dict[Path, Page]) -> None:
    assert len(pages) >= 11
    for path, page in pages.items():
        assert len(page.headings) == 1, path.name


def test_links_and_anchors_resolve(pages: dict[Path, Page], html: Path) -> None:
    known = dict(pages)
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            if urlsplit(link).scheme:
                continue
            target, anchor = urldefrag(link)
            file = (path.parent / unquote(target)).resolve() if target else path
            assert file.exists(), f"{path.name} links to {link}, which does not exist"
            assert html.resolve() in file.resolve().parents, f"{path.name}: {link} leaves the book"
            checked += 1
            if anchor and file.suffix == ".html":
                if file not in known:
                    known[file] = Page(file)
                ids = known[file].ids
                assert unquote(anchor) in ids, f"{path.name} links to {link}: no such anchor"
    assert checked > 100


def test_every_figure_has_alt_text(pages: dict[Path, Page]) -> None:
    figures = 0
    for path, page in pages.items():
        for image in page.images:
            source = image.get("src") or ""
            if "logo" in source or "favicon" in source:
                continue
            alt = (image.get("alt") or "").strip()
            file_name = Path(source).name if not source.startswith("data:") else "data"
            assert len(alt) >= 20, (
                f"{path.name}: {file_name} has no alt text that says what it shows"
            )
            assert file_name not in alt
            figures += 1
    assert figures >= 10


def test_pages_name_no_outside_file(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        outside = [
            x for x in page.loads if urlsplit(x).scheme in ("http", "https") or x[:2] == "//"
        ]
        assert not outside, f"{path.name} loads {outside}"


def test_exercises_are_downloads_of_their_lesson(pages: dict[Path, Page], html: Path) -> None:
    for path, page in pages.items():
        if path.parent.name != "lessons":
            continue
        downloads = [
            x for x in page.links if "_downloads/" in x and x.endswith(f"{path.stem}.ipynb")
        ]
        assert downloads, f"{path.name} does not offer its exercises"
        file = (path.parent / downloads[0]).resolve()
        assert file.read_bytes() == (ROOT / "exercises" / f"{path.stem}.ipynb").read_bytes()
        assert any(x.startswith(f"../solutions/{path.stem}.html") for x in page.links)


def test_pages_stay_small(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        sources = {str(i["src"]) for i in page.images if i.get("src")}
        files = {(path.parent / s).resolve() for s in sources if not s.startswith("data:")}
        size = path.stat().st_size + sum(f.stat().st_size for f in files)
        assert size < PAGE_LIMIT, f"{path.name} with its pictures is {size / 1e6:.2f} MB"


def test_the_map_shows_what_exists_and_what_is_coming(pages: dict[Path, Page], html: Path) -> None:
    text = (html / "book" / "index.html").read_text("utf-8")
    parts = yaml.safe_load((ROOT / "book" / "syllabus.yml").read_text("utf-8"))
    lessons = [entry for part in parts for entry in part["lessons"]]
    assert len(lessons) == 17
    for entry in lessons:
        exists = (ROOT / "lessons" / f"{entry['file']}.ipynb").exists()
        assert (f"../lessons/{entry['file']}.html" in text) == exists
    coming = sum(not (ROOT / "lessons" / f"{e['file']}.ipynb").exists() for e in lessons)
    assert text.count("<em>(coming)</em>") == coming
