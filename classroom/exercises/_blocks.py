"""What many exercises are built of: small tables, parts of answers, answers found by search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

import verikit as vk
from verikit._support.arrays import Rows
from verikit.errors import RecordError
from verikit.exercises._exercise import Answer, Data, is_number

ROUNDING = 1e-6

ILLNESSES = ("flu", "asthma", "diabetes", "migraine", "ulcer", "gout", "angina")
AGES = ("20-29", "30-39", "40-49", "50-59", "60-69")
ZIPS = ("1010*", "1020*", "1030*")
LEAVES = (10, 20, 30, 40)
TREE = vk.targets.balanced(LEAVES)


def make_table(columns: Mapping[str, Any], sensitive: str = "Illness") -> vk.Microdata:
    """Make a table whose text columns are nominal, with one sensitive column or none."""
    frame = pd.DataFrame(dict(columns))
    made = [
        vk.Column(
            name,
            "sensitive" if name == sensitive else "quasi",
            "numeric" if pd.api.types.is_numeric_dtype(frame[name]) else "nominal",
        )
        for name in frame.columns
    ]
    return vk.Microdata(frame, vk.Schema(tuple(made)))


def numeric_table(columns: Mapping[str, Any] | pd.DataFrame) -> vk.Microdata:
    """Make a table of numeric columns."""
    frame = pd.DataFrame(dict(columns), dtype=float)
    return vk.Microdata(frame, vk.Schema(tuple(vk.Column(name, kind="numeric") for name in frame)))


def as_release(data: vk.Microdata) -> vk.TableRelease:
    """Publish a table as it is."""
    return vk.TableRelease.of(data.frame, data.schema)


def read_list(answer: Answer, part: str, fits: Callable[[Any], bool], expected: str) -> list[Any]:
    """Read a part of an answer that has to be a list; what was expected is said where it is not."""
    given = answer[part]
    if not isinstance(given, (list, tuple)) or not fits(given):
        raise RecordError.given(part, given, expected)
    return list(given)


def read_groups(answer: Answer, n: int) -> list[int]:
    """Read the group of each of n records."""
    return read_list(
        answer,
        "groups",
        lambda given: len(given) == n and all(isinstance(g, int) and 0 <= g < n for g in given),
        f"a list of {n} whole numbers, one for each record: the number of its group, from 0",
    )


def read_row(answer: Answer, n: int) -> int:
    """Read a row of n, counted from 0."""
    row = answer["row"]
    if not is_number(row, whole=True) or not 0 <= row < n:
        raise RecordError.given("row", row, f"a row from 0 to {n - 1}")
    return int(row)


def are_tuples(rows: Iterable[object], size: int) -> bool:
    """Tell whether all are lists or tuples of a size."""
    return all(isinstance(row, (list, tuple)) and len(row) == size for row in rows)


def find_answer(
    data: Data,
    judge: Callable[[Data, Answer], str | None],
    answers: Iterable[Answer],
    verdict: str | None = None,
) -> Answer:
    """Search for the first answer that is judged so, right unless told; nothing if none is."""
    return next((answer for answer in answers if judge(data, answer) == verdict), {})


def first_row(flags: Any) -> Answer:
    """Answer with the first row that is flagged; with None if none is."""
    found = np.flatnonzero(flags)
    return {"row": int(found[0]) if len(found) else None}


def deal_sorted(values: Sequence[str], groups: int) -> list[int]:
    """Sort and deal like cards: frequent values come into different groups."""
    return _number_sorted(values, np.arange(len(values)) % groups)


def cut_sorted(values: Sequence[Any], size: int) -> list[int]:
    """Sort and cut into groups of a size: equal values come together."""
    return _number_sorted(values, np.arange(len(values)) // size)


def _number_sorted(values: Sequence[Any], labels: Rows) -> list[int]:
    groups = np.empty(len(values), dtype=int)
    groups[np.argsort(values, kind="stable")] = labels
    return groups.tolist()


def are_different(values: Iterable[float]) -> bool:
    """Tell whether no two values are equal, or differ by rounding only.

    Examples
    --------
    >>> are_different([0.1, 0.2, 0.3]), are_different([0.3, 0.1 + 0.2])
    (True, False)
    """
    return bool(
        np.diff(np.sort(np.asarray(list(values), dtype=float))).min(initial=np.inf) > ROUNDING
    )


def draw_village(
    rng: np.random.Generator,
    people: int = 24,
    least: int = 1,
    most: int = 5,
    chances: Sequence[float] = (0.4, 0.3, 0.2, 0.1),
) -> vk.Microdata:
    """Draw people of some classes of age and postal code, in random order, with an illness each."""
    cells = [(age, code) for age in AGES for code in ZIPS]
    sizes: list[int] = []
    # Sizes are drawn anew until they add up, so that no class is cut to fit.
    while sum(sizes) != people or len(sizes) > len(cells):
        sizes = []
        while sum(sizes) < people:
            sizes.append(int(rng.integers(least, most + 1)))
    chosen = rng.permutation(len(cells))[: len(sizes)]
    rows = [cells[cell] for cell, size in zip(chosen, sizes, strict=True) for _ in range(size)]
    order = rng.permutation(people)
    return make_table(
        {
            "Age": [rows[i][0] for i in order],
            "Zip": [rows[i][1] for i in order],
            "Illness": rng.choice(ILLNESSES[: len(chances)], people, p=chances),
        }
    )


def publish_groups(
    rng: np.random.Generator, ages: Sequence[object], ill: Sequence[str], groups: Sequence[int]
) -> Any:
    """Publish people whose age is known in two tables, by the groups given."""
    data = make_table({"Age": list(ages), "Illness": list(ill)})
    made = vk.Partition.of(list(groups))
    return vk.mask.anatomize(data, partition=made, seed=int(rng.integers(1000))).release
