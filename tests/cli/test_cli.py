"""The `verikit` command: what it prints, what it writes, and how it ends."""

import io
import json
import stat
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

import verikit as vk
from verikit.cli import Command, main
from verikit.cli._check import ask_record
from verikit.cli._main import make_parser
from verikit.languages import use_language

RECORD = {"X1": 100.87, "X2": 902.21, "X3": 5108.54}
MEAN = ["--set", "X1=100", "--set", "X2=1000", "--set", "X3=5000"]
HERS = [part for name, value in RECORD.items() for part in ("--set", f"{name}={value}")]


@pytest.fixture
def run(capsys):
    """Run the command; give its exit code, the lines it printed, and what it said of errors."""

    def run(*arguments):
        code = main([str(part) for part in arguments])
        printed = capsys.readouterr()
        return code, printed.out.splitlines(), printed.err.strip()

    return run


@pytest.fixture
def original(tmp_path):
    """The running example as a CSV file."""
    vk.load("dm_table1").frame.to_csv(tmp_path / "original.csv", index=False)
    return tmp_path / "original.csv"


@pytest.fixture
def masked(run, original, tmp_path):
    """A release and its key, made by the command."""
    key = tmp_path / "key.json"
    run("mask", "noise", original, "--set", "scale=0.5", "--out", tmp_path / "out", "--key", key)
    return tmp_path / "out", key


def calm(tmp_path):
    """A table of independent columns, in which the mean of all is nobody's record."""
    vk.simulate("dm", 140, seed=1).frame.to_csv(tmp_path / "calm.csv", index=False)
    return tmp_path / "calm.csv"


def test_check_prints_the_papers_distances_and_ends_with_the_verdict(run):
    code, lines, errors = run("check", "dm_table1_masked", *HERS)
    assert (code, errors) == (1, "")
    assert [line.split()[5] for line in lines if line.split()[:1] in (["X1"], ["X2"], ["X3"])] == [
        "4", "1", "4",
    ]  # fmt: skip
    assert lines[-1].startswith(
        "Warning about this table: The publisher reports that its strongest test attack links 12 "
    )


def test_the_tables_of_a_check_have_the_words_of_the_card_and_no_empty_column(run, tmp_path):
    _, lines, _ = run("check", "dm_table1_masked", *HERS)
    heads = next(line for line in lines if line.startswith("attribute"))
    assert "closest value its place record’s place places away" in " ".join(heads.split())
    assert "as asked" not in heads
    assert not [line for line in lines if "_" in line or "None" in line]
    assert "Closest: row 10 of the table." in lines
    (tmp_path / "tied.csv").write_text("a,b\n4,5\n5,4\n6,1\n1,6\n", encoding="utf-8")
    german = ("--set", "a=5", "--set", "b=5", "--language", "de")
    _, lines, _ = run("check", tmp_path / "tied.csv", *german)
    assert any("nächster Wert" in line for line in lines)
    assert any(line.endswith("Am nächsten: Zeile 2, 1 der Tabelle.") for line in lines)
    assert any("der 2 nächsten Datensätze" in line for line in lines)


def test_of_a_long_table_of_a_check_the_rest_is_counted(run, tmp_path):
    release = vk.SplitRelease.of(
        pd.DataFrame({"age": [30] * 40, "Group-ID": 1}),
        pd.DataFrame({"Group-ID": 1, "ill": [f"illness {at}" for at in range(40)]}),
    )
    _, lines, _ = run("check", release.save(tmp_path / "groups"), "--set", "age=30")
    assert "and 20 more lines (--json)" in lines


def test_check_without_a_warning_ends_with_0(run, tmp_path):
    code, lines, _ = run("check", calm(tmp_path), *MEAN)
    assert code == 0
    assert lines[-1].startswith("No warning, and no proof of protection: ")


