"""The search for safe groups of large graphs: the same groups as in plain steps, compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.compiled import compiled
from verikit.table import Neighbours

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
    board = _set_up_board(near, places, tries)
    left = np.arange(len(places), dtype=np.int32)
    residue = int(search_rounds(board, left, size, room))
    labels = np.empty(len(places), np.intp)
    labels[places] = board.label
    return Found(labels, residue, places[left[: board.told[LEFT]]])


def _set_up_board(near: Neighbours, places: Rows, tries: int) -> Board:
    """The board before the first round."""
    degrees = np.diff(near.starts)[places]
    starts = np.r_[0, np.cumsum(degrees)]
    owner = np.repeat(np.arange(len(places), dtype=np.int32), degrees)
    shift = np.repeat(near.starts[places] - starts[:-1], degrees)
    others = near.places[shift + np.arange(len(shift))].astype(np.int32)
    newest = np.full(int(others.max(initial=-1)) + 1, NOBODY, np.int32)
    by_entity = [np.full(len(places), NOBODY, np.int32) for _ in range(8)]
    told = np.array([0, len(places), 0, tries])
    older = np.empty_like(others)
    return Board._make([starts, others, owner, newest, older, *by_entity, told])


@compiled(large=0)
def search_rounds(board: Board, left: Any, size: int, room: int) -> int:
    """Round after round, until nobody is left or a round places nobody; gives the residue."""
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
        before, group = first_open(board, place, ends)
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


def first_open(board: Board, place: int, ends: Any) -> tuple[int, int]:
    """The first open group that is not marked, or a new one; and the open one before it."""
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
    """An entity joins a group."""
    board.label[place], board.follower[place] = group, NOBODY
    if board.first[group] == NOBODY:
        board.first[group] = place
    else:
        board.follower[board.last[group]] = place
    board.last[group] = place
    board.size[group] += 1


def remember_place(board: Board, place: int) -> None:
    """All its neighbours learn that an entity was placed; later rounds only change its group."""
    for at in range(board.starts[place], board.starts[place + 1]):
        other = board.near[at]
        board.older[at] = board.newest[other]
        board.newest[other] = at


def close_group(board: Board, before: int, group: int, ends: Any) -> None:
    """A group is full, and taken out of the open ones."""
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
