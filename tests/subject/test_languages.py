"""Every language says the same: same sentences, same places to fill in, no forbidden claim."""

import re
import warnings
from html import unescape

import pytest
from sources import WHOLE

import verikit as vk
from verikit.errors import RecordError
from verikit.languages import (
    find_missing_texts,
    own_texts,
    read_language,
    speaks_of,
    spoken_language,
    texts_of,
    use_language,
)
from verikit.page._write import collect_words
from verikit.subject import methods_in
from verikit.subject._check import CHECKS as KINDS_OF_CHECK

FAMILIES = (
    "common.", "masked.", "generalized.", "split.", "indexed.", "together.", "randomized.",
    "numbers.", "graph.", "disguised.",
)  # fmt: skip
OTHERS = [name for name in WHOLE if name != "en"]
each_language = pytest.mark.parametrize("language", OTHERS)
FORMS = {"one": 2, "zero": 2, "few": 3}
COMMON = (
    r"anonym|anonim|anónim|quasi-?id|[aä]quivalen|equivalen|ekwiwalen|"
    r"probabil|wahrscheinlichkeit|prawdopodobie"
)
FORBIDDEN = {name: own_texts(name, "checks")["forbidden"] for name in WHOLE}
CERTAIN = re.compile(r"\b100 (of|von|de|sur|su|van de|na) 100\b")
SECTIONS = ("speech", "sentences", "conditions", "card", "form", "page")


def places(text):
    return sorted(re.findall(r"\{(\w+)", text))


def forms(text):
    found = re.findall(r"\{\w+:([^}]*)\}", text)
    return [form for form in found if form not in ("places", "share", "chance", "term")]


def flat(texts, above):
    """Every text by its section, table and name."""
    for name, inner in texts.items():
        if isinstance(inner, dict):
            yield from flat(inner, f"{above}.{name}")
        elif isinstance(inner, str):
            yield f"{above}.{name}", inner


def own(language):
    """What a language itself says, by section, table and name."""
    return {
        name: text
        for section in SECTIONS
        for name, text in flat(own_texts(language, section), section)
    }


def english_of(name, text):
    """What English says where a language has a text; none where its words lie elsewhere."""
    if name.startswith("conditions."):
        return name.removeprefix("conditions.")
    english = own("en")
    return english.get(name) or english.get(f"{name}.text")


def test_what_a_language_lacks_is_listed():
    for language in WHOLE:
        lacking = find_missing_texts(language)
        assert "told.refused.two-numbers" not in lacking, "only English asks which is meant"
        if lacking:
            warnings.warn(f"{language} says in English: {', '.join(lacking)}", stacklevel=1)


@each_language
def test_a_language_has_no_text_that_english_has_not(language):
    methods = methods_in("en")
    whens = {entry.when for entry in read_language("en").sentences.values()}
    for name, text in own(language).items():
        if name.startswith("conditions."):
            assert name.removeprefix("conditions.") in whens
        elif name.startswith("card.methods."):
            assert name.removeprefix("card.methods.") in methods
        elif not name.startswith("speech.terms."):
            assert english_of(name, text), name


@each_language
def test_a_text_is_filled_with_the_same(language):
    for name, text in own(language).items():
        if name.startswith(("speech.terms.", "card.methods.")):
            continue
        assert text, name
        given, wanted = places(text), places(english_of(name, text))
        if name.startswith(("card.you.", "card.labels.crowd-")):
            given, wanted = set(given), set(wanted)
        assert given == wanted, name


@each_language
def test_words_have_as_many_forms_as_the_language_has_plurals(language):
    wanted = FORMS[read_language(language).words["plural"]]
    for text in [*own(language).values(), f"{{n:{read_language(language).words['places']}}}"]:
        assert [len(form.split("/")) for form in forms(text)] == [wanted] * len(forms(text)), text


@pytest.mark.parametrize("language", WHOLE)
def test_no_language_makes_a_claim_that_may_not_be_made(language):
    forbidden = re.compile(f"{COMMON}|{FORBIDDEN[language]}", re.IGNORECASE)
    kinds = tuple(f"sentences.{family}" for family in FAMILIES)
    held = {
        name: text
        for name, text in own(language).items()
        if name.startswith((*kinds, "conditions.", "card.", "form.", "page.", "speech.tags."))
    }
    assert len(held) > 300
    assert not [n for n, t in held.items() if forbidden.search(t) or CERTAIN.search(t)]


