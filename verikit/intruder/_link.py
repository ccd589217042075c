"""Link original records to released rows, and estimate how many links are right."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
import pandas as pd

from verikit._support.plotted import Plotted
from verikit._support.requests import one_of, row_numbers
from verikit.errors import InfeasibleError
from verikit.intruder._fitting_rows import link_by_cover
from verikit.intruder._likelihood import link_by_likelihood
from verikit.intruder._plausibility import plausibility
from verikit.intruder._rank_linkage import (
    MAX_DENSE,
    assign_by_rank,
    link_by_maximum_rank,
    link_by_normal_scores,
    make_repeat,
    published_mechanism,
)
from verikit.intruder._ranked_tables import (
    Compared,
    Links,
    compare_as_masked,
    compare_tables,
    names_of,
    require_one_by_one,
)
from verikit.intruder._undo_pairs import swapped_in_pairs, undo_swaps
from verikit.release import SplitRelease, TableRelease
from verikit.table import Microdata, as_microdata
from verikit.words import not_compared

Attack: TypeAlias = Literal[
    "maximum_rank",
    "assignment",
    "normal_scores",
    "published_mechanism",
    "likelihood",
    "undo_pairs",
    "strongest",
]
MAX_SUBSETS = 255


def link(
    data: Microdata,
    release: TableRelease | SplitRelease,
    *,
    attack: Attack = "maximum_rank",
    attributes: Sequence[str] | None = None,
    match: Sequence[int] | None = None,
) -> Links:
    """Link each original record to the released rows that it could have become.

    The intruder knows all original values and the whole release, and lacks only the key.

    Parameters
    ----------
    data, release
        The original and what was published; a sample or a made-up table may have another number
        of rows.
    attack
        ``"maximum_rank"`` is the paper's: the rows whose largest rank distance is smallest, of
        those that agree in all attributes without an order where there are any. A cell that stands
        for several values is a block of the places of those that it covers, and in tables joined
        by groups a row may be any value of its group: then these are the rows that may be hers.
        ``"assignment"`` gives each record a row of its own at the least sum of these distances.
        ``"normal_scores"`` weighs attributes by how little they were masked, which it learns: of
        values without an order, by how often they stay as they are or in their groups.
        ``"published_mechanism"`` repeats the published method to learn how far it moves values.
        ``"likelihood"`` takes the rows that most likely came from a record, where values, of
        categories without an order too, were drawn anew with published probabilities.
        ``"undo_pairs"`` undoes rank swapping in pairs, as `undo_pairs` says.
        ``"strongest"`` tries all but ``"likelihood"``, the last one where swapping in pairs is
        published.
    attributes
        What to link by; by default all attributes in both tables.
    match
        Links of somebody else instead, to be measured as Algorithm 2 does: the row of each record,
        counted from 0.

    Returns
    -------
    Links
        All candidates of each record and their distances. ``"strongest"`` holds every attempt; its
        own links are those of the best informed one.

    Raises
    ------
    RecordError
        If the attack or the attributes are unknown, or a table has no records.
    SchemaError
        If no attribute is in both tables, or values with an order are missing.
    InfeasibleError
        If the attack does not suit the release: too many records, a method that cannot be
        repeated, or, for all but ``"maximum_rank"`` and ``"strongest"``, rows that are not as many
        as the records or may be several values.

    References
    ----------
    [DM]_ Definition 3, section 5.1, Table 4; [YQ]_ section 4.2.2

    Notes
    -----
    Ranks are compared in the released table itself: reverse mapping gives the same ranks where the
    original has no ties, and hides some where it has. It needs as many rows as records: else each
    released value has the place of the original value closest to it. `maximum_rank` searches a k-d
    tree; the other attacks compare all pairs up to a few thousand records, O(n³) at worst, and
    nearest neighbours beyond. `likelihood` compares all pairs of different combinations that agree
    in the columns that stay as they are; without such a column among the attributes there are
    several times as many. Where several links are equally good, the one taken depends on the
    values of the records and never on the order of the rows.

    Examples
    --------
    >>> import verikit as vk
    >>> links = link(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> links
    20 records linked by X1, X2, X3 (maximum_rank).
    4 have several candidates; 7 released rows are candidates of several records, 4 of none.
    Which links are right cannot be seen from here.
    >>> links.of(0)["row"].tolist()
    [1, 7]
    """
    one_of(attack, "attack", get_args(Attack))
    data = as_microdata(data, "link")
    if match is not None:
        tables, each = compare_tables(data, release, attributes), np.arange(len(data) + 1)
        rows = row_numbers(match, "match", len(data), len(release))
        places = tables.places(each[:-1], rows).max(axis=1)
        return Links("given", tables, each.astype(np.intp), rows, places.astype(float))
    table = cast("TableRelease", release)  # all but the attack by rank refuse other kinds
    if attack == "likelihood":
        return link_by_likelihood(data, table, attributes)
    return _run_attack(attack, data, table, compare_tables(data, release, attributes))


def _run_attack(attack: Attack, data: Microdata, release: TableRelease, tables: Compared) -> Links:
    if not tables.one_by_one:
        if attack not in ("maximum_rank", "strongest"):
            require_one_by_one(tables, f"The attack {attack!r}")
        by_rank = (
            link_by_cover(data, release, tables) if tables.covered else link_by_maximum_rank(tables)
        )
        tried = {by_rank.attack: by_rank} if attack == "strongest" else None
        return replace(by_rank, attack=attack, attempts=tried)
    if attack == "strongest":  # all attacks that suit the release; the last one knows most
        suiting: list[Attack] = ["maximum_rank", "assignment", "normal_scores"]
        if len(tables) > MAX_DENSE:
            suiting.remove("assignment")
        attempts: dict[str, Links] = {a: _run_attack(a, data, release, tables) for a in suiting}
        attempts.update(_run_informed(data, release, tables))
        return replace([*attempts.values()][-1], attack="strongest", attempts=attempts)
    if attack == "maximum_rank":  # all that are equally close are candidates, so none is chosen
        return link_by_maximum_rank(tables)
    if attack in ("published_mechanism", "undo_pairs"):
        informed = published_mechanism if attack == "published_mechanism" else undo_swaps
        return _link_informed(informed, data, release, tables)
    of_ranks = assign_by_rank if attack == "assignment" else link_by_normal_scores
    return _link_sorted(lambda _, __, ordered: of_ranks(ordered), data, release, tables)


def _link_sorted(
    make: Callable[..., Links],
    data: Microdata,
    release: TableRelease,
    tables: Compared,
) -> Links:
    """Links made of both tables sorted by their values, so that nothing hangs on where rows lie."""
    codes = [pd.factorize(release.frame[name], sort=True)[0] for name in release.schema.names]
    records, rows = data.canonical_order(), np.lexsort(codes[::-1])
    found = make(data.take(records), release, tables.reorder(records, rows))
    of, to = records[found.records], rows[found.rows]
    order = np.lexsort((to, of))
    counts = np.bincount(of, minlength=len(tables))
    return replace(
        found,
        compared=tables,
        starts=np.r_[0, np.cumsum(counts)].astype(np.intp),
        rows=to[order],
        measure=found.measure[order],
        certain=None if found.certain is None else found.certain[np.argsort(records)],
    )


def _link_informed(
    make: Callable[..., Links], data: Microdata, release: TableRelease, tables: Compared
) -> Links:
    """Links made by one who knows the method, and so the order by which it moved values."""
    known = compare_as_masked(data, release, tables.attributes)
    return replace(_link_sorted(make, data, release, known), compared=tables)


def _run_informed(data: Microdata, release: TableRelease, tables: Compared) -> dict[str, Links]:
    """Find the attacks that know how the release was made, the best informed last."""
    found = {}
    if make_repeat(release) is not None:
        with contextlib.suppress(InfeasibleError):  # parameters that do not fit these attributes
            by_method = _link_informed(published_mechanism, data, release, tables)
            found["published_mechanism"] = by_method
    if swapped_in_pairs(release):
        with contextlib.suppress(InfeasibleError):
            found["undo_pairs"] = _link_informed(_undo_and_choose, data, release, tables)
    return found


def _undo_and_choose(data: Microdata, release: TableRelease, tables: Compared) -> Links:
    """Undo the pairs; of the rows that this leaves open, let the mechanism choose."""
    links = undo_swaps(data, release, tables)
    if not len(links.rows) or (links.counts == 1).all() or len(tables) > MAX_DENSE:
        return links
    chosen = published_mechanism(data, release, tables, only=links)
    return replace(chosen, attack="undo_pairs", note=links.note, certain=links.certain)


def link_by_subset(
    data: Microdata,
    release: TableRelease,
    *,
    attack: Attack = "maximum_rank",
    attributes: Sequence[str] | None = None,
) -> dict[tuple[str, ...], Links]:
    """Link by every subset of the attributes: less masked ones alone may give more away.

    Parameters
    ----------
    data, release, attack, attributes
        As `link` takes them.

    Returns
    -------
    dict
        The links by subset, single attributes first.

    Raises
    ------
    InfeasibleError
        If the attributes have more than 255 subsets; name those to look at.

    References
    ----------
    [DM]_ Note 1

    Examples
    --------
    >>> import verikit as vk
    >>> found = link_by_subset(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> list(found)[3:]
    [('X1', 'X2'), ('X1', 'X3'), ('X2', 'X3'), ('X1', 'X2', 'X3')]
    """
    one_of(attack, "attack", get_args(Attack))
    if attack == "likelihood":
        names = names_of(data, release, attributes)
    else:
        tables = compare_tables(data, release, attributes)
        names = tables.attributes
    if 2 ** len(names) - 1 > MAX_SUBSETS:
        raise InfeasibleError(
            f"{len(names)} attributes have {2 ** len(names) - 1:,} subsets; name at most "
            f"{MAX_SUBSETS.bit_length()} attributes to link by."
        )
    subsets = [s for size in range(1, len(names) + 1) for s in combinations(names, size)]
    if attack == "likelihood":
        return {subset: link(data, release, attack=attack, attributes=subset) for subset in subsets}
    return {
        subset: _run_attack(attack, data, release, tables.select_attributes(subset))
        for subset in subsets
    }


Z = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OwnEstimate(Plotted):
    """How many links an intruder expects to be right.

    Parameters
    ----------
    records
        The number of records.
    links, low, high
        The right links that he expects, never below the one that luck gives, and between which
        numbers (95 %).
    by
        What he goes by: the probabilities of ``"published_mechanism"`` or ``"undo_pairs"``, or
        the ``"distances"`` alone.
    not_compared
        The published columns that he does not link by.

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = vk.mask.noise(vk.simulate("dm", 200, seed=1), scale=3, seed=2)
    >>> own_estimate(vk.simulate("dm", 200, seed=1), release).from_luck
    True
    """

    records: int
    links: float
    low: float
    high: float
    by: str
    not_compared: tuple[str, ...] = ()

    @property
    def from_luck(self) -> bool:
        """Whether they cannot be told from luck, which gives one."""
        return self.low <= 1

    def __repr__(self) -> str:
        left = not_compared(self.not_compared)
        return f"{left}\n{self._describe_expected()}" if left else self._describe_expected()

    def _describe_expected(self) -> str:
        interval = f"from {self.low:,.0f} to {self.high:,.0f}"
        if self.from_luck:
            return (
                f"What the intruder expects cannot be told from luck: {interval} of "
                f"{self.records:,} links right by {self.by}, where luck gives 1."
            )
        return (
            f"The intruder expects {self.links:,.0f} of {self.records:,} links to be right by "
            f"{self.by} ({interval}); luck gives 1."
        )


def own_estimate(
    data: Microdata, release: TableRelease, *, attributes: Sequence[str] | None = None
) -> OwnEstimate:
    """Estimate how many links are right, as the intruder can without knowing one.

    Parameters
    ----------
    data, release
        The original and what was published.
    attributes
        What to link by; by default all attributes in both tables.

    Returns
    -------
    OwnEstimate
        The number and its interval, and whether it can be told from luck.

    Raises
    ------
    RecordError, SchemaError
        As `link` raises them.

    References
    ----------
    [DM]_ section 5.1, which leaves the intruder without a way to tell

    Notes
    -----
    Where the method can be repeated, each link has a probability, and these are added up. The
    interval is that of the sum of so many throws. The sum is 4 to 26 % too low where links are
    many, and right within a tenth where they are few. Else distances are compared with those of
    made-up records (`plausibility`), with an interval from resampled records that is much wider;
    where columns are correlated, these tell nothing and the interval is all there is.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=1)
    >>> own_estimate(data, vk.mask.rank_swap(data, percent=20, seed=2).release)
    The intruder expects 200 of 200 links to be right by undo_pairs (from 200 to 200); luck gives 1.
    """
    tables = require_one_by_one(compare_tables(data, release, attributes), "This estimate")
    informed, n = _run_informed(data, release, tables), len(data)
    if not informed:
        told = plausibility(data, release, null="closed_form", attributes=tables.ranked or None)
        found = np.array([told.success, told.success_low, told.success_high])
        found[np.isnan(found)] = np.array([1 / n, 0, 1])[np.isnan(found)]  # correlated columns
        expected, low, high = map(float, found * n)
        return OwnEstimate(n, expected, low, high, "distances", told.not_compared)
    links = [*informed.values()][-1]
    right = 1 - links.measure
    sure, half = float(right.sum()), Z * float(np.sqrt((right * (1 - right)).sum()))
    low, high = max(0, sure - half), min(n, sure + half)
    return OwnEstimate(n, max(1.0, sure), low, high, links.attack, tables.not_compared)
