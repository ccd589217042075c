"""What a published cell may stand for: one reading for subject, analyst, attacks and utility."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_cells import find_meeting_rows
from sources import WHOLE

import verikit as vk
from verikit.cells import (
    Groups,
    Spans,
    cell_text,
    cells_are_disjoint,
    cells_of,
    parse_intervals,
    relate_cells,
    rows_that_may_be,
)
from verikit.matching import candidates
from verikit.values.ranges import read_range

AGE = vk.Column("age", "quasi", "nominal")
BANDS = (
    "[20, 29]", "[20,29]", "[20;29]", "[20-29]", "[20 - 29]", "20-29", "20 - 29", "20–29", "20—29",
    "20..29", "20...29", "20…29", "20 to 29", "from 20 to 29", "between 20 and 29", "Age 20-29",
    "age: 20–29", "ages 20 to 29", "20-29 years", "aged 20-29", "20-29 years old", "20 bis 29",
    "von 20 bis 29", "20–29 Jahre", "20 à 29", "de 20 à 29 ans", "entre 20 et 29 ans", "20 a 29",
    "de 20 a 29 años", "20 hasta 29",
)  # fmt: skip
HALF_OPEN = ("[20, 30)", "[20,30[", "(19, 29]", "]19,29]", "(19,30)", "[20–30)", "[20 to 30[")
OPEN = {
    "<30": 29, "< 30": 29, "≤29": 29, "<=29": 29, "under 30": 29, "below 30": 29, "unter 30": 29,
    "bis 29": 29, "moins de 30 ans": 29, "menos de 30": 29, "29 and under": 29, "up to 29": 29,
    "29 oder jünger": 29, "less than 30": 29,
}  # fmt: skip
UP = (
    ">=80", ">= 80", "≥80", ">79", "80+", "80 +", "80 and over", "80 and older", "80 or more",
    "80 years and over", "over 79", "80 und mehr", "ab 80", "über 79", "80 ans et plus",
    "plus de 79", "más de 79", "80 y más", "Age 80+", "at least 80", "[80, Inf)", "[80,∞[",
)  # fmt: skip
IN = {  # by language a band, the first and the last number below 30 and from 80 on
    "en": ("from 20 to 29", "between 20 and 29", "under 30", "up to 29", "over 79", "80 and over"),
    "de": ("von 20 bis 29", "zwischen 20 und 29", "unter 30", "bis zu 29", "über 79", "ab 80"),
    "es": ("de 20 a 29", "entre 20 y 29", "menos de 30", "hasta 29", "más de 79", "80 y más"),
    "fr": ("de 20 à 29 ans", "entre 20 et 29", "moins de 30", "jusqu’à 29", "plus de 79",
           "80 ans et plus"),
    "it": ("da 20 a 29 anni", "tra 20 e 29", "meno di 30", "fino a 29", "oltre 79", "80 e oltre"),
    "nl": ("20 tot 29", "tussen 20 en 29 jaar", "jonger dan 30", "t/m 29", "ouder dan 79",
           "80 jaar en ouder"),
    "pl": ("od 20 do 29 lat", "między 20 a 29", "poniżej 30", "do 29", "powyżej 79",
           "80 lat i więcej"),
    "pt": ("de 20 a 29 anos", "entre 20 e 29", "menos de 30", "até 29", "mais de 79", "80 ou mais"),
}  # fmt: skip
FURTHER = {
    "dai 20 ai 29 anni": (20, 29), "20 t/m 29": (20, 29), "20 tot en met 29 jaar": (20, 29),
    "20 a 29": (20, 29), "tot en met 29": (-np.inf, 29), "sotto i 30": (-np.inf, 30),
    "onder de 30": (-np.inf, 30), "mniej niż 30": (-np.inf, 30), "abaixo de 30": (-np.inf, 30),
    "29 o meno": (-np.inf, 29), "29 en jonger": (-np.inf, 29), "29 i mniej": (-np.inf, 29),
    "29 ou menos": (-np.inf, 29), "almeno 80": (80, np.inf), "vanaf 80": (80, np.inf),
    "od 80": (80, np.inf), "a partir de 80": (80, np.inf), "80 anni e più": (80, np.inf),
    "80 of meer": (80, np.inf), "80 lub więcej": (80, np.inf), "80 anos ou mais": (80, np.inf),
    "più di 79": (79, np.inf), "meer dan 79": (79, np.inf), "ponad 79": (79, np.inf),
    "acima de 79": (79, np.inf),
}  # fmt: skip
NO_RANGE = (
    "2020-01", "2020-12", "12-2020", "2020-01-31", "01/02/2020", "02138", "02138-1234", "5", "2020",
    "-5", "20-29-30", "nurse", "A*", "B+", "O+", "C++", "A-", "re-opened", "COVID-19", "x", "",
    "10:30-11:30", "St. John-Smith", "1e5",
)  # fmt: skip


def series(labels, column=AGE):
    return vk.TableRelease.of(pd.DataFrame({column.name: labels}), vk.Schema((column,))).frame[
        column.name
    ]


def fits(labels, value, column=AGE):
    return rows_that_may_be(series(labels, column), column, value).tolist()


@pytest.mark.parametrize("label", BANDS)
def test_one_band_is_read_alike_however_an_office_writes_it(label):
    assert read_range(label, "age") == (20, 29, True, True)
    assert [fits([label], value)[0] for value in (19, 20, 25, 29, 30)] == [0, 1, 1, 1, 0]


@pytest.mark.parametrize("label", HALF_OPEN)
def test_an_end_that_is_left_out_is_not_held(label):
    assert [fits([label], value)[0] for value in (19, 20, 25, 29, 30)] == [0, 1, 1, 1, 0]


@pytest.mark.parametrize("label", OPEN)
def test_a_band_without_a_lower_end(label):
    last = OPEN[label]
    assert [fits([label], value)[0] for value in (0, last, last + 1)] == [1, 1, 0]


@pytest.mark.parametrize("label", UP)
def test_a_band_without_an_upper_end(label):
    assert [fits([label], value)[0] for value in (79, 80, 120)] == [0, 1, 1]


@pytest.mark.parametrize("label", NO_RANGE)
def test_dates_codes_numbers_and_names_are_no_ranges(label):
    assert read_range(label, "age") is None
    cells = cells_of(series([label, "nurse"]), AGE)
    assert cells.exact
    assert cells.unread == ()
    assert fits([label, "nurse"], label) == [True, label == "nurse"]


def test_thousands_decimals_and_powers_are_numbers():
    assert read_range("20,000-29,999") == (20000, 29999, True, True)
    assert read_range("1.5-2.5") == (1.5, 2.5, True, True)
    assert read_range("(1e+03,2e+03]") == (1000, 2000, False, True)
    assert read_range("<=50K") == (-np.inf, 50000, True, True)


def test_a_column_of_dates_stays_one_though_some_of_them_look_like_bands():
    assert fits(["10-12", "31-10", "25-12"], "11") == [False] * 3
    assert fits(["2019-12", "2020-01", "10-12"], "11") == [False] * 3
    assert fits(["10-12", "13-15"], "11") == [True, False]


@pytest.mark.parametrize("label", ["2-2", "2–2", "2 - 2", "2 to 2", "[2-2]", "2..2"])
def test_a_range_of_one_number_is_this_number_and_the_others_keep_their_meaning(label):
    for others in (["0-6"], ["0-6", "7+", "*"], ["0-1", "3-6", None]):
        assert fits([label, *others], 2) == [True, *fits(others, 2)]
        assert fits([label, *others], 4) == [False, *fits(others, 4)]
        assert cells_of(series([label, *others]), AGE).unread == ()
    assert ask([label, "0-6"], 1, 3) == (1, 2)


@pytest.mark.parametrize("label", ["5-3", "5–3", "20-12", "1,5-2,5", "2020-01", "3-05", "1-2-3"])
def test_what_cannot_be_a_band_among_bands_may_be_anything_and_the_others_keep_their_meaning(label):
    for others in (["0-6"], ["0-6", "7-9", "10+"], ["0-6", "*"]):
        cells = cells_of(series([label, *others]), AGE)
        assert cells.unread == (label,)
        assert fits([label, *others], 4) == [True, *fits(others, 4)]
        assert fits([label, *others], 8) == [True, *fits(others, 8)]


@pytest.mark.parametrize(
    ("labels", "value", "rows"),
    [
        (["476**", "47602", "479**"], "47677", [1, 0, 0]),
        (["130xx", "02138"], "13053", [1, 0]),
        (["2*", "3*", "*"], 25, [1, 0, 1]),
        (["A*", "A", "B", "C"], "A", [0, 1, 0, 0]),
        (["A*", "A", "B", "C"], "A*", [1, 0, 0, 0]),
        (["A*", "A-", "B+", "C"], "AB", [0, 0, 0, 0]),
        (["see *", "x", "x"], "x", [0, 1, 1]),
        (["{476**, nurse}", "47***"], "47677", [1, 1]),
    ],
)
def test_stars_mask_codes_and_are_part_of_names_elsewhere(labels, value, rows):
    assert fits(labels, value) == list(map(bool, rows))


@pytest.mark.parametrize("label", ["<fifty", "[20, 29, 30]", "50+ or so", "20s", "5 ± 2", "20-"])
def test_what_looks_like_a_band_and_cannot_be_read_may_be_anything(label):
    cells = cells_of(series([label, "30-39"]), AGE)
    assert cells.unread == (label,)
    assert fits([label, "30-39"], 25) == [True, False]
    held = cells.match_names({"25"})
    at = cells.names.index(label)
    assert (held.certain[at], held.possible[at]) == (False, True)


def test_a_footnote_among_numbers_is_not_read_as_a_code():
    cells = cells_of(series(["12*", "7", "13", "4"]), AGE)
    assert cells.unread == ("12*",)


def ask(labels, *ends):
    """The least and the greatest number of cells of a column between two ends."""
    frame = pd.DataFrame({"age": labels})
    release = vk.TableRelease.of(frame, vk.Schema((AGE,)), promise="covers")
    found = vk.answer(vk.Query.count({"age": ends}), release)
    return found.lower, found.upper


def test_bands_in_text_answer_questions_of_order():
    bands = {"20-29": (1, 1), "30": (1, 1), "80+": (0, 0), "*": (0, 1), None: (0, 1)}
    assert ask([*bands], 20, 31) == (2, 4)
    for label, bounds in bands.items():
        assert ask([label, "20-29", "30"], 20, 31) == (2 + bounds[0], 2 + bounds[1])
    with pytest.raises(vk.RecordError, match="which is nominal and has no order"):
        ask(["a", "b"], 20, 31)


def test_one_end_of_an_interval_alone_is_not_surely_inside():
    spans = pd.DataFrame({"x": pd.arrays.IntervalArray.from_tuples([(0, 6)])})
    for ends in ((-1, 3), (3, 9)):
        found = vk.answer(vk.Query.count({"x": ends}), vk.TableRelease.of(spans))
        assert (found.lower, found.upper) == (0, 1)


def test_widths_tell_what_each_cell_leaves_open():
    ages = cells_of(series(["20-29", "30", "80+", "*"]), AGE)
    assert dict(zip(ages.names, ages.width((0, 100)), strict=True)) == {
        "20-29": 9, "30": 0, "80+": 20, "*": 100, "missing": 100
    }  # fmt: skip
    zips = cells_of(series(["476**", "47602", "{a, b}"]), AGE)
    assert dict(zip(zips.names, zips.width(), strict=True)) == {
        "476**": 100, "47602": 1, "{a, b}": 2, "missing": np.inf
    }  # fmt: skip


def test_bands_cost_as_much_as_the_intervals_that_they_are():
    data = vk.Microdata(pd.DataFrame({"age": [0, 25, 25, 100]}))
    for labels in (["0-10", "20-30", "20–30", "90+"], ["[0, 10]", "20 to 30", "[20;30]", ">=90"]):
        release = vk.TableRelease.of(pd.DataFrame({"age": labels}))
        assert vk.utility.ncp(data, release).columns["age"].tolist() == [0.1] * 4


SPELLINGS = (
    "[20, 29]", "[20,30[", "20-29", "30–39", "[30-39]", "40..49", "40 to 49", "under 30", "<30",
    "≤29", ">=60", ">59", "60+", "80 and over", "Age 50-59", "25", "30", "45", "81", "*", "**",
    "(19, 29]", "<fifty", "20-", "7*", "6x", "bis 19", "50 à 59", "más de 65", None,
)  # fmt: skip
MIXED = ("{a, b}", "476**", "47602", "130xx", "nurse", "A*", "{b, 25}", "20-29", "*", None, "a")
VALUES = (*map(str, range(0, 100, 3)), "a", "b", "nurse", "47602", "47699", "13099")


@pytest.mark.parametrize("labels", [SPELLINGS, MIXED])
@given(st.data())
def test_subject_analyst_and_attacks_agree_on_every_cell(labels, data):
    shown = list(labels) + data.draw(st.lists(st.sampled_from(labels), max_size=5))
    value = data.draw(st.sampled_from(VALUES))
    release = vk.TableRelease.of(pd.DataFrame({"age": shown}), vk.Schema((AGE,)))
    cells = cells_of(release.frame["age"], AGE)
    assert isinstance(cells, Spans if labels is SPELLINGS else Groups)
    subject = np.isin(np.arange(len(shown)), candidates({"age": value}, release))
    analyst = cells.match_names({value})
    known = cells_of(series([value]), AGE)
    assert analyst.possible[cells.codes].tolist() == subject.tolist()
    assert find_meeting_rows(known, cells)[0].tolist() == subject.tolist()
    assert find_meeting_rows(cells, known)[:, 0].tolist() == subject.tolist()
    assert cells.may_be(value)[cells.codes].tolist() == subject.tolist()
    assert not (analyst.certain & ~analyst.possible).any()
    assert ((analyst.share >= 0) & (analyst.share <= 1)).all()
    for missing in (at for at, label in enumerate(shown) if label in (None, "*", "<fifty")):
        code = cells.codes[missing]
        assert analyst.possible[code] > analyst.certain[code]


@given(st.lists(st.integers(0, 90), min_size=1, max_size=6), st.sampled_from([(1,), (5,), (0.5,)]))
def test_what_a_hierarchy_writes_is_read_back(values, widths):
    tree = vk.Hierarchy.intervals(values, widths)
    for value in values:
        assert read_range(tree.level(value, 1)).holds(value)


def test_written_intervals_are_read_back_open_ends_and_gaps_included():
    for closed in ("both", "left", "right", "neither"):
        spans = pd.arrays.IntervalArray.from_tuples([(1, 2.5), np.nan, (3, 9)], closed=closed)
        labels = [None if pd.isna(span) else cell_text(span) for span in spans]
        assert parse_intervals(labels).equals(spans)


@pytest.mark.parametrize("promise", ["untold", "changed"])
@pytest.mark.filterwarnings("error")
def test_labels_without_end_on_either_side_of_a_number_are_counted_by_their_names(promise):
    """No whole number lies between the open end above 50 thousand and where the column ends."""
    frame = pd.DataFrame({"pay": ["<=50K", ">50K", "<=50K"], "age": [1, 2, 3]})
    release = vk.TableRelease.of(frame, promise=promise)
    found = [vk.answer(vk.Query.count({"pay": pay}), release).estimate for pay in ("<=50K", ">50K")]
    assert found == [2, 1]


FORMS = (
    "476**", "47*02", "4****", "47602", "47905", "A*", "AB", "{476**, AB}", "{47602, x}", "x",
    "20-29", "25", "[29, 40)", "40+", "30-2", "*", "4*", "{20-29, 476**}",
)  # fmt: skip
LABELS = st.lists(st.sampled_from(FORMS), min_size=1, max_size=8)


@given(LABELS, LABELS)
def test_labels_of_two_tables_meet_at_once_as_they_do_one_by_one(first, second):
    column = vk.Column("q", "quasi", "nominal")
    coded = [cells_of(pd.Series(part, dtype="category"), column) for part in (first, second)]
    found = relate_cells(*coded)
    pairs = [found.meet(code, found.second.codes) for code in found.first.codes]
    assert np.array_equal(np.array(pairs), find_meeting_rows(*coded))


@given(LABELS)
def test_a_column_is_apart_only_if_no_two_different_labels_meet(labels):
    shown = cells_of(pd.Series(sorted(set(labels)), dtype="category"), vk.Column("q"))
    met = find_meeting_rows(shown, shown)
    assert not cells_are_disjoint(shown) or not (met & ~np.eye(len(met), dtype=bool)).any()


@pytest.mark.parametrize(
    "labels",
    [
        ["476**", "479**"],
        ["47602", "479**"],
        ["20-29", "30"],
        ["[20,30)", "[30,40)", "x"],
        ["{a, b}", "c"],
        ["20-29", "476**", "nurse"],
        ["*"],
    ],
)
def test_labels_without_anything_in_common_are_apart(labels):
    assert cells_are_disjoint(
        cells_of(pd.Series(labels, dtype="category"), vk.Column("q", kind="nominal"))
    )


@pytest.mark.parametrize("language", WHOLE)
def test_bands_are_read_in_every_language_that_is_spoken(language):
    *bands, below, up_to, above, at_least = IN[language]
    for label in bands:
        assert read_range(label) == (20, 29, True, True)
    for label in (below, up_to):
        assert [fits([label], value)[0] for value in (0, 29, 30)] == [1, 1, 0], label
    for label in (above, at_least):
        assert [fits([label], value)[0] for value in (79, 80, 120)] == [0, 1, 1], label


@pytest.mark.parametrize("label", FURTHER)
def test_other_spellings_of_offices_are_read(label):
    assert read_range(label)[:2] == FURTHER[label]


def test_a_label_with_a_number_beside_ranges_is_said_to_be_unread():
    frame = pd.DataFrame(
        {
            "age": ["alle 30 vuotta", "30-49", "50-69", "nuori"],
            "zip": ["20100", "20100", "20121", "20121"],
            "ill": ["a", "b", "a", "b"],
        }
    )
    release = vk.TableRelease.of(frame, vk.Schema.guess(frame, ill="sensitive"))
    report = vk.check({"age": "25", "zip": "20100"}, release)
    said = " ".join(sentence.text for sentence in report.sentences)
    assert "labels such as 'alle 30 vuotta' that cannot be read" in said
    assert "nuori" not in said
    assert fits(["alle 30 vuotta", "30-49", "60"], 25) == [1, 0, 0]
    assert fits(["flat 30", "25", "60"], 25) == [0, 1, 0]


@pytest.mark.parametrize(
    ("language", "below"),
    [("de", "unter 30"), ("it", "meno di 30"), ("nl", "jonger dan 30"), ("pl", "poniżej 30")],
)
def test_whoever_fits_a_band_of_her_language_alone_is_warned(language, below):
    frame = pd.DataFrame(
        {
            "age": [below, "30-49", "50-69", below],
            "zip": ["20100", "20100", "20121", "20121"],
            "ill": ["a", "b", "a", "b"],
        }
    )
    schema = vk.Schema.guess(frame, ill="sensitive")
    release = vk.TableRelease.of(frame, schema, promise="covers")
    report = vk.check({"age": "25", "zip": "20100"}, release, language=language)
    assert report.headline.state == "warning-you"


def test_ranges_below_zero_are_read_as_dates_before_1970_are_written():
    labels = ["[-2000, -1501]", "[-1500,-1]", "[-1,500, -10]", "[0, 499]"]
    assert [read_range(label)[:2] for label in labels] == [
        (-2000, -1501), (-1500, -1), (-1500, -10), (0, 499),
    ]  # fmt: skip
