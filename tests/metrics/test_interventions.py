"""Ablation and patching: what the hand-written head needs, and what changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.metrics.oracle import PERIOD, START, VOCAB, induction_model, repeated_tokens
from vsacourse import metrics
from vsacourse.backend import to_numpy
from vsacourse.transformer import Config, Transformer, activation_names

FIRST, SECOND = (0, 0), (1, 0)
PATTERN = "blocks.1.attn.pattern"


@pytest.fixture
def real(rng, backend):
    """Everything switched on, three layers, two heads."""
    config = Config(11, 12, 3, 2, 9, d_mlp=7, layer_norm=True, biases=True, positions="rotary")
    return Transformer.random(config, rng, "float64").to(backend(np.empty(0)))


@pytest.mark.parametrize(
    ("kind", "head", "accuracy"),
    [
        ("zero", FIRST, 0),  # nothing to match: the present token wins, which never comes next
        ("mean", FIRST, 0),
        ("pattern", FIRST, 1),  # it matters only through where the second head looks
        ("zero", SECOND, 0),
        ("mean", SECOND, 0),
        ("pattern", SECOND, 0),  # it writes the answer
    ],
)
def test_three_ablations_of_the_oracle(model, tokens, answers, kind, head, accuracy):
    run = metrics.ablate(model, tokens, [head], kind, keep=PATTERN)
    assert float(metrics.accuracy(run.logits, *answers)) == accuracy
    matching = float(metrics.prefix_matching(run[PATTERN], tokens)[0])
    looks = head == SECOND or kind == "pattern"
    assert matching == pytest.approx(1, abs=1e-6) if looks else matching < 0.05


def test_an_ablation_leaves_the_other_heads_alone(real):
    tokens = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    clean = real.trace(tokens)
    run = metrics.ablate(real, tokens, [(1, 0)], keep="*")
    for name in clean:
        same = name.startswith("blocks.0") or name in ("embed", "blocks.1.attn.pattern")
        if same:
            np.testing.assert_array_equal(to_numpy(run[name]), to_numpy(clean[name]))
    result, was = to_numpy(run["blocks.1.attn.result"]), to_numpy(clean["blocks.1.attn.result"])
    np.testing.assert_array_equal(result[:, 0], 0)
    np.testing.assert_array_equal(result[:, 1], was[:, 1])
    later = "blocks.2.attn.pattern"
    assert np.abs(to_numpy(run[later]) - to_numpy(clean[later])).max() > 1e-4
    held = metrics.ablate(real, tokens, [(1, 0)], "pattern", keep="*")
    np.testing.assert_array_equal(to_numpy(held[later]), to_numpy(clean[later]))
    assert np.abs(to_numpy(held.logits) - to_numpy(run.logits)).max() > 1e-4


@pytest.mark.parametrize("heads", [[(0, 1), (1, 0), (2, 1)], [(0, 0), (0, 1), (1, 1), (1, 0)]])
def test_every_pattern_is_held_also_where_heads_are_ablated(real, heads):
    tokens = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    clean = real.trace(tokens)
    held, free = (
        metrics.ablate(real, tokens, heads, kind, keep="*") for kind in ("pattern", "zero")
    )
    for layer in range(3):
        name = f"blocks.{layer}.attn.pattern"
        np.testing.assert_array_equal(to_numpy(held[name]), to_numpy(clean[name]))
        moved = np.abs(to_numpy(free[name]) - to_numpy(clean[name])).max()
        assert moved > 1e-4 if layer else moved == 0
    for layer, head in heads:
        assert not to_numpy(held[f"blocks.{layer}.attn.result"])[:, head].any()


def test_numbers_of_numpy_are_indices(real):
    tokens = np.array([1, 2, 3, 4])
    wanted = to_numpy(metrics.ablate(real, tokens, [(2, 1), (0, 0)]).logits)
    pairs = np.array([[2, 1], [0, 0]])
    for heads in (pairs, [np.unravel_index(i, (3, 2)) for i in (5, 0)], [tuple(p) for p in pairs]):
        np.testing.assert_array_equal(to_numpy(metrics.ablate(real, tokens, heads).logits), wanted)
    name, where = "blocks.1.attn.z", (np.arange(2), list(np.arange(1)))
    found = metrics.patch(real, tokens[::-1].copy(), tokens, name, *where).logits
    wanted = metrics.patch(real, tokens[::-1].copy(), tokens, name, [0, 1], [0]).logits
    np.testing.assert_array_equal(to_numpy(found), to_numpy(wanted))
    first, second = np.unravel_index(1, (3, 2)), np.array([2, 0])
    found = metrics.composition_scores(real, first, second)
    assert found == metrics.composition_scores(real, (0, 1), (2, 0))
    assert metrics.composition_floor(np.int64(4)) == 0.5
    assert metrics.in_context_score(np.arange(4.0), np.int64(1), np.int64(3)) == 2


def test_the_mean_is_over_rows_and_positions(real):
    tokens = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    reference = np.array([[[9, 9, 1], [0, 2, 5]]])
    was = to_numpy(real.trace(reference)["blocks.0.attn.result"])  # [1, 2, head, pos, d_model]
    run = metrics.ablate(real, tokens, [(0, 1)], "mean", reference, keep="*")
    result = to_numpy(run["blocks.0.attn.result"])[:, 1]
    np.testing.assert_allclose(
        result, np.broadcast_to(was[:, :, 1].mean((0, 1, 2)), result.shape), atol=1e-12
    )
    own = to_numpy(metrics.ablate(real, tokens, [(0, 1)], "mean", tokens).logits)
    np.testing.assert_array_equal(
        to_numpy(metrics.ablate(real, tokens, [(0, 1)], "mean").logits), own
    )


def test_several_heads_at_once(real):
    """With every head of the attention-only part gone by zeros, positions no longer matter."""
    every = [(layer, head) for layer in range(3) for head in range(2)]
    for tokens in ([1, 2, 3], [3, 1, 2]):
        logits = to_numpy(metrics.ablate(real, tokens, every).logits)
        alone = [to_numpy(metrics.ablate(real, [t], every).logits)[0] for t in tokens]
        np.testing.assert_allclose(logits, alone, atol=1e-12)


def test_a_head_that_writes_nothing_can_be_ablated(tokens, answers):
    model = induction_model()
    weights = {
        name: np.concatenate((w, 0 * w)) if ".attn." in name else w
        for name, w in model.weights.items()
    }
    config = Config(**(model.config.to_dict() | {"n_heads": 2}))
    double = Transformer(config, weights)
    for kind in ("zero", "mean", "pattern"):
        np.testing.assert_allclose(
            metrics.ablate(double, tokens, [(0, 1), (1, 1)], kind).logits,
            double(tokens),
            atol=1e-12,
        )


# Patching


def answer_score(targets, known):
    """The mean logit of the right answer over the mean of all, where it can be known."""
    chosen = np.eye(VOCAB)[to_numpy(targets)] - 1 / VOCAB

    def measure(logits):
        return float((to_numpy(logits) * chosen).sum(-1)[to_numpy(known)].mean())

    return measure


def test_the_oracle_patched(model, tokens, answers, rng):
    corrupt = repeated_tokens(rng)
    measure = answer_score(*answers)
    for name, denoising, noising in (
        ("blocks.1.resid_post", 1, 0),  # all there is
        ("embed", 1, 0),
        ("blocks.1.attn.pattern", 0, 1),  # both rows look at the same place: the period is the same
        ("blocks.0.attn.pattern", 0, 1),
    ):
        effect = metrics.patch_both(model, tokens, corrupt, name, measure)
        assert effect["denoising"] == pytest.approx(denoising, abs=1e-5), name
        assert effect["noising"] == pytest.approx(noising, abs=1e-5), name
    copied = metrics.patch_both(model, tokens, corrupt, "blocks.1.attn.result", measure, heads=[0])
    assert copied["denoising"] > 0.95  # what is left is the present token, which votes too
    assert copied["noising"] < 0.05


def test_the_two_directions_differ(tokens, answers):
    """Two heads that both copy: either is enough, neither is needed."""
    model = induction_model()
    weights = {
        name: np.concatenate((w, w)) if ".attn." in name else w for name, w in model.weights.items()
    }
    config = Config(**(model.config.to_dict() | {"n_heads": 2}))
    double = Transformer(config, {**weights, "blocks.0.attn.W_O": weights["blocks.0.attn.W_O"] / 2})
    targets, known = answers
    corrupt = tokens.copy()
    corrupt[:, 1 : PERIOD + 1] = START  # nothing comes twice: the second layer looks everywhere

    def right(logits):
        return float(metrics.accuracy(logits, targets, known))

    name = "blocks.1.attn.result"
    assert metrics.patch_both(model, tokens, corrupt, name, right) == {"denoising": 1, "noising": 0}
    both = metrics.patch_both(double, tokens, corrupt, name, right, heads=[1])
    assert both == {"denoising": 1, "noising": 1}


def test_patching_from_the_same_run_changes_nothing(real):
    tokens = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    want = to_numpy(real.trace(tokens).logits)
    for name in activation_names(real.config):
        got = metrics.patch(real, tokens, tokens, name).logits
        np.testing.assert_array_equal(to_numpy(got), want, err_msg=name)


def test_patching_everything_gives_the_source(real):
    source, target = np.array([[1, 2, 3], [4, 5, 6]]), np.array([[7, 8, 9], [10, 0, 1]])
    want = to_numpy(real.trace(source).logits)
    for names in ("blocks.2.resid_post", "embed", "*", ["logits"], "blocks.*.resid_pre"):
        got = to_numpy(metrics.patch(real, source, target, names).logits)
        np.testing.assert_allclose(got, want, atol=1e-12)
    assert np.abs(to_numpy(real.trace(target).logits) - want).max() > 0.01


def test_only_the_positions_and_heads_that_are_named(real):
    source, target = [1, 2, 3, 4, 5], [6, 7, 8, 9, 10]
    a, b = (to_numpy(real.trace(t)["blocks.1.attn.z"]) for t in (source, target))
    name = "blocks.1.attn.z"
    got = to_numpy(metrics.patch(real, source, target, name, [1, 3], [1], keep=name)[name])
    want = b.copy()
    want[1, [1, 3]] = a[1, [1, 3]]
    np.testing.assert_array_equal(got, want)
    logits = [
        to_numpy(metrics.patch(real, source, target, name, [3]).logits),
        to_numpy(real.trace(target).logits),
    ]
    np.testing.assert_array_equal(logits[0][:3], logits[1][:3])  # the past does not change
    assert np.abs(logits[0][3:] - logits[1][3:]).min(axis=-1).max() > 0


def test_the_model_and_the_tokens_stay_as_they_are(real):
    tokens = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    before = {name: to_numpy(w).copy() for name, w in real.weights.items()}
    was = tokens.copy()
    for kind in ("zero", "mean", "pattern"):
        metrics.ablate(real, tokens, [(0, 0), (2, 1)], kind)
    metrics.patch(real, tokens, tokens[::-1].copy(), "*")
    np.testing.assert_array_equal(tokens, was)
    for name, w in real.weights.items():
        np.testing.assert_array_equal(to_numpy(w), before[name])


def test_the_effect_of_arrays(backend):
    clean, corrupt, patched = (backend(np.array(x)) for x in ([4.0, 1.0], [0.0, 3.0], [1.0, 3.0]))
    np.testing.assert_allclose(
        to_numpy(metrics.patching_effect(clean, corrupt, patched)), [0.25, 0]
    )


def test_gradients_flow_through_an_ablation(torch):
    model = induction_model().to(torch.empty(0))
    weights = {name: w.clone().requires_grad_() for name, w in model.weights.items()}
    tokens = torch.tensor([[32, 1, 2, 1]])
    metrics.ablate(Transformer(model.config, weights), tokens, [(0, 0)]).logits.sum().backward()
    assert weights["blocks.1.attn.W_V"].grad.abs().sum() > 0
