"""Count the sensitive values that are guessed rightly from a table published by groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.plotted import Framed
from verikit._support.requests import instance
from verikit.errors import RecordError, SchemaError
from verikit.intruder import learned_values, repeated_partition
from verikit.matching import count_values_left, find_exchangeable
from verikit.release import Key, Ledger, SplitRelease, by_groups, find_groups
from verikit.table import Microdata, as_microdata
from verikit.words import count, share, text

SURE = 0.9
ROUNDED = (
    "Shares that need the original are rounded to 5 of 100, and lie from 5 to 95, so that nobody "
    "learns from them that all of his guesses are right."
)
OPEN = "A better learner, or one who knows more, may guess more values than were counted here."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GuessedValues(Framed):
    """How many people's sensitive value is guessed rightly, and how each guess was made.

    Parameters
    ----------
    title
        The sensitive column, and in how many bands its numbers were guessed where there are many.
    people
        How many people are in the table.
    by_group
        For how many the likeliest value of her group is right, as its shares alone let one expect.
    by_learning
        For how many the guess is right that the whole table teaches, her group known.
    by_others
        For how many the guess of somebody is right who learned from the groups of others only and
        does not know hers.
    sure, sure_right
        How many are told a chance of at least .9 by learning, and for how many of these it is
        right.
    control, control_right
        How many people who are not in the table were asked about, and for how many the guess of
        who learned from it is right; None where nobody was.
    repeated
        For how many the method, repeated, leaves one value where the group shows several; None
        where it cannot be repeated.
    repeated_rests
        What that rests on, or why there is none.
    before
        For how many one value is left by this and what was published before, where their group
        shows several; None where nothing was.
    before_exact
        Whether each other person's value was found to be another one in some world.
    rounded
        Whether counts that need the original are rounded, as `round` does.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> groups = vk.partition.anatomy(data, ell=4, seed=1)
    >>> found = guessed_values(data, *vk.mask.anatomize(data, partition=groups, seed=1))
    >>> found.people, round(found.by_group, 2), found.repeated
    (9, 2.0, 0)
    """

    title: str
    people: int
    by_group: float
    by_learning: float
    by_others: float
    sure: int
    sure_right: float
    control: int | None
    control_right: float | None
    repeated: int | None
    repeated_rests: str
    before: int | None
    before_exact: bool = False
    rounded: bool = False

    @property
    def beyond(self) -> float:
        """The share of people guessed rightly from the release beyond what others teach.

        The better of the guesses by the group and by learning counts.
        """
        best = max(self.by_group, self.by_learning)
        return max(best - self.by_others, 0.0) / max(self.people, 1)

    def share_guessed(self, guess: str) -> float:
        """Of how many people a value is guessed rightly, above those of a control group if asked.

        ``guess`` is ``"group"``, ``"learning"`` or ``"above control"``, as of a goal.
        """
        if guess == "group":
            return self.by_group / self.people
        of_others = (self.control_right or 0.0) / (self.control or 1)
        return self.by_learning / self.people - of_others * (guess == "above control")

    @property
    def sentences(self) -> list[str]:
        """What was counted, in words, and what each count rests on."""
        told = "nobody is told a chance of at least 90 of 100"
        if self.sure:
            right = self._say(self.sure_right, self.sure).removesuffix(f" of {self.sure:,}")
            told = f"of {self.sure:,} who are told at least 90 of 100, {right} are right"
        by_group = (
            f"By the group alone {self.title} is guessed rightly for {self.by_group:,.0f} of "
            f"{count(self.people, 'person', 'people')}, if within a group each value is equally "
            "likely for everyone."
        )
        learned = (
            f"By learning from the whole table, her group known, {self._say(self.by_learning)} "
            f"guesses are right; {told}."
        )
        others = (
            "By learning from the groups of others, hers not known, "
            f"{self._say(self.by_others)} are: this the table tells of people like her, with her "
            "or without."
        )
        added = f"By these counts her own record adds {share(self.beyond)} right guesses."
        said = [by_group, learned, others, added]
        if self.control is not None and self.control_right is not None:
            said.append(
                f"Of {count(self.control, 'person', 'people')} who are not in the table, "
                f"{self._say(self.control_right, self.control)} are guessed rightly by who learned "
                "from it."
            )
        if self.repeated is None:
            said.append(f"The method was not repeated: {self.repeated_rests}")
        else:
            said.append(
                f"By repeating the method one value is certain for {self.repeated:,} whose group "
                f"shows several; {self.repeated_rests}."
            )
        if self.before is not None:
            said.append(
                f"With what was published before, one value is certain for {self.before:,}"
                f"{'' if self.before_exact else ' at least'} whose group shows several, if each "
                "person's group is known in every release."
            )
        return [*said, *([ROUNDED] if self.rounded else []), OPEN]

    def _say(self, right: float, of: int | None = None) -> str:
        whole = self.people if of is None else of
        return f"about {share(right / whole)}" if self.rounded else f"{right:,.0f} of {whole:,}"

    def round(self) -> GuessedValues:
        """Round what needs the original to twentieths, and never to all or none, for everybody.

        Who is told that each of his guesses is right, knows every value that he guessed.
        """
        return replace(
            self,
            by_learning=_round_off(self.by_learning, self.people),
            by_others=_round_off(self.by_others, self.people),
            sure_right=_round_off(self.sure_right, self.sure),
            control_right=_round_off(self.control_right or 0, self.control or 0)
            if self.control
            else None,
            rounded=True,
        )

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def to_frame(self) -> pd.DataFrame:
        """Find how many are guessed rightly, one line a way to guess."""
        least = "" if self.before_exact else ", at least"
        lines: list[tuple[str, float | None, int | None]] = [
            ("by the group alone", self.by_group, self.people),
            ("by learning from the table", self.by_learning, self.people),
            ("told at least .9 by learning", self.sure_right, self.sure),
            ("by learning from others", self.by_others, self.people),
            ("people who are not in the table", self.control_right, self.control),
            ("certain by repeating the method", self.repeated, self.people),
            (f"certain with what was published before{least}", self.before, self.people),
        ]
        found = pd.DataFrame(lines, columns=["guess", "right", "of"])
        return found[found["right"].notna()].reset_index(drop=True)

    @property
    def facts(self) -> dict[str, Any]:
        """The same for programs; nothing of single people."""
        names = [name for name in self.__slots__ if not name.startswith("_")]
        return {name: getattr(self, name) for name in names} | {"beyond": self.beyond}


def guessed_values(
    data: Microdata,
    release: SplitRelease,
    key: Key,
    *,
    control: Microdata | None = None,
    ledger: Ledger | None = None,
    sensitive: str | None = None,
) -> GuessedValues:
    """Count the people whose sensitive value is guessed rightly from a release by groups.

    A right guess is not yet a breach: what is guessed as rightly by somebody who learned from
    others only, the table tells of people like her whether she is in it or not. So the guesses by
    her group and by learning stand beside his.

    Parameters
    ----------
    data, release, key
        The original, what is to be published by groups, and which row came from which record.
    control
        People who are not in the table, with the same columns.
    ledger
        What was published of these people before.
    sensitive
        The sensitive column; needed only if several are.

    Returns
    -------
    GuessedValues
        How many values are guessed rightly in each way, and what each rests on.

    Raises
    ------
    SchemaError
        If the release is not by groups, or nothing can be learned from it.
    RecordError
        If the key is not of these records.

    References
    ----------
    [LHCC]_ section 5 names the attack that learns; [QZ]_ section 2.4 the one that repeats

    Notes
    -----
    To count them side by side is our own. Values of many numbers are guessed in bands. What
    `verikit.intruder.learned_values` and `repeated_partition` say of themselves holds here too.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> groups = vk.partition.anatomy(data, ell=4, seed=1)
    >>> guessed_values(data, *vk.mask.anatomize(data, partition=groups, seed=1)).by_learning
    2
    """
    data = as_microdata(data, "guessed_values")
    instance(key, Key, "guessed_values", "the Key that a mask gave with this release")
    if not by_groups(release):
        raise SchemaError(
            f"guessed_values was given {type(release).__name__}; expected a release by groups, as "
            "mask.anatomize and mask.permute_all make it."
        )
    if len(key) != len(data):
        raise RecordError(
            f"The key is of {len(key):,} records, and the data have {len(data):,}; give the key "
            "that was made with the release, and its original."
        )
    name = release.schema.find_sensitive(sensitive)
    labels, names = find_groups(release, key), release.labels.names
    found = learned_values(release, data, groups=names[labels].tolist(), sensitive=name)
    values = np.array([*found.values[:-1], None], object)
    truth = values[found.find_places(data.frame[name].tolist())]
    known = pd.notna(truth)
    right, sure = known & (found.guess == truth), found.chance >= SURE
    asked = control_right = None
    if control is not None:
        others = as_microdata(control, "guessed_values")
        # whose groups are asked for is of no account: he who learned from others knows none
        told = learned_values(release, others, groups=[names[0]] * len(others), sensitive=name)
        real = values[found.find_places(others.frame[name].tolist())]
        asked, control_right = len(others), int((pd.notna(real) & (told.others == real)).sum())
    try:
        again = repeated_partition(release)
        repeated, rests = again.certain, again.rests
    except SchemaError as error:
        repeated, rests = None, str(error)
    column, bands = release.schema[name], len(found.values) - 1
    banded = column.kind == "numeric" and bands < release.sensitive[name].nunique()
    return GuessedValues(
        f"{column.title} (in {bands} bands)" if banded else column.title,
        len(data),
        float(found.by_group.sum()),
        int(right.sum()),
        int((known & (found.others == truth)).sum()),
        int(sure.sum()),
        int((right & sure).sum()),
        asked,
        control_right,
        repeated,
        rests,
        *((None, False) if ledger is None else _count_certain(data, release, key, ledger, name)),
    )


def count_guesses(
    data: Microdata, release: Any, key: Key, control: Microdata | None, ledger: Ledger | None
) -> tuple[tuple[GuessedValues, ...], list[str]]:
    """Count the guesses of each sensitive column; or say why they cannot be counted."""
    try:
        names = [column.name for column in release.schema.sensitive]
        known: Any = {"control": control, "ledger": ledger}
        return tuple(guessed_values(data, release, key, sensitive=n, **known) for n in names), []
    except SchemaError as error:
        return (), [f"Values guessed rightly were not counted. {error}"]


def _round_off(right: float, of: int) -> float:
    return min(max(round(20 * right / max(of, 1)), 1), 19) / 20 * of


def _count_certain(
    data: Microdata, release: SplitRelease, key: Key, ledger: Ledger, name: str
) -> tuple[int | None, bool]:
    """For how many one value is left only together with what was before; whether for no others."""
    alone, every = (
        book.add(data, release, key).list_homes(data, name) for book in (Ledger(), ledger)
    )
    if len(every) == len(alone):
        return None, False
    one, left = count_values_left(alone), count_values_left(every)
    codes, values = pd.factorize(data.frame[name], use_na_sentinel=False)
    names = ["missing" if pd.isna(value) else text(value) for value in values]
    homes = [home for home, _ in every]
    settled = find_exchangeable(codes, homes) | (left == 1)
    exact = bool(settled.all()) and all(_may_hold(codes, names, *part) for part in every)
    return int(((one > 1) & (left == 1)).sum()), exact


def _may_hold(
    codes: Rows, values: list[str], home: Rows, held: Sequence[Mapping[str, int]]
) -> bool:
    """Whether groups hold each value as often at least as these people of theirs have it."""
    here = home >= 0
    pairs, many = np.unique(home[here] * len(values) + codes[here], return_counts=True)
    told = zip(pairs.tolist(), many.tolist(), strict=True)
    return all(n <= held[at // len(values)].get(values[at % len(values)], 0) for at, n in told)
