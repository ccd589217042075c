"""List every original that a small release allows, and put questions to all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import permutations, product
from math import ceil, factorial, floor, fsum, inf, isfinite, isnan, nan, prod
from typing import Any, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows, Values
from verikit._support.guard import guard
from verikit._support.plotted import Framed
from verikit._support.requests import whole
from verikit.cells import Spans
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.query import (
    Blocks,
    Coded,
    Columns,
    Leaf,
    Part,
    Query,
    Tree,
    Where,
    bind_conditions,
    blocks,
    find_column,
    find_numbers,
    read_query,
)
from verikit.release import GraphRelease, Release, by_nodes
from verikit.table import Column, Microdata, Schema, Side
from verikit.values.meanings import Meaning
from verikit.values.spellings import Spellings
from verikit.words import count, joined, number, share, text

LISTED = ("as it was", "covers", "another order")
MAX_CELLS = 50_000_000  # of all worlds together
MAX_PEOPLE = 100
STACKED = 1000
EVEN = "every link and every value of a cell being equally likely"
EVEN_NAMES = "every name for a node of its group being equally likely"


@dataclass(frozen=True, slots=True)
class Spread(Framed):
    """What a question comes to in all worlds: each answer with its chance.

    Parameters
    ----------
    answers
        The answers that some world gives, in ascending order where they are numbers.
    chances
        The chance of each; they add up to one, but for worlds that give no answer.
    rests_on
        What the chances rest on.

    Examples
    --------
    >>> Spread((1.0, 2.0), (0.25, 0.75), "every link being equally likely")
    The answer is from 1 to 2, 1.75 on average. Chances rest on every link being equally likely.
    """

    answers: tuple[Any, ...]
    chances: tuple[float, ...]
    rests_on: str

    @property
    def lower(self) -> float:
        """The least answer; no value where no world gives one."""
        return self.answers[0] if self.answers else nan

    @property
    def upper(self) -> float:
        """The greatest answer."""
        return self.answers[-1] if self.answers else nan

    @property
    def mean(self) -> float:
        """The average over all worlds that give an answer, by their chances."""
        return float(np.average(self.answers, weights=self.chances)) if self.answers else nan

    @property
    def variance(self) -> float:
        """The average squared distance from the mean."""
        if not self.answers:
            return nan
        apart = np.asarray(self.answers, np.float64) - self.mean
        return float(np.average(apart**2, weights=self.chances))

    @property
    def means(self) -> str:
        """What the question comes to, in one sentence.

        Examples
        --------
        >>> Spread((0, 2), (0.5, 0.5), "every link being equally likely").means
        'The answer is from 0 to 2, 1 on average.'
        """
        if not self.answers:
            return "There is no answer: nobody is meant in any original."
        some = "" if fsum(self.chances) > 1 - 1e-9 else " wherever somebody is meant"
        if len(self.answers) == 1:
            return f"The answer is {text(self.answers[0])}{some or ': it is certain'}."
        if not all(isinstance(one, (int, float)) for one in self.answers):
            pairs = zip(self.answers, self.chances, strict=True)
            return f"The answer is {joined((f'{text(a)} ({share(c)})' for a, c in pairs), 'or')}."
        ends = f"from {number(self.lower)} to {number(self.upper)}"
        return f"The answer is {ends}, {number(self.mean)} on average{some}."

    @property
    def why(self) -> str:
        """What the chances rest on."""
        return f"Chances rest on {self.rests_on}."

    def to_frame(self) -> pd.DataFrame:
        """Each answer with its chance, as a table."""
        return pd.DataFrame({"answer": self.answers, "chance": self.chances})

    def __repr__(self) -> str:
        return f"{self.means} {self.why}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Worlds:
    """Every original that a release allows, each with its chance.

    Parameters
    ----------
    schema
        The columns of an original.
    values
        By column the values that it has in some world; None where one is missing.
    codes
        By world, row and column which of these values it is.
    chances
        The chance of each world; they add up to one.
    rests_on
        What the chances rest on.
    spellings
        The words of each column, to find which one a question means.
    by_row
        Whether row i is the same record in every world; not where rows are links of a graph.
    """

    schema: Schema
    values: tuple[tuple[Any, ...], ...]
    codes: Rows
    chances: Floats
    rests_on: str
    spellings: Callable[[str], Spellings] | None = None
    by_row: bool = True

    def __len__(self) -> int:
        return len(self.chances)

    def __repr__(self) -> str:
        rows = count(self.codes.shape[1], "record" if self.by_row else "link")
        return f"Worlds({count(len(self), 'original')} of {rows}; {self.rests_on})"

    def __getitem__(self, world: int) -> Microdata:
        """One original, its rows in the order in which they were published."""
        return self._stack(self.codes[world])

    def __iter__(self) -> Iterator[Microdata]:
        rows = self.codes.shape[1]
        for first in range(0, len(self), STACKED):  # checked together, which costs less
            some = self.codes[first : first + STACKED]
            stack = self._stack(some.reshape(-1, some.shape[2]))
            yield from (stack.take(np.arange(rows) + rows * at) for at in range(len(some)))

    def _stack(self, codes: Rows) -> Microdata:
        """Make a table of rows of codes."""
        columns = zip(self.schema.names, self.values, codes.T, strict=True)
        frame = {name: np.array(values, dtype=object)[own] for name, values, own in columns}
        return Microdata(pd.DataFrame(frame), self.schema)

    def answer(self, query: Query | str) -> Spread:
        """Put a question to every world.

        Worlds in which no record meets the conditions have no average, least or greatest value,
        and are left out there.
        """
        return self._spread(self.find_answers(query))

    def find_answers(self, query: Query | str) -> Values:
        """Find the answer in each world, no value (``nan``) where it has none."""
        asked = read_query(query)
        met = self._find_met(asked.where)
        if asked.of is None:
            return met.sum(axis=1)
        column = find_numbers(asked, self.schema)
        at, score = self.schema.names.index(column.name), column.score
        scores = np.array([nan if value is None else score(value) for value in self.values[at]])
        held = scores[self.codes[:, :, at]]
        met &= ~np.isnan(held)
        if asked.aggregate in ("min", "max"):
            end, beyond = (np.min, inf) if asked.aggregate == "min" else (np.max, -inf)
            found = end(np.where(met, held, beyond), axis=1, initial=beyond)
            return np.where(np.isfinite(found), found, nan)
        total, some = np.where(met, held, 0.0).sum(axis=1), met.sum(axis=1)
        if asked.aggregate == "sum":
            return total
        return np.divide(total, some, out=np.full(len(self), nan), where=some > 0)

    def each(self, function: Callable[[Microdata], Any]) -> Spread:
        """Put anything to every world: a model, an attack, a check; what it returns is the answer.

        The function is called once for each world, so that its time is what counts.
        """
        return self._spread([function(world) for world in self])

    def given(self, where: Where, *, row: int | None = None) -> Worlds:
        """Cross out the worlds that contradict what one learns: that some record meets conditions.

        Raises
        ------
        InfeasibleError
            If no world agrees.
        """
        left = self.agree(where, row=row)
        if not left.any():
            raise InfeasibleError(
                f"None of {count(len(self), 'original')} agrees with what was learned; learn "
                "something that the release allows."
            )
        return self.take(np.flatnonzero(left))

    def take(self, worlds: Rows) -> Worlds:
        """Keep some worlds, whose chances then add up to one."""
        chances = self.chances[worlds] / self.chances[worlds].sum()
        return replace(self, codes=self.codes[worlds], chances=chances)

    def agree(self, where: Where, *, row: int | None = None) -> Flags:
        """Tell which worlds agree with what one learns: that some record meets conditions.

        Parameters
        ----------
        where
            The conditions, as for `Query.count`, or as in SQL: ``disease = 'Flu'``.
        row
            Which published row meets them, counted from 0; None where it is not known which.

        Raises
        ------
        RecordError
            If there is no such row, column or value.
        """
        met = self._find_met(Query.count(where).where)
        return np.asarray(met.any(axis=1) if row is None else met[:, self._require_row(row)])

    def chances_of(self, column: str, *, row: int) -> dict[Any, float]:
        """The chance of each value of a column for one published row, counted from 0."""
        at = self.schema.names.index(find_column(column, self.schema))
        held = self.codes[:, self._require_row(row), at]
        return {
            self.values[at][code]: fsum(self.chances[held == code])
            for code in np.unique(held).tolist()
        }

    def _require_row(self, row: int) -> int:
        if not self.by_row:
            raise RecordError("A row was asked for, but rows are links here; leave row= out.")
        rows = self.codes.shape[1]
        if not 0 <= whole(row, "row", least=0) < rows:
            raise RecordError(f"Row {row} was asked for; expected one from 0 to {rows - 1}.")
        return row

    def _find_met(self, where: Sequence[Any]) -> Flags:
        """Tell by world and row whether conditions are met, each value looked at by itself."""
        tree = bind_conditions(where, self.schema, spellings=self.spellings)
        return np.ones(self.codes.shape[:2], bool) if tree is None else self._match_tree(tree)

    def _match_tree(self, tree: Tree) -> Flags:
        if isinstance(tree, Leaf):
            at = self.schema.names.index(tree.name)
            return self._match_values(at, tree)[self.codes[:, :, at]]
        join = np.logical_and if tree.every else np.logical_or
        return np.asarray(join.reduce([*map(self._match_tree, tree.parts)]))

    def _match_values(self, at: int, leaf: Tree) -> Flags:
        column = self.schema.columns[at]
        frame = pd.DataFrame({column.name: pd.Series(self.values[at], dtype=object)})
        if column.kind == "numeric":
            frame = frame.astype(np.float64)
        return Columns(frame, Schema((column,)), "as it was").match(leaf).surely

    def _spread(self, answers: Sequence[Any] | Values) -> Spread:
        """Add up the chances of equal answers."""
        found: dict[Any, list[float]] = {}
        for one, chance in zip(answers, self.chances.tolist(), strict=True):
            key = one.item() if isinstance(one, np.generic) else one
            if not (isinstance(key, float) and isnan(key)):
                found.setdefault(key, []).append(chance)
        order = list(found)
        with suppress(TypeError):  # answers without an order stay as they came
            order.sort()
        return Spread(tuple(order), tuple(fsum(found[one]) for one in order), self.rests_on)


# A cell is open where it stands for several values: pairs of a value's number and its chance.
Cell: TypeAlias = tuple[tuple[int, float], ...]
Way: TypeAlias = tuple[tuple[int, ...], ...]


class Slot(NamedTuple):
    """Rows and columns that can be filled in several ways, whatever stands in the others."""

    rows: Rows
    columns: tuple[int, ...]
    ways: Mapping[Way, float]


@guard("The release", RecordError)
def worlds(release: Release | GraphRelease, *, limit: int = 100_000) -> Worlds:
    """List all originals that a small release allows, with their chances.

    Parameters
    ----------
    release
        What was published: a table, two tables joined by groups, or a graph, whose values are
        original ones or cover them.
    limit
        How many originals are listed at most.

    Returns
    -------
    Worlds
        The originals, to which any question can be put.

    Raises
    ------
    InfeasibleError
        If there are more originals than the limit, or no end of them.
    SchemaError
        If values were changed or moved between records, or it is untold what was done to them.

    Notes
    -----
    Inside a group every link is equally likely, and every value that a cell stands for, by the
    weights of its hierarchy; numbers in a range are taken to be whole. Two ways to the same
    original are one original, with both chances. Dummy rows are nobody's: people have a random
    choice of the rows of their group. What the method would have done with another original is not
    asked; `verikit.intruder.repeated_partition` does. O(originals * rows * columns).

    References
    ----------
    [LHCC]_ section 3; [QZ]_ sections 2.5 and 4.2.2

    Examples
    --------
    >>> import verikit as vk
    >>> found = vk.worlds(vk.published("lhcc_table3"))
    >>> len(found)
    2880
    >>> found.answer("select count(*) from t where sex = 'F' and disease = 'Flu'")
    The answer is from 0 to 2, 1.1 on average. Chances rest on every link and every value of a cell
    being equally likely.
    >>> len(found.given({"Disease": "Flu"}, row=0))
    576
    """
    limit = whole(limit, "limit", least=1)
    if by_nodes(release):
        return _list_graphs(release, limit)
    seen = blocks(release)
    if seen.promise not in LISTED:
        raise SchemaError(
            f"The values of this release are {quoted(seen.promise)}, so that any original is "
            "possible; expected a release that says that its values are original or cover them."
        )
    if seen.together is not None:
        raise SchemaError(
            "The rows of this release are records in which values moved, so that not every order "
            "is as likely; expected tables joined by groups, or cells that cover."
        )
    schema = Schema(tuple(seen.scale(name) for name in seen.schema.names))
    places = {name: at for at, name in enumerate(schema.names)}
    values: list[dict[Any, int]] = [{} for _ in schema.names]
    slots, total = [], 1
    for slot in _list_slots(seen, places, values, limit):
        slots.append(slot)
        total *= len(slot.ways)
        _refuse_too_many(total, limit)
    if total * len(seen) * len(places) > MAX_CELLS:
        raise InfeasibleError(
            f"{total:,} originals of {len(seen):,} records are too large to list; give a smaller "
            "release."
        )
    codes, chances = np.zeros((total, len(seen), len(places)), np.intp), np.ones(total)
    left = np.arange(total)  # the number of each world, which counts through the ways of each slot
    for slot in slots:
        ways = np.array(list(slot.ways)).reshape(-1, len(slot.rows), len(slot.columns))
        weights = np.array(list(slot.ways.values()))
        left, way = np.divmod(left, len(ways))
        codes[:, slot.rows[:, None], slot.columns] = ways[way]
        chances *= (weights / weights.sum())[way]
    held = tuple(tuple(known) for known in values)
    return Worlds(schema, held, codes, chances, EVEN, seen.find_spellings)


def _refuse_too_many(found: int, limit: int) -> None:
    if found > limit:
        raise InfeasibleError(
            f"The release allows {number(found)} originals or more, and the limit is {limit:,}; "
            "give a smaller release, or a higher limit."
        )


def _list_slots(
    seen: Blocks, places: Mapping[str, int], values: list[dict[Any, int]], limit: int
) -> Iterator[Slot]:
    """List what is filled in independently: each person's own row, and the rest of her block."""
    own, *others = seen.parts
    for row, cells in enumerate(_read_rows(own, places, values)):
        yield Slot(np.array([row]), tuple(places[n] for n in own.names), _fill([cells], limit))
    for part in others:
        columns, rows = tuple(places[name] for name in part.names), _read_rows(part, places, values)
        for block in range(len(seen.sizes)):
            people = np.flatnonzero(own.blocks_of_rows() == block)
            kinds = Counter(rows[at] for at in np.flatnonzero(part.blocks_of_rows() == block))
            ways: dict[Way, float] = defaultdict(float)
            if len(people) > MAX_PEOPLE:
                raise InfeasibleError(
                    f"A group has {len(people):,} records; originals are listed for groups of at "
                    f"most {MAX_PEOPLE}."
                )
            for dealt, times in _deal(dict(kinds), len(people)):
                for way, weight in _fill(dealt, limit).items():
                    ways[way] += times * weight
                _refuse_too_many(len(ways), limit)
            yield Slot(people, columns, ways)


