"""Bound an aggregate over all ways to link values to people: an assignment problem by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Floats, Rows
from verikit.query._counting import Counting, Options, sort_rows

MAX_LINKS = 20_000  # between rows and kinds of people that are tried
ROUNDS = 100


class Links(NamedTuple):
    """All links between rows and kinds of people: the least value that may be meant, or none.

    No value is meant is infinite; ``free`` tells whether the row may also not be meant.
    """

    equal: tuple[Any, Floats]
    least: Floats
    most: Floats
    free: Flags

    def negate(self) -> Links:
        """Negate all values, so that every greatest is a least."""
        return self._replace(least=-self.most, most=-self.least)

    def solve(self, costs: Floats) -> tuple[float, Flags]:
        """Find the links with the least costs, those that are not meant costing nothing."""
        from scipy.optimize import linprog

        cheapest = np.where(self.free, np.minimum(costs, 0.0), costs)
        found = linprog(cheapest, A_eq=self.equal[0], b_eq=self.equal[1], method="highs-ds")
        taken = found.x > 0.5
        return float(cheapest[taken].sum()), taken & (~self.free | (costs < 0))

    def find_least_sum(self) -> float:
        """Find the least sum."""
        return self.solve(np.where(np.isfinite(self.least), self.least, 0.0))[0]

    def find_least_average(self) -> float:
        """Find the least average: that below which no links get (Dinkelbach)."""
        meant = np.isfinite(self.least)
        values = np.where(meant, self.least, 0.0)
        found = float(values.max()) + 1.0
        for _ in range(ROUNDS):
            cost, taken = self.solve(np.where(meant, values - found, 0.0))
            taken &= meant
            if cost >= -1e-9 * max(1.0, abs(found)) or not taken.any():
                break
            found = float(values[taken].mean())
        return found

    def find_least_minimum(self) -> float:
        """Find the smallest value that may be meant."""
        return float(self.least.min())

    def find_least_maximum(self) -> float:
        """Find the smallest that the largest value can be, by halving."""
        meant = np.isfinite(self.least)
        levels = np.unique(self.least[meant])
        first, last = 0, len(levels) - 1
        while first < last:
            middle = (first + last) // 2
            below = np.where(self.least <= levels[middle], -1.0, len(meant) + 1.0)
            if self.solve(np.where(meant, below, 0.0))[0] < -0.5:
                last = middle
            else:
                first = middle + 1
        return float(levels[first])


def list_links(counting: Counting, name: str, options: Options) -> Links | None:
    """List the links of the rows of a column's part to kinds of people.

    None where more than one other part is asked, its cells are open, or the links are too many.
    """
    blocks = counting.blocks
    part = blocks.parts[blocks.home[name]]
    rests = tuple(dict.fromkeys(one.rests[0] for one in options.places))
    asked = [rest for rest in rests if not isinstance(rest, bool)]
    homes = {place for rest in asked for place in blocks.find_homes(rest)}
    second = blocks.parts[min(homes)] if homes else None
    if len(homes) > 1 or (second is not None and not all(map(second.is_clear, asked))):
        return None
    kinds: list[tuple[Any, Any]] = [(tuple(rest is True for rest in rests), blocks.sizes)]
    if second is not None:
        places = sort_rows(second, rests)
        kinds = [(one.rests, second.count_rows(one.rows.surely)) for one in places]
    most = np.maximum(part.rows, blocks.sizes if second is None else second.rows)
    kinds.append(((False,) * len(rests), most - sum(count for _, count in kinds)))
    labels, rows = part.blocks_of_rows(), np.arange(len(part))
    nobody = np.repeat(np.arange(part.groups), most - part.rows)  # rows that only make numbers even
    labels, rows = np.append(labels, nobody), np.append(rows, np.full(len(nobody), -1))
    pairs = [(at, np.flatnonzero(count[labels] > 0)) for at, (_, count) in enumerate(kinds)]
    if sum(len(own) for _, own in pairs) > MAX_LINKS:
        return None
    kind = np.concatenate([np.full(len(own), at) for at, own in pairs])
    link = np.concatenate([own for _, own in pairs])
    least, most_, free = _offer_values(
        counting, name, options, [met for met, _ in kinds], kind, rows[link]
    )
    if not (np.isfinite(least) | np.isposinf(least)).all() or np.isposinf(most_).any():
        return None
    demands = labels[link] * len(kinds) + kind
    sides = np.append(np.ones(len(rows)), np.column_stack([count for _, count in kinds]).ravel())
    return Links((_make_equal(link, demands, len(rows), len(sides)), sides), least, most_, free)


def _make_equal(link: Rows, demands: Rows, rows: int, sides: int) -> Any:
    from scipy.sparse import csr_matrix

    places = np.append(link, rows + demands), np.tile(np.arange(len(link)), 2)
    return csr_matrix((np.ones(2 * len(link)), places), shape=(sides, len(link)))


def _offer_values(
    counting: Counting, name: str, options: Options, kinds: list[Any], kind: Rows, row: Rows
) -> tuple[Floats, Floats, Flags]:
    """Find for each link what is meant at least and at most, and whether it may not be meant."""
    part = counting.blocks.parts[counting.blocks.home[name]]
    coded = part.columns[name]
    codes = part.columns.codes(name)[row]
    rests = list(dict.fromkeys(one.rests[0] for one in options.places))
    least, most = np.full(len(row), np.inf), np.full(len(row), -np.inf)
    nowhere, free = row >= 0, row < 0
    for one in options.places:
        ends = coded.ends()
        low, high = (ends.low[codes], ends.high[codes]) if one.ends is None else (
            one.ends.low[row], one.ends.high[row]
        )  # fmt: skip
        at = rests.index(one.rests[0])
        met = np.array([holds[at] for holds in kinds])[kind] & ~np.isnan(low)
        may = one.rows.perhaps[row] & (row >= 0)
        nowhere &= ~may
        free |= may & ~met
        least = np.where(may & met, np.minimum(least, low), least)
        most = np.where(may & met, np.maximum(most, high), most)
    return least, most, free | nowhere
