"""``verikit check`` on releases with a target and on graphs."""

import json

import pandas as pd
import pytest

import verikit as vk
from verikit.cli import main

TARGET = vk.targets.balanced([30, 40, 50, 60])


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = main(["check", *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def disguised(tmp_path):
    frame = pd.DataFrame({"town": list("ppqqqq"), "pay": [30, 30, 40, 40, 50, 60]})
    schema = vk.Schema((vk.Column("town", kind="nominal"), vk.Column("pay", "sensitive")))
    made = vk.mask.disguise(vk.Microdata(frame, schema), hierarchy=TARGET, seed=7)
    return made.release.save(tmp_path / "disguised")


@pytest.fixture
def graph(tmp_path):
    made = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    return vk.mask.group_nodes(made, 3, 3, seed=5).release.save(tmp_path / "graph")


def test_a_node_that_is_respected_ends_with_0(run, disguised):
    code, out, _ = run(disguised, "--set", "town=p", "--set", "pay=30", "--node", "[30, 40]")
    assert code == 0
    assert "Your own pay, 30, would be guessed in 25 of 100 cases" in out
    assert out.strip().endswith("Your requirement is met.")


def test_a_guess_that_is_too_sure_ends_with_1(run, disguised):
    code, out, _ = run(disguised, "--set", "town=p", "--ell", "5")
    assert code == 1
    assert "and read as the target says, at most in 1 of 5 required)" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--set", "pay=99", "--set", "town=p"), "'pay' was given as '99', which is no value of"),
        (("--set", "town=p", "--node", "[1, 2]"), "node was given as '[1, 2]'; expected a group"),
        (("--set", "town=p", "--k", "2"), "set one for node"),
    ],
)
def test_what_cannot_be_used_ends_with_2_and_one_sentence(run, disguised, arguments, said):
    code, _, err = run(disguised, *arguments)
    assert code == 2
    assert said in err


def test_a_name_is_checked_against_a_graph(run, graph):
    code, out, err = run(graph, "--set", "Author=a1", "--set", "Paper=p2", "--k", "3", "--json")
    report = json.loads(out)
    assert code == 0, err
    assert report["met"] is True
    assert [line["of 100 at most"] for line in report["tables"]["learned"]][-1] == 100


def test_releases_of_the_same_people_are_put_together(run, tmp_path):
    ages, ills = [20, 30, 40, 50], ["flu", "ulcer", "angina", "gout"]
    frame = pd.DataFrame({"age": ages, "ill": ills})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    groups = map(vk.Partition.of, ([0, 0, 1, 1], [0, 1, 0, 1]))
    made = [vk.mask.anatomize(data, partition=each, seed=1).release for each in groups]
    first, second = (part.save(tmp_path / name) for part, name in zip(made, "ab", strict=True))
    assert run(first, "--set", "age=20")[0] == run(second, "--set", "age=20")[0] == 0
    slip = tmp_path / "slip.html"
    code, out, err = run(first, "--with", second, "--set", "age=20", "--html", slip)
    assert (code, err) == (1, "")
    assert "if you are in each of them: it can only be flu" in out.splitlines()[-1]
    assert "a, b" in slip.read_text(encoding="utf-8")
    report = json.loads(run(first, "--with", second, "--set", "age=20", "--json")[1])
    assert report["state"] == "warning-you"


def test_the_values_of_a_graph_are_asked_for_by_both_names(graph):
    asked = vk.open_release(graph).asked
    assert [column.name for column in asked] == ["Author", "Paper"]
