"""Unsorted matching: rows released in their old order can be read off by position."""

from __future__ import annotations

import math

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit.alike import Meetings, seen
from verikit.errors import SchemaError
from verikit.intruder._disclosure import Disclosure
from verikit.intruder._given import refuse_other
from verikit.intruder._overlap import fits_in_place, overlaps, shared_columns
from verikit.models import beside
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["unsorted_matching"]

RARE = 0.05


def unsorted_matching(data: Microdata | TableRelease, release: TableRelease) -> Disclosure:
    """Lay a known table beside a release, row by row, and see whether they fit.

    The attacker has a table of the same people in its original order: a register, or an earlier
    release of other columns. Where more rows fit at their own place than chance explains, the
    release was not shuffled, and each row belongs to the person at its place.

    Parameters
    ----------
    data
        What the attacker has.
    release
        What was published.

    Returns
    -------
    Disclosure
        The rows that fit at their place: what the attacker knows there, the ``row``, what the
        release adds as ``value``, and the confidence that it belongs there; ``before`` is that of
        picking one of the released rows that fit.

    Raises
    ------
    SchemaError
        If the tables have not as many rows, or no column in common.

    References
    ----------
    [KS]_ section 3.1, Table 3

    Notes
    -----
    If a share a of all rows were at their place and the others shuffled, a n + (1 - a) luck rows
    would fit, where luck is the mean number over all orders; a is read off from the number that
    do. Where every row fits every other there is nothing to read off, and the confidence stays
    that of picking at random. The release is called not shuffled where at most 5 of 100 shuffled
    ones would show as many rows at their place, by the Poisson law with that mean.

    Examples
    --------
    >>> import verikit as vk
    >>> unsorted_matching(vk.load("ks_table3"), vk.published("ks_table3_generalized"))
    unsorted matching: 4 of 4 rows fit at their own place, where a shuffled table would show 1.0.
    """
    refuse_other("unsorted_matching", data, kinds=(Microdata, TableRelease))
    refuse_other("unsorted_matching", release, kinds=(TableRelease,))
    if len(data) != len(release) or not len(data):
        raise SchemaError(
            f"The known table has {len(data)} rows and the release {len(release)}; only tables "
            "with as many rows, and at least one, can be laid side by side."
        )
    names = shared_columns(data.schema, release.schema)
    tables = data.frame, release.frame, names, (data.schema, release.schema)
    rows = np.flatnonzero(fits_in_place(*tables))
    partners = _partners(overlaps(*tables))
    luck = float(partners.mean())
    before = 1 / partners[rows]
    found = {
        "row": rows + 1,
        "records": partners[rows],
        "value": np.array(_added(data, release, rows), dtype=object),
        "confidence": before + (1 - before) * _kept(len(rows), len(data), luck),
        "before": before,
    }
    frame = beside(data.frame.take(rows).reset_index(drop=True), found)
    order = np.argsort(-found["confidence"], kind="stable")
    sentence = (
        f"{len(rows):,} of {len(data):,} rows fit at their own place, where a shuffled table "
        f"would show {luck:,.1f}."
    )
    ordered = frame.take(order).reset_index(drop=True)
    fault = "not shuffled" if _chance(len(rows), luck) <= RARE else ""
    return Disclosure("unsorted matching", sentence, ordered, len(rows), len(data), fault)


def _partners(fits: Meetings) -> Ints:
    """How many released rows each known row fits."""
    sizes = np.bincount(fits.second, minlength=fits.shape[1])
    partners = np.zeros(fits.shape[0], np.int64)
    for first, second in fits:
        fitting = np.bincount(first, sizes[second], minlength=len(partners))
        partners += fitting.astype(np.int64)
    return np.asarray(partners[fits.first])


def _chance(fitting: int, luck: float) -> float:
    """How likely about it is that a shuffled table shows as many rows at their own place."""
    fewer = (k * math.log(luck) - luck - math.lgamma(k + 1) for k in range(fitting))
    return 1 - math.fsum(map(math.exp, fewer)) if luck else 1.0


def _kept(fitting: int, total: int, luck: float) -> float:
    """The share of rows still at their place, read off from how many fit there."""
    return max(0.0, (fitting - luck) / (total - luck)) if luck < total else 0.0


def _added(known: Microdata | TableRelease, release: TableRelease, rows: Rows) -> list[str]:
    """What the release tells of each row beyond the known table; else its sensitive columns."""
    new = [name for name in release.schema.names if name not in known.schema.names]
    sensitive = [column.name for column in release.schema.sensitive]
    frame = release.frame[new or sensitive or list(release.schema.names)]
    return [seen(frame, int(row)) for row in rows]
