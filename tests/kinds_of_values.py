"""Values of many kinds, and tables by which it is seen which value somebody was taken to mean.

Each value of a table stands in another number of its records: who is told how many fit her value
is told which value she was taken to have.
"""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pandas as pd
from sources import THOROUGH, WHOLE

import verikit as vk
from verikit.languages import localize_number, use_language

DAY = dt.date(1999, 12, 31)
KINDS = {
    "small": [-3, 0, 2, 10],
    "edge": [2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1],
    "18 digits": [110101199003070011, 110101199003070012, 110101199003070016],
    "20 digits": [10**19 + 1, 10**19 + 2],
    "40 digits": [10**39 + 1, 10**39 + 2],
    "unsigned": [2**64 - 1, 2**64 - 2],
    "decimals": [Decimal("1.10"), Decimal("1.2")],
    "tied decimals": [Decimal("0.1"), Decimal("0.1000000000000000055511151231257827")],
    "floats": [0.1 + 0.2, 0.3, 1e308, 5e-324, -0.0],
    "thirds": [Fraction(1, 3), Fraction(2, 3), Fraction("0.3333333333333333")],
    "truths": [True, False],
    "dates": [dt.date(1815, 6, 18), DAY, dt.date(2300, 1, 1)],
    "times": [dt.datetime(2000, 1, 1, 10, 30), dt.datetime(2000, 1, 1, 10, 30, 0, 1)],
    "spans": [dt.timedelta(days=1), dt.timedelta(days=2)],
    "blanks": ["a b", "a  b", "ab", "a\u00a0b", "a\u200bb"],
    "commas": ["a, b", "a", "a,b"],
    "braces": ["{x}", "x", "{x, y}", "y", "{}"],
    "quotes": ['"a"', "a", "'a'", 'a"b', "a'b"],
    "brackets": ["[1, 2]", "(1, 2]", "[a]"],
    "stars": ["*", "a", "**", "a*"],
    "halves": ["<=50K", ">50K"],
    "words": ["female", "male", "Female", "FEMALE"],
    "zeros": ["02138", "2138", "002138"],
    "scripts": ["٣١", "31", "３１"],
    "accents": ["é", "e\u0301", "ß", "ss", "ﬁ", "fi"],
    "truth and number": [True, 0, "1", 2.5],
    "gaps": ["a", None, "None", "NaN"],
    "bands": ["20-29", "30-39", "40-49"],
    "exponents": ["9007199254740993e0", "9007199254740992", "1e3"],
    "long decimals": ["0.12345678901234567890", "0.12345678901234567891"],
    "percent": ["5%", "5 %", "5"],
    "money": ["€ 5", "5 €", "5"],
    "hours": ["10:30", "10:03", "1030"],
    "months": ["2020-01", "2020-02", "01/2020"],
    "lines": ["a\nb", "a\tb", "ab"],
    "long": ["x" * 300, "x" * 301, "x" * 299 + "y"],
    "pictures": ["\U0001f469\u200d\U0001f4bb", "\U0001f469", "\U0001f4bb"],
    "right to left": ["שלום", "שלום\u200f", "של"],
    "dotless": ["I", "ı", "İ", "i"],
    "sigmas": ["Σ", "σ", "ς", "s"],
    "signs": ["a=b", "a", "b", "=b"],
    "options": ["--set", "-5 x", "--", "-"],
    "formulas": ["=1+1", "+5", "@x", "5"],
    "no numbers": ["inf", "nan", "NA", "n/a", "None"],
    "underscores": ["1_000", "1000", "1 000"],
    "marks": ["1,5", "1.5", "15"],
    "hexadecimal": ["0x10", "16", "1e1"],
    "answers": ["yes", "no", "Yes", "oui"],
    "JSON": ["null", "true", "[1]", '{"a": 1}'],
    "paths": ["a/b", "a\\b", "a\\nb", "C:\\x"],
    "tags": ["<b>", "&lt;b&gt;", "&amp;", "&"],
    "dates as words": ["31.12.1999", "1999-12-31", "12/31/1999"],
    "one": ["x"],
}

# What nobody tells apart on a screen: typed, it is asked back; in quotes it is meant as it stands.
ALIKE = {
    "blanks": {"a b", "a  b", "a\u00a0b", "ab", "a\u200bb"},
    "accents": {"é", "e\u0301"},
    "lines": {"a\nb", "a\tb"},
    "right to left": {"שלום", "שלום\u200f"},
}
RECORDS = 40


def spoken(kind):
    """The languages in which a kind is typed at a door: two, all in turn from kind to kind."""
    return WHOLE if THOROUGH else WHOLE[[*KINDS].index(kind) % 4 :: 4]


def say_exactly(kind, value):
    """A value as a person gives it, in quotes where the table shows others that look like it."""
    return f'"{value}"' if value in ALIKE.get(kind, ()) else value


def list_cells(kind):
    """The cells of a column: the first value once, the second twice, and so on; the last fills."""
    *values, last = KINDS[kind]
    cells = [value for times, value in enumerate(values, 1) for _ in range(times)]
    return [*cells, *[last] * (RECORDS - len(cells))]


def count_fitting(kind, value):
    """How many cells are a value, or missing."""
    return sum(
        cell is None or (type(cell) is type(value) and cell == value) for cell in list_cells(kind)
    )


def make_table(*kinds):
    """A table with a column of each kind, whose texts are told to be words, and one more.

    So no record is withheld as a whole where a value is missing.
    """
    columns = {kind: pd.Series(list_cells(kind), dtype=object) for kind in kinds}
    data = vk.Microdata(pd.DataFrame({**columns, "other": range(RECORDS)}))
    told = [replace(one, words=one.kind != "numeric") for one in data.schema]
    return vk.TableRelease.of(data.frame, vk.Schema(tuple(told)), promise="covers")


def list_typed(kind, release, language):
    """What people type for each value, and how many records fit it; None where it is refused.

    A number as the language writes it, a date and a word as they are shown.
    """
    column, cells = release.schema[kind], list_cells(kind)
    for value in filter(lambda value: value is not None, dict.fromkeys(cells)):
        typed = str(value)
        if not isinstance(value, str):
            with use_language(language):
                typed = column.shown(release.frame[kind].iloc[cells.index(value)])
                if column.kind == "numeric" and not column.dated:
                    typed = str(localize_number(typed))
        fits = count_fitting(kind, value)
        yield typed, None if value in ALIKE.get(kind, ()) else fits
        if value in ALIKE.get(kind, ()):
            yield say_exactly(kind, typed), fits
