"""Numbers as offices of other countries write them, and cells that keep a column from numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.rules import CELLS, LIMITS, PARTS, RULES
from verikit.errors import quoted
from verikit.languages import tell
from verikit.table._values import list_texts
from verikit.values.names import code_names, put_at_codes
from verikit.values.numbers import EXACT, are_large, find_lost_number, lost_whole, plain_digits
from verikit.words import text

Read: TypeAlias = Callable[..., pd.DataFrame]


class Way(NamedTuple):
    """A way to write numbers: what some hold, most show, all may be, not all are; its marks."""

    note: str
    mark: re.Pattern[str]
    mostly: re.Pattern[str]
    full: re.Pattern[str]
    never: re.Pattern[str]
    decimal: str
    groups: str

    @classmethod
    def of_rules(cls, one: Mapping[str, str]) -> Way:
        """As the rules have it."""
        held = (one["mark"], one["mostly"], f"{one['mostly']}|{one['also']}")
        mark, mostly, full, never = (
            re.compile(part, re.ASCII) for part in (*held, one.get("never", "(?!)"))
        )
        return cls(one["note"], mark, mostly, full, never, one["decimal"], one["groups"])

    def to_numbers(self, words: Words) -> Any:
        """The numbers of words all of which are written so; None where some are not."""
        if not _mostly_fit(words.plain, self.full, 1) or _mostly_fit(words.plain, self.never, 1):
            return None
        return words.to_numbers(self.groups, self.decimal)


WAYS = ENGLISH, EUROPEAN, _ = tuple(map(Way.of_rules, RULES["ways"]))
NUMBERS = re.compile(f"{CELLS.plain.pattern}|{CELLS.infinite.pattern}", re.ASCII)
PLAINLY = (CELLS.plain, ENGLISH.mostly, EUROPEAN.mostly)

MAX_GROUPED = 1000
LONGEST = 2**63  # of the whole numbers that are held as such
MANY_DIGITS = 400  # of no number that a float comes near
TRUTHS = {word: truth for truth in (True, False) for word in RULES[str(truth).lower()]}
FLAGS = (bool, np.bool_)
PURE = ("string", "boolean", "empty", "categorical")


def read_numbers(
    frame: pd.DataFrame,
    again: Read,
    kept: Container[str],
    missing: Collection[str],
    decimal: str | None = None,
    large: bool = True,
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
    large
        Whether some number may be one of which a float does not keep the last digit.

    Returns
    -------
    tuple
        The table, what stands before its decimal places, and what was found out.
    """
    frame, words = _read_words(frame, again, kept, missing, large)
    plain = {name: one for name, one in words.items() if _mostly_fit(one.plain, NUMBERS, 1)}
    frame = _assign_numbers(frame, {name: one.to_numbers("") for name, one in plain.items()})
    if decimal == ".":
        return frame, decimal, []
    words = {name: one for name, one in words.items() if name in list_texts(frame)}
    if decimal == EUROPEAN.decimal:
        return _read_where_all_fit(frame, words, again, missing, EUROPEAN), decimal, []
    # A comma may stand between thousands (1,234) or before decimals (1,5): the way that turns
    # more columns into numbers is taken, English first, and the person is told by a cell of hers.
    for way in WAYS:
        marked = {n: one for n, one in words.items() if any(map(way.mark.search, one.plain))}
        if not any(_mostly_fit(one.plain, way.mostly) for one in marked.values()):
            continue
        found = _read_where_all_fit(frame, words, again, missing, way)
        better = [name for name in marked if name not in list_texts(found)]
        if better:
            values = marked[better[0]].values
            cell = next(one for one in values if way.mark.search(plain_digits(one)))
            cell = quoted(PARTS.space.sub(" ", cell))
            return found, way.decimal, [tell(way.note, cell=cell, name=quoted(str(better[0])))]
    return frame, ".", []


