"""Groups of records as labelled blocks: the original against what is published of them."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import traitlets

from verikit import mask, partition
from verikit._support import html as _html
from verikit.alike import holdings_of
from verikit.datasets import load
from verikit.errors import RecordError
from verikit.models import ModelVerdict, describe_groups, distinct_diversity
from verikit.partition import Partition
from verikit.release import Key, Masked, Release, by_groups
from verikit.table import Microdata, require_table
from verikit.widgets import _draw as draw
from verikit.widgets._groups_picture import group_drawn, legend, sides
from verikit.widgets._panel import Field, Part
from verikit.widgets._pieces import listing, note
from verikit.widgets._releases import in_one_table
from verikit.widgets._view import Answered, View
from verikit.words import count

__all__ = ["GroupsView"]

EXAMPLE = "lhcc_table1"
GROUPINGS = {
    "diverse": "alike people",
    "anatomy": "any people, as in anatomy",
}
DRAWN = 8
COLOURS = (draw.BLUE, draw.ORANGE, draw.GREEN, draw.PURPLE, draw.SKY, draw.GREY)
EDGES = ("solid", "dashed", "double", "dotted")


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
    BOXES = ("ell", "grouping", "method", "seed")
    NUMBERS = ("ell", "seed")
    RESULTS = ("result", "partition", "verdict")

    ell = traitlets.Any(2, help="How many different values each group must hold.")
    grouping = traitlets.Any("diverse", help="How records are put into groups.")
    method = traitlets.Any(mask.permute_all.__name__, help="How the groups are published.")
    seed = traitlets.Any(1, help="The randomness of groups and shuffles.")
    partition = traitlets.Instance(
        Partition, allow_none=True, read_only=True, help="The groups of the records."
    )
    verdict = traitlets.Instance(
        ModelVerdict, allow_none=True, read_only=True, help="How many values each group holds."
    )

    def __init__(self, data: Microdata | None = None, *, ell: int = 2, **boxes: Any) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "GroupsView")
        hidden = self._data.schema.sensitive
        self._most = max([len(self._data.codes(column.name)[1]) for column in hidden] + [2])
        super().__init__(self._data, ell=ell, **boxes)

    def answer(self) -> Answered:
        """The groups, what is published of them, and how diverse they are."""
        grouping = _known("grouping", self.grouping, GROUPINGS)
        method = _known("method", self.method, _ways())
        groups = self.call(_grouped, grouping, self._data, self.ell, self.seed)
        release, key = self.call(_published, method, self._data, groups, self.seed)
        verdict = distinct_diversity(holdings_of(release), ell=self.ell)
        blocks = [Block(rows, np.sort(key.rows[rows])) for rows in groups.groups()]
        more = len(blocks) - DRAWN
        html = (
            legend(self._data, release)
            + "".join(
                _block(self._data, release, key, block, at)
                for at, block in enumerate(blocks[:DRAWN])
            )
            + (note(f"and {count(more, 'more group')}") if more > 0 else "")
        )
        told = describe_groups(groups, verdict, self._data)
        more_found = {"partition": groups, "verdict": verdict}
        return Answered(release, told, count(len(groups), "group"), html, more=more_found)

    def pressed(self, place: str) -> None:
        """Another draw of the randomness."""
        if place == "again":
            self.seed = self.seed + 1 if isinstance(self.seed, int) else 1

    def lay_out(self) -> list[Part]:
        """How many values a group must hold, how it is made and published."""
        value = self.ell if isinstance(self.ell, int) else 2
        fields = [
            self.slider("ell", "Different values in each group (l)", value, (1, self._most, 1)),
            self.choice("grouping", "Groups of", GROUPINGS.items()),
            self.choice("method", "Published as", _ways().items()),
            self.box("seed", "Shuffle number", "the same number, the same shuffle"),
            Field("again", "press", "Shuffle again"),
        ]
        return [Part("asked", "1\u2002What is published", [(_about(self._data), "soft")], fields)]


def _ways() -> dict[str, str]:
    """The masks that publish groups, each with what it does."""
    ways = mask.METHODS.values()
    return {way.name: way.words.rstrip(".") for way in ways if "partition" in way.example}


def _known(box: str, name: Any, known: dict[str, str]) -> str:
    if name not in known:
        raise RecordError(
            f"{box} was given as {name!r}; expected one of {', '.join(known)}.",
            field=box,
            value=name,
        )
    return str(name)


def _grouped(grouping: str, data: Microdata, ell: Any, seed: Any) -> Partition:
    find: Callable[..., Partition] = getattr(partition, grouping)
    return find(data, ell=ell, seed=seed)


def _published(method: str, data: Microdata, groups: Partition, seed: Any) -> Masked:
    publish: Callable[..., Masked] = getattr(mask, method)
    return publish(data, partition=groups, seed=seed)


def _about(data: Microdata) -> str:
    hidden = ", ".join(column.title for column in data.schema.sensitive)
    return f"{count(len(data), 'record')}; nobody should learn whose {hidden} is whose."


def _block(data: Microdata, release: Release, key: Key, block: Block, at: int) -> str:
    """One group: a coloured and lettered block with its picture, and the same as tables."""
    name = chr(ord("A") + at)
    number = ""
    if by_groups(release):
        published = release.quasi[release.group].iloc[block.places[0]]
        number = f", published as number {published}"
    colour, edge = COLOURS[at % len(COLOURS)], EDGES[at % len(EDGES)]
    head = _html.element("h3", f"Group {name}: {count(len(block.records), 'record')}{number}")
    drawn = group_drawn(name, sides(data, release, key, *block))
    inside = _html.element(
        "details",
        "<summary>The same as tables</summary>" + _tables(data, release, block, name),
        id=f"vk-group-{name}",
    )
    style = f"border-left:9px {edge} {colour};padding-left:12px;margin:14px 0"
    return _html.element("div", head + drawn + inside, style=style)


def _tables(data: Microdata, release: Release, block: Block, name: str) -> str:
    tables = [_titled(f"Original, group {name}", data.frame.take(block.records))]
    if by_groups(release):
        for title, frame in (("First table", release.quasi), ("Second table", release.sensitive)):
            shown = frame.take(block.places)
            tables.append(_titled(f"{title}, group {name}", shown, drop=release.group))
    else:
        frame = in_one_table(release).frame
        tables.append(_titled(f"Published, group {name}", frame.take(block.places)))
    return _html.element("div", "".join(tables), style="display:flex;flex-wrap:wrap;gap:0 20px")


def _titled(title: str, frame: pd.DataFrame, drop: str | None = None) -> str:
    shown = frame.drop(columns=[drop]) if drop is not None else frame
    name = _html.element("p", escape(title.partition(",")[0]), class_="soft")
    width = f"flex:{shown.shape[1]} 1 {4 * shown.shape[1] + 2}rem;min-width:0;max-width:100%"
    return _html.element(
        "div", name + listing(shown, title, what=("record", "records"), counted=()), style=width
    )
