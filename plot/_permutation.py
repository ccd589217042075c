"""Ranks before and after masking."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats, Ints
from verikit.errors import RecordError, SchemaError
from verikit.plot._picture import (
    BLUE,
    COLOURS,
    GREY,
    MAX_MARKED,
    ORANGE,
    PALE,
    SHAPES,
    SKY,
    add_legend,
    count_in_percent,
    describe_figure,
    draw_diagonal,
    make_figure,
    make_panels,
)
from verikit.protector import AuditReport
from verikit.ranks import mid_ranks
from verikit.subject import SubjectReport
from verikit.words import count, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLES = ("-", "--", "-.", ":")


def permutation(before: pd.DataFrame, after: pd.DataFrame) -> Figure:
    """Draw each record's rank before and after masking, attribute by attribute.

    On the diagonal a record kept its rank; the length of the line to it is the places it moved.

    Parameters
    ----------
    before, after
        Numbers of the same records in the same order, such as the original and the reverse-mapped
        table; the columns that both have are drawn.

    Raises
    ------
    SchemaError
        If the tables differ in length, share no column, or hold what has no rank.

    References
    ----------
    [DM]_ section 3, Table 1

    Examples
    --------
    >>> import verikit as vk
    >>> before, after = vk.load("dm_table1").frame, vk.load("dm_table1_mapped").frame
    >>> print(vk.plot.html(permutation(before[["X1"]], after[["X1"]])).alt)
    Rank before against rank after masking of 20 records.
    X1: moved 3.6 places on average, 9 at most; 1 unmoved.
    """
    names = [name for name in before if name in after]
    if not names or len(before) != len(after):
        raise SchemaError(
            f"The tables have {len(before)} and {len(after)} records and share {len(names)} "
            "columns; expected the same records and at least one column in both."
        )
    figure, panels = make_panels(names, "rank before", "rank after")
    said = []
    for panel, name, shape, colour in zip(
        panels, names, cycle(SHAPES), cycle(COLOURS), strict=False
    ):
        old, new = (_rank_column(table, name) for table in (before, after))
        moved = np.abs(new - old)
        draw_diagonal(panel, 1, len(before))
        if len(before) <= MAX_MARKED:
            panel.vlines(old, np.minimum(old, new), np.maximum(old, new), color=PALE, linewidth=2)
        panel.plot(old, new, shape, color=colour, markersize=6 if len(before) <= MAX_MARKED else 2)
        said.append(
            f"{name}: moved {moved.mean():.1f} places on average, {moved.max():,.0f} at most; "
            f"{int((moved == 0).sum()):,} unmoved."
        )
    return describe_figure(
        figure, [f"Rank before against rank after masking of {len(before):,} records.", *said]
    )


def _rank_column(table: pd.DataFrame, name: str) -> Floats:
    try:
        values = table[name].to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise SchemaError(
            f"Column {name!r} holds {table[name].iloc[0]!r}; expected numbers, which have a rank."
        ) from None
    missing = int(np.isnan(values).sum())
    if missing:
        raise SchemaError(
            f"Column {name!r} has {count(missing, 'missing value')} and so no ranks; "
            "leave the column out."
        )
    return mid_ranks(values)


def pairs(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw two columns of several tables against each other by rank, one panel a table.

    It shows what a table keeps of the relation between two columns, which is what made-up records
    lose.

    Parameters
    ----------
    tables
        By name, frames of numbers; the first two columns of each are drawn.

    Raises
    ------
    SchemaError
        If there is no table, or one has not two columns of numbers without missing values.

    References
    ----------
    [DM]_ section 5.2

    Examples
    --------
    >>> import verikit as vk
    >>> people = pd.DataFrame({"age": [20, 30, 40, 50], "pay": [1, 2, 4, 3]})
    >>> made_up = people.assign(pay=[4, 1, 2, 3])
    >>> print(vk.plot.html(pairs({"people": people, "made up": made_up})).alt)
    Two columns by rank. people: age and pay of 4 records, rank correlation 0.80.
    made up: age and pay of 4 records, rank correlation -0.20.
    """
    if not tables:
        raise SchemaError("No table was given; expected at least one, with two columns of numbers.")
    ranks = {name: _rank_pairs(name, table) for name, table in tables.items()}
    across, up = next(iter(ranks.values()))
    figure, panels = make_panels(list(tables), f"rank of {across}", f"rank of {up}")
    said = ["Two columns by rank."]
    looks = zip(panels, ranks.items(), cycle(SHAPES), cycle(COLOURS), strict=False)
    for panel, (name, columns), shape, colour in looks:
        x, y = columns.values()
        panel.plot(
            x, y, shape, color=colour, markersize=6 if len(x) <= MAX_MARKED else 2, alpha=0.7
        )
        related = np.corrcoef(x, y)[0, 1] if x.std() and y.std() else 0.0
        said.append(
            f"{name}: {' and '.join(columns)} of {len(x):,} records, rank correlation "
            f"{related:.2f}."
        )
    return describe_figure(figure, said)


