"""The card of a check: a head of few words, a picture for every kind, and each term explained."""

import re
from dataclasses import replace
from html import unescape

import pandas as pd
import pytest
from sources import WHOLE, every
from test_sentences import SITUATIONS, observed

import verikit as vk
from verikit.languages import texts_of, use_language
from verikit.subject import _card
from verikit.subject._card_words import method_words, methods_in, spread_words, tied_words
from verikit.subject._view import VIEW, list_steps, term_text

MOST_WORDS, MOST_NUMBERS = 60, 6
WORDY = ("fr", "de", "pl", "nl", "es", "it", "pt")  # with most words where one is drawn of four


def words(html):
    plain = unescape(re.sub(r"<span aria-hidden.*?</span>|<[^>]+>", " ", html))
    return plain.split()


def spoken(situation, language, monkeypatch):
    """The report of a situation in a language, asked as in English."""
    said = vk.check
    monkeypatch.setattr(vk, "check", lambda *given, **more: said(*given, **more, language=language))
    return SITUATIONS[situation][0]()


@pytest.mark.parametrize(
    ("situation", "language"),
    [
        (situation, language)
        for at, situation in enumerate(SITUATIONS)
        for language in ("en", *every(WORDY[at % 7 :] + WORDY[: at % 7], 7))
    ],
)
def test_harm_how_likely_it_is_and_what_to_do_take_sixty_words_and_six_numbers(
    situation, language, monkeypatch
):
    report = spoken(situation, language, monkeypatch)
    told = {}
    for part in report.parts:
        told.setdefault(part.name, []).append(part.text)
    with use_language(report.headline.language):
        head = " ".join(unescape(re.sub(r"<[^>]+>", " ", _card.write_head(report, told))).split())
    if "releases" in report.facts:  # several of them are none of the kinds
        return
    assert len(re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", head)) <= MOST_WORDS, head
    assert len(re.findall(r"\d+(?:[.,\s]\d+)*", head)) <= MOST_NUMBERS, head
    first = {name: " ".join(texts[0].split()) for name, texts in told.items()}
    order = [head.find(first[name]) for name in ("tag", "harm", "headline") if name in first]
    assert -1 not in order
    assert order == sorted(order)
    assert head.endswith(first["now"])


@pytest.mark.parametrize("situation", SITUATIONS)
def test_what_left_the_head_stands_below_it(situation):
    report, _ = observed(situation)
    schema = vk.Schema(tuple(vk.Column(n) for n in report.facts.get("attributes", ["a"])))
    shown = unescape(_card.write_card(report, schema))
    begun = report.headline.text
    said = [s.text.removeprefix(begun).strip() for s in report.sentences]
    assert [text for text in said if text not in shown] == []


@pytest.mark.parametrize("situation", SITUATIONS)
def test_somebody_who_may_be_in_the_table_sees_a_picture(situation):
    report, _ = observed(situation)
    schema = vk.Schema(tuple(vk.Column(n) for n in report.facts.get("attributes", ["a"])))
    drawn = _card.write_body(report, schema)
    labels = re.findall(r'<svg width="100%"[^>]* aria-label="([^"]+)"', drawn)
    linked = len(report.tables.get("links", [True]))
    nobody = not linked or not report.facts.get("records")
    several = "releases" in report.facts  # what they leave together is a table
    assert bool(labels) != (nobody or several)
    assert all(len(label) > 15 for label in labels)


def test_every_term_is_explained_below_the_sentence_that_uses_it():
    release = vk.published("dm_table1_masked")
    report = vk.check(vk.load("dm_table1").record(2), release)
    shown = unescape(_card.write_card(report, release.schema))
    made_up, explained = shown.index("Made-up records, mixed"), shown.index(term_text("S4"))
    assert 0 < explained - made_up < 150
    for words_of_it in (term_text("places"), spread_words("variance")):
        assert shown.count(words_of_it) == 1
    assert all(term_text(key) for key in VIEW["terms"])


def test_every_criterion_says_what_spread_is():
    for name in ("variance", "robust variance", "distinct", "entropy", "packing", "t-closeness"):
        assert spread_words(name).startswith("Spread")
    assert spread_words("packing 5 apart") == spread_words("packing")


def test_the_range_of_a_number_that_may_be_hers_is_drawn_within_that_of_all():
    quasi = pd.DataFrame({"age": [30, 30, 60, 60], "Group-ID": list("aabb")})
    pay = pd.DataFrame({"Group-ID": list("aabb"), "pay": [10.0, 20.0, 90.0, 110.0]})
    report = vk.check({"age": 30}, vk.SplitRelease.of(quasi, pay, promise="another order"))
    drawn = _card.write_body(report, vk.Schema((vk.Column("age"),)))
    assert 'aria-label="pay: yours from 10 to 20, in the table 10 to 110."' in drawn


def test_the_range_of_a_date_is_drawn_by_its_days():
    quasi = pd.DataFrame({"age": [30, 30, 60, 60], "Group-ID": list("aabb")})
    born = pd.DataFrame({"Group-ID": list("aabb"), "born": [9000.0, 9003.0, 9006.0, 9000.0]})
    drawn = []
    for unit in ("days since 1970-01-01", ""):
        columns = vk.Column("age"), vk.Column("born", "sensitive", unit=unit)
        release = vk.SplitRelease.of(quasi, born, vk.Schema(columns), promise="another order")
        told = _card.write_body(vk.check({"age": 30}, release), vk.Schema(columns[:1]))
        drawn.append(re.findall(r'<rect x="([\d.]+%)"[^>]* width="([\d.]+%)"[^>]*-width="3"', told))
    assert drawn[0] == drawn[1] == [("2.00%", "48.00%")]


def test_a_requirement_that_is_not_met_names_the_part_in_its_own_unit():
    frame = vk.simulate("dm", 200, seed=1).frame
    columns = [vk.Column("X1", unit="years"), vk.Column("X2", unit="EUR"), vk.Column("X3")]
    release = vk.TableRelease.of(frame, vk.Schema(tuple(columns)))
    record = {"X1": 100, "X2": 1000, "X3": 5000}
    report = vk.check(record, release, distance=1, diversity={"X1": 100.0})
    said = report.sentence("R")
    assert re.fullmatch(
        r"What you asked for is not met by the diversity of X1 "
        r"\(± \S+ years, more than ± 10.00 years required\)\.",
        said,
    )


def test_a_group_is_called_by_its_own_names_only():
    report, _ = observed("a name among others")
    assert report.tables["links"]["any of"].tolist() == ["p, r", "q, s"]


@pytest.mark.parametrize("kind", ["one table", "two tables"])
def test_nobody_is_told_that_she_left_out_what_names_the_rows(kind):
    frame = pd.DataFrame({"id": range(1, 41), "age": [20, 30, 40, 50] * 10, "pay": range(40)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    release = vk.TableRelease.of(frame, data.schema)
    if kind == "two tables":
        groups = vk.partition.anatomy(data, ell=2, seed=1)
        release = vk.mask.anatomize(data, partition=groups, seed=1).release
    report = vk.check({"age": frame["age"][0]}, release)
    said = " ".join([*report.notes, *(sentence.text for sentence in report.sentences)])
    assert "left out id" not in said
    assert " id" not in said.replace(" idea", "")


# Both neighbours of (5, 5) are one place away, each on another attribute; the others are farther.
TIED = [(4, 5), (5, 4), (6, 1), (1, 6), (2, 2), (3, 3), (7, 7), (8, 8), (9, 9)]


def test_of_several_closest_records_she_is_told_the_distance_of_a_record_and_not_a_mixture():
    release = vk.TableRelease.of(pd.DataFrame(TIED, columns=["a", "b"]))
    report = vk.check({"a": 5, "b": 5}, release)
    assert report.attributes["distance"].tolist() == [0, 0]
    assert report.sentence("S1").startswith("2 of 9 published records are closest, each 1 place")
    shown = _card.write_body(report, release.schema)
    assert "one of the 2 closest records that is nearest there" in shown
    alone = vk.check({"a": 4, "b": 5}, release)
    assert tied_words(alone) == ""


def test_of_a_long_table_the_first_lines_are_shown_and_the_rest_is_counted():
    quasi = pd.DataFrame({"age": [30] * 60, "Group-ID": ["a"] * 60})
    pay = pd.DataFrame({"Group-ID": ["a"] * 60, "pay": [1000.0 * at for at in range(60)]})
    report = vk.check({"age": 30}, vk.SplitRelease.of(quasi, pay, promise="another order"))
    assert len(report.tables["values"]) > _card.LINES
    drawn = _card.write_body(report, vk.Schema((vk.Column("age"),)))
    assert drawn.partition("Values</h3>")[2].count("<tr>") == _card.LINES + 1
    assert f"and {60 - _card.LINES} more lines" in drawn


def test_a_formula_in_print_stands_under_the_details_and_not_among_what_concerns_her():
    release = vk.published("lhcc_table4")
    report = vk.check({"Age": 65, "Sex": "M"}, release)
    assert "formula in print" in report.tables["values"]
    before, _, details = _card.write_card(report, release.schema).partition("<details")
    assert "formula" not in before.lower()
    assert "A formula in print gives smaller chances" in details
    assert "formula in print</th>" in details


def test_a_number_as_typed_is_written_like_the_published_ones_beside_it():
    release = vk.TableRelease.of(pd.DataFrame({"pay": [999.1, 1500.25, 2000.5], "b": [1, 2, 3]}))
    shown = _card.write_body(vk.check({"pay": 1000, "b": 1}, release), release.schema)
    assert "<td>1,000.0</td><td>999.1</td>" in shown
    assert "<td>1</td><td>1</td>" in shown


def test_parameters_that_say_nothing_are_left_out_and_yes_and_no_are_words():
    told = method_words("generalize", {"levels": None, "k": 3, "tolerance": {"x": False}})
    assert told == (
        "Method: One table, its values made coarse (generalize; at least 3 records in each group; "
        "tolerance: x no). Published with all its parameters."
    )


def test_who_is_told_all_is_not_told_to_ask_for_it():
    release = vk.published("dm_table1_masked")
    record = vk.load("dm_table1").record(2)
    untold = vk.TableRelease.of(release.frame, release.schema)
    asks = {
        (True, True): [],
        (True, False): ["do-ask-tested"],
        (False, True): ["do-ask-made"],
        (False, False): ["do-ask"],
    }
    for (made, tested), wanted in asks.items():
        found = release if made else untold
        report = vk.check(record, replace(found, reported_links=3 if tested else None))
        own = ["do-stronger", "do-object"]
        first, last = (own, wanted) if report.warned else (wanted, own)
        assert list_steps(report) == [*first, *last, "do-again"]


def test_who_fits_no_record_is_not_told_to_object():
    release = vk.published("lhcc_table2")
    report = vk.check({"Age": 999}, release)
    assert "No published record fits" in report.headline.text
    assert not {"do-stronger", "do-object"} & {*list_steps(report)}
    assert "right to object" not in report.to_html()


def test_who_is_not_among_the_exposed_is_told_of_others():
    frame = pd.DataFrame({"age": ["20-29", "20-29", "30-39", "40-49"], "ill": ["a", "b", "a", "b"]})
    schema = vk.Schema((vk.Column("age", kind="nominal"), vk.Column("ill", "sensitive", "nominal")))
    report = vk.check({"age": "25"}, vk.TableRelease.of(frame, schema, promise="covers"))
    assert report.headline.state == "warning-table"
    assert list_steps(report)[0] == "do-others"
    assert "do-object" not in list_steps(report)


@pytest.mark.parametrize("language", WHOLE)
def test_every_mask_is_told_in_words_of_every_language(language):
    from verikit.mask import METHODS
    from verikit.table import Microdata

    own = {
        name
        for name, m in METHODS.items()
        if m.takes is Microdata and "verikit" in m.function.__module__
    }
    assert own <= set(methods_in(language))
    assert set(texts_of(language, "card")["parameters"]) == {"k", "ell", "groups", "suppressed"}


def test_the_slip_of_one_who_names_a_record_as_hers_shows_that_one_and_says_so():
    record, release = vk.load("dm_table1").record(2), vk.published("dm_table1_masked")
    closest, named = vk.check(record, release), vk.check(record, release, match=3)
    shown = named.to_html(schema=release.schema)
    assert "the record you named" in shown
    assert "the record you named 13" in shown, "its place in X1 is that of Table 3"
    assert "no single one is that near everywhere" not in shown
    assert "the record you named" not in closest.to_html(schema=release.schema)
