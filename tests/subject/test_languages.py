"""Every language says the same: same sentences, same places to fill in, no forbidden claim."""

import re
import tomllib
from html import unescape
from importlib.resources import files

import pytest

import verikit as vk
from verikit.errors import RecordError
from verikit.page._write import words
from verikit.subject._sentences import entries_in, filled
from verikit.subject._speech import LANGUAGES, speaking, speeches
from verikit.subject._words_of_card import texts_in
from verikit.subject._words_of_form import form_in

ENGLISH_ONLY = {"target", "drawn", "nodes"}  # terms of kinds whose sentences stand in English only
FAMILIES = ("common.", "masked.", "generalized.", "split.", "indexed.")
OTHERS = [name for name in LANGUAGES if name != "en"]
each_language = pytest.mark.parametrize("language", OTHERS)
FORMS = {"one": 2, "zero": 2, "few": 3}
COMMON = (
    r"anonym|anonim|anónim|quasi-?id|[aä]quivalen|equivalen|ekwiwalen|"
    r"probabil|wahrscheinlichkeit|prawdopodobie"
)
FORBIDDEN = {
    "en": r"\b(safe|exposed)\b",
    "de": r"\b(sicher vor|in sicherheit|gefahrlos|ungefährdet|bloßgestellt|zu 100 ?%)\b",
    "es": r"\b(segur[oa]s?|a salvo|expuest[oa]s?|identificad[oa]s?)\b(?! de que)",
    "fr": r"\b(en sécurité|sans danger|sans risque|exposée?s?|identifiée?s?)\b",
    "it": r"\b(al sicuro|senza rischi|espost[oaie]|identificat[oaie])\b",
    "nl": r"\b(veilig|zonder risico|blootgesteld|geïdentificeerd|waarschijnlijkheid)\b",
    "pl": r"\b(bezpieczn\w*|bez ryzyka|narażon\w*|zidentyfikowan\w*)\b",
    "pt": r"\b(a salvo|segur[oa]s?|sem risco|expost[oa]s?|identificad[oa]s?)\b(?! de que)",
}
CERTAIN = re.compile(r"\b100 (of|von|de|sur|su|van de|na) 100\b")


def places(text):
    return sorted(re.findall(r"\{(\w+)", text))


def forms(text):
    found = re.findall(r"\{\w+:([^}]*)\}", text)
    return [form for form in found if form not in ("places", "share", "chance", "term")]


@each_language
def test_a_language_has_the_sentences_of_english_and_no_others(language):
    wanted = {name for name in entries_in("en") if name.startswith(FAMILIES)}
    assert set(entries_in(language)) == wanted


@each_language
def test_a_sentence_is_filled_with_the_same(language):
    for name, entry in entries_in(language).items():
        english = entries_in("en")[name]
        for part in ("text", "value", "when"):
            given, wanted = getattr(entry, part), getattr(english, part)
            assert places(given) == places(wanted), (name, part)
            assert bool(given) == bool(wanted), (name, part)


@each_language
def test_words_have_as_many_forms_as_the_language_has_plurals(language):
    wanted = FORMS[speeches()[language].words["plural"]]
    texts = [part for e in entries_in(language).values() for part in (e.text, e.value, e.when)]
    page = [text for text in words(language, empty=True).values() if isinstance(text, str)]
    for text in [*texts, *page, f"{{n:{speeches()[language].words['places']}}}"]:
        assert [len(form.split("/")) for form in forms(text)] == [wanted] * len(forms(text)), text


@each_language
def test_a_language_has_the_words_of_the_page(language):
    english, found = words(empty=True), words(language, empty=True)
    assert set(found) == set(english)
    for name, text in english.items():
        if isinstance(text, str):
            assert places(found[name]) == places(text), name
        else:
            assert set(found[name]) == set(text)


