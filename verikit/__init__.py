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

if TYPE_CHECKING:  # for editors and type checkers, which run no __getattr__; a test compares
    from verikit import analyst as analyst
    from verikit import datasets as datasets
    from verikit import exercises as exercises
    from verikit import game as game
    from verikit import intruder as intruder
    from verikit import large as large
    from verikit import lattice as lattice
    from verikit import mask as mask
    from verikit import models as models
    from verikit import page as page
    from verikit import papers as papers
    from verikit import partition as partition
    from verikit import plain as plain
    from verikit import plot as plot
    from verikit import protector as protector
    from verikit import ranks as ranks
    from verikit import scale as scale
    from verikit import subject as subject
    from verikit import targets as targets
    from verikit import teach as teach
    from verikit import utility as utility
    from verikit import widgets as widgets
    from verikit.analyst import Answer as Answer
    from verikit.analyst import Query as Query
    from verikit.analyst import answer as answer
    from verikit.analyst import worlds as worlds
    from verikit.datasets import load as load
    from verikit.datasets import published as published
    from verikit.datasets import simulate as simulate
    from verikit.errors import FormatError as FormatError
    from verikit.errors import InfeasibleError as InfeasibleError
    from verikit.errors import RecordError as RecordError
    from verikit.errors import SchemaError as SchemaError
    from verikit.errors import VerikitError as VerikitError
    from verikit.hierarchy import Hierarchy as Hierarchy
    from verikit.intruder import Links as Links
    from verikit.intruder import Plausibility as Plausibility
    from verikit.intruder import link as link
    from verikit.intruder import plausibility as plausibility
    from verikit.large import Index as Index
    from verikit.large import index as index
    from verikit.partition import Partition as Partition
    from verikit.protector import AuditReport as AuditReport
    from verikit.protector import Choice as Choice
    from verikit.protector import Goal as Goal
    from verikit.protector import audit as audit
    from verikit.protector import choose as choose
    from verikit.protector import reverse_map as reverse_map
    from verikit.release import GraphRelease as GraphRelease
    from verikit.release import Key as Key
    from verikit.release import Masked as Masked
    from verikit.release import SplitRelease as SplitRelease
    from verikit.release import TableRelease as TableRelease
    from verikit.release import open_release as open_release
    from verikit.subject import Criterion as Criterion
    from verikit.subject import SubjectReport as SubjectReport
    from verikit.subject import check as check
    from verikit.table import BipartiteGraph as BipartiteGraph
    from verikit.table import Column as Column
    from verikit.table import Microdata as Microdata
    from verikit.table import Schema as Schema
    from verikit.table import read as read

ROOMS = {
    "analyst": ("Answer", "Query", "answer", "worlds"),
    "datasets": ("load", "published", "simulate"),
    "exercises": (),
    "game": (),
    "errors": ("FormatError", "InfeasibleError", "RecordError", "SchemaError", "VerikitError"),
    "hierarchy": ("Hierarchy",),
    "intruder": ("Links", "Plausibility", "link", "plausibility"),
    "large": ("Index", "index"),
    "lattice": (),
    "mask": (),
    "models": (),
    "page": (),
    "papers": (),
    "partition": ("Partition",),
    "plain": (),
    "plot": (),
    "protector": ("AuditReport", "Choice", "Goal", "audit", "choose", "reverse_map"),
    "ranks": (),
    "release": ("GraphRelease", "Key", "Masked", "SplitRelease", "TableRelease", "open_release"),
    "subject": ("Criterion", "SubjectReport", "check"),
    "table": ("BipartiteGraph", "Column", "Microdata", "Schema", "read"),
    "scale": (),
    "targets": (),
    "teach": (),
    "utility": (),
    "widgets": (),
}
HOME = {name: room for room, names in ROOMS.items() for name in names}

RENAMED = ("alike",)  # rooms that answer to an old name too: now matching

BEHIND = {"errors", "hierarchy", "release", "table"}  # rooms whose names are all here

__all__ = sorted({*HOME, *ROOMS} - BEHIND)  # noqa: PLE0605 - one table of names


def __getattr__(name: str) -> Any:
    """Open the room that a name is in."""
    if name in HOME:
        found = getattr(import_module(f"verikit.{HOME[name]}"), name)
    elif name == "__version__":
        from importlib.metadata import version

        found = version("verikit")
    elif name in ROOMS or name in RENAMED:
        found = _open_room(name)
    else:
        raise AttributeError(f"module 'verikit' has no attribute {name!r}")
    globals()[name] = found
    return found


def _open_room(name: str) -> Any:
    """Import a room, or say that this verikit was installed without it."""
    try:
        return import_module(f"verikit.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"verikit.{name}":
            raise
        raise AttributeError(
            f"This verikit was installed without the room `{name}`; install all of verikit.",
            name=error.name,
        ) from None


def __dir__() -> list[str]:
    """The public names, opened or not, and nothing else."""
    return [*__all__, "__version__"]
