"""Places over attributes of every kind, and who else is as near, by counting everything."""

from itertools import product

import numpy as np
import pytest
from counted import TREE, draw_table, find_distance, places_of

from verikit.ranks import MixedTables, blocks, luck, relate_values


def relate(table, kinds, asked=None):
    """The same as what the code takes: blocks of the ranked columns, and the others related."""
    ranked = [np.array(c, float) for c, k in zip(table, kinds, strict=True) if k == "ranks"]
    ends = [blocks(c) for c in ranked]
    empty = np.empty((len(table[0]), 0), np.int64)
    first, last = (
        [np.column_stack([empty, *p]) for p in zip(*ends, strict=True)] if ends else (empty, empty)
    )
    others = [
        relate_values(c, c, TREE if k == "tree" else None)
        for c, k in zip(table, kinds, strict=True)
        if k != "ranks"
    ]
    return first, last, others


KINDS = [
    ("ranks", "equal"), ("equal", "tree"), ("ranks", "tree"), ("ranks", "ranks", "tree"),
    ("ranks", "tree", "equal"), ("tree", "tree"), ("tree",), ("equal", "equal", "ranks"),
]  # fmt: skip
CASES = [(kinds, seed) for kinds in KINDS for seed in range(8)]


@pytest.mark.parametrize(("kinds", "seed"), CASES)
def test_the_share_of_made_up_records_is_that_of_all_of_them(kinds, seed):
    n = 4 + seed % 5
    kinds = sorted(kinds, key=lambda k: k != "ranks")
    table = draw_table(seed, kinds, n)
    found = [find_distance(made, table, kinds) for made in product(*table)]
    asked = list(range(n + 1))
    wanted = [np.mean([d <= t for d in found]) for t in asked]
    first, last, others = relate(table, kinds)
    exact = luck.exact(first, last, asked, None, others)
    assert exact == pytest.approx(wanted, abs=1e-12)
    share, error = luck.karp_luby(first, last, asked, None, others, draws=2000)
    assert (np.abs(share - wanted) <= 5 * error + 1e-9).all()


@pytest.mark.parametrize(("kinds", "seed"), CASES)
def test_each_row_is_as_near_to_the_others_as_a_record_is_that_they_are_checked_by(kinds, seed):
    n = 4 + seed
    kinds = sorted(kinds, key=lambda k: k != "ranks")
    table = draw_table(seed, kinds, n)
    first, last, others = relate(table, kinds)
    if "ranks" not in kinds:
        rest = [[c[:i] + c[i + 1 :] for c in table] for i in range(n)]
        wanted = [find_distance([c[i] for c in table], rest[i], kinds) for i in range(n)]
        assert luck.leave_one_out(first, last, others).tolist() == wanted
    tables = MixedTables(first, last, first, last, others)
    matches = tables.list_matches()
    for i in range(n):
        each = [places_of(c[i], c, k) for c, k in zip(table, kinds, strict=True)]
        worst = [max(of) for of in zip(*each, strict=True)]
        assert tables.measure_distances()[i] == min(worst)
        rows = [r for r in range(n) if worst[r] == min(worst)]
        assert matches.rows[matches.starts[i] : matches.starts[i + 1]].tolist() == rows
        for t in (0, 1, 3):
            assert tables.count_within(t)[i] == sum(w <= t for w in worst)
