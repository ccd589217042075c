"""A file that is read needs less than twice the room of its table: all that its frame holds."""

import subprocess
import sys
from functools import cache
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sources import THOROUGH

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")

DOORS = "read", "open_release"
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
PLAIN = {
    "csv": lambda table, path: table.to_csv(path, index=False),
    "utf-16": lambda table, path: table.to_csv(path, index=False, encoding="utf-16"),
    "parquet": lambda table, path: table.to_parquet(path),
    "feather": lambda table, path: table.to_feather(path),
    "gz": lambda table, path: table.to_csv(
        path, index=False, compression={"method": "gzip", "compresslevel": 1}
    ),
    "zip": lambda table, path: table.to_csv(
        path, index=False, compression={"method": "zip", "archive_name": "t.csv"}
    ),
    "json": lambda table, path: table.to_json(path, orient="records"),
    "sav": lambda table, path: import_module("pyreadstat").write_sav(table, path),
}
NEEDS = {"parquet": "pyarrow", "feather": "pyarrow", "sav": "pyreadstat"}


def numbers(records):
    draw = np.random.default_rng(1).integers(0, 10**4, (records, 10))
    return pd.DataFrame(draw, columns=[f"x{place}" for place in range(10)])


def codes(records):
    table = numbers(records)
    return table.assign(x1=table["x1"].map("{:04d}".format))


def mixed(records):
    """Numbers with gaps and with seventeen digits, half of them twice; words, codes and days."""
    draw = np.random.default_rng(2)
    columns = {}
    for at in range(3):
        long = draw.random(records // 2 + 1)
        day = pd.Timestamp("1950-01-01") + pd.to_timedelta(draw.integers(0, 9**4, records), "D")
        pay = np.where(
            draw.random(records) < 0.05, np.nan, draw.normal(3000, 900, records).round(2)
        )
        columns |= {
            f"pay{at}": pay,
            f"rate{at}": draw.permutation(np.r_[long, long])[:records],
            f"job{at}": draw.choice(["clerk", "nurse", "smith", "baker"], records),
            f"zip{at}": draw.choice([f"{one:05d}" for one in range(0, 50_000, 7)], records),
            f"born{at}": day,
        }
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write a table and a few of its kind of records, once for all doors."""

    @cache
    def write(make, kind):
        folder = tmp_path_factory.mktemp("files")
        for records, path in ((500_000, folder / "t"), (9, folder / "few")):
            PLAIN[kind](make(records), path)
        return folder

    return write


@pytest.mark.parametrize(
    ("make", "kind", "door"),
    [
        (numbers, "csv", "read"), (numbers, "json", "read"), (codes, "csv", "open_release"),
        *((mixed, kind, "read") for kind in ("csv", "gz", "parquet", "sav")),
        *((make, kind, door) for make in (numbers, mixed) for kind in PLAIN
          for door in DOORS if THOROUGH and kind not in ("json", "sav", "zip")),
    ],
)  # fmt: skip
def test_reading_needs_less_than_twice_the_room_of_the_table(written, make, kind, door):
    pytest.importorskip(NEEDS.get(kind, "pandas"))
    folder = written(make, kind)
    found = subprocess.run(
        [sys.executable, "-P", "-c", MEASURE, folder / "t", door, folder / "few"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert float(found.stdout) < 2
