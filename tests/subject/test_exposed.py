"""Whom a whole table exposes: true of each of them whatever her values are, and of nobody else."""

import itertools

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import InfeasibleError
from verikit.matching import _compatible_pairs
from verikit.subject.generalized import check_generalized, find_exposed, find_fits

TREE = vk.Hierarchy.of({"*": {"north": ["oslo", "bergen"], "south": ["rome"]}})
COLUMNS = {
    "age": (
        vk.Column("age", "quasi", "nominal"),
        ["40-49", "45", "45-60", "under 45", "[45, 50)", "50", "*", None],
        ["44", "45", "49", "50", "60", "61"],
    ),
    "zip": (
        vk.Column("zip", "quasi", "nominal"),
        ["13***", "131**", "13*2*", "13122", "14***", "14001", None],
        ["13000", "13022", "13100", "13122", "14000", "14001"],
    ),
    "job": (
        vk.Column("job", "quasi", "nominal"),
        ["{nurse, cook}", "{cook, clerk}", "nurse", "clerk", "baker", "*"],
        ["nurse", "cook", "clerk", "baker"],
    ),
    "city": (
        vk.Column("city", "quasi", "nominal", TREE),
        ["north", "south", "oslo", "bergen", "rome", "*"],
        ["oslo", "bergen", "rome"],
    ),
}
ILL = vk.Column("ill", "sensitive", "nominal")


def release_of(columns, rows, **options):
    frame = pd.DataFrame(rows, columns=[*columns, "ill"], dtype=object)
    schema = vk.Schema((*(COLUMNS[name][0] for name in columns), ILL))
    return vk.TableRelease.of(frame, schema, promise="covers", **options)


def headline(record, rows):
    return check_generalized(record, release_of(("age", "zip"), rows)).headline


TEN = [*[("40-49", "13***", ill) for ill in ("flu",) * 5 + ("cold",) * 4], ("45", "13***", "flu")]


def test_who_fits_wider_rows_too_is_not_picked_out_by_her_own():
    assert headline({"age": 45, "zip": "13122"}, TEN).state == "no-warning"
    assert headline({"age": 44, "zip": "13122"}, TEN).state == "no-warning"


def test_who_fits_no_wider_row_is_picked_out():
    told = headline({"age": 44, "zip": "13122"}, [*TEN[:-1], ("50", "13***", "flu")])
    assert told.text.startswith("1 of the 10 people in this table can be picked out")
    told = headline({"age": 44, "zip": "13122"}, [*TEN[:-1], ("45", "14***", "flu")])
    assert told.text.startswith("1 of the 10 people in this table can be picked out")


def test_a_class_with_one_disease_beside_one_that_its_people_fit_gives_nothing_away():
    others = [("60", "13***", "flu"), ("60", "13***", "cold")]
    apart = [*[("40-49", "13***", "flu")] * 2, *[("45", "13***", "cold")] * 2, *others]
    alike = [*[("40-49", "13***", "flu")] * 2, *[("45", "13***", "flu")] * 2, *others]
    assert headline({"age": 60, "zip": "13122"}, apart).state == "no-warning"
    assert headline({"age": 60, "zip": "13122"}, alike).text.startswith(
        "4 of the 6 people in this table give their ill away"
    )


def test_a_gap_among_those_that_she_fits_takes_the_certainty_away():
    rows = [*[("40-49", "13***", "flu")] * 2, ("45", "13***", None), ("45", "13***", None)]
    rows += [("60", "13***", "flu"), ("60", "13***", "cold")]
    assert headline({"age": 60, "zip": "13122"}, rows).state == "no-warning"


def test_the_attack_names_with_certainty_only_those_of_whom_it_is_true():
    rows = [*[("40-49", "13***", "flu")] * 2, *[("45", "13***", "cold")] * 2]
    rows += [*[("60", "13***", "flu")] * 3, ("*", "*", "cold")]
    release = release_of(("age", "zip"), rows)
    found = vk.intruder.homogeneity(release)
    assert found.frame[["age", "value", "records"]].to_numpy().tolist() == [["60", "flu", 3]]
    assert (found.people, found.certain) == (3, 1)
    assert vk.intruder.homogeneity(release, {"age": 45, "zip": "13122"}).people == 0
    assert vk.intruder.homogeneity(release, {"age": 60, "zip": "13122"}).people == 1


def test_too_many_cells_to_compare_expose_nobody(monkeypatch):
    def refuse(*_):
        raise InfeasibleError("too many")

    monkeypatch.setattr(_compatible_pairs, "find_compatible_pairs", refuse)
    rows = [("40-49", "13***", "a"), ("45", "14***", "b"), *[("60", "15***", "c")] * 2]
    rows[-1] = ("60", "15***", "d")
    assert headline({"age": 60, "zip": "15001"}, rows).state == "no-warning"


@st.composite
def tables(draw):
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=2, unique=True))
    cells = [st.sampled_from(COLUMNS[name][1]) for name in names]
    ills = st.sampled_from(["flu", "flu", "cold", None])
    rows = draw(st.lists(st.tuples(*cells, ills), min_size=1, max_size=7))
    return names, [*rows, (*rows[-1][:-1], "flu")]


@given(tables())
def test_exposed_are_those_of_whom_it_is_true_whatever_their_values(drawn):
    names, rows = drawn
    release = release_of(names, rows)
    ways = [COLUMNS[name][2] for name in names]
    people = [dict(zip(names, values, strict=True)) for values in itertools.product(*ways)]
    found = [find_fits(person, release) for person in people]
    judged = max(found, key=lambda fits: len(fits.shown))
    told = {part.title: part.records.tolist() for part in find_exposed(judged)}
    for row in range(len(rows)):
        hers = [fits.rows for fits in found if row in fits.rows and not fits.hidden[row]]
        shown = {ill for others in hers for ill in release.frame["ill"].iloc[others]}
        alone = all(len(others) == 1 for others in hers)
        assert told[""][row] == (hers != [] and alone)
        if judged.shown:
            assert told["ill"][row] == (shown in ({"flu"}, {"cold"}))
