"""A file that is read needs no more than three times the room of its table."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")

MEASURE = """
import sys
from pathlib import Path
import verikit as vk
vk.read(sys.argv[3])  # what libraries need by themselves is no part of it
def peak():
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024
before = peak()
frame = getattr(vk, sys.argv[2])(sys.argv[1]).frame
print((peak() - before) / frame.memory_usage(deep=True).sum())
"""


@pytest.mark.parametrize("door", ["read", "open_release"])
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_reading_needs_at_most_three_times_the_room_of_the_table(tmp_path, name, door):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    draw = np.random.default_rng(1).integers(0, 10**5, (1_000_000, 10))
    table = pd.DataFrame(draw, columns=[f"x{place}" for place in range(10)])
    path = tmp_path / name
    for part, place in ((table, path), (table.head(9), tmp_path / f"few-{name}")):
        part.to_parquet(place) if name.endswith("parquet") else part.to_csv(place, index=False)
    found = subprocess.run(
        [sys.executable, "-P", "-c", MEASURE, path, door, tmp_path / f"few-{name}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert float(found.stdout) <= 3
