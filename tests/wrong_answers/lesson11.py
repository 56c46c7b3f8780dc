"""Wrong and unusual right answers of lesson 11: the shortcut, striking out."""

import numpy as np


def copied(tokens, back, otherwise=-1):
    source = np.arange(tokens.shape[-1]) - back
    return np.where(source < 0, otherwise, tokens[..., np.maximum(source, 0)])


def rolled(tokens, back, axis=-1):
    return np.roll(tokens, back, axis=axis)


def indexed(tokens, back):
    return tokens[..., np.arange(tokens.shape[-1]) - back]


def ahead(tokens, back):
    T = tokens.shape[-1]
    source = np.arange(T) + back
    return np.where(source < T, tokens[..., np.minimum(source, T - 1)], -1)


def kept_own(tokens, back):
    T = tokens.shape[-1]
    return np.where(np.arange(T) < back, tokens, copied(tokens, back))


def assigned(tokens, back):
    out = np.full(tokens.shape, -1)
    out[..., back:] = tokens[..., :-back]
    return out


def joined(tokens, back):
    first = np.full((*tokens.shape[:-1], back), -1)
    return np.concatenate((first, tokens[..., :-back]), axis=-1)


def joined_from_the_front(tokens, back):
    T = tokens.shape[-1]
    first = np.full((*tokens.shape[:-1], back), -1)
    return np.concatenate((first, tokens[..., : T - back]), axis=-1)


def assigned_from_the_front(tokens, back):
    out = np.full(tokens.shape, -1)
    out[..., back:] = tokens[..., : tokens.shape[-1] - back]
    return out


def first_axis(tokens, back):
    out = np.full(tokens.shape, -1)
    if back < len(tokens):
        out[back:] = tokens[: len(tokens) - back]
    return out


def flat_roll(tokens, back):
    """The places that a roll over all texts gets wrong are those which get −1."""
    out = np.roll(tokens, back)
    out[..., :back] = -1
    return out


def by_loop(tokens, back):
    T = tokens.shape[-1]
    rows = [[row[t - back] if t >= back else -1 for t in range(T)] for row in tokens.reshape(-1, T)]
    return np.array(rows).reshape(tokens.shape)


def shift_matrix(tokens, back):
    S = np.eye(tokens.shape[-1], k=back)
    return tokens @ S - (1 - S.sum(axis=0))


def choices(i, p):
    left = p - 1 - i % p
    return np.where(left == 0, max(p - 1, 1), left)


def over(places, p):
    return (1 / choices(np.asarray(places), p)).mean()


def ends(p, n, number):
    i = np.arange(p, n)
    return np.where(i % p == p - 1, number, 1 / choices(i, p)).mean()


def without_ends(p, n):
    i = np.arange(p, n)
    i = i[i % p != p - 1]
    return over(i, p) if len(i) else 1.0


def eliminated(p, n):
    return over(range(p, n), p)


def by_sets(period, length):
    """A text that is really there, and what is struck out of it."""
    text = [i % period for i in range(length + 1)]
    chances = []
    for i in range(period, length):
        came = set(text[i - i % period : i + 1])
        left = set(text) - came or set(text) - {text[i]} or set(text)
        chances.append(1 / len(left) if text[i + 1] in left else 0)
    return sum(chances) / len(chances)


def by_counts(period, length):
    """One whole repetition, times how often each of its places is counted."""
    often = np.bincount(np.arange(period, length) % period, minlength=period)
    chance = 1 / np.array([*range(period - 1, 0, -1), max(period - 1, 1)])
    return np.float32((often * chance).sum() / often.sum())


