"""The intruder's links: the candidates of a record, and all links against luck."""

from __future__ import annotations

from html import escape
from itertools import combinations
from typing import Any

from verikit._support import html as _html
from verikit._support.arrays import Rows
from verikit.errors import RecordError, SchemaError
from verikit.intruder import Compared, Links, link
from verikit.protector import CorrectLinks, correct_links
from verikit.release import Key, TableRelease
from verikit.table import Microdata, require_table
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Found, Number, Option, View
from verikit.words import count

MOST_NAMES = 4
ATTACKS = {
    "maximum_rank": "nearest rank, as in the paper",
    "assignment": "each row given once",
    "normal_scores": "trust what was masked least",
    "published_mechanism": "repeat the published method",
    "strongest": "all of them",
}
MARKS = {
    "the record": ("disc", f'fill="{kit.BLUE}"'),
    "a candidate": ("square", f'fill="none" stroke="{kit.ORANGE}" stroke-width="3"'),
    "its own row": ("diamond", f'fill="{kit.GREEN}"'),
}
FEW, ROW = 60, 52.0


class IntruderView(View):
    """An intruder with the original table links it to the release: pick a record and an attack.

    Parameters
    ----------
    data, release
        The original and what was published; by default the running example.
    key
        Which released row came from which record; without it nobody can tell which links are
        right.

    Notes
    -----
    ``result`` holds the links, ``correct`` how many are right beside what luck gives, or None
    without a key. ``record`` counts from 1.

    References
    ----------
    [DM]_ Definition 3, section 5.1, Table 4

    Examples
    --------
    >>> view = IntruderView()
    >>> view.correct.count, view.correct.luck
    (6, 1.0)
    >>> view.record = 1
    >>> view.result.of(0)["row"].tolist()
    [1, 7]
    """

    TITLE = "3\u2002What the intruder finds"

    attack = Option("maximum_rank", "Attack", ATTACKS, checked=False)
    attributes = Option(None, "Linked by")
    record = Number(3, "Record")
    correct = Found(CorrectLinks, "How many links are right; the key's.")

    def __init__(
        self,
        data: Microdata | None = None,
        release: TableRelease | None = None,
        key: Key | None = None,
        **boxes: Any,
    ) -> None:
        if (data is None) != (release is None):
            raise SchemaError(
                "IntruderView was given one table; expected the original and its release, or none "
                "of both for the running example."
            )
        if data is None or release is None:
            data, release, key = views.open_example()
        require_table(data, "IntruderView")
        views.require_release(release, "IntruderView")
        self._data, self._release, self._key = data, release, key
        shared = [c.name for c in data.schema if c.name in release.schema.names]
        # all smaller sets of a few attributes, single ones of many
        sizes = range(1, len(shared) if len(shared) <= MOST_NAMES else 2)
        self._subsets = [subset for size in sizes for subset in combinations(shared, size)]
        super().__init__(data, **boxes)

    def answer(self) -> Answered:
        """All links, whether luck explains them, and the candidates of one record."""
        if not isinstance(self.attributes, (list, tuple, type(None))):
            raise RecordError.given("attributes", self.attributes, "a list of names")
        asked = {"attack": self.attack, "attributes": self._list_attributes()}
        links = self.call_once(link, self._data, self._release, **asked)
        tables = links.compared
        if self.attack not in ATTACKS:
            raise RecordError.given("attack", self.attack, f"one of {', '.join(ATTACKS)}")
        correct = self.call_once(correct_links, links, self._key) if self._key is not None else None
        place = views.check_whole("record", self.record, 1) - 1
        if place >= len(links):
            said = f"record was given as {self.record}; the table has {len(links):,}, from 1."
            raise RecordError(said, field="record", value=self.record)
        own = None if self._key is None else int(self._key.rows[place])
        html = draw_luck(correct) + show_record(links, tables, place, own)
        more = {"correct": correct}
        if correct is None:
            return Answered(links, links, "no key", html, "unknown", more)
        look = "warning" if correct.more_than_luck else ""
        return Answered(links, correct, correct.verdict, html, look, more)

    def on_value(self, place: str, value: str) -> None:
        """A box changed; attributes are chosen by their place in the list."""
        if place == "attributes":
            self.attributes = self._subsets[int(value)] if value else None
        else:
            super().on_value(place, value)

    def on_press(self, place: str) -> None:
        """The record before, or the one after."""
        move = {"before": -1, "after": 1}.get(place, 0)
        self.record = min(max(int(self.record) + move, 1), len(self._data))

    def _list_attributes(self) -> tuple[str, ...] | None:
        given = self.attributes
        return tuple(given) if isinstance(given, (list, tuple)) else None

    def lay_out(self) -> list[Part]:
        """The attack, and the record to look at."""
        chosen = self._list_attributes()
        at = str(self._subsets.index(chosen)) if chosen in self._subsets else ""
        names = [("", "all"), *((str(i), ", ".join(s)) for i, s in enumerate(self._subsets))]
        attack = [self.field("attack"), self.field("attributes", options=names, value=at)]
        size = f"{count(len(self._data), 'record')}, known to the intruder as they were."
        record = [
            self.field("record", limits=(1, len(self._data), 1)),
            Field("before", "press", "Before"),
            Field("after", "press", "After"),
        ]
        return [
            Part("attack", "1\u2002The attack", [(size, "soft")], attack),
            Part("record", "2\u2002The record to look at", fields=record),
        ]


