"""k-Optimize: the cheapest generalization, by enumerating sets of cuts and pruning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.requests import flag, one_of
from verikit.errors import InfeasibleError
from verikit.lattice._cuts import Chosen, Cuts, LevelCuts, ValueCuts
from verikit.lattice._search import Search, Step, Verdict, found, small_classes
from verikit.lattice._tally import Tally, discernibility, weighed
from verikit.partition import Partition
from verikit.table import (
    Microdata,
    Missing,
    checked_table,
    group_size,
    most_records,
    refuse_missing,
)

__all__ = ["k_optimize"]

MOST = 200_000


class Request(NamedTuple):
    """What to search for."""

    k: int
    records: int
    allowed: int
    pruning: bool


def k_optimize(
    data: Microdata,
    *,
    k: int,
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
    k
        The size that every class must reach.
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
        If k is more than there are records, or the cuts are too many to search through.

    Notes
    -----
    A suppressed record stays suppressed under further cuts, and a class never grows. A record
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
    request, alphabet = _asked(data, k, suppression, cuts, pruning, missing)
    best, trail = _enumerate(alphabet, request)
    if isinstance(alphabet, LevelCuts):
        return found("k_optimize", alphabet.tally, request.allowed, alphabet.node(best), trail)
    values = cast("ValueCuts", alphabet)
    labels = values.labels(best)
    return Search(
        "k_optimize", request.k, request.allowed, {}, Partition(labels),
        small_classes(labels, request.k), tuple(trail), cuts=values.named(best),
    )  # fmt: skip


def _asked(
    data: Microdata, k: int, suppression: float, cuts: str, pruning: bool, missing: Missing
) -> tuple[Request, Cuts]:
    one_of(cuts, "cuts", ("levels", "values"))
    checked_table(data, "k_optimize")
    size, allowed = group_size(k, len(data)), most_records(suppression, len(data))
    refuse_missing(data, data.schema.quasi, missing)
    levels = cuts == "levels"
    alphabet: Cuts = LevelCuts(Tally(data, size, missing)) if levels else ValueCuts(data)
    return Request(size, len(data), allowed, flag(pruning, "pruning")), alphabet


def _enumerate(cuts: Cuts, request: Request) -> tuple[Chosen, list[Step]]:
    """Visit the sets of cuts depth first; the best, the most specific of equals, and the trail."""
    best: tuple[float, int, Chosen] = (np.inf, 0, ())
    trail: list[Step] = []
    branches: list[tuple[Chosen, Chosen]] = [((), tuple(range(len(cuts.needs))))]
    while branches:
        chosen, rest = branches.pop()
        if len(trail) > MOST:
            raise InfeasibleError(
                f"{len(cuts.needs)} cuts leave too many sets to search: {MOST} were visited. Use "
                "levels or fewer values, raise k, or allow less suppression."
            )
        sizes = weighed(cuts.classes(chosen), cuts.weights)
        short = int(sizes[sizes < request.k].sum())
        verdict: Verdict = "safe" if short <= request.allowed else "unsafe"
        trail.append(Step(cuts.node(chosen), verdict, short))
        if verdict == "unsafe":
            continue
        cost = discernibility(sizes, request.k, request.records)
        best = min(best, (cost, -len(chosen), chosen))
        if request.pruning:
            rest = _useful(cuts, request, chosen, rest, best[0], trail)
        branches += reversed(_children(cuts, chosen, rest))
    return best[2], trail


def _children(cuts: Cuts, chosen: Chosen, rest: Chosen) -> list[tuple[Chosen, Chosen]]:
    return [
        ((*chosen, cut), rest[place + 1 :])
        for place, cut in enumerate(rest)
        if cuts.needs[cut] is None or cuts.needs[cut] in chosen
    ]


def _useful(
    cuts: Cuts, request: Request, chosen: Chosen, rest: Chosen, least: float, trail: list[Step]
) -> Chosen:
    """The cuts that may still lead to a cheaper set; the others are dropped from the branch."""
    while rest:
        finest = _class_sizes(cuts, (*chosen, *rest))
        kept: list[int] = []
        for cut in rest:
            need = cuts.needs[cut]
            if need is not None and need not in chosen and need not in kept:
                continue
            bound = _bound(request, cuts, _class_sizes(cuts, (*chosen, cut)), finest)
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
    return weighed(classes, cuts.weights)[classes.codes]


def _bound(request: Request, cuts: Cuts, here: Floats, finest: Floats) -> int:
    """The least cost of any set between the given one and the finest."""
    each = np.where(here < request.k, request.records, np.maximum(finest, request.k))
    return int((each * cuts.weights).sum())
