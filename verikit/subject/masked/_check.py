"""The check of a record against a table of single values, and what it tells of her."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.told import Told
from verikit.errors import RecordError
from verikit.languages import Line, LocalNumber, localize_number, sentence_text, spoken_language
from verikit.ranks import UNORDERED, blocks_in
from verikit.ranks.spread import Criterion, smallest_diversity
from verikit.release import TableRelease
from verikit.subject._answer import make_report
from verikit.subject._check import Repeated, Tests, checking
from verikit.subject._known import names_rows
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Required, Requirement
from verikit.subject.masked._chance import (
    Candidates,
    Chance,
    compare_with_chance,
    count_candidates,
    more_than_luck,
)
from verikit.subject.masked._find import (
    Copies,
    Findings,
    find_closest,
    find_copies,
    list_names,
)
from verikit.subject.masked._repeat import repeat_method, undone_pairs
from verikit.table import Column
from verikit.values.dates import date_text
from verikit.words import digits, listed

USUAL = 0.05
JUDGES = {
    "distance": "places from the closest record",
    "diversity": "how much the published values within these places differ",
    "match": "the row that you take to be yours",
}
SPREADS = {
    "t-closeness": "unlike",
    "entropy": "entropy",
    "packing": "packing",
    "recursive": "recursive",
}
RANKS = (
    "first_rank", "last_rank", "match_rank", "window_first", "window_last", "match_first",
    "match_last",
)  # fmt: skip
COLUMNS = (
    "attribute", "own", "closest", "first_rank", "last_rank", "match", "match_rank", "distance",
    "window_first", "window_last", "diversity", "required_distance", "required_diversity", "met",
    "match_first", "match_last", "criterion",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The closest records, what was tested beside their distance, and one line an attribute."""

    findings: Findings
    required: Required
    chance: Chance | None
    crowd: Candidates | None
    repeated: Repeated | None
    copies: Copies | None
    undone: bool
    lines: pd.DataFrame
    named: Named | None = None

    @property
    def release(self) -> TableRelease:
        """The release that was compared."""
        return self.findings.release

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns she gave a value of."""
        return tuple(attribute.column for attribute in self.findings.attributes)

    @property
    def left_out(self) -> tuple[Column, ...]:
        """The columns she left out, but for those that name the rows."""
        given = {column.name for column in self.columns}
        others = (column for column in self.release.schema if column.name not in given)
        return tuple(column for column in others if not names_rows(self.release, column))

    @property
    def nothing(self) -> int:
        """How many records show none of the attributes, and may be hers."""
        return self.findings.nothing

    @property
    def criteria(self) -> list[Criterion]:
        """How the diversity of each attribute is measured."""
        return [self.required.criteria[column.name] for column in self.columns]

    @property
    def picked_out(self) -> bool:
        """Whether one record alone fits the bound that the publisher promises."""
        return self.crowd is not None and self.crowd.fitting == 1

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """One line an attribute, and one line a record that is closest."""
        names = [column.name for column in self.columns]
        numbered = np.column_stack([self.findings.rows + 1, self.findings.distances])
        return {
            "attributes": self.lines,
            "matches": pd.DataFrame(numbered, columns=["row", *names]),
        }

    def list_facts(self) -> dict[str, Any]:
        """Distance, number of matches, the criterion, and what was tested beside them."""
        directions = {criterion.name: criterion.direction for criterion in self.criteria}
        tests = {
            "chance": self.chance,
            "crowd": self.crowd,
            "repeated": self.repeated,
            "copies": self.copies,
            "named": self.named,
        }
        return {
            "distance": self.findings.distance,
            "matches": len(self.findings.rows),
            "criterion": ", ".join(directions),
            "direction": ", ".join(directions.values()),
            **{name: asdict(part) for name, part in tests.items() if part is not None},
        }


def attribute_table(
    findings: Findings, required: Required, named: Named | None = None
) -> pd.DataFrame:
    """One line an attribute: hers, the closest value, ranks, places, diversity, what is met.

    Places are those of the record that she names as hers, and else of the closest ones.
    """
    lines = []
    for at, a in enumerate(findings.attributes):
        name, criterion = a.column.name, required.criteria[a.column.name]
        attained = int(findings.attained[at] if named is None else named.places[at])
        asked, least = required.distance[name], required.diversity[name]
        reach = attained if asked is None else asked
        spread = measure_diversity(findings, at, reach, required)
        # of all the closest records, the value that is nearest, and the ranks of those equal to it
        places = findings.at if named is None else [named.row - 1]
        nearest = 0 if named is not None else findings.distances[:, at].argmin()
        value = float(findings.values[at][places][nearest])
        far = asked is None or attained >= asked
        diverse = least is None or criterion.holds(spread, least)
        lines.append(
            {
                "attribute": name,
                "own": a.own,
                "closest": a.shown(a.closest),
                "match": a.shown(value),
                "distance": attained,
                "diversity": spread,
                "required_distance": asked,
                "required_diversity": least,
                "met": None if asked is None and least is None else far and diverse,
                "criterion": criterion.name,
                **dict.fromkeys(RANKS),
            }
        )
        if a.kinship is None:
            (first, last), (low, high) = a.block, blocks_in(a.ordered, np.array([value]))
            match_first, match_last = int(low[0]), int(high[0])
            window = max(first - reach, 1), min(last + reach, len(a.ordered))
            # places are counted from the rank of equal values that is nearest to hers
            match = min(max(match_first, first), match_last)
            ranks = (first, last, match, *window, match_first, match_last)
            lines[-1] |= dict(zip(RANKS, ranks, strict=True))
    columns = {name: [line[name] for line in lines] for name in COLUMNS}
    objects = ["met", "required_distance", "required_diversity"]
    objects += [name for name in RANKS if None in columns[name]]
    return pd.DataFrame(columns | {name: np.array(columns[name], object) for name in objects})


@dataclass(frozen=True, slots=True)
class Named:
    """The record that she takes to be hers, whichever is closest ([DM]_ Definition 1, f).

    Parameters
    ----------
    row
        Its row, counted from 1.
    places
        By attribute, how far it is from the closest published value.
    nearer
        How many other records are as close or closer, at worst over the attributes.
    """

    row: int
    places: tuple[int, ...]
    nearer: int


def find_named(findings: Findings, row: int) -> Named:
    """Measure the record that she names as Algorithm 2 does; O(n log n) an attribute."""
    if row > len(findings.release):
        said = f"The match was given as row {row}, but the release has {len(findings.release)}."
        told = Told(said, "no-such-row", row=row, records=len(findings.release))
        raise RecordError(told, field="match", value=row)
    pairs = zip(findings.attributes, findings.values, strict=True)
    everybody = np.arange(len(findings.values[0]))
    gaps = np.column_stack([a.count_places(part, everybody) for a, part in pairs])
    worst = gaps.max(axis=1)
    nearer = int(np.count_nonzero(worst <= worst[row - 1])) - 1
    return Named(row, tuple(gaps[row - 1].tolist()), nearer)


def list_named_lines(found: Compared) -> Iterator[Line]:
    """How far the record that she takes to be hers lies from her values, and how many as close."""
    if found.named is not None:
        parts = [
            sentence_text("masked.bound", title=column.title, count=places)
            for column, places in zip(found.columns, found.named.places, strict=True)
        ]
        told = {"row": str(found.named.row), "parts": parts, "nearer": found.named.nearer}
        yield "masked.named", True, told


def measure_diversity(findings: Findings, at: int, reach: int, required: Required) -> float:
    """How much the released values within some places of hers differ; no number where undefined.

    Where there is no order the criterion may not be defined, which is refused if it is required.
    """
    a, criterion = findings.attributes[at], required.criteria[findings.attributes[at].column.name]
    if a.kinship is None:
        return smallest_diversity(a.ordered, *a.block, reach, criterion)
    if criterion.name not in UNORDERED and required.diversity[a.column.name] is None:
        return float("nan")
    names = list_names(findings.values[at], a.names).tolist()
    places, tree = np.array([reach]), a.column.hierarchy
    return float(a.kinship.measure_least_diversities(names, places, criterion, tree)[0])


@checking("masked", judges=JUDGES, words="a table of single values", release="table")
def check_masked(
    record: Mapping[str, Any], release: TableRelease, requirement: Requirement, tests: Tests
) -> SubjectReport:
    """Find the closest records, and compare her match with chance."""
    findings = find_closest(record, release)
    alike = [a for a in findings.attributes if a.kinship is not None]
    equal = [a.column.name for a in alike if a.column.hierarchy is None]
    names = [a.column.name for a in findings.attributes]
    required = requirement.among(names, equal=equal, alike=[a.column.name for a in alike])
    named = None if requirement.match is None else find_named(findings, requirement.match)
    testable = tests.chance and not find_obstacle(findings)
    runs = tests.runs
    found = Compared(
        findings,
        required,
        compare_with_chance(findings, tests.alpha, tests.looks) if testable else None,
        count_candidates(findings),
        runs if isinstance(runs, Repeated) else repeat_method(findings, runs) if runs else None,
        find_copies(findings),
        undone_pairs(release),
        attribute_table(findings, required, named),
        named,
    )
    return make_report(
        found, requirement, list_headlines(found), list_lines(found), list_unmet(found)
    )


def find_obstacle(findings: Findings) -> str:
    """Name the text that says why no conclusion is possible at all; empty where one may be."""
    varied = sum(not a.constant for a in findings.attributes)
    if len(findings.release) == 1:
        return "masked.one-record"
    if not varied:
        return "masked.all-the-same"
    if len(findings.attributes) == 1:
        return "masked.one-value"
    return "masked.one-differs" if varied == 1 else ""


def list_headlines(found: Compared) -> Iterator[Line]:
    """What may stand first, the worst first."""
    findings, chance, repeated = found.findings, found.chance, found.repeated
    n = len(found.release)
    told = describe_chance(chance, found.release)
    yield "masked.picked-out", found.picked_out and n > 1, {}
    yield told.get("closer", ""), chance is not None and chance.warns, told
    yield "masked.undone", found.undone, {}
    if repeated is not None:
        bounds = {"low": repeated.low, "high": repeated.high, "records": n}
        yield "masked.found-again", repeated.more_than_luck, bounds
    yield list_links_lines(found.release)[0]
    obstacle = find_obstacle(findings)
    varied = [a.column.title for a in findings.attributes if not a.constant]
    yield obstacle, obstacle, {"title": "".join(varied[:1])}
    yield "masked.not-compared", chance is None, {}
    yield told.get("blind", ""), chance is not None and chance.blind, told
    distance = {"distance": findings.distance}
    yield f"masked.no-warning{'-blank' if findings.nothing else ''}", True, distance


def list_links_lines(release: Any) -> tuple[Line, Line]:
    """The publisher's count: a headline where it is more than luck, and a sentence.

    What his count leaves out is said first.
    """
    if release.reported_links is None:
        return ("masked.links", False, {}), ("masked.reported", False, {})
    told: dict[str, Any] = {"links": release.reported_links, "records": len(release)}
    name, luck = "masked.links", more_than_luck(release.reported_links)
    if release.reported_luck is not None:
        name, told["luck"] = "masked.links-luck", localize_number(f"{release.reported_luck:.1f}")
    left = titles_left_out(release)
    if left:
        links = sentence_text(name, **told)
        name = "masked.links-without"
        told |= {"columns": left, "found": told["links"], "links": links}
    links = sentence_text(name, **told)
    return (name, luck, told), ("masked.reported", True, {"links": links})


def titles_left_out(release: Any) -> list[str]:
    """What the columns are called that the publisher's count leaves out."""
    titles = {column.name: column.title for column in release.schema}
    return [titles.get(name, name) for name in release.not_compared]


