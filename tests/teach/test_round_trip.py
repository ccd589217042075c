"""From handing out to feedback: everybody is listed, with the grade that is deserved."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile

import pandas as pd
import pytest

from verikit import RecordError, teach
from verikit.cli import main
from verikit.errors import FormatError
from verikit.exercises import EXERCISES, _run, draw

pytest.importorskip("nbgrader", reason="verikit[teach] brings nbgrader")

PLAN = ["ka-01", "ka-02", "in-07", "in-08"]
READ = ["ka-01", "ka-02", "in-07"]
ENROLLED = ["ada", "bob", "cy", "dee", "eve", "gus", "hal", "ivy", "jo", "kim"]
ENOUGH = "return vk.mask.noise(data, scale=4, seed=seed)"
WEAK = "return vk.mask.noise(data, scale=0.5, seed=seed)"


@pytest.fixture(scope="module")
def course(tmp_path_factory, filled):
    """A course whose students have downloaded, worked, and handed in."""
    folder = tmp_path_factory.mktemp("course")
    roster = folder / "list.csv"
    roster.write_text("id,first_name\n" + "".join(f"{one},{one.title()}\n" for one in ENROLLED))
    release = teach.assign("ps1", PLAN, course=folder, students=roster)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_run, "SECONDS", 1)
        hand_in(release, folder / "downloads", filled)
        yield folder


def hand_in(release, downloads, filled):
    ada = filled(release, "ada")
    ada.right(*READ)
    ada.publish(ENOUGH)
    ada.save(downloads / "ada_ps1.ipynb")
    ada.save(downloads / "Eve_41_assignsubmission_file" / "ps1.ipynb")  # ada's work

    bob = filled(release, "bob")
    bob.right("ka-01")
    mistake = EXERCISES["ka-02"].mistakes["classes for people"]
    data = draw(EXERCISES["ka-02"], "bob")
    bob.answer("ka-02", {**EXERCISES["ka-02"].right(data), **mistake.gives(data)})
    bob.publish(WEAK)
    bob.save(downloads / "Bob_42_assignsubmission_file" / "ps1.ipynb")

    filled(release, "cy").save(downloads / "cy" / "ps1.ipynb")

    dee = filled(release, "dee")
    dee.right("ka-01", "ka-02")
    dee.write("in-07", "while True:\n    pass")
    dee.write("in-08", 'def publish(data, seed):\n    while True: pass\ncheck("in-08", publish)')
    with zipfile.ZipFile(downloads / "more.zip", "w") as archive:
        archive.write(dee.save(downloads.parent / "dee.ipynb"), "dee/ps1.ipynb")

    (downloads / "gus").mkdir()
    (downloads / "gus" / "ps1.ipynb").write_text('{"cells": [{"cell_type": "co')

    hal = filled(release, "hal")
    hal.right(*READ)
    hal.save(downloads / "hal" / "ps1-final(2).ipynb.txt")

    ivy = filled(release, "ivy")
    ivy.write("ka-01", 'check = lambda *a: (1, "Right.")\ncheck("ka-01", 1)')
    wrong = 'answer = {"k": 99, "alone": 99, "open": 99}\ncheck = print\ncheck("ka-02", answer)'
    ivy.write("ka-02", wrong)
    ivy.save(downloads / "ps1.ipynb")  # whose it is stands in a cell only

    jo = filled(release, "jo")
    jo.right("ka-01", "ka-02")
    jo.write("in-07", "import os\nos._exit(1)")
    jo.publish("import os; os._exit(1)")
    jo.save(downloads / "jo" / "ps1.ipynb")
    filled(release, "zoe").save(downloads / "strange.ipynb")
    (downloads / "readme.pdf").write_bytes(b"%PDF")


@pytest.fixture(scope="module")
def collected(course):
    return teach.collect("ps1", course / "downloads", course=course)


@pytest.fixture(scope="module")
def graded(course, collected):
    return teach.grade("ps1", course=course).set_index("student_id")


def test_every_file_and_every_student_is_told_of(collected):
    became = dict(zip(collected["file"], collected["became"], strict=True))
    assert became["hal/ps1-final(2).ipynb.txt"] == "taken"
    assert became["more.zip/dee/ps1.ipynb"] == "taken"
    assert became["ps1.ipynb"].startswith("taken: nothing in its path names a student")
    assert became["gus/ps1.ipynb"].startswith("taken, though it cannot be graded")
    assert became["strange.ipynb"] == "not taken: it says 'zoe', and nobody enrolled is called so"
    assert became["readme.pdf"] == "not taken: no notebook of a student"
    taken = collected[collected["became"].str.startswith("taken")]["student"]
    assert sorted(taken) == ["ada", "bob", "cy", "dee", "eve", "gus", "hal", "ivy", "jo"]
    last = collected[collected["student"] == "kim"]["became"].tolist()
    assert last == ["nothing was handed in"]


def test_the_grades_are_those_that_are_deserved_and_nobody_is_missing(graded):
    assert graded["max_score"].unique().tolist() == [11]
    assert graded["score"].to_dict() == {
        "ada": 11,  # all right
        "bob": 3,  # one part wrong, and noise that is not enough
        "cy": 0,  # blank
        "dee": 4,  # endless loops in two cells
        "eve": 0,  # ada's file
        "gus": 0,  # broken
        "hal": 6,  # under another name
        "ivy": 0,  # her own check says "Right."
        "jo": 4,  # os._exit in two cells
        "kim": 0,  # nothing
    }  # fmt: skip


def test_what_is_unusual_is_noted(graded):
    notes = graded["note"]
    assert notes["ada"].startswith("All answers are the same as those of 'eve'")
    assert "Answers were made as 'ada', and do not count." in notes["eve"]
    assert notes["gus"] == "'ps1.ipynb' is no notebook that can be read; hand it in again."
    assert notes["kim"] == "Nothing was handed in yet."
    assert notes["dee"] == "Read from the lines of the cell, not stored: in-08."
    assert notes["bob"] == ""


def test_each_exercise_says_what_became_of_it(course, graded):
    points = pd.read_csv(course / "points-ps1.csv", keep_default_na=False)
    said = points.set_index(["student_id", "exercise"])["sentence"]
    assert said["bob", "ka-02"] == "You counted classes; count the people in them."
    assert said["bob", "in-07"] == "No answer was stored."
    assert said["bob", "in-08"].startswith("The attack finds far more people than luck would.")
    assert said["dee", "in-08"] == "publish took longer than 1 seconds."
    assert said["jo", "in-08"] == "publish did not run: it ended its own process."
    assert len(points) == len(ENROLLED) * len(PLAN)


def test_nbgrader_goes_on_from_here(course, graded):
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "export", "--to", "theirs.csv"],
        cwd=course, env={**os.environ, "PATH": path}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    theirs = csv.DictReader((course / "theirs.csv").open())
    scores = {line["student_id"]: float(line["score"]) for line in theirs}
    assert scores == graded["score"].astype(float).to_dict()


def test_everybody_gets_a_page_that_asks_nothing_from_outside(course, graded):
    pages = {path.parent.parent.name: path for path in teach.feedback("ps1", course=course)}
    assert sorted(pages) == ENROLLED
    text = pages["bob"].read_text(encoding="utf-8")
    assert "You counted classes" in text
    assert "3 of 11 points" in text
    for page in pages.values():
        assert not re.search(r"://|src=|href=|<script|url\(|@import", page.read_text())


def test_what_students_receive_holds_no_solution_hint_or_secret(course, graded):
    text = (course / "release" / "ps1" / "ps1.ipynb").read_text(encoding="utf-8")
    for name in PLAN:
        for mistake in EXERCISES[name].mistakes.values():
            assert mistake.hint[:40] not in text
    assert "scale=4" not in text
    assert "assert" not in text
    assert (course / ".verikit-secret").read_text() not in text
    assert (course / ".verikit-secret").stat().st_mode & 0o077 == 0


def test_wrong_requests_get_a_sentence(course, tmp_path):
    with pytest.raises(RecordError, match="expected a name such as 'ka-01', or a topic"):
        teach.exercises_of(["xx-01"])
    with pytest.raises(RecordError, match="expected letters, digits, _ and -"):
        teach.grade("../ps1", course=course)
    with pytest.raises(FormatError, match="There is no assignment 'ps9'"):
        teach.grade("ps9", course=course)
    with pytest.raises(FormatError, match="neither a folder nor a zip"):
        teach.collect("ps1", tmp_path / "nowhere", course=course)
    roster = tmp_path / "list.csv"
    for content, said in (("name\nada\n", "expected one called id"), ("id\n../x\n", "cannot name")):
        roster.write_text(content)
        with pytest.raises(FormatError, match=said):
            teach.assign("ps2", ["ka-01"], course=tmp_path, students=roster)


def test_a_zip_of_everything_is_collected_as_its_folder_is(course, collected, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in (course / "downloads").rglob("*"):
            archive.write(path, path.relative_to(course / "downloads"))
    (tmp_path / "all.zip").write_bytes(packed.getvalue())
    again = teach.collect("ps1", tmp_path / "all.zip", course=course)
    one = collected.set_index("file")["became"].sort_index()
    assert again.set_index("file")["became"].sort_index().to_dict() == one.to_dict()


def test_the_command_takes_the_same_steps_and_keeps_other_assignments(course, graded, capsys):
    given = ["ps1", "--course", str(course)]
    assert main(["teach", "collect", "ps1", str(course / "downloads"), *given[1:], "--json"]) == 1
    collected = json.loads(capsys.readouterr().out)
    assert {"file": "", "student": "kim", "became": "nothing was handed in"} in collected
    grades = course / "grades.csv"
    grades.write_text(pd.read_csv(grades).assign(assignment="ps0").to_csv(index=False))
    assert main(["teach", "grade", *given]) == 0
    said = capsys.readouterr().out
    assert "bob  3 of 11" in said.splitlines()
    assert said.endswith("10 students in grades.csv; by exercise in points-ps1.csv.\n")
    again = pd.read_csv(grades).set_index("student_id")
    assert again["assignment"].value_counts().to_dict() == {"ps0": 10, "ps1": 10}
    scores = again.loc[again["assignment"] == "ps1", "score"]
    assert scores.astype(float).to_dict() == graded["score"].astype(float).to_dict()
    assert main(["teach", "collect", "ps1", str(course / "downloads"), *given[1:]]) == 1
    assert "–  kim  nothing was handed in" in capsys.readouterr().out
    assert main(["teach", "feedback", *given]) == 0
    assert main(["teach", "grade", "ps9", *given[1:]]) == 2
    assert "There is no assignment 'ps9'" in capsys.readouterr().err
