"""Exercises on personal requirements: each person names the node below which nothing may show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

import verikit as vk
from verikit.errors import RecordError, VerikitError, quoted
from verikit.exercises import _blocks as blocks
from verikit.exercises._exercise import Answer, Data, explain, pose

SIZE = {"10": 1, "20": 1, "30": 1, "40": 1, "[10, 20]": 2, "[30, 40]": 2, "[10, 40]": 4}


def make_people(pay: Sequence[int], wish: Sequence[str]) -> vk.Microdata:
    """Make a table of people with their pay and the node each wishes for."""
    zips = [f"{1010 + at}" for at in range(len(pay))]
    columns = (vk.Column("Zip", kind="nominal"), vk.Column("Pay", "sensitive"))
    schema = vk.Schema((*columns, vk.Column("Wish", "other", "nominal")))
    return vk.Microdata(pd.DataFrame({"Zip": zips, "Pay": pay, "Wish": wish}), schema)


def list_paths(data: Data) -> list[list[str]]:
    """List the nodes that hold each person's pay, the narrowest first."""
    return [[str(node) for node in blocks.TREE.path(str(v))] for v in data["table"].frame["Pay"]]


def draw_people(rng: np.random.Generator, n: int = 4) -> Data:
    """Draw people who each wish for a node that holds their pay."""
    pay = rng.choice(blocks.LEAVES, n).tolist()
    wish = [str(blocks.TREE.path(str(value))[int(rng.integers(0, 3))]) for value in pay]
    return {"table": make_people(pay, wish)}


def count_values(nodes: Iterable[str]) -> int:
    """Count the values that nodes hold in all."""
    return sum(SIZE[node] for node in nodes)


def count_published(table: vk.Microdata, search: Any) -> int:
    """Count the values that the published nodes hold with a way to search for groups."""
    made = vk.mask.personalize(
        table, hierarchy=blocks.TREE, requirement="Wish", search=search, seed=1
    ).release
    return int(str(made.parameters["values published"]))


def mistake_wishes(data: Data) -> dict[str, Answer]:
    """Answer with numbers of nodes, and with those who hide their pay."""
    wish = data["table"].frame["Wish"]
    return {
        "nodes": {"values": len(wish)},
        "different nodes": {"values": count_values(set(wish))},
        "those who hide": {"open": sum(len(node) > 2 for node in wish)},
    }


READ = pose(
    "pr-01",
    make=draw_people,
    right=lambda data: {
        "values": count_values(data["table"].frame["Wish"]),
        "open": sum(len(node) == 2 for node in data["table"].frame["Wish"]),
    },
    wrong=mistake_wishes,
)


SHARE = pose(
    "pr-02",
    make=draw_people,
    right=lambda data: {
        "best": count_published(data["table"], "exact"),
        "together": count_published(data["table"], "one group"),
    },
    wrong=lambda data: {
        "each alone": {"best": count_values(data["table"].frame["Wish"])},
        "one value each": {"best": len(data["table"].frame)},
    },
)


def are_respected(data: Data, nodes: Sequence[str]) -> tuple[bool, ...]:
    """Tell by person whether her wish is respected if all are in one group with these nodes."""
    frame = data["table"].frame
    return _are_respected(tuple(nodes), tuple(frame["Wish"]), tuple(frame["Pay"].tolist()))


@lru_cache(maxsize=512)
def _are_respected(
    nodes: tuple[str, ...], wishes: tuple[str, ...], pay: tuple[int, ...]
) -> tuple[bool, ...]:
    data = make_people(pay, wishes)
    quasi = pd.DataFrame({"Zip": data.frame["Zip"], "Group-ID": "1"})
    sensitive = pd.DataFrame({"Group-ID": "1", "Pay": list(nodes)})
    column = vk.Column("Pay", "sensitive", "numeric", hierarchy=blocks.TREE)
    release = vk.SplitRelease(
        quasi, sensitive, vk.Schema((vk.Column("Zip", kind="nominal"), column))
    )
    return tuple(
        map(bool, vk.models.personal_respect(release, data, requirement="Wish").per_record)
    )


def draw_group(rng: np.random.Generator) -> Data:
    """Draw five people, and a node published for each."""
    data = draw_people(rng, 5)
    return {**data, "nodes": [path[int(rng.choice([0, 0, 1, 2]))] for path in list_paths(data)]}


