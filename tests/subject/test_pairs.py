"""S14: swapping in pairs is called undone where somebody who knows all values undoes it."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.subject.masked._repeat import undone_pairs

HALF = 60  # levels a standard deviation that leave about half of 150 values unique


def swapped(n, m, percent, seed, levels=None, scheme="pairs"):
    values = np.random.default_rng(seed).normal(size=(n, m))
    values = values if levels is None else np.round(values * levels)
    data = vk.Microdata(pd.DataFrame(values, columns=list("abcdef")[:m]))
    return data, *vk.mask.rank_swap(data, percent=percent, scheme=scheme, seed=seed + 50)


@pytest.mark.parametrize(
    ("n", "m", "percent", "levels"),
    [
        (20, 3, 40, None),
        (150, 2, 10, None),
        (150, 2, 50, None),
        (150, 3, 100, None),
        (150, 3, 20, HALF),
    ],
)
def test_where_it_is_said_nearly_everybody_is_linked_rightly(n, m, percent, levels):
    said, right = [], []
    for seed in range(6):
        data, release, key = swapped(n, m, percent, seed, levels)
        links = vk.intruder.undo_pairs(data, release)
        own = links.rows == key.rows[links.records]
        sole = links.counts[links.records] == 1
        said.append(undone_pairs(release))
        right.append((own & sole).sum() / n)
    assert any(said)
    assert all(share >= 0.9 for share, told in zip(right, said, strict=True) if told)


@pytest.mark.parametrize(
    ("m", "percent", "levels", "scheme"),
    [
        (1, 20, None, "pairs"),
        (2, 100, None, "pairs"),
        (2, 20, HALF, "pairs"),
        (3, 20, 2, "pairs"),
        (3, 20, None, "cycles"),
        (3, 0, None, "pairs"),
    ],
)
def test_it_is_not_said_where_pairs_are_not_undone_or_there_are_none(m, percent, levels, scheme):
    _, release, _ = swapped(150, m, percent, 1, levels, scheme)
    assert not undone_pairs(release)


def test_a_table_swapped_in_pairs_warns_whoever_asks_and_says_why():
    data, release, _ = swapped(150, 3, 40, 1)
    report = vk.check(data.record(0), release, runs=3)
    assert report.headline.state == "warning-table"
    assert report.headline.text == report.sentence("S14")
    assert "undone by someone who knows everybody's values" in report.headline.text
    assert report.sentence("S9") is None, "this attack is stronger than what would be repeated"
    some = vk.check({"a": 1.0, "b": 0.0}, release)
    assert some.sentence("S14"), "it is the table that falls, whatever she gave"


@pytest.mark.parametrize(
    "parameters",
    [{}, {"places": 3}, {"places": {"a": "far", "b": [1]}}, {"places": {"z": 4}, "scheme": "?"}],
)
def test_odd_words_of_a_publisher_lead_to_no_claim(parameters):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [3.0, 2, 1]})
    release = vk.TableRelease.of(frame, method="rank_swap", parameters=parameters)
    assert not undone_pairs(release)
