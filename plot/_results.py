"""Which picture a result has: what its ``.plot()`` draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from verikit import intruder, lattice, models, protector, subject, utility
from verikit._support.plotted import drawing
from verikit.errors import RecordError
from verikit.partition import Partition
from verikit.plot._frequencies import (
    draw_columns_of,
    draw_columns_of_both,
    draw_links_of_nodes,
    frequencies,
)
from verikit.plot._lines import distances, lines, luck, trade_off
from verikit.plot._permutation import moves, places, views
from verikit.plot._shares import noise_sizes, ranges, shares
from verikit.query import Answer
from verikit.release import GraphRelease, SplitRelease, TableRelease
from verikit.table import BipartiteGraph, Microdata

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES, GROUPS = 12, 3
BESIDE = {
    "values": {"of 100 here": "those you may be", "of 100 everywhere": "the whole table"},
    "distribution": {"of 100 for you": "for you", "of 100 in the target": "in the target"},
}


def _draw_range(across: str, **rows: tuple[float, float, float]) -> Figure:
    """Ranges by name, each from its lower end over what is expected to its upper end."""
    named = {name.replace("_", " "): ends for name, ends in rows.items()}
    return ranges(pd.DataFrame(named, index=["lower", "estimate", "upper"]).T, across)


def _draw_partition(groups: Partition, asked: Mapping[str, float] | None = None) -> Figure:
    return frequencies(pd.DataFrame({"records in a group": groups.sizes}), up="groups", asked=asked)


def _draw_report(report: subject.SubjectReport) -> Figure:
    """Her ranks; where values are not ranked, what those like her have beside the others."""
    for name, columns in BESIDE.items():
        table = report.tables.get(name, pd.DataFrame())
        if len(table) and set(columns) <= set(table):
            named = table.get("attribute", pd.Series("", index=table.index))
            several = "{0} {1}" if (named != named.iloc[0]).any() else "{1}"
            index = [several.format(*pair) for pair in zip(named, table["value"], strict=True)]
            found = table[list(columns)].apply(pd.to_numeric, errors="coerce").fillna(0) / 100
            return shares(
                found.set_axis(index).rename(columns=columns).head(LINES),
                "how often each value occurs",
            )
    return places(report)


def _draw_audit(report: protector.AuditReport) -> Figure:
    if report.subject is not None:
        return views(report)
    return moves(dict(zip(report.attributes, report.protector.T, strict=True)))


def _draw_verdict(found: models.ModelVerdict) -> Figure:
    name = "records in a class" if found.model == "k-anonymity" else f"{found.model} of a class"
    asked = None if found.threshold is None else {name: found.threshold}
    return frequencies(pd.DataFrame({name: found.per_class}), up="classes", asked=asked)


def _draw_apart(found: models.ApartVerdict) -> Figure:
    names = ("different numbers in a class", "range of a class")
    table = pd.DataFrame(
        dict(zip(names, (found.different_per_class, found.span_per_class), strict=True))
    )
    asked = {n: float(v) for n, v in zip(names, (found.k, found.e), strict=True) if v is not None}
    return frequencies(table, up="classes", asked=asked)


def _draw_permuted(found: models.PermutedPrivacy) -> Figure:
    names = [f"places {name} was moved" for name in found.attributes]
    asked = dict(zip(names, map(float, found.required.values()), strict=True))
    return frequencies(pd.DataFrame(found.places, columns=names), asked=asked)


def _draw_respected(found: models.PersonalVerdict) -> Figure:
    by_node = found.to_frame().groupby("required", sort=False)["respected"].agg(["size", "mean"])
    table = by_node.nlargest(LINES, "size")[["mean"]].set_axis(["respected"], axis=1)
    return shares(table, "people whose requirement is respected")


def _draw_target(found: models.TargetVerdict) -> Figure:
    """What each group shows; of many groups the least and the most."""
    table = pd.DataFrame(dict(found.shown)).astype(float).head(LINES).add_prefix("group ")
    if not table.size:
        return frequencies(found.to_frame()[["distance", "shift"]], up="groups")
    if table.shape[1] > GROUPS:
        ends = {"at least": table.min(axis=1), "at most": table.max(axis=1)}
        table = pd.DataFrame(ends)
    return shares(table, "chances that everybody can infer")


def _draw_links(found: intruder.Links) -> Figure:
    table = {
        "candidates of a record": found.counts,
        "places to the first": pd.Series(found.distances).where(found.counts > 0),
    }
    return frequencies(table)


def _draw_beside_control(found: Sequence[intruder.Baseline]) -> Figure:
    rows = {
        f"{one.attack} {one.secret}".strip(): (one.found, one.control, one.naive) for one in found
    }
    names = ["people of the table", "others", "a naive guess"]
    return shares(pd.DataFrame(rows, index=names).T, "attacks that succeed")


def _draw_disclosed(found: intruder.Disclosure) -> Figure:
    if not len(found.frame):
        raise RecordError(
            f"The attack {found.attack!r} found nothing, so there is nothing to draw."
        )
    names = {"confidence": "chance by the attack", "before": "chance before"}
    return frequencies(found.frame[list(names)].rename(columns=names), up="findings")


def _draw_signatures(found: intruder.Signatures) -> Figure:
    sides = {"left": found.left, "right": found.right}
    table = {
        side: pd.Series([len(np.unique(step)) for step in steps]) for side, steps in sides.items()
    }
    return lines(pd.DataFrame(table), across="step", up="classes that cannot be told apart")


def _draw_kept(found: utility.RulesKept) -> Figure:
    """How many of the original's the release shows, and how many that it shows are true."""
    table = found.by_length[found.by_length["original"] > 0]
    shown = (table["kept"] + table["invented"]).clip(lower=1)
    parts = {
        "shown, of the original's": table["kept"] / table["original"],
        "true, of those shown": table["kept"] / shown,
    }
    named = [f"length {length}" for length in table.index]
    return shares(pd.DataFrame(parts).set_axis(named), "associations")


