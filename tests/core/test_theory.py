"""The formulas: against other ways to compute them, at their edges, and on wrong input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsacourse import theory
from vsacourse.algebra import FHRR, HRR, MAP
from vsacourse.theory.attention import _powers


def reference(s, codebook):
    """The integral by another rule: Gauss and Legendre's, 20 points on each of 240 panels."""
    points, weights = np.polynomial.legendre.leggauss(20)
    edges = np.linspace(-12, 12, 241)
    h = (edges[:-1, None] + 0.05 * (points + 1)).ravel()
    tail = np.array([math.erfc(abs(x) / math.sqrt(2)) / 2 for x in h + s])
    log_cdf = np.where(h + s < 0, np.log(np.maximum(tail, 1e-300)), np.log1p(-tail))
    density = np.exp((codebook - 1) * log_cdf - h**2 / 2) / math.sqrt(2 * math.pi)
    return float(density @ np.tile(0.05 * weights, 240))


@pytest.mark.parametrize("codebook", [1, 2, 3, 1000, 10**6, 10**9])
@pytest.mark.parametrize("signal", [1e-4, 0.01, 0.5, 2.0, 4.0, 7.0, 12.0, 300.0])
def test_recall_probability_is_its_integral(codebook, signal):
    # s² = N/M for MAP; neither needs to be whole.
    dim, items = max(1.0, signal**2), max(1.0, signal**-2)
    got = theory.recall_probability(dim, items, codebook)
    assert got == pytest.approx(reference(math.sqrt(dim / items), codebook), abs=1e-8)


def test_recall_probability_at_its_edges():
    assert theory.recall_probability(100, 10, 1) == pytest.approx(1, abs=1e-12)
    assert theory.recall_probability(1, 10**14, 8) == pytest.approx(1 / 8, abs=1e-6)  # a guess
    # Of two, the chance that one normal number exceeds another: 1 − Q(s/√2).
    assert theory.recall_probability(36, 9, 2) == pytest.approx(
        1 - theory.gaussian_tail(2 / math.sqrt(2)), abs=1e-12
    )
    assert theory.recall_probability(10**9, 1, 10**6) == 1


def test_recall_probability_broadcasts():
    dims, items = np.array([144, 256]), np.array([5, 10, 15])
    table = theory.recall_probability(dims[:, None], items, 1000, "FHRR")
    assert table.shape == (2, 3)
    for (i, j), value in np.ndenumerate(table):
        single = theory.recall_probability(int(dims[i]), int(items[j]), 1000, FHRR)
        assert value == pytest.approx(single, abs=1e-12)
    assert type(theory.recall_probability(144, 5, 1000, FHRR(7))) is float


cases = st.tuples(
    st.integers(1, 40), st.integers(2, 5000), st.sampled_from(["MAP", "FHRR", "BSC", "HRR"])
)


