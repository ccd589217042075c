"""Questions to a release that an engine reads, answered with bounds as in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np

from verikit.errors import FormatError, SchemaError
from verikit.large import check_room
from verikit.query import (
    CERTAIN,
    NOBODY,
    RECORDS,
    Answer,
    Blocks,
    Evidence,
    Joined,
    Moments,
    Query,
    Tree,
    bind_conditions,
    evidence_of,
    find_column,
    fresh_evidence,
    walk_up,
)
from verikit.release import Release, SplitRelease, TableRelease, redraw_of
from verikit.scale._engine import Engine
from verikit.scale._scaled import (
    FEWEST,
    ConditionMatch,
    Rows,
    Scaled,
    ScaledSplit,
    fitted_cells,
)
from verikit.scale._source import number_or
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

    def __init__(
        self, engine: Engine, blocks: Blocks, parts: list[PartTable], load: Callable[..., Release]
    ) -> None:
        super().__init__(blocks)
        self.engine, self.parts, self._load = engine, parts, load

    def answer(self, query: Query) -> Answer:
        """Answer one question as in memory; the columns asked for are loaded where it takes rows.

        It does where conditions ask one part in several places, or a sum is asked for of cells
        that stand for several numbers or beside conditions on its own part. Where there is no
        room for a count's columns, its bounds hold and nothing is estimated.
        """
        seen = self.blocks
        tree = bind_conditions(query.where, seen.schema, seen.scale, seen.find_spellings)
        of = None if query.of is None else find_column(query.of, seen.schema)
        torn = tree is not None and seen.together is None and self._is_torn(tree)
        if not torn and (of is None or self._is_boundable(of, tree)):
            return super().answer(query)
        names = ({of} - {None}) | (frozenset() if tree is None else tree.columns)
        asked = [name for name in seen.schema.names if name in names]
        try:
            check_room(FEWEST * len(seen) * len(asked), "The columns asked for", "ask for fewer")
        except FormatError:
            if of is not None:
                raise
            found = super().answer(query)
            unknown = replace(found, estimate=nan, mean=None, variance=None)
            return found if found.exact else self._loosen(unknown)
        return evidence_of(self._load(asked), measured=self.parts[0].rows.measured).answer(query)

    def _is_torn(self, tree: Tree) -> bool:
        """Whether conditions ask a part, or a column of open cells, in several places."""
        if len(self.parts) == 1:
            return self.parts[0].rows.find_torn(tree) is not None
        for node in walk_up(tree):
            if isinstance(node, Joined) and len(self.blocks.find_homes(node)) > 1:
                asked = [at for homes, _ in self.blocks.split_branches(node) for at in homes]
                if len(asked) > len(set(asked)):
                    return True
        return False

    def _answer_count(self, tree: Tree | None) -> Answer:
        table, told = known_blocks(self.blocks, self.parts, tree)
        found, size = sum_blocks(self.engine, table, told), len(self.blocks)
        estimate = found["mean"]
        if self.blocks.together is not None:
            estimate = float(size)
            if tree is not None:  # how many whole rows meet it, as they stand
                table, held = self.parts[0].rows.match_tree(tree, self.parts[0].rows.table)
                estimate = number_or(self.engine.measure(table, {0: held.share.sum()})[0])
        if self.blocks.promise not in CERTAIN:
            return self._bound_nothing(estimate)
        ends = found["low"], found["high"]
        if ends[0] == ends[1]:
            return self._make_answer(RECORDS, ends, ends[0], None, tree)
        moments = None
        if told.pairs is not None and self.blocks.together is None:
            spread = found["mean"] + found["pairs"] - found["squares"]
            moments = Moments(found["mean"], max(spread, 0.0))
        return self._make_answer(RECORDS, ends, estimate, moments, tree)

    def _answer_value(self, aggregate: str, column: Column, tree: Tree | None) -> Answer:
        dated = column.dated and aggregate != "sum"
        unit = f"{column.title} in {column.unit}" if column.unit and not dated else column.title
        return replace(self._bound_value(unit, aggregate, column, tree), dated=dated)

    def _bound_value(self, unit: str, aggregate: str, column: Column, tree: Tree | None) -> Answer:
        place = self.blocks.home[column.name]
        part = self.parts[place]
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

    def _is_boundable(self, name: str, tree: Tree | None) -> bool:
        """Tell whether an engine bounds sums of a column without looking at single rows."""
        place = self.blocks.home[name]
        rows = self.parts[place].rows
        if self.blocks.schema[name].kind != "numeric":
            return True  # refused later
        if not rows.holds_numbers(name) or (rows.withheld and rows.count_gaps(name)):
            return False
        several = len(self.blocks.parts) > 1 and not self._concerns_one_part(place, tree)
        own = several and tree is not None and place in self.blocks.find_homes(tree)
        return not (own or self.blocks.together is not None or (several and rows.count_gaps(name)))

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
    if redraw_of(release.head(), evenly=True) is not None:
        raise SchemaError(
            "The values of this release were drawn anew, which an engine does not undo; load the "
            "release to ask it."
        )
    rows = Rows(held.engine, held.table, schema, promise)

    def load(names: list[str]) -> Release:
        columns = [schema[name] for name in names]
        frame = fitted_cells(held.engine.fetch(held.table[names]), columns)
        told: Any = {"promise": promise}
        return TableRelease(frame, Schema(tuple(columns)), method, release.parameters, **told)

    size, method = np.array([held.rows]), release.method
    if promise != "another order":
        parts: tuple[Any, ...] = (Part(schema.names, rows),)
        seen = Blocks(size, parts, schema, promise, method)
        return ScaledEvidence(held.engine, seen, [PartTable(rows, None)], load)
    parts = tuple(Part((name,), rows) for name in schema.names)
    seen = Blocks(size, parts, schema, promise, method, together=Part(schema.names, rows))  # type: ignore[arg-type]
    return ScaledEvidence(held.engine, seen, [PartTable(rows, None)] * len(parts), load)


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
        rows = Rows(release.engine, source.table, Schema(tuple(columns)), release.promise)
        names = tuple(c.name for c in columns)
        apart = release.permuted or (release.apart and source is release.sensitive)
        for some in [(name,) for name in names] if apart else [names]:
            parts.append(Part(some, rows))
            tables.append(PartTable(rows, release.group))
    seen = Blocks(
        np.array([len(release)]), tuple(parts), release.schema, release.promise, release.method
    )

    def load(names: list[str]) -> Release:
        frames = []
        for source, columns in (
            (release.quasi, known),
            (release.sensitive, release.schema.sensitive),
        ):
            asked = [c for c in columns if c.name in names]
            found = release.engine.fetch(source.table[[release.group, *(c.name for c in asked)]])
            cells = fitted_cells(found[[c.name for c in asked]], asked)
            frames.append(cells.assign(**{release.group: found[release.group].to_numpy()}))
        told: Any = {"promise": release.promise, "permuted": release.permuted}
        schema = Schema(tuple(c for c in release.schema if c.name in names))
        quasi, sensitive = frames
        return SplitRelease(quasi, sensitive, schema, group=release.group, **told)

    return ScaledEvidence(release.engine, seen, tables, load)
