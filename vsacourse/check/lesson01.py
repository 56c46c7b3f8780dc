"""Checks of lesson 01, symbols."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vsacourse import theory
from vsacourse.check.attempt import Attempt
from vsacourse.check.core import exercise

LESSON = "01-symbols"


@exercise(
    lesson=LESSON,
    title="Draw symbols",
    minutes=3,
    difficulty=1,
    teaches="One independent coin for each component.",
    hints=[
        "How many coins are thrown? What are the two sides of a coin?",
        "A `Generator` can choose from a list: look at `rng.choice`, and at its `size`.",
        "`rng.choice([-1, 1], size=...)` with both sizes in a tuple.",
    ],
    anchor="Exercise-1-·-Draw-symbols",
)
def random_signs(attempt: Attempt) -> None:
    """``random_signs(n, dim, rng)``: (n, dim) of signs."""
    n, d = [(40, 90), (30, 150), (60, 70)][attempt.draw]
    seed = int(attempt.rng.integers(1, 1000))
    got = attempt.call(n, d, np.random.default_rng(seed))
    got = attempt.array(
        got,
        shape=(n, d),
        mistakes={
            "One symbol a row: the sizes are the wrong way round.": (d, n),
            "That is one symbol; n of them are asked for: `size=(n, dim)`.": (d,),
        },
    ).astype(float)
    values = np.unique(got)
    likely = ""
    if set(values) <= {0.0, 1.0}:
        likely = "These are bits. They have a common mean: write them as −1 and +1."
    elif set(values) == {-1.0, 0.0}:
        likely = "`rng.integers(-1, 1)` draws −1 and 0: its upper end is left out."
    elif set(values) == {-1.0, 0.0, 1.0}:
        likely = "Three values: was 0 allowed? `rng.integers(-1, 2)` draws −1, 0 and 1."
    elif len(values) > 3:
        likely = "These are numbers of many sizes; only their signs are asked for."
    others = values[np.abs(values) != 1]
    attempt.require(
        others.size == 0,
        f"The result holds {others[:1].sum():.3g}; every entry must be −1 or +1.",
        likely=likely,
    )
    share = float((got == 1).mean())
    attempt.require(
        abs(share - 0.5) < 4 / math.sqrt(n * d),
        f"{share:.0%} of all signs are +1; about half should be.",
        likely="`rng.random` draws from 0 to 1: its sign is always +1. Compare it with ½."
        if share == 1
        else "Both signs need the chance ½.",
    )
    for axis, message, likely in (
        (0, "All rows are the same vector.", "One symbol was drawn and repeated: draw n · dim."),
        (1, "Within a row all components are the same.", "Draw a sign for each component."),
    ):
        same = np.all(got == np.take(got, [0], axis=axis))
        attempt.require(not same, message, likely=likely)
    gram = got @ got.T / d - np.eye(n)  # [n, n]
    rms = float(np.sqrt((gram**2).sum() / (n * (n - 1))))
    attempt.require(
        0.8 < rms * math.sqrt(d) < 1.25,
        f"The cosines of different rows have the standard deviation {rms:.3f}; it should be "
        f"{1 / math.sqrt(d):.3f}, one over the root of {d}.",
        likely="The components, or the rows, are not independent of one another."
        if rms * math.sqrt(d) > 1
        else "These rows were made orthogonal, not drawn at random.",
    )
    for axis, what in ((1, "row"), (0, "column")):
        sums = np.abs(got.sum(axis=axis))
        attempt.require(
            sums.max() > 2,
            f"Every {what} holds as many +1 as −1. Coins don't balance that well.",
            likely="Signs in a fixed number were shuffled: each entry needs a coin of its own.",
        )
    other = attempt.call(n, d, np.random.default_rng(seed + 1), repeat=False)
    attempt.require(
        not np.array_equal(np.asarray(other, float), got),
        "Two generators with different seeds give exactly the same vectors.",
        likely="The signs don't come from the `rng` that is passed in.",
    )


@exercise(
    lesson=LESSON,
    title="The largest cosine of all pairs",
    minutes=5,
    difficulty=2,
    teaches="The Gram matrix without its diagonal.",
    hints=[
        "What stands on the diagonal of the matrix of all cosines, and is it a pair?",
        "Divide each row by its norm; one product gives all cosines. Then take out the diagonal "
        "by its place, and take absolute values before the maximum.",
        "`np.fill_diagonal(gram, 0)`, with `gram = np.abs(unit @ unit.T)`; then `gram.max()`.",
    ],
    anchor="Exercise-2-·-The-largest-cosine-of-all-pairs",
)
def largest_abs_cosine(attempt: Attempt) -> None:
    """``largest_abs_cosine(x)``: (n, d) -> one number."""
    n, d = [(7, 12), (6, 9), (9, 15)][attempt.draw]
    x = attempt.rng.normal(size=(n, d)) * attempt.rng.uniform(0.5, 3, size=(n, 1))
    # Draws 0 and 2: the worst pair points in opposite directions. Draw 1: two equal rows.
    x[n - 2] = x[1] if attempt.draw == 1 else -0.4 * x[1] + 0.15 * x[n - 2]
    norms = np.linalg.norm(x, axis=-1)
    cosines = x @ x.T / np.outer(norms, norms)  # [n, n]
    above = np.triu_indices(n, k=1)
    pairs, dots = cosines[above], (x @ x.T)[above]
    size = np.abs(pairs)
    got = attempt.scalar(attempt.call(x))
    one_norm = np.abs(dots).max() / np.linalg.norm(x) ** 2
    correlation = np.abs(np.asarray(np.corrcoef(x))[above]).max()
    mistakes = {
        "That is a row with itself: the diagonal must be left out.": 1.0,
        "That is the largest *signed* cosine: a pair may also be too close with a minus sign.": (
            pairs.max()
        ),
        "That is the smallest cosine, with its sign: the size is asked for.": pairs.min(),
        "That is the smallest |cos|: the largest is asked for.": size.min(),
        "That is the mean |cos|: the largest is asked for.": size.mean(),
        "That is a dot product: the division by the norms is missing.": np.abs(dots).max(),
        "You divided by d: that is right for rows of signs only. Divide by the norms.": (
            np.abs(dots).max() / d
        ),
        "You divided by one norm of the whole array: `np.linalg.norm` needs `axis=-1`.": one_norm,
        "That is a correlation: it subtracts the mean of each row, a cosine does not.": correlation,
        "Two rows of x are equal, and their cosine 1 counts: leave out the diagonal by its place, "
        "not by its value.": size[size < 1 - 1e-9].max(),
    }
    expected = size.max()
    attempt.close(
        got,
        expected,
        mistakes={k: v for k, v in mistakes.items() if abs(v - expected) > 1e-4},
    )


@exercise(
    lesson=LESSON,
    title="The largest cosine between two vocabularies",
    minutes=5,
    difficulty=2,
    teaches="Counting pairs and tails.",
    hints=[
        "How many pairs of one of n and one of m symbols are there? Try it with n = 2 and m = 3.",
        "The chance that |cos| passes a level is twice that of the upper tail. When is one of "
        "the pairs expected beyond it?",
        "`theory.gaussian_tail_inverse(1 / (2 * pairs)) / np.sqrt(dim)`.",
    ],
    anchor="Exercise-3-·-The-largest-cosine-between-two-vocabularies",
)
def predicted_largest(attempt: Attempt) -> None:
    """``predicted_largest(n, m, dim)``: one number."""
    n, m, d = [(30, 12, 70), (250, 1100, 900), (9, 60, 400)][attempt.draw]
    inverse = theory.gaussian_tail_inverse
    root = math.sqrt(d)
    pairs, union = n * m, (n + m) * (n + m - 1) / 2
    within = [k * (k - 1) / 2 for k in (n, m)]
    expected = inverse(1 / (2 * pairs)) / root
    got = attempt.scalar(attempt.call(n, m, d))
    all_of = "Those are all pairs of n + m symbols: only one of each vocabulary is asked for."
    mistakes: dict[str, Any] = {
        "One factor 2 is missing: |cos| has two tails, and each of the n · m pairs is another.": (
            inverse(1 / pairs) / root
        ),
        all_of: inverse(1 / (2 * union)) / root,
        all_of + " And |cos| has two tails.": inverse(1 / union) / root,
        "Those are the pairs within the n: a pair has one symbol of each vocabulary.": (
            inverse(1 / (2 * within[0])) / root
        ),
        "Those are the pairs within the m: a pair has one symbol of each vocabulary.": (
            inverse(1 / (2 * within[1])) / root
        ),
        "Those are the pairs within each vocabulary: one symbol of each is asked for.": (
            inverse(1 / (2 * sum(within))) / root
        ),
        "Count the pairs, not the symbols: each of n meets each of m.": (
            inverse(1 / (2 * (n + m))) / root
        ),
        "Count the pairs, not the symbols: each of n meets each of m. And take both tails.": (
            inverse(1 / (n + m)) / root
        ),
        "You counted every pair twice and then both tails: one factor 2 too many.": (
            inverse(1 / (4 * pairs)) / root
        ),
        "The 2 stands on the wrong side: two tails make it 1/(2nm).": inverse(2 / pairs) / root,
        "That is Q of a chance, near ½: its *inverse* turns a chance into a level.": (
            theory.gaussian_tail(1 / (2 * pairs)) / root
        ),
        "That is Q of a chance, near ½: its *inverse* is asked for, and two tails.": (
            theory.gaussian_tail(1 / pairs) / root
        ),
        "That is √(2 ln P / d), which overshoots: use the tail itself.": (
            math.sqrt(2 * math.log(pairs)) / root
        ),
        "That is √(2 ln 2P / d), which overshoots: use the tail itself.": (
            math.sqrt(2 * math.log(2 * pairs)) / root
        ),
        "You divided by d: the standard deviation of a cosine is 1/√d.": expected / root,
        "That is a level in standard deviations: the factor 1/√d is missing.": expected * root,
        "That is the standard deviation of *one* cosine.": 1 / root,
    }
    attempt.close(got, expected, rtol=5e-4, mistakes=mistakes)


@exercise(
    lesson=LESSON,
    title="A dimension for a vocabulary",
    minutes=6,
    difficulty=3,
    teaches="Designing from a tail, with the chance of failure in it.",
    hints=[
        "Write down the expected number of bad pairs for a given d first.",
        "It is 2 P Q(ε√d). Set it equal to `failure`, and take the inverse of Q on both sides.",
        "`z = theory.gaussian_tail_inverse(failure / (2 * pairs))`; then ε√d = z. Round up.",
    ],
    anchor="Exercise-4-·-A-dimension-for-a-vocabulary",
)
def dimension_for_symbols(attempt: Attempt) -> None:
    """``dimension_for_symbols(n, epsilon, failure)``: a whole number."""
    n, epsilon, failure = [(12, 0.08, 0.2), (3000, 0.3, 0.002), (80, 0.15, 0.03)][attempt.draw]
    pairs = n * (n - 1) / 2

    def dimension(chance: float) -> int:
        return math.ceil((theory.gaussian_tail_inverse(chance) / epsilon) ** 2)

    expected = dimension(failure / (2 * pairs))
    got = attempt.call(n, epsilon, failure, repeat=False)
    if isinstance(got, float | np.floating) and float(got).is_integer():
        got = int(got)
    exact = (theory.gaussian_tail_inverse(failure / (2 * pairs)) / epsilon) ** 2
    attempt.require(
        not (isinstance(got, float | np.floating) and abs(got - exact) < 1e-6 * exact),
        f"`{attempt.what}` is {got}, which is no whole number of components.",
        likely="The right number, not rounded: `math.ceil` rounds up.",
    )
    got = attempt.scalar(got, kind="int")
    z = theory.gaussian_tail_inverse(failure / (2 * pairs))
    mistakes = {
        "That asks that the chance of a bad pair is `failure`, if the pairs were independent. "
        "The expected number of bad pairs is asked for.": dimension(
            (1 - (1 - failure) ** (1 / pairs)) / 2
        ),
        "Round up: with one component fewer, too many bad pairs are expected.": expected - 1,
        "One too many: the dimension before it is good enough.": expected + 1,
        "That counts one tail: a pair is also bad when its cosine is below −ε.": dimension(
            failure / pairs
        ),
        "That is the dimension for *one* expected bad pair: `failure` is missing.": dimension(
            1 / (2 * pairs)
        ),
        "Count the pairs, not the symbols: n(n − 1)/2.": dimension(failure / (2 * n)),
        "That is for a single pair: there are n(n − 1)/2 of them.": dimension(failure / 2),
        "That turns round N = e^(dε²/4), which knows nothing of `failure`.": math.ceil(
            4 * math.log(n) / epsilon**2
        ),
        "That uses the bound e^(−dε²/2) on the tail: safe, but not the smallest. Use Q.": math.ceil(
            2 * math.log(pairs / failure) / epsilon**2
        ),
        "That uses the bound 2e^(−dε²/2) on the tail: safe, but not the smallest. Use Q.": (
            math.ceil(2 * math.log(2 * pairs / failure) / epsilon**2)
        ),
        "n²/2 counts each symbol with itself: there are n(n − 1)/2 pairs.": dimension(
            failure / n**2
        ),
        "n² counts each pair twice and each symbol with itself: n(n − 1)/2.": dimension(
            failure / (2 * n**2)
        ),
        "That uses a bound on the tail, and n²/2 pairs: safe, but not the smallest. Use Q, and "
        "n(n − 1)/2.": math.ceil(2 * math.log(n**2 / 2 / failure) / epsilon**2),
        "That uses a bound on one tail, and forgets the other. Use Q, twice.": math.ceil(
            2 * math.log(pairs / 2 / failure) / epsilon**2
        ),
        "d is (z/ε)²: the square is missing.": math.ceil(z / epsilon),
        "d is (z/ε)²: the square of ε is missing.": math.ceil(z**2 / epsilon),
    }
    attempt.equal(got, expected, mistakes={k: v for k, v in mistakes.items() if v != expected})


def _keep_apart(
    cosines: NDArray[Any], epsilon: float, which: Callable[[Iterable[bool]], bool] = all
) -> list[int]:
    kept: list[int] = []
    for i, row in enumerate(cosines):
        if not kept or which(row[j] <= epsilon for j in kept):
            kept.append(i)
    return kept


@exercise(
    lesson=LESSON,
    title="Better than a random draw",
    minutes=6,
    difficulty=4,
    teaches="What selection adds, and what 'about' hides.",
    hints=[
        "With which rows is a new one compared? Only with those that are in already.",
        "Keep a list of indices. `unit[kept] @ row` gives the cosines with all kept rows at once.",
        "`if np.all(np.abs(unit[kept] @ row) <= epsilon): kept.append(i)` in a loop over the rows.",
    ],
    anchor="Exercise-5-·-Better-than-a-random-draw",
)
def keep_apart(attempt: Attempt) -> None:
    """``keep_apart(candidates, epsilon)``: (n, d) -> (k,) integers."""
    n, d, epsilon = [(25, 20, 0.45), (30, 16, 0.5), (18, 10, 0.6)][attempt.draw]
    x = attempt.rng.normal(size=(n, d)) * attempt.rng.uniform(0.3, 3, size=(n, 1))
    norms = np.linalg.norm(x, axis=-1)
    cosines = x @ x.T / np.outer(norms, norms)  # [n, n]
    size = np.abs(cosines)
    expected = np.array(_keep_apart(size, epsilon))
    got = attempt.call(x, epsilon)
    if isinstance(got, list):
        got = np.array(got)
    plain = np.asarray(got) if isinstance(got, np.ndarray) else None
    attempt.require(
        plain is None or plain.size > 0,
        "No row was kept; the first one always is.",
        likely="There is no row yet to compare the first one with: keep it. Of no rows at all, "
        "`all` is true and `any` false.",
    )
    if plain is not None and plain.dtype == bool and plain.shape == (n,):
        attempt.require(
            False,
            "The result is a mask of yes and no; the indices are asked for.",
            likely="`np.flatnonzero(mask)` gives the places where a mask is true.",
        )
    attempt.require(
        plain is None or plain.ndim != 2,
        f"The result has shape {getattr(got, 'shape', ())}: these are vectors.",
        likely="Return the indices of the kept rows, not the rows.",
    )
    k = len(plain) if plain is not None and plain.ndim == 1 else len(expected)
    got = attempt.array(got, shape=(k,), kind="int")
    before = [i for i in range(n) if (size[i, :i] <= epsilon).all()]
    alone = [i for i in range(n) if (np.delete(size[i], i) <= epsilon).all()]
    last = [0]
    for i in range(1, n):
        if size[i, last[-1]] <= epsilon:
            last.append(i)
    mistakes: dict[str, Any] = {
        "You compared with all rows before it, also with those that were dropped.": before,
        "You compared with all other rows. A row counts only when it was kept before.": alone,
        "You compared with the row that was kept last; all kept rows count.": last,
        "You kept a row that is far from *any* kept row; it has to be far from *all* of them.": (
            _keep_apart(size, epsilon, any)
        ),
        "You compared signed cosines: a cosine below −ε is too close as well.": _keep_apart(
            cosines, epsilon
        ),
        "You compared dot products: divide by the norms first.": _keep_apart(
            np.abs(x @ x.T), epsilon
        ),
        "You kept the rows that are *too close*: turn the comparison round.": [
            i for i in range(n) if i not in set(expected.tolist())
        ],
        "The right rows in another order: go through them in order.": expected[::-1],
    }
    attempt.equal(
        got,
        expected,
        mistakes={k: np.array(v) for k, v in mistakes.items() if list(v) != expected.tolist()},
    )
    exact = np.array([[1, 1, 1, 1], [1, 1, 1, -1], [1, -1, 1, 1]])  # cosines ½, ½ and 0
    got = np.asarray(attempt.call(exact, 0.5, repeat=False))
    attempt.require(
        got.tolist() == [0, 1, 2],
        f"`{attempt.what}` is {got.tolist()} for three rows with the cosines ½, ½ and 0; expected "
        "[0, 1, 2].",
        likely="A cosine of exactly ε is allowed: `<=`.",
    )
