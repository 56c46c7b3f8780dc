"""What a learner's call may leave behind in the kernel, put back as it was."""

import contextlib
import os
from collections.abc import Iterator

import numpy as np


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Puts NumPy's error and print settings and the working folder back, without a word."""
    errors, printing = np.geterr(), np.get_printoptions()
    try:
        folder = os.getcwd()
    except OSError:  # it was deleted
        folder = ""
    try:
        yield
    finally:
        np.seterr(**errors)
        np.set_printoptions(**printing)
        if folder:
            with contextlib.suppress(OSError):
                os.chdir(folder)
