"""Searches through the lattice: Samarati, Datafly, Incognito, and a verdict on every node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import flag
from verikit.errors import InfeasibleError
from verikit.lattice._lattice import Lattice, Node, Tally
from verikit.partition import (
    Partition,
    Requirement,
    Requirements,
    describe_all,
    is_monotone,
    list_requirements,
)
from verikit.table import Microdata, Missing
from verikit.words import Said, count, joined


def samarati(
    data: Microdata,
    *,
    k: int | None = None,
    requirement: Requirements | None = None,
    suppression: float = 0.0,
    missing: Missing = "refuse",
) -> Search:
    """Find the least total generalization that reaches k, by halving the heights of the lattice.

    If a node is safe, so is each of its parents. Hence no height below is safe where one is not,
    and a binary search over the heights finds the lowest.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k, requirement
        The size that every class must reach, or what else it must meet: one
        `verikit.models.Requirement` or several.
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
        If k is more than there are records, or no node meets what is required; the message names
        the best that can be reached.

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
    tally = Tally(data, list_requirements(k, requirement), suppression, missing)
    trail: list[Step] = []
    low, high = 0, tally.lattice.height
    while low < high:
        middle = (low + high) // 2 if tally.prunes else low
        for node in tally.lattice.at(middle):
            trail.append(_count_node(tally, node))
            if trail[-1].verdict == "safe":
                high = middle
                break
        else:
            low = middle + 1
    seen = {step.node for step in trail}
    rest = [node for node in tally.lattice.at(low) if node not in seen]
    trail += [_count_node(tally, node) for node in rest]
    safe = {step.node for step in trail if step.verdict == "safe"}
    lowest = tuple(node for node in tally.lattice.at(low) if node in safe)
    chosen = find_cheapest(tally, lowest)
    return make_search("samarati", tally, chosen, trail, minimal=lowest)


def _count_node(tally: Tally, node: Node) -> Step:
    short = tally.count_short(node)
    return Step(node, "safe" if short <= tally.allowed else "unsafe", short)


