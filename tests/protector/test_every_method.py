"""Every method under the intruder who knows the whole original, by listing all ways to undo it.

What a row may be is worked out from the published tables alone: a cell may be each value that it
covers, and the values of a group may belong to its rows in every order. A row is a person's
candidate if it shows her record in some of these ways.
"""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import correct_links

TREE = {"all": {"care": ["nurse", "doctor"], "law": ["judge", "clerk"]}}
BELOW = {"all": ["nurse", "doctor", "judge", "clerk"], **TREE["all"]}


def table(rng, n, *, tree=True):
    """A few people of three kinds of columns, with ties."""
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 26, n),
            "job": rng.choice(BELOW["all"], n),
            "town": rng.choice(["York", "Hull", "Bath"], n),
            "pay": rng.integers(1, 4, n) * 10,
        }
    )
    hierarchy = vk.Hierarchy.of(TREE) if tree else None
    columns = (
        vk.Column("age"),
        vk.Column("job", kind="nominal", hierarchy=hierarchy),
        vk.Column("town", kind="nominal"),
        vk.Column("pay", "sensitive"),
    )
    return vk.Microdata(frame, vk.Schema(columns))


def covered(cell, known):
    """The values among those known that a cell may be."""
    if isinstance(cell, pd.Interval):
        return {value for value in known if cell.left <= value <= cell.right}
    if str(cell) in BELOW:
        return set(BELOW[cell])
    if str(cell).startswith("{"):
        return set(cell[1:-1].split(", "))
    return {cell}


def undone_cells(release, data):
    """For each row all records that it may be."""
    known = {name: set(data.frame[name]) for name in data.frame}
    cells = release.frame[list(data.frame)].itertuples(index=False)
    names = list(data.frame)
    return [
        set(product(*(covered(cell, known[name]) for name, cell in zip(names, row, strict=True))))
        for row in cells
    ]


def undone_groups(release, data):
    """The same for two tables: the values of each group given to its rows in every order."""
    names, found = list(data.frame), [set() for _ in range(len(release))]
    hidden = [c.name for c in release.schema.sensitive]
    apart = [[name] for name in names] if release.permuted else [hidden]
    for group in set(release.quasi[release.group]):
        rows = np.flatnonzero(release.quasi[release.group] == group)
        both = {name: (release.sensitive if name in hidden else release.quasi) for name in names}
        values = {
            name: part.loc[part[release.group] == group, name].tolist()
            for name, part in both.items()
        }
        for orders in product(*(permutations(range(len(rows))) for _ in apart)):
            at = {name: range(len(rows)) for name in names}
            at |= {name: order for part, order in zip(apart, orders, strict=True) for name in part}
            for place, row in enumerate(rows):
                found[row].add(tuple(values[name][at[name][place]] for name in names))
    return found


def by_listing(data, rows, key):
    """The candidates of each person, and the right links to expect of a draw among them."""
    records = list(data.frame.itertuples(index=False, name=None))
    fits = [[at for at, may_be in enumerate(rows) if own in may_be] for own in records]
    right = (
        1 / len(some) if place in some else 0 for some, place in zip(fits, key.rows, strict=True)
    )
    return fits, sum(right)


MASKS = {
    "intervals and nodes": lambda data, seed: vk.mask.generalize(
        data, partition=vk.partition.mondrian(data, k=2), seed=seed
    ),
    "anatomized": lambda data, seed: vk.mask.anatomize(
        data, partition=vk.Partition.of(np.arange(len(data)) // 3), seed=seed
    ),
    "permuted": lambda data, seed: vk.mask.permute_all(
        data, partition=vk.Partition.of(np.arange(len(data)) // 3), seed=seed
    ),
}


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("seed", range(12))
def test_candidates_are_the_rows_that_some_way_to_undo_the_method_makes_hers(kind, seed):
    rng = np.random.default_rng(seed)
    data = table(rng, int(rng.integers(4, 8)), tree=bool(seed % 2))
    release, key = MASKS[kind](data, seed)
    undo = undone_groups if release.by_groups else undone_cells
    fits, expected = by_listing(data, undo(release, data), key)
    links = vk.link(data, release)
    assert [links.of(i)["row"].sub(1).tolist() for i in range(len(data))] == fits
    assert correct_links(links, key).guessed == pytest.approx(expected)
    report = vk.audit(data, release, key)
    assert report.exposure.found.guessed == pytest.approx(expected)
    assert (report.protector == 0).all()  # nobody left her own cells or her own group


def right_links_of_whole_tables(data, rows, key):
    """The right links to expect of one who draws a way in which the table gives the original."""
    records = list(data.frame.itertuples(index=False, name=None))
    ways = [
        way
        for way in permutations(range(len(records)))
        if all(records[i] in rows[at] for i, at in enumerate(way))
    ]
    return np.mean([sum(way == key.rows) for way in ways])


@pytest.mark.parametrize("kind", ["intervals and nodes", "permuted"])
@pytest.mark.parametrize("seed", range(6))
def test_where_groups_share_no_record_one_link_a_group_is_right(kind, seed):
    data = vk.Microdata(
        pd.DataFrame({"age": [1, 2, 3, 11, 12, 13], "pay": [5, 6, 7, 8, 9, 9]}),
        vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive"))),
    )
    if kind == "permuted":
        release, key = MASKS[kind](data, seed)
        rows = undone_groups(release, data)
    else:
        data = data.only("age")
        groups = vk.Partition.of([0, 0, 0, 1, 1, 1])
        release, key = vk.mask.generalize(data, partition=groups, seed=seed)
        rows = undone_cells(release, data)
    assert right_links_of_whole_tables(data, rows, key) == pytest.approx(2)
    assert correct_links(vk.link(data, release), key).guessed == pytest.approx(2)


def test_what_an_audit_says_of_groups_is_of_draws_and_of_the_attack_that_was_run():
    data = vk.Microdata(vk.simulate("dm", 60, seed=2).frame.round())
    release, key = vk.mask.generalize(data, partition=vk.partition.mondrian(data, k=5), seed=1)
    report = vk.audit(data, release, key)
    said, found = str(report), report.exposure.found
    assert found.count == 0
    assert f"and about {found.guessed:.3g} more if it draws among candidates;" in said
    assert "Above 50,000 records" not in said
    assert "Only the attack by ranks takes rows that may be several records" in said
    most = report.exposure.sets.iloc[0]
    assert most["guessed"] == report.exposure.sets["guessed"].max() > 0
    assert f"about {most['guessed']:.3g} right links if it draws among candidates" in said
