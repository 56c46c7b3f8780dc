"""A time limit for the learner's code, which lives in the kernel's main thread.

On Unix an interval timer's signal raises ``TimeUp`` in the main thread. Elsewhere a helper thread
calls ``_thread.interrupt_main``, and the handler of that signal raises ``TimeUp`` instead of
``KeyboardInterrupt``. Either way the alarm comes again until the code has ended. A loop around
``try ... except: pass`` swallows the first alarm; from the second on, a trace function also raises
on the line of the ``except``, which that ``try`` does not cover, and rings once more, for an outer
``try`` that does. Handler, timer and trace function are put back before the call returns, so that
no late interrupt reaches the kernel.
"""

import _thread
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

_AGAIN = 0.01  # seconds between one alarm and the next


class TimeUp(BaseException):
    """The time limit has passed. A BaseException, so that ``except Exception`` lets it through.

    Attributes:
        frames: The stack at the first alarm, innermost last.
        swallowed: Whether the code caught an alarm and went on.
    """

    def __init__(self, frames: list[traceback.FrameSummary], swallowed: bool) -> None:
        super().__init__("time limit")
        self.frames = frames
        self.swallowed = swallowed


def no_limit_reason() -> str:
    """Why no time limit can be set here, or "" when it can."""
    if threading.current_thread() is not threading.main_thread():
        return (
            "No time limit was set: the check does not run in Python's main thread. "
            "If it does not end, interrupt or restart the kernel."
        )
    return ""


class _Alarm:
    """One armed limit: the state that signal handler and caller share."""

    def __init__(self, seconds: float, how: str) -> None:
        self.seconds = seconds
        self.how = how
        self.inside = False
        self.handling = False
        self.fired = 0
        self.rung_again = False
        self.frames: list[traceback.FrameSummary] = []
        self.signum = signal.SIGALRM if how == "timer" else signal.SIGINT
        self.armed = False
        self.done = threading.Event()

    def handle(self, signum: int, frame: FrameType | None) -> None:
        """Raises in the learner's code; a user's own interrupt stays a KeyboardInterrupt."""
        if not self.inside or self.handling:
            return
        if self.how == "thread" and time.monotonic() < self.deadline:
            raise KeyboardInterrupt
        self.fired += 1
        if self.fired == 1 and frame is not None:
            self.handling = True
            try:
                stack = traceback.walk_stack(frame)
                seen = traceback.StackSummary.extract(stack, limit=60, lookup_lines=False)
                self.frames = list(reversed(seen))
            finally:
                self.handling = False
        elif self.fired > 1:
            self._stop_handlers(frame)
            if self.rung_again:  # the line that comes next raises
                self.rung_again = False
                return
        raise TimeUp(self.frames, self.fired > 1)

    def _stop_handlers(self, frame: FrameType | None) -> None:
        """Makes the next line raise as well: that of the ``except`` which is about to catch us.

        Python drops a trace function that raises. So it rings before it raises: the alarm comes at
        the next call or jump back, and sets the trace function anew. After a jump back the next
        line is the head of a loop, outside of every ``try`` within that loop.
        """
        stop = TimeUp(self.frames, True)

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "call":
                return None  # only the frames that stand now
            if event == "line" and self.inside:
                self.rung_again = True
                # A plain call would meet the alarm right here: Python looks for it after calls.
                for _ in map(_thread.interrupt_main, [self.signum]):
                    raise stop
            return trace

        sys.settrace(trace)
        while frame is not None and frame.f_code is not call_with_limit.__code__:
            frame.f_trace = trace
            frame = frame.f_back

    def _ring(self) -> None:
        """What the helper thread does."""
        delay = self.seconds
        while not self.done.wait(delay) and self.inside:
            _thread.interrupt_main(signal.SIGINT)
            delay = _AGAIN

    def arm(self) -> None:
        self.started = time.monotonic()
        self.deadline = self.started + self.seconds
        self.before: Any = signal.signal(self.signum, self.handle)
        self.trace_before = sys.gettrace()
        self.armed = True
        self.inside = True
        if self.how == "timer":
            self.timer_before = signal.setitimer(signal.ITIMER_REAL, self.seconds, _AGAIN)
        else:
            self.thread = threading.Thread(target=self._ring, daemon=True)
            self.thread.start()

    def disarm(self) -> None:
        if not self.armed:
            return
        if self.fired > 1:
            sys.settrace(self.trace_before)
        if self.how == "timer":
            signal.setitimer(signal.ITIMER_REAL, 0)
            handler = self.before
            signal.signal(self.signum, handler if handler is not None else signal.SIG_DFL)
            left, interval = self.timer_before
            if left:  # someone else's timer was running: it goes on with what is left
                left = max(left - (time.monotonic() - self.started), 1e-6)
                signal.setitimer(signal.ITIMER_REAL, left, interval)
        else:
            self.done.set()
            self.thread.join()
            # A ring that was sent but not yet handled meets ``handle``, which is quiet by now:
            # ``signal.signal`` first runs the handlers of what is pending.
            signal.signal(self.signum, self.before if self.before is not None else signal.SIG_DFL)
        self.armed = False


def _apart(function: Callable[[], T]) -> Iterator[T]:
    """Yields the value. A generator has its own current exception, and takes it along when it ends.

    Raising in the middle of a ``with`` would leave its exception behind, as the context of later
    ones.
    """
    yield function()


def call_with_limit(function: Callable[[], T], seconds: float, how: str = "") -> T:
    """Calls ``function()`` and stops it after ``seconds``.

    Args:
        function: Called without arguments.
        seconds: The limit; it cannot interrupt a single call into compiled code.
        how: "timer" (the default where there is one) or "thread".

    Returns:
        What the function returned. Off the main thread it runs without a limit.

    Raises:
        TimeUp: The limit passed, also when the function caught the alarm and returned.
    """
    if no_limit_reason():
        return function()
    alarm = _Alarm(seconds, how or ("timer" if hasattr(signal, "setitimer") else "thread"))
    run = _apart(function)
    try:
        alarm.arm()
        value = next(run)
    finally:
        # First of all, before any call: Python looks for signals at calls and at jumps back, so
        # no alarm comes between the landing of an exception here and this line.
        alarm.inside = False
        alarm.disarm()
    if alarm.fired:
        raise TimeUp(alarm.frames, True)
    return value
