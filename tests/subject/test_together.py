"""One person and several releases: the worst of them, and what they say together."""

import itertools

import pandas as pd
import pytest

import verikit as vk

ILL = ["flu", "ulcer", "angina", "gout"]


def released(labels, ills=ILL, ages=(20, 30, 40, 50)):
    frame = pd.DataFrame({"age": ages, "ill": ills})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    return vk.mask.anatomize(data, partition=vk.Partition.of(labels), seed=1).release


def plain():
    frame = pd.DataFrame({"age": [20, 30, 40, 50]})
    return vk.TableRelease.of(frame.assign(pay=[1, 2, 3, 4]), promise="as it was")


def test_one_release_in_the_list_gives_the_report_of_that_release():
    release = released([0, 0, 1, 1])
    for record in ({"age": 20}, {"age": "30", "ill": "gout"}):
        alone = vk.check(record, release)
        assert vk.check(record, [release]).to_json() == alone.to_json()
        assert vk.check(record, (release,)).to_html() == alone.to_html()


def test_two_groupings_warn_where_neither_does():
    releases = [released([0, 0, 1, 1]), released([0, 1, 0, 1])]
    assert [vk.check({"age": 20}, each).headline.state for each in releases] == ["no-warning"] * 2
    report = vk.check({"age": 20}, releases)
    assert report.headline.state == "warning-you"
    assert "2 releases" in report.headline.text
    assert "if you are in each of them: it can only be flu" in report.headline.text
    assert report.tables["together"]["value"].tolist() == ["flu"]
    assert report.warned


def test_the_headline_is_the_worst_whichever_release_it_is_of():
    sure = released([0, 0, 1, 1], ["flu", "flu", "gout", "angina"])
    for releases in itertools.permutations([sure, released([0, 1, 1, 0], ["flu", "gout"] * 2)]):
        report = vk.check({"age": 20}, releases)
        assert report.headline.state == "warning-you"
        assert report.sentence("T2").endswith("it can only be flu.")


def test_the_order_of_the_releases_changes_nothing_that_they_say_together():
    releases = [released([0, 0, 1, 1]), released([0, 1, 0, 1]), released([0, 1, 1, 0])]
    said = set()
    for order in itertools.permutations(releases):
        report = vk.check({"age": 30}, order)
        said.add((report.headline, report.figures, report.sentence("T2"), report.sentence("T3")))
    assert len(said) == 1


def test_releases_that_contradict_each_other_say_so_in_one_sentence():
    report = vk.check({"age": 20}, [released([0, 0, 1, 1]), released([0, 0, 1, 1], ILL[::-1])])
    assert report.headline.state == "cannot-tell"
    assert "contradict each other about you: no ill fits all of them" in report.headline.text


def test_each_release_is_asked_for_what_it_has_a_column_for():
    ward = pd.DataFrame({"ward": list("ABBA"), "ill": ILL})
    schema = vk.Schema.guess(ward, ill="sensitive")
    other = vk.TableRelease.of(ward, schema, promise="covers")
    report = vk.check({"age": 20, "ward": "A"}, [released([0, 0, 1, 1]), other])
    assert "it can only be flu" in report.sentence("T2")
    assert report.sentence("S12").startswith("This concerns someone who knows your age and ward")
    with pytest.raises(vk.VerikitError, match="'height'"):
        vk.check({"age": 20, "ward": "A", "height": 2}, [released([0, 0, 1, 1]), other])
    with pytest.raises(vk.VerikitError, match="no quasi-identifier"):
        vk.check({"age": 20}, [released([0, 0, 1, 1]), other])


def test_what_she_requires_is_asked_of_each_and_of_all_together():
    releases = [released([0, 0, 1, 1]), released([0, 1, 0, 1])]
    assert [vk.check({"age": 20}, each, ell=2).met for each in releases] == [True, True]
    assert vk.check({"age": 20}, [releases[0]] * 2, ell=2).met is True
    assert vk.check({"age": 20}, releases, ell=2).met is False
    assert vk.check({"age": 20}, releases).met is None


def test_releases_without_a_sensitive_column_in_common_are_checked_alone():
    report = vk.check({"age": 20}, [released([0, 0, 1, 1]), plain()])
    assert "nothing was put together" in report.sentence("T2")
    assert [s.text[:18] for s in report.sentences if s.key == "T7"] == [
        "Release 1 of 2 alo",
        "Release 2 of 2 alo",
    ]


def test_no_release_is_refused():
    with pytest.raises(vk.VerikitError, match="The list of releases is empty"):
        vk.check({"age": 20}, [])
