"""Questions rewritten for a database: the bounds are those of the engine, and nothing leaks."""

import math
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.analyst import Among, And, Between, Not, Or, help_table, rewrite

pytest.importorskip("duckdb", reason="rewritten queries need duckdb")
pytest.importorskip("sqlglot", reason="queries in SQL need sqlglot")

PRINTED = vk.published("qz_table2_3")
TREE = vk.Hierarchy.of({"any": {"office": ["clerk", "it's"], "trade": ["smith", "a;b--"]}})
SCHEMA = vk.Schema(
    (
        vk.Column("age"),
        vk.Column('the "job"', kind="nominal", hierarchy=TREE),
        vk.Column("rank", kind="ordinal", order=("low", "mid", "high")),
        vk.Column("pay", "sensitive"),
    )
)


def released(seed, n, *, missing=False):
    rng = np.random.default_rng(seed)
    age = rng.choice([20, 25.5, 30.1, 41, 41.000000000000014], n)
    job = rng.choice(["clerk", "it's", "smith", "a;b--"], n).astype(object)
    if missing:
        age[rng.random(n) < 0.2] = np.nan
        job[rng.random(n) < 0.2] = None
    frame = pd.DataFrame(
        {
            "age": age,
            'the "job"': job,
            "rank": rng.choice(["low", "mid", "high"], n),
            "pay": rng.integers(-40, 40, n) / 4,
        }
    )
    labels = vk.Partition.of(rng.integers(0, max(n // 4, 1), n))
    data = vk.Microdata(frame, SCHEMA)
    return vk.mask.anatomize(data, partition=labels, missing="own value", seed=seed).release


conditions = st.one_of(
    st.builds(
        lambda ends, closed: Between("age", *sorted(ends), closed),
        st.tuples(*[st.sampled_from([20, 25.5, 30.1, 41.000000000000014, 1e300])] * 2),
        st.sampled_from(["both", "left", "right", "neither"]),
    ),
    st.builds(
        lambda names: Among('the "job"', frozenset(names)),
        st.lists(st.sampled_from(TREE.nodes), min_size=1, max_size=2),
    ),
    st.sampled_from([Between("rank", "mid"), Among("rank", frozenset({"low", "high"}))]),
    st.sampled_from([Between("age", high=30.1), Among("age", frozenset({"41", "20"}))]),
)
predicates = st.recursive(
    conditions,
    lambda inner: st.one_of(
        st.builds(Not, inner), st.builds(And, inner, inner), st.builds(Or, inner, inner)
    ),
    max_leaves=4,
)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 9),
    st.sampled_from([1, 7, 40]),
    st.booleans(),
    predicates,
    st.sampled_from(["count", "sum", "avg", "min", "max"]),
)
def test_the_database_gives_the_bounds_of_the_engine(seed, n, missing, where, aggregate):
    release = released(seed, n, missing=missing)
    query = vk.Query((where,), aggregate, None if aggregate == "count" else "pay")
    found, told = rewrite(query, release).run(), vk.answer(query, release)
    assert found.lower == pytest.approx(told.lower, nan_ok=True)
    assert found.upper == pytest.approx(told.upper, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 9), predicates, st.sampled_from(["count", "sum", "avg", "min", "max"]))
def test_what_is_run_gives_what_the_statement_of_the_text_gives(seed, where, aggregate):
    from verikit.analyst._rewrite import database_of

    release = released(seed, 40)
    found = rewrite(vk.Query((where,), aggregate, None if aggregate == "count" else "pay"), release)
    ask = database_of(release, "pay").ask
    assert ask(found.sql) == ask(found.fast)


@pytest.mark.parametrize(
    ("query", "bounds"),
    [
        ("select avg(salary) from t where age > 50", (80_000, 80_000)),
        ("select sum(salary) from t where age between 35 and 55", (530_000, 540_000)),
        ("select sum(salary) from t where age > 35 and age <= 55", (474_000, 486_000)),
        ("select min(salary) from t where gender = 'F'", (65_000, 70_000)),
        ("select max(salary) from t where gender = 'F'", (75_000, 85_000)),
        ("select count(*) from t where zipcode in ('271*')", (3, 3)),
        ("select sum(salary) from t", (615_000, 615_000)),
    ],
)
def test_the_questions_of_the_text_give_its_bounds(query, bounds):
    assert rewrite(query, PRINTED).run() == bounds


