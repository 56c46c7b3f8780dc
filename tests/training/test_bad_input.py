"""Settings that cannot be trained end with what to change; wrong input gets one line."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from vsacourse.tasks import Induction
from vsacourse.training import History, Recipe, recipes, train, train_seeds
from vsacourse.training.advice import advice
from vsacourse.transformer import Config

CONFIG = Config(32, 8, 2, 1, 32)
GOOD = {"name": "x", "task": Induction(), "config": CONFIG}


@pytest.mark.parametrize(
    ("field", "value", "error", "words"),
    [
        ("name", 3, TypeError, "name is 3; a str"),
        ("task", "induction", TypeError, "task is 'induction'; a Task"),
        ("config", {}, TypeError, "config is {}; a Config"),
        ("steps", 0, ValueError, "steps is 0; at least 1"),
        ("steps", 10.0, TypeError, "steps is 10.0; a whole number"),
        ("batch_size", True, TypeError, "batch_size is True"),
        ("learning_rate", 0, ValueError, "learning_rate is 0; a number above 0"),
        ("learning_rate", float("nan"), ValueError, "learning_rate is nan"),
        ("learning_rate", 10**400, ValueError, "learning_rate is 100.*; a finite number"),
        ("learning_rate", 1e38, ValueError, r"is 1e\+38; .* need to stay below 3.4e\+38"),
        ("weight_decay", 1e41, ValueError, r"is 0.01; .* weight_decay need to stay below"),
        ("betas", (0.9, 1.0), ValueError, r"betas\[1\] is 1.0; a number from 0 to below 1"),
        ("betas", 0.9, TypeError, "betas is 0.9; a pair"),
        ("weight_decay", -1, ValueError, "weight_decay is -1"),
        ("warm_up", -1, ValueError, "warm_up is -1; at least 0"),
        ("decay", "linear", ValueError, 'decay is \'linear\'; "constant" or "cosine"'),
        ("threshold", 1.5, ValueError, "threshold is 1.5; a number above 0, at most 1"),
        ("threshold", "high", TypeError, "threshold is 'high'"),
        ("check_every", 0, ValueError, "check_every is 0"),
        ("task", Induction(33), ValueError, "predicts 32; the task has 33. Set d_vocab to"),
        ("task", Induction(n_ctx=33), ValueError, "is 32, and the task's .* up to 33 positions"),
        ("config", Config(32, 8, 2, 1, 32, causal=False), ValueError, "causal is False"),
        (
            "config",
            Config(32, 8, 2, 1, 32, d_vocab_out=9),
            ValueError,
            "predicts 9; .* Set d_vocab_out to",
        ),
    ],
)
def test_a_recipe_names_the_field(field, value, error, words):
    with pytest.raises(error, match=words):
        Recipe(**(GOOD | {field: value}))


def test_arguments(tiny):
    pytest.importorskip("torch")
    for call, error, words in (
        (lambda: train("induction"), TypeError, "got a str; a Recipe"),
        (lambda: train(tiny, -1), ValueError, "seed is -1"),
        (lambda: train(tiny, 1.0), TypeError, "seed is 1.0"),
        (lambda: train(tiny, device="tpu"), ValueError, "device 'tpu' cannot be used"),
        (lambda: train(tiny, device="meta"), ValueError, "device 'meta' cannot be used"),
        (lambda: train(tiny, watch=5), TypeError, "watch is 5; a function"),
        (lambda: train(tiny, stop=True), TypeError, "stop is True; an event or a function"),
        (lambda: train_seeds(tiny, []), ValueError, "there are no seeds"),
        (lambda: train_seeds(tiny, [1, 1]), ValueError, "a seed occurs twice"),
        (lambda: train_seeds(tiny, [1, np.int64(1)]), ValueError, "a seed occurs twice"),
        (lambda: train_seeds(tiny, 5), TypeError, "seeds is 5; a list of whole numbers"),
        (lambda: train_seeds(tiny, [[1]]), TypeError, r"seed is \[1\]; a whole number"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_all_seeds_are_looked_at_before_one_is_trained(tiny, monkeypatch):
    from vsacourse.training import seeds

    trained = []
    monkeypatch.setattr(seeds, "one", lambda recipe, seed, *_: trained.append(seed))
    with pytest.raises(ValueError, match="train_seeds: seed is -1; at least 0"):
        train_seeds(tiny, [0, -1])
    assert not trained
    train_seeds(tiny, (seed for seed in (2, np.int64(0))))
    assert trained == [2, 0]


def test_without_torch():
    """Importing needs no torch; training says what to install, in one line."""
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from vsacourse.training import recipes, train\n"
        "try: train(recipes.induction())\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("training needs PyTorch, which is not installed: pip install")
    assert done.stdout.count("\n") == 1


# What cannot be trained


def advice_of(recipe, seed=0):
    pytest.importorskip("torch")
    run = train(recipe, seed, progress=False)
    assert not run.solved
    assert "\n" not in run.advice
    assert all(np.isfinite(w).all() for w in run.model.weights.values())
    return run


def test_too_few_steps():
    run = advice_of(recipes.induction(steps=75))
    assert "after 75 steps, 0.99 wanted; that is few, and a loss can lie flat" in run.advice
    assert "give steps=300." in run.advice
    assert "give steps=300." in advice_of(recipes.induction(steps=1)).advice
    run = advice_of(recipes.induction(steps=150, check_every=10, decay="constant", threshold=1.0))
    assert "the loss still falls: give steps=300" in run.advice


def test_too_small():
    run = advice_of(recipes.induction(d_model=4))
    assert "heads of 4 dimensions are too narrow to tell 32 tokens apart" in run.advice
    assert "one layer" not in run.advice


def test_one_layer():
    run = advice_of(recipes.induction(n_layers=1, steps=150))
    assert "1 layer of attention cannot bind and match: give n_layers=2" in run.advice


@pytest.mark.parametrize("rate", [3.0, 1e20])
def test_a_learning_rate_too_high(rate):
    run = advice_of(recipes.induction(learning_rate=rate, warm_up=0))
    assert f"the learning rate {rate:g} is too high. Try 0.01." in run.advice  # at once
    assert run.history.step[-1] < 400  # it stops at once
    assert len(run.history) <= 4
    seen = []
    recipe = recipes.induction(learning_rate=rate, warm_up=0)
    train(recipe, progress=False, watch=lambda step, model, history: seen.append(model()))
    for name, w in run.model.weights.items():  # of the last good check, which was the one before
        np.testing.assert_array_equal(seen[-1].weights[name], w)
        np.testing.assert_array_equal(seen[-2].weights[name], w)


def test_a_tenth_of_a_moderate_learning_rate():
    history = History(np.array([0, 25]), np.array([3.0, 9.9]), np.array([0.1, 0.1]))
    words = advice(recipes.induction(learning_rate=0.02), history, diverged=True)
    assert "The loss rose from 3.00 to 9.90 at step 25" in words
    assert words.endswith("the learning rate 0.02 is too high. Try 0.002.")


def test_nothing_to_see():
    recipe = recipes.induction(Induction(8, 9, (3, 4)), learning_rate=1e-9, steps=320)
    assert "the loss no longer falls" in advice_of(recipe.replace(threshold=1.0)).advice
