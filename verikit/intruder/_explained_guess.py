"""Explain the guess about one person: what each known value speaks for among her group's values."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from verikit._support.plotted import Framed, Plotted
from verikit._support.requests import whole
from verikit.errors import SchemaError
from verikit.intruder._learned_values import LearnedValues
from verikit.words import chance as cases
from verikit.words import count, joined, text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExplainedGuess(Framed, Plotted):
    """How a guess about one person came about.

    Parameters
    ----------
    values
        By value that her group shows: its chance by the group alone, by what was learned taken at
        its word, and how much of that other groups bear out.
    times
        By the same value, for each known column: how many times likelier what is known of her is
        with this value than among all; 1 where it speaks for nothing.
    others
        What somebody guesses who learned from other people only and does not know her group.
    rounds
        How often tables and chances were worked out from each other.
    strength
        The power to which the tables were taken.
    """

    values: pd.DataFrame
    times: pd.DataFrame
    others: str
    rounds: int
    strength: float

    @property
    def means(self) -> str:
        """What is guessed, and what the group alone says."""
        by_group, learned = self.values["by group"], self.values["learned"]
        likeliest = [name for name, part in by_group.items() if part >= by_group.max() - 1e-9]
        each = "each of " if len(likeliest) > 1 else ""
        alone = (
            f"y the group alone {each}{joined(likeliest)} is right {cases(by_group.max())}, if "
            "each value is equally likely for everyone in it"
        )
        if not self.rounds:
            return f"B{alone}."
        turns = f"After {count(self.rounds, 'round')} of learning the guess is {learned.idxmax()}"
        return f"{turns}; b{alone}."

    @property
    def why(self) -> str:
        """How far other groups bear the guess out, and what others guess."""
        best = self.values.loc[self.values["learned"].idxmax()]
        rests = "No other group bears out what was learned, so it counts for nothing"
        if not self.rounds:
            rests = "Nothing was learned yet"
        elif self.strength:
            rests = (
                f"Taken at its word it is right {cases(best['learned'])}; groups from which was "
                f"not learned bear that out {cases(best['borne out'])} at least"
            )
        others = f"Who learned from other people only, and knows no group, guesses {self.others}."
        return f"{rests}. {others}"

    def __repr__(self) -> str:
        return f"explained guess: {self.means} {self.why}"

    def to_frame(self) -> pd.DataFrame:
        """One line for each value of her group: both chances, then what each known value says."""
        return pd.concat([self.values, self.times], axis=1).rename_axis("value").reset_index()


def explain_guess(found: LearnedValues, person: int) -> ExplainedGuess:
    """Explain the guess about one person: what each of her known values speaks for.

    Parameters
    ----------
    found
        What `learned_values` found.
    person
        Her place among its people, counted from 0.

    Returns
    -------
    ExplainedGuess
        For each value of her group its chances, and how many times likelier each known value is
        with it.

    Raises
    ------
    SchemaError
        If anything but learned values is given, or no group fits her.
    RecordError
        If the person is not one of them.

    References
    ----------
    [LHCC]_ section 5

    Examples
    --------
    >>> import verikit as vk
    >>> frame = vk.simulate("census", 400, seed=1).frame[["Age", "Education", "Gender", "Marital"]]
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, Marital="sensitive"))
    >>> groups = vk.partition.anatomy(data, ell=2, seed=1)
    >>> release = vk.mask.anatomize(data, partition=groups, seed=1).release
    >>> explain_guess(vk.intruder.learned_values(release, rounds=0), 0).values.sum().tolist()
    [1.0, 1.0, 1.0]
    """
    if not isinstance(found, LearnedValues):
        raise SchemaError(
            f"explain_guess was given {type(found).__name__}; expected what "
            "intruder.learned_values finds."
        )
    place = whole(person, "person", least=0, most=len(found) - 1)
    beliefs = found.beliefs
    hers = (beliefs.person == place) & (beliefs.value < len(found.values) - 1)  # none is missing
    if not hers.any():
        raise SchemaError(f"No group with a value fits person {place}, so nothing is guessed.")
    names = [found.values[at] for at in beliefs.value[hers]]
    parts = (beliefs.by_group, beliefs.learned, beliefs.chance)
    chances = {
        name: part[hers]
        for name, part in zip(("by group", "learned", "borne out"), parts, strict=True)
    }
    times = pd.DataFrame(1.0, names, [])
    for name, table in found.tables.items():
        line, said = int(found.lines[name][place]), text(found.people[name].iloc[place])
        band = text(table.index[line]) if line >= 0 else said
        times[f"{name} {said}" + (f" in {band}" if band != said else "")] = (
            table.iloc[line].reindex(names).fillna(1.0) if line >= 0 else 1.0
        )
    return ExplainedGuess(
        pd.DataFrame(chances, pd.Index(names)),
        times,
        text(found.others[place]),
        found.rounds,
        found.strength,
    )
