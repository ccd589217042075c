"""Random generalized tables and tables joined by groups, for the page against `verikit.check`.

`page_cases.py` runs them. They are drawn round the thresholds of a check: bands in many spellings,
groups of hierarchies, sets, starred codes, cells that overlap or touch, labels nobody can read,
suppressed and missing cells, guesses that are right in nine of ten cases, groups of one value,
shuffled columns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import verikit as vk

JOBS = vk.Hierarchy.of(
    {"any": {"care": ["nurse", "doctor"], "office": ["clerk", "lawyer"], "field": ["farmer"]}}
)
ILLS = vk.Hierarchy.of({"ill": {"lung": ["flu", "asthma"], "skin": ["acne", "rash"]}})
ZIPS = ("47602", "47677", "47905", "47906", "30100")
CODES = vk.Hierarchy.prefixes(ZIPS)
BANDS = {
    25: ("20-29", "[20, 29]", "20 to 29", "20+", "<30", "25", "[20,30)", "*", "unter 30"),
    31: ("30-39", "[30, 39]", "30 to 39", "30+", "31", "[30,40)", ">=30", "31.5"),
    47: ("40-49", "40+", "47", "[30, 47]", "(30, 47)", "<fifty", "40–49"),
}
TOUCHING = ("[20,30)", "[30,40)", "[40,50]", "(50,60]")


class Case(NamedTuple):
    """A release, a record in it or near it, and what is required."""

    release: Any
    record: dict[str, Any]
    question: dict[str, Any]


def generalized(seed: int) -> Case:
    """One random generalized table and question; the same for the same seed."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 5, 12, 30, 80], p=[0.05, 0.1, 0.25, 0.25, 0.15, 0.2]))
    makers = rng.choice([_bands, _spans, _jobs, _zips, _sexes, _ages], int(rng.integers(1, 4)))
    parts = [maker(rng, n, f"{maker.__name__[1:]}{at}") for at, maker in enumerate(makers)]
    hidden = n // 4 if rng.random() < 0.3 else 0
    frame = {c.name: _some(rng, values, hidden, c) for c, values, _ in parts}
    columns = [column for column, _, _ in parts]
    for at in range(int(rng.integers(0, 3))):
        column, values = _sensitive(rng, n, f"s{at}")
        frame[column.name], columns = values, [*columns, column]
    promise = "covers" if rng.random() < 0.8 else "untold"
    parameters = _told(rng, hidden)
    release = vk.TableRelease.of(
        pd.DataFrame(frame), vk.Schema(tuple(columns)), promise=promise, parameters=parameters
    )
    record = _asked(rng, {c.name: own for c, _, own in parts})
    if not release.generalized_in(record):
        release = vk.TableRelease.of(
            release.frame, release.schema, promise="covers", parameters=parameters
        )
    case = Case(release, record | _own(rng, release), _question(rng, ("k", "ell")))
    return case._replace(release=_describe_sample(rng, release))


def _describe_sample(rng: np.random.Generator, release: Any) -> Any:
    """Say of how many people the table is a sample, now and then wrongly."""
    if rng.random() < 0.4:
        return release
    people = rng.choice(["", "3", "250", "8163", "123456789", "many"])
    weights = rng.choice(["", "2 to 90", "17 to 17", "9 to 2", "1.5 to 3", "100 to 123456789"])
    return release.describing(population=str(people), weights=str(weights))


def _bands(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any, list[Any]]:
    ages = rng.choice(list(BANDS), n)
    way = rng.choice(["plain", "mixed", "touching"], p=[0.4, 0.4, 0.2])
    labels = [BANDS[age][rng.integers(len(BANDS[age])) if way == "mixed" else 0] for age in ages]
    if way == "touching":
        labels = rng.choice(TOUCHING, n).tolist()
    own = ["25", "30", "31", "47", "29.5", "90", "025"]
    return vk.Column(name, kind="nominal", label="age of hers"), labels, own


def _spans(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any, list[Any]]:
    low = rng.choice([0.0, 10.0, 20.0], n)
    closed = str(rng.choice(["both", "left", "right", "neither"]))
    widths = rng.choice([10, 20], n if rng.random() < 0.5 else 1)  # cells that overlap, or equal
    cells = pd.arrays.IntervalArray.from_arrays(low, low + widths, closed=closed)
    return vk.Column(name, unit="kg"), cells, [5, 10, 20.0, 29.75, 60, 1e-5]


