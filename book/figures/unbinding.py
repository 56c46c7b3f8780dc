"""Draw book/figures/unbinding.svg, the picture of the first page, from real vectors.

python book/figures/unbinding.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from vsacourse import MAP, ItemMemory

NAMES = ["ball", "red", "cup", "blue"]
DIM = 48
COLUMNS = [0.0, 3.2, 6.4]  # where the three strips of a row begin
WIDTH = 2.6
# For -2, -1, 0, 1, 2: dark blue to dark brown, in steps that also differ in grey.
COLOURS = mpl.colors.ListedColormap(["#0b3c6f", "#7fa8d1", "#f4f1ea", "#f0c27a", "#8a4b00"])


def strip(ax: plt.Axes, vector: NDArray[np.float32], column: int, y: float, label: str) -> None:
    """Draw one vector as a row of cells with its label above."""
    x = COLUMNS[column]
    extent = (x, x + WIDTH, y, y + 0.42)
    ax.imshow(vector[None, :], cmap=COLOURS, vmin=-2.5, vmax=2.5, extent=extent, aspect="auto")
    ax.add_patch(plt.Rectangle((x, y), WIDTH, 0.42, fill=False, lw=0.8, ec="#333"))
    ax.text(x + WIDTH / 2, y + 0.5, label, ha="center", va="bottom", fontsize=12)


def row(
    ax: plt.Axes, y: float, step: str, vectors: list[NDArray[np.float32]], labels: list[str]
) -> None:
    """Draw ``a x b = c``."""
    for column, (vector, label) in enumerate(zip(vectors, labels, strict=True)):
        strip(ax, vector, column, y, label)
    for x, sign in ((2.9, "×"), (6.1, "=")):
        ax.text(x, y + 0.2, sign, ha="center", va="center", fontsize=16)
    ax.text(-0.25, y + 0.2, step, ha="right", va="center", fontsize=13, weight="bold")


def main() -> None:
    """Bind two pairs, add them, ask for ball, and write the picture."""
    model = MAP(dim=DIM)
    memory = ItemMemory.random(model, NAMES, np.random.default_rng(3))
    ball, red, cup, blue = (memory[name] for name in NAMES)
    pairs = [model.bind(ball, red), model.bind(cup, blue)]
    scene = model.bundle(np.stack(pairs))
    answer = model.unbind(scene, ball)

    fig, ax = plt.subplots(figsize=(9.6, 5.6))
    row(ax, 4.5, "bind", [ball, red, pairs[0]], ["ball", "red", "ball × red"])
    row(ax, 3.5, "", [cup, blue, pairs[1]], ["cup", "blue", "cup × blue"])
    strip(ax, scene, 2, 2.5, "")
    ax.text(7.7, 3.21, "+", ha="center", va="center", fontsize=16)
    ax.text(6.2, 2.7, "the sum of both: one memory", ha="right", va="center", fontsize=12)
    ax.text(-0.25, 2.7, "superpose", ha="right", va="center", fontsize=13, weight="bold")
    row(ax, 1.4, "unbind", [scene, ball, answer], ["memory", "ball", "the answer"])
    ax.text(-0.25, 0.55, "compare", ha="right", va="center", fontsize=13, weight="bold")
    for k, (name, value) in enumerate(zip(NAMES, memory.similarity(answer), strict=True)):
        x, y = (0.7, 5.2)[k % 2], (0.7, 0.15)[k // 2]
        best = name == "red"
        ax.barh(y, 2.4 * value, left=x, height=0.3, color="#8a4b00" if best else "#9a9a9a")
        ax.text(x - 0.1, y, name, ha="right", va="center", fontsize=12)
        ax.text(x + 2.4 * value + 0.1, y, f"cosine {value:.2f}", va="center", fontsize=12)
    ax.set(xlim=(-1.6, 9.05), ylim=(-0.1, 5.4))
    ax.set_axis_off()
    mpl.rcParams["svg.hashsalt"] = "vsacourse"  # the same file at every run
    target = Path(__file__).with_suffix(".svg")
    fig.savefig(target, facecolor="white", bbox_inches="tight", metadata={"Date": None})
    print(target.name, f"{target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
