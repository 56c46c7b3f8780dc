"""``vsacourse doctor``: is everything here that the course needs, and if not, what to do.

Standard library only, and nothing of the package but its version: it must run where numpy is
missing or broken. What may crash or hang (imports, Jupyter, a notebook) runs in another process.
"""

import ctypes
import errno
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

from vsacourse.doctor.versions import in_range, installed, pins, ranges

OLDEST, NEWEST = (3, 11), (3, 14)
CORE = ("numpy", "array-api-compat", "matplotlib", "ipywidgets")
NOTEBOOK = ("jupyterlab", "ipykernel", "nbclient")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox", "microsoft-edge")
_GIB = 2**30


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report.

    Attributes:
        level: "ok", "warn" or "FAIL".
        topic: What was looked at.
        found: What was found.
        todo: What to do; "" when nothing.
    """

    level: str
    topic: str
    found: str
    todo: str = ""

    def __str__(self) -> str:
        line = f"{self.level:<4}  {self.topic}: {self.found}"
        return f"{line}. {self.todo}" if self.todo else line


def progress_folder() -> Path:
    """Where progress is kept: $VSACOURSE_HOME, or the platform's data folder.

    Raises:
        OSError: The user has no home folder, and no such variable is set.
    """
    if home := os.environ.get("VSACOURSE_HOME"):
        return _from_home(home)
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or _from_home("~/AppData/Local")) / "vsacourse"
    if platform.system() == "Darwin":
        return _from_home("~/Library/Application Support/vsacourse")
    return Path(os.environ.get("XDG_DATA_HOME") or _from_home("~/.local/share")) / "vsacourse"


def _from_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        message = "there is no home folder; set VSACOURSE_HOME to a folder of yours"
        raise OSError(errno.ENOENT, message) from None


def clone_folder() -> Path | None:
    """The clone of the course that this package runs from, or None."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "requirements.txt").is_file() and (root / "lessons").is_dir() else None


def install_words() -> str:
    """The command that installs everything with this Python."""
    what = "-r requirements.txt -e ." if clone_folder() else "vsacourse jupyterlab"
    where = f" in {clone_folder()}" if clone_folder() else ""
    return f"`{_shown(sys.executable)} -m pip install {what}`{where}"


def _shown(path: str) -> str:
    return f'"{path}"' if " " in path else path


def _run(arguments: list[str], seconds: float) -> tuple[int, str, str]:
    """(status, stdout, last line of stderr); status 124 after ``seconds``."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        if os.name == "posix":
            os.killpg(process.pid, 9)  # the kernel that it started, too
        process.kill()
        process.communicate()
        return 124, "", f"no answer after {seconds:g} s"
    return process.returncode, out, (err.strip().splitlines() or [""])[-1]


def python() -> Iterator[Finding]:
    """The version of Python."""
    version = sys.version_info[:2]
    found = f"{platform.python_version()} ({sys.executable})"
    if OLDEST <= version <= NEWEST:
        yield Finding("ok", "Python", found)
    else:
        yield Finding(
            "FAIL", "Python", found, "Install Python 3.11 to 3.14 and make a new environment."
        )


def packages() -> Iterator[Finding]:
    """Installed versions against the pins of the clone, or against the package's own ranges."""
    clone, allowed = clone_folder(), ranges()
    wanted = pins((clone / "requirements.txt").read_text(encoding="utf-8")) if clone else {}
    source = "requirements.txt" if clone else "the ranges of the package"
    as_wanted = 0
    missing: list[str] = []
    unneeded: list[str] = []
    names = list(dict.fromkeys([*CORE, *NOTEBOOK, *allowed, *wanted]))
    names = [name for name in names if name != "torch"]  # has a line of its own
    for name in names:
        version, pin, bounds = installed(name), wanted.get(name, ""), allowed.get(name, "")
        install = f"`{_shown(sys.executable)} -m pip install {name}{f'=={pin}' if pin else ''}`"
        if not version:
            (missing if name in CORE + NOTEBOOK or name in allowed else unneeded).append(name)
        elif bounds and not in_range(version, bounds):
            yield Finding("FAIL", name, f"{version}, the course needs {bounds}", f"Run {install}.")
        elif pin and version.split("+")[0] != pin:
            yield Finding(
                "warn", name, f"{version}, tested with {pin}", f"If something fails: {install}."
            )
        else:
            as_wanted += 1
    if missing:
        words = ", ".join(missing)
        yield Finding("FAIL", "packages", f"not installed: {words}", f"Run {install_words()}.")
    if unneeded:
        yield Finding(
            "warn",
            "packages",
            f"not installed: {', '.join(unneeded)}",
            f"Lessons run without; the book or the tests need them: {install_words()}.",
        )
    if as_wanted:
        yield Finding("ok", "packages", f"{as_wanted} of {len(names)} as in {source}")
    status, _, last = _run(["-c", "import numpy, array_api_compat, matplotlib, ipywidgets"], 60)
    if status and all(map(installed, CORE)):
        yield Finding("FAIL", "imports", last, f"Something is broken: run {install_words()}.")


