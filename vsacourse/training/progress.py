"""One line that tells how training goes: in a terminal, in a notebook, or once at the end."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["Progress"]

WIDTH = 20


class Progress:
    """A bar with loss and accuracy on stdout; in a notebook one output that is written over.

    Where neither is possible (a file, a pipe) only the last line is written.
    """

    def __init__(self, name: str, steps: int, shown: bool) -> None:
        self.name, self.steps, self.shown = name, steps, shown
        self.handle: Any = None
        self.terminal = shown and sys.stdout.isatty()
        if shown and not self.terminal and _in_notebook():
            from IPython import display

            show: Any = display.display
            self.handle = show({"text/plain": self.name}, raw=True, display_id=True)

    def update(self, step: int, loss: float, accuracy: float, seconds: float) -> None:
        """Show where training stands."""
        line = self._line(step, loss, accuracy, seconds)
        if self.handle is not None:
            self.handle.update({"text/plain": line}, raw=True)
        elif self.terminal:
            sys.stdout.write(f"\r{line}")
            sys.stdout.flush()

    def close(self, step: int, loss: float, accuracy: float, seconds: float, words: str) -> None:
        """Leave the last line, and what there is to say about it."""
        if not self.shown:
            return
        self.update(step, loss, accuracy, seconds)
        if self.terminal:
            print()
        elif self.handle is None:
            print(self._line(step, loss, accuracy, seconds))
        if words:
            print(words)

    def _line(self, step: int, loss: float, accuracy: float, seconds: float) -> str:
        done = round(WIDTH * step / self.steps)
        bar = "█" * done + "░" * (WIDTH - done)
        return (
            f"{self.name} {bar} step {step:>4}/{self.steps}  loss {loss:6.3f}  "
            f"accuracy {accuracy:.3f}  {seconds:5.1f} s"
        )


def _in_notebook() -> bool:
    """Say whether this runs in a kernel that can show something; IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
