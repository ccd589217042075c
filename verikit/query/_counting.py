"""Count block by block who meets conditions on columns that were published apart.

The rows of each part are sorted by what they leave to ask of other parts. Of people and values that
are linked at random, n to n, the mean and the variance of any sum have a closed form (Hoeffding
1951); between what it lies is a question of flows between kinds of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Floats, Values
from verikit.query._blocks import Blocks, Matches, Part
from verikit.query._columns import Ends, Match
from verikit.query._tree import Tree, Trees, list_branches, settle_trees

MAX_CUTS = 512  # sets of kinds of rows that bounds are looked for in


class Sorted(NamedTuple):
    """Rows of a part that leave the same of some trees to ask of other parts."""

    rests: Trees
    rows: Match
    ends: Ends | None = None


class Options(NamedTuple):
    """For each row of a part whether a value of it is meant: perhaps, surely, with what share.

    Then what the value is at least, what is to be expected of it, and at most.
    """

    places: list[Sorted]
    perhaps: Flags
    surely: Flags
    share: Floats
    low: Floats
    middle: Floats
    high: Floats


class Counting:
    """What one question makes of the blocks of a release, each count made once.

    Parameters
    ----------
    blocks
        The blocks.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self._counted: dict[Tree, Matches] = {}
        self._pairs: dict[frozenset[Tree | bool], Values | None] = {}
        self._sorted: dict[tuple[int, Trees], list[tuple[Trees, Matches]]] = {}

    def count(self, tree: Tree | bool | None) -> Matches:
        """Count by block how many records of people meet a tree: at least, expected, at most.

        Examples
        --------
        >>> import verikit as vk
        >>> from verikit.query import bind_conditions, blocks
        >>> seen = blocks(vk.published("lhcc_table3"))
        >>> where = vk.Query.count({"Age": (40, 70), "Disease": "Flu"}).where
        >>> found = Counting(seen).count(bind_conditions(where, seen.schema))
        >>> [part.tolist() for part in found[:3]]
        [[0, 0], [0.8, 0.75], [1, 1]]
        """
        sizes = self.blocks.sizes
        if tree is None or isinstance(tree, bool):
            return Matches.exactly(sizes if tree is not False else np.zeros_like(sizes))
        if tree not in self._counted:
            homes = self.blocks.find_homes(tree)
            if len(homes) == 1:
                found = self.blocks.parts[min(homes)].count(tree)
            else:
                found = self._count_joined(tree)
            self._counted[tree] = found
        return self._counted[tree]

    def _count_joined(self, tree: Any) -> Matches:
        """Bound the records that meet all branches, or any; expect what chance links make of them.

        Where no part is asked twice, these are the Fréchet bounds: of n records, of which a meet
        one thing and b another, at least max(0, a + b - n) and at most min(a, b) meet both.
        """
        branches = self.blocks.split_branches(tree)
        homes = [place for own, _ in branches for place in own]
        counts = [self.count(branch) for _, branch in branches]
        n = self.blocks.sizes
        if not tree.every:  # De Morgan: who meets any branch is all but who meets no branch
            counts = [part.negate(n) for part in counts]
        low, high, mean = counts[0].low, counts[0].high, counts[0].mean
        for part in counts[1:]:
            low, high = np.maximum(low + part.low - n, 0), np.minimum(high, part.high)
            mean = mean * (part.mean / np.maximum(n, 1))
        found = Matches(low, mean, high, all(part.tight for part in counts))
        found = found if tree.every else found.negate(n)
        twice = [place for place in homes if homes.count(place) > 1]
        return self._count_torn(twice, tree, found) if twice else found

    def _count_torn(self, torn: Sequence[int], tree: Tree, found: Matches) -> Matches:
        """Count where several branches ask one part: case by case of what its rows leave to ask."""
        place = max(torn, key=lambda at: not self.blocks.parts[at].is_clear(tree))
        part, n = self.blocks.parts[place], self.blocks.sizes
        cases = self.count_sorted(place, (tree,))
        low, mean, high = np.zeros((3, len(n)))
        for (rest,), rows in cases:
            people, met = part.of_people(rows), self.count(rest)
            mean += people.mean * met.mean / np.maximum(n, 1)
            low += np.maximum(people.low + met.low - n, 0)
            high += np.minimum(people.high, met.high)
        others = {at for (rest,), _ in cases if not isinstance(rest, bool)
                  for at in self.blocks.find_homes(rest)}  # fmt: skip
        cut = self._cut_flows(place, min(others), tree) if len(others) == 1 else None
        if cut is not None:
            return Matches(cut[0], mean, cut[1], True)
        return Matches(np.maximum(low, found.low), mean, np.minimum(high, found.high), False)

    def _cut_flows(self, place: int, other: int, tree: Tree) -> tuple[Values, Values] | None:
        """Bound the links between kinds of rows of two parts that may meet a tree: least cuts.

        None where the rows of the other part are open too, or there are too many kinds.
        """
        first, second = self.blocks.parts[place], self.blocks.parts[other]
        if not second.is_clear(tree):
            return None
        rests, kinds = self._count_kinds(place, tree)
        meet = [(holds, rows.low) for holds, rows in self.count_sorted(other, rests)]
        links = np.maximum(first.rows, second.rows)  # with what is nobody's
        nowhere = np.arange(len(rests) + 1) == len(rests)
        kinds.append((nowhere, links - sum(count for _, count in kinds)))
        meet.append(((False,) * len(rests), links - sum(count for _, count in meet)))
        may = np.array([kind for kind, _ in kinds])
        met = np.array([kind for kind, _ in meet], bool)
        some = (may[:, None, :-1] & met).any(axis=2)
        every = (~may[:, None, :-1] | met).all(axis=2) & ~may[:, -1:]
        rows, counts = [count for _, count in kinds], [count for _, count in meet]
        most, least = _find_flow(some, rows, counts), _find_flow(~every, rows, counts)
        if most is None or least is None:
            return None
        return np.minimum(links - least, most), most

    def _count_kinds(self, place: int, tree: Tree) -> tuple[Trees, list[tuple[Flags, Values]]]:
        """Count by block the kinds of rows of a part: what each may leave to ask, last nothing."""
        part = self.blocks.parts[place]
        if part.is_clear(tree):
            cases = self.count_sorted(place, (tree,))
            alone = np.eye(len(cases), len(cases) + 1, dtype=bool)
            counts = [rows.low for _, rows in cases]
            return tuple(rest for (rest,), _ in cases), [*zip(alone, counts, strict=True)]
        found = {one.rests[0]: one.rows.perhaps for one in sort_rows(part, (tree,))}
        none = found.pop(False, np.zeros(len(part), bool))
        may = np.array([*found.values(), none | ~np.logical_or.reduce([none, *found.values()])])
        kinds, codes = np.unique(may, axis=1, return_inverse=True)
        each = [part.count_rows(codes.ravel() == at) for at in range(kinds.shape[1])]
        return tuple(found), [*zip(kinds.T, each, strict=True)]

    def list_options(self, name: str, tree: Tree | None) -> Options:
        """List what of the value of each row of a part may be meant, and with what share.

        Whether it is meant, other parts may have to say.
        """
        place = self.blocks.home[name]
        part = self.blocks.parts[place]
        labels, n = part.blocks_of_rows(), self.blocks.sizes
        codes = part.columns.codes(name)
        plain = Ends(*(end[codes] for end in part.columns[name].ends()))
        places = sort_rows(part, (True if tree is None else tree,), name)
        low, high = np.full(len(part), np.inf), np.full(len(part), -np.inf)
        some, surely, open_ = np.zeros((3, len(part)), bool)
        share, moment = np.zeros((2, len(part)))
        for (rest,), rows, ends in places:
            met = self.count(rest)
            may, full = (met.high > 0)[labels], (met.low == n)[labels]
            some |= rows.perhaps & may
            surely |= rows.perhaps
            open_ |= rows.perhaps & ~full
            weight = rows.share * (met.mean / np.maximum(n, 1))[labels]
            share += weight
            if ends is not None:
                may &= rows.perhaps
                low[may] = np.fmin(low, ends.low)[may]
                high[may] = np.fmax(high, ends.high)[may]
                moment += np.where(weight > 0, weight * ends.middle, 0.0)
        if places and places[0].ends is not None:
            gone = np.isnan(plain.low)
            middle = np.divide(moment, share, out=plain.middle, where=(share > 0) & ~gone)
            plain = Ends(np.where(gone, np.nan, low), middle, np.where(gone, np.nan, high))
        share *= part.chance_of_people()
        return Options(places, some, surely & ~open_, share, *plain)

    def is_tight(self, options: Options, tree: Tree | None) -> bool:
        """Tell whether so many of each block, whichever they are, may be those that are meant.

        They are where all rows that wait for other parts wait for the same.
        """
        rests = {one.rests[0] for one in options.places} - {False}
        if len(self.blocks.parts) == 1:
            return True
        nobody = any(part.people is not None for part in self.blocks.parts)
        clear = all(one.rows.clear for one in options.places)
        return clear and len(rests if nobody else rests - {True}) < 2 and self.count(tree).tight

    def count_pairs(self, tree: Tree | bool, other: Tree | bool) -> Values | None:
        """Expect by block how many ordered pairs of people meet a tree each; None for open cells.

        Of two people no two have the same row of a part.
        """
        n, key = self.blocks.sizes, frozenset((tree, other))
        if False in key:
            return np.zeros(len(n))
        if True in key:
            return (n - 1.0) * self.count(other if tree is True else tree).mean
        if key not in self._pairs:
            self._pairs[key] = self._count_pairs(tree, other)
        return self._pairs[key]

    def _count_pairs(self, tree: Any, other: Any) -> Values | None:
        """Count pairs case by case of what the rows of one part leave to ask."""
        n = self.blocks.sizes
        homes = sorted(self.blocks.find_homes(tree) | self.blocks.find_homes(other))
        place = homes[0]
        part, same = self.blocks.parts[place], tree == other
        if not part.is_clear(tree) or not part.is_clear(other):
            return None
        if same and len(homes) == 1 and part.people is None:
            met = self.count(tree).low
            return met * (met - 1.0)
        cases = self.count_sorted(place, (tree,) if same else (tree, other))
        joint = {(rests[0], rests[-1]): rows.low for rests, rows in cases}
        ones: dict[Tree | bool, Any] = {}
        twos: dict[Tree | bool, Any] = {}
        for (one, two), count in joint.items():
            ones[one] = ones.get(one, 0) + count
            twos[two] = twos.get(two, 0) + count
        links = np.maximum(part.rows * (part.rows - 1.0), 1)
        found = np.zeros(len(n))
        for one, some in ones.items():
            for two, more in twos.items():
                if one is False or two is False:
                    continue
                pairs = self.count_pairs(one, two)
                if pairs is None:
                    return None
                found += (some * (more * 1.0) - joint.get((one, two), 0)) / links * pairs
        return found

    def count_sorted(self, place: int, trees: Trees) -> list[tuple[Trees, Matches]]:
        """Count by block the rows of a part that leave the same to ask.

        Those that meet nothing are left out.
        """
        key = place, trees
        if key not in self._sorted:
            part, found = self.blocks.parts[place], []
            asked = {b for tree in trees for b in list_branches(tree, frozenset(part.names))}
            if len(asked) == 1:
                (branch,) = asked
                alone = part.people is None
                met = self.count(branch) if alone else part.count(branch, people=False)
                for holds in (True, False):
                    rests = settle_trees(trees, {branch: holds})
                    if any(rests):
                        found.append((rests, met if holds else met.negate(part.rows)))
            else:
                places = [one for one in sort_rows(part, trees) if any(one.rests)]
                found = [(one.rests, part.add_up(one.rows)) for one in places]
            self._sorted[key] = found
        return self._sorted[key]


