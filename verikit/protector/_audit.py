"""The audit: both views of every record, the subject's and that of the one who holds the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, cast, overload

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import flag, instance
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.intruder import (
    FoundRecords,
    Memorized,
    compare_tables,
    find_records,
    find_wide_columns,
    memorized,
)
from verikit.matching import classes_of
from verikit.partition import Requirements
from verikit.protector._audit_page import audit_facts, audit_page, say_standing, to_json
from verikit.protector._exposure import (
    Baselines,
    Exposure,
    baselines,
    count_strongest_links,
    exposure,
)
from verikit.protector._guessed_values import GuessedValues, count_guesses
from verikit.protector._key_doubt import doubt_key
from verikit.protector._population_risk import PopulationRisk, population_risk
from verikit.protector._values_left import Verdict, judge_with_key
from verikit.ranks import closest_blocks, find_nearest, ordered_blocks
from verikit.ranks.spread import Criterion, smallest_diversity, window_variances
from verikit.release import Key, Ledger, Release, TableRelease, by_groups, whole_records
from verikit.subject import Required, Requirement
from verikit.table import Microdata, as_microdata
from verikit.utility import (
    InformationLoss,
    Pair,
    Unordered,
    information_loss,
    paired,
    relate_unordered,
)
from verikit.words import count, listed, not_compared

MAX_COMPARED = 2_000


@overload
def audit(data: Microdata, release: Release, *, control: Microdata | None) -> Memorized: ...
@overload
def audit(
    data: Microdata,
    release: Release,
    key: Key,
    *,
    distance: int | Mapping[str, int] | None = None,
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion | Mapping[str, str | Criterion] = "variance",
    subject_view: bool = True,
    control: Microdata | None = None,
    ledger: Ledger | None = None,
    requirement: Requirements | None = None,
) -> AuditReport: ...
def audit(  # noqa: PLR0913 - one question, and what may be set about it
    data: Microdata,
    release: Release,
    key: Key | None = None,
    *,
    distance: int | Mapping[str, int] | None = None,
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion | Mapping[str, str | Criterion] = "variance",
    subject_view: bool = True,
    control: Microdata | None = None,
    ledger: Ledger | None = None,
    requirement: Requirements | None = None,
) -> AuditReport | Memorized:
    """Check a release for every record, as protector and as each subject would see it.

    A table that was drawn from a model has no key, and no row of hers: beside a control of people
    whom the model did not learn from it is asked how many people it memorized.

    Parameters
    ----------
    data, release, key
        The original, what is to be published, and which row came from which record; of a table
        drawn from a model there is no key.
    distance, diversity, criterion
        The requirement, for all attributes at once or one by one. A distance of all at once is
        not required of those whose values are equal or not, which are 1 place apart at most, nor
        diversity of those without an order; by name both are.
    subject_view
        Whether to find what others can too, which is most of the work: each subject's closest
        record, and what the strongest attack finds (above 50,000 records the attack by ranks).
    control, ledger
        Of a release by groups: people who are not in it, and what was published of these people
        before, as `guessed_values` takes them. Of a table drawn from a model: people whom it did
        not learn from (`verikit.intruder.memorized`).
    requirement
        What each class of the published records must meet: one `verikit.models.Requirement` or
        several. Of ``"continued"`` the others are reckoned with.

    Returns
    -------
    AuditReport
        Both views by record, which records fail and why, worst first; and the largest distance
        that the whole release keeps. Of a table drawn from a model a `verikit.intruder.Memorized`.

    Raises
    ------
    RecordError
        If the key or the requirement does not fit the tables.
    SchemaError
        If the tables share no attribute, or values with an order are missing.

    References
    ----------
    [DM]_ Definitions 1 and 2, Algorithm 2

    Notes
    -----
    O(n log n) an attribute for the protector's view. Places of an attribute without an order count
    the rows whose value shares a smaller group of its tree with the record's, and one more for
    another value. The subjects' view searches all records in a k-d tree of their ranks, by the
    attributes with an order. With diversity required and no distance, the window is each record's
    own distance.

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> audit(data, release, vk.Key.of(range(20)))
    20 records, 3 attributes.
    Every record was moved at least this many places: X1 1, X2 0, X3 0.
    As subjects see it, the closest record lies 1 or more places away, and 3 for the middle record.
    The strongest attack, normal_scores, links 12 of 20 people rightly; luck gives the best of 4 \
