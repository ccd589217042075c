"""What tests of questions share: tables, random questions, the truth row by row, all worlds."""

import math
import sys

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import Among, And, Between, Not, Or

TREE = vk.Hierarchy.of({"any": {"office": ["clerk", "lawyer"], "trade": ["smith", "welder"]}})
SCHEMA = vk.Schema(
    (
        vk.Column("age"),
        vk.Column("job", kind="nominal", hierarchy=TREE),
        vk.Column("pay", "sensitive", unit="$"),
    )
)
AGGREGATES = ("count", "sum", "avg", "min", "max")


@pytest.fixture(name="w", scope="session")
def worlds():
    """This module, for tests that ask many questions."""
    return sys.modules[__name__]


def two_columns(data):
    """The same records without the column that has no order."""
    schema = vk.Schema((SCHEMA["age"], SCHEMA["pay"]))
    return vk.Microdata(data.frame.drop(columns="job"), schema)


def released(kind, data, labels):
    if kind == "as it is":
        return data
    if kind == "rank_swap":
        return vk.mask.rank_swap(two_columns(data), percent=40, seed=1).release
    mask, groups = getattr(vk.mask, kind), vk.Partition.of(labels)
    return mask(data, partition=groups, missing="own value", seed=1).release


def table(rng, n, *, missing=False):
    """Records with negative values, ties, and values that are missing if asked."""
    pay = rng.integers(-5, 6, n).astype(float)
    if missing:
        pay[rng.random(n) < 0.15] = np.nan
    frame = pd.DataFrame(
        {"age": rng.integers(20, 29, n), "job": rng.choice(list(TREE.levels), n), "pay": pay}
    )
    return vk.Microdata(frame, SCHEMA)


def covering(frame, schema=None):
    """A release made elsewhere whose cells cover the true values."""
    told = "promise" in vk.TableRelease.__dataclass_fields__
    words = {"promise": "covers"} if told else {"method": "generalize"}
    return vk.TableRelease.of(frame, schema, **words)


def condition(rng, name):
    if name == "job":
        return Among("job", frozenset(rng.choice(TREE.nodes, rng.integers(1, 3)).tolist()))
    low, high = sorted(rng.integers(-6, 7, 2) if name == "pay" else rng.integers(19, 30, 2))
    return Between(name, int(low), int(high), str(rng.choice(["both", "left", "right"])))


def predicate(rng, names, depth=2):
    """A random tree in which a column may stand several times."""
    kind = rng.choice(["leaf", "and", "or", "not"]) if depth else "leaf"
    if kind == "leaf":
        return condition(rng, str(rng.choice(names)))
    if kind == "not":
        return Not(predicate(rng, names, depth - 1))
    parts = [predicate(rng, names, depth - 1) for _ in range(rng.integers(2, 4))]
    return And(*parts) if kind == "and" else Or(*parts)


def question(rng, where):
    aggregate = str(rng.choice(AGGREGATES))
    return vk.Query(where, aggregate, None if aggregate == "count" else "pay")


def meets(record, part):
    """True, False, or None where a missing value leaves it open, as in SQL."""
    if isinstance(part, Not):
        found = meets(record, part.part)
        return None if found is None else not found
    if isinstance(part, (And, Or)):
        found = {meets(record, one) for one in part.parts}
        decisive = isinstance(part, Or)
        return decisive if decisive in found else None if None in found else not decisive
    value = record[part.column]
    if value is None or value != value:
        return None
    if isinstance(part, Among):
        return value in {
            v
            for name in part.values
            for v in (TREE.leaves(name) if part.column == "job" else [name])
        }
    above = value >= part.low if part.closed in ("both", "left") else value > part.low
    return above and (value <= part.high if part.closed in ("both", "right") else value < part.high)


def truth(records, query):
    """The answer, row by row, as a person would find it."""
    kept = [r for r in records if all(meets(r, part) is True for part in query.where)]
    if query.aggregate == "count":
        return float(len(kept))
    values = [r[query.of] for r in kept if r[query.of] == r[query.of]]
    if query.aggregate == "sum":
        return math.fsum(values)
    if not values:
        return math.nan
    if query.aggregate == "avg":
        return math.fsum(values) / len(values)
    return min(values) if query.aggregate == "min" else max(values)


def records(data):
    return data.frame.astype({"job": str}).to_dict("records")
