"""The page beside a table against `verikit.check`, sentence by sentence, on random cases.

Run with  python benchmarks/page_cases.py [CASES] [FIRST] [KIND] [LANGUAGE]

where KIND is masked, generalized, split, together, randomized, numbers, graph,
disguised, files or indexed

Cases are drawn round the thresholds of a check: weak correlations, ties, copies and constant
columns, values half-way and outside, few and many records, left-out attributes, promised places,
reported links, missing cells, every criterion. It drives Chromium and takes about 15 ms a case.
"""

from __future__ import annotations

import math
import shutil
import sys
import tempfile
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd

import verikit as vk
from verikit.errors import VerikitError
from verikit.page._packed import pack_release

CRITERIA = ("variance", "robust variance", "distinct", "entropy", "packing", "t-closeness")
WAYS = ("same", "near", "half", "half", "outside", "far", "whole")
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
SAY = """async (cases) => {
  const isNamed = (held) => held !== null && typeof held === "object";
  const named = (held) => (isNamed(held) ? new Map(Object.entries(held)) : held);
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const inFiles = async (files, told) => {
    const held = Object.entries(files).map(([name, text]) => [name, bytes(text)]);
    if (!told) return releaseIn(new Map(held));
    DATA.bare = null;
    await releaseIn(new Map(held)).catch((error) => {
      if (!DATA.bare) throw error;  // else what is told may be what was lacking
    });
    const { roles, orders } = told;
    return bareRelease({ ...DATA.bare, ...told, roles: named(roles), orders: named(orders) });
  };
  const found = [];
  for (const [facts, text, record, options, files, others = []] of cases) {
    try {
      DATA.release = files ? await inFiles(files, text) : await opened(facts, text);
      DATA.others = [];
      for (const one of others) DATA.others.push(await opened(...one));
      const asked = Object.entries(options).map(([name, value]) => [name, named(value)]);
      found.push(check(named(record), Object.fromEntries(asked)));
    } catch (error) {
      found.push(error instanceof Refused ? { refused: true } : { fault: `${error}` });
    }
  }
  return found;
}"""
BATCH = 25
LEARNING = (
    "split.guess_by_learning", "split.guess_by_repeating", "split.name_failure",
    "numbers.guess_by_learning", "disguised.guess_by_learning",
)  # fmt: skip
EXAMPLES = {
    "masked": "dm_table1_masked", "generalized": "ks_table4", "split": "lhcc_table4",
    "together": "lhcc_table4", "randomized": "yq_figure5", "numbers": "qz_table2_3",
}  # fmt: skip


def example(kind: str) -> Any:
    """A small release of a kind, for a page to begin with."""
    if kind == "indexed":
        return vk.index(vk.published("dm_table1_masked"), bits=2)
    if kind in ("graph", "disguised"):
        import page_kind_cases

        return getattr(page_kind_cases, f"example_{kind}")()
    return vk.published(EXAMPLES[kind])


class Case(NamedTuple):
    """A release, a record in it or near it, and what is asked."""

    release: vk.TableRelease
    record: dict[str, Any]
    question: dict[str, Any]


def case(seed: int) -> Case:
    """One random case; the same for the same seed."""
    rng = np.random.default_rng(seed)
    frame, columns = _table(rng, _size(rng))
    release = vk.TableRelease.of(
        frame,
        vk.Schema(tuple(columns)),
        permutation=bool(rng.random() < 0.35),
        parameters=_parameters(rng, columns, len(frame)),
        method="something" if rng.random() < 0.5 else "",
    )
    if rng.random() < 0.25:
        links = int(rng.integers(0, min(len(frame), 12) + 1))
        without = ["a0"] if links % 2 else None
        release = release.reporting(links, luck=[None, 1.0, 1.52][links % 3], without=without)
    if release.parameters.get("places") and seed % 3 == 0:
        release = replace(release, method="rank_swap")  # which swaps in pairs, as it is published
    if seed % 4 == 1 and not release.permutation:
        release = replace(release, promise="drawn from a model")
    record = _record(rng, frame, columns)
    found = Case(release, record, _question(rng, frame, record))
    return _at_the_limit(found) if rng.random() < 0.08 else found