def _read_rows(
    part: Part, places: Mapping[str, int], values: list[dict[Any, int]]
) -> list[tuple[Cell, ...]]:
    """Read what the cells of each row may stand for, and give each value a number."""
    read = []
    for name in part.names:
        known, codes = values[places[name]], part.columns.codes(name)
        cells: dict[int, Cell] = {
            code: tuple(
                (known.setdefault(value, len(known)), share)
                for value, share in _read_cell(part.columns[name], code)
            )
            for code in np.unique(codes).tolist()
        }
        read.append([cells[code] for code in codes.tolist()])
    return list(zip(*read, strict=True))


def _read_cell(coded: Coded, code: int) -> Iterator[tuple[Any, float]]:
    """Read the values that a cell may stand for, each with its chance."""
    cells = coded.cells
    if code == len(cells) and not coded.withheld:
        yield None, 1.0
        return
    if isinstance(cells, Spans):
        low, high = float(cells.low[code]), float(cells.high[code])
        if low == high:
            yield low, 1.0
            return
        # an end that does not belong to its range lies next to a whole number
        ends = np.array([low, high])
        if isfinite(high - low) and np.allclose(ends, np.rint(ends), rtol=1e-15, atol=0):
            numbers = range(ceil(low), floor(high) + 1)
            yield from ((float(value), 1 / len(numbers)) for value in numbers)
            return
    elif code < len(cells) and _can_be_listed(cells.read[code], cells.labels[code], coded.column):
        names = list(cells.values)
        inside = slice(cells.starts[code], cells.starts[code + 1])
        for member, share in zip(cells.members[inside], cells.weights[inside], strict=True):
            numeric = coded.column.kind == "numeric"
            yield coded.column.score(names[member]) if numeric else names[member], float(share)
        return
    raise InfeasibleError(
        f"The cell {quoted(cells.names[code])} of {quoted(coded.column.name)} stands for values "
        "that cannot be listed; expected single values, groups of a hierarchy, sets, or ranges of "
        "whole numbers."
    )


