"""Progress survives two kernels, broken files and folders that cannot be written."""

import json
import os
import subprocess
import sys

import pytest

from vsacourse import check
from vsacourse.check import progress
from vsacourse.check.result import Outcome


def content(home):
    return json.loads((home / "progress.json").read_text())["exercises"]


def test_correct_is_never_lost(home):
    for outcome in (Outcome.INCORRECT, Outcome.CORRECT, Outcome.ERROR, Outcome.NOT_ATTEMPTED):
        progress.record("cosine", "00-warm-up", outcome)
    entry = content(home)["cosine"]
    assert entry["outcome"] == "correct"
    assert entry["tries"] == 3
    assert entry["first_correct"]
    assert progress.done() == {"cosine"}


def test_not_attempted_leaves_no_trace(home):
    assert progress.record("cosine", "00-warm-up", Outcome.NOT_ATTEMPTED) == []
    assert not home.exists()


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 10**5, b'{"exercises": {"a": 1}}']
)
def test_broken_file_is_kept_aside(home, broken):
    home.mkdir()
    for number in (1, 2):
        (home / "progress.json").write_bytes(broken)
        (note,) = progress.record("cosine", "00-warm-up", Outcome.CORRECT)
        assert f"progress.json.broken-{number}" in note
        assert (home / f"progress.json.broken-{number}").read_bytes() == broken
        assert content(home)["cosine"]["outcome"] == "correct"


def test_unwritable_folder_is_said_once(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VSACOURSE_HOME", str(tmp_path / "file" / "below"))
    first, second = check.cosine(lambda a, b: a @ b.T), check.cosine(lambda a, b: a @ b.T)
    assert "Your progress is not kept: " in first.text
    assert "progress" not in second.text
    assert first.outcome is Outcome.INCORRECT


def test_two_kernels_lose_nothing(home):
    code = (
        "import sys\nfrom vsacourse.check import progress\n"
        "from vsacourse.check.result import Outcome\n"
        "for i in range(40): progress.record(f'{sys.argv[1]}{i}', '01-x', Outcome.CORRECT)\n"
        "for i in range(10): progress.record('both', '01-x', Outcome.INCORRECT)\n"
    )
    env = {**os.environ, "VSACOURSE_HOME": str(home)}
    kernels = [subprocess.Popen([sys.executable, "-c", code, name], env=env) for name in "abc"]
    assert [kernel.wait(60) for kernel in kernels] == [0, 0, 0]
    kept = content(home)
    assert len(kept) == 121
    assert kept["both"]["tries"] == 30
    assert sorted(p.name for p in home.iterdir()) == ["progress.json", "progress.lock"]


@pytest.mark.skipif(os.name == "nt", reason="no password file there")
def test_without_a_home_folder_it_is_said(tmp_path, monkeypatch):
    for name in ("VSACOURSE_HOME", "HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # no entry for the user
    monkeypatch.chdir(tmp_path)
    (note,) = progress.record("cosine", "00-warm-up", Outcome.CORRECT)
    assert "there is no home folder; set VSACOURSE_HOME" in note
    assert list(tmp_path.iterdir()) == []
    assert progress.done() == {"cosine"}
