"""Random files of published tables, for the page without data against `verikit.check`.

`page_cases.py` runs them. A release is saved as a folder, or written as a bare CSV in one of the
spellings that people use: separators, decimal commas, thousands, quotes, a byte-order mark, other
letters, marks of missing values, title lines, row names. Of a bare table columns may be told.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import page_cases
import page_group_cases
import page_kind_cases
import pandas as pd

import verikit as vk
from verikit.errors import VerikitError
from verikit.release import redraw_of, whole_records
from verikit.words import text

ODD = {
    "flu": 'flu "A", B; C|D', "asthma": "asthmé", "acne": " acne", "f": "01", "m": "02",
    "47602": "02602", "476**": "026**", "<fifty": "2020-01", "30-39": "39-30",
    "20+": "12-2020", "clerk": '{nurse, "a, b"}',
}  # fmt: skip
NUMBERED = b"record id,age,pay,nr\n" + b"".join(
    b"%d,%d,%d,%d\n" % (90 - at, 30 + at, 1000 * at, at % 3) for at in range(7)
)
LONG = b"id,zip\n110101199003070011,640**\n110101199003070012,641**\n,640**\n"
SEXES = b"sex,zip\nFemale,640**\nMale,641**\n*,641**\nFemale,642**\n"
BY_HAND = [
    ("city;pay\nKöln;1,5\nZürich;2\n".encode("cp1252"), {"city": "Köln"}),
    (b"age\n39-30\n20-29\n25-35\n", {"age": "25"}),
    (b"age\n30-39\n20-29\n20-29\n", {"age": "25"}),
    *((b"num,d\n%s,flu\n0-6,gas\n" % label.encode(), {"num": "4"}, "covers")
      for label in ("2-2", "20-20", "5-3", "2–2", "5–3", "2020-01", "1-2-3")),
    (b"num,d\n10-12,flu\n31-10,gas\n25-12,gas\n", {"num": "11"}, "covers"),
    (b"grade\nA*\nA\nB\nC\n", {"grade": "AB"}),
    (b'"age in the ""old"" town",pay\n31,5\n45,7\n29,8\n', {'age in the "old" town': 31}),
    (NUMBERED, {"age": 31}),
    (NUMBERED, {"age": 31}, "changed"),
    *((LONG, {"id": one}) for one in ("110101199003070012", "110101199003070015", "*")),
    *((SEXES, {"sex": one}, promise)
      for one in ("female", " MALE ", "Femal", "woman", '"woman"', "1999-01-02")
      for promise in ("covers", "untold")),
    *((b"age,pay\n20,1.5\n40,2.5\n50,9\n", {"age": one, "pay": "2"}, "changed")
      for one in ("1985", "81", "80", "“81”")),
    *((b"age,zip\n20,640**\n40,641**\n", {"age": "30", "zip": one}) for one in ("642", "„642“")),
    (b"age,pay\n20-29,<=50K\n30-39,>50K\n", {"age": 25, "pay": "<=50K"}, "untold"),
    (b"pay,age\n<=50K,30\n>50K,31\n<=50K,32\n", {"age": 30}, "untold"),
    *((b"age,pay\n20-29,1\n30-39,2\n20-29,4\n9-12,9\n", {"age": one, "pay": 2}, promise)
      for one in ("20-29", "25") for promise in ("drawn from a model",)),
    (b"year,zip\n2001,640**\n2003,641**\n", {"year": "2003-05-14"}),
    (b"year,zip\n200*,640**\n199*,641**\n", {"year": "14.05.2003"}),
]  # fmt: skip
PROMISES = ("as it was", "covers", "another order", "changed", "drawn from a model", "untold")


class Case(NamedTuple):
    """The files, what is told of columns, the release in them, a record, and what is asked."""

    files: Mapping[str, bytes]
    told: Mapping[str, Any] | None
    release: Any
    record: dict[str, Any]
    question: dict[str, Any]


def case(seed: int) -> Case:
    """One random case; the same for the same seed."""
    rng = np.random.default_rng(seed)
    groups = page_group_cases
    draws = (page_cases.case, groups.generalized, groups.split)
    kinds = page_kind_cases
    draws += kinds.randomized, kinds.numbers, kinds.graph, kinds.disguised
    drawn = draws[int(rng.choice(7, p=[0.25, 0.25, 0.1, 0.1, 0.1, 0.1, 0.1]))](seed)
    with tempfile.TemporaryDirectory() as home:
        if rng.random() < 0.4 or not whole_records(drawn.release) or redraw_of(drawn.release):
            return _folder(drawn, Path(home, "release"))
        return _bare(rng, drawn, Path(home))


def by_hand() -> list[Case]:
    """Tables that chance draws too rarely: other letters, months among bands, grades with stars."""
    return [_by_hand(*one) for one in BY_HAND]


def _by_hand(content: bytes, record: dict[str, Any], promise: str = "covers") -> Case:
    with tempfile.TemporaryDirectory() as home:
        path = Path(home, "table.csv")
        path.write_bytes(content)
        found = vk.open_release(path)
    told = {"roles": {}, "orders": {}, "promise": promise}
    release = vk.TableRelease.of(found.frame, found.schema, promise=promise)
    return Case({"table.csv": content}, told, release, record, {})


def _folder(drawn: Any, folder: Path) -> Case:
    drawn.release.save(folder)
    files = {part.name: part.read_bytes() for part in folder.iterdir()}
    release = vk.open_release(folder)
    return Case(files, None, release, drawn.record, drawn.question)


def _bare(rng: np.random.Generator, drawn: Any, home: Path) -> Case:
    frame, record = _spelled(rng, drawn)
    content = written(rng, frame)
    path = home / "table.csv"
    path.write_bytes(content)
    told = _told(rng, drawn.release) if rng.random() < 0.7 else None
    try:
        release = vk.open_release(path)
    except VerikitError:
        return Case({"table.csv": content}, told, None, record, drawn.question)
    return _of(release, content, told, record, drawn.question)


def _of(
    release: Any,
    content: bytes,
    told: Mapping[str, Any] | None,
    record: dict[str, Any],
    question: Mapping[str, Any],
) -> Case:
    """The case of a bare table, as it is told; the page asks for all of a generalized one."""
    if told is not None:
        columns = [
            replace(c, role=told["roles"].get(c.name, "quasi"))
            if c.name not in told["orders"]
            else replace(c, kind="ordinal", order=tuple(told["orders"][c.name]))
            for c in release.schema
        ]
        release = vk.TableRelease.of(release.frame, vk.Schema(columns), promise=told["promise"])
    grouped = release.generalized_in(c.name for c in release.schema if c.role != "sensitive")
    judged = {n: v for n, v in question.items() if (n in ("k", "ell")) == grouped}
    asked = {c.name for c in (*release.asked, *(release.schema.sensitive if grouped else ()))}
    record = {
        name: value if release.schema[name].kind == "numeric" else text(value)
        for name, value in record.items()
        if name in asked
    }
    if grouped and record and not release.generalized_in(record):
        told = told or {"roles": {}, "orders": {}}
        return _of(release, content, {**told, "promise": "covers"}, record, question)
    for name, asked_of in judged.items():
        if isinstance(asked_of, dict):
            judged[name] = {column: v for column, v in asked_of.items() if column in record}
    return Case({"table.csv": content}, told, release, record, judged)


def _spelled(rng: np.random.Generator, drawn: Any) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A table and a record with words that are hard to read: quotes, accents, codes, months."""
    odd = {name: word for name, word in ODD.items() if rng.random() < 0.4}
    labels = drawn.release.frame.select_dtypes(exclude="number")
    words = [name for name in labels if not isinstance(labels[name].dtype, pd.IntervalDtype)]
    changed = {name: labels[name].astype(object).replace(odd) for name in words}
    frame = drawn.release.frame.assign(**changed)
    record = {n: odd.get(v, v) if n in words else v for n, v in drawn.record.items()}
    return frame, record


