"""What an index tells of one record: the sentences, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit.languages import Line
from verikit.large._index import Bounds, Index
from verikit.subject import Given, Required
from verikit.subject.masked import list_links_lines


@dataclass(frozen=True, slots=True, eq=False)
class Bounded(Given):
    """What an index tells of one record."""

    release: Index
    known: Mapping[str, Any]
    bounds: Bounds
    required: Required

    @property
    def nothing(self) -> int:
        """How many records show none of the attributes, and may be hers."""
        return self.bounds.nothing

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """Hers, and the fewest and the most places to the records that may be the closest."""
        required = [self.required.distance[name] for name in self.known]
        lines = {
            "attribute": list(self.known),
            "own": list(self.known.values()),
            "fewest_places": [self.bounds.fewest[name] for name in self.known],
            "most_places": [self.bounds.most[name] for name in self.known],
            "largest_bucket": [self.release.of(name).widest for name in self.known],
            "required_distance": np.array(required, object),
        }
        return {"attributes": pd.DataFrame(lines)}

    def list_facts(self) -> dict[str, Any]:
        """Between what the distance lies, and how many records may be the closest."""
        bounds = self.bounds
        return {"lower": bounds.lower, "upper": bounds.upper, "matches": bounds.near}


def list_lines(found: Bounded) -> Iterator[Line]:
    """What may be said, in the order of the screen."""
    lower, upper, near = found.bounds.lower, found.bounds.upper, found.bounds.near
    size, nothing = len(found.release), found.bounds.nothing
    told: dict[str, Any] = {
        "records": size - nothing,
        "over": [column.title for column in found.columns],
        "blank": nothing,
        "distance": lower,
        "lower": lower,
        "upper": upper,
        "width": upper - lower,
        "largest": max(found.release.of(name).widest for name in found.known),
        "near": near,
    }
    known = lower == upper
    yield "masked.figure-distance" if known else "indexed.figure-bounds", True, told
    yield "indexed.figure-near", True, told
    yield list_links_lines(found.release)[1]
    yield "indexed.exact" if known else "indexed.bounds", True, told
    yield "masked.blank", nothing, told
    yield "indexed.one" if near == 1 else "indexed.several", True, told
    yield "indexed.no-conclusion", True, told
    for column in found.columns:
        buckets, own = found.release.of(column.name), found.known[column.name]
        missing = size - int(buckets.counts.sum())
        told = {"title": column.title, "own": column.shown(own), "share": missing / size}
        yield "masked.missing", missing, told
        beyond = not buckets.lowest[0] <= column.score(own) <= buckets.highest[-1]
        yield "indexed.beyond", beyond, told


def list_unmet(found: Bounded) -> list[Line] | None:
    """The distances that are less than required; None where the bounds leave that open."""
    lines: list[Line] = []
    is_open = False
    for column in found.columns:
        required = found.required.distance[column.name]
        fewest, most = (side[column.name] for side in (found.bounds.fewest, found.bounds.most))
        if required is None or fewest >= required:
            continue
        is_open |= most >= required
        if most < required:
            told = {"title": column.title, "most": most, "required": required}
            lines.append(("indexed.too-near", True, told))
    return None if is_open and not lines else lines
