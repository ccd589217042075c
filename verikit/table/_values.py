"""Values that need care: dates as days, and whole numbers with more digits than a float keeps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.memory import release_unused
from verikit._support.rules import CELLS, PARTS
from verikit.errors import quoted
from verikit.languages import tell
from verikit.values.dates import possible_days
from verikit.values.meanings import find_doubtful
from verikit.values.names import code_names, find_alike, put_at_codes
from verikit.values.numbers import (
    are_large,
    find_lost_number,
    find_lost_whole,
    find_merged_number,
    find_rounded,
    plain_digits,
    read_floats,
)
from verikit.words import text

if TYPE_CHECKING:
    from verikit.table._schema import Schema
    from verikit.table.reading._scan import Scan

ROWS_TRIED, PARTS_OF_TEXTS = 20, 8  # as texts of numbers need eight times their room


def dates_in(values: pd.Series[Any]) -> tuple[npt.NDArray[np.datetime64], str] | None:
    """Read a column of texts as dates, and tell which part stands first; None if there are none.

    Where day and month may be either in every one of them, they are left as they are.

    Examples
    --------
    >>> found, first = dates_in(pd.Series(["11/18/2026", None, "02/01/1970"]))
    >>> found.astype("datetime64[D]").astype(str).tolist(), first
    (['2026-11-18', 'NaT', '1970-02-01'], 'month')
    >>> dates_in(pd.Series(["02/01/1970"])), dates_in(pd.Series(["2020-01", "2020-02"]))
    (None, None)
    """
    if not all(possible_days(str(one)) for one in values.head(ROWS_TRIED).dropna().unique()):
        return None  # as most texts are none, the others need not be told apart
    codes, texts = code_names(values, str(values.name))
    if not texts or not all(possible_days(one) for one in texts[:ROWS_TRIED]):
        return None
    read = [possible_days(one) for one in texts]
    # 02/01/1970 may begin with the day or the month: one cell that fits only one of them decides
    fitting = [name for name in ("year", "day", "month") if all(name in one for one in read)]
    if len(fitting) != 1:
        return None
    days = np.array([one[fitting[0]] for one in read]).astype("datetime64[D]")
    moments = np.append(days.astype("datetime64[s]"), np.datetime64("NaT", "s"))  # of any year
    return put_at_codes(moments, codes), fitting[0]


WHOLES = {"integer", "mixed-integer", "mixed-integer-float", "decimal", "mixed"}


def long_numbers_as_names(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Read as names the columns of numbers that hold such a number, and note it.

    Examples
    --------
    >>> found, notes = long_numbers_as_names(pd.DataFrame({"id": [110101199003070011]}))
    >>> found["id"].tolist(), notes[0][:31]
    (['110101199003070011'], "'id' is read as names: whole nu")
    """
    changed, notes = {}, []
    for name, values in frame.items():
        if isinstance(values.dtype, (pd.CategoricalDtype, pd.StringDtype)):
            continue
        if values.dtype.kind not in "iu" and pd.api.types.infer_dtype(values) not in WHOLES:
            continue
        lost = find_lost_number(values)
        if lost is not None:
            changed[name] = values.astype(object).map(text, na_action="ignore")
            notes.append(note_long_number(name, lost))
    return (frame.assign(**changed) if changed else frame), notes


def with_gaps(frame: pd.DataFrame, again: Callable[[list[str]], pd.DataFrame]) -> pd.DataFrame:
    """Restore whole numbers where gaps beside them made floats that lost digits.

    ``again`` reads some of its columns with whole numbers that may be missing.
    """
    large = _large_floats(frame)
    wholes = again(large).items() if large else ()
    lost = {name: values for name, values in wholes if find_lost_whole(values) is not None}
    return frame.assign(**lost) if lost else frame


def _large_floats(frame: pd.DataFrame) -> list[str]:
    """The columns of floats that hold numbers of which not every one is a float."""
    floats = ((n, values) for n, values in frame.items() if values.dtype == np.dtype(np.float64))
    return [name for name, values in floats if bool(are_large(values).any())]


def list_texts(frame: pd.DataFrame) -> list[Any]:
    """The columns that hold neither numbers, truths nor dates."""
    return [name for name, kind in frame.dtypes.items() if kind.kind not in "biufcM"]


def with_digits(
    frame: pd.DataFrame,
    again: Callable[..., Iterator[pd.DataFrame]],
    scan: Scan,
    kept: Container[str] = (),
) -> tuple[pd.DataFrame, list[str]]:
    """Restore what was written where a column was read as floats that lost digits.

    ``again`` reads the table piece by piece with other options of `pandas.read_csv`, and ``scan``
    says whether some number may have more digits than a float: then different ones may have become
    equal. It is noted of these columns, and of those of numbers that are words for that, but for
    those ``kept`` as text; blanks around their numbers are left out.
    """
    floats = _large_floats(frame) if scan.large else []
    floats = list(frame.columns[frame.dtypes == np.float64]) if scan.long else floats
    lost = _find_lost_floats({name: frame[name].to_numpy() for name in floats}, again)
    read = pd.concat(again(usecols=[*lost], dtype=str), ignore_index=True) if lost else frame
    words = (name for name in list_texts(frame) if name not in kept)
    numbers = {name: _read_plain_numbers(frame[name]) for name in words}
    found = {name: find_lost_number(read) for name, read in numbers.items() if read is not None}
    found = {name: one for name, one in found.items() if one is not None}
    notes = [note_long_number(n, one) for n in frame if (one := (lost | found).get(n)) is not None]
    texts = {n: (read if n in lost else frame)[n].str.strip() for n in (*lost, *found)}
    return (frame.assign(**texts) if texts else frame), notes


