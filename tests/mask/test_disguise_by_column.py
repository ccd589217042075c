"""Several sensitive columns that each show a target: [QZ]_ section 3.3.1, by exhaustive search."""

import itertools
from collections import Counter, defaultdict
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.mask import Tolerance, disguise
from verikit.models import personal_respect, target_privacy
from verikit.targets import balanced

PAY = vk.Hierarchy(balanced([1, 2, 3, 4]).levels, {1: 1, 2: 1, 3: 1, 4: 1})
TREE = vk.Hierarchy.of({"any": {"hand": ["cook", "mason"], "head": ["clerk"]}})
JOB = vk.Hierarchy(TREE.levels, {"cook": 1, "mason": 1, "clerk": 2})
TARGETS = {"pay": PAY, "job": JOB}
SCHEMA = vk.Schema(
    (
        vk.Column("town", kind="nominal"),
        vk.Column("pay", "sensitive"),
        vk.Column("job", "sensitive", "nominal"),
    )
)
# by node the values below it, and its range: of numbers their distance, else their number less one
NODES = {
    "pay": {str(v): ((str(v),), 0) for v in (1, 2, 3, 4)}
    | {"[1, 2]": (("1", "2"), 1), "[3, 4]": (("3", "4"), 1), "[1, 4]": (("1", "2", "3", "4"), 3)},
    "job": {v: ((v,), 0) for v in ("cook", "mason", "clerk")}
    | {"hand": (("cook", "mason"), 1), "any": (("cook", "mason", "clerk"), 2)},
}
SHARES = {
    "pay": dict.fromkeys("1234", Fraction(1, 4)),
    "job": {"cook": Fraction(1, 4), "mason": Fraction(1, 4), "clerk": Fraction(1, 2)},
}
PEOPLE = st.lists(
    st.tuples(
        st.sampled_from("pq"),
        st.sampled_from([1, 2, 3, 4]),
        st.sampled_from(["cook", "mason", "clerk"]),
    ),
    min_size=1,
    max_size=6,
)
pytestmark = pytest.mark.filterwarnings("ignore:Of .* are the root")


def table(rows):
    return vk.Microdata(pd.DataFrame(rows, columns=["town", "pay", "job"]), SCHEMA)


def infer(column, nodes):
    """Definition 3.3.1: the chance of each value, each node being as likely and read as target."""
    found = defaultdict(Fraction)
    for node in nodes:
        below = NODES[column][node][0]
        for value in below:
            share = SHARES[column][value] / sum(SHARES[column][v] for v in below)
            found[value] += share / len(nodes)
    return dict(found)


def covers(column, nodes, values):
    """Definition 3.3.2: some one-to-one mapping leads from the values to nodes that hold them."""
    return any(
        all(value in NODES[column][node][0] for node, value in zip(way, values, strict=True))
        for way in itertools.permutations(nodes)
    )


def least_range(column, values):
    """The least sum of ranges of all private generalizations (Problem 3.4.1)."""
    multisets = itertools.combinations_with_replacement(NODES[column], len(values))
    return min(
        sum(NODES[column][node][1] for node in nodes)
        for nodes in multisets
        if infer(column, nodes) == SHARES[column] and covers(column, nodes, values)
    )


def cells_by_group(release, column):
    return release.sensitive.groupby(release.group)[column].agg(lambda cells: [*map(str, cells)])


@given(PEOPLE, st.sampled_from([None, "quasi"]))
def test_each_column_is_the_best_that_one_alone_can_be_in_the_same_groups(rows, groups):
    data = table(rows)
    release, key = disguise(data, hierarchy=TARGETS, groups=groups, seed=3)
    towns = sorted({town for town, _, _ in rows}) if groups else [None]
    for at, column in enumerate(["pay", "job"], 1):
        parts = [[str(row[at]) for row in rows if town in (None, row[0])] for town in towns]
        told = release.parameters["columns"][column]
        assert Fraction(told["sum of ranges"]) == sum(least_range(column, part) for part in parts)
        found = cells_by_group(release, column)
        assert all(infer(column, nodes) == SHARES[column] for nodes in found)
        cells = release.sensitive[column].to_numpy()[key.columns[column]]
        assert all(
            str(row[at]) in NODES[column][str(c)][0] for row, c in zip(rows, cells, strict=True)
        )
        assert target_privacy(release, sensitive=column).met


@given(PEOPLE.filter(lambda rows: len(rows) <= 4), st.integers(1, 2))
def test_all_columns_get_as_many_fakes_which_cost_least_together(rows, most):
    release = disguise(table(rows), hierarchy=TARGETS, fakes=most, seed=3).release

    def cost(number):
        total = Fraction(0)
        for at, column in enumerate(["pay", "job"], 1):
            values = [str(row[at]) for row in rows]
            leaves = [node for node, (below, _) in NODES[column].items() if below == (node,)]
            ways = itertools.combinations_with_replacement(leaves, number)
            width = max(span for _, span in NODES[column].values())
            total += Fraction(min(least_range(column, [*values, *way]) for way in ways), width)
        return total

    costs = [cost(number) for number in range(most + 1)]
    assert release.parameters["added"] == costs.index(min(costs))
    told = release.parameters["columns"]
    total = Fraction(told["pay"]["sum of ranges"]) / 3 + Fraction(told["job"]["sum of ranges"]) / 2
    assert total == min(costs)


