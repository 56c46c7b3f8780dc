import itertools
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vsacourse import figures
from vsacourse.figures.cells import ink

TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
# Machado, Oliveira & Fernandes 2009, severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]]
    ),
    "deuteranopia": np.array(
        [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]]
    ),
    "tritanopia": np.array(
        [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]]
    ),
}


@pytest.fixture(autouse=True)
def _no_figure_left():
    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def linear(color):
    rgb = np.array(mpl.colors.to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(light):
    t = TO_XYZ @ light / [0.9505, 1.0, 1.089]
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def luminance(color):
    return float(TO_XYZ[1] @ linear(color))


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_colors_differ_in_lightness_and_stand_out_on_white():
    lightness = [lab(linear(color))[0] for color in figures.COLORS]
    assert (np.diff(lightness) >= 6).all()
    assert all(contrast(color, "white") >= 3 for color in figures.COLORS)


@pytest.mark.parametrize("vision", VISION)
def test_colors_differ_for_colour_blind_readers(vision):
    seen = [lab(np.clip(VISION[vision] @ linear(c), 0, 1)) for c in figures.COLORS]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 15


def test_every_color_has_signs_of_its_own():
    for signs in (figures.COLORS, figures.LINES, figures.MARKERS, figures.HATCHES):
        assert len(set(signs)) == len(figures.COLORS)


def test_ends_of_the_colour_scale_differ_in_grey():
    negative, zero, positive = (lab(linear(figures.DIVERGING(x)))[0] for x in (0.0, 0.5, 1.0))
    assert zero > 95
    assert negative - positive > 25
    assert zero - negative > 25


def test_numbers_on_cells_are_legible():
    for x in np.linspace(0, 1, 101):
        color = figures.DIVERGING(x)
        assert contrast(color[:3], ink(color)) >= 4.5


def draw_all(rng):
    matrix = rng.uniform(-1, 1, (3, 4))
    x = np.arange(1.0, 6.0)
    return [
        figures.similarity_heatmap(matrix),
        figures.vector_strip(matrix),
        figures.histogram_against_theory(rng.normal(size=50), lambda t: np.exp(-t * t)),
        figures.capacity_curve(x, x, x - 1, x + 1, theory=x),
    ]


def test_axes_are_labelled_and_large_enough_to_read(rng):
    for axes in draw_all(rng):
        axes.get_figure().canvas.draw()
        assert axes.get_xlabel()
        assert axes.get_ylabel() or "component" in axes.get_xlabel()
        assert axes.xaxis.label.get_size() >= 12
        assert all(tick.get_size() >= 11 for tick in axes.get_xticklabels())
        assert axes.get_figure().get_facecolor() == (1, 1, 1, 1)


def test_matplotlib_settings_are_as_before(rng):
    before = dict(mpl.rcParams)
    draw_all(rng)
    with figures.style():
        assert mpl.rcParams["font.size"] == 13
    with pytest.raises(ValueError, match="empty"):
        figures.similarity_heatmap(np.zeros((0, 3)))
    assert dict(mpl.rcParams) == before


def test_draws_on_the_given_axes_and_leaves_inputs_unchanged(rng):
    _, ax = plt.subplots()
    count = len(plt.get_fignums())
    x, samples, matrix = np.arange(4.0), rng.normal(size=20), rng.normal(size=(2, 3))
    kept = [x.copy(), samples.copy(), matrix.copy()]

    def spoil(t):
        t *= 0
        return t

    assert figures.capacity_curve(x, x, theory=spoil, ax=ax) is ax
    assert figures.histogram_against_theory(samples, spoil, ax=ax) is ax
    assert figures.similarity_heatmap(matrix, ax=ax) is ax
    assert figures.vector_strip(matrix, ax=ax) is ax
    assert len(plt.get_fignums()) == count
    for new, old in zip([x, samples, matrix], kept, strict=True):
        assert_array_equal(new, old)


def test_heatmap_is_centred_and_writes_its_numbers():
    axes = figures.similarity_heatmap([[1, -0.25], [0.001, -0.001]], ["a", "b"], ["c", "d"])
    assert axes.images[0].get_clim() == (-1, 1)
    assert [t.get_text() for t in axes.texts] == ["1.00", "−.25", "0", "0"]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["a", "b"]
    assert axes.get_figure().axes[1].get_ylabel() == "similarity (cosine)"
    assert figures.similarity_heatmap([[3.0, -1]]).images[0].get_clim() == (-3, 3)


def test_large_heatmap_writes_no_numbers_but_marks_negative_cells(rng):
    matrix = np.full((13, 13), 0.5)
    matrix[2, 3] = -0.6
    axes = figures.similarity_heatmap(matrix)
    assert not axes.texts
    assert [patch.get_xy() for patch in axes.patches] == [(2.5, 1.5)]
    figures.similarity_heatmap(rng.uniform(-1, 1, (200, 150))).get_figure().canvas.draw()


def test_strip_takes_one_vector_bits_and_signs():
    assert [t.get_text() for t in figures.vector_strip([1, -1]).texts] == ["1", "−1"]
    assert figures.vector_strip(np.array([[True, False]])).images[0].get_array().shape == (1, 2)
    figures.vector_strip(np.zeros((2, 3)), ["a", "b"]).get_figure().canvas.draw()


def test_histogram_has_area_one_and_its_theory(rng):
    samples = {"a": rng.normal(size=500), "b": rng.normal(3, 1, size=(20, 25))}
    axes = figures.histogram_against_theory(samples, {"p": np.zeros_like, "q": np.ones_like})
    assert len(axes.lines) == 2
    assert axes.lines[0].get_linestyle() != axes.lines[1].get_linestyle()
    names = [t.get_text() for t in axes.get_legend().get_texts()]
    assert sorted(names) == ["a", "b", "p", "q"]


def test_curves_added_to_the_same_axes_differ_in_every_sign():
    x = np.arange(5)
    ax = figures.capacity_curve(x, x, label="one")
    figures.capacity_curve(x, x + 1, x, x + 2, ax=ax, label="two")
    one, two = ax.lines
    assert one.get_color() != two.get_color()
    assert one.get_marker() != two.get_marker()
    assert one.get_linestyle() != two.get_linestyle()
    band = ax.collections[0].get_paths()[0].get_extents()
    assert (band.y0, band.y1) == (0, 6)


def test_torch_is_taken():
    torch = pytest.importorskip("torch")
    axes = figures.similarity_heatmap(torch.eye(2, requires_grad=True))
    assert_array_equal(axes.images[0].get_array(), np.eye(2))


NAN = np.array([1.0, np.nan])
BAD = [
    (lambda: figures.similarity_heatmap([1, 2]), r"shape \(2,\).*matrix"),
    (lambda: figures.similarity_heatmap([NAN]), r"matrix\[0, 1\] is nan"),
    (lambda: figures.similarity_heatmap([[1j]]), "complex"),
    (lambda: figures.similarity_heatmap([["a"]]), "real numbers"),
    (lambda: figures.similarity_heatmap([[1.0]], ["a", "b"]), "2 rows for 1"),
    (lambda: figures.similarity_heatmap([[1.0]], limit=0), "limit is 0"),
    (lambda: figures.vector_strip(np.zeros((2, 65))), "65 components"),
    (lambda: figures.vector_strip(np.zeros((2, 2)), ["a"]), "1 labels for 2"),
    (lambda: figures.histogram_against_theory([]), "non-empty"),
    (lambda: figures.histogram_against_theory(NAN), "is nan"),
    (lambda: figures.histogram_against_theory({}), "one to 5"),
    (lambda: figures.histogram_against_theory([1.0, 2], bins=0), "bins is 0"),
    (lambda: figures.histogram_against_theory([1.0, 2], lambda x: 1.0), r"shape \(\)"),
    (lambda: figures.histogram_against_theory([1.0, 2], lambda x: -x), "negative"),
    (lambda: figures.histogram_against_theory([1.0, 2], lambda x: x * np.nan), "is nan"),
    (lambda: figures.capacity_curve([1, 2], [1]), "mean has 1 numbers and x has 2"),
    (lambda: figures.capacity_curve([2, 1], [1, 1]), "does not increase"),
    (lambda: figures.capacity_curve([1, 2], [1, 1], low=[0, 0]), "both low and high"),
    (lambda: figures.capacity_curve([1, 2], [1, 1], [0, 2], [1, 1]), "above high = 1 at x = 2"),
    (lambda: figures.capacity_curve([1, 2], NAN), "is nan"),
    (lambda: figures.capacity_curve([], []), "non-empty"),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_input_gives_one_clear_line_and_no_figure(case):
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert not plt.get_fignums()


def test_importing_the_package_imports_no_pyplot():
    code = "import sys, vsacourse; assert not {'matplotlib', 'ipywidgets'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_histogram_of_samples_that_are_nearly_one_number():
    axes = figures.histogram_against_theory(1 + np.array([0, 1, 2]) * np.finfo(float).eps)
    (bars,) = axes.patches
    low, high = bars.get_extents().intervalx
    assert low < high
    plt.close(axes.figure)
    with pytest.raises(ValueError, match=r"reach from -1e\+308 to 1e\+308; scale them"):
        figures.histogram_against_theory([-1e308, 1e308])


# Attention


def test_attention_pattern_names_both_axes(backend):
    A = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
    ax = figures.attention_pattern(backend(A), ["S", "A", "B"])
    assert ax.get_xlabel() == "key (attends to)"
    assert ax.get_ylabel() == "query (attends from)"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["S", "A", "B"]
    np.testing.assert_allclose(ax.images[0].get_array(), A)  # rows are queries
    assert ax.images[0].get_clim() == (0, 1)
    assert sum(t.get_text() == ".33" for t in ax.texts) == 3


def test_head_patterns_share_one_scale_and_label_the_edges():
    rng = np.random.default_rng(0)
    A = rng.dirichlet(np.ones(4), (6, 4))
    figure = figures.head_patterns(A, list("abcd"), titles=[f"{i}" for i in range(6)])
    shown = [ax for ax in figure.axes if ax.images and ax.get_visible()][:6]
    assert [ax.get_title() for ax in shown] == list("012345")
    assert all(ax.images[0].get_clim() == (0, 1) for ax in shown)
    assert [bool(ax.get_ylabel()) for ax in shown] == [True, False, False, False, True, False]
    assert [bool(ax.get_xlabel()) for ax in shown] == [False, False, True, True, True, True]


def test_contribution_bars_add_up():
    parts = {"embed": [1.0, -2.0], "head 0.0": [0.5, 3.0], "head 0.1": [-0.25, -1.0]}
    ax = figures.contribution_bars(parts, ["A", "B"])
    total = ax.lines[0].get_ydata()
    np.testing.assert_allclose(total, [1.25, 0.0])
    assert [t.get_text() for t in ax.get_legend().get_texts()][-3:] == list(parts)
    tops = {(round(p.get_x() + 0.35), p.get_y() + max(p.get_height(), 0)) for p in ax.patches}
    assert (0, 1.5) in tops
    assert (1, 3.0) in tops


def test_token_circuit_says_what_rows_and_columns_are():
    ax = figures.token_circuit(np.eye(3), list("ABC"), kind="matching")
    assert ax.get_ylabel() == "query token (attends)"
    ax = figures.token_circuit(np.eye(3), list("ABC"))
    assert ax.get_xlabel() == "token predicted"
    assert ax.get_ylabel() == "token attended to"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: figures.attention_pattern(np.ones((2, 3)) / 3), r"shape \(2, 3\)"),
        (lambda: figures.attention_pattern(5 * np.eye(2)), "Take the pattern, not the scores"),
        (lambda: figures.attention_pattern(np.eye(2), ["a"]), "1 tokens for 2"),
        (lambda: figures.head_patterns(np.eye(2)), r"\(head, query, key\)"),
        (lambda: figures.token_circuit(np.eye(2), kind="moving"), "kind is 'moving'"),
        (lambda: figures.contribution_bars({}), "0 parts; give 1 to 10"),
        (lambda: figures.contribution_bars({"a": [1.0], "b": [1.0, 2.0]}), r"parts\['b'\] has 2"),
    ],
)
def test_attention_figures_refuse(call, words):
    with pytest.raises(ValueError, match=words):
        call()
