"""Questions to a table: an aggregate of the records that meet conditions on its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from verikit.cells import Among, Between, condition_of
from verikit.errors import RecordError
from verikit.query._predicate import And, Not, Or, Predicate, predicates
from verikit.query._sql import read_sql
from verikit.query._sql_text import written
from verikit.words import text

__all__ = ["Aggregate", "Query", "Where"]

Aggregate: TypeAlias = Literal["count", "sum", "avg", "min", "max"]
Where: TypeAlias = "Mapping[str, object] | Predicate | Iterable[Predicate] | None"
ONE = (Between, Among, And, Or, Not)


@dataclass(frozen=True, slots=True)
class Query:
    """An aggregate of the records that meet some conditions, of their number to begin with.

    Parameters
    ----------
    where
        The conditions, all of which must be met: each a `Between`, an `Among`, or others put
        together by `And`, `Or` and `Not`.
    aggregate
        ``count``, ``sum``, ``avg``, ``min`` or ``max``.
    of
        The column that is summed, averaged or searched; None for a count.

    Examples
    --------
    >>> Query.count({"Age": (40, 70), "Sex": "F", "Disease": "Flu"})
    count where Age from 40 to 70 and Sex is F and Disease is Flu
    >>> Query.sql("select avg(salary) from t where age > 40 or disease not in ('Flu', 'Cancer')")
    avg of salary where age above 40 or not disease is Cancer or Flu
    >>> print(Query.sum("Salary", {"Sex": "F"}).sql_text())
    select sum("Salary") from t where "Sex" = 'F'
    """

    where: tuple[Predicate, ...] = ()
    aggregate: Aggregate = "count"
    of: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no condition, and an aggregate without its column."""
        given = (self.where,) if isinstance(self.where, ONE) else self.where
        found = predicates(given)
        flat = [part.parts if isinstance(part, And) else (part,) for part in found]
        object.__setattr__(self, "where", tuple(part for parts in flat for part in parts))
        if self.aggregate not in get_args(Aggregate):
            raise RecordError(
                f"The aggregate was given as {text(self.aggregate)[:80]!r}; expected one of "
                f"{', '.join(get_args(Aggregate))}.",
                field="aggregate",
                value=self.aggregate,
            )
        if (self.of is None) != (self.aggregate == "count"):
            raise RecordError(
                f"The query asks for the {self.aggregate} of {self.of!r}; a count is of records, "
                "and every other aggregate needs the name of a column."
            )

    @classmethod
    def count(cls, where: Where = None) -> Query:
        """Count by column: a pair of numbers is a range, a value or a set of values a choice."""
        return cls(_conditions(where))

    @classmethod
    def sum(cls, of: str, where: Where = None) -> Query:
        """Add up a column of numbers."""
        return cls(_conditions(where), "sum", of)

    @classmethod
    def avg(cls, of: str, where: Where = None) -> Query:
        """Average a column of numbers."""
        return cls(_conditions(where), "avg", of)

    @classmethod
    def min(cls, of: str, where: Where = None) -> Query:
        """Find the smallest number of a column."""
        return cls(_conditions(where), "min", of)

    @classmethod
    def max(cls, of: str, where: Where = None) -> Query:
        """Find the largest number of a column."""
        return cls(_conditions(where), "max", of)

    @classmethod
    def sql(cls, statement: str) -> Query:
        """Read ``select sum(a) from t where ...``: comparisons, between, in, and, or, not.

        The statement is taken apart and never run, so that nothing else can be asked with it.

        Raises
        ------
        RecordError
            If it asks for anything else; the message names it.
        """
        return cls(*read_sql(statement))  # type: ignore[arg-type]

    def sql_text(self, table: str = "t") -> str:
        """Write the question in SQL; a group of a hierarchy stands there as its name."""
        return written(self.where, self.aggregate, self.of, table)

    def __repr__(self) -> str:
        asked = self.aggregate if self.of is None else f"{self.aggregate} of {self.of}"
        if not self.where:
            return asked
        return f"{asked} where {self.where[0] if len(self.where) == 1 else And(*self.where)!r}"


def _conditions(where: Where) -> tuple[Predicate, ...]:
    if isinstance(where, Mapping):
        return tuple(condition_of(name, value) for name, value in where.items())
    if isinstance(where, ONE):
        return (where,)
    return () if where is None else predicates(where)
