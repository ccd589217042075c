"""An audit of more records than all attacks are run for still counts who can be linked."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import _audit, _exposure


@pytest.fixture
def barely_masked():
    data = vk.Microdata(
        pd.DataFrame(np.random.default_rng(1).normal(size=(600, 3)), columns=list("abc"))
    )
    return data, *vk.mask.noise(data, scale=0.01, seed=2)


def test_the_right_links_of_the_strongest_attack_are_counted_without_the_sets_of_columns(
    barely_masked, monkeypatch
):
    whole = vk.audit(*barely_masked).exposure
    monkeypatch.setattr(_audit, "MAX_COMPARED", 500)
    found = vk.audit(*barely_masked)
    assert found.exposure.found.count == whole.found.count > 500
    assert f"links {whole.found.count} of 600 people rightly" in repr(found)
    assert "protector.exposure does" in repr(found)
    assert "Most is given away" not in repr(found)
    assert found.json(internal=True)
    assert found.html()


def test_among_very_many_records_links_by_ranks_are_counted_and_the_words_say_so(
    barely_masked, monkeypatch
):
    monkeypatch.setattr(_audit, "MAX_COMPARED", 500)
    monkeypatch.setattr(_exposure, "MAX_STRONGEST", 500)
    found = vk.audit(*barely_masked)
    by_ranks = vk.protector.correct_links(vk.link(*barely_masked[:2]), barely_masked[2])
    assert found.exposure.found.count == by_ranks.count > 500
    assert f"The attack by ranks links {by_ranks.count} of 600 people rightly" in repr(found)
    assert "stronger ones may link more" in repr(found)


def test_nothing_is_counted_where_the_view_of_others_is_not_asked_for(barely_masked):
    assert vk.audit(*barely_masked, subject_view=False).exposure is None
