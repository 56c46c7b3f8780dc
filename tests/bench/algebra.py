"""Time the algebra beside torchhd: ``python tests/bench/algebra.py``.

Every operation at d = 10,000 on one thread: NumPy, torch and torchhd take turns within one run, a
few calls each, and medians are compared, so that a busy machine slows all of them alike. A ratio
above 1 means that this library is faster. Where the two libraries compute the same thing, the
numbers are compared before they are timed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # read once, when NumPy and torch are imported

import numpy as np  # noqa: E402

from vsacourse.algebra import OPERATORS  # noqa: E402
from vsacourse.backend import to_numpy  # noqa: E402
from vsacourse.memory import ItemMemory  # noqa: E402

try:
    import torch
    import torchhd
except ImportError as error:
    sys.exit(f"{error}. The comparison needs torchhd: pip install torch torch-hd==5.8.4")

DIM, BUNDLED, CODEBOOK = 10_000, 10, 1_000
TORCHHD = {
    "HRR": torchhd.HRRTensor,
    "FHRR": torchhd.FHRRTensor,
    "MAP": torchhd.MAPTensor,
    "BSC": torchhd.BSCTensor,
    "VTB": torchhd.VTBTensor,
}  # it has no TPR and no MBAT
NEEDED = {
    "random": 1,
    "bind": 1,
    "unbind": 1,
    "multibind": 1,
    "bundle": 1,
    "negative": 1,
    "permute": 1,
    "normalize": 1,
    "similarity": 1,
    "cleanup": 10,
}
COMPARED = ("bind", "negative", "permute", "similarity", "cleanup")
"""What both define alike, but for BSC's similarity and all of HRR's and VTB's normalize."""

Calls = dict[str, Callable[[], Any]]


def operations(name: str) -> dict[str, Calls]:
    """Return operation -> library -> a call, all on the same draw."""
    model = OPERATORS[name](DIM)
    drawn = model.random(CODEBOOK, np.random.default_rng(0))
    tensors = torch.from_numpy(drawn)
    rng = np.random.default_rng(1)

    def ours(vectors: Any) -> Calls:
        a, b, items = vectors[0], vectors[1], vectors[:BUNDLED]
        memory = ItemMemory(model, vectors)
        total = a if name == "BSC" else model.bundle(items[:9])  # an odd number: no ties
        calls: Calls = {
            "bind": lambda: model.bind(a, b),
            "unbind": lambda: model.unbind(a, b),
            "multibind": lambda: model.multibind(items),
            "bundle": lambda: model.bundle(items, rng),
            "negative": lambda: model.negative(a),
            "permute": lambda: model.permute(a),
            "normalize": lambda: model.normalize(total, rng),
            "similarity": lambda: memory.similarity(a),
            "cleanup": lambda: memory.cleanup(a),
        }
        if vectors is drawn:  # draws are NumPy's
            calls["random"] = lambda: model.random(BUNDLED, rng)
        return calls

    bits = tensors.bool() if name == "BSC" else tensors
    theirs = bits.as_subclass(TORCHHD[name])
    x, y, stack = theirs[0], theirs[1], theirs[:BUNDLED]
    total = x if name == "BSC" else torchhd.multibundle(theirs[:9])
    peer: Calls = {
        "random": lambda: torchhd.random(BUNDLED, DIM, name),
        "bind": lambda: torchhd.bind(x, y),
        "unbind": lambda: torchhd.bind(x, torchhd.inverse(y)),
        "multibind": lambda: torchhd.multibind(stack),
        "bundle": lambda: torchhd.multibundle(stack),
        "negative": lambda: torchhd.negative(x),
        "permute": lambda: torchhd.permute(x),
        "normalize": lambda: torchhd.normalize(total),
        "similarity": lambda: torchhd.cosine_similarity(x, theirs),
        "cleanup": lambda: torchhd.cleanup(x, theirs),
    }
    numpy_calls, torch_calls = ours(drawn), ours(tensors)
    table: dict[str, Calls] = {}
    for operation in NEEDED:
        row = {"NumPy": numpy_calls[operation]}
        if operation in torch_calls:
            row["torch"] = torch_calls[operation]
        table[operation] = row | {"torchhd": peer[operation]}
    return table


def compare(name: str, operation: str, calls: Calls) -> None:
    """Stop when both libraries should give the same numbers and do not."""
    if operation not in COMPARED:
        return
    found = {library: call() for library, call in calls.items()}
    for library, value in found.items():
        ours = to_numpy(getattr(value, "vector", value)).reshape(-1)
        theirs = found["torchhd"].as_subclass(torch.Tensor).resolve_conj().numpy().reshape(-1)
        if not np.allclose(ours, theirs, atol=1e-4):
            sys.exit(f"{name}.{operation}: {library} and torchhd give different numbers.")


def medians(calls: Calls, seconds: float) -> dict[str, float]:
    """Call each in turn, again and again, and return the median seconds of each."""
    taken: dict[str, list[float]] = {library: [] for library in calls}
    for call in calls.values():
        call()  # the first call loads and allocates
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken["torchhd"]) < 5:
        for library, call in calls.items():
            call()  # not counted: it brings the library's own arrays back into the caches
            for _ in range(3):
                start = time.perf_counter()
                call()
                taken[library].append(time.perf_counter() - start)
    return {library: statistics.median(values) for library, values in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row of the table")
    parser.add_argument("--check", action="store_true", help="fail when a ratio is too low")
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    print(f"d = {DIM}, {BUNDLED} bundled, bound or drawn, similarity and cleanup of 1 among")
    print(f"{CODEBOOK}, one thread, medians; a ratio above 1: faster than torchhd")
    print(f"torch {torch.__version__}, NumPy {np.__version__}, torchhd {torchhd.__version__}\n")
    print("| model | operation | NumPy µs | torch µs | torchhd µs | NumPy × | torch × |")
    print("|---|---|---:|---:|---:|---:|---:|")
    slow = 0
    for name in TORCHHD:
        for operation, calls in operations(name).items():
            compare(name, operation, calls)
            taken = medians(calls, arguments.seconds)
            cells = []
            for library in ("NumPy", "torch"):
                ratio = taken["torchhd"] / taken[library] if library in taken else None
                late = ratio is not None and ratio < NEEDED[operation]
                slow += late
                cells.append("" if ratio is None else f"{ratio:.2f}" + " (slow)" * late)
            times = [f"{1e6 * taken[x]:.1f}" if x in taken else "" for x in ("NumPy", "torch")]
            row = [name, operation, *times, f"{1e6 * taken['torchhd']:.1f}", *cells]
            print("| " + " | ".join(row) + " |", flush=True)
    return 1 if slow and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
