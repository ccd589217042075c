"""Where people wait: the jobs of a classroom, attacks a tenth above a size, and peak memory.

Run with  python benchmarks/bench_waiting.py [--small]
"""

from __future__ import annotations

import subprocess
import sys
from unittest import mock

import numpy as np
from _timing import Row, cpu, race, write

import verikit as vk
from verikit.errors import InfeasibleError
from verikit.protector import Goal, audit, choose
from verikit.widgets import TradeOff

ATTACKS = ("maximum_rank", "normal_scores", "published_mechanism", "assignment")
SHARES = {"X1": 0.3, "X2": 0.5, "X3": 0.9}
SLOW, FEW = ("published_mechanism",), 200_000  # 40 s and 6 GB at a million


def absolute(job: str, seconds: float, limit: float) -> Row:
    return Row(job, seconds, f"{limit:g} s", limit, "<= 1")


def classroom(n: int) -> list[Row]:
    data = vk.simulate("dm", n, seed=1)
    release, key = vk.mask.noise(data, scale=0.5, seed=2)
    default = Goal(links=3)
    return [
        absolute(f"plausibility, exact, {n} x 3", cpu(lambda: vk.plausibility(data, release)), 0.8),
        absolute(f"choose, {n} x 3", cpu(lambda: choose(data, "noise", default, seed=1), 1), 3),
        absolute(f"audit with its attacks, {n} x 3", cpu(lambda: audit(data, release, key), 2), 1),
    ]


def threshold(n: int) -> Row:
    view = TradeOff(vk.simulate("dm", n, seed=1), attack="maximum_rank")
    limits = iter(range(5, 50))
    seconds = cpu(lambda: view.set_trait("links", next(limits)))
    return absolute(f"TradeOff, another threshold, {n} x 3", seconds, 0.05)


def noise(n: int, repeat: int, goal: str) -> list[Row]:
    data = vk.simulate("dm", n, seed=1)
    columns = [data.scores(name) for name in data.schema.names]

    def by_hand(sorts: bool = False) -> list[np.ndarray]:
        rng = np.random.default_rng(1)
        first = np.argsort(columns[0]) if sorts else slice(None)
        noisy = [v[first] + rng.normal(0, v.std() / 2, n) for v in columns]
        order = rng.permutation(n)
        return [v[order] for v in noisy]

    jobs = {
        "ours": lambda: vk.mask.noise(data, scale=0.5, seed=1),
        "numpy": by_hand,
        "sorted": lambda: by_hand(sorts=True),
    }
    times = race(jobs, repeat)
    job, same = f"noise, {n:,} x 3", "numpy that gives the same for records in any order"
    return [
        Row(job, times["ours"], "numpy alone", times["numpy"], goal),
        Row(job, times["ours"], same, times["sorted"], ""),
    ]


def compiled_or_not(n: int) -> list[Row]:
    """The default install beside the extra that compiles: nothing is compiled at this size."""
    data = vk.simulate("dm", n, seed=1)
    release, _ = vk.mask.rank_swap(data, percent=5, seed=1)
    jobs = {
        "plausibility": lambda: vk.plausibility(data, release),
        "rank swap": lambda: vk.mask.rank_swap(data, percent=5, seed=1),
        "MDAV": lambda: vk.mask.microaggregate(data, k=3, method="mdav", seed=1),
    }
    rows = []
    for name, job in jobs.items():
        first = cpu(job, 1)
        with mock.patch("verikit._support.compiled.has_numba", return_value=False):
            rows.append(Row(f"{name}, first call, {n} x 3", first, "without numba", cpu(job), ""))
    return rows


def a_tenth_more(n: int, repeat: int = 2) -> list[Row]:
    """Each attack at 1.1 n against itself at n; the columns are masked more and less.

    Normal scores learn in up to six rounds how much each was, whatever n; where all were masked
    alike, luck decides how many.
    """
    pairs = []
    for size in (n, n + n // 10):
        data = vk.simulate("dm", size, seed=1)
        scale = {name: share * data.frame[name].std() for name, share in SHARES.items()}
        pairs.append((data, vk.mask.noise(data, scale=scale, seed=2).release))
    rows = []
    for attack in ATTACKS:
        if attack in SLOW and n > FEW:
            continue
        try:
            at, above = (cpu(lambda p=p, a=attack: vk.link(*p, attack=a), repeat) for p in pairs)
        except InfeasibleError:  # refused at this size
            continue
        rows.append(Row(f"{attack}, {n + n // 10:,} x 3", above, f"{n:,}", at, "<= 3"))
    return rows


def peak(n: int, attack: str, limit: float) -> Row:
    """Peak memory of a fresh process that masks and links, in GB."""
    code = (
        f"import verikit as vk\ndata = vk.simulate('dm', {n}, seed=1)\n"
        "release, _ = vk.mask.noise(data, scale=0.5, seed=2)\n"
        f"vk.link(data, release, attack={attack!r})\n"
        "print([x.split()[1] for x in open('/proc/self/status') if x.startswith('VmHWM')][0])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    job = f"{attack}, {n:,} x 3, peak GB"
    return Row(job, int(told) / 2**20, f"{limit:g} GB", limit, "<= 1")


def main(small: bool) -> None:
    rows = [*classroom(1_000), threshold(1_000), *noise(1_000, 50, "<= 6")]
    rows += compiled_or_not(1_000)
    for n in (1_000, 1_450, 10_000) if small else (1_000, 1_450, 2_000, 4_800, 10_000, 100_000):
        rows += a_tenth_more(n)
    rows += [peak(5_000, attack, 0.6) for attack in ("published_mechanism", "assignment")]
    if not small:
        rows += a_tenth_more(1_000_000, 1)
        rows += noise(1_000_000, 3, "<= 1.5")
        rows += [peak(1_000_000, attack, 0.5) for attack in ("maximum_rank", "normal_scores")]
    write("Waiting" + " (small)" * small, rows)


if __name__ == "__main__":
    main("--small" in sys.argv[1:])
