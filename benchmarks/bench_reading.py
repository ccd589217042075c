"""Reading a million records of ten columns, beside pandas; and the memory that it takes.

Memory is told beside the table: the bytes that the frame of its Microdata holds, its texts too.
It is the most that a fresh process takes beyond what it had taken after reading a small file of the
same kind; of formats that are read in a child, what the child takes is left out.

Run it with  python benchmarks/bench_reading.py  (about a minute, 500 MB of disk for a while).
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
MEASURED = [*GOALS, "utf-16.csv", "people.feather"]


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
    codes = pd.Series(draw.integers(0, 99_999, RECORDS)).map("{:05d}".format)
    for part, start in ((table, ""), (table.head(9), "few-")):
        part.to_csv(folder / f"{start}people.csv", index=False)
        part.to_csv(folder / f"{start}utf-16.csv", index=False, encoding="utf-16")
        part.assign(x9=codes).to_csv(folder / f"{start}codes.csv", index=False)
        part.to_parquet(folder / f"{start}people.parquet")
        part.to_feather(folder / f"{start}people.feather")


def reading(path: Path) -> Row:
    """Our reading beside that of pandas, which takes codes for numbers."""
    theirs = pd.read_parquet if path.suffix == ".parquet" else pd.read_csv
    best = race({"ours": lambda: vk.read(path), "pandas": lambda: theirs(path)}, repeat=7)
    base = f"pandas.{theirs.__name__}"
    return Row(f"read {path.name}, 1e6 x 10", best["ours"], base, best["pandas"], GOALS[path.name])


def memory(path: Path, door: str) -> Row:
    """The most memory that a fresh process needs beside the table."""
    found = subprocess.run(
        [sys.executable, __file__, "--memory", str(path), door],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    needed, frame = map(float, found.stdout.split())
    return Row(f"MB that {door} of {path.name} needs", needed, "MB of its table", frame, "< 2")


def measure(path: str, door: str) -> None:
    """What `memory` starts: megabytes at the most, and of the frame."""
    vk.read(Path(path).with_name(f"few-{Path(path).name}"))  # imports what it needs
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
        rows = [reading(Path(name) / file) for file in GOALS]
        files = [
            (Path(name) / file, door) for file in MEASURED for door in ("read", "open_release")
        ]
        write("Reading files", [*rows, *(memory(*one) for one in files)])
