"""Hostile input in great numbers: every case must end in a result or in one of our sentences.

Counts the cases that raise anything but a `VerikitError` (or, on the command line, leave with
another code than 0, 1 or 2), and the sentences of more than 600 characters; both must be 0.

Run with  python benchmarks/fuzz.py [--cases 20000] [--seed 1]
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import copy
import datetime as dt
import gzip
import io
import json
import logging
import lzma
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.cli import main
from verikit.errors import VerikitError

LONGEST = 600
FOLDER = Path(tempfile.mkdtemp(prefix="verikit-fuzz-"))
WORDS = (
    "", " ", "0", "1", "41", "-1", "1e308", "1e999", "nan", "inf", "9" * 400, "9" * 5000, "\0",
    "a\0b", "\udcff", "é", "\u202e", "x" * 300, "x" * 100_000, "../x", "http://127.0.0.1:9/x.csv",
    "<html>", "[1, 2]", "{a, b}", "*", "'", '"', ";", ",", "\n", "true", "null", "age", "X1", "Sex",
    "F", "Flu", "[" * 3000, '{"a":' * 3000,
)  # fmt: skip
JSONS = st.recursive(
    st.sampled_from(
        [None, True, False, 0, 1, -1, 2**70, 10**400, 1e308, -0.5, "", "x", "\0", "noise", *WORDS]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["age", "X1", "path", "Z", ""]), inner, max_size=3)
    ),
    max_leaves=4,
)
PYTHON = st.sampled_from(
    [
        None, True, 0, 3, -1, 2.5, 10**400, float("nan"), float("inf"), -1e308, [], [1],
        {}, {"X1": 1}, set(), (), (1, 2), object(), np.array(3.0), np.array([]), np.array([1, 2]),
        np.float32(3), np.int64(7), np.str_("F"), Decimal("sNaN"), Decimal("1e999999"), Decimal(2),
        Fraction(1, 3), 1j, b"x", len, int, range(3), pd.NA, pd.NaT, pd.Interval(1, 2),
        pd.Series([1, 2]), pd.DataFrame({"a": [1]}), dt.date(2020, 1, 1), pd.Timestamp(0),
        "variance", "packing", "t-closeness", "distinct", *WORDS,
    ]
) | st.integers(5000, 5001).map(lambda digits: 10**digits)  # fmt: skip


class Job(NamedTuple):
    """What is drawn, and what is done with it."""

    name: str
    cases: st.SearchStrategy[Any]
    run: Callable[[Any], object]


# -- files ----------------------------------------------------------------------------------------


@cache
def releases() -> tuple[Any, ...]:
    """A table of masked values, a generalized one, and one in two tables."""
    return tuple(map(vk.published, ("dm_table1_masked", "ks_table4", "lhcc_table3", "lhcc_table4")))


@cache
def folders() -> tuple[Path, ...]:
    """The same, saved."""
    made = [r.save(FOLDER / f"release{place}") for place, r in enumerate(releases())]
    permuted, _ = vk.mask.rank_swap(vk.load("dm_table1"), percent=20, seed=1)
    return (*made, permuted.save(FOLDER / "permuted"))


@cache
def files() -> tuple[tuple[str, bytes], ...]:
    """Sound files of every kind, by name."""
    table = (folders()[0] / "table.csv").read_bytes()
    stored = io.BytesIO()
    pd.read_csv(io.BytesIO(table)).to_parquet(stored)
    archive = Path(shutil.make_archive(str(FOLDER / "whole"), "zip", folders()[0]))
    return (
        ("t.csv", table),
        ("t.csv", b'zip;job;x\n02138;clerk;1\n02139;"a\nb";2\n'),
        ("t.csv.gz", gzip.compress(table, mtime=0)),
        ("t.csv.bz2", bz2.compress(table)),
        ("t.csv.xz", lzma.compress(table)),
        ("t.parquet", stored.getvalue()),
        ("t.zip", archive.read_bytes()),
    )


@st.composite
def damaged(draw: Any) -> tuple[str, bytes]:
    """A file with some bytes changed, or its end cut off, or put under another name."""
    name, content = draw(st.sampled_from(files()))
    changed = bytearray(content)
    edits = st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255))
    for place, byte in draw(st.lists(edits, max_size=6)):
        changed[place] = byte
    if draw(st.integers(0, 9)) == 0:
        changed = changed[: draw(st.integers(0, len(changed)))]
    if draw(st.integers(0, 9)) == 0:
        name = draw(st.sampled_from(["t.csv", "t.zip", "t.parquet", "t.gz", "t.json", ""]))
    return name, bytes(changed)


@st.composite
def written(draw: Any) -> tuple[str, bytes]:
    """A text that looks like a table."""
    cells = st.sampled_from([word for word in WORDS if len(word) < 6000])
    rows = draw(st.lists(st.lists(cells, min_size=1, max_size=4), max_size=5))
    sep = draw(st.sampled_from(",;\t|"))
    return "t.csv", "\n".join(map(sep.join, rows)).encode("utf-8", "surrogatepass")


def stream(case: tuple[str, bytes]) -> io.BytesIO:
    found = io.BytesIO(case[1])
    found.name = case[0]
    return found


def read(case: Any) -> None:
    if not isinstance(case, tuple) or len(case) != 2 or not isinstance(case[1], bytes):
        vk.read(case)
        return
    (FOLDER / "read" / (case[0] or "x")).parent.mkdir(exist_ok=True)
    path = FOLDER / "read" / (case[0] or "x")
    path.write_bytes(case[1])
    vk.read(path)


def open_file(case: Any) -> None:
    plain = not isinstance(case, tuple) or len(case) != 2 or not isinstance(case[1], bytes)
    repr(vk.open_release(case if plain else stream(case)))


# -- descriptions ---------------------------------------------------------------------------------


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside a JSON document."""
    inside = part.items() if isinstance(part, dict) else enumerate(part)
    found = [] if path == () else [path]
    if not isinstance(part, (dict, list)):
        return found
    return found + [way for name, value in inside for way in ways(value, (*path, name))]


