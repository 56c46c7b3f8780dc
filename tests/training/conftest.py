"""Runs that several tests look at, trained once."""

from __future__ import annotations

import pytest

from vsacourse.tasks import Induction, Sorting, VariableBinding
from vsacourse.training import recipes, train


@pytest.fixture
def tiny():
    """A recipe whose run takes a fraction of a second, and is not solved."""
    task = Induction(d_vocab=8, n_ctx=9, periods=(3, 4))
    return recipes.induction(task, d_model=8, steps=60, batch_size=8, check_every=10)


@pytest.fixture(scope="session")
def run_of():
    """A function of a name that trains a recipe from seed 0, once."""
    pytest.importorskip("torch")
    made = {
        "induction": recipes.induction(),
        "one layer": recipes.induction(n_layers=1, steps=300),
        "fixed": recipes.induction(Induction(periods=(12, 12))),
        "binding": recipes.variable_binding(),
        "separators": recipes.variable_binding(VariableBinding(pairs=6, separators=True)),
        "unseen": recipes.variable_binding(VariableBinding().held_out()[0]),
        "chains": recipes.chains(),
        "sorting": recipes.sorting(),
        "sorting, 1 layer": recipes.sorting(Sorting(8, 16, repeats=False), n_layers=1),
    }
    runs = {}

    def run(name):
        if name not in runs:
            runs[name] = train(made[name], 0, progress=False)
        return runs[name]

    return run
