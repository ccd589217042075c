"""Compare the same records before and after masking: rank correlation, residual noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Plotted
from verikit.errors import SchemaError
from verikit.ranks import mid_ranks, reverse_map
from verikit.table import Microdata, as_microdata
from verikit.table.reading import holds_table
from verikit.words import count, listed

__all__ = ["Noise", "Pair", "paired", "rank_correlation", "residual_noise"]


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
        One number an attribute; missing for a constant column, which has no order.

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
        The reverse-mapped values Z.
    residual
        What the permutation leaves over: masked less reverse-mapped value, Y - Z.
    total
        All that was changed: masked less original value, Y - X.
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
    pairs = paired(data, masked, numeric=True)
    order = data.canonical_order(*(masked.codes(name)[0] + 1 for name in masked.schema.names))
    mapped = {p.name: _reverse_map(p, order, seed) for p in pairs}
    return Noise(
        pd.DataFrame(mapped),
        pd.DataFrame({p.name: p.masked - mapped[p.name] for p in pairs}),
        pd.DataFrame({p.name: p.masked - p.original for p in pairs}),
    )


def _reverse_map(pair: Pair, order: Rows, seed: int) -> Floats:
    """The reverse-mapped column; whose values tie in both tables is told apart by all they hold."""
    mapped = np.empty(len(order))
    mapped[order] = reverse_map(pair.original[order], pair.masked[order], seed=seed)
    return mapped


class Pair(NamedTuple):
    """One attribute: the original values, and the masked values of the same records."""

    name: str
    original: Floats
    masked: Floats


def paired(data: Microdata, masked: Microdata, *, numeric: bool = False) -> list[Pair]:
    """Pair the attributes that both tables hold and that can be ranked, in the original's order."""
    data = as_microdata(data, "A comparison of records")
    masked = Microdata(masked) if holds_table(masked) else masked
    _check_rows(data, masked)
    pairs = [
        Pair(column.name, data.scores(column.name), masked.scores(column.name))
        for column in data.schema
        if column.name in masked.schema.names
        and (column.kind == "numeric" if numeric else column.ranked)
    ]
    if not pairs:
        raise SchemaError(
            f"No {'numeric' if numeric else 'ranked'} attribute is in both tables; the original "
            f"has {listed(data.schema.names)}, the masked one {listed(masked.schema.names)}."
        )
    for pair in pairs:
        for where, values in (("original", pair.original), ("release", pair.masked)):
            missing = int(np.isnan(values).sum())
            if missing:
                raise SchemaError(
                    f"Column {pair.name!r} of the {where} has {count(missing, 'missing value')} "
                    "and so no ranks; fill the gaps, or leave the column out of both tables."
                )
    return pairs


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
