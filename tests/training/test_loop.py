"""The loop: deterministic, pure, watched, stopped, shown."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import threading

import numpy as np
import pytest

from vsacourse.tasks import Bigram
from vsacourse.training import Recipe, recipes, train, train_seeds, wilson_interval
from vsacourse.transformer import Config, Transformer

torch = pytest.importorskip("torch")


def same_weights(a, b):
    return all(np.array_equal(a.weights[name], w) for name, w in b.weights.items())


def test_one_seed_gives_one_model(tiny):
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    np.random.seed(3)  # noqa: NPY002
    legacy = np.random.get_state()[1].copy()  # noqa: NPY002
    torch.set_num_threads(threads + 1)
    try:
        first, again, other = (train(tiny, seed, progress=False) for seed in (0, 0, 1))
        assert torch.get_num_threads() == threads + 1
    finally:
        torch.set_num_threads(threads)
    assert same_weights(first.model, again.model)
    assert not same_weights(first.model, other.model)
    for name in ("step", "loss", "accuracy"):
        np.testing.assert_array_equal(getattr(first.history, name), getattr(again.history, name))
    assert first.report == again.report != other.report
    assert torch.equal(torch.get_rng_state(), before)
    assert (np.random.get_state()[1] == legacy).all()  # noqa: NPY002
    assert isinstance(first.model.weights["embed.W_E"], np.ndarray)
    assert first.history.step.tolist() == [0, 10, 20, 30, 40, 50, 60]


def test_watching_does_not_change_the_run(tiny):
    seen = []

    def watch(step, snapshot, history):
        model = snapshot()
        assert isinstance(model, Transformer)
        model.weights["embed.W_E"][:] = 0  # a copy
        seen.append((step, snapshot(), len(history)))

    run = train(tiny, 0, progress=False, watch=watch)
    assert [(step, n) for step, _, n in seen] == [(10 * i, i + 1) for i in range(7)]
    assert same_weights(seen[-1][1], run.model)
    assert not same_weights(seen[0][1], run.model)
    rng = np.random.default_rng(np.random.SeedSequence(0).spawn(4)[1])
    assert same_weights(seen[0][1], Transformer.random(tiny.config, rng))
    assert same_weights(train(tiny, 0, progress=False).model, run.model)


def test_stop(tiny):
    event = threading.Event()

    def watch(step, snapshot, history):
        if step == 20:
            event.set()

    run = train(tiny, 0, progress=False, watch=watch, stop=event)
    assert (run.stopped, run.solved, run.advice) == (True, False, "")
    assert run.history.step[-1] == 20
    calls = iter([False] * 7 + [True])
    run = train(tiny, 0, progress=False, stop=lambda: next(calls))
    assert run.stopped
    assert run.history.step[-1] == 0
    assert not train(tiny, 0, progress=False, stop=lambda: False).stopped


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_whatever_the_caller_does_with_gradients(tiny, tmp_path, mode):
    expected = train(tiny, 0, progress=False).model
    calls = iter(range(100))
    path = tmp_path / "run.safetensors"
    with mode():
        train(tiny, 0, progress=False, checkpoint=path, stop=lambda: next(calls) == 13)
        run = train(tiny, 0, progress=False, checkpoint=path)
        assert not torch.is_grad_enabled()
    assert same_weights(run.model, expected)


def test_a_name_that_no_file_may_have(tiny, tmp_path):
    pytest.importorskip("safetensors")
    named = tiny.replace(name='a/b: "c"', steps=1)
    assert train_seeds(named, [0], folder=tmp_path, progress=False)[0].recipe == named
    assert [file.name for file in tmp_path.iterdir()] == ["a-b---c--0.safetensors"]
    train_seeds(tiny.replace(name="two words", steps=1), [3], folder=tmp_path, progress=False)
    assert (tmp_path / "two-words-3.safetensors").exists()


def test_from_another_thread(tiny):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        run = pool.submit(train, tiny, 0, progress=False).result()
    assert same_weights(run.model, train(tiny, 0, progress=False).model)


def test_the_line(tiny, capsys, monkeypatch):
    train(tiny, 0)
    out, err = capsys.readouterr()
    assert err == ""
    assert len(out.splitlines()) == 2  # a pipe: the last line and the advice
    assert "step   60/60  loss" in out
    assert "wanted" in out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    train(tiny.replace(threshold=0.1, check_every=1), 0)
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    assert out.count("\r") > 2
    assert "wanted" not in out
    train(tiny, 0, progress=False)
    assert capsys.readouterr() == ("", "")


def test_the_line_in_a_notebook(tiny, capsys, monkeypatch):
    interactive = pytest.importorskip("IPython")
    from IPython import display

    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(data["text/plain"])

    class Shell:
        kernel = object()

    monkeypatch.setattr(interactive, "get_ipython", Shell)
    monkeypatch.setattr(display, "display", lambda *a, **k: Handle())
    train(tiny, 0)
    assert len(shown) == 8
    assert "step   60/60" in shown[-1]
    assert "wanted" in capsys.readouterr().out


@pytest.mark.parametrize("processes", [False, True])
def test_seeds(tiny, processes, tmp_path, capsys):
    expected = [train(tiny, seed, progress=False).model for seed in (3, 0)]
    if processes:
        spawn = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
            runs = train_seeds(tiny, (3, 0), pool)
    else:
        pytest.importorskip("safetensors")
        runs = train_seeds(tiny, (3, 0), folder=tmp_path)
        assert len(list(tmp_path.iterdir())) == 2
    assert [run.seed for run in runs] == [3, 0]
    assert all(same_weights(run.model, model) for run, model in zip(runs, expected, strict=True))
    assert capsys.readouterr().out.count("\n") == (2 if processes else 4)
    assert repr(runs[0]).startswith("Run(induction, seed 3: not solved, accuracy")


def test_bigrams_are_learnt_to_their_entropy():
    """The smallest loss that can be had, from above: no context helps."""
    task = Bigram(6, 12, seed=1)
    config = Config(6, 16, 1, 1, 12, positions_in="qk")
    recipe = Recipe("bigram", task, config, steps=400, threshold=None, decay="cosine")
    run = train(recipe, 0, progress=False)
    assert run.history.step[-1] == 400
    assert run.advice == ""
    assert run.history.loss[-4:].mean() == pytest.approx(task.entropy(), abs=0.03)
    assert run.report.accuracy == pytest.approx(task.baseline(), abs=0.02)


def test_the_learning_rate():
    recipe = recipes.chains()
    assert recipe.rate_at(0) == pytest.approx(1e-2 / 50)
    assert recipe.rate_at(500) == pytest.approx(1e-2 / 2)
    assert recipe.rate_at(999) < 1e-7
    flat = recipe.replace(decay="constant", warm_up=0)
    assert flat.rate_at(0) == flat.rate_at(999) == 1e-2


def test_the_step_is_adamw(tiny):
    """One step of the loop is one step written by hand."""
    data, weights, *_ = (np.random.default_rng(s) for s in np.random.SeedSequence(4).spawn(4))
    model = Transformer.random(tiny.config, weights)
    tensors = {k: torch.from_numpy(w.copy()).requires_grad_() for k, w in model.weights.items()}
    batch = tiny.task.sample(8, data)
    from vsacourse.transformer import forward

    logits = forward(tiny.config, tensors, torch.from_numpy(batch.tokens))
    logs = logits.log_softmax(-1).gather(-1, torch.from_numpy(batch.targets)[..., None])[..., 0]
    counted = torch.from_numpy(batch.counted)
    (-(logs * counted).sum() / counted.sum()).backward()
    run = train(tiny.replace(steps=1, weight_decay=0.1), 4, progress=False)
    rate = tiny.rate_at(0)
    for name, w in model.weights.items():
        g = tensors[name].grad.numpy()
        expected = w * (1 - rate * 0.1) - rate * g / (np.abs(g) + 1e-8)
        np.testing.assert_allclose(run.model.weights[name], expected, atol=2e-6)


def test_wilson():
    for correct, of, low, high in ((0, 10, 0, 0.2775), (81, 263, 0.2553, 0.3662)):
        assert wilson_interval(correct, of) == pytest.approx((low, high), abs=2e-4)
    assert wilson_interval(50, 100)[0] == pytest.approx(1 - wilson_interval(50, 100)[1])
    assert wilson_interval(np.int64(1), np.int64(2)) == wilson_interval(1, 2)
    for arguments, error, words in (
        ((3, 2), ValueError, "correct is 3; at most 2"),
        ((-1, 2), ValueError, "correct is -1; at least 0"),
        ((0, 0), ValueError, "of is 0; at least 1"),
        (("1", 2), TypeError, "correct is '1'; a whole number"),
        ((1, None), TypeError, "of is None; a whole number"),
        ((0.5, 2), TypeError, "correct is 0.5; a whole number"),
        ((1, 2, 95), ValueError, "confidence is 95; a number between 0 and 1"),
        ((1, 2, "95"), TypeError, "confidence is '95'; a number between"),
    ):
        with pytest.raises(error, match=words):
            wilson_interval(*arguments)
