"""Bench: from a table to a folder, by what audit, utility, intruder and publish say."""

import asyncio
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from _clock import live
from sources import every

import verikit as vk
from verikit.cli import main
from verikit.errors import RecordError, VerikitError
from verikit.widgets import Bench

SEED = 20_061_121_987
KEPT = ("age", "postcode", "pay")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a table of invented people, from where the person stands."""
    people = vk.load("people").frame.assign(name=[f"person {at}" for at in range(32)])
    people.to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.setenv("VERIKIT_START", str(tmp_path))
    return tmp_path


@pytest.fixture
def she(before, desk):
    """A protector who has confirmed that pay must not be learned."""
    person = before(Bench(path="people.csv", seed=SEED))
    person.types("roles/pay", "sensitive")
    person.presses("confirm")
    return person


def test_roles_are_guessed_and_nothing_is_computed_before_they_are_confirmed(before, desk):
    person = before(Bench(path="people.csv"))
    assert person.field("roles/name").value == "identifier"
    assert person.field("roles/age").value == "quasi"
    person.presses("try")
    assert isinstance(person.view.last_error, RecordError)
    assert "were not confirmed" in person.card
    assert person.view.tries == []
    person.presses("confirm")
    person.presses("try")
    assert (person.view.last_error, len(person.view.tries)) == (None, 1)


def test_another_role_has_to_be_confirmed_again(she):
    she.types("roles/age", "other")
    assert not she.view.confirmed
    she.presses("try")
    assert she.view.tries == []


def test_before_and_after_count_the_values_that_stand_in_the_two_tables(she):
    she.view.method = "rank_swap"
    she.view.try_settings(percent="30", scheme="cycles")
    (tried,) = she.view.tries
    after = tried.masked.release.frame
    for name, frames in {
        "age": (tried.data.frame, after),
        "postcode": (tried.data.frame, after),
    }.items():
        shape = tried.shapes[name]
        for at, frame in enumerate(frames):
            counts = [line[at + 1] for line in shape]
            assert sum(counts) == 32
            for place, (label, *_) in enumerate(shape):
                if name == "postcode":  # few values: each is a band of its own
                    expected = sum(str(value) == label for value in frame[name])
                else:  # from this label on, and below the next; the first band has no lower end
                    start = float(label.removeprefix("from ")) if place else float("-inf")
                    last = place + 1 == len(shape)
                    end = float("inf") if last else float(shape[place + 1][0].removeprefix("from "))
                    expected = sum(start <= value < end for value in frame[name])
                assert counts[place] == expected, (name, label)


def test_a_masked_value_beyond_the_original_ones_is_counted_in_an_outer_band(she):
    she.view.method = "noise"
    she.view.try_settings(scale="5")
    (tried,) = she.view.tries
    frame = tried.masked.release.frame
    assert not frame["age"].between(*tried.data.frame["age"].agg(["min", "max"])).all()
    assert sum(after for _, _, after in tried.shapes["age"]) == 32


def test_numbers_on_the_map_are_those_of_audit_and_the_measures(she):
    she.view.method = "rank_swap"
    she.view.try_settings(percent="30", scheme="cycles")
    (tried,) = she.view.tries
    release, key = tried.masked
    found = vk.audit(tried.data, release, key).exposure.found
    line = she.view.result.iloc[0]
    assert line["links"] == found.guessed / 32
    undone = key.undo(release).frame  # by pandas, one column after the other
    own = [tried.data.frame[name].corr(undone[name], method="spearman") for name in KEPT]
    assert line["order"] == pytest.approx(sum(own) / 3)


def test_who_is_found_is_shown_with_values_before_and_after_and_why(before):
    """Noise far smaller than any gap leaves everybody's row the only one that fits."""
    data = vk.load("dm_table1")
    person = before(Bench(data, seed=SEED))
    person.presses("confirm")
    person.view.method = "noise"
    person.view.try_settings(scale="0.000001")
    assert "Of 20 people 20 are found" in person.card
    heads, *lines = next(rows for rows in map(person.rows, range(9)) if rows[0][0] == "record")
    assert len(lines) == 10
    for line in lines:
        told = dict(zip(heads, line, strict=True))
        own = data.frame.iloc[int(told["record"]) - 1]
        values = dict(part.split(" ", 1) for part in told["before → after"].split("; "))
        for name in ("X1", "X2", "X3"):
            ends = [float(part.replace(",", "")) for part in values[name].split(" → ")]
            assert ends == pytest.approx([own[name]] * len(ends), abs=0.01)
        assert told["why"] == "no value was moved"


