"""The dossier: its numbers are the audit's, what was not tested stands first, a goal is held."""

import json
import re
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.cli import main
from verikit.page._dossier import judge_goal, list_findings, tell_dossier, write_dossier
from verikit.protector import Goal


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"age": rng.integers(18, 90, 120), "pay": rng.normal(3000, 500, 120)})
    return vk.Microdata(frame.round(1))


@pytest.fixture(scope="module")
def masked(people):
    return vk.mask.noise(people, scale=0.4, seed=3)


def test_each_number_of_the_criteria_is_one_that_the_audit_counted(people, masked):
    report = vk.audit(people, *masked)
    found = {(line.criterion, line.tried): line for line in list_findings(report)}
    links = report.exposure.found
    row = found["linkability", f"row found by {links.attack}"]
    assert (row.found, row.luck) == (links.guessed / 120, links.luck / 120)
    standing = found["singling out", "own record stands there"]
    assert standing.found == report.standing.count / 120
    for part in report.baselines.inference:
        line = found["inference", f"{part.secret} guessed"]
        assert (line.found, line.luck, line.control) == (part.found, part.naive, part.control)


def test_guesses_by_group_stand_beside_others_and_a_control_group():
    data = vk.simulate("census", 400, seed=3).only("Age", "Gender", "Education", "Occupation")
    rest = data.take(np.arange(200, 400))
    kept = data.take(np.arange(200))
    cut = vk.partition.diverse(kept, ell=3, seed=1)
    report = vk.audit(kept, *vk.mask.anatomize(kept, partition=cut, seed=1), control=rest)
    (part,) = report.guessed
    line = next(line for line in list_findings(report) if line.criterion == "inference")
    assert line.found == max(part.by_group, part.by_learning) / 200
    assert (line.luck, line.control) == (part.by_others / 200, part.control_right / 200)


def test_what_was_not_tested_is_said_before_all_that_was(people, masked):
    report = vk.audit(people, *masked, subject_view=False)
    told = tell_dossier("", masked.release, report, None, ())
    assert told["not_tested"][:3] == [
        "Not tested: singling out.", "Not tested: linkability.", "Not tested: inference.",
    ]  # fmt: skip
    page = write_dossier(told)
    assert page.index("What was not tested") < page.index("The three criteria")
    assert "No appetite was stated" in page
    assert page.count("______  on: ____") == 3


def test_a_goal_is_met_or_not_as_counting_by_hand_says(people, masked):
    report = vk.audit(people, *masked, distance=2)
    people_found = report.people_linked
    kept = np.mean((report.protector >= 2).all(axis=1))
    for links, share in ((people_found, 0.01), (people_found - 1, 0.99)):
        lines = judge_goal(Goal(links=links, distance=2, share=share), report)
        met = [people_found <= links, kept >= share]
        assert [line["verdict"] == "met" for line in lines] == met
    (line,) = judge_goal(Goal(guessed=0.5), report)
    assert line["verdict"] == "not counted"


def test_a_goal_is_read_as_it_was_written(tmp_path):
    goal = Goal(links=3, distance={"age": 4}, share=0.9, guess="group")
    assert Goal.open(goal.save(tmp_path / "goal.json")) == goal
    (tmp_path / "no.json").write_text('{"luck": 3}', encoding="utf-8")
    with pytest.raises(vk.FormatError, match="is no goal; expected the JSON"):
        Goal.open(tmp_path / "no.json")
    with pytest.raises(vk.FormatError, match="cannot be written"):
        Goal(requirement=vk.models.Requirement("t_closeness", t=0.2)).save(tmp_path / "x.json")


def test_publish_writes_the_dossier_beside_the_folder_for_its_owner(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people.frame.to_csv("people.csv", index=False)
    given = ["mask", "noise", "people.csv", "--set", "scale=0.4", "--out", "draft"]
    assert main([*given, "--key", "draft.key"]) == 0
    given = ["publish", "people.csv", "draft", "--key", "draft.key", "--title", "People"]
    Path("goal.json").write_text('{"links": 0}', encoding="utf-8")
    more = ["--dossier", "dossier.html", "--goal", "goal.json", "--out", "release"]
    assert main([*given, *more]) == 1
    assert not Path("release").exists()
    Path("goal.json").write_text('{"links": 120}', encoding="utf-8")
    assert main([*given, *more]) == 0
    page = Path("dossier.html").read_text(encoding="utf-8")
    linked = json.loads(Path("dossier.jsonld").read_text(encoding="utf-8"))
    assert stat.S_IMODE(Path("dossier.html").stat().st_mode) == 0o600
    assert not re.search(r"https?:|<script", page)
    assert linked["@type"] == "Report"
    risks = {risk["name"] for risk in linked["dpv:hasRisk"]}
    assert risks == {"singling out", "linkability", "inference"}
    assert "at most 120 people found" in page
    assert not any("dossier" in file.name for file in Path("release").iterdir())
    assert main([*given, "--dossier", "release2/d.html", "--out", "release2"]) == 2


def test_a_sample_is_published_with_its_size_and_without_its_weights(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"town": rng.choice(list("ab"), 40), "job": rng.choice(list("xy"), 40)})
    frame["w"] = rng.uniform(104, 877, 40).round(2)
    frame.to_csv("people.csv", index=False)
    assert main(["schema", "people.csv", "--role", "w=weight", "--out", "people.toml"]) == 0
    given = ["people.csv", "--schema", "people.toml"]
    assert main(["mask", "generalize", *given, "--k", "3", "--out", "d", "--key", "d.key"]) == 0
    given = ["publish", "people.csv", "d", *given[1:], "--key", "d.key", "--dossier", "d.html"]
    assert main([*given, "--page", "--out", "release"]) == 0
    release = vk.open_release("release")
    assert release.schema.names == ("town", "job")
    low, high = map(int, release.about["weights"].split(" to "))
    assert low <= frame["w"].min() <= frame["w"].max() <= high
    assert abs(int(release.about["population"]) / frame["w"].sum() - 1) < 0.05
    said = vk.check({"town": "a", "job": "x"}, release).sentence("G12")
    assert f"a record stands for {low} to {high} people" in said
    assert "The table is a sample: 40 records stand for" in Path("d.html").read_text("utf-8")
    assert not any(f"{w:g}" in file.read_text("utf-8") for file in Path("release").iterdir()
                   for w in frame["w"])  # fmt: skip
