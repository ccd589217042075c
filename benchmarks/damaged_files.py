"""Damaged files of each kind: every one ends as a table or as one sentence, within twice its room.

Each kind of file that can be opened is damaged at random (bits turned, bytes put in, taken out,
doubled, cut off) and opened as a person does. Counted are those that end otherwise than in a table
or in one sentence of ours, those that end the process, and those that need more than twice the
memory of the table, beside 28 MB for what is read at once.

Run it with  python benchmarks/damaged_files.py [DAMAGES] [FIRST_SEED] [KIND ...]
(300 of each kind take some minutes of CPU; ``--plainly`` starts Python for each file as verikit
does, and not a copy of this process, which takes half an hour).
"""

from __future__ import annotations

import bz2
import gc
import gzip
import json
import lzma
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from struct import pack as pack_binary
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

import verikit as vk
from verikit._support.child import GIVEN, RESULT
from verikit.errors import VerikitError
from verikit.release import Key, Ledger
from verikit.table.reading import _native

RECORDS = {"xlsx": 1_000, "release": 1_000, "key": 1_000, "ledger": 1_000, "por": 5_000}
MANY, SOME = 50_000, 20_000  # records of text files and those of Arrow, and of others
PAGE, SAS = 2**16, bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
REFUSED = ("ods",)  # also where it is not damaged
LONGEST = 600  # letters of a sentence
FLOOR = 28 * 2**20  # bytes that any opening may take: a piece of the file, and late imports
PATIENCE = 20  # seconds for a child that was forked


def make_table(records: int) -> pd.DataFrame:
    """People with numbers, words, gaps and days."""
    draw = np.random.default_rng(5)
    pay = np.round(draw.normal(3000, 900, records), 2)
    return pd.DataFrame(
        {
            "age": draw.integers(0, 99, records),
            "pay": np.where(draw.random(records) < 0.05, np.nan, pay),
            "job": draw.choice(["clerk", "nurse", "smith", "baker"], records),
            "zip": [f"{one:05d}" for one in draw.integers(0, 99_999, records)],
            "born": pd.Timestamp("1950-01-01")
            + pd.to_timedelta(draw.integers(0, 9**4, records), "D"),
            "rate": draw.random(records),
        }
    )


def write_stata(version: int) -> Callable[[pd.DataFrame, Path], None]:
    """A way to write Stata files of a version."""
    return lambda frame, path: frame.assign(job=pd.Categorical(frame["job"])).to_stata(
        path, write_index=False, version=version
    )


def by(module: str, name: str, **how: Any) -> Callable[[pd.DataFrame, Path], None]:
    """A way to write files with a function of a library, without days where it knows none."""
    bare = ["born"] if name == "write_xport" else []
    return lambda frame, path: getattr(import_module(module), name)(
        frame.drop(columns=bare), str(path), **how
    )


def pack(how: Callable[[bytes], bytes]) -> Callable[[pd.DataFrame, Path], None]:
    """A way to write CSV that is packed."""
    return lambda frame, path: path.write_bytes(how(frame.to_csv(index=False).encode())) and None


def write_r(name: str, **how: Any) -> Callable[[pd.DataFrame, Path], None]:
    """A way to write files of R."""
    return lambda frame, path: getattr(import_module("pyreadr"), name)(
        str(path), frame.drop(columns="born"), **how
    )


