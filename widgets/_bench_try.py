"""One masking that was tried at the bench: what verikit says of it, and how it is made again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import nan
from typing import Any, cast

import numpy as np

from verikit.cli import Groups, Mask, Spelling, list_parameters, parse_value
from verikit.errors import RecordError, VerikitError
from verikit.intruder import Disclosure, Links, homogeneity, link
from verikit.mask import METHODS
from verikit.protector import AuditReport, audit, method_name
from verikit.query import Between, Query
from verikit.release import Key, Masked, by_groups, whole_records
from verikit.table import Column, Microdata
from verikit.utility import (
    InformationLoss,
    RelativeError,
    paired,
    rank_correlation,
    relative_error,
    workload,
)

BY_GROUPS = ("k", "ell", "e")
GROUPED = {
    "k": "records in each group",
    "ell": "different sensitive values in each group",
    "e": "with k: how far apart these values lie",
    "search": "levels of trees found by datafly, samarati, incognito or k_optimize, not groups",
}
START = {"k": "5", "ell": "2"}
LEFT_TO_OTHERS = ("partition", "levels", "groups", "hierarchy", "permutation")
BINS, QUERIES = 10, 100
Shape = list[tuple[str, float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Try:
    """One masking of a table, and what `audit`, `utility` and `intruder` say of it.

    Parameters
    ----------
    data
        The original, described by the roles that were confirmed.
    method, settings
        The method, and what was set, as it was typed.
    seed, masked
        The secret randomness, and the release with its key.
    report
        The audit.
    shapes
        By column how many people have each value or lie in each band, before and after.
    answers
        The errors of counts by two conditions; None where none can be asked.
    order
        How much of the order of each column is kept, where it is measured.
    links, given
        The links of the strongest attack, and the classes that give a value away, where any are.
    """

    data: Microdata
    method: str
    settings: Mapping[str, str]
    seed: int = field(repr=False)
    masked: Masked = field(repr=False)
    report: AuditReport = field(repr=False)
    shapes: Mapping[str, Shape] = field(repr=False)
    answers: RelativeError | None = field(repr=False)
    order: Mapping[str, float] = field(repr=False)
    links: Links | None = field(repr=False)
    given: Disclosure | None = field(repr=False)

    @property
    def words(self) -> str:
        """The method and what was set, in words."""
        told = ", ".join(f"{name} {value}" for name, value in self.settings.items() if value)
        name = method_name(self.method)
        return f"{name[:1].upper()}{name[1:]}{f', {told}' if told else ''}"

    @property
    def asked(self) -> tuple[Any, ...]:
        """What was asked for: the same, and the same table, give the same masking."""
        return self.method, self.settings, self.seed, self.data

    @property
    def lost(self) -> InformationLoss:
        """What is lost of each column and each pair of columns."""
        return cast("InformationLoss", self.report.lost)

    @property
    def line(self) -> dict[str, Any]:
        """What it protects and keeps, in shares from 0 to 1; nan where it is not measured."""
        report, exposed = self.report, self.report.exposure
        guessed = [part.by_learning / part.people for part in report.guessed if part.people]
        found = [] if exposed is None else [int(exposed.found.guessed + 1e-9)]
        found += [] if report.standing is None else [round(report.standing.excess)]
        return {
            "tried": self.words,
            "links": nan if exposed is None else exposed.found.guessed / exposed.found.records,
            "found": max(found, default=None),
            "drawn": nan if report.alike is None else report.alike.kinds / report.alike.rows,
            "guessed": max(guessed, default=nan),
            "answers": nan if self.answers is None else max(0.0, 1 - self.answers.median),
            "order": float(np.mean([*self.order.values()])) if self.order else nan,
            "cells": 1 - float(self.lost.columns["penalty"].mean()),
        }

    def find_exposed(self) -> list[int]:
        """Find the people whose own row is the only one that fits them, the least moved first."""
        if self.links is None or not len(self.links):
            return []
        own, links = self.masked.key.rows, self.links
        alone = np.flatnonzero(links.counts == 1)
        found = alone[links.rows[links.starts[:-1][alone]] == own[alone]]
        moved = np.full(len(self.data), 0)
        judged = self.report.judged
        moved[slice(None) if judged is None else judged] = self.report.protector.max(axis=1)
        return [int(one) for one in found[np.argsort(moved[found], kind="stable")]]


def make_try(
    data: Microdata, method: str, settings: Mapping[str, str], seed: int, tell: Callable[[str], Any]
) -> Try:
    """Mask a table, and ask of the release all that is shown of it; each step is told before."""
    tell(f"Masking {len(data):,} records …")
    command = make_command(method, settings)
    masked = METHODS[method].function(data, **command.build_arguments(data, seed), seed=seed)
    release: Any = masked.release
    tell("Counting who can be found …")
    report = audit(data, release, masked.key)
    tell("Comparing before and after …")
    order: dict[str, float] = {}
    links, given = None, None
    if whole_records(release):
        if not release.holds_sets:
            order = _try_to(lambda: _list_orders(data, masked.key, release)) or {}
        if report.exposure is not None:
            attack: Any = report.exposure.found.attack
            links = _try_to(lambda: link(data, release, attack=attack))
    if (by_groups(release) or release.promise == "covers") and len(release.schema.sensitive) == 1:
        given = _try_to(lambda: homogeneity(release))
    answers = _try_to(lambda: relative_error(data, release, _draw_questions(data)))
    told = (_compare_shapes(data, release), answers, order, links, given)
    return Try(data, method, dict(settings), seed, masked, report, *told)


def _draw_questions(data: Microdata) -> tuple[Query, ...]:
    """Draw counts by two conditions; where no column is sensitive, the last takes its part."""
    schema = data.schema
    if not schema.sensitive and schema.quasi:
        schema = schema.with_column(schema.quasi[-1].name, role="sensitive")
    last, asked = schema.find_sensitive(schema.sensitive[0].name), Microdata(data.frame, schema)
    return workload(asked, queries=QUERIES, conditions=2, sensitive=last, seed=0).queries


def _try_to(find: Callable[[], Any]) -> Any:
    """What is found, or nothing where a release of this kind or table does not show it."""
    try:
        return find()
    except VerikitError:
        return None


def _list_orders(data: Microdata, key: Key, release: Any) -> dict[str, float]:
    undone = key.undo(release)
    if not paired(data, undone, needed=False):
        return {}
    found = rank_correlation(data, undone)
    return {str(name): float(value) for name, value in found.dropna().items()}


def _compare_shapes(data: Microdata, release: Any) -> dict[str, Shape]:
    """Count each column by values or bands, in the original and, as it is answered, after."""
    found = {}
    for column in data.schema.released:
        if column.name not in release.schema.names:
            continue
        asked = list(_list_bands(data, column))
        told = _try_to(partial(relative_error, data, release, [query for _, query in asked]))
        if told is not None:
            counts = zip(asked, told.true.tolist(), told.answers, strict=True)
            found[column.name] = [(words, true, one.estimate) for (words, _), true, one in counts]
    return found


def _list_bands(data: Microdata, column: Column) -> Iterator[tuple[str, Query]]:
    """The values of a column, or bands of many, as questions; the outer bands have no end."""
    if column.kind != "numeric":
        common = data.frame[column.name].dropna().value_counts()
        names = sorted(common[common > 0].index, key=lambda one: (-common[one], str(one)))
        few = len(names) <= BINS
        for name in names[: None if few else BINS - 1]:
            yield str(name), Query.count({column.name: {name}})
        if not few:
            rest = names[BINS - 1 :]
            yield f"{len(rest):,} others", Query.count({column.name: set(rest)})
        return
    values = np.unique(data.scores(column.name))
    values = values[~np.isnan(values)]
    if not len(values):
        return
    few = len(values) <= BINS
    ends = values if few else np.linspace(values[0], values[-1], BINS + 1)[:-1]
    last = len(ends) - 1
    for at, low in enumerate(ends.tolist()):
        high = None if at == last else float(ends[at + 1])
        start = None if at == 0 else low
        shown = column.shown(low if few else float(f"{low:.4g}"))
        band = Between(column.name, start, high, "left") if last else None
        yield shown if few else f"from {shown}", Query.count(band)


def make_command(method: str, settings: Mapping[str, str], **files: str) -> Mask:
    """Make the command that masks so; what is no number of records, or share, is refused."""
    known = list_parameters(method)
    sets: list[str] = []
    groups: dict[str, Any] = {}
    for name, text in settings.items():
        if text and (name in known or "partition" not in known):
            sets.append(f"{name}={text}")
        elif text:
            groups[name] = text if name == "search" else _read_count(name, text)
    asked: dict[str, Any] = {"out": "", "key": "", "original": ""} | files
    return Mask(method, set_=sets, groups=Groups(**groups), spelling=Spelling(), **asked)


def _read_count(name: str, text: str) -> Any:
    found = parse_value(text)
    right = (int, float) if name == "e" else (int,)
    if not isinstance(found, right) or isinstance(found, bool):
        raise RecordError.given(name, text, "a number" if name == "e" else "a whole number")
    return found


def list_settings(method: str) -> dict[str, str]:
    """What can be set for a method, with what it says of itself as a start, else nothing."""
    known = list_parameters(method)
    found = {name: "" for name in known if name not in LEFT_TO_OTHERS}
    if "partition" in known:
        start = "k" if "levels" in known else "ell"
        names = (*BY_GROUPS, *(["search"] if "levels" in known else []))
        return dict.fromkeys(names, "") | {start: START[start]} | found
    for name, value in METHODS[method].example.items():
        if name in found and known[name].default is inspect.Parameter.empty:
            found[name] = "" if callable(value) or value == () else str(value)
    for knob in METHODS[method].knobs:
        if not knob.fixed and knob.ladder:
            found[knob.parameter] = f"{knob.ladder[len(knob.ladder) // 2]:g}"
    return found
