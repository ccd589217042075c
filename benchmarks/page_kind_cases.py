"""Random tables drawn anew, or with numbers in groups, for the page against `verikit.check`.

`page_cases.py` runs them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from page_group_cases import (
    Case,
    _ages,
    _asked,
    _bands,
    _jobs,
    _own,
    _quasi,
    _question,
    _sensitive,
    _sexes,
    _some,
    _spans,
    _zips,
)

import verikit as vk


def randomized(seed: int) -> Case:
    """One random table whose values were drawn anew by published chances, and a question."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 4, 8, 30, 80], p=[0.05, 0.1, 0.2, 0.25, 0.2, 0.2]))
    makers = rng.choice([_bands, _spans, _jobs, _zips, _sexes, _ages], int(rng.integers(1, 5)))
    parts = [maker(rng, n, f"{maker.__name__[1:]}{at}") for at, maker in enumerate(makers)]
    frame = {column.name: _some(rng, values, 0, column) for column, values, _ in parts}
    hidden = [_sensitive(rng, n, f"s{at}") for at in range(int(rng.integers(0, 3)))]
    columns = [*(column for column, _, _ in parts), *(column for column, _ in hidden)]
    frame |= {column.name: values for column, values in hidden}
    changed = int(rng.integers(1, len(parts) + 1))
    weights = rng.choice([0.0, 0.05, 0.3, 1.0], len(parts))
    weights = weights / weights.sum() if weights.any() else np.ones(len(parts)) / len(parts)
    named = {column.name: float(w) for (column, _, _), w in zip(parts, weights, strict=True)}
    told = named if changed == 1 and rng.random() < 0.6 else "equal"
    made: dict[str, Any] = {"changed": changed, "probabilities": told}
    if rng.random() < 0.3:
        made = {"scheme": "each", "keep": float(rng.choice([0.0, 0.2, 0.75, 1.0]))}
    release = vk.TableRelease.of(
        pd.DataFrame(frame),
        vk.Schema(tuple(columns)),
        promise="changed",
        parameters=made,
        method="randomize" if rng.random() < 0.5 else "",
    )
    if rng.random() < 0.2:
        release = release.reporting(int(rng.integers(0, min(n, 9) + 1)), luck=[None, 1.0][seed % 2])
    record = _asked(rng, {column.name: own for column, _, own in parts})
    if rng.random() < 0.5:
        row = pd.DataFrame(frame).iloc[int(rng.integers(n))]
        shown = {c.name for c, _, own in parts if row[c.name] in own}
        record = {name: row[name] for name in record if name in shown} or record
    return Case(release, record | _own(rng, release), _question(rng, ("k", "ell")))


def numbers(seed: int) -> Case:
    """Two random tables whose numbers stay in their groups, and a question."""
    rng = np.random.default_rng(seed)
    if seed % 10 == 3:
        return _taught_numbers(rng)
    often = [0.1, 0.2, 0.3, 0.25, 0.1, 0.05]
    sizes = rng.choice([1, 2, 3, 5, 10, 40], int(rng.integers(1, 6)), p=often)
    groups = np.repeat([f"g{at}" for at in range(len(sizes))], sizes)
    n = len(groups)
    makers = rng.choice([_quasi, _bands, _sexes, _ages], int(rng.integers(1, 4)))
    parts = [maker(rng, n, f"q{at}") for at, maker in enumerate(makers)]
    hidden = [_amounts(rng, n, f"s{at}") for at in range(int(rng.integers(1, 3)))]
    hidden += [_sensitive(rng, n, "more")] if rng.random() < 0.4 else []
    quasi = {c.name: _some(rng, values, 0, c) for c, values, _ in parts}
    sensitive = pd.DataFrame({"group": groups, **{c.name: values for c, values in hidden}})
    told = {"sensitive": "pay", "method": "mondrian"} if rng.random() < 0.2 else "unknown"
    release = vk.SplitRelease(
        pd.DataFrame({"group": groups, **quasi}),
        sensitive.iloc[rng.permutation(n)],
        vk.Schema((*(c for c, _, _ in parts), *(c for c, _ in hidden))),
        group="group",
        promise=("as it was", *3 * ("another order",))[seed % 4],
        parameters={"partition": told},
    )
    record = _asked(rng, {c.name: own for c, _, own in parts})
    if rng.random() < 0.6:
        row = pd.DataFrame(quasi).iloc[int(rng.integers(n))]
        shown = {c.name for c, _, own in parts if row[c.name] in own}
        record = {name: row[name] for name in record if name in shown} or record
    own = {
        c.name: _as_told(values.dropna().iloc[0]) if c.kind == "numeric" else "flu"
        for c, values in hidden
        if rng.random() < 0.3 and values.notna().any()
    }
    question = _question(rng, ("k", "ell"))
    return Case(release, record | own, question | ({"e": 2.5} if rng.random() < 0.3 else {}))


