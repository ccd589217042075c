"""What an attack gives away: about whom, which value, and with what confidence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support import html as _html
from verikit._support import requests
from verikit._support.arrays import Flags, Floats, Ints
from verikit._support.compiled import compiled
from verikit._support.plotted import Plotted
from verikit.errors import SchemaError
from verikit.matching import (
    Holdings,
    People,
    Table,
    as_people_frame,
    find_certain_classes,
    find_hidden_rows,
    held_by_people,
    holdings_of,
    row_text,
)
from verikit.models import beside, numbers_of
from verikit.release import whole_records
from verikit.table import Microdata
from verikit.words import EVEN_VALUES, count, listed, share, text

JOINED = ["first", "second", "alike"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Disclosure(Plotted):
    """Who is disclosed by an attack, what, and with what confidence.

    Parameters
    ----------
    attack
        The attack's name.
    sentence
        What it comes to.
    frame
        One line a finding, the surest first: who, as the columns that the attacker sees; how many
        ``records`` fit; the ``value`` learned; the attacker's ``confidence``; and ``before``, how
        sure he could be without the attack.
    people, total
        How many people the findings are about, of how many.
    fault
        What is wrong with the release even where nobody learns more by it, such as rows that lie
        in their old order; else nothing.
    joined
        Where an attack joins two releases, one line for each person that it joins: her row in the
        ``first`` and in the ``second``, counted from 0, and how many rows that are ``alike`` in one
        of them could stand for hers (1 where it is surely this one). Else no lines.

    Examples
    --------
    >>> import verikit as vk
    >>> found = vk.intruder.homogeneity(vk.published("ks_table4"))
    >>> found.people, found.total
    (4, 11)
    """

    attack: str
    sentence: str
    frame: pd.DataFrame
    people: int
    total: int
    fault: str = ""
    joined: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=JOINED, dtype=int))

    @property
    def gained(self) -> int:
        """In how many findings the attacker is surer than without the attack."""
        return int((self.frame["confidence"] > self.frame["before"]).sum())

    @property
    def certain(self) -> int:
        """How many findings are certain."""
        return int((self.frame["confidence"] == 1).sum())

    @property
    def warns(self) -> bool:
        """Whether the attack shows something that should not be: a gain, or a fault."""
        return self.gained > 0 or bool(self.fault)

    @property
    def verdict(self) -> str:
        """What it comes to in a few words."""
        if self.gained:
            found = count(len(self.frame), "finding")
            return f"{found}, {self.certain:,} of them certain"
        return self.fault or "nothing gained"

    @property
    def means(self) -> str:
        """What was found, as a sentence of its own."""
        return self.sentence[:1].upper() + self.sentence[1:]

    @property
    def why(self) -> str:
        """Nothing: each finding stands in the frame."""
        return ""

    def __repr__(self) -> str:
        return f"{self.attack}: {self.sentence}"

    def to_frame(self) -> pd.DataFrame:
        """Find the findings, one line each."""
        return self.frame.copy()

    def _repr_html_(self) -> str:
        tables = [self.frame.head(12)] if len(self.frame) else []
        return _html.result(repr(self), *tables)


class Sight(NamedTuple):
    """What an attacker sees: classes of look-alikes, or what each person he knows may be."""

    holdings: Holdings
    people: int | None
    table: Table | Holdings | None = None

    @property
    def total(self) -> int:
        """How many people are at stake."""
        return self.holdings.total if self.people is None else self.people

    def count_people(self, owners: npt.NDArray[Any]) -> int:
        """Count how many people some classes stand for."""
        whole = self.people is None
        return int(self.holdings.classes.sizes[owners].sum()) if whole else len(owners)

    def find_certain(self, told: Ints) -> Flags:
        """Of which classes it is certain what they tell; -1 stands for those that tell nothing.

        People may fit classes whose cells overlap their own, so these must tell the same.
        """
        if not isinstance(self.table, Microdata) and not whole_records(self.table):
            return np.asarray(told >= 0)
        classes = self.holdings.classes
        seen = np.bincount(classes.labels, find_hidden_rows(self.table), len(classes)) == 0
        return find_certain_classes(self.table, classes, [told], seen)[0]

    def whom(self, frame: pd.DataFrame, row: int) -> str:
        """One line of a finding's frame as the person or class it is about."""
        classes = self.holdings.classes
        return row_text(frame.iloc[:, : len(classes.frame.columns)], row, classes.schema)


