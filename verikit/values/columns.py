"""What is known about a column: role, kind, order, words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.requests import number
from verikit.errors import RecordError, SchemaError, quoted
from verikit.languages import keep_number, tell
from verikit.values.dates import DAYS, date_text, find_days
from verikit.values.names import text

if TYPE_CHECKING:
    from verikit.hierarchy import Hierarchy

__all__ = [
    "Column", "Kind", "Role", "Scores", "list_known", "refuse_value",
]  # fmt: skip

MAX_LISTED, MAX_LETTERS = 12, 320
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?")
RANGE = re.compile(
    rf"{NUMBER.pattern}|[\[(](?:{NUMBER.pattern}|-inf), (?:{NUMBER.pattern}|inf)[\])]"
)
NUMERAL = re.compile(rf"{RANGE.pattern}|\{{{NUMBER.pattern}(?:, {NUMBER.pattern})*\}}")

Role: TypeAlias = Literal["identifier", "quasi", "sensitive", "other", "weight", "household"]
NEVER_RELEASED: tuple[Role, ...] = ("identifier", "weight", "household")

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
        ``other``; of a sample also ``weight`` (of how many people a record stands for) and
        ``household`` (whose members share a value), which are not released either.
    kind
        ``numeric``, ``ordinal`` (categories with an order) or ``nominal`` (without).
    hierarchy, order
        The groups of the categories, or their order from first to last.
    unit, label
        Words for the screen: ``"kg"``, ``"body weight"``. Numbers in the unit ``"days since
        1970-01-01"`` are dates, and are shown and typed as such.
    words
        Whether each cell is a word, even one that looks like a band or a set: ``<=50K``, ``{a}``.
    domain
        The least and the greatest number that a value can be; a typed one beyond them is told.

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
    words: bool = False
    domain: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Refuse words and orders that do not fit together."""
        object.__setattr__(self, "name", text(self.name))
        if self.order is not None:
            object.__setattr__(self, "order", tuple(map(text, self.order)))
        known = {"unit": (), "label": (), "role": get_args(Role), "kind": get_args(Kind)}
        for what, words in known.items():
            given = getattr(self, what)
            if not isinstance(given, str) or (words and given not in words):
                this = f"one of {', '.join(words)}" if words else "text"
                raise SchemaError(
                    f"Column {quoted(self.name)} has the {what} {quoted(given)}; expected {this}."
                )
        if self.domain is not None:
            ends = tuple(self.number(end) for end in self.domain)
            if self.kind != "numeric" or len(ends) != 2 or ends[0] > ends[1]:
                raise SchemaError(
                    f"Column {quoted(self.name)} has the domain {quoted(self.domain)}; expected "
                    "the least and the greatest number of a numeric column."
                )
            object.__setattr__(self, "domain", ends)
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

        Sentences and tables write what has decimals in the language that is spoken.

        Examples
        --------
        >>> born = Column("born", unit="days since 1970-01-01")
        >>> born.shown(10956), born.shown("[10956, 10961]"), Column("age").shown(41.0)
        ('1999-12-31', '[1999-12-31, 2000-01-05]', '41')
        """
        name = text(value)
        if self.kind == "numeric" and not self.dated and "." in name and NUMERAL.fullmatch(name):
            return keep_number(name)
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
        days = find_days(value) if self.dated else None
        return number(value, self.name) if days is None else days

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
        return np.r_[np.where(place < 0, np.nan, place), np.nan][codes]

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
