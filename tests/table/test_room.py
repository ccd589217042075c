"""A file that is read needs less than twice the room of its table: all that its frame holds."""

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
WRITERS = {
    "t.csv": lambda table, path: table.to_csv(path, index=False),
    "codes.csv": lambda table, path: table.assign(x1=table["x1"].map("{:04d}".format)).to_csv(
        path, index=False
    ),
    "utf-16.csv": lambda table, path: table.to_csv(path, index=False, encoding="utf-16"),
    "t.parquet": lambda table, path: table.to_parquet(path),
    "t.feather": lambda table, path: table.to_feather(path),
}


@pytest.mark.parametrize("door", ["read", "open_release"])
@pytest.mark.parametrize("name", WRITERS)
def test_reading_needs_less_than_twice_the_room_of_the_table(tmp_path, name, door):
    if not name.endswith("csv"):
        pytest.importorskip("pyarrow")
    draw = np.random.default_rng(1).integers(0, 10**4, (500_000, 10))
    table = pd.DataFrame(draw, columns=[f"x{place}" for place in range(10)])
    for part, path in ((table, tmp_path / name), (table.head(9), tmp_path / f"few-{name}")):
        WRITERS[name](part, path)
    found = subprocess.run(
        [sys.executable, "-P", "-c", MEASURE, tmp_path / name, door, tmp_path / f"few-{name}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert float(found.stdout) < 1.9
