"""Gradients, the module, GPT-2's architecture, and files."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from vsacourse.transformer import Config, Transformer, forward, weight_shapes
from vsacourse.transformer.checkpoint import load, save

torch = pytest.importorskip("torch")
CONFIGS = [
    {"positions_in": "qk"},
    {"positions": "rotary", "d_mlp": 5, "activation": "gelu"},
    {"layer_norm": True, "biases": True, "d_mlp": 7},
]


def config(**more):
    return Config(**({"d_vocab": 7, "d_model": 4, "n_layers": 2, "n_heads": 2, "n_ctx": 5} | more))


@pytest.mark.parametrize("more", CONFIGS)
@pytest.mark.parametrize("traced", [False, True])
def test_gradients_are_finite_differences(more, traced):
    c = config(**more)
    model = Transformer.random(c, np.random.default_rng(0), "float64").to(torch.empty(0))
    names, tensors = list(model.weights), [w.requires_grad_() for w in model.weights.values()]
    tokens = torch.tensor([[1, 6, 2], [0, 3, 3]])
    see = (lambda name, value: value) if traced else None

    def logits(*values):
        return forward(c, dict(zip(names, values, strict=True)), tokens, see=see)

    assert torch.autograd.gradcheck(logits, tensors)


@pytest.mark.parametrize("more", CONFIGS)
def test_module_is_the_same_forward(more):
    from vsacourse.transformer.module import TransformerModule

    c = config(**more)
    module = TransformerModule(c, np.random.default_rng(0))
    assert {k: tuple(v.shape) for k, v in module.state_dict().items()} == weight_shapes(c)
    tokens = torch.tensor([[1, 6, 2], [0, 3, 3]])
    frozen = module.transformer()
    torch.testing.assert_close(module(tokens), frozen(tokens))
    np.testing.assert_allclose(
        frozen.numpy()(tokens.numpy()), module(tokens).detach().numpy(), atol=1e-5
    )
    torch.nn.functional.cross_entropy(module(tokens).flatten(0, 1), tokens.flatten()).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in module.parameters())
    torch.optim.SGD(module.parameters(), lr=1.0).step()
    assert not torch.allclose(module(tokens), frozen(tokens))  # the copy did not move
    again = TransformerModule(c, np.random.default_rng(1))
    again.load_state_dict(module.state_dict())
    torch.testing.assert_close(again(tokens), module(tokens))
    assert again.to(torch.float64)(tokens).dtype == torch.float64


def test_module_can_be_copied_and_called_with_other_parameters():
    from vsacourse.transformer.module import TransformerModule

    module = TransformerModule(config(), np.random.default_rng(0))
    tokens = torch.tensor([[1, 6, 2]])
    before = module(tokens)
    other = copy.deepcopy(module)
    with torch.no_grad():
        for p in other.parameters():
            p.zero_()
    torch.testing.assert_close(module(tokens), before)
    assert (other(tokens) == 0).all()
    state = {name: torch.zeros_like(p) for name, p in module.named_parameters()}
    assert (torch.func.functional_call(module, state, (tokens,)) == 0).all()


@pytest.mark.parametrize("more", [*CONFIGS, {"causal": False}])
def test_a_module_in_bfloat16(more):
    from vsacourse.transformer.module import TransformerModule

    module = TransformerModule(config(**more), np.random.default_rng(0)).to(torch.bfloat16)
    tokens = torch.tensor([[1, 6, 2], [0, 3, 3]])
    model = module.transformer()
    mask = torch.eye(3, dtype=torch.bool)
    mask[:, 0] = True
    single = model.numpy()  # float32 holds the same weights
    for hidden in (None, mask):
        logits = module(tokens, hidden)
        wanted = single(tokens.numpy(), None if hidden is None else hidden.numpy())
        assert logits.dtype == torch.bfloat16
        assert wanted.dtype == np.float32
        for found in (logits, model(tokens, hidden), model.trace(tokens, hidden).logits):
            np.testing.assert_allclose(found.detach().float(), wanted, atol=0.1)
    name = "embed.W_E"
    np.testing.assert_array_equal(single.weights[name], model.weights[name].float())
    spoilt = model.weights[name].clone()
    spoilt[2, 1] = torch.nan
    with pytest.raises(ValueError, match=r"embed.W_E is not finite at index \(2, 1\)"):
        Transformer(model.config, {**model.weights, name: spoilt})


def test_whose_memory_a_moved_model_has():
    model = Transformer.random(config(), np.random.default_rng(0))
    moved = model.to(torch.empty(0))
    name = "embed.W_E"
    moved.weights[name][0, 0] = 5
    assert model.weights[name][0, 0] != 5  # a copy
    assert moved.numpy().weights[name][0, 0] == 5
    moved.weights[name][0, 0] = 6
    back = moved.numpy()
    moved.weights[name][0, 0] = 7
    assert back.weights[name][0, 0] == 7  # shared, as the docstring says


def test_module_learns():
    from vsacourse.transformer.module import TransformerModule

    module = TransformerModule(config(d_model=16), np.random.default_rng(0))
    tokens = torch.tensor([[0, 1, 2, 3, 4]])
    optimizer = torch.optim.Adam(module.parameters(), lr=0.02)
    for _ in range(60):
        loss = torch.nn.functional.cross_entropy(module(tokens[:, :-1])[0], tokens[0, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05


@pytest.mark.parametrize(
    "more",
    [
        {"n_embd": 32, "n_layer": 2, "n_head": 4},
        {"n_embd": 48, "n_layer": 3, "n_head": 3, "n_inner": 70, "activation_function": "gelu"},
        {"n_embd": 16, "n_layer": 1, "n_head": 1, "scale_attn_weights": False},
        {"n_embd": 24, "n_layer": 2, "n_head": 2, "activation_function": "relu",
         "layer_norm_epsilon": 1e-3, "tie_word_embeddings": False},
    ],
)  # fmt: skip
def test_gpt2_logits(more):
    transformers = pytest.importorskip("transformers")
    from vsacourse.transformer.gpt2 import from_gpt2

    tokens = {"bos_token_id": 0, "eos_token_id": 0}
    settings = transformers.GPT2Config(vocab_size=101, n_positions=40, **tokens, **more)
    torch.manual_seed(0)
    theirs = transformers.GPT2LMHeadModel(settings).eval()
    ours = from_gpt2(theirs)
    with torch.no_grad():
        for p in theirs.parameters():  # biases and LayerNorm start at 0 and 1, and must be seen
            p.add_(0.1 * torch.randn_like(p))
        tokens = torch.randint(0, 101, (2, 40))
        expected = theirs(tokens).logits
    assert not torch.allclose(ours(tokens), expected, atol=1e-2)  # weights were copied before
    ours = from_gpt2(theirs)
    assert (ours(tokens) - expected).abs().max() < 1e-4
    assert (ours.trace(tokens).logits - expected).abs().max() < 1e-4
    assert np.abs(ours.numpy()(tokens.numpy()) - expected.numpy()).max() < 1e-4
    half = from_gpt2(theirs.to(torch.bfloat16))
    assert half(tokens).dtype == torch.bfloat16
    assert (half(tokens).float() - expected).abs().max() < 0.05 * expected.abs().max()


def test_gpt2_refuses_others():
    transformers = pytest.importorskip("transformers")
    from vsacourse.transformer.gpt2 import from_gpt2

    with pytest.raises(ValueError, match="a GPT2LMHeadModel is needed"):
        from_gpt2(torch.nn.Linear(2, 2))
    sizes = {"vocab_size": 11, "n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 6}
    tokens = {"bos_token_id": 0, "eos_token_id": 0}
    base = transformers.GPT2Model(transformers.GPT2Config(**sizes, **tokens))
    with pytest.raises(ValueError, match="is a GPT2Model"):
        from_gpt2(base)
    for option, words in (
        ({"scale_attn_by_inverse_layer_idx": True}, "sets scale_attn_by_inverse_layer_idx"),
        ({"activation_function": "silu"}, "activation is 'silu'"),
    ):
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, **tokens, **option))
        with pytest.raises(ValueError, match=words):
            from_gpt2(model)


# Files


def test_a_file_gives_the_same_model_back(tmp_path, backend):
    pytest.importorskip("safetensors")
    model = Transformer.random(config(positions="rotary"), np.random.default_rng(0))
    path = tmp_path / "model.safetensors"
    save(model.to(backend(np.empty(0))), path)
    loaded = load(str(path))
    assert loaded.config == model.config
    for name, w in model.weights.items():
        np.testing.assert_array_equal(loaded.weights[name], w)
        assert isinstance(loaded.weights[name], np.ndarray)
    assert [p.name for p in tmp_path.iterdir()] == ["model.safetensors"]


def test_files_that_are_refused(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    model = Transformer.random(config(), np.random.default_rng(0))
    path = tmp_path / "model.safetensors"
    with pytest.raises(ValueError, match=r"does not end in .safetensors"):
        save(model, tmp_path / "model.pt")
    with pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"):
        save(model, tmp_path / "no" / "model.safetensors")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load(path)
    save(model, path)
    whole = path.read_bytes()
    for cut in (0, 5, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match="truncated, or no safetensors file"):
            load(path)
    other = {"lm_head.weight": np.zeros((3, 2), np.float32)}
    safetensors.save_file(other, path)
    with pytest.raises(
        ValueError, match=r"holds lm_head.weight …, and nothing that this library wrote"
    ):
        load(path)
    header = {"format": "vsacourse.transformer 1"}
    header["config"] = json.dumps(config(d_model=6).to_dict())
    weights = {k: np.asarray(w) for k, w in model.weights.items()}
    safetensors.save_file(weights, path, metadata=header)
    with pytest.raises(
        ValueError, match=r"model.safetensors is damaged: the weight embed.W_E has shape"
    ):
        load(path)