def test_groups_that_give_a_value_away_are_named_with_it(before):
    frame = pd.DataFrame({"age": [20, 21, 60, 61], "illness": ["flu", "flu", "flu", "ulcer"]})
    schema = vk.Schema.guess(frame, illness="sensitive")
    person = before(Bench(vk.Microdata(frame, schema), seed=SEED))
    person.presses("confirm")
    person.view.try_settings(k="2")
    (tried,) = person.view.tries
    assert (tried.given.people, tried.given.total) == (2, 4)
    assert "flu" in person.card.partition("Who is found, and why")[2]


def test_the_same_asked_twice_is_measured_once_and_anything_can_be_gone_back_to(she):
    she.presses("ladder")
    assert [one.settings["k"] for one in she.view.tries] == ["2", "5", "10", "20"]
    assert "Try 4: Generalize, k 20" in she.card
    she.types("settings/k", "5")
    she.presses("try")
    assert len(she.view.tries) == 4
    assert "Try 2: Generalize, k 5" in she.card
    she.presses("show/0")
    assert "Try 1: Generalize, k 2" in she.card
    she.presses("undo")
    assert "Try 2: Generalize, k 5" in she.card
    she.types("shown", "2")
    assert "Try 3: Generalize, k 10" in she.card
    she.types("settings/k", "7")
    she.presses("try")
    assert "Try 5: Generalize, k 7" in she.card
    she.presses("undo")
    assert "Try 3: Generalize, k 10" in she.card
    she.types("shown", "9")
    assert "shown was given as '9'" in she.field("shown").error


def test_every_try_is_a_point_that_can_be_reached_by_keyboard_and_a_line_of_the_table(she):
    she.presses("ladder")
    points = re.findall(
        r'<g data-press="show/(\d)" tabindex="0" role="button"><title>([^<]+)<', she.html
    )
    assert [at for at, _ in points] == ["0", "1", "2", "3"]
    assert points[1][1].startswith("Try 2: Generalize, k 5; ")
    assert [line[1] for line in she.rows()[1:]] == [f"Generalize, k {k}" for k in (2, 5, 10, 20)]


def test_a_goal_fills_the_points_that_reach_it(she):
    she.presses("ladder")
    she.types("links", "32")
    assert {line[-1] for line in she.rows()[1:]} == {"reached"}
    she.types("links", "0")
    assert {line[-1] for line in she.rows()[1:]} == {"missed"}
    assert "vk-head warning" in she.html


def test_the_least_masking_for_the_goal_is_the_one_that_choose_finds(before):
    data = vk.load("dm_table1")
    person = before(Bench(data, seed=SEED))
    person.presses("confirm")
    person.types("method", "noise")
    person.types("links", "4")
    person.presses("least")
    found = vk.choose(data, "noise", vk.protector.Goal(links=4), seed=SEED)
    (tried,) = person.view.tries
    assert float(tried.settings["scale"]) == found.value
    pd.testing.assert_frame_equal(tried.masked.release.frame, found.masked.release.frame)


METHODS = {
    "rank_swap": {"percent": "30", "scheme": "cycles"},
    "generalize": {"k": "4"},
    "anatomize": {"ell": "3"},
    "microaggregate": {"k": "3"},
}


@pytest.mark.parametrize("method", every(METHODS, 2))
def test_commands_and_python_really_run_and_give_the_release_that_was_published(she, desk, method):
    she.types("method", method)
    she.view.try_settings(**METHODS[method])
    assert she.view.last_error is None
    she.types("title", "People <of> a town; 2026")
    she.types("dossier", "dossier.html")
    she.presses("publish")
    assert she.view.last_error is None
    assert "Published in release" in she.card
    assert "People &lt;of&gt; a town; 2026" in (desk / "dossier.html").read_text(encoding="utf-8")
    tables = sorted(path.name for path in (desk / "release").glob("*.csv"))
    scripts = {end: (desk / f"bench-private/try-1{end}").read_text() for end in (".sh", ".py")}
    for folder, (end, text) in zip(("by-shell", "by-python"), scripts.items(), strict=True):
        again = desk / folder
        (again / "bench-private").mkdir(parents=True)
        for name in ("people.csv", "bench-private/try-1.toml", "bench-private/try-1.seed"):
            (again / name).write_bytes((desk / name).read_bytes())
        (again / f"run{end}").write_text(text)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        run = ["sh", "-e"] if end == ".sh" else [sys.executable]
        subprocess.run([*run, f"run{end}"], cwd=again, check=True, env=os.environ | {"PATH": path})
        assert sorted(path.name for path in (again / "release").glob("*.csv")) == tables
        for name in tables:
            assert (again / "release" / name).read_bytes() == (desk / "release" / name).read_bytes()


