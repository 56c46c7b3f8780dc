"""What several tests of the core share."""

from __future__ import annotations

import pytest

from vsacourse.algebra import FHRR, MAP


@pytest.fixture(params=[MAP, FHRR])
def kind(request):
    """A model that a resonator factors."""
    return request.param
