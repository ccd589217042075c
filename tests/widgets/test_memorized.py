"""MemorizedView: more and more people repeated, beside the scores by nearest records."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError
from verikit.widgets import MemorizedView


@pytest.fixture
def she(before):
    return before(MemorizedView())


def test_the_more_people_are_repeated_the_more_are_memorized_at_least(she):
    least = []
    for leaked in (0, 10, 30, 60):
        she.types("leaked", str(leaked))
        least.append(she.view.result.least)
        assert she.view.result.least <= leaked, "no more are proved than there are"
        assert f"repeated in truth: {leaked};" in she.pictures[0]
    assert least == sorted(least)
    assert (least[0], least[-1] > 40) == (0, True)


def test_the_scores_pass_where_people_are_memorized_and_the_card_says_so(she):
    assert she.view.result.least > 0
    assert she.view.result.nearest.passed
    assert f"At least {she.view.result.least} people were memorized" in she.card
    assert "By nearest records (DCR) the table passes" in she.card
    assert "miss who was memorized" in she.card
    she.types("model", "trees")
    assert "the table fails" in she.card


def test_those_repeated_are_among_those_found(before):
    """Two columns of numbers: a person who is repeated lies at no distance from the table."""
    rng = np.random.default_rng(3)
    people, others = (
        vk.Microdata(pd.DataFrame(rng.normal(size=(150, 2)), columns=["x", "y"])) for _ in range(2)
    )
    she = before(MemorizedView(people, others, leaked=12))
    assert len({*range(12)} & {*she.view.result.records.tolist()}) >= 10
    assert she.view.result.others == 150


def test_more_people_than_there_are_and_another_model_are_refused(she):
    she.types("leaked", "61")
    assert isinstance(she.view.last_error, RecordError)
    assert "from 0 to 60" in she.field("leaked").error
    she.types("leaked", "5")
    she.types("model", "leaking")
    assert "one of margins, copula, trees" in she.field("model").error
    assert she.view.result is None