def test_the_seed_stands_in_a_private_file_and_nowhere_else(she, desk):
    she.presses("try")
    she.presses("publish")
    private = desk / "bench-private"
    assert (private / "try-1.seed").read_text() == str(SEED)
    if os.name == "posix":
        for path in private.iterdir():
            assert path.is_dir() or not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    shown = repr(she.view) + repr(she.view.tries) + she.html + she.view.write_saved()
    shown += repr(she.view.get_state()) + repr(she.view.parts())
    for path in [*(desk / "release").iterdir(), private / "try-1.sh", private / "try-1.py"]:
        shown += path.read_text(encoding="utf-8")
    assert str(SEED) not in shown


def test_a_saved_notebook_holds_no_single_record_and_no_path(before):
    person = before(Bench(vk.load("dm_table1"), seed=SEED))
    person.presses("confirm")
    person.view.method = "noise"
    person.view.try_settings(scale="0.000001")
    assert "no value was moved" in person.html
    saved = person.view.write_saved()
    assert "Everything tried" in saved
    assert "no value was moved" not in saved
    assert "try-1.seed" not in saved
    assert "no value was moved" in person.html


def test_what_was_published_is_not_overwritten_and_another_folder_takes_it(she, desk):
    she.presses("try")
    (desk / "release").mkdir()
    (desk / "release" / "mine.txt").write_text("mine")
    she.presses("publish")
    assert isinstance(she.view.last_error, VerikitError)
    assert "release" in str(she.view.last_error)
    assert [path.name for path in (desk / "release").iterdir()] == ["mine.txt"]
    she.types("out", "second")
    she.presses("publish")
    assert she.view.last_error is None
    assert (desk / "second" / "datapackage.json").is_file()


def test_a_table_given_in_python_is_published_too(before, desk):
    data = vk.load("lhcc_table1")
    person = before(Bench(data, seed=SEED))
    person.presses("confirm")
    person.view.try_settings(k="3")
    person.presses("publish")
    assert person.view.last_error is None
    found = vk.open_release(desk / "release")
    pd.testing.assert_frame_equal(
        found.frame, vk.open_release(desk / "bench-private" / "try-1").frame
    )
    assert len(found) == 9


def test_trees_of_values_are_written_beside_the_columns_and_read_again(before, desk):
    frame = pd.DataFrame({"job": list("aabbccdd"), "pay": range(8)})
    tree = vk.Hierarchy.of({"*": {"low": ["a", "b"], "high": ["c", "d"]}})
    schema = vk.Schema.guess(frame, pay="sensitive").with_column("job", hierarchy=tree)
    person = before(Bench(vk.Microdata(frame, schema), seed=SEED))
    person.presses("confirm")
    person.view.try_settings(k="4")
    person.presses("write")
    arguments = [
        "mask",
        "generalize",
        "bench-private/original.csv",
        "--k",
        "4",
        "--seed",
        str(SEED),
    ]
    arguments = [str(desk / a) if a.startswith("bench-") else a for a in arguments]
    schema_file = str(desk / "bench-private/try-1.toml")
    out = ["--out", str(desk / "again"), "--key", str(desk / "again.key")]
    assert main([*arguments, "--schema", schema_file, *out]) == 0
    again = vk.open_release(desk / "again").frame
    pd.testing.assert_frame_equal(again, vk.open_release(desk / "bench-private/try-1").frame)
    assert set(again["job"]) == {"low", "high"}


