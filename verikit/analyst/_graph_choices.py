"""Whom a question about a published graph means, and exact bounds over all ways to place them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Any, Literal, TypeAlias

import numpy as np

from verikit._support.arrays import Flags, Floats, Rows
from verikit._support.requests import whole
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.query import Leaf, Names, Query, Tree, Where, bind_conditions, walk_up
from verikit.query import blocks as find_blocks
from verikit.release import GraphRelease, by_nodes
from verikit.table import Microdata, Neighbours, Side, require_side

Degree: TypeAlias = int | tuple[int, int] | Collection[int]
Degrees: TypeAlias = Mapping[Side, Degree]
Asked: TypeAlias = Literal["links", "linked", "most"]

SIDES = "left", "right"
WAYS = 50_000
SECONDS = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Which entities of a side are meant, how many of each group, and the nodes of the side.

    Only some links count: those between nodes that have as many links as was asked for.
    """

    meant: Flags
    names: Rows
    sizes: Rows
    groups: Rows
    near: Neighbours

    @property
    def counts(self) -> Rows:
        """How many entities of each group are meant."""
        return np.bincount(self.names[self.meant], minlength=len(self.sizes))

    @property
    def chance(self) -> Floats:
        """How likely each node is one of those meant."""
        return (self.counts / self.sizes)[self.groups]

    @property
    def links(self) -> tuple[Rows, Rows]:
        """The node of this side and of the other of each link that counts."""
        return np.repeat(np.arange(len(self.groups)), np.diff(self.near.starts)), self.near.places


def require_graph_release(release: object, *, safe: bool = True) -> GraphRelease:
    """Find the published graph that a question was put to, if its groups allow the answer."""
    if not by_nodes(release):
        raise SchemaError(
            f"A question about links was put to {type(release).__name__}; expected GraphRelease, "
            "such as mask.group_nodes makes."
        )
    if safe and not (release.safe("left") and release.safe("right")):
        raise SchemaError(
            "The groups of this graph are not safe, so bounds by pairs of groups do not hold; ask "
            "with tight=True."
        )
    return release


def choose_entities(
    release: GraphRelease, side: Side, where: Where, degrees: Degrees | None = None
) -> Chosen:
    """Find who of a side is meant, by conditions as questions to tables have them."""
    table = release.side(require_side(side))
    seen = find_blocks(table)
    asked = Query.count(where).where
    tree = bind_conditions(asked, seen.schema, seen.scale, seen.find_spellings)
    meant = np.ones(len(table), bool)
    if tree is not None:
        _refuse_strange(tree, table)
        meant = seen.parts[0].columns.match(tree).surely
    sides = [side, other_side(side)]
    own, others = (_keep_nodes(release, one, degrees) for one in sides)
    near = release.neighbours(side)
    nodes = np.repeat(np.arange(len(own)), np.diff(near.starts))
    kept = own[nodes] & others[near.places]
    starts = np.append(0, np.cumsum(np.bincount(nodes[kept], minlength=len(own))))
    near = Neighbours(starts, near.places[kept])
    return Chosen(meant, release.groups(side), release.sizes(side), release.nodes(side), near)


def _refuse_strange(tree: Tree, table: Microdata) -> None:
    """Refuse a condition on categories none of which was published."""
    for leaf in walk_up(tree):
        if isinstance(leaf, Leaf) and isinstance(leaf.values, Names):
            known, asked = table.frame[leaf.name].cat.categories, sorted(leaf.values.names)
            if asked and not set(asked) & set(known):
                raise RecordError(
                    f"No {quoted(leaf.name)} is {quoted(asked[0])}; expected one of its published "
                    "values.",
                    field=leaf.name,
                    value=asked[0],
                )


def _keep_nodes(release: GraphRelease, side: Side, degrees: Degrees | None) -> Flags:
    """Find which nodes have as many links as was asked for: so many, a range, or one of several."""
    links = np.diff(release.neighbours(side).starts)
    known = degrees is None or (isinstance(degrees, Mapping) and {*degrees} <= {*SIDES})
    if not known:
        raise RecordError.given("degrees", degrees, "numbers of links by side, as {'right': 1}")
    asked = None if degrees is None else degrees.get(side)
    if asked is None:
        return np.ones(len(links), bool)
    several = [asked] if not isinstance(asked, Collection) or isinstance(asked, str) else [*asked]
    ends = [whole(one, "degree", least=0) for one in several]
    if isinstance(asked, tuple):
        if len(ends) != 2 or ends[0] > ends[1]:
            raise RecordError.given("degree", asked, "a pair (least, most), or a set of numbers")
        return (links >= ends[0]) & (links <= ends[1])
    return np.isin(links, ends)


def other_side(side: Side) -> Side:
    """Find the other side."""
    return "right" if require_side(side) == "left" else "left"


