"""(k,e)-anonymity: everyone's class holds k different numbers, and its ends lie e apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Floats, Values
from verikit._support.plotted import Plotted
from verikit._support.requests import whole, within
from verikit.errors import SchemaError, quoted
from verikit.matching import Classes, Holdings, Table, holdings_of
from verikit.models._verdict import beside, worst_first
from verikit.table import Missing
from verikit.words import count, text


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
    different, span = np.bincount(holdings.owner, minlength=len(starts)), high - low
    met = _judge_classes(different, span, asked_k, asked_e)
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


def numbers_of(holdings: Holdings) -> Floats:
    """The values that places stand for, in ascending order, as numbers."""
    name = holdings.column.name
    if not np.asarray(holdings.values.notna())[holdings.overall > 0].all():
        raise SchemaError(
            f"Column {name!r} has missing values, so how far its numbers lie apart is not known; "
            "fill or remove them."
        )
    values = pd.Index(holdings.values).dropna().infer_objects()
    if holdings.column.kind != "numeric" or not pd.api.types.is_numeric_dtype(values.dtype):
        raise SchemaError(
            f"Column {quoted(name)} holds categories or ranges, and (k,e)-anonymity is about "
            "numbers that lie apart; name a column of numbers, or use models.distinct_diversity."
        )
    return values.to_numpy(np.float64)


def _judge_classes(different: Values, span: Values, k: int | None, e: float | None) -> Flags | None:
    if k is None and e is None:
        return None
    return (different >= (k or 1)) & (span >= (e or 0.0))
