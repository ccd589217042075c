"""Whole numbers with more digits than a float keeps stay apart, at every door."""

import decimal
import io
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.words import text

PEOPLE = (110101199003070011, 110101199003070012)
N = 2**53
FOUR = [N, N + 1, N + 2, N + 3]
DTYPES = {
    "int64": lambda values: pd.Series(values, dtype="int64"),
    "uint64": lambda values: pd.Series(values, dtype="uint64"),
    "Int64": lambda values: pd.Series(values, dtype="Int64"),
    "object": lambda values: pd.Series(values, dtype=object),
    "category": lambda values: pd.Series(values, dtype="category"),
    "decimal": lambda values: pd.Series([decimal.Decimal(value) for value in values]),
}
each_dtype = pytest.mark.parametrize("made", DTYPES.values(), ids=DTYPES)


def csv(folder, *ids, name="t.csv"):
    path = folder / name
    path.write_text("id,age\n" + "".join(f"{one},30\n" for one in ids))
    return path


@given(st.integers(-(2**80), 2**80))
def test_the_text_of_a_whole_number_is_its_digits(number):
    assert text(number) == str(number)
    assert text(Fraction(number)) == text(decimal.Decimal(number)) == str(number)
    if abs(number) < 2**63:
        assert text(np.int64(number)) == str(number)


def test_the_text_of_other_numbers_stays():
    values = 2138.0, 2.5, True, float("inf"), 1e17, Fraction(1, 2), 10**400
    names = "2138", "2.5", "True", "inf", str(10**17), "0.5", str(10**400)
    assert tuple(map(text, values)) == names


@each_dtype
def test_distinct_in_distinct_out(made):
    frame = pd.DataFrame({"id": made(FOUR)})
    for schema in (None, vk.Schema((vk.Column("id", kind="nominal"),))):
        assert list(vk.Microdata(frame, schema).frame["id"]) == list(map(str, FOUR))
    order = vk.Column("id", kind="ordinal", order=tuple(FOUR))
    assert vk.Microdata(frame, vk.Schema((order,))).scores("id").tolist() == [0, 1, 2, 3]


@each_dtype
def test_a_column_of_numbers_that_no_float_holds_is_refused(made):
    schema = vk.Schema((vk.Column("id"),))
    with pytest.raises(
        SchemaError, match="'id' is numeric but holds 9007199254740993, a whole num"
    ):
        vk.Microdata(pd.DataFrame({"id": made(FOUR)}), schema)
    with pytest.raises(SchemaError, match="declare the column nominal"):
        vk.TableRelease.of(pd.DataFrame({"id": made(FOUR)}), schema)
    kept = vk.Microdata(pd.DataFrame({"id": made([N, N + 2, 2 * N])}), schema)
    assert kept.frame["id"].tolist() == [N, N + 2, 2 * N]  # of which each is a float


def test_long_floats_stay_numbers():
    frame = pd.DataFrame({"x": [1e300, 2e17, -1e20]})
    assert vk.Microdata(frame).schema["x"].kind == "numeric"


def test_a_file_of_identity_numbers_is_read_as_names_and_says_so(tmp_path):
    path = csv(tmp_path, *PEOPLE)
    said = "'id' is read as names: whole numbers such as 110101199003070011 have more digits than"
    data = vk.read(path)
    assert data.notes == vk.open_release(path).notes == (f"{said} a number keeps.",)
    assert list(data.frame["id"]) == list(map(str, PEOPLE))
    assert vk.models.k_anonymity(data).value == 1
    with pytest.raises(SchemaError, match="'id' is numeric but holds 110101199003070011"):
        vk.read(path, vk.Schema((vk.Column("id"), vk.Column("age"))))


def test_whole_numbers_written_with_a_decimal_zero_stay_apart(tmp_path):
    data = vk.read(csv(tmp_path, "9007199254740993.0", "9007199254740992.0"))
    assert data.frame["id"].nunique() == 2
    assert "'id' is read as names" in data.notes[0]


