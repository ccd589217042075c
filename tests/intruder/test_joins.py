"""Two tables laid side by side, joined, or subtracted: what each gives away beyond both."""

import itertools
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_cells import find_meeting_rows

import verikit as vk
from verikit.cells import cells_of
from verikit.intruder import _common_people, complementary_release, temporal, unsorted_matching
from verikit.intruder._common_people import (
    find_overlaps,
    find_rows_in_place,
    find_settled_links,
    find_width,
)
from verikit.matching import _compatible_pairs, group_rows
from verikit.models import k_anonymity

TREE = vk.Hierarchy.of({"any": {"left": ["a", "b"], "right": ["c", "d"]}})


def release_of(frame, **roles):
    frame = pd.DataFrame(frame)
    return vk.TableRelease.of(frame, vk.Schema.guess(frame, **roles))


def ill(**columns):
    return release_of(columns, Ill="sensitive")


# -- cells that overlap -------------------------------------------------------------------------


def overlap(first, second, *columns):
    """Which cells of two columns overlap, as a set of pairs."""
    names, tables = ["x"], []
    for values, column in zip((first, second), columns * (3 - len(columns)), strict=False):
        tables.append(vk.TableRelease.of(pd.DataFrame({"x": values}), vk.Schema((column,))))
    frames, schemas = zip(*((table.frame, table.schema) for table in tables), strict=True)
    return met(find_overlaps(*frames, names, schemas)).tolist()


def met(meetings):
    """Which rows meet, as a table of all pairs; no pair of kinds may come twice."""
    table = np.zeros(meetings.shape, int)
    for first, second in meetings:
        np.add.at(table, (first, second), 1)
    assert table.max(initial=0) <= 1
    return table[np.ix_(meetings.first, meetings.second)].astype(bool)


def test_numbers_intervals_and_withheld_cells_overlap_as_ranges_do():
    spans = pd.arrays.IntervalArray.from_tuples([(20, 29), (30, 39)], closed="both")
    assert overlap(spans, [29.0, 29.5, np.nan], vk.Column("x")) == [
        [True, False, True],
        [False, False, True],
    ]


def test_groups_of_a_hierarchy_overlap_with_what_is_above_and_below_them():
    column = vk.Column("x", "quasi", "nominal", TREE)
    assert overlap(["a", "left", "any"], ["a", "b", "left", "right"], column) == [
        [True, False, True, False],
        [True, True, True, False],
        [True, True, True, True],
    ]


def test_sets_and_starred_codes_overlap_if_some_value_fits_both():
    column = vk.Column("x", kind="nominal")
    assert overlap(["{a, b}", "476**"], ["{b, c}", "c", "47677", "4*677", "47*"], column) == [
        [True, False, False, False, False],
        [False, False, True, True, False],
    ]


@given(st.lists(st.sampled_from(TREE.nodes), min_size=1, max_size=5, unique=True))
def test_overlap_is_symmetric_and_means_a_common_leaf(nodes):
    column = vk.Column("x", "quasi", "nominal", TREE)
    found = overlap(nodes, nodes, column)
    for (i, a), (j, b) in itertools.product(enumerate(nodes), repeat=2):
        assert found[i][j] == found[j][i] == bool(set(TREE.leaves(a)) & set(TREE.leaves(b)))


def test_the_finer_of_two_cells_leaves_less_open():
    column = vk.Column("x", "quasi", "nominal", TREE)
    cells = pd.Series(["a", "left", "any"])
    assert find_width(cells, column).tolist() == [1, 2, np.inf]
    spans = pd.Series(pd.arrays.IntervalArray.from_tuples([(1, 4), (2, 2)], closed="both"))
    assert find_width(spans, vk.Column("x")).tolist() == [3, 0]


SPANS = st.tuples(st.integers(0, 9), st.integers(0, 4)).map(lambda at: (at[0], at[0] + at[1]))
LABELS = {
    "node": (vk.Column("node", "quasi", "nominal", TREE), [*TREE.nodes, "{a, c}"]),
    "code": (vk.Column("code", kind="nominal"), ["{a, b}", "b", "476**", "47677", "4*677", "*"]),
    "band": (vk.Column("band", kind="nominal"), ["20-29", "30-39", "25", "31", "25-34", "*"]),
    "name": (vk.Column("name", kind="nominal"), ["x", "y", "z", "*", None]),
}
SCHEMA = vk.Schema((vk.Column("span"), *(column for column, _ in LABELS.values())))


