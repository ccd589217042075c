"""What all masks share: registration, a required seed, canonical and shuffled rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.seed import checked_seed
from verikit.errors import SchemaError
from verikit.lattice import Search
from verikit.mask._knob import Knob
from verikit.mask._maskable import Maskable, checked_data, checked_takes
from verikit.mask._registry import METHODS, Method
from verikit.partition import Partition
from verikit.release import Key, Masked, Promise, TableRelease, require_promise
from verikit.table import Microdata, narrow_columns

__all__ = ["masking", "publish"]

P = ParamSpec("P")
D = TypeVar("D", bound=Maskable)

BY_RECORD = (Partition, Search)  # arguments that follow the records when these are reordered


def masking(
    *,
    promise: Promise,
    example: Mapping[str, Any],
    words: str,
    paper: str | None = None,
    knobs: Sequence[Knob] = (),
    repeatable: bool = False,
    takes: type[Maskable] = Microdata,
) -> Callable[[Callable[Concatenate[D, P], Masked]], Callable[Concatenate[D, P], Masked]]:
    """Register a mask and give it what all masks share.

    The function sees the records in canonical order, so that the same seed gives the same release
    whatever order the records came in; its key is put back into the order of the given table. A
    package of its own names the function in its metadata, in the group ``verikit.masks`` of entry
    points, and so makes it known wherever masks are looked up.

    Parameters
    ----------
    promise
        What every release promises about the values: ``"as it was"``, ``"covers"``, ``"another
        order"``, ``"changed"``, or ``"untold"``.
    example
        Arguments that work on any small table; a function among them is given the table first.
    words
        What the mask does, in one plain sentence.
    paper
        The key of the paper it follows; None where it is its author's own.
    knobs
        The parameters that say how much is masked, for `verikit.choose`.
    repeatable
        Whether a person can repeat it on its own release with her record in place of another: not
        where what happens to one record depends on all others.
    takes
        The class of data it takes: one that can be ordered, taken from and counted.

    Returns
    -------
    Callable
        A decorator for a function of such data, parameters by name and, last, a seed, which
        returns what `publish` gives.

    Raises
    ------
    SchemaError
        If there is no such promise, or another module has a mask of the same name.

    Notes
    -----
    The way masks are registered is our own. Release and key carry the name, the promise and the
    seed without the function's doing.

    Examples
    --------
    A decorated function refuses, before it runs, what no mask takes:

    >>> from verikit.mask import METHODS, noise
    >>> METHODS["noise"].promise, METHODS["noise"].function is noise
    ('changed', True)
    >>> noise([1, 2], scale=1, seed=7)
    Traceback (most recent call last):
    verikit.errors.SchemaError: mask.noise was given list; expected Microdata (verikit.read makes
    it from a file or a frame).
    """
    told, taken = require_promise(promise), checked_takes(takes)

    def register(
        function: Callable[Concatenate[D, P], Masked],
    ) -> Callable[Concatenate[D, P], Masked]:
        name = function.__name__

        @functools.wraps(function)
        def mask(data: D, *args: P.args, **kwargs: P.kwargs) -> Masked:
            checked_data(data, taken, name)
            seed = _seed(name, kwargs)
            if not len(data):
                raise SchemaError("The table has no records, so there is nothing to mask.")
            order = _canonical(data, kwargs)
            kwargs.update({n: v.take(order) for n, v in kwargs.items() if isinstance(v, BY_RECORD)})
            release, key = function(data.take(order), *args, **kwargs)
            if (release.method, release.promise) != (name, told):
                release = release.signed(name, told)
            return Masked(release, key._of_records(order, seed))

        turned = tuple(replace(k, name=k.name or name, function=mask) for k in knobs)
        added = Method(name, mask, paper, dict(example), told, words, turned, repeatable, taken)
        METHODS.add(added)
        return cast("Callable[Concatenate[D, P], Masked]", mask)

    return register


def _seed(name: str, kwargs: Mapping[str, Any]) -> int:
    if "seed" not in kwargs:
        raise TypeError(f"{name}() needs the keyword seed, a whole number that you keep secret")
    return checked_seed(kwargs["seed"])


def _canonical(data: Maskable, kwargs: Mapping[str, Any]) -> Rows:
    labels = [v.labels for v in kwargs.values() if isinstance(v, BY_RECORD)]
    for found in labels:
        if len(found) != len(data):
            raise SchemaError(
                f"The partition has {len(found)} records and the table {len(data)}; make the "
                "partition, or the search, from this table."
            )
    return data.canonical_order(*labels)


def _inverse(places: Rows) -> Rows:
    """The record of each place, from the place of each record."""
    found = np.empty_like(places)
    found[places] = np.arange(len(places), dtype=places.dtype)
    return found


def _taken(values: Any, order: Rows) -> Any:
    """A column in another order: an array, or anything that makes one."""
    array = values.array if isinstance(values, pd.Series) else values
    return (array if hasattr(array, "take") else pd.Series(array).array).take(order)


def publish(
    data: Microdata,
    columns: Mapping[str, Any],
    *,
    method: str,
    parameters: Mapping[str, Any],
    rng: np.random.Generator,
    own: Container[str] = (),
) -> Masked:
    """Put masked columns in place of the original ones, shuffle the rows, drop identifiers.

    Parameters
    ----------
    data
        The records as the mask got them.
    columns
        The new values of the columns that were masked; the others are published as they are.
    method
        The name of the mask.
    parameters
        All that was used but the randomness.
    rng
        The secret randomness: the order of the rows.
    own
        Those of the masked columns that hold values of the same column, as it was held, so that
        none of them needs to be looked at again.

    Returns
    -------
    Masked
        The release and its key.

    Raises
    ------
    SchemaError
        If a value does not fit its column, or a parameter cannot be published.

    Notes
    -----
    A mask returns what this gives; the form of release and key is our own.

    Examples
    --------
    >>> import verikit as vk
    >>> from verikit._support.seed import generator
    >>> data, rng = vk.load("dm_table1"), generator(7)
    >>> release, key = publish(
    ...     data, {"X1": data.scores("X1").round()}, method="rounding", parameters={}, rng=rng
    ... )
    >>> release
    TableRelease(20 records of X1, X2, X3; method rounding)
    """
    schema = data.schema.released
    places = rng.permutation(len(data))
    order = _inverse(places)
    held = {n: _taken(columns[n] if n in columns else data.frame[n], order) for n in schema.names}
    narrow = [column for column in schema if column.name in own]
    if narrow:
        mine = pd.DataFrame({column.name: held[column.name] for column in narrow}, copy=False)
        held |= dict(narrow_columns(mine, narrow).items())
    known = METHODS.get(method)
    release = TableRelease._of(
        held,
        schema,
        {name for name in schema.names if name in own or name not in columns},
        method=method,
        parameters=parameters,
        promise="untold" if known is None else known.promise,
    )
    return Masked(release, Key._of(places))
