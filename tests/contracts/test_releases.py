"""What every kind of release must keep: it comes back from disk as it was, and tells no secret."""

import dataclasses
import random
import re
import shutil
from functools import partial

import numpy as np
import pandas as pd
import pytest
from _examples import SEED, anatomized, generalized, grouped, moved, permuted, released
from _same import plain
from _tables import LABELS, TABLES, UNLUCKY

import verikit as vk
from verikit.page._packed import pack_release
from verikit.release import KINDS
from verikit.subject import spellings_of

PLACE = "tests/contracts/test_releases.py"


def strange(data):
    """Names and cells that a file must not lose: quotes, lines, other scripts, leading zeros."""
    cells = ["02138", 'a "quoted", cell', "two\nlines", "été ☂", "=1+1", "NA ", "{a, b}", "*"]
    frame = pd.DataFrame({"Ort, Straße": cells, "n": [0.1, 1e-300, -0.0, 1e17, 7, 8, None, 3]})
    schema = vk.Schema((vk.Column("Ort, Straße", kind="nominal"), vk.Column("n")))
    return vk.TableRelease.of(frame, schema, method="by hand", parameters={"k": 2, "é": ["x"]})


# One line for each kind: ways to make a release of it from a table.
EXAMPLES = {
    "table": [released, moved, generalized, strange, partial(released, method="by hand")],
    "split": [anatomized, permuted],
    "graph": [grouped],
}
WAYS = [(kind, at) for kind in KINDS for at in range(len(EXAMPLES.get(kind, ())))]
each_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: "{}-{}".format(*way))
each_kind = pytest.mark.parametrize("kind", KINDS)


def made(way, table):
    """A release of a table; nothing where the table allows none."""
    try:
        return EXAMPLES[way[0]][way[1]](table())
    except vk.VerikitError:
        return None


def first(way):
    return next(found for table in TABLES if (found := made(way, table)) is not None)


@each_kind
def test_a_kind_of_release_has_an_example_here(kind):
    assert EXAMPLES.get(kind), f"the kind {kind!r} is new: add a line to {PLACE} that makes one"
    assert set(EXAMPLES) == set(KINDS)


@each_way
@pytest.mark.parametrize("how", ["csv", "parquet", "zip"])
def test_a_release_comes_back_from_disk_as_it_was(way, how, tmp_path):
    if how == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    for table in TABLES + UNLUCKY:
        release = made(way, table)
        if release is None:
            continue
        folder = release.save(tmp_path / table.__name__, parquet=how == "parquet")
        if how == "zip":
            folder = shutil.make_archive(str(folder), "zip", folder)
        opened = vk.open_release(folder)
        assert type(opened) is type(release)
        assert plain(opened) == plain(release), table.__name__
        assert repr(opened) == repr(release)


@each_way
def test_a_release_is_frozen_and_says_in_few_words_what_it_is(way):
    release = first(way)
    for field in dataclasses.fields(release):
        with pytest.raises((AttributeError, TypeError)):
            setattr(release, field.name, getattr(release, field.name))
    with pytest.raises((AttributeError, TypeError)):
        release.added = 1
    assert re.match(rf"{type(release).__name__}\({len(release):,} (records|links?) ", repr(release))
    assert len(repr(release)) < 300
    assert "<table" in release._repr_html_()


@each_way
def test_a_release_holds_a_copy_of_its_own(way):
    release = first(way)
    frames = [f.name for f in dataclasses.fields(release)
              if isinstance(getattr(release, f.name), pd.DataFrame)]  # fmt: skip
    for name in frames:
        given = getattr(release, name).copy(deep=True)
        other = dataclasses.replace(release, **{name: given})
        given.iloc[:, 0] = given.iloc[::-1, 0].to_numpy()
        assert plain(other) == plain(release)