def sort_rows(part: Part, trees: Trees, name: str | None = None) -> list[Sorted]:
    """Sort the rows of a part by what they leave of trees to ask of other parts.

    Rows of open cells are in several places, with a share in each. With the name of a column of
    which values are asked for, each place has what they are there.
    """
    columns, names = part.columns, frozenset(part.names)
    whole = Match.exactly(np.ones(len(part), bool))
    found = [Sorted(trees, whole)]
    own = name is not None and any(
        name in tree.columns for tree in trees if not isinstance(tree, bool)
    )
    if name is not None and own and not columns[name].clear:
        codes = columns.codes(name)
        found = [
            Sorted(rests, rows, Ends(*(end[codes] for end in columns[name].ends(values))))
            for rows, values, rests in columns.split(name, trees)
        ]
    while True:
        asked = [b for one in found for tree in one.rests for b in list_branches(tree, names)]
        if not asked:
            return found
        torn = _find_shared(part, dict.fromkeys(asked))
        if torn is None:
            met = columns.match(asked[0])
            split = [(met, {asked[0]: True}), (met.negate(), {asked[0]: False})]
        joined: dict[Any, Sorted] = {}
        for one in found:
            if torn is None:
                parts = [(rows, settle_trees(one.rests, known)) for rows, known in split]
            elif any(torn in tree.columns for tree in one.rests if not isinstance(tree, bool)):
                parts = [(rows, rests) for rows, _, rests in columns.split(torn, one.rests)]
            else:
                parts = [(whole, one.rests)]
            for rows, rests in parts:
                if not any(rests) and one.rows.clear and rows.clear:
                    continue  # who meets nothing is who is nowhere else
                both = join_rows(one.rows, rows)
                key = rests, id(one.ends)
                before = joined.get(key)
                joined[key] = Sorted(
                    rests, both if before is None else _add_rows(before.rows, both), one.ends
                )
        found = list(joined.values())


