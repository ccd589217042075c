import gzip

import pytest

import verikit as vk
from verikit.datasets import adult

LINES = (
    "|1x3 Cross validator\n"
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male,"
    " 2174, 0, 40, United-States, <=50K.\n"
    "54, ?, 180211, Some-college, 10, Married-civ-spouse, ?, Husband, Asian-Pac-Islander, Male,"
    " 0, 0, 60, South, >50K.\n"
    "\n"
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "adult.data"
    path.write_text(LINES)
    return path


def test_records_are_read_with_their_roles_and_kinds(file):
    data = adult(file)
    assert data.record(0)["age"] == 39
    assert data.record(0)["salary-class"] == "<=50K"
    assert [column.name for column in data.schema.quasi] == [
        "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
        "native-country",
    ]  # fmt: skip
    assert [column.name for column in data.schema.sensitive] == ["salary-class"]
    assert data.schema["hours-per-week"].kind == "numeric"


def test_records_with_an_unknown_value_are_left_out_only_where_complete_ones_are_wanted(file):
    assert len(adult(file)) == 1
    whole = adult(file, complete=False)
    assert len(whole) == 2
    assert whole.record(1)["workclass"] is None


def test_a_folder_and_a_compressed_file_will_do(file, tmp_path):
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "adult.data.gz").write_bytes(gzip.compress(LINES.encode()))
    frames = [adult(path).frame for path in (file, tmp_path, tmp_path / "packed")]
    assert frames[0].equals(frames[1])
    assert frames[0].equals(frames[2])


def test_hierarchies_are_read_where_there_are_files(file, tmp_path):
    (tmp_path / "adult_hierarchy_sex.csv").write_text("Male;*\nFemale;*\n")
    schema = adult(file, tmp_path).schema
    assert schema["sex"].hierarchy.root == "*"
    assert schema["race"].hierarchy is None


def test_a_folder_without_hierarchies_is_refused(file, tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(vk.FormatError, match="holds no hierarchy; expected files such as"):
        adult(file, tmp_path / "none")


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(vk.FormatError, match="does not exist; give the file"):
        adult(tmp_path / "adult.data")
    with pytest.raises(vk.FormatError, match=r"holds no adult\.data; give the file"):
        adult(tmp_path)


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "", "\x00\x01"])
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "adult.data").write_text(content)
    with pytest.raises(vk.FormatError, match=r"expected the 15 columns|cannot be read|is empty"):
        adult(tmp_path)


def test_the_real_file_has_the_records_that_the_papers_count(datasets_dir):
    folder = datasets_dir / "adult"
    assert len(adult(folder)) == 30_162
    assert len(adult(folder, complete=False)) == 32_561
    assert len(adult(folder / "adult.test.gz")) == 15_060


def test_the_real_hierarchies_hold_every_value(datasets_dir):
    data = adult(datasets_dir / "adult", datasets_dir / "adult-hierarchies")
    for column in data.schema.quasi:
        assert column.hierarchy.missing(data.frame[column.name].unique()) == ()
    assert len(vk.lattice.Lattice.of(data)) == 6_480
