"""Groups of alike records that mix their sensitive values, by the two algorithms of [LHCC]_."""

import inspect
import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit._support import compiled as _compiled
from verikit.models import frequency_diversity
from verikit.partition import _diversity, diverse
from verikit.partition._diversity import deal_records, halve_in_turn, make_task, split_table
from verikit.partition._partition import check_request
from verikit.utility import ncp

KINDS = {"age": "numeric", "size": "numeric", "job": "nominal", "town": "nominal"}


def table(frame, kinds=KINDS, **changes):
    """Microdata whose last column is sensitive."""
    *known, hidden = frame.columns
    columns = [vk.Column(name, kind=kinds[name]) for name in known]
    schema = vk.Schema((*columns, vk.Column(hidden, "sensitive", "nominal")))
    for name, part in changes.items():
        schema = schema.with_column(name, **part)
    return vk.Microdata(frame, schema)


def people(records, rng, values="abcdefgh"):
    return pd.DataFrame(
        {
            "age": rng.integers(18, 70, records),
            "size": np.round(rng.normal(170, 10, records), 1),
            "job": rng.choice(list("uvwxyz"), records),
            "town": rng.choice(list("pq"), records),
            "illness": rng.choice(list(values), records),
        }
    )


# -- algorithm 2, step by step ------------------------------------------------------------------


def penalty(half, domains):
    """Definition 3 for a half as it stands, in fractions: the sum over its records."""
    total = Fraction(0)
    for place, domain in enumerate(domains):
        held = [record[place] for record in half]
        if isinstance(domain, tuple):
            low, high = domain
            total += Fraction(max(held) - min(held), high - low) if high > low else 0
        elif len(set(held)) > 1:
            total += Fraction(len(set(held)), len(domain))
    return total * len(half)


def corners_of(task, sizes):
    """Where the artificial records of each part stand: at the corners of the table."""
    rows = np.arange(sum(sizes))
    return _diversity._find_corners(task, rows, np.array(sizes), "table").tolist()


def cut_literally(records, order, domains):
    """Lines 5 to 7 of Algorithm 2: the half of each record, 1 for the first."""
    first = [tuple(d[-1] for d in domains)]
    second = [tuple(d[0] for d in domains)]
    side = []
    for row in order:
        with_first, with_second = [*first, records[row]], [*second, records[row]]
        rise1 = penalty(with_first, domains) - penalty(first, domains)
        rise2 = penalty(with_second, domains) - penalty(second, domains)
        side.append(int(rise1 < rise2))
        first, second = (with_first, second) if rise1 < rise2 else (first, with_second)
    return side


@given(st.integers(2, 30), st.integers(0, 10_000))
def test_a_cut_follows_the_paper_step_by_step(records, seed):
    rng = np.random.default_rng(seed)
    frame = people(records, rng).drop(columns="size")
    data = table(frame)
    task = make_task(data, check_request(data, 1, None, "refuse", "diverse"), "refuse")
    order = rng.permutation(records)
    side, kept = [0] * records, [0]
    start, end = np.array([0, records]), corners_of(task, [records])
    inspect.unwrap(halve_in_turn)(task.as_lists(), order.tolist(), start.tolist(), end, side, kept)
    domains = [
        (int(frame["age"].min()), int(frame["age"].max())),
        sorted(set(frame["job"])),
        sorted(set(frame["town"])),
    ]
    rows = list(frame[["age", "job", "town"]].itertuples(index=False, name=None))
    rows = [(int(age), job, town) for age, job, town in rows]
    assert side == cut_literally(rows, order.tolist(), domains)


