"""Values that need care: dates as days, and whole numbers with more digits than a float keeps."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from verikit._support.rules import CELLS, PARTS
from verikit.errors import quoted
from verikit.languages import tell
from verikit.values.dates import SECONDS, possible_days
from verikit.values.meanings import find_doubtful
from verikit.values.names import find_alike
from verikit.values.numbers import (
    EXACT,
    find_lost_number,
    find_lost_whole,
    find_merged_number,
    plain_digits,
)
from verikit.words import text

if TYPE_CHECKING:
    from verikit.table._schema import Schema
    from verikit.table.reading._scan import Scan

ROWS_TRIED = 20


def dates_in(values: pd.Series[Any]) -> tuple[pd.Series[Any], str] | None:
    """Read a column of texts as days, and tell which part stands first; None if no dates.

    Where day and month may be either in every one of them, they are left as they are.

    Examples
    --------
    >>> days, first = dates_in(pd.Series(["11/18/2026", None, "02/01/1970"]))
    >>> days.tolist(), first
    ([20775.0, nan, 31.0], 'month')
    >>> dates_in(pd.Series(["02/01/1970"])), dates_in(pd.Series(["2020-01", "2020-02"]))
    (None, None)
    """
    if not all(possible_days(str(one)) for one in values.head(ROWS_TRIED).dropna().unique()):
        return None  # as most texts are none, the others need not be told apart
    codes, found = pd.factorize(values)
    texts = [str(one) for one in found]
    if not texts or not all(possible_days(one) for one in texts[:ROWS_TRIED]):
        return None
    read = [possible_days(one) for one in texts]
    # 02/01/1970 may begin with the day or the month: one cell that fits only one of them decides
    fitting = [name for name in ("year", "day", "month") if all(name in one for one in read)]
    if len(fitting) != 1:
        return None
    days = np.array([*(one[fitting[0]] for one in read), np.nan], np.float64)
    return pd.Series(days[codes], index=values.index), fitting[0]


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
    return [name for name, values in floats if bool((values.abs() >= EXACT).any())]


def list_texts(frame: pd.DataFrame) -> list[Any]:
    """The columns that hold neither numbers, truths nor categories."""
    kinds = ((name, kind) for name, kind in frame.dtypes.items() if kind.kind not in "biufcM")
    return [name for name, kind in kinds if not isinstance(kind, pd.CategoricalDtype)]


def with_digits(
    frame: pd.DataFrame,
    again: Callable[..., pd.DataFrame],
    scan: Scan,
    kept: Container[str] = (),
) -> tuple[pd.DataFrame, list[str]]:
    """Restore what was written where a column was read as floats that lost digits.

    ``again`` reads the table with other options of `pandas.read_csv`, and ``scan`` says whether
    some number may have more digits than a float: then different ones may have become equal. It
    is noted of these columns, and of those of numbers that are words for that, but for those
    ``kept`` as text; blanks around their numbers are left out.
    """
    find = dict.fromkeys(_large_floats(frame) if scan.large else (), find_lost_number)
    if scan.long:
        floats = frame.select_dtypes("float64").columns.difference(list(find), sort=False)
        tied = [name for name in floats if frame[name].dropna().duplicated().any()]
        find |= dict.fromkeys(tied, find_merged_number)
    written = again(usecols=list(find), dtype=str) if find else frame
    lost = {name: look(written[name]) for name, look in find.items()}
    words = (name for name in list_texts(frame) if name not in kept)
    numbers = {name: _read_plain_numbers(frame[name]) for name in words}
    lost |= {name: find_lost_number(read) for name, read in numbers.items() if read is not None}
    notes = [note_long_number(name, one) for name in frame if (one := lost.get(name)) is not None]
    texts = {name: written if name in find else frame for name in lost if lost[name] is not None}
    stripped = {name: read[name].str.strip() for name, read in texts.items()}
    return (frame.assign(**stripped) if stripped else frame), notes


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
        found = values.dropna().to_numpy(np.float64)
        long = found[np.abs(found) >= EXACT]
        if len(long) and bool((np.isfinite(found) & (found == np.rint(found))).all()):
            notes.append(
                f"{quoted(str(name))} holds whole numbers such as {int(long[0])}, which have more "
                "digits than a number keeps: the last were lost when the file was written, and "
                "different numbers may have become the same."
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
        days, first = found
        missing = days.isna().to_numpy()
        seconds = np.where(missing, 0, days * SECONDS).astype("datetime64[s]")  # of any year
        moments = np.where(missing, np.datetime64("NaT", "s"), seconds)
        changed[str(name)] = pd.Series(moments, index=values.index)
        shown = quoted(str(values.dropna().iloc[0]))
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
