"""Wrong input to the transformer gets one line that says what, and what is needed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from vsacourse.transformer import Config, Transformer, random_weights, weight_shapes
from vsacourse.transformer.arguments import checked_head
from vsacourse.transformer.circuits import copying_circuit, matching_circuit, ov_circuit, qk_circuit

GOOD = {"d_vocab": 11, "d_model": 12, "n_layers": 2, "n_heads": 3, "n_ctx": 9}


@pytest.fixture
def config():
    return Config(**GOOD)


@pytest.fixture
def model(config, rng):
    return Transformer.random(config, rng)


@pytest.mark.parametrize(
    ("field", "value", "error", "words"),
    [
        ("d_vocab", 0, ValueError, "d_vocab is 0; at least 1"),
        ("d_model", 12.0, TypeError, "d_model is 12.0; a whole number"),
        ("n_layers", True, TypeError, "n_layers is True"),
        ("n_heads", 5, ValueError, "d_model is 12, which n_heads = 5 does not divide"),
        ("n_ctx", -1, ValueError, "n_ctx is -1"),
        ("d_head", 0, ValueError, "d_head is 0"),
        ("d_mlp", -1, ValueError, "d_mlp is -1; at least 0"),
        ("d_vocab_out", 0, ValueError, "d_vocab_out is 0"),
        ("positions", "absolute", ValueError, "positions is 'absolute'; one of 'learned'"),
        ("positions_in", "v", ValueError, "positions_in is 'v'"),
        ("activation", "swish", ValueError, "activation is 'swish'"),
        ("rotary_pairing", "thirds", ValueError, "rotary_pairing is 'thirds'"),
        ("layer_norm", 1, TypeError, "layer_norm is 1; True or False"),
        ("causal", "yes", TypeError, "causal is 'yes'"),
        ("scale", 0, ValueError, "scale is 0; a finite number above 0"),
        ("scale", "1", TypeError, "scale is '1'"),
        ("scale", 10**400, ValueError, "scale is 1000"),
        ("n_heads", np.float64(3), TypeError, "n_heads is .*3.0.*; a whole number"),
        ("n_heads", np.int64(0), ValueError, "n_heads is 0; at least 1"),
        ("layer_norm_eps", float("nan"), ValueError, "layer_norm_eps is nan"),
        ("rotary_base", float("inf"), ValueError, "rotary_base is inf"),
        ("scale", 10**400, ValueError, "scale is 1000.*0000; a finite number is needed"),
    ],
)
def test_config_names_the_field(field, value, error, words):
    with pytest.raises(error, match=words.replace("(", r"\(")):
        Config(**(GOOD | {field: value}))


def test_config_fields_that_do_not_fit_together():
    with pytest.raises(ValueError, match="d_head is 3; rotary positions turn pairs"):
        Config(**GOOD, d_head=3, positions="rotary")
    for positions in ("rotary", "none"):
        with pytest.raises(ValueError, match='positions_in is "qk"'):
            Config(**GOOD, d_head=4, positions=positions, positions_in="qk")


def test_config_as_a_dictionary(config):
    assert Config.from_dict(config.to_dict()) == config
    assert hash(config) == hash(Config(**GOOD))
    with pytest.raises(TypeError, match="unknown field d_heads, n_head"):
        Config.from_dict(config.to_dict() | {"n_head": 2, "d_heads": 4})
    with pytest.raises(TypeError, match="unknown field 3, n_head;"):
        Config.from_dict({"n_head": 2, 3: 4})
    with pytest.raises(TypeError, match="the fields are None; a dictionary is needed"):
        Config.from_dict(None)
    assert (config.d_head, config.d_vocab_out, config.scale) == (4, 11, 0.5)
    with pytest.raises(TypeError, match="unknown field 1, d_heads"):
        Config.from_dict({"d_heads": 4, 1: 2})
    with pytest.raises(TypeError, match="the fields are None; a dictionary is needed"):
        Config.from_dict(None)
    with pytest.raises(TypeError, match="d_model, n_ctx missing"):
        Config.from_dict({"d_vocab": 3, "n_layers": 1, "n_heads": 1})


def test_a_changed_configuration_derives_anew():
    config = Config(8, 8, 2, 2, 8)
    for changes in ({"n_heads": 4}, {"d_vocab": 20}, {"d_model": 12}, {"n_ctx": 3}, {"d_head": 3}):
        whole = {"d_vocab": 8, "d_model": 8, "n_layers": 2, "n_heads": 2, "n_ctx": 8} | changes
        assert config.replace(**changes) == Config(**whole)
        again = Config.from_dict(config.to_dict())  # what a file knows is enough
        assert again.replace(**changes) == Config(**whole)
    given = Config(9, 9, 2, 2, 8, d_head=4, d_vocab_out=3, scale=0.25)
    changed = given.replace(n_heads=3, d_vocab=20)
    assert (changed.d_head, changed.d_vocab_out, changed.scale) == (4, 3, 0.25)
    assert given.replace(n_ctx=5).d_head == 4  # 2 does not divide 9: it was given
    assert given.replace(scale=None).scale == 0.5
    with pytest.raises(ValueError, match="n_heads = 3 does not divide"):
        config.replace(n_heads=3)
    with pytest.raises(TypeError, match="unknown field n_head;"):
        config.replace(n_head=3)


def test_numbers_of_numpy_are_stored_as_numbers_of_python():
    """JSON takes no others, and a configuration goes into a file."""
    given = {name: np.int64(value) for name, value in GOOD.items()} | {"d_mlp": np.int32(0)}
    given |= {"scale": np.float32(0.5), "causal": np.bool_(True), "rotary_base": np.int64(100)}
    config = Config(**given)
    assert json.loads(json.dumps(config.to_dict())) == config.to_dict()
    assert config == Config(**GOOD, rotary_base=100)
    kinds = {type(value) for value in config.to_dict().values()}
    assert kinds == {int, float, bool, str}


@pytest.mark.parametrize(
    ("tokens", "error", "words"),
    [
        ([[1, 2], [3, 11]], ValueError, r"index \(1, 1\) is 11; .* d_vocab − 1 = 10"),
        ([-1], ValueError, r"index \(0,\) is -1"),
        ([1.0, 2.0], TypeError, "tokens are float64; whole numbers"),
        ([], ValueError, "0 positions"),
        ([[1, 2], [3]], ValueError, "tokens are lists of several lengths; one length is needed"),
        (np.array([2**64 - 1], "uint64"), ValueError, "hold 18446744073709551615, .* past int64"),
        (np.zeros((2, 0), int), ValueError, "0 positions .* 1 to n_ctx = 9"),
        ([0] * 10, ValueError, "10 positions"),
        (np.array(3), ValueError, "0 positions"),
        ("abc", TypeError, "got a str"),
    ],
)
def test_tokens(model, tokens, error, words):
    for call in (model, model.trace):
        with pytest.raises(error, match=words):
            call(tokens)


def test_masks(model):
    tokens = [1, 2, 3]
    with pytest.raises(TypeError, match="mask is int64; booleans"):
        model(tokens, np.ones((3, 3), int))
    with pytest.raises(ValueError, match=r"mask has shape \(4, 4\); .* \(3, 3\)"):
        model(tokens, np.ones((4, 4), bool))
    blind = np.ones((3, 3), bool)
    blind[1, :2] = False  # the third key lies in the future
    with pytest.raises(ValueError, match=r"query at index \(1,\) sees no key"):
        model(tokens, blind)
    with pytest.raises(ValueError, match=r"query at index \(0, 0\) sees no key"):
        model([tokens, tokens], np.zeros((2, 3, 3), bool))


def test_weights(config, rng, torch):
    good = random_weights(config, rng)

    def refused(error, words, **changes):
        changed = {k: v for k, v in (good | changes).items() if v is not None}
        with pytest.raises(error, match=words):
            Transformer(config, changed)

    name = "blocks.1.attn.W_K"
    refused(ValueError, "blocks.1.attn.W_K missing", **{name: None})
    refused(ValueError, "blocks.2.attn.W_K unknown", **{"blocks.2.attn.W_K": good[name]})
    refused(ValueError, r"W_K has shape \(3, 4, 12\); .* \(3, 12, 4\)",
            **{name: good[name].swapaxes(1, 2)})  # fmt: skip
    spoilt = good[name].copy()
    spoilt[2, 3, 1] = np.nan
    refused(ValueError, r"W_K is not finite at index \(2, 3, 1\)", **{name: spoilt})
    refused(TypeError, "W_K is int64; floats", **{name: good[name].astype(int)})
    refused(TypeError, "dtypes", **{name: good[name].astype(np.float64)})
    refused(TypeError, "together", **{name: torch.from_numpy(good[name])})
    for not_named in ([1.0], None, good[name]):
        with pytest.raises(TypeError, match=r"the weights are a .*; a dictionary of name -> array"):
            Transformer(config, not_named)
    with pytest.raises(ValueError, match="5 unknown"):
        Transformer(config, good | {5: good[name]})
    with pytest.raises(TypeError, match=r"rng is 0; a numpy.random.Generator"):
        random_weights(config, 0)
    other = config.replace(n_ctx=5)
    with pytest.raises(ValueError, match="W_pos has shape"):
        Transformer(other, good)
    assert list(good) == list(weight_shapes(config))


def test_trace_names(model):
    with pytest.raises(
        ValueError, match=r"keep: no value is called 'blocks.0.pattern'; near: .*pattern"
    ):
        model.trace([1, 2], keep="blocks.0.pattern")
    with pytest.raises(ValueError, match=r"edit: no value is called 'blocks.2.resid_pre'"):
        model.trace([1, 2], edit={"blocks.2.resid_pre": lambda x: x})
    with pytest.raises(
        ValueError, match=r"edit of embed returned shape \(1, 12\); it needs \(2, 12\)"
    ):
        model.trace([1, 2], edit={"embed": lambda x: x[:1]})
    with pytest.raises(KeyError) as caught:
        model.trace([1, 2])["blocks.0.attn.patern"]
    assert str(caught.value).startswith("the trace has no 'blocks.0.attn.patern'; near")


def test_heads_are_stored_as_numbers_of_python(config):
    layer, head = checked_head(config, np.int64(1), np.int32(2))
    assert (layer, head) == (1, 2)
    assert type(layer) is type(head) is int


def test_circuits_are_the_head(model):
    trace = model.trace(np.arange(5))
    x = trace["blocks.1.resid_pre"]
    p = trace["blocks.1.attn.pattern"]
    for head in range(3):
        scores = x @ qk_circuit(model, 1, head) @ x.T
        seen = np.tri(5, dtype=bool)
        np.testing.assert_allclose(
            scores[seen], trace["blocks.1.attn.scores"][head][seen], atol=1e-5
        )
        moved = p[head] @ x @ ov_circuit(model, 1, head)
        np.testing.assert_allclose(moved, trace["blocks.1.attn.result"][head], atol=1e-5)
    assert matching_circuit(model, 0, 1).shape == (11, 11)
    assert copying_circuit(model, 0, 1).shape == (11, 11)
    for circuit in (qk_circuit, ov_circuit, matching_circuit, copying_circuit):
        with pytest.raises(ValueError, match="layer is 2; the model has the layers 0 to 1"):
            circuit(model, 2, 0)
        with pytest.raises(ValueError, match="head is -1"):
            circuit(model, 0, -1)
        for bad in (True, 1.0, "1", None):
            with pytest.raises(ValueError, match=r"layer is .*; the model has the layers 0 to 1"):
                circuit(model, bad, 0)
        np.testing.assert_array_equal(
            circuit(model, *np.unravel_index(4, (2, 3))), circuit(model, 1, 1)
        )
