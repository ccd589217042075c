"""A number that nothing could come to an end with is refused at once, in a sentence."""

import pytest

import verikit as vk
from verikit import game
from verikit.cli import main
from verikit.errors import RecordError
from verikit.game import Game


def test_a_game_has_as_many_teams_rounds_and_people_as_can_be_dealt(tmp_path, capsys):
    for facts, bounds in (
        ({"teams": 2**63}, "teams was given as .*from 2 to 1000"),
        ({"teams": 2, "rounds": 10**9}, "rounds was given as .*from 1 to 100"),
        ({"teams": 2, "people": 10**9}, "people was given as .*from 20 to 100000"),
    ):
        with pytest.raises(RecordError, match=bounds):
            Game(**facts)
        with pytest.raises(RecordError, match=bounds):
            game.new(tmp_path / "game", seed=1, **facts)
    given = ["game", "new", str(tmp_path / "game"), "--teams", "1000000000"]
    assert main(given) == 2
    assert "expected a whole number from 2 to 1000" in capsys.readouterr().err
    assert not (tmp_path / "game").exists()


def test_a_method_is_repeated_as_often_as_can_be_waited_for():
    release = vk.published("dm_table1_masked")
    record = {"X1": 100.87, "X2": 902.21}
    for runs in (10**400, 10**5 + 1):
        with pytest.raises(RecordError, match=r"runs was given as .*from 0 to 100000"):
            vk.check(record, release, runs=runs)


@pytest.mark.parametrize("name", ["dm", "census"])
def test_a_table_that_is_made_up_fits_into_memory(name):
    with pytest.raises(RecordError, match=r"n was given as 1000000000; expected .* to 100000000"):
        vk.simulate(name, 10**9, seed=1)
