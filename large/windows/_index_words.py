"""What an index tells of one record: the sentences, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit.languages import sentence_text
from verikit.large._index import Bounds, Index
from verikit.subject import (
    Figure,
    Given,
    Headline,
    Required,
    Requirement,
    Sentence,
    say,
    say_figure,
    say_headline,
)
from verikit.subject.masked import more_than_luck, reported_links


@dataclass(frozen=True, slots=True, eq=False)
class Bounded(Given):
    """What an index tells of one record."""

    release: Index
    known: Mapping[str, Any]
    bounds: Bounds
    required: Required

    @property
    def widest(self) -> int:
        """The largest bucket of the columns she gave a value of."""
        return max(self.release.of(name).widest for name in self.known)


def headlines(found: Bounded) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    links = found.release.reported_links
    if links is not None and more_than_luck(links):
        name, told = reported_links(found.release)
        yield say_headline(name, **told)
    yield say_headline("indexed.cannot-tell")


def figures(found: Bounded) -> Iterator[Figure]:
    """Between what her distance lies, and how many records may be the closest."""
    lower, upper, near = found.bounds.lower, found.bounds.upper, found.bounds.near
    if lower == upper:
        yield say_figure("masked.figure-distance", distance=lower)
    else:
        yield say_figure("indexed.figure-bounds", lower=lower, upper=upper)
    yield say_figure("indexed.figure-near", near=near)


def sentences(found: Bounded, _: Headline) -> Iterator[Sentence]:
    """Everything that may be said."""
    lower, upper, nothing = found.bounds.lower, found.bounds.upper, found.bounds.nothing
    over = [column.title for column in found.columns]
    told: dict[str, Any] = {"records": len(found.release) - nothing, "over": over}
    if found.release.reported_links is not None:
        name, links = reported_links(found.release)
        yield say("masked.reported", links=sentence_text(name, **links))
    if lower == upper:
        yield say("indexed.exact", distance=lower, **told)
    else:
        between = {"lower": lower, "upper": upper, "width": upper - lower}
        yield say("indexed.bounds", largest=found.widest, **between, **told)
    if nothing:
        yield say("masked.blank", blank=nothing, over=over)
    near = found.bounds.near
    yield say("indexed.one") if near == 1 else say("indexed.several", near=near)
    yield say("indexed.no-conclusion")


def notes(found: Bounded) -> Iterator[str]:
    """Values of hers that lie beyond all published ones, and columns that miss values."""
    size = len(found.release)
    for column in found.columns:
        buckets = found.release.of(column.name)
        missing = size - int(buckets.counts.sum())
        if missing:
            yield sentence_text("masked.missing", title=column.title, share=missing / size)
        own = found.known[column.name]
        score = column.score(own)
        if not buckets.lowest[0] <= score <= buckets.highest[-1]:
            yield sentence_text("indexed.beyond", title=column.title, own=str(own))


def unmet(found: Bounded, _: Requirement) -> list[str] | None:
    """The distances that are less than required; None where the bounds leave that open."""
    parts, open_ = [], False
    for column in found.columns:
        required = found.required.distance[column.name]
        fewest, most = (side[column.name] for side in (found.bounds.fewest, found.bounds.most))
        if required is None or fewest >= required:
            continue
        open_ |= most >= required
        if most < required:
            told = {"title": column.title, "most": most, "required": required}
            parts.append(sentence_text("indexed.too-near", **told))
    return None if open_ and not parts else parts


def tables(found: Bounded) -> Mapping[str, pd.DataFrame]:
    """Hers, and the fewest and the most places to the records that may be the closest."""
    lines = {
        "attribute": list(found.known),
        "own": list(found.known.values()),
        "fewest_places": [found.bounds.fewest[name] for name in found.known],
        "most_places": [found.bounds.most[name] for name in found.known],
        "largest_bucket": [found.release.of(name).widest for name in found.known],
        "required_distance": np.array([found.required.distance[n] for n in found.known], object),
    }
    return {"attributes": pd.DataFrame(lines)}


def facts(found: Bounded) -> dict[str, Any]:
    """Between what the distance lies, and how many records may be the closest."""
    bounds = found.bounds
    return {"lower": bounds.lower, "upper": bounds.upper, "matches": bounds.near}