@pytest.mark.parametrize("language", WHOLE)
def test_a_language_has_one_word_for_a_thing(language):
    """What its glossary, the first line of its file, has another word for; read by hand once."""
    avoided = re.compile(own_texts(language, "checks")["avoid"])
    said = own(language) | dict(flat(own_texts(language, "told"), "told"))
    words = {name: re.sub(r"\{\w+", "{", text) for name, text in said.items()}
    assert not {name: text for name, text in words.items() if avoided.search(text)}


def test_a_condition_is_no_sentence():
    for language in OTHERS:
        conditions = own_texts(language, "conditions").values()
        assert not [text for text in conditions if not text.strip() or text.endswith(".")]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "1 Rangplatz, 1.200 Rangplätze, 4 von 1.000, in 1 von 250 Fällen, a und b"),
        ("es", "1 puesto, 1.200 puestos, 4 de 1.000, en 1 de 250 casos, a y b"),
        ("fr", "1 place, 1\u202f200 places, 4 sur 1\u202f000, dans 1 cas sur 250, a et b"),
        ("it", "1 posto, 1.200 posti, 4 su 1.000, in 1 su 250 casi, a e b"),
        ("nl", "1 plaats, 1.200 plaatsen, 4 van de 1.000, in 1 van de 250 gevallen, a en b"),
        ("pl", "1 miejsce, 1\u00a0200 miejsc, 4 na 1\u00a0000, w 1 na 250 przypadków, a i b"),
        ("pt", "1 posição, 1.200 posições, 4 de 1.000, em 1 de 250 casos, a e b"),
    ],
)
def test_numbers_are_written_as_people_of_a_language_write_them(language, said):
    line = "{one:places}, {many:places}, {part:share}, {part:chance}, {names}"
    told = {"one": 1, "many": 1200, "part": 0.004, "names": ["a", "b"]}
    with use_language(language):
        assert spoken_language().fill_in(line, told) == said


@pytest.mark.parametrize(
    ("language", "name", "told", "said"),
    [
        (
            "de",
            "generalized.gaps",
            "count",
            ["1 passender Datensatz zeigt", "2 passende Datensätze"],
        ),
        ("de", "split.table-gives-away", "people", ["1 Person ist in", "21 Personen sind in"]),
        ("es", "generalized.gaps", "count", ["1 no muestra", "5 no muestran"]),
        ("es", "split.table-gives-away", "people", ["1 está en grupos", "21 están en grupos"]),
        ("fr", "split.table-gives-away", "people", ["0 est dans", "1 est dans", "2 sont dans"]),
        ("it", "split.table-gives-away", "people", ["1 è in gruppi", "21 sono in gruppi"]),
        ("nl", "generalized.gaps", "count", ["Bij 1 passend record", "Bij 2 passende records"]),
        ("pl", "generalized.fit", "count", ["2 pasują", "5 pasuje", "12 pasuje", "22 pasują"]),
        (
            "pl",
            "split.table-gives-away",
            "people",
            ["1 jest", "2 są", "5 jest", "21 jest", "24 są"],
        ),
        ("pl", "masked.crowd", "fitting", ["2 opublikowane rekordy pasują", "21 opublikowanych"]),
        ("pt", "generalized.gaps", "count", ["1 não mostra", "21 não mostram"]),
    ],
)
def test_a_verb_goes_with_its_number(language, name, told, said):
    text = read_language(language).sentences[name].text
    rest = dict.fromkeys(places(text), "…") | dict.fromkeys(("records", "people", "count"), 99)
    with use_language(language):
        for words in said:
            number = int(re.search(r"\d+", words).group())
            assert words in spoken_language().fill_in(text, rest | {told: number})


@pytest.mark.parametrize("language", [name for name in OTHERS if name not in ("de", "nl")])
def test_no_case_is_a_number_of_cases_as_none_would_want_another_verb(language):
    assert " 0 " in read_language(language).words["never"]


@pytest.mark.parametrize("language", OTHERS)
def test_no_verb_follows_a_share_which_may_be_one_or_many(language):
    """A figure is a share above its words: these hold for 1 of 100 and for 62 of 100."""
    verbs = r"^(sind|están|sont|sono|zijn|są|estão|muestran|montrent|mostrano|tonen|mostram)\b"
    for name, entry in read_language(language).sentences.items():
        if ":share" in entry.value:
            assert not re.search(verbs, entry.text.split(" ", 2)[-1]), name
            assert not re.search(verbs, entry.text), name


def test_a_language_is_spoken_for_one_check_only():
    release = vk.published("dm_table1_masked")
    record = {"X1": "100,87", "X2": 902.21, "X3": "5.108,54"}
    german = vk.check(record, release, language="de")
    assert german.sentence("S7") == "Daraus lässt sich nicht schließen, dass Sie geschützt sind."
    assert german.headline.tag == "Warnung zu dieser Tabelle"
    assert german.notes == ("X3: '5.108,54' wurde als 5108,54 gelesen.",)
    english = vk.check(record, release)
    assert english.headline.tag == "Warning about this table"
    assert [s.key for s in english.sentences] == [s.key for s in german.sentences]
    assert english.attributes.equals(german.attributes)