def see_holdings(release: Table, people: People | None, sensitive: str | None) -> Sight:
    """What an attacker sees who knows everyone's quasi-identifiers, or those of some people."""
    if people is None:
        return Sight(holdings_of(release, sensitive, "own value"), None, release)
    return Sight(held_by_people(people, release, sensitive), len(as_people_frame(people)))


def make_disclosure(
    attack: str,
    view: Sight,
    found: Mapping[str, npt.NDArray[Any]],
    words: Callable[[str, pd.DataFrame], str],
) -> Disclosure:
    """Put findings about classes or people together, the surest first.

    ``found`` gives owner, value, confidence, before and what else is told of each; the sentence is
    ``words`` of whom they are about and of their table.
    """
    owner, holdings = found["owner"], view.holdings
    order = np.lexsort((owner, -found["confidence"]))
    columns: dict[str, npt.NDArray[Any]] = {"records": holdings.classes.sizes[owner]}
    columns |= {name: part for name, part in found.items() if name != "owner"}
    cells = holdings.classes.cells().take(owner).reset_index(drop=True)
    frame = beside(cells, columns).take(order).reset_index(drop=True)
    people = view.count_people(owner)
    kind = "records" if view.people is None else "people known"
    sentence = words(f"{people:,} of {view.total:,} {kind}", frame)
    if not len(holdings.classes):
        sentence = "none of the people known fits any published record."
    return Disclosure(attack, sentence, frame, people, view.total)


def find_frequent(
    attack: str,
    view: Sight,
    held: Holdings,
    asked: float,
    differ: Flags | None = None,
) -> Disclosure:
    """Find the classes or people whose most frequent value reaches the share asked for.

    ``held`` are the values seen as the attack sees them; ``differ``, where it is given, tells
    whose values are not all one, and only those are findings.
    """
    top = held.top()
    part = held.count[top] / held.classes.sizes
    reached = (part >= asked) & held.known[top]
    if asked == 1:
        reached = view.find_certain(np.where(reached, held.place[top], -1))
    kept = np.flatnonzero(reached if differ is None else reached & differ)
    places = held.place[top[kept]]
    found = {
        "owner": kept,
        "value": np.array(held.shown(places), dtype=object),
        "confidence": part[kept],
        "before": held.overall[places] / held.total,
    }
    what = held.column.name if differ is None else f"The kind of {held.column.name}"
    sure = "with certainty" if asked == 1 else f"in at least {share(asked)} cases, {EVEN_VALUES},"

    def describe(whom: str, frame: pd.DataFrame) -> str:
        said = f"{what} is given away {sure} for {whom}"
        if len(frame):
            said += f", first {frame['value'].iloc[0]} for {view.whom(frame, 0)}"
        return f"{said}."

    return make_disclosure(attack, view, found, describe)


def homogeneity(
    release: Table,
    people: People | None = None,
    *,
    least: float = 1,
    sensitive: str | None = None,
) -> Disclosure:
    """Find the classes in which everyone, or nearly everyone, has the same sensitive value.

    The attacker knows that his targets are in the table, and their quasi-identifiers.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the targets, a table of people or one record; None looks at every
        class, as if everybody's were known.
    least
        From which confidence on a value counts as given away: 1 asks for certainty, less for
        probable inference.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        The classes or people whose most frequent value reaches ``least``; its share among the
        records that fit as confidence, and its share of the whole table before.

    Raises
    ------
    SchemaError, RecordError
        If the table cannot be measured, or the people or ``least`` cannot be used.

    References
    ----------
    [KS]_ sections 3.4 and 4.1, Table 4

    Notes
    -----
    Where cells overlap, people may fit classes with other cells than those of their own row. Asked
    for certainty, only classes are named of which it is true whatever the values of their people
    are; asked for less, the share is that of the class alone, and ``people`` tells what others add.

    The survey counts three single persons where its table has four, and writes 70 % for eight of
    ten; both are read as the tables have them.

    Examples
    --------
    >>> import verikit as vk
    >>> homogeneity(vk.published("ks_table4"))
    homogeneity: Crime is given away with certainty for 4 of 11 records, first Theft for Marital
    Status Single, DOB 20**, Zip 19552.
    """
    asked = requests.share(least, "least")
    view = see_holdings(release, people, sensitive)
    return find_frequent("homogeneity", view, view.holdings, asked)


