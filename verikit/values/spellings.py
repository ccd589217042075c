"""Words as a person types them: in whatever case and with whatever blanks, but of the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.rules import CELLS
from verikit.values.columns import Column, list_known, refuse_value
from verikit.values.meanings import Meaning, has_closed_categories, meanings
from verikit.values.names import fold_word, is_near, seen_word, sort_by_likeness

__all__ = ["Spellings", "shows"]

MOST_OFFERED = 300


class Meant(str):
    """A word that was put in quotes: it is meant as it stands, also where no cell shows it."""

    __slots__ = ()


class Spellings:
    """The words that a column is known to hold, to find the one that somebody means.

    Parameters
    ----------
    column
        The column.
    labels, read
        The labels that were published, and what each may stand for; none where it shows numbers.
    """

    def __init__(self, column: Column, labels: Sequence[str], read: Sequence[Meaning]) -> None:
        self.column, self.labels, self.read = column, labels, read

    @classmethod
    def of(cls, column: Column, cells: pd.Series[Any] | None, *, sets: bool = True) -> Spellings:
        """Read the cells of a column, in which `{a, b}` may be a set; None if not at hand."""
        if cells is None or not isinstance(cells.dtype, pd.CategoricalDtype):
            return cls(column, (), ())
        codes = np.unique(cells.cat.codes.to_numpy())
        labels = tuple(map(str, cells.cat.categories[codes[codes >= 0]]))
        return cls(column, labels, meanings(labels, column, sets=sets))

    @cached_property
    def known(self) -> dict[str, None]:
        """The declared categories, and those that labels show by themselves or in sets."""
        pairs = zip(self.labels, self.read, strict=True)
        single = [n for label, part in pairs if not part.anything for n in part.names or (label,)]
        return dict.fromkeys((*(self.column.categories or ()), *single))

    @property
    def offered(self) -> tuple[str, ...]:
        """The words to choose from: the declared categories, or those that labels name; few.

        Examples
        --------
        >>> shown = pd.Series(["b", "{a, c}", "*", "20-29"], dtype="category")
        >>> Spellings.of(Column("x", kind="nominal"), shown).offered
        ('b', 'a', 'c')
        """
        if self.column.kind == "numeric":
            return ()
        found = [name for part in self.read if not part.anything for name in part.names]
        if has_closed_categories(self.column) or not self.read:
            found = [*(self.column.categories or ())]
        return tuple(dict.fromkeys(found)) if len(set(found)) <= MOST_OFFERED else ()

    @cached_property
    def _by_folded_word(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.known:
            found.setdefault(fold_word(name), []).append(name)
        return found

    def find(self, given: str, *, typed: bool = False) -> str:
        """Find the category that a person means, in the spelling of the table.

        Parameters
        ----------
        given
            What she wrote. In quotes it is meant as it stands, where no category is declared.
        typed
            Whether somebody typed it, so that what no cell may be is perhaps a slip.

        Raises
        ------
        RecordError
            If it is none of the declared categories; or, where none were declared, none that a
            cell may be, but nearly one, or typed; or if it was typed and looks like several.

        Examples
        --------
        >>> sex = Column("sex", kind="nominal")
        >>> known = Spellings.of(sex, pd.Series(["Female", "Male", "*"], dtype="category"))
        >>> known.find(" FEMALE "), known.find("woman")
        ('Female', 'woman')
        >>> known.find("Femal")
        Traceback (most recent call last):
        verikit.errors.RecordError: 'Femal' stands nowhere in 'sex', unlike 'Female'; write it so,
        leave it out, or put it in quotes if it is meant as it stands.
        """
        in_quotes = CELLS.in_quotes.fullmatch(" ".join(given.split()))
        meant = in_quotes[1] if in_quotes else given
        exact = in_quotes is not None or isinstance(given, Meant)
        seen = seen_word(given)
        alike = [] if exact or not typed else [n for n in self.known if seen_word(n) == seen]
        if len(alike) > 1:
            refuse_value(self.column, given, "look-alike", known=list_known(alike))
        for one in (given, given.strip()[1:-1], meant) if in_quotes else (given,):
            held = self._find_held(one)
            if held is not None:
                return Meant(held) if exact else held
        if has_closed_categories(self.column):
            self._refuse_category(given)
        if exact:
            return Meant(meant)
        # what has a star may be anything, and so may a cell that cannot be read; a set is a label
        apart = given not in self.labels and "*" not in given
        if apart and not any(part.unread for part in self.read):
            known = sort_by_likeness(given, self.known)
            known = known if typed else [name for name in known if is_near(given, name)]
            if known:
                refuse_value(self.column, given, "near-word", known=list_known(known))
        return " ".join(given.split())

    def _find_held(self, given: str) -> str | None:
        """Find the one known word that is meant; None where there is none, or several are."""
        for name in (given, given.strip(), " ".join(given.split())):
            if name in self.known or shows(name, self.read):
                return name
        alike = self._by_folded_word.get(fold_word(given), [])
        return alike[0] if len(alike) == 1 else None

    def find_asked(self, given: str) -> tuple[str, ...]:
        """Find the categories that a question means by a word: one, or those of a group.

        A set stands for its categories, a group of the hierarchy for those below it, and any other
        label for itself.

        Examples
        --------
        >>> ill = Column("ill", kind="nominal")
        >>> Spellings.of(ill, pd.Series(["a", "b"], dtype="category")).find_asked("A")
        ('a',)
        """
        tree = self.column.hierarchy
        groups = () if tree is None else tree.nodes
        if tree is not None and given in groups:
            return tree.leaves(given)
        if given in self.labels:
            part = self.read[self.labels.index(given)]
            return (given,) if part.anything or part.ranges or part.codes else part.names
        alike = [name for name in groups if fold_word(name) == fold_word(given)]
        if tree is not None and len(alike) == 1 and self._find_held(given) is None:
            return tree.leaves(alike[0])
        return (self.find(given),)

    def _refuse_category(self, given: str) -> None:
        """Refuse what is no declared category, with those first that are spelled nearly so."""
        tree, declared = self.column.hierarchy, self.column.categories or ()
        inside = tree.leaves(given) if tree is not None and given in tree.nodes else ()
        known = list(dict.fromkeys((*inside, *sort_by_likeness(given, declared))))
        refuse_value(self.column, given, "no-category", known=list_known(known))


def shows(name: str, read: Iterable[Meaning]) -> bool:
    """Whether some label that may not be anything may be a value.

    Examples
    --------
    >>> read = meanings(("476**", "*"), Column("zip", kind="nominal"))
    >>> shows("47677", read), shows("53703", read)
    (True, False)
    """
    return any(not part.anything and part.holds(name) for part in read)
