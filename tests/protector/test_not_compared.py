"""What a link did not go by is named before its number: columns that lie open next to it."""

import json
import re

import numpy as np
import pytest

import verikit as vk
from verikit.cli import main
from verikit.intruder import link_by_subset, own_estimate
from verikit.protector import correct_links, exposure, reporting
from verikit.words import not_compared

BOTH = "Not compared: village and job, which were published; whoever uses them may find more people"
NAMES = ("village", "job")


@pytest.fixture(scope="module")
def tables():
    """Numbers lost in noise, beside two columns of categories as they were."""
    rng, n = np.random.default_rng(1), 200
    frame = vk.simulate("dm", n, seed=1).frame.assign(
        village=rng.choice([f"v{i:02d}" for i in range(50)], n),
        job=rng.choice([f"j{i:02d}" for i in range(25)], n),
    )
    roles = {"village": "other", "job": "other"}
    data = vk.Microdata(frame, vk.Schema.guess(frame, **roles))
    return data, *vk.mask.noise(data, scale=3, seed=2)


@pytest.fixture(scope="module")
def report(tables):
    return vk.audit(*tables, distance=0)


def first(said):
    return str(said).splitlines()[0]


def test_people_who_lie_open_by_categories_alone_are_found_by_the_strongest_attack(tables, report):
    data, release, key = tables
    open_, published = (
        table.frame[[*NAMES]].astype(str).agg("|".join, axis=1) for table in (data, release)
    )
    alone = published.map(published.value_counts()) == 1
    found = sum(
        alone[row] and published[row] == own for own, row in zip(open_, key.rows, strict=True)
    )
    assert report.exposure.found.count >= found > 100
    assert report.not_compared == ()
    assert report.attributes == ("X1", "X2", "X3", *NAMES)


def test_what_was_not_compared_stands_in_the_first_line_of_every_result(tables):
    data, release, key = tables
    some = {"attributes": ["X1", "X2", "X3"]}
    links = vk.link(data, release, **some)
    results = [
        exposure(data, release, key, **some),
        links,
        vk.link(data, release, attack="strongest", **some),
        vk.link(data, release, attack="normal_scores", **some),
        correct_links(links, key),
        vk.plausibility(data, release, **some),
        own_estimate(data, release, **some),
    ]
    for result in results:
        assert result.not_compared == NAMES, type(result).__name__
        assert first(result) == f"{BOTH}.", type(result).__name__


def test_the_sentence_of_a_result_that_a_view_shows_says_it_too(tables):
    data, release, key = tables
    links = vk.link(data, release, attributes=["X1", "X2", "X3"])
    for result in (links, correct_links(links, key)):
        assert result.means.startswith(f"{BOTH}. "), type(result).__name__


def test_the_strongest_attack_is_named_with_the_columns_it_went_by(tables):
    links = exposure(*tables, attributes=["X1", "X2", "X3"]).sentences[1]
    assert links.startswith("The strongest attack on X1, X2 and X3, ")


def test_columns_that_were_left_out_by_choice_are_named_as_well(tables):
    data, release, _ = tables
    assert vk.link(data, release, attributes=["X2"]).not_compared == ("X1", "X3", *NAMES)
    found = link_by_subset(data, release, attributes=["X1", "X2"])
    assert found["X1",].not_compared == ("X2", "X3", *NAMES)
    assert found["X1", "X2"].not_compared == ("X3", *NAMES)


def test_where_all_columns_were_compared_nothing_is_said_of_it():
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    key = vk.Key.of(range(20))
    for result in (vk.audit(data, release, key), vk.link(data, release)):
        assert result.not_compared == ()
        assert "Not compared" not in repr(result)


def test_one_column_is_spoken_of_as_one():
    assert not_compared(()) == ""
    assert not_compared(["town"]) == (
        "Not compared: town, which was published; whoever uses it may find more people."
    )


@pytest.fixture(scope="module")
def added(tables):
    """A release with two columns more than the original that it is compared with."""
    data, release, key = tables
    return data.only("X1", "X2", "X3"), release, key


@pytest.mark.parametrize("internal", [False, True])
def test_both_documents_of_an_audit_say_it_before_all_else(added, internal):
    report = vk.audit(*added, distance=0)
    page, facts = report.html(internal=internal), json.loads(report.json(internal=internal))
    assert facts["not_compared"] == [*NAMES]
    words = re.sub(r"<[^>]+>", "\n", page[page.index("</h1>") :]).split("\n")
    assert next(line for line in words if line) == f"{BOTH}."
    assert "200 records of X1, X2, X3, village and job." in re.sub(r"</?bdi>", "", page)
    assert "knows all original values of X1, X2 and X3 and links" in page


def test_a_release_keeps_beside_its_links_what_was_not_compared(tables, tmp_path):
    data, release, _ = tables
    assert reporting(data, release, seed=3).not_compared == ()
    told = release.reporting(3, luck=1.5, without=NAMES)
    opened = vk.open_release(told.save(tmp_path / "release"))
    assert opened.reported_without == NAMES == opened.not_compared
    described = json.loads((tmp_path / "release" / "datapackage.json").read_text())
    assert described["verikit"]["reported_without"] == [*NAMES]


def test_a_folder_from_before_opens_and_names_the_columns_that_no_rank_compares(tables, tmp_path):
    place = tables[1].reporting(3, luck=1.5, without=NAMES).save(tmp_path / "release")
    file = place / "datapackage.json"
    package = json.loads(file.read_text())
    del package["verikit"]["reported_without"]
    file.write_text(json.dumps(package))
    opened = vk.open_release(place)
    assert (opened.reported_without, opened.not_compared) == (None, NAMES)


def test_an_index_keeps_what_was_not_compared_though_it_has_no_such_column(tables, tmp_path):
    data, release, _ = tables
    told = vk.index(release.reporting(3, luck=1.5, without=NAMES))
    told.save(tmp_path / "index.bin")
    report = vk.check(data.only("X1", "X2", "X3").record(0), tmp_path / "index.bin")
    assert "Not compared: village and job;" in report.sentence("S10")


def test_what_the_shell_publishes_counts_the_links_by_all_columns(tables, tmp_path, monkeypatch):
    data, release, key = tables
    monkeypatch.chdir(tmp_path)
    data.frame.to_csv("original.csv", index=False)
    vk.release.Masked(release, key).save("draft", "draft.key")
    given = ["original.csv", "draft", "--key", "draft.key"]
    assert main(["publish", *given, "--out", "out", "--seed", "1", "--quiet"]) == 0
    facts = json.loads((tmp_path / "out" / "report.json").read_text())
    assert facts["not_compared"] == []
    assert facts["reported_links"] > 100
    assert "The strongest test attack links" in (tmp_path / "out" / "report.html").read_text()


def test_masks_that_refuse_categories_say_what_publishing_them_unchanged_means(tables):
    frame = tables[0].frame
    data = vk.Microdata(frame, vk.Schema.guess(frame))
    for mask, amount in ((vk.mask.noise, {"scale": 1}), (vk.mask.rank_swap, {"percent": 5})):
        with pytest.raises(
            vk.errors.SchemaError,
            match="'other' to publish them unchanged, and then people can be found by them",
        ):
            mask(data, **amount, seed=1)
