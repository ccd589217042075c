"""Numbers as offices of other countries write them, and cells that keep a column from numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.told import Told
from verikit.errors import quoted
from verikit.words import listed

__all__ = ["COMMAS", "as_written_elsewhere", "disturbed", "perhaps_thousands"]

Read: TypeAlias = Callable[..., pd.DataFrame]

SAMPLE, MOST, HALF = 200, 0.9, 0.5
EUROPEAN = re.compile(r"[+-]?(?:\d{1,3}(?:[. \u00a0\u202f']\d{3})+|\d+)(?:,\d+)?")
ENGLISH = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+(?:\.\d+)?")
PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
GROUPS = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:\.\d{3})?)")
MARKS = re.compile(r"^[€$£¥]\s*|\s*(?:[€$£¥%]|[A-Za-z]{1,4})$")
FULL = {  # with all that programs write: 5, and ,5 and 1,5E+03
    EUROPEAN: re.compile(rf"(?:{EUROPEAN.pattern}|[+-]?\d+,|[+-]?,\d+)(?:[eE][+-]?\d+)?"),
    ENGLISH: re.compile(rf"(?:{ENGLISH.pattern}|[+-]?\d+\.|[+-]?\.\d+)(?:[eE][+-]?\d+)?"),
}
SPACES = re.compile(r"[ \u00a0\u202f]")
SPACED = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})*)(?:\.\d+)?")
CODES = re.compile(r"\d{3}(?:[ \u00a0\u202f]\d{3}){2,}")
COMMAS = "with decimal commas"
SAYS = {"with commas between thousands": "read-thousands", COMMAS: "read-commas"}
WAYS = (
    (ENGLISH, {"thousands": ","}, "with commas between thousands"),
    (EUROPEAN, {"decimal": ",", "thousands": "."}, COMMAS),
)


def as_written_elsewhere(
    frame: pd.DataFrame, again: Read, kept: Container[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Read a table again in another way of writing numbers, if more columns are numbers then.

    Parameters
    ----------
    frame
        The table as it was read with a decimal point.
    again
        Reads it with other options of `pandas.read_csv`.
    kept
        The columns that are text in any case.

    Returns
    -------
    tuple
        The table, and what was found out.
    """
    words = {name: _values(frame[name]) for name in _texts(frame) if name not in kept}
    commas = {name: values for name, values in words.items() if any("," in v for v in values)}
    for pattern, options, said in WAYS:
        if not any(_fits(values, pattern) for values in commas.values()):
            continue
        plain = options.get("thousands") == "." and not _with_points(frame, commas)
        found = again(decimal=",") if plain else again(**options)
        cells = {} if plain else words  # without thousands nothing is taken out of a cell
        found = _without_spaces(_where_it_fits(found, frame, cells, again, pattern), kept)
        better = [name for name in commas if name not in _texts(found)]
        if better:
            shown = next(value for value in commas[better[0]] if "," in value)
            where = f"{quoted(shown)} of {quoted(str(better[0]))}"
            told = {"cell": quoted(shown), "name": quoted(str(better[0]))}
            return found, [Told(f"Numbers were read {said}, as in {where}.", SAYS[said], **told)]
    return _with_spaces(frame, words)


def _where_it_fits(
    found: pd.DataFrame,
    frame: pd.DataFrame,
    words: Mapping[Any, Sequence[str]],
    again: Read,
    pattern: re.Pattern[str],
) -> pd.DataFrame:
    """The table in the other way; a column stays as it was unless all its cells are written so."""
    points = pattern is EUROPEAN
    floats = [name for name, kind in frame.dtypes.items() if points and kind.kind == "f"]
    written = again(usecols=floats, dtype=str) if floats else frame
    cells = {**words, **{name: _values(written[name]) for name in floats}}
    stay = [
        name for name, values in cells.items() if values and not _fits(values, FULL[pattern], 1)
    ]
    return found.assign(**{name: frame[name] for name in stay})


def _with_points(frame: pd.DataFrame, commas: Mapping[str, Sequence[str]]) -> bool:
    """Whether points stand in some numbers; pandas reads fractions less exactly that may have some.

    Examples
    --------
    >>> _with_points(pd.DataFrame({"a": [1.5]}), {}), _with_points(pd.DataFrame(), {"b": ["1,5"]})
    (True, False)
    """
    fractions = (
        frame[name].dropna() for name in frame.columns[[t.kind == "f" for t in frame.dtypes]]
    )
    points = any("." in value for values in commas.values() for value in values)
    return points or any(bool((part % 1 != 0).any()) for part in fractions)


def _without_spaces(frame: pd.DataFrame, kept: Container[str]) -> pd.DataFrame:
    """Numbers whose thousands are set apart by what the reader of files does not know."""
    for name in _texts(frame):
        if name not in kept and _fits(_values(frame[name]), EUROPEAN, least=1.0):
            plain = frame[name].str.replace(r"[^\d,+-]", "", regex=True).str.replace(",", ".")
            frame = frame.assign(**{name: pd.to_numeric(plain)})
    return frame