@pytest.mark.parametrize(
    "ids",
    [
        (*PEOPLE, ""),
        (*PEOPLE, 7),
        (2**64 - 1, 2**64 - 2),
        (2**64 + 1, 2**64 + 2),
        (-(2**63), -(2**63) + 1),
        (*PEOPLE, 1.5),
    ],
    ids=["a gap", "a short one", "unsigned", "beyond", "below", "a fraction"],
)
def test_whatever_stands_beside_them_they_keep_their_digits(ids, tmp_path):
    frame = vk.read(csv(tmp_path, *ids)).frame
    assert list(frame["id"].dropna()) == [str(one) for one in ids if one != ""]


def test_nobody_is_compared_with_her_neighbours_number(tmp_path):
    release = vk.open_release(csv(tmp_path, *PEOPLE))
    for one in PEOPLE:
        found = vk.check({"id": one, "age": 30}, release, chance=False)
        assert (found.facts["distance"], found.facts["matches"]) == (0, 1)
    with pytest.raises(RecordError, match="'110101199003070015' stands nowhere in 'id'"):
        vk.check({"id": "110101199003070015", "age": 30}, release, chance=False)
    neither = {"id": '"110101199003070015"', "age": 30}
    nobody = vk.check(neither, release, chance=False)
    assert any("is like no published value" in note for note in nobody.notes)
    told = vk.TableRelease.of(release.frame, release.schema, promise="covers")
    assert [vk.check({"id": one}, told).facts["fits"] for one in PEOPLE] == [1, 1]
    with pytest.raises(RecordError, match="'110101199003070015' stands nowhere in 'id', unlike"):
        vk.check({"id": "110101199003070015"}, told)
    assert vk.check({"id": '"110101199003070015"'}, told).facts["fits"] == 0


def test_tables_of_other_libraries_keep_them_beside_gaps(tmp_path):
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    from pyarrow import parquet

    wanted = [str(N), str(N + 1)]
    for values in (FOUR[:2], [N, None, N + 1]):
        parquet.write_table(pa.table({"id": values}), tmp_path / "t.parquet")
        for source in (
            pl.DataFrame({"id": values}),
            pa.table({"id": values}),
            tmp_path / "t.parquet",
        ):
            found = vk.read(source)
            assert list(found.frame["id"].dropna()) == wanted
            assert found.notes[0].startswith("'id' is read as names")


def test_a_table_in_memory_says_that_it_takes_long_numbers_for_names():
    frame = pd.DataFrame({"id": PEOPLE, "age": 30})
    assert vk.Microdata(frame).notes == vk.read(frame).notes
    assert "'id' is read as names" in vk.Microdata(frame).notes[0]
    assert vk.Microdata(frame, vk.Microdata(frame).schema).notes == ()  # nothing was guessed
    assert vk.Microdata(pd.DataFrame({"id": [N, N + 2]})).notes == ()


@pytest.mark.parametrize("name", ["t.dta", "t.xlsx"])
def test_a_file_of_another_program_says_that_it_lost_the_last_digits(name, tmp_path):
    frame = pd.DataFrame({"id": np.float64(PEOPLE), "age": [30, 31], "pay": [1e17 / 7, 0.5]})
    if name == "t.xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(tmp_path / name, index=False)
    else:
        frame.to_stata(tmp_path / name, write_index=False)
    data = vk.read(tmp_path / name)
    (note,) = data.notes
    assert note.startswith("'id' holds whole numbers such as 11010119900307")
    assert "have more digits than a number keeps" in note
    assert data.notes == vk.open_release(tmp_path / name).notes


def test_a_stream_refuses_long_numbers_that_stand_further_on(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"id": [*range(1500), *PEOPLE, N], "age": 30})
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(SchemaError, match="'id' is numeric but holds 110101199003070011, a whole"):
        vk.check({"id": 3, "age": 30}, tmp_path / "t.parquet", chance=False)
    frame[:1500].to_parquet(tmp_path / "t.parquet")
    assert vk.check({"id": 3, "age": 30}, tmp_path / "t.parquet", chance=False)


def test_a_graph_keeps_nodes_apart():
    links = pd.DataFrame({"author": PEOPLE, "paper": ["p", "q"]})
    assert "2 author and 2 paper, 2 links" in repr(vk.BipartiteGraph.of(links))