@st.composite
def tables(draw):
    """A release of ranges, nodes, sets, starred codes, bands, names and gaps."""
    rows = draw(st.integers(1, 9))
    several = lambda values: draw(st.lists(values, min_size=rows, max_size=rows))  # noqa: E731
    frame = {name: several(st.sampled_from(cells)) for name, (_, cells) in LABELS.items()}
    if draw(st.booleans()):
        spans = pd.arrays.IntervalArray.from_tuples(several(SPANS), closed="both")
    else:
        spans = several(st.one_of(st.integers(0, 9).map(float), st.just(np.nan)))
    return vk.TableRelease.of(pd.DataFrame({"span": spans, **frame}), SCHEMA)


def compared(tables, names):
    """Every pair of rows, compared in every column."""
    possible = True
    for name in names:
        possible &= find_meeting_rows(*(cells_of(t.frame[name], t.schema[name]) for t in tables))
    return possible


@given(tables(), tables(), st.lists(st.sampled_from(SCHEMA.names), min_size=1, unique=True))
def test_rows_that_meet_are_found_as_if_all_pairs_were_compared(one, two, names):
    frames = one.frame, two.frame, names, (one.schema, two.schema)
    expected = compared((one, two), names)
    assert (met(find_overlaps(*frames)) == expected).all()
    rows, related = np.argwhere(expected).T, _common_people._relate_columns(*frames)
    assert [part.tolist() for part in find_overlaps(*frames).rows()] == rows.tolist()
    for few in (0, 3, 100):  # from halving as long as anything is gained to comparing all at once
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_compatible_pairs, "FEW_PAIRS", few)
            found = _compatible_pairs.find_compatible_rows(related)
        assert [part.tolist() for part in found] == rows.tolist()
    if len(one) == len(two):
        assert (find_rows_in_place(*frames) == np.diag(expected)).all()


def test_work_is_cut_in_pieces_and_refused_where_it_is_too_much(monkeypatch):
    rng = np.random.default_rng(5)
    parts = [release_of({"x": rng.integers(0, 9, 60), "y": rng.integers(0, 9, 60)}) for _ in "ab"]
    frames = parts[0].frame, parts[1].frame, ["x", "y"], (parts[0].schema, parts[1].schema)
    whole = met(find_overlaps(*frames))
    monkeypatch.setattr(_compatible_pairs, "PIECE_SIZE", 3)
    assert (met(find_overlaps(*frames)) == whole).all()
    monkeypatch.setattr(_compatible_pairs, "MAX_KEPT", 10)
    with pytest.raises(vk.InfeasibleError, match="too many pairs of them could be one person"):
        find_overlaps(*frames).pairs()
    monkeypatch.setattr(_compatible_pairs, "MAX_COMPARED", 10)
    with pytest.raises(vk.InfeasibleError, match="different records, and too many pairs of them"):
        list(find_overlaps(*frames))


def settled_in_all_ways(possible, left, right):
    """For each pair of classes the fewest records that any way to join all of them gives it."""
    owners = [np.repeat(np.arange(len(part)), part) for part in (left, right)]
    ways = []
    for order in itertools.permutations(range(len(owners[1]))):
        to = owners[1][list(order)]
        if len(to) == len(owners[0]) and possible[owners[0], to].all():
            found = np.zeros(possible.shape, int)
            np.add.at(found, (owners[0], to), 1)
            ways.append(found)
    return np.min(ways, axis=0) if ways else None


def as_found(meets, *sizes):
    found = np.zeros((len(meets.first), len(meets.second)), int)
    links = find_settled_links(meets, *sizes)
    assert links.exact
    found[links.first, links.second] = links.people
    return found


