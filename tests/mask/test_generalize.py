import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.mask import generalize

JOBS = vk.Hierarchy.of({"any": {"desk": ["clerk", "lawyer"], "trade": ["smith", "welder"]}})
AGES = vk.Hierarchy.intervals(range(20, 60), [10, 40], origin=20)
COLUMNS = (
    vk.Column("name", "identifier", "nominal"),
    vk.Column("age", hierarchy=AGES),
    vk.Column("job", kind="nominal", hierarchy=JOBS),
    vk.Column("town", kind="nominal"),
    vk.Column("stage", kind="ordinal", order=("I", "II", "III")),
    vk.Column("pay", "sensitive"),
)
PEOPLE = pd.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"],
        "age": [21, 25, 34, 38, 41, 58],
        "job": ["clerk", "lawyer", "smith", "smith", "clerk", "welder"],
        "town": ["Ulm", "Bonn", "Ulm", "Ulm", "Köln", "Bonn"],
        "stage": ["I", "III", "II", "II", "I", "II"],
        "pay": [10, 20, 30, 40, 50, 60],
    }
)


def people(**changes):
    return vk.Microdata(PEOPLE.assign(**changes), vk.Schema(COLUMNS))


def published(masked):
    """The released rows in the order of the records, as plain values."""
    frame = masked.release.frame.take(masked.key.rows)
    return {
        name: frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame
    }


def span(low, high):
    return pd.Interval(low, high, closed="both")


NONE = {"age": 0, "job": 0, "town": 0, "stage": 0}


def test_a_level_puts_the_group_in_place_of_the_value():
    cells = published(generalize(people(), levels={**NONE, "age": 1, "job": 1}, seed=1))
    assert cells["age"] == ["[20, 29]", "[20, 29]", "[30, 39]", "[30, 39]", "[40, 49]", "[50, 59]"]
    assert cells["job"] == ["desk", "desk", "trade", "trade", "desk", "trade"]
    assert cells["town"] == PEOPLE["town"].tolist()


def test_level_0_publishes_a_column_as_it_is():
    cells = published(generalize(people(), levels=0, seed=1))
    assert cells == PEOPLE.drop(columns="name").to_dict("list")


def test_the_last_level_is_the_root():
    cells = published(generalize(people(), levels={**NONE, "age": 3, "job": 2}, seed=1))
    assert set(cells["age"]) == {"*"}
    assert set(cells["job"]) == {"any"}


def test_sensitive_columns_stay_and_identifiers_go():
    release, key = generalize(people(), levels={**NONE, "age": 3}, seed=1)
    assert release.schema.names == ("age", "job", "town", "stage", "pay")
    assert release.frame["pay"].to_numpy()[key.rows].tolist() == PEOPLE["pay"].tolist()


def test_groups_become_intervals_nodes_and_sets():
    partition = vk.Partition.of([0, 0, 1, 1, 0, 2])
    cells = published(generalize(people(), partition=partition, seed=1))
    assert cells["age"] == [span(21, 41)] * 2 + [span(34, 38)] * 2 + [span(21, 41), span(58, 58)]
    assert cells["job"] == ["desk", "desk", "smith", "smith", "desk", "welder"]
    trio = "{Bonn, Köln, Ulm}"
    assert cells["town"] == [trio, trio, "Ulm", "Ulm", trio, "Bonn"]
    assert cells["stage"] == ["{I, III}", "{I, III}", "II", "II", "{I, III}", "II"]


def test_intervals_are_closed_so_that_they_hold_their_ends():
    """An interval [15, 20) would not hold the 20 it was made from."""
    release, _ = generalize(people(), partition=vk.Partition.of([0] * 6), seed=1)
    assert release.frame["age"].array.closed == "both"
    assert all(age in release.frame["age"].iloc[0] for age in PEOPLE["age"])


def test_records_of_small_classes_are_suppressed_but_stay():
    levels = {**NONE, "age": 3, "stage": 0}
    data = people(town=["Ulm"] * 6, job=["clerk"] * 6)
    masked = generalize(data, levels=levels, suppress=2, seed=1)
    cells, release = published(masked), masked.release
    assert cells["stage"] == ["I", "{I, II, III}", "II", "II", "I", "II"]
    assert cells["job"] == ["clerk", "any", "clerk", "clerk", "clerk", "clerk"]
    assert len(release) == 6
    assert release.parameters["suppressed"] == 1
    assert release.parameters["suppress"] == 2