def describe_chance(chance: Chance | None, release: Any) -> dict[str, Any]:
    """What sentences say of how often others match as closely, in a published table."""
    if chance is None:
        return {}
    limit = "masked.limit" if chance.looks == 1 else "masked.limit-divided"
    few = 1 / (chance.asked + 1) > chance.limit
    return {
        "blind": f"masked.blind-{'few' if few else 'alike'}",
        "closer": f"masked.closer{'-drawn' if release.from_model else ''}",
        "records": len(release),
        "alpha": chance.alpha,
        "limit": sentence_text(limit, alpha=chance.alpha, looks=chance.looks),
        "least": chance.least,
        "asked": chance.asked,
        "made_up": chance.made_up,
        "others": chance.others,
        "usual": USUAL,
    }


def list_lines(found: Compared) -> Iterator[Line]:
    """What may be said, in the order of the screen; what people understand best stands first."""
    findings, chance = found.findings, found.chance
    n, nothing, release = len(found.release), findings.nothing, found.release
    told: dict[str, Any] = {
        "records": n - nothing,
        "distance": findings.distance,
        "count": len(findings.rows),
        "over": [column.title for column in found.columns],
        "blank": nothing,
    }
    number, blank = "one" if told["count"] == 1 else "several", "-blank" if nothing else ""
    yield "masked.figure-distance", True, told
    yield f"masked.figure-{'crowd' if found.picked_out else number}", True, told
    yield "common.figure-published", chance is None, {"records": n}
    yield "masked.figure-others", chance is not None, {"others": getattr(chance, "others", 0)}
    yield list_links_lines(release)[1]
    yield "masked.undone", found.undone, {}
    yield from list_promise_lines(found)
    yield f"masked.closest-{number}", True, told
    yield from list_named_lines(found)
    yield "masked.blank", nothing, told
    # a pure permutation that holds all her values, and none of the records at distance 0
    published = all(a.closest == a.score for a in findings.attributes)
    moved = release.permutation and published and findings.distance > 0
    yield f"masked.moved{blank}", moved, told
    whose = "drawn" if release.from_model else f"not-yours-{number}"
    yield f"masked.{whose}", not found.picked_out, told
    if found.copies is not None:
        one = "copy" if found.copies.share else "copy-alone"
        yield f"masked.{one if found.copies.hers == 1 else 'copies'}", True, asdict(found.copies)
    yield from list_chance_lines(chance, describe_chance(chance, release))
    spreads: dict[str, list[str]] = {}
    values = found.lines["diversity"].tolist()
    for a, criterion, value in zip(findings.attributes, found.criteria, values, strict=True):
        if not np.isnan(value):
            spread = spread_text(value, criterion, a.column.apart, ordered=a.kinship is None)
            part = sentence_text("masked.diversity-of", title=a.column.title, spread=spread)
            spreads.setdefault(criterion.name, []).append(part)
    for name, parts in spreads.items():
        yield "masked.diversity", True, {"criterion": name, "parts": "; ".join(parts)}
    if chance is not None:
        paper = "plausible" if chance.made_up > USUAL else "not-plausible"
        yield f"masked.paper-{paper}", release.permutation, {"usual": USUAL}
    yield from list_notes(found)


