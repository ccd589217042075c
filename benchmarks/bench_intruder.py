"""Linking all records, the exact null, plausibility, and the masks for numbers.

Run with  python benchmarks/bench_intruder.py [--small]
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from unittest import mock

import numpy as np
import pandas as pd
from _timing import Row, cpu, race, write
from scipy.spatial import cKDTree

import verikit as vk
from verikit.ranks import luck
from verikit.ranks._nearest import find_all_matches, find_nearest


def permutations(n: int, m: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permutation(n) + 1 for _ in range(m)])


@contextlib.contextmanager
def plain() -> Iterator[None]:
    """Without compiled loops, as where the extra is not installed."""
    with mock.patch("verikit._support.compiled.has_numba", return_value=False):
        yield


def linkage(n: int, m: int, repeat: int) -> list[Row]:
    """All queries by verikit, its tree built anew each time, against the query of a built tree."""
    ranks, asked = permutations(n, m), permutations(n, m, seed=2)
    tree, floats = cKDTree(ranks), asked.astype(float)
    times = race(
        {
            "nearest": lambda: find_nearest(asked, asked, ranks, ranks),
            "all": lambda: find_all_matches(asked, asked, ranks, ranks),
            "raw": lambda: tree.query(floats, p=np.inf),
        },
        repeat,
    )
    assert (find_nearest(asked, asked, ranks, ranks)[0] == tree.query(floats, p=np.inf)[0]).all()
    size = f"{n:.0e} x {m}"
    return [
        Row(f"all records, {size}", times["nearest"], "cKDTree query", times["raw"], "<= 1.3"),
        Row(f"all matches, {size}", times["all"], "cKDTree query", times["raw"], ""),
    ]


def linkage_memory(n: int) -> Row:
    """Peak memory of a process that masks and links n records, beside one that only imports."""
    code = "import verikit as vk, scipy.spatial"
    work = (
        f"\ndata = vk.simulate('dm', {n}, seed=1)"
        "\nrelease, _ = vk.mask.noise(data, scale=0.5, seed=2)"
        "\nvk.link(data, release)"
    )
    peak = "\nprint([x.split()[1] for x in open('/proc/self/status') if x.startswith('VmHWM')][0])"
    used = [
        int(subprocess.run([sys.executable, "-c", c], capture_output=True, check=True).stdout)
        for c in (code + work + peak, code + peak)
    ]
    gigabytes = [kilobytes / 2**20 for kilobytes in used]
    return Row(f"link {n:.0e} x 3, peak GB", gigabytes[0], "import only", gigabytes[1], "<= 1 GB")


def absolute(job: str, seconds: float, limit: float) -> Row:
    return Row(job, seconds, f"{limit:g} s", limit, "<= 1")


def exact_null(n: int, m: int, limit: float) -> Row:
    ranks = permutations(n, m)
    middle = int(n ** (1 - 1 / m) / 2)
    seconds = cpu(lambda: luck.exact(ranks, ranks, [middle]))
    return absolute(f"exact null at one distance, {n:.0e} x {m}", seconds, limit)


def whole_null(n: int, limit: float) -> Row:
    data = vk.simulate("dm", n, seed=1)
    release, _ = vk.mask.noise(data, scale=0.5, seed=2)
    points = len(vk.plausibility(data, release).points)
    seconds = cpu(lambda: vk.plausibility(data, release), 2)
    return absolute(f"plausibility, exact at {points} distances, {n:.0e} x 3", seconds, limit)


def one_subject(n: int, limit: float) -> Row:
    data = vk.simulate("dm", n, seed=1)
    release = vk.mask.noise(data, scale=0.5, seed=2).release.prepare()
    record = data.record(0)
    vk.check(record, release)
    seconds = cpu(lambda: vk.check(record, release))
    return absolute(f"one subject's check with its exact p, {n:.0e} x 3", seconds, limit)


def monte_carlo(n: int, limit: float) -> Row:
    data = vk.simulate("dm", n, seed=1)
    release, _ = vk.mask.noise(data, scale=0.5, seed=2)
    seconds = cpu(lambda: vk.plausibility(data, release, null="monte_carlo"))
    return absolute(f"plausibility, 10,000 draws, {n:.0e} x 3", seconds, limit)


def masks(n: int, small: int) -> list[Row]:
    data, few = vk.simulate("dm", n, seed=1), vk.simulate("dm", small, seed=1)
    jobs = {
        f"rank swap 5 %, {n:.0e} x 3": (lambda: vk.mask.rank_swap(data, percent=5, seed=1), 0.4),
        f"individual ranking, {n:.0e} x 3": (
            lambda: vk.mask.microaggregate(data, k=3, seed=1),
            0.02,
        ),
        f"shuffle, {n:.0e} x 3": (lambda: vk.mask.shuffle(data, correlation=0.9, seed=1), 0.88),
    }
    rows = []
    for job, (run, limit) in jobs.items():
        with plain():
            rows.append(absolute(f"{job}, plain", cpu(run), limit))
        run()
        rows.append(absolute(job, cpu(run), limit))
    mdav = lambda: vk.mask.microaggregate(few, k=3, method="mdav", seed=1)  # noqa: E731
    with plain():
        rows.append(absolute(f"MDAV k = 3, {small:.0e} x 3, plain", cpu(mdav, 3), 0.8))
    mdav()
    return [*rows, absolute(f"MDAV k = 3, {small:.0e} x 3", cpu(mdav, 3), 0.2)]


def attacks(n: int) -> list[Row]:
    data = vk.simulate("dm", n, seed=1)
    release, _ = vk.mask.noise(data, scale=0.5, seed=2)
    names = ["maximum_rank", "assignment", "normal_scores", "published_mechanism"]
    times = race({a: lambda a=a: vk.link(data, release, attack=a) for a in names}, 2)
    return [
        Row(f"link {n:.0e} x 3 by {a}", times[a], "by maximum_rank", times[names[0]], "")
        for a in names[1:]
    ]


def orders_with_a_guarantee(n: int) -> list[Row]:
    """Swapping and orders by distance, beside sorting the same columns."""
    data = vk.simulate("dm", n, seed=1)
    columns = [data.scores(name) for name in data.schema.names]
    jobs = {
        "sort": lambda: [np.sort(values) for values in columns],
        "swap": lambda: vk.mask.swap(data, match=[], swap=["X1", "X2"], rate=0.5, seed=1),
        "orders by distance": lambda: vk.mask.mallows(data, theta=1e-4, seed=1),
    }
    times = race(jobs, 3)
    return [
        Row(f"{job}, {n:.0e} x 3", times[job], "np.sort", times["sort"], "<= 5")
        for job in ("swap", "orders by distance")
    ]


def audit_of_kinds(n: int) -> Row:
    """An audit of three numbers and three columns without an order, beside one of six numbers."""
    rng, made = np.random.default_rng(1), {}
    for kinds in (0, 3):
        frame = pd.DataFrame({f"x{k}": rng.normal(size=n) for k in range(6 - kinds)})
        names = [f"c{k}" for k in range(kinds)]
        frame = frame.assign(**{c: rng.choice([f"{v:02d}" for v in range(50)], n) for c in names})
        data = vk.Microdata(frame, vk.Schema.guess(frame, **dict.fromkeys(names, "other")))
        made[kinds] = data, *vk.mask.noise(data, scale=0.05, seed=2)
    times = race({kinds: lambda given=given: vk.audit(*given) for kinds, given in made.items()}, 2)
    job = f"audit {n:.0e} x (3 numbers + 3 categories)"
    return Row(job, times[3], "of 6 numbers", times[0], "<= 2")


def main(small: bool) -> None:
    rows = linkage(100_000, 3, 5)
    if not small:
        rows += linkage(100_000, 8, 3) + linkage(1_000_000, 3, 3)
        rows.append(linkage_memory(1_000_000))
    rows += [exact_null(100_000, 2, 0.2), exact_null(10_000, 3, 2), exact_null(10_000, 4, 2)]
    rows += [whole_null(10_000, 2), one_subject(10_000, 1), monte_carlo(100_000, 0.15)]
    if not small:
        rows.append(exact_null(100_000, 3, 15))
    rows += [*masks(100_000, 10_000), *attacks(1_000), audit_of_kinds(100_000)]
    rows += orders_with_a_guarantee(100_000 if small else 1_000_000)
    write("Intruder" + " (small)" * small, rows)


if __name__ == "__main__":
    main("--small" in sys.argv[1:])
