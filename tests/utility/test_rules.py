"""Associations of a table and of its releases."""

import itertools
import os
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

import verikit as vk
from verikit.analyst import associations, chi_square
from verikit.utility import rules_kept
from verikit.utility._associations import itemsets

pytest.importorskip("mlxtend", reason="associations need mlxtend")


@pytest.fixture(scope="module")
def patients():
    return vk.load("yq_figure1")


def plain(table, support):
    """Every set of values, one a column, and its support, set by set."""
    frame = table.frame[[c.name for c in table.schema if c.role != "identifier"]].astype(str)
    found = {}
    for size in range(1, frame.shape[1] + 1):
        for names in itertools.combinations(frame.columns, size):
            shares = frame[list(names)].value_counts(normalize=True)
            for values, share in shares.items():
                if share >= support - 1e-12:
                    found[frozenset(zip(names, values, strict=True))] = share
    return found


@pytest.mark.parametrize("support", [0.1, 0.2, 0.3])
def test_the_frequent_sets_are_those_of_counting_every_set(patients, support):
    found, expected = itemsets(patients, support), plain(patients, support)
    assert found.keys() == expected.keys()
    assert all(found[items] == pytest.approx(share) for items, share in expected.items())


def test_the_rules_of_the_example_have_the_printed_confidence(patients):
    found = associations(patients, support=0.2, confidence=0.6).set_index(["left", "right"])
    hypertension = "Disease Hypertension"
    assert found.loc[("Job Clerk", hypertension), "confidence"] == pytest.approx(0.75)
    assert found.loc[("Age [30-40], Job Clerk", hypertension), "confidence"] == pytest.approx(2 / 3)
    assert found.loc[("Job Clerk", hypertension), "lift"] == pytest.approx(0.75 / 0.4)
    assert found["confidence"].is_monotonic_decreasing


def all_worlds(release):
    """Every table that comes from linking the rows of each group in some way, equally likely."""
    sides = [(release.quasi, release.labels.quasi), (release.sensitive, release.labels.sensitive)]
    frames = [(f.drop(columns=release.group).reset_index(drop=True), g) for f, g in sides]
    if release.permuted:
        frames = [(f[[name]], g) for f, g in frames for name in f]
    (first, own), *others = frames
    ways = []
    for frame, groups in others:
        for group in range(len(release.labels.names)):
            rows = np.flatnonzero(groups == group)
            ways.append([(frame, own == group, list(p)) for p in itertools.permutations(rows)])
    for world in itertools.product(*ways):
        table = first.copy()
        for frame, people, rows in world:
            for name in frame:
                if name not in table:
                    table[name] = frame[name].iloc[0]
                    table[name] = table[name].astype(object)
                table.loc[people, name] = frame[name].iloc[rows].to_numpy()
        yield table.astype(str)


@st.composite
def grouped(draw):
    """A tiny table in two groups of up to three, anatomized or with every column shuffled."""
    number = draw(st.integers(2, 5))
    values = st.lists(st.sampled_from("ab"), min_size=number, max_size=number)
    frame = pd.DataFrame({name: draw(values) for name in ("q", "r", "s")})
    columns = (vk.Column("q", kind="nominal"), vk.Column("r", kind="nominal"))
    data = vk.Microdata(frame, vk.Schema((*columns, vk.Column("s", "sensitive", "nominal"))))
    cut = draw(st.integers(max(1, number - 3), min(3, number)))
    groups = vk.partition.Partition(np.repeat([0, 1], [cut, number - cut])[:number])
    mask = draw(st.sampled_from([vk.mask.anatomize, vk.mask.permute_all]))
    return mask(data, partition=groups, seed=draw(st.integers(0, 9))).release