def list_promise_lines(found: Compared) -> Iterator[Line]:
    """S8 and S9: what the publisher's own words allow to conclude."""
    crowd, repeated, n = found.crowd, found.repeated, len(found.release)
    if crowd is not None:
        bounds, places = set(crowd.places.values()), crowd.places.items()
        told: dict[str, Any] = {"fitting": crowd.fitting}
        told["bounds"] = (
            spoken_language().fill_in("{count:places}", {"count": bounds.pop()})
            if len(bounds) == 1
            else [sentence_text("masked.bound", title=name, count=count) for name, count in places]
        )
        told["picked_out"] = sentence_text("masked.picked-out")
        yield f"masked.crowd{'-of-one' if crowd.fitting == 1 else ''}", True, told
    if repeated is not None:
        bound = {"low": repeated.low, "high": repeated.high, "records": n}
        again = sentence_text("masked.found-again", **bound)
        runs = {"again": again, "found": f"{repeated.found:g}", "runs": repeated.runs}
        yield "masked.repeated", True, runs


def list_chance_lines(chance: Chance | None, told: Mapping[str, Any]) -> Iterator[Line]:
    """S4 to S7: how often others match as closely, and what follows; S7 wherever nothing warns."""
    if chance is not None:
        said = chance.independent or chance.disagree
        for name, share, error, holds in (
            ("made-up", chance.made_up, chance.error, said),
            ("others", chance.others, chance.others_error, True),
        ):
            cases = 1000 if 0 < share < 0.01 else 100  # as many as the share is said of
            shown = localize_number(f"{max(cases * error, 0.1):.1f}")
            yield f"masked.{name}{'-estimated' if error else ''}", holds, {**told, "error": shown}
        yield told["closer"], chance.warns, told
        yield told["blind"], chance.blind, told
    yield "masked.no-conclusion", chance is None or not chance.warns, {}


