"""Questions: as conditions, as a dictionary, as SQL that is taken apart and never run."""

import re

import pytest

import verikit as vk
from verikit.analyst import Among, Between

SQL = "select count(*) from t where "


@pytest.mark.parametrize(
    ("where", "conditions"),
    [
        ("age between 20 and 30", [Between("age", 20, 30)]),
        (
            "age >= 20 and age < 30",
            [Between("age", low=20), Between("age", high=30, closed="neither")],
        ),
        ("20 < age", [Between("age", low=20, closed="neither")]),
        ("-1.5 >= age", [Between("age", high=-1.5)]),
        ("job = 'nurse'", [Among("job", {"nurse"})]),
        ("'nurse' = job", [Among("job", {"nurse"})]),
        ("job in ('nurse', 'clerk')", [Among("job", {"nurse", "clerk"})]),
        ("age in (1, 2.0)", [Among("age", {"1", "2"})]),
        ('"Salary-class" = 7', [Among("Salary-class", {"7"})]),
        ("(a = 1 and (b = 2)) and c = 3", [Among(n, {v}) for n, v in ("a1", "b2", "c3")]),
        ("name = 'it''s; drop table t --'", [Among("name", {"it's; drop table t --"})]),
        ("t.age <= 3", [Between("age", high=3)]),
    ],
)
def test_sql_is_read_as_conditions(where, conditions):
    found = vk.Query.sql(SQL + where)
    assert found == vk.Query(
        tuple(
            Among(c.column, frozenset(c.values)) if isinstance(c, Among) else c for c in conditions
        )
    )


@pytest.mark.parametrize("statement", ["SELECT COUNT(*) FROM t", "select count(*) as n from t;"])
def test_a_count_without_conditions_asks_for_everybody(statement):
    assert vk.Query.sql(statement) == vk.Query()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("drop table t", "is no single select"),
        ("select count(*) from t; drop table t", "is no single select"),
        ("", "is no single select"),
        ("select * from t", "does not ask for one aggregate alone"),
        ("select count(age) from t", "does not ask for one aggregate alone"),
        ("select count(distinct age) from t", "does not ask for one aggregate alone"),
        ("select count(*), age from t", "does not ask for one aggregate alone"),
        ("select count(*) filter (where a = 1) from t", "does not ask for one aggregate alone"),
        ("select distinct count(*) from t", "more than an aggregate of one table (distinct)"),
        ("select count(*) from t group by age", "more than an aggregate of one table (group)"),
        (
            "select count(*) from t where a = 1 limit 3",
            "more than an aggregate of one table (limit)",
        ),
        ("select count(*) from t, u", "more than an aggregate of one table (joins)"),
        (
            "with u as (select 1) select count(*) from u",
            "more than an aggregate of one table (with)",
        ),
        ("select count(*)", "more than an aggregate of one table"),
        ("select count(*) from (select * from t)", "more than an aggregate of one table"),
        ("select count(*) from read_csv('/etc/passwd')", "more than an aggregate of one table"),
        ("select sum(*) from t", "does not ask for one aggregate alone"),
        ("select sum(a), avg(a) from t", "does not ask for one aggregate alone"),
        ("select sum(a) / 0 from t", "does not ask for one aggregate alone"),
        ("select sum(a / 0) from t", "does not ask for one aggregate alone"),
        ("select sum(a + b) from t", "does not ask for one aggregate alone"),
        ("select sum(distinct a) from t", "does not ask for one aggregate alone"),
        ("select min(a, b) from t", "does not ask for one aggregate alone"),
        ("select median(a) from t", "does not ask for one aggregate alone"),
        ("select sum(a) over () from t", "does not ask for one aggregate alone"),
        ("select avg(a) from t group by b", "more than an aggregate of one table (group)"),
        ("select avg(a) from t having avg(a) > 1", "an aggregate of one table (having)"),
        ("select sum(a) from t; delete from t", "is no single select"),
        ("select sum(a) from t union select sum(b) from u", "is no single select"),
        (SQL + "a = 1/0", "'1 / 0' stands where a number or a text is expected"),
        (SQL + "a = 1 or exists (select 1 from u)", "is not understood"),
        (SQL + "a like 'x%'", "condition \"a LIKE 'x%'\" is not understood"),
        (SQL + "a is null", "condition 'a IS NULL' is not understood"),
        (SQL + "a in (select b from u)", "is not understood"),
        (SQL + "a = b", "'b' stands where a number or a text is expected"),
        (SQL + "1 = 1", "'1' stands where a column is expected"),
        (SQL + "a = true", "'TRUE' stands where a number or a text is expected"),
        (SQL + "a = (select 1)", "stands where a number or a text is expected"),
        (SQL + "lower(a) = 'x'", "'LOWER(a)' stands where"),
        (SQL + "db.t.a = 1", "stands where a column is expected"),
        (SQL + "a = 1e999", "expected a finite number"),
        (SQL + "age between", "is no SQL"),
        ("select count(* from t", "is no SQL"),
    ],
)
def test_whatever_asks_for_anything_else_is_refused_by_name(statement, sentence):
    with pytest.raises(vk.RecordError, match=re.escape(sentence)):
        vk.Query.sql(statement)


