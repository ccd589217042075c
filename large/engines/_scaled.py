"""A published table, or one in two parts, that an engine reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import inf
from operator import and_, mul, or_
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from verikit import matching
from verikit._support.arrays import Ints
from verikit.cells import parse_intervals
from verikit.errors import SchemaError, quoted
from verikit.large import Stream, check_room
from verikit.query import Coded, Leaf, Names, Numbers, Tree, walk_up
from verikit.release import TableRelease
from verikit.scale._engine import Engine
from verikit.scale._source import EngineTable, number_or, score_column
from verikit.table import Column, Missing, Schema, fit_frame
from verikit.words import count


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scaled(Stream):
    """A published table of whole records that an engine reads.

    It is checked, judged and asked by the functions that take a table in memory: `verikit.check`,
    the models of `verikit.models` and `verikit.answer`.

    Parameters
    ----------
    source
        The table in its engine.
    schema
        Its columns.
    method, parameters, promise, reported_links, reported_luck, reported_without
        What is told of how it was made; see `TableRelease`.
    notes
        In sentences how it was read, where another reading was possible.
    """

    def __post_init__(self) -> None:
        """Refuse names under which an engine works something out."""
        _refuse_ours(self.schema)

    @property
    def engine(self) -> Engine:
        """The engine."""
        return self.held.engine

    @property
    def held(self) -> EngineTable:
        """The table in it."""
        return self.source if isinstance(self.source, EngineTable) else self.source.source  # type: ignore[attr-defined]

    def _make_release(self, frame: pd.DataFrame) -> TableRelease:
        """Cells that are ranges are intervals in memory."""
        told: Any = {"promise": self.promise, "notes": self.notes}
        fitted = fitted_cells(frame[list(self.schema.names)], tuple(self.schema))
        return TableRelease(fitted, self.schema, self.method, self.parameters, **told)

    def __repr__(self) -> str:
        names = ", ".join(self.schema.names)
        return f"Scaled({len(self):,} records of {names}; {self.engine.name})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScaledSplit:
    """A release in two tables that an engine reads, joined by groups only; see `SplitRelease`.

    Parameters
    ----------
    quasi, sensitive
        The two tables, each with the column of groups.
    schema
        The columns of the original, without the group.
    group
        The column that holds the group.
    method, parameters, promise
        What is told of how it was made.
    permuted
        Whether the columns were shuffled one by one inside the groups.
    apart
        Whether the sensitive columns were.
    """

    kind: ClassVar[str] = "scaled split"
    quasi: EngineTable
    sensitive: EngineTable
    schema: Schema
    group: str
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: str = "untold"
    permuted: bool = False
    apart: bool = False

    def __post_init__(self) -> None:
        """Refuse names under which an engine works something out."""
        _refuse_ours(self.schema)

    @property
    def engine(self) -> Engine:
        """The engine."""
        return self.quasi.engine

    def __len__(self) -> int:
        return self.quasi.rows

    def __repr__(self) -> str:
        known, hidden = (
            ", ".join(c.name for c in self.schema if (c.role == "sensitive") is side)
            for side in (False, True)
        )
        return f"ScaledSplit({len(self):,} records of {known} | {hidden}; {self.engine.name})"


def _refuse_ours(schema: Schema) -> None:
    for name in schema.names:
        if name.startswith("verikit_"):
            raise SchemaError(
                f"Column {quoted(name)} has a name as engines give it to what they work out here; "
                "rename it."
            )


def fitted_cells(frame: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Cells as a table in memory holds them: ranges as intervals, categories in their order."""
    spans = [
        column.name
        for column in columns
        if column.kind == "numeric" and not pd.api.types.is_numeric_dtype(frame[column.name])
    ]
    ranges = {name: parse_intervals(frame[name]) for name in spans}
    given = frame.assign(**{name: span for name, span in ranges.items() if span is not None})
    return fit_frame(given, Schema(tuple(columns)), nodes=True)


TIMES = "verikit_how_often"


@matching.classes_of.register
def _find_classes(table: Scaled, missing: Missing = "refuse") -> matching.Classes:
    """Each class is shown by one record; its size counts all."""
    return _count_classes(table.engine, table.held.table, matching.require_quasi(table), missing)


@matching.classes_of.register
def _find_groups(table: ScaledSplit, _missing: Missing = "refuse") -> matching.Classes:
    group = Column(table.group, "other", "nominal")
    return _count_classes(table.engine, table.quasi.table, [group], "own value")


def _count_classes(
    engine: Engine, table: Any, columns: Sequence[Column], missing: Missing
) -> matching.Classes:
    frame, times = _count_cells(engine, table, columns)
    _refuse_missing(frame, times, missing)
    found = matching.group_rows(frame, missing)
    return matching.Classes(found.labels, np.bincount(found.labels, times).astype(np.int64), frame)


@matching.holdings_of.register
def _find_holdings(
    table: Scaled, sensitive: str | None = None, missing: Missing = "refuse"
) -> matching.Holdings:
    quasi = matching.require_quasi(table)
    column = table.schema[table.schema.find_sensitive(sensitive)]
    return _find_cells(table.engine, table.held.table, (quasi, column), missing)


