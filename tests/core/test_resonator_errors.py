"""The resonator network: wrong codebooks and wrong calls get one clear line."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.resonator_cases import problem
from vsacourse.algebra import BSC, FHRR, HRR, MAP, MBAT
from vsacourse.backend import to_numpy
from vsacourse.memory import ItemMemory, Resonator


def test_bad_codebooks(backend, rng):
    model = MAP(8)
    a, b = (ItemMemory(model, backend(model.random(3, rng))) for _ in range(2))
    other = ItemMemory(MAP(9), backend(MAP(9).random(3, rng)))
    for books, line in (([], "is 0; at least 2"), ([a], "is 1; at least 2")):
        with pytest.raises(ValueError, match=line):
            Resonator(books)
    for books in (a, 3, backend(np.ones((2, 3, 8)))):
        with pytest.raises(TypeError, match="a list of item memories is needed"):
            Resonator(books)
    with pytest.raises(ValueError, match=r"codebook 1 is of MAP\(dim=9\), and MAP\(dim=8\)"):
        Resonator([a, other])
    with pytest.raises(ValueError, match=r"codebook 0 is of MAP\(dim=8\), and MAP\(dim=9\)"):
        Resonator([a, b], MAP(9))
    with pytest.raises(TypeError, match=r"no model was given.*model=MAP"):
        Resonator([a.vectors, b.vectors])
    with pytest.raises(TypeError, match="got a list"):
        Resonator([[1, 2], [3, 4]], model)
    sums = model.bundle(backend(np.ones((2, 3, 8))))
    with pytest.raises(ValueError, match=r"codebook 1 holds .* other than 1.*normalize"):
        Resonator([a, sums], model)
    for wrong, line in (
        (HRR(8), "unbinding is noisy.*FHRR"),
        (BSC(8), r"Use MAP with the signs 1 − 2·bit"),
        (MBAT(8), "does not commute"),
    ):
        books = [ItemMemory(wrong, backend(wrong.random(3, rng))) for _ in range(2)]
        with pytest.raises(ValueError, match=rf"MAP or FHRR is needed\. .*{line}"):
            Resonator(books)


def test_bad_calls(kind, backend, rng):
    model = kind(16)
    books, bound, _ = problem(model, (4, 4), 3, 0)
    network, bound = Resonator([backend(b) for b in books], model), backend(bound)
    zero, bad = to_numpy(bound).copy(), to_numpy(bound).copy()
    zero[1], bad[2, 5] = 0, np.nan
    for call, line in (
        (lambda: network.factor(bound[:, :9]), "bound vector has 9 components"),
        (lambda: network.factor(backend(zero)), "bound vector is zero"),
        (lambda: network.factor(backend(bad)), r"bound vector holds NaN.*index \(2, 5\)"),
        (lambda: network.factor(bound, max_steps=0), "max_steps is 0; .* at least 1"),
        (lambda: network.factor(bound, max_steps=2.5), "max_steps is 2.5"),
        (lambda: network.factor(bound, rng, restarts=-1), "restarts is -1; .* at least 0"),
        (lambda: network.factor(bound, start=bound), r"start has shape \(3, 16\); it needs"),
        (lambda: network.factor(bound, start=backend(bad[:2])), None),
        (lambda: network.factor(bound, start=backend(bad[1:])), "start holds NaN"),
        (lambda: network.factor(bound, threshold=np.nan), "threshold is nan"),
    ):
        if line is None:
            call()
            continue
        with pytest.raises(ValueError, match=line):
            call()
    for other, line in ((1, "default_rng"), (None, "default_rng")):
        with pytest.raises(TypeError, match=line):
            network.factor(bound, other, restarts=1)
    with pytest.raises(TypeError, match="needs complex64" if kind is FHRR else "complex128"):
        network.factor(backend(np.ones(16, float if kind is FHRR else complex)))
    with pytest.raises(TypeError, match="got a list"):
        network.factor([1.0] * 16)
    huge = backend(np.full(16, 1e300, np.complex128 if kind is FHRR else np.float64))
    with pytest.raises(ValueError, match="overflow"):
        network.factor(huge)


def test_backends_do_not_mix_in_a_resonator(kind, torch):
    books, bound, _ = problem(kind(16), (4, 4), 3, 0)
    with pytest.raises(TypeError, match=r"NumPy arrays and torch tensors together"):
        Resonator([books[0], torch.from_numpy(books[1])], kind(16))
    network = Resonator(books, kind(16))
    with pytest.raises(TypeError, match="together"):
        network.factor(torch.from_numpy(bound))
    with pytest.raises(TypeError, match="together"):
        network.factor(bound, start=torch.from_numpy(np.stack([books[0][0], books[1][0]])))