@given(grouped())
@settings(max_examples=12, deadline=None)
def test_ra35_supports_of_groups_are_the_mean_over_all_links(release):
    """[YQ] section 7.3 with the uniform associations of formula (13)."""
    tables = list(all_worlds(release))
    expected = Counter()
    for table in tables:
        for size in (1, 2, 3):
            for names in itertools.combinations(table.columns, size):
                for values, share in table[list(names)].value_counts(normalize=True).items():
                    expected[frozenset(zip(names, values, strict=True))] += share / len(tables)
    for least in (0.01, 0.3):
        found = itemsets(release, least)
        assert found == pytest.approx({k: v for k, v in expected.items() if v >= least - 1e-12})
    rules = associations(release, support=0.2, confidence=0.4)
    wanted = {
        (held, held / expected[left])
        for items, held in expected.items()
        for left in (frozenset(item for item in items if item[0] != "s"),)
        if left and left != items and held >= 0.2 - 1e-12
        if held / expected[left] >= 0.4 - 1e-12
    }
    pairs = zip(rules["support"], rules["confidence"], strict=True)
    assert {(round(a, 9), round(b, 9)) for a, b in pairs} == {
        (round(a, 9), round(b, 9)) for a, b in wanted
    }


@given(grouped())
@settings(max_examples=12, deadline=None)
def test_chi_square_of_groups_is_that_of_the_mean_over_all_links(release):
    tables = list(all_worlds(release))
    found = chi_square(release)
    for first, second, statistic in found.itertuples(index=False):
        mean = sum(pd.crosstab(t[first], t[second]).stack() for t in tables) / len(tables)
        mean = mean.unstack()
        test = chi2_contingency(mean, correction=False)
        assert statistic == pytest.approx(test.statistic / len(release), abs=1e-9)
    assert len(found) == 3
    assert found["chi-square"].is_monotonic_decreasing


def covered(cell, tree):
    """What a published cell may be: the values below a node, or the whole numbers of a range."""
    if isinstance(cell, pd.Interval):
        numbers = range(int(cell.left), int(cell.right) + 1)
        return [str(n) for n in numbers if n in cell]
    return [leaf for leaf in tree if cell in tree[leaf]]


TREE = {leaf: (leaf, "few" if leaf in "ab" else "more", "*") for leaf in "abcde"}


@st.composite
def generalized(draw):
    """Up to three rows: a group of a tree, a range of numbers, a clear sensitive value."""
    rows = draw(st.integers(1, 3))
    nodes = st.sampled_from(["a", "c", "few", "more", "*"])
    ends = st.tuples(st.integers(1, 4), st.integers(0, 2))
    spans = [pd.Interval(a, a + n, closed="both") for a, n in (draw(ends) for _ in range(rows))]
    frame = pd.DataFrame({
        "q": pd.Categorical([draw(nodes) for _ in range(rows)]),
        "age": pd.arrays.IntervalArray(spans),
        "s": [draw(st.sampled_from("xy")) for _ in range(rows)],
    })  # fmt: skip
    tree = vk.Hierarchy.of({"*": {"few": ["a", "b"], "more": ["c", "d", "e"]}})
    columns = (vk.Column("q", "quasi", "nominal", hierarchy=tree), vk.Column("age"))
    schema = vk.Schema((*columns, vk.Column("s", "sensitive", "nominal")))
    return vk.TableRelease.of(frame, schema, promise="covers")


@given(generalized())
@settings(max_examples=20, deadline=None)
def test_ra37_supports_of_generalized_tables_are_the_mean_over_all_originals(release):
    """[YQ] formula (12): every value that a cell covers, in each column, as often as the others."""
    cells = [
        [covered(row["q"], TREE), covered(row["age"], TREE), [row["s"]]]
        for _, row in release.frame.iterrows()
    ]
    rows = [list(itertools.product(*row)) for row in cells]
    expected, worlds = Counter(), list(itertools.product(*rows))
    for world in worlds:
        for row in world:
            pairs = list(zip(("q", "age", "s"), row, strict=True))
            for size in (1, 2, 3):
                for items in itertools.combinations(pairs, size):
                    expected[frozenset(items)] += 1 / len(world) / len(worlds)
    for least in (0.01, 0.2, 0.5):
        assert itemsets(release, least) == pytest.approx(
            {items: held for items, held in expected.items() if held >= least - 1e-12}
        )
    rules = associations(release, support=0.2, confidence=0.5)
    right = {
        (round(held, 9), round(held / expected[left], 9))
        for items, held in expected.items()
        for left in (frozenset(item for item in items if item[0] != "s"),)
        if left and left != items and held >= 0.2 - 1e-12 and held / expected[left] >= 0.5 - 1e-12
    }
    pairs = zip(rules["support"], rules["confidence"], strict=True)
    assert {(round(a, 9), round(b, 9)) for a, b in pairs} == right


