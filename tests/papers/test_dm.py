"""The printed numbers of [DM]_ sections 2 to 4 and 6, and what is wrong with some of them."""

import itertools

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.ranks import blocks, reverse_map
from verikit.ranks.spread import Criterion

NAMES = ["X1", "X2", "X3"]
RECORD_3 = {"X1": 100.87, "X2": 902.21, "X3": 5108.54}
IDENTITY = vk.Key.of(range(20))


@pytest.fixture(scope="module")
def original():
    return vk.load("dm_table1")


@pytest.fixture(scope="module")
def masked():
    return vk.published("dm_table1_masked")


@pytest.fixture(scope="module")
def mapped():
    return vk.published("dm_table1_mapped")


def ranks(table, name):
    return blocks(table.scores(name))[0]


def test_table_1_prints_the_ranks_of_original_and_masked_values(original, masked):
    printed = vk.load("dm_table1_ranks").frame
    for name in NAMES:
        assert ranks(original, name).tolist() == printed[f"rank_{name}"].tolist()
        assert ranks(masked, name).tolist() == printed[f"rank_masked_{name}"].tolist()


def test_table_1_prints_the_reverse_mapped_values(original, masked, mapped):
    """Algorithm 1, step by step for each column."""
    for name in NAMES:
        found = reverse_map(original.scores(name), masked.scores(name), seed=1)
        np.testing.assert_array_equal(found, mapped.scores(name))


def test_the_first_value_has_rank_10_moves_to_14_and_becomes_108_21(original, masked):
    assert (ranks(original, "X1")[0], ranks(masked, "X1")[0]) == (10, 14)
    assert reverse_map(original.scores("X1"), masked.scores("X1"), seed=1)[0] == 108.21


@pytest.mark.parametrize(("name", "printed"), [("X1", 0.722), ("X2", 0.844), ("X3", 0.776)])
def test_section_2_prints_spearman_correlations_of_original_and_mapped(
    original, mapped, name, printed
):
    found = vk.utility.rank_correlation(original, IDENTITY.undo(mapped))[name]
    assert found == pytest.approx(printed, abs=5e-4)
    values = np.corrcoef(original.scores(name), mapped.scores(name))[0, 1]
    assert values != pytest.approx(printed, abs=5e-4), "Pearson on values is another number"


def test_mapping_keeps_the_rank_correlations_between_attributes(masked, mapped):
    for one, other in itertools.combinations(NAMES, 2):
        of_masked = np.corrcoef(ranks(masked, one), ranks(masked, other))[0, 1]
        of_mapped = np.corrcoef(ranks(mapped, one), ranks(mapped, other))[0, 1]
        assert of_masked == of_mapped


def test_ties_in_the_original_can_change_the_correlations_between_attributes():
    """P07: exactness ends where equal original values tie in Z but not in Y."""
    x, y, other = np.array([1.0, 1, 2]), np.array([1.0, 2, 3]), np.array([2.0, 1, 3])
    z = reverse_map(x, y, seed=1)
    assert z.tolist() == [1, 1, 2]
    assert np.corrcoef(vk.ranks.mid_ranks(z), other)[0, 1] != np.corrcoef(y, other)[0, 1]


def test_table_2_prints_residual_and_total_noise(original, masked):
    printed = vk.load("dm_table2").frame
    noise = vk.utility.residual_noise(original, IDENTITY.undo(masked), seed=1)
    for name in NAMES:
        np.testing.assert_allclose(noise.residual[name], printed[f"residual_{name}"], atol=1e-9)
        np.testing.assert_allclose(noise.total[name], printed[f"total_{name}"], atol=1e-9)


def test_residual_noise_is_smaller_in_the_mean_but_not_cell_by_cell(original, masked):
    noise = vk.utility.residual_noise(original, IDENTITY.undo(masked), seed=1)
    sizes = noise.to_frame()
    np.testing.assert_allclose(sizes["total"], [5.94, 26.07, 59.97], atol=0.005)
    np.testing.assert_allclose(sizes["residual"], [2.32, 17.72, 27.86], atol=0.005)
    residual, total = noise.residual.abs().to_numpy(), noise.total.abs().to_numpy()
    assert np.sum(residual > total + 1e-9) == 10
    assert np.sum(np.isclose(residual, total)) == 11


def test_erratum_residual_noise_is_not_necessarily_small(original):
    """P12: masking by 3x + 1000 permutes nothing, and everything is residual."""
    stretched = vk.Microdata(original.frame * 3 + 1000)
    noise = vk.utility.residual_noise(original, stretched, seed=1)
    pd.testing.assert_frame_equal(noise.mapped, original.frame)
    np.testing.assert_allclose(noise.to_frame()["residual"], [1206.7, 2991.6, 10964.0], atol=0.05)


def test_section_4_finds_the_released_values_closest_to_record_3(masked):
    found = vk.check(RECORD_3, masked).attributes
    assert found["closest"].tolist() == [100.41, 903.25, 5087.90]
    assert found["first_rank"].tolist() == [8, 2, 16]
    assert found["last_rank"].tolist() == [8, 2, 16]


def test_table_3_prints_every_records_deviation_from_record_3(masked):
    printed = vk.load("dm_table3").frame
    for name, closest in zip(NAMES, [8, 2, 16], strict=True):
        deviation = np.abs(ranks(masked, name) - closest)
        assert deviation.tolist() == printed[f"deviation_{name}"].tolist()


