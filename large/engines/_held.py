"""What the rows of a table that an engine reads say about a tree of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit.large import check_room
from verikit.query import Coded, Leaf, Names, Numbers, Tree
from verikit.scale._cells import fitted_cells
from verikit.scale._engine import Engine
from verikit.scale._source import number_or, score
from verikit.table import Schema

__all__ = ["Held", "Rows"]

FEWEST = 50  # bytes a cell of the lookup takes at least


class Held(NamedTuple):
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
        return self.cells(name)[0]

    def numbers(self, name: str) -> bool:
        """Whether a column holds nothing but numbers."""
        return self.schema[name].kind == "numeric" and bool(self.table[name].type().is_numeric())

    def cells(self, name: str) -> tuple[Coded, pd.DataFrame]:
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

    def asked(self, tree: Tree, table: Any) -> tuple[Any, Held]:
        """The table with what a tree needs beside its rows, and what each row says."""
        if isinstance(tree, Leaf):
            return self._leaf(tree, table)
        parts = []
        for part in tree.parts:
            table, held = self.asked(part, table)
            parts.append(held)
        return table, _every(parts) if tree.every else _some(parts)

    def _leaf(self, leaf: Leaf, table: Any) -> tuple[Any, Held]:
        if self.numbers(leaf.name) and isinstance(leaf.values, Numbers):
            return self._of_numbers(leaf, table)
        coded, found = self.cells(leaf.name)
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
        return self._joined(table, leaf, lookup, coded.clear)

    def _joined(
        self, table: Any, leaf: Leaf, lookup: pd.DataFrame, clear: bool
    ) -> tuple[Any, Held]:
        """Each row beside what its cell says."""
        import ibis

        gone = lookup[lookup["cell"].isna()]
        missing = gone.iloc[0] if len(gone) else {"surely": False, "share": 0.0, "perhaps": False}
        otherwise = (bool(missing["surely"]), float(missing["share"]), bool(missing["perhaps"]))
        known = lookup.dropna(subset=["cell"]).reset_index(drop=True)
        if not len(known):
            return _with(table, tuple(map(ibis.literal, otherwise)), clear=clear)
        names = {
            n: f"verikit_{n}_{len(table.columns)}" for n in ("cell", "surely", "share", "perhaps")
        }
        asked = self.engine.of_frame(known.rename(columns=names))
        beside = table.left_join(asked, table[leaf.name] == asked[names["cell"]])
        said = ("surely", "share", "perhaps")
        parts = tuple(beside[names[n]].fill_null(v) for n, v in zip(said, otherwise, strict=True))
        return _with(beside, parts, clear=clear)

    def _of_numbers(self, leaf: Leaf, table: Any) -> tuple[Any, Held]:
        values = score(table, self.schema[leaf.name])
        inside = _inside(values, leaf.values)
        if not self.withheld or not self.gaps(leaf.name):
            met = inside.fill_null(False)
            return _with(table, (met, met.cast("float64"), met), clear=True)
        others = number_or(self.engine.fetch(inside.cast("float64").mean()), 0.5)
        share = inside.cast("float64").fill_null(others)
        said = (inside.fill_null(False), share, inside.fill_null(True))
        return _with(table, said, clear=False)

    def gaps(self, name: str) -> int:
        """How many rows have no number in a column."""
        missing = score(self.table, self.schema[name]).isnull().sum()
        return int(number_or(self.engine.fetch(missing)))


def _with(table: Any, said: tuple[Any, ...], *, clear: bool) -> tuple[Any, Held]:
    """The table with what its rows say beside them, and the names that this has there."""
    import ibis

    names = [f"verikit_{n}_{len(table.columns)}_said" for n in ("surely", "share", "perhaps")]
    told = table.mutate(**dict(zip(names, said, strict=True)))
    surely, share, perhaps = (ibis._[name] for name in names)
    return told, Held(surely, share, perhaps, clear)


def _inside(values: Any, asked: Numbers | Names) -> Any:
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


def _every(parts: Sequence[Held]) -> Held:
    found = parts[0]
    for part in parts[1:]:
        found = Held(
            found.surely & part.surely, found.share * part.share, found.perhaps & part.perhaps,
            found.clear and part.clear,
        )  # fmt: skip
    return found


def _some(parts: Sequence[Held]) -> Held:
    found = parts[0]
    for part in parts[1:]:
        found = Held(
            found.surely | part.surely, 1.0 - (1.0 - found.share) * (1.0 - part.share),
            found.perhaps | part.perhaps, found.clear and part.clear,
        )  # fmt: skip
    return found