@given(tables(), tables(), st.lists(st.sampled_from(SCHEMA.names), min_size=1, unique=True))
def test_people_are_settled_where_every_way_to_join_all_agrees(one, two, names):
    size = min(len(one.frame), len(two.frame), 6)
    parts = [table.frame.iloc[:size] for table in (one, two)]
    classes = [group_rows(part) for part in parts]
    cells = [part.cells() for part in classes]
    meets = find_overlaps(*cells, names, (one.schema, two.schema))
    sizes = [part.sizes for part in classes]
    expected = settled_in_all_ways(met(meets), *sizes)
    if expected is None:
        with pytest.raises(vk.SchemaError, match="The releases contradict each other"):
            find_settled_links(meets, *sizes)
    else:
        assert np.array_equal(as_found(meets, *sizes), expected)


@given(st.permutations(list(range(7))), st.randoms(use_true_random=False))
def test_two_releases_of_the_same_people_are_settled_where_every_way_agrees(order, random):
    rows = [(random.choice("ab"), random.choice(["x", "y"]), random.randrange(3)) for _ in order]
    one = pd.DataFrame(rows, columns=["node", "name", "span"]).astype({"span": float})
    two = one.iloc[list(order)].reset_index(drop=True)
    one["node"] = [random.choice([node, "left", "any"]) for node in one["node"]]
    two["name"] = [random.choice([name, "*"]) for name in two["name"]]
    schema = vk.Schema(tuple(SCHEMA[name] for name in one))
    classes = [group_rows(vk.TableRelease.of(frame, schema).frame) for frame in (one, two)]
    cells = [part.cells() for part in classes]
    meets = find_overlaps(*cells, ["node", "name", "span"], (schema, schema))
    sizes = [part.sizes for part in classes]
    assert np.array_equal(as_found(meets, *sizes), settled_in_all_ways(met(meets), *sizes))


class Drawn:
    """Pairs of kinds that meet, as `find_settled_links` asks for them."""

    def __init__(self, pairs, kinds):
        self._pairs, (self.first, self.second) = pairs, kinds
        self.shape = tuple(int(part.max()) + 1 for part in kinds)

    def pairs(self):
        return self._pairs

    def __iter__(self):
        yield self._pairs


def drawn_meetings(rng):
    """A few classes of several people and kinds, which surely can be joined in one way."""
    kinds = [np.sort(rng.integers(0, 4, int(rng.integers(3, 6)))) for _ in range(2)]
    kinds = [np.unique(part, return_inverse=True)[1] for part in kinds]
    joined = np.zeros([len(part) for part in kinds], int)
    for _ in range(7):
        joined[tuple(int(rng.integers(len(part))) for part in kinds)] += 1
    possible = rng.random([part.max() + 1 for part in kinds]) < 0.2
    for one, other in np.argwhere(joined):
        possible[kinds[0][one], kinds[1][other]] = True
    return Drawn(np.nonzero(possible), kinds), joined.sum(1), joined.sum(0)


def test_classes_of_several_people_are_settled_by_as_many_as_every_way_joins():
    several = 0
    for seed in range(60):
        meets, *sizes = drawn_meetings(np.random.default_rng(seed))
        expected = settled_in_all_ways(met(meets), *sizes)
        assert np.array_equal(as_found(meets, *sizes), expected), seed
        several += bool((expected > 1).any())
    assert several > 5


def test_what_takes_too_long_to_look_at_is_told_as_at_least(monkeypatch):
    one = release_of({"Zip": ["{1, 2}"] * 6 + ["{2, 3}"] * 2, "Job": ["A"] * 8})
    two = release_of({"Zip": ["1"] * 2 + ["2"] * 5 + ["3"], "Ill": ["flu"] * 8}, Ill="sensitive")
    # One of the second kind has zip 3, so one has zip 2 with four of the first, who fill zip 1.
    assert complementary_release(one, two).sentence.startswith("8 of 8 records can be joined")
    two = release_of(
        {"Zip": ["1"] * 2 + ["2"] * 5 + ["{1, 3}"], "Ill": ["flu"] * 8}, Ill="sensitive"
    )
    # Of the first kind 3 have zip 2 at least, and 1 has zip 1; the second kind shares the rest.
    assert complementary_release(one, two).sentence.startswith("6 of 8 records can be joined")
    monkeypatch.setattr(_common_people, "MAX_STEPS", 1)
    assert complementary_release(one, two).sentence.startswith("At least ")


