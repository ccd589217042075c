"""One picker of tables for all views: the tables of the papers, and what a view was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, cast

from verikit._support.requests import one_of
from verikit.datasets import describe, load, published
from verikit.errors import SchemaError
from verikit.release import Key, Release, SplitRelease, TableRelease
from verikit.table import Microdata

GIVEN = "given"


class Pick(NamedTuple):
    """What a person can choose: the words for it, and how it is opened."""

    words: str
    open: Callable[[], Any]


def list_shipped(*names: str) -> dict[str, Pick]:
    """Releases of the papers, under their titles.

    Examples
    --------
    >>> list_shipped("ks_table4")["ks_table4"].words
    'KS Table 4: A group in which all share one crime'
    """
    told = {name: describe(name) for name in names}
    return {
        name: Pick(f"{facts['paper']} {facts['item']}: {facts['title']}", partial(published, name))
        for name, facts in told.items()
    }


def list_options(
    offered: Mapping[str, Pick], given: object, words: str = "The table given in Python"
) -> tuple[tuple[str, str], ...]:
    """The choices of a drop-down list: what was given first, then what is offered."""
    first = ((GIVEN, words),) if given is not None else ()
    return first + tuple((name, pick.words) for name, pick in offered.items())


def open_chosen(name: Any, offered: Mapping[str, Pick], given: Any) -> Any:
    """What a choice stands for."""
    if name == GIVEN and given is not None:
        return given
    known = [known for known, _ in list_options(offered, given)]
    return offered[one_of(name, "table", known)].open()


def running_example() -> tuple[Microdata, TableRelease, Key]:
    """Twenty records, their release as printed, and its key: the rows were not shuffled."""
    data = load("dm_table1")
    return data, as_one_table(published("dm_table1_masked")), Key.of(range(len(data)))


def as_one_table(release: Release) -> TableRelease:
    """Take a release for the kind that its method always makes: whole records."""
    return cast("TableRelease", release)


def as_two_tables(release: Release) -> SplitRelease:
    """Take a release for the kind that its method always makes: tables joined by groups."""
    return cast("SplitRelease", release)


def checked_release(release: Any, who: str) -> Any:
    """The release that a view was given, if any, or a table; what has no columns is refused.

    Examples
    --------
    >>> checked_release([1, 2], "ClassesView")
    Traceback (most recent call last):
    verikit.errors.SchemaError: ClassesView was given list; expected a release (verikit.open_release
    opens what was published) or Microdata.
    """
    if release is None or hasattr(release, "schema"):
        return release
    raise SchemaError(
        f"{who} was given {type(release).__name__}; expected a release (verikit.open_release opens "
        "what was published) or Microdata."
    )
