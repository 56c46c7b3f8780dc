"""A run that was killed or stopped ends with the weights of one that was not."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from vsacourse.tasks import Induction, VariableBinding
from vsacourse.training import recipes, train

pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.numpy")


def assert_same_run(a, b):
    for name, w in b.model.weights.items():
        np.testing.assert_array_equal(a.model.weights[name], w)
    for field in dataclasses.fields(a.history):
        expected = getattr(b.history, field.name)
        np.testing.assert_array_equal(getattr(a.history, field.name), expected)
    assert (a.report, a.steps, a.advice) == (b.report, b.steps, b.advice)


@pytest.mark.parametrize("step", [0, 1, 20, 27, 59])
def test_stopped_and_taken_up_again(tiny, tmp_path, step):
    whole = train(tiny, 3, progress=False)
    calls = iter(range(100))
    path = tmp_path / "run.safetensors"
    half = train(tiny, 3, progress=False, checkpoint=path, stop=lambda: next(calls) == step)
    assert half.stopped
    assert_same_run(train(tiny, 3, progress=False, checkpoint=path), whole)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    begun = time.perf_counter()
    assert_same_run(train(tiny, 3, progress=False, checkpoint=path), whole)  # nothing left to do
    assert time.perf_counter() - begun < whole.seconds + 5
    assert_same_run(train(tiny, 3, progress=False, checkpoint=path, resume=False), whole)


def test_lengths_drawn_by_batch_are_taken_up_too(tmp_path):
    recipe = recipes.chains(d_model=8, steps=20, check_every=6, batch_size=4)
    calls = iter(range(100))
    path = tmp_path / "run.safetensors"
    train(recipe, 0, progress=False, checkpoint=str(path), stop=lambda: next(calls) == 13)
    resumed = train(recipe, 0, progress=False, checkpoint=path)
    assert_same_run(resumed, train(recipe, 0, progress=False))


PROGRAM = """
import sys
from vsacourse.training import recipes, train
from vsacourse.tasks import Induction
recipe = recipes.induction(Induction(8, 9, (3, 4)), d_model=8, steps=200, check_every=5,
                           batch_size=8, threshold=None)
train(recipe, 1, progress=False, checkpoint=sys.argv[1],
      watch=lambda step, *_: print(step, flush=True))
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_killed_and_taken_up_again(tmp_path):
    path = tmp_path / "run.safetensors"
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if int(line) >= 30:
                process.send_signal(signal.SIGKILL)
                break
        assert process.wait() == -signal.SIGKILL
    recipe = recipes.induction(
        Induction(8, 9, (3, 4)), d_model=8, steps=200, check_every=5, batch_size=8, threshold=None
    )
    steps = []
    resumed = train(
        recipe, 1, progress=False, checkpoint=path, watch=lambda step, *_: steps.append(step)
    )
    assert 30 < steps[0] < 200  # it was killed in the middle, and not begun again
    assert_same_run(resumed, train(recipe, 1, progress=False))
    left = [p for p in tmp_path.iterdir() if p != path]  # at most the file that it was writing
    assert all(p.suffix == ".part" for p in left)


def test_a_failed_write_leaves_the_old_file(tiny, tmp_path, monkeypatch):
    path = tmp_path / "run.safetensors"
    train(tiny.replace(steps=10), 0, progress=False, checkpoint=path)
    before = path.read_bytes()

    def fails(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(safetensors, "save_file", fails)
    with pytest.raises(OSError, match="disk full"):
        train(tiny.replace(steps=10), 0, progress=False, checkpoint=path, resume=False)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_checkpoints_of_other_runs(tiny, tmp_path):
    path = tmp_path / "run.safetensors"
    train(tiny, 0, progress=False, checkpoint=path)
    before = path.read_bytes()
    task = Induction(d_vocab=8, n_ctx=9, periods=(3, 3))
    binding = recipes.variable_binding(VariableBinding(1, 2, 2, 1), d_model=8)
    others = [
        (tiny, 1, "seed is 0 there and 1 here"),
        (tiny.replace(learning_rate=0.1), 0, "learning_rate is 0.01 there and 0.1 here"),
        (tiny.replace(steps=61, warm_up=3), 0, "steps is 60 there and 61 here; warm_up"),
        (tiny.replace(task=task), 0, r"task.periods is \[3, 4\] there and \[3, 3\] here"),
        (recipes.induction(tiny.task, d_model=16), 0, "config.d_head is 8 there and 16 here"),
        (binding, 0, "task.task is 'Induction' there and 'VariableBinding' here"),
    ]
    for recipe, seed, words in others:
        with pytest.raises(ValueError, match=words) as caught:
            train(recipe, seed, progress=False, checkpoint=path)
        assert "pass resume=False" in str(caught.value)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_files_that_are_no_checkpoints(tiny, tmp_path):
    path = tmp_path / "run.safetensors"
    train(tiny, 0, progress=False, checkpoint=path)
    whole = path.read_bytes()
    for cut in (0, 7, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match="truncated, or no safetensors file"):
            train(tiny, 0, progress=False, checkpoint=path)
    header = {"format": "vsacourse.transformer 1", "config": json.dumps({})}
    safetensors.save_file({"a": np.zeros(2)}, path, metadata=header)
    with pytest.raises(ValueError, match="no checkpoint of a training run"):
        train(tiny, 0, progress=False, checkpoint=path)
    with pytest.raises(ValueError, match=r"does not end in .safetensors"):
        train(tiny, 0, progress=False, checkpoint=tmp_path / "run.pt")
    with pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"):
        train(tiny, 0, progress=False, checkpoint=tmp_path / "no" / "run.safetensors")
