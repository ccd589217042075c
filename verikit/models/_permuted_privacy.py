"""Permuted privacy of a whole release: every record moved far enough, among values that differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Floats, Ints
from verikit._support.plotted import Plotted
from verikit._support.requests import whole, within
from verikit.errors import RecordError, quoted
from verikit.ranks import blocks, closest_blocks
from verikit.ranks.spread import Criterion, smallest_diversity
from verikit.table import Microdata
from verikit.utility import Pair, paired
from verikit.words import count, listed, not_compared


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PermutedPrivacy(Plotted):
    """Whether every record of a release meets both conditions of permuted privacy.

    Parameters
    ----------
    attributes
        The attributes that were compared.
    required, least
        The distance and the diversity asked for by attribute; None where no diversity was.
    criterion
        How diversity is measured.
    places
        For each record and attribute, how many ranks it was moved.
    diversity
        For each record and attribute, the diversity within the required distance of the released
        value closest to the original one.
    not_compared
        The published columns that took no part.

    Examples
    --------
    >>> import verikit as vk
    >>> data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    >>> found = permuted_privacy(data, masked, distance=1, diversity=10)
    >>> found.met, int(found.per_record.sum()), found.largest
    (False, 2, {'X1': 1, 'X2': 0, 'X3': 0})
    """

    attributes: tuple[str, ...]
    required: Mapping[str, int]
    least: Mapping[str, float | None]
    criterion: Criterion
    places: Ints
    diversity: Floats
    not_compared: tuple[str, ...] = ()

    @property
    def far_enough(self) -> Flags:
        """Condition 1, for each record and attribute."""
        return self.places >= np.array([self.required[name] for name in self.attributes])

    @property
    def diverse_enough(self) -> Flags:
        """Condition 2, for each record and attribute; met where no diversity is asked for."""
        columns = [
            np.ones(len(self.diversity), bool)
            if self.least[name] is None
            else self.criterion.holds_all(self.diversity[:, at], float(self.least[name] or 0))
            for at, name in enumerate(self.attributes)
        ]
        return np.column_stack(columns)

    @property
    def per_record(self) -> Flags:
        """Whether each record meets both conditions on every attribute ([DM]_ Definition 1)."""
        return np.asarray((self.far_enough & self.diverse_enough).all(axis=1))

    @property
    def met(self) -> bool:
        """Whether all records do ([DM]_ Definition 2)."""
        return bool(self.per_record.all())

    @property
    def largest(self) -> dict[str, int]:
        """By attribute, the largest distance that condition 1 holds for with every record."""
        return dict(zip(self.attributes, self.places.min(axis=0).tolist(), strict=True))

    def to_frame(self) -> pd.DataFrame:
        """One line a record: whether it meets both conditions, its places and diversities."""
        columns: dict[str, npt.NDArray[np.generic]] = {"met": self.per_record}
        for at, name in enumerate(self.attributes):
            columns[f"places {name}"] = self.places[:, at]
            if self.least[name] is not None:
                columns[f"{self.criterion.name} {name}"] = self.diversity[:, at]
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        n, failed = len(self.places), int((~self.per_record).sum())
        near = int((~self.far_enough).any(axis=1).sum())
        alike = int((~self.diverse_enough).any(axis=1).sum())
        asked = ", ".join(self._describe_request(name) for name in self.attributes)
        said = (
            f"met for all {count(n, 'record')}"
            if self.met
            else f"not met for {failed:,} of {count(n, 'record')} ({near:,} moved too little, "
            f"{alike:,} among values too alike)"
        )
        left = not_compared(self.not_compared)
        before = f"{left}\n" if left else ""
        return f"{before}permuted privacy, by the protector's mapping: {asked}: {said}."

    def _describe_request(self, name: str) -> str:
        said = f"{name} {count(self.required[name], 'place')}"
        least = self.least[name]
        if least is None:
            return said
        return f"{said} and {self.criterion.name} {self.criterion.direction} {least:g}"

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().sort_values("met", kind="stable").head(12))


def permuted_privacy(
    data: Microdata,
    masked: Microdata,
    *,
    distance: int | Mapping[str, int],
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion = "variance",
) -> PermutedPrivacy:
    """Check that every record was moved far enough, among values that differ enough.

    Condition 1: on each attribute, the masked value of a record is at least so many ranks from the
    released value closest to its original one. Condition 2: the released values within these ranks
    of it are diverse.

    Parameters
    ----------
    data, masked
        The original and the masked records, in the same order (see `Key.undo`).
    distance
        The ranks asked for, of all attributes or by name; 0 of those that are not named.
    diversity
        What is asked of the values within that distance, of all attributes or by name; None, or
        an attribute not named, asks for nothing.
    criterion
        How diversity is measured; `ranks.spread.Criterion` says which way each is compared.

    Returns
    -------
    PermutedPrivacy
        Whether the release as a whole meets it, and each record by attribute.

    Raises
    ------
    SchemaError
        If the tables share no attribute that can be ranked, values are missing, or the rows do not
        correspond.
    RecordError
        If a distance or diversity is no number from 0 up, or names another attribute.

    References
    ----------
    [DM]_ Definitions 1 and 2, Algorithm 2

    Notes
    -----
    This is the protector's reading: the mapping of records is the true one. A subject who takes the
    closest row for hers finds a distance that is never larger. It says nothing of how many records
    can be linked. Equal values count with the ranks that give the smallest distance and the least
    diverse window. With a distance of 0 the window holds one value, of variance 0, which is never
    more than asked for.

    Examples
    --------
    >>> import verikit as vk
    >>> data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    >>> permuted_privacy(data, masked, distance={"X1": 1})
    permuted privacy, by the protector's mapping: X1 1 place, X2 0 places, X3 0 places: met for \
all 20 records.
    """
    pairs = paired(data, masked)
    names = tuple(pair.name for pair in pairs)
    measure = Criterion.of(criterion)
    required = {
        name: 0 if v is None else whole(v, f"distance of {name}", least=0)
        for name, v in _spread_by_name(distance, names, "distance").items()
    }
    least = {
        name: None if v is None else within(v, f"diversity of {name}")
        for name, v in _spread_by_name(diversity, names, "diversity").items()
    }
    found = [_measure_conditions(pair, required[pair.name], measure) for pair in pairs]
    places, diversities = (np.column_stack(part) for part in zip(*found, strict=True))
    left = tuple(name for name in masked.schema.names if name not in names)
    return PermutedPrivacy(names, required, least, measure, places, diversities, left)


def _spread_by_name(
    given: float | Mapping[str, float] | None, names: tuple[str, ...], what: str
) -> dict[str, float | None]:
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, given)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise RecordError(
            f"The {what} names {quoted(unknown[0])}, which is no attribute of both tables that can "
            f"be ranked; these are {listed(names, 12)}."
        )
    return {name: given.get(name) for name in names}


def _measure_conditions(pair: Pair, distance: int, criterion: Criterion) -> tuple[Ints, Floats]:
    """The distance of Algorithm 2 by record, and the diversity within the one asked for."""
    ordered = np.sort(pair.masked)
    first, last = closest_blocks(ordered, pair.original)
    row_first, row_last = blocks(pair.masked)
    places = np.maximum(np.maximum(row_first - last, first - row_last), 0)
    windows, which = np.unique(np.column_stack([first, last]), axis=0, return_inverse=True)
    spread = [smallest_diversity(ordered, int(a), int(b), distance, criterion) for a, b in windows]
    return places, np.asarray(spread)[which.ravel()]
