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
from verikit.plot._distances import distances
from verikit.plot._frequencies import frequencies
from verikit.plot._lines import lines
from verikit.plot._luck import luck
from verikit.plot._moves import moves
from verikit.plot._noise_sizes import noise_sizes
from verikit.plot._places import places
from verikit.plot._ranges import ranges
from verikit.plot._shares import shares
from verikit.plot._tables import columns_of, columns_of_both, links_of_nodes
from verikit.plot._trade_off import trade_off
from verikit.plot._views import views
from verikit.query import Answer
from verikit.release import GraphRelease, SplitRelease, TableRelease
from verikit.table import BipartiteGraph, Microdata

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PICTURES"]

LINES, GROUPS = 12, 3
BESIDE = {
    "values": {"of 100 here": "those you may be", "of 100 everywhere": "the whole table"},
    "distribution": {"of 100 for you": "for you", "of 100 in the target": "in the target"},
}


def _partition(groups: Partition, asked: Mapping[str, float] | None = None) -> Figure:
    return frequencies(pd.DataFrame({"records in a group": groups.sizes}), up="groups", asked=asked)


def _search(found: lattice.Search) -> Figure:
    return _partition(found.partition, {"records in a group": found.k})


def _answer(answer: Answer) -> Figure:
    line = {"lower": answer.lower, "estimate": answer.estimate, "upper": answer.upper}
    return ranges(pd.DataFrame(line, index=["answer"]), f"{answer.unit}; the range is certain")


def _report(report: subject.SubjectReport) -> Figure:
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


def _audit(report: protector.AuditReport) -> Figure:
    if report.subject is not None:
        return views(report)
    return moves(dict(zip(report.attributes, report.protector.T, strict=True)))


def _verdict(found: models.ModelVerdict) -> Figure:
    name = "records in a class" if found.model == "k-anonymity" else f"{found.model} of a class"
    asked = None if found.threshold is None else {name: found.threshold}
    return frequencies(pd.DataFrame({name: found.per_class}), up="classes", asked=asked)


def _apart(found: models.ApartVerdict) -> Figure:
    names = ("different numbers in a class", "range of a class")
    table = pd.DataFrame(
        dict(zip(names, (found.different_per_class, found.span_per_class), strict=True))
    )
    asked = {n: float(v) for n, v in zip(names, (found.k, found.e), strict=True) if v is not None}
    return frequencies(table, up="classes", asked=asked)


def _permuted(found: models.PermutedPrivacy) -> Figure:
    names = [f"places {name} was moved" for name in found.attributes]
    asked = dict(zip(names, map(float, found.required.values()), strict=True))
    return frequencies(pd.DataFrame(found.places, columns=names), asked=asked)


def _respected(found: models.PersonalVerdict) -> Figure:
    by_node = found.to_frame().groupby("required", sort=False)["respected"].agg(["size", "mean"])
    table = by_node.nlargest(LINES, "size")[["mean"]].set_axis(["respected"], axis=1)
    return shares(table, "people whose requirement is respected")


def _target(found: models.TargetVerdict) -> Figure:
    """What each group shows; of many groups the least and the most."""
    table = pd.DataFrame(dict(found.shown)).astype(float).head(LINES).add_prefix("group ")
    if not table.size:
        return frequencies(found.to_frame()[["distance", "shift"]], up="groups")
    if table.shape[1] > GROUPS:
        ends = {"at least": table.min(axis=1), "at most": table.max(axis=1)}
        table = pd.DataFrame(ends)
    return shares(table, "chances that everybody can infer")


def _links(found: intruder.Links) -> Figure:
    table = {
        "candidates of a record": found.counts,
        "places to the first": pd.Series(found.distances).where(found.counts > 0),
    }
    return frequencies(table)


def _expected(found: intruder.OwnEstimate) -> Figure:
    line = {"lower": found.low, "estimate": found.links, "upper": found.high}
    return ranges(pd.DataFrame(line, index=["the intruder"]), "right links (95 % interval)")


def _repeated(found: subject.Repeated) -> Figure:
    rows = {
        "the attacker": (found.low, found.found / found.runs, found.high),
        "a guess": (found.luck,) * 3,
    }
    table = pd.DataFrame(rows, index=["lower", "estimate", "upper"]).T
    return ranges(table, "share of cases in which she is found (95 % interval)")


