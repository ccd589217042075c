"""Classes and what they hold: the counting that all models rest on."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.matching import classes_of, holdings_of
from verikit.matching._classes import renumber
from verikit.models import distinct_diversity, k_anonymity

CELLS = st.lists(
    st.tuples(
        st.integers(-3, 3),
        st.sampled_from([0.5, 1.5, 1e9]),
        st.sampled_from(["a", "b", "ä"]),
        st.sampled_from(["x", "y", "z"]),
    ),
    min_size=1,
    max_size=25,
)


def people(rows):
    frame = pd.DataFrame(rows, columns=["age", "pay", "job", "ill"])
    return vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))


@given(CELLS)
def test_records_are_in_one_class_just_when_they_agree_in_every_quasi_identifier(rows):
    classes = classes_of(people(rows))
    counted = Counter(row[:3] for row in rows)
    assert [counted[row[:3]] for row in rows] == classes.sizes[classes.labels].tolist()
    assert len(counted) == len(classes)


@given(CELLS)
def test_classes_are_numbered_by_their_cells_and_named_by_them(rows):
    classes = classes_of(people(rows))
    cells = list(classes.cells().itertuples(index=False, name=None))
    assert cells == sorted(cells)
    for row, label in zip(rows, classes.labels, strict=True):
        assert cells[label] == row[:3]


@given(CELLS)
def test_holdings_count_each_value_of_each_class_once(rows):
    held = holdings_of(people(rows))
    cells = list(held.classes.cells().itertuples(index=False, name=None))
    pairs = zip(held.owner, held.named(held.place), held.count, strict=True)
    assert {(cells[o], v): n for o, v, n in pairs} == Counter((row[:3], row[3]) for row in rows)
    assert dict(zip(held.values, held.overall, strict=True)) == Counter(row[3] for row in rows)


@given(CELLS, st.randoms(use_true_random=False))
def test_nothing_depends_on_the_order_of_rows_or_on_their_labels(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    frame = people(rows).frame
    shuffled = frame.iloc[order].set_index(pd.Index([f"r{i // 2}" for i in order]))
    schema = vk.Schema.guess(frame, ill="sensitive")
    for model in (k_anonymity, distinct_diversity):
        one, two = model(people(rows)), model(vk.Microdata(shuffled, schema))
        assert two.per_class.tolist() == one.per_class.tolist()
        assert two.per_record.tolist() == one.per_record[order].tolist()
        assert (two.value, two.worst, two.why) == (one.value, one.worst, one.why)


@given(CELLS, st.integers(0, 3))
def test_a_filtered_frame_gives_what_its_rows_alone_give(rows, least):
    frame = people([*rows, (least, 0.5, "a", "x")]).frame
    kept = frame[frame["age"] >= least]
    alone = pd.DataFrame(kept.to_dict("records"))
    schema = vk.Schema.guess(frame, ill="sensitive")
    one, two = (k_anonymity(vk.Microdata(part, schema)) for part in (kept, alone))
    assert one.per_record.tolist() == two.per_record.tolist()


def test_dtypes_make_no_difference():
    plain = pd.DataFrame({"q": [1, 2, 1, 2], "s": list("xyxz")})
    odd = pd.DataFrame(
        {
            "q": pd.array([1.0, 2.0, 1.0, 2.0], dtype="Float32"),
            "s": pd.Categorical(list("xyxz"), categories=list("zyxw")),
        }
    )
    one, two = (vk.Microdata(f, vk.Schema.guess(plain, s="sensitive")) for f in (plain, odd))
    assert distinct_diversity(one).per_record.tolist() == [1, 2, 1, 2]
    assert distinct_diversity(two).per_record.tolist() == [1, 2, 1, 2]


def test_columns_whose_combinations_exceed_every_integer_are_told_apart():
    rng = np.random.default_rng(3)
    n = 2000
    frame = pd.DataFrame({f"q{i}": rng.permutation(n) * 1.25 for i in range(9)})
    assert n**9 > 2**64
    frame = pd.concat([frame, frame.head(700)])
    verdict = k_anonymity(vk.Microdata(frame))
    assert verdict.per_record.tolist() == [2] * 700 + [1] * 1300 + [2] * 700


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30))
def test_dense_numbers_keep_the_order_of_the_keys(keys):
    for span in (10**6 + 1, 2**62):
        codes, found = renumber(np.array(keys), span)
        assert found.tolist() == sorted(set(keys))
        assert found[codes].tolist() == keys


def test_intervals_are_classes_by_both_of_their_ends():
    spans = pd.arrays.IntervalArray.from_tuples([(0, 9), (0, 4), (0, 9), (5, 9)], closed="both")
    release = vk.TableRelease.of(pd.DataFrame({"age": spans}), vk.Schema((vk.Column("age"),)))
    classes = classes_of(release)
    assert classes.labels.tolist() == [1, 0, 1, 2]
    assert classes.name(0) == "age [0, 4]"


def test_a_missing_interval_is_counted_and_refused_or_a_value_of_its_own():
    spans = pd.arrays.IntervalArray.from_tuples([(0, 9), None, (0, 9)], closed="both")
    release = vk.TableRelease.of(pd.DataFrame({"age": spans}), vk.Schema((vk.Column("age"),)))
    with pytest.raises(vk.SchemaError, match="'age' has 1 missing value of 3"):
        k_anonymity(release)
    assert k_anonymity(release, missing="own value").per_record.tolist() == [2, 1, 2]


@pytest.mark.parametrize("values", [[1.5, None, 1.5, None], ["a", None, "a", None]])
def test_missing_values_are_refused_by_column_and_count_unless_they_are_values(values):
    data = vk.Microdata(pd.DataFrame({"q": values, "rest": [1, 1, 1, 2]}))
    with pytest.raises(vk.SchemaError, match="Column 'q' has 2 missing values of 4; fill the gaps"):
        k_anonymity(data)
    assert k_anonymity(data, missing="own value").per_record.tolist() == [2, 1, 2, 1]


def test_a_missing_sensitive_value_is_refused_or_counts_as_different():
    frame = pd.DataFrame({"q": [1, 1, 1], "s": ["x", None, "x"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))
    with pytest.raises(vk.SchemaError, match="Column 's' has 1 missing value of 3"):
        distinct_diversity(data)
    assert distinct_diversity(data, missing="own value").value == 2


def test_an_unknown_policy_is_answered_with_those_there_are():
    data = vk.Microdata(pd.DataFrame({"q": [1, 2]}))
    with pytest.raises(vk.RecordError, match="missing was given as 'drop'; expected 'refuse' or"):
        k_anonymity(data, missing="drop")


def test_a_column_without_any_value_is_refused_unless_missing_is_a_value_of_its_own():
    frame = pd.DataFrame({"q": [None, None], "r": ["a", "b"], "s": ["x", "y"]})
    for column in (vk.Column("q"), vk.Column("q", kind="nominal")):
        schema = vk.Schema(
            (column, vk.Column("r", kind="nominal"), vk.Column("s", "sensitive", "nominal"))
        )
        data = vk.Microdata(frame, schema)
        with pytest.raises(vk.SchemaError, match="Every value of column 'q' is missing"):
            k_anonymity(data)
        assert classes_of(data, "own value").labels.tolist() == [0, 1]
        assert classes_of(data.only("q"), "own value").labels.tolist() == [0, 0]


def test_a_table_without_records_is_refused():
    data = vk.Microdata(pd.DataFrame({"q": pd.array([], dtype="int64")}))
    with pytest.raises(vk.SchemaError, match="The table has no records"):
        k_anonymity(data)


def test_a_table_without_quasi_identifier_has_no_classes():
    frame = pd.DataFrame({"s": ["x", "y"]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))
    with pytest.raises(vk.SchemaError, match="No column of 's' is a quasi-identifier"):
        k_anonymity(data)


def test_a_bare_frame_is_refused_because_its_roles_are_unknown():
    with pytest.raises(vk.SchemaError, match="given as DataFrame; expected Microdata or a release"):
        k_anonymity(pd.DataFrame({"q": [1]}))


def test_a_quasi_identifier_cannot_be_the_sensitive_column_too():
    data = people([(1, 0.5, "a", "x")])
    with pytest.raises(vk.SchemaError, match="'job' cannot be sensitive, because its role is 'qua"):
        distinct_diversity(data, sensitive="job")


def test_one_of_several_sensitive_columns_must_be_named():
    frame = pd.DataFrame({"q": [1, 1], "s": ["x", "y"], "t": ["x", "x"]})
    schema = vk.Schema.guess(frame, s="sensitive", t="sensitive")
    data = vk.Microdata(frame, schema)
    with pytest.raises(vk.SchemaError, match="has 2 sensitive columns \\('s', 't'\\); name one"):
        distinct_diversity(data)
    assert distinct_diversity(data, sensitive="s").value == 2
    assert distinct_diversity(data, sensitive="t").value == 1
    with pytest.raises(vk.RecordError, match="no column 'u'"):
        distinct_diversity(data, sensitive="u")


def test_a_table_without_sensitive_column_says_so():
    with pytest.raises(vk.SchemaError, match="has 0 sensitive columns \\(none\\)"):
        distinct_diversity(vk.Microdata(pd.DataFrame({"q": [1]})))


def test_the_groups_of_a_release_in_two_tables_are_its_classes():
    quasi = pd.DataFrame({"Age": [20, 30, 40], "g": [7, 9, 7]})
    sensitive = pd.DataFrame({"g": [7, 7, 9], "Ill": ["flu", "ulcer", "flu"]})
    release = vk.SplitRelease.of(quasi, sensitive, group="g")
    assert k_anonymity(release).per_record.tolist() == [2, 1, 2]
    assert distinct_diversity(release).per_record.tolist() == [2, 1, 2]
    assert vk.models.t_closeness(release).per_class.tolist() == pytest.approx([1 / 6, 1 / 3])


def test_holdings_at_hand_serve_every_model_without_counting_again():
    held = holdings_of(vk.load("ks_table4"))
    assert distinct_diversity(held).per_class.tolist() == [3, 4, 1]
    assert k_anonymity(held).per_class.tolist() == [3, 4, 4]
