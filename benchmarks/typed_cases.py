"""What becomes of a verdict where a person slips as she types.

Run it with  python benchmarks/typed_cases.py [RECORDS] [FIRST_SEED]  (10,000 take some 4 minutes)
People of a random table are checked against a release of it twice: by their values, and by the same
values as somebody types them, with one slip. A verdict is *stronger* if it warns where the right
one does not, or says "no warning" where the right one says "cannot tell"; it is *weaker* if a
warning became no warning or "cannot tell", or no warning "cannot tell". Where both are in the same
state, the facts differ: fewer records or values are left for her (*narrower*), or not.

*Another value* is a slip that nobody can know: a number among the published ones, or no farther
from them than they lie apart, and a word that the table shows. All else must be equal or refused.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import verikit as vk
from verikit.subject import read_typed, spellings_of
from verikit.values.spellings import shows
from verikit.words import text

PEOPLE = 120
JOBS = ("clerk", "nurse", "teacher", "carpenter", "bank manager", "physician", "cook", "driver")
STATES = ("Lower Austria", "Upper Austria", "Vienna", "Tyrol", "Burgenland")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LOUD = ("warning-table", "warning-you")


def make_people(seed: int) -> pd.DataFrame:
    """Draw people with numbers, dates, words and codes."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 91, PEOPLE)
    days = age * 365 + rng.integers(0, 365, PEOPLE)
    return pd.DataFrame(
        {
            "age": age,
            "pay": np.round(np.exp(rng.normal(10 + 0.01 * age, 0.4)), 2),
            "born": pd.Timestamp("2026-01-01") - pd.to_timedelta(days, "D"),
            "zip": rng.choice(["02138", "02139", "02141", "10115", "10117", "47677"], PEOPLE),
            "job": rng.choice(JOBS, PEOPLE),
            "state": rng.choice(STATES, PEOPLE),
            "ill": rng.choice(["flu", "asthma", "gastritis", "cold"], PEOPLE),
        }
    )  # fmt: skip


def _band(ages: pd.Series) -> pd.Series:
    low = ages // 20 * 20
    return low.astype(str) + "-" + (low + 19).astype(str)


def _as_groups(people: pd.DataFrame, seed: int) -> pd.DataFrame:
    """A table as an office coarsens it: bands, cut codes, some words withheld."""
    hidden = np.random.default_rng(seed).random((len(people), 2)) < 0.15
    return pd.DataFrame(
        {
            "age": _band(people["age"]),
            "zip": people["zip"].str[:3] + "**",
            "job": people["job"].mask(hidden[:, 0], "*"),
            "state": people["state"].mask(hidden[:, 1], "*"),
            "ill": people["ill"],
        }
    )


def _told(frame: pd.DataFrame, promise: str, **known: Any) -> vk.TableRelease:
    return vk.TableRelease.of(
        frame, vk.Schema.guess(frame, ill="sensitive", **known), promise=promise
    )


def _masked(people: pd.DataFrame, seed: int) -> Any:
    return vk.mask.noise(vk.Microdata(people[["age", "pay"]]), scale=0.1, seed=seed).release


def _dated(people: pd.DataFrame, seed: int) -> Any:
    data = vk.Microdata(people[["age", "pay", "born"]])
    return vk.mask.rank_swap(data, percent=10, seed=seed).release


def _ordered(people: pd.DataFrame, seed: int) -> Any:
    frame = people[["age", "state"]]
    schema = vk.Schema.guess(frame).with_column("state", kind="ordinal", order=STATES)
    return vk.mask.rank_swap(vk.Microdata(frame, schema), percent=10, seed=seed).release


def _anatomy(people: pd.DataFrame, seed: int) -> Any:
    frame = people[["age", "job", "state", "ill"]]
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    groups = vk.partition.anatomy(data, ell=2, seed=seed)
    return vk.mask.anatomize(data, partition=groups, seed=seed).release


def _closed(people: pd.DataFrame, seed: int) -> Any:
    frame = _as_groups(people, seed).drop(columns=["zip"])
    schema = vk.Schema.guess(frame, ill="sensitive")
    schema = schema.with_column("job", kind="ordinal", order=("*", *JOBS))
    return vk.TableRelease.of(frame.assign(job=people["job"]), schema, promise="covers")


RELEASES: Mapping[str, Callable[[pd.DataFrame, int], Any]] = {
    "noise": _masked,
    "swapped, with dates": _dated,
    "swapped, with an order": _ordered,
    "groups, covering": lambda people, seed: _told(_as_groups(people, seed), "covers"),
    "groups, untold": lambda people, seed: _told(_as_groups(people, seed), "untold"),
    "groups, declared": _closed,
    "as it was": lambda people, seed: _told(people[["age", "job", "state", "ill"]], "as it was"),
    "in parts": _anatomy,
}


def _other_case(rng: np.random.Generator, word: str) -> str:
    return str(rng.choice([word.upper(), word.title(), word.swapcase()]))


def _blanks(rng: np.random.Generator, word: str) -> str:
    mark = str(rng.choice([" ", "  ", "\u00a0", "\t"]))
    return mark + word.replace(" ", "  ") + mark


def _slip(rng: np.random.Generator, word: str) -> str:
    at, letter = int(rng.integers(len(word))), str(rng.choice([*LETTERS]))
    ways = (
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
    )
    return str(rng.choice([*ways]))


def _slips(rng: np.random.Generator, word: str) -> str:
    return _slip(rng, _slip(rng, _slip(rng, word)))


def _other_word(rng: np.random.Generator, _: str) -> str:
    return str(rng.choice(["astronaut", "x", "?", "unknown", "woman", "Bavaria", "n/a", "zz top"]))