def _with_spaces(
    frame: pd.DataFrame, words: Mapping[Any, Sequence[str]]
) -> tuple[pd.DataFrame, list[str]]:
    """Numbers whose thousands are set apart by spaces, and a note of the first such column.

    What comes in three full groups in every cell, such as 732 829 320, is a number of a telephone
    or an office.

    Examples
    --------
    >>> people = pd.DataFrame({"pay": ["1 234", "950"], "phone": ["732 829 320", "512 101 977"]})
    >>> found, (note,) = _with_spaces(people, {name: list(people[name]) for name in people})
    >>> found["pay"].tolist(), found["phone"].tolist() == people["phone"].tolist(), note
    ([1234, 950], True, "Numbers were read with spaces between thousands, as in '1 234' of 'pay'.")
    """
    spaced = {
        name: next(value for value in values if SPACES.search(value))
        for name, values in words.items()
        if _in_spaced_groups(values)
    }
    if not spaced:
        return frame, []
    plain = {name: frame[name].str.replace(SPACES, "", regex=True) for name in spaced}
    frame = frame.assign(**{name: pd.to_numeric(values) for name, values in plain.items()})
    name, shown = next(iter(spaced.items()))
    told = {"cell": quoted(SPACES.sub(" ", shown)), "name": quoted(str(name))}
    said = "Numbers were read with spaces between thousands, as in {cell} of {name}."
    return frame, [Told(said.format(**told), "read-spaces", **told)]


def _in_spaced_groups(values: Sequence[str]) -> bool:
    return (
        _fits(values, SPACED)
        and any(SPACES.search(value) for value in values)
        and all(SPACED.fullmatch(value) or PLAIN.fullmatch(value) for value in values)
        and not all(CODES.fullmatch(value) for value in values)
    )


def perhaps_thousands(frame: pd.DataFrame, again: Read) -> list[str]:
    """Say of which columns the points may stand between thousands: 1.234 beside a semicolon."""
    fractions = frame.columns[[kind.kind == "f" for kind in frame.dtypes]]
    names = [name for name in fractions if _in_thousandths(frame[name])]
    written = again(usecols=names, dtype=str) if names else frame
    found = [str(name) for name in names if _grouped(_values(written[name]))]
    if not found:
        return []
    where = f"In {listed(found)} the point was read as decimal point"
    said = f"{where}, and may stand between thousands; if so, say that the decimal mark is ','."
    return [Told(said, "perhaps-thousands", names=[quoted(name) for name in found])]


def _grouped(values: Sequence[str]) -> bool:
    return any("." in value for value in values) and _fits(values, GROUPS, least=1.0)


def _in_thousandths(values: pd.Series[Any]) -> bool:
    some = values.dropna().to_numpy()
    return len(some) > 0 and bool((np.abs(some * 1000 - np.round(some * 1000)) < 1e-6).all())


def disturbed(frame: pd.DataFrame, kept: Container[str]) -> Iterable[str]:
    """Name the first cell of each column that would be numbers without some of its cells.

    Columns that are kept as text are meant to be.
    """
    for name in _texts(frame):
        values = [] if name in kept else _values(frame[name])
        odd = [value for value in values if not PLAIN.fullmatch(value)]
        share = 1 - len(odd) / max(len(values), 1)
        if odd and (share >= MOST or (share > HALF and len(odd) == 1)):
            row = int(np.flatnonzero((frame[name].astype(str).str.strip() == odd[0]).to_numpy())[0])
            yield Told(
                f"{quoted(str(name))} is read as words: record {row + 1} holds {quoted(odd[0])}, "
                "which is no number; if it stands for a missing value, say so.",
                "words-odd",
                name=quoted(str(name)),
                row=row + 1,
                cell=quoted(odd[0]),
            )
        elif odd and _numbers_beside_marks(values):
            yield Told(
                f"{quoted(str(name))} is read as words: {quoted(odd[0])} has a sign or a unit "
                "beside its number; remove it to compare numbers.",
                "words-unit",
                name=quoted(str(name)),
                cell=quoted(odd[0]),
            )


def _numbers_beside_marks(values: Sequence[str]) -> bool:
    bare = [MARKS.sub("", value) for value in values]
    known = (PLAIN, ENGLISH, EUROPEAN)
    return bare != list(values) and any(_fits(bare, pattern, least=1.0) for pattern in known)


def _texts(frame: pd.DataFrame) -> list[Any]:
    return [
        name
        for name, kind in zip(frame.columns, frame.dtypes, strict=True)
        if kind.kind not in "biufc" and not isinstance(kind, pd.CategoricalDtype)
    ]


def _values(column: pd.Series[Any]) -> list[str]:
    """The different values of a column, in the order in which they come."""
    return [str(value).strip() for value in np.asarray(column.dropna().unique(), dtype=object)]


def _fits(values: Sequence[str], pattern: re.Pattern[str], least: float = MOST) -> bool:
    """Whether nearly all values are written so; the first tell most of the others apart."""
    return bool(values) and all(
        sum(bool(pattern.fullmatch(value)) for value in some) >= least * len(some)
        for some in (values[:SAMPLE], values)
    )