def test_check_with_a_requirement_not_met_ends_with_1_and_says_so(run, tmp_path):
    given = ("check", calm(tmp_path), *MEAN, "--distance")
    code, lines, _ = run(*given, 30)
    assert (code, lines[-1].endswith("Your requirement is not met.")) == (1, True)
    code, lines, _ = run(*given, 0)
    assert (code, lines[-1].endswith("Your requirement is met.")) == (0, True)


def test_a_requirement_can_be_stated_for_one_attribute(run, tmp_path):
    given = ("check", calm(tmp_path), *MEAN)
    _, lines, _ = run(*given, "--distance", "X1=30", "--json")
    required = [
        row["required_distance"] for row in json.loads("\n".join(lines))["tables"]["attributes"]
    ]
    assert required == [30, None, None]


def test_a_generalized_table_is_asked_for_counts_and_refuses_places_by_their_names(run):
    given = ("check", "ks_table4", "--set", "Zip=19552")
    code, lines, _ = run(*given, "--k", 5, "--ell", 2)
    assert (code, lines[-1].endswith("Your requirement is not met.")) == (1, True)
    assert any("records that fit your values (4, at least 5 required)" in line for line in lines)
    assert run(*given, "--k", 4)[1][-1].endswith("Your requirement is met.")
    code, _, errors = run(*given, "--distance", 3)
    assert code == 2
    assert "set one for k (how many published records fit your values) or ell" in errors
    code, _, errors = run(*given, "--k", "many")
    assert (code, "k was given as 'many'; expected a whole number" in errors) == (2, True)


def test_permuted_numbers_are_asked_how_many_are_left_and_how_far_apart(run):
    given = ("check", "qz_table2_3", "--set", "age=35", "--set", "zipcode=27101")
    code, lines, _ = run(*given, "--k", 3, "--e", 2000)
    assert (code, lines[-1].endswith("Your requirement is met.")) == (0, True)
    assert any("from 54,000 $ to 56,000 $: they lie 2,000 $ apart" in line for line in lines)
    code, lines, _ = run(*given, "--e", 2000.5)
    assert (code, lines[-1].endswith("Your requirement is not met.")) == (1, True)
    code, _, errors = run(*given, "--e", "wide")
    assert (code, "e was given as 'wide'; expected a number from 0 up" in errors) == (2, True)


def test_a_table_drawn_anew_is_checked_by_the_rows_that_may_be_hers(run):
    given = ("check", "yq_figure5", "--set", "Age=[30-40]", "--set", "Job=Clerk")
    code, lines, _ = run(*given, "--set", "Country=USA", "--ell", 9)
    assert (code, lines[-1].endswith("Your requirement is not met.")) == (1, True)
    assert any("yours is among these 3." in line for line in lines)
    code, _, errors = run(*given, "--e", 3)
    assert (code, "A requirement was set for e, but this is" in errors) == (2, True)


def test_check_reads_the_record_from_standard_input(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(RECORD)))
    _, lines, _ = run("check", "dm_table1_masked", "--record", "-", "--json")
    report = json.loads("\n".join(lines))
    assert [row["distance"] for row in report["tables"]["attributes"]] == [4, 1, 4]


def test_check_reads_the_record_from_a_file_and_completes_it_by_set(run, tmp_path):
    path = tmp_path / "me.json"
    path.write_text(json.dumps({"X1": 100.87, "X2": 902.21, "X3": None}), encoding="utf-8")
    _, lines, errors = run("check", "dm_table1_masked", "--record", path, "--json")
    assert json.loads("\n".join(lines))["facts"]["attributes"] == ["X1", "X2"]
    assert errors.startswith("Warning about this table: ")  # the verdict stays beside the JSON
    code, _, errors = run("check", "dm_table1_masked", "--record", path, "--set", "X1=1")
    assert (code, errors) == (
        2, "verikit: Both --record and --set give 'X1'; give each value once.",
    )  # fmt: skip


