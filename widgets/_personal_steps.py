"""What the personal view asks verikit for: the people with their requirements, and the release."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from verikit._support.requests import whole
from verikit.errors import RecordError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask import example_target, personalize
from verikit.release import Key, SplitRelease
from verikit.table import Column, Microdata, Schema
from verikit.targets import balanced
from verikit.widgets._releases import in_two_tables
from verikit.words import text

__all__ = ["WISH", "asked", "called", "letters", "published", "target_of", "with_wishes"]

WISH, SEED = "requirement", 1
SALARIES = (30_000, 40_000, 50_000, 60_000)


def target_of(data: Microdata, shipped: bool) -> Hierarchy:
    """The values of the table, all alike; of the shipped people all four salaries there are."""
    return balanced(SALARIES) if shipped else example_target(data)


def asked(data: Microdata, column: Column, target: Hierarchy, requirement: str | int) -> list[str]:
    """The node that each person names."""
    values = [text(value) for value in data.frame[column.name].tolist()]
    if isinstance(requirement, str):
        if requirement not in data.schema.names:
            raise RecordError(
                f"requirement was given as {quoted(requirement)}; expected the name of a column "
                "that holds nodes of the tree, or a level.",
                field="requirement",
                value=requirement,
            )
        named = data.frame[requirement]
        pairs = zip(named.tolist(), named.isna().tolist(), strict=True)
        return [target.root if gone else text(node) for node, gone in pairs]
    level = min(whole(requirement, "requirement", least=0), target.height)
    return [target.level(value, level) for value in values]


def with_wishes(data: Microdata, wished: tuple[str, ...]) -> tuple[Microdata, str]:
    """The people with what they ask for in a column of its own, and its name."""
    name = WISH
    others = tuple(column for column in data.schema if column.name != WISH)
    schema = Schema((*others, Column(name, "other", "nominal")))
    frame = data.frame[[column.name for column in others]].assign(
        **{name: np.array(wished, dtype=object)}
    )
    return Microdata(frame, schema), name


def published(
    data: Microdata, target: Hierarchy, name: str, search: Any
) -> tuple[SplitRelease, Key]:
    """The release and its key."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Of ")  # the card says both
        found = personalize(data, hierarchy=target, requirement=name, search=search, seed=SEED)
    return in_two_tables(found.release), found.key


def letters(groups: Any) -> list[str]:
    """Groups as letters in the order of the people: A, B, ... Z, then numbers."""
    order: Mapping[int, int] = {
        group: at for at, group in enumerate(dict.fromkeys(groups.tolist()))
    }
    return [_letter(order[group]) for group in groups.tolist()]


def _letter(at: int) -> str:
    return chr(ord("A") + at) if at < 26 else str(at + 1)


def called(data: Microdata, at: int) -> str:
    """What a person is called: by an identifier named so, or by her number."""
    names = [column.name for column in data.schema if column.role == "identifier"]
    named = next((name for name in names if name.lower() == "name"), None)
    return str(data.frame[named].iloc[at]) if named else f"person {at + 1:,}"