@pytest.mark.parametrize("statement", ["select count(* from t", "attach 'x'", "select 1 from"])
def test_what_the_parser_says_stays_one_sentence(statement):
    with pytest.raises(vk.RecordError, match=r"is no SQL: [^<.]+; expected one of count"):
        vk.Query.sql(statement)


def test_a_query_in_sql_must_be_a_text():
    with pytest.raises(vk.RecordError, match="A query was given as int"):
        vk.Query.sql(7)


def test_a_dictionary_tells_ranges_from_choices():
    query = vk.Query.count({"age": (40, 70), "sex": "F", "job": ["nurse", "clerk"], "kids": 2})
    assert repr(query) == (
        "count where age from 40 to 70 and sex is F and job is clerk or nurse and kids is 2"
    )
    assert query == vk.Query.count(
        {"age": (40.0, 70), "sex": {"F"}, "job": {"clerk", "nurse"}, "kids": 2.0}
    )


def test_queries_are_values_and_can_be_compared_and_collected():
    one, other = (vk.Query.count({"age": (low, 70)}) for low in (40, 50))
    assert len({one, other, vk.Query.count({"age": (40, 70)})}) == 2
    with pytest.raises(AttributeError):
        one.where = ()


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Between("age", 1, 2), "age from 1 to 2"),
        (Between("age", low=1), "age from 1 on"),
        (Between("age", low=1, closed="neither"), "age above 1"),
        (Between("age", high=2), "age up to 2"),
        (Between("age", high=2, closed="left"), "age below 2"),
        (Between("age", 1, 2, "left"), "age in [1, 2)"),
        (Between("age", 1, 2, "neither"), "age in (1, 2)"),
        (Between("stage", "I", "III"), "stage from I to III"),
    ],
)
def test_a_condition_reads_as_words(condition, words):
    assert repr(condition) == words


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: Between("age"), "range of 'age' has no end"),
        (lambda: Between("age", 5, 1), "goes from 5 down to 1; give the lower end first"),
        (lambda: Between("age", 1, 5, "open"), "closed was given as 'open'"),
        (lambda: Between("age", float("nan"), 5), "expected a finite number"),
        (lambda: Between("age", None, [5]), "expected a number"),
        (lambda: Among("job", frozenset()), "No value of 'job' was given"),
        (lambda: vk.Query.count({"age": (1, 2, 3)}), "expected a pair"),
        (lambda: vk.Query(("age > 1",)), "A query was given 'str'"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(build, sentence):
    with pytest.raises(vk.RecordError, match=re.escape(sentence)):
        build()


def test_without_sqlglot_a_query_object_still_works(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(vk.RecordError, match=r"need sqlglot; install it with"):
        vk.Query.sql("select count(*) from t")
    assert vk.answer(vk.Query(), vk.published("lhcc_table3")).estimate == 9
