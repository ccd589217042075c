"""Rewrite a question over published table, mapping and help table, and run it in DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from verikit.errors import RecordError, SchemaError, quoted
from verikit.query import (
    FIRST,
    LAST,
    Counting,
    Cut,
    Joined,
    Numbers,
    Query,
    Tree,
    bind_conditions,
    blocks,
    find_column,
    quote_name,
    quote_text,
    read_query,
)
from verikit.release import SplitRelease, by_groups, by_nodes, make_help_table
from verikit.words import listed, text

BOUNDS = ("sum_lower", "sum_upper", "min_lower", "min_upper", "max_lower", "max_upper")
LISTS = ", ".join(f"list({name} order by hits) as {name}" for name in BOUNDS)
ITEMS = ", ".join(f"unnest({name}) as {name}" for name in BOUNDS)
COUNTED = "unnest(generate_series(1, len(sum_lower))) as hits"
LOCKED: dict[str, Any] = {
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

MAX_WHOLE = 2**53

ASKED = {
    "count": ("coalesce(sum(hits), 0)", "coalesce(sum(hits), 0)"),
    "sum": ("coalesce(sum({sum_lower}), 0)", "coalesce(sum({sum_upper}), 0)"),
    "avg": ("sum({sum_lower}) / sum(hits)", "sum({sum_upper}) / sum(hits)"),
    "min": ("min({min_lower})", "min({min_upper})"),
    "max": ("max({max_lower})", "max({max_upper})"),
}
AS_NAMED = {name: name for name in BOUNDS}
AS_LISTED = {name: f"{name}[hits]" for name in BOUNDS}


class Bounds(NamedTuple):
    """The least and the greatest possible answer; no value (``nan``) where no record is meant."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rewriting:
    """A question as DuckDB answers it from what was published.

    Parameters
    ----------
    query
        The question.
    sql
        The statement over the published table ``pt``, the mapping table ``mt`` and the help table
        ``ht``, as in the text; made from the question's parts, never from its text.
    fast
        The statement that is run, which gives the same: over ``joined``, the published table with
        its mapping, and ``folded``, the help table with the bounds of a group in one row.
    release
        What was published.
    sensitive
        The column of numbers in the help table.

    Examples
    --------
    >>> import verikit as vk
    >>> query = "select sum(salary) from t where age between 35 and 55"
    >>> rewrite(query, vk.published("qz_table2_3")).run()
    Bounds(lower=530000.0, upper=540000.0)
    """

    query: Query
    sql: str
    fast: str
    release: SplitRelease
    sensitive: str

    def run(self) -> Bounds:
        """Read the bounds from a database in memory that no statement can change or leave."""
        lower, upper = database_of(self.release, self.sensitive).ask(self.fast)
        return Bounds(*(nan if end is None else float(end) for end in (lower, upper)))

    def __repr__(self) -> str:
        return f"Rewriting({self.query!r})\n{self.sql}"


def rewrite(query: Query | str, release: SplitRelease) -> Rewriting:
    """Rewrite a question so that a database answers it from permuted table and help table.

    First the rows that meet the conditions are counted in each group; these hits are then looked
    up in the help table, whose bounds are put together.

    Parameters
    ----------
    query
        A `Query`, or a text in SQL, which is taken apart and never run.
    release
        What `mask.permute_sensitive` or `mask.anatomize` published.

    Returns
    -------
    Rewriting
        The statement, and ``run()`` for its bounds, the same as those of `answer`.

    Raises
    ------
    SchemaError
        If the release is no such one, does not promise its values, or was permuted column by
        column, so that its rows are nobody's.
    RecordError
        If a condition is on a sensitive column, or another column is asked for.

    References
    ----------
    [QZ]_ section 2.5.2

    Notes
    -----
    The hits of a group are exact only if every condition is on columns that were published
    together; which sensitive value belongs to which row is what the permutation hides. Where no
    row meets the conditions the text says nothing: here sum and count are 0, the others have no
    value. What is run reads the published table once, the mapping and the help table having been
    put beside it beforehand. DuckDB (``pip install verikit[jupyter]``) runs inside this process,
    without files, network or extensions, in a transaction that only reads. Our bounds are called
    sum_lower where the text writes sum-lb.

    Examples
    --------
    >>> import verikit as vk
    >>> query = "select min(salary) from t where gender = 'F'"
    >>> print(rewrite(query, vk.published("qz_table2_3")).sql)
    with r1 as (
      select group_id, count(*) as hits from mt
      where tuple_id in (select tuple_id from pt where "gender" in ('F'))
      group by group_id
    )
    select min(min_lower), min(min_upper)
    from ht join r1 using (group_id, hits)
    """
    asked = read_query(query)
    _check_release(release)
    tree = bind_conditions(asked.where, release.schema, spellings=blocks(release).find_spellings)
    _check_conditions(tree, release)
    column = _find_sensitive(asked, release)
    # step 1 counts the rows that meet the conditions in each group, as in the text and fast
    where = "" if tree is None else f" where {write_where(tree)}"
    source = f"from mt\n  where tuple_id in (select tuple_id from pt{where})"  # noqa: S608 - quoted
    sql = _write_statement(asked, source, AS_NAMED, "from ht join r1 using (group_id, hits)")
    source = f"from joined{where}"
    fast = _write_statement(asked, source, AS_LISTED, "from folded join r1 using (group_id)")
    return Rewriting(asked, sql, fast, release, column)


