"""The time limit: by timer and by thread, on code that fights back, and in a real kernel."""

import contextlib
import signal
import sys
import threading
import time

import pytest

from vsacourse import check
from vsacourse.check import guard
from vsacourse.check.guard import TimeUp, call_with_limit

HOWS = ["thread", *(["timer"] if hasattr(signal, "setitimer") else [])]


def plain():
    while True:
        pass


def excepts():
    while True:
        try:  # noqa: SIM105
            sum(range(1000))
        except Exception:
            pass


def bare():
    while True:
        try:  # noqa: SIM105
            sum(range(1000))
        except:  # noqa: E722
            pass


def nested():
    i = 0
    while True:
        try:
            while True:
                i += len(str(i))
        except BaseException:
            try:
                i += len(str(i))
            except BaseException:
                continue
        finally:
            i += 1


def sleeps():
    while True:
        try:
            time.sleep(0.5)
        except BaseException:
            continue


def bare_in_bare():
    while True:
        try:
            try:  # noqa: SIM105
                time.sleep(0.5)
            except:  # noqa: E722
                pass
        except:  # noqa: E722
            pass


def bare_in_bare_in_bare():
    while True:
        try:
            try:  # noqa: SIM105
                bare_in_bare()
            except:  # noqa: E722
                pass
        except:  # noqa: E722
            pass


def goes_on_in_finally():
    while True:
        try:
            time.sleep(0.5)
        except BaseException:
            continue
        finally:
            continue  # noqa: B012


def suppresses():
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(0.5)


STUBBORN = [bare_in_bare, bare_in_bare_in_bare, goes_on_in_finally, suppresses]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("loop", [plain, excepts, bare, nested, sleeps, *STUBBORN])
def test_endless_loop_is_stopped(loop, how):
    started = time.monotonic()
    with pytest.raises(TimeUp):
        call_with_limit(loop, 0.2, how)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("how", HOWS)
def test_no_exception_is_left_in_the_kernel(how):
    with pytest.raises(TimeUp):
        call_with_limit(suppresses, 0.1, how)
    assert sys.exc_info() == (None, None, None)


@pytest.mark.parametrize("how", HOWS)
def test_code_that_catches_the_alarm_and_returns_is_told(how):
    def returns():
        try:
            while True:
                sum(range(1000))
        except BaseException:
            return 3

    with pytest.raises(TimeUp) as stop:
        call_with_limit(returns, 0.1, how)
    assert stop.value.swallowed


@pytest.mark.parametrize("how", HOWS)
def test_no_interrupt_comes_late(how):
    handler = signal.getsignal(signal.SIGINT)
    stopped = 0
    for i in range(150):  # ends at about the moment of the alarm
        seconds = 0.002 + (i % 10) * 1e-5
        end = time.perf_counter() + 0.002

        def busy(end=end):
            while time.perf_counter() < end:
                pass
            return 7

        try:
            assert call_with_limit(busy, seconds, how) == 7
        except TimeUp:
            stopped += 1
    time.sleep(0.05)
    assert signal.getsignal(signal.SIGINT) is handler
    if hasattr(signal, "setitimer"):
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert 0 <= stopped <= 150


@pytest.mark.parametrize("how", HOWS)
def test_exceptions_and_values_come_through(how):
    assert call_with_limit(lambda: 5, 1, how) == 5
    with pytest.raises(ZeroDivisionError):
        call_with_limit(lambda: 1 / 0, 1, how)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timer here")
def test_a_timer_of_someone_else_goes_on():
    rings = []
    before = signal.signal(signal.SIGALRM, lambda *_: rings.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        call_with_limit(lambda: time.sleep(0.05), 5, "timer")
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 0.2
        time.sleep(0.3)
        assert rings == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_off_the_main_thread_it_runs_and_says_so():
    results = []
    answer = check.cosine
    thread = threading.Thread(target=lambda: results.append(answer(lambda a, b: a)))
    thread.start()
    thread.join()
    assert "No time limit was set" in results[0].text
    assert guard.no_limit_reason() == ""


def test_real_kernel_lives_on(home):
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    import nbformat

    cells = [
        "from vsacourse import check\ncheck.cosine.seconds = 0.5\nx = 41",
        "def cosine(a, b):\n    while True:\n        pass",
        "check.cosine(cosine)",
        "def cosine(a, b):\n    while True:\n        try:\n            a @ b.T\n"
        "        except:\n            pass",
        "check.cosine(cosine)",
        "import time\ntime.sleep(0.3)\nprint(x + 1)",
        "def cosine(a, b):\n    print('here')\n    return a @ b",
        "check.cosine(cosine)",
        "def norm(x):\n    raise NotImplementedError\ndef cosine(a, b):\n    return norm(a)",
        "check.cosine(cosine)",
        "check.cosine.hint()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()

    def shown(cell):
        (output,) = notebook.cells[cell].outputs
        assert output.output_type == "execute_result", output
        assert output["data"]["text/html"]
        return output["data"]["text/plain"]

    assert "line 3 of your cell, `pass`" in shown(2) or "line 2 of your cell" in shown(2)
    assert "Stopped" in shown(4)
    assert notebook.cells[5].outputs[0].text == "42\n"
    assert "line 3 of your cell, `return a @ b`" in shown(7)
    assert "here" in shown(7)
    assert "NOT ATTEMPTED" in shown(9)
    assert "`norm`, which is not written yet" in shown(9)
    assert "Hint 1 of" in shown(10)
