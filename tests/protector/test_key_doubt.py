"""Whether a key could come from the method that a release names."""

import numpy as np
import pytest

import verikit as vk
from verikit.protector._key_doubt import doubt_key


@pytest.fixture(scope="module")
def data():
    return vk.simulate("dm", 120, seed=3)


def said(data, frame, key, method, promise, **parameters):
    release = vk.TableRelease.of(
        frame, data.schema, method=method, parameters=parameters, promise=promise
    )
    return doubt_key(data, release, key.rows)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("noise", {"scale": 0.5}),
        ("rank_swap", {"percent": 10}),
        ("shuffle", {"correlation": 0.9}),
        ("microaggregate", {"k": 5}),
        ("randomize", {"changed": 1}),
    ],
)
def test_the_key_of_the_method_itself_is_never_doubted(data, method, given, seed):
    table = data if method != "randomize" else vk.Microdata(data.frame.round(-1), data.schema)
    masked = getattr(vk.mask, method)(table, **given, seed=seed)
    assert doubt_key(table, masked.release, masked.key.rows) == ""


def test_records_handed_on_as_wholes_do_not_come_from_noise(data):
    order = np.argsort(data.frame["X1"].to_numpy())
    taken = np.empty(120, int)
    taken[order] = np.roll(order, 1)
    frame = data.frame.iloc[taken].reset_index(drop=True)
    key = vk.Key.of(range(120))
    found = said(data, frame, key, "noise", "changed", scale=0.5)
    assert found.startswith("The key cannot come from noise as published: ")
    assert said(data, frame, key, "", "untold") == ""
    report = vk.audit(data, vk.TableRelease.of(frame, data.schema, promise="as it was"), key)
    assert report.doubt.startswith("The key cannot come from what is promised as published: ")
    assert "120 people have a row with other values than theirs." in report.doubt
    assert report.doubt in report.html(internal=True)
    assert report.doubt not in report.html()
    assert report.doubt in str(report)


def test_a_promise_of_another_order_is_held_against_the_values(data):
    found = said(data, data.frame + 1, vk.Key.of(range(120)), "swapped", "another order")
    assert found.endswith("X1 holds other values than the original, not another order of them.")


def test_a_key_of_other_rows_is_doubted_by_how_far_values_move(data):
    release, key = vk.mask.rank_swap(data, percent=5, seed=1)
    found = doubt_key(data, release, np.roll(key.rows, 40))
    assert "values of X1 move" in found
    assert "in 12 repetitions." in found
