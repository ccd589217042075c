"""The printed numbers of [DM]_ section 5, and what is wrong with some of them."""

import itertools

import numpy as np
import pytest

import verikit as vk
from verikit.protector import correct_by_subset, correct_links
from verikit.ranks import blocks, luck
from verikit.ranks._nearest import find_nearest

NAMES = ["X1", "X2", "X3"]
IDENTITY = vk.Key.of(range(20))
TABLE_5 = [20, 469, 1519, 2411, 2076, 1030, 342, 114, 19]
SMALL, STANDARD = 0.005, 0.5  # the noise of Table 6 and Figure 3, and that of Figure 2


@pytest.fixture(scope="module")
def original():
    return vk.load("dm_table1")


@pytest.fixture(scope="module")
def mapped():
    return vk.published("dm_table1_mapped")


@pytest.fixture(scope="module")
def links(original, mapped):
    return vk.link(original, mapped)


@pytest.fixture(scope="module")
def printed():
    """Table 4, its matches as lists of row numbers."""
    frame = vk.load("dm_table4").frame
    return frame.assign(matches=[list(map(int, str(m).split(";"))) for m in frame["matches"]])


def ranks(table):
    return np.column_stack([blocks(table.scores(name))[0] for name in NAMES])


def rows_of(links, record):
    return (links.rows[links.starts[record] : links.starts[record + 1]] + 1).tolist()


def simulated(noise, seed):
    data = vk.simulate("dm", 1000, seed=seed)
    return data, *vk.mask.noise(data, scale=noise, seed=seed + 1000)


# -- section 5.1 ---------------------------------------------------------------------------------


def test_table_4_prints_all_matches_of_each_record_and_their_distance(links, printed):
    """Definition 3: he knows all of the original and all of the release, and not the key."""
    assert [rows_of(links, record) for record in range(20)] == printed["matches"].tolist()
    assert links.distances.tolist() == printed["distance"].tolist()


def test_table_4_prints_the_places_of_one_of_the_matches(links, printed):
    """P33: of the first match in rows 1, 11 and 19, but of the second in row 9."""
    which = {9: 1}
    for record, line in printed.iterrows():
        found = links.of(record).iloc[which.get(record + 1, 0)]
        assert found[NAMES].tolist() == line[[f"distance_{name}" for name in NAMES]].tolist()
    assert links.of(8)[NAMES].to_numpy().tolist() == [[0, 3, 0], [3, 0, 1]]


def test_the_masked_values_give_the_same_links_as_the_mapped_ones(original, links):
    """There are no ties, so the ranks of both are the same."""
    masked = vk.link(original, vk.published("dm_table1_masked"))
    assert masked.rows.tolist() == links.rows.tolist()


def test_four_records_have_several_matches_and_four_rows_match_no_record(links):
    """P34 and P36; the true row is among the matches of 1, 9 and 19."""
    assert (np.flatnonzero(links.counts > 1) + 1).tolist() == [1, 9, 11, 19]
    assert [record for record in (1, 9, 11, 19) if record in rows_of(links, record - 1)] == [
        1, 9, 19,
    ]  # fmt: skip
    assert (np.flatnonzero(links.chosen == 0) + 1).tolist() == [3, 8, 16, 18]


def test_erratum_seven_rows_match_several_records(links):
    """P35: the text leaves out rows 19 and 20, which its own table shows."""
    assert (np.flatnonzero(links.chosen > 1) + 1).tolist() == [4, 7, 10, 12, 13, 19, 20]


def test_erratum_six_links_are_right_four_are_several_and_ten_are_wrong(links):
    """P37: the text says 5, 4 and 11; its own table shows 4, 5, 7, 12, 14 and 20 right."""
    found = correct_links(links, IDENTITY)
    assert (found.count, found.several, found.wrong) == (6, 4, 10)
    right = (links.counts[links.records] == 1) & (links.rows == links.records)
    assert (links.records[right] + 1).tolist() == [4, 5, 7, 12, 14, 20]


def test_zeros_and_averages_by_attribute(links, printed):
    """P38 and P39: 4, 3 and 0 zeros and averages 2, 2.05 and 2.45 on the printed places; taking
    the first match throughout gives others."""
    places = printed[[f"distance_{name}" for name in NAMES]].to_numpy()
    assert (places == 0).sum(axis=0).tolist() == [4, 3, 0]
    assert places.mean(axis=0) == pytest.approx([2, 2.05, 2.45])
    first = links.places[links.starts[:-1]]
    assert (first == 0).sum(axis=0).tolist() == [5, 2, 1]
    assert first.mean(axis=0) == pytest.approx([1.85, 2.2, 2.4])


def test_erratum_the_attribute_with_the_smallest_places_was_moved_most(links):
    """P40: the noise is half a standard deviation in all three, and in ranks X1 moved most; the
    intruder who trusts the printed order would link by the wrong attributes."""
    kept = correct_links(links, IDENTITY).attributes.set_index("attribute")
    assert kept.loc[NAMES, "places"].tolist() == pytest.approx([3.6, 2.1, 2.6])
    assert kept.index[-1] == "X1"


