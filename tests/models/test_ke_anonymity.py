"""(k,e)-anonymity: how many different numbers a class holds, and how far apart they lie."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.models import ke_anonymity


def table(groups, pay):
    frame = pd.DataFrame({"town": [f"t{g}" for g in groups], "pay": pay})
    return vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))


@pytest.mark.parametrize("name", ["qz_table2_2", "qz_table2_3"])
def test_both_printed_tables_meet_3_and_2000_and_not_3_and_10000(name):
    release = vk.published(name)
    assert ke_anonymity(release, k=3, e=2000).met is True
    assert ke_anonymity(release, k=4, e=2000).met is False
    wide = ke_anonymity(release, k=3, e=10_000)
    assert wide.met is False
    assert wide.span_per_class.tolist() == [2000, 10_000, 10_000]
    assert wide.per_class["beyond_e"].tolist() == [-8000, 0, 0]
    assert wide.per_class["beyond_k"].tolist() == [0, 0, 0]
    assert wide.per_record["met"].tolist() == [False] * 3 + [True] * 6


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), min_size=1, max_size=20))
def test_each_class_has_the_values_and_the_range_that_are_seen_in_it(records):
    groups, pay = zip(*records, strict=True)
    found = ke_anonymity(table(groups, pay), k=2, e=3)
    frame = pd.DataFrame({"g": groups, "p": pay}).groupby("g")["p"]
    assert found.different_per_class.tolist() == frame.nunique().tolist()
    assert found.span_per_class.tolist() == (frame.max() - frame.min()).tolist()
    assert found.met == all(
        len(set(p)) >= 2 and max(p) - min(p) >= 3 for p in frame.apply(list).tolist()
    )
    assert len(found.per_record) == len(records)
    assert found.met_per_class[found.worst] == found.met


@pytest.mark.parametrize("make", ["min_sum_error", "min_max_error", "max_groups"])
def test_what_a_partitioner_promises_the_released_table_meets(make):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(18, 90, 400), "pay": rng.normal(0, 9, 400).round(1)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    groups = getattr(vk.partition, make)(data, k=4, e=0.7, seed=1)
    release = vk.mask.permute_sensitive(data, partition=groups, seed=1).release
    assert ke_anonymity(release, k=4, e=0.7).met is True


def test_the_range_is_judged_by_the_numbers_as_they_are_stored():
    assert ke_anonymity(table([1, 1], [0.1, 0.3]), e=0.2).met is False
    assert ke_anonymity(table([1, 1], [0.1, 0.3]), e=0.3 - 0.1).met is True


def test_only_one_of_both_may_be_asked_for_or_none():
    data = table([1, 1, 2], [1, 5, 7])
    assert ke_anonymity(data, k=1).met is True
    assert ke_anonymity(data, e=1).met is False
    measured = ke_anonymity(data)
    assert (measured.different, measured.span, measured.met) == (1, 0, None)
    assert "asked for" not in repr(measured)
    assert measured.to_frame().columns.tolist() == ["town", "records", "different", "range"]
    assert "<table" in measured._repr_html_()


@pytest.mark.parametrize(
    ("data", "asked", "error", "sentence"),
    [
        (table([1], [1]), {"k": 0}, vk.RecordError, "k was given as 0; expected a whole number"),
        (table([1], [1]), {"e": -1}, vk.RecordError, "e was given as -1; expected a number from 0"),
        (table([1], [1]), {"e": np.nan}, vk.RecordError, "e"),
        (table([1, 1], [1, None]), {"missing": "own value"}, vk.SchemaError, "'pay' has missing"),
        (table([1, 1], [1, None]), {}, vk.SchemaError, "'pay' has 1 missing"),
        (vk.load("lhcc_table1"), {}, vk.SchemaError, "'Disease' holds categories or ranges"),
    ],
)
def test_what_cannot_be_judged_is_refused(data, asked, error, sentence):
    with pytest.raises(error, match=sentence):
        ke_anonymity(data, **asked)
