import io
import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from vsacourse import widgets
from vsacourse.widgets import explore

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(autouse=True)
def _every_figure_is_closed():
    plt.switch_backend("agg")
    plt.close("all")
    yield
    assert not plt.get_fignums()


def draw(d):
    plt.plot([0, d], [0, 1])


def draw_two(d, N):
    figure, ax = plt.subplots()
    ax.bar([0, 1], [d, N])
    return figure, ax


def frames(widget):
    data = re.search(r'<script type="application/json">(.*?)</script>', widget.html, re.S)
    return json.loads(data[1])


def test_one_parameter_has_a_frame_for_each_choice():
    widget = explore(draw, alt="A line", d=[64, 256, 1024], start=256)
    data = frames(widget)
    assert data["names"] == ["d"]
    assert data["labels"] == [["64", "256", "1024"]]
    assert data["alt"][1] == "A line (d = 256)"
    assert data["caption"][1] == "d = 256"
    assert len(set(data["png"])) == 3
    for text in ('value="1"', 'aria-valuetext="d = 256"', 'role="group"', 'aria-live="polite"'):
        assert text in widget.html
    assert data["png"][1] in widget.html.split("<script")[0]
    assert repr(widget) == "Explore(d from 64 to 1024, 3 choices)"


def test_two_parameters_are_a_grid_the_last_one_fastest():
    widget = explore(
        draw_two, alt=lambda d, N: f"Bars {d}/{N}", d=[1, 2], N=range(3), start={"N": 2}
    )
    data = frames(widget)
    assert data["alt"] == [f"Bars {d}/{n}" for d in (1, 2) for n in range(3)]
    assert data["caption"][5] == "d = 2, N = 2: Bars 2/2"
    assert widget.values == {"d": 1, "N": 2}
    assert data["png"][2] in widget.html.split("<script")[0]


def test_the_page_is_the_same_every_time():
    first, second = (explore(draw, alt="A line", d=[1, 2]) for _ in range(2))
    assert first.html == second.html
    assert explore(draw, alt="A line", d=[1, 3]).html != first.html


def test_labels_belong_to_their_inputs():
    page = explore(draw_two, alt="Bars", d=[1, 2], N=[3, 4]).html
    ids = re.findall(r'<input type="range" id="([^"]+)"', page)
    assert len(set(ids)) == 2
    assert re.findall(r'<label class="vsa-name" for="([^"]+)"', page) == ids
    assert re.findall(r'<output for="([^"]+)"', page) == ids


def test_texts_cannot_leave_their_place():
    bad = '</script><img src=x onerror="1">'
    page = explore(lambda d: plt.plot([1]), alt=bad, d=[bad, "b"]).html
    assert page.count("</script>") == 2
    assert "<img src=x" not in page


def test_mime_bundle_has_live_static_and_plain():
    widget = explore(draw, alt="A line", d=[1, 2])
    bundle = widget._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {VIEW, "text/html", "text/plain"}
    assert bundle[VIEW]["model_id"] == widget.box.model_id
    for outside in ("http:", "https:", "require", "import("):
        assert outside not in bundle["text/html"]


def test_sliders_change_the_live_image():
    calls = []

    def counted(d, N):
        calls.append((d, N))
        return draw_two(d, N)[1]

    widget = explore(counted, alt=lambda d, N: f"Bars {d}/{N}", d=[1, 2], N=[3, 4])
    before = widget.image.value
    assert [slider.description for slider in widget.sliders.values()] == ["d", "N"]
    assert all(slider.tooltip for slider in widget.sliders.values())
    widget.sliders["N"].value = 4
    assert calls[-1] == (1, 4)
    assert widget.image.value != before
    assert widget.image.value.startswith('<img alt="Bars 1/4" ')
    assert "d = 1, N = 4: Bars 1/4" in widget.message.value
    assert widget.values == {"d": 1, "N": 4}


def test_an_error_while_live_is_one_line_and_keeps_the_figure():
    broken = []

    def sometimes(d):
        draw(d)
        if broken:
            raise RuntimeError("a <b>\nand more")

    widget = explore(sometimes, alt="A line", d=[1, 2, 3])
    before = widget.image.value
    broken.append(True)
    widget.sliders["d"].value = 2
    assert widget.image.value == before
    message = widget.message.value
    assert "still shows d = 1. At d = 2: RuntimeError: a &lt;b&gt;<" in message
    broken.clear()
    widget.sliders["d"].value = 3
    assert widget.image.value != before
    assert "still" not in widget.message.value


