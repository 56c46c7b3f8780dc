"""A training run as it stands: module, optimizer, generators, and what was seen so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from vsacourse.tasks import Batch
from vsacourse.training.advice import advice
from vsacourse.training.recipe import Recipe
from vsacourse.training.run import History, Report
from vsacourse.transformer import Transformer

if TYPE_CHECKING:
    from vsacourse.transformer.module import TransformerModule

__all__ = ["CHECK", "REPORT", "State", "streams"]

CHECK = (8, 32)  # batches of a check, sequences of each: a task may draw one length for a batch
REPORT = (32, 32)
OUT_OF_HAND = 3.0  # times the loss at step 0


def streams(seed: int) -> list[np.random.Generator]:
    """Return four independent generators: for data, weights, checks and report."""
    return [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(4)]


@dataclass
class State:
    """What a step changes; all of it goes into a checkpoint, so that a run can be taken up again.

    Attributes:
        recipe: what is trained.
        seed: of everything drawn.
        module: the weights.
        optimizer: AdamW with its averages.
        data: draws the training batches.
        checks: draws the batches of the checks.
        step: steps taken.
        rows: (step, loss, accuracy) of each check.
        seconds: time spent before this process took over.
        diverged: the loss is not finite, or rose far above where it began.
        kept: the weights at the last check with a finite loss.
    """

    recipe: Recipe
    seed: int
    module: TransformerModule
    optimizer: Any
    data: np.random.Generator
    checks: np.random.Generator
    step: int = 0
    rows: list[tuple[int, float, float]] = field(default_factory=list)
    seconds: float = 0.0
    diverged: bool = False
    kept: Transformer | None = None

    @classmethod
    def fresh(cls, recipe: Recipe, seed: int, device: str) -> State:
        """Return the state before the first step."""
        import torch

        from vsacourse.transformer.module import TransformerModule

        data, weights, checks, _ = streams(seed)
        module = TransformerModule(recipe.config, weights).to(device)
        optimizer = torch.optim.AdamW(
            module.parameters(),
            lr=recipe.learning_rate,
            betas=recipe.betas,
            weight_decay=recipe.weight_decay,
        )
        return cls(recipe, seed, module, optimizer, data, checks)

    @property
    def history(self) -> History:
        """The checks so far."""
        step, loss, accuracy = zip(*self.rows, strict=True) if self.rows else ((), (), ())
        return History(np.array(step, np.int64), np.array(loss, float), np.array(accuracy, float))

    @property
    def solved_at(self) -> int | None:
        """The step of the second of two checks in a row that reached the threshold, or None."""
        threshold = self.recipe.threshold
        if threshold is None:
            return None
        for before, now in zip(self.rows, self.rows[1:], strict=False):
            if before[2] >= threshold and now[2] >= threshold:
                return now[0]
        return None

    @property
    def ended(self) -> bool:
        """Whether there is nothing left to do."""
        return self.diverged or self.step >= self.recipe.steps or self.solved_at is not None

    def snapshot(self) -> Transformer:
        """Return a copy of the present weights, as NumPy."""
        return self.module.transformer().numpy()

    def advance(self) -> None:
        """Take one step of AdamW on a fresh batch."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.rate_at(self.step)
        loss = self._loss_and_hits(self.recipe.task.sample(self.recipe.batch_size, self.data))[0]
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.step += 1
        self.diverged = not bool(loss.isfinite())

    def check(self) -> None:
        """Measure loss and accuracy on fresh data, and note them."""
        loss, correct, answers = self.measure(self.checks, *CHECK)
        self.rows.append((self.step, loss, correct / answers))
        if not loss <= OUT_OF_HAND * self.rows[0][1]:  # also where it is not finite
            self.diverged = True
        if np.isfinite(loss):
            self.kept = self.snapshot()

    def model(self) -> Transformer:
        """Return a copy of the weights; of those of the last good check if the loss diverged."""
        return self.kept if self.diverged and self.kept is not None else self.snapshot()

    def advice(self) -> str:
        """Return what to change if the threshold was not reached, else ""."""
        if self.solved_at is not None:
            return ""
        return advice(self.recipe, self.history, self.diverged)

    def report(self) -> Report:
        """Measure the accuracy on data that nothing was decided from."""
        if self.diverged and self.kept is not None:
            self.module = type(self.module)(self.recipe.config, self.kept.weights)
        _, correct, answers = self.measure(streams(self.seed)[3], *REPORT)
        return Report(correct, answers, self.recipe.task.baseline())

    def measure(self, rng: np.random.Generator, batches: int, n: int) -> tuple[float, int, int]:
        """Return the mean loss, the number of right answers, and of all."""
        import torch

        total, correct, answers = 0.0, 0, 0
        with torch.no_grad():
            for _ in range(batches):
                batch = self.recipe.task.sample(n, rng)
                loss, hits = self._loss_and_hits(batch)
                total += float(loss) * len(hits)
                correct += int(hits.sum())
                answers += len(hits)
        return total / answers, correct, answers

    def _loss_and_hits(self, batch: Batch) -> tuple[Any, Any]:
        """Return the cross-entropy of the counted positions, and where the largest logit is right.

        The logits are ``(n, pos, d_vocab)``, those counted ``(answers, d_vocab)``.
        """
        import torch

        device = next(self.module.parameters()).device
        tokens, counted = (torch.from_numpy(x).to(device) for x in (batch.tokens, batch.counted))
        logits = self.module(tokens)[counted]
        targets = torch.from_numpy(batch.targets[batch.counted]).to(device)
        return torch.nn.functional.cross_entropy(logits, targets), logits.argmax(-1) == targets
