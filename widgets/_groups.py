"""Groups of records as labelled blocks: the original against what is published of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from verikit import mask, partition
from verikit._support import html as _html
from verikit.datasets import load
from verikit.errors import RecordError
from verikit.matching import holdings_of
from verikit.models import ModelVerdict, describe_groups, distinct_diversity, judge
from verikit.partition import Partition
from verikit.release import Key, Masked, Release, by_groups
from verikit.table import Microdata, require_table
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Found, Number, Option, View
from verikit.words import count, joined, text

EXAMPLE = "lhcc_table1"
GROUPINGS = {
    "diverse": "alike people",
    "anatomy": "any people, as in anatomy",
}
DRAWN = 8
COLOURS = (kit.BLUE, kit.ORANGE, kit.GREEN, kit.PURPLE, kit.SKY, kit.GREY)
EDGES = ("solid", "dashed", "double", "dotted")
ROW, TOP, LETTERS, MOST = 46, 28, 20, 8
LEFT, RIGHT, WORDS = 42.0, 57.0, 61.0
APART = (
    "Published are two tables: what stands above is in the first, what stands below in the second. "
    "Only the number of the group joins them."
)
KNOWN = f'stroke="{kit.BLUE}" stroke-width="2"'
SECRET = f'stroke="{kit.ORANGE}" stroke-width="2" stroke-dasharray="5 4"'


class Block(NamedTuple):
    """One group: its records, and where the rows published of them are."""

    records: np.ndarray
    places: np.ndarray


class GroupsView(View):
    """Groups that mix sensitive values, before and after they are published.

    Parameters
    ----------
    data
        The records, one column of them sensitive; by default nine patients.
    ell
        How many different sensitive values each group must hold.

    Notes
    -----
    ``result`` is the release, ``partition`` the groups and ``verdict`` their diversity. The same
    groups can be published in three ways, so that ways can be compared.

    References
    ----------
    [LHCC]_ Algorithms 1 and 2, Tables 1 to 4

    Examples
    --------
    >>> view = GroupsView(ell=4)
    >>> sorted(view.partition.sizes.tolist()), view.verdict.value
    ([4, 5], 4)
    """

    TITLE = "2\u2002The groups, before and after"

    SHOWN_AT: ClassVar[Mapping[str, str]] = views.REQUIRED_AT

    ell = Number(2, "Different values in each group (l)")
    requirement = Number("", "What each group must meet instead", views.REQUIRED)
    grouping = Option("diverse", "Groups of", GROUPINGS)
    method = Option(mask.permute_all.__name__, "Published as")
    seed = Number(1, "Shuffle number", "the same number, the same shuffle")
    partition = Found(Partition, "The groups of the records.")
    verdict = Found(ModelVerdict, "How many values each group holds.")

    def __init__(self, data: Microdata | None = None, *, ell: int = 2, **boxes: Any) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "GroupsView")
        hidden = self._data.schema.sensitive
        self._most = max([len(self._data.codes(column.name)[1]) for column in hidden] + [2])
        super().__init__(self._data, ell=ell, **boxes)

    def answer(self) -> Answered:
        """The groups, what is published of them, and how diverse they are."""
        views.require_option("method", self.method, _list_methods())
        required = views.read_required(self.requirement)
        if required and self.grouping != "diverse":
            said = "Only groups of alike people are made by a requirement; choose these, or l."
            raise RecordError(said, field="requirement", value=self.requirement)
        asked: dict[str, Any] = {"requirement": required} if required else {"ell": self.ell}
        find: Callable[..., Partition] = getattr(partition, self.grouping)
        groups = self.call_once(find, self._data, **asked, seed=self.seed)
        publish: Callable[..., Masked] = getattr(mask, self.method)
        release, key = self.call_once(publish, self._data, partition=groups, seed=self.seed)
        verdict = distinct_diversity(holdings_of(release), ell=1 if required else self.ell)
        met = judge(views.as_two_tables(release), required) if required else ()
        blocks = [Block(rows, np.sort(key.rows[rows])) for rows in groups.groups()]
        more = len(blocks) - DRAWN
        html = (
            "".join(kit.write_note(repr(one)) for one in met)
            + draw_legend(self._data, release)
            + "".join(
                _show_block(self._data, release, key, block, at)
                for at, block in enumerate(blocks[:DRAWN])
            )
            + (kit.write_note(f"and {count(more, 'more group')}") if more > 0 else "")
        )
        told = describe_groups(groups, verdict, self._data)
        more_found = {"partition": groups, "verdict": verdict}
        return Answered(release, told, count(len(groups), "group"), html, more=more_found)

    def lay_out(self) -> list[Part]:
        """How many values a group must hold, how it is made and published."""
        fields = [
            self.field("ell", limits=(1, self._most, 1)),
            self.field("requirement", decimal=False),
            self.field("grouping"),
            self.field("method", options=_list_methods()),
            self.field("seed"),
            Field("again", "press", "Shuffle again"),
        ]
        hidden = ", ".join(column.title for column in self._data.schema.sensitive)
        size = count(len(self._data), "record")
        about = f"{size}; nobody should learn whose {hidden} is whose."
        return [Part("asked", "1\u2002What is published", [(about, "soft")], fields)]


def _list_methods() -> dict[str, str]:
    """The masks that publish groups, each with what it does."""
    ways = mask.METHODS.values()
    return {way.name: way.words.rstrip(".") for way in ways if "partition" in way.example}


def _show_block(data: Microdata, release: Release, key: Key, block: Block, at: int) -> str:
    """One group: a coloured and lettered block with its picture, and the same as tables."""
    name = chr(ord("A") + at)
    number = ""
    if by_groups(release):
        published = release.quasi[release.group].iloc[block.places[0]]
        number = f", published as number {published}"
    colour, edge = COLOURS[at % len(COLOURS)], EDGES[at % len(EDGES)]
    head = _html.element("h3", f"Group {name}: {count(len(block.records), 'record')}{number}")
    drawn = draw_group(name, find_sides(data, release, key, *block))
    tables = _tabulate_block(data, release, block, name)
    inside = kit.fold_away("The same as tables", tables, f"vk-group-{name}")
    style = f"border-left:9px {edge} {colour};padding-left:12px;margin:14px 0"
    return _html.element("div", head + drawn + inside, style=style)


def _tabulate_block(data: Microdata, release: Release, block: Block, name: str) -> str:
    tables = [_title_table(f"Original, group {name}", data.frame.take(block.records))]
    if by_groups(release):
        for title, frame in (("First table", release.quasi), ("Second table", release.sensitive)):
            shown = frame.take(block.places)
            tables.append(_title_table(f"{title}, group {name}", shown, drop=release.group))
    else:
        frame = views.as_one_table(release).frame
        tables.append(_title_table(f"Published, group {name}", frame.take(block.places)))
    return _html.element("div", "".join(tables), style="display:flex;flex-wrap:wrap;gap:0 20px")


def _title_table(title: str, frame: pd.DataFrame, drop: str | None = None) -> str:
    shown = frame.drop(columns=[drop]) if drop is not None else frame
    name = _html.element("p", escape(title.partition(",")[0]), class_="soft")
    width = f"flex:{shown.shape[1]} 1 {4 * shown.shape[1] + 2}rem;min-width:0;max-width:100%"
    return _html.element(
        "div",
        name + kit.write_table(shown, title, what=("record", "records"), counted=()),
        style=width,
    )


class Sides(NamedTuple):
    """The records of a group and the rows published of them, each as two short lines; the ways.

    ``ways`` has for each record the published rows that show its first known value and its secret.
    """

    before: Sequence[tuple[str, str]]
    after: Sequence[tuple[str, str]]
    ways: Sequence[tuple[int, int]]


def find_sides(
    data: Microdata, release: Release, key: Key, records: np.ndarray, places: np.ndarray
) -> Sides:
    """What is to be drawn of one group."""
    secret = [column.name for column in data.schema.sensitive]
    known = [column.name for column in data.schema.quasi]
    if by_groups(release):
        shown, hidden = release.quasi, release.sensitive
    else:  # one table holds both
        shown = hidden = views.as_one_table(release).frame
    ends = [key.columns.get(name, key.rows)[records] for name in ((known + secret)[0], secret[0])]
    ways = np.searchsorted(places, np.column_stack(ends)).tolist()
    before = zip(
        *(_write_rows(data.frame, names, records) for names in (known, secret)), strict=True
    )
    after = zip(_write_rows(shown, known, places), _write_rows(hidden, secret, places), strict=True)
    return Sides(list(before), list(after), [(to, there) for to, there in ways])


def _write_rows(frame: pd.DataFrame, names: list[str], rows: np.ndarray) -> list[str]:
    """The values of some rows, each row as one short line."""
    shown = frame[[name for name in names if name in frame]].take(rows)
    lines = (
        ", ".join(text(kit.write_span(value)) for value in line)
        for line in shown.itertuples(index=False, name=None)
    )
    return [line if len(line) <= LETTERS else f"{line[: LETTERS - 1]}…" for line in lines]


def draw_group(name: str, drawn: Sides) -> str:
    """The picture of one group; of a large one the first records, and the rows these lead to."""
    most = min(len(drawn.before), MOST)
    ways = drawn.ways[:most]
    last = max(most, *(max(way) + 1 for way in ways))
    middles = [TOP + ROW * at + ROW / 2 for at in range(last)]
    parts = [
        kit.draw_text(0, 15, "before", extra=kit.SOFTLY),
        kit.draw_text(WORDS, 15, "published", extra=kit.SOFTLY),
    ]
    for at, (known, secret) in enumerate(ways):
        first, second = middles[known] - 4, middles[secret] + 6
        parts += [
            f'<line x1="{LEFT}%" y1="{start:g}" x2="{RIGHT}%" y2="{end:g}" {look}/>'
            for start, end, look in (
                (middles[at] - 4, first, KNOWN),
                (middles[at] + 6, second, SECRET),
            )
        ]
        parts.append(kit.draw_disc(RIGHT, first, 4, f'fill="{kit.BLUE}"'))
        parts.append(kit.draw_box(RIGHT, second, (8, 8), f'fill="{kit.ORANGE}"'))
    for x, rows in ((0, drawn.before[:most]), (WORDS, drawn.after[:last])):
        for middle, (known_line, secret_line) in zip(middles, rows, strict=False):
            parts.append(kit.draw_text(x, middle - 2, known_line))
            parts.append(kit.draw_text(x, middle + 16, secret_line, extra=kit.SOFTLY))
    told = [
        f"{known or 'A record'}: in published row {to + 1}"
        + (f", {secret} in row {there + 1}." if secret and there != to else ".")
        for (known, secret), (to, there) in zip(drawn.before, ways, strict=False)
    ]
    more = len(drawn.before) - most
    rest = f" {count(more, 'more record')} not drawn." if more else ""
    label = " ".join(told) + rest
    return kit.draw_picture(TOP + ROW * last + 6, f"Group {name}", label, "".join(parts))


def draw_legend(data: Microdata, release: Release) -> str:
    """What the two lines lead to."""
    known = next((column.title for column in data.schema.quasi), "what others may know")
    secret = joined([column.title for column in data.schema.sensitive[:1]])
    looks = ((KNOWN, f"to the row with their {known}"), (SECRET, f"to the row with their {secret}"))
    marks = [(f'<line x1="0" x2="34" y1="9" y2="9" {look}/>', words) for look, words in looks]
    return kit.write_legend(marks, 34) + (kit.write_note(APART) if by_groups(release) else "")
