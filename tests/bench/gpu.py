"""Time bind, bundle and cleanup on a GPU: ``python tests/bench/gpu.py``.

Batch 10,000 at d = 10,000. The columns say what share of the device's memory bandwidth (of a copy,
measured in the same run) the operation moves, counting every array it has to read or write once;
for cleanup, what share of its matrix-multiply peak in float32. Results are compared with NumPy's on
a small batch first. ``--device cpu --batch 200`` tries the script without a GPU.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from vsacourse.algebra import OPERATORS
from vsacourse.backend import to_numpy
from vsacourse.memory import ItemMemory

try:
    import torch
except ImportError as error:
    sys.exit(f"{error}. This needs torch, and a GPU that it can use.")

NAMES = ("HRR", "FHRR", "MAP", "BSC")
CODEBOOK = 1_000


def seconds(call: Callable[[], Any], device: str, repeats: int = 15) -> float:
    """Return the median seconds of a call, the device's queue emptied before and after."""
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    taken = []
    for _ in range(repeats + 2):
        wait()
        start = time.perf_counter()
        call()
        wait()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken[2:])


def compare(model: Any, a: Any, b: Any) -> None:
    """Stop when the device and NumPy disagree."""
    ours, theirs = model.bind(a[:3], b[:3]), model.bind(to_numpy(a[:3]), to_numpy(b[:3]))
    if not np.allclose(to_numpy(ours), theirs, atol=1e-4):
        sys.exit(f"{model}: bind differs between the device and NumPy.")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--dim", type=int, default=10_000)
    arguments = parser.parse_args()
    device, batch, dim = arguments.device, arguments.batch, arguments.dim
    if device == "cuda" and not torch.cuda.is_available():
        print("skipped: there is no CUDA device here")
        return 0
    torch.backends.cuda.matmul.allow_tf32 = False

    block = torch.empty(batch, dim, device=device)
    bandwidth = 2 * block.nbytes / seconds(lambda: block.clone(), device)
    square = torch.randn(4096 if device == "cuda" else 1024, device=device).outer(
        torch.randn(4096 if device == "cuda" else 1024, device=device)
    )
    peak = 2 * len(square) ** 3 / seconds(lambda: square @ square, device)
    print(
        f"{torch.__version__}, {device}, d = {dim}, batch {batch}: copy {bandwidth / 1e9:.0f} GB/s,"
    )
    print(f"float32 product {peak / 1e12:.2f} Tflop/s\n")
    print("| model | operation | ms | GB/s | share of the copy | share of the product's peak |")
    print("|---|---|---:|---:|---:|---:|")
    rng = np.random.default_rng(0)
    for name in NAMES:
        model = OPERATORS[name](dim)
        few = torch.from_numpy(model.random(200, rng)).to(device)
        a = few.repeat(-(-batch // 200), 1)[:batch]
        b = a.roll(1, 0).contiguous()
        compare(model, a, b)
        memory = ItemMemory(model, torch.from_numpy(model.random(CODEBOOK, rng)).to(device))
        stacked = a[: batch // 10 * 10].reshape(batch // 10, 10, dim)  # tenfold bundles
        rows: dict[str, tuple[Callable[[], Any], int, int]] = {
            "bind": (lambda a=a, b=b, m=model: m.bind(a, b), 3 * a.nbytes, 0),
            "bundle of 10": (
                lambda x=stacked, m=model: m.bundle(x, np.random.default_rng(1)),
                a.nbytes + a.nbytes // 10,
                0,
            ),
            "cleanup among 1,000": (
                lambda a=a, m=memory: m.cleanup(a),
                2 * a.nbytes + memory.vectors.nbytes,
                2 * batch * CODEBOOK * dim * (2 if name == "FHRR" else 1),
            ),
        }
        for operation, (call, moved, flops) in rows.items():
            taken = seconds(call, device)
            speed = moved / taken
            share = f"{flops / taken / peak:.0%}" if flops else ""
            cells = [f"{1e3 * taken:.2f}", f"{speed / 1e9:.0f}", f"{speed / bandwidth:.0%}", share]
            print("| " + " | ".join([name, operation, *cells]) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
