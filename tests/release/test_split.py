"""Releases in two tables: what they hold, what they refuse, and their way to disk and back."""

import json

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.mask import anatomize, permute_all

QUASI = pd.DataFrame({"age": [30, 40, 50], "town": ["p", "q", "p"], "Group-ID": [1, 1, 2]})
SENSITIVE = pd.DataFrame({"Group-ID": [1, 2, 1], "illness": ["flu", "flu", "cold"]})


@pytest.fixture
def release():
    return vk.SplitRelease.of(QUASI, SENSITIVE)


def test_the_columns_of_the_first_table_are_known_and_those_of_the_second_sensitive(release):
    assert [c.name for c in release.schema.quasi] == ["age", "town"]
    assert [c.name for c in release.schema.sensitive] == ["illness"]
    assert repr(release) == "SplitRelease(3 records in 2 groups, of age, town | illness)"


def test_rows_are_found_by_group_in_both_tables_whatever_their_order(release):
    assert list(release.labels.names) == [1, 2]
    assert release.labels.quasi.tolist() == [0, 0, 1]
    assert release.labels.sensitive.tolist() == [0, 1, 0]
    assert release.sizes.tolist() == [2, 1]


def test_a_release_is_a_copy_that_its_makers_cannot_change(release):
    frame = QUASI.copy()
    made = vk.SplitRelease.of(frame, SENSITIVE)
    frame.loc[0, "age"] = 99
    assert made.quasi["age"].tolist() == [30, 40, 50]
    with pytest.raises(AttributeError):
        made.method = "another"


def test_the_index_of_the_tables_does_not_matter(release):
    odd = vk.SplitRelease.of(QUASI.set_axis([7, 7, 7]), SENSITIVE.set_axis(list("xyz")))
    assert odd.quasi.equals(release.quasi)
    assert odd.sensitive.equals(release.sensitive)


@pytest.mark.parametrize("ids", [["1", "1", "2"], [1.0, 1.0, 2.0], ["a", "a", "b"]])
def test_groups_may_have_names_of_any_kind(ids):
    names = dict(zip([1, 1, 2], ids, strict=True))
    made = vk.SplitRelease.of(
        QUASI.assign(**{"Group-ID": ids}),
        SENSITIVE.assign(**{"Group-ID": [names[n] for n in SENSITIVE["Group-ID"]]}),
    )
    assert made.sizes.tolist() == [2, 1]


def test_numbers_in_one_table_and_their_texts_in_the_other_are_the_same_groups():
    made = vk.SplitRelease.of(QUASI, SENSITIVE.astype({"Group-ID": str}))
    assert made.sizes.tolist() == [2, 1]


def test_a_table_of_values_with_counts_is_written_out():
    counts = pd.DataFrame(
        {"Group-ID": [1, 1, 2], "illness": ["flu", "cold", "flu"], "n": [1, 1, 1]}
    )
    made = vk.SplitRelease.of(QUASI, counts, count="n")
    assert made.sensitive["illness"].tolist() == ["flu", "cold", "flu"]
    many = counts.assign(n=[2, 0, 1]).set_axis([5, 5, 5])
    assert vk.SplitRelease.of(QUASI, many, count="n").sensitive["illness"].tolist() == ["flu"] * 3


def test_the_survey_s_inconsistent_tables_are_found_out():
    with pytest.raises(
        vk.SchemaError,
        match="Group '1' has 5 records in the quasi table and 4 in the sensitive table",
    ):
        vk.SplitRelease.of(
            vk.load("ks_table5_qit").frame,
            vk.load("ks_table5_st").frame,
            group="Group-Id",
            count="Count",
        )


def test_all_groups_that_disagree_are_named():
    quasi = pd.DataFrame({"Group-ID": [1, 1, 2, 3, 4], "age": range(5)})
    sensitive = pd.DataFrame({"Group-ID": [1, 2, 2, 3, 4, 4], "ill": list("abcdef")})
    words = "Group '1' has 2 .* table and 1 .* table \\(2 other groups disagree too: '2', '4'\\)"
    with pytest.raises(vk.SchemaError, match=words):
        vk.SplitRelease.of(quasi, sensitive)


@pytest.mark.parametrize(
    ("quasi", "sensitive", "sentence"),
    [
        (QUASI.drop(columns="Group-ID"), SENSITIVE, "quasi table lacks the column 'Group-ID'"),
        (QUASI, SENSITIVE.drop(columns="Group-ID"), "sensitive table lacks the column 'Group-ID'"),
        (QUASI, SENSITIVE.iloc[:2], "Group '1' has 2 records in the quasi table and 1 in the"),
        (
            QUASI.assign(**{"Group-ID": [1, 1, 3]}),
            SENSITIVE,
            "Group '2' has 0 records in the quasi",
        ),
        (
            QUASI.assign(**{"Group-ID": [1, None, 2]}),
            SENSITIVE,
            "quasi table has 1 rows without a group; every row belongs to one",
        ),
        (QUASI, SENSITIVE.rename(columns={"illness": "age"}), "names 'age' more than once"),
        (QUASI[["Group-ID"]], SENSITIVE, "needs at least one column|1 sensitive of 1 columns"),
        ([1], SENSITIVE, "given as list; expected two DataFrames"),
    ],
)
def test_tables_that_do_not_fit_are_refused_in_one_sentence(quasi, sensitive, sentence):
    with pytest.raises(vk.SchemaError, match=sentence):
        vk.SplitRelease.of(quasi, sensitive)


