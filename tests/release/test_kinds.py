"""Kinds of release: what all keep, and what another package does to add one."""

import ast
import dataclasses
import json
import os
import subprocess
import sys
import textwrap
from typing import get_args

import pandas as pd
import pytest
from sources import MODULES, room

import verikit as vk
from verikit.errors import FormatError, SchemaError
from verikit.query import blocks
from verikit.release import KINDS, Release, TableRelease, by_groups, whole_records
from verikit.release._kinds import Promise

PLACE = "outside_counts"
COUNTS = textwrap.dedent(
    '''
    """A kind of release in a package of its own: values, and how many records have each."""

    from collections.abc import Mapping
    from dataclasses import dataclass, field
    from typing import Any, ClassVar

    import numpy as np
    import pandas as pd

    from verikit.query import Blocks, Columns, Part, blocks
    from verikit.release import KINDS, Published
    from verikit.table import Column, Schema


    @KINDS.register
    @dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
    class Counts(Published):
        """How many records have each value, one table a column."""

        kind: ClassVar[str] = "counts"
        columns: Mapping[str, pd.DataFrame]
        schema: Schema
        method: str = ""
        parameters: Mapping[str, Any] = field(default_factory=dict)
        promise: str = "untold"

        def __post_init__(self):
            self._hold_facts()

        def __len__(self):
            return int(next(iter(self.columns.values()))["count"].sum())

        def tables(self):
            number = Column("count", "other")
            return {
                name: (frame, Schema((self.schema[name], number)))
                for name, frame in self.columns.items()
            }

        @classmethod
        def parts(cls, tables, facts):
            schema = Schema(tuple(schema[name] for name, (_, schema) in tables.items()))
            frames = {name: frame for name, (frame, _) in tables.items()}
            return {"columns": frames, "schema": schema}


    @blocks.register
    def _counts(release: Counts) -> Blocks:
        spread = {
            name: frame[name].repeat(frame["count"]).reset_index(drop=True)
            for name, frame in release.columns.items()
        }
        columns = Columns(pd.DataFrame(spread), release.schema)
        parts = tuple(Part(columns, (name,), None, 1) for name in release.schema.names)
        return Blocks(np.array([len(release)]), parts, release.schema, release.promise)
    '''
)


@pytest.fixture
def counts(tmp_path, monkeypatch):
    """A package with a kind of release, imported as anybody would, and forgotten afterwards."""
    (tmp_path / f"{PLACE}.py").write_text(COUNTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield __import__(PLACE).Counts
    del KINDS["counts"], sys.modules[PLACE]


def counted(kind):
    age = pd.DataFrame({"age": [30, 40], "count": [1, 3]})
    town = pd.DataFrame({"town": pd.Categorical(["p", "q"]), "count": [2, 2]})
    schema = vk.Schema((vk.Column("age"), vk.Column("town", kind="nominal")))
    return kind({"age": age, "town": town}, schema, "counted", {"by": "hand"}, "another order")


def examples():
    """A release of every kind that is ours."""
    return [vk.published(name) for name in ("dm_table1_masked", "ks_table4", "lhcc_table4")]


def holds(release, folder):
    """What every kind of release keeps."""
    assert KINDS[release.kind] is type(release)
    assert set(release.asked) <= set(release.schema)
    assert release.promise in get_args(Promise)
    for frame, schema in release.tables().values():
        assert set(schema.names) == set(frame.columns)
    assert "<table" in release._repr_html_()
    opened = vk.open_release(release.save(folder / "r"))
    assert type(opened) is type(release)
    assert len(opened) == len(release)
    assert opened.schema.names == release.schema.names
    assert [column.name for column in opened.asked] == [column.name for column in release.asked]
    for name in ("method", "parameters", "promise"):
        assert getattr(opened, name) == getattr(release, name), name
    for name, (frame, _) in release.tables().items():
        assert opened.tables()[name][0].astype(str).equals(frame.astype(str)), name
    files = [path.read_bytes() for path in sorted((folder / "r").iterdir())]
    again = sorted(opened.save(folder / "s" / "r").iterdir())
    assert [path.read_bytes() for path in again] == files
    signed = release.signed("another", "changed")
    assert (signed.method, signed.promise, len(signed)) == ("another", "changed", len(release))
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.method = "another"
    assert len(blocks(release)) == len(release)


@pytest.mark.parametrize("release", examples(), ids=lambda release: release.kind)
def test_every_kind_of_ours_keeps_what_all_kinds_keep(release, tmp_path):
    (tmp_path / "s").mkdir()
    holds(release, tmp_path)


def test_a_kind_of_another_package_keeps_what_all_kinds_keep(counts, tmp_path):
    (tmp_path / "s").mkdir()
    holds(counted(counts), tmp_path)


def test_a_kind_of_another_package_answers_questions(counts):
    found = vk.answer("select count(*) from t where age = 40 and town = 'p'", counted(counts))
    assert (found.lower, found.upper) == (1, 2)
    assert vk.answer("select count(*) from t where age = 40", counted(counts)).exact


def test_a_kind_of_another_package_refuses_identifiers_as_all_do(counts):
    schema = vk.Schema((vk.Column("name", "identifier"),))
    with pytest.raises(SchemaError, match=r"must not hold identifiers, .*'name'"):
        counts({}, schema)


def test_what_needs_whole_records_or_groups_refuses_another_kind_in_a_sentence(counts):
    release, data = counted(counts), vk.load("lhcc_table1")
    asked = {
        "linking by rank needs": lambda: vk.link(data, release),
        "expected a SplitRelease": lambda: vk.intruder.presence(data, release),
        "expected a TableRelease or a Partition": lambda: vk.utility.ncp(data, release),
        "expected Microdata or a release": lambda: vk.models.k_anonymity(release),
        "An audit takes a table, or": lambda: vk.audit(data, release, vk.Key.of(range(9))),
    }
    for sentence, question in asked.items():
        with pytest.raises(SchemaError, match=sentence):
            question()


def test_a_folder_of_a_kind_is_opened_before_anybody_imports_its_package(counts, tmp_path):
    saved = counted(counts).save(tmp_path / "r")
    told = tmp_path / f"{PLACE}-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PLACE}\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[verikit.releases]\ncounts = {PLACE}:Counts\n")
    code = f"import verikit as vk; print(len(vk.open_release({str(saved)!r})))"
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stdout.strip() == "4", done.stderr


