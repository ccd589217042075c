"""k-Optimize: the cheapest generalization, by branch and bound over sets of cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from verikit import table
from verikit._support.arrays import Floats
from verikit._support.requests import flag, one_of
from verikit.errors import InfeasibleError, SchemaError
from verikit.lattice._lattice import (
    Asked,
    Coded,
    Node,
    Tally,
    combine_codes,
    discernibility,
    number_densely,
    read_asked,
    reduce_rows,
)
from verikit.lattice._searches import Search, Step, Verdict, make_search, refuse_unsafe
from verikit.partition import Partition, Requirements, list_requirements, value_codes
from verikit.table import Microdata, Missing

Chosen: TypeAlias = tuple[int, ...]


class LevelCuts:
    """A cut lowers one column by one level; it needs the cut above it."""

    def __init__(self, tally: Tally) -> None:
        self.tally, self.asked, self.judge, self.weights = (
            tally, tally.asked, tally.judge, tally.weights
        )  # fmt: skip
        self.columns = np.repeat(np.arange(len(tally.lattice.heights)), tally.lattice.heights)
        self.needs: Sequence[int | None] = [
            place - 1 if place and column == self.columns[place - 1] else None
            for place, column in enumerate(self.columns)
        ]

    def node(self, chosen: Chosen) -> Node:
        """Name the chosen cuts as a step of the trail does."""
        lowered = np.bincount(self.columns[list(chosen)], minlength=len(self.tally.lattice.heights))
        return tuple((np.array(self.tally.lattice.top) - lowered).tolist())

    def classes(self, chosen: Sequence[int]) -> Coded:
        """Find the class of each distinct combination of values under the chosen cuts."""
        return self.tally.classes(self.node(tuple(chosen)))


class ValueCuts:
    """A cut begins a new interval at one value of one column."""

    def __init__(self, data: Microdata, asked: Asked) -> None:
        self.asked = asked
        self.names = [column.name for column in data.schema.quasi]
        if not self.names:
            raise SchemaError(
                "The table has no quasi-identifier, so there is nothing to cut; declare at least "
                "one column 'quasi'."
            )
        columns = [value_codes(data, name) for name in self.names]
        codings = [Coded(column.codes, len(column.values)) for column in columns]
        whole, keys, first, self.judge = reduce_rows(codings, asked.judge)
        self.spread = np.searchsorted(keys, whole)
        self.weights = cast("Floats", self.judge.weights)
        self.values = [column.values for column in columns]
        self._codes = [column.codes[first] for column in columns]
        self.places = [(c, v) for c, known in enumerate(self.values) for v in range(1, len(known))]
        self.needs: Sequence[int | None] = [None] * len(self.places)

    def node(self, chosen: Chosen) -> Node:
        """Name the chosen cuts as a step of the trail does."""
        return tuple(cut + 1 for cut in chosen)

    def classes(self, chosen: Sequence[int]) -> Coded:
        """Find the class of each distinct combination of values under the chosen cuts."""
        begins = [np.zeros(len(known), np.intp) for known in self.values]
        for cut in chosen:
            column, value = self.places[cut]
            begins[column][value] = 1
        intervals = [np.cumsum(marks) for marks in begins]
        parts = [
            Coded(interval[codes], int(interval[-1]) + 1)
            for interval, codes in zip(intervals, self._codes, strict=True)
        ]
        return number_densely(combine_codes(parts, len(self.weights)))

    def values_by_column(self, chosen: Chosen) -> dict[str, tuple[Any, ...]]:
        """The values that begin an interval, by column."""
        cuts = [self.places[cut] for cut in chosen]
        return {
            name: tuple(self.values[place][value] for column, value in cuts if column == place)
            for place, name in enumerate(self.names)
        }


Cuts: TypeAlias = LevelCuts | ValueCuts  # numbered from 0 in a fixed order

MAX_SETS = 200_000


def k_optimize(
    data: Microdata,
    *,
    k: int | None = None,
    requirement: Requirements | None = None,
    suppression: float = 0.0,
    cuts: Literal["levels", "values"] = "levels",
    pruning: bool = True,
    missing: Missing = "refuse",
) -> Search:
    """Find the generalization of least discernibility among all sets of cuts.

    The search starts with one class of all records and adds cuts in a fixed order, so that each
    set is reached on one path only. A branch ends where even its finest set cannot be cheaper
    than the best found so far, or where too many records would have to be suppressed.

    Parameters
    ----------
    data
        The records.
    k, requirement
        The size that every class must reach, or what else it must meet: one
        `verikit.models.Requirement` or several.
    suppression
        The share of records that may be suppressed; each counts as much as the whole table. With
        1 the cost alone decides.
    cuts
        ``"levels"``: a cut lowers a column by one level of its hierarchy, so that the sets are
        the nodes of the lattice. ``"values"``: a cut begins a new interval in the order of a
        column's values, as in the paper; no hierarchy is needed, but only few values can be
        searched through.
    pruning
        Whether to end branches by the bound on their cost; the result is the same without.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value that the root covers too, or
        as the last in order.

    Returns
    -------
    Search
        The levels or the cuts of least cost. Steps of the trail name nodes of the lattice, or
        sets of cuts numbered from 1; of a pruned branch they name the first set.

    Raises
    ------
    SchemaError
        If there is no record or quasi-identifier, or a hierarchy or value is missing.
    RecordError
        If k, the share or the kind of cuts is not understood.
    InfeasibleError
        If k is more than there are records, no set of cuts meets what is required, or they are too
        many to search through.

    Notes
    -----
    Of k-anonymity, distinct diversity and (k,e)-anonymity, and of all models where nothing may be
    suppressed, sets below an unsafe one are unsafe; of the others only the cost ends a branch. A
    suppressed record stays suppressed under further cuts, and a class never grows. A record
    will thus cost at least the size of its class under all cuts of the branch, and at least k. A
    cut whose own branch is bounded out is taken from the whole branch, which tightens the bound
    for its siblings. The paper breaks off where it describes the numbering of the cuts; the
    least value of a column begins an interval without being counted.

    References
    ----------
    [KS]_ section 2.3

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("ks_table2_unmasked")
    >>> search = k_optimize(data, k=2, suppression=0.2)
    >>> search.levels, search.cost
    ({'Race': 0, 'Zip': 1}, 13)
    >>> k_optimize(data, k=2, cuts="values").cuts
    {'Race': ('Black',), 'Zip': ()}
    """
    one_of(cuts, "cuts", ("levels", "values"))
    flag(pruning, "pruning")
    requirements = list_requirements(k, requirement)
    if cuts == "levels":
        by_level = LevelCuts(tally := Tally(data, requirements, suppression, missing))
        best, trail = _enumerate_sets(by_level, len(data), pruning=pruning)
        return make_search("k_optimize", tally, by_level.node(best), trail)
    table.require_table(data, "k_optimize")
    by_value = ValueCuts(data, asked := read_asked(data, requirements, suppression, missing))
    best, trail = _enumerate_sets(by_value, len(data), pruning=pruning)
    labels = by_value.classes(best).codes[by_value.spread]
    return Search(
        "k_optimize", asked.judge.requirements, asked.allowed, {}, Partition(labels),
        asked.judge.find_failing(labels), tuple(trail), cuts=by_value.values_by_column(best),
    )  # fmt: skip


def _enumerate_sets(cuts: Cuts, records: int, *, pruning: bool) -> tuple[Chosen, list[Step]]:
    """Search by branch and bound, depth first; give the best set and the trail."""
    _, allowed, monotone = cuts.asked
    best: tuple[float, int, Chosen] = (np.inf, 0, ())
    trail: list[Step] = []
    branches: list[tuple[Chosen, Chosen]] = [((), tuple(range(len(cuts.needs))))]
    while branches:
        chosen, rest = branches.pop()
        if len(trail) > MAX_SETS:
            raise InfeasibleError(
                f"{len(cuts.needs)} cuts leave too many sets to search: {MAX_SETS} were visited. "
                "Use levels or fewer values, raise k, or allow less suppression."
            )
        sizes, met = cuts.judge.judge(*cuts.classes(chosen))
        short = int(sizes[~met].sum())
        verdict: Verdict = "safe" if short <= allowed else "unsafe"
        trail.append(Step(cuts.node(chosen), verdict, short))
        if verdict == "safe":
            cost = discernibility(sizes, met, records)
            best = min(best, (cost, -len(chosen), chosen))
        elif monotone:
            continue
        if pruning:
            rest = _prune_cuts(cuts, records, chosen, rest, best[0], trail)
        branches += reversed(
            [
                ((*chosen, cut), rest[place + 1 :])
                for place, cut in enumerate(rest)
                if cuts.needs[cut] is None or cuts.needs[cut] in chosen
            ]
        )
    if not np.isfinite(best[0]):
        refuse_unsafe(cuts.judge.requirements, allowed)
    return best[2], trail


def _prune_cuts(
    cuts: Cuts, records: int, chosen: Chosen, rest: Chosen, least: float, trail: list[Step]
) -> Chosen:
    """The cuts that may still lead to a cheaper set; the others are dropped from the branch."""
    while rest:
        finest = _class_sizes(cuts, (*chosen, *rest))
        kept: list[int] = []
        for cut in rest:
            need = cuts.needs[cut]
            if need is not None and need not in chosen and need not in kept:
                continue
            # the bound: no set between the given one and the finest costs less
            each = np.maximum(finest, cuts.judge.k)
            if cuts.asked.prunes:  # what fails here fails below
                classes = cuts.classes((*chosen, cut))
                failing = ~cuts.judge.judge(*classes)[1][classes.codes]
                each = np.where(failing, records, each)
            bound = int((each * cuts.weights).sum())
            if bound <= least:
                kept.append(cut)
            else:
                reason = f"costs at least {bound}, more than {int(least)}"
                trail.append(Step(cuts.node((*chosen, cut)), "pruned", None, reason))
        if len(kept) == len(rest):
            break
        rest = tuple(kept)
    return rest


def _class_sizes(cuts: Cuts, chosen: Sequence[int]) -> Floats:
    """The size of the class of each distinct combination of values."""
    classes = cuts.classes(chosen)
    return np.asarray(np.bincount(classes.codes, cuts.weights)[classes.codes])
