"""The game: dealt from a seed, scored by verikit's functions, stopped by nobody's broken file."""

import json
import re
import textwrap

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import FormatError, RecordError
from verikit.cli import main
from verikit.game import Game, new, score
from verikit.protector import correct_links

BROKEN = {
    "subject.json": b'{"objects": tr',
    "answers.json": b"[1, 2, 3]",
    "claims.csv": b"person,row,stake\n1,1,500\n",
    "key.json": b"[]",
}


def play(home, game, turn=1, team=1, scale=1.5):
    """One table, played well: everything that the four roles hand in."""
    place, hand = home / f"round-{turn}" / f"team-{team}", game.hand(turn, team)
    masked = vk.mask.noise(hand.original, scale=scale, seed=turn * 10 + team)
    masked.save(place / "release", place / "key.json")
    report = vk.check(hand.original.record(hand.person), masked.release)
    told = {"objects": False, "distance": int(report.figures[0].value.split()[0])}
    told["says"] = [one.key for one in report.sentences][:4]
    (place / "subject.json").write_text(json.dumps(told))
    given = [vk.answer(question, masked.release).estimate for question in hand.questions]
    (place / "answers.json").write_text(json.dumps(given))
    rows = [(person + 1, int(masked.key.rows[person]) + 1, 2) for person in range(5)]
    claims = pd.DataFrame([*rows, (6, int(masked.key.rows[7]) + 1, 3)])
    claims.to_csv(place / "claims.csv", index=False, header=["person", "row", "stake"])
    return place


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    home = tmp_path_factory.mktemp("game") / "shared"
    game = new(home, teams=4, seed=7, rounds=1)
    for team in range(1, 5):
        play(home, game, team=team, scale=[0.2, 1.5, 3, 8][team - 1])
    return home, game


def points(found):
    return {(one.table, one.role): one for one in found}


@pytest.mark.parametrize("teams", [2, 3, 4, 5, 6])
def test_each_team_has_every_role_in_each_round_and_none_but_protector_at_its_own_table(teams):
    game = Game(teams=teams)
    for turn in range(1, 7):
        dealt = [game.roles(turn, team) for team in range(1, teams + 1)]
        for role in ("protector", "subject", "analyst", "intruder"):
            assert sorted(roles[role] for roles in dealt) == list(range(1, teams + 1))
        for team, roles in enumerate(dealt, start=1):
            assert roles["protector"] == team
            assert team not in list(roles.values())[1:]
            assert teams < 4 or len(set(roles.values())) == 4


def test_roles_rotate_from_round_to_round():
    game = Game(teams=5)
    assert {game.roles(turn, 1)["intruder"] for turn in range(1, 5)} == {2, 3, 4, 5}


def test_the_same_seed_deals_the_same_game_and_no_truth_or_key_is_dealt(tmp_path):
    for name in ("one", "two"):
        new(tmp_path / name, teams=2, seed=3, rounds=1, people=20)
    files = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*.*"))
    assert [(tmp_path / "one" / f).read_bytes() for f in files] == [
        (tmp_path / "two" / f).read_bytes() for f in files
    ]
    names = {path.name for path in files}
    assert names == {"RULES.md", "brief.json", "game.json", "original.csv", "person.json",
                     "questions.sql"}  # fmt: skip


def test_questions_have_true_answers_of_a_few_people_at_least():
    hand = Game(teams=2, seed=1).hand(1, 1)
    frame = hand.original.frame
    assert len(hand.questions) == len(hand.truths) == 10
    for text, truth in zip(hand.questions, hand.truths, strict=True):
        where = text.split(" where ")[1]
        first, rest = where.split(" between ")
        low, high, second = rest.split(" and ", maxsplit=2)
        name, bound = second.split(" > ")
        inside = frame[first].between(float(low), float(high)) & (frame[name] > float(bound))
        assert truth == inside.sum() >= 3


