"""Several groupings of one graph and one name: the links of hers that are certain together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags
from verikit.errors import InfeasibleError, SchemaError
from verikit.languages import Line
from verikit.matching import is_absent, put_graphs_together
from verikit.release import by_nodes
from verikit.subject._report import State
from verikit.words import text


class LinksLeft(NamedTuple):
    """What several groupings of one graph leave of the links of one name.

    Parameters
    ----------
    title, names
        What the other side is called, and its names.
    other
        A name of the other side that she gave; empty where she gave none.
    certain, possible
        By name of the other side whether a link to it is certain, and whether it may be.
    before
        How many of her links the grouping that tells most makes certain alone.
    nodes
        How many nodes are left for her in the grouping that leaves the fewest.
    links, table, table_before
        How many links the graph has, how many of them are certain together, and from the grouping
        that tells most alone.
    """

    title: str
    names: pd.Index
    other: str
    certain: Flags
    possible: Flags
    before: int
    nodes: int
    links: int
    table: int
    table_before: int

    def describe(self, count: int) -> dict[str, Any]:
        """What sentences say of it, of so many groupings."""
        return {
            "count": count,
            "title": self.title,
            "other": self.other,
            "name": next(iter(self.names[self.certain]), ""),
            "certain": int(self.certain.sum()),
            "before": self.before,
            "all": len(self.names),
            "ruled": int((~self.possible).sum()),
            "nodes": self.nodes,
        }

    def describe_table(self, count: int) -> dict[str, Any]:
        """What sentences say of all links, of so many groupings."""
        told = {"links": self.links, "certain": self.table, "before": self.table_before}
        return told | {"count": count}

    def to_frame(self) -> pd.DataFrame:
        """Find the certain links of hers, one line each."""
        return pd.DataFrame({self.title: self.names[self.certain]})


def find_links_left(parts: Sequence[Any]) -> LinksLeft | None:
    """Find what groupings of one graph leave of her links; None where they cannot be put together.

    Parameters
    ----------
    parts
        The releases with her names in each, at least two of them graphs.
    """
    graphs = [part for part in parts if by_nodes(part.release)]
    for part in graphs:
        part.release.require_two_kinds("putting groupings together")
    first, known = graphs[0].release, graphs[0].known
    titles = [first.title(side) for side in ("left", "right")]
    given = ["" if is_absent(known.get(t)) else text(known[t]).strip() for t in titles]
    left = bool(given[0])
    try:
        pairs = [
            put_graphs_together(one.release, two.release) for one, two in combinations(graphs, 2)
        ]
    except (InfeasibleError, SchemaError):
        return None
    mine, others = (pairs[0].left, pairs[0].right)[:: 1 if left else -1]
    at = int(mine.get_indexer([given[not left]])[0])
    if at < 0:
        return None
    alone = [flags for pair in pairs for flags in pair.alone]
    return LinksLeft(
        titles[left],
        others,
        given[1] if left and titles[0] != titles[1] else "",
        np.any([_turn(pair.certain, left)[at] for pair in pairs], axis=0),
        np.all([_turn(pair.possible, left)[at] for pair in pairs], axis=0),
        max(int(_turn(flags, left)[at].sum()) for flags in alone),
        min(int(nodes[at]) for pair in pairs for nodes in pair.nodes[not left]),
        pairs[0].links,
        int(np.any([pair.certain for pair in pairs], axis=0).sum()),
        max(int(flags.sum()) for flags in alone),
    )


def _turn(flags: Flags, left: bool) -> Flags:
    return flags if left else flags.T


def name_links_line(left: LinksLeft) -> tuple[str, State]:
    """Name the sentence on the links of hers, with the state of a headline that says it."""
    if not left.nodes:
        return "together.graphs-contradict", "cannot-tell"
    if left.certain.any():
        return "together.certain-links", "warning-you"
    return "together.no-certain-links", "no-warning"


def list_link_lines(left: LinksLeft, count: int) -> Iterator[Line]:
    """What may be said of her links, in the order of the screen, of so many groupings."""
    told = left.describe(count)
    yield "together.figure-links", left.nodes, told
    yield "together.graphs", True, told
    yield name_links_line(left)[0], True, told
    certain = bool(left.certain.any())
    yield "together.not-recognised", certain and left.nodes > 1, told
    if left.other and left.nodes:
        at = left.names.get_indexer([left.other])[0]
        kept = at >= 0 and left.possible[at]
        own = "ruled-out" if not kept else "certain" if left.certain[at] else "open"
        yield f"together.own-{own}", True, told
    yield "together.table-certain-links", left.table, left.describe_table(count)