def test_two_attributes_link_better_than_all_three(original, mapped):
    """Note 1: a subset of less masked attributes gives more; here X2 and X3, 8 links of 20."""
    found = correct_by_subset(vk.intruder.link_by_subset(original, mapped), IDENTITY)
    assert found.iloc[0][["attributes", "correct"]].tolist() == ["X2, X3", 8]


# -- section 5.2: the running example ------------------------------------------------------------


def test_the_record_put_together_from_5_19_and_10_matches_record_2_at_0_1_2(original, mapped):
    """P41."""
    own = {name: original.frame[name][at - 1] for name, at in zip(NAMES, (5, 19, 10), strict=True)}
    assert own == {"X1": 96.18, "X2": 990.58, "X3": 4950.48}
    assert vk.check(own, mapped).matches.to_numpy().tolist() == [[2, 0, 1, 2]]


def test_of_8000_records_20_are_original_and_20_others_are_released(original, mapped):
    """P42."""
    assert len({*map(tuple, ranks(original))} | {*map(tuple, ranks(mapped))}) == 40


def test_table_5_prints_the_shares_of_the_original_records(original, mapped):
    found = vk.plausibility(original, mapped).to_frame()["records"]
    share = vk.load("dm_table5").frame["share_original"]
    assert found.tolist() == pytest.approx(share[: len(found)].tolist())


def by_enumeration(first, last, distances):
    drawn = luck.by_rank(first, last)
    every = np.array(list(itertools.product(range(20), repeat=3)))
    gaps = [np.abs(np.take_along_axis(drawn[0], every, 0) - record).max(axis=1) for record in first]
    closest = np.min(gaps, axis=0)
    return np.array([(closest <= distance).mean() for distance in distances])


def by_the_nearest_of_every_record(first, last, distances):
    every = np.array(list(itertools.product(range(1, 21), repeat=3)))
    closest = find_nearest(every, every, first, last)[0]
    return np.array([(closest <= distance).mean() for distance in distances])


@pytest.mark.parametrize("algorithm", [luck.exact, by_enumeration, by_the_nearest_of_every_record])
def test_table_5_prints_the_shares_of_all_8000_records(mapped, algorithm):
    """P44: the counts are whole; printed shares round halves up, so they agree within 6e-5."""
    found = np.diff(algorithm(ranks(mapped), ranks(mapped), range(9)), prepend=0)
    assert (8000 * found).round(6).tolist() == TABLE_5
    printed = vk.load("dm_table5").frame["share_random"][:9]
    assert found.tolist() == pytest.approx(printed.tolist(), abs=6e-5)


def test_estimates_of_table_5_are_within_their_errors(mapped):
    share = np.cumsum(TABLE_5) / 8000
    found, error = luck.karp_luby(ranks(mapped), ranks(mapped), range(9), seed=1)
    assert (np.abs(found - share) <= 4 * error + 1e-12).all()
    near = luck.closed_form(ranks(mapped), ranks(mapped), range(9))
    assert near.tolist() == pytest.approx(share.tolist(), abs=0.06), "twenty records"
    drawn = vk.plausibility(vk.load("dm_table1"), mapped, null="monte_carlo", seed=1)
    for distance in range(9):
        assert abs(drawn.within(distance) - share[distance]) <= 5 * np.sqrt(0.25 / 10_000)


def test_figure_1_how_alike_the_two_distributions_are(original, mapped):
    """P45: no measure is named; by total variation they differ by .18, by Hellinger by .264."""
    found = vk.plausibility(original, mapped)
    assert found.total_variation == pytest.approx(0.180, abs=5e-4)
    assert found.hellinger == pytest.approx(0.264, abs=5e-4)


def test_erratum_links_that_look_like_chance_are_not_chance(links):
    """P46: six links are right where random keys give 0.79 on average, and six hardly ever."""
    rng = np.random.default_rng(1)
    alone = links.counts == 1
    rows = links.rows[links.starts[:-1]]
    counts = [np.sum((rows == rng.permutation(20)) & alone) for _ in range(4000)]
    assert np.mean(counts) == pytest.approx(0.7859, abs=0.06)
    assert np.mean(np.array(counts) >= 6) < 0.002
    assert correct_links(links, IDENTITY).p < 0.001


def test_a_stronger_attack_on_the_running_example_finds_twelve(original, mapped):
    """Scores at (rank - 1/2) / n, squared differences, one row each: 12 of 20."""
    found = correct_links(vk.link(original, mapped, attack="normal_scores"), IDENTITY)
    assert found.count == 12


def test_the_share_within_each_distance(mapped):
    """P55: an exact copy of an original record is matched by one in 400 made-up ones."""
    found = luck.exact(ranks(mapped), ranks(mapped), range(9))
    assert found.tolist() == pytest.approx(
        [0.0025, 0.061125, 0.251, 0.552375, 0.811875, 0.940625, 0.983375, 0.997625, 1.0]
    )


