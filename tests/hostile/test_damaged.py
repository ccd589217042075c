"""A damaged file of any kind ends as a table or as one sentence, and within twice its room."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

import verikit as vk
from verikit.table.reading import _native

SOURCE = Path(__file__).resolve().parents[2] / "benchmarks" / "damaged_files.py"
SPEC = importlib.util.spec_from_file_location("verikit_damaged_files", SOURCE)
damaged_files = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(damaged_files)
NEEDS = {"parquet": "pyarrow", "feather": "pyarrow", "xlsx": "openpyxl"}
NEEDS |= dict.fromkeys(("sav", "zsav", "por", "xpt"), "pyreadstat")
NEEDS |= {"zstd": "zstandard"}
NEEDS |= dict.fromkeys(("rds", "plain", "rdata"), "pyreadr")


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="no Linux, which counts")
@pytest.mark.parametrize("kind", damaged_files.KINDS)
def test_a_damaged_file_is_a_table_or_a_sentence(kind, monkeypatch):
    pytest.importorskip(NEEDS.get(kind.split()[0], "pandas"))
    monkeypatch.setattr(_native, "run_child", damaged_files.fork_child)
    monkeypatch.setattr(damaged_files.gc, "collect", lambda: 0)  # of all that tests hold
    monkeypatch.setattr(damaged_files, "MANY", 2000)
    monkeypatch.setattr(damaged_files, "SOME", 500)
    whole, *found = (one for one in damaged_files.try_kind(kind, range(2)) if "taken" in one)
    assert whole["said"] == ("sentence" if kind in damaged_files.REFUSED else "table")
    assert len(found) == 2
    for one in found:
        assert one["said"] in ("table", "sentence")
        room = max(whole["table"], one["table"])
        assert one["taken"] <= 2 * room + damaged_files.FLOOR


def test_letters_of_a_parquet_file_that_are_none_are_refused_in_a_sentence(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"job": ["clerk", "abcde"] * 50})
    frame.to_parquet(path, use_dictionary=False, compression=None)
    path.write_bytes(path.read_bytes().replace(b"abcde", b"ab\xff\xfee"))
    with pytest.raises(vk.FormatError, match=r"'t\.parquet' cannot be read as a table"):
        vk.read(path)
