"""Calls that somebody waits for, small and large, each against its limit.

Run with  python benchmarks/bench_calls.py [--small]
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from _timing import Row, cpu, write

import verikit as vk

QUERY = "select count(*) from t where Age between 30 and 40"


def in_a_fresh_process() -> Row:
    """A first check, beyond what importing and making its table take."""
    code = (
        "import time, verikit as vk\n"
        "release = vk.mask.noise(vk.simulate('dm', 1000, seed=1), scale=0.5, seed=2).release\n"
        "vk.check\nimport scipy.spatial, scipy.special\n"
        "start = time.process_time()\n"
        "vk.check(dict(X1=98.0, X2=900.0, X3=5000.0), release)\n"
        "print(time.process_time() - start)"
    )
    told = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(5)
    ]
    return Row("check, 1,000 x 3, first in a process", min(told), "0.06 s", 0.06, "<= 1")


def of_numbers() -> list[Row]:
    """A table of a classroom, and the most unusual record of a wide one."""
    table = vk.mask.noise(vk.simulate("dm", 1_000, seed=1), scale=0.5, seed=2).release
    record = dict(zip(table.schema.names, (98.0, 900.0, 5000.0), strict=True))
    more = {f"b{j}": np.random.default_rng(j).normal(size=20_000) for j in range(5)}
    wide = vk.TableRelease.of(vk.simulate("dm", 20_000, seed=1).frame.assign(**more))
    scores = wide.frame.to_numpy(dtype=float)
    far = np.abs((scores - scores.mean(0)) / scores.std(0)).max(axis=1).argmax()
    odd = wide.frame.iloc[int(far)].to_dict()
    return [
        Row("check, 1,000 x 3", cpu(lambda: vk.check(record, table), 20), "0.01 s", 0.01, "<= 1"),
        Row(
            "check of the most unusual, 20,000 x 8",
            cpu(lambda: vk.check(odd, wide)),
            "0.2 s",
            0.2,
            "<= 1",
        ),
    ]


def of_groups(n: int) -> list[Row]:
    """A person and a count in tables that are joined by groups."""
    people = vk.simulate("census", n, seed=1).only("Age", "Gender", "Education", "Salary-class")
    groups = vk.partition.anatomy(people, ell=5, seed=1)
    release = vk.mask.anatomize(people, partition=groups, seed=1).release
    person = people.frame.drop(columns="Salary-class").iloc[0].to_dict()
    vk.answer(QUERY, release)
    second = cpu(lambda: vk.answer(QUERY, release), 1)
    return [
        Row(f"second count, anatomized, {n:,}", second, "0.003 s", 0.003, "<= 1"),
        Row(
            f"check, anatomized, {n:,}",
            cpu(lambda: vk.check(person, release)),
            "0.2 s",
            0.2,
            "<= 1",
        ),
        Row(
            f"one count after the first, anatomized, {n:,}",
            cpu(lambda: vk.answer(QUERY, release), 20),
            "0.003 s",
            0.003,
            "<= 1",
        ),
    ]


if __name__ == "__main__":
    size = 50_000 if "--small" in sys.argv else 500_000
    write("Calls that somebody waits for", [in_a_fresh_process(), *of_numbers(), *of_groups(size)])