def similarity(
    release: Table,
    people: People | None = None,
    *,
    kinds: Mapping[Any, str] | None = None,
    least: float = 1,
    sensitive: str | None = None,
) -> Disclosure:
    """Find the classes whose sensitive values are of one kind, though not all the same.

    The attacker knows his targets' quasi-identifiers, and which values are alike.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the targets, a table of people or one record; None looks at every
        class.
    kinds
        The kind of each value; None takes the groups right above the values in the hierarchy of
        the sensitive column. For numbers give each value its range.
    least
        From which share of one kind on it counts as given away.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        The classes or people of whose records one kind has at least the share ``least``: the kind,
        its share as confidence, and its share of the whole table before.

    Raises
    ------
    SchemaError, RecordError
        If the table cannot be measured, the people or ``least`` cannot be used, or a value has no
        kind.

    References
    ----------
    [KS]_ section 5.3, Table 6

    Examples
    --------
    >>> import verikit as vk
    >>> similarity(vk.published("ks_table6"))
    similarity: The kind of Disease is given away with certainty for 4 of 11 records, first
    neurological for Marital Status Single, DOB 20**, Zip 19552.
    """
    asked = requests.share(least, "least")
    view = see_holdings(release, people, sensitive)
    alike = view.holdings.merged(*_find_kinds(view.holdings, kinds))
    differ = np.bincount(view.holdings.owner, minlength=len(alike.classes)) > 1
    return find_frequent("similarity", view, alike, asked, differ)


def _find_kinds(holdings: Holdings, kinds: Mapping[Any, str] | None) -> tuple[Ints, pd.Index[Any]]:
    """Find the kind of each value as a place in the list of kinds, and that list."""
    names, tree = holdings.named(range(len(holdings.values))), holdings.column.hierarchy
    if kinds is not None:
        told = requests.instance(kinds, Mapping, "similarity", "kinds such as {'flu': 'lungs'}")
        known = {text(value): text(kind) for value, kind in told.items()}
        shown = zip(names, holdings.shown(range(len(names))), strict=True)
        known = {name: known[date] for name, date in shown if date in known} | known
    elif tree is not None:
        known = {name: tree.parent(name) or name for name in names if name in tree.nodes}
    else:
        raise SchemaError(
            f"Column {holdings.column.name!r} has no hierarchy that tells which values are alike; "
            "give it one, or give kinds={'value': 'kind', ...}."
        )
    there = holdings.values.notna() & (holdings.overall > 0)
    bad = [name for name, held in zip(names, there, strict=True) if held and name not in known]
    bad = list(map(holdings.column.shown, bad))
    if bad:
        raise SchemaError(
            f"{listed(bad)} in column {holdings.column.name!r} is of no kind; give every value one."
        )
    codes, found = pd.factorize(np.array([known.get(n) for n in names], dtype=object), sort=True)
    codes = np.where(codes < 0, len(found), codes)
    return codes.astype(np.int64), pd.Index([*found, None], dtype=object)


