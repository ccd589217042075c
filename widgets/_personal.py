"""The personal view: what each person asks for on a tree, the groups, and what they save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, ClassVar, NamedTuple, get_args

import numpy as np
import pandas as pd
import traitlets

from verikit._support import html as _html
from verikit._support.requests import whole
from verikit.datasets import load
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask import Search, example_target, one_sensitive, personalize
from verikit.models import PersonalVerdict, personal_respect
from verikit.release import Key, SplitRelease
from verikit.table import Column, Microdata, Schema, require_table
from verikit.targets import Tree, balanced, require_target, tree_of
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Found, Number, Option, View
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
DRAWN, WIDE, LEVELS = 12, 16, 6
LEVEL, PERSON, LEFT = 28.0, 44.0, 2.0
LEGEND = (
    (kit.draw_disc(50, 9, 6, kit.HOLLOW), "her value (never published as hers)"),
    (
        kit.draw_line((5, 9), (95, 9), kit.SKY, width=14),
        "what she asks for: below it only the target may be seen",
    ),
    (
        kit.draw_line((5, 9), (95, 9), kit.ORANGE, width=5),
        "the node that stands for her in the release",
    ),
)
WISH, SEED = "requirement", 1
SALARIES = (30_000, 40_000, 50_000, 60_000)


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
    SHOWN_AT: ClassVar[Mapping[str, str]] = {"wishes": "wish"}

    search = Option("top down", "Groups", SEARCHES)
    person = Number(1, "Person")
    wishes: traitlets.Dict[int, object] = traitlets.Dict(
        help="By person, from 1, the node she names, where changed."
    )
    verdict = Found(PersonalVerdict, "Whether each person is respected.")

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
        asked = WISH if data is None else requirement
        self._column = one_sensitive(self._data, "PersonalView")
        if target is None:  # the values of the table, all alike; of the example all there can be
            target = balanced(SALARIES) if data is None else example_target(self._data)
        self._target = require_target(target)
        self._tree = tree_of(self._target, numeric=False)
        if len(self._data) > MOST:
            raise RecordError(
                f"PersonalView was given {len(self._data):,} records; it shows up to {MOST:,}, so "
                "take some of them, or use verikit.mask.personalize."
            )
        self._asked = read_requirement(self._data, self._column, self._target, asked)
        super().__init__(self._data, search=search, **boxes)

    def answer(self) -> Answered:
        """What is published of each person, and whether her requirement is respected."""
        self._check_person()
        wished = self._list_wishes()
        data, name = self.call_once(add_wishes, self._data, tuple(wished))
        release, key = self.call_once(publish_groups, data, self._target, name, self.search)
        verdict = personal_respect(release, data, requirement=name)
        shown = self._list_people(release, key, wished)
        html = (
            draw_people(self._tree, shown)
            + tabulate_people(shown)
            + self._compare_searches(data, name, verdict)
            + _html.element("h3", "What this does not tell you")
            + kit.write_note(NOT_SAID)
        )
        tag = "respected" if verdict.met else "not respected"
        look = "" if verdict.met else "warning"
        return Answered(release, verdict, tag, html, look, {"verdict": verdict})

    def in_words(self, written: str) -> str:
        """Values and nodes as people write them; codes stay as they are."""
        return kit.make_readable(written) if self._column.kind == "numeric" else written

    def _compare_searches(self, data: Microdata, name: str, verdict: PersonalVerdict) -> str:
        """What every search would publish; for few people only."""
        title = _html.element("h3", "Other ways to put them into groups")
        if len(data) > FEW:
            return title + kit.write_note(
                f"All ways are compared for up to {FEW} people; choose one above."
            )
        bars = []
        for search in get_args(Search):
            try:
                made, _ = publish_groups(data, self._target, name, search)
            except InfeasibleError:
                continue
            number = int(made.parameters["values published"])
            saved = verdict.wished - number
            words = f"{saved:,} saved" if saved >= 0 else f"{-saved:,} too many"
            words = f"{number:,} published, {words}"
            bars.append(kit.Bar(SEARCHES[search], number, words, number <= verdict.wished))
        limit = (float(verdict.wished), f"asked for: {verdict.wished:,}")
        return title + kit.draw_bars(bars, "Values published, by search", limit)

    def _list_people(self, release: SplitRelease, key: Key, wished: list[str]) -> list[One]:
        cells = release.sensitive[self._column.name].to_numpy(dtype=object)
        places = key.columns[self._column.name]
        labels = release.labels.sensitive[places].tolist()
        order = {group: at for at, group in enumerate(dict.fromkeys(labels))}
        letters = {
            group: chr(ord("A") + at) if at < 26 else str(at + 1) for group, at in order.items()
        }
        groups = [letters[group] for group in labels]
        values = self._data.frame[self._column.name].tolist()
        return [
            One(name_person(self._data, at), text(values[at]), wish, groups[at],
                text(cells[places[at]]))
            for at, wish in enumerate(wished)
        ]  # fmt: skip

    def _list_wishes(self) -> list[str]:
        """The node of each person, changed ones included."""
        found = list(self._asked)
        for number, node in self.wishes.items():
            known = isinstance(number, int) and 1 <= number <= len(found)
            if not known or text(node) not in self._tree.numbers:
                said = (
                    f"wishes was given with {quoted(number)}: {quoted(node)}; expected the number "
                )
                said += f"of a person, 1 to {len(found)}, and a node of the tree."
                raise RecordError(said, field="wishes", value=self.wishes)
            found[number - 1] = text(node)
        return found

    def _check_person(self) -> int:
        number = views.check_whole("person", self.person, 1)
        if number > len(self._data):
            people = count(len(self._data), "person", "people")
            said = f"person was given as {number}; the table has {people}."
            raise RecordError(said, field="person", value=number)
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
                f"{name_person(self._data, at)} asks for",
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
        names = [(str(at + 1), name_person(self._data, at)) for at in range(len(self._data))]
        return Field("person", "choice", "Person", str(number), options=tuple(names))


class One(NamedTuple):
    """One person: what she is called, her value, her node, where she is, and what is published."""

    name: str
    value: str
    wish: str
    group: str
    published: str

    def words(self) -> str:
        """The person in words."""
        return (
            f"{self.name}: value {self.value}, asks for {self.wish}, published as "
            f"{self.published} in group {self.group}"
        )


def draw_people(tree: Tree, shown: Sequence[One]) -> str:
    """The tree as nested bars; below it one line a person over the values of her node."""
    bars, top = _draw_levels(tree)
    lines = [_draw_person(tree, one, top + PERSON * at) for at, one in enumerate(shown[:DRAWN])]
    said = "; ".join(one.words() for one in shown[:DRAWN])
    title = "The tree, and what each person asks for"
    picture = kit.draw_picture(
        top + PERSON * len(lines) + 4, title, f"{said}.", bars + "".join(lines), least=0
    )
    more = len(shown) - DRAWN
    rest = kit.write_note(f"and {count(more, 'more person', 'more people')}") if more > 0 else ""
    return picture + kit.write_legend(LEGEND, 28) + rest


def _find_span(tree: Tree, node: int) -> tuple[float, float]:
    """Where a node begins and ends, from left to right."""
    wide = (100 - 2 * LEFT) / len(tree.leaves)
    return LEFT + wide * tree.first[node], LEFT + wide * tree.last[node]


def _draw_levels(tree: Tree) -> tuple[str, float]:
    """The upper levels of the tree, as many as have room for names, and where they end."""
    row, drawn, top = [tree.root], [], 0.0
    for _ in range(LEVELS):
        drawn += [_draw_bar(tree, node, top, named=len(row) <= 8) for node in row]
        top += LEVEL
        below = [child for node in row for child in tree.children[node]]
        if not below or len(below) > WIDE:
            break
        row = below
    return "".join(drawn), top + 6


def _draw_bar(tree: Tree, node: int, top: float, *, named: bool) -> str:
    start, end = _find_span(tree, node)
    middle, edge = top + LEVEL / 2, f'stroke="{kit.EDGE}" stroke-width="1.5"'
    box = (
        f'<rect x="{start + 0.3:.2f}%" y="{top + 2:g}" width="{end - start - 0.6:.2f}%" '
        f'height="{LEVEL - 4:g}" rx="4" fill="{kit.PAPER}" {edge}/>'
    )
    name = tree.names[node]
    fits = named and 2.6 * len(name) <= end - start
    words = kit.draw_text((start + end) / 2, middle + 5, name, anchor="middle") if fits else ""
    return f"<g><title>{escape(name)}</title>{box}{words}</g>"


def _draw_person(tree: Tree, one: One, top: float) -> str:
    start, end = _find_span(tree, tree.numbers[one.wish])
    left, right = _find_span(tree, tree.numbers[one.value])
    out, until = _find_span(tree, tree.numbers[one.published])
    middle = top + 30
    apart = [min(0.6, (last - first) / 8) for first, last in ((start, end), (out, until))]
    wished = (start + apart[0], middle), (end - apart[0], middle)  # apart from its neighbours
    node = (out + apart[1], middle), (until - apart[1], middle)
    return (
        f"<g><title>{escape(one.words())}</title>"
        + kit.draw_text(0, top + 15, f"{one.name} ({one.group})")
        + kit.draw_text(100, top + 15, f"asks for {one.wish}", anchor="end")
        + kit.draw_line(*wished, kit.SKY, width=14)
        + kit.draw_line(*node, kit.ORANGE, width=5)
        + kit.draw_disc((left + right) / 2, middle, 6, kit.HOLLOW)
        + "</g>"
    )


def tabulate_people(shown: Sequence[One]) -> str:
    """The people by group: what each asks for, and what stands for her."""
    frame = pd.DataFrame([one._asdict() for one in shown]).sort_values("group", kind="stable")
    frame = frame.rename(
        columns={"name": "person", "wish": "asks for", "published": "published as"}
    )
    return kit.write_table(frame, "The people by group", what=("person", "people"))


def read_requirement(
    data: Microdata, column: Column, target: Hierarchy, requirement: str | int
) -> list[str]:
    """The node that each person names."""
    values = [text(value) for value in data.frame[column.name].tolist()]
    if isinstance(requirement, str):
        if requirement not in data.schema.names:
            expected = "the name of a column that holds nodes of the tree, or a level"
            raise RecordError.given("requirement", requirement, expected)
        named = data.frame[requirement]
        pairs = zip(named.tolist(), named.isna().tolist(), strict=True)
        return [target.root if gone else text(node) for node, gone in pairs]
    level = min(whole(requirement, "requirement", least=0), target.height)
    return [target.level(value, level) for value in values]


def add_wishes(data: Microdata, wished: tuple[str, ...]) -> tuple[Microdata, str]:
    """The people with what they ask for in a column of its own, and its name."""
    name = WISH
    others = tuple(column for column in data.schema if column.name != WISH)
    schema = Schema((*others, Column(name, "other", "nominal")))
    frame = data.frame[[column.name for column in others]].assign(
        **{name: np.array(wished, dtype=object)}
    )
    return Microdata(frame, schema), name


def publish_groups(
    data: Microdata, target: Hierarchy, name: str, search: Any
) -> tuple[SplitRelease, Key]:
    """The release and its key."""
    found = personalize(data, hierarchy=target, requirement=name, search=search, seed=SEED)
    return views.as_two_tables(found.release), found.key


def name_person(data: Microdata, at: int) -> str:
    """What a person is called: by an identifier named so, or by her number."""
    names = [column.name for column in data.schema if column.role == "identifier"]
    named = next((name for name in names if name.lower() == "name"), None)
    return str(data.frame[named].iloc[at]) if named else f"person {at + 1:,}"
