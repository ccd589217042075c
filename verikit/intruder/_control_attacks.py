"""Measure attacks beside a control group: membership and attribute inference."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from verikit._support import html as _html
from verikit._support import requests
from verikit._support.arrays import Floats
from verikit._support.plotted import Plotted
from verikit.errors import RecordError, SchemaError, quoted
from verikit.intruder._ranked_tables import compare_release, require_scores
from verikit.ranks import Matches
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import count, listed, share, text

Z = 1.959963984540054
SUCCEEDS = {
    "membership": "Those who lie closest to the table are said to be in it,",
    "singling out": "A row of the table fits one person and nobody else for",
    "linkability": "Who has every other column in one list and the rest in another joins them for",
    "inference": "Who knows the other columns guesses {secret} rightly for",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Baseline(Plotted):
    """How often an attack succeeds on people of the table, on others, and without the table.

    What it finds out of others, who are not in the table, follows from what the table says of
    people in general. Only what it finds out beyond that of those who are in it is a risk of
    having been in it.

    Parameters
    ----------
    attack
        ``"membership"``, ``"singling out"``, ``"linkability"``, or ``"inference"`` of an attribute.
    secret
        The attribute that is found out; empty for the others.
    people, others
        How many people of the table, and how many others, were attacked.
    found, control
        The share of both on whom the attack succeeds.
    naive
        The share on whom a guess succeeds that looks at nothing of the person.
    pairs
        For membership, the share of pairs of a person of the table and another of whom the first
        lies closer to it, equals counted half; None for the others.
    least
        Of how many people at least it succeeds because they were in it, wrong for 1 of 100 tables
        at most; None where it is not counted.
    whose
        What the people are called.

    Examples
    --------
    >>> found = Baseline("membership", "", 100, 100, found=0.9, control=0.5, naive=0.7)
    >>> round(found.risk, 2), found.works
    (0.8, True)
    """

    attack: str
    secret: str
    people: int
    others: int
    found: float
    control: float
    naive: float
    pairs: float | None = None
    least: int | None = None
    whose: str = "people of the table"

    @property
    def risk(self) -> float:
        """What is found out beyond the control, as a share of what the control leaves open."""
        if self.control >= 1:
            return 0.0
        return max(0.0, (self.found - self.control) / (1 - self.control))

    @property
    def interval(self) -> tuple[float, float]:
        """The risk from Wilson intervals of both shares (95 %), their errors carried on."""
        (found, half), (control, other) = (
            find_wilson_interval(self.found, self.people),
            find_wilson_interval(self.control, self.others),
        )
        open_ = 1 - control
        error = np.hypot(half / open_, other * (1 - found) / open_**2)
        middle = (found - control) / open_
        return float(np.clip(middle - error, 0, 1)), float(np.clip(middle + error, 0, 1))

    @property
    def works(self) -> bool:
        """Whether the attack does better than the naive guess, beyond chance."""
        middle, half = find_wilson_interval(self.found, self.people)
        return middle - half > self.naive

    @property
    def more_than_control(self) -> bool:
        """Whether being in the table made a difference, beyond chance."""
        return self.interval[0] > 0 if self.least is None else self.least > 0

    @property
    def sentences(self) -> list[str]:
        """What was measured, and what follows from it."""
        low, high = self.interval
        said = SUCCEEDS[self.attack].format(secret=self.secret)
        measured = (
            f"{said} {share(self.found)} {self.whose} and {share(self.control)} others; "
            f"a naive guess for {share(self.naive)}."
        )
        if self.least:
            because = "of them because the model learned from them, if people and others are alike"
            return [measured, f"At least {self.least:,} {because} but for that."]
        if not self.works:
            return [measured, "The attack is no better than a naive guess and shows nothing."]
        if not self.more_than_control:
            why = "Being in the table" if self.least is None else "What the model learned of them"
            return [measured, f"{why} made no difference that can be told from chance."]
        beyond = (
            f"Of 100 people on whom it would have failed had they not been in the table, it "
            f"succeeds on {100 * self.risk:.0f} (from {100 * low:.0f} to {100 * high:.0f})."
        )
        return [measured, beyond]

    def __repr__(self) -> str:
        of = f"{self.attack} of {self.secret}" if self.secret else self.attack
        who = f"{count(self.people, 'person', 'people')}, {count(self.others, 'other')}"
        return f"{of} ({who}): " + " ".join(self.sentences)

    def _repr_html_(self) -> str:
        return _html.result(repr(self))


def find_wilson_interval(part: float, n: int) -> tuple[float, float]:
    """Find the middle of the Wilson interval of a share (95 %), and half its length.

    Examples
    --------
    >>> middle, half = find_wilson_interval(0.3, 20)
    >>> round(middle - half, 2), round(middle + half, 2)
    (0.15, 0.52)
    """
    z = Z**2 / n
    half = Z / (1 + z) * np.sqrt(part * (1 - part) / n + z / (4 * n))
    return float((part + z / 2) / (1 + z)), float(half)


def membership(
    data: Microdata,
    release: TableRelease,
    *,
    control: Microdata,
    attributes: Sequence[str] | None = None,
) -> Baseline:
    """Tell people of a masked table from others by how close they lie to it.

    Of all people asked, as many as are in the table are said to be in it: those who lie closest
    to one of its rows, and whoever lies as close as the last of them.

    Parameters
    ----------
    data, release
        People of the table, and the table.
    control
        People of the same population who are not in it.
    attributes
        What to go by; by default all attributes that all of them hold.

    Returns
    -------
    Baseline
        The share of both who are said to be in the table. The naive guess says so of as many, by
        lot.

    Raises
    ------
    SchemaError
        If the tables share no such attribute, there are no people, or values are missing.
    RecordError
        If an attribute is unknown.

    References
    ----------
    [DM]_ Algorithm 3, for the distance of a person to a table

    M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying Privacy
    Risk in Synthetic Data. Proceedings on Privacy Enhancing Technologies 2023(2), for the attack
    beside its control and a naive guess

    Notes
    -----
    A baseline: whoever repeats the method of a release tells more. It says nothing of one person.
    O(n log n) an attribute, and one search in a k-d tree for each person.

    Examples
    --------
    Published as it is, a table holds everybody in it at no distance at all.

    >>> import verikit as vk
    >>> some, others = (vk.simulate("dm", 300, seed=seed) for seed in (1, 2))
    >>> found = membership(some, vk.TableRelease.of(some.frame), control=others)
    >>> found.found, found.control, found.more_than_control
    (1.0, 0.0, True)
    """
    table = compare_release((data, release, control), attributes, "membership")
    inside = table.locate(data, "original").measure_distances()
    outside = table.locate(control, "control").measure_distances()
    limit = np.sort(np.concatenate([inside, outside]))[len(inside) - 1]
    said, wrongly = int((inside <= limit).sum()), int((outside <= limit).sum())
    ordered = np.sort(outside)
    farther = len(ordered) - np.searchsorted(ordered, inside, "right")
    as_far = np.searchsorted(ordered, inside, "right") - np.searchsorted(ordered, inside, "left")
    return Baseline(
        "membership",
        "",
        people=len(inside),
        others=len(outside),
        found=said / len(inside),
        control=wrongly / len(outside),
        naive=(said + wrongly) / (len(inside) + len(outside)),
        pairs=float((farther + as_far / 2).mean() / len(ordered)),
    )


def attribute_inference(
    data: Microdata,
    release: TableRelease,
    *,
    secret: str,
    control: Microdata,
    known: Sequence[str] | None = None,
    tolerance: float = 0.05,
) -> Baseline:
    """Guess an attribute of people from the released rows that are closest to what is known.

    Parameters
    ----------
    data, release
        People of the table, and the table.
    secret
        The attribute that is guessed: the value that the closest row shows, any of several that
        are equally close.
    control
        People of the same population who are not in the table.
    known
        What the intruder knows; by default all other attributes that all of them hold.
    tolerance
        A number counts as guessed where it is within this share of all places of the true one in
        the released column; a category where it is the same.

    Returns
    -------
    Baseline
        The share of both guessed rightly. The naive guess takes the value of a released row by lot.

    Raises
    ------
    SchemaError
        If nothing is known, there are no people, or values are missing.
    RecordError
        If an attribute is unknown, the secret one is known, or the tolerance is no share.

    References
    ----------
    [DM]_ Algorithm 3, for the rows closest to a person

    M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying Privacy
    Risk in Synthetic Data. Proceedings on Privacy Enhancing Technologies 2023(2), for the attack
    beside its control and a naive guess

    Notes
    -----
    There a number may be off by a share of itself; places suit columns of any scale. That others
    are guessed as well means that the columns hang together, which is what tables are published
    for. O(n log n) an attribute, and one search in a k-d tree for each person.

    Examples
    --------
    Published as it is, a table shows the third value of whoever fits the other two exactly.

    >>> import verikit as vk
    >>> some, others = (vk.simulate("dm", 300, seed=seed) for seed in (1, 2))
    >>> release = vk.TableRelease.of(some.frame)
    >>> found = attribute_inference(some, release, secret="X3", control=others)
    >>> found.found, round(found.naive, 1), found.more_than_control
    (1.0, 0.1, True)
    """
    tolerance = requests.share(tolerance, "tolerance")
    requests.instance(secret, str, "attribute_inference", "the name of the secret attribute")
    if isinstance(known, Collection) and secret in [*known]:
        raise RecordError(f"{quoted(secret)} is known; name another attribute as the secret one.")
    table = compare_release((data, release, control), known, "attribute_inference", secret)
    for part, where in ((data, "original"), (control, "control"), (release, "release")):
        if secret not in part.schema.names:
            raise RecordError(
                f"The secret attribute was given as {quoted(secret)}; the {where} has "
                f"{listed(part.schema.names, 12)}."
            )
    hers = _find_secret(data, "original", release, secret, tolerance)
    others = _find_secret(control, "control", release, secret, tolerance)
    return Baseline(
        "inference",
        secret,
        people=len(data),
        others=len(control),
        found=hers.share_guessed(table.locate(data, "original").list_matches()),
        control=others.share_guessed(table.locate(control, "control").list_matches()),
        naive=hers.by_lot(),
    )


class _Secret(NamedTuple):
    """The secret values of people and of released rows as places; right within a reach."""

    own: Floats
    shown: Floats
    reach: float

    def share_guessed(self, close: Matches) -> float:
        """Find the share of people whose value their closest rows show; of several rows, by lot."""
        off = np.abs(np.repeat(self.own, close.counts) - self.shown[close.rows])
        right = np.add.reduceat((off <= self.reach).astype(float), close.starts[:-1])
        return float((right / close.counts).mean())

    def by_lot(self) -> float:
        """Find the share of people whose value a row taken by lot shows."""
        ordered = np.sort(self.shown)
        most = np.searchsorted(ordered, self.own + self.reach, "right")
        least = np.searchsorted(ordered, self.own - self.reach, "left")
        return float((most - least).mean() / len(ordered))


def _find_secret(
    people: Microdata, where: str, release: TableRelease, name: str, tolerance: float
) -> _Secret:
    if people.schema[name].kind == "numeric" and release.schema[name].kind == "numeric":
        values = require_scores(people, name, where), require_scores(release, name, "release")
        ordered = np.sort(values[1])
        own, shown = (  # the places of values, in the middle of those that are equal
            np.mean([np.searchsorted(ordered, part, end) for end in ("left", "right")], axis=0)
            for part in values
        )
        return _Secret(own, shown, tolerance * len(ordered))
    missing = int(people.frame[name].isna().sum())
    if missing:
        raise SchemaError(
            f"Column {quoted(name)} of the {where} has {count(missing, 'missing value')}, of "
            "which no guess is right or wrong; leave these people out."
        )
    codes: dict[str, int] = {}
    own, shown = (
        np.array([codes.setdefault(text(value), len(codes)) for value in part.frame[name]], float)
        for part in (people, release)
    )
    return _Secret(own, shown, reach=0)