def _jobs(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any, list[Any]]:
    level = int(rng.integers(0, 3))
    labels = [JOBS.path(leaf)[min(level, rng.integers(3))] for leaf in rng.choice(JOBS.order(), n)]
    if rng.random() < 0.3:
        labels[0] = "{nurse, clerk}"
    return vk.Column(name, kind="nominal", hierarchy=JOBS), labels, [*JOBS.order(), "care", "pilot"]


def _zips(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any, list[Any]]:
    tree = CODES if rng.random() < 0.4 else None
    kept = np.resize(rng.integers(2, 6, n if rng.random() < 0.4 else 1), n)
    labels = [
        code[:shown] + "*" * (5 - shown)
        for code, shown in zip(rng.choice(ZIPS, n), kept.tolist(), strict=True)
    ]
    labels = [label if tree is None or label in CODES.nodes else CODES.root for label in labels]
    return vk.Column(name, kind="nominal", hierarchy=tree), labels, [*ZIPS, "47699", "4760"]


def _sexes(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any, list[Any]]:
    return vk.Column(name, kind="nominal"), rng.choice(["f", "m"], n).tolist(), ["f", "m", "x"]


def _ages(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any, list[Any]]:
    values = rng.choice([20.0, 30, 40.5], n).astype(object)
    return vk.Column(name), pd.Series(values, dtype=float), [20, 30, 40.5, 7]


def _some(rng: np.random.Generator, values: Any, hidden: int, column: vk.Column) -> Any:
    """A column with the last records suppressed, and here and there a missing cell."""
    if isinstance(values, list):
        widest = column.hierarchy.root if column.hierarchy else "*"
        values = [*values[: len(values) - hidden], *[widest] * hidden]
    found = pd.Series(values)
    return found.mask(rng.random(len(found)) < rng.choice([0, 0.1], p=[0.8, 0.2]))


def _sensitive(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any]:
    if rng.random() < 0.25:
        values = pd.Series(rng.choice([1.0, 2.5, 1e-5], n))
        return vk.Column(name, "sensitive"), values.mask(rng.random(n) < rng.choice([0, 0.2]))
    tree = ILLS if rng.random() < 0.5 else None
    weights = [0.92, 0.06, 0.01, 0.01] if rng.random() < 0.4 else [0.4, 0.3, 0.2, 0.1]
    values = pd.Series(rng.choice(ILLS.order(), n, p=weights), dtype=object)
    values = values.mask(rng.random(n) < rng.choice([0, 0.2], p=[0.7, 0.3]))
    return vk.Column(name, "sensitive", "nominal", hierarchy=tree), values


def _told(rng: np.random.Generator, hidden: int) -> dict[str, Any]:
    if rng.random() < 0.4:
        return {}
    told: dict[str, Any] = {"suppressed": hidden}
    return told | {"levels": {"a": 1}} if rng.random() < 0.5 else told


def _asked(rng: np.random.Generator, own: dict[str, list[Any]]) -> dict[str, Any]:
    kept = [name for name in own if rng.random() < 0.85] or list(own)[:1]
    return {name: own[name][int(rng.integers(len(own[name])))] for name in kept}


def _own(rng: np.random.Generator, release: Any) -> dict[str, Any]:
    """At times her own sensitive values."""
    own = [c for c in release.schema.sensitive if rng.random() < 0.3]
    drawn = {"numeric": lambda: rng.choice([1.0, 2.5, 3.0])}
    return {c.name: drawn.get(c.kind, lambda: str(rng.choice(ILLS.order())))() for c in own}


def _question(rng: np.random.Generator, measures: tuple[str, ...]) -> dict[str, Any]:
    return {name: int(rng.integers(1, 6)) for name in measures if rng.random() < 0.3}


