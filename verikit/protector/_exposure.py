"""How many people the strongest attack finds, and what being in the table gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit._support.seed import checked_seed, generator
from verikit.errors import InfeasibleError, VerikitError
from verikit.intruder import (
    Attack,
    Baseline,
    Links,
    attribute_inference,
    link,
    make_repeat,
    membership,
)
from verikit.protector._correct_links import CorrectLinks, correct_by_subset, correct_links
from verikit.ranks import distance_of
from verikit.release import Key, TableRelease
from verikit.table import Microdata
from verikit.words import count, joined, not_compared

MAX_COLUMNS_FOR_ALL_SETS = 4
MAX_ROWS_NAMED = 5
MAX_STRONGEST = 50_000
HALF = 0.5  # of a link, from which on those of a draw are told
OWN = ("no candidate", "the only one", "among them", "not among them")
UNDONE = (
    "This way of masking can be undone by someone who knows everybody's values: swap in cycles "
    "instead of pairs, or mask otherwise."
)
NOT_COVERED = (
    "Not tested: whether somebody is in the table at all, what can be inferred of one attribute "
    "from the others, and records that single themselves out."
)
NO_COLUMNS = (
    "Columns and candidates were not compared among so many records; protector.exposure does."
)
BY_RANK = (
    f"Above {MAX_STRONGEST:,} records only the attack by ranks was run here; stronger ones may "
    "link more."
)
ONLY_RANK = (
    "Only the attack by ranks takes rows that may be several records, or are not one for each; one "
    "that puts all links together may find more."
)
MAY_BE = (
    "Values were swapped in pairs, which can be undone where columns hold many different values; "
    "swapping in cycles cannot."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Exposure(Plotted):
    """What the strongest attack finds in a release.

    Parameters
    ----------
    found
        Its correct links, against the luck of the best of the attacks tried.
    sets
        One line a set of columns, most correct links of the paper's attack first; none where
        links were only counted.
    candidates
        One line a record, those found first: how many ``candidates`` the attack leaves, the first
        of their ``rows`` counted from 1, and whether her ``own`` row is among them; none where
        links were only counted.
    undone
        What must be said of swapping in pairs; empty for other methods.

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> exposure(data, release, vk.Key.of(range(20))).found.count
    12
    """

    found: CorrectLinks
    sets: pd.DataFrame
    candidates: pd.DataFrame
    undone: str = ""

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The published columns that no attack went by."""
        return self.found.not_compared

    @property
    def sentences(self) -> list[str]:
        """What is to be known before publishing; first what was not compared, if anything."""
        found = self.found
        on = f" on {joined(found.linked_by)}" if found.not_compared else ""
        tried = len(found.attempts)
        alone = tried == 1
        attack = f"The strongest attack{on}, {found.attack},"
        attack = f"The attack by ranks{on}" if alone else attack
        best = "" if alone else f"the best of {tried} "
        links = (
            f"{attack} links {found.count:,} of {found.records:,} people rightly{say_draw(found)}; "
            f"luck gives {best}about {found.luck:.2g}."
        )
        said = [
            not_compared(found.not_compared),
            links,
            BY_RANK if alone and found.records > MAX_STRONGEST else ONLY_RANK if alone else "",
            self._say_columns() if len(self.sets) else NO_COLUMNS,
            self.undone,
            NOT_COVERED,
        ]
        return [line for line in said if line]

    def _say_columns(self) -> str:
        most, least = self.sets.iloc[0], self.found.attributes.iloc[0]
        right = count(most["correct"], "right link")
        if not most["correct"]:
            right = f"about {most['guessed']:.3g} right links if it draws among candidates,"
        by = "by rank alone" if self.found.attributes["residual"].notna().all() else "by distance"
        return (
            f"Most is given away by {most['attributes']} ({right} {by}); "
            f"{least['attribute']} was masked least."
        )

    def to_frame(self) -> pd.DataFrame:
        """The sets of columns, those that give most away first."""
        return self.sets.copy()

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        return _html.result("\n".join(self.sentences), self.found.to_frame(), self.sets)


def say_draw(found: CorrectLinks) -> str:
    """Say how many more links are right where one of several candidates is drawn, if any."""
    drawn = found.guessed - found.count
    return f", and about {drawn:.3g} more if it draws among candidates" if drawn >= HALF else ""


