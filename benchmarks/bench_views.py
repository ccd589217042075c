"""Every step of every view: how long it takes, and how much is sent, without a compiler.

Run with  python benchmarks/bench_views.py
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any
from unittest import mock

from _timing import Row, write

import verikit as vk
from verikit import widgets

SENT, TURNS, LIMITS = 60_000, 4, {1_000: 0.1, 10_000: 0.3}
ATTACKS = ("normal_scores", "assignment", "published_mechanism", "strongest", "maximum_rank")
DENSE = 5_000  # records that an assignment takes at most
Steps = list[tuple[str, Any]]


def numbers(n: int) -> vk.Microdata:
    return vk.simulate("dm", n, seed=1)


def people(n: int) -> vk.Microdata:
    return vk.simulate("census", n, seed=1).only("Age", "Gender", "Education", "Salary-class")


def pay(n: int) -> vk.Microdata:
    frame = numbers(n).frame
    return vk.Microdata(frame, vk.Schema.guess(frame, X3="sensitive"))


def noisy(n: int) -> vk.TableRelease:
    return vk.mask.noise(numbers(n), scale=0.5, seed=2).release


def in_groups(n: int) -> vk.SplitRelease:
    data = people(n)
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    return vk.mask.anatomize(data, partition=groups, seed=1).release


def of_tables(n: int) -> dict[str, tuple[Callable[[], Any], Steps]]:
    """How each view is made of n records, and what is turned in it, step by step."""
    return {
        "AttackLab": (lambda: widgets.AttackLab(people(n)), [("least", 0.9), ("gain", 0.2)]),
        "BoundedAnswer": (lambda: widgets.BoundedAnswer(pay(n)), [("k", 3), ("e", 5)]),
        "ClassesView": (lambda: widgets.ClassesView(people(n)), [("k", 3), ("ell", 3), ("t", 0.3)]),
        "GroupsView": (lambda: widgets.GroupsView(people(n)), [("ell", 3), ("ell", 4)]),
        "IntruderView": (
            lambda: widgets.IntruderView(numbers(n), noisy(n)),
            [("record", 3), *(("attack", a) for a in ATTACKS if n <= DENSE or a != "assignment")],
        ),
        "LearnedView": (
            lambda: widgets.LearnedView(in_groups(n)),
            [("rounds", 1), ("group", 2), ("person", 2)],
        ),
        "MondrianView": (
            lambda: widgets.MondrianView(numbers(n)),
            [("k", 6), ("k", 20), ("cut", "relaxed")],
        ),
        "PartitionView": (lambda: widgets.PartitionView(pay(n)), [("k", 3), ("k", 9), ("e", 5)]),
        "PlausibilityView": (
            lambda: widgets.PlausibilityView(numbers(n)),
            [("noise", 0.3), ("noise", 1.0)],
        ),
        "QueryBench": (lambda: widgets.QueryBench(people(n)), [("ell", 3), ("ell", 5)]),
        "RandomizeView": (lambda: widgets.RandomizeView(people(n)), [("changed", 2)]),
        "ReverseMapping": (
            lambda: widgets.ReverseMapping(numbers(n)),
            [("scale", 0.3), ("record", 5), ("scale", 1.0)],
        ),
        "RulesView": (
            lambda: widgets.RulesView(people(n)),
            [("support", 0.2), ("confidence", 0.6), ("changed", 2)],
        ),
        "TargetEditor": (lambda: widgets.TargetEditor(people(n)), [("fakes", 20)]),
        "TradeOff": (
            lambda: widgets.TradeOff(numbers(n), amounts={"noise": [0.5]}, attack="maximum_rank"),
            [("links", 5), ("share", 0.2)],
        ),
    }


def of_their_own() -> dict[str, tuple[Callable[[], Any], Steps]]:
    """Views of graphs, lattices, wishes and models, with the examples that they bring."""
    return {
        "GraphQuery": (widgets.GraphQuery, [("k", 2), ("ell", 2)]),
        "GroupingView": (widgets.GroupingView, [("k", 2), ("ell", 2)]),
        "GuaranteesView": (widgets.GuaranteesView, [("rate", 0.2), ("rate", 0.8)]),
        "LatticeView": (widgets.LatticeView, [("k", 3), ("suppression", 0.1)]),
        "MemorizedView": (widgets.MemorizedView, [("leaked", 5), ("leaked", 50)]),
        "PersonalView": (widgets.PersonalView, [("person", 2)]),
    }


def sent(view: Any) -> int:
    """How many characters the last step sent."""
    screen = [*(asdict(part) for part in view.parts()), asdict(view.card())]
    return len(json.dumps(screen, default=str))


def measured(make: Callable[[], Any], steps: Steps) -> tuple[list[float], int]:
    """The CPU seconds of each step, the best of some turns; the most that was sent."""
    best, most = [float("inf")] * len(steps), 0
    for _ in range(TURNS):
        view = make()
        for at, (trait, value) in enumerate(steps):
            start = time.process_time()
            setattr(view, trait, value)
            best[at] = min(best[at], time.process_time() - start)
            if view.last_error is not None:
                raise view.last_error
            most = max(most, sent(view))
    return best, most


def rows(views: dict[str, tuple[Callable[[], Any], Steps]], job: str, limit: float) -> list[Row]:
    found = []
    for name, (make, steps) in views.items():
        seconds, size = measured(make, steps)
        for (trait, value), each in zip(steps, seconds, strict=True):
            step = f"{name}, {trait} {value}, {job}"
            found.append(Row(step, each, f"{limit:g} s", limit, "<= 1"))
        found.append(Row(f"{name}, {job}, KB sent", size / 1000, "60 KB", SENT / 1000, "<= 1"))
    return found


def main() -> None:
    found: list[Row] = []
    with mock.patch("verikit._support.compiled.has_numba", return_value=False):
        for n, limit in LIMITS.items():
            found += rows(of_tables(n), f"{n:,} records", limit)
        found += rows(of_their_own(), "its example", LIMITS[1_000])
    write("Every step of every view, default install", found)


if __name__ == "__main__":
    main()
