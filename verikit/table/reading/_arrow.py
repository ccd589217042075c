"""Parquet and Feather files: what they unpack to is checked before it is unpacked."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from verikit._support.files import UNPACKED, allowance, check_size
from verikit._support.memory import arrow_from_system, release_unused
from verikit.errors import FormatError
from verikit.table._values import with_gaps
from verikit.table.reading._pieces import PIECE
from verikit.table.reading._reading import Asked, Reading, import_reader, say_unreadable
from verikit.values.names import make_categories

TOGETHER = 2**20  # values of several columns that are read at once
FRUGAL: dict[str, Any] = {"pre_buffer": False, "buffer_size": 2**16, "use_threads": False}


def read_parquet(source: Any, name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Read an open Parquet file, or a folder of them."""
    try:
        return _read_open_parquet(source, options, name)
    except ImportError as error:
        raise FormatError(
            "Parquet files need pyarrow; install it with  pip install pyarrow."
        ) from error
    except (OSError, MemoryError, RecursionError, FormatError):
        raise
    except Exception as error:  # its reader fails in many ways
        raise FormatError(say_unreadable(name, error)) from error


def _read_open_parquet(source: Any, options: Mapping[str, Any], name: str) -> pd.DataFrame:
    """Read the columns one by one, so that what is unpacked is never held twice.

    Texts that repeat are stored once, so that some kilobytes may hold gigabytes of them: they are
    held once, too. Not so in lists, and in folders of files.
    """
    import pyarrow as pa
    import pyarrow.parquet

    how, texts, parts = FRUGAL | dict(options), list[str](), []
    if hasattr(source, "seek"):
        about = pa.parquet.read_metadata(source)
        most = allowance(source.seek(0, os.SEEK_END), UNPACKED, sys.maxsize)
        groups, wide = map(about.row_group, range(about.num_row_groups)), about.num_columns
        sizes = (one.column(at).total_uncompressed_size for one in groups for at in range(wide))
        check_size(name, max(sum(sizes), 8 * about.num_rows * wide), most)
        schema = about.schema.to_arrow_schema()
        kinds = zip(schema.names, schema.types, strict=True)
        texts = [one for one, kind in kinds if kind in (pa.string(), pa.large_string())]
        how = {"read_dictionary": texts} | how
        parts = [] if options else _part_columns(schema, texts, about.num_rows)
    columns: dict[str, pd.Series[Any]] = {}
    with arrow_from_system() if texts else nullcontext():  # which takes longer
        for part in parts:
            if part[0] in texts:
                columns[part[0]] = _read_texts(source, part[0], about.num_rows)
            else:
                columns |= dict(pd.read_parquet(source, **how | {"columns": part}).items())
            release_unused()
    if parts:
        frame = pd.DataFrame({name: columns.pop(name) for name in schema.names}, copy=False)
    else:
        frame = pd.read_parquet(source, **how)
    nullable = how | {"dtype_backend": "numpy_nullable"}
    return with_gaps(frame, lambda n: pd.read_parquet(source, **nullable | {"columns": n}))


def _part_columns(schema: Any, texts: list[str], records: int) -> list[list[str]]:
    """Part the columns into those that are read at once, texts by themselves.

    None are parted where records have names of their own.
    """
    index = (schema.pandas_metadata or {}).get("index_columns", ())
    if any(isinstance(one, str) for one in index) or len({*schema.names}) < len(schema.names):
        return []
    others = [name for name in schema.names if name not in texts]
    step = max(TOGETHER // max(records, 1), 1)
    parts = [others[at : at + step] for at in range(0, len(others), step)]
    return [[name] for name in texts] + parts


def _read_texts(source: BinaryIO, name: str, records: int) -> pd.Series[Any]:
    """Read a column of texts as codes of the different ones.

    Each batch has codes of its own texts, which are mostly those of the batch before and others.
    """
    import pyarrow as pa
    import pyarrow.parquet

    file = pa.parquet.ParquetFile(source, read_dictionary=[name], pre_buffer=False)
    found, at, known = np.empty(records, np.int32), 0, dict[str, int]()
    before, places = pa.array([]), np.array([-1], np.int32)
    for batch in file.iter_batches(PIECE, columns=[name], use_threads=False):
        texts, codes = batch.column(0).dictionary, batch.column(0).indices.fill_null(-1)
        kept = len(before) if texts[: len(before)].equals(before) else 0
        if kept < len(texts) or kept < len(before):
            more = [known.setdefault(one, len(known)) for one in texts[kept:].to_pylist()]
            places = np.concatenate([places[:kept], np.array([*more, -1], np.int32)])
            before = texts
        found[at : at + len(codes)] = places[codes]
        at += len(codes)
    names = [*known]
    del known
    return pd.Series(make_categories(found, names, kind=object))


def read_feather(path: Path, _: Asked) -> Reading:
    """Read a Feather file; what is damaged in it may end the process, which must be a child."""
    feather = import_reader("pyarrow.feather", "feather", "pip install pyarrow")
    feather.read_table(path, memory_map=False).validate(full=True)
    return Reading(pd.read_feather(path))
