"""Questions written in SQL, taken apart by sqlglot and never run."""

from __future__ import annotations

import re
from typing import Any

from verikit.cells import Among, Between, Closed
from verikit.errors import RecordError
from verikit.query._predicate import DEEPEST, And, Not, Or, Predicate
from verikit.table import number
from verikit.words import text

__all__ = ["read_sql"]

HELP = (
    "expected one of count(*), sum, avg, min and max of a column, from one table, where "
    "comparisons, between and in are joined by and, or, not"
)
AGGREGATES = ("sum", "avg", "min", "max")


def read_sql(statement: str) -> tuple[tuple[Predicate, ...], str, str | None]:
    """The conditions, the aggregate and its column.

    Examples
    --------
    >>> read_sql("select max(pay) from t where 18 <= age and not (job = 'nurse' or age > 65)")
    ((age from 18 on, not (job is nurse or age above 65)), 'max', 'pay')
    """
    if not isinstance(statement, str):
        raise RecordError(f"A query was given as {type(statement).__name__}; {HELP}.")
    try:
        tree = _tree(statement)
        aggregate, of = _asked(tree, statement)
        _check_clauses(tree, statement)
        where = tree.args.get("where")
        return (() if where is None else tuple(_all_of(where.this))), aggregate, of
    except RecursionError:
        raise RecordError(
            f"The query {_short(statement)} nests its conditions too deeply; expected at most "
            f"{DEEPEST} levels."
        ) from None


def _short(statement: str) -> str:
    return repr(statement if len(statement) <= 80 else statement[:79] + "…")


def _tree(statement: str) -> Any:
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
        raise RecordError(f"The query {_short(statement)} is no SQL: {reason}; {HELP}.") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise RecordError(f"The query {_short(statement)} is no single select; {HELP}.")
    return trees[0]


def _asked(tree: Any, statement: str) -> tuple[str, str | None]:
    """The one aggregate that is asked for, and its column."""
    from sqlglot import exp

    asked = [part.unalias() for part in tree.expressions]
    known = {exp.Count: "count", **{getattr(exp, name.title()): name for name in AGGREGATES}}
    name = known.get(type(asked[0])) if len(asked) == 1 else None
    of = asked[0].this if name and not asked[0].expressions else None
    if name == "count" and isinstance(of, exp.Star):
        return "count", None
    if name in AGGREGATES and isinstance(of, exp.Column):
        return name, _column(of)
    raise RecordError(
        f"The query {_short(statement)} does not ask for one aggregate alone; {HELP}."
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
            f"The query {_short(statement)} asks for more than an aggregate of one table"
            f"{' (' + ', '.join(more) + ')' if more else ''}; {HELP}."
        )


def _all_of(tree: Any) -> list[Predicate]:
    from sqlglot import exp

    return [_predicate(part) for part in _joined(tree, exp.And)]


def _joined(tree: Any, word: Any) -> list[Any]:
    """What one word joins, in order; a long chain is a deep tree, so no call calls itself."""
    found: list[Any] = []
    waiting = [tree]
    while waiting:
        part = waiting.pop().unnest()
        if isinstance(part, word):
            waiting += [part.expression, part.this]
        else:
            found.append(part)
    return found


def _predicate(tree: Any) -> Predicate:
    from sqlglot import exp

    if isinstance(tree, exp.And):
        return And(*_all_of(tree))
    if isinstance(tree, exp.Or):
        return Or(*(_predicate(part) for part in _joined(tree, exp.Or)))
    if isinstance(tree, exp.Not):
        return Not(_predicate(tree.this.unnest()))
    if isinstance(tree, exp.Between) and not tree.args.get("symmetric"):
        low, high = _literal(tree.args["low"]), _literal(tree.args["high"])
        return Between(_column(tree.this), low, high)
    if isinstance(tree, exp.In) and tree.expressions:
        return Among(_column(tree.this), frozenset(text(_literal(v)) for v in tree.expressions))
    if isinstance(tree, (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)):
        return _comparison(tree)
    raise RecordError(f"The condition {_short(tree.sql())} is not understood; {HELP}.")


def _comparison(tree: Any) -> Predicate:
    from sqlglot import exp

    left, right = tree.this, tree.expression
    mirrored = isinstance(right, exp.Column) and not isinstance(left, exp.Column)
    column, value = _column(right if mirrored else left), _literal(left if mirrored else right)
    if isinstance(tree, (exp.EQ, exp.NEQ)):
        chosen = Among(column, frozenset({text(value)}))
        return chosen if isinstance(tree, exp.EQ) else Not(chosen)
    closed: Closed = "both" if isinstance(tree, (exp.LTE, exp.GTE)) else "neither"
    if isinstance(tree, (exp.LT, exp.LTE)) != mirrored:
        return Between(column, high=value, closed=closed)
    return Between(column, low=value, closed=closed)


def _column(tree: Any) -> str:
    from sqlglot import exp

    plain = isinstance(tree, exp.Column) and isinstance(tree.this, exp.Identifier)
    if not plain or tree.args.get("db"):
        raise RecordError(f"{_short(tree.sql())} stands where a column is expected; {HELP}.")
    return str(tree.name)


def _literal(tree: Any) -> float | str:
    from sqlglot import exp

    sign = 1.0
    if isinstance(tree, exp.Neg):
        sign, tree = -1.0, tree.this
    if isinstance(tree, exp.Literal) and tree.is_string and sign > 0:
        return str(tree.this)
    if isinstance(tree, exp.Literal) and not tree.is_string:
        return sign * number(tree.this, tree.sql())
    raise RecordError(f"{_short(tree.sql())} stands where a number or a text is expected; {HELP}.")
