"""The numbers that the course quotes from the literature, measured."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vsacourse import theory
from vsacourse.algebra import BSC, FHRR, HRR, MAP, MBAT, MODELS, OPERATORS, TPR, VTB
from vsacourse.backend import to_numpy


def mean_cosine(model, a, b):
    return float(to_numpy(model.similarity(a, b[..., None, :])).mean())


def nested_cosine(model, depth, backend, rng):
    """The cosine after binding ``depth`` keys in turn and unbinding them in reverse."""
    a = backend(model.random(40, rng))
    keys = [backend(model.random(40, rng)) for _ in range(depth)]
    x = a
    for key in keys:
        x = model.bind(x, key)
    for key in reversed(keys):
        x = model.unbind(x, key)
    return mean_cosine(model, x, a)


@pytest.mark.parametrize("name", list(MODELS))
def test_one_bind_and_unbind(name, backend, rng):
    model = MODELS[name](512)
    a, b = (backend(model.random(60, rng)) for _ in range(2))
    cosine = mean_cosine(model, model.unbind(model.bind(a, b), b), a)
    assert cosine == pytest.approx(1 / math.sqrt(2) if name == "HRR" else 1, abs=0.01)


@pytest.mark.parametrize(("depth", "published"), [(1, 0.706), (2, 0.489), (3, 0.359)])
def test_nested_binding_in_hrr_loses_half_of_the_square_at_every_depth(
    depth, published, backend, rng
):
    cosine = nested_cosine(HRR(4096), depth, backend, rng)
    assert cosine == pytest.approx(theory.nested_depth_cosine(depth, "HRR"), abs=0.03)
    assert cosine == pytest.approx(published, abs=0.03)


@pytest.mark.parametrize(
    ("depth", "published", "simulated"), [(1, 0.712, 0.704), (2, 0.580, 0.572), (3, 0.505, 0.494)]
)
def test_nested_binding_in_vtb(depth, published, simulated, backend, rng):
    cosine = nested_cosine(VTB(4096), depth, backend, rng)
    assert cosine == pytest.approx(theory.nested_depth_cosine(depth, "VTB"), abs=0.02)
    assert cosine == pytest.approx(published, abs=0.03)
    assert cosine == pytest.approx(simulated, abs=0.01)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["HRR", "VTB"])
def test_pairs_one_at_a_time_tell_hrr_and_vtb_not_apart(name, depth, backend, rng):
    model = OPERATORS[name](4096)
    a = backend(model.random(40, rng))
    x = a
    for _ in range(depth):
        key = backend(model.random(40, rng))
        x = model.unbind(model.bind(x, key), key)
    cosine = mean_cosine(model, x, a)
    assert theory.sequential_depth_cosine(depth, name) == pytest.approx(2 ** (-depth / 2))
    assert cosine == pytest.approx(2 ** (-depth / 2), abs=0.03)


@pytest.mark.parametrize("pairs", [1, 3, 8, 15])
def test_crosstalk_in_vtb_is_that_of_hrr(pairs, backend, rng):
    model = VTB(4096)
    keys, values = (backend(model.random(20 * pairs, rng).reshape(20, pairs, -1)) for _ in "kv")
    found = model.unbind(model.bundle(model.bind(values, keys)), keys[:, 0])
    expected = theory.unbind_cosine(pairs, "VTB")
    assert expected == theory.unbind_cosine(pairs, "HRR")
    assert mean_cosine(model, found, values[:, 0]) == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("model", [TPR(9, 5), MBAT(64)])
def test_tpr_and_mbat_lose_nothing_at_any_depth(model, backend, rng):
    a = backend(model.random(1, rng)[0])
    keys = [backend(x) for x in model.random_roles(4, rng)]
    x = y = a
    for key in keys:
        x, y = model.bind(x, key), model.unbind(model.bind(y, key), key)
    for key in reversed(keys):
        x = model.unbind(x, key)
    for z in (x, y):
        np.testing.assert_allclose(to_numpy(z), to_numpy(a), atol=1e-5)
    assert theory.nested_depth_cosine(4, model) == theory.sequential_depth_cosine(4, model) == 1
    assert theory.capacity_constant(model) == 1
    if model.name == "TPR":
        assert theory.unbind_cosine(4, model) == 1


@pytest.mark.parametrize("name", ["FHRR", "MAP", "BSC"])
def test_exact_models_lose_nothing_at_any_depth(name, backend, rng):
    model = MODELS[name](256)
    a, *keys = (backend(v) for v in model.random(6, rng))
    x = a
    for key in keys:
        x = model.bind(x, key)
    for key in keys:
        x = model.unbind(x, key)
    assert float(model.similarity(x, a)) == pytest.approx(1, abs=1e-5)
    assert theory.nested_depth_cosine(5, name) == 1


@pytest.mark.parametrize(("pairs", "hrr"), [(1, 0.710), (3, 0.503), (8, 0.331), (15, 0.252)])
@pytest.mark.parametrize("name", list(MODELS))
def test_crosstalk_after_unbinding_one_of_m_pairs(name, pairs, hrr, backend, rng):
    model = MODELS[name](2048)
    keys, values = (backend(model.random(20 * pairs, rng).reshape(20, pairs, -1)) for _ in "kv")
    bundle = model.bundle(model.bind(keys, values), rng)
    found = model.unbind(bundle, keys[:, 0])
    cosine = mean_cosine(model, found, values[:, 0])
    assert cosine == pytest.approx(theory.unbind_cosine(pairs, name), abs=0.015)
    if name == "HRR":
        assert cosine == pytest.approx(hrr, abs=0.015)
    elif name in ("MAP", "FHRR"):
        clean = model.unbind(model.normalize(bundle, rng), keys[:, 0])
        expected = theory.unbind_cosine(pairs, name, thresholded=True)
        # √(π/4M) is the limit for many pairs.
        tolerance = 0.02 if name == "FHRR" and 1 < pairs < 8 else 0.015
        assert mean_cosine(model, clean, values[:, 0]) == pytest.approx(expected, abs=tolerance)


def test_moments_of_plate(backend, rng):
    n, draws = 512, 4000
    model = HRR(n)
    a, b, c = (backend(model.random(draws, rng, np.float64)) for _ in range(3))

    def dot(x, y):
        return (to_numpy(x) * to_numpy(y)).sum(-1)

    ab, ac = model.bind(a, b), model.bind(a, c)
    for sample, mean, variance in (
        (dot(a, a), 1, 2 / n),
        (dot(a, b), 0, 1 / n),
        (dot(ab, ab), 1, (6 * n + 4) / n**2),
        (dot(ab, ac), 0, (2 * n + 2) / n**2),
    ):
        assert sample.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / draws))
        assert sample.var() == pytest.approx(variance, rel=0.1)


def test_dimension_of_plate_in_the_threshold_form(backend, rng):
    k, m, q = 3, 1000, 0.01
    dim = round(theory.plate_dimension(k, m, q))
    assert dim == 180
    model, runs, errors = HRR(dim), 1200, 0
    codebook = backend(model.random(m, rng))
    present = np.stack([rng.choice(m, k, replace=False) for _ in range(runs)])
    dots = to_numpy(model.bundle(codebook[present]) @ codebook.T)  # Plate takes dot products
    inside = np.take_along_axis(dots, present, -1).min(-1)
    np.put_along_axis(dots, present, -np.inf, -1)
    outside = dots.max(-1)
    # The best threshold for all trials together, as the formula assumes.
    errors = min(((inside < t) | (outside >= t)).mean() for t in np.linspace(0.3, 0.7, 81))
    assert 0.002 < errors < 0.03
    assert (inside <= outside).mean() <= errors  # by rank it errs less


@pytest.mark.parametrize(("k", "published"), [(3, 0.75), (5, 0.6875), (15, 0.6047)])
def test_majority_of_bits(k, published, backend, rng):
    assert theory.majority_agreement(k) == pytest.approx(published, abs=5e-5)
    model = BSC(20_000)
    items = backend(model.random(k, rng))
    agree = (to_numpy(model.bundle(items)) == to_numpy(items)).mean(-1)
    np.testing.assert_allclose(agree, published, atol=0.015)


ROWS = {  # N -> theory, published experiment; M = 15 pairs, D = 1000
    "MAP": (MAP, False, [0.448, 0.800, 0.964, 0.997], [0.440, 0.813, 0.960, 1.0]),
    "FHRR": (FHRR, True, [0.729, 0.965, 0.999, 1.0], [0.733, 0.967, 1.0, 1.0]),
    "BSC": (BSC, False, [0.234, 0.523, 0.797, 0.945], [0.267, 0.547, 0.767, 0.967]),
}
SIZES = [144, 256, 400, 576]


def recall(model, runs, backend, rng, thresholded=False, bound=True, items=15, codebook=1000):
    """Return the share of items that come back, each asked for by its own role."""
    right = 0
    batch = 50
    memory = backend(model.random(codebook, rng))
    for _ in range(runs // batch):
        stored = rng.integers(0, codebook, (batch, items))
        keys = backend(model.random(batch * items, rng).reshape(batch, items, -1))
        values = memory[stored]
        bundle = model.bundle(model.bind(values, keys) if bound else values, rng)
        if thresholded:
            bundle = model.normalize(bundle, rng)
        found = model.unbind(bundle[:, None, :], keys)
        best = to_numpy(model.similarity(found, memory)).argmax(-1)
        right += int((best == stored).sum())
    return right / (runs * items)


@pytest.mark.parametrize("name", list(ROWS))
def test_recall_in_theory(name):
    _, thresholded, expected, _ = ROWS[name]
    got = theory.recall_probability(np.array(SIZES), 15, 1000, name, thresholded)
    np.testing.assert_allclose(got, expected, atol=0.001)


@pytest.mark.parametrize("size", range(4))
@pytest.mark.parametrize("name", list(ROWS))
def test_recall_of_a_simulation(name, size, backend, rng):
    kind, thresholded, expected, published = ROWS[name]
    got = recall(kind(SIZES[size]), 300, backend, rng, thresholded)
    assert got == pytest.approx(expected[size], abs=0.045)
    assert got == pytest.approx(published[size], abs=0.06)


@pytest.mark.parametrize("size", range(4))
def test_recall_of_hrr_pairs_is_that_of_one_more(size, backend, rng):
    got = recall(HRR(SIZES[size]), 150, backend, rng)
    expected = theory.recall_probability(SIZES[size], 16, 1000, "HRR")
    assert got == pytest.approx(expected, abs=0.045)


PUBLISHED_DIMENSIONS = {
    ("FHRR", True): 333,
    ("MAP", False): 473,
    ("HRR", False): 514,
    ("BSC", False): 752,
    ("MAP", True): 793,
}


@pytest.mark.parametrize(("name", "thresholded"), list(PUBLISHED_DIMENSIONS))
def test_dimension_for_99_percent(name, thresholded):
    expected = PUBLISHED_DIMENSIONS[name, thresholded]
    got = theory.dimension_for(15, 1000, name, 0.01, thresholded)
    assert got == pytest.approx(expected, rel=0.15)


def test_the_groups_of_models_by_dimension():
    needs = {
        key: theory.dimension_for(15, 1000, key[0], 0.01, key[1]) for key in PUBLISHED_DIMENSIONS
    }
    assert needs["FHRR", True] < min(needs["MAP", False], needs["HRR", False])
    assert max(needs["MAP", False], needs["HRR", False]) < min(
        needs["BSC", False], needs["MAP", True]
    )


def retrieved_set(model, runs, backend, rng, thresholded):
    """Return the share of 15 bundled items among the 15 most similar of 1000."""
    memory = backend(model.random(1000, rng))
    stored = np.stack([rng.choice(1000, 15, replace=False) for _ in range(runs)])
    bundle = model.bundle(memory[stored], rng)
    if thresholded:
        bundle = model.normalize(bundle, rng)
    best = np.argsort(-to_numpy(model.similarity(bundle, memory)), -1)[:, :15]
    return np.mean([len(set(b) & set(s)) / 15 for b, s in zip(best, stored, strict=True)])


@pytest.mark.parametrize(("name", "thresholded"), list(PUBLISHED_DIMENSIONS))
def test_dimension_for_99_percent_of_a_simulation(name, thresholded, backend, rng):
    published = PUBLISHED_DIMENSIONS[name, thresholded]
    model = MODELS[name]
    below = retrieved_set(model(round(0.85 * published)), 200, backend, rng, thresholded)
    above = retrieved_set(model(round(1.15 * published)), 200, backend, rng, thresholded)
    assert below < 0.99 < above


def test_15_of_1000_in_vtb_need_503_dimensions(backend, rng):
    published = 503
    assert theory.dimension_for(15, 1000, "VTB") == pytest.approx(published, rel=0.15)
    # The squares nearest to 503 ± 15 %
    below, above = (retrieved_set(VTB(k * k), 200, backend, rng, False) for k in (20, 24))
    assert below < 0.99 < above


@pytest.mark.parametrize("k", [12, 16, 20])
def test_recall_of_vtb_pairs_is_that_of_one_more(k, backend, rng):
    got = recall(VTB(k * k), 150, backend, rng)
    expected = theory.recall_probability(k * k, 16, 1000, "VTB")
    assert got == pytest.approx(expected, abs=0.045)


def test_largest_cosine(rng):
    assert theory.largest_cosine(1000 * 999 // 2, 1000) == pytest.approx(0.146, abs=5e-4)
    largest = []
    for _ in range(9):
        a = MAP(1000).random(300, rng)
        pairs = MAP(1000).similarity(a, a)[np.triu_indices(300, 1)]
        largest.append(pairs.max())
    expected = theory.largest_cosine(300 * 299 // 2, 1000)
    assert np.median(largest) == pytest.approx(expected, abs=0.008)
    assert abs(pairs).mean() == pytest.approx(theory.mean_abs_cosine(1000), rel=0.01)
    assert pairs.std() == pytest.approx(theory.cosine_sd(1000), rel=0.01)