def test_the_subject_finds_record_10_at_4_1_4(masked):
    """Algorithm 3, from her record and the release alone."""
    report = vk.check(RECORD_3, masked)
    assert report.matches.to_numpy().tolist() == [[10, 4, 1, 4]]
    assert report.attributes["distance"].tolist() == [4, 1, 4]


def test_the_protector_finds_record_3_at_5_1_9(original, masked):
    """Algorithm 2, from the original and the release."""
    report = vk.audit(original, masked, IDENTITY)
    assert report.protector[2].tolist() == [5, 1, 9]


def test_the_windows_of_record_3_and_their_variances(masked):
    report = vk.check(RECORD_3, masked)
    column = masked.ordered("X1")
    printed = [90.83, 91.57, 96.60, 100.31, 100.41, 103.07, 103.12, 104.00, 104.82]
    assert column[3:12].tolist() == printed
    assert report.attributes[["window_first", "window_last"]].to_numpy().tolist() == [
        [4, 12],
        [1, 3],
        [12, 20],
    ]
    np.testing.assert_allclose(
        report.attributes["diversity"], [24.69820, 154.99576, 20167.78014], atol=5e-6
    )
    np.testing.assert_allclose(
        report.attributes["diversity"], [24.70, 155.00, 20167.78], atol=0.005
    )


@pytest.mark.parametrize(
    ("diversity", "met"),
    [
        ((24.70, 155.00, 20167.78), False),
        ((24.69, 154.99, 20167.77), True),
        ((24.69, 155.00, 20167.77), False),
    ],
)
def test_erratum_the_printed_variances_are_not_exceeded(masked, diversity, met):
    """P23: the attained variances lie below the rounded ones, and Definition 1 is strict."""
    report = vk.check(
        RECORD_3,
        masked,
        distance=dict(zip(NAMES, [4, 1, 4], strict=True)),
        diversity=dict(zip(NAMES, diversity, strict=True)),
    )
    assert report.met is met


def test_each_criterion_has_its_own_direction():
    """P24: one word of the definition does not fit the list after it."""
    directions = {name: Criterion(name).direction for name in ("variance", "distinct", "entropy")}
    assert directions == {"variance": "more than", "distinct": "at least", "entropy": "at least"}
    assert Criterion("t-closeness").direction == "at most"
    assert not Criterion("variance").holds(2.0, 2.0)
    assert Criterion("distinct").holds(2.0, 2.0)
    assert Criterion("t-closeness").holds(0.2, 0.2)
    assert not Criterion("t-closeness").holds(0.21, 0.2)


def test_no_record_meets_a_strict_variance_at_distance_0(original, masked):
    """P25: the window holds one value, and its variance 0 is not above 0."""
    for place in range(20):
        report = vk.check(original.record(place), masked, distance=0, diversity=0)
        assert report.met is False
        assert any("With 0 places" in note for note in report.notes)


def test_several_records_may_be_closest(original, masked):
    """P29: records 2, 10 and 15 have several matches, and all are given."""
    counts = [len(vk.check(original.record(place), masked).matches) for place in range(20)]
    assert [place + 1 for place, count in enumerate(counts) if count > 1] == [2, 10, 15]


def test_the_subjects_maximum_never_exceeds_the_protectors(original, masked):
    """P30: true of every record's maximum, not attribute by attribute (first match taken)."""
    report = vk.audit(original, masked, IDENTITY)
    assert np.all(report.subject <= report.protector.max(axis=1))
    larger = []
    for place in range(20):
        matches = vk.check(original.record(place), masked).matches.sort_values("row")
        seen = matches.iloc[0][NAMES].to_numpy()
        if np.any(seen > report.protector[place]):
            larger.append(place + 1)
    assert larger == [4, 8, 10, 11, 15, 16, 18, 19]


def test_the_whole_running_example_keeps_no_distance_on_two_attributes(original, masked):
    """P31: with a strict variance the release satisfies the model for no distance."""
    report = vk.audit(original, masked, IDENTITY)
    assert report.largest == {"X1": 1, "X2": 0, "X3": 0}
    seen = [vk.check(original.record(i), masked).attributes["distance"] for i in range(20)]
    assert np.min(seen, axis=0).tolist() == [0, 0, 0]
    strict = vk.audit(original, masked, IDENTITY, distance=report.largest, diversity=0)
    assert strict.met is False


def test_on_a_permutation_the_closest_value_is_her_own(original, mapped):
    for place in range(20):
        found = vk.check(original.record(place), mapped).attributes
        assert found["closest"].tolist() == found["own"].tolist()


def test_the_original_looks_like_the_distributions_it_was_drawn_from(original):
    """P58: sample means within two standard errors of 100, 1000 and 5000."""
    settings = vk.load("dm_generation").frame
    errors = settings["sd"].to_numpy() / np.sqrt(20)
    scores = (original.frame.mean().to_numpy() - settings["mean"].to_numpy()) / errors
    np.testing.assert_allclose(scores, [1.49, -0.38, -0.40], atol=0.005)


def test_the_release_names_method_and_all_parameters_but_no_randomness(original, tmp_path):
    """Definition 4: everything but the seed."""
    release, key = vk.mask.noise(original, scale={"X1": 5, "X2": 25, "X3": 100}, seed=918273645)
    folder = release.save(tmp_path / "release")
    again = vk.open_release(folder)
    assert again.method == "noise"
    assert again.parameters == {"scale": {"X1": 5, "X2": 25, "X3": 100}}
    written = "".join(path.read_text() for path in folder.iterdir())
    assert "918273645" not in written
    assert str(key.rows.tolist())[1:-1] not in written
