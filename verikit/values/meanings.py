"""What the labels of a column of categories may stand for; decided for the column as a whole.

``A*`` is a grade among ``A`` and ``B``, and ``476**`` a masked code among ``47602`` and ``479**``;
``20-29`` is a band, but no part of a column of ``2020-01`` and its like. So a label is read
beside the other labels of its column, each of which counts once, however many records show it.

A range, such as ``[20, 29]``, ``[20,30[``, ``80+`` or ``under 30``, is read whole or not at all.
Words are taken in the languages of the page; words of age and money around it are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np

from verikit._support.arrays import Flags
from verikit.values.columns import Column
from verikit.values.names import members
from verikit.values.numbers import filter_numbers, plain_number
from verikit.values.ranges import LOOKS, Range, read_range
from verikit.words import text

__all__ = [
    "ANYTHING", "Meaning", "are_halves", "find_doubtful", "has_closed_categories",
    "labels_that_may_be", "meanings", "meet_as_text",
]  # fmt: skip

STARRED = re.compile(r"\w+\*+|[\d*]*\d[\d*]*\*[\d*]*")
DOUBTFUL = re.compile(r"\d|^[{<>≤≥⩽⩾]")
CROSSED = re.compile(r"(\d+)([xX]+)")
HYPHENS = re.compile(r"\d[\d.,]*(?:\s*-\s*\d[\d.,]*)+")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one label may stand for.

    Parameters
    ----------
    names
        Categories: its own name, the members of a set, the values below a node.
    ranges
        Ranges of numbers.
    codes
        Codes whose starred places may hold any letter.
    anything
        Whether it may be any value: withheld, missing, or not understood.
    unread
        Whether it looks like a range or a starred code that cannot be read.
    """

    names: tuple[str, ...] = ()
    ranges: tuple[Range, ...] = ()
    codes: tuple[str, ...] = ()
    anything: bool = False
    unread: bool = False

    @property
    def single(self) -> bool:
        """Whether it stands for one value."""
        return not (self.ranges or self.codes or self.anything) and len(self.names) == 1

    @property
    def spans(self) -> tuple[Range, ...]:
        """Its ranges, and those of the numbers that its codes may be."""
        ends = ((code.replace("*", "0"), code.replace("*", "9")) for code in self.codes)
        numbers = (Range(float(low), float(high)) for low, high in ends if low.isdecimal())
        return (*self.ranges, *numbers)

    def holds(self, name: str) -> bool:
        """Whether it may be the value that a text names."""
        coded = any(codes_agree(code, name) for code in self.codes)
        if self.anything or coded or name in self.names:
            return True
        number = plain_number(name) if self.ranges else None
        return number is not None and any(bool(part.holds(number)) for part in self.ranges)

    def meets(self, other: Meaning) -> bool:
        """Whether some value may be both."""
        if self.anything or other.anything or not frozenset(self.names).isdisjoint(other.names):
            return True
        pairs = [(a, b) for a, b in ((self, other), (other, self)) if b.ranges or b.codes]
        if any(there.holds(name) for here, there in pairs for name in here.names):
            return True
        if any(codes_agree(a, b) for a in self.codes for b in other.codes):
            return True
        if not (self.ranges or other.ranges):
            return False
        ours, theirs = ([span.ends for span in part.spans] for part in (self, other))
        return any(a[0] <= b[1] and b[0] <= a[1] for a in ours for b in theirs)


ANYTHING = Meaning(anything=True)


def codes_agree(code: str, name: str) -> bool:
    """Whether two codes of one length agree wherever neither is starred.

    Examples
    --------
    >>> codes_agree("476**", "47677"), codes_agree("476**", "4*6*1"), codes_agree("476*", "47677")
    (True, True, False)
    """
    return len(code) == len(name) and all(
        a == b or "*" in (a, b) for a, b in zip(code, name, strict=True)
    )


@lru_cache(maxsize=64)
def meanings(labels: tuple[str, ...], column: Column, *, sets: bool = True) -> tuple[Meaning, ...]:
    """Read what each label of a column may stand for.

    Parameters
    ----------
    labels
        The different labels that the column holds.
    column
        The column; its hierarchy comes before what a label looks like.
    sets
        Whether `*` and `{a, b}` stand for other values, as they may where values were withheld; in
        a table of single values they are names.

    Examples
    --------
    >>> zips, grades = Column("zip", kind="nominal"), Column("grade", kind="nominal")
    >>> [meaning.codes for meaning in meanings(("47602", "476**"), zips)]
    [(), ('476**',)]
    >>> [meaning.names for meaning in meanings(("A", "A*", "B"), grades)]
    [('A',), ('A*',), ('B',)]
    """
    if column.words and column.hierarchy is None:
        return tuple(Meaning((label,)) for label in labels)
    nodes = frozenset() if column.hierarchy is None else frozenset(column.hierarchy.nodes)
    found = [_read_label(label, column, nodes, sets=sets) for label in labels]
    found = _rule_out_dates(labels, found)
    found = _rule_out_grades(labels, found)
    return tuple(found if column.hierarchy else _mark_unread(labels, found))


