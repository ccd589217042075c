"""The privacy models beside pandas' groupby, and beside pycanon where it is installed.

Run with  python benchmarks/bench_models.py [--small]
The Adult data set is looked for in the folder that VERIKIT_DATASETS names; without it a table of
the same shape is made up.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from _timing import Row, cpu, race, write

import verikit as vk
from verikit.models import distinct_diversity, k_anonymity, t_closeness

try:
    from pycanon import anonymity as pycanon
except ImportError:
    pycanon = None

SLOW = 300_000  # pycanon looks at every class and value by itself: no more than this many
PATIENCE = 2.0  # seconds; what takes longer runs once
GOALS = {"k": "<= 0.2", "l": "<= 0.05", "t": "<= 0.0033"}


def adult() -> vk.Microdata:
    """Adult with eight quasi-identifiers and the salary class, or a stand-in of that shape."""
    folder = Path(os.environ.get("VERIKIT_DATASETS", "nowhere"))
    if (folder / "adult").is_dir():
        return vk.datasets.adult(folder / "adult", folder / "adult-hierarchies")
    return made_up(30_162, (72, 7, 16, 7, 14, 5, 2, 41), 2)


def made_up(n: int, sizes: tuple[int, ...], values: int) -> vk.Microdata:
    rng = np.random.default_rng(1)
    names = np.array([f"v{i:02}" for i in range(max(*sizes, values))])
    columns = {f"q{i}": names[rng.integers(0, size, n)] for i, size in enumerate(sizes)}
    frame = pd.DataFrame(columns | {"s": names[rng.integers(0, values, n)]})
    return vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))


def generalized(data: vk.Microdata) -> vk.Microdata:
    """One level up wherever there is a hierarchy."""
    if all(column.hierarchy is None for column in data.schema.quasi):
        return made_up(len(data), (8, 3, 4, 2, 7, 3, 2, 5), 2)
    release = vk.mask.generalize(data, levels=1, seed=1).release
    kept = [c.name for c in (*release.schema.quasi, *release.schema.sensitive)]
    return vk.Microdata(plain(release.frame[kept]), guessed(release, kept))


def guessed(release: vk.TableRelease, names: list[str]) -> vk.Schema:
    roles = {name: release.schema[name].role for name in names}
    return vk.Schema(tuple(vk.Column(name, roles[name], "nominal") for name in names))


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Text and numbers only, which every peer takes."""
    texts = frame.select_dtypes("category").columns
    return frame.astype(dict.fromkeys(texts, str))


# -- what one writes with pandas ----------------------------------------------------------------


def groupby_k(frame: pd.DataFrame, quasi: list[str]) -> int:
    return int(frame.groupby(quasi, observed=True, dropna=False).size().min())


def groupby_l(frame: pd.DataFrame, quasi: list[str], sensitive: str) -> int:
    return int(frame.groupby(quasi, observed=True, dropna=False)[sensitive].nunique().min())


def groupby_t(frame: pd.DataFrame, quasi: list[str], sensitive: str) -> float:
    counts = frame.groupby([*quasi, sensitive], observed=True, dropna=False).size()
    shares = counts / counts.groupby(level=quasi, observed=True, dropna=False).transform("sum")
    overall = frame[sensitive].value_counts(normalize=True)
    excess = shares - overall.reindex(shares.index.get_level_values(sensitive)).to_numpy()
    return float(excess.clip(lower=0).groupby(level=quasi, observed=True, dropna=False).sum().max())


# -- the races ----------------------------------------------------------------------------------


def models(job: str, data: vk.Microdata, limit: float, repeat: int) -> list[Row]:
    quasi = [column.name for column in data.schema.quasi]
    sensitive = data.schema.sensitive[0].name
    coded = data.frame[[*quasi, sensitive]]
    frame = plain(coded)
    schema = vk.Schema(tuple(data.schema[name] for name in coded))
    ours: dict[str, Callable[[], float]] = {
        "k": lambda: k_anonymity(data).value,
        "l": lambda: distinct_diversity(data).value,
        "t": lambda: t_closeness(data).value,
    }
    naive: dict[str, Callable[[], float]] = {
        "k": lambda: groupby_k(coded, quasi),
        "l": lambda: groupby_l(coded, quasi, sensitive),
        "t": lambda: groupby_t(coded, quasi, sensitive),
    }
    classes = len(k_anonymity(data).classes)
    rows = []
    for name, function in ours.items():
        assert np.isclose(function(), naive[name]()), name
        times = race({"ours": function, "pandas": naive[name]}, repeat)
        said = f"{name}, {job}, {classes:,} classes"
        rows.append(Row(said, times["ours"], f"{limit * 1000:g} ms", limit, "<= 1"))
        rows.append(Row(said, times["ours"], "pandas groupby", times["pandas"], "<= 1"))
        rows += peer(said, name, function, frame, quasi, sensitive, classes)
    whole = cpu(lambda: k_anonymity(vk.Microdata(frame, schema)), repeat)
    bare = cpu(lambda: groupby_k(frame, quasi), repeat)
    said = f"k from a frame of text, {job}, reading it included"
    return [*rows, Row(said, whole, "pandas groupby", bare, "<= 2")]


def peer(
    said: str,
    name: str,
    ours: Callable[[], float],
    frame: pd.DataFrame,
    quasi: list[str],
    sensitive: str,
    classes: int,
) -> list[Row]:
    """The same value from pycanon, as often as patience allows."""
    if pycanon is None:
        return []
    theirs: dict[str, Callable[[], float]] = {
        "k": lambda: pycanon.k_anonymity(frame, quasi),
        "l": lambda: pycanon.l_diversity(frame, quasi, [sensitive]),
        "t": lambda: pycanon.t_closeness(frame, quasi, [sensitive]),
    }
    if name != "k" and classes * frame[sensitive].nunique() > SLOW:
        return []
    found: list[float] = []
    best = {"pycanon": cpu(lambda: found.append(theirs[name]()), 1), "ours": cpu(ours)}
    assert np.isclose(found[0], ours()), (said, found[0], ours())
    if best["pycanon"] < PATIENCE:
        best = race({"ours": ours, "pycanon": theirs[name]})
    return [Row(said, best["ours"], "pycanon", best["pycanon"], GOALS[name])]


def main(small: bool) -> None:
    data = adult()
    n = 50_000 if small else 1_000_000
    repeat = 3 if small else 5
    rows = models("Adult", data, 0.010, repeat)
    rows += models("Adult generalized", generalized(data), 0.010, repeat)
    rows += models(f"{n:,} x 5", made_up(n, (11, 8, 5, 7, 2), 14), 0.060, repeat)
    rows += models(f"{n:,} x 5", made_up(n, (60, 50, 40, 30, 20), 14), 1.5, 3)
    write("Privacy models", rows)


if __name__ == "__main__":
    main("--small" in sys.argv)
