"""Ask a table: an aggregate of the records that meet conditions, in Python or in SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from verikit.cells import Among, Between, Closed, condition_of
from verikit.errors import RecordError
from verikit.table import number
from verikit.words import listed, text

MAX_DEPTH = 50


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Junction:
    """Conditions joined by one word."""

    parts: tuple[Predicate, ...]
    depth: int = field(compare=False)
    word: ClassVar[str]

    def __init__(self, *parts: Predicate) -> None:
        if not parts:
            raise RecordError(
                f"{type(self).__name__} was given no condition; give at least one, or leave it out."
            )
        object.__setattr__(self, "parts", check_predicates(parts))
        object.__setattr__(self, "depth", _find_depth(parts))

    def __repr__(self) -> str:
        return f" {self.word} ".join(map(_write_inside, self.parts))


class And(Junction):
    """What meets all of some conditions.

    Parameters
    ----------
    parts
        The conditions, given one after another.

    Examples
    --------
    >>> And(Between("Age", 40, 70), Not(Among("Sex", frozenset("F"))))
    Age from 40 to 70 and not Sex is F
    """

    __slots__ = ()
    word = "and"


class Or(Junction):
    """What meets at least one of some conditions.

    Parameters
    ----------
    parts
        The conditions, given one after another.

    Examples
    --------
    >>> And(Or(Between("Age", high=20), Between("Age", 65)), Among("Sex", frozenset("F")))
    (Age up to 20 or Age from 65 on) and Sex is F
    """

    __slots__ = ()
    word = "or"


@dataclass(frozen=True, slots=True, repr=False)
class Not:
    """What does not meet a condition; a missing value meets neither a condition nor its opposite.

    Parameters
    ----------
    part
        The condition.

    Examples
    --------
    >>> Not(Or(Among("Job", frozenset({"clerk"})), Between("Age", high=20)))
    not (Job is clerk or Age up to 20)
    """

    part: Predicate
    depth: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no condition, and what is nested too deeply."""
        object.__setattr__(self, "depth", _find_depth(check_predicates((self.part,))))

    def __repr__(self) -> str:
        return f"not {_write_inside(self.part)}"


Predicate: TypeAlias = Between | Among | And | Or | Not


def check_predicates(parts: Iterable[object]) -> tuple[Predicate, ...]:
    """Refuse parts of which one is no condition."""
    found = tuple(parts)
    wrong = [type(p).__name__ for p in found if not isinstance(p, (Between, Among, And, Or, Not))]
    if wrong:
        raise RecordError(
            f"A query was given {listed(wrong)}; expected Between, Among, And, Or or Not, or say "
            "Query.count({'Age': (40, 70), 'Sex': 'F'})."
        )
    return found  # type: ignore[return-value]


def _find_depth(parts: tuple[Predicate, ...]) -> int:
    depth = 1 + max(0 if isinstance(part, (Between, Among)) else part.depth for part in parts)
    if depth > MAX_DEPTH:
        raise RecordError(
            f"The conditions are nested {depth} deep; expected at most {MAX_DEPTH}. What one word "
            "joins needs no nesting: And(a, b, c)."
        )
    return depth


def _write_inside(part: Predicate) -> str:
    return f"({part!r})" if isinstance(part, Junction) and len(part.parts) > 1 else repr(part)


def write_sql(where: Sequence[Predicate], aggregate: str, of: str | None, table: str) -> str:
    """Write one select statement, in which names and texts are quoted.

    Examples
    --------
    >>> write_sql((Not(Between("Age", 40, 70)),), "count", None, "t")
    'select count(*) from t where not "Age" between 40 and 70'
    """
    plain = table.isidentifier() and table.isascii()
    asked = "count(*)" if of is None else f"{aggregate}({quote_name(of)})"
    words = ["select", asked, "from", table if plain else quote_name(table)]
    if where:
        met = _write_condition(where[0]) if len(where) == 1 else _join_sql(where, "and")
        words += ["where", met]
    return " ".join(words)


def _write_condition(part: Predicate) -> str:
    if isinstance(part, Not):
        return f"not {_join_sql((part.part,), '')}"
    if not isinstance(part, (Between, Among)):
        return _join_sql(part.parts, part.word)
    name = quote_name(part.column)
    if isinstance(part, Among):
        values = [quote_text(value) for value in sorted(part.values)]
        return f"{name} = {values[0]}" if len(values) == 1 else f"{name} in ({', '.join(values)})"
    ends = [quote_text(e) if isinstance(e, str) else text(e) for e in (part.low, part.high)]
    if part.closed == "both" and part.low is not None and part.high is not None:
        return f"{name} between {ends[0]} and {ends[1]}"
    found = []
    if part.low is not None:
        found.append(f"{name} {'>=' if part.closed in ('both', 'left') else '>'} {ends[0]}")
    if part.high is not None:
        found.append(f"{name} {'<=' if part.closed in ('both', 'right') else '<'} {ends[1]}")
    return found[0] if len(found) == 1 else f"({' and '.join(found)})"


