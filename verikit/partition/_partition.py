"""Groups of records, shared by all methods that publish by groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit._support.html import cell
from verikit._support.plotted import Plotted
from verikit._support.requests import whole
from verikit.errors import InfeasibleError, SchemaError
from verikit.table import Microdata, Missing, refuse_missing, require_table
from verikit.words import Said, count, text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Partition(Plotted):
    """Which group each record belongs to: groups are numbered from 0 without gaps.

    Parameters
    ----------
    labels
        One group number a record, in the order of the records.
    method, parameters
        How the groups were made, complete but for the randomness.
    residue
        How many records were left over by the method and put into a group afterwards.

    Examples
    --------
    >>> groups = Partition.of(["b", "a", "b"])
    >>> groups.labels.tolist(), groups.sizes.tolist(), len(groups)
    ([0, 1, 0], [2, 1], 2)
    """

    labels: Rows
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    residue: int = 0

    def __post_init__(self) -> None:
        """Hold a read-only copy, checked to count from 0 without gaps."""
        given = np.asarray(self.labels)
        whole = given.ndim == 1 and (given.dtype.kind in "iu" or not len(given))
        labels = given.astype(np.intp) if whole else np.array([-1])
        if len(labels) and (labels.min() < 0 or (np.bincount(labels) == 0).any()):
            raise SchemaError(
                "Group labels must count from 0 without gaps, one a record; Partition.of numbers "
                "labels of any kind."
            )
        labels.setflags(write=False)
        object.__setattr__(self, "labels", labels)

    @classmethod
    def of(cls, labels: npt.ArrayLike) -> Partition:
        """Number groups given by labels of any kind, in the order in which they first appear."""
        codes = pd.factorize(pd.Series(labels))[0]
        without = int((codes < 0).sum())
        if without:
            raise SchemaError(
                f"{without} of {len(codes)} records have no group; every record belongs to one."
            )
        return cls(codes)

    def __len__(self) -> int:
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    def __repr__(self) -> str:
        method = f"; method {self.method}" if self.method else ""
        residue = f", {self.residue} of them left over and added" if self.residue else ""
        records, groups = count(len(self.labels), "record"), count(len(self), "group")
        return f"Partition({records} in {groups}{residue}{method})"

    def to_frame(self) -> pd.DataFrame:
        """How many groups there are of each size, the smallest first."""
        sizes, groups = np.unique(self.sizes, return_counts=True)
        return pd.DataFrame({"records in a group": sizes, "groups": groups})

    def _repr_html_(self) -> str:
        from verikit._support import html

        return html.result(repr(self), self.to_frame().head(12))

    @property
    def sizes(self) -> Rows:
        """The number of records in each group."""
        return np.bincount(self.labels, minlength=len(self))

    def groups(self) -> list[Rows]:
        """The places of the records of each group."""
        order = np.argsort(self.labels, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1]) if len(self) else []

    def take(self, rows: Rows) -> Partition:
        """The same groups, with the same numbers, for the records in another order."""
        return replace(self, labels=self.labels[rows])


class RefusedCut(NamedTuple):
    """A cut through published groups, which the method tried and did not make.

    Parameters
    ----------
    lower, upper
        The records of its two parts.
    explains
        Whether the method refuses it, given how many records of each part have each value; of
        several such counts at once.
    """

    lower: Rows
    upper: Rows
    explains: Callable[[Rows, Rows], Flags]


Weigh: TypeAlias = Callable[
    [Microdata, Rows, Mapping[str, Any]], Callable[[Sequence[int]], float] | None
]
Refused: TypeAlias = Callable[[Microdata, Rows, Rows, Mapping[str, Any]], list[RefusedCut]]
Resists: TypeAlias = Literal["repetition", "nothing"]


class Partitioner(NamedTuple):
    """A registered partitioner, and what others need to know of it.

    Parameters
    ----------
    function
        What is called.
    resists
        ``"repetition"`` if its groups are as likely whoever of a group has which of its values, so
        that somebody who repeats it learns no more than the groups tell.
    refused
        Given the published records, their groups, how many of each group have each value, and the
        published parameters, the cuts that it must have refused; None where nobody can tell.
    weigh
        Given the published records, their groups and the published parameters, what gives the
        chance that it makes these groups, by the place of each record's value; None, of it or from
        it, where nobody can tell.
    """

    function: Callable[..., Partition]
    resists: Resists
    refused: Refused | None = None
    weigh: Weigh | None = None


PARTITIONERS: dict[str, Partitioner] = {}
F = TypeVar("F", bound=Callable[..., Partition])


def partitioner(
    *, resists: Resists = "nothing", refused: Refused | None = None, weigh: Weigh | None = None
) -> Callable[[F], F]:
    """Register a partitioner under its name, with what it resists.

    A partitioner resists repetition if it looks at the known columns alone or at the sensitive
    values alone, its ties broken by lot; or deals values inside parts cut from the known columns.
    """

    def register(function: F) -> F:
        PARTITIONERS[function.__name__] = Partitioner(function, resists, refused, weigh)
        return function

    return register


def resists_repetition(method: object) -> bool:
    """Whether who repeats a partitioner, by its published name, learns no more than groups tell.

    Examples
    --------
    >>> [resists_repetition(name) for name in ("anatomy", "entropy_diverse", "unknown")]
    [True, False, False]
    """
    known = PARTITIONERS.get(method) if isinstance(method, str) else None
    return known is not None and known.resists == "repetition"


class CodedValues(NamedTuple):
    """The value of each record as its place among the values that occur; None, if any, is last."""

    codes: Rows
    values: tuple[Any, ...]


def value_codes(data: Microdata, name: str) -> CodedValues:
    """Code a column: numbers ascending, categories as declared, a missing value after all others.

    Examples
    --------
    >>> import verikit as vk
    >>> codes, values = value_codes(vk.load("ks_table2_unmasked"), "Race")
    >>> codes.tolist(), values
    ([0, 1, 2, 0, 2], ('White', 'Black', 'Asian'))
    """
    codes, found = data.codes(name)
    here = np.flatnonzero(np.bincount(codes + 1, minlength=len(found) + 1)[1:])
    values = found[here].tolist()
    places = np.full(len(found) + 1, len(values), np.intp)
    places[here] = np.arange(len(values))
    return CodedValues(places[codes], (*values, None) if (codes < 0).any() else tuple(values))


Ends: TypeAlias = list[tuple[float, float]]


class Grouped(NamedTuple):
    """One partitioner in words, and the smallest and largest value of each of its groups."""

    words: str
    ends: Ends

    @property
    def errors(self) -> list[float]:
        """The range of each group."""
        return [high - low for low, high in self.ends]


def group_ends(scores: Floats, groups: Partition) -> Ends:
    """The smallest and largest value of each group, in ascending order.

    Examples
    --------
    >>> group_ends(np.array([4.0, 1, 2]), Partition.of([0, 1, 1]))
    [(1.0, 2.0), (4.0, 4.0)]
    """
    low, high = np.full(len(groups), np.inf), np.full(len(groups), -np.inf)
    np.minimum.at(low, groups.labels, scores)
    np.maximum.at(high, groups.labels, scores)
    return sorted(zip(low.tolist(), high.tolist(), strict=True))


def compare_errors(lines: Sequence[Grouped]) -> Said:
    """The best of both errors in a sentence.

    Examples
    --------
    >>> compare_errors([Grouped("most groups", [(1.0, 2.0), (4.0, 4.0)])]).means
    'The errors of all groups add up to 1 at best, and the widest is 1 at best.'
    """
    total = min(sum(line.errors) for line in lines)
    widest = min(max(line.errors) for line in lines)
    return Said(
        f"The errors of all groups add up to {cell(total)} at best, and the widest is "
        f"{cell(widest)} at best."
    )


def describe_errors(lines: Sequence[Grouped]) -> str:
    """Every partitioner in words."""
    return " ".join(
        f"{line.words[:1].upper()}{line.words[1:]}: {count(len(line.ends), 'group')}, sum of errors"
        f" {cell(sum(line.errors))}, widest {cell(max(line.errors))}."
        for line in lines
    )


class Request(NamedTuple):
    """A request for an l-diverse partition that can be met.

    Of several ``mixed`` columns there is one column of codes each, numbered on over all.
    """

    ell: int
    name: str
    codes: Rows
    values: int
    mixed: tuple[str, ...] = ()


def check_request(
    data: Microdata, ell: object, sensitive: str | None, missing: Missing, who: str
) -> Request:
    """Check a request: no value may fill more than one in ``ell`` of the records.

    Raises
    ------
    InfeasibleError
        If one does; the message names the largest ``ell`` that can be reached.

    References
    ----------
    [LHCC]_ Theorem 3; Algorithm 1 line 1 with > in place of the printed ≥
    """
    require_table(data, who)
    least = whole(ell, "ell")
    name = data.schema.find_sensitive(sensitive)
    refuse_missing(data, [data.schema[name]], missing)
    codes, values = value_codes(data, name)
    counts = np.bincount(codes)
    most = int(counts.max())
    if most * least > len(data):
        value = values[int(counts.argmax())]
        raise InfeasibleError(
            f"ell was given as {least}, but {most} of {len(data)} records have "
            f"{text(value) if value is not None else 'no value'!r} in {name!r}; the largest ell "
            f"that can be reached is {len(data) // most}.",
            field="ell",
            value=least,
        )
    return Request(least, name, codes, len(values))
