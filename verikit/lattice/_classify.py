"""Every node of the lattice, safe or unsafe, with as few counts as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Flags
from verikit.lattice._lattice import Lattice, Node
from verikit.lattice._search import Step
from verikit.lattice._tally import Tally
from verikit.table import Microdata, Missing, most_records
from verikit.words import count

__all__ = ["Classified", "classify"]

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
            _search_path(tally, _open_path(tally.lattice, state, node), allowed, state, trail)
    return Classified(tally.lattice, tally.k, allowed, state == SAFE, tuple(trail))


def _open_path(lattice: Lattice, state: npt.NDArray[np.int8], node: Node) -> list[Node]:
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
            trail.append(_settle(tally, node, allowed, state))
        low, high = (low, middle) if state[node] == SAFE else (middle + 1, high)


def _settle(tally: Tally, node: Node, allowed: int, state: npt.NDArray[np.int8]) -> Step:
    """Settle a node and all that follows from it."""
    below = tuple(slice(0, level + 1) for level in node)
    cut = tally.cut
    if (short := tally.half(True, node[:cut]).short) > allowed:
        state[below[:cut]] = UNSAFE
        return Step(node, "unsafe", None, _only(tally.lattice.names[:cut], short))
    if (short := tally.half(False, node[cut:]).short) > allowed:
        state[(slice(None),) * cut + below[cut:]] = UNSAFE
        return Step(node, "unsafe", None, _only(tally.lattice.names[cut:], short))
    short = tally.short(node)
    if short > allowed:
        state[below] = UNSAFE
        return Step(node, "unsafe", short)
    state[tuple(slice(level, None) for level in node)] = SAFE
    return Step(node, "safe", short)


def _only(names: tuple[str, ...], short: int) -> str:
    return f"{', '.join(names)} alone leave {count(short, 'record')} in classes too small"