def test_the_slip_is_written_for_its_owner_alone(run, tmp_path):
    slip = tmp_path / "slip.html"
    run("check", "dm_table1_masked", *HERS, "--html", slip)
    assert "100.87" in slip.read_text(encoding="utf-8")
    assert stat.S_IMODE(slip.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "X1=many"], "'X1' was given as 'many'; expected a number."),
        (["--set", "X9=1"], "The record has 'X9', which the release lacks"),
        (["--set", "X1"], "--set was given 'X1'; expected NAME=VALUE, as in age=41."),
        (["--set", "X1="], "--set was given 'X1='; expected NAME=VALUE, as in age=41."),
        (["--set", "X1=1", "--set", "X1=2"], "--set names 'X1' twice; give it once."),
        ([], "The record holds no value; give at least one of 'X1', 'X2', 'X3'."),
        (["--set", "X1=100", "--distance", "far"], "'required distance' was given as 'far'"),
        (
            ["--set", "X1=100", "--criterion", "X2=distinct", "--diversity", "1"],
            "The criterion names 'X2', which is not among the attributes checked: 'X1'.",
        ),
        (["--set", "X1=100", "--match", "21"], "The match was given as row 21"),
        (["--set", "X1=100", "--criterion", "beauty"], "There is no diversity criterion 'beauty'"),
        (
            ["--set", "X1=100", "--html", "/nowhere/slip.html"],
            "'/nowhere/slip.html' cannot be written",
        ),
        (["--record", "nowhere.json"], "'nowhere.json' cannot be read"),
    ],
)
def test_wrong_input_to_check_ends_with_2_and_one_sentence(run, arguments, said):
    code, lines, errors = run("check", "dm_table1_masked", *arguments)
    assert (code, lines) == (2, [])
    assert errors.startswith("verikit: ")
    assert said in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "Standard input is not JSON"),
        ("[1]", "Standard input holds a JSON list; expected one record"),
        ('{"X1": 1, "X1": 2}', "The record names 'X1' twice; give each value once."),
        ('{"X1": NaN}', "The record holds no value; give at least one of 'X1', 'X2', 'X3'."),
    ],
)
def test_a_record_that_cannot_be_read_ends_with_2(run, monkeypatch, content, said):
    monkeypatch.setattr("sys.stdin", io.StringIO(content))
    code, _, errors = run("check", "dm_table1_masked", "--record", "-")
    assert code == 2
    assert said in errors


def test_a_release_that_is_not_there_is_named(run):
    code, _, errors = run("check", "nowhere.csv", "--set", "X1=1")
    assert code == 2
    assert "'nowhere.csv' does not exist" in errors


def test_mask_writes_a_release_that_tells_its_scale_and_a_key_that_only_its_owner_reads(masked):
    folder, key = masked
    release = vk.open_release(folder)
    assert (len(release), release.method) == (20, "noise")
    assert sorted(release.parameters["scale"]) == ["X1", "X2", "X3"]
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert sorted(vk.Key.open(key).rows) == list(range(20))


def test_the_same_seed_masks_the_same_and_no_seed_never_does(run, original, tmp_path):
    def table(name, *seed):
        out, key = tmp_path / name, tmp_path / f"{name}.json"
        code, _, _ = run(
            "mask", "noise", original, "--set", "scale=0.5", "--out", out, "--key", key, *seed
        )
        assert code == 0
        return (out / "table.csv").read_text(encoding="utf-8")

    assert table("a", "--seed", 7) == table("b", "--seed", 7)
    assert table("c") != table("d")


@pytest.fixture
def grouped(tmp_path):
    """A table whose values can be published by groups, and its schema."""
    roles = {"Age": "quasi", "Sex": "quasi", "Disease": "sensitive"}
    vk.load("lhcc_table1").frame[[*roles]].to_csv(tmp_path / "ill.csv", index=False)
    lines = [f'[[columns]]\nname="{n}"\nrole="{r}"\nkind="nominal"\n' for n, r in roles.items()]
    (tmp_path / "ill.toml").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "ill.csv", "--schema", tmp_path / "ill.toml"


