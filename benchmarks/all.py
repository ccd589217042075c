"""Everything in RESULTS.md by one command, the default install beside the extra that compiles.

Run with  python benchmarks/all.py [--slow]

Each file runs in a process of its own; with ``--slow`` at full size, else as ``--small`` where it
has that. The table of both installs comes from this file: the same jobs with numba and without.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
from _timing import Row, cpu, put, table

import verikit as vk
from verikit.protector import Goal, choose

HERE = Path(__file__).parent
AREA = "Default install beside the fast extra"


def jobs() -> dict[str, object]:
    """What a compiler could make quicker, or does not; each is called once before it is timed."""
    small, large = (vk.simulate("dm", n, seed=1) for n in (1_000, 100_000))
    people = vk.simulate("census", 100_000, seed=1).only(
        "Age", "Gender", "Education", "Marital", "Race", "Salary-class"
    )
    releases = [vk.mask.noise(data, scale=0.5, seed=2).release for data in (small, large)]
    record = dict(zip(small.schema.names, (98.0, 900.0, 5000.0), strict=True))
    frame = vk.simulate("dm", 1_000_000, seed=1).frame
    pay = vk.Microdata(frame, vk.Schema.guess(frame, X3="sensitive"))
    return {
        "check, 1,000 x 3": lambda: vk.check(record, releases[0]),
        "check, 100,000 x 3": lambda: vk.check(record, releases[1]),
        "plausibility, exact, 1,000 x 3": lambda: vk.plausibility(small, releases[0]),
        "choose, 1,000 x 3": lambda: choose(small, "noise", Goal(links=3), seed=1),
        "noise, 1,000 x 3": lambda: vk.mask.noise(small, scale=0.5, seed=1),
        "rank swap, 100,000 x 3": lambda: vk.mask.rank_swap(large, percent=5, seed=1),
        "MDAV, 1,000 x 3": lambda: vk.mask.microaggregate(small, k=3, method="mdav", seed=1),
        "diverse, 100,000 x 5": lambda: vk.partition.diverse(people, ell=4, seed=1),
        "min_sum_error, 1,000,000": lambda: vk.partition.min_sum_error(pay, k=5, e=1),
        "min_max_error, 1,000,000": lambda: vk.partition.min_max_error(pay, k=5, e=1),
        "max_groups, 1,000,000": lambda: vk.partition.max_groups(pay, k=5, e=1),
    }


def both_installs() -> None:
    rows = []
    for name, job in jobs().items():
        repeat = 1 if name.startswith("choose") else 3
        job()
        fast = cpu(job, repeat)
        with (
            mock.patch("verikit._support.compiled.has_numba", return_value=False),
            mock.patch("verikit.partition._halving.has_numba", return_value=False),
        ):
            plain = cpu(job, repeat)
        rows.append(Row(name, plain, "with numba", fast, ""))
    put(AREA, "the same code, with numba and without", table(rows))


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


def everyday() -> None:
    """Small calls and large ones that somebody waits for, each against its limit."""
    rng = np.random.default_rng(1)
    wide = vk.TableRelease.of(
        vk.simulate("dm", 20_000, seed=1).frame.assign(
            **{f"b{j}": rng.normal(size=20_000) for j in range(5)}
        )
    )
    scores = wide.frame.to_numpy(dtype=float)
    far = np.abs((scores - scores.mean(0)) / scores.std(0)).max(axis=1).argmax()
    odd = wide.frame.iloc[int(far)].to_dict()
    table1 = vk.mask.noise(vk.simulate("dm", 1_000, seed=1), scale=0.5, seed=2).release
    record = dict(zip(table1.schema.names, (98.0, 900.0, 5000.0), strict=True))
    people = vk.simulate("census", 500_000, seed=1).only(
        "Age", "Gender", "Education", "Salary-class"
    )
    groups = vk.partition.anatomy(people, ell=5, seed=1)
    release = vk.mask.anatomize(people, partition=groups, seed=1).release
    person = people.frame.drop(columns="Salary-class").iloc[0].to_dict()
    query = "select count(*) from t where Age between 30 and 40"
    vk.answer(query, release)
    limits = {
        "check, 1,000 x 3": (lambda: vk.check(record, table1), 0.01),
        "check of the most unusual, 20,000 x 8": (lambda: vk.check(odd, wide), 0.2),
        "check, anatomized, 500,000": (lambda: vk.check(person, release), 0.2),
        "one count after the first, anatomized, 500,000": (
            lambda: vk.answer(query, release),
            0.003,
        ),
    }
    rows = [in_a_fresh_process()]
    rows += [Row(n, cpu(job), f"{at:g} s", at, "<= 1") for n, (job, at) in limits.items()]
    put("Calls that somebody waits for", "best of several turns", table(rows))


def main(slow: bool) -> None:
    both_installs()
    everyday()
    for file in sorted(HERE.glob("bench_*.py")):
        more = [] if slow or "--small" not in file.read_text(encoding="utf-8") else ["--small"]
        print(f"{file.name} {' '.join(more)}".rstrip(), flush=True)
        subprocess.run([sys.executable, file.name, *more], cwd=HERE, check=False)


if __name__ == "__main__":
    if "--here" in sys.argv[1:]:
        both_installs()
        everyday()
    else:
        main("--slow" in sys.argv[1:])
