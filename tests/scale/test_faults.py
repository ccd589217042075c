"""Tables as they arrive on a bad day: one sentence each, or the right answer."""

import os

import numpy as np
import pandas as pd
import pytest

import verikit as vk

pa = pytest.importorskip("pyarrow")
pytest.importorskip("ibis")
pytest.importorskip("duckdb")

from pyarrow import parquet  # noqa: E402

from verikit import scale  # noqa: E402

HERS = {"a": 0.1, "b": 3.0}


@pytest.fixture(scope="module")
def engine():
    with scale.connect(memory_mb=300) as found:
        yield found


def drawn(n=500):
    rng = np.random.default_rng(1)
    columns = {"a": rng.normal(size=n), "b": rng.integers(0, 9, n).astype(float)}
    return pd.DataFrame({"n": range(n), **columns})


def parts(folder, *tables):
    for at, table in enumerate(tables):
        held = table if isinstance(table, pa.Table) else pa.Table.from_pandas(table)
        parquet.write_table(held, folder / f"{at}.parquet")
    return folder


def jobs(engine, table):
    pairs = pd.DataFrame({"record": range(len(table)), "row": range(len(table))})
    return (
        lambda: scale.audit(table, table, pairs),
        lambda: scale.noise(table, scale=0.5, seed=1),
        lambda: scale.permute(table, places=2, seed=1),
        lambda: scale.reverse_map(table, table, seed=1),
    )


def test_a_folder_without_parts_is_refused(engine, tmp_path):
    with pytest.raises(vk.FormatError, match="holds no readable datapackage"):
        scale.open_table(engine, tmp_path)


def test_an_empty_part_changes_nothing(engine, tmp_path):
    frame = drawn()
    folder = parts(tmp_path, frame.iloc[:0], frame, frame.iloc[:0])
    expected = vk.check(HERS, vk.TableRelease.of(frame.drop(columns="n")))
    held = scale.open_table(engine, folder, row="n")
    for found in (vk.check(HERS, folder), vk.check(HERS, held)):
        assert found.headline == expected.headline
        assert found.facts["distance"] == expected.facts["distance"]
    assert len(scale.permute(held, places=3, seed=1).release) == 500


def test_a_table_without_records_is_refused_where_records_are_needed(engine, tmp_path):
    held = scale.open_table(engine, parts(tmp_path, drawn().iloc[:0]), row="n")
    assert "empty" in vk.check(HERS, held).headline.text
    for job in jobs(engine, held):
        with pytest.raises(vk.VerikitError, match="has no records, so"):
            job()


def test_a_number_that_is_none_is_missing_whatever_the_file_promises(engine, tmp_path):
    """Statistics of Parquet leave NaN out, so that an engine may believe there is none."""
    frame = drawn()
    gaps = np.where(frame["n"] % 9 == 0, np.nan, frame["a"])
    table = pa.table({"n": frame["n"], "a": pa.array(gaps, from_pandas=False), "b": frame["b"]})
    assert table["a"].null_count == 0
    held = scale.open_table(engine, parts(tmp_path, table), row="n")
    memory = vk.TableRelease.of(frame.assign(a=gaps).drop(columns="n"))
    query = "select avg(a) from t where b > 2"
    assert vk.answer(query, held).estimate == pytest.approx(vk.answer(query, memory).estimate)
    assert vk.check(HERS, held).facts == vk.check(HERS, memory).facts
    for job in jobs(engine, held):
        with pytest.raises(vk.SchemaError, match=r"'a' .*has 56 missing values"):
            job()


def test_an_infinite_value_is_refused(engine, tmp_path):
    frame = drawn()
    frame.loc[3, "a"] = np.inf
    with pytest.raises(vk.SchemaError, match="'a' holds an infinite value"):
        scale.open_table(engine, parts(tmp_path, frame))


@pytest.mark.parametrize("twice", [7, -1])
def test_numbers_that_count_no_records_are_refused_by_masks(engine, twice):
    """Two records of one number would get the same noise, and each other's values."""
    frame = drawn()
    frame.loc[8, "n"] = twice
    held = scale.open_table(engine, frame, row="n")
    for job in jobs(engine, held)[1:]:
        with pytest.raises(vk.SchemaError, match=r"'n' holds .*; expected each of 0 to 499 once"):
            job()


def test_names_that_an_engine_takes_for_one_are_refused(engine, tmp_path):
    frame = drawn().rename(columns={"b": "A"})
    for given in (frame, parts(tmp_path, frame)):
        with pytest.raises(vk.SchemaError, match="'a' and 'A' have one name for DuckDB"):
            scale.open_table(engine, given, row="n")