def write_sas(frame: pd.DataFrame, path: Path) -> None:
    """A SAS file: a page that describes the columns, and pages of records that are not packed.

    Each part of the first page begins with its sign; texts stand in one part, and the others say
    where in it (part, place, length) a name or a format stands.
    """
    days = (frame["born"] - pd.Timestamp("1960-01-01")).dt.days
    texts = ("job", "zip")
    kinds = {name: "S8" if name in texts else "<f8" for name in frame}
    rows = frame.assign(born=days).to_records(index=False, column_dtypes=kinds)
    wide, size = rows.dtype.itemsize, len(kinds)
    words = "".join(name.ljust(8) for name in (*frame, "DATE")).encode()
    refs = [pack_binary("<HHH", 0, 60 + 8 * at, len(name)) for at, name in enumerate(frame)]
    date, none = pack_binary("<HHH", 0, 60 + 8 * size, 4), bytes(6)
    about = [
        pack_binary("<IIHBx", 8 * at, 8, 4, 1 + (name in texts)) for at, name in enumerate(frame)
    ]
    sized = [
        sign + pack_binary("<HHI", len(held) + 8, 0, 0) + held + bytes(8)
        for sign, held in (
            (b"\xfd\xff\xff\xff", bytes(52) + words),
            (b"\xff\xff\xff\xff", b"".join(ref + bytes(2) for ref in refs)),
            (b"\xfc\xff\xff\xff", b"".join(about)),
        )
    ]
    told = pack_binary("<I16xII4xII8xI424x", 0xF7F7F7F7, wide, len(rows), size, 0, PAGE)
    counted = pack_binary("<III", 0xF6F6F6F6, size, 0)
    forms = [date if name == "born" else none for name in frame]
    shown = [b"\xfe\xfb\xff\xff" + bytes(30) + form + none + bytes(6) for form in forms]
    parts = [told, counted, *sized, *shown]
    ends = [PAGE - sum(map(len, parts[at:])) for at in range(len(parts))]
    heads = [pack_binary("<II4x", end, len(part)) for end, part in zip(ends, parts, strict=True)]
    pages = [write_page(0, len(parts), b"".join(heads), b"".join(parts))]
    some = (PAGE - 24) // wide
    for at in range(0, len(rows), some):
        part = rows[at : at + some]
        pages.append(write_page(256, len(part), part.tobytes()))
    begin = SAS.ljust(32, b"\0") + b'"\0\0"\0\1\0001' + bytes(30) + b"\x14" + bytes(13)
    begin = (begin + b"SAS FILEPEOPLE").ljust(156, b"\0") + b"DATA".ljust(40)
    begin += pack_binary("<III8x", 1024, PAGE, len(pages)) + b"9.0401M1"
    path.write_bytes(begin.ljust(1024, b"\0") + b"".join(pages))


def write_page(kind: int, blocks: int, head: bytes, tail: bytes = b"") -> bytes:
    """A page of a SAS file: what it is, how many parts it has, and these."""
    begin = pack_binary("<16xHHHxx", kind, blocks, 0 if kind else blocks) + head
    return begin + bytes(PAGE - len(begin) - len(tail)) + tail


