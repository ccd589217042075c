"""The personal view: what each person asks for on a tree, the groups, and what they save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, get_args

import traitlets

from verikit._support import html as _html
from verikit.datasets import load
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask import Search, one_sensitive
from verikit.models import PersonalVerdict, personal_respect
from verikit.release import Key, SplitRelease
from verikit.table import Microdata, require_table
from verikit.targets import require_target, tree_of
from verikit.widgets import _personal_card as cards
from verikit.widgets import _personal_card as steps
from verikit.widgets._panel import Field, Part
from verikit.widgets._personal_card import One
from verikit.widgets._pieces import make_readable, write_note
from verikit.widgets._view import Answered, Number, Option, View, check_whole
from verikit.words import count, text

EXAMPLE = "qz_table5_1"
FEW, MOST = 8, 20_000
SEARCHES = {
    "one group": "everybody in one group (Algorithm 6)",
    "quasi": "people with equal known values (7)",
    "average saving": "best average saving first (8)",
    "top down": "from the top down (9)",
    "exact": "all groupings tried (few people)",
}
NOT_SAID = (
    "Respected means: of the values below the node that a person names, everybody sees the chances "
    "of the target. That her value lies below that node can be seen; she named it. Nobody is "
    "promised that her row or her group is not found."
)


class PersonalView(View):
    """What each person asks for, the groups that serve all of them, and what that saves.

    Parameters
    ----------
    data
        The people, one column of them sensitive; by default the three people of the paper.
    requirement
        The column that holds the node each person names, or one level of the tree for everybody.
    target
        The tree with the weights of the target; by default one over the values of the sensitive
        column, all alike.
    search
        How people are put into groups, as `verikit.mask.personalize` takes it.

    Notes
    -----
    ``result`` is the release, ``verdict`` tells for each person whether she is respected.
    ``wishes`` holds what was changed: by the number of a person, from 1, the node she names.
    Who names none gets the strictest: the whole tree.

    References
    ----------
    [QZ]_ chapter 5, Tables 5.1 and 5.2, Algorithms 6 to 9

    Examples
    --------
    >>> view = PersonalView()
    >>> view.verdict.met, view.verdict.saved
    (True, 1)
    >>> view.wishes = {3: "[30000, 60000]"}
    >>> view.verdict.wished, view.verdict.published
    (7, 6)
    """

    TITLE = "3\u2002What is published of them"
    RESULTS = ("result", "verdict")
    SHOWN_AT: ClassVar[Mapping[str, str]] = {"wishes": "wish"}

    search = Option("top down", "Groups", SEARCHES)
    person = Number(1, "Person")
    wishes: traitlets.Dict[int, object] = traitlets.Dict(
        help="By person, from 1, the node she names, where changed."
    )
    verdict = traitlets.Instance(
        PersonalVerdict, allow_none=True, read_only=True, help="Whether each person is respected."
    )

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        requirement: str | int = 1,
        target: Hierarchy | None = None,
        search: str = "top down",
        **boxes: Any,
    ) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "PersonalView")
        asked = steps.WISH if data is None else requirement
        self._column = one_sensitive(self._data, "PersonalView")
        self._target = (
            require_target(target)
            if target is not None
            else steps.target_of(self._data, data is None)
        )
        self._tree = tree_of(self._target, numeric=False)
        if len(self._data) > MOST:
            raise RecordError(
                f"PersonalView was given {len(self._data):,} records; it shows up to {MOST:,}, so "
                "take some of them, or use verikit.mask.personalize."
            )
        self._asked = steps.read_requirement(self._data, self._column, self._target, asked)
        super().__init__(self._data, search=search, **boxes)

    def answer(self) -> Answered:
        """What is published of each person, and whether her requirement is respected."""
        self._check_person()
        wished = self._list_wishes()
        data, name = self.call_once(steps.with_wishes, self._data, tuple(wished))
        release, key = self.call_once(steps.publish_groups, data, self._target, name, self.search)
        verdict = personal_respect(release, data, requirement=name)
        shown = self._list_people(release, key, wished, verdict)
        html = (
            cards.draw_people(self._tree, shown)
            + cards.tabulate_people(shown)
            + self._compare_searches(data, name, verdict)
            + _html.element("h3", "What this does not tell you")
            + write_note(NOT_SAID)
        )
        tag = "respected" if verdict.met else "not respected"
        look = "" if verdict.met else "warning"
        return Answered(release, verdict, tag, html, look, {"verdict": verdict})

    def in_words(self, written: str) -> str:
        """Values and nodes as people write them; codes stay as they are."""
        return make_readable(written) if self._column.kind == "numeric" else written

    def _compare_searches(self, data: Microdata, name: str, verdict: PersonalVerdict) -> str:
        """What every search would publish; for few people only."""
        title = _html.element("h3", "Other ways to put them into groups")
        if len(data) > FEW:
            return title + write_note(
                f"All ways are compared for up to {FEW} people; choose one above."
            )
        found = []
        for search in get_args(Search):
            try:
                made, _ = steps.publish_groups(data, self._target, name, search)
            except InfeasibleError:
                continue
            number = int(made.parameters["values published"])
            found.append((SEARCHES[search], number, verdict.wished - number))
        return title + cards.tabulate_searches(found, verdict.wished)

    def _list_people(
        self, release: SplitRelease, key: Key, wished: list[str], verdict: PersonalVerdict
    ) -> list[One]:
        cells = release.sensitive[self._column.name].to_numpy(dtype=object)
        places = key.columns[self._column.name]
        groups = steps.letter_groups(release.labels.sensitive[places])
        values = self._data.frame[self._column.name].tolist()
        return [
            One(steps.name_person(self._data, at), text(values[at]), wish, groups[at],
                text(cells[places[at]]), bool(verdict.per_record[at]))
            for at, wish in enumerate(wished)
        ]  # fmt: skip

    def _list_wishes(self) -> list[str]:
        """The node of each person, changed ones included."""
        found = list(self._asked)
        for number, node in self.wishes.items():
            known = isinstance(number, int) and 1 <= number <= len(found)
            if not known or text(node) not in self._tree.numbers:
                raise RecordError(
                    f"wishes was given with {quoted(number)}: {quoted(node)}; expected the number "
                    f"of a person, 1 to {len(found)}, and a node of the tree.",
                    field="wishes",
                    value=self.wishes,
                )
            found[number - 1] = text(node)
        return found

    def _check_person(self) -> int:
        number = check_whole("person", self.person, 1)
        if number > len(self._data):
            people = count(len(self._data), "person", "people")
            raise RecordError(
                f"person was given as {number}; the table has {people}.",
                field="person",
                value=number,
            )
        return number

    def on_value(self, place: str, value: str) -> None:
        """A box changed; the node of one person changes the wishes."""
        if place == "wish":
            self.wishes = {**self.wishes, self._check_person(): value}
        else:
            super().on_value(place, value)

    def on_press(self, place: str) -> None:
        """All changed wishes are forgotten."""
        if place == "again":
            self.wishes = {}

    def lay_out(self) -> list[Part]:
        """How people are put into groups, and what one of them asks for."""
        size = f"{count(len(self._data), 'person', 'people')}; sensitive is {self._column.title}"
        number = self.person if isinstance(self.person, int) else 1
        at = min(max(number, 1), len(self._data)) - 1
        value = text(self._data.frame[self._column.name].iloc[at])
        path = self._target.path(value) if value in self._target.levels else ()
        try:
            wish = self._list_wishes()[at]
        except RecordError:
            wish = self._asked[at]
        hers = [
            self._choose_person(number),
            Field(
                "wish",
                "choice",
                f"{steps.name_person(self._data, at)} asks for",
                wish,
                f"her value is {self.in_words(value)}; the first choice hides nothing",
                options=tuple((node, self.in_words(node)) for node in path),
            ),
            Field("again", "press", "Forget changed requirements"),
        ]
        ways = [self.field("search")]
        return [
            Part("asked", "1\u2002The groups", [(size, "soft")], ways),
            Part("hers", "2\u2002What a person asks for", fields=hers),
        ]

    def _choose_person(self, number: int) -> Field:
        if len(self._data) > FEW * 4:
            return self.field("person", help=f"her number, 1 to {len(self._data):,}")
        names = [(str(at + 1), steps.name_person(self._data, at)) for at in range(len(self._data))]
        return Field("person", "choice", "Person", str(number), options=tuple(names))