def datafly(
    data: Microdata,
    *,
    k: int | None = None,
    requirement: Requirements | None = None,
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
    k, requirement
        The size that every class must reach, or what else it must meet: one
        `verikit.models.Requirement` or several.
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
        If k is more than there are records, or no node meets what is required; the message names
        the best that can be reached.

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
    tally = Tally(data, list_requirements(k, requirement), suppression, missing)
    node, trail = tally.lattice.bottom, []
    while (short := tally.count_short(node)) > tally.allowed:
        if node == tally.lattice.top:
            refuse_unsafe(tally.requirements, tally.allowed)
        place = _find_widest_column(tally, node)
        reason = f"{tally.lattice.names[place]} has the most values"
        trail.append(Step(node, "unsafe", short, reason))
        node = (*node[:place], node[place] + 1, *node[place + 1 :])
    trail.append(Step(node, "safe", short))
    suppressed = _choose_suppressed(tally, tally.labels(node), complementary)
    return make_search("datafly", tally, node, trail, suppressed=suppressed)


def _find_widest_column(tally: Tally, node: Node) -> int:
    """The place of the column with the most distinct values that can still be generalized."""
    heights = tally.lattice.heights
    sizes = [
        tally.column_codes(place, level).size if level < heights[place] else 0
        for place, level in enumerate(node)
    ]
    return sizes.index(max(sizes))


def _choose_suppressed(tally: Tally, labels: Rows, complementary: bool) -> Rows:
    failing, sizes = tally.asked.judge.find_failing(labels), np.bincount(labels)
    hidden = np.zeros(len(sizes), np.bool_)
    hidden[labels[failing]] = True
    last = int(hidden.sum())
    if complementary and last:
        order = np.lexsort((sizes, ~hidden))
        enough = int(np.searchsorted(np.cumsum(sizes[order]), tally.judge.k)) + 1
        hidden[order[: max(last, enough)]] = True
    return np.flatnonzero(hidden[labels])


Places = tuple[int, ...]


def incognito(
    data: Microdata,
    *,
    k: int | None = None,
    requirement: Requirements | None = None,
    suppression: float = 0.0,
    missing: Missing = "refuse",
) -> Search:
    """Find every safe node by growing sets of columns and climbing each set's lattice.

    Two properties save the counting. *Subset*: levels that are unsafe for some of the columns
    stay unsafe when columns join them. *Generalization*: the parents of a safe node are safe.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k, requirement
        The size that every class must reach, or what else it must meet: one
        `verikit.models.Requirement` or several.
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
        If k is more than there are records, or no node meets what is required; the message names
        the best that can be reached.

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
    tally = Tally(data, list_requirements(k, requirement), suppression, missing)
    every = tuple(range(len(tally.lattice.names)))
    safe: dict[Places, frozenset[Node]] = {(): frozenset({()})}
    trail: list[Step] = []
    for size in range(1 if tally.prunes else len(every), len(every) + 1):
        for places in combinations(every, size):
            steps = list(_climb_lattice(tally, places, safe))
            safe[places] = frozenset(
                step.node for step in steps if step.verdict == "safe" or step.reason == INFERRED
            )
            trail += steps
    minimal = tally.lattice.minimal(safe[every])
    nodes = tuple(sorted(safe[every], key=lambda node: (sum(node), node)))
    chosen = find_cheapest(tally, minimal)
    return make_search("incognito", tally, chosen, trail, minimal=minimal, safe=nodes)


INFERRED, EXCLUDED = "a child is safe", "unsafe for fewer columns"


def _climb_lattice(
    tally: Tally, places: Places, safe: dict[Places, frozenset[Node]]
) -> Iterator[Step]:
    """Visit the nodes over some of the columns, lowest first; the other columns stay at the top."""
    whole = tally.lattice
    part = Lattice(tuple(whole.names[p] for p in places), tuple(whole.heights[p] for p in places))
    marked: set[Node] = set()
    for node in part:
        if node in marked:
            step = Step(node, "pruned", None, INFERRED, part.names)
        elif (
            tally.prunes
            and not all(  # every set of one column less must be safe on these levels
                node[:out] + node[out + 1 :] in safe[places[:out] + places[out + 1 :]]
                for out in range(len(places))
            )
        ):
            yield Step(node, "pruned", None, EXCLUDED, part.names)
            continue
        else:
            levels = {**dict(enumerate(whole.top)), **dict(zip(places, node, strict=True))}
            short = tally.count_short(tuple(levels.values()))
            verdict: Verdict = "safe" if short <= tally.allowed else "unsafe"
            step = Step(node, verdict, short, "", part.names)
        if tally.prunes and step.verdict != "unsafe":
            marked.update(part.parents(node))
        yield step


UNKNOWN, SAFE, UNSAFE = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Classified:
    """Which nodes of a lattice are safe.

    Parameters
    ----------
    lattice, requirements, allowed
        What was asked for; `allowed` is the number of records that may be suppressed.
    verdicts
        True where a node is safe, with one axis a column: ``verdicts[node]``.
    trail
        The nodes whose classes were counted, in order.
    """

    lattice: Lattice
    requirements: tuple[Requirement, ...]
    allowed: int
    verdicts: Flags
    trail: tuple[Step, ...]

    def __post_init__(self) -> None:
        """Hold the verdicts read-only."""
        self.verdicts.setflags(write=False)

    def __repr__(self) -> str:
        return (
            f"Classified({int(self.verdicts.sum())} of {len(self.lattice)} nodes safe at "
            f"{describe_all(self.requirements)}, {len(self.trail)} counted)"
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
    data: Microdata,
    *,
    k: int | None = None,
    requirement: Requirements | None = None,
    suppression: float = 0.0,
    missing: Missing = "refuse",
) -> Classified:
    """Tell for every node of the lattice whether it is safe.

    Parameters
    ----------
    data
        The records; each quasi-identifier needs a hierarchy.
    k, requirement
        The size that every class must reach, or what else it must meet: one
        `verikit.models.Requirement` or several.
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
        If k is more than there are records, or no node meets what is required; the message names
        the best that can be reached.

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
    tally = Tally(data, list_requirements(k, requirement), suppression, missing)
    state = np.zeros(tally.lattice.shape, np.int8)
    trail: list[Step] = []
    for node in tally.lattice:
        while state[node] == UNKNOWN:
            path = _find_open_path(tally.lattice, state, node) if tally.prunes else [node]
            _search_path(tally, path, state, trail)
    if not (state == SAFE).any():
        refuse_unsafe(tally.requirements, tally.allowed)
    return Classified(tally.lattice, tally.requirements, tally.allowed, state == SAFE, tuple(trail))


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
    tally: Tally, path: list[Node], state: npt.NDArray[np.int8], trail: list[Step]
) -> None:
    low, high = 0, len(path)
    while low < high:
        middle = (low + high) // 2
        node = path[middle]
        if state[node] == UNKNOWN:
            trail.append(_settle_node(tally, node, state))
        low, high = (low, middle) if state[node] == SAFE else (middle + 1, high)


