"""What a check answers: an outcome, a message in words, and what to do next."""

import html
import re
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """The four answers of a check."""

    CORRECT = "correct"
    NOT_ATTEMPTED = "not attempted"
    INCORRECT = "incorrect"
    ERROR = "error"


# (sign in a terminal, sign in a notebook, border colour that stands out on white and on black)
_SIGNS = {
    Outcome.CORRECT: ("[ok]", "✔", "#2e9e5b"),
    Outcome.NOT_ATTEMPTED: ("[--]", "○", "#8a8f98"),
    Outcome.INCORRECT: ("[x]", "✘", "#d9822b"),
    Outcome.ERROR: ("[!]", "⚠", "#d64545"),
}


class Verdict(Exception):  # noqa: N818 (an outcome, not a fault)
    """Ends a check with an outcome other than *correct*.

    Args:
        outcome: The outcome.
        message: The property that fails, with the numbers; or what happened.
        likely: The likely mistake, when it is recognised.
    """

    def __init__(self, outcome: Outcome, message: str, likely: str = "") -> None:
        super().__init__(message)
        self.outcome = outcome
        self.message = message
        self.likely = likely


def as_html(text: str) -> str:
    """Plain text with `code`, [links](address) and line breaks, as escaped HTML."""
    parts = []
    for index, part in enumerate(text.split("`")):
        escaped = html.escape(part)
        if index % 2:
            parts.append(f"<code>{escaped}</code>")
        else:
            escaped = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", r'<a href="\2">\1</a>', escaped)
            parts.append(escaped.replace("\n", "<br>"))
    return "".join(parts)


def as_plain(text: str) -> str:
    """The same text for a terminal: a link is written as ``text (address)``."""
    return re.sub(r"\[([^\]`]+)\]\(([^)\s]+)\)", r"\1 (\2)", text)


def _box(colour: str, heading: str, body: str, outcome: str = "hint") -> str:
    # No background and no text colour of its own: legible in light and in dark.
    return (
        f'<div role="status" class="vsa-check" data-outcome="{outcome}" '
        f'style="border-left: 4px solid {colour}; padding: 0.3em 0.8em;">'
        f"<div><strong>{heading}</strong></div>{body}</div>"
    )


def _pre(text: str) -> str:
    return f'<pre style="margin: 0.2em 0 0.2em 1em;">{html.escape(text)}</pre>'


@dataclass(frozen=True, repr=False)
class Result:
    """The answer of a check; a notebook shows it as a box, a terminal as text.

    Attributes:
        outcome: One of the four outcomes.
        name: The exercise's name, ``cosine`` in ``check.cosine``.
        title: The exercise's title.
        message: What was found, in words and numbers.
        likely: The likely mistake, or "".
        next_step: What to do now.
        notes: Warnings of NumPy, the missing time limit, progress that is not kept.
        printed: What the learner's function printed.
    """

    outcome: Outcome
    name: str
    title: str
    message: str
    likely: str = ""
    next_step: str = ""
    notes: tuple[str, ...] = ()
    printed: str = ""

    @property
    def correct(self) -> bool:
        """Whether the answer is right."""
        return self.outcome is Outcome.CORRECT

    @property
    def text(self) -> str:
        """Message, likely mistake and notes in one string."""
        return "\n".join(filter(None, (self.message, self.likely, *self.notes)))

    def __repr__(self) -> str:
        sign = _SIGNS[self.outcome][0]
        lines = [f"{sign} {self.outcome.upper()}: {self.title} (check.{self.name})"]
        lines += as_plain(self.message).splitlines()
        if self.likely:
            lines += f"Likely: {as_plain(self.likely)}".splitlines()
        lines += [f"Note: {as_plain(note)}" for note in self.notes]
        if self.printed:
            lines += ["Your code printed:", *(f"  {line}" for line in self.printed.splitlines())]
        if self.next_step:
            lines.append(f"Next: {as_plain(self.next_step)}")
        return "\n".join(lines[:1] + [f"  {line}" for line in lines[1:]])

    def _repr_html_(self) -> str:
        _, sign, colour = _SIGNS[self.outcome]
        heading = f"{sign} {self.outcome.capitalize()}: {html.escape(self.title)}"
        body = f"<div>{as_html(self.message)}</div>"
        if self.likely:
            body += f"<div><strong>Likely:</strong> {as_html(self.likely)}</div>"
        body += "".join(f"<div><em>Note:</em> {as_html(note)}</div>" for note in self.notes)
        if self.printed:
            body += f"<div>Your code printed:</div>{_pre(self.printed)}"
        if self.next_step:
            body += f"<div><strong>Next:</strong> {as_html(self.next_step)}</div>"
        return _box(colour, heading, body, self.outcome)


@dataclass(frozen=True, repr=False)
class Hint:
    """One rung of an exercise's ladder of hints.

    Attributes:
        heading: Which rung of how many.
        text: The hint.
    """

    heading: str
    text: str

    def __repr__(self) -> str:
        return f"{self.heading}\n  {as_plain(self.text)}"

    def _repr_html_(self) -> str:
        return _box("#3b82c4", html.escape(self.heading), f"<div>{as_html(self.text)}</div>")
