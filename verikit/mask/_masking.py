"""What can be masked: whatever can be ordered, taken from and counted."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType, ModuleType
from typing import (
    Any,
    Concatenate,
    NamedTuple,
    ParamSpec,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    runtime_checkable,
)  # fmt: skip

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.requests import instance
from verikit._support.seed import checked_seed, generator
from verikit.errors import SchemaError, quoted
from verikit.lattice import Search
from verikit.models import FOUND_BY, FindGuarantee
from verikit.partition import Partition
from verikit.release import Key, Masked, Promise, TableRelease, require_promise
from verikit.table import Microdata, refit_to_values_left

GROUPING_STREAM = 674_506_111


def draw_grouping_seed(seed: int) -> int:
    """A seed for groups alone: whoever knows the groups must not know what is masked by them."""
    return int(generator(seed, GROUPING_STREAM).integers(0, 2**53))


@runtime_checkable
class Maskable(Protocol):
    """Data that a mask may take: `Microdata`, or anything else with an order of its own."""

    def canonical_order(self, *ties: Rows) -> Rows:
        """The places of the records by their values, whatever order they were given in."""

    def take(self, rows: Rows) -> Self:
        """The records at the given places, in that order."""

    def __len__(self) -> int:
        """The number of records."""


@dataclass(frozen=True, slots=True)
class Knob:
    """The parameter of a mask that says how much is masked, from least to most.

    Parameters
    ----------
    parameter
        Its name among the parameters of the mask.
    least, most
        The smallest and the largest amount to try; a function is given the records.
    ladder
        The values to compare where nobody names any, from little masking to much; none leaves the
        mask out of such comparisons.
    words, measure
        What the mask is called in a sentence, and how an amount is said, its number as ``{:g}``.
    name
        What `verikit.choose` calls it; the mask's own name where none is given.
    downward
        Whether less of the parameter masks more: it takes 1 less the amount.
    whole
        Whether the parameter is a whole number.
    fixed
        Other parameters of the mask that this knob leaves alone.
    groups
        Of a mask that takes a partition: what makes it, given the records, the parameter and a
        seed.
    function
        The mask, filled in where it is registered.

    Examples
    --------
    >>> knob = Knob("keep", 0.001, 1, downward=True, measure="{:g} of the values kept")
    >>> knob.value(0.25), knob.said(0.75)
    (0.75, '0.75 of the values kept')
    """

    parameter: str
    least: float | Callable[[Microdata], float]
    most: float | Callable[[Microdata], float]
    ladder: tuple[float, ...] = ()
    words: str = ""
    measure: str = "{:g}"
    name: str = ""
    downward: bool = False
    whole: bool = False
    fixed: Mapping[str, Any] = field(default_factory=dict)
    groups: Callable[[Microdata, int, int], Partition] | None = None
    function: Callable[..., Masked] | None = None

    def ends(self, data: Microdata) -> tuple[float, float]:
        """The smallest and the largest amount to try on these records."""
        low, high = (end(data) if callable(end) else end for end in (self.least, self.most))
        return float(low), float(high)

    def value(self, amount: float) -> float:
        """The parameter's value for an amount of masking."""
        found = 1 - amount if self.downward else amount
        return int(found) if self.whole else float(f"{found:.4g}")

    def fitting(self, data: Microdata) -> tuple[float, ...]:
        """The values of the ladder that mask no more than makes sense for these records."""
        most = self.ends(data)[1]
        return tuple(v for v in self.ladder if (1 - v if self.downward else v) <= most)

    def said(self, value: float) -> str:
        """A value of the parameter in words."""
        return self.measure.format(value)

    def mask(self, data: Microdata, value: float, seed: int) -> Masked:
        """Mask with one value of the parameter."""
        if self.function is None:
            raise TypeError("a Knob masks only after its mask was registered with it")
        given: dict[str, Any] = {self.parameter: value}
        if self.groups is not None:
            given = {"partition": self.groups(data, int(value), draw_grouping_seed(seed))}
        return self.function(data, **{**self.fixed, **given}, seed=seed)


Draws: TypeAlias = Callable[[np.random.Generator], Mapping[str, Any]]


class Drawing(NamedTuple):
    """What a mask returns whose draw others repeat: the decorator draws, and publishes.

    Parameters
    ----------
    draw
        Given a generator, the masked columns by name; where values come in another order, the
        record that each takes its value from.
    parameters
        What is published of the request.
    seed
        The seed that the mask was given.
    """

    draw: Draws
    parameters: Mapping[str, Any]
    seed: int


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

    def knobs(self) -> dict[str, Knob]:
        """What can be turned, by name."""
        return {knob.name: knob for method in self.values() for knob in method.knobs}

    def __getitem__(self, name: str) -> Method:
        if name not in self._known:
            self._load()
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._known))

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

        for point in points_of("verikit.masks"):
            try:
                found = point.load()
                masks = [method.function for method in self._known.values()]
                if not isinstance(found, ModuleType) and found not in masks:
                    raise SchemaError(
                        "it is not registered; put @verikit.mask.masking(...) above it."
                    )
            except Exception as error:  # whatever a stranger's package raises
                package = point.dist.name if point.dist is not None else "an unknown package"
                warnings.warn(
                    f"The mask {point.name!r} of {package} ({point.value}) is left out: "
                    f"{type(error).__name__}: {error}",
                    stacklevel=2,
                )


METHODS = Methods()


P = ParamSpec("P")
D = TypeVar("D", bound=Maskable)

BY_RECORD = (Partition, Search)  # arguments that follow the records when these are reordered


