"""The command: right words, right exit codes, no traceback; the doctor in good and bad health."""

import json
import os
import subprocess
import sys
import venv

import pytest

from vsacourse import cli, copying, doctor
from vsacourse.doctor import versions


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("VSACOURSE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def clone(tmp_path, monkeypatch):
    root = tmp_path / "clone"
    (root / "exercises" / ".ipynb_checkpoints").mkdir(parents=True)
    (root / "exercises" / ".ipynb_checkpoints" / "x.ipynb").write_text("no")
    (root / "exercises" / "00-warm-up.ipynb").write_text("zero")
    (root / "exercises" / "01-symbols.ipynb").write_text("one")
    (root / "lessons").mkdir()
    (root / "lessons" / "00-warm-up.ipynb").write_text("lesson zero")
    (root / "book").mkdir()
    (root / "book" / "glossary.md").write_text("terms")
    monkeypatch.setattr(doctor, "clone_folder", lambda: root)
    return root


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ([], "COMMAND"),
        (["nonsense"], "invalid choice"),
        (["check"], "--progress"),
        (["copy"], "DEST"),
        (["doctor", "--fast"], "--fast"),
    ],
)
def test_wrong_command_is_one_line_and_status_2(arguments, fragment, capsys):
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert fragment in err


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("vsacourse 0.")


