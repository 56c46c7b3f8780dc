"""Wrong and unusual right answers of lesson 06: exercise 3."""

import numpy as np


def after(gram, values, changed, new):
    before = gram @ values
    return before + np.outer(gram[:, changed], new - before[changed])


def by_new_keys(gram, values, changed, new):
    """Make keys with these dot products, store, write, read."""
    w, u = np.linalg.eigh(gram)
    keys = u * np.sqrt(w.clip(0))
    memory = values.T @ keys
    memory = memory + np.outer(new - memory @ keys[changed], keys[changed])
    return keys @ memory.T


def after_one_by_one(gram, values, changed, new):
    rows = []
    for j in range(len(gram)):
        read = sum(gram[j, i] * values[i] for i in range(len(gram)))
        at = sum(gram[changed, i] * values[i] for i in range(len(gram)))
        rows.append(read + gram[j, changed] * (new - at))
    return np.array(rows)


def replaced(gram, values, changed, new):
    values = values.copy()
    values[changed] = new
    return gram @ values


def only_the_changed(gram, values, changed, new):
    read = gram @ values
    read[changed] = new
    return read


def only_the_example(gram, values, changed, new):
    """Right for two keys only."""
    before = gram @ values
    other = 1 - changed if len(gram) == 2 else changed
    before[other] = before[other] + gram[other, changed] * (new - before[changed])
    before[changed] = new
    return before


def row_after_row(gram, values, changed, new):
    """From row ``changed`` on, nothing is left to correct."""
    out = gram @ values
    for j in range(len(gram)):
        out[j] += gram[j, changed] * (new - out[changed])
    return out


WRONG = {
    "readings_after": [
        ("old value", replaced, "incorrect", "subtracts what the key *reads*"),
        (
            "sum rule",
            lambda g, v, c, new: g @ v + np.outer(g[:, c], new),
            "incorrect",
            "the old one stays",
        ),
        ("others untouched", only_the_changed, "incorrect", "it hears the write as well"),
        ("nothing", lambda g, v, c, new: g @ v, "incorrect", "before the write"),
        (
            "no crosstalk before",
            lambda g, v, c, new: v + np.outer(g[:, c], new - v[c]),
            "incorrect",
            "crosstalk before the write is missing",
        ),
        (
            "half of the crosstalk",
            lambda g, v, c, new: v + np.outer(g[:, c], new - (g @ v)[c]),
            "incorrect",
            "crosstalk before the write is missing",
        ),
        (
            "change only",
            lambda g, v, c, new: after(g, v, c, new) - g @ v,
            "incorrect",
            "This is the change only",
        ),
        (
            "sign",
            lambda g, v, c, new: 2 * g @ v - after(g, v, c, new),
            "incorrect",
            "sign of the correction",
        ),
        (
            "whole correction",
            lambda g, v, c, new: g @ v + (new - (g @ v)[c]),
            "incorrect",
            "moved by the whole correction",
        ),
        (
            "one row",
            lambda g, v, c, new: after(g, v, c, new)[c],
            "incorrect",
            "not only the changed",
        ),
        (
            "squeezed",
            lambda g, v, c, new: np.squeeze(after(g, v, c, new)),
            "incorrect",
            "an axis of size 1",
        ),
        ("overwritten while it is read", row_after_row, "incorrect", "before the loop"),
        ("two keys only", only_the_example, "incorrect", "hears the write as well"),
    ],
}

RIGHT = {
    "readings_after": [("new keys", by_new_keys), ("one by one", after_one_by_one)],
}
