"""Combine a release with what the attacker knows of people or values beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from math import comb, factorial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit.cells import cell_text
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.intruder._disclosure import Disclosure, Sight, make_disclosure, see_holdings
from verikit.matching import Holdings, People, Table, find_people_rows
from verikit.words import EVEN_VALUES, share


def background_knowledge(
    release: Table,
    people: People | None = None,
    *,
    value: object = None,
    ruled_out: Collection[object] | None = None,
    sensitive: str | None = None,
) -> Disclosure:
    """Combine a release with one more piece of knowledge about the people in it.

    With ``value`` the attacker knows that somebody has it, and asks who: a colleague was caught
    for it, and only one record shows it. With ``ruled_out`` he knows values that his targets
    cannot have, and asks what is left.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the people he knows, a table of them or one record; None asks
        which class, not who.
    value
        A value that exactly one of these people has.
    ruled_out
        Values that none of these people has.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        With ``value``: the classes or people who may have it, and how likely each is the one.
        With ``ruled_out``: for each class or person the most frequent value that is left, and its
        share of what is left; ``before`` is its share with nothing ruled out, and ``left`` names
        all values that are left, each with its records, the most frequent first.

    Raises
    ------
    SchemaError, RecordError
        If the table cannot be measured, the people cannot be used, a value does not occur, not
        exactly one piece of knowledge is given, or no way to give these people records leaves the
        value with exactly one of them.
    InfeasibleError
        If people fit records in too many different ways to count them all.

    References
    ----------
    [KS]_ section 3.5, Table 4

    Notes
    -----
    Each of the people has a record of her own among those that she fits, and every way to give them
    their records is equally likely. The chance that it is she is her share of the ways in which
    exactly one of them has the value: people of one class draw without replacement. Counted in one
    pass where people fit the same records or none in common; where they overlap, kind by kind.

    Examples
    --------
    A colleague was caught for indecency. Three colleagues could be in the table:

    >>> import pandas as pd
    >>> import verikit as vk
    >>> colleagues = pd.DataFrame({"Name": ["Jack", "Jill", "Jim"], "Zip": [36363, 20001, 19552]})
    >>> background_knowledge(vk.published("ks_table4"), colleagues, value="Indecency")
    background knowledge: 1 of 3 people known can be the one with Crime Indecency, most likely Name
    Jack, Zip 36363, in 100 of 100 cases, if within a group each value is equally likely for
    everyone.
    """
    if (value is None) == (ruled_out is None):
        raise RecordError(
            "Give one piece of background knowledge: value='...', which one of the people has, or "
            "ruled_out=['...'], which none of them has."
        )
    view = see_holdings(release, people, sensitive)
    if ruled_out is not None:
        return _what_is_left(view, view.holdings.places(ruled_out, "ruled_out"))
    return _who_it_is(view, value, release, people)


def _who_it_is(view: Sight, given: object, release: Table, people: People | None) -> Disclosure:
    holdings = view.holdings
    place = holdings.places([given], "value")
    (value,), (shown,) = holdings.named(place), holdings.shown(place)
    pairs = np.flatnonzero(holdings.place == place[0])
    owner, count = holdings.owner[pairs], holdings.count[pairs]
    if people is None:
        sizes = holdings.classes.sizes[owner]
        confidence, before = count / max(count.sum(), 1), sizes / holdings.total
    else:
        alone = _find_chances_alone(value, holdings.column.name, people, release)
        owner = np.flatnonzero(alone)
        confidence, before = alone[owner], np.full(len(owner), 1 / view.total)
    found = {
        "owner": owner,
        "value": np.full(len(owner), shown, dtype=object),
        "confidence": confidence,
        "before": before,
    }

    def describe(whom: str, frame: pd.DataFrame) -> str:
        said = f"{whom} can be the one with {holdings.column.name} {shown}"
        if len(frame):
            cases = share(frame["confidence"].iloc[0])
            said += f", most likely {view.whom(frame, 0)}, in {cases} cases, {EVEN_VALUES}"
        return f"{said}."

    return make_disclosure("background knowledge", view, found, describe)


def _find_chances_alone(value: str, column: str, people: People, release: Any) -> Floats:
    """Find how likely each person who fits a record is the only one who has the value."""
    codes, values = pd.factorize(release.frame[column])
    has = np.isin(codes, [at for at, one in enumerate(values) if cell_text(one) == value])
    owner, rows = find_people_rows(people, release)
    if not len(rows):
        return np.zeros(0)
    found = chance_to_be_the_only_one(owner, rows, has) if has[rows].any() else None
    if found is None:
        beside = " One that is missing may be it, which cannot be weighed."
        raise RecordError(
            f"value was given as {quoted(value)}, which exactly one of these people has in "
            f"{quoted(column)}, but there is no way to give each a record of her own so that just "
            "one has it; leave out whoever is not in the table, or who has it too."
            f"{beside if (codes < 0).any() else ''}",
            field="value",
            value=value,
        )
    return found


def _what_is_left(view: Sight, ruled_out: Rows) -> Disclosure:
    holdings = view.holdings
    left = np.where(np.isin(holdings.place, ruled_out), 0, holdings.count)
    rest = np.bincount(holdings.owner, left, minlength=len(holdings.classes))
    best = np.lexsort((holdings.place, -left, holdings.owner))[holdings.starts]
    kept = best[(left[best] > 0) & holdings.known[best]]
    owner, place = holdings.owner[kept], holdings.place[kept]
    found = {
        "owner": owner,
        "value": np.array(holdings.shown(place), dtype=object),
        "confidence": left[kept] / rest[owner],
        "before": holdings.count[kept] / holdings.classes.sizes[owner],
        "left": _all_left(holdings, left)[owner],
    }

    def describe(whom: str, frame: pd.DataFrame) -> str:
        sure = frame["confidence"] == 1
        said = f"{int(sure.sum()):,} of the {len(frame):,} lines leave one value, for {whom}"
        if len(frame):
            cases = share(frame["confidence"].iloc[0])
            surest = f"{frame['value'].iloc[0]} for {view.whom(frame, 0)}"
            said += f"; surest {surest}, in {cases} cases, {EVEN_VALUES}"
        return f"{said}."

    return make_disclosure("background knowledge", view, found, describe)


def _all_left(holdings: Holdings, left: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Find for each class the values that are left and how often it holds them, in words."""
    order = np.lexsort((holdings.place, -left, holdings.owner))
    pairs = order[left[order] > 0]
    names = holdings.shown(holdings.place[pairs])
    told = [f"{n} {name}" for n, name in zip(left[pairs].tolist(), names, strict=True)]
    owner = holdings.owner[pairs]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    found = np.full(len(holdings.classes), "", dtype=object)
    found[owner[starts]] = [
        ", ".join(told[start:end]) for start, end in pairwise([*starts.tolist(), len(told)])
    ]
    return found