@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 1000))
def test_a_cut_is_kept_exactly_if_both_halves_are_diverse_and_not_empty(records, ell, seed):
    rng = np.random.default_rng(seed)
    data = table(people(records, rng, "abc"))
    most = data.frame["illness"].value_counts().iloc[0]
    request = check_request(data, min(ell, records // most), None, "refuse", "diverse")
    task = make_task(data, request, "refuse")
    order, middle = rng.permutation(records), int(rng.integers(1, records))
    starts = [0, middle, records]
    side, kept = [0] * records, [0, 0]
    ends = corners_of(task, [middle, records - middle])
    inspect.unwrap(halve_in_turn)(task.as_lists(), order.tolist(), starts, ends, side, kept)
    for group, (begin, end) in enumerate(itertools.pairwise(starts)):
        inside, halves = order[begin:end], np.array(side[begin:end])
        fits = True
        for half in (0, 1):
            held = np.bincount(request.codes[inside[halves == half]], minlength=1)
            fits &= held.sum() > 0 and held.max() * request.ell <= held.sum()
        assert kept[group] == fits


def test_no_part_could_be_halved_less_than_it_was_by_more_tries():
    data = table(people(300, np.random.default_rng(1)))
    few, many = (ncp(data, diverse(data, ell=2, tries=tries, seed=1)).total for tries in (1, 20))
    assert many < few


@pytest.mark.parametrize("records", [400, 1500])
@pytest.mark.parametrize("ell", [2, 5])
def test_compiled_and_plain_loops_give_the_same_groups(monkeypatch, records, ell):
    pytest.importorskip("numba")
    data = table(people(records, np.random.default_rng(records)))
    plain = diverse(data, ell=ell, seed=3)
    ran = []
    machine_code = _compiled._machine_code
    monkeypatch.setattr(
        _compiled, "_machine_code", lambda f: ran.append(f.__name__) or machine_code(f)
    )
    monkeypatch.setattr(_diversity, "COMPILED_FROM", 0)
    assert (diverse(data, ell=ell, seed=3).labels == plain.labels).all()
    assert "halve_in_turn" in ran


def test_small_tables_are_never_compiled(monkeypatch):
    monkeypatch.setattr(_compiled, "_machine_code", None)
    diverse(table(people(200, np.random.default_rng(1))), ell=2, seed=1)


@pytest.mark.parametrize("kinds", ["numbers only", "categories only", "nothing known"])
def test_any_mix_of_columns_can_be_halved(monkeypatch, kinds):
    names = {
        "numbers only": ["age", "size"],
        "categories only": ["job", "town"],
        "nothing known": [],
    }
    frame = people(120, np.random.default_rng(5))[[*names[kinds], "illness"]]
    plain = diverse(table(frame), ell=2, seed=1)
    assert plain.sizes.min() >= 2
    if _compiled.has_numba():
        monkeypatch.setattr(_diversity, "COMPILED_FROM", 0)
        assert (diverse(table(frame), ell=2, seed=1).labels == plain.labels).all()


def test_numbers_that_are_not_whole_fall_as_their_exact_fractions_would():
    rng = np.random.default_rng(8)
    whole = rng.integers(0, 64, 50)
    frame = pd.DataFrame(
        {"age": whole, "job": rng.choice(list("uvwx"), 50), "illness": list("ab") * 25}
    )
    quarters = frame.assign(age=whole / 4 + 0.25)
    labels = [diverse(table(f), ell=2, seed=2).labels for f in (frame, quarters)]
    assert (labels[0] == labels[1]).all()


def test_huge_and_tiny_numbers_lose_no_record():
    frame = pd.DataFrame(
        {"age": [1e300, -1e300, 0, 5e-324, 1, 2, 3, 4], "illness": list("abababab")}
    )
    assert diverse(table(frame), ell=2, seed=1).sizes.sum() == 8


# -- what comes out -----------------------------------------------------------------------------


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from("uvw"), st.integers(0, 5)),
        min_size=1,
        max_size=70,
    ),
    st.integers(1, 6),
    st.integers(0, 100),
)
def test_every_partition_is_diverse_or_the_largest_ell_is_named(drawn, ell, seed):
    frame = pd.DataFrame(drawn, columns=["age", "job", "illness"])
    data = table(frame.astype({"illness": str}))
    most = frame["illness"].value_counts().iloc[0]
    if most * ell > len(frame):
        with pytest.raises(vk.InfeasibleError, match=rf"reached is {len(frame) // most}\."):
            diverse(data, ell=ell, seed=seed)
        return
    groups = diverse(data, ell=ell, seed=seed)
    assert ell <= groups.sizes.min()
    assert groups.sizes.max() <= 2 * ell - 1
    held = pd.crosstab(groups.labels, data.frame["illness"].astype(str)).to_numpy()
    assert held.max() == 1, "no value twice in a group"
    release, _ = vk.mask.permute_all(data, partition=groups, seed=seed)
    assert frequency_diversity(release, ell=ell).met


def test_alike_records_stay_together():
    rng = np.random.default_rng(1)
    data = table(people(600, rng))
    ours, blind = diverse(data, ell=3, seed=1), vk.partition.anatomy(data, ell=3, seed=1)
    assert ncp(data, ours).total < 0.6 * ncp(data, blind).total


def test_two_clusters_far_apart_are_not_mixed():
    frame = pd.DataFrame(
        {"age": [1, 2, 3, 4, 91, 92, 93, 94], "job": list("uuuuzzzz"), "illness": list("abcdabcd")}
    )
    groups = diverse(table(frame), ell=2, seed=1)
    for group in groups.groups():
        assert len(set(frame["job"][group])) == 1


def test_the_groups_do_not_depend_on_order_index_or_dtype():
    frame = people(150, np.random.default_rng(7))
    data = table(frame)
    whole = diverse(data, ell=3, seed=4)
    rows = np.random.default_rng(1).permutation(150)
    assert (diverse(data.take(rows), ell=3, seed=4).labels == whole.labels[rows]).all()
    odd = frame.set_axis([3] * 150).astype({"age": "float64", "job": "category", "town": object})
    assert (diverse(table(odd), ell=3, seed=4).labels == whole.labels).all()


def test_the_same_seed_gives_the_same_groups_and_another_seed_others():
    data = table(people(200, np.random.default_rng(2)))
    labels = [diverse(data, ell=2, seed=seed).labels for seed in (1, 1, 2)]
    assert (labels[0] == labels[1]).all()
    assert (labels[0] != labels[2]).any()