def indexed(seed: int) -> Case:
    """The same record and question, asked of the short form of the table."""
    drawn, rng = case(seed), np.random.default_rng(seed)
    index = vk.index(drawn.release, bits=int(rng.integers(1, 9)))
    record = {name: value for name, value in drawn.record.items() if name in index.schema.names}
    distance = drawn.question.get("distance")  # of what has no order an index holds nothing
    if isinstance(distance, dict):
        distance = {name: places for name, places in distance.items() if name in record}
    question = {} if distance is None else {"distance": distance}
    return Case(index, record, question)


def _at_the_limit(case: Case) -> Case:
    """The same question with the share of S5, if there is one, as the very limit of a warning."""
    chance = vk.check(case.record, case.release).facts.get("chance")
    if chance is None or chance["others"] == 1:
        return case
    return case._replace(question={**case.question, "alpha": chance["others"], "looks": 1})


def _size(rng: np.random.Generator) -> int:
    if rng.random() < 0.04:
        return int(rng.integers(4001, 15_000))
    low, high = [(1, 9), (9, 41), (41, 300), (300, 1500)][rng.choice(4, p=[0.1, 0.25, 0.45, 0.2])]
    return int(rng.integers(low, high))


def _table(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, list[vk.Column]]:
    weight, common = rng.choice([0, 0.3, 0.4, 0.45, 0.95]), rng.normal(size=n)
    smooth, frame, columns = rng.random() < 0.5, {}, []
    for j in range(int(rng.integers(1, 5))):
        base, name = np.sqrt(1 - weight**2) * rng.normal(size=n) + weight * common, f"a{j}"
        if rng.random() < 0.15 and not smooth:
            order = tuple(f"c{k}" for k in range(rng.integers(2, 6)))
            code = np.clip(np.floor(base + 2), 0, len(order) - 1).astype(int)
            frame[name] = pd.Categorical.from_codes(code, list(order), ordered=True)
            label = str(rng.choice(["", "stage"]))
            columns.append(vk.Column(name, kind="ordinal", order=order, label=label))
        else:
            frame[name] = base if smooth else _numbers(rng, base)
            unit, label = str(rng.choice(["", "kg"])), f"label {j}" if rng.random() < 0.3 else ""
            columns.append(vk.Column(name, unit=unit, label=label))
    if rng.random() < 0.3:
        found, more = _unordered(rng, n)
        frame, columns = frame | found, [*columns, *more]
    if rng.random() < (0.02 if smooth else 0.35):
        frame = _with_gaps(rng, frame)
    if rng.random() < 0.1:  # columns that nobody is asked for
        frame |= {"text": np.full(n, "x"), "gaps": np.r_[np.nan, np.arange(n - 1.0)]}
        columns += [vk.Column("text", kind="nominal"), vk.Column("gaps")]
    return pd.DataFrame(frame), columns


def _unordered(rng: np.random.Generator, n: int) -> tuple[dict[str, Any], list[vk.Column]]:
    """A column with groups of values, and at times one whose values are equal or not."""
    names = [f"v{g}{k}" for g in range(3) for k in range(3)]
    groups = {f"g{g}": {f"h{g}": [f"v{g}0", f"v{g}1"], f"i{g}": [f"v{g}2"]} for g in range(3)}
    known = rng.choice(names, int(rng.integers(1, 9)))
    tree = vk.Hierarchy.of({"all": groups})
    frame = {"tree": rng.choice(known, n).astype(object)}
    columns = [vk.Column("tree", kind="nominal", hierarchy=tree)]
    if rng.random() < 0.5:
        frame["Town"] = rng.choice([*"abcd"][: int(rng.integers(1, 5))], n).astype(object)
        columns.append(vk.Column("Town", kind="nominal", label="home"))
    return frame, columns


def _with_gaps(rng: np.random.Generator, frame: dict[str, Any]) -> dict[str, Any]:
    """The columns with some, many or nearly all cells missing; at times whole records."""
    found = pd.DataFrame(frame)
    n, holes = len(found), np.zeros(found.shape, bool)
    for at in range(found.shape[1]):
        holes[:, at] = rng.random(n) < rng.choice([0, 0.02, 0.2, 0.9], p=[0.3, 0.3, 0.3, 0.1])
    holes |= (rng.random(n) < rng.choice([0, 0.05]))[:, None]
    holes[rng.integers(n)] = False  # a column without any value cannot be asked for
    return {name: column.mask(holes[:, at]) for at, (name, column) in enumerate(found.items())}


