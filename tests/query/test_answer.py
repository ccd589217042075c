"""Answers: the estimators of [LHCC]_, and intervals that hold the true count."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.analyst import Among, Between
from verikit.query import _columns, evidence_of

TREE = vk.Hierarchy.of({"any": {"white-collar": ["clerk", "lawyer"], "trade": ["welder", "smith"]}})
STAGES = ("I", "II", "III")
SCHEMA = vk.Schema(
    (
        vk.Column("age"),
        vk.Column("job", kind="nominal", hierarchy=TREE),
        vk.Column("stage", kind="ordinal", order=STAGES),
        vk.Column("illness", "sensitive", "nominal"),
    )
)


@st.composite
def tables(draw):
    n = draw(st.integers(2, 25))
    column = lambda values: draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))  # noqa: E731
    frame = pd.DataFrame(
        {
            "age": column([20, 30, 31, 45, 60]),
            "job": column(list(TREE.levels)),
            "stage": column(STAGES),
            "illness": column(["flu", "cold", "gout"]),
        }
    )
    return vk.Microdata(frame, SCHEMA)


@st.composite
def queries(draw):
    where = []
    if draw(st.booleans()):
        low, high = sorted(draw(st.tuples(st.integers(15, 65), st.integers(15, 65))))
        where.append(Between("age", low, high, draw(st.sampled_from(["both", "left", "right"]))))
    if draw(st.booleans()):
        where.append(
            Among("job", frozenset(draw(st.sets(st.sampled_from(TREE.nodes), min_size=1))))
        )
    if draw(st.booleans()):
        low, high = sorted(draw(st.tuples(st.sampled_from(STAGES), st.sampled_from(STAGES))))
        where.append(Between("stage", low, high))
    if draw(st.booleans()):
        some = st.sets(st.sampled_from(["flu", "cold", "gout"]), min_size=1)
        where.append(Among("illness", frozenset(draw(some))))
    return vk.Query(tuple(where))


def true_count(data, query):
    """The count, row by row, as a person would."""
    count = 0
    for place in range(len(data)):
        record = data.record(place)
        met = True
        for part in query.where:
            value = record[part.column]
            if isinstance(part, Among):
                below = {
                    leaf
                    for v in part.values
                    for leaf in (TREE.leaves(v) if part.column == "job" else (v,))
                }
                met &= value in below
            else:
                ends = [part.low, part.high]
                if part.column == "stage":
                    value, ends = STAGES.index(value), [STAGES.index(end) for end in ends]
                met &= ends[0] < value < ends[1] or (
                    (
                        value == ends[0]
                        and part.closed != "right"
                        and value <= ends[1]
                        and (value < ends[1] or part.closed == "both")
                    )
                    or (value == ends[1] and part.closed != "left" and value > ends[0])
                )
        count += met
    return count


def groups_of(data, seed):
    labels = np.random.default_rng(seed).integers(0, max(1, len(data) // 4), len(data))
    return vk.Partition.of(labels)


@given(tables(), queries())
def test_a_plain_table_is_counted(data, query):
    answer = evidence_of(data).answer(query)
    assert answer.exact
    assert answer.estimate == true_count(data, query)


@pytest.mark.parametrize("method", ["generalize", "anatomize", "permute_all"])
@given(tables(), queries(), st.integers(0, 1000))
def test_the_true_count_lies_in_the_interval_and_so_does_the_estimate(method, data, query, seed):
    release, _ = getattr(vk.mask, method)(data, partition=groups_of(data, seed), seed=seed)
    answer, true = vk.answer(query, release), true_count(data, query)
    assert answer.lower <= true <= answer.upper
    assert answer.lower - 1e-9 <= answer.estimate <= answer.upper + 1e-9


@given(tables(), queries())
def test_groups_of_one_give_everything_away(data, query):
    alone = vk.Partition.of(np.arange(len(data)))
    for method in ("generalize", "anatomize", "permute_all"):
        release, _ = getattr(vk.mask, method)(data, partition=alone, seed=1)
        answer = vk.answer(query, release)
        assert (answer.lower, answer.upper) == (true_count(data, query),) * 2, method


def test_the_interval_of_two_tables_is_the_narrowest_that_every_way_to_link_them_allows():
    """Group of 4: three are old, two have the flu: from 1 to 2 are both."""
    frame = pd.DataFrame({"age": [60, 60, 60, 20], "illness": ["flu", "cold", "gout", "flu"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, illness="sensitive"))
    release, _ = vk.mask.anatomize(data, partition=vk.Partition.of([0] * 4), seed=1)
    answer = vk.answer(vk.Query.count({"age": (50, 70), "illness": "flu"}), release)
    assert (answer.lower, answer.estimate, answer.upper) == (1, 1.5, 2)


def test_a_group_where_nobody_need_be_both_takes_nothing_from_what_others_must_hold():
    """Both of the first group are old and have the flu; one of the four others is old, one ill."""
    frame = pd.DataFrame(
        {
            "age": [60, 61, 60, 20, 20, 20],
            "illness": ["flu", "flu", "flu", "cold", "gout", "gout"],
        }
    )
    data = vk.Microdata(frame, vk.Schema.guess(frame, illness="sensitive"))
    groups = vk.Partition.of([0, 0, 1, 1, 1, 1])
    release, _ = vk.mask.anatomize(data, partition=groups, seed=1)
    answer = vk.answer(vk.Query.count({"age": (50, 70), "illness": "flu"}), release)
    assert (answer.lower, answer.estimate, answer.upper) == (2, 2.25, 3)


def test_what_is_published_together_is_counted_exactly():
    data = vk.load("lhcc_table1")
    groups = vk.Partition.of([1] * 5 + [2] * 4)
    anatomized, _ = vk.mask.anatomize(data, partition=groups, seed=1)
    permuted, _ = vk.mask.permute_all(data, partition=groups, seed=1)
    known = vk.Query.count({"Age": (40, 70), "Sex": "F"})
    assert vk.answer(known, anatomized).exact
    assert vk.answer(known, anatomized).estimate == 4
    assert not vk.answer(known, permuted).exact
    assert vk.answer(vk.Query.count({"Disease": "Flu"}), permuted).exact


def test_two_conditions_on_one_column_are_taken_together():
    release = vk.published("lhcc_table4")
    narrow = vk.Query((Between("Age", low=50), Between("Age", high=65)))
    assert vk.answer(narrow, release) == vk.answer(vk.Query.count({"Age": (50, 65)}), release)
    none = vk.Query((Between("Age", high=50), Between("Age", low=65)))
    assert vk.answer(none, release).upper == 0


def test_a_whole_number_has_one_part_in_eleven_of_a_range_of_eleven():
    whole, real = (
        vk.TableRelease.of(
            pd.DataFrame({"age": pd.arrays.IntervalArray.from_tuples(ends, closed="both")}),
            vk.Schema((vk.Column("age"),)), promise="covers",
        )
        for ends in ([(40, 50)], [(40, 50), (40.5, 50)])
    )  # fmt: skip
    asked = {"age": 47}, {"age": {40, 47, 99}}, {"age": (46.5, 48.5)}, {"age": (40, 45)}
    answers = [vk.answer(vk.Query.count(one), whole) for one in asked]
    assert [one.estimate for one in answers] == pytest.approx([1 / 11, 2 / 11, 2 / 11, 6 / 11])
    assert {(one.lower, one.upper) for one in answers} == {(0, 1)}
    # where an end is a fraction numbers are real, of which one alone has no share
    answers = [vk.answer(vk.Query.count(one), real) for one in asked]
    assert [one.estimate for one in answers] == pytest.approx(
        [0, 0, 2 / 10 + 2 / 9.5, 5 / 10 + 4.5 / 9.5]
    )
    assert {(one.lower, one.upper) for one in answers} == {(0, 2)}


def test_groups_of_a_hierarchy_are_split_by_their_weights():
    tree = vk.Hierarchy.of({"any": ["a", "b"]}, weights={"a": 3, "b": 1})
    schema = vk.Schema((vk.Column("x", "quasi", "nominal", tree),))
    frame = pd.DataFrame({"x": ["any", "any", "b"]})
    release = vk.TableRelease.of(frame, schema, promise="covers")
    answer = vk.answer(vk.Query.count({"x": "a"}), release)
    assert (answer.lower, answer.estimate, answer.upper) == (0, 1.5, 2)
    assert vk.answer(vk.Query.count({"x": "any"}), release).estimate == 3


def test_numbers_published_as_groups_of_a_hierarchy_are_counted_by_their_values():
    tree = vk.Hierarchy.intervals([20, 22, 24, 31], [5, 10])
    column = vk.Column("age", hierarchy=tree)
    release = vk.TableRelease.of(
        pd.DataFrame({"age": ["[20, 24]", "31"]}), vk.Schema((column,)), promise="covers"
    )
    answer = vk.answer(vk.Query.count({"age": (22, 40)}), release)
    assert (answer.lower, answer.estimate, answer.upper) == (1, 1 + 2 / 3, 2)


def test_sets_of_categories_are_split_evenly():
    release = vk.TableRelease.of(
        pd.DataFrame({"town": ["{p, q}", "{p, q, r}", "q"]}), promise="covers"
    )
    answer = vk.answer(vk.Query.count({"town": {"p", "r"}}), release)
    assert answer.estimate == pytest.approx(1 / 2 + 2 / 3)
    assert (answer.lower, answer.upper) == (0, 2)


def test_a_masked_table_gives_an_estimate_only():
    data = vk.load("dm_table1")
    release, _ = vk.mask.noise(data, scale=0.5, seed=7)
    answer = vk.answer(vk.Query.count({"X1": (90, 110)}), release)
    assert (answer.lower, answer.upper) == (0, 20)
    assert "an estimate only" in repr(answer)


def test_rows_whose_values_moved_give_the_estimate_as_they_stand_and_bounds_column_by_column():
    release = vk.published("dm_table1_mapped")
    one = vk.answer(vk.Query.count({"X1": (0, 100)}), release)
    both = vk.answer(vk.Query.count({"X1": (0, 100), "X2": (0, 1000)}), release)
    other = vk.answer(vk.Query.count({"X2": (0, 1000)}), release)
    assert one.exact
    assert both.estimate == len(release.frame.query("0 <= X1 <= 100 and 0 <= X2 <= 1000"))
    assert both.lower == max(0, one.estimate + other.estimate - 20)
    assert both.upper == min(one.estimate, other.estimate)
    assert (both.mean, both.variance) == (None, None)
    assert "rows as they were published, between which reverse-mapped noise moved" in repr(both)


def test_a_missing_value_may_meet_a_condition_and_is_expected_to_be_like_the_others():
    frame = pd.DataFrame({"age": [1.0, None, 3.0], "job": ["a", None, "b"]})
    release = vk.TableRelease.of(frame, promise="covers")
    for asked, low, mean in (
        ({"age": (0, 9)}, 2, 3),
        ({"age": (2, 9)}, 1, 1.5),
        ({"job": "a"}, 1, 1.5),
    ):
        answer = vk.answer(vk.Query.count(asked), release)
        assert (answer.lower, answer.estimate, answer.upper) == (low, mean, low + 1)
    assert vk.answer(vk.Query(), release).estimate == 3


def test_what_the_original_itself_lacks_meets_no_condition():
    data = vk.Microdata(pd.DataFrame({"age": [1.0, None, 3.0], "job": ["a", None, "b"]}))
    for asked in ({"age": (0, 9)}, {"job": {"a", "b"}}):
        answer = vk.answer(vk.Query.count(asked), data)
        assert answer.exact
        assert answer.estimate == 2


def test_subject_and_analyst_read_the_same_bands_and_stars():
    frame = pd.DataFrame(
        {
            "Zip": ["476**", "476**", "479**"],
            "Age": ["[20, 29]", "[20, 29]", "[30, 39]"],
            "Ill": ["flu", "cold", "flu"],
        }
    )
    release = vk.TableRelease.of(frame, vk.Schema.guess(frame, Ill="sensitive"), promise="covers")
    for asked in ({"Zip": "47677"}, {"Age": "25"}):
        answer = vk.answer(vk.Query.count(asked), release)
        assert (answer.lower, answer.upper) == (0, 2)
        assert vk.check(asked, release).facts["fits"] == 2
    assert vk.answer(vk.Query.count({"Zip": "476**"}), release).lower == 2
    printed = vk.published("ks_table1")
    answer = vk.answer(vk.Query.count({"DOB": "1985"}), printed)
    assert (answer.lower, answer.upper) == (0, vk.check({"DOB": "1985"}, printed).facts["fits"])


def test_a_value_that_never_occurs_counts_nothing_unless_the_column_declares_its_values():
    release = vk.published("lhcc_table3")
    assert vk.answer(vk.Query.count({"Disease": "Gout"}), release).upper == 0
    with pytest.raises(vk.RecordError, match="'X' is not a category of 'Sex'; it has 'F', 'M'"):
        vk.answer(vk.Query.count({"Sex": "X"}), release)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (vk.Query.count({"Height": (1, 2)}), "There is no column 'Height'; the table has"),
        (vk.Query.count({"Sex": ("F", "M")}), "A range was asked of 'Sex', which is nominal"),
        (vk.Query((Between("Age", "old"),)), "'Age' was given as 'old'; expected a number"),
        (vk.Query.count({"Age": "old"}), "'Age' was given as 'old'; expected a number"),
        (7, "A query was given as int"),
        ([7], "A query was given as int"),
    ],
)
@pytest.mark.parametrize("name", ["lhcc_table2", "lhcc_table3", "lhcc_table4"])
def test_what_cannot_be_asked_is_refused_in_one_sentence(name, query, sentence):
    with pytest.raises(vk.RecordError, match=re.escape(sentence)):
        vk.answer(query, vk.published(name))


def test_only_releases_can_be_asked():
    with pytest.raises(vk.SchemaError, match="A query was put to DataFrame; expected a release"):
        vk.answer(vk.Query(), pd.DataFrame({"a": [1]}))


def test_names_of_columns_may_differ_in_case_if_only_one_is_meant():
    release = vk.published("lhcc_table3")
    assert vk.answer("select count(*) from t where AGE >= 60", release).estimate == 3
    frame = pd.DataFrame({"a": [1], "A": [2]})
    assert vk.answer(vk.Query.count({"a": 1}), vk.TableRelease.of(frame)).estimate == 1
    with pytest.raises(vk.RecordError, match="There is no column 'B'"):
        vk.answer(vk.Query.count({"B": 1}), vk.TableRelease.of(frame))


def test_several_queries_are_answered_as_one_by_one():
    release = vk.published("lhcc_table4")
    several = [vk.Query.count({"Age": (low, 70)}) for low in (10, 40, 60)]
    assert vk.answer(several, release) == [vk.answer(query, release) for query in several]
    assert vk.answer([], release) == []


@pytest.mark.parametrize("widest", [0, 10**9])
def test_counting_in_advance_changes_no_answer(monkeypatch, widest):
    data = vk.simulate("census", 300, seed=1).only("Age", "Race", "Country", "Salary-class")
    release, _ = vk.mask.permute_all(
        data, partition=vk.partition.diverse(data, ell=3, seed=1), seed=1
    )
    drawn = vk.utility.workload(data, queries=40, conditions=3, selectivity=0.3, seed=1).queries
    plain = vk.answer(list(drawn), release)
    monkeypatch.setattr(_columns, "MAX_TALLIED_CELLS", widest)
    again = vk.answer(list(drawn), release)
    assert [a.estimate for a in again] == pytest.approx([a.estimate for a in plain])


def test_duckdb_counts_the_same():
    duckdb = pytest.importorskip("duckdb")
    data = vk.simulate("census", 2000, seed=3)
    table = data.frame.astype({n: str for n in data.frame if data.frame[n].dtype == "category"})
    connection = duckdb.connect()
    connection.register("t", table)
    statements = [
        "select count(*) from t where Age between 30 and 50 and Gender = '01'",
        "select count(*) from t where Country > 10 and Race in ('02', '03') and Education <= 9",
        "select count(*) from t where Marital = '01' and Age < 25 and Age >= 18",
    ]
    for statement in statements:
        (expected,) = connection.execute(statement).fetchone()
        assert evidence_of(data).answer(vk.Query.sql(statement)).estimate == expected


def test_the_order_of_the_rows_changes_no_answer():
    data = vk.simulate("census", 200, seed=1).only("Age", "Race", "Salary-class")
    release, _ = vk.mask.permute_all(
        data, partition=vk.partition.diverse(data, ell=3, seed=1), seed=1
    )
    rng = np.random.default_rng(1)
    mixed = vk.SplitRelease(
        release.quasi.sample(frac=1, random_state=rng),
        release.sensitive.sample(frac=1, random_state=rng),
        release.schema,
        permuted=True,
        promise=release.promise,
    )
    query = vk.Query.count({"Age": (20, 50), "Race": "01", "Salary-class": {"10", "11", "12"}})
    ours, theirs = vk.answer(query, release), vk.answer(query, mixed)
    assert ours.estimate == pytest.approx(theirs.estimate)
    assert (ours.lower, ours.upper) == (theirs.lower, theirs.upper)


def test_an_answer_reads_as_words():
    release = vk.published("lhcc_table3")
    assert repr(vk.answer(vk.Query.count({"Age": (40, 70)}), release)) == (
        "7 records, exactly: the values as they were published"
    )


@pytest.mark.parametrize("promise", ["as it was", "changed"])
@pytest.mark.parametrize("name", ["{x}", "{x, y}", "*", "**"])
def test_in_a_table_of_single_values_a_set_or_a_star_is_a_name(promise, name):
    frame = pd.DataFrame({"v": [name, name, "x", "y"], "n": range(4)})
    schema = vk.Schema((vk.Column("v", kind="nominal"), vk.Column("n")))
    release = vk.TableRelease.of(frame, schema, promise=promise)
    for value, count in ((name, 2), ("x", 1), ("y", 1), ("z", 0)):
        found = vk.answer(f"select count(*) from t where v = '{value}'", release)
        assert found.estimate == count, value
        if promise == "as it was":
            assert (found.lower, found.upper) == (count, count), value
    if promise == "as it was":
        data = vk.Microdata(frame, schema)
        assert vk.answer(f"select count(*) from t where v = '{name}'", data).upper == 2


@pytest.mark.parametrize("promise", ["covers", "untold"])
def test_in_other_tables_a_set_is_one_of_its_values_and_a_star_is_any(promise):
    frame = pd.DataFrame({"v": ["{x, y}", "*", "x", "y"], "n": range(4)})
    schema = vk.Schema((vk.Column("v", kind="nominal"), vk.Column("n")))
    release = vk.TableRelease.of(frame, schema, promise=promise)
    found = vk.answer("select count(*) from t where v = 'x'", release)
    assert found.estimate == pytest.approx(1 + 1 / 2 + 1 / 2)
    assert (found.lower, found.upper) == ((1, 3) if promise == "covers" else (0, 4))