def _find_lost_floats(
    columns: Mapping[str, Floats], again: Callable[..., Iterator[pd.DataFrame]]
) -> dict[str, int | str]:
    """Find a number of each column of floats that lost digits, as it was written.

    A whole one is large; one that merges with another stands several times among the floats, and
    one of the two has other digits than its float. So that few texts are held, the floats of these
    are looked for first, and then all that is written of them.
    """
    ties = {name: _find_ties(values) for name, values in columns.items()}
    large = [name for name, values in columns.items() if bool(are_large(values).any())]
    names = [name for name in columns if name in large or len(ties[name])]
    lost: dict[str, int | str] = {}
    release_unused()
    rounded: dict[str, set[float]] = {name: set() for name in names}
    for piece in again(PARTS_OF_TEXTS, usecols=names, dtype=str) if names else ():
        for name, values in piece.items():
            texts = np.asarray(values.dropna().unique(), object)
            whole = find_lost_whole(pd.Series(texts)) if name in large else None
            if whole is not None:
                lost.setdefault(name, whole)
            rounded[name] |= find_rounded(texts, ties[name])
    unsure = [name for name in names if rounded[name] and name not in lost]
    held: dict[str, list[str]] = {name: [] for name in unsure}
    for piece in again(PARTS_OF_TEXTS, usecols=unsure, dtype=str) if unsure else ():
        for name, values in piece.items():
            texts = np.asarray(values.dropna().unique(), object)
            held[name] += texts[np.isin(read_floats(texts), [*rounded[name]])].tolist()
    release_unused()
    merged = {name: find_merged_number(pd.Series(texts)) for name, texts in held.items()}
    return lost | {name: one for name, one in merged.items() if one is not None}


def _find_ties(values: Floats) -> Floats:
    """Find the numbers that stand several times in a column."""
    ordered = np.sort(values)
    same = np.r_[False, ordered[1:] == ordered[:-1], False]
    return ordered[same[1:] & ~same[:-1]]


def _read_plain_numbers(values: pd.Series[Any]) -> pd.Series[Any] | None:
    """The different texts of a column in which all are numbers and none a code such as 02138."""
    found = []
    for part in (values.head(ROWS_TRIED), values):  # most words fail early
        found = np.asarray(part.dropna().unique(), object).tolist()
        for at, one in enumerate(found):
            plain = plain_digits(one).strip() if isinstance(one, str) else ""
            fits = CELLS.plain.fullmatch(plain) or CELLS.infinite.fullmatch(plain)
            if not fits or PARTS.code.search(plain):
                return None
            found[at] = plain
    return pd.Series(found, dtype=object)


def note_long_number(name: object, lost: int | str) -> str:
    """Note that a column is read as names for a number that a float does not keep."""
    says = "long-names" if isinstance(lost, int) else "merged"
    return tell(says, name=quoted(str(name)), cell=str(lost))


def note_lost_digits(frame: pd.DataFrame) -> list[str]:
    """Note of each column of whole numbers so long that its file held them rounded.

    Examples
    --------
    >>> note_lost_digits(pd.DataFrame({"id": [1.5e17], "pay": [1e17 / 3**30]}))[0][:51]
    "'id' holds whole numbers such as 150000000000000000"
    """
    notes = []
    for name, values in frame.items():
        if isinstance(values.dtype, pd.CategoricalDtype) or values.dtype.kind not in "iuf":
            continue
        long = values[are_large(values).fillna(False)]
        found = values.dropna().to_numpy(np.float64) if len(long) else long
        if len(long) and bool((np.isfinite(found) & (found == np.rint(found))).all()):
            notes.append(
                f"{quoted(str(name))} holds whole numbers such as {int(long.iloc[0])}, which have "
                "more digits than a number keeps: the last were lost when the file was written, "
                "and different numbers may have become the same."
            )
    return notes


def with_dates(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Read texts that are dates as dates, with a note of each such column.

    Examples
    --------
    >>> found, notes = with_dates(pd.DataFrame({"born": ["18.11.1996", "01.02.1980"]}))
    >>> found["born"].dt.year.tolist(), notes
    ([1996, 1980], ["'born' was read as dates, the day first, as in '18.11.1996'."])
    """
    changed: dict[str, Any] = {}
    notes: list[str] = []
    for name in list_texts(frame):
        values = frame[name]
        found = dates_in(values)
        if found is None:
            continue
        changed[str(name)], first = found
        shown = quoted(str(values.loc[values.first_valid_index()]))
        notes.append(tell(f"dates-{first}", name=quoted(str(name)), cell=shown))
    return (frame.assign(**changed) if changed else frame), notes


def ask_of_words(frame: pd.DataFrame, schema: Schema) -> Iterator[str]:
    """Ask of each column of a fitted frame what its words are, where nobody told it.

    Whether they are words at all, or bands and sets; and whether two that look alike are two.

    Examples
    --------
    >>> from verikit.table import Microdata
    >>> data = Microdata(pd.DataFrame({"pay": ["<=50K", ">50K"], "ill": ["flu", "flu "]}))
    >>> for said in ask_of_words(data.frame, data.schema):
    ...     print(said)
    'pay' shows '<=50K', which may be a band, a set or a word; if its cells are words, say so
    (words='pay').
    'ill' shows 'flu' and 'flu ', which look alike and are taken as two words; if they are one,
    correct the table.
    """
    for column in schema:
        values, name = frame[column.name], quoted(column.name)
        if not isinstance(values.dtype, pd.CategoricalDtype):
            continue
        labels = tuple(map(str, values.cat.categories))
        if (cell := find_doubtful(labels, column)) is not None:
            yield tell("ask-words", name=name, cell=quoted(cell))
        if (alike := find_alike(labels)) is not None:
            first, second = map(quoted, alike)
            yield tell("alike-words", name=name, first=first, second=second)