def _baselines(found: protector.Baselines) -> Figure:
    return _beside_control([found.membership, *found.inference])


def _beside_control(found: Sequence[intruder.Baseline]) -> Figure:
    rows = {
        f"{one.attack} {one.secret}".strip(): (one.found, one.control, one.naive) for one in found
    }
    names = ["people of the table", "others", "a naive guess"]
    return shares(pd.DataFrame(rows, index=names).T, "attacks that succeed")


def _disclosed(found: intruder.Disclosure) -> Figure:
    if not len(found.frame):
        raise RecordError(
            f"The attack {found.attack!r} found nothing, so there is nothing to draw."
        )
    names = {"confidence": "chance by the attack", "before": "chance before"}
    return frequencies(found.frame[list(names)].rename(columns=names), up="findings")


def _signatures(found: intruder.Signatures) -> Figure:
    sides = {"left": found.left, "right": found.right}
    table = {
        side: pd.Series([len(np.unique(step)) for step in steps]) for side, steps in sides.items()
    }
    return lines(pd.DataFrame(table), across="step", up="classes that cannot be told apart")


def _kept(found: utility.RulesKept) -> Figure:
    """How many of the original's the release shows, and how many that it shows are true."""
    table = found.by_length[found.by_length["original"] > 0]
    shown = (table["kept"] + table["invented"]).clip(lower=1)
    parts = {
        "shown, of the original's": table["kept"] / table["original"],
        "true, of those shown": table["kept"] / shown,
    }
    named = [f"length {length}" for length in table.index]
    return shares(pd.DataFrame(parts).set_axis(named), "associations")


def _fingerprints(found: intruder.Fingerprints) -> Figure:
    table = {"nodes that fit a name": found.candidates, "nodes of its group": found.sizes}
    return frequencies(table, up="names")


def _chances(up: str, **names: str) -> Callable[[Any], Figure]:
    """A picture of some of the chances that a result holds, by the names it has for them."""

    def drawn(found: Any) -> Figure:
        table = {words: getattr(found, name) for name, words in names.items()}
        return frequencies(table, up=up)

    return drawn


PICTURES: Mapping[type, Callable[..., Figure]] = {
    Answer: _answer,
    BipartiteGraph: links_of_nodes,
    GraphRelease: links_of_nodes,
    Microdata: columns_of,
    Partition: _partition,
    SplitRelease: columns_of_both,
    TableRelease: columns_of,
    intruder.Baseline: lambda found: _beside_control([found]),
    intruder.Disclosure: _disclosed,
    intruder.Fingerprints: _fingerprints,
    intruder.Links: _links,
    intruder.OwnEstimate: _expected,
    intruder.Plausibility: distances,
    intruder.Presence: _chances("people", exact="chance of being in it"),
    intruder.PriorKnowledge: _chances(
        "rows", unchanged="chance of being unchanged", best="chance of the likeliest"
    ),
    intruder.Signatures: _signatures,
    intruder.TargetChance: lambda found: frequencies(found.own, up="people"),
    intruder.ValueChance: _chances(
        "people", chance="chance of the best guess", own="chance of her value"
    ),
    lattice.Search: _search,
    models.Amplification: _chances("rows", per_row="amplification of a row"),
    models.ApartVerdict: _apart,
    models.ModelVerdict: _verdict,
    models.PermutedPrivacy: _permuted,
    models.PersonalVerdict: _respected,
    models.TargetVerdict: _target,
    protector.AuditReport: _audit,
    protector.Baselines: _baselines,
    protector.Choice: lambda choice: trade_off(choice.trials),
    protector.CorrectLinks: luck,
    protector.Exposure: lambda found: luck(found.found),
    subject.Repeated: _repeated,
    subject.SubjectReport: _report,
    utility.Noise: noise_sizes,
    utility.Penalty: lambda found: frequencies(found.to_frame().add_prefix("penalty of ")),
    utility.ReconstructionError: _chances("records", per_record="error of a record"),
    utility.RelativeError: _chances("queries", errors="relative error of a query"),
    utility.RulesKept: _kept,
}
for result, picture in PICTURES.items():
    drawing.register(result, picture)
