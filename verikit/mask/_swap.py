"""Permutations that are told: swapping within strata by a published rate, or by a given key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit._support.requests import instance, row_numbers, within
from verikit.errors import RecordError, SchemaError, quoted
from verikit.mask._columns import masked_columns
from verikit.mask._masking import Drawing, masking
from verikit.matching import group_rows, number_rows
from verikit.models import Guarantee
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import listed


def find_guarantee(release: TableRelease) -> Guarantee:
    """Find epsilon by the published parameters, and by the table what is the same everywhere."""
    told, names = release.parameters, list(release.schema.names)
    matched, swapped, rate = (told.get(name) for name in ("match", "swap", "rate"))
    if not (
        isinstance(matched, list)
        and isinstance(swapped, list)
        and {*matched, *swapped} <= {*names}
        and isinstance(rate, (int, float))
    ):
        raise SchemaError(
            f"The release names match {quoted(matched)}, swap {quoted(swapped)} and rate "
            f"{quoted(rate)}; expected columns of its own and a number."
        )
    if not 0 < rate < 1:
        why = "with rate 0 nobody is drawn" if rate == 0 else "with rate 1 nobody keeps his values"
        return Guarantee("swap", None, rests=f"{why}, so that some exchanges cannot come out of it")
    frame = release.frame[matched]
    largest = int(group_rows(frame).sizes.max()) if matched else len(release)
    others = [name for name in names if name not in swapped]
    within = f" within equal {listed(matched, 12)}" if matched else ""
    same = (
        f"how often each combination of {listed(swapped, 12)} occurs{within}",
        f"{listed(others, 12)}, as published" if others else "which rows there are",
    )
    odds = log(rate) - log(1 - rate)
    found = 0.0 if largest == 1 else max(odds, log(largest + 1) - odds)
    return Guarantee("swap", found, "one record, of at least two that differ", same)


@masking(
    promise="another order",
    example={"match": (), "swap": lambda data: [masked_columns(data, "swap")[0].name], "rate": 0.5},
    words="Records drawn at random exchange some values with others like them.",
    repeatable=True,
    draws=True,
    guarantees=find_guarantee,
)
def swap(
    data: Microdata, *, match: Sequence[str], swap: Sequence[str], rate: float, seed: int
) -> Drawing:
    """Swap values among records drawn at random, within strata of records that match.

    In each stratum, the records with equal values of ``match``, each record is drawn with the
    chance ``rate``. Those drawn exchange their values of ``swap``, all together, so that none of
    them keeps its own record's; every such exchange is equally likely. Where just one was drawn,
    nobody is there to swap with, and the stratum is drawn again.

    Parameters
    ----------
    data
        The records.
    match
        The columns in which those that swap are equal, such as the size of a household; none
        makes the whole table one stratum.
    swap
        The columns whose values are exchanged, such as the address.
    rate
        The chance of each record to be drawn, from 0 to 1.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, a pure permutation that publishes match, swap and rate, and the key.

    Raises
    ------
    SchemaError
        If a column is unknown or named twice, or one to swap is no quasi-identifying or sensitive
        one or holds missing values.
    RecordError
        If the rate is no number from 0 to 1.

    See Also
    --------
    verikit.models.guarantee : what the rate guarantees

    References
    ----------
    J. Bailie, R. Gong, X.-L. Meng: A refreshment stirred, not shaken (II): Invariant-preserving
    deployments of differential privacy for the US Decennial Census. arXiv 2501.08449, 2025, the
    permutation swapping algorithm
    [DM]_ section 5.2, which counts data swapping among pure permutations

    Notes
    -----
    What is neither matched nor swapped stays with its record, and both tables of counts, of match
    with swap and of match with all the rest, are those of the original. Drawing again where just
    one was drawn is our choice; leaving that stratum as it is keeps the guarantee as well, and
    leaves more strata unchanged. A stratum of one record stays as it is. With rate 1 everybody
    takes somebody else's values. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("yq_figure1")
    >>> release, key = swap(data, match=["Country"], swap=["Job"], rate=0.5, seed=7)
    >>> release.parameters
    {'match': ['Country'], 'swap': ['Job'], 'rate': 0.5}
    """
    may = [column.name for column in masked_columns(data, "swap")]
    matched, swapped = (
        _read_names(given, n, data) for given, n in ((match, "match"), (swap, "swap"))
    )
    twice = [name for name in swapped if name in matched]
    if not swapped or twice or not set(swapped) <= set(may):
        raise SchemaError(
            f"swap names {listed(swapped) or 'nothing'}, and match {listed(matched) or 'nothing'}; "
            f"expected in swap one or more of {listed(may, 12)}, and none of them in match."
        )
    chance = within(rate, "rate", 0, 1)
    strata = group_rows(data.frame[matched]).labels if matched else np.zeros(len(data), np.int64)

    def draw(rng: np.random.Generator) -> dict[str, Rows]:
        return dict.fromkeys(swapped, draw_exchange(strata, chance, rng))

    return Drawing(draw, {"match": matched, "swap": swapped, "rate": chance}, seed)


def _read_names(given: Sequence[str], what: str, data: Microdata) -> list[str]:
    """Read names of columns, each once."""
    names = [given] if isinstance(given, str) else [*instance(given, Sequence, what, "names")]
    known = data.schema.released.names
    wrong = [name for name in names if name not in known or names.count(name) > 1]
    if wrong:
        raise SchemaError(
            f"{what} names {listed(wrong)}; expected published columns, each once: "
            f"{listed(known, 12)}."
        )
    return names


def draw_exchange(strata: Ints, rate: float, rng: np.random.Generator) -> Rows:
    """For each record the one whose values it takes, within the strata numbered from 0.

    Notes
    -----
    Of a stratum in which just one is drawn all are drawn again, and of one in which somebody keeps
    his own all that are drawn are put in order again: both are draws from all outcomes until one
    is allowed, so that those allowed keep their chances.
    """
    many = np.bincount(strata)
    drawn = np.zeros(len(strata), np.bool_)
    open_ = np.flatnonzero(many[strata] > 1)
    while len(open_):
        drawn[open_] = rng.random(len(open_)) < rate
        alone = np.bincount(strata[open_][drawn[open_]], minlength=len(many)) == 1
        open_ = open_[alone[strata[open_]]]
    taken = np.arange(len(strata))
    left = np.flatnonzero(drawn)
    left = left[np.argsort(strata[left], kind="stable")]
    while len(left):
        mixed = rng.permutation(left)
        taken[left] = mixed[np.argsort(strata[mixed], kind="stable")]
        kept = np.zeros(len(many), np.bool_)
        kept[strata[left[taken[left] == left]]] = True
        left = left[kept[strata[left]]]
    return taken


@dataclass(frozen=True, slots=True, eq=False)
class Permutation:
    """Of some columns, for each record the one whose value it takes.

    Parameters
    ----------
    columns
        By name, for each record the number of that one, counted from 0.
    labels
        For each record a number of the values that it takes: records equal in all else are told
        apart by it.
    """

    columns: Mapping[str, Rows]
    labels: Rows

    @classmethod
    def of(cls, data: Microdata, given: object) -> Permutation:
        """Check that each column is given an order of all records."""
        if not isinstance(given, Mapping):
            raise RecordError.given(
                "permutation", given, "for each column by name the record whose value each takes"
            )
        may = [column.name for column in masked_columns(data, "from_key")]
        found = {}
        for name, rows in given.items():
            if name not in may:
                raise SchemaError(
                    f"permutation names {quoted(name)}; expected any of {listed(may, 12)}."
                )
            taken = row_numbers(np.asarray(rows), f"permutation of {name}", len(data), len(data))
            if (np.bincount(taken, minlength=len(data)) != 1).any():
                raise RecordError(
                    f"The permutation of {quoted(name)} gives some value to nobody or to two; "
                    "expected each record once."
                )
            found[name] = taken
        coded = {name: data.codes(name) for name in found}
        shown = [(codes[found[name]], len(values)) for name, (codes, values) in coded.items()]
        labels = number_rows(shown)[0] if shown else np.zeros(len(data), np.intp)
        return cls(found, np.asarray(labels, np.intp))

    def take(self, order: Rows) -> Permutation:
        """The same for the records in another order."""
        at = np.empty_like(order)
        at[order] = np.arange(len(order))
        columns = {name: at[rows[order]] for name, rows in self.columns.items()}
        return Permutation(columns, self.labels[order])


def _reverse_first(data: Microdata) -> dict[str, Rows]:
    """The first column in the opposite order, as an example."""
    order = data.canonical_order()
    turned = np.empty(len(data), np.intp)
    turned[order] = order[::-1]
    return {masked_columns(data, "from_key")[0].name: turned}


@masking(
    paper="DM",
    promise="another order",
    example={"permutation": _reverse_first},
    words="Values change places by a secret key that was given.",
    reads={"permutation": Permutation.of},
    draws=True,
    guarantees="how the key was drawn is not published",
)
def from_key(
    data: Microdata,  # noqa: ARG001 - read together with the permutation
    *,
    permutation: Mapping[str, Sequence[int]],
    seed: int,
) -> Drawing:
    """Give each record the values of the records that a key names, column by column.

    The paper shows that whatever masks numbers does this, and moves values without changing their
    order besides: a method is known by its permutations. This is the method that is nothing else.

    Parameters
    ----------
    data
        The records.
    permutation
        By column, for each record the one whose value it takes, counted from 0 in the order of the
        table; each is named once. A column that is not named stays as it is. It is as secret as
        the key.
    seed
        The secret randomness of the order of the rows.

    Returns
    -------
    Masked
        The release, a pure permutation that publishes which columns were permuted, and the key.

    Raises
    ------
    SchemaError
        If a column is no quasi-identifying or sensitive one, or holds missing values.
    RecordError
        If a permutation names some record twice, or none.

    References
    ----------
    [DM]_ section 3, Algorithm 1

    Notes
    -----
    Who made the key, and how, is not published, so nothing is guaranteed. To mask by a given key
    is our own way to say what the paper shows. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.Microdata({"age": [21, 35, 62], "pay": [900, 1800, 1300]})
    >>> release, key = from_key(data, permutation={"pay": [1, 2, 0]}, seed=7)
    >>> release.frame["pay"].iloc[key.rows].tolist()
    [1800, 1300, 900]
    """
    told: Any = permutation  # read where the mask is registered, and put in the order of the data
    columns: Mapping[str, Rows] = told.columns
    return Drawing(lambda _rng: columns, {"columns": [*columns]}, seed)