about 1.5.
    Most is given away by X2, X3 (8 right links by rank alone); X3 was masked least.
    Not tested: whether somebody is in the table at all, what can be inferred of one attribute \
from the others, and records that single themselves out.
    Whoever the key says it belongs to, the own record of 0 of 20 people stands in the release, \
whole or within 1 place in every column with an order; luck gives about 1.2, and 0 are as near to \
somebody else.
    """
    data = as_microdata(data, "audit")
    if getattr(release, "from_model", False):
        given: dict[str, object] = {"key": key, "distance": distance, "diversity": diversity}
        given |= {"ledger": ledger, "requirement": requirement}
        given["criterion"] = None if criterion == "variance" else criterion
        given["subject_view"] = None if subject_view else False
        _refuse_of_model(given, control)
        return memorized(data, cast("TableRelease", release), control=cast("Microdata", control))
    key = instance(
        key, Key, "audit", "the Key that a mask gave with this release, or Key.open its file"
    )
    both = _list_shared(data, release, key)
    rows = key.rows_in(release)
    judged = np.flatnonzero(rows >= 0)
    table = cast("TableRelease", release)  # where it is none, only links by groups are asked for
    covered = by_groups(release) or bool(find_wide_columns(data, table, both))
    compare = _compare_covered if covered else _compare_single
    ranked, unordered, places = compare(data, table, judged, rows[judged])
    names = (*(part.name for part in ranked), *places)
    alike = [name for name, part in unordered.items() if part.kinship.steps > 1]
    required = Requirement(distance, diversity, criterion).among(
        names, equal=[name for name in places if name not in alike], alike=places
    )
    columns = [count_places_moved(part, rows[judged]) for part in ranked]
    moved = np.column_stack([*columns, *places.values()])
    spread = _measure_diversities(ranked, unordered, required, moved)
    found = None
    if subject_view and ranked and not by_groups(release):
        found = _find_closest(ranked, moved, covered=covered)
    without = len(data) - len(judged)
    undefined = _say_undefined(without, grouped=by_groups(release), covered=covered)
    attacks: dict[str, Any] = {}
    if subject_view:
        attacks, why = _attack(data, release, key, [part.name for part in ranked], names, covered)
        undefined += why
    if subject_view and by_groups(release):
        attacks["guessed"], why = count_guesses(data, release, key, control, ledger)
        undefined += why
    left = tuple(name for name in release.schema.names if name not in names)
    return AuditReport(
        names,
        moved,
        found,
        spread,
        required,
        method=str(release.method or ""),
        not_compared=left,
        undefined=tuple(undefined),
        judged=judged,
        classes=() if requirement is None else judge_with_key(data, release, key, requirement),
        lost=information_loss(data, release),
        alike=_count_alike(release),
        sample=_estimate_sample(data, release, key),
        **attacks,
    )


def _refuse_of_model(given: Mapping[str, object], control: object) -> None:
    """Refuse what a table drawn from a model cannot be asked, and require a control."""
    asked = [name for name, value in given.items() if value is not None]
    if asked:
        raise RecordError(
            f"The table was drawn from a model, so that no row is anybody's; leave out "
            f"{listed(asked)}.",
            field=asked[0],
        )
    if control is None:
        raise RecordError(
            "A table drawn from a model is audited beside people whom it did not learn from; give "
            "them as control, such as a random half that was kept apart.",
            field="control",
        )


def _list_shared(data: Microdata, release: Release, key: Key) -> list[str]:
    """List the attributes of both tables; what cannot be audited with this key is refused."""
    if not hasattr(release, "kind"):
        raise SchemaError(
            f"audit was given {type(release).__name__}; expected a release, as a mask gives it."
        )
    if not (whole_records(release) or by_groups(release)):
        raise SchemaError(
            f"An audit takes a table, or tables joined by groups, and {type(release).__name__} is "
            "neither; check it with the models and attacks of its kind."
        )
    if len(key) != len(data):
        raise RecordError(
            f"The key is for {len(key)} records, but the original has {len(data)}; use the key "
            "that was made with this release."
        )
    both = [name for name in data.schema.names if name in release.schema.names]
    if not both:
        raise SchemaError(
            f"No attribute is in both tables; the original has {listed(data.schema.names)}, the "
            f"release {listed(release.schema.names)}."
        )
    return both


def _attack(
    data: Microdata,
    release: Release,
    key: Key,
    ranked: Sequence[str],
    names: Sequence[str],
    covered: bool,
) -> tuple[dict[str, Any], list[str]]:
    """Run what links people with rows, by some attributes; and say what could not be run."""
    table, rows = cast("TableRelease", release), key.rows_in(release)
    exposed, beside, why, everybody = None, None, [], bool((rows >= 0).all())
    few, one_by_one = len(data) <= MAX_COMPARED, not covered and len(data) == len(release)
    look = exposure if few else count_strongest_links
    try:
        exposed = look(data, table, key, attributes=names) if (rows >= 0).any() else None
    except InfeasibleError as error:
        if not covered:
            raise
        why = [f"Right links were not counted. {error}"]
    if few and ranked and one_by_one:
        with suppress(InfeasibleError):  # the method cannot be repeated on half of the people
            beside = baselines(data, table, attributes=ranked)
    found = {
        "exposure": exposed,
        "baselines": beside,
        "standing": None if covered else find_records(data, table, names, places=1),
        "doubt": doubt_key(data, table, rows) if few and one_by_one and everybody else "",
    }
    return found, why


class Alike(NamedTuple):
    """How many kinds of rows a table has by its quasi-identifiers, and how many rows stand alone.

    Whoever knows the values of these columns, and draws one of the rows that fit, is right as
    often as there are kinds: one over their number, summed over all rows.
    """

    rows: int
    kinds: int
    single: int


def _count_alike(release: Release) -> Alike | None:
    true = whole_records(release) and release.promise in ("as it was", "covers")
    if not true or not release.schema.quasi:
        return None
    sizes = classes_of(release, "own value").sizes
    return Alike(len(release), len(sizes), int((sizes == 1).sum()))


def _estimate_sample(data: Microdata, release: Release, key: Key) -> PopulationRisk | None:
    """Estimate the risk in the population, of what is true in the release, or of the original."""
    if not any(column.role == "weight" for column in data.schema):
        return None
    if _count_alike(release) is None or (key.rows_in(release) < 0).any():
        return population_risk(data)
    return population_risk(data, release, key)


def _compare_single(
    data: Microdata, release: TableRelease, judged: Rows, rows: Rows
) -> tuple[list[Ranked], dict[str, Unordered], dict[str, Ints]]:
    """Compare people with their rows where each cell is one value ([DM]_ Algorithm 2)."""
    if not len(judged):
        none = np.empty(0, np.int64)
        return [], {}, {n: none for n in data.schema.names if n in release.schema.names}
    own = data.take(judged) if len(judged) < len(data) else data
    undone = Key.of(rows).undo(release)
    pairs, unordered = paired(own, undone, needed=False), relate_unordered(own, undone)
    ranked = [rank_attribute(pair, release.scores(pair.name)) for pair in pairs]
    return ranked, unordered, {n: part.count_places_moved() for n, part in unordered.items()}


def _compare_covered(
    data: Microdata, release: TableRelease, judged: Rows, rows: Rows
) -> tuple[list[Ranked], dict[str, Unordered], dict[str, Ints]]:
    """Compare people with their rows where a row may be several records: by all that it may be.

    Places and windows are those of the original values, as Algorithm 1 gives them.
    """
    tables = compare_tables(data, release)
    first, last, low, high = tables.ranks
    ranked = [
        Ranked(n, np.sort(data.scores(n)), first[judged, j], last[judged, j], low[:, j], high[:, j])
        for j, n in enumerate(tables.ranked)
    ]
    places = {name: part.count_places(judged, rows) for name, part in tables.unordered.items()}
    return ranked, {}, places


def _find_closest(ranked: Sequence[Ranked], moved: Ints, *, covered: bool) -> Ints:
    """Find how far each record lies from the closest row: 0 where her own row covers her."""
    blocks = ("first", "last", "row_first", "row_last")
    sides = [np.column_stack([getattr(part, name) for part in ranked]) for name in blocks]
    if not covered:
        return find_nearest(*sides)[0]
    found = np.zeros(len(moved), np.int64)
    lost = moved[:, : len(ranked)].any(axis=1)
    if lost.any():
        found[lost] = find_nearest(sides[0][lost], sides[1][lost], *sides[2:])[0]
    return found


def _measure_diversities(
    ranked: Sequence[Ranked], unordered: Mapping[str, Unordered], required: Required, moved: Ints
) -> Floats | None:
    """Measure what is diverse within the required distance, or else within the record's own."""
    if all(value is None for value in required.diversity.values()):
        return None
    names = [*required.diversity]
    criteria = [required.criteria[name] for name in names]
    reach = [
        moved[:, at] if required.distance[n] is None else np.full(len(moved), required.distance[n])
        for at, n in enumerate(names)
    ]
    least = [*map(measure_least_diversities, ranked, reach, criteria)]
    for at, name in enumerate(names[len(ranked) :], len(ranked)):
        if required.diversity[name] is None:
            least.append(np.full(len(moved), np.nan))
        elif name in unordered:
            least.append(unordered[name].measure_least_diversities(reach[at], criteria[at]))
        else:
            raise RecordError(
                f"A diversity of {name!r} is not defined, as rows may be several of its values, "
                "which have no order; ask for it of columns with an order, or use the models.",
                field=f"diversity/{name}",
            )
    return np.column_stack(least)


