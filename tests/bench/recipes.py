"""Train every recipe from several seeds: ``python tests/bench/recipes.py``.

CPU seconds are those of one thread, training and checks together. Behind the recipes stand their
controls: one layer instead of two, by period, beside elimination; a fixed period, inside it and
outside; and pairs that were never seen.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np

from vsacourse import metrics
from vsacourse.tasks import Induction, Sorting, Task, VariableBinding
from vsacourse.training import Recipe, Run, recipes, train
from vsacourse.transformer import Transformer

RECIPES = {
    "induction, d 32, V 32, T 32": recipes.induction(),
    "induction, d 64, V 64, T 48": recipes.induction(Induction(64, 48), d_model=64),
    "variable binding, 8 pairs": recipes.variable_binding(),
    "separators, 6 pairs": recipes.variable_binding(VariableBinding(pairs=6, separators=True)),
    "chains, 2 to 5 assignments": recipes.chains(),
    "chains, 2 layers": recipes.chains(n_layers=2),
    "sort 10 of 0-31, repeats": recipes.sorting(),
    "sort 8 of 0-15, 1 layer": recipes.sorting(Sorting(8, 16, repeats=False), n_layers=1),
}


def accuracy(model: Transformer, task: Task, n: int = 1000, seed: int = 99) -> float:
    batch = task.sample(n, np.random.default_rng(seed))
    return float(metrics.accuracy(model(batch.tokens), batch.targets, batch.counted))


def timed(recipe: Recipe, seed: int) -> tuple[Run, float]:
    start = time.process_time()
    run = train(recipe, seed, progress=False)
    return run, time.process_time() - start


def table(seeds: int) -> None:
    print(
        "| recipe | solved | steps, median (max) | CPU s, median (max) | accuracy, least |", end=""
    )
    print(" elimination |\n|---|---|---|---|---|---|", flush=True)
    for name, recipe in RECIPES.items():
        runs, seconds = zip(*(timed(recipe, seed) for seed in range(seeds)), strict=True)
        steps = [int(run.history.step[-1]) for run in runs]
        cells = [
            name,
            f"{sum(run.solved for run in runs)} of {seeds}",
            f"{statistics.median(steps):.0f} ({max(steps)})",
            f"{statistics.median(seconds):.1f} ({max(seconds):.1f})",
            f"{min(run.report.accuracy for run in runs):.3f}",
            f"{recipe.task.baseline():.3f}",
        ]
        print("| " + " | ".join(cells) + " |", flush=True)


def one_layer(seeds: int) -> None:
    print("\none layer on repeated sequences, accuracy by period (mean over seeds)")
    recipe = recipes.induction(n_layers=1)
    models = [train(recipe, seed, progress=False).model for seed in range(seeds)]
    for period in range(recipe.task.shortest, recipe.task.longest + 1):
        task = recipe.task.with_periods(period)
        seen = [accuracy(model, task) for model in models]
        print(
            f"period {period:>2}: {np.mean(seen):.2f} ({min(seen):.2f} to {max(seen):.2f}), "
            f"elimination {task.elimination(period):.2f}",
            flush=True,
        )


def fixed_period(seeds: int) -> None:
    print("\ntwo layers, fixed period 12 (one line a seed)")
    task = Induction().with_periods(12)
    other = task.with_periods(9)
    for seed in range(seeds):
        run = train(recipes.induction(task), seed, progress=False)
        batch = task.sample(200, np.random.default_rng(99))
        trace = run.model.trace(batch.tokens, keep="*.pattern")
        patterns = [trace[f"blocks.{layer}.attn.pattern"][:, 0] for layer in (0, 1)]
        wanted = task.predicted_pattern(batch.tokens) > 0
        rows = wanted.any(-1)
        prefix = [(A * wanted).sum(-1)[rows].mean() for A in patterns]
        previous = [np.diagonal(A, -1, -2, -1).mean() for A in patterns]
        print(
            f"seed {seed}: accuracy {run.report.accuracy:.3f}, at period 9 "
            f"{accuracy(run.model, other):.3f}; prefix matching by layer "
            f"{prefix[0]:.3f} {prefix[1]:.3f}; previous token {previous[0]:.3f} {previous[1]:.3f}",
            flush=True,
        )


def held_out(seeds: int) -> None:
    seen, unseen = VariableBinding().held_out()
    print(
        "\nvariable binding, a fifth of the pairs never seen (one line a seed); elimination: seen "
        f"{seen.baseline():.3f}, unseen {unseen.baseline():.3f}, "
        f"5 pairs {VariableBinding().with_pairs(5).baseline():.3f}"
    )
    for seed in range(seeds):
        run = train(recipes.variable_binding(seen), seed, progress=False)
        fewer = accuracy(run.model, VariableBinding().with_pairs(5))
        print(
            f"seed {seed}: seen {run.report.accuracy:.3f}, unseen {accuracy(run.model, unseen):.3f}"
            f", 5 pairs instead of 8 {fewer:.3f}",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    table(arguments.seeds)
    for part in (one_layer, fixed_period, held_out):
        part(min(arguments.seeds, 5))
    return 0


if __name__ == "__main__":
    sys.exit(main())