def test_a_folder_of_an_unknown_kind_was_made_by_a_newer_verikit(tmp_path):
    folder = vk.published("dm_table1_masked").save(tmp_path / "r")
    package = json.loads((folder / "datapackage.json").read_text())
    package["verikit"]["kind"] = "rumour"
    (folder / "datapackage.json").write_text(json.dumps(package))
    sentence = "a release of the kind 'rumour', made by a newer verikit or by a package that is not"
    with pytest.raises(FormatError, match=sentence):
        vk.open_release(folder)


def test_two_kinds_of_one_name_are_refused(counts):
    other = type("Other", (), {"kind": "table", "__module__": "elsewhere"})
    with pytest.raises(SchemaError, match="already a kind of release called 'table', of verikit"):
        KINDS.register(other)
    with pytest.raises(SchemaError, match="The kind of Nameless was given as None; expected its"):
        KINDS.register(type("Nameless", (), {}))
    assert KINDS["table"] is TableRelease


def test_a_person_is_asked_for_what_is_compared_or_what_others_may_know():
    asked = {
        name: [column.name for column in vk.published(name).asked]
        for name in ("dm_table1_masked", "ks_table4", "lhcc_table3")
    }
    assert asked == {
        "dm_table1_masked": ["X1", "X2", "X3"],
        "ks_table4": ["Marital Status", "DOB", "Zip"],
        "lhcc_table3": ["Age", "Sex"],
    }
    nothing = pd.array([None, None], "Float64").astype(float)
    gaps = pd.DataFrame({"a": [1, 2], "b": [1.0, None], "c": ["x", "y"], "d": nothing})
    assert [column.name for column in vk.TableRelease.of(gaps).asked] == ["a", "b", "c"]


def test_a_release_says_whether_its_rows_are_records_or_its_values_lie_in_groups():
    table, _, split = examples()
    assert (whole_records(table), by_groups(table)) == (True, False)
    assert (whole_records(split), by_groups(split)) == (False, True)
    assert not any(test(other) for test in (whole_records, by_groups) for other in (None, [], 7))


def test_the_protocol_of_releases_names_no_library():
    kept = [getattr(Release, name) for name in vars(Release) if not name.startswith("_")]
    told = [str(getattr(getattr(part, "fget", part), "__annotations__", "")) for part in kept]
    assert len(told) >= 8
    assert not any("pd." in part or "pandas" in part for part in told)


def tells_kinds_apart(node):
    """Whether a call asks of what class a release is."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    named = ast.unparse(node)
    return node.func.id in ("isinstance", "issubclass") and "Release" in named


def test_nobody_but_the_room_of_releases_asks_of_what_class_a_release_is():
    found = {
        module
        for module, file in MODULES.items()
        if room(module) != "release"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if tells_kinds_apart(node)
    }
    assert found == set()