@pytest.mark.parametrize(
    ("aggregate", "value"), [("sum", 0), ("avg", math.nan), ("min", math.nan), ("max", math.nan)]
)
def test_nobody_selected_is_a_sum_of_nothing_and_no_other_value(aggregate, value):
    found = rewrite(f"select {aggregate}(salary) from t where age > 99", PRINTED).run()
    assert found == pytest.approx((value, value), nan_ok=True)
    assert rewrite("select count(*) from t where age > 99", PRINTED).run() == (0, 0)


def test_a_group_without_hits_takes_no_part_in_a_minimum():
    """Its 54,000 would be the least of all."""
    sql = rewrite("select min(salary) from t where gender = 'F'", PRINTED)
    assert sql.run().lower == 65_000
    assert vk.answer("select min(salary) from t", PRINTED).lower == 54_000


@pytest.mark.parametrize("seed", range(3))
def test_the_bounds_are_reached_by_some_originals_and_left_by_none(seed):
    release = released(seed, 9)
    query = vk.Query.sum("pay", {"age": (20, 31)})
    ages, groups = release.quasi["age"].to_numpy(), release.labels
    sums = {0.0}
    for group in range(len(groups.names)):
        own = release.sensitive["pay"].to_numpy()[groups.sensitive == group]
        hits = int(((ages >= 20) & (ages <= 31))[groups.quasi == group].sum())
        sums = {s + sum(part) for s in sums for part in combinations(own, hits)}
    assert rewrite(query, release).run() == pytest.approx((min(sums), max(sums)))


@pytest.mark.parametrize(
    ("query", "error", "sentence"),
    [
        (
            "select sum(salary) from t where salary > 60000",
            vk.RecordError,
            "asks for 'salary', which is sensitive: .*what the permutation hides",
        ),
        ("select sum(age) from t", vk.RecordError, "sum of 'age' .* published as it is"),
        ("select sum(bonus) from t", vk.RecordError, "no column 'bonus'"),
        ("select min(gender) from t", vk.RecordError, "min of 'gender'"),
        ("select sum(salary), 1 from t", vk.RecordError, "does not ask for one aggregate alone"),
        ("drop table pt", vk.RecordError, "no single select"),
        ("select sum(salary) from t; drop table pt", vk.RecordError, "no single select"),
        ("select sum(salary) from read_csv('/etc/passwd')", vk.RecordError, "one table"),
        ("select sum(salary) from t where age > 'old'", vk.RecordError, "old"),
        ("select sum(salary / 0) from t", vk.RecordError, "one aggregate alone"),
        (7, vk.RecordError, "given as int; expected a Query"),
    ],
)
def test_what_cannot_be_rewritten_is_refused(query, error, sentence):
    with pytest.raises(error, match=sentence):
        rewrite(query, PRINTED)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("qz_table2_2", "TableRelease; expected a release in two"), ("lhcc_table4", "one by one")],
)
def test_releases_whose_rows_cannot_be_counted_are_refused(name, sentence):
    with pytest.raises(vk.SchemaError, match=sentence):
        rewrite("select count(*) from t", vk.published(name))


def test_a_release_without_a_promise_gives_no_bounds():
    made = vk.SplitRelease.of(
        pd.DataFrame({"age": [1, 2], "Group-ID": [1, 1]}),
        pd.DataFrame({"Group-ID": [1, 1], "pay": [3, 4]}),
    )
    with pytest.raises(vk.SchemaError, match="promises 'untold', so no bound from it is certain"):
        rewrite("select sum(pay) from t", made)


def test_a_text_in_a_condition_is_a_value_and_nothing_else():
    query = vk.Query.count({"job": "F'); drop table pt; --"})
    release = vk.SplitRelease.of(
        pd.DataFrame({"job": ["nurse", "clerk"], "Group-ID": [1, 1]}),
        pd.DataFrame({"Group-ID": [1, 1], "pay": [3, 4]}),
        promise="another order",
    )
    found = rewrite(query, release)
    assert "'F''); drop table pt; --'" in found.sql
    assert found.run() == (0, 0)
    assert rewrite("select count(*) from t", release).run() == (2, 2)


