"""RandomizeView: which cells are drawn anew, what they were, and what becomes of the shares."""

import re

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.widgets import RandomizeView

QUASI = ["Age", "Job", "Country"]


@pytest.fixture
def she(before):
    return before(RandomizeView())


def marks(she):
    """How many cells of each row are shown with an arrow."""
    head, *rows = she.rows()
    assert head == ["row", *QUASI, "Disease"]
    return [sum("→" in cell for cell in row) for row in rows]


@pytest.mark.parametrize("changed", [1, 2, 3])
def test_marked_cells_are_those_that_differ_and_no_more_than_were_drawn(she, changed):
    she.types("changed", str(changed))
    found = marks(she)
    assert len(found) == 10
    assert max(found) <= changed
    drawn, differ, same = map(
        int,
        re.search(
            r"(\d+) values drawn, \d in each row: (\d+) differ from the old ones, (\d+) came out",
            she.card,
        ).groups(),
    )
    assert drawn == 10 * changed == differ + same
    assert differ == sum(found)
    assert f"{sum(n > 0 for n in found)} of 10 rows are not as before." in she.card


def test_an_arrow_leads_from_the_value_of_the_original_to_that_of_the_release(she):
    data = vk.load("yq_figure1").frame
    released = sorted(map(tuple, she.view.result.frame[QUASI].astype(str).to_numpy()))
    old, new = [], []
    for row in she.rows()[1:]:
        ends = [cell.split(" → ") for cell in row[1:4]]
        old.append(tuple(end[0] for end in ends))
        new.append(tuple(end[-1] for end in ends))
    assert old == list(map(tuple, data[QUASI].astype(str).to_numpy()))
    assert sorted(new) == released


def test_everybody_sees_the_published_order_and_no_mark(she):
    she.types("reader", "everybody")
    shown = [tuple(row) for row in she.rows()[1:]]
    assert shown == list(map(tuple, she.view.result.frame.astype(str).to_numpy()))
    assert "→" not in she.card


def test_the_picture_tells_the_shares_of_the_column_asked_for(she):
    she.types("column", "Job")
    (said,) = she.pictures
    now = she.view.result.frame["Job"].astype(str).value_counts(normalize=True)
    assert said.startswith("Shares of job before and after. ")
    assert f"Clerk: 40.0 % before, {100 * now.get('Clerk', 0):.1f} % now" in said


def test_links_are_told_and_what_they_do_not_mean(she):
    key = vk.mask.randomize(vk.load("yq_figure1"), probabilities="equal", seed=1).key
    links = vk.link(vk.load("yq_figure1"), she.view.result, attack="likelihood")
    right = vk.protector.correct_links(links, key).count
    assert f"links {right} of 10 records to their own row alone" in she.card
    assert "A changed row does not make its person safe" in she.card


def test_drawing_again_changes_the_cells_and_the_same_number_brings_them_back(she):
    first = she.html
    she.presses("again")
    assert she.view.seed == 2
    assert she.html != first
    she.types("seed", "1")
    assert she.html == first


def test_chances_in_proportion_to_variety_are_those_of_the_mask(she):
    she.types("chances", "diversity")
    assert she.view.result.parameters["probabilities"] == {
        "Age": 0.36,
        "Job": 0.38,
        "Country": 0.26,
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [("changed", "4"), ("chances", "none"), ("reader", "me"), ("column", "x"), ("seed", "x")],
)
def test_what_cannot_be_asked_is_said_at_its_box(she, field, value):
    she.types(field, value)
    assert isinstance(she.view.last_error, RecordError)
    assert she.field(field).error.removeprefix("The ").startswith(field)
    assert she.view.result is None


def test_a_table_without_quasi_identifiers_is_refused(before):
    she = before(RandomizeView(vk.load("yq_figure1").only("Disease")))
    assert isinstance(she.view.last_error, SchemaError)


def test_of_many_rows_the_first_are_shown_and_numbers_with_fractions_are_compared(before):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"pay": rng.choice([1.5, 2.0, 30.0], 2000), "age": rng.integers(9, 99, 2000)}
    )
    she = before(RandomizeView(vk.Microdata(frame), column="pay"))
    assert "and 1,988 more rows" in she.card
    assert "up to 1,500 records" in she.card
    differ = int(re.search(r": ([\d,]+) differ", she.card)[1].replace(",", ""))
    # half of the draws fall on pay, where one in three gives the old value
    assert differ == pytest.approx(1000 * 2 / 3 + 1000 * 89 / 90, rel=0.05)


def test_texts_from_the_table_are_shown_as_texts(before):
    frame = pd.DataFrame({"<script>": ["<i>", "<img src=x>"] * 3, "ill": list("abcabc")})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    she = before(RandomizeView(data))
    assert she.view.last_error is None
    assert "<script>" not in she.html
    assert "<img" not in she.html
    assert "<i>" not in she.html
