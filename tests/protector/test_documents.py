"""The audit as a document: one for the protector, and one that gives nobody away."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import baselines

PLANTED = "Zebedee-Quux-7741"


@pytest.fixture(scope="module")
def data():
    """Sixty people; the number and the word of one are nobody else's and nothing like others'."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "pay": np.round(rng.normal(3000, 700, 60), 3),
            "age": np.round(rng.normal(45, 12, 60), 4),
            "town": [f"Town{place % 7}" for place in range(60)],
        }
    )
    frame.loc[17, ["pay", "age", "town"]] = [91827.645, 193.8264, PLANTED]
    towns = (*(f"Town{place}" for place in range(7)), PLANTED)
    town = vk.Column("town", kind="ordinal", order=towns)
    return vk.Microdata(frame, vk.Schema((vk.Column("pay"), vk.Column("age"), town)))


@pytest.fixture(scope="module")
def report(data):
    masked = vk.mask.rank_swap(data, percent=50, scheme="cycles", seed=2)
    return vk.audit(data, *masked, distance={"pay": 2, "age": 2}, diversity={"pay": 5})


@pytest.fixture(scope="module")
def unmet(data):
    """A release in which nearly everybody is linked."""
    return vk.audit(data, *vk.mask.rank_swap(data, percent=30, seed=2), distance=2)


def values_of(data):
    """Every value as it may be written, those long enough to be nobody's by chance."""
    texts = {
        written
        for name in data.frame
        for value in data.frame[name]
        for written in (str(value), f"{value:,}" if isinstance(value, float) else str(value))
    }
    return {text for text in texts if len(text) >= 5}


def keys_in(part):
    """All names in a nested dictionary."""
    if isinstance(part, dict):
        return set(part) | {name for inner in part.values() for name in keys_in(inner)}
    return {name for inner in part for name in keys_in(inner)} if isinstance(part, list) else set()


def longest_list(part):
    if isinstance(part, dict):
        return max((longest_list(inner) for inner in part.values()), default=0)
    return max([len(part), *map(longest_list, part)]) if isinstance(part, list) else 0


# -- what may be handed out ------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["report", "unmet"])
@pytest.mark.parametrize("form", ["html", "json"])
def test_the_document_for_everybody_holds_no_value_of_anybody(data, which, form, request):
    found = request.getfixturevalue(which)
    written = getattr(found, form)()
    assert PLANTED not in written
    assert {value for value in values_of(data) if value in written} == set()
    assert "91827" not in written
    assert "193.8" not in written


@pytest.mark.parametrize("which", ["report", "unmet"])
def test_the_document_for_everybody_holds_no_record_and_no_candidate(which, request):
    found = request.getfixturevalue(which)
    told = json.loads(found.json())
    internal = json.loads(found.json(internal=True))
    assert len(internal["candidates"]) == len(internal["records_one_by_one"]) == 60
    single = {"record", "rows", "own", "candidates", "protector", "subject", "why", "failed"}
    assert single <= keys_in(internal)
    assert not single & keys_in(told)
    assert longest_list(told) < 10, "nothing in it has a line for each of sixty people"
    page = found.html()
    for words in ("Candidates", "her own row", "Records, the worst first", "the only one"):
        assert words not in page
        assert words in found.html(internal=True)


@pytest.mark.parametrize("which", ["report", "unmet"])
def test_the_document_for_everybody_does_not_say_by_which_columns_to_attack(which, request):
    told = json.loads(request.getfixturevalue(which).json())
    assert told["columns"] == ["pay", "age", "town"]
    assert not {"places_of_every_record", "sets_of_columns", "attacks"} & set(told)
    assert "columns_least_masked_first" not in told


def test_where_most_links_are_right_everybody_is_told_no_more_than_that(unmet):
    """Who is told that all of his links are right knows which are."""
    assert unmet.exposure.found.count > 30
    told = json.loads(unmet.json())
    assert (told["links"]["right"], told["links"]["more_than_half"]) == (None, True)
    assert "links more than half of 60 people rightly" in unmet.html()
    assert f"links {unmet.exposure.found.count} of 60 people rightly" in unmet.html(internal=True)


def test_where_few_links_are_right_everybody_is_told_how_many_and_what_luck_gives(report):
    count = report.exposure.found.count
    assert count <= 30
    told = json.loads(report.json())["links"]
    assert (told["right"], told["of"]) == (count, 60)
    assert told["luck"] == pytest.approx(report.exposure.found.luck, abs=0.01)
    assert set(told) == {
        "attack", "attacks", "right", "more_than_half", "of", "more", "luck",
        "more_than_luck",
    }  # fmt: skip


def test_a_method_that_is_undone_is_named_in_both_documents(unmet, report):
    assert "can be undone by someone who knows everybody" in unmet.html()
    assert "can be undone" not in report.html()


def test_whether_a_requirement_is_met_is_told_and_for_how_many_only_inside(report):
    failed = int(report.failed.any(axis=1).sum())
    assert 0 < failed < 60
    assert "pay moved by at least 2 places" in report.html()
    assert ": not met." in report.html()
    assert f"not met for {failed} records" in report.html(internal=True)
    assert "failed" not in json.loads(report.json())["requirement"]


# -- what the protector reads ----------------------------------------------------------------------


