"""What redrawn values tell by Bayes' rule: linking, and one who knows all combinations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.plotted import Framed, Plotted
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.intruder._ranked_tables import Links, compare_values
from verikit.matching import number_rows
from verikit.ranks import expand_ranges
from verikit.release import Redraw, TableRelease, redraw_of, require_redraw
from verikit.table import Microdata, codes_like, require_microdata, shares_of, single_codes
from verikit.words import count, listed

MAX_CHANCES = 2**18
MAX_REDRAWN, MAX_SET_COLUMNS = 16, 12
MAX_ENTRIES = 2**24
CLOSE = 1e-12


def link_by_likelihood(
    data: Microdata, release: TableRelease, attributes: Sequence[str] | None = None
) -> Links:
    """Give each record the rows that most likely came from it, under the published chances.

    By Bayes' rule a row came from a record with its chance for this record over that for all
    records. Columns that stay as they were must agree, so only records and rows that do are
    compared: all pairs of their different combinations.
    """
    require_microdata(data, "link")
    told = redraw_of(release, evenly=True)
    if told is None:
        raise InfeasibleError(
            "The attack 'likelihood' needs a release that tells with what probabilities its values "
            "were drawn anew, as mask.randomize makes it; use another attack."
        )
    tables = compare_values(data, release, attributes)
    names = tables.attributes
    codes, released, shares = _code_columns(data, release, names)
    shares = told.weigh_drawn(names, shares)
    drawn = np.array([name in told.names for name in names])
    if drawn.sum() > MAX_REDRAWN:
        raise InfeasibleError(
            f"{drawn.sum()} attributes that may have been drawn anew have too many sets; name at "
            f"most {MAX_REDRAWN} of them to link by."
        )
    best, chance = np.empty(len(data), np.intp), np.empty(len(data))
    first, kind = _number_combinations(released)
    asked = [name for name in names if name in told.names]
    for records, rows in _pair_blocks(codes, released[first], drawn):
        own, shown = codes[records][:, drawn], first[rows]
        alike, of = _number_combinations(own)
        sides = Sides(
            own[alike], np.bincount(of), released[shown][:, drawn], shares[shown][:, drawn]
        )
        places, top = _find_likeliest(sides, told, asked)
        best[records], chance[records] = rows[places[of]], np.log(1 / np.maximum(top, 1e-300))[of]
    # all rows with the combination of the best one are candidates
    sizes = np.bincount(kind)
    starts = np.cumsum(sizes) - sizes
    places, owner = expand_ranges(starts[best], starts[best] + sizes[best])
    ends = np.r_[0, np.cumsum(sizes[best])].astype(np.intp)
    rows = np.argsort(kind, kind="stable")[places]
    return Links("likelihood", tables, ends, rows, chance[owner])


def _code_columns(
    data: Microdata, release: TableRelease, names: Sequence[str]
) -> tuple[Ints, Ints, Floats]:
    """Code both tables alike, and find for each row the shares of its values in the original."""
    columns, released, shares = [], [], []
    for name in names:
        codes, values = single_codes(data.frame[name], name, "the original")
        own, known = codes_like(release.frame[name], values, name, "the release")
        columns.append(codes)
        released.append(own)
        shares.append(shares_of(codes, len(known))[own])
    return np.column_stack(columns), np.column_stack(released), np.column_stack(shares)


def _number_combinations(codes: Ints) -> tuple[Rows, Rows]:
    """Find the first row of each different combination, and the combination of each row."""
    _, first, kind = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return first, kind.reshape(-1)


def _pair_blocks(codes: Ints, kinds: Ints, drawn: Flags) -> Iterator[tuple[Rows, Rows]]:
    """Records and places among the kinds of rows that agree in all columns that stay."""
    if drawn.all():
        yield np.arange(len(codes)), np.arange(len(kinds))
        return
    both = np.vstack([codes[:, ~drawn], kinds[:, ~drawn]])
    label = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    own, theirs = label[: len(codes)], label[len(codes) :]
    for block in np.unique(own):
        records, rows = np.flatnonzero(own == block), np.flatnonzero(theirs == block)
        if not len(rows):
            raise RecordError(
                "A record of the original has no row that agrees with it in the columns that "
                "stayed as they were; give the table that the release was made from."
            )
        yield records, rows


class Sides(NamedTuple):
    """Different records, how many are alike, and rows with the shares of their values."""

    codes: Ints
    sizes: Ints
    released: Ints
    shares: Floats

    def number(self, some: int) -> tuple[Rows, Rows, int]:
        """Number the combinations of the columns outside a set, for records and rows alike."""
        both = np.concatenate([self.codes, self.released])
        columns = [(np.zeros(len(both), np.int64), 1)]
        columns += [
            (column, int(column.max()) + 1) for k, column in enumerate(both.T) if not some >> k & 1
        ]
        numbers, size = number_rows(columns)
        return numbers[: len(self.codes)], numbers[len(self.codes) :], size

    def count_agreeing(self, some: int) -> Floats:
        """Count for each row the records that agree with it outside a set of columns."""
        own, theirs, size = self.number(some)
        return np.asarray(np.bincount(own, self.sizes, minlength=size)[theirs], np.float64)

    def sum_chances(self, only: Floats) -> Floats:
        """Sum for each row the chances of all records: by what was drawn, of those that agree."""
        total = np.zeros(len(self.released))
        for drawn in np.flatnonzero(only > 0).tolist():
            columns = [k for k in range(self.codes.shape[1]) if drawn >> k & 1]
            total += only[drawn] * self.shares[:, columns].prod(axis=1) * self.count_agreeing(drawn)
        return total


def _find_likeliest(sides: Sides, told: Redraw, asked: Sequence[str]) -> tuple[Rows, Floats]:
    """Find the likeliest row of each record set by set or pair by pair, whichever is less to do."""
    records, rows = len(sides.codes), len(sides.released)
    if not asked:
        return np.zeros(records, np.intp), np.full(records, 1 / rows)
    by_set = len(asked) <= MAX_SET_COLUMNS
    if by_set:
        sets = len(list_possible_sets(told.chances_by_set(asked)))
        by_set = sets * (records + rows) < records * rows
    return (find_likeliest_rows if by_set else _pair_by_pair)(sides, told, asked)


def _pair_by_pair(sides: Sides, told: Redraw, asked: Sequence[str]) -> tuple[Rows, Floats]:
    """Find the likeliest row of each record the plain way: by the chances of all pairs."""
    codes, released = (part.astype(np.int32).T.copy() for part in (sides.codes, sides.released))
    best, top = np.zeros(len(sides.codes), np.intp), np.full(len(sides.codes), -1.0)
    step = max(1, MAX_CHANCES // max(len(sides.codes), 2 ** len(asked)))
    for start in range(0, len(sides.released), step):
        table = told.transition_chances(asked, sides.shares[start : start + step])
        apart = np.zeros((len(table), len(sides.codes)), np.uint16)  # the set where a pair differs
        for k, (own, theirs) in enumerate(
            zip(codes, released[:, start : start + step], strict=True)
        ):
            apart |= np.left_shift((theirs[:, None] != own).view(np.uint8), k, dtype=np.uint16)
        chance = np.take_along_axis(table, apart.astype(np.intp), axis=1)
        chance /= np.maximum(chance @ sides.sizes, 1e-300)[:, None]
        place = chance.argmax(axis=0)
        found = chance[place, np.arange(len(sides.codes))]
        better = found > top
        best[better], top[better] = start + place[better], found[better]
    return best, top


def list_possible_sets(only: Floats) -> Ints:
    """The sets of columns in which a pair can differ: those that some likely set of draws holds.

    Examples
    --------
    Of three columns one is drawn anew: a pair differs in none or in one.

    >>> list_possible_sets(np.array([0, 0.3, 0.3, 0, 0.4, 0, 0, 0])).tolist()
    [0, 1, 2, 4]
    """
    drawn, sets = np.flatnonzero(only > 0), np.arange(len(only))
    found = np.zeros(len(only), bool)
    for one in drawn:
        found |= (one & sets) == sets
    return np.flatnonzero(found)


def find_likeliest_rows(sides: Sides, told: Redraw, asked: Sequence[str]) -> tuple[Rows, Floats]:
    """Find for each record the row it most likely became, and that chance; the first of equal ones.

    Taking a row to differ in more columns than it does can only lower its chance, so the best over
    all sets of what agrees outside the set is the best of all.
    """
    only = told.chances_by_set(asked)
    total = np.maximum(sides.sum_chances(only), 1e-300)
    best, top = np.zeros(len(sides.codes), np.intp), np.full(len(sides.codes), -1.0)
    step, differing = max(1, MAX_ENTRIES // len(only)), list_possible_sets(only).tolist()
    for start in range(0, len(sides.released), step):
        part = slice(start, start + step)
        chances = told.transition_chances(asked, sides.shares[part]) / total[part, None]
        some_rows = sides._replace(released=sides.released[part])
        for some in differing:
            own, theirs, size = some_rows.number(some)
            order = np.argsort(-chances[:, some], kind="stable")[::-1]
            place = np.full(size, -1, np.intp)
            place[theirs[order]] = order  # of several the last written stays, and is the best
            row = place[own]
            found = np.where(row < 0, -1.0, chances[row, some])
            row += start
            better = (found > top) | ((found == top) & (row < best))
            best[better], top[better] = row[better], found[better]
    return best, top


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PriorKnowledge(Plotted, Framed):
    """What is known of the original values of each row to one who knows all combinations.

    Parameters
    ----------
    unchanged
        The chance that the row is as it was.
    best
        The chance of the likeliest original.
    guess_unchanged
        Whether "nothing changed" is the likeliest, or as likely as any.
    printed_bound, bound
        Proposition 10's bound on the chance of the likeliest, and one that holds; no number where
        several attributes were changed, for which there is neither, and where the first is 0/0.
    """

    unchanged: Floats
    best: Floats
    guess_unchanged: Flags
    printed_bound: Floats
    bound: Floats

    def __len__(self) -> int:
        return len(self.best)

    def __repr__(self) -> str:
        return (
            f"prior knowledge: {100 * self.best.mean():.3g} % of the {count(len(self), 'row')} are "
            f"guessed right to expect, {int(self.guess_unchanged.sum()):,} by 'nothing changed'"
        )

    def to_frame(self) -> pd.DataFrame:
        """One line a row."""
        names = ("unchanged", "best", "guess_unchanged", "printed_bound", "bound")
        return pd.DataFrame({name: getattr(self, name) for name in names})


def prior_knowledge(data: Microdata, release: TableRelease) -> PriorKnowledge:
    """Find how well the original values of each row are guessed by one who knows all combinations.

    Parameters
    ----------
    data
        The original, of whose quasi-identifiers he knows every combination and how often it occurs.
    release
        A release of `verikit.mask.randomize`.

    Returns
    -------
    PriorKnowledge
        For each row the posterior chance that it is as it was, and that of the best guess.

    Raises
    ------
    SchemaError
        If the release tells no probabilities, the original lacks one of its quasi-identifiers, or
        values are missing.
    RecordError
        If a row cannot come from this original.

    Notes
    -----
    A record becomes the row with a known chance; with how often each combination occurs these give
    the posterior (6), here for any probabilities and any number of changed attributes. The bound of
    Proposition 10 does not hold: its step (8) needs that what is asked for is no more frequent than
    what is left after deleting a value. The larger of supp(q')/min supp(q'-q'_i) and
    max supp(q)/supp(q'-q'_w) bounds it. O(n log n) for each set of changed attributes, of which
    there are up to 2^m.

    References
    ----------
    [YQ]_ section 4.2.2, formula (6), Proposition 10, section 6

    Examples
    --------
    The third row, a clerk of 20 to 30 in the USA, does not occur in the original: her age was
    changed for certain, and the best guess is right with 1/2 rather than 17 %.

    >>> import verikit as vk
    >>> found = prior_knowledge(vk.load("yq_figure1"), vk.published("yq_figure5"))
    >>> found.to_frame().loc[2, ["unchanged", "best"]].tolist()
    [0.0, 0.5]
    """
    require_microdata(data, "prior_knowledge")
    told = require_redraw(release, "prior_knowledge", evenly=True)
    lacking = [name for name in told.names if name not in data.schema.names]
    if lacking:
        raise SchemaError(f"The original lacks {listed(lacking)}, which the release holds.")
    codes, released, shares = _code_columns(data, release, told.names)
    shares = told.weigh_drawn(told.names, shares)
    sides = Sides(*np.unique(codes, axis=0, return_counts=True), released, shares)
    chances = told.transition_chances(told.names, shares)
    total, same = sides.sum_chances(told.chances_by_set(told.names)), sides.count_agreeing(0)
    if (total <= 0).any():
        row = int(np.argmin(total))
        raise RecordError(
            f"Row {row + 1} of the release cannot come from any record of this original; give the "
            "table that it was made from."
        )
    # A combination that agrees in more columns than a set leaves is likelier than what the set
    # says of it, so the largest over all sets is that of the likeliest.
    best = same * chances[:, 0]
    for some in np.flatnonzero((chances > 0).any(axis=0)).tolist():
        own, theirs, size = sides.number(some)
        most = np.zeros(size)
        np.maximum.at(most, own, sides.sizes)
        best = np.maximum(best, most[theirs] * chances[:, some])
    unchanged = same * chances[:, 0] / total
    sure = unchanged >= best / total - CLOSE
    return PriorKnowledge(unchanged, best / total, sure, *_find_bounds(sides, told, same))


def _find_bounds(sides: Sides, told: Redraw, same: Floats) -> tuple[Floats, Floats]:
    """Find Proposition 10's bound and one that holds, where one attribute is changed."""
    if told.changed > 1 or told.keep is not None:
        nothing = np.full(len(same), np.nan)
        return nothing, nothing
    m = len(told.names)
    weighed = sides.shares * np.array(told.weights)
    rest = np.column_stack([sides.count_agreeing(1 << k) for k in range(m)])
    others = np.column_stack([_count_others(sides, k) for k in range(m)])
    with np.errstate(divide="ignore", invalid="ignore"):
        first = same / rest.min(axis=1)
        parts = np.where(rest > 0, others / rest, 0.0)
    likeliest = (others * weighed).max(axis=1, keepdims=True)
    of_best = np.where(others * weighed >= likeliest - CLOSE, weighed, 0).max(axis=1)
    printed = np.maximum(first, of_best / weighed.sum(axis=1))
    return printed, np.maximum(np.nan_to_num(first), parts.max(axis=1))


def _count_others(sides: Sides, column: int) -> Ints:
    """Count for each row the most records of one combination that differs in just this column."""
    own, theirs, size = sides.number(1 << column)
    order = np.argsort(sides.sizes, kind="stable")
    top = np.full(size, -1, np.intp)
    top[own[order]] = order  # of several the last written stays, and has the most records
    order = order[top[own[order]] != order]
    second = np.zeros(size, np.int64)
    second[own[order]] = sides.sizes[order]
    best = top[theirs]
    itself = sides.codes[best, column] == sides.released[:, column]
    return np.where(best < 0, 0, np.where(itself, second[theirs], sides.sizes[best]))