def test_suppressed_numbers_get_the_root_or_the_whole_range():
    data = vk.Microdata(
        pd.DataFrame({"age": [30, 30, 41], "zip": [5, 5, 9]}),
        vk.Schema((vk.Column("age", hierarchy=AGES), vk.Column("zip"))),
    )
    cells = published(generalize(data, levels=0, suppress=2, seed=1))
    assert cells["age"] == ["30", "30", "*"]
    assert cells["zip"] == [span(5, 5), span(5, 5), span(5, 9)]


def test_small_groups_of_a_partition_are_suppressed_too():
    partition = vk.Partition.of([0, 0, 1, 1, 0, 2])
    masked = generalize(people(), partition=partition, suppress=2, seed=1)
    cells = published(masked)
    assert (cells["age"][5], cells["job"][5]) == (span(21, 58), "any")
    assert (cells["town"][5], cells["stage"][5]) == ("{Bonn, Köln, Ulm}", "{I, II, III}")
    assert masked.release.parameters["suppressed"] == 1


def test_a_search_brings_its_levels_and_what_it_suppresses():
    data = vk.load("ks_table2_unmasked")
    search = vk.lattice.datafly(data, k=2)
    release, key = generalize(data, levels=search, seed=1)
    rows = release.frame.take(key.rows).astype(str).to_numpy().tolist()
    hidden = ["Person", "*****"]
    assert rows == [hidden, ["Person", "94124"], hidden, hidden, ["Person", "94124"]]
    told = release.parameters
    assert (told["levels"], told["search"], told["k"]) == ({"Race": 1, "Zip": 0}, "datafly", 2)
    assert told["suppressed"] == 3


def test_cuts_between_values_bring_their_classes():
    data = vk.load("ks_table2_unmasked")
    search = vk.lattice.k_optimize(data, k=2, cuts="values")
    release, key = generalize(data, levels=search, seed=1)
    rows = release.frame.take(key.rows).astype(str).to_numpy().tolist()
    assert rows == [
        ["White", "9412*"], ["Person", "9412*"], ["Person", "9412*"],
        ["White", "9412*"], ["Person", "9412*"],
    ]  # fmt: skip
    assert release.parameters["cuts"] == {"Race": ["Black"], "Zip": []}
    assert release.parameters["levels"] is None


def test_a_search_keeps_to_its_records_when_the_table_is_put_in_order():
    rng = np.random.default_rng(5)
    data = people().take(rng.integers(0, 6, 40))
    schema = data.schema.with_column("town", role="other").with_column("stage", role="other")
    data = vk.Microdata(data.frame, schema)
    search = vk.lattice.datafly(data, k=7)
    cells = published(generalize(data, levels=search, seed=3))
    assert 0 < len(search.suppressed) < 40
    for place in range(40):
        hidden = place in search.suppressed
        job = JOBS.level(data.record(place)["job"], 2 if hidden else search.levels["job"])
        assert cells["job"][place] == job


def test_the_parameters_of_a_partition_are_published():
    partition = vk.partition.mondrian(people(), k=2)
    told = generalize(people(), partition=partition, seed=1).release.parameters
    assert told["partition"] == "mondrian"
    assert (told["k"], told["relaxed"], told["groups"]) == (2, False, len(partition))


@st.composite
def partitioned(draw):
    labels = draw(st.lists(st.integers(0, 3), min_size=6, max_size=6))
    gaps = draw(st.lists(st.booleans(), min_size=6, max_size=6))
    frame = PEOPLE.astype(object).mask(np.array(gaps)[:, None] & (PEOPLE.columns != "name"))
    return vk.Microdata(frame, vk.Schema(COLUMNS)), vk.Partition.of(labels)


def covers(cell, value, column):
    if cell is None or cell in {"*", "any"}:
        return True
    if value is None:
        return False
    if isinstance(cell, pd.Interval):
        return value in cell
    if cell.startswith("{"):
        return str(value) in cell[1:-1].split(", ")
    return cell in column.hierarchy.path(value) if column.hierarchy else cell == value


@given(partitioned(), st.integers(0, 3))
def test_every_cell_covers_its_value_and_is_that_of_its_group(given_, suppress):
    data, partition = given_
    masked = generalize(data, partition=partition, suppress=suppress, missing="own value", seed=1)
    cells = published(masked)
    for column in data.schema.quasi:
        for place in range(len(data)):
            assert covers(cells[column.name][place], data.record(place)[column.name], column)
        shown = pd.Series([str(cell) for cell in cells[column.name]])
        assert (shown.groupby(partition.labels).nunique() == 1).all()


