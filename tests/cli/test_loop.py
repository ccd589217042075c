"""The protector's loop at the command line: describe, choose, mask, audit, publish, check."""

import itertools
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
import tomllib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.cli import main

DATASETS = os.environ.get("VERIKIT_DATASETS")
with_pages = pytest.mark.skipif(find_spec("verikit.page") is None, reason="no room of pages")
TREES = "adult_hierarchy_{}.csv"


@pytest.fixture
def run(capsys):
    """Run the command; give its exit code, what it printed, and what it said besides."""

    def run(*arguments):
        code = main([str(part) for part in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A made-up table of numbers and categories in the folder one is in; trees lie beside it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    ages = rng.integers(18, 90, 300)
    frame = pd.DataFrame(
        {
            "name": [f"person {at}" for at in range(300)],
            "age": ages,
            "hours": rng.integers(1, 12, 300) * 5,
            "job": rng.choice(["clerk", "cook", "nurse", "smith"], 300),
            "pay": np.round(ages * 40 + rng.normal(2000, 300, 300), 2),
        }
    )
    frame.to_csv("people.csv", index=False)
    lines = "clerk;office;*\nnurse;office;*\ncook;craft;*\nsmith;craft;*\n"
    Path("job.csv").write_text(lines, encoding="utf-8")
    return frame


@pytest.fixture
def schema(run, people):
    """The description of the table, as the command wrote it."""
    options = ("--role", "pay=sensitive", "--hierarchy", "job=job.csv", "--out", "people.toml")
    assert run("schema", "people.csv", *options)[0] == 0
    return "people.toml"


def masked(run, schema, *more):
    given = ("mask", "rank_swap", "people.csv", "--schema", schema, "--set", "percent=20")
    return run(*given, "--set", "scheme=cycles", "--out", "draft", "--key", "draft.key", *more)


def walk(run, table, schema, settings, record):
    """The six commands of a publisher, from a table to a check; each must end well."""
    files = [
        part
        for name, file in settings["trees"].items()
        for part in ("--hierarchy", f"{name}={file}")
    ]
    roles = [part for role in settings["roles"] for part in ("--role", role)]
    values = [part for name, value in record.items() for part in ("--set", f"{name}={value}")]
    swap = ("--set", "percent=10", "--set", "scheme=cycles")
    key = ("--key", "draft.key")
    return [
        run("schema", table, *roles, *files, "--out", schema),
        run("mask", "rank_swap", table, "--schema", schema, *swap, "--out", "draft", *key),
        run("audit", table, "draft", "--schema", schema, *key, "--worst", 5),
        run("publish", table, "draft", "--schema", schema, *key, "--out", "release"),
        run("check", "release", *values),
        run("check", "release", *values, "--html", "slip.html"),
    ]


# -- schema ---------------------------------------------------------------------------------------


def test_the_template_names_every_column_once_and_is_read_back_as_it_is(run, people, schema):
    columns = tomllib.loads(Path(schema).read_text(encoding="utf-8"))["columns"]
    assert [(c["name"], c["role"], c["kind"]) for c in columns] == [
        ("name", "identifier", "nominal"),
        ("age", "quasi", "numeric"),
        ("hours", "quasi", "numeric"),
        ("job", "quasi", "nominal"),
        ("pay", "sensitive", "numeric"),
    ]
    assert columns[3]["hierarchy"] == "job.csv"


def test_the_template_goes_to_the_screen_or_is_json_and_offers_an_order_to_edit(run, people):
    _, text, _ = run("schema", "people.csv")
    assert '# order = ["clerk", "cook", "nurse", "smith"]' in text
    assert "# 4 different values" in text
    assert tomllib.loads(text)["columns"][0]["role"] == "identifier"
    _, text, _ = run("schema", "people.csv", "--json")
    assert [column["name"] for column in json.loads(text)] == list(people)


def test_names_of_columns_that_toml_could_misread_come_back_whole(run, tmp_path):
    odd = ['a "quoted"', "back\\slash", "naïve", "a.b = 1", "#no"]
    pd.DataFrame([range(5), range(5)], columns=odd).to_csv(tmp_path / "odd.csv", index=False)
    _, text, _ = run("schema", tmp_path / "odd.csv")
    assert [column["name"] for column in tomllib.loads(text)["columns"]] == odd


def test_a_template_is_not_overwritten_and_a_wrong_role_is_refused(run, people, schema):
    Path(schema).write_text("edited", encoding="utf-8")
    code, _, said = run("schema", "people.csv", "--out", schema)
    assert (code, "replace it with --force" in said) == (2, True)
    assert Path(schema).read_text(encoding="utf-8") == "edited"
    code, _, said = run("schema", "people.csv", "--role", "age=secret")
    assert (code, "expected one of identifier" in said) == (2, True)


# -- mask -----------------------------------------------------------------------------------------


def test_the_help_of_mask_lists_every_method_with_every_parameter(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["mask", "--help"])
    text = capsys.readouterr().out
    for name, method in vk.mask.METHODS.items():
        if method.takes is vk.Microdata:
            assert f"  {name}: {method.words}" in text
    for parameter in ("scale (needed):", "grid:", "limits:", "percent (needed):", "changed:"):
        assert f"    {parameter} " in text
    assert "standard deviation" in text


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("anatomize", ["--ell", 3]),
        ("permute_all", ["--ell", 3]),
        ("permute_all", ["--ell", 2, "--alike", 20]),
        ("permute_sensitive", ["--k", 3, "--e", 50]),
        ("generalize", ["--k", 10]),
        ("generalize", ["--groups", "groups.csv"]),
        ("microaggregate", ["--k", 5]),
        ("randomize", ["--set", "changed=2"]),
    ],
)
def test_methods_that_need_groups_get_them_by_option_or_file(run, schema, method, options):
    pd.DataFrame({"group": np.arange(300) // 10}).to_csv("groups.csv", index=False)
    if method == "microaggregate":
        options = [*options, "--set", "method=mdav"]
        text = Path(schema).read_text(encoding="utf-8")
        text = text.replace(
            'name = "job"  # 4 different values\nrole = "quasi"', 'name = "job"\nrole = "other"'
        )
        Path(schema).write_text(text, encoding="utf-8")
    given = ("mask", method, "people.csv", "--schema", schema, *options, "--seed", 3)
    code, lines, said = run(*given, "--out", "draft", "--key", "draft.key")
    assert code == 0, said
    assert ("--alike tell him nothing more" in str(lines)) == (options == ["--ell", 3])
    release = vk.open_release("draft")
    assert release.method == method
    assert len(release) == 300


def test_what_a_method_lacks_is_named_with_the_option_that_gives_it(run, schema):
    given = ("people.csv", "--schema", schema, "--out", "draft", "--key", "draft.key")
    code, _, said = run("mask", "permute_all", *given)
    assert code == 2
    assert "Give --k, --ell (and --alike), --k and --e, --require, or --groups FILE." in said
    code, _, said = run("mask", "disguise", *given)
    assert (code, "--hierarchy NAME=FILE" in said) == (2, True)


def test_groups_that_do_not_fit_the_table_are_refused(run, schema):
    pd.DataFrame({"group": [1, 2]}).to_csv("groups.csv", index=False)
    given = ("people.csv", "--schema", schema, "--out", "draft", "--key", "draft.key")
    code, _, said = run("mask", "generalize", *given, "--groups", "groups.csv")
    assert (code, "one line for each of the 300 records" in said) == (2, True)


def test_what_each_group_must_meet_is_asked_for_by_its_model(run, people):
    people["job"] = people["job"].where(people["hours"] > 5, "none")
    people[["age", "hours", "job"]].to_csv("people.csv", index=False)
    given = ("people.csv", "--schema", "s.toml", "--out", "draft", "--key", "draft.key")
    assert run("schema", "people.csv", "--role", "job=sensitive", "--out", "s.toml")[0] == 0
    require = ("--require", "t_closeness,t=0.3", "--require", "recursive_diversity,ell=2,c=3")
    assert run("mask", "anatomize", *given, *require, "--k", 4)[0] == 0
    release = vk.open_release("draft")
    assert vk.models.t_closeness(release, t=0.3).met
    assert vk.models.recursive_diversity(release, ell=2, c=3).met
    assert release.parameters["partition"]["requirement"][1] == "t_closeness,t=0.3"
    audited = ("audit", "people.csv", "draft", "--key", "draft.key", "--quiet")
    assert run(*audited, "--require", "t_closeness,t=0.3")[0] == 0
    code, text, _ = run(*audited, "--require", "t_closeness,t=0.001")
    assert (code, "0.001 asked for, not met" in text) == (1, True)
    code, _, said = run("mask", "anatomize", *given, *require, "--ell", 2)
    assert (code, "--require goes with --k only; --ell was given too" in said) == (2, True)
    code, _, said = run("mask", "anatomize", *given, "--require", "t_closeness")
    assert (code, "t_closeness takes" in said) == (2, True)


def test_what_was_published_before_is_required_by_the_ledger_beside_the_key(run, people):
    people[["age", "hours", "job"]].to_csv("people.csv", index=False)
    assert run("schema", "people.csv", "--role", "job=sensitive", "--out", "s.toml")[0] == 0
    given = ("people.csv", "--schema", "s.toml", "--seed", 1)
    first = ("--out", "first", "--key", "first.key", "--ell", 3)
    assert run("mask", "anatomize", *given, *first)[0] == 0
    asked = ("--require", "continued,ell=2")
    assert run("mask", "generalize", *given, *asked, "--out", "two", "--key", "two.key")[0] == 0
    assert "by requirement" in str(vk.open_release("two").parameters)
    audited = ("audit", "people.csv", "two", "--key", "two.key", "--quiet")
    _, text, _ = run(*audited, *asked)
    assert "values left by all releases: at most " in text
    code, text, _ = run(*audited, "--require", "continued,ell=5")
    assert (code, "5 asked for, not met" in text) == (1, True)


def test_choose_reckons_with_the_ledger_beside_the_key(run, people):
    people[["age", "hours", "job"]].to_csv("people.csv", index=False)
    assert run("schema", "people.csv", "--role", "job=sensitive", "--out", "s.toml")[0] == 0
    given = ("people.csv", "--schema", "s.toml", "--seed", 1)
    first = ("--out", "first", "--key", "first.key", "--ell", 3)
    assert run("mask", "anatomize", *given, *first)[0] == 0
    asked = ("choose", "anatomize", *given, "--require", "continued,ell=2", "--quiet")
    code, _, said = run(*asked)
    assert (code, "ledger was given as None; expected a verikit.release.Ledger" in said) == (
        2,
        True,
    )
    assert run(*asked, "--out", "two", "--key", "two.key")[0] == 0
    audited = ("audit", "people.csv", "two", "--key", "two.key", "--quiet")
    assert run(*audited, "--require", "continued,ell=2")[0] == 0


@pytest.mark.parametrize("search", ["datafly", "samarati", "incognito", "k_optimize"])
def test_levels_are_searched_that_meet_what_is_required(run, people, search):
    people["job"] = people["job"].where(people["hours"] > 5, "none")
    people["band"] = people["age"] // 10
    people[["band", "job"]].to_csv("people.csv", index=False)
    bands = sorted(people["band"].unique())
    Path("bands.csv").write_text("".join(f"{b};{b // 2}x;all\n" for b in bands), encoding="utf-8")
    assert run("schema", "people.csv", "--role", "job=sensitive", "--out", "s.toml")[0] == 0
    given = (
        "people.csv",
        "--schema",
        "s.toml",
        "--hierarchy",
        "band=bands.csv",
        "--search",
        search,
    )
    places = ("--out", "draft", "--key", "draft.key")
    asked = ("--k", 20, "--require", "t_closeness,t=0.1", "--suppression", 0.1)
    code, _, said = run("mask", "generalize", *given, *asked, *places)
    assert code == 0, said
    release = vk.open_release("draft")
    assert vk.models.t_closeness(release, t=0.1).met
    assert vk.models.k_anonymity(release, k=20).met
    assert release.parameters["suppressed"] <= 30
    assert release.parameters["search"] == search
    code, _, said = run("mask", "generalize", *given, "--ell", 2, *places)
    assert (code, "--search goes with --k only; --ell was given too" in said) == (2, True)
    code, _, said = run("mask", "anatomize", *given, *asked, *places)
    assert (code, "--search finds levels for generalize, not groups" in said) == (2, True)


def test_mask_prints_json_alone_and_tells_its_progress_beside_it(run, schema):
    code, text, said = masked(run, schema, "--json", "--seed", 77003)
    facts = json.loads(text)
    assert (code, facts["records"], facts["method"]) == (0, 300, "rank_swap")
    assert "Masking 300 records" in said
    assert "77003" not in text + said


def test_quiet_says_nothing_while_it_works(run, schema):
    assert masked(run, schema, "--quiet")[2] == ""


def test_rounding_is_asked_for_by_name_and_written_into_the_release(run, people):
    people[["age", "pay"]].to_csv("numbers.csv", index=False)
    options = ("--set", "scale=1", "--set", "grid=own", "--set", 'limits={"age": [0, 120]}')
    assert run("mask", "noise", "numbers.csv", *options, "--out", "d", "--key", "k")[0] == 0
    release = vk.open_release("d")
    assert release.parameters["limits"] == {"age": [0, 120]}
    assert release.frame["age"].between(0, 120).all()
    assert (release.frame["age"] % 1 == 0).all()


# -- choose ---------------------------------------------------------------------------------------


def test_choose_writes_the_least_masking_that_meets_the_goal(run, schema):
    given = ("choose", "rank_swap_cycles", "people.csv", "--schema", schema, "--seed", 4)
    goal = ("--links", 30, "--attack", "normal_scores")
    code, text, said = run(*given, *goal, "--out", "draft", "--key", "draft.key", "--json")
    facts = json.loads(text)
    assert code == 0
    assert "Masking 1 of at most 13 tried" in said
    release, key = vk.open_release("draft"), vk.Key.open("draft.key")
    assert release.parameters["scheme"] == facts["settings"]["scheme"] == "cycles"
    data = vk.Microdata(vk.read("people.csv").frame[list(release.schema.names)], release.schema)
    links = vk.protector.correct_links(vk.link(data, release, attack="normal_scores"), key)
    assert links.guessed <= 31


def test_choose_without_a_place_to_write_says_how_to_mask(run, schema):
    given = ("choose", "rank_swap_cycles", "people.csv", "--schema", schema)
    code, text, _ = run(*given, "--links", 200, "--attack", "maximum_rank")
    assert code == 0
    assert "verikit mask rank_swap people.csv --schema people.toml --set scheme=cycles" in text
    assert not Path("draft").exists()


def test_choose_finds_groups_in_which_no_more_values_are_guessed_than_asked(run, schema):
    given = ("choose", "anatomize", "people.csv", "--schema", schema, "--guessed", 0.25, "--quiet")
    code, text, _ = run(
        *given, "--guess", "group", "--out", "draft", "--key", "draft.key", "--json"
    )
    ell = json.loads(text)["settings"]["ell"]
    assert (code, vk.open_release("draft").parameters["partition"]["ell"]) == (0, ell)
    held = vk.open_release("draft").sensitive.groupby("Group-ID")["pay"]
    assert held.agg(lambda pays: pays.value_counts().max()).sum() <= 0.25 * 300
    code, text, _ = run(*given, "--guess", "above control", "--control", "people.csv")
    assert code == 0
    again = text[text.index("verikit mask") :].split()[1:]
    assert again[:4] == ["mask", "anatomize", "people.csv", "--schema"]
    assert run(*[{"draft": "d", "draft.key": "k"}.get(part, part) for part in again])[0] == 0
    made = vk.open_release("d").parameters["partition"]
    assert str(made["ell"]) == again[again.index("--ell") + 1]


def test_a_goal_out_of_reach_ends_with_1_and_one_sentence(run, schema):
    given = ("choose", "rank_swap_cycles", "people.csv", "--schema", schema, "--distance", 299)
    quick = ("--attack", "maximum_rank", "--quiet")
    code, text, said = run(*given, *quick, "--out", "draft", "--key", "draft.key")
    assert (code, text) == (1, "")
    assert said.count("\n") == 1
    assert not Path("draft").exists()


@pytest.mark.parametrize("options", [["--out", "draft"], ["--key", "draft.key"]])
def test_choose_writes_both_or_nothing(run, schema, options):
    code, _, said = run("choose", "noise", "people.csv", "--links", 3, *options)
    assert (code, "give both" in said) == (2, True)


# -- publish --------------------------------------------------------------------------------------


@with_pages
def test_publish_writes_a_release_with_its_links_and_a_report_and_nothing_of_the_key(run, schema):
    masked(run, schema, "--seed", 77003)
    given = ("publish", "people.csv", "draft", "--schema", schema, "--key", "draft.key")
    code, text, _ = run(*given, "--out", "release", "--title", "People <of> here", "--json")
    facts = json.loads(text)
    assert code == 0
    release = vk.open_release("release")
    assert release.reported_links == facts["reported_links"] is not None
    pd.testing.assert_frame_equal(release.frame, vk.open_release("draft").frame)
    report = Path("release/report.html").read_text(encoding="utf-8")
    assert "People &lt;of&gt; here" in report
    assert f"links {release.reported_links:,} of 300 people rightly" in report
    assert "What this does not tell you" in report
    described = [Path("release", one) for one in ("datapackage.json", "metadata.jsonld")]
    for said in (text, report, *(path.read_text(encoding="utf-8") for path in described)):
        assert "77003" not in said
        assert "person 17" not in said
    names = {path.name for path in Path("release").iterdir()}
    wanted = {"datapackage.json", "metadata.jsonld", "report.html", "report.json", "table.csv"}
    assert names == wanted
    told = json.loads(Path("release/report.json").read_text(encoding="utf-8"))
    assert {**told, "out": "release"} == facts
    assert told["audit"]["internal"] is False
    assert "records_one_by_one" not in told["audit"]


@with_pages
def test_publish_puts_the_page_for_people_without_python_beside_the_table_if_asked(run, schema):
    masked(run, schema, "--seed", 77003)
    given = ("publish", "people.csv", "draft", "--schema", schema, "--key", "draft.key")
    assert run(*given, "--out", "release", "--no-links", "--page")[0] == 0
    names = {path.name for path in Path("release").iterdir()}
    assert names == {"check.html", "datapackage.json", "report.html", "report.json", "table.csv"}
    page = Path("release/check.html").read_text(encoding="utf-8")
    assert "77003" not in page
    assert "person 17" not in page


@with_pages
def test_publish_writes_the_audit_of_every_record_for_its_owner_alone(run, schema):
    masked(run, schema)
    given = ("publish", "people.csv", "draft", "--schema", schema, "--key", "draft.key")
    code, _, said = run(*given, "--out", "release", "--audit", "release/own.json")
    assert (code, "would lie in the published folder" in said) == (2, True)
    code, _, said = run(*given, "--out", "release", "--audit", "own.pdf")
    assert (code, "--audit was given as 'own.pdf'" in said) == (2, True)
    assert run(*given, "--out", "release", "--no-links", "--audit", "own.json")[0] == 0
    own = json.loads(Path("own.json").read_text(encoding="utf-8"))
    assert len(own["records_one_by_one"]) == 300
    assert stat.S_IMODE(Path("own.json").stat().st_mode) == 0o600


@with_pages
def test_publish_of_separate_tables_says_everywhere_what_was_run_on_them(run, schema):
    given = ("mask", "anatomize", "people.csv", "--schema", schema, "--ell", 3)
    assert run(*given, "--out", "draft", "--key", "draft.key")[0] == 0
    given = ("publish", "people.csv", "draft", "--schema", schema, "--key", "draft.key")
    assert run(*given, "--out", "none", "--no-links")[0] == 0
    report = Path("none/report.html").read_text(encoding="utf-8")
    assert "<h2>Not tested by an attack</h2>" in report
    assert "No attack was run on it: its publisher asked for none" in report
    code, text, _ = run(*given, "--out", "release")
    release = vk.open_release("release")
    # as many as one row can be whose known values and one of whose group's are hers
    may_be = release.quasi.reset_index(names="row").merge(release.sensitive, on="Group-ID")
    rows = may_be.groupby(["age", "hours", "job", "pay"])["row"].nunique()
    own = pd.read_csv("people.csv").set_index(["age", "hours", "job", "pay"]).index
    said = f"links {int((rows.loc[own] == 1).sum())} of 300 people rightly to a row"
    assert (code, said in text) == (0, True)
    report = Path("release/report.html").read_text(encoding="utf-8")
    assert said in report
    assert "<h2>How it was tested</h2>" in report
    assert "Not tested by" not in report
    facts = json.loads(Path("release/report.json").read_text(encoding="utf-8"))
    assert (facts["attacked"], said in facts["counted"]) == (True, True)
    (guessed,) = facts["guessed"]
    assert guessed["title"].startswith("pay (in ")
    assert f"<h2>How rightly {guessed['title']} is guessed</h2>" in report
    assert (guessed["people"], guessed["control"], guessed["before"]) == (300, None, None)
    assert guessed["by_learning"] % 15 == guessed["by_others"] % 15 == 0, "twentieths of 300 people"
    code, text, _ = run("check", "release", "--set", "age=40", "--html", "slip.html")
    none = "The table itself reports no test attack; a report beside it may tell of one."
    assert (code, none in text) == (0, True)
    assert none in Path("slip.html").read_text(encoding="utf-8")


@with_pages
def test_publish_of_groups_counts_guesses_for_people_who_are_not_in_the_table(run, schema, people):
    people.head(200).to_csv("some.csv", index=False)
    people.tail(100).to_csv("rest.csv", index=False)
    groups = ("--schema", schema, "--ell", 3, "--out", "draft", "--key", "draft.key")
    assert run("mask", "anatomize", "some.csv", *groups)[0] == 0
    given = ("publish", "some.csv", "draft", "--schema", schema, "--key", "draft.key")
    code, text, _ = run(*given, "--control", "rest.csv", "--out", "release")
    assert (code, "Of 100 people who are not in the table" in text) == (0, True)
    wrong = ("publish", "people.csv", "draft2", "--schema", schema, "--key", "draft2.key")
    swap = ("--set", "percent=20", "--out", "draft2", "--key", "draft2.key")
    assert run("mask", "rank_swap", "people.csv", "--schema", schema, *swap)[0] == 0
    code, _, said = run(*wrong, "--control", "rest.csv", "--out", "other")
    assert (code, "--control was given, but the release is not by groups" in said) == (2, True)


@with_pages
def test_publish_without_an_attack_says_so_and_with_one_does_not(run, schema):
    masked(run, schema)
    given = ("publish", "people.csv", "draft", "--schema", schema, "--key", "draft.key")
    for more, attacked in ((("--no-links",), False), (("--seed", 1), True)):
        assert run(*given, "--out", f"release {attacked}", *more)[0] == 0
        report = Path(f"release {attacked}/report.html").read_text(encoding="utf-8")
        facts = json.loads(Path(f"release {attacked}/report.json").read_text(encoding="utf-8"))
        assert facts["attacked"] == attacked
        assert ("No attack was run on it" in report) != attacked
        assert ("How it was tested" in report) == attacked


@with_pages
def test_a_requirement_that_is_not_met_keeps_a_release_from_being_published(run, schema):
    masked(run, schema)
    given = ("publish", "people.csv", "draft", "--schema", schema, "--key", "draft.key")
    code, _, said = run(*given, "--out", "release", "--distance", 40)
    assert (code, "nothing was published" in said) == (1, True)
    assert not Path("release").exists()
    code, text, _ = run(*given, "--out", "release", "--distance", 0, "--no-links")
    assert (code, "The stated requirement is met" in text) == (0, True)


# -- the whole way, and stops on it ---------------------------------------------------------------


COLUMNS = {
    "education": ["Bachelors", "Doctorate", "HS-grad", "Some-college"],
    "occupation": ["Adm-clerical", "Craft-repair", "Sales", "Tech-support"],
    "sex": ["Female", "Male"],
    "salary-class": ["<=50K", ">50K"],
}


def publishing():
    """The commands of docs/publishing.md that lead from a table to a check."""
    page = Path(__file__).resolve().parents[2] / "docs" / "publishing.md"
    text = page.read_text(encoding="utf-8")
    block = next(part for part in text.split("```") if "verikit schema" in part)
    return [shlex.split(line)[1:] for line in block.splitlines() if line.startswith("verikit ")]


@with_pages
def test_the_six_commands_of_a_publisher_are_true_of_a_table_with_the_same_columns(
    run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"age": rng.integers(17, 90, 200), "hours-per-week": rng.integers(1, 99, 200)}
    )
    for name, values in COLUMNS.items():
        frame[name] = rng.choice(values, 200)
        tree = "".join(f"{value};{'ab'[at % 2]};*\n" for at, value in enumerate(values))
        Path(f"{name.removesuffix('-class')}.csv").write_text(tree, encoding="utf-8")
    frame.to_csv("adult.csv", index=False)
    commands = publishing()
    assert [command[0] for command in commands] == [
        "schema",
        "mask",
        "audit",
        "publish",
        "check",
        "check",
    ]
    ended = [run(*command) for command in commands]
    assert [code for code, *_ in ended[:4]] == [0, 0, 0, 0], ended
    assert all(code in (0, 1) for code, *_ in ended[4:])
    assert "What this does not tell you" in Path("slip.html").read_text(encoding="utf-8")


@with_pages
def test_seven_commands_lead_from_nothing_to_a_dossier_and_a_check(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).resolve().parents[2] / "docs" / "publishing.md"
    block = next(p for p in page.read_text(encoding="utf-8").split("```") if "data export" in p)
    commands = [shlex.split(line) for line in block.splitlines()[1:] if line]
    assert len(commands) == 7
    for first, *rest in commands:
        if first == "echo":
            text, _, name = rest
            Path(name).write_text(text, encoding="utf-8")
            continue
        given = [*rest, "--seed", 3] if rest[0] in ("mask", "publish") else rest
        code, _, said = run(*given)
        assert code == 0 or (rest[0] == "check" and code == 1), said
    dossier = Path("dossier.html").read_text(encoding="utf-8")
    assert "at most 30 people found" in dossier
    assert {"dossier.jsonld", "slip.html"} <= {path.name for path in tmp_path.iterdir()}


@with_pages
@pytest.mark.skipif(not DATASETS, reason="VERIKIT_DATASETS names no folder")
def test_six_commands_lead_from_adult_to_a_check(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = [
        "age",
        "hours-per-week",
        "education",
        "marital-status",
        "occupation",
        "sex",
        "salary-class",
    ]
    data = vk.datasets.adult(Path(DATASETS) / "adult")
    data.frame[kept].iloc[:500].to_csv("adult.csv", index=False)
    names = [name for name in kept if data.schema[name].kind != "numeric"]
    trees = {name: Path(DATASETS) / "adult-hierarchies" / TREES.format(name) for name in names}
    settings = {"trees": trees, "roles": ["salary-class=sensitive"]}
    record = {"age": 39, "hours-per-week": 40, "education": "Bachelors", "sex": "Male"}
    done = walk(run, "adult.csv", "adult.toml", settings, record)
    assert [code for code, *_ in done[:4]] == [0, 0, 0, 0], done
    assert all(code in (0, 1) for code, *_ in done[4:])
    assert vk.open_release("release").reported_links is not None


def test_a_mask_that_was_killed_while_it_wrote_leaves_nothing_half_and_can_be_repeated(tmp_path):
    vk.simulate("dm", 60_000, seed=1).frame.to_csv(tmp_path / "big.csv", index=False)
    words = ["mask", "noise", "big.csv", "--set", "scale=0.5", "--out", "draft", "--key", "key"]
    command = [sys.executable, "-P", "-m", "verikit", *words]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while process.poll() is None and not list(tmp_path.glob(".*part-*")):
        assert time.monotonic() < until
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    process.wait(30)
    assert not (tmp_path / "draft").exists() or (tmp_path / "key").exists()
    if not (tmp_path / "draft").exists():
        assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    release, key = vk.open_release(tmp_path / "draft"), vk.Key.open(tmp_path / "key")
    assert len(release) == len(key) == 60_000


def killed(arguments, at):
    """Run the command in a process that is killed before a step of the file system."""
    left = os.fork()
    if left:
        return os.waitstatus_to_exitcode(os.waitpid(left, 0)[1])
    steps = itertools.count()

    def watch(event, given):
        written = event != "open" or (isinstance(given[2], int) and given[2] & os.O_CREAT)
        if event in STEPS and written and next(steps) == at:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        sys.addaudithook(watch)
        os._exit(main([str(part) for part in arguments]))
    finally:
        os._exit(99)


STEPS = {"open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod"}
PUBLISH = ("publish", "people.csv", "draft", "--key", "draft.key", "--no-links", "--out", "release")
MASK = ("mask", "noise", "people.csv", "--set", "scale=0.5", "--out", "draft", "--key", "draft.key")


@with_pages
@pytest.mark.skipif(os.name != "posix", reason="only a process that forks is killed at each step")
@pytest.mark.parametrize(
    ("command", "made"),
    [
        (MASK, ["draft", "draft.key"]),
        ((*PUBLISH, "--audit", "own.json"), ["release", "own.json"]),
    ],
    ids=["mask", "publish"],
)
def test_killed_at_any_step_it_can_be_repeated_and_leaves_no_key_alone(
    run, tmp_path, monkeypatch, command, made
):
    monkeypatch.chdir(tmp_path)
    vk.simulate("dm", 30, seed=1).frame.to_csv("people.csv", index=False)
    if command != MASK:
        assert run(*MASK)[0] == 0
    alone = 0
    for at in itertools.count():
        code = killed(command, at)
        assert code in (0, -signal.SIGKILL)
        folder, file = map(Path, made)
        assert file.exists() or not folder.exists(), "a release without its key"
        whole = folder.exists()
        if file.exists() and not whole:
            alone += 1
            other = [*command[: command.index("--out")], "--out", "other"]
            other += command[command.index("--out") + 2 :]
            assert run(*other)[0] == 2, "what belongs to another writing is not taken back"
            assert file.exists()
        assert (run(*command)[0] == 0) == (not whole)
        assert len(vk.open_release(folder)) == 30
        assert json.loads(file.read_text(encoding="utf-8"))
        shutil.rmtree(folder)
        file.unlink()
        for part in Path().glob(".*.part-*"):
            shutil.rmtree(part) if part.is_dir() else part.unlink()
        if code == 0:
            break
    assert at > 8
    assert alone > 0


def test_verikit_alone_prints_its_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        main([])
    text = capsys.readouterr().out
    assert all(f"    {name} " in text for name in ("schema", "choose", "mask", "audit"))


# -- a long step is stopped -----------------------------------------------------------------------

LONG = {
    "mask": (("rank_swap", "large.csv", "--set", "percent=10", "--links"), "Masking 9,000 records"),
    "choose": (
        ("noise", "large.csv", "--links", "9000", "--attack", "maximum_rank"),
        "Masking 1 of",
    ),
}


@pytest.mark.parametrize("command", LONG)
def test_a_long_masking_is_stopped_in_its_middle_and_nothing_is_written(command, tmp_path):
    vk.simulate("dm", 9000, seed=1).frame.to_csv(tmp_path / "large.csv", index=False)
    given, begun = LONG[command]
    places = ("--out", "draft", "--key", "draft.key")
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "verikit.cli", command, *given, *places],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while begun not in (line := process.stderr.readline()):
        assert line, "it ended before it began to mask"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1].startswith("verikit: stopped; nothing was ")
    assert [file.name for file in tmp_path.iterdir()] == ["large.csv"]


AT_ONCE = """import signal, sys
from importlib.abc import MetaPathFinder
class Stop(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "pandas":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Stop())
from verikit.cli import main
sys.exit(main(["mask", "noise", "people.csv"]))"""


def test_ctrl_c_while_it_is_still_being_loaded_ends_in_one_sentence(tmp_path):
    command = [sys.executable, "-P", "-c", AT_ONCE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "verikit: stopped; nothing was written.\n"


def test_the_tests_of_ctrl_c_pass_where_they_are_started_with_it_ignored(tmp_path):
    code = (
        "import os, signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', "
        "'-o', 'addopts=--import-mode=importlib', "
        "'-k', 'still_being_loaded', sys.argv[1]])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code, __file__], capture_output=True,
                          text=True,
                          check=False, cwd=Path(__file__).parents[2])  # fmt: skip
    assert "1 passed" in done.stdout, done.stdout
