"""The tables that ship with verikit: every CSV file and the TOML file that describes it."""

import csv
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from verikit import mask, papers
from verikit._support import resources as _resources
from verikit._support.resources import data_path, notebooks_dir
from verikit.datasets import load, published
from verikit.errors import FormatError
from verikit.partition import mondrian
from verikit.release._kinds import require_promise

ROLES = {"identifier", "quasi", "sensitive", "other"}
KINDS = {"numeric", "ordinal", "nominal"}
OWN = ("people", "people_masked")  # made up by us, printed nowhere
WORDS = "glossary"  # a list of words, and no table of a paper
NAMES = sorted(path.stem for path in data_path("").glob("*.csv") if path.stem != WORDS)
MISSING = ""

each_table = pytest.mark.parametrize("name", NAMES)


@cache
def twin(name):
    return tomllib.loads(data_path(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def rows(name):
    with data_path(f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def values(name, column):
    place = rows(name)[0].index(column)
    return [row[place] for row in rows(name)[1:]]


def numbers(name):
    return np.array(rows(name)[1:], dtype=float)


def nodes(tree):
    """Every name in a nested hierarchy, groups and leaves alike."""
    if isinstance(tree, dict):
        return set(tree).union(*map(nodes, tree.values()))
    return set(tree)


def items_of(text):
    """The printed items a place names: 'Section 5.1, Table 4' names Table 4."""
    return set(re.findall(r"(?:Table|Figure) \d+(?:\.\d+)?", text))


def test_every_table_has_its_description_and_every_description_its_table():
    assert sorted(path.stem for path in data_path("").glob("*.toml")) == NAMES
    assert {"dm_table1", "ks_table1", "lhcc_table1"} <= set(NAMES)


def test_nothing_but_tables_and_descriptions_ships_with_them():
    others = {path.name for path in data_path("").iterdir()} - {"__init__.py", "__pycache__"}
    assert {name.rpartition(".")[2] for name in others} == {"csv", "toml"}


@each_table
def test_a_description_says_what_the_table_is_and_where_it_is_printed(name):
    known = {"title", "paper", "item", "description", "columns", "corrections", "release"}
    found = twin(name)
    assert set(found) <= known
    assert found["title"]
    assert found["item"]
    if name not in OWN:
        assert found["paper"] in papers.PAPERS
        assert name.startswith(found["paper"].lower() + "_")
    assert 2 <= len(re.findall(r"[.:?!](?:\s|$)", found["description"])) <= 6


@each_table
def test_the_columns_of_the_description_are_the_header_in_order(name):
    assert [column["name"] for column in twin(name)["columns"]] == rows(name)[0]


@each_table
def test_every_row_has_one_cell_per_column(name):
    assert len(rows(name)) > 1
    assert {len(row) for row in rows(name)} == {len(rows(name)[0])}


@each_table
def test_every_column_has_a_role_a_kind_and_words_for_the_screen(name):
    for column in twin(name)["columns"]:
        assert set(column) <= {"name", "role", "kind", "label", "unit", "order", "hierarchy"}
        assert column["role"] in ROLES
        assert column["kind"] in KINDS
        assert column.get("label") or column["name"] in ("X1", "X2", "X3")


@each_table
def test_numeric_columns_hold_finite_numbers(name):
    for column in twin(name)["columns"]:
        if column["kind"] == "numeric":
            assert np.isfinite(np.array(values(name, column["name"]), dtype=float)).all()
            assert "order" not in column
            assert "hierarchy" not in column


@each_table
def test_ordinal_columns_declare_their_order(name):
    assert all("order" in c for c in twin(name)["columns"] if c["kind"] == "ordinal")


@each_table
def test_every_category_is_in_the_declared_order_once(name):
    for column in twin(name)["columns"]:
        order = column.get("order")
        if order is not None:
            assert len(order) == len(set(order))
            assert set(values(name, column["name"])) <= set(order)


@each_table
def test_every_category_is_in_the_declared_hierarchy(name):
    for column in twin(name)["columns"]:
        if "hierarchy" in column:
            assert len(column["hierarchy"]) == 1, "a hierarchy has one root"
            assert set(values(name, column["name"])) <= nodes(column["hierarchy"])


@each_table
def test_cells_are_not_padded_and_only_facts_leave_cells_empty(name):
    cells = [cell for row in rows(name) for cell in row]
    assert all(cell == cell.strip() for cell in cells)
    assert name.endswith("_facts") or MISSING not in cells


@each_table
def test_every_correction_is_complete_and_rests_on_a_fact_of_the_same_paper(name):
    for correction in twin(name).get("corrections", []):
        assert set(correction) - {"column"} == {"fact", "where", "printed", "reading"}
        assert all(correction.values())
        fact = papers.fact(twin(name)["paper"], correction["fact"])
        assert twin(name)["item"] in items_of(fact.where)


@each_table
def test_a_correction_of_a_column_names_a_value_that_stands_in_it(name):
    for correction in twin(name).get("corrections", []):
        if "column" in correction:
            assert correction["printed"] in values(name, correction["column"])
            assert correction["printed"] != correction["reading"]


def test_every_erratum_that_concerns_a_shipped_table_is_noted_beside_it():
    noted = {
        (twin(name)["paper"], twin(name)["item"], correction["fact"])
        for name in NAMES
        for correction in twin(name).get("corrections", [])
    }
    shipped = {(twin(name)["paper"], twin(name)["item"]) for name in NAMES}
    due = {
        (key, item, erratum.id)
        for key in papers.PAPERS
        for erratum in papers.errata(key)
        for item in items_of(erratum.where)
        if (key, item) in shipped
    }
    assert len(due) > 15
    assert due - noted == set()


@each_table
def test_a_release_names_its_method_and_an_original_with_the_same_attributes(name):
    release = twin(name).get("release")
    if release is None:
        return
    known = {
        "kind",
        "method",
        "permuted",
        "promise",
        "reported_links",
        "reported_luck",
        "original",
        "example",
        "parameters",
        "sensitive",
        "spans",
        "group",
        "help",
    }
    assert set(release) <= known
    assert (release["kind"] == "split") == ("sensitive" in release) == ("permuted" in release)
    assert release["method"]
    assert require_promise(release["promise"]) != "untold"
    parts = [name, release["sensitive"]] if release["kind"] == "split" else [name]
    attributes = {
        c["name"]: c["role"]
        for part in parts
        for c in twin(part)["columns"]
        if c["role"] not in ("other", "identifier")
    }
    if "original" in release:
        original = {c["name"]: c["role"] for c in twin(release["original"])["columns"]}
        assert {n: r for n, r in original.items() if r != "identifier"} == attributes
        assert len(rows(name)) == len(rows(release["original"]))


@each_table
def test_a_release_that_is_a_permutation_holds_the_original_values_column_by_column(name):
    release = twin(name).get("release", {})
    if "original" not in release:
        return
    columns = [c["name"] for c in twin(name)["columns"] if c["role"] == "quasi"]
    same = [sorted(values(name, c)) == sorted(values(release["original"], c)) for c in columns]
    assert all(same) == (release["promise"] == "another order")


@each_table
def test_a_release_opens_with_the_printed_rows_and_without_identifiers(name):
    if twin(name).get("release", {}).get("kind") != "table":
        return
    release = published(name)
    kept = [column["name"] for column in twin(name)["columns"] if column["role"] != "identifier"]
    assert list(release.schema.names) == kept
    spans = twin(name)["release"].get("spans", [])
    for column in twin(name)["columns"]:
        if column["kind"] != "numeric" and column["name"] in set(kept) - set(spans):
            assert list(release.frame[column["name"]]) == read(name, column["name"])
    for column in spans:
        written = [f"[{s.left:g}-{s.right:g}]" for s in release.frame[column]]
        assert written == values(name, column)


@pytest.mark.parametrize("name", ["lhcc_table3", "lhcc_table4"])
def test_a_release_in_two_tables_opens_with_the_printed_rows_of_both(name):
    release = published(name)
    first, second = sorted(part for part in NAMES if part.startswith(f"{name}_"))
    for frame, part in ((release.quasi, first), (release.sensitive, second)):
        for column in rows(part)[0]:
            assert list(map(str, frame[column])) == read(part, column)


def test_published_strengths_name_every_column_of_their_release():
    for name in ("dm_table1_masked", "dm_table1_mapped"):
        assert twin(name)["release"]["parameters"]["scale"] == {"X1": 5, "X2": 25, "X3": 100}


def test_the_ranks_of_the_running_example_are_the_ranks_of_its_values():
    def ranks(table):
        return table.argsort(axis=0).argsort(axis=0) + 1

    both = np.hstack([ranks(numbers("dm_table1")), ranks(numbers("dm_table1_masked"))])
    assert np.array_equal(numbers("dm_table1_ranks"), both)


def test_the_mapped_values_carry_the_ranks_of_the_masked_ones():
    masked, mapped = numbers("dm_table1_masked"), numbers("dm_table1_mapped")
    assert np.array_equal(masked.argsort(axis=0), mapped.argsort(axis=0))


def test_the_noise_is_what_lies_between_the_three_tables():
    original, masked = numbers("dm_table1"), numbers("dm_table1_masked")
    noise = np.hstack([masked - numbers("dm_table1_mapped"), masked - original])
    assert np.abs(numbers("dm_table2") - noise).max() < 1e-9


def test_the_deviations_are_counted_from_the_ranks_8_2_and_16():
    ranks = numbers("dm_table1_ranks")[:, 3:]
    assert np.array_equal(numbers("dm_table3"), np.abs(ranks - [8, 2, 16]))


def test_the_distance_of_a_record_is_the_largest_of_its_attributes():
    table = numbers_of("dm_table4", ["distance_X1", "distance_X2", "distance_X3", "distance"])
    assert np.array_equal(table[:, :3].max(axis=1), table[:, 3])


def numbers_of(name, columns):
    return np.array([values(name, column) for column in columns], dtype=float).T


@pytest.mark.parametrize(("name", "total"), [("dm_table5", 1.0002), ("dm_table6", 1.0)])
def test_printed_shares_add_up_as_the_facts_say(name, total):
    original, random = numbers_of(name, ["share_original", "share_random"]).sum(axis=0)
    assert original == pytest.approx(1.0, abs=1e-9)
    assert random == pytest.approx(total, abs=1e-9)


def test_the_random_shares_count_8000_records_to_four_places():
    counts = np.array([20, 469, 1519, 2411, 2076, 1030, 342, 114, 19, 0, 0])
    shares = numbers_of("dm_table5", ["share_random"])[:, 0]
    assert np.abs(shares - counts / 8000).max() < 6e-5


@pytest.mark.parametrize("pair", [("table3_qit", "table3_st"), ("table4_pqt", "table4_pst")])
def test_split_tables_of_permutation_anonymization_keep_each_group_column_by_column(pair):
    groups = ["1"] * 5 + ["2"] * 4
    for part, columns in zip(pair, (["Age", "Sex"], ["Disease"]), strict=True):
        for column in columns:
            split = zip(
                values(f"lhcc_{part}", "Group-ID"), read(f"lhcc_{part}", column), strict=True
            )
            whole = zip(groups, read("lhcc_table1", column), strict=True)
            assert sorted(split) == sorted(whole)


def read(name, column):
    """The values of a column after the corrections that its description declares for it."""
    fixes = {
        fix["printed"]: fix["reading"]
        for fix in twin(name).get("corrections", [])
        if fix.get("column") == column
    }
    return [fixes.get(value, value) for value in values(name, column)]


def test_generalized_ages_cover_the_ages_they_stand_for():
    for span, age in zip(values("lhcc_table2", "Age"), values("lhcc_table1", "Age"), strict=True):
        low, high = map(int, re.fullmatch(r"\[(\d+)-(\d+)\]", span).groups())
        assert low <= int(age) <= high


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("ks_table1", [3, 3, 4]), ("ks_table4", [3, 4, 4]), ("ks_table6", [3, 4, 4])],
)
def test_the_classes_of_the_survey_have_at_least_three_rows(name, sizes):
    columns = [c["name"] for c in twin(name)["columns"] if c["role"] == "quasi"]
    classes = list(zip(*(values(name, column) for column in columns), strict=True))
    assert sorted(classes.count(found) for found in set(classes)) == sizes


def test_the_unmasked_rows_of_the_survey_are_the_printed_ones_without_stars():
    printed = rows("ks_table2")
    assert rows("ks_table2_unmasked") == [row for row in printed if "**" not in row]
    assert len(printed) - len(rows("ks_table2_unmasked")) == 4


def test_the_counts_of_the_survey_fall_one_short_of_each_group():
    groups = values("ks_table5_qit", "Group-Id")
    counts = dict.fromkeys(groups, 0)
    for group, count in zip(
        values("ks_table5_st", "Group-Id"), values("ks_table5_st", "Count"), strict=True
    ):
        counts[group] += int(count)
    assert {group: groups.count(group) - count for group, count in counts.items()} == {
        "1": 1,
        "2": 1,
    }


def test_the_folders_of_a_checkout_and_of_an_installed_package_are_both_found(
    monkeypatch, tmp_path
):
    inside = tmp_path / "verikit" / "_data"
    beside = tmp_path / "notebooks"
    for folder in (inside, beside):
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    monkeypatch.setattr(_resources, "files", tmp_path.joinpath)
    assert data_path("a.csv") == inside / "a.csv"
    assert notebooks_dir() == beside


def test_a_missing_folder_is_reported_with_where_it_was_looked_for(monkeypatch, tmp_path):
    monkeypatch.setattr(_resources, "files", tmp_path.joinpath)
    (tmp_path / "notebooks").mkdir()
    with pytest.raises(FormatError, match=r"'notebooks' is neither inside nor beside .*verikit"):
        notebooks_dir()


def test_papers_and_data_are_found_without_loading_numpy_or_pandas():
    program = f"""
import sys, types
package = types.ModuleType("verikit")
package.__path__ = [{str(Path(papers.__file__).parent)!r}]
sys.modules["verikit"] = package
import verikit.papers
print(sorted({{"numpy", "pandas"}} & set(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, check=True)
    assert found.stdout.decode().strip() == "[]"


def test_the_invented_people_are_masked_again_by_the_method_and_seed_that_are_told():
    data, printed = load("people"), published("people_masked")
    assert not data.frame.duplicated(["age", "postcode"]).any(), "as the description says"
    release, _ = mask.generalize(data, partition=mondrian(data, k=4), seed=1)
    assert release.frame.astype(str).equals(printed.frame.astype(str))
    told = {name: value for name, value in release.parameters.items() if value is not None}
    assert (release.method, told) == (printed.method, dict(printed.parameters))
    groups = printed.frame.astype(str).groupby(["age", "postcode"])["pay"]
    assert groups.size().min() == 4
    assert (groups.nunique() == 1).sum() == 1
