"""Numbers as offices of other countries write them, and cells that keep a column from numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.digits import plain_digits
from verikit._support.told import Told
from verikit.errors import quoted
from verikit.table._values import EXACT, find_lost_number, is_float
from verikit.words import listed, text

Read: TypeAlias = Callable[..., pd.DataFrame]

VALUES_TRIED, NEARLY_ALL, MORE_THAN_HALF, MAX_GROUPED = 200, 0.9, 0.5, 1000
EUROPEAN = re.compile(r"[+-]?(?:\d{1,3}(?:[. \u00a0\u202f']\d{3})+|\d+)(?:,\d+)?")
ENGLISH = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+(?:\.\d+)?")
PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
GROUPS = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:\.\d{3})?)")
MARKS = re.compile(r"^[€$£¥]\s*|\s*(?:[€$£¥%]|[A-Za-z]{1,4})$")
FULL = {  # with all that programs write: 5, and ,5 and 1,5E+03
    EUROPEAN: re.compile(rf"{EUROPEAN.pattern}|[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?"),
    ENGLISH: re.compile(rf"{ENGLISH.pattern}|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"),
}
SPACES = re.compile(r"[ \u00a0\u202f]")
SPACED = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})*)(?:\.\d+)?")
CODES = re.compile(r"\d{3}(?:[ \u00a0\u202f]\d{3}){2,}")
ONE_WAY = (PLAIN, ENGLISH, EUROPEAN)
COMMAS = "with decimal commas"
SAYS = {"with commas between thousands": "read-thousands", COMMAS: "read-commas"}
WAYS = ((ENGLISH, "with commas between thousands"), (EUROPEAN, COMMAS))
BLANKS = " \u00a0\u202f"
GROUPS_OF = {ENGLISH: ",", EUROPEAN: f".'{BLANKS}"}
CODE, WHOLE = re.compile(r"0\d"), re.compile(r"[+-]?\d+")
LONGEST = 2**63  # of the whole numbers that are held as such
TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
PURE = ("string", "boolean", "empty", "categorical")


def read_numbers(
    frame: pd.DataFrame,
    again: Read,
    kept: Container[str],
    missing: Container[str],
    decimal: str | None = None,
) -> tuple[pd.DataFrame, str, list[str]]:
    """The numbers of a table in the way in which they are written; each is the closest to its text.

    Parameters
    ----------
    frame
        The table as it was read with a decimal point.
    again
        Reads it with other options of `pandas.read_csv`.
    kept
        The columns that are text in any case.
    missing
        What stands for a missing value.
    decimal
        What stands before the decimal places, if somebody said it.

    Returns
    -------
    tuple
        The table, what stands before its decimal places, and what was found out.
    """
    frame, words = _read_words(frame, again, kept, missing)
    plain = {name: one for name, one in words.items() if _mostly_fit(one.plain, PLAIN, 1)}
    frame = _assign_numbers(frame, {name: one.to_numbers("") for name, one in plain.items()})
    if decimal == ".":
        return frame, decimal, []
    words = {name: one for name, one in words.items() if name in _text_columns(frame)}
    if decimal == ",":
        return _read_where_all_fit(frame, words, again, missing, EUROPEAN), decimal, []
    # A comma may stand between thousands (1,234) or before decimals (1,5): the way that turns
    # more columns into numbers is taken, English first, and the person is told by a cell of hers.
    commas = {name: one for name, one in words.items() if any("," in v for v in one.plain)}
    for pattern, said in WAYS:
        if not any(_mostly_fit(one.plain, pattern) for one in commas.values()):
            continue
        found = _read_where_all_fit(frame, words, again, missing, pattern)
        better = [name for name in commas if name not in _text_columns(found)]
        if better:
            shown = next(value for value in commas[better[0]].values if "," in plain_digits(value))
            told = {"cell": quoted(shown), "name": quoted(str(better[0]))}
            where = "Numbers were read {said}, as in {cell} of {name}.".format(said=said, **told)
            return found, "," if said == COMMAS else ".", [Told(where, SAYS[said], **told)]
    frame, notes = _read_spaced(frame, words)
    return frame, ".", notes


def without_marks(frame: pd.DataFrame, missing: Container[str]) -> pd.DataFrame:
    """A table of another format than text, where marks stand for missing values too.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [31, "?", 45], "pay": [100.0, -9, 200]})
    >>> without_marks(people, ["?", "-9"]).to_dict("list")
    {'age': [31.0, nan, 45.0], 'pay': [100.0, nan, 200.0]}
    """
    changed = {}
    for name, values in frame.items():
        places, found = pd.factorize(values)
        marks = np.array([text(value).strip() in missing for value in found] + [False])
        if not marks.any():
            continue
        bare = values.mask(marks[places])
        if isinstance(values.dtype, pd.CategoricalDtype):
            bare = bare.cat.remove_categories(list(found[marks[:-1]]))
        elif bare.dtype.kind == "O" or isinstance(bare.dtype, pd.StringDtype):
            words = Words.of_column(bare)
            numbers = words.to_numbers("") if _mostly_fit(words.plain, PLAIN, 1) else None
            bare = bare if numbers is None else numbers
        changed[name] = bare
    return frame.assign(**changed) if changed else frame


def without_numbers(frame: pd.DataFrame, missing: Iterable[str]) -> pd.DataFrame:
    """A table without the numbers that are marks of missing values, however they are written.

    Examples
    --------
    >>> people = pd.DataFrame({"pay": [1, -9], "job": ["a", "b"]})
    >>> without_numbers(people, ["-9", "?"])["pay"].tolist()
    [1.0, nan]
    """
    marks = [float(mark) for mark in missing if PLAIN.fullmatch(mark)]
    changed = {}
    for name, values in frame.select_dtypes("number").items() if marks else ():
        gone = values.isin(marks)
        if gone.any():
            changed[name] = values.mask(gone)
    return frame.assign(**changed) if changed else frame


class Words(NamedTuple):
    """The different texts of a column, and where each stands; -1 where it is missing."""

    values: list[str]
    plain: list[str]
    places: Any

    @classmethod
    def of_column(cls, column: pd.Series[Any], missing: Container[str] = ()) -> Words:
        """The words of a column, blanks around them left out, but for marks of missing values."""
        places, found = pd.factorize(column)
        values = [str(value).strip() for value in np.asarray(found, dtype=object)]
        held = np.array([value not in missing for value in values] + [False])
        if not held[:-1].all():
            places = np.where(held[places], np.cumsum(held)[places] - 1, -1)
            values = [value for value in values if value not in missing]
        return cls(values, [plain_digits(value) for value in values], places)

    def to_numbers(self, marks: str, decimal: str = ".") -> Any:
        """Them as numbers, without the marks between thousands; None where it is not to be held."""
        drop, places = str.maketrans(decimal, ".", marks), self.places
        texts = [value.translate(drop) for value in self.plain]
        if not all(map(WHOLE.fullmatch, texts)):
            numbers = np.array([*map(float, texts), np.nan])
            doubtful = len(set(numbers)) <= len(texts) or np.abs(numbers[:-1]).max() >= EXACT
            lost = find_lost_number(pd.Series(texts, dtype=object)) if doubtful else None
            return numbers[places] if lost is None else None
        whole = [*map(int, texts)]
        if not all(map(is_float, whole)):
            return None
        if (places >= 0).all() and max(map(abs, whole), default=0) < LONGEST:
            return np.array(whole, np.int64)[places]
        return np.array([*map(float, whole), np.nan])[places]


def _read_words(
    frame: pd.DataFrame, again: Read, kept: Container[str], missing: Container[str]
) -> tuple[pd.DataFrame, dict[Any, Words]]:
    """The table with nothing but words in its texts, and these; marks of missing values are none.

    What the reader of files takes for numbers here and for words there becomes words, and so do
    whole numbers of which some are too long to be held to their last digit.
    """
    mixed = [
        name for name in _text_columns(frame) if pd.api.types.infer_dtype(frame[name]) not in PURE
    ]
    numbers = frame.select_dtypes("number")  # of which the last digits may not be held
    long = (numbers.max() >= EXACT) | (numbers.min() <= -EXACT)
    mixed += [name for name, is_long in long.items() if is_long]
    written = again(usecols=mixed, dtype=str) if mixed else frame
    for name in mixed:
        plain = Words.of_column(written[name], missing).plain
        if frame[name].dtype.kind not in "iuf" or all(map(WHOLE.fullmatch, plain)):
            frame = frame.assign(**{name: written[name]})
    words = {}
    for name in _text_columns(frame):
        found = Words.of_column(frame[name], missing)
        if (found.places < 0).sum() > frame[name].isna().sum():
            values = frame[name].mask(found.places < 0)
            truths = bool(found.values) and values.dropna().isin(TRUTHS).all()
            frame = frame.assign(**{name: values.map(TRUTHS) if truths else values})
        if name not in kept and not any(map(CODE.match, set(found.plain) - set(found.values))):
            words[name] = found
    return frame, words


def _assign_numbers(frame: pd.DataFrame, numbers: Mapping[Any, Any]) -> pd.DataFrame:
    found = {name: values for name, values in numbers.items() if values is not None}
    return frame.assign(**found) if found else frame


def _read_where_all_fit(
    frame: pd.DataFrame,
    words: Mapping[Any, Words],
    again: Read,
    missing: Container[str],
    pattern: re.Pattern[str],
) -> pd.DataFrame:
    """The table in another way; a column stays as it was unless all its cells are written so."""
    points = pattern is EUROPEAN
    floats = [name for name, kind in frame.dtypes.items() if points and kind.kind == "f"]
    written = again(usecols=floats, dtype=str) if floats else frame
    numbers = {}
    for name, one in (*words.items(), *((n, Words.of_column(written[n], missing)) for n in floats)):
        if _mostly_fit(one.plain, FULL[pattern], 1):
            numbers[name] = one.to_numbers(GROUPS_OF[pattern], "," if points else ".")
        elif not points and _mostly_fit(one.plain, EUROPEAN, 1):
            numbers[name] = one.to_numbers(GROUPS_OF[EUROPEAN], ",")
    return _assign_numbers(frame, numbers)


def _read_spaced(frame: pd.DataFrame, words: Mapping[Any, Words]) -> tuple[pd.DataFrame, list[str]]:
    """Numbers whose thousands are set apart by spaces, and a note of the first such column.

    What comes in three full groups in every cell, such as 732 829 320, is a number of a telephone
    or an office.

    Examples
    --------
    >>> people = pd.DataFrame({"pay": ["1 234", "950"], "phone": ["732 829 320", "512 101 977"]})
    >>> found, (note,) = _read_spaced(
    ...     people, {name: Words.of_column(people[name]) for name in people}
    ... )
    >>> found["pay"].tolist(), found["phone"].tolist() == people["phone"].tolist(), note
    ([1234, 950], True, "Numbers were read with spaces between thousands, as in '1 234' of 'pay'.")
    """
    spaced = {
        name: one
        for name, one in words.items()
        if _mostly_fit(one.plain, SPACED)
        and any(map(SPACES.search, one.plain))
        and all(SPACED.fullmatch(value) or PLAIN.fullmatch(value) for value in one.plain)
        and not all(map(CODES.fullmatch, one.plain))
    }
    if not spaced:
        return frame, []
    frame = _assign_numbers(frame, {name: one.to_numbers(BLANKS) for name, one in spaced.items()})
    name, one = next(iter(spaced.items()))
    shown = next(value for value in one.values if SPACES.search(value))
    told = {"cell": quoted(SPACES.sub(" ", shown)), "name": quoted(str(name))}
    said = "Numbers were read with spaces between thousands, as in {cell} of {name}."
    return frame, [Told(said.format(**told), "read-spaces", **told)]


def perhaps_thousands(frame: pd.DataFrame, again: Read) -> list[str]:
    """Say of which columns the points may stand between thousands: 1.234 beside a semicolon."""
    fractions = frame.columns[[kind.kind == "f" for kind in frame.dtypes]]
    names = []
    for name in fractions:
        some = frame[name].dropna().to_numpy()
        small = bool(len(some)) and np.abs(some).max() < MAX_GROUPED
        if small and bool((np.abs(some * 1000 - np.round(some * 1000)) < 1e-6).all()):
            names.append(name)
    written = again(usecols=names, dtype=str) if names else frame
    found = []
    for name in names:
        values = Words.of_column(written[name]).plain
        if any("." in value for value in values) and _mostly_fit(values, GROUPS, least=1.0):
            found.append(str(name))
    if not found:
        return []
    where = f"In {listed(found)} the point was read as decimal point"
    said = f"{where}, and may stand between thousands; if so, say that the decimal mark is ','."
    return [Told(said, "perhaps-thousands", names=[quoted(name) for name in found])]


def note_disturbed_numbers(frame: pd.DataFrame, kept: Container[str]) -> Iterable[str]:
    """Name the first cell of each column that would be numbers without some of its cells.

    Columns that are kept as text are meant to be.
    """
    for name in (one for one in _text_columns(frame) if one not in kept):
        words = Words.of_column(frame[name])
        values = dict(zip(words.plain, words.values, strict=True))
        odd = [value for plain, value in values.items() if not PLAIN.fullmatch(plain)]
        bare = [MARKS.sub("", value) for value in values]
        share = 1 - len(odd) / max(len(values), 1)
        if odd and (share >= NEARLY_ALL or (share > MORE_THAN_HALF and len(odd) == 1)):
            row = int(np.flatnonzero((frame[name].astype(str).str.strip() == odd[0]).to_numpy())[0])
            yield Told(
                f"{quoted(str(name))} is read as words: record {row + 1} holds {quoted(odd[0])}, "
                "which is no number; if it stands for a missing value, say so "
                f"(missing={quoted(odd[0])}).",
                "words-odd",
                name=quoted(str(name)),
                row=row + 1,
                cell=quoted(odd[0]),
            )
        elif odd and bare != list(values) and any(_mostly_fit(bare, way, 1) for way in ONE_WAY):
            yield Told(
                f"{quoted(str(name))} is read as words: {quoted(odd[0])} has a sign or a unit "
                "beside its number; remove it to compare numbers.",
                "words-unit",
                name=quoted(str(name)),
                cell=quoted(odd[0]),
            )


def _text_columns(frame: pd.DataFrame) -> list[Any]:
    return [
        name
        for name, kind in zip(frame.columns, frame.dtypes, strict=True)
        if kind.kind not in "biufc" and not isinstance(kind, pd.CategoricalDtype)
    ]


def _mostly_fit(values: Sequence[str], pattern: re.Pattern[str], least: float = NEARLY_ALL) -> bool:
    """Whether nearly all values are written so; the first few already rule most ways out."""
    return bool(values) and all(
        sum(bool(pattern.fullmatch(value)) for value in some) >= least * len(some)
        for some in (values[:VALUES_TRIED], values)
    )