def ways(value: Any, path: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return places(value, path) if isinstance(value, (dict, list)) else [path]


@st.composite
def described(draw: Any) -> tuple[Path, str]:
    """A release whose description says something odd."""
    folder = draw(st.sampled_from(folders()))
    package = json.loads((folder / "datapackage.json").read_text())
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(places(package)))
        part = package
        with contextlib.suppress(KeyError, IndexError, TypeError):
            for name in way:
                part = part[name]
            part[last] = copy.deepcopy(draw(JSONS))
    return folder, json.dumps(package)


def open_described(case: tuple[Path, str]) -> None:
    folder, package = case
    target = FOLDER / "described"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    (target / "datapackage.json").write_text(package)
    release = vk.open_release(target)
    schema = release.schema
    report = vk.check({column.name: "1" for column in schema}, release, chance=False)
    report.to_html()


# -- records and questions ------------------------------------------------------------------------

NAMES = ("X1", "X2", "X3", "Race", "Zip", "Age", "Sex", "Disease", "\0")
RECORDS = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, PYTHON))
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "distance": PYTHON, "diversity": PYTHON, "criterion": PYTHON, "alpha": PYTHON,
        "runs": st.sampled_from([0, 1, -1, 2, "x", None, 1.5, 10**400]), "chance": st.booleans(),
    },
)  # fmt: skip


def sound(release: Any, record: dict[str, Any]) -> dict[str, Any]:
    """A record with the attributes of the release alone, so that its values are looked at."""
    return {name: value for name, value in record.items() if name in release.schema.names}


def check(case: Any) -> None:
    record, place, asked, whole = case
    release = releases()[place]
    if isinstance(record, dict) and not whole:
        record = {"X1": 97, "X2": 1000, **record} if place == 0 else record
        record = sound(release, record)
    report = vk.check(record, release, **asked)
    report.to_json()
    report.to_html().encode()
    repr(report).encode()