def test_the_candidates_of_each_record_are_those_of_the_strongest_attack(data):
    release, key = vk.mask.noise(data.only("pay", "age"), scale=0.2, seed=2)
    found = vk.protector.exposure(data, release, key)
    links = vk.link(data, release, attack=found.found.attack)
    lines = found.candidates.set_index("record")
    assert sorted(lines.index) == list(range(1, 61))
    for record in range(60):
        rows = (links.of(record)["row"]).tolist()
        assert lines.loc[record + 1, "candidates"] == len(rows)
        assert lines.loc[record + 1, "rows"] == ", ".join(map(str, rows))
    assert (lines["own"] == "the only one").sum() == found.found.count
    assert lines["own"].iloc[: found.found.count].eq("the only one").all(), "found first"


def test_many_candidates_are_counted_and_the_first_five_are_named():
    """MDAV makes groups of twenty equal rows: twenty candidates for everybody."""
    data = vk.simulate("dm", 40, seed=3)
    release, key = vk.mask.microaggregate(data, k=20, method="mdav", seed=1)
    links = vk.link(data, release)
    found = vk.protector._exposure._list_candidates(links, key).set_index("record")
    assert found.loc[1, "candidates"] == links.counts[0] == 20
    assert re.fullmatch(r"(\d+, ){4}\d+ and 15 more", found.loc[1, "rows"])
    own = [key.rows[at] in links.of(at)["row"].to_numpy() - 1 for at in range(40)]
    assert (found.sort_index()["own"] == "among them").tolist() == own


def test_the_internal_json_is_what_the_report_says_of_each_record(report):
    told = json.loads(report.json(internal=True))
    frame = report.to_frame()
    assert [line["record"] for line in told["records_one_by_one"]] == frame["record"].tolist()
    assert [line["why"] for line in told["records_one_by_one"]] == frame["why"].tolist()
    assert told["places_of_every_record"] == report.largest
    assert told["sets_of_columns"][0]["attributes"] == report.exposure.sets["attributes"].iloc[0]


def test_beside_links_stand_membership_and_guesses_with_their_controls(data, report):
    told = json.loads(report.json())["baselines"]
    assert [line["secret"] for line in told] == ["", "pay", "age", "town"]
    release = vk.mask.rank_swap(data, percent=50, scheme="cycles", seed=2).release
    again = baselines(data, release)
    for line, found in zip(told, again.all, strict=True):
        assert line["found"] == pytest.approx(found.found, abs=1e-4)
        assert line["control"] == pytest.approx(found.control, abs=1e-4)
        assert line["said"] == found.sentences


def test_baselines_tell_an_unmasked_method_from_one_that_hides(data):
    people = vk.simulate("dm", 400, seed=4)
    light = baselines(people, vk.mask.noise(people, scale=0.001, seed=1).release)
    heavy = baselines(people, vk.mask.noise(people, scale=3, seed=1).release)
    assert light.membership.risk > 0.9
    assert light.membership.pairs > 0.95
    assert heavy.membership.pairs == pytest.approx(0.5, abs=0.08)
    assert all(not part.more_than_control for part in heavy.inference)
    with pytest.raises(vk.InfeasibleError, match="cannot be repeated from what is published"):
        baselines(people, vk.TableRelease.of(people.frame))
    few = vk.load("dm_table1")
    with pytest.raises(vk.InfeasibleError, match=r"halves of fewer than \d+ tell nothing"):
        baselines(few.take(np.arange(10)), vk.published("dm_table1_masked"))


def test_what_was_not_measured_is_said():
    data = vk.load("dm_table1")
    release = vk.TableRelease.of(vk.published("dm_table1_masked").frame)
    found = vk.audit(data, release, vk.Key.of(range(20)), subject_view=False)
    assert "The right links were not counted" in found.html()
    assert "This was not measured" in found.html()
    assert "It is not told how it was made." in found.html()
    assert json.loads(found.json())["links"] is None


# -- the page --------------------------------------------------------------------------------------


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.asked = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append((tag, given))
        self.asked += [given[name] for name in ("src", "href", "action") if name in given]


@pytest.mark.parametrize("internal", [False, True])
def test_the_page_asks_nothing_from_outside_and_its_pictures_have_words(report, internal):
    written = report.html(internal=internal)
    page = Page(written)
    assert page.asked == []
    assert not re.search(r"https?:|@import|<script", written)
    pictures = [given for tag, given in page.tags if tag in ("svg", "img")]
    assert len(pictures) == 3
    assert [tag for tag, _ in page.tags].count("figcaption") == 3
    assert all(given["role"] == "img" and len(given["aria-label"]) > 30 for given in pictures)
    assert [tag for tag, _ in page.tags].count("h1") == 1
    assert "@media print" in written
    assert 'lang="en"' in written


def test_a_column_whose_name_is_markup_stays_a_name():
    frame = vk.simulate("dm", 40, seed=1).frame.set_axis(["<b>x", 'y"z', "w"], axis=1)
    data = vk.Microdata(frame)
    written = vk.audit(data, *vk.mask.noise(data, scale=1, seed=1)).html(internal=True)
    assert "<b>x" not in written
    assert "&lt;b&gt;x" in written


def test_what_a_document_does_not_mean_is_said_in_each(report):
    for written in (report.html(), report.html(internal=True)):
        assert "Few right links do not mean that nobody can be found" in written
        assert "No test of this kind proves that people are protected." in written
        assert not re.search(r"\bsafe\b|anonymous", written)


def test_internal_is_yes_or_no(report):
    with pytest.raises(vk.RecordError, match="internal was given as 'yes'; expected True or False"):
        report.html(internal="yes")
