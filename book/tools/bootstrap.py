"""Make .venv, with everything that the course needs. Runs on any Python 3, with nothing installed.

The syntax stays old on purpose: a Python that is too old must be able to read this file and say so.
"""

import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VENV = os.path.join(ROOT, ".venv")
OLDEST, NEWEST = (3, 11), (3, 14)
NEEDED_GB = 3.0
NOISE = ("Requirement already satisfied", "Starting with JupyterLab 4.1 individual plugins")
# Panels that the course does not use: nbgrader's menus, and Jupyter's question about news.
LAB_EXTENSIONS_OFF = ["@jupyter/nbgrader", "@jupyterlab/apputils-extension:announcements"]


def stop(line):
    """End with one clear line."""
    sys.stderr.write(line + "\n")
    raise SystemExit(1)


def here():
    """Return the version of this Python, in two numbers."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def supported(version):
    """Return whether this course runs on Python ``version``."""
    return OLDEST <= tuple(version[:2]) <= NEWEST


def other_python():
    """Return the command of a supported Python on this machine, or None."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            return found
    return None


def check_python():
    """Go on with a supported Python, or say which one is needed."""
    if supported(sys.version_info):
        return
    other = other_python()
    if other and os.environ.get("VSACOURSE_BOOTSTRAP") != "again":
        print(f"This is Python {here()}; going on with {other}.")
        environment = dict(os.environ, VSACOURSE_BOOTSTRAP="again")
        raise SystemExit(subprocess.call([other, os.path.abspath(__file__)], env=environment))
    stop(
        f"This is Python {here()}; the course needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]}. "
        "Install one of them, then run the same command with it: make PYTHON=python3.12 ..."
    )


def check_venv():
    """Say what to install when this Python cannot make environments."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        stop(
            "This Python has no venv module. On Debian or Ubuntu: apt install python{}.{}-venv; "
            "elsewhere install Python from python.org.".format(*sys.version_info[:2])
        )


def check_disk():
    """Say how much room is needed when there is too little."""
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < NEEDED_GB:
        stop(
            f"Only {free:.1f} GB are free here; the environment needs {NEEDED_GB:.0f} GB. "
            "Free some, or clone the course on another disk."
        )


def usable(python):
    """Return whether ``python`` of an earlier environment runs and is a supported one."""
    probe = f"import sys; sys.exit(not {OLDEST} <= sys.version_info[:2] <= {NEWEST})"
    try:
        return subprocess.call([python, "-c", probe]) == 0
    except OSError:
        return False


def call(what, command):
    """Run ``command``; say what failed in one line at the end of its own output."""
    print("· " + what, flush=True)
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    for line in process.stdout:
        if not line.startswith(NOISE):
            print("  " + line.rstrip()[:160], flush=True)
    code = process.wait()
    if code:
        free = shutil.disk_usage(ROOT).free / 1e9
        hint = "the disk is full" if free < 0.1 else "the lines above say why"
        stop(
            f"Setting up failed at: {what} ({hint}). Run the same command again when it is mended."
        )


def main():
    """Make the environment, or bring it up to date."""
    check_python()
    check_venv()
    start = time.time()
    bin_folder = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
    python = os.path.join(bin_folder, "python.exe" if os.name == "nt" else "python")
    print("Setting up .venv: about 2 GB, some minutes.", flush=True)
    if not usable(python):
        check_disk()
        shutil.rmtree(VENV, ignore_errors=True)
        call("an empty environment", [sys.executable, "-m", "venv", VENV])
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install"]
    call("the packages of requirements.txt", [*pip, "-r", "requirements.txt"])
    call("the library vsacourse itself", [*pip, "--quiet", "--no-deps", "--editable", "."])
    for name in LAB_EXTENSIONS_OFF:
        call(
            "JupyterLab without " + name,
            [python, "-m", "jupyter", "labextension", "disable", "--level=sys_prefix", name],
        )
    with open(os.path.join(VENV, ".ready"), "w") as stamp:
        stamp.write("made by book/tools/bootstrap.py\n")
    print(f"The environment is ready ({time.time() - start:.0f} s).", flush=True)


if __name__ == "__main__":
    main()
