"""How the time of each main job grows with the table, and what memory it takes.

Run with  python benchmarks/bench_growth.py [--small]

Each job is timed in the default install at 1,000 to 10,000,000 records, as far as it answers within
LIMIT seconds. The exponent is that of the line through the last three sizes, from 10,000 up where
there are two, on logarithmic scales. Memory is the peak of a fresh process that makes the data and
does the job, less that of one that makes the data only, at 100,000 records, or at as many as the
job is timed at. Floors are what sorting and reading in random order take: from a million records on
caches no longer hold what they touch, so that work in step with n log n takes more than that. With
RESULTS.md at hand, ``python benchmarks/growth_plot.py`` draws growth.svg.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from _timing import HERE, put

import verikit as vk
from verikit.intruder import background_knowledge, unsorted_matching
from verikit.models import k_anonymity
from verikit.ranks import reverse_map

LIMIT, SIZES, FROM = 12.0, (1_000, 10_000, 100_000, 1_000_000, 10_000_000), 10_000
PEAK = 100_000
FORCED = {
    "strongest link, 3 numbers": "its assignment of all records is cubic, and left out above 5,000",
}
Job = Callable[[], Any]


def numbers(n: int) -> vk.Microdata:
    return vk.simulate("dm", n, seed=1)


def people(n: int) -> vk.Microdata:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 91, n),
            "sex": rng.choice(["F", "M"], n),
            "zip": rng.integers(47_000, 48_000, n),
            "ill": rng.choice([f"i{i:02}" for i in range(50)], n),
        }
    )
    return vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))


def noisy(n: int) -> tuple[vk.Microdata, vk.TableRelease, vk.Key]:
    data = numbers(n)
    return data, *vk.mask.noise(data, scale=0.5, seed=2)


def boxed(n: int) -> tuple[vk.Microdata, vk.TableRelease]:
    data = people(n)
    groups = vk.partition.mondrian(data, k=5)
    return data, vk.mask.generalize(data, partition=groups, seed=1).release


def check(n: int) -> Job:
    _, release, _ = noisy(n)
    record = dict(zip(release.schema.names, (98.0, 900.0, 5000.0), strict=True))
    return lambda: vk.check(record, release, chance=False)


def check_with_chance(n: int) -> Job:
    _, release, _ = noisy(n)
    record = dict(zip(release.schema.names, (98.0, 900.0, 5000.0), strict=True))
    return lambda: vk.check(record, release)


def noise(n: int) -> Job:
    data = numbers(n)
    return lambda: vk.mask.noise(data, scale=0.5, seed=2)


def rank_swap(n: int) -> Job:
    data = numbers(n)
    return lambda: vk.mask.rank_swap(data, percent=5, seed=2)


def link(n: int) -> Job:
    data, release, _ = noisy(n)
    return lambda: vk.link(data, release, attack="maximum_rank")


def strongest(n: int) -> Job:
    data, release, _ = noisy(n)
    return lambda: vk.link(data, release, attack="strongest")


def audit(n: int) -> Job:
    data, release, key = noisy(n)
    return lambda: vk.audit(data, release, key, subject_view=False)


def mapping(n: int) -> Job:
    x, y = np.random.default_rng(2).normal(size=(2, n))
    return lambda: reverse_map(x, y, seed=1)


def mondrian(n: int) -> Job:
    data = people(n)
    return lambda: vk.partition.mondrian(data, k=5)


def classes(n: int) -> Job:
    data = people(n)
    return lambda: k_anonymity(data)


def anatomize(n: int) -> Job:
    data = people(n)
    return lambda: vk.mask.anatomize(
        data, partition=vk.partition.anatomy(data, ell=5, seed=1), seed=1
    )


def diverse(n: int) -> Job:
    data = people(n)
    return lambda: vk.partition.diverse(data, ell=5, corners="table", seed=1)


def apart(n: int) -> Job:
    frame = numbers(n).frame
    data = vk.Microdata(frame, vk.Schema.guess(frame, X3="sensitive"))
    return lambda: vk.partition.min_sum_error(data, k=5, e=1, seed=1)


def answer(n: int) -> Job:
    release = vk.mask.anatomize(
        data := people(n), partition=vk.partition.anatomy(data, ell=5, seed=1), seed=1
    ).release
    query = "select count(*) from t where age between 30 and 40 and ill = 'i03'"
    vk.answer(query, release)  # what a first one finds out is kept with the release
    return lambda: vk.answer(query, release)


def side_by_side(n: int) -> Job:
    data, release = boxed(n)
    return lambda: unsorted_matching(data, release)


def everybody(n: int) -> Job:
    data, release = boxed(n)
    known = data.frame.drop(columns="ill")
    return lambda: background_knowledge(release, known, ruled_out=["i03"])


def personal(n: int) -> Job:
    rng, tree = np.random.default_rng(4), vk.targets.balanced(range(64))
    level, pay = rng.integers(0, 7, n), rng.integers(0, 64, n)
    nodes = [[tree.level(value, at) for at in range(7)] for value in range(64)]
    wish = [nodes[value][at] for value, at in zip(pay, level, strict=True)]
    frame = people(n).frame[["age", "zip"]].assign(pay=pay, wish=wish)
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive", wish="other"))
    return lambda: vk.mask.personalize(data, hierarchy=tree, requirement="wish", seed=1)


def sorts(n: int) -> Job:
    columns = np.random.default_rng(3).normal(size=(3, n))
    return lambda: [np.argsort(column) for column in columns]


def gathers(n: int) -> Job:
    rng = np.random.default_rng(3)
    columns, rows = rng.normal(size=(3, n)), rng.permutation(n)
    return lambda: [column.take(rows) for column in columns]


JOBS: dict[str, Callable[[int], Job]] = {
    "floor: 3 columns sorted by argsort": sorts,
    "floor: 3 columns read in random order": gathers,
    "check, 3 numbers": check,
    "check compared with chance, 3 numbers": check_with_chance,
    "noise, 3 numbers": noise,
    "rank swap, 3 numbers": rank_swap,
    "link by maximum rank, 3 numbers": link,
    "strongest link, 3 numbers": strongest,
    "audit of the protector, 3 numbers": audit,
    "reverse mapping": mapping,
    "mondrian, 3 columns": mondrian,
    "k of classes, 3 columns": classes,
    "anatomy and anatomize": anatomize,
    "diverse groups, 3 columns": diverse,
    "min_sum_error": apart,
    "personal requirements on 64 values": personal,
    "one count, anatomized": answer,
    "unsorted matching, 3 columns": side_by_side,
    "background knowledge of everybody, 3 columns": everybody,
}


def timed(make: Callable[[int], Job], most: int) -> dict[int, float]:
    """The CPU seconds of a job by size, until it takes too long."""
    found: dict[int, float] = {}
    for n in (size for size in SIZES if size <= most):
        job = make(n)
        best = float("inf")
        for _ in range(3 if n <= PEAK else 1):
            start = time.process_time()
            job()
            best = min(best, time.process_time() - start)
        found[n] = best
        if best > LIMIT / 10:
            break
    return found


def exponent(seconds: dict[int, float]) -> float:
    """The slope of the last sizes on logarithmic scales."""
    large = [n for n in seconds if n >= FROM]
    sizes = (large if len(large) > 1 else list(seconds))[-3:]
    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log([seconds[n] for n in sizes]), 1)[0])


def peak(name: str, n: int, work: str) -> float:
    """The most memory of a fresh process, in MB."""
    code = (
        "import sys; sys.modules['numba'] = None\n"
        f"import bench_growth as g\njob = g.JOBS[{name!r}]({n})\n{work}\n"
        "print([x.split()[1] for x in open('/proc/self/status') if x.startswith('VmHWM')][0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=HERE)
    return int(done.stdout) / 1024


def memory(name: str, seconds: dict[int, float]) -> str:
    """What a job needs besides its data, and at how many records if these are fewer."""
    n = max(size for size in seconds if size <= PEAK)
    needed = peak(name, n, "job()") - peak(name, n, "")
    return f"{needed:.0f}" if n == PEAK else f"{needed:.0f} at {n:,}"


def said(slopes: dict[str, float]) -> list[str]:
    """Which jobs grow faster than the floors of the same run, and why."""
    floor = max(slope for name, slope in slopes.items() if name.startswith("floor"))
    beyond = [f"{name} ({slope:.2f})" for name, slope in slopes.items() if slope > floor]
    told = f"The floors of this run grow with exponents up to {floor:.2f}; above that: "
    return [
        f"{told}{', '.join(beyond) or 'none'}.",
        *(f"{name}: {why}." for name, why in FORCED.items()),
        "",
        "![Seconds by size, and attacks a tenth above a size](growth.svg)",
    ]


def main(small: bool) -> None:
    most = 10_000 if small else SIZES[-1]
    lines = [
        f"| job | {' | '.join(f'{n:,}' for n in SIZES if n <= most)} | exponent | MB at {PEAK:,} |",
        "|---" * (3 + sum(n <= most for n in SIZES)) + "|",
    ]
    slopes = {}
    for name, make in JOBS.items():
        seconds = timed(make, most)
        told = [f"{seconds[n]:.4f}" if n in seconds else "-" for n in SIZES if n <= most]
        slopes[name], needed = exponent(seconds), memory(name, seconds)
        lines.append(f"| {name} | {' | '.join(told)} | {slopes[name]:.2f} | {needed} |")
        print(lines[-1], flush=True)
    lines += ["", *said(slopes)]
    put(
        "Growth" + " (small)" * small,
        "CPU seconds of one call in the default install",
        "\n".join(lines),
    )


if __name__ == "__main__":
    sys.modules["numba"] = None  # type: ignore[assignment]
    main("--small" in sys.argv[1:])
