"""Amplification: how much more likely one original becomes a published row than another does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from verikit._support.arrays import Flags, Floats
from verikit._support.plotted import Plotted
from verikit._support.requests import instance
from verikit.errors import RecordError, SchemaError
from verikit.release import Probabilities, Redraw, TableRelease, needed_redraw
from verikit.table import Microdata, codes_like, microdata, place_of, shares_of, single_codes
from verikit.words import listed

__all__ = ["Amplification", "amplification", "conversion_chance"]

WORK = 2**21


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Amplification(Plotted):
    """By how much the chances of the originals that can become a published row differ.

    Parameters
    ----------
    value
        The largest ratio over all rows.
    per_row
        The ratio of each row.
    worst
        The row with the largest ratio, counted from 0.
    """

    value: float
    per_row: Floats
    worst: int

    def __repr__(self) -> str:
        return (
            f"amplification {self.value:.4g}, over the originals that can become the row; it is "
            f"row {self.worst + 1}"
        )


def amplification(release: TableRelease, *, original: Microdata | None = None) -> Amplification:
    """Measure how unequal the chances of the originals are that can become each published row.

    Parameters
    ----------
    release
        A release of `verikit.mask.randomize`.
    original
        The table whose shares were drawn from; without it those of the release, which are the same
        in expectation.

    Returns
    -------
    Amplification
        For each row the largest ratio of two chances.

    Raises
    ------
    SchemaError
        If the release tells no probabilities, the original lacks one of its columns or a published
        value, or values are missing.

    Notes
    -----
    Over all originals the ratio is infinite wherever a record keeps an attribute, since one that
    differs in more attributes than are changed cannot become the row. So only originals that can
    are compared: the likeliest is the row itself, the least likely differs where values are rarest.
    That takes every combination of values for a possible original, whether it occurs or not.

    References
    ----------
    [YQ]_ Definition 8, section 4.2.1

    Examples
    --------
    Christopher's row: to be (0.3 + 0.1 + 0.6)/3 likely from itself, 0.1/3 from another job.

    >>> import verikit as vk
    >>> release = vk.published("yq_figure5")
    >>> amplification(release, original=vk.load("yq_figure1")).per_row[0].round(6)
    np.float64(10.0)
    """
    told = needed_redraw(release, "amplification")
    shares, constant = _shares(release, original, told)
    step = max(1, WORK >> len(told.names))
    parts = [shares[start : start + step] for start in range(0, len(shares), step)]
    ratio = np.concatenate([_ratios(told, part, constant) for part in parts])
    worst = int(np.argmax(ratio))
    return Amplification(float(ratio[worst]), ratio, worst)


def _shares(
    release: TableRelease, original: Microdata | None, told: Redraw
) -> tuple[Floats, Flags]:
    """The share of each published value in its column, and which columns are constant."""
    source = release if original is None else microdata(original, "amplification")
    lacking = [name for name in told.names if name not in source.schema.names]
    if lacking:
        raise SchemaError(f"The original lacks {listed(lacking)}, which the release holds.")
    found, constant = [], []
    for name in told.names:
        codes, values = single_codes(source.frame[name], name, "the original")
        own, known = codes_like(release.frame[name], values, name, "the release")
        share = shares_of(codes, len(known))
        if (share[own] == 0).any():
            value = known[int(own[np.argmin(share[own])])]
            raise SchemaError(
                f"The release holds {value!r} in column {name!r}, which the original does not; "
                "give the table that the values were drawn from."
            )
        found.append(share[own])
        constant.append(np.count_nonzero(share) < 2)
    return np.column_stack(found), np.array(constant)


def _ratios(told: Redraw, shares: Floats, constant: Flags) -> Floats:
    """The largest chance is that of no difference; the least differs where all that can is drawn.

    A chance only falls where one more attribute differs, so sets as large as possible are enough.
    """
    chances = told.becomes(told.names, shares)
    sets = np.arange(chances.shape[-1])
    apart = np.array([[s >> k & 1 for k in range(len(told.names))] for s in sets], bool)
    within = np.flatnonzero(~(apart & constant).any(axis=1) & (chances > 0).any(axis=0))
    least = np.where(chances[:, within] > 0, chances[:, within], np.inf).min(axis=1)
    ratio: Floats = chances[:, 0] / least
    return ratio


def conversion_chance(
    data: Microdata,
    before: Mapping[str, object],
    after: Mapping[str, object],
    *,
    changed: int = 1,
    probabilities: Probabilities = "equal",
) -> float:
    """Work out how likely values of some attributes become other values of these.

    Parameters
    ----------
    data
        The original, whose shares are drawn from.
    before, after
        Values of the same quasi-identifiers by name: in a record, and in the row it becomes.
    changed, probabilities
        As `verikit.mask.randomize` takes them; ``"equal"`` by default.

    Returns
    -------
    float
        The chance, exactly, over all sets of attributes that are drawn anew.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, or values are missing.
    RecordError
        If both do not name the same quasi-identifiers, or so many cannot be changed.

    Notes
    -----
    The paper says that this chance grows with the number of changed attributes. That holds for
    single values; for several it often falls, because what already agrees is drawn anew as well.
    The ratio in its proof is wrong.

    References
    ----------
    [YQ]_ Proposition 13

    Examples
    --------
    >>> import verikit as vk
    >>> germany = {"Age": "[20-30]", "Job": "Banker", "Country": "Germany"}
    >>> for changed in (1, 2, 3):
    ...     print(
    ...         round(
    ...             conversion_chance(
    ...                 vk.load("yq_figure1"),
    ...                 germany,
    ...                 germany | {"Country": "India"},
    ...                 changed=changed,
    ...             ),
    ...             4,
    ...         )
    ...     )
    0.0333
    0.01
    0.002
    """
    names = [column.name for column in microdata(data, "conversion_chance").schema.quasi]
    for values in (before, after):
        instance(values, Mapping, "conversion_chance", "values by the name of their column")
    asked = list(after)
    if set(before) != set(after) or not asked or not set(asked) <= set(names):
        raise RecordError(
            f"The values before name {listed(before, 12) or 'nothing'} and those after "
            f"{listed(after, 12) or 'nothing'}; expected the same of {listed(names, 12)}."
        )
    told = Redraw.of(names, changed, probabilities)
    shares, differs = [], 0
    for k, name in enumerate(asked):
        codes, found = single_codes(data.frame[name], name, "the table")
        place = place_of(after[name], found, data.schema[name])
        shares.append(float(np.mean(codes == place)))
        differs |= (place_of(before[name], found, data.schema[name]) != place) << k
    return float(told.becomes(asked, np.array(shares))[differs])
