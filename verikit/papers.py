"""The papers verikit follows, and what each states beside what it comes to when recomputed."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast, get_args

from verikit._support.resources import data_path
from verikit.errors import FormatError

__all__ = ["PAPERS", "Fact", "Paper", "Verdict", "errata", "fact", "facts"]

Verdict: TypeAlias = Literal["reproduced", "erratum", "ambiguous", "not-checkable"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper by the key under which docstrings, tables and notebooks cite it.

    Parameters
    ----------
    key
        The key of the citation: ``[DM]_`` is ``"DM"``.
    title, authors
        As printed at its head.
    year, venue, doi
        When and where it appeared, as far as the text at hand tells; else None or empty.
    """

    key: str
    title: str
    authors: tuple[str, ...]
    year: int | None = None
    venue: str = ""
    doi: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement of a paper, what it prints, and what it comes to when recomputed.

    Parameters
    ----------
    id
        The short name of the fact, unique over all papers.
    paper
        The key of the paper.
    where
        The places it stands at or concerns, by their printed numbers.
    statement
        What is stated there.
    printed, recomputed
        The value in print and the value found; empty where there is none.
    verdict
        ``reproduced``, ``erratum``, ``ambiguous`` or ``not-checkable``.
    reading
        How verikit reads the place; never empty for an erratum.
    """

    id: str
    paper: str
    where: str
    statement: str
    printed: str
    recomputed: str
    verdict: Verdict
    reading: str

    def _repr_html_(self) -> str:
        import pandas as pd

        from verikit._support import html

        said = {name: getattr(self, name) for name in self.__slots__ if getattr(self, name)}
        frame = pd.DataFrame({"": said.keys(), f"[{self.paper}]": said.values()})
        return html.element("div", html.table(frame), class_="vk")

    def __post_init__(self) -> None:
        """Refuse a verdict that nobody would look for."""
        known = get_args(Verdict)
        if self.verdict not in known:
            raise FormatError(
                f"Fact {self.id!r} has the verdict {self.verdict!r}; expected one of "
                f"{', '.join(known)}."
            )


PAPERS: Mapping[str, Paper] = MappingProxyType(
    {
        paper.key: paper
        for paper in (
            Paper(
                "DM",
                "New Directions in Anonymization: Permutation Paradigm, Verifiability by Subjects "
                "and Intruders, Transparency to Users",
                ("Josep Domingo-Ferrer", "Krishnamurthy Muralidhar"),
            ),
            Paper(
                "LHCC",
                "Permutation anonymization",
                ("Dong Li", "Xianmang He", "LongBin Cao", "Huahui Chen"),
                2015,
                "Springer",
            ),
            Paper(
                "YQ",
                "A novel anonymization algorithm: Privacy protection and knowledge preservation",
                ("Weijia Yang", "Sanzheng Qiao"),
                2010,
                "Expert Systems with Applications 37, 756-766",
                "10.1016/j.eswa.2009.05.097",
            ),
            Paper(
                "QZ",
                "Microdata Privacy Protection Through Permutation-Based Approaches",
                ("Qing Zhang",),
                venue="Dissertation",
            ),
            Paper(
                "KS",
                "Privacy Preserved Data Publishing Techniques for Tabular Data",
                ("Keerthy C.", "Sabitha S."),
            ),
        )
    }
)


@cache
def facts(key: str) -> tuple[Fact, ...]:
    """Give every checked fact of a paper, in the order of the paper.

    Parameters
    ----------
    key
        The paper's key, one of `PAPERS`.

    Returns
    -------
    tuple of Fact
        Empty for a paper whose statements have not been checked yet.

    Raises
    ------
    FormatError
        If there is no paper of that key.

    Examples
    --------
    >>> len(facts("DM"))
    60
    >>> [(found.printed, found.recomputed) for found in facts("DM")[3:6]]
    [('0.722', '0.721805'), ('0.844', '0.843609'), ('0.776', '0.77594')]
    """
    if key not in PAPERS:
        raise FormatError(f"There is no paper {key!r}; verikit knows {', '.join(PAPERS)}.")
    found = data_path("").glob(f"{key.lower()}_*facts.csv")  # a file, or one for each chapter
    files = sorted(found, key=lambda path: (len(path.name), path.name))
    return tuple(fact for path in files for fact in read_facts(key, path))


def read_facts(key: str, path: Path) -> Iterable[Fact]:
    """Read the facts of one file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = cast("Iterable[dict[str, Any]]", csv.DictReader(file))
        yield from (Fact(paper=key, **row) for row in rows)


def fact(key: str, id: str) -> Fact:  # noqa: A002 - the column of the file is called so
    """Give one fact of a paper by its short name.

    Parameters
    ----------
    key
        The paper's key, one of `PAPERS`.
    id
        The fact's short name.

    Returns
    -------
    Fact
        What the paper prints, what it recomputes to, and our reading.

    Raises
    ------
    FormatError
        If there is no such paper, or no such fact in it.

    Examples
    --------
    >>> found = fact("LHCC", "A10")
    >>> found.verdict, found.recomputed
    ('erratum', '171/200 = 0.855')
    """
    found = {fact.id: fact for fact in facts(key)}
    if id not in found:
        raise FormatError(
            f"There is no fact {id!r} of {key}; it has {', '.join(found) or 'none so far'}."
        )
    return found[id]


def errata(key: str) -> tuple[Fact, ...]:
    """Give the facts of a paper that did not come out as printed.

    Parameters
    ----------
    key
        The paper's key, one of `PAPERS`.

    Returns
    -------
    tuple of Fact
        Its errata, each with the reading verikit follows instead.

    Raises
    ------
    FormatError
        If there is no paper of that key.

    Examples
    --------
    >>> {found.id: (found.printed, found.recomputed) for found in errata("DM")}["P37"]
    ('5 / 4 / 11', '6 / 4 / 10')
    """
    return tuple(found for found in facts(key) if found.verdict == "erratum")