def without_marks(frame: pd.DataFrame, missing: Collection[str]) -> pd.DataFrame:
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
        if bare.dtype.kind == "O" or isinstance(bare.dtype, pd.StringDtype):
            words = Words.of_column(bare)
            numbers = words.to_numbers("") if _mostly_fit(words.plain, CELLS.plain, 1) else None
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
    marks = [float(mark) for mark in missing if CELLS.plain.fullmatch(mark)]
    changed = {}
    for name, values in frame.items() if marks else ():
        gone = values.isin(marks) if values.dtype.kind in "iuf" else np.array(False)
        if gone.any():
            changed[name] = values.mask(gone)
    return frame.assign(**changed) if changed else frame


class Words(NamedTuple):
    """The different texts of a column, and where each stands; -1 where it is missing."""

    values: list[str]
    plain: list[str]
    places: Any

    @classmethod
    def of_column(cls, column: pd.Series[Any], missing: Collection[str] = ()) -> Words:
        """The words of a column, blanks around them left out, but for marks of missing values."""
        places, names = code_names(column, str(column.name))
        values = [*map(str.strip, names)]
        if not {*missing}.isdisjoint(values):
            held = np.array([value not in missing for value in values] + [False])
            kept = np.where(held, np.cumsum(held) - 1, -1).astype(places.dtype)
            places = put_at_codes(kept, places)
            values = [value for value in values if value not in missing]
        if all(map(str.isascii, values)):
            return cls(values, values, places)
        return cls(values, [*map(plain_digits, values)], places)

    def to_numbers(self, marks: str, decimal: str = ".") -> Any:
        """Them as numbers, without the marks between thousands; None where it is not to be held."""
        drop, places = str.maketrans(decimal, ".", marks), self.places
        texts = [value.translate(drop) for value in self.plain]
        if not all(CELLS.whole.fullmatch(one) and len(one) < MANY_DIGITS for one in texts):
            numbers = np.array([*map(float, texts), np.nan])
            doubtful = len(set(numbers)) <= len(texts) or np.abs(numbers[:-1]).max() >= EXACT
            lost = find_lost_number(pd.Series(texts, dtype=object)) if doubtful else None
            return put_at_codes(numbers, places) if lost is None else None
        whole = [*map(int, texts)]
        if any(lost_whole(one) is not None for one in whole):
            return None
        if (places >= 0).all() and max(map(abs, whole), default=0) < LONGEST:
            return put_at_codes(np.array(whole, np.int64), places)
        return put_at_codes(np.array([*map(float, whole), np.nan]), places)


def _read_words(
    frame: pd.DataFrame, again: Read, kept: Container[str], missing: Collection[str], large: bool
) -> tuple[pd.DataFrame, dict[Any, Words]]:
    """The table with nothing but words in its texts, and these; marks of missing values are none.

    What the reader of files takes for numbers here and for words there becomes words, and so do
    whole numbers of which some are too long to be held to their last digit.
    """
    mixed = [
        name for name in list_texts(frame) if pd.api.types.infer_dtype(frame[name]) not in PURE
    ]
    if large:
        numbers = (one for one in frame.items() if one[1].dtype.kind in "iuf")
        mixed += [name for name, values in numbers if bool(are_large(values).any())]
    written = again(usecols=mixed, dtype=str) if mixed else frame
    for name in mixed:
        plain = Words.of_column(written[name], missing).plain
        if frame[name].dtype.kind not in "iuf" or all(map(CELLS.whole.fullmatch, plain)):
            frame = frame.assign(**{name: written[name]})
    words = {}
    for name in list_texts(frame):
        found = Words.of_column(frame[name], missing)
        if (found.places < 0).sum() > frame[name].isna().sum():
            values = frame[name].mask(found.places < 0)
            truths = are_truths(values.dropna().unique())  # with the blanks around them
            values = values.astype(object).map(TRUTHS) if truths else values
            frame = frame.assign(**{name: values if found.values else np.nan})
        others = () if found.plain is found.values else {*found.plain} - {*found.values}
        if name not in kept and not any(map(PARTS.code.search, others)):
            words[name] = found
    return frame, words


def are_truths(words: Sequence[str]) -> bool:
    """Whether different words are all true or false, neither of which is spelled in two ways.

    Examples
    --------
    >>> are_truths(["true", "false"]), are_truths(["true", "TRUE"]), are_truths(["true", "no"])
    (True, False, False)
    """
    found = [TRUTHS.get(word) for word in words]
    return None not in found and len(set(found)) == len(found)


