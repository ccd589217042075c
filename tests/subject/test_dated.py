"""Dates are shown and typed as dates, in every kind of release, question and result."""

import re

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError

BORN = ["2000-01-01", "2000-01-03", "2000-01-06", "1990-05-05", "1991-06-06", "1992-07-07"]
DAYS = re.compile(r"since 1970|\b(10[, .]?9\d\d|7[, .]?4\d\d|7[, .]?8\d\d|8[, .]?2\d\d)\b")


def people(role="sensitive", zips="aaabbb"):
    frame = pd.DataFrame({"zip": list(zips), "born": pd.to_datetime(BORN)})
    return vk.Microdata(frame, vk.Schema.guess(frame, born=role))


def permuted():
    groups = vk.Partition.of([0, 0, 0, 1, 1, 1])
    return vk.mask.permute_sensitive(people(), partition=groups, seed=1).release


def disguised():
    data = people()
    days = data.frame["born"].tolist()
    tree = vk.targets.balanced(days)
    return vk.mask.disguise(data, hierarchy=tree, groups="quasi", fakes=0, seed=7).release


def split():
    quasi = pd.DataFrame({"born": pd.to_datetime(BORN), "Group-ID": list("aaabbb")})
    hidden = pd.DataFrame({"Group-ID": list("aaabbb"), "ill": list("xyzxyz")})
    unit = vk.read(quasi).schema["born"].unit
    columns = vk.Column("born", unit=unit), vk.Column("ill", "sensitive", "nominal")
    return vk.SplitRelease.of(quasi, hidden, vk.Schema(columns))


def bands(role="quasi"):
    groups = vk.Partition.of([0, 0, 0, 1, 1, 1])
    return vk.mask.generalize(people(role, "aaabbb"), partition=groups, seed=1).release


def told(report):
    """All that a person reads."""
    tables = " ".join(table.to_string() for table in report.tables.values())
    return " ".join([repr(report), *map(str, report.figures), tables])


ASKED = {
    "permuted": (permuted, {"zip": "a", "born": "2000-01-03"}),
    "disguised": (disguised, {"zip": "a", "born": "2000-01-03"}),
    "split": (split, {"born": "2000-01-03"}),
    "generalized": (bands, {"born": "2000-01-03"}),
    "generalized, sensitive": (lambda: bands("sensitive"), {"zip": "a", "born": "2000-01-03"}),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_person_reads_dates_and_no_days(name):
    made, record = ASKED[name]
    report = vk.check(record, made())
    assert not DAYS.search(told(report)), told(report)
    if name != "split":
        assert re.search(r"2000-01-0|January 2000", told(report))


def test_dates_lie_days_apart():
    said = repr(vk.check({"zip": "a"}, permuted()))
    assert "1 January 2000 to 6 January 2000" in said
    assert "5 days" in said


def masked(frame, promise="as it was"):
    data = vk.read(frame)
    return vk.TableRelease.of(data.frame, data.schema, promise=promise)


FRAME = pd.DataFrame({"zip": list("aaabbb"), "born": pd.to_datetime(BORN)})


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("born > '2000-01-01'", 2),
        ("born >= '2000-01-01'", 3),
        ("born = '2000-01-03'", 1),
        ("born <> '2000-01-03'", 5),
        ("born between '1990-01-01' and '1991-12-31'", 2),
        ("born in ('2000-01-03', '06.06.1991')", 2),
        ("born < 10958", 4),
    ],
)
def test_questions_take_dates(condition, count):
    pytest.importorskip("sqlglot")
    for release in (masked(FRAME), permuted()):
        answer = vk.answer(f"select count(*) from t where {condition}", release)
        assert answer.lower <= count <= answer.upper
    assert vk.answer(f"select count(*) from t where {condition}", masked(FRAME)).estimate == count


def test_a_date_asked_of_numbers_is_refused():
    release = masked(pd.DataFrame({"year": [1999, 2000, 2001]}))
    with pytest.raises(RecordError, match="'year' was given as '2000-06-01'; expected a number"):
        vk.answer(vk.Query.count({"year": ("2000-06-01", None)}), release)


@pytest.mark.parametrize(
    ("aggregate", "said"),
    [("min", "1990-05-05 (born), exactly"), ("max", "2000-01-06 (born), exactly")],
)
def test_results_are_dates(aggregate, said):
    pytest.importorskip("sqlglot")
    for release in (masked(FRAME), permuted()):
        answer = vk.answer(f"select {aggregate}(born) from t", release)
        assert repr(answer).startswith(said)
        assert answer.means == f"Exactly {said.split()[0]}."
    average = vk.answer("select avg(born) from t", masked(FRAME))
    assert repr(average).startswith("1995-")


def test_rules_name_dates():
    pytest.importorskip("mlxtend")
    frame = pd.concat([FRAME.head(1)] * 3 + [FRAME.tail(1)])
    data = vk.Microdata(frame, vk.Schema.guess(frame, born="sensitive"))
    found = vk.analyst.associations(data, support=0.3, confidence=0.6)
    assert "born 2000-01-01" in set(found["right"])


def test_a_value_given_to_measures_may_be_a_date():
    data = people("quasi")
    column = data.schema["born"]
    assert column.score("2000-01-03") == column.score(pd.Timestamp("2000-01-03")) == 10959
    assert column.shown(10959) == "2000-01-03"


def test_chances_and_supports_take_dates():
    frame = pd.concat([FRAME, FRAME], ignore_index=True).assign(job=list("xyzxyzxyzxyx"))
    data = vk.Microdata(frame, vk.Schema.guess(frame))
    dates, days = (
        ({"born": "2000-01-03"}, {"born": "2000-01-06"}),
        ({"born": 10959}, {"born": 10962}),
    )
    assert vk.models.conversion_chance(data, *dates) == vk.models.conversion_chance(data, *days) > 0
    found = vk.utility.support_change(data, {"born": "2000-01-03"})
    assert repr(found) == repr(vk.utility.support_change(data, {"born": 10959}))


def test_a_date_without_marks_is_no_count_of_days():
    release = vk.TableRelease.of(
        pd.DataFrame({"born": pd.to_datetime(["1980-03-04", "1999-12-31"])})
    )
    with pytest.raises(vk.RecordError, match="'19800304'; expected a date such as"):
        vk.check({"born": "19800304"}, release)