def returns_axes(d):
    return plt.subplots()[1]


def returns_array(d):
    return plt.subplots(1, 2)[1]


def returns_subfigure_axes(d):
    return plt.figure().subfigures(1, 2)[0].subplots()


def returns_own_figure(d):
    figure = Figure()
    figure.subplots()
    return figure


def shows_it(d):
    draw(d)
    plt.show()


def opens_two(d):
    plt.subplots()
    plt.subplots()


@pytest.mark.parametrize(
    "func",
    [draw, returns_axes, returns_array, returns_subfigure_axes, returns_own_figure, shows_it,
     opens_two],
)  # fmt: skip
def test_functions_may_return_anything_or_nothing(func):
    show = plt.show
    explore(func, alt="Something", d=[1, 2])
    assert plt.show is show


def test_an_open_figure_of_the_caller_stays_as_it_is():
    mine, ax = plt.subplots()
    plt.figure()
    plt.figure(mine.number)
    explore(draw, alt="A line", d=[1, 2])
    assert not ax.lines
    assert plt.gcf() is mine
    assert len(plt.get_fignums()) == 2
    plt.close("all")


def test_frames_have_a_small_palette_and_their_size():
    widget = explore(draw, alt="A line", d=[1, 2], dpi=50)
    picture = Image.open(io.BytesIO(widget.png))
    assert picture.mode == "P"
    assert f'width="{picture.width}" height="{picture.height}"' in widget.html
    assert len(widget.png) < 12_000


def test_numpy_values_floats_and_texts_are_choices():
    widget = explore(lambda p, kind: draw(p), alt="A", p=np.linspace(0.1, 0.3, 3), kind=("a", "b"))
    assert frames(widget)["labels"] == [["0.1", "0.2", "0.3"], ["a", "b"]]
    assert type(widget.values["p"]) is float


def test_texts_get_buttons_and_numbers_a_slider():
    widget = explore(lambda head, d: draw(d), alt="A", head=["0.0", "1.0"], d=[1, 2])
    buttons = widget.sliders["head"]
    assert type(buttons).__name__ == "ToggleButtons"
    assert type(widget.sliders["d"]).__name__ == "SelectionSlider"
    buttons.value = "1.0"
    assert widget.values == {"head": "1.0", "d": 1}
    page = widget.html
    assert page.count('type="radio"') == 2
    assert page.count('type="range"') == 1
    assert re.findall(r'value="(\d)" checked', page) == ["0"]
    named, owner = (
        re.search(x, page)[1]
        for x in (r'labelledby="([^"]+)"', r'<span class="vsa-name" id="([^"]+)"')
    )
    assert named == owner


def nothing(d):
    pass


def breaks(d):
    plt.subplots()
    raise KeyError("inside")


