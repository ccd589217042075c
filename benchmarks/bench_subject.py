"""The subject's check, the protector's audit, reverse mapping and the cost of importing.

Run with  python benchmarks/bench_subject.py [--small]
"""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np
import pandas as pd
from _timing import Row, cpu, race, write
from scipy.spatial import cKDTree
from scipy.stats import rankdata

import verikit as vk
from verikit.ranks import reverse_map


def normal(n: int, m: int, seed: int = 1) -> pd.DataFrame:
    values = np.random.default_rng(seed).normal(size=(m, n))
    return pd.DataFrame({f"a{j}": column for j, column in enumerate(values)})


def ranked_by_column(release: vk.TableRelease, record: dict[str, float]) -> int:
    """What one writes without verikit: a full ranking of each column, then a scan."""
    worst = np.zeros(len(release))
    for name, own in record.items():
        values = release.frame[name].to_numpy()
        ranks = rankdata(values, method="ordinal")
        closest = ranks[np.argmin(np.abs(values - own))]
        np.maximum(worst, np.abs(ranks - closest), out=worst)
    return int(worst.min())


def one_subject(n: int, m: int, repeat: int, goal: float) -> list[Row]:
    release = vk.TableRelease.of(normal(n, m))
    columns = [release.frame[name].to_numpy() for name in release.frame]
    record = dict.fromkeys(release.frame, 0.3)
    times = race(
        {
            "check": lambda: vk.check(record, release, chance=False),
            "sort": lambda: [np.sort(column) for column in columns],
            "rank": lambda: ranked_by_column(release, record),
        },
        repeat,
    )
    found = vk.check(record, release, chance=False).facts["distance"]
    assert found == ranked_by_column(release, record)
    job, sort = f"cold check, {n:.0e} x {m}", "np.sort of the columns"
    rows = [
        Row(job, times["check"], sort, times["sort"], f"<= {goal}"),
        Row(job, times["check"], "ranking each column", times["rank"], "<= 0.2"),
    ]
    if n <= 1_000_000:
        tested = cpu(lambda: vk.check(record, release), 2)
        rows.append(Row(f"{job}, compared with chance", tested, sort, times["sort"], "-"))
    return rows


def prepared_subject(n: int, m: int) -> Row:
    release = vk.TableRelease.of(normal(n, m)).prepare()
    records = [dict.fromkeys(release.frame, value) for value in np.linspace(-2, 2, 9)]
    times = race(
        {
            "check": lambda: [vk.check(record, release, chance=False) for record in records],
            "sort": lambda: [np.sort(release.frame[name].to_numpy()) for name in release.frame],
        }
    )
    each = times["check"] / len(records)
    return Row(f"prepared check, {n:.0e} x {m}", each, "np.sort", times["sort"], "<= 0.004 s")


def mapping(n: int, repeat: int) -> list[Row]:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=n), rng.normal(size=n)
    tied = rng.integers(0, n // 5, n).astype(float)
    times = race(
        {
            "map": lambda: reverse_map(x, y, seed=1),
            "tied": lambda: reverse_map(x, tied, seed=1),
            "floor": lambda: (np.argsort(y), np.sort(x)),
            "tied floor": lambda: (np.argsort(tied), np.sort(x)),
        },
        repeat,
    )
    base = "argsort + sort"
    return [
        Row(f"reverse mapping, {n:.0e}", times["map"], base, times["floor"], "<= 1.5"),
        Row(
            f"the same, tied five by five, {n:.0e}",
            times["tied"],
            base,
            times["tied floor"],
            "<= 3",
        ),
    ]


def audit(n: int, m: int, repeat: int) -> list[Row]:
    data = vk.Microdata(normal(n, m))
    release, key = vk.mask.noise(data, scale=0.1, seed=3)
    columns = [table.frame[name].to_numpy() for table in (data, release) for name in data.frame]
    ranks = [
        np.column_stack([rankdata(t.frame[name]) for name in data.frame]) for t in (data, release)
    ]
    times = race(
        {
            "protector": lambda: vk.audit(data, release, key, subject_view=False),
            "sorts": lambda: [np.argsort(column) for column in columns],
            "both": lambda: vk.audit(data, release, key),
            "tree": lambda: cKDTree(ranks[1]).query(ranks[0], p=np.inf),
        },
        repeat,
    )
    return [
        Row(
            f"audit, {n:.0e} x {m}",
            times["protector"],
            "argsort of its columns",
            times["sorts"],
            "<= 3",
        ),
        Row(
            f"audit and subjects' view, {n:.0e} x {m}",
            times["both"],
            "raw cKDTree",
            times["tree"],
            "<= 1.3",
        ),
    ]


def importing() -> list[Row]:
    def run(code: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    codes = {
        "import verikit": "import verikit",
        "import verikit and what a check needs": "import verikit as vk; vk.check, vk.open_release",
        "import verikit and open every room": "from verikit import *",
        "base": "import numpy, pandas",
    }
    best = dict.fromkeys(codes, float("inf"))
    for _ in range(7):
        for name, code in codes.items():
            best[name] = min(best[name], run(code))
    goals = ("<= 1.15", "-", "-")
    names = [name for name in codes if name != "base"]
    return [
        Row(name, best[name], "import numpy, pandas", best["base"], goal)
        for name, goal in zip(names, goals, strict=True)
    ]


def small_table() -> Row:
    release = vk.TableRelease.of(normal(1000, 3))
    record = dict.fromkeys(release.frame, 0.3)
    columns = [release.frame[name].to_numpy() for name in release.frame]
    return Row(
        "check at n = 1000",
        cpu(lambda: vk.check(record, release), 20),
        "np.sort",
        cpu(lambda: [np.sort(column) for column in columns], 20),
        "< 0.2 s",
    )


def main() -> list[Row]:
    small = "--small" in sys.argv
    rows = [*importing(), small_table(), *one_subject(1_000_000, 3, 7, 0.5)]
    if small:
        rows += one_subject(1_000_000, 8, 3, 1.1)
    else:
        rows += one_subject(10_000_000, 3, 3, 0.25) + one_subject(10_000_000, 8, 3, 1.1)
    rows.append(prepared_subject(1_000_000, 8))
    rows += mapping(1_000_000 if small else 10_000_000, 3)
    rows += audit(100_000 if small else 1_000_000, 3, 3)
    return rows


if __name__ == "__main__":
    write("The subject, the protector and reverse mapping", main())
