"""Groups of entities of a graph of which no two are linked to the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.compiled import has_numba
from verikit._support.requests import flag, whole
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.partition._partition import Partition
from verikit.partition._safe_search import GIVEN_UP, Found, search_groups
from verikit.table import BipartiteGraph, Side, neighbour_ranks, require_graph, require_side
from verikit.words import count, listed

Order: TypeAlias = Literal["degree", "random"]
MAX_TRIES = 50_000_000  # more than 50 groups an entity, at the size of DBLP
COMPILED_FROM = 50_000  # links from which compiled steps pay


class Size(NamedTuple):
    """The size of a group that is asked for, and what its parameter is called."""

    name: str
    size: int
    strict: bool = False


def safe_groups(
    graph: BipartiteGraph,
    side: Side,
    k: int,
    *,
    order: Order | Sequence[int] = "degree",
    strict: bool = False,
    seed: int,
) -> Partition:
    """Group the entities of a side so that no two in a group are linked to the same entity.

    Each entity joins the first group that has room and with which it shares no neighbour, or
    begins a group. Groups hold ``k``; whoever is left in smaller ones is placed again, with room
    for one more in every group, until nobody is left.

    Parameters
    ----------
    graph
        Who is linked to what.
    side
        Which entities to group.
    k
        How many entities a group must hold at least.
    order
        In which order they are placed: ``"degree"``, those with most links first and ties by the
        links of their neighbours; ``"random"``; or the places of all of them.
    strict
        Whether groups of more than ``k + 1`` are refused.
    seed
        The lot by which ties, or all, are ordered.

    Returns
    -------
    Partition
        The groups; ``residue`` counts those who were placed again.

    Raises
    ------
    InfeasibleError
        If no safe groups are possible, none were found, or none are strict; the message says
        which.
    RecordError
        If the side, the size or the order is none.

    References
    ----------
    [QZ]_ Algorithm 5, Definition 4.4.3, section 4.4.5

    Notes
    -----
    Three corrections (facts BG-36 to BG-38): a group is full at ``k`` members, not one later; a
    group of ``k`` is kept however large groups may have become; and the search ends as soon as a
    round places nobody, for no later round could. Ties are broken by lot because groups that
    depended on the names would tell which node a name stands for. Mostly O(e) for e links,
    in compiled steps for many of them where numba is installed: the groups are the same.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> links = pd.DataFrame({"author": list("abcd"), "paper": list("ppqq")})
    >>> graph = vk.BipartiteGraph.of(links)
    >>> safe_groups(graph, "left", 2, order=[0, 1, 2, 3], seed=1).labels.tolist()
    [0, 1, 0, 1]
    """
    rng = generator(seed)
    require_graph(graph, "safe_groups")
    asked = Size("k", whole(k, "k"), strict=flag(strict, "strict"))
    return groups_of_size(graph, require_side(side), asked, order, rng)


def groups_of_size(
    graph: BipartiteGraph, side: Side, asked: Size, order: Any, rng: np.random.Generator
) -> Partition:
    """Safe groups of a size that may have another name than ``k``."""
    _check_size(graph, side, asked)
    places = _order_entities(graph, side, order, rng)
    room = asked.size + 1 if asked.strict else len(places)
    search = _search_compiled if has_numba() and len(graph) >= COMPILED_FROM else _search_plain
    found = search(graph, side, places, asked, room)
    if len(found.left):
        raise InfeasibleError(_say_not_found(graph, side, asked, found.left))
    told = order if isinstance(order, str) else "given"
    parameters = {"side": side, "k": asked.size, "order": told, "strict": asked.strict}
    return Partition(found.labels, "safe_groups", parameters, found.residue)


def _search_plain(graph: BipartiteGraph, side: Side, places: Rows, asked: Size, room: int) -> Found:
    """The search in the steps of the paper."""
    near = graph.neighbours(side)
    starts, flat = near.starts.tolist(), near.places.tolist()
    search = _Search(lambda place: flat[starts[place] : starts[place + 1]], asked, room)
    left = search.run(places.tolist())
    labels = np.full(len(places), -1)
    for number, members in enumerate(search.complete):
        labels[members] = number
    return Found(labels, search.residue, np.array(left, np.intp))


def _search_compiled(
    graph: BipartiteGraph, side: Side, places: Rows, asked: Size, room: int
) -> Found:
    """The same groups in compiled steps."""
    found = search_groups(graph.neighbours(side), places, asked.size, room, MAX_TRIES)
    if found.residue == GIVEN_UP:
        raise InfeasibleError(_say_given_up(asked.name))
    return found


class _Group(list[int]):
    """The members of a group; ``seen`` are their neighbours, None where they were let go."""

    __slots__ = ("seen",)

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[int] | None = set()


class _Search:
    """The rounds of the search, and what they came to."""

    def __init__(self, near: Callable[[int], list[int]], asked: Size, room: int) -> None:
        self.near, self.name, self.size, self.room = near, asked.name, asked.size, room
        self.complete: list[_Group] = []
        self.tries = self.residue = 0

    def run(self, left: list[int]) -> list[int]:
        """Place entities round after round; give those who fit into no group."""
        cap = self.size
        while left and cap <= self.room:
            before = len(left)
            left = self.round(left, cap)
            self.residue = self.residue or len(left)
            if len(left) == before:  # every group had room, so more room would help nobody
                break
            cap += 1
        return left

    def round(self, left: list[int], cap: int) -> list[int]:
        """Place each in the first group that takes it; give the members of those too small."""
        groups, full = self.complete, []
        for place in left:
            at = self.first(groups, self.near(place))
            group = groups[at]
            group.append(place)
            if len(group) >= cap:
                group.seen = None  # asked for again only if somebody is left
                full.append(groups.pop(at))
        groups += full
        self.complete = [group for group in groups if len(group) >= self.size]
        return [place for group in groups if len(group) < self.size for place in group]

    def first(self, groups: list[_Group], near: list[int]) -> int:
        """The first group that shares no neighbour, or a new one."""
        found = len(groups)
        for at, group in enumerate(groups):
            if group.seen is None:
                group.seen = {other for place in group for other in self.near(place)}
            if group.seen.isdisjoint(near):
                found = at
                break
        else:
            groups.append(_Group())
        cast("set[int]", groups[found].seen).update(near)
        self.tries += found + 1
        if self.tries > MAX_TRIES:
            raise InfeasibleError(_say_given_up(self.name))
        return found


def _say_given_up(name: str) -> str:
    return (
        f"The search for safe groups was given up after {MAX_TRIES:,} tries; try another seed or "
        f"order, or a smaller {name}."
    )


def _other_side(side: Side) -> Side:
    return "right" if side == "left" else "left"


def _check_size(graph: BipartiteGraph, side: Side, asked: Size) -> None:
    """Refuse a size of which a simple count shows that it cannot be reached."""
    (name, size, strict), entities = asked, len(graph.side(side))
    if not entities:
        raise InfeasibleError(f"The {side} side has no entities, so nothing can be grouped.")
    if size > entities:
        raise InfeasibleError(
            f"{name} was given as {size}, but the {side} side has "
            f"{count(entities, 'entity', 'entities')}; "
            f"give {'an' if name[0] in 'aeiou' else 'a'} {name} of at most {entities}.",
            field=name,
            value=size,
        )
    _check_hub(graph, side, asked)
    groups = entities // size
    if strict and entities - groups * size > groups:
        raise InfeasibleError(
            f"{entities} entities cannot be put into groups of {size} and {size + 1} at all, "
            f"however they are linked; choose another {name}, or strict=False."
        )


def _check_hub(graph: BipartiteGraph, side: Side, asked: Size) -> None:
    """Refuse a size at which one entity has more neighbours than there can be groups."""
    other, size = _other_side(side), asked.size
    degrees, entities = graph.degrees(other), len(graph.side(side))
    most = int(degrees.max(initial=0))
    if size > 1 and most * size > entities:
        hub = quoted(graph.names(other)[int(degrees.argmax())])
        raise InfeasibleError(
            f"There are no safe groups of {size}: {hub} is linked to {most:,} of "
            f"{count(entities, 'entity', 'entities')}, no two of which may share a group, and "
            f"there can be {entities // size:,} groups; no {asked.name} above "
            f"{max(entities // most, 1)} can be reached."
        )


def _order_entities(
    graph: BipartiteGraph, side: Side, order: Any, rng: np.random.Generator
) -> Rows:
    """The places of the entities in the order in which they are grouped."""
    entities = len(graph.side(side))
    lot = rng.permutation(entities)
    if isinstance(order, str) and order == "random":
        return lot
    if isinstance(order, str) and order == "degree":
        ranks = neighbour_ranks(graph.neighbours(side), graph.degrees(_other_side(side)))
        keys = (int(ranks.max()) - ranks[lot]) * entities + np.arange(entities)
        keys.sort()  # falling ranks, ties by lot
        return lot[keys % entities]
    places = np.asarray([] if isinstance(order, str) else order)
    if places.shape != (entities,) or not np.array_equal(np.sort(places), np.arange(entities)):
        raise RecordError(
            f"The order was given as {quoted(order)}; expected 'degree', 'random', or the "
            f"{entities:,} places of the {side} side, each once.",
            field="order",
            value=order,
        )
    return places.astype(np.intp)


def _say_not_found(graph: BipartiteGraph, side: Side, asked: Size, left: Rows) -> str:
    """Why the search ended with some in no group."""
    name, size, strict = asked
    names = listed(graph.names(side)[left], 3)
    one = len(left) == 1
    if strict:
        return (
            f"No strict safe groups of {size} and {size + 1} were found: {names} "
            f"{'is' if one else 'are'} left over; try another seed or order, or strict=False."
        )
    return (
        f"No safe groups of {size} were found: {names} {'fits' if one else 'fit'} into no group, "
        f"however large; try another seed or order, or a smaller {name}."
    )
