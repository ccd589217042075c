"""Random anonymization cell by cell: what was drawn anew, what it was before, and the shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags
from verikit.datasets import load
from verikit.intruder import link
from verikit.mask import randomize
from verikit.protector import cell_texts, compare_redrawn, correct_links
from verikit.release import Key, TableRelease
from verikit.table import Microdata, require_table
from verikit.widgets import _draw as svg
from verikit.widgets._panel import Field, Part
from verikit.widgets._pieces import write_note, write_table
from verikit.widgets._releases import as_one_table
from verikit.widgets._view import Answered, Number, Option, View, require_option
from verikit.words import count, text

EXAMPLE = "yq_figure1"
CHANCES = {
    "equal": "equal chances",
    "diversity": "in proportion to how varied a column is",
}
READERS = {
    "protector": "the protector: who was changed, and how",
    "everybody": "everybody: the table as it is published",
}
ROWS = ("row", "rows")
BARS, SHOWN, LINKED = 8, 12, 1500


class RandomizeView(View):
    """Which cells a random anonymization changes, and what becomes of the shares of values.

    The view is for protectors and teachers: it shows the original beside what is published.

    Parameters
    ----------
    data
        The records, with two values at least in each quasi-identifier; by default ten patients.
    changed
        How many quasi-identifiers of each record are drawn anew (the paper's lambda).

    Notes
    -----
    ``result`` is the release; the key stays inside the view.

    References
    ----------
    [YQ]_ Algorithms 1 and 2, Figure 5

    Examples
    --------
    >>> view = RandomizeView(changed=2)
    >>> view.result.parameters
    {'changed': 2, 'probabilities': 'equal'}
    """

    TITLE = "2\u2002What was changed"

    changed = Number(1, "Values drawn anew in each record (lambda)")
    chances = Option("equal", "Which one, if one is drawn", CHANCES)
    reader = Option("protector", "Seen by", READERS)
    column = Option(None, "Shares of")
    seed = Number(1, "Draw number", "the same number, the same draws")

    def __init__(self, data: Microdata | None = None, *, changed: int = 1, **boxes: Any) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "RandomizeView")
        self._names = [column.name for column in self._data.schema.quasi]
        first = {"column": self._names[0] if self._names else None}
        super().__init__(self._data, **(first | {"changed": changed} | boxes))

    def answer(self) -> Answered:
        """What is published, which cells are other than before, and how many people are linked."""
        release, key = self.call_once(_randomize, self._data, self.changed, self.chances, self.seed)
        require_option("column", self.column, self._names)
        found = compare_redrawn(self._data, release, key, self._names, self.changed)
        shares = _compare_shares(self._data, release.frame, self.column)
        html = (
            self._table(release, key, found.other)
            + svg.draw_shifts(shares, f"Shares of {self._title} before and after")
            + write_note("Circle: in the original. Square: in the published table.")
            + self._count_linked(release, key)
        )
        return Answered(release, found, count(len(self._data), "record"), html)

    @property
    def _title(self) -> str:
        return self._data.schema[self.column].title

    def _table(self, release: TableRelease, key: Key, other: Flags) -> str:
        """The published rows; for the protector in the old order, with what stood there before."""
        if self.reader == "everybody":
            words = "Rows are in a new order, and nothing marks what was drawn anew."
            return write_note(words) + write_table(
                release.frame, "The published table", what=ROWS, counted=()
            )
        frame = release.frame.iloc[key.rows[:SHOWN]].reset_index(drop=True)
        old, new = (
            cell_texts(shown, self._names) for shown in (self._data.frame.head(SHOWN), frame)
        )
        for place, name in enumerate(self._names):
            pairs = zip(old[:, place], new[:, place], other[:SHOWN, place], strict=True)
            frame[name] = [f"{a} → {b}" if apart else b for a, b, apart in pairs]
        frame.insert(0, "row", np.arange(1, len(frame) + 1))
        words = "In the old order, which only the key knows; an arrow leads from the old value."
        rest = len(release) - len(frame)
        more = write_note(f"and {count(rest, 'more row')}") if rest > 0 else ""
        return (
            write_note(words)
            + write_table(frame, "What was changed", most=SHOWN, counted=())
            + more
        )

    def _count_linked(self, release: TableRelease, key: Key) -> str:
        """How many people are found again by one who knows all originals, with what it means."""
        if len(self._data) > LINKED:
            return write_note(f"Links are counted here for tables of up to {LINKED:,} records.")
        found = self.call_once(_link_rows, self._data, release, key)
        return write_note(
            f"Somebody who knows all originals, and what is published, links {found.count} of "
            f"{count(found.records, 'record')} to their own row alone; luck gives "
            f"{found.luck:.2g} on average. A changed row does not make its person safe: the "
            "values that stayed may still tell who she is."
        )

    def lay_out(self) -> list[Part]:
        """How many are drawn, with what chances, who looks, and which column is drawn."""
        most = max(len(self._names), 1)
        columns = [(name, self._data.schema[name].title) for name in self._names]
        fields = [
            self.field("changed", limits=(1, most, 1)),
            *self.fields("chances", "reader"),
            self.field("column", options=columns),
            self.field("seed"),
            Field("again", "press", "Draw again"),
        ]
        about = (
            f"{count(len(self._data), 'record')}; each drawn value is that of a random record in "
            "the same column, and may be the old one."
        )
        return [Part("asked", "1\u2002What is drawn anew", [(about, "soft")], fields)]


def _randomize(data: Microdata, changed: Any, chances: str, seed: Any) -> tuple[TableRelease, Key]:
    equal = chances == "equal" or changed != 1
    made = randomize(data, changed=changed, probabilities="equal" if equal else None, seed=seed)
    return as_one_table(made.release), made.key


def _link_rows(data: Microdata, release: Any, key: Any) -> Any:
    return correct_links(link(data, release, attack="likelihood"), key)


def _compare_shares(data: Microdata, released: pd.DataFrame, name: str) -> list[svg.Shift]:
    """The most frequent values of a column, with their shares before and after."""
    before = data.frame[name].value_counts(normalize=True)
    after = released[name].astype(data.frame[name].dtype).value_counts(normalize=True)
    lines = []
    for value, share in before[before > 0].head(BARS).items():
        now = float(after.get(value, 0.0))
        words = f"{100 * share:.1f} % before, {100 * now:.1f} % now"
        lines.append(svg.Shift(text(value), float(share), now, words))
    return lines
