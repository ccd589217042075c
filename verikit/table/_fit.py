"""Frames in the terms of a schema: numbers as numbers, categories in their declared order."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.memory import release_unused
from verikit.errors import SchemaError, quoted
from verikit.values.dates import as_days
from verikit.values.names import code_names, list_repeated, make_categories, members, put_at_codes
from verikit.values.numbers import EXACT, are_large, find_lost_whole, find_merged_number
from verikit.words import listed, text

if TYPE_CHECKING:
    from verikit.table._schema import Schema
    from verikit.values.columns import Column


FIRST_ROWS = 4096
MAX_ROWS_TOGETHER = 30_000  # rows up to which a frame is taken quicker as a whole
NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "boolean", "complex"}


def fit_frame(
    frame: pd.DataFrame, schema: Schema, *, nodes: bool = False, known: Container[str] = ()
) -> pd.DataFrame:
    """Copy a frame in the schema's terms, or refuse the first disagreement in one sentence.

    With ``nodes`` a category may also be a group of its hierarchy or a set such as ``{a, b}``, and
    a number an interval, as generalized tables hold them. Columns that are ``known`` come from a
    table that was fitted before, and are not looked at again.
    """
    names = [text(name) for name in frame.columns]
    if repeated := list_repeated(names):
        raise SchemaError(f"The table has several columns named {listed(repeated)}; rename them.")
    series = dict(zip(names, (values for _, values in frame.items()), strict=True))
    expected = set(schema.names)
    lacking = [name for name in schema.names if name not in series]
    extra = [name for name in names if name not in expected]
    if lacking or extra:
        parts = [f"lacks {listed(lacking)}"] if lacking else []
        parts += [f"has {listed(extra)} besides"] if extra else []
        raise SchemaError(
            f"The table {' and '.join(parts)}; the schema expects exactly "
            f"{listed(schema.names, 12)}."
        )
    index, columns = pd.RangeIndex(len(frame)), {}
    large = len(frame) > MAX_ROWS_TOGETHER
    del frame  # where nobody else holds it, each column goes as soon as it is fitted
    if large:
        release_unused()
    for column in schema:
        fit = _fit_column if column.kind == "numeric" else _fit_categories
        fit = _copy_fitted if column.name in known else fit
        columns[column.name] = fit(series.pop(column.name), column, nodes)
        if large:
            release_unused()
    return pd.DataFrame(columns, index=index, copy=False)


def fit_columns(columns: Mapping[str, Any], schema: Schema, known: Container[str]) -> pd.DataFrame:
    """Make a fitted frame of new columns that nobody else holds, so that numbers need no copy.

    Examples
    --------
    >>> from verikit.table import Column, Schema
    >>> fit_columns({"a": np.array([1.0, 2.0])}, Schema((Column("a"),)), ())["a"].tolist()
    [1, 2]
    """
    found = {}
    for column in schema:
        values, is_known = columns[column.name], column.name in known
        if column.kind == "numeric" and values.dtype == np.dtype(np.float64):
            array = np.asarray(values)
            found[column.name] = array if is_known else _refuse_infinite(array, column)
            continue
        if not isinstance(values, pd.Series):
            values = pd.Series(values, copy=False)
        fit = _copy_fitted if is_known else _fit_column
        found[column.name] = fit(values, column, True)
    return pd.DataFrame(found, copy=False)


def take_rows(frame: pd.DataFrame, schema: Schema, rows: Rows) -> pd.DataFrame:
    """Take some rows of a fitted frame, as they would be fitted by themselves.

    Fewer rows may leave only whole numbers, or leave out categories that nobody declared.

    Examples
    --------
    >>> from verikit.table import Schema
    >>> frame = pd.DataFrame({"a": [1.5, 2.0, 3.0], "b": pd.Categorical(["x", "y", "x"])})
    >>> found = take_rows(frame, Schema.guess(frame), np.array([2, 0]))
    >>> found["a"].tolist(), list(found["b"].cat.categories)
    ([3.0, 1.5], ['x'])
    """
    if len(rows) <= MAX_ROWS_TOGETHER:
        found = frame.take(rows)
        found.index = pd.RangeIndex(len(rows))
    else:  # column by column, which is quicker
        columns = {name: values.array.take(rows) for name, values in frame.items()}
        found = pd.DataFrame(columns, index=pd.RangeIndex(len(rows)), copy=False)
    return refit_to_values_left(found, tuple(schema)) if len(found) else fit_frame(found, schema)


def refit_to_values_left(frame: pd.DataFrame, columns: Iterable[Column]) -> pd.DataFrame:
    """Narrow fitted columns with fewer values than before, as if fitted by themselves.

    Examples
    --------
    >>> from verikit.table import Column
    >>> frame = pd.DataFrame({"b": pd.Categorical(["x", "x"], ["x", "y"])})
    >>> list(refit_to_values_left(frame, [Column("b", kind="nominal")])["b"].cat.categories)
    ['x']
    """
    changed: dict[str, Any] = {}
    for column in columns:
        values = frame[column.name]
        if values.dtype.kind == "f":
            whole = _whole_as_integers(values.to_numpy())
            if whole.dtype != values.dtype:
                changed[column.name] = whole
        elif column.kind != "numeric" and column.categories is None:
            codes, size = values.cat.codes.to_numpy(), len(values.cat.categories)
            parts = (codes[:FIRST_ROWS], codes)  # the first rows mostly hold them all
            if not any(np.bincount(part + 1, minlength=size + 1)[1:].all() for part in parts):
                changed[column.name] = _fit_categories(values, column, nodes=False)
    return frame.assign(**changed) if changed else frame


def _copy_fitted(values: pd.Series[Any], column: Column, nodes: bool) -> Any:
    """Copy a column that was fitted before; among nodes, it may hold those of its hierarchy."""
    if column.kind == "numeric":
        return values.to_numpy(copy=True)
    if not nodes or column.hierarchy is None:
        return values.array.copy()
    more = [name for name in column.hierarchy.nodes if name not in values.cat.categories]
    return values.array.add_categories(more)


def _fit_column(values: pd.Series[Any], column: Column, nodes: bool) -> Any:
    if column.kind != "numeric":
        return _fit_categories(values, column, nodes)
    if nodes and isinstance(values.dtype, pd.IntervalDtype):
        return values.array.copy()
    if nodes and column.hierarchy is not None:
        held = values.cat.categories if isinstance(values.dtype, pd.CategoricalDtype) else values
        if pd.api.types.infer_dtype(held, skipna=True) not in NUMBERS:  # but names of groups
            return _fit_categories(values, column, nodes)
    return _fit_numbers(values, column)


def _fit_numbers(values: pd.Series[Any], column: Column) -> npt.NDArray[Any]:
    if values.dtype == np.dtype(np.int64):
        held = values.to_numpy(copy=True)
        if not len(held) or (held.min() > -EXACT and held.max() < EXACT):
            return held
    try:
        dates = column.dated and not pd.api.types.is_numeric_dtype(values)
        array = np.asarray(as_days(values)) if dates else _copy_floats(values)
    except (TypeError, ValueError, OverflowError):
        bad = next((v for v in values if not _is_number(v)), values.iloc[0])
        raise SchemaError(
            f"Column {quoted(column.name)} is numeric but holds {quoted(text(bad))}; correct the "
            "value or declare the column nominal."
        ) from None
    lost: int | str | None = None
    if bool(are_large(array).any()):
        lost = find_lost_whole(values)
    said = f"{lost}, a whole number with more digits than a number keeps"
    if lost is None and not (dates or pd.api.types.is_numeric_dtype(values)):
        lost = find_merged_number(values)
        said = f"{quoted(lost)}, which has more digits than a number keeps and would become equal "
        said += "to a different one"
    if lost is not None:
        raise SchemaError(
            f"Column {quoted(column.name)} is numeric but holds {said}; declare the column nominal."
        )
    return _refuse_infinite(array, column)


def _refuse_infinite(array: Floats, column: Column) -> npt.NDArray[Any]:
    """Refuse infinite numbers; hold whole ones as integers."""
    infinite = np.isinf(array)
    if infinite.any():
        raise SchemaError(
            f"Column {quoted(column.name)} holds an infinite value in row "
            f"{int(infinite.argmax()) + 1}; replace it by a number or leave it missing."
        )
    return _whole_as_integers(array)


def _copy_floats(values: pd.Series[Any]) -> Floats:
    """Copy a column as floats."""
    if values.dtype == np.dtype(np.float64):
        return np.array(values.to_numpy(), copy=True)
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    if values.dtype.kind in "mMc":
        raise TypeError
    return np.array(pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan), copy=True)


def _is_number(value: object) -> bool:
    if value is None or value is pd.NA:
        return True
    try:
        found = pd.to_numeric(cast("float", value))
        return bool(np.isreal(found)) and (not isinstance(found, int) or float(found) < np.inf)
    except (TypeError, ValueError, OverflowError):
        return False


def _whole_as_integers(array: Floats) -> npt.NDArray[Any]:
    """Hold whole numbers as integers, whatever dtype they came in; most columns fail early."""
    starts = range(0, max(len(array), 1), FIRST_ROWS)
    for part in (array[at : at + FIRST_ROWS] for at in starts):
        if not len(part) or not np.all((part == np.rint(part)) & (np.abs(part) < EXACT)):
            return array
    return array.astype(np.int64)


def _fit_categories(values: pd.Series[Any], column: Column, nodes: bool) -> pd.Categorical:
    codes, names = code_names(values, column.name)
    del values  # which may hold as many texts again
    ordered, declared = column.kind == "ordinal", column.categories
    if nodes and column.hierarchy is not None:
        declared = tuple(dict.fromkeys((*(declared or ()), *column.hierarchy.nodes)))
    if declared is None:
        found = np.array(names, object)
        order = np.argsort(found, kind="stable")
        found = found[order]
        first = np.ones(len(found), bool)
        first[1:] = found[1:] != found[:-1]  # as 1 and "1" have one name
        places: Any = np.empty(len(found), np.intp)
        places[order] = np.cumsum(first) - 1
        names = found[first].tolist()
        del found, order
    else:
        if nodes:
            known = set(declared)  # a cell may also be a set of declared categories
            others = sorted(set(names) - known)
            sets = [n for n in others if (parts := members(n)) and known.issuperset(parts)]
            declared = (*declared, *sets)
        place_of = {name: place for place, name in enumerate(declared)}
        if unknown := sorted({name for name in names if name not in place_of}):
            raise SchemaError(
                f"Column {quoted(column.name)} holds {listed(unknown)}, which its declared "
                f"categories ({listed(declared, 8)}) lack; add them or correct the values."
            )
        places, names = [*map(place_of.__getitem__, names)], [*declared]
    kind = np.min_scalar_type(-len(names) - 1)
    return make_categories(put_at_codes(np.append(places, -1).astype(kind), codes), names, ordered)
