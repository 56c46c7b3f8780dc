"""What matrix memories and attention compute with: whole numbers, NumPy's own, and overflow."""

from __future__ import annotations

import numpy as np
import pytest

from vsacourse import memory
from vsacourse.backend import to_numpy

SIGNS = ["int8", "int16", "int32", "int64"]


@pytest.mark.parametrize("dtype", SIGNS)
def test_whole_numbers_are_computed_with_as_floats(backend, dtype):
    """Sums of 1,000 products leave int8, and 130 equal patterns do."""
    rng = np.random.default_rng(6)
    exact = rng.choice([-1.0, 1.0], size=(2, 50, 1000))
    X, V = (backend(x.astype(dtype)) for x in exact)
    kind = "float32" if dtype in ("int8", "int16") else "float64"
    for call in (
        lambda X, V: memory.read(memory.store(X, V), X),
        lambda X, V: memory.linear_attention(X, X, V),
        lambda X, V: memory.linear_attention(X, X, V, causal=True),
        lambda X, V: memory.softmax_attention(X, X, V, 1),
        lambda X, V: memory.attention_weights(X, V, 0.01),
        lambda X, V: memory.hopfield_step(X, V, 0.01),
        lambda X, V: memory.hopfield_energy(X, V, 1),
        lambda X, V: memory.sign_hopfield_matrix(X),
    ):
        found = call(X, V)
        assert str(found.dtype).endswith(kind)
        np.testing.assert_allclose(to_numpy(found), call(*exact), rtol=1e-4, atol=1e-5)
    keys = backend(np.eye(3).astype(dtype))
    twice = memory.overwrite(memory.overwrite(None, keys, keys, 0.5), keys, keys, 0.5)
    np.testing.assert_array_equal(to_numpy(twice), 0.75 * np.eye(3))
    alike = backend(np.ones((130, 4), dtype))
    assert to_numpy(memory.sign_hopfield_matrix(alike))[0, 1] == pytest.approx(130 / 4)


def test_whole_numbers_beside_floats(backend):
    k, v = np.eye(3), np.arange(6.0).reshape(3, 2)
    for ints, floats, common in (
        ("int8", "float32", "float32"),
        ("int8", "float64", "float64"),
        ("int64", "float32", "float64"),
    ):
        found = memory.store(backend(k.astype(ints)), backend(v.astype(floats)))
        assert str(found.dtype).endswith(common)
        np.testing.assert_array_equal(to_numpy(found), v.T)


def test_numbers_of_numpy_are_numbers():
    k = np.eye(3, dtype="float32")
    one = memory.attention_weights(k, k, 2)
    for beta in (np.float32(2), np.float64(2), np.int64(2)):
        found = memory.attention_weights(k, k, beta)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, one)
        assert memory.hopfield_energy(k, k, beta).dtype == np.float32
    found = memory.overwrite(None, k, k, np.float32(0.5))
    np.testing.assert_array_equal(found, k / 2)


# Overflow


@pytest.mark.parametrize("size", [1e20, -1e20])
def test_scores_that_overflow_are_refused(backend, size):
    """Infinity less infinity would be NaN, without a word."""
    k = backend(np.eye(3, dtype="float32") * np.float32(size))
    for call in (
        lambda: memory.attention_weights(k, k, 1.0, causal=True),
        lambda: memory.softmax_attention(k, k, k, 1.0),
        lambda: memory.hopfield_step(k, k, 1.0),
        lambda: memory.hopfield_energy(k, k, 1.0),
    ):
        with pytest.raises(
            ValueError, match=r"beta times a product is past float32\. Take a smaller"
        ):
            call()
    w = to_numpy(memory.attention_weights(k / 100, k / 100, 1.0))  # 1e36: the product overflows not
    np.testing.assert_array_equal(w, np.eye(3))


def test_keys_of_nearly_unit_length_are_taken(backend):
    k = np.eye(3) * [1, 1.0009, 0.9991]
    memory.overwrite(None, backend(k), backend(k))