def exposure(
    data: Microdata,
    release: TableRelease,
    key: Key,
    *,
    attributes: Sequence[str] | None = None,
) -> Exposure:
    """Count what the strongest attack finds, and which columns give most away.

    Parameters
    ----------
    data, release, key
        The original, what is to be published, and which row came from which record.
    attributes
        What to link by; by default all attributes in both tables.

    Returns
    -------
    Exposure
        Correct links beside luck, columns and sets of columns, and whether the method itself can
        be undone.

    Raises
    ------
    RecordError, SchemaError
        If the tables, the key and the attributes do not fit each other.

    References
    ----------
    [DM]_ section 5.1 and Note 1

    Notes
    -----
    Sets of columns are all of up to four columns, and else single ones and all but one; they are
    compared by the paper's attack, which is quick. All attacks take seconds for some thousand
    records.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=1)
    >>> exposure(data, *vk.mask.rank_swap(data, percent=40, seed=2)).found.count
    200
    """
    links = link(data, release, attack="strongest", attributes=attributes)
    found = correct_links(links, key)
    most = len(links.attributes)
    sizes = range(1, most + 1) if most <= MAX_COLUMNS_FOR_ALL_SETS else (1, most - 1, most)
    sets = [part for size in sizes for part in combinations(links.attributes, size)]
    by_set = {part: link(data, release, attributes=part) for part in sets}
    best = (links.attempts or {}).get(found.attack, links)
    return Exposure(
        found, correct_by_subset(by_set, key), _list_candidates(best, key), _warn_of_pairs(found)
    )


def count_strongest_links(
    data: Microdata, release: TableRelease, key: Key, attributes: Sequence[str]
) -> Exposure:
    """Count right links only: of the strongest attack, or of many records by ranks alone."""
    attack: Attack = "strongest" if len(data) <= MAX_STRONGEST else "maximum_rank"
    found = correct_links(link(data, release, attack=attack, attributes=attributes), key)
    return Exposure(found, pd.DataFrame(), pd.DataFrame(), _warn_of_pairs(found))


def _warn_of_pairs(found: CorrectLinks) -> str:
    if "undo_pairs" not in found.attempts:
        return ""
    return UNDONE if 2 * found.attempts["undo_pairs"] > found.records else MAY_BE


def _list_candidates(links: Links, key: Key) -> pd.DataFrame:
    """The candidates of each record, and whether her own row is one of them."""
    own = np.bincount(links.records, links.rows == key.rows[links.records], len(links)) > 0
    counts = links.counts
    state = np.select([counts == 0, own & (counts == 1), own], range(3), 3)
    order = np.lexsort((np.arange(len(links)), counts, np.array([3, 0, 1, 2])[state]))
    named = []
    for rows in np.split(links.rows + 1, links.starts[1:-1]):
        more = len(rows) - MAX_ROWS_NAMED
        first = ", ".join(map(str, rows[:MAX_ROWS_NAMED]))
        named.append(f"{first} and {more:,} more" if more > 0 else first)
    own_row = np.array(OWN, object)[state]
    lines = {
        "record": order + 1,
        "candidates": counts[order],
        "rows": np.array(named, object)[order],
    }
    return pd.DataFrame({**lines, "own": own_row[order]})


def reporting(data: Microdata, release: TableRelease, *, seed: int) -> TableRelease:
    """Write into a release how many links the strongest attack gets right with a fresh seed.

    The best of several trials has fewer right links than the method gives on average. So the
    published method is run once more, with a seed that had no part in choosing it, and the links
    in that table are counted, beside the number that luck gives the best of the attacks run.

    Parameters
    ----------
    data
        The original.
    release
        What is to be published, with its method and parameters.
    seed
        A secret seed that was not used in any trial.

    Returns
    -------
    TableRelease
        The same release with its ``reported_links`` and ``reported_luck``, and the columns that
        were not compared, ``reported_without``.

    Raises
    ------
    InfeasibleError
        If the method cannot be repeated from what the release publishes.

    References
    ----------
    [DM]_ section 5.2 asks that the release be checked before it is published.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=1)
    >>> release, key = vk.mask.rank_swap(data, percent=40, seed=2)
    >>> reporting(data, release, seed=3).reported_links
    200
    """
    found = count_again(data, release, seed=seed)
    left, luck = found.not_compared, round(found.luck, 2)
    return release.reporting(int(found.guessed + 1e-9), luck=luck, without=left)


