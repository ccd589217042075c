"""Counting queries written in SQL, taken apart by sqlglot and never run."""

from __future__ import annotations

from typing import Any, cast

from verikit._conditions import Among, Between, Closed, Condition
from verikit._guard import guard
from verikit.errors import RecordError, quoted, shortened
from verikit.hierarchy import text
from verikit.table import number

__all__ = ["conditions_of"]

LONGEST = 100_000
HELP = "expected select count(*) from t where ..., with comparisons, between and in joined by and"


def conditions_of(statement: str) -> tuple[Condition, ...]:
    """The conditions of a counting query.

    Examples
    --------
    >>> conditions_of("select count(*) from t where 18 <= age")
    (age from 18 on,)
    """
    if not isinstance(statement, str):
        raise RecordError(f"A query was given as {type(statement).__name__}; {HELP}.")
    if len(statement) > LONGEST:
        raise RecordError(
            f"The query has {len(statement):,} characters; expected up to {LONGEST:,}."
        )
    with guard(f"The query {quoted(statement)}", RecordError):
        where = _tree(statement).args.get("where")
        return tuple(map(_condition, _joined(where.this))) if where is not None else ()


def _tree(statement: str) -> Any:
    try:
        import sqlglot
        from sqlglot import exp
    except ImportError:
        raise RecordError(
            "Queries in SQL need sqlglot; install it with  pip install 'verikit[scale]', or give a "
            "Query."
        ) from None
    try:
        trees = sqlglot.parse(statement)
    except sqlglot.errors.SqlglotError as error:
        reason = str(error).split("\n")[0]
        raise RecordError(
            f"The query {quoted(statement)} is no SQL: {shortened(reason)}; {HELP}."
        ) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise RecordError(f"The query {quoted(statement)} is no single select; {HELP}.")
    tree = cast("Any", trees[0])
    asked = tree.expressions
    counts = len(asked) == 1 and isinstance(asked[0].unalias(), exp.Count)
    if not counts or not isinstance(asked[0].unalias().this, exp.Star):
        raise RecordError(f"The query {quoted(statement)} does not ask for count(*) alone; {HELP}.")
    _check_clauses(tree, statement)
    return tree


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
            f"The query {quoted(statement)} asks for more than a count from one table"
            f"{' (' + ', '.join(more) + ')' if more else ''}; {HELP}."
        )


def _joined(tree: Any) -> list[Any]:
    from sqlglot import exp

    found, waiting = [], [tree]
    while waiting:
        part = waiting.pop().unnest()
        if isinstance(part, exp.And):
            waiting += [part.expression, part.this]
        else:
            found.append(part)
    return found


def _condition(tree: Any) -> Condition:
    from sqlglot import exp

    if isinstance(tree, exp.Between) and not tree.args.get("symmetric"):
        low, high = _literal(tree.args["low"]), _literal(tree.args["high"])
        return Between(_column(tree.this), low, high)
    if isinstance(tree, exp.In) and tree.expressions:
        return Among(_column(tree.this), frozenset(text(_literal(v)) for v in tree.expressions))
    if isinstance(tree, (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE)):
        return _comparison(tree)
    raise RecordError(f"The condition {quoted(tree.sql())} is not understood; {HELP}.")


def _comparison(tree: Any) -> Condition:
    from sqlglot import exp

    left, right = tree.this, tree.expression
    mirrored = isinstance(right, exp.Column) and not isinstance(left, exp.Column)
    column, value = _column(right if mirrored else left), _literal(left if mirrored else right)
    if isinstance(tree, exp.EQ):
        return Among(column, frozenset({text(value)}))
    closed: Closed = "both" if isinstance(tree, (exp.LTE, exp.GTE)) else "neither"
    if isinstance(tree, (exp.LT, exp.LTE)) != mirrored:
        return Between(column, high=value, closed=closed)
    return Between(column, low=value, closed=closed)


def _column(tree: Any) -> str:
    from sqlglot import exp

    plain = isinstance(tree, exp.Column) and isinstance(tree.this, exp.Identifier)
    if not plain or tree.args.get("db"):
        raise RecordError(f"{quoted(tree.sql())} stands where a column is expected; {HELP}.")
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
    raise RecordError(f"{quoted(tree.sql())} stands where a number or a text is expected; {HELP}.")