def _settle_node(tally: Tally, node: Node, state: npt.NDArray[np.int8]) -> Step:
    """Settle a node and all that follows from it."""
    if not tally.prunes:
        step = _count_node(tally, node)
        state[node] = SAFE if step.verdict == "safe" else UNSAFE
        return step
    below = tuple(slice(0, level + 1) for level in node)
    cut, allowed = tally.cut, tally.allowed
    if (short := tally.half_classes(True, node[:cut]).short) > allowed:
        state[below[:cut]] = UNSAFE
        return Step(node, "unsafe", None, _describe_short(tally.lattice.names[:cut], short))
    if (short := tally.half_classes(False, node[cut:]).short) > allowed:
        state[(slice(None),) * cut + below[cut:]] = UNSAFE
        return Step(node, "unsafe", None, _describe_short(tally.lattice.names[cut:], short))
    step = _count_node(tally, node)
    above = tuple(slice(level, None) for level in node)
    state[above if step.verdict == "safe" else below] = SAFE if step.verdict == "safe" else UNSAFE
    return step


def _describe_short(names: tuple[str, ...], short: int) -> str:
    return f"{', '.join(names)} alone leave {count(short, 'record')} in classes that fail"


Verdict: TypeAlias = Literal["safe", "unsafe", "pruned"]


VERDICTS = {"safe": "met", "unsafe": "missed", "pruned": "pruned"}


NOT_MONOTONE = (
    " A class that fails can spoil one that does not, where both are put together and some records "
    "may be left out; so no place was taken to be safe or unsafe because of another."
)