def test_a_record_that_every_way_to_join_gives_one_partner_is_joined():
    """Two zips for two records, two for the two others: only the third row is left for C."""
    one = release_of({"Zip": ["{1, 2}"] * 2 + ["{2, 3}"] + ["{3, 4, 5}"] * 2, "Job": list("ABCDE")})
    two = release_of(
        {"Zip": list("12345"), "Ill": ["flu", "ulcer", "angina", "asthma", "cold"]}, Ill="sensitive"
    )
    found = complementary_release(one, two)
    assert found.joined.to_dict("list") == {"first": [2], "second": [2], "alike": [1]}
    assert found.sentence.startswith("1 of 5 records can be joined without a choice")


@pytest.mark.parametrize("ends", [0, 1])
def test_thirty_thousand_records_are_settled_in_seconds(ends):
    """Each fits two of the other, in one chain, where all are settled, or in a ring: none is."""
    n = 30_000
    order = np.random.default_rng(1).permutation(n)
    last = n - 1 + ends
    pairs = np.r_[np.arange(n), np.arange(last)], np.r_[order, np.roll(order, -1)[:last]]
    start = time.process_time()
    links = find_settled_links(Drawn(pairs, (np.arange(n),) * 2), *np.ones((2, n), int))
    assert links.exact
    assert links.second.tolist() == ([] if ends else order.tolist())
    assert time.process_time() - start < 7


# -- unsorted matching --------------------------------------------------------------------------


def test_rows_in_their_old_order_tell_what_the_register_lacks():
    register = vk.Microdata(pd.DataFrame({"Name": list("ABCD"), "Age": [21, 35, 28, 39]}))
    spans = pd.arrays.IntervalArray.from_tuples([(20, 29), (30, 39)] * 2, closed="both")
    schema = vk.Schema((vk.Column("Age"), vk.Column("Ill", "sensitive", "nominal")))
    frame = pd.DataFrame({"Age": spans, "Ill": ["flu", "ulcer", "hiv", "flu"]})
    release = vk.TableRelease.of(frame, schema)
    found = unsorted_matching(register, release)
    assert found.sentence == (
        "4 of 4 rows fit at their own place, where a shuffled table would show 2.0."
    )
    assert found.frame["value"].tolist() == ["Ill flu", "Ill ulcer", "Ill hiv", "Ill flu"]
    assert found.frame["Name"].tolist() == list("ABCD")
    assert found.frame["confidence"].tolist() == [1] * 4
    assert found.frame["before"].tolist() == [0.5] * 4


def test_where_everything_fits_everywhere_the_order_proves_nothing():
    register = vk.Microdata(pd.DataFrame({"Race": ["White", "Black"]}))
    column = vk.Column("Race", kind="nominal")
    ills = vk.Column("Ill", "sensitive", "nominal")
    frame = pd.DataFrame({"Race": ["*", "*"], "Ill": ["flu", "hiv"]})
    found = unsorted_matching(register, vk.TableRelease.of(frame, vk.Schema((column, ills))))
    assert found.sentence.endswith("where a shuffled table would show 2.0.")
    assert found.frame["confidence"].tolist() == [0.5, 0.5]


def test_a_shuffled_table_shows_on_average_what_luck_predicts():
    rng = np.random.default_rng(11)
    register = vk.Microdata(pd.DataFrame({"q": list("aaaabbbccd")}))
    fitting = []
    for _ in range(150):
        shuffled = register.frame.iloc[rng.permutation(10)]
        found = unsorted_matching(register, vk.TableRelease.of(shuffled, register.schema))
        fitting.append(found.people)
    luck = (16 + 9 + 4 + 1) / 10
    assert np.mean(fitting) == pytest.approx(luck, abs=0.25)
    assert f"would show {luck:.1f}" in found.sentence


def test_half_a_table_in_place_gives_half_the_confidence_beyond_luck():
    # Ten different rows: luck is 1; five at their place and five moved on by one among them.
    names = [f"v{i}" for i in range(10)]
    moved = [*names[:5], *names[6:], names[5]]
    register = vk.Microdata(pd.DataFrame({"q": names}))
    found = unsorted_matching(register, release_of({"q": moved}))
    assert found.people == 5
    assert found.frame["before"].tolist() == [1] * 5
    register = vk.Microdata(pd.DataFrame({"q": list("aabbccddee")}))
    found = unsorted_matching(register, release_of({"q": list("aabbccd") + list("eed")}))
    # Luck is 2, and 8 rows fit: three quarters are in place; the rest is one of two.
    assert found.people == 8
    assert found.frame["confidence"].tolist() == [0.5 + 0.5 * 0.75] * 8