WRONG = {
    "copy_back": [
        ("roll", rolled, "incorrect", "came round"),
        ("negative index", indexed, "incorrect", "came round"),
        ("zeros", lambda t, b: copied(t, b, 0), "incorrect", "0 is a token"),
        ("ahead", ahead, "incorrect", "*ahead*"),
        ("rolled ahead", lambda t, b: rolled(t, -b), "incorrect", "goes round"),
        ("from the next place", lambda t, b: copied(t, b - 1), "incorrect", "too few"),
        ("one too many", lambda t, b: copied(t, b + 1), "incorrect", "too many"),
        ("the first token", lambda t, b: copied(t, b, t[..., :1]), "incorrect", "repeat the first"),
        ("their own", kept_own, "incorrect", "kept their own"),
        (
            "not place 0",
            lambda t, b: np.where(np.arange(t.shape[-1]) > b, copied(t, b), -1),
            "incorrect",
            "something to copy",
        ),
        ("the text", lambda t, b: t.copy(), "incorrect", "the text itself"),
        ("NaN", lambda t, b: copied(t, b, np.nan), "incorrect", "−1 stands"),
        ("nothing", lambda t, b: np.full(t.shape, -1), "incorrect", "Nothing was copied"),
        ("short", lambda t, b: t[..., : t.shape[-1] - b], "incorrect", "need an entry, too"),
        ("the last", lambda t, b: copied(t, b)[..., -1], "incorrect", "for each place"),
        (
            "first axis",
            lambda t, b: copied(t, b) if t.ndim == 1 else first_axis(t, b),
            "incorrect",
            "*first* axis",
        ),
        (
            "no axis",
            lambda t, b: copied(t, b) if t.ndim == 1 else np.roll(t, b),
            "incorrect",
            "as if they were one",
        ),
        ("minus 0", assigned, "error", "[..., :-0]` is empty"),
        ("minus 0, joined", joined, "incorrect", "[..., :-0]` is empty"),
        ("T − back", assigned_from_the_front, "error", "negative here"),
        ("T − back, joined", joined_from_the_front, "incorrect", "negative here"),
    ],
    "elimination": [
        (
            "1/mean",
            lambda p, n: 1 / choices(np.arange(p, n), p).mean(),
            "incorrect",
            "mean of 1/choices",
        ),
        ("choices", lambda p, n: choices(np.arange(p, n), p).mean(), "incorrect", "mean number"),
        ("sum", lambda p, n: eliminated(p, n) * (n - p), "incorrect", "That is the sum"),
        ("by length", lambda p, n: eliminated(p, n) * (n - p) / n, "incorrect", "not by length"),
        ("from 0", lambda p, n: over(range(n), p), "incorrect", "nothing has repeated"),
        ("one earlier", lambda p, n: over(range(p - 1, n), p), "incorrect", "began one earlier"),
        ("one later", lambda p, n: over(range(p + 1, n), p), "incorrect", "began one later"),
        ("one further", lambda p, n: over(range(p, n + 1), p), "incorrect", "went one further"),
        ("one less", lambda p, n: over(range(p, n - 1), p), "incorrect", "left it out"),
        ("one repetition", lambda p, n: over(range(p), p), "incorrect", "a whole repetition"),
        (
            "its own token",
            lambda p, n: (1 / (p - np.arange(p, n) % p)).mean(),
            "incorrect",
            "has come as well",
        ),
        (
            "one too few",
            lambda p, n: (1 / np.maximum(p - 2 - np.arange(p, n) % p, 1)).mean(),
            "incorrect",
            "j counts from 0",
        ),
        ("next place", lambda p, n: over(range(p + 1, n + 1), p), "incorrect", "guess is made"),
        ("p at the end", lambda p, n: ends(p, n, 1 / p), "incorrect", "cannot follow itself"),
        ("1 at the end", lambda p, n: ends(p, n, 1), "incorrect", "the next one begins"),
        ("0 at the end", lambda p, n: ends(p, n, 0), "incorrect", "isn't always wrong"),
        ("no ends", without_ends, "incorrect", "counts as well"),
        ("not the last", lambda p, n: 1 / (p - 1), "incorrect", "nothing but the last"),
        ("chance", lambda p, n: 1 / p, "incorrect", "strikes out nothing."),
        (
            "j goes on",
            lambda p, n: (1 / np.maximum(2 * p - 1 - np.arange(p, n), 1)).mean(),
            "incorrect",
            "starts anew",
        ),
        (
            "period 1",
            lambda p, n: eliminated(p, n) if p > 1 else sum(1 / (p - 1) for _ in range(p, n)),
            "error",
            "divided by zero",
        ),
        (
            "list",
            lambda p, n: [float(x) for x in 1 / choices(np.arange(p, n), p)],
            "incorrect",
            "one number",
        ),
    ],
}

RIGHT = {
    "copy_back": [
        ("a roll over all texts", flat_roll),
        ("a loop", by_loop),
        ("a matrix", shift_matrix),
    ],
    "elimination": [("sets", by_sets), ("counts, single precision", by_counts)],
}
