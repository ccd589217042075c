"""Whose a file is, what a teacher wrote and gave by hand, and what came late."""

import io
import json
import os
import subprocess
import sys
import sysconfig
import zipfile

import pandas as pd
import pytest

from verikit import teach
from verikit.cli import main
from verikit.errors import FormatError, RecordError
from verikit.exercises import _run, missing_fence
from verikit.exercises._answer_storage import MIME

pytest.importorskip("nbgrader", reason="verikit[teach] brings nbgrader")

PEOPLE = """id,first_name,last_name,email
eve,Eve,Smith,eve@x.org
bobby,Bob,Lövelace,
st05,First,Fifth,
st06,First,Sixth,six@x.org
smith,John,Miller,
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An assignment that was handed out, and its release."""
    course = tmp_path_factory.mktemp("made")
    (course / "list.csv").write_text(PEOPLE, encoding="utf-8")
    teach.assign("ps1", ["ka-01", "ka-02"], course=course, students=course / "list.csv")
    return course


@pytest.fixture
def course(made, tmp_path):
    """A copy of it for one test alone."""
    import shutil

    copy = shutil.copytree(made, tmp_path / "course")
    config = copy / "nbgrader_config.py"
    config.write_text(config.read_text().replace(str(made), str(copy)))
    return copy


def release(course):
    return course / "release" / "ps1" / "ps1.ipynb"


@pytest.fixture
def collected(course, filled):
    """Collect notebooks, given as path and student; what became of each."""

    def collected(*files, newest=""):
        downloads = course / "downloads"
        for path, student in files:
            book = filled(release(course), student)
            book.right("ka-01", "ka-02")
            book.save(downloads / path)
            os.utime(downloads / path, (0, 2_000_000_000 if path == newest else 1_000_000_000))
        found = teach.collect("ps1", downloads, course=course)
        return found.set_index("file")["became"].to_dict(), found

    return collected


def test_a_name_with_two_ids_is_nobodys(collected):
    became, found = collected(("eve_2_ps1 bobby.ipynb", "eve"), ("bobby/ps1.ipynb", "bobby"),
                              newest="eve_2_ps1 bobby.ipynb")  # fmt: skip
    assert became["eve_2_ps1 bobby.ipynb"] == (
        "not taken: its path names 'bobby' and 'eve'; rename it"
    )
    assert became["bobby/ps1.ipynb"] == "taken"
    assert "eve" in found[found["file"] == ""]["student"].tolist()


def test_the_longer_of_two_ids_at_one_place_is_meant(course):
    from verikit.teach._collect import People

    people = People(pd.DataFrame({"id": ["ann", "ann-marie", "7", "17"]}).reindex(
        columns=["id", "first_name", "last_name", "email"], fill_value=""))  # fmt: skip
    assert people.find_named("ann-marie_3_ps1.ipynb") == {"ann-marie"}
    assert people.find_named("ann_3 ann-marie.ipynb") == {"ann", "ann-marie"}
    assert people.find_named("hw of ann.ipynb") == {"ann"}
    assert people.find_named("nobody") == set()


@pytest.mark.parametrize(
    ("folder", "student"),
    [
        ("First Sixth_40006_assignsubmission_file_", "st06"),
        ("Sixth First_40006_assignsubmission_file_", "st06"),
        ("firstsixth_123_456", "st06"),
        ("six@x.org_1", "st06"),
        ("Bob Lovelace_7_assignsubmission_file_", "bobby"),
        ("Smith Eve_41_assignsubmission_file_", "eve"),  # smith is another's id
        ("First_1", ""),
    ],
)
def test_names_of_the_roster_tie_folders_to_people(course, folder, student):
    from verikit.teach._collect import People
    from verikit.teach._course import Course

    assert "".join(People(Course(course).roster()).find_named(folder)) == student


def test_a_file_never_takes_the_place_of_another_folder(collected, course):
    honest = "First Fifth_40005_assignsubmission_file_/ps1.ipynb"
    thief = "First Sixth_40006_assignsubmission_file_/ps1.ipynb"
    became, _ = collected((honest, "st05"), (thief, "st05"), newest=thief)
    assert (became[honest], became[thief]) == ("taken", "taken")
    grades = teach.grade("ps1", course=course).set_index("student_id")
    assert grades.loc[["st05", "st06"], "score"].tolist() == [grades["max_score"].max(), 0]
    assert "Answers were made as 'st05', and do not count." in grades.loc["st06", "note"]