def test_tables_that_cannot_be_laid_side_by_side_are_refused():
    one, two = release_of({"q": ["a"]}), release_of({"q": ["a", "b"]})
    with pytest.raises(vk.SchemaError, match="has 1 rows and the release 2; only tables with as"):
        unsorted_matching(one, two)
    with pytest.raises(vk.SchemaError, match="share no column: one has 'q', the other 'r'"):
        unsorted_matching(one, release_of({"r": ["a"]}))


# -- complementary release ----------------------------------------------------------------------


def test_two_releases_each_in_pairs_single_everybody_out_together():
    ills = ["flu", "ulcer", "hiv", "cold"]
    one = ill(Sex=list("FFMM"), Ill=ills)
    two = ill(Ward=list("ABBA"), Ill=ills)
    assert [k_anonymity(release).value for release in (one, two)] == [2, 2]
    found = complementary_release(one, two)
    lines = found.frame[["Sex", "Ward", "hidden among", "records", "value", "confidence", "before"]]
    assert sorted(lines.itertuples(index=False, name=None)) == [
        ("F", "A", 2, 1, "flu", 1.0, 0.5),
        ("F", "B", 2, 1, "ulcer", 1.0, 0.5),
        ("M", "A", 2, 1, "cold", 1.0, 0.5),
        ("M", "B", 2, 1, "hiv", 1.0, 0.5),
    ]
    assert (found.people, found.total) == (4, 4)


def test_the_joined_cell_is_the_finer_of_both():
    tree = vk.Hierarchy.of({"any": {"left": ["a", "b"], "right": ["c", "d"]}})
    town = vk.Column("Town", "quasi", "nominal", tree)
    ills = vk.Column("Ill", "sensitive", "nominal")
    schema = vk.Schema((vk.Column("Age"), town, ills))
    span = lambda *ends: pd.arrays.IntervalArray.from_tuples(ends, closed="both")  # noqa: E731
    names = ["flu", "ulcer", "hiv", "cold"]
    fine_town = pd.DataFrame({"Age": span(*[(20, 39)] * 4), "Town": list("aabb"), "Ill": names})
    fine_age = pd.DataFrame(
        {
            "Age": span((20, 29), (30, 39), (20, 29), (30, 39)),
            "Town": ["left"] * 4,
            "Ill": names,
        }
    )
    found = complementary_release(*(vk.TableRelease.of(f, schema) for f in (fine_town, fine_age)))
    ends = [(cell.left, cell.right) for cell in found.frame["Age"]]
    assert sorted(zip(ends, found.frame["Town"], found.frame["value"], strict=True)) == [
        ((20, 29), "a", "flu"),
        ((20, 29), "b", "hiv"),
        ((30, 39), "a", "ulcer"),
        ((30, 39), "b", "cold"),
    ]


def test_records_that_could_go_two_ways_are_not_joined():
    one = ill(Sex=list("FM"), Ill=["flu", "flu"])
    two = ill(Ward=list("AB"), Ill=["flu", "flu"])
    found = complementary_release(one, two)
    assert found.sentence.startswith("0 of 2 records can be joined without a choice")
    assert len(found.frame) == 0


def test_taking_settled_people_out_settles_others():
    # hiv is joined at once; that leaves ward B alone for the flu that fits both wards.
    column = vk.Column("Ward", kind="nominal")
    ills = vk.Column("Ill", "sensitive", "nominal")
    tree = vk.Hierarchy.of({"any": ["A", "B"]})
    wards = vk.Column("Ward", "quasi", "nominal", tree)
    one = vk.TableRelease.of(
        pd.DataFrame({"Sex": ["F", "M"], "Ward": ["A", "any"], "Ill": ["flu", "flu"]}),
        vk.Schema((vk.Column("Sex", kind="nominal"), wards, ills)),
    )
    two = vk.TableRelease.of(
        pd.DataFrame({"Ward": ["A", "B"], "Ill": ["flu", "flu"]}), vk.Schema((column, ills))
    )
    found = complementary_release(one, two)
    assert found.sentence.startswith("2 of 2 records can be joined without a choice")


