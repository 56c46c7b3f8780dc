"""Train models whose layer 0 can only add: ``python tests/bench/adders.py``.

The controls of lesson 11's swap test, over seeds: OV of layer 0 is fixed to a factor times the
identity. The answers that follow when what layer 0 wrote at two places is exchanged are given with
their 95 % interval; beside them a free model.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch

from vsacourse import metrics
from vsacourse.tasks import Induction
from vsacourse.training import recipes, train, wilson_interval
from vsacourse.transformer import Transformer
from vsacourse.transformer.circuits import ov_circuit
from vsacourse.transformer.module import TransformerModule

TASK = Induction(d_vocab=32, n_ctx=32)
SEEDS = {-3.0: 3, -0.5: 5}


def that_only_adds(factor: float, seed: int, d: int = 64, steps: int = 500) -> Transformer:
    """Return a trained model in which head 0.0 writes the token that it sees, times ``factor``."""
    rng = np.random.default_rng(seed)
    module = TransformerModule(recipes.induction(d_model=d).config, rng)
    frozen = module.get_submodule("blocks.0.attn")
    for W, value in ((frozen.W_V, torch.eye(d)), (frozen.W_O, factor * torch.eye(d))):
        W.data[0] = value
        W.requires_grad_(False)
    free = [W for W in module.parameters() if W.requires_grad]
    optimizer = torch.optim.AdamW(free, betas=(0.9, 0.98), weight_decay=0.0)
    for step in range(steps):
        fall = (1 + np.cos(np.pi * step / steps)) / 2
        optimizer.param_groups[0]["lr"] = 0.01 * min(1, (step + 1) / 50) * fall
        batch = TASK.sample(32, rng)
        logits = module(torch.from_numpy(batch.tokens))[torch.from_numpy(batch.counted)]
        targets = torch.from_numpy(batch.targets[batch.counted])
        loss = torch.nn.functional.cross_entropy(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return module.transformer().numpy()


def follows(model: Transformer, n: int = 300) -> int:
    """Return in how many of n texts the answer follows the exchange of what layer 0 wrote."""
    rng = np.random.default_rng(17)
    texts, rows = TASK.with_periods(12).sample(n, rng).tokens, np.arange(n)
    apart = [(i, j) for i in range(1, 12) for j in range(1, 12) if abs(i - j) > 1]
    i, j = np.array(apart)[rng.integers(len(apart), size=n)].T
    edit = {"blocks.0.attn_out": lambda x: metrics.exchange(x, i, j)}
    logits = model.trace(texts, keep="logits", edit=edit).logits
    return int((logits[rows, 12 + i - 1].argmax(axis=1) == texts[rows, j]).sum())


def report(name: str, model: Transformer) -> None:
    texts = TASK.sample(200, np.random.default_rng(11))
    longer = Induction(32, 32, (18, 18)).sample(300, np.random.default_rng(20))
    right, other = (
        metrics.accuracy(model(t.tokens), t.targets, t.counted) for t in (texts, longer)
    )
    pattern = model.trace(texts.tokens)["blocks.1.attn.pattern"]
    E = model.weights["embed.W_E"]
    fit = metrics.additive_tag(E, E @ ov_circuit(model, 0, 0)).r2
    stripe, swapped = metrics.prefix_matching(pattern, texts.tokens)[0], follows(model)
    low, high = wilson_interval(swapped, 300)
    print(f"| {name} | {right:.3f} | {other:.2f} | {stripe:.2f} | {fit:.2f} | ", end="")
    print(f"{swapped / 300:.2f} ({low:.2f} to {high:.2f}) |", flush=True)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    torch.set_num_threads(1)
    print("| layer 0 | accuracy | at period 18 | prefix matching | token explains | follows |")
    print("|---|---|---|---|---|---|")
    for seed in range(5):
        report(f"free, d 32, seed {seed}", train(recipes.induction(), seed, progress=False).model)
    for factor, seeds in SEEDS.items():
        for seed in range(seeds):
            report(f"× {factor:g}, d 64, seed {seed}", that_only_adds(factor, seed))
    report("× -0.5, d 32, seed 0", that_only_adds(-0.5, 0, d=32))
    report("× -0.5, d 32, seed 1", that_only_adds(-0.5, 1, d=32))