COLUMNS = st.sampled_from(
    ["age", "sex", "disease", "Age", "X1", "t.age", "u.age", "*", "a b", "''"]
)
VALUES = st.sampled_from(
    ["1", "-1", "'F'", "'Flu'", "9" * 400, "1e999", "null", "(1)", "1.5", "'\0'", "@x", "''''", "x"]
)
TOKENS = (
    "select", "count(*)", "from", "t", "where", "(", ")", "age", "=", "1", "and", "between", ";",
    "--", "/*", "'x'", '"', "[", "]", "join", "union", "with", "as", "group by", "having", "limit",
    "*", ",", ".", "drop table", "insert", "values", "explain",
)  # fmt: skip
CONDITIONS = st.recursive(
    st.one_of(
        st.tuples(COLUMNS, st.sampled_from(["=", "<", ">=", "<>", "like", "is"]), VALUES).map(
            " ".join
        ),
        st.tuples(COLUMNS, VALUES, VALUES).map(lambda p: f"{p[0]} between {p[1]} and {p[2]}"),
        st.tuples(COLUMNS, VALUES, VALUES).map(lambda p: f"{p[0]} in ({p[1]}, {p[2]})"),
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(" and ".join),
        st.tuples(st.sampled_from([1, 2, 45, 60, 500]), inner).map(
            lambda p: "(" * p[0] + p[1] + ")" * p[0]
        ),
        st.tuples(st.sampled_from([1, 200, 1000]), inner).map(
            lambda p: " and ".join([p[1]] * p[0])
        ),
        st.tuples(st.sampled_from([1, 100, 500]), inner).map(lambda p: "not " * p[0] + p[1]),
    ),
    max_leaves=3,
)
STATEMENTS = st.one_of(
    CONDITIONS.map(lambda where: f"select count(*) from t where {where}"),
    st.lists(st.sampled_from(TOKENS), max_size=14).map(" ".join),
    st.sampled_from(WORDS),
)


def answer(case: Any) -> None:
    query, place = case
    if isinstance(query, dict):
        query = vk.Query.count(query)
    repr(vk.answer(query, releases()[place]))


def hierarchy(case: Any) -> None:
    kind, values = case
    if kind == "csv":
        path = FOLDER / "levels.csv"
        path.write_bytes(values[1])
        vk.Hierarchy.read_csv(path)
    elif kind == "of":
        vk.Hierarchy.of(values)
    else:
        vk.Hierarchy.prefixes(values, values)


# -- the command ----------------------------------------------------------------------------------