@pytest.mark.skipif(find_spec("verikit.page") is None, reason="no room of pages")
def test_a_second_grouping_is_warned_of_before_it_is_published(run, grouped, tmp_path):
    def mask(name, *more):
        places = ("--out", tmp_path / name, "--key", tmp_path / f"{name}.key")
        return run("mask", "anatomize", *grouped, "--ell", 2, *more, *places, "--quiet")

    def publish(name):
        places = ("--out", tmp_path / f"{name} public", "--key", tmp_path / f"{name}.key")
        return run("publish", grouped[0], tmp_path / name, *places, "--schema", grouped[2])

    assert mask("first", "--seed", 1)[::2] == (0, "")
    assert "warning" not in publish("first")[2]
    code, _, said = mask("second", "--seed", 2)
    assert code == 0
    assert said.startswith("warning: ")
    assert "left fewer values of 'Disease' by this and what was made of them before" in said
    assert "left fewer values" in publish("second")[2]
    code, _, said = mask("again", "--seed", 3, "--again")
    assert code == 0
    assert "left fewer values" not in said
    assert "find_left_over names whom to hold back" in said, "what was published twice is not even"
    assert stat.S_IMODE((tmp_path / "verikit-ledger.json").stat().st_mode) == 0o600
    code, _, said = run("mask", "anatomize", *grouped, "--again", "--out", "a", "--key", "b")
    assert code == 2
    assert "--again was given without --ell" in said


def test_mask_says_nothing_of_its_seed(run, original, tmp_path):
    _, lines, errors = run(
        "mask", "noise", original, "--set", "scale=0.5", "--out", tmp_path / "o",
        "--key", tmp_path / "k", "--seed", 918273645,
    )  # fmt: skip
    assert "918273645" not in "\n".join(lines) + errors
    assert "918273645" not in (tmp_path / "o" / "datapackage.json").read_text(encoding="utf-8")


def test_mask_takes_a_scale_by_column_as_json(run, original, tmp_path):
    scale = 'scale={"X1": 5, "X2": 25, "X3": 100}'
    run("mask", "noise", original, "--set", scale, "--out", tmp_path / "o", "--key", tmp_path / "k")
    release = vk.open_release(tmp_path / "o")
    assert release.parameters["scale"] == {"X1": 5, "X2": 25, "X3": 100}


def test_mask_takes_roles_and_kinds_from_a_schema(run, original, tmp_path):
    schema = tmp_path / "schema.toml"
    columns = [("X1", "identifier"), ("X2", "quasi"), ("X3", "quasi")]
    schema.write_text(
        "\n".join(f'[[columns]]\nname = "{n}"\nrole = "{r}"\nkind = "numeric"' for n, r in columns),
        encoding="utf-8",
    )
    given = ("--set", "scale=0.5", "--out", tmp_path / "o", "--key", tmp_path / "k")
    assert run("mask", "noise", original, *given, "--schema", schema)[0] == 0
    assert vk.open_release(tmp_path / "o").schema.names == ("X2", "X3")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("columns = ", "is not TOML"),
        ("title = 'x'", "does not describe columns (KeyError('columns'))"),
        ("[[columns]]\nname = 'X1'", "does not describe columns (KeyError('role'))"),
    ],
)
def test_a_schema_that_cannot_be_read_is_refused(run, original, tmp_path, content, said):
    schema = tmp_path / "schema.toml"
    schema.write_text(content, encoding="utf-8")
    given = ("--set", "scale=0.5", "--out", tmp_path / "o", "--key", tmp_path / "k")
    code, _, errors = run("mask", "noise", original, *given, "--schema", schema)
    assert code == 2
    assert said in errors