def _told(rng: np.random.Generator, release: Any) -> dict[str, Any]:
    roles = {c.name: c.role for c in release.schema if c.role != "quasi"}
    orders = {c.name: list(c.order) for c in release.schema if c.order}
    promise = "another order" if release.permutation else str(rng.choice(PROMISES))
    return {"roles": roles, "orders": orders, "promise": promise}


def written(rng: np.random.Generator, frame: pd.DataFrame) -> bytes:
    """A table as somebody writes it."""
    separator = str(rng.choice([",", ";", "\t", "|"]))
    comma = separator != "," and rng.random() < 0.5
    shown = pd.DataFrame({name: _words(values, comma) for name, values in frame.items()})
    missing = str(rng.choice(["", "NA", "NaN", "nan"]))
    quoting = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
    end = str(rng.choice(["\n", "\r\n"]))
    named = rng.random() < 0.08  # row names, as R writes them
    found = shown.to_csv(
        index=named, sep=separator, na_rep=missing, quoting=quoting, lineterminator=end
    )
    found = found.partition(separator)[2] if named else found
    if rng.random() < 0.1:
        found = f"# a comment{end}{end}" + found
    elif rng.random() < 0.1 and shown.shape[1] > 2:
        found = f"People of the year 2024{end}{end}" + found
    if quoting == csv.QUOTE_MINIMAL and rng.random() < 0.1:
        found = found.replace(separator, f"{separator} ")
    if rng.random() < 0.05:
        found = f"sep={separator}{end}" + found
    encoding = str(rng.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    return found.encode(encoding, "replace")


def _words(values: pd.Series, comma: bool) -> list[Any]:
    numbers = pd.api.types.is_numeric_dtype(values) and not isinstance(
        values.dtype, pd.IntervalDtype
    )
    return [None if pd.isna(v) else _written(v, numbers and comma) for v in values]


def _written(value: Any, comma: bool) -> str:
    said = repr(value.item() if isinstance(value, np.generic) else value)
    said = (
        value if isinstance(value, str) else str(value) if isinstance(value, pd.Interval) else said
    )
    return said.replace(".", ",") if comma else said
