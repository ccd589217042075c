"""Reading a million records of ten columns, beside pandas; and the memory that it takes.

Run it with  python benchmarks/bench_reading.py  (about a minute, 250 MB of disk for a while).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import Row, race, write

import verikit as vk

RECORDS, COLUMNS = 1_000_000, 10
GOALS = {"people.csv": "<= 1.3", "codes.csv": "<= 2.2", "people.parquet": "<= 1.3"}


def make(folder: Path) -> None:
    """Whole numbers and fractions; and the same with a column of codes such as 02138."""
    draw = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            f"x{place}": draw.integers(0, 10**5, RECORDS)
            if place % 2
            else np.round(draw.normal(0, 1000, RECORDS), 2)
            for place in range(COLUMNS)
        }
    )
    table.to_csv(folder / "people.csv", index=False)
    table.to_parquet(folder / "people.parquet")
    codes = pd.Series(draw.integers(0, 99_999, RECORDS)).map("{:05d}".format)
    table.assign(x9=codes).to_csv(folder / "codes.csv", index=False)


def reading(path: Path) -> Row:
    """Our reading beside that of pandas, which takes codes for numbers."""
    theirs = pd.read_parquet if path.suffix == ".parquet" else pd.read_csv
    best = race({"ours": lambda: vk.read(path), "pandas": lambda: theirs(path)}, repeat=7)
    base = f"pandas.{theirs.__name__}"
    return Row(f"read {path.name}, 1e6 x 10", best["ours"], base, best["pandas"], GOALS[path.name])


def memory(path: Path, door: str) -> Row:
    """The most memory that a fresh process needs beyond its libraries, beside the frame's."""
    found = subprocess.run(
        [sys.executable, __file__, "--memory", str(path), door],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    needed, frame = map(float, found.stdout.split())
    return Row(f"MB that {door} of {path.name} needs", needed, "MB of its frame", frame, "<= 3")


def measure(path: str, door: str) -> None:
    """What `memory` starts: megabytes at the most, and of the frame."""
    if path.endswith(".parquet"):
        import pyarrow.parquet  # noqa: F401 - its libraries are no part of a table
    before = peak()
    frame = getattr(vk, door)(path).frame
    print(peak() - before, frame.memory_usage(deep=True).sum() / 2**20)


def peak() -> float:
    """The most memory of this process so far, in MB; what it inherits left out."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    if "--memory" in sys.argv:
        measure(*sys.argv[2:])
        sys.exit()
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
        files = [Path(name) / file for file in GOALS]
        doors = ("read", "open_release")
        write(
            "Reading files",
            [*map(reading, files), *(memory(file, door) for file in files for door in doors)],
        )
