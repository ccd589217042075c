"""Random text files, hostile ones among them, for the page's reader against Python's.

Each file is read by Python (`verikit.open_release`) and by the page's program under node; cells,
values, notes and refusals must be the same.

Run it with  python benchmarks/reading_cases.py [FILES] [FIRST_SEED]  (100,000 take half an hour).
"""

from __future__ import annotations

import base64
import io
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

import verikit as vk
from verikit.errors import VerikitError
from verikit.languages import texts_of
from verikit.page import _packed, _write
from verikit.table._microdata import read_people
from verikit.values.dates import date_text

NODE = shutil.which("node")
PROGRAM = """
function foundIn(bytes) {
  try {
    const columns = bareColumns(bytes, "t.csv").map(({ name, words, code, numbers, dated }) =>
      [name, dated ? "date" : numbers ? "number" : "text",
       [...code].map((at) => {
         if (at < 0) return null;
         return dated ? dateText(numbers[at]) : (numbers ?? words)[at];
       })]);
    return { columns, notes: NOTES.map(({ name, told }) => [name.slice(5), told]), lines: LINES };
  } catch (error) {
    return error instanceof Refused ? { refused: error.name } : { fault: `${error.stack}` };
  }
}
foundIn;
"""
RUN = r"""
const [fs, vm, lines] = ["fs", "vm", "readline"].map(require);
const HIGH = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
class Letters {  // node reads Windows-1252 as Latin-1
  constructor(name, told) {
    this.own = new TextDecoder(name, told);
    this.high = name === "windows-1252";
  }
  decode(bytes) {
    const text = this.own.decode(bytes);
    return this.high ? text.replace(/[\x80-\x9f]/g, (one) => HIGH[one.charCodeAt(0) - 128]) : text;
  }
}
const scope = vm.createContext({ TextDecoder: Letters, Uint8Array, console, Intl });
const foundIn = vm.runInContext(fs.readFileSync(process.argv[1], "utf8"), scope);
lines.createInterface({ input: process.stdin }).on("line", (line) =>
  console.log(JSON.stringify(foundIn(Uint8Array.from(Buffer.from(line, "base64"))))));
"""

NAMES = [
    "age", "pay", "zip", "constructor", "toString", "{title}", "__proto__", "a b", " pad ", "Größe",
    "valueOf", "x|y", 'the "big"', "name, first", "x;y", "2024", "1", "年齢", "hasOwnProperty", "",
    "column 1", "index", "a\u00a0b", "\u0663\u0661", "x y z", "#id", "nan", "None", "é",
]  # fmt: skip
WORDS = [
    "clerk", "nurse", "flu", "a b", "Köln", 'a"b', '"a"b', '"', "'", "x,y", "x;y", "a|b", "#",
    "=1+1", "constructor", "{title}", "*", "?", "-", "n/a", "NA", "NaN", "nan", "nan ", " NA",
    "inf", "Infinity", "-inf", "None", "null", "True", "False", "true", "TRUE", "\u00a0", " ",
    "", "", "flu ", " flu", "\u2009", "é", "e\u0301", "ß", "日本", "line\nbreak", "\x85", "\u2028",
    "\ufeff", "a\tb", "40-50", "<5", ">=10", "[1, 2]", "{a, b}", "1/2", "12:30", "1_000", "0x10",
    "\x1f", "\x0b", "\x0c", "İ", "𝟛", "½", "²", "٪", "--", "1-", "+", ".", ",", "e5", "1e", "+-1",
]  # fmt: skip


def _grouped(rng: random.Random, mark: str, point: str) -> str:
    whole = f"{rng.randrange(10 ** rng.randint(1, 8)):,}".replace(",", mark)
    return whole + (point + str(rng.randrange(100)) if rng.random() < 0.4 else "")


def _in_script(rng: random.Random, value: str) -> str:
    zero = rng.choice([0x660, 0x966, 0xFF10, 0x6F0, 0x1D7CE])
    marks = {".": "٫", ",": "٬"} if zero == 0x660 else {}
    return "".join(
        chr(zero + int(one)) if one in "0123456789" else marks.get(one, one) for one in value
    )