@matching.holdings_of.register
def _split_holdings(
    table: ScaledSplit, sensitive: str | None = None, missing: Missing = "refuse"
) -> matching.Holdings:
    column = table.schema[table.schema.find_sensitive(sensitive)]
    group = Column(table.group, "other", "nominal")
    return _find_cells(table.engine, table.sensitive.table, ([group], column), missing)


def _find_cells(
    engine: Engine, table: Any, columns: tuple[list[Column], Column], missing: Missing
) -> matching.Holdings:
    """Pairs of class and value, counted by the engine and put in order here."""
    quasi, column = columns
    frame, times = _count_cells(engine, table, [*quasi, column])
    names = [part.name for part in quasi]
    _refuse_missing(frame, times, missing)
    labels = matching.group_rows(frame[names], missing).labels
    sizes = np.bincount(labels, times).astype(np.int64)
    codes, values = matching.code_values(frame[column.name], column.name, missing)
    if isinstance(values, pd.RangeIndex):
        codes, there = matching.renumber(codes.astype(np.int64), len(values))
        values = values[there]
    overall = np.bincount(codes, times, len(values)).astype(np.int64)
    order = np.argsort(labels * len(values) + codes)
    classes = matching.Classes(labels, sizes, frame[names])
    place = codes[order].astype(np.int64)
    return matching.Holdings(column, values, labels[order], place, times[order], overall, classes)


def _count_cells(
    engine: Engine, table: Any, columns: Sequence[Column]
) -> tuple[pd.DataFrame, Ints]:
    """The different rows of some columns, and how often each occurs."""
    names = [column.name for column in columns]
    found = table.select(*names).group_by(names).agg(**{TIMES: lambda t: t.count()})
    kept = engine.kept(found)
    lines = int(engine.fetch(kept.count()))
    check_room(
        100 * lines * len(names),
        f"The table has {count(lines, 'class', 'classes')} or pairs of class and value, which",
        "make the columns coarser, or name fewer of them",
    )
    frame = engine.fetch(kept)
    engine.drop(kept)
    times = frame.pop(TIMES).to_numpy(np.int64)
    return fitted_cells(frame, columns), times


def _refuse_missing(frame: pd.DataFrame, times: Ints, missing: Missing) -> None:
    """Refuse missing values with the number of records that miss them."""
    if missing == "own value":
        return
    for name in frame:
        gaps = int(times[frame[name].isna().to_numpy()].sum())
        if 0 < gaps < times.sum():
            raise SchemaError(
                f"Column {name!r} has {count(gaps, 'missing value')} of {times.sum():,}; fill the "
                "gaps, or count them as a value of their own: missing='own value'."
            )


FEWEST = 50  # bytes a cell of the lookup takes at least


class ConditionMatch(NamedTuple):
    """Whether something surely holds, with what share, and whether it perhaps does, by row.

    ``clear`` says that nothing is open, so that all three are the same.
    """

    surely: Any
    share: Any
    perhaps: Any
    clear: bool


