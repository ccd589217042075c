"""Questions about the links of a published graph: how many, of whom, to whom."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, nan, prod

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.guard import guard
from verikit.analyst._graph_choices import (
    Asked,
    Chosen,
    Degree,
    Degrees,
    bound_exactly,
    choose_entities,
    list_choices,
    other_side,
    require_graph_release,
    sum_neighbours,
)
from verikit.errors import RecordError
from verikit.query import (
    Answer,
    Query,
    Selection,
    Where,
    bound_aggregate,
    find_expected,
    find_numbers,
    read_query,
    sort_selection,
)
from verikit.release import GraphRelease
from verikit.table import Side, require_side

EVEN = "every way to give the names of a group to its nodes being equally likely"
NOBODY = "nothing that was published meets the condition"
LEAST = "the estimate is the largest expected number, which is at most the mean"


def average_links(
    release: GraphRelease, side: Side, *, where: Where = None, degree: Degree | None = None
) -> Answer:
    """Count how many links the entities of a side have on average.

    Parameters
    ----------
    release
        A published graph.
    side
        Of whom the average is taken.
    where
        Which of them, as in `verikit.Query.count`, or in the words of SQL; None for all, which
        gives an exact answer.
    degree
        Count links to those only that have so many links themselves: a number, a range
        ``(least, most)`` or a set; None counts all.

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
    part = choose_entities(release, side, where, _of_other(side, degree))
    unit = f"links of one {release.title(side)}"
    meant = int(part.counts.sum())
    if not meant:
        return Answer(unit, nan, nan, nan, None, None, NOBODY)
    links = np.diff(part.near.starts).astype(np.float64)
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
    left: Where = None,
    right: Where = None,
    degrees: Degrees | None = None,
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
        Who is meant on each side, as in `verikit.Query.count`, or in the words of SQL
        (``"year >= 2000 or venue = 'A'"``); None for all.
    degrees
        Count links only of those that have so many links themselves, by side: a number, a range
        ``(least, most)`` or a set. ``{"right": 1}`` asks for papers of a single author.
    tight
        Whether the tightest bounds are looked for, by an integer program.

    Returns
    -------
    Answer
        Its mean is exact in both cases.

    Raises
    ------
    InfeasibleError
        If the tightest bounds take too long to find.
    RecordError
        If there is no such side, column or value.
    SchemaError
        If there is no published graph, or its groups are not safe.

    References
    ----------
    [QZ]_ Examples 7 and 10; Query B of section 4.2.3

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
    counted, others = _choose_sides(release, side, {"left": left, "right": right}, degrees, tight)
    unit = release.title(side)
    mean = float((counted.chance * _find_chance_linked(counted, others)).sum())
    if tight:
        return _answer_tight(unit, counted, others, "linked", mean)
    low, high = _bound_linked(counted, others)
    return _make_answer(unit, float(low.sum()), mean, float(high.sum()))


