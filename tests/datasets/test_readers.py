"""Readers of real data sets: what is in the file, under its roles; and nothing but that file."""

import gzip

import pytest

import verikit as vk
from verikit.datasets import acl, baskets, cahousing, census_income, eusilc, pums

PEOPLE = "age,sex,educ,race,income,married\n59,1,9,1,0,1\n31,0,1,3,17000,0\n"


def roles(data, role):
    return [column.name for column in data.schema if column.role == role]


def test_a_file_its_folder_and_a_compressed_one_give_the_same_records(tmp_path):
    (tmp_path / "PUMS.csv").write_text(PEOPLE)
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "PUMS.csv.gz").write_bytes(gzip.compress(PEOPLE.encode()))
    found = [pums(path) for path in (tmp_path / "PUMS.csv", tmp_path, packed)]
    assert found[0].record(1) == {
        "age": 31, "sex": "0", "educ": 1, "race": "3", "income": 17000, "married": "0",
    }  # fmt: skip
    assert all(data.frame.equals(found[0].frame) for data in found)


@pytest.mark.parametrize("read", [pums, cahousing, eusilc, census_income, acl, baskets])
def test_what_is_not_there_or_another_table_is_refused(tmp_path, read):
    with pytest.raises(vk.FormatError, match="does not exist; give the file"):
        read(tmp_path / "nowhere")
    with pytest.raises(vk.FormatError, match=r"holds no .*; give the file"):
        read(tmp_path)
    with pytest.raises(vk.SchemaError, match="expected a file or a folder"):
        read(7)
    for content in ("a,b\n1,2\n", ""):
        (tmp_path / "other.csv").write_text(content)
        with pytest.raises(vk.FormatError, match=r"'other\.csv' (cannot be read|has)|is empty"):
            read(tmp_path / "other.csv")


def test_only_two_kinds_of_baskets_are_known(tmp_path):
    with pytest.raises(vk.RecordError, match="expected 'groceries' or 'epub'"):
        baskets(tmp_path, "shoes")


def test_a_category_written_na_is_no_missing_value(tmp_path):
    line = ["30", *["x"] * 4, "0", *["x"] * 5, "NA", *["x"] * 4, "0", "0", "0", *["x"] * 5]
    line += ["1.5", "?", *["x"] * 4, "0", *["x"] * 8, "52", "94", "- 50000."]
    (tmp_path / "census-income.data").write_text(", ".join(line) + "\n")
    person = census_income(tmp_path).record(0)
    assert (person["hispanic origin"], person["migration in msa"]) == ("NA", None)


def test_the_real_people_of_california_are_a_thousand(datasets_dir):
    data = pums(datasets_dir / "pums-ca-1000")
    assert len(data) == 1000
    assert roles(data, "sensitive") == ["income"]
    assert not data.frame.isna().any(axis=None)


def test_the_real_houses_are_numbers_with_many_ties(datasets_dir):
    data = cahousing(datasets_dir / "cahousing")
    assert len(data) == 20_640
    assert {column.kind for column in data.schema.quasi} == {"numeric"}
    assert data.frame["housing_median_age"].nunique() < 60


def test_the_real_synthetic_persons_have_the_gaps_that_their_file_has(datasets_dir):
    data = eusilc(datasets_dir / "eusilc")
    assert (len(data), data.frame["db030"].nunique()) == (14_827, 6_000)
    assert int(data.frame.isna().to_numpy().sum()) == 27_200


def test_the_real_census_income_has_the_persons_and_gaps_that_are_counted(datasets_dir):
    data = census_income(datasets_dir / "census-income-kdd" / "census-income.test.gz")
    assert len(data) == 99_762
    assert data.frame.columns[data.frame.isna().any()].size == 8
    assert "NA" in set(data.frame["hispanic origin"])


def test_the_real_graphs_have_the_pairs_that_are_counted(datasets_dir):
    papers = acl(datasets_dir / "acl-author-paper")
    assert (len(papers), papers["author"].nunique()) == (387_368, 116_687)
    assert papers["author"].value_counts().max() == 397
    bought = baskets(datasets_dir / "market-baskets")
    assert (len(bought), bought["customer"].nunique(), bought["product"].nunique()) == (
        43_367, 9_835, 169,
    )  # fmt: skip
    assert {"group", "department"} <= set(bought.columns)
    assert len(baskets(datasets_dir / "market-baskets", "epub")) == 25_893
