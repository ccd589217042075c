import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.values.names import members, set_label

ORDER = ("I", "II", "III")
STAGE = vk.Column("stage", kind="ordinal", order=ORDER)


@given(st.lists(st.text(), min_size=2, unique=True))
def test_every_set_is_read_back_as_it_was_written(names):
    assert members(set_label(names)) == tuple(names)


@pytest.mark.parametrize(
    ("values", "label"),
    [
        (["clerk", "nurse"], "{clerk, nurse}"),
        (["clerk", "clerk"], "clerk"),
        (["a, b", "c"], '{"a, b", c}'),
        (["{", " x"], '{"{", " x"}'),
        ([2, 3.0], "{2, 3}"),
        (["", "a"], '{"", a}'),
    ],
)
def test_labels_as_a_person_reads_them(values, label):
    assert set_label(values) == label


@pytest.mark.parametrize("label", ["clerk", "", "{}", "{a", "a}", "{a,b}", "{a, b} c", "{a, , b}"])
def test_what_is_no_set_has_no_members(label):
    assert members(label) == ()


def released(values, column=STAGE):
    return vk.TableRelease.of(pd.DataFrame({column.name: values}), vk.Schema((column,)))


def test_a_release_may_hold_sets_of_declared_categories():
    release = released(["{I, III}", "II", "{I, III}"])
    assert release.frame["stage"].tolist() == ["{I, III}", "II", "{I, III}"]
    assert set(ORDER) <= set(release.frame["stage"].cat.categories)


def test_a_set_that_names_another_category_is_refused():
    with pytest.raises(vk.SchemaError, match=r"'stage' holds '\{I, IV\}', which its declared"):
        released(["{I, IV}"])


def test_microdata_may_not_hold_sets():
    with pytest.raises(vk.SchemaError, match=r"holds '\{I, II\}'"):
        vk.Microdata(pd.DataFrame({"stage": ["{I, II}"]}), vk.Schema((STAGE,)))


@pytest.mark.parametrize("parquet", [False, True])
def test_sets_are_saved_and_opened_again(tmp_path, parquet):
    if parquet:
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    town = vk.Column("town", kind="nominal")
    frame = pd.DataFrame({"stage": ["{I, II}", "III"], "town": ['{"x, y", z}', "z"]})
    release = vk.TableRelease.of(frame, vk.Schema((STAGE, town)))
    opened = vk.open_release(release.save(tmp_path / "release", parquet=parquet))
    pd.testing.assert_frame_equal(opened.frame, release.frame)
