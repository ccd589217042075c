"""Models of values drawn anew: perturbation diversity and amplification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, exp, log

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import instance, row_numbers, whole, within
from verikit.errors import RecordError, SchemaError, quoted
from verikit.ranks import blocks, closest_blocks
from verikit.ranks.spread import Criterion, criteria_by_name, smallest_diversity
from verikit.release import (
    Probabilities,
    Redraw,
    TableRelease,
    redraw_of,
    require_redraw,
    whole_records,
)
from verikit.table import (
    Microdata,
    code_of_value,
    codes_like,
    effective_number,
    require_microdata,
    shares_of,
    single_codes,
)
from verikit.utility import Pair, paired, relate_unordered
from verikit.words import count, listed, not_compared


@dataclass(frozen=True, slots=True, repr=False)
class PerturbationDiversity:
    """How varied the random changes of a record are, which is no chance of guessing it.

    Parameters
    ----------
    value
        As many equally likely changes as there would be: the exponential of their entropy.
    most
        The largest value any probabilities give, where one attribute is changed; else the value.
    unchanged
        The share of records to expect whose values are all drawn as they were: to guess "nothing
        changed" is right that often.
    diversities
        As how many equally frequent values each attribute is.
    probabilities
        How likely each attribute is to be drawn anew.
    """

    value: float
    most: float
    unchanged: float
    diversities: Mapping[str, float]
    probabilities: Mapping[str, float]

    def __repr__(self) -> str:
        return (
            f"perturbation diversity {self.value:.4g}, at most {self.most:.4g}; no chance of "
            f"guessing: a share of {self.unchanged:.2g} of the records stays as it was"
        )


def perturbation_diversity(
    table: Microdata | TableRelease, *, changed: int = 1, probabilities: Probabilities = None
) -> PerturbationDiversity:
    """Measure how varied a random redrawing is, which the paper calls probabilistic anonymity.

    Parameters
    ----------
    table
        The original; or a release of `verikit.mask.randomize`, whose published numbers are used in
        place of the other arguments and whose columns show about the shares of the original.
    changed
        How many quasi-identifiers of each record are drawn anew.
    probabilities
        How likely each is the one, or ``"equal"``; None takes those that give the most.

    Returns
    -------
    PerturbationDiversity
        The value, the most possible, and beside them how many records stay as they were.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier or no record, or values are missing.
    RecordError
        If so many cannot be changed, or probabilities do not add up to 1.

    Notes
    -----
    The paper takes one over this value for the chance that somebody guesses the original values.
    It is not: guessing that nothing changed is right more often, as drawn values may be the old
    ones. For equal probabilities the value is always m times the mean of the diversities, not
    "usually" above it. Several changed attributes are our own extension of formula (1).

    References
    ----------
    [YQ]_ Proposition 7, formulas (1) and (3)

    Examples
    --------
    >>> import verikit as vk
    >>> found = perturbation_diversity(vk.published("yq_figure5"))
    >>> perturbation_diversity(vk.load("yq_figure1"), probabilities="equal")
    perturbation diversity 11.3, at most 11.45; no chance of guessing: a share of 0.32 of the
    records stays as it was
    """
    if not (isinstance(table, Microdata) or whole_records(table)) or not len(table):
        raise SchemaError(
            f"perturbation_diversity was given {type(table).__name__}; expected Microdata or a "
            "release of one table, with at least one record."
        )
    names = [column.name for column in table.schema.quasi]
    shares, own = {}, []
    for name in names:
        codes, found = single_codes(table.frame[name], name, "the table")
        shares[name] = shares_of(codes, len(found))
        own.append(shares[name][codes])
    several = {name: effective_number(share) for name, share in shares.items()}
    total = sum(several.values())
    told = redraw_of(table, evenly=True)
    if told is not None and told.values:
        raise SchemaError(
            "perturbation_diversity is defined where values are drawn from those of their column; "
            "of a gamma-diagonal scheme, which does not, models.price_matrix tells the bits."
        )
    if told is None:
        told = Redraw.of(names, changed, probabilities)
        if probabilities is None and told.changed == 1:
            told = Redraw(tuple(names), 1, tuple(part / total for part in several.values()))
    value = _exponential_entropy(told, list(several.values()))
    return PerturbationDiversity(
        value,
        total if told.changed == 1 and told.keep is None else value,
        _share_unchanged(told, own),
        several,
        {name: told.find_drawn(name) for name in names},
    )


def _exponential_entropy(told: Redraw, diversities: list[float]) -> float:
    """The exponential of the entropy of which attributes are drawn anew, and what they become."""
    if told.keep is not None:
        drawn = 1 - told.keep
        mixed = -sum(p * log(p) for p in (told.keep, drawn) if p > 0)
        return exp(sum(mixed + drawn * log(d) for d in diversities))
    if told.changed == 1:
        pairs = zip(told.weights, diversities, strict=True)
        return exp(sum(p * (log(d) - log(p)) for p, d in pairs if p > 0))
    m = len(told.names)
    drawn = sum(map(log, diversities)) * told.changed / m
    return comb(m, told.changed) * exp(drawn)


def _share_unchanged(told: Redraw, own: Sequence[Floats]) -> float:
    """The chance that all drawn values are the old ones, on average over the records."""
    if told.keep is not None:
        return float(np.prod([told.keep + (1 - told.keep) * share for share in own], axis=0).mean())
    if told.changed == 1:
        return sum(p * float(share.mean()) for p, share in zip(told.weights, own, strict=True))
    sums = [np.ones(len(own[0])), *(np.zeros(len(own[0])) for _ in range(told.changed))]
    for share in own:  # the sums of all products of so many different factors
        for size in range(told.changed, 0, -1):
            sums[size] += share * sums[size - 1]
    return float(sums[told.changed].mean()) / comb(len(own), told.changed)


MAX_CELLS = 2**21


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Amplification(Plotted):
    """By how much the chances of the originals that can become a published row differ.

    Parameters
    ----------
    value
        The largest ratio over all rows.
    per_row
        The ratio of each row.
    worst
        The row with the largest ratio, counted from 0.
    """

    value: float
    per_row: Floats
    worst: int

    def __repr__(self) -> str:
        return (
            f"amplification {self.value:.4g}, over the originals that can become the row; it is "
            f"row {self.worst + 1}"
        )


def amplification(release: TableRelease, *, original: Microdata | None = None) -> Amplification:
    """Measure how unequal the chances of the originals are that can become each published row.

    Parameters
    ----------
    release
        A release of `verikit.mask.randomize`.
    original
        The table whose shares were drawn from; without it those of the release, which are the same
        in expectation.

    Returns
    -------
    Amplification
        For each row the largest ratio of two chances.

    Raises
    ------
    SchemaError
        If the release tells no probabilities, the original lacks one of its columns or a published
        value, or values are missing.

    Notes
    -----
    Over all originals the ratio is infinite wherever a record keeps an attribute, since one that
    differs in more attributes than are changed cannot become the row. So only originals that can
    are compared: the likeliest is the row itself, the least likely differs where values are rarest.
    That takes every combination of values for a possible original, whether it occurs or not.

    References
    ----------
    [YQ]_ Definition 8, section 4.2.1

    Examples
    --------
    Christopher's row: to be (0.3 + 0.1 + 0.6)/3 likely from itself, 0.1/3 from another job.

    >>> import verikit as vk
    >>> release = vk.published("yq_figure5")
    >>> amplification(release, original=vk.load("yq_figure1")).per_row[0].round(6)
    np.float64(10.0)
    """
    told = require_redraw(release, "amplification", evenly=True)
    shares, constant = _find_shares_and_constants(release, original, told)
    shares = told.weigh_drawn(told.names, shares)
    step = max(1, MAX_CELLS >> len(told.names))
    parts = [shares[start : start + step] for start in range(0, len(shares), step)]
    ratio = np.concatenate([_amplification_ratios(told, part, constant) for part in parts])
    worst = int(np.argmax(ratio))
    return Amplification(float(ratio[worst]), ratio, worst)


def _find_shares_and_constants(
    release: TableRelease, original: Microdata | None, told: Redraw
) -> tuple[Floats, Flags]:
    """The share of each published value in its column, and which columns are constant."""
    source = release if original is None else require_microdata(original, "amplification")
    lacking = [name for name in told.names if name not in source.schema.names]
    if lacking:
        raise SchemaError(f"The original lacks {listed(lacking)}, which the release holds.")
    found, constant = [], []
    for name in told.names:
        codes, values = single_codes(source.frame[name], name, "the original")
        own, known = codes_like(release.frame[name], values, name, "the release")
        share = shares_of(codes, len(known))
        if (share[own] == 0).any():
            value = known[int(own[np.argmin(share[own])])]
            raise SchemaError(
                f"The release holds {value!r} in column {name!r}, which the original does not; "
                "give the table that the values were drawn from."
            )
        found.append(share[own])
        constant.append(np.count_nonzero(share) < 2)
    return np.column_stack(found), np.array(constant)


def _amplification_ratios(told: Redraw, shares: Floats, constant: Flags) -> Floats:
    """The largest chance is that of no difference; the least differs where all that can is drawn.

    A chance only falls where one more attribute differs, so sets as large as possible are enough.
    """
    chances = told.transition_chances(told.names, shares)
    sets = np.arange(chances.shape[-1])
    apart = np.array([[s >> k & 1 for k in range(len(told.names))] for s in sets], bool)
    within = np.flatnonzero(~(apart & constant).any(axis=1) & (chances > 0).any(axis=0))
    least = np.where(chances[:, within] > 0, chances[:, within], np.inf).min(axis=1)
    return chances[:, 0] / least


def conversion_chance(
    data: Microdata,
    before: Mapping[str, object],
    after: Mapping[str, object],
    *,
    changed: int = 1,
    probabilities: Probabilities = "equal",
) -> float:
    """Work out how likely values of some attributes become other values of these.

    Parameters
    ----------
    data
        The original, whose shares are drawn from.
    before, after
        Values of the same quasi-identifiers by name: in a record, and in the row it becomes.
    changed, probabilities
        As `verikit.mask.randomize` takes them; ``"equal"`` by default.

    Returns
    -------
    float
        The chance, exactly, over all sets of attributes that are drawn anew.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, or values are missing.
    RecordError
        If both do not name the same quasi-identifiers, or so many cannot be changed.

    Notes
    -----
    The paper says that this chance grows with the number of changed attributes. That holds for
    single values; for several it often falls, because what already agrees is drawn anew as well.
    The ratio in its proof is wrong.

    References
    ----------
    [YQ]_ Proposition 13

    Examples
    --------
    >>> import verikit as vk
    >>> germany = {"Age": "[20-30]", "Job": "Banker", "Country": "Germany"}
    >>> for changed in (1, 2, 3):
    ...     print(
    ...         round(
    ...             conversion_chance(
    ...                 vk.load("yq_figure1"),
    ...                 germany,
    ...                 germany | {"Country": "India"},
    ...                 changed=changed,
    ...             ),
    ...             4,
    ...         )
    ...     )
    0.0333
    0.01
    0.002
    """
    names = [column.name for column in require_microdata(data, "conversion_chance").schema.quasi]
    for values in (before, after):
        instance(values, Mapping, "conversion_chance", "values by the name of their column")
    asked = list(after)
    if set(before) != set(after) or not asked or not set(asked) <= set(names):
        raise RecordError(
            f"The values before name {listed(before, 12) or 'nothing'} and those after "
            f"{listed(after, 12) or 'nothing'}; expected the same of {listed(names, 12)}."
        )
    told = Redraw.of(names, changed, probabilities)
    shares, differs = [], 0
    for k, name in enumerate(asked):
        codes, found = single_codes(data.frame[name], name, "the table")
        place = code_of_value(after[name], found, data.schema[name])
        shares.append(float(np.mean(codes == place)))
        differs |= (code_of_value(before[name], found, data.schema[name]) != place) << k
    return float(told.transition_chances(asked, np.array(shares))[differs])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PermutedPrivacy(Plotted):
    """Whether every record of a release meets both conditions of permuted privacy.

    Parameters
    ----------
    attributes
        The attributes that were compared.
    required, least
        The distance and the diversity asked for by attribute; None where no diversity was.
    criteria
        How the diversity of each attribute is measured.
    places
        For each record and attribute, how many ranks it was moved.
    diversity
        For each record and attribute, the diversity within the required distance of the released
        value closest to the original one.
    not_compared
        The published columns that took no part.
    own
        Whether each record was compared with its own row, and not with one that somebody named.

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
    criteria: Mapping[str, Criterion]
    places: Ints
    diversity: Floats
    not_compared: tuple[str, ...] = ()
    own: bool = True

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
            else self.criteria[name].holds_all(self.diversity[:, at], float(self.least[name] or 0))
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
                columns[f"{self.criteria[name].name} {name}"] = self.diversity[:, at]
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
        by = "the protector's mapping" if self.own else "the mapping given"
        return f"{before}permuted privacy, by {by}: {asked}: {said}."

    def _describe_request(self, name: str) -> str:
        said = f"{name} {count(self.required[name], 'place')}"
        least = self.least[name]
        if least is None:
            return said
        criterion = self.criteria[name]
        return f"{said} and {criterion.name} {criterion.direction} {least:g}"

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().sort_values("met", kind="stable").head(12))