def _say_undefined(without: int, *, grouped: bool, covered: bool) -> list[str]:
    """Say what is read in another way, or not counted, for want of a row of single values."""
    said = []
    if without:
        said.append(
            f"{count(without, 'person has', 'people have')} no row in the release; places and "
            "right links are those of the others."
        )
    if grouped:
        said.append(
            "A row is read as any record that the values of its group make; whose own record "
            "stands there, and what subjects see, are not counted."
        )
    elif covered:
        said.append(
            "A row is read as any record that its cells cover; whose own record stands there is "
            "not counted."
        )
    return said


class Ranked(NamedTuple):
    """One attribute: the released column sorted, and blocks of ranks.

    ``first`` and ``last`` are the ranks of the released value closest to each original record,
    ``row_first`` and ``row_last`` those of each released row.
    """

    name: str
    ordered: Floats
    first: Ints
    last: Ints
    row_first: Ints
    row_last: Ints


def rank_attribute(pair: Pair, released: Floats) -> Ranked:
    """Rank one attribute by blocks of ties: each record by its closest released value, each row."""
    order, by_value = np.argsort(released), np.argsort(pair.original)
    ordered = released[order]
    first, last = np.empty((2, len(by_value)), np.int64)
    first[by_value], last[by_value] = closest_blocks(ordered, pair.original[by_value])
    return Ranked(pair.name, ordered, first, last, *ordered_blocks(ordered, order))


