"""One asterisk in a column of notes, or a footnote mark in a grade, must not silence a warning."""

import pandas as pd
import pytest

import verikit as vk

PEOPLE = range(0, 200, 4)


@pytest.fixture(scope="module")
def masked():
    data = vk.simulate("dm", 1000, seed=1)
    return data, vk.mask.noise(data, scale=0.02, seed=2).release


def tags(data, frame):
    release = vk.TableRelease.of(frame).prepare()
    return [vk.check(data.record(place), release).headline.tag for place in PEOPLE]


@pytest.mark.parametrize("cells", [["see *"], ["A*"], ["12*", "**"], ["<img>", "*"]])
def test_a_star_in_a_text_that_nobody_compares_leaves_every_warning_as_it_was(masked, cells):
    data, release = masked
    plain = tags(data, release.frame.assign(note="x"))
    starred = [*cells, *["x"] * (len(release) - len(cells))]
    assert tags(data, release.frame.assign(note=starred)) == plain
    assert plain.count("Warning about you") > len(PEOPLE) / 2


def test_a_table_of_stars_alone_says_nothing_and_says_so():
    frame = pd.DataFrame({"age": ["*"] * 5, "zip": ["*"] * 5})
    report = vk.check({"age": 30, "zip": "13053"}, vk.TableRelease.of(frame))
    assert report.headline.state in ("cannot-tell", "no-warning")
    assert report.sentence("S7") is not None
