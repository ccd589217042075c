"""Names: the text that names a value, sets of names, and how nearly they are spelled."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from decimal import Decimal
from difflib import SequenceMatcher
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Rows
from verikit.errors import SchemaError, quoted

__all__ = [
    "code_names", "code_texts", "find_alike", "fold_word", "is_near", "list_repeated",
    "make_categories", "members", "name_keys",
    "put_at_codes", "seen_word", "set_label", "sort_by_likeness", "text",
]  # fmt: skip

AT_ONCE = 2**15  # values that are put to their records together


def text(value: object) -> str:
    """Write a value as the text that names it: equal numbers have one name, others another.

    A number is written as the float that is equal to it, or that is written with the same digits;
    one that no float keeps is written with all of its own.

    Examples
    --------
    >>> text(2138.0), text("nurse"), text(2.5), text(True), text(110101199003070011)
    ('2138', 'nurse', '2.5', 'True', '110101199003070011')
    >>> text(Decimal("0.50")), text(Decimal("0.10000000000000000001")), text(Fraction(1, 3))
    ('0.5', '0.10000000000000000001', '1/3')
    """
    if isinstance(value, (str, bool, np.bool_)):
        return str(value)
    try:
        if isinstance(value, (int, np.integer)):
            return str(int(value))  # all its digits, which a float may not keep
        if isinstance(value, (Decimal, Fraction)):
            return _write_exact(value)
        if isinstance(value, dt.timedelta):
            return str(pd.Timedelta(value))
        found = float(value)  # type: ignore[arg-type]
        whole = math.isfinite(found) and value == int(value)  # type: ignore[call-overload]
        return str(int(value)) if whole else str(found)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        # a whole number may have more digits than Python writes out
        return hex(value) if isinstance(value, int) else str(value)


def _write_exact(value: Decimal | Fraction) -> str:
    """Write a number of any length so that no other one is written so."""
    if isinstance(value, Decimal) and not (value.is_finite() and abs(value.adjusted()) < 400):
        return str(value)
    if value == int(value):
        return str(int(value))
    near = str(float(value))
    if Fraction(near) == value:
        return near
    return str(value) if isinstance(value, Fraction) else f"{value:f}".rstrip("0")


def put_at_codes(values: npt.NDArray[Any], codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Put the value of its code to each record, of -1 the last, with no larger copy of the codes.

    Examples
    --------
    >>> put_at_codes(np.array([5.0, 7.0, np.nan]), np.array([1, 0, -1], np.int8)).tolist()
    [7.0, 5.0, nan]
    """
    found = np.empty(len(codes), values.dtype)
    for at in range(0, len(codes), AT_ONCE):
        found[at : at + AT_ONCE] = values[codes[at : at + AT_ONCE]]
    return found


def code_names(values: pd.Series[Any], title: str) -> tuple[Rows, list[str]]:
    """Code a column by the names of its values; -1 where one is missing.

    Examples
    --------
    >>> codes, names = code_names(pd.Series([True, 1, "1", None]), "code")
    >>> codes.tolist(), names
    ([0, 1, 1, -1], ['True', '1'])
    """
    if isinstance(values.dtype, pd.CategoricalDtype):  # each is looked at once
        held, codes = values.cat.categories, values.cat.codes.to_numpy()
        shown = np.zeros(len(held) + 1, bool)
        for at in range(0, len(codes), AT_ONCE):
            shown[codes[at : at + AT_ONCE]] = True
        if shown[:-1].all():
            return codes, _write_names(held)
        places = np.append(np.cumsum(shown[:-1]) - 1, -1).astype(codes.dtype)  # as small as these
        return put_at_codes(places, codes), _write_names(held[shown[:-1]])
    try:
        if values.dtype.kind == "O" and pd.api.types.infer_dtype(values).startswith("mixed"):
            pd.factorize(values)  # refuses collections
            values = values.map(text, na_action="ignore")  # else True and 1 are one
        codes, found = pd.factorize(values)
    except TypeError:
        raise SchemaError(
            f"Column {quoted(title)} holds lists or other collections; give each record one value."
        ) from None
    return codes, _write_names(found)


def make_categories(
    codes: Any, names: Sequence[str], ordered: bool = False, kind: Any = None
) -> pd.Categorical:
    """Categories by their codes, names of a kind of pandas, by default the one that it guesses.

    That no name comes twice is seen as Python has them. Where pandas looks at its own kind of texts
    it keeps a table for that, which of a million names is five times as large as they are.

    Examples
    --------
    >>> make_categories(np.array([1, -1]), ["clerk", "nurse"]).tolist()
    ['nurse', nan]
    """
    checked = pd.CategoricalDtype(pd.Index(names, dtype=object), ordered)
    held = {id(checked.categories): pd.Index(names, dtype=kind)}
    return pd.Categorical.from_codes(codes, dtype=deepcopy(checked, held))


