"""Numbers as people write them: the page reads them as `verikit.check` does, in every language."""

import numpy as np
import pandas as pd
import pytest
from kinds_of_values import KINDS, list_typed, make_table
from sources import WHOLE, every

import verikit as vk
from verikit.errors import VerikitError
from verikit.languages import use_language
from verikit.page import _write
from verikit.values.dates import DAYS
from verikit.widgets import SelfCheck

pytestmark = pytest.mark.browser

BY_HAND = (
    "41", "41.0", "+7", "-3", " 12 ", ".5", "5.", "1e3", "1E-2", "100,87", "1,234", "1.234",
    "12.345", "1.234,5", "1,234.5", "1,234,567", "1.234.567", "1 234", "1\u00a0234,5",
    "1\u202f234", "1'234.5", "1’234", "12 34", "0,123", "0.123", "0.1234", "-1.234", "+1,234",
    "€ 1.234", "1234 €", "$5", "5 %", "12 euro", "EUR 12", "41 years", "41 Jahre", "41 kg",
    "41 zł", "41 €/Monat", "41 ZŁ", "x", "1,2,3", "1.2.3", "1.23,456", "nan", "-inf", "1_000",
    "0x10", "--3", "3-", "1 2 3", "\t7\n", "1e999", "12345678901234567890", "0.00001",
    "123456.789", "1.000.000,5", "999.999", "1,000", "forty", "€", "50,000",
)  # fmt: skip
ENDS = {"small": (0.5, 41.0), "large": (100.0, 50_000.0), "both": (-5.0, 2_000.0)}
SAY = """(asked) => asked.map((typed) => {
  try { return check(new Map(Object.entries(typed)), {}); } catch (error) {
    return error instanceof Refused ? { refused: error.message } : { fault: `${error}` };
  }
})"""


def tables():
    """Single values with other ends, units and none; ranges; and groups, whose numbers are text."""
    found = {}
    for (name, (low, high)), unit in zip(ENDS.items(), ("", "zł", "€/Monat"), strict=True):
        pay = np.round(np.linspace(low, high, 12), 3)
        frame = pd.DataFrame({"pay": pay, "age": np.arange(12) % 7})
        found[name] = vk.TableRelease.of(
            frame, vk.Schema((vk.Column("pay", unit=unit), vk.Column("age")))
        )
    plain = pd.DataFrame({"pay": [500.0, 700.0, 900.0, 900.0], "city": ["a", "a", "b", "b"]})
    columns = (vk.Column("pay", unit="euro"), vk.Column("city", kind="nominal", role="sensitive"))
    found["generalized"] = vk.TableRelease.of(plain, vk.Schema(columns), promise="covers")
    found["split"] = vk.published("lhcc_table4")
    return found


def drawn(seed):
    """Numbers in random spellings: marks, spaces, signs, units and currencies."""
    rng = np.random.default_rng(seed)

    def one_of(*parts):
        return str(rng.choice(parts))

    whole = str(rng.integers(0, 10 ** int(rng.integers(1, 8))))
    mark = one_of(",", ".", " ", "'", "")
    groups = f"{int(whole):,}".replace(",", mark) if rng.random() < 0.6 else whole
    tail = one_of("", ",", ".") + str(rng.integers(0, 10 ** int(rng.integers(1, 5))))
    digits = groups + (tail if rng.random() < 0.5 else "")
    before, behind = (
        one_of("", "", "", "€", "+", "-", "chf "),
        one_of("", "", "", " €", " zł", "euro", "%"),
    )
    return before + digits + behind


def expected(release, record, language):
    """What the check says, or the sentence with which it refuses."""
    try:
        report = vk.check(record, release, language=language)
    except VerikitError as error:
        return str(error)
    return report.headline.text, list(report.notes), [said.text for said in report.sentences]


@pytest.fixture(scope="module")
def wanted():
    """By table and language what is typed, and what the check says of it."""
    spellings = [*BY_HAND, *(drawn(seed) for seed in range(60))]
    found = {}
    for name, release in tables().items():
        first = "Age" if name == "split" else "pay"
        for language in WHOLE:
            records = [{first: spelling} for spelling in spellings]
            told = [expected(release, record, language) for record in records]
            found[name, language] = list(zip(records, told, strict=True))
    return found


