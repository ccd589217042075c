"""Tables and what is known about their columns: the values that everything else takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._fit import fitted
from verikit._guard import guard, named
from verikit._read import MISSING, read_people
from verikit.errors import RecordError, SchemaError, quoted
from verikit.hierarchy import Hierarchy, listed, text

__all__ = ["Column", "Kind", "Microdata", "Role", "Schema", "read"]

Role: TypeAlias = Literal["identifier", "quasi", "sensitive", "other"]
Kind: TypeAlias = Literal["numeric", "ordinal", "nominal"]
NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "empty")
Scores: TypeAlias = npt.NDArray[np.float64]


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
        Words for the screen: ``"kg"``, ``"body weight"``.

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
        _check_words(self)
        if self.order is not None:
            object.__setattr__(self, "order", tuple(map(text, self.order)))
        _check_word("role", self.role, get_args(Role), self.name)
        _check_word("kind", self.kind, get_args(Kind), self.name)
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
    def categories(self) -> tuple[str, ...] | None:
        """The declared categories in their order; None where the table itself declares them."""
        if self.order is not None:
            return self.order
        return self.hierarchy.order() if self.hierarchy is not None else None

    @property
    def ranked(self) -> bool:
        """Whether the values of this column have an order, so that ranks make sense."""
        return self.kind == "numeric" or self.categories is not None

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
            return number(value, self.name)
        name, categories = text(value), self.categories
        if categories is None:
            return float(self.scores(pd.Series([name]))[0])
        if name not in categories:
            raise RecordError(
                f"{quoted(name)} is not a category of {quoted(self.name)}; it has "
                f"{listed(categories, 12)}."
            )
        return float(categories.index(name))


def number(value: object, name: str) -> float:
    """Read one finite number, or say what it is instead.

    Examples
    --------
    >>> number("100.87", "X1")
    100.87
    """
    try:
        found = float(cast("float", value))
    except (TypeError, ValueError):
        raise RecordError(
            f"{quoted(name)} was given as {quoted(value)}; expected a number."
        ) from None
    except OverflowError:
        found = np.inf
    if not np.isfinite(found):
        raise RecordError(f"{quoted(name)} was given as {quoted(value)}; expected a finite number.")
    return found


def _check_word(what: str, word: str, known: Sequence[str], name: str) -> None:
    if word not in known:
        raise SchemaError(
            f"Column {quoted(name)} has the {what} {quoted(word)}; expected one of "
            f"{', '.join(known)}."
        )


def _check_words(column: Column) -> None:
    for what in ("unit", "label"):
        given = getattr(column, what)
        if not isinstance(given, str):
            raise SchemaError(
                f"Column {quoted(column.name)} has the {what} {quoted(given)}; expected text."
            )


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
        """Describe a frame by its dtypes: numbers are numeric, all else nominal, all quasi.

        Roles may be given by column name: ``Schema.guess(frame, diagnosis="sensitive")``.
        """
        unknown = [name for name in roles if name not in map(text, frame.columns)]
        if unknown:
            raise SchemaError(
                f"Roles were given for {listed(unknown)}, but the table has "
                f"{listed(frame.columns, 12)}."
            )
        return cls(
            tuple(
                Column(text(name), roles.get(text(name), "quasi"), _kind(values))
                for name, values in frame.items()
            )
        )

    def __getitem__(self, name: str) -> Column:
        if name in self._by_name:
            return self._by_name[name]
        raise RecordError(
            f"There is no column {quoted(name)}; the table has {listed(self.names, 12)}."
        )

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(column.name for column in self.columns)

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


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class Microdata:
    """A table of records, one line a person, with what is known about its columns.

    Numbers are held as numbers, categories as categories in their declared order; the row index
    of the given frame is dropped, so that nothing can depend on it.

    Parameters
    ----------
    frame
        The records.
    schema
        Its columns; `Schema.guess` where none is given.

    Raises
    ------
    SchemaError
        If frame and schema disagree: in one sentence, with the column and the value.

    Examples
    --------
    >>> data = Microdata(pd.DataFrame({"age": [34, 51], "job": ["clerk", "welder"]}))
    >>> data.record(1)
    {'age': 51, 'job': 'welder'}
    """

    frame: pd.DataFrame
    schema: Schema = field(default=None)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Hold a checked copy of the frame in the schema's terms."""
        if not isinstance(self.frame, pd.DataFrame):
            raise SchemaError(
                f"A table was given as {type(self.frame).__name__}; expected a pandas DataFrame "
                "(verikit.read takes files)."
            )
        schema = Schema.guess(self.frame) if self.schema is None else self.schema
        if not isinstance(schema, Schema):
            raise SchemaError(
                f"A schema was given as {type(schema).__name__}; expected verikit.Schema."
            )
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "frame", fitted(self.frame, schema))

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        names = ", ".join(self.schema.names)
        return f"Microdata({len(self)} records of {names})"

    def _repr_html_(self) -> str:
        return str(self.frame.to_html(max_rows=12))

    def record(self, place: int) -> dict[str, Any]:
        """The record at a place, counted from 0, as a dictionary."""
        if not -len(self) <= place < len(self):
            raise RecordError(
                f"There is no record {place}; the table has {len(self)}, counted from 0."
            )
        return {name: _plain(self.frame[name].iloc[place]) for name in self.schema.names}

    def take(self, rows: npt.NDArray[np.intp]) -> Microdata:
        """The records at the given places, in that order."""
        return Microdata(self.frame.take(rows), self.schema)

    def only(self, *names: str) -> Microdata:
        """The same records with some of the columns, in that order."""
        return Microdata(self.frame[list(names)], Schema(tuple(self.schema[n] for n in names)))

    def scores(self, name: str) -> Scores:
        """One column as numbers in its order (see `Column.scores`)."""
        return self.schema[name].scores(self.frame[name])

    def codes(self, name: str) -> tuple[npt.NDArray[np.intp], pd.Index[Any]]:
        """One column as codes and the sorted values they stand for; -1 where a value is missing."""
        values = self.frame[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            return values.cat.codes.to_numpy().astype(np.intp), values.cat.categories
        codes, found = pd.factorize(values, sort=True)
        return codes, pd.Index(found)

    def canonical_order(self, *ties: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The places of the records sorted by their values, whatever order they were given in.

        Equal records are told apart by further codes from 0 up, if any are given.
        """
        first = self.frame.iloc[:, 0].to_numpy()
        if first.dtype.kind in "fi":
            order = np.argsort(first)
            if bool((np.diff(first[order]) > 0).all()):  # untied, so no other column matters
                return order
        keys, span = np.zeros(len(self), np.int64), 1
        columns = [self.codes(name)[0] for name in self.schema.names]
        for codes in (*columns, *ties) if len(self) else ():
            size = int(codes.max()) + 2
            if span * size > 2**62:
                return np.lexsort((*ties[::-1], *columns[::-1]))
            keys = keys * size + (codes + 1)
            span *= size
        return np.argsort(keys)


def _plain(value: Any) -> Any:
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _kind(values: pd.Series[Any]) -> Kind:
    found = pd.api.types.infer_dtype(values, skipna=True)
    return "numeric" if found in NUMBERS else "nominal"


def read(
    source: str | Path | pd.DataFrame,
    schema: Schema | None = None,
    *,
    missing: Sequence[str] = MISSING,
    **options: Any,
) -> Microdata:
    """Read a table from a CSV file, a Parquet file or a frame.

    Codes with leading zeros (``02138``) stay text.

    Parameters
    ----------
    source
        A path or a frame.
    schema
        What is known about the columns; `Schema.guess` where nothing is given.
    missing
        The marks that stand for a missing value in a CSV file, and no others.
    options
        Further options for `pandas.read_csv` or `pandas.read_parquet`.

    Returns
    -------
    Microdata
        The records, every one of them.

    Raises
    ------
    FormatError
        If the file cannot be read as a table.
    SchemaError
        If table and schema disagree.

    Examples
    --------
    >>> read(pd.DataFrame({"age": [34, 51], "job": ["clerk", "welder"]}))
    Microdata(2 records of age, job)
    """
    if isinstance(source, pd.DataFrame):
        return Microdata(source, cast("Schema", schema))
    textual = None if schema is None else schema.textual
    with guard(named(source)):
        frame = read_people(source, textual, missing=missing, **options)
        return Microdata(frame, cast("Schema", schema))
