"""The hand-written induction head on both backends, and what it does on three rows of tokens."""

from __future__ import annotations

import numpy as np
import pytest

from tests.metrics.oracle import induction_model, next_tokens, repeated_tokens


@pytest.fixture(params=["float32", "float64"])
def model(request, backend):
    return induction_model(dtype=request.param).to(backend(np.empty(0)))


@pytest.fixture
def tokens(rng):
    return repeated_tokens(rng)


@pytest.fixture
def answers(tokens, backend):
    """The tokens that come next, and where they can be known."""
    targets, known = next_tokens(tokens)
    return backend(targets), backend(known)


@pytest.fixture
def trace(model, tokens):
    return model.trace(tokens)
