"""Partitions of numbers beside np.sort, and rewritten questions beside the plain ones.

Run with  python benchmarks/bench_numeric.py [--small]
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from _timing import Row, cpu, race, write

import verikit as vk
from verikit._support import compiled
from verikit.analyst import rewrite
from verikit.partition import max_groups, min_max_error, min_sum_error

PARTITIONERS = (min_sum_error, min_max_error, max_groups)


def table(pay: np.ndarray, seed: int = 2) -> vk.Microdata:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(17, 90, len(pay)), "pay": pay})
    return vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))


def partitions(n: int) -> list[Row]:
    rng = np.random.default_rng(1)
    rows = []
    for name, pay in (
        ("different floats", rng.lognormal(3, 1, n)),
        ("10,000 integers", rng.integers(0, 10_000, n)),
        ("floats far apart", rng.lognormal(10, 1, n)),
    ):
        data, floats = table(pay), pay.astype(float)
        jobs = {p.__name__: lambda p=p, d=data: p(d, k=5, e=1, seed=1) for p in PARTITIONERS}
        for job in jobs.values():
            job()  # compiled once
        found = race({"sort": lambda f=floats: np.sort(f), **jobs}, 5)
        argsort = cpu(lambda f=floats: np.argsort(f))
        rows.append(Row(f"argsort, {n:,} {name}", argsort, "np.sort", found["sort"], "floor"))
        for job in jobs:
            goal = "<= 4" if job == "max_groups" else "<= 6"
            if (job, name) == ("min_max_error", "floats far apart"):
                goal = ""  # the narrowest groups at the ends do not decide: one more pass
            rows.append(Row(f"{job}, {n:,} {name}", found[job], "np.sort", found["sort"], goal))
    return rows


def plain(n: int) -> list[Row]:
    """Without numba, against two seconds."""
    data, kept = table(np.random.default_rng(1).lognormal(3, 1, n)), compiled.has_numba
    compiled.has_numba = lambda: False
    try:
        return [
            Row(
                f"{p.__name__} without numba, {n:,}",
                cpu(lambda p=p: p(data, k=5, e=1, seed=1), 1),
                "2 s",
                2.0,
                "<= 1",
            )
            for p in PARTITIONERS
        ]
    finally:
        compiled.has_numba = kept


def overlapping(n: int) -> list[Row]:
    rng, rows = np.random.default_rng(3), []
    asked = ((4, 0.01), (4, 0.5), (4, 10.0), (20, 0.0))
    for words, k, e in ((f"k = {k}, e = {e:g}", k, e) for k, e in asked):
        min_max_error(table(rng.lognormal(3, 1, 900)), k=k, e=e, overlapping=True, seed=1)
        data = table(rng.lognormal(3, 1, n))
        took = cpu(lambda d=data, k=k, e=e: min_max_error(d, k=k, e=e, overlapping=True, seed=1), 1)
        rows.append(Row(f"min_max_error with overlap, {n:,}, {words}", took, "5 s", 5.0, "<= 1"))
    return rows


def growth(n: int) -> list[Row]:
    """Ten times the records, against ten times the time."""
    small, large = (table(np.random.default_rng(6).lognormal(3, 1, size)) for size in (n, 10 * n))
    min_sum_error(small, k=5, e=1, seed=1)  # compiled once
    jobs = {"small": lambda: min_sum_error(small, k=5, e=1, seed=1)}
    few, many = (data.scores("pay") for data in (small, large))
    jobs |= {"few": lambda: np.argsort(few), "many": lambda: np.argsort(many)}
    found = race({**jobs, "large": lambda: min_sum_error(large, k=5, e=1, seed=1)}, 3)
    what, base = f"{10 * n:,} different floats", f"{n:,} of them"
    return [
        Row(f"min_sum_error, {what}", found["large"], base, found["small"], "about as argsort"),
        Row(f"argsort, {what}", found["many"], base, found["few"], "floor"),
    ]


def questions(n: int) -> list[Row]:
    import duckdb

    data = table(np.random.default_rng(4).integers(155, 3901, n))
    groups = min_sum_error(data, k=20, e=0, seed=1)
    release = vk.mask.permute_sensitive(data, partition=groups, seed=1).release
    rng = np.random.default_rng(5)
    lows = rng.integers(17, 70, 1000)
    asked = [vk.Query.avg("pay", {"age": (int(a), int(a) + 10)}) for a in lows]
    vk.answer(asked[0], release)
    rows = [
        Row(
            f"1,000 bounded range queries, {n:,} rows",
            cpu(lambda: vk.answer(asked, release), 1),
            "10 s",
            10.0,
            "<= 1",
        )
    ]
    query = vk.Query.sum("pay", {"age": (30, 60)})
    rewritten = rewrite(query, release)
    rewritten.run()
    connection = duckdb.connect()
    connection.register("given", data.frame)
    connection.execute("create table t as select * from given")
    text = query.sql_text()
    found = race(
        {
            "rewritten": rewritten.run,
            "plain": lambda: connection.execute(text).fetchone(),
        },
        15,
    )
    words = f"rewritten sum, {n:,} rows in {len(groups):,} groups"
    rows.append(Row(words, found["rewritten"], "plain query", found["plain"], "<= 4"))
    return rows


if __name__ == "__main__":
    size = 100_000 if "--small" in sys.argv else 1_000_000
    write(
        "Numbers that stay apart",
        [
            *partitions(size),
            *plain(size),
            *overlapping(size // 100),
            *growth(size),
            *questions(size // 100),
            *questions(size),
        ],
    )