def test_answers_under_another_id_are_not_shown(collected, course):
    collected(("st06_1/ps1.ipynb", "st05"))
    teach.grade("ps1", course=course)
    pages = {path.parent.parent.name: path for path in teach.feedback("ps1", course=course)}
    assert "<pre" not in pages["st06"].read_text(encoding="utf-8")
    report = json.loads((course / "autograded" / "st06" / "ps1" / "verikit.json").read_text())
    assert {one["answer"] for one in report["exercises"].values()} == {None}


def test_two_folders_that_say_they_are_hers_are_both_left_to_the_teacher(collected, course):
    became, found = collected(("a_1/ps1.ipynb", "st05"), ("b_2/ps1.ipynb", "st05"))
    said = "not taken: several folders or files say that they are hers; keep one of them: "
    assert {became["a_1/ps1.ipynb"], became["b_2/ps1.ipynb"]} == {f"{said}'a_1' and 'b_2'"}
    assert found[found["became"] == "nothing was taken"]["student"].tolist() == ["st05"]
    became, _ = collected(("eve_1/ps1.ipynb", "eve"), ("Eve Smith_2/ps1.ipynb", "eve"))
    assert became["eve_1/ps1.ipynb"] == f"{said}'Eve Smith_2' and 'eve_1'"
    assert not (course / "submitted" / "eve").exists()


def test_a_cell_speaks_for_nobody_whom_a_path_names(collected):
    became, _ = collected(("eve_1/ps1.ipynb", "eve"), ("x/ps1.ipynb", "eve"), newest="x/ps1.ipynb")
    assert became["eve_1/ps1.ipynb"] == "taken"
    assert became["x/ps1.ipynb"].startswith("not taken: it says 'eve', but the path of another")


def test_two_folders_that_differ_in_case_are_both_left_to_the_teacher(course, filled):
    for folder in ("Eve", "eve"):
        book = filled(release(course), "eve")
        book.right("ka-01")
        book.save(course / "submitted" / folder / "ps1" / "ps1.ipynb")
    line = teach.grade("ps1", course=course).set_index("student_id").loc["eve"]
    assert (line["score"], line["note"]) == (0, "Two folders are hers, 'Eve' and 'eve'; keep one.")


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        (f'start("ka-01", student=0x{"f" * 5000})', None),
        (f'a{".b" * 900} = 1\ncheck("ka-01", answer)', None),
        (f'a[{"-" * 900}1] = 1\ncheck("ka-01", answer)', None),
        ("", {"\ud800": 1}),
        ("", {"k": "\udfff"}),
    ],
    ids=["huge id", "deep name", "deep index", "half a letter as a part", "as an answer"],
)
def test_one_notebook_stops_neither_collecting_nor_grading_nor_feedback(
    course, filled, source, answer
):
    good, bad = filled(release(course), "bobby"), filled(release(course), "eve")
    good.right("ka-01", "ka-02")
    good.save(course / "downloads" / "bobby_1" / "ps1.ipynb")
    bad.content["metadata"].pop("verikit")  # so that its cells are looked at
    bad.write("ka-01", source)
    stored = {"exercise": "ka-02", "student": "eve", "answer": answer}
    output = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    bad.cell("ka-02")["outputs"] = [output | {"data": {MIME: stored}}]
    bad.save(course / "downloads" / "eve_2" / "ps1.ipynb")
    became = teach.collect("ps1", course / "downloads", course=course).set_index("student")
    assert became.loc[["bobby", "eve"], "became"].tolist() == ["taken", "taken"]
    lines = teach.grade("ps1", course=course).set_index("student_id")
    assert lines.loc[["bobby", "eve"], "score"].tolist() == [lines["max_score"].max(), 0]
    assert len(teach.feedback("ps1", course=course)) == 5


# -- what a teacher wrote -------------------------------------------------------------------------

FREE = {
    "cell_type": "markdown", "id": "free", "source": ["Say why."],
    "metadata": {"nbgrader": {"grade": True, "grade_id": "free", "locked": False, "points": 2,
                              "schema_version": 3, "solution": True, "task": False}},
}  # fmt: skip


def edit(course, change):
    """Let the teacher change the cells of her own copy."""
    source = course / "source" / "ps1" / "ps1.ipynb"
    content = json.loads(source.read_text(encoding="utf-8"))
    change(content["cells"])
    source.write_text(json.dumps(content), encoding="utf-8")
    return source


