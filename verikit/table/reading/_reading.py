"""What a person's file is and holds: its format, its table, what it says of its columns."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd

from verikit._support.files import DESCRIPTION, open_given, read_counted
from verikit._support.guard import named
from verikit._support.rules import RULES
from verikit.errors import QUOTED, FormatError, SchemaError, quoted, shortened
from verikit.table._values import with_gaps
from verikit.words import listed, text

MISSING = tuple(RULES["missing"])


@dataclass(frozen=True, slots=True)
class Asked:
    """How a person says that her file is written; what is left out is found out.

    Parameters
    ----------
    encoding
        The encoding of its letters, such as ``"latin-1"``.
    separator
        What stands between two values.
    decimal
        What stands before the decimal places.
    sheet
        The name of a sheet, or of a table in a file that holds several.
    labels
        The DDI codebook that holds the words for its columns and values.
    missing
        The marks that stand for a missing value.
    words
        The columns whose cells are words, even those that look like a band or a set.
    """

    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    labels: Any = None
    missing: Sequence[str] | None = None
    words: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Take one mark for several, and refuse what is none."""
        for name, what in (("missing", "marks of missing values"), ("words", "columns of words")):
            given = getattr(self, name)
            several = (given,) if isinstance(given, str) else given
            if given is None:
                continue
            if not isinstance(several, Sequence) or not all(isinstance(n, str) for n in several):
                raise FormatError(
                    f"The {what} were given as {quoted(given)}; expected texts, such as "
                    "['?', 'n/a']."
                )
            object.__setattr__(self, name, tuple(several))


@dataclass(frozen=True, slots=True)
class Lines:
    """How many lines of a text file were taken for what; they add up to all of its lines.

    Parameters
    ----------
    title
        Of titles and comments above the names.
    names
        Of the names of the columns; they may stand on several.
    records
        Of the records.
    blank
        Those that hold nothing and are no record, wherever they stand.
    footer
        Of what stands below the records.
    """

    title: int = 0
    names: int = 0
    records: int = 0
    blank: int = 0
    footer: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A table as it was read.

    Parameters
    ----------
    frame
        Its records.
    labels
        What the file calls its columns, by name: words for the screen.
    notes
        In sentences how it was read, where another reading was possible.
    how
        How a text file was taken to be written; None for other formats.
    lines
        What became of its lines; None for other formats, and where more options were given.
    """

    frame: pd.DataFrame
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    how: Asked | None = None
    lines: Lines | None = None


HEAD = 4096
FORMATS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("formats.toml").read_text(encoding="utf-8")
)
WORDS = {name: one["words"] for name, one in FORMATS.items()}
BEGINS = {name: re.compile(one["begins"].encode("latin-1")) for name, one in FORMATS.items()}


def find_format(head: bytes) -> str:
    r"""Tell a file's format by its first bytes; ``"text"`` where they show nothing else.

    Examples
    --------
    >>> find_format(b"PAR1\x15"), find_format(b'[{"age": 31}]'), find_format(b"age;income")
    ('parquet', 'json', 'text')
    """
    return next(name for name, begins in BEGINS.items() if begins.match(head))


TO_CSV = "save it as CSV in UTF-8"
OFFICE_EXTRA, R_EXTRA = "pip install 'verikit[office]'", "pip install 'verikit[r]'"


def import_reader(package: str, kind: str, extra: str = OFFICE_EXTRA) -> Any:
    """Import the library that reads a format, or tell that it is missing."""
    try:
        return import_module(package)
    except ImportError:
        raise FormatError(
            f"It is {WORDS[kind]}, and reading it needs {package.partition('.')[0]}; install it "
            f"with  {extra}, or {TO_CSV}."
        ) from None


def say_unreadable(what: str, error: Exception, advice: str = "") -> str:
    """Say what a library said of a file, in one sentence."""
    reason = shortened(" ".join(str(error).split()).rstrip("."), 2 * QUOTED)
    return f"{what} cannot be read as a table: {reason or type(error).__name__}{advice}."


def holds_table(source: object) -> bool:
    """Whether something is a table in memory, and no file.

    Examples
    --------
    >>> holds_table({"age": [31]}), holds_table([{"age": 31}]), holds_table("people.csv")
    (True, True, False)
    """
    if isinstance(source, (pd.DataFrame, Mapping)) or hasattr(source, "__arrow_c_stream__"):
        return True
    return (
        isinstance(source, Sequence)
        and all(isinstance(one, Mapping) for one in source)
        and (not isinstance(source, (str, bytes)))
    )


def frame_of(source: Any) -> pd.DataFrame:
    """A frame from a table of pandas, polars, pyarrow or DuckDB, a dictionary, or records.

    A named index becomes a column.

    Examples
    --------
    >>> frame_of([{"age": 31, "job": "clerk"}]).to_dict("list")
    {'age': [31], 'job': ['clerk']}
    """
    if isinstance(source, pd.DataFrame):
        named = [name for name in source.index.names if name is not None]
        twice = [text(name) for name in named if name in source.columns]
        if twice:
            raise SchemaError(
                f"The index and a column are both named {listed(twice)}; rename one, or drop the "
                "index."
            )
        return source.reset_index(level=named) if named else source
    if hasattr(source, "__arrow_c_stream__"):
        return _from_arrow(source)
    try:
        return pd.DataFrame(dict(source) if isinstance(source, Mapping) else list(source))
    except (TypeError, ValueError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise SchemaError(
            f"The table could not be made: {quoted(reason)}; expected columns of the same length, "
            "such as {'age': [31, 45], 'income': [100, 200]}."
        ) from None


def _from_arrow(source: Any) -> pd.DataFrame:
    """A frame of Arrow's columns; long whole numbers beside gaps keep their digits."""
    door = next((name for name in ("to_pandas", "df") if hasattr(source, name)), None)
    found = source
    if isinstance(source, pd.Series):
        pass  # refused below, with or without Arrow
    elif hasattr(pd.DataFrame, "from_arrow"):
        import pyarrow as pa

        with suppress(TypeError, ValueError):  # of pandas and pyarrow for what has no columns
            held = pa.table(source)
            wholes = partial(pa.Table.to_pandas, integer_object_nulls=True)
            found = with_gaps(pd.DataFrame.from_arrow(held), lambda some: wholes(held.select(some)))
    elif door:
        found = getattr(source, door)()
    else:
        raise SchemaError(
            f"A table was given as {type(source).__name__}, which this pandas cannot take; give a "
            "pandas DataFrame, or update pandas to 3 or later."
        )
    if not isinstance(found, pd.DataFrame):
        raise SchemaError(
            f"A table was given as {type(source).__name__}, which is one column; expected a table "
            "of columns with names, such as {'age': [31, 45], 'income': [100, 200]}."
        )
    return found


