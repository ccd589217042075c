"""What a release is, the kinds there are, and what all of them do in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeAlias,
    TypeGuard,
    TypeVar,
    cast,
    get_args,
)

import pandas as pd

from verikit._support.plotted import Plotted
from verikit._support.requests import one_of
from verikit._support.skip_validation import change_unchecked
from verikit._support.writing import together
from verikit.errors import SchemaError, quoted
from verikit.partition import resists_repetition
from verikit.release._datapackage import publishable_parameters, write_package
from verikit.table import Column, Schema
from verikit.table.reading import frame_of, holds_table
from verikit.values.columns import NEVER_RELEASED
from verikit.words import listed, text

if TYPE_CHECKING:
    from verikit.release._graph import GraphRelease
    from verikit.release._split import SplitRelease
    from verikit.release._table import TableRelease


GROUP = "verikit.releases"
Tables: TypeAlias = Mapping[str, tuple[Any, Schema]]  # each table, whatever holds it, and columns


K = TypeVar("K", bound="type[Published]")


class Kinds(dict[str, "type[Published]"]):
    """The kinds of release by name, open for more.

    A package of its own puts ``@KINDS.register`` above its class, and names the class in its
    metadata, in the group ``verikit.releases`` of entry points and under its kind, so that a
    folder of that kind is opened before anybody imports the package.
    """

    def register(self, found: K) -> K:
        """Take in a kind of release; the same one again replaces the first.

        Examples
        --------
        >>> class Rumour:
        ...     kind = "table"
        >>> KINDS.register(Rumour)
        Traceback (most recent call last):
        verikit.errors.SchemaError: There is already a kind of release called 'table', of
        verikit.release._table; give that of verikit.release._kinds another name.
        """
        kind = getattr(found, "kind", None)
        if not isinstance(kind, str) or not kind:
            raise SchemaError(
                f"The kind of {found.__name__} was given as {quoted(kind)}; expected its name as "
                "text, in the class."
            )
        before = self.get(kind)
        if before is not None and before.__module__ != found.__module__:
            raise SchemaError(
                f"There is already a kind of release called {kind!r}, of {before.__module__}; "
                f"give that of {found.__module__} another name."
            )
        self[kind] = found
        return found

    def __missing__(self, kind: str) -> type[Published]:
        """The kind of a package that nobody imported yet; to import it registers it."""
        from verikit._support.joined import points_of

        for point in points_of(GROUP):
            if point.name == kind:
                point.load()
        return dict(self)[kind]


KINDS = Kinds()


def whole_records(release: object) -> TypeGuard[TableRelease]:
    """Whether each row of what was published is a record, with a value in each column.

    Examples
    --------
    >>> import verikit as vk
    >>> [whole_records(vk.published(name)) for name in ("dm_table1_masked", "lhcc_table3")]
    [True, False]
    """
    return getattr(release, "whole_records", False) is True


def by_groups(release: object) -> TypeGuard[SplitRelease]:
    """Whether values were published in tables that share nothing but groups.

    Examples
    --------
    >>> import verikit as vk
    >>> [by_groups(vk.published(name)) for name in ("dm_table1_masked", "lhcc_table3")]
    [False, True]
    """
    return getattr(release, "by_groups", False) is True


ON_REPETITION = (
    "Whoever repeats the method that made these groups may rule out some of their values; groups "
    "made with --alike tell him nothing more."
)


def by_secrets(release: Release) -> bool:
    """Whether a published method made its groups by who has which sensitive value.

    Whoever repeats such a method on what the tables leave open strikes out values that would have
    made other groups. Of a method that resists repetition he learns nothing.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> found = vk.partition.diverse(data, ell=2, seed=1), vk.partition.anatomy(data, ell=2, seed=1)
    >>> [by_secrets(vk.mask.anatomize(data, partition=each, seed=1).release) for each in found]
    [True, False]
    """
    told = release.parameters.get("partition")
    flat = isinstance(told, str) or "search" in release.parameters
    found = release.parameters if flat else told
    if not isinstance(found, Mapping) or "sensitive" not in found:
        return False
    return not resists_repetition(told if isinstance(told, str) else found.get("method"))


def by_nodes(release: object) -> TypeGuard[GraphRelease]:
    """Whether links were published between nodes whose names are known by groups only.

    Examples
    --------
    >>> import verikit as vk
    >>> by_nodes(vk.published("lhcc_table3"))
    False
    """
    return getattr(release, "by_nodes", False) is True


DRAWN = "drawn from a model"
Promise: TypeAlias = Literal[
    "as it was", "covers", "another order", "changed", "drawn from a model", "untold"
]


class Promised:
    """A table with a promise about its values."""

    __slots__ = ()

    promise: Promise
    schema: Schema
    reported_without: tuple[str, ...] | None

    @property
    def permutation(self) -> bool:
        """Whether every column holds just the original values in another order."""
        return self.promise == "another order"

    @property
    def from_model(self) -> bool:
        """Whether the rows were drawn from a model, so that none is one person's."""
        return self.promise == DRAWN

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The published columns that the reported links leave out.

        Where that is not told they are those without an order, by which no attack by rank goes.
        """
        if self.reported_without is not None:
            return self.reported_without
        return tuple(column.name for column in self.schema if not column.ranked)


def require_promise(promise: object) -> Promise:
    """The promise, or which ones there are.

    ``"as it was"``: every row holds what is true of one person. ``"covers"``: every cell holds or
    covers it. ``"another order"``: every column holds the true values, not all of them in the rows
    of their people. ``"changed"``: values may be nobody's. ``"drawn from a model"``: rows were
    drawn from what a model learned of people, as many as wanted, and none is one of theirs by
    design. ``"untold"``: nothing is known.

    Examples
    --------
    >>> require_promise("covers")
    'covers'
    >>> require_promise("exact")
    Traceback (most recent call last):
    verikit.errors.SchemaError: The promise of a release was given as 'exact'; expected one of
    'as it was', 'covers', 'another order', 'changed', 'drawn from a model', 'untold'.
    """
    known = get_args(Promise)
    if not isinstance(promise, str) or promise not in known:
        raise SchemaError.given("The promise of a release", promise, f"one of {listed(known, 6)}")
    return cast("Promise", promise)


def promise_of(promise: object, *, permutation: object) -> Promise:
    """The promise beside the older flag for a pure permutation, with which it must agree."""
    given = require_promise(promise)
    if not permutation or given == "another order":
        return given
    if given != "untold":
        raise SchemaError(
            f"A permutation was told with the promise {given!r}; expected 'another order', or no "
            "promise."
        )
    return "another order"


def reported_without(facts: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The columns that a description says no attack went by; None where it says nothing of it."""
    told = facts.get("reported_without")
    return None if told is None else tuple(told)


