"""Anatomy, permutation anonymization and their queries: ratios in one run, CPU time.

Run with  python benchmarks/bench_permutation_anonymization.py [--small]
"""

from __future__ import annotations

import heapq
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from unittest import mock

import numpy as np
from _timing import Row, cpu, race, write

import verikit as vk
from verikit.partition import _diversity, anatomy, diverse
from verikit.partition._diversity import deal_records, make_task, split_table
from verikit.partition._partition import check_request
from verikit.query import Evidence, blocks
from verikit.utility import workload

QUASI = ("Age", "Gender", "Education", "Marital", "Race", "Work-class", "Country")
PLAIN, COMPILED = 10**9, 0


def census(n: int, d: int = 7) -> vk.Microdata:
    return vk.simulate("census", n, seed=1).only(*QUASI[:d], "Salary-class")


def halving(data: vk.Microdata, ell: int, large: int) -> np.ndarray:
    """Algorithm 2 alone, as `diverse` runs it: on the records in canonical order."""
    _diversity.COMPILED_FROM = large
    task = make_task(data, check_request(data, ell, None, "refuse", "diverse"), "refuse")
    return split_table(task.take(data.canonical_order()), 5, np.random.default_rng(1))


def anatomy_by_hand(records: list[tuple], ell: int) -> tuple[list[tuple], list[tuple]]:
    """Anatomy as one writes it in plain Python, a record at a time: both published tables."""
    chance = random.Random(1)
    buckets: dict[object, list[tuple]] = defaultdict(list)
    for record in records:
        buckets[record[-1]].append(record)
    for bucket in buckets.values():
        chance.shuffle(bucket)
    heap = [(-len(bucket), value) for value, bucket in buckets.items()]
    heapq.heapify(heap)
    groups: list[list[tuple]] = []
    while len(heap) >= ell:
        fullest = [heapq.heappop(heap) for _ in range(ell)]
        groups.append([buckets[value].pop() for _, value in fullest])
        for size, value in fullest:
            if size + 1 < 0:
                heapq.heappush(heap, (size + 1, value))
    for _, value in heap:
        for record in buckets[value]:
            free = [g for g in groups if all(other[-1] != value for other in g)]
            chance.choice(free).append(record)
    known, hidden = [], []
    for number, group in enumerate(groups, 1):
        values = [record[-1] for record in group]
        chance.shuffle(values)
        known += [(*record[:-1], number) for record in group]
        hidden += [(number, value) for value in values]
    return known, hidden


def preprocessing(n: int) -> list[Row]:
    data = census(n)
    compiled = halving(data, 10, COMPILED)  # compiles, or reads what was compiled before
    fast = cpu(lambda: halving(data, 10, COMPILED), 5)
    slow = cpu(lambda: halving(data, 10, PLAIN), 3)
    assert np.array_equal(compiled, halving(data, 10, PLAIN))
    _diversity.COMPILED_FROM = COMPILED
    both = {
        corners: cpu(lambda c=corners: diverse(data, ell=10, corners=c, seed=1), 5)
        for corners in ("table", "part")
    }
    with mock.patch.object(_diversity, "has_numba", return_value=False):
        bare = cpu(lambda: diverse(data, ell=10, corners="table", seed=1), 3)
    job = f"{n:,} x 7, ell 10"
    return [
        Row(f"halving and dealing without numba, {job}", bare, "4 s", 4, "<= 1"),
        Row(f"halving, {job}, compiled", fast, "plain loop", slow, "<= 1 s; plain <= 10 s"),
        Row(f"halving and dealing, {job}", both["table"], "plain halving", slow, "<= 1/3"),
        Row("the same from a part's own corners", both["part"], "plain halving", slow, "-"),
    ]


def publishing(n: int) -> list[Row]:
    data = census(n)
    _diversity.COMPILED_FROM = COMPILED
    codes = data.codes("Salary-class")[0][data.canonical_order()]
    parts = halving(data, 10, COMPILED)
    rng = np.random.default_rng(1)
    groups = diverse(data, ell=10, corners="table", seed=1)
    times = race(
        {
            "deal": lambda: deal_records(parts, codes, 10, rng),
            "permute": lambda: vk.mask.permute_all(data, partition=groups, seed=1),
            "anatomize": lambda: vk.mask.anatomize(data, partition=groups, seed=1),
            "end to end": lambda: vk.mask.permute_all(
                data, partition=diverse(data, ell=10, corners="table", seed=1), seed=1
            ),
            "sort": lambda: [np.sort(data.scores(name)) for name in ("Age", "Country")],
        },
        3,
    )
    both = times["deal"] + times["permute"]
    return [
        Row(f"partition and populate, {n:,} x 7", both, "two np.sort", times["sort"], "<= 1 s"),
        Row(f"anatomize, {n:,} x 7", times["anatomize"], "permute_all", times["permute"], "-"),
        Row(
            f"from table to release, {n:,} x 7",
            times["end to end"],
            "its second half",
            both,
            "<= 4.5 s",
        ),
    ]


