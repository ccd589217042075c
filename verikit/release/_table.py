"""A published table with the columns of the original, and how it was made."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb, prod
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.requests import number, whole, within
from verikit._support.skip_validation import change_unchecked, make_unchecked
from verikit.cells import cell_text, cells_of
from verikit.errors import RecordError, SchemaError, quoted
from verikit.release._kinds import (
    DRAWN,
    KINDS,
    Promise,
    Promised,
    Published,
    Tables,
    promise_of,
    reported_without,
    require_frame,
    whole_records,
)
from verikit.table import (
    Column,
    Framed,
    Schema,
    Scores,
    ask_of_words,
    fit_columns,
    fit_frame,
    long_numbers_as_names,
)
from verikit.table.reading import Asked
from verikit.values.meanings import are_halves
from verikit.words import count, listed


class Ordered(NamedTuple):
    """A column of a prepared release: its values, their sorted copy, and the rows in that order."""

    values: Scores
    ordered: Scores
    rows: Rows


@KINDS.register
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class TableRelease(Framed, Promised, Published):
    """A published table with the columns of the original, and how it was made.

    Parameters
    ----------
    frame
        The published records; categories may be groups of their hierarchy, numbers intervals.
    schema
        Its columns.
    method, parameters
        How it was made, complete but for the randomness ([DM]_ Definition 4).
    promise
        What the publisher promises about the values: ``"as it was"``, ``"covers"`` (each cell
        holds or covers the true value), ``"another order"`` (each column holds just the original
        values in another order), ``"changed"``, ``"drawn from a model"``, or ``"untold"``.
    reported_links
        How many records the publisher's own test attack linked correctly; None if not reported.
    reported_luck
        How many luck alone gives, as the publisher tells: the best of several attacks has more
        than one. None if not reported.
    notes
        In sentences how it was read from a file, where another reading was possible.
    reported_without
        The columns that the publisher's test attack did not go by; None if not reported.
    about
        What the publisher says of the publication, by name; see `Published.describing`.

    Examples
    --------
    >>> import verikit as vk
    >>> vk.published("dm_table1_masked")
    TableRelease(20 records of X1, X2, X3; method noise)
    """

    kind: ClassVar[str] = "table"
    whole_records: ClassVar[bool] = True
    frame: pd.DataFrame
    schema: Schema
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise = "untold"
    reported_links: int | None = None
    reported_luck: float | None = None
    notes: tuple[str, ...] = ()
    reported_without: tuple[str, ...] | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    _prepared: Mapping[str, Ordered] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hold a checked copy; identifiers are refused."""
        self._hold_facts()
        object.__setattr__(self, "frame", fit_frame(self.frame, self.schema, nodes=True))
        self._check_links()

    @classmethod
    def _of(
        cls, columns: Mapping[str, Any], schema: Schema, known: Container[str], **said: Any
    ) -> TableRelease:
        """A release of our own; columns that are known come from a checked table as they were."""
        found = make_unchecked(
            cls, frame=fit_columns(columns, schema, known), schema=schema, **said
        )
        found._hold_facts()
        return found

    @classmethod
    def _of_others(
        cls,
        box: list[pd.DataFrame],
        schema: Schema,
        notes: Iterable[str],
        words: Iterable[str] | None,
        **said: Any,
    ) -> TableRelease:
        """A table that others made, from a box that nobody else holds, so that it is held once.

        What nobody told of it is asked: whether cells that look like bands are words.
        """
        for name in words or ():
            schema = schema.with_column(name, words=True)
        found = make_unchecked(cls, schema=schema, **said)
        found._hold_facts()
        frame = fit_frame(box.pop(), schema, nodes=True)
        return change_unchecked(found, frame=frame, notes=tuple(notes))._asking()

    def _asking(self, words: Iterable[str] | None = None) -> TableRelease:
        """The same release with what was told of its words, and asked what was not."""
        found = self
        for name in words or ():
            schema = found.schema.with_column(name, words=True)
            found = change_unchecked(found, frame=fit_frame(found.frame, schema), schema=schema)
        asked = ask_of_words(found.frame, found.schema) if self.promise == "untold" else ()
        return change_unchecked(found, notes=(*self.notes, *asked))

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        schema: Schema | None = None,
        *,
        method: str = "",
        parameters: Mapping[str, Any] | None = None,
        promise: str = "untold",
        permutation: bool = False,
        words: str | Sequence[str] | None = None,
    ) -> TableRelease:
        """A release made elsewhere; the schema is guessed from the frame where none is given.

        ``permutation=True`` says the same as ``promise="another order"``. ``words`` names the
        columns whose cells are words, even those that look like a band or a set, such as
        ``<=50K``; the notes of an untold table ask it of each such column.

        Examples
        --------
        >>> frame = pd.DataFrame({"pay": ["<=50K", ">50K"], "age": [31, 45]})
        >>> [len(TableRelease.of(frame, words=words).notes) for words in (None, "pay")]
        [1, 0]
        """
        table = require_frame(frame, "A release", "a DataFrame (verikit.open_release takes files)")
        told = promise_of(promise, permutation=permutation)
        notes: list[str] = []
        if schema is None:
            table, notes = long_numbers_as_names(table)
            schema = Schema.guess(table)
        columns, said = Asked(words=words).words, {"method": method, "parameters": parameters or {}}
        return cls._of_others([table], schema, notes, columns, promise=told, **said)

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        method = f"; method {self.method}" if self.method else ""
        return (
            f"TableRelease({count(len(self), 'record')} of {', '.join(self.schema.names)}{method})"
        )

    @property
    def asked(self) -> tuple[Column, ...]:
        """The columns that a person is asked for: those of single values, or that others may know.

        Where cells stand for several values, or were drawn anew by known chances, a record is
        looked up by what others may know of it.
        """
        if self.generalized or redraw_of(self) is not None:
            return self.schema.quasi
        return tuple(column for column in self.schema if self.compares(column.name))

    def compares(self, name: str) -> bool:
        """Whether a column has single values, and at least one of them."""
        values = self.frame[name]
        spans = isinstance(values.dtype, pd.IntervalDtype)
        return not spans and (not len(values) or not bool(values.isna().all()))

    @property
    def generalized(self) -> bool:
        """Whether cells stand for several values: intervals, groups or sets of categories."""
        return self.generalized_in(self.schema.names)

    def generalized_in(self, names: Iterable[str]) -> bool:
        """Whether the release says that it was generalized, or cells of some columns show it."""
        return self.promise == "covers" or bool(self.generalized_columns(names))

    def generalized_columns(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """The columns, of all or of some, whose cells stand for several values, and such a cell.

        A label that looks like a range and cannot be read counts as one that does. Two labels of
        which one goes on where the other ends, ``<=50K`` and ``>50K``, are categories, unless the
        release says that its cells cover what is true.

        Examples
        --------
        >>> frame = pd.DataFrame({"age": ["20-29", "30+"], "grade": ["A*", "B"], "pay": [1.5, 2]})
        >>> TableRelease.of(frame).generalized_columns()
        {'age': '20-29'}
        """
        asked = self.schema.names if names is None else tuple(names)
        held = dict(zip(self.frame.columns, self.frame.dtypes, strict=True))
        found = {
            name: _find_wide_cell(self.frame[name], self.schema[name], self)
            for name in asked
            if not isinstance(held.get(name), np.dtype)  # which holds single values only
        }
        return {name: cell for name, cell in found.items() if cell is not None}

    def scores(self, name: str) -> Scores:
        """One column as numbers in its order (see `Column.scores`)."""
        if name in self._prepared:
            return self._prepared[name].values
        values = self.frame[name]
        if isinstance(values.dtype, pd.IntervalDtype):
            raise SchemaError(
                f"Column {quoted(name)} was published as intervals, which have no single rank."
            )
        return self.schema[name].scores(values)

    def ordered(self, name: str) -> Scores:
        """One column sorted; at hand where the release is prepared, else one sort."""
        if name in self._prepared:
            return self._prepared[name].ordered
        return np.sort(self.scores(name))

    def order(self, name: str) -> Rows | None:
        """The rows in the order of one column, if the release is prepared."""
        return self._prepared[name].rows if name in self._prepared else None

    def prepare(self) -> Self:
        """The same release with its columns sorted once, so that each check takes milliseconds."""
        prepared = {}
        for column in self.schema:
            if column.ranked and not isinstance(self.frame[column.name].dtype, pd.IntervalDtype):
                values = np.ascontiguousarray(self.scores(column.name))
                rows = np.argsort(values)
                prepared[column.name] = Ordered(values, values[rows], rows)
        return change_unchecked(self, _prepared=prepared)

    def tables(self) -> Tables:
        """What was published: the table, with its columns."""
        return {"table": (self.frame, self.schema)}

    def facts(self) -> Mapping[str, Any]:
        """What is saved besides: the links that the publisher reported, luck's, and by what not."""
        without = None if self.reported_without is None else list(self.reported_without)
        told = {
            "reported_links": self.reported_links,
            "reported_luck": self.reported_luck,
            "reported_without": without,
        }
        return {name: value for name, value in told.items() if value is not None}

    @classmethod
    def parts(cls, tables: Tables, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its own, from the table and what was said about it."""
        frame, schema = tables["table"]
        told = promise_of(facts.get("promise", "untold"), permutation=facts.get("permutation"))
        reported = {name: facts.get(name) for name in ("reported_links", "reported_luck")}
        reported["reported_without"] = reported_without(facts)
        return {"frame": frame, "schema": schema, "promise": told, **reported}

    def reporting(
        self, links: int, luck: float | None = None, without: Iterable[str] | None = None
    ) -> TableRelease:
        """The same release with the number of links that the publisher's test attack got right.

        ``luck`` is the number that luck alone gives the best of the attacks that were run;
        ``without`` names the columns that they did not go by.
        """
        left = None if without is None else tuple(without)
        told = change_unchecked(
            self, reported_links=int(links), reported_luck=luck, reported_without=left
        )
        told._check_links()
        return told

    def _check_links(self) -> None:
        if self.reported_links is not None and not 0 <= self.reported_links <= len(self.frame):
            raise SchemaError(
                f"{self.reported_links} correct links were reported of {len(self.frame)} records; "
                "expected a count from 0 to their number."
            )
        if self.reported_luck is not None and not 0 <= self.reported_luck <= len(self.frame):
            raise SchemaError(
                f"{quoted(self.reported_luck)} correct links were reported as luck's of "
                f"{len(self.frame)} records; expected a number from 0 to theirs."
            )


def _find_wide_cell(values: pd.Series[Any], column: Column, told: Published) -> str | None:
    """A cell of a column that stands for several values; None where none does."""
    if isinstance(values.dtype, pd.IntervalDtype):
        return next((cell_text(value) for value in values if not pd.isna(value)), "missing")
    if not isinstance(values.dtype, pd.CategoricalDtype) or told.promise == DRAWN:
        return None  # a model draws one of the labels that it learned, whatever they look like
    cells = cells_of(values, column, sets=told.holds_sets)
    halves = told.promise != "covers" and are_halves(cells.read)
    found = () if halves else cells.several
    return next((cell for cell in found if cell.strip("*")), next(iter(found), None))


Probabilities: TypeAlias = Mapping[str, float] | Literal["equal"] | None

ROUNDING_ERROR = 0.05
MAX_COLUMNS = 20  # of which all sets can be held


@dataclass(frozen=True, slots=True)
class Redraw:
    """How many attributes of each record are drawn anew, and which with what chance.

    Parameters
    ----------
    names
        The attributes that may be.
    changed
        How many of them are, in each record.
    weights
        The chance of each where one is; all are equally likely where several are.
    keep
        Where each is kept or drawn anew by itself, the chance that it is kept; else None.
    values
        Where all are kept together or drawn anew together, every combination being equally likely,
        the values that each may take; ``keep`` is then the chance that all are kept.

    Examples
    --------
    Of two attributes out of three, both are drawn anew in one record of three, each alone in one.

    >>> Redraw.of(["Age", "Job", "Country"], 2, "equal").chances_by_set(["Age", "Job"]).round(
    ...     4
    ... ).tolist()
    [0.0, 0.3333, 0.3333, 0.3333]
    """

    names: tuple[str, ...]
    changed: int
    weights: tuple[float, ...]
    keep: float | None = None
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict, compare=False)

    @classmethod
    def evenly(cls, values: Mapping[str, Sequence[Any]], gamma: object) -> Redraw:
        """Check how many times likelier a combination is from itself than from any other."""
        known = cls.of([*values], len(values), "equal")
        most = within(gamma, "gamma", 1) - 1
        keep = most / (most + prod(map(len, values.values())))
        return replace(known, keep=keep, values=values)

    @classmethod
    def each(cls, names: Sequence[str], keep: object) -> Redraw:
        """Check the chance by which each attribute is kept by itself."""
        whole_set = cls.of(names, len(names), "equal")
        return replace(whole_set, keep=within(keep, "keep", 0, 1))

    def weigh_drawn(self, names: Sequence[str], shares: Floats) -> Floats:
        """Give the chance of each drawn value, by column: its share there, or the same for all."""
        even = [1 / len(self.values[name]) if name in self.values else np.nan for name in names]
        return np.where(np.isnan(even), shares, even)

    def find_drawn(self, name: str) -> float:
        """Find the chance that one attribute is drawn anew."""
        if self.keep is not None:
            return 1 - self.keep
        return self.changed * self.weights[self.names.index(name)]

    @classmethod
    def of(cls, names: Sequence[str], changed: object, probabilities: Probabilities) -> Redraw:
        """Check both numbers; probabilities are used in proportion, so they may be rounded."""
        if not names:
            raise SchemaError(
                "No column is a quasi-identifier, so nothing can be drawn anew; give the columns "
                "that others may know the role 'quasi'."
            )
        count = whole(changed, "changed", most=len(names))
        if probabilities is None or isinstance(probabilities, str):
            if probabilities not in (None, "equal"):
                raise RecordError.given(
                    "probabilities", probabilities, "'equal', or a number for each quasi-identifier"
                )
            return cls(tuple(names), count, (1 / len(names),) * len(names))
        if count > 1:
            raise RecordError(
                f"probabilities were given for {count} changed attributes, which are drawn with "
                "equal chances; leave them out, or change one."
            )
        return cls(tuple(names), 1, _check_weights(names, probabilities))

    def chances_by_set(self, asked: Sequence[str]) -> Floats:
        """Compute for each set of the columns asked the chance that just these are drawn anew.

        Set number ``s`` holds the columns whose bit is set in ``s``.
        """
        if len(asked) > MAX_COLUMNS:
            raise RecordError(
                f"{len(asked)} columns have too many sets; name at most {MAX_COLUMNS} of them."
            )
        sets = np.arange(2 ** len(asked))
        sizes = sum((sets >> k & 1 for k in range(len(asked))), start=np.zeros_like(sets))
        known = [name in self.names for name in asked]
        never = sum(1 << k for k, there in enumerate(known) if not there)
        if self.values:
            found = np.zeros(len(sets))
            found[len(sets) - 1 - never] = 1 - (self.keep or 0)
            found[0] += self.keep or 0
            return found
        if self.keep is not None:
            each = (1 - self.keep) ** sizes * self.keep ** (sum(known) - sizes)
            return np.where(sets & never, 0.0, each)
        if self.changed == 1:
            found = np.zeros(len(sets))
            chances = [self.weights[self.names.index(n)] if n in self.names else 0 for n in asked]
            found[[1 << k for k in range(len(asked))]] = chances
            found[0] = max(0.0, 1 - sum(chances)) if sum(known) < len(self.names) else 0.0
            return found
        m, others = len(self.names), len(self.names) - sum(known)
        of_size = [
            comb(others, self.changed - u) / comb(m, self.changed) if u <= self.changed else 0.0
            for u in range(len(asked) + 1)
        ]
        return np.where(sets & never, 0.0, np.array(of_size)[sizes])

    def kept_chances(self, asked: Sequence[str]) -> Floats:
        """Compute for each set of the columns asked the chance that none of them is drawn anew.

        Sets have the numbers that they have in `chances_by_set`.
        """
        found = self.chances_by_set(asked).copy()
        for k in range(len(asked)):  # what is drawn lies within the other columns
            halves = found.reshape(-1, 2, 2**k)
            halves[:, 1] += halves[:, 0]
        return found[::-1]

    def transition_chances(self, asked: Sequence[str], shares: Floats) -> Floats:
        """Compute the chance that a combination becomes another, by the columns where they differ.

        Parameters
        ----------
        asked
            The columns of both combinations.
        shares
            The share of each value of the second in its column; one line for each of several.

        Returns
        -------
        numpy.ndarray
            One entry a set, as in `chances_by_set`, along the last axis.
        """
        found: Floats = np.broadcast_to(
            self.chances_by_set(asked), (*shares.shape[:-1], 2 ** len(asked))
        ).copy()
        # A zeta transform over supersets, one column after the other: the last axis is split by the
        # bit of that column, so that 2^k sets cost k passes and no sum over pairs of sets.
        for k in range(len(asked)):
            halves = found.reshape(*shares.shape[:-1], -1, 2, 2**k)
            halves[..., 1, :] *= shares[..., k, None, None]
        for k in range(len(asked)):  # a column where they agree may have been drawn anew or not
            halves = found.reshape(*shares.shape[:-1], -1, 2, 2**k)
            halves[..., 0, :] += halves[..., 1, :]
        return found


def redraw_of(release: object, *, evenly: bool = False) -> Redraw | None:
    """Look up the chances that a release publishes; None where it was made in another way.

    Parameters
    ----------
    release
        What was published.
    evenly
        Whether values may be drawn from all that there are, and not from those of their column.

    Examples
    --------
    >>> import verikit as vk
    >>> redraw_of(vk.published("yq_figure5")).names
    ('Age', 'Job', 'Country')
    """
    if not whole_records(release) or release.promise != "changed":
        return None
    told: Mapping[str, Any] = release.parameters
    names = [column.name for column in release.schema.quasi]
    values = told.get("values") if evenly and "gamma" in told else None
    if (
        isinstance(values, Mapping)
        and [*values] == names
        and all(map(_holds_values, values.values()))
    ):
        return Redraw.evenly(values, told["gamma"])
    if names and told.get("scheme") == "each" and "keep" in told:
        return Redraw.each(names, told["keep"])
    if not names or not {"changed", "probabilities"} <= set(told):
        return None
    return Redraw.of(names, told["changed"], told["probabilities"])


def _holds_values(given: object) -> bool:
    return isinstance(given, (list, tuple)) and len(given) > 0


def require_redraw(release: object, who: str, *, evenly: bool = False) -> Redraw:
    """Look up the chances that a release publishes, or refuse one made in another way.

    Examples
    --------
    >>> require_redraw(5, "amplification")
    Traceback (most recent call last):
    verikit.errors.SchemaError: amplification needs a release that tells with what probabilities
    its values were drawn anew, as mask.randomize makes it; it was given int.
    """
    found = redraw_of(release, evenly=evenly)
    if found is None:
        raise SchemaError(
            f"{who} needs a release that tells with what probabilities its values were drawn anew, "
            f"as mask.randomize makes it; it was given {type(release).__name__}."
        )
    return found


def _check_weights(names: Sequence[str], given: Mapping[str, float]) -> tuple[float, ...]:
    if not isinstance(given, Mapping):
        raise RecordError.given(
            "probabilities", given, "'equal', or a number for each quasi-identifier"
        )
    lacking = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if lacking or unknown:
        raise SchemaError(
            f"probabilities must name each quasi-identifier once: they lack "
            f"{listed(lacking) or 'none'} and name {listed(unknown) or 'none'} that is none."
        )
    found = [number(given[name], f"probability of {name}", field="probabilities") for name in names]
    total = sum(found)
    if min(found) < 0 or abs(total - 1) > ROUNDING_ERROR:
        raise RecordError(
            f"probabilities were given as {listed([f'{p:g}' for p in found], 12)}; expected "
            "numbers from 0 up that add up to 1 (rounded ones may miss it by 0.05)."
        )
    return tuple(p / total for p in found)