def list_originals(release):
    """Each way to deal the cells of each column to the people of a group, and to read them."""
    towns, ways = release.quasi["town"].tolist(), []
    for column in ("pay", "job"):
        for group, nodes in cells_by_group(release, column).items():
            people = [at for at, own in enumerate(release.quasi[release.group]) if own == group]
            found = Counter()
            for dealt in itertools.permutations(nodes, len(people)):
                for values in itertools.product(*(NODES[column][node][0] for node in dealt)):
                    chance = Fraction(1)
                    for node, value in zip(dealt, values, strict=True):
                        chance *= infer(column, [node])[value]
                    pairs = zip(people, values, strict=True)
                    found[tuple((at, column, value) for at, value in pairs)] += chance
            total = sum(found.values())
            ways.append({way: chance / total for way, chance in found.items()})
    worlds = Counter()
    for chosen in itertools.product(*(way.items() for way in ways)):
        chance, held = Fraction(1), {}
        for way, share in chosen:
            chance *= share
            held |= {(at, column): value for at, column, value in way}
        rows = tuple((t, held[at, "pay"], held[at, "job"]) for at, t in enumerate(towns))
        worlds[rows] += chance
    return worlds


TINY = [
    ([("p", 1, "cook"), ("p", 1, "clerk"), ("q", 3, "mason")], {}),
    ([("p", 1, "clerk"), ("p", 4, "cook")], {"fakes": 1}),
    ([("p", 1, "clerk"), ("p", 2, "cook"), ("p", 4, "clerk")], {"groups": None}),
]


@pytest.mark.parametrize(("rows", "asked"), TINY)
def test_originals_and_answers_know_nothing_of_what_goes_with_what(rows, asked):
    release = disguise(
        table(rows), **{"hierarchy": TARGETS, "groups": "quasi", "seed": 5, **asked}
    ).release
    expected = list_originals(release)
    found = vk.worlds(release)
    listed = {
        tuple((str(a), f"{b:g}", str(c)) for a, b, c in world.frame.itertuples(index=False)): chance
        for world, chance in zip(found, found.chances, strict=True)
    }
    assert listed == pytest.approx({way: float(chance) for way, chance in expected.items()})
    for pay, job in itertools.product((1, 2), ("clerk", "cook")):
        counts = Counter()
        for way, chance in expected.items():
            counts[sum((row[1], row[2]) == (str(pay), job) for row in way)] += chance
        answer = vk.answer(f"select count(*) from t where pay = {pay} and job = '{job}'", release)
        assert answer.lower <= min(counts) <= max(counts) <= answer.upper
        mean = float(sum(number * chance for number, chance in counts.items()))
        assert answer.estimate == pytest.approx(mean)
        total = sum(
            chance * sum(int(row[1]) for row in way if row[2] == job)
            for way, chance in expected.items()
        )
        answer = vk.answer(f"select sum(pay) from t where job = '{job}'", release)
        assert answer.estimate == pytest.approx(float(total))


def test_which_row_a_value_stands_in_tells_nothing_of_the_other_column():
    data = table([("p", 1, "clerk"), ("p", 3, "cook")])
    near = {"pay": 1, "job": 1}  # every value is published as it is
    together = 0
    for seed in range(400):
        release, key = disguise(data, hierarchy=TARGETS, tolerance=near, seed=seed)
        assert {*map(str, release.sensitive["pay"])} == {"1", "3"}
        together += int(key.columns["pay"][0] == key.columns["job"][0])
    assert 150 < together < 250  # by chance 200; one in two million lies outside
    assert release.apart


@pytest.mark.parametrize("seed", range(6))
def test_a_link_knows_nothing_of_what_goes_with_what_either(seed):
    data = table([("p", 1, "clerk"), ("p", 3, "cook")])
    release = disguise(data, hierarchy=TARGETS, tolerance=1, seed=seed).release
    assert vk.link(data, release).counts.tolist() == [2, 2]


