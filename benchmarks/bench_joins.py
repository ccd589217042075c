"""Attacks that lay two tables beside each other, or look for everybody: near n log n in time.

Run with  python benchmarks/bench_joins.py [--small]
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from _timing import Row, cpu, write

import verikit as vk
from verikit.intruder import background_knowledge, complementary_release, unsorted_matching

SCHEMA = vk.Schema(
    (
        vk.Column("age"),
        vk.Column("sex", kind="nominal"),
        vk.Column("zip"),
        vk.Column("school", kind="nominal"),
        vk.Column("ill", "sensitive", "nominal"),
    )
)
LIMITS = {unsorted_matching: 10, complementary_release: 10, background_knowledge: 5}


def people(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(17, 91, n),
            "sex": rng.choice(["F", "M"], n),
            "zip": rng.integers(47_000, 48_000, n),
            "school": rng.choice([f"s{i:02}" for i in range(16)], n),
            "ill": rng.choice([f"i{i:02}" for i in range(50)], n),
        }
    )


def bands(values: pd.Series, start: int, width: int) -> pd.Series:
    return pd.cut(values, range(start, int(values.max()) + width + 1, width)).astype("interval")


def releases(frame: pd.DataFrame) -> tuple[vk.TableRelease, vk.TableRelease]:
    """Two releases of the same people, each with another blur, the second in another order."""
    one = frame.assign(age=bands(frame["age"], 0, 5), zip=bands(frame["zip"], 46_999, 10))
    two = frame.assign(age=bands(frame["age"], 0, 20), school=frame["school"].str[:2] + "*")
    two = two.sample(frac=1, random_state=1, ignore_index=True)
    return vk.TableRelease.of(one, SCHEMA), vk.TableRelease.of(two, SCHEMA)


def jobs(n: int) -> dict:
    frame = people(n)
    data = vk.Microdata(frame, SCHEMA)
    groups = vk.partition.mondrian(data, k=5)
    release = vk.mask.generalize(data, partition=groups, seed=1).release
    both, known = releases(frame), frame.drop(columns="ill")
    return {
        unsorted_matching: lambda: unsorted_matching(data, release),
        complementary_release: lambda: complementary_release(*both),
        background_knowledge: lambda: background_knowledge(release, known, ruled_out=["i03"]),
    }


def main(small: bool) -> None:
    rows, before = [], {}
    for n in (1_000, 10_000) if small else (1_000, 10_000, 100_000):
        for attack, job in jobs(n).items():
            seconds = cpu(job, 3)
            name = f"{attack.__name__}, {n:,} x 5"
            if attack in before:
                n_log_n = before[attack] * 10 * np.log(n) / np.log(n / 10)
                rows.append(Row(name, seconds, "n log n from a tenth", n_log_n, ""))
            if n == 100_000:
                limit = LIMITS[attack]
                rows.append(Row(name, seconds, f"{limit} s", limit, "<= 1"))
            before[attack] = seconds
    write("Joining tables" + " (small)" * small, rows)


if __name__ == "__main__":
    main("--small" in sys.argv[1:])