def count_places_moved(part: Ranked, rows: Rows) -> Ints:
    """Count the places between each record and the row that came from it."""
    above, below = part.row_first[rows] - part.last, part.first - part.row_last[rows]
    return np.maximum(np.maximum(above, below), 0)


def measure_least_diversities(part: Ranked, reach: Ints, criterion: Criterion) -> Floats:
    """Measure the least diverse window of each record; equal questions are asked once."""
    n = len(part.ordered)
    if criterion.name == "variance" and np.array_equal(part.first, part.last):
        low, high = np.maximum(part.first - reach, 1), np.minimum(part.first + reach, n)
        return window_variances(part.ordered, low, high)
    asked = np.column_stack([part.first, part.last, reach])
    distinct, place = np.unique(asked, axis=0, return_inverse=True)
    found = [
        smallest_diversity(part.ordered, int(a), int(b), int(d), criterion) for a, b, d in distinct
    ]
    return np.asarray(found)[place.ravel()]


MAX_REASONS = 4  # reasons in words; the numbers of all attributes stand beside them


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditReport(Plotted):
    """Both views of every record: the protector's, who has the key, and the subject's.

    Parameters
    ----------
    attributes
        The attributes that were compared.
    protector
        For each record and attribute, the places it was really moved.
    subject
        For each record, the places to the closest released record, as she would find it; None
        where it was not asked for.
    diversity
        For each record and attribute, the diversity within the required distance; None where no
        distance is required.
    requirement
        What was required.
    met
        Whether the release meets what is required of every record and class; None where nothing is.
    exposure
        What the strongest attack finds; above 2,000 records its links are counted only. None
        where it was not asked for, and where the release has other rows too.
    baselines
        What being in the table gives away; None where links were not counted or the method cannot
        be repeated.
    method
        The published method; empty where it is not told.
    not_compared
        The published columns that took no part.
    standing
        Whose own record stands in the release, whole or within a place in every column, whoever
        the key says it belongs to; None where links were not counted, and where rows may be
        several records.
    undefined
        In sentences, what is read in another way or not counted for want of a row of single values
        for each person.
    judged
        The people who have a row in the release, counted from 0: one line each of the arrays; None
        where these are all.
    doubt
        Why the key cannot come from the method that the release names; empty where it can, where
        none is named or it cannot be repeated, and above 2,000 records.
    guessed
        Of a release by groups, by sensitive column how many values are guessed rightly.
    classes
        What each requirement on the classes of the published records comes to.
    lost
        What is lost for users, by column and pair of columns.
    alike
        How many rows look alike by their quasi-identifiers; None where these are not promised to
        be true of the people of the rows.
    sample
        The risk in the population, where the original has weights: of the released cells where
        these are true of people, else of the original values.

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> found = vk.audit(data, release, vk.Key.of(range(20)))
    >>> found.protector[2].tolist(), int(found.subject[2])
    ([5, 1, 9], 4)
    """

    attributes: tuple[str, ...]
    protector: Ints
    subject: Ints | None
    diversity: Floats | None
    requirement: Required
    exposure: Exposure | None = None
    baselines: Baselines | None = None
    method: str = ""
    not_compared: tuple[str, ...] = ()
    standing: FoundRecords | None = None
    undefined: tuple[str, ...] = ()
    judged: Rows | None = None
    doubt: str = ""
    guessed: tuple[GuessedValues, ...] = ()
    classes: tuple[Verdict, ...] = ()
    lost: InformationLoss | None = None
    alike: Alike | None = None
    sample: PopulationRisk | None = None

    @property
    def people_found(self) -> float | None:
        """How many people are found beyond luck: by links, or by their own record wherever it is.

        The larger of both; None where neither was counted.
        """
        found = [] if self.standing is None else [self.standing.excess]
        if self.exposure is not None:
            links = self.exposure.found
            found.append(max(0.0, max(links.count, links.guessed) - links.luck))
        return max(found, default=None)

    @property
    def people_linked(self) -> int | None:
        """How many people are found as `verikit.protector.choose` counts them: links and all.

        The larger of right links, one of k candidates for 1/k, and own records beyond luck.
        """
        found = [] if self.standing is None else [round(self.standing.excess)]
        if self.exposure is not None:
            found.append(int(self.exposure.found.guessed + 1e-9))
        return max(found, default=None)

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self.protector)

    @property
    def failed(self) -> Flags:
        """For each record and attribute, whether the requirement is not met."""
        failed = np.zeros(self.protector.shape, np.bool_)
        for at, name in enumerate(self.attributes):
            required, least = self.requirement.distance[name], self.requirement.diversity[name]
            if required is not None:
                failed[:, at] |= self.protector[:, at] < required
            if least is not None and self.diversity is not None:
                holds = self.requirement.criteria[name].holds_all(self.diversity[:, at], least)
                failed[:, at] |= ~holds
        return failed

    @property
    def met(self) -> bool | None:
        """Whether every record and class meets what is required; None where nothing is."""
        if self.requirement.empty and not self.classes:
            return None
        return not bool(self.failed.any()) and all(verdict.met for verdict in self.classes)

    @property
    def largest(self) -> Mapping[str, int]:
        """The largest distance by attribute that every record keeps ([DM]_ Definition 2)."""
        if not self.records:
            return {}
        return dict(zip(self.attributes, self.protector.min(axis=0).tolist(), strict=True))

    def to_frame(self, most: int | None = None) -> pd.DataFrame:
        """One line a record, worst first; records are counted from 1."""
        worst = self.protector.max(axis=1)
        failed = self.failed
        keys = (np.arange(self.records), worst, *([] if self.subject is None else [self.subject]))
        order = np.lexsort((*keys, -failed.sum(axis=1)))[: self.records if most is None else most]
        people = np.arange(self.records) if self.judged is None else self.judged
        frame = pd.DataFrame({"record": people[order] + 1, "protector": worst[order]})
        if self.subject is not None:
            frame["subject"] = self.subject[order]
        for at, name in enumerate(self.attributes):
            frame[f"places {name}"] = self.protector[order, at]
            if self.diversity is not None:
                frame[f"diversity {name}"] = self.diversity[order, at]
        frame["why"] = [self._explain_failure(int(record), failed[record]) for record in order]
        return frame

    def html(self, *, internal: bool = False) -> str:
        """The audit as a page of its own.

        Parameters
        ----------
        internal
            Whether it tells of single records, attacks and columns too. Without, it may be handed
            out: it holds no value, no record and no candidate.
        """
        return audit_page(audit_facts(self, flag(internal, "internal")))

    def json(self, *, internal: bool = False) -> str:
        """The same facts as `html` shows, and where internal every record, as JSON."""
        return to_json(audit_facts(self, flag(internal, "internal")))

    def _explain_failure(self, record: int, failed: Flags) -> str:
        reasons = []
        for at in np.flatnonzero(failed):
            name, places = self.attributes[at], int(self.protector[record, at])
            criterion = self.requirement.criteria[name]
            required, least = self.requirement.distance[name], self.requirement.diversity[name]
            if required is not None and places < required:
                reasons.append(f"{name} moved {count(places, 'place')}, {required:,} required")
            if least is not None and self.diversity is not None:
                value = float(self.diversity[record, at])
                if not criterion.holds(value, least):
                    asked = f"{criterion.direction} {least:g} required"
                    reasons.append(f"{name} has {criterion.name} {value:.5g}, {asked}")
        more = len(reasons) - MAX_REASONS
        return "; ".join([*reasons[:MAX_REASONS], *([f"and {more} more"] if more > 0 else [])])

    def __repr__(self) -> str:
        largest = ", ".join(f"{name} {places}" for name, places in self.largest.items())
        lines = [
            not_compared(self.not_compared),
            *self.undefined,
            self.doubt,
            f"{count(self.records, 'record')}, {count(len(self.attributes), 'attribute')}.",
            f"Every record was moved at least this many places: {largest}." if largest else "",
        ]
        if self.subject is not None and self.records:
            low, mid = int(self.subject.min()), float(np.median(self.subject))
            lines.append(
                f"As subjects see it, the closest record lies {low:,} or more places away, and "
                f"{mid:,.0f} for the middle record."
            )
        if self.exposure is not None:
            lines.extend(said for said in self.exposure.sentences if said != lines[0])
        if self.standing is not None:
            lines.append(say_standing(self.standing))
        lines += [said for part in self.guessed for said in part.sentences]
        lines += map(repr, self.classes)
        lines += self.sample.sentences if self.sample else []
        if not self.requirement.empty:
            failed = int(self.failed.any(axis=1).sum())
            lines.append(
                "The requirement is met for every record."
                if not failed
                else f"The requirement is not met for {failed:,} of "
                f"{count(self.records, 'record')}."
            )
        return "\n".join(filter(None, lines))

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame(12))
