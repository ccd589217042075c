"""What all searches share: sensible requests, and results that depend on the records alone."""

import functools

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import lattice

SEARCHES = {
    "classify": lattice.classify,
    "datafly": lattice.datafly,
    "incognito": lattice.incognito,
    "k_optimize": lattice.k_optimize,
    "k_optimize by values": functools.partial(lattice.k_optimize, cuts="values"),
    "samarati": lattice.samarati,
}
each_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
each_choice = pytest.mark.parametrize(
    "search", [s for name, s in SEARCHES.items() if name != "classify"],
    ids=[name for name in SEARCHES if name != "classify"],
)  # fmt: skip
by_levels = pytest.mark.parametrize(
    "search", [s for name, s in SEARCHES.items() if "values" not in name],
    ids=[name for name in SEARCHES if "values" not in name],
)  # fmt: skip

TREE = vk.Hierarchy.of({"*": {"low": ["1", "2"], "high": ["3", "4"]}})
AGE = vk.Column("age", hierarchy=TREE)


def ages(*values):
    return vk.Microdata(pd.DataFrame({"age": list(values)}), vk.Schema((AGE,)))


@each_search
@pytest.mark.parametrize("k", [0, -3, 2.0, 2.5, "2", None, True, np.True_])
def test_a_k_that_is_no_whole_number_from_1_is_refused(search, k):
    with pytest.raises(vk.RecordError, match=r"k was given as .*; expected a whole number from 1"):
        search(ages(1, 2, 3), k=k)


@each_search
def test_a_k_beyond_the_records_is_refused_with_the_largest_that_can_be_reached(search):
    with pytest.raises(vk.InfeasibleError, match=r"k was given as 4, .* has 3 records; .* is 3"):
        search(ages(1, 2, 3), k=4, suppression=1)
    search(ages(1, 2, 3), k=3)


@each_search
def test_a_numpy_integer_is_as_good_a_k_as_any(search):
    assert repr(search(ages(1, 1, 3, 4), k=np.int64(2))) == repr(search(ages(1, 1, 3, 4), k=2))


@each_search
@pytest.mark.parametrize("share", [-0.1, 1.5, 5, float("nan"), "5 %", True])
def test_a_suppression_that_is_no_share_is_refused(search, share):
    with pytest.raises(vk.RecordError, match=r"suppression was given as .*; expected a share from"):
        search(ages(1, 2, 3), k=2, suppression=share)


@each_search
def test_an_empty_table_is_refused(search):
    with pytest.raises(vk.SchemaError, match="no records"):
        search(ages(), k=1)


@each_search
def test_a_frame_instead_of_microdata_is_refused(search):
    with pytest.raises(vk.SchemaError, match="was given DataFrame; expected Microdata"):
        search(ages(1).frame, k=1)


@each_search
def test_a_table_without_quasi_identifier_is_refused(search):
    schema = vk.Schema((vk.Column("age", "sensitive", hierarchy=TREE),))
    with pytest.raises(vk.SchemaError, match="no quasi-identifier"):
        search(vk.Microdata(pd.DataFrame({"age": [1, 2]}), schema), k=1)


@by_levels
def test_a_quasi_identifier_without_hierarchy_is_named(search):
    data = vk.Microdata(
        pd.DataFrame({"age": [1, 2], "zip": ["a", "b"]}),
        vk.Schema((AGE, vk.Column("zip", kind="nominal"))),
    )
    with pytest.raises(vk.SchemaError, match="quasi-identifiers 'zip' have no hierarchy"):
        search(data, k=1)


@by_levels
def test_the_values_that_a_hierarchy_lacks_are_listed(search):
    with pytest.raises(vk.SchemaError, match="hierarchy of 'age' lacks '7', '9', which the table"):
        search(ages(1, 9, 7, 9), k=1)


@each_search
def test_missing_values_are_refused_or_count_as_a_value(search):
    with pytest.raises(vk.SchemaError, match=r"'age' has 2 missing values; .*missing='own value'"):
        search(ages(1, 1, None, None), k=2)
    with pytest.raises(vk.RecordError, match="missing was given as 'drop'; expected 'refuse'"):
        search(ages(1, 1, 2), k=1, missing="drop")
    assert search(ages(1, 1, None, None), k=2, missing="own value")


@each_choice
def test_all_values_missing_leave_one_class(search):
    found = search(ages(None, None), k=2, missing="own value")
    assert found.partition.sizes.tolist() == [2]
    assert not len(found.suppressed)


def test_a_missing_value_hides_only_under_the_root():
    """Two and two alike, one missing: it stays alone until everything is one."""
    data = ages(1, 1, 3, 3, None)
    assert lattice.classify(data, k=2, missing="own value").safe == ((2,),)
    assert lattice.classify(data, k=2, suppression=0.2, missing="own value").safe == (
        (0,), (1,), (2,),
    )  # fmt: skip


@each_choice
def test_the_order_of_the_rows_changes_nothing(search, exhaustive):
    for data, k, share, _ in exhaustive(25):
        rows = np.random.default_rng(len(data)).permutation(len(data))
        one, other = (
            search(data, k=k, suppression=share),
            search(data.take(rows), k=k, suppression=share),
        )
        assert (one.levels, one.cuts, one.trail) == (other.levels, other.cuts, other.trail)
        moved = one.take(rows)
        assert np.array_equal(moved.labels, other.labels)
        assert np.array_equal(moved.suppressed, other.suppressed)


@each_choice
def test_labels_of_the_index_and_dtypes_change_nothing(search):
    frame = pd.DataFrame({"age": [1, 2, 1, 4, 3, 3]})
    odd = frame.astype("Float64").set_axis([7, 7, "x", 0, -1, 2])
    schema = vk.Schema((AGE,))
    one, other = (search(vk.Microdata(f, schema), k=2) for f in (frame, odd))
    assert repr(one) == repr(other)
    assert np.array_equal(one.labels, other.labels)


@each_choice
def test_what_is_suppressed_are_the_small_classes_within_the_allowance(search, exhaustive):
    for data, k, share, _ in exhaustive(40):
        options = {"complementary": False} if search is lattice.datafly else {}
        found = search(data, k=k, suppression=share, **options)
        small = (found.partition.sizes < k)[found.labels]
        assert np.array_equal(np.flatnonzero(small), found.suppressed)
        assert len(found.suppressed) <= found.allowed == int(share * len(data))


@each_choice
def test_a_result_cannot_be_changed(search):
    found = search(ages(1, 1, 2, 3), k=2)
    with pytest.raises(AttributeError):
        found.allowed = 1
    with pytest.raises(ValueError, match="read-only"):
        found.suppressed[:] = 0


def test_the_trail_becomes_a_table(table2):
    frame = lattice.samarati(table2, k=2).to_frame()
    assert frame.columns.tolist() == ["node", "verdict", "short", "reason", "columns"]
    assert frame["node"].tolist()[-1] == (1, 1)
    assert len(frame) == 6
