"""Safe groups, releases and answers of a graph as large as DBLP was, and of the ACL Anthology.

Run with  python benchmarks/bench_graph.py [--small]
networkx is needed for the comparison with greedy colouring, and VERIKIT_DATASETS for the ACL graph.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import Row, cpu, write

import verikit as vk
from verikit.partition import _safe_groups

AUTHORS, PAPERS, LINKS = 402_023, 543_065, 1_401_349


def heavy(share: float) -> vk.BipartiteGraph:
    """A graph with the numbers of DBLP, or a share of them; few have very many links."""
    return _graph(_drawn(share), share)


def _drawn(share: float) -> np.ndarray:
    """Its links: one at least for everybody, the others to those who have many already."""
    rng = np.random.default_rng(1)
    authors, papers, links = (int(part * share) for part in (AUTHORS, PAPERS, LINKS))
    weights = np.cumsum(np.arange(1, authors + 1) ** -0.55)
    keys = np.r_[np.arange(papers) * authors + rng.integers(0, authors, papers),
                 rng.integers(0, papers, authors) * authors + np.arange(authors)]  # fmt: skip
    keys = np.unique(keys)
    while len(keys) < links:
        missing = links - len(keys)
        chosen = np.searchsorted(weights, rng.random(missing) * weights[-1])
        of = np.minimum(papers * rng.random(missing) ** 1.6, papers - 1).astype(np.int64)
        keys = np.unique(np.r_[keys, of * authors + np.minimum(chosen, authors - 1)])
    return np.column_stack([keys[:links] % authors, keys[:links] // authors])


def _graph(edges: np.ndarray, share: float) -> vk.BipartiteGraph:
    sizes = int(AUTHORS * share), int(PAPERS * share)
    return vk.BipartiteGraph(_table("author", sizes[0]), _table("paper", sizes[1]), edges)


def _table(name: str, size: int) -> vk.Microdata:
    kinds = ("identifier", "quasi")
    columns = [vk.Column(name, kinds[0], "nominal"), vk.Column("kind", kinds[1], "nominal")]
    names = [f"{name} {at}" for at in range(size)]
    frame = pd.DataFrame({name: names, "kind": np.where(np.arange(size) % 5 < 2, "x", "y")})
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


def both(graph: vk.BipartiteGraph, k: int = 10, large: int = 0) -> list[vk.Partition]:
    """Safe groups of both sides, in compiled steps from so many links on."""
    before, _safe_groups.COMPILED_FROM = _safe_groups.COMPILED_FROM, large
    try:
        return [vk.partition.safe_groups(graph, side, k, seed=1) for side in ("left", "right")]
    finally:
        _safe_groups.COMPILED_FROM = before


def measured(share: float) -> list[Row]:
    """Groups, check and answers; the goals are those at the size of DBLP."""
    graph, full = heavy(share), share == 1
    size, most = f"{len(graph):,} links", int(graph.degrees("left").max())
    fast, plain = both(graph), both(graph, large=10**9)
    for one, other in zip(fast, plain, strict=True):
        assert np.array_equal(one.labels, other.labels)
    release = vk.mask.group_nodes(graph, 10, 10, groups=fast, seed=1).release
    where = {"left": {"kind": "x"}, "right": {"kind": "y"}}
    jobs = {
        f"both sides k = 10, {size} (most: {most}), plain": (
            lambda: both(graph, large=10**9), 4.0, 2),
        f"both sides k = 10, {size}, compiled": (lambda: both(graph), 0.6, 5),
        f"safety of both sides, {size}": (
            lambda: [vk.models.safe_grouping(graph, s, g)
                     for s, g in zip(("left", "right"), fast, strict=True)], 1.0, 3),
        f"count of papers, predicates on both sides, {size}": (
            lambda: vk.analyst.count_linked(release, "right", **where), 1.0, 3),
        f"count of links, predicates on both sides, {size}": (
            lambda: vk.analyst.count_links(release, **where), 1.0, 3),
        f"group_nodes k = 10, {size}": (
            lambda: vk.mask.group_nodes(graph, 10, 10, seed=1), 0.0, 2),
    }  # fmt: skip
    return [
        Row(job, cpu(call, turns), f"{goal:g} s" if goal else "1 s", goal or 1.0,
            "<= 1" if full and goal else "-")
        for job, (call, goal, turns) in jobs.items()
    ]  # fmt: skip


def coloured() -> list[Row]:
    """Safe groups of the ACL graph beside networkx's greedy colouring of who shares a paper."""
    import networkx as nx

    folder = Path(os.environ.get("VERIKIT_DATASETS", "")) / "acl-author-paper"
    if not folder.is_dir():
        return []
    graph = vk.BipartiteGraph.of(vk.datasets.acl(folder)[["author", "paper"]])
    rows = []
    for side, at in (("left", 0), ("right", 1)):
        nodes = range(len(graph.side(side)))
        whole = nx.Graph()
        whole.add_nodes_from(nodes)
        whole.add_edges_from((e[at], f"o{e[1 - at]}") for e in graph.edges.tolist())
        if side == "right":
            rows.append(Row(f"ACL {side}, k = 10", _grouped(graph, side), "-", 1.0, "-"))
            continue  # who shares an author: tens of millions of pairs
        together = nx.bipartite.projected_graph(whole, nodes)
        colours = cpu(lambda g=together: nx.greedy_color(g), 2)
        rows.append(Row(f"ACL {side}, k = 10", _grouped(graph, side),
                        f"networkx.greedy_color, {together.number_of_edges():,} pairs given",
                        colours, "<= 0.2"))  # fmt: skip
    return rows


def _grouped(graph: vk.BipartiteGraph, side: str) -> float:
    return cpu(lambda: vk.partition.safe_groups(graph, side, 10, seed=1), 3)


def memory(share: float) -> Row:
    """The most memory of a process that publishes a graph and asks it a question."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.npy"
        np.save(path, _drawn(share))
        done = subprocess.run(
            [sys.executable, __file__, "--memory", str(share), str(path)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    empty, before, most = map(int, done.stdout.split())
    job = f"memory in MB of it all; {empty} MB of libraries, {before} MB with the graph"
    return Row(job, most, "600 MB", 600, "<= 1" if share == 1 else "-")


def alone(share: float, path: str) -> None:
    """What `memory` starts: the most memory so far, without and with the graph, and at the end."""
    told = [_most()]
    graph = _graph(np.load(path), share)
    told.append(_most())
    release = vk.mask.group_nodes(graph, 10, 10, seed=1).release
    vk.analyst.count_linked(release, "right", left={"kind": "x"}, right={"kind": "y"})
    print(*told, _most())


def _most() -> int:
    """The most memory of this process so far, in MB; what it inherits from its parent left out."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


if __name__ == "__main__":
    if "--memory" in sys.argv:
        alone(float(sys.argv[-2]), sys.argv[-1])
        sys.exit()
    shares = (0.01, 0.1) if "--small" in sys.argv else (0.01, 0.1, 1)
    found = [row for share in shares for row in measured(share)]
    write("Graphs", [*found, memory(shares[-1]), *coloured()])
