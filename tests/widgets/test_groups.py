"""GroupsView: labelled groups, the original against what is published of them."""

import re

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.widgets import GroupsView


@pytest.fixture
def she(before):
    return before(GroupsView(ell=4))


def blocks(she):
    """The tables of each group, as sets of columns: the original, then what is published."""
    found = []
    for block in she.html.split("<h3>")[1:]:
        tables = block.count("<table>")
        start = sum(len(part) for part in found)
        found.append([she.rows(start + at) for at in range(tables)])
    return found


def columns(tables):
    """The values of each column of some tables, sorted."""
    return {
        head: sorted(row[at] for row in rows[1:])
        for rows in tables
        for at, head in enumerate(rows[0])
    }


def test_nine_patients_make_two_groups_of_four_diseases(she):
    assert sorted(she.view.partition.sizes) == [4, 5]
    assert she.view.verdict.value == 4
    assert "Every group holds at least 4 values of disease." in she.card
    assert "Groups of 4 to 5 records." in she.card
    first, second = she.view.partition.sizes
    assert f"Group A: {first} records, published as number" in she.card
    assert f"Group B: {second} records, published as number" in she.card


@pytest.mark.parametrize("method", ["permute_all", "anatomize"])
def test_two_tables_show_what_the_group_held_and_nothing_else(she, method):
    she.types("method", method)
    assert len(blocks(she)) == 2
    for original, *published in blocks(she):
        held, shown = columns([original]), columns(published)
        assert shown == {name: held[name] for name in ("Age", "Sex", "Disease")}


def test_anatomy_keeps_rows_and_permutation_does_not(she):
    she.types("method", "anatomize")
    for original, quasi, _ in blocks(she):
        assert {(r[1], r[2]) for r in original[1:]} == {tuple(r) for r in quasi[1:]}
    kept = []
    for seed in range(8):
        she.types("method", "permute_all")
        she.types("seed", str(seed))
        kept += [
            {(r[1], r[2]) for r in original[1:]} == {tuple(r) for r in quasi[1:]}
            for original, quasi, _ in blocks(she)
        ]
    assert not all(kept)


def test_one_coarse_table_covers_every_value_of_the_group(she):
    she.types("method", "generalize")
    for original, published in blocks(she):
        ages = [int(row[1]) for row in original[1:]]
        assert {row[0] for row in published[1:]} == {f"{min(ages)} to {max(ages)}"}
        assert len(published) == len(original)


def test_groups_of_any_people_tell_who_was_left_over(she):
    she.types("grouping", "anatomy")
    assert she.view.partition.method == "anatomy"
    assert "1 record left over and added." in she.card


def test_more_values_than_the_table_allows_are_refused_at_the_slider(she):
    she.types("ell", "5")
    assert isinstance(she.view.last_error, InfeasibleError)
    assert she.field("ell").error.endswith("the largest ell that can be reached is 4.")
    assert she.view.result is None
    assert she.view.partition is None
    assert she.field("ell").limits == (1, 7, 1)  # seven diseases


def test_shuffling_again_changes_the_tables_and_the_same_number_brings_them_back(she):
    first = she.html
    she.presses("again")
    assert she.view.seed == 2
    assert she.html != first
    she.types("seed", "1")
    assert she.html == first


@pytest.mark.parametrize(
    ("field", "value"), [("ell", "two"), ("grouping", "none"), ("method", "hide"), ("seed", "x")]
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value):
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert she.field(field).error.removeprefix("The ").startswith(field)


def test_a_table_without_a_secret_is_refused(before):
    she = before(GroupsView(vk.load("dm_table1")))
    assert isinstance(she.view.last_error, SchemaError)
    assert "0 sensitive columns" in she.card


def test_of_many_groups_the_first_are_shown_and_the_rest_is_counted(before):
    frame = pd.DataFrame({"age": range(40), "ill": ["a", "b"] * 20})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    she = before(GroupsView(data, ell=2))
    assert len(she.view.partition) == 20
    assert "and 12 more groups" in she.card
    assert she.html.count("<h3>") == 8


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": ["<i>", "<i>"], "ill": ["<img src=x>", "b"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    she = before(GroupsView(data, ell=2))
    assert "<script>" not in she.html
    assert "<img" not in she.html
    assert "<i>" not in she.html


@pytest.mark.parametrize("method", ["permute_all", "anatomize", "generalize"])
def test_lines_lead_from_each_record_to_the_rows_that_show_its_values(she, method):
    she.types("method", method)
    data, groups = vk.load("lhcc_table1"), she.view.partition
    release, key = getattr(vk.mask, method)(data, partition=groups, seed=she.view.seed)
    whole = method == "generalize"
    known, secret = (release.frame,) * 2 if whole else (release.quasi, release.sensitive)
    for records, said in zip(groups.groups(), she.pictures, strict=True):
        places = np.sort(key.rows[records])
        told = re.findall(r"published row (\d+)(?:, \w+ in row (\d+))?\.", said)
        assert len(told) == len(records)
        for record, (row, other) in zip(data.frame.take(records).itertuples(), told, strict=True):
            age = known["Age"].iloc[places[int(row) - 1]]
            assert record.Age in age if whole else record.Age == age
            assert secret["Disease"].iloc[places[int(other or row) - 1]] == record.Disease


def test_a_picture_of_a_group_has_two_lines_a_record_and_no_colour_alone(she):
    picture = re.findall(r"<svg width=\"100%.*?</svg>", she.html)[0]
    records = she.view.partition.sizes[0]
    assert picture.count("<line") == 2 * records
    assert picture.count("stroke-dasharray") == records
    assert "before" in picture
    assert "published" in picture


def test_groups_meet_what_is_required_of_each_instead(she):
    she.types("requirement", "t_closeness,t=0.4; frequency_diversity,ell=2")
    held = she.view.result.sensitive.groupby("Group-ID")["Disease"].agg(list)
    everybody = she.view.result.sensitive["Disease"].value_counts(normalize=True)
    for values in held:
        here = pd.Series(values).value_counts(normalize=True)
        assert everybody.sub(here, fill_value=0).abs().sum() / 2 <= 0.4
        assert here.max() <= 0.5
    assert "t-closeness" in she.card
    assert "frequency diversity" in she.card
    she.types("requirement", "t_closeness,t=many")
    assert "t was given as 'many'; expected a number" in she.field("requirement").error
    she.types("requirement", "t_closeness,t=0.4")
    she.types("grouping", "anatomy")
    assert "Only groups of alike people are made by a requirement" in she.field("requirement").error
    she.types("requirement", "")
    assert sorted(she.view.partition.sizes) == [4, 5]
