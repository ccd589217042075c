"""Random questions to small releases of every kind, against all originals that these allow.

What is possible is written down from what a kind publishes: rows that were cut apart belong
together in any way inside their group, each cell stands for any of its values, and of a group with
more values than people some values are nobody's.
"""

import itertools
import math
import os
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import Among, And, Between, Not, Or

JOBS = vk.Hierarchy.of({"any": {"office": ["clerk", "lawyer"], "trade": ["smith", "welder"]}})
PAYS = vk.targets.balanced([-2, 0, 1, 4])
LEAVES = {tree: list(tree.levels) for tree in (JOBS, PAYS)}
SETS = {"{clerk, smith}": ["clerk", "smith"], "{lawyer, smith, welder}": LEAVES[JOBS][1:]}
QUESTIONS = 1500 if os.environ.get("VERIKIT_HYPOTHESIS") == "thorough" else 150
A_RELEASE = 15  # questions


class Group(NamedTuple):
    """How many people there are, and parts: rows that belong to some of them, in any way."""

    people: int
    parts: list  # of lists of rows, each a dictionary of columns and the values of their cells


def originals(group):
    """By column a line for each original: the value of each person."""
    kept = []
    for at, rows in enumerate(group.parts):
        orders = itertools.permutations(range(len(rows)), group.people)
        if at == 0 and len(rows) == group.people:
            orders = [range(len(rows))]  # the people in any order are the same people
        names = list(rows[0])
        kept.append(
            [
                [
                    [choice[names.index(n) :: len(names)] for n in names]
                    for choice in itertools.product(
                        *(rows[place][n] for place in order for n in names)
                    )
                ]
                for order in orders
            ]
        )
    # every order is equally likely, and so is every value of a cell
    worlds = {name: [] for rows in group.parts for name in rows[0]}
    chances = []
    for chosen in itertools.product(
        *([(way, 1 / len(some)) for some in part for way in some] for part in kept)
    ):
        chances.append(math.prod(chance for _, chance in chosen))
        for rows, (way, _) in zip(group.parts, chosen, strict=True):
            for name, values in zip(rows[0], way, strict=True):
                worlds[name].append(values)
    chances = np.array(chances)
    return {n: np.array(v) for n, v in worlds.items()}, chances / chances.sum()


def meets(world, part):
    if isinstance(part, Not):
        return ~meets(world, part.part)
    if isinstance(part, (And, Or)):
        join = np.logical_and if isinstance(part, And) else np.logical_or
        return join.reduce([meets(world, one) for one in part.parts])
    values = world[part.column]
    if isinstance(part, Among):
        tree = {"job": JOBS, "pay": PAYS}.get(part.column)
        named = [
            leaf
            for n in part.values
            for leaf in (tree.leaves(n) if tree and n in tree.nodes else [n])
        ]
        return np.isin(values, named if part.column == "job" else [float(n) for n in named])
    found = np.ones(values.shape, bool)
    if part.low is not None:
        found &= values >= part.low if part.closed in ("both", "left") else values > part.low
    if part.high is not None:
        found &= values <= part.high if part.closed in ("both", "right") else values < part.high
    return found


def truths(groups, query):
    """The answer in every original, and how likely each is; no value where nobody is meant."""
    totals, chances = None, np.ones(1)
    for world, likely in groups:
        met = meets(world, And(*query.where)) if query.where else np.ones_like(world["age"], bool)
        value = world[query.of] if query.of else np.ones(met.shape)
        own = np.array([
            met.sum(1), np.where(met, value, 0).sum(1),
            np.where(met, value, np.inf).min(1), np.where(met, value, -np.inf).max(1),
        ])  # fmt: skip
        chances = np.multiply.outer(chances, likely).ravel()
        if totals is None:
            totals = own
            continue
        pair = [(t[:, None], o[None]) for t, o in zip(totals, own, strict=True)]
        joins = (np.add, np.add, np.minimum, np.maximum)
        totals = np.array([j(*p).ravel() for j, p in zip(joins, pair, strict=True)])
    count, total, least, most = totals
    with np.errstate(divide="ignore", invalid="ignore"):
        found = {"count": count, "sum": total, "avg": total / count, "min": least, "max": most}
    answer = found[query.aggregate]
    if query.aggregate in ("avg", "min", "max"):
        answer = np.where(count > 0, answer, np.nan)
    return answer, chances


