"""What a release keeps of each column and of each two: for those who will use the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Framed, Plotted
from verikit.cells import cells_of
from verikit.errors import SchemaError
from verikit.ranks import distance_of, mid_ranks
from verikit.release import Release, by_groups, whole_records
from verikit.table import Column, Microdata, require_table
from verikit.utility._information_loss import ncp
from verikit.words import count, joined, share

COLUMNS = ["column", "shape", "mean", "median", "penalty"]
PAIRS = ["columns", "original", "release", "change"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InformationLoss(Framed, Plotted):
    """What is lost of each column and of the rank correlations between columns.

    Parameters
    ----------
    columns
        One line a column. ``shape`` is the largest difference of the shares of people up to a
        value, of a column without an order half the sum of the differences of the shares of its
        values; ``mean`` and ``median`` of numbers differ by so many standard deviations of the
        original; ``penalty`` is the mean certainty penalty of its cells. What cannot be measured
        is missing: where cells may be several values the first three, elsewhere the penalty.
    pairs
        One line a pair of columns with an order: Spearman's rank correlation in the original and
        in the release, the largest change first. Of columns in two tables joined by groups it is
        the mean over all ways to join them inside the groups.
    left_out
        The original's columns that were not published, identifiers apart.
    by_group
        Whether columns were published in two tables that groups alone join.

    Examples
    --------
    >>> import verikit as vk
    >>> lost = information_loss(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> lost.columns.round(2).to_numpy().tolist()[0]
    ['X1', 0.2, 0.02, -0.08, nan]
    """

    columns: pd.DataFrame
    pairs: pd.DataFrame
    left_out: tuple[str, ...] = ()
    by_group: bool = False

    @property
    def mean_change(self) -> float:
        """How much the rank correlations change on average, whatever the direction; 0 for none."""
        return float(self.pairs["change"].abs().mean()) if len(self.pairs) else 0.0

    @property
    def sentences(self) -> list[str]:
        """What is lost, for whoever uses the table; numbers rounded to hundredths."""
        said, shapes, penalties = [], *(self.columns[name].dropna() for name in COLUMNS[1:5:3])
        if len(shapes):
            most = f"by {share(shapes.max())} at most" if shapes.max() else "by nothing"
            kind = "the" if len(shapes) == len(self.columns) else "those"
            said.append(
                f"Of {kind} columns with single values, the shares of people by value differ from "
                f"the original {most}."
            )
        if len(penalties):
            said.append(
                f"A generalized cell leaves open {share(penalties.mean())} of its column on "
                "average (0 where it names one value, all where it is withheld)."
            )
        if len(self.pairs):
            said.append(
                f"Rank correlations of {count(len(self.pairs), 'pair')} of columns change by "
                f"{self.mean_change:.2f} on average, and by "
                f"{abs(self.pairs['change'].iloc[0]):.2f} at most."
            )
        if self.by_group:
            said.append(
                "How columns of the two tables go together is published by group only; inside a "
                "group every way to join them is left open."
            )
        if self.left_out:
            said.append(f"{joined(self.left_out)}: not published.")
        return said

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def to_frame(self) -> pd.DataFrame:
        """Find the loss by column."""
        return self.columns.copy()


def information_loss(data: Microdata, release: Release) -> InformationLoss:
    """Measure what a release keeps of the shape of each column and of their correlations.

    Parameters
    ----------
    data
        The original.
    release
        What is published: a table, or tables joined by groups. Rows need not correspond.

    Returns
    -------
    InformationLoss
        The loss by column, and the rank correlations before and after.

    Raises
    ------
    SchemaError
        If the original has no records, or the release has other tables.

    References
    ----------
    [LHCC]_ Definition 3 for the penalty

    Notes
    -----
    The comparison by column is our own choice: the distance of Kolmogorov and Smirnov where there
    is an order, the total variation elsewhere. Missing cells are left out of both. O(n log n) a
    column and O(n) a pair.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> lost = information_loss(data, vk.mask.rank_swap(data, percent=20, seed=1).release)
    >>> lost.columns["shape"].tolist()  # each column holds the same values
    [0.0, 0.0, 0.0]
    """
    require_table(data, "information_loss")
    if not (whole_records(release) or by_groups(release)):
        raise SchemaError(
            f"information_loss was given {type(release).__name__}; expected a table that was "
            "published, or tables joined by groups."
        )
    published = {
        name: (at, frame[name])
        for at, (frame, schema) in enumerate(release.tables().values())
        for name in schema.names
        if name in data.schema.names and name in release.schema.names
    }
    penalties = _measure_penalties(data, release)
    lines, single = [], []
    for column in data.schema:
        if column.name not in published:
            continue
        values = published[column.name][1]
        cells = cells_of(values, release.schema[column.name], sets=release.holds_sets)
        spans = isinstance(values.dtype, pd.IntervalDtype)
        plain = bool(cells.single) and not spans and column.kind == release.schema[column.name].kind
        line = _compare_column(data, values, column) if plain else (np.nan,) * 3
        lines.append((column.name, *line, penalties.get(column.name, np.nan)))
        ranked = plain and distance_of(column) == "ranks"
        single += [column.name] if ranked and values.notna().all() else []
    pairs = pd.DataFrame(list(_correlate_pairs(data, release, published, single)), columns=PAIRS)
    order = pairs["change"].abs().sort_values(ascending=False, kind="stable").index
    left = (c.name for c in data.schema if c.name not in published and c.role != "identifier")
    return InformationLoss(
        pd.DataFrame(lines, columns=COLUMNS),
        pairs.loc[order].reset_index(drop=True),
        tuple(left),
        by_group=by_groups(release),
    )


def _measure_penalties(data: Microdata, release: Release) -> dict[str, float]:
    """Find the mean penalty of each column some of whose cells stand for several values."""
    if not whole_records(release) or not release.holds_sets:
        return {}
    wide = release.generalized_columns()
    names = {column.name for column in data.schema.quasi}
    if not wide or not names <= set(release.schema.names):
        return {}
    return {n: float(part.mean()) for n, part in ncp(data, release).columns.items() if n in wide}


def _compare_column(
    data: Microdata, published: pd.Series, column: Column
) -> tuple[float, float, float]:
    """Compare the shares of values, and of numbers the mean and the median."""
    if distance_of(column) != "ranks":
        before, after = (
            part.dropna().astype(str).value_counts(normalize=True)
            for part in (data.frame[column.name], published)
        )
        return float(before.sub(after, fill_value=0).abs().sum() / 2), np.nan, np.nan
    scores = data.scores(column.name), column.scores(published)
    first, second = (part[~np.isnan(part)] for part in scores)
    if not len(first) or not len(second):
        return np.nan, np.nan, np.nan
    values = np.concatenate([first, second])
    below = [np.searchsorted(np.sort(p), values, side="right") / len(p) for p in (first, second)]
    shape, spread = float(np.abs(below[0] - below[1]).max()), float(first.std())
    if column.kind != "numeric" or not spread:
        return shape, np.nan, np.nan
    mean, median = (float((f(second) - f(first)) / spread) for f in (np.mean, np.median))
    return shape, mean, median


def _correlate_pairs(
    data: Microdata,
    release: Release,
    published: dict[str, tuple[int, pd.Series]],
    names: list[str],
) -> Iterator[tuple[str, float, float, float]]:
    """Correlate the ranks of each two columns, in the original and in the release."""
    names = [name for name in names if data.frame[name].notna().all()]
    own = {name: _standardize(data.scores(name)) for name in names}
    theirs = {n: _standardize(release.schema[n].scores(published[n][1])) for n in names}
    groups = (release.labels.quasi, release.labels.sensitive) if by_groups(release) else ()
    for one, two in combinations(names, 2):
        tables, ranks = (published[one][0], published[two][0]), (theirs[one], theirs[two])
        if tables[0] != tables[1]:
            ranks = _average_by_group(ranks, (groups[tables[0]], groups[tables[1]]))
        before, after = float(own[one] @ own[two]), float(ranks[0] @ ranks[1])
        if not np.isnan(before + after):
            yield f"{one} and {two}", before, after, after - before


def _standardize(scores: Floats) -> Floats:
    """Ranks around 0 whose squares sum to 1; missing for a constant column."""
    ranks = mid_ranks(scores)
    ranks = ranks - ranks.mean()
    size = np.sqrt(ranks @ ranks)
    return ranks / size if size else np.full(len(ranks), np.nan)


def _average_by_group(
    ranks: tuple[Floats, Floats], groups: tuple[Rows, Rows]
) -> tuple[Floats, Floats]:
    """The sums of a column's ranks by group, so that a product is the mean over all ways to join.

    One is divided by the size of the group.
    """
    sizes = np.bincount(groups[0])
    sums = [np.bincount(g, r) for g, r in zip(groups, ranks, strict=True)]
    return sums[0] / sizes, sums[1].astype(np.float64)