@pytest.fixture
def said(opened):
    """What the page of a table says of records, in a language."""

    def ask(name, told):
        page = opened(tables()[name])
        page.evaluate(
            "async () => { DATA.release = await opened(DATA.release, byId('values').textContent); }"
        )
        for language in WHOLE:
            page.evaluate("(name) => speak(name)", language)
            records = [record for record, _ in told[name, language]]
            for found in page.evaluate(SAY, records):
                assert "fault" not in found, found
                yield found["refused"] if "refused" in found else (
                    found["text"], found["notes"], [part["text"] for part in found["sentences"]]
                )  # fmt: skip

    return ask


@pytest.mark.parametrize("name", tables())
def test_the_page_reads_numbers_as_the_check_does(name, wanted, said):
    told = [line for language in WHOLE for line in wanted[name, language]]
    for (record, expects), found in zip(told, said(name, wanted), strict=True):
        assert found == expects, record
    assert any(isinstance(expects, str) for _, expects in told)
    assert any(isinstance(expects, tuple) and expects[1] for _, expects in told)


ILLNESS = vk.Hierarchy.of({"*": {"viral": ["Flu", "Mumps"], "No pain": ["none", "N/A"]}})
WORDS = ("Female", "fEMALE", "  Male ", "Femal", "woman", "*", "{Female, Male}", "", "x" * 90)
ILL = ("flu", "FLU ", "Flue", "viral", "no  pain", "none", "NONE", "na", "2001-02-03", "it's")
AGES = ("34", " 34 ", "1985", "1985.0", "34,5", "thirty", "20-29", "1e999", "nan", "٣٤")
BORN = ("1985", "1985-03-04", "04.03.1985", "03/04/1985", "soon", "9999")
PLACES = ("47602", "476**", "4760", "1012 AB", "Köln", "KÖLN", "Koln", "köln ")


def people(promise="covers"):
    """Words with a tree and without, with stars and sets, in an order, and as codes; and dates."""
    count = 12
    frame = pd.DataFrame(
        {
            "age": 20 + np.arange(count) % 5 * 13,
            "born": 5000 + 37 * np.arange(count),
            "sex": (["Female", "Male", "*", "{Female, Male}"] * count)[:count],
            "place": (["47602", "479**", "Köln", None] * count)[:count],
            "ill": (["Flu", "Mumps", "viral", "none"] * count)[:count],
        }
    )
    columns = (
        vk.Column("age", unit="years"),
        vk.Column("born", unit=DAYS, label="day of birth"),
        vk.Column("sex", kind="nominal"),
        vk.Column("place", kind="nominal"),
        vk.Column("ill", "sensitive", "nominal", ILLNESS),
    )
    return vk.TableRelease.of(frame, vk.Schema(columns), promise=promise)


def stages():
    """Single values, some of them words with an order."""
    frame = pd.DataFrame({"age": [20, 30, 40, 50], "sex": ["Male", "Female", "Male", "Male"]})
    sex = vk.Column("sex", kind="ordinal", order=("Male", "Female"))
    return vk.TableRelease.of(frame, vk.Schema((vk.Column("age"), sex)))


def groups():
    """The same people in two tables that are joined by groups."""
    frame = pd.DataFrame(
        {"sex": ["Male", "Female"] * 4, "age": range(20, 28), "ill": ["Flu", "none"] * 4}
    )
    columns = (
        vk.Column("sex", kind="nominal"),
        vk.Column("age"),
        vk.Column("ill", "sensitive", "nominal", ILLNESS),
    )
    data = vk.Microdata(frame, vk.Schema(columns))
    return vk.mask.anatomize(data, partition=vk.partition.mondrian(data, k=4), seed=1).release