def bucketization(n: int) -> list[Row]:
    data = census(n)
    records = list(data.frame.itertuples(index=False, name=None))

    def release() -> vk.SplitRelease:
        return vk.mask.anatomize(data, partition=anatomy(data, ell=5, seed=1), seed=1).release

    times = race(
        {
            "groups": lambda: anatomy(data, ell=5, seed=1),
            "tables": release,
            "by hand": lambda: anatomy_by_hand(records, 5),
        },
        3,
    )
    known, hidden = anatomy_by_hand(records, 5)
    assert len(known) == len(hidden) == len(release().quasi) == n
    job, hand = f"{n:,}, ell 5", ("plain Python to both tables", times["by hand"])
    return [
        Row(f"anatomy, {job}", times["groups"], *hand, "<= 0.37 s"),
        Row(f"anatomy and both tables, {job}", times["tables"], *hand, "-"),
    ]


def in_duckdb(release: vk.SplitRelease, queries: list[vk.Query]) -> Callable[[], list[float]]:
    """The estimator for permuted tables, written in SQL."""
    import duckdb

    connection = duckdb.connect()
    plain = {
        name: frame.astype({c: str for c in frame if frame[c].dtype == "category"})
        for name, frame in (("pqt", release.quasi), ("pst", release.sensitive))
    }
    for name, frame in plain.items():
        connection.register(f"{name}_frame", frame)
        connection.execute(f"create table {name} as select * from {name}_frame")

    def condition(part: object) -> str:
        column = f'"{part.column}"'
        if hasattr(part, "values"):
            return f"{column} in ({', '.join(repr(v) for v in sorted(part.values))})"
        return f"{column} between {part.low} and {part.high}"

    def ask(query: vk.Query) -> float:
        *known, hidden = map(condition, query.where)
        counts = ", ".join(f"count(*) filter (where {c}) c{i}" for i, c in enumerate(known))
        product = " * ".join(f"(c{i} / n)" for i in range(len(known)))
        statement = (
            f'with q as (select "Group-ID" g, count(*)::double n, {counts} from pqt group by g), '
            f's as (select "Group-ID" g, count(*) filter (where {hidden}) h from pst group by g) '
            f"select sum(h * {product}) from q join s using (g)"
        )
        return connection.execute(statement).fetchone()[0]

    return lambda: [ask(query) for query in queries]


def queries(n: int) -> list[Row]:
    data = census(n)
    _diversity.COMPILED_FROM = COMPILED
    groups = diverse(data, ell=10, corners="table", seed=1)
    drawn = list(workload(data, queries=1000, conditions=5, seed=1).queries)
    releases = {
        "the original": data,
        "generalized": vk.mask.generalize(data, partition=groups, seed=1).release,
        "anatomized": vk.mask.anatomize(data, partition=groups, seed=1).release,
        "permuted": vk.mask.permute_all(data, partition=groups, seed=1).release,
    }

    def ask(release: object) -> list[float]:
        evidence = Evidence(blocks(release))
        return [evidence.answer(query).estimate for query in drawn]

    times = {name: cpu(lambda r=release: ask(r), 3) for name, release in releases.items()}
    few = drawn[:25]
    run = in_duckdb(releases["permuted"], few)
    peer = cpu(run, 2) * len(drawn) / len(few)
    assert np.allclose(run(), ask(releases["permuted"])[: len(few)])
    rows = [
        Row(f"1000 counts, {n:,}, {name}", seconds, "the original", times["the original"], "<= 3 s")
        for name, seconds in times.items()
    ]
    rows.append(Row("the permuted ones", times["permuted"], "DuckDB", peer, "< 1"))
    return rows


def cost(sizes: list[int]) -> list[Row]:
    """The cost of the whole, by records and by quasi-identifiers; n log n is a ratio of 1."""
    _diversity.COMPILED_FROM = COMPILED
    largest = sizes[-1]
    times = {}
    for n in sizes:
        data = census(n)
        times[n] = cpu(lambda d=data: diverse(d, ell=10, corners="table", seed=1), 2)
    unit = times[largest] / (largest * np.log(largest))
    rows = [
        Row(f"diverse, {n:,} x 7", times[n], "n log n", unit * n * np.log(n), "about 1")
        for n in sizes
    ]
    whole = times[largest]
    for d in (3, 5):
        data = census(largest, d)
        seconds = cpu(lambda x=data: diverse(x, ell=10, corners="table", seed=1), 2)
        rows.append(Row(f"diverse, {largest:,} x {d}", seconds, "x 7", whole, "-"))
    return rows


def learning(sizes: list[int], limits: list[float]) -> list[Row]:
    """What two published tables teach of themselves, against the time that it may take."""
    rows = []
    for n, limit in zip(sizes, limits, strict=True):
        data = census(n)
        release = vk.mask.anatomize(data, partition=anatomy(data, ell=4, seed=1), seed=1).release
        seconds = cpu(lambda r=release: vk.intruder.learned_values(r), 2)
        rows.append(
            Row(f"learned_values, {n:,} x 7, ell 4", seconds, f"{limit:g} s", limit, "<= 1")
        )
    return rows


def main() -> None:
    small = "--small" in sys.argv
    n = 20_000 if small else 500_000
    start = time.time()
    rows = [
        *preprocessing(n),
        *publishing(n),
        *bucketization(n),
        *queries(n),
        *cost([n // 5, 3 * n // 5, n]),
        *learning([30_000, 1_000_000][: 2 - small], [3, 60][: 2 - small]),
    ]
    write("Anatomy and permutation anonymization" + " (small)" * small, rows)
    print(f"{time.time() - start:.0f} s in all")


if __name__ == "__main__":
    main()
