"""Files that are written whole or not at all, and files that are damaged or of another kind."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

from vsacourse.transformer import Config, Transformer
from vsacourse.transformer.checkpoint import load, save

safetensors = pytest.importorskip("safetensors.numpy")
CONFIG = Config(d_vocab=7, d_model=4, n_layers=1, n_heads=2, n_ctx=5)


@pytest.fixture
def model():
    return Transformer.random(CONFIG, np.random.default_rng(0))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


# Written


def test_a_failed_save_leaves_the_old_file(model, path, monkeypatch):
    save(model, path)
    before, write = path.read_bytes(), pathlib.Path.write_bytes

    def fails(self, content):
        write(self, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(pathlib.Path, "write_bytes", fails)
    with pytest.raises(OSError, match=r"No space left on device: '.*model\.safetensors'$"):
        save(model, path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


PROGRAM = """
import os, pathlib, signal, sys
import numpy as np
from vsacourse.transformer import Config, Transformer
from vsacourse.transformer.checkpoint import save
write = pathlib.Path.write_bytes

def killed(self, content):
    write(self, content[:100])
    os.kill(os.getpid(), signal.SIGKILL)

pathlib.Path.write_bytes = killed
model = Transformer.random(Config(7, 4, 1, 2, 5), np.random.default_rng(0))
save(model, sys.argv[1])
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_what_a_killed_save_left_is_removed_by_the_next(model, path):
    save(model, path)
    before = path.read_bytes()
    other = path.with_name("other.safetensors.0123abcd.part")
    mine = path.with_name("model.safetensors.mine.part")
    for file in (other, mine):
        file.write_text("not a temporary file of this model")
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], check=False)
        assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    left = set(path.parent.iterdir()) - {path, other, mine}
    assert len(left) == 1  # of the second; the second removed that of the first
    save(model, path)
    assert set(path.parent.iterdir()) == {path, other, mine}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("umask", [0o022, 0o027])
def test_a_file_has_the_mode_of_any_new_file(model, path, umask):
    before = os.umask(umask)
    try:
        save(model, path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_stays_a_link(model, path):
    folder = path.parent / "elsewhere"
    folder.mkdir()
    path.symlink_to(folder / "kept.safetensors")
    for _ in range(2):  # at first it leads to nothing
        save(model, path)
        assert path.is_symlink()
        assert load(folder / "kept.safetensors").config == CONFIG
    assert len(list(folder.iterdir())) == 1
    path.unlink()
    path.symlink_to(path.parent / "no" / "kept.safetensors")
    with pytest.raises(FileNotFoundError, match=r"the folder .*no does not exist"):
        save(model, path)


def test_a_folder_of_that_name_is_refused(model, path):
    path.mkdir()
    with pytest.raises(IsADirectoryError, match=r"^.*model.safetensors is a folder; a file"):
        save(model, path)
    assert not list(path.iterdir())


# Read


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"config": None}, "is damaged: it has no configuration"),
        ({"config": "{"}, "is damaged: its configuration cannot be read"),
        ({"config": "[" * 100_000}, "is damaged: its configuration cannot be read"),
        ({"config": "[]"}, r"is damaged: .* fields are \[\]; a dictionary"),
        ({"config": "null"}, "is damaged: .* fields are None"),
        ({"config": '{"d_vocab": 7}'}, "is damaged: .* d_model, n_layers, n_heads, n_ctx missing"),
        ({"config": json.dumps(CONFIG.to_dict() | {"n_ctx": "5"})}, "damaged: .* n_ctx is '5'"),
        ({"config": json.dumps(CONFIG.to_dict() | {"d": 5})}, "damaged: .* unknown field d"),
        ({"format": "vsacourse.transformer 2"}, "has format 2; .* reads format 1. Install"),
        ({"format": "vsacourse.training 1"}, "is a checkpoint of a training run: pass it to train"),
        ({"format": "other"}, "blocks.0.attn.W_O, blocks.0.attn.W_Q …, and nothing that this"),
        ({"format": None}, "and nothing that this library wrote"),
    ],
)
def test_headers_that_are_refused(model, path, header, words):
    whole = {"format": "vsacourse.transformer 1", "config": json.dumps(CONFIG.to_dict())}
    texts = {k: v for k, v in (whole | header).items() if v is not None}
    safetensors.save_file(model.weights, path, metadata=texts)
    with pytest.raises(ValueError, match=f"^model.safetensors .*{words}") as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_weights_that_are_refused(model, path):
    header = {"format": "vsacourse.transformer 1", "config": json.dumps(CONFIG.to_dict())}
    name = "embed.W_E"
    for weights, words in (
        (model.weights | {name: model.weights[name][:1]}, r"W_E has shape \(1, 4\)"),
        ({k: w for k, w in model.weights.items() if k != name}, "embed.W_E missing"),
        (model.weights | {name: np.zeros((7, 4), int)}, "embed.W_E is int64; floats"),
    ):
        safetensors.save_file(weights, path, metadata=header)
        with pytest.raises(ValueError, match=f"^model.safetensors is damaged: .*{words}"):
            load(path)


@pytest.mark.parametrize(("dtype", "said"), [("bfloat16", "BF16"), ("float8_e4m3fn", "F8_E4M3")])
def test_dtypes_that_numpy_does_not_have(model, path, torch, dtype, said):
    from safetensors.torch import save_file

    weights = {k: torch.from_numpy(w).to(getattr(torch, dtype)) for k, w in model.weights.items()}
    header = {"format": "vsacourse.transformer 1", "config": json.dumps(CONFIG.to_dict())}
    save_file(weights, path, metadata=header)
    with pytest.raises(ValueError, match=f"W_K is {said}, which NumPy does not have. Save it as"):
        load(path)
    save_file(weights, path)  # of another library: that is said, whatever the dtype
    with pytest.raises(ValueError, match="nothing that this library wrote"):
        load(path)
