"""What a step of a view sends: at most 60 KB, however many records it looks at."""

import json
from dataclasses import asdict

import pytest

import verikit as vk
from verikit import widgets

RECORDS = 3_000


def numbers():
    return vk.simulate("dm", RECORDS, seed=1)


def people():
    names = ("Age", "Gender", "Education", "Salary-class")
    return vk.simulate("census", RECORDS, seed=1).only(*names)


def pay():
    frame = numbers().frame
    return vk.Microdata(frame, vk.Schema.guess(frame, X3="sensitive"))


VIEWS = {
    "AttackLab": people,
    "BoundedAnswer": pay,
    "ClassesView": people,
    "GroupsView": people,
    "MondrianView": numbers,
    "PartitionView": pay,
    "PlausibilityView": numbers,
    "QueryBench": people,
    "RandomizeView": people,
    "ReverseMapping": numbers,
    "TargetEditor": people,
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_step_sends_little_however_many_records_there_are(name):
    view = getattr(widgets, name)(VIEWS[name]())
    assert view.last_error is None
    screen = [*(asdict(part) for part in view.parts()), asdict(view.card())]
    assert len(json.dumps(screen, default=str)) <= 60_000
