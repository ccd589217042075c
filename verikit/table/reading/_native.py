"""Formats that only native libraries read: in a child, with memory and time from the file's size.

The table comes back column by column, as plain numbers and as JSON, so that nothing in what the
child wrote can end the process that takes it: a damaged table of Arrow or a pickle could.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from verikit._support.child import GIVEN, limit_resources, run_child
from verikit._support.files import LIMIT_MB, UNPACKED, allowance
from verikit._support.told import Told
from verikit.errors import FormatError, VerikitError
from verikit.table.reading._office import read_format
from verikit.table.reading._reading import TO_CSV, Asked, ColumnHint, Reading

SECONDS, BYTES_A_SECOND = 60, 50_000  # for any file, and for each byte of it
LIBRARIES, COPIES = 2 * 10**9, 3  # the address space of libraries, and of a table while it is read
WAITS = 3  # on a machine that does other things as well, a second of work takes longer
TOO_SLOW = getattr(signal, "SIGXCPU", sys.maxsize)
KILLED = getattr(signal, "SIGKILL", sys.maxsize)  # by a kernel that lacks memory
PART = 2**16  # values that are written at once
ODD = "\0"  # the key of a value that JSON does not know
NUMBERS = "biufcmM"
ODD_VALUES: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "Timestamp": (
        lambda value: [value.isoformat(), value.unit],
        lambda told: pd.Timestamp(told[0]).as_unit(told[1]),
    ),
    "datetime": (datetime.isoformat, datetime.fromisoformat),
    "date": (date.isoformat, date.fromisoformat),
    "time": (time.isoformat, time.fromisoformat),
    "timedelta": (
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda told: timedelta(*told),
    ),
    "Decimal": (str, Decimal),
    "bytes": (bytes.hex, bytes.fromhex),
    "NaTType": (str, lambda _: pd.NaT),
    "NAType": (str, lambda _: pd.NA),
}


def read_natively(
    kind: str, box: list[bytes], place: Path | None, asked: Asked, name: str
) -> Reading:
    """Read a file of some format in a child, whatever becomes of the child.

    Parameters
    ----------
    kind
        Its format.
    box
        Its content, which is taken out.
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
    content = box.pop()
    room = allowance(len(content), UNPACKED, sys.maxsize)
    seconds = SECONDS + len(content) // BYTES_A_SECOND
    content, given = (content, GIVEN) if place is None else (b"", str(place.absolute()))
    limits = {"seconds": seconds, "memory": LIBRARIES + COPIES * room, "written": room}
    job = {"kind": kind, "sheet": asked.sheet, "name": name, "given": given, "limits": limits}
    try:
        with run_child(run_reader, job, WAITS * seconds, content) as (result, code):
            if code == 0:
                with result.open("rb") as file:
                    return take_reading(file)
    except subprocess.TimeoutExpired:
        code = -TOO_SLOW
    said = "the program for such files broke off; ask for it again, or save it as CSV"
    refusal = Told(f"{name} cannot be read: {said}.", "reader-ended", name=name)
    if code == -TOO_SLOW:
        said = f"the program for such files was not done in {seconds} seconds; save it as CSV"
        told = {"name": name, "seconds": seconds}
        refusal = Told(f"{name} cannot be read: {said}.", "reader-slow", **told)
    elif code == -KILLED:
        refusal = _explain_memory(name, room)
    raise FormatError(refusal)


def _explain_memory(name: str, room: int) -> Told:
    megabytes = room // 10**6
    said = (
        f"{name} cannot be read: it needs more memory than a file of its size is given "
        f"({megabytes} MB for its table); save it as CSV, or, if you trust it, set the environment "
        f"variable {LIMIT_MB} to the megabytes that it needs."
    )
    return Told(said, "reader-large", name=name, megabytes=megabytes)


def run_reader(job: dict[str, Any], result: BinaryIO) -> None:
    """Be the child: read the file, and write the table or why there is none."""
    limit_resources(**job["limits"])
    try:
        give_reading(
            read_format(job["kind"], Path(job["given"]), Asked(sheet=job["sheet"])), result
        )
    except (MemoryError, OSError, VerikitError) as error:
        told = error.told if isinstance(error, VerikitError) else ""
        said = told or _explain_memory(job["name"], job["limits"]["written"])
        result.seek(0)
        result.truncate()
        _write(result, {"refused": _pack_told(said)})


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


def _pack_told(said: str) -> tuple[str, str, Mapping[str, Any]]:
    return (str(said), said.says, said.values) if isinstance(said, Told) else (said, "", {})


def _unpack_told(english: str, says: str, values: Mapping[str, Any]) -> str:
    return Told(english, says, **values) if says else english


def give_reading(reading: Reading, file: BinaryIO) -> None:
    """Write a table as it was read, for `take_reading`."""
    frame = reading.frame
    labels = {name: told.label for name, told in reading.told.items()}
    notes = [_pack_told(note) for note in reading.notes]
    _write(file, {"names": list(frame.columns), "labels": labels, "notes": notes})
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
        raise FormatError(_unpack_told(*about["refused"]))
    columns = {place: _take_column(file) for place in range(len(about["names"]))}
    frame = pd.DataFrame(columns, copy=False)
    frame.columns = about["names"]
    labels = {name: ColumnHint(label) for name, label in about["labels"].items()}
    return Reading(frame, labels, tuple(_unpack_told(*note) for note in about["notes"]))


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
        return pd.Series(pd.Categorical.from_codes(codes, categories, ordered=about["ordered"]))
    if about["plain"]:
        return pd.Series(np.fromfile(file, np.dtype(about["kind"]), about["size"]), copy=False)
    parts = [pd.Series(_read(file), dtype=about["kind"]) for _ in range(0, about["size"], PART)]
    return pd.concat(parts, ignore_index=True) if parts else pd.Series(dtype=about["kind"])