OUTSIDE = [
    "select * from read_csv('/etc/passwd')",
    "select * from read_text('/etc/passwd')",
    "select * from '/etc/passwd.csv'",
    "select * from glob('/etc/*')",
    "select * from duckdb_secrets()",
    "select getenv('HOME')",
    "select * from PRINTED",
]
OTHER = [
    "copy pt to 'never.csv'",
    "export database 'never'",
    "attach 'never.db'",
    "install httpfs",
    "load httpfs",
    "set enable_external_access = true",
    "reset enable_external_access",
    "set lock_configuration = false",
    "pragma profiling_output = 'never.json'",
]
CHANGING = [
    "insert into folded select * from folded",
    "drop view ht",
    "commit; drop view ht",
    "rollback",
    "create temp table own (a int)",
    "attach ':memory:' as own",
    "select 1; select 2",
    "explain select 1",
    "",
]


@pytest.mark.parametrize("statement", [*OUTSIDE, *OTHER])
def test_the_database_reaches_no_file_no_network_and_no_environment(
    statement, tmp_path, monkeypatch
):
    import duckdb

    from verikit.analyst._rewrite import database_of

    monkeypatch.chdir(tmp_path)
    with pytest.raises(duckdb.Error):
        database_of(PRINTED, "salary").connection.cursor().execute(statement)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("statement", [*OTHER, *CHANGING])
def test_the_database_runs_a_single_select_and_nothing_else(statement):
    from verikit.analyst._rewrite import database_of

    with pytest.raises(vk.RecordError, match="expected a single select"):
        database_of(PRINTED, "salary").ask(statement)
    assert rewrite("select count(*) from t", PRINTED).run() == (9, 9)


def test_a_select_cannot_write_either():
    import duckdb

    from verikit.analyst._rewrite import database_of

    cursor = database_of(PRINTED, "salary").connection.cursor()
    cursor.execute("begin transaction read only")
    with pytest.raises(duckdb.Error, match="read-only"):
        cursor.execute("insert into folded select * from folded")


def test_a_help_table_is_made_from_the_release_alone():
    found = help_table(PRINTED)
    assert found[PRINTED.help.columns].astype(str).equals(PRINTED.help.astype(str))
    with pytest.raises(vk.SchemaError, match="asked of TableRelease; expected a release in two"):
        help_table(vk.published("qz_table2_2"))


@pytest.mark.parametrize("name", ["age", 7, pd.NA, np.array([1, 2]), []])
def test_a_help_table_is_of_a_sensitive_column_of_numbers(name):
    with pytest.raises(
        vk.SchemaError, match=r"0 sensitive columns of numbers called .*; expected one"
    ):
        help_table(PRINTED, name)


def test_names_that_a_database_takes_for_one_are_refused():
    frame = pd.DataFrame({"age": [1, 2], "Age": [3, 4], "pay": [5, 6]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    made = vk.mask.anatomize(data, partition=vk.Partition.of([1, 1]), seed=1).release
    with pytest.raises(vk.RecordError, match="'age', 'Age' cannot stand in one database table"):
        rewrite("select sum(pay) from t", made).run()


@pytest.mark.parametrize("ask", [rewrite, vk.answer])
@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ("age > 'forty'", "'age' was given as 'forty'; expected a number"),
        ("age between 'a' and 'b'", "'age' was given as 'a'; expected a number"),
        ("age in (30, 'x')", "'age' was given as 'x'; expected a number"),
        ("gender = 5", "'5' is not a category of 'gender'; it has 'F', 'M'"),
        ("gender > 5", "A range was asked of 'gender', which is nominal and has no order"),
        ("gender between 1 and 3", "A range was asked of 'gender', which is nominal"),
        ("'a' < 3", "stands where a column is expected"),
        ("age < gender", "'gender' stands where a number or a text is expected"),
    ],
)
def test_texts_against_numbers_are_one_sentence(ask, condition, sentence):
    query = f"select sum(salary) from t where {condition}"
    with pytest.raises(vk.RecordError, match=re.escape(sentence)) as found:
        ask(query, vk.published("qz_table2_3"))
    said = str(found.value)
    assert said.endswith(".")
    assert ". " not in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("plain", "text"), [("age > 40", "age > '40'"), ("zipcode = 27101", "zipcode = '27101'")]
)
def test_a_number_in_quotes_is_that_number(plain, text):
    pytest.importorskip("duckdb")
    release, query = vk.published("qz_table2_3"), "select sum(salary) from t where {}".format
    assert rewrite(query(text), release).run() == rewrite(query(plain), release).run()
    assert vk.answer(query(text), release) == vk.answer(query(plain), release)
