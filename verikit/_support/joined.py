"""What joins the core by one line of metadata: our own rooms outside it, and other packages."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from typing import Any


def points_of(group: str) -> tuple[metadata.EntryPoint, ...]:
    """Name what stands under a group in the metadata of all that is installed."""
    return tuple(metadata.entry_points(group=group))


def load_joined(group: str) -> Iterator[Any]:
    """Load all that joins a group; a room whose folder was taken away is passed over.

    Examples
    --------
    >>> sorted(function.__module__ for function in load_joined("verikit.pages"))
    ['verikit.page._write']
    """
    for point in points_of(group):
        try:
            yield point.load()
        except ModuleNotFoundError as error:
            if not f"{point.module}.".startswith(f"{error.name}."):
                raise