@given(PEOPLE)
def test_the_check_tells_of_each_column_what_its_groups_show(rows):
    release = disguise(table(rows), hierarchy=TARGETS, groups="quasi", seed=2).release
    report = vk.check({"town": rows[0][0], "pay": rows[0][1]}, release)
    group = release.quasi.loc[release.quasi["town"] == rows[0][0], release.group].iloc[0]
    shown = report.tables["distribution"]
    for column in ("pay", "job"):
        expected = infer(column, cells_by_group(release, column)[group])
        part = shown[shown["attribute"] == column]
        found = dict(zip(part["value"], part["of 100 for you"] / 100, strict=True))
        assert found == pytest.approx({v: float(expected.get(v, 0)) for v in SHARES[column]})
    said = [one.text for one in report.sentences if one.key == "D2"]
    assert [("pay" in text, "job" in text) for text in said] == [(True, False), (False, True)]
    sizes = Counter(town for town, _, _ in rows)
    values = next(one.text for one in report.sentences if one.key == "D4")
    assert values.startswith(f"Published there are {2 * sizes[rows[0][0]]} values:")


def test_a_column_that_gives_her_away_stands_first():
    one = vk.Hierarchy(JOB.levels, {"cook": 0, "mason": 0, "clerk": 1})
    data = table([("p", 1, "clerk"), ("p", 4, "clerk")])
    release = disguise(data, hierarchy={"pay": PAY, "job": one}, seed=1).release
    report = vk.check({"town": "p"}, release)
    assert report.headline.text == (
        "Someone who knows your values learns your job: clerk is all that is published for your "
        "group."
    )


def test_a_node_is_required_of_the_columns_that_have_it():
    rows = [("p", 1, "cook"), ("p", 1, "cook"), ("p", 3, "clerk"), ("p", 4, "clerk")]
    data = table(rows)
    near = {"job": 0, "pay": 1}
    release = disguise(data, hierarchy=TARGETS, tolerance=near, seed=1).release
    hers = {"town": "p", "pay": 1}
    assert vk.check(hers, release, node="hand").met is True
    assert vk.check(hers, release, node="[1, 4]").met is False  # 1, 1, 3, 4 are shown
    with pytest.raises(vk.RecordError, match="'x'; expected a group of values of 'pay' or 'job'"):
        vk.check(hers, release, node="x")
    with pytest.raises(vk.RecordError, match="does not hold your value '1'"):
        vk.check(hers, release, node="[3, 4]")
    levels = [
        personal_respect(release, data, requirement=2, sensitive=name).met for name in TARGETS
    ]
    assert levels == [False, True]


def test_it_goes_to_disk_and_back_by_column(tmp_path):
    data = table([("p", 1, "cook"), ("q", 4, "clerk"), ("q", 3, "cook")])
    half = vk.Hierarchy(PAY.levels, {1: 2, 2: 1, 3: 1, 4: 2})
    by_group = {"pay": [PAY, half], "job": JOB}
    parts = vk.Partition.of(data.frame["town"])
    made = disguise(
        data,
        hierarchy=by_group,
        groups=parts,
        fakes=1,
        tolerance={"pay": {"[1, 4]": "1/5"}},
        seed=1,
    ).release
    made.save(tmp_path / "release")
    back = vk.open_release(tmp_path / "release")
    assert back.apart
    assert [c.name for c in back.schema.sensitive] == ["pay", "job"]
    for name in TARGETS:
        verdicts = [target_privacy(one, sensitive=name) for one in (made, back)]
        assert verdicts[0].shown == verdicts[1].shown
        near = {"[1, 4]": "1/5"} if name == "pay" else 0
        assert target_privacy(back, sensitive=name, tolerance=near).met
    assert vk.check({"town": "q"}, back).sentences == vk.check({"town": "q"}, made).sentences


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"hierarchy": {"pay": PAY}}, "expected a target for each sensitive column"),
        ({"hierarchy": {**TARGETS, "town": PAY}}, "expected a target for each sensitive column"),
        ({"tolerance": {"[1, 4]": 1}}, r"columns 'pay', 'job', '\[1, 4\]'"),
        ({"hierarchy": PAY}, "give hierarchy= by column"),
        ({"groups": "finest"}, "each has finest groups of its own"),
        ({"fakes": 1, "tolerance": Tolerance("1/5", searched=True)}, "1 fakes were asked for"),
    ],
)
def test_what_cannot_be_shown_by_column_is_refused_in_one_sentence(asked, words):
    with pytest.raises(vk.VerikitError, match=words):
        disguise(table([("p", 1, "cook")]), **{"hierarchy": TARGETS, "seed": 1, **asked})


def test_one_column_of_several_is_asked_for_by_name():
    release = disguise(table([("p", 1, "cook")]), hierarchy=TARGETS, seed=1).release
    with pytest.raises(vk.SchemaError, match=r"2 sensitive columns \('pay', 'job'\); name"):
        target_privacy(release)


def test_a_dictionary_of_one_column_says_the_same_as_its_target_alone():
    data = table([("p", 1, "cook"), ("p", 2, "cook"), ("q", 2, "clerk")]).only("town", "pay")
    one, other = (disguise(data, hierarchy=h, seed=1).release for h in (PAY, {"pay": PAY}))
    pd.testing.assert_frame_equal(one.sensitive, other.sensitive)
    assert (dict(one.parameters), one.apart) == (dict(other.parameters), False)
