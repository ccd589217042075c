"""Groups of entities of a graph of which no two are linked to the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.compiled import compiled, has_numba
from verikit._support.requests import flag, whole
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.partition._partition import Partition, partitioner
from verikit.table import (
    BipartiteGraph,
    Neighbours,
    Side,
    neighbour_ranks,
    require_graph,
    require_side,
)
from verikit.words import count, listed

Order: TypeAlias = Literal["degree", "random"]
MAX_TRIES = 50_000_000  # more than 50 groups an entity, at the size of DBLP
COMPILED_FROM = 50_000  # links from which compiled steps pay


class Size(NamedTuple):
    """The size of a group that is asked for, and what its parameter is called."""

    name: str
    size: int
    strict: bool = False


@partitioner()
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
    [QZ]_ Algorithm 5, Definition 4.4.3, sections 4.4.5 and 4.6

    Notes
    -----
    In a graph of one kind no two in a group are linked to each other either, as section 4.6
    proposes: ``side`` makes no difference, and who is linked to how many counts herself.
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
    """Find safe groups of a size that may have another name than ``k``."""
    graph = graph.closed
    _check_size(graph, side, asked)
    places = _order_entities(graph, side, order, rng)
    room = asked.size + 1 if asked.strict else len(places)
    near = graph.neighbours(side)
    if has_numba() and len(graph) >= COMPILED_FROM:
        found = search_groups(near, places, asked.size, room, MAX_TRIES)
        if found.residue == GIVEN_UP:
            raise InfeasibleError(_say_given_up(asked.name))
    else:
        starts, flat = near.starts.tolist(), near.places.tolist()
        search = _Search(lambda place: flat[starts[place] : starts[place + 1]], asked, room)
        left = search.place_entities(places.tolist())
        labels = np.full(len(places), -1)
        for number, members in enumerate(search.complete):
            labels[members] = number
        found = Found(labels, search.residue, np.array(left, np.intp))
    if len(found.left):
        one, names = len(found.left) == 1, listed(graph.names(side)[found.left], 3)
        if asked.strict:
            raise InfeasibleError(
                f"No strict safe groups of {asked.size} and {asked.size + 1} were found: {names} "
                f"{'is' if one else 'are'} left over; try another seed or order, or strict=False."
            )
        raise InfeasibleError(
            f"No safe groups of {asked.size} were found: {names} {'fits' if one else 'fit'} into "
            f"no group, however large; try another seed or order, or a smaller {asked.name}."
        )
    told = order if isinstance(order, str) else "given"
    parameters = {"side": side, "k": asked.size, "order": told, "strict": asked.strict}
    return Partition(found.labels, "safe_groups", parameters, found.residue)


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

    def place_entities(self, left: list[int]) -> list[int]:
        """Place entities round after round; give those who fit into no group."""
        cap = self.size
        while left and cap <= self.room:
            before = len(left)
            left = self.play_round(left, cap)
            self.residue = self.residue or len(left)
            if len(left) == before:  # every group had room, so more room would help nobody
                break
            cap += 1
        return left

    def play_round(self, left: list[int], cap: int) -> list[int]:
        """Place each in the first group that takes it; give the members of those too small."""
        groups, full = self.complete, []
        for place in left:
            at = self.find_group(groups, self.near(place))
            group = groups[at]
            group.append(place)
            if len(group) >= cap:
                group.seen = None  # asked for again only if somebody is left
                full.append(groups.pop(at))
        groups += full
        self.complete = [group for group in groups if len(group) >= self.size]
        return [place for group in groups if len(group) < self.size for place in group]

    def find_group(self, groups: list[_Group], near: list[int]) -> int:
        """Find the first group that shares no neighbour, or begin one."""
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
    other = _other_side(side)
    degrees = graph.degrees(other)
    most = int(degrees.max(initial=0))
    if size > 1 and most * size > entities:  # one entity has more neighbours than groups can be
        hub = quoted(graph.names(other)[int(degrees.argmax())])
        raise InfeasibleError(
            f"There are no safe groups of {size}: {hub} is linked to {most:,} of "
            f"{count(entities, 'entity', 'entities')}, no two of which may share a group, and "
            f"there can be {entities // size:,} groups; no {name} above "
            f"{max(entities // most, 1)} can be reached."
        )
    groups = entities // size
    if strict and entities - groups * size > groups:
        raise InfeasibleError(
            f"{entities} entities cannot be put into groups of {size} and {size + 1} at all, "
            f"however they are linked; choose another {name}, or strict=False."
        )


def _order_entities(
    graph: BipartiteGraph, side: Side, order: Any, rng: np.random.Generator
) -> Rows:
    """Order the entities as they are grouped."""
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


NOBODY = -1
GIVEN_UP = -1
GROUPS, LEFT, TRIED, MOST = range(4)


class Found(NamedTuple):
    """The group of each entity, how many were placed again, and who fits into no group.

    ``residue`` is `GIVEN_UP` where the search took more tries than it was allowed.
    """

    labels: Rows
    residue: int
    left: Rows


class Board(NamedTuple):
    """Where the search stands; entities are numbered in the order in which they are placed.

    Parameters
    ----------
    starts, near, owner
        The neighbours of each entity, and by place among them whose they are.
    newest, older
        By neighbour the place of its entity that was placed last, and by place the one before it.
    label, follower
        By entity its group, and who joined the same group after it.
    first, last, size
        By group its first and last member, and how many it has.
    after, mark, shut
        By group the next open one, who shares a neighbour with it, and whether it is full.
    told
        How many groups are complete, how many entities are left, and the tries so far and at most.
    """

    starts: Any
    near: Any
    owner: Any
    newest: Any
    older: Any
    label: Any
    follower: Any
    first: Any
    last: Any
    size: Any
    after: Any
    mark: Any
    shut: Any
    told: Any


def search_groups(near: Neighbours, places: Rows, size: int, room: int, tries: int) -> Found:
    """Place entities in the given order, round after round, as `safe_groups` says it.

    Groups that share a neighbour are not looked for group by group: every neighbour remembers
    which of its entities were placed, the last one first, and those placed before the oldest open
    group began need no look. So an entity mostly costs one look at each of its neighbours.
    """
    degrees = np.diff(near.starts)[places]
    starts = np.r_[0, np.cumsum(degrees)]
    owner = np.repeat(np.arange(len(places), dtype=np.int32), degrees)
    shift = np.repeat(near.starts[places] - starts[:-1], degrees)
    others = near.places[shift + np.arange(len(shift))].astype(np.int32)
    newest = np.full(int(others.max(initial=-1)) + 1, NOBODY, np.int32)
    by_entity = [np.full(len(places), NOBODY, np.int32) for _ in range(8)]
    told = np.array([0, len(places), 0, tries])
    board = Board._make([starts, others, owner, newest, np.empty_like(others), *by_entity, told])
    left = np.arange(len(places), dtype=np.int32)
    residue = int(search_rounds(board, left, size, room))
    labels = np.empty(len(places), np.intp)
    labels[places] = board.label
    return Found(labels, residue, places[left[: board.told[LEFT]]])


@compiled(large=0)
def search_rounds(board: Board, left: Any, size: int, room: int) -> int:
    """Play rounds until nobody is left or a round places nobody; give the residue."""
    residue, turn = 0, 0
    while board.told[LEFT] > 0 and size + turn <= room:
        before = board.told[LEFT]
        if not play_round(board, left, size, turn):
            return GIVEN_UP
        residue = residue if residue > 0 else board.told[LEFT]
        if board.told[LEFT] == before:
            break
        turn += 1
    return residue


def play_round(board: Board, left: Any, size: int, turn: int) -> bool:
    """Place each in the first open group that takes it; False where that took too many tries."""
    told, groups = board.told, board.told[GROUPS]
    for group in range(groups):
        board.after[group], board.mark[group], board.shut[group] = group + 1, NOBODY, 0
    if groups > 0:
        board.after[groups - 1] = NOBODY
    ends = np.array([0 if groups > 0 else NOBODY, groups - 1, groups])  # head, tail, the next new
    full = np.empty(len(board.label), np.int32)
    filled = 0
    for at in range(told[LEFT]):
        place = left[at]
        if turn > 0 or ends[0] != NOBODY:
            forbid_groups(board, place, ends[0] if turn == 0 else NOBODY)
        before, group = find_open(board, place, ends)
        if told[TRIED] > told[MOST]:
            return False
        join_group(board, place, group)
        if turn == 0:
            remember_place(board, place)
        if board.size[group] >= size + turn:
            close_group(board, before, group, ends)
            full[filled] = group
            filled += 1
    settle_round(board, left, size, (ends[0], full[:filled]))
    return True


def forbid_groups(board: Board, place: int, oldest: int) -> None:
    """Mark every open group that holds an entity of one of its neighbours."""
    since = 0 if oldest == NOBODY else board.starts[board.first[oldest]]
    for at in range(board.starts[place], board.starts[place + 1]):
        entry = board.newest[board.near[at]]
        while entry >= since:
            group = board.label[board.owner[entry]]
            if group != NOBODY and board.shut[group] == 0:
                board.mark[group] = place
            entry = board.older[entry]


def find_open(board: Board, place: int, ends: Any) -> tuple[int, int]:
    """Find the first open group that is not marked, or begin one; and the open one before it."""
    before, group, tried = NOBODY, ends[0], 1
    while group != NOBODY and board.mark[group] == place:
        before, group, tried = group, board.after[group], tried + 1
    board.told[TRIED] += tried
    if group != NOBODY:
        return before, group
    group = ends[2]
    ends[2] += 1
    board.first[group], board.size[group], board.shut[group] = NOBODY, 0, 0
    board.after[group], board.mark[group] = NOBODY, NOBODY
    if before == NOBODY:
        ends[0] = group
    else:
        board.after[before] = group
    ends[1] = group
    return before, group


def join_group(board: Board, place: int, group: int) -> None:
    """Let an entity join a group."""
    board.label[place], board.follower[place] = group, NOBODY
    if board.first[group] == NOBODY:
        board.first[group] = place
    else:
        board.follower[board.last[group]] = place
    board.last[group] = place
    board.size[group] += 1


def remember_place(board: Board, place: int) -> None:
    """Tell all its neighbours that an entity was placed; later rounds only change its group."""
    for at in range(board.starts[place], board.starts[place + 1]):
        other = board.near[at]
        board.older[at] = board.newest[other]
        board.newest[other] = at


def close_group(board: Board, before: int, group: int, ends: Any) -> None:
    """Take a full group out of the open ones."""
    board.shut[group] = 1
    if before == NOBODY:
        ends[0] = board.after[group]
    else:
        board.after[before] = board.after[group]
    if ends[1] == group:
        ends[1] = before


def settle_round(board: Board, left: Any, size: int, groups: tuple[int, Any]) -> None:
    """Number the complete groups, open ones first; the members of the others are left."""
    opened, full = groups
    order = np.empty(len(board.label), np.int32)
    number, group = 0, opened
    while group != NOBODY:
        order[number] = group
        number, group = number + 1, board.after[group]
    for group in full:
        order[number] = group
        number += 1
    first, last, sizes = board.first.copy(), board.last.copy(), board.size.copy()
    complete = rest = 0
    for at in range(number):
        group = order[at]
        done = sizes[group] >= size
        place = first[group]
        while place != NOBODY:
            board.label[place] = complete if done else NOBODY
            if not done:
                left[rest] = place
                rest += 1
            place = board.follower[place]
        if done:
            board.first[complete], board.last[complete] = first[group], last[group]
            board.size[complete] = sizes[group]
            complete += 1
    board.told[GROUPS], board.told[LEFT] = complete, rest