def permuted_privacy(
    data: Microdata,
    masked: Microdata,
    *,
    distance: int | Mapping[str, int],
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion | Mapping[str, str | Criterion] = "variance",
    match: Sequence[int] | None = None,
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
        The places asked for, of all attributes or by name; 0 of those that are not named, and, if
        asked of all, of those whose values are equal or not and so 1 place apart at most.
    diversity
        What is asked of the values within that distance, of all attributes with an order or by
        name; None, or an attribute not named, asks for nothing.
    criterion
        How diversity is measured, of all attributes or by name; `ranks.spread.Criterion` says which
        way each is compared.
    match
        The mapping f of the definition: for each record the masked row that is taken for its own,
        counted from 0; by default the one in the same place.

    Returns
    -------
    PermutedPrivacy
        Whether the release as a whole meets it, and each record by attribute.

    Raises
    ------
    SchemaError
        If the tables share no attribute, values with an order are missing, or the rows do not
        correspond.
    RecordError
        If a distance or diversity is no number from 0 up, or names another attribute.

    References
    ----------
    [DM]_ Definitions 1 and 2, Algorithm 2

    Notes
    -----
    By default this is the protector's reading: the mapping of records is the true one. A subject
    who takes the closest row for hers finds a distance that is never larger. It says nothing of how
    many records can be linked. Equal values count with the ranks that give the smallest distance
    and the least diverse window. With a distance of 0 the window holds one value, of variance 0,
    which is never more than asked for.

    Examples
    --------
    >>> import verikit as vk
    >>> data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    >>> permuted_privacy(data, masked, distance={"X1": 1})
    permuted privacy, by the protector's mapping: X1 1 place, X2 0 places, X3 0 places: met for \
all 20 records.
    """
    pairs, unordered = paired(data, masked, needed=False), relate_unordered(data, masked)
    names = (*(pair.name for pair in pairs), *unordered)
    if not names:
        paired(data, masked)
    criteria = criteria_by_name(criterion, names)
    rows = (
        np.arange(len(data)) if match is None else row_numbers(match, "match", len(data), len(data))
    )
    equal = [name for name, part in unordered.items() if part.kinship.steps == 1]
    required = {
        name: 0 if v is None else whole(v, f"distance of {name}", least=0)
        for name, v in _spread_by_name(distance, names, "distance", equal).items()
    }
    least = {
        name: None if v is None else within(v, f"diversity of {name}")
        for name, v in _spread_by_name(diversity, names, "diversity", [*unordered]).items()
    }
    found = [
        _measure_conditions(pair, required[pair.name], criteria[pair.name], rows) for pair in pairs
    ]
    for name, part in unordered.items():
        spread, reach = np.full(len(data), np.nan), np.full(len(data), required[name])
        if least[name] is not None:
            spread = part.measure_least_diversities(reach, criteria[name])
        found.append((part.kinship.count_places(np.arange(len(data)), rows), spread))
    places, diversities = (np.column_stack(part) for part in zip(*found, strict=True))
    left = tuple(name for name in masked.schema.names if name not in names)
    own = match is None
    return PermutedPrivacy(names, required, least, criteria, places, diversities, left, own)


def _spread_by_name(
    given: float | Mapping[str, float] | None,
    names: tuple[str, ...],
    what: str,
    without: Sequence[str] = (),
) -> dict[str, float | None]:
    if not isinstance(given, Mapping):
        return {name: None if name in without else given for name in names}
    unknown = [name for name in given if name not in names]
    if unknown:
        raise RecordError(
            f"The {what} names {quoted(unknown[0])}, which is no attribute of both tables that it "
            f"can be asked of; these are {listed(names, 12)}."
        )
    return {name: given.get(name) for name in names}


def _measure_conditions(
    pair: Pair, distance: int, criterion: Criterion, rows: Rows
) -> tuple[Ints, Floats]:
    """The distance of Algorithm 2 by record, and the diversity within the one asked for."""
    ordered = np.sort(pair.masked)
    first, last = closest_blocks(ordered, pair.original)
    row_first, row_last = (part[rows] for part in blocks(pair.masked))
    places = np.maximum(np.maximum(row_first - last, first - row_last), 0)
    windows, which = np.unique(np.column_stack([first, last]), axis=0, return_inverse=True)
    spread = [smallest_diversity(ordered, int(a), int(b), distance, criterion) for a, b in windows]
    return places, np.asarray(spread)[which.ravel()]
