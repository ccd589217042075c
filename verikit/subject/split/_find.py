"""The groups of a release in two tables that a person fits, and what they say of her."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit.languages import spoken_language
from verikit.matching import Alignment, Contents, Fit, find_known_values, is_absent, printed_chance
from verikit.release import SplitRelease
from verikit.subject._answer import say_condition
from verikit.subject._guess import Guess
from verikit.subject._known import Given
from verikit.table import Column
from verikit.words import text


@dataclass(frozen=True, slots=True, eq=False)
class GroupGuess(Guess):
    """What the groups that fit say of one sensitive column, beside a formula in print.

    Parameters
    ----------
    printed
        By value what formula (1) of the paper gives.
    """

    printed: Floats


@dataclass(frozen=True, slots=True, eq=False)
class GroupFits(Given):
    """The values she gave, the groups that fit them, and how likely it is that she is there.

    Parameters
    ----------
    release
        What was published.
    known
        The quasi-identifiers she gave.
    fit
        The groups.
    guesses
        What they say of each sensitive column.
    presence
        The chance that some record of the data has her values.
    lemma
        The chance that one given row does, at most over the groups.
    sure
        From which chance on a guess is a warning.
    """

    release: SplitRelease
    known: Mapping[str, Any]
    alignment: Alignment
    fit: Fit
    guesses: tuple[GroupGuess, ...]
    presence: float
    lemma: float
    sure: float = 0.9

    @property
    def certain(self) -> bool:
        """Whether the values of a group are promised to be those of its people."""
        return self.release.promise in {"as it was", "covers", "another order"}

    @property
    def people(self) -> int:
        """How many people are in the groups that fit."""
        return int(self.release.sizes[self.fit.groups].sum())


def find_group_fits(
    record: Mapping[str, Any], release: SplitRelease, sure: float = 0.9
) -> GroupFits:
    """Find the groups that a person fits; O(n) for each column she gives."""
    known = find_known_values(record, release.schema)
    for name, value in known.items():
        column = release.schema[name]
        if column.kind == "numeric" or column.categories is not None:
            column.score(value)  # refuses what cannot be a value of the column
    alignment = Alignment(release, list(known))
    fit = alignment.fit(known)
    guesses = tuple(
        _guess_column(release, column, alignment, fit, record.get(column.name))
        for column in release.schema.sensitive
    )
    presence, lemma = alignment.presence(fit), alignment.lemma(fit)
    return GroupFits(release, known, alignment, fit, guesses, presence, lemma, sure)


def _guess_column(
    release: SplitRelease, column: Column, alignment: Alignment, fit: Fit, own: Any
) -> GroupGuess:
    contents = Contents(release, column.name)
    counts = np.bincount(contents.places, contents.counts, minlength=len(contents.values))
    groups = fit.groups.tolist()
    distinct = [alignment.distinct(group) if release.permuted else [] for group in groups]
    pairs = zip(release.sizes[fit.groups].tolist(), distinct, strict=True)
    scales = np.array([printed_chance(1, size, several) for size, several in pairs])
    printed = contents.added(fit, fit.weights * scales, np.ones(len(groups)))
    return GroupGuess(
        column,
        (*contents.values[:-1], spoken_language().words["missing"]),
        contents.chances(fit),
        counts / max(len(release), 1),
        None if is_absent(own) else text(own),
        printed,
    )


def tables(fits: GroupFits) -> Mapping[str, pd.DataFrame]:
    """The groups that fit, and the sensitive values that may be hers."""
    return {"groups": _list_groups(fits), "values": _list_values(fits)}


def facts(fits: GroupFits) -> dict[str, Any]:
    """How many groups and people fit, and the two chances that she is shown to be there."""
    return {
        "groups": len(fits.fit.groups),
        "people": fits.people,
        "presence": fits.presence,
        "lemma": fits.lemma,
        "sure": fits.sure,
        "rests": say_condition("links"),
    }


def _list_groups(fits: GroupFits) -> pd.DataFrame:
    """One line a group that fits: its people, how many rows show her values, its weight."""
    fit = fits.fit
    frame = pd.DataFrame(
        {
            "group": fits.release.labels.names[fit.groups],
            "people": fits.release.sizes[fit.groups],
            "rows like yours": fit.copies,
            "of 100 cases yours": 100 * fit.weights,
        }
    )
    return frame.sort_values(
        "of 100 cases yours", ascending=False, kind="stable", ignore_index=True
    )


def _list_values(fits: GroupFits) -> pd.DataFrame:
    """One line a sensitive value that may be hers: its chances, the likeliest first."""
    lines = [
        {
            "attribute": guess.column.name,
            "value": guess.column.shown(guess.values[place]),
            "of 100 here": 100 * guess.here[place],
            "of 100 everywhere": 100 * guess.everywhere[place],
            "formula in print": 100 * guess.printed[place],
        }
        for guess in fits.guesses
        for place in np.argsort(-guess.here, kind="stable")[: guess.possible]
    ]
    columns = ["attribute", "value", "of 100 here", "of 100 everywhere", "formula in print"]
    return pd.DataFrame(lines, columns=columns)
