"""Each fact of the lists: what it comes to is worked out anew and compared, word by word."""

import re

import _facts_dm
import _facts_ks
import _facts_lhcc
import pytest

from verikit.papers import fact, facts

LISTS = {"DM": _facts_dm, "LHCC": _facts_lhcc, "KS": _facts_ks}
NUMBER = re.compile(r"(?<![\w.^])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def cases(part):
    return [(key, name) for key, module in LISTS.items() for name in getattr(module, part)]


@pytest.mark.parametrize(("key", "name"), cases("COMPUTED"))
def test_a_fact_comes_to_what_is_worked_out(key, name):
    assert LISTS[key].COMPUTED[name]() == fact(key, name).recomputed


@pytest.mark.parametrize(("key", "name"), cases("NEAR"))
def test_a_fact_that_was_simulated_is_near_what_another_draw_gives(key, name):
    rel, worked_out = LISTS[key].NEAR[name]
    told = [float(number) for number in NUMBER.findall(fact(key, name).recomputed)]
    assert told == pytest.approx([float(number) for number in worked_out()], rel=rel, abs=1e-4)


@pytest.mark.parametrize("key", LISTS)
def test_every_fact_is_worked_out_or_named_as_one_that_has_nothing_to_work_out(key):
    """A new fact, or a new paper among the three, has to be put into one of four lists."""
    module = LISTS[key]
    parts = [module.COMPUTED, module.NEAR, module.IN_WORDS, module.DRAWN]
    named = [name for part in parts for name in part]
    assert sorted(named) == sorted(found.id for found in facts(key))
    assert len(module.COMPUTED) + len(module.NEAR) > 0.6 * len(named)


@pytest.mark.parametrize("key", LISTS)
def test_a_fact_in_words_states_no_figure_that_could_be_wrong(key):
    for name in LISTS[key].IN_WORDS:
        found = fact(key, name)
        told = NUMBER.findall(found.recomputed)
        assert found.verdict != "reproduced" or not told, name
        assert not [number for number in told if "." in number], name


@pytest.mark.parametrize("key", LISTS)
def test_a_fact_that_was_reproduced_comes_to_what_was_printed(key):
    """Numbers in print are those worked out, rounded as they are printed."""
    for name in LISTS[key].COMPUTED:
        found = fact(key, name)
        told = [NUMBER.findall(text.replace(",", "")) for text in (found.printed, found.recomputed)]
        if found.verdict == "reproduced" and len(told[0]) == len(told[1]) == 1:
            digits = len(told[0][0].partition(".")[2])
            assert round(float(told[1][0]), digits) == pytest.approx(float(told[0][0])), name
