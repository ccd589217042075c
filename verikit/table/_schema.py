"""What is known about the columns of a table: role, kind, order, words."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.requests import number
from verikit.errors import RecordError, SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.languages import tell
from verikit.table._values import (
    DAYS,
    date_text,
    days_of,
    find_lost_whole,
    holds_dates,
    possible_days,
)
from verikit.words import listed, text

MAX_LISTED, MAX_LETTERS = 12, 320
NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "empty")


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table, in order.

    Parameters
    ----------
    columns
        Their descriptions, each name once.

    Examples
    --------
    >>> schema = Schema((Column("name", "identifier", "nominal"), Column("age")))
    >>> schema.names, schema["age"].kind, [column.name for column in schema.quasi]
    (('name', 'age'), 'numeric', ['age'])
    """

    columns: tuple[Column, ...]
    _by_name: Mapping[str, Column] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse an empty or repeated list of columns."""
        object.__setattr__(self, "columns", tuple(self.columns))
        names = [column.name for column in self.columns]
        object.__setattr__(self, "_by_name", dict(zip(names, self.columns, strict=True)))
        repeated = sorted(name for name, count in Counter(names).items() if count > 1)
        if not names:
            raise SchemaError("A schema needs at least one column; none was given.")
        if repeated:
            raise SchemaError(
                f"The schema names {listed(repeated)} more than once; name each column once."
            )

    @classmethod
    def guess(cls, frame: pd.DataFrame, **roles: Role) -> Schema:
        """Describe a frame by its dtypes: numbers are numeric, all else categories, all quasi.

        Whole numbers with more digits than a number keeps are names, such as those of accounts.

        Categories have an order where their dtype says so, as labels of other programs do. Dates
        without a time of day are numeric too, as days since 1970-01-01, which is their unit.

        Roles may be given by column name: ``Schema.guess(frame, diagnosis="sensitive")``.
        """
        unknown = [name for name in roles if name not in map(text, frame.columns)]
        if unknown:
            raise SchemaError(
                f"Roles were given for {listed(unknown)}, but the table has "
                f"{listed(frame.columns, 12)}."
            )
        found = (_guess_column(text(label), values) for label, values in frame.items())
        return cls(tuple(replace(one, role=roles.get(one.name, "quasi")) for one in found))

    def __getitem__(self, name: str) -> Column:
        if isinstance(name, str) and name in self._by_name:
            return self._by_name[name]
        raise RecordError(
            f"There is no column {quoted(name)}; the table has {listed(self.names, 12)}."
        )

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def to_frame(self) -> pd.DataFrame:
        """One line a column: what is known about it."""
        return pd.DataFrame(
            {
                "column": c.name,
                "role": c.role,
                "kind": c.kind,
                "unit": c.unit,
                "label": c.label,
                "categories": "" if c.categories is None else listed(c.categories),
            }
            for c in self.columns
        )

    def _repr_html_(self) -> str:
        from verikit._support import html

        return html.element("div", html.table(self.to_frame()), class_="vk")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self._by_name)

    @property
    def quasi(self) -> tuple[Column, ...]:
        """The columns that others may know about a person."""
        return tuple(column for column in self.columns if column.role == "quasi")

    @property
    def sensitive(self) -> tuple[Column, ...]:
        """The columns that must not be learned about a person."""
        return tuple(column for column in self.columns if column.role == "sensitive")

    @property
    def textual(self) -> tuple[str, ...]:
        """The names of the columns that hold categories, so that files read them as text."""
        return tuple(column.name for column in self.columns if column.kind != "numeric")

    @property
    def released(self) -> Schema:
        """The schema without its identifiers, which are never released."""
        kept = tuple(column for column in self.columns if column.role != "identifier")
        if not kept:
            raise SchemaError("Every column is an identifier, so nothing could be released.")
        return Schema(kept)

    def with_column(self, name: str, **changes: Any) -> Schema:
        """The same schema with one column described otherwise."""
        changed = replace(self[name], **changes)
        return Schema(tuple(changed if c.name == name else c for c in self.columns))


def _guess_column(name: str, values: pd.Series[Any]) -> Column:
    """Guess what a column holds: dates, ordered names, numbers, or names, as too long numbers."""
    if holds_dates(values):
        return Column(name, unit=DAYS)
    if isinstance(values.dtype, pd.CategoricalDtype) and values.dtype.ordered:
        names = tuple(map(text, values.dtype.categories))
        if names and len(set(names)) == len(names) and all(names):
            return Column(name, kind="ordinal", order=names)
    numbers = pd.api.types.infer_dtype(values, skipna=True) in NUMBERS
    return Column(
        name, kind="numeric" if numbers and find_lost_whole(values) is None else "nominal"
    )


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e\+\d+)?")
RANGE = re.compile(
    rf"{NUMBER.pattern}|[\[(](?:{NUMBER.pattern}|-inf), (?:{NUMBER.pattern}|inf)[\])]"
)
Role: TypeAlias = Literal["identifier", "quasi", "sensitive", "other"]
Kind: TypeAlias = Literal["numeric", "ordinal", "nominal"]
Scores: TypeAlias = Floats


@dataclass(frozen=True, slots=True)
class Column:
    """What is known about one column.

    Parameters
    ----------
    name
        The column's name in the table.
    role
        ``identifier`` (never released), ``quasi`` (others may know it), ``sensitive`` or
        ``other``.
    kind
        ``numeric``, ``ordinal`` (categories with an order) or ``nominal`` (without).
    hierarchy, order
        The groups of the categories, or their order from first to last.
    unit, label
        Words for the screen: ``"kg"``, ``"body weight"``. Numbers in the unit ``"days since
        1970-01-01"`` are dates, and are shown and typed as such.

    Examples
    --------
    >>> Column("stage", kind="ordinal", order=("I", "II", "III")).categories
    ('I', 'II', 'III')
    """

    name: str
    role: Role = "quasi"
    kind: Kind = "numeric"
    hierarchy: Hierarchy | None = None
    order: tuple[str, ...] | None = None
    unit: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        """Refuse words and orders that do not fit together."""
        object.__setattr__(self, "name", text(self.name))
        for what in ("unit", "label"):
            given = getattr(self, what)
            if not isinstance(given, str):
                raise SchemaError(
                    f"Column {quoted(self.name)} has the {what} {quoted(given)}; expected text."
                )
        if self.order is not None:
            object.__setattr__(self, "order", tuple(map(text, self.order)))
        for what, known in (("role", get_args(Role)), ("kind", get_args(Kind))):
            if getattr(self, what) not in known:
                raise SchemaError(
                    f"Column {quoted(self.name)} has the {what} {quoted(getattr(self, what))}; "
                    f"expected one of {', '.join(known)}."
                )
        if self.order is not None and len(set(self.order)) < len(self.order):
            raise SchemaError(f"The order of column {quoted(self.name)} names a category twice.")
        if self.kind == "ordinal" and self.order is None and self.hierarchy is None:
            raise SchemaError(
                f"Column {quoted(self.name)} is ordinal but has no order; give its categories from "
                "first to last."
            )

    @property
    def title(self) -> str:
        """The words for the screen: the label if there is one, else the name."""
        return self.label or self.name

    @property
    def dated(self) -> bool:
        """Whether its numbers are dates, counted in days."""
        return self.kind == "numeric" and self.unit == DAYS

    @property
    def apart(self) -> str:
        """The unit of a difference of two values."""
        return "days" if self.dated else self.unit

    @property
    def categories(self) -> tuple[str, ...] | None:
        """The declared categories in their order; None where the table itself declares them."""
        if self.order is not None:
            return self.order
        return self.hierarchy.order() if self.hierarchy is not None else None

    @property
    def ranked(self) -> bool:
        """Whether the values of this column have an order, so that ranks make sense."""
        return self.kind == "numeric" or self.categories is not None

    def shown(self, value: object) -> str:
        """A value, or a range of values, as people read it: of dates the dates.

        Examples
        --------
        >>> born = Column("born", unit="days since 1970-01-01")
        >>> born.shown(10956), born.shown("[10956, 10961]"), Column("age").shown(41.0)
        ('1999-12-31', '[1999-12-31, 2000-01-05]', '41')
        """
        name = text(value)
        if not self.dated or not RANGE.fullmatch(name):
            return name
        return NUMBER.sub(lambda found: date_text(float(found[0])), name)

    def number(self, value: object) -> float:
        """A value as a number: of a date, or of a text that can be no other, its days.

        Examples
        --------
        >>> (
        ...     Column("born", unit="days since 1970-01-01").number("2000-06-01"),
        ...     Column("age").number(41),
        ... )
        (11109.0, 41.0)
        """
        if self.dated and isinstance(value, dt.date) and value is not pd.NaT:
            return float(days_of(value))
        days = set(possible_days(value).values()) if self.dated and isinstance(value, str) else ()
        return float(*days) if len(days) == 1 else number(value, self.name)

    def scores(self, values: pd.Series[Any]) -> Scores:
        """The values as numbers in their order: themselves, or the places of the categories."""
        if self.kind == "numeric":
            return values.to_numpy(dtype=np.float64)
        categories = self.categories
        if categories is None:
            raise SchemaError(
                f"Column {quoted(self.name)} is nominal and has neither an order nor a hierarchy, "
                "so its values cannot be ranked; declare one, or leave the column out."
            )
        codes, found = pd.factorize(values)
        place = pd.Index(categories).get_indexer(pd.Index(found, dtype=object))
        places = np.r_[place, -1][codes].astype(np.float64)
        places[places < 0] = np.nan
        return places

    def score(self, value: object) -> float:
        """One value as a number in the column's order."""
        if self.kind == "numeric":
            return self.number(value)
        name, categories = text(value), self.categories
        if categories is None:
            return float(self.scores(pd.Series([name]))[0])
        if name not in categories:
            refuse_value(self, name, "no-category", known=list_known(categories))
        return float(categories.index(name))


def refuse_value(column: Column, given: str, says: str, **values: Any) -> NoReturn:
    """Refuse what is no value of a column, in a sentence of the table of refusals."""
    told = tell(says, name=quoted(column.name), given=quoted(given.strip()), **values)
    raise RecordError(told, field=column.name, value=given)


def list_known(known: Sequence[str]) -> str:
    """List the first of the values that a column has, fewer where they are long.

    Examples
    --------
    >>> list_known(["f", "m"]), list_known("abcdefghijklmnop")[-11:]
    ("'f', 'm'", "'k', 'l', …")
    """
    names = [*map(quoted, known[:MAX_LISTED])]
    while len(names) > 1 and sum(map(len, names)) > MAX_LETTERS:
        names.pop()
    return ", ".join([*names, "…"] if len(known) > len(names) else names)
