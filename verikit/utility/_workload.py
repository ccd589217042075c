"""Draw workloads of queries, and measure how far their answers are off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.plotted import Plotted
from verikit._support.requests import instance, one_of, share, whole
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.partition import value_codes
from verikit.query import Among, And, Answer, Between, Not, Or, Query, evidence_of
from verikit.release import Release
from verikit.table import Column, Microdata, require_table
from verikit.words import count


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RelativeError(Plotted):
    """The errors of the answers to a workload.

    Parameters
    ----------
    errors
        |true - estimate| / |true| of each query whose true answer is a number besides 0.
    left_out
        How many queries have the true answer 0 or none, for which no relative error exists.
    true, answers
        The true answer and that of the release to every query.
    """

    errors: Floats
    left_out: int
    true: Floats
    answers: tuple[Answer, ...]

    @property
    def mean(self) -> float:
        """The average relative error."""
        return float(self.errors.mean())

    @property
    def median(self) -> float:
        """The relative error that half of the queries exceed."""
        return float(np.median(self.errors))

    def __repr__(self) -> str:
        left = f"; {self.left_out} with no record left out" if self.left_out else ""
        return (
            f"relative error {self.mean:.3g} on average, {self.median:.3g} in the middle, over "
            f"{count(len(self.errors), 'query', 'queries')}{left}"
        )


def relative_error(data: Microdata, release: Release, queries: Sequence[Query]) -> RelativeError:
    """Compare what a release answers with what the original would.

    Parameters
    ----------
    data
        The original.
    release
        What was published of it.
    queries
        Queries, such as `workload` draws.

    Returns
    -------
    RelativeError
        The error of each query whose true answer is not 0, and how many were left out.

    Raises
    ------
    RecordError
        If no query has a true answer besides 0, or one of them cannot be answered.

    References
    ----------
    [LHCC]_ section 4.2

    Examples
    --------
    >>> import verikit as vk
    >>> data, query = vk.load("lhcc_table1"), vk.Query.count({"Age": (40, 70), "Disease": "Flu"})
    >>> relative_error(data, vk.published("lhcc_table3"), [query, vk.Query.count({"Age": (0, 5)})])
    relative error 0.225 on average, 0.225 in the middle, over 1 query; 1 with no record left out
    """
    instance(queries, (list, tuple), "relative_error", "a list of queries")
    original, published = evidence_of(data), evidence_of(release)
    true = np.array([original.answer(query).estimate for query in queries])
    answers = tuple(published.answer(query) for query in queries)
    estimates = np.array([answer.estimate for answer in answers])
    there = (true != 0) & ~np.isnan(true) & ~np.isnan(estimates)
    if not there.any():
        raise RecordError(
            f"None of the {len(queries)} queries finds a record in the original, so no relative "
            "error exists; ask for wider ranges."
        )
    errors = np.abs(true - estimates)[there] / np.abs(true[there])
    return RelativeError(errors, int(np.count_nonzero(~there)), true, answers)


Exponent: TypeAlias = Literal["corrected", "printed"]
PATIENCE = 100
MAX_QUERIES = 1_000_000  # each is drawn and kept: more would not end


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Workload:
    """Random queries that each find a record.

    Parameters
    ----------
    queries
        The queries.
    redrawn
        How many were drawn that found none, and replaced.
    """

    queries: tuple[Query, ...]
    redrawn: int

    def __len__(self) -> int:
        return len(self.queries)

    def mixed(self, *, seed: int) -> Workload:
        """The same conditions joined at random by "and" or "or", some of them turned into "not".

        Nothing is drawn again, so that some of these queries may find no record.
        """
        rng = generator(seed)
        mixed = []
        for query in self.queries:
            joined, *rest = (Not(part) if rng.random() < 0.3 else part for part in query.where)
            for part in rest:
                joined = And(joined, part) if rng.random() < 0.5 else Or(joined, part)
            mixed.append(Query(joined))  # type: ignore[arg-type]
        return replace(self, queries=tuple(mixed))

    def __repr__(self) -> str:
        queries = count(len(self), "query", "queries")
        return f"Workload({queries}; {self.redrawn} without a record drawn again)"


def workload(
    data: Microdata,
    *,
    queries: int = 1000,
    conditions: int,
    selectivity: float = 0.1,
    exponent: Exponent = "corrected",
    sensitive: str | None = None,
    seed: int,
) -> Workload:
    """Draw counting queries with a range on some quasi-identifiers and the sensitive column.

    Each condition asks for neighbouring values of its column, as many as give all conditions
    together the selectivity wanted, if values were spread evenly. Queries that find no record in
    the data have no relative error and are drawn again.

    Parameters
    ----------
    data
        The original: its values are the domains.
    queries
        How many queries to draw.
    conditions
        How many conditions each has; the last is on the sensitive column.
    selectivity
        The share of records wanted, above 0 and at most 1.
    exponent
        ``corrected``: each of w conditions selects the share s^(1/w) of its values;
        ``printed``: s^(1/(w+1)), with which w conditions select more than s.
    sensitive
        The sensitive column; needed only if several are.
    seed
        The randomness.

    Returns
    -------
    Workload
        The queries, and how many were drawn again.

    Raises
    ------
    InfeasibleError
        If there are too few quasi-identifiers, or hardly any query finds a record.
    RecordError
        If a number is out of range, or the exponent has no such name.

    References
    ----------
    [LHCC]_ section 4.2

    Examples
    --------
    >>> import verikit as vk
    >>> drawn = workload(vk.load("lhcc_table1"), queries=3, conditions=2, selectivity=0.5, seed=1)
    >>> drawn.queries[0]
    count where Age from 45 to 70 and Disease is Emphysema or Flu or Gastritis or Pneumonia
    """
    require_table(data, "workload")
    hidden = data.schema.find_sensitive(sensitive)
    known = [column.name for column in data.schema.quasi]
    queries = whole(queries, "queries", most=MAX_QUERIES)
    conditions = whole(conditions, "conditions")
    if conditions > len(known) + 1:
        raise InfeasibleError(
            f"{count(conditions, 'condition')} were asked for; with "
            f"{count(len(known), 'quasi-identifier')} and the "
            f"sensitive column there can be 1 to {len(known) + 1}."
        )
    one_of(exponent, "exponent", get_args(Exponent))
    wanted = share(selectivity, "selectivity", above=True)
    part = wanted ** (1 / (conditions + (exponent == "printed")))
    rng = generator(seed)
    domains = {name: _list_domain(data, name) for name in (*known, hidden)}
    evidence = evidence_of(data)
    drawn: list[Query] = []
    redrawn = 0
    while len(drawn) < queries:
        names = [*rng.choice(known, conditions - 1, replace=False).tolist(), hidden]
        query = Query(tuple(_draw_piece(data.schema[n], domains[n], part, rng) for n in names))
        if evidence.answer(query).estimate:
            drawn.append(query)
        else:
            redrawn += 1
        if redrawn > PATIENCE * (len(drawn) + 10):
            raise InfeasibleError(
                f"Of {redrawn + len(drawn)} queries drawn only {len(drawn)} find a record; ask for "
                "fewer conditions or a higher selectivity."
            )
    return Workload(tuple(drawn), redrawn)


def _list_domain(data: Microdata, name: str) -> tuple[Any, ...]:
    """The values of a column in their order: all declared categories, else those that occur."""
    column = data.schema[name]
    if column.kind != "numeric" and column.categories is not None:
        return column.categories
    found = tuple(value for value in value_codes(data, name).values if value is not None)
    if not found:
        raise SchemaError(
            f"Every value of column {quoted(name)} is missing, so no query can ask for one; leave "
            "the column out."
        )
    return found


def _draw_piece(
    column: Column, domain: tuple[Any, ...], share: float, rng: np.random.Generator
) -> Between | Among:
    length = max(1, int(len(domain) * share + 1e-9))
    start = int(rng.integers(len(domain) - length + 1))
    values = domain[start : start + length]
    if column.kind == "numeric":
        return Between(column.name, values[0], values[-1])
    return Among(column.name, frozenset(values))
