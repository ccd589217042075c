"""Samples and made-up tables: more or fewer rows than there are people."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import correct_links


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    frame = vk.simulate("dm", 60, seed=3).frame.assign(job=rng.choice(["a", "b", "c"], 60))
    return vk.Microdata(frame, vk.Schema.guess(frame))


def places_by_value(original, value):
    """The places among the original values of those closest to a value, counted one by one."""
    apart = [abs(own - value) for own in original]
    near = [own for own, gap in zip(original, apart, strict=True) if gap == min(apart)]
    ranks = [1 + sorted(original).index(v) for v in near]
    return min(ranks), max(ranks) + max(original.count(v) for v in near) - 1


def by_comparing_all(data, frame):
    """The rows that agree in the job and are closest by rank, or closest of all."""
    names = ["X1", "X2", "X3"]
    values = {name: data.frame[name].tolist() for name in names}
    own = {n: [places_by_value(values[n], v) for v in values[n]] for n in names}
    shown = {n: [places_by_value(values[n], v) for v in frame[n]] for n in names}
    found = []
    for i, job in enumerate(data.frame["job"]):
        some = [r for r in range(len(frame)) if frame["job"].iloc[r] == job] or range(len(frame))
        gaps = {
            r: max(
                max(shown[n][r][0] - own[n][i][1], own[n][i][0] - shown[n][r][1], 0) for n in names
            )
            for r in some
        }
        found.append([r for r in some if gaps[r] == min(gaps.values())])
    return found


@pytest.mark.parametrize("rows", [23, 90])
def test_links_to_more_or_fewer_rows_are_the_closest_of_those_that_agree(data, rows):
    rng = np.random.default_rng(rows)
    frame = data.frame.iloc[rng.integers(0, 60, rows)].reset_index(drop=True)
    frame[["X1", "X2", "X3"]] += rng.normal(size=(rows, 3)) * [5, 25, 100]
    links = vk.link(data, vk.TableRelease.of(frame, data.schema))
    found = [links.of(i)["row"].sub(1).tolist() for i in range(60)]
    assert found == by_comparing_all(data, frame)
    assert len(links.chosen) == rows


def test_of_a_sample_as_it_was_everybody_in_it_is_found_and_nobody_else(data):
    chosen = np.random.default_rng(1).permutation(60)[:20]
    release = vk.TableRelease.of(data.frame.iloc[chosen], data.schema)
    where = np.full(60, -1)
    where[chosen] = np.arange(20)
    report = vk.audit(data, release, vk.Key.of(where))
    assert report.undefined == (
        "40 people have no row in the release; places and right links are those of the others.",
    )
    assert str(report).startswith("40 people have no row in the release;")
    assert report.exposure.found.count == 20
    assert report.exposure.found.luck == pytest.approx(1)  # 20 people, 20 rows
    assert report.records == 20
    assert (report.protector == 0).all()
    assert sorted(report.to_frame()["record"] - 1) == sorted(chosen)
    assert report.standing.whole == 20


def test_of_a_made_up_table_only_what_needs_no_key_is_told(data):
    rng = np.random.default_rng(5)
    made_up = pd.DataFrame({name: rng.choice(data.frame[name], 200) for name in data.frame})
    nobody = vk.Key.of(np.full(60, -1))
    report = vk.audit(data, vk.TableRelease.of(made_up, data.schema), nobody)
    assert report.undefined[0].startswith("60 people have no row in the release;")
    assert (report.records, report.largest, report.exposure) == (0, {}, None)
    assert report.people_found == report.standing.excess
    assert report.standing.per_record.shape == (60,)
    copied = vk.TableRelease.of(pd.concat([made_up, data.frame]), data.schema)
    assert vk.audit(data, copied, nobody).standing.whole == 60
    for internal in (False, True):
        assert report.undefined[0] in report.html(internal=internal)
        assert report.undefined[0] in report.json(internal=internal)


def test_attacks_that_pair_each_record_with_a_row_say_why_they_cannot(data):
    release = vk.TableRelease.of(data.frame.iloc[:59], data.schema)
    for attack in ("assignment", "normal_scores", "published_mechanism", "undo_pairs"):
        with pytest.raises(vk.errors.InfeasibleError, match="has 59 rows for 60 records; the"):
            vk.link(data, release, attack=attack)
    strongest = vk.link(data, release, attack="strongest")
    assert list(strongest.attempts) == ["maximum_rank"]


def test_rows_cannot_be_put_into_an_order_that_they_do_not_have(data):
    release = vk.TableRelease.of(data.frame.iloc[:59], data.schema)
    with pytest.raises(vk.RecordError, match="1 of 60 records have no row in the release"):
        vk.Key.of([*range(59), -1]).undo(release)
    assert correct_links(vk.link(data, release), vk.Key.of([*range(59), -1])).count == 59
