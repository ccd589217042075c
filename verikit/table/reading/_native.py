"""Formats that only native libraries read: in a child, with memory and time from the file's size.

The table comes back column by column, as plain numbers and as JSON, so that nothing in what the
child wrote can end the process that takes it: a damaged table of Arrow or a pickle could.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from verikit._support.child import GIVEN, limit_resources, run_child
from verikit._support.files import UNPACKED, allowance
from verikit._support.told import Told
from verikit.errors import FormatError, VerikitError
from verikit.languages import tell
from verikit.table.reading._office import read_format
from verikit.table.reading._reading import TO_CSV, Asked, Reading
from verikit.table.reading._scan import Content
from verikit.values.names import code_texts, make_categories

SECONDS, BYTES_A_SECOND = 60, 50_000  # for any file, and for each byte of it
LIBRARIES, COPIES = 2 * 10**9, 3  # the address space of libraries, and of a table while it is read
WAITS = 3  # on a machine that does other things as well, a second of work takes longer
TOO_SLOW = getattr(signal, "SIGXCPU", sys.maxsize)
KILLED, LACKS_ROOM = getattr(signal, "SIGKILL", sys.maxsize), 9  # by a kernel that lacks memory
PART = 2**13  # values that are written at once
MOMENT = timedelta(microseconds=1)
ODD = "\0"  # the key of a value that JSON does not know
NUMBERS = "biufcmM"
ODD_VALUES: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "Timestamp": (
        lambda value: (value.isoformat(), value.unit),
        lambda told: pd.Timestamp(told[0]).as_unit(told[1]),
    ),
    **{
        kind.__name__: (kind.isoformat, lru_cache(PART)(kind.fromisoformat))  # each held once
        for kind in (datetime, date, time)
    },
    "timedelta": (lambda value: value // MOMENT, lambda told: told * MOMENT),
    "Decimal": (str, Decimal),
    "bytes": (bytes.hex, bytes.fromhex),
    "NaTType": (str, lambda _: pd.NaT),
    "NAType": (str, lambda _: pd.NA),
    "Told": (str, lambda told: Told(*told[:2], **told[2])),
}


def read_natively(
    kind: str, content: Content, place: Path | None, asked: Asked, name: str
) -> Reading:
    """Read a file of some format in a child, whatever becomes of the child.

    Parameters
    ----------
    kind
        Its format.
    content
        Its bytes.
    place
        Where it lies, if anywhere.
    asked
        How it is to be read.
    name
        What it is called in a sentence.

    Raises
    ------
    FormatError
        If it is refused, or its reader breaks off, takes too long or needs too much memory.
    """
    room = allowance(len(content), UNPACKED, sys.maxsize)
    seconds = SECONDS + len(content) // BYTES_A_SECOND
    parts, given = (content.parts(), GIVEN) if place is None else ((), str(place.absolute()))
    limits = {"seconds": seconds, "memory": LIBRARIES + COPIES * room, "written": room}
    job = {"kind": kind, "sheet": asked.sheet, "given": given, "limits": limits}
    try:
        with run_child(run_reader, job, WAITS * seconds, parts) as (result, code):
            if code == 0:
                with result.open("rb") as file:
                    return take_reading(file)
    except subprocess.TimeoutExpired:
        code = -TOO_SLOW
    says = {-TOO_SLOW: "slow", -KILLED: "large", LACKS_ROOM: "large"}.get(code, "ended")
    raise FormatError(tell(f"reader-{says}", name=name, seconds=seconds, megabytes=room // 10**6))


def run_reader(job: dict[str, Any], result: BinaryIO) -> None:
    """Be the child: read the file, and write the table, or the sentence that refuses it."""
    limit_resources(**job["limits"])
    asked = Asked(sheet=job["sheet"])
    try:
        reading = read_format(job["kind"], Path(job["given"]), asked)
        frame = reading.frame
        coded = {name: code_texts(values) for name, values in frame.items()}
        texts = {n: make_categories(*one, kind=object) for n, one in coded.items() if one}
        give_reading(replace(reading, frame=frame.assign(**texts)), result)
    except VerikitError as error:
        result.seek(0)
        result.truncate()
        _write(result, {"refused": _pack_told(error.told)})
    except (MemoryError, OSError):  # of a limit, as if the kernel had ended it
        os._exit(LACKS_ROOM)


def _write(file: BinaryIO, told: Any) -> None:
    file.write(json.dumps(told, default=_pack_odd).encode() + b"\n")


def _read(file: BinaryIO) -> Any:
    return json.loads(file.readline(), object_hook=_unpack_odd)


def _pack_odd(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    kind = type(value).__name__
    if kind not in ODD_VALUES:
        raise FormatError(
            f"It holds values of the type {kind}, which no column of a table has; {TO_CSV}."
        )
    return {ODD: kind, "told": ODD_VALUES[kind][0](value)}


def _unpack_odd(held: dict[str, Any]) -> Any:
    return ODD_VALUES[held[ODD]][1](held["told"]) if ODD in held else held


def _pack_told(said: str) -> Any:
    told = (str(said), said.says, said.values) if isinstance(said, Told) else ()
    return {ODD: "Told", "told": told} if told else said


def give_reading(reading: Reading, file: BinaryIO) -> None:
    """Write a table as it was read, for `take_reading`."""
    frame = reading.frame
    notes = [_pack_told(note) for note in reading.notes]
    _write(file, {"names": list(frame.columns), "labels": reading.labels, "notes": notes})
    for place in range(frame.shape[1]):
        _give_column(frame.iloc[:, place], file)


def take_reading(file: BinaryIO) -> Reading:
    """Take a table that `give_reading` wrote, or the refusal that stands in its place.

    Examples
    --------
    >>> from tempfile import TemporaryFile
    >>> with TemporaryFile() as file:
    ...     give_reading(Reading(pd.DataFrame({"born": [date(1990, 5, 1), None]})), file)
    ...     _ = file.seek(0)
    ...     take_reading(file).frame["born"].tolist()
    [datetime.date(1990, 5, 1), None]
    """
    about = _read(file)
    if "refused" in about:
        raise FormatError(about["refused"])
    columns = {place: _take_column(file) for place in range(len(about["names"]))}
    frame = pd.DataFrame(columns, copy=False)
    frame.columns = about["names"]
    return Reading(frame, about["labels"], tuple(about["notes"]))


def _give_column(values: pd.Series[Any], file: BinaryIO) -> None:
    """Write numbers as they lie in memory, categories as codes, and all else as JSON."""
    kind = values.dtype
    if isinstance(kind, pd.CategoricalDtype):
        _write(file, {"ordered": bool(kind.ordered)})
        _give_column(pd.Series(kind.categories), file)
        _give_column(values.cat.codes, file)
        return
    plain = isinstance(kind, np.dtype) and kind.kind in NUMBERS
    _write(file, {"kind": kind.str if plain else str(kind), "plain": plain, "size": len(values)})
    if plain:
        file.write(np.ascontiguousarray(values.to_numpy()).view(np.uint8).data)
        return
    for start in range(0, len(values), PART):
        _write(file, values.iloc[start : start + PART].tolist())


def _take_column(file: BinaryIO) -> pd.Series[Any]:
    about = _read(file)
    if "ordered" in about:
        categories, codes = pd.Index(_take_column(file)), _take_column(file)
        found = make_categories(codes, categories, about["ordered"], categories.dtype)
        return pd.Series(found)
    if about["plain"]:
        return pd.Series(np.fromfile(file, np.dtype(about["kind"]), about["size"]), copy=False)
    parts = [pd.Series(_read(file), dtype=about["kind"]) for _ in range(0, about["size"], PART)]
    return pd.concat(parts, ignore_index=True) if parts else pd.Series(dtype=about["kind"])