def _date(rng: random.Random, order: str, mark: str) -> str:
    year, month, day = rng.randint(1900, 2025), rng.randint(1, 12), rng.randint(1, 31)
    parts = {"y": f"{year}", "m": f"{month:02d}", "d": f"{day:02d}"}
    return mark.join(parts[one] for one in order)


def _tied(rng: random.Random) -> str:
    base = "0.1234567890123456789"
    return base + str(rng.randrange(3)) if rng.random() < 0.5 else str(rng.random())


COLUMNS: list[Callable[[random.Random], Callable[[], str]]] = [
    lambda r: lambda: str(r.randint(-20, 120)),
    lambda r: lambda: str(r.randint(0, 99)),
    lambda r: lambda: repr(r.uniform(0, 5000)),
    lambda r: lambda: f"{r.uniform(-10, 100):.2f}",
    lambda r: lambda: f"{r.uniform(-10, 100):.2f}".replace(".", ","),
    lambda r: lambda: _grouped(r, ",", "."),
    lambda r: lambda: _grouped(r, ".", ","),
    lambda r: lambda: _grouped(r, r.choice([" ", "\u00a0", "\u202f"]), "."),
    lambda r: lambda: _grouped(r, " ", ","),
    lambda r: lambda: _grouped(r, "'", "."),
    lambda r: lambda: f"{r.randrange(10**5):05d}",
    lambda r: lambda: str(10**17 * 11 + r.randrange(10**4)),
    lambda r: lambda: str(r.randrange(10 ** r.randint(15, 25))),
    lambda r: lambda: r.choice(["", "-"]) + str(2**53 + r.randrange(-3, 4)),
    lambda r: lambda: str(2**53 + r.randrange(-3, 4)) + r.choice(["", ".0", "e0", "E+1", "00"]),
    lambda r: lambda: _tied(r),
    lambda r: lambda: _date(r, "ymd", "-"),
    lambda r: lambda: _date(r, "dmy", r.choice("./")),
    lambda r: lambda: _date(r, "mdy", "/"),
    lambda r: lambda: _date(r, "ymd", "-") + r.choice(["", " 00:00", "T00:00:00"]),
    lambda r: lambda: _in_script(r, str(r.randint(0, 999))),
    lambda r: lambda: _in_script(r, _grouped(r, ",", ".")),
    lambda r: lambda: r.choice(["True", "False", "true", "FALSE"]),
    lambda r: lambda: r.choice(["a", "b", "c"]),
    lambda r: lambda: r.choice(WORDS),
    lambda r: lambda: f"{r.randint(1, 90)} {r.choice(['kg', 'kg', '%', 'euro'])}",
    lambda r: lambda: f"{r.choice('€$')} {r.randint(1, 9000)}",
    lambda r: lambda: f"{r.uniform(0, 9):.3e}",
    lambda r: lambda: f"{r.uniform(0, 9):.3f}",
    lambda r: lambda: r.choice([".5", "5.", "+5", "05", "5", "5,", ",5", "1E+03", "1e400", "-0"]),
    lambda r: lambda: " ".join(f"{r.randrange(1000):03d}" for _ in range(3)),
    lambda r: lambda: "",
    lambda r: lambda: r.choice(["", "1", "2", "NA", "nan", "NaN "]),
    lambda r: lambda: f"{r.randint(1000, 9999)}{r.choice(['', '', '.0', '.00'])}",
    lambda r: lambda: f"{r.randrange(100)}-{r.randrange(100)}",
]  # fmt: skip
TITLES = [
    "People 2024", "Income of the year", "Einkommen 2025", "Quelle: Amt", "2024", "a, b and c",
    'He said "no', '"quoted"', "sep", "Table 1; part 2", "*", "1.234", " ",
]  # fmt: skip
FOOTERS = [
    "Source: Office",
    "As of May",
    "Total",
    "1 See notes",
    '"Quelle: Amt, 2025"',
    'a " b',
    "3",
]
ENDS = ["\n", "\n", "\r\n", "\r\n", "\r"]
LETTERS = ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]