def join_rows(first: Match, second: Match) -> Match:
    """Say which rows are in both of two places, of columns that say nothing of each other."""
    surely = first.surely & second.surely
    if first.clear and second.clear:
        return Match.exactly(surely)
    return Match(surely, first.share * second.share, first.perhaps & second.perhaps)


def _add_rows(first: Match, second: Match) -> Match:
    surely = first.surely | second.surely
    if first.clear and second.clear:
        return Match.exactly(surely)
    return Match(surely, first.share + second.share, first.perhaps | second.perhaps)


def _find_shared(part: Part, branches: Any) -> str | None:
    """Find a column of open cells that several branches ask."""
    names = [name for branch in branches for name in branch.columns]
    shared = (name for name in names if names.count(name) > 1 and not part.columns[name].clear)
    return next(shared, None)


def _find_flow(meet: Flags, rows: Sequence[Values], columns: Sequence[Values]) -> Values | None:
    """Find by block the most links between kinds of rows and columns that meet: a least cut."""
    near = [frozenset(np.flatnonzero(line).tolist()) for line in meet]
    sets = {frozenset[int]()}
    for some in near:
        sets |= {one | some for one in sets}
        if len(sets) > MAX_CUTS:
            return None
    found = None
    for some in sets:
        cut = np.zeros(len(rows[0]))
        for count, own in zip(rows, near, strict=True):
            cut = cut if own <= some else cut + count
        cut = cut + sum(columns[at] for at in some)
        found = cut if found is None else np.minimum(found, cut)
    return found