def split(seed: int) -> Case:
    """One random pair of tables joined by groups, and a question; in one of ten much is learned."""
    rng = np.random.default_rng(seed)
    if seed % 10 == 3:
        return _taught(rng)
    if seed % 10 == 7:
        return _repeatable(rng)
    often = [0.1, 0.2, 0.3, 0.25, 0.1, 0.05]
    sizes = rng.choice([1, 2, 3, 5, 10, 40], int(rng.integers(1, 6)), p=often)
    groups = np.repeat([f"g{at}" for at in range(len(sizes))], sizes)
    n, permuted = len(groups), bool(rng.random() < 0.6)
    parts = [_quasi(rng, n, f"q{at}") for at in range(int(rng.integers(1, 4)))]
    hidden = [_sensitive(rng, n, f"s{at}") for at in range(int(rng.integers(1, 3)))]
    hidden = [part for part in hidden if permuted or part[0].kind != "numeric"] or [_ill(rng, n)]
    quasi = pd.DataFrame({"group": groups, **{c.name: values for c, values, _ in parts}})
    sensitive = pd.DataFrame({"group": groups, **{c.name: values for c, values in hidden}})
    release = vk.SplitRelease(
        quasi,
        sensitive.iloc[rng.permutation(n)],
        vk.Schema((*(c for c, _, _ in parts), *(c for c, _ in hidden))),
        permuted=permuted,
        group="group",
        promise=("untold", "changed", *6 * ("another order",))[seed % 8],
    )
    record = _asked(rng, {c.name: own for c, _, own in parts})
    if rng.random() < 0.4:
        row = quasi.iloc[int(rng.integers(n))]
        record = {name: row[name] for name in record if pd.notna(row[name])} or record
    return Case(release, record | _own(rng, release), _question(rng, ("ell",)))


def _repeatable(rng: np.random.Generator) -> Case:
    """A few people in groups whose method looked at their values, and can be repeated."""
    while True:
        n = int(rng.integers(5, 12))
        frame = pd.DataFrame({"age": rng.integers(20, 28, n), "ill": rng.choice([*"ABCD"], n)})
        data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
        if frame["ill"].value_counts().max() * 2 <= n:
            groups = vk.partition.entropy_diverse(data, ell=2)
            release = vk.mask.anatomize(data, partition=groups, seed=int(rng.integers(9))).release
            tables = {
                name: getattr(release, name).astype({"Group-ID": str})
                for name in ("quasi", "sensitive")
            }
            release = replace(release, **tables)
            record = {"age": int(frame["age"].iloc[int(rng.integers(n))])}
            return Case(release, record | _own(rng, release), _question(rng, ("ell",)))