Kinds: TypeAlias = tuple[int, ...]
MAX_STEPS = 50_000


class Counted(NamedTuple):
    """The ways of people who share records: with nobody, and with one of a kind only, having it."""

    kinds: list[int]
    nobody: int
    alone: list[int]


def chance_to_be_the_only_one(owner: Ints, rows: Ints, has: Flags) -> Floats | None:
    """Find how likely each person is the only one whose row has a value; None if there is no way.

    Every way to give all people a row each, of those they fit, is equally likely. ``owner`` and
    ``rows`` are the pairs of person and row that fit, sorted by person; ``has`` tells of each row
    whether it has the value.

    Notes
    -----
    People who fit the same rows are of one kind. Kinds without a row in common are independent: of
    k people who fit the same n rows, c of them with the value, one is the only one at odds of
    c / (n - c - k + 1). Where kinds share rows, the ways are counted kind by kind.

    Examples
    --------
    Two people share two rows, one of them with the value; somebody else fits two others.

    >>> owner, rows = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 2, 3])
    >>> chance_to_be_the_only_one(owner, rows, np.array([True, False, True, False])).tolist()
    [0.5, 0.5, 0.0]
    """
    starts = [*np.flatnonzero(np.diff(owner, prepend=-1)).tolist(), len(owner)]
    parts = [np.sort(rows[a:b]) for a, b in pairwise(starts)]
    numbers: dict[bytes, int] = {}  # people who fit the same rows are of one kind
    kind = np.array([numbers.setdefault(part.tobytes(), len(numbers)) for part in parts])
    fits = [np.frombuffer(part, rows.dtype) for part in numbers]
    people = np.bincount(kind).tolist()
    counted = [_count_group(group, people, fits, has) for group in _group_kinds(fits, len(has))]
    bound = [part for part in counted if not part.nobody]  # one of these people has it for certain
    if len(bound) > 1 or (bound and not any(bound[0].alone)):
        return None
    odds = np.zeros(len(fits))
    for part in bound or counted:
        odds[part.kinds] = [ways / (part.nobody or 1) for ways in part.alone]
    ways = float(odds @ people)
    return np.asarray((odds / ways)[kind]) if ways else None


