"""What a search through the lattice found, and the way it went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.plotted import Plotted
from verikit.lattice._lattice import Node, Tally
from verikit.partition import Partition
from verikit.words import Said, count

Verdict: TypeAlias = Literal["safe", "unsafe", "pruned"]


VERDICTS = {"safe": "k met", "unsafe": "k missed", "pruned": "pruned"}


class Step(NamedTuple):
    """One node on the way of a search.

    ``verdict`` is ``safe`` or ``unsafe`` where records were counted, and ``pruned`` where the
    node was settled without counting; ``reason`` says by what. ``short`` is the number of records
    in classes of fewer than k, if counted.
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
    algorithm, k, allowed
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
    k: int
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
            f"Search({self.algorithm}, k={self.k}: {chosen}, {len(self.suppressed)} suppressed, "
            f"{count(len(self.trail), 'step')})"
        )

    @property
    def node(self) -> Node:
        """The chosen levels as a node of the lattice."""
        return tuple(self.levels.values())

    def told(self, steps: int | None = None) -> Said:
        """What the search found after so many of its steps; after all of them, what it chose."""
        if steps is None or steps == len(self.trail):
            return self._describe_choice()
        if not steps:
            return Said("Nothing has been looked at yet.")
        step = self.trail[steps - 1]
        names = step.columns or tuple(self.levels)
        alone = "" if len(names) == len(self.levels) else " alone"
        reason = f" Why: {step.reason}." if step.reason else ""
        why = f"No records were counted.{reason}"
        if step.short is not None:
            why = (
                f"{count(step.short, 'record')} in classes of fewer than {self.k}. "
                f"{self.allowed or 'None'} may be left out.{reason}"
            )
        return Said(f"{describe_node(step.node, names)}{alone}: {VERDICTS[step.verdict]}.", why)

    def _describe_choice(self) -> Said:
        counts = sum(step.short is not None for step in self.trail)
        return Said(
            f"Chosen: {describe_node(self.node, tuple(self.levels))}.",
            f"{count(len(self.partition), 'class', 'classes')} of records that look alike; "
            f"{len(self.suppressed) or 'none'} of {len(self.labels):,} records left out. The "
            f"search counted classes at {count(counts, 'place')}.",
        )

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
    return min(nodes, key=lambda node: (tally.measure_cost(node), sum(node), node))


def make_search(
    algorithm: str, tally: Tally, allowed: int, node: Node, trail: Sequence[Step], **more: Any
) -> Search:
    """The result for a chosen node; what it suppresses is computed unless given in more."""
    labels = tally.labels(node)
    suppressed = more.pop("suppressed", find_small_classes(labels, tally.k))
    levels = tally.lattice.levels(node)
    return Search(
        algorithm, tally.k, allowed, levels, Partition(labels), suppressed, tuple(trail), **more
    )


def find_small_classes(labels: Rows, k: int) -> Rows:
    """The places of the records in classes of fewer than k."""
    return np.flatnonzero((np.bincount(labels) < k)[labels])


def describe_node(node: Node, names: Sequence[str]) -> str:
    """A node in words.

    Examples
    --------
    >>> describe_node((1, 0), ["Race", "Zip"])
    'Race level 1, Zip level 0'
    """
    return ", ".join(f"{name} level {level}" for name, level in zip(names, node, strict=True))
