"""Answers that are functions run in a process of their own, and cost nobody anything else."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from verikit.exercises import EXERCISES, _run, check, draw, judge, start

PUBLISH = EXERCISES["in-08"]
ENOUGH = "return vk.mask.noise(data, scale=4, seed=seed)"


@cache
def hers():
    """What Ada publishes."""
    return draw(PUBLISH, "ada")


def judged(line):
    return judge(PUBLISH, hers(), {"publish": f"def publish(data, seed):\n    {line}"})


def publish(data, seed):
    return vk.mask.noise(data, scale=4, seed=seed)  # noqa: F821 given to every answer


def test_a_function_of_a_cell_is_run_and_its_lines_are_stored():
    start("in-08", student="ada")
    found = check("in-08", publish)
    assert found.points == 5
    assert found.stored["answer"]["publish"].startswith("def publish(data, seed):\n")
    assert check("in-08", len).sentence.endswith("that a cell of this notebook defines.")
    assert check("in-08", {}).sentence == "Still open: publish."


def test_a_table_in_the_order_of_the_people_is_taken_too():
    assert judged("return (v := vk.mask.noise(data, scale=4, seed=seed)).release.frame.iloc[v.key.rows]").points == 5  # noqa: E501 # fmt: skip


def test_the_original_in_another_order_is_no_protection():
    assert judged("return data.frame.sample(frac=1, random_state=seed)").mistake == "exchanged"


NEIGHBOURS = """def publish(data, seed):
    from scipy.optimize import linear_sum_assignment
    frame = data.frame if hasattr(data, "frame") else data
    n, rng = len(frame), np.random.default_rng(seed)
    ranks = frame.rank().to_numpy()
    far = np.abs(ranks[:, None] - ranks[None]).max(2) + 1000 * np.eye(n) + rng.random((n, n)) * 8
    return frame.iloc[linear_sum_assignment(far)[1]].reset_index(drop=True)
"""


def test_whole_records_exchanged_between_neighbours_are_no_protection():
    found = judge(PUBLISH, hers(), {"publish": NEIGHBOURS})
    assert (found.points, found.mistake) == (0, "exchanged")


def test_values_a_place_away_from_whole_exchanged_records_are_no_protection():
    nearly = "made = frame.iloc[linear_sum_assignment(far)[1]].reset_index(drop=True)\n    "
    nearly += "return made.apply(lambda column: column + 0.01 * rng.random(n))"
    source = NEIGHBOURS.replace(
        "return frame.iloc[linear_sum_assignment(far)[1]].reset_index(drop=True)", nearly
    )
    assert judge(PUBLISH, hers(), {"publish": source}).mistake == "exchanged"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("while True: pass", "publish took longer than 1 seconds."),
        ("import os; os._exit(0)", "publish did not run: it ended its own process."),
        ("return helper(data)", "publish did not run: NameError in line 2."),
        ("return np.ones(10**10)", "it needs more memory than it is given."),
        ("return 3", "publish gave back something else; expected what a mask returns"),
        ("return data.frame.head(3)", "with a number in each and a row for each of 120 people."),
        ("return data.frame * np.nan", "a row for each of 120 people"),
        ("return (", "publish did not run: SyntaxError in line 2."),
        ("raise SystemExit", "publish did not run: SystemExit"),
        ("import sys; sys.stdout.write('Right.'); return data", "Some seeds give the same release"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said_in_a_sentence_and_earns_nothing(line, said, monkeypatch):
    monkeypatch.setattr(_run, "SECONDS", 1)
    found = judged(line)
    assert found.points == 0
    assert said in found.sentence


def test_a_function_that_sleeps_is_ended(monkeypatch):
    monkeypatch.setattr(_run, "WAIT", 4)
    assert judged("import time; time.sleep(600)").sentence.startswith("publish took longer than")


def test_nothing_of_the_grader_stands_in_the_environment_of_an_answer(monkeypatch):
    monkeypatch.setenv("COURSE_TOKEN", "secret")
    line = f"import os; assert not {{'COURSE_TOKEN', {str(Path.home())!r}}} & {{*os.environ, *os.environ.values()}}"  # noqa: E501 # fmt: skip
    assert judged(f"{line}; {ENOUGH}").points == 5


def test_other_seeds_are_tried_than_those_one_could_see():
    other = {**hers(), "_seeds": [1, 2, 3, 4, 5, 6, 7, 8]}
    lucky = f"if seed in {hers()['_seeds']}:\n        {ENOUGH}\n    return data"
    assert judged(lucky).points == 5
    source = f"def publish(data, seed):\n    {lucky}"
    assert judge(PUBLISH, other, {"publish": source}).mistake == "constant"
    assert not np.isin(other["_seeds"], hers()["_seeds"]).any()