def torch() -> Iterator[Finding]:
    """PyTorch and its devices; optional."""
    try:
        here = find_spec("torch") is not None
    except (ImportError, ValueError):
        here = False
    if not here:
        yield Finding(
            "ok", "torch", "not installed; only the training lessons (Part III on) need it"
        )
        return
    code = (
        "import torch; d = ['cpu']\n"
        "if torch.cuda.is_available(): d += ['cuda ' + torch.cuda.get_device_name(0)]\n"
        "if torch.backends.mps.is_available(): d += ['mps']\n"
        "print(torch.__version__, 'on', ', '.join(d))"
    )
    status, out, last = _run(["-W", "ignore", "-c", code], 90)
    if status:
        yield Finding(
            "warn",
            "torch",
            f"does not load ({last})",
            "Parts I and II run without it; for the rest install it again.",
        )
        return
    yield Finding("ok", "torch", out.strip().splitlines()[-1])


def kernel() -> Iterator[Finding]:
    """A Jupyter kernel called python3 that is this Python."""
    repair = f"Run `{_shown(sys.executable)} -m ipykernel install --sys-prefix --name python3`."
    status, out, last = _run(["-m", "jupyter_client.kernelspecapp", "list", "--json"], 30)
    if status:
        yield Finding(
            "FAIL", "kernel", last or "Jupyter gives no answer", f"Run {install_words()}."
        )
        return
    try:
        specs = json.loads(out)["kernelspecs"]
        command = specs["python3"]["spec"]["argv"][0] if "python3" in specs else ""
    except (ValueError, KeyError, IndexError, TypeError):
        yield Finding("FAIL", "kernel", "the list of kernels cannot be read", repair)
        return
    if not command:
        names = ", ".join(specs) or "none"
        yield Finding("FAIL", "kernel", f"none is called python3 (there are: {names})", repair)
    elif not _is_this_python(command):
        yield Finding("FAIL", "kernel", f"python3 is another Python ({command})", repair)
    else:
        yield Finding("ok", "kernel", "python3 is this Python")


def _is_this_python(command: str) -> bool:
    # Jupyter itself replaces a bare "python" by the Python that it runs on.
    if os.path.dirname(command) == "":
        return command.lower().removesuffix(".exe") in ("python", "python3", _bare())
    # Not resolved: in a virtual environment the link itself is the identity.
    there, here = (os.path.normcase(os.path.abspath(p)) for p in (command, sys.executable))
    return there == here or os.path.dirname(there) == os.path.dirname(here)


def _bare() -> str:
    return "python{}.{}".format(*sys.version_info[:2])


def browser() -> Iterator[Finding]:
    """Something that shows the book."""
    found = [name for name in _BROWSERS if shutil.which(name)]
    try:
        name = getattr(webbrowser.get(), "name", "") or "the system's browser"
        found = found or [os.path.basename(str(name))]
    except webbrowser.Error:
        pass
    text_only = {"www-browser", "w3m", "lynx", "links", "elinks"}
    if found and found[0] not in text_only:
        yield Finding("ok", "browser", found[0])
    else:
        yield Finding(
            "warn",
            "browser",
            "none found",
            "Open the book's `_build/html/index.html` in any browser by hand, or copy "
            "`_build/html` to a machine that has one.",
        )


