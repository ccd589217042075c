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
if sys.argv[1].endswith("parquet"):
    import pyarrow.parquet
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
    draw = np.random.default_rng(1).integers(0, 10**5, (600_000, 10))
    table = pd.DataFrame(draw, columns=[f"x{place}" for place in range(10)])
    path = tmp_path / name
    table.to_parquet(path) if name.endswith("parquet") else table.to_csv(path, index=False)
    found = subprocess.run(
        [sys.executable, "-P", "-c", MEASURE, path, door],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert float(found.stdout) <= 3