def spread_text(
    value: float, criterion: Criterion, unit: str, *, full: bool = True, ordered: bool = True
) -> str:
    """How much values differ; in ``full`` what a deviation is, and that there may be none.

    Where they have no order a variance is their mean marginality.

    Examples
    --------
    >>> variance, distinct = Criterion("variance"), Criterion("distinct")
    >>> spread_text(25.0, variance, "years"), spread_text(3.0, distinct, "years")
    ('± 5.00 years (standard deviation)', '3 different values')
    >>> spread_text(0.0001, variance, "mg", full=False), spread_text(0, variance, "", full=False)
    ('± 0.010 mg', '± 0.00')
    """
    unit, name = f" {unit}" if unit else "", SPREADS.get(criterion.name, "distinct")
    if full and value == 0 and criterion.name in ("variance", "robust variance", "entropy"):
        return sentence_text("masked.spread-none")
    if criterion.name == "variance" and not ordered:
        return sentence_text("masked.spread-marginality", value=rounded_text(value))
    if "variance" in criterion.name:
        deviation = rounded_text(float(np.sqrt(value)), "" if full else "± ", unit)
        kind = "deviation" if criterion.name == "variance" else "trimmed"
        return sentence_text(f"masked.spread-{kind}", value=deviation) if full else deviation
    apart = localize_number(digits(float(criterion.apart or 0), 6), behind=unit)
    shown = rounded_text(value) if name in ("unlike", "entropy") else int(value)
    c = localize_number(digits(float(criterion.c or 0), 6))
    return sentence_text(f"masked.spread-{name}", value=shown, apart=apart, c=c)