def _rank_pairs(name: str, table: pd.DataFrame) -> dict[str, Floats]:
    """The ranks of the first two columns of a table."""
    values = table.iloc[:, :2].apply(pd.to_numeric, errors="coerce").to_numpy(np.float64)
    if not len(values) or values.shape[1] < 2 or np.isnan(values).any():
        raise SchemaError(
            f"The table {name!r} has {len(table)} records of {listed(table.columns, 6)}; expected "
            "two columns of numbers without missing values."
        )
    return {str(c): mid_ranks(v) for c, v in zip(table.columns, values.T, strict=False)}


def moves(places: Mapping[str, npt.ArrayLike]) -> Figure:
    """Draw for each masking which share of the values it moved by at most so many places.

    The higher a curve, the less was moved; one that rises at once to the top moved nothing.

    Parameters
    ----------
    places
        By name, the places that values were moved, such as ``audit(...).protector``.

    Raises
    ------
    RecordError
        If there is nothing to draw, or a number of places is below 0 or missing.

    References
    ----------
    [DM]_ section 3

    Examples
    --------
    >>> import verikit as vk
    >>> print(vk.plot.html(moves({"noise": [0, 4, 1, 7], "nothing": [0, 0, 0, 0]})).alt)
    Places that values were moved.
    noise: 3 on average, half of them at most 2.5, all at most 7; 25 in 100 unmoved.
    nothing: 0 on average, half of them at most 0, all at most 0; 100 in 100 unmoved.
    """
    moved = {name: _sort_moves(name, given) for name, given in places.items()}
    if not moved:
        raise RecordError("No masking was given; expected at least one, with the places it moved.")
    figure, panel = make_figure(6.5, 3.4)
    said = ["Places that values were moved."]
    end = 1.03 * max(1.0, *(found[-1] for found in moved.values()))
    looks = zip(moved.items(), cycle((*COLOURS, SKY)), cycle(STYLES), strict=False)
    for at, ((name, found), colour, dashes) in enumerate(looks):
        share = np.arange(len(found) + 1) / len(found)
        panel.step(
            np.r_[0, found, end], np.r_[share, 1], where="post", color=colour, linestyle=dashes,
            linewidth=1.5 + at // len(STYLES), label=name,
        )  # fmt: skip
        said.append(
            f"{name}: {found.mean():,.3g} on average, half of them at most {np.median(found):,g}, "
            f"all at most {found[-1]:,g}; {100 * np.mean(found == 0):.3g} in 100 unmoved."
        )
    panel.set(
        xlim=(-0.01 * end, end), ylim=(0, 1.03), xlabel="places moved, at most",
        ylabel="share of values",
    )  # fmt: skip
    count_in_percent(panel.yaxis)
    add_legend(figure)
    return describe_figure(figure, said)


def _sort_moves(name: str, given: Any) -> Floats:
    found: Floats = np.sort(np.asarray(given, np.float64), axis=None)
    if not len(found) or not (found >= 0).all():
        raise RecordError(
            f"The places of {name!r} are empty, or one of them is below 0 or missing; expected a "
            "count of places for each value."
        )
    return found