def sum_neighbours(near: Neighbours, values: Floats) -> Floats:
    """Sum a value over the neighbours of each node."""
    degrees = np.diff(near.starts)
    own = np.repeat(np.arange(len(degrees)), degrees)
    return np.bincount(own, values[near.places], len(degrees)).astype(np.float64)


def list_choices(part: Chosen) -> Iterator[Floats] | None:
    """List every choice of nodes, as many in each group as entities are meant; 1 where chosen.

    None where there are too many to try.
    """
    pairs = list(zip(part.sizes.tolist(), part.counts.tolist(), strict=True))
    if prod(comb(size, count) for size, count in pairs) > WAYS:
        return None
    members = [np.flatnonzero(part.groups == g) for g in range(len(pairs))]
    each = [itertools.combinations(m, c) for m, (_, c) in zip(members, pairs, strict=True)]
    places = ([node for nodes in way for node in nodes] for way in itertools.product(*each))
    size = len(part.groups)
    return (np.bincount(some, minlength=size).astype(np.float64) for some in places)


def bound_exactly(part: Chosen, others: Chosen, asked: Asked) -> tuple[float, float]:
    """Bound links, those linked, or the most links of one, over all ways to place those meant.

    Mixed integer programming: a node is meant or not, as many in each group as entities are.

    Raises
    ------
    InfeasibleError
        If it takes too long.
    """
    if asked == "most":
        return -_solve_program(part, others, asked, -1.0), _find_most(part, others)
    return -_solve_program(part, others, asked, -1.0), _solve_program(part, others, asked, 1.0)


def _find_most(part: Chosen, others: Chosen) -> float:
    """Find the most links that a node which may be meant can have to those meant."""
    own, far = part.links
    keys, found = np.unique(own * len(others.sizes) + others.groups[far], return_counts=True)
    node, group = np.divmod(keys, len(others.sizes))
    most = np.bincount(node, np.minimum(found, others.counts[group]), len(part.groups))
    return float(most[(part.counts > 0)[part.groups]].max(initial=0))


def _solve_program(part: Chosen, others: Chosen, asked: Asked, sign: float) -> float:
    """Find the greatest sign times what is asked for.

    The variables are which nodes of both sides are meant, and what is added up: links, nodes, or
    the most of one.
    """
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    own, far = part.links
    n, m, links = len(part.groups), len(others.groups), len(own)
    at = np.arange(links)
    from_, to = (
        sparse.csr_matrix((np.ones(links), (at, side)), shape=(links, size))
        for side, size in ((own, n), (far, m))
    )
    near, ones = from_.T @ to, sparse.identity(links if asked == "links" else n)
    at_most: list[tuple[Any, Any, Any, Any]]
    if asked == "most":  # it is at least the links of each node that is meant
        degrees = np.bincount(own, minlength=n)
        at_most = [(sparse.diags(degrees * 1.0), near, -np.ones((n, 1)), degrees)]
    elif sign > 0:  # what counts is meant, and so is one that it is linked to
        ends = (from_, to) if asked == "links" else (ones, near)
        at_most = [(-ends[0], None, ones, 0.0), (None, -ends[1], ones, 0.0)]
    else:  # it counts as soon as both ends of a link are meant
        at_most = [(from_, to, -ones if asked == "links" else -from_, 1.0)]
    sizes = n, m, 1 if asked == "most" else ones.shape[0]
    groups = [
        sparse.csr_matrix((np.ones(len(side.groups)), (side.groups, np.arange(len(side.groups)))))
        for side in (part, others)
    ]
    lines: list[tuple[Sequence[Any], Any, Any]] = [
        ((groups[0], None, None), part.counts, part.counts),
        ((None, groups[1], None), others.counts, others.counts),
        *((blocks, -np.inf, high) for *blocks, high in at_most),
    ]
    constraints = []
    for blocks, low, high in lines:
        height = next(block.shape[0] for block in blocks if block is not None)
        filled = [
            sparse.csr_matrix((height, size)) if block is None else block
            for block, size in zip(blocks, sizes, strict=True)
        ]
        constraints.append(LinearConstraint(sparse.hstack(filled, format="csr"), low, high))
    nodes, added = np.zeros(n + m), np.ones(sizes[2])
    found = milp(
        np.append(nodes, -sign * added),
        constraints=constraints,
        bounds=Bounds(0, np.append(nodes + 1, added * (np.inf if asked == "most" else 1))),
        integrality=np.append(nodes + 1, 0 * added),
        options={"time_limit": SECONDS, "mip_rel_gap": 0.0},
    )
    if found.status != 0:
        raise InfeasibleError(
            f"The tightest bounds were not found in {SECONDS:g} seconds; ask without tight=True, "
            "which gives bounds that hold but may be wider."
        )
    return float(np.rint(-found.fun))
