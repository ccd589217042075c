"""What the rows of a table that an engine reads say about a tree of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit.large import check_room
from verikit.query import Coded, Leaf, Names, Numbers, Tree
from verikit.scale._engine import Engine
from verikit.scale._scaled import fitted_cells
from verikit.scale._source import number_or, score_column
from verikit.table import Schema

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