def options(*names: str, values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    one = st.tuples(st.sampled_from(names), values).map(list)
    return st.lists(one, max_size=3).map(lambda found: [word for pair in found for word in pair])


PLAIN = st.sampled_from([word for word in WORDS if "\0" not in word and len(word) < 6000])
SET = st.tuples(st.sampled_from(["X1", "X2", "X3", "scale", "places", "k", ""]), PLAIN).map(
    "=".join
)
SOURCES = st.sampled_from(["dm_table1_masked", "ks_table4", "lhcc_table3", "nothing"]) | PLAIN


@st.composite
def commands(draw: Any) -> tuple[list[str], str]:
    """Arguments of the command (but for those that start servers), and what it is fed."""
    values = SET | PLAIN
    fed = draw(JSONS.map(json.dumps) | PLAIN)
    kind = draw(st.sampled_from(["check", "data", "mask", "audit", "odd"]))
    if kind == "odd":
        return draw(st.lists(PLAIN, max_size=3)), fed
    if kind == "data":
        return [
            "data",
            draw(st.sampled_from(["list", "describe", "x"])),
            *draw(st.lists(PLAIN)),
        ], fed
    if kind == "check":
        more = draw(
            options("--set", "--distance", "--diversity", "--criterion", "--apart", values=values)
        )
        record = draw(st.sampled_from([[], ["--record", "-"], ["--json"]]))
        return ["check", draw(SOURCES), "--set", "X1=97", "--set", "X2=1000", *more, *record], fed
    made = [str(FOLDER / "made"), str(FOLDER / "key")]
    table = draw(st.sampled_from([str(folders()[0] / "table.csv"), "nothing.csv"]) | PLAIN)
    if kind == "mask":
        method = draw(st.sampled_from(["noise", "rank_swap", "shuffle", "generalize", "x"]))
        more = draw(options("--set", "--seed", "--schema", values=values))
        return ["mask", method, table, "--out", made[0], "--key", made[1], *more], fed
    more = draw(options("--distance", "--worst", "--criterion", "--schema", values=values))
    return ["audit", table, draw(SOURCES), "--key", made[1], *more], fed


def command(case: tuple[list[str], str]) -> None:
    arguments, fed = case
    shutil.rmtree(FOLDER / "made", ignore_errors=True)
    (FOLDER / "key").unlink(missing_ok=True)
    before = sys.stdin
    sys.stdin = io.StringIO(fed)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = main(arguments)
    except SystemExit as left:
        code = left.code
    finally:
        sys.stdin = before
    assert code in (0, 1, 2), f"left with code {code!r}"


# -- counting -------------------------------------------------------------------------------------


def jobs() -> list[Job]:
    """Every door, and what is thrown at it."""
    table = damaged() | written()
    of = st.sampled_from(range(len(releases())))
    asked = STATEMENTS | PYTHON | RECORDS | st.lists(STATEMENTS, max_size=2)
    return [
        Job("read", table | PYTHON, read),
        Job("open_release", table | table | PYTHON, open_file),
        Job("descriptions", described(), open_described),
        Job("check", st.tuples(RECORDS | RECORDS | PYTHON, of, ASKED, st.booleans()), check),
        Job("answer", st.tuples(asked, of), answer),
        Job(
            "hierarchy",
            st.tuples(st.just("csv"), written())
            | st.tuples(st.sampled_from(["of", "prefixes"]), PYTHON | JSONS),
            hierarchy,
        ),
        Job("command", commands(), command),
    ]  # fmt: skip


def fault(run: Callable[[Any], object], case: Any) -> str | None:
    """What went wrong with one case; None where it ended as it should."""
    try:
        run(case)
    except VerikitError as error:
        return f"a sentence of {len(str(error))} characters" if len(str(error)) > LONGEST else None
    except Exception as error:
        own = [f for f in traceback.extract_tb(error.__traceback__) if "verikit" in f.filename]
        where = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "?"
        return f"{type(error).__name__} at {where}: {str(error)[:80]}"
    return None


def short(case: Any) -> str:
    """The beginning of a case, if it can be written out."""
    try:
        return ascii(case)[:300]
    except ValueError:
        return "what Python does not write out"


def count(job: Job, cases: int, number: int) -> tuple[Counter[str], dict[str, Any], int]:
    """The faults of one door, an example of each, and how many cases were run."""
    faults: Counter[str] = Counter()
    examples: dict[str, Any] = {}
    done = 0

    @seed(number)
    @settings(
        max_examples=cases, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(job.cases)
    def each(case: Any) -> None:
        nonlocal done
        done += 1
        found = fault(job.run, case)
        if found is not None:
            faults[found] += 1
            examples.setdefault(found, case)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        each()
    return faults, examples, done


def run_all(cases: int, number: int = 1) -> tuple[int, Counter[str], dict[str, Any]]:
    """All doors with as many cases together."""
    total, faults, examples = 0, Counter[str](), {}
    every = jobs()
    for job in every:
        started = time.process_time()
        found, shown, done = count(job, -(-cases // len(every)), number)
        total += done
        faults.update({f"{job.name}: {what}": times for what, times in found.items()})
        examples |= {f"{job.name}: {what}": case for what, case in shown.items()}
        if __name__ == "__main__":
            print(f"{job.name:14}{done:7,} cases {found.total():5,} faults "
                  f"{time.process_time() - started:7.1f} s")  # fmt: skip
    return total, faults, examples


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    logging.disable()  # sqlglot tells of statements that it does not know
    try:
        total, faults, examples = run_all(chosen.cases, chosen.seed)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    for what, times in faults.most_common():
        print(f"{times:6,}  {what}\n        {short(examples[what])}")
    print(f"{total:,} cases, {faults.total():,} faults")
    sys.exit(1 if faults else 0)
