"""A table drawn from a model, from its CSV on: audited, published, and checked by people."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import verikit as vk
from verikit.cli import main
from verikit.page._app import app_server

MODEL = "drawn from a model"
VALUE = r"\b\d{2,3}\.\d{4,}"  # as the values of these people are written


@pytest.fixture
def office(tmp_path, monkeypatch, capsys):
    """The files of an office: people, others, and what two models drew; and how a command ends."""
    monkeypatch.chdir(tmp_path)
    people, others = (vk.simulate("dm", 300, seed=seed) for seed in (1, 2))
    people.frame.to_csv("people.csv", index=False)
    others.frame.to_csv("others.csv", index=False)
    for model in ("copula", "leaking"):
        drawn = vk.mask.synthesize(people, model=model, rows=500, seed=3)
        drawn.frame.to_csv(f"{model}.csv", index=False)

    def run(*words):
        code = main([*words])
        return code, "".join(capsys.readouterr())

    return run


def read(name):
    return Path(name).read_text(encoding="utf-8")


def given(command, table, *more):
    return (command, "people.csv", table, "--promise", MODEL, "--control", "others.csv", *more)


def test_a_bare_table_is_published_with_a_report_and_a_page_and_checked(office):
    code, said = office(
        *given("publish", "copula.csv", "--out", "out", "--page", "--audit", "a.html")
    )
    assert code == 0, said
    report = vk.audit(
        vk.read("people.csv"), vk.open_release("copula.csv", promise=MODEL),
        control=vk.read("others.csv"),
    )  # fmt: skip
    told, page = json.loads(read("out/report.json")), read("out/report.html")
    assert told["memorized"] == json.loads(report.json())
    assert (told["reported_links"], told["audit"], told["attacked"]) == (None, None, True)
    for words in ("singling out", "linkability", "inference", "luck gives about", "No links were"):
        assert words in page
    assert not re.search(VALUE, page)
    assert re.search(VALUE, read("out/check.html")) is None  # packed
    assert vk.open_release("out").from_model
    lines = vk.read("people.csv").frame.iloc[0]
    record = [part for name, value in lines.items() for part in ("--set", f"{name}={value}")]
    assert f"records were {MODEL}" in office("check", "out", *record)[1]


def test_a_table_that_memorized_people_is_not_published(office):
    code, said = office(*given("publish", "leaking.csv", "--out", "out"))
    assert (code, "nothing was published" in said) == (1, True)
    assert re.search(r"At least \d+ people were memorized", said)
    assert not Path("out").exists()


def test_a_report_for_everybody_does_not_tell_whom_or_how_many_a_model_memorized(office):
    """Whoever knows that most of those whom he finds were memorized knows who was."""
    for name in ("open", "own"):
        more = ["--internal"] if name == "own" else []
        for end in ("json", "html"):
            asked = given("audit", "leaking.csv", "--report", f"{name}.{end}", *more)
            assert office(*asked)[0] == 1
    everybody, own = (json.loads(read(f"{name}.json")) for name in ("open", "own"))
    assert everybody["memorized"] is own["memorized"] is True
    assert {*own} - {*everybody} == {"found", "least", "luck", "false_alarms", "chance", "records"}
    assert len(own["records"]) == own["found"] > 2 * own["luck"]
    assert "how many is not told" in read("open.html")
    numbers = ", ".join(map(str, own["records"][:-1]))
    assert [numbers in read(f"{name}.html") for name in ("open", "own")] == [False, True]


def test_the_record_numbers_told_internally_are_those_of_the_original_table():
    """Five rows are people themselves, whose lines are known."""
    people, others = (vk.simulate("dm", 200, seed=seed) for seed in (1, 2))
    copied = np.array([3, 50, 77, 120, 199])
    rest = vk.simulate("dm", 300, seed=4).frame
    frame = np.vstack([rest.to_numpy(), people.frame.to_numpy()[copied]])
    release = vk.TableRelease.of(type(rest)(frame, columns=rest.columns), promise=MODEL)
    found = vk.audit(people, release, control=others).list_facts(internal=True)
    assert {*(copied + 1)} <= {*found["records"]}


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ("publish people.csv copula.csv --out o", "--key FILE is missing"),
        ("publish people.csv copula.csv --promise MODEL --out o", "--control FILE is missing"),
        ("publish people.csv copula.csv --promise MODEL --out o --no-links", "out --no-links"),
        ("publish people.csv copula.csv --promise MODEL --out o --distance 3", "a requirement"),
        ("publish people.csv copula.csv --promise MODEL --out o --key k", "no row is anybody's"),
        ("audit people.csv copula.csv --promise MODEL --out o", "verikit publish writes what"),
        ("choose synthesize people.csv --links 1", "a model, which has no amount"),
        ("mask synthesize people.csv --out o --key k", "verikit.mask.synthesize"),
        ("app copula.csv --promise synthetic", "given as 'synthetic'; expected one of"),
    ],
)
def test_what_makes_no_sense_of_such_a_table_is_refused_with_the_reason(office, words, refused):
    code, said = office(*(MODEL if word == "MODEL" else word for word in words.split()))
    assert code == 2, said
    assert refused in said


def test_page_and_app_take_the_promise_of_a_bare_table(office):
    assert office("page", "copula.csv", "with.html", "--promise", MODEL)[0] == 0
    assert office("page", "copula.csv", "without.html")[0] == 0
    told = [f'"fromModel":{said}' in read(f"{n}.html") for n, said in
            (("with", "true"), ("without", "false"))]  # fmt: skip
    assert told == [True, True]
    assert app_server("copula.csv", promise=MODEL).environment["VERIKIT_PROMISE"] == MODEL
