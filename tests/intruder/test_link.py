"""Linking original records to released rows, by the paper's attack and by stronger ones."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.intruder import _rank_linkage
from verikit.intruder._rank_linkage import make_repeat
from verikit.protector import correct_links

ATTACKS = ["maximum_rank", "assignment", "normal_scores", "published_mechanism", "strongest"]


def table(*columns, names="abcdefgh"):
    return vk.Microdata(pd.DataFrame(dict(zip(names, columns, strict=False))))


def as_release(data, rows=None):
    frame = data.frame if rows is None else data.frame.take(rows)
    return vk.TableRelease.of(frame.reset_index(drop=True), data.schema)


def correct(data, masked, attack):
    return correct_links(vk.link(data, masked.release, attack=attack), masked.key).count


@given(st.integers(1, 25), st.integers(1, 3), st.sampled_from([2, 5, 10**6]), st.integers(0, 99))
def test_candidates_are_all_rows_at_the_smallest_distance_that_some_breaking_of_ties_gives(
    n, m, spread, seed
):
    """By definition: equal values are 0 apart, others as far as their closest ranks."""
    rng = np.random.default_rng(seed)
    original, released = (table(*rng.integers(0, spread, (m, n))) for _ in range(2))
    links = vk.link(original, as_release(released))
    gaps = np.zeros((n, n))
    for name in original.schema.names:
        ends = [vk.ranks.blocks(t.scores(name)) for t in (original, released)]
        (first, last), (other_first, other_last) = ends
        up = other_first[None] - last[:, None]
        gaps = np.maximum(gaps, np.maximum(up, first[:, None] - other_last[None]))
    for record in range(n):
        rows = links.rows[links.starts[record] : links.starts[record + 1]]
        assert rows.tolist() == np.flatnonzero(gaps[record] == gaps[record].min()).tolist()
    assert links.distances.tolist() == gaps.min(axis=1).tolist()


def test_an_assignment_costs_least_of_all_one_to_one_linkages():
    """Five records: all 120 linkages are tried."""
    rng = np.random.default_rng(3)
    original, released = (table(*rng.normal(size=(2, 5))) for _ in range(2))
    links = vk.link(original, as_release(released), attack="assignment")
    cost = [
        sum(links.compared.places(np.arange(5), np.array(rows)).max(axis=1))
        for rows in itertools.permutations(range(5))
    ]
    assert sorted(links.rows) == list(range(5))
    assert links.measure.sum() == min(cost)


@pytest.mark.parametrize("attack", ["maximum_rank", "assignment", "normal_scores", "strongest"])
def test_a_release_of_the_original_in_another_order_is_linked_completely(attack):
    rng = np.random.default_rng(4)
    data = table(*rng.normal(size=(3, 60)))
    rows = rng.permutation(60)
    links = vk.link(data, as_release(data, rows), attack=attack)
    assert links.rows.tolist() == np.argsort(rows).tolist()


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_order_of_the_rows_of_either_table_does_not_matter(attack, monkeypatch):
    monkeypatch.setattr(_rank_linkage, "MAX_SAMPLES", 4000)
    data = vk.simulate("dm", 80, seed=1)
    release, _ = vk.mask.noise(data, scale=0.3, seed=7)  # one cheapest assignment only
    rng = np.random.default_rng(3)
    of_data, of_release = rng.permutation(80), rng.permutation(80)
    one = vk.link(data, release, attack=attack)
    frame = release.frame.take(of_release).reset_index(drop=True)
    shuffled = vk.TableRelease(frame, release.schema, release.method, release.parameters)
    other = vk.link(data.take(of_data), shuffled, attack=attack)
    place = np.argsort(of_release)
    for record in range(80):
        there = other.rows[other.starts[record] : other.starts[record + 1]]
        here = of_data[record]
        rows = one.rows[one.starts[here] : one.starts[here + 1]]
        assert sorted(there) == sorted(place[rows])


SETTINGS = {
    "noise a tenth": ("noise", {"scale": 0.1}),
    "noise a half": ("noise", {"scale": 0.5}),
    "rank swap 5 %": ("rank_swap", {"percent": 5}),
    "rank swap 10 %": ("rank_swap", {"percent": 10}),
    "shuffle .95": ("shuffle", {"correlation": 0.95}),
    "microaggregation 50": ("microaggregate", {"k": 50}),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_strongest_attack_finds_at_least_as_many_links_as_the_papers(setting):
    data = vk.simulate("dm", 400, seed=1)
    name, arguments = SETTINGS[setting]
    masked = getattr(vk.mask, name)(data, **arguments, seed=2)
    assert correct(data, masked, "strongest") >= correct(data, masked, "maximum_rank")


def test_knowing_the_published_method_doubles_the_links_of_rank_swapping():
    """10 % of 600 records: the intruder who repeats the method knows how far values move."""
    data = vk.simulate("dm", 600, seed=1)
    masked = vk.mask.rank_swap(data, percent=10, seed=2)
    assert correct(data, masked, "published_mechanism") > 1.7 * correct(
        data, masked, "maximum_rank"
    )


@pytest.mark.parametrize("amount", [0.3, 1.0])
def test_a_search_that_begins_where_the_last_one_ended_finds_the_same(amount, monkeypatch):
    """With MIN_UNSETTLED at 2 every search begins anew."""
    data, asked = vk.simulate("dm", 300, seed=4), []
    shares = {name: amount * (1 + at) for at, name in enumerate(data.schema.names)}
    scale = {name: share * data.frame[name].std() for name, share in shares.items()}
    release = vk.mask.noise(data, scale=scale, seed=5).release
    worth = _rank_linkage._find_worths

    def heard(last):
        asked.append(worth(last))
        return asked[-1]

    monkeypatch.setattr(_rank_linkage, "_find_worths", heard)
    found = vk.link(data, release, attack="normal_scores").rows
    assert any((rows < 0).any() for rows in asked)
    monkeypatch.setattr(_rank_linkage, "MIN_UNSETTLED", 2)
    assert (vk.link(data, release, attack="normal_scores").rows == found).all()


def test_normal_scores_learn_which_attribute_was_masked_least():
    """One attribute hardly masked, two masked away: weights make up for it."""
    rng = np.random.default_rng(5)
    data = table(*rng.normal(size=(3, 500)))
    masked = vk.mask.noise(data, scale={"a": 0.02, "b": 1.5, "c": 1.5}, seed=2)
    assert correct(data, masked, "normal_scores") > 1.3 * correct(data, masked, "maximum_rank")


def test_independent_columns_are_linked_by_luck_only():
    """Everything drawn anew: 400 records, at most 6 links by any attack (P(7 or more) < 1e-4)."""
    data = vk.simulate("dm", 400, seed=1)
    masked = vk.mask.shuffle(data, correlation=0, seed=2)
    for attack in ATTACKS:
        assert correct(data, masked, attack) <= 6, attack


def test_the_mechanism_is_repeated_from_what_is_published_only():
    data = vk.simulate("dm", 50, seed=1)
    for name, arguments in SETTINGS.values():
        release, _ = getattr(vk.mask, name)(data, **arguments, seed=2)
        again, _ = make_repeat(release)(data, 3)
        assert again.method == release.method
        assert again.parameters, name
        assert {**release.parameters, **again.parameters} == release.parameters


@pytest.mark.parametrize("attack", ATTACKS)
def test_heavily_tied_columns_are_linked_by_every_attack(attack):
    """Half of a column is one value, as zeros are in incomes: parts of its range hold no rank."""
    rng = np.random.default_rng(6)
    income = np.where(rng.random(200) < 0.5, 0, rng.integers(1, 20, 200))
    data = table(income, rng.normal(size=200), rng.integers(0, 3, 200))
    masked = vk.mask.rank_swap(data, percent=5, seed=2)
    assert correct(data, masked, attack) > 20


@pytest.mark.parametrize(
    ("method", "parameters"), [("", {}), ("a secret method", {}), ("noise", {})]
)
def test_a_method_that_cannot_be_repeated_is_refused_and_left_out_of_the_strongest(
    method, parameters
):
    data = vk.simulate("dm", 30, seed=1)
    release = vk.TableRelease.of(data.frame, method=method, parameters=parameters)
    assert make_repeat(release) is None
    with pytest.raises(vk.InfeasibleError, match=f"method '{method}', which cannot be repeated"):
        vk.link(data, release, attack="published_mechanism")
    attempts = vk.link(data, release, attack="strongest").attempts
    assert list(attempts) == ["maximum_rank", "assignment", "normal_scores"]


def test_published_parameters_that_do_not_fit_the_original_are_named():
    data = vk.simulate("dm", 30, seed=1)
    release = vk.TableRelease.of(data.frame, method="noise", parameters={"scale": {"income": 5}})
    with pytest.raises(vk.InfeasibleError, match="cannot be repeated on the original: scale must"):
        vk.link(data, release, attack="published_mechanism")
    assert "published_mechanism" not in vk.link(data, release, attack="strongest").attempts


def test_many_records_are_linked_by_neighbours_and_that_is_said(monkeypatch):
    """The limit is lowered to 100 records; the neighbours still find more than the paper."""
    data = vk.simulate("dm", 300, seed=1)
    masked = vk.mask.rank_swap(data, percent=8, scheme="cycles", seed=2)
    monkeypatch.setattr(_rank_linkage, "MAX_DENSE", 100)
    monkeypatch.setattr("verikit.intruder._link.MAX_DENSE", 100)
    links = vk.link(data, masked.release, attack="strongest")
    assert list(links.attempts) == ["maximum_rank", "normal_scores", "published_mechanism"]
    assert "lower bound" in links.note
    assert "lower bound" in repr(links)
    assert correct_links(links, masked.key).count > correct(data, masked, "maximum_rank")
    with pytest.raises(vk.InfeasibleError, match="An assignment of 300 records"):
        vk.link(data, masked.release, attack="assignment")


def test_linking_by_one_attribute_compares_ranks_of_that_attribute():
    data = table([3, 1, 2], [1, 2, 3])
    links = vk.link(data, as_release(data, [2, 0, 1]), attributes=["a"])
    assert (links.attributes, links.rows.tolist()) == (("a",), [1, 2, 0])


def test_every_subset_of_the_attributes_is_linked_by():
    data = vk.load("dm_table1")
    found = vk.intruder.link_by_subset(data, vk.published("dm_table1_masked"))
    assert list(found) == [
        ("X1",), ("X2",), ("X3",), ("X1", "X2"), ("X1", "X3"), ("X2", "X3"), ("X1", "X2", "X3"),
    ]  # fmt: skip
    for subset, links in found.items():
        alone = vk.link(data, vk.published("dm_table1_masked"), attributes=list(subset))
        assert links.rows.tolist() == alone.rows.tolist()


def test_too_many_subsets_are_refused():
    data = table(*np.arange(18).reshape(9, 2), names="abcdefghi")
    with pytest.raises(vk.InfeasibleError, match="9 attributes have 511 subsets; name at most 8"):
        vk.intruder.link_by_subset(data, as_release(data))


def test_categories_are_linked_by_the_groups_of_their_hierarchy():
    jobs = vk.Hierarchy.of({"any": {"office": ["clerk", "lawyer"], "trade": ["welder"]}})
    schema = vk.Schema((vk.Column("job", kind="nominal", hierarchy=jobs), vk.Column("age")))
    data = vk.Microdata(pd.DataFrame({"job": ["welder", "clerk"], "age": [1, 2]}), schema)
    links = vk.link(data, as_release(data))
    assert links.attributes == ("age", "job")
    assert links.compared.places(np.array([0, 1, 0]), np.array([0, 1, 1])).tolist() == [
        [0, 0], [0, 0], [1, 1],
    ]  # fmt: skip


def test_what_cannot_be_linked_is_refused_in_a_sentence():
    data = vk.load("dm_table1")
    release = vk.published("dm_table1_masked")
    with pytest.raises(vk.RecordError, match="attack was given as 'best'; expected 'maximum_rank'"):
        vk.link(data, release, attack="best")
    with pytest.raises(vk.RecordError, match="'Y1' must each be named once and be in both"):
        vk.link(data, release, attributes=["Y1"])
    with pytest.raises(vk.RecordError, match="expected a list of names such as"):
        vk.link(data, release, attributes="X1")
    with pytest.raises(vk.errors.InfeasibleError, match="has 20 rows for 19 records; the attack"):
        vk.link(data.take(np.arange(19)), release, attack="assignment")
    with pytest.raises(vk.RecordError, match="The original has 0 records and the release 20"):
        vk.link(data.take(np.arange(0)), release)
    with pytest.raises(vk.SchemaError, match="The release was given as Microdata"):
        vk.link(data, data)
    names = table(["x", "y"])
    with pytest.raises(vk.SchemaError, match="No attribute is in both tables; the original has"):
        vk.plausibility(names, release)
    gaps = table([1.0, None])
    with pytest.raises(vk.SchemaError, match="'a' of the original has 1 missing value"):
        vk.link(gaps, as_release(gaps))


def test_links_tell_candidates_one_by_one_and_as_a_table():
    links = vk.link(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    assert len(links) == 20
    assert links.of(0)["row"].tolist() == [1, 7]
    assert len(links.to_frame()) == len(links.rows) == 24
    assert links.to_frame(3)["record"].tolist() == [1, 1, 2]
    assert "cannot be seen from here" in links._repr_html_()
    with pytest.raises(vk.RecordError, match=r"record was given as 20; .* from 0 to 19"):
        links.of(20)


@pytest.mark.parametrize("attack", ["assignment", "normal_scores", "published_mechanism"])
def test_which_of_equally_good_links_is_taken_does_not_depend_on_where_a_row_lies(attack):
    """Distinct records with many ties: whole numbers in two columns, and a third to name them."""
    rng = np.random.default_rng(0)
    data = table(rng.integers(0, 4, 24), rng.integers(0, 4, 24), range(24))
    release, _ = vk.mask.noise(data, scale={"a": 1e-6, "b": 1e-6, "c": 1e-6}, seed=4)
    release = vk.TableRelease.of(release.frame.round(), release.schema, method="noise",
                                 parameters=release.parameters)  # fmt: skip
    rows, other = (rng.permutation(24) for _ in range(2))
    moved = vk.TableRelease.of(release.frame.iloc[other], release.schema, method="noise",
                               parameters=release.parameters)  # fmt: skip
    plain = vk.link(data, release, attack=attack, attributes=["a", "b"])
    mixed = vk.link(data.take(rows), moved, attack=attack, attributes=["a", "b"])
    assert other[mixed.rows].tolist() == plain.rows[rows].tolist()
    assert mixed.measure.tolist() == plain.measure[rows].tolist()


def test_a_sole_candidate_is_told_and_several_or_none_are_minus_one():
    links = vk.link(vk.load("dm_table1"), vk.published("dm_table1_mapped"))
    right = np.flatnonzero(links.sole == np.arange(20)) + 1
    assert right.tolist() == [4, 5, 7, 12, 14, 20], "the six of Table 4"
    assert (np.flatnonzero(links.sole < 0) + 1).tolist() == [1, 9, 11, 19], "those with several"


@pytest.mark.parametrize("kind", [tuple, np.array, pd.Index])
def test_attributes_are_named_in_a_list_of_any_kind(kind):
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    links = vk.link(data, release, attributes=kind(["X1", "X2"]))
    assert links.attributes == ("X1", "X2")
    assert links.rows.tolist() == vk.link(data, release, attributes=["X1", "X2"]).rows.tolist()
