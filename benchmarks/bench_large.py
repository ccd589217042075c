"""A record against a table that is not loaded, and the size of an index.

Run with  python benchmarks/bench_large.py [RECORDS]  (1e8 by default: 2 GB of disk, some minutes).
Each contestant runs in a process of its own, of which CPU, peak memory and bytes read are told.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import Row, write

import verikit as vk

NAMES = ["a", "b", "c"]
RECORD = {"a": 0.3, "b": -0.7, "c": 1.1}
LIMIT = 2 * 10**9
CONTESTANTS = {
    "check": "vk.check({record}, path, chance=False)",
    "check with chance": "vk.check({record}, path)",
    "one pass": "sum(len(b) for b in ParquetFile(path, pre_buffer=False).iter_batches(1 << 17))",
}
CHILD = """
import resource, sys, time
import verikit as vk, verikit.subject
from pyarrow.parquet import ParquetFile
resource.setrlimit(resource.RLIMIT_DATA, ({limit}, {limit}))
def read():
    return int(open("/proc/self/io").read().split("rchar:")[1].split()[0])
path, before, start = sys.argv[1], read(), time.process_time()
{job}
used = time.process_time() - start
print(used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, read() - before)
"""


def make(path: Path, records: int) -> None:
    """Normal columns of 32 bits' precision, a million records in each group of rows."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    rng = np.random.default_rng(1)
    with ParquetWriter(path, pa.schema([(n, pa.float64()) for n in NAMES])) as writer:
        for start in range(0, records, 10**6):
            size = min(10**6, records - start)
            columns = {n: rng.normal(size=size).astype(np.float32).astype(float) for n in NAMES}
            writer.write_table(pa.table(columns))


def run(name: str, path: Path) -> tuple[float, float, float]:
    """CPU seconds, peak bytes and bytes read of one contestant, in its own process."""
    code = CHILD.format(limit=LIMIT, job=CONTESTANTS[name].format(record=RECORD))
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    used, peak, read = map(float, done.stdout.split())
    return used, peak, read


def streamed(records: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "table.parquet"
        make(path, records)
        found = {name: min(run(name, path) for _ in range(2)) for name in ("check", "one pass")}
        found["check with chance"] = run("check with chance", path)
    job = f"{records:.0e} x 3 in Parquet, at most 2 GB"
    for name, (used, peak, read) in found.items():
        print(f"{name}: {used:.2f} s, {peak / 1e6:.0f} MB, read {read / 1e6:.0f} MB")
    base = found["one pass"]
    return [
        Row(f"check, {job}", found["check"][0], "one pass", base[0], "<= 1.5"),
        Row(f"bytes read, {job}", found["check"][2], "one pass", base[2], "<= 1.5"),
        Row(f"with chance, {job}", found["check with chance"][0], "one pass", base[0], "-"),
    ]


def indexed() -> list[Row]:
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(10**6, 5)), columns=list("abcde"))
    release, rows = vk.TableRelease.of(frame), []
    with tempfile.TemporaryDirectory() as home:
        for bits, goal in ((12, 8), (8, 3.5)):
            path = vk.index(release, bits=bits).save(f"{home}/{bits}")
            size = path.stat().st_size / 1e6
            rows.append(Row(f"MB of an index, 1e6 x 5, {bits} bits", size, "MB", goal, "<= 1"))
    return rows


if __name__ == "__main__":
    many = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8
    write("Large tables", [*streamed(many), *indexed()])