def test_no_mask_publishes_a_number_that_is_nobodys():
    frame = pd.DataFrame({"zip": list("aabb"), "sex": list("fmfm"), "account": FOUR})
    other = vk.Microdata(frame, vk.Schema.guess(frame, account="other"))
    release = vk.mask.randomize(other, seed=1).release
    assert sorted(release.frame["account"].astype(str)) == sorted(map(str, FOUR))
    with pytest.raises(SchemaError, match="'account' is numeric but holds 9007199254740993"):
        vk.Microdata(frame, vk.Schema((vk.Column("zip", kind="nominal"),
                                       vk.Column("sex", kind="nominal"),
                                       vk.Column("account", "sensitive"))))  # fmt: skip


def test_shares_are_exact_and_intervals_keep_their_values_apart():
    tree = vk.Hierarchy.of({"*": ["a", "b"]}, weights={"a": N, "b": N + 1})
    assert tree.share("a") == Fraction(N, 2 * N + 1)
    ranges = vk.Hierarchy.intervals(FOUR, [2])
    assert list(ranges.levels) == list(map(str, FOUR))
    assert ranges.level(N + 1, 1) == f"[{N}, {N + 1}]"
    assert vk.Hierarchy.intervals([0.1, 0.25], [0.5]).level(0.1, 1) == "[0, 0.5)"


def test_a_number_that_is_asked_for_is_not_its_neighbour():
    release = vk.TableRelease.of(pd.DataFrame({"id": [N, N + 2], "x": [1, 2]}))
    for asked in (N + 1, str(N + 1)):
        with pytest.raises(RecordError, match=r"'id' was given as .*, a whole number with more"):
            vk.check({"id": asked, "x": 1}, release, chance=False)
    assert vk.check({"id": N + 2, "x": 2}, release, chance=False).facts["distance"] == 0


@pytest.mark.parametrize(
    "written",
    [
        ("9007199254740993e0", "9007199254740992"),
        ("90071992547409930e-1", "5"),
        ("1.2345678901234567891e19", "1.2345678901234567892e19"),
        ("12345678901234567890.5", "12345678901234567891.5"),
        ("0.12345678901234567890", "0.12345678901234567891"),
        ("0.3", "0.30000000000000000001"),
    ],
    ids=str,
)
def test_no_two_numbers_of_a_file_become_one(written, tmp_path):
    ids = (*written, "", written[0])
    data = vk.read(csv(tmp_path, *ids))
    assert list(data.frame["id"].dropna()) == [one for one in ids if one]
    assert data.notes[-1].startswith("'id' is read as names: ")
    assert "more digits than a number keeps" in data.notes[-1]
    with pytest.raises(SchemaError, match=r"'id' is numeric but holds .* more digits than"):
        vk.read(csv(tmp_path, *ids), vk.Schema((vk.Column("id"), vk.Column("age"))))
    records = ", ".join(f'{{"id": {one}, "age": 1}}' for one in written)
    (tmp_path / "t.json").write_text(f"[{records}]")
    assert vk.read(tmp_path / "t.json").frame["id"].nunique() == 2
    commas = "id;pay\n" + "".join(f"{one.replace('.', ',')};1,5\n" for one in written)
    (tmp_path / "t.csv").write_text(commas)
    assert vk.read(tmp_path / "t.csv").frame["id"].nunique() == 2


@pytest.mark.parametrize(
    "written",
    [
        ("1e19", "2e19"),
        ("6.02214076e23", "1e23"),
        ("33.3333333333333333", "33.3333333333333333"),
        ("1.7976931348623157e308", "5e-324"),
    ],
    ids=str,
)
def test_numbers_that_stay_apart_stay_numbers(written, tmp_path):
    assert vk.read(csv(tmp_path, *written)).frame["id"].tolist() == list(map(float, written))


@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.decimals(-(10**6), 10**6, places=18).map(str),
            st.decimals(-(2**52), 2**52, places=3).map(lambda one: f"{one:E}"),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_numbers_are_the_floats_of_their_texts_or_the_texts_themselves(written):
    file = io.BytesIO(("x,k\n" + "".join(f"{one},a\n" for one in written)).encode())
    found = vk.read(file)["x"].tolist()
    exact = {decimal.Decimal(one) for one in written}
    if len(set(map(float, written))) == len(exact) and max(map(abs, map(float, written))) < N:
        assert found == list(map(float, written))
    assert len(set(map(text, found))) >= len(exact)
