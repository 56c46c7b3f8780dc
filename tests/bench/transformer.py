"""Time the transformer: ``python tests/bench/transformer.py``.

Tokens per second of the forward pass (NumPy, torch) and of a training step, beside a plain
``torch.nn.Module`` with fused layers and scaled-dot-product attention, at three sizes, on one and
on two threads. All take turns within one run, so that a busy machine slows all of them alike. The
last columns say which share of the machine's matrix-multiply peak, measured in the same run, the
forward passes reach.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIZES = {  # d_model, layers, heads, positions, batch, d_mlp
    "d 64, 2 layers": (64, 2, 1, 32, 32, 0),
    "d 128, 2 layers": (128, 2, 4, 64, 32, 0),
    "d 256, 4 layers, MLP": (256, 4, 8, 128, 8, 1024),
}
VOCABULARY = 64
NEEDED = {"forward, NumPy / torch": 0.7, "training / plain": 0.9}


def plain_module(torch: Any, size: tuple[int, ...]) -> Any:
    """Return what one writes without this library: fused projections, fused attention."""
    d, layers, heads, n, _, d_mlp = size
    functional = torch.nn.functional

    class Block(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv = torch.nn.Linear(d, 3 * d, bias=bool(d_mlp))
            self.out = torch.nn.Linear(d, d, bias=bool(d_mlp))
            if d_mlp:
                self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(d) for _ in range(2))
                self.up, self.down = torch.nn.Linear(d, d_mlp), torch.nn.Linear(d_mlp, d)

        def forward(self, x: Any) -> Any:
            y = self.norms[0](x) if d_mlp else x
            batch, length, _ = x.shape
            q, k, v = (
                part.view(batch, length, heads, d // heads).transpose(1, 2)
                for part in self.qkv(y).split(d, dim=-1)
            )
            z = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(z.transpose(1, 2).reshape(batch, length, d))
            if d_mlp:
                pre = self.up(self.norms[1](x))
                x = x + self.down(functional.gelu(pre, approximate="tanh"))
            return x

    class Plain(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = torch.nn.Embedding(VOCABULARY, d), torch.nn.Embedding(n, d)
            self.blocks = torch.nn.ModuleList(Block() for _ in range(layers))
            self.norm = torch.nn.LayerNorm(d) if d_mlp else torch.nn.Identity()
            self.unembed = torch.nn.Linear(d, VOCABULARY, bias=bool(d_mlp))

        def forward(self, tokens: Any) -> Any:
            x = self.tokens(tokens) + self.places.weight[: tokens.shape[-1]]
            for block in self.blocks:
                x = block(x)
            return self.unembed(self.norm(x))

    return Plain()


def multiplications(size: tuple[int, ...]) -> int:
    """Return the multiply-adds of the matrix products of a forward pass over one batch."""
    d, layers, _, n, batch, d_mlp = size
    a_token = layers * (4 * d * d + n * d + 2 * d * d_mlp) + d * VOCABULARY  # causal: half of 2nd
    return batch * n * a_token


def medians(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """Call each in turn, again and again, and return the median seconds of each.

    The order is drawn anew for every round, and each is called once untimed before: a library's
    threads go on spinning for a while after its call, and would slow down whoever comes next.
    """
    order, rng = list(calls.items()), np.random.default_rng(0)
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    end = time.perf_counter() + 2 * seconds * len(calls)
    while time.perf_counter() < end or len(next(iter(taken.values()))) < 5:
        for name, call in (order[i] for i in rng.permutation(len(order))):
            call()
            start = time.perf_counter()
            call()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in taken.items()}


def table(threads: int, seconds: float, check: bool) -> int:
    import torch

    from vsacourse.transformer import Config, Transformer
    from vsacourse.transformer.module import TransformerModule

    torch.set_num_threads(threads)
    rng = np.random.default_rng(0)
    slow = 0
    for name, size in SIZES.items():
        d, layers, heads, n, batch, d_mlp = size
        extra = {"d_mlp": d_mlp, "layer_norm": True, "biases": True} if d_mlp else {}
        config = Config(VOCABULARY, d, layers, heads, n, **extra)
        ours = Transformer.random(config, rng)
        module, plain = TransformerModule(config, ours.weights), plain_module(torch, size)
        on_torch = ours.to(torch.empty(0))
        tokens = rng.integers(0, VOCABULARY, (batch, n))
        moved = torch.from_numpy(tokens)

        def step(model: Any, shape: tuple[int, int] = (batch, n)) -> Callable[[], None]:
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            texts = np.random.default_rng(1)

            def once() -> None:
                # A new batch each time: one that is learned by heart leaves gradients so small
                # (denormal) that the processor takes twice as long for them.
                fresh = torch.from_numpy(texts.integers(0, VOCABULARY, shape))
                logits = model(fresh[:, :-1])
                loss = torch.nn.functional.cross_entropy(
                    logits.flatten(0, 1), fresh[:, 1:].flatten()
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

            return once

        square = rng.standard_normal((1024, 1024)).astype(np.float32)
        square_t = torch.from_numpy(square)

        def without_graph(model: Any, moved: Any = moved) -> Callable[[], Any]:
            def once() -> Any:
                with torch.no_grad():
                    return model(moved)

            return once

        taken = medians(
            {
                "NumPy": lambda ours=ours, tokens=tokens: ours(tokens),
                "torch": without_graph(on_torch),
                "plain": without_graph(plain),
                "step": step(module),
                "plain step": step(plain),
                "peak NumPy": lambda square=square: square @ square,
                "peak torch": lambda square=square_t: square @ square,
            },
            seconds,
        )
        ratios = [taken["torch"] / taken["NumPy"], taken["plain step"] / taken["step"]]
        late = [r < least for r, least in zip(ratios, NEEDED.values(), strict=True)]
        slow += sum(late)
        cells = [f"{r:.2f}" + " (slow)" * bad for r, bad in zip(ratios, late, strict=True)]
        speed = [f"{batch * n / taken[x] / 1e3:.0f}" for x in ("NumPy", "torch", "plain")]
        steps = [f"{batch * (n - 1) / taken[x] / 1e3:.0f}" for x in ("step", "plain step")]
        share = [
            f"{multiplications(size) / taken[x] / (1024**3 / taken[f'peak {x}']):.0%}"
            for x in ("NumPy", "torch")
        ]
        row = [name, str(threads), *speed, *steps, *cells, *share]
        print("| " + " | ".join(row) + " |", flush=True)
    return 1 if slow and check else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each entry of the table")
    parser.add_argument("--check", action="store_true", help="fail when a ratio is too low")
    parser.add_argument("--threads", type=int, help="measure with so many threads only")
    arguments = parser.parse_args()
    if arguments.threads:
        return table(arguments.threads, arguments.seconds, arguments.check)
    print("thousand tokens per second; shares of the matrix-multiply peak of the same run\n")
    print(
        "| size | threads | forward NumPy | torch | plain | training | plain | NumPy / torch "
        "| training / plain | peak NumPy | peak torch |"
    )
    print("|---" * 11 + "|", flush=True)
    codes = []
    for threads in (1, 2):  # BLAS reads its number of threads once, when it is loaded
        variables = {f"{x}_NUM_THREADS": str(threads) for x in ("OMP", "OPENBLAS", "MKL")}
        command = [sys.executable, __file__, "--threads", str(threads)]
        command += ["--seconds", str(arguments.seconds)] + ["--check"] * arguments.check
        codes.append(subprocess.run(command, env=os.environ | variables).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