def condition(rng, name):
    if name == "job":
        nodes = rng.choice(JOBS.nodes, rng.integers(1, 3), replace=False)
        return Among("job", frozenset(nodes.tolist()))
    if rng.random() < 0.3:
        values = rng.integers(-3, 6, 2) if name == "pay" else rng.integers(19, 26, 2)
        return Among(name, frozenset(map(str, values.tolist())))
    low, high = sorted(rng.integers(-4, 7, 2) if name == "pay" else rng.integers(19, 27, 2))
    closed = str(rng.choice(["both", "left", "right", "neither"]))
    ends = [(int(low), int(high)), (None, int(high)), (int(low), None)][
        rng.choice(3, p=[0.6, 0.2, 0.2])
    ]
    return Between(name, *ends, closed)


def spell_out(part):
    """Write groups of jobs as the jobs they hold, for a table without their hierarchy."""
    if isinstance(part, Among) and part.column == "job":
        return Among("job", frozenset(leaf for n in part.values for leaf in JOBS.leaves(n)))
    if isinstance(part, Not):
        return Not(spell_out(part.part))
    return type(part)(*map(spell_out, part.parts)) if isinstance(part, (And, Or)) else part


def predicate(rng, depth=2):
    kind = str(rng.choice(["leaf", "and", "or", "not"])) if depth else "leaf"
    if kind == "leaf":
        return condition(rng, str(rng.choice(["age", "job", "pay"])))
    if kind == "not":
        return Not(predicate(rng, depth - 1))
    parts = [predicate(rng, depth - 1) for _ in range(rng.integers(2, 4))]
    return And(*parts) if kind == "and" else Or(*parts)


def question(rng):
    aggregate = str(rng.choice(["count", "count", "sum", "sum", "avg", "min", "max"]))
    where = () if rng.random() < 0.03 else (predicate(rng),)
    return vk.Query(where, aggregate, None if aggregate == "count" else "pay")


def table(rng, n):
    frame = pd.DataFrame({
        "age": rng.integers(20, 26, n), "job": rng.choice(LEAVES[JOBS], n),
        "pay": rng.integers(-3, 6, n),
    })  # fmt: skip
    return vk.Microdata(frame, schema())


def schema(pays=None, jobs=JOBS):
    return vk.Schema((
        vk.Column("age"), vk.Column("job", kind="nominal", hierarchy=jobs),
        vk.Column("pay", "sensitive", hierarchy=pays),
    ))  # fmt: skip


def rows_of(frame, names):
    return [{n: [record[n]] for n in names} for record in frame.to_dict("records")]


def cut_apart(mask, apart):
    def made(rng):
        labels = [0, 0, 0, 1, 1] if rng.random() < 0.5 else [0, 0, 0, 0]
        data = table(rng, len(labels))
        options = {"partition": vk.Partition.of(labels), "seed": 1}
        release = getattr(vk.mask, mask)(data, **options).release
        groups = [
            Group(len(f), [rows_of(f, names) for names in apart])
            for _, f in data.frame.astype({"job": str}).groupby(labels)
        ]
        return release, groups

    return made


def put_in_order(rng):
    data = table(rng, 4)
    release = vk.mask.rank_swap(data.only("age", "pay"), percent=50, seed=1).release
    return release, [Group(4, [rows_of(data.frame, [n]) for n in ("age", "pay")])]


def covered(rng):
    """One table of groups of a hierarchy, sets, stars and ranges, each row for itself."""
    n = 3
    tree = JOBS if rng.random() < 0.6 else None
    jobs = rng.choice(JOBS.nodes if tree else [*LEAVES[JOBS], *SETS], n).tolist()
    ages = rng.integers(20, 25, n)
    width = rng.choice([0, 0, 1, 2], n) if rng.random() < 0.5 else np.zeros(n, int)
    if rng.random() < 0.5:
        pays, schemas = rng.choice(PAYS.nodes, n).tolist(), schema(PAYS, tree)
        pay = [[float(v) for v in PAYS.leaves(p)] for p in pays]
    else:
        pays, schemas = rng.integers(-3, 6, n), schema(None, tree)
        pay = [[p] for p in pays]
    frame = pd.DataFrame({"age": ages, "job": jobs, "pay": pays})
    if width.any():
        frame["age"] = pd.arrays.IntervalArray.from_arrays(ages, ages + width, closed="both")
    job = [SETS.get(j) or JOBS.leaves(j) for j in jobs]
    groups = [
        Group(1, [[{"age": list(range(a, a + w + 1)), "job": j, "pay": p}]])
        for a, w, j, p in zip(ages, width, job, pay, strict=True)
    ]
    return vk.TableRelease.of(frame, schemas, promise="covers"), groups


