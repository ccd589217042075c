"""Attribute inference: a value that is not known, guessed from the rows closest to a person."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.requests import instance, share
from verikit.errors import RecordError, SchemaError, quoted
from verikit.intruder._baseline import Baseline
from verikit.intruder._located import located, scores
from verikit.ranks import Matches
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import count, listed, text

__all__ = ["attribute_inference"]


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
        What the intruder knows; by default all other attributes with an order that all of them
        hold.
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
    tolerance = share(tolerance, "tolerance")
    instance(secret, str, "attribute_inference", "the name of the secret attribute")
    if isinstance(known, Collection) and secret in [*known]:
        raise RecordError(f"{quoted(secret)} is known; name another attribute as the secret one.")
    table = located((data, release, control), known, "attribute_inference", without=secret)
    for part, where in ((data, "original"), (control, "control"), (release, "release")):
        if secret not in part.schema.names:
            raise RecordError(
                f"The secret attribute was given as {quoted(secret)}; the {where} has "
                f"{listed(part.schema.names, 12)}."
            )
    hers = _secret(data, "original", release, secret, tolerance)
    others = _secret(control, "control", release, secret, tolerance)
    return Baseline(
        "inference",
        secret,
        people=len(data),
        others=len(control),
        found=hers.guessed(table.matches(data, "original")),
        control=others.guessed(table.matches(control, "control")),
        naive=hers.by_lot(),
    )


class _Secret(NamedTuple):
    """The secret values of people and of released rows as places; right within a reach."""

    own: Floats
    shown: Floats
    reach: float

    def guessed(self, close: Matches) -> float:
        """The share of people whose value their closest rows show; of several rows, by lot."""
        off = np.abs(np.repeat(self.own, close.counts) - self.shown[close.rows])
        right = np.add.reduceat((off <= self.reach).astype(float), close.starts[:-1])
        return float((right / close.counts).mean())

    def by_lot(self) -> float:
        """The share of people whose value a row taken by lot shows."""
        ordered = np.sort(self.shown)
        most = np.searchsorted(ordered, self.own + self.reach, "right")
        least = np.searchsorted(ordered, self.own - self.reach, "left")
        return float((most - least).mean() / len(ordered))


def _secret(
    people: Microdata, where: str, release: TableRelease, name: str, tolerance: float
) -> _Secret:
    if people.schema[name].kind == "numeric" and release.schema[name].kind == "numeric":
        values = scores(people, name, where), scores(release, name, "release")
        ordered = np.sort(values[1])
        own, shown = (_places(ordered, part) for part in values)
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


def _places(ordered: Floats, values: Floats) -> Floats:
    """The places of values in a sorted column, in the middle of those that are equal."""
    ends = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return (ends[0] + ends[1]) / 2