def test_a_name_that_stands_twice_is_refused(engine, tmp_path):
    column = pa.array([1.0, 2.0])
    table = pa.Table.from_arrays([column, column], names=["a", "a"])
    with pytest.raises(vk.SchemaError, match="'a' more than once"):
        scale.open_table(engine, parts(tmp_path, table))


def test_rows_that_are_not_counted_from_0_are_refused(engine):
    """Records would be found beside those that are meant, and some of them not at all."""
    frame = drawn()
    for row, told in ((frame["n"] + 1, "from 1 to 500"), (frame["n"] * 2, "from 0 to 998")):
        held = scale.open_table(engine, frame.assign(n=row), row="n")
        with pytest.raises(vk.SchemaError, match=f"'n' holds numbers {told}; expected each of"):
            vk.check(HERS, held)
    with pytest.raises(vk.SchemaError, match="'n' was to count the records and holds 'string'; ex"):
        scale.open_table(engine, frame.assign(n=frame["n"].astype(str)), row="n")


def test_a_column_without_any_value_has_none_in_an_engine(engine, tmp_path):
    frame = drawn().drop(columns="n").assign(c=None)
    assert pa.Table.from_pandas(frame).schema.field("c").type == pa.null()
    for given in (parts(tmp_path, frame), frame):
        held = scale.open_table(engine, given)
        assert vk.check(HERS, held).facts == vk.check(HERS, vk.TableRelease.of(frame)).facts
        with pytest.raises(vk.SchemaError, match="'c' of the release has no value at all"):
            vk.check({"a": 1, "c": 2}, held)


def test_the_order_of_rows_that_pandas_keeps_is_no_column(engine, tmp_path):
    frame = drawn().sample(frac=1, random_state=1)
    held = scale.open_table(engine, parts(tmp_path, frame), row="n")
    assert held.schema.names == ("a", "b")
    assert "__index_level_0__" in parquet.read_schema(tmp_path / "0.parquet").names


def test_a_table_of_many_columns_is_asked_by_those_that_are_given(engine, monkeypatch):
    wide = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 500))).add_prefix("c")
    held, asked = scale.open_table(engine, wide.assign(n=range(60)), row="n"), []
    fetch = type(engine).fetch

    def heard(self, expression, what="The table"):
        asked.append(self.backend.compile(expression))
        return fetch(self, expression, what)

    monkeypatch.setattr(type(engine), "fetch", heard)
    found = vk.check({"c3": 0.1, "c7": 0.2}, held, chance=False)
    assert (
        found.facts
        == vk.check({"c3": 0.1, "c7": 0.2}, vk.TableRelease.of(wide), chance=False).facts
    )
    assert asked
    assert not any("c9" in told for told in asked)


@pytest.mark.parametrize("content", [b"", b"hello", None], ids=["empty", "text", "cut short"])
def test_a_file_that_is_no_parquet_is_refused(engine, tmp_path, content):
    path = parts(tmp_path, drawn()) / "0.parquet"
    path.write_bytes(path.read_bytes()[:3000] if content is None else content)
    with pytest.raises(vk.FormatError, match=r"^'0.parquet' cannot be read to its end"):
        scale.open_table(engine, path)


def test_a_column_that_is_damaged_inside_is_said_when_it_is_read(engine, tmp_path):
    path = tmp_path / "damaged.parquet"
    held = pa.Table.from_pandas(drawn(5000))
    parquet.write_table(held, path, compression="snappy", use_dictionary=False)
    start = parquet.ParquetFile(path).metadata.row_group(0).column(1).data_page_offset
    content = bytearray(path.read_bytes())
    content[start : start + 3000] = os.urandom(3000)
    path.write_bytes(content)
    with pytest.raises(vk.FormatError, match=r"damaged.parquet|cannot be worked on") as refused:
        vk.check(HERS, scale.open_table(engine, path, row="n"))
    assert "\n" not in str(refused.value)


def test_memory_that_does_not_suffice_is_said_and_nothing_is_written(tmp_path):
    with scale.connect(memory_mb=20) as small:
        small.backend.con.execute("set temp_directory = ''")
        frame = drawn(400_000)
        pairs = pd.DataFrame({"record": frame["n"], "row": frame["n"]})

        def work():
            held = scale.open_table(small, frame, row="n")
            scale.audit(held, held, pairs).save(tmp_path / "audit.parquet")

        with pytest.raises(vk.FormatError, match="needs more memory than DuckDB may hold; connect"):
            work()
    assert not [*tmp_path.iterdir()]
