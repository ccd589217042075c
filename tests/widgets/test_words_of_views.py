"""What views print: one and many told apart, and no number as a computer writes it."""

import re
from html import unescape

import pytest

import verikit.widgets

VIEWS = [
    n for n in verikit.widgets.__all__ if n not in ("Glossary", "Predict", "Quiz", "SelfCheck")
]
MANY = (
    "attributes|cases|classes|columns|groups|lines|links|names|nodes|people|places|records|rows|"
    "runs|values|rules|maskings|are|were|show|fit|hold|survive"
)
MANY_OF_ONE = (
    "attribute|case|class|column|group|line|link|name|node|person|place|record|row|run|value|rule|"
    "masking"
)
ONE = re.compile(rf"(?<![\d.,])\b1 (?:more |published |different )?({MANY})\b")
SEVERAL = re.compile(rf"(?<!of )\b(?:[2-9]|\d[\d,]*\d) (?:more |published )?({MANY_OF_ONE})\b")
RAW = re.compile(r"\d(?:\.\d+)?e[+-]\d\d|(?<![\w.,&#])\d{5,}(?![\w-])|\d\.\d{5,}|-\d+ more")
CODES = {"AttackLab", "BoundedAnswer", "ClassesView", "LatticeView"}  # these show postal codes


def words_of(view):
    """Whatever a person reads or hears of a view, boxes included."""
    card = view.card()
    yield from (unescape(part) for part in re.split(r"<[^>]+>", card.html) if part.strip())
    yield from map(unescape, re.findall(r'aria-label="([^"]*)"', card.html))
    yield card.say
    for part in view.parts():
        yield from (line for line, _ in part.lines)
        for field in part.fields:
            yield from (field.label, field.help, *(words for _, words in field.options))


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_tells_one_from_many_and_writes_numbers_for_people(name):
    for said in words_of(getattr(verikit.widgets, name)()):
        assert not ONE.search(said), said
        assert not SEVERAL.search(said), said
        codes = re.sub(r"\b\d{5}\b", "", said) if name in CODES else said
        assert not RAW.search(codes), said


NUMBER = re.compile(r"-?(\d[\d,]*)(\.\d+)?(?: \(least\)| %)?")
OF_PEOPLE = {
    "AttackLab",
    "ClassesView",
    "GroupsView",
    "RandomizeView",
}  # their tables hold values of people


@pytest.mark.parametrize("name", VIEWS)
def test_the_numbers_of_a_column_have_decimals_alike_and_thousands_in_one_style(name):
    html = getattr(verikit.widgets, name)().card().html
    for table in re.findall(r"<table>(.*?)</table>", html, re.DOTALL):
        heads = [unescape(head) for head in re.findall(r"<th[^>]*>(.*?)</th>", table)]
        rows = [
            re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>.*?</tr>", table)
        ]
        for head, cells in zip(heads, zip(*filter(None, rows), strict=True), strict=True):
            numbers = [found for cell in cells if (found := NUMBER.fullmatch(unescape(cell)))]
            assert len({len(found[2] or "") for found in numbers}) <= 1, (head, cells)
            large = [found[1] for found in numbers if len(found[1]) > 3]
            assert name in OF_PEOPLE or all("," in whole for whole in large), (head, cells)


ATTACKS = {
    name: (verikit.widgets.AttackLab, {"attack": name})
    for name in verikit.widgets._attack_lab.ATTACKS
}
LINKERS = {
    name: (verikit.widgets.IntruderView, {"attack": name})
    for name in verikit.widgets._intruder.ATTACKS
}
ANSWERS = {name: (getattr(verikit.widgets, name), {}) for name in VIEWS} | ATTACKS | LINKERS
FORBIDDEN = re.compile(
    r"\b(anonym(?:ous|ized|ised)|exposed|equivalence class\w*|quasi\w*|probabilit\w+|exactly 0|"
    r"protected|unsafe)\b|the match is yours|match is random",
    re.IGNORECASE,
)
SAFE = re.compile(r"\bsafe\b", re.IGNORECASE)
DENIED = re.compile(r"\b(not|nor|nobody|never)\b[^.]*\bsafe\b", re.IGNORECASE)


@pytest.mark.parametrize("name", ANSWERS)
def test_no_card_of_any_view_or_attack_claims_what_may_not_be_claimed(name):
    view, boxes = ANSWERS[name]
    view = view(**boxes)
    assert view.last_error is None
    for said in words_of(view):
        assert not FORBIDDEN.search(said), said
        for sentence in filter(SAFE.search, re.split(r"(?<=[.!?]) ", said)):
            assert DENIED.search(sentence), sentence
        assert not ONE.search(said), said
        assert not SEVERAL.search(said), said
