"""What is typed into the form of the app comes out again, or is refused beside its box."""

import pytest
from kinds_of_values import KINDS, list_typed, make_table, spoken

from verikit.widgets import SelfCheck


@pytest.mark.parametrize("kind", KINDS)
def test_each_typed_value_is_taken_for_itself(kind):
    release = make_table(kind)
    panel = SelfCheck(release)
    for language in spoken(kind):
        panel.language = language
        for typed, fits in list_typed(kind, release, language):
            panel.record = {kind: typed}
            if fits is None:
                assert panel.report is None
                assert [*panel.errors()] == [f"record/{kind}"]
            else:
                assert panel.report.facts["fits"] == fits, (typed, language)


@pytest.mark.parametrize("kind", KINDS)
def test_each_word_that_is_offered_is_taken_for_itself(kind):
    """The words of a list are chosen as they stand."""
    release = make_table(kind)
    panel = SelfCheck(release)
    (field,) = (one for part in panel.parts() for one in part.fields if one.id == f"record/{kind}")
    expected = dict(list_typed(kind, release, "en"))
    for word in (value for value, _ in field.options if value):
        panel.record = {kind: word}
        fits = panel.report and panel.report.facts["fits"]
        assert fits == expected[word]
