"""What a table of single values tells of one record: the sentences, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from verikit.languages import Line, localize_number, sentence_text, spoken_language
from verikit.subject._answer import say, say_figure, say_headline
from verikit.subject._check import Repeated
from verikit.subject._report import Figure, Headline, Sentence
from verikit.subject._requirement import Requirement
from verikit.subject.masked import _chance_words as chance_words
from verikit.subject.masked._chance import Candidates, more_than_luck
from verikit.subject.masked._compared import Compared
from verikit.subject.masked._find import Attribute, Findings
from verikit.subject.masked._spread_words import difference_text, required_text, spread_text
from verikit.table import date_text
from verikit.words import digits, listed


def headlines(found: Compared) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    yield from _list_warnings(found)
    reason = cannot_tell(found.findings)
    if reason is not None:
        yield reason
    elif found.chance is None:
        yield say_headline("masked.not-compared")
    elif found.chance.blind:
        yield chance_words.warn_of_blindness(found.chance, len(found.release)).headline
    name = f"masked.no-warning{'-blank' if found.findings.nothing else ''}"
    yield say_headline(name, distance=found.findings.distance)


def _list_warnings(found: Compared) -> Iterator[Headline]:
    n, links, repeated = len(found.release), found.release.reported_links, found.repeated
    if found.picked_out and n > 1:
        yield say_headline("masked.picked-out")
    if found.chance is not None and found.chance.warns:
        yield chance_words.warn_of_closeness(found.chance).headline
    if found.undone:
        yield say_headline("masked.undone")
    if repeated is not None and repeated.more_than_luck:
        yield say_headline("masked.found-again", **_bound_values(repeated, n))
    if links is not None and more_than_luck(links):
        name, told = reported_links(found.release)
        yield say_headline(name, **told)


def cannot_tell(findings: Findings) -> Headline | None:
    """Why no conclusion is possible at all, or None where the check can say something."""
    varied = [a.column.title for a in findings.attributes if not a.constant]
    if len(findings.release) == 1:
        return say_headline("masked.one-record")
    if not varied:
        return say_headline("masked.all-the-same")
    if len(findings.attributes) == 1:
        return say_headline("masked.one-value", title=varied[0])
    return say_headline("masked.one-differs", title=varied[0]) if len(varied) == 1 else None


def figures(found: Compared) -> Iterator[Figure]:
    """Her distance, the records that close, and how close others are to each other."""
    count = len(found.findings.rows)
    yield say_figure("masked.figure-distance", distance=found.findings.distance)
    if found.picked_out:
        yield say_figure("masked.figure-crowd")
    else:
        yield say_figure(f"masked.figure-{'one' if count == 1 else 'several'}", count=count)
    if found.chance is None:
        yield say_figure("common.figure-published", records=len(found.release))
    else:
        yield say_figure("masked.figure-others", others=found.chance.others)


def sentences(found: Compared, _: Headline) -> Iterator[Sentence]:
    """Everything that may be said; what people understand best stands first."""
    yield from _say_published(found)
    yield from _say_matches(found)
    if found.copies is not None:
        yield chance_words.copies_sentence(found.copies)
    yield from chance_words.chance_sentences(found.chance, len(found.release))
    parts = [
        sentence_text("masked.diversity-of", title=a.column.title, spread=part)
        for a, part in zip(found.findings.attributes, _list_spreads(found), strict=True)
    ]
    yield say("masked.diversity", criterion=found.required.criterion.name, parts="; ".join(parts))
    if found.chance is not None and found.release.permutation:
        yield chance_words.paper_sentence(found.chance)


def _say_published(found: Compared) -> Iterator[Sentence]:
    """S10, S14, S8 and S9: what the publisher's own words allow to conclude."""
    n = len(found.release)
    if found.release.reported_links is not None:
        name, told = reported_links(found.release)
        yield say("masked.reported", links=sentence_text(name, **told))
    if found.undone:
        yield say("masked.undone")
    if found.crowd is not None:
        yield _say_candidates(found.crowd)
    if found.repeated is not None:
        yield say(
            "masked.repeated",
            again=sentence_text("masked.found-again", **_bound_values(found.repeated, n)),
            found=f"{found.repeated.found:g}",
            runs=found.repeated.runs,
        )


def _bound_values(repeated: Repeated, records: int) -> dict[str, Any]:
    return {"low": repeated.low, "high": repeated.high, "records": records}


def reported_links(release: Any) -> tuple[str, dict[str, Any]]:
    """The sentence of the publisher's count, and what fills it in: first what it leaves out."""
    told = {"links": release.reported_links, "records": len(release)}
    name = "masked.links"
    if release.reported_luck is not None:
        name, told["luck"] = "masked.links-luck", localize_number(f"{release.reported_luck:.1f}")
    left = titles_left_out(release)
    if not left:
        return name, told
    return "masked.links-without", {"columns": left, "links": sentence_text(name, **told)}


