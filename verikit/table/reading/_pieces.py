"""A table that is read piece by piece, in little more room than it needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from verikit.values.names import code_texts, make_categories

PIECE = 2**15  # records that are read at once


def join_pieces(pieces: Iterable[pd.DataFrame], most: int) -> pd.DataFrame:
    """Join the pieces of a table of at most so many records, none of which is kept.

    Plain numbers are put where they belong at once, and of texts a code of each, so that neither
    is held twice.

    Examples
    --------
    >>> pieces = pd.DataFrame({"job": ["a", "b"]}), pd.DataFrame({"job": ["b", None]})
    >>> found = join_pieces(pieces, 4)["job"]
    >>> found.tolist(), found.cat.codes.tolist()
    (['a', 'b', 'b', nan], [0, 1, 1, -1])
    """
    numbers: dict[Any, Any] = {}
    others: dict[Any, list[Any]] = {}
    known, size = defaultdict[Any, dict[str, int]](dict), 0
    for piece in pieces:
        for name, values in piece.items():
            held, kind = numbers.get(name), values.dtype
            if name in others or kind not in (np.int64, np.float64):
                before = [] if held is None else [pd.Series(numbers.pop(name)[:size])]
                others.setdefault(name, before).append(_code_piece(values, known[name]))
                continue
            if held is None or (held.dtype != kind and kind == np.float64):
                numbers[name] = np.empty(max(most, size + len(piece)), kind)
                numbers[name][:size] = 0 if held is None else held[:size]
            numbers[name][size : size + len(piece)] = values
        size += len(piece)
    columns = {name: values[:size] for name, values in numbers.items()}
    columns |= {name: _join_parts(others.pop(name), known.pop(name, {})) for name in [*others]}
    return pd.DataFrame({name: columns[name] for name in piece}, copy=False)


def _code_piece(values: pd.Series[Any], known: dict[str, int]) -> Any:
    """Codes of texts in place of them, which are put to those known; other values as they are."""
    if (coded := code_texts(values)) is None:
        return values
    codes = np.array([*(known.setdefault(one, len(known)) for one in coded[1]), -1])
    return codes.astype(np.min_scalar_type(-len(known) - 1))[coded[0]]


def _join_parts(parts: list[Any], known: dict[str, int]) -> pd.Series[Any]:
    """Join the parts of a column: of texts their codes, else what they stand for."""
    if known and all(isinstance(one, np.ndarray) or one.isna().all() for one in parts):
        codes = [one if isinstance(one, np.ndarray) else np.full(len(one), -1) for one in parts]
        names = [*known]
        known.clear()
        return pd.Series(make_categories(np.concatenate(codes), names, kind=object))
    texts = np.array([*known, np.nan], object)
    plain = [pd.Series(texts[one]) if isinstance(one, np.ndarray) else one for one in parts]
    return pd.concat(plain, ignore_index=True)