@pytest.mark.parametrize("counts", [[1, 1, None], [1, 1, -1], [1, 0.5, 1], ["x", 1, 1]])
def test_counts_that_are_no_whole_numbers_are_refused(counts):
    with pytest.raises(vk.SchemaError, match="'n' must hold whole numbers from 0 up"):
        vk.SplitRelease.of(QUASI, SENSITIVE.assign(n=counts), count="n")


def test_a_column_of_counts_that_is_not_there_is_named():
    with pytest.raises(vk.SchemaError, match="lacks the column of counts 'n'"):
        vk.SplitRelease.of(QUASI, SENSITIVE, count="n")


def test_identifiers_are_refused():
    schema = vk.Schema.guess(
        QUASI.drop(columns="Group-ID").assign(illness="flu"), town="identifier", illness="sensitive"
    )
    with pytest.raises(vk.SchemaError, match=r"must not hold identifiers, .* 'town'"):
        vk.SplitRelease(QUASI, SENSITIVE, schema)


# -- to disk and back ------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [anatomize, permute_all])
@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
def test_a_release_comes_back_from_disk_as_it_was(mask, parquet, tmp_path):
    if parquet:
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    data = vk.load("lhcc_table1")
    release, _ = mask(data, partition=vk.partition.diverse(data, ell=4, seed=1), seed=2)
    again = vk.open_release(release.save(tmp_path / "r", parquet=parquet))
    assert isinstance(again, vk.SplitRelease)
    assert again.quasi.astype(str).equals(release.quasi.astype(str))
    assert again.sensitive.astype(str).equals(release.sensitive.astype(str))
    assert again.quasi["Group-ID"].dtype == np.int64
    for name in ("method", "parameters", "permuted", "group"):
        assert getattr(again, name) == getattr(release, name), name
    assert [(c.name, c.role, c.kind) for c in again.schema] == [
        (c.name, c.role, c.kind) for c in release.schema
    ]
    assert again.schema["Sex"].hierarchy.root == "F/M"


def test_a_help_table_needs_a_sensitive_column_of_numbers(release):
    with pytest.raises(vk.SchemaError, match="0 sensitive columns of numbers among 'illness'"):
        vk.SplitRelease(
            release.quasi,
            release.sensitive,
            release.schema,
            help=pd.DataFrame({"group": [1], "hits": [1], "sum_lower": [7.5]}),
        )
    assert release.help is None


def test_the_description_is_a_frictionless_package_of_two_tables(tmp_path, release):
    folder = release.save(tmp_path / "r")
    package = json.loads((folder / "datapackage.json").read_text())
    assert [part["path"] for part in package["resources"]] == ["quasi.csv", "sensitive.csv"]
    assert package["verikit"]["kind"] == "split"


def test_a_table_that_was_changed_or_is_missing_is_noticed(tmp_path, release):
    folder = release.save(tmp_path / "r")
    table = folder / "sensitive.csv"
    table.write_text(table.read_text().replace("cold", "gout"))
    with pytest.raises(vk.FormatError, match=r"'sensitive.csv' was changed after"):
        vk.open_release(folder)
    table.unlink()
    with pytest.raises(
        vk.FormatError, match=r"names the table 'sensitive.csv', but it is not there"
    ):
        vk.open_release(folder)


def test_a_description_without_one_of_the_tables_is_no_release(tmp_path, release):
    folder = release.save(tmp_path / "r")
    path = folder / "datapackage.json"
    package = json.loads(path.read_text())
    del package["resources"][1]
    path.write_text(json.dumps(package))
    with pytest.raises(vk.FormatError, match=r"'sensitive'.* is missing or misplaced"):
        vk.open_release(folder)


def test_an_unknown_kind_of_release_is_named(tmp_path, release):
    folder = release.save(tmp_path / "r")
    path = folder / "datapackage.json"
    path.write_text(path.read_text().replace('"split"', '"hologram"'))
    with pytest.raises(vk.FormatError, match="hologram"):
        vk.open_release(folder)


def test_the_pair_of_a_paper_is_published_under_its_common_name():
    release = vk.published("lhcc_table3")
    assert (release.method, release.permuted, release.parameters) == (
        "anatomize",
        False,
        {"ell": 4},
    )
    assert vk.published("lhcc_table4").permuted
    with pytest.raises(vk.FormatError, match="no table 'lhcc_table9'"):
        vk.published("lhcc_table9")