@given(generalized())
@settings(max_examples=20, deadline=None)
def test_chi_square_of_generalized_tables_is_that_of_the_mean_over_all_originals(release):
    """[YQ] formula (12): every value that a cell covers, in each column, as often as the others."""
    for first, second, statistic in chi_square(release).itertuples(index=False):
        mean = Counter()
        for _, row in release.frame.iterrows():
            named = {"q": covered(row["q"], TREE), "age": covered(row["age"], TREE), "s": row["s"]}
            sides = [list(named[name]) for name in (first, second)]
            for pair in itertools.product(*sides):
                mean[pair] += 1 / len(sides[0]) / len(sides[1])
        table = pd.Series(mean).unstack(fill_value=0)
        test = chi2_contingency(table, correction=False)
        assert statistic == pytest.approx(test.statistic / len(release), abs=1e-9)


def test_a_generalized_cell_is_a_value_of_its_own_only_where_that_is_asked_for():
    tree = vk.Hierarchy.of({"*": {"few": ["a", "b"], "more": ["c"]}})
    column = vk.Column("q", kind="nominal", hierarchy=tree)
    schema = vk.Schema((column, vk.Column("s", "sensitive", "nominal")))
    frame = pd.DataFrame({"q": pd.Categorical(["few", "few", "a", "a"]), "s": list("xxyy")})
    release = vk.TableRelease.of(frame, schema, promise="covers")
    # a with x 1, a with y 2, b with x 1: of four, 3 a and 1 b, 2 x and 2 y
    expected = 1 / (3 * 2) + 4 / (3 * 2) + 1 / (1 * 2) - 1
    assert chi_square(release)["chi-square"].tolist() == pytest.approx([expected])
    assert chi_square(release, spread=False)["chi-square"].tolist() == [1.0]


def test_a_rule_of_the_original_is_found_again_in_a_generalized_table_only_if_cells_are_spread():
    tree = vk.Hierarchy.of({"*": {"few": ["a", "b"]}})
    column = vk.Column("q", kind="nominal", hierarchy=tree)
    schema = vk.Schema((column, vk.Column("s", "sensitive", "nominal")))
    data = vk.Microdata(pd.DataFrame({"q": list("aabb"), "s": list("xxxy")}), schema)
    frame = pd.DataFrame({"q": pd.Categorical(["few"] * 4), "s": list("xxyx")})
    release = vk.TableRelease.of(frame, schema, promise="covers")
    asked = {"support": 0.3, "confidence": 0.5}
    assert repr(rules_kept(data, release, **asked)) == "1 of 1 associations kept, 1 invented"
    assert repr(rules_kept(data, release, spread=False, **asked)) == (
        "0 of 1 associations kept, 1 invented"
    )


def test_figure_7_is_measured_on_the_two_tables(patients):
    """Group by group of Figure 4, by hand: clerks with hypertension are 4 of 10, now expected."""
    release = vk.published("yq_figure4")
    clerk = frozenset({("Job", "Clerk"), ("Disease", "Hypertension")})
    groups = [
        (
            (release.quasi.loc[release.labels.quasi == at, "Job"] == "Clerk").sum(),
            (release.sensitive.loc[release.labels.sensitive == at, "Disease"]
             == "Hypertension").mean(),
        )
        for at in range(len(release.labels.names))
    ]  # fmt: skip
    assert itemsets(release, 0.01)[clerk] == pytest.approx(sum(a * b for a, b in groups) / 10)
    assert rules_kept(patients, release, support=0.2, confidence=0.6).share < 1


