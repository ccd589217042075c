"""Questions about the links of a published graph: how many, of whom, to whom."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import comb, prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Flags, Floats, Rows
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.query import Answer
from verikit.release import GraphRelease, by_nodes
from verikit.table import Neighbours, Side, require_side
from verikit.words import text

LEAST = "the estimate is the largest expected number, which is at most the mean"


def average_links(
    release: GraphRelease, side: Side, *, where: Where | None = None, degree: int | None = None
) -> Answer:
    """Count how many links the entities of a side have on average.

    Parameters
    ----------
    release
        A published graph.
    side
        Of whom the average is taken.
    where
        Which of them: values by column; None for all, which gives an exact answer.
    degree
        Count links to those only that have so many links themselves; None counts all.

    Returns
    -------
    Answer
        The bounds are tight, and the mean is that over all assignments.

    Raises
    ------
    RecordError
        If there is no such side, column or value.
    SchemaError
        If there is no published graph.

    References
    ----------
    [QZ]_ section 4.2.3, types 0 and 1

    Notes
    -----
    The number of those meant is published, so the sum is this number times the answer. O(e).

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> release = vk.mask.group_nodes(graph, 3, 3, seed=5).release
    >>> average_links(release, "left")
    1.8333333333333333 (links of one Author), exactly: the links are published as they are
    """
    require_graph_release(release, safe=False)
    part = choose_entities(release, side, where)
    unit = f"links of one {release.title(side)}"
    meant = int(part.counts.sum())
    if not meant:
        return _answer_nothing(unit)
    links = sum_neighbours(part.near, _find_kept_nodes(release, side, degree).astype(np.float64))
    order = np.lexsort((links, part.groups))
    starts = np.cumsum(part.sizes) - part.sizes
    place = np.arange(len(links)) - np.repeat(starts, part.sizes)  # inside its group, from 0
    counts, sizes = np.repeat(part.counts, part.sizes), np.repeat(part.sizes, part.sizes)
    inside = links[order]
    least = float(inside[place < counts].sum()) / meant
    most = float(inside[place >= sizes - counts].sum()) / meant
    mean = float((inside * counts / sizes).sum()) / meant
    if least == most:
        return Answer(unit, least, least, most, least, 0.0, "the links are published as they are")
    return Answer(unit, least, mean, most, mean, None, EVEN)


def count_linked(
    release: GraphRelease,
    side: Side,
    *,
    left: Where | None = None,
    right: Where | None = None,
    tight: bool = False,
) -> Answer:
    """Count how many entities of a side are linked to one that is meant on the other side.

    Parameters
    ----------
    release
        A published graph, of safe groups unless ``tight``.
    side
        Who is counted: ``"right"`` counts papers, each once however many authors are meant.
    left, right
        Who is meant on each side: values by column; None for all.
    tight
        Whether all choices of nodes are tried, which small groups only allow.

    Returns
    -------
    Answer
        Its mean is exact in both cases.

    Raises
    ------
    InfeasibleError
        If there are too many choices to try.
    RecordError
        If there is no such side, column or value.
    SchemaError
        If there is no published graph, or its groups are not safe.

    References
    ----------
    [QZ]_ Examples 7 and 10

    Notes
    -----
    The lower bound takes the best other group for each group that is counted, and adds up over
    these (fact BG-27). The mean is the sum over nodes of the chance that they are meant and some
    neighbour is too (BG-29); the printed one takes groups for independent. O(e log e) for e links.

    Examples
    --------
    >>> import verikit as vk
    >>> tables = [vk.load(f"qz_table4_1{part}") for part in "cab"]
    >>> graph = vk.BipartiteGraph.of(tables[0].frame, *tables[1:])
    >>> groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    >>> release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    >>> count_linked(release, "right", left={"Location": "EU"}, right={"Venue": "SIGMOD"})
    1.037 (Paper), for certain from 0 to 2: every way to give the names of a group to its nodes
    being equally likely
    """
    counted, others = _choose_sides(release, side, {"left": left, "right": right}, tight)
    unit = release.title(side)
    if tight:
        return _answer_tight(
            unit, others, lambda met: _bound_sums(counted, _count_linked(counted, met) > 0)
        )
    pairs, most, least = _bound_links(counted, others)
    upper = np.minimum(np.bincount(pairs, most, len(counted.counts)), counted.counts).sum()
    lower = np.zeros(len(counted.counts))
    np.maximum.at(lower, pairs, least)
    with np.errstate(divide="ignore"):
        nobody = np.exp(sum_neighbours(counted.near, np.log1p(-others.chance)))
    mean = float((counted.chance * (1 - nobody)).sum())
    return _make_answer(unit, float(lower.sum()), mean, float(upper))


def count_links(
    release: GraphRelease,
    *,
    left: Where | None = None,
    right: Where | None = None,
    tight: bool = False,
) -> Answer:
    """Count how many links there are between those meant on both sides.

    Parameters
    ----------
    release
        A published graph, of safe groups unless ``tight``.
    left, right
        Who is meant on each side: values by column; None for all.
    tight
        Whether all choices of nodes are tried, which small groups only allow.

    Returns
    -------
    Answer
        Its mean is exact in both cases.

    Raises
    ------
    InfeasibleError
        If there are too many choices to try.
    RecordError
        If there is no such column or value.
    SchemaError
        If there is no published graph, or its groups are not safe.

    References
    ----------
    [QZ]_ Example 7, Lemma 4.4.1

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> release = vk.mask.group_nodes(graph, 3, 3, seed=5).release
    >>> count_links(release)
    11 (links), exactly: every way to give the names of a group to its nodes being equally likely
    """
    first, second = _choose_sides(release, "left", {"left": left, "right": right}, tight)
    if tight:
        return _answer_tight(
            "links", second, lambda met: _bound_sums(first, _count_linked(first, met))
        )
    _, most, least = _bound_links(first, second)
    mean = float((first.chance * sum_neighbours(first.near, second.chance)).sum())
    return _make_answer("links", float(least.sum()), mean, float(most.sum()))


def most_links(
    release: GraphRelease,
    side: Side,
    *,
    left: Where | None = None,
    right: Where | None = None,
    degree: int | None = None,
    tight: bool = False,
) -> Answer:
    """Find the largest number of links that one of a side has to those meant on the other side.

    Parameters
    ----------
    release
        A published graph, of safe groups unless ``tight``.
    side
        Of whom the maximum is taken.
    left, right
        Who is meant on each side: values by column; None for all.
    degree
        Count links to those only that have so many links themselves; None counts all.
    tight
        Whether all choices of nodes are tried, which small groups only allow.

    Returns
    -------
    Answer
        With ``tight`` the mean is exact; else there is none, and the estimate is at most it.

    Raises
    ------
    InfeasibleError
        If there are too many choices to try.
    RecordError
        If there is no such side, column or value.
    SchemaError
        If there is no published graph, or its groups are not safe.

    References
    ----------
    [QZ]_ Example 8

    Notes
    -----
    A link is certain only if all of its group are meant (fact BG-32), and of a group in which so
    many are meant, the maximum is at least the so-manieth smallest of its nodes (BG-33).

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> release = vk.mask.group_nodes(graph, 3, 3, seed=5).release
    >>> most_links(release, "left", degree=1, tight=True)
    1 (links of one Author), exactly: every way to give the names of a group to its nodes being
    equally likely
    """
    part, others = _choose_sides(release, side, {"left": left, "right": right}, tight)
    kept = _find_kept_nodes(release, side, degree)
    unit = f"links of one {release.title(side)}"
    if not part.counts.any():
        return _answer_nothing(unit)
    if tight:
        return _answer_tight(
            unit, others, lambda met: _bound_maximum(part, _count_linked(part, met * kept))
        )
    some, every = (others.counts > 0), (others.counts == others.sizes)
    upper = sum_neighbours(part.near, (some[others.groups] & kept).astype(np.float64))
    lower = sum_neighbours(part.near, (every[others.groups] & kept).astype(np.float64))
    possible = (part.counts > 0)[part.groups]
    order = np.lexsort((lower, part.groups))
    at = (np.cumsum(part.sizes) - part.sizes + part.counts - 1)[part.counts > 0]
    least, most = float(lower[order][at].max()), float(upper[possible].max())
    plugged = float((part.chance * sum_neighbours(part.near, others.chance * kept)).max())
    if least == most:
        return _make_answer(unit, least, least, most)
    return Answer(unit, least, min(max(plugged, least), most), most, None, None, f"{EVEN}; {LEAST}")


def _choose_sides(
    release: GraphRelease, side: Side, where: dict[str, Where | None], tight: bool
) -> tuple[Chosen, Chosen]:
    """Find the side asked about and the other one, if the release allows the question."""
    require_graph_release(release, safe=not tight)
    other = other_side(side)
    return choose_entities(release, side, where[side]), choose_entities(
        release, other, where[other]
    )


def _bound_links(first: Chosen, second: Chosen) -> tuple[Rows, Rows, Rows]:
    """For each pair of linked groups: the first, and the most and least links of those meant."""
    near, groups = first.near, len(second.counts)
    own = np.repeat(first.groups, np.diff(near.starts))
    keys, links = np.unique(own * groups + second.groups[near.places], return_counts=True)
    i, j = keys // groups, keys % groups
    a, b = first.counts[i], second.counts[j]
    least = np.maximum(0, a + b + links - first.sizes[i] - second.sizes[j])
    return i, np.minimum(np.minimum(a, b), links), least


def _find_kept_nodes(release: GraphRelease, side: Side, degree: int | None) -> Flags:
    """Find which nodes of the other side have so many links."""
    other = other_side(side)
    links = np.diff(release.neighbours(other).starts)
    if degree is None:
        return np.ones(len(links), bool)
    if isinstance(degree, bool) or not isinstance(degree, (int, np.integer)) or degree < 0:
        raise RecordError.given("degree", degree, "a whole number from 0 up, or None")
    return links == degree


def _make_answer(unit: str, lower: float, mean: float, upper: float) -> Answer:
    variance = 0.0 if lower == upper else None
    return Answer(unit, lower, mean, upper, mean, variance, EVEN)


def _answer_nothing(unit: str) -> Answer:
    nan = float("nan")
    return Answer(unit, nan, nan, nan, None, None, NOBODY)


Where: TypeAlias = Mapping[str, Any]
EVEN = "every way to give the names of a group to its nodes being equally likely"
NOBODY = "nothing that was published meets the condition"


@dataclass(frozen=True, slots=True)
class Chosen:
    """How many entities of each group of a side are meant, and its nodes."""

    counts: Rows
    sizes: Rows
    groups: Rows
    near: Neighbours

    @property
    def chance(self) -> Floats:
        """How likely each node is one of those meant."""
        return (self.counts / self.sizes)[self.groups]


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


def choose_entities(release: GraphRelease, side: Side, where: Where | None) -> Chosen:
    """How many entities of each group meet all conditions: a value, or several, for a column."""
    table, groups = release.side(require_side(side)), release.groups(side)
    if where is not None and not isinstance(where, Mapping):
        raise RecordError.given(
            "A condition", where, "a dictionary of columns and values, such as {'Location': 'US'}"
        )
    meant = np.ones(len(table), bool)
    for name, wanted in (where or {}).items():
        column = table.schema[name]
        values = wanted if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]
        if column.kind == "numeric":
            meant &= table.frame[name].isin([column.score(value) for value in values]).to_numpy()
            continue
        published, texts = table.frame[name], [text(value) for value in values]
        strange = [value for value in texts if value not in set(published.cat.categories)]
        if strange:
            raise RecordError(
                f"No {quoted(name)} is {quoted(strange[0])}; expected one of its published values.",
                field=name,
                value=strange[0],
            )
        meant &= published.isin(texts).to_numpy()
    sizes = release.sizes(side)
    counts = np.bincount(groups[meant], minlength=len(sizes))
    return Chosen(counts, sizes, release.nodes(side), release.neighbours(side))


def other_side(side: Side) -> Side:
    """Find the other side."""
    return "right" if require_side(side) == "left" else "left"


WAYS = 50_000


def _answer_tight(
    unit: str, others: Chosen, bound: Callable[[Rows], tuple[float, float, float]]
) -> Answer:
    """Answer with the least, the mean and the most over every way to give names to nodes."""
    found = np.array([bound(meant) for meant in _list_choices(others)])
    least, mean, most = found[:, 0].min(), found[:, 1].mean(), found[:, 2].max()
    return _make_answer(unit, float(least), float(mean), float(most))


def _list_choices(part: Chosen) -> Iterator[Rows]:
    """List every choice of nodes, as many in each group as entities are meant; 1 where chosen."""
    pairs = list(zip(part.sizes.tolist(), part.counts.tolist(), strict=True))
    ways = prod(comb(size, count) for size, count in pairs)
    if ways > WAYS:
        raise InfeasibleError(
            f"There are more than {WAYS:,} choices of nodes to try; ask without tight=True, which "
            "gives bounds that hold but may be wider."
        )
    members = [np.flatnonzero(part.groups == g) for g in range(len(pairs))]
    each = [itertools.combinations(m, c) for m, (_, c) in zip(members, pairs, strict=True)]
    for choice in itertools.product(*each):
        meant = np.zeros(len(part.groups), np.intp)
        meant[[node for nodes in choice for node in nodes]] = 1
        yield meant


def _count_linked(part: Chosen, meant: Rows) -> Rows:
    """Count how many of those meant each node is linked to."""
    return sum_neighbours(part.near, meant.astype(np.float64)).astype(np.intp)


def sum_neighbours(near: Neighbours, values: Floats) -> Floats:
    """Sum a value over the neighbours of each node."""
    degrees = np.diff(near.starts)
    own = np.repeat(np.arange(len(degrees)), degrees)
    return np.bincount(own, values[near.places], len(degrees)).astype(np.float64)


def _bound_sums(part: Chosen, values: npt.NDArray[np.generic]) -> tuple[float, float, float]:
    """The least, mean and largest sum of a value over those meant: those of its groups add up."""
    least = mean = most = 0.0
    for group, count in enumerate(part.counts.tolist()):
        inside = np.sort(values[part.groups == group].astype(np.float64))
        least += inside[:count].sum()
        most += inside[len(inside) - count :].sum()
        mean += inside.mean() * count
    return least, mean, most


def _bound_maximum(part: Chosen, values: Rows) -> tuple[float, float, float]:
    """Find the least, mean and largest maximum of a value over those meant."""
    inside = [np.sort(values[part.groups == g]) for g in np.flatnonzero(part.counts)]
    counts = part.counts[part.counts > 0].tolist()
    levels = np.unique(np.concatenate(inside))
    below = [
        prod(
            comb(int(np.searchsorted(v, level, "right")), c) / comb(len(v), c)
            for v, c in zip(inside, counts, strict=True)
        )
        for level in levels
    ]
    mean = float((levels * np.diff([0.0, *below])).sum())
    least = max(v[c - 1] for v, c in zip(inside, counts, strict=True))
    return float(least), mean, float(max(v[-1] for v in inside))
