"""What a value is: distinct ones stay distinct at every door, and each is found by its own name."""

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds_of_values import KINDS, say_exactly

import verikit as vk
from verikit.values.ranges import read_range
from verikit.words import text

pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")


def meant_by(value):
    """What a value says, by its kind: of a float the number that it is written as."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, Fraction)):
        return type(value).__name__, value
    return "number", Fraction(str(value) if isinstance(value, float) else value)


def held(frame):
    return vk.Microdata(frame).frame["v"].tolist()


def library_of(name, values):
    if name == "polars":
        return pl.DataFrame({"v": values}, strict=True)
    return pa.table({"v": values})


@pytest.mark.parametrize("kind", KINDS)
def test_distinct_values_stay_distinct_at_every_door(kind, tmp_path):
    values = KINDS[kind]
    missing = values.count(None)
    column = pd.Series(values, dtype=object)
    doors = {
        "pandas": lambda: held(pd.DataFrame({"v": column})),
        "natural": lambda: held(pd.DataFrame({"v": values})),
        "records": lambda: held([{"v": value} for value in values]),
        "tree": lambda: vk.Hierarchy.of({"ROOT": [v for v in values if v is not None]}).order(),
        "graph": lambda: vk.BipartiteGraph.of(
            pd.DataFrame({"v": column, "p": range(len(values))}).dropna()
        ).names("left"),
    }
    for name in ("polars", "pyarrow") if kind != "thirds" else ():
        try:
            frame = library_of(name, values)
        except (TypeError, ValueError, OverflowError, pa.ArrowException, pl.exceptions.PolarsError):
            continue  # a library that has no column for them
        doors[name] = lambda frame=frame: held(frame)
    for name, door in doors.items():
        found = [value for value in door() if not pd.isna(value)]
        assert len(set(found)) == len(values) - missing, name


@pytest.mark.parametrize("promise", ["as it was", "covers"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_value_is_found_by_what_it_is_and_by_how_it_is_written(kind, promise, tmp_path):
    values = KINDS[kind]
    data = vk.Microdata(pd.DataFrame({"v": pd.Series(values, dtype=object)}))
    release = vk.TableRelease.of(data.frame, data.schema, promise=promise)
    release.save(tmp_path / "r")
    saved = vk.open_release(tmp_path / "r")
    assert saved.frame["v"].dropna().tolist() == data.frame["v"].dropna().tolist()
    gaps = values.count(None)
    for value in (value for value in values if value is not None):
        shown = data.schema["v"].shown(data.frame["v"].iloc[values.index(value)])
        quoted = shown.replace("'", "''")
        asked = [vk.Query.count({"v": value}), f"select count(*) from t where v = '{quoted}'"]
        if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
            asked.append(f"select count(*) from t where v = {value}")
        for query in asked:
            answer = vk.answer(query, saved)
            assert answer.upper >= 1
            # {x} may say x, and <b> may be a range
            assert promise == "covers" or kind == "tags" or answer.exact
        if promise == "covers":
            typed = say_exactly(kind, value)
            assert vk.check({"v": typed}, saved).facts["fits"] in range(1, len(values) + gaps + 1)


NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**25), max_value=10**25),
    st.fractions(),
)


VALUES = st.lists(st.one_of(NUMBERS, st.booleans(), st.dates()), min_size=2, max_size=8)


@given(VALUES)
def test_values_have_one_name_if_and_only_if_they_say_the_same(values):
    assert len(set(map(text, values))) == len(set(map(meant_by, values)))


@given(VALUES)
def test_what_says_another_thing_is_held_apart_and_what_says_the_same_together(values):
    try:
        found = held(pd.DataFrame({"v": pd.Series(values, dtype=object)}))
    except vk.SchemaError as refusal:
        assert "\n" not in str(refusal)  # noqa: PT017 - it is one sentence
        return
    assert len(set(found)) == len(set(map(meant_by, values)))


def test_two_keys_of_one_name_are_refused():
    with pytest.raises(vk.SchemaError, match="given twice for '1'"):
        vk.Hierarchy({1: [1, "any"], "1": ["1", "any"]})
    with pytest.raises(vk.SchemaError, match="given twice for '1'"):
        vk.Hierarchy.of({"any": [1, 2]}, weights={1: 2, "1": 3, 2: 1})


def test_what_was_promised_as_it_was_holds_no_sets():
    frame = pd.DataFrame({"v": ["{x}", "x", "*"], "age": ["20-29", "30-39", "40-49"]})
    told = {p: vk.TableRelease.of(frame, promise=p) for p in ("as it was", "covers")}
    fits = [vk.check({"v": "x", "age": 25}, release).facts["fits"] for release in told.values()]
    assert fits == [0, 1]
    assert not vk.TableRelease.of(frame[["v"]], promise="as it was").generalized


def test_the_name_of_a_number_does_not_depend_on_its_type():
    same = [0.5, np.float32(0.5), Decimal("0.50"), Fraction(1, 2)]
    assert {text(value) for value in same} == {"0.5"}
    assert {text(value) for value in [7, 7.0, np.int8(7), Decimal("7.000"), Fraction(7)]} == {"7"}


@pytest.mark.parametrize(
    "texts", [["02138", "2138", "002138"], ["True", "true", "TRUE"], ["None", "null", "x"]]
)
def test_texts_of_a_sheet_stay_what_they_are(tmp_path, texts):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in [("v", "n"), *zip(texts, range(3), strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    assert vk.read(tmp_path / "t.xlsx").frame["v"].tolist() == texts


def read_sheet(path, texts):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in [("v", "n"), *zip(texts, range(len(texts)), strict=True)]:
        book.active.append(row)
    book.save(path.with_suffix(".xlsx"))
    return vk.read(path.with_suffix(".xlsx"))


def read_lines(path, texts):
    frame = pd.DataFrame({"v": texts, "n": range(len(texts))})
    frame.to_csv(path, index=False)
    return vk.read(path)


@pytest.mark.parametrize("door", [read_sheet, read_lines])
@pytest.mark.parametrize(
    "texts",
    [
        ["True", "true", "TRUE"],
        ["false", "False", "true"],
        ["9007199254740993e0", "9007199254740992"],
        ["0.12345678901234567890", "0.12345678901234567891"],
        ["110101199003070011", "110101199003070012"],
        ["02138", "2138"],
    ],
)
def test_texts_of_a_file_that_say_different_things_stay_apart(door, texts, tmp_path):
    assert door(tmp_path / "t.csv", texts).frame["v"].tolist() == texts


def test_texts_of_one_number_are_that_number_and_truths_of_one_spelling_are_truths(tmp_path):
    assert read_lines(tmp_path / "a.csv", ["+5", "5.0", "5e0", "7"]).frame["v"].nunique() == 2
    told = read_lines(tmp_path / "b.csv", ["true", None, "false", "true"])
    assert told.frame["v"].dropna().tolist() == ["True", "False", "True"]


def test_a_typed_number_that_no_float_keeps_is_refused_however_it_is_written():
    release = vk.TableRelease.of(pd.DataFrame({"v": [2**53, 5]}))
    for typed in ("9007199254740993e0", "9007199254740993.0", 2**53 + 1, "٩٠٠٧١٩٩٢٥٤٧٤٠٩٩٣"):
        with pytest.raises(vk.RecordError, match="more digits than a number keeps"):
            vk.check({"v": typed}, release)


WORLDS = {
    ("25", "20-29", "31"): [{25}, set(range(20, 30)), {31}],
    ("25", "25", "30+", "20-29"): [{25}, {25}, set(range(30, 41)), set(range(20, 30))],
    ("7", "<10", "70"): [{7}, set(range(10)), {70}],
    ("[20, 22)", "21", "22"): [{20, 21}, {21}, {22}],
}


@pytest.mark.parametrize("promise", ["as it was", "covers", "another order"])
@pytest.mark.parametrize("labels", WORLDS)
def test_a_number_beside_bands_is_counted_between_the_ends_of_all_worlds(labels, promise):
    """A band holds one number of it, which nobody knows: the bounds are those of all choices."""
    frame = pd.DataFrame({"v": labels, "other": range(len(labels))})
    release = vk.TableRelease.of(frame, promise=promise)
    for asked in sorted(set().union(*WORLDS[labels])):
        counts = [world.count(asked) for world in itertools.product(*WORLDS[labels])]
        found = vk.answer(vk.Query.count({"v": str(asked)}), release)
        assert (found.lower, found.upper) == (min(counts), max(counts)), asked


@pytest.mark.parametrize("width", [Fraction(1, 3), Fraction(1, 7)])
def test_intervals_whose_ends_no_decimal_writes_are_refused(width):
    with pytest.raises(vk.SchemaError, match="which no decimal number writes"):
        vk.Hierarchy.intervals([0, 1, 2], [width, 1])


@given(
    st.lists(st.decimals(-50, 50, places=2), min_size=1, max_size=5, unique=True),
    st.sampled_from(["0.01", "0.25", "0.5", "2", "12.5"]),
    st.decimals(-2, 2, places=2),
)
def test_an_interval_can_be_read_again_and_holds_its_number(values, width, origin):
    tree = vk.Hierarchy.intervals(values, [Decimal(width)], origin=origin)
    for value in values:
        span = read_range(tree.level(value, 1))
        assert span.holds(float(value))
        assert not any(read_range(one).holds(float(value)) for one in tree.nodes if one not in
                       (text(value), tree.level(value, 1), "*", *tree.levels))  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_given_for_values_is_found_by_each_of_them(kind, tmp_path):
    """Weights in a tree, targets of a distribution, and the record of a command."""
    values = [value for value in KINDS[kind] if value is not None]
    weights = {value: place for place, value in enumerate(values, 1)}
    tree = vk.Hierarchy.of({"ROOT": values}, weights=weights)
    shares = [Fraction(place, sum(weights.values())) for place in weights.values()]
    assert [tree.share(value) for value in values] == shares
    data = vk.Microdata(pd.DataFrame({"v": pd.Series(values, dtype=object)}))
    release = vk.TableRelease.of(data.frame, data.schema, promise="covers")
    for place, value in enumerate(values):
        name = say_exactly(kind, data.record(place)["v"])
        by_name = vk.check({"v": name}, release).facts["fits"]
        assert vk.check({"v": say_exactly(kind, value)}, release).facts["fits"] == by_name