@each_way
@pytest.mark.parametrize("index", LABELS)
def test_the_labels_of_the_index_change_nothing(way, index):
    release = first(way)
    frames = [f.name for f in dataclasses.fields(release)
              if isinstance(getattr(release, f.name), pd.DataFrame)]  # fmt: skip
    labelled = {
        name: getattr(release, name).set_axis(LABELS[index](len(release))) for name in frames
    }
    assert plain(dataclasses.replace(release, **labelled)) == plain(release)


@each_way
def test_saving_and_opening_touch_neither_the_release_nor_the_global_generators(way, tmp_path):
    release = first(way)
    before = plain(release)
    state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    vk.open_release(release.save(tmp_path / "r"))
    assert plain(release) == before
    assert all(map(np.array_equal, np.random.get_state(), state))  # noqa: NPY002
    assert random.getstate() == python_state


@pytest.mark.parametrize("method", vk.mask.METHODS.values(), ids=lambda method: method.name)
def test_neither_seed_nor_key_is_told_by_what_a_mask_returns(method):
    for table in TABLES:
        data = table()
        try:
            given = {n: a(data) if callable(a) else a for n, a in method.example.items()}
            masked = method.function(data, **given, seed=SEED)
        except vk.VerikitError:
            continue
        told = repr(masked) + str(masked) + repr(masked.release.parameters)
        assert "seed" not in masked.release.parameters
        assert str(SEED) not in told
        assert repr(masked.key) == str(masked.key) == f"{masked.key}" == "Key(hidden)"
        assert not re.search(r"array\(|rows=", told)
        with pytest.raises((AttributeError, TypeError)):
            masked.key.seed = 1
        assert not masked.key.rows.flags.writeable


@each_kind
@pytest.mark.parametrize("wrong", [None, 5, "a table"], ids=repr)
def test_what_is_no_frame_is_refused_in_a_sentence(kind, wrong):
    release = first((kind, 0))
    tables = [f.name for f in dataclasses.fields(release)
              if isinstance(getattr(release, f.name), (pd.DataFrame, vk.Microdata))]  # fmt: skip
    of = getattr(type(release), "of", partial(dataclasses.replace, release))
    with pytest.raises(vk.VerikitError, match=type(wrong).__name__):
        of(**dict.fromkeys(tables, wrong))


@pytest.mark.parametrize("wrong", [None, 5, [], pd.DataFrame({"X": [1]})], ids=repr)
def test_what_is_no_place_of_a_release_is_refused_in_a_sentence(wrong):
    with pytest.raises(vk.VerikitError):
        vk.open_release(wrong)


def domains(release):
    """What is known of each column: its tree with weights, its order, its unit and its words."""
    trees = [column.hierarchy for column in release.schema]
    return [
        [dataclasses.replace(column, hierarchy=None) for column in release.schema],
        [tree and (dict(tree.levels), dict(tree.weights)) for tree in trees],
        [tuple(spellings_of(release, column).offered) for column in release.schema],
    ]


@pytest.mark.parametrize("method", vk.mask.METHODS.values(), ids=lambda method: method.name)
def test_what_is_known_of_a_column_travels_with_every_release(method, tmp_path):
    """To disk and back, and into the page, for each table that a mask takes."""
    taken = 0
    for number, table in enumerate(TABLES):
        data = table()
        try:
            given = {n: a(data) if callable(a) else a for n, a in method.example.items()}
            release = method.function(data, **given, seed=number).release
        except vk.VerikitError:
            continue
        taken += 1
        opened = vk.open_release(release.save(tmp_path / f"{number}"))
        assert domains(opened) == domains(release)
        try:
            packed = pack_release(release)
        except vk.VerikitError:
            continue
        assert pack_release(opened).facts == packed.facts
        for told in packed.facts["columns"]:
            if told.get("role") != "group":
                column = release.schema[told["name"]]
                words = None if column.kind == "numeric" else column.categories
                assert (told["unit"], told["kind"]) == (column.unit, column.kind)
                assert told["categories"] == words
                assert (told["tree"] is None) is (column.hierarchy is None)
    assert taken