@pytest.mark.parametrize(
    ("method", "settings", "said"),
    [
        ("magic", [], "There is no method 'magic'; verikit has"),
        ("noise", [], "mask noise takes 'scale', 'grid', 'limits'; given with --set were none."),
        (
            "noise",
            ["--set", "scal=1"],
            "mask noise takes 'scale', 'grid', 'limits'; given with --set were 'scal'.",
        ),
        ("noise", ["--set", "scale=-1"], "scale was given as -1; expected a number from 0 up"),
        (
            "noise",
            ["--set", "scale=much"],
            "scale was given as 'much'; expected a number from 0",
        ),
    ],
)
def test_mask_refuses_what_it_does_not_know(run, original, tmp_path, method, settings, said):
    code, _, errors = run(
        "mask", method, original, *settings, "--out", tmp_path / "o", "--key", tmp_path / "k"
    )
    assert code == 2
    assert said in errors
    assert not (tmp_path / "o").exists()
    assert not (tmp_path / "k").exists()


def test_a_key_in_the_published_folder_is_refused_and_nothing_is_written(run, original, tmp_path):
    out = tmp_path / "out"
    given = ("--set", "scale=0.5", "--out", out, "--key", out / "key.json")
    code, _, errors = run("mask", "noise", original, *given)
    assert code == 2
    assert "would lie in the published folder" in errors
    assert not out.exists()


def test_no_key_is_left_where_the_release_could_not_be_written(run, original, masked, tmp_path):
    folder, _ = masked
    given = ("--set", "scale=0.5", "--out", folder, "--key", tmp_path / "other.json")
    code, _, errors = run("mask", "noise", original, *given)
    assert (code, "is not empty" in errors) == (2, True)
    assert not (tmp_path / "other.json").exists()


def test_audit_ends_with_0_where_nothing_is_required_and_prints_the_worst_first(
    run, original, masked
):
    code, lines, _ = run("audit", original, masked[0], "--key", masked[1], "--worst", 3)
    assert code == 0
    assert len([line for line in lines if line[:8].strip().isdigit()]) == 3
    assert lines[-5].startswith("As subjects see it, the closest record lies")
    assert lines[-4].startswith("The strongest attack, ")
    assert lines[-2].startswith("Not tested: whether somebody is in the table at all")
    assert lines[-1].startswith("Whoever the key says it belongs to, the own record of ")


def test_audit_ends_with_1_where_a_record_fails_and_says_how_many(run, original, masked):
    given = ("audit", original, masked[0], "--key", masked[1], "--distance")
    data, release = vk.read(original), vk.open_release(masked[0])
    failing = vk.audit(data, release, vk.Key.open(masked[1]), distance=2).failed.any(axis=1).sum()
    code, lines, _ = run(*given, 2)
    assert code == 1
    assert lines[-1] == f"The requirement is not met for {failing} of 20 records."
    code, lines, _ = run(*given, 0)
    assert (code, lines[-1]) == (0, "The requirement is met for every record.")


def test_audit_prints_every_record_as_json(run, original, masked):
    _, lines, errors = run("audit", original, masked[0], "--key", masked[1], "--json")
    records = json.loads("\n".join(lines))
    assert sorted(line["record"] for line in records) == list(range(1, 21))
    assert errors.startswith("20 records, 3 attributes.")


def test_mask_and_audit_write_what_the_strongest_attack_finds_into_the_release(
    run, original, masked, tmp_path
):
    folder, key = tmp_path / "told", tmp_path / "told.key"
    code, lines, _ = run(
        "mask",
        "noise",
        original,
        "--set",
        "scale=0.5",
        "--out",
        folder,
        "--key",
        key,
        "--links",
        "--seed",
        1,
    )
    release = vk.open_release(folder)
    assert code == 0
    assert 0 <= release.reported_links <= 20
    assert 1 < release.reported_luck < 3, "the best of several attacks has more luck than one"
    assert lines[-1] == (
        f"It reports that the strongest attack links {release.reported_links} of 20 people "
        f"rightly; luck gives about {release.reported_luck:.1f}."
    )
    out = tmp_path / "again"
    code, lines, _ = run("audit", original, masked[0], "--key", masked[1], "--out", out)
    assert (code, lines[-1][:12]) == (0, "Written to '")
    assert vk.open_release(out).frame.equals(vk.open_release(masked[0]).frame)
    assert vk.open_release(out).reported_luck > 1
    assert vk.open_release(masked[0]).reported_links is None


