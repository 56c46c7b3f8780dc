"""What a learner has done, in a file on their own machine. Nothing is sent anywhere."""

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vsacourse.check.result import Outcome
from vsacourse.doctor import progress_folder

_PATIENCE = 2.0  # seconds to wait for another kernel's lock
_said: set[str] = set()
_session: set[str] = set()  # done in this kernel, also where nothing can be kept


def record(name: str, lesson: str, outcome: Outcome) -> list[str]:
    """Adds one outcome to the file; a *correct* is never lost to a later wrong try.

    Returns:
        What the learner has to know, each sentence once a session.
    """
    if outcome is Outcome.NOT_ATTEMPTED:
        return []
    if outcome is Outcome.CORRECT:
        _session.add(name)
    notes: list[str] = []
    try:
        folder = progress_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder / "progress.lock"):
            kept, note = _read(folder / "progress.json")
            notes += [note] if note else []
            _merge(kept, name, lesson, outcome)
            _write(folder / "progress.json", kept)
    except OSError as error:
        why = error.strerror or type(error).__name__
        where = f" ({error.filename})" if error.filename else ""
        notes.append(f"Your progress is not kept: {why}{where}.")
    new = [note for note in notes if note not in _said]
    _said.update(new)
    return new


def done() -> set[str]:
    """The names of the exercises that were once correct."""
    names = {name for name, entry in load().items() if entry.get("outcome") == Outcome.CORRECT}
    return names | _session


def load() -> dict[str, dict[str, Any]]:
    """Name -> entry of every exercise tried; empty when there is no readable file."""
    try:
        return _parse((progress_folder() / "progress.json").read_bytes())
    except (OSError, ValueError):
        return {}


def _parse(raw: bytes) -> dict[str, dict[str, Any]]:
    try:
        content = json.loads(raw.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    exercises = content.get("exercises") if isinstance(content, dict) else None
    if not isinstance(exercises, dict) or not all(isinstance(e, dict) for e in exercises.values()):
        raise ValueError("not a progress file")
    return exercises


def _read(path: Path) -> tuple[dict[str, dict[str, Any]], str]:
    try:
        return _parse(path.read_bytes()), ""
    except FileNotFoundError:
        return {}, ""
    except ValueError:
        number = 1
        while (aside := path.with_name(f"{path.name}.broken-{number}")).exists():
            number += 1
        os.replace(path, aside)
        return {}, f"The progress file could not be read: kept as {aside}, and a new one begun."


def _merge(kept: dict[str, dict[str, Any]], name: str, lesson: str, outcome: Outcome) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = kept.setdefault(name, {})
    tries = entry.get("tries")
    entry["lesson"] = lesson
    entry["tries"] = (tries if isinstance(tries, int) else 0) + 1
    entry["last_try"] = now
    if outcome is Outcome.CORRECT:
        entry.setdefault("first_correct", now)
    if entry.get("outcome") != Outcome.CORRECT:
        entry["outcome"] = str(outcome)


def _write(path: Path, kept: dict[str, dict[str, Any]]) -> None:
    text = json.dumps({"version": 1, "exercises": kept}, indent=1, sort_keys=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".progress-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        _replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _replace(temporary: str, path: Path) -> None:
    for attempt in range(20):
        try:
            os.replace(temporary, path)
            return
        except PermissionError:  # Windows: another program has the file open
            if os.name != "nt" or attempt == 19:
                raise
            time.sleep(0.05)


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Holds the lock file; freed by the system when a process dies, so it is never stale."""
    with open(path, "a+b") as file:
        deadline = time.monotonic() + _PATIENCE
        held = False
        while not held and time.monotonic() < deadline:
            held = _try_lock(file.fileno())
            if not held:
                time.sleep(0.01)
        try:
            yield  # without the lock after all that waiting: better than losing the answer
        finally:
            if held:
                _unlock(file.fileno())


if os.name == "nt":  # pragma: no cover
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined, unused-ignore]

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
