"""Reading a million records beside pandas; and the memory that it takes, of every kind of file.

Memory is told beside the table: the bytes that the frame of its Microdata holds, its texts too, or
those of its cells as text where these are more, as of words of which each is held once. It is the
most that a fresh process takes beyond what it had after reading a small file of the same kind; of
formats that are read in a child, what the child takes is left out.

Where every text of a column differs, what pandas makes of texts before it knows which of them are
the same is larger than any table: there, the most that pandas needs for the same categories is the
limit.

Run it with  python benchmarks/bench_reading.py [--only-memory]  (about five minutes, 2 GB of disk
for a while).
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from _timing import Row, race, write
from damaged_files import KINDS, make_table

import verikit as vk

RECORDS, COLUMNS = 1_000_000, 10
GOALS = {"people.csv": "<= 1.3", "codes.csv": "<= 2.2", "people.parquet": "<= 1.3"}
MEASURED = [*GOALS, "utf-16.csv", "people.feather"]
NO_TABLES = {"ods", "release", "key", "ledger"}  # of the kinds of files that are damaged
SLOW = {"xlsx": 300_000, "por": 500_000}  # records of what libraries read slowly
OF_TEXTS = ("csv", "quoted csv", "gz", "parquet", "feather 2")
THEIRS = {"csv": pd.read_csv, "parquet": pd.read_parquet, "feather": pd.read_feather}


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


def make_words(records: int) -> pd.DataFrame:
    """Eight columns of few words."""
    draw, words = np.random.default_rng(3), ["clerk", "nurse", "smith", "baker", "mason", "tailor"]
    return pd.DataFrame({f"w{place}": draw.choice(words, records) for place in range(8)})


def make_names(records: int) -> pd.DataFrame:
    """A column in which every text differs."""
    order = np.random.default_rng(4).permutation(records)
    return pd.DataFrame({"name": [f"p{one:09d}" for one in order]})


def measure_kinds(folder: Path) -> Iterator[Row]:
    """The memory for every kind of file, and for those of texts with other texts."""
    people = [("people", make_table, kind) for kind in KINDS if kind not in NO_TABLES]
    words = [("words", make_words, kind) for kind in OF_TEXTS]
    names = [("names", make_names, kind) for kind in OF_TEXTS]
    for name, make_records, kind in people + words + names:
        file, write_file = KINDS[kind]
        paths = folder / file, folder / f"few-{file}"
        table = make_records(SLOW.get(kind, RECORDS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                for part, path in zip((table, table.head(9)), paths, strict=True):
                    write_file(part, path)
            except ImportError as error:
                print(f"{kind}: {error}")
                continue
        text = len(table.to_csv(index=False)) / 2**20
        yield memory(paths[0], "read", f"{kind} of {name}", text)
        if name == "names" and paths[0].suffix[1:] in THEIRS:
            theirs = take_memory(paths[0], "pandas")[0]
            ours = take_memory(paths[0], "read")[0]
            yield Row(f"MB that read of {kind} of names needs", ours, "pandas", theirs, "< 1")


def memory(path: Path, door: str, what: str = "", text: float = 0) -> Row:
    """The most memory that a fresh process needs beside the table."""
    needed, frame = take_memory(path, door)
    table = max((frame, "its table"), (text, "its text"))
    name = f"MB that {door} of {what or path.name} needs"
    return Row(name, needed, f"MB of {table[1]}", table[0], "< 2")


def take_memory(path: Path, door: str) -> tuple[float, float]:
    """The megabytes that a fresh process needs at the most, and those of the frame."""
    found = subprocess.run(
        [sys.executable, __file__, "--memory", str(path), door],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    needed, frame = map(float, found.stdout.split())
    return needed, frame


def measure(path: str, door: str) -> None:
    """What `take_memory` starts."""
    read = read_with_pandas if door == "pandas" else getattr(vk, door)
    read(Path(path).with_name(f"few-{Path(path).name}"))  # imports what it needs
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    before = peak()
    frame = read(Path(path)).frame
    print(peak() - before, frame.memory_usage(deep=True).sum() / 2**20)


def read_with_pandas(path: Path) -> Any:
    """A table whose texts are categories, as pandas makes them."""
    frame = THEIRS[path.suffix[1:]](path)
    texts = frame.select_dtypes(["object", "string"]).columns
    return SimpleNamespace(frame=frame.astype(dict.fromkeys(texts, "category")))


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
        quick = "--only-memory" in sys.argv
        rows = [] if quick else [reading(Path(name) / file) for file in GOALS]
        files = [
            (Path(name) / file, door) for file in MEASURED for door in ("read", "open_release")
        ]
        rows += [memory(*one) for one in files]
        write("Reading files", [*rows, *measure_kinds(Path(name))])
