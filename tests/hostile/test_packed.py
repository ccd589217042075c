"""Small files in columns that would fill the memory are refused before they are unpacked."""

import io
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import FormatError
from verikit._support.files import LIMIT_MB

pa = pytest.importorskip("pyarrow", reason="Feather and Parquet need pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

COUNT = 2_000_000
ZEROS = pa.table({"a": np.zeros(COUNT), "b": np.zeros(COUNT)})
RUNS = pa.table({"a": pa.RunEndEncodedArray.from_arrays([COUNT], ["x" * 50])})
WORDS = pa.table({"a": ["x" * 1000] * (COUNT // 100), "b": range(COUNT // 100)})
CODED = pa.table({"a": pa.array(["x" * 10**6 * 12, "y"]).dictionary_encode()})


def packed(table, name="t.feather", **how):
    stream = io.BytesIO()
    if name.endswith(".parquet"):
        parquet.write_table(table, stream, **how)
    else:
        feather.write_feather(table, stream, **how)
    stream.name = name
    return stream


@pytest.mark.parametrize("table", [ZEROS, CODED])
def test_a_feather_file_that_becomes_too_large_is_refused(table, monkeypatch):
    monkeypatch.setenv(LIMIT_MB, "9")
    with pytest.raises(FormatError, match=r"memory than a file of its size is given \(9 MB for"):
        vk.read(packed(table, compression="zstd"))


@pytest.mark.parametrize("table", [RUNS, WORDS])
def test_texts_that_repeat_come_out_of_a_feather_file_once(table, monkeypatch):
    monkeypatch.setenv(LIMIT_MB, "9")
    found = vk.read(packed(table, compression="zstd")).frame["a"]
    assert (len(found), found.unique().tolist()) == (len(table), [table["a"][0].as_py()])


@pytest.mark.parametrize("how", ["zstd", "uncompressed"])
def test_a_large_feather_file_of_usual_values_is_read(how):
    draw = np.random.default_rng(1)
    people = pd.DataFrame({"age": draw.integers(0, 90, 10**6), "pay": draw.random(10**6)})
    people["job"] = pd.Categorical.from_codes(draw.integers(0, 3, 10**6), ["a", "b", "c"])
    people["town"] = draw.choice(["Ulm", "Kiel", "Bonn"], 10**6)
    assert len(vk.read(packed(people, compression=how))) == 10**6


def test_long_texts_that_a_parquet_file_stores_once_are_held_once():
    stream = packed(pa.table({"a": ["x" * 10**6, None] * 600, "b": range(1200)}), "t.parquet")
    assert len(stream.getvalue()) < 10**5
    vk.read(packed(pa.table({"a": ["x"]}), "t.parquet"))  # which imports what it needs
    tracemalloc.start()
    before = pa.system_memory_pool().max_memory()
    frame = vk.read(stream).frame
    assert tracemalloc.get_traced_memory()[1] < 2 * 10**7
    tracemalloc.stop()
    assert pa.system_memory_pool().max_memory() - before < 2 * 10**7
    assert frame["a"].isna().sum() == 600
    assert frame["a"].dropna().str.len().unique().tolist() == [10**6]


def test_a_parquet_file_of_many_texts_stored_once_is_read():
    words = pd.DataFrame({"a": ["clerk", "smith", None, "baker"] * 50_000})
    words["b"] = words["a"].astype("category")
    frame = vk.read(packed(pa.Table.from_pandas(words), "t.parquet")).frame
    assert frame["a"].head(3).astype(object).tolist()[:2] == ["clerk", "smith"]
    assert frame["b"].isna().sum() == 50_000