def write_ods(frame: pd.DataFrame, path: Path) -> None:
    """A table as LibreOffice writes it, which we refuse."""
    rows = "".join(
        f"<table:table-row><table:table-cell><text:p>{age}</text:p></table:table-cell></table:table-row>"
        for age in frame["age"]
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        archive.writestr("mimetype", kind, compress_type=zipfile.ZIP_STORED)
        archive.writestr("content.xml", f"<office:spreadsheet>{rows}</office:spreadsheet>")


def write_zip(frame: pd.DataFrame, path: Path) -> None:
    """A table in a zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("people.csv", frame.to_csv(index=False))


def make_release(frame: pd.DataFrame) -> tuple[Any, Key]:
    """A masked table with its key."""
    schema = vk.Schema.guess(frame[["age", "pay"]].fillna(0))
    return vk.mask.noise(vk.Microdata(frame[["age", "pay"]].fillna(0), schema), scale=1, seed=1)


def write_release(frame: pd.DataFrame, path: Path) -> None:
    """A release's folder in a zip file."""
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(path, "w") as archive:
        for file in make_release(frame)[0].save(Path(name) / "release").iterdir():
            archive.write(file, file.name)


def write_key(frame: pd.DataFrame, path: Path) -> None:
    """The key of a release."""
    make_release(frame)[1].save(path)


def write_ledger(frame: pd.DataFrame, path: Path) -> None:
    """What was published of a table's people."""
    schema = vk.Schema.guess(frame[["zip", "job"]], job="sensitive")
    data = vk.Microdata(frame[["zip", "job"]], schema)
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    Ledger().add(data, *vk.mask.anatomize(data, partition=groups, seed=1)).save(path)


KINDS: Mapping[str, tuple[str, Callable[[pd.DataFrame, Path], None]]] = {
    "csv": ("t.csv", lambda frame, path: frame.to_csv(path, index=False)),
    "csv of utf-16": ("t.csv", lambda f, p: f.to_csv(p, index=False, sep=";", encoding="utf-16")),
    "tsv": ("t.tsv", lambda frame, path: frame.to_csv(path, index=False, sep="\t")),
    "quoted csv": ("t.csv", lambda frame, path: frame.to_csv(path, index=True, quoting=2)),
    "gz": ("t.csv.gz", pack(gzip.compress)),
    "xz": ("t.csv.xz", pack(lzma.compress)),
    "bz2": ("t.csv.bz2", pack(bz2.compress)),
    "zstd": (
        "t.csv.zst",
        pack(lambda held: import_module("zstandard").ZstdCompressor().compress(held)),
    ),
    "zip": ("t.zip", write_zip),
    "json": (
        "t.json",
        lambda frame, path: frame.to_json(path, orient="records", date_format="iso"),
    ),
    "json by columns": (
        "t.json",
        lambda f, p: p.write_text(json.dumps(f.astype(str).to_dict("list"))),
    ),
    "parquet": ("t.parquet", lambda frame, path: frame.to_parquet(path)),
    "feather 1": ("t.feather", by("pyarrow.feather", "write_feather", version=1)),
    "feather 2": ("t.feather", by("pyarrow.feather", "write_feather")),
    "stata 114": ("t.dta", write_stata(114)),
    "stata 117": ("t.dta", write_stata(117)),
    "stata 118": ("t.dta", write_stata(118)),
    "sav": ("t.sav", by("pyreadstat", "write_sav")),
    "zsav": ("t.zsav", by("pyreadstat", "write_sav", compress=True)),
    "por": ("t.por", by("pyreadstat", "write_por")),
    "xpt 5": ("t.xpt", by("pyreadstat", "write_xport", file_format_version=5)),
    "xpt 8": ("t.xpt", by("pyreadstat", "write_xport", file_format_version=8)),
    "rds": ("t.rds", write_r("write_rds", compress="gzip")),
    "plain rds": ("t.rds", write_r("write_rds")),
    "rdata": ("t.RData", write_r("write_rdata", df_name="people")),
    "sas7bdat": ("t.sas7bdat", write_sas),
    "ods": ("t.ods", write_ods),
    "xlsx": ("t.xlsx", lambda frame, path: frame.to_excel(path, index=False)),
    "release": ("release.zip", write_release),
    "key": ("key.json", write_key),
    "ledger": ("verikit-ledger.json", write_ledger),
}
DOORS = {"release": vk.open_release, "key": Key.open, "ledger": Ledger.open}


@contextmanager
def fork_child(
    function: Callable[[dict[str, Any], BinaryIO], None],
    job: Mapping[str, Any],
    seconds: float,
    content: Iterable[bytes] = (),
) -> Iterator[tuple[Path, int]]:
    """What `run_child` does, with a copy of this process, which has its libraries loaded."""
    with tempfile.TemporaryDirectory(prefix="verikit-") as home:
        result = Path(home, RESULT)
        with Path(home, GIVEN).open("wb") as file:
            file.writelines(content)
        child = os.fork()
        if not child:
            _be_child(function, {**job, "home": home}, home, result)
        until, code = time.monotonic() + min(seconds, PATIENCE), None
        while code is None and time.monotonic() < until:
            ended, status = os.waitpid(child, os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if ended else time.sleep(0.002)
        if code is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise subprocess.TimeoutExpired("child", seconds)
        yield result, code


def _be_child(function: Any, job: dict[str, Any], home: str, result: Path) -> None:
    """Do what the child is started for, and end."""
    code = 1
    try:
        os.chdir(home)
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        with result.open("wb") as file:
            function(job, file)
        code = 0
    finally:
        os._exit(code)


def damage(content: bytes, draw: random.Random) -> bytes:
    """Content with some bits turned, or bytes put in, taken out, doubled or cut off."""
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 6])):
        # half of all near the beginning, where formats say how large they are
        most = len(changed) if draw.random() < 0.5 else min(len(changed), 600)
        at = draw.randrange(max(most, 1))
        size = draw.choice([1, 2, 8, 100, 4096])
        way = draw.choice(["turn", "turn", "turn", "byte", "byte", "put", "take", "double", "zero"])
        if way == "turn" and changed:
            changed[at] ^= 1 << draw.randrange(8)
        elif way == "byte" and changed:
            changed[at] = draw.choice([0, 255, 127, 128, draw.randrange(256)])
        elif way == "put":
            changed[at:at] = draw.randbytes(size)
        elif way == "take":
            del changed[at : at + size]
        elif way == "double":
            changed[at:at] = changed[at : at + size]
        else:
            changed[at : at + size] = bytes(len(changed[at : at + size]))
    return bytes(changed[: draw.randrange(len(changed) + 1)] if draw.random() < 0.15 else changed)


