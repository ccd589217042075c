"""Every sentence with a chance names what the chance rests on, in every language and place.

A chance states itself by a place for it (``{x:chance}``, ``{x:share}``) or by the words that the
language has for it, as ``in 63 of 100 cases``; or it is a label that is `ASKED`. It rests on one of
the phrases of ``[speech.rests]``, or it counts what was published, and then it stands in `COUNTED`
with what it counts.
"""

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from sources import WHOLE
from test_sentences import SITUATIONS, observed

import verikit as vk
from verikit import words
from verikit.languages import (
    insert_phrases,
    own_texts,
    read_language,
    read_messages,
    texts_of,
)
from verikit.page._write import collect_words as page_words

ROOT = Path(vk.__file__).parent
COUNTED = {
    "masked.found-again": "runs of the published method, by one who knows everybody's values",
    "masked.figure-others": "published records",
    "masked.copy": "published records",
    "masked.copies": "published records",
    "masked.made-up": "made-up records",
    "masked.made-up-estimated": "made-up records",
    "masked.others": "published records",
    "masked.others-estimated": "published records",
    "masked.closer": "people who are not in the table",
    "masked.closer-drawn": "people of whom the model did not learn, if its records are like theirs",
    "masked.blind-alike": "published records",
    "masked.limit": "warnings by mistake",
    "masked.limit-divided": "warnings by mistake",
    "masked.missing": "published records",
    "generalized.figure-top": "the records that fit",
    "generalized.figure-top-tied": "the records that fit",
    "generalized.gains": "records",
    "numbers.of-all": "a range, and no cases",
    "split.figure-presence": "ways to undo the shuffling",
    "split.possible-row": "ways to undo the shuffling",
    "split.formula": "a formula, of which no figure is said",
}
LABELLED = {"card.terms.cases": "what a number of cases means"}
ASKED = {
    "form.shared.ell-guess",
    "form.shared.ell-drawn",
    "form.shared.ell-graph",
    "form.shared.ell-target",
}  # in how many cases a guess may be right, in words of its own
each_language = pytest.mark.parametrize("language", WHOLE)


def phrases(language):
    """What a chance may rest on: the conditions, not who may do better."""
    rests = own_texts(language, "speech")["rests"]
    names = ("links", "records", "target", "nodes", "drawn", "learned", "repeated")
    return [rests[name] for name in names if name in rests]


def states_a_chance(text, language):
    said = read_language(language).words
    place, number = r"\{\w+:(chance|share)\}", r"(\{[^{}]*\}|[\d.,\s]+)"
    known = [said[name] for name in ("chance", "chance-few", "chance-most", "always", "never")]
    forms = [re.sub(r"\\\{[ab]\\\}", lambda _: number, re.escape(form)) for form in known]
    return any(re.search(form, text, re.IGNORECASE) for form in (place, *forms))


def bare(text, language, name=""):
    """Whether a text states a chance and does not say on what it rests."""
    held = [phrase for phrase in phrases(language) if phrase in text]
    return (name in ASKED or states_a_chance(text, language)) and not held


def lines_in(language):
    """Every line that a language has: what it says, with its figure before its words."""
    held = own_texts(language, "sentences")
    return {
        name: f"{entry.value} {entry.text}".strip()
        for name, entry in read_language(language).sentences.items()
        if name.partition(".")[2] in held.get(name.partition(".")[0], {})
    }


def labels_in(language):
    """Every other text that a person reads, by its file, section and name."""
    tables = {name: own_texts(language, name) for name in ("card", "form")}
    tables["page"] = {"words": page_words(language, empty=True)}
    tables["told"] = {"": read_messages(language)}
    return {
        f"{table}.{section}.{name}": text
        for table, sections in tables.items()
        for section, named in sections.items()
        for name, text in named.items()
        if isinstance(text, str) and not (table == "page" and name in _shared(language))
    }


def _shared(language):
    return {*texts_of(language, "card")["shared"], *texts_of(language, "form")["shared"]}


# -- the tables of sentences and words -----------------------------------------------------------


@each_language
def test_a_sentence_with_a_chance_names_what_it_rests_on(language):
    found = {name for name, text in lines_in(language).items() if bare(text, language)}
    assert found - set(COUNTED) == set()


@each_language
def test_a_label_with_a_chance_names_what_it_rests_on(language):
    found = {name for name, text in labels_in(language).items() if bare(text, language, name)}
    assert found - set(LABELLED) == set()


@each_language
def test_a_sentence_without_its_condition_is_caught(language):
    """Each is stripped of its phrase, one after the other: none gets through."""
    stripped = 0
    for texts in (lines_in(language), labels_in(language)):
        for name, text in texts.items():
            for phrase in phrases(language):
                if phrase in text:
                    stripped += 1
                    left = text.replace(phrase, "")
                    assert bare(left, language, name), name
    assert stripped >= 11


@each_language
def test_the_words_for_a_chance_of_a_language_are_known_as_such(language):
    speech = read_language(language)
    for part in (0.5, 1e-9, 0.999, 0.004, 0.0, 1.0):
        assert states_a_chance(speech.format_part(part, "chance"), language), part
    assert bare(f"… {speech.format_part(0.5, 'chance')} …", language)


@each_language
def test_the_same_sentences_name_the_same_conditions_in_every_language(language):
    def named(name, text, spoken):
        rests = read_language(spoken).words["rests"]
        return {(name, key) for key, phrase in rests.items() if key != "learner" and phrase in text}

    told, english = lines_in(language), lines_in("en")
    found = set().union(*(named(name, text, language) for name, text in told.items()))
    wanted = set().union(*(named(name, english[name], "en") for name in told))
    assert found == wanted