def test_another_table_is_opened_by_its_path_and_has_to_be_confirmed(she, desk):
    she.presses("try")
    pd.DataFrame({"city": ["x", "y"], "pay": [1, 2]}).to_csv(desk / "other.csv", index=False)
    she.types("path", "nowhere.csv")
    assert "nowhere.csv" in she.field("path").error
    assert len(she.view.tries) == 1
    she.types("path", "other.csv")
    assert (she.view.tries, she.view.confirmed) == ([], False)
    assert "2 records, 2 columns" in [line for part in she.view.parts() for line, _ in part.lines]


@pytest.mark.parametrize(
    ("box", "value", "said"),
    [
        ("roles/pay", "secret", "expected one of quasi, sensitive"),
        ("settings/k", "many", "k was given as 'many'; expected a whole number"),
        ("links", "-1", "links"),
        ("method", "magic", "expected one of"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_tried_stays(she, box, value, said):
    she.presses("try")
    she.types(box, value)
    if she.view.last_error is None:
        she.presses("try")
    assert she.field(box).error
    assert said in str(she.view.last_error)
    assert len(she.view.tries) == 1


def test_a_method_that_refuses_the_columns_says_why(she):
    she.types("kinds/postcode", "nominal")
    she.presses("confirm")
    she.types("method", "noise")
    she.presses("try")
    assert "mask.noise changes numbers only, but 'postcode' holds categories" in she.card
    she.types("method", "generalize")
    she.presses("try")
    assert she.view.last_error is None


def test_texts_from_outside_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": range(8), "<img src=x>": list("<&\"'abcd")})
    person = before(Bench(vk.Microdata(frame), title="<b>"))
    for press in ("confirm", "ladder"):
        person.presses(press)
    assert len(person.view.tries) > 1
    assert "<script>" not in person.html
    assert "<img" not in person.html
    assert "<b>&lt;" not in person.html.replace('class="vk-first"><b>', "")


def test_what_was_tried_before_a_stop_stays():
    async def person():
        view, told = Bench(vk.simulate("dm", 1500, seed=1), seed=SEED), []
        view.confirmed, view.method = True, "noise"
        view.send = told.append
        view._on_message(None, {"kind": "press", "turn": 1, "field": "ladder"}, [])
        while not any(m.get("say", "").startswith("2 of 5: ") for m in told):
            await asyncio.sleep(0.01)
        view._on_message(None, {"kind": "press", "turn": 2, "field": "stop"}, [])
        await asyncio.sleep(1)
        return view

    view = live(person())
    assert 1 <= len(view.tries) < 5
    assert len(view.result) == len(view.tries)
    assert "Outdated" not in view.card().html


def test_the_command_refuses_what_is_no_file_before_anything_starts(capsys):
    assert main(["bench", "nowhere.csv", "--no-browser"]) == 2
    assert "'nowhere.csv' is no file" in capsys.readouterr().err


def test_a_table_of_too_many_columns_is_refused_in_a_sentence():
    with pytest.raises(VerikitError, match=r"has 101 columns; the bench takes 100 at most"):
        Bench(vk.Microdata(pd.DataFrame({f"c{at}": [1, 2] for at in range(101)})))


@pytest.mark.parametrize(
    ("text", "said"), [("a,b\n", "no record"), ("", "empty"), ("a,b\n1,2\n3\n", "")]
)
def test_a_file_that_is_no_table_is_refused_at_its_box(before, desk, text, said):
    (desk / "odd.csv").write_text(text)
    person = before(Bench(path="odd.csv"))
    assert said in person.field("path").error
    assert not said or isinstance(person.view.last_error, VerikitError)


def test_gaps_are_a_value_of_their_own_where_this_is_said_in_commands_too(before, desk):
    frame = pd.DataFrame({"age": range(6), "job": [*"aabbc", None]})
    frame.to_csv(desk / "gaps.csv", index=False)
    person = before(Bench(path="gaps.csv", seed=SEED))
    person.presses("confirm")
    person.types("settings/k", "2")
    person.presses("try")
    assert "say missing='own value'" in str(person.view.last_error)
    person.types("settings/missing", "own value")
    person.presses("write")  # the error of before is gone, but nothing was tried
    assert "Nothing was tried yet" in str(person.view.last_error)
    person.presses("try")
    assert person.view.last_error is None
    assert "mondrian(data, k=2, missing='own value')" in person.card