def keep_truths_apart(frame: pd.DataFrame, again: Read) -> pd.DataFrame:
    """Keep true and false as the words that they were, where one of them is spelled in two ways."""
    others = [name for name, kind in frame.dtypes.items() if kind.kind not in "iuf"]
    held = {name: frame[name].dropna().iloc[:1] for name in others}
    truths = [name for name, one in held.items() if len(one) and isinstance(one.iloc[0], FLAGS)]
    written = again(usecols=truths, dtype=str) if truths else frame
    words = {name: written[name].str.strip() for name in truths}
    apart = {name: one for name, one in words.items() if not are_truths([*one.dropna().unique()])}
    return frame.assign(**apart) if apart else frame


def _assign_numbers(frame: pd.DataFrame, numbers: Mapping[Any, Any]) -> pd.DataFrame:
    found = {name: values for name, values in numbers.items() if values is not None}
    return frame.assign(**found) if found else frame


def _read_where_all_fit(
    frame: pd.DataFrame,
    words: Mapping[Any, Words],
    again: Read,
    missing: Collection[str],
    way: Way,
) -> pd.DataFrame:
    """The table in another way; a column stays as it was unless all its cells are written so."""
    commas = way is EUROPEAN
    floats = [name for name, kind in frame.dtypes.items() if commas and kind.kind == "f"]
    written = again(usecols=floats, dtype=str) if floats else frame
    numbers = {}
    for name, one in (*words.items(), *((n, Words.of_column(written[n], missing)) for n in floats)):
        numbers[name] = way.to_numbers(one)
        english = way is ENGLISH and _mostly_fit(one.plain, EUROPEAN.mostly, 1)
        if numbers[name] is None and english:
            numbers[name] = EUROPEAN.to_numbers(one)
    return _assign_numbers(frame, numbers)


def perhaps_thousands(frame: pd.DataFrame, again: Read, missing: Collection[str] = ()) -> list[str]:
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
        values = Words.of_column(written[name], missing).plain
        if any("." in value for value in values) and _mostly_fit(
            values, CELLS.point_in_thousands, least=1.0
        ):
            found.append(quoted(str(name)))
    return [tell("perhaps-thousands", names=found)] if found else []


def note_disturbed_numbers(frame: pd.DataFrame, kept: Container[str]) -> Iterable[str]:
    """Name the first cell of each column that would be numbers without some of its cells.

    Columns that are kept as text are meant to be.
    """
    for name in (one for one in list_texts(frame) if one not in kept):
        words = Words.of_column(frame[name])
        values = dict(zip(words.plain, words.values, strict=True))
        if any(map(PARTS.code.search, values)):
            continue
        odd = [value for plain, value in values.items() if not CELLS.plain.fullmatch(plain)]
        share = 1 - len(odd) / max(len(values), 1)
        if odd and (
            share >= LIMITS.nearly_all or (share > LIMITS.more_than_half and len(odd) == 1)
        ):
            row = int((words.places == words.values.index(odd[0])).argmax()) + 1
            yield tell("words-odd", name=quoted(str(name)), row=row, cell=quoted(odd[0]))
        elif odd and _have_units([*values]):
            yield tell("words-unit", name=quoted(str(name)), cell=quoted(odd[0]))


def _have_units(values: list[str]) -> bool:
    """Whether all values would be numbers without a sign or a unit, which some of them have."""
    some = [PARTS.unit.sub("", value) for value in values[: LIMITS.lines]]
    if not any(_mostly_fit(some, way, 1) for way in PLAINLY):
        return False
    bare = [PARTS.unit.sub("", value) for value in values]
    return bare != values and any(_mostly_fit(bare, way, 1) for way in PLAINLY)


def _mostly_fit(
    values: Sequence[str], pattern: re.Pattern[str], least: float = LIMITS.nearly_all
) -> bool:
    """Whether nearly all values are written so; the first few already rule most ways out."""
    return bool(values) and all(
        sum(bool(pattern.fullmatch(value)) for value in some) >= least * len(some)
        for some in (values[: LIMITS.lines], values)
    )
