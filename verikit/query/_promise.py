"""What a release promises about the values in it, and hence what may be called certain."""

from __future__ import annotations

from verikit.release import SplitRelease, TableRelease
from verikit.table import Microdata

__all__ = ["CERTAIN", "promise_of"]

CERTAIN = ("as it was", "covers", "another order")


def promise_of(table: Microdata | TableRelease | SplitRelease) -> str:
    """``as it was``, ``covers``, ``another order``, ``changed`` or ``untold``.

    Examples
    --------
    >>> import verikit as vk
    >>> [promise_of(vk.published(name)) for name in ("lhcc_table2", "lhcc_table3")]
    ['covers', 'another order']
    """
    return "as it was" if isinstance(table, Microdata) else table.promise
