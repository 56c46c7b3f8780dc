"""Where things stand in a list of statements with questions behind it.

::

    bare          k v k v … | q v q v
    separators    k = v ; k = v ; … | q v q v
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse.tasks.base import Batch

__all__ = ["Layout", "mark_names"]


def mark_names(separators: bool) -> tuple[str, ...]:
    """Return the tokens beside keys and values."""
    return ("|", "=", ";") if separators else ("|",)


class Layout:
    """Positions of so many statements and questions; the last answer is a target only.

    Attributes:
        left, right: of the two symbols of each statement, ``(statements,)``.
        asked: of the symbol that a question names, where the answer is predicted, ``(questions,)``.
        n_ctx: the number of positions.
    """

    def __init__(self, statements: int, questions: int, separators: bool, first_mark: int) -> None:
        self.separators, self.first_mark = separators, first_mark
        one = 4 if separators else 2
        self.left = one * np.arange(statements)
        self.right = self.left + (2 if separators else 1)
        self.asked = one * statements + 1 + 2 * np.arange(questions)
        self.n_ctx = int(self.asked[-1]) + 1

    def fill(self, left: Any, right: Any, asked: Any, answers: Any) -> Batch:
        """Return the batch of symbols ``(n, statements)`` and ``(n, questions)``."""
        row = np.full((len(left), self.n_ctx + 1), self.first_mark)
        if self.separators:
            row[:, self.left + 1] = self.first_mark + 1
            row[:, self.right + 1] = self.first_mark + 2
        row[:, self.left], row[:, self.right] = left, right
        row[:, self.asked], row[:, self.asked + 1] = asked, answers
        counted = np.zeros((len(left), self.n_ctx), bool)
        counted[:, self.asked] = True
        return Batch(row[:, :-1], row[:, 1:], counted)

    def look(self, tokens: NDArray[np.int64], names: Any, what: Any) -> NDArray[np.float64]:
        """Return the pattern in which each question looks at the place of what it asks.

        Args:
            tokens: ``(..., pos)``.
            names: what the questions ask for, ``(..., questions)``.
            what: where each statement's place is, ``(statements,)``, looked at if the statement's
                left symbol is the name.
        """
        pattern = np.zeros((*tokens.shape, tokens.shape[-1]))
        match = names[..., :, None] == tokens[..., None, self.left]  # [..., question, statement]
        rows = np.zeros((*match.shape[:-1], tokens.shape[-1]))
        rows[..., what] = match
        pattern[..., self.asked, :] = rows
        return pattern