def _draw_lost(found: utility.InformationLoss) -> Figure:
    names = {"shape": "difference of shares", "penalty": "left open by cells"}
    table = found.columns.set_index("column")[list(names)].dropna(axis=1, how="all").fillna(0)
    return shares(table.rename(columns=names), "what is lost of each column")


def _draw_chances(up: str, **names: str) -> Callable[[Any], Figure]:
    """A picture of some of the chances that a result holds, by the names it has for them."""

    def drawn(found: Any) -> Figure:
        table = {words: getattr(found, name) for name, words in names.items()}
        return frequencies(table, up=up)

    return drawn


PICTURES: Mapping[type, Callable[..., Figure]] = {
    Answer: lambda found: _draw_range(
        f"{found.unit}; the range is certain", answer=(found.lower, found.estimate, found.upper)
    ),
    BipartiteGraph: draw_links_of_nodes,
    GraphRelease: draw_links_of_nodes,
    Microdata: draw_columns_of,
    Partition: _draw_partition,
    SplitRelease: draw_columns_of_both,
    TableRelease: draw_columns_of,
    intruder.Baseline: lambda found: _draw_beside_control([found]),
    intruder.Disclosure: _draw_disclosed,
    intruder.Memorized: lambda found: _draw_beside_control(found.criteria),
    intruder.ExplainedGuess: lambda found: shares(found.values, "chance of a value"),
    intruder.Fingerprints: _draw_chances(
        "names", candidates="nodes that fit a name", sizes="nodes of its group"
    ),
    intruder.LearnedValues: _draw_chances(
        "people",
        by_group="chance of the likeliest value by the group alone",
        chance="and by what the table teaches",
    ),
    intruder.Links: _draw_links,
    intruder.OwnEstimate: lambda found: _draw_range(
        "right links (95 % interval)", the_intruder=(found.low, found.links, found.high)
    ),
    intruder.Plausibility: distances,
    intruder.Presence: _draw_chances("people", exact="chance of being in it"),
    intruder.PriorKnowledge: _draw_chances(
        "rows", unchanged="chance of being unchanged", best="chance of the likeliest"
    ),
    intruder.Signatures: _draw_signatures,
    intruder.TargetChance: lambda found: frequencies(found.own, up="people"),
    intruder.PutTogether: _draw_chances("people", left="values left by all releases together"),
    intruder.RepeatedPartition: lambda found: frequencies(
        {
            "values that the group shows": [len(part) for part in found.shown],
            "values possible for one who repeats the method": [len(p) for p in found.possible],
        },
        up="rows",
    ),
    intruder.ValueChance: _draw_chances(
        "people", chance="chance of the best guess", own="chance of her value"
    ),
    lattice.Search: lambda found: _draw_partition(found.partition, {"records in a group": found.k}),
    models.Amplification: _draw_chances("rows", per_row="amplification of a row"),
    models.ApartVerdict: _draw_apart,
    models.ModelVerdict: _draw_verdict,
    models.PermutedPrivacy: _draw_permuted,
    models.PersonalVerdict: _draw_respected,
    models.TargetVerdict: _draw_target,
    protector.AuditReport: _draw_audit,
    protector.Baselines: lambda found: _draw_beside_control([found.membership, *found.inference]),
    protector.Choice: lambda choice: trade_off(choice.trials),
    protector.CorrectLinks: luck,
    protector.Exposure: lambda found: luck(found.found),
    subject.Repeated: lambda found: _draw_range(
        "share of cases in which she is found (95 % interval)",
        the_attacker=(found.low, found.found / found.runs, found.high),
        a_guess=(found.luck,) * 3,
    ),
    subject.SubjectReport: _draw_report,
    utility.InformationLoss: _draw_lost,
    utility.Noise: noise_sizes,
    utility.Penalty: lambda found: frequencies(found.to_frame().add_prefix("penalty of ")),
    utility.ReconstructionError: _draw_chances("records", per_record="error of a record"),
    utility.RelativeError: _draw_chances("queries", errors="relative error of a query"),
    utility.RulesKept: _draw_kept,
}
for result, picture in PICTURES.items():
    drawing.register(result, picture)