def _write_statement(query: Query, source: str, bounds: Mapping[str, str], lookup: str) -> str:
    """Write both steps as one statement: the hits, looked up in the help table."""
    wanted = ", ".join(end.format(**bounds) for end in ASKED[query.aggregate])
    counted = f"  select group_id, count(*) as hits {source}\n  group by group_id"
    return f"with r1 as (\n{counted}\n)\nselect {wanted}\n{lookup}"


def _check_release(release: object) -> None:
    if not by_groups(release):
        raise SchemaError(_say_undefined(release, "A query was rewritten for"))
    if release.permuted:
        raise SchemaError(
            "The columns of the release were shuffled one by one, so its rows are nobody's and "
            "cannot be counted together; ask verikit.answer instead."
        )
    if release.promise not in ("another order", "covers"):
        raise SchemaError(
            f"The release promises {release.promise!r}, so no bound from it is certain; expected "
            "'another order', as mask.permute_sensitive promises."
        )


def _say_undefined(release: object, asked: str) -> str:
    instead = "analyst.count_links and its like" if by_nodes(release) else "verikit.answer"
    return (
        f"{asked} {type(release).__name__}; expected a release in two tables joined by groups, as "
        "mask.permute_sensitive and mask.anatomize make. For others no help table is defined: ask "
        f"{instead}."
    )


def _check_conditions(tree: Tree | None, release: SplitRelease) -> None:
    asked = sorted(frozenset() if tree is None else tree.columns)
    hidden = [name for name in asked if release.schema[name].role == "sensitive"]
    if hidden:
        raise RecordError(
            f"A condition asks for {listed(hidden)}, which is sensitive: which value belongs to "
            "which row is just what the permutation hides, so hits cannot be counted; ask for the "
            "other columns, or let verikit.answer give an interval."
        )
    part = blocks(release).parts[0]
    vague = [name for name in asked if not part.columns[name].clear]
    if vague:
        raise RecordError(
            f"A condition asks for {listed(vague)}, whose cells stand for several values, so hits "
            "are not exact; ask verikit.answer instead."
        )


def _find_sensitive(query: Query, release: SplitRelease) -> str:
    """Find the sensitive column of numbers that the help table is of."""
    if query.of is None:
        return release.number().name
    name = find_column(query.of, release.schema)
    if release.schema[name].role != "sensitive":
        raise RecordError(
            f"The {query.aggregate} of {name!r} was asked for, which was published as it is; the "
            "help table is of sensitive numbers, so ask verikit.answer instead."
        )
    return release.number(name).name


def help_rows(query: Query | str, release: SplitRelease) -> pd.DataFrame:
    """Look up which lines of the help table a question uses: one for each group it selects from.

    Parameters
    ----------
    query
        A `Query`, or a text in SQL, which is taken apart and never run.
    release
        What `mask.permute_sensitive` or `mask.anatomize` published.

    Returns
    -------
    DataFrame
        The columns ``group``, ``hits`` and the bounds that are put together: sums and averages add
        those of the sum, extremes take the least or the greatest of theirs, a count the hits.

    Raises
    ------
    SchemaError, RecordError
        As `rewrite` raises them.

    References
    ----------
    [QZ]_ section 2.5.2, Table 2.4

    Notes
    -----
    These are the lines that the rewritten question joins, found without a database. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> query = "select sum(salary) from t where age between 35 and 55"
    >>> help_rows(query, vk.published("qz_table2_3")).to_numpy().tolist()
    [['1', 3, 165000, 165000], ['2', 3, 210000, 210000], ['3', 2, 155000, 165000]]
    """
    rewritten = rewrite(query, release)
    asked = rewritten.query
    seen = blocks(release)
    tree = bind_conditions(asked.where, release.schema, spellings=seen.find_spellings)
    met = Counting(seen).count(tree).low
    table = help_table(release, rewritten.sensitive)
    sizes = np.bincount(release.labels.sensitive, minlength=len(met))
    lines = table[table["hits"].to_numpy() == np.repeat(met, sizes)]
    part = {"count": None, "avg": "sum"}.get(asked.aggregate, asked.aggregate)
    names = [] if part is None else [f"{part}_lower", f"{part}_upper"]
    return lines[["group", "hits", *names]].reset_index(drop=True)