def list_links_lines(release: Any) -> tuple[Line, Line]:
    """The publisher's count: a headline where it is more than luck, and a sentence."""
    if release.reported_links is None:
        return ("masked.links", False, {}), ("masked.reported", False, {})
    name, told = reported_links(release)
    links = sentence_text(name, **told)
    luck = more_than_luck(release.reported_links)
    return (name, luck, told), ("masked.reported", True, {"links": links})


def titles_left_out(release: Any) -> list[str]:
    """What the columns are called that the publisher's count leaves out."""
    titles = {column.name: column.title for column in release.schema}
    return [titles.get(name, name) for name in release.not_compared]


def _say_candidates(found: Candidates) -> Sentence:
    bounds = set(found.places.values())
    told: str | list[str] = (
        spoken_language().fill_in("{count:places}", {"count": bounds.pop()})
        if len(bounds) == 1
        else [sentence_text("masked.bound", title=n, count=c) for n, c in found.places.items()]
    )
    if found.fitting == 1:
        return say(
            "masked.crowd-of-one", bounds=told, picked_out=sentence_text("masked.picked-out")
        )
    return say("masked.crowd", bounds=told, fitting=found.fitting)


def _say_matches(found: Compared) -> Iterator[Sentence]:
    """S1, S2 and S3: the closest records, and what follows for her own."""
    nothing = found.findings.nothing
    told: dict[str, Any] = {
        "records": len(found.release) - nothing,
        "distance": found.findings.distance,
        "count": len(found.findings.rows),
        "over": [column.title for column in found.columns],
    }
    number = "one" if told["count"] == 1 else "several"
    yield say(f"masked.closest-{number}", **told)
    if nothing:
        yield say("masked.blank", blank=nothing, over=told["over"])
    if moved_for_sure(found.findings):
        yield say(f"masked.moved{'-blank' if nothing else ''}", **told)
    if not found.picked_out:
        yield say(f"masked.not-yours-{number}", **told)


def moved_for_sure(findings: Findings) -> bool:
    """Whether S2 holds: a pure permutation, all her values published, and none at distance 0."""
    published = all(a.closest == a.score for a in findings.attributes)
    return findings.release.permutation and published and findings.distance > 0


def _list_spreads(found: Compared) -> list[str]:
    """How much the published values near each of hers differ."""
    criterion = found.required.criterion
    return [
        spread_text(float(value), criterion, a.column.apart)
        for a, value in zip(found.findings.attributes, found.lines["diversity"], strict=True)
    ]


def notes(found: Compared) -> Iterator[str]:
    """What the person should know about the values she gave, and about what she requires."""
    for attribute in found.findings.attributes:
        yield from _note_place(attribute)
    hopeless, criterion = found.required.hopeless, found.required.criterion
    if hopeless:
        yield sentence_text("masked.hopeless", names=listed(hopeless), criterion=criterion.name)


def _note_place(a: Attribute) -> Iterator[str]:
    if not (a.outside or a.constant or a.missing):
        return
    ends = a.shown(a.ordered[0]), a.shown(a.ordered[-1])
    own, low, high = (
        date_text(one) if a.column.dated else value_text(one) for one in (a.own, *ends)
    )
    told = {"title": a.column.title, "own": own, "low": low, "high": high}
    if a.outside:
        yield sentence_text("masked.below" if a.score < a.ordered[0] else "masked.above", **told)
    if a.constant:
        yield sentence_text("masked.constant", **told)
    if a.missing:
        yield sentence_text(
            "masked.missing", **told, share=a.missing / (a.missing + len(a.ordered))
        )


def value_text(value: Any) -> str:
    """A value as the screen shows it."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return f"{int(value)}"
    number = isinstance(value, (float, np.floating))
    return localize_number(digits(float(value), 6)) if number else str(value)


def unmet(found: Compared, _: Requirement) -> list[str] | None:
    """The distances and diversities that are less than required, each with both numbers."""
    if cannot_tell(found.findings) is not None or found.required.empty:
        return None
    return [part for at in range(len(found.columns)) for part in _list_unmet(found, at)]


def _list_unmet(found: Compared, at: int) -> Iterator[str]:
    required, column = found.required, found.columns[at]
    attained, value = found.lines["distance"][at], float(found.lines["diversity"][at])
    if required.near(column.name, attained):
        yield sentence_text(
            "masked.too-near",
            title=column.title,
            attained=int(attained),
            required=required.distance[column.name],
        )
    if required.alike(column.name, value):
        yield sentence_text(
            "masked.too-alike",
            title=column.title,
            attained=difference_text(value, required.criterion, column.apart),
            direction=required.criterion.direction,
            required=required_text(
                required.diversity[column.name] or 0, required.criterion, column.apart
            ),
        )
