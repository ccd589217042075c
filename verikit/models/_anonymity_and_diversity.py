"""Models that count in each class: k-anonymity, and distinct to recursive l-diversity."""

from __future__ import annotations

from dataclasses import dataclass
from operator import lt

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Rows, Values, count_codes
from verikit._support.plotted import Plotted
from verikit._support.requests import whole, within
from verikit.errors import SchemaError
from verikit.matching import Classes, Holdings, Table, classes_of, holdings_of
from verikit.models._verdict import ModelVerdict, beside, make_verdict, worst_first
from verikit.partition import (
    Partition,
    compare_with_rarer,
    count_different,
    divide_by_most_frequent,
    measure_evenness,
    numbers_of,
)
from verikit.table import BipartiteGraph, Missing, Side, require_graph, require_side
from verikit.words import count, text


def k_anonymity(
    release: Table | Holdings, *, k: int | None = None, missing: Missing = "refuse"
) -> ModelVerdict:
    """Count the records that share all their quasi-identifiers; the smallest count is k.

    Parameters
    ----------
    release
        The table, masked or not.
    k
        How many records each class should hold at least; None only measures.
    missing
        What to do where a quasi-identifier is missing: ``"refuse"``, or let a missing value be a
        value of its own, as a reader of the table sees it.

    Returns
    -------
    ModelVerdict
        The size of the smallest class, of each class, and of the class of each record.

    Raises
    ------
    SchemaError
        If there is no record or no quasi-identifier, or values are missing.
    RecordError
        If k is no whole number from 1 up.

    Notes
    -----
    O(n) for n records, and a sort of the distinct classes.

    References
    ----------
    [KS]_ Definition 1, Table 1

    Examples
    --------
    >>> import verikit as vk
    >>> k_anonymity(vk.published("ks_table1"), k=3)
    k-anonymity: 3, 3 asked for, met. The smallest of 3 classes holds 3 records: Marital Status
    Married, DOB 198*, Zip 36363.
    """
    asked = None if k is None else whole(k, "k")
    classes = release.classes if isinstance(release, Holdings) else classes_of(release, missing)
    sizes = classes.sizes
    worst = int(np.argmin(sizes))
    why = (
        f"The smallest of {count(len(classes), 'class', 'classes')} holds "
        f"{count(sizes[worst], 'record')}: {classes.name(worst)}."
    )
    return make_verdict("k-anonymity", classes, sizes, worst, why, asked)


