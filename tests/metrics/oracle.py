"""The induction head of one-hot blocks: what every metric is tried on.

The stream is [token | token before | position]: d_model = 33 + 33 + 49 = 115 for 32 tokens, a start
token and two periods of 24. Each block is one-hot, so nothing interferes with anything.
"""

from __future__ import annotations

import numpy as np

from vsacourse.transformer import Transformer
from vsacourse.transformer.construct import one_hot_induction_head

TOKENS, PERIOD = 32, 24
START = TOKENS
VOCAB, LENGTH = TOKENS + 1, 2 * PERIOD + 1
WIDTH = 2 * VOCAB + LENGTH


def induction_model(beta: float = 30.0, gain: float = 2.0, dtype: str = "float64") -> Transformer:
    """Head 0.0 writes the token before under a role, head 1.0 matches that role and copies.

    ``beta`` is the score of a match (of the weights after softmax, all but (n − 1) e^(−beta) lies
    on it); the residual itself votes with 1 for the present token, which ``gain`` has to beat.
    """
    return one_hot_induction_head(VOCAB, LENGTH, beta=beta, gain=gain, dtype=dtype)


def role_map() -> np.ndarray:
    """R: moves the token's block into the block "token before"."""
    return np.eye(WIDTH)[:, :VOCAB] @ np.eye(WIDTH)[VOCAB : 2 * VOCAB]


def repeated_tokens(rng: np.random.Generator, rows: int = 3) -> np.ndarray:
    """The start token, a period of distinct tokens, and the period again: ``(rows, 49)``."""
    periods = np.stack([rng.permutation(TOKENS)[:PERIOD] for _ in range(rows)])
    return np.concatenate((np.full((rows, 1), START), periods, periods), axis=1)


def next_tokens(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The token that comes next at each position (a 0 at the end), and where it can be known."""
    targets = np.zeros_like(tokens)
    targets[..., :-1] = tokens[..., 1:]
    known = np.zeros(tokens.shape, bool)
    known[..., PERIOD + 1 : -1] = True
    return targets, known
