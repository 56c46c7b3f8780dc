"""The command ``vsacourse``: doctor, check, copy."""

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from vsacourse import copying, doctor
from vsacourse._version import __version__
from vsacourse.copying import CommandError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message}. See `{self.prog} --help`.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Returns:
        0; 1 when ``doctor`` found something to repair; 2 for a wrong command.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an ASCII terminal shows a name with ? in it
            stream.reconfigure(errors="replace")
    try:
        options = _parser().parse_args(arguments)
        if options.command == "doctor":
            return doctor.main(options.json)
        if options.command == "check":
            return show_progress(options.json)
        if not options.destination:
            raise CommandError("DEST is empty; name a folder.")
        return copying.copy(Path(options.destination))
    except CommandError as error:
        print(f"vsacourse: {error}", file=sys.stderr)
    except BrokenPipeError:  # `vsacourse doctor | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("vsacourse: interrupted", file=sys.stderr)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"vsacourse: {where}{error.strerror or error}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="vsacourse", description="How a transformer binds symbols: the course.")
    parser.add_argument("--version", action="version", version=f"vsacourse {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    examine = commands.add_parser("doctor", help="is everything here that the course needs?")
    examine.add_argument("--json", action="store_true", help="for programs")
    check = commands.add_parser("check", help="what you have done of the exercises")
    check.add_argument("--progress", action="store_true", required=True, help="show it by lesson")
    check.add_argument("--json", action="store_true", help="for programs")
    copier = commands.add_parser("copy", help="copy lessons and exercises; your own files stay")
    copier.add_argument("destination", metavar="DEST", help="a folder; made when missing")
    return parser


def show_progress(as_json: bool) -> int:
    """Per lesson: the exercises there are, and those that are done."""
    try:
        from vsacourse.check import all_exercises, progress
    except ImportError as error:
        raise CommandError(f"{error}. Run `vsacourse doctor`.") from None
    kept = progress.load()
    lessons: dict[str, dict[str, str]] = {}
    for exercise in all_exercises():
        entry = kept.get(exercise.name, {})
        outcome = str(entry.get("outcome", "not attempted"))
        lessons.setdefault(exercise.lesson, {})[exercise.name] = outcome
    if as_json:
        folder = str(doctor.progress_folder())
        print(json.dumps({"folder": folder, "lessons": lessons, "exercises": kept}, indent=1))
        return 0
    signs = {"correct": "[ok]", "not attempted": "[--]"}
    for lesson, outcomes in sorted(lessons.items()):
        right = sum(outcome == "correct" for outcome in outcomes.values())
        print(f"{lesson}: {right} of {len(outcomes)} done")
        for name, outcome in outcomes.items():
            print(f"  {signs.get(outcome, '[x]'):<4} check.{name}: {outcome}")
    print(f"Kept in {doctor.progress_folder()}; nothing is sent anywhere.")
    return 0