BAD = [
    (ValueError, "given: none", lambda: explore(draw, alt="A")),
    (ValueError, "given: a, b, c", lambda: explore(draw, alt="A", a=[1], b=[1], c=[1])),
    (ValueError, "d has no choices", lambda: explore(draw, alt="A", d=[])),
    (ValueError, r"choice twice \(1\)", lambda: explore(draw, alt="A", d=[1, 2, 1.0])),
    (TypeError, "give a list or a range", lambda: explore(draw, alt="A", d=5)),
    (TypeError, "give a list or a range", lambda: explore(draw, alt="A", d="abc")),
    (TypeError, "is a list", lambda: explore(draw, alt="A", d=[[1]])),
    (ValueError, "start d = 3 is not among", lambda: explore(draw, alt="A", d=[1], start=3)),
    (ValueError, "no parameter", lambda: explore(draw, alt="A", d=[1], start={"e": 1})),
    (ValueError, "dict", lambda: explore(draw_two, alt="A", d=[1], N=[1], start=1)),
    (ValueError, "drew nothing at d = 1", lambda: explore(nothing, alt="A", d=[1])),
    (TypeError, r"draw\(d\) cannot be called with N", lambda: explore(draw, alt="A", N=[1])),
    (TypeError, "without parentheses", lambda: explore(3, alt="A", d=[1])),
    (ValueError, "alt is empty", lambda: explore(draw, alt=" ", d=[1])),
    (ValueError, "alt gave None at d = 1", lambda: explore(draw, alt=lambda d: None, d=[1])),
    (ValueError, "dpi is 0", lambda: explore(draw, alt="A", d=[1], dpi=0)),
    (KeyError, "inside", lambda: explore(breaks, alt="A", d=[1])),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_calls_give_one_clear_line(case):
    kind, message, call = BAD[case]
    with pytest.raises(kind, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_an_exception_of_the_function_says_at_which_values():
    with pytest.raises(KeyError) as caught:
        explore(breaks, alt="A", d=[1])
    assert caught.value.__notes__ == ["explore was drawing the frame at d = 1."]


def test_too_large_a_page_stops_early_and_says_what_to_reduce(monkeypatch):
    monkeypatch.setattr(widgets, "MAX_PAGE_BYTES", 30_000)
    drawn = []

    def noise(d):
        drawn.append(d)
        plt.imshow(np.random.default_rng(d).random((300, 300)))

    message = r"of 100 frames already take 0\.\d\d MB.*fewer choices.*smaller dpi"
    with pytest.raises(ValueError, match=message):
        explore(noise, alt="Noise", d=range(100))
    assert len(drawn) < 5


@pytest.mark.browser
def test_the_static_page_works_from_a_file_with_the_keyboard(chromium, tmp_path):
    one = explore(draw, alt=lambda d: f"Line to {d} </script>", d=[64, 256, 1024], start=256)
    two = explore(draw_two, alt="Bars", d=[1, 2], N=[3, 4, 5])
    heads = explore(lambda head: draw(len(head)), alt="Heads", head=["a", "bc", "d"], start="bc")
    body = "\n<hr>\n".join([one.html, two.html, one.html, heads.html, heads.html])
    path = tmp_path / "page.html"
    path.write_text(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>t</title>'
        f'<meta name="viewport" content="width=device-width"><body>{body}</body></html>',
        encoding="utf-8",
    )
    page = chromium.new_page()
    faults, requests = [], []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text))
    page.on("request", lambda request: requests.append(request.url))
    try:
        page.set_viewport_size({"width": 390, "height": 800})
        page.goto(path.as_uri())
        groups = page.get_by_role("group")
        first, grid, copy, clicked, other = (groups.nth(k) for k in range(5))

        def press(group, label, key):
            slider = group.get_by_label(label, exact=True).and_(group.get_by_role("slider"))
            before = group.locator("img").get_attribute("src")
            slider.focus()
            page.keyboard.press(key)
            assert group.locator("img").get_attribute("src") != before
            return slider.get_attribute("aria-valuetext")

        assert press(first, "d", "ArrowRight") == "d = 1024"
        assert first.locator("output").inner_text() == "1024"
        assert first.get_by_role("img").get_attribute("alt") == "Line to 1024 </script>"
        assert first.locator("[aria-live]").inner_text() == "d = 1024: Line to 1024 </script>"
        assert press(grid, "d", "End") == "d = 2"
        assert press(grid, "N", "End") == "N = 5"
        assert grid.get_by_role("img").get_attribute("alt") == "Bars (d = 2, N = 5)"
        data = frames(two)
        assert grid.locator("img").get_attribute("src").endswith(data["png"][5])
        # An equal explore further down answers to its own slider only.
        assert copy.locator("output").inner_text() == "256"
        assert press(copy, "d", "Home") == "d = 64"
        assert first.locator("output").inner_text() == "1024"
        # Buttons: one is pressed in each copy, and a click changes its own figure.
        assert [g.get_by_label("bc").is_checked() for g in (clicked, other)] == [True, True]
        clicked.get_by_label("d", exact=True).check()
        assert clicked.get_by_role("img").get_attribute("alt") == "Heads (head = d)"
        assert other.get_by_role("img").get_attribute("alt") == "Heads (head = bc)"
        page.keyboard.press("ArrowLeft")
        assert clicked.locator("[aria-live]").inner_text() == "head = bc"
        assert clicked.get_by_role("radiogroup", name="head").count() == 1
        ids = page.eval_on_selector_all("input[id]", "all => all.map(one => one.id)")
        assert len(set(ids)) == len(ids)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390
        assert not faults
        assert [url for url in requests if not url.startswith("data:")] == [path.as_uri()]
    finally:
        page.close()


def test_a_function_may_close_every_figure_first():
    def draw_anew(d):
        plt.close("all")
        plt.subplots()[1].plot([0, d])

    widget = explore(draw_anew, alt="A line.", d=[1, 2])
    plt.subplots()[1].plot([5, 6])  # the caller's, which takes a number given out again
    again = explore(draw_anew, alt="A line.", d=[1, 2])
    assert frames(again) == frames(widget)
    assert plt.get_fignums() == []
