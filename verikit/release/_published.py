"""What every kind of release does in the same way: to hold, to show, to save and to open itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import pandas as pd

from verikit._support.plotted import Plotted
from verikit._support.trusted import altered
from verikit._support.writing import together
from verikit.errors import SchemaError
from verikit.release._kind import Tables
from verikit.release._package import told, write_package
from verikit.release._promise import Promise, checked_promise
from verikit.table import Column, Schema
from verikit.table.reading import frame_of, holds_table
from verikit.words import listed

__all__ = ["Published", "frame_given"]

PAGE = "check.html"


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
            **self.facts(),
        }
        with together() as new:
            inside = write_package(new.folder(folder), self.tables(), facts, parquet)
            if page:
                self._write_page(inside / PAGE)
        return Path(folder)

    def _write_page(self, path: Path) -> None:
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
        }
        return cast("Self", cast("Any", cls)(**{**shared, **cls.parts(tables, facts)}))

    def signed(self, method: str, promise: Promise) -> Self:
        """The same release with the name and the promise of the method that made it."""
        told(method, {})
        return altered(self, method=method, promise=checked_promise(promise))

    def _repr_html_(self) -> str:
        return "".join(str(table.to_html(max_rows=12)) for table, _ in self.tables().values())

    def _hold_facts(self) -> None:
        """Check what all kinds are told; identifiers are refused."""
        named = [column.name for column in self.schema if column.role == "identifier"]
        if named:
            raise SchemaError(
                f"A release must not hold the identifiers {listed(named)}; drop them."
            )
        checked_promise(self.promise)
        object.__setattr__(self, "parameters", told(self.method, self.parameters))


def frame_given(frame: object, what: str, expected: str) -> pd.DataFrame:
    """A table that was made elsewhere, if it is one."""
    if not holds_table(frame):
        raise SchemaError(f"{what} was given as {type(frame).__name__}; expected {expected}.")
    return frame_of(frame)