def test_records_left_open_count_against_the_confidence():
    # Nobody can tell whose flu is whose: each joined person may share her cells with one of them.
    one = ill(Sex=list("FFFMMM"), Ill=["flu", "hiv", "cold", "flu", "ulcer", "burn"])
    two = ill(Ward=list("AAABBB"), Ill=["flu", "hiv", "ulcer", "flu", "cold", "burn"])
    found = complementary_release(one, two)
    assert found.sentence.startswith("4 of 6 records can be joined without a choice, and 4 of them")
    assert found.frame["hidden among"].tolist() == [3] * 4
    assert found.frame["confidence"].tolist() == [0.5] * 4
    assert found.frame["before"].tolist() == [1 / 3] * 4


def test_people_with_the_same_joined_cells_count_for_each_other_whichever_way_they_were_joined():
    """Two people are k1, z1, l0, one joined by a withheld cell: v and w, so nothing is certain.
    A third of them would have stood among three; no group is smaller than before."""
    first = release_of({"a": ["k1", "k1", "k0"], "z": ["z1"] * 3, "s": list("vww")}, s="sensitive")
    second = release_of({"b": ["l0"] * 3, "z": ["z1", "z1", "*"], "s": list("wwv")}, s="sensitive")
    found = complementary_release(first, second).frame
    assert not (found["confidence"] == 1).any()
    k1 = found[(found["a"] == "k1") & (found["z"] == "z1")]
    assert k1["records"].isin([2]).all()


def test_identical_records_are_joined_though_nobody_knows_which_is_which():
    one = ill(Sex=["F"] * 4, Ill=["flu", "flu", "hiv", "cold"])
    two = ill(Ward=list("ABAB"), Ill=["flu", "flu", "hiv", "cold"])
    found = complementary_release(one, two)
    assert found.sentence.startswith("4 of 4 records can be joined without a choice, and 0 of them")


def test_the_rows_that_are_the_same_peoples_are_named():
    ills = ["flu", "ulcer", "hiv", "cold"]
    one = ill(Sex=list("FFMM"), Ill=ills)
    two = ill(Ward=list("ABAB"), Ill=["cold", "ulcer", "flu", "hiv"])
    joined = complementary_release(one, two).joined
    assert joined.to_dict("list") == {
        "first": [0, 1, 2, 3],
        "second": [2, 1, 3, 0],
        "alike": [1, 1, 1, 1],
    }
    open_ = complementary_release(ill(Sex=list("FM"), Ill=["flu"] * 2), ill(W=list("AB"), Ill=["flu"] * 2))  # noqa: E501 # fmt: skip
    assert open_.joined.empty
    assert list(open_.joined) == ["first", "second", "alike"]


def test_rows_that_look_alike_are_joined_as_many_and_this_is_told():
    one = ill(Sex=list("FMFF"), Ill=["flu", "cold", "flu", "hiv"])
    two = ill(Ward=list("BABB"), Ill=["hiv", "flu", "cold", "flu"])
    joined = complementary_release(one, two).joined
    assert joined["first"].tolist() == [0, 1, 2, 3]
    assert joined["second"].tolist() == [1, 2, 3, 0]
    assert joined["alike"].tolist() == [2, 1, 2, 1]  # whose flu was in which ward is open


def test_the_value_may_stand_in_either_release():
    one = release_of({"Sex": list("FFMM"), "Stay": [1, 2, 3, 4]}, Stay="other")
    two = release_of(
        {"Stay": [1, 2, 3, 4], "Ill": ["flu", "flu", "hiv", "hiv"]}, Stay="other", Ill="sensitive"
    )
    two = vk.TableRelease.of(
        two.frame.assign(Ward=list("ABAB")),
        vk.Schema((*two.schema, vk.Column("Ward", kind="nominal"))),
    )
    found = complementary_release(one, two)
    lines = found.frame[["Sex", "Ward", "value"]].itertuples(index=False, name=None)
    assert sorted(lines) == [
        ("F", "A", "flu"),
        ("F", "B", "flu"),
        ("M", "A", "hiv"),
        ("M", "B", "hiv"),
    ]