def test_every_language_says_how_it_speaks():
    english = speeches()["en"].words
    terms = {*words()["criteria"], "more than", "at least", "at most"}
    assert set(LANGUAGES) == set(speeches())
    for name, speech in speeches().items():
        assert set(speech.words) == set(english)
        assert set(speech.tags) == set(english["tags"])
        assert name == "en" or set(speech.words["terms"]) == terms
        for part in ("share", "share-few", "share-most", "chance", "chance-few", "chance-most"):
            assert places(speech.words[part]) == ["a", "b"]
        assert places(speech.words["read"]) == places(english["read"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_makes_a_claim_that_may_not_be_made(language):
    forbidden = re.compile(f"{COMMON}|{FORBIDDEN[language]}", re.IGNORECASE)
    lines = [(n, e) for n, e in entries_in(language).items() if n.startswith(FAMILIES)]
    held = [(n, part) for n, e in lines for part in (e.text, e.value, e.when)]
    held += [(n, text) for n, text in words(language, empty=True).items() if isinstance(text, str)]
    held += speeches()[language].tags.items()
    assert not [(n, text) for n, text in held if forbidden.search(text) or CERTAIN.search(text)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "1 Platz, 1.200 Plätze, 4 von 1.000, in 1 von 250 Fällen, a und b"),
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
    with speaking(language):
        assert filled(line, told) == said


@pytest.mark.parametrize(
    ("language", "name", "told", "said"),
    [
        (
            "de",
            "generalized.gaps",
            "count",
            ["1 passender Datensatz zeigt", "2 passende Datensätze"],
        ),
        ("de", "split.table-gives-away", "people", ["1 Mensch ist in", "21 Menschen sind in"]),
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
    text = entries_in(language)[name].text
    rest = dict.fromkeys(places(text), "…") | dict.fromkeys(("records", "people", "count"), 99)
    with speaking(language):
        for words in said:
            number = int(re.search(r"\d+", words).group())
            assert words in filled(text, rest | {told: number})


@pytest.mark.parametrize("language", [name for name in OTHERS if name not in ("de", "nl")])
def test_no_case_is_a_number_of_cases_as_none_would_want_another_verb(language):
    assert " 0 " in speeches()[language].words["never"]


@pytest.mark.parametrize("language", OTHERS)
def test_no_verb_follows_a_share_which_may_be_one_or_many(language):
    """A figure is a share above its words: these hold for 1 of 100 and for 62 of 100."""
    verbs = r"^(sind|están|sont|sono|zijn|są|estão|muestran|montrent|mostrano|tonen|mostram)\b"
    for name, entry in entries_in(language).items():
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


def test_what_stands_in_english_only_is_refused_in_other_languages():
    record = {"age": 35, "zipcode": "27101", "gender": "M"}
    with pytest.raises(RecordError, match="stands in English only"):
        vk.check(record, vk.published("qz_table2_3"), language="de")
    with pytest.raises(RecordError, match=r"language was given as 'tlh'"):
        vk.check({"X1": 100}, vk.published("dm_table1_masked"), language="tlh")


@each_language
def test_a_language_has_the_words_of_the_card(language):
    english, found = texts_in("en"), texts_in(language)
    assert set(found) == {*english, "methods"}  # which English has where they are registered
    for section, lines in english.items():
        wanted = {name for name in lines if name not in ENGLISH_ONLY}
        assert set(found[section]) == wanted, section
        for name in wanted:
            assert found[section][name].strip(), name
            if section == "you" or name.startswith("crowd-"):
                assert set(places(found[section][name])) == set(places(lines[name])), name
            else:
                assert places(found[section][name]) == places(lines[name]), name


@each_language
def test_words_of_the_card_have_as_many_forms_as_the_language_has_plurals(language):
    wanted = FORMS[speeches()[language].words["plural"]]
    texts = [text for lines in texts_in(language).values() for text in lines.values()]
    assert {len(form.split("/")) for text in texts for form in forms(text)} == {wanted}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_card_makes_a_claim_that_may_not_be_made(language):
    forbidden = re.compile(f"{COMMON}|{FORBIDDEN[language]}", re.IGNORECASE)
    held = [text for lines in texts_in(language).values() for text in lines.values()]
    assert not [text for text in held if forbidden.search(text) or CERTAIN.search(text)]


@each_language
def test_a_language_has_the_words_of_the_form(language):
    english, found = form_in("en"), form_in(language)
    assert set(found) == set(english)
    for section, lines in english.items():
        assert set(found[section]) == set(lines), section
        for name, text in lines.items():
            assert found[section][name].strip(), name
            assert places(found[section][name]) == places(text), name


@each_language
def test_words_of_the_form_have_as_many_forms_as_the_language_has_plurals(language):
    wanted = FORMS[speeches()[language].words["plural"]]
    texts = [text for lines in form_in(language).values() for text in lines.values()]
    assert {len(form.split("/")) for text in texts for form in forms(text)} == {wanted}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_makes_a_claim_that_may_not_be_made(language):
    forbidden = re.compile(f"{COMMON}|{FORBIDDEN[language]}", re.IGNORECASE)
    held = [text for lines in form_in(language).values() for text in lines.values()]
    assert not [text for text in held if forbidden.search(text) or CERTAIN.search(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_words_stand_in_two_tables(language):
    """What page, form and card share is written once, whatever it is called."""
    card = {t for s in ("shared", "labels") for t in texts_in(language)[s].values()}
    form = {t for s in ("shared", "form", "spelling") for t in form_in(language)[s].values()}
    shared = {*texts_in(language)["shared"], *form_in(language)["shared"], "measures"}
    page = {t for n, t in words(language).items() if n not in shared and isinstance(t, str)}
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
def test_a_language_has_every_condition_and_no_others(language):
    file = files("verikit.subject").joinpath(f"conditions.{language}.toml")
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    english = {e.when for n, e in entries_in("en").items() if n.startswith(FAMILIES)}
    assert set(found) == english
    assert not [text for text in found.values() if not text.strip() or text.endswith(".")]


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
