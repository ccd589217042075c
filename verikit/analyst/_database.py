"""A release as a database in memory: published table, mapping table and help table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from verikit.analyst._help_table import help_table
from verikit.errors import RecordError
from verikit.release import SplitRelease
from verikit.words import listed, text

__all__ = ["Database", "database_of"]

LOCKED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


class Database:
    """The three tables of a release, which statements may read and nothing else.

    Parameters
    ----------
    release
        What was published.
    sensitive
        The column of numbers in the help table.
    """

    def __init__(self, release: SplitRelease, sensitive: str) -> None:
        self.connection = _engine().connect(":memory:", config=LOCKED)
        for name, frame in _tables(release, sensitive).items():
            self.connection.register("given", frame)
            self.connection.table("given").create(name)
            self.connection.unregister("given")
        self.connection.execute("set lock_configuration = true")

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """A connection inside a transaction that only reads."""
        cursor = self.connection.cursor()
        cursor.execute("begin transaction read only")
        try:
            yield cursor
        finally:
            cursor.execute("rollback")
            cursor.close()


def _engine() -> Any:
    try:
        import duckdb
    except ImportError:
        raise RecordError(
            "Rewritten queries run in DuckDB; install it with  pip install 'verikit[scale]', or "
            "ask verikit.answer, which needs nothing more."
        ) from None
    return duckdb


def _tables(release: SplitRelease, sensitive: str) -> dict[str, pd.DataFrame]:
    """The tables of [QZ]_ section 2.5.2; ``group_id`` counts the groups in their order."""
    ids = np.arange(len(release))
    known = {c.name: _plain(release.quasi[c.name], c.kind) for c in release.known}
    _check_names(known)
    bounds = help_table(release, sensitive)
    place = pd.Series(range(len(release.labels.names)), index=release.labels.names)
    bounds.insert(0, "group_id", place[bounds.pop("group")].to_numpy())
    return {
        "pt": pd.DataFrame({"tuple_id": ids, **known}),
        "mt": pd.DataFrame({"tuple_id": ids, "group_id": release.labels.quasi}),
        "ht": bounds,
    }


def _check_names(known: dict[str, Any]) -> None:
    """A database does not tell names apart that differ in case only."""
    names = [name.lower() for name in known]
    if "tuple_id" in names or len(set(names)) < len(names):
        raise RecordError(
            f"The columns {listed(known, 12)} cannot stand in one database table beside tuple_id, "
            "because names that differ in case only are one there; rename them, or ask "
            "verikit.answer."
        )


def _plain(values: pd.Series[Any], kind: str) -> Any:
    if kind == "numeric":
        return values.array if values.dtype.kind == "i" else values.to_numpy(np.float64)
    return values.map(text, na_action="ignore").astype(object).where(values.notna(), None)


_KEPT: WeakKeyDictionary[SplitRelease, dict[str, Database]] = WeakKeyDictionary()


def database_of(release: SplitRelease, sensitive: str) -> Database:
    """The database of a release, made once and kept as long as the release is."""
    kept = _KEPT.setdefault(release, {})
    if sensitive not in kept:
        kept[sensitive] = Database(release, sensitive)
    return kept[sensitive]
