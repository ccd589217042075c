"""What leaves the house and what stays: releases and keys, to disk and back."""

import hashlib
import io
import json
import os
import stat
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit import (
    Column,
    FormatError,
    Hierarchy,
    Key,
    RecordError,
    Schema,
    SchemaError,
    TableRelease,
)
from verikit.release._datapackage import FORMAT

STAGES = ("I", "II", "III")
JOBS = Hierarchy.of(
    {"any": {"office": ["clerk", "lawyer"], "trade": ["welder"]}},
    {"clerk": "1/3", "lawyer": 2, "welder": 1},
)


def release(**facts):
    """Three records with a column of every kind: numbers, spans, an order, a hierarchy, a gap."""
    frame = pd.DataFrame(
        {
            "income": [41.25, np.nan, 1e-9],
            "age": pd.arrays.IntervalArray.from_tuples(
                [(20, 29), (20, 29), (0.5, 1)], closed="both"
            ),
            "stage": ["II", None, "I"],
            "job": ["clerk", "office", "any"],
            "zip": ["02138", "", "a,b"],
        }
    )
    schema = Schema(
        (
            Column("income", "sensitive", unit="€", label="monthly income"),
            Column("age"),
            Column("stage", kind="ordinal", order=STAGES),
            Column("job", kind="nominal", hierarchy=JOBS),
            Column("zip", "other", "nominal"),
        )
    )
    return TableRelease.of(frame, schema, **facts)


def numbers(folder, **columns):
    """A saved release of a few numbers."""
    return TableRelease.of(pd.DataFrame(columns or {"x": [1, 2], "y": [3.5, 4.5]})).save(folder)


def described(folder):
    return json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))


def describe(folder, package):
    (folder / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")


# -- there and back -------------------------------------------------------------------------------


@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
def test_a_release_is_opened_as_it_was_saved(parquet, tmp_path):
    if parquet:
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    told = {"scale": {"income": 0.5}, "k": np.int64(3), "steps": (1, 2)}
    saved = release(method="noise", parameters=told, permutation=True)
    opened = vk.open_release(saved.save(tmp_path / "release", parquet=parquet))
    pd.testing.assert_frame_equal(opened.frame, saved.frame)
    assert (opened.method, opened.permutation) == ("noise", True)
    assert opened.parameters == {"scale": {"income": 0.5}, "k": 3, "steps": [1, 2]}
    for before, after in zip(saved.schema, opened.schema, strict=True):
        for fact in ("name", "role", "kind", "order", "unit", "label"):
            assert getattr(before, fact) == getattr(after, fact), (before.name, fact)
    assert opened.schema["job"].hierarchy.levels == JOBS.levels
    assert opened.schema["job"].hierarchy.weights == JOBS.weights


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(
        st.text(min_size=1, max_size=6).filter(str.strip), min_size=2, max_size=2, unique=True
    ),
    rows=st.lists(
        st.tuples(
            st.floats(-1e300, 1e300) | st.integers(-(2**53), 2**53) | st.none(),
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
            | st.none(),
        ),
        min_size=1,
        max_size=8,
    ),
)
@example(names=["n", "a;b"], rows=[(0.1, "x\ry"), (None, ""), (3, None), (-1, " x"), (0, '"')])
def test_every_number_and_every_text_comes_back_as_it_was(names, rows, tmp_path_factory):
    schema = Schema((Column(names[0]), Column(names[1], kind="nominal")))
    saved = TableRelease.of(pd.DataFrame(rows, columns=list(schema.names)), schema)
    opened = vk.open_release(saved.save(tmp_path_factory.mktemp("r") / "release"))
    for name in schema.names:
        assert opened.frame[name].isna().tolist() == saved.frame[name].isna().tolist()
        assert opened.frame[name].dropna().tolist() == saved.frame[name].dropna().tolist()


def test_the_description_is_a_frictionless_package_with_a_checksum(tmp_path):
    folder = release(method="noise").save(tmp_path / "My release!")
    package = described(folder)
    (table,) = package["resources"]
    content = (folder / table["path"]).read_bytes()
    assert package["name"] == "my-release-"
    assert package["profile"] == "tabular-data-package"
    assert table["profile"] == "tabular-data-resource"
    assert (table["bytes"], table["hash"]) == (
        len(content),
        f"sha256:{hashlib.sha256(content).hexdigest()}",
    )
    fields = {field["name"]: field for field in table["schema"]["fields"]}
    assert [field["type"] for field in fields.values()] == ["number"] + ["string"] * 4
    assert fields["income"]["verikit"] == {"role": "sensitive", "kind": "numeric", "unit": "€"}
    assert sorted(path.name for path in folder.iterdir()) == ["datapackage.json", "table.csv"]