def test_releases_of_different_people_are_refused():
    one = ill(Sex=list("FM"), Ill=["flu", "hiv"])
    with pytest.raises(vk.SchemaError, match="have 2 and 1 records; only releases of the same"):
        complementary_release(one, ill(Ward=["A"], Ill=["flu"]))
    with pytest.raises(vk.SchemaError, match="The releases contradict each other"):
        complementary_release(one, ill(Ward=list("AB"), Ill=["flu", "cold"]))
    with pytest.raises(vk.SchemaError, match="The releases contradict each other"):
        complementary_release(one, ill(Ward=list("AB"), Ill=["flu", "flu"]))


@given(
    st.lists(
        st.tuples(st.sampled_from("FM"), st.sampled_from("AB"), st.sampled_from(["u", "v", "w"])),
        min_size=1,
        max_size=6,
    ),
    st.randoms(use_true_random=False),
)
def test_whatever_is_joined_is_true_and_no_confidence_exceeds_the_truth_of_all_assignments(
    people, random
):
    sexes, wards, ills = zip(*people, strict=True)
    order = list(range(len(people)))
    random.shuffle(order)
    one = ill(Sex=list(sexes), Ill=list(ills))
    two = ill(Ward=[wards[i] for i in order], Ill=[ills[i] for i in order])
    found = complementary_release(one, two)
    for line in found.joined.itertuples(index=False):
        own = one.frame.iloc[line.first]
        cells = own["Sex"], two.frame["Ward"].iloc[line.second], own["Ill"]
        assert cells in people
        assert line.alike > 1 or order[line.second] == line.first
    truth = pd.DataFrame(people, columns=["Sex", "Ward", "value"])
    for line in found.frame.itertuples(index=False):
        same = truth[(truth["Sex"] == line.Sex) & (truth["Ward"] == line.Ward)]
        held = (same["value"] == line.value).sum()
        assert held >= 1
        assert line.confidence <= held / len(same) + 1e-12


# -- temporal -----------------------------------------------------------------------------------


def test_the_newcomer_to_a_class_is_told_by_subtraction():
    before = ill(Zip=["476**"] * 3 + ["479**"] * 2, Ill=["flu", "ulcer", "flu", "hiv", "flu"])
    after = ill(
        Zip=["476**"] * 4 + ["479**"] * 2, Ill=["flu", "cold", "ulcer", "flu", "flu", "hiv"]
    )
    found = temporal(before, after)
    assert found.frame.to_dict("records") == [
        {"who": "Zip 476**", "change": "came", "records": 1, "value": "cold",
         "confidence": 1.0, "before": 0.25},
    ]  # fmt: skip
    assert found.sentence == (
        "1 came and 0 left between the releases; Ill is certain for 1 of them, first cold for Zip "
        "476**, who came."
    )


def test_two_newcomers_share_the_suspicion():
    before = ill(Zip=["1", "1"], Ill=["flu", "flu"])
    after = ill(Zip=["1"] * 5, Ill=["flu", "flu", "hiv", "cold", "cold"])
    found = temporal(before, after).frame
    assert found[["value", "records"]].to_numpy().tolist() == [["cold", 2], ["hiv", 1]]
    assert found["confidence"].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_whoever_left_is_told_too():
    before = ill(Zip=["1", "1", "2"], Ill=["flu", "hiv", "flu"])
    after = ill(Zip=["1", "2"], Ill=["flu", "flu"])
    found = temporal(before, after)
    assert found.frame[["who", "change", "value", "confidence"]].to_numpy().tolist() == [
        ["Zip 1", "left", "hiv", 1.0]
    ]
    assert (found.people, found.total) == (1, 3)


def test_classes_that_came_or_went_as_a_whole_are_named():
    before = ill(Zip=["1", "2"], Ill=["flu", "hiv"])
    after = ill(Zip=["1", "3"], Ill=["flu", "cold"])
    found = temporal(before, after).frame
    assert sorted(found[["who", "change", "value"]].itertuples(index=False, name=None)) == [
        ("Zip 2", "left", "hiv"),
        ("Zip 3", "came", "cold"),
    ]