def _join_sql(parts: Sequence[Predicate], word: str) -> str:
    """Join conditions by a word; what could be taken apart otherwise stands in brackets."""
    found = [
        _write_condition(p) if isinstance(p, (Between, Among)) else f"({_write_condition(p)})"
        for p in parts
    ]
    return f" {word} ".join(found)


def quote_text(value: str) -> str:
    """Quote a text for a database, whatever stands in it."""
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


def quote_name(name: str) -> str:
    """Quote the name of a column, whatever stands in it.

    Examples
    --------
    >>> print(quote_name('age at "42"s'))
    "age at ""42""s"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


Aggregate: TypeAlias = Literal["count", "sum", "avg", "min", "max"]
Where: TypeAlias = "Mapping[str, object] | Predicate | Iterable[Predicate] | str | None"
ONE = (Between, Among, And, Or, Not)
HELP = (
    "expected one of count(*), sum, avg, min and max of a column, from one table, where "
    "comparisons, between and in are joined by and, or, not"
)


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
        found = check_predicates(given)
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
        """Count by column: a pair of numbers is a range, a value or a set of values a choice.

        Conditions may also be given as in SQL: ``"age > 40 or sex = 'F'"``.
        """
        return cls(_read_conditions(where))

    @classmethod
    def sum(cls, of: str, where: Where = None) -> Query:
        """Add up a column of numbers."""
        return cls(_read_conditions(where), "sum", of)

    @classmethod
    def avg(cls, of: str, where: Where = None) -> Query:
        """Average a column of numbers."""
        return cls(_read_conditions(where), "avg", of)

    @classmethod
    def min(cls, of: str, where: Where = None) -> Query:
        """Find the smallest number of a column."""
        return cls(_read_conditions(where), "min", of)

    @classmethod
    def max(cls, of: str, where: Where = None) -> Query:
        """Find the largest number of a column."""
        return cls(_read_conditions(where), "max", of)

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
        return write_sql(self.where, self.aggregate, self.of, table)

    def __repr__(self) -> str:
        asked = self.aggregate if self.of is None else f"{self.aggregate} of {self.of}"
        if not self.where:
            return asked
        return f"{asked} where {self.where[0] if len(self.where) == 1 else And(*self.where)!r}"


def _read_conditions(where: Where) -> tuple[Predicate, ...]:
    if isinstance(where, str):
        return Query.sql(f"select count(*) from t where {where}").where  # noqa: S608 - never run
    if isinstance(where, Mapping):
        return tuple(condition_of(name, value) for name, value in where.items())
    if isinstance(where, ONE):
        return (where,)
    return () if where is None else check_predicates(where)


def read_query(given: object, expected: str = "a Query, or a text in SQL") -> Query:
    """Read a question: a `Query` as it is, a text as SQL."""
    if isinstance(given, str):
        return Query.sql(given)
    if isinstance(given, Query):
        return given
    raise RecordError(f"A query was given as {type(given).__name__}; expected {expected}.")


def read_sql(statement: str) -> tuple[tuple[Predicate, ...], str, str | None]:
    """Take a statement apart: its conditions, the aggregate and its column.

    sqlglot reads it, and it is never run, so that nothing else can be asked with it.

    Examples
    --------
    >>> read_sql("select max(pay) from t where 18 <= age and not (job = 'nurse' or age > 65)")
    ((age from 18 on, not (job is nurse or age above 65)), 'max', 'pay')
    """
    if not isinstance(statement, str):
        raise RecordError(f"A query was given as {type(statement).__name__}; {HELP}.")
    try:
        tree = _parse_select(statement)
        aggregate, of = _read_aggregate(tree, statement)
        _check_clauses(tree, statement)
        where = tree.args.get("where")
        parts = () if where is None else _split_chain(where.this, "And")
        return tuple(map(_read_condition, parts)), aggregate, of
    except RecursionError:
        raise RecordError(
            f"The query {_shorten(statement)} nests its conditions too deeply; expected at most "
            f"{MAX_DEPTH} levels."
        ) from None


def _shorten(statement: str) -> str:
    return repr(statement if len(statement) <= 80 else statement[:79] + "…")


def _parse_select(statement: str) -> Any:
    try:
        import sqlglot
        from sqlglot import exp
    except ImportError:
        raise RecordError(
            "Queries in SQL need sqlglot; install it with  pip install 'verikit[jupyter]', or give "
            "a Query."
        ) from None
    try:
        trees = sqlglot.parse(statement)
    except sqlglot.errors.SqlglotError as error:
        reason = re.split(r"\. Line| but got <|\n", str(error))[0][:80].rstrip(".")
        raise RecordError(f"The query {_shorten(statement)} is no SQL: {reason}; {HELP}.") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise RecordError(f"The query {_shorten(statement)} is no single select; {HELP}.")
    return trees[0]


def _read_aggregate(tree: Any, statement: str) -> tuple[str, str | None]:
    """Find the one aggregate that is asked for, and its column."""
    from sqlglot import exp

    asked = [part.unalias() for part in tree.expressions]
    known = {getattr(exp, name.title()): name for name in get_args(Aggregate)}
    name = known.get(type(asked[0])) if len(asked) == 1 else None
    of = asked[0].this if name and not asked[0].expressions else None
    if name == "count" and isinstance(of, exp.Star):
        return "count", None
    if name not in (None, "count") and isinstance(of, exp.Column):
        return name, _read_column(of)
    raise RecordError(
        f"The query {_shorten(statement)} does not ask for one aggregate alone; {HELP}."
    )


def _check_clauses(tree: Any, statement: str) -> None:
    from sqlglot import exp

    known = {"expressions", "from", "from_", "where", "kind"}
    more = [name.strip("_") for name, part in tree.args.items() if part and name not in known]
    source = tree.args.get("from") or tree.args.get("from_")
    table: Any = source.this if source is not None else None
    named = isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier)
    if named:
        more += [
            name for name, part in table.args.items() if part and name not in ("this", "alias")
        ]
    if more or not named:
        raise RecordError(
            f"The query {_shorten(statement)} asks for more than an aggregate of one table"
            f"{' (' + ', '.join(more) + ')' if more else ''}; {HELP}."
        )


def _split_chain(tree: Any, word: str) -> list[Any]:
    """List what one word joins, in order; a long chain is a deep tree, so no call calls itself."""
    from sqlglot import exp

    found: list[Any] = []
    waiting = [tree]
    while waiting:
        part = waiting.pop().unnest()
        if isinstance(part, getattr(exp, word)):
            waiting += [part.expression, part.this]
        else:
            found.append(part)
    return found


def _read_condition(tree: Any) -> Predicate:
    from sqlglot import exp

    part = tree.unnest()
    if isinstance(part, (exp.And, exp.Or)):
        join = And if isinstance(part, exp.And) else Or
        return join(*map(_read_condition, _split_chain(part, join.__name__)))
    return Not(_read_condition(part.this)) if isinstance(part, exp.Not) else _read_comparison(part)


def _read_comparison(tree: Any) -> Predicate:
    from sqlglot import exp

    if isinstance(tree, exp.Between) and not tree.args.get("symmetric"):
        low, high = _read_literal(tree.args["low"]), _read_literal(tree.args["high"])
        return Between(_read_column(tree.this), low, high)
    if isinstance(tree, exp.In) and tree.expressions:
        column = _read_column(tree.this)
        return Among(column, frozenset(map(text, map(_read_literal, tree.expressions))))
    if not isinstance(tree, (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)):
        raise RecordError(f"The condition {_shorten(tree.sql())} is not understood; {HELP}.")
    left, right = tree.this, tree.expression
    mirrored = isinstance(right, exp.Column) and not isinstance(left, exp.Column)
    if mirrored:
        left, right = right, left
    column, value = _read_column(left), _read_literal(right)
    if isinstance(tree, (exp.EQ, exp.NEQ)):
        chosen = Among(column, frozenset({text(value)}))
        return chosen if isinstance(tree, exp.EQ) else Not(chosen)
    closed: Closed = "both" if isinstance(tree, (exp.LTE, exp.GTE)) else "neither"
    if isinstance(tree, (exp.LT, exp.LTE)) != mirrored:
        return Between(column, high=value, closed=closed)
    return Between(column, low=value, closed=closed)


def _read_column(tree: Any) -> str:
    from sqlglot import exp

    plain = isinstance(tree, exp.Column) and isinstance(tree.this, exp.Identifier)
    if not plain or tree.args.get("db"):
        raise RecordError(f"{_shorten(tree.sql())} stands where a column is expected; {HELP}.")
    return str(tree.name)


def _read_literal(tree: Any) -> Any:
    from sqlglot import exp

    sign = "-" if isinstance(tree, exp.Neg) else ""
    tree = tree.this if sign else tree
    if isinstance(tree, exp.Literal) and tree.is_string and not sign:
        return str(tree.this)
    if isinstance(tree, exp.Literal) and not tree.is_string:
        number(float(found := Decimal(sign + tree.this)), sign + tree.this)  # refuses infinite ones
        return found
    raise RecordError(
        f"{_shorten(sign + tree.sql())} stands where a number or a text is expected; {HELP}."
    )
