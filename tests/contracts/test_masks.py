"""What every mask must keep, whoever wrote it: a new mask is found here by itself."""

import inspect
import itertools
import random
import re

import numpy as np
import pandas as pd
import pytest
from _tables import TABLES, again

import verikit as vk

SEED = 918_273_645
each_mask = pytest.mark.parametrize("method", vk.mask.METHODS.values(), ids=lambda m: m.name)


each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)


def arguments(method, data):
    """The example arguments of a mask; what depends on the table is made from it."""
    return {n: a(data) if callable(a) else a for n, a in method.example.items()}


def run(method, data, seed=SEED):
    return method.function(data, **arguments(method, data), seed=seed)


def refusal(method, data):
    """Why a mask refuses a table; nothing where it takes it."""
    try:
        run(method, data)
    except vk.VerikitError as error:
        return str(error)
    return ""


def table_for(method):
    """The first stand-in that holds what the mask needs; the others it refuses in a sentence."""
    refusals = []
    for data in (table() for table in TABLES):
        refusals.append(refusal(method, data))
        if not refusals[-1]:
            return data
    pytest.fail(f"{method.name} refuses every stand-in table: {refusals}")


def saved(release, folder, **options):
    """Every file of a saved release, byte by byte."""
    path = release.save(folder, **options)
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*"))}


def places(key):
    """Where each record went: its row, and its values where the release keeps them apart."""
    return {"": key.rows, **getattr(key, "columns", {})}


# -- the call ------------------------------------------------------------------------------------


@each_mask
def test_a_mask_is_public_under_the_name_it_is_registered_by(method):
    assert getattr(vk.mask, method.name) is method.function
    assert method.function.__doc__
    if method.function.__module__.startswith("verikit."):
        assert method.name in vk.mask.__all__
    if method.paper is not None:
        assert method.paper in vk.papers.PAPERS
        assert f"[{method.paper}]_" in method.function.__doc__


@each_mask
def test_a_mask_says_what_it_does_and_promises_and_what_can_be_turned(method):
    assert re.fullmatch(r"[A-Z].+\.", method.words)
    assert method.promise != "untold"
    for name, knob in vk.mask.METHODS.knobs().items():
        if knob in method.knobs:
            assert knob.name == name
            makes = knob.groups or method.function
            assert {*knob.fixed} <= set(inspect.signature(method.function).parameters)
            assert knob.parameter in inspect.signature(makes).parameters
            low, high = knob.ends(table_for(method))
            assert 0 < low < high


@each_mask
@each_table
def test_every_table_is_masked_or_refused_in_a_sentence(method, table, tmp_path):
    data, rows = table(), np.random.default_rng(5).permutation(len(table()))
    said = refusal(method, data)
    if said:
        assert re.fullmatch(r"[A-Za-z].+\.", said, re.DOTALL)
        return
    plain = run(method, data)
    mixed = run(method, again(data, rows))
    assert saved(mixed.release, tmp_path / "a" / "r") == saved(plain.release, tmp_path / "b" / "r")
    assert (mixed.key.rows == plain.key.rows[rows]).all()
    assert sorted(plain.key.rows) == list(range(len(data)))
    opened = vk.open_release(tmp_path / "a" / "r")
    assert (opened.promise, opened.method) == (method.promise, method.name)


@each_mask
def test_a_mask_takes_the_data_first_and_everything_else_by_name(method):
    first, *others = inspect.signature(method.function).parameters.values()
    assert first.name in {"data", "graph"}
    assert {other.kind for other in others} == {inspect.Parameter.KEYWORD_ONLY}
    assert others[-1].name == "seed"
    assert others[-1].default is inspect.Parameter.empty


@each_mask
def test_a_mask_without_a_seed_is_refused(method):
    data = table_for(method)
    with pytest.raises(TypeError, match="seed"):
        method.function(data, **arguments(method, data))


@each_mask
@pytest.mark.parametrize("seed", [True, -1, 7.0, "7", None])
def test_a_seed_that_is_no_whole_number_is_refused(method, seed):
    with pytest.raises(vk.VerikitError, match=rf"seed was given as {seed!r}; expected a whole"):
        run(method, table_for(method), seed)


@each_mask
def test_a_frame_instead_of_microdata_is_refused(method):
    data = table_for(method)
    with pytest.raises(vk.SchemaError, match="was given DataFrame; expected Microdata"):
        method.function(data.frame, **arguments(method, data), seed=1)
    with pytest.raises(vk.SchemaError, match="was given DataFrame; expected Microdata"):
        method.function(data.frame, **arguments(method, data))  # what to mask comes first


