"""What cards print: one and many told apart, and the numbers of one column written alike."""

import re
from html import unescape

import pandas as pd
import pytest
from sources import WHOLE
from test_sentences import SITUATIONS, observed

import verikit as vk
from verikit.mask import METHODS
from verikit.subject import _card
from verikit.subject._card_words import methods_in

MANY = (
    "attributes cases classes columns groups lines links names nodes people places records rows "
    "runs values are were show fit hold"
)
ONE_OF_MANY = re.compile(
    rf"(?<![\d.,])\b1 (?:more |published |different )?({MANY.replace(' ', '|')})\b"
)
MANY_OF_ONE = re.compile(
    r"\b(?:[2-9]|\d[\d,]*\d) (?:more |published )?"
    r"(attribute|case|class|column|group|line|link|name|node|person|place|record|row|run|value)\b"
)
RAW = re.compile(r"\d(?:\.\d+)?e[+-]\d\d|(?<![\w.,/-])\d{5,}(?![\w-])|[1-9]\.\d{5,}|-\d+ more")
CODE = re.compile(r"\d{5}|[\[(]?\d{5}, \d{5}[\])]?")


def texts(html):
    return [unescape(text) for text in re.split(r"<[^>]+>", html) if text.strip()]


@pytest.mark.parametrize("situation", SITUATIONS)
def test_one_and_many_are_told_apart_and_no_number_is_raw(situation):
    report, _ = observed(situation)
    schema = vk.Schema(tuple(vk.Column(n) for n in report.facts.get("attributes", ["a"])))
    for text in [*repr(report).splitlines(), *texts(_card.write_body(report, schema))]:
        assert not ONE_OF_MANY.search(text), text
        assert not MANY_OF_ONE.search(text), text
        assert CODE.fullmatch(text) or not RAW.search(text), text


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_decimals_of_a_column_are_alike(situation):
    report, _ = observed(situation)
    if "first_rank" in report.attributes:
        return  # each line has the unit of its attribute
    schema = vk.Schema(tuple(vk.Column(n) for n in report.facts.get("attributes", ["a"])))
    for table in re.findall(r"<table>.*?</table>", _card.write_body(report, schema)):
        rows = [re.findall(r"<td>(.*?)</td>", row) for row in table.split("<tr>")[2:]]
        for column in zip(*rows, strict=True):
            numbers = [cell for cell in column if re.fullmatch(r"-?[\d,]+(\.\d+)?", cell)]
            if any("." in cell for cell in numbers) and "0.0" not in str(numbers):
                assert len({len(cell.partition(".")[2]) for cell in numbers}) == 1, column


def test_a_category_is_shown_as_it_is_written():
    levels = ["R&D", "<sales>", "law"]
    column = vk.Column("unit", kind="ordinal", order=tuple(levels))
    schema = vk.Schema((column, vk.Column("pay")))
    frame = pd.DataFrame({"unit": levels, "pay": [1.0, 2.0, 3.0]})
    release = vk.TableRelease.of(frame, schema)
    card = _card.write_body(vk.check({"unit": "R&D", "pay": 1}, release), schema)
    assert "<td>R&amp;D</td>" in card
    assert "amp;amp;" not in card


@pytest.mark.parametrize("language", WHOLE)
def test_every_method_is_told_in_the_words_of_the_language(language):
    told, published = methods_in(language), {*METHODS, "group_nodes", "permute_links"}
    assert published <= {*told}
    assert language == "en" or not [n for n in published if told[n] == methods_in("en")[n]]