def mistake_respect(data: Data) -> dict[str, Answer]:
    """Answer with who looks at the own node alone, or asks for nothing."""
    wish = data["table"].frame["Wish"].tolist()
    own = [SIZE[node] >= SIZE[name] for node, name in zip(data["nodes"], wish, strict=True)]
    return {
        "own node only": {"people": sum(own)},
        "those who hide nothing": {"people": sum(len(node) == 2 for node in wish)},
    }


RESPECT = pose(
    "pr-03",
    make=draw_group,
    right=lambda data: {"people": sum(are_respected(data, data["nodes"]))},
    wrong=mistake_respect,
)


def judge_row(data: Data, answer: Answer) -> str | None:
    """Tell whether the wish of a row is not respected."""
    return "respected" if are_respected(data, data["nodes"])[blocks.read_row(answer, 5)] else None


BREAK = pose(
    "pr-04",
    make=draw_group,
    right=lambda data: blocks.first_row(np.logical_not(are_respected(data, data["nodes"]))),
    wrong=lambda data: {"respected": blocks.first_row(are_respected(data, data["nodes"]))},
    judge=judge_row,
)


def judge_nodes(data: Data, answer: Answer) -> str | None:
    """Tell whether nodes hold the pay, respect everybody and are the narrowest that do."""
    paths = list_paths(data)
    nodes = blocks.read_list(
        answer,
        "nodes",
        lambda given: len(given) == len(paths) and all(str(node) in SIZE for node in given),
        f"{len(paths)} of: {', '.join(SIZE)}",
    )
    nodes = [str(node) for node in nodes]
    if not all(node in path for node, path in zip(nodes, paths, strict=True)):
        raise RecordError(f"nodes was given as {quoted(nodes)}; each must hold the pay of its row.")
    if not all(are_respected(data, nodes)):
        return "not respected"
    best = find_narrowest(data)["nodes"]
    return None if count_values(nodes) == count_values(best) else "too wide"


def find_narrowest(data: Data) -> Answer:
    """Search for the narrowest nodes that respect everybody, by trying all."""
    # Narrowest first: the first that respects everybody is the best, so the rest is not tried.
    every = sorted(product(*list_paths(data)), key=count_values)
    return {"nodes": next(list(nodes) for nodes in every if all(are_respected(data, nodes)))}


BUILD = pose(
    "pr-05",
    make=draw_people,
    right=find_narrowest,
    wrong=lambda data: {
        "not respected": {"nodes": [str(value) for value in data["table"].frame["Pay"]]},
        "too wide": {"nodes": ["[10, 40]"] * 4},
    },
    judge=judge_nodes,
)


def draw_half(rng: np.random.Generator) -> Data:
    """Draw a half of the tree, and a pay in it."""
    low = int(rng.choice([10, 30]))
    return {"low": low, "high": low + 10, "pay": low + int(rng.choice([0, 10]))}


EXPLAIN = explain("pr-06", draw_half)


def judge_people(data: Data, answer: Answer) -> str | None:
    """Tell whether the best grouping of people publishes less than one group."""
    rows = blocks.read_list(
        answer,
        "people",
        lambda rows: (
            len(rows) == data["n"]
            and blocks.are_tuples(rows, 2)
            and all(pay in blocks.LEAVES and str(wish) in SIZE for pay, wish in rows)
        ),
        f"{data['n']} pairs (pay, node)",
    )
    try:
        best, together = compare_searches(tuple((int(pay), str(wish)) for pay, wish in rows))
    except VerikitError as error:
        raise RecordError(str(error)) from None
    return None if best < together else "as good"


@lru_cache(maxsize=4096)
def compare_searches(rows: tuple[tuple[int, str], ...]) -> tuple[int, int]:
    """Count the values published with the best grouping, and with all in one group."""
    people = make_people([pay for pay, _ in rows], [wish for _, wish in rows])
    return count_published(people, "exact"), count_published(people, "one group")


def find_people(data: Data) -> Answer:
    """Search for the first people for whom one group is not the best."""
    choices = [(pay, str(node)) for pay in blocks.LEAVES for node in blocks.TREE.path(str(pay))]
    answers = ({"people": list(rows)} for rows in combinations(choices, data["n"]))
    return blocks.find_answer(data, judge_people, answers)


DISPROVE = pose(
    "pr-07",
    make=lambda rng: {"n": int(rng.integers(2, 5))},
    right=find_people,
    wrong=lambda data: {
        "as good": {"people": [(10, "10"), (20, "20"), (30, "30"), (40, "40")][: data["n"]]}
    },
    judge=judge_people,
)
