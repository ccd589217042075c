"""Parquet and Feather files: what they unpack to is checked before it is unpacked."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from verikit._support.files import UNPACKED, allowance, check_cells, check_size, open_given
from verikit._support.guard import named
from verikit.errors import FormatError
from verikit.table._values import with_gaps
from verikit.table.reading._reading import Asked, Reading, import_reader, say_unreadable

AT_ONCE = 2**23  # bytes of columns that are unpacked together
FRUGAL: dict[str, Any] = {"pre_buffer": False} | (  # columns of Arrow's go as pandas has them
    {"to_pandas_kwargs": {"split_blocks": True, "self_destruct": True}}
    if int(pd.__version__.split(".")[0]) >= 3
    else {}
)


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
        for piece in (
            table.read_row_group(group, columns=[path], use_threads=False).column(0).chunks
        ):
            if not pa.types.is_dictionary(piece.type):
                size += int(piece.nbytes)
                continue
            lengths = pa.compute.binary_length(piece.dictionary).cast("int64")
            size += pa.compute.sum(lengths.take(piece.indices)).as_py() or 0
        check_size(name, size, most)


def read_parquet(source: Any, options: Mapping[str, Any]) -> pd.DataFrame:
    """Read a Parquet file, or a folder of them."""
    folder = isinstance(source, (str, Path)) and Path(source).is_dir()
    with nullcontext(source) if folder else open_given(source) as file:
        return _read_open_parquet(file, options, named(source))


def _read_open_parquet(source: Any, options: Mapping[str, Any], name: str) -> pd.DataFrame:
    try:
        import pyarrow as pa
        import pyarrow.parquet

        how, parts = FRUGAL | dict(options), [options.get("columns")]
        if hasattr(source, "seek"):  # some kilobytes may hold what fills the memory
            about = pa.parquet.read_metadata(source)
            check_cells(source, name, about.num_rows * about.num_columns)
            check_parquet(source, name, about)
            parts = parts if options else _part_columns(about)
        nullable, frames = how | {"dtype_backend": "numpy_nullable"}, []
        for columns in parts:  # so that what is unpacked is never held twice
            frames.append(
                pd.read_parquet(source, **how | {"columns": columns, "use_threads": False})
            )
            pa.default_memory_pool().release_unused()
        frame = frames[0] if len(frames) == 1 else pd.concat(frames, axis=1)
        frame = with_gaps(frame, lambda n: pd.read_parquet(source, **nullable | {"columns": n}))
        for values in (one for _, one in frame.items() if isinstance(one.dtype, pd.StringDtype)):
            pa.array(values.array).validate(full=True)  # damaged letters are told where they stand
    except ImportError as error:
        raise FormatError(
            "Parquet files need pyarrow; install it with  pip install pyarrow."
        ) from error
    except (OSError, MemoryError, RecursionError, FormatError):
        raise
    except Exception as error:  # its reader fails in many ways
        raise FormatError(say_unreadable(name, error)) from error
    return frame


def _part_columns(about: Any) -> list[list[str] | None]:
    """Part the columns of a Parquet file into those that are read at once; None for all."""
    schema = about.schema.to_arrow_schema()
    index = (schema.pandas_metadata or {}).get("index_columns", ())
    names = [name for name in schema.names if name not in index]
    groups = map(about.row_group, range(about.num_row_groups))
    packed = sum(group.total_byte_size for group in groups)  # where what repeats is held once
    step = len(names) * AT_ONCE // max(packed, 8 * about.num_rows * len(names), 1)
    if step >= len(names) or len(set(names)) < len(names):
        return [None]
    starts = range(0, len(names), max(step, 1))
    return [names[at : at + max(step, 1)] for at in starts]


def read_feather(path: Path, _: Asked) -> Reading:
    """Read a Feather file; what is damaged in it may end the process, which must be a child."""
    feather = import_reader("pyarrow.feather", "feather", "pip install pyarrow")
    feather.read_table(path, memory_map=False).validate(full=True)
    return Reading(pd.read_feather(path))
