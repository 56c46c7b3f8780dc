"""Copying the course into a learner's own folder, where an update of the course loses nothing."""

import glob
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vsacourse import doctor

MANIFEST = ".vsacourse-copied.json"
# What a learner works with. The pages of the book come along because the notebooks link to them.
PATTERNS = (
    *("exercises/*.ipynb", "lessons/*.ipynb", "solutions/*.ipynb"),
    *("book/*.md", "book/*.ipynb"),
)


class CommandError(Exception):
    """Ends the command with one line on stderr and status 2."""


def copy(destination: Path) -> int:
    """Copies the clone's notebooks and says what it did. A file that was changed is never touched.

    A file that is as it was copied follows the course; one that the learner changed stays, and
    when the course has a newer one, that is said.

    Raises:
        CommandError: There is no clone, or the destination is a file or the course's own folder.
    """
    clone = doctor.clone_folder()
    files = [path for pattern in PATTERNS for path in sorted(clone.glob(pattern))] if clone else []
    if clone is None or not any(path.parent.name == "exercises" for path in files):
        raise CommandError("there are no exercises here: run it from a clone of the course.")
    if destination.exists() and not destination.is_dir():
        raise CommandError(f"{destination} is a file; a folder is needed.")
    own = {path.parent.resolve() for path in files}
    inside = destination.resolve()
    if inside == clone.resolve() or any(x in own for x in (inside, *inside.parents)):
        raise CommandError(f"{destination} holds the course itself; choose another folder.")
    destination.mkdir(parents=True, exist_ok=True)
    manifest = _read_manifest(destination)
    counts = dict.fromkeys(("copied", "updated", "same", "kept", "newer"), 0)
    try:
        for path in files:
            name = path.relative_to(clone).as_posix()
            before = manifest.get(name)
            what, words = _copy_one(path.read_bytes(), destination / name, name, manifest)
            if manifest.get(name) != before:
                _write_manifest(destination, manifest)  # even one that is killed knows it
            counts[what] += 1
            if what != "same":
                print(f"{what:<8} {name}{words}")
    finally:  # an interrupted copy knows what it copied, too
        _write_manifest(destination, manifest)
    yours = counts["kept"] + counts["newer"]
    print(
        f"{counts['copied']} copied, {counts['updated']} updated, {counts['same']} already there, "
        f"{yours} of yours kept, in {destination}."
    )
    return 0


def _copy_one(content: bytes, target: Path, name: str, manifest: dict[str, str]) -> tuple[str, str]:
    """Brings one file up to date, and returns what was done with words on it."""
    new = _digest(content)
    if _write_new(target, content):
        manifest[name] = new
        return "copied", ""
    copied = manifest.get(name)
    here = _digest(target.read_bytes()) if target.is_file() and not target.is_symlink() else None
    if here == new:
        manifest[name] = new
        return "same", ""
    if here is not None and here == copied:
        _replace(target, content)
        manifest[name] = new
        return "updated", " (you had not changed it)"
    if copied == new:
        return "kept", " (yours)"
    if copied is None:
        return "kept", " (yours; it was not copied by this command)"
    return "newer", (
        ": the course has a newer version than you copied; yours is kept. "
        "Rename yours and run this again to get it."
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def _written(target: Path, content: bytes) -> Iterator[Path]:
    """A hidden file beside the target with the content; those of killed copies are removed."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        left.unlink(missing_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _replace(target: Path, content: bytes) -> None:
    with _written(target, content) as temporary:
        os.replace(temporary, target)


def _write_new(path: Path, content: bytes) -> bool:
    """Writes a file that is not there yet, whole or not at all; False when it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        return False
    with _written(path, content) as temporary:
        try:
            os.link(temporary, path)  # unlike a rename it never writes over a file
        except OSError:  # it is there by now, or the file system has no links
            if os.path.lexists(path):
                return False
            os.rename(temporary, path)
    return True


def _read_manifest(destination: Path) -> dict[str, str]:
    try:
        content = json.loads((destination / MANIFEST).read_text(encoding="utf-8"))["files"]
        return {str(name): str(digest) for name, digest in content.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        print(f"note     {MANIFEST} could not be read; a new one is written")
        return {}


def _write_manifest(destination: Path, copied: dict[str, str]) -> None:
    text = json.dumps({"version": 1, "files": copied}, indent=1, sort_keys=True)
    _replace(destination / MANIFEST, f"{text}\n".encode())