def count_links(
    release: GraphRelease,
    *,
    left: Where = None,
    right: Where = None,
    degrees: Degrees | None = None,
    tight: bool = False,
) -> Answer:
    """Count how many links there are between those meant on both sides.

    Parameters
    ----------
    release
        A published graph, of safe groups unless ``tight``.
    left, right
        Who is meant on each side, as in `verikit.Query.count`, or in the words of SQL
        (``"year >= 2000 or venue = 'A'"``); None for all.
    degrees
        Count links only of those that have so many links themselves, by side: a number, a range
        ``(least, most)`` or a set. ``{"right": 1}`` asks for papers of a single author.
    tight
        Whether the tightest bounds are looked for, by an integer program.

    Returns
    -------
    Answer
        Its mean is exact in both cases.

    Raises
    ------
    InfeasibleError
        If the tightest bounds take too long to find.
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
    first, second = _choose_sides(release, "left", {"left": left, "right": right}, degrees, tight)
    mean = float((first.chance * sum_neighbours(first.near, second.chance)).sum())
    if tight:
        return _answer_tight("links", first, second, "links", mean)
    _, most, least = _bound_links(first, second)
    return _make_answer("links", float(least.sum()), mean, float(most.sum()))


def most_links(
    release: GraphRelease,
    side: Side,
    *,
    left: Where = None,
    right: Where = None,
    degree: Degree | None = None,
    degrees: Degrees | None = None,
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
        Who is meant on each side, as in `count_links`.
    degree
        Count links to those only that have so many links themselves; None counts all.
    degrees
        The same by side, as in `count_links`.
    tight
        Whether the tightest bounds are looked for, as in `count_links`.

    Returns
    -------
    Answer
        With ``tight`` the mean is exact; else there is none, and the estimate is at most it.

    Raises
    ------
    InfeasibleError
        If the tightest bounds take too long to find.
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
    by_side = {**(degrees or {}), **(_of_other(side, degree) or {})}
    where = {"left": left, "right": right}
    part, others = _choose_sides(release, side, where, by_side, tight)
    unit = f"links of one {release.title(side)}"
    if not part.counts.any():
        return Answer(unit, nan, nan, nan, None, None, NOBODY)
    if tight:
        return _answer_tight(unit, part, others, "most", None)
    some, every = (others.counts > 0), (others.counts == others.sizes)
    upper = sum_neighbours(part.near, some[others.groups].astype(np.float64))
    lower = sum_neighbours(part.near, every[others.groups].astype(np.float64))
    possible = (part.counts > 0)[part.groups]
    order = np.lexsort((lower, part.groups))
    at = (np.cumsum(part.sizes) - part.sizes + part.counts - 1)[part.counts > 0]
    least, most = float(lower[order][at].max()), float(upper[possible].max())
    plugged = float((part.chance * sum_neighbours(part.near, others.chance)).max())
    if least == most:
        return _make_answer(unit, least, least, most)
    estimate, words = min(max(plugged, least), most), f"{EVEN}; {LEAST}"
    return Answer(unit, least, estimate, most, None, None, words, tight=False)


@guard("The query or the release", RecordError)
def answer_linked(
    query: Query | str,
    release: GraphRelease,
    side: Side,
    *,
    linked_to: Where = None,
    degrees: Degrees | None = None,
) -> Answer:
    """Answer a question about the entities of a side that are linked to some of the other side.

    Parameters
    ----------
    query
        A count, sum, average or extreme of a column of that side, with conditions on it: a
        `Query`, or a text in SQL.
    release
        A published graph, of safe groups.
    side
        About whom is asked.
    linked_to
        To whom of the other side they must be linked, to one at least, as in `count_linked`.
    degrees
        By side how many links those have that count, as in `count_links`.

    Returns
    -------
    Answer
        Bounds that hold; each group is bounded by itself, so that they may be wider than need be.

    Raises
    ------
    RecordError
        If there is no such side, column or value, or the column holds categories.
    SchemaError
        If there is no published graph, or its groups are not safe.

    References
    ----------
    [QZ]_ section 4.2.3

    Notes
    -----
    In each group at least and at most so many of those meant are linked as `count_linked` reckons,
    and which of them is open. The mean of a sum is exact; averages and extremes are estimated, and
    suppose that somebody is meant. O(e log e) for e links.

    Examples
    --------
    Papers by authors of the US: how many there are, and the first year of one.

    >>> import pandas as pd
    >>> import verikit as vk
    >>> links = [("a", "p"), ("a", "q"), ("b", "q"), ("c", "r"), ("d", "s")]
    >>> authors = pd.DataFrame({"author": list("abcd"), "from": ["US", "US", "UK", "US"]})
    >>> papers = pd.DataFrame({"paper": list("pqrs"), "year": [1999, 2003, 2004, 2008]})
    >>> edges = pd.DataFrame(links, columns=["author", "paper"])
    >>> graph = vk.BipartiteGraph.of(edges, authors, papers)
    >>> release = vk.mask.group_nodes(graph, 2, 2, seed=1).release
    >>> found = answer_linked("select min(year) from t", release, "right", linked_to={"from": "US"})
    >>> found.lower, found.upper
    (1999.0, 2003.0)
    """
    asked = read_query(query)
    table = require_graph_release(release).side(require_side(side))
    where: dict[str, Where] = {side: asked.where, other_side(side): linked_to}
    if asked.of is None:
        left, right = where["left"], where["right"]
        return count_linked(release, side, left=left, right=right, degrees=degrees)
    column = find_numbers(asked, table.schema)
    counted, others = _choose_sides(release, side, where, degrees, tight=False)
    low, high = (np.rint(end).astype(np.int64) for end in _bound_linked(counted, others))
    values = table.frame[column.name].to_numpy(np.float64)
    places = np.flatnonzero(counted.meant & ~np.isnan(values))
    groups, number = counted.names[places], np.bincount(counted.names[places], minlength=len(low))
    low = np.maximum(low - (counted.counts - number), 0)
    none = np.zeros(len(places), bool)
    given = (groups, none, values[places], values[places], low, np.minimum(high, number))
    choice = sort_selection(Selection(*given))
    unit = f"{column.title} in {column.unit}" if column.unit else column.title
    if choice.empty:
        nothing = 0.0 if asked.aggregate == "sum" else nan
        return Answer(unit, nothing, nothing, nothing, None, None, NOBODY)
    ends = bound_aggregate(choice, asked.aggregate)
    linked = np.bincount(counted.groups, _find_chance_linked(counted, others), len(low))
    share = (linked / counted.sizes)[groups]
    estimate = find_expected(asked.aggregate, share, values[places])
    mean = estimate if asked.aggregate == "sum" else None
    estimate = min(max(estimate, ends[0]), ends[1])
    words = EVEN if choice.certain or asked.aggregate == "sum" else f"{EVEN}, if anybody is meant"
    exact = ends[0] == ends[1]
    return Answer(unit, ends[0], estimate, ends[1], mean, None, words, column.dated, tight=exact)


def _of_other(side: Side, degree: Degree | None) -> Degrees | None:
    return None if degree is None else {other_side(side): degree}


def _find_chance_linked(part: Chosen, others: Chosen) -> Floats:
    """Find for each node the chance that it is linked to one that is meant.

    Of a group of which it has k neighbours none is meant where those meant are all among the rest.
    """
    own, far = part.links
    keys, near = np.unique(own * len(others.sizes) + others.groups[far], return_counts=True)
    node, group = np.divmod(keys, len(others.sizes))
    missed = np.ones(len(keys))
    for step in range(int(near.max(initial=0))):
        left = (others.sizes - step)[group]
        chance = np.maximum(left - others.counts[group], 0) / np.maximum(left, 1)
        missed *= np.where(step < near, chance, 1.0)
    nobody = np.ones(len(part.groups))
    np.multiply.at(nobody, node, missed)
    return 1.0 - nobody


def _bound_linked(part: Chosen, others: Chosen) -> tuple[Floats, Floats]:
    """Bound by group how many of those meant are linked to one that is meant."""
    pairs, most, least = _bound_links(part, others)
    groups = len(part.counts)
    kept = np.bincount(part.groups[np.diff(part.near.starts) > 0], minlength=groups)
    high = np.minimum(np.bincount(pairs, most, groups), np.minimum(part.counts, kept))
    low = np.zeros(groups)
    np.maximum.at(low, pairs, least)
    return low, high


def _choose_sides(
    release: GraphRelease,
    side: Side,
    where: Mapping[str, Where],
    degrees: Degrees | None,
    tight: bool,
) -> tuple[Chosen, Chosen]:
    """Find the side asked about and the other one, if the release allows the question."""
    require_graph_release(release, safe=not tight)
    if tight:
        release.require_two_kinds("the search for the tightest bounds")
    first, second = (
        choose_entities(release, one, where[one], degrees) for one in (side, other_side(side))
    )
    return first, second


def _bound_links(first: Chosen, second: Chosen) -> tuple[Rows, Rows, Rows]:
    """For each pair of linked groups: the first, and the most and least links of those meant."""
    near, groups = first.near, len(second.counts)
    own = np.repeat(first.groups, np.diff(near.starts))
    keys, links = np.unique(own * groups + second.groups[near.places], return_counts=True)
    i, j = keys // groups, keys % groups
    a, b = first.counts[i], second.counts[j]
    least = np.maximum(0, a + b + links - first.sizes[i] - second.sizes[j])
    return i, np.minimum(np.minimum(a, b), links), least


def _make_answer(
    unit: str, lower: float, mean: float | None, upper: float, *, tight: bool = False
) -> Answer:
    exact = lower == upper
    estimate = (lower + upper) / 2 if mean is None else mean
    variance = 0.0 if exact else None
    return Answer(unit, lower, estimate, upper, mean, variance, EVEN, tight=exact or tight)


def _answer_tight(
    unit: str, part: Chosen, others: Chosen, asked: Asked, mean: float | None
) -> Answer:
    """Answer with the least and the most over every way to give names to nodes, and the mean."""
    least, most = bound_exactly(part, others, asked)
    choices = list_choices(others) if asked == "most" else None
    if choices is not None:
        mean = float(np.mean([_find_mean_maximum(part, met) for met in choices]))
    return _make_answer(unit, least, mean, most, tight=True)


def _find_mean_maximum(part: Chosen, met: Floats) -> float:
    """Find the mean of the most links of those meant to those who are met on the other side."""
    values = sum_neighbours(part.near, met)
    inside = [np.sort(values[part.groups == g]) for g in np.flatnonzero(part.counts)]
    levels = np.unique(np.concatenate(inside))
    below = [
        prod(
            comb(int(np.searchsorted(v, level, "right")), c) / comb(len(v), c)
            for v, c in zip(inside, part.counts[part.counts > 0].tolist(), strict=True)
        )
        for level in levels
    ]
    return float((levels * np.diff([0.0, *below])).sum())
