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
safetensors_open = pytest.importorskip("safetensors").safe_open


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
    with safetensors_open(path, "numpy") as file:  # where it was stopped, not at the last check
        assert json.loads(file.metadata()["run"])["step"] == step
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

    monkeypatch.setattr(os, "replace", fails)
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
    with pytest.raises(ValueError, match=r"is a saved model: load it with .* Pass resume=False"):
        train(tiny, 0, progress=False, checkpoint=path)
    header["format"] = "vsacourse.training 2"
    safetensors.save_file({"a": np.zeros(2)}, path, metadata=header)
    with pytest.raises(
        ValueError, match="has format 2; this version of the library reads format 1"
    ):
        train(tiny, 0, progress=False, checkpoint=path)
    with pytest.raises(ValueError, match=r"does not end in .safetensors"):
        train(tiny, 0, progress=False, checkpoint=tmp_path / "run.pt")
    with pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"):
        train(tiny, 0, progress=False, checkpoint=tmp_path / "no" / "run.safetensors")
    (tmp_path / "folder.safetensors").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder; a file is needed"):
        train(tiny, 0, progress=False, checkpoint=tmp_path / "folder.safetensors")


@pytest.fixture
def parts(tiny, tmp_path):
    """The arrays and the header of a checkpoint at step 27, and a function that takes it up."""
    path = tmp_path / "run.safetensors"
    calls = iter(range(100))
    train(tiny, 0, progress=False, checkpoint=path, stop=lambda: next(calls) == 27)
    with safetensors_open(path, "numpy") as file:
        arrays, header = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118

    def take_up(arrays, header):
        safetensors.save_file(arrays, path, metadata=header)
        return train(tiny, 0, progress=False, checkpoint=path)

    return arrays, header, take_up


W_E = "weight/embed.W_E"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({W_E: None}, f"it has no '{W_E}'"),
        ({W_E: np.zeros((1, 8), "f4")}, r"W_E is float32 of shape \(1, 8\); .* \(8, 8\) is needed"),
        ({W_E: np.zeros((8, 8), "f8")}, "W_E is float64 of shape .*; float32 of shape"),
        ({W_E: np.full((8, 8), np.nan, "f4")}, r"W_E is not finite at index \(0, 0\)"),
        ({"exp_avg/embed.W_E": None}, "it has no 'exp_avg/embed.W_E'"),
        ({"exp_avg/embed.W_E": np.zeros(8, "f4")}, r"exp_avg/embed.W_E is .* \(8, 8\) is needed"),
        ({"exp_avg_sq/embed.W_E": np.zeros((8, 1), "f4")}, "exp_avg_sq/embed.W_E is .*shape"),
        ({"step/embed.W_E": None}, "it has no 'step/embed.W_E'"),
        ({"step/embed.W_E": np.full(1, 26, "f4")}, r"step/embed.W_E is \[26.\], .* is at 27"),
        ({"kept/embed.W_E": None}, "embed.W_E missing"),
        ({"kept/embed.W_E": np.zeros((1, 8), "f4")}, r"embed.W_E has shape \(1, 8\)"),
    ],
)
def test_damaged_arrays_are_refused(parts, changes, words):
    """A weight of another shape would be broadcast, and the run go on from another model."""
    arrays, header, take_up = parts
    changed = {k: v for k, v in (arrays | changes).items() if v is not None}
    with pytest.raises(ValueError, match=f"is damaged: .*{words}.* pass resume=False") as caught:
        take_up(changed, header)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"step": -1}, "step is -1; at least 0"),
        ({"step": 61}, "step is 61; at most 60"),
        ({"step": 2.5}, "step is 2.5; a whole number"),
        ({"step": 26}, r"is \[27.\], and the run is at 26"),
        ({"step": None}, "it has no 'step'"),
        ({"rows": []}, "its checks are not a step, a loss and an accuracy each"),
        (
            {"rows": [[0, 1.0, 0.5], [30, 1.0, 0.5]]},
            r"at the steps \[0, 30\], and the run is at 27",
        ),
        ({"rows": [[0, 1.0, 0.5], [20, 1.0, 0.5], [10, 1.0, 0.5]]}, r"the steps \[0, 20, 10\]"),
        ({"rows": [[10, 1.0, 0.5]]}, r"the steps \[10\]"),
        ({"rows": [[0, float("nan"), 0.5]]}, "its checks are not a step, a"),
        ({"rows": [[0, 1.0]]}, "its checks are not a step, a"),
        ({"rows": [[float("inf"), 1.0, 0.5]]}, "its checks are not a step, a"),
        ({"rows": 3}, "its checks are not a step, a"),
        ({"seconds": -1}, "seconds is -1; a number from 0 on"),
        ({"seconds": float("inf")}, "seconds is inf; a finite number"),
        ({"data": {}}, "the generator of its data cannot be read"),
        ({"checks": "x"}, "the generator of its checks cannot be read"),
        ({"checks": None}, "the generator of its checks cannot be read"),
    ],
)
def test_damaged_counts_are_refused(parts, changes, words):
    arrays, header, take_up = parts
    run = {k: v for k, v in (json.loads(header["run"]) | changes).items() if v is not None}
    with pytest.raises(ValueError, match=f"is damaged: .*{words}.* pass resume=False") as caught:
        take_up(arrays, header | {"run": json.dumps(run)})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"run": None}, "is damaged: its run cannot be read"),
        ({"run": "{"}, "is damaged: its run cannot be read"),
        ({"run": "[]"}, "is damaged: its run cannot be read"),
        ({"run": "[" * 100_000}, "is damaged: its run cannot be read"),
        ({"run": "{}"}, "another run: seed is None there and 0 here"),
        ({"recipe": None}, "is damaged: its recipe cannot be read"),
        ({"recipe": "{}"}, "another run: batch_size is None there and 8 here"),
    ],
)
def test_damaged_headers_are_refused(parts, changes, words):
    arrays, header, take_up = parts
    with pytest.raises(ValueError, match=f"{words}.* pass resume=False") as caught:
        take_up(arrays, {k: v for k, v in (header | changes).items() if v is not None})
    assert "\n" not in str(caught.value)


def test_an_undamaged_one_is_taken_up(parts, tiny):
    arrays, header, take_up = parts
    assert_same_run(take_up(arrays, header), train(tiny, 0, progress=False))


def test_a_run_made_of_numbers_of_numpy(tmp_path):
    task = VariableBinding(pairs=np.int64(2), keys=np.int64(4), values=np.int32(4), queries=1)
    recipe = recipes.variable_binding(
        task, d_model=np.int64(8), steps=np.int64(3), learning_rate=np.float32(0.5)
    )
    path = tmp_path / "run.safetensors"
    run = train(recipe, np.int64(2), progress=False, checkpoint=path)
    assert_same_run(train(recipe, 2, progress=False, checkpoint=path), run)