def disguised(fakes):
    def made(rng):
        sizes = [2, 1] if rng.random() < 0.5 else [3]
        people = [table(rng, n).frame.astype({"job": str}) for n in sizes]
        more = [int(rng.integers(0, fakes + 1)) for _ in sizes]
        cells = [rng.choice(PAYS.nodes, n + m).tolist() for n, m in zip(sizes, more, strict=True)]
        quasi = pd.concat([f[["age", "job"]].assign(**{"Group-ID": g})
                           for g, f in enumerate(people)])  # fmt: skip
        hidden = pd.DataFrame([(g, c) for g, some in enumerate(cells) for c in some],
                              columns=["Group-ID", "pay"])  # fmt: skip
        release = vk.SplitRelease(
            quasi, hidden, schema(PAYS), parameters={"fakes": 3}, promise="covers"
        )
        groups = [
            Group(len(f), [rows_of(f, ["age", "job"]),
                           [{"pay": [float(v) for v in PAYS.leaves(c)]} for c in some]])
            for f, some in zip(people, cells, strict=True)
        ]  # fmt: skip
        return release, groups

    return made


KINDS = {
    "anatomize": cut_apart("anatomize", [["age", "job"], ["pay"]]),
    "permute_sensitive": cut_apart("permute_sensitive", [["age", "job"], ["pay"]]),
    "permute_all": cut_apart("permute_all", [["age"], ["job"], ["pay"]]),
    "rank_swap": put_in_order,
    "covers": covered,
    "personalize": disguised(0),
    "disguise": disguised(2),
}


def judge(answer, query, groups, kind):
    """What is wrong with an answer."""
    found, chances = truths(groups, query)
    # a range of ages may hold others than whole numbers, which bounds reckon with
    spans = kind == "covers" and any(len(set(world["age"].flat)) > 1 for world, _ in groups)
    held = ~np.isnan(found)
    if not held.any():
        return [] if spans or math.isnan(answer.estimate) else ["a value where there is none"]
    found, chances = found[held], chances[held] / chances[held].sum()
    ends, mean = (found.min(), found.max()), float(found @ chances)
    slack = 1e-9 * max(1, *map(abs, ends))
    added = query.aggregate in ("count", "sum")
    reached = abs(answer.lower - ends[0]) <= slack and abs(answer.upper - ends[1]) <= slack
    expected = mean if added and kind != "rank_swap" else answer.estimate
    spread = float((found - mean) ** 2 @ chances)
    closed = added and kind in CLOSED
    told = [spread if answer.variance is None and not closed else answer.variance, answer.mean]
    faults = {
        "no value": math.isnan(answer.lower),
        "unsound": answer.lower > ends[0] + slack or answer.upper < ends[1] - slack,
        "said to be tight": answer.tight and not reached and not spans,
        "loose": not reached and not spans and kind not in LOOSE,
        "estimate": abs(answer.estimate - expected) > slack,
        "estimate outside": not answer.lower <= answer.estimate <= answer.upper,
        "mean": told[1] is not None and abs(told[1] - mean) > slack,
        "variance": told[0] is None or abs(told[0] - spread) > 1e-7 * max(1, spread),
    }
    return [fault for fault, is_so in faults.items() if is_so]


LOOSE = ("permute_all", "rank_swap")  # three parts, of which one is asked twice
CLOSED = ("anatomize", "permute_sensitive", "permute_all")


def ask(kind, questions, seed):
    rng = np.random.default_rng(seed)
    for _ in range(math.ceil(questions / A_RELEASE)):
        release, parts = KINDS[kind](rng)
        groups = [originals(group) for group in parts]
        for _ in range(A_RELEASE):
            query = question(rng)
            if kind == "covers" and release.schema["job"].hierarchy is None:
                where = tuple(map(spell_out, query.where))
                query = vk.Query(where, query.aggregate, query.of)
            if kind == "rank_swap" and "job" in repr(query):
                continue
            answer = vk.answer(query, release)
            yield release, query, answer, judge(answer, query, groups, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_all_originals(kind):
    wrong = [(query, answer, said) for _, query, answer, said in ask(kind, QUESTIONS, 5) if said]
    assert not wrong, (len(wrong), wrong[:3])
