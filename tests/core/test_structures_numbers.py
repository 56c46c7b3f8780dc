"""Numbers in vectors: the kernel, reading back, the predicted spread."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsacourse import structures, theory
from vsacourse.algebra import FHRR, HRR
from vsacourse.backend import to_numpy
from vsacourse.structures import NumberReading, NumberSpace

MODELS = [FHRR(1024), HRR(1024), HRR(1021)]


def bases(model, k, rng):
    return (model.power_base if isinstance(model, HRR) else model.random)(k, rng)


@given(x=st.floats(-5, 5), y=st.floats(-5, 5), dim=st.sampled_from([1, 2, 3, 7, 13]))
@settings(max_examples=30, deadline=None, derandomize=True)
def check_addition(backend, x, y, dim):
    for model in (FHRR(dim), HRR(dim)):
        base = backend(bases(model, 1, np.random.default_rng(dim))[0])
        both = model.bind(
            structures.encode_number(model, base, x, 2.0),
            structures.encode_number(model, base, y, 2.0),
        )
        one = structures.encode_number(model, base, x + y, 2.0)
        np.testing.assert_allclose(to_numpy(both), to_numpy(one), atol=1e-4)


def test_binding_adds_numbers(backend):
    check_addition(backend)


def test_batches_of_numbers_and_points(backend, rng):
    for model in (FHRR(31), HRR(31)):
        pair = backend(bases(model, 2, rng))
        values = rng.uniform(-2, 2, (3, 4))
        many = structures.encode_number(model, pair[0], backend(values), 0.5)
        assert many.shape == (3, 4, 31)
        single = structures.encode_number(model, pair[0], float(values[1, 2]), 0.5)
        np.testing.assert_allclose(to_numpy(many[1, 2]), to_numpy(single), atol=1e-5)
        points = structures.encode_point(model, pair, backend(values.reshape(6, 2)))
        x, y = (structures.encode_number(model, pair[i], float(values[0, i])) for i in (0, 1))
        np.testing.assert_allclose(to_numpy(points[0]), to_numpy(model.bind(x, y)), atol=1e-5)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("value", [0.0, 0.01, 3.7, 6.283, 9.99, 10.0])
def test_a_number_is_read_back(model, value, backend, rng):
    space = NumberSpace.random(model, 0, 10, width=0.7, rng=rng)
    space = space.to(backend(space.bases))
    reading = space.read(space.encode(value))
    # Parabolas through similarities in single precision: 1e-7 of the hill's height.
    assert reading.value == pytest.approx(value, abs=1e-3)
    assert reading.similarity == pytest.approx(1, abs=1e-5)
    assert reading.error == pytest.approx(0, abs=1e-12)
    assert reading.spread == 0


@pytest.mark.parametrize("model", [FHRR(1024), HRR(1021)])
def test_a_point_is_read_back(model, backend, rng):
    space = NumberSpace.random(model, (-1, 0), (3, 5), rng=rng)
    space = space.to(backend(space.bases))
    reading = space.read(space.encode((0.123, 4.321)))
    np.testing.assert_allclose(reading.value, (0.123, 4.321), atol=2e-3)
    assert "NumberReading((0.123, 4.321), similarity=1.00" in repr(reading)


@pytest.mark.parametrize("items", [3, 10])
@pytest.mark.parametrize("model", [FHRR(512), HRR(512), HRR(511)])
def test_the_spread_of_a_number_among_others(model, items, rng):
    """200 draws give a standard deviation within 20 % in four standard errors; the hill is no
    parabola, which adds up to a tenth when it is low."""
    deviations = []
    for _ in range(200):
        space = NumberSpace.random(model, 0, 5, width=0.5, rng=rng)
        value = rng.uniform(1, 4)
        noise = model.random(items - 1, rng).sum(0)
        reading = space.read(space.encode(value) + noise, items=items)
        deviations.append(reading.value - value)
    assert reading.error < 1e-4
    assert np.max(np.abs(deviations)) < 0.5  # always on the right hill
    assert np.std(deviations) == pytest.approx(reading.spread, rel=0.25)
    assert abs(np.mean(deviations)) < 4 * reading.spread / np.sqrt(200)


def test_the_spread_of_a_point_is_that_of_a_number(rng):
    model, deviations = FHRR(256), []
    for _ in range(60):
        space = NumberSpace.random(model, (0, 0), (3, 3), rng=rng)
        value = rng.uniform(1, 2, 2)
        reading = space.read(space.encode(value) + model.random(4, rng).sum(0), items=5)
        deviations.extend(np.array(reading.value) - value)
    assert np.std(deviations) == pytest.approx(reading.spread, rel=0.35)  # 120: 26 % in four


def test_wrong_hills_are_predicted(rng):
    """Past the capacity the reading is anywhere: the share beside recall among the hills.

    The grid compares about one independent number for each width, and a number whose neighbour
    wins counts as right; within .1 of the prediction.
    """
    model, wrong = FHRR(64), []
    for _ in range(300):
        space = NumberSpace.random(model, 0, 50, rng=rng)
        value = rng.uniform(1, 49)
        vector = space.encode(value) + model.random(9, rng).sum(0)
        reading = space.read(vector, items=10)
        wrong.append(abs(reading.value - value) > 1)
    assert 0.05 < reading.error < 0.5
    assert np.mean(wrong) == pytest.approx(reading.error, abs=0.1)


def test_a_number_as_a_filler(backend, rng):
    model = FHRR(2048)
    space = NumberSpace.random(model, 0, 100, width=5, rng=rng)
    space = space.to(backend(space.bases))
    roles = backend(model.random(2, rng))
    fillers = backend(np.stack([to_numpy(space.encode(x)) for x in (31.4, 72.0)]))
    record = structures.encode_record(model, roles, fillers)
    reading = space.read(structures.read_role(model, record, roles[0]), items=2)
    assert reading.value == pytest.approx(31.4, abs=5 * reading.spread)
    assert 0 < reading.spread < 0.1


def test_gradients_flow_through_a_number(torch, rng):
    for model in (FHRR(16), HRR(16)):
        pair = torch.from_numpy(bases(model, 2, rng))
        value = torch.tensor(0.3, requires_grad=True)
        other = structures.encode_number(model, pair[0], 0.8)
        encoded = structures.encode_number(model, pair[0], value[None])
        model.similarity(encoded, other).sum().backward()
        assert float(value.grad) > 0  # moving towards .8 makes it more similar
        point = torch.tensor([0.2, 0.4], requires_grad=True)
        abs(structures.encode_point(model, pair, point)[0]).backward()
        assert bool(torch.isfinite(point.grad).all())


def test_wrong_numbers(rng):
    model = FHRR(16)
    space = NumberSpace.random(model, 0, 10, rng=rng)
    for call, words in (
        (lambda: space.encode(11), "the value is 11; it needs to lie from 0.0 to 10.0"),
        (lambda: space.encode(float("nan")), "needs to lie"),
        (lambda: space.encode((1, 2)), "needs to lie"),
        (lambda: space.read(model.random(2, rng)), "Read one vector at a time"),
        (lambda: NumberSpace.random(model, 3, 3, rng=rng), "low needs to be below high"),
        (lambda: NumberSpace.random(model, 0, np.inf, rng=rng), "NaN or infinite"),
        (lambda: NumberSpace.random(model, 0, 1, 0, rng=rng), "a number above 0"),
        (lambda: NumberSpace.random(model, (0, 0), 1, rng=rng), "k bounds each"),
        (lambda: NumberSpace.random(model, (0, 0), (999, 999), rng=rng), "Take a larger width"),
        (lambda: structures.encode_point(model, space.bases, np.zeros(2)), r"\(\.\.\., k\)"),
        (lambda: structures.encode_number(HRR(16), HRR(16).random(1, rng)[0], 0.5), "not unitary"),
        (lambda: structures.encode_number(model, space.bases[0], float("nan")), "NaN"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="real number"):
        structures.encode_number(model, space.bases[0], 1j)
    assert repr(space) == "NumberSpace(FHRR(dim=16), 0.0 to 10.0, width 1)"


def test_number_readings_print():
    reading = NumberReading(3.70004, 0.5, 0.002, 0.0312, None)
    assert repr(reading) == "NumberReading(3.7, similarity=0.50, error=0.002, spread=0.03)"
    assert str(reading) == "3.7 ± 0.03 (similarity 0.50, predicted error 0.2%)"
    assert theory.number_spread(512, 1) == 0