def count_again(data: Microdata, release: TableRelease, *, seed: int) -> CorrectLinks:
    """Count the right links of the strongest attack in a table made anew by the same method."""
    repeat = make_repeat(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; count the links of this release and use its own reporting instead."
        )
    again, key = repeat(data, checked_seed(seed))
    links = link(data, cast("TableRelease", again), attack="strongest")
    return correct_links(links, key)


MIN_RECORDS = 20
ANEW = (
    "Half of the people were masked anew by the published method; the other half, who are not in "
    "that table, are the others."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Baselines(Plotted):
    """Membership and the inference of each attribute, each beside its control.

    Parameters
    ----------
    membership
        Whether people can be told to be in the table.
    inference
        Of each attribute, whether it can be guessed from the others.
    note
        Who was attacked.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=1)
    >>> found = baselines(data, vk.mask.noise(data, scale=1, seed=2).release)
    >>> [part.secret for part in found.inference]
    ['X1', 'X2', 'X3']
    """

    membership: Baseline
    inference: tuple[Baseline, ...]
    note: str = ANEW

    @property
    def all(self) -> tuple[Baseline, ...]:
        """Membership first, then the attributes."""
        return (self.membership, *self.inference)

    def to_frame(self) -> pd.DataFrame:
        """One line an attack: the shares on whom it succeeds, and the risk with its interval."""
        names = ("attack", "secret", "found", "control", "naive", "risk")
        lines = [(*(getattr(part, name) for name in names), *part.interval) for part in self.all]
        return pd.DataFrame(lines, columns=[*names, "low", "high"])

    def __repr__(self) -> str:
        return "\n".join([*map(repr, self.all), self.note])

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame())


def baselines(
    data: Microdata, release: TableRelease, *, attributes: Sequence[str] | None = None
) -> Baselines:
    """Attack a table made anew from half of the people, with the other half as control.

    Parameters
    ----------
    data, release
        The original, and a release whose method can be repeated.
    attributes
        What to go by; by default all attributes with an order in both tables.

    Returns
    -------
    Baselines
        Membership, and the inference of each attribute from the others.

    Raises
    ------
    InfeasibleError
        If the method cannot be repeated, or there are fewer than 20 people.
    RecordError, SchemaError
        As `verikit.intruder.membership` raises them.

    References
    ----------
    [DM]_ section 5.2 asks that the release be checked before it is published.

    Notes
    -----
    The halves are drawn with a fixed seed, whatever the order of the records. Where people outside
    the table are known, `verikit.intruder.membership` and `attribute_inference` take them as their
    control.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=1)
    >>> release = vk.mask.rank_swap(data, percent=1, seed=2).release
    >>> baselines(data, release).membership.works
    True
    """
    repeat = make_repeat(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; give people who are not in the table to intruder.membership instead."
        )
    if len(data) < MIN_RECORDS:
        raise InfeasibleError(
            f"The original has {len(data)} records; halves of fewer than {MIN_RECORDS} tell "
            "nothing."
        )
    order = data.canonical_order()[generator(0).permutation(len(data))]
    inside, outside = data.take(order[: len(data) // 2]), data.take(order[len(data) // 2 :])
    try:
        again = cast("TableRelease", repeat(inside, 0).release)
    except VerikitError as error:
        raise InfeasibleError(
            f"The published method cannot be repeated on half of the records: {error}"
        ) from error
    told = membership(inside, again, control=outside, attributes=attributes)
    shared = [
        column.name
        for column in data.schema
        if distance_of(column) == "ranks" and column.name in release.schema.names
    ]
    names = shared if attributes is None else list(attributes)
    known = {name: [other for other in names if other != name] for name in names}
    guessed = [
        attribute_inference(inside, again, secret=name, control=outside, known=others)
        for name, others in known.items()
        if others
    ]
    return Baselines(told, tuple(guessed))