def _group_kinds(fits: Sequence[Ints], size: int) -> Iterator[list[int]]:
    """Find the kinds in groups that have no row in common."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    kinds = np.repeat(np.arange(len(fits)), [len(part) for part in fits])
    shape = (len(fits) + size,) * 2
    pairs = kinds, len(fits) + np.concatenate(fits)
    graph = coo_array((np.ones(len(kinds), bool), pairs), shape=shape)
    labels = connected_components(graph, directed=False)[1][: len(fits)]
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order], append=-1)) + 1
    for start, end in pairwise([0, *ends.tolist()]):
        yield order[start:end].tolist()


def _count_group(
    kinds: list[int], people: Sequence[int], fits: Sequence[Ints], has: Flags
) -> Counted:
    counts = [people[kind] for kind in kinds]
    values = [int(has[fits[kind]].sum()) for kind in kinds]
    if len(kinds) == 1:
        others = len(fits[kinds[0]]) - values[0] - counts[0] + 1
        return Counted(kinds, max(others, 0), [values[0] if others >= 0 else 0])
    shared: dict[int, list[int]] = {}
    for at, kind in enumerate(kinds):
        for row in fits[kind][~has[fits[kind]]].tolist():
            shared.setdefault(row, []).append(at)
    rooms = Counter(map(tuple, shared.values()))
    less = [[count - (at == own) for at, count in enumerate(counts)] for own in range(len(kinds))]
    alone = [
        value * _count_ways(part, rooms) if value else 0
        for value, part in zip(values, less, strict=True)
    ]
    return Counted(kinds, _count_ways(counts, rooms), alone)


def _count_ways(counts: Sequence[int], rooms: Counter[Kinds]) -> int:
    """In how many ways people of some kinds take a row each; ``rooms``: the rows by who fits."""
    open_to, sizes = list(rooms), tuple(rooms.values())
    states, steps = {sizes: 1}, 0
    for kind, count in enumerate(counts):
        mine = [at for at, kinds in enumerate(open_to) if kind in kinds]
        closed = [at for at in mine if max(open_to[at]) == kind]
        found: Counter[Kinds] = Counter()
        for state, ways in states.items():
            for taken in _split_people(count, [state[at] for at in mine]):
                left, new = list(state), ways * factorial(count)
                for at, number in zip(mine, taken, strict=True):
                    new *= comb(state[at], number)
                    left[at] -= number
                for at in closed:  # nobody else can take what is left
                    left[at] = 0
                found[tuple(left)] += new
                steps += 1
                if steps > MAX_STEPS:
                    raise InfeasibleError(
                        "These people fit records in too many different ways to count them all; "
                        "give fewer people, or know the same columns of each."
                    )
        states = found
    return sum(states.values())


def _split_people(count: int, rooms: Sequence[int]) -> Iterator[Kinds]:
    """Find the ways to divide a number of people among rooms."""
    if not rooms:
        if not count:
            yield ()
        return
    least = max(0, count - sum(rooms[1:]))
    for number in range(least, min(count, rooms[0]) + 1):
        for rest in _split_people(count - number, rooms[1:]):
            yield (number, *rest)
