"""The shipped measurements of the real tables are what the script measures."""

import importlib.util
import os
from pathlib import Path

import pytest

import verikit as vk

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "real_tables.py"


@pytest.mark.skipif("VERIKIT_DATASETS" not in os.environ, reason="the real data sets do not ship")
def test_the_numbers_of_the_census_come_out_again():
    spec = importlib.util.spec_from_file_location("real_tables", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    shipped = vk.load("dm_real_tables").frame
    assert list(shipped) == script.COLUMNS
    lines = script.measured(Path(os.environ["VERIKIT_DATASETS"]))
    for line, (_, row) in zip(lines, shipped.head(3).iterrows(), strict=False):
        assert line[:2] == row[["table", "method"]].astype(str).tolist()
        assert line[2:] == pytest.approx(row.iloc[2:].astype(float).tolist(), abs=1e-3)