def _digit_more(rng: np.random.Generator, number: str) -> str:
    at = int(rng.integers(1, len(number.partition(".")[0]) + 1))
    return number[:at] + str(rng.integers(10)) + number[at:]


def _turned(rng: np.random.Generator, number: str) -> str:
    at = int(rng.integers(len(number)))
    return number[:at] + number[at : at + 2][::-1] + number[at + 2 :]


def _with_comma(_: np.random.Generator, number: str) -> str:
    return number.replace(".", ",")


def _other_script(_: np.random.Generator, number: str) -> str:
    return number.translate({ord("0") + at: 0x660 + at for at in range(10)})


def _year(rng: np.random.Generator, number: str) -> str:
    return str(2026 - int(float(number)) % 100)


def _date(rng: np.random.Generator, day: str) -> str:
    year, month, date = day.split("-")
    return str(
        rng.choice(
            [f"{date}.{month}.{year}", f"{date}/{month}/{year}", year, f"{year}{month}{date}"]
        )
    )


WORD_SLIPS = (_other_case, _blanks, _slip, _slips, _other_word)
NUMBER_SLIPS = (_blanks, _digit_more, _turned, _with_comma, _other_script, _year)
SLIPS = {"age": NUMBER_SLIPS, "pay": NUMBER_SLIPS[:-1], "born": (_blanks, _date, _turned),
         "zip": (_blanks, _digit_more, _turned, _other_word)}  # fmt: skip


class Case(NamedTuple):
    """A release, a record as it is, the same as it is typed, and what was changed."""

    release: str
    record: dict[str, str]
    typed: dict[str, str]
    column: str
    slip: str


def draw_case(seed: int) -> Case:
    """Draw one person, and one slip of hers."""
    rng = np.random.default_rng([seed, 27])
    name, people = str(rng.choice([*RELEASES])), make_people(seed // 100)
    asked = [c.name for c in open_release(name, seed // 100).asked]
    person = people.iloc[int(rng.integers(PEOPLE))]
    record = {one: _written(person[one]) for one in asked}
    column = str(rng.choice(asked))
    slip = SLIPS.get(column, WORD_SLIPS)[int(rng.integers(len(SLIPS.get(column, WORD_SLIPS))))]
    typed = record | {column: slip(rng, record[column])}
    return Case(name, record, typed, column, slip.__name__.strip("_").replace("_", " "))


def _written(value: Any) -> str:
    return str(value.date()) if isinstance(value, pd.Timestamp) else text(value)


@cache
def open_release(name: str, table: int) -> Any:
    """Make a release of one kind of one of the tables."""
    return RELEASES[name](make_people(table), table).prepare()


def judge(record: Mapping[str, str], release: Any) -> Any:
    """Check a record; None where it is refused."""
    try:
        return vk.check(record, release, looks=1)
    except vk.VerikitError:
        return None


def count_left(report: Any) -> tuple[int, ...]:
    """Count what is left for her: records that may be hers, values that may be hers."""
    return tuple(
        len(table) for name, table in sorted(report.tables.items()) if name != "attributes"
    )


def compare(right: Any, typed: Any) -> str:
    """Name in what a verdict differs from the right one."""
    if typed is None:
        return "refused"
    if right is None:
        return "answered only as typed"
    if right.headline == typed.headline and right.sentences == typed.sentences:
        return "equal"
    before, after = right.headline.state, typed.headline.state
    if before == after:
        return f"{after}, {_compare_facts(right, typed)}"
    if before in LOUD and after in LOUD:
        how = "other warning"
    elif after in LOUD or before == "cannot-tell":
        how = "stronger"
    else:
        how = "weaker"
    return f"{how}: {before} -> {after}"


def _compare_facts(right: Any, typed: Any) -> str:
    before, after = count_left(right), count_left(typed)
    if before == after:
        return "other facts"
    fewer = len(before) != len(after) or any(a < b for a, b in zip(after, before, strict=True))
    return "narrower" if fewer else "wider"


def is_other_value(case: Case, release: Any) -> bool:
    """Whether the slip made another value that may be meant, so that nobody can tell."""
    column = release.schema[case.column]
    try:
        right, typed = (read_typed(one[case.column], column, release).value for one in case[1:3])
    except vk.VerikitError:
        return False
    if column.kind != "numeric":
        known = spellings_of(release, column)
        return typed != right and (typed in known.known or shows(typed, known.read))
    return bool(typed != right)


def run(seeds: range) -> Iterator[tuple[Case, str]]:
    """Check the people of some seeds, as they are and as they type."""
    for seed in seeds:
        case = draw_case(seed)
        if case.typed == case.record:
            continue
        release = open_release(case.release, seed // 100)
        found = compare(judge(case.record, release), judge(case.typed, release))
        other = found not in ("equal", "refused") and is_other_value(case, release)
        yield case, f"another value: {found}" if other else found


if __name__ == "__main__":
    count, first = [*map(int, sys.argv[1:]), *[10_000, 0][len(sys.argv) - 1 :]]
    found = [*run(range(first, first + count))]
    print(len(found), Counter(outcome for _, outcome in found).most_common())
    for (slip, outcome), times in sorted(Counter((c.slip, o) for c, o in found).items()):
        if outcome not in ("equal", "refused"):
            shown = next(c for c, o in found if (c.slip, o) == (slip, outcome))
            print(
                f"{times:6} {slip:12} {outcome:40} {shown.release}: {shown.column} "
                f"{shown.record[shown.column]!r} -> {shown.typed[shown.column]!r}"
            )
