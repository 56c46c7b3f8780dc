"""The view in which an induction head forms: recorded, live in a thread, stopped, and failing."""

from __future__ import annotations

import base64
import io
import json
import re
import threading
from dataclasses import replace

import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from vsacourse.figures import COLORS

pytest.importorskip("torch")
from vsacourse.widgets import forming
from vsacourse.widgets.forming import watch_induction


@pytest.fixture(scope="module")
def watched():
    return watch_induction(seed=0, pictures=3)


def choose(watched, **values):
    for name, value in values.items():
        watched.controls[name].value = value


def test_the_page_has_the_recorded_frames(watched):
    data = json.loads(re.search(r"application/json\">(.*?)</script>", watched.html).group(1))
    assert len(data["png"]) == len(data["alt"]) == len(data["caption"]) == 3
    assert len(set(data["png"])) == 3
    assert data["labels"][0][0] == "0"
    first, last = data["caption"][0], data["caption"][-1]
    assert "after the match 0." in first
    assert "period 9" in data["alt"][0]
    assert float(re.search(r"head 1.0: after the match ([\d.]+)", last).group(1)) > 0.8
    assert "head 0.0: on the place before 0." in last
    assert "its match undoes what 0.0 writes 1.00" in last
    assert len(watched.html) < 400_000


def test_jupyter_gets_controls_and_a_page_gets_html(watched):
    bundle = watched._repr_mimebundle_()
    assert "text/html" in bundle
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "step" in bundle["text/plain"]


def test_a_run_in_a_thread_moves_the_picture_and_ends_with_its_numbers(watched):
    choose(watched, layers="2", heads="2", period="drawn for each text", seed=1)
    before = watched.image.value
    main = threading.get_ident()
    watched.controls["start"].click()
    assert watched._thread.ident != main
    watched.wait(60)
    assert not watched.running
    assert watched.image.value != before
    assert watched.run.solved
    assert watched.run.recipe.config.n_heads == 2
    last = watched.moments[-1]
    assert last.elsewhere > 0.9
    assert last.cut < 0.5  # without what layer 0 writes the answers go
    assert last.composed > 0.9
    assert set(last.patterns) == {"0.0", "0.1", "1.0", "1.1"}
    assert watched.controls["stop"].disabled
    assert [m.step for m in watched.moments] == list(range(0, watched.moments[-1].step + 1, 10))
    assert "accuracy" in watched.message.value
    assert "By elimination alone 0.25" in watched.message.value
    assert last.itself < 0.2
    assert "turned: it binds" in watched.message.value
    assert "it unbinds" in watched.message.value
    assert "Other heads may share the work" in watched.message.value


def test_the_closing_words_ask_for_every_measure(watched):
    choose(watched, layers="2", heads="1", period="drawn for each text", seed=0)
    watched.start()
    watched.wait(60)
    run, last = watched.run, watched.moments[-1]
    said = forming._found(run, last)
    assert "turned: it binds." in said
    assert "it unbinds" in said
    assert said in watched.message.value
    factor = forming._found(run, replace(last, itself=1.0))
    assert "times a factor." in factor
    assert "binds" not in factor
    for poor in (
        {"elsewhere": 0.5},
        {"composed": 0.5},
        {"cut": 0.9},
        {"matching": {"1.0": 0.02}},
        {"previous": {"0.0": 0.04}},
    ):
        assert forming._found(run, replace(last, **poor)) == "", poor


def test_the_recorded_run_ends_with_the_same_words(watched):
    data = json.loads(re.search(r"application/json\">(.*?)</script>", watched.html).group(1))
    assert "turned: it binds" in data["caption"][-1]
    assert "binds" not in data["caption"][0]
    assert all("the token itself explains" in caption for caption in data["caption"])


def test_a_fixed_period_is_a_trap_that_the_view_shows(watched):
    choose(watched, layers="2", heads="1", period="always 12", seed=0)
    watched.start()
    watched.wait(60)
    last = watched.moments[-1]
    assert last.accuracy > 0.98
    assert last.matching[last.matching_head] < 0.3  # at period 9: the stripe lies elsewhere
    assert "it has learned a place, not a match" in watched.message.value
    assert last.previous[last.previous_head] < 0.1
    assert last.elsewhere < 0.1
    assert last.composed < 0.5  # nothing is bound that a match could undo
    assert "at period 9 0.0" in watched.message.value
    assert "binds" not in watched.message.value


def test_colours_are_the_same_in_every_frame(watched):
    """One palette: a line that has a colour keeps it, and no two lines share one."""
    data = json.loads(re.search(r"application/json\">(.*?)</script>", watched.html).group(1))
    images = [Image.open(io.BytesIO(base64.b64decode(png))) for png in data["png"]]
    found = [{color for _, color in im.convert("RGB").getcolors(9999)} for im in images]
    for color in COLORS:
        rgb = tuple(round(255 * c) for c in to_rgb(color))
        assert all(rgb in colors for colors in found), color


def test_other_settings_are_said_to_need_a_start(watched):
    choose(watched, seed=7)
    assert "press Start" in watched.message.value


def test_settings_changed_during_a_run_are_said_to_need_a_start(watched):
    choose(watched, layers="1", heads="1", period="drawn for each text", seed=0)
    watched.start()
    assert "press Start" not in watched.message.value
    choose(watched, seed=9)
    watched.stop()
    watched.wait(60)
    assert "Stopped" in watched.message.value
    assert "press Start" in watched.message.value
    assert watched.run.seed == 0


def test_it_can_be_stopped_and_started_again(watched):
    choose(watched, layers="1", heads="1", period="drawn for each text", seed=0)
    watched.start()
    watched.controls["stop"].click()
    watched.wait(60)
    assert watched.run.stopped
    assert "Stopped" in watched.message.value
    watched.start()
    watched.start()  # the first of them is stopped
    watched.stop()
    watched.wait(60)
    assert not watched.running


def test_an_error_in_the_thread_is_said(watched, monkeypatch):
    def broken(*_args, **_options):
        raise ValueError("no such thing\nsecond line")

    monkeypatch.setattr("vsacourse.widgets.forming.train", broken)
    watched.start()
    watched.wait(10)
    assert "ValueError: no such thing" in watched.message.value
    assert "second line" not in watched.message.value


def test_the_control_shows_the_seed_of_the_record():
    assert watch_induction(seed=2_000_000, pictures=2).controls["seed"].value == 2_000_000


@pytest.mark.parametrize("pictures", [1, True, 2.5])
def test_too_few_pictures_are_refused(pictures):
    with pytest.raises(ValueError, match="at least 2"):
        watch_induction(pictures=pictures)
