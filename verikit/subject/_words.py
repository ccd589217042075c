"""The sentences of a check, each with the condition under which it is true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from verikit.ranks.spread import Criterion
from verikit.release import TableRelease
from verikit.subject._chance import Crowd, Repeated
from verikit.subject._masked import Findings
from verikit.subject._report import Sentence

__all__ = [
    "PICKED_OUT", "cannot_tell", "diversity_words", "joined", "linked", "match_sentences",
    "notes", "of_hundred", "places", "publisher_sentences",
]  # fmt: skip


PICKED_OUT = "If you are in this table, whoever knows your values can pick you out."


def places(count: float) -> str:
    """A distance in words: ``1 place``, ``1,200 places``."""
    return f"{count:,.0f} place{'' if count == 1 else 's'}"


def joined(names: Iterable[str]) -> str:
    """Names as people list them: a, b and c."""
    *most, last = list(names)
    return f"{', '.join(most)} and {last}" if most else last


def cannot_tell(findings: Findings) -> str | None:
    """Why no conclusion is possible at all, or None where the check can say something."""
    varied = [a.column.title for a in findings.attributes if not a.constant]
    if len(findings.release) == 1:
        return "The table holds one record only, so there is nothing to compare it with."
    if not varied:
        return (
            "Every published record is the same on the values you gave, so no record is closer "
            "than another."
        )
    if len(findings.attributes) == 1:
        return (
            f"With one value alone ({varied[0]}) some record always fits exactly, so the distance "
            "says nothing; give at least two values."
        )
    if len(varied) == 1:
        return (
            f"Of the values you gave only {varied[0]} differs between records, so some record "
            "always fits exactly; give another value."
        )
    return None


def match_sentences(findings: Findings) -> list[Sentence]:
    """S1, S2 and S3: the closest records, and what follows for her own."""
    n, distance, count = len(findings.release), findings.distance, len(findings.rows)
    over = joined(a.column.title for a in findings.attributes)
    if count == 1:
        said = f"The closest of the {n:,} published records is {places(distance)} away from yours"
        which = "The closest record need not be yours: it may have been made from anybody's."
    else:
        said = (
            f"{count:,} of the {n:,} published records are closest, each {places(distance)} away "
            "from yours"
        )
        which = f"Of the {count:,} closest records at most one is yours, and perhaps none."
    sentences = [
        Sentence("S1", f"{said}, counted on the worst of {over}; none is closer.", "always"),
    ]
    if moved_for_sure(findings):
        sentences.append(
            Sentence(
                "S2",
                f"If you are in this table, your own record was moved by at least "
                f"{places(distance)} in at least one attribute.",
                "the table holds the original values in another order, hers among them",
            )
        )
    sentences.append(Sentence("S3", which, "whenever S1"))
    return sentences


def of_hundred(share: float) -> str:
    """A share as a count of cases: ``81 of 100``, or of 1,000 where it is small.

    Examples
    --------
    >>> of_hundred(0.811875), of_hundred(0.0025), of_hundred(1e-6), of_hundred(0.9995)
    ('81 of 100', '2 of 1,000', 'fewer than 1 of 1,000', 'more than 99 of 100')
    """
    if 0.99 < share < 1:
        return "more than 99 of 100"
    if share >= 0.01:
        return f"{share * 100:.0f} of 100"
    count = round(share * 1000)
    return f"{count} of 1,000" if count else "fewer than 1 of 1,000"


def linked(count: int, n: int) -> str:
    """S10: how many people the publisher's own strongest attack links."""
    return (
        f"The publisher reports that its strongest test attack links {count:,} of {n:,} people "
        "rightly, without knowing which. Luck gives 1 or 2."
    )