def test_more_noise_keeps_less_and_hides_more_and_somewhere_between_pays_best(played):
    home, _ = played
    found = points(score(home))
    protector = [found[team, "protector"].points for team in (1, 2, 3, 4)]
    assert protector[0] < protector[1] > protector[3]
    assert not any(one.problem for one in found.values())


def test_points_are_those_that_the_rules_say(played):
    home, game = played
    found = points(score(home))
    assert found[2, "subject"].points == 20 + 4 * 5
    assert found[2, "intruder"].points == 5 * 2 - 3
    assert found[2, "intruder"].said == "5 of 6 claims right; luck gives 0.1"
    hand = game.hand(1, 2)
    given = json.loads((home / "round-1" / "team-2" / "answers.json").read_text())
    near = [max(0, 1 - abs(g - t) / t) for g, t in zip(given, hand.truths, strict=True)]
    assert found[2, "analyst"].points == round(10 * sum(near), 1)
    data, release = hand.original, vk.open_release(home / "round-1" / "team-2" / "release")
    key = vk.Key.open(home / "round-1" / "team-2" / "key.json")
    told = correct_links(vk.link(data, release, attack="strongest"), key)
    rows = release.frame.iloc[key.rows]
    kept = np.mean([data.frame[c].rank().corr(rows[c].reset_index(drop=True).rank()) for c in data.frame])  # noqa: E501 # fmt: skip
    by_hand = 100 * kept - 3 * max(0, told.count - told.luck)
    assert found[2, "protector"].points == pytest.approx(by_hand, abs=0.06)


def test_the_same_folder_gives_the_same_score_and_the_same_board(played):
    home, _ = played
    first, board = score(home), (home / "board.html").read_bytes()
    assert score(home) == first
    assert (home / "board.html").read_bytes() == board
    assert len(pd.read_csv(home / "scores.csv")) == 4 * 4


def test_a_false_key_hides_nobody_from_the_score(tmp_path):
    game = new(tmp_path / "g", teams=2, seed=1, rounds=1)
    place = play(tmp_path / "g", game, scale=0.5)
    false = np.random.default_rng(0).permutation(60).tolist()
    (place / "key.json").write_text(json.dumps({"places": {"": false}, "seed": None}))
    assert points(score(tmp_path / "g"))[1, "protector"].points < 25


def test_sentences_that_do_not_follow_cost_and_an_objection_pays_if_she_is_found(tmp_path):
    game = new(tmp_path / "g", teams=2, seed=1, rounds=1)
    place = play(tmp_path / "g", game, scale=0.01)
    told = {"objects": True, "distance": 0, "says": ["I am safe", "S99"]}
    (place / "subject.json").write_text(json.dumps(told))
    found = points(score(tmp_path / "g"))[1, "subject"]
    assert found.points == 20 - 2 * 10 + 10
    assert found.said.endswith("she is found")


@pytest.mark.parametrize("name", [*BROKEN, *(f"no {name}" for name in BROKEN), "no release"])
def test_what_is_broken_or_missing_is_named_and_stops_nobody_else(name, tmp_path):
    game = new(tmp_path / "g", teams=2, seed=1, rounds=1)
    place = play(tmp_path / "g", game)
    play(tmp_path / "g", game, team=2)
    whole = points(score(tmp_path / "g"))
    kind = name.removeprefix("no ")
    target = place / kind
    if target.is_dir():
        target.rename(place / "hidden")
    elif name.startswith("no "):
        target.unlink()
    else:
        target.write_bytes(BROKEN[name])
    found = points(score(tmp_path / "g"))
    roles = {"subject.json": "subject", "answers.json": "analyst", "claims.csv": "intruder"}
    hurt = {(1, roles[kind])} if kind in roles else {pair for pair in found if pair[0] == 1}
    for pair, one in found.items():
        assert bool(one.problem) == (pair in hurt), pair
        assert one == whole[pair] if pair not in hurt else one.points == 0
    board = (tmp_path / "g" / "board.html").read_text()
    assert "table of team 1" in board
    assert kind in board or kind == "key.json"


