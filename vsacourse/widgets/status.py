"""The line below a widget's picture, which screen readers read out when it changes."""

import html

__all__ = ["status"]


def status(text: str) -> str:
    """The text as a polite live region."""
    return f'<span role="status" aria-live="polite">{html.escape(text)}</span>'