@given(case=cases, error=st.sampled_from([0.3, 0.01, 1e-6]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_dimension_for_is_the_smallest(case, error):
    items, codebook, model = case
    dim = theory.dimension_for(items, codebook, model, error)
    assert theory.recall_probability(dim, items, codebook, model) >= 1 - error
    assert dim == 1 or theory.recall_probability(dim - 1, items, codebook, model) < 1 - error


@given(dim=st.integers(1, 3000), codebook=st.integers(2, 5000), error=st.sampled_from([0.3, 0.01]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_items_for_is_the_largest(dim, codebook, error):
    items = theory.items_for(dim, codebook, "MAP", error)
    assert items == 0 or theory.recall_probability(dim, items, codebook) >= 1 - error
    assert theory.recall_probability(dim, items + 1, codebook) < 1 - error


def test_a_codebook_of_one_is_always_recalled():
    assert theory.dimension_for(10, 1) == 1
    with pytest.raises(ValueError, match="larger codebook"):
        theory.items_for(10, 1)


def test_capacity_constants():
    assert theory.capacity_constant(MAP) == theory.capacity_constant(HRR(5)) == 1
    assert theory.capacity_constant("FHRR") == 2
    assert theory.capacity_constant("FHRR", thresholded=True) == pytest.approx(math.pi / 2)
    assert theory.capacity_constant("MAP", thresholded=True) == pytest.approx(2 / math.pi)
    assert theory.capacity_constant("BSC") == theory.capacity_constant("BSC", thresholded=True)
    assert theory.capacity_constant("BSC") == pytest.approx(2 / math.pi)
    assert theory.capacity_constant("HRR", thresholded=True) == 1


def test_gaussian_tail_and_its_inverse():
    assert theory.gaussian_tail(1.6448536269514722) == pytest.approx(0.05, rel=1e-12)
    assert theory.gaussian_tail(20.0) == pytest.approx(2.7536241186062337e-89, rel=1e-10)
    z = np.array([-5.0, 0.0, 1.0, 8.0])
    np.testing.assert_allclose(theory.gaussian_tail_inverse(theory.gaussian_tail(z)), z, atol=1e-9)
    assert theory.gaussian_tail_inverse(1e-300) == pytest.approx(37.0471, abs=1e-3)
    for p in (0, 1, -0.1, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            theory.gaussian_tail_inverse(p)


def test_geometry():
    assert theory.cosine_sd(64) == 0.125
    assert theory.mean_abs_cosine(64) == pytest.approx(0.0997, abs=1e-4)
    assert theory.welch_bound(128, 64) == pytest.approx(0.089, abs=5e-4)
    assert theory.welch_bound(512, 64) == pytest.approx(0.117, abs=5e-4)
    assert theory.welch_bound(10, 64) == 0
    np.testing.assert_allclose(theory.cosine_sd(np.array([4, 16])), [0.5, 0.25])
    assert theory.symbols_that_fit(1000, 0.2) == pytest.approx(math.exp(10))
    assert theory.symbols_that_fit(10**7, 0.5) == math.inf


def test_crosstalk():
    assert theory.unbind_cosine(16) == theory.unbind_cosine(16, "FHRR") == 0.25
    assert theory.unbind_cosine(15, "HRR") == 0.25
    assert theory.unbind_cosine(15, "FHRR", thresholded=True) == pytest.approx(
        math.sqrt(math.pi / 60)
    )
    assert theory.unbind_cosine(1, "BSC") == theory.unbind_cosine(1, "FHRR", True) == 1
    # Many votes: 2 P − 1 goes to √(2/πM).
    assert theory.unbind_cosine(10_001, "BSC") == pytest.approx(
        math.sqrt(2 / math.pi / 10_001), rel=1e-4
    )
    np.testing.assert_allclose(theory.majority_agreement(np.array([1, 2, 4])), [1, 0.75, 0.6875])
    np.testing.assert_allclose(theory.nested_depth_cosine([0, 2], "HRR"), [1, 0.5])


@pytest.mark.parametrize("bad", [0, -1, float("nan")])
def test_numbers_below_their_range(bad):
    for call in (
        lambda: theory.cosine_sd(bad),
        lambda: theory.recall_probability(bad, 3, 5),
        lambda: theory.recall_probability(3, bad, 5),
        lambda: theory.recall_probability(3, 3, bad),
        lambda: theory.unbind_cosine(bad),
        lambda: theory.majority_agreement(bad),
        lambda: theory.largest_cosine(bad, 5),
    ):
        with pytest.raises(ValueError, match="of at least"):
            call()


def test_unknown_models_and_errors():
    with pytest.raises(ValueError, match="one of HRR, FHRR, MAP, BSC"):
        theory.capacity_constant("hrr")
    for error in (0, 1, 2, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            theory.dimension_for(3, 10, error=error)


def test_majorities_of_many():
    exact = 0.5 + math.comb(1002, 501) / 2**1003  # the last before and the first of the series
    assert theory.majority_agreement(1003) == pytest.approx(exact, abs=1e-15)
    assert theory.majority_agreement(1001) > theory.majority_agreement(1003)
    many = theory.majority_agreement(np.array([1e6 + 1, 1e15, 1e300]))
    np.testing.assert_allclose(
        many - 0.5, 1 / np.sqrt(2 * np.pi * np.array([1e6, 1e15, np.inf])), rtol=1e-6
    )
    with pytest.raises(ValueError, match="finite"):
        theory.majority_agreement(math.inf)


@pytest.mark.parametrize("bad", [np.array([3, 4]), [3], math.inf])
def test_one_number_is_needed_to_look_for_a_dimension(bad):
    for call in (
        lambda: theory.dimension_for(bad, 10),
        lambda: theory.dimension_for(3, bad),
        lambda: theory.items_for(bad, 10),
        lambda: theory.items_for(100, bad),
    ):
        with pytest.raises(ValueError, match="one finite number of at least 1 is needed"):
            call()


def test_errors_that_floats_cannot_tell_from_none():
    assert theory.dimension_for(3, 10, error=1e-12) > theory.dimension_for(3, 10, error=1e-9)
    for search in (theory.dimension_for, theory.items_for):
        with pytest.raises(ValueError, match="at least 1e-12 is needed"):
            search(3, 10, error=1e-17)


def test_strings_are_no_numbers():
    for call in (
        lambda: theory.cosine_sd("64"),
        lambda: theory.gaussian_tail("1"),
        lambda: theory.gaussian_tail_inverse("x"),
        lambda: theory.symbols_that_fit(64, "0.1"),
        lambda: theory.dimension_for("3", 10),
        lambda: theory.items_for(100, 10, error="0.1"),
        lambda: theory.plate_dimension(3, 10, "0.1"),
        lambda: theory.recall_probability(64, 3j, 10),
    ):
        with pytest.raises(TypeError, match="a real number"):
            call()
    assert theory.largest_cosine(10**30, 100) > 1  # Python's long whole numbers are numbers


@pytest.mark.parametrize("cosine", [0, -0.1, 1.1, math.nan])
def test_cosines_that_are_none(cosine):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        theory.symbols_that_fit(64, cosine)


def test_few_items_are_recalled_better_than_the_formula_says(rng):
    model, right = MAP(64), []
    for _ in range(400):
        codebook, keys = model.random(200, rng), model.random(3, rng)
        found = model.unbind(model.bundle(model.bind(codebook[:3], keys)), keys)
        right += (model.similarity(found, codebook).argmax(-1) == np.arange(3)).tolist()
    assert theory.recall_probability(64, 3, 200) == pytest.approx(0.958, abs=5e-4)
    assert np.mean(right) == pytest.approx(0.99, abs=0.01)
    assert "the formula says .958" in theory.recall_probability.__doc__


@pytest.mark.parametrize("model", ["MAP", "FHRR", "BSC"])
def test_one_pair_alone_comes_back_whole(model):
    assert theory.unbind_cosine(1, model) == theory.unbind_cosine(1, model, True) == 1
    assert theory.unbind_cosine(1, "HRR") == pytest.approx(1 / math.sqrt(2))


# What has no value


FINITE = {
    "cosine_sd": lambda x: theory.cosine_sd(x),
    "largest_cosine, pairs": lambda x: theory.largest_cosine(x, 10),
    "largest_cosine, dim": lambda x: theory.largest_cosine(10, x),
    "welch_bound": lambda x: theory.welch_bound(x, 10),
    "memory_cosine": lambda x: theory.memory_cosine(x, x),
    "pairs_for_cosine": lambda x: theory.pairs_for_cosine(1, x),
    "delta_cosine": lambda x: theory.delta_cosine(5, x),
    "softmax_weight": lambda x: theory.softmax_weight(x, x, 2),
    "recall_probability": lambda x: theory.recall_probability(x, x, 5),
    "recall_probability, codebook": lambda x: theory.recall_probability(x, 5, x),
    "recall_among_rivals": lambda x: theory.recall_among_rivals(100, 5, x, []),
    "membership_error": lambda x: theory.membership_error(x, x),
    "number_spread": lambda x: theory.number_spread(x, x),
    "number_spread, width": lambda x: theory.number_spread(10, 2, x),
    "induction_accuracy": lambda x: theory.induction_accuracy(x, x),
    "effective_items": lambda x: theory.effective_items([x, 0]),
    "role_recall, dim": lambda x: theory.role_recall(np.eye(2), x, 10),
    "role_recall, codebook": lambda x: theory.role_recall(np.eye(2), 10, x),
}


@pytest.mark.parametrize("name", FINITE)
@pytest.mark.parametrize("bad", [math.inf, math.nan, 10**400])
def test_what_would_be_no_number_is_refused(name, bad):
    """∞/∞ is NaN, and NaN in a figure is a gap that nobody sees."""
    with pytest.raises(ValueError, match=r"finite number of at least|past the largest float") as e:
        FINITE[name](bad)
    assert "\n" not in str(e.value)
    assert not str(e.value).startswith("p ")  # the name of an inner function's argument


def test_not_a_number_is_refused_where_any_number_is_taken():
    for call in (theory.gaussian_tail, theory.number_kernel):
        with pytest.raises(ValueError, match="is nan; a number is needed, not NaN"):
            call(math.nan)
    assert theory.gaussian_tail(math.inf) == 0


def test_long_arrays_are_shown_on_one_line():
    for bad in (np.zeros((30, 30)), np.zeros(400)):
        for call in (theory.cosine_sd, lambda x: theory.pairs_for_cosine(x, 5)):
            with pytest.raises(ValueError, match="is array") as caught:
                call(bad)
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 200


def test_a_small_rate_is_the_sum_rule():
    """For β → 0 the delta rule forgets nothing: 1 − g is 0 in floats, and no value is NaN."""
    for n, d, later in ((100, 64, 3), (5, 3, 0), (7, 1, 6)):
        for rate in (1e-9, 1e-17, 1e-300, 5e-324):
            found = theory.delta_cosine(n, d, rate, later)
            assert found == pytest.approx(theory.memory_cosine(n, d), abs=1e-7)
    np.testing.assert_allclose(theory.delta_cosine(100, 1, 1.0, np.array([0, 1, 5])), [1, 0, 0])
    assert theory.delta_cosine(20, 1e300) == pytest.approx(1)


def test_sums_of_powers_at_both_ends():
    counts = np.array([0, 1, 5])
    for loss, expected in ((0.0, counts), (1.0, [0, 1, 1]), (0.5, [0, 1, 31 / 16])):
        np.testing.assert_allclose(_powers(np.array(loss), counts), expected)


def test_the_delta_rule_written_out():
    n, d, beta, a = 9, 5, 0.4, 3
    g, m = 1 - (2 * beta - beta**2) / d, 1 - beta / d
    later = sum(g**i for i in range(a))
    earlier = sum(g**i for i in range(n - 1 - a))
    w = g**a - m ** (2 * a)
    crosstalk = beta**2 / d * (later + ((1 - beta) ** 2 * m ** (2 * a) + w) * earlier)
    signal = beta * m**a
    expected = signal / math.sqrt(signal**2 + crosstalk)
    assert theory.delta_cosine(n, d, beta, a) == pytest.approx(expected)


@pytest.mark.parametrize("model", ["BSC", "MAP", "HRR"])
def test_effective_items_are_of_a_list(model):
    with pytest.raises(ValueError, match=r"shared is 3; a list is needed, with a number for each"):
        theory.effective_items(3, model)
    if model == "BSC":
        with pytest.raises(ValueError, match=r"shared is \[\]; a list"):
            theory.effective_items([], model)
    else:
        assert theory.effective_items([], model) == 0


# The crosstalk of an induction head


def test_crosstalk_variances_are_counted():
    """Σ over the rows: 1, 2, 2, 6 for a raw HRR, of which the match's 2 goes and comes."""
    assert theory.crosstalk_variance() == (3, 4)
    assert theory.crosstalk_variance(superposed=True) == (15, 16)
    assert theory.crosstalk_variance("raw HRR") == (11, 11)
    assert theory.crosstalk_variance("raw HRR", superposed=True) == (44, 44)


@pytest.mark.parametrize("role", ["orthogonal", "raw HRR"])
def test_crosstalk_variances_are_those_of_scores(role, rng):
    d, draws, n = 256, 12, 800  # the variance is over tokens for one r, averaged over r
    model = HRR(d)
    tokens = rng.standard_normal((4, draws, n, d))
    t, p, u, v = tokens / np.linalg.norm(tokens, axis=-1, keepdims=True)
    r = (model.random if role == "raw HRR" else model.unitary)(draws, rng)[:, None]

    def scores(key, before):
        query = model.bind(t + model.bind(p, r), r)  # x_t W_QK, with W_QK the role map
        return (query * (key + model.bind(before, r))).sum(-1)

    for (key, before), expected, mean in zip(
        ((u, t), (u, v)), theory.crosstalk_variance(role), (1, 0), strict=True
    ):
        found = scores(key, before)
        assert found.mean() == pytest.approx(mean, abs=0.1)
        assert d * found.var(-1).mean() == pytest.approx(expected, rel=0.12)  # ± 6 % for raw HRR
