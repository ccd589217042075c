"""Associations of a table and of its releases."""

import itertools
import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import associations
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
    with pytest.raises(vk.SchemaError, match="SplitRelease; expected Microdata or a release of"):
        associations(vk.published("yq_figure4"))


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
