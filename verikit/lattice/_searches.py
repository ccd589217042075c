"""Searches through the lattice: Samarati, Datafly, Incognito, and a verdict on every node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Flags, Rows
from verikit._support.requests import flag
from verikit.lattice._lattice import Lattice, Node, Tally
from verikit.lattice._result import Search, Step, find_cheapest, make_search
from verikit.table import Microdata, Missing, most_records
from verikit.words import count


def samarati(
    data: Microdata, *, k: int, suppression: float = 0.0, missing: Missing = "refuse"
) -> Search:
    """Find the least total generalization that reaches k, by halving the heights of the lattice.

    If a node is safe, so is each of its parents. Hence no height below is safe where one is not,
    and a binary search over the heights finds the lowest.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k
        The size that every class must reach.
    suppression
        The share of records that may be suppressed instead.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too.

    Returns
    -------
    Search
        The cheapest of the safe nodes at the lowest safe height; `minimal` holds all of these.

    Raises
    ------
    SchemaError
        If there is no record or quasi-identifier, or a hierarchy or value is missing.
    RecordError
        If k or the share is no sensible number.
    InfeasibleError
        If k is more than there are records.

    Notes
    -----
    The allowed suppression is a maximum: a node is safe if its classes of fewer than k hold no
    more records than that. The paper calls it a minimum.

    References
    ----------
    [KS]_ section 2.2, Figure 2

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("ks_table2_unmasked")
    >>> samarati(data, k=2).levels
    {'Race': 1, 'Zip': 1}
    >>> samarati(data, k=2, suppression=0.2).minimal
    ((0, 1), (1, 0))
    """
    tally = Tally(data, k, missing)
    allowed = most_records(suppression, len(data))
    trail: list[Step] = []
    low, high = 0, tally.lattice.height
    while low < high:
        middle = (low + high) // 2
        if _has_safe_node(tally, middle, allowed, trail):
            high = middle
        else:
            low = middle + 1
    seen = {step.node for step in trail}
    rest = [node for node in tally.lattice.at(low) if node not in seen]
    trail += [_count_node(tally, node, allowed) for node in rest]
    safe = {step.node for step in trail if step.verdict == "safe"}
    lowest = tuple(node for node in tally.lattice.at(low) if node in safe)
    chosen = find_cheapest(tally, lowest)
    return make_search("samarati", tally, allowed, chosen, trail, minimal=lowest)


def _has_safe_node(tally: Tally, height: int, allowed: int, trail: list[Step]) -> bool:
    for node in tally.lattice.at(height):
        trail.append(_count_node(tally, node, allowed))
        if trail[-1].verdict == "safe":
            return True
    return False


def _count_node(tally: Tally, node: Node, allowed: int) -> Step:
    short = tally.count_short(node)
    return Step(node, "safe" if short <= allowed else "unsafe", short)


def datafly(
    data: Microdata,
    *,
    k: int,
    suppression: float | None = None,
    complementary: bool = True,
    missing: Missing = "refuse",
) -> Search:
    """Climb from the bottom of the lattice, one greedy step at a time, until k is nearly met.

    Each step generalizes the column with the most distinct values. It is fast and simple, and
    often generalizes more than necessary.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k
        The size that every class must reach.
    suppression
        The share of records that may be suppressed. By default as many as k, as in the paper.
    complementary
        Whether to suppress the smallest further classes when fewer than k records, but at least
        one, are suppressed, so that the suppressed records also form a class of k.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too.

    Returns
    -------
    Search
        The levels reached, the suppressed records, and the climb as trail.

    Raises
    ------
    SchemaError
        If there is no record or quasi-identifier, or a hierarchy or value is missing.
    RecordError
        If k or the share is no sensible number.
    InfeasibleError
        If k is more than there are records.

    Notes
    -----
    The rule to stop reads: at most k records stand in classes of fewer than k. Columns with
    equally many values are generalized in their order in the table. Complementary suppression
    takes whole classes, the smallest first, so that it does not matter which records come first.

    References
    ----------
    [KS]_ section 2.1

    Examples
    --------
    One record stands out; two more are suppressed to hide it.

    >>> import verikit as vk
    >>> search = datafly(vk.load("ks_table2_unmasked"), k=2)
    >>> search.levels, len(search.suppressed)
    ({'Race': 1, 'Zip': 0}, 3)
    """
    flag(complementary, "complementary")
    tally = Tally(data, k, missing)
    allowed = tally.k if suppression is None else most_records(suppression, len(data))
    node, trail = tally.lattice.bottom, []
    while (short := tally.count_short(node)) > allowed:
        place = _find_widest_column(tally, node)
        reason = f"{tally.lattice.names[place]} has the most values"
        trail.append(Step(node, "unsafe", short, reason))
        node = (*node[:place], node[place] + 1, *node[place + 1 :])
    trail.append(Step(node, "safe", short))
    suppressed = _choose_suppressed(tally.labels(node), tally.k, complementary)
    return make_search("datafly", tally, allowed, node, trail, suppressed=suppressed)


def _find_widest_column(tally: Tally, node: Node) -> int:
    """The place of the column with the most distinct values that can still be generalized."""
    heights = tally.lattice.heights
    sizes = [
        tally.column_codes(place, level).size if level < heights[place] else 0
        for place, level in enumerate(node)
    ]
    return sizes.index(max(sizes))


def _choose_suppressed(labels: Rows, k: int, complementary: bool) -> Rows:
    sizes = np.bincount(labels)
    by_size = np.argsort(sizes, kind="stable")
    last = int((sizes < k).sum())
    if complementary and last:
        totals = np.cumsum(sizes[by_size])
        last = max(last, int(np.searchsorted(totals, k)) + 1)
    hidden = np.zeros(len(sizes), np.bool_)
    hidden[by_size[:last]] = True
    return np.flatnonzero(hidden[labels])


Places = tuple[int, ...]


def incognito(
    data: Microdata, *, k: int, suppression: float = 0.0, missing: Missing = "refuse"
) -> Search:
    """Find every safe node by growing sets of columns and climbing each set's lattice.

    Two properties save the counting. *Subset*: levels that are unsafe for some of the columns
    stay unsafe when columns join them. *Generalization*: the parents of a safe node are safe.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k
        The size that every class must reach.
    suppression
        The share of records that may be suppressed instead.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too.

    Returns
    -------
    Search
        All `safe` nodes, the `minimal` ones among them, and the cheapest of these as choice. Each
        step of the trail tells its `columns`.

    Raises
    ------
    SchemaError
        If there is no record or quasi-identifier, or a hierarchy or value is missing.
    RecordError
        If k or the share is no sensible number.
    InfeasibleError
        If k is more than there are records.

    Notes
    -----
    The number of column sets doubles with each column; `classify` finds the same nodes faster.

    References
    ----------
    [KS]_ section 2.4

    Examples
    --------
    >>> import verikit as vk
    >>> search = incognito(vk.load("ks_table2_unmasked"), k=2, suppression=0.2)
    >>> search.minimal
    ((0, 1), (1, 0))
    >>> len(search.safe), search.trail[0]
    (11, Step(node=(0,), verdict='safe', short=1, reason='', columns=('Race',)))
    """
    tally = Tally(data, k, missing)
    allowed = most_records(suppression, len(data))
    every = tuple(range(len(tally.lattice.names)))
    safe: dict[Places, frozenset[Node]] = {(): frozenset({()})}
    trail: list[Step] = []
    for size in range(1, len(every) + 1):
        for places in combinations(every, size):
            steps = list(_climb_lattice(tally, places, safe, allowed))
            safe[places] = frozenset(
                step.node for step in steps if step.verdict == "safe" or step.reason == INFERRED
            )
            trail += steps
    minimal = tally.lattice.minimal(safe[every])
    nodes = tuple(sorted(safe[every], key=lambda node: (sum(node), node)))
    chosen = find_cheapest(tally, minimal)
    return make_search("incognito", tally, allowed, chosen, trail, minimal=minimal, safe=nodes)


INFERRED, EXCLUDED = "a child is safe", "unsafe for fewer columns"


def _climb_lattice(
    tally: Tally, places: Places, safe: dict[Places, frozenset[Node]], allowed: int
) -> Iterator[Step]:
    """Visit the nodes over some of the columns, lowest first; the other columns stay at the top."""
    whole = tally.lattice
    part = Lattice(tuple(whole.names[p] for p in places), tuple(whole.heights[p] for p in places))
    marked: set[Node] = set()
    for node in part:
        if node in marked:
            step = Step(node, "pruned", None, INFERRED, part.names)
        elif not all(  # every set of one column less must be safe on these levels
            node[:out] + node[out + 1 :] in safe[places[:out] + places[out + 1 :]]
            for out in range(len(places))
        ):
            yield Step(node, "pruned", None, EXCLUDED, part.names)
            continue
        else:
            short = tally.count_short(_lift_node(node, places, whole.top))
            step = Step(node, "safe" if short <= allowed else "unsafe", short, "", part.names)
        if step.verdict != "unsafe":
            marked.update(part.parents(node))
        yield step


def _lift_node(node: Node, places: Places, top: Node) -> Node:
    levels = list(top)
    for place, level in zip(places, node, strict=True):
        levels[place] = level
    return tuple(levels)


UNKNOWN, SAFE, UNSAFE = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Classified:
    """Which nodes of a lattice are safe.

    Parameters
    ----------
    lattice, k, allowed
        What was asked for; `allowed` is the number of records that may be suppressed.
    verdicts
        True where a node is safe, with one axis a column: ``verdicts[node]``.
    trail
        The nodes whose classes were counted, in order.
    """

    lattice: Lattice
    k: int
    allowed: int
    verdicts: Flags
    trail: tuple[Step, ...]

    def __post_init__(self) -> None:
        """Hold the verdicts read-only."""
        self.verdicts.setflags(write=False)

    def __repr__(self) -> str:
        return (
            f"Classified({int(self.verdicts.sum())} of {len(self.lattice)} nodes safe at "
            f"k={self.k}, {len(self.trail)} counted)"
        )

    @property
    def safe(self) -> tuple[Node, ...]:
        """All safe nodes, lowest first."""
        nodes = [tuple(map(int, node)) for node in np.argwhere(self.verdicts)]
        return tuple(sorted(nodes, key=lambda node: (sum(node), node)))

    @property
    def minimal(self) -> tuple[Node, ...]:
        """The safe nodes without a safe child, lowest first."""
        return self.lattice.minimal(frozenset(self.safe))


def classify(
    data: Microdata, *, k: int, suppression: float = 0.0, missing: Missing = "refuse"
) -> Classified:
    """Tell for every node of the lattice whether it is safe.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k
        The size that every class must reach.
    suppression
        The share of records that may be suppressed instead.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too.

    Returns
    -------
    Classified
        The verdict on every node.

    Raises
    ------
    SchemaError
        If there is no record or quasi-identifier, or a hierarchy or value is missing.
    RecordError
        If k or the share is no sensible number.
    InfeasibleError
        If k is more than there are records.

    Notes
    -----
    A verdict on one node settles all nodes above a safe or below an unsafe one. From the lowest
    open node a path of open nodes leads upwards; a binary search finds where it becomes safe.
    Before a node is counted its two halves of the columns are: if one half alone is unsafe, every
    node with these levels there is.

    References
    ----------
    [KS]_ section 2.2 and 2.4

    Examples
    --------
    >>> import verikit as vk
    >>> table = classify(vk.load("ks_table2_unmasked"), k=2)
    >>> table.minimal, len(table.safe), len(table.lattice)
    (((1, 1),), 5, 12)
    """
    tally = Tally(data, k, missing)
    allowed = most_records(suppression, len(data))
    state = np.zeros(tally.lattice.shape, np.int8)
    trail: list[Step] = []
    for node in tally.lattice:
        while state[node] == UNKNOWN:
            _search_path(tally, _find_open_path(tally.lattice, state, node), allowed, state, trail)
    return Classified(tally.lattice, tally.k, allowed, state == SAFE, tuple(trail))


def _find_open_path(lattice: Lattice, state: npt.NDArray[np.int8], node: Node) -> list[Node]:
    """A path upwards through nodes that are not settled yet."""
    path = [node]
    while True:
        above = (parent for parent in lattice.parents(path[-1]) if state[parent] == UNKNOWN)
        following = next(above, None)
        if following is None:
            return path
        path.append(following)


def _search_path(
    tally: Tally, path: list[Node], allowed: int, state: npt.NDArray[np.int8], trail: list[Step]
) -> None:
    low, high = 0, len(path)
    while low < high:
        middle = (low + high) // 2
        node = path[middle]
        if state[node] == UNKNOWN:
            trail.append(_settle_node(tally, node, allowed, state))
        low, high = (low, middle) if state[node] == SAFE else (middle + 1, high)


def _settle_node(tally: Tally, node: Node, allowed: int, state: npt.NDArray[np.int8]) -> Step:
    """Settle a node and all that follows from it."""
    below = tuple(slice(0, level + 1) for level in node)
    cut = tally.cut
    if (short := tally.half_classes(True, node[:cut]).short) > allowed:
        state[below[:cut]] = UNSAFE
        return Step(node, "unsafe", None, _describe_short(tally.lattice.names[:cut], short))
    if (short := tally.half_classes(False, node[cut:]).short) > allowed:
        state[(slice(None),) * cut + below[cut:]] = UNSAFE
        return Step(node, "unsafe", None, _describe_short(tally.lattice.names[cut:], short))
    short = tally.count_short(node)
    if short > allowed:
        state[below] = UNSAFE
        return Step(node, "unsafe", short)
    state[tuple(slice(level, None) for level in node)] = SAFE
    return Step(node, "safe", short)


def _describe_short(names: tuple[str, ...], short: int) -> str:
    return f"{', '.join(names)} alone leave {count(short, 'record')} in classes too small"
