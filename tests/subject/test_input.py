"""Whatever a person types and however a table came in: the same answer, or one clear sentence."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import verikit as vk

tables = st.integers(2, 3).flatmap(
    lambda m: st.lists(st.tuples(*[st.integers(-4, 4)] * m), min_size=2, max_size=12)
)
scales = st.tuples(st.sampled_from([0.125, 0.5, 3, 1000]), st.integers(-1000, 1000))


def release_of(rows, **facts):
    """A release of whole numbers a, b, ... in which not everybody is the same."""
    frame = pd.DataFrame(rows, columns=list("abc")[: len(rows[0])])
    assume((frame.nunique() > 1).all())
    return vk.TableRelease.of(frame, **facts)


def found(record, release):
    """What the check finds, but for the places of the matches in the table."""
    report = vk.check(record, release)
    return report.attributes[["attribute", "distance"]], report.matches.drop(columns="row"), report


def assert_same(first, second):
    for before, after in zip(first[:2], second[:2], strict=True):
        pd.testing.assert_frame_equal(before, after)
    assert first[2].headline.state == second[2].headline.state


def half(values):
    """Values half a step off the released ones, above, below or on them."""
    return {name: value / 2 for name, value in zip("abc", values, strict=False)}


# -- one table, however it came in ----------------------------------------------------------------


@given(tables, st.lists(st.integers(-12, 12), min_size=3, max_size=3), st.randoms())
def test_the_order_of_the_rows_and_their_labels_change_nothing(rows, values, shuffler):
    release = release_of(rows)
    mixed = release_of(shuffler.sample(rows, len(rows)))
    labelled = vk.TableRelease.of(mixed.frame.set_axis(["same"] * len(rows)))
    record = {name: half(values)[name] for name in release.schema.names}
    assert_same(found(record, release), found(record, mixed))
    assert_same(found(record, release), found(record, labelled))


@pytest.mark.parametrize("dtype", ["int8", "Int64", "float32", "Float64", "object", "category"])
@given(rows=tables, values=st.lists(st.integers(-12, 12), min_size=3, max_size=3))
def test_the_dtype_of_the_released_columns_changes_nothing(dtype, rows, values):
    release = release_of(rows)
    other = vk.TableRelease.of(release.frame.astype(dtype), release.schema)
    record = {name: half(values)[name] for name in release.schema.names}
    assert_same(found(record, release), found(record, other))


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.float32, np.float64, str, " {} ".format])
@given(rows=tables, place=st.integers(0, 11))
def test_the_type_of_the_values_she_gives_changes_nothing(kind, rows, place):
    release = release_of(rows)
    record = release.frame.iloc[place % len(rows)].to_dict()
    typed = {name: kind(int(value)) for name, value in record.items()}
    assert_same(found(record, release), found(typed, release))


@given(
    tables,
    st.lists(st.integers(0, 11), min_size=3, max_size=3),
    st.sampled_from([np.exp, np.arctan, lambda values: values**3 - 5]),
)
def test_any_increasing_rescaling_keeps_all_places_where_her_values_are_published(
    rows, places, rescaled
):
    """Each of her values is published, though perhaps in the rows of different people."""
    release = release_of(rows)
    other = vk.TableRelease.of(rescaled(release.frame.astype(float)))
    before, after = (
        vk.check({n: f[n].iloc[p % len(rows)] for n, p in zip(f, places, strict=False)}, table)
        for f, table in ((release.frame, release), (other.frame, other))
    )
    pd.testing.assert_frame_equal(before.matches, after.matches)
    assert before.attributes["distance"].tolist() == after.attributes["distance"].tolist()


@given(tables, st.lists(st.integers(-12, 12), min_size=3, max_size=3), scales)
def test_another_unit_keeps_the_places_of_any_record(rows, values, scale):
    factor, shift = scale
    release = release_of(rows)
    record = {name: half(values)[name] for name in release.schema.names}
    other = vk.TableRelease.of(release.frame * factor + shift)
    moved = {name: value * factor + shift for name, value in record.items()}
    assert_same(found(record, release), found(moved, other))


@given(tables, st.lists(st.integers(-12, 12), min_size=3, max_size=3))
def test_turning_every_attribute_around_keeps_all_places(rows, values):
    release = release_of(rows)
    record = {name: half(values)[name] for name in release.schema.names}
    other = vk.TableRelease.of(-release.frame)
    first, second = vk.check(record, release), vk.check({n: -v for n, v in record.items()}, other)
    assert first.facts["distance"] == second.facts["distance"]
    assert sorted(first.matches["row"]) == sorted(second.matches["row"])


# -- what cannot be used --------------------------------------------------------------------------

STAGES = vk.Schema((vk.Column("stage", kind="ordinal", order=("I", "II", "III")), vk.Column("age")))
STAGED = vk.TableRelease.of(
    pd.DataFrame({"stage": ["III", "I", "II"], "age": [30, 40, 50]}), STAGES
)


def test_an_ordinal_attribute_is_ranked_in_its_declared_order():
    report = vk.check({"stage": "II", "age": 41}, STAGED)
    assert report.attributes["first_rank"].tolist() == [2, 2]
    matches = report.matches.set_index("row")[["stage", "age"]]
    assert matches.loc[[1, 2, 3]].to_numpy().tolist() == [[1, 1], [1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"stage": "IV"}, "'IV' is not a category of 'stage'; it has 'I', 'II', 'III'"),
        ({"stage": 2}, "'2' is not a category of 'stage'"),
        ({"age": "forty"}, "'age' was given as 'forty'; expected a number"),
        ({"age": "about 41"}, "'age' was given as 'about 41'; expected a number"),
        ({"age": [41]}, r"'age' was given as \[41\]; expected a number"),
        ({"age": pd.NA}, "The record holds no value"),
        ({"age": "1e999"}, "'age' was given as '1e999'; expected a finite number"),
        ({"Age": 41}, "'Age', which the release lacks; it has 'stage', 'age'"),
        ("41", "given as str; expected a dictionary"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_what_was_expected(record, sentence):
    with pytest.raises(vk.RecordError, match=sentence):
        vk.check(record, STAGED)


@pytest.mark.parametrize("release", [pd.DataFrame({"a": [1]}), None, 7])
def test_what_is_no_release_is_refused(release):
    with pytest.raises(vk.SchemaError, match=r"The release was given as .*; expected a release"):
        vk.check({"a": 1}, release)


@pytest.mark.parametrize(
    ("age", "side"), [(29, 1), (30, 1), (40, 2), (50, 3), (999, 3), (-1e300, 1)]
)
def test_a_value_beyond_the_published_ones_is_closest_to_the_last(age, side):
    report = vk.check({"stage": "II", "age": age}, STAGED)
    assert report.attributes["first_rank"].tolist() == [2, side]
    beyond = not 30 <= age <= 50
    assert any("outside the published range 30 to 50" in note for note in report.notes) == beyond


def test_missing_values_in_an_attribute_she_leaves_out_do_not_matter():
    frame = pd.DataFrame({"a": [1.0, None, 3], "b": [1, 2, 3], "c": [2, 3, 1]})
    record = {"b": 2, "c": 2}
    whole = vk.TableRelease.of(frame.drop(columns="a"))
    assert_same(found(record, vk.TableRelease.of(frame)), found(record, whole))


@pytest.mark.parametrize("prepared", [False, True])
def test_of_several_closest_records_all_are_shown_and_counted(prepared):
    release = vk.TableRelease.of(pd.DataFrame({"a": [1, 1, 1, 2], "b": [5, 5, 5, 6]}))
    report = vk.check({"a": 1, "b": 5}, release.prepare() if prepared else release)
    assert sorted(report.matches["row"]) == [1, 2, 3]
    assert report.sentence("S1").startswith("3 of 4 published records are closest")
    assert report.sentence("S3").startswith("Of the 3 closest records at most one is yours")


def test_fewer_than_no_repetitions_cannot_be_run():
    with pytest.raises(vk.RecordError, match="runs was given as -1; expected a whole number"):
        vk.check({"stage": "II", "age": 41}, STAGED, runs=-1)
