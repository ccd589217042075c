"""Why a guess: what each known value speaks for among the values of a person's group."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.intruder import explain_guess, learned_values


def published(n=400):
    frame = vk.simulate("census", n, seed=1).frame[["Age", "Education", "Gender", "Marital"]]
    data = vk.Microdata(frame, vk.Schema.guess(frame, Marital="sensitive"))
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    return vk.mask.anatomize(data, partition=groups, seed=1).release


def test_after_one_round_a_table_holds_what_the_groups_hold_counted_by_hand():
    release = published()
    found = learned_values(release, rounds=1)
    group = release.sensitive.groupby("Group-ID", observed=True)["Marital"]
    parts = group.value_counts(normalize=True).unstack(fill_value=0.0)
    hers = parts.loc[release.quasi["Group-ID"]].to_numpy()  # each person by the shares of her group
    women = (release.quasi["Gender"] == "02").to_numpy()
    counts, every = hers[women].sum(0), hers.sum(0) / len(hers)
    times = (counts + 20 * every) / ((women.sum() + 20) * every)  # twenty people who say nothing
    assert np.allclose(found.tables["Gender"].loc["02", parts.columns], times, atol=1e-3)
    told = explain_guess(found, int(np.flatnonzero(women)[0]))
    line = dict(zip(parts.columns, times, strict=True))
    hers = [line[name] for name in told.values.index]
    assert np.allclose(told.times["Gender 02"], hers, atol=1e-3)


def test_without_a_round_the_group_alone_speaks_and_rounds_add_up_to_the_whole():
    release = published()
    none, every = learned_values(release, rounds=0), learned_values(release)
    assert none.rounds == 0
    assert (none.chance == none.by_group).all()
    assert all((table == 1).to_numpy().all() for table in none.tables.values())
    again = learned_values(release, rounds=every.rounds)
    assert (again.chance == every.chance).all()
    assert (again.guess == every.guess).all()


def test_chances_of_both_kinds_add_up_to_one_and_no_more_is_borne_out_than_was_learned():
    found = learned_values(published(3000))
    assert found.strength > 0
    for person in range(0, 3000, 300):
        told = explain_guess(found, person)
        values = told.values
        assert np.allclose(values[["by group", "learned"]].sum(), 1)
        assert values["by group"].max() == pytest.approx(found.by_group[person])
        best = values["learned"].idxmax()
        assert best == found.guess[person]
        assert values["by group"][best] <= values["borne out"][best] == found.chance[person]
        assert values["borne out"][best] <= values["learned"][best] + 1e-9
        assert f"the guess is {best};" in told.means
        assert f"guesses {found.others[person]}." in told.why


def test_what_nobody_has_speaks_for_nothing():
    release = published()
    frame = pd.DataFrame({"Age": [40], "Education": [9], "Gender": ["03"]})
    one = vk.Microdata(frame, vk.Schema.guess(frame))
    group = release.quasi["Group-ID"].iloc[:1].tolist()
    told = explain_guess(learned_values(release, one, groups=group), 0)
    assert set(told.times["Gender 03"]) == {1.0}


def test_who_is_not_there_and_what_was_not_learned_are_refused():
    found = learned_values(published(), rounds=1)
    with pytest.raises(
        RecordError, match="person was given as 400; expected a whole number from 0"
    ):
        explain_guess(found, 400)
    with pytest.raises(SchemaError, match="given SplitRelease; expected what"):
        explain_guess(published(), 0)
    with pytest.raises(RecordError, match="rounds was given as -1"):
        learned_values(published(), rounds=-1)
