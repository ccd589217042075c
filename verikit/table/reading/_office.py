"""Tables of statistics programs and office programs, with the words they hold for columns."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import compress, pairwise
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.io.parsers import TextParser

from verikit._support.files import check_cells
from verikit.errors import FormatError, VerikitError, quoted
from verikit.languages import tell
from verikit.table._values import note_long_number
from verikit.table.reading._arrow import read_feather
from verikit.table.reading._layout import Line, find_footer, note_left_out
from verikit.table.reading._reading import (
    MISSING,
    R_EXTRA,
    TO_CSV,
    WORDS,
    Asked,
    Reading,
    import_reader,
    say_unreadable,
)
from verikit.values.numbers import DIGITS_KEPT, find_lost_number
from verikit.words import listed

MAX_ROWS_FOR_NAMES, CARD = 50, 80
NAME = 140  # bytes that describe one column
NAMES = re.compile(rb"NAMSTV8 HEADER RECORD!{7}0{6}(\d{4})[ \d]{22}")
RECORDS = re.compile(rb"OBSV8   HEADER RECORD!{7}([ \d]{32})")
UNNAMED = re.compile(r"Unnamed: (\d+)")
CODE, TRUTHS = re.compile(r"\s*[+-]?0\d"), ("true", "false")


def read_stata(path: Path, _: Asked) -> Reading:
    """Read a Stata file: labelled values by their labels, in the order of their codes."""
    with pd.io.stata.StataReader(path, convert_categoricals=False) as reader:
        codes, labels, sets = reader.read(), reader.variable_labels(), reader.value_labels()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of codes without a label, of which we tell
            frame = pd.read_stata(path)
    except ValueError:  # one label for several codes
        frame = codes
    notes = []
    for name, values in frame.items():
        if isinstance(values.dtype, pd.CategoricalDtype):
            frame[name], note = _apply_labels(values, codes[name], sets)
            notes += [f"{quoted(str(name))} {note}"] if note else []
    return Reading(frame, _label_columns(frame, labels), tuple(notes))


def _apply_labels(
    values: Any, codes: Any, sets: Mapping[str, Mapping[Any, str]]
) -> tuple[Any, str]:
    """Categories with all that its labels name; the codes, if only some of them have a label."""
    found = list(values.cat.categories)
    named = [one for one in found if isinstance(one, str)]
    if len(named) < len(found):
        return codes, f"holds numbers, of which some have labels: {listed(named or ['none'])}."
    whole = [known for known in sets.values() if set(found) <= set(known.values())]
    order = [label for _, label in sorted(whole[0].items())] if len(whole) == 1 else found
    return values.cat.set_categories(order, ordered=True), ""


def read_xport(path: Path, asked: Asked) -> Reading:
    """Read a SAS transport file, which is made of cards of 80 bytes.

    Version 8 counts its records; in version 5, a cut between two cards shows nowhere.
    """
    content = path.read_bytes()
    said = 0  # how long it says it is: where its records begin, how many there are, how wide
    names, records = NAMES.search(content), RECORDS.search(content)
    if names and records and records[1].strip():
        starts = range(names.end(), names.end() + NAME * int(names[1]), NAME)
        width = sum(int.from_bytes(content[at + 4 : at + 6], "big") for at in starts)
        said = records.end() + width * int(records[1])
    if len(content) % CARD or len(content) < said:
        raise FormatError(f"It is {WORDS['xport']} that was cut short; ask for it again.")
    return read_sas(path, asked, "xport")


def read_sas(path: Path, _: Asked, kind: Any = "sas7bdat") -> Reading:
    """Read a SAS file, with labels and dates where pyreadstat is installed."""
    try:
        import pyreadstat
    except ImportError:
        return Reading(pd.read_sas(path, format=kind, encoding="cp1252"))
    frame, about = _read_measured(getattr(pyreadstat, f"read_{kind}"), path)
    return Reading(frame, _label_columns(frame, about.column_names_to_labels))


def _read_measured(read: Callable[..., Any], path: Path, **how: Any) -> Any:
    """What a library reads, if the file is large enough for the records that it says it holds."""
    _, about = read(path, metadataonly=True)
    with path.open("rb") as file:
        check_cells(file, "The file", (about.number_rows or 0) * about.number_columns)
    return read(path, **how)


def read_spss(path: Path, _: Asked, kind: str = "spss") -> Reading:
    """Read an SPSS file: labelled values by their labels, in order where it is one of theirs."""
    library = import_reader("pyreadstat", kind)
    how = {"apply_value_formats": True, "formats_as_ordered_category": True}
    frame, about = _read_measured(
        library.read_sav if kind == "spss" else library.read_por, path, **how
    )
    scales = about.variable_measure
    for name, values in frame.items():
        if isinstance(values.dtype, pd.CategoricalDtype) and scales.get(name) == "nominal":
            frame[name] = values.cat.as_unordered()
    return Reading(frame, _label_columns(frame, about.column_names_to_labels))


def read_r(path: Path, asked: Asked) -> Reading:
    """Read an R file that holds one data frame, or the one that was asked for."""
    found = import_reader("pyreadr", "r", R_EXTRA).read_r(path)
    frames = {
        str(name or "table"): frame
        for name, frame in found.items()
        if isinstance(frame, pd.DataFrame)
    }
    frame = _choose_frame(frames, asked, "data frames")
    if frame.index.name == "rownames":
        frame = frame.reset_index()
    if "rownames" not in frame:
        return Reading(frame)
    numbered = frame["rownames"].astype(str).str.fullmatch(r"\d+").all()
    return Reading(frame.drop(columns="rownames"), notes=() if numbered else (tell("row-names"),))


def read_excel(path: Path, asked: Asked) -> Reading:
    """Read the one sheet of an Excel file that holds something, or the one asked for.

    Its rows are taken one by one, and empty ones are left out, as are empty columns: one value far
    down would else make a table that fills the memory.
    """
    openpyxl = import_reader("openpyxl", "excel")
    with path.open("rb") as file:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        sheets = {str(sheet.title): _read_rows(sheet) for sheet in book.worksheets}
    filled = {name: rows for name, rows in sheets.items() if len(rows) > 1}
    rows = _choose_frame(filled or sheets, asked, "sheets")
    places = sorted({place for row in rows.values() for place in row})
    table = {number: [row.get(place) for place in places] for number, row in rows.items()}
    if not table:
        return Reading(pd.DataFrame())
    header = list(table.values())[_find_names(list(table.values()))]
    apart = [False]  # which columns stand apart: after an empty one, and without a name
    for (before, at), name in zip(pairwise(places), header[1:], strict=True):
        apart.append(name is None and (at > before + 1 or apart[-1]))
    stray = [value for row in table.values() for value in compress(row, apart)]
    inside = [not left for left in apart]
    kept = {number: list(compress(row, inside)) for number, row in table.items()}
    shown = {number: row for number, row in kept.items() if set(row) != {None}}
    read = _name_columns(list(shown.values()), list(shown))
    left = next((tell("beside", first=quoted(one)) for one in stray if one is not None), None)
    return replace(read, notes=(*read.notes, left)) if left else read


def _read_rows(sheet: Any) -> dict[int, dict[int, Any]]:
    """The values of a sheet by their rows, and their columns."""
    sheet.reset_dimensions()  # what the file says of its own size
    rows = {}
    for number, row in enumerate(sheet.iter_rows()):
        cells: dict[int, Any] = {}
        for place, cell in enumerate(row):  # whole numbers whole, mistakes of a formula missing
            whole = isinstance(cell.value, float) and cell.value.is_integer()
            if cell.value is not None:
                value = int(cell.value) if whole else cell.value
                cells[place] = math.nan if cell.data_type == "e" else value
        if any(str(value).strip() for value in cells.values()):
            rows[number] = cells
    return rows


def _find_names(rows: list[list[Any]]) -> int:
    """Find the row of names: the first, or below one with too few the first that is all words."""
    at = 0
    if None in rows[0][1:]:
        words = (
            all(isinstance(one, str) and one.strip() for one in row) and len(set(row)) == len(row)
            for row in rows[1:MAX_ROWS_FOR_NAMES]
        )
        at = next((place for place, are_names in enumerate(words, 1) if are_names), 0)
    return at if at + 1 < len(rows) else 0


def _name_columns(rows: list[list[Any]], numbers: Sequence[int]) -> Reading:
    """Make a table of the rows below lines of title, and above a footer."""
    at = _find_names(rows)
    lines = []
    for place in range(at + 1, len(rows)):
        if numbers[place] > numbers[place - 1] + 1:
            lines.append(Line(("",) * len(rows[0])))
        lines.append(Line(tuple("" if one is None else str(one).strip() for one in rows[place])))
    end = find_footer(lines, len(rows[0])) if len(rows[0]) > 1 else len(lines)
    below = [line.title for line in lines[end:] if line.width]
    rows[at] = [f"column {n}" if v is None else v for n, v in enumerate(rows[at], 1)]
    held = rows[at : len(rows) - len(below)]
    columns = dict(enumerate(map(list, zip(*held[1:], strict=True))))
    texts = {n for n, cells in columns.items() if any(isinstance(one, str) for one in cells)}
    lost = {n: find_lost_number(pd.Series(columns[n], dtype=object)) for n in texts}
    words = {n: object for n in texts if lost[n] is not None or any(map(_is_word, columns[n]))}
    marks: dict[str, Any] = {"keep_default_na": False, "na_values": [*MISSING]}
    frame = TextParser([*held], header=0, dtype=words, **marks).read()
    names = [str(name).strip() for name in frame.columns]
    frame.columns = [UNNAMED.sub(lambda at: f"column {int(at[1]) + 1}", name) for name in names]
    titles = [" ".join(str(one) for one in row if one is not None) for row in rows[:at]]
    found = ((n, lost[n]) for n in sorted(texts))
    long = [note_long_number(frame.columns[n], one) for n, one in found if one is not None]
    around = note_left_out("title", titles) + note_left_out("footer", below)
    return Reading(frame, notes=(*around, *long))


def _is_word(cell: object) -> bool:
    """Whether a cell is a text that pandas would take for something else: a code, or a truth.

    Examples
    --------
    >>> _is_word(" 02138"), _is_word("TRUE"), _is_word(1)
    (True, True, False)
    """
    return isinstance(cell, str) and bool(CODE.match(cell) or cell.strip().casefold() in TRUTHS)


def read_json(given: Any, _: Asked) -> Reading:
    """Read records, or columns, written in JSON."""
    content = given.read_bytes() if isinstance(given, Path) else given[:]
    found = _parse_json(content.decode("utf-8-sig"))
    records = isinstance(found, list) and found and all(isinstance(one, dict) for one in found)
    columns = isinstance(found, dict) and all(isinstance(one, list) for one in found.values())
    cells = found if records else [found] if columns else []
    values = (value for one in cells for value in one.values())
    parts = (one for value in values for one in (value if isinstance(value, list) else [value]))
    nested = any(isinstance(one, dict) for one in parts)
    if not (records or columns) or nested:
        raise FormatError(
            "The JSON in it is no table; expected a list of records, such as "
            '[{"age": 31, "income": 100}], or lists by column.'
        )
    frame = pd.DataFrame(found)
    for name, values in frame.items():
        decimals = [isinstance(one, Decimal) for one in values]
        if any(decimals) and find_lost_number(values) is None:
            frame[name] = values.mask(decimals, values[decimals].astype(float)).infer_objects()
    return Reading(frame)


def _parse_float(written: str) -> float | Decimal:
    """Read a number with all its digits where a float may not keep them."""
    return float(written) if len(written) <= DIGITS_KEPT else Decimal(written)


def _parse_json(text: str) -> Any:
    """What is in it; one record a line counts as a list of them."""
    read = json.JSONDecoder(parse_float=_parse_float).decode
    try:
        return read(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return [read(line) for line in text.splitlines() if line.strip()]


def _choose_frame(frames: Mapping[str, Any], asked: Asked, what: str) -> Any:
    if asked.sheet is not None and asked.sheet in frames:
        return frames[asked.sheet]
    if len(frames) == 1 and asked.sheet is None:
        return next(iter(frames.values()))
    wanted = "" if asked.sheet is None else f", none of them {quoted(asked.sheet)}"
    held = f"the {what} {listed(frames, 12)}" if frames else f"no {what}"
    raise FormatError(f"It holds {held}{wanted}; say which one (sheet='...').")


def _label_columns(frame: pd.DataFrame, labels: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(labels.get(name) or "") for name in frame.columns}


READERS: Mapping[str, Callable[[Any, Asked], Reading]] = {
    "feather": read_feather,
    "stata": read_stata,
    "sas": read_sas,
    "xport": read_xport,
    "spss": read_spss,
    "spss portable": partial(read_spss, kind="spss portable"),
    "r": read_r,
    "excel": read_excel,
    "json": read_json,
}


def read_format(kind: str, given: Any, asked: Asked) -> Reading:
    """Read a file of a known format: its path, or of JSON also its content."""
    try:
        return READERS[kind](given, asked)
    except (VerikitError, MemoryError):
        raise
    except Exception as error:  # each reader fails in many ways
        said = say_unreadable(f"It is {WORDS[kind]} that", error, f"; {TO_CSV}")
        raise FormatError(said) from error