def skewness(
    release: Table,
    people: People | None = None,
    *,
    values: Collection[object] | None = None,
    gain: float = 0,
    sensitive: str | None = None,
) -> Disclosure:
    """Find the value that each class makes more likely than the whole table does.

    The attacker knows how frequent each value is overall, and his targets' quasi-identifiers. A
    class may hold enough different values and still shift what he believes of everyone in it.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the targets, a table of people or one record; None looks at every
        class.
    values
        The values that harm; None takes them all. To be thought 98 % positive is worse than to be
        thought 98 % negative.
    gain
        By how much a share must exceed that of the table; what does not is left out.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        For each class or person the value whose share gained most: its share among the records
        that fit as confidence, and its share of the whole table before.

    Raises
    ------
    SchemaError, RecordError
        If the table cannot be measured, or the people, ``values`` or ``gain`` cannot be used.

    References
    ----------
    [KS]_ section 5.2

    Examples
    --------
    Tests of a hundred people: half are positive, but in one class 49 of 50.

    >>> import pandas as pd
    >>> import verikit as vk
    >>> tests = ["positive"] * 49 + ["negative"] * 50 + ["positive"]
    >>> frame = pd.DataFrame({"Zip": ["47677"] * 50 + ["47602"] * 50, "Test": tests})
    >>> table = vk.Microdata(frame, vk.Schema.guess(frame, Test="sensitive"))
    >>> skewness(table, values=["positive"])
    skewness: A value of Test becomes more likely for 50 of 100 records; most of all positive for
    Zip 47677, in 98 of 100 cases instead of 50 of 100, if within a group each value is equally
    likely for everyone.
    """
    asked = requests.share(gain, "gain")
    view = see_holdings(release, people, sensitive)
    holdings = view.holdings
    part = holdings.count / holdings.classes.sizes[holdings.owner]
    before = holdings.overall[holdings.place] / holdings.total
    harmful = holdings.known
    if values is not None:
        harmful = harmful & np.isin(holdings.place, holdings.places(values, "values"))
    gained = np.where(harmful, part - before, -np.inf)
    best = np.lexsort((holdings.place, -gained, holdings.owner))[holdings.starts]
    kept = best[gained[best] > asked]
    found = {
        "owner": holdings.owner[kept],
        "value": np.array(holdings.shown(holdings.place[kept]), dtype=object),
        "confidence": part[kept],
        "before": before[kept],
    }

    def describe(whom: str, frame: pd.DataFrame) -> str:
        said = f"A value of {holdings.column.name} becomes more likely for {whom}"
        if not len(frame):
            return f"{said}."
        most = int((frame["confidence"] - frame["before"]).to_numpy().argmax())
        line = frame.iloc[most]
        return (
            f"{said}; most of all {line['value']} for {view.whom(frame, most)}, in "
            f"{share(line['confidence'])} cases instead of {share(line['before'])}, {EVEN_VALUES}."
        )

    return make_disclosure("skewness", view, found, describe)


COMPILED_FROM = 100_000