@each_language
def test_a_condition_is_one_phrase_written_once(language):
    rests = own_texts(language, "speech")["rests"]
    assert set(rests) >= {"links", "records", "learner", "repeater"}
    assert not [phrase for phrase in rests.values() if re.search(r'["\\{}]', phrase)]
    written = (ROOT / "languages" / f"{language}.toml").read_text(encoding="utf-8")
    outside = re.sub(r"\[speech\.rests\].*?\n\[", "", written, flags=re.DOTALL)
    assert not [phrase for phrase in rests.values() if phrase in outside]
    assert "{rests:" not in written[written.index("[page.words]") :]


def test_what_is_counted_is_there_and_names_no_condition():
    for known, texts_in in ((COUNTED, lines_in), (LABELLED, labels_in)):
        texts = {language: texts_in(language) for language in WHOLE}
        bared = {
            name
            for language, found in texts.items()
            for name, text in found.items()
            if bare(text, language)
        }
        assert set(known) - bared == set()
    assert set(labels_in("en")) >= ASKED


@pytest.mark.parametrize(
    "text",
    [
        "The best guess of your {title} from your values is right {surest:chance}.",
        "Your own {title}, {own}, would be guessed {here:chance}; without, {everywhere:chance}.",
        "{surest:share} best guesses of your {title} are right",
        "whoever guesses it is right in {n} of 100 cases; whoever learns may do better.",
    ],
)
def test_sentences_that_once_stood_without_a_condition_are_caught(text):
    assert bare(text, "en")
    assert not bare(insert_phrases(f"{text} {{rests:links}}"), "en")


# -- reports, as they are read and kept ----------------------------------------------------------


def kept_alone(report):
    """Each part of a report that can be shown by itself, with the lines it may come from."""
    yield "headline", report.headline.text
    yield from ((said.key, said.text) for said in report.sentences)
    yield from (("figure", f"{figure.value} {figure.words}") for figure in report.figures)
    yield from (("note", note) for note in report.notes)


def counts(name, text):
    """Whether a text is what a line of `COUNTED` says."""
    parts = re.split(r"\{[^{}]*\}", lines_in("en")[name])
    return re.fullmatch(".+".join(map(re.escape, parts)), text, re.DOTALL) is not None


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_part_of_a_report_states_a_chance_without_what_it_rests_on(situation):
    report, _ = observed(situation)
    said = re.compile(r"\bin (\S+ )*(of [\d,]+ cases|all cases|no case)|^\S+ of 100 .*right")
    found = [
        text
        for key, text in kept_alone(report)
        if said.search(text) and not any(phrase in text for phrase in phrases("en"))
    ]
    reported = re.compile(r"found you in|finds you in")
    assert [
        t for t in found if not any(counts(n, t) for n in COUNTED) and not reported.search(t)
    ] == []


def test_the_conditions_of_intruders_are_those_of_the_sentences():
    rests = read_language("en").words["rests"]
    assert rests["links"] == words.EVEN_VALUES
    assert rests["nodes"] == words.EVEN_NODES


# -- what widgets, attacks and reports of the protector say ---------------------------------------


ROOMS = ("widgets", "protector", "intruder", "cli", "plot", "models", "game")
CHANCE = re.compile(
    r"\bin .*\bcases\b|\d likely\b|\} likely\b|\{(words\.)?chance\(|\bguess is right in"
)
CONDITIONS = re.compile(r"EVEN_(VALUES|NODES|WAYS)|if within a group each")
COUNTED_IN_CODE = {
    ("protector/_correct_links.py", "Luck gives"): "what luck gives, at random order",
    ("intruder/_plausibility.py", "Chance alone"): "what chance gives, at random order",
    ("plot/_lines.py", "Luck:"): "what luck gives, at random order",
    ("protector/_population_risk.py", "each person was drawn by herself"): "how people are drawn",
    ("intruder/_disclosure.py", ", where the naive guess"): "a share of the whole table",
}


def said_in(source):
    """Each text in a program that is no docstring, as it is written there."""
    tree = ast.parse(source)
    bodies = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    held = [node.body[0] for node in ast.walk(tree) if isinstance(node, bodies) and node.body]
    skipped = {id(part.value) for part in held if isinstance(part, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in ast.walk(node)} - {id(node)}
    texts = (ast.JoinedStr, ast.Constant)
    for node in ast.walk(tree):
        if isinstance(node, texts) and id(node) not in skipped:
            written = ast.unparse(node)
            if isinstance(node, ast.JoinedStr) or isinstance(node.value, str):
                yield written


def without_condition(source):
    return [text for text in said_in(source) if CHANCE.search(text) and not CONDITIONS.search(text)]


def files_of(room):
    return sorted(Path(find_spec(f"verikit.{room}").origin).parent.glob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_no_text_in_a_program_states_a_chance_without_what_it_rests_on(room):
    files = files_of(room)
    assert files
    for file in files:
        where = f"{room}/{file.name}"
        for text in without_condition(file.read_text(encoding="utf-8")):
            known = [part for place, part in COUNTED_IN_CODE if place == where and part in text]
            assert known, f"{where}: {text}"


def test_a_text_in_a_program_without_its_condition_is_caught():
    caught = 0
    for room in ROOMS:
        for file in files_of(room):
            source = file.read_text(encoding="utf-8")
            stripped, times = re.subn(r",? ?\{EVEN_\w+\},?", "", source)
            if times:
                assert len(without_condition(stripped)) > len(without_condition(source)), file.name
                caught += times
    assert caught >= 7


def test_what_is_counted_in_programs_is_still_said_there():
    for where, part in COUNTED_IN_CODE:
        room, _, name = where.partition("/")
        (file,) = [file for file in files_of(room) if file.name == name]
        assert [t for t in without_condition(file.read_text(encoding="utf-8")) if part in t], where