def find_doubtful(labels: tuple[str, ...], column: Column) -> str | None:
    """Find a label that may be a band, a set or a masked code, and may be a word.

    Examples
    --------
    >>> pay = Column("pay", kind="nominal")
    >>> find_doubtful(("<=50K", ">50K"), pay), find_doubtful(("*", "clerk"), pay)
    ('<=50K', None)
    """
    if column.words or column.kind == "numeric" or column.categories is not None:
        return None
    doubtful = [at for at, one in enumerate(labels) if DOUBTFUL.search(one) and not one.isdecimal()]
    read = meanings(labels, column, sets=True) if doubtful else ()
    return next((labels[at] for at in doubtful if read[at] != Meaning((labels[at],))), None)


def labels_that_may_be(
    labels: Sequence[str], read: Sequence[Meaning], column: Column, value: object
) -> Flags:
    """Tell which labels may be a value; last that a missing one may, the hierarchy first."""
    if column.kind == "numeric":
        column.number(value)
    name, pairs = text(value), zip(labels, read, strict=True)
    path = () if column.hierarchy is None else column.hierarchy.levels.get(name, ())
    if path:
        found = [
            label in path or part.anything or (label[:1] == "{" and name in part.names)
            for label, part in pairs
        ]
    else:
        found = [label == name or part.holds(name) for label, part in pairs]
    return np.array([*found, True], np.bool_)


def has_closed_categories(column: Column) -> bool:
    """Whether a value of a column is one of its declared categories, none of which is a range.

    Examples
    --------
    >>> has_closed_categories(Column("sex", kind="ordinal", order=("f", "m")))
    True
    >>> (
    ...     has_closed_categories(Column("age", kind="ordinal", order=("<30", "30+"))),
    ...     has_closed_categories(Column("age")),
    ... )
    (False, False)
    """
    declared = column.categories
    if declared is None or column.kind == "numeric":
        return False
    return column.hierarchy is not None or all(part.single for part in meanings(declared, column))


def are_halves(read: Sequence[Meaning]) -> bool:
    """Whether all that stands for several values is a range without end, or two that never meet.

    Beside numbers, as in ``70``, ``80+``, it is what numbers go up to.

    Examples
    --------
    >>> pay = Column("pay", kind="nominal")
    >>> (
    ...     are_halves(meanings(("<=50K", ">50K"), pay)),
    ...     are_halves(meanings(("<30", "30-39", "40+"), pay)),
    ... )
    (True, False)
    """
    coarse = [part for part in read if not part.single]
    ends = [span.ends for part in coarse for span in part.ranges]
    numbers = any(plain_number(part.names[0]) is not None for part in read if part.single)
    alone = all(len(p.ranges) == 1 and not (p.names or p.codes or p.anything) for p in coarse)
    open_ended = all(np.isinf(span[:2]).any() for part in coarse for span in part.ranges)
    if numbers or not alone or not 0 < len(coarse) <= 2 or not open_ended:
        return False
    return len(ends) == 1 or ends[0][0] > ends[1][1] or ends[1][0] > ends[0][1]


def _read_label(label: str, column: Column, nodes: frozenset[str], *, sets: bool) -> Meaning:
    """Read what a label says by itself."""
    tree = column.hierarchy
    if (sets and set(label) == {"*"}) or (tree is not None and label == tree.root):
        return replace(ANYTHING, names=() if tree is None or label != tree.root else tree.order())
    if tree is not None and label in nodes:
        leaves, span = tree.leaves(label), None
        if column.kind == "numeric" and label not in leaves:
            # the numbers of a node: those that its label names, else from its least to its most
            numbers = [*filter_numbers(leaves)]
            between = Range(min(numbers), max(numbers)) if numbers else None
            span = read_range(label, column.name) or between
        return Meaning(leaves, () if span is None else (span,))
    parts = members(label) if sets else ()
    if parts:
        inside = [_read_label(part, column, nodes, sets=sets) for part in parts]
        # {a, b} or 20-29 among others stands for what it says, or is the very name of a value
        names = [name for part in inside for name in part.names]
        own = [one for one, part in zip(parts, inside, strict=True) if not part.codes]
        return Meaning(
            tuple(dict.fromkeys((*names, *(name for name in own if name not in nodes)))),
            tuple(span for part in inside for span in part.ranges),
            tuple(code for part in inside for code in part.codes),
            any(part.anything for part in inside),
        )
    span = read_range(label, column.name)
    if span is not None:
        return Meaning(ranges=(span,))
    if LOOKS.fullmatch(label):
        return Meaning(anything=True, unread=True)
    crossed = CROSSED.fullmatch(label)  # 476xx is the code 476**
    code = crossed[1] + "*" * len(crossed[2]) if crossed else label
    return Meaning(codes=(code,)) if crossed or STARRED.fullmatch(label) else Meaning((label,))