def test_a_zip_of_the_folder_is_as_good_as_the_folder(tmp_path):
    folder = numbers(tmp_path / "release")
    file = tmp_path / "release.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"some/place/{path.name}")
    with file.open("rb") as stream:
        for source in (file, str(file), stream):
            assert vk.open_release(source).frame["y"].tolist() == [3.5, 4.5]


def test_the_description_may_be_named_instead_of_its_folder(tmp_path):
    assert len(vk.open_release(numbers(tmp_path / "release") / "datapackage.json")) == 2


def test_a_bare_table_is_a_release_of_which_nothing_is_known(tmp_path):
    (tmp_path / "masked.csv").write_text("x;zip\n1;02138\n")
    opened = vk.open_release(tmp_path / "masked.csv")
    assert (opened.method, opened.parameters, opened.permutation) == ("", {}, False)
    assert [column.kind for column in opened.schema] == ["numeric", "nominal"]
    assert opened.frame["zip"].tolist() == ["02138"]


def test_an_upload_without_a_path_is_read_like_a_file(tmp_path):
    assert vk.open_release(io.BytesIO(b"x\n1\n2\n")).frame["x"].tolist() == [1, 2]


# -- what a release is ----------------------------------------------------------------------------


def test_identifiers_have_no_place_in_a_release():
    schema = Schema((Column("who", "identifier", "nominal"), Column("x")))
    with pytest.raises(SchemaError, match=r"must not hold identifiers, .* 'who'; drop them"):
        TableRelease.of(pd.DataFrame({"who": ["Ann"], "x": [1]}), schema)


def test_a_release_is_made_from_a_frame():
    with pytest.raises(SchemaError, match=r"given as list; expected a DataFrame \(verikit\.open_"):
        TableRelease.of([1, 2])


def test_a_group_of_the_hierarchy_may_be_published_and_another_word_may_not():
    schema = Schema((Column("job", kind="nominal", hierarchy=JOBS),))
    assert TableRelease.of(pd.DataFrame({"job": ["office"]}), schema).frame["job"].tolist() == [
        "office"
    ]
    with pytest.raises(SchemaError, match="'job' holds 'sailor', which its declared categories"):
        TableRelease.of(pd.DataFrame({"job": ["sailor"]}), schema)


def test_intervals_have_no_single_rank():
    with pytest.raises(
        SchemaError, match="'age' was published as intervals, which have no single rank"
    ):
        release().scores("age")


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1, 2}, object(), {"deep": [np.nan]}]
)
def test_a_parameter_that_cannot_be_published_is_refused(value):
    with pytest.raises(
        SchemaError, match=r"A parameter of a release was given as .*; expected text"
    ):
        release(parameters={"scale": value})


def test_a_prepared_release_says_the_same_sooner():
    plain = release()
    prepared = plain.prepare()
    assert plain.order("income") is None
    for name in ("income", "stage", "job"):
        values = plain.scores(name)
        np.testing.assert_array_equal(prepared.scores(name), values)
        np.testing.assert_array_equal(prepared.ordered(name), plain.ordered(name))
        np.testing.assert_array_equal(values[prepared.order(name)], plain.ordered(name))
    assert prepared.order("age") is None
    pd.testing.assert_frame_equal(prepared.frame, plain.frame)


# -- folders that cannot be trusted ---------------------------------------------------------------


def test_a_table_changed_after_it_was_published_is_refused(tmp_path):
    folder = numbers(tmp_path / "release")
    table = folder / "table.csv"
    table.write_text(table.read_text().replace("3.5", "3.6"))
    with pytest.raises(
        FormatError, match=r"'table\.csv' was changed after datapackage\.json was written"
    ):
        vk.open_release(folder)


def edit_rows(package):
    package["resources"][0]["verikit"]["rows"] = 7


def edit_name(package):
    package["resources"][0]["schema"]["fields"][0]["name"] = "z"


def edit_path(package):
    package["resources"][0]["path"] = "../secret.csv"


def edit_missing(package):
    package["resources"][0]["path"] = "gone.csv"


def edit_format(package):
    package["verikit"]["format"] = 99


def edit_format_by_one(package):
    package["verikit"]["format"] = FORMAT + 1


def edit_kind(package):
    package["resources"][0]["schema"]["fields"][0]["verikit"]["kind"] = "numbery"


