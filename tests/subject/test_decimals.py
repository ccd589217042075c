"""Decimals are written as the language has them, by the kind of the column; codes stay."""

import json
import re
from html import unescape

import pandas as pd
import pytest

import verikit as vk
from verikit.languages import LANGUAGES, use_language
from verikit.subject import write_cells
from verikit.values.columns import Column
from verikit.values.typed import typed_number

PAY = [2400.5, 2400.5, 1310.25, 1310.25, 2400.5, 990.75]
CODES = ["250.0", "401.9", "250.0", "401.9", "250.0", "401.9"]
FRAME = pd.DataFrame({"zip": list("aaabbb"), "pay": PAY, "code": CODES})
SCHEMA = vk.Schema(
    (
        vk.Column("zip", kind="nominal"),
        vk.Column("pay", "sensitive"),
        vk.Column("code", "sensitive", "nominal"),
    )
)
GROUPS = vk.Partition.of([0, 0, 0, 1, 1, 1])


def split():
    quasi = FRAME[["zip"]].assign(**{"Group-ID": list("aaabbb")})
    hidden = FRAME[["pay", "code"]].assign(**{"Group-ID": list("aaabbb")})
    return vk.SplitRelease.of(quasi, hidden, SCHEMA)


def generalized():
    return vk.TableRelease.of(FRAME, SCHEMA, promise="covers")


def disguised():
    data = vk.Microdata(FRAME[["zip", "pay"]], vk.Schema(SCHEMA.columns[:2]))
    tree = vk.targets.balanced(sorted(set(PAY)))
    return vk.mask.disguise(data, hierarchy=tree, groups="quasi", fakes=0, seed=7).release


def masked():
    columns = vk.Column("zip", kind="nominal"), vk.Column("pay")
    return vk.TableRelease.of(FRAME[["zip", "pay"]], vk.Schema(columns))


def drawn():
    data = vk.Microdata(FRAME, SCHEMA)
    return vk.mask.randomize(data, changed=1, seed=3).release


def numbers():
    return vk.mask.anatomize(vk.Microdata(FRAME, SCHEMA), partition=GROUPS, seed=1).release


MADE = {made.__name__: made for made in (split, generalized, disguised, masked, drawn, numbers)}
HERS = {"zip": "a", "pay": 2400.5}
PAYS = re.compile(r"2400.5|1310.25|990.75|2\D?400.5|1\D?310.25")


def faces(report, release):
    """All that a person reads: the answer, the slip, and the tables on a terminal."""
    with use_language(report.headline.language):
        lines = [
            cell
            for table in report.tables.values()
            for name in table
            for cell in write_cells(table[name].tolist())
        ]
    told = [*(part.text for part in report.parts), *(f.value for f in report.figures)]
    return [*told, unescape(report.to_html(schema=release.schema)), *lines]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MADE)
def test_decimals_of_a_numeric_column_have_the_mark_of_the_language(name, language):
    release = MADE[name]()
    report = vk.check(HERS, release, language=language)
    mark = "." if language == "en" else ","
    found = [number for said in faces(report, release) for number in PAYS.findall(said)]
    assert found
    assert {re.search(r"(\D)\d+$", number)[1] for number in found} == {mark}, found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["split", "generalized", "drawn", "numbers"])
def test_codes_of_a_categorical_column_stay(name, language):
    release = MADE[name]()
    said = faces(vk.check(HERS, release, language=language), release)
    assert any("250.0" in text for text in said)
    assert not any("250,0" in text or "401,9" in text for text in said)


@pytest.mark.parametrize("name", MADE)
def test_tables_and_facts_keep_numbers_as_data(name):
    def held(language):
        report = vk.check(HERS, MADE[name](), language=language)
        told = json.loads(report.to_json())["tables"]
        return json.dumps({n: told[n] for n in told if n != "your_values"})

    assert re.search(r"\b(2400\.5|1310\.25)\b", held("de"))
    assert not re.search(r"\d,\d", held("de"))
    assert held("de") == held("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_ranges_and_sets_of_numbers_are_told_apart_by_another_mark_than_decimals(language):
    frame = pd.DataFrame({"age": [20.5, 22.5, 30, 31, 32, 33], "ill": list("xyxyxy")})
    schema = vk.Schema((vk.Column("age"), vk.Column("ill", "sensitive", "nominal")))
    release = vk.mask.generalize(vk.Microdata(frame, schema), partition=GROUPS, seed=1).release
    said = "\n".join(faces(vk.check({"age": 22.5}, release, language=language), release))
    assert ("[20.5, 30]" if language == "en" else "[20,5; 30]") in said
    other = Column("age").shown("{1.5, 2}"), Column("age").shown("under 20.5")
    with use_language(language):
        assert write_cells(other) == ["{1.5, 2}" if language == "en" else "{1,5; 2}", "under 20.5"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_shown_can_be_typed(language):
    pay = Column("pay", "sensitive")
    with use_language(language):
        for number in (*PAY, -0.5, 1e-05, 12345.678):
            (said,) = write_cells([pay.shown(number)])
            assert typed_number(said, pay) == (number, False), said
