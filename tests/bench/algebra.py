"""Time the algebra beside torchhd: ``python tests/bench/algebra.py``.

Every operation at d = 10,000 on one thread: NumPy, torch and torchhd take turns within one run, a
few calls each, and medians are compared, so that a busy machine slows all of them alike. A ratio
above 1 means that this library is faster.
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

from vsacourse.algebra import MODELS  # noqa: E402
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
}
NEEDED = {"bind": 1, "unbind": 1, "bundle": 1, "cleanup": 10}


def operations(name: str) -> dict[str, dict[str, Callable[[], Any]]]:
    """Return operation -> library -> a call, all on the same draw."""
    model = MODELS[name](DIM)
    drawn = model.random(CODEBOOK, np.random.default_rng(0))
    tensors = torch.from_numpy(drawn)
    tie_rng = np.random.default_rng(1)

    def ours(vectors: Any) -> dict[str, Callable[[], Any]]:
        a, b, items = vectors[0], vectors[1], vectors[:BUNDLED]
        memory = ItemMemory(model, vectors)
        return {
            "bind": lambda: model.bind(a, b),
            "unbind": lambda: model.unbind(a, b),
            "bundle": lambda: model.bundle(items, tie_rng),
            "cleanup": lambda: memory.cleanup(a),
        }

    bits = tensors.bool() if name == "BSC" else tensors
    theirs = bits.as_subclass(TORCHHD[name])
    x, y, stack = theirs[0], theirs[1], theirs[:BUNDLED]
    peer = {
        "bind": lambda: torchhd.bind(x, y),
        "unbind": lambda: torchhd.bind(x, torchhd.inverse(y)),
        "bundle": lambda: torchhd.multibundle(stack),
        "cleanup": lambda: torchhd.cleanup(x, theirs),
    }
    numpy_calls, torch_calls = ours(drawn), ours(tensors)
    return {
        operation: {
            "NumPy": numpy_calls[operation],
            "torch": torch_calls[operation],
            "torchhd": peer[operation],
        }
        for operation in NEEDED
    }


def medians(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
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

    print(f"d = {DIM}, bundle of {BUNDLED}, cleanup of 1 among {CODEBOOK}, one thread, medians;")
    print(f"torch {torch.__version__}, NumPy {np.__version__}, torchhd {torchhd.__version__}\n")
    print("| model | operation | NumPy µs | torch µs | torchhd µs | NumPy × | torch × |")
    print("|---|---|---:|---:|---:|---:|---:|")
    slow = 0
    for name in MODELS:
        for operation, calls in operations(name).items():
            time_of = medians(calls, arguments.seconds)
            ratios = [time_of["torchhd"] / time_of[library] for library in ("NumPy", "torch")]
            marks = [f"{r:.1f}" + " (slow)" * (r < NEEDED[operation]) for r in ratios]
            slow += sum(r < NEEDED[operation] for r in ratios)
            times = " | ".join(f"{1e6 * t:.1f}" for t in time_of.values())
            print(f"| {name} | {operation} | {times} | {' | '.join(marks)} |", flush=True)
    return 1 if slow and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