def _taught(rng: np.random.Generator) -> Case:
    """Groups of people whose values go with what is known of them."""
    n, size = 600, int(rng.integers(2, 4))
    age, sex = rng.integers(20, 60, n).astype(float), rng.choice(["f", "m"], n)
    held = np.where(rng.random(n) < rng.choice([0.05, 0.3]), rng.random(n) < 0.5, age > 40)
    ill = np.where(held, np.where(sex == "f", "acne", "flu"), np.where(sex == "f", "cold", "cough"))
    ill = np.where(rng.random(n) < 0.01, None, ill)
    schema = vk.Schema((
        vk.Column("age"), vk.Column("sex", kind="nominal"), vk.Column("ill", "sensitive", "nominal")
    ))  # fmt: skip
    order, groups = rng.permutation(n), np.repeat([f"g{at}" for at in range(n // size)], size)
    frame = pd.DataFrame({"age": age, "sex": sex, "ill": ill}).iloc[order]
    release = vk.SplitRelease(
        pd.DataFrame(
            {"group": groups, "age": frame["age"].to_numpy(), "sex": frame["sex"].to_numpy()}
        ),
        pd.DataFrame({"group": groups, "ill": frame["ill"].to_numpy()}),
        schema,
        permuted=bool(rng.random() < 0.3),
        group="group",
        promise="another order",
    )
    row = frame.iloc[int(rng.integers(n))]
    record = {"age": row["age"], "sex": row["sex"]} if rng.random() < 0.8 else {"sex": row["sex"]}
    return Case(release, record | _own(rng, release), _question(rng, ("ell",)))


def _ill(rng: np.random.Generator, n: int) -> tuple[vk.Column, Any]:
    return vk.Column("ill", "sensitive", "nominal"), rng.choice(["flu", "acne"], n)


def _quasi(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any, list[Any]]:
    how = rng.random()
    if how < 0.35:
        values = pd.Series(rng.choice([20.0, 30, 40.5], n)).mask(rng.random(n) < 0.05)
        return vk.Column(name), values, [20, 30, 40.5, 7]
    if how < 0.65:
        order = ("low", "mid", "high")
        column = vk.Column(name, kind="ordinal", order=order)
        return column, rng.choice(order, n), [*order, "top"]
    labels = rng.choice(["a", "b", "c"], n).tolist()
    if rng.random() < 0.15:
        labels[0] = "476**"
    return vk.Column(name, kind="nominal"), labels, ["a", "b", "c", "d", "47677"]


def together(seed: int) -> Case:
    """Two or three tables of mostly the same people, by groups or generalized, and a question."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 16))
    numeric = bool(rng.random() < 0.3)
    values = rng.choice([1.0, 2.5, 10.0] if numeric else [*"ABCD"], n)
    sensitive = (
        vk.Column("ill", "sensitive") if numeric else vk.Column("ill", "sensitive", "nominal")
    )
    frame = pd.DataFrame({
        "age": rng.integers(20, 30, n).astype(float), "sex": rng.choice(["f", "m"], n),
        "ill": pd.Series(values).mask(rng.random(n) < rng.choice([0, 0.1], p=[0.8, 0.2])),
        "sin": rng.choice(["x", "y"], n),
    })  # fmt: skip
    columns = vk.Column("age"), vk.Column("sex", kind="nominal"), sensitive
    more = vk.Column("sin", "sensitive", "nominal")
    found = []
    for _ in range(int(rng.choice([2, 3]))):
        there = frame[rng.random(n) < rng.choice([1, 0.8])]
        there = there if len(there) else frame
        schema = (*columns, more) if rng.random() < 0.3 else columns
        found.append((_in_bands if rng.random() < 0.4 else _in_groups)(rng, there, schema))
    record = frame.iloc[int(rng.integers(n))].dropna().to_dict()
    hers = ["age", "sex"] if rng.random() < 0.6 else ["age"]
    own = [name for name in ("ill", "sin") if name in record and rng.random() < 0.3]
    own = [n for n in own if any(n in release.schema.names for release in found)]
    question = _question(rng, ("ell",))
    return Case(found, {name: record[name] for name in (*hers, *own)}, question)


def _in_groups(rng: np.random.Generator, frame: pd.DataFrame, columns: Any) -> vk.SplitRelease:
    n = len(frame)
    groups = rng.permutation(np.resize([f"g{at}" for at in range(max(n // 3, 1))], n))
    order, shuffled = rng.permutation(n), bool(rng.random() < 0.3)
    hidden = [c.name for c in columns if c.role == "sensitive"]
    permuted = shuffled or any(c.kind == "numeric" for c in columns if c.role == "sensitive")
    return vk.SplitRelease(
        frame[["age", "sex"]].assign(group=groups).reset_index(drop=True),
        frame[hidden].assign(group=groups).iloc[order].reset_index(drop=True),
        vk.Schema(tuple(columns)),
        permuted=permuted,
        group="group",
        promise="untold" if rng.random() < 0.1 else "another order",
    )


def _in_bands(rng: np.random.Generator, frame: pd.DataFrame, columns: Any) -> vk.TableRelease:
    width = int(rng.choice([2, 5, 10]))
    low = frame["age"] // width * width
    bands = pd.arrays.IntervalArray.from_arrays(low, low + width, closed="left")
    hidden = rng.random(len(frame)) < rng.choice([0, 0.2])
    cells = pd.Series(bands, index=frame.index).mask(hidden)
    seen = frame.assign(age=cells, sex=frame["sex"].mask(hidden))[[c.name for c in columns]]
    told: dict[str, Any] = {"suppressed": int(hidden.sum())} if hidden.any() else {}
    promise = "covers" if rng.random() < 0.8 else "untold"
    return vk.TableRelease.of(
        seen.sample(frac=1, random_state=int(rng.integers(9))).reset_index(drop=True),
        vk.Schema(tuple(columns)),
        promise=promise,
        parameters=told | ({"levels": {"a": 1}} if rng.random() < 0.5 else {}),
    )