def proximity(
    release: Table,
    people: People | None = None,
    *,
    near: float,
    ruled_out: int = 0,
    least: float = 1,
    sensitive: str | None = None,
) -> Disclosure:
    """Guess a number of everybody in a class, and count the guess as right when it comes near.

    The attacker knows his targets' quasi-identifiers. He guesses the number around which most
    values of a class lie. He may know besides that some values cannot be his target's; so many
    values are ruled out as ``ruled_out`` says, those that help him most.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the targets, a table of people or one record; None looks at every
        class.
    near
        How far off a guess may be, in the unit of the column.
    ruled_out
        How many different values he can rule out, in the worst case; 0 for none.
    least
        From which chance to be right on a class counts as given away: 1 asks for certainty.
    sensitive
        The sensitive column of numbers; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        The classes or people whose best guess reaches ``least``: the values it comes near to, the
        share of what is not ruled out that they are, and as ``before`` that of the naive guess:
        the best one for the whole table, with as many values ruled out.

    Raises
    ------
    SchemaError
        If the table cannot be measured, or the column holds no single numbers.
    RecordError
        If the people, ``near``, ``ruled_out`` or ``least`` cannot be used.

    References
    ----------
    [QZ]_ section 2.1, Definition 2.4.2

    Notes
    -----
    Where every class holds k values and a range of e, nobody falls with certainty as long as
    ``near`` is less than half of e, or fewer than k - 1 values are ruled out and ``near`` is 0.
    For ``least`` below 1 neither k nor e promises anything: most of a class may lie close
    together, and one value far off. Ruled out are the most frequent values outside of those
    guessed. O(n log n), and O(n) for each kind of frequency where values are ruled out.

    Examples
    --------
    Three salaries, 1,000 apart, and a guess that may be off by so much:

    >>> import verikit as vk
    >>> proximity(vk.published("qz_table2_3"), near=1000)
    proximity: A guess of salary that is off by 1000 at most is right with certainty for 3 of 9
    records, first 54000 to 56000 for group 1, where the naive guess is right in 33 of 100.
    """
    asked = 2 * requests.within(near, "near")
    rest = requests.whole(ruled_out, "ruled_out", 0)
    enough = requests.share(least, "least")
    view = see_holdings(release, people, sensitive)
    holdings = view.holdings
    values = numbers_of(holdings)
    starts = np.append(holdings.starts, len(holdings.place)).astype(np.int64)
    kinds, frequency = _number_frequencies(holdings.count)
    window = asked, min(rest, len(values))
    chance, first, last = _find_best_windows(
        values[holdings.place], kinds, frequency, starts, window
    )
    there = np.flatnonzero(holdings.overall)  # for the best guess for everybody in the table
    kinds, frequency = _number_frequencies(holdings.overall[there])
    whole = np.array([0, len(there)], np.int64)
    naive = float(_find_best_windows(values[there], kinds, frequency, whole, window)[0][0])
    kept = np.flatnonzero(chance >= enough)
    low, high = (values[holdings.place[ends[kept]]] for ends in (first, last))
    shown = holdings.column.shown
    told = [
        shown(a) if a == b else f"{shown(a)} to {shown(b)}" for a, b in zip(low, high, strict=True)
    ]
    found = {
        "owner": kept,
        "value": np.array(told, dtype=object),
        "confidence": chance[kept],
        "before": np.full(len(kept), naive),
    }
    sure = "with certainty" if enough == 1 else f"in at least {share(enough)} cases, {EVEN_VALUES},"
    besides = f", with {count(rest, 'value')} ruled out," if rest else ""

    def describe(whom: str, frame: pd.DataFrame) -> str:
        said = (
            f"A guess of {holdings.column.name} that is off by {text(near)} at most is right"
            f"{besides} {sure} for {whom}"
        )
        if len(frame):
            line = frame.iloc[0]
            said += f", first {line['value']} for {view.whom(frame, 0)}"
            said += f", where the naive guess is right in {share(line['before'])}"
        return f"{said}."

    return make_disclosure("proximity", view, found, describe)


def _number_frequencies(counts: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Find the different counts in ascending order, and which of them each count is."""
    frequency, kinds = np.unique(np.asarray(counts, np.int64), return_inverse=True)
    return kinds.astype(np.int64), frequency


@compiled(large=COMPILED_FROM)
def _find_best_windows(
    values: Floats, kinds: Ints, frequency: Ints, starts: Ints, asked: tuple[float, int]
) -> tuple[Floats, Ints, Ints]:
    """Slide a window of a width over each class, and keep the place with the best chance."""
    width, ruled_out = asked
    classes = len(starts) - 1
    chance = np.zeros(classes)
    first, last = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    outside = np.zeros(len(frequency), np.int64)  # how many values of each kind
    for at in range(classes):
        begin, end = starts[at], starts[at + 1]
        total, top = 0, 0
        for place in range(begin, end):
            outside[kinds[place]] += 1
            total += frequency[kinds[place]]
            top = max(top, kinds[place])
        inside, high = 0, begin
        for low in range(begin, end):
            while high < end and values[high] - values[low] <= width:
                inside += frequency[kinds[high]]
                outside[kinds[high]] -= 1
                high += 1
            found = inside / (total - _count_most_frequent(outside, frequency, top, ruled_out))
            if found > chance[at]:
                chance[at], first[at], last[at] = found, low, high - 1
            inside -= frequency[kinds[low]]
            outside[kinds[low]] += 1
        for place in range(begin, end):
            outside[kinds[place]] -= 1
    return chance, first, last


def _count_most_frequent(outside: Ints, frequency: Ints, top: int, number: int) -> int:
    """Count how many records the most frequent values outside have together."""
    records, kind = 0, top
    while number > 0 and kind >= 0:
        taken = min(number, outside[kind])
        records += taken * frequency[kind]
        number -= taken
        kind -= 1
    return records
