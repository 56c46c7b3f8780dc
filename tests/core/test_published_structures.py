"""Further numbers from the literature, and closed forms, measured."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from tests.core.structure_cases import WITH_ORDER, make
from vsacourse import ItemMemory, theory
from vsacourse.algebra import BSC, FHRR, HRR, MAP, VTB
from vsacourse.backend import to_numpy
from vsacourse.structures import NGrams, encode_number

DIFFERENCES = [0.25, 0.5, 1.0, 1.5, 2.5, 4.0]


@pytest.mark.parametrize("x", DIFFERENCES)
def test_uniform_phases_give_the_sinc_kernel(x, backend, rng):
    """Frady, Kleyko, Kymn, Olshausen & Sommer (2021): E e^(iθx) = sin(πx)/(πx), θ ~ U(−π, π).

    The mean over 20,000 phases has a standard deviation below 1/√40,000 = .005: four of them.
    """
    expected = theory.number_kernel(x)
    assert expected == pytest.approx(math.sin(math.pi * x) / (math.pi * x))
    model = FHRR(20_000)
    base = backend(model.random(1, rng)[0])
    a, b = (encode_number(model, base, value) for value in (0.3, 0.3 + x))
    assert float(model.similarity(a, b)) == pytest.approx(expected, abs=0.02)
    real = HRR(20_001)
    base = backend(real.power_base(1, rng)[0])
    a, b = (encode_number(real, base, value) for value in (0.3, 0.3 + x))
    # 10,000 independent phases, and frequency 0 alone has phase 0.
    assert float(real.similarity(a, b)) == pytest.approx(expected, abs=0.028)


@pytest.mark.parametrize("dim", [2, 3, 8, 9])
def test_the_real_frequencies_of_a_power_base_lift_the_kernel(dim, rng):
    """k of d frequencies have phase 0 (k = 1, or 2 for even d): (k + (d − k) sinc)/d in the mean.

    4,000 bases: four standard errors are below 4/√4000 · 1/√2 = .045.
    """
    model, x = HRR(dim), 0.5
    bases = model.power_base(4000, rng, np.float64)
    powers = encode_number(model, bases, x)
    mean = np.mean(model.similarity(powers, np.eye(dim)[0]))  # e = base^0
    k = 1 + (dim % 2 == 0)
    assert mean == pytest.approx((k + (dim - k) * theory.number_kernel(x)) / dim, abs=0.045)


@pytest.mark.parametrize("x", DIFFERENCES)
def test_normal_phases_give_the_normal_kernel(x, backend, rng):
    """The same source: E e^(iθx) = e^(−σ²x²/2), θ ~ N(0, σ²), the characteristic function.

    σ = .6, so that a phase past π, which would be read as another, comes once in 6 million.
    """
    model, sigma = FHRR(20_000), 0.6
    base = backend(np.exp(1j * rng.normal(0, sigma, 20_000)).astype(np.complex64))
    similarity = model.similarity(encode_number(model, base, x), encode_number(model, base, 0.0))
    assert float(similarity) == pytest.approx(math.exp(-(sigma**2) * x**2 / 2), abs=0.02)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_uniform_keys_of_map_lose_by_depth(depth, backend, rng):
    """MAP-C, keys u ~ U(−1, 1): cosine (E u²/√E u⁴)^r = (⅓/√⅕)^r = (√5/3)^r.

    Schlegel, Neubert & Protzel (2022) use such vectors. x stays itself times Π u_i².
    """
    model = MAP(200_000)
    a = backend(model.random(1, rng)[0])
    x = a
    for _ in range(depth):
        key = backend(rng.uniform(-1, 1, 200_000).astype(np.float32))
        x = model.unbind(model.bind(x, key), key)
    assert float(model.similarity(x, a)) == pytest.approx((math.sqrt(5) / 3) ** depth, abs=0.01)


def binomial_tail(n, most):
    """P(X ≤ most) for n fair coins, exactly."""
    term = total = 1
    for k in range(most):
        term = term * (n - k) // (k + 1)
        total += term
    return total / 2**n


def test_the_space_of_kanerva(backend, rng):
    """Kanerva (2009): 10,000 bits differ in 5,000, with a standard deviation √d/2 of 50.

    By counting, within 4,750 bits of a point lies less than a millionth of the space, and within
    4,700 a thousand-millionth (five and six standard deviations).
    """
    assert binomial_tail(10_000, 4_750) == pytest.approx(theory.gaussian_tail(5.0), rel=0.05)
    assert binomial_tail(10_000, 4_750) < 1e-6
    assert binomial_tail(10_000, 4_700) == pytest.approx(1e-9, rel=0.1)
    model = BSC(10_000)
    items = backend(model.random(200, rng))
    cosines = to_numpy(model.similarity(items, items))[np.triu_indices(200, 1)]
    distances = (1 - cosines) / 2 * 10_000
    assert distances.mean() == pytest.approx(5_000, abs=4 * 50 / math.sqrt(len(distances)))
    assert distances.std() == pytest.approx(50, rel=0.03)
    assert 4_700 < distances.min() < 4_850  # of 19,900 the nearest, about four deviations
    assert 5_150 < distances.max() < 5_300


@pytest.mark.parametrize(
    ("depth", "moments"), [(1, (1, 2, 5, 14)), (2, (1, 3, 12, 55)), (3, (1, 4, 22, 140))]
)
def test_moments_of_vtb_are_fuss_catalan_numbers(depth, moments, backend, rng):
    """Unbinding what was bound with r keys is P = G Gᵀ, G a product of r Gaussian matrices, and
    E xP^m xᵀ = C((r + 1)m, m)/(rm + 1) (Penson & Życzkowski 2011; r = 1: the Catalan numbers).

    That is the limit of large k; real matrices are above it by a few times 1/k, the more
    the larger m and r: for k = 160 by up to (m − 1)(r + 1) percent.
    """
    model = VTB(160**2)
    x = backend(model.random(20, rng))
    keys = [backend(model.random(20, rng)) for _ in range(depth)]
    y = x
    for m, expected in enumerate(moments, start=1):
        assert expected == math.comb((depth + 1) * m, m) // (depth * m + 1)
        for key in keys:
            y = model.bind(y, key)
        for key in reversed(keys):
            y = model.unbind(y, key)
        mean = float(to_numpy((x * y).sum(-1)).mean())
        assert mean == pytest.approx(expected, rel=0.03 + 0.01 * (m - 1) * (depth + 1))
    assert theory.nested_depth_cosine(depth, "VTB") == pytest.approx(
        moments[0] / math.sqrt(moments[1])
    )


@pytest.mark.parametrize("depth", [1, 2])
def test_moments_of_hrr_are_powers_of_factorials(depth, backend, rng):
    """In HRR P is a product of r exponential numbers at each frequency, E P^m = (m!)^r.

    The distribution has a long tail: m = 3 to within a sixth for 200 vectors of 4,096.
    """
    model = HRR(4096)
    x = backend(model.random(200, rng, np.float64))
    y = x
    keys = [backend(model.random(200, rng, np.float64)) for _ in range(depth)]
    for m in (1, 2, 3):
        for key in keys:
            y = model.unbind(model.bind(y, key), key)
        mean = float(to_numpy((x * y).sum(-1)).mean())
        assert mean == pytest.approx(math.factorial(m) ** depth, rel=0.02 if m == 1 else 0.17)


@pytest.mark.parametrize("name", [n for n in WITH_ORDER if n != "BSC"])
@pytest.mark.parametrize("n", [2, 3])
def test_texts_overlap_as_the_counts_of_their_ngrams(name, n, rng):
    """Σ_g c_g c′_g/(‖c‖ ‖c′‖): n-grams are nearly orthonormal (Kanerva 2009; Joshi, Halseth &
    Kanerva 2016 tell languages so). Within four times 1/√d, times √2 in VTB for its longer tails.
    """
    model = make(name, 10_000)
    letters = ItemMemory.random(model, list("abcdefghijklmnopqrstuvwxyz "), rng)
    texts = ("the cat sat on the mat", "the dog sat on the cat", "what is that on the mat")
    counts = [Counter(t[i : i + n] for i in range(len(t) - n + 1)) for t in texts]
    held = [NGrams(t, letters, n) for t in texts]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        dot = sum(counts[i][g] * counts[j][g] for g in counts[i])
        norms = math.prod(math.sqrt(sum(c**2 for c in counts[k].values())) for k in (i, j))
        assert 0.3 < dot / norms < 0.95
        assert held[i].similarity(held[j]) == pytest.approx(dot / norms, abs=0.057)


@pytest.mark.parametrize("shared", [1, 2, 3])
def test_majorities_of_three_that_share_items(shared, backend, rng):
    """Two majorities of three bits with s items in common: bits agree ⅝, ¾ and 1 of the time.

    By counting: s = 1 gives ½ + ⅛ (each agrees with the shared item ¾ of the time, in the same
    and independent way: ¾² + ¼²); s = 2: the shared two agree in half of the cases and decide,
    else the third ones decide each alone: ½ + ½·½.
    """
    agreement = {1: 0.75**2 + 0.25**2, 2: 0.75, 3: 1.0}[shared]
    model = BSC(40_000)
    items = backend(model.random(6 - shared, rng))
    first, second = model.bundle(items[:3]), model.bundle(items[3 - shared :])
    cosine = float(model.similarity(first, second))
    assert (1 + cosine) / 2 == pytest.approx(agreement, abs=0.01)  # four deviations: 2/√40,000
