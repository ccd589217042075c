"""Tables, their columns, and every way in which the two may disagree."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit.errors import RecordError, SchemaError
from verikit.hierarchy import Hierarchy
from verikit.table import Column, Microdata, Schema, number

STAGES = Column("stage", kind="ordinal", order=("I", "II", "III"))
JOBS = Column("job", kind="nominal", hierarchy=Hierarchy.of({"any": ["clerk", "welder"]}))


def table(**columns):
    return pd.DataFrame(columns)


def one(values, column="x", **facts):
    """A table of one column."""
    return Microdata(pd.DataFrame({column: values}), Schema((Column(column, **facts),)))


# -- columns and schemas --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: Column("x", role="secret"),
            "'x' has the role 'secret'; expected one of identifier, quasi",
        ),
        (lambda: Column("x", kind="text"), "'x' has the kind 'text'; expected one of numeric"),
        (
            lambda: Column("x", kind="ordinal"),
            "'x' is ordinal but has no order; give its categories",
        ),
        (
            lambda: Column("x", kind="ordinal", order=("a", "a")),
            "order of column 'x' names a category twice",
        ),
        (lambda: Schema(()), "at least one column; none was given"),
        (lambda: Schema((Column("x"), Column("x"))), "names 'x' more than once"),
        (
            lambda: Schema.guess(table(x=[1]), y="sensitive"),
            "Roles were given for 'y', but the table has 'x'",
        ),
        (lambda: Schema((Column("x", "identifier"),)).released, "Every column is an identifier"),
    ],
)
def test_a_description_that_cannot_be_is_refused(make, sentence):
    with pytest.raises(SchemaError, match=sentence):
        make()


def test_numbers_are_guessed_numeric_and_everything_else_nominal():
    frame = table(a=[1], b=[1.5], c=["x"], d=[True], e=pd.to_datetime(["2020-01-01 10:30"]))
    assert [column.kind for column in Schema.guess(frame)] == ["numeric"] * 2 + ["nominal"] * 3


def test_columns_are_found_by_role_and_by_name():
    schema = Schema((Column("who", "identifier"), Column("age"), Column("ill", "sensitive")))
    assert [column.name for column in schema.quasi] == ["age"]
    assert [column.name for column in schema.sensitive] == ["ill"]
    assert schema.released.names == ("age", "ill")
    assert schema.with_column("age", role="other")["age"].role == "other"
    with pytest.raises(RecordError, match="no column 'sex'; the table has 'who', 'age', 'ill'"):
        schema["sex"]


def test_a_column_has_an_order_if_it_is_numeric_or_declares_one():
    assert Column("x").ranked
    assert STAGES.ranked
    assert JOBS.ranked
    assert not Column("x", kind="nominal").ranked


def test_categories_are_scored_by_their_place_and_missing_ones_by_nothing():
    data = Microdata(table(stage=["III", None, "I"]), Schema((STAGES,)))
    assert data.scores("stage").tolist()[::2] == [2, 0]
    assert np.isnan(data.scores("stage")[1])
    assert (STAGES.score("II"), JOBS.score("welder"), Column("x").score("2.5")) == (1, 1, 2.5)


def test_a_nominal_column_without_order_cannot_be_ranked():
    data = one(["a", "b"], kind="nominal")
    with pytest.raises(
        SchemaError, match="'x' is nominal and has neither an order nor a hierarchy"
    ):
        data.scores("x")
    with pytest.raises(SchemaError, match="cannot be ranked; declare one, or leave the column out"):
        data.schema["x"].score("a")


def test_a_category_that_is_none_is_named_with_those_there_are():
    with pytest.raises(
        RecordError, match="'IV' is not a category of 'stage'; it has 'I', 'II', 'III'"
    ):
        STAGES.score("IV")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("old", "'age' was given as 'old'; expected a number"),
        (None, "'age' was given as None; expected a number"),
        ([1, 2], r"'age' was given as \[1, 2\]; expected a number"),
        ("nan", "'age' was given as 'nan'; expected a finite number"),
        (float("inf"), "'age' was given as inf; expected a finite number"),
    ],
)
def test_a_value_that_is_no_finite_number_is_refused(value, sentence):
    with pytest.raises(RecordError, match=sentence):
        number(value, "age")


# -- frames that disagree -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (table(age=[1]), "lacks 'sex'; the schema expects exactly 'age', 'sex'"),
        (table(age=[1], sex=["F"], zip=[1]), "has 'zip' besides; the schema expects exactly"),
        (table(age=[1], zip=[1]), "lacks 'sex' and has 'zip' besides"),
        (
            pd.DataFrame([[1, 2]], columns=["age", "age"]),
            "several columns named 'age'; rename them",
        ),
        (pd.DataFrame([[1, 2]], columns=[7, "7"]), "several columns named '7'"),
        (
            table(age=["old"], sex=["F"]),
            "'age' is numeric but holds 'old'; correct the value or declare",
        ),
        (table(age=[1, "1_000"], sex=["F", "M"]), "'age' is numeric but holds '1_000'"),
        (
            table(age=pd.to_datetime(["2020-01-01"]), sex=["F"]),
            "'age' is numeric but holds '2020-01-01",
        ),
        (table(age=pd.to_timedelta([5], "D"), sex=["F"]), "'age' is numeric but holds '5 days"),
        (table(age=[1j], sex=["F"]), "'age' is numeric but holds '1j'"),
        (table(age=[[1]], sex=["F"]), r"'age' is numeric but holds '\[1\]'"),
        (table(age=[1, np.inf], sex=["F", "M"]), "'age' holds an infinite value in row 2"),
        (table(age=[1, -np.inf], sex=["F", "M"]), "'age' holds an infinite value in row 2"),
        (
            table(age=[1, 2], sex=["F", "diverse"]),
            "'sex' holds 'diverse', which its declared categories",
        ),
        (
            table(age=[1], sex=[["F"]]),
            "'sex' holds lists or other collections; give each record one",
        ),
    ],
)
def test_a_frame_that_disagrees_with_its_schema_is_refused_in_one_sentence(frame, sentence):
    schema = Schema((Column("age"), Column("sex", kind="nominal", order=("F", "M"))))
    with pytest.raises(SchemaError, match=sentence) as refusal:
        Microdata(frame, schema)
    assert str(refusal.value).endswith(".")


def test_what_is_no_frame_or_no_schema_is_refused():
    with pytest.raises(SchemaError, match="given as list; expected a DataFrame"):
        Microdata([1, 2])
    with pytest.raises(SchemaError, match=r"given as dict; expected verikit\.Schema"):
        Microdata(table(x=[1]), {"x": "quasi"})
    with pytest.raises(SchemaError, match="at least one column"):
        Microdata(pd.DataFrame())


def test_columns_in_another_order_come_out_in_the_order_of_the_schema():
    data = Microdata(table(b=[2], a=[1]), Schema((Column("a"), Column("b"))))
    assert list(data.frame.columns) == ["a", "b"]
    assert data.record(0) == {"a": 1, "b": 2}


def test_names_that_are_no_text_become_text():
    assert Microdata(pd.DataFrame([[1, 2]], columns=[2020, 2021.0])).schema.names == (
        "2020",
        "2021",
    )


# -- one table, however it came in ----------------------------------------------------------------

NUMBERS = [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "values",
    [
        np.array(NUMBERS), np.array(NUMBERS, np.float32), np.array(NUMBERS, np.int8),
        pd.array(NUMBERS, "Int64"), pd.array(NUMBERS, "Float64"), pd.Categorical(NUMBERS),
        pd.array([3, 1, 2], "UInt8"), np.array(NUMBERS, object), ["3", "1.0", " 2"],
    ],
    ids=lambda values: str(getattr(values, "dtype", "text")),
)  # fmt: skip
def test_numbers_of_every_dtype_give_the_same_table(values):
    frame = Microdata(pd.DataFrame({"x": values}), Schema((Column("x"),))).frame
    pd.testing.assert_frame_equal(frame, table(x=np.array([3, 1, 2], np.int64)))


@pytest.mark.parametrize("dtype", [object, "str", "string", "category"])
def test_categories_of_every_dtype_give_the_same_table(dtype):
    data = Microdata(table(stage=pd.Series(["II", "I", None], dtype=dtype)), Schema((STAGES,)))
    expected = pd.Categorical(["II", "I", None], ["I", "II", "III"], ordered=True)
    pd.testing.assert_series_equal(data.frame["stage"], pd.Series(expected, name="stage"))


def test_codes_read_as_numbers_and_as_text_are_the_same_categories():
    as_numbers, as_text = (one(codes, kind="nominal") for codes in ([47, 12.0], ["47", "12"]))
    pd.testing.assert_frame_equal(as_numbers.frame, as_text.frame)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, float("nan")])
def test_missing_numbers_stay_missing_and_nothing_else_changes(missing):
    values = one([1, missing, 3]).frame["x"]
    assert values.isna().tolist() == [False, True, False]
    assert values.iloc[2] == 3


@pytest.mark.parametrize("index", [[5, 5, 5], ["c", "a", "b"], [2, 1, 0]])
def test_the_index_of_the_frame_is_dropped(index):
    frame = table(x=[1, 2, 3], c=["a", "b", "a"]).set_axis(index)
    pd.testing.assert_frame_equal(
        Microdata(frame).frame, Microdata(frame.reset_index(drop=True)).frame
    )


def test_a_table_holds_its_own_copy():
    frame = table(x=[1.5, 2.5], c=["a", "b"])
    data = Microdata(frame)
    frame.loc[0, "x"] = 99
    assert data.frame["x"].tolist() == [1.5, 2.5]
    assert frame["c"].tolist() == ["a", "b"]


@given(st.lists(st.floats(-1e300, 1e300) | st.integers(-(2**53), 2**53), min_size=1, max_size=20))
def test_numbers_are_kept_exactly(values):
    assert one(values).frame["x"].tolist() == values


def test_a_table_without_records_keeps_its_columns():
    data = Microdata(table(stage=[], x=[]), Schema((STAGES, Column("x"))))
    assert len(data) == 0
    assert data.canonical_order().tolist() == []
    assert data.scores("x").tolist() == []


# -- records and order ----------------------------------------------------------------------------


def test_a_record_is_plain_python_whatever_stands_beside_it():
    record = Microdata(table(a=[1, 2], b=[0.5, None], c=["x", None])).record(1)
    assert record == {"a": 2, "b": None, "c": None}
    assert {type(value) for value in record.values()} == {int, type(None)}


@pytest.mark.parametrize("place", [2, -3])
def test_a_record_that_does_not_exist_is_refused(place):
    with pytest.raises(RecordError, match=f"no record {place}; the table has 2, counted from 0"):
        one([1, 2]).record(place)


def test_codes_stand_for_sorted_values_and_minus_one_for_none():
    codes, values = one([2.5, None, 1.0, 2.5]).codes("x")
    assert (codes.tolist(), values.tolist()) == ([1, -1, 0, 1], [1.0, 2.5])


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("xyz")), min_size=1), st.randoms())
def test_the_canonical_order_forgets_the_order_of_the_rows(rows, shuffler):
    mixed = shuffler.sample(rows, len(rows))
    tables = [Microdata(pd.DataFrame(found, columns=["n", "c"])) for found in (rows, mixed)]
    first, second = (data.take(data.canonical_order()).frame for data in tables)
    pd.testing.assert_frame_equal(first, second)
    assert list(first.itertuples(index=False, name=None)) == sorted(rows)


def test_a_table_shows_what_it_holds_and_escapes_it():
    data = Microdata(pd.DataFrame({"<img src=x onerror=alert(1)>": [1]}))
    assert repr(data) == "Microdata(1 record of <img src=x onerror=alert(1)>)"
    assert "<img" not in data._repr_html_()
    assert "&lt;img" in data._repr_html_()


@pytest.mark.parametrize("name", [[], {}, np.array([1, 2]), pd.NA, None, 7])
def test_what_is_no_name_names_no_column(name):
    schema = Schema((Column("age"), Column("pay")))
    with pytest.raises(RecordError, match=r"There is no column .*; the table has 'age', 'pay'\."):
        schema[name]