def test_hostile_files_are_problems_too(tmp_path):
    game = new(tmp_path / "g", teams=2, seed=1, rounds=1)
    place = play(tmp_path / "g", game)
    (place / "answers.json").write_text("[" * 100_000)
    (place / "subject.json").write_text('{"says": {"a": [1]}, "distance": "<script>"}')
    (place / "claims.csv").write_text("person,row,stake\n" + "1,1,1\n" * 21)
    found = points(score(tmp_path / "g"))
    assert "answers.json cannot be read" in found[1, "analyst"].problem
    assert "at most 20 lines" in found[1, "intruder"].problem
    assert found[1, "subject"].points == -10
    assert "<script" not in (tmp_path / "g" / "board.html").read_text()


def test_an_empty_game_scores_nothing_and_names_everything(tmp_path, capsys):
    folder = str(tmp_path / "g")
    assert main(["game", "new", folder, "--teams", "3", "--rounds", "1", "--seed", "4"]) == 0
    assert "begin with RULES.md" in capsys.readouterr().out
    assert main(["game", "score", folder]) == 1
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 3 * 4 + 1
    assert said[0].endswith("nothing to score: There is no release in the folder.")
    assert main(["game", "score", folder, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert len(told) == 3 * 4
    assert {"role", "team", "points", "problem"} <= set(told[0])


def test_the_commands_of_the_rules_do_what_they_say(tmp_path, monkeypatch, capsys):
    new(tmp_path / "g", teams=2, seed=1, rounds=1)
    monkeypatch.chdir(tmp_path / "g" / "round-1" / "team-1")
    rules = (tmp_path / "g" / "RULES.md").read_text(encoding="utf-8")
    (mask,) = re.findall(r"^ +verikit (mask .+)$", rules, re.MULTILINE)
    (check,) = re.findall(r"`verikit (check [^`]+)`", rules)
    assert main(mask.split()) == 0
    assert main(check.split()) in (0, 1)
    assert "places" in capsys.readouterr().out
    assert main([*check.split(), "--json"]) in (0, 1)
    keys = {line["key"] for line in json.loads(capsys.readouterr().out)["sentences"]}
    assert "S1" in keys
    analyst, intruder = re.findall(
        r"(?:^ {7}\S.*\n)+", rules.partition("**Analyst**")[2], re.MULTILINE
    )
    exec(textwrap.dedent(analyst), {})
    assert len(json.loads(capsys.readouterr().out)) == 10
    exec(textwrap.dedent(intruder), {})
    assert {"record", "row"} <= set(capsys.readouterr().out.split())
    (tmp_path / "my-key.json").rename("key.json")
    assert not points(score(tmp_path / "g"))[1, "protector"].problem


def test_wrong_requests_get_a_sentence(tmp_path):
    with pytest.raises(RecordError, match="teams was given as 1"):
        new(tmp_path / "g", teams=1, seed=1)
    with pytest.raises(FormatError, match="holds no game"):
        score(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    with pytest.raises(FormatError, match="exists already"):
        new(tmp_path / "full", teams=2, seed=1)


def test_the_original_under_a_false_key_earns_its_protector_nothing(tmp_path):
    game = new(tmp_path / "g", teams=2, seed=1, rounds=1)
    place = play(tmp_path / "g", game)
    original = game.hand(1, 1).original.frame
    original.to_csv(place / "release.csv", index=False)
    for path in sorted((place / "release").rglob("*"), reverse=True):
        path.unlink()
    (place / "release").rmdir()
    order = original.rank().mean(axis=1).to_numpy().argsort(kind="stable")
    neighbour = np.empty(60, int)
    neighbour[order] = np.roll(order, 1)
    (place / "key.json").write_text(json.dumps({"places": {"": neighbour.tolist()}, "seed": None}))
    assert points(score(tmp_path / "g"))[1, "protector"].points < -50