def test_a_partition_tells_how_it_was_made_but_not_the_seed():
    groups = diverse(table(people(50, np.random.default_rng(2))), ell=2, tries=3, seed=1)
    assert groups.method == "diverse"
    told = {"ell": 2, "tries": 3, "corners": "part", "sensitive": "illness"}
    assert groups.parameters == told


def test_one_group_where_only_one_is_possible():
    frame = pd.DataFrame({"age": [1, 2, 3], "illness": list("abc")})
    assert diverse(table(frame), ell=3, seed=1).sizes.tolist() == [3]
    assert diverse(table(frame), ell=2, seed=1).sizes.tolist() == [3]


def test_ell_1_gives_everyone_a_group_of_her_own():
    data = table(people(40, np.random.default_rng(2)))
    assert diverse(data, ell=1, seed=1).sizes.tolist() == [1] * 40


def test_all_equal_sensitive_values_can_only_have_ell_1():
    frame = pd.DataFrame({"age": [1, 2, 3], "illness": list("aaa")})
    with pytest.raises(vk.InfeasibleError, match=r"3 of 3 records have 'a'.*reached is 1"):
        diverse(table(frame), ell=2, seed=1)


def test_a_missing_number_is_refused_and_a_missing_category_may_be_one_of_its_own():
    frame = people(30, np.random.default_rng(4))
    numbers = frame.assign(age=[None, *frame["age"][1:]])
    with pytest.raises(vk.SchemaError, match="'age' has 1 missing value and so no order"):
        diverse(table(numbers), ell=2, missing="own value", seed=1)
    categories = frame.assign(job=[None, *frame["job"][1:]])
    with pytest.raises(vk.SchemaError, match="'job' has 1 missing value"):
        diverse(table(categories), ell=2, seed=1)
    assert diverse(table(categories), ell=2, missing="own value", seed=1).sizes.sum() == 30


def test_declared_categories_that_do_not_occur_belong_to_the_domain():
    frame = pd.DataFrame({"job": list("uuvv"), "illness": list("abab")})
    data = table(frame, job={"order": ("t", "u", "v", "w")})
    assert ncp(data, vk.Partition.of([0, 0, 0, 0])).total == 4 * 2 / 4
    assert diverse(data, ell=2, seed=1).sizes.tolist() == [2, 2]


def test_an_ordinal_column_counts_by_the_distance_of_its_categories():
    stages = ("I", "II", "III", "IV", "V")
    frame = pd.DataFrame({"job": ["I", "I", "II", "IV", "V", "V"], "illness": list("abcabc")})
    data = table(frame, job={"kind": "ordinal", "order": stages})
    assert ncp(data, vk.Partition.of([0, 0, 0, 1, 1, 1])).columns["job"].tolist() == [0.25] * 6
    groups = diverse(data, ell=3, seed=1)
    assert sorted(map(tuple, groups.groups())) == [(0, 1, 2), (3, 4, 5)]


@pytest.mark.parametrize("tries", [0, -1, 1.5, True, "5"])
def test_tries_that_are_no_whole_number_are_refused(tries):
    with pytest.raises(vk.RecordError, match=rf"tries was given as {tries!r}; expected a whole"):
        diverse(table(people(10, np.random.default_rng(1))), ell=1, tries=tries, seed=1)


def test_parts_are_dealt_out_on_their_own():
    parts, codes = np.array([0, 0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 3, 4])
    labels = deal_records(parts, codes, 2, np.random.default_rng(0))
    assert set(labels[:4]) == {0, 1}
    assert set(labels[4:]) == {2}


def test_subtables_never_mix_and_never_fall_below_ell():
    data = table(people(500, np.random.default_rng(9)))
    request = check_request(data, 4, None, "refuse", "diverse")
    parts = split_table(make_task(data, request, "refuse"), 5, np.random.default_rng(1))
    held = pd.crosstab(parts, request.codes).to_numpy()
    assert len(held) > 10
    assert (held.max(axis=1) * 4 <= held.sum(axis=1)).all()


@pytest.mark.parametrize("places", [[0.0, 0.5], [0.0, 1.5, 4.0], [1.0, 1.25, 2.0]])
def test_numbers_that_are_no_whole_ones_keep_their_places_on_the_scale(places):
    """A domain of 0.5 or 4 divides the scale, but its values are no whole numbers."""
    frame = pd.DataFrame({"age": places, "illness": [f"s{i}" for i in range(len(places))]})
    data = vk.Microdata(frame, vk.Schema.guess(frame).with_column("illness", role="sensitive"))
    task = make_task(data, check_request(data, 1, None, "refuse", "diverse"), "refuse")
    numbers, top = task.numbers[:, 0].astype(float), float(task.top[0])
    share = (np.array(places) - places[0]) / (places[-1] - places[0])
    assert (numbers / top).tolist() == pytest.approx(share.tolist(), abs=1e-9)