def test_audit_writes_a_document_for_everybody_and_one_for_its_owner_alone(
    run, original, masked, tmp_path
):
    given = ("audit", original, masked[0], "--key", masked[1])
    public, own = tmp_path / "audit.html", tmp_path / "own.json"
    code, _, errors = run(*given, "--report", public)
    assert (code, errors) == (0, "")
    assert "this page holds no value" in public.read_text(encoding="utf-8")
    run(*given, "--report", own, "--internal")
    assert len(json.loads(own.read_text(encoding="utf-8"))["candidates"]) == 20
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    code, _, errors = run(*given, "--report", public)
    assert (code, "choose another name, or replace it with --force" in errors) == (2, True)
    assert run(*given, "--report", public, "--force")[0] == 0


def test_audit_refuses_a_document_that_it_cannot_write(run, original, masked):
    given = ("audit", original, masked[0], "--key", masked[1])
    code, lines, errors = run(*given, "--report", "audit.pdf")
    assert (code, lines) == (2, [])
    assert "expected a name that ends in .html, .htm or .json." in errors
    code, lines, errors = run(*given, "--internal")
    assert (code, lines) == (2, [])
    assert "--internal says what --report FILE holds; give both." in errors


def test_audit_refuses_a_file_that_is_no_key(run, original, masked):
    code, _, errors = run("audit", original, masked[0], "--key", original)
    assert code == 2
    assert "is not a key; expected the file that Key.save wrote" in errors


def test_data_lists_describes_and_exports_without_overwriting(run, tmp_path):
    _, lines, _ = run("data", "list")
    first = next(line for line in lines if line.startswith("dm_table1 "))
    assert first.endswith("Running example: the original records")
    _, lines, _ = run("data", "describe", "dm_table1")
    assert lines[0] == "Running example: the original records ([DM] Table 1)"
    assert "  X1: quasi, numeric" in "\n".join(lines)
    code, _, _ = run("data", "export", "dm_table1", "--out", tmp_path)
    assert code == 0
    assert len(vk.read(tmp_path / "dm_table1.csv")) == 20
    code, _, errors = run("data", "export", "dm_table1", "--out", tmp_path)
    assert (code, "exists already" in errors) == (2, True)


@pytest.mark.parametrize("name", ["lhcc_table3", "lhcc_table2", "ks_table3_generalized"])
def test_data_describes_and_exports_a_release_under_the_name_it_is_opened_by(run, tmp_path, name):
    code, lines, _ = run("data", "describe", name)
    assert code == 0
    assert any(line.endswith("records; columns:") for line in lines)
    assert run("data", "export", name, "--out", tmp_path)[0] == 0
    assert {path.name.partition(".")[2] for path in tmp_path.iterdir()} == {"csv", "toml"}


def test_an_exported_description_serves_as_a_schema(run, tmp_path):
    run("data", "export", "dm_table1", "--out", tmp_path)
    code, _, _ = run(
        "mask", "noise", tmp_path / "dm_table1.csv", "--schema", tmp_path / "dm_table1.toml",
        "--set", "scale=0.5", "--out", tmp_path / "o", "--key", tmp_path / "k",
    )  # fmt: skip
    assert code == 0