def test_progress(capsys):
    from vsacourse import check

    check.cosine(lambda a, b: a @ b.T)
    assert cli.main(["check", "--progress"]) == 0
    out = capsys.readouterr().out
    assert "00-warm-up: 0 of " in out
    assert "[x]  check.cosine: incorrect" in out
    assert cli.main(["check", "--progress", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["lessons"]["00-warm-up"]["cosine"] == "incorrect"
    assert data["exercises"]["cosine"]["tries"] == 1


def test_copy_never_loses_an_answer(clone, tmp_path, capsys):
    work = tmp_path / "work"
    assert cli.main(["copy", str(work)]) == 0
    assert "4 copied" in capsys.readouterr().out
    assert sorted(str(p.relative_to(work)) for p in work.rglob("*.*") if p.is_file()) == [
        ".vsacourse-copied.json",
        "book/glossary.md",
        "exercises/00-warm-up.ipynb",
        "exercises/01-symbols.ipynb",
        "lessons/00-warm-up.ipynb",
    ]
    mine, course = (x / "exercises" / "00-warm-up.ipynb" for x in (work, clone))
    mine.write_text("my answer")
    assert cli.main(["copy", str(work)]) == 0
    out = capsys.readouterr().out
    assert "kept     exercises/00-warm-up.ipynb (yours)" in out
    assert "0 copied, 0 updated, 3 already there, 1 of yours kept" in out
    course.write_text("zero, revised")
    for _ in range(2):  # it is said again until the learner has it
        assert cli.main(["copy", str(work)]) == 0
        assert "newer    exercises/00-warm-up.ipynb" in capsys.readouterr().out
    assert mine.read_text() == "my answer"
    mine.rename(mine.with_name("mine.ipynb"))
    assert cli.main(["copy", str(work)]) == 0
    assert "copied   exercises/00-warm-up.ipynb" in capsys.readouterr().out
    assert mine.read_text() == "zero, revised"
    assert mine.with_name("mine.ipynb").read_text() == "my answer"


def test_copy_brings_what_was_not_changed_up_to_date(clone, tmp_path, capsys):
    work = tmp_path / "work"
    cli.main(["copy", str(work)])
    (clone / "exercises" / "01-symbols.ipynb").write_text("one, revised")
    assert cli.main(["copy", str(work)]) == 0
    assert "updated  exercises/01-symbols.ipynb" in capsys.readouterr().out
    assert (work / "exercises" / "01-symbols.ipynb").read_text() == "one, revised"
    (work / "exercises" / "01-symbols.ipynb").write_text("my answer")
    assert cli.main(["copy", str(work)]) == 0
    assert (work / "exercises" / "01-symbols.ipynb").read_text() == "my answer"


def test_copy_with_a_broken_manifest_and_a_foreign_file(clone, tmp_path, capsys):
    work = tmp_path / "work"
    (work / "exercises").mkdir(parents=True)
    (work / copying.MANIFEST).write_text("{")
    (work / "exercises" / "01-symbols.ipynb").write_text("from elsewhere")
    assert cli.main(["copy", str(work)]) == 0
    out = capsys.readouterr().out
    assert "could not be read" in out
    assert "kept     exercises/01-symbols.ipynb (yours; it was not copied by this command)" in out
    assert (work / "exercises" / "01-symbols.ipynb").read_text() == "from elsewhere"


def test_copy_refuses(clone, tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", clone, clone / "exercises", clone / "lessons" / "below"):
        assert cli.main(["copy", str(place)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.setattr(doctor, "clone_folder", lambda: None)
    assert cli.main(["copy", str(tmp_path / "new")]) == 2
    assert "from a clone" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_pins_and_markers():
    text = (
        "# The library\nnumpy==2.4.6\nPack.age==1.0  # why\nrange>=2\n"
        'gone==1; sys_platform == "nothing"\n'
        'here==2.13.0; sys_platform != "nothing" or platform_machine == "arm64"\n'
    )
    assert doctor.pins(text) == {"numpy": "2.4.6", "pack.age": "1.0", "here": "2.13.0"}
    here, other = f'sys_platform == "{sys.platform}"', 'os_name == "none"'
    assert versions.marker_holds(here)
    assert not versions.marker_holds(f"{here} and {other}")
    assert versions.marker_holds(f"{here} or {other}")
    minor = sys.version_info.minor
    assert versions.marker_holds(f"python_version == '3.{minor}'")
    assert versions.marker_holds(f"python_version >= '3.{minor}'")
    assert not versions.marker_holds(f"python_version < '3.{minor}'")
    assert not versions.marker_holds(f"python_version >= '3.{minor + 1}'")


@pytest.mark.parametrize(
    ("version", "bounds", "holds"),
    [
        ("2.0", ">=2.0", True),
        ("2", ">=2.0.0", True),
        ("1.26.4", ">=2.0", False),
        ("2.10.1", ">=2.9", True),
        ("2.0.0rc1", ">=2.0", True),
        ("3.0", ">=2,<3", False),
        ("2.13.0+cpu", "==2.13.0", True),
        ("1", "", True),
    ],
)
def test_in_range(version, bounds, holds):
    assert doctor.in_range(version, bounds) is holds


def test_an_old_and_a_missing_package(monkeypatch):
    versions = {"numpy": "1.26.4", "jupyterlab": "", "mypy": ""}
    real = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda name: versions.get(name, real(name)))
    monkeypatch.setattr(doctor, "_run", lambda *_: (0, "", ""))
    findings = list(doctor.packages())
    lines = {finding.topic: finding for finding in findings}
    assert lines["numpy"].level == "FAIL"
    assert "1.26.4, the course needs >=2." in lines["numpy"].found
    assert [str(f)[:35] for f in findings if "jupyterlab" in f.found or "mypy" in f.found] == [
        "FAIL  packages: not installed: jupy",
        "warn  packages: not installed: mypy",
    ]


@pytest.mark.parametrize(
    ("argv", "level", "fragment"),
    [
        (sys.executable, "ok", "this Python"),
        ("python", "ok", "this Python"),
        ("/somewhere/else/python", "FAIL", "another Python"),
        (None, "FAIL", "none is called python3"),
    ],
)
def test_kernel(monkeypatch, argv, level, fragment):
    name = "python3" if argv else "julia"
    specs = {"kernelspecs": {name: {"spec": {"argv": [argv or "julia"]}}}}
    monkeypatch.setattr(doctor, "_run", lambda *_: (0, json.dumps(specs), ""))
    (finding,) = doctor.kernel()
    assert finding.level == level
    assert fragment in finding.found


def test_hanging_process_is_ended():
    status, _, last = doctor._run(["-c", "import time; time.sleep(60)"], 0.5)
    assert status == 124
    assert "no answer" in last


def test_unwritable_folders(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VSACOURSE_HOME", str(tmp_path / "file" / "home"))
    progress, folder = doctor.folders()
    assert progress.level == "warn"
    assert "VSACOURSE_HOME" in progress.todo
    assert folder.level == "ok"


def test_doctor_here_in_json(capsys):
    status = cli.main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert status == (0 if report["ok"] else 1)
    topics = {finding["topic"]: finding["level"] for finding in report["findings"]}
    assert topics["Python"] == "ok"
    assert set(topics) >= {"torch", "kernel", "browser", "memory", "disk", "progress", "folder"}
    assert all(f["todo"] for f in report["findings"] if f["level"] != "ok")


def test_doctor_without_numpy(tmp_path):
    """In an environment with nothing installed it still answers, and says what to install."""
    venv.create(tmp_path / "bare", with_pip=False, symlinks=os.name != "nt")
    scripts = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    root = doctor.Path(doctor.__file__).parents[2]
    done = subprocess.run(
        [tmp_path / "bare" / scripts, "-m", "vsacourse", "doctor"],
        cwd=root,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 1, done
    assert "FAIL  packages: not installed: numpy, " in done.stdout
    assert "torch: not installed" in done.stdout
    assert done.stdout.rstrip().endswith("to repair (FAIL above).")
    assert done.stderr == ""


def test_an_empty_destination_is_refused(clone, capsys):
    assert cli.main(["copy", ""]) == 2
    assert "DEST is empty" in capsys.readouterr().err


def test_a_copy_that_is_interrupted_keeps_track(clone, tmp_path, monkeypatch):
    work = tmp_path / "work"
    copy_one, copied = copying._copy_one, []

    def second_one_stops(*args):
        if copied:
            raise KeyboardInterrupt
        copied.append(args[2])
        return copy_one(*args)

    monkeypatch.setattr(copying, "_copy_one", second_one_stops)
    assert cli.main(["copy", str(work)]) == 2
    assert list(json.loads((work / copying.MANIFEST).read_text())["files"]) == copied


KILLED = """
import os, signal, sys
from pathlib import Path
from vsacourse import copying, doctor
doctor.clone_folder = lambda: Path(sys.argv[1])
place, calls = getattr(os, sys.argv[3]), iter(range(100))

def killed(*paths):
    if next(calls) == int(sys.argv[4]):
        os.kill(os.getpid(), signal.SIGKILL)
    place(*paths)

setattr(os, sys.argv[3], killed)
copying.copy(Path(sys.argv[2]))
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize(
    ("function", "call", "there"), [("link", 0, 0), ("link", 1, 1), ("replace", 1, 2)]
)
def test_a_copy_that_is_killed_leaves_whole_files(clone, tmp_path, capsys, function, call, there):
    """Killed where a file is put in its place: it is not there, and the next copy goes on."""
    work = tmp_path / "work"
    arguments = [str(clone), str(work), function, str(call)]
    done = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert done.returncode == -9
    assert len(list((work / "exercises").glob("[!.]*"))) == there
    known = json.loads((work / copying.MANIFEST).read_text())["files"] if call else {}
    assert len(known) == call  # what was put in its place before is known
    for name in known:  # so it still follows the course
        (clone / name).write_text("revised")
    assert cli.main(["copy", str(work)]) == 0
    out = capsys.readouterr().out
    assert f"{4 - there} copied, {call} updated, {there - call} already there, 0 of yours" in out
    assert (work / "exercises" / "01-symbols.ipynb").read_text() == "one"
    assert not list(work.rglob("*.part"))  # and nothing is left of the one that was killed


def test_copy_without_links(clone, tmp_path, capsys, monkeypatch):
    def fails(*_paths):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", fails)
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "00-warm-up.ipynb").symlink_to("nowhere")
    assert cli.main(["copy", str(tmp_path)]) == 0
    assert "3 copied, 0 updated, 0 already there, 1 of yours" in capsys.readouterr().out
    assert (tmp_path / "exercises" / "01-symbols.ipynb").read_text() == "one"


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_while_it_is_copied_is_kept(clone, tmp_path, monkeypatch, links):
    link = os.link

    def late(temporary, path):
        path.write_text("mine")
        if not links:
            raise PermissionError("no links here")
        link(temporary, path)

    monkeypatch.setattr(os, "link", late)
    assert cli.main(["copy", str(tmp_path / "work")]) == 0
    assert (tmp_path / "work" / "exercises" / "01-symbols.ipynb").read_text() == "mine"


def test_a_manifest_nested_without_end(clone, tmp_path, capsys):
    (tmp_path / copying.MANIFEST).write_text('{"files":' * 10**5)
    assert cli.main(["copy", str(tmp_path)]) == 0
    assert "could not be read" in capsys.readouterr().out


def test_a_terminal_that_writes_ascii_only(tmp_path):
    env = {**os.environ, "PYTHONIOENCODING": "ascii:strict", "VSACOURSE_HOME": str(tmp_path / "é")}
    code = "import sys; from vsacourse import cli; sys.exit(cli.main(['check', '--progress']))"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Kept in" in done.stdout
