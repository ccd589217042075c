"""What a release is to everybody else, and the kinds of release that there are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias, TypeGuard, TypeVar

from verikit.errors import SchemaError, quoted
from verikit.release._promise import Promise
from verikit.table import Column, Schema

if TYPE_CHECKING:
    from verikit.release._graph import GraphRelease
    from verikit.release._split import SplitRelease
    from verikit.release._table import TableRelease

__all__ = ["KINDS", "Kinds", "Release", "Tables", "by_groups", "by_nodes", "whole_records"]

GROUP = "verikit.releases"
Tables: TypeAlias = Mapping[str, tuple[Any, Schema]]  # each table, whatever holds it, and columns


class Release(Protocol):
    """What all releases have in common; the classes in `KINDS` are the kinds of them."""

    kind: ClassVar[str]

    @property
    def schema(self) -> Schema:
        """The columns of the original that were published."""

    @property
    def asked(self) -> tuple[Column, ...]:
        """The columns that a person is asked for, so that her record can be looked up."""

    @property
    def method(self) -> str:
        """How it was made."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the method was told, complete but for the randomness."""

    @property
    def promise(self) -> Promise:
        """What the publisher promises about the values."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What should be known of how it was read."""

    def prepare(self) -> Self:
        """The same release, made ready for many questions."""

    def tables(self) -> Tables:
        """What was published: the tables by name, each with its columns."""

    def __len__(self) -> int:
        """The number of records."""

    def signed(self, method: str, promise: Promise) -> Self:
        """The same release with the name and the promise of the method that made it."""

    def save(self, folder: str | Path, *, parquet: bool = False, page: bool = False) -> Path:
        """Write the release as a folder that `verikit.open_release` opens; a page in it if told."""

    @classmethod
    def opened(cls, tables: Tables, facts: Mapping[str, Any]) -> Self:
        """The release that `save` wrote, from its tables and what was said about them."""


K = TypeVar("K", bound=type[Release])


class Kinds(dict[str, type[Release]]):
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
        verikit.release._table; give that of verikit.release._kind another name.
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

    def __missing__(self, kind: str) -> type[Release]:
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


def by_secrets(release: Release) -> bool:
    """Whether a published method made its groups from the sensitive values.

    Whoever repeats such a method on what the tables leave open strikes out values that would have
    made other groups.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> found = vk.partition.diverse(data, ell=2, seed=1), vk.partition.mondrian(data, k=2)
    >>> [by_secrets(vk.mask.anatomize(data, partition=each, seed=1).release) for each in found]
    [True, False]
    """
    told = release.parameters.get("partition")
    found = release.parameters if isinstance(told, str) else told
    return isinstance(found, Mapping) and "sensitive" in found


def by_nodes(release: object) -> TypeGuard[GraphRelease]:
    """Whether links were published between nodes whose names are known by groups only.

    Examples
    --------
    >>> import verikit as vk
    >>> by_nodes(vk.published("lhcc_table3"))
    False
    """
    return getattr(release, "by_nodes", False) is True
