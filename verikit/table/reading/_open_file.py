"""Opening any file: what format, how packed, and who reads it."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.files import check_archive, check_cells, open_regular, read_bytes
from verikit._support.guard import named
from verikit.errors import FormatError, VerikitError, shortened
from verikit.table._values import note_lost_digits, with_gaps
from verikit.table.reading._office import READERS, TO_CSV
from verikit.table.reading._packed import check_parquet, unpack_table
from verikit.table.reading._reading import HEAD, WORDS, Asked, Reading, find_format
from verikit.table.reading._text import read_text

FRUGAL: Mapping[str, Any] = {"pre_buffer": False} | (  # columns of Arrow's go as pandas has them
    {"to_pandas_kwargs": {"split_blocks": True, "self_destruct": True}}
    if int(pd.__version__.split(".")[0]) >= 3
    else {}
)
PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
EXACT_NUMBERS = ("feather", "json")  # all other programs keep long numbers as floats
NO_TABLES = {
    "old excel": "save it as xlsx or CSV",
    "pdf": "ask for the table itself, such as a CSV",
    "picture": "expected a table, such as a CSV",
    "page": "expected a line of column names, then records",
    "opendocument": "save it as xlsx or CSV",
    "xml": "ask for the table itself; what DDI says of one is given beside it (labels='...')",
    "rtf": "save it as plain text",
    "sqlite": "export the table in it as CSV",
    "zip": "unpack them and give the table",
}


def read_file(
    source: Any,
    textual: Collection[str] | None = None,
    *,
    missing: Sequence[str],
    asked: Asked,
    options: Mapping[str, Any],
) -> Reading:
    """Read a path or an open binary file, of the format that its first bytes show.

    Parameters
    ----------
    source
        The file.
    textual, missing, asked, options
        How it is to be read; see `read_text`.
    """
    if _find_format(source) == "parquet":
        return Reading(read_parquet(source, options))
    content = _unpack(source, options)
    kind = find_format(content[:HEAD])
    if kind == "zip":
        content, found = unpack_table(content, named(source), asked.sheet)
        asked = replace(asked, sheet=None) if found else asked
        kind = find_format(content[:HEAD])
    if kind in NO_TABLES or content.startswith(b"PK"):
        _refuse_archive(content, source, kind)
    if kind == "text":
        # A plain file is opened again for each pass, so that its bytes need no room beside its
        # table; what was unpacked, or given open, has no place to be read from once more.
        reopen, box = None, [content]
        if isinstance(source, (str, Path)) and Path(source).stat().st_size == len(content):
            with open_regular(Path(source)) as file:
                same = file.read(HEAD) == content[:HEAD]
            reopen = partial(open_regular, Path(source)) if same else None
        del content
        return read_text(box, textual, missing, asked, options, reopen)
    try:
        reading = READERS[kind](content, asked)
        lost = () if kind in EXACT_NUMBERS else note_lost_digits(reading.frame)
        return replace(reading, notes=(*reading.notes, *lost))
    except (VerikitError, OSError, MemoryError, RecursionError, OverflowError):
        raise
    except Exception as error:  # each reader fails in many ways
        reason = " ".join(str(error).split()).rstrip(".")
        refusal = FormatError(
            f"It is {WORDS[kind]} that cannot be read as a table: "
            f"{shortened(reason) or type(error).__name__}; {TO_CSV}."
        )
        raise refusal from error


def _find_format(source: Any) -> str:
    if not isinstance(source, (str, Path)):
        source.seek(0)
        head = source.read(HEAD)
        source.seek(0)
        return find_format(head) if isinstance(head, bytes) else "text"
    if Path(source).is_dir() and str(source).endswith((".parquet", ".pq")):
        return "parquet"  # a table in several files
    with open_regular(Path(source)) as file:
        return find_format(file.read(HEAD))


def _unpack(source: Any, options: Mapping[str, Any]) -> bytes:
    """Unpack the content by the ending of its name, or by its first bytes."""
    packing = options.get("compression", "infer")
    name = str(getattr(source, "name", source))
    content = read_bytes(source, None if name.endswith(".zip") else packing)
    found = next((kind for start, kind in PACKED.items() if content.startswith(start)), None)
    return content if found is None else read_bytes(BytesIO(content), found)


def _refuse_archive(content: bytes, source: Any, kind: str) -> None:
    """Refuse what holds no table, and office files that would unpack to more than is allowed."""
    if kind in NO_TABLES:
        known = WORDS.get(kind, "a zip file in a zip file")
        raise FormatError(f"The file is {known}; {NO_TABLES[kind]}.")
    with zipfile.ZipFile(BytesIO(content)) as archive:
        check_archive(archive, named(source), len(content))


def read_parquet(source: Any, options: Mapping[str, Any]) -> pd.DataFrame:
    """Read a Parquet file, or a folder of them."""
    if isinstance(source, (str, Path)) and not Path(source).is_dir():
        with open_regular(Path(source)) as file:
            return _read_parquet(file, options, named(source))
    return _read_parquet(source, options, named(source))


def _read_parquet(source: Any, options: Mapping[str, Any], name: str) -> pd.DataFrame:
    try:
        import pyarrow as pa
        import pyarrow.parquet

        if hasattr(source, "seek"):  # some kilobytes may hold what fills the memory
            about = pa.parquet.read_metadata(source)
            check_cells(source, name, about.num_rows * about.num_columns)
            check_parquet(source, name, about)
        frame = pd.read_parquet(source, **{**FRUGAL, **options})
        nullable = {**FRUGAL, **options, "dtype_backend": "numpy_nullable"}
        frame = with_gaps(frame, lambda n: pd.read_parquet(source, **{**nullable, "columns": n}))
    except ImportError as error:
        raise FormatError(
            "Parquet files need pyarrow; install it with  pip install pyarrow."
        ) from error
    except (OSError, MemoryError, RecursionError, FormatError):
        raise
    except Exception as error:  # its reader fails in many ways
        reason = " ".join(str(error).split()).rstrip(".")
        refusal = FormatError(f"{name} cannot be read as a table: {shortened(reason, 160)}.")
        raise refusal from error
    pa.default_memory_pool().release_unused()  # what reading took beside the table
    return frame
