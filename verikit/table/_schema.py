"""What is known about the columns of a table: role, kind, order, words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from verikit.errors import RecordError, SchemaError, quoted
from verikit.values.columns import NEVER_RELEASED, Column, Role
from verikit.values.dates import DAYS, holds_dates
from verikit.values.names import list_repeated
from verikit.values.numbers import find_lost_whole
from verikit.words import listed, text

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
        if not names:
            raise SchemaError("A schema needs at least one column; none was given.")
        if repeated := list_repeated(names):
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
        """The schema without identifiers, weights and households, which are never released."""
        kept = tuple(column for column in self.columns if column.role not in NEVER_RELEASED)
        if not kept:
            raise SchemaError(
                "Every column is an identifier, weight or household; nothing could be released."
            )
        return Schema(kept)

    def find_sensitive(self, name: str | None) -> str:
        """The column that must not be learned: the one asked for, or the only sensitive one."""
        if name is None:
            found = [column.name for column in self.sensitive]
            if len(found) == 1:
                return found[0]
            raise SchemaError(
                f"The table has {len(found)} sensitive columns ({listed(found) or 'none'}); name "
                "one: sensitive='...'."
            )
        role = self[name].role
        if role == "quasi" or role in NEVER_RELEASED:
            raise SchemaError(
                f"Column {name!r} cannot be sensitive, because its role is {role!r}: whoever knows "
                "it has nothing to learn; give it the role 'sensitive'."
            )
        return name

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