def code_texts(values: Any) -> tuple[Any, Any] | None:
    """Codes of texts, -1 where one is missing, and the texts; None where some value is another.

    Examples
    --------
    >>> code_texts(pd.Series(["b", None, "b"], dtype=object)), code_texts(pd.Series(["b", 1]))
    ((array([ 0, -1,  0]), array(['b'], dtype=object)), None)
    """
    if values.dtype.kind != "O" or pd.api.types.infer_dtype(values) != "string":
        return None
    codes, found = pd.factorize(values)
    return codes, np.asarray(found, object)


def _write_names(found: Any) -> list[str]:
    names = np.asarray(found, object)
    plain = pd.api.types.infer_dtype(names) == "string"
    return names.tolist() if plain else [*map(text, names.tolist())]


def name_keys(given: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """Name the values that something was given for; refuse two of one name, such as 1 and "1".

    Examples
    --------
    >>> name_keys({1: "a", "1": "b"}, "The weights")
    Traceback (most recent call last):
    verikit.errors.SchemaError: The weights were given twice for '1'; give them once.
    """
    if repeated := list_repeated(map(text, given)):
        raise SchemaError(f"{what} were given twice for {quoted(repeated[0])}; give them once.")
    return {text(key): value for key, value in given.items()}


def list_repeated(names: Iterable[str]) -> list[str]:
    """The names that come several times, sorted."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


PLAIN = r'[^,{}"\s](?:[^,{}"]*[^,{}"\s])?'
QUOTED = r'"(?:[^"\\]|\\.)*"'
MEMBER = re.compile(f"{QUOTED}|{PLAIN}")
SET = re.compile(rf"\{{(?:{QUOTED}|{PLAIN})(?:, (?:{QUOTED}|{PLAIN}))*\}}")


def set_label(values: Iterable[object]) -> str:
    """Write a set of categories as one label; a single one stands for itself.

    A name that could be misread, such as one with a comma, is quoted.

    Examples
    --------
    >>> set_label(["clerk", "nurse"]), set_label(["clerk"]), set_label(["a, b", "c"])
    ('{clerk, nurse}', 'clerk', '{"a, b", c}')
    """
    names = list(dict.fromkeys(map(text, values)))
    if len(names) == 1:
        return names[0]
    plain = re.compile(PLAIN)
    parts = (n if plain.fullmatch(n) else json.dumps(n, ensure_ascii=False) for n in names)
    return "{" + ", ".join(parts) + "}"


def members(label: str) -> tuple[str, ...]:
    """The categories that a label such as ``{a, b}`` names; none if it is no set.

    Examples
    --------
    >>> members("{clerk, nurse}"), members('{"a, b", c}'), members("clerk")
    (('clerk', 'nurse'), ('a, b', 'c'), ())
    """
    if not SET.fullmatch(label):
        return ()
    found = MEMBER.findall(label[1:-1])
    return tuple(json.loads(name) if name.startswith('"') else name for name in found)


UNSEEN = {"Cc", "Cf"}  # Unicode's letters that control others, and that format them
NEAR = 0.81  # Femal is near to Female, male is not


def seen_word(name: str) -> str:
    """A word as it is seen: with single blanks inside, none around, and no invisible letters.

    Examples
    --------
    >>> seen_word(" Upper\u00a0  EAST\u200b"), seen_word("e\u0301") == "\u00e9"
    ('Upper EAST', True)
    """
    if not (name.isascii() and name.isprintable()):
        letters = unicodedata.normalize("NFC", name)
        kept = (one for one in letters if one.isspace() or unicodedata.category(one) not in UNSEEN)
        name = "".join(kept)
    return " ".join(name.split())


def fold_word(name: str) -> str:
    """A word as it is seen, without its case, and with letters of full width as others.

    Examples
    --------
    >>> fold_word("  Upper   EAST "), fold_word("\uff26lu")
    ('upper east', 'flu')
    """
    return unicodedata.normalize("NFKC", seen_word(name)).casefold()


def find_alike(names: Iterable[str]) -> tuple[str, str] | None:
    """Find the first two names that look alike: of blanks, or letters that nobody sees.

    Examples
    --------
    >>> find_alike(["flu", "Flu", "flu "]), find_alike(["True", "true", "TRUE"])
    (('flu', 'flu '), None)
    """
    known: dict[str, str] = {}
    for name in names:
        if (other := known.setdefault(seen_word(name), name)) != name:
            return other, name
    return None


def sort_by_likeness(given: str, known: Iterable[str]) -> list[str]:
    """Names by how nearly they are spelled so, the nearest first; equals in their own order.

    Examples
    --------
    >>> sort_by_likeness("flue", ["cancer", "flu"])
    ['flu', 'cancer']
    """
    return sorted(known, key=lambda name: -_measure_likeness(given, name))


def is_near(given: str, name: str) -> bool:
    """Whether a word is perhaps another one with a slip; digits are never taken for a slip."""
    return not any(map(str.isdigit, given + name)) and _measure_likeness(given, name) >= NEAR


def _measure_likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, fold_word(one), fold_word(other), autojunk=False).ratio()
