"""Wrong input to the metrics gets one line that says what was given and what is needed."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.metrics.oracle import LENGTH, induction_model, repeated_tokens
from vsacourse import metrics
from vsacourse.transformer import Config, Transformer

UNIFORM = np.full((4, 4), 0.25)
NAN = np.where(np.eye(4) > 0, np.nan, 0.25)
MODEL = induction_model()
RANDOM = Transformer.random(Config(7, 6, 2, 2, 5), np.random.default_rng(0))
TOKENS = repeated_tokens(np.random.default_rng(0), rows=1)
EYE = np.eye(3)


def refused(error, words, function, *args, **kwargs):
    with pytest.raises(error, match=re.escape(words)) as caught:
        function(*args, **kwargs)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "error", "words"),
    [
        ([[1.0]], TypeError, "got a list"),
        (np.eye(4, dtype=int), TypeError, "the pattern is int64; real floats"),
        (np.eye(4) * 1j, TypeError, "the pattern is complex128; real floats"),
        (np.ones(4), ValueError, "the pattern has shape (4,); at least 2 axes"),
        (np.ones((2, 3, 4)), ValueError, "the pattern has shape (2, 3, 4); (..., n, n)"),
        (np.ones((0, 2, 4, 4)), ValueError, "none empty"),
        (NAN, ValueError, "the pattern is not finite at index (0, 0)"),
        (3 * UNIFORM, ValueError, "row at index (0,) sums to 3"),
        (np.log(UNIFORM), ValueError, "weights from -1.39 to -1.39"),
        (np.stack([UNIFORM, UNIFORM / 2]), ValueError, "row at index (1, 0) sums to 0.5"),
    ],
)
def test_patterns(pattern, error, words):
    for function, more in (
        (metrics.previous_token, ()),
        (metrics.attention_to_start, ()),
        (metrics.prefix_matching, ([1, 2, 1, 2],)),
        (metrics.predicted_mass, (np.eye(4),)),
        (metrics.best_head_mass, (np.eye(4),)),
    ):
        refused(error, words, function, pattern, *more)


def test_a_transposed_pattern_is_noticed():
    A = np.tri(4) / np.arange(1, 5)[:, None]
    refused(ValueError, "Are queries and keys exchanged?", metrics.previous_token, A.T)


def test_tokens_and_predictions():
    f = metrics.prefix_matching
    refused(ValueError, "the tokens have shape (3,); (4,) is needed", f, UNIFORM, [1, 2, 1])
    batch = np.stack([[UNIFORM]] * 2)
    refused(ValueError, "shape (4,); (2, 4) is needed", f, batch, [1, 2, 1, 2])
    refused(TypeError, "the tokens are float64", f, UNIFORM, [1.0, 2, 1, 2])
    refused(TypeError, "the tokens are bool", metrics.induction_targets, np.ones(3, bool))
    refused(ValueError, "the tokens have shape ()", metrics.induction_targets, np.array(3))
    ragged = "the tokens are lists of several lengths"
    refused(ValueError, ragged, metrics.induction_targets, [[1, 2], [3]])
    refused(ValueError, "no token comes twice", f, UNIFORM, [1, 2, 3, 4])
    for g in (metrics.previous_token, metrics.attention_to_start):
        refused(ValueError, "n of at least 2", g, np.ones((1, 1)))
    for g in (metrics.predicted_mass, metrics.best_head_mass):
        refused(ValueError, "predicted has shape (3, 3)", g, UNIFORM, EYE)
        refused(ValueError, "predicted is 0 everywhere", g, UNIFORM, 0 * UNIFORM)
        refused(ValueError, "negative number or NaN", g, UNIFORM, -UNIFORM)
        refused(ValueError, "negative number or NaN", g, UNIFORM, NAN)


def test_scores():
    logits = np.zeros((2, 3))
    for f in (metrics.token_loss, metrics.accuracy):
        refused(ValueError, "the targets have shape (3,); (2,)", f, logits, [0, 1, 2])
        refused(
            ValueError, "a target is 3; it needs to be from 0 to d_vocab − 1 = 2", f, logits, [0, 3]
        )
        refused(ValueError, "a target is -1", f, logits, [-1, 0])
        refused(TypeError, "the targets are float64", f, logits, [0.0, 1.0])
        refused(
            ValueError,
            "logits is not finite at index (1, 2)",
            f,
            np.array([[0.0] * 3, [0, 0, np.inf]]),
            [0, 1],
        )
        refused(TypeError, "logits is int64", f, np.zeros((2, 3), int), [0, 1])
    f = metrics.accuracy
    refused(ValueError, "counted is False everywhere", f, logits, [0, 1], np.zeros(2, bool))
    refused(ValueError, "counted has shape (3,); (2,)", f, logits, [0, 1], np.ones(3, bool))
    refused(TypeError, "counted is int64; booleans", f, logits, [0, 1], np.ones(2, int))
    f = metrics.in_context_score
    refused(ValueError, "late is 3; the losses have the positions 0 to 2", f, np.ones(3), 0, 3)
    refused(ValueError, "early is -1", f, np.ones(3), -1, 2)
    refused(ValueError, "late needs to come after early", f, np.ones(3), 2, 2)
    refused(TypeError, "early is 0.5; a whole number", f, np.ones(3), 0.5, 2)
    refused(ValueError, "losses is not finite at index (1,)", f, np.array([1, np.nan, 2]), 0, 2)


def test_circuits():
    for f in (
        metrics.copying_score,
        metrics.match_accuracy,
        metrics.matching_margin,
        metrics.signal_to_noise,
    ):
        refused(ValueError, "the circuit has shape (3, 4); (..., n, n)", f, np.ones((3, 4)))
        refused(ValueError, "the circuit is not finite at index (0, 0)", f, NAN)
        refused(TypeError, "the circuit is int64", f, np.eye(3, dtype=int))
    refused(ValueError, "n of at least 2", metrics.matching_margin, np.ones((1, 1)))
    refused(ValueError, "n of at least 3", metrics.signal_to_noise, np.eye(2))
    refused(ValueError, "constant in every row", metrics.signal_to_noise, np.ones((5, 5)) / 3)
    refused(ValueError, "no eigenvalue other than 0", metrics.copying_score, np.eye(4, k=1))
    f = metrics.composition
    refused(ValueError, "first has shape (3, 3) and second (2, 2)", f, EYE, np.eye(2))
    refused(ValueError, "second is a matrix of zeros", f, EYE, 0 * EYE)
    refused(ValueError, "first is not finite", f, NAN, np.eye(4))
    for bad in (0, -1, 2.0, True):
        refused(ValueError, f"d_model is {bad!r}", metrics.composition_floor, bad)


@pytest.mark.parametrize(
    "f", [metrics.composition_scores, metrics.composed_circuit, metrics.composed_match]
)
def test_pairs_of_heads(f):
    refused(
        ValueError, "first is (0, 2); the model has the heads 0 to 1", f, RANDOM, (0, 2), (1, 0)
    )
    refused(
        ValueError, "second is (2, 0); the model has the layers 0 to 1", f, RANDOM, (0, 0), (2, 0)
    )
    refused(ValueError, "the second needs to be in a later layer", f, RANDOM, (1, 0), (1, 1))
    refused(ValueError, "the second needs to be in a later layer", f, RANDOM, (1, 0), (0, 0))
    refused(TypeError, "first is 0; a pair (layer, head)", f, RANDOM, 0, (1, 0))
    refused(TypeError, "second is (1, 0.0)", f, RANDOM, (0, 0), (1, 0.0))
    refused(TypeError, "second is (True, 0)", f, RANDOM, (0, 0), (True, 0))


def test_gauges():
    W = np.ones((5, 3))
    f = metrics.change_gauge
    refused(ValueError, "A is singular", f, W, W, np.ones((3, 3)))
    refused(ValueError, "A has shape (2, 2); (..., 3, 3) is needed", f, W, W, np.eye(2))
    refused(ValueError, "A has shape (3, 2)", f, W, W, np.ones((3, 2)))
    for g in (metrics.balanced, lambda q, k: f(q, k, EYE)):
        refused(ValueError, "W_Q has shape (5, 3) and W_K (4, 3)", g, W, W[:4])
        refused(ValueError, "W_K is not finite at index (0, 0)", g, np.ones((4, 4)), NAN)
        refused(TypeError, "W_Q is int64", g, W.astype(int), W)
    refused(ValueError, "d_head, needs to be the same", metrics.keys_as_queried, W, W.T)
    f = metrics.key_coherence
    refused(ValueError, "at least two keys", f, W[:1])
    refused(ValueError, "a key has length 0", f, np.eye(3) * [1, 1, 0])
    refused(ValueError, "keys is not finite", f, NAN)
    refused(ValueError, "W is a matrix of zeros", metrics.gram_deviation, 0 * W)


def test_torch_and_numpy_together(torch):
    x, y = torch.ones((3, 3)), np.ones((3, 3))
    for f in (metrics.composition, metrics.balanced, metrics.keys_as_queried):
        refused(TypeError, "NumPy arrays and torch tensors together", f, x, y)


def test_ablations():
    f = metrics.ablate
    refused(
        ValueError,
        "a pair of heads is (0, 1); the model has the heads 0 to 0",
        f,
        MODEL,
        TOKENS,
        [(0, 1)],
    )
    refused(
        ValueError,
        "a pair of heads is (-1, 0); the model has the layers 0 to 1",
        f,
        MODEL,
        TOKENS,
        [(-1, 0)],
    )
    words = "heads is (0, 0); a list of pairs (layer, head) is needed: [(0, 0)]."
    refused(TypeError, words, f, MODEL, TOKENS, (0, 0))
    refused(TypeError, "a pair of heads is 0; a pair (layer, head)", f, MODEL, TOKENS, (0, 0, 1))
    nothing = np.zeros((0, 3), int)
    words = "there are no tokens to take the mean over"
    refused(ValueError, words, f, MODEL, TOKENS, [(0, 0)], "mean", nothing)
    refused(ValueError, words, f, MODEL, nothing, [(0, 0)], "mean")
    refused(TypeError, "heads is 3; a list of pairs", f, MODEL, TOKENS, 3)
    refused(ValueError, "heads is empty", f, MODEL, TOKENS, [])
    refused(
        ValueError,
        "kind is 'noise'; one of 'zero', 'mean', 'pattern'",
        f,
        MODEL,
        TOKENS,
        [(0, 0)],
        "noise",
    )
    refused(ValueError, "a reference is given", f, MODEL, TOKENS, [(0, 0)], "zero", TOKENS)
    refused(ValueError, "it needs to be from 0 to d_vocab", f, MODEL, TOKENS + 40, [(0, 0)])


def test_patches():
    f, name = metrics.patch, "blocks.0.attn.z"
    refused(
        ValueError,
        "source and target have shapes (1, 49) and (49,)",
        f,
        MODEL,
        TOKENS,
        TOKENS[0],
        name,
    )
    refused(
        ValueError,
        "no value is called 'blocks.9.attn.z'",
        f,
        MODEL,
        TOKENS,
        TOKENS,
        "blocks.9.attn.z",
    )
    refused(ValueError, "names is empty", f, MODEL, TOKENS, TOKENS, [])
    refused(
        ValueError,
        "positions holds 49; they need to be from 0 to 48",
        f,
        MODEL,
        TOKENS,
        TOKENS,
        name,
        [LENGTH],
    )
    refused(
        ValueError,
        "heads holds 1; they need to be from 0 to 0",
        f,
        MODEL,
        TOKENS,
        TOKENS,
        name,
        None,
        [1],
    )
    refused(ValueError, "positions is empty", f, MODEL, TOKENS, TOKENS, name, [])
    refused(TypeError, "positions is 3; a list of whole numbers", f, MODEL, TOKENS, TOKENS, name, 3)
    refused(
        TypeError,
        "heads is [(0, 0)]; a list of whole numbers",
        f,
        MODEL,
        TOKENS,
        TOKENS,
        name,
        None,
        [(0, 0)],
    )
    refused(ValueError, "embed has no heads", f, MODEL, TOKENS, TOKENS, "embed", None, [0])
    words = "names: no value is called 'foo*'; near: "
    refused(ValueError, words, f, MODEL, TOKENS, TOKENS, "foo*")
    refused(TypeError, "names is None; a name, a pattern", f, MODEL, TOKENS, TOKENS, None)
    g = metrics.patching_effect
    for bad in ([1.0], "1", None, True, 1j, np.array([True])):
        words = "corrupt is "
        refused(TypeError, words, g, 1.0, bad, 2.0)
    refused(ValueError, "the same in the clean and in the corrupt run", g, 1.0, 1.0, 2.0)
    refused(
        ValueError, "the same in the clean", g, np.array([1.0, 2]), np.array([0.0, 2]), np.ones(2)
    )
    refused(ValueError, "patched is not finite", g, 1.0, 0.0, float("nan"))
