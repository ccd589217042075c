"""A table that was drawn from a model: who was repeated is warned, and a label is no group."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.cli import main

MODEL = "drawn from a model"


def people(n, seed):
    """People whose income follows their age, of four trades."""
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 12, n)
    frame = {"age": age, "pay": 900 * age + rng.normal(0, 8_000, n), "debt": rng.gamma(2, 900, n)}
    return pd.DataFrame(frame | {"trade": rng.choice(["farm", "law", "care", "art"], n)})


def test_people_whom_a_model_repeated_are_warned_and_strangers_are_not():
    """The model draws people as they are, and repeats 80 of those it learned from, a little off."""
    learned, strangers = people(400, 1), people(80, 2)
    repeated = learned[:80].assign(age=learned.age[:80] + 0.001, debt=learned.debt[:80] + 0.01)
    drawn = pd.concat([people(2_000, 3), repeated], ignore_index=True)
    release = vk.TableRelease.of(drawn, promise=MODEL).prepare()

    def count_warned(table):
        return sum(vk.check(dict(row), release).warned for _, row in table.iterrows())

    assert count_warned(learned[:80]) >= 76
    assert count_warned(learned[80:160]) <= 3
    assert count_warned(strangers) <= 3


def test_a_record_that_was_repeated_several_times_is_not_said_to_be_hers_at_most_once():
    frame = pd.DataFrame({"a": [1.0, 1, 1, 5, 9], "b": [2.0, 2, 2, 7, 4]})
    report = vk.check({"a": 1, "b": 2}, vk.TableRelease.of(frame, promise=MODEL))
    assert "even several times" in report.sentence("S3")
    assert "at most one" not in str(report)


def test_a_label_that_looks_like_a_range_is_what_the_model_drew():
    """Of a generalized table it would be said that her value lies in it."""
    frame = pd.DataFrame({"age": ["20-29", "30-39", "40-49"] * 4, "pay": range(12)})
    release = vk.TableRelease.of(frame, promise=MODEL)
    assert not release.generalized
    report = vk.check({"age": "20-29", "pay": 3}, release)
    assert report.sentence("S13").startswith("1 published record shows exactly your values")
    assert release.notes == ()


def test_of_the_number_of_people_nothing_is_certain_as_a_model_draws_as_many_rows_as_wanted():
    release = vk.TableRelease.of(pd.DataFrame({"age": [20, 30, 40]}), promise=MODEL)
    answer = vk.answer("select count(*) from t where age > 25", release)
    assert (answer.lower, answer.estimate, answer.upper) == (0, 2, np.inf)
    assert "drawn from a model" in repr(answer)


def test_a_bare_table_is_opened_with_the_promise_that_its_publisher_told(tmp_path, capsys):
    path = tmp_path / "synthetic.csv"
    people(60, 4).to_csv(path, index=False)
    assert vk.open_release(path, promise=MODEL).from_model
    record = ["--set", "age=40", "--set", "pay=30000", "--promise", MODEL]
    main(["check", str(path), *record])
    assert "drawn from a model" in capsys.readouterr().out
    with pytest.raises(vk.SchemaError, match="promise of a release was given as 'synthetic'"):
        vk.open_release(path, promise="synthetic")


def test_a_folder_tells_its_promise_itself(tmp_path):
    folder = vk.TableRelease.of(people(9, 1), promise=MODEL).save(tmp_path / "r")
    assert vk.open_release(folder).from_model
    with pytest.raises(vk.SchemaError, match=r"given as 'changed', but .* is described"):
        vk.open_release(folder, promise="changed")


def test_who_gives_all_her_values_can_lose_that_a_model_learned_from_her():
    """She is no row of the table, so that nobody learns that she is in it."""
    release = vk.TableRelease.of(people(60, 4), promise=MODEL)
    whole = vk.check(release.frame.iloc[0].to_dict(), release)
    assert "What somebody could learn of you: that a model learned from you." in whole.to_html()
    assert vk.check({"age": 40, "pay": 30_000, "debt": 90}, release).facts["harm"] == ["trade"]