def test_recoded_classes_are_compared_as_far_as_they_overlap():
    # The later release cuts the ages elsewhere, so all classes up to 49 hang together.
    span = lambda *ends: pd.arrays.IntervalArray.from_tuples(ends, closed="both")  # noqa: E731
    schema = vk.Schema((vk.Column("Age"), vk.Column("Ill", "sensitive", "nominal")))
    before = vk.TableRelease.of(
        pd.DataFrame({"Age": span((20, 29), (30, 49), (60, 69)), "Ill": ["flu", "hiv", "flu"]}),
        schema,
    )
    after = vk.TableRelease.of(
        pd.DataFrame(
            {
                "Age": span((20, 34), (35, 49), (20, 34), (60, 69)),
                "Ill": ["flu", "hiv", "cold", "flu"],
            }
        ),
        schema,
    )
    found = temporal(before, after).frame
    assert found[["who", "value", "records"]].to_numpy().tolist() == [
        ["Age [20, 34] or Age [35, 49]", "cold", 1]
    ]


def test_nothing_changed_nothing_told():
    release = vk.published("ks_table4")
    found = temporal(release, release)
    assert len(found.frame) == 0
    assert found.sentence == (
        "0 came and 0 left between the releases; Crime is certain for 0 of them."
    )


@given(
    st.lists(st.tuples(st.sampled_from("123"), st.sampled_from("uvw")), min_size=1, max_size=8),
    st.lists(st.tuples(st.sampled_from("123"), st.sampled_from("uvw")), max_size=5),
)
def test_if_people_only_come_the_difference_is_exactly_they(old, new):
    releases = [
        ill(Zip=[z for z, _ in part], Ill=[i for _, i in part]) for part in (old, old + new)
    ]
    found = temporal(*releases).frame
    assert set(found["change"]) <= {"came"}
    told = {(w, v): n for w, v, n in found[["who", "value", "records"]].itertuples(index=False)}
    expected = pd.Series([(f"Zip {z}", i) for z, i in new], dtype=object).value_counts().to_dict()
    assert told == expected


def test_releases_that_cannot_be_subtracted_are_refused():
    one = ill(Zip=["1"], Ill=["flu"])
    with pytest.raises(vk.SchemaError, match="earlier release shows 'Ill', the later one does not"):
        temporal(one, release_of({"Zip": ["1"], "Job": ["x"]}, Job="sensitive"))
    with pytest.raises(vk.SchemaError, match="hold 1 and 1 records and share 0"):
        temporal(one, ill(Town=["1"], Ill=["flu"]))


def test_rows_in_their_old_order_are_a_fault_even_where_each_fits_one_place_only():
    """Every row can be found without its place, so that the place adds nothing."""
    frame = pd.DataFrame({"age": range(8), "ill": list("abcdefgh")})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    asis = vk.TableRelease.of(frame, data.schema)
    found = vk.intruder.unsorted_matching(data, asis)
    assert (found.gained, found.fault, found.warns) == (0, "not shuffled", True)
    assert found.verdict == "not shuffled"
    turned = vk.TableRelease.of(frame.iloc[[1, 2, 3, 4, 5, 6, 7, 0]], data.schema)
    kept = vk.intruder.unsorted_matching(data, turned)
    assert (kept.fault, kept.warns, kept.verdict) == ("", False, "nothing gained")


def test_rows_that_all_fit_each_other_show_nothing_of_their_order():
    frame = pd.DataFrame({"age": [1] * 6, "ill": list("abcdef")})
    schema = vk.Schema.guess(frame, ill="sensitive")
    known = vk.Microdata(frame[["age"]])
    found = vk.intruder.unsorted_matching(known, vk.TableRelease.of(frame, schema))
    assert (found.fault, found.warns) == ("", False)


def test_hardly_any_shuffled_table_is_called_not_shuffled():
    frame = pd.DataFrame({"age": range(12)})
    data, rng = vk.Microdata(frame), np.random.default_rng(3)
    wrong = sum(
        bool(
            vk.intruder.unsorted_matching(
                data, vk.TableRelease.of(frame.iloc[rng.permutation(12)])
            ).fault
        )
        for _ in range(200)
    )
    assert wrong <= 0.05 * 200 + 2 * (200 * 0.05 * 0.95) ** 0.5