def masking(  # noqa: PLR0913 - what a mask tells of itself is said by name
    *,
    promise: Promise,
    example: Mapping[str, Any],
    words: str,
    paper: str | None = None,
    knobs: Sequence[Knob] = (),
    repeatable: bool = False,
    takes: type[Maskable] = Microdata,
    draws: bool = False,
    reads: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType({}),
    guarantees: FindGuarantee | str = "",
) -> Callable[[Callable[Concatenate[D, P], Masked | Drawing]], Callable[Concatenate[D, P], Masked]]:
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
    draws
        Whether the function returns a `Drawing`, which others repeat without publishing anything.
    reads
        By argument that follows the records, and is no partition: what makes of the data and of
        what was given something with ``labels``, one number a record, and ``take``.
    guarantees
        What finds the guarantee of a release of this mask, for `verikit.models.guarantee`; or, in
        words that follow "since", why there is none.

    Returns
    -------
    Callable
        A decorator for a function of such data, parameters by name and, last, a seed, which
        returns what `publish` gives, or a `Drawing`.

    Raises
    ------
    SchemaError
        If there is no such promise, data of this class cannot be masked, or another module has a
        mask of the same name.

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
    require_promise(promise)
    if not isinstance(takes, type) or not issubclass(takes, Maskable):
        raise SchemaError(
            f"A mask was said to take {quoted(getattr(takes, '__name__', takes))}, which lacks "
            "'canonical_order' or 'take'; expected a class that can be ordered, taken from and "
            "counted."
        )

    def register(
        function: Callable[Concatenate[D, P], Masked | Drawing],
    ) -> Callable[Concatenate[D, P], Masked]:
        name = function.__name__

        @functools.wraps(function)
        def mask(data: D, *args: P.args, **kwargs: P.kwargs) -> Masked:
            made = " (verikit.read makes it from a file or a frame)" if takes is Microdata else ""
            instance(data, takes, f"mask.{name}", f"{takes.__name__}{made}")
            if "seed" not in kwargs:
                raise TypeError(
                    f"{name}() needs the keyword seed, a whole number that you keep secret"
                )
            seed = checked_seed(kwargs["seed"])
            if not len(data):
                raise SchemaError("The table has no records, so there is nothing to mask.")
            kwargs.update({n: read(data, kwargs[n]) for n, read in reads.items() if n in kwargs})
            follow: dict[str, Any] = {
                n: v for n, v in kwargs.items() if n in reads or isinstance(v, BY_RECORD)
            }
            order = _order_canonically(data, follow)
            kwargs.update({n: v.take(order) for n, v in follow.items()})
            rows = data.take(order)
            found = function(rows, *args, **kwargs)
            if isinstance(found, Drawing):
                found = _publish_drawing(rows, found, name, promise)
            release, key = found
            if (release.method, release.promise) != (name, promise):
                release = release.signed(name, promise)
            return Masked(release, key._of_records(order, seed))

        turned = tuple(replace(k, name=k.name or name, function=mask) for k in knobs)
        again = functools.partial(_draw_again, function, promise) if draws else None
        told = (paper, dict(example), promise, words, turned, repeatable, takes, again)
        METHODS.add(Method(name, mask, *told))
        FOUND_BY[name] = guarantees
        return cast("Callable[Concatenate[D, P], Masked]", mask)

    return register


def _publish_drawing(data: Any, drawing: Drawing, method: str, promise: Promise) -> Masked:
    """Draw the columns, and put the values themselves where records were drawn."""
    rng = generator(drawing.seed)
    columns = drawing.draw(rng)
    if promise == "another order":
        columns = {name: data.frame[name].array.take(rows) for name, rows in columns.items()}
    return publish(data, columns, method=method, parameters=drawing.parameters, rng=rng)


def _draw_again(
    function: Callable[..., Any], promise: Promise, data: Microdata, **given: Any
) -> Draws:
    """Give what draws the numbers and ranks of the masked columns as often as wanted."""
    draw: Draws = function(data, **given, seed=0).draw
    if promise != "another order":
        return draw
    scores = functools.cache(data.scores)
    return lambda rng: {  # what has no order has no ranks: the records drawn stand for its values
        name: scores(name)[rows] if data.schema[name].ranked else rows
        for name, rows in draw(rng).items()
    }


def _order_canonically(data: Maskable, given: Mapping[str, Any]) -> Rows:
    """Order the records by their values, and by the groups that are given for them."""
    labels = [value.labels for value in given.values()]
    for found in labels:
        if len(found) != len(data):
            raise SchemaError(
                f"The partition has {len(found)} records and the table {len(data)}; make the "
                "partition, or the search, from this table."
            )
    return data.canonical_order(*labels)


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
    # the record of each place, from the place of each record
    order = np.empty_like(places)
    order[places] = np.arange(len(places), dtype=places.dtype)
    held = {}
    for name in schema.names:
        values = columns[name] if name in columns else data.frame[name]
        array = values.array if isinstance(values, pd.Series) else values
        held[name] = (array if hasattr(array, "take") else pd.Series(array).array).take(order)
    narrow = [column for column in schema if column.name in own]
    if narrow:
        mine = pd.DataFrame({column.name: held[column.name] for column in narrow}, copy=False)
        held |= dict(refit_to_values_left(mine, narrow).items())
    release = TableRelease._of(
        held,
        schema,
        {name for name in schema.names if name in own or name not in columns},
        method=method,
        parameters=parameters,
        promise=METHODS[method].promise if method in METHODS else "untold",
    )
    return Masked(release, Key._of(places))
