"""What an edit may do, what it changes, and what it must give back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from vsacourse.backend import copy, to_numpy
from vsacourse.transformer import Config, Transformer, activation_names

SIZES = {"d_vocab": 7, "d_model": 6, "n_layers": 2, "n_heads": 2, "n_ctx": 5}
TOKENS = [1, 2, 3]


def make(backend, dtype="float64", **more):
    config = Config(**SIZES, **more)
    model = Transformer.random(config, np.random.default_rng(0), dtype)
    return model.to(backend(np.empty(0)))


def zeroed(x):
    x *= 0
    return x


@pytest.mark.parametrize("more", [{"d_mlp": 4}, {"positions_in": "qk"}, {"layer_norm": True}])
def test_an_edit_in_place_changes_its_own_value_only(backend, more):
    model = make(backend, causal=False, **more)
    weights = {name: copy(w) for name, w in model.weights.items()}
    for name in activation_names(model.config):
        in_place = model.trace(TOKENS, edit={name: zeroed})
        apart = model.trace(TOKENS, edit={name: lambda x: 0 * x})
        for other in apart:
            assert (in_place[other] == apart[other]).all(), (name, other)
    for name, w in model.weights.items():
        assert (w == weights[name]).all(), name


def test_the_values_of_a_trace_share_no_memory():
    model = make(np.asarray, d_mlp=4)
    trace = model.trace(TOKENS)
    for a, b in itertools.combinations([*trace.values(), *model.weights.values()], 2):
        assert a is b or not np.shares_memory(a, b)
    returned = trace["blocks.0.resid_post"]
    again = model.trace(TOKENS, edit={"blocks.1.resid_pre": lambda x: returned})
    assert not np.shares_memory(again["blocks.1.resid_pre"], again["blocks.1.ln1.normalized"])


def test_a_trace_belongs_to_whoever_asked_for_it(backend):
    model = make(backend)
    before = to_numpy(model(TOKENS)).copy()
    model.trace(TOKENS)["pos_embed"][...] = 7
    np.testing.assert_array_equal(to_numpy(model(TOKENS)), before)


def test_gradients_flow_through_edits_and_to_kept_values(torch):
    model = make(torch.from_numpy)
    weights = {name: w.clone().requires_grad_() for name, w in model.weights.items()}
    model = Transformer(model.config, weights)
    trace = model.trace(TOKENS, edit={"blocks.0.resid_post": lambda x: 2 * x})
    for name in ("pos_embed", "blocks.0.resid_pre", "blocks.1.resid_pre", "ln_final.normalized"):
        (grad,) = torch.autograd.grad(trace.logits.sum(), trace[name], retain_graph=True)
        assert grad.abs().sum() > 0, name
    trace.logits.sum().backward()
    assert weights["pos_embed.W_pos"].grad[:3].abs().min() > 0


@pytest.mark.parametrize(
    ("edit", "kind", "words"),
    [
        (lambda x: None, TypeError, "the edit of embed returned None; return the value"),
        (lambda x: 0, TypeError, "the edit of embed: got a int; a NumPy array or a torch tensor"),
        (lambda x: x.tolist(), TypeError, "the edit of embed: got a list"),
        (lambda x: x * 1j, TypeError, r"the edit of embed returned .*complex.*; real numbers"),
        (lambda x: x[:, :1], ValueError, r"returned shape \(3, 1\); it needs \(3, 6\)"),
        (lambda x: x / 0 * 0, ValueError, r"not finite at index \(0, 0\)"),
        (np.zeros((3, 6)), TypeError, "edit: embed is given a ndarray; a function of the value"),
    ],
)
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value):RuntimeWarning")
def test_what_an_edit_returns_is_checked(backend, edit, kind, words):
    with pytest.raises(kind, match=words) as caught:
        make(backend).trace(TOKENS, edit={"embed": edit})
    assert "\n" not in str(caught.value)


def test_an_edit_stays_in_the_library_of_the_model(torch):
    for model, other in ((make(np.asarray), torch.ones), (make(torch.from_numpy), np.ones)):
        with pytest.raises(TypeError, match=r"the edit of embed: got NumPy .* together"):
            model.trace(TOKENS, edit={"embed": lambda x, other=other: other((3, 6))})


@pytest.mark.parametrize("other", ["float32", "int64", "bool"])
def test_an_edit_is_brought_to_the_dtype_of_the_model(backend, other):
    for dtype in ("float32", "float64"):
        model = make(backend, dtype)
        new = backend(np.eye(3, 6).astype(other))
        trace = model.trace(TOKENS, edit={"embed": lambda x, new=new: new})
        assert {str(value.dtype).removeprefix("torch.") for value in trace.values()} == {dtype}
        np.testing.assert_array_equal(to_numpy(trace["embed"]), np.eye(3, 6))


def test_scores_may_hide_keys_but_not_all_of_them(backend):
    model = make(backend)

    def hides(keys):
        def edit(scores):
            scores[..., 1, keys] = -np.inf
            return scores

        return model.trace(TOKENS, edit={"blocks.1.attn.scores": edit})

    pattern = to_numpy(hides(slice(1))["blocks.1.attn.pattern"])
    assert (pattern[:, 1, 0] == 0).all()
    with pytest.raises(
        ValueError, match=r"hides every key for the query at index \(0, 1\).*NaN\. Let every query"
    ):
        hides(slice(None))
    with pytest.raises(ValueError, match=r"attn\.scores gives NaN or infinity for the query"):
        model.trace(TOKENS, edit={"blocks.0.attn.scores": lambda s: s * np.nan})


@pytest.mark.parametrize("keep", [None, 3, [None], {"embed"}])
def test_what_is_kept_is_named(keep):
    with pytest.raises(TypeError, match=r"keep is .*; a name, a pattern such as"):
        make(np.asarray).trace(TOKENS, keep=keep)
