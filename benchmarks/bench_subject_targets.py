"""The subject's check of releases with a target and of graphs, against one pass over them.

Run with  python benchmarks/bench_subject_targets.py [--small]
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from _timing import Row, race, write

import verikit as vk


def people(n: int) -> vk.Microdata:
    rng = np.random.default_rng(1)
    zips = pd.Categorical(rng.integers(0, 2000, n).astype(str))
    frame = pd.DataFrame(
        {"zip": zips, "age": rng.integers(0, 90, n), "pay": rng.integers(0, 4096, n)}
    )
    columns = (vk.Column("zip", kind="nominal"), vk.Column("age"), vk.Column("pay", "sensitive"))
    return vk.Microdata(frame, vk.Schema(columns))


def with_target(n: int) -> Row:
    target = vk.targets.balanced(range(4096))
    data = people(n)
    release = vk.mask.disguise(data, hierarchy=target, seed=1).release
    record = data.record(0)
    assert vk.check(record, release, node=target.root).met
    columns = [release.quasi["age"].to_numpy(), release.quasi["zip"].cat.codes.to_numpy()]
    columns.append(release.sensitive["pay"].cat.codes.to_numpy())
    times = race(
        {
            "check": lambda: vk.check(record, release, node=target.root),
            "pass": lambda: [np.sort(column) for column in columns],
        }
    )
    return Row(
        f"check, target of 4,096 values, {n:.0e} people, one group",
        times["check"],
        "np.sort of the columns",
        times["pass"],
        "<= 0.3 s",
    )


def many_groups(n: int) -> Row:
    """Ten people a group, every node as likely: one of 2,000 kinds of people fits 490 groups."""
    target = vk.targets.balanced(range(4096))
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(n // 10), 10)
    sensitive = pd.DataFrame({"Group-ID": groups, "pay": rng.choice(target.nodes, n)})
    quasi = pd.DataFrame({"zip": people(n).frame["zip"], "Group-ID": groups})
    columns = (
        vk.Column("zip", kind="nominal"),
        vk.Column("pay", "sensitive", hierarchy=target),
    )
    told = {"hierarchy": "the weights of the column"}
    release = vk.SplitRelease(quasi, sensitive, vk.Schema(columns), "by hand", told)
    times = race(
        {
            "check": lambda: vk.check({"zip": "7"}, release, node=target.root),
            "pass": lambda: np.sort(groups * 8191 + release.sensitive["pay"].cat.codes.to_numpy()),
        }
    )
    return Row(
        f"check, {n:.0e} people in {n // 10:.0e} groups",
        times["check"],
        "sorting the values by group",
        times["pass"],
        "<= 0.3 s",
    )


def published_graph(authors: int, papers: int, links: int) -> list[Row]:
    """As many as DBLP has, with heavy tails."""
    rng = np.random.default_rng(1)
    weight = rng.pareto(2.5, authors) + 1
    left = rng.choice(authors, int(links * 1.05), p=weight / weight.sum())
    pairs = np.unique(left * papers + rng.integers(0, papers, len(left)))
    pairs = rng.permutation(pairs)[:links]
    sides = []
    for name, number in (("author", authors), ("paper", papers)):
        schema = vk.Schema((vk.Column(name, "identifier", "nominal"),))
        names = [f"{name} {place}" for place in range(number)]
        sides.append(vk.Microdata(pd.DataFrame({name: names}), schema))
    graph = vk.BipartiteGraph(*sides, np.column_stack([pairs // papers, pairs % papers]))
    release = vk.mask.group_nodes(graph, 10, 10, seed=1).release
    hub = graph.names("left")[int(graph.degrees("left").argmax())]
    x, y = release.links.T
    width = len(release.sizes("right"))
    times = race(
        {
            "hub": lambda: vk.check({"author": hub}, release, k=10),
            "paper": lambda: vk.check({"paper": "paper 5"}, release, k=10),
            "pass": lambda: np.sort(release.left_nodes[x] * width + release.right_nodes[y]),
        }
    )
    base = "sorting the links by pair of groups"
    size = f"{links:,} links"
    hub_row = f"check of the author with most links, {size}"
    return [
        Row(hub_row, times["hub"], base, times["pass"], "<= 10"),
        Row(f"check of a paper, {size}", times["paper"], base, times["pass"], "<= 10"),
    ]


def main() -> list[Row]:
    n, part = (100_000, 10) if "--small" in sys.argv else (1_000_000, 1)
    graph = published_graph(402_023 // part, 543_065 // part, 1_401_349 // part)
    return [with_target(n), many_groups(n), *graph]


if __name__ == "__main__":
    write("The subject's check of targets and graphs", main())