def free_memory() -> int | None:
    """Bytes of memory that are free for programs, or None where the system does not tell."""
    try:
        if os.name == "nt":
            buffer = (ctypes.c_ulonglong * 8)()
            ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ulong))[0] = ctypes.sizeof(buffer)
            ctypes.windll.kernel32.GlobalMemoryStatusEx(buffer)  # type: ignore[attr-defined, unused-ignore]
            return int(buffer[2])  # dwLength and dwMemoryLoad share word 0; then total, available
        if platform.system() == "Darwin":
            out = subprocess.run(["vm_stat"], capture_output=True, text=True, timeout=5).stdout
            size = int((re.search(r"page size of (\d+)", out) or [0, 4096])[1])
            kinds = r"Pages (?:free|inactive|speculative):\s+(\d+)"
            return size * sum(int(n) for n in re.findall(kinds, out))
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        match = re.search(r"MemAvailable:\s+(\d+) kB", text)
        return int(match[1]) * 1024 if match else None
    except (OSError, ValueError, AttributeError, subprocess.SubprocessError):
        return None


def room() -> Iterator[Finding]:
    """Free memory and disk."""
    memory = free_memory()
    disk = shutil.disk_usage(os.getcwd()).free
    todo = ("Close other programs.", "Free some space, or work on another disk.")
    for topic, free, need, want, advice in (
        ("memory", memory, 0.5, 2.0, todo[0]),
        ("disk", disk, 0.3, 3.0, todo[1]),
    ):
        if free is None:
            yield Finding("warn", topic, "unknown", f"The course needs {want:g} GiB.")
            continue
        level = "FAIL" if free < need * _GIB else "warn" if free < want * _GIB else "ok"
        found = f"{free / _GIB:.1f} GiB free" + ("" if level == "ok" else f" of {want:g} needed")
        yield Finding(level, topic, found, "" if level == "ok" else advice)


def _writable(folder: Path) -> str:
    """Why nothing can be written there, or an empty string."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".vsacourse-"):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def folders() -> Iterator[Finding]:
    """Write access to the progress folder and to the current one."""
    here = Path.cwd()
    try:
        progress = progress_folder()
        why = _writable(progress)
        found = f"{progress}: {why}" if why else f"kept in {progress}"
    except OSError as error:
        why = found = str(error.strerror)
    if why:
        yield Finding(
            "warn",
            "progress",
            found,
            "Checks answer, but nothing is kept: set VSACOURSE_HOME to a folder of yours.",
        )
    else:
        yield Finding("ok", "progress", found)
    if why := _writable(here):
        yield Finding("FAIL", "folder", f"{here}: {why}", "Change to a folder of yours.")
    else:
        yield Finding("ok", "folder", f"{here} can be written")


_NOTEBOOK = """
import nbformat, nbclient
n = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import vsacourse; print(6 * 7)")])
nbclient.NotebookClient(n, timeout=45, kernel_name="python3").execute()
print("".join(o.get("text", "") for o in n.cells[0].outputs))
"""


def notebook() -> Iterator[Finding]:
    """Whether a notebook of one cell runs."""
    status, out, last = _run(["-W", "ignore", "-c", _NOTEBOOK], 60)
    if status == 0 and "42" in out:
        yield Finding("ok", "notebook", "a notebook of one cell ran")
    else:
        yield Finding(
            "FAIL",
            "notebook",
            f"a notebook of one cell did not run ({last or 'it printed something else'})",
            f"Run {install_words()}, then try again; a firewall must allow connections to "
            "127.0.0.1.",
        )


EXAMINATIONS = (python, packages, torch, kernel, browser, room, folders, notebook)


def main(as_json: bool = False) -> int:
    """Prints the report; 0 when no line says FAIL, else 1."""
    findings: list[Finding] = []
    for examine in EXAMINATIONS:
        try:
            for finding in examine():
                findings.append(finding)
                if not as_json:
                    print(finding, flush=True)
        except Exception as error:  # one broken look must not hide the others
            topic = examine.__name__
            findings.append(Finding("warn", topic, f"could not look: {error}", "Please report it."))
            if not as_json:
                print(findings[-1], flush=True)
    failed = [finding for finding in findings if finding.level == "FAIL"]
    if as_json:
        print(json.dumps({"ok": not failed, "findings": list(map(asdict, findings))}, indent=1))
    else:
        words = f"{len(failed)} to repair (FAIL above)." if failed else "Ready for the course."
        print(words)
    return 1 if failed else 0