def rounded_text(value: float, before: str = "", behind: str = "") -> LocalNumber:
    """A number with two decimals, or with two digits where it is below 1.

    Examples
    --------
    >>> rounded_text(1234.567), rounded_text(0.01234), rounded_text(0)
    ('1,234.57', '0.012', '0.00')
    """
    decimals = 2 if value >= 1 or value <= 0 else 1 - int(np.floor(np.log10(value)))
    return localize_number(f"{value:,.{min(decimals, 12)}f}", before, behind)


def list_notes(found: Compared) -> Iterator[Line]:
    """What she should know about the values she gave, and about what she requires."""
    for a in found.findings.attributes:
        if not (a.outside or a.constant or a.missing or a.kinship):
            continue
        low, high = float(a.ordered[0]), float(a.ordered[-1])
        share = a.missing / (a.missing + len(a.ordered))
        told: dict[str, Any] = {"title": a.column.title, "share": share}
        ends = {"own": a.own, "low": a.shown(low), "high": a.shown(high)}
        told |= {n: date_text(v) if a.column.dated else value_text(v) for n, v in ends.items()}
        beyond = "below" if a.score < low else "above"
        yield f"masked.{'unlike' if a.kinship else beyond}", a.outside, told
        told_apart = a.kinship is not None and not (a.outside or a.constant)
        yield f"masked.{'grouped' if a.column.hierarchy else 'equal'}", told_apart, told
        yield "masked.constant", a.constant, told
        yield "masked.missing", a.missing, told
    required = found.required
    hopeless: dict[str, list[str]] = {}
    for name, criterion in required.criteria.items():
        asked = required.distance[name] == 0 and required.diversity[name] is not None
        if asked and criterion.direction == "more than":  # which no variance of 0 is
            hopeless.setdefault(criterion.name, []).append(name)
    for measure, names in hopeless.items():
        yield "masked.hopeless", True, {"names": listed(names), "criterion": measure}


def value_text(value: Any) -> str:
    """A value as the screen shows it."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return f"{int(value)}"
    number = isinstance(value, (float, np.floating))
    return localize_number(digits(float(value), 6)) if number else str(value)


def list_unmet(found: Compared) -> list[Line] | None:
    """The distances and diversities that are less than required, each with both numbers."""
    required = found.required
    if found.lines["met"].isna().all() or find_obstacle(found.findings):
        return None
    lines: list[Line] = []
    ranked = [a.column for a in found.findings.attributes if a.kinship is None]
    for column, line in zip(found.columns, found.lines.to_dict("records"), strict=True):
        asked, least = required.distance[column.name], required.diversity[column.name]
        criterion = required.criteria[column.name]
        told = {"title": column.title, "attained": line["distance"], "required": asked}
        too_near = asked is not None and line["distance"] < asked
        lines.append(("masked.too-near", too_near, told))
        value = float(line["diversity"])
        if least is not None and not criterion.holds(value, least):
            # a required variance is said as the deviation whose square it is
            said: str = localize_number(digits(least, 6))
            ordered = column in ranked
            if "variance" in criterion.name and ordered:
                said = spread_text(least, criterion, column.apart, full=False)
            attained = spread_text(value, criterion, column.apart, full=False, ordered=ordered)
            told = {"title": column.title, "attained": attained, "required": said}
            told["direction"] = criterion.direction
            lines.append(("masked.too-alike", True, told))
    return lines