@pytest.mark.parametrize("language", WHOLE)
def test_a_whole_language_speaks_of_every_kind_of_release(language):
    kinds = {kind.says for kind in KINDS_OF_CHECK.values()}
    assert kinds >= {"randomized", "numbers", "graph", "disguised"}
    assert {kind for kind in kinds if not speaks_of(language, kind)} == set()


def test_an_unknown_language_is_refused():
    with pytest.raises(RecordError, match=r"language was given as 'tlh'"):
        vk.check({"X1": 100}, vk.published("dm_table1_masked"), language="tlh")


@pytest.mark.parametrize("language", WHOLE)
def test_no_words_stand_in_two_tables(language):
    """What page, form and card share is written once, whatever it is called."""
    card = {t for s in ("shared", "labels") for t in texts_of(language, "card")[s].values()}
    form = {
        t for s in ("shared", "form", "spelling") for t in texts_of(language, "form")[s].values()
    }
    shared = {
        *texts_of(language, "card")["shared"],
        *texts_of(language, "form")["shared"],
        "measures",
    }
    page = {t for n, t in collect_words(language).items() if n not in shared and isinstance(t, str)}
    long = {text for text in (card & form) | (card & page) | (form & page) if " " in text}
    assert long == set()


MASKED = {"X1": "100,87", "X2": 902.21, "X3": 5108.54}
BOB = {"Age": 65, "Sex": "M"}
CHECKS = [
    ("lhcc_table3", BOB, {}),
    ("dm_table1_masked", MASKED, {"distance": 3}),
    ("dm_table1_masked", MASKED, {"diversity": 5, "criterion": "entropy"}),
    ("ks_table4", {"Zip": "19552", "DOB": 2001}, {}),
    ("ks_table4", {"Zip": "19552", "DOB": 2001}, {"k": 3}),
]
ENGLISH_WORDS = re.compile(
    r"\b(the|your?s?|record|table|what|closest|with|from|away|value|which|who|is|are|published|"
    r"ask|places|yes|within|highest|lowest|groups?|attributes?|records|fits?|named|checked)\b",
    re.IGNORECASE,
)
SAME = {
    "nl": {"record", "records", "is"},
    "it": {"record"},
    "fr": {"places"},
}  # these are their words as well


def read_by_her(page):
    """What stands on a slip, and what a screen reader says of its pictures."""
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    spoken = re.findall(r'aria-label="([^"]*)"', body)
    return unescape(" ".join([*spoken, *re.sub(r"<[^>]+>", "\n", body).split("\n")]))


@each_language
@pytest.mark.parametrize(("name", "record", "asked"), CHECKS)
def test_the_conditions_of_a_report_are_in_its_language(language, name, record, asked):
    report = vk.check(record, vk.published(name), language=language, **asked)
    english = vk.check(record, vk.published(name), **asked)
    told = {s.because for s in report.sentences}
    assert told.isdisjoint(s.because for s in english.sentences)
    found = {word.lower() for text in told for word in ENGLISH_WORDS.findall(text)}
    assert found <= SAME.get(language, set()) | {"data"}
    assert all(said.because in report.to_json() for said in report.sentences)


@each_language
@pytest.mark.parametrize(("name", "record", "asked"), CHECKS)
def test_a_slip_speaks_one_language(language, name, record, asked):
    report = vk.check(record, vk.published(name), language=language, **asked)
    page = report.to_html(schema=vk.published(name).schema, table="x.csv")
    assert f'<html lang="{language}">' in page
    found = {word.lower() for word in ENGLISH_WORDS.findall(read_by_her(page))}
    assert found <= SAME.get(language, set())


def test_a_slip_writes_its_numbers_as_its_language_does():
    page = vk.check(MASKED, vk.published("dm_table1_masked"), language="de").to_html()
    assert "<td>902,21</td>" in page
    assert "± 4,97" in page
    assert "Was das nicht sagt" in page
    assert ">You" not in page


def test_a_slip_in_english_says_what_it_said():
    page = vk.check(MASKED, vk.published("dm_table1_masked")).to_html(table="x.csv")
    assert '<html lang="en">' in page
    assert "<dt>Table</dt><dd><bdi>x.csv, 20 records</bdi></dd>" in page
    assert "Places among 20 published values. X1: yours 8, closest record 12." in page