def test_masked_and_mapped_values_have_the_same_made_up_distances(mapped):
    """P56: only ranks count."""
    masked = ranks(vk.load("dm_table1_masked"))
    assert luck.exact(masked, masked, range(9)).tolist() == (
        luck.exact(ranks(mapped), ranks(mapped), range(9)).tolist()
    )


def test_one_attribute_alone_tells_nothing(original, mapped):
    """P57: every record and every made-up one match at 0 places."""
    found = vk.plausibility(original, mapped, attributes=["X1"])
    assert found.observed.tolist() == [0] * 20
    assert found.share_others[0] == 1
    assert "nothing can be told" in found.note


# -- section 5.2: a thousand records -------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_table_6_small_noise(seed):
    """P48 and P49: seed and data are not published. Each printed share lies within 4.5 standard
    errors of its sample size (1000 and 10,000 draws) of what our data give; for the records a
    share of .02 is added for the spread between data sets."""
    data, release, _ = simulated(SMALL, seed)
    found = vk.plausibility(data, release)
    printed = vk.load("dm_table6").frame
    distances = range(15)
    records = np.bincount(found.observed, minlength=15)[:15] / 1000
    others = np.diff([found.within(d) for d in distances], prepend=0)
    columns = {"share_original": (records, 1000, 0.02), "share_random": (others, 10_000, 0)}
    for name, (expected, size, more) in columns.items():
        error = 4.5 * np.sqrt(np.maximum(expected, 2 / size) / size) + more
        assert (np.abs(printed[name].to_numpy()[:15] - expected) <= error).all(), name


def test_figure_3_small_noise_and_made_up_records_are_worlds_apart():
    """Kolmogorov-Smirnov near .99; nearly every record is linked."""
    data, release, key = simulated(SMALL, seed=5)
    found = vk.plausibility(data, release)
    assert found.kolmogorov_smirnov > 0.98
    assert found.permutation_p < 0.01
    assert correct_links(vk.link(data, release), key).count >= 998
    assert found.success > 0.998


def test_figure_2_standard_noise_looks_like_chance_but_is_not():
    """P47: mean distances 45.2 and 46.1 (within 5 %), Kolmogorov-Smirnov below .07; and yet some
    46 links are right (30 to 62 in a hundred runs), where luck gives 1."""
    data, release, key = simulated(STANDARD, seed=6)
    found = vk.plausibility(data, release)
    assert found.observed.mean() == pytest.approx(45.2, rel=0.05)
    assert np.sum(1 - found.share_others) == pytest.approx(46.1, rel=0.05)
    assert found.kolmogorov_smirnov < 0.07
    counted = correct_links(vk.link(data, release), key)
    assert 25 <= counted.count <= 70
    assert counted.p < 1e-12
    stronger = correct_links(vk.link(data, release, attack="normal_scores"), key)
    assert stronger.count > counted.count


def test_erratum_a_small_share_of_made_up_records_is_no_probability_of_chance():
    """P51: .0011 is the share of made-up records within 5 places (.00132 exactly); the share of
    chance among matches depends on how many real and made-up records are mixed."""
    data, release, _ = simulated(SMALL, seed=7)
    share = vk.plausibility(data, release).within(5)
    assert share == pytest.approx(1.32e-3, rel=0.05)


def test_erratum_a_match_at_distance_0_need_not_be_right():
    """P52: two whole records exchanged are each matched exactly, and wrongly."""
    data = vk.simulate("dm", 50, seed=1)
    rows = np.r_[1, 0, 2:50]
    release = vk.TableRelease.of(data.frame)
    links = vk.link(data, release)
    assert links.distances.tolist() == [0] * 50
    assert correct_links(links, vk.Key.of(rows)).wrong == 2


def test_erratum_made_up_distances_depend_on_how_attributes_hang_together():
    """P53: of 20 records, mean 3.58 where two attributes agree perfectly, some 1.75 where one is
    shuffled."""
    line = np.tile(np.arange(1, 21)[:, None], (1, 2))
    shuffled = [
        np.column_stack([line[:, 0], np.random.default_rng(seed).permutation(20) + 1])
        for seed in range(20)
    ]
    mean = lambda table: np.sum(1 - luck.exact(table, table, range(20)))  # noqa: E731
    assert mean(line) == pytest.approx(3.575), "printed rounded, 3.58"
    assert np.mean([mean(table) for table in shuffled]) == pytest.approx(1.9, abs=0.25)


@pytest.mark.parametrize(
    ("n", "m", "known"), [(10, 3, 2.21), (20, 3, 3.51), (40, 3, 5.56), (20, 2, 1.95), (20, 4, 4.87)]
)
def test_made_up_distances_grow_with_records_and_attributes(n, m, known):
    """P54: means over ten releases of independent attributes, within 6 %."""
    means = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = np.column_stack([rng.permutation(n) + 1 for _ in range(m)])
        means.append(np.sum(1 - luck.exact(table, table, range(n))))
    assert np.mean(means) == pytest.approx(known, rel=0.06)
