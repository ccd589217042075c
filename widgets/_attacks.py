"""The attacks of the survey as a person picks them, and small examples where it prints no table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from verikit import intruder
from verikit.datasets import load, published
from verikit.intruder import Disclosure
from verikit.release import Release, TableRelease
from verikit.table import Microdata, Schema
from verikit.widgets._releases import Pick, list_shipped


class Attack(NamedTuple):
    """An attack: its name for people, what it does, and what it can be tried on.

    ``pair`` tells that it lays two tables side by side; ``boxes`` names what it asks besides.
    """

    run: Callable[..., Disclosure]
    title: str
    idea: str
    tables: tuple[str, ...]
    boxes: tuple[str, ...] = ()
    pair: bool = False


GENERALIZED = ("ks_table4", "ks_table1", "ks_table6", "lhcc_table2")
ATTACKS = {
    "homogeneity": Attack(
        intruder.homogeneity,
        "Homogeneity: one value for all",
        "He looks for people who look alike and all have the same value.",
        GENERALIZED,
        ("least",),
    ),
    "background_knowledge": Attack(
        intruder.background_knowledge,
        "Background knowledge: one thing more",
        "He knows of a value that one of them has, or that none of them can have.",
        GENERALIZED,
        ("knows", "value"),
    ),
    "skewness": Attack(
        intruder.skewness,
        "Skewness: more likely than elsewhere",
        "He compares how frequent a value is among look-alikes and in the whole table.",
        ("tests", *GENERALIZED),
        ("gain",),
    ),
    "similarity": Attack(
        intruder.similarity,
        "Similarity: values of one kind",
        "He knows which values are alike, and looks for groups that hold one kind only.",
        ("ks_table6",),
        ("least",),
    ),
    "unsorted_matching": Attack(
        intruder.unsorted_matching,
        "Unsorted matching: row by row",
        "He has a table of the same people in its old order, and lays it beside the release.",
        ("ks_table3",),
        pair=True,
    ),
    "complementary_release": Attack(
        intruder.complementary_release,
        "Complementary release: two tables joined",
        "He joins two releases about the same people by what they share.",
        ("wards",),
        pair=True,
    ),
    "temporal": Attack(
        intruder.temporal,
        "Temporal: what changed in between",
        "He compares an earlier release with a later one: the difference is the newcomers.",
        ("newcomer",),
        pair=True,
    ),
}


def _make_tests() -> tuple[None, Release]:
    """A hundred tests, half of them positive, but 49 of the 50 in one class."""
    tests = ["positive"] * 49 + ["negative"] * 50 + ["positive"]
    return None, _make_release({"Zip": ["47677"] * 50 + ["47602"] * 50, "Test": tests}, "Test")


def _make_wards() -> tuple[Release, Release]:
    ill = ["flu", "ulcer", "angina", "asthma"]
    first = _make_release({"Sex": list("FFMM"), "Disease": ill}, "Disease")
    return first, _make_release({"Ward": list("ABBA"), "Disease": ill}, "Disease")


def _make_newcomer() -> tuple[Release, Release]:
    ill = ["flu", "ulcer", "flu", "angina"]
    before, after = (
        _make_release({"Zip": ["476**"] * n, "Disease": ill[:n]}, "Disease") for n in (3, 4)
    )
    return before, after


def _make_release(columns: dict[str, list[str]], sensitive: str) -> TableRelease:
    frame = pd.DataFrame(columns)
    schema = Schema.guess(frame).with_column(sensitive, role="sensitive")
    return TableRelease.of(frame, schema)


TABLES = list_shipped(*GENERALIZED) | {
    "tests": Pick("A hundred test results (KS section 5.2)", _make_tests),
    "wards": Pick("Four patients, published twice (our example)", _make_wards),
    "newcomer": Pick("Three patients, and a fourth (our example)", _make_newcomer),
    "ks_table3": Pick(
        "KS Table 3: four crimes, not shuffled",
        lambda: (load("ks_table3"), published("ks_table3_generalized")),
    ),
}


def open_tables(name: str) -> tuple[Microdata | Release | None, Release]:
    """What the attacker has already, if anything, and the release he attacks."""
    found = TABLES[name].open()
    return found if isinstance(found, tuple) else (None, found)