def publisher_sentences(
    release: TableRelease, found: Crowd | None, repeated: Repeated | None
) -> list[Sentence]:
    """S10, S8 and S9: what the publisher's own words allow to conclude."""
    said: list[Sentence] = []
    n = len(release)
    if release.reported_links is not None:
        said.append(
            Sentence(
                "S10",
                f"{linked(release.reported_links, n)} You cannot check this number.",
                "the publisher reports the number of links that a test attack got right",
            )
        )
    if found is not None:
        said.append(_crowd_sentence(found))
    if repeated is not None:
        said.append(
            Sentence(
                "S9",
                f"Repeating the published method with your record in this table, an attacker "
                f"finds you in {repeated.found:g} of {repeated.runs:,} runs (at most "
                f"{of_hundred(repeated.high)} in the long run). Guessing finds you in 1 of {n:,}.",
                "method and parameters are published, and can be repeated",
            )
        )
    return said


def _crowd_sentence(found: Crowd) -> Sentence:
    bounds = set(found.places.values())
    if len(bounds) == 1:
        promise = f"no value was moved by more than {places(bounds.pop())}"
    else:
        promise = "no value was moved by more than " + joined(
            f"{places(count)} in {name}" for name, count in found.places.items()
        )
    if found.fitting == 1:
        fit = f"A single published record fits yours. {PICKED_OUT}"
    else:
        fit = f"{found.fitting:,} published records fit yours; if you are in this table, one of "
        fit += "them is yours."
    because = "the publisher names a bound on the movement of each attribute"
    return Sentence("S8", f"The publisher promises that {promise}. {fit}", because)


def moved_for_sure(findings: Findings) -> bool:
    """Whether S2 holds: a pure permutation, all her values published, and none at distance 0."""
    published = all(a.closest == a.score for a in findings.attributes)
    return findings.release.permutation and published and findings.distance > 0


def diversity_words(name: str, value: float, criterion: Criterion, unit: str) -> str:
    """S11 for one attribute: how much the released values near hers differ."""
    unit = f" {unit}" if unit else ""
    if criterion.name == "t-closeness":
        return f"{name}: their distribution differs from the whole column's by {value:.2f} of 1"
    if criterion.name == "distinct":
        return f"{name}: {value:,.0f} different value{'' if value == 1 else 's'}"
    if criterion.name == "packing":
        return f"{name}: {value:,.0f} values at least {criterion.apart:g}{unit} apart"
    if value == 0:
        return f"{name}: no variation"
    if criterion.name == "entropy":
        return f"{name}: entropy {value:.2f}"
    spread = f"{np.sqrt(value):,.2f}{unit}"
    tail = " without the tenth that spreads most" if criterion.name != "variance" else ""
    return f"{name}: ± {spread} (standard deviation){tail}"


def diversity_sentence(parts: Sequence[str], criterion: Criterion) -> Sentence:
    """S11: the spread of the released values within the distance, attribute by attribute."""
    text = f"Within its distance the published values vary by {'; '.join(parts)}."
    return Sentence("S11", text, f"diversity measured by {criterion.name}")


def limits_sentence(findings: Findings, left_out: Sequence[str]) -> Sentence:
    """S12: which attributes this concerns."""
    over = joined(a.column.title for a in findings.attributes)
    without = f" {joined(left_out)} was not looked at." if left_out else ""
    text = (
        f"This concerns linking by {over} only; other things known about you are not tested."
        f"{without}"
    )
    return Sentence("S12", text, "always")


def notes(findings: Findings, left_out: Sequence[str]) -> list[str]:
    """What the person should know about the values she gave."""
    said: list[str] = []
    for a in findings.attributes:
        title = a.column.title
        low, high = (show(a.shown(a.ordered[end])) for end in (0, -1))
        if a.outside:
            side = "lowest" if a.score < a.ordered[0] else "highest"
            end = low if side == "lowest" else high
            said.append(
                f"Your {title} ({show(a.own)}) lies outside the published range {low} to {high}; "
                f"the {side} published value, {end}, is the closest."
            )
        if a.constant:
            said.append(f"{title} is {low} in every published record, so it tells nobody apart.")
    if left_out:
        said.append(f"You left out {joined(left_out)}; the check used the other values.")
    return said


def show(value: Any) -> str:
    """A value as the screen shows it."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return f"{int(value)}"
    return f"{float(value):.6g}" if isinstance(value, (float, np.floating)) else str(value)