def _quote(rng: random.Random, value: str, sep: str, always: bool) -> str:
    unsafe = any(mark in value for mark in (sep, '"', "\n", "\r"))
    if always or (unsafe and rng.random() < 0.93):
        return '"' + value.replace('"', '""') + '"'
    return value


def _pad(rng: random.Random, value: str) -> str:
    return (
        rng.choice(["", " ", "  ", "\t", "\u00a0"]) + value + rng.choice(["", " ", "\t", "\u00a0"])
    )


def content(seed: int) -> bytes:
    """One random file; the same for the same seed."""
    rng = random.Random(seed)
    sep, width = rng.choice([*",,,;;\t| "]), rng.choice([1, 1, 2, 2, 3, 3, 4, 5])
    wild = rng.random() < 0.3
    always = rng.random() < 0.2
    rows = _rows(rng, width)
    lines = [sep.join(_quote(rng, one, sep, always) for one in row) for row in rows]
    if rng.random() < 0.12:
        blank = rng.choice(["", "", " ", "\t", sep * (width - 1), sep * width, '""', "\u00a0"])
        lines.insert(rng.randint(0, len(lines)), blank)
    if rng.random() < 0.2:
        above, blanks = _around(rng, TITLES, sep * (width - 1))
        lines = [*above, *blanks, *lines]
    if rng.random() < 0.15:
        below, blanks = _around(rng, FOOTERS, sep * (width - 1))
        lines = [*lines, *blanks, *below]
    if rng.random() < 0.06:
        lines = [rng.choice(["# a comment", "#", f"sep={sep}", "sep=;", "SEP=|"]), *lines]
    end = rng.choice(ENDS)
    text = end.join(lines) + (end * rng.choice([1, 1, 1, 2, 3]) if rng.random() < 0.85 else "")
    for _ in range(rng.randint(1, 3) if wild and text else 0):
        at = rng.randrange(len(text))
        put = rng.choice(['"', sep, *"\r\n \t\u00a0,0\ufeff'", "\r\n"])
        text = text[:at] + put + text[at + rng.choice([0, 0, 1]) :]
    return text.encode(rng.choice(LETTERS), "replace")


def _rows(rng: random.Random, width: int) -> list[list[str]]:
    """Names and records, some of them too short or too long."""
    draws = [rng.choice(COLUMNS)(rng) for _ in range(width)]
    pool = NAMES if rng.random() < 0.5 else [f"x{at}" for at in range(9)]
    names = rng.sample(pool, width) if rng.random() < 0.97 else rng.choices(pool, k=width)
    odd, padded = rng.choice([0, 0, 0, 0.02, 0.1]), rng.choice([0, 0, 0, 0.1, 1])
    rows = []
    for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 12, 25])):
        row = [rng.choice(WORDS) if rng.random() < odd else draw() for draw in draws]
        row = [_pad(rng, one) if rng.random() < padded else one for one in row]
        row = row[: rng.randint(0, width)] if rng.random() < 0.02 else row
        rows.append([*row, "9"] if rng.random() < 0.005 else row)
    if rng.random() < 0.06:  # row names
        rows = [[str(at), *row] for at, row in enumerate(rows)]
        names = names if rng.random() < 0.6 else ["", *names]
    rows = [names, *rows]
    return [[*row, ""] for row in rows] if rng.random() < 0.04 else rows


def _around(rng: random.Random, said: list[str], empty: str) -> tuple[list[str], list[str]]:
    """Lines above or below a table, and the blank lines between."""
    some = [rng.choice(said) for _ in range(rng.choice([1, 1, 2, 3]))]
    some = [one + empty for one in some] if rng.random() < 0.2 else some
    return some, [rng.choice(["", "", " ", empty])] * rng.choice([0, 1, 1, 2])