def edit_spans(package):
    package["resources"][0]["schema"]["fields"][0] |= {"type": "string", "verikit": {"spans": True}}


def edit_fields(package):
    del package["resources"][0]["schema"]


def edit_resources(package):
    package["resources"] = [[]]


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (edit_rows, r"promises 7 records, but 'table\.csv' holds 2"),
        (edit_name, "The table lacks 'z' and has 'x' besides"),
        (edit_path, r"points outside its folder, to '\.\./secret\.csv'; do not trust it"),
        (edit_missing, r"names the table 'gone\.csv', but it is not there"),
        (edit_format, r"written by a newer verikit \(format 99\); update yours"),
        (edit_format_by_one, rf"written by a newer verikit \(format {FORMAT + 1}\); update yours"),
        (edit_kind, "'x' has the kind 'numbery'"),
        (edit_spans, r"'x' should hold closed intervals such as '\[20, 29\]'"),
        (edit_fields, r"does not describe a release; KeyError\('schema'\)"),
        (edit_resources, "does not describe a release"),
    ],
)
def test_a_description_that_disagrees_with_its_table_is_refused(edit, sentence, tmp_path):
    (tmp_path / "secret.csv").write_text("x,y\n1,2\n")
    folder = numbers(tmp_path / "release")
    package = described(folder)
    edit(package)
    describe(folder, package)
    with pytest.raises(vk.VerikitError, match=sentence):
        vk.open_release(folder)


@pytest.mark.parametrize("content", [None, "", "{", "[]", "7", "\udcff"])
def test_a_folder_without_a_readable_description_is_no_release(content, tmp_path):
    if content is not None:
        (tmp_path / "datapackage.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(
        FormatError, match=r"so it is no release; give the folder|does not describe a release"
    ):
        vk.open_release(tmp_path)


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(
        FormatError, match=r"nothing\.csv' does not exist; give a release's folder or a table"
    ):
        vk.open_release(tmp_path / "nothing.csv")


def test_a_damaged_zip_is_refused(tmp_path):
    file = tmp_path / "release.zip"
    file.write_bytes(b"PK and no more")
    with pytest.raises(FormatError, match=r"'release\.zip' is damaged or was cut short; ask for"):
        vk.open_release(file)


def test_a_zip_with_a_damaged_table_is_refused(tmp_path):
    folder, file = numbers(tmp_path / "release"), tmp_path / "release.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    content = file.read_bytes()
    file.write_bytes(content.replace(b"1,3.5\n", b"1,9.5\n"))
    with pytest.raises(FormatError, match=r"'release\.zip' is damaged or was cut short"):
        vk.open_release(file)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "holds no file; expected a table, or one release"),
        (2, r"holds 2 files named datapackage\.json; expected one"),
    ],
)
def test_a_zip_holds_exactly_one_release(count, said, tmp_path):
    file = tmp_path / "release.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for place in range(count):
            archive.writestr(f"{place}/datapackage.json", "{}")
    with pytest.raises(FormatError, match=said):
        vk.open_release(file)


def test_nothing_is_published_into_a_folder_that_holds_something(tmp_path):
    (tmp_path / "key.json").write_text("secret")
    with pytest.raises(FormatError, match="exists already and is not empty; choose a new folder"):
        numbers(tmp_path)
    with pytest.raises(FormatError, match="exists already and is not empty"):
        numbers(tmp_path / "key.json")
    assert [path.name for path in tmp_path.iterdir()] == ["key.json"]


def test_a_release_is_never_overwritten(tmp_path):
    numbers(tmp_path / "release")
    with pytest.raises(FormatError, match="exists already and is not empty"):
        numbers(tmp_path / "release")


# -- the key --------------------------------------------------------------------------------------


def test_a_key_hides_what_it_holds():
    key = Key(np.array([41, 7]), seed=918273)
    assert repr(key) == str(key) == "Key(hidden)"
    assert "41" not in repr(vk.Masked(release(), key))
    assert "918273" not in f"{key!r} {key}"


