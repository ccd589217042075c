"""Measure what grouping loses: certainty penalty and reconstruction error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import flag, instance, number, whole
from verikit.cells import cells_of
from verikit.errors import RecordError, SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.partition import Partition, value_codes
from verikit.ranks import Kinship, distance_of, mid_ranks, relate_values, reverse_map
from verikit.ranks.spread import Criterion
from verikit.release import TableRelease, whole_records
from verikit.table import Column, Microdata, as_microdata, require_table
from verikit.table.reading import holds_table
from verikit.words import count, listed, text

Spans: TypeAlias = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Penalty(Plotted):
    """The certainty penalty of a table, from 0 for each value to 1 for its whole domain.

    Parameters
    ----------
    columns
        By quasi-identifier the penalty of each record, in the order of what was measured.
    """

    columns: Mapping[str, Floats]

    @property
    def per_record(self) -> Floats:
        """The penalty of each record, over all quasi-identifiers."""
        return np.sum(list(self.columns.values()), axis=0)

    @property
    def total(self) -> float:
        """The penalty of the table: the sum over its records."""
        return float(self.per_record.sum())

    @property
    def share(self) -> float:
        """The mean penalty of a value, between 0 and 1."""
        return float(np.mean(list(self.columns.values())))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {part.sum():,.4g}" for name, part in self.columns.items())
        return f"penalty {self.total:,.6g}, {100 * self.share:.3g} % of the most possible: {parts}"

    def to_frame(self) -> pd.DataFrame:
        """Find the penalties, one line a record and one column a quasi-identifier."""
        return pd.DataFrame(dict(self.columns))


def ncp(
    data: Microdata,
    release: TableRelease | Partition,
    *,
    domains: Mapping[str, tuple[float, float]] | None = None,
) -> Penalty:
    """Measure how much generalizing groups of records to ranges and sets leaves open.

    Parameters
    ----------
    data
        The original; its columns give the domains.
    release
        A generalized table; or a partition of the original, which is taken as if each group were
        generalized to what it covers.
    domains
        The least and the greatest value that numeric columns may have, where that is more than
        the original shows.

    Returns
    -------
    Penalty
        The penalty of each record and quasi-identifier, and their sum.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, the partition is not one of this table, or a domain is
        given of a column that is not numeric.
    RecordError
        If a domain is no two numbers between which the values lie.

    References
    ----------
    [LHCC]_ Definition 3, Example 4

    Notes
    -----
    A range counts by its width over that of the column, which is 0 wide for a constant column and
    then costs nothing. A set of categories counts by their number over that of the column, and a
    single category costs nothing, as in Example 4; the definition in print reads otherwise.
    O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> ncp(vk.load("lhcc_table1"), vk.published("lhcc_table2"))
    penalty 13.5, 75 % of the most possible: Age 4.5, Sex 9
    """
    require_table(data, "ncp")
    if not data.schema.quasi:
        raise SchemaError("The table has no quasi-identifier, so nothing was generalized.")
    asked = {} if domains is None else domains
    spans = _read_domains(
        data, instance(asked, Mapping, "ncp", "domains such as {'age': (0, 100)}")
    )
    if whole_records(release):
        lacking = [c.name for c in data.schema.quasi if c.name not in release.frame]
        if lacking:
            raise SchemaError(
                f"The release has no {listed(lacking)}, so what was lost there cannot be measured; "
                "give a table with the columns of both."
            )
        return Penalty(
            {c.name: _penalize_cells(data, release, c, spans) for c in data.schema.quasi}
        )
    groups = instance(release, Partition, "ncp", "a TableRelease or a Partition")
    _check_partition(groups, data)
    return Penalty({c.name: _penalize_groups(data, groups, c, spans) for c in data.schema.quasi})


def _check_partition(partition: Partition, data: Microdata) -> None:
    """Refuse a partition of other records."""
    if len(partition.labels) != len(data):
        raise SchemaError(
            f"The partition has {len(partition.labels)} records and the table {len(data)}; make "
            "the partition from this table."
        )


def _read_domains(data: Microdata, domains: Mapping[str, tuple[float, float]]) -> Spans:
    """Find the domains that were given, each around all values of its column."""
    found = {}
    for name, span in domains.items():
        if data.schema[name].kind != "numeric":
            raise SchemaError(
                f"Column {quoted(name)} is {data.schema[name].kind} and has no domain of numbers; "
                "its domain is what its order or the table holds."
            )
        low, high = _find_domain(data, data.schema[name], {})
        ends = tuple(span) if isinstance(span, (tuple, list)) and len(span) == 2 else ()
        if not ends or not number(ends[0], name) <= low <= high <= number(ends[1], name):
            raise RecordError(
                f"The domain of {quoted(name)} was given as {quoted(span)}; expected the least and "
                f"the greatest value, around {text(low)} and {text(high)}, which the table holds."
            )
        found[name] = (float(ends[0]), float(ends[1]))
    return found


def _penalize_cells(data: Microdata, release: TableRelease, column: Column, spans: Spans) -> Floats:
    """Find the penalty of each published cell; a missing one may be anything."""
    name, sets = column.name, release.holds_sets
    cells = cells_of(release.frame[name], release.schema[name], sets=sets)
    if column.kind == "nominal":
        count, kinds = cells.width(), _count_kinds(data, column)
        penalty = np.where(count > 1, np.minimum(count / kinds, 1), 0.0)
    else:
        penalty = _divide_widths(
            cells.width(_find_domain(data, column, spans)), _find_width(data, column, spans)
        )
    penalty[-1] = 1.0
    return penalty[cells.codes]


def _penalize_groups(data: Microdata, partition: Partition, column: Column, spans: Spans) -> Floats:
    """Find the penalty of each record if its group is published as a range or a set."""
    labels = partition.labels
    if column.kind == "nominal":
        codes, found = data.codes(column.name)
        held = np.unique(labels * (len(found) + 1) + codes + 1) // (len(found) + 1)
        count = np.bincount(held, minlength=len(partition))
        return np.where(count > 1, count / _count_kinds(data, column), 0.0)[labels]
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(partition.sizes) - partition.sizes
    scores = data.scores(column.name)[order]
    wide = np.fmax.reduceat(scores, starts) - np.fmin.reduceat(scores, starts)
    return _divide_widths(np.nan_to_num(wide), _find_width(data, column, spans))[labels]


def _find_width(data: Microdata, column: Column, spans: Spans) -> float:
    low, high = _find_domain(data, column, spans)
    return float(np.nan_to_num(high - low))


def _find_domain(data: Microdata, column: Column, spans: Spans) -> tuple[float, float]:
    """The least and the greatest value; for ordered categories the places of those that occur."""
    if column.name in spans:
        return spans[column.name]
    if column.kind == "ordinal":
        return 0.0, len(data.codes(column.name)[1]) - 1.0
    scores = data.scores(column.name)
    return float(np.nanmin(scores)), float(np.nanmax(scores))


def _count_kinds(data: Microdata, column: Column) -> int:
    codes, found = data.codes(column.name)
    return len(found) + int((codes < 0).any())


def _divide_widths(widths: Floats, domain: float) -> Floats:
    return widths / domain if domain else np.zeros(len(widths))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReconstructionError(Plotted):
    """How far what can be rebuilt of each record lies from the record.

    Parameters
    ----------
    per_record
        The error of each record.
    bound
        The right side of Theorem 2, or of its counterpart for anatomy.
    ell
        The diversity of the groups: no value fills more than one in ``ell`` of any.
    bound_holds
        Whether the bound is a bound here: no value occurs twice in a group.
    """

    per_record: Floats
    bound: float
    ell: int
    bound_holds: bool

    @property
    def total(self) -> float:
        """The error of the table: the sum over its records."""
        return float(self.per_record.sum())

    def __repr__(self) -> str:
        word = "at least" if self.bound_holds else "which does not hold here: at least"
        return (
            f"reconstruction error {self.total:,.6g}; Theorem 2, {word} {self.bound:,.6g} "
            f"for groups of diversity {self.ell}"
        )


def rce(
    data: Microdata,
    partition: Partition,
    *,
    permuted: bool = True,
    diversity: int | None = None,
    sensitive: str | None = None,
) -> ReconstructionError:
    """Measure the reconstruction error of publishing groups in two tables.

    Parameters
    ----------
    data
        The original.
    partition
        Its groups.
    permuted
        Whether every column is shuffled by itself (`mask.permute_all`), or the rows of each table
        are kept (`mask.anatomize`).
    diversity
        The ``ell`` of the bound; None takes what the groups attain, which is at least what they
        were made for.
    sensitive
        The sensitive column; needed only if several are.

    Returns
    -------
    ReconstructionError
        The error of each record, their sum, and the bound of Theorem 2 with its condition.

    Raises
    ------
    SchemaError
        If the partition is not one of this table, or the sensitive column is not clear.
    RecordError
        If ``permuted`` is neither true nor false, or the groups do not have the diversity.

    Notes
    -----
    For a record with value v, of a group in which v occurs c times, with chance d for one given
    row to hold its quasi-identifiers: 1 - 2 c d + d² times the sum of all squared counts of the
    group (one sum, where the definition in print has two). Anatomy has d = 1 / n in a group of n.
    Theorem 2's proof needs groups without repeated values, as groups of at most 2 ell - 1 have
    none; in others the error may fall below its bound. What is rebuilt is no density unless
    d = 1 / n: shuffling equal values loses nothing, and still has an error. So this shows the
    price of shuffling beside anatomy's, and is nothing to choose a partition by. O(n log n).

    References
    ----------
    [LHCC]_ formulas (4) to (9), Theorem 2

    Examples
    --------
    >>> import verikit as vk
    >>> groups = vk.Partition.of([1] * 5 + [2] * 4)
    >>> rce(vk.load("lhcc_table1"), groups)
    reconstruction error 7.49; Theorem 2, at least 7.434 for groups of diversity 4
    >>> rce(vk.load("lhcc_table1"), groups, permuted=False)
    reconstruction error 7; Theorem 2, at least 6.75 for groups of diversity 4
    """
    require_table(data, "rce")
    flag(permuted, "permuted")
    instance(partition, Partition, "rce", "a Partition, as verikit.partition.mondrian makes it")
    _check_partition(partition, data)
    labels, sizes = partition.labels, partition.sizes
    count = _count_values(labels, value_codes(data, data.schema.find_sensitive(sensitive)).codes)
    delta = 1 / sizes[labels]  # the chance for one given row of the group to be the record's
    if permuted:
        columns = [value_codes(data, column.name).codes for column in data.schema.quasi]
        shares = [_count_values(labels, codes) / sizes[labels] for codes in columns]
        delta = np.prod(shares, axis=0)
    squares = np.bincount(labels, count)  # each value counts its own number of times
    in_groups = count[np.argsort(labels, kind="stable")]
    most = np.maximum.reduceat(in_groups, np.cumsum(sizes) - sizes)
    attained = int((sizes // most).min())
    ell = attained if diversity is None else whole(diversity, "diversity")
    if ell > attained:
        raise RecordError(
            f"diversity was given as {diversity}, but the groups have {attained}; ask for at most "
            "that, or make groups that are more diverse."
        )
    error = 1 - 2 * count * delta + delta**2 * squares[labels]
    part = delta if permuted else np.full(len(data), 1 / ell)
    return ReconstructionError(
        error, float((1 + ell * part**2 - 2 * part).sum()), ell, bool((count == 1).all())
    )


def _count_values(labels: Rows, codes: Rows) -> Rows:
    """Find how often the value of each record occurs in its group."""
    keys = labels * (int(codes.max()) + 1) + codes
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[place]


def rank_correlation(data: Microdata, masked: Microdata) -> pd.Series:
    """Spearman's rank correlation of original and masked values, by attribute.

    It is a measure of utility kept and of risk at once: 1 means that nobody was moved.

    Parameters
    ----------
    data, masked
        The original and the masked records, in the same order (see `Key.undo`).

    Returns
    -------
    pandas.Series
        One number an attribute with a declared order; missing for a constant column.

    Raises
    ------
    SchemaError
        If the tables share no attribute that can be ranked, or the rows do not correspond.

    References
    ----------
    [DM]_ section 2

    Examples
    --------
    >>> import verikit as vk
    >>> rank_correlation(vk.load("dm_table1"), vk.load("dm_table1_masked")).round(3).tolist()
    [0.722, 0.844, 0.776]
    """
    found = {
        pair.name: _correlate(mid_ranks(pair.original), mid_ranks(pair.masked))
        for pair in paired(data, masked)
    }
    return pd.Series(found, name="rank correlation")


def _correlate(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    size = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / size) if size else np.nan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Noise(Plotted):
    """Noise by original record and attribute, and the reverse-mapped table between them.

    Parameters
    ----------
    mapped
        The reverse-mapped values Z, those of ordered categories too.
    residual
        What the permutation leaves over: masked less reverse-mapped value, Y - Z, of numbers.
    total
        All that was changed: masked less original value, Y - X, of numbers.
    """

    mapped: pd.DataFrame
    residual: pd.DataFrame
    total: pd.DataFrame

    def __repr__(self) -> str:
        parts = (f"{n} {r:.3g} of {t:.3g}" for n, r, t in self.to_frame().itertuples(index=False))
        return f"residual noise, its mean size of that of all noise: {', '.join(parts)}"

    def to_frame(self) -> pd.DataFrame:
        """Find the mean size of both by attribute."""
        sizes = {"residual": self.residual.abs().mean(), "total": self.total.abs().mean()}
        return pd.DataFrame(sizes).rename_axis("attribute").reset_index()


def residual_noise(data: Microdata, masked: Microdata, *, seed: int) -> Noise:
    """Split what masking changed into a permutation and the noise left beside it.

    Parameters
    ----------
    data, masked
        The original and the masked records, in the same order (see `Key.undo`).
    seed
        Seed for ranking equal masked values.

    Returns
    -------
    Noise
        For each record and numeric attribute the mapped value, the residual and the total noise.

    Raises
    ------
    SchemaError
        If no numeric attribute is in both tables, or the rows do not correspond.

    References
    ----------
    [DM]_ section 3, Table 2

    Notes
    -----
    The residual noise never changes a rank. The paper calls it necessarily small; it need not be:
    masking by 3x + 1000 permutes nothing and leaves it all.

    Examples
    --------
    >>> import verikit as vk
    >>> found = residual_noise(vk.load("dm_table1"), vk.load("dm_table1_masked"), seed=1)
    >>> found.residual.round(2).iloc[0].tolist(), found.total.round(2).iloc[0].tolist()
    ([-0.03, -8.35, -16.77], [4.49, -9.18, -52.07])
    """
    data, masked = (as_microdata(table, "residual_noise") for table in (data, masked))
    pairs, mapped = paired(data, masked, numeric=True), {}
    order = data.canonical_order(*(masked.codes(name)[0] + 1 for name in masked.schema.names))
    for pair in paired(data, masked):
        values = np.empty(len(order))  # ties in both tables are told apart by all that records hold
        values[order] = reverse_map(pair.original[order], pair.masked[order], seed=seed)
        labels = data.schema[pair.name].kind != "numeric"
        mapped[pair.name] = (
            find_by_score(data.frame[pair.name], pair.original, values) if labels else values
        )
    return Noise(
        pd.DataFrame(mapped),
        pd.DataFrame({p.name: p.masked - mapped[p.name] for p in pairs}),
        pd.DataFrame({p.name: p.masked - p.original for p in pairs}),
    )


def find_by_score(values: pd.Series[Any], scores: Floats, wanted: Floats) -> pd.Series[Any]:
    """Find the values of a column that have some of its scores.

    Examples
    --------
    >>> found = find_by_score(pd.Series(["I", "III"]), np.array([0.0, 2]), np.array([2.0, 0, 0]))
    >>> found.tolist()
    ['III', 'I', 'I']
    """
    known, first = np.unique(scores, return_index=True)
    return values.take(first[np.searchsorted(known, wanted)]).reset_index(drop=True)


class Pair(NamedTuple):
    """One attribute: the original values, and the masked values of the same records."""

    name: str
    original: Floats
    masked: Floats


def paired(
    data: Microdata, masked: Microdata, *, numeric: bool = False, needed: bool = True
) -> list[Pair]:
    """Pair the attributes that both tables hold and that can be ranked, in the original's order.

    None is refused where one is ``needed``.
    """
    data = as_microdata(data, "A comparison of records")
    masked = Microdata(masked) if holds_table(masked) else masked
    _check_rows(data, masked)
    pairs = [
        Pair(column.name, data.scores(column.name), masked.scores(column.name))
        for column in data.schema
        if column.name in masked.schema.names
        and (column.kind == "numeric" if numeric else distance_of(column) == "ranks")
    ]
    if needed and not pairs:
        raise SchemaError(
            f"No {'numeric' if numeric else 'ranked'} attribute is in both tables; the original "
            f"has {listed(data.schema.names)}, the masked one {listed(masked.schema.names)}."
        )
    for pair in pairs:
        for where, values in (("original", pair.original), ("release", pair.masked)):
            refuse_gaps(pair.name, where, int(np.isnan(values).sum()))
    return pairs


def refuse_gaps(name: str, where: str, missing: int) -> None:
    """Refuse a column with missing values where records of two tables are compared by ranks."""
    if missing:
        raise SchemaError(
            f"Column {name!r} of the {where} has {count(missing, 'missing value')} and so no "
            "ranks; fill the gaps, or leave the column out of both tables."
        )


class Unordered(NamedTuple):
    """One attribute without an order: how its values are related, and the masked ones themselves.

    Parameters
    ----------
    kinship
        The groups that the original and the masked values are in.
    masked, tree
        The masked values, and the tree of their groups if there is one.
    """

    kinship: Kinship
    masked: Sequence[object]
    tree: Hierarchy | None

    def count_places_moved(self) -> Ints:
        """Count the places between each original value and the masked one of the same record."""
        everybody = np.arange(len(self.masked))
        return self.kinship.count_places(everybody, everybody)

    def measure_least_diversities(self, reach: Ints, criterion: Criterion) -> Floats:
        """How much the masked values within some places of each original one differ."""
        return self.kinship.measure_least_diversities(self.masked, reach, criterion, self.tree)


def relate_unordered(data: Microdata, masked: Microdata) -> dict[str, Unordered]:
    """Relate the attributes without a declared order that both tables hold.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> relate_unordered(data, data)
    {}
    """
    found = {}
    for column in data.schema:
        name, tree = column.name, column.hierarchy
        if name in masked.schema.names and distance_of(column) != "ranks":
            related = relate_values(data.frame[name], masked.frame[name], tree)
            found[name] = Unordered(related, masked.frame[name].tolist(), tree)
    return found


def _check_rows(data: Microdata, masked: Microdata) -> None:
    if not isinstance(masked, Microdata):
        raise SchemaError(
            f"The masked records were given as {type(masked).__name__}; expected Microdata in the "
            "order of the original (key.undo(release) puts the rows of a release back)."
        )
    if not len(data):
        raise SchemaError("The original table has no records, so there is nothing to compare.")
    if len(data) != len(masked):
        raise SchemaError(
            f"The original has {len(data)} records and the masked table {len(masked)}; expected "
            "the same records in the same order."
        )