def open_file(kind: str, path: Path) -> tuple[str, int, int]:
    """How opening a file ends, how many bytes it takes beside what was there, and its table."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    before, found = memory("VmRSS"), None
    try:
        found = DOORS.get(kind, vk.read)(path)
        said = "table"
    except VerikitError as error:
        text = str(error)
        said = "sentence" if len(text) < LONGEST and "\n" not in text else f"long: {text}"
    except Exception:  # of all kinds, which is what is looked for
        said = traceback.format_exc()
    taken, frame = memory("VmHWM") - before, getattr(found, "frame", pd.DataFrame())
    return said, taken, int(frame.memory_usage(deep=True).sum())


def memory(what: str) -> int:
    """What the kernel says of this process, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split(f"{what}:")[1].split()[0]) * 1024


def try_kind(kind: str, seeds: range) -> Iterator[dict[str, Any]]:
    """Damage a kind of file for each seed, and tell how each ends; first how it is undamaged."""
    name, write = KINDS[kind]
    quick = name.startswith("t.csv") or kind in ("tsv", "parquet", "feather 1", "feather 2")
    frame = make_table(RECORDS.get(kind, MANY if quick else SOME))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, name)
        write(frame, path)
        content = path.read_bytes()
        for _ in range(2):  # the first imports what it needs
            said, whole, size = open_file(kind, path)
        yield {"kind": kind, "seed": None, "said": said, "taken": whole, "table": size}
        for seed in seeds:
            yield {"kind": kind, "seed": seed, "said": "began"}
            path.unlink()
            path.write_bytes(damage(content, random.Random(f"{kind} {seed}")))
            start = time.process_time()
            said, taken, size = open_file(kind, path)
            yield {"kind": kind, "seed": seed, "said": said, "taken": taken, "table": size,
                   "seconds": round(time.process_time() - start, 2)}  # fmt: skip


def run_kind(kind: str, seeds: range, more: list[str]) -> tuple[Counter[str], list[Any]]:
    """Try a kind in a process of its own, so that one that ends it is seen; count how they end."""
    ends, odd, most, whole, start = Counter[str](), [], 0, {}, seeds.start
    while start < seeds.stop:
        process = subprocess.run(
            [sys.executable, __file__, "--only", kind, str(start), str(seeds.stop), *more],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        told = [json.loads(line) for line in process.stdout.splitlines()]
        done = [one for one in told if one["said"] != "began"]
        if not done or done[0]["said"] != ("sentence" if kind in REFUSED else "table"):
            return ends, [f"the undamaged file: {done or process.stderr}"]
        whole = done[0]
        for one in done[1:]:
            ends[one["said"] if one["said"] in ("table", "sentence") else "fault"] += 1
            most = max(most, one["taken"])
            limit = FLOOR + 2 * max(whole["table"], one["table"])
            if one["said"] not in ("table", "sentence") or one["taken"] > limit:
                odd.append(one)
        if process.returncode == 0:
            break
        odd.append({"seed": told[-1]["seed"], "said": f"ended the process: {process.returncode}"})
        start = told[-1]["seed"] + 1
    shown = {"table": whole["table"], "undamaged": whole["taken"], "damaged, at most": most}
    print(kind, dict(ends), {what: f"{n / 2**20:.1f} MB" for what, n in shown.items()}, flush=True)
    return ends, odd


if __name__ == "__main__":
    arguments = [one for one in sys.argv[1:] if one != "--plainly"]
    plainly = ["--plainly"] * ("--plainly" in sys.argv)
    if arguments[:1] == ["--only"]:
        if not plainly:
            with suppress(ImportError):
                for library in ("pyreadstat", "pyreadr", "openpyxl", "pyarrow.feather"):
                    import_module(library)
            _native.run_child = fork_child
        for result in try_kind(arguments[1], range(*map(int, arguments[2:4]))):
            print(json.dumps(result), flush=True)
        sys.exit()
    count, first = int((arguments or ["300"])[0]), int((arguments[1:] or ["0"])[0])
    total, failed = Counter[str](), []
    for kind in arguments[2:] or KINDS:
        ends, odd = run_kind(kind, range(first, first + count), plainly)
        total += ends
        failed += [f"{kind}: {one}" for one in odd]
    print(f"{sum(total.values())} files: {dict(total)}, {len(failed)} to be looked at")
    print("\n".join(failed))
    sys.exit(bool(failed))