def distinct_diversity(
    release: Table | Holdings,
    *,
    ell: int | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Count the different sensitive values of each class; the smallest count is the diversity.

    Parameters
    ----------
    release
        The table, masked or not.
    ell
        How many different values each class should hold at least; None only measures.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own: ``"own value"``.

    Returns
    -------
    ModelVerdict
        The smallest number of different values, of each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, or if values are missing.
    RecordError
        If ell is no whole number from 1 up.

    Notes
    -----
    The survey defines diversity twice; this is its Definition 2, which only counts. A class may
    hold ell values and still all but give one away: see `entropy_diversity`.

    Each class is judged by itself, as if each value were equally likely for everyone in it. Whoever
    learns from the whole table which values go with which, or repeats a method that made the
    classes from the sensitive values, may do better.

    References
    ----------
    [KS]_ Definition 2, section 4.1

    Examples
    --------
    >>> import verikit as vk
    >>> distinct_diversity(vk.published("ks_table4"), ell=2)
    distinct diversity: 1, 2 asked for, not met. The class Marital Status Single, DOB 20**,
    Zip 19552 holds 1 value of Crime in 4 records: 4 Theft.
    """
    asked = None if ell is None else whole(ell, "ell")
    holdings = holdings_of(release, sensitive, missing)
    classes = holdings.classes
    found = count_different(holdings)
    worst = int(np.argmin(found))
    why = (
        f"The class {classes.name(worst)} holds {count(found[worst], 'value')} of "
        f"{holdings.column.name} in {count(classes.sizes[worst], 'record')}: "
        f"{holdings.told(worst)}."
    )
    return make_verdict("distinct diversity", classes, found, worst, why, asked)


def entropy_diversity(
    release: Table | Holdings,
    *,
    ell: float | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Measure how evenly each class spreads over its sensitive values, as a number of values.

    A class is as diverse as that many equally frequent values would be: the exponential of the
    entropy of its sensitive values.

    Parameters
    ----------
    release
        The table, masked or not.
    ell
        What each class should reach: its entropy is at least the logarithm of ell; None only
        measures.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own: ``"own value"``.

    Returns
    -------
    ModelVerdict
        The smallest value, that of each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, or if values are missing.
    RecordError
        If ell is below 1 or no number.

    Notes
    -----
    The survey's formula (1) takes the logarithm of another value's share than it multiplies with;
    one value is meant throughout. A result within 1e-9 of a whole number is that number, so that
    four equally frequent values are 4-diverse whatever the last digit of the logarithm.

    Each class is judged by itself, as if each value were equally likely for everyone in it. Whoever
    learns from the whole table which values go with which, or repeats a method that made the
    classes from the sensitive values, may do better.

    References
    ----------
    [KS]_ section 4.2, formulas (1) and (2)

    Examples
    --------
    >>> import verikit as vk
    >>> entropy_diversity(vk.published("ks_table6")).per_class.round(4).tolist()
    [3.0, 4.0, 2.8284]
    """
    asked = None if ell is None else within(ell, "ell", 1)
    holdings = holdings_of(release, sensitive, missing)
    classes, spread = holdings.classes, measure_evenness(holdings)
    worst = int(np.argmin(spread))
    why = (
        f"The class {classes.name(worst)} is as diverse as {spread[worst]:.2f} equally frequent "
        f"values of {holdings.column.name}; it holds {holdings.told(worst)}."
    )
    return make_verdict("entropy diversity", classes, spread, worst, why, asked)


def frequency_diversity(
    release: Table | Holdings,
    *,
    ell: int | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Divide each class by its most frequent sensitive value; the smallest result is the diversity.

    Parameters
    ----------
    release
        The table, masked or not, or two tables joined by groups.
    ell
        In how many records of a class a value may occur at most once, on average; None only
        measures.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own: ``"own value"``.

    Returns
    -------
    ModelVerdict
        The largest whole number met, by the table, by each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, or if values are missing.
    RecordError
        If ell is no whole number from 1 up.

    Notes
    -----
    A guess of someone's value from her class alone is right in at most one of ell cases, if within
    the class each value is equally likely for everyone. Whoever learns from the whole table which
    values go with which, or repeats a method that made the classes from the sensitive values, may
    do better. A class then holds ell values at least, so `distinct_diversity` is never smaller.

    References
    ----------
    [LHCC]_ Definition 2

    Examples
    --------
    >>> import verikit as vk
    >>> frequency_diversity(vk.published("lhcc_table2"), ell=4)
    frequency diversity: 4, 4 asked for, met. In the class Age [10, 50], Sex F/M 1 of 4 records
    holds the most frequent value of Disease: Bronchitis.
    """
    asked = None if ell is None else whole(ell, "ell")
    holdings = holdings_of(release, sensitive, missing)
    classes, top = holdings.classes, holdings.top()
    most, found = holdings.count[top], divide_by_most_frequent(holdings)
    worst = int(np.argmin(found))
    (name,) = holdings.shown([holdings.place[top[worst]]])
    alike = count(classes.sizes[worst], "record")
    why = (
        f"In the class {classes.name(worst)} "
        f"{count(most[worst], f'of {alike} holds', f'of {alike} hold')} the most "
        f"frequent value of {holdings.column.name}: {name}."
    )
    return make_verdict("frequency diversity", classes, found, worst, why, asked)


def recursive_diversity(
    release: Table | Holdings,
    *,
    ell: int,
    c: float | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Compare the most frequent sensitive value of each class with all from the ell-th on.

    With the counts of a class from the largest down, r1, r2 and so on, the class is recursively
    (c, ell)-diverse if r1 is less than c times the sum of r_ell and all after it. The value given
    is r1 divided by that sum: every larger c is met, and no other.

    Parameters
    ----------
    release
        The table, masked or not.
    ell
        From which place on the counts are added up.
    c
        How many times that sum the largest count must stay below; None only measures.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own: ``"own value"``.

    Returns
    -------
    ModelVerdict
        The largest ratio, that of each class, and for each record; infinite for a class with
        fewer than ell values, which no c can meet.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, or if values are missing.
    RecordError
        If ell is no whole number from 1 up, or c is negative or no number.

    Notes
    -----
    The survey names only ell for a whole table; both parameters are meant, and the sum ends with
    the last of the class's values.

    Each class is judged by itself, as if each value were equally likely for everyone in it. Whoever
    learns from the whole table which values go with which, or repeats a method that made the
    classes from the sensitive values, may do better.

    References
    ----------
    [KS]_ section 4.3

    Examples
    --------
    >>> import verikit as vk
    >>> recursive_diversity(vk.published("ks_table6"), ell=2, c=1.5).per_class.tolist()
    [0.5, 0.3333333333333333, 1.0]
    """
    places = whole(ell, "ell")
    asked = None if c is None else within(c, "c")
    holdings = holdings_of(release, sensitive, missing)
    classes, ratio = holdings.classes, compare_with_rarer(holdings, ell=places)
    worst = int(np.argmax(ratio))
    lacking = "" if np.isfinite(ratio[worst]) else f", fewer than {places} values"
    why = (
        f"The class {classes.name(worst)} holds {holdings.told(worst)} of "
        f"{holdings.column.name}{lacking}."
    )
    model = f"recursive diversity with ell {places}"
    return make_verdict(model, classes, ratio, worst, why, asked, lt)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ApartVerdict(Plotted):
    """Whether the numbers of every class stay apart, and by how much.

    Parameters
    ----------
    different, span
        The fewest different values of any class, and the narrowest range.
    k, e
        What was asked for; None where the table was only measured.
    met
        Whether every class meets both; None where nothing was asked for.
    why
        The worst class in a sentence: of those that fail, else of all, that with the narrowest
        range, and of equals that with the fewest values.
    classes
        The classes of the table.
    different_per_class, span_per_class
        The number of different values and the range of each class.
    met_per_class
        Which classes meet what was asked for.
    worst
        The number of the worst class.

    Examples
    --------
    >>> import verikit as vk
    >>> verdict = vk.models.ke_anonymity(vk.published("qz_table2_3"), k=3, e=10_000)
    >>> verdict.different, verdict.span, verdict.met, verdict.met_per_class.tolist()
    (3, 2000.0, False, [False, True, True])
    """

    different: int
    span: float
    k: int | None
    e: float | None
    met: bool | None
    why: str
    classes: Classes
    different_per_class: Values
    span_per_class: Values
    met_per_class: Flags | None
    worst: int

    @property
    def per_class(self) -> pd.DataFrame:
        """What each class has, and by how much it exceeds (or, negative, fails) what was asked."""
        columns: dict[str, Values] = {
            "different": self.different_per_class,
            "range": self.span_per_class,
        }
        if self.k is not None:
            columns["beyond_k"] = self.different_per_class - self.k
        if self.e is not None:
            columns["beyond_e"] = self.span_per_class - self.e
        if self.met_per_class is not None:
            columns["met"] = self.met_per_class
        return pd.DataFrame(columns)

    @property
    def per_record(self) -> pd.DataFrame:
        """The same for the class of each record, in the order of the records."""
        return self.per_class.take(self.classes.labels).reset_index(drop=True)

    def to_frame(self) -> pd.DataFrame:
        """One line a class: its cells, its number of records, and what `per_class` tells."""
        found = self.per_class
        columns = {"records": self.classes.sizes, **{n: found[n].to_numpy() for n in found}}
        return beside(self.classes.cells(), columns)

    def __repr__(self) -> str:
        wanted = [(self.k, "k"), (self.e, "e")]
        asked = ", ".join(f"{name} = {text(value)}" for value, name in wanted if value is not None)
        said = f", {asked} asked for, {'met' if self.met else 'not met'}" if asked else ""
        found = f"{count(self.different, 'different value')}, range {text(self.span)}"
        return f"(k,e)-anonymity: at least {found}{said}. {self.why}"

    def _repr_html_(self) -> str:
        return _html.result(repr(self), worst_first(self.to_frame(), self.worst).head(12))


def ke_anonymity(
    release: Table | Holdings,
    *,
    k: int | None = None,
    e: float | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ApartVerdict:
    """Measure how many different numbers each class holds, and how far apart its ends lie.

    Whoever finds a person's class knows that her value is one of those it holds. Many values that
    lie close together still tell hers closely; so their range counts as well. Neither says how
    likely each is: whoever learns from the whole table, or repeats the method that made the
    classes, may rule values out or find one likelier than the others.

    Parameters
    ----------
    release
        The table, masked or not, or two tables joined by groups.
    k
        How many different values a class should hold at least; None only measures.
    e
        How far apart its largest and its smallest value should lie at least, in the column's
        unit; None only measures.
    sensitive
        The sensitive column of numbers; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values of what others may know, or let each be a value of its own:
        ``"own value"``. Missing numbers are refused.

    Returns
    -------
    ApartVerdict
        The fewest values and the narrowest range, of each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column of single numbers, or
        values are missing.
    RecordError
        If k is no whole number from 1 up, or e no number from 0 up.

    References
    ----------
    [QZ]_ Definitions 2.3.3 and 2.4.2, Tables 2.2 and 2.3

    Notes
    -----
    The text counts tuples in one place and different values in another, and asks for a range
    "larger than" e or "no less than" it; here k counts different values and e is met when it is
    reached, both judged by the numbers as they are stored.

    Examples
    --------
    >>> import verikit as vk
    >>> ke_anonymity(vk.published("qz_table2_2"), k=3, e=2000)
    (k,e)-anonymity: at least 3 different values, range 2000, k = 3, e = 2000 asked for, met.
    The class age [31, 40], zipcode 271*, gender * holds 3 different values of salary in 3
    records, from 54000 to 56000.
    """
    asked_k = None if k is None else whole(k, "k")
    asked_e = None if e is None else within(e, "e")
    holdings = holdings_of(release, sensitive, missing)
    values = numbers_of(holdings)
    starts = holdings.starts
    low = values[holdings.place[starts]]
    high = values[holdings.place[np.append(starts[1:], len(holdings.place)) - 1]]
    different, span = count_codes(holdings.owner, len(starts)), high - low
    met: Flags | None = None
    if k is not None or e is not None:
        met = (different >= (asked_k or 1)) & (span >= (asked_e or 0.0))
    failing = np.zeros(len(starts), bool) if met is None else ~met
    worst = int(np.lexsort((different, span, ~failing))[0])
    classes = holdings.classes
    why = (
        f"The class {classes.name(worst)} holds {count(different[worst], 'different value')} of "
        f"{holdings.column.name} in {count(classes.sizes[worst], 'record')}, from "
        f"{holdings.column.shown(low[worst])} to {holdings.column.shown(high[worst])}."
    )
    return ApartVerdict(
        int(different.min()),
        float(span.min()),
        asked_k,
        asked_e,
        None if met is None else bool(met.all()),
        why,
        classes,
        different,
        span,
        met,
        worst,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupingVerdict:
    """Whether groups of a side of a graph are safe, and who makes them unsafe.

    Parameters
    ----------
    safe
        Whether no two members of a group have a common neighbour.
    violations
        How often two do: once for each pair and each neighbour they share.
    pairs
        Those pairs by name with their group and the neighbour; the first million of them.
    size
        The number of members of the smallest group.
    strict
        Whether no group has more than one member above the smallest.

    References
    ----------
    [QZ]_ Definitions 4.4.1 and 4.4.3

    Examples
    --------
    >>> GroupingVerdict(True, 0, pd.DataFrame(), 3, True)
    safe groups of 3 and more, strict
    """

    safe: bool
    violations: int
    pairs: pd.DataFrame
    size: int
    strict: bool

    def __repr__(self) -> str:
        strict = ", strict" if self.strict else ""
        if self.safe:
            return f"safe groups of {self.size} and more{strict}"
        one = self.pairs.iloc[0]
        linked = one["shared"] in (one["first"], one["second"])  # in a graph of one kind
        why = "who are linked" if linked else f"both linked to {one['shared']}"
        return (
            f"unsafe groups of {self.size} and more{strict}: "
            f"{count(self.violations, 'pair')} in one group share a neighbour, such as "
            f"{one['first']} and {one['second']}, {why}"
        )

    def to_frame(self) -> pd.DataFrame:
        """The pairs that make the groups unsafe."""
        return self.pairs

    def _repr_html_(self) -> str:
        tables = [] if self.safe else [self.pairs.head(12)]
        return _html.result(repr(self), *tables)


def safe_grouping(graph: BipartiteGraph, side: Side, groups: Partition) -> GroupingVerdict:
    """Judge whether no two entities in a group are linked to the same entity.

    Parameters
    ----------
    graph
        Who is linked to what.
    side
        Which of its entities are grouped.
    groups
        Their groups.

    Returns
    -------
    GroupingVerdict
        Whether they are safe, and every pair that breaks it.

    Raises
    ------
    SchemaError
        If there is no graph, or the groups are not those of that side.
    RecordError
        If there is no such side.

    References
    ----------
    [QZ]_ Definition 4.4.3

    Notes
    -----
    O(e log e) for e links, and one line for each pair.

    Examples
    --------
    >>> import verikit as vk
    >>> links = pd.DataFrame({"author": ["ann", "ann", "bob"], "paper": ["p", "q", "q"]})
    >>> graph = vk.BipartiteGraph.of(links)
    >>> safe_grouping(graph, "left", vk.Partition.of([0, 0]))
    unsafe groups of 2 and more, strict: 1 pair in one group share a neighbour, such as ann and bob,
    both linked to q
    >>> safe_grouping(graph, "left", vk.Partition.of([0, 1])).safe
    True
    """
    graph = require_graph(graph, "safe_grouping").closed
    entities = len(graph.side(require_side(side)))
    if not isinstance(groups, Partition):
        raise SchemaError(
            f"Groups were given as {type(groups).__name__}; expected Partition "
            "(partition.safe_groups or Partition.of makes one)."
        )
    if len(groups.labels) != entities:
        raise SchemaError(
            f"The groups are those of {count(len(groups.labels), 'entity', 'entities')}, but the "
            f"{side} side has {entities:,}."
        )
    labels = groups.labels
    own, other = graph.edges.T if side == "left" else graph.edges.T[::-1]
    keys = other * max(len(groups), 1) + labels[own]
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.r_[np.diff(keys[order]) != 0, True][: len(keys)])
    sizes = np.diff(np.r_[-1, ends])
    violations = int((sizes * (sizes - 1) // 2).sum())
    shared = np.flatnonzero(sizes > 1)
    # all pairs of links that meet in one group, up to as many as can be shown
    runs = [order[ends[at] + 1 - sizes[at] : ends[at] + 1] for at in shared]
    found: list[Rows] = [np.empty((0, 2), np.intp)]
    room = 1_000_000  # more pairs are counted and not listed
    for run in runs:
        first, second = np.triu_indices(min(len(run), 1500), 1)
        found.append(np.column_stack([run[first], run[second]])[:room])
        room -= len(found[-1])
        if room <= 0:
            break
    pairs = np.concatenate(found)
    names, others = graph.names(side), graph.names("right" if side == "left" else "left")
    frame = pd.DataFrame(
        {
            "group": labels[own[pairs[:, 0]]],
            "first": names[own[pairs[:, 0]]],
            "second": names[own[pairs[:, 1]]],
            "shared": others[other[pairs[:, 0]]],
        }
    )
    least = int(groups.sizes.min()) if len(groups) else 0
    strict = bool(len(groups)) and int(groups.sizes.max()) <= least + 1
    return GroupingVerdict(violations == 0, violations, frame, least, strict)
