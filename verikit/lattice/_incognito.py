"""Incognito: all safe nodes, breadth first, from single columns to all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from verikit.lattice._lattice import Lattice, Node
from verikit.lattice._search import Search, Step, cheapest, found
from verikit.lattice._tally import Tally
from verikit.table import Microdata, Missing, most_records

__all__ = ["incognito"]

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
            steps = list(_climb(tally, places, safe, allowed))
            safe[places] = frozenset(step.node for step in steps if _is_safe(step))
            trail += steps
    minimal = tally.lattice.minimal(safe[every])
    nodes = tuple(sorted(safe[every], key=lambda node: (sum(node), node)))
    chosen = cheapest(tally, minimal)
    return found("incognito", tally, allowed, chosen, trail, minimal=minimal, safe=nodes)


INFERRED, EXCLUDED = "a child is safe", "unsafe for fewer columns"


def _is_safe(step: Step) -> bool:
    return step.verdict == "safe" or step.reason == INFERRED


def _climb(
    tally: Tally, places: Places, safe: dict[Places, frozenset[Node]], allowed: int
) -> Iterator[Step]:
    """Visit the nodes over some of the columns, lowest first; the other columns stay at the top."""
    whole = tally.lattice
    part = Lattice(tuple(whole.names[p] for p in places), tuple(whole.heights[p] for p in places))
    marked: set[Node] = set()
    for node in part:
        if node in marked:
            step = Step(node, "pruned", None, INFERRED, part.names)
        elif not _parts_safe(node, places, safe):
            yield Step(node, "pruned", None, EXCLUDED, part.names)
            continue
        else:
            short = tally.short(_lifted(node, places, whole.top))
            step = Step(node, "safe" if short <= allowed else "unsafe", short, "", part.names)
        if step.verdict != "unsafe":
            marked.update(part.parents(node))
        yield step


def _parts_safe(node: Node, places: Places, safe: dict[Places, frozenset[Node]]) -> bool:
    """Whether every set of one column less is safe on these levels."""
    return all(
        node[:out] + node[out + 1 :] in safe[places[:out] + places[out + 1 :]]
        for out in range(len(places))
    )


def _lifted(node: Node, places: Places, top: Node) -> Node:
    levels = list(top)
    for place, level in zip(places, node, strict=True):
        levels[place] = level
    return tuple(levels)