def test_a_printed_release_is_exported_as_a_folder(run, tmp_path):
    run("data", "export", "dm_table1_masked", "--release", "--out", tmp_path)
    assert vk.open_release(tmp_path / "dm_table1_masked").method == "noise"
    code, _, errors = run("data", "export", "dm_table1", "--release", "--out", tmp_path)
    assert (code, "'dm_table1' is no release" in errors) == (2, True)


def test_an_unknown_table_is_named(run):
    code, _, errors = run("data", "describe", "dm_table9")
    assert (code, "There is no table 'dm_table9'" in errors) == (2, True)


def test_help_and_version_end_well(capsys):
    for option in ("--help", "--version"):
        with pytest.raises(SystemExit, match="0"):
            main([option])
    assert "verikit 0." in capsys.readouterr().out


def test_what_is_known_of_the_tables_is_printed_as_json_too(run, tmp_path):
    code, lines, _ = run("data", "list", "--json")
    listed = json.loads("\n".join(lines))
    assert code == 0
    assert [line["name"] for line in listed] == list(vk.datasets.available())
    _, lines, _ = run("data", "describe", "dm_table1", "--json")
    told = json.loads("\n".join(lines))
    assert (told["records"], [column["name"] for column in told["columns"]]) == (
        20,
        ["X1", "X2", "X3"],
    )
    _, lines, _ = run("data", "export", "dm_table1", "--out", tmp_path / "new", "--json")
    written = json.loads("\n".join(lines))["written"]
    assert [Path(path).is_file() for path in written] == [True, True]


def test_every_command_that_gives_a_result_gives_it_as_json(capsys):
    servers = {"app", "bench", "lab"}
    commands = make_parser()._subparsers._group_actions[0].choices
    for name, command in commands.items():
        parts = [command]
        if name in {"data", "game", "teach"}:
            parts = list(command._subparsers._group_actions[0].choices.values())
        for part in parts:
            assert ("--json" in part.format_help()) == (name not in servers), name


def test_a_check_refuses_in_the_language_that_was_asked_for(run):
    code, _, wrong = run("check", "dm_table1_masked", "--set", "X1=viel", "--language", "de")
    assert code == 2
    assert wrong == "verikit: Für 'X1' wurde 'viel' angegeben; nötig ist eine Zahl."
    code, _, wrong = run("check", "nowhere.csv", "--set", "X1=3", "--language", "fr")
    assert code == 2
    assert "n’existe pas ; il faut le dossier d’une publication" in wrong


def test_a_check_asks_for_values_in_the_language_that_was_asked_for(capsys, monkeypatch):
    monkeypatch.setattr("getpass.getpass", lambda prompt: "")
    with use_language("it"):
        assert ask_record([vk.published("dm_table1_masked")]) == {}
    assert "Scriva i suoi valori; non si vedono." in capsys.readouterr().err


def test_the_slip_of_a_check_speaks_the_language_that_was_asked_for(run, tmp_path):
    slip = tmp_path / "slip.html"
    _, said, _ = run(
        "check", "dm_table1_masked", *HERS, "--distance", "9", "--language", "de", "--html", slip
    )
    page = slip.read_text(encoding="utf-8")
    assert "Was nun" in page
    assert "What you can do" not in page
    assert said[-1].startswith("Warnung zu dieser Tabelle")
    assert "Your requirement" not in said[-1]


def test_a_warning_is_a_sentence_without_a_line_of_the_program(run, monkeypatch):
    @dataclass
    class Speak(Command):
        """Speak."""

        def execute(self):
            warnings.warn("Of 2 people 1 cannot be sure.", stacklevel=1)
            return 0

    monkeypatch.setattr("verikit.cli._main.COMMANDS", {"speak": Speak})
    assert run("speak") == (0, [], "verikit: Of 2 people 1 cannot be sure.")


def test_the_words_to_choose_from_stand_where_a_value_is_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr("getpass.getpass", lambda prompt: asked.append(prompt) or "")
    ask_record([vk.published("ks_table4")])
    assert asked[0] == "marital status (Married, Separated, Single): "