@pytest.mark.parametrize("make", [people, stages, groups])
def test_every_door_offers_the_same_words_and_refuses_the_same(make, opened):
    release, rng = make(), np.random.default_rng(7)
    typed = {"age": AGES, "born": BORN, "sex": WORDS, "place": PLACES, "ill": ILL}
    asked = [name for name in release.schema.names if name in typed]
    records = [{name: one} for name in asked for one in typed[name] if one.strip()]
    records += [{name: str(rng.choice(typed[name])) for name in asked} for _ in range(40)]
    if release.kind == "split" or make is people:
        records = [{"age": "34", **record} for record in records]
    panel = SelfCheck(release)
    lists = {
        field.id.removeprefix("record/"): [value for value, _ in field.options if value]
        for part in panel.parts()
        for field in part.fields
    }
    page = opened(release)
    page.evaluate(
        "async () => { DATA.release = await opened(DATA.release, byId('values').textContent); }"
    )
    offered = page.evaluate(
        "() => Object.fromEntries(DATA.release.columns.map((c) => [c.name, offeredBy(c)]))"
    )
    assert {name: lists[name] for name in lists if name in asked} == {
        name: offered[name] for name in asked if name in lists
    }
    for language in ("en", "pl"):
        page.evaluate("(name) => speak(name)", language)
        for record, found in zip(records, page.evaluate(SAY, records), strict=True):
            given = {name: value for name, value in record.items() if value.strip()}
            expects = expected(release, given, language)
            said = found.get("refused") or (
                found["text"], found["notes"], [part["text"] for part in found["sentences"]]
            )  # fmt: skip
            assert said == expects, record
            if "ill" not in given or make is stages:  # which is not asked in the app
                panel.language, panel.record = language, given
                assert (panel.last_error is None) == isinstance(expects, tuple), record
                with use_language(language):
                    said = [*panel.errors().values()] or [panel.report.headline.text]
                assert (expects if isinstance(expects, str) else expects[0]) in said, record


MUTANTS = {
    "spaces stay": ("\\s\\u00a0\\u202f'’](?=", "'’](?="),
    "any digits after a space": ("(?=\\d{3}(?!\\d))", "(?=\\d)"),
    "currencies stay": ('typed.replace(SIGN, "")', "typed"),
    "units stay": ("return same ? plain", "return false ? plain"),
    "usual units stay": ('plain.replace(usual, "")', "plain"),
    "zeros begin thousands": ('",": /^[+-]?(?!0)', '",": /^[+-]?'),
    "a point is never thousands": ('return DATA.speech.thousands === "." &&', "return false &&"),
    "ends are not asked": ("among(found, publishedEnds(column))", "found"),
    "ends are not in": ("low <= one && one <= high", "low < one && one < high"),
    "no language decides": ('decimal === ".") return readings', "true) return readings"),
    "the wrong one is meant": ("(thousands) ? 0 : 1]", "(thousands) ? 1 : 0]"),
    "how it was read is not told": ("if (read) notes", "if (false) notes"),
}  # fmt: skip


def test_every_fault_can_be_made():
    program = _write.write_kernel()
    assert [old for old, _ in MUTANTS.values() if program.count(old) != 1] == []


@pytest.mark.parametrize("mutant", every(MUTANTS, 9))
def test_a_fault_in_the_program_is_noticed(mutant, monkeypatch, wanted, said):
    old, new = MUTANTS[mutant]
    program = _write.write_kernel()
    assert program.count(old) == 1
    monkeypatch.setattr(_write, "write_kernel", lambda: program.replace(old, new))
    for name in ("both", "small", "large", "generalized"):
        told = [line[1] for language in WHOLE for line in wanted[name, language]]
        if told != list(said(name, wanted)):
            return
    pytest.fail("no spelling noticed it")


COUNTED = """(asked) => asked.map(([name, typed]) => {
  try { return parseInt(check(new Map([[name, typed]])).figures[0].value); } catch (error) {
    return error instanceof Refused ? null : `${error}`;
  }
})"""


def test_each_typed_value_is_taken_for_itself_in_every_language(opened):
    release = make_table(*KINDS)
    page = opened(release)
    page.evaluate(
        "async () => { DATA.release = await opened(DATA.release, byId('values').textContent); }"
    )
    for language in WHOLE:
        page.evaluate("(name) => speak(name)", language)
        asked = [(kind, *one) for kind in KINDS for one in list_typed(kind, release, language)]
        found = page.evaluate(COUNTED, [[kind, typed] for kind, typed, _ in asked])
        told = zip(asked, found, strict=True)
        assert [(one, fits) for one, fits in told if one[2] != fits] == [], language
