"""The reconstruction error, against the formulas of [LHCC]_ taken literally."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.utility import rce

rows = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("pq"), st.sampled_from("abc"), st.integers(0, 2)),
    min_size=1,
    max_size=25,
)


def table(drawn):
    frame = pd.DataFrame(drawn, columns=["x", "y", "s", "group"])
    columns = (
        vk.Column("x"),
        vk.Column("y", kind="nominal"),
        vk.Column("s", "sensitive", "nominal"),
    )
    return vk.Microdata(frame[["x", "y", "s"]], vk.Schema(columns)), frame


def literal(frame, permuted):
    """Formula (9) with formula (2), record by record."""
    for record in frame.itertuples():
        group = frame[frame["group"] == record.group]
        n = len(group)
        delta = Fraction(1, n)
        if permuted:
            same = [int((group[name] == getattr(record, name)).sum()) for name in ("x", "y")]
            delta = Fraction(same[0] * same[1], n * n)
        held = Counter(group["s"])
        rest = sum((c * delta) ** 2 for value, c in held.items() if value != record.s)
        yield (1 - held[record.s] * delta) ** 2 + rest


@pytest.mark.parametrize("permuted", [True, False])
@given(rows)
def test_the_error_of_every_record_is_that_of_the_formula(permuted, drawn):
    data, frame = table(drawn)
    found = rce(data, vk.Partition.of(frame["group"]), permuted=permuted)
    assert found.per_record == pytest.approx([float(part) for part in literal(frame, permuted)])
    assert found.total == pytest.approx(found.per_record.sum())


@given(rows)
def test_the_bound_of_theorem_2_holds_whenever_it_says_so(drawn):
    data, frame = table(drawn)
    for permuted in (True, False):
        found = rce(data, vk.Partition.of(frame["group"]), permuted=permuted)
        repeated = frame.duplicated(["group", "s"]).any()
        assert found.bound_holds != repeated
        if found.bound_holds:
            assert found.total >= found.bound - 1e-9


def test_ell_is_the_diversity_by_frequency_of_the_worst_group():
    data, frame = table([(0, "p", s, g) for s, g in ("a0", "b0", "c0", "a1", "a1", "b1", "c1")])
    assert rce(data, vk.Partition.of(frame["group"])).ell == 2


def test_what_cannot_be_measured_is_refused():
    data, _ = table([(0, "p", "a", 0), (1, "q", "b", 0)])
    whole = vk.Partition.of([0, 0])
    with pytest.raises(vk.RecordError, match="permuted was given as 'noise'; expected True or"):
        rce(data, whole, permuted="noise")
    with pytest.raises(vk.SchemaError, match="has 3 records and the table 2"):
        rce(data, vk.Partition.of([0, 0, 0]))
    with pytest.raises(vk.SchemaError, match="0 sensitive columns"):
        rce(vk.Microdata(data.frame), whole)


def test_the_order_of_the_records_does_not_matter():
    data = vk.simulate("census", 60, seed=1).only("Age", "Race", "Salary-class")
    labels = np.arange(60) // 5
    order = np.random.default_rng(1).permutation(60)
    plain, mixed = (
        rce(data, vk.Partition.of(labels)),
        rce(data.take(order), vk.Partition.of(labels[order])),
    )
    assert mixed.per_record == pytest.approx(plain.per_record[order])


def test_the_bound_may_be_asked_for_a_lower_diversity_than_the_groups_have():
    data, groups = vk.load("lhcc_table1"), vk.Partition.of([1] * 5 + [2] * 4)
    attained = rce(data, groups)
    assert rce(data, groups, diversity=4).bound == attained.bound
    lower = rce(data, groups, diversity=3)
    assert lower.ell == 3
    assert lower.bound < attained.bound
    assert rce(data, groups, permuted=False, diversity=3).bound == pytest.approx(9 * (1 - 1 / 3))
    with pytest.raises(vk.VerikitError, match="diversity was given as 5, but the groups have 4"):
        rce(data, groups, diversity=5)
