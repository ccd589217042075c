"""The masks that there are: our own, and those of other packages once somebody asks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from verikit._support.arrays import Floats
from verikit.errors import SchemaError
from verikit.mask._knob import Knob
from verikit.mask._maskable import Maskable
from verikit.release import Masked, Promise
from verikit.table import Microdata

__all__ = ["METHODS", "Draws", "Method", "Methods"]

Draws: TypeAlias = Callable[[np.random.Generator], Mapping[str, Floats]]

GROUP = "verikit.masks"


@dataclass(frozen=True, slots=True)
class Method:
    """A registered mask, and all that others need to know of it.

    Parameters
    ----------
    name, function
        What it is called, and what is called.
    paper
        The key of the paper it follows; None where it is our own.
    example
        Arguments that work on any small table; a function among them is given the table first.
    promise
        What its releases promise about the values.
    words
        What it does, in one plain sentence.
    knobs
        The parameters that say how much is masked; none where no number says it.
    repeatable
        Whether a person can repeat it on its own release with her record in place of another: not
        where what happens to one record depends on all others.
    takes
        The class of data it takes.
    again
        What draws the masked values once more without publishing them; None where there is none.
    """

    name: str
    function: Callable[..., Masked]
    paper: str | None
    example: Mapping[str, Any]
    promise: Promise
    words: str = ""
    knobs: tuple[Knob, ...] = ()
    repeatable: bool = False
    takes: type[Maskable] = Microdata
    again: Callable[..., Draws] | None = None


class Methods(Mapping[str, Method]):
    """All masks by name.

    Those of other packages, named in their metadata under ``verikit.masks``, are loaded when all
    are listed or a name is looked up that is none of ours. One that cannot be loaded is left out,
    with a warning that names it.
    """

    def __init__(self) -> None:
        self._known: dict[str, Method] = {}
        self._loaded = False

    def add(self, method: Method) -> None:
        """Take in a mask; the same one again replaces the first, another of its name is refused."""
        before = self._known.get(method.name)
        if before is not None and before.function.__module__ != method.function.__module__:
            raise SchemaError(
                f"There is already a mask {method.name!r}, of {before.function.__module__}; give "
                f"that of {method.function.__module__} another name."
            )
        self._known[method.name] = method

    def draw_again(self, name: str, again: Callable[..., Draws]) -> None:
        """Say how a mask draws its values without publishing them, for those who repeat it.

        Given data in canonical order and the parameters without the seed, it returns a function
        of a generator: the numbers and ranks of the masked columns in the order of the records.
        """
        self._known[name] = replace(self._known[name], again=again)

    def knobs(self) -> dict[str, Knob]:
        """What can be turned, by name."""
        return {knob.name: knob for method in self.values() for knob in method.knobs}

    def __getitem__(self, name: str) -> Method:
        if name not in self._known:
            self._load()
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(dict(self._known))

    def __len__(self) -> int:
        self._load()
        return len(self._known)

    def __repr__(self) -> str:
        return f"Methods({', '.join(self)})"

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        from verikit._support.joined import points_of

        for point in points_of(GROUP):
            try:
                self._check(point.load())
            except Exception as error:  # whatever a stranger's package raises
                package = point.dist.name if point.dist is not None else "an unknown package"
                warnings.warn(
                    f"The mask {point.name!r} of {package} ({point.value}) is left out: "
                    f"{type(error).__name__}: {error}",
                    stacklevel=2,
                )

    def _check(self, found: object) -> None:
        masks = [method.function for method in self._known.values()]
        if not isinstance(found, ModuleType) and found not in masks:
            raise SchemaError("it is not registered; put @verikit.mask.masking(...) above it.")


METHODS = Methods()
