"""The papers and their facts."""

import dataclasses

import pytest

from verikit import papers
from verikit.errors import FormatError
from verikit.papers import PAPERS, Fact

CHECKED = ("DM", "LHCC", "YQ", "QZ", "KS")


def test_the_five_papers_are_known_by_the_keys_of_their_citations():
    assert list(PAPERS) == ["DM", "LHCC", "YQ", "QZ", "KS"]
    assert all(paper.key == key and paper.title and paper.authors for key, paper in PAPERS.items())


def test_the_register_of_papers_cannot_be_changed():
    with pytest.raises(TypeError, match="does not support item assignment"):
        PAPERS["DM"] = PAPERS["KS"]
    with pytest.raises(dataclasses.FrozenInstanceError, match="title"):
        PAPERS["DM"].title = "another"


def test_only_what_the_text_tells_is_said_about_a_paper():
    assert PAPERS["YQ"].doi == "10.1016/j.eswa.2009.05.097"
    assert (PAPERS["KS"].year, PAPERS["KS"].venue, PAPERS["KS"].doi) == (None, "", "")


@pytest.mark.parametrize(
    ("key", "count"), [("DM", 60), ("LHCC", 53), ("YQ", 40), ("QZ", 216), ("KS", 33)]
)
def test_every_fact_of_a_checked_paper_is_there_under_its_own_name(key, count):
    names = [fact.id for fact in papers.facts(key)]
    assert len(names) == len(set(names)) == count
    assert {fact.paper for fact in papers.facts(key)} == {key}


def test_no_two_papers_share_the_name_of_a_fact():
    names = [fact.id for key in PAPERS for fact in papers.facts(key)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("key", CHECKED)
def test_every_fact_says_where_it_stands_and_what_is_stated_there(key):
    assert [fact.id for fact in papers.facts(key) if not (fact.where and fact.statement)] == []


@pytest.mark.parametrize("key", CHECKED)
def test_every_erratum_has_both_values_and_a_reading(key):
    errata = papers.errata(key)
    assert len(errata) > 5
    assert {fact.verdict for fact in errata} == {"erratum"}
    assert [f.id for f in errata if not (f.printed and f.recomputed and f.reading)] == []


@pytest.mark.parametrize("key", CHECKED)
def test_what_was_reproduced_names_the_value_in_print_and_the_value_found(key):
    reproduced = [fact for fact in papers.facts(key) if fact.verdict == "reproduced"]
    assert [f.id for f in reproduced if not (f.printed and f.recomputed)] == []


@pytest.mark.parametrize("key", CHECKED)
def test_what_can_be_read_in_several_ways_has_a_reading(key):
    ambiguous = [fact for fact in papers.facts(key) if fact.verdict == "ambiguous"]
    assert [fact.id for fact in ambiguous if not fact.reading] == []


def test_a_fact_is_found_by_its_name():
    fact = papers.fact("DM", "P37")
    assert (fact.printed, fact.recomputed, fact.verdict) == ("5 / 4 / 11", "6 / 4 / 10", "erratum")
    assert fact is papers.fact("DM", "P37")


def test_the_errata_are_exactly_the_facts_with_that_verdict():
    assert [fact.id for fact in papers.errata("DM")] == [
        "P12", "P13", "P23", "P35", "P37", "P40", "P46", "P51", "P52", "P53",
    ]  # fmt: skip


@pytest.mark.parametrize("ask", [papers.facts, papers.errata, lambda key: papers.fact(key, "P01")])
def test_an_unknown_paper_is_refused_with_the_known_ones(ask):
    with pytest.raises(FormatError, match="no paper 'dm'; verikit knows DM, LHCC, YQ, QZ, KS"):
        ask("dm")


def test_an_unknown_fact_is_refused_with_the_known_ones():
    with pytest.raises(FormatError, match="no fact 'P99' of DM; it has P01, P02, "):
        papers.fact("DM", "P99")


def test_a_paper_without_checked_facts_has_none_and_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(papers, "data_path", tmp_path.joinpath)
    papers.facts.cache_clear()
    try:
        assert papers.facts("QZ") == papers.errata("QZ") == ()
        with pytest.raises(FormatError, match="no fact 'N01' of QZ; it has none so far"):
            papers.fact("QZ", "N01")
    finally:
        papers.facts.cache_clear()


def test_a_verdict_nobody_would_look_for_is_refused():
    with pytest.raises(FormatError, match="'P01' has the verdict 'wrong'; expected one of reprod"):
        Fact("P01", "DM", "Table 1", "ranks", "1", "2", "wrong", "")