@each_mask
def test_a_table_without_records_is_refused(method):
    data = table_for(method)
    with pytest.raises(vk.SchemaError, match="no records"):
        method.function(again(data, rows=[]), **arguments(method, data), seed=1)


@each_mask
def test_a_missing_value_is_refused_by_the_name_of_its_column(method):
    data = table_for(method)
    for column in data.schema:
        if column.role in {"quasi", "sensitive"}:
            frame = data.frame.astype({column.name: object})
            frame.loc[3, column.name] = None
            with pytest.raises(vk.SchemaError, match=rf"'{column.name}' has 1 missing value"):
                method.function(vk.Microdata(frame, data.schema), **arguments(method, data), seed=1)


# -- the same again ------------------------------------------------------------------------------


@each_mask
def test_the_same_seed_gives_the_same_release_and_the_same_key(method, tmp_path):
    data = table_for(method)
    first, second = run(method, data), run(method, data)
    assert saved(first.release, tmp_path / "a" / "r") == saved(second.release, tmp_path / "b" / "r")
    assert np.array_equal(first.key.rows, second.key.rows)
    assert first.key.seed == SEED


@each_mask
def test_another_seed_gives_another_release(method, tmp_path):
    data = table_for(method)
    releases = [
        tuple(saved(run(method, data, seed).release, tmp_path / str(seed) / "r").items())
        for seed in range(4)
    ]
    assert len(set(releases)) == 4


@each_mask
def test_a_seed_may_be_a_numpy_integer(method):
    data = table_for(method)
    assert np.array_equal(run(method, data, np.int64(5)).key.rows, run(method, data, 5).key.rows)


@each_mask
def test_neither_the_input_nor_the_global_generators_are_touched(method):
    data = table_for(method)
    frame, given = data.frame.copy(deep=True), arguments(method, data)
    state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    method.function(data, **given, seed=SEED)
    pd.testing.assert_frame_equal(data.frame, frame)
    assert set(given) == set(method.example)
    assert all(map(np.array_equal, np.random.get_state(), state))  # noqa: NPY002
    assert random.getstate() == python_state


@each_mask
@pytest.mark.parametrize("shuffle", range(3))
def test_the_order_of_the_rows_changes_nothing(method, shuffle, tmp_path):
    data = table_for(method)
    rows = np.random.default_rng(shuffle).permutation(len(data))
    plain, mixed = run(method, data), run(method, again(data, rows))
    assert saved(mixed.release, tmp_path / "a" / "r") == saved(plain.release, tmp_path / "b" / "r")
    for name, places_of_mixed in places(mixed.key).items():
        assert np.array_equal(places_of_mixed, places(plain.key)[name][rows]), name


@each_mask
@pytest.mark.parametrize("index", ["relabelled", "duplicated", "text"])
def test_the_labels_of_the_index_change_nothing(method, index, tmp_path):
    data = table_for(method)
    labels = {
        "relabelled": np.arange(len(data))[::-1] * 10,
        "duplicated": [7] * len(data),
        "text": [f"row {place}" for place in range(len(data))],
    }
    plain, other = run(method, data), run(method, again(data, index=labels[index]))
    assert saved(other.release, tmp_path / "a" / "r") == saved(plain.release, tmp_path / "b" / "r")
    assert np.array_equal(other.key.rows, plain.key.rows)


@each_mask
@pytest.mark.parametrize("dtype", ["float32", "float64", "Float64", "Int64", "object", "category"])
def test_the_dtype_of_the_columns_changes_nothing(method, dtype, tmp_path):
    data = table_for(method)
    numeric = dtype not in {"object", "category"}
    whole = dtype == "Int64"
    dtypes = {
        column.name: dtype
        for column in data.schema
        if (column.kind == "numeric" or not numeric)
        and not (whole and data.frame[column.name].dtype != np.int64)
    }
    plain, other = run(method, data), run(method, again(data, dtypes=dtypes))
    assert dtypes or all(column.kind != "numeric" for column in data.schema)
    assert saved(other.release, tmp_path / "a" / "r") == saved(plain.release, tmp_path / "b" / "r")
    assert np.array_equal(other.key.rows, plain.key.rows)


# -- what is published, and what stays ------------------------------------------------------------