def test_a_group_of_known_and_missing_values_tells_nothing():
    data = people(age=[21, None, 34, 38, 41, 58], job=["clerk", None, "smith", None, None, None])
    partition = vk.Partition.of([0, 0, 1, 1, 2, 2])
    cells = published(generalize(data, partition=partition, missing="own value", seed=1))
    assert cells["age"] == [None, None, span(34, 38), span(34, 38), span(41, 58), span(41, 58)]
    assert cells["job"] == ["any", "any", "any", "any", None, None]


def test_a_missing_value_belongs_to_the_root_only():
    data = people(job=["clerk", None, "smith", "smith", "clerk", "welder"])
    for level, told in ((0, None), (1, None), (2, "any")):
        cells = published(
            generalize(data, levels={**NONE, "job": level}, missing="own value", seed=1)
        )
        assert cells["job"][1] == told


@pytest.mark.parametrize("parquet", [False, True])
def test_a_generalized_release_is_opened_as_it_was_saved(tmp_path, parquet):
    if parquet:
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    data = people(age=[21, None, 34, 38, 41, 58], town=["a, b", "c", "{x}", "d", "d", "e"])
    asked = (
        {"partition": vk.Partition.of([0, 0, 1, 1, 2, 2])},
        {"levels": {**NONE, "age": 1, "job": 1}, "suppress": 2},
    )
    for number, options in enumerate(asked):
        release, _ = generalize(data, **options, missing="own value", seed=1)
        opened = vk.open_release(release.save(tmp_path / str(number), parquet=parquet))
        pd.testing.assert_frame_equal(opened.frame, release.frame)
        assert opened.parameters == release.parameters


# -- what is refused ------------------------------------------------------------------------------


def test_either_levels_or_a_partition_must_be_given():
    with pytest.raises(vk.RecordError, match="takes either levels or a partition; none was given"):
        generalize(people(), seed=1)
    with pytest.raises(vk.RecordError, match="either levels or a partition; both were given"):
        generalize(people(), levels=0, partition=vk.Partition.of([0] * 6), seed=1)


@pytest.mark.parametrize("level", [4, -1, 0.5, True, None])
def test_a_level_that_does_not_exist_is_refused(level):
    with pytest.raises(vk.RecordError, match=r"level of 'age' was given .* from 0 to 3"):
        generalize(people(), levels={**NONE, "age": level}, seed=1)


def test_a_column_without_hierarchy_has_level_0_only():
    with pytest.raises(vk.RecordError, match=r"level of 'town' was given as 1; .* 0 to 0"):
        generalize(people(), levels=1, seed=1)


def test_levels_must_name_every_quasi_identifier_and_nothing_else():
    with pytest.raises(vk.SchemaError, match="lack 'town' and name 'pay' besides"):
        generalize(people(), levels={"age": 0, "job": 0, "stage": 0, "pay": 1}, seed=1)


def test_values_that_the_hierarchy_lacks_are_listed():
    with pytest.raises(vk.SchemaError, match="hierarchy of 'age' lacks '77', '88'"):
        generalize(people(age=[21, 77, 34, 88, 41, 58]), levels={**NONE, "age": 1}, seed=1)


@pytest.mark.parametrize("suppress", [-1, 2.0, True, "2", None])
def test_suppress_must_be_a_size(suppress):
    with pytest.raises(vk.RecordError, match=r"suppress was given as .*; expected a whole"):
        generalize(people(), levels=0, suppress=suppress, seed=1)


def test_a_table_without_quasi_identifiers_is_refused():
    data = vk.Microdata(pd.DataFrame({"pay": [1]}), vk.Schema((vk.Column("pay", "sensitive"),)))
    with pytest.raises(vk.SchemaError, match="no quasi-identifier, so there is nothing to gen"):
        generalize(data, levels=0, seed=1)


@pytest.mark.parametrize("name", ["age", "job", "pay"])
def test_missing_values_are_refused_by_the_name_of_their_column(name):
    data = people(**{name: [None, *PEOPLE[name].tolist()[1:]]})
    with pytest.raises(vk.SchemaError, match=f"'{name}' has 1 missing value;"):
        generalize(data, levels=0, seed=1)


def test_a_partition_or_a_search_of_another_table_is_refused():
    with pytest.raises(vk.SchemaError, match="partition has 5 records and the table 6"):
        generalize(people(), partition=vk.Partition.of([0] * 5), seed=1)
    search = vk.lattice.samarati(vk.load("ks_table2_unmasked"), k=2)
    with pytest.raises(vk.SchemaError, match="has 5 records and the table 6"):
        generalize(people(), levels=search, seed=1)
