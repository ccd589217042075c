"""WorldsView: originals as cards, and what one learns crosses some of them out."""

import verikit as vk
from verikit.errors import InfeasibleError, RecordError
from verikit.widgets import WorldsView


def test_what_one_learns_crosses_out_originals_and_moves_the_chances(before):
    she = before(WorldsView())
    assert "The answer is from 0 to 2, 1.1 on average." in she.card
    assert "contradicted" not in she.card
    she.types("learned", "disease = 'Flu'")
    she.types("row", "1")
    assert "576 of 2,880 originals left" in she.card
    assert "The answer is from 0 to 1, 0.5 on average." in she.card
    assert she.card.count("✗ contradicted: original") == 5
    assert she.card.count("✓ original") == 1
    everything = vk.worlds(vk.published("lhcc_table3"))
    left = everything.given({"Disease": "Flu"}, row=0)
    assert she.view.result == left.answer(she.view.question)


def test_what_no_original_agrees_with_is_said_at_its_box(before):
    she = before(WorldsView())
    for box, value, error in (
        ("learned", "disease = 'Flu' and age = 10 and sex = 'F'", InfeasibleError),
        ("question", "how many?", RecordError),
        ("row", "12", RecordError),
    ):
        she.types("learned", "disease = 'Flu'")
        she.types(box, value)
        assert isinstance(she.view.last_error, error)
        assert she.view.result is None
        she.types(box, {"question": "select count(*) from t"}.get(box, ""))
        assert she.view.last_error is None


def test_an_average_of_nobody_is_no_answer(before):
    release = vk.published("lhcc_table3")
    she = before(WorldsView(release, question="select avg(age) from t where age > 100"))
    assert "There is no answer: nobody is meant in any original." in she.card