PAGE = "check.html"
TOLD = ("title", "publisher", "contact", "year", "people", "licence", "law")
ABOUT = (*TOLD, "population", "weights")


class Published(Plotted):
    """What the kinds of release share.

    A kind is a frozen dataclass with the fields ``schema``, ``method``, ``parameters`` and
    ``promise``. It says its ``kind``, what its ``tables`` are, which further ``facts`` are saved,
    and in ``parts`` which of its own fields they give back.
    """

    __slots__ = ()

    kind: ClassVar[str]
    whole_records: ClassVar[bool] = False
    by_groups: ClassVar[bool] = False
    by_nodes: ClassVar[bool] = False
    schema: Schema
    method: str
    parameters: Mapping[str, Any]
    promise: Promise
    notes: tuple[str, ...] = ()
    about: Mapping[str, str] = MappingProxyType({})

    def __len__(self) -> int:
        """The number of records."""
        raise NotImplementedError

    def tables(self) -> Tables:
        """What was published: the tables by name, each with its columns."""
        raise NotImplementedError

    def facts(self) -> Mapping[str, Any]:
        """What is saved besides kind, method, parameters and promise."""
        return {}

    @classmethod
    def parts(cls, tables: Tables, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its own, from the tables and what was said about them."""
        raise NotImplementedError

    @property
    def holds_sets(self) -> bool:
        """Whether cells such as `*` and `{a, b}` may stand for others; else each is one value."""
        return self.promise in ("covers", "untold")

    @property
    def asked(self) -> tuple[Column, ...]:
        """The columns that a person is asked for, so that her record can be looked up."""
        return self.schema.quasi

    def prepare(self) -> Self:
        """The same release, made ready for many questions; most kinds are as they are."""
        return self

    def save(self, folder: str | Path, *, parquet: bool = False, page: bool = False) -> Path:
        """Write the release as a folder: its tables, and `datapackage.json` with what is public.

        Neither seed nor key nor the order of the original rows can be found in it.

        Parameters
        ----------
        folder
            A folder that is not there yet.
        parquet
            Whether its tables are written as Parquet, not as CSV.
        page
            Whether to put ``check.html`` beside them, the page with which people without Python
            check their own record (`verikit.page.write`).
        """
        facts = {
            "kind": self.kind,
            "method": self.method,
            "parameters": self.parameters,
            "promise": self.promise,
            **({"about": dict(self.about)} if self.about else {}),
            **self.facts(),
        }
        with together() as new:
            inside = write_package(new.folder(folder), self.tables(), facts, parquet)
            if page:
                self._write_page(inside / PAGE)
        return Path(folder)

    def _write_page(self, path: Path) -> None:
        """Write the page by the rooms that join under ``verikit.pages``."""
        from verikit._support.joined import load_joined

        writers = list(load_joined("verikit.pages"))
        if not writers:
            raise SchemaError(
                "A page was asked for, but this verikit was installed without the room `page`; "
                "install all of verikit, or leave page=True out."
            )
        for write in writers:
            write(self, path)

    @classmethod
    def opened(cls, tables: Tables, facts: Mapping[str, Any]) -> Self:
        """The release that `save` wrote, from its tables and what was said about them."""
        shared = {
            "method": facts.get("method", ""),
            "parameters": facts.get("parameters", {}),
            "promise": facts.get("promise", "untold"),
            **({"about": facts["about"]} if facts.get("about") else {}),
        }
        return cast("Self", cast("Any", cls)(**{**shared, **cls.parts(tables, facts)}))

    def describing(self, **about: str) -> Self:
        """The same release with what its publisher says of it: who published what about whom.

        Known are ``title``, ``publisher``, ``contact``, ``year``, ``people`` (who is in it),
        ``licence`` and ``law``; of a sample of how many people it is one, ``population``, and for
        how many a row stands, ``weights``, such as ``"90 to 610"``. What is empty is left out.

        Examples
        --------
        >>> import verikit as vk
        >>> release = vk.published("dm_table1_masked").describing(publisher="An office", year="")
        >>> release.about
        {'publisher': 'An office'}
        """
        for name in about:
            one_of(name, "what is said of a publication", ABOUT)
        told = {name: text(value) for name in ABOUT if (value := about.get(name))}
        return change_unchecked(self, about=told)

    def signed(self, method: str, promise: Promise) -> Self:
        """The same release with the name and the promise of the method that made it."""
        publishable_parameters(method, {})
        return change_unchecked(self, method=method, promise=require_promise(promise))

    def _repr_html_(self) -> str:
        return "".join(str(table.to_html(max_rows=12)) for table, _ in self.tables().values())

    def _hold_facts(self) -> None:
        """Check what all kinds are told; identifiers are refused."""
        named = [column.name for column in self.schema if column.role in NEVER_RELEASED]
        if named:
            raise SchemaError(
                f"A release must not hold identifiers, weights or households, as {listed(named)}; "
                "drop them."
            )
        require_promise(self.promise)
        object.__setattr__(self, "parameters", publishable_parameters(self.method, self.parameters))


Release: TypeAlias = Published  # as which functions take whatever was published


def require_frame(frame: object, what: str, expected: str) -> pd.DataFrame:
    """A table that was made elsewhere, if it is one."""
    if not holds_table(frame):
        raise SchemaError(f"{what} was given as {type(frame).__name__}; expected {expected}.")
    return frame_of(frame)