def write_where(tree: Tree) -> str:
    """Write a tree of conditions in SQL, where a missing value meets none.

    Examples
    --------
    >>> from verikit.query import Leaf
    >>> print(write_where(Leaf("Age", Numbers(((20.0, 0), (30.5, 1))))))
    ("Age" >= 20 and "Age" <= cast('30.5' as double))
    """
    if isinstance(tree, Joined):
        word = " and " if tree.every else " or "
        return "(" + word.join(map(write_where, tree.parts)) + ")"
    name, values = quote_name(tree.name), tree.values
    if isinstance(values, Numbers):
        ends = zip(values.cuts[::2], values.cuts[1::2], strict=True)
        ranges = [_write_range(name, *pair) for pair in ends]
        return ranges[0] if len(ranges) == 1 else f"({' or '.join(ranges)})" if ranges else "false"
    if not values.names:
        return f"{name} is not null" if values.besides else "false"
    word = "not in" if values.besides else "in"
    return f"{name} {word} ({', '.join(map(quote_text, sorted(values.names)))})"


def _write_range(name: str, start: Cut, end: Cut) -> str:
    found = []
    if start != FIRST:
        found.append(f"{name} {'>' if start[1] else '>='} {_write_number(start[0])}")
    if end != LAST:
        found.append(f"{name} {'<=' if end[1] else '<'} {_write_number(end[0])}")
    if not found:
        return f"{name} is not null"
    return found[0] if len(found) == 1 else f"({' and '.join(found)})"


def _write_number(value: float) -> str:
    """Write a number that the database reads as the very same one."""
    if float(value).is_integer() and abs(value) < MAX_WHOLE:
        return text(value)
    return f"cast('{float(value)!r}' as double)"


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
        try:
            import duckdb
        except ImportError:
            raise RecordError(
                "Rewritten queries run in DuckDB; install it with  pip install 'verikit[jupyter]', "
                "or ask verikit.answer, which needs nothing more."
            ) from None
        self.connection = duckdb.connect(":memory:", config=LOCKED)
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
            return cast("tuple[Any, ...]", cursor.execute(parsed[0]).fetchone())


def _make_tables(release: SplitRelease, sensitive: str) -> dict[str, pd.DataFrame]:
    """Tables for those of [QZ]_ section 2.5.2; ``group_id`` counts the groups in their order."""
    known: dict[str, Any] = {}
    for column in release.known:
        values = release.quasi[column.name]
        if column.kind == "numeric":
            whole = values.dtype.kind == "i"
            known[column.name] = values.array if whole else values.to_numpy(np.float64)
        else:
            texts = values.map(text, na_action="ignore").astype(object)
            known[column.name] = texts.where(values.notna(), None)
    names = [name.lower() for name in known]  # a database does not tell "Age" from "age"
    if {"tuple_id", "group_id"} & set(names) or len(set(names)) < len(names):
        raise RecordError(
            f"The columns {listed(known, 12)} cannot stand in one database table beside tuple_id "
            "and group_id, because names that differ in case only are one there; rename them, or "
            "ask verikit.answer."
        )
    bounds = help_table(release, sensitive)
    place = pd.Series(range(len(release.labels.names)), index=release.labels.names)
    bounds.insert(0, "group_id", _narrow_ids(place[bounds.pop("group")].to_numpy()))
    own = {"tuple_id": np.arange(len(release)), "group_id": _narrow_ids(release.labels.quasi)}
    return {"joined": pd.DataFrame({**own, **known}), "ht": bounds}


def _narrow_ids(ids: Any) -> Any:
    """Whole numbers from 0 in as few bytes as they need: fewer of them are read."""
    return ids.astype(np.min_scalar_type(int(ids.max(initial=0))))


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
        raise SchemaError(_say_undefined(release, "A help table was asked of"))
    column = release.number(sensitive)
    values = release.sensitive[column.name]
    if values.isna().any() or not pd.api.types.is_numeric_dtype(values.dtype):
        raise SchemaError(
            f"Column {column.name!r} has missing values or ranges, so the bounds of a number of "
            "hits are not known; ask verikit.answer instead."
        )
    return make_help_table(values, release.labels.sensitive, release.labels.names)
