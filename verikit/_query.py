"""Questions to a table: how many records meet conditions on its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verikit._conditions import Among, Between, Condition, condition_of
from verikit._query_sql import conditions_of
from verikit.errors import RecordError
from verikit.hierarchy import listed

__all__ = ["Query"]


@dataclass(frozen=True, slots=True)
class Query:
    """How many records meet all of some conditions.

    Parameters
    ----------
    where
        The conditions, each a `Between` or an `Among`.

    Examples
    --------
    >>> Query.count({"Age": (40, 70), "Sex": "F", "Disease": "Flu"})
    count where Age from 40 to 70 and Sex is F and Disease is Flu
    >>> Query.sql("select count(*) from t where age > 40 and disease in ('Flu', 'Cancer')")
    count where age above 40 and disease is Cancer or Flu
    """

    where: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no condition."""
        object.__setattr__(self, "where", tuple(self.where))
        wrong = [
            type(part).__name__ for part in self.where if not isinstance(part, (Among, Between))
        ]
        if wrong:
            raise RecordError(
                f"A query was given {listed(wrong)}; expected Between or Among, or say "
                "Query.count({'Age': (40, 70), 'Sex': 'F'})."
            )

    @classmethod
    def count(cls, where: Mapping[str, object] | None = None) -> Query:
        """Count by column: a pair of numbers is a range, a value or a set of values a choice."""
        return cls(tuple(condition_of(name, value) for name, value in (where or {}).items()))

    @classmethod
    def sql(cls, statement: str) -> Query:
        """Read ``select count(*) from t where ...``: comparisons, between and in, joined by and.

        The statement is taken apart and never run, so that nothing else can be asked with it.

        Raises
        ------
        RecordError
            If it asks for anything else; the message names it.
        """
        return cls(conditions_of(statement))

    def __repr__(self) -> str:
        return "count" + (" where " if self.where else "") + " and ".join(map(repr, self.where))