def _numbers(rng: np.random.Generator, base: np.ndarray) -> np.ndarray:
    """A column with or without ties; rarely the same in every record."""
    kinds = {
        "plain": lambda: base,
        "whole": lambda: np.round(base * rng.choice([2, 10, 1000])),
        "log": lambda: np.round(np.exp(base), 3),
        "three": lambda: np.digitize(base, [-0.5, 0.5]).astype(float),
        "cents": lambda: np.round(base * 50 + 100, 2),
        "copies": lambda: rng.choice(base[: max(1, len(base) // 2)], len(base)),
        "constant": lambda: np.full(len(base), rng.choice([7.0, 0.25])),
    }
    return kinds[str(rng.choice(list(kinds), p=[0.35, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05]))]()


def _parameters(rng: np.random.Generator, columns: list[vk.Column], n: int) -> dict[str, Any]:
    if rng.random() < 0.4:
        return {}
    most = int(rng.choice([2, 5, max(2, n // 8), max(2, n // 3)]))
    same = rng.random() < 0.5
    bound = int(rng.integers(0, most))
    ranked = [c for c in columns if c.kind != "nominal"]
    bounds = {c.name: bound if same else int(rng.integers(0, most)) for c in ranked}
    return {"places": bounds}


def _record(
    rng: np.random.Generator, frame: pd.DataFrame, columns: list[vk.Column]
) -> dict[str, Any]:
    row, way = (
        int(rng.integers(len(frame))),
        rng.choice(["same", "close", "mixed", "inside"], p=[0.2, 0.4, 0.25, 0.15]),
    )
    asked = [c for c in columns if c.name not in ("text", "gaps")]
    kept = [c for c in asked if rng.random() > 0.1] or asked[:1]
    found = {}
    for column in kept:
        values = frame[column.name].dropna()
        other = int(rng.integers(len(values))) if way in ("mixed", "inside") else row % len(values)
        value = frame[column.name].iloc[row]
        if column.kind != "numeric" or way == "inside" or pd.isna(value):
            value = values.iloc[other]
        if column.kind != "numeric":
            found[column.name] = str(value)
            if column.order is None and rng.random() < 0.3:
                known = column.categories or ('"z"',)
                found[column.name] = str(known[int(rng.integers(len(known)))])
        elif way == "inside":
            found[column.name] = _told(value)
        else:
            how = str(rng.choice(WAYS)) if way == "mixed" else str(way)
            found[column.name] = _told(_moved(rng, values.to_numpy(float), float(value), how))
    return found


def _moved(rng: np.random.Generator, values: np.ndarray, value: float, way: str) -> float:
    spread, found = values.std() or 1.0, np.unique(values)
    above = found[min(int(np.searchsorted(found, value)) + 1, len(found) - 1)]
    return float(
        {
            "same": value,
            "near": value + spread * rng.normal() * 0.2,
            "close": value + spread * rng.normal() * 0.02,
            "half": (value + rng.choice([above, rng.choice(values)])) / 2,
            "outside": rng.choice([values.max() + spread, values.min() - spread * rng.random()]),
            "far": rng.normal() * spread * 1e4,
            "whole": round(value),
        }[way]
    )


def _told(value: Any) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def _question(
    rng: np.random.Generator, frame: pd.DataFrame, record: dict[str, Any]
) -> dict[str, Any]:
    numeric = frame.select_dtypes("number")
    scale = float(numeric.std().mean()) if numeric.shape[1] and len(frame) > 1 else 1.0
    scale = scale if math.isfinite(scale) else 1.0
    asked: dict[str, Any] = {"criterion": str(rng.choice(CRITERIA))}
    if asked["criterion"] == "packing":
        asked["apart"] = round(scale * 0.1 + 0.01, 3)
    if rng.random() < 0.3:
        asked["distance"] = int(rng.integers(0, max(2, len(frame) // 3)))
    elif rng.random() < 0.3:
        asked["distance"] = {n: int(rng.integers(0, 5)) for n in record if rng.random() < 0.7}
    if rng.random() < 0.4:
        asked["diversity"] = float(rng.choice([0, 0.2, 0.9, 2, round(scale**2 * 0.01, 4)]))
        if "tree" in record and rng.random() < 0.5:
            asked["diversity"] = {"tree": asked["diversity"]}
    if rng.random() < 0.2:
        asked["looks"] = int(rng.integers(2, 20))
    if rng.random() < 0.6:
        asked["alpha"] = float(rng.choice([0.05, 0.1, 0.2, 0.5]))
    return asked


def expected(case: Any, language: str = "en") -> dict[str, Any]:
    """What `verikit.check` says."""
    asked = dict(case.question)
    if "apart" in asked:
        asked["criterion"] = vk.Criterion(asked["criterion"], asked.pop("apart"))
    # A page that is given files neither learns from the whole table nor repeats, and says so.
    try:
        with ExitStack() as unlearned:
            for place in LEARNING if hasattr(case, "files") else ():
                unlearned.enter_context(patch(f"verikit.subject.{place}", lambda *_, **__: None))
            report = vk.check(as_typed(case.record), case.release, **asked, language=language)
    except VerikitError:
        return {"refused": True}
    numbers = _ranked(report) if "matches" in report.tables else _grouped(report, case.release)
    if "matches" in numbers and not hasattr(case, "files"):  # a page does not hold the rows' order
        numbers["matches"] = [gaps for _, *gaps in numbers["matches"]]
    return numbers | {
        "state": report.headline.state,
        "tag": report.headline.tag,
        "text": report.headline.text,
        "met": report.met,
        "figures": [part._asdict() for part in report.figures],
        "sentences": [part._asdict() for part in report.sentences],
        "notes": list(report.notes),
        "people": list(report.headline.people),
        "parts": [list(part) for part in report.parts],
    }


def _lines(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{n: _plain(value) for n, value in line.items()} for line in frame.to_dict("records")]


def _ranked(report: Any) -> dict[str, Any]:
    """The numbers of a table of single values."""
    lines, matches = _lines(report.attributes), report.matches.to_numpy().tolist()
    facts = {"chance": report.facts.get("chance")}
    return {"facts": facts, "attributes": lines, "matches": matches}


NAMES = {
    "of 100 here": "here", "of 100 for you": "here", "of 100 in the target": "target",
    "of 100 everywhere": "everywhere", "formula in print": "printed",
    "any of": "any", "links to your group": "links", "of 100 each": "each",
    "of 100 at least one": "some", "fit this alone": "alone",
    "rows like yours": "copies", "of 100 cases yours": "yours",
}  # fmt: skip


def _grouped(report: Any, release: Any) -> dict[str, Any]:
    """The tables about groups, columns by their titles."""
    found = {}
    for name in {"attributes", "groups", "values", "together", "links"} & set(report.tables):
        if name == "groups" and "people" not in report.tables[name]:
            continue
        columns = {*report.tables, *report.tables[name]}
        if name == "values" and {"distribution", "attribute"} <= columns:
            continue  # the page lists the values of all columns, not of those with many alone
        lines = _lines(report.tables[name].rename(columns=NAMES))
        for line in lines:
            for column in [n for n in line if n.startswith(("different ", "range of "))]:
                line.pop(column)
            if "attribute" in line:
                line["attribute"] = _title(line["attribute"], release)
            line.pop("own", None)
        found[name] = lines
    return {"tables": found}


def _title(name: str, release: Any) -> str:
    several = release if isinstance(release, list) else [release]
    return next(part.schema[name].title for part in several if name in part.schema.names)


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    value = str(value) if isinstance(value, str) else value  # numbers among texts are data here
    return None if isinstance(value, float) and math.isnan(value) else value


def said(page: Any, cases: Sequence[Any]) -> list[dict[str, Any]]:
    """What an open page says in some cases, with the release of each, or its files, in it."""
    given = [_given(case) for case in cases]
    batches = [given[at : at + BATCH] for at in range(0, len(given), BATCH)]
    found = [report for batch in batches for report in page.evaluate(SAY, batch)]
    missing = page.evaluate("DATA.speech.missing")  # tables of a report are in English
    for case, report in zip(cases, found, strict=True):
        if "matches" in report and not hasattr(case, "files"):
            report["matches"] = [gaps for _, *gaps in report["matches"]]
        for line in report.get("tables", {}).get("attributes", []):
            if "published" not in line:
                continue
            cells = ["missing" if cell == missing else cell for cell in line["published"]]
            line["published"] = tuple(cells) if len(cells) > 1 else next(iter(cells), None)
    return found


def noticed(page: Any, drawn: Sequence[tuple[Any, dict[str, Any]]]) -> bool:
    """Whether an open page differs in some case from what is wanted; it stops at the first."""
    for at in range(0, len(drawn), BATCH):
        part = drawn[at : at + BATCH]
        told = said(page, [case for case, _ in part])
        for (_, wanted), found in zip(part, told, strict=True):
            if "fault" in found or differences(wanted, found):
                return True
    return False


def _given(case: Any) -> list[Any]:
    typed = as_typed(case.record)
    if hasattr(case, "files"):
        files = {name: b64encode(part).decode() for name, part in case.files.items()}
        return [None, case.told, typed, case.question, files]
    several = isinstance(case.release, list)
    packed = map(pack_release, case.release if several else [case.release])
    first, *others = [[held.facts, held.text] for held in packed]
    return [*first, typed, case.question, None, others]


def as_typed(record: Mapping[str, Any]) -> dict[str, str]:
    """A record as texts, as somebody types it: most in quotes, so that none is asked back."""
    texts = {n: v if isinstance(v, str) else _typed(_plain(v)) for n, v in record.items()}
    quoted = {name for name, one in texts.items() if one.strip() and sum(map(ord, one)) % 10}
    return {name: f'"{one}"' if name in quoted else one for name, one in texts.items()}


def _typed(value: float) -> str:
    """A number as no language takes for another one: 1.234 is 1234 in some."""
    text = repr(value)
    return f"{text}e0" if "." in text and "e" not in text else text


def differences(wanted: Any, found: Any, at: str = "") -> list[str]:
    """Where two reports differ; numbers may in their last digits."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [line for n in wanted for line in differences(wanted[n], found.get(n), f"{at}/{n}")]
    if isinstance(wanted, (list, tuple)) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(wanted, found, strict=True))
        return [line for n, pair in pairs for line in differences(*pair, f"{at}/{n}")]
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (wanted, found))
    if numbers and math.isclose(wanted, found, rel_tol=1e-9, abs_tol=1e-12):
        return []
    return [] if type(wanted) is type(found) and wanted == found else [f"{at}: {wanted} | {found}"]


def kinds() -> dict[str, Any]:
    """By kind of release what draws a case."""
    import page_file_cases
    import page_group_cases as groups
    import page_kind_cases as others

    rooms = {
        groups: ("generalized", "split", "together"),
        others: ("randomized", "numbers", "graph", "disguised"),
    }
    drawn = {name: getattr(room, name) for room, names in rooms.items() for name in names}
    return {"masked": case, **drawn, "files": page_file_cases.case, "indexed": indexed}


def main(cases: int = 2_000, first: int = 0, kind: str = "masked", language: str = "en") -> int:
    """Compare so many cases; the number of those that differ."""
    from playwright.sync_api import sync_playwright

    different, told = 0, Counter()
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        path = Path(home, "check.html")
        vk.page.write(None if kind == "files" else example(kind), path)
        found = next(filter(None, map(shutil.which, BROWSERS)))
        page = driver.chromium.launch(executable_path=found, args=OPTIONS).new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("#language")
        page.evaluate("(name) => speak(name)", language)
        draw = kinds()[kind]
        for start in range(first, first + cases, BATCH):
            seeds = range(start, min(start + BATCH, first + cases))
            asked = [draw(seed) for seed in seeds]
            for seed, one, found in zip(seeds, asked, said(page, asked), strict=True):
                wanted = expected(one, language)
                told.update(keys_of(wanted))
                lines = [found["fault"]] if "fault" in found else differences(wanted, found)
                different += bool(lines)
                print(*(f"{seed}{line}" for line in lines[:3]), sep="\n", end="\n" * bool(lines))
    print(", ".join(f"{name} {count}" for name, count in sorted(told.items())))
    print(f"{different} of {cases:,} cases differ")
    return different


def keys_of(wanted: dict[str, Any]) -> list[str]:
    """The state and the sentences of a report."""
    if "refused" in wanted:
        return ["refused"]
    return [wanted["state"], *(part["key"] for part in wanted["sentences"])]


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:3]), *sys.argv[3:5])))
