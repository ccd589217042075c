"""verikit: learn, apply and check the anonymization of microdata.

>>> import verikit as vk
>>> data = vk.load("dm_table1")
>>> release, key = vk.mask.noise(data, scale=0.5, seed=7)
>>> release
TableRelease(20 records of X1, X2, X3; method noise)

Rooms are opened when they are first asked for, so that importing verikit costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verikit import (
        analyst,
        datasets,
        intruder,
        lattice,
        mask,
        models,
        papers,
        partition,
        plot,
        protector,
        ranks,
        subject,
        targets,
        utility,
    )
    from verikit.analyst import Answer, Query, answer
    from verikit.datasets import load, published, simulate
    from verikit.errors import (
        FormatError,
        InfeasibleError,
        RecordError,
        SchemaError,
        VerikitError,
    )
    from verikit.hierarchy import Hierarchy
    from verikit.intruder import Links, Plausibility, link, plausibility
    from verikit.partition import Partition
    from verikit.protector import AuditReport, Choice, Goal, audit, choose
    from verikit.release import Key, Masked, SplitRelease, TableRelease, open_release
    from verikit.subject import Criterion, SubjectReport, check
    from verikit.table import Column, Microdata, Schema, read

ROOMS = {
    "analyst": ("Answer", "Query", "answer"),
    "datasets": ("load", "published", "simulate"),
    "errors": ("FormatError", "InfeasibleError", "RecordError", "SchemaError", "VerikitError"),
    "hierarchy": ("Hierarchy",),
    "intruder": ("Links", "Plausibility", "link", "plausibility"),
    "lattice": (),
    "mask": (),
    "models": (),
    "papers": (),
    "partition": ("Partition",),
    "plot": (),
    "protector": ("AuditReport", "Choice", "Goal", "audit", "choose"),
    "ranks": (),
    "release": ("Key", "Masked", "SplitRelease", "TableRelease", "open_release"),
    "subject": ("Criterion", "SubjectReport", "check"),
    "table": ("Column", "Microdata", "Schema", "read"),
    "targets": (),
    "utility": (),
}
HOME = {name: room for room, names in ROOMS.items() for name in names}

__all__ = [
    "Answer",
    "AuditReport",
    "Choice",
    "Column",
    "Criterion",
    "FormatError",
    "Goal",
    "Hierarchy",
    "InfeasibleError",
    "Key",
    "Links",
    "Masked",
    "Microdata",
    "Partition",
    "Plausibility",
    "Query",
    "RecordError",
    "Schema",
    "SchemaError",
    "SplitRelease",
    "SubjectReport",
    "TableRelease",
    "VerikitError",
    "analyst",
    "answer",
    "audit",
    "check",
    "choose",
    "datasets",
    "intruder",
    "lattice",
    "link",
    "load",
    "mask",
    "models",
    "open_release",
    "papers",
    "partition",
    "plausibility",
    "plot",
    "protector",
    "published",
    "ranks",
    "read",
    "simulate",
    "subject",
    "targets",
    "utility",
]


def __getattr__(name: str) -> Any:
    """Open the room that a name is in."""
    if name in HOME:
        found = getattr(import_module(f"verikit.{HOME[name]}"), name)
    elif name in ROOMS:
        found = import_module(f"verikit.{name}")
    else:
        raise AttributeError(f"module 'verikit' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names, opened or not."""
    return sorted({*globals(), *__all__})