def places(report: SubjectReport) -> Figure:
    """Draw a record among the ranks of a masked table: one line an attribute.

    Equal values share several ranks, drawn as a line; the marks stand at the ends of two such
    lines that are nearest to each other.

    Parameters
    ----------
    report
        What `verikit.check` found on a table of masked values.

    Raises
    ------
    RecordError
        If the report has nothing to draw.

    References
    ----------
    [DM]_ Table 3

    Examples
    --------
    >>> import verikit as vk
    >>> record, release = vk.load("dm_table1").record(2), vk.published("dm_table1_masked")
    >>> print(vk.plot.html(places(vk.check(record, release))).alt)
    Ranks among 20 published records.
    X1: yours 8, closest record 12, window 4 to 12.
    X2: yours 2, closest record 3, window 1 to 3.
    X3: yours 16, closest record 12, window 12 to 20.
    """
    lines = report.tables.get("attributes", pd.DataFrame())
    if "window_first" in lines:
        lines = lines.dropna(subset="window_first")  # of what has no order
    if "window_first" not in lines or not len(lines):
        raise RecordError(
            "The report has no ranks to draw; give a check against a table of masked values."
        )
    n = int(report.facts["records"])
    figure, panel = make_figure(7.5, 0.9 + 0.55 * len(lines))
    said = [f"Ranks among {n:,} published records."]
    for level, line in enumerate(lines.itertuples()):
        first, last = line.window_first - 0.4, line.window_last + 0.4
        panel.hlines(level, 1, n, color=PALE, linewidth=1)
        panel.barh(
            level, last - first, 0.6, first, color=SKY, alpha=0.3, hatch="//", edgecolor="white",
            label="within its distance",
        )  # fmt: skip
        if n <= MAX_MARKED:
            panel.plot(np.arange(1, n + 1), np.full(n, level), "o", color=GREY, markersize=3)
        own, match = (line.first_rank, line.last_rank), (line.match_first, line.match_last)
        for (begin, end), colour, shift in ((own, BLUE, -0.06), (match, ORANGE, 0.06)):
            if begin < end:
                panel.hlines(level + shift, begin, end, color=colour, linewidth=3)
        yours = min(max(line.match_rank, line.first_rank), line.last_rank)
        panel.plot(yours, level, "o", color=BLUE, markersize=11, label="you")
        panel.plot(
            line.match_rank, level, "s", color=ORANGE, markersize=13, markerfacecolor="none",
            markeredgewidth=2.5, label="closest record",
        )  # fmt: skip
        said.append(
            f"{line.attribute}: yours {_write_ranks(line.first_rank, line.last_rank)}, "
            f"closest record {_write_ranks(line.match_first, line.match_last)}, "
            f"window {line.window_first} to {line.window_last}."
        )
    panel.set(
        ylim=(len(lines) - 0.5, -0.5),
        xticks=np.unique(np.linspace(1, n, 5).round()),
        yticks=range(len(lines)),
        yticklabels=lines["attribute"],
        xlabel=f"rank in the published column, lowest value 1, highest {n:,}",
    )
    panel.spines[:].set_visible(False)
    panel.tick_params(axis="y", length=0)
    add_legend(figure, 3, panel)
    return describe_figure(figure, said)


def _write_ranks(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first} to {last}"


def views(report: AuditReport) -> Figure:
    """Draw how far the protector knows each record was moved, and how far its subject can see.

    Parameters
    ----------
    report
        What `verikit.audit` found, with the subjects' view.

    Raises
    ------
    RecordError
        If the subjects' view was not asked for.

    References
    ----------
    [DM]_ section 4

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> print(vk.plot.html(views(vk.audit(data, release, vk.Key.of(range(20))))).alt)
    Places by record, at worst over the attributes, 20 records.
    Seen by the protector: 1 to 11, 5.0 on average. Seen by the subject: 1 to 4, 2.9 on average.
    The subject sees fewer for 11 records and more for 0.
    """
    if report.subject is None:
        raise RecordError(
            "The audit left the subjects' view out; repeat it with subject_view=True."
        )
    full, seen = report.protector.max(axis=1), report.subject
    fewer, more = np.count_nonzero(seen < full), np.count_nonzero(seen > full)
    figure, (panel, *_) = make_panels(
        [""], "places moved, as the protector knows", "as she can see"
    )
    pairs, counts = np.unique(np.column_stack([full, seen]), axis=0, return_counts=True)
    draw_diagonal(panel, 0, int(full.max()))
    panel.scatter(
        pairs[:, 0], pairs[:, 1], s=36 * counts, color=BLUE, alpha=0.75, edgecolor="white"
    )
    return describe_figure(
        figure,
        [
            f"Places by record, at worst over the attributes, {count(report.records, 'record')}.",
            f"Seen by the protector: {_write_range(full)}.",
            f"Seen by the subject: {_write_range(seen)}.",
            f"The subject sees fewer for {count(int(fewer), 'record')} and more for {more:,}.",
        ],
    )


def _write_range(values: Ints) -> str:
    return f"{values.min():,} to {values.max():,}, {values.mean():.1f} on average"