class Step(NamedTuple):
    """One node on the way of a search.

    ``verdict`` is ``safe`` or ``unsafe`` where records were counted, and ``pruned`` where the
    node was settled without counting; ``reason`` says by what. ``short`` is the number of records
    in classes that miss what is required, if counted.
    """

    node: Node
    verdict: Verdict
    short: int | None = None
    reason: str = ""
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Search(Plotted):
    """Chosen levels, what is suppressed there, and the trail of visited nodes.

    Parameters
    ----------
    algorithm, requirements, allowed
        What was asked for; `allowed` is the number of records that may be suppressed.
    levels
        The chosen level of each column; empty where intervals of values were chosen.
    partition
        The classes of the records there.
    suppressed
        The places of the records to suppress, ascending.
    trail
        The visited nodes in order.
    minimal, safe
        The safe nodes without a safe child, and all safe nodes, where the algorithm finds them.
    cuts
        For intervals of values instead of levels: the values that begin a new interval.
    """

    algorithm: str
    requirements: tuple[Requirement, ...]
    allowed: int
    levels: Mapping[str, int]
    partition: Partition
    suppressed: Rows
    trail: tuple[Step, ...]
    minimal: tuple[Node, ...] = ()
    safe: tuple[Node, ...] = ()
    cuts: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hold the places read-only."""
        places = np.array(self.suppressed, dtype=np.intp)
        places.setflags(write=False)
        object.__setattr__(self, "suppressed", places)

    def __repr__(self) -> str:
        chosen = self.levels or self.cuts
        return (
            f"Search({self.algorithm}, {describe_all(self.requirements)}: {chosen}, "
            f"{len(self.suppressed)} suppressed, {count(len(self.trail), 'step')})"
        )

    @property
    def k(self) -> int:
        """How many records each class holds at least, as far as that was asked for."""
        return max((one.parameters.get("k", 1) for one in self.requirements), default=1)

    @property
    def failing(self) -> str:
        """The classes that are not safe, in words."""
        if [one.model for one in self.requirements] == ["k_anonymity"]:
            return f"classes of fewer than {self.k}"
        return f"classes that miss {joined((one.words for one in self.requirements), 'or')}"

    @property
    def node(self) -> Node:
        """The chosen levels as a node of the lattice."""
        return tuple(self.levels.values())

    def told(self, steps: int | None = None) -> Said:
        """What the search found after so many of its steps; after all of them, what it chose."""
        if steps is None or steps == len(self.trail):
            counts = sum(step.short is not None for step in self.trail)
            spoils = "" if is_monotone(self.requirements, self.allowed) else NOT_MONOTONE
            return Said(
                f"Chosen: {describe_node(self.node, tuple(self.levels))}.",
                f"{count(len(self.partition), 'class', 'classes')} of records that look alike; "
                f"{len(self.suppressed) or 'none'} of {len(self.labels):,} records left out. The "
                f"search counted classes at {count(counts, 'place')}.{spoils}",
            )
        if not steps:
            return Said("Nothing has been looked at yet.")
        step = self.trail[steps - 1]
        names = step.columns or tuple(self.levels)
        alone = "" if len(names) == len(self.levels) else " alone"
        reason = f" Why: {step.reason}." if step.reason else ""
        why = f"No records were counted.{reason}"
        if step.short is not None:
            why = (
                f"{count(step.short, 'record')} in {self.failing}. "
                f"{self.allowed or 'None'} may be left out.{reason}"
            )
        return Said(f"{describe_node(step.node, names)}{alone}: {VERDICTS[step.verdict]}.", why)

    @property
    def labels(self) -> Rows:
        """The class of each record."""
        return self.partition.labels

    @property
    def cost(self) -> int:
        """The discernibility: each record costs the size of its class, a suppressed one all."""
        kept = np.delete(self.labels, self.suppressed)
        sizes = np.bincount(kept)
        return int((sizes * sizes).sum()) + len(self.labels) * len(self.suppressed)

    def take(self, rows: Rows) -> Search:
        """The same result for the records in another order."""
        hidden = np.zeros(len(self.labels), np.bool_)
        hidden[self.suppressed] = True
        places = np.flatnonzero(hidden[rows])
        return replace(self, partition=self.partition.take(rows), suppressed=places)

    def to_frame(self) -> pd.DataFrame:
        """The trail as a table, one line a step."""
        return pd.DataFrame(list(self.trail), columns=list(Step._fields))


def find_cheapest(tally: Tally, nodes: Iterable[Node]) -> Node:
    """The node of least discernibility; among equals the lowest, then the first."""
    found = min(nodes, key=lambda node: (tally.measure_cost(node), sum(node), node), default=None)
    return refuse_unsafe(tally.requirements, tally.allowed) if found is None else found


def refuse_unsafe(requirements: Sequence[Requirement], allowed: int) -> NoReturn:
    """Refuse what nothing that was looked at reaches."""
    raise InfeasibleError(
        f"Nothing that was looked at reaches {describe_all(requirements)}, even if "
        f"{count(allowed, 'record')} may be suppressed; ask for less, or allow more suppression."
    )


def make_search(
    algorithm: str, tally: Tally, node: Node, trail: Sequence[Step], **more: Any
) -> Search:
    """The result for a chosen node; what it suppresses is computed unless given in more."""
    labels = tally.labels(node)
    suppressed = more.pop("suppressed", None)
    if suppressed is None:
        suppressed = tally.asked.judge.find_failing(labels)
    levels = tally.lattice.levels(node)
    return Search(
        algorithm, tally.requirements, tally.allowed, levels, Partition(labels), suppressed,
        tuple(trail), **more,
    )  # fmt: skip


def describe_node(node: Node, names: Sequence[str]) -> str:
    """A node in words.

    Examples
    --------
    >>> describe_node((1, 0), ["Race", "Zip"])
    'Race level 1, Zip level 0'
    """
    return ", ".join(f"{name} level {level}" for name, level in zip(names, node, strict=True))