def draw_luck(correct: CorrectLinks | None) -> str:
    """The correct links of each attempt as bars, beside what luck gives."""
    if correct is None:
        return ""
    lines = [
        kit.Bar(ATTACKS[row.attack], row.correct, f"{row.correct:,} right")
        for row in correct.to_frame().itertuples()
    ]
    lines.append(kit.Bar("luck", correct.luck, f"{correct.luck:.2g} right", met=False))
    frame = correct.attributes.rename(
        columns={"places": "moved by places", "residual": "left of normal scores"}
    )
    title = "What masking kept of each attribute, the least moved first"
    inside = kit.write_note(f"{title}.") + kit.write_table(frame, title)
    moved = kit.fold_away("How far each attribute was moved", inside, "vk-kept")
    return kit.draw_bars(lines, "Right links") + moved


def show_record(links: Links, tables: Compared, place: int, own: int | None) -> str:
    """The candidates of one record, among the places of each attribute, and as a table."""
    frame = links.of(place)
    told = count(len(frame), "candidate")
    title = _html.element("h3", escape(f"Record {place + 1:,}: {told}"))
    rows = links.rows[links.starts[place] : links.starts[place + 1]]
    shown = frame.drop(columns="record").rename(columns={"places": "at worst"})
    if own is not None:
        shown = shown.assign(**{"its own row": [row == own for row in rows]})
    said = kit.write_note(
        "Numbers are places between the record and a candidate, by attribute and at worst."
    )
    marks = [name for name in MARKS if own is not None or name != "its own row"]
    legend = kit.write_legend((kit.draw_mark(50, 9, *MARKS[name]), name) for name in marks)
    picture = _draw_candidates(tables, place, rows, own) + legend if tables.ranked else ""
    return title + picture + said + kit.write_table(shown, "The candidates")


def _draw_candidates(tables: Compared, place: int, rows: Rows, own: int | None) -> str:
    """One line an attribute with ranks: the record, its candidates, and its own row if known."""
    size = len(tables)

    def at(first: Any, last: Any) -> float:
        return 2 + 96 * ((first + last) / 2 - 1) / max(size - 1, 1)

    drawn, said = [], []
    for j, name in enumerate(tables.ranked):
        middle = ROW * j + 34
        drawn += [kit.draw_text(0, middle - 17, name), kit.draw_line((2, middle), (98, middle))]
        if own is not None:
            true = at(tables.released_first[own, j], tables.released_last[own, j])
            drawn.append(kit.draw_mark(true, middle, *MARKS["its own row"]))
        ranks = [int(tables.released_first[row, j]) for row in rows[:FEW]]
        ends = zip(ranks, tables.released_last[rows[:FEW], j], strict=True)
        drawn += [kit.draw_mark(at(*end), middle, *MARKS["a candidate"]) for end in ends]
        mine = int(tables.first[place, j])
        drawn.append(kit.draw_mark(at(mine, tables.last[place, j]), middle, *MARKS["the record"]))
        said.append(f"{name}: record {mine}, candidates {', '.join(map(str, ranks))}")
    floor = ROW * len(said) + 16
    drawn.append(kit.draw_text(0, floor, "lowest value"))
    drawn.append(kit.draw_text(100, floor, "highest value", anchor="end"))
    title = f"Places among {size:,} values"
    return kit.draw_picture(floor + 8, title, f"{'; '.join(said)}.", "".join(drawn))
