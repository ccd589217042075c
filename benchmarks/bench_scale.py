"""Large tables by DuckDB, under a limit of memory, and by Spark with two partitions and eight.

Run with  python benchmarks/bench_scale.py [RECORDS] [duckdb|spark]  (1e7 of five columns and both
by default: 2 GB of disk, some minutes). Each job runs in a process of its own.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _timing import Row, put, table

PATIENCE = 100  # seconds of wall time that one job of Spark may take
LIMIT_MB = 1300  # of DuckDB; the process may take 2,000
RECORD = {"a": 0.3, "b": -0.7, "c": 1.1, "d": 0.0, "e": 2.0}
QUERY = "select avg(e) from t where a between -1 and 1"
CHILD = """
import resource, sys, threading, time
import pandas as pd, verikit as vk
from verikit import scale
home, job, engine, limit = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
partitions = sys.argv[5] if engine == "spark" else None
began = time.time()
if engine == "spark":
    from pyspark.sql import SparkSession
    told = {{"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": partitions, "spark.driver.memory": "4g",
            "spark.default.parallelism": partitions, "spark.local.dir": home,
            "spark.log.level": "ERROR"}}
    builder = SparkSession.builder.master("local[2]")
    for name, value in told.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    made = scale.connect(session)
else:
    made = scale.connect(memory_mb=limit)
started = time.time()
release = scale.open_table(made, home + "/release.parquet", row="n", promise="as it was")
if job == "check":
    report = vk.check({record}, release, chance=False)
    told = (report.facts["distance"], report.tables["matches"].values.tolist())
elif job == "answer":
    told = vk.answer("{query}", release).estimate
else:
    data = scale.open_table(made, home + "/data.parquet", row="n")
    key = made.backend.read_parquet(home + "/key.parquet")
    found = scale.audit(data, release, key, distance=10)
    told = (dict(found.largest), found.failed, int(made.fetch(found.table.worst.sum())))
seconds = time.time() - started
made.close()
who = resource.RUSAGE_SELF
if engine == "spark":  # what its JVM used is told when it has ended
    who, gateway = resource.RUSAGE_CHILDREN, session.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()
used = resource.getrusage(who)
print("TOLD", told)
print("USED", seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""


def make(home: Path, records: int) -> None:
    """An original, its noisy release in another order, and the key, in Parquet."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter, write_table

    rng = np.random.default_rng(1)
    rows = np.random.default_rng(2).permutation(records)
    schema = pa.schema([("n", pa.int64()), *((name, pa.float64()) for name in RECORD)])
    numbered = pa.table({"record": np.arange(records), "row": rows})
    write_table(numbered, home / "key.parquet", row_group_size=10**6)
    with (
        ParquetWriter(home / "data.parquet", schema) as data,
        ParquetWriter(home / "release.parquet", schema) as release,
    ):
        for start in range(0, records, 10**6):
            size = min(10**6, records - start)
            part = {name: rng.normal(size=size).round(6) for name in RECORD}
            data.write_table(pa.table({"n": np.arange(start, start + size), **part}, schema))
            moved = {n: (v + rng.normal(0, 0.3, size)).round(6) for n, v in part.items()}
            release.write_table(pa.table({"n": rows[start : start + size], **moved}, schema))


def run(home: Path, job: str, engine: str, partitions: int = 0) -> tuple[str, float, float, float]:
    """What a job says, its seconds, its CPU seconds, and its peak of memory.

    Raises
    ------
    subprocess.TimeoutExpired
        If Spark takes longer than we wait.
    """
    code = CHILD.format(record=RECORD, query=QUERY)
    done = subprocess.run(
        [sys.executable, "-c", code, str(home), job, engine, str(LIMIT_MB), str(partitions)],
        capture_output=True, text=True, check=False,
        timeout=PATIENCE if engine == "spark" else None,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    told = done.stdout.split("TOLD ")[1].split("\nUSED ")
    seconds, cpu, peak = map(float, told[1].split())
    print(f"{job} {engine} {partitions or ''}: {seconds:.1f} s, {cpu:.1f} s CPU, "
          f"{peak / 1e6:.0f} MB: {told[0][:100]}", flush=True)  # fmt: skip
    return told[0], seconds, cpu, peak


def by_spark(home: Path, job: str, size: str) -> tuple[list[Row], set[str], str]:
    """With two partitions and with eight; or that it had not ended when we stopped waiting."""
    try:
        two, eight = (run(home, job, "spark", parts) for parts in (2, 8))
    except subprocess.TimeoutExpired:
        note = f"{job} by Spark, {size}: had not ended after {PATIENCE} s, and was stopped."
        return [], set(), note
    row = Row(f"{job} by Spark, {size}, 8 parts, CPU s", eight[2], "2 parts", two[2], "-")
    return [row], {two[0], eight[0]}, ""


def rows(records: int, engines: list[str]) -> tuple[list[Row], list[str]]:
    found, notes, size = [], [], f"{records:.0e} x 5"
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        make(home, records)
        for job in ("check", "answer", "audit"):
            said = set()
            if "duckdb" in engines:
                told, _, cpu, peak = run(home, job, "duckdb")
                said.add(told)
                found += [
                    Row(f"{job} by DuckDB, {size}, CPU s", cpu, "", cpu, ""),
                    Row(f"{job} by DuckDB, {size}, peak GB", peak / 1e9, "2 GB", 2, "<= 1"),
                ]
            if "spark" in engines:
                more, told, note = by_spark(home, job, size)
                found += more
                said |= told
                notes += [note] if note else []
            if job != "answer":  # sums of floats differ in their last digits
                assert len(said) == 1, said
    return found, notes


if __name__ == "__main__":
    many = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7
    both = ["duckdb", "spark"] if importlib.util.find_spec("pyspark") else ["duckdb"]
    measured, said = rows(many, sys.argv[2:] or both)
    how = "one turn each; the time of Spark is that of its own process"
    put("Large tables by engines", how, "\n\n".join([table(measured), *said]))
