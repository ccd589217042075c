"""How likely each person's sensitive value is, seen from the groups she may be in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Floats
from verikit._support.plotted import Plotted
from verikit.alike import Alignment, Contents, Fit, printed_chance
from verikit.errors import SchemaError
from verikit.intruder._aligned import Aligned, aligned
from verikit.release import SplitRelease
from verikit.table import Microdata
from verikit.words import EVEN_VALUES, listed, text

__all__ = ["ValueChance", "value_chance"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValueChance(Plotted):
    """For each person what an intruder thinks of her sensitive value, who looks at her group alone.

    Parameters
    ----------
    people
        What is known of each person.
    guess
        The value he takes for hers: the most likely one.
    chance
        How likely it is.
    own
        How likely her true value is; NaN where the table does not tell it.
    printed
        What formula (1) of the paper gives for her true value, which is no chance.
    """

    people: pd.DataFrame
    guess: npt.NDArray[Any]
    chance: Floats
    own: Floats
    printed: Floats

    def __len__(self) -> int:
        return len(self.people)

    def __repr__(self) -> str:
        return (
            f"value chance: the surest guess is {np.nanmax(self.chance, initial=0):.2g} likely, "
            f"on average over {len(self):,} people {np.nanmean(self.chance):.2g}, {EVEN_VALUES}."
        )

    def to_frame(self) -> pd.DataFrame:
        """The chances, one line a person."""
        names = ("guess", "chance", "own", "printed")
        chances = pd.DataFrame({name: getattr(self, name) for name in names})
        return pd.concat([self.people, chances], axis=1)

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().head(12))


def value_chance(
    data: Microdata, release: SplitRelease, *, sensitive: str | None = None
) -> ValueChance:
    """How likely each sensitive value is for people whose groups are known, and nothing else.

    That is so if within a group each value is equally likely for everyone. Whoever learns from the
    whole table which values go with which, or repeats a method that made the groups from the
    sensitive values, may do better.

    Parameters
    ----------
    data
        The people an intruder knows to be in the data.
    release
        What was published in two tables.
    sensitive
        The sensitive column; needed only if several are.

    Returns
    -------
    ValueChance
        For each person the most likely value, and the chance of her own.

    Raises
    ------
    SchemaError
        If the release is no pair of tables, the people lack one of its quasi-identifiers, or the
        sensitive column is not clear.

    Notes
    -----
    In a group of n records a value that occurs c times has the chance c / n, as under anatomy:
    counting every way to align the columns gives just that. The formula in print divides besides
    by how many values each attribute has in the group; its chances do not add up to 1, and its
    example multiplies them back in. If a person fits several groups, each counts by how many rows
    with her values it is expected to hold. O(groups) for each kind of person.

    References
    ----------
    [LHCC]_ Theorem 1, Example 3

    Examples
    --------
    Bob has Emphysema with chance 1/5; printed is a formula that gives 1/50.

    >>> import verikit as vk
    >>> found = value_chance(vk.load("lhcc_table1"), vk.published("lhcc_table4"))
    >>> float(found.own[0]), float(found.printed[0])
    (0.2, 0.02)
    """
    known = aligned(data, release, "value_chance")
    name = _sensitive(release, sensitive)
    contents = Contents(release, name)
    fits = list(known.fits())
    chances = [contents.chances(fit) for fit in fits]
    best = np.array([int(np.argmax(part)) if part.any() else -1 for part in chances])
    own, printed = _own(data, known, contents, list(zip(fits, chances, strict=True)), name)
    return ValueChance(
        known.people,
        np.array([*contents.values, None], object)[best][known.kind],
        np.array([part.max(initial=0) for part in chances])[known.kind],
        own,
        printed,
    )


def _own(
    data: Microdata,
    known: Aligned,
    contents: Contents,
    found: list[tuple[Fit, Floats]],
    name: str,
) -> tuple[Floats, Floats]:
    """The chance of each person's true value, and what the printed formula gives for it."""
    own = np.full(len(known.kind), np.nan)
    printed = own.copy()
    if name not in data.schema.names:
        return own, printed
    places = {value: place for place, value in enumerate(contents.values)}
    for row, value in enumerate(data.frame[name].map(text, na_action="ignore")):
        fit, chances = found[known.kind[row]]
        place = places.get("missing" if pd.isna(value) else value, -1)
        own[row], printed[row] = 0.0, 0.0  # where no group holds the value
        if place >= 0:
            own[row] = chances[place]
            printed[row] = _printed(known.alignment, fit, contents, place)
    return own, printed


def _printed(alignment: Alignment, fit: Fit, contents: Contents, place: int) -> float:
    """Formula (1), over all groups that a person fits; anatomy divides by nothing more."""
    total = 0.0
    for group, weight in zip(fit.groups.tolist(), fit.weights, strict=True):
        distinct = alignment.distinct(group) if alignment.release.permuted else []
        count = contents.count(group, place)
        total += weight * printed_chance(count, int(alignment.sizes[group]), distinct)
    return total


def _sensitive(release: SplitRelease, name: str | None) -> str:
    found = [column.name for column in release.schema.sensitive]
    if name is None and len(found) == 1:
        return found[0]
    if isinstance(name, str) and name in found:
        return name
    raise SchemaError(
        f"sensitive was given as {name!r}; the release has the sensitive columns {listed(found)}."
    )