class Rows:
    """The rows of one table of a release, asked by conditions.

    Parameters
    ----------
    engine, table
        Where they are.
    schema
        Its columns.
    promise
        What is promised of its values; where they cover the true ones, a missing one may be any.
    """

    def __init__(self, engine: Engine, table: Any, schema: Schema, promise: str) -> None:
        self.engine, self.table, self.schema, self.promise = engine, table, schema, promise
        self.withheld, self.measured = promise == "covers", False
        self._cells: dict[str, tuple[Coded, pd.DataFrame]] = {}

    def __getitem__(self, name: str) -> Coded:
        """A column as codes of its different cells."""
        return self.read_cells(name)[0]

    def holds_numbers(self, name: str) -> bool:
        """Whether a column holds nothing but numbers."""
        return self.schema[name].kind == "numeric" and bool(self.table[name].type().is_numeric())

    def read_cells(self, name: str) -> tuple[Coded, pd.DataFrame]:
        """The different cells of a column, and how often each occurs."""
        if name not in self._cells:
            column = self.schema[name]
            counted = self.table.group_by(cell=self.table[name]).agg(n=lambda t: t.count())
            lines = int(self.engine.fetch(counted.count()))
            check_room(
                FEWEST * lines, f"The cells of {name!r}", "declare it as a column of numbers"
            )
            found = self.engine.fetch(counted).sort_values("cell", ignore_index=True)
            read = fitted_cells(found[["cell"]].set_axis([name], axis=1), [column])
            coded = Coded(read[name], column, self.promise, measured=self.measured)
            self._cells[name] = coded, found
        return self._cells[name]

    def find_torn(self, tree: Tree) -> str | None:
        """Find a column of open cells that a tree asks more than once."""
        asked = Counter(part.name for part in walk_up(tree) if isinstance(part, Leaf))
        for name in (name for name, times in asked.items() if times > 1):
            numbers = self.holds_numbers(name)  # of which only gaps may be open
            if (self.withheld and self.count_gaps(name)) if numbers else not self[name].clear:
                return name
        return None

    def measure(self, *, lengths: bool) -> None:
        """Spread whole numbers over ranges by length, or count them; see `verikit.query`."""
        self.measured = lengths
        for coded, _ in self._cells.values():
            coded.measured = lengths

    def match_tree(self, tree: Tree, table: Any) -> tuple[Any, ConditionMatch]:
        """The table with what a tree needs beside its rows, and what each row says."""
        if isinstance(tree, Leaf):
            return self._match_leaf(tree, table)
        parts = []
        for part in tree.parts:
            table, held = self.match_tree(part, table)
            parts.append(held)
        surely, share, perhaps, clear = zip(*parts, strict=True)
        if tree.every:
            every = reduce(and_, surely), reduce(mul, share), reduce(and_, perhaps)
            return table, ConditionMatch(*every, all(clear))
        none = reduce(mul, [1.0 - part for part in share])
        some = reduce(or_, surely), 1.0 - none, reduce(or_, perhaps)
        return table, ConditionMatch(*some, all(clear))

    def _match_leaf(self, leaf: Leaf, table: Any) -> tuple[Any, ConditionMatch]:
        if self.holds_numbers(leaf.name) and isinstance(leaf.values, Numbers):
            return self._match_numbers(leaf, table)
        coded, found = self.read_cells(leaf.name)
        said = coded.match(leaf.values)
        lookup = pd.DataFrame(
            {
                "cell": found["cell"],
                "surely": said.surely[coded.codes],
                "share": said.share[coded.codes].astype(np.float64),
                "perhaps": said.perhaps[coded.codes],
            }
        )
        if coded.withheld:
            known = coded.codes < len(coded.cells)
            times = found["n"].to_numpy()[known]
            share = lookup["share"].to_numpy()[known]
            of_others = float((share * times).sum() / times.sum()) if times.sum() else 0.5
            lookup.loc[~known, "share"] = of_others
        return self._join_lookup(table, leaf, lookup, coded.clear)

    def _join_lookup(
        self, table: Any, leaf: Leaf, lookup: pd.DataFrame, clear: bool
    ) -> tuple[Any, ConditionMatch]:
        """Each row beside what its cell says."""
        import ibis

        gone = lookup[lookup["cell"].isna()]
        missing = gone.iloc[0] if len(gone) else {"surely": False, "share": 0.0, "perhaps": False}
        otherwise = (bool(missing["surely"]), float(missing["share"]), bool(missing["perhaps"]))
        known = lookup.dropna(subset=["cell"]).reset_index(drop=True)
        if not len(known):
            return _set_conditions(table, tuple(map(ibis.literal, otherwise)), clear=clear)
        names = {
            n: f"verikit_{n}_{len(table.columns)}" for n in ("cell", "surely", "share", "perhaps")
        }
        asked = self.engine.of_frame(known.rename(columns=names))
        beside = table.left_join(asked, table[leaf.name] == asked[names["cell"]])
        said = ("surely", "share", "perhaps")
        parts = tuple(beside[names[n]].fill_null(v) for n, v in zip(said, otherwise, strict=True))
        return _set_conditions(beside, parts, clear=clear)

    def _match_numbers(self, leaf: Leaf, table: Any) -> tuple[Any, ConditionMatch]:
        values = score_column(table, self.schema[leaf.name])
        inside = _find_inside(values, leaf.values)
        if not self.withheld or not self.count_gaps(leaf.name):
            met = inside.fill_null(False)
            return _set_conditions(table, (met, met.cast("float64"), met), clear=True)
        others = number_or(self.engine.fetch(inside.cast("float64").mean()), 0.5)
        share = inside.cast("float64").fill_null(others)
        said = (inside.fill_null(False), share, inside.fill_null(True))
        return _set_conditions(table, said, clear=False)

    def count_gaps(self, name: str) -> int:
        """How many rows have no number in a column."""
        missing = score_column(self.table, self.schema[name]).isnull().sum()
        return int(number_or(self.engine.fetch(missing)))


def _set_conditions(
    table: Any, said: tuple[Any, ...], *, clear: bool
) -> tuple[Any, ConditionMatch]:
    """The table with what its rows say beside them, and the names that this has there."""
    import ibis

    names = [f"verikit_{n}_{len(table.columns)}_said" for n in ("surely", "share", "perhaps")]
    told = table.mutate(**dict(zip(names, said, strict=True)))
    surely, share, perhaps = (ibis._[name] for name in names)
    return told, ConditionMatch(surely, share, perhaps, clear)


def _find_inside(values: Any, asked: Numbers | Names) -> Any:
    """Whether numbers lie in some ranges; null where one is missing."""
    import ibis

    cuts = asked.cuts if isinstance(asked, Numbers) else ()
    found = ibis.ifelse(values.isnull(), ibis.null("boolean"), ibis.literal(False))
    for (low, above), (high, upto) in zip(cuts[::2], cuts[1::2], strict=True):
        part = values.notnull()
        if low != -inf:
            part &= values > low if above else values >= low
        if high != inf:
            part &= values <= high if upto else values < high
        found = found | part
    return found
