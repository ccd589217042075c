"""The noise that is left when a masked column is seen as a permutation of the original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Plotted
from verikit.ranks import reverse_map
from verikit.table import Microdata, table_of
from verikit.utility._paired import Pair, paired

__all__ = ["Noise", "residual_noise"]


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
        """The mean size of both by attribute."""
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
    data, masked = (table_of(table, "residual_noise") for table in (data, masked))
    pairs = paired(data, masked, numeric=True)
    order = data.canonical_order(*(masked.codes(name)[0] + 1 for name in masked.schema.names))
    mapped = {p.name: _mapped(p, order, seed) for p in pairs}
    return Noise(
        pd.DataFrame(mapped),
        pd.DataFrame({p.name: p.masked - mapped[p.name] for p in pairs}),
        pd.DataFrame({p.name: p.masked - p.original for p in pairs}),
    )


def _mapped(pair: Pair, order: Rows, seed: int) -> Floats:
    """The reverse-mapped column; whose values tie in both tables is told apart by all they hold."""
    mapped = np.empty(len(order))
    mapped[order] = reverse_map(pair.original[order], pair.masked[order], seed=seed)
    return mapped