@dataclass(slots=True)
class Variable:
    """What is said of one column.

    Parameters
    ----------
    label
        Words for the screen.
    nature
        ``"nominal"``, ``"ordinal"`` or another, as DDI has it.
    values
        The labels of codes, in their order.
    """

    label: str = ""
    nature: str = ""
    values: dict[str, str] = field(default_factory=dict)


class _Elements(ET.TreeBuilder):
    """The elements of a codebook; a declaration could unfold to gigabytes or name other files."""

    def doctype(self, *_: object) -> None:
        """Refuse it."""
        raise FormatError(
            "The codebook declares a document type or entities, which are not read; remove the "
            "declaration."
        )


def _find_words(element: ET.Element, name: str) -> str:
    """Find the first words of a name within an element."""
    found = (" ".join("".join(one.itertext()).split()) for one in element.findall(f"{{*}}{name}"))
    return next(filter(None, found), "")


def read_codebook(source: Any) -> dict[str, Variable]:
    """The columns of a DDI codebook (2.5 or before) by their names.

    Entities and document types are refused, and so is more than 50 MB.

    Parameters
    ----------
    source
        Its path, or an open binary file.

    Raises
    ------
    FormatError
        If it is no codebook, or describes no column.
    """
    with open_given(source) as file:
        content = read_counted(file, named(source), DESCRIPTION)
    parser = ET.XMLParser(target=_Elements())  # noqa: S314 as it declares nothing
    try:
        parser.feed(content)
        root = parser.close()
    except ET.ParseError as error:
        raise FormatError(
            f"{named(source)} is no XML ({error}); expected a DDI codebook."
        ) from error
    kind, variables = root.tag.rpartition("}")[2], dict[str, Variable]()
    for one in root.findall(".//{*}var") if kind == "codeBook" else ():
        values: dict[str, str] = {}
        for category in one.findall(".//{*}catgry"):
            code, words = (_find_words(category, name) for name in ("catValu", "labl"))
            if code and words:
                values.setdefault(code, words)
        told = Variable(_find_words(one, "labl"), one.get("nature", ""), values)
        variables[one.get("name", "").strip()] = told
    if not variables:
        raise FormatError(
            f"{named(source)} is no DDI codebook that describes variables (its first element is "
            f"{quoted(kind)}); expected a 'codeBook' of DDI 2.5."
        )
    return variables


def with_codebook(reading: Reading, codebook: Mapping[str, Variable]) -> Reading:
    """Give a table the words of its codebook; columns are found by their names, in any case.

    Codes become labels where each code of a column has one; what else the codebook says is left.

    Examples
    --------
    >>> told = {"sex": Variable("Sex of person", "nominal", {"1": "male", "2": "female"})}
    >>> found = with_codebook(Reading(pd.DataFrame({"SEX": [2, 1, 2]})), told)
    >>> found.frame["SEX"].tolist(), found.labels["SEX"]
    (['female', 'male', 'female'], 'Sex of person')
    """
    known = {name.casefold(): said for name, said in codebook.items()}
    labels, changed = dict(reading.labels), {}
    unknown = []
    for name, values in reading.frame.items():
        said = known.get(str(name).casefold())
        if said is None:
            unknown.append(name)
            continue
        if said.label:
            labels[str(name)] = said.label
        labelled = _replace_codes(values, said)
        if labelled is not None:
            changed[str(name)] = labelled
    notes = [f"The codebook says nothing of {listed(unknown)}."] if unknown else []
    frame = reading.frame.assign(**changed) if changed else reading.frame
    return replace(reading, frame=frame, labels=labels, notes=(*reading.notes, *notes))


def _replace_codes(values: pd.Series[Any], said: Variable) -> pd.Categorical | None:
    """Put labels in place of codes; nothing where a code has none, or two have the same."""
    held = getattr(values.dtype, "categories", None)  # those of our own reading are texts
    if (held is not None and (values.dtype.ordered or held.dtype != object)) or not said.values:
        return None
    plain = {_normalize_code(code): label for code, label in said.values.items()}
    codes, found = pd.factorize(values)
    names = [plain.get(_normalize_code(one)) for one in found]
    order = list(plain.values())
    if None in names or not names or len(set(order)) < len(order):
        return None
    shown = np.array([*names, None], object)[codes]
    return pd.Categorical(shown, categories=order, ordered=said.nature != "nominal")


def _normalize_code(code: object) -> str:
    """Write a code as it is compared: 1, 1.0, "1" and "01" are the same."""
    try:
        return text(float(str(code)))
    except ValueError:
        return str(code).strip()