def _rule_out_dates(labels: Sequence[str], found: list[Meaning]) -> list[Meaning]:
    """Hyphens between numbers are no bands where most of them in the column cannot be bands.

    One that cannot be among many that can, such as ``5-3``, is a slip and stays unread.
    """
    hyphens = [bool(HYPHENS.fullmatch(label)) for label in labels]
    bands = sum(bool(part.ranges) for part, hyphen in zip(found, hyphens, strict=True) if hyphen)
    if 2 * bands >= sum(hyphens):
        return found
    both = zip(labels, found, hyphens, strict=True)
    return [Meaning((label,)) if hyphen else part for label, part, hyphen in both]


def _rule_out_grades(labels: Sequence[str], found: list[Meaning]) -> list[Meaning]:
    """Stars mask a code where most of the column is starred, or most codes are as long.

    Elsewhere a star behind letters belongs to the name, and one among digits is not understood.
    """
    starred = [at for at, meaning in enumerate(found) if meaning.codes and not members(labels[at])]
    plain = [label for label, meaning in zip(labels, found, strict=True) if meaning.single]
    lengths = np.array([len(name) if name.isalnum() else 0 for name in plain])
    for at in starred:
        label, length = labels[at], len(labels[at])
        alike = 2 * np.count_nonzero(lengths == length) >= max(len(plain), 1)
        most = len(starred) >= len(plain) if any(map(str.isdigit, label)) else not plain
        if not (alike or most):
            odd = text(label).rstrip("*").isdigit()
            found[at] = Meaning(anything=True, unread=True) if odd else Meaning((label,))
    return found


def _mark_unread(labels: Sequence[str], found: list[Meaning]) -> list[Meaning]:
    """Beside ranges, a label with a number and words is one in words that are not known."""
    if not any(meaning.ranges for meaning in found):
        return found
    read = []
    for label, meaning in zip(labels, found, strict=True):
        number = label.isdecimal() or plain_number(label) is not None
        odd = meaning.single and not number and any(map(str.isdecimal, label))
        read.append(Meaning(anything=True, unread=True) if odd else meaning)
    return read


def meet_as_text(
    rows: Sequence[Meaning], places: Sequence[Meaning]
) -> Iterator[tuple[int, list[int]]]:
    """Each row with a code or a name, and the places that may be it by theirs, where one is a code.

    Texts are compared pattern by pattern, not one by one.

    Examples
    --------
    >>> zips = [Meaning(codes=("476**",)), Meaning(names=("47602",)), Meaning(names=("47901",))]
    >>> list(meet_as_text(zips, zips))
    [(0, [0]), (0, [1]), (1, [0])]
    """
    ours, theirs = _by_pattern(rows), _by_pattern(places)
    for (one, found), (two, others) in product(ours.items(), theirs.items()):
        if (one[0] or two[0]) and len(one) == len(two):
            both = [at for at, shown in enumerate(zip(one[1:], two[1:], strict=True)) if all(shown)]
            known: dict[tuple[str, ...], list[int]] = {}
            for word, at in others:
                known.setdefault(tuple(word[place] for place in both), []).append(at)
            held = ((row, known.get(tuple(word[place] for place in both))) for word, row in found)
            yield from ((row, meeting) for row, meeting in held if meeting)


def _by_pattern(read: Iterable[Meaning]) -> dict[tuple[bool, ...], list[tuple[str, int]]]:
    """The texts by whether they are codes, and which of their letters are no star."""
    found: dict[tuple[bool, ...], list[tuple[str, int]]] = {}
    for at, part in enumerate(read):
        for masked, word in (*((True, c) for c in part.codes), *((False, n) for n in part.names)):
            pattern = (masked, *(letter != "*" for letter in word))
            found.setdefault(pattern, []).append((word, at))
    return found