def _can_be_listed(part: Meaning, label: str, column: Column) -> bool:
    """Whether a label is a node of a hierarchy, a single value or a set of them."""
    if column.hierarchy is not None and label in column.hierarchy.nodes:
        return True
    return bool(part.names) and not (part.anything or part.ranges or part.codes)


def _fill(rows: Iterable[tuple[Cell, ...]], limit: int) -> dict[Way, float]:
    """List every way to choose a value for each open cell, with its chance."""
    by_row = [[*product(*cells)] for cells in rows]
    _refuse_too_many(prod(map(len, by_row)), limit)
    found: dict[Way, float] = defaultdict(float)
    for chosen in product(*by_row):
        way = tuple(tuple(value for value, _ in row) for row in chosen)
        found[way] += prod(share for row in chosen for _, share in row)
    return found


def _deal(kinds: dict[Any, int], places: int) -> Iterator[tuple[list[Any], int]]:
    """Put rows on places in every way; of each way, by how many choices of single rows it comes."""
    if not places:
        yield [], 1
        return
    for kind, held in list(kinds.items()):
        if held:
            kinds[kind] = held - 1
            for rest, times in _deal(kinds, places - 1):
                yield [kind, *rest], held * times
            kinds[kind] = held


def _list_graphs(release: GraphRelease, limit: int) -> Worlds:
    """List every graph between names: each way to name the nodes of each group, equal ones once."""
    sides = [release.left, release.right]
    left = release.left.schema.names
    other = (
        replace(c, name=f"{release.title('right')} {c.name}") if c.name in left else c
        for c in release.right.schema
    )
    schema = Schema((*release.left.schema, *other))
    named = []
    for side in get_args(Side)[: 1 if release.mirrored else 2]:
        sizes = release.sizes(side)
        _refuse_too_many(prod(map(factorial, sizes.tolist())), limit)
        entities, nodes = release.groups(side), release.nodes(side)
        groups = [[np.flatnonzero(of == g) for of in (entities, nodes)] for g in range(len(sizes))]
        ways = []
        for dealt in product(*(permutations(who) for who, _ in groups)):
            name = np.empty(len(nodes), np.intp)
            for who, (_, places) in zip(dealt, groups, strict=True):
                name[places] = who
            ways.append(name)
        named.append(np.array(ways).reshape(-1, len(nodes)))
    if release.mirrored:  # one name is one node, whichever end of a link it is
        places, far = (named[0][:, release.links[:, at]] for at in (0, 1))
    else:
        _refuse_too_many(len(named[0]) * len(named[1]), limit)
        places, far = (ways[:, release.links[:, at]] for at, ways in enumerate(named))
        places, far = places[:, None], far[None]
    graphs = (places * len(release.right) + far).reshape(-1, len(release.links))
    found, times = np.unique(np.sort(graphs, axis=1), axis=0, return_counts=True)
    ends = np.divmod(found, len(release.right))
    codes = [end for end, side in zip(ends, sides, strict=True) for _ in side.schema.columns]
    frames = [side.frame.astype(object) for side in sides]
    values = tuple(
        tuple(values.where(values.notna(), None)) for frame in frames for _, values in frame.items()
    )
    return Worlds(
        schema, values, np.stack(codes, axis=2), times / times.sum(), EVEN_NAMES, by_row=False
    )
