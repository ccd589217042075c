"""A release in two tables that share nothing but the number of a group."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit._support.requests import one_of
from verikit._support.skip_validation import make_unchecked
from verikit.errors import SchemaError, quoted
from verikit.release._kinds import KINDS, Promise, Published, Tables, require_frame, require_promise
from verikit.table import Column, Role, Schema, fit_frame
from verikit.words import count, listed, text

GROUP = "Group-ID"
ROWS = "people", "links", "untold"


class Labels(NamedTuple):
    """The groups of a split release: their names, and the place of each row's group among them."""

    names: pd.Index[Any]
    quasi: Rows
    sensitive: Rows


@KINDS.register
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class SplitRelease(Published):
    """Two published tables: what others may know, and what is sensitive, joined by groups only.

    Parameters
    ----------
    quasi
        The quasi-identifying and other columns, and the group of each row.
    sensitive
        The group of each row, and the sensitive columns.
    schema
        The columns of the original, without the group; the sensitive ones are put last.
    method, parameters
        How it was made, complete but for the randomness.
    permuted
        Whether the columns were shuffled one by one inside the groups, so that a row of the quasi
        table is no person's.
    help
        A table of bounds by group and number of hits, where the method publishes one; it must be
        what the sensitive values give.
    group
        The name of the column that holds the group.
    promise
        What the publisher promises about the values, as for a `TableRelease`; ``"another order"``
        where each group holds just the original values, cut off from each other.
    about
        What the publisher says of the publication, by name; see `Published.describing`.
    rows
        What a row is: ``"people"`` where each is another person, ``"links"`` where those with the
        same values are one person's, such as her links, visits or purchases.
    apart
        Whether the sensitive columns were shuffled one by one inside the groups, so that what goes
        with what is not told.

    Raises
    ------
    SchemaError
        If the tables do not fit the schema or each other: a group with more rows in one of them,
        or a help table that says something else than the values.

    References
    ----------
    [LHCC]_ Definition 1, Tables 3 and 4

    Examples
    --------
    >>> import verikit as vk
    >>> vk.published("lhcc_table4")
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method permute_all)
    """

    kind: ClassVar[str] = "split"
    by_groups: ClassVar[bool] = True
    quasi: pd.DataFrame
    sensitive: pd.DataFrame
    schema: Schema
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    permuted: bool = False
    help: pd.DataFrame | None = None
    group: str = GROUP
    promise: Promise = "untold"
    about: Mapping[str, str] = field(default_factory=dict)
    rows: str = "untold"
    apart: bool = False
    labels: Labels = field(init=False)

    def __post_init__(self) -> None:
        """Hold checked copies of both tables, and the groups of their rows."""
        self._check_and_hold(known=())

    @classmethod
    def _of(cls, known: Container[str], **said: Any) -> SplitRelease:
        """A release of our own; columns that are known come from a checked table as they were."""
        made = make_unchecked(cls, **said)
        made._check_and_hold(known)
        return made

    def _check_and_hold(self, known: Container[str]) -> None:
        self._hold_facts()
        object.__setattr__(self, "group", text(self.group))
        one_of(self.rows, "rows", ROWS)
        if not self.permuted and not (self.schema.sensitive and self.known):
            raise SchemaError(
                "A split release needs a sensitive column and a column that is not, unless every "
                f"column was shuffled; the schema has {len(self.schema.sensitive)} sensitive of "
                f"{len(self.schema)} columns."
            )
        if self.group in self.schema.names:
            raise SchemaError(
                f"The column {quoted(self.group)} would hold both data and groups; rename the "
                "column or choose another name for the group."
            )
        ordered = Schema((*self.known, *self.schema.sensitive))  # as the two tables have them
        object.__setattr__(self, "schema", ordered)
        for name in ("quasi", "sensitive"):
            frame = _require_groups(getattr(self, name), self.group, name)
            object.__setattr__(self, name, frame)
            schema = self.quasi_schema if name == "quasi" else self.sensitive_schema
            object.__setattr__(self, name, fit_frame(frame, schema, nodes=True, known=known))
        ids = [table[self.group] for table in (self.quasi, self.sensitive)]
        if not all(pd.api.types.is_numeric_dtype(part) for part in ids):
            ids = [part.map(text).astype(object) for part in ids]
        # both tables at once, so that a group has one number in both
        codes, names = pd.factorize(np.concatenate([part.to_numpy() for part in ids]), sort=True)
        labels = Labels(pd.Index(names), codes[: len(self.quasi)], codes[len(self.quasi) :])
        object.__setattr__(self, "labels", labels)
        check_sizes(self.labels, self.parameters)
        if self.help is not None:
            object.__setattr__(self, "help", _require_help(self, self.help))

    @classmethod
    def of(
        cls,
        quasi: pd.DataFrame,
        sensitive: pd.DataFrame,
        schema: Schema | None = None,
        *,
        group: str = GROUP,
        count: str | None = None,
        permuted: bool = False,
        promise: str = "untold",
    ) -> SplitRelease:
        """A pair of tables made elsewhere; ``count`` names a column of counts in the second.

        The schema is guessed where none is given: all columns of the first table quasi-identifying,
        all of the second sensitive.
        """
        quasi, sensitive = (
            require_frame(frame, "A table", "two DataFrames") for frame in (quasi, sensitive)
        )
        if count is not None:
            sensitive = _repeat_by_counts(sensitive, count)
        if schema is None:
            hidden = Schema.guess(sensitive.drop(columns=group, errors="ignore"))
            roles = [Column(c.name, "sensitive", c.kind) for c in hidden]
            known = Schema.guess(quasi.drop(columns=group, errors="ignore"))
            schema = Schema((*known, *roles))
        told = require_promise(promise)
        return cls(quasi, sensitive, schema, permuted=permuted, group=group, promise=told)

    def __len__(self) -> int:
        return len(self.quasi)

    def __repr__(self) -> str:
        method = f"; method {self.method}" if self.method else ""
        known, hidden = (
            ", ".join(c.name for c in part) or "nothing"
            for part in (self.known, self.schema.sensitive)
        )
        return (
            f"SplitRelease({count(len(self), 'record')} in "
            f"{count(len(self.labels.names), 'group')}, "
            f"of {known} | {hidden}{method})"
        )

    @property
    def asked(self) -> tuple[Column, ...]:
        """The columns that a person is asked for: all, where none is said to be known."""
        return self.schema.quasi or tuple(self.schema)

    def known_as(self, names: Collection[str]) -> SplitRelease:
        """The release as somebody sees it who knows some columns, which then make the first table.

        That is the same release where every column was shuffled by itself ([LHCC]_ section 2.2).

        Examples
        --------
        >>> import verikit as vk
        >>> vk.published("lhcc_table4").known_as(["Disease"])
        SplitRelease(9 records in 2 groups, of Disease | Age, Sex; method permute_all)
        """
        order = [np.argsort(part, kind="stable") for part in self.labels[1:]]
        sides = (self.quasi.iloc[order[0]], self.sensitive.iloc[order[1]])
        frame = pd.concat([part.reset_index(drop=True) for part in sides], axis=1)
        frame = frame.loc[:, ~frame.columns.duplicated()]
        roles: tuple[Role, Role] = ("sensitive", "quasi")
        columns = tuple(replace(c, role=roles[c.name in names]) for c in self.schema)
        first = [self.group, *(c.name for c in columns if c.role == "quasi")]
        second = [self.group, *(c.name for c in columns if c.role != "quasi")]
        parts = {"quasi": frame[first], "sensitive": frame[second], "schema": Schema(columns)}
        return replace(self, **parts)

    def number(self, name: str | None = None) -> Column:
        """The sensitive column of numbers: the one named, the one masked, or the only one."""
        asked = name if name is not None else self.parameters.get("sensitive")
        found = [c for c in self.schema.sensitive if c.kind == "numeric"]
        found = [c for c in found if asked is None or (isinstance(asked, str) and c.name == asked)]
        if len(found) == 1:
            return found[0]
        wanted = "" if asked is None else f" called {quoted(text(asked))}"
        raise SchemaError(
            f"The release has {len(found)} sensitive columns of numbers{wanted} among "
            f"{listed(c.name for c in self.schema.sensitive)}; expected one, or its name."
        )

    @property
    def known(self) -> tuple[Column, ...]:
        """The columns of the quasi table, without the group."""
        return tuple(c for c in self.schema if c.role != "sensitive")

    def find_sensitive(self, name: str | None) -> str:
        """The sensitive column asked for, or the only one."""
        return Schema(self.schema.sensitive or self.schema.columns).find_sensitive(name)

    def list_parts(self, *, sensitive: bool) -> list[list[str]]:
        """The columns of one table, each by itself where they were shuffled one by one."""
        names = [c.name for c in (self.schema.sensitive if sensitive else self.known)]
        apart = self.permuted or (sensitive and self.apart)
        return [[name] for name in names] if apart else [names]

    def told_of(self, name: str) -> Mapping[str, Any]:
        """What the method says of one sensitive column: of several by column, as ``columns``."""
        if len(self.schema.sensitive) == 1:
            return self.parameters
        told = self.parameters.get("columns")
        own = told.get(name) if isinstance(told, Mapping) else None
        return {**self.parameters, **own} if isinstance(own, Mapping) else {}

    @property
    def sizes(self) -> Rows:
        """The number of records in each group."""
        return np.bincount(self.labels.quasi, minlength=len(self.labels.names))

    @property
    def quasi_schema(self) -> Schema:
        """The columns of the quasi table, the group last."""
        return Schema((*self.known, _group_column(self.quasi, self.group)))

    @property
    def sensitive_schema(self) -> Schema:
        """The columns of the sensitive table, the group first."""
        return Schema((_group_column(self.sensitive, self.group), *self.schema.sensitive))

    def tables(self) -> Tables:
        """What was published: both tables, and the help table where there is one."""
        found = {
            "quasi": (self.quasi, self.quasi_schema),
            "sensitive": (self.sensitive, self.sensitive_schema),
        }
        if self.help is not None:
            found["help"] = (self.help, Schema.guess(self.help))
        return found

    def facts(self) -> Mapping[str, Any]:
        """What is saved besides: the group, how columns were shuffled, what a row is if told."""
        told = {"permuted": self.permuted, "group": self.group}
        told |= {"apart": True} if self.apart else {}
        return told if self.rows == "untold" else told | {"rows": self.rows}

    @classmethod
    def parts(cls, tables: Tables, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its own, from the tables and what was said about them."""
        group = facts["group"]
        (quasi, known), (sensitive, hidden) = tables["quasi"], tables["sensitive"]
        return {
            "quasi": quasi,
            "sensitive": sensitive,
            "schema": Schema(tuple(c for c in (*known, *hidden) if c.name != group)),
            "permuted": bool(facts.get("permuted", False)),
            "apart": bool(facts.get("apart", False)),
            "help": tables["help"][0] if "help" in tables else None,
            "group": group,
            "rows": facts.get("rows", "untold"),
        }


def _require_groups(frame: pd.DataFrame, group: str, table: str) -> pd.DataFrame:
    if group not in map(text, frame.columns):
        raise SchemaError(
            f"The {table} table lacks the column {quoted(group)}, which holds the groups."
        )
    frame = frame.rename(columns=text)
    without = int(frame[group].isna().sum())
    if without:
        raise SchemaError(
            f"The {table} table has {without} rows without a group; every row belongs to one."
        )
    return frame


def _require_help(release: SplitRelease, table: pd.DataFrame) -> pd.DataFrame:
    if not isinstance(table, pd.DataFrame):
        raise SchemaError(
            f"The help table was given as {type(table).__name__}; expected a pandas DataFrame."
        )
    values = release.sensitive[release.number().name]
    if values.isna().any() or not pd.api.types.is_numeric_dtype(values.dtype):
        raise SchemaError("A help table needs a number of every record; leave it out.")
    frame = table.rename(columns=text).reset_index(drop=True)
    check_help(frame, values, release.labels.sensitive, release.labels.names)
    return frame


def _group_column(frame: pd.DataFrame, group: str) -> Column:
    numbers = pd.api.types.is_numeric_dtype(frame[group])
    return Column(group, "other", "numeric" if numbers else "nominal")


def _repeat_by_counts(frame: pd.DataFrame, count: str) -> pd.DataFrame:
    """One row a record instead of one row a value with its count."""
    if count not in frame.columns:
        raise SchemaError(f"The sensitive table lacks the column of counts {quoted(count)}.")
    counts = pd.to_numeric(frame[count], errors="coerce")
    if counts.isna().any() or (counts < 0).any() or (counts % 1 != 0).any():
        raise SchemaError(f"The column {quoted(count)} must hold whole numbers from 0 up.")
    rows = np.repeat(np.arange(len(frame)), counts.to_numpy(np.intp))
    return frame.drop(columns=count).iloc[rows]


def check_sizes(labels: Labels, parameters: Mapping[str, Any]) -> None:
    """Refuse a group with more rows in one table, but for the values that a method added.

    Such a method says in its parameter ``fakes`` how many values each group may hold besides those
    of its people.
    """
    told = parameters.get("fakes", 0)
    added = told if isinstance(told, int) and not isinstance(told, bool) else 0  # dummy values
    groups = len(labels.names)
    people, values = (
        np.bincount(part, minlength=groups) for part in (labels.quasi, labels.sensitive)
    )
    wrong = np.flatnonzero((values < people) | (values > people + added))
    if len(wrong):
        at, others = int(wrong[0]), ""
        if len(wrong) > 1:
            also = count(len(wrong) - 1, "other group disagrees", "other groups disagree")
            others = f" ({also} too: {listed(labels.names[wrong[1:]])})"
        besides = f", and up to {added} values that are nobody's" if added else ""
        raise SchemaError(
            f"Group {quoted(text(labels.names[at]))} has {people[at]} records in the quasi table "
            f"and {values[at]} in the sensitive table{others}; both must hold "
            f"every record once{besides}."
        )


BOUNDS = ("sum_lower", "sum_upper", "min_lower", "min_upper", "max_lower", "max_upper")
EXACT = 2.0**53
NEAR = 1e-9


def make_help_table(values: npt.ArrayLike, labels: Rows, names: pd.Index[Any]) -> pd.DataFrame:
    """Make the help table of numbers in groups: a line for each group and number of hits from 1.

    Parameters
    ----------
    values
        A number of each record.
    labels
        The place of each record's group among the names.
    names
        The groups.

    Examples
    --------
    >>> found = make_help_table([54, 55, 56], np.zeros(3, int), pd.Index(["a"]))
    >>> list(map(str, found.iloc[1]))
    ['a', '2', '109', '111', '54', '55', '55', '56']
    """
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu":
        numbers = numbers.astype(np.float64)
    order = np.lexsort((numbers, labels))
    ordered, group = numbers[order], labels[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(np.append(starts, len(group)))
    first, last = np.repeat(starts, sizes), np.repeat(starts + sizes - 1, sizes)
    hits = np.arange(len(group)) - first + 1
    back = first + last - np.arange(len(group))  # the same place counted from above
    return pd.DataFrame(
        {
            "group": names.take(group),
            "hits": hits,
            "sum_lower": _running_sums(ordered, starts, sizes),
            "sum_upper": _running_sums(ordered[back], starts, sizes),
            "min_lower": ordered[first],
            "min_upper": ordered[back],
            "max_lower": ordered,
            "max_upper": ordered[last],
        }
    )


def _running_sums(values: npt.NDArray[Any], starts: Rows, sizes: Rows) -> npt.NDArray[Any]:
    """Sum up each group from its first value on.

    Whole numbers are summed at once, as long as floats keep them; fractions group by group, so that
    small ones suffer from no large sum of the groups before.
    """
    whole = values.dtype.kind in "iu" and float(np.abs(values.astype(np.float64)).sum()) < EXACT
    if whole:
        total = np.cumsum(values)
        return np.asarray(total - np.repeat(total[starts] - values[starts], sizes))
    parts = [values[a : a + n].astype(np.float64).cumsum() for a, n in zip(starts, sizes)]  # noqa: B905
    return np.concatenate(parts)


def check_help(table: pd.DataFrame, values: Any, labels: Rows, names: pd.Index[Any]) -> None:
    """Refuse a help table that says anything but what the published values say.

    Bounds of some aggregates may be left out, as [QZ]_ Table 2.4 leaves out the maximum.

    Raises
    ------
    SchemaError
        If lines are missing, unknown or twice there, or a bound is another one.
    """
    held = [name for name in BOUNDS if name in table.columns]
    unknown = [name for name in map(text, table.columns) if name not in ("group", "hits", *BOUNDS)]
    if unknown or not held or not {"group", "hits"} <= set(table.columns):
        raise SchemaError(
            f"The help table has the columns {listed(table.columns, 8)}; expected group, hits and "
            f"some of {', '.join(BOUNDS)}."
        )
    truth = _by_group_and_hits(make_help_table(values, labels, names))
    given = _by_group_and_hits(table)
    if not given.index.is_unique or len(given) != len(truth):
        raise SchemaError(
            f"The help table has {len(given):,} lines, {given.index.nunique():,} of them different;"
            f" expected one for each group and number of hits, {len(truth):,} in all."
        )
    found = given.reindex(truth.index)
    absent = ~truth.index.isin(given.index)
    if absent.any():
        raise SchemaError(f"The help table lacks the line for {_name_line(truth, absent)}.")
    for name in held:
        _compare_bound(name, found, truth)


def _by_group_and_hits(table: pd.DataFrame) -> pd.DataFrame:
    hits = pd.to_numeric(table["hits"], errors="coerce")
    return table.set_index([table["group"].map(text).astype(object), hits.astype(np.float64)])


def _compare_bound(name: str, found: pd.DataFrame, truth: pd.DataFrame) -> None:
    told = pd.to_numeric(found[name], errors="coerce").to_numpy(np.float64)
    true = truth[name].to_numpy(np.float64)
    scale = np.maximum(np.abs(truth["max_upper"]), np.abs(truth["min_lower"])) * truth["hits"]
    wrong = ~(np.abs(told - true) <= NEAR * scale.to_numpy(np.float64))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise SchemaError(
            f"The help table gives {name} for {_name_line(truth, wrong)} as "
            f"{quoted(text(found[name].iloc[at]))}, but the published values give "
            f"{text(true[at])}; do not rely on either table."
        )


def _name_line(table: pd.DataFrame, chosen: Flags) -> str:
    group, hits = table.index[int(np.argmax(chosen))]
    return f"group {quoted(group)} and {text(hits)} hits"
