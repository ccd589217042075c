"""The numbers behind a check of a table of single values: attributes, matches and facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from verikit.subject._requirement import Required
from verikit.subject.masked._compared import Compared
from verikit.subject.masked._find import (
    Attribute,
    Findings,
    find_window,
    measure_diversity,
    nearest_end,
)

TESTS = ("chance", "crowd", "repeated", "copies")


def tables(found: Compared) -> Mapping[str, pd.DataFrame]:
    """One line an attribute, and one line a record that is closest."""
    return {"attributes": found.lines, "matches": _make_match_table(found.findings)}


def facts(found: Compared) -> dict[str, Any]:
    """Distance, number of matches, the criterion, and what was tested beside them."""
    tested = {name: getattr(found, name) for name in TESTS}
    return {
        "distance": found.findings.distance,
        "matches": len(found.findings.rows),
        "criterion": found.required.criterion.name,
        "direction": found.required.criterion.direction,
        **{name: asdict(part) for name, part in tested.items() if part is not None},
    }


def attribute_table(findings: Findings, required: Required) -> pd.DataFrame:
    """One line an attribute: hers, the closest value, ranks, places, diversity, what is met."""
    lines = [
        _attribute_line(findings, at, required, attribute)
        for at, attribute in enumerate(findings.attributes)
    ]
    columns = {name: [line[name] for line in lines] for name in lines[0]}
    objects = ("met", "required_distance", "required_diversity")
    return pd.DataFrame(columns | {name: np.array(columns[name], object) for name in objects})


def _attribute_line(
    findings: Findings, at: int, required: Required, attribute: Attribute
) -> dict[str, Any]:
    name, attained = attribute.column.name, int(findings.attained[at])
    asked = required.distance[name]
    reach = attained if asked is None else asked
    spread = measure_diversity(attribute, reach, required.criterion)
    within = find_window(attribute, reach)
    value = findings.nearest_value(at)
    match = attribute.tie(value)
    return {
        "attribute": name,
        "own": attribute.own,
        "closest": attribute.shown(attribute.closest),
        "first_rank": attribute.block.first,
        "last_rank": attribute.block.last,
        "match": attribute.shown(value),
        "match_rank": nearest_end(match, attribute.block),
        "distance": attained,
        "window_first": within.first,
        "window_last": within.last,
        "diversity": spread,
        "required_distance": asked,
        "required_diversity": required.diversity[name],
        "met": required.met(name, attained, spread),
        "match_first": match.first,
        "match_last": match.last,
    }


def _make_match_table(findings: Findings) -> pd.DataFrame:
    names = [attribute.column.name for attribute in findings.attributes]
    numbered = np.column_stack([findings.rows + 1, findings.distances])
    return pd.DataFrame(numbered, columns=["row", *names])
