"""Every recipe reaches its threshold from a seed, and its controls do not."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse.tasks import Induction, VariableBinding

pytest.importorskip("torch")
SOLVED = ["induction", "binding", "separators", "chains", "sorting", "sorting, 1 layer", "fixed"]


def accuracy(model, task, n=300):
    batch = task.sample(n, np.random.default_rng(77))
    right = model(batch.tokens).argmax(-1) == batch.targets
    return right[batch.counted].mean()


@pytest.mark.parametrize("name", SOLVED)
def test_a_recipe_is_solved(run_of, name):
    run = run_of(name)
    assert run.solved, run.advice
    assert run.advice == ""
    assert run.steps == run.history.step[-1] <= run.recipe.steps
    assert (run.history.accuracy[-2:] >= run.recipe.threshold).all()
    assert run.report.accuracy > 0.97
    assert run.report.baseline == run.recipe.task.baseline() < 0.65
    low, high = run.report.interval
    assert run.report.baseline < low < run.report.accuracy < high
    assert accuracy(run.model, run.recipe.task) > 0.97  # the NumPy model, too
    assert run.history.accuracy[0] < 0.2
    assert run.history.step[0] == 0


def test_one_layer_is_no_better_than_counting(run_of):
    run = run_of("one layer")
    assert not run.solved
    assert run.report.accuracy < run.report.baseline + 0.1
    assert run.report.accuracy > 0.05  # and not at 1/32
    assert "give n_layers=2" in run.advice


def test_a_fixed_period_is_a_trap(run_of):
    run, task = run_of("fixed"), run_of("fixed").recipe.task
    assert accuracy(run.model, task) > 0.98
    assert accuracy(run.model, task.with_periods(9)) < 0.15
    assert accuracy(run_of("induction").model, task.with_periods(9)) > 0.97
    batch = task.sample(100, np.random.default_rng(0))
    trace = run.model.trace(batch.tokens, keep="*.pattern")
    wanted = task.predicted_pattern(batch.tokens) > 0
    rows = wanted.any(-1)
    heads = [trace[f"blocks.{layer}.attn.pattern"][:, 0] for layer in range(2)]
    assert max((A * wanted).sum(-1)[rows].mean() for A in heads) > 0.7
    assert np.diagonal(heads[0], -1, -2, -1).mean() < 0.2  # no previous-token head


def test_the_answer_is_read_where_it_stands(run_of):
    """The pattern of the reading head puts its mass where the task predicts, not elsewhere."""
    for name in ("induction", "binding"):
        run = run_of(name)
        batch = run.recipe.task.sample(100, np.random.default_rng(0))
        A = run.model.trace(batch.tokens, keep="*.pattern")["blocks.1.attn.pattern"][:, 0]
        wanted = run.recipe.task.predicted_pattern(batch.tokens) > 0
        rows = wanted.any(-1)
        shuffled = wanted[np.random.default_rng(1).permutation(100)]
        assert (A * wanted).sum(-1)[rows].mean() > 0.7
        control = (A * shuffled).sum(-1)[rows & shuffled.any(-1)].mean()
        assert control < 0.3


def test_pairs_never_seen_are_bound(run_of):
    run = run_of("unseen")
    seen, unseen = VariableBinding().held_out()
    assert run.recipe.task == seen
    assert accuracy(run.model, unseen) > 0.9 > unseen.baseline() + 0.1
    assert accuracy(run_of("binding").model, VariableBinding().with_pairs(4)) > 0.3


def test_periods_never_seen(run_of):
    assert accuracy(run_of("induction").model, Induction().with_periods(7)) > 0.8
