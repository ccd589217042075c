"""Which released records a person fits: every form of cell, and what the records then hold."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.cells import cells_of, rows_that_may_be
from verikit.matching import candidates, held_by_people
from verikit.matching._candidates import match_people

AGES = vk.Hierarchy.intervals(range(20, 40), [5, 10])
JOBS = vk.Hierarchy.of({"any": {"office": ["clerk", "lawyer"], "trade": ["welder", "baker"]}})


def release_of(values, column):
    return vk.TableRelease.of(pd.DataFrame({column.name: values}), vk.Schema((column,)))


def rows_that_fit(value, values, column):
    return candidates({column.name: value}, release_of(values, column)).tolist()


def spans(*ends, closed="both"):
    return pd.arrays.IntervalArray.from_tuples(ends, closed=closed)


@pytest.mark.parametrize(
    ("value", "rows"),
    [(20, [0, 2, 3]), (24, [0, 2]), (25, [1, 2]), (29.5, [2]), (40, []), ("24", [0, 2])],
)
def test_a_closed_interval_holds_both_of_its_ends(value, rows):
    cells = spans((20, 24), (25, 29), (20, 30), (20, 20))
    assert rows_that_fit(value, cells, vk.Column("age")) == rows


@pytest.mark.parametrize(
    ("closed", "rows"), [("both", [0, 1]), ("left", [1]), ("right", [0]), ("neither", [])]
)
def test_an_open_end_does_not_belong_to_an_interval(closed, rows):
    cells = spans((20, 25), (25, 30), closed=closed)
    assert rows_that_fit(25, cells, vk.Column("age")) == rows


def test_a_number_fits_itself_and_nothing_else():
    assert rows_that_fit(2, [1.0, 2.0, 2.5, 2.0], vk.Column("x")) == [1, 3]


def test_a_number_fits_the_groups_of_its_hierarchy():
    column = vk.Column("age", hierarchy=AGES)
    cells = ["[20, 24]", "[20, 29]", "[30, 39]", "*", "23"]
    assert rows_that_fit(23, cells, column) == [0, 1, 3, 4]
    assert rows_that_fit(24, cells, column) == [0, 1, 3]


def test_a_number_that_the_hierarchy_lacks_fits_the_intervals_around_it():
    column = vk.Column("age", hierarchy=AGES)
    assert rows_that_fit(23.5, ["[20, 24]", "[25, 29]", "[20, 29]", "*"], column) == [0, 2, 3]


def test_a_category_fits_its_groups_up_to_the_root():
    column = vk.Column("job", "quasi", "nominal", JOBS)
    cells = ["clerk", "lawyer", "office", "trade", "any"]
    assert rows_that_fit("clerk", cells, column) == [0, 2, 4]
    assert rows_that_fit("sailor", cells, column) == [4]


def test_a_category_fits_the_sets_that_name_it_commas_and_all():
    column = vk.Column("job", kind="nominal")
    cells = ["{clerk, nurse}", '{"clerk, senior", nurse}', "clerk", "{baker, welder}"]
    assert rows_that_fit("clerk", cells, column) == [0, 2]
    assert rows_that_fit("clerk, senior", cells, column) == [1]


def test_a_code_fits_its_starred_forms_of_the_same_length():
    column = vk.Column("Zip", kind="nominal")
    cells = ["47677", "4767*", "476**", "47***", "478**", "*", "*****", "476*"]
    assert rows_that_fit("47677", cells, column) == [0, 1, 2, 3, 5, 6]


def test_a_withheld_cell_fits_everyone():
    column = vk.Column("job", kind="nominal")
    assert rows_that_fit("clerk", [None, "nurse", "*"], column) == [0, 2]
    assert rows_that_fit(7, [np.nan, 7.0, 8.0], vk.Column("x")) == [0, 1]


def test_what_she_would_rather_not_say_is_not_used():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["u", "u"]})
    table = vk.Microdata(frame)
    assert candidates({"a": None, "b": "u"}, table).tolist() == [0, 1]
    assert candidates({"a": float("nan"), "b": "u"}, table).tolist() == [0, 1]
    assert candidates(pd.Series({"a": "x", "b": "u"}), table).tolist() == [0]


def test_sensitive_columns_are_no_ground_for_a_fit():
    frame = pd.DataFrame({"a": ["x", "x"], "s": ["flu", "hiv"]})
    table = vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))
    assert candidates({"a": "x", "s": "flu"}, table).tolist() == [0, 1]
    with pytest.raises(vk.RecordError, match="holds no quasi-identifier; give at least one of 'a'"):
        candidates({"s": "flu"}, table)


def test_an_unknown_column_or_a_number_in_words_is_refused():
    table = release_of([1.0], vk.Column("x"))
    with pytest.raises(vk.RecordError, match="The record has 'y', which the table lacks; it has"):
        candidates({"x": 1, "y": 2}, table)
    with pytest.raises(vk.RecordError, match="'x' was given as 'one'; expected a number"):
        candidates({"x": "one"}, table)
    with pytest.raises(vk.RecordError, match="given as list; expected a dictionary"):
        candidates([1], table)


@given(st.text("ab*[{,", min_size=1, max_size=5), st.text("ab", min_size=1, max_size=5))
def test_any_text_may_be_a_label_and_its_own_value_fits_it(label, value):
    column = vk.Column("x", kind="nominal")
    values = release_of([label, value], column).frame["x"]
    assert rows_that_may_be(values, column, value)[1]
    assert rows_that_may_be(values, column, label)[0]
    assert cells_of(values, column).may_be(value).any()


RECORDS = st.lists(
    st.tuples(st.integers(20, 39), st.sampled_from(JOBS.order()), st.sampled_from("xyz")),
    min_size=4,
    max_size=14,
)


def workers(rows):
    columns = (
        vk.Column("age", hierarchy=AGES),
        vk.Column("job", "quasi", "nominal", JOBS),
        vk.Column("town", kind="nominal"),
    )
    frame = pd.DataFrame(rows, columns=["age", "job", "town"])
    return vk.Microdata(frame, vk.Schema(columns))


@given(RECORDS, st.integers(0, 2), st.integers(0, 2), st.sampled_from([0, 2]))
def test_everyone_fits_the_record_that_was_made_from_hers(rows, age, job, suppress):
    data = workers(rows)
    levels = {"age": age, "job": job, "town": 0}
    groups = vk.partition.mondrian(data, k=2)
    masked = [
        vk.mask.generalize(data, levels=levels, suppress=suppress, seed=1),
        vk.mask.generalize(data, partition=groups, suppress=suppress, seed=1),
    ]
    for release, key in masked:
        for place in range(len(data)):
            assert key.rows[place] in candidates(data.record(place), release)


@given(RECORDS, st.integers(20, 39), st.sampled_from(JOBS.order()))
def test_fitting_looks_at_each_cell_by_itself(rows, age, job):
    data = workers(rows)
    release = vk.mask.generalize(data, partition=vk.partition.mondrian(data, k=2), seed=1).release
    fits = rows_that_may_be(release.frame["age"], release.schema["age"], age)
    assert fits.tolist() == [_in_cell(age, cell) for cell in release.frame["age"]]
    fits = rows_that_may_be(release.frame["job"], release.schema["job"], job)
    assert fits.tolist() == [job in JOBS.leaves(cell) for cell in release.frame["job"]]


def _in_cell(age, cell):
    if isinstance(cell, pd.Interval):
        return age in cell
    return str(age) in AGES.leaves(cell)


def test_people_hold_what_the_records_they_fit_hold():
    people = pd.DataFrame({"Name": ["Ann", "Bob", "Cy"], "Zip": ["19552", "1", "36363"]})
    held = held_by_people(people, vk.published("ks_table4"))
    assert held.classes.cells()["Name"].tolist() == ["Ann", "Cy"]
    assert held.classes.sizes.tolist() == [4, 3]
    assert [held.told(0), held.told(1)] == ["4 Theft", "1 Indecency, 1 Murder, 1 Piracy"]
    assert held.total == 11


def test_one_record_must_name_columns_of_the_table_and_people_must_be_some():
    release = vk.published("ks_table4")
    with pytest.raises(vk.RecordError, match="The record has 'Name', which the table lacks"):
        held_by_people({"Name": "Ann", "Zip": "19552"}, release)
    with pytest.raises(vk.RecordError, match="table of people is empty"):
        held_by_people(pd.DataFrame({"Zip": []}), release)
    with pytest.raises(vk.RecordError, match="People were given as str"):
        held_by_people("Ann", release)


def test_people_are_not_looked_for_in_a_release_of_two_tables():
    quasi = pd.DataFrame({"Age": [20, 30], "g": [1, 1]})
    sensitive = pd.DataFrame({"g": [1, 1], "Ill": ["flu", "ulcer"]})
    release = vk.SplitRelease.of(quasi, sensitive, group="g")
    with pytest.raises(vk.SchemaError, match="in SplitRelease; expected Microdata or a TableRel"):
        held_by_people({"Age": 20}, release)


def test_suppressed_records_are_looked_at_only_where_no_other_fits():
    frame = pd.DataFrame({"Zip": ["476**", "476**", "*"], "Ill": ["flu", "flu", "hiv"]})
    table = vk.TableRelease.of(frame, vk.Schema.guess(frame, Ill="sensitive"))
    assert candidates({"Zip": "47677"}, table).tolist() == [0, 1, 2]
    people = pd.DataFrame({"Zip": ["47677", "10000"]})
    held = held_by_people(people, table)
    assert [held.told(0), held.told(1)] == ["2 flu", "1 hiv"]


@given(RECORDS, RECORDS, st.booleans(), st.randoms(use_true_random=False))
def test_many_people_are_found_as_one_by_one(rows, known, grouped, random):
    data = workers(rows)
    release = data
    if grouped and len(rows) > 1:
        groups = vk.partition.mondrian(data, k=2)
        release = vk.mask.generalize(data, partition=groups, seed=1).release
    people = workers(known).frame[["age", "job"]].astype(object)
    for at in range(len(people)):
        if random.random() < 0.2:
            people.iloc[at, random.randrange(2)] = None
    fitting = [candidates(dict(row), release).tolist() for _, row in people.iterrows()]
    owner, found = match_people(people, release, np.zeros(len(release), bool))
    assert [found[owner == at].tolist() for at in range(len(people))] == fitting


def test_many_people_fit_sets_starred_codes_and_bands_as_one_does():
    zips = ["476**", "47677", "{47677, 47602}", "*", "20-29", None]
    column = vk.Column("Zip", "quasi", "nominal")
    table = vk.TableRelease.of(pd.DataFrame({"Zip": zips}), vk.Schema((column,)))
    people = pd.DataFrame({"Zip": ["47677", 47602, "25", "10000", 47677]}, dtype=object)
    fitting = [candidates({"Zip": zip_}, table).tolist() for zip_ in people["Zip"]]
    owner, found = match_people(people, table, np.zeros(len(table), bool))
    assert [found[owner == at].tolist() for at in range(len(people))] == fitting


def test_somebody_of_whom_nothing_is_known_is_refused_among_many():
    release = vk.published("ks_table4")
    with pytest.raises(vk.RecordError, match="The record holds no quasi-identifier"):
        held_by_people(pd.DataFrame({"Zip": ["19552", None]}), release)
    with pytest.raises(vk.RecordError, match="The record holds no quasi-identifier"):
        held_by_people(pd.DataFrame({"Name": ["Ann", "Bob"]}), release)
    with pytest.raises(vk.RecordError, match=r"'Zip' was given as \['1'\]; expected a number"):
        held_by_people(pd.DataFrame({"Zip": ["19552", ["1"]]}), release)