@each_mask
def test_the_release_names_its_method_and_every_parameter_but_the_seed(method):
    data = table_for(method)
    release = run(method, data).release
    takes = inspect.signature(method.function).parameters
    unasked = {n for n, p in takes.items() if p.default is None and n not in method.example}
    told = takes.keys() - {"data", "graph", "seed", "partition", "permutation"} - unasked
    assert release.method == method.name
    assert told <= set(release.parameters)
    assert "seed" not in release.parameters


@each_mask
def test_the_key_leads_from_each_record_to_its_row(method):
    data = table_for(method)
    labels = np.random.default_rng(3).permutation(len(data)) + 1000
    marked = vk.Microdata(
        data.frame.assign(mark=labels),
        vk.Schema((*data.schema, vk.Column("mark", "other"))),
    )
    release, key = run(method, marked)
    assert sorted(key.rows) == list(range(len(data)))
    if isinstance(release, vk.TableRelease):
        assert release.frame["mark"].to_numpy()[key.rows].tolist() == labels.tolist()


@each_mask
def test_identifiers_are_never_released(method, tmp_path):
    data = table_for(method)
    names = [f"Person{place:03d}" for place in range(len(data))]
    schema = vk.Schema((vk.Column("who", "identifier", "nominal"), *data.schema))
    named = vk.Microdata(data.frame.assign(who=names)[list(schema.names)], schema)
    for content in saved(run(method, named).release, tmp_path / "r").values():
        assert b"Person" not in content
        assert b"who" not in content


@each_mask
@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
def test_neither_seed_nor_key_can_be_found_in_the_saved_folder(method, parquet, tmp_path):
    if parquet:
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    data = table_for(method)
    release, key = run(method, data)
    files = saved(release, tmp_path / "r", parquet=parquet)
    rows = [order.astype(np.int64) for order in places(key).values()]
    rows += [np.argsort(order).astype(np.int64) for order in rows]
    for name, content in files.items():
        assert b"seed" not in content.lower(), name
        for secret in (str(SEED).encode(), f"{SEED:x}".encode(), np.int64(SEED).tobytes()):
            assert secret not in content, name
        numerals = re.sub(rb"\D+", b" ", content)
        for order in rows:
            for start in (0, 1):
                assert order.tobytes() not in content, name
                assert " ".join(map(str, order + start)).encode() not in numerals, name


@each_mask
def test_the_order_of_the_original_rows_leaves_no_trace_in_the_release(method):
    """Over many seeds a released row lies nowhere in particular, seen from where it lay before."""
    data = table_for(method)
    rows = np.random.default_rng(0).permutation(len(data))
    mixed, trials = again(data, rows), 200
    found = [places(run(method, mixed, seed).key) for seed in range(trials)]
    before = {"as given": np.arange(len(data)), "sorted": np.argsort(mixed.canonical_order())}
    for name, (words, old) in itertools.product(found[0], before.items()):
        new = np.array([key[name] for key in found])
        correlation = np.mean([np.corrcoef(old, order)[0, 1] for order in new])
        spread = 1 / np.sqrt((len(data) - 1) * trials)
        assert abs(correlation) < 5 * spread, (name, words)
        kept = np.mean(new == old)
        assert abs(kept - 1 / len(data)) < 5 * np.sqrt(1 / len(data) / new.size), (name, words)


def in_their_groups(masked):
    """For each column the place of each record's value among the values of its group."""
    group = masked.release.labels.quasi[masked.key.rows]
    found = pd.DataFrame(masked.key.columns).groupby(group).rank()
    return (
        found
        if masked.release.permuted
        else found.assign(row=pd.Series(masked.key.rows).groupby(group).rank())
    )


def test_columns_that_were_torn_apart_cannot_be_joined_by_their_place_in_a_group():
    """Over many seeds a value lies beside its own record as often as chance puts it there."""
    trials, torn = 200, set()
    for method in vk.mask.METHODS.values():
        data = table_for(method)
        release = run(method, data).release
        if not isinstance(release, vk.SplitRelease):
            continue
        hidden = [column.name for column in release.schema.sensitive]
        known = [column.name for column in release.known] if release.permuted else ["row"]
        found = [in_their_groups(run(method, data, seed)) for seed in range(trials)]
        groups = len(release.labels.names)
        for a, b in itertools.product(known, hidden):
            met = np.mean([places[a] == places[b] for places in found])
            spread = np.sqrt(groups / trials) / len(data)
            assert abs(met - groups / len(data)) < 5 * spread, (method.name, a, b)
            torn.add(method.name)
    assert {"anatomize", "permute_all"} <= torn
