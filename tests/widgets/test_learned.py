"""LearnedView: the guess about one person grows round by round, and says on what it rests."""

import numpy as np
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.widgets import LearnedView


@pytest.fixture
def she(before):
    return before(LearnedView())


def test_before_the_first_round_the_group_alone_speaks_and_nothing_was_learned(she):
    she.types("rounds", "0")
    assert "By the group alone each of separated and single is right in 50 of 100" in she.card
    assert (she.view.result.chance == she.view.result.by_group).all()
    assert set(she.view.explained.times.to_numpy().ravel()) == {1.0}


def test_each_round_the_old_and_the_young_one_part_a_little_more(she):
    chances = []
    for rounds in range(5):
        she.types("rounds", str(rounds))
        chances.append(she.view.explained.values["learned"]["separated"])
    assert chances == sorted(set(chances))
    assert chances[0] == 0.5 < 0.7 < chances[-1]
    she.types("person", "2")
    assert she.view.explained.values["learned"].idxmax() == "single"


def test_the_card_shows_what_the_library_found_of_that_person(she):
    found = vk.intruder.learned_values(she.view._release)
    row = np.flatnonzero(she.view._release.labels.quasi == 22)[0]
    told = vk.intruder.explain_guess(found, int(row))
    assert told.means in she.card
    assert told.why in she.card
    ages = {line[0]: line[1:] for line in she.rows(0)[1:]}
    assert ages["Age 76 in [62, 92]"] == [f"{x:.2f}" for x in told.times.iloc[:, 0]]


def test_somebody_who_is_not_there_is_refused_at_her_box(she):
    for box, value, most in (("person", "3", 2), ("group", "0", 2500), ("rounds", "9", 8)):
        she.types(box, value)
        assert isinstance(she.view.last_error, RecordError)
        assert f"to {most}." in she.field(box).error
        assert she.view.explained is None
        she.types(box, "1")


def test_of_shuffled_rows_people_are_asked_about_and_no_group_is_chosen(before):
    frame = vk.simulate("census", 200, seed=1).frame[["Age", "Gender", "Marital"]]
    data = vk.Microdata(frame, vk.Schema.guess(frame, Marital="sensitive"))
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    release = vk.mask.permute_all(data, partition=groups, seed=1).release
    she = before(LearnedView(release))
    assert isinstance(she.view.last_error, SchemaError)
    she = before(LearnedView(release, data.take(range(20))))
    assert [field.id for part in she.view.parts() for field in part.fields] == ["rounds", "person"]
    she.types("person", "20")
    assert f"Age {frame['Age'][19]}" in she.card


def test_what_has_no_groups_is_refused():
    with pytest.raises(SchemaError, match="expected tables joined by groups"):
        LearnedView(vk.published("dm_table1_masked"))
