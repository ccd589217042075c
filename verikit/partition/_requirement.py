"""What each class of records must meet: a privacy model with its parameters, or several."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import ge, le, lt
from typing import Any, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import AnyInts, Flags, Floats, Ints, Rows, Values
from verikit._support.requests import one_of, whole, within
from verikit.errors import InfeasibleError, RecordError, quoted
from verikit.partition._counted import (
    Continuing,
    Counted,
    Earlier,
    code_earlier,
    compare_with_rarer,
    count_different,
    count_left,
    count_pairs,
    divide_by_most_frequent,
    measure_evenness,
    measure_ranges,
)
from verikit.partition._grounds import GROUNDS, Ground
from verikit.table import Column, Microdata, Missing, group_size, refuse_missing, require_table
from verikit.words import count, listed, text


class Signatures(Protocol):
    """What knows among which values each person was published (`verikit.release.Ledger`)."""

    def list_signatures(self, data: Microdata, name: str) -> list[frozenset[str]]:
        """List for each record the values that all of her groups held; none for newcomers."""


class Model(NamedTuple):
    """A privacy model: the value of each class, and how it is compared with what is asked for.

    Parameters
    ----------
    words
        Its name.
    measure
        The value of each class, given what they hold and all parameters but the threshold.
    threshold, meets
        The parameter with which the value is compared, and how.
    grows
        Whether a class that meets it still does when any others join it; of the other models it is
        only two classes that both meet it that do together.
    """

    words: str
    measure: Callable[..., Values]
    threshold: str
    meets: Callable[[Any, Any], Any]
    grows: bool = False


def _measure_distance(held: Counted, *, ground: Ground = "equal") -> Floats:
    return GROUNDS[ground](held)


def _measure_spans(held: Counted, *, k: int = 1) -> Floats:
    """The range of each class; below every range where it holds fewer than k values."""
    return np.where(count_different(held) >= k, measure_ranges(held), -1.0)


MODELS: dict[str, Model] = {
    "k_anonymity": Model("k-anonymity", lambda held: held.sizes, "k", ge, grows=True),
    "distinct_diversity": Model("distinct diversity", count_different, "ell", ge, grows=True),
    "entropy_diversity": Model("entropy diversity", measure_evenness, "ell", ge),
    "frequency_diversity": Model("frequency diversity", divide_by_most_frequent, "ell", ge),
    "recursive_diversity": Model("recursive diversity", compare_with_rarer, "c", lt),
    "t_closeness": Model("t-closeness", _measure_distance, "t", le),
    "ke_anonymity": Model("(k,e)-anonymity", _measure_spans, "e", ge, grows=True),
    "continued": Model("values left by all releases", count_left, "ell", ge),
}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Requirement:
    """A privacy model that every class of records must meet, with its parameters.

    Parameters
    ----------
    model
        The name of a function of `verikit.models`: ``"k_anonymity"`` (k), ``"distinct_diversity"``,
        ``"entropy_diversity"`` and ``"frequency_diversity"`` (ell), ``"recursive_diversity"`` (ell
        and c), ``"t_closeness"`` (t, ground) or ``"ke_anonymity"`` (k, e). Or ``"continued"``
        (ell): a class and all groups in which each of its people was published before leave her
        as many values; those who came are left those of the class.
    sensitive
        The sensitive column; the one with that role where there is just one.
    ledger
        For ``"continued"``, and only there: what was published before (`verikit.release.Ledger`).
        No release tells of it.
    parameters
        What that function takes, by name.

    Raises
    ------
    RecordError
        If there is no such model, or a parameter is unknown, lacking or no sensible value.

    Notes
    -----
    ``"continued"`` is our own, after m-invariance (Xiao and Tao 2007). It counts for each person by
    herself: what becomes impossible because somebody else must have it is not ruled out, and
    `verikit.protector.audit` tells of it. `verikit.partition.continued` promises more, but not
    that alike people share a group.

    References
    ----------
    X. Xiao and Y. Tao: m-invariance: towards privacy preserving re-publication of dynamic datasets.
    SIGMOD 2007

    Examples
    --------
    >>> Requirement("t_closeness", t=0.2), Requirement.read("recursive_diversity,ell=2,c=3").words
    (Requirement('t_closeness', t=0.2), 'recursive diversity with ell 2, c 3')
    """

    model: str
    asked: tuple[tuple[str, Any], ...]
    sensitive: str | None
    ledger: Signatures | None

    def __init__(
        self,
        model: str,
        *,
        sensitive: str | None = None,
        ledger: Signatures | None = None,
        **parameters: Any,
    ) -> None:
        one_of(model, "model", tuple(MODELS))
        if (model == "continued") != hasattr(ledger, "list_signatures"):
            raise RecordError.given(
                "ledger", ledger, f"a verikit.release.Ledger for 'continued' alone, not {model}"
                if model != "continued" else "a verikit.release.Ledger, as Ledger.beside(key) opens"
            )  # fmt: skip
        known = MODELS[model]
        takes = dict(list(inspect.signature(known.measure).parameters.items())[1:])
        names = (*takes, *({known.threshold} - takes.keys()))
        lacking = [n for n in names if n not in parameters and n not in takes]
        lacking += [n for n, p in takes.items() if n not in parameters and p.default is p.empty]
        unknown = [name for name in parameters if name not in names]
        if lacking or unknown:
            raise RecordError(
                f"{model} takes {listed(names)}; given were {listed(parameters) or 'none'}.",
                field="requirement",
            )
        asked = {name: _check(model, name, value) for name, value in parameters.items()}
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "asked", tuple((n, asked[n]) for n in names if n in asked))
        object.__setattr__(self, "sensitive", None if sensitive is None else text(sensitive))
        object.__setattr__(self, "ledger", ledger)

    @classmethod
    def read(cls, written: str, ledger: Signatures | None = None) -> Requirement:
        """Read one as it is typed: the model, then its parameters, with commas between them.

        What was published before is only used where that is asked about.
        """
        model, *parts = (part.strip() for part in text(written).split(","))
        pairs = [part.partition("=") for part in parts]
        if not all(value for _, _, value in pairs):
            raise RecordError.given("requirement", written, "such as t_closeness,t=0.2")
        given: dict[str, Any] = {name.strip(): value.strip() for name, _, value in pairs}
        for name, value in given.items():
            if name not in ("ground", "sensitive"):
                try:
                    given[name] = int(value) if value.isdecimal() else float(value)
                except ValueError:
                    raise RecordError.given(name, value, "a number") from None
        return cls(model, ledger=ledger if model == "continued" else None, **given)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return dict(self.asked)

    @property
    def words(self) -> str:
        """The requirement in words."""
        given = ", ".join(f"{name} {text(value)}" for name, value in self.asked)
        of = f" of {self.sensitive}" if self.sensitive is not None else ""
        return f"{MODELS[self.model].words}{of} with {given}"

    @property
    def _given(self) -> dict[str, Any]:
        return self.parameters | ({"sensitive": self.sensitive} if self.sensitive else {})

    def __repr__(self) -> str:
        words = [repr(self.model), *(f"{name}={value!r}" for name, value in self._given.items())]
        return f"Requirement({', '.join(words)})"

    def __str__(self) -> str:
        return ",".join([self.model, *(f"{name}={text(v)}" for name, v in self._given.items())])

    def find_met(self, held: Counted) -> Flags:
        """Whether each class meets it."""
        model, others = MODELS[self.model], self.parameters
        asked = others.pop(model.threshold)
        return np.asarray(model.meets(model.measure(held, **others), asked))


def _check(model: str, name: str, value: object) -> Any:
    """A parameter as it is used, or why it cannot be."""
    if name in ("k", "ell") and model != "entropy_diversity":
        return whole(value, name)
    if name == "ground":
        return one_of(value, name, get_args(Ground))
    least = 1 if name == "ell" else 0
    return within(value, name, least, 1) if name == "t" else within(value, name, least)


Requirements: TypeAlias = Requirement | Sequence[Requirement]


def list_requirements(k: object, requirement: object) -> tuple[Requirement, ...]:
    """What was asked for by its short form, as requirements, or both."""
    one = isinstance(requirement, Requirement)
    found: Any = () if requirement is None else [requirement] if one else requirement
    if not isinstance(found, Sequence) or not all(isinstance(one, Requirement) for one in found):
        raise RecordError.given(
            "requirement", requirement, "a models.Requirement, such as Requirement('k_anonymity', "
            "k=3), or a list of several",
        )  # fmt: skip
    short = [Requirement("k_anonymity", k=k)] if k is not None or not found else []
    return (*short, *found)


def is_monotone(requirements: Sequence[Requirement], allowed: int) -> bool:
    """Whether what generalizes a safe table is safe: then unsafe tables rule out all below them.

    Where nothing may be suppressed that holds of all models: two classes that meet one do together.
    Where something may, a class that fails can spoil one that does not; only models that `grow`
    are beyond that.
    """
    return not allowed or all(MODELS[one.model].grows for one in requirements)


def describe_all(requirements: Sequence[Requirement]) -> str:
    """Several requirements in words; of k-anonymity alone the short form."""
    if [one.model for one in requirements] == ["k_anonymity"]:
        return f"k={requirements[0].parameters['k']}"
    return "; ".join(one.words for one in requirements)


def describe_hidden(data: Microdata, requirements: Sequence[Requirement]) -> dict[str, Any]:
    """What a release tells of requirements on sensitive values; nothing where there are none."""
    about = [one.sensitive for one in requirements if one.model != "k_anonymity"]
    names = sorted(set(map(data.schema.find_sensitive, about)))
    sensitive = names if len(names) > 1 else names[0] if names else ""
    return {"requirement": list(map(str, requirements)), "sensitive": sensitive} if about else {}


class Hidden(NamedTuple):
    """A sensitive column as codes of the rows, how often each value occurs, what it must meet."""

    column: Column
    values: pd.Index[Any]
    codes: Rows
    overall: Ints
    requirements: tuple[Requirement, ...]
    earlier: Earlier | None = None


@dataclass(frozen=True, slots=True)
class Judge:
    """Tells which classes of a table's rows meet all requirements; rows may weigh several records.

    Parameters
    ----------
    requirements
        What is asked for.
    k
        How many records each class needs; 0 where that is not asked for.
    hidden
        The sensitive columns that requirements are about.
    weights
        The number of records of each row; None for one each.
    """

    requirements: tuple[Requirement, ...]
    k: int
    hidden: tuple[Hidden, ...]
    weights: Floats | None = None

    @classmethod
    def of(
        cls, data: Microdata, requirements: Sequence[Requirement], missing: Missing, who: str
    ) -> Judge:
        """Read the columns that requirements are about."""
        require_table(data, who)
        sizes = [one.parameters["k"] for one in requirements if one.model == "k_anonymity"]
        k = group_size(max(sizes), len(data)) if sizes else 0
        by_column: dict[tuple[str, Signatures | None], list[Requirement]] = {}
        for one in requirements:
            if one.model != "k_anonymity":
                name = data.schema.find_sensitive(one.sensitive)
                by_column.setdefault((name, one.ledger), []).append(one)
        hidden = []
        for (name, ledger), asked in by_column.items():
            refuse_missing(data, [data.schema[name]], missing)
            codes, values = data.codes(name)
            if len(codes) and codes.min() < 0:
                codes = np.where(codes < 0, len(values), codes)
                values = pd.Index([*values, None], dtype=object)
            overall = np.bincount(codes, minlength=len(values))
            earlier = None
            if ledger is not None:
                earlier, codes = code_earlier(codes, values, ledger.list_signatures(data, name))
                values, overall = values[earlier.value], np.bincount(codes)
            part = Hidden(data.schema[name], values, codes, overall, tuple(asked), earlier)
            hidden.append(part)
        return cls(tuple(requirements), k, tuple(hidden))

    def take(self, rows: Rows, weights: Floats | None = None) -> Judge:
        """The same for some of the rows."""
        hidden = tuple(part._replace(codes=part.codes[rows]) for part in self.hidden)
        return Judge(self.requirements, self.k, hidden, weights)

    def judge(self, labels: AnyInts, classes: int) -> tuple[Values, Flags]:
        """The number of records of each class, and whether it meets all."""
        sizes = np.bincount(labels, self.weights, classes)
        met = sizes >= self.k
        for part in self.hidden:
            held, found = self._count(part, labels, classes)
            for one in part.requirements:
                met[found] &= one.find_met(held)
        return sizes, met

    def _count(self, part: Hidden, labels: AnyInts, classes: int) -> tuple[Counted, Rows]:
        """What the classes that have rows hold, numbered without gaps, and their numbers."""
        found = count_pairs(labels, classes, part.codes, len(part.values), self.weights)
        begins = np.diff(found[0], prepend=-1) > 0
        dense = np.cumsum(begins) - 1
        counted = part.column, part.values, dense, *found[1:], part.overall
        held = Counted(*counted) if not part.earlier else Continuing(*counted, part.earlier)
        return held, found[0][begins]

    def find_failing(self, labels: Rows) -> Rows:
        """The places of the rows in classes that miss a requirement."""
        _, met = self.judge(labels, int(labels.max()) + 1)
        return np.flatnonzero(~met[labels])

    def refuse_unreachable(self) -> None:
        """Refuse what not even all records together meet: then no classes of all of them do.

        Raises
        ------
        InfeasibleError
            The message names the best that can be reached.
        """
        for part in self.hidden:
            everything, _ = self._count(part, np.zeros(len(part.codes), np.intp), 1)
            for one in part.requirements:
                if not one.find_met(everything).all():
                    raise InfeasibleError(
                        _say_unreachable(one, everything), field=MODELS[one.model].threshold
                    )


def _say_unreachable(one: Requirement, held: Counted) -> str:
    """The sentence that names the best value of a parameter that any classes can reach."""
    model, others = MODELS[one.model], one.parameters
    asked, all_of_them = others.pop(model.threshold), f"all {count(held.total, 'record')} together"
    found, name = float(model.measure(held, **others)[0]), quoted(held.column.name)
    said = f"{model.threshold} was given as {text(asked)}, but"
    if one.model == "recursive_diversity":
        shares = [float(compare_with_rarer(held, ell=at)[0]) for at in range(1, others["ell"] + 1)]
        able = [at for at, share in enumerate(shares, 1) if share < asked]
        more = f"c must be above {text(found)}" if np.isfinite(found) else "no c is enough"
        return (
            f"{said} with ell {others['ell']} {more} for {name} in {all_of_them}, and less is not "
            f"enough for any classes of them; the largest ell that can be reached with it is "
            f"{max(able, default='none')}."
        )
    if one.model == "continued":
        return (
            f"{said} even if {all_of_them} were one class, somebody would be left "
            f"{count(int(found), 'value')} of {name} by it and what was published before; the "
            f"largest ell that can be reached is {int(found) or 'none'}."
        )
    if found < 0:
        different = int(count_different(held)[0])
        return (
            f"k was given as {others['k']}, but {all_of_them} hold "
            f"{count(different, 'different value')} of {name}; the largest k that can be reached "
            f"is {different}."
        )
    words = "range" if one.model == "ke_anonymity" else model.words
    best = int(found) if model.threshold == "ell" else found
    return (
        f"{said} the {words} of {name} in {all_of_them} is {text(round(found, 4))}, and no classes "
        f"of them all have more; the largest {model.threshold} that can be reached is {text(best)}."
    )
