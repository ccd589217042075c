"""LearnedView: how the guess about one person grows, round by round, from the published table."""

from __future__ import annotations

from typing import Any

import numpy as np

from verikit._support.requests import whole
from verikit.datasets import simulate
from verikit.errors import SchemaError
from verikit.intruder import ExplainedGuess, LearnedValues, explain_guess, learned_values
from verikit.mask import anatomize
from verikit.partition import anatomy
from verikit.release import SplitRelease, by_groups
from verikit.table import Microdata, Schema, require_table
from verikit.widgets import _kit as kit
from verikit.widgets._panel import Part
from verikit.widgets._view import Answered, Found, Number, View, as_two_tables, require_release
from verikit.words import count, share

SHOWN, SIMULATED, SEED = ["Age", "Education", "Gender", "Marital"], 5_000, 1
STATES = ("single", "married", "separated", "divorced", "remarried", "widowed")
GROUP = 23  # of the example: somebody of 76 and somebody of 23
ROUNDS, PEOPLE = 8, 12
MARKS = (
    (kit.draw_disc(50, 9, 6, kit.HOLLOW), "by the group alone"),
    (kit.draw_box(50, 9, (14, 14), f'fill="{kit.ORANGE}"'), "learned"),
)
MEMBERS = {
    "guess": "learned guess",
    "chance": "borne out",
    "by_group": "chance by the group",
    "others": "guess learned from others",
}


class LearnedView(View):
    """The guess about one person of a published group, round by round of learning from the table.

    Parameters
    ----------
    release
        Tables joined by groups, as `verikit.mask.anatomize` publishes them; by default made-up
        people in groups of two marital states.
    people
        Whom the intruder knows to be in the data; needed where columns were shuffled one by one.
        Then he knows no groups.

    Notes
    -----
    ``result`` is what `verikit.intruder.learned_values` finds after so many rounds, ``explained``
    what `verikit.intruder.explain_guess` tells of the person.

    References
    ----------
    [LHCC]_ section 5

    Examples
    --------
    >>> view = LearnedView(rounds=0)
    >>> view.explained.values["learned"].tolist()
    [0.5, 0.5]
    """

    TITLE = "2\u2002What the table taught"

    rounds = Number(ROUNDS, "Rounds of learning", "none: the group alone", limits=(0, ROUNDS, 1))
    group = Number(1, "Group")
    person = Number(1, "Person")
    explained = Found(ExplainedGuess, "The guess about the person.")

    def __init__(
        self,
        release: SplitRelease | None = None,
        people: Microdata | None = None,
        **boxes: Any,
    ) -> None:
        self._release = (
            make_example() if release is None else require_release(release, "LearnedView")
        )
        if not by_groups(self._release):
            raise SchemaError(
                f"LearnedView was given {type(release).__name__}; expected tables joined by "
                "groups, as mask.anatomize and mask.permute_all publish them."
            )
        self._people = None if people is None else require_table(people, "LearnedView")
        super().__init__(self._release, **({} if release is not None else {"group": GROUP}) | boxes)

    def _list_members(self) -> np.ndarray:
        """The rows of the chosen group, or all people that were given."""
        if self._people is not None:
            return np.arange(len(self._people))
        labels = self._release.labels
        group = whole(self.group, "group", most=len(labels.names))
        return np.flatnonzero(labels.quasi == group - 1)

    def answer(self) -> Answered:
        """The guess about the person after so many rounds, and about those of her group."""
        rounds = whole(self.rounds, "rounds", least=0, most=ROUNDS)
        found = self.call_once(learned_values, self._release, self._people, rounds=rounds)
        members = self._list_members()
        person = whole(self.person, "person", most=len(members))
        told = explain_guess(found, int(members[person - 1]))
        html = draw_guess(told) + tabulate_times(told) + tabulate_members(found, members, person)
        labels = self._release.labels.names
        whose = (
            ""
            if self._people is not None
            else f" of {len(members)} in group {labels[self.group - 1]}"
        )
        tag = f"Person {person}{whose}"
        return Answered(found, told, tag, html, more={"explained": told})

    def lay_out(self) -> list[Part]:
        """How many rounds, and who is looked at."""
        fields = [self.field("rounds")]
        if self._people is None:
            fields.append(self.field("group", limits=(1, len(self._release.labels.names), 1)))
        fields.append(self.field("person"))
        known = ", ".join(column.title for column in self._release.schema.quasi)
        about = (
            f"{count(len(self._release), 'row')} in {count(len(self._release.sizes), 'group')}; "
            f"known of each person: {known}. Nothing but the published tables is used."
        )
        return [Part("asked", "1\u2002Who learns, and about whom", [(about, "soft")], fields)]


def make_example() -> SplitRelease:
    """Made-up people, published by anatomy in groups of two marital states or more."""
    frame = simulate("census", SIMULATED, seed=SEED).frame[SHOWN]
    frame["Marital"] = frame["Marital"].cat.rename_categories(list(STATES))
    data = Microdata(frame, Schema.guess(frame, Marital="sensitive"))
    groups = anatomy(data, ell=2, seed=SEED)
    return as_two_tables(anatomize(data, partition=groups, seed=SEED).release)


def draw_guess(told: ExplainedGuess) -> str:
    """The chance of each value, by the group alone and by what was learned."""
    shifts = [
        kit.Shift(
            str(value),
            line["by group"],
            line["learned"],
            f"{share(line['by group']).removesuffix(' of 100')} → {share(line['learned'])}",
        )
        for value, line in told.values.nlargest(kit.MOST, "learned").iterrows()
    ]
    more = len(told.values) - len(shifts)
    note = kit.write_note(f"and {count(more, 'less likely value')}") if more else ""
    title = "Chance of each value of the group, by the group alone and then learned"
    return kit.draw_shifts(shifts, title) + kit.write_legend(MARKS) + note


def tabulate_times(told: ExplainedGuess) -> str:
    """How many times likelier each known value is with each sensitive one than among all."""
    top = told.values.nlargest(kit.MOST, "learned").index
    frame = told.times.loc[top].T.rename_axis("known of the person").reset_index()
    said = (
        "How many times likelier each known value is beside each value of the group than among "
        "all, as the groups teach; 1 speaks for nothing."
    )
    return kit.write_note(said) + kit.write_table(frame, "What each known value speaks for")


def tabulate_members(found: LearnedValues, members: np.ndarray, person: int) -> str:
    """The guesses about all people of the group."""
    shown = found.to_frame().take(members).rename(columns=MEMBERS)
    shown.insert(0, "person", [f"{at}{' ←' * (at == person)}" for at in range(1, len(shown) + 1)])
    return kit.write_table(
        shown,
        "Everybody of the group",
        most=PEOPLE,
        what=("person", "people"),
        counted=("borne out", "chance by the group"),
    )
