"""What the tests of the resonator share."""

from __future__ import annotations

import numpy as np


def problem(model, sizes, n, seed):
    """Return random codebooks, n products of one item of each, and which items they are."""
    rng = np.random.default_rng(seed)
    books = [model.random(size, rng) for size in sizes]
    index = np.stack([rng.integers(0, size, n) for size in sizes], axis=-1)
    chosen = [book[i] for book, i in zip(books, index.T, strict=True)]
    return books, model.multibind(np.stack(chosen, axis=-2)), index
