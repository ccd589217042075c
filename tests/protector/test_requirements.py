"""What every class must meet, asked of an audit and of the choice of a method."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.models import Requirement
from verikit.protector import Goal, audit, choose


@pytest.fixture
def people():
    """Forty people of ages in turn; of each four neighbours one is ill."""
    frame = pd.DataFrame({"age": np.arange(40) // 2, "state": ["ill", "well", "well", "fine"] * 10})
    columns = (vk.Column("age"), vk.Column("state", "sensitive", "nominal"))
    return vk.Microdata(frame, vk.Schema(columns))


@pytest.mark.parametrize(("t", "met"), [(0.1, True), (0.0, False)])
def test_an_audit_says_whether_all_classes_meet_what_is_asked_of_them(people, t, met):
    """Eight neighbours are ill, well and fine as two, four and two, as all are; two are not."""
    groups = vk.Partition.of(np.repeat(range(5), 8) if met else np.repeat(range(20), 2))
    masked = vk.mask.anatomize(people, partition=groups, seed=1)
    asked = Requirement("t_closeness", t=t)
    report = audit(people, *masked, requirement=asked, subject_view=False)
    assert report.met is met
    assert f"t-closeness: {0 if met else 0.25}, {t:g} asked for, " in repr(report)
    page = report.html()
    assert f"t-closeness: {0 if met else 0.25}, {t:g} asked for" in page
    assert "the class" not in page.lower()


def test_a_requirement_on_records_and_one_on_classes_must_both_be_met():
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    key, alone = vk.Key.of(range(20)), Requirement("k_anonymity", k=2)
    assert audit(data, release, key, distance=0, subject_view=False).met
    report = audit(data, release, key, distance=0, requirement=alone, subject_view=False)
    assert "The requirement is met for every record." in repr(report)
    assert report.met is False


def test_the_least_ell_is_chosen_whose_groups_are_close_enough(people):
    """Two values of one to two to one are .25 from all, and 38 people make no even groups."""
    goal = Goal(requirement=Requirement("t_closeness", t=0.26))
    found = choose(people, "anatomize", goal, seed=1)
    assert vk.models.t_closeness(found.masked.release, t=0.26).met
    assert "by the group alone" in repr(found)
    strict = Goal(requirement=Requirement("t_closeness", t=0.0001))
    with pytest.raises(vk.InfeasibleError, match="No amount of anatomize"):
        choose(people.take(np.arange(2, 40)), "anatomize", strict, seed=1)


def test_a_goal_without_anything_is_refused():
    with pytest.raises(vk.RecordError, match="links, guessed or a requirement"):
        Goal()