def write_program() -> str:
    """The program of a page without data."""
    return _write.write_kernel() + _write._join_scripts(_write.PARTS)


def by_page(contents: Iterable[bytes], program: str | None = None) -> Iterator[dict[str, Any]]:
    """What the page's program finds in each file."""
    program = program or write_program()
    sent = "".join(base64.b64encode(one).decode() + "\n" for one in contents)
    with tempfile.NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as file:
        told = {"words": _write.collect_words(empty=True), "patterns": _packed._range_patterns()}
        told["speech"] = texts_of("en", "speech")
        words = json.dumps(told)
        file.write(f"{program}\nObject.assign(DATA, {words});\n{PROGRAM}")
        file.flush()
        done = subprocess.run(
            [str(NODE), "-e", RUN, file.name],
            input=sent, capture_output=True, check=True, encoding="utf-8",
        )  # fmt: skip
    return (json.loads(one, parse_int=float) for one in done.stdout.split("\n")[:-1])


def by_python(given: bytes) -> dict[str, Any]:
    """What Python's reader finds in a file."""
    source = io.BytesIO(given)
    source.name = "t.csv"
    try:
        release = vk.open_release(source)
    except VerikitError as error:
        return {"refused": str(error)}
    columns = []
    for column in release.schema:
        values = release.frame[column.name].tolist()
        values = [*map(date_text, values)] if column.dated else values
        kind = "date" if column.dated else "number" if column.kind == "numeric" else "text"
        columns.append(
            [
                column.name,
                kind,
                [None if one in ("", None) or one != one else one for one in values],
            ]
        )
    notes = [[getattr(one, "says", one), getattr(one, "values", {})] for one in release.notes]
    return {"columns": columns, "notes": notes}


def lines_by_python(given: bytes) -> dict[str, int] | None:
    """What Python's reader did with each line of a file; None where it refuses it."""
    source = io.BytesIO(given)
    source.name = "t.csv"
    try:
        lines = read_people(source).lines
    except VerikitError:
        return None
    return None if lines is None else asdict(lines)


def difference(python: dict[str, Any], page: dict[str, Any]) -> str:
    """In what the two differ; nothing if in nothing."""
    if "fault" in page:
        return "fault"
    if ("refused" in python) != ("refused" in page):
        return "refused by " + ("python" if "refused" in python else "the page")
    if "refused" in python:
        return ""
    ours, theirs = python["columns"], page["columns"]
    if [one[0] for one in ours] != [one[0] for one in theirs]:
        return "names"
    if [len(one[2]) for one in ours] != [len(one[2]) for one in theirs]:
        return "records"
    if [one[1] for one in ours] != [one[1] for one in theirs]:
        return "kinds"
    if [one[2] for one in ours if one[1] != "date"] != [
        one[2] for one in theirs if one[1] != "date"
    ]:
        return "values"
    if [one[2] for one in ours] != [one[2] for one in theirs]:
        return "dates"
    return "" if json.loads(json.dumps(python["notes"])) == page["notes"] else "notes"


def compare(seeds: range) -> Iterator[tuple[str, int, dict[str, Any], dict[str, Any]]]:
    """The files of some seeds that are read differently."""
    for seed, page in zip(seeds, by_page(map(content, seeds)), strict=True):
        python = by_python(content(seed))
        if kind := difference(python, page):
            yield kind, seed, python, page


if __name__ == "__main__":
    count, first = [*map(int, sys.argv[1:]), *[5000, 0][len(sys.argv) - 1 :]]
    tally: dict[str, list[int]] = {}
    for start in range(first, first + count, 1000):
        for kind, seed, _, _ in compare(range(start, min(start + 1000, first + count))):
            tally.setdefault(kind, []).append(seed)
    for kind, seeds in sorted(tally.items()):
        print(f"{kind}: {len(seeds)}, such as {seeds[:12]}")
    print(f"{count} files, {sum(map(len, tally.values()))} differ")
