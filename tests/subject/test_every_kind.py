"""A record is checked by attributes of every kind, and nothing hangs on how they are written."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from counted import TREE, draw_table, find_distance, places_of

import verikit as vk

COLUMNS = {
    "ranks": {},
    "tree": {"kind": "nominal", "hierarchy": TREE},
    "equal": {"kind": "nominal"},
}
KINDS = [
    ("ranks", "equal"),
    ("ranks", "tree", "equal"),
    ("tree", "tree"),
    ("ranks", "ranks", "tree"),
]


def publish(table, kinds, **facts):
    names = [f"c{j}" for j in range(len(kinds))]
    schema = vk.Schema(
        tuple(vk.Column(name, **COLUMNS[kind]) for name, kind in zip(names, kinds, strict=True))
    )
    return vk.TableRelease.of(pd.DataFrame(dict(zip(names, table, strict=True))), schema, **facts)


@pytest.mark.parametrize(("kinds", "seed"), list(product(KINDS, range(6))))
def test_the_closest_records_and_both_shares_are_those_that_counting_finds(kinds, seed):
    n = 6 + seed
    *table, own = zip(*draw_table(seed, kinds, n + 1), strict=True)
    table = [list(column) for column in zip(*table, strict=True)]
    release = publish(table, kinds)
    report = vk.check(dict(zip(release.schema.names, own, strict=True)), release)
    each = [places_of(v, c, k) for v, c, k in zip(own, table, kinds, strict=True)]
    worst = [max(of) for of in zip(*each, strict=True)]
    near = [row for row in range(n) if worst[row] == min(worst)]
    assert report.facts["distance"] == min(worst)
    assert sorted(report.matches["row"] - 1) == near
    places = report.matches.set_index("row").sort_index().to_numpy().T.tolist()
    assert places == [[of[row] for row in near] for of in each]
    if "chance" not in report.facts:
        return
    made = [find_distance(other, table, kinds) <= min(worst) for other in product(*table)]
    assert report.facts["chance"]["made_up"] == pytest.approx(np.mean(made))
    rest = [[column[:i] + column[i + 1 :] for column in table] for i in range(n)]
    found = [find_distance([c[i] for c in table], others, kinds) for i, others in enumerate(rest)]
    for name, most in (("others", min(worst)), ("least", 0)):
        wanted = (1 + sum(d <= most for d in found)) / (n + 1)
        assert report.facts["chance"][name] == pytest.approx(wanted), name


NAMES = {
    "nurse": "n7",
    "doctor": "a1",
    "aide": "x",
    "judge": "b",
    "clerk": "m",
    "care": "u",
    "law": "t",
}
WRITTEN = {
    "siblings in another order": {
        "tree": {"all": {"law": ["clerk", "judge"], "care": ["aide", "nurse", "doctor"]}}
    },
    "categories renamed": {"rename": NAMES},
    "columns in another order": {"turn": True},
    "another unit": {"unit": 1000.0},
}


def make_case(n, *, tree=None, rename=None, turn=False, unit=1.0):
    rng = np.random.default_rng(n)
    named = rename or {name: name for name in NAMES}
    tree = tree or {"all": {"care": ["nurse", "doctor", "aide"], "law": ["judge", "clerk"]}}
    tree = {"all": {named[g]: [named[v] for v in below] for g, below in tree["all"].items()}}
    towns = ["Leeds", "York", "Bath"]
    frame = pd.DataFrame(
        {
            "age": rng.permutation(n) * unit,
            "job": [named[v] for v in rng.choice(["nurse", "doctor", "aide", "judge"], n)],
            "town": [t[::-1] if rename else t for t in rng.choice(towns[:2], n)],
            "pay": rng.integers(0, 40, n),
        }
    )
    columns = [
        vk.Column("age"),
        vk.Column("job", kind="nominal", hierarchy=vk.Hierarchy.of(tree)),
        vk.Column("town", kind="nominal"),
        vk.Column("pay"),
    ]
    columns = columns[::-1] if turn else columns
    schema = vk.Schema(tuple(columns))
    release = vk.TableRelease.of(frame[[c.name for c in columns]], schema)
    own = {"age": 3.2 * unit, "job": named["clerk"], "town": "York", "pay": 7}
    return own | ({"town": "kroY"} if rename else {}), release


@pytest.mark.parametrize("n", [30, 400, 4500])
def test_no_way_of_writing_the_same_table_changes_a_check(n):
    def told(**change):
        report = vk.check(*make_case(n, **change), diversity={"job": 1}, criterion="distinct")
        lines = report.attributes.set_index("attribute").sort_index()
        rows = report.matches.set_index("row").sort_index().sort_index(axis=1)
        kept = ["distance", "diversity", "met", "first_rank", "window_last"]
        return report.facts["chance"], lines[kept].to_dict(), rows.to_dict(), report.headline.state

    wanted = told()
    for name, change in WRITTEN.items():
        assert told(**change) == wanted, name


def test_a_declared_order_ranks_a_tree_and_the_order_of_lines_does_not():
    *table, own = zip(*draw_table(3, ("ranks", "tree"), 9), strict=True)
    table = [list(column) for column in zip(*table, strict=True)]
    release = publish(table, ("ranks", "tree"))
    ordered = vk.Schema(
        (vk.Column("c0"), vk.Column("c1", kind="ordinal", hierarchy=TREE)),
    )
    ranked = vk.TableRelease.of(release.frame, ordered)
    record = dict(zip(("c0", "c1"), own, strict=True))
    assert vk.check(record, release).attributes["first_rank"].isna().tolist() == [False, True]
    assert not vk.check(record, ranked).attributes["first_rank"].isna().any()


def test_what_no_published_value_is_like_tells_nobody_apart_and_is_said_so():
    release = publish([[1, 2, 3, 4], ["a", "a", "b", "b"]], ("ranks", "equal"))
    report = vk.check({"c0": 2, "c1": '"z"'}, release)
    assert report.facts["distance"] == 0
    assert report.notes == ("Your c1 (z) is like no published value, so it tells nobody apart.",)
    with pytest.raises(vk.RecordError, match="packing of values without an order"):
        vk.check(
            {"c0": 2, "c1": "a"}, release, diversity={"c1": 1}, criterion=vk.Criterion("packing", 1)
        )
