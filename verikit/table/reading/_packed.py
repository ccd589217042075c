"""Packed files: what they unpack to is checked before it is unpacked."""

from __future__ import annotations

import os
import struct
import sys
import zipfile
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from verikit._support.files import UNPACKED, allowance, check_archive, check_size, read_counted
from verikit.errors import FormatError, quoted
from verikit.words import listed

MAGIC, WORD = b"ARROW1\0\0", 8


def check_feather(content: bytes, name: str) -> None:
    """Refuse a Feather file that would become too large, before any part of it is unpacked.

    A packed part begins with the size that it will have, which Arrow keeps to; a value counts
    eight bytes at least.
    """
    if not content.startswith(MAGIC):
        raise FormatError(f"{name} is no Feather file that can be read; ask for it again.")
    import pyarrow as pa

    whole = pa.py_buffer(content)
    size, seen, columns = 0, 0, 0
    for message in pa.ipc.MessageReader.open_stream(whole.slice(len(MAGIC))):
        if message.type == "schema":
            columns = len(pa.ipc.read_schema(message))
            continue
        records, parts = _measure_batch(message.metadata.to_pybytes(), message.body, message.type)
        seen += message.type == "record batch"
        size += max(parts, WORD * records * columns * (message.type == "record batch"))
        check_size(name, size, allowance(len(content), most=sys.maxsize))
    if seen != pa.ipc.open_file(whole).num_record_batches:
        raise FormatError(f"{name} holds other parts than it names; ask for it again.")


def _measure_batch(head: bytes, body: Any, kind: str) -> tuple[int, int]:
    """The records of a batch, and the bytes of its unpacked parts, as its description tells."""
    batch = _table_at(
        head, _table_at(head, 0), 2
    )  # as Arrow's Message.fbs and Schema.fbs lay it out
    if kind == "dictionary":
        batch = _table_at(head, batch, 1)
    at, packed = _field_at(head, batch, 0), _field_at(head, batch, 3)
    records = struct.unpack_from("<q", head, at)[0] if at else 0
    start, size = _table_at(head, batch, 2), 0
    (count,) = struct.unpack_from("<I", head, start)
    for begin, length in struct.iter_unpack("<qq", head[start + 4 : start + 4 + 16 * count]):
        # a packed part begins with its size once unpacked, -1 where packing did not help
        said = struct.unpack_from("<q", body, begin)[0] if packed and length >= WORD else -1
        size += int(said if said >= 0 else length)
    return records, size


def _table_at(head: bytes, table: int, place: int | None = None) -> int:
    """Where a table begins that a field names; without a place, the outermost."""
    at = table if place is None else _field_at(head, table, place)
    return at + int(struct.unpack_from("<I", head, at)[0])


def _field_at(head: bytes, table: int, place: int) -> int:
    """Where a field of a table stands; 0 where the table has none."""
    index = table - struct.unpack_from("<i", head, table)[0]
    (length,) = struct.unpack_from("<H", head, index)
    entry = 4 + 2 * place
    offset = struct.unpack_from("<H", head, index + entry)[0] if entry < length else 0
    return table + offset if offset else 0


def check_parquet(file: BinaryIO, name: str, about: Any) -> None:
    """Refuse a Parquet file that would become too large, before its texts are written out.

    Texts that repeat are stored once, so that some kilobytes may hold gigabytes of them. Where
    sizes that the file states do not rule that out, their lengths are added up by what is stored.
    Not held: a file whose statements about its own sizes are false, lists, and folders of files.
    """
    most = allowance(file.seek(0, os.SEEK_END), UNPACKED, sys.maxsize)
    parts = [
        (group, about.row_group(group).column(place))
        for group in range(about.num_row_groups)
        for place in range(about.num_columns)
    ]
    check_size(name, sum(part.total_uncompressed_size for _, part in parts), most)
    texts = [one for one in parts if one[1].physical_type == "BYTE_ARRAY"]
    if sum(part.num_values * part.total_uncompressed_size for _, part in texts) > most:
        _check_texts(file, name, texts, most)
    file.seek(0)


def _check_texts(file: BinaryIO, name: str, texts: list[tuple[int, Any]], most: int) -> None:
    """Add up the lengths of texts that are stored once each, and refuse too many."""
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.parquet

    file.seek(0)
    paths = sorted({part.path_in_schema for _, part in texts})
    table = pa.parquet.ParquetFile(file, read_dictionary=paths)
    plain = pa.parquet.ParquetFile(file).schema_arrow
    size = 0
    for group, part in texts:
        path = part.path_in_schema
        if path not in plain.names or pa.types.is_dictionary(plain.field(path).type):
            continue  # within lists, or kept as it is stored
        for piece in table.read_row_group(group, columns=[path]).column(0).chunks:
            if not pa.types.is_dictionary(piece.type):
                size += int(piece.nbytes)
                continue
            lengths = pa.compute.binary_length(piece.dictionary).cast("int64")
            size += pa.compute.sum(lengths.take(piece.indices)).as_py() or 0
        check_size(name, size, most)


SYSTEM = ("__MACOSX", ".")


def unpack_table(content: bytes, name: str, wanted: str | None) -> tuple[bytes, bool]:
    r"""Unpack the table in a zip file that holds one, or the one asked for.

    Parameters
    ----------
    content
        The zip file.
    name
        What it is called in a sentence.
    wanted
        The name of the table, if somebody said it.

    Examples
    --------
    >>> packed = BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("people.csv", "age\n41\n")
    >>> unpack_table(packed.getvalue(), "'people.zip'", None)
    (b'age\n41\n', False)
    """
    with zipfile.ZipFile(BytesIO(content)) as archive:
        check_archive(archive, name, len(content))
        files = [
            part.filename
            for part in archive.infolist()
            if not part.is_dir() and not part.filename.startswith(SYSTEM)
        ]
        asked = [one for one in files if wanted in (one, PurePosixPath(one).name)]
        if not files:
            raise FormatError("The zip file holds no file; expected a table, or one release.")
        if len(asked or files) != 1:
            held = f"the files {listed(files, 12)}"
            told = f", none of them {quoted(wanted)}" if wanted else ""
            raise FormatError(f"The zip file holds {held}{told}; say which one (sheet='...').")
        try:
            with archive.open((asked or files)[0]) as file:
                return read_counted(file, name, allowance(len(content))), bool(asked)
        except RuntimeError as error:
            if isinstance(error, (RecursionError, NotImplementedError)):
                raise
            raise FormatError(
                f"{name} asks for a password; unpack it, and give the table in it."
            ) from error