def test_a_key_is_opened_as_it_was_saved(tmp_path):
    saved = Key({"": np.array([2, 0, 1]), "ill": np.array([1, 0, 2])}, 7)
    opened = Key.open(saved.save(tmp_path / "key.json"))
    assert (opened.rows.tolist(), opened.seed) == ([2, 0, 1], 7)
    assert {name: rows.tolist() for name, rows in opened.columns.items()} == {"ill": [1, 0, 2]}


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no such file modes")
def test_only_its_owner_may_read_a_key(tmp_path):
    before = os.umask(0)
    try:
        path = Key.of([0]).save(tmp_path / "key.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_is_never_overwritten(tmp_path):
    path = Key.of([0, 1]).save(tmp_path / "key.json")
    with pytest.raises(FormatError, match="exists already; a key is never overwritten"):
        Key.of([1, 0]).save(path)
    assert Key.open(path).rows.tolist() == [0, 1]


@pytest.mark.parametrize("place", ["key.json", "inside/key.json"])
def test_a_key_is_never_kept_in_a_release(place, tmp_path):
    folder = numbers(tmp_path / "release")
    (folder / "inside").mkdir()
    with pytest.raises(
        FormatError, match="lies in the folder of a release; keep the key somewhere else"
    ):
        Key.of([0]).save(folder / place)
    assert not (folder / place).exists()


def test_a_key_needs_a_folder_to_lie_in(tmp_path):
    with pytest.raises(FormatError, match=r"key\.json' cannot be written: No such file"):
        Key.of([0]).save(tmp_path / "nowhere" / "key.json")


@pytest.mark.parametrize("rows", [[0, 0], [-2, 0], [[0, 1]], [0.2, 1.7], ["a", "b"], [True, False]])
def test_rows_that_are_no_rows_are_refused(rows):
    with pytest.raises(
        RecordError, match="one released row for each record, counted from 0 and used once"
    ):
        Key.of(rows)


@pytest.mark.parametrize(
    "content",
    [None, "", "[]", '{"rows": ["a"]}', '{"rows": [0, 0]}', '{"rows": [0], "columns": 7}'],
)
def test_a_file_that_is_no_key_is_refused(content, tmp_path):
    if content is not None:
        (tmp_path / "key.json").write_text(content)
    with pytest.raises(
        FormatError, match=r"key.json' is not a key; expected the file that Key\.save wrote"
    ):
        Key.open(tmp_path / "key.json")


def test_the_rows_of_a_key_cannot_be_changed():
    rows = np.array([1, 0])
    key = Key.of(rows)
    rows[0] = 5
    assert key.rows.tolist() == [1, 0]
    with pytest.raises(ValueError, match="read-only"):
        key.rows[0] = 5


def test_a_key_finds_the_way_back_only_through_whole_records():
    data, split = vk.load("lhcc_table1"), vk.published("lhcc_table3")
    with pytest.raises(SchemaError, match="Only a release of whole records can be put back"):
        Key.of(range(len(data))).undo(split)


def test_parquet_without_pyarrow_says_what_to_install(monkeypatch, tmp_path):
    def refuse(*_, **__):
        raise ImportError

    monkeypatch.setattr(pd.DataFrame, "to_parquet", refuse)
    with pytest.raises(FormatError, match="need pyarrow; install it with  pip install pyarrow"):
        release().save(tmp_path / "release", parquet=True)


@pytest.mark.parametrize("closed", ["both", "left", "right", "neither"])
def test_open_ends_and_missing_intervals_are_saved_and_opened_again(tmp_path, closed):
    spans = pd.arrays.IntervalArray.from_tuples([(1, 2.5), np.nan, (3, 9)], closed=closed)
    release = TableRelease.of(pd.DataFrame({"x": spans}), Schema((Column("x"),)))
    opened = vk.open_release(release.save(tmp_path / "release"))
    pd.testing.assert_frame_equal(opened.frame, release.frame)


def test_numbers_of_a_column_with_a_hierarchy_are_numbers_in_every_dtype():
    tree = vk.Hierarchy.intervals([10, 20, 30], [10])
    schema = vk.Schema((vk.Column("age", hierarchy=tree),))
    for dtype in ("int64", "float64", "object", "category"):
        release = vk.TableRelease.of(pd.DataFrame({"age": [10, 17, 30]}, dtype=dtype), schema)
        assert release.frame["age"].dtype == np.int64, dtype


def test_a_split_release_keeps_its_columns_in_one_order_wherever_the_sensitive_one_stood(tmp_path):
    ill = vk.Column("ill", "sensitive", "nominal")
    schema = vk.Schema((vk.Column("age"), ill, vk.Column("sex", kind="nominal")))
    quasi = pd.DataFrame({"age": [1, 2], "sex": ["F", "M"], "Group-ID": [1, 1]})
    sensitive = pd.DataFrame({"Group-ID": [1, 1], "ill": ["flu", "ulcer"]})
    release = vk.SplitRelease.of(quasi, sensitive, schema)
    opened = vk.open_release(release.save(tmp_path / "r"))
    assert opened.schema.names == release.schema.names == ("age", "sex", "ill")