def ids(path):
    return [cell["id"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


def test_an_assignment_made_again_keeps_the_cells_of_its_teacher(course):
    def change(cells):
        at = [cell["id"] for cell in cells].index("ka-01")
        cells.insert(at + 1, FREE)
        cells[0]["source"] = "# Meine Aufgaben"

    source = edit(course, change)
    before = ids(source)
    teach.assign("ps1", ["ka-01", "ka-03", "ka-02"], course=course)
    after = ids(source)
    assert after[: before.index("free") + 1] == before[: before.index("free") + 1]
    assert after[after.index("free") + 1] == "ka-03-about"
    assert "# Meine Aufgaben" in source.read_text(encoding="utf-8")
    assert "free" in ids(release(course))


def test_a_rewritten_exercise_is_not_thrown_away(course):
    def change(cells):
        next(cell for cell in cells if cell["id"] == "ka-02")["source"] = "# mine\ncheck()"

    source = edit(course, change)
    before = source.read_bytes()
    with pytest.raises(FormatError, match="The cell 'ka-02' was rewritten, and its exercise is"):
        teach.assign("ps1", ["ka-01"], course=course)
    assert source.read_bytes() == before


def files_in(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_where_nbgrader_refuses_the_source_and_what_was_handed_out_stay_as_they_were(
    course, collected
):
    collected(("eve_1/ps1.ipynb", "eve"))
    teach.grade("ps1", course=course)
    source = edit(course, lambda cells: cells.append(FREE))
    before, handed_out = source.read_bytes(), files_in(course / "release" / "ps1")
    assert "ps1.ipynb" in handed_out
    with pytest.raises(FormatError, match="nbgrader generate_assignment ps1 failed"):
        teach.assign("ps1", ["ka-01", "ka-03"], course=course)
    assert source.read_bytes() == before
    assert files_in(course / "release" / "ps1") == handed_out


# -- points by hand, autograde, due dates ---------------------------------------------------------


def by_hand(course, student, points):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        book.find_grade("free", "ps1", "ps1", student).manual_score = points
        book.find_grade("free", "ps1", "ps1", student).needs_manual_grade = False
        book.db.commit()


def nbgrader(course, *words):
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    return subprocess.run([sys.executable, "-m", "nbgrader", *words], cwd=course, check=True,
                          env={**os.environ, "PATH": path}, capture_output=True)  # fmt: skip


@pytest.fixture(scope="module")
def with_free_text(tmp_path_factory, filled):
    """A course with a question that is graded by hand, and with a due date."""
    course = tmp_path_factory.mktemp("free")
    (course / "list.csv").write_text(PEOPLE, encoding="utf-8")
    teach.assign("ps1", ["ka-01"], course=course, students=course / "list.csv")
    edit(course, lambda cells: cells.append(FREE))
    teach.assign("ps1", ["ka-01"], course=course, due="2027-05-01T16:00+00:00")
    for path in ("eve_1", "bobby_LATE_2_3", "st05_4"):
        book = filled(release(course), path.split("_")[0])
        book.right("ka-01")
        file = book.save(course / "downloads" / f"{path}_ps1.ipynb")
        late = 3900 if path == "st05_4" else -60
        when = pd.Timestamp("2027-05-01 16:00", tz="UTC").timestamp() + late
        os.utime(file, (when, when))
    teach.collect("ps1", course / "downloads", course=course)
    teach.grade("ps1", course=course)
    by_hand(course, "eve", 2)
    return course


def test_points_given_by_hand_reach_the_grades(with_free_text):
    lines = teach.grade("ps1", course=with_free_text).set_index("student_id")
    most = lines["max_score"].iloc[0]
    assert lines["max_score"].eq(most).all()
    assert lines.loc[["eve", "bobby", "st06"], "score"].tolist() == [most, most - 2, 0]
    assert lines.loc["eve", "note"] == ""
    assert lines.loc["bobby", "note"] == "Points by hand are missing: free."
    pages = {page.parent.parent.name: page for page in teach.feedback("ps1", course=with_free_text)}
    said = f"With the points that your teacher gives by hand: {most} of {most}."
    assert said in pages["eve"].read_text(encoding="utf-8")
    assert said not in pages["bobby"].read_text(encoding="utf-8")
    nbgrader(with_free_text, "export", "--to", "theirs.csv")
    theirs = pd.read_csv(with_free_text / "theirs.csv").set_index("student_id")
    assert theirs["score"].to_dict() == lines["score"].astype(float).to_dict()
    assert theirs["max_score"].to_dict() == lines["max_score"].astype(float).to_dict()


def test_what_came_late_is_noted_here_and_in_the_gradebook(with_free_text):
    lines = teach.grade("ps1", course=with_free_text).set_index("student_id")
    assert lines["late"].to_dict() == {
        "eve": "", "st05": "1:05", "bobby": "yes", "smith": "", "st06": "",
    }  # fmt: skip
    assert lines["duedate"].unique().tolist() == ["2027-05-01 16:00:00 UTC"]
    assert list(pd.read_csv(with_free_text / "grades.csv")) == list(lines.reset_index()[
        ["assignment", "duedate", "timestamp", "late", "student_id", "last_name", "first_name",
         "email", "raw_score", "score", "max_score", "note"]])  # fmt: skip
    nbgrader(with_free_text, "export", "--to", "theirs.csv")
    theirs = pd.read_csv(with_free_text / "theirs.csv").set_index("student_id")
    assert theirs.loc["st05", "duedate"] == "2027-05-01 16:00:00"
    assert theirs.loc["st05", "timestamp"] == "2027-05-01 17:05:00"


def test_autograde_of_nbgrader_runs_nothing_and_takes_no_points(with_free_text):
    before = teach.grade("ps1", course=with_free_text).set_index("student_id")
    nbgrader(with_free_text, "autograde", "ps1", "--student", "eve", "--force")
    nbgrader(with_free_text, "export", "--to", "theirs.csv")
    theirs = pd.read_csv(with_free_text / "theirs.csv").set_index("student_id")
    assert theirs.loc["eve", "score"] == before.loc["eve", "score"]
    with pytest.raises(FormatError, match="nbgrader autograde took away what was graded of 'eve'"):
        teach.feedback("ps1", course=with_free_text)
    after = teach.grade("ps1", course=with_free_text).set_index("student_id")
    assert after["score"].to_dict() == before["score"].to_dict()
    assert len(teach.feedback("ps1", course=with_free_text)) == 5


def test_a_due_date_that_is_none_is_refused_before_anything_is_made(tmp_path):
    with pytest.raises(RecordError, match="The due date was given as 'soon'; expected"):
        teach.assign("ps1", ["ka-01"], course=tmp_path, due="soon")
    assert not list(tmp_path.iterdir())


def test_the_time_of_a_zip_is_that_of_this_computer(tmp_path):
    from datetime import UTC, datetime

    from verikit.teach._download import list_downloads

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("eve.ipynb", (2027, 5, 1, 18, 0, 0)), "{}")
    (tmp_path / "all.zip").write_bytes(packed.getvalue())
    (only,) = list_downloads(tmp_path / "all.zip")
    assert only.when == datetime(2027, 5, 1, 18).astimezone(UTC)


# -- without a fence ------------------------------------------------------------------------------


def test_without_a_fence_functions_are_graded_only_if_trusted(
    tmp_path, monkeypatch, capsys, filled
):
    (tmp_path / "list.csv").write_text("id\nada\nbob\n")
    handed = teach.assign(
        "ps2", ["ka-01", "in-08"], course=tmp_path, students=tmp_path / "list.csv"
    )
    book = filled(handed, "ada")
    book.right("ka-01")
    book.publish("return vk.mask.noise(data, scale=4, seed=seed)")
    book.save(tmp_path / "submitted" / "ada" / "ps2" / "ps2.ipynb")
    fence = tmp_path / "fence.py"
    fence.write_text(
        "import os, runpy\nos.uname = lambda: os.uname_result(('other',) * 5)\n"
        f"close_sandbox = runpy.run_path({str(_run.FENCE)!r})['close_sandbox']\n"
    )
    monkeypatch.setattr(_run, "FENCE", fence)
    missing_fence.cache_clear()
    try:
        assert main(["teach", "grade", "ps2", "--course", str(tmp_path)]) == 1
        said = capsys.readouterr().out
        assert "Not graded: in-08; this machine has no fence, use --trust." in said
        assert main(["teach", "grade", "ps2", "--course", str(tmp_path), "--trust"]) == 0
        said = capsys.readouterr().out
        assert "Not graded" not in said
        score = pd.read_csv(tmp_path / "grades.csv").set_index("student_id")["score"]
        assert score["ada"] == pd.read_csv(tmp_path / "grades.csv")["max_score"].max()
    finally:
        missing_fence.cache_clear()
