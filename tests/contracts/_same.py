"""Results as plain values that can be compared, whatever order the records were given in.

A new kind of result needs one line in ``READINGS``: which of its parts are about single records.
"""

import dataclasses
from collections.abc import Mapping, Set

import numpy as np
import pandas as pd

import verikit as vk


def plain(value):
    """Numbers, text and missing values in lists and dictionaries; floats to ten digits."""
    if isinstance(value, pd.DataFrame):
        value = {name: value.iloc[:, at].tolist() for at, name in enumerate(value.columns)}
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif isinstance(value, (pd.Series, pd.Index, np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, Set):
        return sorted(repr(plain(part)) for part in value)
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else cell(value)


def cell(value):
    if isinstance(value, pd.Interval):
        return str(value)
    if value is None or value is pd.NA or value != value:
        return "missing"
    return float(f"{value:.10g}") if isinstance(value, float) else value


def lines(table):
    """The records of a table, each as its values."""
    frame = table.quasi if isinstance(table, vk.SplitRelease) else getattr(table, "frame", table)
    return list(zip(*plain(frame).values(), strict=True)) or [()] * len(frame)


def beside(table, *columns):
    """What was found of each record beside the record, in an order of its own."""
    return sorted(zip(lines(table), *map(plain, columns), strict=True), key=repr)


def in_lines(frame):
    return list(zip(*plain(frame).values(), strict=True))


def linked(links, given):
    """Each record beside the rows it was linked to."""
    records, rows = lines(given["data"]), lines(given["release"])
    pairs = zip(links.records.tolist(), links.rows.tolist(), plain(links.measure), strict=True)
    tried = {name: linked(part, given) for name, part in (links.attempts or {}).items()}
    found = sorted(((records[i], rows[j], m) for i, j, m in pairs), key=repr)
    return {"pairs": found, "attempts": tried, "said": repr(links)}


def judged(found, given):
    rest = {**plain(found), "observed": [], "p": []}
    return {**rest, "records": beside(given["data"], found.observed, found.p)}


def verdict(found, given):
    records = beside(given["release"], found.per_record)
    return {"records": records, "classes": plain(found.to_frame()), "said": repr(found),
            "value": plain(found.value), "met": found.met}  # fmt: skip


def apart(found, given):
    records = beside(given["release"], in_lines(found.per_record))
    return {"records": records, "classes": plain(found.to_frame()), "said": repr(found),
            "met": found.met}  # fmt: skip


def respected(found, given):
    records = beside(given["data"], in_lines(found.to_frame()))
    return {"records": records, "said": repr(found), "met": found.met}


def by_person(found, given):
    measured = given["release"] if isinstance(found, vk.utility.Penalty) else given["data"]
    measured = given["data"] if isinstance(measured, vk.Partition) else measured
    return {"records": beside(measured, in_lines(found.to_frame())), "said": repr(found)}


def noise(found, given):
    parts = map(in_lines, (found.mapped, found.residual, found.total))
    return {"records": beside(given["data"], *parts), "sizes": plain(found.to_frame())}


def rebuilt(found, given):
    rest = {**plain(found), "per_record": []}
    return {**rest, "records": beside(given["data"], found.per_record), "said": repr(found)}


def grouped(found, given):
    if "graph" in given:
        names = given["graph"].names(given["side"])
        return {**plain(found), "labels": sorted(zip(names, found.labels.tolist(), strict=True))}
    return {**plain(found), "labels": beside(given["data"], found.labels)}


def searched(found, given):
    rest = {**plain(found), "partition": {}, "suppressed": []}
    hidden = np.isin(np.arange(len(given["data"])), found.suppressed)
    return {**rest, "records": beside(given["data"], found.partition.labels, hidden)}


def amplified(found, given):
    rows = beside(given["release"], found.per_row)
    return {"rows": rows, "value": plain(found.value), "worst": plain(found.per_row[found.worst])}


def guessed(found, given):
    return {"rows": beside(given["release"], in_lines(found.to_frame())), "said": repr(found)}


def learned(found, given):
    rows = beside(given.get("people", given["release"]), in_lines(found.to_frame()))
    return {"rows": rows, "tables": plain(found.tables), "said": repr(found)}


def found_records(found, given):
    records = beside(given["data"], found.per_record, found.whole_per_record)
    return {"records": records, "said": repr(found)}


def moved_and_met(found, given):
    records = beside(given["data"], in_lines(found.to_frame()))
    return {"records": records, "said": repr(found), "met": found.met}


READINGS = {
    "Amplification": amplified,
    "ApartVerdict": apart,
    "Baseline": lambda found, given: plain(found),
    "Classified": lambda found, given: plain(found),
    "Disclosure": lambda found, given: {**plain(found), "joined": sorted(found.joined["alike"])},
    "ExplainedGuess": lambda found, given: plain(found),
    "Fingerprints": lambda found, given: {**plain(found), "said": repr(found)},
    "FoundRecords": found_records,
    "MatrixPrice": lambda found, given: {**plain(found), "said": repr(found)},
    "Guarantee": lambda found, given: {**plain(found), "said": repr(found)},
    "GroupingVerdict": lambda found, given: {**plain(found), "said": repr(found)},
    "LearnedLinks": lambda found, given: {**plain(found), "seating": []},
    "LearnedValues": learned,
    "Links": linked,
    "Memorized": lambda found, given: {
        "records": sorted(given["data"].frame.iloc[found.records].astype(str).to_numpy().tolist()),
        **plain({"lines": found.to_frame(), "nearest": found.nearest, "said": repr(found)}),
    },
    "ModelVerdict": verdict,
    "Noise": noise,
    "OwnEstimate": lambda found, given: plain(found),
    "Partition": grouped,
    "InformationLoss": lambda found, given: plain(found),
    "Penalty": by_person,
    "PermutedLinks": lambda found, given: {**plain(found), "said": repr(found)},
    "PermutedPrivacy": moved_and_met,
    "PersonalVerdict": respected,
    "PerturbationDiversity": lambda found, given: plain(found),
    "Plausibility": judged,
    "Presence": by_person,
    "PriorKnowledge": guessed,
    "PutTogether": lambda found, given: {
        "people": sorted(in_lines(found.to_frame()), key=repr),
        "said": repr(found),
    },
    "ReconstructionError": rebuilt,
    "RepeatedPartition": lambda found, given: {
        "rows": sorted(in_lines(found.to_frame())),
        "said": repr(found),
    },
    "RelativeError": lambda found, given: plain(found),
    "RulesKept": lambda found, given: plain(found.to_frame()),
    "Search": searched,
    "Series": lambda found, given: {"values": plain(found), "names": plain(found.index)},
    "Signatures": lambda found, given: plain(found),
    "TargetChance": by_person,
    "TargetVerdict": lambda found, given: {
        **plain(found),
        "shown": plain(found.shown),
        "said": repr(found),
    },
    "SupportChange": lambda found, given: plain(found),
    "ValueChance": by_person,
    "Workload": lambda found, given: plain(found),
    "float": lambda found, given: {"value": plain(found)},
    "dict": lambda found, given: {str(n): told(part, given) for n, part in found.items()},
}


def told(result, given):
    """A result without the order of the records and rows it was made from."""
    return READINGS[type(result).__name__](result, given)
