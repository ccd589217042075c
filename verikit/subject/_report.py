"""What a check of one record says: sentences with their conditions first, then tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit.errors import shortened
from verikit.languages import read_language
from verikit.table import Schema
from verikit.words import text

if TYPE_CHECKING:
    from verikit.subject._view import Part

MOST_DIGITS = 10**300  # larger numbers cannot be written out everywhere

State: TypeAlias = Literal["warning-you", "warning-table", "no-warning", "cannot-tell"]


class Sentence(NamedTuple):
    """One true sentence about a record, its number and the condition under which it is shown."""

    key: str
    text: str
    because: str


class Figure(NamedTuple):
    """A number large on the screen, and the words below it."""

    value: str
    words: str


class Headline(NamedTuple):
    """The worst state that applies, what it is about, and how many of 100 people that is.

    Where the text counts otherwise, ``share`` says it of a hundred; ``better`` says who may know
    more than it reckons with.
    """

    state: State
    text: str
    language: str = "en"
    people: tuple[int, ...] = ()
    share: str = ""
    better: str = ""

    @property
    def tag(self) -> str:
        """The state in words."""
        language = read_language(self.language)
        waiting = self.text == language.sentences["masked.not-compared"].text
        return str(language.words["tags"]["not-yet" if waiting else self.state])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SubjectReport(Plotted):
    """What a person can learn from her own record and a release.

    Parameters
    ----------
    headline
        The worst state that applies.
    figures
        At most three numbers for the top of the screen.
    sentences
        What may be said, in the order of the screen.
    tables
        The numbers behind it by name; ``attributes`` and ``matches`` for a masked table.
    facts
        What the check rests on: records, attributes used and left out, criterion, requirement.
    notes
        What the person should know about her own input.
    met
        Whether her requirement is met; None where she set none or it cannot be judged.

    Examples
    --------
    >>> import verikit as vk
    >>> record = vk.load("dm_table1").record(2)
    >>> report = vk.check(record, vk.published("dm_table1_masked"))
    >>> report.attributes["distance"].tolist()
    [4, 1, 4]
    """

    headline: Headline
    figures: tuple[Figure, ...]
    sentences: tuple[Sentence, ...]
    tables: Mapping[str, pd.DataFrame]
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    met: bool | None = None

    @property
    def attributes(self) -> pd.DataFrame:
        """One line an attribute: hers, the closest published value, ranks, places, diversity."""
        return self.tables.get("attributes", pd.DataFrame())

    @property
    def matches(self) -> pd.DataFrame:
        """Every published record that is closest, with its distance on each attribute."""
        return self.tables.get("matches", pd.DataFrame())

    @property
    def warned(self) -> bool:
        """Whether the headline warns, or her requirement is not met."""
        return self.headline.state.startswith("warning") or self.met is False

    def sentence(self, key: str) -> str | None:
        """The sentence with a number such as ``"S1"``; None where its condition does not hold."""
        return next((said.text for said in self.sentences if said.key == key), None)

    @property
    def parts(self) -> tuple[Part, ...]:
        """All that is said, as the parts of one answer in the order of every screen and paper.

        Harm, how likely it is, what she can do now, how sure this is, and what it rests on.
        """
        from verikit.subject._view import list_parts

        return list_parts(self)

    def __repr__(self) -> str:
        lines = [f"{self.headline.tag}: {self.headline.text}"]
        lines += [f"  {said.key}  {said.text}" for said in self.sentences]
        return "\n".join([*lines, *(f"  note  {note}" for note in self.notes)])

    def to_frame(self) -> pd.DataFrame:
        """The first table: for a masked table one line an attribute."""
        return next(iter(self.tables.values()), pd.DataFrame()).copy()

    def to_json(self) -> str:
        """Everything as JSON text."""
        return json.dumps(
            {
                "state": self.headline.state,
                "headline": self.headline.text,
                "parts": [part._asdict() for part in self.parts],
                "met": self.met,
                "figures": [figure._asdict() for figure in self.figures],
                "sentences": [said._asdict() for said in self.sentences],
                "notes": list(self.notes),
                "facts": _make_plain(self.facts),
                "tables": {
                    name: _make_plain(t.to_dict("records")) for name, t in self.tables.items()
                },
            },
            indent=2,
            ensure_ascii=False,
        )

    def to_html(self, *, schema: Schema | None = None, table: str = "", checksum: str = "") -> str:
        """A slip to keep: a page with her own record and published facts, and nothing else.

        ``schema`` gives the columns their labels and units; ``table`` is the name of what she
        checked against, and ``checksum`` that of its file. The slip speaks the language of the
        check.
        """
        from verikit.subject._slip import write_slip

        return write_slip(self, schema, table, checksum)

    def _repr_html_(self) -> str:
        warning = " warning" if self.headline.state.startswith("warning") else ""
        head = _html.element("span", escape(self.headline.tag), class_="tag")
        said = [part for part in self.parts if part.name != "tag"]
        looks = {"headline": "first", "note": "soft", "term": "soft"}
        parts = [_html.element("p", escape(t), class_=looks.get(n, "")) for n, t in said]
        parts = [_html.element("div", head, class_=f"head{warning}"), *parts]
        parts += [_html.table(make_readable(t)) for t in self.tables.values() if len(t)]
        return f"<style>{_html.STYLE}</style>" + _html.element("div", "".join(parts), class_="vk")


def make_readable(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table with words for its column names, and without columns that say nothing."""
    shown = frame.loc[:, frame.notna().any()]
    if {"first_rank", "last_rank"} <= set(shown) and shown["first_rank"].equals(shown["last_rank"]):
        shown = shown.drop(columns="last_rank").rename(columns={"first_rank": "rank"})
    if {"match_first", "match_last"} <= set(shown):
        tied = (shown["match_first"].dropna() < shown["match_last"].dropna()).any()
        shown = shown.drop(columns="match_rank" if tied else ["match_first", "match_last"])
    return shown.rename(columns=lambda name: str(name).replace("_", " "))


def _make_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _make_plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_make_plain(part) for part in value]
    value = value.item() if isinstance(value, np.generic) else value
    if value is pd.NA or (isinstance(value, float) and not np.isfinite(value)):
        return None
    if isinstance(value, int) and abs(value) >= MOST_DIGITS:
        return shortened(text(value))
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