def _amounts(rng: np.random.Generator, n: int, name: str) -> tuple[vk.Column, Any]:
    """Numbers of a sensitive column: pay, years, days, tiny and huge ones; some missing."""
    way = str(rng.choice(["pay", "years", "days", "tiny", "huge", "close", "near"]))
    drawn = {
        "pay": lambda: rng.integers(10, 90, n) * 500.0,
        "years": lambda: rng.integers(0, 9, n) + 0.5,
        "days": lambda: rng.integers(9000, 9005, n),
        "tiny": lambda: rng.random(n) * 1e-5,
        "huge": lambda: rng.integers(1, 9, n) * 1.23456789012345e11,
        "near": lambda: np.where(np.arange(n) < n - 1, rng.integers(0, 9, n), 3000.0),
        "close": lambda: np.where(rng.random(n) < 0.9, 7.0, rng.integers(0, 2000, n)),
    }
    values = pd.Series(drawn[way]()).astype(float)
    unit = {"pay": "$", "days": "days since 1970-01-01"}.get(way, "")
    missing = rng.random(n) < rng.choice([0, 0.1])
    return vk.Column(name, "sensitive", unit=unit), values.mask(missing)


def _as_told(value: float) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def _taught_numbers(rng: np.random.Generator) -> Case:
    """People whose pay goes with their age: few values, or so many that bands are learned."""
    n, size = 600, int(rng.integers(2, 4))
    age, sex = rng.integers(20, 60, n).astype(float), rng.choice(["f", "m"], n)
    pay = np.where(age > 40, 900.0, 100.0) + rng.integers(0, 40, n) * int(rng.choice([0, 3]))
    pay = np.where(sex == "f", pay, pay + 5000)
    order, groups = rng.permutation(n), np.repeat([f"g{at}" for at in range(n // size)], size)
    sex_of, pay_of = vk.Column("sex", kind="nominal"), vk.Column("pay", "sensitive", unit="$")
    release = vk.SplitRelease(
        pd.DataFrame({"group": groups, "age": age[order], "sex": sex[order]}),
        pd.DataFrame({"group": groups, "pay": pay[order]}),
        vk.Schema((vk.Column("age"), sex_of, pay_of)),
        group="group",
        promise="another order",
    )
    row = int(rng.integers(n))
    record = {"age": age[row], "sex": sex[row]} if rng.random() < 0.8 else {"sex": sex[row]}
    return Case(release, record, _question(rng, ("ell",)))


def example_graph() -> vk.GraphRelease:
    """Who has which illnesses, in groups of two."""
    links = pd.DataFrame({"who": [*"aabbccdd"], "ill": [*"vwxyvzwx"]})
    return vk.mask.group_nodes(vk.BipartiteGraph.of(links), 2, 2, seed=1).release


def graph(seed: int) -> Case:
    """One random graph in groups of any kind, at times of one kind, and a name in it or not."""
    rng = np.random.default_rng(seed)
    if seed % 7 == 3:
        return _mirrored(rng)
    n, m = (int(rng.choice([1, 2, 4, 9, 30])) for _ in range(2))
    sides = [
        _names(rng, n, "who", "p"),
        _names(rng, m, str(rng.choice(["ill", "ill", "who"])), "i"),
    ]
    groups = [_groups(rng, size) for size in (n, m)]
    share = rng.choice([0.05, 0.3, 0.9, 1.0])
    links = np.argwhere(rng.random((n, m)) < share)
    links = links if len(links) else np.array([[0, 0]])
    told = {"order": str(rng.choice(["random", "greedy"]))} if rng.random() < 0.6 else {}
    release = vk.GraphRelease(
        *sides, *groups, links, rng.permutation(groups[0]), rng.permutation(groups[1]),
        method="group_nodes", parameters=told,
    )  # fmt: skip
    record = {"who": _name(rng, n, "p")} if rng.random() < 0.9 else {}
    if rng.random() < 0.6 or not record:
        record = {**record, release.title("right"): _name(rng, m, "i")}
    return Case(release, record, _question(rng, ("k", "ell")))


def _mirrored(rng: np.random.Generator) -> Case:
    """People linked to people."""
    n = int(rng.choice([2, 4, 8]))
    people, groups = _names(rng, n, "who", "p"), _groups(rng, n)
    pairs = np.triu(rng.random((n, n)) < rng.choice([0.3, 0.9, 1.0]), 1)
    pairs[0, 1] = True
    links = np.argwhere(pairs | pairs.T)
    nodes = rng.permutation(groups)
    release = vk.GraphRelease(people, people, groups, groups, links, nodes, nodes, mirrored=True)
    return Case(release, {"who": _name(rng, n, "p")}, _question(rng, ("k", "ell")))


def _names(rng: np.random.Generator, size: int, title: str, letter: str) -> vk.Microdata:
    names = [_label(letter, at) for at in rng.permutation(size)]
    schema = vk.Schema((vk.Column(title, "other", "nominal"),))
    return vk.Microdata(pd.DataFrame({title: names}), schema)


def _name(rng: np.random.Generator, size: int, letter: str) -> str:
    return _label(letter, rng.integers(size)) if rng.random() < 0.95 else "nobody"


def _label(letter: str, at: int) -> str:
    """A name that is typed without quotes (`page_cases.as_typed`): of links they are no part."""
    name = f"{letter}{at}."
    return next(name + end for end in "0123456789" if not sum(map(ord, name + end)) % 10)


def _groups(rng: np.random.Generator, size: int) -> Any:
    labels = rng.integers(0, max(1, size // int(rng.choice([1, 2, 4]))), size)
    return np.unique(labels, return_inverse=True)[1]


def example_disguised() -> vk.SplitRelease:
    """Pay of which everybody may know the halves and no more."""
    frame = pd.DataFrame({"age": [30, 40] * 4, "pay": [10, 20, 30, 40] * 2})
    data = vk.Microdata(frame, vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive"))))
    tree = vk.targets.balanced([10, 20, 30, 40])
    return vk.mask.disguise(data, hierarchy=tree, seed=1).release


def disguised(seed: int) -> Case:
    """One random pair of tables that shows nodes of a tree, with its target, and a question."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 2, 3, 5, 10, 40], int(rng.integers(1, 6)))
    groups = np.repeat([f"g{at}" for at in range(len(sizes))], sizes)
    n, personal = len(groups), bool(rng.random() < 0.3)
    makers = rng.choice([_quasi, _bands, _sexes, _ages], int(rng.integers(1, 4)))
    parts = [maker(rng, n, f"q{at}") for at, maker in enumerate(makers)]
    hidden = [_target(rng, f"s{at}") for at in range(int(rng.choice([1, 1, 1, 2])))]
    added = rng.choice(groups, int(rng.choice([0, 0, 2])))  # of nobody
    owner = np.append(groups, added)
    sensitive = {"group": owner} | {c.name: _nodes(rng, c, owner) for c in hidden}
    told = {c.name: _aims(rng, c, len(sizes), own=personal) for c in hidden}
    parameters: dict[str, Any] = {"fakes": 2} if len(added) else {}
    parameters |= told["s0"] if len(hidden) == 1 else {"columns": told}
    release = vk.SplitRelease(
        pd.DataFrame(
            {"group": groups, **{c.name: _some(rng, values, 0, c) for c, values, _ in parts}}
        ),
        pd.DataFrame(sensitive).sample(frac=1, random_state=int(rng.integers(99))),
        vk.Schema((*(c for c, _, _ in parts), *hidden)),
        group="group",
        promise="covers",
        parameters=parameters | ({"requirement": "wish"} if personal else {}),
        apart=len(hidden) > 1,
    )
    record = _asked(rng, {c.name: own for c, _, own in parts})
    question = _question(rng, ("ell",))
    for column in hidden:
        if rng.random() < 0.3:
            leaf = str(rng.choice(column.hierarchy.order()))
            record[column.name] = int(leaf) if column.kind == "numeric" else leaf
    if rng.random() < 0.5:
        tree = hidden[0].hierarchy
        question["node"] = str(rng.choice([*3 * [tree.root], *tree.nodes, "nothing"]))
    return Case(release, record, question)


def _target(rng: np.random.Generator, name: str) -> vk.Column:
    """A sensitive column with a tree of few or many values, and weights of them or none."""
    if rng.random() < 0.3:
        values = [10 * at for at in range(1, int(rng.choice([3, 5, 19])))]
        return vk.Column(name, "sensitive", unit="$", hierarchy=vk.targets.balanced(values))
    tree = vk.Hierarchy.of(
        {"ill": {"lung": ["flu", "asthma"], "skin": {"itch": ["acne", "rash"], "burn": ["burnt"]}}},
        _weights(rng, ["flu", "asthma", "acne", "rash", "burnt"]),
    )
    return vk.Column(name, "sensitive", "nominal", hierarchy=tree)


def _weights(rng: np.random.Generator, leaves: Any) -> dict[str, str] | None:
    if rng.random() < 0.4:
        return None
    found = {str(leaf): str(rng.choice(["1", "2", "1/3", "0"])) for leaf in leaves}
    return found if set(found.values()) != {"0"} else None


def _nodes(rng: np.random.Generator, column: vk.Column, owner: Any) -> Any:
    """Nodes of a tree by row: at times one for a whole group, or one of each sibling."""
    tree = column.hierarchy
    found = rng.choice(tree.nodes, len(owner)).astype(object)
    for group in np.unique(owner):
        here = owner == group
        if (way := rng.random()) < 0.2:
            found[here] = rng.choice(tree.nodes)
        elif way < 0.4:
            found[here] = np.resize(tree.order(), int(here.sum()))
        elif way < 0.5:  # even below each node but one
            twice = tree.leaves(str(rng.choice(tree.nodes)))
            found[here] = np.resize([*tree.order(), *twice], int(here.sum()))
    return pd.Series(found).mask(rng.random(len(owner)) < rng.choice([0, 0.05]))


def _aims(rng: np.random.Generator, column: vk.Column, groups: int, *, own: bool) -> dict[str, Any]:
    """What a publisher tells of the target of a column: of all, or group by group."""
    order = column.hierarchy.order()
    some = {f"g{at}": _weights(rng, order) for at in range(groups) if rng.random() < 0.8}
    several = {name: weights for name, weights in some.items() if weights}
    told = {"hierarchy": several if own and several else "the weights of the column"}
    return told | ({"tolerance": {"share": "1/5", "nodes": {}}} if rng.random() < 0.3 else {})