def test_kept_lost_and_invented_add_up(patients):
    release = vk.published("yq_figure5")
    for what in ("rules", "sets"):
        found = rules_kept(patients, release, support=0.2, confidence=0.5, what=what)
        frame = found.to_frame()
        assert (frame["original"] == frame["kept"] + frame["lost"]).all()
        other = rules_kept(
            patients, vk.TableRelease.of(patients.frame.drop(columns="Name"),
                                         patients.schema.released, promise="as it was"),
            support=0.2, confidence=0.5, what=what,
        )  # fmt: skip
        assert other.share == 1
        assert other.to_frame()["invented"].sum() == 0
        assert found.share < 1


def test_a_threshold_must_be_a_share_and_the_kind_known(patients):
    release = vk.published("yq_figure5")
    for wrong in (0, -0.1, 1.5):
        with pytest.raises(vk.RecordError, match=r"support was given as .* expected a share above"):
            associations(patients, support=wrong)
    with pytest.raises(vk.RecordError, match="expected 'rules' or 'sets'"):
        rules_kept(patients, release, what="both")
    with pytest.raises(vk.SchemaError, match="asked of DataFrame; expected Microdata or a rel"):
        associations(patients.frame)


def test_a_table_without_frequent_values_has_no_rules(patients):
    assert len(associations(patients, support=0.9)) == 0
    found = rules_kept(patients, vk.published("yq_figure5"), support=0.9)
    assert np.isnan(found.share)


def test_without_mlxtend_it_is_said_what_to_install(patients, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlxtend.frequent_patterns", None)
    with pytest.raises(vk.FormatError, match=r"install verikit\[rules\]"):
        associations(patients)


QI = [
    "age", "workclass", "education", "marital-status", "relationship", "race", "sex",
    "native-country", "salary-class",
]  # fmt: skip


@pytest.fixture(scope="module")
def people():
    folder = Path(os.environ.get("VERIKIT_DATASETS", "no folder")) / "adult"
    if not folder.is_dir():
        pytest.skip("the real data sets are not at hand; set VERIKIT_DATASETS")
    data = vk.datasets.adult(folder)
    columns = (
        *(vk.Column(n, kind=data.schema[n].kind) for n in QI),
        vk.Column("occupation", "sensitive", "nominal"),
    )
    return vk.Microdata(data.frame[[*QI, "occupation"]], vk.Schema(columns))


def test_adult_has_the_sets_of_mlxtends_apriori_and_no_slower(people):
    from mlxtend.frequent_patterns import apriori

    def timed(run):
        start = time.process_time()
        return run(), time.process_time() - start

    def plainly():
        dummies = pd.get_dummies(people.frame.astype(str), prefix_sep="\x00")
        return apriori(dummies, min_support=0.08, use_colnames=True)

    runs = [(timed(lambda: itemsets(people, 0.08)), timed(plainly)) for _ in range(5)]
    ours, others = zip(*runs, strict=True)  # in turns: what else runs meanwhile slows both
    found, theirs = ours[0][0], others[0][0]
    expected = {
        frozenset(tuple(item.split("\x00")) for item in items) for items in theirs["itemsets"]
    }
    assert found.keys() == expected
    print(f"{[round(took, 2) for _, took in ours]} {[round(took, 2) for _, took in others]} s")
    assert min(took for _, took in ours) < min(took for _, took in others)
    assert len(found) == 609


def test_ra35_ra36_fewer_associations_of_adult_are_kept_the_more_is_changed(people):
    """In one seed each: as sets about 93 to 69 %, as rules 58 % to none."""
    shares = {"sets": [], "rules": []}
    for changed in (1, 5, 9):
        release, _ = vk.mask.randomize(people, changed=changed, probabilities="equal", seed=1)
        for what, found in shares.items():
            kept = rules_kept(people, release, what=what)
            assert kept.to_frame()["original"].sum() == {"sets": 609, "rules": 19}[what]
            found.append(kept.share)
            if (what, changed) == ("rules", 1):
                assert kept.to_frame()["original"].tolist() == [4, 7, 6, 2]
    assert shares["sets"] == pytest.approx([0.928, 0.737, 0.683], abs=0.04)
    assert shares["rules"] == sorted(shares["rules"], reverse=True)
    assert shares["rules"][-1] == 0
