"""Questions to a release that an engine reads, answered with bounds as in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit.errors import RecordError, SchemaError
from verikit.large import check_room
from verikit.query import (
    CERTAIN,
    NOBODY,
    RECORDS,
    Answer,
    Blocks,
    Coded,
    Evidence,
    Leaf,
    Moments,
    Names,
    Numbers,
    Tree,
    fresh_evidence,
)
from verikit.release import redraw_of
from verikit.scale._engine import Engine
from verikit.scale._scaled import Scaled, ScaledSplit, fitted_cells
from verikit.scale._source import EngineTable, number_or, score_column
from verikit.scale._values import (
    Part,
    PartTable,
    chosen_rows,
    drawn_values,
    known_blocks,
    sum_blocks,
)
from verikit.table import Column, Schema


class ScaledEvidence(Evidence):
    """A release in an engine, ready for questions.

    Parameters
    ----------
    engine
        Where it is.
    blocks
        What is known of it but its rows.
    parts
        The rows of its parts.
    """

    coded = False

    def __init__(self, engine: Engine, blocks: Blocks, parts: list[PartTable]) -> None:
        super().__init__(blocks)
        self.engine, self.parts = engine, parts

    def _answer_count(self, tree: Tree | None) -> Answer:
        table, told = known_blocks(self.blocks, self.parts, tree)
        found, size = sum_blocks(self.engine, table, told), len(self.blocks)
        estimate = found["mean"]
        if self.blocks.together is not None:
            estimate = float(size) if tree is None else self._estimate_matches(tree)
        if self.blocks.promise not in CERTAIN:
            return Answer(RECORDS, 0, estimate, size, None, None, self._say_changed("count"))
        ends = found["low"], found["high"]
        if ends[0] == ends[1]:
            return self._make_answer(RECORDS, ends, ends[0], None, tree)
        moments = None
        if told.pairs is not None and self.blocks.together is None:
            spread = found["mean"] + found["pairs"] - found["squares"]
            moments = Moments(found["mean"], max(spread, 0.0))
        return self._make_answer(RECORDS, ends, estimate, moments, tree)

    def _estimate_matches(self, tree: Tree) -> float:
        """How many whole rows meet a tree, as they stand."""
        rows = self.parts[0].rows
        table, held = rows.match_tree(tree, rows.table)
        return number_or(self.engine.fetch(table.aggregate(s=held.share.sum())).iloc[0, 0])

    def _answer_value(self, aggregate: str, column: Column, tree: Tree | None) -> Answer:
        dated = column.dated and aggregate != "sum"
        unit = f"{column.title} in {column.unit}" if column.unit and not dated else column.title
        return replace(self._bound_value(unit, aggregate, column, tree), dated=dated)

    def _bound_value(self, unit: str, aggregate: str, column: Column, tree: Tree | None) -> Answer:
        place = self.blocks.home[column.name]
        part = self.parts[place]
        self._check_boundable(column, place, tree)
        if len(self.blocks.parts) == 1 or self._concerns_one_part(place, tree):
            found = chosen_rows(self.engine, self._select_rows(part.rows, column, tree), aggregate)
        else:
            hits = known_blocks(self.blocks, self.parts, tree)
            found = drawn_values(self.engine, part, column, hits, aggregate, asked=tree is not None)
        if self.blocks.promise not in CERTAIN:
            return Answer(unit, -inf, found.estimate, inf, None, None, self._say_changed("value"))
        if found.empty:
            value = 0.0 if aggregate == "sum" else nan
            none = 0.0 if aggregate == "sum" else None
            return Answer(unit, value, value, value, none, none, NOBODY)
        told = self._make_answer(unit, found.ends, found.estimate, found.moments, tree, column.name)
        if found.certain or aggregate == "sum":
            return told
        return replace(told, rests_on=f"{told.rests_on}, if any record meets the conditions")

    def _concerns_one_part(self, place: int, tree: Tree | None) -> bool:
        """Whether nothing is asked but of the rows of one part."""
        return tree is not None and self.blocks.find_homes(tree) == {place}

    def _check_boundable(self, column: Column, place: int, tree: Tree | None) -> None:
        rows = self.parts[place].rows
        if not rows.holds_numbers(column.name) or (rows.withheld and rows.count_gaps(column.name)):
            raise RecordError(
                f"Column {column.name!r} holds cells that stand for several numbers, whose sums an "
                "engine does not bound; load the release to ask for them."
            )
        several = len(self.blocks.parts) > 1 and not self._concerns_one_part(place, tree)
        own = several and tree is not None and place in self.blocks.find_homes(tree)
        if own or self.blocks.together is not None or (several and rows.count_gaps(column.name)):
            raise RecordError(
                f"The query aggregates {column.name!r} and asks for conditions beside it that an "
                "engine does not bound in this release; load the release to ask it."
            )

    def _select_rows(
        self, rows: Rows, column: Column, tree: Tree | None
    ) -> tuple[Any, ConditionMatch, Column]:
        import ibis

        true = ibis.literal(True)
        if tree is None:
            return rows.table, ConditionMatch(true, ibis.literal(1.0), true, True), column
        return *rows.match_tree(tree, rows.table), column


@fresh_evidence.register
def _of_table(release: Scaled) -> ScaledEvidence:
    held, schema, promise = release.held, release.schema, release.promise
    if redraw_of(release.head()) is not None:
        raise SchemaError(
            "The values of this release were drawn anew, which an engine does not undo; load the "
            "release to ask it."
        )
    rows = Rows(held.engine, held.table, schema, promise)
    size, method = np.array([held.rows]), release.method
    if promise != "another order":
        parts: tuple[Any, ...] = (Part(schema.names, rows),)
        seen = Blocks(size, parts, schema, promise, method)
        return ScaledEvidence(held.engine, seen, [PartTable(rows, None)])
    parts = tuple(Part((name,), rows) for name in schema.names)
    seen = Blocks(size, parts, schema, promise, method, together=Part(schema.names, rows))  # type: ignore[arg-type]
    return ScaledEvidence(held.engine, seen, [PartTable(rows, None)] * len(parts))


@fresh_evidence.register
def _of_split(release: ScaledSplit) -> ScaledEvidence:
    if release.quasi.rows != release.sensitive.rows:
        raise SchemaError(
            "The second table of this release holds values that are nobody's, which an engine does "
            "not set apart; load the release to ask it."
        )
    known = [c for c in release.schema if c.role != "sensitive"]
    parts: list[Any] = []
    tables: list[PartTable] = []
    for source, columns in ((release.quasi, known), (release.sensitive, release.schema.sensitive)):
        rows = _rows_of(source, tuple(columns), release)
        names = tuple(c.name for c in columns)
        for some in [(name,) for name in names] if release.permuted else [names]:
            parts.append(Part(some, rows))
            tables.append(PartTable(rows, release.group))
    seen = Blocks(
        np.array([len(release)]), tuple(parts), release.schema, release.promise, release.method
    )
    return ScaledEvidence(release.engine, seen, tables)


def _rows_of(source: EngineTable, columns: tuple[Column, ...], release: ScaledSplit) -> Rows:
    return Rows(release.engine, source.table, Schema(columns), release.promise)


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
        self.withheld = promise == "covers"
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
                FEWEST * lines,
                f"The cells of {name!r}",
                "declare it as a column of numbers",
            )
            found = self.engine.fetch(counted).sort_values("cell", ignore_index=True)
            read = fitted_cells(found[["cell"]].set_axis([name], axis=1), [column])
            self._cells[name] = Coded(read[name], column, self.promise), found
        return self._cells[name]

    def match_tree(self, tree: Tree, table: Any) -> tuple[Any, ConditionMatch]:
        """The table with what a tree needs beside its rows, and what each row says."""
        if isinstance(tree, Leaf):
            return self._match_leaf(tree, table)
        parts = []
        for part in tree.parts:
            table, held = self.match_tree(part, table)
            parts.append(held)
        return table, _match_every(parts) if tree.every else _match_some(parts)

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


def _match_every(parts: Sequence[ConditionMatch]) -> ConditionMatch:
    found = parts[0]
    for part in parts[1:]:
        found = ConditionMatch(
            found.surely & part.surely, found.share * part.share, found.perhaps & part.perhaps,
            found.clear and part.clear,
        )  # fmt: skip
    return found


def _match_some(parts: Sequence[ConditionMatch]) -> ConditionMatch:
    found = parts[0]
    for part in parts[1:]:
        found = ConditionMatch(
            found.surely | part.surely, 1.0 - (1.0 - found.share) * (1.0 - part.share),
            found.perhaps | part.perhaps, found.clear and part.clear,
        )  # fmt: skip
    return found
