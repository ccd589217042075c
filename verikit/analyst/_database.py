"""A release as a database in memory: published table, mapping table and help table.

A person's row is stored with her group, and the bounds of a group in one row, so that a question
reads each table once; the tables of the text are views of these two.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from verikit.errors import RecordError, SchemaError, quoted
from verikit.release import SplitRelease, by_groups, make_help_table
from verikit.words import listed, text

__all__ = ["Database", "database_of", "help_table"]

BOUNDS = ("sum_lower", "sum_upper", "min_lower", "min_upper", "max_lower", "max_upper")
LISTS = ", ".join(f"list({name} order by hits) as {name}" for name in BOUNDS)
ITEMS = ", ".join(f"unnest({name}) as {name}" for name in BOUNDS)
COUNTED = "unnest(generate_series(1, len(sum_lower))) as hits"
LOCKED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


SHAPED = (
    f"create table folded as select group_id, {LISTS} from ht group by group_id",  # noqa: S608
    "drop table ht",
    "create view pt as select * exclude group_id from joined",
    "create view mt as select tuple_id, group_id from joined",
    f"create view ht as select group_id, {COUNTED}, {ITEMS} from folded",  # noqa: S608
)


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
        self.connection = _import_duckdb().connect(":memory:", config=LOCKED)
        for name, frame in _make_tables(release, sensitive).items():
            self.connection.register("given", frame)
            self.connection.table("given").create(name)
            self.connection.unregister("given")
        for statement in SHAPED:
            self.connection.execute(statement)
        self.connection.execute("set lock_configuration = true")

    def ask(self, statement: str) -> tuple[Any, ...]:
        """Find the first row of a single select, run in a transaction that only reads."""
        with closing(self.connection.cursor()) as cursor:
            parsed = cursor.extract_statements(statement)
            if [one.type.name for one in parsed] != ["SELECT"]:
                raise RecordError(
                    f"The database was given {quoted(statement)}; expected a single select, for it "
                    "answers questions and does nothing else."
                )
            cursor.execute("begin transaction read only")
            row: tuple[Any, ...] = cursor.execute(parsed[0]).fetchone()
            return row


def _import_duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise RecordError(
            "Rewritten queries run in DuckDB; install it with  pip install 'verikit[jupyter]', or "
            "ask verikit.answer, which needs nothing more."
        ) from None
    return duckdb


def _make_tables(release: SplitRelease, sensitive: str) -> dict[str, pd.DataFrame]:
    """Tables for those of [QZ]_ section 2.5.2; ``group_id`` counts the groups in their order."""
    known = {c.name: _plain_values(release.quasi[c.name], c.kind) for c in release.known}
    _check_names(known)
    bounds = help_table(release, sensitive)
    place = pd.Series(range(len(release.labels.names)), index=release.labels.names)
    bounds.insert(0, "group_id", _narrow_ids(place[bounds.pop("group")].to_numpy()))
    own = {"tuple_id": np.arange(len(release)), "group_id": _narrow_ids(release.labels.quasi)}
    return {"joined": pd.DataFrame({**own, **known}), "ht": bounds}


def _narrow_ids(ids: Any) -> Any:
    """Whole numbers from 0 in as few bytes as they need: fewer of them are read."""
    return ids.astype(np.min_scalar_type(int(ids.max(initial=0))))


def _check_names(known: dict[str, Any]) -> None:
    """A database does not tell names apart that differ in case only."""
    names = [name.lower() for name in known]
    if {"tuple_id", "group_id"} & set(names) or len(set(names)) < len(names):
        raise RecordError(
            f"The columns {listed(known, 12)} cannot stand in one database table beside tuple_id "
            "and group_id, because names that differ in case only are one there; rename them, or "
            "ask verikit.answer."
        )


def _plain_values(values: pd.Series[Any], kind: str) -> Any:
    if kind == "numeric":
        return values.array if values.dtype.kind == "i" else values.to_numpy(np.float64)
    return values.map(text, na_action="ignore").astype(object).where(values.notna(), None)


_KEPT: WeakKeyDictionary[SplitRelease, dict[str, Database]] = WeakKeyDictionary()


def database_of(release: SplitRelease, sensitive: str) -> Database:
    """Find the database of a release, made once and kept as long as the release is."""
    kept = _KEPT.setdefault(release, {})
    if sensitive not in kept:
        kept[sensitive] = Database(release, sensitive)
    return kept[sensitive]


def help_table(release: SplitRelease, sensitive: str | None = None) -> pd.DataFrame:
    """List for each group and number of hits the bounds of sum, minimum and maximum.

    Whatever a question asks of the people, it selects some number of each group; the least and the
    greatest answers of the group follow from that number alone. The table is made from the release,
    so it tells nothing that was not published.

    Parameters
    ----------
    release
        Two tables joined by groups, with a sensitive column of numbers.
    sensitive
        The sensitive column; needed only if there are several of numbers.

    Returns
    -------
    DataFrame
        The columns ``group``, ``hits`` and six bounds; one line for each record of the release.

    Raises
    ------
    SchemaError
        If it is no such release, or a value is missing or no single number.

    References
    ----------
    [QZ]_ section 2.5.2, Table 2.4

    Notes
    -----
    The bounds of an average are those of the sum, divided by the hits. The printed table holds sum
    and minimum only. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> help_table(vk.published("qz_table2_3")).iloc[:2, :6].to_numpy().tolist()
    [['1', 1, 54000, 56000, 54000, 56000], ['1', 2, 109000, 111000, 54000, 55000]]
    """
    if not by_groups(release):
        raise SchemaError(
            f"A help table was asked of {type(release).__name__}; expected a release in two tables "
            "joined by groups, as mask.permute_sensitive and mask.anatomize make."
        )
    column = release.number(sensitive)
    values = release.sensitive[column.name]
    if values.isna().any() or not pd.api.types.is_numeric_dtype(values.dtype):
        raise SchemaError(
            f"Column {column.name!r} has missing values or ranges, so the bounds of a number of "
            "hits are not known; ask verikit.answer instead."
        )
    return make_help_table(values, release.labels.sensitive, release.labels.names)
